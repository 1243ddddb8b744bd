//! Reactive compact, layer 4: the window is over its size, or the model refused the prompt as too long. One harder
//! attempt, then the step is marked failed; never a loop (source 5: circuit breaker).

use std::borrow::Cow;

use crate::engine::simulate::Sim;
use crate::model::{Outcome, Stage};

use super::compact::{Compacted, Dropped, How, compact};
use super::summarise::with_note;

pub(super) fn run(sim: &mut Sim) {
    let settings = &sim.policy.reactive;
    let before = sim.used();
    let over = before > sim.size;
    let refused = is_refused(sim);
    // Whether anything is done about it or not: the same prompt is refused again.
    sim.refused = refused.then_some(before);
    // A summariser's own call has no history to compact.
    if !settings.on || sim.plan.writes_summary || !(over || refused) {
        return;
    }
    let target = settings.target_share.of(sim.policy.summarise.target);
    let (head, tail, unseen) = (crate::policy::Amount::NONE, settings.keep_tail, settings.drop_share.0);
    let limit = aim(before.min(sim.size));
    let Some(compacted) = compact(sim, &How { head, tail, target, unseen, limit, harder: true }) else {
        let mut event = sim.event(Stage::Reactive, "reactive.on");
        (event.threshold, event.measured) = (Some(sim.size), Some(before));
        (event.tokens_before, event.tokens_after) = (Some(before), Some(before));
        event.why = Cow::Borrowed(if over {
            "The window held {measured tokens}, over its size of {threshold}: one harder attempt made it no smaller, the step failed."
        } else {
            "The model refused the prompt as too long at {measured tokens}: one harder attempt made it no smaller, the step failed."
        });
        sim.events.push(event);
        return;
    };
    let Compacted { took, made, call, dropped, note } = compacted;
    let mut event = sim.event(Stage::Reactive, "reactive.on");
    (event.threshold, event.measured) = (Some(sim.size), Some(before));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    (event.took, event.made, event.call) = (took, made, call.map(Box::new));
    event.why = with_note(
        &note,
        match (over, dropped) {
            (true, Dropped::All) => {
                "The window held {measured tokens}, over its size of {threshold}: all that is not kept at its end was dropped, with nothing left to summarise, once."
            }
            (false, Dropped::All) => {
                "The model refused the prompt as too long at {measured tokens}: all that is not kept at its end was dropped, with nothing left to summarise, once."
            }
            (true, Dropped::Oldest) => {
                "The window held {measured tokens}, over its size of {threshold}: the oldest turns were dropped, the rest summarised harder, once."
            }
            (true, Dropped::None) => {
                "The window held {measured tokens}, over its size of {threshold}: its history was summarised harder, once."
            }
            (false, Dropped::Oldest) => {
                "The model refused the prompt as too long at {measured tokens}: the oldest turns were dropped, the rest summarised harder, once."
            }
            (false, Dropped::None) => {
                "The model refused the prompt as too long at {measured tokens}: its history was summarised harder, once."
            }
        },
    );
    sim.events.push(event);
    sim.changed = true;
}

/// To how many tokens a harder attempt brings a window that was too long: with less than a tenth gone, the next request
/// would be too long again.
pub(super) fn aim(tokens: u64) -> u64 {
    tokens / 10 * 9
}

/// Whether the transcript records that the model refused this prompt, and the replayed one is as long.
fn is_refused(sim: &Sim) -> bool {
    let refused = sim.ask().is_some_and(|ask| ask.outcome == Outcome::TooLong);
    refused && (!sim.changed || sim.used() >= aim(sim.size))
}
