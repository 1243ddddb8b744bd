//! The simulated track: a full history under a policy, step by step.
//!
//! Pure and numbers only: the same plan, policy and given pieces make the same run.

mod anew;
mod back;
mod branch;
mod finish;
mod given;
mod piece;
mod places;
mod rooms;
mod sums;
mod window;

pub use given::{Given, Prepared, Shift};
pub(super) use piece::{Content, Label, Named, Names, Piece};
pub(super) use window::Sim;

use crate::model::{EntryId, Run};
use crate::policy::Policy;

use super::asked::Wanted;
use super::plan::{Feed, NONE, Plan};
use super::recall::Remembered;
use super::stages;
use crate::content::Watch;

/// Replays a history under a policy.
#[must_use]
pub fn simulate(plan: &Plan, policy: &Policy, given: &Given) -> Run {
    replayed(plan, policy, given, NONE, &Watch::default()).finish()
}

/// The same, and of each step the pieces that stood in their places when its request was made. The lifetimes of the run
/// have to say the same of every window.
#[must_use]
pub fn simulate_standing(plan: &Plan, policy: &Policy, given: &Given) -> (Run, Vec<Vec<EntryId>>) {
    let mut windows = Vec::new();
    let watch = Watch::default();
    let sim = seen(plan, policy, given, NONE, &watch, |sim| windows.push(sim.standing().map(EntryId).collect()));
    (sim.finish(), windows)
}

/// The same up to a step, and what became of its memories by then; `None` where the watch is cancelled on the way.
#[must_use]
pub fn simulate_remembering(
    plan: &Plan,
    policy: &Policy,
    given: &Given,
    last: u32,
    watch: &Watch,
) -> Option<(Run, Remembered)> {
    let sim = replayed(plan, policy, given, last, watch);
    if watch.is_cancelled() {
        return None;
    }
    let remembered = sim.memory.log.clone();
    Some((sim.finish(), remembered))
}

/// Replays a history, and tells what a model would have had to say and nobody knows yet: see [`super::Answers`].
#[must_use]
pub fn simulate_asking(plan: &Plan, policy: &Policy, given: &Given) -> (Run, Vec<Wanted>) {
    let mut sim = replayed(plan, policy, given, NONE, &Watch::default());
    let wanted = std::mem::take(&mut sim.wanted);
    (sim.finish(), wanted)
}

fn replayed<'a>(plan: &'a Plan, policy: &'a Policy, given: &'a Given, last: u32, watch: &Watch) -> Sim<'a> {
    seen(plan, policy, given, last, watch, |_| ())
}

/// `see` is shown the end of every step.
fn seen<'a>(
    plan: &'a Plan,
    policy: &'a Policy,
    given: &'a Given,
    last: u32,
    watch: &Watch,
    mut see: impl FnMut(&Sim<'a>),
) -> Sim<'a> {
    let mut sim = Sim::new(plan, policy, given);
    let (mut item, mut next) = (0u32, 0usize);
    for step in 1..=plan.steps().min(last) {
        if watch.is_cancelled() {
            break;
        }
        sim.begin(step);
        sim.take_prepared(true);
        while let Some(feed) = plan.feed.get(next) {
            next += 1;
            match feed {
                Feed::Admit(to) => {
                    for item in item..*to {
                        sim.admit(item);
                    }
                    item = *to;
                }
                Feed::Back(at) => {
                    sim.back(*at);
                    sim.forget_gone();
                }
                Feed::Manual(at) => sim.asked = Some(*at),
                Feed::Ask => break,
            }
        }
        sim.take_prepared(false);
        sim.load_anew();
        sim.adjust();
        stages::run(&mut sim);
        sim.end_step();
        see(&sim);
    }
    sim
}
