//! What a file of requests looks like, before it is read: the bodies in its head, out of their wrappings.

use serde_json::Value;

use crate::transcript::Probe;
use crate::transcript::skim::likeness;

use super::read::{LISTS, MEANS};
use super::texts::KEPT;
use super::unwrap::{BODIES, ENVELOPES, REQUESTS, RESPONSES};

/// Keys of an envelope that may hold a body.
fn wrappers() -> impl Iterator<Item = &'static str> {
    let bodies = BODIES.iter().filter(|key| **key != "message" && !LISTS.contains(key));
    [REQUESTS, RESPONSES, LISTS].into_iter().flatten().chain(bodies).copied()
}

/// Whether a body may stand under that key, be it as a text.
#[must_use]
pub fn wraps(key: &str) -> bool {
    wrappers().any(|known| known == key)
}

/// The likenesses of bodies that stand in a value as texts: as JSON, or as the events of a stream.
pub fn opened(value: &Value, depth: usize, found: &mut Vec<Value>) {
    let object = match value {
        Value::Array(items) if depth < 2 => return items.iter().for_each(|item| opened(item, depth, found)),
        Value::Object(object) => object,
        _ => return,
    };
    if depth < 2 {
        let kept = KEPT.iter().filter_map(|key| object.get(*key)?.as_str()).map(str::trim_start);
        found.extend(kept.filter(|text| text.starts_with(['{', '['])).map(likeness).filter(converses));
    }
    for held in wrappers().filter_map(|key| object.get(key)) {
        match held {
            Value::String(text) => {
                let data = text.lines().find_map(|line| line.strip_prefix("data:"));
                let begin = data.unwrap_or(text).trim_start();
                if begin.starts_with(['{', '[']) {
                    found.push(likeness(begin));
                }
            }
            Value::Object(_) | Value::Array(_) if depth < 4 => opened(held, depth + 1, found),
            _ => {}
        }
    }
}

/// Whether the likeness of a text is of messages, or of a body that holds some.
fn converses(text: &Value) -> bool {
    let list = |held: &Value| held.get(0).is_some_and(|first| first.get("role").is_some());
    list(text) || text.get("messages").is_some_and(list)
}

/// The likenesses of what a file holds.
#[derive(Default)]
pub struct Look<'a> {
    /// Objects that may be a request's or a response's body.
    pub bodies: Vec<&'a Value>,
    /// Messages or items, of requests and bare lists.
    pub messages: Vec<&'a Value>,
}

/// Looks at the head of a file; messages stand under any of these keys, or bare in a list.
#[must_use]
pub fn look<'a>(probe: &'a Probe<'_>, keys: &[&str]) -> Look<'a> {
    let mut look = Look::default();
    for value in probe.values().chain(&probe.opened) {
        look.value(value, keys, 0);
    }
    look
}

impl<'a> Look<'a> {
    fn value(&mut self, value: &'a Value, keys: &[&str], depth: usize) {
        match value {
            Value::Array(items) if depth < 3 => {
                // Lists of bodies, pairs, or messages.
                for item in items {
                    if is_message(item) { self.messages.push(item) } else { self.value(item, keys, depth + 1) }
                }
            }
            Value::Object(object) if depth < 4 => {
                if depth == 0 {
                    self.messages.extend(enclosed(value).or_else(|| is_message(value).then_some(value)));
                }
                self.bodies.push(value);
                for key in keys {
                    let held = object.get(*key).and_then(Value::as_array);
                    self.messages.extend(held.into_iter().flatten().filter(|item| item.is_object()));
                }
                for (outer, inner) in ENVELOPES {
                    if let Some(held) = object.get(outer).and_then(|held| held.get(inner)) {
                        self.value(held, keys, depth + 1);
                    }
                }
                for key in wrappers() {
                    if let Some(inner @ (Value::Object(_) | Value::Array(_))) = object.get(key) {
                        self.value(inner, keys, depth + 1);
                        // The result of a batch holds its message.
                        self.bodies.extend(inner.get("message").filter(|held| held.is_object()));
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether some body has the key.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.bodies.iter().any(|body| body.get(key).is_some_and(|value| !value.is_null()))
    }

    /// Whether some body's key is this text.
    #[must_use]
    pub fn is(&self, key: &str, text: &str) -> bool {
        self.bodies.iter().any(|body| body.get(key).and_then(Value::as_str) == Some(text))
    }

    /// Whether some model's name begins so.
    #[must_use]
    pub fn model(&self, begins: &[&str]) -> bool {
        let names = self.bodies.iter().filter_map(|body| body.get("model")?.as_str());
        names
            .into_iter()
            .any(|name| begins.iter().any(|begin| name.rsplit('/').next().unwrap_or(name).starts_with(begin)))
    }

    /// Whether some definition of a tool is so.
    #[must_use]
    pub fn tool(&self, is: impl Fn(&Value) -> bool) -> bool {
        self.bodies.iter().filter_map(|body| body.get("tools")?.as_array()).flatten().any(is)
    }

    /// Whether some message speaks in one of these roles.
    #[must_use]
    pub fn role(&self, roles: &[&str]) -> bool {
        self.messages
            .iter()
            .any(|message| message.get("role").and_then(Value::as_str).is_some_and(|role| roles.contains(&role)))
    }

    /// Whether some message has the key.
    #[must_use]
    pub fn message_has(&self, key: &str) -> bool {
        self.messages.iter().any(|message| message.get(key).is_some_and(|value| !value.is_null()))
    }

    /// Whether some message, or a part of its content, is of a type that is so.
    #[must_use]
    pub fn kind(&self, is: impl Fn(&str) -> bool) -> bool {
        self.kinds().any(is)
    }

    fn kinds(&self) -> impl Iterator<Item = &'a str> + '_ {
        let bodies = self.bodies.iter().copied();
        self.messages.iter().copied().chain(bodies).flat_map(|message| {
            let parts = ["content", "output"].iter().filter_map(|key| message.get(key)?.as_array()).flatten();
            let own = message.get("role").is_some() || message.get("type").is_some();
            parts.chain(own.then_some(message)).filter_map(|part| part.get("type")?.as_str())
        })
    }
}

/// The message that a record is an envelope of.
fn enclosed(value: &Value) -> Option<&Value> {
    let inner = value.get("message").filter(|inner| inner.get("role").is_some_and(Value::is_string))?;
    (!MEANS.iter().any(|key| value.get(key).is_some_and(|held| !held.is_null()))).then_some(inner)
}

/// Whether a value is a message or an item, rather than a body that holds some, or an event that holds a body.
fn is_message(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    if value.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("response.")) {
        return false;
    }
    (has("role") && (has("content") || has("tool_calls") || has("function_call") || has("tools"))
        || has("type") && !has("output"))
        && !has("messages")
        && !has("choices")
        && !has("stop_reason")
}
