//! Patterns that the history as a whole shows: how it is shortened.

use std::collections::BTreeSet;

use super::counts::{shortened, window};
use super::{Finding, Looked, Weight};
use crate::model::{Entry, EntryId, Event, LEFT_OUT, Layer, Stage, Totals, Trigger, number, rules, thousands};

/// Room for a summary where no policy says it (source 5: measured p99.99 of 17,387).
const RESERVE: u64 = 20_000;
/// Pieces at the beginning of what was said that a client which trims may keep.
const PINNED: usize = 4;
/// Times that a client leaves the oldest out which are a habit.
const OFTEN: usize = 3;
/// Fewer pieces that leave at once may be no more than an edit.
const MANY: usize = 10;
/// So many are none either, where what was said after them stays, and they were a large part of it all.
const FEW: usize = 4;
/// Of so many tokens one is a large part.
const PART: u64 = 4;

/// A finding without its place and price.
fn finding(rule: &'static str, weight: Weight, evidence: String, step: u32, help: &'static str) -> Finding {
    Finding {
        rule,
        weight,
        evidence,
        step: Some(step),
        entry: None,
        tokens: None,
        dollars: None,
        help: help.into(),
        fact: None,
        counts: BTreeSet::new(),
    }
}

/// Tokens of what an event took.
fn taken(looked: &Looked, event: &Event) -> u64 {
    event.took.iter().filter_map(|id| looked.run.entry(*id)).map(|entry| entry.tokens).sum()
}

/// Tokens of what a compaction left that could not be read from the cache, as its request reports or as it is billed.
fn anew(looked: &Looked, event: &Event) -> u64 {
    let left = event.tokens_after.unwrap_or(0);
    let step = looked.run.step_at(event.step);
    let usage = step.and_then(|step| step.billed.or(step.usage)).filter(|usage| usage.context() > 0);
    usage.map_or(left, |usage| left.min(usage.input + usage.cache_write))
}

/// Whether the history that is sent has nothing of the talk before: another conversation begins.
pub(super) fn begins_anew(looked: &Looked, event: &Event) -> bool {
    let before = event.step.saturating_sub(1);
    let mut stays = looked.run.entries.iter().filter(|entry| is_talk(entry) && entry.life_at(before).is_some());
    matches!(event.stage, Stage::Rewind | Stage::Session) && !stays.any(|entry| entry.life_at(event.step).is_some())
}

/// Whether an entry is a part of what was said and done, and not of what stands before it.
fn is_talk(entry: &Entry) -> bool {
    let fixed = matches!(
        entry.layer,
        Layer::System | Layer::Tools | Layer::Instructions | Layer::Skills | Layer::Memory | Layer::Notices
    );
    !fixed && entry.layer != Layer::Unlogged
}

/// Whether an entry says that a part of the history was left out, and no more.
fn is_note(looked: &Looked, id: EntryId) -> bool {
    looked.run.entry(id).is_some_and(|entry| entry.layer == Layer::Notices && &*entry.label == LEFT_OUT)
}

/// Whether such a note stands where an event took something: it came with it, or an earlier one had left it there.
fn is_noted(looked: &Looked, event: &Event) -> bool {
    let at = |id: &EntryId, step: u32| Some(looked.run.entry(*id)?.life_at(step)?.place);
    let before = event.step.saturating_sub(1);
    let first = event.took.iter().filter_map(|id| at(id, before)).min();
    let notes = || (0u32..).zip(&looked.run.entries).map(|(id, _)| EntryId(id)).filter(|id| is_note(looked, *id));
    event.made.iter().any(|id| is_note(looked, *id))
        || notes().any(|id| {
            let stands = at(&id, before).filter(|_| at(&id, event.step).is_some());
            stands.zip(first).is_some_and(|(note, first)| note < first)
        })
}

/// Whether a client left out the oldest of what was said, with at most a note of that in its place, and went on with the
/// rest.
fn trims(looked: &Looked, event: &Event) -> bool {
    let silent = event.made.iter().all(|id| is_note(looked, *id));
    let took = || event.took.iter().filter(|id| looked.run.entry(**id).is_some_and(is_talk));
    let count = took().count();
    if event.stage != Stage::Rewind || event.rule != rules::EDIT || count == 0 || !silent {
        return false;
    }
    let before = event.step.saturating_sub(1);
    let mut talk: Vec<(u32, EntryId)> = (0u32..)
        .zip(&looked.run.entries)
        .filter(|(_, entry)| is_talk(entry))
        .filter_map(|(id, entry)| Some((entry.life_at(before)?.place, EntryId(id))))
        .collect();
    talk.sort_unstable();
    // What was said first may be pinned: the task.
    let pinned = talk.iter().take_while(|(_, id)| !event.took.contains(id)).count();
    let behind = talk.get(pinned..).unwrap_or_default();
    let oldest = behind.get(..count).unwrap_or_default();
    let stays = behind.len().saturating_sub(count);
    stays > 0 && pinned <= PINNED && oldest.iter().all(|(_, id)| event.took.contains(id))
}

/// Source 5, anti-pattern 1: the oldest turns are dropped, with nothing in their place.
pub(super) fn fixed_trimming(looked: &Looked, found: &mut Vec<Finding>) {
    let mut dropped: Vec<_> = looked.run.events.iter().filter(|event| event.stage == Stage::Drop).collect();
    let mut help = "drop.oldest_turns = false with summarise.on = true";
    if dropped.is_empty() {
        // Once or twice, somebody took something back.
        dropped = looked.run.events.iter().filter(|event| trims(looked, event)).collect();
        help = "summarise the oldest instead of leaving them out (summarise.on = true)";
        if dropped.len() < OFTEN {
            return;
        }
    }
    let Some(first) = dropped.first() else { return };
    let talk = |id: &&EntryId| !is_note(looked, **id);
    let pieces: usize = dropped.iter().map(|event| event.took.iter().filter(talk).count()).sum();
    let noted = dropped.iter().any(|event| is_noted(looked, event));
    let times = dropped.len();
    let tokens: u64 = dropped.iter().map(|event| taken(looked, event)).sum();
    found.push(Finding {
        entry: first.took.first().copied(),
        tokens: Some(tokens),
        counts: dropped.iter().flat_map(|event| event.took.iter().copied()).collect(),
        // To be there again, it would have to come in again.
        dollars: looked
            .prices()
            .map(|prices| dropped.iter().map(|event| prices.fresh(taken(looked, event), event.step)).sum()),
        ..finding(
            "fixed-trimming",
            Weight::Loss,
            format!(
                "{} dropped in {}, with {} in their place.",
                if pieces == 1 {
                    "1 of the oldest pieces was".to_owned()
                } else {
                    format!("{pieces} of the oldest pieces were")
                },
                number(times, "steps"),
                if noted { "nothing but a note of that" } else { "nothing" }
            ),
            first.step,
            help,
        )
    });
}

/// Source 5, anti-pattern 2: one summary of everything, no cheaper layer before it.
pub(super) fn one_pass(looked: &Looked, found: &mut Vec<Finding>) {
    let events = &looked.run.events;
    // One that stands behind all requests was sent with none of them.
    let is_sent = |event: &&Event| event.step <= looked.run.last_step();
    let mut summaries = events.iter().filter(|event| event.stage == Stage::Summarise && event.compacts());
    let Some(first) = summaries.next().filter(is_sent) else { return };
    let cheaper = events.iter().any(|event| {
        let cheaper = matches!(event.stage, Stage::Microcompact | Stage::Collapse);
        (cheaper || event.truncated().next().is_some()) && event.step <= first.step
    });
    if !cheaper {
        let before = first.tokens_before.unwrap_or_else(|| taken(looked, first));
        let summary =
            first.made.iter().find(|id| looked.run.entry(**id).is_some_and(|entry| entry.layer == Layer::Summaries));
        let written = summary.and_then(|id| looked.run.entry(*id)).map_or(0, |entry| entry.tokens);
        found.push(Finding {
            entry: summary.or(first.made.first()).or(first.took.first()).copied(),
            tokens: Some(before),
            counts: match first.tokens_before {
                Some(_) => shortened(looked.run, first),
                None => first.took.iter().copied().collect(),
            },
            dollars: looked.prices().map(|prices| {
                // Its author was sent what the request before had held; where there was none, all of it was new.
                let read = match first.step {
                    0 | 1 => prices.fresh(before, first.step),
                    step => prices.again(before, step - 1),
                };
                read + prices.written(written, first.step) + prices.fresh(anew(looked, first), first.step)
            }),
            ..finding(
            "one-pass-summary",
            Weight::Habit,
            format!(
                "The first thing that shortened the history was a summary of {}{}, at step {}: nothing was cut or cleared before.",
                match looked.run.pieces(first.took.iter().copied()) {
                    0 => "what is not recorded".to_owned(),
                    pieces => number(pieces, "pieces"),
                },
                if first.trigger == Some(Trigger::Manual) { " that the user asked for" } else { "" },
                first.step
            ),
            first.step,
            "tool_results.on = true and microcompact.on = true",
        )});
    }
}

/// Of an event that left pieces out of the midst of what was said: the tokens of these, and of all that was said. `None`
/// where that are only a few pieces, or nothing behind them stays.
fn gap(looked: &Looked, event: &Event) -> Option<(u64, u64)> {
    let before = event.step.saturating_sub(1);
    // Clients leave the thinking of earlier turns out, as providers do.
    let said = (0u32..)
        .map(EntryId)
        .zip(&looked.run.entries)
        .filter(|(_, entry)| is_talk(entry) && entry.layer != Layer::Thinking);
    let stood: Vec<(u32, EntryId, &Entry)> =
        said.filter_map(|(id, entry)| Some((entry.life_at(before)?.place, id, entry))).collect();
    let gone = || stood.iter().filter(|(_, id, _)| event.took.contains(id));
    let first = gone().map(|(place, ..)| *place).min()?;
    let goes_on = stood.iter().any(|(place, _, entry)| *place > first && entry.life_at(event.step).is_some());
    let tokens = |(_, _, entry): &(u32, EntryId, &Entry)| entry.tokens;
    (goes_on && gone().count() >= FEW).then(|| (gone().map(tokens).sum(), stood.iter().map(tokens).sum()))
}

/// Source 5, anti-pattern 7: pieces leave the history, and no boundary says so.
pub(super) fn no_boundary(looked: &Looked, found: &mut Vec<Finding>) {
    let silent = looked.run.events.iter().filter_map(|event| {
        let edit = event.stage == Stage::Rewind && event.rule == rules::EDIT && event.made.is_empty();
        // Where nothing of the talk stays, it is another one.
        if !edit || begins_anew(looked, event) || is_noted(looked, event) {
            return None;
        }
        let is_much = |(gone, all): &(u64, u64)| *gone > 0 && gone.saturating_mul(PART) >= *all;
        match event.took.len() {
            MANY.. => Some((event, None)),
            _ => gap(looked, event).filter(is_much).map(|gap| (event, Some(gap))),
        }
    });
    let silent: Vec<_> = silent.collect();
    if let Some((first, share)) = silent.first() {
        let tokens = taken(looked, first);
        let share = share.map_or_else(String::new, |(gone, all)| {
            format!(", {} % of what had been said,", gone.saturating_mul(100) / all.max(1))
        });
        found.push(Finding {
            entry: first.took.first().copied(),
            tokens: Some(tokens),
            counts: first.took.iter().copied().collect(),
            dollars: looked.prices().map(|prices| prices.fresh(tokens, first.step)),
            ..finding(
                "no-boundary",
                Weight::Loss,
                format!(
                    "The client left {}{share} out at step {}, and nothing marks the place.",
                    number(first.took.len(), "pieces"),
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
            counts: BTreeSet::from([EntryId(id)]),
            tokens: Some(over * looked.stood(largest)),
            dollars: looked.prices().map(|prices| prices.over_life(over, largest)),
            ..finding(
                "summary-over-reserve",
                Weight::Habit,
                format!(
                    "A summary has {} tokens; {} are kept free for one.",
                    thousands(largest.tokens),
                    thousands(reserve)
                ),
                largest.born(),
                "reserve.summary, or summarise.target",
            )
        });
    }
}

/// Requests that the model refused.
pub(super) fn too_long(looked: &Looked, found: &mut Vec<Finding>) {
    let refused: Vec<u32> =
        (1u32..).zip(looked.run.steps.iter()).filter(|(_, step)| step.is_refused()).map(|(number, _)| number).collect();
    if let Some(first) = refused.first() {
        let totals = |step: &u32| looked.run.totals_at(*step);
        let sent = refused.iter().filter_map(totals).map(Totals::context).sum();
        found.push(Finding {
            tokens: Some(sent),
            counts: refused.iter().flat_map(|step| window(looked.run, *step)).collect(),
            // What is refused is not billed: it costs a round, and no money.
            dollars: looked.prices().map(|_| 0.0),
            ..finding(
                "too-long",
                Weight::Loss,
                format!(
                    "{} refused as too long, the first at step {first}; the model never got what is refused, and it is \
                     not billed.",
                    number(refused.len(), "requests were")
                ),
                *first,
                "reactive.on = true or summarise.on = true, or a lower summarise.at where it is on",
            )
        });
    }
}
