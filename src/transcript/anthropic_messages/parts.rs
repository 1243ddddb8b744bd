//! The blocks of a message's content.

use crate::model::{BlockKind, Body, CallKey, Coding, Layer};
use crate::transcript::build::Draft;
use crate::transcript::json::{Json, Kind};
use crate::transcript::parts::{Parts, Piece, unknown_type};
use crate::transcript::stored::{Stored, call_key};

use super::raw;

/// Reads a content: a string or a list of blocks. Text is of `kind` in `layer`.
pub(super) fn blocks<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, parts: &mut Parts) {
    match &value.kind {
        Kind::Text(inner) => text(stored, inner, kind, layer, parts),
        Kind::List(items) => {
            for item in items.iter().filter(|item| item.whole) {
                match item.text() {
                    Some(inner) => text(stored, inner, kind, layer, parts),
                    None => block(stored, item, kind, layer, parts),
                }
            }
        }
        Kind::Null => {}
        _ => block(stored, value, kind, layer, parts),
    }
}

fn text<'a>(stored: &Stored<'a>, inner: &'a [u8], kind: BlockKind, layer: Layer, parts: &mut Parts) {
    if !inner.is_empty() || kind == BlockKind::ToolResult {
        parts.pieces.push(Piece::new(Draft::new(kind, layer, stored.text(inner, Coding::Json))));
    }
}

/// Where pictures and documents belong: to the answer that holds them, else to the files.
fn held_in(layer: Layer, otherwise: Layer) -> Layer {
    if layer == Layer::ToolResults { layer } else { otherwise }
}

fn key_of(value: &Json<'_>, name: &str) -> Option<CallKey> {
    Some(value.str_of(name)).filter(|id| !id.is_empty()).map(|id| call_key(&id))
}

fn block<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, parts: &mut Parts) {
    let before = parts.pieces.len();
    unmarked(stored, value, kind, layer, parts);
    parts.mark(stored, value, before);
}

fn unmarked<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, parts: &mut Parts) {
    let inner = |key: &str| value.get(key).and_then(Json::text);
    let name = value.str_of("type");
    match &*name {
        "text" => text(stored, inner("text").unwrap_or_default(), kind, layer, parts),
        "image" => {
            let body = value.get("source").and_then(|source| media(stored, source, "image"));
            let draft = |body| Piece::new(Draft::new(BlockKind::Image, layer, body));
            parts.pieces.push(body.map_or_else(|| raw(stored, value, kind, layer), draft));
        }
        "document" => document(stored, value, held_in(layer, Layer::Files), parts),
        "search_result" => {
            let layer = held_in(layer, Layer::Files);
            beside(stored, value, &["title", "source"], layer, parts);
            let label = value.str_of("title").into_owned();
            let texts: Vec<(&[u8], Coding)> = value
                .get("content")
                .map(Json::items)
                .unwrap_or_default()
                .iter()
                .filter_map(|part| Some((part.get("text")?.text()?, Coding::Json)))
                .collect();
            let draft = Draft::new(BlockKind::Document, layer, stored.texts(&texts));
            parts.pieces.push(Piece::new(draft.label(label)));
        }
        "container_upload" => {
            let piece = Piece::hidden(BlockKind::Document, Layer::Files, stored, inner("file_id"));
            parts.pieces.push(piece);
        }
        "thinking" => match inner("thinking").filter(|thought| !thought.is_empty()) {
            Some(thought) => {
                let draft = Draft::new(BlockKind::Thinking, Layer::Thinking, stored.text(thought, Coding::Json));
                parts.pieces.push(Piece::new(draft));
            }
            // Only the signature is there: what was thought is hidden.
            None => parts.pieces.push(Piece::hidden(BlockKind::Thinking, Layer::Thinking, stored, inner("signature"))),
        },
        "redacted_thinking" => {
            parts.pieces.push(Piece::hidden(BlockKind::Thinking, Layer::Thinking, stored, inner("data")));
        }
        "compaction" => {
            let piece = match inner("content") {
                Some(summary) => {
                    let body = stored.text(summary, Coding::Json);
                    Piece::new(Draft::new(BlockKind::Summary, Layer::Summaries, body))
                }
                None => Piece::hidden(BlockKind::Summary, Layer::Summaries, stored, inner("encrypted_content")),
            };
            parts.pieces.push(piece);
        }
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            if value.get("input").is_none_or(|input| !input.is_object()) {
                parts.unknown.push(format!("the input of a {name} is no object: it is kept as it stands"));
            }
            let body = value.get("input").map_or_else(|| stored.raw(value), |input| stored.value(input));
            let draft = Draft::new(BlockKind::ToolCall, Layer::ToolCalls, body).label(value.str_of("name"));
            parts.pieces.push(Piece::new(draft.call(key_of(value, "id"))));
        }
        "tool_result" | "mcp_tool_result" => result(stored, value, parts),
        "tool_reference" => {
            let draft = Draft::new(kind, layer, stored.raw(value));
            parts.pieces.push(Piece::new(draft.label(value.str_of("tool_name"))));
        }
        // What the provider's own tools found: lists of pages, a program's output.
        other if other.ends_with("_tool_result") => {
            let held = value.get("content").unwrap_or(value);
            let mut piece = raw(stored, held, BlockKind::ToolResult, Layer::ToolResults);
            piece.draft.call = key_of(value, "tool_use_id");
            let inside = held.str_of("type");
            piece.draft.error =
                inside.ends_with("_error") || held.count_of("return_code").is_some_and(|code| code != 0);
            parts.pieces.push(piece);
        }
        other => {
            parts.unknown.push(unknown_type(other));
            let mut piece = raw(stored, value, kind, layer);
            other.clone_into(&mut piece.draft.label);
            parts.pieces.push(piece);
        }
    }
}

fn result<'a>(stored: &Stored<'a>, value: &Json<'a>, parts: &mut Parts) {
    let mut inner = Parts::default();
    if let Some(held) = value.get("content") {
        blocks(stored, held, BlockKind::ToolResult, Layer::ToolResults, &mut inner);
    }
    if inner.pieces.is_empty() {
        let empty = value.raw.get(..0).unwrap_or_default();
        let draft = Draft::new(BlockKind::ToolResult, Layer::ToolResults, stored.text(empty, Coding::Plain));
        inner.pieces.push(Piece::new(draft));
    }
    let (call, error) = (key_of(value, "tool_use_id"), value.get("is_error").is_some_and(Json::is_true));
    for piece in &mut inner.pieces {
        piece.draft.call = call;
        piece.draft.error = error;
    }
    parts.pieces.append(&mut inner.pieces);
    parts.unknown.append(&mut inner.unknown);
}

/// The data, URL or file that a source stands for.
fn media<'a>(stored: &Stored<'a>, source: &Json<'a>, mime: &str) -> Option<Body> {
    let inner = |key: &str| source.get(key).and_then(Json::text);
    let told = source.str_of("media_type");
    let mime = if told.is_empty() { mime } else { &*told };
    if let Some(data) = inner("data") {
        return Some(stored.base64(mime, data));
    }
    if let Some(url) = inner("url") {
        return Some(stored.url(mime, url));
    }
    inner("file_id").map(|id| stored.hidden(Some(id), None))
}

/// What is said of a document or a find beside its content, which goes to the model too: members of it that are texts.
fn beside<'a>(stored: &Stored<'a>, value: &Json<'a>, members: &[&str], layer: Layer, parts: &mut Parts) {
    let said = members.iter().filter_map(|member| value.get(member)?.text()).filter(|said| !said.is_empty());
    let texts: Vec<(&[u8], Coding)> = said.map(|said| (said, Coding::Json)).collect();
    if !texts.is_empty() {
        let draft = Draft::new(BlockKind::Text, layer, stored.texts(&texts));
        parts.pieces.push(Piece::new(draft.label(value.str_of("title"))));
    }
}

fn document<'a>(stored: &Stored<'a>, value: &Json<'a>, layer: Layer, parts: &mut Parts) {
    let label = value.str_of("title").into_owned();
    beside(stored, value, &["title"], layer, parts);
    let source = value.get("source");
    let kind = source.map(|source| source.str_of("type")).unwrap_or_default();
    match (&*kind, source) {
        ("text", Some(source)) => {
            let inner = source.get("data").and_then(Json::text).unwrap_or_default();
            let draft = Draft::new(BlockKind::Document, layer, stored.text(inner, Coding::Json));
            parts.pieces.push(Piece::new(draft.label(label.as_str())));
        }
        ("content", Some(source)) => {
            let mut inner = Parts::default();
            if let Some(held) = source.get("content") {
                blocks(stored, held, BlockKind::Document, layer, &mut inner);
            }
            inner.pieces.iter_mut().for_each(|piece| label.clone_into(&mut piece.draft.label));
            parts.pieces.append(&mut inner.pieces);
            parts.unknown.append(&mut inner.unknown);
        }
        (_, source) => {
            let body = source.and_then(|source| media(stored, source, "application/octet-stream"));
            let body = body.unwrap_or_else(|| stored.raw(value));
            parts.pieces.push(Piece::new(Draft::new(BlockKind::Document, layer, body).label(label.as_str())));
        }
    }
    beside(stored, value, &["context"], layer, parts);
}
