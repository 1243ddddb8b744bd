//! What took a fact that no setting of a policy decides: the user, the history itself, or the provider.

use std::borrow::Cow;

use super::life::Reading;
use super::stay::{Sight, Stay};
use super::whatif::Trials;
use crate::engine::{StepFacts, recorded};
use crate::model::rules::{MANUAL_COMPACT, THINKING_DROPPED};
use crate::model::{Event, Layer, Run, Stage};

impl Trials<'_> {
    /// What was recorded, where replays leave out compactions of it.
    pub(super) fn recorded(&self) -> Option<Run> {
        let leaves_out = !self.policy.replay.manual && !self.plan.boundaries.is_empty();
        leaves_out.then(|| recorded(self.subject.transcript, self.plan.thread, |_| StepFacts::default()))
    }

    /// When a compaction that the user asked for took the fact in the recorded `run`. Where another one took it and a
    /// replay `holds` it, the last that the user asked for before that, with when it was taken.
    pub(super) fn by_user(&self, run: &Run, reading: &Reading, holds: bool) -> Option<(u32, Option<u32>)> {
        if reading.is_visible(self.step) {
            return None;
        }
        let asked = |event: &Event| event.rule == MANUAL_COMPACT;
        let lives = self.subject.places.iter().filter_map(|place| reading.life(place));
        let lost = lives.filter(|(first, _)| *first <= self.step).filter_map(|(_, stays)| {
            let gone = last_loss(&stays, self.step)?;
            Some((gone.from, gone.event.and_then(|id| run.event(id)).is_some_and(asked)))
        });
        // What took it last.
        let (step, by_user) = lost.max()?;
        if by_user {
            return Some((step, None));
        }
        let before = run.events.iter().filter(|event| asked(event) && event.step <= step).map(|event| event.step);
        before.max().filter(|_| holds).map(|asked| (asked, Some(step)))
    }

    /// The compaction that the user asked for whose summary says the fact in the recorded `run`, and whether a replay that
    /// does not leave such ones out holds it.
    pub(super) fn kept(&self, run: &Run, reading: &Reading) -> Option<(u32, bool)> {
        let shown = reading.shows(self.step)?;
        let made_by = run.entry(shown)?.made_by?;
        let event = run.event(made_by).filter(|event| event.rule == MANUAL_COMPACT)?;
        let mut policy = self.policy.clone();
        policy.replay.manual = true;
        Some((event.step, self.holds(&policy)))
    }

    /// The stage and the rule by which the history itself took the fact in a run before the step: the last of them.
    pub(super) fn taken_by(&self, run: &Run, reading: &Reading) -> Option<(Stage, Cow<'static, str>)> {
        let lost = self.subject.places.iter().filter_map(|place| {
            let (first, stays) = reading.life(place)?;
            let stay = last_loss(&stays, self.step).filter(|_| first <= self.step)?;
            let is_reasoning =
                self.subject.transcript.block(place.block).is_some_and(|block| block.layer == Layer::Thinking);
            let taken = match stay.decided(run) {
                Some(event) => event.stage.is_history().then(|| (event.stage, event.rule.clone())),
                // What is never sent is taken by no event.
                None => is_reasoning.then_some((Stage::Reasoning, Cow::Borrowed(THINKING_DROPPED))),
            };
            Some((stay.from, taken))
        });
        lost.max_by_key(|(from, _)| *from)?.1
    }
}

/// The stay that begins a fact's absence at a step.
pub(super) fn last_loss(stays: &[Stay], step: u32) -> Option<&Stay> {
    let mut before = stays.iter().rev().skip_while(|stay| stay.from > step).peekable();
    // What a refused request keeps from the model is lost by that; what was lost before was lost by something else.
    if let Some(now) = before.next_if(|stay| stay.sight == Sight::Refused) {
        return Some(now);
    }
    let gone = before.take_while(|stay| !stay.sight.is_visible());
    gone.filter(|stay| stay.sight != Sight::Refused).last()
}
