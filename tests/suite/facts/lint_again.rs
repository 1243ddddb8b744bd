//! Content that came in again, or whole, and what only looks like it.

use serde_json::json;

use super::build::{Log, filler};
use super::lint::{looked, names};
use super::runner::open;

#[test]
fn a_command_that_is_run_again_behind_a_change_reads_nothing_again() {
    let output: String = (0..200).map(|case| format!("test module_{case}::case_{} ... ok\n", case * 3)).collect();
    let session = |edits: bool| {
        let log = Log::new().user("Mend it.").shell("c1", "cargo test", &output).says("One more.");
        let edit = json!({"file_path": "/w/a.rs", "old_string": "a = 1", "new_string": "a = 2"});
        let log = if edits { log.calls("e", "Edit", edit).result("e", "It has been updated.") } else { log };
        open(log.shell("c2", "cargo test", &output).says("All pass.").user("Thanks.").bytes())
    };
    for (edits, again) in [(true, false), (false, true)] {
        let opened = session(edits);
        let found = looked(&opened, &opened.recorded);
        assert_eq!(names(&found).contains(&"read-again"), again, "{found:?}");
    }
}

#[test]
fn a_range_that_was_asked_for_is_no_dump_of_the_whole_file() {
    let read = |input| {
        open(Log::new().user("Go.").calls("c", "Read", input).result("c", &filler(0, 1_200)).says("Ok.").bytes())
    };
    let part = read(json!({"file_path": "/w/a.rs", "offset": 100, "limit": 2_400}));
    let found = looked(&part, &part.recorded);
    let large = found.iter().find(|finding| finding.rule == "large-output").unwrap();
    assert!(large.evidence.contains(" tokens of a part of a.rs into") && !names(&found).contains(&"whole-file-dump"));
    let all = read(json!({"file_path": "/w/a.rs"}));
    assert!(names(&looked(&all, &all.recorded)).contains(&"whole-file-dump"));
}
