//! Requests and responses of three vendors: what each rule makes of small inputs.

use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::model::{
    Block, BlockKind, Body, Coding, Layer, Op, Outcome, RewindCause, Thread, ThreadKind, Transcript, Usage,
};

use crate::data;

pub fn open(value: &Value) -> (Sources, Transcript) {
    data::open_bytes(serde_json::to_vec_pretty(value).unwrap(), None)
}

pub fn open_lines(values: &[Value]) -> (Sources, Transcript) {
    let lines: Vec<String> = values.iter().map(Value::to_string).collect();
    data::open_bytes(lines.join("\n").into_bytes(), None)
}

/// The history of a thread as short words: a block's first letters, `>` for a request.
pub fn story(sources: &Sources, transcript: &Transcript, thread: usize) -> Vec<String> {
    let text = |block: &Block| {
        let text = sources.body_text(&block.body).unwrap();
        let name = if text.is_empty() { format!("{:?}", block.kind) } else { text };
        name.chars().take(24).collect::<String>()
    };
    let of = |ids: &[windowpane::model::BlockId]| -> String {
        ids.iter().map(|id| text(transcript.block(*id).unwrap())).collect::<Vec<_>>().join("|")
    };
    transcript.threads[thread]
        .ops
        .iter()
        .map(|op| match op {
            Op::Add(id) => of(&[*id]),
            Op::Request(id) => format!("> {:?}", transcript.threads[thread].requests[id.0 as usize].outcome),
            Op::Compact(compaction) => format!("compact {}", of(&compaction.window)),
            Op::Clear(clearing) => format!("clear {}", of(&clearing.blocks)),
            Op::Shorten(shortening) => {
                let blocks: Vec<_> = shortening.blocks.iter().map(|short| short.block).collect();
                format!("shorten {}", of(&blocks))
            }
            Op::Rewind(rewind) => format!("{:?} {}", rewind.cause, of(&rewind.window)),
        })
        .collect()
}

pub fn usages(thread: &Thread) -> Vec<Usage> {
    thread.requests.iter().filter_map(|request| request.usage).collect()
}

#[test]
fn every_assistant_message_marks_a_step_and_the_rest_is_about_to_be_asked() {
    let messages = json!([
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "first"},
        {"role": "user", "content": [{"type": "text", "text": "two"}, {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]},
    ]);
    let (sources, transcript) = open(&messages);
    assert_eq!(transcript.format, "openai_chat");
    let expected = ["be brief", "one", "> Answered", "first", "two", "Image", "> Pending"];
    assert_eq!(story(&sources, &transcript, 0), expected);
    let lines: Vec<u32> = transcript.messages.iter().map(|message| message.record.line).collect();
    assert!(lines.windows(2).all(|pair| pair[0] < pair[1]), "{lines:?}");
    // Each block stands at the line on which its content begins.
    let written = serde_json::to_string_pretty(&messages).unwrap();
    for block in &transcript.blocks {
        let Some(span) = block.body.spans().next() else { continue };
        let before = &written.as_bytes()[..usize::try_from(span.start).unwrap()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        assert_eq!(block.record.line as usize, line, "{block:?}");
    }
    let (sources, transcript) = open(&json!({"model": "m", "messages": messages.as_array().unwrap()[..3]}));
    assert_eq!(story(&sources, &transcript, 0), expected[..4]);
}

#[test]
fn a_pair_has_the_usage_in_one_meaning() {
    let chat = json!({
        "request": {"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}], "tools": [
            {"type": "function", "function": {"name": "look", "parameters": {}}}]},
        "response": {"id": "c1", "object": "chat.completion", "model": "gpt-x-1", "created": 1_700_000_000,
            "choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{\"at\":\"sky\"}"}}]}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 3}}},
    });
    let (sources, transcript) = open(&chat);
    assert_eq!(story(&sources, &transcript, 0)[1..], ["hi", "> Answered", "{\"at\":\"sky\"}"]);
    let request = &transcript.threads[0].requests[0];
    assert_eq!((request.key.as_deref(), request.model.as_deref()), (Some("c1"), Some("gpt-x-1")));
    assert_eq!(request.at, Some(1_700_000_000_000));
    let usage = request.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.context(), usage.output), (36, 64, 100, Some(7)));
    let call = transcript.blocks.iter().find(|block| block.kind == BlockKind::ToolCall).unwrap();
    assert_eq!(&*call.label, "look");

    let claude = json!([
        {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]},
        {"type": "message", "role": "assistant", "id": "m1", "model": "claude-x", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "ho"}],
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 9, "output_tokens": 2}},
    ]);
    let (sources, transcript) = open(&claude);
    assert_eq!(transcript.format, "anthropic_messages");
    assert_eq!(story(&sources, &transcript, 0), ["hi", "> Answered", "ho"]);
    assert_eq!(usages(&transcript.threads[0])[0].context(), 84);

    let responses = json!({"request": {"body": {"model": "gpt-x", "input": "hi", "instructions": "be brief"}},
        "response": {"status_code": 200, "body": {"id": "r1", "object": "response", "output": [
            {"type": "reasoning", "summary": [], "encrypted_content": "xyz"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ho"}]}],
            "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 3}}}});
    let (sources, transcript) = open(&responses);
    assert_eq!(transcript.format, "openai_responses");
    assert_eq!(story(&sources, &transcript, 0), ["be brief", "hi", "> Answered", "Thinking", "ho"]);
    assert_eq!(usages(&transcript.threads[0])[0].input, 6);
}

#[test]
fn a_log_of_successive_requests_is_one_conversation() {
    let user = |text: &str| json!({"role": "user", "content": text});
    let said = |text: &str| json!({"role": "assistant", "content": [{"type": "text", "text": text}]});
    let answer = |text: &str, input: u64| {
        json!({"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": input, "output_tokens": 1}})
    };
    let ask = |messages: Vec<Value>| json!({"model": "claude-x", "system": "be brief", "messages": messages});
    let log = [
        json!({"request": ask(vec![user("one")]), "response": answer("first", 10)}),
        json!({"request": ask(vec![user("one"), said("first"), user("two")]), "response": answer("second", 20)}),
        json!({"request": ask(vec![user("one"), said("first"), user("two"), said("second"), user("three")])}),
        json!({"request": ask(vec![user("one"), said("first"), user("two"), said("second"), user("three"), said("third"), user("four")]),
            "response": answer("fourth", 40)}),
    ];
    let (sources, transcript) = open_lines(&log);
    assert_eq!(transcript.threads.len(), 1);
    let expected = [
        "be brief",
        "one",
        "> Answered",
        "first",
        "two",
        "> Answered",
        "second",
        "three",
        "> Answered",
        "third",
        "four",
        "> Answered",
        "fourth",
    ];
    assert_eq!(story(&sources, &transcript, 0), expected);
    assert_eq!(transcript.blocks.len(), 9, "equal blocks are the same block");
    assert_eq!(usages(&transcript.threads[0]).iter().map(Usage::context).collect::<Vec<_>>(), [10, 20, 40]);
}

#[test]
fn a_client_that_changes_its_history_rewinds() {
    let user = |text: &str| json!({"role": "user", "content": text});
    let said = |text: &str| json!({"role": "assistant", "content": text});
    let ask = |messages: Vec<Value>| json!({"model": "m", "messages": messages, "n": 1});
    let long = "a long message that says enough to be known again when the client repeats it";
    let log = [
        ask(vec![user("one"), said("first"), user("two")]),
        ask(vec![user("one"), said("first"), user("deux")]),
        ask(vec![
            user("one"),
            said("first"),
            user("deux"),
            said("a"),
            user(long),
            said(&format!("{long}!")),
            user("b"),
        ]),
        ask(vec![user("what went before, in short"), user(long), said(&format!("{long}!")), user("c")]),
    ];
    let (sources, transcript) = open_lines(&log);
    assert_eq!(transcript.threads.len(), 1);
    let story = story(&sources, &transcript, 0);
    assert_eq!(story[..7], ["one", "> Answered", "first", "two", "> Aborted", "Edited one|first", "deux"]);
    let edited = story.iter().rfind(|line| line.starts_with("Edited")).unwrap();
    assert_eq!(edited, "Edited what went before, in sho|a long message that says|a long message that says");
    assert_eq!(story[story.len() - 2..], ["c", "> Pending"]);
    // Where an answer leaves, somebody went back.
    let log = [
        ask(vec![user("one"), said("first"), user("two"), said(long), user("three")]),
        ask(vec![user("one"), said("first"), user("deux")]),
    ];
    let (sources, transcript) = open_lines(&log);
    assert!(crate::requests::story(&sources, &transcript, 0).contains(&"Rewound one|first".to_owned()));
}

#[test]
fn unrelated_conversations_are_threads_of_their_own() {
    let line = |index: usize| {
        json!({"messages": [{"role": "system", "content": "same for all"}, {"role": "user", "content": "hi"},
            {"role": "assistant", "content": format!("hello {index}")}], "tools": []})
    };
    let lines: Vec<Value> = (0..5).map(line).collect();
    let (_, transcript) = open_lines(&lines);
    let kinds: Vec<ThreadKind> = transcript.threads.iter().map(|thread| thread.kind).collect();
    assert_eq!(kinds.len(), 5);
    assert_eq!(kinds[0], ThreadKind::Main);
    assert!(kinds[1..].iter().all(|kind| *kind == ThreadKind::Conversation));
    assert!(transcript.threads.iter().all(|thread| thread.requests.len() == 1));
}

#[test]
fn a_conversation_that_is_kept_after_every_turn_is_one() {
    let turns = [("one", "first"), ("two", "second"), ("three", "third")];
    let kept = |count: usize| {
        let messages = turns[..count].iter().flat_map(|(asked, answered)| {
            [json!({"role": "user", "content": asked}), json!({"role": "assistant", "content": answered})]
        });
        json!({"messages": messages.collect::<Vec<_>>()})
    };
    let (sources, transcript) = open_lines(&[kept(1), kept(2), kept(3)]);
    assert_eq!(transcript.threads.len(), 1);
    let expected = ["one", "> Answered", "first", "two", "> Answered", "second", "three", "> Answered", "third"];
    assert_eq!(story(&sources, &transcript, 0), expected);
}

#[test]
fn messages_on_lines_of_their_own_are_one_conversation() {
    let lines = [
        json!({"role": "user", "content": "one"}),
        json!({"role": "assistant", "content": "first"}),
        json!({"role": "user", "content": "two"}),
    ];
    let (sources, transcript) = open_lines(&lines);
    assert_eq!(story(&sources, &transcript, 0), ["one", "> Answered", "first", "two", "> Pending"]);
}

#[test]
fn results_find_their_calls() {
    let chat = json!({"model": "m", "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "reasoning_content": "hm", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            {"id": "b", "type": "custom", "custom": {"name": "sh", "input": "ls"}}]},
        {"role": "tool", "tool_call_id": "b", "content": "files"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "text"}]},
        {"role": "assistant", "content": null, "function_call": {"name": "old", "arguments": "{\"x\":1}"}},
        {"role": "function", "name": "old", "content": "1"},
    ]});
    let (sources, transcript) = open(&chat);
    assert_eq!(story(&sources, &transcript, 0)[1..6], ["> Answered", "hm", "{}", "ls", "files"]);
    for result in transcript.blocks.iter().filter(|block| block.layer == Layer::ToolResults) {
        let call = transcript.blocks.iter().find(|call| call.kind == BlockKind::ToolCall && call.call == result.call);
        assert_eq!(call.map(|call| &call.label), Some(&result.label));
    }
    assert_eq!(transcript.warnings, []);
}

#[test]
fn every_kind_of_anthropic_block_is_kept() {
    let request = json!({"model": "claude-x", "max_tokens": 1, "tools": [
        {"name": "read", "input_schema": {}, "cache_control": {"type": "ephemeral"}},
        {"type": "web_search_20250305", "name": "web_search"}],
    "system": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "look"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlhAwACAIAAAAAAAP///ywAAAAAAwACAAACA0QCBQA7"}},
            {"type": "document", "title": "notes", "source": {"type": "text", "media_type": "text/plain", "data": "n1"}},
            {"type": "document", "source": {"type": "url", "url": "https://x.example/d.pdf"}},
            {"type": "search_result", "source": "s", "title": "found", "content": [{"type": "text", "text": "f1"}]}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "thinking", "thinking": "", "signature": "sig2"},
            {"type": "redacted_thinking", "data": "xx"},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "url": "u"}]},
            {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "p"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [
                {"type": "text", "text": "r1"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}]},
            {"type": "hologram", "beam": 1}, {"type": "hologram", "beam": 2}]},
    ]});
    let (sources, transcript) = open(&request);
    let kinds: Vec<(BlockKind, Layer)> = transcript.blocks.iter().map(|block| (block.kind, block.layer)).collect();
    let expected = [
        (BlockKind::Definition, Layer::Tools),
        (BlockKind::Definition, Layer::Tools),
        (BlockKind::Text, Layer::System),
        (BlockKind::Text, Layer::User),
        (BlockKind::Image, Layer::User),
        (BlockKind::Text, Layer::Files),
        (BlockKind::Document, Layer::Files),
        (BlockKind::Document, Layer::Files),
        (BlockKind::Text, Layer::Files),
        (BlockKind::Document, Layer::Files),
        (BlockKind::Thinking, Layer::Thinking),
        (BlockKind::Thinking, Layer::Thinking),
        (BlockKind::Thinking, Layer::Thinking),
        (BlockKind::ToolCall, Layer::ToolCalls),
        (BlockKind::ToolResult, Layer::ToolResults),
        (BlockKind::ToolCall, Layer::ToolCalls),
        (BlockKind::ToolResult, Layer::ToolResults),
        (BlockKind::Image, Layer::ToolResults),
        (BlockKind::Text, Layer::User),
        (BlockKind::Text, Layer::User),
    ];
    assert_eq!(kinds, expected);
    let Body::Media(image) = &transcript.blocks[4].body else { panic!("no media") };
    assert_eq!((image.pixels, image.span.coding), (Some((3, 2)), Coding::Base64));
    assert!(transcript.blocks[16].error && transcript.blocks[16].call == transcript.blocks[15].call);
    assert_eq!(&*transcript.blocks[16].label, "read");
    // A title and where a find is from are sent, too.
    let text = |at: usize| sources.body_text(&transcript.blocks[at].body).unwrap();
    assert_eq!((text(5), text(8)), ("notes".to_owned(), "found\ns".to_owned()));
    assert_eq!(transcript.warnings.len(), 1, "once for each type: {:?}", transcript.warnings);
    assert!(transcript.warnings[0].line > 1 && transcript.warnings[0].message.contains("hologram"));
    let kept = sources.body_text(&transcript.blocks[18].body).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap()["beam"], 1);
    assert_eq!(&*transcript.blocks[0].label, "read");
}

#[test]
fn everything_before_the_last_compaction_is_dropped() {
    let request = json!({"model": "claude-x", "system": "s", "messages": [
        {"role": "user", "content": "old"},
        {"role": "assistant", "content": [{"type": "compaction", "content": "in short"}, {"type": "text", "text": "so"}]},
        {"role": "user", "content": "new"}]});
    let (sources, transcript) = open(&request);
    let expected = ["s", "old", "compact s|in short", "> Answered", "so", "new", "> Pending"];
    assert_eq!(story(&sources, &transcript, 0), expected);
    let response = json!({"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [
            {"type": "compaction", "content": "in short"}, {"type": "text", "text": "so"}],
        "usage": {"input_tokens": 60, "output_tokens": 5, "iterations": [
            {"type": "compaction", "input_tokens": 900, "output_tokens": 50},
            {"type": "message", "input_tokens": 60, "output_tokens": 5}]}});
    let (sources, transcript) = open(&response);
    assert_eq!(story(&sources, &transcript, 0), ["compact in short", "> Answered", "so"]);
    assert_eq!(transcript.threads[1].kind, ThreadKind::Summariser);
    assert_eq!(usages(&transcript.threads[1])[0].context(), 900);
    assert_eq!(usages(&transcript.threads[0])[0].context(), 60);
}

#[test]
fn results_that_the_provider_cleared_are_cleared() {
    let call =
        |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "t", "input": {}}]});
    let result =
        |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": id}]});
    let pair = json!({"request": {"model": "claude-x", "max_tokens": 1, "messages": [
            {"role": "user", "content": "go"}, call("a1"), result("a1"), call("a2"), result("a2")]},
        "response": {"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [], "usage": {"input_tokens": 1},
            "context_management": {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 1}]}}});
    let (sources, transcript) = open(&pair);
    let story = story(&sources, &transcript, 0);
    assert_eq!(story[story.len() - 2..], ["clear a1", "> Answered"]);
}

#[test]
fn items_of_one_answer_are_one_step() {
    let request = json!({"model": "gpt-x", "instructions": "s", "tools": [{"type": "function", "name": "f"}, {"type": "web_search"}],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "go"}, {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "thought"}], "encrypted_content": "xx"},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "done"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]},
            {"role": "user", "content": "more"}]});
    let (sources, transcript) = open(&request);
    let story = story(&sources, &transcript, 0);
    assert_eq!(
        story[3..],
        ["go", "Document", "> Answered", "Thinking", "{}", "done", "> Answered", "ok", "more", "> Pending"]
    );
    let thinking = transcript.blocks.iter().find(|block| block.kind == BlockKind::Thinking).unwrap();
    assert!(matches!(thinking.body, Body::Hidden(_)));
    assert_eq!(sources.body_text(thinking.original.as_deref().unwrap()).unwrap(), "thought");
}

#[test]
fn batches_are_unwrapped() {
    let asked = |text: &str| {
        json!({"custom_id": text, "method": "POST", "url": "/v1/chat/completions",
        "body": {"model": "gpt-x", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": text}]}})
    };
    let (sources, transcript) = open_lines(&[asked("one"), asked("two")]);
    assert_eq!((transcript.format, transcript.threads.len()), ("openai_chat", 2));
    assert_eq!(story(&sources, &transcript, 1), ["s", "two", "> Pending"]);
    let answered = json!({"custom_id": "one", "response": {"status_code": 200, "body": {"object": "chat.completion", "model": "gpt-x",
        "choices": [{"message": {"role": "assistant", "content": "a"}}], "usage": {"prompt_tokens": 3}}}});
    let (sources, transcript) = open_lines(&[answered]);
    assert_eq!(story(&sources, &transcript, 0), ["> Answered", "a"]);
    let result = json!({"custom_id": "one", "result": {"type": "succeeded", "message": {"type": "message", "role": "assistant",
        "content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn", "usage": {"input_tokens": 4, "output_tokens": 1}}}});
    let (sources, transcript) = open_lines(&[result]);
    assert_eq!(transcript.format, "anthropic_messages");
    assert_eq!(story(&sources, &transcript, 0), ["> Answered", "a"]);
}

#[test]
fn a_response_goes_on_from_the_one_that_it_names() {
    let ask = |text: &str, after: Option<&str>| json!({"model": "gpt-x", "input": text, "previous_response_id": after});
    let answer = |id: &str, text: &str| {
        json!({"id": id, "object": "response", "usage": {"input_tokens": 5, "output_tokens": 1}, "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]})
    };
    let log = [
        json!({"request": ask("one", None), "response": answer("r1", "first")}),
        json!({"request": ask("two", Some("r1")), "response": answer("r2", "second")}),
    ];
    let (sources, transcript) = open_lines(&log);
    assert_eq!(story(&sources, &transcript, 0), ["one", "> Answered", "first", "two", "> Answered", "second"]);
}

#[test]
fn what_is_complete_in_a_cut_document_is_kept() {
    let request = json!({"model": "claude-x", "system": "s", "messages": [
        {"role": "user", "content": "one"}, {"role": "assistant", "content": "first"}, {"role": "user", "content": "never seen whole"}]});
    let text = serde_json::to_string_pretty(&json!({"a": 0, "z": request})).unwrap();
    assert!(text.contains("never"));
    let text = serde_json::to_string_pretty(&request).unwrap();
    let cut = text.find("never").unwrap() + 3;
    let (sources, transcript) = data::open_bytes(text.as_bytes()[..cut].to_vec(), Some("anthropic_messages"));
    let story = story(&sources, &transcript, 0);
    assert!(story.contains(&"one".to_owned()) && story.contains(&"first".to_owned()), "{story:?}");
    assert!(!story.iter().any(|line| line.contains("nev")));
    assert_eq!(transcript.warnings.len(), 1);
    assert!(transcript.warnings[0].line > 1);
}

#[test]
fn damaged_lines_are_told_and_the_others_load() {
    let good =
        json!({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}], "tools": []})
            .to_string();
    let text = format!("{good}\n{{\"messages\": [{{\"role\": \"us\n{good}\n\"text\"\n{}", &good[..good.len() - 9]);
    let (_, transcript) = data::open_bytes(text.into_bytes(), None);
    let lines: Vec<u32> = transcript.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, [2, 5]);
    assert!(transcript.threads.len() >= 2);
}

#[test]
fn thinking_that_the_client_leaves_out_is_dropped() {
    let ask = |thought: bool, more: &[&str]| {
        let mut content =
            vec![json!({"type": "thinking", "thinking": "hm", "signature": "s"}), json!({"type": "text", "text": "a"})];
        if !thought {
            content.remove(0);
        }
        let mut messages =
            vec![json!({"role": "user", "content": "one"}), json!({"role": "assistant", "content": content})];
        messages.extend(more.iter().map(|text| json!({"role": "user", "content": text})));
        json!({"model": "claude-x", "max_tokens": 5, "messages": messages})
    };
    let (_, transcript) = open_lines(&[ask(true, &["two"]), ask(false, &["two", "three"])]);
    let causes: Vec<RewindCause> = transcript.threads[0]
        .ops
        .iter()
        .filter_map(|op| if let Op::Rewind(rewind) = op { Some(rewind.cause) } else { None })
        .collect();
    assert_eq!(causes, [RewindCause::ThinkingDropped]);
    assert_eq!(transcript.threads[0].requests.last().map(|request| request.outcome), Some(Outcome::Pending));
}
