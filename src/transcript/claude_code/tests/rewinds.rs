//! Forks: which of them leave something, and which do not.

use super::*;
use crate::model::{Outcome, Rewind, RewindCause};

fn rewinds(read: &Read) -> Vec<&Rewind> {
    let found = read.main().ops.iter().filter_map(|op| match op {
        Op::Rewind(rewind) => Some(&**rewind),
        _ => None,
    });
    found.collect()
}

#[test]
fn a_prompt_after_an_earlier_message_goes_back_to_it() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "m2", "second"),
        user("u3", "a1", "two, better"),
        says("a3", "u3", "m3", "third"),
        user("u4", "a3", "three"),
    ]);
    assert_eq!(rewinds(&read).len(), 1);
    assert_eq!((rewinds(&read)[0].record.line, rewinds(&read)[0].cause), (5, RewindCause::Rewound));
    let windows = read.windows(read.main());
    assert_eq!(windows[1], ["one", "first", "two"], "a request on the branch that was left stays a step");
    assert_eq!(windows[2], ["one", "first", "two, better"]);
    assert_eq!(windows[3], ["one", "first", "two, better", "third", "three"]);
}

#[test]
fn notices_between_an_earlier_message_and_the_prompt_belong_to_the_prompt() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "m2", "second"),
        chained("progress", "p1", "a1", json!({"data": {"type": "hook_progress"}})),
        attachment("t1", "p1", json!({"type": "hook_additional_context", "content": ["a note"]})),
        user("u3", "t1", "two, better"),
    ]);
    assert_eq!(read.last(), ["one", "first", "a note", "two, better"]);
}

#[test]
fn results_of_parallel_calls_do_not_go_back() {
    let read = read(&[
        user("u1", "", "go"),
        calls("a1", "u1", "m1", "c1", "Bash"),
        calls("a2", "a1", "m1", "c2", "Bash"),
        attachment("h1", "a2", json!({"type": "hook_success", "hookEvent": "PreToolUse", "content": "x"})),
        result("r2", "a2", "c2", "two"),
        result("r1", "a1", "c1", "one"),
        says("a3", "r2", "m2", "both"),
        user("u2", "a3", "next"),
    ]);
    assert!(rewinds(&read).is_empty());
    let expected = ["go", r#"{"of":"c1"}"#, r#"{"of":"c2"}"#, "two", "one", "both", "next"];
    assert_eq!(read.last(), expected);
}

#[test]
fn an_answer_beside_an_earlier_one_replaces_it() {
    let read = read(&[
        user("u1", "", "go"),
        says("a1", "u1", "m1", "half of an"),
        says("a2", "u1", "m2", "answer"),
        user("u2", "a2", "next"),
    ]);
    assert_eq!(rewinds(&read)[0].cause, RewindCause::Edited);
    assert_eq!(read.last(), ["go", "answer", "next"]);
}

#[test]
fn an_answer_to_an_earlier_message_leaves_the_branch_between() {
    let read = read(&[
        user("u1", "", "go"),
        calls("a1", "u1", "m1", "c1", "Bash"),
        result("r1", "a1", "c1", "one"),
        says("a2", "r1", "m2", "done"),
        user("u2", "a2", "more"),
        says("a3", "u2", "m3", "more is done"),
        says("a4", "r1", "m4", "done otherwise"),
        user("u3", "a4", "next"),
    ]);
    assert_eq!(rewinds(&read).len(), 1);
    assert_eq!(rewinds(&read)[0].cause, RewindCause::Rewound);
    assert_eq!(read.last(), ["go", r#"{"of":"c1"}"#, "one", "done otherwise", "next"]);
}

#[test]
fn a_prompt_without_a_parent_begins_anew_only_where_usage_says_so() {
    let session = |context: u64| {
        let mut again = says("a2", "u2", "m2", "second");
        again["message"]["usage"] = json!({"input_tokens": context});
        read(&[
            attachment("t1", "", json!({"type": "skill_listing", "content": "skills"})),
            user("u1", "t1", "one"),
            answer("a1", "u1", "m1", json!({"type": "text", "text": "first"}), 10_000),
            user("u2", "", "one, better"),
            again,
        ])
    };
    assert_eq!(session(5_000).last(), ["skills", "one, better"]);
    assert_eq!(session(11_000).last(), ["skills", "one", "first", "one, better"]);
}

#[test]
fn a_prompt_without_a_parent_begins_anew_where_the_last_of_the_window_leads_to_it() {
    let long = "the trace of the fault ".repeat(200);
    let session = |sizes: Option<[u64; 2]>, leaf: &str| {
        let mut answers = [says("a1", "u1", "m1", "first"), says("a2", "u2", "m2", "second")];
        for (at, answer) in answers.iter_mut().enumerate() {
            answer["message"]["usage"] = sizes.map_or(Value::Null, |sizes| json!({"input_tokens": sizes[at]}));
        }
        let [first, second] = answers;
        let skills = attachment("t1", "", json!({"type": "skill_listing", "content": "skills"}));
        let last = json!({"type": "last-prompt", "lastPrompt": "two", "leafUuid": leaf, "sessionId": "S"});
        read(&[skills, user("u1", "t1", "one"), first, user("u2", "", &long), second, user("u3", "a2", "two"), last])
            .last()
    };
    let anew = ["skills", &*long, "second", "two"];
    // It has grown by no more than the prompt, which is longer than what it replaces.
    assert_eq!(session(Some([10_000, 11_000]), "u3"), anew);
    assert_eq!(session(None, "u3"), anew);
    let all = ["skills", "one", "first", &*long, "second", "two"];
    assert_eq!(session(Some([10_000, 11_000]), "a1"), all, "the window's last leads elsewhere");
    assert_eq!(session(Some([10_000, 30_000]), "u3"), all, "the prompt does not account for it");
}

#[test]
fn records_with_parents_that_are_not_there_keep_their_place() {
    let read = read(&[user("u1", "gone", "one"), says("a1", "also gone", "m1", "first"), user("u2", "nowhere", "two")]);
    assert_eq!(read.last(), ["one", "first", "two"]);
    assert!(rewinds(&read).is_empty());
}

#[test]
fn going_back_to_before_a_compaction_brings_its_window_back() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "m2", "second"),
        chained("system", "b1", "", json!({"subtype": "compact_boundary", "compactMetadata": {"trigger": "manual"}})),
        chained("user", "s1", "b1", json!({"isCompactSummary": true, "message": {"content": "all of it"}})),
        user("u3", "s1", "three"),
        says("a3", "u3", "m3", "third"),
        user("u4", "a1", "two, better"),
    ]);
    let windows = read.windows(read.main());
    assert_eq!(windows[2], ["all of it", "three"]);
    assert_eq!(windows[3], ["one", "first", "two, better"]);
}

#[test]
fn the_first_prompt_written_anew_leaves_all_that_came_after_it() {
    let typo = "Fix the logn bug in auth.py, please, and then run the whole suite of tests again.";
    let text = |text: &str| json!({"type": "text", "text": text});
    let again = |context: u64| {
        read(&[
            user("u1", "", typo),
            answer("a1", "u1", "m1", text("I find nothing of that name, neither there nor anywhere else."), 9_000),
            user("u2", "", "Fix the login bug in auth.py, please, and then run the whole suite of tests again."),
            answer("a2", "u2", "m2", text("Done."), context),
        ])
    };
    let edited = again(9_003);
    assert_eq!((rewinds(&edited).len(), edited.last().len()), (1, 1));
    // A log that names no parents goes on: the context has grown by all of it.
    let grown = again(9_045);
    assert_eq!((rewinds(&grown).len(), grown.last().len()), (0, 3));
}

#[test]
fn a_session_that_begins_with_a_hook_leaves_the_one_before_it_in_the_same_file() {
    let hook = |uuid: &str, parent: &str| chained("progress", uuid, parent, json!({"data": {"type": "hook_progress"}}));
    let session = |context: u64| {
        let mut next = says("a2", "v1", "m2", "second");
        next["message"]["usage"] = json!({"input_tokens": context});
        read(&[
            hook("p0", ""),
            user("u1", "p0", "one"),
            answer("a1", "u1", "m1", json!({"type": "text", "text": "first"}), 10_000),
            hook("q0", ""),
            hook("q1", "q0"),
            attachment("q2", "q1", json!({"type": "hook_additional_context", "content": ["a note"]})),
            user("v1", "q2", "another task"),
            next,
        ])
    };
    assert_eq!(session(5_000).last(), ["a note", "another task"]);
    // A hook of a session that goes on names no record either.
    assert_eq!(session(11_000).last(), ["one", "first", "a note", "another task"]);
}

#[test]
fn what_a_hook_said_before_the_first_prompt_stands_for_the_beginning() {
    let hook = |uuid: &str, parent: &str| chained("progress", uuid, parent, json!({"data": {"type": "hook_progress"}}));
    let empty = json!({"type": "hook_success", "hookEvent": "SessionStart", "content": ""});
    let read = read(&[
        hook("p0", ""),
        attachment("p1", "p0", empty),
        chained("system", "p2", "p1", json!({"subtype": "stop_hook_summary"})),
        user("u1", "p2", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "m2", "second"),
        attachment("t1", "p2", json!({"type": "hook_additional_context", "content": ["a note"]})),
        user("u3", "t1", "one, better"),
        says("a3", "u3", "m3", "third"),
    ]);
    assert_eq!(rewinds(&read).len(), 1);
    assert_eq!(read.last(), ["a note", "one, better"]);
}

/// Two terminals go on from one answer; what each logs names its own records.
fn two_terminals() -> Vec<Value> {
    vec![
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("A1", "a1", "A: go"),
        calls("A2", "A1", "mA", "cA", "Bash"),
        calls("A3", "A2", "mA", "cA2", "Bash"),
        user("B1", "a1", "B: go"),
        calls("B2", "B1", "mB", "cB", "Bash"),
        result("A4", "A3", "cA2", "A: 2"),
        result("B3", "B2", "cB", "B: 1"),
        attachment("A5", "A4", json!({"type": "hook_additional_context", "content": ["A: note"]})),
        result("A6", "A2", "cA", "A: 1"),
        says("A7", "A6", "mA2", "A: done"),
        says("B4", "B3", "mB2", "B: done"),
    ]
}

#[test]
fn a_session_open_in_two_terminals_has_a_window_for_each() {
    let mut records = two_terminals();
    records.push(user("A8", "A7", "A: next"));
    let read = read(&records);
    let windows = read.windows(read.main());
    let (a, b) = ([r#"{"of":"cA"}"#, r#"{"of":"cA2"}"#], r#"{"of":"cB"}"#);
    assert_eq!(windows[3], ["one", "first", "A: go", a[0], a[1], "A: 2", "A: note", "A: 1"]);
    assert_eq!(windows[4], ["one", "first", "B: go", b, "B: 1"]);
    assert_eq!(windows[5][7..], ["A: 1", "A: done", "A: next"]);
}

#[test]
fn a_compaction_in_one_terminal_leaves_the_window_of_the_other() {
    let mut records = two_terminals();
    let about = json!({"subtype": "compact_boundary", "logicalParentUuid": "A7", "compactMetadata": {}});
    records.push(chained("system", "K1", "", about));
    records.push(chained("user", "K2", "K1", json!({"isCompactSummary": true, "message": {"content": "A in short"}})));
    records.push(says("A8", "K2", "mA3", "A: on"));
    records.push(user("B5", "B4", "B: next"));
    records.push(says("B6", "B5", "mB3", "B: on"));
    records.push(says("A9", "A8", "mA4", "A: on and on"));
    let read = read(&records);
    let windows = read.windows(read.main());
    assert_eq!(windows[5], ["A in short"]);
    assert_eq!(windows[6][2..], ["B: go", r#"{"of":"cB"}"#, "B: 1", "B: done", "B: next"]);
    assert_eq!(windows[7], ["A in short", "A: on"]);
}

/// A note of a hook.
fn note(uuid: &str, parent: &str, text: &str) -> Value {
    attachment(uuid, parent, json!({"type": "hook_additional_context", "content": [text]}))
}

#[test]
fn a_notice_of_the_other_terminal_waits_for_its_turn() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("A1", "a1", "A: go"),
        calls("A2", "A1", "mA", "cA", "Bash"),
        note("B0", "a1", "B: note"),
        note("B0b", "B0", "B: note 2"),
        user("B1", "B0b", "B: go"),
        says("B2", "B1", "mB", "B: done"),
        result("A3", "A2", "cA", "A: 1"),
        note("A4", "A3", "A: note"),
        says("A5", "A4", "mA2", "A: done"),
        note("B3", "B2", "B: note 3"),
        user("B4", "B3", "B: next"),
    ]);
    let windows = read.windows(read.main());
    let call = r#"{"of":"cA"}"#;
    assert_eq!(windows[2], ["one", "first", "B: note", "B: note 2", "B: go"]);
    assert_eq!(windows[3], ["one", "first", "A: go", call, "A: 1", "A: note"]);
    assert_eq!(windows[4], ["one", "first", "B: note", "B: note 2", "B: go", "B: done", "B: note 3", "B: next"]);
}

#[test]
fn a_notice_that_a_turn_took_up_stays_with_its_branch() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "m2", "second"),
        note("h1", "a1", "a note"),
        says("a3", "a2", "m3", "third"),
        user("u3", "h1", "two, better"),
        says("a4", "u3", "m4", "fourth"),
        user("u4", "a1", "two, best"),
        says("a5", "u4", "m5", "fifth"),
        user("u5", "a4", "three"),
    ]);
    let windows = read.windows(read.main());
    assert_eq!(windows[2], ["one", "first", "two", "second"], "it waits");
    assert_eq!(windows[3], ["one", "first", "a note", "two, better"]);
    assert_eq!(windows[5], ["one", "first", "a note", "two, better", "fourth", "three"]);
}

#[test]
fn a_prompt_that_is_answered_after_one_in_the_other_terminal_was_not_given_up() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("A1", "a1", "A: go"),
        note("A2", "A1", "A: note"),
        user("B1", "a1", "B: go"),
        says("B2", "B1", "mB", "B: done"),
        says("A3", "A2", "mA", "A: done"),
    ]);
    let outcomes: Vec<_> = read.main().requests.iter().map(|request| request.outcome).collect();
    assert_eq!(outcomes, [Outcome::Answered; 3]);
    let windows = read.windows(read.main());
    assert_eq!(windows[1], ["one", "first", "B: go"]);
    assert_eq!(windows[2], ["one", "first", "A: go", "A: note"]);
}

#[test]
fn what_was_taken_back_after_a_refusal_leaves_the_window() {
    let switched = |field: &str| {
        let mut lines = vec![
            user("u1", "", "one"),
            says("a1", "u1", "m1", "first"),
            user("u2", "a1", "two"),
            says("a2", "u2", "m2", "Here is h"),
            chained("system", "s1", "a2", json!({"subtype": "model_refusal_fallback", field: ["a2"]})),
            says("a3", "s1", "m3", "second"),
            user("u3", "a3", "three"),
        ];
        if field.contains('_') {
            // A stream names no parents, and tells of it at the end of the turn.
            lines.iter_mut().filter_map(Value::as_object_mut).for_each(|line| _ = line.remove("parentUuid"));
            lines.swap(4, 5);
        }
        read(&lines)
    };
    for field in ["retractedMessageUuids", "retracted_message_uuids"] {
        let read = switched(field);
        assert_eq!(read.last(), ["one", "first", "two", "second", "three"], "{field}");
        assert_eq!(read.main().requests.len(), 4, "{field}: what was refused was asked");
    }
}

#[test]
fn an_answer_stands_in_the_place_of_those_that_it_names() {
    for field in ["supersedes", "supersedesUuids"] {
        let mut lines = vec![
            user("u1", "", "one"),
            says("a1", "u1", "m1", "first"),
            user("u2", "a1", "two"),
            says("a2", "u2", "m2", "Here is h"),
            says("a3", "a2", "m3", "second"),
            user("u3", "a3", "three"),
        ];
        lines[4][field] = json!(["a2"]);
        // A stream names no parents.
        lines.iter_mut().filter_map(Value::as_object_mut).for_each(|line| _ = line.remove("parentUuid"));
        let read = read(&lines);
        assert_eq!(read.last(), ["one", "first", "two", "second", "three"], "{field}");
        assert_eq!(read.main().requests.len(), 4, "{field}: what was replaced was asked");
    }
}

#[test]
fn of_a_message_only_the_records_go_that_are_named() {
    let mut lines = vec![
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        says("a2", "a1", "m1", "more"),
        user("u2", "a2", "two"),
        says("a3", "u2", "m2", "second"),
        user("u3", "a3", "three"),
    ];
    lines[4]["supersedes"] = json!(["a2"]);
    assert_eq!(read(&lines).last(), ["one", "first", "two", "second", "three"]);
    lines[4]["supersedes"] = json!(["a2", "a1"]);
    assert_eq!(read(&lines).last(), ["one", "two", "second", "three"]);
    // Going back to the message does not bring back what it lost.
    lines[4]["supersedes"] = json!(["a2"]);
    lines.push(user("u4", "a1", "again"));
    assert_eq!(read(&lines).last(), ["one", "first", "again"]);
    let back = json!({"subtype": "model_refusal_fallback", "retractedMessageUuids": ["a1"]});
    lines.insert(5, chained("system", "s1", "a3", back));
    assert_eq!(read(&lines).windows(read(&lines).main()).last().unwrap(), &["one", "again"]);
}

#[test]
fn an_answer_that_another_model_went_on_with_says_its_beginning_once() {
    let mut lines = vec![
        user("u1", "", "one"),
        says("a1", "u1", "m1", "Here is h"),
        says("a2", "a1", "m1", "Here is how."),
        user("u2", "a2", "two"),
    ];
    lines[2]["supersedesUuids"] = json!(["a1"]);
    assert_eq!(read(&lines).last(), ["one", "Here is how.", "two"]);
    assert_eq!(read(&lines).main().requests.len(), 2);
}

#[test]
fn what_led_to_a_turn_is_left_with_it() {
    let said = |uuid: &str, parent: &str, text: &str| {
        chained("user", uuid, parent, json!({"isMeta": true, "message": {"role": "user", "content": text}}))
    };
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        note("h1", "a1", "a hook's note"),
        said("x1", "a1", "a skill"),
        note("h2", "x1", "the skill's note"),
        said("x2", "x1", "more of the skill"),
        says("a2", "x2", "m2", "second"),
        user("u2", "a2", "two"),
        says("a3", "u2", "m3", "third"),
        user("u3", "a1", "two, better"),
        says("a4", "u3", "m4", "fourth"),
        user("u4", "x1", "three"),
        says("a5", "u4", "m5", "fifth"),
        user("u5", "a4", "four"),
        user("u6", "a3", "back"),
    ]);
    let windows = read.windows(read.main());
    let skill = ["one", "first", "a hook's note", "a skill", "the skill's note"];
    assert_eq!(windows[1], [&skill[..], &["more of the skill"]].concat());
    assert_eq!(windows[3], ["one", "first", "a hook's note", "two, better"]);
    assert_eq!(
        windows[4],
        [&skill[..3], &["a skill", "three"]].concat(),
        "what a prompt names stays, though another turn was led by it"
    );
    assert_eq!(windows[5], ["one", "first", "a hook's note", "two, better", "fourth", "four"]);
    assert_eq!(windows[6][..6], [&skill[..], &["more of the skill"]].concat());
}

#[test]
fn what_led_to_a_turn_of_one_terminal_is_not_in_the_windows_of_the_other() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        note("N1", "a1", "A: a task is done"),
        calls("A1", "N1", "mA", "cA", "Bash"),
        user("B1", "a1", "B: go"),
        says("B2", "B1", "mB", "B: done"),
        result("A2", "A1", "cA", "A: 1"),
        says("A3", "A2", "mA2", "A: done"),
        user("B3", "B2", "B: next"),
        says("B4", "B3", "mB2", "B: all done"),
    ]);
    let windows = read.windows(read.main());
    assert_eq!(windows[2], ["one", "first", "B: go"]);
    assert_eq!(windows[3], ["one", "first", "A: a task is done", r#"{"of":"cA"}"#, "A: 1"]);
    assert_eq!(windows[4], ["one", "first", "B: go", "B: done", "B: next"]);
}
