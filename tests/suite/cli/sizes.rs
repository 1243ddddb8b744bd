//! What the size of a recorded compaction is told as: the window that it was given, and beside it what the agent measured.

use serde_json::{Value, json};

use super::runner::Home;

fn record(uuid: &str, parent: &str, kind: &str, more: &Value) -> Value {
    let mut record = json!({"parentUuid": parent, "uuid": uuid, "type": kind, "sessionId": "S", "version": "2.1.20",
        "isSidechain": false, "cwd": "/w", "timestamp": "2026-01-01T00:00:00.000Z"});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn answer(uuid: &str, parent: &str, content: &Value, context: u64) -> Value {
    let usage = json!({"input_tokens": context, "output_tokens": 9});
    let message = json!({"id": uuid, "type": "message", "role": "assistant", "model": "claude-opus-4-5",
        "content": [content], "stop_reason": null, "usage": usage});
    record(uuid, parent, "assistant", &json!({"message": message, "requestId": uuid}))
}

/// A session of 109,000 tokens that is compacted at what the agent measured; it may have cleared 27,000 of them before.
fn session(measured: u64, clears: bool) -> String {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}});
    let listing = "a line of a listing\n".repeat(4_500);
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": listing});
    let text = |text: &str| json!({"type": "text", "text": text});
    let user = |content: Value| json!({"message": {"role": "user", "content": content}});
    let cleared = json!({"subtype": "microcompact_boundary", "microcompactMetadata":
        {"trigger": "auto", "preTokens": 54_000, "tokensSaved": 27_000, "compactedToolIds": ["c1"]}});
    let compacted = json!({"subtype": "compact_boundary", "compactMetadata":
        {"trigger": "auto", "preTokens": measured}});
    let mut summary = user(json!("They looked at the listing."));
    summary["isCompactSummary"] = json!(true);
    let mut records = vec![
        record("u1", "", "user", &user(json!("Look."))),
        answer("a1", "u1", &call("c1"), 55_000),
        record("r1", "a1", "user", &user(json!([result("c1")]))),
        answer("a2", "r1", &call("c2"), 82_000),
        record("r2", "a2", "user", &user(json!([result("c2")]))),
        answer("a3", "r2", &text("It is a listing."), 109_000),
        record("u2", "a3", "user", &user(json!("Go on."))),
    ];
    if clears {
        records.push(record("b1", "u2", "system", &cleared));
    }
    records.push(record("b2", if clears { "b1" } else { "u2" }, "system", &compacted));
    records.push(record("s1", "b2", "user", &summary));
    records.push(answer("a4", "s1", &text("So be it."), 55_100));
    records.iter().map(|record| format!("{record}\n")).collect()
}

#[test]
fn a_compaction_is_as_large_as_what_stages_before_it_left_and_the_agents_own_figure_is_named() {
    let home = Home::new();
    let told = |measured: u64, clears: bool| {
        home.file("s.jsonl", session(measured, clears));
        let wide = home.command().args(["run", "s.jsonl"]).env("COLUMNS", "200").output().unwrap();
        let lines = String::from_utf8(wide.stdout).unwrap();
        let line = lines.lines().find(|line| line.contains("summarise")).unwrap();
        line[line.find("summarise").unwrap()..].trim().to_owned()
    };
    assert_eq!(told(109_100, false), "summarise 109k → 55.1k", "the agent's figure is about that of the window");
    let cleared = told(109_100, true);
    let (sizes, own) = cleared.split_once(", ").unwrap();
    assert_eq!(own, "109k by the agent's measure");
    let given = home.run(&["run", "s.jsonl", "--json"]).good();
    let events = given.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<Value> =
        events.filter(|row| row["stage"] == "microcompact" || row["stage"] == "summarise").collect();
    let left = events[0]["tokens_after"].as_u64().unwrap();
    assert_eq!(sizes, format!("summarise {} → 55.1k", windowpane::present::short(left)), "where the clearing ended");
    // What the transcript says stays in the object.
    assert_eq!((&events[1]["measured"], &events[1]["tokens_before"]), (&json!(109_100), &json!(109_100)));
}

#[test]
fn the_largest_window_is_the_same_whoever_tells_it() {
    let home = Home::new();
    // Its usage says less than what is counted.
    let user = |text: &str| json!({"message": {"role": "user", "content": text}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let records = [
        record("u1", "", "user", &user(&format!("The berth is KEY-4471. {}", "Look at it all. ".repeat(900)))),
        answer("a1", "u1", &text("I did."), 40),
        record("u2", "a1", "user", &user("Go on.")),
        answer("a2", "u2", &text("So be it."), 60),
    ];
    home.file("s.jsonl", records.map(|record| format!("{record}\n")).concat());
    let last = |arguments: &[&str]| {
        let out = home.run(arguments).good();
        serde_json::from_str::<Value>(out.lines().last().unwrap()).unwrap()
    };
    let set = "summarise.target=900";
    let whatif = last(&["whatif", "s.jsonl", "KEY-4471", "--set", set, "--json"]);
    let sweep = last(&["sweep", "s.jsonl", "KEY-4471", "--set", set, "--vary", "summarise.on=true", "--json"]);
    let told = [
        &last(&["run", "s.jsonl", "--json"])["peak"],
        &last(&["run", "s.jsonl", "--set", set, "--json"])["peak"],
        &whatif["facts"][0]["now"]["peak"],
        &sweep["runs"][0]["costs"]["peak"],
    ];
    assert_eq!(told, [&json!(60); 4], "{sweep}");
    let people = home.run(&["run", "s.jsonl", "--set", set]).good();
    assert!(people.contains("peak 60 as reported (") && people.contains(" by our count)"), "{people}");
}
