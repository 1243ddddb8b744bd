//! Rooms: places that are kept free for what comes in between others later, see [`Plan::rooms`].

use std::borrow::Cow;

use crate::engine::plan::{NONE, Plan};

use super::Sim;

/// The rooms so far.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    /// The place of each.
    places: Vec<u32>,
    /// How many places were taken at the end, and how many rooms stand before them.
    ends: u32,
    open: usize,
    /// The newest step at which something came into one.
    used: u32,
}

impl Rooms {
    pub fn of(plan: &Plan) -> Rooms {
        Rooms { places: vec![NONE; plan.rooms.len()], ..Rooms::default() }
    }
}

impl Sim<'_> {
    /// The place of what comes in next: its room; [`NONE`] where it comes in at the end, before which the rooms then stand
    /// that are to be there.
    pub(super) fn room(&mut self, room: u32, unit: u32) -> u32 {
        if room == NONE {
            while let Some((_, room)) = self.plan.rooms.get(self.rooms.open).filter(|(end, _)| *end == self.rooms.ends)
            {
                self.rooms.open += 1;
                let place = self.open(NONE);
                if let Some(known) = self.rooms.places.get_mut(*room as usize) {
                    *known = place;
                }
            }
            self.rooms.ends += 1;
            return NONE;
        }
        let place = self.rooms.places.get(room as usize).copied().unwrap_or(NONE);
        let Some(slot) = self.slots.get_mut(place as usize).filter(|slot| slot.piece == NONE) else { return NONE };
        (slot.unit, slot.room) = (unit, self.step);
        self.rooms.used = self.step;
        place
    }

    /// What came in at this step behind all that stood before. What a return to an earlier window left standing came into
    /// its room at the step behind that one.
    pub fn new_at_end(&self) -> Cow<'_, [u32]> {
        if self.rooms.used != self.step && self.returned.is_none() {
            return Cow::Borrowed(&self.new);
        }
        let place =
            |piece: &u32| self.pieces.get(*piece as usize).and_then(|piece| self.slots.get(piece.slot() as usize));
        let is_end = |piece: &u32| {
            place(piece).is_none_or(|place| place.room <= self.returned.unwrap_or(self.step.saturating_sub(1)))
        };
        self.new.iter().copied().filter(is_end).collect()
    }
}
