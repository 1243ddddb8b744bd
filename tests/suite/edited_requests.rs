//! Requests of which the provider clears a part, and those that stand in one object with their answers.

use std::collections::HashSet;

use serde_json::{Value, json};
use windowpane::content::Watch;
use windowpane::engine::plan::Counted;
use windowpane::engine::{Given, Plan, StepFacts, simulate};
use windowpane::model::*;
use windowpane::policy::{preset, set};
use windowpane::tokens::{Count, Encoding};

use crate::requests::{open, open_lines, story, usages};

#[test]
fn what_a_request_spares_of_clearing_stays_and_reasoning_and_inputs_go_where_it_says_so() {
    let call = |id: &str, name: &str| {
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": format!("about {id}"), "signature": "s"},
            {"type": "tool_use", "id": id, "name": name, "input": {"of": id}}]})
    };
    let result =
        |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": id}]});
    let uses = "clear_tool_uses_20250919";
    let pair = |inputs: Value| {
        json!({"request": {"model": "claude-x", "max_tokens": 1, "context_management": {"edits": [
                {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}},
                {"type": uses, "exclude_tools": ["memory"], "clear_tool_inputs": inputs}]},
            "messages": [{"role": "user", "content": "go"}, call("a1", "memory"), result("a1"), call("a2", "Bash"), result("a2")]},
        "response": {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [], "usage": {"input_tokens": 1},
            "context_management": {"applied_edits": [{"type": "clear_thinking_20251015", "cleared_thinking_turns": 1},
                {"type": uses, "cleared_tool_uses": 1}]}}})
    };
    let last = |inputs: Value, count: usize| {
        let (sources, transcript) = open(&pair(inputs));
        let story = story(&sources, &transcript, 0);
        story[story.len() - count..].to_vec()
    };
    assert_eq!(last(json!(false), 3), ["clear about a1", "clear a2", "> Answered"]);
    let cleared = ["clear about a1", "clear a2", "clear {\"of\":\"a2\"}", "> Answered"];
    assert_eq!(last(json!(true), 4), cleared);
    assert_eq!(last(json!(["Bash"]), 4), cleared);
}

#[test]
fn a_call_whose_id_comes_again_is_another_call() {
    let call = |of: u32| json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t0", "name": "Read", "input": {"of": of}}]});
    let result = |text: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t0", "content": text}]});
    let pair = json!({"request": {"model": "claude-x", "max_tokens": 1, "context_management": {"edits": [
            {"type": "clear_tool_uses_20250919", "clear_tool_inputs": true}]},
        "messages": [{"role": "user", "content": "go"}, call(1), result("one"), call(2), result("two"), call(3), result("three")]},
    "response": {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [], "usage": {"input_tokens": 1},
        "context_management": {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 2}]}}});
    let (sources, transcript) = open(&pair);
    let story = story(&sources, &transcript, 0);
    assert_eq!(story[story.len() - 3..], ["clear one|two", "clear {\"of\":1}|{\"of\":2}", "> Answered"]);
}

#[test]
fn a_request_and_its_answer_may_stand_in_one_object() {
    let ask = json!({"role": "user", "content": "go"});
    let chat = json!({"model": "gpt-x", "messages": [ask], "object": "chat.completion",
        "choices": [{"message": {"role": "assistant", "content": "yes"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 1}});
    let kept = json!({"model": "gpt-x", "messages": [{"role": "system", "content": "s"}, ask, {"role": "assistant", "content": "yes"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 1}});
    let claude = json!({"model": "claude-x", "system": "s", "messages": [ask], "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "yes"}], "usage": {"input_tokens": 7, "output_tokens": 1}});
    let items = json!({"model": "gpt-x", "input": [{"role": "user", "content": "go"}], "status": "completed", "object": "response",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}],
        "usage": {"input_tokens": 7, "output_tokens": 1}});
    let mut again = chat.clone();
    again["messages"] = json!([ask, {"role": "assistant", "content": "yes"}]);
    for body in [chat, kept, claude, items, again] {
        for (sources, transcript) in [open(&body), open_lines(&[body.clone(), body.clone()])] {
            let story = story(&sources, &transcript, 0);
            let at = story.iter().position(|words| words == "go").unwrap();
            assert_eq!(story[at..at + 3], ["go", "> Answered", "yes"], "{body}");
            assert_eq!(
                (usages(&transcript.threads[0])[0].context(), usages(&transcript.threads[0])[0].output),
                (7, Some(1))
            );
        }
    }
    let settings = json!({"model": "m", "messages": [ask], "usage": {"include": true}});
    let (sources, transcript) = open(&settings);
    assert_eq!(story(&sources, &transcript, 0), ["go", "> Pending"], "a request may ask for its usage to be told");
    // An answer in no known form is not there: what the next request begins with is no request of its own.
    let unread = |messages: Value| {
        json!({"model": "gpt-x", "messages": messages, "said": {"is": "yes"},
        "usage": {"prompt_tokens": 7, "completion_tokens": 1}})
    };
    let more = json!([ask, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "on"}]);
    let (_, transcript) = open_lines(&[unread(json!([ask])), unread(more)]);
    assert_eq!(transcript.threads[0].requests.len(), 2);
}

#[test]
fn requests_and_responses_are_found_in_the_envelopes_of_gateways() {
    let ask = json!({"max_tokens": 9, "anthropic_version": "bedrock-2023-05-31", "messages": [{"role": "user", "content": "go"}]});
    let answer = json!({"type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "yes"}], "usage": {"input_tokens": 7, "output_tokens": 1}});
    let bedrock = json!({"schemaType": "ModelInvocationLog", "modelId": "anthropic.claude-x",
        "input": {"inputBodyJson": ask}, "output": {"outputBodyJson": answer}});
    let chat = json!({"model": "gpt-x", "messages": [{"role": "user", "content": "go"}]});
    let part = |delta: Value, usage: Value| json!({"object": "chat.completion.chunk", "model": "gpt-x", "choices": [{"index": 0, "delta": delta}], "usage": usage});
    let chunks = json!([
        part(json!({"role": "assistant", "content": "yes"}), Value::Null),
        part(json!({}), json!({"prompt_tokens": 7, "completion_tokens": 1}))
    ]);
    let streamed = json!({"request": chat, "response": {"chunks": chunks}});
    let texts = json!({"request_json": ask.to_string(), "response_json": answer.to_string()});
    let listed = json!({"logs": [{"request": ask, "response": answer}]});
    for body in [bedrock.clone(), streamed, texts, listed] {
        let (sources, transcript) = open(&body);
        assert_eq!(story(&sources, &transcript, 0)[..3], ["go", "> Answered", "yes"], "{body}");
        assert_eq!(usages(&transcript.threads[0])[0].context(), 7, "{body}");
    }
    let (_, transcript) = open(&bedrock);
    assert_eq!(transcript.threads[0].requests[0].model.as_deref(), Some("anthropic.claude-x"));
}

#[test]
fn responses_alone_go_on_from_those_that_they_name() {
    let response = |id: &str, before: Value, text: &str| {
        json!({"id": id, "object": "response", "status": "completed", "model": "gpt-x", "instructions": "s",
            "previous_response_id": before, "usage": {"input_tokens": 7, "output_tokens": 1},
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]})
    };
    let lines = [response("r1", Value::Null, "one"), response("r2", json!("r1"), "two")];
    let (sources, transcript) = open_lines(&lines);
    assert_eq!(transcript.threads.len(), 1);
    assert_eq!(story(&sources, &transcript, 0), ["s", "> Answered", "one", "> Answered", "two"]);
}

/// What stands last is said otherwise in each request: nobody went back, and what was cleared stays so.
#[test]
fn a_last_message_that_changes_with_every_request_is_an_edit() {
    let long = |of: usize| format!("line {of} of it. ").repeat(200);
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    let mut log = Vec::new();
    for number in 0..12 {
        let id = format!("c{number}");
        let mut sent = messages.clone();
        sent.push(json!({"role": "user", "content": format!("<env>minute {number}</env>")}));
        log.push(json!({"model": "gpt-x", "messages": sent}));
        messages.push(json!({"role": "assistant", "tool_calls": [{"id": id, "type": "function",
            "function": {"name": "look", "arguments": "{}"}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": long(number)}));
    }
    let (sources, transcript) = open_lines(&log);
    // The first request is too short to be told from another conversation.
    let causes: Vec<RewindCause> = transcript.threads[1].ops.iter().filter_map(cause_of).collect();
    assert_eq!(causes, [RewindCause::Edited; 10]);
    let mut policy = preset("none", None).unwrap().0;
    for own in ["microcompact.on=true", "microcompact.at=3000", "microcompact.keep=1 results"] {
        set(&mut policy, own).unwrap();
    }
    let counted = Counted { encoding: Encoding::Estimate, factor: 1.0, originals: false };
    let count = |id: BlockId, _| match transcript.block(id).map(|block| &block.body) {
        Some(Body::Text { chars, .. }) => Count { tokens: chars.div_ceil(4), exact: true },
        _ => Count::default(),
    };
    let facts = |_: &Request| StepFacts { window_tokens: 100_000, ..StepFacts::default() };
    let mut plan = Plan::new(&transcript, ThreadId(1), counted, count, facts);
    assert!(plan.read(&transcript, &sources, &Watch::default()));
    let run = simulate(&plan, &policy, &Given::default());
    let mut cleared = HashSet::new();
    for event in run.events.iter().filter(|event| event.stage == Stage::Microcompact) {
        for block in event.took.iter().filter_map(|id| run.entry(*id)?.block()) {
            assert!(cleared.insert(block), "cleared again at step {}", event.step);
        }
    }
    assert!(cleared.len() > 3);
}

fn cause_of(op: &Op) -> Option<RewindCause> {
    if let Op::Rewind(rewind) = op { Some(rewind.cause) } else { None }
}
