//! Names of called tools: they stand beside the arguments, and are facts like any other text.

use serde_json::{Value, json};
use windowpane::inquiry::Sight;
use windowpane::model::Layer;
use windowpane::present::verdict::verdict;

use super::build::{Log, lines};
use super::runner::{Opened, open, traced};

fn chat(calls: Value) -> Opened {
    open(
        json!([
            {"role": "user", "content": "What does invoice 4411 say?"},
            {"role": "assistant", "content": null, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": "Paid on 3 May."},
            {"role": "assistant", "content": "It was paid on 3 May."},
            {"role": "user", "content": "Which tool did you use?"},
        ])
        .to_string()
        .into_bytes(),
    )
}

fn call(name: &str, id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"id\": 4411}"}})
}

#[test]
fn the_name_of_a_called_tool_is_found_where_its_record_has_it() {
    let opened = chat(json!([call("look_elsewhere", "c0"), call("lookup_invoice", "c1")]));
    for fact in ["lookup_invoice", r"re:lookup_\w+", "~lookup_invoice"] {
        let (parsed, found, trace) = traced(&opened, &opened.recorded, fact);
        let origin = trace.origin().unwrap_or_else(|| panic!("{fact} is not found"));
        assert_eq!((origin.layer, origin.first, trace.in_window), (Layer::ToolCalls, Some(2), true), "{fact}");
        let (source, from, to) = found.places[0].spot().unwrap().stored;
        assert_eq!(opened.sources.read(source, from, to).unwrap(), b"lookup_invoice", "{fact}");
        let said = verdict(&trace, &parsed, &found, &opened.transcript, &opened.recorded).join(" ");
        assert!(said.contains("in a call of lookup_invoice") && !said.contains("nothing that was ever sent"), "{said}");
    }
    let (_, found, _) = traced(&opened, &opened.recorded, "invoice");
    assert_eq!(found.places.len(), 2, "the question and the name: {found:?}");
    assert!(traced(&opened, &opened.recorded, "lookup_inv").2.origin().is_none(), "a part of a word is another one");
}

#[test]
fn a_name_goes_with_its_call() {
    let log = Log::new()
        .user("Go.")
        .calls("c1", "TaskOutput", json!({"id": 7}))
        .result("c1", "done")
        .says("It is done.")
        .compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Nothing is open.")
        .user("Go on.")
        .says("Yes.")
        .user("And?");
    let opened = open(log.bytes());
    let (_, _, trace) = traced(&opened, &opened.recorded, "TaskOutput");
    let origin = trace.origin().unwrap();
    assert_eq!((origin.first, trace.in_window, trace.loss.map(|loss| loss.step)), (Some(2), false, Some(3)));
    assert_eq!(origin.stays.last().unwrap().sight, Sight::Gone);
}

#[test]
fn a_name_behind_the_arguments_is_its_own() {
    let records = [
        json!({"timestamp": "2026-01-02T03:04:05.678Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}}),
        json!({"timestamp": "2026-01-02T03:04:05.678Z", "type": "response_item", "payload": {"type": "function_call", "arguments": "{\"plan\": \"update_plan\"}", "call_id": "a", "name": "update_plan"}}),
    ];
    let opened = open(lines(&records));
    let (_, found, _) = traced(&opened, &opened.recorded, "update_plan");
    let places: Vec<(bool, u64)> =
        found.places.iter().map(|place| (place.is_name, place.spot().unwrap().stored.1)).collect();
    assert_eq!((places.len(), places[0].0, places[1].0), (2, true, false), "{places:?}");
    assert_ne!(places[0].1, places[1].1);
}
