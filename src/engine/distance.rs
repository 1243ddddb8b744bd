//! How far a replay's compactions are from the recorded ones.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Run, Stage, Trigger};

use super::plan::Plan;

/// A recorded compaction beside a replayed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Distance {
    /// Which one, from 1.
    pub number: u32,
    /// Who asked for the recorded one.
    pub trigger: Option<Trigger>,
    /// The first step after the recorded one.
    pub recorded_step: Option<u32>,
    /// The first step after the replayed one.
    pub replayed_step: Option<u32>,
    /// Requests by which the replayed one is later (earlier, where negative).
    pub requests: Option<i64>,
    /// Tokens before the recorded one, as it says.
    pub recorded_tokens: Option<u64>,
    /// Tokens that the replay measured against its threshold.
    pub replayed_tokens: Option<u64>,
    /// The threshold of the replay.
    pub threshold: Option<u64>,
    /// The context of the last request before each.
    pub recorded_context: Option<u64>,
    /// See `recorded_context`.
    pub replayed_context: Option<u64>,
    /// By how much of the recorded context the replayed one differs, in percent.
    pub percent: Option<f64>,
}

/// Sets the recorded compactions beside those of a replay, in order: the first beside the first, and so on.
/// Those that the user asked for stand for themselves where the replay leaves them out.
#[must_use]
pub fn distances(plan: &Plan, replay: &Run) -> Vec<Distance> {
    let manual_too = replay.events.iter().any(|event| event.rule == "replay.manual");
    let own = |stage: Stage| matches!(stage, Stage::Summarise | Stage::Reactive);
    let mut replayed = replay.events.iter().filter(|event| own(event.stage));
    let mut rows = Vec::new();
    for (number, boundary) in (1u32..).zip(&plan.boundaries) {
        let report = |step: u32| {
            let before = plan.asks.get(..(step as usize).saturating_sub(1)).unwrap_or_default();
            before.iter().rev().find_map(|ask| ask.usage).map(|usage| usage.context())
        };
        let mut row = Distance {
            number,
            trigger: boundary.trigger,
            recorded_step: Some(boundary.step),
            recorded_tokens: boundary.tokens_before.filter(|tokens| *tokens > 0),
            recorded_context: report(boundary.step),
            ..Distance::default()
        };
        let counts = manual_too || boundary.trigger != Some(Trigger::Manual);
        if let Some(event) = counts.then(|| replayed.next()).flatten() {
            row.replayed_step = Some(event.step);
            row.requests = Some(i64::from(event.step) - i64::from(boundary.step));
            (row.replayed_tokens, row.threshold) = (event.measured, event.threshold);
            row.replayed_context = context(replay, event.step);
        }
        row.percent = row.recorded_context.zip(row.replayed_context).map(percent);
        rows.push(row);
    }
    let mut number = rows.len();
    rows.extend(replayed.map(|event| {
        number += 1;
        Distance {
            number: super::plan::index(number),
            replayed_step: Some(event.step),
            replayed_tokens: event.measured,
            replayed_context: context(replay, event.step),
            threshold: event.threshold,
            ..Distance::default()
        }
    }));
    rows
}

/// The context of the last request before a step.
fn context(replay: &Run, step: u32) -> Option<u64> {
    let total = replay.totals.get((step as usize).checked_sub(2)?)?;
    Some(total.used().saturating_sub(total.excess))
}

#[allow(clippy::cast_precision_loss)]
fn percent((recorded, replayed): (u64, u64)) -> f64 {
    if recorded == 0 { 0.0 } else { (replayed as f64 - recorded as f64) / recorded as f64 * 100.0 }
}
