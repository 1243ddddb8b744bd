//! Whose API a record is of: a proxy's log may hold calls of several.

use crate::transcript::json::{Json, parse};
use crate::transcript::{anthropic_messages, openai_chat, openai_responses};

use super::Dialect;
use super::stream::unfold;
use super::unwrap::{BODIES, ENVELOPES, REQUESTS, RESPONSES, TEXTS};

/// Bodies in envelopes in each other.
const DEPTH: usize = 4;

/// What a body shows.
type Shows = fn(&Json<'_>) -> Option<&'static Dialect>;

/// The dialect that a record is in, where that shows: its response says most.
pub(super) fn spoken(value: &Json<'_>) -> Option<&'static Dialect> {
    if value.is_list() {
        // A pair; a list of messages is what the file is.
        let [request, response] = value.items() else { return None };
        return answered(response).or_else(|| within(request, &[REQUESTS, BODIES], asked, DEPTH));
    }
    within(value, &[RESPONSES, REQUESTS, BODIES], answered, DEPTH)
        .or_else(|| within(value, &[REQUESTS, BODIES], asked, DEPTH))
}

/// Whether a value is a response, or an envelope of one.
pub(super) fn answers(value: &Json<'_>) -> bool {
    within(value, &[RESPONSES, REQUESTS, BODIES], answered, DEPTH).is_some()
}

/// Looks at a body, or at those that stand under some keys of it, be it as texts.
fn within(value: &Json<'_>, keys: &[&[&str]], shows: Shows, depth: usize) -> Option<&'static Dialect> {
    if let Some(found) = shows(value) {
        return Some(found);
    }
    let depth = depth.checked_sub(1)?;
    let held = keys.iter().copied().flatten().filter_map(|key| value.some(key));
    let texts = TEXTS.iter().chain(&ENVELOPES).filter_map(|(outer, inner)| value.some(outer)?.some(inner));
    held.chain(texts).find_map(|held| {
        if held.is_object() {
            return within(held, keys, shows, depth);
        }
        let body = unfold(held)?;
        within(&parse(&body).0, keys, shows, depth)
    })
}

/// By a response.
fn answered(body: &Json<'_>) -> Option<&'static Dialect> {
    let list = |key: &str| body.some(key).is_some_and(Json::is_list);
    if list("choices") && body.get("messages_display").is_none() {
        Some(&openai_chat::DIALECT)
    } else if body.str_of("object") == "response" || body.some("status").is_some() && puts_out_items(body) {
        Some(&openai_responses::DIALECT)
    } else if body.str_of("role") == "assistant" && list("content") && body.get("stop_reason").is_some() {
        Some(&anthropic_messages::DIALECT)
    } else {
        None
    }
}

/// Whether a body's output are items of a response, and not an answer that a log keeps beside what was asked.
fn puts_out_items(body: &Json<'_>) -> bool {
    let is_item = |kind: &str| matches!(kind, "message" | "reasoning") || kind.ends_with("_call");
    let beside = body.some("messages").or(body.some("input").and_then(|input| input.some("messages")));
    beside.is_none()
        && body.some("output").is_some_and(|all| all.items().iter().any(|one| is_item(&one.str_of("type"))))
}

/// Settings of a request that only OpenAI's responses have.
const RESPONSES_OWN: &[&str] = &[
    "instructions",
    "previous_response_id",
    "conversation",
    "max_output_tokens",
    "reasoning",
    "include",
    "store",
    "text",
    "truncation",
];

/// Settings of a request that only OpenAI's chat has.
const CHAT: &[&str] = &["response_format", "stream_options", "max_completion_tokens", "frequency_penalty", "functions"];

/// By a request.
fn asked(body: &Json<'_>) -> Option<&'static Dialect> {
    let Some(messages) = body.some("messages").filter(|messages| messages.is_list()) else {
        let input = body.some("input")?;
        if input.is_object() {
            return asked(input);
        }
        let is_chat =
            |one: &Json<'_>| one.some("tool_calls").is_some() || matches!(&*one.str_of("role"), "tool" | "function");
        let answered = body.some("output").is_some_and(|output| output.some("role").is_some());
        if input.is_list() && (answered || input.items().iter().any(is_chat)) {
            return Some(&openai_chat::DIALECT);
        }
        // A model and an input alone may be a text to embed, and an input beside its output a log's own form.
        let is_item = |one: &Json<'_>| one.some("role").is_some() || one.some("type").is_some();
        let own = RESPONSES_OWN.iter().any(|key| body.some(key).is_some()) || input.items().iter().any(is_item);
        let is_request = own && body.some("model").is_some() && body.get("output").is_none();
        return is_request.then_some(&openai_responses::DIALECT);
    };
    let tool = body.some("tools").and_then(|tools| tools.items().first());
    let tool_has = |key: &str| tool.is_some_and(|tool| tool.some(key).is_some());
    let spoken = |roles: &[&str]| messages.items().iter().any(|message| roles.contains(&&*message.str_of("role")));
    let calls = || messages.items().iter().any(|message| message.some("tool_calls").is_some());
    let parts = || messages.items().iter().filter_map(|message| message.some("content")).flat_map(Json::items);
    if CHAT.iter().any(|key| body.some(key).is_some())
        || tool_has("function")
        || spoken(&["developer", "tool", "function"])
        || calls()
    {
        Some(&openai_chat::DIALECT)
    } else if body.some("system").is_some()
        || body.some("anthropic_version").is_some()
        || tool_has("input_schema")
        || parts().any(|part| anthropic_messages::is_own(&part.str_of("type")))
    {
        Some(&anthropic_messages::DIALECT)
    } else if spoken(&["system"]) {
        Some(&openai_chat::DIALECT)
    } else {
        None
    }
}
