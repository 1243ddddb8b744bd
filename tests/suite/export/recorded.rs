//! Recorded requests, packed for the same API again: marks for a cache and whole blocks are as they were. What another
//! API refuses is repaired.

use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::engine::{Known, recorded};
use windowpane::export::{Form, manifest, pack};
use windowpane::model::{Run, ThreadId, Transcript};

use crate::data;

fn run(transcript: &Transcript) -> Run {
    recorded(transcript, ThreadId(0), Known::nothing().facts(transcript, &transcript.threads[0]))
}

fn packed(transcript: &Transcript, sources: &Sources, step: u32) -> (Value, Vec<String>) {
    packed_as(Form::Anthropic, transcript, sources, step)
}

fn packed_as(form: Form, transcript: &Transcript, sources: &Sources, step: u32) -> (Value, Vec<String>) {
    let run = run(transcript);
    let packed = pack(transcript, sources, &run, step, None, form).unwrap();
    let whole = serde_json::to_string(&manifest(&packed, transcript, &run, step, form)).unwrap();
    super::manifest::check(&whole, &packed.text, |source, from, to| {
        sources.read(windowpane::model::SourceId(source as u32), from as u64, to as u64).unwrap()
    });
    (serde_json::from_str(&packed.text).unwrap(), packed.notes.into_iter().map(|note| note.note).collect())
}

fn request() -> Value {
    let mark = json!({"type": "ephemeral"});
    json!({"model": "claude-x", "max_tokens": 9, "cache_control": mark,
    "tools": [
        {"name": "read", "input_schema": {"type": "object"}, "strict": true, "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}],
    "system": [{"type": "text", "text": "be brief"}, {"type": "text", "text": "more", "cache_control": mark}],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "look\u{200B}"},
            {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
            {"type": "container_upload", "file_id": "file_2"},
            {"type": "document", "title": "t", "context": "c", "citations": {"enabled": true},
                "source": {"type": "content", "content": [{"type": "text", "text": "p"}, {"type": "text", "text": "q"}]}},
            {"type": "search_result", "source": "s", "title": "found", "content": [{"type": "text", "text": "f"}]}]},
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
                "content": [{"type": "web_search_result", "url": "u", "encrypted_content": "zz"}]},
            {"type": "text", "text": "it is", "citations": [{"type": "web_search_result_location", "url": "u"}]},
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "p"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": [
                {"type": "text", "text": "r1"}, {"type": "text", "text": "r2", "cache_control": mark}]},
            {"type": "text", "text": "go on"}]}]})
}

#[test]
fn a_recorded_request_is_packed_as_it_was() {
    let was = request();
    let (sources, transcript) = data::open_bytes(serde_json::to_vec_pretty(&was).unwrap(), None);
    let (now, notes) = packed(&transcript, &sources, 2);
    for key in ["cache_control", "tools", "system", "messages"] {
        assert_eq!(now[key], was[key], "{key}");
    }
    assert!(notes.is_empty(), "{notes:?}");
    // The answer before had a request of its own, of which no marks are known.
    let (before, _) = packed(&transcript, &sources, 1);
    assert_eq!(before.get("cache_control"), None);
    assert_eq!(before["tools"][0].get("cache_control"), None);
    assert_eq!(before["messages"][0]["content"][3]["title"], "t");
}

#[test]
fn marks_stand_where_the_request_of_the_step_had_them() {
    let text = |text: &str, marked: bool| match marked {
        true => json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}),
        false => json!({"type": "text", "text": text}),
    };
    let ask = |messages: Value| json!({"model": "claude-x", "max_tokens": 9, "system": "s", "messages": messages});
    let first = json!([{"role": "user", "content": [text("one", true)]}]);
    let second = json!([
        {"role": "user", "content": [text("one", false)]},
        {"role": "assistant", "content": [text("two", false)]},
        {"role": "user", "content": [text("three", true)]}]);
    let lines = [ask(first.clone()).to_string(), ask(second.clone()).to_string()].join("\n");
    let (sources, transcript) = data::open_bytes(lines.into_bytes(), None);
    let steps = run(&transcript).steps.len() as u32;
    assert_eq!(packed(&transcript, &sources, 1).0["messages"], first);
    assert_eq!(packed(&transcript, &sources, steps).0["messages"], second);
}

#[test]
fn a_block_of_which_a_part_is_gone_is_written_anew() {
    let mut was = request();
    was["messages"][1]["content"].as_array_mut().unwrap().remove(1);
    was["messages"][1]["content"][0]["input"] = json!("no object");
    let (sources, transcript) = data::open_bytes(serde_json::to_vec(&was).unwrap(), None);
    let (now, _) = packed(&transcript, &sources, 2);
    assert_eq!(now["messages"][1]["content"][0]["type"], "tool_use", "not half of a server's call: {now}");
    // A summary stands before what is dropped: nothing of that is written.
    let (sources, mut transcript) = data::open_bytes(serde_json::to_vec(&request()).unwrap(), None);
    let half = transcript.blocks.iter().position(|block| sources.body_text(&block.body).unwrap() == "q").unwrap();
    transcript.threads[0].ops.retain(|op| *op != windowpane::model::Op::Add(windowpane::model::BlockId(half as u32)));
    let (now, _) = packed(&transcript, &sources, 2);
    let text = now["messages"][0].to_string();
    assert!(!text.contains("\"document\"") && text.contains("\"p\"") && !text.contains("\"q\""), "{text}");
}

#[test]
fn alternatives_at_the_top_of_a_schema_are_merged_for_both_vendors() {
    let tool = json!({"name": "find", "input_schema": {"type": "object", "oneOf": [
        {"properties": {"by": {"const": "name"}}, "required": ["by"]}, {"properties": {"id": {"type": "integer"}}}]}});
    let was =
        json!({"model": "claude-x", "max_tokens": 9, "tools": [tool], "messages": [{"role": "user", "content": "hi"}]});
    let (sources, transcript) = data::open_bytes(was.to_string().into_bytes(), None);
    let run = run(&transcript);
    for (form, place) in [(Form::Anthropic, "/tools/0/input_schema"), (Form::OpenAi, "/tools/0/function/parameters")] {
        let packed = pack(&transcript, &sources, &run, 1, None, form).unwrap();
        let now: Value = serde_json::from_str(&packed.text).unwrap();
        let expected = json!({"type": "object", "properties": {"by": {"const": "name"}, "id": {"type": "integer"}}});
        assert_eq!(now.pointer(place), Some(&expected));
        assert!(packed.notes.iter().any(|note| note.note.contains("described in another way")));
    }
}

#[test]
fn the_form_that_answers_must_have_is_in_the_window_and_packed_again() {
    let schema = json!({"type": "object", "properties": {"port": {"type": "integer"}}, "additionalProperties": false});
    let format = json!({"name": "found", "description": "what was found", "strict": true, "schema": schema});
    let said = json!([{"role": "user", "content": "hi"}]);
    let chat =
        json!({"model": "gpt-5", "messages": said, "response_format": {"type": "json_schema", "json_schema": format}});
    let mut flat = format.clone();
    flat["type"] = json!("json_schema");
    let responses = json!({"model": "gpt-5", "instructions": "be brief", "input": said, "text": {"format": flat}});
    let anthropic = json!({"model": "claude-x", "max_tokens": 9, "system": "s", "messages": said,
        "output_config": {"format": {"type": "json_schema", "schema": schema}}});
    for (was, name) in [(chat, Some("found")), (responses, Some("found")), (anthropic, None)] {
        let (sources, transcript) = data::open_bytes(was.to_string().into_bytes(), None);
        let held = transcript.blocks.iter().find(|block| &*block.label == "response format").unwrap();
        assert!(sources.body_text(&held.body).unwrap().contains("port"));
        assert_eq!(windowpane::transcript::holds_system(&transcript), was.get("messages").is_none() || name.is_none());
        let (now, _) = packed_as(Form::OpenAi, &transcript, &sources, 1);
        let written = &now["response_format"];
        assert_eq!((&written["type"], &written["json_schema"]["schema"]), (&json!("json_schema"), &schema), "{now}");
        assert_eq!(written["json_schema"]["name"], name.unwrap_or("response"));
        assert_eq!(written["json_schema"].get("strict").is_some(), name.is_some());
        let (now, _) = packed_as(Form::Anthropic, &transcript, &sources, 1);
        assert_eq!(now["output_config"]["format"], json!({"type": "json_schema", "schema": schema}));
    }
    // One that says only that it is JSON shows the model nothing.
    let loose = json!({"model": "gpt-5", "messages": said, "response_format": {"type": "json_object"}});
    let (_, transcript) = data::open_bytes(loose.to_string().into_bytes(), None);
    assert_eq!(transcript.blocks.len(), 1);
}

#[test]
fn a_recorded_chat_is_packed_as_it_was() {
    let was = json!({"model": "gpt-5",
    "tools": [
        {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}, "strict": true}},
        {"type": "custom", "custom": {"name": "run", "format": {"type": "text"}}}],
    "messages": [
        {"role": "user", "name": "first", "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}]},
        {"role": "user", "name": "second", "content": "I wait."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{ \"path\": 1 }"}},
            {"id": "call_2", "type": "custom", "custom": {"name": "run", "input": "ls"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": ""},
        {"role": "tool", "tool_call_id": "call_2", "content": "a"},
        {"role": "user", "content": "go on"}]});
    let (sources, transcript) = data::open_bytes(serde_json::to_vec_pretty(&was).unwrap(), None);
    let (now, notes) = packed_as(Form::OpenAi, &transcript, &sources, 2);
    for key in ["tools", "messages"] {
        assert_eq!(now[key], was[key], "{key}");
    }
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn an_opaque_summary_is_no_text_of_a_prompt() {
    let ask = |text: &str| json!({"role": "user", "content": text});
    let short = json!({"type": "compaction", "encrypted_content": "gAAAAopaque"});
    let request = |input: Value| json!({"model": "gpt-5", "instructions": "Be terse.", "input": input});
    let answer = json!({"object": "response", "status": "completed", "output": [short]});
    let lines = [
        json!({"request": request(json!([ask("one")])), "response": answer}),
        json!({"request": request(json!([short, ask("two")]))}),
    ];
    let text = lines.map(|line| line.to_string()).join("\n");
    let (sources, transcript) = data::open_bytes(text.into_bytes(), None);
    let run = run(&transcript);
    let step = run.steps.len() as u32;
    for form in [Form::Text, Form::Markdown, Form::Anthropic, Form::OpenAi] {
        let packed = pack(&transcript, &sources, &run, step, None, form).unwrap();
        assert!(packed.text.contains("two") && !packed.text.contains("gAAAA"), "{}", packed.text);
        let noted = packed.notes.iter().any(|note| note.note.contains("does not show its content"));
        assert!(noted || matches!(form, Form::Text | Form::Markdown), "{form:?}");
    }
}

#[test]
fn results_without_a_call_and_ids_that_are_too_long_are_repaired() {
    let id = "call_0123456789_0123456789_0123456789_0123456789";
    let body = json!({"model": "claude-x", "max_tokens": 9, "messages": [
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_gone", "content": "orphan"},
            {"type": "text", "text": "look"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "r"}]}]});
    let (sources, transcript) = data::open_bytes(body.to_string().into_bytes(), None);
    let (anthropic, notes) = packed(&transcript, &sources, 2);
    assert_eq!(anthropic["messages"][0]["content"][0]["type"], "text", "{anthropic}");
    assert_eq!(anthropic["messages"][1]["content"][0]["id"], id);
    assert!(notes.iter().any(|note| note.contains("whose call is not in the window")), "{notes:?}");
    let (openai, _) = packed_as(Form::OpenAi, &transcript, &sources, 2);
    let made = openai["messages"][1]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(made.len() <= 40, "{made}");
    assert_eq!(openai["messages"][2]["tool_call_id"], made);
}

#[test]
fn results_stay_with_their_calls_where_ids_come_again() {
    for id in ["call_0", ""] {
        let call = |name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
        let result = |text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
        let body = json!({"model": "m", "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": null, "tool_calls": [call("one")]},
            result("1"),
            {"role": "assistant", "content": null, "tool_calls": [call("two"), call("three")]},
            result("2"), result("3"),
            {"role": "assistant", "content": null, "tool_calls": [call("four")]},
            {"role": "user", "content": "on"},
            {"role": "assistant", "content": null, "tool_calls": [call("five")]},
            result("5")]});
        let (sources, transcript) = data::open_bytes(body.to_string().into_bytes(), None);
        let step = run(&transcript).steps.len() as u32;
        let (now, _) = packed_as(Form::OpenAi, &transcript, &sources, step);
        let said = now["messages"].as_array().unwrap();
        let calls = || said.iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
        let ids: std::collections::HashSet<&str> = calls().map(|call| call["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 5, "{now}");
        let answers: Vec<(&str, &str)> = calls()
            .map(|call| {
                let result = said.iter().find(|message| message["tool_call_id"] == call["id"]).unwrap();
                (call["function"]["name"].as_str().unwrap(), result["content"].as_str().unwrap())
            })
            .collect();
        let stand_in = "[no result of this call is in the window]";
        assert_eq!(answers, [("one", "1"), ("two", "2"), ("three", "3"), ("four", stand_in), ("five", "5")]);
    }
}
