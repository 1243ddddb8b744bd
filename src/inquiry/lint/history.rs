//! Patterns that the history as a whole shows: how it is shortened.

use super::{Finding, Looked, Weight};
use crate::model::{EntryId, Event, Layer, Outcome, Stage};

/// Room for a summary where no policy says it (source 5: measured p99.99 of 17,387).
const RESERVE: u64 = 20_000;

/// A finding without its place and price.
fn finding(rule: &'static str, weight: Weight, evidence: String, step: u32, help: &'static str) -> Finding {
    Finding { rule, weight, evidence, step: Some(step), entry: None, tokens: None, dollars: None, help }
}

/// Tokens of what an event took.
fn taken(looked: &Looked, event: &Event) -> u64 {
    event.took.iter().filter_map(|id| looked.run.entry(*id)).map(|entry| entry.tokens).sum()
}

/// Source 5, anti-pattern 1: the oldest turns are dropped, with nothing in their place.
pub(super) fn fixed_trimming(looked: &Looked, found: &mut Vec<Finding>) {
    let dropped: Vec<_> = looked.run.events.iter().filter(|event| event.stage == Stage::Drop).collect();
    let Some(first) = dropped.first() else { return };
    let pieces: usize = dropped.iter().map(|event| event.took.len()).sum();
    let times = dropped.len();
    let tokens: u64 = dropped.iter().map(|event| taken(looked, event)).sum();
    found.push(Finding {
        entry: first.took.first().copied(),
        tokens: Some(tokens),
        ..finding(
            "fixed-trimming",
            Weight::Loss,
            format!("{pieces} of the oldest pieces were dropped in {times} steps, with nothing in their place."),
            first.step,
            "drop.oldest_turns = false with summarise.on = true",
        )
    });
}

/// Source 5, anti-pattern 2: one summary of everything, no cheaper layer before it.
pub(super) fn one_pass(looked: &Looked, found: &mut Vec<Finding>) {
    let events = &looked.run.events;
    let Some(first) = events.iter().find(|event| event.stage == Stage::Summarise) else { return };
    let cheaper = events.iter().any(|event| {
        matches!(event.stage, Stage::Truncate | Stage::Microcompact | Stage::Collapse) && event.step <= first.step
    });
    if !cheaper {
        // The summary's author read all of it; what remains is written into the cache anew.
        let before = first.tokens_before.unwrap_or_else(|| taken(looked, first));
        let after = first.tokens_after.unwrap_or(0);
        let summary =
            first.made.iter().find(|id| looked.run.entry(**id).is_some_and(|entry| entry.layer == Layer::Summaries));
        found.push(Finding {
            entry: summary.or(first.made.first()).or(first.took.first()).copied(),
            tokens: Some(before),
            // Its author was sent what the request before had held.
            dollars: looked.prices().map(|prices| {
                prices.again(before, first.step.saturating_sub(1)) + prices.fresh(after, first.step)
            }),
            ..finding(
            "one-pass-summary",
            Weight::Habit,
            format!(
                "The first thing that shortened the history was a summary of all of it, at step {}: nothing was cut or cleared before.",
                first.step
            ),
            first.step,
            "tool_results.on = true and microcompact.on = true",
        )});
    }
}

/// Source 5, anti-pattern 7: pieces leave the history, and no boundary says so.
pub(super) fn no_boundary(looked: &Looked, found: &mut Vec<Finding>) {
    let silent = looked.run.events.iter().filter(|event| {
        event.stage == Stage::Rewind && event.rule == "recorded.edit" && event.took.len() >= 10 && event.made.is_empty()
    });
    let silent: Vec<_> = silent.collect();
    if let Some(first) = silent.first() {
        let tokens = taken(looked, first);
        found.push(Finding {
            entry: first.took.first().copied(),
            tokens: Some(tokens),
            dollars: looked.prices().map(|prices| prices.fresh(tokens, first.step)),
            ..finding(
                "no-boundary",
                Weight::Loss,
                format!(
                    "The client left {} pieces out at step {}, and nothing marks the place.",
                    first.took.len(),
                    first.step
                ),
                first.step,
                "summarise.on = true: its boundary says what was summarised",
            )
        });
    }
}

/// A summary that does not fit the room kept for it.
pub(super) fn large_summaries(looked: &Looked, found: &mut Vec<Finding>) {
    let summaries = (0u32..).zip(&looked.run.entries).filter(|(_, entry)| entry.layer == Layer::Summaries);
    let largest = summaries.max_by_key(|(_, entry)| entry.tokens);
    // A policy that keeps nothing free for a summary has none to exceed.
    let reserve = looked.policy.map_or(RESERVE, |policy| policy.reserve.summary);
    if let Some((id, largest)) = largest.filter(|(_, entry)| reserve > 0 && entry.tokens > reserve) {
        let over = largest.tokens - reserve;
        found.push(Finding {
            entry: Some(EntryId(id)),
            tokens: Some(over * looked.stood(largest)),
            dollars: looked.prices().map(|prices| prices.over_life(over, largest)),
            ..finding(
                "summary-over-reserve",
                Weight::Habit,
                format!("A summary has {} tokens; {reserve} are kept free for one.", largest.tokens),
                largest.born(),
                "reserve.summary, or summarise.target",
            )
        });
    }
}

/// Requests that the model refused.
pub(super) fn too_long(looked: &Looked, found: &mut Vec<Finding>) {
    let refused: Vec<u32> = (1u32..)
        .zip(looked.run.steps.iter())
        .filter(|(_, step)| step.outcome == Outcome::TooLong)
        .map(|(number, _)| number)
        .collect();
    if let Some(first) = refused.first() {
        found.push(finding(
            "too-long",
            Weight::Loss,
            format!("{} requests were refused as too long, the first at step {first}.", refused.len()),
            *first,
            "a lower summarise.at, or reactive.on = true",
        ));
    }
}
