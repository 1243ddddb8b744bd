//! What harnesses write around the summary of a conversation: no part of what the model said in it.

/// How their sentences begin.
const AROUND: &[&str] = &[
    "This session is being continued from a previous conversation",
    "The summary below covers the earlier portion of the conversation",
    "The conversation is summarized below",
    "If you need specific details from before compaction",
    "Recent messages are preserved verbatim",
    "Please continue the conversation from where we left",
    "Continue the conversation from where",
];

/// Whether a sentence of a recorded summary is one of a harness.
#[must_use]
pub fn is_around_summary(sentence: &str) -> bool {
    AROUND.iter().any(|begin| sentence.starts_with(begin))
}
