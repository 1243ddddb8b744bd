//! Reasoning of earlier answers is taken out of the window: only the newest answers that have any keep it.

use std::collections::VecDeque;

use crate::engine::plan::{Item, NONE};
use crate::engine::simulate::Sim;
use crate::model::{BlockKind, EventId, Fate, Layer};

/// Answers with reasoning, kept up from step to step.
#[derive(Debug, Default)]
pub(in crate::engine) struct ThinkingState {
    /// Pieces by round, oldest first.
    pieces: VecDeque<(u32, u32)>,
    rounds: VecDeque<u32>,
    /// Whether the history went back since: what stands is looked at anew.
    anew: bool,
}

impl ThinkingState {
    /// Says that the history went back: what was the newest of it is so no more.
    pub fn look_again(&mut self) {
        self.anew = true;
    }

    fn take(&mut self, item: &Item, piece: u32) {
        if item.layer == Layer::Thinking || item.kind == BlockKind::Thinking {
            if self.rounds.back() != Some(&item.round) {
                self.rounds.push_back(item.round);
            }
            self.pieces.push_back((item.round, piece));
        }
    }
}

/// Takes out reasoning of all but the newest answers that have any. Returns the pieces, and how many answers had some.
pub(super) fn clear(sim: &mut Sim, id: EventId) -> (Vec<u32>, usize) {
    let mut state = std::mem::take(&mut sim.thinking);
    let take = |state: &mut ThinkingState, number| {
        if let Some(item) = sim.item(number) {
            state.take(item, number);
        }
    };
    if state.anew {
        state = ThinkingState::default();
        for number in sim.standing() {
            take(&mut state, number);
            // What a line stands for may be shown in full again.
            let line = sim.pieces.get(number as usize).filter(|piece| piece.fate == Fate::Collapsed);
            line.into_iter().flat_map(|line| &line.from).for_each(|folded| take(&mut state, folded.0));
        }
    } else {
        sim.new.iter().for_each(|number| take(&mut state, *number));
    }
    sim.thinking = state;
    let keep = usize::try_from(sim.policy.thinking.keep_turns).unwrap_or(usize::MAX);
    let answers = sim.thinking.rounds.len();
    while sim.thinking.rounds.len() > keep {
        sim.thinking.rounds.pop_front();
    }
    let oldest = sim.thinking.rounds.front().copied().unwrap_or(NONE);
    let mut gone = Vec::new();
    while sim.thinking.pieces.front().is_some_and(|(round, _)| *round < oldest) {
        let Some((_, number)) = sim.thinking.pieces.pop_front() else { break };
        if sim.standing_at(number) {
            sim.hide(number, Some(id));
            gone.push(number);
        }
    }
    (gone, answers)
}
