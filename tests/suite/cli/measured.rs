//! `memory`: what recorded summaries keep, told by what files, calls and the vendor's own words say.

use serde_json::{Value, json};

use super::runner::Home;
use super::unreadable::sealed;

fn told(home: &Home, arguments: &[&str]) -> Value {
    serde_json::from_str(&home.run(arguments).good()).unwrap()
}

#[test]
fn of_an_encrypted_summary_nothing_is_known() {
    let home = Home::new();
    let before = ["The staging server listens on port 8443.", "The limit of host_7 is 30 seconds."];
    sealed(&home, before, &["Go on.", "Fine."]);
    let told = told(&home, &["memory", "sealed.jsonl", "--json"]);
    let row = &told["recorded_summaries"][0];
    assert_eq!((&row["sealed"], &row["facts"], &row["lost_facts"]), (&json!(true), &json!(2), &json!([])), "{row}");
    for unknown in ["tokens", "literal", "paraphrase", "lost", "sentences", "unsupported"] {
        assert!(row[unknown].is_null(), "{unknown}: {row}");
    }
    assert!(told["recorded_summary_tokens"]["p50"].is_null());
    assert!(home.run(&["memory", "sealed.jsonl"]).good().contains("nobody but its vendor can read"));
}

#[test]
fn files_and_calls_are_measured_by_what_they_say() {
    let home = Home::new();
    let mut number = 0;
    let mut record = |kind: &str, more: Value| {
        number += 1;
        let parent = (number > 1).then(|| format!("u{}", number - 1));
        let mut line = json!({"type": kind, "uuid": format!("u{number}"), "parentUuid": parent, "sessionId": "s",
            "timestamp": format!("2026-01-01T00:00:{number:02}.000Z"), "version": "2.1.20", "cwd": "/w"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    let says = |id: &str, content: Value| {
        json!({"message": {"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": [content], "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 5}}})
    };
    let user = |content: Value| json!({"message": {"role": "user", "content": content}});
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let gave = |id: &str, text: &str| user(json!([{"type": "tool_result", "tool_use_id": id, "content": text}]));
    let code = format!("import random\nMAX_RETRY = 17\n{}", "print('it goes on')\n".repeat(40));
    let summary = "This session is being continued from a previous conversation that ran out of context.\n\
                   Timeout is 30 seconds\nMAX_RETRY = 17\nThe quota is 9876 rows.\n\
                   If you need specific details from before compaction (like code_1), read /w/s.jsonl.";
    let boundary = json!({"subtype": "compact_boundary", "content": "Conversation compacted",
        "compactMetadata": {"trigger": "manual", "preTokens": 900}});
    let told_so = |text: &str| json!({"isCompactSummary": true, "message": {"role": "user", "content": text}});
    let lines = [
        record("user", user(json!("Read it."))),
        record("assistant", says("m1", call("t1", "Read", json!({"file_path": "/w/a.md"})))),
        record("user", gave("t1", "     1\u{2192}Welcome to it\n     2\u{2192}Timeout is 30 seconds")),
        record("assistant", says("m2", call("t2", "Write", json!({"file_path": "/w/a.py", "content": code})))),
        record("user", gave("t2", "ok")),
        record("system", boundary.clone()),
        record("user", told_so(summary)),
        record("assistant", says("m3", json!({"type": "text", "text": "Fine."}))),
        record("system", boundary),
        record("user", told_so("Timeout is 30 seconds")),
        record("assistant", says("m4", json!({"type": "text", "text": "Fine."}))),
    ];
    home.file("s.jsonl", lines.join("\n") + "\n");
    let told = told(&home, &["memory", "s.jsonl", "--json"]);
    let rows = told["recorded_summaries"].as_array().unwrap();
    assert_eq!((&rows[0]["literal"], &rows[0]["lost"]), (&json!(2), &json!(0)), "{:?}", rows[0]);
    let supported: Vec<&Value> = rows[0]["aligned"].as_array().unwrap().iter().map(|one| &one["supported"]).collect();
    assert_eq!(supported, [&json!(true), &json!(true), &json!(false)]);
    assert_eq!(rows[0]["aligned"][1]["source"]["line"], 4);
    // What the harness writes around a summary is no fact of it.
    assert_eq!((&rows[1]["facts"], &rows[1]["literal"]), (&json!(3), &json!(1)), "{:?}", rows[1]);
}

#[test]
fn of_a_summary_whose_text_is_in_another_file_nothing_is_known() {
    let home = Home::new();
    let line = |number: u32, kind: &str, more: Value| {
        let parent = (number > 1).then(|| format!("u{}", number - 1));
        let mut line = json!({"type": kind, "uuid": format!("u{number}"), "parentUuid": parent, "sessionId": "s",
            "timestamp": format!("2026-01-01T00:00:{number:02}.000Z"), "version": "2.1.20", "cwd": "/w"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    let boundary = json!({"subtype": "compact_boundary", "content": "Conversation compacted",
        "compactMetadata": {"trigger": "auto", "preTokens": 160_000}});
    let summary = |text: &str| json!({"isCompactSummary": true, "message": {"role": "user", "content": text}});
    let says = |id: &str, text: &str| {
        json!({"message": {"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 9, "output_tokens": 5}}})
    };
    let lines = [
        line(1, "system", boundary.clone()),
        line(2, "user", summary("The port of svc_1 is 8443. Tests of mod_3 pass.")),
        line(3, "assistant", says("m1", "The limit of svc_1 is 5 MB.")),
        line(4, "system", boundary),
        line(5, "user", summary("The port of svc_1 is 8443.")),
        line(6, "assistant", says("m2", "Fine.")),
    ];
    home.file("on.jsonl", lines.join("\n") + "\n");
    let all = told(&home, &["memory", "on.jsonl", "--json"]);
    let [first, second] = all["recorded_summaries"].as_array().unwrap().as_slice() else { panic!("two: {all}") };
    assert_eq!((&first["alone"], &first["sentences"], &first["unsupported"]), (&json!(true), &json!(2), &Value::Null));
    assert!(first["aligned"].as_array().unwrap().iter().all(|one| one["supported"].is_null()), "{first}");
    assert!(home.run(&["memory", "on.jsonl"]).good().contains("what it stands for is not in the file"));
    // Every fact is told with what became of it.
    let fates: Vec<(&str, &str)> = second["fates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fate| (fate["text"].as_str().unwrap(), fate["kept"].as_str().unwrap()))
        .collect();
    assert!(fates.contains(&("The port of svc_1 is 8443.", "literal")), "{fates:?}");
    assert!(fates.contains(&("The limit of svc_1 is 5 MB.", "lost")), "{fates:?}");
    // At an earlier step, what came later is not told.
    let early = told(&home, &["memory", "on.jsonl", "--json", "--step", "1"]);
    assert_eq!(early["recorded_summaries"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_only_preserved_is_no_memory_that_is_packed() {
    let home = Home::new();
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/claude-code.jsonl");
    let under = |more: &[&str]| home.run(&[&["memory", session, "--policy", "internal-agent"], more].concat()).good();
    let remembers = ["--set", "summarise.remember=true", "--set", "memory.preserve=none"];
    let said = under(&remembers);
    assert!(said.contains("memory.on = false: none of them comes into a window"), "{said}");
    assert!(said.contains("preserved before compactions (summarise.remember)"), "{said}");
    assert!(under(&["--set", "memory.preserve=rules"]).contains("preserved before compactions (memory.preserve)"));
    assert!(!under(&[&remembers[..], &["--set", "memory.on=true"]].concat()).contains("memory.on = false"));
}
