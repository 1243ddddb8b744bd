//! Out of whatever a program wrapped them in: a request's body and its response's.

use base64::Engine as _;

use crate::model::{BlockKind, Coding, Layer, Role};
use crate::transcript::json::{Json, parse};
use crate::transcript::parts::Piece;
use crate::transcript::stored::Stored;

use super::editing::Editing;
use super::made::{Made, part_of};
use super::stream::unfold;
use super::texts::opened;
use super::vendor::answers;
use super::{Answer, Dialect, Exchange, Said, plain};

/// Characters of a name or an id that are kept.
const ID: usize = 300;

/// The key under which a proxy keeps the whole request, where it keeps its messages apart.
const PROXIED: &str = "proxy_server_request";
/// Keys under which programs keep a request.
pub(super) const REQUESTS: &[&str] = &[
    "request",
    "req",
    "request_body",
    "requestBody",
    "request_json",
    "input_body",
    "raw_request",
    "body",
    "params",
    "kwargs",
    PROXIED,
];
/// Keys under which they keep its response.
pub(super) const RESPONSES: &[&str] =
    &["response", "res", "response_body", "responseBody", "response_json", "output_body", "raw_response", "result"];
/// Keys under which either keeps its body.
pub(super) const BODIES: &[&str] = &[
    "body",
    "parsed_body",
    "body_raw",
    "json",
    "data",
    "payload",
    "message",
    "chunks",
    "inputBodyJson",
    "outputBodyJson",
];
/// Where a record of a browser's or a proxy's (HAR) has the body of a request, and of a response, as a text.
pub(super) const TEXTS: [(&str, &str); 2] = [("postData", "text"), ("content", "text")];
/// Envelopes whose own keys mean something else as a rule, and the key of the body in each: a request's twice, a
/// response's.
pub(super) const ENVELOPES: [(&str, &str); 3] =
    [("input", "inputBodyJson"), ("input", "messages"), ("output", "outputBodyJson")];
/// Keys of an id that the requests of one conversation share.
const SHARED: &[&str] = &["conversation_id", "session_id", "sessionId", "thread_id", "prompt_cache_key"];

/// Keys of an id that a request and its response share.
const CALLS: &[&str] = &["request_id", "requestId", "call_id", "callId", "id"];

/// Makes spans of a part of what was read.
pub(super) type Store<'s, 'a> = &'s dyn Fn(&'a [u8]) -> Stored<'a>;

/// A body as it stands, or the one that a text or a stream of events amounts to.
enum Held<'j, 'a> {
    There(&'j Json<'a>),
    Unfolded(Vec<u8>),
}

/// The body that a text in base64 holds: JSON, or the events of a stream put together.
fn decoded(text: &Json<'_>) -> Option<Vec<u8>> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text.text()?).ok()?;
    let text = serde_json::to_string(std::str::from_utf8(&bytes).ok()?).ok()?;
    unfold(&parse(text.as_bytes()).0)
}

impl<'j, 'a> Held<'j, 'a> {
    fn of(value: &'j Json<'a>) -> Self {
        unfold(value).or_else(|| opened(value)).map_or(Held::There(value), Held::Unfolded)
    }

    /// The body inside an envelope (headers, status, URL), or the value itself.
    fn inside(value: &'j Json<'a>) -> Self {
        let text = TEXTS.iter().find_map(|(outer, inner)| Some((value.some(outer)?, inner)));
        let text = text.and_then(|(outer, inner)| Some((outer.some("encoding"), outer.some(inner)?)));
        if let Some((Some(encoding), text)) = text
            && encoding.str().as_deref() == Some("base64")
            && let Some(body) = decoded(text)
        {
            return Held::Unfolded(body);
        }
        if let Some(held @ Held::Unfolded(_)) = text.map(|(_, text)| Held::of(text)) {
            return held;
        }
        match BODIES.iter().find_map(|key| value.some(key)).map(Held::of) {
            Some(held @ Held::Unfolded(_)) => held,
            Some(Held::There(inner)) if inner.is_object() => Held::There(inner),
            _ => Held::of(value),
        }
    }

    fn is_request(&self, dialect: &Dialect) -> bool {
        match self {
            Held::There(value) => is_request(dialect, value),
            Held::Unfolded(text) => is_request(dialect, &parse(text).0),
        }
    }

    fn ask(&self, dialect: &Dialect, store: Store<'_, 'a>, made: &mut Made, exchange: &mut Exchange) {
        match self {
            Held::There(value) => ask(dialect, value, store, exchange),
            Held::Unfolded(text) => {
                let record = made.add(text);
                ask(dialect, &parse(text).0, &|part| part_of(text, record, part), exchange);
            }
        }
    }

    fn answer(&self, dialect: &Dialect, store: Store<'_, 'a>, made: &mut Made) -> Option<Answer> {
        match self {
            Held::There(value) if value.is_object() => (dialect.answer)(&store(value.raw), value),
            Held::There(_) => None,
            Held::Unfolded(text) => {
                let (value, before) = (parse(text).0, made.text.len());
                let record = made.add(text);
                let answer = (dialect.answer)(&part_of(text, record, value.raw), &value);
                if answer.is_none() {
                    made.text.truncate(before);
                }
                answer
            }
        }
    }
}

/// The request and response in a value; `None` where there is neither. What had to be put together goes to `made`.
pub(super) fn exchange<'a>(
    dialect: &Dialect,
    value: &Json<'a>,
    store: Store<'_, 'a>,
    made: &mut Made,
) -> Option<Exchange> {
    let stored = store(value.raw);
    let call = CALLS.iter().find_map(|key| string(value, key));
    let mut exchange = Exchange { at: time(value), shared: shared(value), call, ..Exchange::of(stored.record) };
    if value.is_list() {
        return list(dialect, value, store, made, exchange);
    }
    if let Some(said) = (dialect.told)(&stored, value) {
        exchange.messages = said;
        exchange.asked = true;
        return Some(exchange);
    }
    let under = |keys: &'static [&str]| keys.iter().filter_map(|key| value.some(key)).chain(envelope(value, keys));
    let proxied = value.some(PROXIED).map(Held::inside).filter(|held| held.is_request(dialect));
    if let Some(request) = proxied {
        request.ask(dialect, store, made, &mut exchange);
    } else if is_request(dialect, value) {
        ask(dialect, value, store, &mut exchange);
    } else if let Some(request) = under(REQUESTS).map(Held::inside).find(|held| held.is_request(dialect)) {
        request.ask(dialect, store, made, &mut exchange);
    }
    let mut answers = under(RESPONSES).chain(under(REQUESTS)).map(Held::inside);
    // Some programs keep both in one object.
    exchange.answer =
        answers.find_map(|held| held.answer(dialect, store, made)).or_else(|| (dialect.answer)(&stored, value));
    if exchange.answer.is_none() && exchange.asked && !exchange.is_complete() {
        let (before, answer) = plain::answer(dialect, value, store);
        exchange.messages.extend(before);
        exchange.answer = answer;
    }
    once(&mut exchange);
    let says = |held: &Json<'_>| !matches!(held.raw, b"{}" | b"[]" | b"\"\"");
    if exchange.asked && !exchange.is_complete() && exchange.answer.is_none() && under(RESPONSES).any(says) {
        exchange.faults.push("the response is in no form that is known: what was answered is not read".to_owned());
    }
    if !exchange.asked && value.some(dialect.messages).is_some_and(|held| held.text().is_some() && says(held)) {
        exchange
            .faults
            .push(format!("{} is a text in no form that is known: what was asked is not read", dialect.messages));
    }
    if exchange.model.is_none() {
        exchange.model = string(value, "modelId").or_else(|| string(value, "model"));
        exchange.asked_of.clone_from(&exchange.model);
    }
    if exchange.asked && exchange.answer.is_none() {
        exchange.answer = reported(dialect, value, &mut exchange.messages);
    }
    settle(exchange)
}

/// Takes the answer out of the messages, where a program had added it to their list before it wrote that down.
fn once(exchange: &mut Exchange) {
    let Some(answer) = exchange.answer.as_ref().filter(|answer| !answer.said.is_empty()) else { return };
    let keys = |said: &Said| said.pieces.iter().map(|piece| piece.key).collect::<Vec<_>>();
    let at = exchange.messages.len().saturating_sub(answer.said.len());
    let last = exchange.messages.get(at..).unwrap_or_default();
    if last.len() == answer.said.len()
        && last.iter().zip(&answer.said).all(|(one, other)| one.by_model && keys(one) == keys(other))
    {
        exchange.messages.truncate(at);
    }
}

/// The answer to messages that are kept with what was used: what the model said last. Where it said nothing, the answer
/// is not there, and what the next request begins with would be taken for one more.
fn reported(dialect: &Dialect, value: &Json<'_>, messages: &mut Vec<Said>) -> Option<Answer> {
    let mut answer = answered(value);
    answer.report(value, dialect.usage);
    answer.usage.filter(|usage| usage.context() > 0)?;
    let count = messages.iter().rev().take_while(|said| said.by_model).count();
    let count = if dialect.items { count } else { count.min(1) };
    answer.said = messages.split_off(messages.len().saturating_sub(count));
    (count > 0).then_some(answer)
}

/// A request's or a response's envelope that is told by its body's key alone.
fn envelope<'j, 'a>(value: &'j Json<'a>, keys: &[&str]) -> Option<&'j Json<'a>> {
    let [body, messages, answer] = ENVELOPES;
    let of =
        |(outer, inner): (&str, &str)| value.some(outer).filter(|held| held.is_object() && held.some(inner).is_some());
    if keys == REQUESTS { of(body).or_else(|| of(messages)) } else { of(answer) }
}

/// What a response says of its request counts where the request is not there.
fn settle(mut exchange: Exchange) -> Option<Exchange> {
    if let Some(answer) = &mut exchange.answer {
        exchange.at = exchange.at.or(answer.at);
        exchange.model = answer.model.take().or(exchange.model);
        let prefix = std::mem::take(&mut answer.prefix);
        if !exchange.asked {
            exchange.prefix = prefix;
            exchange.after = answer.after.take();
        }
    }
    (exchange.asked || exchange.answer.is_some()).then_some(exchange)
}

/// `[request, response]`, the events of a response, or the messages themselves.
fn list<'a>(
    dialect: &Dialect,
    value: &Json<'a>,
    store: Store<'_, 'a>,
    made: &mut Made,
    mut exchange: Exchange,
) -> Option<Exchange> {
    if let [request, response] = value.items()
        && let request = Held::of(request)
        && request.is_request(dialect)
        && !is_request(dialect, response)
        && let Some(answer) = Held::of(response).answer(dialect, store, made)
    {
        request.ask(dialect, store, made, &mut exchange);
        exchange.answer = Some(answer);
        return settle(exchange);
    }
    exchange.answer = unfold(value).and_then(|text| Held::Unfolded(text).answer(dialect, store, made));
    if exchange.answer.is_none() {
        messages(dialect, value, store, &mut exchange);
        exchange.asked = !exchange.messages.is_empty();
    }
    settle(exchange)
}

/// Whether a record that says no role is a request, or an envelope of one or of a response.
pub(super) fn is_wrapped(dialect: &Dialect, value: &Json<'_>) -> bool {
    // What a tool is called with may be named an input, too.
    if ["role", "call_id"].iter().any(|key| value.some(key).is_some()) {
        return false;
    }
    let asks = |held: &Json<'_>| Held::inside(held).is_request(dialect);
    is_request(dialect, value) || REQUESTS.iter().filter_map(|key| value.some(key)).any(asks) || answers(value)
}

/// Whether a value is a request's body.
pub(super) fn is_request(dialect: &Dialect, value: &Json<'_>) -> bool {
    let held = value.some(dialect.messages);
    held.is_some_and(|held| held.is_list() || dialect.items && held.text().is_some())
        || plain::prompt(dialect, value).is_some()
}

fn ask<'a>(dialect: &Dialect, value: &Json<'a>, store: Store<'_, 'a>, exchange: &mut Exchange) {
    let stored = store(value.raw);
    exchange.asked = true;
    exchange.model = string(value, "model");
    exchange.asked_of.clone_from(&exchange.model);
    if dialect.items {
        let conversation = value.some("conversation").map(|held| held.some("id").unwrap_or(held));
        exchange.kept = conversation.and_then(short);
        exchange.after = string(value, "previous_response_id");
        let id = value.some("previous_response_id").or(conversation).and_then(Json::text);
        exchange.unseen = id.filter(|id| !id.is_empty()).map(|id| {
            let mut piece = Piece::hidden(BlockKind::Text, Layer::Assistant, &stored, Some(id));
            "earlier history, not in the body".clone_into(&mut piece.draft.label);
            Said::new(Role::Assistant, false, &stored, vec![piece], Vec::new())
        });
    }
    exchange.shared = shared(value).or(exchange.shared.take());
    exchange.prefix = (dialect.prefix)(&stored, value);
    if value.some("tools").is_some_and(|tools| !tools.is_list() && tools.text().is_none()) {
        exchange.faults.push("tools is no list: no tool is read".to_owned());
    }
    if let Some(mark) = value.some("cache_control") {
        exchange.automatic = mark.is_object().then(|| stored.span(mark.raw, Coding::Plain));
        exchange.settings.push("cache_control".to_owned());
    }
    let edits = value.some("context_management").map(|held| held.get("edits").unwrap_or(held));
    let edits = edits.map(Json::items).unwrap_or_default();
    exchange.editing = Editing::of(edits);
    for edit in edits {
        exchange.settings.push(format!("context_management.{}", edit.str_of("type")));
    }
    match value.get(dialect.messages) {
        Some(held) if held.text().is_some() => exchange.messages.push((dialect.message)(&store(held.raw), held)),
        Some(held) => messages(dialect, held, store, exchange),
        None => {
            let prompt = plain::prompt(dialect, value);
            exchange.messages.extend(prompt.into_iter().flat_map(|prompt| plain::prompted(dialect, prompt, store)));
        }
    }
}

fn messages<'a>(dialect: &Dialect, list: &Json<'a>, store: Store<'_, 'a>, exchange: &mut Exchange) {
    for value in list.items().iter().filter(|value| value.whole) {
        if value.is_object() {
            exchange.messages.push((dialect.message)(&store(value.raw), value));
        } else {
            let kept = Said {
                unknown: vec!["a message is no object: its JSON is kept as text".to_owned()],
                ..(dialect.message)(&store(value.raw), value)
            };
            exchange.messages.push(kept);
        }
    }
}

/// A name or an id that is a member of a value.
pub fn string(value: &Json<'_>, key: &str) -> Option<String> {
    value.get(key).and_then(short)
}

fn short(value: &Json<'_>) -> Option<String> {
    value.str().filter(|text| !text.is_empty()).map(|text| text.chars().take(ID).collect())
}

fn shared(value: &Json<'_>) -> Option<String> {
    let own = SHARED.iter().find_map(|key| string(value, key));
    let inner = |key: &str| value.some(key).and_then(|inner| SHARED.iter().find_map(|key| string(inner, key)));
    let user = || value.some("metadata").and_then(|metadata| string(metadata, "user_id"));
    let conversation = || value.some("conversation").and_then(|held| string(held, "id"));
    own.or_else(|| inner("metadata")).or_else(user).or_else(conversation).or_else(|| string(value, "conversation"))
}

/// Keys of the time at which a request was sent.
const TIMES: &[&str] = &[
    "timestamp",
    "created_at",
    "startedDateTime",
    "time",
    "ts",
    "startTime",
    "start_time",
    "request_created_at",
    "createdAt",
];

/// When it was sent, as the envelope says.
fn time(value: &Json<'_>) -> Option<i64> {
    TIMES.iter().find_map(|key| moment(value.some(key)?))
}

/// A moment as text, in seconds, or in milliseconds.
pub(super) fn moment(value: &Json<'_>) -> Option<i64> {
    if let Some(text) = value.text() {
        return crate::transcript::time::milliseconds(text);
    }
    let number = i64::try_from(value.count()?).ok()?;
    // Seconds reach this figure in the year 5138.
    if number < 100_000_000_000 { number.checked_mul(1_000) } else { Some(number) }
}

/// Types of what a tracer records that is no request to a model.
const TRACED: &[&str] =
    &["SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"];

/// Whether a record is a part of a trace that is no request to a model; it may hold one's messages.
pub(super) fn is_around(value: &Json<'_>) -> bool {
    ["traceId", "trace_id"].iter().any(|key| value.some(key).is_some()) && TRACED.contains(&&*value.str_of("type"))
}

/// Whether a record only asks how many tokens a request would have: nothing is sent to a model.
pub(super) fn counts_tokens(value: &Json<'_>) -> bool {
    let url = value.some("request").and_then(|request| request.some("url")).or_else(|| value.some("url"));
    let path = url.map(|url| url.str().unwrap_or_default());
    let path = path.as_deref().map(|url| url.split(['?', '#']).next().unwrap_or_default());
    if path.is_some_and(|path| path.ends_with("/count_tokens") || path.ends_with("/input_tokens")) {
        return true;
    }
    let counts = |body: &Json<'_>| {
        let beside = |key: &[u8]| matches!(key, b"input_tokens" | b"object" | b"context_management");
        body.count_of("input_tokens").is_some() && body.members().iter().all(|(key, _)| beside(key))
    };
    RESPONSES.iter().filter_map(|key| value.some(key)).any(|response| match Held::inside(response) {
        Held::There(body) => counts(body),
        Held::Unfolded(text) => counts(&parse(&text).0),
    })
}

/// What is common to the responses of all vendors.
#[must_use]
pub fn answered(value: &Json<'_>) -> Answer {
    let error = value.some("error").map(|error| {
        let told = string(error, "message").or_else(|| error.str().map(std::borrow::Cow::into_owned));
        let code = error.str_of("code");
        format!("{code} {}", told.unwrap_or_default()).trim().to_owned()
    });
    Answer {
        id: string(value, "id"),
        model: string(value, "model"),
        at: ["created", "created_at"].iter().find_map(|key| moment(value.some(key)?)),
        error,
        ..Answer::default()
    }
}
