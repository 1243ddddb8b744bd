//! Requests: one per message id, with and without usage.

use super::*;
use crate::model::{BlockKind, Hidden, Outcome, Role};

#[test]
fn all_lines_of_one_message_are_one_request_placed_where_it_begins() {
    let read = read(&[
        user("u1", "", "do two things"),
        calls("a1", "u1", "m1", "c1", "Bash"),
        result("r1", "a1", "c1", "one"),
        calls("a2", "a1", "m1", "c2", "Read"),
        result("r2", "a2", "c2", "two"),
        says("a3", "r1", "m2", "done"),
    ]);
    let main = read.main();
    assert_eq!(main.requests.len(), 2);
    assert_eq!(main.requests[0].record.line, 2);
    assert_eq!(main.requests[0].key.as_deref(), Some("m1"));
    assert_eq!(main.requests[0].model.as_deref(), Some("claude-test"));
    let expected = [r#"do two things"#, r#"{"of":"c1"}"#, r#"{"of":"c2"}"#, "one", "two"];
    assert_eq!(read.last(), expected);
    assert_eq!(&*read.find("two").label, "Read", "a result is named after its call");
    assert_eq!(read.find("two").role, Role::User);
    assert_eq!(read.find(r#"{"of":"c2"}"#).record.line, 4, "a block's record is its own line");
}

#[test]
fn an_id_that_stands_on_every_message_makes_no_one_message_of_them() {
    let turn = |at: usize, id: &str, context: u64| {
        let name = |kind: &str| format!("{kind}{at}");
        let mut call =
            calls(&name("a"), &if at == 0 { "u1".into() } else { format!("r{}", at - 1) }, id, &name("c"), "Bash");
        call["message"]["usage"] = json!({"input_tokens": context, "output_tokens": 5});
        [call, result(&name("r"), &name("a"), &name("c"), "out")]
    };
    let asked = |turns: [[serde_json::Value; 2]; 3]| {
        let lines: Vec<_> = [user("u1", "", "do it")].into_iter().chain(turns.into_iter().flatten()).collect();
        // The last result has no answer yet.
        let read = read(&lines);
        read.main().requests.iter().filter_map(|request| request.usage).map(|usage| usage.context()).collect::<Vec<_>>()
    };
    let expected = [100, 200, 300];
    assert_eq!(asked([0, 1, 2].map(|at| turn(at, "msg_proxy", 100 * (at as u64 + 1)))), expected, "a proxy's own");
    assert_eq!(asked([0, 1, 2].map(|at| turn(at, "", 100 * (at as u64 + 1)))), expected, "an empty one");
    let named = [0, 1, 2].map(|at| {
        turn(at, "msg_proxy", 100).map(|mut line| {
            line["requestId"] = json!(format!("req_{at}"));
            line
        })
    });
    assert_eq!(asked(named), [100; 3], "each names its request");
    assert_eq!(asked([0, 1, 2].map(|at| turn(at, "m1", 100))), [100], "one message's results come between");
}

#[test]
fn usage_of_the_last_line_wins_and_output_counts_once_it_is_final() {
    let mut last = says("a2", "a1", "m1", "b");
    last["message"]["usage"] = json!({"input_tokens": 9, "cache_read_input_tokens": 1, "output_tokens": 77});
    let open = read(&[user("u1", "", "x"), says("a1", "u1", "m1", "a"), last.clone()]);
    let usage = open.main().requests[0].usage.unwrap();
    assert_eq!((usage.context(), usage.output), (10, None), "a placeholder is no count");
    last["message"]["stop_reason"] = json!("end_turn");
    let closed = read(&[user("u1", "", "x"), says("a1", "u1", "m1", "a"), last]);
    assert_eq!(closed.main().requests[0].usage.unwrap().output, Some(77));
}

#[test]
fn the_context_of_a_request_that_was_sampled_twice_is_the_first_sampling() {
    let mut line = says("a1", "u1", "m1", "a");
    line["message"]["usage"] = json!({
        "input_tokens": 4, "cache_read_input_tokens": 2_000, "cache_creation_input_tokens": 30, "output_tokens": 5,
        "cache_creation": {"ephemeral_1h_input_tokens": 10, "ephemeral_5m_input_tokens": 0},
        "iterations": [
            {"type": "message", "input_tokens": 2, "cache_read_input_tokens": 990, "cache_creation_input_tokens": 10,
             "cache_creation": {"ephemeral_1h_input_tokens": 10}},
            {"type": "advisor_message", "model": "claude-opus-4-5", "input_tokens": 5_000, "output_tokens": 7},
            {"type": "message", "input_tokens": 2, "cache_read_input_tokens": 1_010, "cache_creation_input_tokens": 20},
        ],
    });
    let read = read(&[user("u1", "", "x"), line]);
    let usage = read.main().requests[0].usage.unwrap();
    assert_eq!((usage.context(), usage.context_read(), usage.cache_read), (1_002, 990, 2_000));
    assert_eq!((usage.cache_write, usage.cache_write_1h), (30, 10));
    // Its tokens are in no sum, and are billed beside them.
    let [aside] = &read.main().requests[0].asides[..] else { panic!("one model was asked on the way") };
    assert_eq!((&*aside.model, aside.usage.input, aside.usage.output), ("claude-opus-4-5", 5_000, Some(7)));
}

#[test]
fn hidden_reasoning_gets_its_tokens_where_it_is_the_only_one() {
    let hidden = |uuid: &str, parent: &str| {
        let mut line =
            answer(uuid, parent, "m1", json!({"type": "thinking", "thinking": "", "signature": "QUJD"}), 100);
        line["message"]["usage"]["output_tokens_details"] = json!({"thinking_tokens": 58});
        line
    };
    let tokens = |read: &Read| -> Vec<Option<u64>> {
        let found = read.transcript.blocks.iter().filter_map(|block| match block.body {
            crate::model::Body::Hidden(Hidden { tokens, .. }) => Some(tokens),
            _ => None,
        });
        found.collect()
    };
    let one = read(&[user("u1", "", "x"), hidden("a1", "u1"), says("a2", "a1", "m1", "done")]);
    assert_eq!(tokens(&one), [Some(58)]);
    let two = read(&[user("u1", "", "x"), hidden("a1", "u1"), hidden("a2", "a1")]);
    assert_eq!(tokens(&two), [None, None]);
}

#[test]
fn what_the_client_made_is_no_request_with_usage() {
    let mut filler = says("a1", "u1", "m1", "No response requested.");
    filler["message"]["model"] = json!("<synthetic>");
    let read = read(&[user("u1", "", "x"), filler, user("u2", "a1", "y"), says("a2", "u2", "m2", "z")]);
    assert_eq!(read.main().requests.len(), 1, "nothing was asked of the model before");
    assert_eq!(read.last(), ["x", "No response requested.", "y"]);
}

#[test]
fn failed_requests_are_steps_and_their_words_are_not_sent() {
    let failed = |uuid: &str, parent: &str, text: &str| {
        let mut line = says(uuid, parent, uuid, text);
        line["message"]["model"] = json!("<synthetic>");
        line["isApiErrorMessage"] = json!(true);
        line
    };
    let read = read(&[
        user("u1", "", "x"),
        failed("e1", "u1", "API Error: 529 overloaded"),
        user("u2", "e1", "again"),
        failed("e2", "u2", "Prompt is too long"),
        user("u3", "e2", "third"),
        says("a1", "u3", "m1", "ok"),
    ]);
    let outcomes: Vec<Outcome> = read.main().requests.iter().map(|request| request.outcome).collect();
    assert_eq!(outcomes, [Outcome::Aborted, Outcome::TooLong, Outcome::Answered]);
    assert_eq!(read.main().requests.iter().filter(|request| request.usage.is_some()).count(), 1);
    assert_eq!(read.last(), ["x", "again", "third"]);
}

#[test]
fn a_stopped_request_is_a_step_and_a_refused_tool_is_none() {
    let stopped = read(&[
        user("u1", "", "x"),
        user("u2", "u1", "[Request interrupted by user]"),
        user("u3", "u2", "y"),
        calls("a1", "u3", "m1", "c1", "Bash"),
        result("r1", "a1", "c1", "refused"),
        user("u4", "r1", "[Request interrupted by user for tool use]"),
    ]);
    let outcomes: Vec<Outcome> = stopped.main().requests.iter().map(|request| request.outcome).collect();
    assert_eq!(outcomes, [Outcome::Aborted, Outcome::Answered, Outcome::Pending]);
    let windows = stopped.windows(stopped.main());
    assert_eq!(windows[0], ["x"]);
    assert_eq!(windows[1], ["x", "[Request interrupted by user]", "y"]);
    assert_eq!(stopped.find("[Request interrupted by user]").layer, crate::model::Layer::Notices);
}

#[test]
fn a_turn_that_was_never_answered_is_a_step_but_prompts_sent_together_are_one() {
    let mut later = user("u2", "u1", "b");
    later["timestamp"] = json!("2026-01-01T00:01:00.000Z");
    let apart = read(&[user("u1", "", "a"), later, says("a1", "u2", "m1", "z")]);
    assert_eq!(apart.windows(apart.main()), [vec!["a"], vec!["a", "b"]]);
    let together = read(&[user("u1", "", "a"), user("u2", "u1", "b"), says("a1", "u2", "m1", "z")]);
    assert_eq!(together.windows(together.main()), [vec!["a", "b"]]);
}

#[test]
fn messages_after_the_last_answer_make_one_more_step() {
    let pending = read(&[user("u1", "", "a"), says("a1", "u1", "m1", "b"), user("u2", "a1", "c")]);
    assert_eq!(pending.windows(pending.main()), [vec!["a"], vec!["a", "b", "c"]]);
    assert_eq!(pending.main().requests[1].outcome, Outcome::Pending);
    let whole = read(&[user("u1", "", "a"), says("a1", "u1", "m1", "b")]);
    assert_eq!(whole.main().requests.len(), 1);
}

#[test]
fn a_copy_of_a_record_counts_once_and_equal_ids_with_other_content_are_kept() {
    let copied = read(&[
        user("u1", "", "a"),
        says("a1", "u1", "m1", "b"),
        user("u1", "", "a"),
        says("a1", "u1", "m1", "b"),
        user("u2", "a1", "c"),
    ]);
    assert_eq!(copied.last(), ["a", "b", "c"]);
    assert_eq!(copied.transcript.skipped.get("copy"), Some(&2));
    let other = read(&[user("u1", "", "a"), user("u1", "", "another")]);
    assert_eq!(other.last().len(), 2);
}

#[test]
fn versions_are_known_record_by_record() {
    let record = |number: usize, version: &str| {
        json!({
            "type": "user", "uuid": format!("u{number}"), "sessionId": "S", "version": version,
            "parentUuid": number.checked_sub(1).map(|before| format!("u{before}")),
            "message": {"role": "user", "content": "text"},
        })
    };
    let records: Vec<_> = (0..100).map(|at| record(at, if at < 41 { "2.1.20" } else { "2.1.29" })).collect();
    let session = read(&records).transcript.session;
    let lines: Vec<(u32, &str)> =
        session.versions.iter().map(|(from, version)| (from.line, version.as_str())).collect();
    assert_eq!(lines, [(1, "2.1.20"), (42, "2.1.29")]);
    assert!(read(&records[..41]).transcript.session.versions.is_empty());
}

#[test]
fn results_that_the_provider_cleared_are_cleared_for_the_request_and_all_after_it() {
    let managed = |uuid: &str, parent: &str, message: &str, calls: u64| {
        let mut line = says(uuid, parent, message, "so");
        line["message"]["context_management"] = json!({"applied_edits": [
            {"type": "clear_tool_uses_20250919", "cleared_tool_uses": calls, "cleared_input_tokens": 70}]});
        line
    };
    let read = read(&[
        user("u1", "", "go"),
        calls("a1", "u1", "m1", "c1", "Bash"),
        result("r1", "a1", "c1", "one"),
        calls("a2", "r1", "m2", "c2", "Bash"),
        result("r2", "a2", "c2", "two"),
        managed("a3", "r2", "m3", 1),
        user("u2", "a3", "more"),
        managed("a4", "u2", "m4", 2),
    ]);
    let results = |window: &[String]| [window[2].clone(), window[4].clone()];
    let windows = read.windows(read.main());
    assert_eq!(windows[1][2], "one");
    assert_eq!(results(&windows[2]), ["[cleared to save context]", "two"]);
    assert_eq!(results(&windows[3]), ["[cleared to save context]", "[cleared to save context]"]);
    let saved: Vec<Option<u64>> = read
        .main()
        .ops
        .iter()
        .filter_map(|op| match op {
            Op::Clear(clearing) => Some(clearing.tokens_saved),
            _ => None,
        })
        .collect();
    assert_eq!(saved, [Some(70), Some(70)]);
}

#[test]
fn a_figure_that_is_none_takes_no_other_with_it() {
    let mut line = says("a1", "u1", "m1", "a");
    line["message"]["usage"]["output_tokens"] = json!("many");
    let outside = read(&[user("u1", "", "x"), line.clone()]);
    let usage = outside.main().requests[0].usage.unwrap();
    assert_eq!((usage.context(), usage.output), (100, None));
    assert!(outside.transcript.warnings.iter().any(|warning| warning.message.contains("output_tokens")));
    // Of a context with a part that is not known nothing is known.
    line["message"]["usage"]["cache_read_input_tokens"] = json!(-1);
    assert_eq!(read(&[user("u1", "", "x"), line]).main().requests[0].usage, None);
}

#[test]
fn an_id_that_comes_again_names_another_call_once_the_first_has_its_result() {
    let read = read(&[
        user("u1", "", "go"),
        calls("a1", "u1", "m1", "call_1", "Read"),
        result("r1", "a1", "call_1", "one"),
        calls("a2", "r1", "m2", "call_1", "Bash"),
        result("r2", "a2", "call_1", "two"),
        user("u2", "r2", "more"),
    ]);
    let blocks = &read.transcript.blocks;
    let of = |text: &str| read.find(text).call;
    let calls: Vec<_> =
        blocks.iter().filter(|block| block.kind == BlockKind::ToolCall).map(|block| block.call).collect();
    assert_eq!(calls, [of("one"), of("two")]);
    assert_ne!(of("one"), of("two"));
    assert_eq!((&*read.find("one").label, &*read.find("two").label), ("Read", "Bash"));
}
