//! A file of requests and responses: one JSON value, or one on every line.

use rayon::prelude::*;

use crate::content::Sources;
use crate::model::{Record, SourceId, Transcript, Warning};
use crate::transcript::document::Document;
use crate::transcript::json::{Json, parse};
use crate::transcript::lines::{Line, each_line};
use crate::transcript::skim::{End, blank_after, skim};
use crate::transcript::stored::Stored;
use crate::transcript::{Input, OpenError};

use super::later::Later;
use super::unwrap::{exchange, is_request};
use super::weave::Weave;
use super::{Dialect, Exchange, Said};

/// What a record of the file is.
enum Entry {
    /// A request, a response, or both.
    Exchange(Box<Exchange>),
    /// One message; those of the lines around it belong to the same conversation.
    Message(Box<Said>),
    /// Neither.
    Other(String),
}

/// One record of the file, and what is the matter with it.
struct Found {
    record: Record,
    entry: Entry,
    warnings: Vec<String>,
}

/// Reads a session in a vendor's dialect.
///
/// # Errors
/// Where the source cannot be read, or the watch is cancelled.
pub fn read(input: Input<'_>, dialect: &'static Dialect) -> Result<Transcript, OpenError> {
    let Input { sources, main, watch, .. } = input;
    let one = whole(sources, main, dialect)?;
    let is_one = one.is_some();
    let found = match one {
        Some(found) => found,
        None => each_line(sources, main, watch, |line| of_line(dialect, line))?,
    };
    if watch.is_cancelled() {
        return Err(OpenError::Cancelled);
    }
    let mut weave = Weave::new(dialect, main);
    weave.later = Later::of(found.iter().filter_map(|found| match &found.entry {
        Entry::Exchange(exchange) => Some(exchange.as_ref()),
        _ => None,
    }));
    for Found { record, entry, warnings } in found {
        for message in warnings {
            weave.warn(Warning { source: record.source, line: record.line, message });
        }
        match entry {
            Entry::Exchange(exchange) => weave.exchange(*exchange),
            Entry::Message(said) => weave.message(*said),
            Entry::Other(kind) => weave.other(&kind),
        }
    }
    let mut transcript = weave.finish(sources);
    if is_one {
        place(&mut transcript, sources, main)?;
    }
    Ok(transcript)
}

/// Puts each block at the line where its content begins: a request that is written over many lines is one record, and
/// where that begins says little.
fn place(transcript: &mut Transcript, sources: &Sources, main: SourceId) -> Result<(), OpenError> {
    let blocks = || transcript.blocks.iter().filter(|block| block.record.source == main);
    let (start, end) =
        blocks().fold((u64::MAX, 0), |(start, end), block| (start.min(block.record.start), end.max(block.record.end)));
    if start >= end {
        return Ok(());
    }
    let bytes = sources.read(main, start, end)?;
    let breaks: Vec<u64> = memchr::memchr_iter(b'\n', &bytes).map(|at| start + at as u64).collect();
    let before = |at: u64| breaks.partition_point(|end| *end < at);
    for block in transcript.blocks.iter_mut().filter(|block| block.record.source == main) {
        let first = block.body.spans().filter(|span| span.source == main).map(|span| span.start).min();
        let Some(first) = first.filter(|first| *first >= block.record.start) else { continue };
        let more = before(first) - before(block.record.start);
        block.record.line = block.record.line.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
    }
    Ok(())
}

/// The records of a file that is one JSON value; `None` where it is one on each line.
fn whole(sources: &Sources, main: SourceId, dialect: &Dialect) -> Result<Option<Vec<Found>>, OpenError> {
    let bytes = sources.bytes(main)?;
    let head = sources.read(main, 0, bytes.len().min(1 << 20))?;
    let mark = if head.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let first = skim(bytes.as_ref(), mark);
    let lines = match first.end {
        End::Complete => first.breaks == 0 && !blank_after(bytes.as_ref(), first.stop),
        // A first line that is damaged is followed by others that are not; a document's lines are no objects.
        End::Broken => head.split(|byte| *byte == b'\n').skip(1).any(is_record),
        End::Cut => false,
    };
    if lines {
        return Ok(None);
    }
    let document = Document::read(sources, main)?;
    Ok(Some(of_document(dialect, &document)))
}

/// Whether a line is a whole object.
fn is_record(line: &[u8]) -> bool {
    let (value, fault) = parse(line);
    value.is_object() && fault.is_none()
}

fn of_document(dialect: &Dialect, document: &Document) -> Vec<Found> {
    let (value, fault) = parse(document.text());
    let store = |part| document.stored(part);
    let pair = matches!(value.items(), [request, response]
        if is_request(dialect, request) && (dialect.answer)(&store(response.raw), response).is_some());
    let many =
        !pair && value.items().first().is_some_and(|first| first.is_list() || first.is_object() && !is_message(first));
    let parts: Vec<&Json<'_>> = if many { value.items().iter().collect() } else { vec![&value] };
    let mut found: Vec<Found> = parts
        .into_par_iter()
        .map(|part| {
            let record = document.record(part.raw);
            match exchange(dialect, part, &store) {
                Some(exchange) => Found { record, entry: Entry::Exchange(Box::new(exchange)), warnings: Vec::new() },
                None => other(record, part),
            }
        })
        .collect();
    let line = |at: usize| document.record(document.text().get(at..).unwrap_or_default()).line;
    let mut say = |record: Record, message: String| {
        found.push(Found { record, entry: Entry::Other(String::new()), warnings: vec![message] });
    };
    if let Some(fault) = fault {
        let record = Record { line: line(fault.at), ..document.record(&[]) };
        say(record, format!("{} at byte {}: what was complete before it is kept", fault.what, fault.at));
    }
    if document.cut {
        say(document.record(document.text()), "the file is longer than what is read of it".to_owned());
    }
    found
}

/// Whether a value is one message: a role and no conversation inside.
fn is_message(value: &Json<'_>) -> bool {
    value.some("messages").is_none()
        && value.some("choices").is_none()
        && value.some("stop_reason").is_none()
        && (value.some("role").is_some()
            || value.some("type").is_some() && value.some("output").is_none_or(|held| !held.is_list()))
}

fn other(record: Record, value: &Json<'_>) -> Found {
    let kind = value.str_of("type").chars().take(60).collect::<String>();
    let kind = if kind.is_empty() { "no request".to_owned() } else { kind };
    Found { record, entry: Entry::Other(kind), warnings: Vec::new() }
}

fn of_line(dialect: &Dialect, line: Line<'_>) -> Found {
    let record = line.record;
    let say = |message: String| Found { record, entry: Entry::Other(String::new()), warnings: vec![message] };
    if line.too_long {
        return say("the line is too long to read".to_owned());
    }
    let text =
        if record.start == 0 { line.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line.bytes) } else { line.bytes };
    let (value, fault) = parse(text);
    let stored = Stored { bytes: line.bytes, record };
    let part = |part| {
        let span = stored.span(part, crate::model::Coding::Plain);
        Stored { bytes: part, record: Record { start: span.start, end: span.end, ..record } }
    };
    let mut found = if !value.is_list() && is_message(&value) && !is_request(dialect, &value) {
        let answer = (dialect.answer)(&stored, &value).is_some();
        match answer.then(|| exchange(dialect, &value, &part)).flatten() {
            Some(exchange) => Found { record, entry: Entry::Exchange(Box::new(exchange)), warnings: Vec::new() },
            None => {
                let said = (dialect.message)(&part(value.raw), &value);
                Found { record, entry: Entry::Message(Box::new(said)), warnings: Vec::new() }
            }
        }
    } else {
        match exchange(dialect, &value, &part) {
            Some(exchange) => Found { record, entry: Entry::Exchange(Box::new(exchange)), warnings: Vec::new() },
            None => other(record, &value),
        }
    };
    if let Some(fault) = fault {
        let cut = if line.unfinished { "the last record is not complete" } else { "damaged record" };
        found.warnings.push(format!("{cut}: {} at byte {}", fault.what, fault.at));
    }
    if std::str::from_utf8(line.bytes).is_err() {
        found.warnings.push("not UTF-8 throughout".to_owned());
    }
    found
}
