//! Subagents and summarisers: inline, in their own files, and the calls that started them.

use super::*;
use crate::model::ThreadKind;

fn task(uuid: &str, parent: &str, call: &str, prompt: &str) -> Value {
    let input = json!({"description": "look around", "prompt": prompt, "subagent_type": "general-purpose"});
    answer(uuid, parent, uuid, json!({"type": "tool_use", "id": call, "name": "Task", "input": input}), 100)
}

fn of_agent(agent: &str, mut record: Value) -> Value {
    merge(&mut record, json!({"isSidechain": true}));
    if !agent.is_empty() {
        merge(&mut record, json!({"agentId": agent}));
    }
    record
}

/// The label and input of the call that started a thread.
fn started(read: &Read, thread: &Thread) -> String {
    let ThreadKind::Subagent(Some(call)) = thread.kind else { panic!("{:?}", thread.kind) };
    read.text(call)
}

#[test]
fn inline_sidechains_are_threads_of_their_own() {
    let read = read(&[
        user("u1", "", "go"),
        task("a1", "u1", "c1", "look at one"),
        task("a2", "a1", "c2", "look at two"),
        of_agent("", user("x1", "", "look at two")),
        of_agent("", user("y1", "", "look at one")),
        of_agent("", says("x2", "x1", "mx", "two seen")),
        of_agent("", says("y2", "y1", "my", "one seen")),
        result("r1", "a1", "c1", "one seen"),
        result("r2", "a2", "c2", "two seen"),
        says("a3", "r2", "m3", "both seen"),
    ]);
    assert_eq!(read.transcript.threads.len(), 3);
    assert_eq!(read.main().requests.len(), 3);
    assert!(read.last().iter().all(|text| text != "look at two"));
    let titles: Vec<&str> = read.transcript.threads.iter().map(|thread| thread.title.as_str()).collect();
    assert_eq!(titles, ["", "look around", "look around"]);
    for (thread, prompt) in read.transcript.threads.iter().skip(1).zip(["look at two", "look at one"]) {
        assert!(started(&read, thread).contains(prompt));
        assert_eq!(read.windows(thread), [vec![prompt]]);
    }
}

#[test]
fn logs_of_subagents_are_found_beside_and_below_the_session() {
    let mut done = result("r1", "a1", "c1", "seen");
    done["toolUseResult"] = json!({"agentId": "ag1", "status": "completed"});
    let progress =
        json!({"data": {"type": "agent_progress", "agentId": "ag2", "message": {}}, "parentToolUseID": "c2"});
    let main = lines(&[
        user("u1", "", "go"),
        task("a1", "u1", "c1", "first task"),
        task("a2", "a1", "c2", "second task"),
        task("a3", "a2", "c3", "third task"),
        done,
        chained("progress", "p1", "r1", progress),
    ]);
    let log = |agent: &str, prompt: &str| {
        lines(&[of_agent(agent, user("x1", "", prompt)), of_agent(agent, says("x2", "x1", "mx", "seen"))])
    };
    let spaced = |log: Vec<u8>| String::from_utf8(log).unwrap().replace("\":", "\" : ").into_bytes();
    let foreign = String::from_utf8(log("ag9", "foreign")).unwrap().replace("\"S\"", "\"T\"");
    let beside = Beside(
        [
            ("S/subagents/agent-ag1.jsonl".to_owned(), log("ag1", "not what was asked")),
            ("S/subagents/workflows/w1/agent-ag2.jsonl".to_owned(), log("ag2", "nor this")),
            // As other programs write JSON: with blanks.
            ("agent-ag3.jsonl".to_owned(), spaced(log("ag3", "third task"))),
            ("agent-ag4.jsonl".to_owned(), log("ag4", "started by nobody known")),
            ("agent-ag9.jsonl".to_owned(), foreign.into_bytes()),
            ("S/subagents/workflows/w1/journal.jsonl".to_owned(), b"{}".to_vec()),
        ]
        .into(),
    );
    let read = read_with(main, &beside);
    let threads = &read.transcript.threads;
    assert_eq!(threads.len(), 5, "the log of another session is not taken");
    let of = |file: &str| {
        let at = read.transcript.sources.iter().position(|source| source.name.ends_with(file)).unwrap();
        threads.iter().find(|thread| thread.source.0 as usize == at).unwrap()
    };
    assert!(started(&read, of("ag1.jsonl")).contains("first task"));
    assert!(started(&read, of("ag2.jsonl")).contains("second task"));
    assert!(started(&read, of("ag3.jsonl")).contains("third task"));
    assert_eq!(of("ag4.jsonl").kind, ThreadKind::Subagent(None));
    assert_eq!(of("ag4.jsonl").title, "agent ag4");
    assert_eq!(read.main().requests.len(), 4, "three answers and the one to come");
}

#[test]
fn the_summarisers_call_is_a_thread_that_was_sent_the_window() {
    let main = lines(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        chained("system", "b1", "", json!({"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}})),
        chained("user", "s1", "b1", json!({"isCompactSummary": true, "message": {"content": "summary"}})),
    ]);
    let log = lines(&[
        of_agent("acompact-1", user("x1", "a1", "summarise")),
        of_agent("acompact-1", says("x2", "x1", "mx", "<summary>")),
    ]);
    let beside = Beside([("S/subagents/agent-acompact-1.jsonl".to_owned(), log)].into());
    let read = read_with(main, &beside);
    let thread = &read.transcript.threads[1];
    assert_eq!(thread.kind, ThreadKind::Summariser);
    assert_eq!(read.windows(thread), [vec!["one", "first", "summarise"]]);
    let credited = read.main().ops.iter().find_map(|op| match op {
        Op::Compact(compaction) => compaction.summariser,
        _ => None,
    });
    assert_eq!(credited.map(|id| id.0), Some(1));
    assert_eq!(read.main().requests.len(), 2);
}

#[test]
fn a_subagents_log_opened_by_itself_is_the_main_thread() {
    let read = read(&[of_agent("ag1", user("x1", "", "look")), of_agent("ag1", says("x2", "x1", "mx", "seen"))]);
    assert_eq!(read.transcript.threads.len(), 1);
    assert_eq!(read.windows(read.main()), [vec!["look"]]);
}
