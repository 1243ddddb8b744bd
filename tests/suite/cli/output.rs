//! What reaches the terminal: no escape sequence of a transcript, colour only where it is wanted, remarks apart.

use super::runner::{Home, placed};

/// A session whose every text tries to steer the terminal.
fn hostile(home: &Home) -> String {
    let bad = "\\u001b]0;title\\u0007\\u001b[31mred\\u009b2J\\u202e\\r\\b";
    let user = |number: u32, content: String| {
        format!(
            r#"{{"type":"user","uuid":"u{number}","parentUuid":null,"sessionId":"{bad}","timestamp":"2026-01-01T00:00:0{number}Z","cwd":"/x","version":"2.1.0","message":{{"role":"user","content":{content}}}}}"#
        )
    };
    let call = format!(
        r#"{{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:02Z","version":"2.1.0","message":{{"id":"m{bad}","role":"assistant","model":"claude{bad}","content":[{{"type":"tool_use","id":"t1","name":"Bash{bad}","input":{{"command":"{bad}"}}}}],"usage":{{"input_tokens":10,"output_tokens":1}}}}}}"#
    );
    let result = format!(r#"[{{"type":"tool_result","tool_use_id":"t1","content":"{bad}"}}]"#);
    let lines = [user(1, format!("\"{bad}\"")), call, user(3, result), format!("{{\"type\":\"{bad}\" broken")];
    home.file("hostile.jsonl", lines.join("\n"));
    "hostile.jsonl".to_owned()
}

fn steers(text: &str) -> bool {
    text.chars().any(|sign| (sign.is_control() && sign != '\n') || sign == '\u{202e}')
}

#[test]
fn no_escape_sequence_of_a_transcript_gets_out() {
    let home = Home::new();
    let session = hostile(&home);
    let commands: &[&[&str]] = &[
        &["show", &session, "--text"],
        &["show", &session, "--text", "--json"],
        &["show", &session, "--text", "--step", "1"],
        &["run", &session],
        &["run", &session, "--json"],
        &["pack", &session, "--as", "anthropic"],
        &["pack", &session, "--as", "openai"],
        &["pack", &session, "--as", "json"],
        &["pack", &session, "-o", "out", "--manifest", "-"],
        &["show", "no\u{1b}[31m\u{7}such"],
    ];
    for arguments in commands {
        let done = home.run(arguments);
        // Into a pipe the characters of a text are its own, but no command gets through.
        let whole = arguments.contains(&"--text") && !arguments.contains(&"--json");
        let out = if whole { done.out.replace('\u{202e}', "") } else { done.out.clone() };
        assert!(!steers(&out) && !steers(&done.err), "{arguments:?}: {:?} {:?}", done.out, done.err);
    }
    // A file gets the text as it was.
    home.run(&["pack", &session, "--as", "text", "-o", "raw.txt"]).good();
    assert!(steers(&std::fs::read_to_string(home.path().join("raw.txt")).unwrap()));
}

#[test]
fn colour_is_used_only_where_it_is_wanted() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    assert!(!home.run(&["show", &session]).good().contains('\u{1b}'));
    assert!(home.run(&["show", &session, "--color", "always"]).good().contains("\u{1b}[1m"));
    assert!(!home.run(&["show", &session, "--color", "always", "--json"]).good().contains('\u{1b}'));
}

#[test]
fn remarks_go_to_standard_error_and_can_be_silenced() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let loud = home.run(&["show", &session]);
    assert!(loud.err.contains("claude-code.jsonl:13"), "the damaged line is located: {}", loud.err);
    let quiet = home.run(&["show", &session, "-q"]);
    assert_eq!((quiet.out, quiet.err.as_str()), (loud.out, ""));
}

#[test]
fn lines_fit_the_width() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    for columns in ["40", "72", "100"] {
        let mut command = home.command();
        command.env("COLUMNS", columns).args(["show", &session]);
        let out = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let widest = out.lines().skip(2).map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns.parse().unwrap(), "{widest} in {columns}");
    }
}

#[test]
fn a_file_that_a_compaction_put_back_is_told_from_one_that_came_in() {
    let home = Home::new();
    let record = |kind: &str, id: &str, before: Option<&str>, more: serde_json::Value| {
        let mut record = serde_json::json!({"type": kind, "uuid": id, "parentUuid": before, "sessionId": "S"});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let asks = |id: &str, before: Option<&str>, text: &str| {
        record("user", id, before, serde_json::json!({"message": {"role": "user", "content": text}}))
    };
    let says = |id: &str, before: &str| {
        let message = serde_json::json!({"id": id, "role": "assistant", "model": "claude-test",
            "content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": 900, "output_tokens": 2}});
        record("assistant", id, Some(before), serde_json::json!({"message": message}))
    };
    let file = |id: &str, before: &str| {
        let content = serde_json::json!({"type": "text", "file": {"content": "text of x"}});
        let attachment =
            serde_json::json!({"type": "file", "filename": "/w/x", "displayPath": "x", "content": content});
        record("attachment", id, Some(before), serde_json::json!({"attachment": attachment}))
    };
    let compact = serde_json::json!({"subtype": "compact_boundary", "logicalParentUuid": "a1",
        "compactMetadata": {"trigger": "auto", "preTokens": 167_000}});
    let summary =
        serde_json::json!({"isCompactSummary": true, "message": {"role": "user", "content": "what was said"}});
    let lines = [
        asks("u1", None, "one"),
        file("f1", "u1"),
        says("a1", "f1"),
        record("system", "b1", None, compact),
        record("user", "s1", Some("b1"), summary),
        file("f2", "s1"),
        asks("u2", Some("f2"), "two"),
        says("a2", "u2"),
    ];
    home.file("s.jsonl", lines.concat());
    let heads = |step: &str, form: &str| -> Vec<String> {
        let packed = home.run(&["pack", "s.jsonl", "--step", step, "--as", form]).good();
        packed.lines().filter(|line| line.contains("· x")).map(str::to_owned).collect()
    };
    for (form, behind) in [("text", " ==="), ("markdown", "")] {
        let [before] = heads("1", form).try_into().unwrap();
        assert!(before.ends_with(&format!("· x{behind}")), "{before}");
        let [after] = heads("2", form).try_into().unwrap();
        assert!(after.ends_with(&format!("· x · put back after the compaction before step 2{behind}")), "{after}");
    }
}
