//! What decided where no setting did: rules that a transcript tells of, each with what in it says so.

use super::Stage;

/// The rules, with the stage whose events have them and what of the transcript they are read from.
pub const TOLD_RULES: &[(&str, Stage, &str)] = &[
    ("recorded.new_session", Stage::Session, "a record that begins a session of another id"),
    (
        "replay.new_session",
        Stage::Session,
        "a record that begins a session of another id, where a replay does the same",
    ),
    ("recorded.rewind", Stage::Rewind, "a message that goes on from an earlier one than the newest"),
    ("recorded.edit", Stage::Rewind, "a request whose history is another than that of the one before"),
    ("replay.rewind", Stage::Rewind, "a history that goes back or is another one, where a replay does the same"),
    ("recorded.thinking_dropped", Stage::Reasoning, "the rule of the provider, and the sizes that its requests report"),
    ("replay.thinking_dropped", Stage::Reasoning, "the rule of the provider, where a replay does the same"),
    ("recorded.sent", Stage::Admit, "the messages themselves: what was sent comes in as it was sent"),
    (
        "recorded.truncated",
        Stage::Truncate,
        "the words that the agent puts where it cuts, or a request that sends less",
    ),
    ("recorded.persisted_output", Stage::Truncate, "the agent's preview, which names the file of the whole"),
    ("recorded.microcompact", Stage::Microcompact, "the agent's record of it, or markers in a later request"),
    ("recorded.auto_compact", Stage::Summarise, "the agent's record of a compaction by its own rule"),
    ("recorded.manual_compact", Stage::Summarise, "the agent's record of a compaction that the user asked for"),
    ("recorded.compact", Stage::Summarise, "the agent's record of a compaction"),
    ("recorded.shrunk", Stage::Summarise, "a request whose history is shorter, with another text in its place"),
];

/// What of the transcript a rule is read from that is no setting.
#[must_use]
pub fn told_rule(name: &str) -> Option<&'static str> {
    TOLD_RULES.iter().find(|(rule, ..)| *rule == name).map(|(.., from)| *from)
}
