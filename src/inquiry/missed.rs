//! A recorded answer that says a fact which the window that it was made from did not hold: there it was needed.

use super::fact::{Fact, Query};
use super::need::Need;
use super::stay::Sight;
use super::trace::{Trace, loss};
use crate::model::{Run, Track};

/// The first request of a replay, up to the step at which a fact was needed, whose recorded answer says it although
/// nothing in its window did. What the model wrote there it could not have written: it does not show what it had. `None`
/// where the fact is there, or gone, without such an answer.
pub(super) fn missed(trace: &Trace, fact: &Fact, run: &Run) -> Option<Need> {
    // What fits a pattern or means the like may be another fact.
    if run.track != Track::Simulated || !matches!(fact.query, Query::Literal(_)) {
        return None;
    }
    let step = trace.need.step();
    let came = trace.origin()?.first?;
    let answers = trace.occurrences.iter().filter(|one| one.first.is_some()).filter_map(|one| one.written);
    let missed = answers.filter(|at| (came..=step).contains(at) && is_nowhere(trace, *at)).min()?;
    let is_answered = match trace.need {
        Need::Given(_) | Need::Answered(_) => false,
        Need::End(_) => true,
        Need::Asked(..) => rests_on_answers(trace, step, missed),
    };
    is_answered.then_some(Need::Answered(missed))
}

/// Whether nothing in the window of a step says a fact, nor may say a part of it or the like.
fn is_nowhere(trace: &Trace, step: u32) -> bool {
    let gone = |sight: Sight| matches!(sight, Sight::Pointer | Sight::Unpacked | Sight::Marker | Sight::Gone);
    trace.best_at(step).is_some_and(|(_, stay)| gone(stay.sight))
}

/// Whether what the model wrote after a request is all that shows a fact at a step, or showed it last before.
fn rests_on_answers(trace: &Trace, step: u32, request: u32) -> bool {
    let written = |at: usize| {
        trace.occurrences.get(at).is_some_and(|one| one.by_model && one.first.is_some_and(|first| first > request))
    };
    let mut shown = (0..trace.occurrences.len())
        .filter(|at| trace.occurrences[*at].at(step).is_some_and(|stay| stay.sight.is_visible()))
        .peekable();
    match shown.peek() {
        Some(_) => shown.all(written),
        None => loss(trace, step).is_some_and(|loss| written(loss.occurrence)),
    }
}
