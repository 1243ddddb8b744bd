//! What `lint` proposes under a policy, replayed: with the settings that it names, the finding is gone or costs less.

use serde_json::{Value, json};

use super::runner::Home;

/// A session that reads files whole, one of them again and again, and needs little of them.
fn session(home: &Home) -> String {
    let row = |file: usize, line: usize| format!("row {line} of part {file} was read without any remark\n");
    let listing = |file: usize| (0..1_500).map(|line| row(file, line)).collect::<String>();
    let mut messages = vec![json!({"role": "user", "content": "Look for the code of the gateway."})];
    for (turn, file) in [0, 1, 0, 2, 0, 3].into_iter().enumerate() {
        let call = json!({"id": format!("c{turn}"), "type": "function",
            "function": {"name": "read_file", "arguments": json!({"path": format!("/w/part{file}.txt")}).to_string()}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{turn}"), "content": listing(file)}));
        messages.push(json!({"role": "assistant", "content": "I have it."}));
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    messages.push(json!({"role": "assistant", "content": "Done."}));
    home.file("reads.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    "reads.json".to_owned()
}

/// The findings of a session under settings.
fn findings(home: &Home, session: &str, settings: &[String]) -> Vec<Value> {
    let mut arguments = vec!["lint", session, "--json", "--policy", "none", "--window", "130000"];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let told: Value = serde_json::from_str(&home.run(&arguments).good()).unwrap();
    told["findings"].as_array().unwrap().clone()
}

/// The first way of a proposal, as `--set` takes it; `None` where it names no setting.
fn proposed(finding: &Value) -> Option<Vec<String>> {
    let first = finding["help"].as_str()?.split(", or ").next()?;
    let settings: Vec<String> = first.split(" and ").map(|setting| setting.replace(" = ", "=")).collect();
    settings.iter().all(|setting| setting.contains('=') && !setting.contains(' ')).then_some(settings)
}

/// What all findings of a rule cost.
fn cost(found: &[Value], rule: &str) -> u64 {
    found.iter().filter(|one| one["rule"] == rule).filter_map(|one| one["tokens"].as_u64()).sum()
}

#[test]
fn what_is_proposed_mends_what_was_found() {
    let home = Home::new();
    let session = session(&home);
    let found = findings(&home, &session, &[]);
    let mut mended = Vec::new();
    for finding in &found {
        let Some(settings) = proposed(finding) else { continue };
        let rule = finding["rule"].as_str().unwrap();
        let (now, then) = (cost(&found, rule), cost(&findings(&home, &session, &settings), rule));
        assert!(now > 0 && then < now, "{rule}: {now} tokens, and {then} with {settings:?}");
        mended.push(rule);
    }
    for rule in ["never-referred-to", "no-truncation", "read-again", "whole-file-dump"] {
        assert!(mended.contains(&rule), "{rule} proposes nothing: {found:#?}");
    }
}

#[test]
fn what_is_set_already_is_not_proposed_again() {
    let home = Home::new();
    let session = session(&home);
    let cut = ["tool_results.on=true".to_owned(), "tool_results.virtual_over=10000".to_owned()];
    for finding in findings(&home, &session, &cut) {
        let again = proposed(&finding).is_some_and(|settings| settings.iter().any(|setting| cut.contains(setting)));
        assert!(!again, "{finding}");
    }
}
