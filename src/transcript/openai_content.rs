//! The content of a message, as OpenAI's APIs write it: text, or parts.

use crate::content::decode_json_string;
use crate::model::{BlockKind, Body, Coding, Hidden, Layer, Media};

use super::build::Draft;
use super::json::{Json, Kind, parse};
use super::parts::{Parts, Piece, unknown_type};
use super::stored::Stored;

/// Reads the content of a message or of a tool's answer: a string, a list of parts, a single part.
///
/// Text and unknown parts are blocks of `kind` in `layer`; pictures of a tool's answer stay in its layer.
pub fn content<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, parts: &mut Parts) {
    match &value.kind {
        Kind::Text(inner) => text(stored, inner, kind, layer, parts),
        Kind::List(items) => {
            for item in items.iter().filter(|item| item.whole) {
                marked(stored, item, kind, layer, parts);
            }
        }
        Kind::Object(_) => marked(stored, value, kind, layer, parts),
        Kind::Null => {}
        _ => {
            parts.unknown.push("the content is neither text nor a list: its JSON is kept as text".to_owned());
            parts.pieces.push(Piece::new(Draft::new(kind, layer, stored.value(value))));
        }
    }
}

fn text<'a>(stored: &Stored<'a>, inner: &'a [u8], kind: BlockKind, layer: Layer, parts: &mut Parts) {
    if !inner.is_empty() || kind == BlockKind::ToolResult {
        parts.pieces.push(Piece::new(Draft::new(kind, layer, stored.text(inner, Coding::Json))));
    }
}

fn marked<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, parts: &mut Parts) {
    let before = parts.pieces.len();
    part(stored, value, kind, layer, parts);
    parts.mark(stored, value, before);
}

fn part<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, parts: &mut Parts) {
    let name = value.str_of("type");
    let file_layer = if layer == Layer::ToolResults { layer } else { Layer::Files };
    match &*name {
        "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
            // Some data sets call a text's content `value`.
            if let Some(inner) = value.get("text").or_else(|| value.get("value")).and_then(Json::text) {
                text(stored, inner, kind, layer, parts);
            }
        }
        "logs" if value.get("logs").and_then(Json::text).is_some() => {
            text(stored, value.get("logs").and_then(Json::text).unwrap_or_default(), kind, layer, parts);
        }
        // Data sets write what the model thought and called as parts.
        "reasoning" | "thinking" => {
            let inner = ["text", "value", "thinking"].iter().find_map(|key| value.get(key)?.text());
            text(stored, inner.unwrap_or_default(), BlockKind::Thinking, Layer::Thinking, parts);
        }
        "tool_call" if value.get("value").and_then(Json::text).is_some() => {
            let inner = value.get("value").and_then(Json::text).unwrap_or_default();
            let call = decode_json_string(inner);
            let draft = Draft::new(BlockKind::ToolCall, Layer::ToolCalls, stored.text(inner, Coding::Json));
            parts.pieces.push(Piece::new(draft.label(parse(call.as_bytes()).0.str_of("name"))));
        }
        "refusal" => {
            if let Some(inner) = value.get("refusal").and_then(Json::text) {
                let draft = Draft::new(kind, layer, stored.text(inner, Coding::Json)).label("refusal");
                parts.pieces.push(Piece::new(draft));
            }
        }
        "image_url" | "input_image" | "image" | "computer_screenshot" => match image(stored, value) {
            Some(body) => parts.pieces.push(Piece::new(Draft::new(BlockKind::Image, layer, body))),
            // The provider holds it.
            None if value.some("file_id").is_some() => {
                let id = value.some("file_id").and_then(Json::text);
                parts.pieces.push(Piece::hidden(BlockKind::Image, layer, stored, id));
            }
            None => raw(stored, value, kind, layer, &name, parts),
        },
        "file" | "input_file" | "document" => {
            let file = value.get("file").filter(|file| file.is_object()).unwrap_or(value);
            let label = file.str_of("filename").into_owned();
            let draft = Draft::new(BlockKind::Document, file_layer, document(stored, file)).label(label);
            parts.pieces.push(Piece::new(draft));
        }
        "input_audio" | "audio" => {
            let audio = value.get(&name).filter(|audio| audio.is_object()).unwrap_or(value);
            let body = match audio.get("data").and_then(Json::text) {
                Some(data) => stored.base64(&format!("audio/{}", audio.str_of("format")), data),
                None => stored.value(audio),
            };
            parts.pieces.push(Piece::new(Draft::new(BlockKind::Audio, layer, body)));
        }
        "encrypted_content" => {
            let opaque = value.get("encrypted_content").or_else(|| value.get("data")).and_then(Json::text);
            parts.pieces.push(Piece::hidden(kind, layer, stored, opaque));
        }
        "" if value.get("text").and_then(Json::text).is_some() => {
            let inner = value.get("text").and_then(Json::text).unwrap_or_default();
            text(stored, inner, kind, layer, parts);
        }
        _ => {
            parts.unknown.push(unknown_type(&name));
            raw(stored, value, kind, layer, &name, parts);
        }
    }
}

/// Keeps a part as the JSON that it is, so that nothing the model saw is lost.
fn raw<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, label: &str, parts: &mut Parts) {
    let draft = Draft::new(kind, layer, stored.raw(value)).label(label);
    parts.pieces.push(Piece::new(draft));
}

fn image<'a>(stored: &Stored<'a>, value: &Json<'a>) -> Option<Body> {
    let url = value.some("image_url").or_else(|| value.some("image")).or_else(|| value.some("url"))?;
    // Chat has it beside the URL, Responses in the part.
    let is_low = [Some(value), Some(url)].into_iter().flatten().any(|held| held.str_of("detail") == "low");
    let body = stored.url("image", url.text().or_else(|| url.get("url").and_then(Json::text))?);
    Some(match body {
        Body::Media(media) => Body::Media(Box::new(Media { is_low, ..*media })),
        other => other,
    })
}

fn document<'a>(stored: &Stored<'a>, file: &Json<'a>) -> Body {
    let data = |key| file.get(key).and_then(Json::text);
    if let Some(data) = data("file_data").or_else(|| data("file_url")) {
        return stored.url("application/octet-stream", data);
    }
    match data("file_id") {
        // The provider holds it; how large it is, nobody says.
        Some(id) => Body::Hidden(Hidden { tokens: None, span: Some(stored.span(id, Coding::Json)) }),
        None => stored.raw(file),
    }
}
