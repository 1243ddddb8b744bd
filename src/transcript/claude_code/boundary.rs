//! What the records of compactions and microcompactions say.

use crate::model::{CallKey, Trigger};

use super::super::scan::{Fields, Value};
use super::check::{Check, Is};
use super::record::{Boundary, Cleared, Key};

/// The key of an id.
pub(super) fn key(value: Option<Value<'_>>) -> Option<Key> {
    value.and_then(|value| value.text()).map(|text| Key::of(text.bytes))
}

fn trigger(value: &Fields<'_>) -> Option<Trigger> {
    match value.string("trigger").as_deref() {
        Some("auto") => Some(Trigger::Auto),
        Some("manual") => Some(Trigger::Manual),
        _ => None,
    }
}

/// A member under its two spellings: sessions write camelCase, streams snake_case.
fn either<'a>(value: &Fields<'a>, camel: &str, snake: &str) -> Option<Value<'a>> {
    value.get(camel).or_else(|| value.get(snake))
}

fn keys(value: Option<Value<'_>>) -> Vec<Key> {
    value.map(|value| value.items()).unwrap_or_default().into_iter().filter_map(|id| key(Some(id))).collect()
}

/// What a compaction's metadata say.
pub(super) fn boundary(value: Value<'_>, check: &mut Check) -> Boundary {
    check.member("", "compactMetadata", Some(value), Is::Object);
    let value = value.fields();
    for (camel, snake, is) in [
        ("trigger", "trigger", Is::Text),
        ("preTokens", "pre_tokens", Is::Tokens),
        ("postTokens", "post_tokens", Is::Tokens),
        ("preservedMessages", "preserved_messages", Is::Object),
        ("preservedSegment", "preserved_segment", Is::Object),
    ] {
        check.member("compactMetadata.", camel, either(&value, camel, snake), is);
    }
    let number = |camel: &str, snake: &str| either(&value, camel, snake).and_then(|number| number.number());
    let kept = either(&value, "preservedMessages", "preserved_messages").map(|kept| kept.fields());
    let segment = either(&value, "preservedSegment", "preserved_segment").map(|segment| segment.fields());
    for (name, is) in [("anchorUuid", Is::Text), ("uuids", Is::List), ("allUuids", Is::List)] {
        let held = kept.as_ref().and_then(|kept| kept.get(name));
        check.member("compactMetadata.preservedMessages.", name, held, is);
    }
    let ends = segment.as_ref().and_then(|segment| {
        let end = |camel, snake| key(either(segment, camel, snake));
        Some((end("headUuid", "head_uuid")?, end("tailUuid", "tail_uuid")?))
    });
    let anchor = |of: &Option<Fields<'_>>| key(of.as_ref().and_then(|of| either(of, "anchorUuid", "anchor_uuid")));
    let listed =
        |camel: &str, snake: &str| kept.as_ref().map(|kept| keys(either(kept, camel, snake))).unwrap_or_default();
    let all = listed("allUuids", "all_uuids");
    Boundary {
        trigger: trigger(&value),
        before: number("preTokens", "pre_tokens"),
        left: number("postTokens", "post_tokens"),
        kept: if all.is_empty() { listed("uuids", "uuids") } else { all },
        segment: ends,
        anchor: anchor(&kept).or_else(|| anchor(&segment)),
        after: None,
    }
}

/// What the metadata of a microcompaction say.
pub(super) fn cleared(value: Value<'_>, check: &mut Check) -> Cleared {
    check.member("", "microcompactMetadata", Some(value), Is::Object);
    let value = value.fields();
    for (camel, snake, is) in [
        ("trigger", "trigger", Is::Text),
        ("preTokens", "pre_tokens", Is::Tokens),
        ("tokensSaved", "tokens_saved", Is::Tokens),
        ("compactedToolIds", "compacted_tool_ids", Is::List),
        ("clearedAttachmentUUIDs", "cleared_attachment_uuids", Is::List),
    ] {
        check.member("microcompactMetadata.", camel, either(&value, camel, snake), is);
    }
    Cleared {
        trigger: trigger(&value),
        before: either(&value, "preTokens", "pre_tokens").and_then(|number| number.number()),
        saved: either(&value, "tokensSaved", "tokens_saved").and_then(|number| number.number()),
        calls: keys(either(&value, "compactedToolIds", "compacted_tool_ids"))
            .iter()
            .map(|key| CallKey(key.0))
            .collect(),
        attachments: keys(either(&value, "clearedAttachmentUUIDs", "cleared_attachment_uuids")),
    }
}
