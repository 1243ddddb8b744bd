//! An answer that came as a stream of events, put together as the one body that it amounts to.
//!
//! Programs log what came over the wire: server-sent events as one text, or a list of them. Strings are joined as they
//! are stored, so that an escape that two events part is whole again.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::transcript::json::{Json, parse};

/// The body that a text or a list of events amounts to; `None` where it is neither JSON nor a stream.
pub(super) fn unfold(value: &Json<'_>) -> Option<Vec<u8>> {
    if value.is_list() {
        return assembled(value.items());
    }
    let begins = value.text()?.trim_ascii_start();
    let named = [&b"{"[..], b"[", b"data:", b"event:", b"\\n", b"\\r", b":"];
    if !named.iter().any(|mark| begins.starts_with(mark)) {
        return None;
    }
    let text = value.str()?;
    let (inner, fault) = parse(text.as_bytes());
    if fault.is_none() {
        return match assembled(inner.items()) {
            Some(body) => Some(body),
            None => (inner.is_object() || inner.is_list()).then(|| text.into_owned().into_bytes()),
        };
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(|line| parse(line.trim().as_bytes()));
    let events: Vec<Json<'_>> = data.filter(|(event, _)| event.is_object()).map(|(event, _)| event).collect();
    assembled(&events)
}

/// The body that events amount to; an event may stand under `data`, as some programs log them.
fn assembled(events: &[Json<'_>]) -> Option<Vec<u8>> {
    let inner = |event| match Json::some(event, "data") {
        Some(data) if data.is_object() => data,
        _ => event,
    };
    let events: Vec<&Json<'_>> = events.iter().map(inner).filter(|event| event.is_object()).collect();
    let kind = |begins: &str| events.iter().any(|event| event.str_of("type").starts_with(begins));
    if kind("response.") {
        responses(&events)
    } else if kind("message_start") || kind("content_block_") {
        Some(messages(&events))
    } else if events.iter().any(|event| event.str_of("object") == "chat.completion.chunk") {
        Some(chat(&events))
    } else {
        None
    }
}

/// An object as it is written, member by member.
#[derive(Default)]
struct Object(Vec<u8>);

impl Object {
    fn raw(&mut self, key: &[u8], value: &[u8]) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        self.0.push(b'"');
        self.0.extend_from_slice(key);
        self.0.extend_from_slice(b"\":");
        self.0.extend_from_slice(value);
    }

    /// A string, from what stands between its quotes.
    fn text(&mut self, key: &str, inner: &[u8]) {
        self.raw(key.as_bytes(), &quoted(inner));
    }

    fn end(mut self) -> Vec<u8> {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        self.0
    }
}

fn quoted(inner: &[u8]) -> Vec<u8> {
    [b"\"", inner, b"\""].concat()
}

fn list(items: Vec<Vec<u8>>) -> Vec<u8> {
    [b"[", items.join(&b',').as_slice(), b"]"].concat()
}

/// The last of a member's values among events, as it stands.
fn last<'a>(events: &[&Json<'a>], key: &str) -> Option<&'a [u8]> {
    events.iter().rev().find_map(|event| event.some(key)).map(|value| value.raw)
}

/// The parts of a string, joined.
#[derive(Default)]
struct Joined(Option<Vec<u8>>);

impl Joined {
    fn add(&mut self, part: Option<&Json<'_>>) {
        if let Some(inner) = part.and_then(Json::text) {
            self.0.get_or_insert_default().extend_from_slice(inner);
        }
    }
}

/// A tool call of a chat, as its parts come.
#[derive(Default)]
struct Call<'a> {
    id: &'a [u8],
    name: Joined,
    arguments: Joined,
}

/// OpenAI's chat: each event adds to a choice's message. The first choice is the answer.
fn chat(events: &[&Json<'_>]) -> Vec<u8> {
    let mut joined: [(&str, Joined); 4] =
        ["content", "reasoning_content", "reasoning", "refusal"].map(|key| (key, Joined::default()));
    let mut calls: Vec<Call<'_>> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut reason = None;
    let choices = events.iter().filter_map(|event| event.get("choices")).flat_map(Json::items);
    for choice in choices.filter(|choice| choice.count_of("index").unwrap_or(0) == 0) {
        reason = choice.some("finish_reason").or(reason);
        let Some(delta) = choice.some("delta").or_else(|| choice.some("message")) else { continue };
        for (key, text) in &mut joined {
            text.add(delta.get(key));
        }
        // Where a router gives the reasoning in details alone, it is in them.
        if let [_, _, (key, reasoning), _] = &mut joined
            && delta.some(key).is_none()
        {
            for detail in delta.get("reasoning_details").map(Json::items).unwrap_or_default() {
                reasoning.add(detail.some("text").or_else(|| detail.some("summary")));
            }
        }
        for part in delta.get("tool_calls").map(Json::items).unwrap_or_default() {
            let index = part.count_of("index").unwrap_or(0);
            let at = *places.entry(index).or_insert(calls.len());
            if at == calls.len() {
                calls.push(Call::default());
            }
            let Some(call) = calls.get_mut(at) else { continue };
            call.id = part.get("id").and_then(Json::text).filter(|id| !id.is_empty()).unwrap_or(call.id);
            let named = part.some("function").or_else(|| part.some("custom"));
            call.name.add(named.and_then(|named| named.get("name")));
            call.arguments.add(named.and_then(|named| named.get("arguments").or_else(|| named.get("input"))));
        }
    }
    let mut message = Object::default();
    message.text("role", b"assistant");
    for (key, text) in &joined {
        match &text.0 {
            Some(inner) => message.text(key, inner),
            None if *key == "content" => message.raw(key.as_bytes(), b"null"),
            None => {}
        }
    }
    if !calls.is_empty() {
        let call = |call: Call<'_>| {
            let (mut function, mut object) = (Object::default(), Object::default());
            function.text("name", &call.name.0.unwrap_or_default());
            function.text("arguments", &call.arguments.0.unwrap_or_default());
            object.text("id", call.id);
            object.text("type", b"function");
            object.raw(b"function", &function.end());
            object.end()
        };
        message.raw(b"tool_calls", &list(calls.into_iter().map(call).collect()));
    }
    let (mut choice, mut body) = (Object::default(), Object::default());
    choice.raw(b"finish_reason", reason.map_or(b"null", |reason| reason.raw));
    choice.raw(b"message", &message.end());
    body.text("object", b"chat.completion");
    for key in ["id", "model", "created", "usage", "error"] {
        if let Some(value) = last(events, key) {
            body.raw(key.as_bytes(), value);
        }
    }
    body.raw(b"choices", &list(vec![choice.end()]));
    body.end()
}

/// Members of blocks that come in parts: which delta they come in, and under which key.
const PARTS: &[(&str, &str)] = &[
    ("text", "text"),
    ("thinking", "thinking"),
    ("signature", "signature"),
    ("content", "content"),
    ("encrypted_content", "encrypted_content"),
];

/// Anthropic's messages: a message begins, its blocks begin and grow, and its end says what it used.
fn messages(events: &[&Json<'_>]) -> Vec<u8> {
    let of = |kind: &'static str| events.iter().filter(move |event| event.str_of("type") == kind);
    if let Some(failed) = of("error").next() {
        return failed.raw.to_vec();
    }
    let message = of("message_start").find_map(|event| event.some("message"));
    let ends: Vec<&Json<'_>> = of("message_delta").copied().collect();
    let mut body = Object::default();
    let deltas: Vec<&Json<'_>> = ends.iter().filter_map(|end| end.some("delta")).collect();
    let ending = |key: &str| last(&deltas, key).or_else(|| last(&ends, key));
    let own = ["content", "usage", "stop_reason", "context_management"];
    for (key, value) in message.map(Json::members).unwrap_or_default() {
        if !own.iter().any(|known| known.as_bytes() == *key) {
            body.raw(key, value.raw);
        }
    }
    if message.is_none() {
        body.raw(b"type", b"\"message\"");
        body.raw(b"role", b"\"assistant\"");
    }
    body.raw(b"stop_reason", ending("stop_reason").unwrap_or(b"null"));
    if let Some(managed) = ending("context_management") {
        body.raw(b"context_management", managed);
    }
    // How each block began, and what it grew by.
    let mut blocks: BTreeMap<u64, (Option<&Json<'_>>, Vec<&Json<'_>>)> = BTreeMap::new();
    for event in of("content_block_start") {
        if let Some((index, block)) = event.count_of("index").zip(event.some("content_block")) {
            blocks.entry(index).or_default().0.get_or_insert(block);
        }
    }
    for event in of("content_block_delta") {
        if let Some(index) = event.count_of("index") {
            blocks.entry(index).or_default().1.extend(event.some("delta"));
        }
    }
    body.raw(b"content", &list(blocks.into_values().map(|(start, deltas)| content_block(start, &deltas)).collect()));
    // What the end says of the usage stands over what the beginning said.
    let mut usage: Vec<(&[u8], &[u8])> = Vec::new();
    let said = message.into_iter().chain(ends.iter().copied()).filter_map(|part| part.some("usage"));
    for (key, value) in said.flat_map(Json::members).filter(|(_, value)| value.raw != b"null") {
        match usage.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value.raw,
            None => usage.push((key, value.raw)),
        }
    }
    if !usage.is_empty() {
        let mut object = Object::default();
        usage.into_iter().for_each(|(key, value)| object.raw(key, value));
        body.raw(b"usage", &object.end());
    }
    body.end()
}

/// A block, from how it began and what it grew by.
fn content_block(start: Option<&Json<'_>>, deltas: &[&Json<'_>]) -> Vec<u8> {
    let mut input = String::new();
    let mut grown: Vec<(&str, Joined)> = Vec::new();
    for delta in deltas {
        input.push_str(&delta.str_of("partial_json"));
        for (member, key) in PARTS {
            let Some(part) = delta.some(key).filter(|part| part.text().is_some()) else { continue };
            let at = grown.iter().position(|(known, _)| known == member).unwrap_or_else(|| {
                let mut joined = Joined::default();
                joined.add(start.and_then(|start| start.get(member)));
                grown.push((member, joined));
                grown.len() - 1
            });
            if let Some((_, joined)) = grown.get_mut(at) {
                joined.add(Some(part));
            }
        }
    }
    let mut object = Object::default();
    let kind: Cow<'_, str> = start.map(|start| start.str_of("type")).unwrap_or_else(|| {
        let member = grown.first().map_or("text", |(member, _)| *member);
        Cow::Borrowed(if input.is_empty() { member } else { "tool_use" })
    });
    if start.is_none() {
        object.raw(b"type", &quoted(kind.as_bytes()));
    }
    for (key, value) in start.map(Json::members).unwrap_or_default() {
        let grows = grown.iter().any(|(member, _)| member.as_bytes() == *key);
        if !grows && (*key != b"input" || input.is_empty()) {
            object.raw(key, value.raw);
        }
    }
    for (member, joined) in grown {
        object.text(member, &joined.0.unwrap_or_default());
    }
    if !input.is_empty() {
        let whole = parse(input.as_bytes()).1.is_none();
        let text = || serde_json::to_vec(&input).unwrap_or_default();
        object.raw(b"input", &if whole { input.as_bytes().to_vec() } else { text() });
    }
    object.end()
}

/// OpenAI's responses: the last event repeats the whole; where the stream broke off, the items that were done count.
fn responses(events: &[&Json<'_>]) -> Option<Vec<u8>> {
    let body = events.iter().rev().find_map(|event| event.some("response").filter(|body| body.is_object()))?;
    let done = |event: &&&Json<'_>| event.str_of("type") == "response.output_item.done";
    let items: Vec<Vec<u8>> =
        events.iter().filter(done).filter_map(|event| event.some("item")).map(|item| item.raw.to_vec()).collect();
    if items.is_empty() || body.get("output").is_some_and(|output| !output.items().is_empty()) {
        return Some(body.raw.to_vec());
    }
    let mut object = Object::default();
    for (key, value) in body.members().iter().filter(|(key, _)| *key != b"output") {
        object.raw(key, value.raw);
    }
    object.raw(b"output", &list(items));
    Some(object.end())
}

/// Whether a record is an event of such a stream, on a line of its own; the last of them repeats the whole answer.
pub(super) fn is_event(value: &Json<'_>) -> bool {
    value.str_of("type").starts_with("response.")
}

/// Whether it is the last.
pub(super) fn is_last(value: &Json<'_>) -> bool {
    ["response.completed", "response.incomplete", "response.failed"].contains(&&*value.str_of("type"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn unfolded(value: &Value) -> Option<Value> {
        let text = value.to_string();
        unfold(&parse(text.as_bytes()).0).map(|body| serde_json::from_slice(&body).unwrap_or_default())
    }

    /// The events as a list, and as they came over the wire.
    fn both(events: &[Value]) -> Vec<Value> {
        let lines = |event: &Value| format!("event: x\ndata: {event}\n\n");
        let wire = events.iter().map(lines).chain(["data: [DONE]\n".to_owned()]).collect::<String>();
        let under: Vec<Value> = events.iter().map(|event| json!({"event": "x", "data": event})).collect();
        [json!(events), json!(wire), json!(under)].iter().filter_map(unfolded).collect()
    }

    #[test]
    fn a_chat_is_put_together() {
        let delta = |delta: Value| {
            json!({"id": "c", "object": "chat.completion.chunk", "model": "m",
            "choices": [{"index": 0, "delta": delta}, {"index": 1, "delta": {"content": "other"}}]})
        };
        let call = |part: Value| delta(json!({"tool_calls": [part]}));
        let events = [
            delta(json!({"role": "assistant", "content": "h\n"})),
            delta(json!({"content": "é\"i"})),
            call(json!({"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": ""}})),
            call(json!({"index": 0, "function": {"arguments": "{\"a\":"}})),
            call(json!({"index": 1, "id": "u", "function": {"name": "g", "arguments": "{}"}})),
            call(json!({"index": 0, "function": {"arguments": "1}"}})),
            json!({"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 9}}),
        ];
        let found = both(&events);
        assert_eq!(found.len(), 3);
        for body in found {
            let message = &body["choices"][0]["message"];
            assert_eq!((&message["content"], &body["usage"]["prompt_tokens"]), (&json!("h\né\"i"), &json!(9)));
            assert_eq!(message["tool_calls"][0]["function"], json!({"name": "f", "arguments": "{\"a\":1}"}));
            assert_eq!(message["tool_calls"][1]["id"], "u");
        }
    }

    #[test]
    fn reasoning_that_comes_in_details_alone_is_put_together_once() {
        let part = |delta: Value| json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]});
        let details = |text: &str| json!([{"type": "reasoning.text", "text": text}]);
        let alone =
            [part(json!({"reasoning_details": details("Let ")})), part(json!({"reasoning_details": details("me.")}))];
        let twice = [part(json!({"reasoning": "Let me.", "reasoning_details": details("Let me.")}))];
        for body in both(&alone).into_iter().chain(both(&twice)) {
            assert_eq!(body["choices"][0]["message"]["reasoning"], "Let me.");
        }
    }

    #[test]
    fn a_message_is_put_together() {
        let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        let begin =
            |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
        let events = [
            json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant",
                "content": [], "stop_reason": null, "usage": {"input_tokens": 25, "output_tokens": 1}}}),
            begin(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
            delta(0, json!({"type": "signature_delta", "signature": "s"})),
            begin(1, json!({"type": "text", "text": ""})),
            delta(1, json!({"type": "text_delta", "text": "a"})),
            delta(1, json!({"type": "text_delta", "text": "b"})),
            begin(2, json!({"type": "tool_use", "id": "t", "name": "f", "input": {}})),
            delta(2, json!({"type": "input_json_delta", "partial_json": "{\"z\": 1,"})),
            delta(2, json!({"type": "input_json_delta", "partial_json": " \"a\": \"\\n\"}"})),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 15},
                "context_management": {"applied_edits": []}}),
            json!({"type": "message_stop"}),
        ];
        let found = both(&events);
        assert_eq!(found.len(), 3);
        for body in found {
            let content = json!([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "ab"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"z": 1, "a": "\n"}}]);
            assert_eq!((&body["content"], &body["stop_reason"]), (&content, &json!("tool_use")));
            assert_eq!(body["usage"], json!({"input_tokens": 25, "output_tokens": 15}));
            assert!(body["context_management"].is_object() && body["id"] == "m");
        }
    }

    #[test]
    fn a_response_is_its_last_event_or_the_items_that_were_done() {
        let item = json!({"type": "message", "role": "assistant", "content": []});
        let done = json!({"type": "response.output_item.done", "item": item});
        let begun = json!({"type": "response.created", "response": {"id": "r", "output": []}});
        let ended = json!({"type": "response.completed", "response": {"id": "r", "output": [item], "usage": {}}});
        for (events, usage) in [(vec![begun.clone(), done.clone()], false), (vec![begun, done, ended], true)] {
            for body in both(&events) {
                assert_eq!((&body["output"], body.get("usage").is_some()), (&json!([item]), usage));
            }
        }
    }

    #[test]
    fn bodies_kept_as_text_are_bodies_and_other_texts_are_not() {
        assert_eq!(unfolded(&json!("{\"a\": 1}")), Some(json!({"a": 1})));
        for other in
            [json!("hello"), json!("{no"), json!("data: nothing"), json!([{"role": "user"}]), json!({}), json!(7)]
        {
            assert_eq!(unfolded(&other), None, "{other}");
        }
    }
}
