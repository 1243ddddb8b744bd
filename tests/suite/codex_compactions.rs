//! Codex rollouts: what a compaction leaves, and who asked for it.

use serde_json::json;
use windowpane::model::{CutShape, Op, ThreadKind, Trigger};

use crate::codex::{calls, count, estimate, event, gives, line, meta, open, says, story};

#[test]
fn a_compaction_leaves_the_history_that_the_rollout_holds() {
    let kept =
        |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let compacted = line(
        "compacted",
        json!({"message": "", "replacement_history": [
        kept("same"), kept("same"), kept("new"), {"type": "compaction", "encrypted_content": "zz"}]}),
    );
    let (sources, transcript) = open(&[
        meta(),
        says("user", "same"),
        says("user", "same"),
        calls("c"),
        gives("c", json!("r")),
        count(90, 10, 100),
        compacted,
        estimate(55, 100),
        says("assistant", "on"),
        count(40, 1, 141),
    ]);
    let story = story(&sources, &transcript);
    let compact = story.iter().find(|line| line.starts_with("compact")).unwrap();
    assert_eq!(compact, "compact You are Codex.|{\"name\":\"plan\"}|{\"name\":\"open\"}|same|same|new|Summary");
    let Some(Op::Compact(compaction)) = transcript.threads[0].ops.iter().find(|op| matches!(op, Op::Compact(_))) else {
        panic!()
    };
    let window: Vec<u32> = compaction.window.iter().map(|id| id.0).collect();
    assert_eq!(window[..5], [0, 1, 2, 3, 4], "equal content is the same block, each once");
    assert_eq!((compaction.tokens_before, compaction.tokens_after, compaction.trigger), (Some(100), Some(55), None));
    assert_eq!(story[story.len() - 2..], ["> 40", "on"]);
}

#[test]
fn of_equal_messages_the_oldest_is_the_one_that_a_compaction_keeps() {
    let kept = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "same"}]});
    let compacted = line("compacted", json!({"message": "", "replacement_history": [kept]}));
    let (_, transcript) =
        open(&[meta(), says("user", "same"), says("assistant", "a"), says("user", "same"), compacted]);
    let compactions = transcript.threads[0].ops.iter().filter_map(|op| match op {
        Op::Compact(compaction) => Some(compaction.window.iter().map(|id| id.0).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(compactions.collect::<Vec<_>>(), [[0, 1, 2, 3]]);
}

#[test]
fn a_turn_that_only_compacts_was_asked_for_by_the_user() {
    let started = || event(json!({"type": "task_started", "turn_id": "t", "model_context_window": 258_400}));
    let complete = || event(json!({"type": "task_complete", "turn_id": "t"}));
    let compacted = || {
        let kept = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "new"}]});
        line("compacted", json!({"message": "", "replacement_history": [kept]}))
    };
    let marks = || event(json!({"type": "context_compacted"}));
    let (_, transcript) = open(&[
        meta(),
        started(),
        says("user", "one"),
        says("assistant", "a"),
        count(90, 10, 100),
        complete(),
        // Asked for.
        started(),
        compacted(),
        estimate(55, 100),
        marks(),
        complete(),
        // By the agent, before what the user has just written.
        started(),
        compacted(),
        estimate(55, 100),
        marks(),
        says("user", "two"),
        says("assistant", "b"),
        count(60, 10, 200),
        // By the agent, between two answers.
        compacted(),
        estimate(55, 200),
        marks(),
        says("assistant", "c"),
        count(50, 10, 300),
        complete(),
        // Broken off: nobody knows.
        started(),
        compacted(),
        event(json!({"type": "turn_aborted", "reason": "interrupted"})),
    ]);
    let triggers = transcript.threads[0].ops.iter().filter_map(|op| match op {
        Op::Compact(compaction) => Some(compaction.trigger),
        _ => None,
    });
    assert_eq!(triggers.collect::<Vec<_>>(), [Some(Trigger::Manual), None, None, None]);
}

#[test]
fn without_a_history_the_newest_user_messages_stay() {
    let long = "x".repeat(100_000);
    let summary = "Another language model started to solve this problem and so on";
    let (sources, transcript) = open(&[
        meta(),
        says("user", "<environment_context>e</environment_context>"),
        says("user", "lost"),
        says("user", &long),
        says("assistant", "a"),
        count(90, 10, 100),
        says("user", "newest"),
        says("assistant", "b"),
        count(95, 10, 205),
        count(120, 30, 355),
        estimate(55, 355),
        line("compacted", json!({"message": summary})),
        says("assistant", "on"),
        count(40, 1, 396),
    ]);
    let Some(Op::Compact(compaction)) = transcript.threads[0].ops.iter().find(|op| matches!(op, Op::Compact(_))) else {
        panic!()
    };
    let texts: Vec<String> =
        compaction.window.iter().map(|id| sources.body_text(&transcript.block(*id).unwrap().body).unwrap()).collect();
    assert_eq!(texts[3], "<environment_context>e</environment_context>");
    assert!(
        texts[4].len() < 80_100 && texts[4].starts_with('x'),
        "cut to what is left of 20,000 tokens: {}",
        texts[4].len()
    );
    assert_eq!(texts[5..], ["newest", summary]);
    let block = transcript.block(compaction.window[4]).unwrap();
    assert_eq!(block.cut.as_ref().map(|cut| (cut.shape, cut.original_tokens)), Some((CutShape::Middle, None)));
    assert_eq!(block.record.line, 4, "what is left of it stands where it stood");
    assert_eq!(compaction.tokens_after, Some(55));
    // The call that wrote the summary is no step of the session.
    let reported: Vec<u64> =
        transcript.threads[0].requests.iter().filter_map(|request| Some(request.usage?.context())).collect();
    assert_eq!(reported, [90, 95, 40]);
    let summariser = transcript.thread(compaction.summariser.unwrap()).unwrap();
    assert_eq!(summariser.kind, ThreadKind::Summariser);
    assert_eq!(summariser.requests[0].usage.map(|usage| usage.context()), Some(120));
}

#[test]
fn compactions_whose_text_was_blanked_are_told_apart_by_their_ids() {
    let compacted = |id: &str| {
        let summary = json!({"type": "compaction", "id": id, "encrypted_content": "REDACTED"});
        line("compacted", json!({"message": "", "replacement_history": [summary]}))
    };
    let (_, transcript) = open(&[
        meta(),
        says("user", "one"),
        says("assistant", "a"),
        compacted("cmp_1"),
        says("assistant", "b"),
        compacted("cmp_2"),
        says("assistant", "c"),
        // The same one again, as a session that goes on repeats it.
        compacted("cmp_2"),
        says("assistant", "d"),
    ]);
    let windows = transcript.threads[0].ops.iter().filter_map(|op| match op {
        Op::Compact(compaction) => compaction.window.last().copied(),
        _ => None,
    });
    let summaries: Vec<_> = windows.collect();
    assert_ne!(summaries[0], summaries[1]);
    assert_eq!(summaries[1], summaries[2]);
}
