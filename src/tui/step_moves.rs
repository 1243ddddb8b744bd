//! From step to step: where each action leads, on one track or on several at once.

use std::sync::Arc;

use crate::config::Action;

use super::scene::{Marks, RunIndex};

/// Where an action leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this step; beyond the last one, to that.
    Step(u32),
    /// There is no such step.
    Nowhere,
}

/// Where an action leads from a step: to the nearest on any of the runs. `None` where it does not go from step to step.
#[must_use]
pub fn target(action: Action, from: u32, runs: &[&Arc<RunIndex>]) -> Option<Target> {
    let marked = |forward: bool, wanted: &dyn Fn(Marks) -> bool| {
        let found = runs.iter().filter_map(|run| run.next_marked(from, forward, wanted));
        let nearest = if forward { found.min() } else { found.max() };
        nearest.map_or(Target::Nowhere, Target::Step)
    };
    let compacts = |marks: Marks| marks.has(Marks::COMPACTION);
    let turns = |marks: Marks| marks.has(Marks::USER);
    Some(match action {
        Action::NextStep => Target::Step(from.saturating_add(1)),
        Action::PreviousStep => Target::Step(from.saturating_sub(1).max(1)),
        Action::NextSteps => Target::Step(from.saturating_add(10)),
        Action::PreviousSteps => Target::Step(from.saturating_sub(10).max(1)),
        Action::FirstStep => Target::Step(1),
        Action::LastStep => Target::Step(u32::MAX),
        Action::NextEvent => marked(true, &Marks::acts),
        Action::PreviousEvent => marked(false, &Marks::acts),
        Action::NextCompaction => marked(true, &compacts),
        Action::PreviousCompaction => marked(false, &compacts),
        Action::NextTurn => marked(true, &turns),
        Action::PreviousTurn => marked(false, &turns),
        _ => return None,
    })
}

/// Why an action that goes from step to step goes nowhere, where it does not.
#[must_use]
pub fn nowhere(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::NextStep | Action::NextSteps | Action::LastStep => "this is the last step",
        Action::PreviousStep | Action::PreviousSteps | Action::FirstStep => "this is the first step",
        Action::NextEvent => "no event comes after this step",
        Action::PreviousEvent => "no event comes before this step",
        Action::NextCompaction => "no compaction comes after this step",
        Action::PreviousCompaction => "no compaction comes before this step",
        Action::RunOn => "this stage does not act after this step",
        Action::RunBack => "this stage does not act before this step",
        Action::NextTurn => "nobody writes after this step",
        Action::PreviousTurn => "nobody wrote before this step",
        Action::GoToBirth => "the entry came in at this step",
        Action::GoToDeath => "the entry is there to the end",
        _ => return None,
    })
}
