//! Facts of which nobody can tell whether the model still has them: a summary stands for them that only its vendor can
//! read.

use serde_json::{Value, json};

use super::runner::Home;

/// A session whose compaction is sealed: what the user and the model say in turn before it, and behind it.
pub fn sealed(home: &Home, before: [&str; 2], behind: &[&str]) {
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-01-02T03:04:05.678Z", "type": kind, "payload": payload}).to_string()
    };
    let says = |role: &str, text: &str| {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        let content = json!([{"type": kind, "text": text}]);
        line("response_item", json!({"type": "message", "role": role, "content": content}))
    };
    let kept = json!([{"type": "compaction", "encrypted_content": "gAAAAopaque"}]);
    let turns = |texts: &[&str]| {
        let roles = ["user", "assistant"].into_iter().cycle();
        texts.iter().zip(roles).map(|(text, role)| says(role, text)).collect::<Vec<_>>()
    };
    let session = json!({"id": "s1", "cwd": "/w", "cli_version": "0.142.5", "originator": "codex_cli_rs"});
    let compacted = line("compacted", json!({"message": "", "replacement_history": kept}));
    let lines = [vec![line("session_meta", session)], turns(&before), vec![compacted], turns(behind)].concat();
    home.file("sealed.jsonl", lines.join("\n") + "\n");
}

/// One with the name of a ticket that is asked for behind it, and one that is not.
fn tickets(home: &Home) {
    let before = ["The ticket is RES-2277, and its build is KX-99412.", "I will mind them."];
    sealed(home, before, &["What is RES-2277?", "I cannot say.", "Go on.", "Fine."]);
}

#[test]
fn what_a_sealed_summary_may_hold_is_unknown_and_not_lost() {
    let home = Home::new();
    tickets(&home);
    for (fact, more) in [
        ("RES-2277", &[][..]),
        ("RES-2277", &["--step", "2"]),
        ("RES-2277", &["--step", "3"]),
        ("KX-99412", &[]),
        ("KX-99412", &["--step", "3"]),
    ] {
        let said = home.run(&[&["trace", "sealed.jsonl", fact][..], more].concat()).good();
        assert!(said.contains("unknown at step") && said.contains("nobody else can tell"), "{said}");
        assert!(!said.contains("not in the window") && !said.contains("only the question"), "{said}");
    }
    let compare = ["compare", "sealed.jsonl", "--recorded", "--fact", "RES-2277", "--fact", "KX-99412"];
    let told: Value = serde_json::from_str(&home.run(&[&compare[..], &["--json"]].concat()).good()).unwrap();
    for fact in told["facts"].as_array().unwrap() {
        assert_eq!((&fact["kept"][0], &fact["unknown"][0]), (&json!(false), &json!(true)), "{fact}");
    }
    let said = home.run(&compare).good();
    assert!(said.contains("0 of 2, 2") && said.contains("✗ –  ? recorded  RES-2277"), "{said}");
}
