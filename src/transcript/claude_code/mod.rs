//! Claude Code: sessions as it keeps them, one JSON record a line, and the side files of subagents and long outputs.
//!
//! Lines are parsed on all cores (`parse`), each to what it says (`record`); the records of each thread are then
//! woven into what happened (`weave`), by the tree that they name (`tree`).

mod attachment;
mod boundary;
mod check;
mod compact;
mod content;
mod cut;
mod exported;
mod fields;
mod forked;
mod habits;
mod managed;
mod messages;
mod parse;
mod record;
mod replaced;
mod replied;
mod restart;
mod retracted;
mod session;
mod sides;
mod speaker;
mod store;
mod streamed;
mod switched;
mod threads;
mod tree;
mod usage;
mod weave;

pub use sides::is_side_log;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::{Format, Input, OpenError, Place, Probe};
use crate::model::Transcript;

pub(super) use habits::HABITS;
pub(super) use session::read_as;

/// The row of the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "claude_code",
    title: "Claude Code session",
    marks: "JSON lines with uuid, parentUuid and sessionId",
    preset: "claude-code",
    habits: HABITS,
    requests: false,
    detect,
    read,
    lines: true,
    places: &[Place {
        variable: "CLAUDE_CONFIG_DIR",
        home: ".claude",
        folder: "projects",
        prefix: "",
        suffixes: &[".jsonl"],
        depth: 1,
    }],
};

/// Record types that only this format has, which may be all that a session begins with.
const OWN: &[&str] = &[
    "ai-title",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "last-prompt",
    "permission-mode",
    "queue-operation",
];

fn detect(probe: &Probe<'_>) -> u8 {
    let has = |record: &Value, name: &str| record.get(name).is_some();
    let kind = |record: &Value, names: &[&str]| {
        record.get("type").and_then(Value::as_str).is_some_and(|kind| names.contains(&kind))
    };
    let chained = |record: &&Value| {
        has(record, "uuid")
            && has(record, "parentUuid")
            && (has(record, "sessionId") || has(record, "isSidechain"))
            && kind(record, &["user", "assistant", "system", "attachment", "progress"])
    };
    if probe.objects.iter().any(|record| chained(&record)) {
        return 98;
    }
    // As the web exports a session: its records in a list, which may lack their ids.
    let list = probe.whole.as_ref().and_then(|whole| whole.get(exported::LIST)?.as_array());
    let speaks = |record: &Value| kind(record, &["user", "assistant"]) && has(record, "message");
    if list.is_some_and(|list| list.iter().any(speaks)) {
        return 97;
    }
    let titled = |record: &&Value| kind(record, &["summary"]) && has(record, "leafUuid");
    let own = |record: &&Value| {
        kind(record, OWN) && ["sessionId", "messageId", "leafUuid", "operation"].iter().any(|name| has(record, name))
    };
    if probe.objects.iter().any(|record| titled(&record) || own(&record)) {
        return 90;
    }
    // One line may be all there is, or longer than what is looked at.
    let message = |record: &&Value| kind(record, &["user", "assistant"]) && has(record, "sessionId");
    let whole = probe.whole.iter();
    let mut messages = probe.objects.iter().chain(whole).filter(message).peekable();
    let found = messages.peek().is_some();
    // Its ids may have been taken out.
    let versioned = |record: &Value| has(record, "version") && has(record, "message");
    match (messages.any(versioned), found) {
        (true, _) => 95,
        (false, true) => 80,
        (false, false) => 0,
    }
}

fn read(input: Input<'_>) -> Result<Transcript, OpenError> {
    read_as(FORMAT.name, input)
}
