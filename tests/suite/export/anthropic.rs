//! What Anthropic's Messages API asks of a request, checked without the code that writes it.

use std::collections::HashSet;

use serde_json::Value;

use super::manifest::steering;

/// Panics where the request would be refused.
pub fn check(text: &str) {
    assert!(!steering(text), "control characters outside escapes");
    let request: Value = serde_json::from_str(text).expect("JSON");
    assert!(!request["model"].as_str().expect("a model").is_empty());
    assert!(request["max_tokens"].as_u64().expect("max_tokens") > 0);
    let mut breakpoints = 0;
    let tools = tools(&request, &mut breakpoints);
    for block in request.get("system").map_or(&[][..], |system| system.as_array().expect("an array")) {
        assert_eq!(block["type"], "text");
        said(&block["text"]);
        breakpoints += cached(block);
    }
    let messages = request["messages"].as_array().expect("messages");
    let mut ids = HashSet::new();
    let mut asked: Vec<String> = Vec::new();
    let mut served = HashSet::new();
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        assert_eq!(role, if index % 2 == 0 { "user" } else { "assistant" }, "roles alternate, the user first");
        let blocks = message["content"].as_array().expect("content");
        assert!(!blocks.is_empty());
        let mut results: Vec<String> = Vec::new();
        let mut calls = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            breakpoints += cached(block);
            match (block["type"].as_str().expect("a type"), role) {
                ("text", _) => said(&block["text"]),
                ("thinking", "assistant") => {
                    assert!(block["thinking"].is_string() && !block["signature"].as_str().expect("signed").is_empty());
                    assert_eq!(cached(block), 0);
                }
                ("redacted_thinking", "assistant") => {
                    assert!(!block["data"].as_str().expect("data").is_empty());
                    assert_eq!(cached(block), 0);
                }
                ("tool_use", "assistant") => {
                    let id = fit(&block["id"]);
                    assert!(ids.insert(id.clone()), "ids are unique");
                    assert!(tools.contains(&fit(&block["name"])), "what is called is defined");
                    assert!(block["input"].is_object());
                    calls.push(id);
                }
                ("tool_result", "user") => {
                    assert_eq!(place, results.len(), "results come first");
                    results.push(fit(&block["tool_use_id"]));
                    let content = block["content"].as_array().expect("content");
                    assert!(!content.is_empty());
                    for part in content {
                        match part["type"].as_str().expect("a type") {
                            "text" => said(&part["text"]),
                            other => media(part, other),
                        }
                    }
                }
                ("container_upload", "user") => assert!(!block["file_id"].as_str().expect("a file").is_empty()),
                ("server_tool_use", "assistant") => {
                    assert!(served.insert(fit(&block["id"])), "ids are unique");
                    assert!(block["input"].is_object());
                }
                (other, "assistant") if other.ends_with("_tool_result") => {
                    assert!(served.contains(&fit(&block["tool_use_id"])), "the server answers what was asked of it");
                }
                (other, "user") => media(block, other),
                (other, _) => panic!("{other} of {role}"),
            }
        }
        let sorted = |mut list: Vec<String>| {
            list.sort();
            list
        };
        assert_eq!(sorted(std::mem::take(&mut asked)), sorted(results), "each call is answered in the next message");
        asked = calls;
    }
    assert!(asked.is_empty() && messages.len() % 2 == 1, "the user has the last word");
    assert!(breakpoints <= 4, "{breakpoints} breakpoints");
}

fn tools(request: &Value, breakpoints: &mut usize) -> HashSet<String> {
    let mut names = HashSet::new();
    for tool in request.get("tools").map_or(&[][..], |tools| tools.as_array().expect("an array")) {
        assert!(names.insert(fit(&tool["name"])), "names are unique");
        if tool.get("type").is_none() {
            assert_eq!(tool["input_schema"]["type"], "object");
            assert!(tool.get("description").is_none_or(Value::is_string));
        }
        *breakpoints += cached(tool);
    }
    names
}

fn cached(block: &Value) -> usize {
    block.get("cache_control").map_or(0, |control| {
        assert_eq!(control["type"], "ephemeral");
        1
    })
}

fn said(text: &Value) {
    assert!(!text.as_str().expect("text").trim().is_empty(), "blank text");
}

pub fn fit(name: &Value) -> String {
    let name = name.as_str().expect("a name");
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    assert!((1..=64).contains(&name.len()) && name.bytes().all(sign), "{name:?}");
    name.to_owned()
}

fn media(block: &Value, kind: &str) {
    let source = &block["source"];
    match source["type"].as_str().expect("a source") {
        "url" => assert!(source["url"].as_str().expect("a URL").starts_with("https://")),
        "base64" => {
            let mime = source["media_type"].as_str().expect("a type");
            match kind {
                "image" => assert!(["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&mime)),
                "document" => assert_eq!(mime, "application/pdf"),
                other => panic!("a block of type {other}"),
            }
            base64(source["data"].as_str().expect("data"));
        }
        other => panic!("a source of type {other}"),
    }
}

pub fn base64(data: &str) {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    assert!(!data.is_empty() && data.bytes().all(sign), "base64");
}
