//! One setting's value that keeps a fact, nearest to the present one, searched outward.
//!
//! The figures that the fact's own events measured come first. What the replays on the way measure are figures, too:
//! they are tried until none is new, or so many were. Where none of them keeps it, values between those that make a
//! difference may. Nothing measures what a share or an offset makes of a figure: so what is nearer than what was found is
//! tried last, on both sides of the present value, one by one where it is little, else where what comes before and behind
//! it differs.

use std::collections::BTreeMap;

use super::dial::{Dial, with};
use super::moved::{Moved, halve};
use super::whatif::{Trials, Tried};
use super::windows::windows_for;
use crate::policy::Policy;

/// Figures that were measured on the way and are tried, in a long session and in others.
const ON_THE_WAY: (usize, usize) = (10, 60);
/// Numbers that are tried last, nearer than what was found: fewest and most, and how many times the pieces of a session.
const CLOSE: (usize, usize) = (24, 160);
const WORK: usize = 160_000;
/// Numbers that are tried where no figure keeps it: fewest and most, and how many times the pieces of a session.
const BETWEEN: (usize, usize) = (8, 64);
const SEEK: usize = 80_000;
/// Parts of what is nearer that are looked into in any case.
const PARTS: u64 = 16;
/// Rounds in which something nearer is looked for than what was found.
const NEARER: usize = 3;

/// A search along one setting over a policy.
pub(super) struct Outward<'t, 'a> {
    trials: &'t Trials<'a>,
    policy: &'t Policy,
    moved: &'t Moved,
    dial: &'t Dial,
    figures: Vec<u64>,
    tried: BTreeMap<u64, Tried>,
    /// Up to here the setting itself leaves the fact out of its file.
    barred: Option<u64>,
    /// Figures on the way that may still be tried.
    left: usize,
    /// Whether some number was not tried, as that takes too long.
    dear: bool,
}

/// What a search along one setting found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    /// The number nearest to the present one that keeps the fact, and the one a notch back.
    pub(super) found: Option<(u64, u64)>,
    /// Whether numbers were left that might keep it nearer.
    pub(super) more: bool,
}

impl<'t, 'a> Outward<'t, 'a> {
    pub(super) fn new(
        trials: &'t Trials<'a>,
        policy: &'t Policy,
        moved: &'t Moved,
        dial: &'t Dial,
        figures: &[u64],
    ) -> Self {
        let left = if trials.is_long() { trials.least(ON_THE_WAY.0) } else { ON_THE_WAY.1 };
        let (mut figures, tried) = (figures.to_vec(), BTreeMap::new());
        if moved.is_window() {
            figures.extend(windows_for(policy, &figures));
        }
        Outward { trials, policy, moved, dial, figures, tried, barred: None, left, dear: false }
    }

    /// Searches; `most`: how many numbers are tried at first, and in even steps between.
    pub(super) fn nearest(mut self, most: usize) -> Nearest {
        if !self.moved.is_slow() {
            // What leaves it out now does so at each smaller number.
            self.is_barred(self.dial.now);
        }
        let first = self.moved.tried(self.dial, &self.figures, most);
        let mut found = self.first_of(&first);
        if !self.moved.is_slow() {
            // What the present value gives tells which figures can make a difference.
            self.keeps(self.dial.now);
            for _ in 0..=NEARER {
                self.on_the_way(&mut found);
                found = found.or_else(|| self.between());
                let Some((good, _)) = found else { break };
                let nearer = self.moved.between(self.dial, good, most);
                let Some(nearer) = self.first_of(&nearer) else { break };
                found = Some(nearer);
            }
            self.close_by(&mut found);
            // What was tried close by has measured more.
            self.on_the_way(&mut found);
        }
        let open = !self.moved.is_slow() && self.left == 0 && self.open(&found).is_some();
        let more = self.dear || open || found.is_some_and(|(good, _)| self.is_open_before(good));
        Nearest { found, more }
    }

    /// Whether something nearer to the present number than another was not tried: however alike those around it are, it
    /// may keep the fact.
    fn is_open_before(&self, good: u64) -> bool {
        let far = good.abs_diff(self.dial.now);
        let (low, high) = self.dial.range;
        let low = self.dial.now.saturating_sub(far.saturating_sub(1)).max(self.above(low));
        let high = self.dial.now.saturating_add(far.saturating_sub(1)).min(high);
        if high < low {
            return false;
        }
        let nearer = self.tried.keys().filter(|number| (low..=high).contains(*number) && **number != self.dial.now);
        let now = u64::from((low..=high).contains(&self.dial.now));
        let all = high.saturating_add(1).saturating_sub(low).saturating_sub(now);
        far > 1 && (nearer.count() as u64) < all
    }

    /// The first number from one on at which the setting does not leave the fact out.
    fn above(&self, low: u64) -> u64 {
        self.barred.map_or(low, |barred| low.max(barred.saturating_add(1)))
    }

    /// Whether the setting itself leaves the fact out of what is prepared at a number, so that no replay has to tell: it
    /// does so at each smaller one, too.
    fn is_barred(&mut self, number: u64) -> bool {
        if self.barred.is_some_and(|barred| number <= barred) {
            return true;
        }
        let policy = with(self.policy, self.moved.setting, &self.dial.value(number));
        // What else leaves it out may let it in at a smaller number.
        let is_by_itself = policy.and_then(|policy| self.trials.left_out_by(&policy)) == Some(self.moved.setting.key);
        if is_by_itself {
            self.barred = Some(number);
        }
        is_by_itself
    }

    /// Whether a number keeps the fact; what its replay measured is known then.
    fn keeps(&mut self, number: u64) -> bool {
        if let Some(tried) = self.tried.get(&number) {
            return tried.holds;
        }
        if !self.moved.is_slow() && self.is_barred(number) {
            self.tried.insert(number, Tried::default());
            return false;
        }
        let policy = with(self.policy, self.moved.setting, &self.dial.value(number));
        let tried = policy.and_then(|policy| self.trials.under(&policy)).unwrap_or_default();
        let holds = tried.holds;
        if self.moved.is_window() {
            let fresh = tried.figures.iter().filter(|figure| !self.figures.contains(*figure)).copied();
            let fresh: Vec<u64> = fresh.collect();
            self.figures.extend(windows_for(self.policy, &fresh));
        }
        self.figures.extend(&tried.figures);
        self.figures.sort_unstable();
        self.figures.dedup();
        self.tried.insert(number, tried);
        holds
    }

    /// The first of some numbers that keeps it, brought back as far as it goes.
    fn first_of(&mut self, numbers: &[u64]) -> Option<(u64, u64)> {
        for number in numbers {
            if self.trials.watch.is_cancelled() {
                return None;
            }
            if self.moved.is_slow() {
                self.trials.watch.advance(1);
            }
            if self.is_afforded(*number) && self.keeps(*number) {
                return Some(self.back(*number));
            }
        }
        None
    }

    /// Whether a number can be tried in time.
    fn is_afforded(&mut self, number: u64) -> bool {
        let slow = self.moved.is_slow() && !self.tried.contains_key(&number);
        let policy = with(self.policy, self.moved.setting, &self.dial.value(number)).filter(|_| slow);
        let dear = policy.is_some_and(|policy| !self.trials.affords(&policy));
        self.dear |= dear;
        !dear
    }

    /// The way back from a number that keeps it, halved until one notch decides.
    fn back(&mut self, good: u64) -> (u64, u64) {
        let failed = self.tried.iter().filter(|(_, tried)| !tried.holds).map(|(number, _)| *number);
        let failed: Vec<u64> = failed.collect();
        halve(self.dial.now, good, &failed, |number| self.is_afforded(number).then(|| self.keeps(number)))
    }

    /// Tries what is nearer than what was found, on both sides of the present number.
    fn close_by(&mut self, found: &mut Option<(u64, u64)>) {
        let mut left = (WORK / self.trials.pieces()).clamp(self.trials.least(CLOSE.0), CLOSE.1);
        while let Some((good, _)) = *found {
            let far = good.abs_diff(self.dial.now).saturating_sub(1);
            let (low, high) = self.dial.range;
            let low = self.above(self.dial.now.saturating_sub(far).max(low));
            let ends = (low, self.dial.now.saturating_add(far).min(high));
            let Some(next) = self.close(ends, left).filter(|_| left > 0 && !self.trials.watch.is_cancelled()) else {
                break;
            };
            left -= 1;
            if self.keeps(next) {
                *found = Some(self.back(next));
            }
        }
    }

    /// Of the numbers between two, the next to try: the nearest one to the present where all can be tried, else an end, or
    /// the middle of the widest gap whose ends differ.
    fn close(&self, (low, high): (u64, u64), left: usize) -> Option<u64> {
        if high < low {
            return None;
        }
        let fresh = |number: &u64| (low..=high).contains(number) && !self.tried.contains_key(number);
        if (high - low) as usize <= self.tried.range(low..=high).count() + left {
            let far = high.abs_diff(self.dial.now).max(self.dial.now.abs_diff(low));
            let both = |way: u64| [self.dial.now.checked_sub(way), self.dial.now.checked_add(way)];
            return (1..=far).flat_map(both).flatten().find(fresh);
        }
        if let Some(end) = [low, high].into_iter().find(fresh) {
            return Some(end);
        }
        let known: Vec<(u64, &Tried)> = self.tried.range(low..=high).map(|(number, tried)| (*number, tried)).collect();
        let wide = (high - low) / PARTS;
        let gaps = known.windows(2).filter_map(|pair| match pair {
            [(from, one), (to, other)] if to - from > 1 && (one != other || to - from > wide) => Some((*from, *to)),
            _ => None,
        });
        let widest = gaps.max_by_key(|(from, to)| (to - from, u64::MAX - from.abs_diff(self.dial.now)));
        widest.map(|(from, to)| from + (to - from) / 2)
    }

    /// Looks where nothing was measured, as no figure keeps it: in the gaps whose ends differ. What keeps it may begin and
    /// end between two of them.
    fn between(&mut self) -> Option<(u64, u64)> {
        let ends = self.differing()?;
        for _ in 0..(SEEK / self.trials.pieces()).clamp(self.trials.least(BETWEEN.0), BETWEEN.1) {
            let next = self.close(ends, 0).filter(|_| !self.trials.watch.is_cancelled())?;
            if self.keeps(next) {
                return Some(self.back(next));
            }
        }
        None
    }

    /// The numbers that were tried without those at each end that make no difference any more.
    fn differing(&self) -> Option<(u64, u64)> {
        let tried: Vec<(&u64, &Tried)> = self.tried.iter().collect();
        let differs = |pair: &&[(&u64, &Tried)]| matches!(pair, [(_, one), (_, other)] if one != other);
        let first = tried.windows(2).find(differs)?.first()?;
        let last = tried.windows(2).rfind(differs)?.last()?;
        Some((*first.0, *last.0))
    }

    /// Tries figures that were measured on the way, the nearest first.
    fn on_the_way(&mut self, found: &mut Option<(u64, u64)>) {
        while self.left > 0 && !self.trials.watch.is_cancelled() {
            let Some(next) = self.open(found) else { break };
            self.left -= 1;
            if self.keeps(next) {
                *found = Some(self.back(next));
            }
        }
    }

    /// The nearest figure, nearer than what was found, of which nothing is known yet.
    fn open(&self, found: &Option<(u64, u64)>) -> Option<u64> {
        let far = found.map_or(u64::MAX, |(good, _)| good.abs_diff(self.dial.now));
        let mut numbers = self.dial.candidates(&self.figures).into_iter();
        numbers.find(|number| number.abs_diff(self.dial.now) < far && !self.is_known(*number))
    }

    /// Whether a number was tried, or those around it do the same.
    fn is_known(&self, number: u64) -> bool {
        if self.barred.is_some_and(|barred| number <= barred) {
            return true;
        }
        let (below, above) = (self.tried.range(..=number).next_back(), self.tried.range(number..).next());
        below.zip(above).is_some_and(|((_, below), (_, above))| below == above)
    }
}
