//! Codex rollouts of subagents, which stand beside their parent's.

use serde_json::{Value, json};
use windowpane::model::{BlockKind, Op, ThreadKind};

use crate::codex::{event, gives, item, line, meta, says, story_of};
use crate::data;

#[test]
fn the_rollouts_of_subagents_are_threads_that_their_calls_started() {
    let spawn = |id: &str| {
        item(
            json!({"type": "function_call", "name": "spawn_agent", "arguments": "{\"message\":\"look\"}", "call_id": id}),
        )
    };
    let of = |id: &str, parent: &str, name: &str| {
        let source =
            json!({"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1, "agent_nickname": name}}});
        line(
            "session_meta",
            json!({"id": id, "cwd": "/w", "cli_version": "0.120.0", "source": source,
            "base_instructions": {"text": "You explore."}}),
        )
    };
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    let main = text(&[
        meta(),
        says("user", "go"),
        spawn("c1"),
        gives("c1", json!("{\"agent_id\":\"k1\",\"nickname\":\"Scout\"}")),
        says("assistant", "done"),
    ]);
    let child = [
        of("k1", "s1", "Scout"),
        says("user", "look"),
        spawn("d1"),
        gives("d1", json!("{\"agent_id\":\"k2\"}")),
        says("assistant", "seen"),
    ];
    let files = [
        ("rollout-a-k2.jsonl", text(&[of("k2", "k1", "Probe"), says("user", "deeper"), says("assistant", "found")])),
        ("rollout-b-k1.jsonl", text(&child)),
        ("rollout-c-x1.jsonl", text(&[of("x1", "another", "Other"), says("assistant", "no")])),
        ("rollout-d-s1.jsonl", main.clone()),
    ];
    let files = files.map(|(name, bytes)| (name.to_owned(), bytes)).to_vec();
    let (sources, transcript) = data::open_beside(main, "/s/rollout-d-s1.jsonl", data::Files(files));
    let titles: Vec<&str> = transcript.threads.iter().map(|thread| thread.title.as_str()).collect();
    assert_eq!(titles, ["main", "Scout", "Probe"]);
    for (thread, call) in [(1, 0), (2, 1)] {
        let ThreadKind::Subagent(Some(id)) = transcript.threads[thread].kind else { panic!("{thread}") };
        assert!(transcript.threads[call].ops.contains(&Op::Add(id)), "{thread}");
    }
    let story = story_of(&sources, &transcript, &transcript.threads[2]);
    assert!(story.iter().any(|words| words == "deeper"), "{story:?}");
    assert_eq!(transcript.session.id.as_deref(), Some("s1"));
}

#[test]
fn a_subagent_belongs_to_the_call_whose_result_names_it_whole() {
    let spawn = |id: &str| {
        item(json!({"type": "function_call", "namespace": "collaboration", "name": "spawn_agent",
            "arguments": "{\"message\":\"look\"}", "call_id": id}))
    };
    let child = line(
        "session_meta",
        json!({"id": "k1", "cwd": "/w", "cli_version": "0.147.0", "source": {"subagent": {"thread_spawn":
            {"parent_thread_id": "s1", "depth": 1, "agent_path": "/root/test", "agent_role": "default"}}}}),
    );
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    let main = text(&[
        meta(),
        says("user", "go"),
        spawn("c1"),
        gives("c1", json!("{\"task_name\":\"/root/test_api\"}")),
        spawn("c2"),
        gives("c2", json!("{\"task_name\":\"/root/test\"}")),
        says("assistant", "done"),
    ]);
    let files = data::Files(vec![("rollout-k1.jsonl".to_owned(), text(&[child, says("user", "look")]))]);
    let (_, transcript) = data::open_beside(main, "/s/rollout-s1.jsonl", files);
    let ThreadKind::Subagent(Some(id)) = transcript.threads[1].kind else { panic!("no call") };
    let calls = transcript.blocks.iter().filter(|block| block.kind == BlockKind::ToolCall);
    assert_eq!(calls.map(|block| block.call).nth(1), Some(transcript.block(id).unwrap().call));
}

#[test]
fn the_call_that_is_said_to_have_begun_a_subagent_is_its_own() {
    let spawn = |id: &str| {
        item(json!({"type": "function_call", "namespace": "collaboration", "name": "spawn_agent",
            "arguments": "{\"message\":\"look\"}", "call_id": id}))
    };
    let began = |call: &str, session: &str, kind: &str| {
        event(json!({"type": "sub_agent_activity", "event_id": call, "agent_thread_id": session,
            "agent_path": "/root/look", "kind": kind}))
    };
    let child = |id: &str| {
        let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "s1", "agent_path": "/root/look"}}});
        line("session_meta", json!({"id": id, "cwd": "/w", "cli_version": "0.147.0", "source": source}))
    };
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    // Both are called the same, and neither result says which is which.
    let main = text(&[
        meta(),
        says("user", "go"),
        spawn("c1"),
        began("c1", "k1", "started"),
        gives("c1", json!("{\"task_name\":\"/root/look\"}")),
        spawn("c2"),
        began("c2", "k2", "started"),
        gives("c2", json!("{\"task_name\":\"/root/look\"}")),
        item(json!({"type": "function_call", "name": "followup_task", "arguments": "{}", "call_id": "c3"})),
        began("c3", "k1", "interacted"),
        says("assistant", "done"),
    ]);
    let files = ["k1", "k2"].map(|id| (format!("rollout-{id}.jsonl"), text(&[child(id), says("user", id)])));
    let (_, transcript) = data::open_beside(main, "/s/rollout-s1.jsonl", data::Files(files.to_vec()));
    let calls = transcript.blocks.iter().filter(|block| block.kind == BlockKind::ToolCall).map(|block| block.call);
    let calls: Vec<_> = calls.collect();
    for (thread, call) in [(1, calls[0]), (2, calls[1])] {
        let ThreadKind::Subagent(Some(id)) = transcript.threads[thread].kind else { panic!("{thread}") };
        assert_eq!(transcript.block(id).unwrap().call, call, "{thread}");
    }
}
