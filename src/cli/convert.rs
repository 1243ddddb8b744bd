//! `windowpane convert`: a document as Markdown, whole or within the policy's limits.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::content::{ReadAt, Watch};
use crate::document::{Note, Piece, Stop, cut_whole, shown_line};
use crate::io::{Converter, DocumentCache, Job, LargeDocument};
use crate::policy::{Policy, paired, set};
use crate::tokens::Encoding;

use super::args::{Common, Look};
use super::converted::{Converted, converted};
use super::documents::{bytes_of, documents};
use super::load::{preferences, settings_of};
use super::print::Printer;
use super::progress::told;
use super::simulated::named as named_policy;
use super::{fail, schema};

/// Bytes of Markdown of a whole document.
const WHOLE_MAX: u64 = 4 << 30;
/// The same within limits, where it is held.
const GATHERED_MAX: u64 = 256 << 20;
/// Bytes of Markdown that are held of a whole document; and where that is kept for the next time.
const HELD: usize = 4 << 20;
const HELD_TO_KEEP: usize = 32 << 20;

/// Arguments of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The document; - is standard input.
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    file: Option<PathBuf>,
    /// Apply the policy's limits to it.
    #[arg(long)]
    limits: bool,
    /// A preset or a policy file whose limits apply; implies --limits.
    #[arg(long, value_name = "NAME|FILE.toml")]
    policy: Option<String>,
    /// One setting of the policy, such as files.max_lines=500; implies --limits.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    common: Common,
}

/// Bytes of a document whose conversion is kept for the next time, where a process of its own reads it: of a larger one
/// the Markdown should come as it arises.
const KEPT_TO: u64 = 64 << 20;

/// Converts the document.
pub fn convert(args: ConvertArgs, look: &Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Converted<'_>>(&common);
    }
    let file = args.file.unwrap_or_default();
    let named = args.policy.as_deref().or(look.policy.first().map(String::as_str));
    let settings: Vec<&String> = look.set.iter().chain(&args.set).collect();
    let limited = args.limits || named.is_some() || !settings.is_empty();
    let limits = if limited { Some(policy_of(named, &settings)?.files.limits()) } else { None };
    let watch = Watch::default();
    let name = file.to_string_lossy();
    let (bytes, again) = told("reading:", &watch, || bytes_of(&file, &watch))?;
    let converter = Converter::new(std::env::current_exe().context("cannot find this program")?);
    let gathered = common.json || limits.is_some();
    let job = Job {
        name: &name,
        path: Some(file.as_path()).filter(|_| again),
        bytes: &bytes,
        limits: limits.as_ref(),
        max_bytes: if limits.is_some() { GATHERED_MAX } else { WHOLE_MAX },
        watch: &watch,
    };
    let mut printer = Printer::new(&common);
    // Starting that process alone takes longer than the cache.
    let slow = converter.works_apart(&job) && bytes.len() <= KEPT_TO;
    if !gathered && !slow {
        // A terminal that shows the Markdown as it arises needs nothing else to show how far it is.
        let is_shown = std::io::stdout().is_terminal();
        let print = || print_whole(&converter, &job, printer);
        return if is_shown { print() } else { told("reading:", &watch, print) };
    }
    let cache = match slow {
        true => documents(&preferences(&common, &settings_of(look))?),
        false => DocumentCache::default(),
    };
    let most = if limits.is_some() {
        usize::MAX
    } else if slow {
        HELD_TO_KEEP
    } else {
        HELD
    };
    let mut document = told("reading:", &watch, || cache.convert_large(&converter, &job, most))?;
    if let Some(limits) = &limits {
        cut_whole(&mut document.about, limits, Encoding::Cl100kBase);
        document = LargeDocument::held(document.about);
    }
    let unread = document.bytes() == 0 && !document.about.notes.is_empty();
    if common.json {
        let converted = converted(&name, &document);
        printer.json(&converted)?;
        converted.markdown.whole().context("cannot read the temporary file")?;
    } else {
        let mut text = Flowing::default();
        let mut is_ended = false;
        for part in document.parts() {
            let part = part.context("cannot read the temporary file")?;
            is_ended = part.ends_with('\n');
            text.print(part, &mut printer)?;
        }
        text.end(&mut printer)?;
        if !is_ended {
            printer.bytes(b"\n")?;
        }
        let conversion = &document.about;
        for note in &conversion.notes {
            printer.remark(&note_line(note));
        }
        if !conversion.shown.is_empty() {
            printer.remark(&format!("shown: {}", shown_line(&conversion.shown)));
        }
    }
    let done = printer.done()?;
    Ok(if unread { fail::unread() } else { done })
}

/// Text that is printed in pieces: a line break of two signs may come in two of them.
#[derive(Default)]
struct Flowing {
    held: bool,
}

impl Flowing {
    fn print(&mut self, text: String, printer: &mut Printer) -> io::Result<()> {
        let mut text = if self.held { format!("\r{text}") } else { text };
        self.held = text.ends_with('\r');
        if self.held {
            text.pop();
        }
        printer.document(&text)
    }

    fn end(self, printer: &mut Printer) -> io::Result<()> {
        if self.held { printer.document("\r") } else { Ok(()) }
    }
}

/// Prints the Markdown as it arises.
fn print_whole(converter: &Converter, job: &Job<'_>, mut printer: Printer) -> anyhow::Result<ExitCode> {
    let mut failed = None;
    let (mut notes, mut any, mut flowing) = (Vec::new(), false, Flowing::default());
    let done = converter.convert(job, &mut |piece| {
        match piece {
            Piece::Text(text) => {
                any = true;
                if let Err(why) = flowing.print(text, &mut printer) {
                    failed = Some(why);
                    return Err(Stop::Cancelled);
                }
            }
            Piece::Note(note) => notes.push(note),
            _ => {}
        }
        Ok(())
    });
    if let Some(why) = failed {
        return Err(why.into());
    }
    flowing.end(&mut printer)?;
    done.map_err(|_| anyhow::anyhow!("stopped"))?;
    for note in &notes {
        printer.remark(&note_line(note));
    }
    let unread = !any && !notes.is_empty();
    let done = printer.done()?;
    Ok(if unread { fail::unread() } else { done })
}

/// The policy that options ask for: a preset or a file, with single settings over it.
pub(super) fn policy_of(named: Option<&str>, settings: &[&String]) -> anyhow::Result<Policy> {
    let mut policy = match named {
        Some(name) => named_policy(name, None)?,
        None => Policy::default(),
    };
    for setting in settings {
        set(&mut policy, setting).map_err(|fault| fail::usage(fault.to_string()))?;
    }
    paired(&policy).map_err(|fault| fail::usage(fault.to_string()))?;
    Ok(policy)
}

pub(super) fn note_line(note: &Note) -> String {
    let line = if note.line > 0 { format!("line {}", note.line) } else { String::new() };
    let place: Vec<String> = [note.place.as_ref().map(ToString::to_string), Some(line)]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    if place.is_empty() { note.message.clone() } else { format!("{}: {}", place.join(", "), note.message) }
}
