//! From the simulator's own state to a run.

use std::sync::Arc;

use smallvec::smallvec;

use crate::engine::plan::Ask;
use crate::engine::stages;
use crate::model::{Entry, Run, Totals, Track, WindowSource};

use crate::policy::{MeasureOf, Reserve, Size, Summarise};

use super::Shift;
use super::piece::{Names, Piece};
use super::window::Sim;

impl<'a> Sim<'a> {
    /// Begins a step.
    pub(super) fn begin(&mut self, step: u32) {
        self.step = step;
        self.new.clear();
        self.before = self.used();
        self.changed_before = self.changed;
        (self.asked, self.refused, self.went_back, self.returned) = (None, None, false, None);
        self.calls.clear();
        self.lowest = super::super::plan::index(self.slots.len());
        let Some(ask) = self.ask() else { return };
        // What the user says of the window stands over a policy, a policy over what was recorded.
        let by_policy = self.policy.window.size > 0 && ask.window_source != WindowSource::User;
        self.size = if by_policy { self.policy.window.size } else { ask.window_tokens };
        self.size_source = if by_policy { WindowSource::Policy } else { ask.window_source };
    }

    /// The request of this step, as the plan has it.
    pub fn ask(&self) -> Option<&'a Ask> {
        self.plan.ask_of(self.step)
    }

    /// The sums of a step that was made.
    pub fn totals_at(&self, step: u32) -> Option<&Totals> {
        self.totals.get((step as usize).checked_sub(1)?)
    }

    /// The change of the agent's figures that holds at this step.
    fn shift(&self) -> Option<&'a Shift> {
        self.given.shifts.iter().rfind(|shift| shift.step <= self.step)
    }

    /// The threshold of a summary and what is compared with it, by the agent's version at this step.
    pub fn summarise_at(&self) -> (Size, MeasureOf) {
        let own = &self.policy.summarise;
        let same = |from: &Summarise| (from.at, from.of, from.measure) == (own.at, own.of, own.measure);
        let of = self.shift().filter(|shift| same(&shift.from.summarise)).map_or(own, |shift| &shift.to.summarise);
        (of.at, of.measure)
    }

    /// What is kept free, by the agent's version at this step.
    pub fn reserve(&self) -> &'a Reserve {
        let own = &self.policy.reserve;
        self.shift().filter(|shift| shift.from.reserve == *own).map_or(own, |shift| &shift.to.reserve)
    }

    /// Ends a step.
    pub(super) fn end_step(&mut self) {
        stages::end_step(self);
        self.note_end();
    }

    /// The run that was made.
    pub(super) fn finish(self) -> Run {
        let (plan, names) = (self.plan, Names::of(self.plan, self.given));
        let entry = |piece: Piece| Entry {
            layer: piece.layer,
            role: piece.role,
            fate: piece.fate,
            label: names.of_piece(&piece),
            content: piece.content.made(plan.items.get(piece.item as usize)),
            tokens: piece.tokens,
            original_tokens: piece.original.max(piece.tokens),
            estimated: piece.estimated,
            from: piece.from,
            made_by: piece.made_by,
            lives: smallvec![piece.life],
        };
        let mut entries: Vec<Entry> = self.pieces.into_iter().map(entry).collect();
        for (number, life) in self.earlier {
            if let Some(lives) = entries.get_mut(number as usize).map(|entry| &mut entry.lives) {
                lives.insert(lives.len() - 1, life);
            }
        }
        Run {
            entries,
            steps: Arc::new(self.steps),
            events: self.events,
            files: self.files,
            attached: self.attached,
            totals: self.totals,
            provisional: self.provisional,
            ..Run::new(Track::Simulated, plan.thread)
        }
    }
}
