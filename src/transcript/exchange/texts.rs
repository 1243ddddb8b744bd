//! Requests of which a program kept the parts as texts: lists of messages, answers and bodies as JSON in a string.

use crate::transcript::json::{Json, parse};

/// Keys under which messages or an answer may stand as a text.
pub(super) const KEPT: &[&str] = &["messages", "input", "prompt", "output"];

/// A record with such texts of it opened; `None` where it has none. What is no conversation stays the text that it is: an
/// answer may be JSON.
pub(super) fn opened(value: &Json<'_>) -> Option<Vec<u8>> {
    let open = |(name, held): &(&[u8], Json<'_>)| {
        let is_kept = KEPT.iter().any(|key| key.as_bytes() == *name);
        let begins = held.text().filter(|_| is_kept)?.trim_ascii_start();
        if !begins.starts_with(b"[") && !begins.starts_with(b"{") {
            return None;
        }
        let text = held.str()?.into_owned();
        let (inner, fault) = parse(text.as_bytes());
        (fault.is_none() && converses(&inner)).then_some(text)
    };
    let members = value.members();
    let texts: Vec<Option<String>> = members.iter().map(open).collect();
    if texts.iter().all(Option::is_none) {
        return None;
    }
    let mut record = Vec::with_capacity(value.raw.len());
    for ((name, held), text) in members.iter().zip(&texts) {
        record.extend_from_slice(if record.is_empty() { b"{\"" } else { b",\"" });
        record.extend_from_slice(name);
        record.extend_from_slice(b"\":");
        record.extend_from_slice(text.as_ref().map_or(held.raw, |text| text.as_bytes()));
    }
    record.push(b'}');
    Some(record)
}

/// Whether a value is messages, one message, or a body that holds some.
fn converses(value: &Json<'_>) -> bool {
    let is_said = |one: &Json<'_>| one.some("role").is_some_and(|role| role.text().is_some());
    let list = |held: &Json<'_>| !held.items().is_empty() && held.items().iter().all(is_said);
    let beside = ["content", "tool_calls", "function_call"];
    list(value)
        || is_said(value) && beside.iter().any(|key| value.get(key).is_some())
        || value.some("messages").is_some_and(list)
        || value.some("choices").is_some_and(Json::is_list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_is_opened() {
        let record = |text: &str| serde_json::json!({"model": "m", "input": text, "more": [1]}).to_string();
        for text in [r#"[{"role":"user","content":"a \"b\""}]"#, r#"{"messages":[{"role":"user","content":"x"}]}"#] {
            let found = opened(&parse(record(text).as_bytes()).0).unwrap();
            let found: serde_json::Value = serde_json::from_slice(&found).unwrap();
            let inner: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(found, serde_json::json!({"model": "m", "input": inner, "more": [1]}));
        }
        for text in ["What is [this]?", r#"{"name":"x"}"#, "[1, 2]", "[]", r#"[{"role":"user""#, r#"[{"a":1}]"#] {
            assert_eq!(opened(&parse(record(text).as_bytes()).0), None, "{text}");
        }
    }
}
