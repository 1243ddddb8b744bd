//! Claude Code's stream: sessions that follow each other in one file, their tools, compactions and windows.

use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::engine::{Known, recorded};
use windowpane::model::{Fate, Layer, Run, ThreadId, Transcript, WindowSource};

use crate::data;

fn init(session: &str, tools: &[&str]) -> Value {
    json!({"type": "system", "subtype": "init", "cwd": "/x", "session_id": session, "tools": tools, "model": "m"})
}

fn hook(session: &str, text: &str) -> Value {
    json!({"type": "system", "subtype": "hook_response", "session_id": session, "hook_event": "SessionStart",
        "stdout": text})
}

fn user(session: &str, text: &str) -> Value {
    json!({"type": "user", "session_id": session, "parent_tool_use_id": null,
        "message": {"role": "user", "content": text}})
}

fn answer(session: &str, id: &str, input: u64) -> Value {
    json!({"type": "assistant", "session_id": session, "parent_tool_use_id": null, "message": {"id": id,
        "role": "assistant", "model": "claude-opus-4-6", "content": [{"type": "text", "text": id}],
        "usage": {"input_tokens": input, "output_tokens": 1}}})
}

fn read(lines: &[Value]) -> (Sources, Transcript, Run) {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let (sources, transcript) = data::open_bytes(text.join("\n").into_bytes(), Some("claude_stream_json"));
    let run = recorded(&transcript, ThreadId(0), Known::nothing().facts(&transcript, &transcript.threads[0]));
    (sources, transcript, run)
}

fn window(read: &(Sources, Transcript, Run), step: u32) -> Vec<String> {
    let (sources, transcript, run) = read;
    let blocks = run.window(step).into_iter().filter_map(|id| transcript.block(run.entry(id)?.block()?));
    blocks.map(|block| sources.body_text(&block.body).expect("text")).collect()
}

#[test]
fn another_session_has_its_own_window_and_tools_whatever_hooks_say_first() {
    let read = read(&[
        hook("s", "hello"),
        init("s", &["Bash"]),
        user("s", "one"),
        answer("s", "m1", 900),
        hook("t", "welcome"),
        init("t", &["Read", "Edit"]),
        user("t", "two"),
        answer("t", "m2", 300),
    ]);
    assert_eq!(window(&read, 1), ["Bash", "hello", "one"]);
    assert_eq!(window(&read, 2), ["Read\nEdit", "welcome", "two"]);
}

#[test]
fn only_what_had_grown_can_go_on_under_another_name() {
    let lines = |grown: u64, next: u64| {
        read(&[
            init("s", &["Bash"]),
            user("s", "one"),
            answer("s", "m1", 900),
            user("s", "two"),
            answer("s", "m2", grown),
            init("t", &["Bash"]),
            user("t", "three"),
            answer("t", "m3", next),
        ])
    };
    assert_eq!(window(&lines(1000, 1100), 3), ["Bash", "three"], "a session that is a little larger");
    assert_eq!(window(&lines(9000, 9100), 3), ["Bash", "one", "m1", "two", "m2", "three"], "one that was resumed");
    assert_eq!(window(&lines(9000, 950), 3), ["Bash", "three"]);
}

#[test]
fn a_session_that_begins_each_turn_anew_goes_on_with_one_list_of_tools() {
    let read = read(&[
        init("s", &["Bash"]),
        user("s", "one"),
        answer("s", "m1", 900),
        init("s", &["Bash"]),
        user("s", "two"),
        answer("s", "m2", 950),
        init("s", &["Bash", "Read"]),
        user("s", "three"),
        answer("s", "m3", 990),
    ]);
    assert_eq!(window(&read, 2), ["Bash", "one", "m1", "two"]);
    assert_eq!(window(&read, 3), ["one", "m1", "two", "m2", "Bash\nRead", "three"]);
}

#[test]
fn tools_outlive_a_compaction_and_its_summary_is_known_by_its_place() {
    let mut summary = user("s", "This session is being continued from another.");
    summary["isSynthetic"] = json!(true);
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "session_id": "s",
        "compact_metadata": {"trigger": "auto", "pre_tokens": 950}});
    let read = read(&[
        init("s", &["Bash"]),
        user("s", "one"),
        answer("s", "m1", 900),
        boundary,
        hook("s", "again"),
        summary,
        answer("s", "m2", 300),
        json!({"type": "result", "subtype": "success", "session_id": "s", "total_cost_usd": 0.5,
            "modelUsage": {"claude-opus-4-6[1m]": {"contextWindow": 1_000_000}}}),
    ]);
    let texts = ["Bash", "This session is being continued from another.", "again"];
    assert_eq!(window(&read, 2), texts);
    let (_, _, run) = &read;
    let entry = run.window(2).into_iter().filter_map(|id| run.entry(id)).find(|entry| entry.layer == Layer::Summaries);
    assert_eq!(entry.map(|entry| entry.fate), Some(Fate::Summarised));
    for step in run.steps.iter() {
        assert_eq!((step.window_tokens, step.window_source), (1_000_000, WindowSource::Transcript));
    }
}
