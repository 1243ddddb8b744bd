//! What comes in between others: it is numbered as what it stands for or stands beside, so that nothing else grows older.

use super::{History, Item, Unit, index};
use crate::model::{Block, Role};

/// Where something comes in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between {
    /// What leaves there, that it stands for.
    pub instead: Option<u32>,
    /// What stands before it.
    pub before: Option<u32>,
    /// What stands behind it.
    pub after: u32,
}

impl History<'_> {
    /// Gives an item its room and its numbers.
    pub(super) fn place_between(&mut self, made: &mut Item, block: &Block, item: u32, between: Between) {
        made.room = self.rooms.take_before(item, between.after);
        made.instead = between.instead.unwrap_or(made.instead);
        let known = |item: u32| self.plan.items.get(item as usize);
        let same_message = |item: &u32| {
            let other = known(*item).and_then(|other| self.transcript.block(other.block));
            other.is_some_and(|other| other.message == block.message)
        };
        let beside = [between.before, Some(between.after)].into_iter().flatten();
        let like = between.instead.or_else(|| beside.clone().find(same_message));
        if let Some(other) = like.or_else(|| beside.clone().next()).and_then(known) {
            (made.message, made.round, made.turn) = (other.message, other.round, other.turn);
        }
        if let Some(call) = known(made.call) {
            (made.unit, made.round, made.turn) = (call.unit, call.round, call.turn);
        } else if let Some(other) = like.and_then(known) {
            made.unit = other.unit;
        } else {
            made.unit = index(self.units.len());
            self.units.push(Vec::new());
            self.plan.units.push(Unit { from: 0, to: 0, answer: block.role == Role::Assistant });
        }
        if let Some(items) = self.units.get_mut(made.unit as usize) {
            let at = items.iter().rposition(|other| Some(*other) == like).map_or(items.len(), |at| at + 1);
            items.insert(at, item);
        }
    }
}
