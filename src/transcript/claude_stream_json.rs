//! Captures of `claude -p --output-format stream-json`: the same messages as in a session file, without the tree;
//! subagents are told apart by the call that started them.

use serde_json::Value;

use super::claude_code::{HABITS, read_as};
use super::{Format, Input, OpenError, Probe};
use crate::model::Transcript;

/// The row of the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "claude_stream_json",
    title: "Claude Code stream",
    marks: "JSON lines with session_id, and a system record of subtype init or parent_tool_use_id",
    preset: "claude-code",
    habits: HABITS,
    requests: false,
    detect,
    read,
    lines: true,
    places: &[],
};

fn detect(probe: &Probe<'_>) -> u8 {
    let is = |record: &Value, name: &str, text: &str| record.get(name).and_then(Value::as_str) == Some(text);
    let stream = |record: &Value| {
        let of = record.get("session_id").is_some() && record.get("sessionId").is_none();
        let begins = is(record, "type", "system") && is(record, "subtype", "init") && record.get("tools").is_some();
        let speaks = (is(record, "type", "user") || is(record, "type", "assistant"))
            && record.get("parent_tool_use_id").is_some();
        let ends = is(record, "type", "result") && record.get("total_cost_usd").is_some();
        of && (begins || speaks || ends)
    };
    // A session of which no more than the id was kept. Others that log like this say whose key is used.
    let bare = |record: &Value| {
        let of = record.get("session_id").is_some() && record.get("sessionId").is_none();
        let begins = is(record, "type", "system") && is(record, "subtype", "init");
        of && begins && record.get("apiKeySource").is_none()
    };
    match (probe.any(stream), probe.any(bare)) {
        (true, _) => 98,
        (false, true) => 92,
        (false, false) => 0,
    }
}

fn read(input: Input<'_>) -> Result<Transcript, OpenError> {
    read_as(FORMAT.name, input)
}
