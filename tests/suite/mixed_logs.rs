//! Logs that hold calls of several vendors' APIs, and messages in envelopes of their own.

use serde_json::{Value, json};
use windowpane::model::{ThreadKind, Transcript};

use crate::data::open_bytes;
use crate::requests::{open_lines, story};

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn chat(number: u64, messages: &[Value], answer: &str) -> Value {
    json!({"request": {"model": "gpt-x", "messages": messages},
        "response": {"id": format!("c{number}"), "object": "chat.completion", "model": "gpt-x",
            "choices": [{"message": {"role": "assistant", "content": answer}}], "usage": {"prompt_tokens": number, "completion_tokens": 1}}})
}

fn anthropic(number: u64, messages: &[Value], content: &Value) -> Value {
    json!({"request": {"model": "claude-x", "max_tokens": 9, "system": "Be an agent.", "messages": messages},
        "response": {"id": format!("m{number}"), "type": "message", "role": "assistant", "model": "claude-x", "content": content,
            "stop_reason": "end_turn", "usage": {"input_tokens": number, "output_tokens": 1}}})
}

fn items(number: u64, input: &str, answer: &str) -> Value {
    json!({"request": {"model": "gpt-y", "input": input},
        "response": {"id": format!("r{number}"), "object": "response", "status": "completed", "model": "gpt-y",
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": answer}]}],
            "usage": {"input_tokens": number, "output_tokens": 1}}})
}

/// A session of two requests, between calls of two other vendors.
fn mixed() -> Vec<Value> {
    let call = json!([{"type": "tool_use", "id": "t1", "name": "sh", "input": {}}]);
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.rs"}]});
    let more = [user("Find it."), json!({"role": "assistant", "content": call}), result];
    vec![
        chat(3, &[json!({"role": "system", "content": "Give a title."}), user("Find it.")], "Finding it"),
        anthropic(10, &more[..1], &call),
        items(5, "Is it safe?", "Yes."),
        anthropic(20, &more, &json!([{"type": "text", "text": "In a.rs."}])),
    ]
}

fn check(transcript: &Transcript, told: &[Vec<String>]) {
    assert_eq!(transcript.format, "anthropic_messages", "the API that was asked most");
    let kinds: Vec<ThreadKind> = transcript.threads.iter().map(|thread| thread.kind).collect();
    assert_eq!(kinds, [ThreadKind::Main, ThreadKind::Conversation, ThreadKind::Conversation]);
    let session = ["Be an agent.", "Find it.", "> Answered", "{}", "a.rs", "> Answered", "In a.rs."];
    assert_eq!(told[0], session);
    assert_eq!(told[1], ["Give a title.", "Find it.", "> Answered", "Finding it"]);
    assert_eq!(told[2], ["Is it safe?", "> Answered", "Yes."]);
    let used = transcript.threads.iter().flat_map(|thread| &thread.requests);
    let used: Vec<u64> = used.map(|request| request.usage.unwrap().context()).collect();
    assert_eq!(used, [10, 20, 3, 5]);
}

#[test]
fn each_call_of_a_log_is_read_by_its_own_api() {
    let lines = mixed();
    let texts: Vec<Value> = lines
        .iter()
        .map(|line| json!({"request": {"body": line["request"].to_string()}, "response": {"body": line["response"].to_string()}}))
        .collect();
    for lines in [lines, texts] {
        let (sources, transcript) = open_lines(&lines);
        let told: Vec<Vec<String>> = (0..3).map(|thread| story(&sources, &transcript, thread)).collect();
        check(&transcript, &told);
    }
}

#[test]
fn each_call_of_a_har_file_is_read_by_its_own_api() {
    let entry = |line: &Value| {
        json!({"request": {"method": "POST", "url": "https://api.example", "postData": {"text": line["request"].to_string()}},
            "response": {"status": 200, "content": {"mimeType": "application/json", "text": line["response"].to_string()}}})
    };
    let entries: Vec<Value> = mixed().iter().map(entry).collect();
    let har = json!({"log": {"version": "1.2", "entries": entries}});
    let (sources, transcript) = open_bytes(serde_json::to_vec_pretty(&har).unwrap(), None);
    let told: Vec<Vec<String>> = (0..3).map(|thread| story(&sources, &transcript, thread)).collect();
    check(&transcript, &told);
}

#[test]
fn messages_in_envelopes_of_their_own_are_one_conversation() {
    let call = json!({"id": "c1", "type": "function", "function": {"name": "sh", "arguments": "{}"}});
    let chat = [
        json!({"role": "system", "content": "Be brief."}),
        user("Find it."),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "a.rs"}),
        json!({"role": "assistant", "content": "In a.rs."}),
    ];
    let anthropic = [
        user("Find it."),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "sh", "input": {}}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.rs"}]}),
        json!({"role": "assistant", "content": "In a.rs."}),
    ];
    let story_of = ["Find it.", "> Answered", "{}", "a.rs", "> Answered", "In a.rs."];
    for (format, messages) in [("openai_chat", &chat[..]), ("anthropic_messages", &anthropic[..])] {
        let envelopes: [&dyn Fn(&Value) -> Value; 4] = [
            &Clone::clone,
            &|message| json!({"type": "message", "message": message}),
            &|message| json!({"type": message["role"], "timestamp": "2026-01-02T03:04:05Z", "message": message}),
            &|message| json!({"message": message}),
        ];
        for envelope in envelopes {
            let lines: Vec<Value> = messages.iter().map(envelope).collect();
            let (sources, transcript) = open_lines(&lines);
            assert_eq!((transcript.format, transcript.threads.len()), (format, 1), "{}", lines[0]);
            let story = story(&sources, &transcript, 0);
            assert_eq!(story[story.len() - story_of.len()..], story_of, "{}", lines[0]);
            assert!(transcript.warnings.is_empty(), "{:?}", transcript.warnings);
        }
    }
}

#[test]
fn what_tracers_and_gateways_keep_of_a_chat_is_read_with_its_calls() {
    let call = json!({"id": "c1", "type": "function", "function": {"name": "sh", "arguments": "{}"}});
    let tools = json!([{"type": "function", "function": {"name": "sh", "parameters": {}}}]);
    let asks = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let sealed = json!({"role": "assistant", "content": "In a.rs.", "reasoning_details": [
        {"type": "reasoning.summary", "summary": "It is there."}, {"type": "reasoning.encrypted", "data": "b3BhcXVl"}]});
    let first = vec![user("Find it.")];
    let more =
        [first.clone(), vec![asks.clone(), json!({"role": "tool", "tool_call_id": "c1", "content": "a.rs"})]].concat();
    let used = json!({"input": 90, "input_cached_tokens": 10, "output": 5});
    type Line<'a> = &'a dyn Fn(&[Value], &Value) -> Value;
    let lines: [(&str, Line<'_>); 3] = [
        (
            "input with tools",
            &|messages, answer| json!({"type": "GENERATION", "model": "gpt-x", "input": {"messages": messages, "tools": tools}, "output": answer, "usageDetails": used}),
        ),
        (
            "input",
            &|messages, answer| json!({"type": "GENERATION", "model": "gpt-x", "input": messages, "output": answer, "usage": {"promptTokens": 100, "completionTokens": 5}}),
        ),
        ("parameters apart", &|messages, answer| {
            json!({"model": "gpt-x", "messages": messages, "model_parameters": {"tools": tools}, "response": {
                "object": "chat.completion", "choices": [{"message": answer}], "usage": {"prompt_tokens": 100, "completion_tokens": 5}}})
        }),
    ];
    for (name, line) in lines {
        let (sources, transcript) = open_lines(&[line(&first, &asks), line(&more, &sealed)]);
        assert_eq!((transcript.format, transcript.threads.len()), ("openai_chat", 1), "{name}");
        let story = story(&sources, &transcript, 0);
        let story = if name == "input" { &story[..] } else { &story[1..] };
        let told = ["Find it.", "> Answered", "{}", "a.rs", "> Answered", "It is there.", "Thinking", "In a.rs."];
        assert_eq!(story, told, "{name}");
        let requests = &transcript.threads[0].requests;
        let context: Vec<u64> = requests.iter().map(|request| request.usage.unwrap().context()).collect();
        assert_eq!(context, [100, 100], "{name}");
        assert!(requests.iter().all(|request| request.model.as_deref() == Some("gpt-x")), "{name}");
        let called = transcript.blocks.iter().filter(|block| block.call.is_some()).count();
        assert_eq!(called, 2, "{name}");
    }
}

#[test]
fn a_count_of_tokens_is_no_request_to_a_model() {
    let ask = [user("Find it.")];
    let more = [user("Find it."), json!({"role": "assistant", "content": "In a.rs."}), user("Mend it.")];
    let said = |text: &str| json!([{"type": "text", "text": text}]);
    let mut by_url = anthropic(3, &more, &said("never said"));
    by_url["request"] =
        json!({"url": "https://api.example/v1/messages/count_tokens?beta=true", "body": by_url["request"]});
    let by_body = json!({"request": anthropic(3, &more, &json!([]))["request"], "response": {"status": 200, "body": {"input_tokens": 9}}});
    for count in [by_url, by_body] {
        let lines = [anthropic(5, &ask, &said("In a.rs.")), count, anthropic(9, &more, &said("Done."))];
        let (sources, transcript) = open_lines(&lines);
        let told = ["Be an agent.", "Find it.", "> Answered", "In a.rs.", "Mend it.", "> Answered", "Done."];
        assert_eq!(story(&sources, &transcript, 0), told);
        assert_eq!((transcript.threads.len(), transcript.records), (1, 3));
        assert_eq!(transcript.skipped.get("count of tokens"), Some(&1));
        assert!(transcript.warnings.is_empty(), "{:?}", transcript.warnings);
    }
}

#[test]
fn a_response_that_is_asked_for_again_is_the_answer_of_its_request() {
    let mut asked = items(9, "Is it safe?", "Yes.");
    let done = asked["response"].clone();
    let waits =
        json!({"id": "r9", "object": "response", "status": "queued", "model": "gpt-y", "output": [], "usage": null});
    asked["response"] = waits.clone();
    let url = json!({"method": "GET", "url": "https://api.example/v1/responses/r9"});
    let mut more = items(20, "And now?", "Still.");
    more["request"]["previous_response_id"] = json!("r9");
    let lines = [asked, json!({"request": url, "response": waits}), json!({"request": url, "response": done}), more];
    let (sources, transcript) = open_lines(&lines);
    let told = ["Is it safe?", "> Answered", "Yes.", "And now?", "> Answered", "Still."];
    assert_eq!((story(&sources, &transcript, 0), transcript.threads.len()), (told.map(str::to_owned).to_vec(), 1));
    assert_eq!(transcript.threads[0].requests[0].usage.map(|usage| usage.context()), Some(9));
}

#[test]
fn what_ollama_answers_is_read_with_what_it_evaluated() {
    let tools = json!([{"type": "function", "function": {"name": "sh", "parameters": {}}}]);
    let asks = json!({"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [{"function": {"name": "sh", "arguments": {"cmd": "ls"}}}]});
    let result = json!({"role": "tool", "tool_name": "sh", "content": "a.rs"});
    let line = |messages: &[Value], answer: &Value, input: u64| {
        json!({"request": {"model": "qwen", "messages": messages, "tools": tools}, "response": {"model": "qwen", "message": answer,
            "done": true, "prompt_eval_count": input, "eval_count": 4}})
    };
    let first = [user("Find it.")];
    let more = [user("Find it."), asks.clone(), result];
    let (sources, transcript) =
        open_lines(&[line(&first, &asks, 50), line(&more, &json!({"role": "assistant", "content": "In a.rs."}), 60)]);
    let told = ["Find it.", "> Answered", "Hm.", "{\"cmd\":\"ls\"}", "a.rs", "> Answered", "In a.rs."];
    assert_eq!(story(&sources, &transcript, 0)[1..], told);
    let used: Vec<u64> = transcript.threads[0].requests.iter().map(|one| one.usage.unwrap().context()).collect();
    assert_eq!(used, [50, 60]);
    assert!(
        transcript
            .blocks
            .iter()
            .any(|block| &*block.label == "sh" && block.kind == windowpane::model::BlockKind::ToolResult)
    );
}

#[test]
fn a_call_that_is_logged_twice_counts_once() {
    let first = chat(3, &[user("Find it.")], "In a.rs.");
    let more =
        chat(5, &[user("Find it."), json!({"role": "assistant", "content": "In a.rs."}), user("Mend it.")], "Done.");
    let (sources, transcript) = open_lines(&[first.clone(), first.clone(), more.clone(), more.clone()]);
    let told = ["Find it.", "> Answered", "In a.rs.", "Mend it.", "> Answered", "Done."];
    assert_eq!((story(&sources, &transcript, 0), transcript.threads.len()), (told.map(str::to_owned).to_vec(), 1));
    assert_eq!((transcript.records, transcript.skipped.get("call again")), (4, Some(&2)));
    // The same request may well be made twice.
    let mut again = first.clone();
    again["response"]["id"] = json!("c4");
    let (_, transcript) = open_lines(&[first, again]);
    assert_eq!(transcript.threads.iter().map(|thread| thread.requests.len()).sum::<usize>(), 2);
}

#[test]
fn what_a_client_says_for_the_model_to_go_on_with_is_no_step() {
    let begun = [user("Give me JSON."), json!({"role": "assistant", "content": "{"})];
    let said = json!([{"type": "text", "text": "\"a\": 1}"}]);
    let (sources, transcript) = open_lines(&[anthropic(7, &begun, &said)]);
    assert_eq!(story(&sources, &transcript, 0), ["Be an agent.", "Give me JSON.", "{", "> Answered", "\"a\": 1}"]);
}

/// How many requests each conversation has.
fn requests(lines: &[Value]) -> Vec<usize> {
    let (_, transcript) = open_lines(lines);
    transcript.threads.iter().map(|thread| thread.requests.len()).collect()
}

#[test]
fn texts_that_are_embedded_or_spoken_are_no_conversations() {
    let data = json!({"object": "list", "data": [{"embedding": [0.1, 0.2]}], "usage": {"prompt_tokens": 9}});
    let embedded = |text: &str| json!({"url": "https://api.example/v1/embeddings", "request": {"model": "embed-3", "input": text}, "response": data});
    let spoken =
        json!({"request": {"model": "tts-1", "voice": "alloy", "input": "Say it."}, "response": {"status": 200}});
    let first = chat(3, &[user("Find it.")], "In a.rs.");
    let more =
        chat(5, &[user("Find it."), json!({"role": "assistant", "content": "In a.rs."}), user("Mend it.")], "Done.");
    let lines = [embedded("Find it."), first, embedded("Mend it."), spoken, embedded("a"), more];
    assert_eq!(requests(&lines), [2]);
}

#[test]
fn a_log_that_keeps_answers_as_output_is_in_one_api() {
    let record = |messages: &[Value], output: Value, input: u64| json!({"name": "llm", "status": "ok", "model": "gpt-x", "messages": messages, "output": output, "usage": {"prompt_tokens": input}});
    let said = json!({"role": "assistant", "content": "In a.rs."});
    let lines = [
        record(&[user("Find it.")], json!([said]), 50),
        record(&[user("Find it."), said, user("Mend it.")], json!([{"role": "assistant", "content": "Done."}]), 70),
    ];
    assert_eq!(requests(&lines), [2]);
    let mut traced = lines;
    for (one, output) in traced.iter_mut().zip([json!("In a.rs."), json!({"role": "assistant", "content": "Done."})]) {
        one["input"] = one.as_object_mut().unwrap().remove("messages").unwrap();
        one["output"] = output;
    }
    assert_eq!(requests(&traced), [2]);
}

#[test]
fn responses_of_one_id_belong_to_the_requests_before_them() {
    let mut messages = vec![];
    let mut lines = vec![];
    for (ask, say, input) in [("One?", "1", 100), ("Two?", "2", 120), ("Three?", "3", 140)] {
        messages.push(user(ask));
        lines.push(json!({"model": "gpt-x", "messages": messages, "max_completion_tokens": 9}));
        lines.push(json!({"id": "c", "object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": say}}],
            "usage": {"prompt_tokens": input}}));
        messages.push(json!({"role": "assistant", "content": say}));
    }
    let (_, transcript) = open_lines(&lines);
    assert_eq!(transcript.threads.len(), 1);
    let used: Vec<_> =
        transcript.threads[0].requests.iter().map(|one| one.usage.map(|usage| usage.context())).collect();
    assert_eq!(used, [Some(100), Some(120), Some(140)]);
    // The same again an hour later is another call, though a gateway answers it with what it had.
    let mut call = chat(3, &[user("Is it good?")], "Yes.");
    call["timestamp"] = json!("2026-01-01T10:00:00Z");
    let mut again = call.clone();
    again["timestamp"] = json!("2026-01-01T11:00:00Z");
    assert_eq!(requests(&[call, again]).iter().sum::<usize>(), 2);
}

#[test]
fn two_runs_of_one_task_keep_their_own_results() {
    let tools = json!([{"type": "function", "function": {"name": "sh", "parameters": {}}}]);
    let calls = |cmd: &str| json!({"role": "assistant", "content": "", "tool_calls": [{"id": "call_0", "type": "function", "function": {"name": "sh", "arguments": cmd}}]});
    let result = |text: &str| json!({"role": "tool", "tool_call_id": "call_0", "content": text});
    let line = |run: &str, messages: &[Value], answer: &Value| {
        json!({"request": {"model": "gpt-x", "messages": messages, "tools": tools},
            "response": {"id": format!("{run}{}", messages.len()), "choices": [{"message": answer}], "usage": {"prompt_tokens": 100 * messages.len()}}})
    };
    let begun = [user("Mend the failing test of the parser.")];
    let [test, read] = [calls("pytest"), calls("cat parser.py")];
    let texts = |run: &str| [format!("FAILED {run}: it was 4"), format!("def parse(): return {run}, and more")];
    let more = |run: &str| [begun[0].clone(), test.clone(), result(&texts(run)[0])];
    let most = |run: &str| [more(run).as_slice(), &[read.clone(), result(&texts(run)[1])]].concat();
    let done = json!({"role": "assistant", "content": "Done."});
    let lines = [
        line("a", &begun, &test),
        line("b", &begun, &test),
        line("a", &more("a"), &read),
        line("b", &more("b"), &read),
        line("a", &most("a"), &done),
        line("b", &most("b"), &done),
    ];
    let (sources, transcript) = open_lines(&lines);
    assert_eq!(transcript.threads.iter().map(|thread| thread.requests.len()).collect::<Vec<_>>(), [3, 3]);
    for thread in 0..2 {
        let told = story(&sources, &transcript, thread).join("\n");
        assert!(told.contains("FAILED a") != told.contains("FAILED b"), "{told}");
        assert_eq!(told.contains("FAILED a"), told.contains("return a"), "{told}");
    }
}
