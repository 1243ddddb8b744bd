//! Forks: what a subagent was sent that began with its parent's window.

use super::*;

fn reference(last: &str) -> Value {
    json!({"type": "fork-context-ref", "agentId": "f1", "parentSessionId": "S", "parentLastUuid": last, "contextLength": 9})
}

fn of_fork(mut record: Value) -> Value {
    merge(&mut record, json!({"isSidechain": true, "agentId": "f1"}));
    record
}

fn beside(log: &[Value]) -> Beside {
    Beside([("S/subagents/agent-f1.jsonl".to_owned(), lines(log))].into())
}

fn main_lines() -> Vec<u8> {
    lines(&[
        user("u0", "", "long ago"),
        says("a0", "u0", "m0", "done"),
        chained("system", "b1", "", json!({"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}})),
        chained("user", "s1", "b1", json!({"isCompactSummary": true, "message": {"content": "summary"}})),
        user("u1", "s1", "go"),
        calls("a1", "u1", "m1", "c1", "Agent"),
        result("r1", "a1", "c1", "seen"),
        says("a2", "r1", "m2", "both seen"),
    ])
}

#[test]
fn a_fork_begins_with_the_window_of_its_parent_up_to_the_record_that_it_names() {
    let log = [reference("a1"), of_fork(user("f1", "", "look")), of_fork(says("f2", "f1", "mf", "seen"))];
    let read = read_with(main_lines(), &beside(&log));
    let thread = &read.transcript.threads[1];
    // What was said before the compaction is not there, nor what came after the fork began.
    assert_eq!(read.windows(thread), [vec!["summary", "go", r#"{"of":"c1"}"#, "look"]]);
    assert!(read.transcript.warnings.is_empty());
    assert_eq!(read.main().requests.len(), 3);
}

#[test]
fn what_a_fork_repeats_of_its_parent_is_no_request_of_its_own() {
    let log = [
        reference("u1"),
        of_fork(user("u1", "s1", "go")),
        of_fork(calls("x1", "u1", "m1", "c1", "Agent")),
        of_fork(result("x2", "x1", "c1", "you are the fork")),
        of_fork(says("x3", "x2", "mf", "seen")),
    ];
    let read = read_with(main_lines(), &beside(&log));
    let thread = &read.transcript.threads[1];
    assert_eq!(read.windows(thread), [vec!["summary", "go", r#"{"of":"c1"}"#, "you are the fork"]]);
}

#[test]
fn a_fork_whose_parent_is_not_there_says_so() {
    let log = [reference("elsewhere"), of_fork(user("f1", "", "look")), of_fork(says("f2", "f1", "mf", "seen"))];
    let read = read_with(main_lines(), &beside(&log));
    assert_eq!(read.windows(&read.transcript.threads[1]), [vec!["look"]]);
    let [warning] = read.transcript.warnings.as_slice() else { panic!("{:?}", read.transcript.warnings) };
    assert_eq!((warning.source.0, warning.line), (1, 1));
    assert!(warning.message.contains("what came before is missing"));
    // Opened by itself, too.
    let alone = read_bytes(lines(&log));
    assert_eq!(alone.windows(alone.main()), [vec!["look"]]);
    assert_eq!(alone.transcript.warnings.len(), 1);
}
