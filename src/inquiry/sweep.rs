//! Sweeps: one or two settings over their values, and for each run which facts it keeps and what it costs.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::axis::Axis;
use super::bill::Bill;
use super::dial::with;
use super::life::{Reading, Subject};
use super::ready::Ready;
use super::values::Vary;
use crate::content::Watch;
use crate::policy::{Policy, Value};

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place among the combinations: the last setting moves fastest.
    pub place: usize,
    /// The values, one for each setting.
    pub values: Vec<Value>,
    /// Per fact, whether it was there when it was needed.
    pub kept: Vec<bool>,
    /// Per fact, whether nobody can tell: what stands for it can be read by its vendor alone. It is neither kept nor lost.
    pub unknown: Vec<bool>,
    /// What the run costs.
    pub bill: Bill,
}

impl Point {
    /// How many facts it keeps.
    #[must_use]
    pub fn facts(&self) -> usize {
        self.kept.iter().filter(|kept| **kept).count()
    }

    /// Of how many facts nobody can tell whether it keeps them.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        self.unknown.iter().filter(|unknown| **unknown).count()
    }

    /// The places of the facts that it loses.
    pub fn lost(&self) -> impl Iterator<Item = usize> + '_ {
        let told = self.kept.iter().zip(&self.unknown).enumerate();
        told.filter(|(_, (kept, unknown))| !**kept && !**unknown).map(|(at, _)| at)
    }
}

/// A fact, and the step at which it is needed.
pub type Wanted<'a> = (&'a Subject<'a>, u32);

/// How many runs there are: every value of each setting with every one of the others.
#[must_use]
pub fn combinations(vary: &[Vary]) -> usize {
    vary.iter().map(|vary| vary.values.len()).fold(1, usize::saturating_mul)
}

/// The values at a place.
fn values_at(vary: &[Vary], place: usize) -> Vec<Value> {
    let mut rest = place;
    let mut values: Vec<Value> = Vec::with_capacity(vary.len());
    for vary in vary.iter().rev() {
        values.extend(vary.values.get(rest % vary.values.len().max(1)).cloned());
        rest /= vary.values.len().max(1);
    }
    values.reverse();
    values
}

/// Runs a sweep on all cores; each run is told as soon as it is there. Combinations that a setting does not allow are
/// left out; so is what comes after a cancel. In the order of the combinations.
#[must_use]
pub fn sweep(
    ready: &Ready,
    policy: &Policy,
    vary: &[Vary],
    facts: &[Wanted],
    watch: &Watch,
    told: &(dyn Fn(&Point) + Sync),
) -> Vec<Point> {
    let all = combinations(vary);
    watch.expect(all as u64);
    (0..all)
        .into_par_iter()
        .filter_map(|place| {
            if watch.is_cancelled() {
                return None;
            }
            let values = values_at(vary, place);
            let made = vary
                .iter()
                .zip(&values)
                .try_fold(policy.clone(), |policy, (vary, value)| with(&policy, vary.setting, value))
                .and_then(|changed| Some(ready.of(&changed)?.run(&changed)));
            watch.advance(1);
            // What a replay needs may not have been made whole any more.
            let run = made.filter(|_| !watch.is_cancelled())?;
            let read = facts.iter().map(|(subject, step)| (Reading::new(subject, &run), *step));
            let held = |read: &Reading, step| {
                let kept = read.is_visible(step);
                (kept, !kept && read.is_unknown(step))
            };
            let (kept, unknown) = read.map(|(read, step)| held(&read, step)).unzip();
            let point = Point { place, values, kept, unknown, bill: Bill::of(&run) };
            told(&point);
            Some(point)
        })
        .collect()
}

/// The Pareto front: of runs that keep so many facts for something, those than which no other keeps as many for less,
/// and none more for as much.
#[must_use]
pub fn front<T>(runs: &[(usize, T)], order: impl Fn(&T, &T) -> Ordering) -> Vec<bool> {
    let mut sorted: Vec<usize> = (0..runs.len()).collect();
    sorted.sort_by(|one, other| order(&runs[*one].1, &runs[*other].1));
    let mut best = vec![false; runs.len()];
    let mut most: Option<usize> = None;
    for alike in sorted.chunk_by(|one, other| order(&runs[*one].1, &runs[*other].1).is_eq()) {
        let here = alike.iter().map(|at| runs[*at].0).max();
        if here <= most {
            continue;
        }
        for at in alike.iter().filter(|at| Some(runs[**at].0) == here) {
            best[*at] = true;
        }
        most = here;
    }
    best
}

/// The front by an axis; `kept`: facts that each run keeps. Where some runs go through, those whose requests are refused
/// as too long are not on it. Where the summaries of some runs are those that their policy asks for (a model's, the
/// recorded ones, or sentences by choice) and something stands in for those of others, the others tell nothing of what
/// their settings would keep: they are not on it either, nor is what [`beaten_by_own`] tells of, or what that beats in
/// turn and is no reason for it. Where any run keeps something, none is on it that keeps nothing.
#[must_use]
pub fn front_by(axis: Axis, points: &[Point], kept: &[usize]) -> Vec<bool> {
    let mixed = is_mixed(points, kept);
    let any_keeps = kept.iter().any(|kept| *kept > 0);
    let beaten = beaten_by_own(points, kept);
    let all: Vec<(&Point, usize)> = points.iter().zip(kept.iter().copied()).collect();
    let figure = |bill: &Bill| (bill.failed, axis.of(bill));
    let order = |one: &(u64, f64), other: &(u64, f64)| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1));
    let beats = |one: (&Point, usize), other: (&Point, usize)| {
        let costs = order(&figure(&one.0.bill), &figure(&other.0.bill));
        one.1 >= other.1 && costs.is_le() && (one.1 > other.1 || costs.is_lt())
    };
    // Where stand-ins are held against each other, one that is left out for a better one still tells of worse ones.
    let left_out: Vec<(&Point, usize)> =
        all.iter().zip(&beaten).filter(|(_, beaten)| **beaten && !mixed).map(|(one, _)| *one).collect();
    let is_worse = |one: (&Point, usize)| left_out.iter().any(|out| beats(*out, one) && !beats_by_own(one, *out));
    let is_own: Vec<bool> = all
        .iter()
        .zip(&beaten)
        .map(|(one, beaten)| {
            let stands_in = mixed && one.0.bill.unwritten() > 0;
            !(stands_in || *beaten || (any_keeps && one.1 == 0) || is_worse(*one))
        })
        .collect();
    let goes_through = all.iter().zip(&is_own).any(|((point, _), own)| *own && point.bill.failed == 0);
    let is_fair: Vec<bool> =
        all.iter().zip(&is_own).map(|((point, _), own)| *own && (!goes_through || point.bill.failed == 0)).collect();
    let fair = all.iter().zip(&is_fair).filter(|(_, fair)| **fair);
    let runs: Vec<(usize, (u64, f64))> = fair.map(|((point, kept), _)| (*kept, figure(&point.bill))).collect();
    let mut best = front(&runs, order).into_iter();
    is_fair.into_iter().map(|fair| fair && best.next().unwrap_or(false)).collect()
}

/// Whether a run whose summaries are its own, or which makes none, keeps as many facts as another and costs no more.
fn beats_by_own((one, keeps): (&Point, usize), (other, kept): (&Point, usize)) -> bool {
    let costs_no_more = one.bill.dollars.zip(other.bill.dollars).is_some_and(|(one, other)| one <= other);
    one.bill.unwritten() == 0 && keeps >= kept && one.bill.failed <= other.bill.failed && costs_no_more
}

/// Of each run whether something stands in for summaries of its, and another, whose summaries are its own or which makes
/// none, keeps as many facts and costs no more: that is as good whatever a model would have written. Where nobody knows
/// what one of them costs, the axis alone tells.
#[must_use]
pub fn beaten_by_own(points: &[Point], kept: &[usize]) -> Vec<bool> {
    let all = || points.iter().zip(kept.iter().copied());
    all().map(|one| one.0.bill.unwritten() > 0 && all().any(|other| beats_by_own(other, one))).collect()
}

/// Whether something stands in for summaries of some runs, and not of others that have any. Where nothing is kept but
/// by those, they are all that there is to hold against each other.
#[must_use]
pub fn is_mixed(points: &[Point], kept: &[usize]) -> bool {
    let any = |is: fn(&Bill, usize) -> bool| points.iter().zip(kept).any(|(point, kept)| is(&point.bill, *kept));
    any(|bill, _| bill.unwritten() > 0)
        && any(|bill, _| bill.unwritten() == 0 && bill.compactions > 0)
        && (any(|bill, kept| bill.unwritten() == 0 && kept > 0) || !any(|_, kept| kept > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    fn point(facts: usize, bill: Bill) -> Point {
        Point { place: 0, values: Vec::new(), kept: vec![true; facts], unknown: vec![false; facts], bill }
    }

    /// A run of so many dollars, of whose summaries something stands in for some.
    fn priced(facts: usize, sent: u64, dollars: f64, stood_in: u64) -> Point {
        let bill = Bill { sent, dollars: Some(dollars), stood_in, compactions: stood_in, ..Bill::default() };
        point(facts, bill)
    }

    fn best(axis: Axis, points: &[Point]) -> Vec<bool> {
        let kept: Vec<usize> = points.iter().map(Point::facts).collect();
        front_by(axis, points, &kept)
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let runs = [(3, 10), (3, 8), (5, 20), (4, 20), (1, 8), (0, 1), (5, 20), (2, 30)];
        let best = front(&runs, i32::cmp);
        assert_eq!(best, [false, true, true, false, false, true, true, false]);
        for (at, (facts, cost)) in runs.iter().enumerate() {
            let beaten = runs.iter().enumerate().any(|(other, (more, price))| {
                other != at && ((more > facts && price <= cost) || (more >= facts && price < cost))
            });
            assert_eq!(best[at], !beaten, "{at}");
        }
        assert!(front(&[] as &[(usize, i32)], i32::cmp).is_empty());
    }

    #[test]
    fn what_something_stands_in_for_is_not_the_best_of_what_a_model_wrote() {
        let point = |facts: usize, sent: u64, stood_in: u64| {
            point(facts, Bill { sent, stood_in, compactions: 1, ..Bill::default() })
        };
        let mixed = [point(3, 10, 1), point(2, 10, 0), point(1, 20, 0)];
        assert_eq!(best(Axis::Sent, &mixed), [false, true, false]);
        let alike = [point(3, 10, 1), point(2, 10, 2)];
        assert_eq!(best(Axis::Cost, &alike), [true, false]);
        assert!(is_mixed(&mixed, &[3, 2, 1]) && !is_mixed(&alike, &[3, 2]));
        // The recorded summary does not fit in the run that keeps the most: its sentences are not what a model would say.
        let own = Bill { sent: 10, extracted: 1, ..Bill::default() };
        let extracted = [Point { bill: own, ..point(3, 10, 0) }, point(2, 10, 0)];
        assert_eq!(best(Axis::Sent, &extracted), [false, true]);
        // A run without any summary has none of its own: where the session has none, those that have are no worse for it.
        let none = Bill { sent: 30, ..Bill::default() };
        let unrecorded = [Point { bill: own, ..point(3, 10, 0) }, Point { bill: none, ..point(4, 30, 0) }];
        assert_eq!((best(Axis::Sent, &unrecorded), is_mixed(&unrecorded, &[3, 4])), (vec![true, true], false));
        // Nothing is kept but where something stands in.
        let bare = [point(2, 20, 2), point(1, 10, 1), point(0, 5, 0), point(1, 15, 1)];
        assert_eq!(best(Axis::Sent, &bare), [true, true, false, false]);
    }

    #[test]
    fn where_something_stands_in_what_keeps_as_much_without_it_and_costs_no_more_is_the_best() {
        let points = [priced(18, 69, 10.4, 4), priced(21, 75, 10.0, 2), priced(21, 76, 8.6, 0)];
        assert_eq!(best(Axis::Sent, &points), [false, false, true]);
        // One that costs less, or keeps more, is no worse for what stands in.
        assert_eq!(best(Axis::Sent, &[priced(21, 75, 8.0, 2), priced(21, 76, 8.6, 0)]), [true, false]);
        assert_eq!(best(Axis::Sent, &[priced(22, 75, 9.0, 2), priced(21, 76, 8.6, 0)]), [true, false]);
        // Of unknown cost nobody can say that.
        let unknown = Point { bill: Bill { dollars: None, ..priced(18, 69, 0.0, 4).bill }, ..priced(18, 69, 0.0, 4) };
        assert_eq!(best(Axis::Sent, &[unknown, priced(21, 76, 8.6, 0)]), [true, true]);
    }

    #[test]
    fn what_keeps_nothing_is_not_the_best_nor_is_what_one_that_is_left_out_beats() {
        assert_eq!(
            best(Axis::Sent, &[priced(0, 5, 1.0, 0), priced(1, 9, 2.0, 0), priced(2, 20, 3.0, 0)]),
            [false, true, true]
        );
        // Where none keeps anything, the cheapest is as good as any.
        assert_eq!(best(Axis::Sent, &[priced(0, 5, 1.0, 0), priced(0, 9, 2.0, 0)]), [true, false]);
        // The first is left out for the last, and keeps more for less than the second all the same.
        assert_eq!(
            best(Axis::Sent, &[priced(2, 78, 30.0, 42), priced(1, 110, 10.8, 3), priced(3, 137, 11.2, 0)]),
            [false, false, true]
        );
        // It does not matter who is left out for whom: one of them is the best.
        assert_eq!(
            best(Axis::Sent, &[priced(5, 90, 10.0, 2), priced(5, 100, 12.0, 0), priced(5, 120, 8.0, 0)]),
            [false, false, true]
        );
    }

    #[test]
    fn what_is_refused_is_not_the_best_of_what_goes_through() {
        let point = |facts: usize, sent: u64, failed: u64| point(facts, Bill { sent, failed, ..Bill::default() });
        let front = |points: &[Point]| best(Axis::Sent, points);
        assert_eq!(front(&[point(3, 5, 2), point(1, 9, 0), point(2, 20, 0)]), [false, true, true]);
        // Where none goes through, those that are refused the least come first.
        assert_eq!(front(&[point(2, 5, 2), point(2, 9, 1)]), [false, true]);
    }

    #[test]
    fn what_is_best_depends_on_what_it_is_set_against() {
        let point = |sent: u64, peak: u64| point(1, Bill { sent, peak, ..Bill::default() });
        let points = [point(10, 9), point(20, 5)];
        assert_eq!(front_by(Axis::Sent, &points, &[1, 1]), [true, false]);
        assert_eq!(front_by(Axis::Peak, &points, &[1, 1]), [false, true]);
    }

    #[test]
    fn every_place_has_its_values() {
        let policy = Policy::default();
        let vary = ["summarise.on=true,false", "summarise.target=1..3"]
            .map(|text| Vary::parse(text, &policy, 200_000).unwrap());
        assert_eq!(combinations(&vary), 6);
        let shown: Vec<String> =
            (0..6).map(|at| values_at(&vary, at).iter().map(Value::plain).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(shown, ["true 1", "true 2", "true 3", "false 1", "false 2", "false 3"]);
    }
}
