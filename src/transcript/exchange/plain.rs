//! Answers and prompts that a program kept without a body around them: the words alone, or the message.

use crate::model::{BlockKind, Coding, Layer, Role};
use crate::transcript::build::Draft;
use crate::transcript::json::Json;
use crate::transcript::parts::Piece;

use super::unwrap::{BODIES, RESPONSES, Store, answered};
use super::{Answer, Dialect, Said};

/// Keys under which programs keep what was answered, beside those of a response.
const ANSWERS: &[&str] = &[
    "output",
    "completion",
    "answer",
    "output_text",
    "response_text",
    "generated_text",
    "reply",
    "message",
    "content",
];
/// Keys inside of these under which the words may stand.
const WORDS: &[&str] = &["content", "text", "output_text", "completion", "answer", "response", "output"];
/// Keys of what plans a request.
const PLANNED: &[&str] = &["schedule", "cron", "next_run_at"];
/// Envelopes in each other.
const DEPTH: usize = 3;

fn keys() -> impl Iterator<Item = &'static str> {
    RESPONSES.iter().chain(ANSWERS).copied()
}

/// The answer in a value that keeps it so; what was used stands beside it, or in the same object. Before it come the
/// turns that led to it, where they were kept as one completion.
pub(super) fn answer<'a>(dialect: &Dialect, value: &Json<'a>, store: Store<'_, 'a>) -> (Vec<Said>, Option<Answer>) {
    // A page is what a server says that failed, unless it is told what the model used for it.
    let is_page = |held: &Json<'_>| value.some("usage").is_none() && held.text().is_some_and(is_html);
    for held in keys().filter_map(|key| value.some(key)).filter(|held| !is_page(held)) {
        if let Some(mut answer) = held.is_object().then(|| (dialect.answer)(&store(held.raw), held)).flatten() {
            if answer.usage.is_none() {
                answer.report(value, dialect.usage);
            }
            return (Vec::new(), Some(answer));
        }
        let mut before = said(dialect, held, store, 0);
        if before.is_empty() {
            continue;
        }
        let said = before.split_off(before.iter().rposition(|one| !one.by_model).map_or(0, |at| at + 1));
        let body = if held.some("usage").is_some() { held } else { value };
        let mut answer = Answer { said, ..answered(body) };
        answer.report(body, dialect.usage);
        return (before, Some(answer).filter(|answer| !answer.said.is_empty()));
    }
    (Vec::new(), None)
}

fn is_html(text: &[u8]) -> bool {
    let begin = text.trim_ascii_start().get(..5).unwrap_or_default().to_ascii_lowercase();
    begin == b"<html" || begin == b"<!doc"
}

fn said<'a>(dialect: &Dialect, value: &Json<'a>, store: Store<'_, 'a>, depth: usize) -> Vec<Said> {
    if let Some(text) = value.text() {
        return if text.is_empty() { Vec::new() } else { vec![words(value, text, Role::Assistant, store)] };
    }
    let by_model = |one: &Json<'_>| one.str_of("role") == "assistant";
    let message = |one: &Json<'a>| Said { by_model: true, ..(dialect.message)(&store(one.raw), one) };
    if value.is_object() {
        if by_model(value) || (value.some("role").is_none() && (dialect.calls)(value)) {
            return vec![message(value)];
        }
        let inner = WORDS.iter().chain(BODIES).filter_map(|key| value.some(key)).filter(|_| depth < DEPTH);
        let found = inner.map(|held| said(dialect, held, store, depth + 1)).find(|said| !said.is_empty());
        return found.filter(|_| value.some("role").is_none()).unwrap_or_default();
    }
    let items = value.items();
    let is_text = |one: &Json<'_>| {
        one.str_of("type").ends_with("text") && one.get("text").is_some_and(|text| text.text().is_some())
    };
    if items.is_empty() {
        Vec::new()
    } else if items.iter().all(|one| by_model(one) || dialect.items && one.some("type").is_some()) {
        items.iter().map(message).collect()
    } else if by_model(&items[0]) && items.iter().all(|one| one.some("role").is_some()) {
        items.iter().map(|one| (dialect.message)(&store(one.raw), one)).collect()
    } else if items.iter().all(is_text) {
        let texts = items.iter().filter_map(|one| Some(words(one, one.get("text")?.text()?, Role::Assistant, store)));
        let mut texts = texts.collect::<Vec<_>>();
        let pieces = texts.iter_mut().flat_map(|said| std::mem::take(&mut said.pieces)).collect();
        vec![Said::new(Role::Assistant, true, &store(value.raw), pieces, Vec::new())]
    } else {
        Vec::new()
    }
}

/// A text that somebody said.
fn words<'a>(value: &Json<'a>, text: &'a [u8], role: Role, store: Store<'_, 'a>) -> Said {
    let stored = store(value.raw);
    let layer = if role == Role::Assistant { Layer::Assistant } else { Layer::User };
    let draft = Draft::new(BlockKind::Text, layer, stored.text(text, Coding::Json));
    Said::new(role, role == Role::Assistant, &stored, vec![Piece::new(draft)], Vec::new())
}

/// The prompt of a request that has one instead of messages: a text, or the messages themselves.
pub(super) fn prompt<'j, 'a>(dialect: &Dialect, value: &'j Json<'a>) -> Option<&'j Json<'a>> {
    if value.some(dialect.messages).is_some() {
        return None;
    }
    let spoken = |one: &Json<'_>| one.some("role").is_some();
    let is_list = |held: &Json<'_>| !held.items().is_empty() && held.items().iter().all(spoken);
    // An input that is a text, with no output beside it, may be one to embed or to speak.
    let is_text = |key: &str, held: &Json<'_>| {
        held.text().is_some() && (dialect.prompts.first() == Some(&key) || value.some("output").is_some())
    };
    let is_said = |key: &str, held: &Json<'_>| is_text(key, held) || is_list(held);
    let is_request = value.some("model").is_some() || keys().any(|key| value.some(key).is_some());
    let held = dialect.prompts.iter().find_map(|key| value.some(key).filter(|held| is_said(key, held)));
    held.filter(|_| is_request)
}

/// The messages of such a prompt.
pub(super) fn prompted<'a>(dialect: &Dialect, prompt: &Json<'a>, store: Store<'_, 'a>) -> Vec<Said> {
    match prompt.text() {
        Some(text) => vec![words(prompt, text, Role::User, store)],
        None => prompt.items().iter().map(|one| (dialect.message)(&store(one.raw), one)).collect(),
    }
}

/// Whether the likeness of a body is of a request with one prompt, be it with its answer.
#[must_use]
pub fn prompts(body: &serde_json::Value, prompt: &str) -> bool {
    let spoken = |one: &serde_json::Value| one.get("role").is_some();
    let is_said = body.get(prompt).is_some_and(|held| {
        held.is_string() || held.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(spoken))
    });
    let has = |key: &str| body.get(key).is_some_and(|held| !held.is_null());
    // What is to be asked at its time was not asked yet.
    let is_planned = PLANNED.iter().any(|key| has(key));
    is_said && !is_planned && body.get("messages").is_none() && (has("model") || has("choices") || keys().any(has))
}

/// Whether the likeness of a body is what a tracer keeps of a chat: its messages as the input, its answer as the output.
#[must_use]
pub fn traced(body: &serde_json::Value) -> bool {
    let Some(input) = body.get("input") else { return false };
    let within = input.get("messages").and_then(serde_json::Value::as_array);
    let Some(messages) = within.or_else(|| input.as_array()) else { return false };
    let role = |one: &serde_json::Value| one.get("role").and_then(serde_json::Value::as_str).map(str::to_owned);
    let of_chat = |one: &serde_json::Value| {
        one.get("tool_calls").is_some() || role(one).is_some_and(|role| role == "tool" || role == "function")
    };
    let output = body.get("output").is_some_and(|output| role(output).is_some() || output.get("choices").is_some());
    let is_spoken = !messages.is_empty() && messages.iter().all(|one| role(one).is_some());
    is_spoken && (within.is_some() || output || messages.iter().any(of_chat))
}
