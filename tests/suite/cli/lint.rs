//! `lint` of a policy alone, and what is told of where its settings are from; what findings count together.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::runner::Home;

fn findings(home: &Home, arguments: &[&str]) -> Vec<Value> {
    let told = home.run(&[&["lint", "--json"], arguments].concat()).good();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["schema"], "windowpane/lint/1");
    told["findings"].as_array().unwrap().clone()
}

#[test]
fn a_policy_is_looked_at_without_a_transcript() {
    let home = Home::new();
    home.file("own.toml", "preset = \"five-layer\"\n\n[cache]\nboundary = false\n");
    let [one] = findings(&home, &["--policy", "own.toml"]).try_into().unwrap();
    assert_eq!((&one["rule"], &one["setting"]), (&json!("moving-prefix"), &json!("cache.boundary")));
    assert_eq!((&one["source"], &one["line"], &one["tokens"]), (&json!("own.toml"), &json!(4), &Value::Null));
    let check = |arguments: &[&str]| home.run(&[&["lint", "--check"], arguments].concat()).code;
    assert_eq!((check(&["--policy", "own.toml"]), check(&["--policy", "five-layer"])), (1, 0));
    assert_eq!(check(&["--policy", "five-layer", "--set", "cache.boundary=false"]), 1);
    assert_eq!(home.run(&["lint", "--policy", "own.toml"]).code, 0);
    let set = findings(&home, &["--policy", "five-layer", "--set", "cache.boundary=false"]);
    assert_eq!(set[0]["source"], "--set");
    // Neither a transcript nor a policy is wrong usage, and so is a policy that there is not.
    for (arguments, why) in [
        (&["lint", "--check"][..], "TRANSCRIPT"),
        (&["lint", "--policy", "none-such"], "there is no preset"),
        (&["lint", "--policy", "none", "--policy", "codex"], "one --policy is enough"),
    ] {
        let done = home.run(arguments);
        assert!(done.code == 2 && done.err.contains(why), "{}", done.err);
    }
}

#[test]
fn who_switches_a_section_off_is_not_blamed_for_the_figures_of_its_preset() {
    let home = Home::new();
    home.file("off.toml", "preset = \"claude-code\"\n\n[summarise]\non = false\n[reactive]\non = false\n");
    home.file(
        "idle.toml",
        "preset = \"claude-code\"\n\n[summarise]\non = false\nat = \"50%\"\n[reactive]\non = false\n",
    );
    let told = |name: &str| -> Vec<Value> {
        let all = findings(&home, &["--policy", name]).into_iter();
        all.filter(|one| one["rule"] == "contradiction").collect()
    };
    assert_eq!(told("off.toml"), [Value::Null; 0]);
    let [one] = told("idle.toml").try_into().unwrap();
    assert_eq!((&one["setting"], &one["line"]), (&json!("summarise.at"), &json!(5)));
    let checked: Value = serde_json::from_str(&home.run(&["policy", "check", "off.toml", "--json"]).good()).unwrap();
    let rules: Vec<&Value> = checked["findings"].as_array().unwrap().iter().map(|one| &one["rule"]).collect();
    assert!(!rules.contains(&&json!("contradiction")), "{rules:?}");
    // What a pair of settings does is told with what each is from.
    home.file("other.toml", "preset = \"internal-agent\"\n\n[tool_results]\nvirtual_over = 500\n");
    let [one] = told("other.toml").try_into().unwrap();
    assert_eq!((&one["source"], &one["line"]), (&json!("preset internal-agent"), &Value::Null), "{one}");
    assert!(
        home.run(&["policy", "check", "other.toml"])
            .good()
            .contains("tool_results.virtual_head, preset internal-agent")
    );
}

#[test]
fn findings_that_count_the_same_tokens_say_so() {
    let home = Home::new();
    let rows: String = (0..4_000).map(|line| format!("row {line} was read without any remark\n")).collect();
    let mut messages = vec![json!({"role": "user", "content": "Look for the code of the gateway."})];
    for turn in 0..4 {
        let call = json!({"id": format!("c{turn}"), "type": "function",
            "function": {"name": "read_file", "arguments": json!({"path": format!("/w/part{turn}.txt")}).to_string()}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{turn}"), "content": rows}));
        messages.push(json!({"role": "assistant", "content": "I have it."}));
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    home.file("reads.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let found = findings(&home, &["reads.json"]);
    let overlaps = |rule: &str| -> Vec<Value> {
        let one = found.iter().find(|one| one["rule"] == rule).unwrap_or_else(|| panic!("{rule}: {found:#?}"));
        assert_eq!(one["of"], "over all steps");
        one["overlaps"].as_array().unwrap().clone()
    };
    assert!(overlaps("whole-file-dump").contains(&json!("no-truncation")), "{found:#?}");
    assert!(overlaps("no-truncation").contains(&json!("whole-file-dump")));
    let people = home.run(&["lint", "reads.json"]).good();
    assert!(people.contains("some of these tokens are counted by"), "{people}");
    assert!(people.contains("are not to be added up"), "{people}");
}

#[test]
fn a_summary_counts_the_tokens_of_what_was_too_large_in_it() {
    let home = Home::new();
    let rows: String = (0..4_000).map(|line| format!("row {line} was read without any remark\n")).collect();
    let mut messages = vec![json!({"role": "user", "content": "Look for the code of the gateway."})];
    for turn in 0..4 {
        let call = json!({"id": format!("c{turn}"), "type": "function",
            "function": {"name": "search", "arguments": json!({"query": format!("part {turn}")}).to_string()}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{turn}"), "content": rows}));
        messages.push(json!({"role": "assistant", "content": "I have it."}));
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    messages.push(json!({"role": "assistant", "content": "Done."}));
    home.file("reads.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let under = ["--policy", "none", "--set", "summarise.on=true", "--set", "summarise.at=70000"];
    let found = findings(&home, &[&["reads.json"][..], &under].concat());
    let overlaps = |rule: &str| -> &Vec<Value> {
        let one = found.iter().find(|one| one["rule"] == rule).unwrap_or_else(|| panic!("{rule}: {found:#?}"));
        one["overlaps"].as_array().unwrap()
    };
    for (one, other) in [("no-truncation", "one-pass-summary"), ("large-output", "one-pass-summary")] {
        assert!(overlaps(one).contains(&json!(other)) && overlaps(other).contains(&json!(one)), "{found:#?}");
    }
    // Whatever is told of one is told of the other.
    for one in &found {
        for other in one["overlaps"].as_array().unwrap() {
            assert!(overlaps(other.as_str().unwrap()).contains(&one["rule"]), "{one} / {other}");
        }
    }
}

#[test]
fn what_two_changes_of_a_policy_save_is_the_same_where_they_shorten_the_same_pieces() {
    let is_one = |path: &PathBuf| path.ends_with("entirecontext-2.1.232-2manualcompact.jsonl");
    let Some(path) = crate::data::transcripts("claude_code").into_iter().find(is_one) else { return };
    let home = Home::with_cache();
    let found = findings(&home, &[path.to_str().unwrap(), "--policy", "memory-harness"]);
    let rules = ["no-truncation", "one-pass-summary", "whole-file-dump"];
    for one in found.iter().filter(|one| rules.contains(&one["rule"].as_str().unwrap())) {
        let overlaps = one["overlaps"].as_array().unwrap();
        let others = rules.iter().filter(|rule| **rule != one["rule"]);
        assert!(others.into_iter().all(|rule| overlaps.contains(&json!(rule))), "{one}");
    }
}

#[test]
fn a_policy_that_is_looked_at_alone_is_named() {
    let home = Home::new();
    let told = |arguments: &[&str]| home.run(&[&["lint", "--policy"], arguments].concat()).good();
    for (arguments, name) in [
        (&["five-layer"][..], "five-layer"),
        (&["five-layer", "--set", "summarise.target=9000"], "five-layer summarise.target=9000"),
        (&["drop-oldest"], "drop-oldest"),
    ] {
        let json: Value = serde_json::from_str(&told(&[arguments, &["--json"]].concat())).unwrap();
        assert_eq!((&json["policy"], &json["track"]), (&json!(name), &json!("simulated")), "{json}");
        assert!(json.get("transcript").is_none() && json.get("thread").is_none(), "{json}");
    }
    assert_eq!(told(&["five-layer"]).trim(), "Nothing to complain about in the policy five-layer.");
}

#[test]
fn what_is_missing_of_a_transcript_is_told_with_a_sweep() {
    let home = Home::new();
    let turn = |at: usize| {
        let record = |kind: &str, id: &str, before: &str, message: Value| json!({"type": kind, "uuid": id, "parentUuid": before, "sessionId": "S", "message": message});
        let (user, answer) = (format!("u{at}"), format!("a{at}"));
        let asked = record(
            "user",
            &user,
            &format!("a{}", at.wrapping_sub(1)),
            json!({"role": "user", "content": "The code is QX-77413."}),
        );
        let said = json!({"id": format!("m{at}"), "role": "assistant", "model": "claude-test",
            "content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": 900, "output_tokens": 2}});
        format!("{asked}\n{}\n", record("assistant", &answer, &user, said))
    };
    let whole: String = (0..4).map(turn).collect();
    home.file("cut.jsonl", &whole[..whole.len() - 90]);
    let told = home.run(&["trace", "cut.jsonl", "QX-77413"]).err;
    let warned: Vec<&str> = told.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert!(!warned.is_empty(), "{told}");
    for more in [&[][..], &["--json"], &["--csv"]] {
        let asked = [&["sweep", "cut.jsonl", "QX-77413", "--vary", "summarise.at=100000,150000"], more].concat();
        let done = home.run(&asked);
        assert!(warned.iter().all(|line| done.err.contains(line)), "{more:?}: {}", done.err);
        assert!(home.run(&[&asked[..], &["-q"]].concat()).err.is_empty());
    }
}

#[test]
fn what_no_report_and_no_mark_tells_to_be_cached_is_priced_in_full_and_said() {
    let home = Home::new();
    let text: String = (0..900).map(|number| format!("alpha_{number} copper meadow lantern\n")).collect();
    let mut messages = vec![json!({"role": "user", "content": "Read all."})];
    for number in 0..4 {
        let call = json!({"type": "tool_use", "id": format!("t{number}"), "name": "read_file", "input": {"path": format!("{number}.txt")}});
        let result =
            json!({"type": "tool_result", "tool_use_id": format!("t{number}"), "content": format!("{number} {text}")});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    let request = |system: Value| {
        let whole =
            json!({"model": "claude-sonnet-4-20250514", "max_tokens": 10, "system": system, "messages": messages});
        home.file("request.json", whole.to_string());
        let told: Value = serde_json::from_str(&home.run(&["lint", "request.json", "--json"]).good()).unwrap();
        let cost = told["findings"].as_array().unwrap().iter().find_map(|one| one["cost_usd"].as_f64()).unwrap();
        let said = home.run(&["lint", "request.json"]).good().contains("Nothing tells of a cache");
        assert_eq!(told["uncached"], json!(said));
        (cost, said)
    };
    let (full, said) = request(json!("You read files."));
    assert!(said, "{full}");
    let mark = json!([{"type": "text", "text": "You read files.", "cache_control": {"type": "ephemeral"}}]);
    let (cached, said) = request(mark);
    assert!(!said && cached < full, "{cached} {full}");
}
