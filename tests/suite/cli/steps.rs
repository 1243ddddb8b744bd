//! The step at which facts are needed, and what is said of steps and values that there are not.

use serde_json::Value;

use super::runner::{Home, fixture};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_step_of_the_command_line_is_the_one_that_counts() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    for step in ["20", "41"] {
        let vary = "summarise.at=70%,80%";
        let swept = json(&home.run(&["sweep", &session, "hbr-7731-", "--vary", vary, "--step", step, "--json"]).good());
        assert_eq!(swept["facts"][0]["step"].to_string(), step, "{swept}");
        let compared = json(&home.run(&["compare", &session, "--fact", "hbr-7731-", "--step", step, "--json"]).good());
        assert_eq!(compared["facts"][0]["step"].to_string(), step, "{compared}");
    }
    let beyond = home.run(&["sweep", &session, "hbr-7731-", "--step", "9000"]);
    assert!(beyond.code == 2 && beyond.err.contains("there is no step 9000"), "{}", beyond.err);
}

#[test]
fn a_run_tells_of_one_step_where_one_is_named() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let lines = |more: &[&str]| -> Vec<Value> {
        home.run(&[&["run", &session, "--json"], more].concat()).good().lines().map(json).collect()
    };
    let (all, one) = (lines(&[]), lines(&["--step", "41"]));
    let (rows, end) = one.split_at(one.len() - 1);
    assert_eq!(rows, all.iter().filter(|row| row["step"] == 41).cloned().collect::<Vec<_>>());
    assert!(rows.len() > 1 && rows[0]["type"] == "step" && end == &all[all.len() - 1..], "the end is that of the run");
    let text = home.run(&["run", &session, "--step", "41"]).good();
    let told = text.lines().filter(|line| line.trim_start().starts_with(|sign: char| sign.is_ascii_digit()));
    assert!(told.clone().next().is_some_and(|line| line.trim_start().starts_with("41 ")), "{text}");
    let beyond = home.run(&["run", &session, "--step", "9000"]);
    assert!(beyond.code == 2 && beyond.err.contains("there is no step 9000"), "{}", beyond.err);
}

#[test]
fn a_step_in_a_file_that_there_is_not_is_told() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    home.file("facts.toml", "[[fact]]\ntext = \"hbr-7731-\"\nstep = 9000\n[[fact]]\ntext = \"FIN-9999\"\nstep = 0\n");
    let run = || home.run(&["sweep", &session, "--facts", "facts.toml", "--vary", "summarise.at=70%", "--json"]);
    let done = run();
    let words = "facts.toml, line 3: there is no step 9000 for \"hbr-7731-\": steps are 1 to ";
    assert!(done.code == 2 && done.err.contains(words), "{}", done.err);
    for (file, words) in [
        ("[[fact]]\ntext = \"hbr-7731-\"\n\n[[fact]]\ntext = \"FIN-9999\"\nstep = 0\n", "line 6: there is no step 0"),
        ("[[fact]]\ntext = \"hbr-7731-\"\n[[fact]]\ntext = \"re:(\"\n", "line 4: \"re:(\": the pattern cannot be read"),
        ("[[fact]]\ntext = \"hbr-7731-\"\nsteps = 3\n", "line 3: unknown field"),
        ("[[fact]]\ntext = \"hbr-7731-\"\nstep = -1\n", "line 3: there is no step -1 for"),
        ("[[fact]]\ntext = \"hbr-7731-\"\nstep = \"last\"\n", "line 3: the step for \"hbr-7731-\" is a number from 1"),
        ("fact = []\n", "names no facts"),
    ] {
        home.file("facts.toml", file);
        let done = run();
        assert!(done.code == 2 && done.err.contains(words), "{}", done.err);
    }
}

#[test]
fn a_session_without_a_request_answers_no_question() {
    let home = Home::new();
    let record = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{"messageId":"m","trackedFileBackups":{},"timestamp":"2026-01-01T00:00:00.000Z"},"isSnapshotUpdate":false}"#;
    let empty = home.file("empty.jsonl", format!("{record}\n")).to_string_lossy().into_owned();
    home.file("facts.toml", "[[fact]]\ntext = \"a fact\"\nstep = 2\n");
    for arguments in
        [&["whatif", &empty, "a fact"][..], &["sweep", &empty, "a fact"], &["sweep", &empty, "--facts", "facts.toml"]]
    {
        let done = home.run(arguments);
        assert!(
            done.code == 3 && done.err.contains("there is no request in it"),
            "{arguments:?}: {} {}",
            done.code,
            done.err
        );
    }
}

#[test]
fn a_value_that_is_not_allowed_is_named() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let done = home.run(&["sweep", &session, "hbr-7731-", "--vary", "summarise.at=60%,abc"]);
    assert!(done.code == 2 && done.err.contains("\"abc\" is not allowed"), "{}", done.err);
}

#[test]
fn what_cannot_be_read_is_told_by_what_if_too() {
    let home = Home::new();
    let file = std::fs::read_to_string(fixture("claude-code.jsonl")).unwrap();
    let broken =
        home.file("broken.jsonl", format!("{file}{{\"type\": \"user\", \"mess\n")).to_string_lossy().into_owned();
    for fact in ["FIN-2291", "a fact that there is not"] {
        let done = home.run(&["whatif", &broken, fact]);
        assert!(done.code == 0 && done.err.contains("warning: "), "{}", done.err);
    }
}
