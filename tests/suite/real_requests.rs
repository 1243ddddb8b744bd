//! Real requests and responses of three vendors, checked against a naive reading of the same JSON.

use std::path::Path;

use serde_json::Value;
use windowpane::model::{Layer, Outcome, Transcript};

use crate::data;

/// The values of a file: one, or one on each line.
fn values(path: &Path) -> Vec<Value> {
    let bytes = data::bytes(path);
    match serde_json::from_slice(&bytes) {
        Ok(value) => vec![value],
        Err(_) => String::from_utf8_lossy(&bytes).lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    }
}

fn each(format: &str, check: impl Fn(&Path, &[Value], &Transcript)) {
    for path in data::transcripts(format) {
        let (_, transcript) = data::open(&path);
        assert_eq!(transcript.format, format, "{}", path.display());
        check(&path, &values(&path), &transcript);
    }
}

/// Steps of a list of messages: one for each assistant message, one more where others follow the last.
fn steps(messages: &[Value], by_model: impl Fn(&Value) -> bool) -> usize {
    let answered = messages.iter().filter(|message| by_model(message)).count();
    answered + usize::from(messages.last().is_some_and(|last| !by_model(last)))
}

fn requests(transcript: &Transcript) -> usize {
    let main = transcript.threads.iter().filter(|thread| thread.kind != windowpane::model::ThreadKind::Summariser);
    main.map(|thread| thread.requests.len()).sum()
}

#[test]
fn steps_are_the_answers_and_what_is_still_asked() {
    let assistant = |message: &Value| message["role"] == "assistant";
    for format in ["openai_chat", "anthropic_messages"] {
        each(format, |path, values, transcript| {
            let expected: usize = values
                .iter()
                .map(|value| match (value["messages"].as_array(), value["messages_display"].as_str()) {
                    (Some(messages), _) => steps(messages, assistant),
                    (None, Some(text)) => {
                        let lines: Vec<&str> = text
                            .lines()
                            .filter(|line| {
                                ["user: ", "assistant: ", "tool: ", "system: "].iter().any(|who| line.starts_with(who))
                            })
                            .collect();
                        let answered = lines.iter().filter(|line| line.starts_with("assistant: ")).count();
                        answered + usize::from(lines.last().is_some_and(|last| !last.starts_with("assistant: ")))
                    }
                    (None, None) => 1,
                })
                .sum();
            assert_eq!(requests(transcript), expected, "{}", path.display());
        });
    }
}

#[test]
fn usage_is_what_the_response_reports() {
    for format in ["openai_chat", "openai_responses", "anthropic_messages"] {
        each(format, |path, values, transcript| {
            let total = |value: &Value| -> Option<u64> {
                let usage = value.get("usage")?;
                let number = |key: &str| usage[key].as_u64().unwrap_or(0);
                Some(number("input_tokens") + number("cache_read_input_tokens") + number("cache_creation_input_tokens"))
            };
            let expected: Vec<u64> = values.iter().filter_map(total).collect();
            let usages = transcript.threads[0].requests.iter().filter_map(|request| request.usage);
            assert_eq!(usages.map(|usage| usage.context()).collect::<Vec<_>>(), expected, "{}", path.display());
        });
    }
}

#[test]
fn no_text_that_the_model_saw_is_lost() {
    fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
            Value::Object(object) => {
                for (key, value) in object {
                    let seen =
                        ["text", "content", "instructions", "system", "arguments", "output", "thinking", "value"];
                    match value.as_str() {
                        Some(text) if seen.contains(&key.as_str()) && !text.is_empty() => found.push(text),
                        _ => texts(value, found),
                    }
                }
            }
            _ => {}
        }
    }
    for format in ["openai_chat", "openai_responses", "anthropic_messages"] {
        for path in data::transcripts(format) {
            let (sources, transcript) = data::open(&path);
            let bodies = transcript.blocks.iter().flat_map(|block| [Some(&block.body), block.original.as_deref()]);
            let known: Vec<String> = bodies.flatten().map(|body| sources.body_text(body).unwrap()).collect();
            let all = known.join("\n");
            for value in values(&path) {
                let mut found = Vec::new();
                let held = ["messages", "input", "instructions", "system", "output", "content"];
                held.iter().filter_map(|key| value.get(*key)).for_each(|held| texts(held, &mut found));
                for text in found {
                    let escaped = serde_json::to_string(text).unwrap();
                    let there = all.contains(text) || all.contains(escaped.trim_matches('"'));
                    assert!(there, "{}: {}", path.display(), text.chars().take(80).collect::<String>());
                }
            }
        }
    }
}

#[test]
fn nothing_is_unknown_and_every_tool_is_a_block() {
    for format in ["openai_chat", "openai_responses", "anthropic_messages"] {
        each(format, |path, values, transcript| {
            assert_eq!(transcript.warnings, [], "{}", path.display());
            // A tool that is left to be searched for is in no prompt yet.
            let is_given = |tool: &&Value| tool["defer_loading"] != true;
            let tools = values.iter().filter_map(|value| value["tools"].as_array()).flatten();
            let tools = tools.filter(is_given).count();
            let added = |value: &Value| {
                let items = value["input"].as_array().into_iter().flatten();
                items
                    .filter(|item| item["type"] == "additional_tools")
                    .filter_map(|item| item["tools"].as_array())
                    .map(Vec::len)
                    .sum::<usize>()
            };
            let added: usize = values.iter().map(added).sum();
            let blocks =
                transcript.blocks.iter().filter(|block| block.layer == Layer::Tools && &*block.label != "tools");
            assert_eq!(blocks.count(), tools + added, "{}", path.display());
            let pending = transcript.threads.iter().flat_map(|thread| {
                let before = thread.requests.len().saturating_sub(1);
                thread.requests.iter().take(before).filter(|request| request.outcome == Outcome::Pending)
            });
            assert_eq!(pending.count(), 0, "only the last request is still to be made");
        });
    }
}
