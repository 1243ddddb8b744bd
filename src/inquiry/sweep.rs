//! Sweeps: one or two settings over their values, and for each run which facts it keeps and what it costs.

use rayon::prelude::*;

use super::bill::Bill;
use super::dial::with;
use super::life::{Reading, Subject};
use crate::content::Watch;
use crate::engine::{Given, Plan, simulate};
use crate::policy::{Policy, Setting, Value};

/// One setting and the values that it is put to.
pub struct Vary {
    /// The setting.
    pub setting: &'static Setting,
    /// Its values, in order.
    pub values: Vec<Value>,
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The values, one for each setting.
    pub values: Vec<Value>,
    /// Per fact, whether it was there when it was needed.
    pub kept: Vec<bool>,
    /// What the run costs.
    pub bill: Bill,
    /// Whether no other run keeps as many facts for less.
    pub best: bool,
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

/// Runs a sweep on all cores. Combinations that a setting does not allow are left out; so is what comes after a cancel.
#[must_use]
pub fn sweep(
    plan: &Plan,
    given: &Given,
    policy: &Policy,
    vary: &[Vary],
    facts: &[Wanted],
    watch: &Watch,
) -> Vec<Point> {
    let mut combinations: Vec<Vec<Value>> = vec![Vec::new()];
    for vary in vary {
        combinations = combinations
            .iter()
            .flat_map(|before| {
                vary.values.iter().map(|value| before.iter().cloned().chain([value.clone()]).collect::<Vec<_>>())
            })
            .collect();
    }
    watch.expect(combinations.len() as u64);
    let mut points: Vec<Point> = combinations
        .into_par_iter()
        .filter_map(|values| {
            if watch.is_cancelled() {
                return None;
            }
            let changed = vary
                .iter()
                .zip(&values)
                .try_fold(policy.clone(), |policy, (vary, value)| with(&policy, vary.setting, value))?;
            let run = simulate(plan, &changed, given);
            let kept = facts.iter().map(|(subject, step)| Reading::new(subject, &run).is_visible(*step)).collect();
            watch.advance(1);
            Some(Point { values, kept, bill: Bill::of(&run), best: false })
        })
        .collect();
    mark_best(&mut points);
    points
}

/// Marks the Pareto front: facts kept against cost.
fn mark_best(points: &mut [Point]) {
    let all: Vec<(usize, Bill)> = points.iter().map(|point| (point.facts(), point.bill)).collect();
    for (at, point) in points.iter_mut().enumerate() {
        let facts = point.facts();
        point.best = !all.iter().enumerate().any(|(other, (more, bill))| {
            let order = bill.order(&point.bill);
            other != at && ((*more > facts && order.is_le()) || (*more >= facts && order.is_lt()))
        });
    }
}
