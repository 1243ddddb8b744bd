//! What a client knows of its window's size: the usage that came with the newest answer that its history holds, and what
//! came in since. Where the history goes back, that is the answer that it goes back to: the ones behind it left with
//! their reports. A history that holds none (a new session, an answer from before a compaction) is counted as it stands.

use std::borrow::Cow;

use crate::engine::simulate::{Piece, Sim};
use crate::model::{Layer, Role};

/// The newest report in the history.
pub(super) struct LastUsage<'s> {
    sim: &'s Sim<'s>,
    /// The step of its request; 0 before the first.
    step: u32,
    /// Tokens of that request's context.
    pub context: u64,
    /// Pieces that came in since, in order.
    since: Cow<'s, [u32]>,
}

impl<'s> LastUsage<'s> {
    /// As the window of this step stands; `None` where the history went back to where no report is.
    pub fn of(sim: &'s Sim<'s>) -> Option<Self> {
        if !sim.went_back {
            let (step, context) = (sim.step.saturating_sub(1), sim.last_used);
            return Some(LastUsage { sim, step, context, since: sim.new_at_end() });
        }
        if let Some(step) = sim.returned {
            let context = sim.totals_at(step)?.used();
            return Some(LastUsage { sim, step, context, since: sim.new_at_end() });
        }
        let standing: Vec<u32> = sim.standing().collect();
        let answer = |number: &u32| sim.item(*number).filter(|item| item.role == Role::Assistant).map(|item| item.born);
        let (at, born) = standing.iter().enumerate().rev().find_map(|(at, number)| Some((at, answer(number)?)))?;
        let step = born.checked_sub(1)?;
        // What a compaction kept was reported of a window that is no longer there.
        let compacted = sim.summarise.done.last().map_or(0, |done| done.step);
        let totals = sim.totals_at(step).filter(|_| step >= compacted)?;
        let since = standing.get(at + 1..).unwrap_or_default().to_vec();
        Some(LastUsage { sim, step, context: totals.used(), since: Cow::Owned(since) })
    }

    fn since(&self) -> impl DoubleEndedIterator<Item = &'s Piece> {
        self.since.iter().filter_map(|number| self.sim.pieces.get(*number as usize))
    }

    /// Tokens of its answer as reported.
    pub fn reported_output(&self) -> Option<u64> {
        self.sim.plan.ask_of(self.step)?.usage?.output
    }

    /// Tokens of its answer: as reported, else what it brought into the window.
    pub fn output(&self) -> u64 {
        self.reported_output().unwrap_or_else(|| {
            let sim = self.sim;
            if !sim.went_back || sim.returned.is_some() {
                return self.since().filter(|piece| piece.role == Role::Assistant).map(|piece| piece.tokens).sum();
            }
            let own = |number: &u32| {
                sim.item(*number).is_some_and(|item| item.role == Role::Assistant && item.born == self.step + 1)
            };
            let answers = sim.standing().filter(own).filter_map(|number| sim.pieces.get(number as usize));
            answers.map(|piece| piece.tokens).sum()
        })
    }

    /// What came in since the answer, as a client estimates it.
    pub fn sent(&self) -> u64 {
        let sent = self.since().filter(|piece| piece.role != Role::Assistant);
        sent.map(|piece| estimated(self.sim, piece)).sum()
    }

    /// The same of the tool results, and of what the harness says among them, that nothing else comes after.
    pub fn results(&self) -> u64 {
        let own = |piece: &&Piece| piece.layer == Layer::ToolResults || piece.role == Role::System;
        self.since().rev().take_while(own).map(|piece| estimated(self.sim, piece)).sum()
    }
}

/// Tokens of a piece as a client estimates them: four characters each.
fn estimated(sim: &Sim, piece: &Piece) -> u64 {
    match sim.plan.items.get(piece.item as usize) {
        Some(item) if item.chars > 0 && piece.tokens >= item.tokens => item.chars / 4,
        _ => piece.tokens,
    }
}
