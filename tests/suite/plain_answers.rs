//! Requests beside which a program kept only the words that were answered.

use serde_json::{Value, json};

use crate::requests::{open_lines, story, usages};

fn asks(messages: &[Value], kept: (&str, &Value)) -> Value {
    let usage = json!({"prompt_tokens": 10 * messages.len(), "completion_tokens": 2});
    json!({"model": "gpt-4o", "messages": messages, kept.0: kept.1, "usage": usage})
}

#[test]
fn the_words_are_the_answer_wherever_they_are_kept() {
    let (one, two) = (json!({"role": "user", "content": "q1"}), json!({"role": "user", "content": "q2"}));
    let first = json!({"role": "assistant", "content": "A1"});
    let forms = [
        ("response", json!("A")),
        ("output", json!("A")),
        ("completion", json!("A")),
        ("answer", json!({"role": "assistant", "content": "A"})),
        ("output_text", json!("A")),
        ("output", json!([{"role": "assistant", "content": "A"}])),
        ("output", json!({"choices": [{"message": {"role": "assistant", "content": "A"}}]})),
        ("response", json!({"status": 200, "body": {"text": "A"}})),
        ("message", json!({"role": "assistant", "content": "A"})),
        ("content", json!([{"type": "text", "text": "A"}])),
    ];
    for (key, form) in forms {
        let with = |words: &str| -> Value {
            serde_json::from_str(&form.to_string().replace("\"A\"", &format!("\"{words}\""))).unwrap()
        };
        let lines = [
            asks(std::slice::from_ref(&one), (key, &with("A1"))),
            asks(&[one.clone(), first.clone(), two.clone()], (key, &with("A2"))),
        ];
        let (sources, transcript) = open_lines(&lines);
        let expected = ["q1", "> Answered", "A1", "q2", "> Answered", "A2"];
        assert_eq!(story(&sources, &transcript, 0), expected, "{key} {form}");
        let contexts: Vec<u64> = usages(&transcript.threads[0]).iter().map(|usage| usage.context()).collect();
        assert_eq!(contexts, [10, 30], "{key} {form}");
        assert!(transcript.warnings.is_empty(), "{key} {form}: {:?}", transcript.warnings);
    }
}

#[test]
fn a_label_beside_a_finished_conversation_is_no_answer() {
    let row = json!({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "It is 4."}],
        "answer": "4"});
    let (sources, transcript) = open_lines(&[row]);
    assert_eq!(story(&sources, &transcript, 0), ["q", "> Answered", "It is 4."]);
}

#[test]
fn a_prompt_with_its_completion_is_a_request_with_its_answer() {
    let usage = json!({"prompt_tokens": 7, "completion_tokens": 2});
    let forms = [
        json!({"prompt": "q", "completion": "A", "usage": usage}),
        json!({"model": "m", "prompt": "q", "response": {"choices": [{"text": "A"}], "usage": usage}}),
        json!({"request": {"model": "m", "prompt": "q"}, "response": "A", "usage": usage}),
        json!({"prompt": [{"role": "user", "content": "q"}], "completion": [{"role": "assistant", "content": "A"}],
            "usage": usage}),
    ];
    for form in forms {
        let (sources, transcript) = open_lines(std::slice::from_ref(&form));
        assert_eq!(transcript.format, "openai_chat", "{form}");
        assert_eq!(story(&sources, &transcript, 0), ["q", "> Answered", "A"], "{form}");
        assert_eq!(usages(&transcript.threads[0]).len(), 1, "{form}");
    }
}

#[test]
fn calls_of_a_message_without_a_role_are_the_model_s() {
    let call = json!([{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let (asked, result) = (
        json!({"role": "user", "content": "q"}),
        json!({"role": "tool", "tool_call_id": "c1",
        "content": "r"}),
    );
    let said = json!({"role": "assistant", "content": "W", "tool_calls": call});
    let lines = [
        asks(std::slice::from_ref(&asked), ("response", &json!({"content": "W", "tool_calls": call}))),
        asks(&[asked, said, result], ("response", &json!("A"))),
    ];
    let (sources, transcript) = open_lines(&lines);
    let story = story(&sources, &transcript, 0);
    assert_eq!(usages(&transcript.threads[0]).len(), 2, "{story:?}");
    assert_eq!(story.iter().filter(|line| line.starts_with('>')).count(), 2, "{story:?}");
}

#[test]
fn a_completion_of_several_turns_is_as_many_requests() {
    let call = json!([{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let row = json!({"prompt": [{"role": "user", "content": "q"}], "completion": [
        {"role": "assistant", "content": "W", "tool_calls": call},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        {"role": "assistant", "content": "A"}]});
    let (sources, transcript) = open_lines(&[row]);
    let story = story(&sources, &transcript, 0);
    assert_eq!(story.iter().filter(|line| line.starts_with('>')).count(), 2, "{story:?}");
    assert_eq!(story.last().map(String::as_str), Some("A"), "{story:?}");
}
