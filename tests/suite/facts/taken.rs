//! What took a fact where no setting of a policy decides that.

use windowpane::model::{Stage, rules};

use super::build::Log;
use super::runner::{open, policy};
use super::whatif::asked;

#[test]
fn reasoning_that_is_never_sent_has_a_reason() {
    let log = Log::new()
        .user("One.")
        .thinks("The key is QX-77413, which is best kept for later.")
        .says("First.")
        .user("Two.")
        .says("Second.")
        .user("And?");
    // Of some models only: see `dropped_thinking`.
    let lines = String::from_utf8(log.bytes()).unwrap().replace("claude-test", "claude-sonnet-4-20250514");
    let found = asked(&open(lines.into_bytes()), &policy(&["summarise.on=true"]), "QX-77413");
    assert!(!found.there && !found.never && found.answers.is_empty(), "{found:?}");
    let taken = found.taken_by.as_ref().map(|(stage, rule)| (*stage, &**rule));
    assert_eq!(taken, Some((Stage::Reasoning, rules::REPLAYED_THINKING_DROPPED)));
}
