//! Logs of requests whose harness compacts: what is one conversation, and what are several.

use serde_json::{Value, json};
use windowpane::engine::{Known, recorded, sum_up};
use windowpane::model::{Layer, Run, Stage, ThreadId, Transcript};

use crate::data;

/// What a harness makes of a history.
type Shape<'a> = &'a dyn Fn(Vec<Value>) -> Vec<Value>;

fn question(number: usize) -> Value {
    json!({"role": "user", "content": format!("Question {number}: please look at module {number} and fix its test")})
}

fn reply(number: usize) -> Value {
    let text = format!("Answer {number}: I looked at module {number} and changed line {number} of it");
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

fn summary() -> Value {
    json!({"role": "user", "content": "Summary of the conversation so far: modules 0 to 5 are fixed, tests pass"})
}

fn exchange(messages: &[Value], answer: &Value, input: usize) -> Value {
    json!({"request": {"model": "claude-x", "max_tokens": 9, "system": "You are an agent.", "messages": messages},
        "response": {"id": format!("msg_{input}"), "type": "message", "role": "assistant", "model": "claude-x",
        "content": answer["content"], "stop_reason": "end_turn", "usage": {"input_tokens": input, "output_tokens": 9}}})
}

/// Six turns, then what a harness makes of the history, then three more.
fn log(compact: impl Fn(Vec<Value>) -> Vec<Value>) -> Vec<Value> {
    let (mut lines, mut messages) = (Vec::new(), Vec::new());
    for number in 0..9 {
        if number == 6 {
            messages = compact(messages);
        }
        messages.push(question(number));
        let size = if number < 6 { 1000 * (number + 1) } else { 800 + number };
        lines.push(exchange(&messages, &reply(number), size));
        messages.push(reply(number));
    }
    lines
}

fn open(lines: &[Value]) -> Transcript {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    data::open_bytes(text.join("\n").into_bytes(), None).1
}

fn run(transcript: &Transcript) -> Run {
    let mut run = recorded(transcript, ThreadId(0), Known::nothing().facts(transcript, &transcript.threads[0]));
    sum_up(&mut run, None);
    run
}

#[test]
fn a_history_with_a_summary_in_its_place_is_one_run_with_a_compaction() {
    let said = |text: &Value| json!({"role": "assistant", "content": text["content"]});
    let shapes: [(&str, Shape<'_>); 4] = [
        ("summary alone", &|_| vec![summary()]),
        ("summary, then the newest", &|old| [vec![summary()], old[old.len() - 2..].to_vec()].concat()),
        ("first, summary, newest", &|old| vec![old[0].clone(), said(&summary()), old[old.len() - 1].clone()]),
        ("first, summary", &|old| vec![old[0].clone(), said(&summary())]),
    ];
    for (name, shape) in shapes {
        let transcript = open(&log(shape));
        assert_eq!(transcript.threads.len(), 1, "{name}");
        let run = run(&transcript);
        assert_eq!(run.steps.len(), 9, "{name}");
        let events: Vec<_> = run.events.iter().filter(|event| event.stage == Stage::Summarise).collect();
        assert_eq!(events.len(), 1, "{name}");
        assert_eq!((events[0].step, &*events[0].rule), (7, "recorded.shrunk"), "{name}");
        assert_eq!(events[0].tokens_before, Some(6000), "{name}");
        assert_eq!(events[0].tokens_after, Some(806), "{name}");
        assert_eq!(run.events.len(), 1, "{name}: {:?}", run.events);
        let layers: Vec<Layer> = run.window(7).iter().map(|id| run.entry(*id).expect("an entry").layer).collect();
        assert_eq!(layers.iter().filter(|layer| **layer == Layer::Summaries).count(), 1, "{name}");
    }
}

#[test]
fn a_history_that_is_only_cut_or_edited_is_no_compaction() {
    let edited = |mut old: Vec<Value>| {
        old[0]["content"] = json!("[cleared]");
        old
    };
    let shapes: [Shape<'_>; 2] = [&|old| old[6..].to_vec(), &edited];
    for shape in shapes {
        let lines = log(shape);
        let requests: Vec<Value> = lines.iter().map(|line| line["request"].clone()).collect();
        for lines in [lines, requests] {
            let transcript = open(&lines);
            assert_eq!((transcript.threads.len(), transcript.threads[0].requests.len()), (1, 9));
            let rules: Vec<String> = run(&transcript).events.iter().map(|event| event.rule.to_string()).collect();
            assert_eq!(rules, ["recorded.edit"]);
        }
    }
}

#[test]
fn conversations_side_by_side_stay_apart() {
    let mut lines = log(|old| old);
    // A subagent in between, with the same system prompt and a first message of its own.
    let task = json!({"role": "user", "content": "Find every caller of the function and list the files they are in"});
    lines.insert(4, exchange(std::slice::from_ref(&task), &reply(50), 70));
    lines.insert(6, exchange(&[task, reply(50), question(51)], &reply(51), 90));
    // One that is about a summary, while the conversation before it goes on.
    lines.insert(8, exchange(&[summary(), question(60)], &reply(60), 60));
    let transcript = open(&lines);
    assert_eq!(transcript.threads.len(), 3);
    assert!(run(&transcript).events.is_empty());
    // A new task with the same words at its beginning.
    let start = json!({"role": "user", "content": "The rules of this repository, which every task is told at first"});
    let tasks = |number| vec![start.clone(), question(number), reply(number), question(number + 1)];
    let first = [tasks(0), vec![reply(1), question(9)]].concat();
    let second = vec![start.clone(), question(20)];
    let transcript = open(&[exchange(&first, &reply(2), 500), exchange(&second, &reply(3), 100)]);
    assert_eq!(transcript.threads.len(), 2);
}

#[test]
fn requests_and_responses_on_lines_of_their_own_are_pairs() {
    let split = |lines: Vec<Value>| -> Vec<Value> {
        lines.into_iter().flat_map(|line| [line["request"].clone(), line["response"].clone()]).collect()
    };
    let pairs = log(|_| vec![summary()]);
    let (apart, together) = (open(&split(pairs.clone())), open(&pairs));
    assert_eq!(apart.threads.len(), 1);
    let told = |transcript: &Transcript| -> Vec<_> {
        let requests = &transcript.threads[0].requests;
        requests.iter().map(|request| (request.usage, request.outcome, request.key.clone())).collect()
    };
    assert_eq!(told(&apart), told(&together));
    // Two that wait at once are answered in their order.
    let other = exchange(&[json!({"role": "user", "content": "something else altogether"})], &reply(80), 77);
    let first = &pairs[0];
    let lines = [&first["request"], &other["request"], &first["response"], &other["response"]].map(Value::clone);
    let transcript = open(&lines);
    let usage = |thread: usize| transcript.threads[thread].requests[0].usage.map(|usage| usage.input);
    assert_eq!((usage(0), usage(1)), (Some(1000), Some(77)));
}
