//! A file of requests and responses: one JSON value, or one on every line.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::content::{Sources, mark_length};
use crate::model::{Record, SourceId, SourceKind, ThreadKind, Transcript, Warning};
use crate::transcript::build::Builder;
use crate::transcript::document::Document;
use crate::transcript::history::History;
use crate::transcript::json::{Json, parse};
use crate::transcript::lines::{Line, each_line};
use crate::transcript::skim::{End, blank_after, skim};
use crate::transcript::{Input, OpenError};

use super::later::Later;
use super::made::{Made, part_of, shift};
use super::order::{oldest_first, pair};
use super::stream::{is_event, is_last};
use super::summarised::Recaps;
use super::texts::opened;
use super::unwrap::{counts_tokens, exchange, is_around, is_request, is_wrapped};
use super::vendor::spoken;
use super::weave::Weave;
use super::{Dialect, Exchange, Said};

/// Keys under which one value holds a list of requests, or of exchanges.
pub(super) const LISTS: &[&str] = &[OBSERVED, "requests", "data", "logs", "calls"];

/// The key of what a tracer observed in one run, beside what that was given and gave.
const OBSERVED: &str = "observations";

/// Keys of a record that is more than the envelope of a message.
pub(super) const MEANS: &[&str] = &[
    "role",
    "messages",
    "choices",
    "input",
    "output",
    "prompt",
    "request",
    "response",
    "finish_reason",
    "stop_reason",
];

/// Where a browser or a proxy keeps what it recorded (HAR).
pub const HAR: (&str, &str) = ("log", "entries");

/// What a record of the file is.
pub(super) enum Entry {
    /// A request, a response, or both.
    Exchange(Box<Exchange>),
    /// One message; those of the lines around it belong to the same conversation.
    Message(Box<Said>),
    /// Neither.
    Other(String),
}

/// One record of the file, and what is the matter with it.
pub(super) struct Found {
    /// Whose API it is of.
    dialect: &'static Dialect,
    record: Record,
    pub entry: Entry,
    warnings: Vec<String>,
    /// What its bodies were put together to, where they are no JSON as they stand.
    made: Vec<u8>,
}

impl Found {
    fn of(dialect: &'static Dialect, record: Record, entry: Entry) -> Found {
        Found { dialect, record, entry, warnings: Vec::new(), made: Vec::new() }
    }

    /// The exchange that it is, if it is one.
    pub(super) fn exchanged(&self) -> Option<&Exchange> {
        match &self.entry {
            Entry::Exchange(exchange) => Some(exchange),
            _ => None,
        }
    }

    /// The exchange in a value, in the dialect that it is in where it shows, or else that it is none.
    fn exchange<'a>(
        dialect: &'static Dialect,
        record: Record,
        value: &Json<'a>,
        store: super::unwrap::Store<'_, 'a>,
        new: SourceId,
    ) -> Found {
        if counts_tokens(value) {
            return Found::of(dialect, record, Entry::Other("count of tokens".to_owned()));
        }
        if is_around(value) {
            return other(dialect, record, value);
        }
        let mut made = Made::new(new, record.line);
        let Some(text) = opened(value) else { return Found::asked(dialect, record, value, store, made) };
        let inside = made.add(&text);
        let mut found = Found::asked(dialect, record, &parse(&text).0, &|part| part_of(&text, inside, part), made);
        if let Entry::Exchange(exchange) = &mut found.entry {
            exchange.record = record;
        }
        found
    }

    fn asked<'a>(
        dialect: &'static Dialect,
        record: Record,
        value: &Json<'a>,
        store: super::unwrap::Store<'_, 'a>,
        mut made: Made,
    ) -> Found {
        let dialect = spoken(value).unwrap_or(dialect);
        match exchange(dialect, value, store, &mut made) {
            Some(exchange) => {
                Found { made: made.text, ..Found::of(dialect, record, Entry::Exchange(Box::new(exchange))) }
            }
            None => other(dialect, record, value),
        }
    }
}

/// Reads a session in a vendor's dialect.
///
/// # Errors
/// Where the source cannot be read, or the watch is cancelled.
pub fn read(input: Input<'_>, dialect: &'static Dialect) -> Result<Transcript, OpenError> {
    let Input { sources, main, watch, .. } = input;
    let new = SourceId(u32::try_from(sources.list().len()).unwrap_or(u32::MAX));
    let one = whole(sources, main, dialect, new)?;
    let is_one = one.is_some();
    let mut found = match one {
        Some(found) => found,
        None => each_line(sources, main, watch, |line| of_line(dialect, line, new))?.into_iter().flatten().collect(),
    };
    if watch.is_cancelled() {
        return Err(OpenError::Cancelled);
    }
    put_together(sources, main, new, &mut found);
    oldest_first(&mut found);
    pair(&mut found);
    retrieved(&mut found);
    let mut transcript = woven(found, dialect, main, sources);
    if is_one {
        place(&mut transcript, sources, main)?;
    }
    Ok(transcript)
}

/// Puts responses that were asked for again by their ids into the place of what was answered at first: where a model works
/// in the background, the first response has nothing of its answer yet. What is logged twice counts once.
fn retrieved(found: &mut [Found]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    // Whether the request before has no answer yet.
    let mut open = false;
    for at in 0..found.len() {
        let Some((before, [one, ..])) = found.split_at_mut_checked(at) else { return };
        let Entry::Exchange(exchange) = &mut one.entry else { continue };
        let waits = std::mem::replace(&mut open, exchange.asked && exchange.answer.is_none());
        let Some(id) = exchange.answer.as_ref().and_then(|answer| answer.id.clone()) else { continue };
        let known = first.get(&id).and_then(|known| before.get_mut(*known));
        let Some(Found { entry: Entry::Exchange(known), .. }) = known else {
            first.entry(id).or_insert(at);
            continue;
        };
        if exchange.asked {
            if says_the_same(known, exchange) && (exchange.at.is_some() || first.get(&id) == Some(&(at - 1))) {
                one.entry = Entry::Other("call again".to_owned());
            }
            continue;
        }
        // Some servers give all their responses one id: a response on a line of its own is that of the request before it.
        let said = |exchange: &Exchange| exchange.answer.as_ref().is_some_and(|answer| !answer.said.is_empty());
        if waits || said(known) && said(exchange) && answer_of(known) != answer_of(exchange) {
            continue;
        }
        if exchange.answer.as_ref().is_some_and(|answer| !answer.said.is_empty() || answer.usage.is_some()) {
            known.answer = exchange.answer.take();
        }
        one.entry = Entry::Other("response again".to_owned());
    }
}

/// Whether two calls are one that was logged twice.
fn says_the_same(one: &Exchange, other: &Exchange) -> bool {
    let keys = |exchange: &Exchange| -> Vec<u64> {
        let said = exchange.prefix.iter().chain(&exchange.messages);
        said.flat_map(|said| &said.pieces).map(|piece| piece.key).chain(answer_of(exchange)).collect()
    };
    one.asked && one.at == other.at && one.messages.len() == other.messages.len() && keys(one) == keys(other)
}

/// The keys of what an exchange's answer says.
fn answer_of(exchange: &Exchange) -> Vec<u64> {
    let said = exchange.answer.iter().flat_map(|answer| &answer.said);
    said.flat_map(|said| &said.pieces).map(|piece| piece.key).collect()
}

/// The conversations of all vendors whose APIs a log has; first those of the one that was asked most. What is of none
/// belongs to the `first`.
fn woven(found: Vec<Found>, first: &'static Dialect, main: SourceId, sources: &Sources) -> Transcript {
    let mut each: Vec<(&'static Dialect, Vec<Found>)> = Vec::new();
    for one in found {
        let dialect = if matches!(one.entry, Entry::Exchange(_)) { one.dialect } else { first };
        match each.iter_mut().find(|(known, _)| known.format == dialect.format) {
            Some((_, all)) => all.push(one),
            None => each.push((dialect, vec![one])),
        }
    }
    let asked = |all: &[Found]| all.iter().filter(|one| matches!(one.entry, Entry::Exchange(_))).count();
    each.sort_by_key(|(_, all)| std::cmp::Reverse(asked(all)));
    let mut builder = Builder::new(each.first().map_or(first.format, |(dialect, _)| dialect.format));
    for (dialect, found) in each {
        let mut weave = Weave::new(builder, dialect, main);
        let exchanges = || found.iter().filter_map(Found::exchanged);
        weave.later = Later::of(exchanges());
        weave.recaps = Recaps::of(exchanges(), sources);
        for Found { record, entry, warnings, .. } in found {
            for message in warnings {
                weave.warn(Warning { source: record.source, line: record.line, message });
            }
            match entry {
                Entry::Exchange(exchange) => weave.exchange(*exchange, sources),
                Entry::Message(said) => weave.message(*said),
                Entry::Other(kind) => weave.other(&kind),
            }
        }
        builder = weave.finish(sources);
    }
    if builder.transcript.threads.is_empty() {
        builder.transcript.threads.push(History::new(ThreadKind::Main, "main", main).finish());
    }
    builder.finish(sources)
}

/// Makes a source of the bodies that had to be put together, in the order of their records.
fn put_together(sources: &mut Sources, main: SourceId, new: SourceId, found: &mut [Found]) {
    let mut all: Vec<u8> = Vec::new();
    for found in found.iter_mut().filter(|found| !found.made.is_empty()) {
        if let Entry::Exchange(exchange) = &mut found.entry {
            shift(exchange, new, all.len() as u64);
            all.append(&mut found.made);
        }
    }
    if !all.is_empty() {
        let name = sources.info(main).map_or("", |info| info.name.as_str());
        sources.add_memory(format!("{name} (bodies put together)"), SourceKind::Made, all);
    }
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
fn whole(
    sources: &Sources,
    main: SourceId,
    dialect: &'static Dialect,
    new: SourceId,
) -> Result<Option<Vec<Found>>, OpenError> {
    let bytes = sources.bytes(main)?;
    let head = sources.read(main, 0, bytes.len().min(1 << 20))?;
    let mark = mark_length(&head) as u64;
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
    Ok(Some(of_document(dialect, &document, new)))
}

/// Whether a line is a whole object.
fn is_record(line: &[u8]) -> bool {
    let (value, fault) = parse(line);
    value.is_object() && fault.is_none()
}

fn of_document(dialect: &'static Dialect, document: &Document, new: SourceId) -> Vec<Found> {
    let (value, fault) = parse(document.text());
    let store = |part| document.stored(part);
    let pair = matches!(value.items(), [request, response]
        if is_request(dialect, request) && !is_request(dialect, response) && (dialect.answer)(&store(response.raw), response).is_some());
    // A batch is a list of requests under a key; some programs keep what they logged likewise.
    let har = || value.get(HAR.0)?.get(HAR.1);
    let batch = || LISTS.iter().find_map(|key| value.get(key)).or_else(har).filter(|list| list.is_list());
    let observed = value.some(OBSERVED).filter(|list| list.is_list());
    let held = if value.some(dialect.messages).is_some() { None } else { batch() };
    let held = observed.or(held).unwrap_or(&value);
    let is_part = |item: &Json<'_>| item.is_list() || item.is_object() && !is_message(dialect, item);
    let many = !pair
        && (held.items().first().is_some_and(is_part) || held.items().iter().any(|item| is_wrapped(dialect, item)));
    let parts: Vec<&Json<'_>> = if many { held.items().iter().collect() } else { vec![&value] };
    let mut found: Vec<Found> = parts
        .into_par_iter()
        .map(|part| Found::exchange(dialect, document.record(part.raw), part, &store, new))
        .collect();
    let line = |at: usize| document.record(document.text().get(at..).unwrap_or_default()).line;
    let mut say = |record: Record, message: String| {
        found.push(Found { warnings: vec![message], ..Found::of(dialect, record, Entry::Other(String::new())) });
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
fn is_message(dialect: &Dialect, value: &Json<'_>) -> bool {
    value.some("messages").is_none()
        && value.some("choices").is_none()
        && value.some("stop_reason").is_none()
        && value.some("input").is_none_or(|input| input.some("messages").is_none())
        && (value.some("role").is_some()
            || value.some("type").is_some() && value.some("output").is_none_or(|held| !held.is_list()))
        && !is_around(value)
        && !is_wrapped(dialect, value)
}

/// The message that a record is an envelope of, which has nothing else of a conversation.
fn enclosed<'j, 'a>(value: &'j Json<'a>) -> Option<&'j Json<'a>> {
    let inner = value.some("message").filter(|inner| inner.some("role").is_some())?;
    let has = |key: &&str| value.some(key).is_some();
    // What says what an answer cost is a response, unless it names itself a message.
    let answers = ["done", "prompt_eval_count"].iter().any(has) || has(&"usage") && value.str_of("type") != "message";
    (!answers && !MEANS.iter().any(has) && inner.some("messages").is_none()).then_some(inner)
}

fn other(dialect: &'static Dialect, record: Record, value: &Json<'_>) -> Found {
    let kind = value.str_of("type").chars().take(60).collect::<String>();
    let kind = if kind.is_empty() { "no request".to_owned() } else { kind };
    Found::of(dialect, record, Entry::Other(kind))
}

/// What a line holds: one record, or all that was observed in one run.
fn of_line(dialect: &'static Dialect, line: Line<'_>, new: SourceId) -> Vec<Found> {
    let record = line.record;
    let mut warnings = Vec::new();
    if line.too_long {
        warnings.push("the line is too long to read".to_owned());
        return vec![Found { warnings, ..Found::of(dialect, record, Entry::Other(String::new())) }];
    }
    let (value, fault) = parse(line.bytes);
    if let Some(fault) = fault {
        let cut = if line.unfinished { "the last record is not complete" } else { "damaged record" };
        warnings.push(format!("{cut}: {} at byte {}", fault.what, fault.at));
    }
    if std::str::from_utf8(line.bytes).is_err() {
        warnings.push("not UTF-8 throughout".to_owned());
    }
    let part = |part| part_of(line.bytes, record, part);
    let observed = value.some(OBSERVED).map(Json::items).unwrap_or_default();
    let mut found: Vec<Found> = if observed.iter().any(Json::is_object) {
        observed.iter().map(|one| Found::exchange(dialect, part(one.raw).record, one, &part, new)).collect()
    } else {
        vec![in_line(dialect, record, &value, &part, new)]
    };
    if let Some(first) = found.first_mut() {
        first.warnings.append(&mut warnings);
    }
    found
}

/// The one record of a line.
fn in_line<'a>(
    dialect: &'static Dialect,
    record: Record,
    value: &Json<'a>,
    part: super::unwrap::Store<'_, 'a>,
    new: SourceId,
) -> Found {
    let inner = enclosed(value);
    let message = inner.unwrap_or(value);
    let alone = !value.is_list() && is_message(dialect, message) && !is_request(dialect, message);
    if is_event(value) && !is_last(value) {
        other(dialect, record, value)
    } else if alone && !is_event(value) && (inner.is_some() || (dialect.answer)(&part(value.raw), value).is_none()) {
        let said = (dialect.message)(&part(message.raw), message);
        Found::of(dialect, record, Entry::Message(Box::new(said)))
    } else {
        Found::exchange(dialect, record, value, part, new)
    }
}
