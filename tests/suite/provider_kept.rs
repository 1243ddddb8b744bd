//! What the provider holds or makes itself: histories that a body only names, and pictures that a call returns.

use serde_json::{Value, json};
use windowpane::model::{BlockKind, Body, Coding, Layer, Transcript};

use crate::data;

fn open(lines: &[Value], format: &str) -> Transcript {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    data::open_bytes(text.join("\n").into_bytes(), Some(format)).1
}

/// The smallest head of a PNG of 8 by 4 pixels, many times over.
fn picture() -> String {
    format!("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAE{}", "CAYAAAB0".repeat(2000))
}

#[test]
fn a_generated_picture_is_a_picture() {
    let item = json!({"type": "image_generation_call", "id": "ig", "status": "completed", "revised_prompt": "a cat",
        "result": picture()});
    let request = json!({"model": "gpt-x", "input": [{"role": "user", "content": "draw"}, item]});
    let rollout = [
        json!({"type": "response_item", "payload": {"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": "draw"}]}}),
        json!({"type": "response_item", "payload": item}),
    ];
    for transcript in [open(&[request], "openai_responses"), open(&rollout, "codex")] {
        let texts: u64 = transcript
            .blocks
            .iter()
            .map(|block| match &block.body {
                Body::Text { chars, .. } => *chars,
                _ => 0,
            })
            .sum();
        assert_eq!(texts, 9, "{}", transcript.format);
        let found = transcript.blocks.iter().find(|block| block.kind == BlockKind::Image).expect("a picture");
        assert_eq!((found.layer, &*found.label, found.call.is_some()), (Layer::ToolResults, "image_generation", true));
        let Body::Media(media) = &found.body else { panic!("{:?}", found.body) };
        assert_eq!((&*media.mime, media.span.coding, media.pixels), ("image/png", Coding::Base64, Some((8, 4))));
    }
}

#[test]
fn what_a_program_of_the_providers_drew_is_a_picture_too() {
    let call = json!({"type": "code_interpreter_call", "id": "ci", "code": "plot()", "outputs": [
        {"type": "logs", "logs": "done"}, {"type": "image", "url": format!("data:image/png;base64,{}", picture())}]});
    let transcript =
        open(&[json!({"model": "gpt-x", "input": [{"role": "user", "content": "go"}, call]})], "openai_responses");
    let kinds: Vec<BlockKind> = transcript.blocks.iter().map(|block| block.kind).collect();
    assert_eq!(kinds, [BlockKind::Text, BlockKind::ToolCall, BlockKind::ToolResult, BlockKind::Image]);
    assert!(transcript.warnings.is_empty(), "{:?}", transcript.warnings);
}

#[test]
fn a_history_that_the_provider_keeps_is_told_of_and_shown_as_unknown() {
    let answer = |id: &str, text: &str| {
        json!({"object": "response", "id": id, "status": "completed", "output": [{"type": "message",
            "role": "assistant", "content": [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": 500, "output_tokens": 2}})
    };
    let ask = |key: &str, value: Value, text: &str| json!({"model": "gpt-x", key: value, "input": text});
    for (key, first, next) in [
        ("previous_response_id", json!("resp_0"), json!("resp_1")),
        ("conversation", json!("conv_1"), json!("conv_1")),
        ("conversation", json!({"id": "conv_1"}), json!("conv_1")),
    ] {
        let lines = [
            json!({"request": ask(key, first, "and then?"), "response": answer("resp_1", "this")}),
            json!({"request": ask(key, next, "and now?"), "response": answer("resp_2", "that")}),
        ];
        let transcript = open(&lines, "openai_responses");
        let lines: Vec<u32> = transcript.warnings.iter().map(|warning| warning.line).collect();
        assert_eq!(lines, [1], "{key}: {:?}", transcript.warnings);
        assert!(transcript.warnings[0].message.contains("unknown"));
        assert_eq!((transcript.threads.len(), transcript.threads[0].requests.len()), (1, 2), "{key}");
        assert_eq!(transcript.blocks.len(), 5, "{key}");
        assert!(matches!(transcript.blocks[0].body, Body::Hidden(_)), "{key}");
        assert_eq!(&*transcript.blocks[0].label, "earlier history, not in the body");
    }
}

#[test]
fn a_picture_that_the_provider_holds_is_no_text() {
    let input = json!([{"role": "user", "content": [{"type": "input_image", "file_id": "file_1"}, {"type": "input_text", "text": "What is it?"}]}]);
    let (_, transcript) = crate::requests::open(&json!({"model": "gpt-x", "input": input}));
    let kinds: Vec<_> = transcript.blocks.iter().map(|block| block.kind).collect();
    assert_eq!(kinds, [BlockKind::Image, BlockKind::Text]);
    assert!(matches!(transcript.blocks[0].body, Body::Hidden(_)));
    assert!(transcript.warnings.is_empty());
}
