//! Messages' content: each block as a piece with its spans, whatever its type.

use std::borrow::Cow;

use memchr::memmem;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::content::count_chars;
use crate::model::{BlockKind, Body, Coding, Hidden, Layer, Media, Record, Role, Span};
use crate::tokens::pixels_of;

use super::super::scan::{Fields, Text, Value};
use super::cut::cut;
use super::record::{Key, Piece, Start};

/// The line that is being read.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Where it stands.
    pub record: Record,
}

impl Place {
    /// The span of a part of the line.
    pub fn span(self, start: usize, length: usize, coding: Coding) -> Span {
        let from = self.record.start.saturating_add(start as u64);
        Span { source: self.record.source, start: from, end: from.saturating_add(length as u64), coding }
    }

    /// A string's text as a body.
    pub fn text(self, text: Text<'_>) -> Body {
        Body::Text {
            spans: vec![self.span(text.start, text.bytes.len(), Coding::Json)],
            chars: count_chars(text.bytes, Coding::Json),
            hash: xxh3_64(text.bytes),
        }
    }

    /// Several strings, one a line.
    pub fn texts(self, texts: &[Text<'_>]) -> Body {
        if let [one] = texts {
            return self.text(*one);
        }
        let mut hash = Xxh3::new();
        let mut chars = (texts.len() as u64).saturating_sub(1);
        let mut spans = Vec::with_capacity(texts.len());
        for text in texts {
            spans.push(self.span(text.start, text.bytes.len(), Coding::Json));
            chars += count_chars(text.bytes, Coding::Json);
            hash.update(text.bytes);
            hash.update(b"\n");
        }
        Body::Text { spans, chars, hash: hash.digest() }
    }

    /// A value as JSON.
    pub fn json(self, value: Value<'_>) -> Body {
        let raw = value.raw();
        Body::Text {
            spans: vec![self.span(value.start, raw.len(), Coding::Plain)],
            chars: count_chars(raw, Coding::Plain),
            hash: xxh3_64(raw),
        }
    }

    /// What only an opaque string stands for.
    fn hidden(self, opaque: Option<Text<'_>>) -> Body {
        let span = opaque.map(|text| self.span(text.start, text.bytes.len(), Coding::Base64));
        Body::Hidden(Hidden { tokens: None, span })
    }

    /// A picture, document or sound: base64 or a URL.
    pub fn media(self, source: Value<'_>) -> Option<Body> {
        let source = source.fields();
        let string = |name: &str| source.text(name);
        let (text, coding) = match (string("data").or_else(|| string("base64")), string("url")) {
            (Some(data), _) => (data, Coding::Base64),
            (None, Some(url)) => (url, Coding::Json),
            (None, None) => return None,
        };
        let mime = string("media_type").or_else(|| string("type")).map(|mime| mime.decode().into_owned());
        let mime = mime.unwrap_or_default();
        let pixels = (coding == Coding::Base64 && !mime.contains("pdf")).then(|| pixels_of(text.bytes)).flatten();
        Some(Body::Media(Box::new(Media {
            mime: mime.into_boxed_str(),
            span: self.span(text.start, text.bytes.len(), coding),
            hash: xxh3_64(text.bytes),
            pixels,
        })))
    }
}

/// A piece without call, error or cut.
pub(super) fn piece(kind: BlockKind, layer: Layer, role: Role, label: &'static str, body: Body) -> Piece {
    let label = Cow::Borrowed(label);
    Piece { kind, layer, role, body, label, call: None, error: false, cut: None, original: None }
}

fn type_of<'a>(block: &Fields<'a>) -> Cow<'a, str> {
    block.string("type").unwrap_or_default()
}

fn key(block: &Fields<'_>, name: &str) -> Option<Key> {
    block.text(name).map(|id| Key::of(id.bytes))
}

fn named(block: &Fields<'_>, name: &str) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(block.string(name)?.into_owned()))
}

/// The pieces of a block that the model wrote. Calls that start subagents are put into `starts`.
pub(super) fn answered(place: Place, block: &Fields<'_>, starts: &mut Vec<Start>) -> Option<Piece> {
    let with = |kind, layer, label, body| piece(kind, layer, Role::Assistant, label, body);
    let kind = type_of(block);
    let found = match &*kind {
        "text" => with(BlockKind::Text, Layer::Assistant, "", place.text(block.text("text")?)),
        "thinking" => {
            let text = block.text("thinking");
            let opaque = block.text("signature").filter(|text| !text.bytes.is_empty());
            let body = match text.filter(|text| !text.bytes.is_empty()) {
                Some(text) => place.text(text),
                None => place.hidden(Some(opaque?)),
            };
            with(BlockKind::Thinking, Layer::Thinking, "", body)
        }
        "redacted_thinking" => with(BlockKind::Thinking, Layer::Thinking, "redacted", place.hidden(block.text("data"))),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let call = key(block, "id");
            let input = block.get("input")?;
            let label = named(block, "name").unwrap_or_default();
            if matches!(&*label, "Task" | "Agent")
                && let Some(call) = call
            {
                let asked = input.fields();
                let prompt = asked.text("prompt").map(|text| xxh3_64(text.bytes));
                let title = asked.string("description").map(|text| shortened(&text));
                starts.push(Start { call, prompt, title });
            }
            Piece { label, call, ..with(BlockKind::ToolCall, Layer::ToolCalls, "", place.json(input)) }
        }
        "fallback" => return None,
        _ if block.get("tool_use_id").is_some() => {
            // A tool that the server ran; what it found may be readable by the model alone.
            let content = block.get("content")?;
            let opaque = content.get("encrypted_content").and_then(|text| text.text());
            let body = match (opaque, content.text()) {
                (Some(opaque), _) => place.hidden(Some(opaque)),
                (None, Some(text)) => place.text(text),
                (None, None) => place.json(content),
            };
            let error = block.is_true("is_error");
            let result = with(BlockKind::ToolResult, Layer::ToolResults, "", body);
            Piece { call: key(block, "tool_use_id"), error, ..result }
        }
        _ => {
            let text = block.text("text");
            let body = text.map_or_else(|| place.json(block.value), |text| place.text(text));
            Piece { label: Cow::Owned(kind.into_owned()), ..with(BlockKind::Text, Layer::Assistant, "", body) }
        }
    };
    (!found.body.is_empty()).then_some(found)
}

/// At most 120 characters of a text.
pub(super) fn shortened(text: &str) -> Box<str> {
    text.chars().take(120).collect::<String>().into_boxed_str()
}

/// The pieces of a block in a user's message. `text` says which layer and label a text has.
pub(super) fn said(
    place: Place,
    block: &Fields<'_>,
    text: impl Fn(Text<'_>) -> (Layer, &'static str),
    pieces: &mut Vec<Piece>,
) {
    let before = pieces.len();
    let kind = type_of(block);
    match &*kind {
        "text" => {
            if let Some(found) = block.text("text") {
                let (layer, label) = text(found);
                pieces.push(piece(BlockKind::Text, layer, Role::User, label, place.text(found)));
            }
        }
        "image" => pieces.extend(medium(place, block, BlockKind::Image, Layer::User)),
        "document" => pieces.extend(document(place, block)),
        "tool_result" => result(place, block, pieces),
        _ => {
            let text = block.text("text");
            let body = text.map_or_else(|| place.json(block.value), |text| place.text(text));
            let other = piece(BlockKind::Text, Layer::User, Role::User, "", body);
            pieces.push(Piece { label: Cow::Owned(kind.into_owned()), ..other });
        }
    }
    let empty = |piece: &Piece| piece.body.is_empty() && piece.call.is_none();
    if pieces.get(before..).is_some_and(|new| new.iter().any(empty)) {
        let kept = pieces.split_off(before).into_iter().filter(|piece| !empty(piece));
        pieces.extend(kept);
    }
}

fn medium(place: Place, block: &Fields<'_>, kind: BlockKind, layer: Layer) -> Option<Piece> {
    let body = place.media(block.get("source").unwrap_or(block.value))?;
    let label = if kind == BlockKind::Image { "image" } else { "document" };
    Some(piece(kind, layer, Role::User, label, body))
}

fn document(place: Place, block: &Fields<'_>) -> Option<Piece> {
    let source = block.get("source")?;
    let label = named(block, "title").unwrap_or(Cow::Borrowed("document"));
    let inner = source.fields();
    let plain = type_of(&inner) == "text";
    let found = match inner.text("data").filter(|_| plain) {
        Some(text) => piece(BlockKind::Document, Layer::Files, Role::User, "", place.text(text)),
        None => medium(place, block, BlockKind::Document, Layer::Files)?,
    };
    Some(Piece { label, ..found })
}

/// A tool's result: one block for its text, one for each picture.
fn result(place: Place, block: &Fields<'_>, pieces: &mut Vec<Piece>) {
    let call = key(block, "tool_use_id");
    let error = block.is_true("is_error");
    let answer = |body| Piece { call, error, ..piece(BlockKind::ToolResult, Layer::ToolResults, Role::User, "", body) };
    let content = block.get("content");
    if let Some(text) = content.and_then(|content| content.text()) {
        let body = place.text(text);
        let chars = if let Body::Text { chars, .. } = &body { *chars } else { 0 };
        pieces.push(Piece { cut: cut(text.bytes, chars).map(Box::new), ..answer(body) });
        return;
    }
    let parts = content.map(|content| content.items()).unwrap_or_default();
    let mut texts = Vec::new();
    let mut media = Vec::new();
    for part in &parts {
        let part = part.fields();
        match &*type_of(&part) {
            "image" => media.extend(medium(place, &part, BlockKind::Image, Layer::ToolResults)),
            "document" => media.extend(medium(place, &part, BlockKind::Document, Layer::ToolResults)),
            "tool_reference" => texts.extend(part.text("tool_name")),
            _ => texts.extend(part.text("text")),
        }
    }
    let cut = texts.iter().find_map(|text| cut(text.bytes, count_chars(text.bytes, Coding::Json)));
    if !texts.is_empty() || media.is_empty() {
        let unknown = content.filter(|content| texts.is_empty() && content.is_object());
        let body = unknown.map_or_else(|| place.texts(&texts), |content| place.json(content));
        pieces.push(Piece { cut: cut.map(Box::new), ..answer(body) });
    }
    pieces.extend(media.into_iter().map(|piece| Piece { call, error, ..piece }));
}

/// The text of a result before it was cut, out of the copy that the agent keeps for its own screen.
pub(super) fn original(place: Place, copy: Value<'_>, sent: &Body) -> Option<Body> {
    let text = copy.text().or_else(|| {
        let one = |path: &[&str]| copy.at(path).and_then(|value| value.text());
        one(&["stdout"])
            .or_else(|| one(&["file", "content"]))
            .or_else(|| one(&["content"]))
            .or_else(|| one(&["result"]))
    })?;
    let (Body::Text { chars: sent, .. }, whole) = (sent, place.text(text)) else { return None };
    let longer = matches!(&whole, Body::Text { chars, .. } if chars > sent);
    longer.then_some(whole)
}

/// The subagent that a result is of.
pub(super) fn agent(copy: Value<'_>) -> Option<Key> {
    memmem::find(copy.raw(), b"\"agentId\"")?;
    copy.get("agentId").and_then(|id| id.text()).map(|id| Key::of(id.bytes))
}
