//! What an agent loads once, until a compaction takes it: rules above all. It comes in again where the agent loaded it
//! anew, or where a file that it is for is read again (source 5: nested and path rules are lost by a compaction).

use crate::engine::plan::{NONE, Plan};
use crate::model::{EntryId, Layer};

use super::piece::{Label, Piece};
use super::{Given, Sim};

/// What may come in again, and what did.
#[derive(Debug, Default)]
pub(super) struct LoadedAnew {
    /// By step.
    due: Vec<(u32, Loads)>,
    /// How much of that lies behind.
    past: usize,
    /// The pieces that came in again.
    came: Vec<u32>,
}

/// What is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loads {
    /// An item of the history.
    Item(u32),
    /// What was prepared outside.
    Prepared(u32),
}

impl LoadedAnew {
    pub fn of(plan: &Plan, given: &Given) -> LoadedAnew {
        let mut due: Vec<(u32, Loads)> = plan.anew.iter().map(|(step, item)| (*step, Loads::Item(*item))).collect();
        for (number, piece) in (0u32..).zip(&given.prepared) {
            due.extend(piece.anew.iter().map(|step| (*step, Loads::Prepared(number))));
        }
        due.sort_by_key(|(step, _)| *step);
        LoadedAnew { due, ..LoadedAnew::default() }
    }
}

impl Sim<'_> {
    /// Takes in again what is loaded at this step and a compaction has taken.
    pub(super) fn load_anew(&mut self) {
        while let Some((_, loads)) = self.anew.due.get(self.anew.past).copied().filter(|(step, _)| *step <= self.step) {
            self.anew.past += 1;
            let number = match loads {
                Loads::Item(item) => self.piece_of.get(item as usize),
                Loads::Prepared(number) => self.came_as.get(number as usize),
            };
            let Some(number) = number.copied().filter(|number| self.is_compacted(*number)) else { continue };
            let Some(piece) = self.pieces.get(number as usize) else { continue };
            let unit = self.slots.get(piece.slot() as usize).map_or(NONE, |slot| slot.unit);
            let item = piece.item;
            let slot = self.open(unit);
            if let Some(place) = self.slot_of.get_mut(item as usize) {
                *place = slot;
            }
            self.show(number, slot);
            self.new.push(number);
            self.anew.came.push(number);
        }
    }

    /// Whether a compaction took a piece, and neither it nor what came back of it stands in the window.
    fn is_compacted(&self, number: u32) -> bool {
        let Some(piece) = self.pieces.get(number as usize).filter(|_| !self.standing_at(number)) else { return false };
        let ended = piece.life.ended_by.and_then(|id| self.events.get(id.0 as usize));
        let back = |other: &Piece| match (other.label, piece.label) {
            (Label::Item(one), Label::Item(other)) => one == other,
            (Label::Given(one), Label::Given(other)) => one == other,
            _ => false,
        };
        // Only files and skills come back with a summary.
        let may = matches!(piece.layer, Layer::Files | Layer::Skills);
        ended.is_some_and(|event| event.stage.summarises() && event.took.contains(&EntryId(number)))
            && !(may && self.standing().filter_map(|other| self.pieces.get(other as usize)).any(back))
    }

    /// What was loaded anew behind all that is left of the history, where that has gone back.
    pub(super) fn unload(&mut self) -> Vec<u32> {
        if self.anew.came.is_empty() {
            return Vec::new();
        }
        let came = std::mem::take(&mut self.anew.came);
        let of_history = |number: &u32| {
            self.pieces.get(*number as usize).is_some_and(|piece| piece.item != NONE) && !came.contains(number)
        };
        let slot = |number: u32| self.pieces.get(number as usize).map_or(0, Piece::slot);
        let last = self.standing().filter(of_history).map(slot).max().unwrap_or(0);
        let (stays, leaves) =
            came.into_iter().filter(|number| self.standing_at(*number)).partition(|it| slot(*it) <= last);
        self.anew.came = stays;
        leaves
    }
}
