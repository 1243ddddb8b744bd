//! `windowpane convert`: documents as Markdown, whole or within the policy's limits.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::content::{ReadAt, Watch};
use crate::document::{Limits, Note, Piece, Shown, Stop, cut_whole, heading, shown_line};
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
    /// The documents; - is standard input. Of several each is headed by its name, and is a line of its own with --json.
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    files: Vec<PathBuf>,
    /// Apply the policy's limits to them.
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

/// How documents are converted and printed.
struct Conversions {
    converter: Converter,
    cache: DocumentCache,
    limits: Option<Limits>,
    json: bool,
    /// Whether there are others: then it is said which is which.
    several: bool,
}

/// Converts the documents, one after the other.
pub fn convert(args: ConvertArgs, look: &Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Converted<'_>>(&common);
    }
    let named = args.policy.as_deref().or(look.policy.first().map(String::as_str));
    let settings: Vec<&String> = look.set.iter().chain(&args.set).collect();
    let limited = args.limits || named.is_some() || !settings.is_empty();
    let conversions = Conversions {
        converter: Converter::new(std::env::current_exe().context("cannot find this program")?),
        cache: documents(&preferences(&common, &settings_of(look))?),
        limits: if limited { Some(policy_of(named, &settings)?.files.limits()) } else { None },
        json: common.json,
        several: args.files.len() > 1,
    };
    let mut printer = Printer::new(&common);
    let mut unread = false;
    for (number, file) in args.files.iter().enumerate() {
        if conversions.several && !conversions.json {
            let gap = if number > 0 { "\n" } else { "" };
            printer.document(&format!("{gap}{}\n\n", heading(2, &format!("File: {}", file.display()))))?;
        }
        match conversions.print(file, &mut printer) {
            Ok(is_read) => unread |= !is_read,
            // A file that cannot be read takes nothing from the others.
            Err(why) if conversions.several && fail::is_input(&why) => {
                fail::report(&why);
                unread = true;
            }
            Err(why) => return Err(why),
        }
    }
    let done = printer.done()?;
    Ok(if unread { fail::unread() } else { done })
}

impl Conversions {
    /// Converts one document and prints it; whether anything of it could be read.
    fn print(&self, file: &Path, printer: &mut Printer) -> anyhow::Result<bool> {
        let watch = Watch::default();
        let name = file.to_string_lossy();
        // What lies on a disk is there at once; of what flows in it is shown how much has come.
        let (bytes, again) = match file.is_file() {
            true => bytes_of(file, &watch)?,
            false => told("reading:", &watch, || bytes_of(file, &watch))?,
        };
        let job = Job {
            name: &name,
            path: Some(file).filter(|_| again),
            bytes: &bytes,
            limits: self.limits.as_ref(),
            max_bytes: if self.limits.is_some() { GATHERED_MAX } else { WHOLE_MAX },
            watch: &watch,
        };
        // Starting a process alone takes longer than the cache.
        let slow = self.converter.works_apart(&job) && bytes.len() <= KEPT_TO;
        if !self.json && self.limits.is_none() && !slow {
            // A terminal that shows the Markdown as it arises needs nothing else to show how far it is.
            let is_shown = std::io::stdout().is_terminal();
            let mut print = || self.print_whole(&job, printer);
            return if is_shown { print() } else { told("reading:", &watch, print) };
        }
        let none = DocumentCache::default();
        let cache = if slow { &self.cache } else { &none };
        let most = match (&self.limits, slow) {
            (Some(_), _) => usize::MAX,
            (None, true) => HELD_TO_KEEP,
            (None, false) => HELD,
        };
        let mut document = told("reading:", &watch, || cache.convert_large(&self.converter, &job, most))?;
        if let Some(limits) = &self.limits {
            cut_whole(&mut document.about, limits, Encoding::Cl100kBase);
            document = LargeDocument::held(document.about);
        }
        // A file that says nothing is told of, and yet is read whole.
        let is_read = document.bytes() > 0 || document.about.notes.iter().all(Note::is_of_nothing);
        if self.json {
            let converted = converted(&name, &document);
            printer.json(&converted)?;
            converted.markdown.whole().context("cannot read the temporary file")?;
            return Ok(is_read);
        }
        let mut text = Flowing::default();
        let held = &document.about.markdown;
        text.print(held, printer)?;
        // What says nothing has no line to end.
        let mut is_ended = held.is_empty() || held.ends_with('\n');
        for part in document.parts().filter(|_| document.is_spooled()) {
            let part = part.context("cannot read the temporary file")?;
            is_ended = part.ends_with('\n');
            text.print(&part, printer)?;
        }
        text.end(printer)?;
        if !is_ended {
            printer.bytes(b"\n")?;
        }
        let conversion = &document.about;
        self.remark(&name, conversion.notes.iter().map(ToString::to_string), printer);
        self.say_shown(&name, &conversion.shown, printer);
        Ok(is_read)
    }

    /// Prints the Markdown as it arises; whether anything could be read.
    fn print_whole(&self, job: &Job<'_>, printer: &mut Printer) -> anyhow::Result<bool> {
        let mut failed = None;
        let (mut notes, mut any, mut flowing) = (Vec::new(), false, Flowing::default());
        let mut shown = Vec::new();
        let done = self.converter.convert(job, &mut |piece| {
            match piece {
                Piece::Text(text) => {
                    any = true;
                    if let Err(why) = flowing.print(&text, printer) {
                        failed = Some(why);
                        return Err(Stop::Cancelled);
                    }
                }
                Piece::Note(note) => notes.push(note),
                Piece::Shown(one) => shown.push(one),
                _ => {}
            }
            Ok(())
        });
        if let Some(why) = failed {
            return Err(why.into());
        }
        flowing.end(printer)?;
        done.map_err(|_| anyhow::anyhow!("stopped"))?;
        self.remark(job.name, notes.iter().map(ToString::to_string), printer);
        self.say_shown(job.name, &shown, printer);
        Ok(any || notes.iter().all(Note::is_of_nothing))
    }

    /// Says what was shown of what, unless everything was.
    fn say_shown(&self, name: &str, shown: &[Shown], printer: &mut Printer) {
        if !shown.is_empty() {
            self.remark(name, [format!("shown: {}", shown_line(shown))], printer);
        }
    }

    /// Says something about one document on standard error.
    fn remark(&self, name: &str, lines: impl IntoIterator<Item = String>, printer: &mut Printer) {
        for line in lines {
            printer.remark(&if self.several { format!("{name}: {line}") } else { line });
        }
    }
}

/// Text that is printed in pieces: a line break of two signs may come in two of them.
#[derive(Default)]
struct Flowing {
    held: bool,
}

impl Flowing {
    fn print(&mut self, text: &str, printer: &mut Printer) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let text: Cow<'_, str> = if self.held { format!("\r{text}").into() } else { text.into() };
        let whole = text.strip_suffix('\r');
        self.held = whole.is_some();
        printer.document(whole.unwrap_or(&text))
    }

    fn end(self, printer: &mut Printer) -> io::Result<()> {
        if self.held { printer.document("\r") } else { Ok(()) }
    }
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
