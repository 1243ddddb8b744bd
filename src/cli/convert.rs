//! `windowpane convert`: a document as Markdown, whole or within the policy's limits.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::chunk::Outline;
use crate::content::{ReadAt, Watch};
use crate::document::{Conversion, Note, Piece, Stop, cut_whole, shown_line};
use crate::io::{Converter, DocumentCache, FileBytes, Job, spool};
use crate::policy::{Policy, paired, set};
use crate::tokens::Encoding;

use super::args::{Common, Look};
use super::documents::documents;
use super::load::{preferences, settings_of};
use super::print::Printer;
use super::progress::told;
use super::simulated::named as named_policy;
use super::{fail, schema};

/// Bytes of Markdown of a whole document.
const WHOLE_MAX: u64 = 4 << 30;
/// The same where it is gathered, for JSON.
const GATHERED_MAX: u64 = 256 << 20;

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

/// Bytes of a document whose conversion is kept for the next time: a smaller one is as soon converted, of a larger one
/// the Markdown should come as it arises.
const SLOW_FROM: u64 = 256 << 10;
const SLOW_TO: u64 = 64 << 20;

/// What `convert --json` prints.
#[derive(Serialize, JsonSchema)]
struct Converted {
    /// `windowpane/convert/1`
    schema: &'static str,
    path: String,
    /// The format that it was read as; null where nothing here reads it.
    format: Option<String>,
    /// Title, author, pages, encoding and the like.
    facts: Vec<Fact>,
    /// Where pages, slides, sheets, chapters, files, cells and sections begin.
    anchors: Vec<AnchorRow>,
    /// The document's own table of contents.
    outline: Vec<OutlineRow>,
    /// What was shown of what; empty where everything was.
    shown: Vec<ShownRow>,
    /// The same in one line.
    shown_text: String,
    /// Complaints.
    warnings: Vec<WarningRow>,
    /// The picture or sound to attach: its media type and its size in bytes.
    attachment: Option<AttachmentRow>,
    /// Characters of the Markdown.
    chars: u64,
    markdown: String,
}

#[derive(Serialize, JsonSchema)]
struct Fact {
    name: String,
    value: String,
}

#[derive(Serialize, JsonSchema)]
struct AnchorRow {
    /// Characters of Markdown before it.
    offset: u64,
    /// page, slide, sheet, chapter, file, cell or section.
    kind: String,
    /// Its number, from 1, of a page as far as it is known; of a section its level.
    number: u32,
    name: Option<String>,
    /// Blank lines before it.
    paragraph: u64,
    /// The page that it stands on.
    page: u64,
    /// Whether that page is an estimate.
    page_estimated: bool,
    /// The section that it stands in.
    section: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct OutlineRow {
    level: u32,
    title: String,
    page: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct ShownRow {
    /// What is counted; null for a statement in words.
    what: Option<String>,
    shown: Option<u64>,
    total: Option<u64>,
    /// How many were shortened.
    truncated: Option<u64>,
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct WarningRow {
    /// The page, slide, sheet, chapter or file that it is about.
    place: Option<String>,
    /// Line of the original, where lines mean something.
    line: Option<u64>,
    message: String,
}

#[derive(Serialize, JsonSchema)]
struct AttachmentRow {
    mime: String,
    bytes: u64,
}

/// Converts the document.
pub fn convert(args: ConvertArgs, look: &Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Converted>(&common);
    }
    let file = args.file.unwrap_or_default();
    let named = args.policy.as_deref().or(look.policy.first().map(String::as_str));
    let settings: Vec<&String> = look.set.iter().chain(&args.set).collect();
    let limited = args.limits || named.is_some() || !settings.is_empty();
    let limits = if limited { Some(policy_of(named, &settings)?.files.limits()) } else { None };
    let watch = Watch::default();
    let (name, path) = if file == Path::new("-") {
        ("-".to_owned(), None)
    } else {
        (file.to_string_lossy().into_owned(), Some(&file))
    };
    let bytes = match path {
        Some(path) => FileBytes::open(path),
        None => told("reading:", &watch, || spool(std::io::stdin().lock(), &watch)).map(|(bytes, _)| bytes),
    };
    let bytes = bytes.with_context(|| format!("cannot read {name}"))?;
    let converter = Converter::new(std::env::current_exe().context("cannot find this program")?);
    let gathered = common.json || limits.is_some();
    let mut job = Job {
        name: &name,
        path: path.map(PathBuf::as_path),
        bytes: &bytes,
        limits: limits.as_ref(),
        max_bytes: GATHERED_MAX,
        watch: &watch,
    };
    let mut printer = Printer::new(&common);
    let slow = converter.works_apart(&job) && (SLOW_FROM..=SLOW_TO).contains(&bytes.len());
    if !gathered && !slow {
        job.max_bytes = WHOLE_MAX;
        // A terminal that shows the Markdown as it arises needs nothing else to show how far it is.
        let is_shown = std::io::stdout().is_terminal();
        let print = || print_whole(&converter, &job, printer);
        return if is_shown { print() } else { told("reading:", &watch, print) };
    }
    let cache = match slow {
        true => documents(&preferences(&common, &settings_of(look))?),
        false => DocumentCache::default(),
    };
    let read = || cache.convert(&converter, &job);
    let mut conversion = told("reading:", &watch, read).map_err(|_| anyhow::anyhow!("stopped"))?;
    if let Some(limits) = &limits {
        cut_whole(&mut conversion, limits, Encoding::Cl100kBase);
    }
    let unread = is_unread(&conversion);
    if common.json {
        printer.json(&row(&name, conversion))?;
    } else {
        printer.document(&conversion.markdown)?;
        if !conversion.markdown.ends_with('\n') {
            printer.bytes(b"\n")?;
        }
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

/// Whether nothing came of it but complaints.
fn is_unread(conversion: &Conversion) -> bool {
    conversion.markdown.is_empty() && !conversion.notes.is_empty()
}

/// Prints the Markdown as it arises.
fn print_whole(converter: &Converter, job: &Job<'_>, mut printer: Printer) -> anyhow::Result<ExitCode> {
    let mut failed = None;
    let (mut notes, mut any, mut held) = (Vec::new(), false, false);
    let done = converter.convert(job, &mut |piece| {
        match piece {
            Piece::Text(text) => {
                any = true;
                // A line break of two signs may come in two pieces.
                let mut text = if held { format!("\r{text}") } else { text };
                held = text.ends_with('\r');
                if held {
                    text.pop();
                }
                if let Err(why) = printer.document(&text) {
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
    if held {
        printer.document("\r")?;
    }
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

fn row(path: &str, conversion: Conversion) -> Converted {
    let text = &conversion.markdown;
    let outline = Outline::of(&conversion);
    let at = |byte: usize, kind: &str, number: u32, name: Option<String>| {
        let spot = outline.spot(text, byte);
        AnchorRow {
            offset: spot.offset,
            kind: kind.to_owned(),
            number,
            name,
            paragraph: spot.paragraph,
            page: spot.page,
            page_estimated: spot.page_estimated,
            section: spot.section.and_then(|number| outline.sections.get(number)).map(|section| section.title.clone()),
        }
    };
    let places = conversion.anchors.iter().map(|anchor| {
        let byte = usize::try_from(anchor.byte).unwrap_or(usize::MAX).min(text.len());
        let mut row = at(byte, anchor.place.kind.name(), anchor.place.number, anchor.place.name.clone());
        if anchor.place.estimated {
            row.number = u32::try_from(row.page).unwrap_or(u32::MAX);
        }
        row
    });
    let sections = outline
        .sections
        .iter()
        .map(|section| at(section.start, "section", u32::from(section.level), Some(section.title.clone())));
    let mut anchors: Vec<AnchorRow> = places.chain(sections).collect();
    anchors.sort_by_key(|anchor| anchor.offset);
    Converted {
        schema: "windowpane/convert/1",
        path: path.to_owned(),
        format: Some(conversion.format.clone()).filter(|format| !format.is_empty()),
        facts: conversion.facts.iter().map(|(name, value)| Fact { name: name.clone(), value: value.clone() }).collect(),
        anchors,
        outline: conversion
            .outline
            .iter()
            .map(|item| OutlineRow { level: item.level, title: item.title.clone(), page: item.page })
            .collect(),
        shown: conversion.shown.iter().map(shown_row).collect(),
        shown_text: shown_line(&conversion.shown),
        warnings: conversion
            .notes
            .iter()
            .map(|note| WarningRow {
                place: note.place.as_ref().map(ToString::to_string),
                line: Some(note.line).filter(|line| *line > 0),
                message: note.message.clone(),
            })
            .collect(),
        attachment: conversion
            .attachment
            .as_ref()
            .map(|attachment| AttachmentRow { mime: attachment.mime.clone(), bytes: attachment.data.len() as u64 }),
        chars: text.chars().count() as u64,
        markdown: conversion.markdown,
    }
}

fn shown_row(shown: &crate::document::Shown) -> ShownRow {
    use crate::document::Shown;
    let text = shown.to_string();
    match shown {
        Shown::Of { what, shown, total, .. } => {
            ShownRow { what: Some(what.clone()), shown: Some(*shown), total: Some(*total), truncated: None, text }
        }
        Shown::Cut { what, count, .. } => {
            let (items, all) = shown.items().unzip();
            ShownRow { what: Some(what.clone()), shown: items, total: all, truncated: Some(*count), text }
        }
        Shown::Words(_) => ShownRow { what: None, shown: None, total: None, truncated: None, text },
    }
}
