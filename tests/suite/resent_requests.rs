//! Logs in which a client sends again what it was answered, but not byte by byte: what it said stays one conversation,
//! and nothing is told that did not happen.

use serde_json::{Value, json};
use windowpane::model::{Op, Thread, ThreadKind};

use crate::data;

/// What happened in each thread: requests `?`, compactions `c`, rewinds `r`, and how many blocks the last window holds.
fn told(lines: &[Value]) -> Vec<(String, usize)> {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let (_, transcript) = data::open_bytes(text.join("\n").into_bytes(), None);
    let of = |thread: &Thread| {
        let mut window = Vec::new();
        let mut told = String::new();
        for op in &thread.ops {
            match op {
                Op::Add(id) => window.push(*id),
                Op::Request(_) => told.push('?'),
                Op::Compact(compaction) => {
                    told.push('c');
                    window.clone_from(&compaction.window);
                }
                Op::Rewind(rewind) => {
                    told.push('r');
                    window.clone_from(&rewind.window);
                }
                Op::Clear(_) | Op::Shorten(_) => told.push('-'),
            }
        }
        (told, window.len())
    };
    transcript.threads.iter().filter(|thread| thread.kind != ThreadKind::Summariser).map(of).collect()
}

/// Requests of one talk, with what stands for each turn's question in each of them.
fn asked(number: usize, sent: impl Fn(usize, usize) -> String, answer: impl Fn(usize) -> String) -> Vec<Value> {
    let mut lines = Vec::new();
    for at in 0..number {
        let mut messages = Vec::new();
        for turn in 0..=at {
            messages.push(json!({"role": "user", "content": sent(at, turn)}));
            messages.push(json!({"role": "assistant", "content": answer(turn)}));
        }
        let message = messages.pop();
        lines.push(json!({"request": {"model": "gpt-4o", "messages": messages},
            "response": {"id": format!("c{at}"), "object": "chat.completion", "model": "gpt-4o",
                "choices": [{"message": message}]}}));
    }
    lines
}

/// Requests that say the newest messages alone, of each so many.
fn newest(number: usize, kept: usize, answer: impl Fn(usize) -> String) -> Vec<Value> {
    let mut lines = asked(number, |_, turn| format!("Question {turn}?"), answer);
    for messages in lines.iter_mut().filter_map(|line| line.pointer_mut("/request/messages")?.as_array_mut()) {
        let left = messages.len().saturating_sub(kept);
        messages.drain(..left);
    }
    lines
}

#[test]
fn who_sends_the_newest_messages_alone_goes_on_with_one_talk() {
    let short = |turn: usize| format!("Port 80{turn}.");
    let long = |turn: usize| format!("Module {turn} listens on port 80{turn}, as its settings say.");
    // The newest answer and the question, or an answer in front of another question and answer.
    for kept in [2, 4] {
        let [(told, _)] = &*told(&newest(5, kept, short)) else { panic!("one talk of {kept} messages") };
        assert_eq!(told.matches('?').count(), 5, "{told}");
    }
    let [(with_question, _)] = &*told(&newest(5, 3, long)) else { panic!("one talk of three messages") };
    assert_eq!(with_question.matches('?').count(), 5);
    // Questions by themselves are no talk.
    assert_eq!(told(&newest(5, 1, short)).len(), 5);
}

#[test]
fn a_first_message_that_is_rewritten_makes_no_other_talk() {
    let question = |turn: usize| format!("Question {turn}: on which port is module {turn}?");
    let clock = |at: usize, turn: usize| match turn {
        0 => format!("<env>time 10:{at:02}</env>\n{}", question(0)),
        _ => question(turn),
    };
    let port = |turn: usize| format!("Module {turn} listens on port 80{turn}, as its settings say.");
    let edited = vec![("?r?r?r?".to_owned(), 8)];
    assert_eq!(told(&asked(4, clock, port)), edited);
    // What was looked up for a question is not said again.
    let context = |at: usize, turn: usize| match turn == at {
        true => format!("<context>\n{}</context>\n{}", format!("line {turn} of it\n").repeat(40), question(turn)),
        false => question(turn),
    };
    assert_eq!(told(&asked(4, context, |turn| format!("80{turn}."))), edited);
}

#[test]
fn talks_that_share_an_answer_of_few_words_stay_apart() {
    for first in [["Read the notes first.", "List what is open, please."], ["Review module 1.", "Review module 2."]] {
        let talk =
            |number: usize| asked(2, move |_, turn| [first[number], "Go on."][turn].to_owned(), |_| "OK".to_owned());
        let lines = [talk(0)[0].clone(), talk(1)[1].clone()];
        assert_eq!(told(&lines), [("?".to_owned(), 2), ("??".to_owned(), 4)], "{first:?}");
    }
}

/// Three requests with a call in each answer, which is sent again as `again` writes it.
fn chat(content: Value, again: impl Fn(&mut Value)) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "content": "Find it."})];
    let mut lines = Vec::new();
    for at in 0..3 {
        let call = json!({"id": format!("call_{at}"), "type": "function",
            "function": {"name": "search", "arguments": format!("{{\"q\":\"it {at}\",\"k\":{at}}}")}});
        let answer = json!({"role": "assistant", "content": content, "tool_calls": [call]});
        lines.push(json!({"request": {"model": "gpt-4o", "messages": messages.clone()},
            "response": {"id": format!("c{at}"), "object": "chat.completion", "model": "gpt-4o",
                "choices": [{"message": answer}]}}));
        let mut sent = answer;
        again(&mut sent);
        messages.push(sent);
        messages.push(json!({"role": "tool", "tool_call_id": format!("call_{at}"), "content": format!("result {at}")}));
    }
    lines
}

#[test]
fn an_answer_that_is_sent_again_with_other_blanks_is_the_same_answer() {
    let blanks = |sent: &mut Value| {
        let arguments = &mut sent["tool_calls"][0]["function"]["arguments"];
        let value: Value = serde_json::from_str(arguments.as_str().unwrap()).unwrap();
        // Keys in order and indented.
        *arguments = Value::from(serde_json::to_string_pretty(&value).unwrap());
    };
    for content in [json!("Let me look."), json!(""), json!(null)] {
        let blocks = 6 + 3 * usize::from(content == "Let me look.");
        let whole = vec![("???".to_owned(), blocks)];
        assert_eq!(told(&chat(content.clone(), |_| {})), whole, "{content}");
        assert_eq!(told(&chat(content.clone(), blanks)), whole, "{content}");
    }
    let trimmed = |sent: &mut Value| sent["content"] = json!("Let me look.");
    assert_eq!(told(&chat(json!(" Let me look.\n"), trimmed)), [("???".to_owned(), 9)]);
}

#[test]
fn a_client_that_changes_what_the_model_said_makes_no_step() {
    // The window is another one then, which is told; the conversation is the same.
    let dropped = |sent: &mut Value| sent["content"] = Value::Null;
    assert_eq!(told(&chat(json!("Let me look."), dropped)), [("?r?r?".to_owned(), 7)]);
    let shortened = |sent: &mut Value| {
        let id = sent["tool_calls"][0]["id"].clone();
        sent["tool_calls"][0]["function"]["arguments"] = json!(format!("{{\"left out\": {id}}}"));
    };
    assert_eq!(told(&chat(json!(null), shortened)), [("?r?r?".to_owned(), 6)]);
}

/// A chat with Anthropic's API that the provider compacts before its second answer; `prunes`: the client then leaves
/// out what stands before the summary.
fn compacted(prunes: bool) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    let mut lines = Vec::new();
    for at in 1..=4 {
        messages.push(json!({"role": "user", "content": format!("Question {at}, a long one about the login module.")}));
        let mut content = vec![json!({"type": "text", "text": format!("Answer {at}.")})];
        if at == 2 {
            content.insert(0, json!({"type": "compaction", "content": "The user asks about the login module."}));
        }
        lines.push(json!({"request": {"model": "claude-opus-4-6", "max_tokens": 9, "system": "Be terse.",
                "messages": messages.clone()},
            "response": {"id": format!("msg_{at}"), "type": "message", "role": "assistant",
                "model": "claude-opus-4-6", "content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 9}}}));
        messages.push(json!({"role": "assistant", "content": content}));
        if prunes && at == 2 {
            messages.drain(..messages.len() - 1);
        }
    }
    lines
}

#[test]
fn what_a_provider_compacted_does_not_come_back() {
    // System prompt, summary, three answers, two questions.
    let whole = [("?c???".to_owned(), 7)];
    assert_eq!(told(&compacted(false)), whole);
    assert_eq!(told(&compacted(true)), whole);
}

/// The same with OpenAI's items, where the compaction comes first or last in the answer.
fn compacted_items(first: bool, prunes: bool) -> Vec<Value> {
    let mut input: Vec<Value> = Vec::new();
    let mut lines = Vec::new();
    for at in 1..=4 {
        input.push(json!({"role": "user", "content": format!("Question {at}, a long one about the login module.")}));
        let text = json!([{"type": "output_text", "text": format!("Answer {at}.")}]);
        let mut output = vec![json!({"type": "message", "role": "assistant", "content": text})];
        if at == 2 {
            let opaque = json!({"type": "compaction", "encrypted_content": "gAAAAopaque"});
            output.insert(if first { 0 } else { 1 }, opaque);
        }
        lines.push(json!({"request": {"model": "gpt-5", "instructions": "Be terse.", "input": input.clone()},
            "response": {"id": format!("r{at}"), "object": "response", "status": "completed", "output": output}}));
        input.extend(output);
        if let Some(from) = input.iter().rposition(|item| item["type"] == "compaction").filter(|_| prunes) {
            input.drain(..from);
        }
    }
    lines
}

#[test]
fn an_opaque_compaction_ends_what_stands_before_it() {
    for prunes in [false, true] {
        assert_eq!(told(&compacted_items(true, prunes)), [("?c???".to_owned(), 7)], "{prunes}");
        assert_eq!(told(&compacted_items(false, prunes)), [("??c??".to_owned(), 6)], "{prunes}");
    }
}

#[test]
fn a_call_for_a_shorter_window_is_no_step() {
    let user =
        |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let answer = |at: u32| {
        json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": format!("Answer {at}.")}]})
    };
    let short = json!({"type": "compaction", "encrypted_content": "gAAAAopaque"});
    let (first, usage) = ("A long question.", json!({"input_tokens": 800, "output_tokens": 300}));
    let log = [
        json!({"request": {"model": "gpt-5", "instructions": "I", "input": [user(first)]},
            "response": {"id": "r1", "object": "response", "status": "completed", "output": [answer(1)]}}),
        json!({"request": {"model": "gpt-5", "input": [user(first), answer(1)]},
            "response": {"id": "c", "object": "response.compaction", "output": [user(first), short], "usage": usage}}),
        json!({"request": {"model": "gpt-5", "instructions": "I", "input": [user(first), short, user("Go on.")]},
            "response": {"id": "r2", "object": "response", "status": "completed", "output": [answer(2)]}}),
    ];
    // Instructions, what the compaction kept, the question after it and its answer.
    assert_eq!(told(&log), [("?c?".to_owned(), 5)]);
}

#[test]
fn how_a_log_is_indented_changes_no_count() {
    let body = json!({"model": "claude-x", "max_tokens": 9,
        "tools": [{"name": "read", "description": "reads  a file", "input_schema": {"type": "object", "properties": {}}}],
        "messages": [{"role": "user", "content": "look"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {"a": [1, 2]}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r"}]}]});
    let sizes = |text: Vec<u8>| -> Vec<(u64, u64)> {
        let (_, transcript) = data::open_bytes(text, None);
        transcript.blocks.iter().map(|block| (block.body.hash(), chars(&block.body))).collect()
    };
    let chars = sizes(serde_json::to_vec(&body).unwrap());
    assert_eq!(chars, sizes(serde_json::to_vec_pretty(&body).unwrap()));
}

fn chars(body: &windowpane::model::Body) -> u64 {
    match body {
        windowpane::model::Body::Text { chars, .. } => *chars,
        _ => 0,
    }
}
