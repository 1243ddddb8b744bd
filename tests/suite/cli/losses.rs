//! What is said where a fact is lost at several places, and what a policy's own findings cost.

use serde_json::{Value, json};

use super::runner::Home;

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A conversation whose results fill a small window; some of its turns say a fact.
fn chat(home: &Home, says: &[usize]) -> String {
    let mut messages = vec![json!({"role": "user", "content": "Look for the code of the gateway."})];
    for turn in 0..24 {
        let fact = if says.contains(&turn) { " The code is GATE-5150." } else { "" };
        let call = json!({"id": format!("c{turn}"), "type": "function",
            "function": {"name": "read_part", "arguments": json!({"part": turn}).to_string()}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        let text = format!("Part {turn} of it.{fact} {}", "It goes on with words of no weight. ".repeat(60));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{turn}"), "content": text}));
    }
    messages.push(json!({"role": "assistant", "content": "Done."}));
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    "chat.json".to_owned()
}

const POLICY: [&str; 8] = [
    "--policy",
    "none",
    "--set",
    "summarise.on=true",
    "--set",
    "summarise.by=truncate",
    "--set",
    "summarise.target=20",
];

#[test]
fn of_pieces_that_are_lost_together_all_are_told() {
    let home = Home::new();
    let verdict = |says: &[usize]| {
        let session = chat(&home, says);
        let arguments = ["trace", &session, "GATE-5150", "--json", "--window", "9000"];
        let limits = ["--set", "summarise.at=6000", "--set", "drop.oldest_tool_results=false"];
        let told = read(&home.run(&[&arguments[..], &POLICY, &limits].concat()).good());
        told["facts"][0]["verdict"].as_str().unwrap().to_owned()
    };
    // The first place goes with one compaction, the others with the next.
    let one = verdict(&[0, 14]);
    assert!(one.contains("It was seen last in the output of read_part, which came in at step 16. "), "{one}");
    let two = verdict(&[0, 14, 15]);
    assert!(
        two.contains("which came in at step 16, and in the output of read_part, which came in at step 17. "),
        "{two}"
    );
    let three = verdict(&[0, 14, 15, 16]);
    assert!(three.contains("which came in at step 16, and in 2 other pieces. "), "{three}");
}

#[test]
fn what_a_policy_lacks_costs_what_a_replay_without_it_saves() {
    let home = Home::new();
    let session = chat(&home, &[]);
    let sent = |more: &[&str]| {
        let told = home.run(&[&["run", &session, "--json"], &POLICY[..], more].concat()).good();
        let steps = told.lines().map(read).filter(|line| line["type"] == "step");
        steps
            .map(|step| (step["used"].as_u64().unwrap(), step["cost_usd"].as_f64().unwrap()))
            .fold((0, 0.0), |(tokens, cost), (used, price)| (tokens + used, cost + price))
    };
    let finding = |more: &[&str], rule: &str| {
        let told = read(&home.run(&[&["lint", &session, "--json"], &POLICY[..], more].concat()).good());
        told["findings"].as_array().unwrap().iter().find(|one| one["rule"] == rule).cloned().unwrap()
    };
    // Results of 400 tokens are cut to 100.
    let cut = ["--set", "tool_results.virtual_over=200", "--set", "tool_results.virtual_head=100"];
    let lacks = finding(&cut, "one-pass-summary");
    let mended = ["--set", "tool_results.on=true", "--set", "microcompact.on=true"];
    let (now, then) = (sent(&cut), sent(&[&cut[..], &mended].concat()));
    assert_eq!(lacks["tokens"].as_u64(), Some(now.0 - then.0), "{lacks}");
    assert!((lacks["cost_usd"].as_f64().unwrap() - (now.1 - then.1)).abs() < 1e-9, "{lacks}: {now:?} {then:?}");
    assert!(lacks["evidence"].as_str().unwrap().contains("tokens less"), "{lacks}");
    let people = |more: &[&str]| home.run(&[&["lint", &session], &POLICY[..], more].concat()).good();
    // Others name it as counting the same tokens.
    let is_own = |line: &&str| line.contains("one-pass-summary") && !line.contains("are counted by");
    let line = people(&cut).lines().find(is_own).unwrap().to_owned();
    assert!(line.contains("tokens over all steps"), "{line}");
    // Where nothing would change, that is said; where no replay tells it, that too.
    let huge = people(&["--set", "tool_results.virtual_over=90000"]);
    assert!(huge.contains("no cost in this session") && huge.contains("saves no token"), "{huge}");
    let odd = people(&["--set", "drop.oldest_turns=true", "--set", "drop.at=50%", "--set", "drop.to=90%"]);
    assert!(odd.contains("no cost of its own"), "{odd}");
}

const SUBJECTS: [&str; 8] =
    ["gateway", "parser", "scheduler", "invoice", "printer", "tokenizer", "database", "renderer"];

/// What is found of the prefix where memories are packed for some questions; one without a subject needs none.
fn moving(questions: &[Option<&str>], window: &str, more: &[&str]) -> Option<Value> {
    let home = Home::new();
    let mut messages = vec![json!({"role": "system", "content": "You help."})];
    let mut say = |role: &str, text: String| messages.push(json!({"role": role, "content": text}));
    for subject in SUBJECTS {
        say("user", format!("Remember that the {subject} listens on port 84{}.", subject.len()));
        say("assistant", format!("The {subject} is noted. {}", "It goes on with words of no weight. ".repeat(450)));
    }
    for subject in questions {
        let asked = subject.map(|subject| format!("Which port does the {subject} listen on?"));
        say("user", asked.unwrap_or_else(|| "Zum Wohl, bravissimo!".to_owned()));
        say("assistant", format!("I look. {}", "It goes on with other words of no weight. ".repeat(300)));
    }
    home.file("asked.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let lint = ["lint", "asked.json", "--json", "--policy", "memory-harness", "--window", window];
    let settings = ["--set", "summarise.by=truncate", "--set", "summarise.target=50", "--set", "memory.max_items=1"];
    let told = read(&home.run(&[&lint[..], &settings, more].concat()).good());
    told["findings"].as_array().unwrap().iter().find(|one| one["rule"] == "moving-prefix").cloned()
}

#[test]
fn memories_that_move_the_prefix_are_helped_by_where_they_stand() {
    let help = |found: &Value| found["help"].as_str().unwrap().starts_with("memory.place = end");
    let place = ["--set", "memory.place=end"];
    let all = SUBJECTS.map(Some);
    let found = moving(&all, "34000", &[]).expect("packs move it");
    assert!(help(&found), "{found}");
    assert_eq!(moving(&all, "34000", &place), None);
    // So where they go again.
    let some: Vec<_> =
        SUBJECTS.iter().cycle().take(16).enumerate().map(|(at, one)| Some(*one).filter(|_| at % 2 == 0)).collect();
    let found = moving(&some, "33000", &[]).expect("packs that go move it");
    assert!(help(&found) && found["evidence"].as_str().unwrap().contains("stood before it, and went"), "{found}");
}

#[test]
fn a_fact_that_is_only_in_a_summary_where_it_came_in_is_told_by_where_it_stands_again() {
    let home = Home::new();
    let mut messages = vec![json!({"role": "user", "content": "The code of the gateway is GATE-5150. Go on."})];
    for turn in 0..16 {
        let words = "It goes on with words of no weight. ".repeat(60);
        messages.push(json!({"role": "assistant", "content": format!("Part {turn}. {words}")}));
        let more = if turn == 14 { "So GATE-5150 it is." } else { "Go on." };
        messages.push(json!({"role": "user", "content": more}));
    }
    home.file("said.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let trace = ["trace", "said.json", "GATE-5150", "--json", "--window", "9000"];
    let settings = ["--set", "summarise.at=6000", "--set", "summarise.target=400"];
    let told = read(&home.run(&[&trace[..], &POLICY[..6], &settings].concat()).good());
    let verdict = told["facts"][0]["verdict"].as_str().unwrap();
    assert!(verdict.contains("There it was compacted away at step"), "{verdict}");
    assert!(
        verdict.contains("; since then a summary says it. It stands in a message of the user since step 16."),
        "{verdict}"
    );
}

#[test]
fn one_finding_is_not_said_to_be_more() {
    let home = Home::new();
    let tool = json!({"name": "zap", "description": "It goes on. ".repeat(900), "input_schema": {}});
    let request = json!({"model": "x", "max_tokens": 9, "tools": [tool],
        "messages": [{"role": "user", "content": "hi"}]});
    home.file("one.json", request.to_string());
    let told = home.run(&["lint", "one.json"]).good();
    assert!(told.ends_with("\n1 finding\n"), "{told}");
}

#[test]
fn what_only_the_policy_writes_into_the_window_is_traced_there() {
    let home = Home::new();
    let text: String = (0..900).map(|number| format!("alpha_{number} copper meadow lantern\n")).collect();
    let messages = json!([
        {"role": "user", "content": "Read the log."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "read_log", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]},
    ]);
    let request = json!({"model": "claude-sonnet-4-20250514", "max_tokens": 10, "messages": messages});
    home.file("request.json", request.to_string());
    let policy = ["--policy", "internal-agent", "--set", "tool_results.virtual_over=500"];
    let out = home.run(&[&["trace", "request.json", "vf_1"][..], &policy].concat()).good();
    assert!(out.contains("in the window at step 2") && out.contains("that the policy "), "{out}");
    assert!(out.contains(", from step 2 on.") && !out.contains("nowhere in what was recorded"), "{out}");
    let told: Value =
        serde_json::from_str(&home.run(&[&["trace", "request.json", "vf_1", "--json"][..], &policy].concat()).good())
            .unwrap();
    assert_eq!(told["facts"][0]["in_window"], true);
    assert!(home.run(&["trace", "request.json", "vf_1"]).good().contains("It is nowhere in what was recorded"));
}
