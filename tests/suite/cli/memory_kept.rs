//! Memories of earlier sessions: where they stood, and which of them become one.

use serde_json::{Value, json};

use super::runner::Home;

fn session(home: &Home, name: &str, asked: &[&str]) {
    let said =
        |asked: &&str| [json!({"role": "user", "content": asked}), json!({"role": "assistant", "content": "Noted."})];
    let messages: Vec<Value> = asked.iter().flat_map(said).collect();
    home.file(name, json!({"model": "gpt-4o", "messages": messages}).to_string());
}

fn keep(home: &Home, name: &str, more: &[&str]) -> String {
    home.run(&[&["memory", name, "--keep", "--set", "memory.scope=user"], more].concat()).good()
}

#[test]
fn a_memory_of_an_earlier_session_says_where_it_stood() {
    let home = Home::new();
    let text = "Remember that the vault code is K-7741.";
    session(&home, "s1.json", &[text]);
    session(&home, "s2.json", &["Which vault code is it?"]);
    keep(&home, "s1.json", &[]);
    let told: Value = serde_json::from_str(&keep(&home, "s2.json", &["--json"])).unwrap();
    let row = told["memories"].as_array().unwrap().iter().find(|row| row["text"] == text).unwrap();
    let at = std::fs::read_to_string(home.path().join("s1.json")).unwrap().find(text).unwrap();
    assert_eq!(row["earlier"], json!([{"source": "s1.json", "bytes": [at, at + text.len()]}]));
    assert_eq!((&row["provenance"], &row["age"], &row["born"]), (&json!([]), &Value::Null, &json!(0)));
    let own = told["memories"].as_array().unwrap().iter().find(|row| row["born"] != 0).unwrap();
    assert_eq!((&own["earlier"], own["age"].is_u64()), (&json!([]), true));
    let table = keep(&home, "s2.json", &[]);
    let line = table.lines().find(|line| line.contains(text)).unwrap();
    assert!(line.contains(&format!("s1.json @{at}")) && line.contains("before"), "{line}");
}

#[test]
fn memories_that_were_added_in_other_spellings_become_one_where_it_is_reconciled() {
    let home = Home::new();
    let row = |text: &str| json!({"scope": "user", "owner": "me", "text": text, "how": "written"}).to_string();
    let rows = [
        "The gateway of site Delta listens on port 8088.",
        "The gateway of site Delta listens on  port 8088!",
        "the gateway of site Delta listens on port 8088",
    ];
    home.file("dup.jsonl", rows.map(row).join("\n"));
    home.run(&["memory", "import", "dup.jsonl"]).good();
    session(&home, "s2.json", &["Hello."]);
    let told: Value =
        serde_json::from_str(&keep(&home, "s2.json", &["--json", "--reconcile", "--set", "user=me"])).unwrap();
    let live = |told: &Value| {
        let all = told["memories"].as_array().unwrap().iter();
        all.filter(|row| row["merged_into"].is_null() && row["text"].as_str().unwrap().contains("8088")).count()
    };
    assert_eq!(live(&told), 1, "{told:#}");
    assert_eq!(home.run(&["memory", "export"]).good().matches("8088").count(), 1);
}
