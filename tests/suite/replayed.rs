//! Replays under policies of a few settings.

use windowpane::engine::{Given, Plan, simulate};
use windowpane::model::*;
use windowpane::policy::{Policy, set};

/// A policy of single settings over one that cuts nothing.
pub fn policy(settings: &[&str]) -> Policy {
    let mut policy = Policy::default();
    for setting in settings {
        set(&mut policy, setting).unwrap_or_else(|fault| panic!("{fault}"));
    }
    policy
}

pub fn run(plan: &Plan, settings: &[&str]) -> Run {
    simulate(plan, &policy(settings), &Given::default())
}

pub fn stages(run: &Run, stage: Stage) -> Vec<&Event> {
    run.events.iter().filter(|event| event.stage == stage).collect()
}
