//! Blocks of recorded requests as the JSON that they are, where they are packed for the same API again, and the marks
//! for a cache among them.
//!
//! Of a block a window knows what every format has. Packed for the same API again, a block that is whole goes out as it
//! came in: tools that servers run, citations, titles, ids of files, the detail of a picture and all.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::content::{ContentError, Sources, steers_terminal};
use crate::model::{Block, BlockKind, Breakpoint, CallKey, Coding, Fate, Made, Run, SourceId, Span, Transcript};
use crate::transcript::json::{Json, parse};
use crate::transcript::{ANTHROPIC_MESSAGES, OPENAI_CHAT, blocks_of};

use super::Form;
use super::gather::{Item, What};
use super::quote::{Reader, Text};

/// Larger records are not searched.
const RECORD_MAX: u64 = 64 << 20;
/// The API takes so many breakpoints.
const BREAKPOINTS_MAX: usize = 4;

/// A block as it was recorded.
#[derive(Clone, Debug)]
pub struct Whole {
    /// Its type.
    pub kind: String,
    /// The call that it makes or answers.
    pub id: String,
    /// All of it; without marks for a cache, unless it is `marked`.
    pub json: Text,
    /// Whether it holds the marks that the request has there.
    pub marked: bool,
}

impl Whole {
    /// Whether a breakpoint may stand on it.
    #[must_use]
    pub fn takes_breakpoint(&self) -> bool {
        matches!(
            &*self.kind,
            "text" | "image" | "document" | "search_result" | "tool_use" | "tool_result" | "container_upload"
        )
    }

    /// Whether a server makes this call.
    fn is_served(&self) -> bool {
        matches!(&*self.kind, "server_tool_use" | "mcp_tool_use")
    }

    /// Whether a server answered with this.
    fn is_from_server(&self) -> bool {
        self.kind != "tool_result" && self.kind.ends_with("_tool_result")
    }
}

/// An element of a request: a block of a message, or the definition of a tool.
struct Element {
    place: Range<u64>,
    kind: String,
    id: String,
    /// How many blocks of the window it is.
    blocks: usize,
    /// Marks for a cache: the members with their commas, and the values alone.
    marks: Vec<(Range<u64>, Range<u64>)>,
}

/// How an API's requests hold what a window holds.
struct Wire {
    /// The format that records them.
    format: &'static str,
    /// Members of a message or a request whose elements are blocks; those of definitions last.
    lists: &'static [&'static str],
    /// Whether an element is of a type that is known, and says nothing that the API refuses.
    is_sound: fn(&Json<'_>) -> bool,
    /// How many blocks of a window an element is.
    blocks: fn(&Json<'_>) -> usize,
    /// Whether messages name who speaks.
    names: bool,
}

const ANTHROPIC: Wire = Wire {
    format: ANTHROPIC_MESSAGES.name,
    lists: &["content", TOOLS],
    is_sound: is_sound_block,
    blocks: blocks_of,
    names: false,
};
const OPENAI: Wire = Wire {
    format: OPENAI_CHAT.name,
    lists: &["content", "tool_calls", TOOLS],
    is_sound: is_sound_part,
    blocks: |_| 1,
    names: true,
};
const TOOLS: &str = "tools";

/// What a record holds.
struct Held {
    elements: Vec<Element>,
    /// Who speaks, as a JSON string.
    name: Option<Range<u64>>,
}

/// Where a record stands.
type Place = (SourceId, u64, u64);

/// Sets marks where the recorded request had them, and says of blocks that are whole how they were recorded. Of the
/// items that such a block was read as, the first stays for all.
///
/// # Errors
/// Where a source cannot be read.
pub fn as_recorded(
    mut items: Vec<Item>,
    transcript: &Transcript,
    sources: &Sources,
    run: &Run,
    step: u32,
    form: Form,
) -> Result<Vec<Item>, ContentError> {
    let reader = Reader { transcript, sources, run };
    let marks = run.breakpoints(transcript, step);
    let marks = marks.get(marks.len().saturating_sub(BREAKPOINTS_MAX)..).unwrap_or_default();
    for item in &mut items {
        let shown = run.entry(item.entry).and_then(|entry| entry.block());
        let mark = marks.iter().rev().find(|mark| mark.block.is_some() && mark.block == shown);
        if let (Some(mark), Some(block)) = (mark, shown.and_then(|id| transcript.block(id))) {
            item.mark = mark_of(reader.span(mark.span, block.record, item.entry)?);
        }
    }
    let wire = if form == Form::Anthropic { ANTHROPIC } else { OPENAI };
    if transcript.format != wire.format {
        return Ok(items);
    }
    let mut records: HashMap<Place, Held> = HashMap::new();
    let mut found = Vec::with_capacity(items.len());
    let mut rest = items.into_iter().peekable();
    while let Some(mut item) = rest.next() {
        let Some((block, record)) = block_of(transcript, run, &item) else {
            found.push(item);
            continue;
        };
        let held = records.entry(record).or_insert_with(|| held(&wire, sources, record));
        if let Some(name) = held.name.clone().filter(|_| wire.names) {
            let span = Span { source: block.record.source, start: name.start, end: name.end, coding: Coding::Plain };
            item.name = Some(tame(reader.span(span, block.record, item.entry)?));
        }
        let Some(element) = around(&held.elements, block) else {
            found.push(item);
            continue;
        };
        // The other items of the same element, where they follow.
        let mut group = Vec::new();
        while let Some(next) = rest.next_if(|next| {
            let other = block_of(transcript, run, next).filter(|(_, place)| *place == record);
            other.is_some_and(|(other, _)| element.place.contains(&start(other)))
        }) {
            group.push(next);
        }
        if group.len() + 1 == element.blocks {
            let entries = [item.entry].into_iter().chain(group.iter().map(|item| item.entry));
            let blocks: Vec<_> = entries.filter_map(|id| run.entry(id)?.block()).collect();
            let asked = marks.iter().filter(|mark| mark.block.is_some_and(|block| blocks.contains(&block)));
            item.whole = whole(&reader, &item, block, element, asked)?;
        }
        if item.whole.is_some() {
            item.mark = group.iter().rev().find_map(|next| next.mark.clone()).or(item.mark.take());
            item.stable &= group.iter().all(|next| next.stable);
            found.push(item);
        } else {
            found.push(item);
            found.append(&mut group);
        }
    }
    pair(&mut found, transcript);
    Ok(found)
}

/// The block that an item shows whole, and the record that holds it.
fn block_of<'a>(transcript: &'a Transcript, run: &Run, item: &Item) -> Option<(&'a Block, Place)> {
    let entry = run.entry(item.entry).filter(|entry| entry.fate == Fate::Verbatim)?;
    let [Made::Block(id)] = &entry.content[..] else { return None };
    let block = transcript.block(*id).filter(|block| block.layer == entry.layer && block.original.is_none())?;
    let record = block.record;
    (record.end.saturating_sub(record.start) <= RECORD_MAX)
        .then_some((block, (record.source, record.start, record.end)))
}

fn start(block: &Block) -> u64 {
    block.body.spans().next().map_or(u64::MAX, |span| span.start)
}

fn around<'e>(elements: &'e [Element], block: &Block) -> Option<&'e Element> {
    let at = start(block);
    let after = elements.partition_point(|element| element.place.start <= at);
    after.checked_sub(1).and_then(|index| elements.get(index)).filter(|element| element.place.contains(&at))
}

/// The elements of a record that a block can be written from, by place.
fn held(wire: &Wire, sources: &Sources, (source, from, to): Place) -> Held {
    let Ok(bytes) = sources.read(source, from, to) else { return Held { elements: Vec::new(), name: None } };
    let (value, _) = parse(&bytes);
    let offset = |part: &[u8]| from + (part.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize) as u64;
    let place = |part: &[u8]| offset(part)..offset(part) + part.len() as u64;
    let mut found = Vec::new();
    // A result is a message of its own there, and is written by its call.
    let is_result = matches!(&*value.str_of("role"), "tool" | "function");
    for key in wire.lists.iter().filter(|_| !is_result) {
        let is_tool = *key == TOOLS;
        for part in value.get(key).map(Json::items).unwrap_or_default() {
            if !(part.is_object() && part.whole && (is_tool || (wire.is_sound)(part))) {
                continue;
            }
            let mut marks = Vec::new();
            marks_in(part, 0, &mut |cut: &[u8], mark: &[u8]| marks.push((place(cut), place(mark))));
            let id = if part.some("tool_use_id").is_some() { "tool_use_id" } else { "id" };
            found.push(Element {
                place: place(part.raw),
                kind: part.str_of("type").into_owned(),
                id: part.str_of(id).into_owned(),
                blocks: if is_tool { 1 } else { (wire.blocks)(part) },
                marks,
            });
        }
    }
    found.sort_by_key(|element| element.place.start);
    let named = value.some("name").filter(|name| !is_result && name.str().is_some_and(|name| !name.trim().is_empty()));
    Held { elements: found, name: named.map(|name| place(name.raw)) }
}

/// The same of OpenAI's parts and calls.
fn is_sound_part(part: &Json<'_>) -> bool {
    let arguments = |call: &Json<'_>| {
        let text = call.get("arguments").and_then(Json::str).unwrap_or_default();
        parse(text.as_bytes()).0.is_object() && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok()
    };
    match &*part.str_of("type") {
        "text" => !part.str_of("text").trim().is_empty(),
        "refusal" => !part.str_of("refusal").trim().is_empty(),
        "image_url" | "input_audio" | "file" => true,
        "function" => part.get("function").is_some_and(arguments),
        "custom" => part.get("custom").and_then(|call| call.get("input")).and_then(Json::text).is_some(),
        _ => false,
    }
}

/// Whether a block is of a type that is known, and says nothing that the API refuses. Reasoning is written from its
/// signature.
fn is_sound_block(part: &Json<'_>) -> bool {
    let blank = |text: &Json<'_>| text.str_of("text").trim().is_empty();
    match &*part.str_of("type") {
        "text" => !blank(part),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => part.get("input").is_some_and(Json::is_object),
        "tool_result" => {
            let content = part.get("content").map(Json::items).unwrap_or_default();
            !content.iter().any(|inner| inner.str_of("type") == "text" && blank(inner))
        }
        "image" | "document" | "search_result" | "container_upload" | "compaction" => true,
        other => other.ends_with("_tool_result"),
    }
}

/// Calls `say` for each mark for a cache on a part or on those within it: the member with one comma, the value alone.
fn marks_in<'a>(part: &Json<'a>, depth: usize, say: &mut impl FnMut(&'a [u8], &'a [u8])) {
    let members = part.members();
    let within = |from: usize, to: usize| {
        let base = part.raw.as_ptr() as usize;
        part.raw.get(from.saturating_sub(base)..to.saturating_sub(base)).unwrap_or_default()
    };
    let end = |value: &[u8]| value.as_ptr() as usize + value.len();
    // A key is kept without its quotes.
    let key = |key: &[u8]| (key.as_ptr() as usize).saturating_sub(1);
    for (index, (name, value)) in members.iter().enumerate().filter(|(_, (name, _))| *name == b"cache_control") {
        let before = index.checked_sub(1).and_then(|before| members.get(before));
        let cut = match (before, members.get(index + 1)) {
            (Some((_, before)), _) => within(end(before.raw), end(value.raw)),
            (None, Some((next, _))) => within(key(name), key(next)),
            (None, None) => within(key(name), end(value.raw)),
        };
        say(cut, value.raw);
    }
    let source = part.get("source").and_then(|source| source.get("content"));
    for inner in part.get("content").into_iter().chain(source).flat_map(Json::items).filter(|_| depth == 0) {
        marks_in(inner, depth + 1, say);
    }
}

fn whole<'m>(
    reader: &Reader<'_>,
    item: &Item,
    block: &Block,
    element: &Element,
    asked: impl Iterator<Item = &'m Breakpoint>,
) -> Result<Option<Whole>, ContentError> {
    let Range { start, end } = element.place;
    let span = Span { source: block.record.source, start, end, coding: Coding::Plain };
    let text = reader.span(span, block.record, item.entry)?;
    let joined = text.joined();
    // What is no UTF-8 was replaced, so that places in it are no longer true.
    if joined.len() as u64 != span.len() || serde_json::from_str::<serde::de::IgnoredAny>(&joined).is_err() {
        return Ok(None);
    }
    let asked: HashSet<(u64, u64)> = asked.map(|mark| (mark.span.start, mark.span.end)).collect();
    let own: HashSet<(u64, u64)> = element.marks.iter().map(|(_, mark)| (mark.start, mark.end)).collect();
    let marked = !own.is_empty() && own == asked;
    let inside = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX);
    let mut json = Text::default();
    let mut from = 0;
    for (cut, _) in element.marks.iter().filter(|_| !marked) {
        json.push(text.slice(from, inside(cut.start)));
        from = inside(cut.end);
    }
    json.push(text.slice(from, joined.len()));
    let json = tame(json);
    Ok(Some(Whole { kind: element.kind.clone(), id: element.id.clone(), json, marked }))
}

/// A recorded mark for a cache, where it is one that the API takes.
pub fn mark_of(json: Text) -> Option<Text> {
    let value: serde_json::Value = serde_json::from_str(&json.joined()).ok()?;
    (value.get("type")?.as_str()? == "ephemeral").then(|| tame(json))
}

/// JSON with what could steer a terminal escaped: between values it is white space, within strings any character can be
/// written so.
fn tame(json: Text) -> Text {
    let joined = json.joined();
    let mut tamed = Text::default();
    let mut from = 0;
    for (at, sign) in joined.char_indices().filter(|(_, sign)| *sign != '\n' && steers_terminal(*sign)) {
        tamed.push(json.slice(from, at));
        let mut units = [0; 2];
        let escaped = sign.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
        tamed.push(Text::made(if sign.is_ascii_whitespace() { " ".to_owned() } else { escaped }));
        from = at + sign.len_utf8();
    }
    if from == 0 {
        return json;
    }
    tamed.push(json.slice(from, joined.len()));
    tamed
}

/// The API refuses half of a call and its answer: where either is not whole, neither is written as it was.
fn pair(items: &mut [Item], transcript: &Transcript) {
    let key = |item: &Item| match &item.what {
        What::Call { key, .. } | What::Result { key, .. } => *key,
        _ => None,
    };
    let of = |is: fn(&Whole) -> bool| -> HashSet<CallKey> {
        items.iter().filter(|item| item.whole.as_ref().is_some_and(is)).filter_map(key).collect()
    };
    let (called, answered) = (of(Whole::is_served), of(Whole::is_from_server));
    // A turn that was paused ends with a call that is not answered yet.
    let paused = |call: CallKey| {
        let is_answer = |block: &Block| block.kind == BlockKind::ToolResult && block.call == Some(call);
        !transcript.blocks.iter().any(is_answer)
    };
    for item in items {
        let call = key(item);
        let is_half = match &item.whole {
            Some(whole) if whole.is_served() => call.is_none_or(|key| !answered.contains(&key) && !paused(key)),
            Some(whole) if whole.is_from_server() => call.is_none_or(|key| !called.contains(&key)),
            _ => false,
        };
        if is_half {
            item.whole = None;
        }
    }
}
