//! Logs as programs write them: the newest call first, answers on lines of their own, bodies as texts, traces.

use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::model::{Layer, Transcript};

use crate::requests::{open, open_lines, story};

/// Messages, answer and size of four requests of one conversation.
fn calls(name: &str) -> Vec<(Vec<Value>, Value, u64)> {
    let mut messages = vec![
        json!({"role": "system", "content": "You are an agent."}),
        json!({"role": "user", "content": format!("Please mend {name} and run the tests afterwards")}),
    ];
    let mut calls = Vec::new();
    for number in 0..4u64 {
        let answer = json!({"role": "assistant", "content": format!("{name}, part {number}")});
        calls.push((messages.clone(), answer.clone(), 400 + 100 * number));
        messages.push(answer);
        messages.push(json!({"role": "user", "content": format!("Go on with {number} of {name}")}));
    }
    calls
}

fn body(messages: &[Value]) -> Value {
    let tool = json!({"type": "function", "function": {"name": "sh", "parameters": {}}});
    json!({"model": "gpt-x", "messages": messages, "tools": [tool]})
}

fn response(answer: &Value, size: u64) -> Value {
    json!({"id": answer["content"], "object": "chat.completion", "model": "gpt-x", "created": 1_788_000_000u64,
        "choices": [{"message": answer}], "usage": {"prompt_tokens": size, "completion_tokens": 7}})
}

fn time(second: usize) -> String {
    format!("2026-09-01T10:00:{second:02}.000Z")
}

/// What a tracer observed of each call.
fn observed() -> Vec<Value> {
    let of = |(at, (messages, answer, size)): (usize, (Vec<Value>, Value, u64))| {
        json!({"id": format!("o{at}"), "traceId": "t", "type": "GENERATION", "startTime": time(at), "model": "gpt-x",
            "input": messages, "output": answer, "usage": {"input": size, "output": 7, "unit": "TOKENS"},
            "usageDetails": {"input": size - 150, "input_cached_tokens": 150, "output": 7}})
    };
    calls("the parser").into_iter().enumerate().map(of).collect()
}

/// Checks that a thread is the four requests, each of its size, and returns how much was read from a cache.
fn check(transcript: &Transcript, sources: &Sources, thread: usize, name: &str, said: &str) -> Vec<u64> {
    let told = story(sources, transcript, thread);
    let ops = told.iter().filter(|op| op.starts_with("Re") || op.starts_with("Edited") || op.starts_with("compact"));
    assert_eq!(ops.count(), 0, "{said}: {told:?}");
    let answers = told.iter().filter(|op| op.starts_with(&format!("{name}, part")));
    let parts: Vec<String> = (0..4).map(|number| format!("{name}, part {number}")).collect();
    assert_eq!(answers.cloned().collect::<Vec<_>>(), parts, "{said}: {told:?}");
    let usages = crate::requests::usages(&transcript.threads[thread]);
    let sizes: Vec<u64> = usages.iter().map(|usage| usage.context()).collect();
    assert_eq!(sizes, [400, 500, 600, 700], "{said}: {told:?}");
    assert_eq!(transcript.warnings, [], "{said}");
    usages.iter().map(|usage| usage.cache_read).collect()
}

#[test]
fn calls_that_are_listed_newest_first_are_read_in_the_order_of_their_times() {
    let log = |key: &str| -> Vec<Value> {
        let of = |(at, (messages, answer, size)): (usize, (Vec<Value>, Value, u64))| {
            json!({"request_id": format!("r{at}"), key: time(at), "request_body": body(&messages),
                "response_body": response(&answer, size)})
        };
        calls("the parser").into_iter().enumerate().map(of).collect()
    };
    for key in ["request_created_at", "startTime", "timestamp"] {
        let mut lines = log(key);
        for order in ["oldest first", "newest first"] {
            for (sources, transcript) in [open_lines(&lines), open(&json!(lines)), open(&json!({"data": lines}))] {
                assert_eq!(transcript.threads.len(), 1, "{key} {order}");
                check(&transcript, &sources, 0, "the parser", &format!("{key} {order}"));
                let at: Vec<Option<i64>> = transcript.threads[0].requests.iter().map(|request| request.at).collect();
                assert!(at.is_sorted(), "{at:?}");
            }
            lines.reverse();
        }
    }
    // Listed by runs, the newest run first; and newest first, but for one that was late.
    let lines = log("startTime");
    for order in [[2, 3, 0, 1], [3, 2, 0, 1], [1, 3, 2, 0]] {
        let listed: Vec<&Value> = order.iter().map(|at| &lines[*at]).collect();
        for (sources, transcript) in
            [open_lines(&listed.iter().copied().cloned().collect::<Vec<_>>()), open(&json!(listed))]
        {
            check(&transcript, &sources, 0, "the parser", &format!("{order:?}"));
        }
    }
    // Where a time is missing, nothing says that the order is another one.
    let mut lines = log("startTime");
    lines.reverse();
    lines[1].as_object_mut().unwrap().remove("startTime");
    lines[1]["response_body"].as_object_mut().unwrap().remove("created");
    let (sources, transcript) = open_lines(&lines);
    let told = story(&sources, &transcript, 0);
    assert!(told.iter().any(|op| op.starts_with("Rewound")), "{told:?}");
}

#[test]
fn a_response_on_a_line_of_its_own_answers_the_request_with_its_id() {
    type Shape = fn(&str, &str, Value) -> Value;
    let shapes: [(&str, Shape); 3] = [
        ("under its name", |id, kind, body| json!({"request_id": id, kind: body})),
        ("as a body", |id, _, body| json!({"request_id": id, "body": body})),
        ("with its type", |id, kind, body| json!({"type": kind, "id": id, "body": body})),
    ];
    for (name, shape) in shapes {
        let mut lines = Vec::new();
        for (at, (one, other)) in calls("the parser").into_iter().zip(calls("the lexer")).enumerate() {
            let (first, second) = (format!("a{at}"), format!("b{at}"));
            lines.push(shape(&first, "request", body(&one.0)));
            lines.push(shape(&second, "request", body(&other.0)));
            lines.push(shape(&second, "response", response(&other.1, other.2)));
            lines.push(shape(&first, "response", response(&one.1, one.2)));
        }
        let (sources, transcript) = open_lines(&lines);
        assert_eq!((transcript.threads.len(), &transcript.skipped), (2, &Default::default()), "{name}");
        check(&transcript, &sources, 0, "the parser", name);
        check(&transcript, &sources, 1, "the lexer", name);
    }
}

#[test]
fn what_a_tracer_observed_is_a_list_of_requests() {
    let old_first = observed();
    let new_first: Vec<Value> = old_first.iter().rev().cloned().collect();
    let span = json!({"id": "s", "traceId": "t", "type": "SPAN", "startTime": time(9), "input": old_first[3]["input"],
        "output": {"role": "assistant", "content": "the parser, part 3"}});
    let with_span: Vec<Value> = std::iter::once(&span).chain(&new_first).cloned().collect();
    for list in [&old_first, &new_first, &with_span] {
        for (shape, value) in [
            ("page", json!({"data": list, "meta": {"page": 1}})),
            ("bare", json!(list)),
            (
                "trace",
                json!({"id": "t", "timestamp": time(0), "input": list[0]["input"], "output": list[0]["output"], "observations": list}),
            ),
            ("export", json!({"trace": {"id": "t"}, "observations": list})),
        ] {
            let (sources, transcript) = open(&value);
            assert_eq!((transcript.format, transcript.threads.len()), ("openai_chat", 1), "{shape}");
            let cached = check(&transcript, &sources, 0, "the parser", shape);
            assert_eq!(cached, [150; 4], "{shape}");
        }
        let (sources, transcript) = open_lines(list);
        check(&transcript, &sources, 0, "the parser", "lines");
    }
    // One trace on each line, newest first: each with what it observed.
    let trace = |list: &[Value]| json!({"id": list[0]["id"], "timestamp": list[0]["startTime"], "observations": list});
    let (sources, transcript) = open_lines(&[trace(&old_first[2..]), trace(&old_first[..2])]);
    assert_eq!((transcript.format, transcript.threads.len()), ("openai_chat", 1));
    check(&transcript, &sources, 0, "the parser", "traces on lines");
    let lines: Vec<u32> = transcript.messages.iter().map(|message| message.record.line).collect();
    assert!(lines.contains(&1) && lines.contains(&2), "{lines:?}");
}

#[test]
fn requests_that_are_kept_as_texts_are_read() {
    type Shape = fn(&(Vec<Value>, Value, u64)) -> Value;
    let shapes: [(&str, usize, Shape); 4] = [
        ("messages and response", 0, |(messages, answer, size)| {
            json!({"model": "gpt-x", "messages": json!(messages).to_string(), "response": response(answer, *size).to_string(),
                "proxy_server_request": "{}"})
        }),
        ("the proxy's request", 1, |(messages, answer, size)| {
            json!({"model": "gpt-x", "messages": json!(messages).to_string(), "response": response(answer, *size).to_string(),
                "proxy_server_request": body(messages).to_string()})
        }),
        ("the proxy's request beside a list", 1, |(messages, answer, size)| {
            json!({"model": "gpt-x", "messages": messages, "response": response(answer, *size),
                "proxy_server_request": {"url": "https://proxy.example", "body": body(messages)}})
        }),
        ("input and output", 0, |(messages, answer, size)| {
            json!({"type": "GENERATION", "model": "gpt-x", "input": json!(messages).to_string(),
                "output": answer.to_string(), "usageDetails": {"input": size, "output": 7}})
        }),
    ];
    for (name, tools, shape) in shapes {
        let lines: Vec<Value> = calls("the parser").iter().map(shape).collect();
        for (sources, transcript) in [open_lines(&lines), open(&json!(lines))] {
            assert_eq!(transcript.threads.len(), 1, "{name}");
            check(&transcript, &sources, 0, "the parser", name);
            let held = transcript.blocks.iter().filter(|block| block.layer == Layer::Tools).count();
            assert_eq!(held, tools, "{name}");
            assert!(transcript.messages.iter().all(|message| message.record.line >= 1), "{name}");
        }
    }
}

#[test]
fn texts_that_are_no_messages_stay_what_they_are() {
    let line = |input: &str, output: &str| json!({"model": "gpt-x", "input": input, "output": output});
    let (sources, transcript) = open_lines(&[line("Give me [JSON], please", "{\"a\": [1, 2]}")]);
    let told = story(&sources, &transcript, 0);
    assert_eq!(told, ["Give me [JSON], please", "> Answered", "{\"a\": [1, 2]}"]);
    // What cannot be read is told of.
    let (messages, answer, size) = calls("the parser").remove(0);
    let other = json!({"role": "assistant", "content": "Another one."});
    let cut = json!({"model": "gpt-x", "messages": "[{\"role\": \"user\", \"cont", "response": response(&other, size)});
    let whole = json!({"request": body(&messages), "response": response(&answer, size)});
    let (_, transcript) = open_lines(&[whole, cut]);
    let told: Vec<(u32, &str)> = transcript.warnings.iter().map(|one| (one.line, one.message.as_str())).collect();
    assert!(matches!(&told[..], [(2, words)] if words.contains("messages is a text")), "{told:?}");
}
