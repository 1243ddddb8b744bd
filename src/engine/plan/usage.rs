//! What the reports say of the history beyond our counts: put upon the items that came in between, so that the full
//! history adds up to every report, and what is cut from it later takes its share along.

use std::collections::BTreeSet;

use super::copies::is_conversation;
use super::{Ask, Feed, Item, NONE, Plan, index, signed};
use crate::model::Outcome;

/// Fills [`Plan::base`], [`super::Item::extra`] and [`Plan::adjust`]. `broken` are the steps before which the recorded
/// window was replaced by a shorter one, or went back behind that, in order; `again` what came in again after that by step, with its tokens: it
/// is no part of the full history.
pub(super) fn reconcile(plan: &mut Plan, broken: &[u32], again: &[(u32, u64)]) {
    let mut walk = Walk { beyond: vec![0; plan.items.len()], ..Walk::default() };
    let feed = std::mem::take(&mut plan.feed);
    let mut step = 0;
    for happens in &feed {
        match happens {
            Feed::Admit(to) => {
                for item in walk.end..*to as usize {
                    walk.comes(&mut plan.items, index(item));
                }
                walk.end = *to as usize;
            }
            Feed::Back(at) => {
                let Plan { backs, items, .. } = plan;
                let Some(back) = backs.get(*at as usize) else { continue };
                back.removed.iter().for_each(|item| walk.leaves(items, *item));
                back.again.iter().for_each(|(item, _)| walk.comes(items, *item));
            }
            Feed::Manual(_) => {}
            Feed::Ask => {
                step += 1;
                if let Some(reported) = plan.asks.get(step as usize - 1).and_then(tells) {
                    let replaced = |since: u32| {
                        broken.partition_point(|at| *at <= since) < broken.partition_point(|at| *at <= step)
                    };
                    let again = |since: u32| -> i64 {
                        let come = &again[again.partition_point(|(at, _)| *at <= since)..];
                        come.iter().take_while(|(at, _)| *at <= step).map(|(_, tokens)| signed(*tokens)).sum()
                    };
                    walk.report(plan, step, signed(reported), replaced, again);
                }
                if walk.fallen > 0
                    && let Some(ask) = plan.asks.get_mut(step as usize - 1)
                {
                    ask.same = false;
                }
            }
        }
    }
    plan.feed = feed;
}

/// Fills [`super::Boundary::beside`].
pub(super) fn put_back(plan: &mut Plan) {
    let size = |item: &Item| signed(item.sent) + item.extra;
    let mut next = plan.steps() + 1;
    for at in (0..plan.boundaries.len()).rev() {
        let Some(boundary) = plan.boundaries.get(at) else { continue };
        let steps = boundary.step..next;
        next = boundary.step;
        let reports = steps.filter_map(|step| Some((step, plan.asks.get(step as usize - 1).and_then(tells)?)));
        let beside = reports.take(1).next().map(|(step, reported)| {
            let kept = boundary.kept.iter().filter_map(|item| plan.items.get(*item as usize));
            let new = plan.items.get(boundary.items as usize..).unwrap_or_default();
            let new = new.iter().take_while(|item| item.born <= step);
            let history: i64 = kept.filter(|item| is_conversation(item.layer)).chain(new).map(size).sum();
            let summary: u64 = boundary.summary.iter().map(|(_, tokens)| tokens).sum();
            signed(reported) - history - signed(summary)
        });
        if let Some(boundary) = plan.boundaries.get_mut(at) {
            boundary.beside = beside;
        }
    }
}

/// What [`super::Plan::fixed`] is: as much as was read from the cache right after a recorded compaction, else at the
/// first request, before which no history was cached. Where nothing tells, all that is not recorded.
pub(super) fn fixed(plan: &Plan) -> u64 {
    let read = |step: u32| {
        let ask = plan.ask_of(step)?;
        tells(ask).and(ask.usage).map(|usage| usage.context_read()).filter(|read| *read > 0)
    };
    let after =
        plan.boundaries.iter().filter(|boundary| boundary.step > 1).filter_map(|boundary| read(boundary.step)).min();
    let base = u64::try_from(plan.base).unwrap_or(0);
    after.or_else(|| read(1)).map_or(base, |read| read.min(base))
}

#[derive(Default)]
struct Walk {
    /// The history's tokens with what was put upon its items.
    held: i64,
    /// The items that it holds, and what was put upon each item so far.
    stands: BTreeSet<u32>,
    beyond: Vec<i64>,
    /// Items that have come in.
    end: usize,
    last: Option<Report>,
    /// Tokens of new items by our count, and by the reports, where these tell.
    counted: u64,
    grown: u64,
    /// By how much the reports have fallen for no reason that is recorded, until they rise again.
    fallen: i64,
}

#[derive(Clone, Copy)]
struct Report {
    step: u32,
    tokens: i64,
    held: i64,
    end: usize,
}

impl Walk {
    fn size(&self, items: &[Item], item: u32) -> i64 {
        let sent = items.get(item as usize).map_or(0, |item| signed(item.sent));
        sent + self.beyond.get(item as usize).copied().unwrap_or(0)
    }

    fn comes(&mut self, items: &mut [Item], item: u32) {
        if self.stands.insert(item) {
            self.follow(items, item);
            self.held += self.size(items, item);
        }
    }

    /// What was put upon an item that left stays with what stands in its place.
    fn follow(&mut self, items: &mut [Item], item: u32) {
        let Some(about) = items.get_mut(item as usize).filter(|about| about.instead != NONE) else { return };
        let before = self.beyond.get(about.instead as usize).copied().unwrap_or(0);
        if let Some(beyond) = self.beyond.get_mut(item as usize).filter(|beyond| **beyond == 0) {
            (*beyond, about.extra) = (before, before);
        }
    }

    /// What was put upon an item leaves with it.
    fn leaves(&mut self, items: &[Item], item: u32) {
        if self.stands.remove(&item) {
            self.held -= self.size(items, item);
        }
    }

    /// Puts tokens upon an item that stands in the history.
    fn put(&mut self, item: u32, tokens: i64) {
        if let Some(beyond) = self.beyond.get_mut(item as usize) {
            *beyond += tokens;
            self.held += tokens;
        }
    }

    fn report(
        &mut self,
        plan: &mut Plan,
        step: u32,
        tokens: i64,
        replaced: impl Fn(u32) -> bool,
        again: impl Fn(u32) -> i64,
    ) {
        let Some(before) = self.last else {
            plan.base = tokens - self.held;
            self.last = Some(Report { step, tokens, held: self.held, end: self.end });
            return;
        };
        // What came in and has left again was in none of the two requests, and can explain no difference between them.
        // Nor is what stands in the place of another any more than that was.
        let is_new = |item: &u32| plan.items.get(*item as usize).is_some_and(|item| item.instead == NONE);
        let new: Vec<u32> = self.stands.range(index(before.end)..).copied().filter(is_new).collect();
        let arrived = new.iter().filter_map(|item| plan.items.get(*item as usize)).map(|item| item.sent).sum::<u64>();
        let mut beyond = (tokens - before.tokens) - (self.held - before.held) - again(before.step);
        let replaced = replaced(before.step);
        // To less than half of what was held and stayed: the agent must have replaced its window, or asked something
        // beside it.
        let fell = !replaced && tokens < (tokens - beyond - signed(arrived)) / 2;
        if replaced || fell {
            // The report says nothing of these items: they are taken to be like those before.
            #[allow(clippy::cast_precision_loss)]
            let ratio = if self.counted > 0 { self.grown as f64 / self.counted as f64 } else { 1.0 };
            #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
            let likely = (arrived as f64 * (ratio.clamp(0.5, 3.0) - 1.0)).round() as i64;
            self.fallen = if fell { self.fallen + likely - beyond } else { 0 };
            beyond = likely;
            self.spread(plan, &new, arrived, beyond);
            self.last = Some(Report { step, tokens, held: self.held, end: self.end });
            return;
        }
        if self.fallen > 0 && beyond > self.fallen / 2 {
            // The window that had been left is reported again.
            let back = self.fallen.min(beyond);
            self.fallen -= back;
            beyond -= back;
        }
        if arrived > 0 && signed(arrived) + beyond >= 0 {
            self.spread(plan, &new, arrived, beyond);
            self.counted += arrived;
            self.grown += (signed(arrived) + beyond).unsigned_abs();
        } else if beyond != 0
            && let Some(newest) = self.stands.last().copied()
        {
            plan.adjust.push((step, newest, beyond));
            self.put(newest, beyond);
        }
        self.last = Some(Report { step, tokens, held: self.held, end: self.end });
    }

    /// Divides a difference among items by their size, to the last token.
    fn spread(&mut self, plan: &mut Plan, items: &[u32], sum: u64, difference: i64) {
        let (mut seen, mut given) = (0i128, 0i128);
        for number in items {
            let Some(item) = plan.items.get_mut(*number as usize) else { continue };
            seen += i128::from(item.sent);
            let due = i128::from(difference) * seen / i128::from(sum.max(1));
            item.extra = i64::try_from(due - given).unwrap_or(0);
            given = due;
            self.put(*number, item.extra);
        }
    }
}

/// Whether a request is one whose report tells of its window.
fn tells(ask: &Ask) -> Option<u64> {
    let answered = matches!(ask.outcome, Outcome::Answered | Outcome::Aborted);
    ask.usage.filter(|_| answered).map(|usage| usage.context()).filter(|context| *context > 0)
}
