//! Both kinds of boundary.

use super::*;
use crate::model::{BlockKind, Compaction, Layer, Trigger};

fn boundary(metadata: Value) -> Value {
    chained(
        "system",
        "b1",
        "",
        json!({"subtype": "compact_boundary", "logicalParentUuid": "a2", "compactMetadata": metadata}),
    )
}

fn summary(text: &str) -> Value {
    chained("user", "s1", "b1", json!({"isCompactSummary": true, "message": {"role": "user", "content": text}}))
}

/// A session that is compacted after two turns.
fn compacted(metadata: Value) -> Read {
    read(&[
        attachment("t1", "", json!({"type": "skill_listing", "content": "skills"})),
        user("u1", "t1", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "m2", "second"),
        boundary(metadata),
        summary("what was said"),
        attachment(
            "t2",
            "s1",
            json!({"type": "file", "filename": "/w/x", "displayPath": "x",
            "content": {"type": "text", "file": {"content": "text of x"}}}),
        ),
        user("u3", "t2", "three"),
        says("a3", "u3", "m3", "third"),
    ])
}

fn compaction(read: &Read) -> &Compaction {
    let found = read.main().ops.iter().find_map(|op| match op {
        Op::Compact(compaction) => Some(&**compaction),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn after_a_compaction_the_window_is_the_summary_and_what_is_put_back() {
    let read = compacted(json!({"trigger": "auto", "preTokens": 167_000, "postTokens": 12_000}));
    let found = compaction(&read);
    assert_eq!((found.record.line, found.trigger), (6, Some(Trigger::Auto)));
    assert_eq!((found.tokens_before, found.tokens_after), (Some(167_000), Some(12_000)));
    assert_eq!(read.last(), ["what was said", "text of x", "three"]);
    let block = read.find("what was said");
    assert_eq!((block.kind, block.layer), (BlockKind::Summary, Layer::Summaries));
    assert_eq!((read.find("text of x").layer, &*read.find("text of x").label), (Layer::Files, "x"));
}

#[test]
fn preserved_messages_stand_after_the_summary_as_far_as_they_are_there() {
    let kept = json!({"trigger": "manual", "preTokens": 9, "preservedMessages": {
        "anchorUuid": "s1", "uuids": ["u2", "a2"], "allUuids": ["u2", "lost", "a2"]}});
    assert_eq!(compacted(kept).last(), ["what was said", "two", "second", "text of x", "three"]);
    let before = json!({"preservedMessages": {"anchorUuid": "b1", "uuids": ["u1", "a1"]}});
    assert_eq!(compacted(before).last(), ["one", "first", "what was said", "text of x", "three"]);
    let segment = json!({"preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}});
    assert_eq!(compacted(segment).last(), ["what was said", "two", "second", "text of x", "three"]);
}

#[test]
fn a_summary_without_a_boundary_is_a_compaction_too() {
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        chained("user", "s1", "", json!({"isCompactSummary": true, "message": {"content": "what was said"}})),
        user("u2", "s1", "two"),
    ]);
    assert_eq!(compaction(&read).trigger, None);
    assert_eq!(read.last(), ["what was said", "two"]);
    let first = super::read(&[
        chained("user", "s1", "", json!({"isCompactSummary": true, "message": {"content": "of another file"}})),
        user("u2", "s1", "two"),
    ]);
    assert!(first.main().ops.iter().all(|op| !matches!(op, Op::Compact(_))), "nothing was there to compact");
    assert_eq!(first.last(), ["of another file", "two"]);
}

#[test]
fn a_compaction_at_the_end_leaves_a_request_about_to_be_made() {
    let read = read(&[user("u1", "", "one"), says("a1", "u1", "m1", "first"), boundary(json!({})), summary("all")]);
    assert_eq!(read.windows(read.main()), [vec!["one"], vec!["all"]]);
}

#[test]
fn a_microcompaction_leaves_markers_for_results_and_attachments() {
    let cleared = json!({"trigger": "auto", "preTokens": 78_208, "tokensSaved": 38_535, "compactedToolIds": ["c1", "c9"],
        "clearedAttachmentUUIDs": ["t1"]});
    let read = read(&[
        attachment(
            "t1",
            "",
            json!({"type": "file", "filename": "/w/x", "content": {"type": "text", "file": {"content": "x"}}}),
        ),
        user("u1", "t1", "go"),
        calls("a1", "u1", "m1", "c1", "Read"),
        result("r1", "a1", "c1", "long text"),
        calls("a2", "r1", "m2", "c2", "Read"),
        result("r2", "a2", "c2", "short text"),
        chained("system", "b1", "r2", json!({"subtype": "microcompact_boundary", "microcompactMetadata": cleared})),
        says("a3", "b1", "m3", "done"),
    ]);
    let gone = "[Old tool result content cleared]";
    let windows = read.windows(read.main());
    assert!(windows[1].contains(&"long text".to_owned()));
    assert_eq!(windows[2], [gone, "go", r#"{"of":"c1"}"#, gone, r#"{"of":"c2"}"#, "short text"]);
    let clearing =
        read.main().ops.iter().find_map(|op| if let Op::Clear(clearing) = op { Some(clearing) } else { None });
    let clearing = clearing.unwrap();
    assert_eq!((clearing.tokens_before, clearing.tokens_saved), (Some(78_208), Some(38_535)));
}

#[test]
fn what_names_the_last_of_the_kept_records_goes_on_after_the_compaction() {
    let segment =
        json!({"trigger": "auto", "preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}});
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        says("a2", "u2", "m2", "second"),
        chained("system", "b1", "", json!({"subtype": "compact_boundary", "compactMetadata": segment})),
        chained("user", "s1", "b1", json!({"isCompactSummary": true, "message": {"content": "all of it"}})),
        user("u3", "a2", "three"),
        says("a3", "u3", "m3", "third"),
        user("u4", "a3", "four"),
        says("a4", "u4", "m4", "fourth"),
        user("u5", "a2", "three, better"),
    ]);
    let windows = read.windows(read.main());
    assert_eq!(windows[2], ["all of it", "two", "second", "three"]);
    assert_eq!(read.last(), ["all of it", "two", "second", "three, better"]);
}

#[test]
fn a_kept_segment_holds_the_results_of_calls_made_side_by_side() {
    let segment =
        json!({"trigger": "auto", "preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "r2"}});
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", "two"),
        calls("a2", "u2", "m2", "c1", "Read"),
        calls("a3", "a2", "m2", "c2", "Read"),
        result("r1", "a2", "c1", "of the first"),
        result("r2", "a3", "c2", "of the second"),
        chained("system", "b1", "", json!({"subtype": "compact_boundary", "compactMetadata": segment})),
        chained("user", "s1", "b1", json!({"isCompactSummary": true, "message": {"content": "all of it"}})),
        user("u3", "s1", "three"),
    ]);
    let kept = ["two", r#"{"of":"c1"}"#, r#"{"of":"c2"}"#, "of the first", "of the second"];
    assert_eq!(read.last(), [&["all of it"], &kept[..], &["three"]].concat());
}
