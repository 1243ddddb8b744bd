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
    /// What the run costs.
    pub bill: Bill,
}

impl Point {
    /// How many facts it keeps.
    #[must_use]
    pub fn facts(&self) -> usize {
        self.kept.iter().filter(|kept| **kept).count()
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
            let kept = facts.iter().map(|(subject, step)| Reading::new(subject, &run).is_visible(*step)).collect();
            let point = Point { place, values, kept, bill: Bill::of(&run) };
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
/// their settings would keep: they are not on it either, nor is what [`beaten_by_own`] tells of.
#[must_use]
pub fn front_by(axis: Axis, points: &[Point], kept: &[usize]) -> Vec<bool> {
    let mixed = is_mixed(points);
    let beaten = beaten_by_own(points, kept);
    let is_own = |(point, beaten): &(&Point, bool)| !(mixed && point.bill.unwritten() > 0 || *beaten);
    let all = || points.iter().zip(beaten.iter().copied());
    let goes_through = all().any(|one| is_own(&one) && one.0.bill.failed == 0);
    let is_fair = |one: &(&Point, bool)| is_own(one) && (!goes_through || one.0.bill.failed == 0);
    let figure = |bill: &Bill| (bill.failed, axis.of(bill));
    let fair = all().zip(kept).filter(|(one, _)| is_fair(one));
    let runs: Vec<(usize, (u64, f64))> = fair.map(|((point, _), kept)| (*kept, figure(&point.bill))).collect();
    let mut best = front(&runs, |one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))).into_iter();
    all().map(|one| is_fair(&one) && best.next().unwrap_or(false)).collect()
}

/// Of each run whether something stands in for summaries of its, and another, whose summaries are its own or which makes
/// none, keeps as many facts and costs no more: that is as good whatever a model would have written. Where nobody knows
/// what one of them costs, the axis alone tells.
#[must_use]
pub fn beaten_by_own(points: &[Point], kept: &[usize]) -> Vec<bool> {
    let own = || points.iter().zip(kept).filter(|(point, _)| point.bill.unwritten() == 0);
    let costs_no_more =
        |other: &Bill, bill: &Bill| other.dollars.zip(bill.dollars).is_some_and(|(other, dollars)| other <= dollars);
    points
        .iter()
        .zip(kept)
        .map(|(point, kept)| {
            let bill = &point.bill;
            let beats = |(other, keeps): (&Point, &usize)| {
                keeps >= kept && other.bill.failed <= bill.failed && costs_no_more(&other.bill, bill)
            };
            bill.unwritten() > 0 && own().any(beats)
        })
        .collect()
}

/// Whether something stands in for summaries of some runs, and not of others that have any.
#[must_use]
pub fn is_mixed(points: &[Point]) -> bool {
    let any = |is: fn(&Bill) -> bool| points.iter().any(|point| is(&point.bill));
    any(|bill| bill.unwritten() > 0) && any(|bill| bill.unwritten() == 0 && bill.compactions > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

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
        let point = |facts: usize, sent: u64, stood_in: u64| Point {
            place: 0,
            values: Vec::new(),
            kept: vec![true; facts],
            bill: Bill { sent, stood_in, compactions: 1, ..Bill::default() },
        };
        let front = |axis, points: &[Point]| {
            let kept: Vec<usize> = points.iter().map(Point::facts).collect();
            front_by(axis, points, &kept)
        };
        let mixed = [point(3, 10, 1), point(2, 10, 0), point(1, 20, 0)];
        assert_eq!(front(Axis::Sent, &mixed), [false, true, false]);
        let alike = [point(3, 10, 1), point(2, 10, 2)];
        assert_eq!(front(Axis::Cost, &alike), [true, false]);
        assert!(is_mixed(&mixed) && !is_mixed(&alike));
        // The recorded summary does not fit in the run that keeps the most: its sentences are not what a model would say.
        let own = Bill { sent: 10, extracted: 1, ..Bill::default() };
        let extracted = [Point { bill: own, ..point(3, 10, 0) }, point(2, 10, 0)];
        assert_eq!(front(Axis::Sent, &extracted), [false, true]);
        // A run without any summary has none of its own: where the session has none, those that have are no worse for it.
        let none = Bill { sent: 30, ..Bill::default() };
        let unrecorded = [Point { bill: own, ..point(3, 10, 0) }, Point { bill: none, ..point(4, 30, 0) }];
        assert_eq!((front(Axis::Sent, &unrecorded), is_mixed(&unrecorded)), (vec![true, true], false));
    }

    #[test]
    fn where_something_stands_in_what_keeps_as_much_without_it_and_costs_no_more_is_the_best() {
        let point = |facts: usize, sent: u64, dollars: f64, stood_in: u64| Point {
            place: 0,
            values: Vec::new(),
            kept: vec![true; facts],
            bill: Bill { sent, dollars: Some(dollars), stood_in, compactions: stood_in, ..Bill::default() },
        };
        let front = |points: &[Point]| {
            let kept: Vec<usize> = points.iter().map(Point::facts).collect();
            front_by(Axis::Sent, points, &kept)
        };
        let points = [point(18, 69, 10.4, 4), point(21, 75, 10.0, 2), point(21, 76, 8.6, 0)];
        assert_eq!(front(&points), [false, false, true]);
        // One that costs less, or keeps more, is no worse for what stands in.
        assert_eq!(front(&[point(21, 75, 8.0, 2), point(21, 76, 8.6, 0)]), [true, false]);
        assert_eq!(front(&[point(22, 75, 9.0, 2), point(21, 76, 8.6, 0)]), [true, false]);
        // Of unknown cost nobody can say that.
        let unknown = Point { bill: Bill { dollars: None, ..point(18, 69, 0.0, 4).bill }, ..point(18, 69, 0.0, 4) };
        assert_eq!(front(&[unknown, point(21, 76, 8.6, 0)]), [true, true]);
    }

    #[test]
    fn what_is_refused_is_not_the_best_of_what_goes_through() {
        let point = |facts: usize, sent: u64, failed: u64| Point {
            place: 0,
            values: Vec::new(),
            kept: vec![true; facts],
            bill: Bill { sent, failed, ..Bill::default() },
        };
        let front = |points: &[Point]| {
            let kept: Vec<usize> = points.iter().map(Point::facts).collect();
            front_by(Axis::Sent, points, &kept)
        };
        assert_eq!(front(&[point(3, 5, 2), point(1, 9, 0), point(2, 20, 0)]), [false, true, true]);
        // Where none goes through, those that are refused the least come first.
        assert_eq!(front(&[point(2, 5, 2), point(2, 9, 1)]), [false, true]);
    }

    #[test]
    fn what_is_best_depends_on_what_it_is_set_against() {
        let point = |sent: u64, peak: u64| Point {
            place: 0,
            values: Vec::new(),
            kept: vec![true],
            bill: Bill { sent, peak, ..Bill::default() },
        };
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
