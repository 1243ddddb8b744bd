//! One line of a session or of a stream, understood. Lines are parsed on all cores, each by itself.

use std::borrow::Cow;

use memchr::memmem;

use crate::content::hash;
use crate::model::{BlockKind, CallKey, Coding, Layer, Trigger};

use super::super::Line;
use super::super::build::Draft;
use super::super::scan::{Cursor, Fault, Fields, Text, Value};
use super::super::stored::Stored;
use super::super::time::milliseconds;
use super::attachment::attached;
use super::content::{self, text_of, texts_of};
use super::record::{Answer, Began, Boundary, Cleared, Key, Made, Parent, Parsed, Said, Saying, Start, TitleBy, What};
use super::told::{is_command, is_interrupt, is_prompt, told};
use super::usage::usage;

/// The line's own fields, and its message.
#[derive(Default)]
struct Fieldset<'a> {
    kind: Option<Value<'a>>,
    subtype: Option<Value<'a>>,
    uuid: Option<Value<'a>>,
    parent: Option<Value<'a>>,
    session: Option<Value<'a>>,
    agent: Option<Value<'a>>,
    caller: Option<Value<'a>>,
    timestamp: Option<Value<'a>>,
    request: Option<Value<'a>>,
    folder: Option<Value<'a>>,
    copy: Option<Value<'a>>,
    failure: Option<Value<'a>>,
    sidechain: bool,
    meta: bool,
    summary: bool,
    failed: bool,
    message: Option<Message<'a>>,
    others: Vec<(&'a [u8], Value<'a>)>,
}

/// A message as it stands in the line.
#[derive(Default)]
struct Message<'a> {
    start: usize,
    end: usize,
    id: Option<Value<'a>>,
    model: Option<Value<'a>>,
    usage: Option<Value<'a>>,
    stop: Option<Value<'a>>,
    text: Option<Text<'a>>,
    blocks: Vec<Fields<'a>>,
}

/// Understands a line.
pub(crate) fn parse(line: Line<'_>) -> Parsed {
    let damaged = |fault: String| Parsed {
        record: line.record,
        fault: Some(fault),
        uuid: None,
        parent: Parent::Unsaid,
        session: None,
        agent: None,
        caller: None,
        at: None,
        sidechain: false,
        content: 0,
        what: What::Damaged,
    };
    if line.too_long {
        return damaged("The line is too long to be read.".to_owned());
    }
    let mut parsed = match walk(line.bytes) {
        Ok(fields) => understand(line, fields),
        Err(fault) if line.unfinished => {
            let (at, what) = (fault.at, fault.what);
            return damaged(format!("The last line is cut off at byte {at}: expected {what}."));
        }
        Err(fault) => {
            let (at, what) = (fault.at, fault.what);
            return damaged(format!("The line is not a JSON object: expected {what} at byte {at}."));
        }
    };
    if let Err(why) = std::str::from_utf8(line.bytes) {
        let at = why.valid_up_to();
        parsed.fault.get_or_insert_with(|| format!("The line holds bytes that are not UTF-8, first at byte {at}."));
    }
    parsed
}

fn walk(bytes: &[u8]) -> Result<Fieldset<'_>, Fault> {
    let mut cursor = Cursor::new(bytes);
    if cursor.peek() != Some(b'{') {
        return Err(Fault { at: 0, what: "an opening brace" });
    }
    let mut found = Fieldset::default();
    cursor.members(|cursor, key| {
        let slot = match key {
            b"type" => &mut found.kind,
            b"subtype" => &mut found.subtype,
            b"uuid" => &mut found.uuid,
            b"parentUuid" => &mut found.parent,
            b"sessionId" => &mut found.session,
            b"session_id" if found.session.is_none() => &mut found.session,
            b"agentId" => &mut found.agent,
            b"parent_tool_use_id" => &mut found.caller,
            b"timestamp" => &mut found.timestamp,
            b"requestId" => &mut found.request,
            b"cwd" => &mut found.folder,
            b"toolUseResult" | b"tool_use_result" => &mut found.copy,
            b"error" => &mut found.failure,
            b"message" if cursor.peek() == Some(b'{') => {
                found.message = Some(message(cursor)?);
                return Ok(());
            }
            b"isSidechain" => {
                found.sidechain = cursor.value()?.is_true();
                return Ok(());
            }
            b"isMeta" | b"isSynthetic" => {
                found.meta |= cursor.value()?.is_true();
                return Ok(());
            }
            b"isCompactSummary" => {
                found.summary = cursor.value()?.is_true();
                return Ok(());
            }
            b"isApiErrorMessage" => {
                found.failed = cursor.value()?.is_true();
                return Ok(());
            }
            b"version" | b"gitBranch" | b"userType" | b"slug" | b"entrypoint" | b"session_id" => {
                return Ok(());
            }
            _ => {
                found.others.push((key, cursor.value()?));
                return Ok(());
            }
        };
        *slot = Some(cursor.value()?);
        Ok(())
    })?;
    if cursor.is_done() { Ok(found) } else { Err(Fault { at: bytes.len(), what: "nothing after the object" }) }
}

fn message<'a>(cursor: &mut Cursor<'a>) -> Result<Message<'a>, Fault> {
    let mut found = Message { start: cursor.place(), ..Message::default() };
    cursor.members(|cursor, key| {
        let slot = match key {
            b"id" => &mut found.id,
            b"model" => &mut found.model,
            b"usage" => &mut found.usage,
            b"stop_reason" => &mut found.stop,
            b"content" if cursor.peek() == Some(b'[') => {
                let blocks = &mut found.blocks;
                return cursor.elements(|cursor| {
                    blocks.push(cursor.fields()?);
                    Ok(())
                });
            }
            b"content" => {
                found.text = cursor.value()?.text();
                return Ok(());
            }
            _ => return Ok(()),
        };
        *slot = Some(cursor.value()?);
        Ok(())
    })?;
    found.end = cursor.place();
    Ok(found)
}

impl<'a> Fieldset<'a> {
    fn other(&self, name: &str) -> Option<Value<'a>> {
        self.others.iter().rev().find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| *value)
    }

    fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        self.other(name)?.string()
    }
}

fn key(value: Option<Value<'_>>) -> Option<Key> {
    value.and_then(|value| value.text()).map(|text| Key::of(text.bytes))
}

fn understand(line: Line<'_>, mut fields: Fieldset<'_>) -> Parsed {
    let stored = Stored { bytes: line.bytes, record: line.record };
    let name = fields.kind.and_then(|kind| kind.string()).unwrap_or_default();
    let message = fields.message.take();
    let carried = message.as_ref().map(|message| (message.start, message.end));
    let attachment = fields.other("attachment");
    let carried = carried.or_else(|| attachment.map(|value| (value.start, value.end)));
    let content =
        carried.and_then(|(from, to)| line.bytes.get(from..to)).map_or(0, |bytes| hash(head_of(bytes), Coding::Plain));
    let parent = match fields.parent {
        None => Parent::Unsaid,
        Some(value) => value.text().map_or(Parent::None, |id| Parent::Of(Key::of(id.bytes))),
    };
    let what = match (&*name, message) {
        ("assistant", Some(message)) => What::Answered(Box::new(answer(stored, &fields, &message))),
        ("user", Some(message)) => What::Said(Box::new(user(stored, &fields, &message))),
        ("attachment", _) => match attachment {
            Some(value) => {
                let drafts = attached(stored, value);
                if drafts.is_empty() {
                    let kind = value.get("type").and_then(|kind| kind.string()).unwrap_or_default();
                    What::Nothing(Cow::Owned(format!("attachment/{kind}")))
                } else {
                    notice(drafts)
                }
            }
            None => What::Nothing(Cow::Borrowed("attachment")),
        },
        ("system", _) => system(stored, &fields),
        ("progress", _) => progress(&fields),
        ("custom-title", _) => titled(&fields, TitleBy::User, "customTitle"),
        ("ai-title", _) => titled(&fields, TitleBy::Agent, "aiTitle"),
        ("summary", _) => titled(&fields, TitleBy::Summary, "summary"),
        ("", _) => What::Nothing(Cow::Borrowed("(no type)")),
        _ => What::Nothing(known(&name)),
    };
    let fault = matches!((&*name, &what), ("assistant" | "user", What::Nothing(_)))
        .then(|| format!("The {name} record has no message."));
    Parsed {
        record: line.record,
        fault,
        uuid: key(fields.uuid),
        parent,
        session: key(fields.session),
        agent: key(fields.agent),
        caller: call(fields.caller),
        at: fields.timestamp.and_then(|value| value.text()).and_then(|text| milliseconds(text.bytes)),
        sidechain: fields.sidechain,
        content,
        what,
    }
}

/// Enough of what a record carries to know it again.
fn head_of(bytes: &[u8]) -> &[u8] {
    bytes.get(..4096).unwrap_or(bytes)
}

/// A record type's name, without a copy for those that come often.
fn known(name: &str) -> Cow<'static, str> {
    const OFTEN: &[&str] =
        &["file-history-snapshot", "file-history-delta", "queue-operation", "last-prompt", "mode", "permission-mode"];
    match OFTEN.iter().find(|often| **often == name) {
        Some(often) => Cow::Borrowed(often),
        None => Cow::Owned(name.chars().take(60).collect()),
    }
}

fn answer(line: Stored<'_>, fields: &Fieldset<'_>, message: &Message<'_>) -> Answer {
    let mut starts: Vec<Start> = Vec::new();
    let mut drafts: Vec<Draft> =
        message.blocks.iter().filter_map(|block| content::answered(line, block, &mut starts)).collect();
    if let Some(text) = message.text.filter(|text| !text.bytes.is_empty()) {
        drafts.push(Draft::new(BlockKind::Text, Layer::Assistant, text_of(line, text)));
    }
    let model = message.model.and_then(|model| model.string());
    let synthetic = model.as_deref() == Some("<synthetic>");
    let failure = fields.failed || fields.failure.is_some_and(|value| !value.is_null());
    let made = (synthetic || fields.failed).then(|| made(message, failure));
    let usage = message.usage.filter(|_| made.is_none()).and_then(usage);
    let id = message.id.or(fields.request);
    let written = message.id.and_then(|id| id.string()).map(|id| id.into_owned().into_boxed_str());
    Answer {
        message: key(id),
        id: written,
        model: model.filter(|_| !synthetic).map(|model| model.into_owned().into_boxed_str()),
        stopped: message.stop.is_some_and(|stop| !stop.is_null()),
        thinking: usage.and_then(|usage| usage.reasoning),
        usage,
        made,
        drafts,
        starts,
    }
}

fn made(message: &Message<'_>, failure: bool) -> Made {
    let text = message.text.or_else(|| message.blocks.iter().find_map(|block| block.text("text")));
    let bytes = text.map_or(&b""[..], |text| text.bytes);
    let has = |words: &str| memmem::find(&bytes.to_ascii_lowercase(), words.as_bytes()).is_some();
    if has("prompt is too long") || has("input length and `max_tokens` exceed") {
        Made::TooLong
    } else if failure || bytes.starts_with(b"API Error") {
        Made::Failed
    } else {
        Made::Filler
    }
}

fn user(line: Stored<'_>, fields: &Fieldset<'_>, message: &Message<'_>) -> Said {
    let mut drafts = Vec::new();
    let layer_of = |text: Text<'_>| {
        if fields.summary { (Layer::Summaries, "summary") } else { told(text.bytes, fields.meta) }
    };
    if let Some(text) = message.text.filter(|text| !text.bytes.is_empty()) {
        let (layer, label) = layer_of(text);
        drafts.push(Draft::new(BlockKind::Text, layer, text_of(line, text)).label(label));
    }
    for block in &message.blocks {
        content::said(line, block, layer_of, &mut drafts);
    }
    let results = drafts.iter().any(|draft| draft.kind == BlockKind::ToolResult || draft.call.is_some());
    let first = message.text.or_else(|| message.blocks.iter().find_map(|block| block.text("text")));
    let saying = match first {
        _ if results => Saying::Results,
        _ if fields.summary => Saying::Summary,
        Some(text) if is_interrupt(text.bytes) => Saying::Interrupt,
        Some(text) if fields.meta || is_command(text.bytes) || !is_prompt(text.bytes) => Saying::Other,
        None if fields.meta => Saying::Other,
        _ => Saying::Prompt,
    };
    if saying == Saying::Summary {
        for draft in drafts.iter_mut().filter(|draft| draft.kind == BlockKind::Text) {
            draft.kind = BlockKind::Summary;
        }
    }
    let mut agent = None;
    if let Some(copy) = fields.copy.filter(|_| results) {
        agent = content::agent(copy);
        if let Some(draft) = drafts.iter_mut().find(|draft| draft.cut.is_some()) {
            draft.original = content::original(line, copy, &draft.body).map(Box::new);
            let exact = copy.get("persistedOutputSize").and_then(|size| size.number());
            if let (Some(cut), Some(exact)) = (&mut draft.cut, exact) {
                cut.original_chars = Some(exact);
            }
        }
    }
    Said { saying, prompt: first.filter(|_| !results).map(|text| Key::of(text.bytes)), agent, drafts }
}

fn notice(drafts: Vec<Draft>) -> What {
    What::Said(Box::new(Said { saying: Saying::Other, prompt: None, agent: None, drafts }))
}

fn system(line: Stored<'_>, fields: &Fieldset<'_>) -> What {
    let subtype = fields.subtype.and_then(|value| value.string()).unwrap_or_default();
    let noticed = |text: Option<Text<'_>>, label: &'static str| {
        let text = text.filter(|text| !text.bytes.is_empty());
        match text.map(|text| Draft::new(BlockKind::Text, Layer::Notices, text_of(line, text)).label(label)) {
            Some(draft) => notice(vec![draft]),
            None => What::Nothing(Cow::Owned(format!("system/{subtype}"))),
        }
    };
    let text = |name: &str| fields.other(name).and_then(|value| value.text());
    match &*subtype {
        "compact_boundary" => What::Compacted(Box::new(boundary(fields))),
        "microcompact_boundary" => What::Cleared(Box::new(cleared(fields))),
        "init" => What::Began(Box::new(began(line, fields))),
        "local_command" => noticed(text("content"), "local_command"),
        // A stream tells of hooks only so; what they print at the start is put into the context.
        "hook_response" => {
            let start = fields.string("hook_event").as_deref() == Some("SessionStart");
            noticed(text("stdout").filter(|text| start && !text.bytes.starts_with(b"{")), "hook_success")
        }
        "" => What::Nothing(Cow::Borrowed("system")),
        other => What::Nothing(Cow::Owned(format!("system/{}", other.chars().take(60).collect::<String>()))),
    }
}

fn trigger(value: &Fields<'_>) -> Option<Trigger> {
    match value.string("trigger").as_deref() {
        Some("auto") => Some(Trigger::Auto),
        Some("manual") => Some(Trigger::Manual),
        _ => None,
    }
}

/// A member under its two spellings: sessions write camelCase, streams snake_case.
fn either<'a>(value: &Fields<'a>, camel: &str, snake: &str) -> Option<Value<'a>> {
    value.get(camel).or_else(|| value.get(snake))
}

fn call(value: Option<Value<'_>>) -> Option<CallKey> {
    key(value).map(|key| CallKey(key.0))
}

fn keys(value: Option<Value<'_>>) -> Vec<Key> {
    value.map(|value| value.items()).unwrap_or_default().into_iter().filter_map(|id| key(Some(id))).collect()
}

fn boundary(fields: &Fieldset<'_>) -> Boundary {
    let Some(value) = fields.other("compactMetadata").or_else(|| fields.other("compact_metadata")) else {
        return Boundary::default();
    };
    let value = value.fields();
    let number = |camel: &str, snake: &str| either(&value, camel, snake).and_then(|number| number.number());
    let kept = either(&value, "preservedMessages", "preserved_messages").map(|kept| kept.fields());
    let segment = either(&value, "preservedSegment", "preserved_segment").map(|segment| segment.fields());
    let ends = segment.as_ref().and_then(|segment| {
        let end = |camel, snake| key(either(segment, camel, snake));
        Some((end("headUuid", "head_uuid")?, end("tailUuid", "tail_uuid")?))
    });
    let anchor = |of: &Option<Fields<'_>>| key(of.as_ref().and_then(|of| either(of, "anchorUuid", "anchor_uuid")));
    let listed =
        |camel: &str, snake: &str| kept.as_ref().map(|kept| keys(either(kept, camel, snake))).unwrap_or_default();
    let all = listed("allUuids", "all_uuids");
    Boundary {
        trigger: trigger(&value),
        before: number("preTokens", "pre_tokens"),
        after: number("postTokens", "post_tokens"),
        kept: if all.is_empty() { listed("uuids", "uuids") } else { all },
        segment: ends,
        anchor: anchor(&kept).or_else(|| anchor(&segment)),
    }
}

fn cleared(fields: &Fieldset<'_>) -> Cleared {
    let Some(value) = fields.other("microcompactMetadata").or_else(|| fields.other("microcompact_metadata")) else {
        return Cleared::default();
    };
    let value = value.fields();
    Cleared {
        trigger: trigger(&value),
        before: either(&value, "preTokens", "pre_tokens").and_then(|number| number.number()),
        saved: either(&value, "tokensSaved", "tokens_saved").and_then(|number| number.number()),
        calls: keys(either(&value, "compactedToolIds", "compacted_tool_ids"))
            .iter()
            .map(|key| CallKey(key.0))
            .collect(),
        attachments: keys(either(&value, "clearedAttachmentUUIDs", "cleared_attachment_uuids")),
    }
}

fn progress(fields: &Fieldset<'_>) -> What {
    let data = fields.other("data").filter(|data| memmem::find(data.raw(), b"\"agent_progress\"").is_some());
    let agent = data.and_then(|data| key(data.get("agentId")));
    match (agent, call(fields.other("parentToolUseID"))) {
        (Some(agent), Some(call)) => What::Progress { agent, call },
        _ => What::Nothing(Cow::Borrowed("progress")),
    }
}

fn titled(fields: &Fieldset<'_>, by: TitleBy, name: &'static str) -> What {
    let leaf = key(fields.other("leafUuid"));
    match fields.string(name) {
        Some(text) => What::Titled { by, text: text.chars().take(500).collect::<String>().into_boxed_str(), leaf },
        None => What::Nothing(Cow::Borrowed(name)),
    }
}

fn began(line: Stored<'_>, fields: &Fieldset<'_>) -> Began {
    let string = |name: &str| fields.string(name).map(|text| text.into_owned().into_boxed_str());
    let items = fields.other("tools").map(|tools| tools.items()).unwrap_or_default();
    let names: Vec<Text<'_>> = items.iter().filter_map(Value::text).collect();
    let tools = (!names.is_empty()).then(|| texts_of(line, &names));
    let tools = tools.map(|body| Draft::new(BlockKind::Definition, Layer::Tools, body).label("tools"));
    Began {
        id: fields.session.and_then(|id| id.string()).map(|id| id.into_owned().into_boxed_str()),
        version: string("claude_code_version"),
        folder: fields.folder.and_then(|folder| folder.string()).map(|folder| folder.into_owned().into_boxed_str()),
        drafts: tools.into_iter().collect(),
    }
}
