//! One item of the Responses API: what goes in and comes out of a model, in order. Codex logs the same items.

use std::borrow::Cow;

use crate::content::hash;
use crate::model::{BlockKind, Body, CallKey, Coding, Layer, Role};
use crate::transcript::build::Draft;
use crate::transcript::definitions::found_definitions;
use crate::transcript::json::{Json, Kind};
use crate::transcript::openai_content::content;
use crate::transcript::parts::{Parts, Piece, unknown_type};
use crate::transcript::stored::{Stored, call_key};

use super::outcome;

/// One item.
pub struct Item {
    /// Whether the model wrote it.
    pub by_model: bool,
    /// Who speaks.
    pub role: Role,
    /// Its blocks. None for what carries nothing of the window.
    pub pieces: Vec<Piece>,
    /// Its type.
    pub name: String,
    /// What is not understood, in words.
    pub unknown: Vec<String>,
}

/// Types that never reach the model.
const SILENT: &[&str] = &["ghost_snapshot", "additional_tools_marker", "compaction_trigger"];

/// What another agent wrote to this one.
pub const AGENT_MESSAGE: &str = "agent_message";

/// Bytes that an encrypted text has at the least.
const CIPHERTEXT: usize = 64;

/// Reads an item.
pub fn item<'a>(stored: &Stored<'a>, value: &Json<'a>) -> Item {
    let mut name = value.str_of("type").into_owned();
    if name.is_empty() && value.get("role").is_some() {
        "message".clone_into(&mut name);
    }
    let mut parts = Parts::default();
    let (by_model, role) = match name.as_str() {
        "message" => message(stored, value, &mut parts),
        "reasoning" => {
            reasoning(stored, value, &mut parts);
            (true, Role::Assistant)
        }
        "compaction" | "compaction_summary" | "context_compaction" => {
            let opaque = value.get("encrypted_content").and_then(Json::text);
            let mut piece = Piece::hidden(BlockKind::Summary, Layer::Summaries, stored, opaque);
            // A log may have blanked them all alike; then its name tells one from another.
            if opaque.is_none_or(|opaque| opaque.len() < CIPHERTEXT)
                && let Some(id) = value.some("id").and_then(Json::text)
            {
                piece.key ^= hash(id, Coding::Json);
            }
            parts.pieces.push(piece);
            (false, Role::Assistant)
        }
        AGENT_MESSAGE => {
            agent_message(stored, value, &mut parts);
            (false, Role::User)
        }
        "additional_tools" => {
            parts.pieces = value.get("tools").map(|tools| found_definitions(stored, tools)).unwrap_or_default();
            (false, Role::Developer)
        }
        "item_reference" => {
            let id = value.get("id").and_then(Json::text);
            let mut piece = Piece::hidden(BlockKind::Text, Layer::Assistant, stored, id);
            piece.draft.label = "item_reference".to_owned();
            parts.pieces.push(piece);
            (false, Role::Assistant)
        }
        name if SILENT.contains(&name) => (false, Role::User),
        name if is_output(name) => {
            output(stored, value, name, &mut parts);
            (false, Role::Tool)
        }
        name if name.ends_with("_call") || name.starts_with("mcp_") => {
            call(stored, value, name, &mut parts);
            (true, Role::Assistant)
        }
        other => {
            parts.unknown.push(unknown_type(other));
            let draft = Draft::new(BlockKind::Text, Layer::User, stored.raw(value));
            parts.pieces.push(Piece::new(draft.label(other)));
            (false, Role::User)
        }
    };
    Item { by_model, role, pieces: parts.pieces, name, unknown: parts.unknown }
}

/// Reads what another agent wrote to this one, whatever its record is called.
pub fn of_agent<'a>(stored: &Stored<'a>, value: &Json<'a>) -> Item {
    let mut parts = Parts::default();
    agent_message(stored, value, &mut parts);
    let name = AGENT_MESSAGE.to_owned();
    Item { by_model: false, role: Role::User, pieces: parts.pieces, name, unknown: parts.unknown }
}

fn agent_message<'a>(stored: &Stored<'a>, value: &Json<'a>, parts: &mut Parts) {
    if let Some(value) = value.get("content") {
        content(stored, value, BlockKind::Text, Layer::Notices, parts);
    }
    if let Some(opaque) = value.some("encrypted_content").and_then(Json::text) {
        parts.pieces.push(Piece::hidden(BlockKind::Text, Layer::Notices, stored, Some(opaque)));
    }
    let from = value.some("author").or_else(|| value.some("sender")).and_then(Json::str);
    label(parts, &from.unwrap_or(Cow::Borrowed("agent message")));
}

fn is_output(name: &str) -> bool {
    name.ends_with("_output") || name == "mcp_approval_response"
}

fn label(parts: &mut Parts, label: &str) {
    for piece in &mut parts.pieces {
        if piece.draft.label.is_empty() {
            label.clone_into(&mut piece.draft.label);
        }
    }
}

fn message<'a>(stored: &Stored<'a>, value: &Json<'a>, parts: &mut Parts) -> (bool, Role) {
    let (role, layer) = match &*value.str_of("role") {
        "assistant" => (Role::Assistant, Layer::Assistant),
        "system" => (Role::System, Layer::System),
        "developer" => (Role::Developer, Layer::System),
        "tool" => (Role::Tool, Layer::ToolResults),
        _ => (Role::User, Layer::User),
    };
    if let Some(value) = value.get("content") {
        content(stored, value, BlockKind::Text, layer, parts);
    }
    (role == Role::Assistant, role)
}

/// Reasoning. Where it is encrypted the model is sent that, not the summary, which a person reads.
fn reasoning<'a>(stored: &Stored<'a>, value: &Json<'a>, parts: &mut Parts) {
    let texts = |key: &str| -> Vec<(&'a [u8], Coding)> {
        let items = value.get(key).map(Json::items).unwrap_or_default();
        items.iter().filter_map(|part| Some((part.get("text")?.text()?, Coding::Json))).collect()
    };
    let (clear, summary) = (texts("content"), texts("summary"));
    let opaque = value.get("encrypted_content").and_then(Json::text);
    let piece = match (clear.is_empty(), opaque, summary.is_empty()) {
        (false, ..) => Piece::new(Draft::new(BlockKind::Thinking, Layer::Thinking, stored.texts(&clear))),
        (true, None, false) => Piece::new(Draft::new(BlockKind::Thinking, Layer::Thinking, stored.texts(&summary))),
        (true, opaque, without) => {
            let mut piece = Piece::hidden(BlockKind::Thinking, Layer::Thinking, stored, opaque);
            piece.draft.original = (!without).then(|| Box::new(stored.texts(&summary)));
            piece
        }
    };
    parts.pieces.push(piece);
}

/// The call that an item makes or answers.
fn key_of(value: &Json<'_>) -> Option<CallKey> {
    let id = value.some("call_id").or_else(|| value.some("approval_request_id")).or_else(|| value.some("id"))?;
    id.str().filter(|id| !id.is_empty()).map(|id| call_key(&id))
}

fn call<'a>(stored: &Stored<'a>, value: &Json<'a>, name: &str, parts: &mut Parts) {
    let tool = match (value.some("name").and_then(Json::str), value.some("namespace").and_then(Json::str)) {
        (Some(tool), Some(space)) => format!("{space}.{tool}"),
        (Some(tool), None) => tool.into_owned(),
        (None, _) => name.trim_end_matches("_call").to_owned(),
    };
    let asked = ["arguments", "input", "action", "code", "queries", "operation", "tools"]
        .iter()
        .find_map(|key| value.some(key))
        .map_or_else(|| stored.value(bare(value)), |asked| stored.value(asked));
    let key = key_of(value);
    parts
        .pieces
        .push(Piece::new(Draft::new(BlockKind::ToolCall, Layer::ToolCalls, asked).label(tool.as_str()).call(key)));
    // What the provider ran itself is answered in the same item.
    let answered = ["output", "outputs", "results", "error"].iter().find_map(|key| value.some(key));
    let before = parts.pieces.len();
    match answered {
        // What a program printed and drew.
        Some(answer) if name == "code_interpreter_call" => {
            content(stored, answer, BlockKind::ToolResult, Layer::ToolResults, parts);
        }
        Some(answer) => {
            let draft = Draft::new(BlockKind::ToolResult, Layer::ToolResults, stored.value(answer));
            parts.pieces.push(Piece::new(draft));
        }
        None => {}
    }
    if let Some(picture) = value.some("result").and_then(Json::text).filter(|picture| !picture.is_empty()) {
        let format = value.str_of("output_format");
        let mime = format!("image/{}", if format.is_empty() { "png" } else { &*format });
        let named = [&b"data:"[..], b"http:", b"https:"].iter().any(|begin| picture.starts_with(begin));
        let body = if named { stored.url(&mime, picture) } else { stored.base64(&mime, picture) };
        parts.pieces.push(Piece::new(Draft::new(BlockKind::Image, Layer::ToolResults, body)));
    }
    for piece in parts.pieces.iter_mut().skip(before) {
        tool.clone_into(&mut piece.draft.label);
        piece.draft.call = key;
    }
}

/// What stands for a call without arguments: what it says it did, else the item, unless that holds a picture.
fn bare<'j, 'a>(value: &'j Json<'a>) -> &'j Json<'a> {
    if value.some("result").is_none() {
        return value;
    }
    ["revised_prompt", "prompt", "status", "type"].iter().find_map(|key| value.some(key)).unwrap_or(value)
}

fn output<'a>(stored: &Stored<'a>, value: &Json<'a>, name: &str, parts: &mut Parts) {
    let (kind, layer) = (BlockKind::ToolResult, Layer::ToolResults);
    let answer = ["output", "tools", "content", "approve"].iter().find_map(|key| value.get(key)).unwrap_or(value);
    // Once an object that holds the content and says whether it went well.
    let inner = answer.get("content").filter(|_| answer.get("type").is_none()).unwrap_or(answer);
    match &inner.kind {
        Kind::List(items) if items.iter().any(|item| item.get("type").is_none()) || name == "tool_search_output" => {
            parts.pieces.push(Piece::new(Draft::new(kind, layer, stored.value(inner))));
        }
        _ => content(stored, inner, kind, layer, parts),
    }
    if parts.pieces.is_empty() {
        let empty = inner.raw.get(..0).unwrap_or_default();
        parts.pieces.push(Piece::new(Draft::new(kind, layer, stored.text(empty, Coding::Plain))));
    }
    let failed =
        answer.get("success").or_else(|| value.get("success")).is_some_and(|flag| flag.kind == Kind::Bool(false))
            || matches!(&*value.str_of("status"), "failed");
    let key = key_of(value);
    let mut cut_before = false;
    for piece in &mut parts.pieces {
        piece.draft.call = key;
        piece.draft.error = failed;
        if let Body::Text { spans, .. } = &piece.draft.body {
            let bytes = spans.first().and_then(|span| stored.part(*span)).unwrap_or_default();
            piece.draft.error |= outcome::failed(bytes);
            if !cut_before {
                piece.draft.cut = outcome::cut(bytes).map(Box::new);
                cut_before = piece.draft.cut.is_some();
            }
        }
    }
}
