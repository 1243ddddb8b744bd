//! Definitions of tools, one block each: flat, wrapped in `function`, grouped, or an MCP server's list; and that of the
//! form which answers must have.

use crate::model::{BlockKind, Coding, Layer};

use super::build::Draft;
use super::json::Json;
use super::parts::{Parts, Piece};
use super::stored::Stored;

/// The definitions of a list that the model is given. Those that it finds by a search of its own come in with what that
/// answers.
pub fn definitions<'a>(stored: &Stored<'a>, tools: &Json<'a>) -> Vec<Piece> {
    let mut parts = Parts::default();
    for tool in tools.items().iter().filter(|tool| tool.whole && !is_deferred(tool)) {
        let inner = tool.get("tools").map(Json::items).unwrap_or_default();
        if !inner.iter().any(is_deferred) {
            define(stored, tool, &mut parts);
            continue;
        }
        // Of a group the model is told what it is for, and what of it is not left out.
        if let Some(text) = tool.get("description").and_then(Json::text).filter(|text| !text.is_empty()) {
            let draft = Draft::new(BlockKind::Definition, Layer::Tools, stored.text(text, Coding::Json));
            parts.pieces.push(Piece::new(draft.label(name_of(tool))));
        }
        inner.iter().filter(|tool| tool.whole && !is_deferred(tool)).for_each(|tool| define(stored, tool, &mut parts));
    }
    parts.pieces
}

/// The definitions that a search has found.
pub fn found_definitions<'a>(stored: &Stored<'a>, tools: &Json<'a>) -> Vec<Piece> {
    let mut parts = Parts::default();
    tools.items().iter().filter(|tool| tool.whole).for_each(|tool| define(stored, tool, &mut parts));
    parts.pieces
}

fn define<'a>(stored: &Stored<'a>, tool: &Json<'a>, parts: &mut Parts) {
    let body = stored.raw(tool);
    let draft = Draft::new(BlockKind::Definition, Layer::Tools, body).label(name_of(tool));
    let before = parts.pieces.len();
    parts.pieces.push(Piece::new(draft));
    parts.mark(stored, tool, before);
}

/// Whether a tool is left for the model to search for (`defer_loading`; Codex writes `deferLoading`).
fn is_deferred(tool: &Json<'_>) -> bool {
    ["defer_loading", "deferLoading"].iter().any(|key| tool.get(key).is_some_and(Json::is_true))
}

/// What the form is called that answers must have.
pub const RESPONSE_FORMAT: &str = "response format";

/// The form that answers must have, where the model is shown one: a schema, with its name where the API wants one.
pub fn response_format<'a>(stored: &Stored<'a>, format: Option<&Json<'a>>) -> Option<Piece> {
    let format = format.filter(|format| format.str_of("type") == "json_schema")?;
    let held = format.some("json_schema").unwrap_or(format);
    held.some("schema").filter(|schema| schema.is_object() && schema.whole)?;
    let draft = Draft::new(BlockKind::Definition, Layer::System, stored.raw(held));
    Some(Piece::new(draft.label(RESPONSE_FORMAT)))
}

fn name_of(tool: &Json<'_>) -> String {
    let inner = ["function", "custom", "tool"].iter().find_map(|key| tool.get(key)).filter(|inner| inner.is_object());
    let named = inner.unwrap_or(tool);
    ["name", "server_label", "type"]
        .iter()
        .find_map(|key| named.some(key).and_then(Json::str))
        .map(std::borrow::Cow::into_owned)
        .unwrap_or_default()
}
