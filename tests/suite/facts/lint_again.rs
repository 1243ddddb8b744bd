//! Content that came in again, and what only looks like it.

use serde_json::json;

use super::build::Log;
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
