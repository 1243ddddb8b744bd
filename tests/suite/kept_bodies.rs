//! Logs in which bodies stand otherwise than as JSON: as texts, as streams of events, in batches.

use serde_json::{Value, json};
use windowpane::model::{BlockKind, Outcome, SourceKind, Transcript};

use crate::data;

/// Reads a log; the texts of its blocks in order.
fn open(lines: &[Value]) -> (Transcript, Vec<String>) {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let (sources, transcript) = data::open_bytes(text.join("\n").into_bytes(), None);
    let texts = transcript.blocks.iter().map(|block| sources.body_text(&block.body).unwrap()).collect();
    (transcript, texts)
}

fn chat() -> (Value, Value) {
    let request = json!({"model": "gpt-x", "messages": [{"role": "system", "content": "x".repeat(3000)}, {"role": "user", "content": "hé \"you\""}]});
    let call = json!({"id": "t", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}});
    let response = json!({"id": "c", "object": "chat.completion", "model": "gpt-x-1", "choices": [{"message":
        {"role": "assistant", "content": "so", "tool_calls": [call]}}], "usage": {"prompt_tokens": 900, "completion_tokens": 2}});
    (request, response)
}

fn messages() -> (Value, Value) {
    let request = json!({"model": "claude-x", "max_tokens": 5, "system": "x".repeat(3000), "messages": [{"role": "user", "content": "hé \"you\""}]});
    let response = json!({"id": "m", "type": "message", "role": "assistant", "model": "claude-x-1", "content": [
        {"type": "text", "text": "so"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 900, "output_tokens": 2}});
    (request, response)
}

fn chunks() -> Vec<Value> {
    let delta = |delta: Value| json!({"id": "c", "object": "chat.completion.chunk", "model": "gpt-x-1", "choices": [{"index": 0, "delta": delta}]});
    vec![
        delta(json!({"role": "assistant", "content": "s"})),
        delta(json!({"content": "o"})),
        delta(json!({"tool_calls": [{"index": 0, "id": "t", "function": {"name": "f", "arguments": "{\"a\":"}}]})),
        delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]})),
        json!({"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 2}}),
    ]
}

fn events() -> Vec<Value> {
    vec![
        json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "claude-x-1",
            "content": [], "usage": {"input_tokens": 900, "output_tokens": 1}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "s"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "o"}}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"a\":1}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}}),
    ]
}

fn wire(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: x\r\ndata: {event}\r\n\r\n")).collect()
}

#[test]
fn whatever_form_a_body_is_kept_in_it_is_read() {
    for (pair, stream, format) in [(chat(), chunks(), "openai_chat"), (messages(), events(), "anthropic_messages")] {
        let (request, response) = pair;
        let (asked, answered) = (request.to_string(), response.to_string());
        let plain = open(&[json!({"request": request, "response": response})]);
        let usage = plain.0.threads[0].requests[0].usage;
        assert_eq!((plain.1.len(), usage.map(|usage| usage.context())), (4, Some(900)));
        let kept = [
            json!({"request": asked, "response": answered}),
            json!({"request": {"method": "POST", "body": asked}, "response": {"status": 200, "body": answered}}),
            json!({"kwargs": request, "response": response}),
            json!({"raw_request": request, "raw_response": answered}),
            json!({"request": {"body": request}, "response": {"body_raw": wire(&stream)}}),
            json!({"request": request, "response": wire(&stream)}),
            json!({"request": request, "response": stream}),
            json!({"request": asked, "response": stream}),
            json!([request, stream]),
        ];
        for (at, line) in kept.iter().enumerate() {
            let (transcript, texts) = open(std::slice::from_ref(line));
            assert_eq!((transcript.format, &texts), (format, &plain.1), "{format} {at}");
            let asked = &transcript.threads[0].requests[0];
            assert_eq!(
                (transcript.threads[0].requests.len(), asked.usage, asked.outcome),
                (1, usage, Outcome::Answered)
            );
            assert_eq!(asked.model, plain.0.threads[0].requests[0].model, "{format} {at}");
            assert_eq!(transcript.warnings, [], "{format} {at}");
            assert!(transcript.blocks.iter().all(|block| block.record.line == 1));
        }
        // One line after the other, and the next request repeats what was streamed.
        let mut next = request.clone();
        let said = next["messages"].as_array_mut().unwrap();
        match format {
            "openai_chat" => said.push(response["choices"][0]["message"].clone()),
            _ => said.push(json!({"role": "assistant", "content": response["content"]})),
        }
        said.push(json!({"role": "user", "content": "more"}));
        let log = [json!({"request": request, "response": wire(&stream)}), json!({"request": next.to_string()})];
        let (transcript, texts) = open(&log);
        assert_eq!((transcript.threads.len(), texts.len()), (1, 5), "{texts:?}");
        assert_eq!((transcript.blocks[4].record.line, &*texts[4]), (2, "more"));
        let made: Vec<SourceKind> = transcript.sources.iter().map(|source| source.kind).collect();
        assert_eq!(made, [SourceKind::Transcript, SourceKind::Made]);
        assert_eq!(transcript.sources[1].name, "test (bodies put together)");
    }
}

#[test]
fn a_response_in_no_known_form_is_told_of() {
    let (request, _) = chat();
    for response in [json!("<html> <body>502"), json!({"what": "ever"}), json!([1, 2])] {
        let good = json!({"request": request, "response": {}});
        let (transcript, _) = open(&[good, json!({"request": request, "response": response})]);
        let told: Vec<(u32, &str)> =
            transcript.warnings.iter().map(|warning| (warning.line, warning.message.as_str())).collect();
        assert!(matches!(&told[..], [(2, words)] if words.contains("response")), "{told:?}");
    }
}

#[test]
fn a_batch_is_a_list_of_requests() {
    let (request, _) = messages();
    let batch = json!({"requests": [{"custom_id": "a", "params": request}, {"custom_id": "b", "params": request}]});
    let (transcript, _) = open(std::slice::from_ref(&batch));
    let requests: usize = transcript.threads.iter().map(|thread| thread.requests.len()).sum();
    assert_eq!((transcript.format, requests), ("anthropic_messages", 2));
    let (_, chat) = chat();
    let (transcript, texts) = open(&[json!({"object": "list", "data": [chat], "has_more": false})]);
    assert_eq!((transcript.format, &*texts[0]), ("openai_chat", "so"));
}

#[test]
fn the_events_of_a_response_are_its_last_one() {
    let item = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]});
    let body = |status: &str, output: Value| json!({"id": "r", "object": "response", "model": "gpt-x", "status": status, "instructions": "be brief", "output": output});
    let mut ended = body("completed", json!([item]));
    ended["usage"] = json!({"input_tokens": 10, "output_tokens": 1});
    let log = [
        json!({"type": "response.created", "response": body("in_progress", json!([]))}),
        json!({"type": "response.output_text.delta", "delta": "hi"}),
        json!({"type": "response.completed", "response": ended}),
    ];
    for lines in [log.to_vec(), vec![json!(log)]] {
        let (transcript, texts) = open(&lines);
        assert_eq!((transcript.format, texts), ("openai_responses", vec!["be brief".to_owned(), "hi".to_owned()]));
        let [request] = &transcript.threads[0].requests[..] else { panic!("one request") };
        assert_eq!((request.usage.map(|usage| usage.input), request.model.as_deref()), (Some(10), Some("gpt-x")));
        assert!(transcript.blocks.iter().all(|block| block.kind == BlockKind::Text));
        assert_eq!(transcript.warnings, []);
    }
}
