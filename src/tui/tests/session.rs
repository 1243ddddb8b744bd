//! A small session in which everything happens: a clearing, a compaction, a rewind, a subagent, a picture, a damaged
//! line, and texts in other scripts and with sequences that would steer a terminal.

use base64::Engine;
use serde_json::{Value, json};

/// What would steer a terminal, or turn text round.
pub const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}live\u{200b}";

fn chained(kind: &str, uuid: &str, parent: &str, more: Value) -> Value {
    let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
    let mut record = json!({
        "parentUuid": parent, "isSidechain": false, "cwd": "/w", "sessionId": "S", "version": "2.1.20",
        "type": kind, "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z",
    });
    if let (Some(record), Value::Object(more)) = (record.as_object_mut(), more) {
        record.extend(more);
    }
    record
}

pub fn user(uuid: &str, parent: &str, content: impl Into<Value>) -> Value {
    chained("user", uuid, parent, json!({"message": {"role": "user", "content": content.into()}}))
}

pub fn answer(uuid: &str, parent: &str, blocks: Value, context: u64) -> Value {
    let usage = json!({"input_tokens": 3, "cache_read_input_tokens": context - 3, "output_tokens": 7});
    let message = json!({
        "id": format!("m-{uuid}"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "stop_reason": null, "content": blocks, "usage": usage,
    });
    chained("assistant", uuid, parent, json!({"message": message, "requestId": "req"}))
}

pub fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn result(uuid: &str, parent: &str, call: &str, content: impl Into<Value>) -> Value {
    user(uuid, parent, json!([{"type": "tool_result", "tool_use_id": call, "content": content.into()}]))
}

fn aside(mut record: Value) -> Value {
    record["isSidechain"] = json!(true);
    record
}

/// A picture of 8 × 8 pixels.
fn picture() -> String {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let pixels = image::RgbImage::from_pixel(8, 8, image::Rgb([200, 40, 40]));
    pixels.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    base64::engine::general_purpose::STANDARD.encode(bytes.into_inner())
}

/// The session as Claude Code records it: 9 requests and one about to be made.
pub fn session() -> Vec<u8> {
    let code: String = (1..=60).map(|line| format!("{line:>4}\tlet step_{line} = window.at({line});\n")).collect();
    let log: String = (1..=40).map(|line| format!("{line} 日本語のログ 👩‍👧 e\u{301}n passant {HOSTILE}\n")).collect();
    let task = json!({"description": "look around", "prompt": "look at two", "subagent_type": "general-purpose"});
    let records = [
        user("u1", "", "Fix the login — 登录坏了 👩‍👧‍👦, please"),
        answer(
            "a1",
            "u1",
            json!([text("I look."), call("c1", "Read", json!({"file_path": "/w/src/login.rs"}))]),
            20_100,
        ),
        result("r1", "a1", "c1", code),
        answer("a2", "r1", json!([call("c2", "Bash", json!({"command": format!("cat log # {HOSTILE}")}))]), 21_400),
        result("r2", "a2", "c2", log),
        answer("a3", "r2", json!([text("# Found\n\n- `step_7` is *wrong*\n\n```rust\nfn main() {}\n```")]), 23_900),
        user("u2", "a3", "Ask somebody else too"),
        answer("a4", "u2", json!([call("c3", "Task", task)]), 24_000),
        aside(user("x1", "", "look at two")),
        aside(answer("x2", "x1", json!([text("two seen")]), 9_000)),
        result("r3", "a4", "c3", "two seen"),
        chained(
            "system",
            "b1",
            "r3",
            json!({"subtype": "microcompact_boundary", "microcompactMetadata":
                {"trigger": "auto", "preTokens": 24_300, "tokensSaved": 900, "compactedToolIds": ["c1"]}}),
        ),
        answer("a5", "b1", json!([text("Both say so.")]), 23_500),
        user("u3", "a5", "This way leads nowhere"),
        answer("a6", "u3", json!([text("No.")]), 23_600),
        user(
            "u4",
            "a5",
            json!([text("See this"), {"type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": picture()}}]),
        ),
        answer("a7", "u4", json!([text("A red square.")]), 23_900),
        chained(
            "system",
            "b2",
            "a7",
            json!({"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 167_000}}),
        ),
        chained(
            "user",
            "s1",
            "b2",
            json!({"isCompactSummary": true, "message": {"role": "user", "content": "They fixed the login; 登录."}}),
        ),
        user("u5", "s1", "Go on"),
        answer("a8", "u5", json!([text("On it."), call("c4", "Grep", json!({"pattern": "step_7"}))]), 20_400),
        result("r4", "a8", "c4", "src/login.rs:7"),
        answer("a9", "r4", json!([text("step_7 is right now.")]), 20_500),
        user("u6", "a9", "Thanks"),
    ];
    let mut bytes: Vec<u8> = records.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect();
    bytes.extend_from_slice(b"{\"type\": \"user\", \"mess\x1b[31m\n");
    bytes
}
