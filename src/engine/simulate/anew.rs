//! What an agent loads once, until a compaction takes it: rules above all. It comes in again where the agent loaded it
//! anew, or where a file that it is for is read again (source 5: nested and path rules are lost by a compaction).

use crate::engine::plan::{NONE, Plan};
use crate::model::{EntryId, Event, Layer};

use super::piece::{Label, Named, Piece};
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
            let Some(number) = number.copied().filter(|number| self.is_gone(*number)) else { continue };
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

    /// Whether a compaction took a piece, and neither it nor what came back of it stands in the window; of what a path
    /// called in, also whether it left with a branch of the history.
    fn is_gone(&self, number: u32) -> bool {
        let Some(piece) = self.pieces.get(number as usize).filter(|_| !self.standing_at(number)) else { return false };
        let ended = piece.life.ended_by.and_then(|id| self.events.get(id.0 as usize));
        let back = |other: &Piece| match (other.label, piece.label) {
            (Label::Item(one), Label::Item(other)) => one == other,
            (Label::Given(one), Label::Given(other)) => one == other,
            _ => false,
        };
        // Only files and skills come back with a summary.
        let may = matches!(piece.layer, Layer::Files | Layer::Skills);
        let taken = |event: &Event| event.stage.summarises() && event.took.contains(&EntryId(number));
        let left = |event: &Event| event.stage.is_history() && matches!(piece.label, Label::Given(_));
        ended.is_some_and(|event| taken(event) || left(event))
            && !(may && self.standing().filter_map(|other| self.pieces.get(other as usize)).any(back))
    }

    /// What was loaded or told behind all that is left of the history, where something left behind that, at a place up
    /// to this one: it went with the branch. Attached files stay, which the user gave for a step.
    pub(super) fn unload(&mut self, last: u32) -> Vec<u32> {
        let mut leaves = Vec::new();
        for number in self.slots.iter().rev().map(|slot| slot.piece).filter(|number| *number != NONE) {
            let Some(piece) = self.pieces.get(number as usize) else { break };
            let told = match piece.label {
                Label::Fixed(Named::Usage) => true,
                Label::Given(_) => matches!(piece.layer, Layer::Instructions | Layer::Notices) && !piece.fixed,
                _ => false,
            };
            if told || self.anew.came.contains(&number) {
                leaves.push(number);
            } else if piece.item != NONE || matches!(piece.label, Label::Fixed(Named::Summary | Named::Turn)) {
                if piece.slot() > last {
                    return Vec::new();
                }
                break;
            }
        }
        self.anew.came.retain(|number| !leaves.contains(number));
        leaves
    }
}
