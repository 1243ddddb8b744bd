//! One line of a session or of a stream, understood. Lines are parsed on all cores, each by itself.

use std::borrow::Cow;

use memchr::memmem;

use crate::content::hash;
use crate::model::{BlockKind, CallKey, Coding, Layer};

use super::super::Line;
use super::super::build::Draft;
use super::super::figure::{Figures, figure};
use super::super::scan::{Fields, Text, Value};
use super::super::stored::Stored;
use super::super::time::milliseconds;
use super::attachment::attached;
use super::boundary::{boundary, cleared, key};
use super::check::{Check, Is};
use super::content::{self, text_of, texts_of};
use super::fields::{Fieldset, Message, walk};
use super::managed::managed;
use super::record::{Answer, Began, Boundary, Key, Made, Parent, Parsed, Said, Saying, Start, TitleBy, What};
use super::replaced::replacements;
use super::retracted::{REPLACES, TAKEN_BACK, retracted};
use super::speaker::{Author, is_command, is_interrupt, is_prompt, speaker};
use super::streamed::event;
use super::usage::{asides, usage};

/// What a record without a message or an attachment is known again by.
const CARRIES: &[&str] =
    &["compactMetadata", "compact_metadata", "microcompactMetadata", "microcompact_metadata", "content", "stdout"];

/// Understands a line.
pub(crate) fn parse(line: Line<'_>) -> Parsed {
    let damaged = |fault: String| Parsed {
        record: line.record,
        fault: Some(fault),
        uuid: None,
        parent: Parent::Unsaid,
        session: None,
        folder: None,
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

fn understand(line: Line<'_>, mut fields: Fieldset<'_>) -> Parsed {
    let stored = Stored { bytes: line.bytes, record: line.record };
    let name = fields.kind.and_then(|kind| kind.string()).unwrap_or_default();
    let message = fields.message.take();
    let mut check = Check::default();
    fields.check(&mut check);
    if let Some(message) = message.as_ref() {
        message.check(&mut check);
    }
    let carried = message.as_ref().map(|message| (message.start, message.end));
    let attachment = fields.other("attachment");
    let told = || CARRIES.iter().find_map(|name| fields.other(name));
    let carried = carried.or_else(|| attachment.or_else(told).map(|value| (value.start, value.end)));
    let content =
        carried.and_then(|(from, to)| line.bytes.get(from..to)).map_or(0, |bytes| hash(head_of(bytes), Coding::Plain));
    let parent = match fields.parent {
        None => Parent::Unsaid,
        Some(value) => value.text().map_or(Parent::None, |id| Parent::Of(Key::of(id.bytes))),
    };
    let what = match (&*name, message) {
        ("assistant", Some(message)) => What::Answered(Box::new(answer(stored, &fields, &message, &mut check))),
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
        ("system", _) => system(stored, &fields, &mut check),
        ("progress", _) => progress(&fields),
        ("content-replacement", _) => replacements(stored, &fields),
        ("fork-context-ref", _) => What::Forked(key(fields.other("parentLastUuid"))),
        ("custom-title", _) => titled(&fields, TitleBy::User, "customTitle"),
        ("ai-title", _) => titled(&fields, TitleBy::Agent, "aiTitle"),
        ("summary", _) => titled(&fields, TitleBy::Summary, "summary"),
        ("last-prompt", _) => match key(fields.other("leafUuid")) {
            Some(leaf) => What::Leaf(leaf),
            None => What::Nothing(Cow::Borrowed("last-prompt")),
        },
        ("stream_event", _) => event(fields.other("event")),
        ("result", _) if fields.other("modelUsage").is_some() => What::Windows(windows(&fields, &mut check)),
        ("", _) => What::Nothing(Cow::Borrowed("(no type)")),
        _ => What::Nothing(known(&name)),
    };
    if matches!((&*name, &what), ("assistant" | "user", What::Nothing(_))) {
        check.say(format!("the {name} record has no message"));
    }
    Parsed {
        record: line.record,
        fault: check.finish(),
        uuid: key(fields.uuid),
        parent,
        session: key(fields.session),
        folder: key(fields.folder),
        agent: key(fields.agent),
        caller: call(fields.caller),
        at: fields.timestamp.and_then(|value| value.text()).and_then(|text| milliseconds(text.bytes)),
        sidechain: fields.flag("isSidechain"),
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

fn answer(line: Stored<'_>, fields: &Fieldset<'_>, message: &Message<'_>, check: &mut Check) -> Answer {
    let mut starts: Vec<Start> = Vec::new();
    let mut drafts: Vec<Draft> =
        message.blocks.iter().filter_map(|block| content::answered(line, block, &mut starts)).collect();
    if let Some(text) = message.text.filter(|text| !text.bytes.is_empty()) {
        drafts.push(Draft::new(BlockKind::Text, Layer::Assistant, text_of(line, text)));
    }
    let replaces = retracted(REPLACES, |name| fields.other(name));
    let model = message.model.and_then(|model| model.string());
    let synthetic = model.as_deref() == Some("<synthetic>");
    let failure = fields.flag("isApiErrorMessage") || fields.failure.is_some_and(|value| !value.is_null());
    let made = (synthetic || fields.flag("isApiErrorMessage")).then(|| made(message, failure));
    let mut figures = Figures::default();
    let reported = message.usage.filter(|_| made.is_none());
    let usage = reported.and_then(|value| usage(value, &mut figures));
    check.figures(figures);
    let named = |id: Option<Value<'_>>| key(id).filter(|id| *id != Key::of(b""));
    let request = named(fields.request);
    let written = message.id.and_then(|id| id.string()).filter(|id| !id.is_empty());
    Answer {
        message: named(message.id).or(request),
        id: written.map(|id| id.into_owned().into_boxed_str()),
        request,
        model: model.filter(|_| !synthetic).map(|model| model.into_owned().into_boxed_str()),
        stopped: message.stop.is_some_and(|stop| !stop.is_null()),
        thinking: usage.and_then(|usage| usage.reasoning),
        usage,
        asides: reported.map(asides).unwrap_or_default(),
        managed: managed(message.managed),
        made,
        replaces: replaces.into(),
        drafts: drafts.into(),
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
    let author = fields.author();
    let layer_of = |text: Text<'_>| {
        if fields.flag("isCompactSummary") {
            return (Layer::Summaries, "summary");
        }
        match (speaker(text.bytes, author), fields.other_origin()) {
            ((layer, "notice"), Some(label)) => (layer, label),
            (told, _) => told,
        }
    };
    let meta = author == Author::Harness || fields.flag("isCompactSummary");
    if let Some(text) = message.text {
        content::words_of(line, text, meta, layer_of, &mut drafts);
    }
    for block in &message.blocks {
        content::said(line, block, meta, layer_of, &mut drafts);
    }
    let results = drafts.iter().any(|draft| draft.kind == BlockKind::ToolResult || draft.call.is_some());
    let texts = || message.text.into_iter().chain(message.blocks.iter().filter_map(|block| block.text("text")));
    // Editors and hooks put texts of their own before a person's.
    let own = |text: &Text<'_>| is_prompt(text.bytes, author);
    let first = texts().find(own).or_else(|| texts().next());
    let saying = match first {
        _ if results => Saying::Results,
        _ if fields.flag("isCompactSummary") => Saying::Summary,
        Some(text) if author != Author::Person && is_interrupt(text.bytes) => Saying::Interrupt,
        Some(text) if is_command(text.bytes) || !own(&text) => Saying::Other,
        None if author == Author::Harness => Saying::Other,
        _ => Saying::Prompt,
    };
    if saying == Saying::Summary {
        content::sums_up(&mut drafts);
    }
    let mut agent = None;
    if let Some(copy) = fields.copy.filter(|_| results) {
        agent = content::agent(copy);
        if let Some(draft) = drafts.iter_mut().find(|draft| draft.cut.is_some()) {
            let exact = copy.get("persistedOutputSize").and_then(|size| size.number());
            if let (Some(cut), Some(exact)) = (&mut draft.cut, exact) {
                cut.original_chars = Some(exact);
            }
            content::keep_original(line, copy, draft, exact.is_some());
        }
    }
    let prompt = first.filter(|_| !results).map(|text| Key::of(text.bytes));
    Said { saying, prompt, agent, drafts: drafts.into(), synthetic: fields.flag("isSynthetic") }
}

fn notice(drafts: Vec<Draft>) -> What {
    let drafts = drafts.into();
    What::Said(Box::new(Said { saying: Saying::Other, prompt: None, agent: None, drafts, synthetic: false }))
}

fn system(line: Stored<'_>, fields: &Fieldset<'_>, check: &mut Check) -> What {
    let subtype = fields.subtype.and_then(|value| value.string()).unwrap_or_default();
    let noticed = |text: Option<Text<'_>>, label: &'static str| {
        let text = text.filter(|text| !text.bytes.is_empty());
        match text.map(|text| Draft::new(BlockKind::Text, Layer::Notices, text_of(line, text)).label(label)) {
            Some(draft) => notice(vec![draft]),
            None => What::Nothing(Cow::Owned(format!("system/{subtype}"))),
        }
    };
    let text = |name: &str| fields.other(name).and_then(|value| value.text());
    let back = retracted(TAKEN_BACK, |name| fields.other(name));
    match &*subtype {
        "compact_boundary" => {
            let held = fields.other("compactMetadata").or_else(|| fields.other("compact_metadata"));
            let told = held.map(|held| boundary(held, check)).unwrap_or_default();
            What::Compacted(Box::new(Boundary { after: key(fields.other("logicalParentUuid")), ..told }))
        }
        "microcompact_boundary" => {
            let held = fields.other("microcompactMetadata").or_else(|| fields.other("microcompact_metadata"));
            What::Cleared(Box::new(held.map(|held| cleared(held, check)).unwrap_or_default()))
        }
        "init" => What::Began(Box::new(began(line, fields))),
        "local_command" => noticed(text("content"), "local_command"),
        // A stream tells of hooks only so; what they print at the start is put into the context.
        "hook_response" => {
            let start = fields.string("hook_event").as_deref() == Some("SessionStart");
            noticed(text("stdout").filter(|text| start && !text.bytes.starts_with(b"{")), "hook_success")
        }
        "" => What::Nothing(Cow::Borrowed("system")),
        _ if !back.is_empty() => What::Retracted(back),
        other => What::Nothing(Cow::Owned(format!("system/{}", other.chars().take(60).collect::<String>()))),
    }
}

fn call(value: Option<Value<'_>>) -> Option<CallKey> {
    key(value).map(|key| CallKey(key.0))
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

/// The windows of the models, as a stream sums them up at its end.
fn windows(fields: &Fieldset<'_>, check: &mut Check) -> Vec<(Box<str>, u64)> {
    let models = fields.other("modelUsage");
    check.member("", "modelUsage", models, Is::Object);
    let all = models.map(|models| models.fields());
    let of = |(name, model): (&[u8], Value<'_>)| {
        let held = model.get("contextWindow").filter(|held| !held.is_null())?;
        let window = figure(held.raw()).filter(|window| *window > 0);
        check.member("modelUsage.*.", "contextWindow", Some(held).filter(|_| window.is_none()), Is::Tokens);
        let name = String::from_utf8_lossy(name).chars().take(300).collect::<String>();
        Some((name.into_boxed_str(), window?))
    };
    all.iter().flat_map(Fields::members).filter_map(of).collect()
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
