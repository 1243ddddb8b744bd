//! Facts that a compaction took and that stand in files: of which the window names some, and the agent reads some again.

use serde_json::{Value, json};
use windowpane::inquiry::{Sight, Trace};
use windowpane::present::verdict::verdict;

use super::build::Log;
use super::runner::{open, traced};

const KEY: &str = "QX-77413";

fn told(log: &Log) -> (Trace, String) {
    let opened = open(log.bytes());
    let (fact, found, trace) = traced(&opened, &opened.recorded, KEY);
    let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    (trace, said)
}

fn seen(trace: &Trace) -> Option<Sight> {
    trace.best_at(trace.need.step()).map(|(_, stay)| stay.sight)
}

fn compacts(log: Log) -> Log {
    log.compacts(json!({"trigger": "auto", "preTokens": 167_000}), "The parser was mended. Nothing is open.")
}

/// A file was read that says it; then what `before` the compaction and `behind` it.
fn read(before: impl Fn(Log) -> Log, behind: impl Fn(Log) -> Log) -> Log {
    let log = Log::new().user("Read the notes.").calls("c1", "Read", json!({"file_path": "/w/notes.md"}));
    let log = before(log.result("c1", &format!("1→The key is {KEY}.")).says("Read."));
    behind(compacts(log)).user("What is the key in the notes?").says("I do not know.").user("So long.")
}

#[test]
fn a_file_that_a_compaction_leaves_the_name_of_is_a_pointer() {
    let named = |log: Log| {
        let name = json!({"type": "compact_file_reference", "filename": "/w/notes.md", "displayPath": "notes.md"});
        log.attachment(name)
    };
    let (trace, said) = told(&read(|log| log, named));
    assert_eq!((seen(&trace), trace.in_window), (Some(Sight::Pointer), false), "{said}");
    assert!(said.contains("Still retrievable from the file /w/notes.md. Never read."), "{said}");
    let changed = |name: &'static str, input: Value| {
        move |log: Log| {
            let log = log.user("Clean up.").calls("c2", name, input.clone());
            log.result("c2", "The file has been updated.").says("Cleaned.")
        }
    };
    let edit = |old: &str, new: &str| json!({"file_path": "/w/notes.md", "old_string": old, "new_string": new});
    let written = json!({"file_path": "/w/notes.md", "content": "Nothing.\n"});
    for log in [
        read(|log| log, |log| log),
        read(changed("Write", written), named),
        read(changed("Edit", edit("QX-77413", "none")), named),
        read(changed("Edit", edit("77413", "3")), named),
        read(changed("Bash", json!({"command": "sed -i '1d' /w/./notes.md"})), named),
        read(changed("Bash", json!({"command": "cd /w/x && rm -rf ../../w"})), named),
    ] {
        let (trace, said) = told(&log);
        assert_eq!(seen(&trace), Some(Sight::Gone), "{said}");
        assert!(!said.contains("retrievable"), "{said}");
    }
    let (trace, _) = told(&read(changed("Edit", edit("The key", "Its key")), named));
    assert_eq!(seen(&trace), Some(Sight::Pointer), "what is changed beside it leaves it there");
}

/// The agent wrote it to a file by a call.
fn written(name: &str, input: Value, fails: bool) -> Log {
    let log = Log::new().user(&format!("Remember: the release key is {KEY}")).calls("c1", name, input);
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": "Done.", "is_error": fails});
    let log = log.record("user", json!({"message": {"role": "user", "content": [result]}})).says("Saved.");
    compacts(log).user("What is the release key?").says("I do not know.").user("So long.")
}

#[test]
fn a_file_that_the_agent_reads_again_by_itself_leaves_open_what_the_model_had() {
    let line = format!("- release key: {KEY}\n");
    let write = |path: &str| json!({"file_path": path, "content": line});
    let edit =
        |path: &str| json!({"file_path": path, "old_string": "# Rules", "new_string": format!("# Rules\n{line}")});
    let memory = "/home/me/.claude/projects/-w/memory/MEMORY.md";
    for (log, path) in [
        (written("Write", write(memory), false), memory),
        (written("Edit", edit("/w/CLAUDE.md"), false), "/w/CLAUDE.md"),
    ] {
        let (trace, said) = told(&log);
        assert_eq!((seen(&trace), trace.in_window), (Some(Sight::Anew), false), "{said}");
        assert!(said.contains(&format!("The file {path} says it, as recorded since step 2.")), "{said}");
        assert!(
            said.contains("no record shows that it did. Whether the model had it from step 3 on is not recorded."),
            "{said}"
        );
        assert!(!said.contains("Lost from") && !said.contains("retrievable"), "{said}");
    }
    for log in [
        written("Write", write("/w/api/CLAUDE.md"), false),
        written("Write", write("/w/CLAUDE.md"), true),
        written("Write", write("/w/notes.md"), false),
    ] {
        let (trace, said) = told(&log);
        assert_eq!(seen(&trace), Some(Sight::Gone), "{said}");
        assert!(said.contains("Lost from step 3 on"), "{said}");
    }
}
