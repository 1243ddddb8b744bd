//! One line of a rollout: what it says, before it is known what that means for the window.

use crate::content::{decode_json_string, hash};
use crate::model::{BlockKind, Body, CallKey, Coding, Layer, Role};
use crate::transcript::build::Draft;
use crate::transcript::definitions::definitions;
use crate::transcript::figure::Figures;
use crate::transcript::json::{Json, parse};
use crate::transcript::lines::Line;
use crate::transcript::openai_responses::{Item, item, of_agent};
use crate::transcript::parts::Piece;
use crate::transcript::stored::{Stored, call_key};
use crate::transcript::time::milliseconds;

use super::injected::classify;
use super::usage::{Tokens, tokens};

/// What a line says.
pub(super) struct Entry {
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// Its number in the session, through all files that hold a part of it; versions before 0.14x give none.
    pub ordinal: Option<u64>,
    /// The content.
    pub what: What,
    /// Hashes of the texts of an item of the model's, by which what the screen was told of it is known.
    pub texts: Vec<u64>,
    /// What is the matter with it.
    pub warnings: Vec<String>,
}

/// The kinds of lines.
pub(super) enum What {
    Meta(Box<Meta>),
    Turn(Box<Turn>),
    Item(Item),
    Tokens(Tokens),
    Event(Event),
    Compacted(Box<Compacted>),
    /// Nothing of the window, by type.
    Skip(String),
    /// Not a record at all.
    Damaged,
}

/// What is said of a session.
#[derive(Default)]
pub(super) struct Meta {
    pub id: Option<String>,
    pub folder: Option<String>,
    pub originator: Option<String>,
    pub version: Option<String>,
    /// The system prompt and the definitions of tools.
    pub prefix: Vec<Piece>,
    /// Instructions, which most versions log as a message too.
    pub instructions: Vec<Piece>,
    /// Whether it is a subagent's.
    pub is_subagents: bool,
    /// The number of the first record that is the subagent's own; those before it are copied from its parent.
    pub own_from: Option<u64>,
    /// The history that it goes on from, where that stands in another file.
    pub base: Option<Base>,
}

/// A part of another rollout that a session begins with.
#[derive(Clone)]
pub(super) struct Base {
    /// The rollout, by the id that its name ends in. Untrusted.
    pub rollout: String,
    /// The number of the first record that is no longer a part.
    pub end: Option<u64>,
    /// Bytes of the file that are a part.
    pub bytes: Option<u64>,
}

/// What holds for the requests that follow.
pub(super) struct Turn {
    pub model: Option<String>,
    pub instructions: Vec<Piece>,
}

/// What the program told its screen.
pub(super) enum Event {
    /// Something that a response item says too, right before or right after: a hash of its text.
    Mirror(u64),
    /// A turn begins; the size of the window.
    Started(Option<u64>),
    Complete,
    Aborted,
    /// The model refused the prompt as too long.
    TooLong,
    /// The user took back so many turns.
    RolledBack(u64),
    ReviewBegins,
    ReviewEnds,
    Named(String),
    /// A call began a subagent.
    Began(Box<Began>),
    /// A command ended.
    Ran(Box<Ran>),
}

/// A command that ended, with what it wrote: the model may have been sent less.
pub(super) struct Ran {
    pub call: CallKey,
    pub output: Body,
}

/// A subagent that a call began.
pub(super) struct Began {
    pub call: CallKey,
    /// The subagent's session. Untrusted.
    pub session: String,
}

/// A compaction.
pub(super) struct Compacted {
    /// The summary, where the agent wrote one itself.
    pub message: Option<Body>,
    /// The history that takes the old one's place.
    pub replacement: Option<Vec<Item>>,
}

/// Reads a line.
pub(super) fn entry(line: Line<'_>) -> Entry {
    if line.too_long {
        return damaged("the line is too long to read".to_owned());
    }
    let (value, fault) = parse(line.bytes);
    if let Some(fault) = fault
        && !value.whole
    {
        let cut = if line.unfinished { "the last record is not complete" } else { "damaged record" };
        return damaged(format!("{cut}: {} at byte {}", fault.what, fault.at));
    }
    if !value.is_object() {
        return damaged("not a record: no JSON object".to_owned());
    }
    let mut entry = of_value(&Stored { bytes: line.bytes, record: line.record }, &value);
    if let Some(fault) = fault {
        entry.warnings.push(format!("{} at byte {}", fault.what, fault.at));
    }
    if std::str::from_utf8(line.bytes).is_err() {
        entry.warnings.push("not UTF-8 throughout".to_owned());
    }
    entry
}

fn damaged(warning: String) -> Entry {
    Entry { at: None, ordinal: None, what: What::Damaged, texts: Vec::new(), warnings: vec![warning] }
}

/// Reads a record.
pub(super) fn of_value<'a>(stored: &Stored<'a>, value: &Json<'a>) -> Entry {
    let at = value.get("timestamp").and_then(Json::str).and_then(|text| milliseconds(text.as_bytes()));
    let mut warnings = Vec::new();
    let kind = value.str_of("type");
    let what = match (value.get("payload"), &*kind) {
        (Some(payload), _) if !payload.is_object() => {
            warnings.push(format!("the payload of a {} is no object", kind.chars().take(40).collect::<String>()));
            What::Skip(kind.into_owned())
        }
        (Some(payload), "session_meta") => What::Meta(Box::new(meta(stored, payload))),
        (Some(payload), "turn_context") => What::Turn(Box::new(turn(stored, payload))),
        (Some(payload), "response_item") => What::Item(response_item(stored, payload, &mut warnings)),
        // What versions with subagents of their own log in place of the item that the model is sent.
        (Some(payload), "inter_agent_communication") => What::Item(of_agent(stored, payload)),
        (Some(payload), "event_msg") => event(stored, payload, &mut warnings),
        (Some(payload), "compacted") => What::Compacted(Box::new(compacted(stored, payload, &mut warnings))),
        // Until the middle of 2025 a line was the item itself, the first one the session's.
        (None, "") if value.get("record_type").is_some() => What::Skip("state".to_owned()),
        (None, "") if value.get("id").is_some() && value.get("role").is_none() => {
            What::Meta(Box::new(meta(stored, value)))
        }
        (None, kind) if value.get("role").is_some() || is_item(kind) => {
            What::Item(response_item(stored, value, &mut warnings))
        }
        _ => What::Skip(kind.into_owned()),
    };
    let item = value.get("payload").unwrap_or(value);
    let texts = if matches!(&what, What::Item(item) if item.by_model) { texts_of(item) } else { Vec::new() };
    Entry { at, ordinal: value.count_of("ordinal"), what, texts, warnings }
}

/// Hashes of what a message says, or of the parts of a thought.
fn texts_of(item: &Json<'_>) -> Vec<u64> {
    let parts = ["content", "summary"].iter().filter_map(|key| item.get(key)).flat_map(Json::items);
    parts.filter_map(|part| part.get("text")?.text()).map(|text| hash(text, Coding::Json)).collect()
}

fn is_item(kind: &str) -> bool {
    ["message", "reasoning", "compaction"].contains(&kind) || kind.ends_with("_call") || kind.ends_with("_call_output")
}

fn string(value: &Json<'_>, key: &str) -> Option<String> {
    value.get(key).and_then(Json::str).filter(|text| !text.is_empty()).map(std::borrow::Cow::into_owned)
}

fn meta<'a>(stored: &Stored<'a>, value: &Json<'a>) -> Meta {
    let mut prefix = Vec::new();
    let base = value.some("base_instructions").map(|base| base.get("text").unwrap_or(base));
    if let Some(text) = base.and_then(Json::text).filter(|text| !text.is_empty()) {
        let body = stored.text(text, Coding::Json);
        prefix.push(Piece::new(Draft::new(BlockKind::Text, Layer::System, body).label("base instructions")));
    }
    if let Some(tools) = value.some("dynamic_tools") {
        prefix.extend(definitions(stored, tools));
    }
    Meta {
        id: string(value, "id"),
        folder: string(value, "cwd"),
        originator: string(value, "originator"),
        version: string(value, "cli_version"),
        prefix,
        instructions: instructions(stored, value, &["instructions"]),
        is_subagents: string(value, "parent_thread_id").is_some()
            || value.some("source").is_some_and(|source| source.some("subagent").is_some()),
        own_from: value.count_of("subagent_history_start_ordinal"),
        base: value.some("history_base").and_then(goes_on_from),
    }
}

fn goes_on_from(value: &Json<'_>) -> Option<Base> {
    let (end, bytes) = (value.count_of("end_ordinal_exclusive"), value.count_of("end_byte_offset"));
    Some(Base { rollout: string(value, "thread_id")?, end, bytes })
}

fn instructions<'a>(stored: &Stored<'a>, value: &Json<'a>, keys: &[&str]) -> Vec<Piece> {
    let texts = keys.iter().filter_map(|key| Some((*key, value.get(key)?.text().filter(|text| !text.is_empty())?)));
    texts
        .map(|(key, text)| {
            let body = stored.text(text, Coding::Json);
            Piece::new(Draft::new(BlockKind::Text, Layer::Instructions, body).label(key))
        })
        .collect()
}

fn turn<'a>(stored: &Stored<'a>, value: &Json<'a>) -> Turn {
    Turn {
        model: string(value, "model"),
        instructions: instructions(stored, value, &["user_instructions", "developer_instructions"]),
    }
}

fn response_item<'a>(stored: &Stored<'a>, value: &Json<'a>, warnings: &mut Vec<String>) -> Item {
    let mut item = item(stored, value);
    if item.name == "message" {
        for piece in &mut item.pieces {
            let span = piece.draft.body.spans().next();
            if let Some(begins) = span.and_then(|span| stored.part(span)) {
                classify(piece, item.role, begins);
            }
        }
    }
    let unknown = std::mem::take(&mut item.unknown);
    warnings.extend(unknown);
    item
}

fn compacted<'a>(stored: &Stored<'a>, value: &Json<'a>, warnings: &mut Vec<String>) -> Compacted {
    if value.some("message").is_some_and(|message| message.text().is_none()) {
        warnings.push("the message of a compaction is no text: it is not read".to_owned());
    }
    match value.some("replacement_history") {
        Some(history) if !history.is_list() => {
            warnings.push("replacement_history is no list: the window is put together as the agent does".to_owned());
        }
        Some(history) if history.items().iter().any(|item| !item.is_object()) => {
            warnings.push("items of replacement_history that are no objects are left out".to_owned());
        }
        _ => {}
    }
    let message = value.get("message").filter(|message| message.text().is_some_and(|text| !text.is_empty()));
    let replacement = value.some("replacement_history").filter(|history| history.is_list()).map(|history| {
        let items: Vec<&Json> = history.items().iter().filter(|item| item.is_object()).collect();
        // The summary stands behind all that was kept, which may say the same.
        let last = items.iter().rposition(|one| is_summary(one, message));
        let item = |(at, one): (usize, &&Json)| summary_in(Some(at) == last, response_item(stored, one, warnings));
        items.iter().enumerate().map(item).collect()
    });
    Compacted { message: message.map(|message| stored.value(message)), replacement }
}

/// Whether a message of those that take the history's place says what the summary does.
fn is_summary(value: &Json<'_>, message: Option<&Json<'_>>) -> bool {
    let summary = message.and_then(Json::text);
    let only = value.get("content").map(Json::items).unwrap_or_default();
    value.str_of("role") == "user"
        && summary.is_some()
        && only.len() == 1
        && only.first().and_then(|part| part.get("text")?.text()) == summary
}

/// A message as the one that holds the summary, where it does.
fn summary_in(is_summary: bool, mut item: Item) -> Item {
    if is_summary && item.role == Role::User && !item.by_model {
        for piece in &mut item.pieces {
            piece.draft.kind = BlockKind::Summary;
            piece.draft.layer = Layer::Summaries;
            piece.draft.label = "summary".to_owned();
        }
    }
    item
}

fn event<'a>(stored: &Stored<'a>, value: &Json<'a>, warnings: &mut Vec<String>) -> What {
    let kind = value.str_of("type");
    let event = match &*kind {
        "token_count" => {
            let mut figures = Figures::default();
            let found = value.some("info").and_then(|info| tokens(info, &mut figures));
            warnings.append(&mut figures.faults);
            return found.map_or_else(|| What::Skip("event_msg.token_count".to_owned()), What::Tokens);
        }
        "agent_reasoning" | "agent_message" | "agent_reasoning_raw_content" => {
            let told = value.some("text").or_else(|| value.some("message")).and_then(Json::text);
            Event::Mirror(hash(told.unwrap_or_default(), Coding::Json))
        }
        "task_started" | "turn_started" => {
            let mut figures = Figures::default();
            let window = value.figure(&["model_context_window"], &mut figures).filter(|window| *window > 0);
            warnings.append(&mut figures.faults);
            Event::Started(window)
        }
        "task_complete" | "turn_complete" => Event::Complete,
        "turn_aborted" => Event::Aborted,
        "thread_rolled_back" => Event::RolledBack(value.count_of("num_turns").unwrap_or(0)),
        "entered_review_mode" => Event::ReviewBegins,
        "exited_review_mode" => Event::ReviewEnds,
        "thread_name_updated" => match string(value, "thread_name") {
            Some(name) => Event::Named(name),
            None => return What::Skip("event_msg.thread_name_updated".to_owned()),
        },
        "sub_agent_activity" if value.str_of("kind") == "started" => {
            match string(value, "event_id").zip(string(value, "agent_thread_id")) {
                Some((call, session)) => Event::Began(Box::new(Began { call: call_key(&call), session })),
                None => return What::Skip("event_msg.sub_agent_activity".to_owned()),
            }
        }
        "exec_command_end" => match string(value, "call_id").zip(output(stored, value)) {
            Some((call, output)) => Event::Ran(Box::new(Ran { call: call_key(&call), output })),
            None => return What::Skip("event_msg.exec_command_end".to_owned()),
        },
        "error" | "stream_error" if too_long(value) => Event::TooLong,
        other => return What::Skip(format!("event_msg.{other}")),
    };
    What::Event(event)
}

/// What a command wrote: its output and its errors as they came, else the one or the other.
fn output<'a>(stored: &Stored<'a>, value: &Json<'a>) -> Option<Body> {
    let text = |key: &str| value.get(key).and_then(Json::text).filter(|text| !text.is_empty());
    let both: Vec<_> = ["stdout", "stderr"].iter().filter_map(|key| Some((text(key)?, Coding::Json))).collect();
    match text("aggregated_output") {
        Some(all) => Some(stored.text(all, Coding::Json)),
        None => (!both.is_empty()).then(|| stored.texts(&both)),
    }
}

fn too_long(value: &Json<'_>) -> bool {
    value.str_of("codex_error_info") == "context_window_exceeded"
        || value
            .get("message")
            .and_then(Json::text)
            .is_some_and(|text| decode_json_string(text).contains("ran out of room in the model's context window"))
}
