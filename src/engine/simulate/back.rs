//! The history going back: what left leaves, what a compaction in between had taken comes back.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::plan::{Item, NONE};
use crate::model::{EntryId, EntryIds, Fate, RewindCause, Role, rules};

use super::Sim;
use super::piece::{Label, Named};
use crate::engine::stages::restore;
use crate::policy::NoticeKeep;

impl Sim<'_> {
    /// Goes back, or takes single items out.
    pub(super) fn back(&mut self, at: u32) {
        let plan = self.plan;
        let Some(back) = plan.backs.get(at as usize) else { return };
        let event = self.next_event();
        let leaves = back.cause != RewindCause::ThinkingDropped;
        let (mut took, mut made, mut unseen) = (EntryIds::new(), EntryIds::new(), false);
        let mut unsent: Vec<u32> = Vec::new();
        self.journal.goes(&back.removed, true);
        back.again.iter().for_each(|(item, _)| self.journal.goes(&[*item], false));
        let is_said = |item: &u32| plan.items.get(*item as usize).is_some_and(Item::is_conversation);
        let says = back.removed.iter().any(is_said);
        self.went_back |= leaves && says;
        let mut removed = std::borrow::Cow::Borrowed(&back.removed);
        if let Some(last) = back.to {
            removed.to_mut().extend(self.journal.edited_after(last));
            let returned = self.return_to(last, event);
            for piece in returned.left {
                let stood = self.stood(piece);
                took.extend(Some(EntryId(piece)).filter(|_| stood));
                unseen |= !stood;
            }
            made.extend(returned.came.iter().map(|piece| EntryId(*piece)));
            let answers = |piece: &u32| self.item(*piece).is_some_and(|item| item.role == Role::Assistant);
            self.returned = Some(last).filter(|_| returned.new.iter().any(answers));
            self.new.extend(returned.new);
        }
        if leaves {
            self.undo_compactions(&removed, &mut took, &mut made);
        }
        for item in removed.iter() {
            // A turn that is shown as a line comes back first, so that a part of it can leave.
            if let Some(unit) = plan.items.get(*item as usize).map(|item| item.unit) {
                restore(self, unit, Some(event), &mut took, &mut made);
            }
            let came = self.piece_of.get(*item as usize).and_then(|piece| self.pieces.get(*piece as usize));
            if let (Some(about), Some(came)) =
                (plan.items.get(*item as usize), came.filter(|came| came.life.born < self.step))
            {
                self.collapse.leave(about.unit, came.tokens);
            }
            let piece = self.standing_for(*item);
            if piece != NONE {
                self.journal.edits(self.step, *item);
                if leaves && self.pieces.get(piece as usize).is_some_and(|piece| piece.life.born < self.step) {
                    self.summarise.tally.forget(plan.items.get(*item as usize).map_or(0, |item| item.hidden));
                }
                if self.stood(piece) {
                    self.hide(piece, Some(event));
                    took.push(EntryId(piece));
                } else {
                    // What came in since the last request was in no window: leaving reasoning out takes nothing then.
                    self.hide(piece, Some(event).filter(|_| leaves));
                    unseen |= leaves;
                    unsent.extend(Some(piece).filter(|_| !leaves));
                }
            }
        }
        if leaves && back.to.is_none() {
            let places = removed.iter().filter_map(|item| self.slot_of.get(*item as usize).copied());
            let last = places.filter(|place| *place != NONE).max();
            for piece in self.unload(last.unwrap_or(0)) {
                let stood = self.stood(piece);
                self.hide(piece, Some(event));
                if stood {
                    took.push(EntryId(piece));
                }
                unseen |= !stood;
            }
        }
        if leaves && says && back.to.is_none() {
            self.look_again((0, 0), self.step.saturating_sub(1));
        }
        for (item, room) in &back.again {
            let number = self.piece_of.get(*item as usize).copied().unwrap_or(NONE);
            let unit = plan.items.get(*item as usize).map_or(NONE, |item| item.unit);
            let room = self.room(*room, unit);
            if number == NONE || self.standing_at(number) {
                continue;
            }
            let slot = if room == NONE { self.open(unit) } else { room };
            self.slot_of[*item as usize] = slot;
            self.show(number, slot);
            made.push(EntryId(number));
            self.new.push(number);
        }
        let (took, made) = in_all(took, made);
        if took.is_empty() && made.is_empty() && !unseen {
            return;
        }
        for piece in unsent {
            if let Some(piece) = self.pieces.get_mut(piece as usize) {
                piece.life.ended_by = Some(event);
            }
        }
        let (rule, why) = match back.cause {
            RewindCause::Rewound | RewindCause::Edited if took.is_empty() && made.is_empty() => (
                rules::REPLAYED_REWIND,
                "The history went back to an earlier message, or was edited: only what no request had held yet left.",
            ),
            RewindCause::Rewound | RewindCause::Edited => (
                rules::REPLAYED_REWIND,
                "The history went back to an earlier message, or was edited: {took pieces} left, {made} came back.",
            ),
            RewindCause::ThinkingDropped if !made.is_empty() => (
                rules::REPLAYED_THINKING_DROPPED,
                "The provider drops the reasoning of earlier turns: {took pieces} left, {made} came back.",
            ),
            RewindCause::ThinkingDropped => (
                rules::REPLAYED_THINKING_DROPPED,
                "The provider drops the reasoning of earlier turns: {took pieces} left.",
            ),
            RewindCause::NewSession if !made.is_empty() => (
                rules::REPLAYED_NEW_SESSION,
                "A new session begins: {took pieces} of the one before left, {made} came back.",
            ),
            RewindCause::NewSession => {
                (rules::REPLAYED_NEW_SESSION, "A new session begins: {took pieces} of the one before left.")
            }
        };
        let mut told = self.event(back.cause.stage(), rule);
        told.why = std::borrow::Cow::Borrowed(why);
        told.record = Some(back.record);
        (told.took, told.made) = (took, made);
        self.events.push(told);
    }

    /// Whether a piece was in the window of an earlier step.
    fn stood(&self, number: u32) -> bool {
        self.pieces.get(number as usize).is_some_and(|piece| piece.stood || piece.life.born < self.step)
    }

    /// What came in at this step and left again was never sent; what came in twice came in once.
    pub(super) fn forget_gone(&mut self) {
        let mut seen = FxHashSet::default();
        let new = std::mem::take(&mut self.new);
        self.new = new.into_iter().filter(|piece| self.standing_at(*piece) && seen.insert(*piece)).collect();
    }

    /// Opens an empty place at the end.
    pub(super) fn open(&mut self, unit: u32) -> u32 {
        let slot = super::super::plan::index(self.slots.len());
        self.slots.push(super::piece::Slot::of(unit));
        self.sums.push(0);
        slot
    }

    /// Takes back the compactions that covered any of these items: what they had covered stands there again.
    fn undo_compactions(&mut self, removed: &[u32], took: &mut EntryIds, came: &mut EntryIds) {
        let first = removed
            .iter()
            .filter_map(|item| self.piece_of.get(*item as usize).copied())
            .filter_map(|piece| self.summarise.covered_by(piece))
            .min();
        let Some(first) = first else { return };
        while self.summarise.done.len() > first {
            let Some(done) = self.summarise.done.pop() else { return };
            for made in done.made {
                if self.standing_at(made) {
                    self.hide(made, Some(self.next_event()));
                    took.push(EntryId(made));
                }
            }
            for (piece, slot) in done.took {
                self.summarise.uncover(piece);
                self.bring_back(piece, slot, took, came);
            }
        }
    }

    /// Shows what a compaction had covered; in place of a line the turn that it stood for.
    fn bring_back(&mut self, number: u32, slot: u32, took: &mut EntryIds, came: &mut EntryIds) {
        let Some(piece) = self.pieces.get(number as usize) else { return };
        if matches!(piece.label, Label::Fixed(Named::Usage)) && self.policy.notice.keep == NoticeKeep::Last {
            // The next notice stands for it.
            return;
        }
        if piece.fate == Fate::Collapsed {
            for original in piece.from.clone() {
                let slot = self.pieces.get(original.0 as usize).map_or(NONE, |piece| piece.slot());
                self.bring_back(original.0, slot, took, came);
            }
            return;
        }
        if self.slots.get(slot as usize).is_some_and(|slot| slot.piece == NONE) {
            let item = piece.item;
            if self.standing_at(number) {
                // It was loaded anew further on.
                self.hide(number, Some(self.next_event()));
                took.push(EntryId(number));
                if let Some(place) = self.slot_of.get_mut(item as usize) {
                    *place = slot;
                }
            }
            self.show(number, slot);
            came.push(EntryId(number));
            self.new.push(number);
        }
    }
}

/// Of all that left and all that came on the way, what left and what came in all: a compaction that is undone brings back
/// what then leaves with the history, and that neither stood before nor does so now.
fn in_all(took: EntryIds, made: EntryIds) -> (EntryIds, EntryIds) {
    if made.is_empty() {
        return (took, made);
    }
    let mut balance: FxHashMap<EntryId, i32> = FxHashMap::default();
    took.iter().for_each(|id| *balance.entry(*id).or_default() -= 1);
    made.iter().for_each(|id| *balance.entry(*id).or_default() += 1);
    // Each once.
    let mut each = |ids: EntryIds, way: i32| -> EntryIds {
        ids.into_iter().filter(|id| balance.get(id) == Some(&way) && balance.remove(id).is_some()).collect()
    };
    let took = each(took, -1);
    (took, each(made, 1))
}
