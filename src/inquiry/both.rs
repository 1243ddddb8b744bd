//! Two settings together, where none alone would have kept a fact.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::answer::{Answer, Change};
use super::bill::Bill;
use super::dial::with;
use super::moved::{Moved, To, sections_of};
use super::whatif::{Far, Lost, Trials, Tried};
use crate::policy::{Policy, Value};

/// Pairs of settings that are tried, in sessions of few pieces and of many.
const PAIRS: (usize, usize) = (800, 60);
/// Pieces times pairs, between the two.
const WORK: usize = 400_000;
/// Pairs that are brought back as near to the present as they go.
const SETTLED: usize = 12;
/// Pairs of which it is first seen about how near they come, in sessions of few pieces and of many.
const NEARLY: (usize, usize) = (160, 12);

/// When a pair is tried: whether the other is beside the stage that takes the fact then, whether the one does the same
/// as one before it, its turn, whether it is lost earlier, when it is lost; and the two.
type Turn = (bool, bool, u32, bool, std::cmp::Reverse<u32>, usize, usize);

/// A setting, its value, and what that does.
type One<'a> = (&'a Moved, &'a Value, &'a Tried);

impl Trials<'_> {
    /// Pairs of settings, where none alone keeps the fact: the one as far as it goes, then the other as near as it may
    /// be, then the one as near as it may be. One of them at least moves the loss: with each such comes first what belongs
    /// to the stage that takes the fact then, one by one for all in turn, those before that put it off furthest. What a
    /// setting does that does the same as one before it comes behind. Also says how many were tried, and how many more
    /// keep it and were left out.
    pub(super) fn pairs(&self, far: &[Far], base: &Tried, figures: &[u64]) -> (Vec<Answer>, u64, u64) {
        let all: Vec<One> =
            far.iter().flat_map(|far| far.tried.iter().map(|(value, tried)| (&far.moved, value, tried))).collect();
        let step = |lost: &Option<Lost>| lost.as_ref().map_or(u32::MAX, |lost| lost.step);
        let mut trials: Vec<Turn> = Vec::new();
        // What no window ever held is lost by nothing: a memory that is turned on may hold it.
        let begins = |(one, _, tried): &One| tried.lost != base.lost || one.setting.key == "memory.on";
        for (at, (one, _, tried)) in all.iter().enumerate().filter(|(_, one)| begins(one)) {
            let next = tried.lost.as_ref().and_then(|lost| lost.stage).map_or(&[][..], sections_of);
            let again = all.iter().take(at).any(|(_, _, known)| known == tried);
            let mut turns = (0, 0);
            for (with, (other, _, also)) in all.iter().enumerate() {
                let moves = also.lost != base.lost;
                if one.setting.key == other.setting.key || (moves && with < at && step(&also.lost) >= step(&tried.lost))
                {
                    continue;
                }
                let beside = !next.contains(&other.setting.section());
                let turn = if beside { &mut turns.1 } else { &mut turns.0 };
                *turn += 1;
                let earlier = step(&tried.lost) < step(&base.lost);
                trials.push((beside, again, *turn, earlier, std::cmp::Reverse(step(&tried.lost)), at, with));
            }
        }
        trials.sort_unstable();
        trials.truncate((WORK / self.pieces()).clamp(self.least(PAIRS.1), PAIRS.0));
        self.watch.expect(self.watch.progress().0 + trials.len() as u64);
        let mut holding: Vec<(Bill, &One, &One)> = trials
            .par_iter()
            .filter_map(|(.., at, with_it)| {
                self.watch.advance(1);
                if self.watch.is_cancelled() {
                    return None;
                }
                let (one, other) = (all.get(*at)?, all.get(*with_it)?);
                let both = with(&with(self.policy, one.0.setting, one.1)?, other.0.setting, other.1)?;
                let (holds, bill) = self.replay(&both);
                holds.then_some((bill, one, other))
            })
            .collect();
        // The cheapest pairs of settings, each pair once, are worth the way back.
        holding.sort_by(|one, other| one.0.order(&other.0));
        let mut seen = BTreeSet::new();
        holding.retain(|(_, one, other)| {
            let (one, other) = (one.0.setting.key, other.0.setting.key);
            seen.insert((one.min(other), one.max(other)))
        });
        let all_holding = holding.len();
        // As far as they go, settings cost what they need not: which pairs are cheap shows on the way back.
        holding.truncate((WORK / 16 / self.pieces()).clamp(self.least(NEARLY.1), NEARLY.0));
        self.watch.expect(self.watch.progress().0 + holding.len() as u64);
        holding.par_iter_mut().for_each(|(bill, one, other)| {
            *bill = self.nearly(one, other).unwrap_or(*bill);
            self.watch.advance(1);
        });
        holding.sort_by(|one, other| one.0.order(&other.0));
        holding.truncate(if self.is_long() { SETTLED / 4 } else { SETTLED });
        let left_out = (all_holding - holding.len()) as u64;
        let answers = holding.par_iter().filter_map(|(_, (one, value, _), (other, ..))| {
            let first = with(self.policy, one.setting, value)?;
            self.settle(&first, value, one, other, figures)
        });
        (answers.collect(), trials.len() as u64, left_out)
    }

    /// What a pair that keeps the fact costs about as near to the present as it goes: one, then the other comes
    /// three quarters of the way back as often as that keeps it.
    fn nearly(&self, one: &One, other: &One) -> Option<Bill> {
        let mut policy = with(&with(self.policy, one.0.setting, one.1)?, other.0.setting, other.1)?;
        let mut least = None;
        for (moved, value, _) in [other, one] {
            let To::Dial(dial) = &moved.to else { continue };
            let far = dial.number(value)?;
            let mut way = far.abs_diff(dial.now) / 4;
            while way > 0 && !self.watch.is_cancelled() {
                let near = if far > dial.now { dial.now + way } else { dial.now - way };
                let Some(nearer) = with(&policy, moved.setting, &dial.value(near)) else { break };
                let (holds, bill) = self.replay(&nearer);
                if !holds {
                    break;
                }
                (policy, least) = (nearer, Some(bill));
                way /= 4;
            }
        }
        least
    }

    fn settle(&self, first: &Policy, value: &Value, one: &Moved, other: &Moved, figures: &[u64]) -> Option<Answer> {
        let (second, _) = self.over(first, other, figures)?;
        // With the second where it is now, the first may come back towards the present.
        let base = with(self.policy, other.setting, &second.to)?;
        if self.holds(&base) {
            // It takes no two.
            let loses =
                |back: &Value| with(self.policy, other.setting, back).is_some_and(|policy| !self.holds(&policy));
            let back = second.back.filter(loses);
            return Some(self.answer((Change { back, ..second }, base)));
        }
        let (change, policy) = self.over(&base, one, figures).unwrap_or_else(|| {
            let from = (one.setting.get)(self.policy);
            let change = Change { key: one.setting.key, from, to: value.clone(), back: None };
            (change, with(&base, one.setting, value).unwrap_or(base.clone()))
        });
        // With the first nearer, the second may come back further.
        let first = with(self.policy, one.setting, &change.to)?;
        let again = self.over(&first, other, figures).filter(|_| !self.holds(&first));
        let (second, policy) = again.unwrap_or((second, policy));
        let (holds, bill) = self.replay(&policy);
        // Each one notch back with the other as it is now.
        let put = |change: &Change, back: &Value| {
            let setting = if change.key == one.setting.key { one.setting } else { other.setting };
            with(&policy, setting, back)
        };
        let checked = |change: Change| {
            let back = change.back.clone().filter(|back| put(&change, back).is_some_and(|policy| !self.holds(&policy)));
            Change { back, ..change }
        };
        holds.then(|| Answer {
            changes: vec![checked(change), checked(Change { from: (other.setting.get)(self.policy), ..second })],
            bill,
        })
    }
}
