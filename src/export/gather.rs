//! The window of a step as items in order, each with its text and what an API needs to know of it.

use std::sync::Arc;

use crate::content::{ContentError, Sources};
use crate::model::{
    Block, BlockKind, Body, CallKey, Coding, Entry, EntryId, Event, Fate, Hidden, Layer, Made, Media, RequestId, Role,
    Run, Track, Transcript,
};

use super::fields::Fields;
use super::quote::{Reader, Text};
use super::wire::Whole;

/// One entry of the window.
#[derive(Clone, Debug)]
pub struct Item {
    /// The entry.
    pub entry: EntryId,
    /// Who speaks.
    pub role: Role,
    /// Its layer.
    pub layer: Layer,
    /// What became of it.
    pub fate: Fate,
    /// Name to show. Untrusted.
    pub label: Arc<str>,
    /// Tokens in the window.
    pub tokens: u64,
    /// The request whose answer it is a part of.
    pub request: Option<RequestId>,
    /// Whether it and all before it stood in the window of the step before: what a prompt cache can reuse.
    pub stable: bool,
    /// The recorded mark for a cache behind it, as JSON.
    pub mark: Option<Text>,
    /// How it was recorded, where it is written for the same API again.
    pub whole: Option<Whole>,
    /// Who speaks by name, as a JSON string, where it is written for the same API again.
    pub name: Option<Text>,
    /// The step before which a compaction put it back, where one did.
    pub back: Option<u32>,
    /// What it is.
    pub what: What,
}

/// What an item is, as APIs see it.
#[derive(Clone, Debug)]
pub enum What {
    /// Text of its role.
    Text(Text),
    /// Reasoning in clear, with the signature that proves it where it is recorded.
    Thinking(Text, Option<Text>),
    /// Reasoning as opaque data that its vendor takes back.
    Redacted(Text),
    /// Content that the transcript does not show; its tokens where they are known.
    Hidden(Option<u64>),
    /// A call of a tool.
    Call {
        /// What its result refers to.
        key: Option<CallKey>,
        /// Its recorded id.
        id: Option<Text>,
        /// The tool's name as recorded beside it.
        name: Option<Text>,
        /// Its arguments.
        input: Text,
    },
    /// What a tool answered, or a part of it.
    Result {
        /// The call it answers.
        key: Option<CallKey>,
        /// Whether the tool reported failure.
        error: bool,
        /// The content.
        content: Payload,
    },
    /// A picture, document or sound.
    Media(Attached),
    /// The definition of one or several tools.
    Definition(Text),
    /// The form that answers must have: JSON with a schema.
    Format(Text),
}

/// The content of a result.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Text.
    Text(Text),
    /// A picture, document or sound.
    Media(Attached),
}

/// A picture, document or sound.
#[derive(Clone, Debug)]
pub struct Attached {
    /// What it is: image, document or audio.
    pub kind: BlockKind,
    /// Its media type. Untrusted.
    pub mime: String,
    /// Base64, or a URL.
    pub data: Text,
    /// Whether `data` is a URL.
    pub is_url: bool,
    /// The file's name, or the title it has; empty where it has none. Untrusted.
    pub title: Arc<str>,
}

impl Attached {
    /// What it is, in words.
    #[must_use]
    pub fn name(&self) -> String {
        let kind = match self.kind {
            BlockKind::Document => "document",
            BlockKind::Audio => "audio",
            _ => "image",
        };
        let fit: String = self.mime.chars().take(60).filter(|sign| sign.is_ascii_graphic()).collect();
        if fit.is_empty() { kind.to_owned() } else { format!("{kind} ({fit})") }
    }

    /// Whether the data is what base64 consists of.
    #[must_use]
    pub fn is_base64(&self) -> bool {
        let sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let mut pieces = self.data.0.iter();
        !self.is_url && !self.data.0.is_empty() && pieces.all(|piece| piece.text.bytes().all(sign))
    }
}

/// The items of a step's window.
///
/// # Errors
/// Where a source cannot be read.
pub fn gather(transcript: &Transcript, sources: &Sources, run: &Run, step: u32) -> Result<Vec<Item>, ContentError> {
    let window = run.window(step);
    let before = if step > 1 { run.window(step - 1) } else { Vec::new() };
    let shared = window.iter().zip(&before).take_while(|(now, then)| now == then).count();
    let reader = Reader { transcript, sources, run };
    let mut fields = Fields::new(sources);
    let mut items = Vec::with_capacity(window.len());
    for (index, id) in window.into_iter().enumerate() {
        let Some(entry) = run.entry(id) else { continue };
        let block = origin(transcript, run, entry);
        items.push(Item {
            entry: id,
            role: entry.role,
            layer: entry.layer,
            fate: entry.fate,
            label: entry.label.clone(),
            tokens: entry.tokens,
            request: block
                .and_then(|block| transcript.messages.get(block.message.0 as usize))
                .and_then(|message| message.request),
            stable: index < shared,
            mark: None,
            whole: None,
            name: None,
            back: put_back(run, id, entry, step),
            what: what(&reader, &mut fields, id, entry, block)?,
        });
    }
    Ok(items)
}

/// The step before which a compaction, the agent's or a policy's, put an entry back that stands at a step; `None` where
/// none did.
fn put_back(run: &Run, id: EntryId, entry: &Entry, step: u32) -> Option<u32> {
    let made_by = || entry.made_by.and_then(|made| run.event(made)).is_some_and(Event::compacts);
    let is_back = run.put_back.binary_search(&id).is_ok() || (run.track == Track::Simulated && made_by());
    // A summary stands for what was there, and a notice tells of it.
    let is_content = !matches!(entry.layer, Layer::Summaries | Layer::Notices);
    (is_back && is_content).then(|| entry.life_at(step).map(|life| life.born)).flatten()
}

/// The block that an entry shows, or that the marker in its place stands for.
fn origin<'a>(transcript: &'a Transcript, run: &Run, entry: &Entry) -> Option<&'a Block> {
    let mut entry = entry;
    for _ in 0..16 {
        if let Some(block) = entry.block().and_then(|id| transcript.block(id)) {
            return Some(block);
        }
        match entry.from.as_slice() {
            [one] => entry = run.entry(*one)?,
            _ => return None,
        }
    }
    None
}

fn what(
    reader: &Reader<'_>,
    fields: &mut Fields<'_>,
    id: EntryId,
    entry: &Entry,
    block: Option<&Block>,
) -> Result<What, ContentError> {
    let alone = matches!(entry.content[..], [Made::Block(_)]);
    let block = match block {
        // What a provider wrote for itself is no text, whatever it stands for.
        Some(block) if alone && matches!(block.body, Body::Hidden(_)) => block,
        // What stands for several pieces at once is text, whatever the pieces were; so is a file that came back.
        Some(block) if !stands_for_many(entry.fate) && entry.layer == block.layer && !is_gone(entry, block) => block,
        _ if entry.layer == Layer::Tools => return Ok(What::Definition(reader.content(&entry.content, id)?)),
        _ => return Ok(What::Text(reader.content(&entry.content, id)?)),
    };
    let is_result = block.kind == BlockKind::ToolResult || (block.layer == Layer::ToolResults && block.call.is_some());
    if alone {
        match &block.body {
            Body::Hidden(hidden) => return hidden_reasoning(reader, fields, id, block, *hidden),
            Body::Media(media) => {
                let media = attached(reader, id, block, media)?;
                return Ok(match is_result {
                    true => What::Result { key: block.call, error: block.error, content: Payload::Media(media) },
                    false => What::Media(media),
                });
            }
            Body::Text { .. } => {}
        }
    }
    let text = reader.content(&entry.content, id)?;
    let mut beside = |names: &[&str]| -> Result<Option<Text>, ContentError> {
        let Some(span) = block.body.spans().next() else { return Ok(None) };
        fields.around(block.record, span, names).map(|found| reader.span(found, block.record, id)).transpose()
    };
    Ok(match block.kind {
        _ if is_result => What::Result { key: block.call, error: block.error, content: Payload::Text(text) },
        BlockKind::Thinking => What::Thinking(text, beside(&["signature"])?),
        BlockKind::ToolCall => {
            let (recorded, name) = (beside(&["call_id", "id"])?, beside(&["name"])?);
            What::Call { key: block.call, id: recorded, name, input: text }
        }
        BlockKind::Definition if block.layer == Layer::System => What::Format(text),
        BlockKind::Definition => What::Definition(text),
        _ => What::Text(text),
    })
}

/// Whether it is reasoning that was cleared: its signature proves nothing any more.
fn is_gone(entry: &Entry, block: &Block) -> bool {
    block.kind == BlockKind::Thinking && entry.fate == Fate::Cleared
}

fn stands_for_many(fate: Fate) -> bool {
    matches!(fate, Fate::Summarised | Fate::Collapsed | Fate::Remembered)
}

/// Reasoning whose text is not shown: some vendors take it back all the same, by its signature or as opaque data.
fn hidden_reasoning(
    reader: &Reader<'_>,
    fields: &mut Fields<'_>,
    id: EntryId,
    block: &Block,
    hidden: Hidden,
) -> Result<What, ContentError> {
    let Some(span) = hidden.span.filter(|_| block.kind == BlockKind::Thinking) else {
        return Ok(What::Hidden(hidden.tokens));
    };
    let mut beside = |name| -> Result<Option<Text>, ContentError> {
        fields.around(block.record, span, &[name]).map(|found| reader.span(found, block.record, id)).transpose()
    };
    let kind = beside("type")?.map(|kind| kind.joined());
    Ok(match kind.as_deref() {
        Some("redacted_thinking") => beside("data")?.map_or(What::Hidden(hidden.tokens), What::Redacted),
        Some("thinking") => match beside("signature")? {
            Some(signature) => What::Thinking(Text::default(), Some(signature)),
            None => What::Hidden(hidden.tokens),
        },
        _ => What::Hidden(hidden.tokens),
    })
}

fn attached(reader: &Reader<'_>, id: EntryId, block: &Block, media: &Media) -> Result<Attached, ContentError> {
    let data = reader.span(media.span, block.record, id)?;
    let is_url = media.span.coding != Coding::Base64;
    Ok(Attached { kind: block.kind, mime: media.mime.to_string(), data, is_url, title: Arc::clone(&block.label) })
}
