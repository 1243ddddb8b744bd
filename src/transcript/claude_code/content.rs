//! Messages' content: each block with its spans, whatever its type.

use std::borrow::Cow;

use memchr::memmem;

use crate::content::count_chars;
use crate::model::{BlockKind, Body, CallKey, Coding, Layer};

use super::super::build::Draft;
use super::super::scan::{Fields, Text, Value};
use super::super::stored::Stored;
use super::cut::{cut, ends_early, goes_on, holds_more};
use super::record::{Key, Start};
use super::speaker::divided;

/// A string as a text.
pub(super) fn text_of(line: Stored<'_>, text: Text<'_>) -> Body {
    line.text(text.bytes, Coding::Json)
}

/// Several strings as one text, one a line.
pub(super) fn texts_of(line: Stored<'_>, texts: &[Text<'_>]) -> Body {
    let parts: Vec<_> = texts.iter().map(|text| (text.bytes, Coding::Json)).collect();
    line.texts(&parts)
}

/// A value as the JSON that it stands as.
pub(super) fn json_of(line: Stored<'_>, value: Value<'_>) -> Body {
    line.text(value.raw(), Coding::Value)
}

/// A picture, document or sound: base64 or a URL.
pub(super) fn media_of(line: Stored<'_>, source: Value<'_>) -> Option<Body> {
    let source = source.fields();
    let mime = source.string("media_type").or_else(|| source.string("type")).unwrap_or_default();
    match source.text("data").or_else(|| source.text("base64")) {
        Some(data) => Some(line.base64(&mime, data.bytes)),
        None => source.text("url").map(|url| line.url(&mime, url.bytes)),
    }
}

/// A block's text, or else the block itself as JSON.
fn words(line: Stored<'_>, block: &Fields<'_>) -> Body {
    block.text("text").map_or_else(|| json_of(line, block.value), |text| text_of(line, text))
}

fn type_of<'a>(block: &Fields<'a>) -> Cow<'a, str> {
    block.string("type").unwrap_or_default()
}

/// The call that a block makes or answers.
pub(super) fn call_of(block: &Fields<'_>, name: &str) -> Option<CallKey> {
    block.text(name).map(|id| CallKey(Key::of(id.bytes).0))
}

/// A block that the model wrote. Calls that start subagents are put into `starts`.
pub(super) fn answered(line: Stored<'_>, block: &Fields<'_>, starts: &mut Vec<Start>) -> Option<Draft> {
    let hidden = |opaque: Option<Text<'_>>| line.hidden(opaque.map(|text| text.bytes), None);
    let kind = type_of(block);
    let draft = match &*kind {
        "text" => Draft::new(BlockKind::Text, Layer::Assistant, text_of(line, block.text("text")?)),
        "thinking" => {
            let text = block.text("thinking").filter(|text| !text.bytes.is_empty());
            let opaque = block.text("signature").filter(|text| !text.bytes.is_empty());
            let body = match text {
                Some(text) => text_of(line, text),
                None => hidden(Some(opaque?)),
            };
            Draft::new(BlockKind::Thinking, Layer::Thinking, body)
        }
        "redacted_thinking" => {
            Draft::new(BlockKind::Thinking, Layer::Thinking, hidden(block.text("data"))).label("redacted")
        }
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let call = call_of(block, "id");
            let input = block.get("input")?;
            let name = block.string("name").unwrap_or_default();
            if let (Some(call), "Task" | "Agent") = (call, &*name) {
                let asked = input.fields();
                let prompt = asked.text("prompt").map(|text| Key::of(text.bytes));
                starts.push(Start { call, prompt, title: asked.string("description").map(|text| shortened(&text)) });
            }
            Draft::new(BlockKind::ToolCall, Layer::ToolCalls, json_of(line, input)).label(name).call(call)
        }
        // Says that another model took over; nothing that is sent again.
        "fallback" => return None,
        _ if block.get("tool_use_id").is_some() => {
            // A tool that the server ran; what it found may be readable by the model alone.
            let content = block.get("content")?;
            let opaque = content.get("encrypted_content").and_then(|text| text.text());
            let body = match (opaque, content.text()) {
                (Some(opaque), _) => hidden(Some(opaque)),
                (None, Some(text)) => text_of(line, text),
                (None, None) => json_of(line, content),
            };
            let result = Draft::new(BlockKind::ToolResult, Layer::ToolResults, body);
            Draft { error: block.is_true("is_error"), ..result.call(call_of(block, "tool_use_id")) }
        }
        _ => Draft::new(BlockKind::Text, Layer::Assistant, words(line, block)).label(kind),
    };
    (!draft.body.is_empty()).then_some(draft)
}

/// At most 120 characters of a text.
fn shortened(text: &str) -> Box<str> {
    text.chars().take(120).collect::<String>().into_boxed_str()
}

/// The blocks that a text in a user's message makes: what the harness put before a person's words is its own. `meta` is
/// whether it is no person's at all.
pub(super) fn words_of(
    line: Stored<'_>,
    text: Text<'_>,
    meta: bool,
    told: impl Fn(Text<'_>) -> (Layer, &'static str),
    drafts: &mut Vec<Draft>,
) {
    let (before, words) = divided(text.bytes, meta);
    for bytes in before.into_iter().chain([words]).filter(|bytes| !bytes.is_empty()) {
        let (layer, label) = told(Text { bytes });
        drafts.push(Draft::new(BlockKind::Text, layer, text_of(line, Text { bytes })).label(label));
    }
}

/// The blocks that a part of a user's message makes. `told` says which layer and label a text has.
pub(super) fn said(
    line: Stored<'_>,
    block: &Fields<'_>,
    meta: bool,
    told: impl Fn(Text<'_>) -> (Layer, &'static str),
    drafts: &mut Vec<Draft>,
) {
    let kind = type_of(block);
    match &*kind {
        "text" => {
            if let Some(text) = block.text("text") {
                words_of(line, text, meta, told, drafts);
            }
        }
        "image" => drafts.extend(medium(line, block, BlockKind::Image, Layer::User)),
        "document" => document(line, block, drafts),
        "tool_result" => result(line, block, drafts),
        _ => drafts.push(Draft::new(BlockKind::Text, Layer::User, words(line, block)).label(kind)),
    }
}

/// Makes the texts of a message a summary.
pub(super) fn sums_up(drafts: &mut [Draft]) {
    for draft in drafts.iter_mut().filter(|draft| draft.kind == BlockKind::Text) {
        (draft.kind, draft.layer) = (BlockKind::Summary, Layer::Summaries);
        "summary".clone_into(&mut draft.label);
    }
}

fn medium(line: Stored<'_>, block: &Fields<'_>, kind: BlockKind, layer: Layer) -> Option<Draft> {
    let body = media_of(line, block.get("source").unwrap_or(block.value))?;
    let label = if kind == BlockKind::Image { "image" } else { "document" };
    Some(Draft::new(kind, layer, body).label(label))
}

/// A document, and what is said of it, which goes to the model too.
fn document(line: Stored<'_>, block: &Fields<'_>, drafts: &mut Vec<Draft>) {
    let Some(source) = block.get("source").map(|source| source.fields()) else { return };
    let plain = source.text("data").filter(|_| type_of(&source) == "text");
    let document = match plain {
        Some(text) => Some(Draft::new(BlockKind::Document, Layer::Files, text_of(line, text))),
        None => medium(line, block, BlockKind::Document, Layer::Files),
    };
    let said = |member| {
        let said = block.text(member).filter(|said| !said.bytes.is_empty())?;
        Some(Draft::new(BlockKind::Text, Layer::Files, text_of(line, said)))
    };
    let all = document.map(|document| [said("title"), Some(document), said("context")]);
    let label = block.string("title").unwrap_or_else(|| "document".into());
    drafts.extend(all.into_iter().flatten().flatten().map(|draft| draft.label(&*label)));
}

/// A tool's result: one block for its text, one for each picture.
fn result(line: Stored<'_>, block: &Fields<'_>, drafts: &mut Vec<Draft>) {
    let (call, error) = (call_of(block, "tool_use_id"), block.is_true("is_error"));
    let answer = |body, cut| {
        let draft = Draft::new(BlockKind::ToolResult, Layer::ToolResults, body).call(call);
        Draft { error, cut, ..draft }
    };
    let cut = |text: &Text<'_>| cut(text.bytes, || count_chars(text.bytes, Coding::Json)).map(Box::new);
    let Some(content) = block.get("content") else {
        return drafts.push(answer(texts_of(line, &[]), None));
    };
    if let Some(text) = content.text() {
        return drafts.push(answer(text_of(line, text), cut(&text)));
    }
    let (mut texts, mut media) = (Vec::new(), Vec::new());
    // Texts are one piece; media before the first of them stay before it.
    let mut ahead = 0;
    for part in content.items() {
        let part = part.fields();
        if texts.is_empty() {
            ahead = media.len();
        }
        match &*type_of(&part) {
            "image" => media.extend(medium(line, &part, BlockKind::Image, Layer::ToolResults)),
            "document" => {
                texts.extend([part.text("title"), part.text("context")].into_iter().flatten());
                media.extend(medium(line, &part, BlockKind::Document, Layer::ToolResults));
            }
            "tool_reference" => texts.extend(part.text("tool_name")),
            _ => texts.extend(part.text("text")),
        }
    }
    if texts.is_empty() {
        ahead = media.len();
    }
    let mut media = media.into_iter().map(|draft: Draft| Draft { error, ..draft.call(call) });
    drafts.extend(media.by_ref().take(ahead));
    if content.is_object() {
        drafts.push(answer(json_of(line, content), None));
    } else if !texts.is_empty() || (ahead == 0 && media.len() == 0) {
        drafts.push(answer(texts_of(line, &texts), texts.iter().find_map(cut)));
    }
    drafts.extend(media);
}

/// Keeps the text of a result before it was cut, out of the copy that the agent keeps for its own screen, where that is
/// not cut as well. `exact`: see [`ends_early`].
pub(super) fn keep_original(line: Stored<'_>, copy: Value<'_>, sent: &mut Draft, exact: bool) {
    let text = copy.text().or_else(|| {
        let one = |path: &[&str]| copy.at(path).and_then(|value| value.text());
        one(&["stdout"])
            .or_else(|| one(&["file", "content"]))
            .or_else(|| one(&["content"]))
            .or_else(|| one(&["result"]))
    });
    let Some((text, told)) = text.zip(sent.cut.as_deref_mut()) else { return };
    let whole = text_of(line, text);
    let (Body::Text { chars: shown, spans, .. }, Body::Text { chars, .. }) = (&sent.body, &whole) else { return };
    let parts = spans.iter().filter_map(|span| line.part(*span));
    let Some(part) = parts.into_iter().find(|part| cut(part, || 0).is_some()) else { return };
    if chars > shown && holds_more(text.bytes, part) {
        told.copy_ends_early = ends_early(text.bytes, told, exact);
        sent.is_surely_cut = spans.len() == 1 && goes_on(text.bytes, part);
        sent.original = Some(Box::new(whole));
    }
}

/// The subagent that a result is of.
pub(super) fn agent(copy: Value<'_>) -> Option<Key> {
    memmem::find(copy.raw(), b"\"agentId\"")?;
    copy.get("agentId").and_then(|id| id.text()).map(|id| Key::of(id.bytes))
}
