//! Facts that only a question says: they are not kept, and what took them is told.

use serde_json::{Value, json};

use super::runner::Home;

/// Nothing but a question says the code behind a log that was cut.
const POLICY: &[&str] = &["--policy", "internal-agent", "--set", "tool_results.virtual_over=5000"];

/// A request with a log that says a code, a question for it, and one message more.
fn asked(home: &Home) {
    let says = |role: &str, text: &str| json!({"role": role, "content": text});
    let half = "Nothing of note is said here.\n".repeat(1_500);
    let call = json!({"type": "tool_use", "id": "t1", "name": "read_log", "input": {}});
    let log = format!("{half}The code is TWICE-7731.\n{half}");
    let gave = json!({"type": "tool_result", "tool_use_id": "t1", "content": log});
    let request = json!({"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": [
        says("user", "Read the log."),
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [gave]},
        says("assistant", "Read."),
        says("user", "Is TWICE-7731 the code?"),
        says("assistant", "I cannot say."),
        says("user", "Go on."),
    ]});
    home.file("log.json", request.to_string());
}

#[test]
fn a_script_that_checks_does_not_take_a_question_for_what_it_asks_for() {
    let home = Home::new();
    asked(&home);
    for (more, kept) in [(POLICY, false), (&[], true)] {
        let trace = [&["trace", "log.json", "TWICE-7731"][..], more].concat();
        let told: Value = serde_json::from_str(&home.run(&[&trace[..], &["--json"]].concat()).good()).unwrap();
        let fact = &told["facts"][0];
        assert_eq!((&fact["in_window"], &fact["only_in_question"]), (&json!(true), &json!(!kept)), "{fact}");
        assert_eq!(home.run(&[&trace[..], &["--check"]].concat()).code, i32::from(!kept));
    }
}

#[test]
fn what_took_it_is_told_with_its_figures_where_only_a_question_names_it() {
    let home = Home::new();
    asked(&home);
    for step in [&[][..], &["--step", "3"], &["--step", "4"]] {
        let said = home.run(&[&["trace", "log.json", "TWICE-7731"][..], POLICY, step].concat()).good();
        for part in ["only in the question", "tokens were kept (tool_results.virtual_over)", "retrievable from vf_1"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
