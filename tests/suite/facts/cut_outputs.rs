//! Outputs of which Codex sent its model a part, and kept the whole beside for people.

use serde_json::{Value, json};
use windowpane::inquiry::Sight;
use windowpane::model::Fate;

use super::build::{filler, lines};
use super::runner::{open, traced};
use crate::codex::{calls, event, gives, meta, says};

fn ended(call: &str, output: &str) -> Value {
    event(json!({"type": "exec_command_end", "call_id": call, "stdout": output, "stderr": "",
        "aggregated_output": output, "exit_code": 0}))
}

#[test]
fn what_was_cut_out_of_an_output_is_told_where_the_rollout_has_it() {
    let (head, tail) = (filler(0, 40), filler(80, 40));
    let sent = format!("Exit code: 0\nOriginal token count: 4000\nOutput:\n{head}…2000 tokens truncated…{tail}");
    let whole = format!("{head}in the middle QX-77413\n{tail}");
    // What is still written when the call has been answered is no part of its result.
    let longer = format!("{whole}and later QX-88524\n");
    let other = format!("{}in the middle QX-77413\n{tail}", filler(200, 40));
    let cases: [(&str, Vec<Value>, &str, bool); 4] = [
        ("before", vec![ended("c", &whole), gives("c", json!(sent))], "QX-77413", true),
        ("behind", vec![gives("c", json!(sent)), ended("c", &longer)], "QX-77413", true),
        ("later", vec![gives("c", json!(sent)), ended("c", &longer)], "QX-88524", false),
        ("another", vec![ended("c", &other), gives("c", json!(sent))], "QX-77413", false),
    ];
    for (name, both, fact, is_told) in cases {
        let begun = [meta(), says("user", "Look at it."), calls("c")];
        let opened = open(lines(&[&begun[..], &both, &[says("assistant", "I did."), says("user", "And?")]].concat()));
        let (_, _, trace) = traced(&opened, &opened.recorded, fact);
        let stays = trace.occurrences.first().map(|one| one.stays.as_slice()).unwrap_or_default();
        if !is_told {
            assert!(stays.is_empty(), "{name}: {stays:?}");
            continue;
        }
        let [cut] = stays else { panic!("{name}: {stays:?}") };
        let rule = cut.event.and_then(|event| opened.recorded.event(event)).map(|event| &*event.rule);
        assert_eq!((cut.sight, cut.fate, rule), (Sight::Gone, Fate::Truncated, Some("recorded.truncated")), "{name}");
        assert_eq!(trace.loss.map(|loss| loss.step), Some(cut.from), "{name}");
    }
}
