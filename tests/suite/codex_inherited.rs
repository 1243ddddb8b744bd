//! Codex rollouts that begin with another session's history: copied, or in another file.

use serde_json::{Value, json};
use windowpane::engine::{Known, recorded};
use windowpane::inquiry::survey::Survey;
use windowpane::model::{Op, ThreadId, Transcript};

use crate::codex::{calls, count, gives, line, meta, says, story_of};
use crate::data;

const PARENT: &str = "0199a5d0-9ac1-79d0-8be1-223344556677";
const CHILD: &str = "0199a5d0-cccc-79d0-8be1-223344556688";

/// A session's first line, at a time of day.
fn began(id: &str, more: &Value) -> Value {
    let mut record = line(
        "session_meta",
        json!({"id": id, "cwd": "/w", "cli_version": "0.147.0", "base_instructions": {"text": "You are Codex."}}),
    );
    record["payload"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn of_subagent() -> Value {
    json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "agent_nickname": "Zed"}}}})
}

/// Numbered, from a number on.
fn numbered(from: u64, lines: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let number = |(at, mut line): (u64, Value)| {
        line["ordinal"] = json!(at);
        line
    };
    (from..).zip(lines).map(number).collect()
}

fn at(time: &str, mut line: Value) -> Value {
    line["timestamp"] = json!(format!("2026-01-02T{time}Z"));
    line
}

fn text(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn name(id: &str) -> String {
    format!("rollout-2026-01-02T00-00-00-{id}.jsonl")
}

fn parent() -> Vec<Value> {
    let spawn = json!({"type": "function_call", "name": "spawn_agent", "arguments": "{}", "call_id": "c1"});
    vec![
        began(PARENT, &json!({})),
        says("user", "the parent's task"),
        says("assistant", "the parent's answer"),
        count(5_000, 10, 1),
        says("user", "spawn one"),
        line("response_item", spawn),
        count(5_600, 10, 2),
        line(
            "event_msg",
            json!({"type": "sub_agent_activity", "kind": "started", "event_id": "c1", "agent_thread_id": CHILD}),
        ),
    ]
}

fn with_child(child: &[Value]) -> (Vec<String>, Transcript) {
    let files = data::Files(vec![(name(CHILD), text(child))]);
    let (sources, transcript) = data::open_beside(text(&parent()), &format!("/s/{}", name(PARENT)), files);
    assert_eq!(transcript.threads.len(), 2);
    let story = story_of(&sources, &transcript, &transcript.threads[1]);
    // Opened by itself it is the same.
    let (sources, alone) = data::open_bytes(text(child), None);
    assert_eq!(story, story_of(&sources, &alone, &alone.threads[0]));
    (story, transcript)
}

#[test]
fn the_copied_history_of_its_parent_is_a_subagents_first_window_and_no_step() {
    let own = [says("user", "the child's task"), says("assistant", "seen"), count(5_800, 10, 3)];
    let copied = || {
        let mut lines = parent();
        lines.truncate(5);
        lines
    };
    let mut more = of_subagent();
    more["subagent_history_start_ordinal"] = json!(6);
    let child = numbered(0, [began(CHILD, &more)].into_iter().chain(copied()).chain(own.clone()));
    let expected = [
        "You are Codex.",
        "the parent's task",
        "the parent's answer",
        "spawn one",
        "the child's task",
        "> 5800",
        "seen",
    ];
    let (story, transcript) = with_child(&child);
    assert_eq!(story, expected);
    assert_eq!(transcript.threads[0].requests.len(), 2);
    // Without a number, by the times: all that is copied is logged at once.
    let timed = [at("00:00:10.000", began(CHILD, &of_subagent()))]
        .into_iter()
        .chain(copied().into_iter().map(|line| at("00:00:10.020", line)))
        .chain([at("00:00:10.030", own[0].clone())])
        .chain(own[1..].iter().map(|line| at("00:00:12.000", line.clone())));
    assert_eq!(with_child(&timed.collect::<Vec<_>>()).0, expected);
}

#[test]
fn the_results_that_a_subagent_begins_with_are_counted_where_they_came_in() {
    let mut more = of_subagent();
    more["subagent_history_start_ordinal"] = json!(4);
    let child = numbered(
        0,
        [
            began(CHILD, &more),
            began(PARENT, &json!({})),
            calls("x"),
            gives("x", json!("of the parent")),
            says("user", "the child's task"),
            calls("y"),
            count(5_800, 10, 3),
            gives("y", json!("of the child")),
            says("assistant", "seen"),
            count(5_900, 10, 4),
        ],
    );
    let (_, transcript) = with_child(&child);
    let known = Known::nothing();
    let run = recorded(&transcript, ThreadId(1), known.facts(&transcript, &transcript.threads[1]));
    let survey = Survey::of(&transcript, &run);
    assert_eq!((survey.steps, survey.series["result_tokens"].number()), (2, 1));
}

#[test]
fn a_compaction_of_the_copied_history_is_none_of_the_subagents() {
    let mut more = of_subagent();
    more["subagent_history_start_ordinal"] = json!(6);
    let summed = json!({"message": "", "replacement_history": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "what is left"}]}]});
    let child = numbered(
        0,
        [
            began(CHILD, &more),
            began(PARENT, &json!({})),
            says("user", "the parent's task"),
            says("assistant", "the parent's answer"),
            count(5_000, 10, 1),
            line("compacted", summed),
            says("user", "the child's task"),
            says("assistant", "seen"),
            count(800, 10, 3),
        ],
    );
    let (story, transcript) = with_child(&child);
    assert_eq!(story, ["You are Codex.", "what is left", "the child's task", "> 800", "seen"]);
    assert!(transcript.threads[1].ops.iter().all(|op| !matches!(op, Op::Compact(_))));
}

#[test]
fn a_session_that_goes_on_from_a_part_of_another_file_has_that_in_front() {
    let older = numbered(
        0,
        [
            began(PARENT, &json!({})),
            says("user", "first"),
            says("assistant", "one"),
            count(5_000, 10, 1),
            says("user", "taken back"),
            says("assistant", "two"),
            count(5_100, 10, 2),
        ],
    );
    let bytes = text(&older[..4]).len();
    let base = |rollout: &str| json!({"history_base": {"thread_id": rollout, "end_ordinal_exclusive": 4, "end_byte_offset": bytes}});
    let own = |rollout: &str| {
        let lines =
            [began(PARENT, &base(rollout)), says("user", "instead"), says("assistant", "three"), count(5_080, 10, 3)];
        text(&numbered(4, lines))
    };
    let path = format!("/s/rollout-2026-01-02T00-10-00-{PARENT}_{CHILD}.jsonl");
    let files = || data::Files(vec![(name(PARENT), text(&older))]);
    let (sources, transcript) = data::open_beside(own(PARENT), &path, files());
    let story = story_of(&sources, &transcript, &transcript.threads[0]);
    assert_eq!(story, ["You are Codex.", "first", "> 5000", "one", "instead", "> 5080", "three"]);
    assert!(transcript.warnings.is_empty());
    // Where it is not there, that is said.
    let (sources, transcript) = data::open_beside(own(CHILD), &path, files());
    let story = story_of(&sources, &transcript, &transcript.threads[0]);
    assert_eq!(story, ["You are Codex.", "instead", "> 5080", "three"]);
    let [warning] = transcript.warnings.as_slice() else { panic!("{:?}", transcript.warnings) };
    assert!(warning.line == 1 && warning.message.contains(CHILD) && warning.message.contains("missing"));
    // A session that names none is as it was.
    let (sources, transcript) = data::open_beside(text(&[meta(), says("user", "go")]), &path, files());
    assert_eq!(story_of(&sources, &transcript, &transcript.threads[0]).last().unwrap(), "> Pending");
}
