//! How far a replay's compactions are from the recorded ones.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Event, Run, Trigger};

use super::plan::{Boundary, Plan};

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
    /// Whether the first compaction by the agent itself is judged by this row: the first that was recorded and the
    /// first that was replayed, or the one of them that there is.
    pub first: bool,
    /// Why it stands alone, where it does.
    pub alone: Option<Alone>,
}

/// Why a compaction has no counterpart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Alone {
    /// The transcript begins with it: no request is recorded before it.
    NothingBefore,
    /// The user asked for it, and the policy leaves that out.
    ByUser,
    /// The replay does not compact near it.
    NotReplayed,
    /// The agent did not compact near it.
    NotRecorded,
}

impl Alone {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Alone::NothingBefore => "nothing is recorded before it",
            Alone::ByUser => "the user asked for it",
            Alone::NotReplayed => "only recorded",
            Alone::NotRecorded => "only replayed",
        }
    }
}

/// Cells of the table that the nearest pairs are found with; beyond them compactions are paired in order.
const CELLS: usize = 4 << 20;

/// Sets the recorded compactions beside those of a replay. The first by the agent itself stands beside the first by the
/// policy, however far that is: until then both have had the same history, and no later one is the answer to it. The
/// others are paired as many as can be, in order, so that they are least apart in all. Those that the user asked for
/// stand beside their own replay, or for themselves where the policy leaves them out, as does one before which nothing
/// is recorded.
#[must_use]
pub fn distances(plan: &Plan, replay: &Run) -> Vec<Distance> {
    let asked = |event: &Event| event.rule == "replay.manual";
    let manual_too = replay.events.iter().any(asked);
    let replayed: Vec<&Event> = replay.events.iter().filter(|event| event.compacts()).collect();
    let alone = |boundary: &Boundary| match boundary.trigger {
        _ if boundary.step <= 1 => Some(Alone::NothingBefore),
        Some(Trigger::Manual) if !manual_too => Some(Alone::ByUser),
        _ => None,
    };
    let is_own = |boundary: &Boundary| alone(boundary).is_none() && boundary.trigger != Some(Trigger::Manual);
    let paired: Vec<u32> = plan.boundaries.iter().filter(|one| is_own(one)).map(|boundary| boundary.step).collect();
    let own: Vec<usize> =
        (0..replayed.len()).filter(|at| replayed.get(*at).is_some_and(|event| !asked(event))).collect();
    let steps: Vec<u32> = own.iter().filter_map(|at| replayed.get(*at)).map(|event| event.step).collect();
    let mut partners = pairs(&paired, &steps).into_iter().map(|at| at.and_then(|at| own.get(at).copied()));
    let by_user = |step: u32| replayed.iter().position(|event| asked(event) && event.step == step);
    let mut no_first = true;
    let mut left = vec![true; replayed.len()];
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
            alone: alone(boundary),
            ..Distance::default()
        };
        let partner = match row.alone {
            Some(_) => None,
            None if is_own(boundary) => {
                row.first = std::mem::take(&mut no_first);
                partners.next().flatten()
            }
            None => by_user(boundary.step),
        };
        match partner.and_then(|at| Some((at, replayed.get(at)?))) {
            Some((at, event)) => {
                left[at] = false;
                row.replayed_step = Some(event.step);
                row.requests = Some(i64::from(event.step) - i64::from(boundary.step));
                (row.replayed_tokens, row.threshold) = (event.measured, event.threshold);
                row.replayed_context = context(replay, event.step);
            }
            None => row.alone = row.alone.or(Some(Alone::NotReplayed)),
        }
        row.percent = row.recorded_context.zip(row.replayed_context).map(percent);
        rows.push(row);
    }
    let mut number = rows.len();
    rows.extend(replayed.iter().zip(left).filter(|(_, left)| *left).map(|(event, _)| {
        number += 1;
        Distance {
            number: super::plan::index(number),
            replayed_step: Some(event.step),
            replayed_tokens: event.measured,
            replayed_context: context(replay, event.step),
            threshold: event.threshold,
            first: !asked(event) && std::mem::take(&mut no_first),
            alone: Some(Alone::NotRecorded),
            ..Distance::default()
        }
    }));
    rows
}

/// For each of some steps the one of others that it is paired with: the first with the first, the rest with the
/// nearest.
fn pairs(steps: &[u32], others: &[u32]) -> Vec<Option<usize>> {
    match (steps, others) {
        ([_, steps @ ..], [_, others @ ..]) => {
            let rest = nearest(steps, others).into_iter().map(|at| at.map(|at| at + 1));
            std::iter::once(Some(0)).chain(rest).collect()
        }
        _ => vec![None; steps.len()],
    }
}

/// For each of some steps the one of others that it is paired with: as many pairs as can be, in order, least apart in
/// all. Both are in order.
fn nearest(steps: &[u32], others: &[u32]) -> Vec<Option<usize>> {
    let (short, long) = if steps.len() <= others.len() { (steps, others) } else { (others, steps) };
    let mut pairs: Vec<usize> = (0..short.len()).collect();
    let columns = long.len() + 1;
    if short.len().saturating_mul(columns) <= CELLS {
        // What the first so many of the long ones cost, with all of the short ones so far paired.
        let mut best = vec![Some(0u64); columns];
        let mut takes = vec![false; short.len() * columns];
        for (row, step) in short.iter().enumerate() {
            let mut next = vec![None; columns];
            for at in 1..columns {
                let apart = u64::from(step.abs_diff(long[at - 1]));
                let with = best[at - 1].map(|cost| cost + apart);
                let without: Option<u64> = next[at - 1];
                let take = with.is_some_and(|with| without.is_none_or(|without| with < without));
                next[at] = if take { with } else { without };
                takes[row * columns + at] = take;
            }
            best = next;
        }
        let mut at = long.len();
        for (row, pair) in pairs.iter_mut().enumerate().rev() {
            while at > 0 && !takes[row * columns + at] {
                at -= 1;
            }
            at = at.saturating_sub(1);
            *pair = at;
        }
    }
    if steps.len() <= others.len() {
        return pairs.into_iter().map(Some).collect();
    }
    let mut found = vec![None; steps.len()];
    for (other, step) in pairs.into_iter().enumerate() {
        found[step] = Some(other);
    }
    found
}

/// The context of the last request before a step.
fn context(replay: &Run, step: u32) -> Option<u64> {
    let total = replay.totals.get((step as usize).checked_sub(2)?)?;
    Some(total.context())
}

#[allow(clippy::cast_precision_loss)]
fn percent((recorded, replayed): (u64, u64)) -> f64 {
    if recorded == 0 { 0.0 } else { (replayed as f64 - recorded as f64) / recorded as f64 * 100.0 }
}

#[cfg(test)]
mod tests {
    use super::{nearest, pairs};

    #[test]
    fn the_first_stands_beside_the_first_and_the_rest_beside_the_nearest() {
        assert_eq!(pairs(&[113], &[7, 35, 112]), [Some(0)]);
        assert_eq!(pairs(&[50, 113], &[7, 35, 112]), [Some(0), Some(2)]);
        assert_eq!(pairs(&[50, 113], &[112]), [Some(0), None]);
        assert_eq!(pairs(&[50], &[]), [None]);
        assert!(pairs(&[], &[112]).is_empty());
    }

    #[test]
    fn compactions_are_paired_so_that_they_are_least_apart() {
        assert_eq!(nearest(&[10, 200], &[201]), [None, Some(0)]);
        assert_eq!(nearest(&[200], &[10, 198, 390]), [Some(1)]);
        // In order: 5 and 7 cannot both go to 6, so it is 2 + 1.
        assert_eq!(nearest(&[5, 7], &[3, 6, 100]), [Some(0), Some(1)]);
        assert_eq!(nearest(&[5, 100], &[3, 6, 100]), [Some(1), Some(2)]);
        assert_eq!(nearest(&[1, 2, 3], &[]), [None; 3]);
        assert!(nearest(&[], &[4]).is_empty());
    }
}
