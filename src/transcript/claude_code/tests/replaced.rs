//! Results that were sent as something else than their records say.

use super::*;
use crate::model::{CutShape, Fate, Made};

const POINTER: &str = "<persisted-output>\nOutput too large (60.1KB). Full output saved to: /x/c1.txt\n\nPreview:\nhead\n</persisted-output>";

fn replaces(call: &str, text: &str) -> Value {
    let one = json!({"kind": "tool-result", "toolUseId": call, "replacement": text});
    json!({"type": "content-replacement", "sessionId": "S", "replacements": [one]})
}

#[test]
fn a_result_that_was_never_sent_whole_is_what_the_model_got() {
    let whole = "head and all the rest of it";
    let read = read(&[
        user("u1", "", "go"),
        calls("a1", "u1", "m1", "c1", "Read"),
        result("r1", "a1", "c1", whole),
        replaces("c1", POINTER),
        says("a2", "r1", "m2", "ok"),
        replaces("c1", POINTER),
        user("u2", "a2", "more"),
    ]);
    assert_eq!(read.last()[2], POINTER);
    let block = read.find(POINTER);
    let cut = block.cut.as_deref().unwrap();
    assert_eq!((cut.shape, cut.original_chars, cut.rest.as_deref()), (CutShape::Pointer, Some(27), Some("/x/c1.txt")));
    assert_eq!(read.sources.body_text(block.original.as_deref().unwrap()).unwrap(), whole);
    assert!(read.main().ops.iter().all(|op| !matches!(op, Op::Shorten(_))), "said again it is the same");
}

#[test]
fn a_result_that_was_sent_before_is_replaced_from_then_on() {
    let read = read(&[
        user("u1", "", "go"),
        calls("a1", "u1", "m1", "c1", "Read"),
        result("r1", "a1", "c1", "all of it"),
        says("a2", "r1", "m2", "ok"),
        replaces("c1", POINTER),
        replaces("c9", "of a call that nobody made"),
        user("u2", "a2", "more"),
    ]);
    let mut shortenings = read.main().ops.iter().filter_map(|op| match op {
        Op::Shorten(shortening) => Some(shortening),
        _ => None,
    });
    let (first, second) = (shortenings.next().unwrap(), shortenings.next());
    assert!(second.is_none());
    let [short] = first.blocks.as_slice() else { panic!("{first:?}") };
    assert_eq!((read.text(short.block).as_str(), short.fate), ("all of it", Fate::Truncated));
    let [Made::Block(id)] = short.content[..] else { panic!("{first:?}") };
    assert_eq!(read.text(id), POINTER);
}
