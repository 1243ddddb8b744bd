//! Settings that would have kept a fact, and what a search for them found.

use std::borrow::Cow;
use std::sync::Arc;

use super::bill::Bill;
use crate::model::{Layer, Stage};
use crate::policy::Value;

/// One setting, moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The setting's key.
    pub key: &'static str,
    /// Its present value.
    pub from: Value,
    /// The value at which the fact is there.
    pub to: Value,
    /// The value one notch back, at which it is not; `None` for switches.
    pub back: Option<Value>,
}

/// Settings that would have kept the fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// One, or two together.
    pub changes: Vec<Change>,
    /// What that costs.
    pub bill: Bill,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// The step at which the fact was to be there.
    pub step: u32,
    /// Whether it is there anyway.
    pub there: bool,
    /// The layer and the label of what holds it then. The label is untrusted.
    pub held: Option<(Layer, Arc<str>)>,
    /// Whether it never came in by then, so that no setting can help.
    pub never: bool,
    /// Whether it is nowhere at all in what was recorded.
    pub absent: bool,
    /// The step from which on it was gone in the recording, taken by a compaction that the user asked for, where replays
    /// leave that out; or that of the last such one before another took it, see `lost`.
    pub by_user: Option<u32>,
    /// The step from which on it was gone in the recording, where another compaction took it behind that of `by_user`.
    pub lost: Option<u32>,
    /// The step at which the user asked for the summary that says it in the recording, where replays leave that out; and
    /// whether it is there in a replay that does not.
    pub kept: Option<(u32, bool)>,
    /// What the present policy costs.
    pub bill: Bill,
    /// The answers, in the order of [`Bill::order`]: cheapest first.
    pub answers: Vec<Answer>,
    /// How many replays it took.
    pub replays: u64,
    /// Whether it was stopped before everything had been tried.
    pub stopped: bool,
    /// Whether settings that need vectors are still to be tried.
    pub under_way: bool,
    /// Whether something took it that was decided before the replay (which passages of a file are chosen, a file's
    /// limits, which memories are packed), and nobody could prepare it anew: those settings are not tried.
    pub prepared: bool,
    /// The stage and the rule by which the history itself took it, which no policy decides, where no setting keeps it.
    pub taken_by: Option<(Stage, Cow<'static, str>)>,
    /// Pairs of settings that were tried, where no single one keeps it.
    pub pairs: u64,
    /// Other pairs that keep it, of settings of which no answer tells: they looked to cost more.
    pub left_out: u64,
    /// Single settings of which not every value was tried that may keep it, as that would take too long: one may be nearer.
    pub untried: Vec<&'static str>,
}

impl WhatIf {
    /// How many of the answers make requests that are refused as too long.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.answers.iter().filter(|answer| answer.bill.failed > 0).count()
    }
}
