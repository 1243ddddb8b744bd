//! Memories that are written by hand or taken in: what is refused of them.

use serde_json::{Value, json};

use super::runner::Home;

#[test]
fn what_is_written_by_hand_takes_no_settings_that_it_does_not_depend_on() {
    let home = Home::new();
    let add = |more: &[&str]| home.run(&[&["memory", "add", "Noon it is."], more].concat());
    for (set, why) in [
        ("nonsense=1", "nonsense"),
        ("memory.nonsense=1", "memory.nonsense"),
        ("memory.scope=everybody", "everybody"),
        ("memory.max_items=4", "--set memory.max_items is of a policy, and no replay is made here"),
        ("memory.scope=agent", "the scope agent needs --owner"),
    ] {
        let done = add(&["--set", set]);
        assert!(done.code == 2 && done.err.contains(why), "{set}: {}", done.err);
    }
    let both = add(&["--scope", "user", "--set", "memory.scope=session", "--owner", "x"]);
    assert!(both.code == 2 && both.err.contains("contradict each other"), "{}", both.err);
    for action in [&["memory", "export"][..], &["memory", "import", "none.jsonl"]] {
        let done = home.run(&[action, &["--set", "memory.scope=agent"]].concat());
        assert!(done.code == 2 && done.err.contains("no replay is made here"), "{}", done.err);
    }
    assert_eq!(home.run(&["memory", "export"]).good(), "", "nothing was kept");
    assert_eq!(add(&["--set", "memory.scope=agent", "--owner", "codex"]).code, 0);
    let row: Value = serde_json::from_str(&home.run(&["memory", "export"]).good()).unwrap();
    assert_eq!((&row["scope"], &row["owner"]), (&json!("agent"), &json!("codex")));
}

#[test]
fn memories_are_written_out_and_taken_in_of_whom_the_command_line_names() {
    let home = Home::new();
    let add = |text: &str, more: &[&str]| home.run(&[&["memory", "add", text], more].concat());
    add("Tabs are used.", &["--set", "user=alice"]).good();
    add("Blanks are used.", &["--set", "user=bob"]).good();
    add("Noon it is.", &["--scope", "session", "--set", "session=fix", "--set", "user=bob"]).good();
    add("One it is.", &["--scope", "agent", "--set", "agent=codex"]).good();
    let beside = add("Two it is.", &["--set", "agent=codex"]);
    assert!(
        beside.err.contains("note: --set agent says nothing here: it is a memory of the scope user"),
        "{}",
        beside.err
    );
    let owners = |more: &[&str]| -> (Vec<String>, String) {
        let done = home.run(&[&["memory", "export"], more].concat());
        let rows = done.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        (rows.map(|row| row["owner"].as_str().unwrap().to_owned()).collect(), done.err)
    };
    let (all, said) = owners(&[]);
    assert!(all == ["alice", "bob", "bob/fix", "codex", "me"] && !said.contains("left out"), "{all:?} {said}");
    let (bobs, said) = owners(&["--set", "user=bob"]);
    assert_eq!(bobs, ["bob", "bob/fix"]);
    assert!(said.contains("note: 3 memories are left out: of others than user = \"bob\""), "{said}");
    assert_eq!(owners(&["--set", "agent=codex", "--set", "user=alice"]).0, ["alice", "codex"]);
    assert_eq!(owners(&["--set", "session=fix"]).0, ["bob/fix"]);
    let elsewhere = Home::new();
    elsewhere.file("all.jsonl", home.run(&["memory", "export"]).good());
    let taken = elsewhere.run(&["memory", "import", "all.jsonl", "--set", "user=bob"]);
    assert!(
        taken.err.contains("2 memories, 2 of them new") && taken.err.contains("3 memories are left out"),
        "{}",
        taken.err
    );
    assert_eq!(elsewhere.run(&["memory", "export"]).good().lines().count(), 2);
}

#[test]
fn a_memory_that_came_to_be_in_no_known_way_is_not_imported() {
    let home = Home::new();
    let row = |how: &str, kind: &str| {
        let edges = json!([{"to": "ab", "kind": kind, "score": 0.5}]);
        json!({"scope": "user", "owner": "me", "text": "Noon it is.", "how": how, "edges": edges}).to_string()
    };
    for (bad, why) in [
        (row("magic", "bridges"), "rows.jsonl:2: it came to be \"magic\"; there are ingested, preserved, written"),
        (row("written", "loves"), "rows.jsonl:2: there is no relation \"loves\"; there are contradicts, bridges"),
    ] {
        home.file("rows.jsonl", format!("{}\n{bad}\n", row("written", "bridges")));
        let done = home.run(&["memory", "import", "rows.jsonl"]);
        assert!(done.code != 0 && done.err.contains(why), "{}", done.err);
        assert_eq!(home.run(&["memory", "export"]).good(), "", "all of them or none");
    }
    for how in ["", "ingested", "preserved", "written", "merged", "unsupported"] {
        home.file("rows.jsonl", row(how, "supersedes"));
        assert_eq!(home.run(&["memory", "import", "rows.jsonl"]).code, 0, "{how}");
    }
}
