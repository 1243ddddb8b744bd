//! Logs made to do harm: what grows with the square of a record's parts takes hours with these.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windowpane::model::Transcript;

use crate::codex::{event, item, line, meta, says};
use crate::data;

/// Parts of a record.
const MANY: usize = 20_000;

/// Reads a log, which may not take long.
fn opened(lines: &[Value]) -> Transcript {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let begun = Instant::now();
    let (_, found) = data::open_bytes(text.join("\n").into_bytes(), None);
    assert!(begun.elapsed() < Duration::from_secs(20), "it took {:?}", begun.elapsed());
    found
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn gives(id: &str, text: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": text})
}

fn calls(id: &str) -> Value {
    let call = json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": [call]})
}

fn request(messages: &[Value]) -> Value {
    json!({"model": "m", "messages": messages})
}

#[test]
fn equal_messages_are_told_from_each_other_without_a_search_through_all() {
    let mut messages = vec![user("begin")];
    messages.extend((0..MANY).map(|_| user("on")));
    messages.insert(MANY * 6 / 10, user("aside"));
    let mut shorter = messages.clone();
    shorter.remove(MANY * 6 / 10);
    let found = opened(&[request(&messages), request(&shorter)]);
    assert_eq!((found.threads.len(), found.blocks.len()), (1, MANY + 2), "all of it is said again");
}

#[test]
fn equal_messages_that_a_compaction_keeps_are_found_without_a_search_through_all() {
    let said = || json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "on"}]});
    let mut lines = vec![meta()];
    lines.extend((0..MANY).map(|_| item(said())));
    let kept: Vec<Value> = (0..MANY).map(|_| said()).collect();
    lines.push(line("compacted", json!({"message": "", "replacement_history": kept})));
    assert_eq!(opened(&lines).blocks.len(), MANY + 3, "with the system prompt and two tools");
}

#[test]
fn calls_that_are_answered_late_find_their_results() {
    let ids: Vec<String> = (0..MANY).map(|at| format!("call_{at}")).collect();
    // An id that comes twice makes all of them be looked at.
    let made = ids.iter().chain(ids.first()).flat_map(|id| [calls(id), user("on")]);
    let messages: Vec<Value> = made.chain(ids.iter().rev().map(|id| gives(id, "done"))).collect();
    let found = opened(&[request(&messages)]);
    assert_eq!(found.blocks.len(), messages.len());
}

#[test]
fn many_results_of_one_call_are_said_again_in_another_order() {
    let results: Vec<Value> = (0..MANY).map(|at| gives("c", &format!("result {at}"))).collect();
    let begin = || [user("begin"), calls("c")].into_iter();
    let again: Vec<Value> = begin().chain(results.iter().rev().cloned()).collect();
    let found = opened(&[request(&begin().chain(results).collect::<Vec<_>>()), request(&again)]);
    assert_eq!(found.blocks.len() % (MANY + 2), 0, "each result is a block of its own");
}

#[test]
fn what_the_screen_is_told_later_is_found_without_a_search_through_all() {
    let told = |text: String| event(json!({"type": "agent_message", "message": text}));
    let mut lines = vec![meta(), says("user", "go")];
    lines.extend((0..MANY).map(|at| says("assistant", &format!("part {at}"))));
    lines.extend((0..MANY).rev().map(|at| told(format!("part {at}"))));
    assert_eq!(opened(&lines).threads[0].requests.len(), 1);
}

#[test]
fn an_answer_of_many_blocks_that_came_as_a_stream_is_put_together() {
    let begins = |at: usize| json!({"type": "content_block_start", "index": at, "content_block": {"type": "text"}});
    let grows = |at: usize| json!({"type": "content_block_delta", "index": at, "delta": {"text": "a"}});
    let events: Vec<Value> = (0..MANY).map(begins).chain((0..MANY).rev().map(grows)).collect();
    let asked = json!({"model": "claude-x", "max_tokens": 5, "messages": [user("begin")]});
    let found = opened(&[json!({"request": asked, "response": events})]);
    assert_eq!(found.blocks.len(), MANY + 1);
}
