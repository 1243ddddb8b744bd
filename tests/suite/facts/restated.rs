//! Clients that clear or cut what they sent before, by themselves: no rewind, and no other conversation.

use serde_json::{Value, json};
use windowpane::inquiry::Sight;
use windowpane::inquiry::survey::Survey;
use windowpane::model::{BlockKind, Fate, Made, RewindCause, Stage};

use super::build::{filler, lines};
use super::runner::{Opened, open, traced};

/// How an API has a user's message, a call and its result.
struct Api {
    key: &'static str,
    user: fn(&str) -> Value,
    call: fn(&str) -> Value,
    result: fn(&str, &str) -> Value,
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

const APIS: &[Api] = &[
    Api {
        key: "messages",
        user,
        call: |id| json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("toolu_{id}"), "name": "run", "input": {"of": id}}]}),
        result: |id, text| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": text}]}),
    },
    Api {
        key: "messages",
        user,
        call: |id| {
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("call_{id}"), "type": "function",
                "function": {"name": "run", "arguments": json!({"of": id}).to_string()}}]})
        },
        result: |id, text| json!({"role": "tool", "tool_call_id": format!("call_{id}"), "content": text}),
    },
    Api {
        key: "input",
        user,
        call: |id| json!({"type": "function_call", "call_id": format!("call_{id}"), "name": "run", "arguments": json!({"of": id}).to_string()}),
        result: |id, text| json!({"type": "function_call_output", "call_id": format!("call_{id}"), "output": text}),
    },
];

/// A log of requests that hold these messages.
fn log(api: &Api, requests: &[Vec<Value>]) -> Opened {
    let max = if api.key == "input" { "max_output_tokens" } else { "max_tokens" };
    let body = |messages: &Vec<Value>| json!({"model": "some-model", max: 9, api.key: messages});
    open(lines(&requests.iter().map(body).collect::<Vec<_>>()))
}

fn results(opened: &Opened) -> usize {
    opened.transcript.blocks.iter().filter(|block| block.kind == BlockKind::ToolResult).count()
}

fn events(opened: &Opened) -> Vec<(u32, Stage, &str, usize, usize)> {
    let events = opened.recorded.events.iter();
    events.map(|event| (event.step, event.stage, &*event.rule, event.took.len(), event.made.len())).collect()
}

#[test]
fn results_that_are_sent_again_as_markers_were_cleared() {
    const MARKER: &str = "[Old tool result content cleared]";
    for api in APIS {
        let go = (api.user)("Find out why the nightly job fails.");
        let texts = [
            format!("code ERR-2222\n{}", filler(0, 30)),
            "short".to_owned(),
            format!("code ERR-3333\n{}", filler(40, 30)),
        ];
        let said = |number: usize, text: &str| {
            let id = number.to_string();
            [(api.call)(&id), (api.result)(&id, text)]
        };
        let whole = |number: usize| said(number, &texts[number]);
        let marked = |number: usize| said(number, MARKER);
        let of = |parts: &[[Value; 2]]| -> Vec<Value> {
            std::iter::once(go.clone()).chain(parts.iter().flatten().cloned()).collect()
        };
        let opened = log(
            api,
            &[
                of(&[]),
                of(&[whole(0)]),
                of(&[whole(0), whole(1)]),
                // Shorter than its marker, the second is cleared all the same.
                of(&[marked(0), marked(1), whole(2)]),
                [of(&[marked(0), marked(1), whole(2)]), vec![(api.user)("And now?")]].concat(),
                // The head is left out, and the rest cleared.
                [marked(1).to_vec(), marked(2).to_vec(), vec![(api.user)("And now?"), (api.user)("Well?")]].concat(),
            ],
        );
        assert_eq!((opened.transcript.threads.len(), results(&opened)), (1, 3), "{}", api.key);
        let known = [
            (4, Stage::Microcompact, "recorded.microcompact", 2, 2),
            (6, Stage::Microcompact, "recorded.microcompact", 1, 1),
            (6, RewindCause::Edited.stage(), "recorded.edit", 3, 0),
        ];
        assert_eq!(events(&opened), known, "{}", api.key);
        let (_, _, trace) = traced(&opened, &opened.recorded, "ERR-2222");
        let stays: Vec<_> = trace.occurrences[0].stays.iter().map(|stay| (stay.from, stay.sight, stay.fate)).collect();
        assert_eq!(
            stays,
            [(2, Sight::Verbatim, Fate::Verbatim), (4, Sight::Marker, Fate::Cleared), (6, Sight::Gone, Fate::Dropped)]
        );
        let shown = opened.recorded.window(5).into_iter().filter_map(|id| opened.recorded.entry(id));
        let markers = shown.flat_map(|entry| &entry.content).filter(|made| **made == Made::Text(MARKER.into()));
        assert_eq!(markers.count(), 2);
        assert_eq!(Survey::of(&opened.transcript, &opened.recorded).series["result_tokens"].number(), 3);
    }
}

#[test]
fn results_that_are_sent_again_in_part_were_cut() {
    for api in APIS {
        let go = (api.user)("Read the log.");
        let whole = format!("begins with ERR-2222\n{}in the middle ERR-5555\n{}ends", filler(0, 30), filler(30, 30));
        let part = format!("begins with ERR-2222\n{}[… cut …]\n{}ends", filler(0, 3), filler(58, 2));
        let of = |text: &str| vec![go.clone(), (api.call)("1"), (api.result)("1", text)];
        let again = [of(&part), vec![(api.user)("And now?")]].concat();
        let opened = log(api, &[vec![go.clone()], of(&whole), again]);
        assert_eq!(events(&opened), [(3, Stage::Truncate, "recorded.truncated", 1, 1)], "{}", api.key);
        let seen = |fact: &str| traced(&opened, &opened.recorded, fact).2.occurrences[0].at(3).unwrap().sight;
        assert_eq!((seen("ERR-2222"), seen("ERR-5555")), (Sight::Verbatim, Sight::Gone));
        let (_, _, trace) = traced(&opened, &opened.recorded, "ERR-5555");
        assert_eq!(trace.loss.map(|loss| loss.step), Some(3));
    }
}

#[test]
fn another_text_or_another_call_of_the_same_id_is_no_clearing() {
    let api = &APIS[1];
    let go = (api.user)("Go.");
    let of = |text: &str| vec![go.clone(), (api.call)("1"), (api.result)("1", text), (api.user)("On.")];
    let opened = log(api, &[of("the build took 10 s"), of("the build took 90 s")]);
    assert!(events(&opened).iter().all(|(_, stage, ..)| *stage == Stage::Rewind), "{:?}", events(&opened));
    // A client that numbers the calls of every answer anew.
    let both = [of(&filler(0, 20)), vec![(api.call)("1"), (api.result)("1", "ok")]].concat();
    let later = [vec![go.clone()], vec![(api.call)("1"), (api.result)("1", "ok"), (api.user)("On.")]].concat();
    let opened = log(api, &[of(&filler(0, 20)), both, later]);
    let cleared = events(&opened).iter().any(|(_, stage, ..)| *stage == Stage::Microcompact);
    assert!(!cleared, "{:?}", events(&opened));
}
