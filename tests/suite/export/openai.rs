//! What OpenAI's Chat Completions API asks of a request, checked without the code that writes it.

use std::collections::HashSet;

use serde_json::Value;

use super::anthropic::{base64, fit};
use super::manifest::steering;

/// Panics where the request would be refused.
pub fn check(text: &str) {
    assert!(!steering(text), "control characters outside escapes");
    let request: Value = serde_json::from_str(text).expect("JSON");
    assert!(!request["model"].as_str().expect("a model").is_empty());
    if let Some(tools) = request.get("tools") {
        let mut names = HashSet::new();
        for tool in tools.as_array().expect("an array") {
            assert_eq!(tool["type"], "function");
            assert!(names.insert(fit(&tool["function"]["name"])), "names are unique");
            assert_eq!(tool["function"]["parameters"]["type"], "object");
        }
        assert!(!names.is_empty());
    }
    let messages = request["messages"].as_array().expect("messages");
    assert!(!messages.is_empty());
    let (mut ids, mut asked) = (HashSet::new(), HashSet::new());
    for message in messages {
        let role = message["role"].as_str().expect("a role");
        if role == "tool" {
            assert!(asked.remove(&fit(&message["tool_call_id"])), "a result right behind its call, once");
            // A recorded result may say nothing.
            if message["content"] != "" {
                content(&message["content"], false);
            }
            continue;
        }
        assert!(asked.is_empty(), "calls without results: {asked:?}");
        match role {
            "assistant" => {
                let calls = message.get("tool_calls").map_or(&[][..], |calls| calls.as_array().expect("an array"));
                assert!(message.get("tool_calls").is_none() || !calls.is_empty());
                for call in calls {
                    assert_eq!(call["type"], "function");
                    let id = fit(&call["id"]);
                    assert!(ids.insert(id.clone()), "ids are unique");
                    asked.insert(id);
                    fit(&call["function"]["name"]);
                    let arguments = call["function"]["arguments"].as_str().expect("a string");
                    assert!(serde_json::from_str::<Value>(arguments).expect("JSON").is_object());
                }
                if !(calls.is_empty() || message["content"].is_null()) || calls.is_empty() {
                    content(&message["content"], false);
                }
            }
            "user" => content(&message["content"], true),
            "system" | "developer" => content(&message["content"], false),
            other => panic!("a message of {other}"),
        }
    }
    assert!(asked.is_empty(), "calls without results: {asked:?}");
}

fn content(content: &Value, media: bool) {
    if let Some(text) = content.as_str() {
        return assert!(!text.trim().is_empty(), "blank text");
    }
    let parts = content.as_array().expect("text or parts");
    assert!(!parts.is_empty());
    for part in parts {
        match part["type"].as_str().expect("a type") {
            "text" => assert!(!part["text"].as_str().expect("text").trim().is_empty(), "blank text"),
            "image_url" if media => {
                let url = part["image_url"]["url"].as_str().expect("a URL");
                match url.strip_prefix("data:image/") {
                    Some(rest) => base64(rest.split_once(";base64,").expect("base64").1),
                    None => assert!(url.starts_with("https://")),
                }
            }
            "file" if media => {
                let data = part["file"]["file_data"].as_str().expect("data");
                base64(data.strip_prefix("data:application/pdf;base64,").expect("a PDF"));
            }
            "input_audio" if media => {
                assert!(["wav", "mp3"].contains(&part["input_audio"]["format"].as_str().expect("a format")));
                base64(part["input_audio"]["data"].as_str().expect("data"));
            }
            other => panic!("a part of type {other}"),
        }
    }
}
