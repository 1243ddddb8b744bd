//! Verdicts that rest on a summary which no model wrote, though one would have: they say so, once.

use serde_json::{Value, json};

use super::runner::Home;
use super::unreadable::sealed;

/// Of a replayed summary.
const SAID: &str = "No model wrote that summary: the sentences that matter most stand in";

#[test]
fn what_a_stand_in_keeps_or_leaves_out_is_told_as_that() {
    let home = Home::new();
    let boats = (0..40).map(|at| format!("The boat of number {at} lies at the quay of the harbour. "));
    let minds = format!("I will mind them. {}", boats.collect::<String>());
    sealed(
        &home,
        ["The ticket is RES-2277, and its build is KX-99412.", &minds],
        &["Go on.", "Fine.", "Go on.", "Fine."],
    );
    let settings = ["--policy", "codex", "--set", "summarise.at=100", "--set", "summarise.keep_tail=1 messages"];
    let told = |fact: &str, more: &[&str]| -> (Value, String) {
        let trace = [&["trace", "sealed.jsonl", fact], more].concat();
        let row: Value = serde_json::from_str(&home.run(&[&trace[..], &["--json"]].concat()).good()).unwrap();
        (row["facts"][0].clone(), home.run(&trace).good())
    };
    for (fact, may) in [("KX-99412", "may leave it out"), ("boat of number 27 lies", "may say it")] {
        let (row, said) = told(fact, &settings);
        assert!(said.matches(SAID).count() == 1 && said.contains(may), "{said}");
        assert_eq!(row["stood_in"], json!(true), "{row}");
        // Nothing stands in for what a policy itself writes so, nor for what was recorded.
        let own = [&settings[..], &["--set", "summarise.by=extractive"]].concat();
        for more in [&own[..], &[]] {
            let (row, said) = told(fact, more);
            assert!(!said.contains("No model wrote") && row["stood_in"] == json!(false), "{said}");
        }
    }
    let compare = [&["compare", "sealed.jsonl", "--recorded", "--fact", "KX-99412"], &settings[..]].concat();
    let row: Value = serde_json::from_str(&home.run(&[&compare[..], &["--json"]].concat()).good()).unwrap();
    assert_eq!(row["facts"][0]["stood_in"], json!([false, true]), "{row}");
    let said = home.run(&compare).good();
    assert!(
        said.contains("1 of 1 ○") && said.matches("the sentences that matter most stand in").count() == 1,
        "{said}"
    );
}
