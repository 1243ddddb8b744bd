//! Events: one decision of one stage at one step.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{EntryId, Record};

/// Index into [`crate::model::Run::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct EventId(pub u32);

macro_rules! stages {
    ($( $variant:ident, $name:literal, $mark:literal, $explain:literal; )*) => {
        /// What can change a window, in the order in which a step asks them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Stage { $( #[doc = $explain] $variant, )* }

        impl Stage {
            /// Every stage, in order.
            pub const ALL: &[Stage] = &[ $( Stage::$variant, )* ];

            /// Name in JSON.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Stage::$variant => $name, )* }
            }

            /// The sign that stands for it on the screen.
            #[must_use]
            pub fn mark(self) -> &'static str {
                match self { $( Stage::$variant => $mark, )* }
            }

            /// What it does, in at most two sentences.
            #[must_use]
            pub fn explain(self) -> &'static str {
                match self { $( Stage::$variant => $explain, )* }
            }
        }
    };
}

stages! {
    Admit, "admit", "+", "Takes in what is new since the last request: messages, tool results, attachments, instructions.";
    Pack, "pack", "◇", "Puts memories that fit the query into the window, within a budget.";
    Limit, "limit", "▭", "Cuts attached files to the limits of their format, then to tokens.";
    Select, "select", "▤", "Chooses the sections or chunks of a document that fit the task.";
    Truncate, "truncate", "✂", "Cuts a large result or message and leaves a pointer to the rest. It costs nothing and should come first.";
    Microcompact, "microcompact", "○", "Clears stale tool results without a model. What is cleared leaves a marker.";
    Collapse, "collapse", "≡", "Shows old turns as one line each when the window is read. The originals stay.";
    Summarise, "summarise", "┊", "Replaces the history with a summary that a model writes. What the summary leaves out is gone.";
    Reactive, "reactive", "!", "After the model refused the prompt as too long: one harder compaction, then no more.";
    Drop, "drop", "×", "Takes the oldest turns or results away, with nothing in their place.";
    Rewind, "rewind", "↶", "The user went back to an earlier message, or the client sent another history than before.";
    Notice, "notice", "i", "Tells the model how much of the window is used, and which files it has read.";
    Preserve, "preserve", "◆", "Extracts durable facts before a compaction takes the text away.";
    Reconcile, "reconcile", "∪", "Merges near-equal memories and promotes what is used often.";
}

/// Who asked for a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The agent, by its own rule.
    Auto,
    /// The user.
    Manual,
}

/// A figure and what it measures.
pub type Measure = u64;

/// One decision of one stage at one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The first step whose window shows the effect, from 1.
    pub step: u32,
    /// Which stage.
    pub stage: Stage,
    /// The setting that decided, or what the transcript says decided.
    pub rule: Cow<'static, str>,
    /// The value of the setting, where it is known.
    pub threshold: Option<Measure>,
    /// What was measured against it.
    pub measured: Option<Measure>,
    /// Tokens of the window before.
    pub tokens_before: Option<u64>,
    /// Tokens of the window after.
    pub tokens_after: Option<u64>,
    /// The entries that it took from.
    pub took: Vec<EntryId>,
    /// The entries that it made.
    pub made: Vec<EntryId>,
    /// Why, in one sentence. May quote untrusted text.
    pub why: Cow<'static, str>,
    /// Who asked for it, where that is recorded.
    pub trigger: Option<Trigger>,
    /// The record that says so, on the recorded track.
    pub record: Option<Record>,
}
