//! Logs of requests whose client clears results, sends them whole again, and clears them once more; and ids that name
//! several calls of one window.

use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::engine::{Known, recorded, sum_up};
use windowpane::model::{BlockKind, Fate, Made, Run, ThreadId, Transcript};

use crate::requests::open_lines;

const CLEARED: &str = "recorded.microcompact";
const EDITED: &str = "recorded.edit";

fn run(transcript: &Transcript) -> Run {
    let mut run = recorded(transcript, ThreadId(0), Known::nothing().facts(transcript, &transcript.threads[0]));
    sum_up(&mut run, None);
    run
}

/// The texts of a step's window.
fn window(sources: &Sources, transcript: &Transcript, run: &Run, step: u32) -> Vec<String> {
    let text = |made: &Made| match made {
        Made::Block(id) => sources.body_text(&transcript.block(*id).unwrap().body).unwrap(),
        other => format!("{other:?}"),
    };
    let entries = run.window(step).into_iter().map(|id| run.entry(id).unwrap());
    entries.map(|entry| entry.content.iter().map(&text).collect()).collect()
}

/// What happened, by step.
fn events(run: &Run) -> Vec<(u32, &str)> {
    run.events.iter().map(|event| (event.step, &*event.rule)).collect()
}

/// A log of so many requests, with a call in each answer. `result` is what stands for a call's result in a request.
fn log(chat: bool, count: u64, id: impl Fn(u64) -> String, result: impl Fn(u64, u64) -> Value) -> Vec<Value> {
    let ask = json!({"role": "user", "content": "Find it."});
    let call = |of: u64| {
        if chat {
            let function = json!({"name": "sh", "arguments": json!({"of": of}).to_string()});
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": id(of), "type": "function", "function": function}]})
        } else {
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id(of), "name": "sh", "input": {"of": of}}]})
        }
    };
    let given = |now: u64, of: u64| match chat {
        true => json!({"role": "tool", "tool_call_id": id(of), "content": result(now, of)}),
        false => {
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id(of), "content": result(now, of)}]})
        }
    };
    let line = |now: u64| {
        let history = (1..now).flat_map(|of| [call(of), given(now, of)]);
        let messages: Vec<Value> = std::iter::once(ask.clone()).chain(history).collect();
        if chat {
            json!({"request": {"model": "gpt-x", "messages": messages},
                "response": {"id": format!("r{now}"), "object": "chat.completion", "model": "gpt-x",
                    "choices": [{"message": call(now)}], "usage": {"prompt_tokens": now * 100, "completion_tokens": 5}}})
        } else {
            json!({"request": {"model": "claude-x", "max_tokens": 9, "system": "Be an agent.", "messages": messages},
                "response": {"id": format!("m{now}"), "type": "message", "role": "assistant", "model": "claude-x",
                    "content": call(now)["content"], "stop_reason": "tool_use",
                    "usage": {"input_tokens": now * 100, "output_tokens": 5}}})
        }
    };
    (1..=count).map(line).collect()
}

#[test]
fn a_result_that_is_cleared_again_after_it_was_whole_parts_no_conversation() {
    let short = |_: u64| "ok".to_owned();
    let own = |of: u64| format!("line one of {of}\nok {of}");
    let texts: [&dyn Fn(u64) -> String; 2] = [&short, &own];
    for (chat, text, marker) in [true, false].into_iter().flat_map(|chat| {
        texts.iter().flat_map(move |text| ["[cleared]", "(see above)"].map(|marker| (chat, *text, marker)))
    }) {
        for answers in [true, false] {
            let is_cleared = |now: u64| [4, 7, 8, 9].contains(&now);
            let result = |now: u64, of: u64| match of == 1 && is_cleared(now) {
                true => json!(marker),
                false => json!(text(of)),
            };
            let mut lines = log(chat, 10, |of| format!("call_{of}"), result);
            if !answers {
                lines.iter_mut().for_each(|line| *line = line["request"].clone());
            }
            let (sources, transcript) = open_lines(&lines);
            let case = format!("{chat} {marker} {answers} {}", text(1));
            assert_eq!((transcript.threads.len(), transcript.threads[0].requests.len()), (1, 10), "{case}");
            let run = run(&transcript);
            for step in 2..=10 {
                let texts = window(&sources, &transcript, &run, step);
                let wanted = if is_cleared(u64::from(step)) { marker.to_owned() } else { text(1) };
                assert_eq!(
                    texts.iter().filter(|known| **known == marker).count(),
                    usize::from(wanted == marker),
                    "{case} {step}"
                );
                assert!(texts.contains(&wanted), "{case} {step}: {texts:?}");
            }
            if marker == "[cleared]" {
                assert_eq!(events(&run), [(4, CLEARED), (5, EDITED), (7, CLEARED), (10, EDITED)], "{case}");
                let why = |at: usize| run.events[at].why.contains("as they were at first");
                assert!(why(1) && why(3), "{case}");
            }
        }
    }
}

#[test]
fn a_result_of_several_blocks_comes_back_whole() {
    let parts = ["the first block", "the second, which is the longest of the three", "the third"];
    for parts in [parts, [parts[1], parts[0], parts[2]]] {
        let result = |now: u64, of: u64| match (of, [4, 5].contains(&now)) {
            (1, true) => json!("[cleared]"),
            (1, false) => json!(parts.map(|part| json!({"type": "text", "text": part}))),
            _ => json!(format!("result {of}")),
        };
        let (sources, transcript) = open_lines(&log(false, 6, |of| format!("t{of}"), result));
        assert_eq!(transcript.threads.len(), 1);
        let run = run(&transcript);
        assert_eq!(events(&run), [(4, CLEARED), (6, EDITED)]);
        assert!(run.events[1].why.contains("as they were at first"), "{}", run.events[1].why);
        assert_eq!((run.events[1].took.len(), run.events[1].made.len()), (1, 3));
        let (before, after) = (window(&sources, &transcript, &run, 3), window(&sources, &transcript, &run, 6));
        assert_eq!(before[3..6], parts);
        assert_eq!(after[..before.len()], before);
        assert_eq!(window(&sources, &transcript, &run, 5)[3], "[cleared]");
    }
}

#[test]
fn a_marker_that_tells_the_time_stays_one_entry() {
    let result = |now: u64, of: u64| match of + 3 <= now {
        true => json!(format!("[cleared at 12:0{now}]")),
        false => json!(format!("line one of {of}, which is longer than what stands for it\nok {of}\n")),
    };
    let (sources, transcript) = open_lines(&log(true, 9, |of| format!("c{of}"), result));
    let run = run(&transcript);
    let cleared: Vec<_> = run.entries.iter().filter(|entry| entry.fate == Fate::Cleared).collect();
    assert_eq!(cleared.len(), 6, "one for each result");
    for step in 4..=9 {
        let texts = window(&sources, &transcript, &run, step);
        assert_eq!(texts.iter().filter(|text| text.starts_with("[cleared")).count(), step as usize - 3);
    }
    assert!(window(&sources, &transcript, &run, 9).contains(&"[cleared at 12:09]".to_owned()));
    // That a cache holds nothing behind it is still told.
    let told = run.events.iter().filter(|event| event.why.contains("in other words"));
    assert_eq!(told.map(|event| event.step).collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
    assert_eq!(cleared[0].lives.iter().map(|life| life.born).collect::<Vec<_>>(), [4, 5, 6, 7, 8, 9]);
}

#[test]
fn results_belong_to_the_nearest_call_of_their_id() {
    for cleared in [false, true] {
        let result = |now: u64, of: u64| match cleared && now >= 4 && of < 3 {
            true => json!("[old result cleared]"),
            false => json!(format!("what was found in turn {of}, a line of some length")),
        };
        for chat in [true, false] {
            let (sources, transcript) = open_lines(&log(chat, 6, |_| "call_1".to_owned(), result));
            assert_eq!(transcript.threads.len(), 1);
            let run = run(&transcript);
            assert_eq!(events(&run), if cleared { vec![(4, CLEARED)] } else { Vec::new() });
            let text = |block: &windowpane::model::Block| sources.body_text(&block.body).unwrap();
            let blocks = || transcript.blocks.iter();
            let calls: Vec<_> = blocks().filter(|block| block.kind == BlockKind::ToolCall).collect();
            let mut keys: Vec<_> = calls.iter().map(|block| block.call.unwrap()).collect();
            keys.sort_unstable_by_key(|key| key.0);
            keys.dedup();
            assert_eq!((calls.len(), keys.len()), (6, 6));
            for call in calls {
                let of: Value = serde_json::from_str(&text(call)).unwrap();
                let own = blocks().filter(|block| block.kind != BlockKind::ToolCall && block.call == call.call);
                let own: Vec<String> = own.map(text).filter(|text| !text.starts_with('[')).collect();
                let wanted = format!("what was found in turn {}, a line of some length", of["of"]);
                assert!(own.iter().all(|text| *text == wanted), "{of}: {own:?}");
                assert_eq!(own.len(), usize::from(of["of"] != 6));
            }
        }
    }
}
