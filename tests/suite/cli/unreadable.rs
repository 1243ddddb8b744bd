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
    assert!(said.contains("0 of 2, 2 unknown") && said.contains("✗ –  ? recorded  RES-2277"), "{said}");
}

#[test]
fn what_is_sealed_in_a_replay_is_neither_kept_nor_lost() {
    let home = Home::new();
    let item =
        |payload: Value| json!({"timestamp": "2026-01-02T03:04:05.678Z", "type": "response_item", "payload": payload});
    let says = |role: &str, kind: &str, text: &str| {
        item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
    };
    let thought = [json!({"type": "summary_text", "text": "The ticket is RES-2277."})];
    let lines = [
        json!({"timestamp": "2026-01-02T03:04:05.678Z", "type": "session_meta", "payload": {"id": "s1", "cwd": "/w"}}),
        says("user", "input_text", "Look at the ticket; the build is KX-99412."),
        item(json!({"type": "reasoning", "summary": thought, "encrypted_content": "gAAAAopaque"})),
        item(json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": "done"})),
        says("assistant", "output_text", "I looked."),
    ];
    home.file("thought.jsonl", lines.map(|line| line.to_string() + "\n").concat());
    let followed = ["thought.jsonl", "RES-2277", "KX-99412", "--step", "2"];
    let sweep = [&["sweep"], &followed[..], &["--vary", "summarise.at=50%,90%"]].concat();
    let told: Value = serde_json::from_str(&home.run(&[&sweep[..], &["--json"]].concat()).good()).unwrap();
    for run in told["runs"].as_array().unwrap() {
        let figures = (&run["kept"], &run["lost"], &run["unknown"]);
        assert_eq!(figures, (&json!(1), &json!([]), &json!([0])), "{run}");
    }
    let csv = home.run(&[&sweep[..], &["--csv"]].concat()).good();
    assert!(
        csv.starts_with("summarise.at,kept,lost,unknown,") && csv.lines().skip(1).all(|line| line.contains("%,1,0,1,")),
        "{csv}"
    );
    let said = home.run(&sweep).good();
    assert!(said.contains("1 of 2, 1 unknown") && said.contains("neither kept nor lost"), "{said}");
    let said = home.run(&["compare", "thought.jsonl", "--fact", "RES-2277", "--step", "2"]).good();
    assert!(said.contains("0 of 1, 1 unknown"), "{said}");
}
