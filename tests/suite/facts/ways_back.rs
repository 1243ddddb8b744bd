//! What commands leave of the files by which a fact that a compaction took can be read back.

use serde_json::json;
use windowpane::inquiry::{Back, Trace};
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

fn back(trace: &Trace) -> Option<Back> {
    trace.best_at(trace.need.step()).and_then(|(_, stay)| stay.back.clone())
}

fn compacts(log: Log, summary: &str) -> Log {
    log.compacts(json!({"trigger": "auto", "preTokens": 167_000}), summary)
}

fn asked(log: Log) -> Log {
    log.user("What is the key in the notes?").says("I do not know.").user("So long.")
}

#[test]
fn what_the_agent_wrote_itself_was_not_read_since() {
    let input = json!({"file_path": "/w/notes.md", "old_string": "none", "new_string": KEY});
    let log = Log::new().user("Set it.").calls("c1", "Edit", input).result("c1", "Updated.").says("Done.");
    let (_, said) = told(&asked(compacts(log, "The key is in /w/notes.md.")));
    assert!(said.contains("Still retrievable from the file /w/notes.md. Not read since."), "{said}");
}

/// What is told of a file that said it, behind a compaction and a command.
fn after(command: &str) -> (Trace, String) {
    let log = Log::new().user("Read the notes.").calls("c1", "Read", json!({"file_path": "/w/notes.md"}));
    let log = log.result("c1", &format!("1→The key is {KEY}.")).says("Read.");
    let log = compacts(log, "The notes are in /w/notes.md.").user("Go on.").shell("c2", command, "Done.").says("Done.");
    told(&asked(log))
}

#[test]
fn a_filter_leaves_open_what_it_leaves() {
    for command in [
        "sed \"s/old/new/\" notes.md > t && mv t notes.md",
        "grep -v old notes.md > t; mv t notes.md",
        "jq . notes.md > x && mv x notes.md",
        "mv /tmp/new.md notes.md",
        "cp /tmp/new.md notes.md",
        "cat /tmp/new.md > notes.md",
        "tee notes.md < t",
        "sed s/a/b/ notes.md.orig > notes.md",
        "new=$(sed s/a/b/ notes.md); echo \"$new\" > notes.md",
        "sort -u -k1,1 notes.md -o notes.md",
    ] {
        let (trace, said) = after(command);
        assert!(matches!(back(&trace), Some(Back::Perhaps { .. })), "{command}: {said}");
    }
    for command in [
        "sort -o notes.md notes.md",
        "sort notes.md -o notes.md",
        "sort -u notes.md -o notes.md",
        "cp notes.md t && echo x >> t && mv t notes.md",
        "cp notes.md t && sort t | tee notes.md",
        "tee notes.md.bak < notes.md",
    ] {
        let (trace, said) = after(command);
        assert_eq!(back(&trace), Some(Back::Path("/w/notes.md".to_owned())), "{command}: {said}");
    }
}

#[test]
fn a_file_of_which_nothing_is_left_is_emptied_and_not_removed() {
    let ended = |words: &str| format!("the last way back to it ended: the file /w/notes.md was {words}.");
    for command in [
        ": > notes.md",
        "> notes.md",
        "grep -v port notes.md > notes.md",
        "cat notes.md > notes.md",
        "truncate -s 0 notes.md",
        "cp /dev/null notes.md",
        "python3 -c \"open('notes.md', 'w').write('')\"",
        "make > notes.md",
    ] {
        let (trace, said) = after(command);
        assert!(said.contains(&ended("emptied or overwritten")), "{command}: {said}");
        let Some(Back::Ended { by, .. }) = back(&trace) else { panic!("{command}: {said}") };
        assert_eq!(by.name(), "changed");
    }
    for command in ["rm notes.md", "mv notes.md /tmp", "find . -name notes.md -delete", "git rm notes.md"] {
        let (trace, said) = after(command);
        assert!(said.contains(&ended("removed or moved")) || command.starts_with("mv"), "{command}: {said}");
        assert!(!said.contains("overwritten"), "{command}: {said}");
        assert!(!matches!(back(&trace), Some(Back::Perhaps { .. })), "{command}: {said}");
    }
    for command in ["echo none > notes.md", "echo none > t && mv t notes.md"] {
        let (_, said) = after(command);
        assert!(said.contains(&ended("changed and no longer says it")), "{command}: {said}");
    }
}
