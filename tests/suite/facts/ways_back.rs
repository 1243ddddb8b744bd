//! Files by which a fact that a compaction took can be read back: attached ones, those to which whole outputs went, and
//! what later commands leave of them.

use serde_json::{Value, json};
use windowpane::inquiry::{Back, Sight, Trace};

use super::build::Log;

const KEY: &str = "QX-77413";

fn told(log: &Log) -> (Trace, String) {
    super::runner::told(log, KEY)
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

fn refers(log: Log) -> Log {
    log.attachment(json!({"type": "compact_file_reference", "filename": "/w/notes.md", "displayPath": "notes.md"}))
}

fn file(path: &str, shown: &str, text: &str) -> Value {
    let inner = json!({"filePath": path, "content": text, "numLines": 1, "startLine": 1, "totalLines": 1});
    json!({"type": "file", "filename": path, "displayPath": shown, "content": {"type": "text", "file": inner}})
}

#[test]
fn an_attached_file_can_be_read_back_as_one_that_was_read() {
    let text = format!("The key is {KEY}.");
    let attached = |attachment: Value| Log::new().user("See the notes.").attachment(attachment).says("Seen.");
    let snippet = json!({"type": "edited_text_file", "filename": "/w/notes.md", "snippet": text});
    let notes = || file("/w/notes.md", "notes.md", &text);
    let none = "Nothing is open.";
    for log in [
        refers(compacts(attached(notes()), none)),
        compacts(attached(notes()), "The notes are in /w/notes.md."),
        compacts(attached(snippet), "The notes are in notes.md."),
        // What is attached again, without it, names it as well.
        compacts(attached(notes()), none).attachment(file("/w/notes.md", "notes.md", "Line 1\nLine 2")),
        refers(compacts(
            Log::new()
                .in_folder("/w/api")
                .user("See.")
                .attachment(file("/w/notes.md", "../notes.md", &text))
                .says("Seen."),
            none,
        )),
    ] {
        let (trace, said) = told(&asked(log));
        assert_eq!(back(&trace), Some(Back::Path("/w/notes.md".to_owned())), "{said}");
        assert!(said.contains("Still retrievable from the file /w/notes.md. Not read since."), "{said}");
    }
    let listed = json!({"type": "directory", "path": "/w/notes.d", "displayPath": "notes.d", "content": KEY});
    let named = json!({"type": "compact_file_reference", "filename": format!("/w/{KEY}.md"), "displayPath": format!("{KEY}.md")});
    for log in [
        compacts(attached(notes()), none),
        refers(compacts(attached(notes()).shell("c1", "rm notes.md", "").says("Gone."), none)),
        compacts(attached(listed), "The notes are in /w/notes.d."),
        compacts(attached(named), "The notes are in /w/notes.md."),
    ] {
        let (trace, said) = told(&asked(log));
        assert_eq!(back(&trace), None, "{said}");
    }
}

#[test]
fn an_output_that_went_to_a_file_can_be_read_back_from_there() {
    let sent = |preview: &str| {
        format!(
            "<persisted-output>\nOutput too large (40KB). Full output saved to: /h/b1.txt\n\nPreview (first 2KB):\n{preview}\n...\n</persisted-output>"
        )
    };
    let makes = |preview: &str, whole: &str| {
        let whole = json!({"stdout": whole, "stderr": "", "interrupted": false});
        Log::new().user("Go.").calls("c1", "Bash", json!({"command": "make"})).result_of("c1", &sent(preview), whole)
    };
    let path = Some(Back::Path("/h/b1.txt".to_owned()));
    let lines = "a line\n".repeat(6_000);
    let in_preview = || makes(&format!("code {KEY}"), &format!("code {KEY}\n{lines}"));
    let behind = || makes("a line", &format!("{lines}code {KEY}"));
    let read = |log: Log| {
        let input = json!({"file_path": "/h/b1.txt", "offset": 6_000});
        log.calls("c2", "Read", input).result("c2", &format!("6001→code {KEY}"))
    };
    let names = "The output is in /h/b1.txt.";
    for (log, words) in
        [(in_preview(), "Not read since."), (behind(), "Never read."), (read(behind()), "Not read since.")]
    {
        let (trace, said) = told(&asked(compacts(log.says("Ok.").user("Next.").says("Yes."), names)));
        assert_eq!(back(&trace), path, "{said}");
        assert!(said.contains(&format!("Still retrievable from the file /h/b1.txt. {words}")), "{said}");
        for one in &trace.occurrences {
            let last = one.stays.last().unwrap();
            assert_eq!((last.sight, last.back.clone()), (Sight::Pointer, path.clone()), "each place: {said}");
        }
    }
    let removes = |log: Log| log.says("Ok.").shell("c3", "rm /h/b1.txt", "").says("Gone.");
    let (trace, said) = told(&asked(compacts(removes(in_preview()), names)));
    assert_eq!(back(&trace), None, "{said}");
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
