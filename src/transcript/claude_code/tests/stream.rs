//! Captures of streams, and what is said of a session as a whole.

use super::*;
use crate::model::{Layer, RewindCause, ThreadKind};

fn streamed(kind: &str, session: &str, caller: Option<&str>, content: Value) -> Value {
    let role = kind;
    let mut message = json!({"role": role, "content": content});
    if kind == "assistant" {
        merge(&mut message, json!({"id": content.to_string(), "model": "m", "usage": {"input_tokens": 50}}));
    }
    json!({"type": kind, "message": message, "parent_tool_use_id": caller, "session_id": session, "uuid": content.to_string()})
}

fn init(session: &str) -> Value {
    json!({"type": "system", "subtype": "init", "session_id": session, "tools": ["Bash", "Read"], "cwd": "/w",
        "claude_code_version": "2.0.76", "model": "m"})
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[test]
fn a_stream_names_tools_and_tells_subagents_by_their_call() {
    let call =
        json!([{"type": "tool_use", "id": "c1", "name": "Task", "input": {"description": "look", "prompt": "p"}}]);
    let done = json!([{"type": "tool_result", "tool_use_id": "c1", "content": "seen"}]);
    let read = read(&[
        init("S"),
        streamed("assistant", "S", None, call),
        streamed("user", "S", Some("c1"), text("p")),
        streamed("assistant", "S", Some("c1"), text("inner")),
        streamed("user", "S", None, done),
        streamed("assistant", "S", None, text("outer")),
        json!({"type": "result", "subtype": "success", "session_id": "S", "total_cost_usd": 0.1}),
    ]);
    assert_eq!(read.last().len(), 3);
    let tools = read.find("Bash\nRead");
    assert_eq!((tools.layer, tools.kind), (Layer::Tools, crate::model::BlockKind::Definition));
    let [_, inner] = &read.transcript.threads[..] else { panic!() };
    assert!(matches!(inner.kind, ThreadKind::Subagent(Some(_))));
    assert_eq!((inner.title.as_str(), read.windows(inner)), ("look", vec![vec!["p".to_owned()]]));
    let session = &read.transcript.session;
    assert_eq!(session.agent.as_deref(), Some("Claude Code 2.0.76"));
    assert_eq!((session.id.as_deref(), session.folder.as_deref()), (Some("S"), Some("/w")));
    assert_eq!(read.transcript.skipped.get("result"), Some(&1));
}

#[test]
fn boundaries_in_streams_are_spelt_in_snake_case() {
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "session_id": "S",
        "compact_metadata": {"trigger": "manual", "pre_tokens": 99}});
    let mut summary = streamed("user", "S", None, text("summary"));
    merge(&mut summary, json!({"isCompactSummary": true}));
    let read = read(&[
        streamed("assistant", "S", None, text("a")),
        boundary,
        summary,
        streamed("assistant", "S", None, text("b")),
    ]);
    let Some(Op::Compact(found)) = read.main().ops.iter().find(|op| matches!(op, Op::Compact(_))) else { panic!() };
    assert_eq!((found.tokens_before, found.trigger), (Some(99), Some(crate::model::Trigger::Manual)));
    assert_eq!(read.last(), ["summary"]);
}

#[test]
fn a_second_session_in_a_stream_begins_with_a_window_of_its_own() {
    let mut small = streamed("assistant", "T", None, text("b"));
    small["message"]["usage"] = json!({"input_tokens": 20});
    let read = read(&[init("S"), streamed("assistant", "S", None, text("a")), init("T"), small]);
    let windows = read.windows(read.main());
    assert_eq!(windows[1], ["Bash\nRead"]);
    let cause =
        read.main().ops.iter().find_map(|op| if let Op::Rewind(rewind) = op { Some(rewind.cause) } else { None });
    assert_eq!(cause, Some(RewindCause::NewSession));
}

#[test]
fn the_title_is_the_users_else_the_agents_else_that_of_an_own_branch() {
    let of = |titles: &[Value]| {
        let mut records = titles.to_vec();
        records.push(user("u1", "", "go"));
        read(&records).transcript.session.title
    };
    let custom = json!({"type": "custom-title", "customTitle": "mine", "sessionId": "S"});
    let ai = |title: &str| json!({"type": "ai-title", "aiTitle": title});
    let summary = |leaf: &str| json!({"type": "summary", "summary": "of a branch", "leafUuid": leaf});
    assert_eq!(of(&[custom, ai("first"), summary("u1")]).as_deref(), Some("mine"));
    assert_eq!(of(&[ai("first"), ai("second"), summary("u1")]).as_deref(), Some("second"));
    assert_eq!(of(&[summary("elsewhere"), summary("u1")]).as_deref(), Some("of a branch"));
    assert_eq!(of(&[summary("elsewhere")]), None);
}

#[test]
fn a_session_says_its_id_folder_and_newest_version() {
    let mut later = says("a1", "u1", "m1", "x");
    later["version"] = json!("2.1.99");
    let read = read(&[user("u1", "", "go"), later]);
    let session = &read.transcript.session;
    assert_eq!((session.id.as_deref(), session.folder.as_deref()), (Some("S"), Some("/w")));
    assert_eq!(session.agent.as_deref(), Some("Claude Code 2.1.99"));
    assert_eq!(read.transcript.messages[0].at, Some(1_767_225_600_000));
}

#[test]
fn two_runs_that_were_captured_together_keep_their_windows() {
    let read = read(&[
        init("S"),
        init("T"),
        streamed("assistant", "S", None, text("s1")),
        streamed("assistant", "T", None, text("t1")),
        streamed("user", "S", None, text("s2")),
        streamed("assistant", "T", None, text("t2")),
        streamed("assistant", "S", None, text("s3")),
    ]);
    let windows = read.windows(read.main());
    assert_eq!(windows[1], ["Bash\nRead", "s1", "s2"]);
    assert_eq!(windows[3], ["Bash\nRead", "t1"]);
}

#[test]
fn the_tokens_of_an_answer_are_those_that_the_stream_gave_at_its_end() {
    let event = |event: Value| json!({"type": "stream_event", "event": event, "session_id": "S", "uuid": "e"});
    let mut part = streamed("assistant", "S", None, text("a"));
    merge(&mut part["message"], json!({"id": "m1", "stop_reason": null}));
    let read = read(&[
        init("S"),
        event(json!({"type": "message_start", "message": {"id": "m1", "usage": {"output_tokens": 1}}})),
        part,
        event(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 77}})),
    ]);
    assert_eq!(read.main().requests[0].usage.unwrap().output, Some(77));
}
