//! What decided where no setting did: rules that a transcript tells of, each with what in it says so.

use super::Stage;

macro_rules! told_rules {
    ($( $constant:ident, $name:literal, $stage:ident, $from:literal; )*) => {
        $( #[doc = concat!("Read from ", $from, ".")] pub const $constant: &str = $name; )*

        /// The rules, with the stage whose events have them and what of the transcript they are read from.
        pub const TOLD_RULES: &[(&str, Stage, &str)] = &[ $( ($constant, Stage::$stage, $from), )* ];
    };
}

told_rules! {
    NEW_SESSION, "recorded.new_session", Session, "a record that begins a session of another id";
    REPLAYED_NEW_SESSION, "replay.new_session", Session,
        "a record that begins a session of another id, where a replay does the same";
    REWIND, "recorded.rewind", Rewind, "a message that goes on from an earlier one than the newest";
    EDIT, "recorded.edit", Rewind, "a request whose history is another than that of the one before";
    REPLAYED_REWIND, "replay.rewind", Rewind,
        "a history that goes back or is another one, where a replay does the same";
    THINKING_DROPPED, "recorded.thinking_dropped", Reasoning,
        "the rule of the provider, and the sizes that its requests report";
    REPLAYED_THINKING_DROPPED, "replay.thinking_dropped", Reasoning,
        "the rule of the provider, where a replay does the same";
    SENT, "recorded.sent", Admit, "the messages themselves: what was sent comes in as it was sent";
    TRUNCATED, "recorded.truncated", Truncate,
        "the words that the agent puts where it cuts, or a request that sends less";
    PERSISTED_OUTPUT, "recorded.persisted_output", Truncate,
        "the agent's preview, which names the file of the whole";
    MICROCOMPACT, "recorded.microcompact", Microcompact,
        "the agent's record of it, or markers in a later request";
    AUTO_COMPACT, "recorded.auto_compact", Summarise, "the agent's record of a compaction by its own rule";
    MANUAL_COMPACT, "recorded.manual_compact", Summarise,
        "the agent's record of a compaction that the user asked for";
    COMPACT, "recorded.compact", Summarise, "the agent's record of a compaction";
    SHRUNK, "recorded.shrunk", Summarise,
        "a request whose history is shorter, with another text in its place";
}

/// What of the transcript a rule is read from that is no setting.
#[must_use]
pub fn told_rule(name: &str) -> Option<&'static str> {
    TOLD_RULES.iter().find(|(rule, ..)| *rule == name).map(|(.., from)| *from)
}
