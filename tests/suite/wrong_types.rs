//! Members of a wrong type and impossible figures: each is told of where it stands, and nothing is half read.

use serde_json::{Value, json};
use windowpane::engine::{Known, recorded, sum_up};
use windowpane::model::{Layer, ThreadId, Transcript};

use crate::data;

fn session() -> Vec<Value> {
    let record = |kind: &str, uuid: &str, parent: Option<&str>, message: Value| {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "timestamp": "2026-01-01T00:00:00Z", "isSidechain": false, "message": message})
    };
    let said = |id: &str, content: Value, input: u64| {
        json!({"id": id, "role": "assistant", "model": "claude-opus-4-6", "stop_reason": "end_turn",
            "content": content, "usage": {"input_tokens": input, "output_tokens": 5, "cache_read_input_tokens": 10}})
    };
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "files", "is_error": false}]);
    vec![
        record("user", "u1", None, json!({"role": "user", "content": "hello there"})),
        record("assistant", "a1", Some("u1"), said("m1", call, 5000)),
        record("user", "u2", Some("a1"), json!({"role": "user", "content": result})),
        record("assistant", "a2", Some("u2"), said("m2", json!([{"type": "text", "text": "done"}]), 5100)),
        json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null, "sessionId": "s",
            "timestamp": "2026-01-01T00:00:04Z", "compactMetadata": {"trigger": "auto", "preTokens": 5110}}),
    ]
}

fn lines(records: &[Value]) -> Vec<u8> {
    records.iter().map(Value::to_string).collect::<Vec<_>>().join("\n").into_bytes()
}

fn open(records: &[Value], format: &str) -> Transcript {
    data::open_bytes(lines(records), Some(format)).1
}

#[test]
fn every_member_of_a_wrong_type_is_told_of_at_its_line() {
    assert!(open(&session(), "claude_code").warnings.is_empty());
    for (line, path) in [
        (1, "/message/content"),
        (1, "/timestamp"),
        (1, "/isSidechain"),
        (2, "/message/usage"),
        (2, "/message/usage/input_tokens"),
        (2, "/message/usage/cache_read_input_tokens"),
        (2, "/message/model"),
        (2, "/message/content/0"),
        (2, "/message/content/0/type"),
        (2, "/message/content/0/input"),
        (2, "/message/content/0/id"),
        (3, "/message/content/0/tool_use_id"),
        (3, "/message/content/0/content"),
        (3, "/message/content/0/is_error"),
        (4, "/message/content/0/text"),
        (4, "/message/id"),
        (5, "/compactMetadata"),
        (5, "/compactMetadata/trigger"),
        (5, "/compactMetadata/preTokens"),
    ] {
        let mut records = session();
        let held = records[line - 1].pointer_mut(path).expect("a member");
        *held = if held.is_string() && path != "/message/content" { json!(5) } else { json!({"not": "this"}) };
        if path.ends_with("usage") || path.ends_with("input") || path.ends_with("/0") || path == "/compactMetadata" {
            *held = json!("text");
        }
        let found = open(&records, "claude_code");
        let at: Vec<usize> = found.warnings.iter().map(|warning| warning.line as usize).collect();
        assert_eq!(at, [line], "{path}: {:?}", found.warnings);
        let name = path.rsplit('/').find(|name| name.parse::<u32>().is_err()).unwrap_or_default();
        assert!(found.warnings[0].message.contains(name), "{path}: {:?}", found.warnings);
    }
}

#[test]
fn a_report_with_an_impossible_figure_is_no_report() {
    for figure in [json!(-5), json!(1e300), json!(1e19), json!(u64::MAX), json!("5000"), json!([1])] {
        let mut records = session();
        records[1]["message"]["usage"]["cache_read_input_tokens"] = figure.clone();
        let found = open(&records, "claude_code");
        assert_eq!(found.threads[0].requests[0].usage, None, "{figure}");
        assert_eq!(found.warnings.len(), 1, "{figure}");

        let codex = |input: &Value| {
            json!({"type": "event_msg", "payload": {"type": "token_count", "info": {
                "total_token_usage": {"input_tokens": 5}, "last_token_usage":
                {"input_tokens": input, "output_tokens": 3, "total_tokens": 8}, "model_context_window": 272_000}}})
        };
        let item = |role: &str, kind: &str| {
            json!({"type": "response_item", "payload": {"type": "message", "role": role,
                "content": [{"type": kind, "text": "words of some length"}]}})
        };
        let rollout = [item("user", "input_text"), item("assistant", "output_text"), codex(&figure)];
        let found = open(&rollout, "codex");
        assert_eq!((found.threads[0].requests[0].usage, found.warnings.len()), (None, 1), "{figure}");
        let mut run = recorded(&found, ThreadId(0), Known::nothing().facts(&found, &found.threads[0]));
        sum_up(&mut run, None);
        for (total, step) in run.totals.iter().zip(run.steps.iter()) {
            let parts: u64 = total.layers.iter().sum();
            assert_eq!(parts, step.window_tokens.max(total.used()));
            assert_eq!(total.used(), total.counted + total.layers[Layer::Unlogged as usize]);
        }

        let pair = |usage: &Value| {
            json!({"request": {"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}]},
                "response": {"object": "chat.completion", "choices": [{"message": {"role": "assistant",
                "content": "yes"}}], "usage": {"prompt_tokens": usage, "completion_tokens": 1}}})
        };
        let found = open(&[pair(&figure)], "openai_chat");
        assert_eq!((found.threads[0].requests[0].usage, found.warnings.len()), (None, 1), "{figure}");
        let pair = json!({"request": {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user",
            "content": "hi"}]}, "response": {"type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "yes"}], "usage": {"input_tokens": figure, "output_tokens": 1}}});
        let found = open(&[pair], "anthropic_messages");
        assert_eq!((found.threads[0].requests[0].usage, found.warnings.len()), (None, 1), "{figure}");
    }
}

#[test]
fn wrong_types_in_requests_and_rollouts_are_told_in_plain_words() {
    let chat = |key: &str, value: Value| {
        let mut body = json!({"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}], "tools": []});
        *body.pointer_mut(key).expect("a member") = value;
        open(&[body], "openai_chat").warnings
    };
    for (key, value, words) in [
        ("/tools", json!({"a": 1}), "tools is no list"),
        ("/messages/0/content", json!(5), "neither text nor a list"),
        ("/messages/0/content", json!(["loose"]), "no object with a type"),
        ("/messages/0", json!("loose"), "a message is no object"),
        ("/messages/0/role", json!(5), "says no role"),
    ] {
        let found = chat(key, value);
        assert!(found.iter().any(|warning| warning.message.contains(words)), "{key}: {found:?}");
        assert!(found.iter().all(|warning| warning.line == 1 && !warning.message.contains("\"\"")), "{found:?}");
    }
    let compacted = |payload: Value| open(&[json!({"type": "compacted", "payload": payload})], "codex").warnings;
    assert!(compacted(json!({"message": "short"})).is_empty());
    assert!(compacted(json!({"message": 5}))[0].message.contains("no text"));
    assert!(compacted(json!({"message": "", "replacement_history": "x"}))[0].message.contains("no list"));
    assert!(compacted(json!({"message": "", "replacement_history": ["x"]}))[0].message.contains("no objects"));
}
