//! A history that goes back for good undoes what was decided on the branch that it leaves: the window stands again as it
//! did where the branch began, as though nothing of it had come. Only what is kept outside the window stays, memories
//! and virtual files.

use rustc_hash::FxHashMap;

use crate::engine::plan::{Item, NONE, Plan, index};
use crate::model::{EventId, Fate, Layer};

use super::Sim;
use super::piece::{Label, Named};
use crate::engine::stages::Tally;

/// What changed from step to step. Kept only where a history goes back at all.
#[derive(Debug, Default)]
pub(super) struct Journal {
    on: bool,
    /// By step.
    changes: Vec<Change>,
    /// By step.
    ends: Vec<End>,
    /// Per item, whether it has left the history.
    left: Vec<bool>,
    /// Items that were edited out of the midst of the history, by step: they do not stand again with what was around.
    edited: Vec<(u32, u32)>,
}

/// Another piece at a place.
#[derive(Clone, Copy, Debug)]
struct Change {
    step: u32,
    place: u32,
    before: u32,
    after: u32,
}

/// What a step left beside its window.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    step: u32,
    /// How many places there were.
    places: u32,
    /// See [`Sim::changed`].
    changed: bool,
    /// Units whose references were followed.
    seen: u32,
    /// The first result and the first unit that were among the newest.
    newest: (u32, u32),
    tally: Tally,
}

/// What a return to an earlier window took out and brought back.
#[derive(Debug, Default)]
pub(super) struct Returned {
    pub left: Vec<u32>,
    pub came: Vec<u32>,
    /// What came in behind the step and stays: it is new to the request that is made now.
    pub new: Vec<u32>,
}

impl Journal {
    pub fn of(plan: &Plan) -> Journal {
        let on = !plan.backs.is_empty();
        Journal { on, left: vec![false; if on { plan.items.len() } else { 0 }], ..Journal::default() }
    }

    /// Notes that another piece stands at a place.
    pub fn note(&mut self, step: u32, place: u32, before: u32, after: u32) {
        if self.on {
            self.changes.push(Change { step, place, before, after });
        }
    }

    /// Notes what leaves the history, and what comes in again.
    pub fn goes(&mut self, items: &[u32], left: bool) {
        for item in items {
            if let Some(place) = self.left.get_mut(*item as usize) {
                *place = left;
            }
        }
    }

    /// Notes that an item is edited out of the history.
    pub fn edits(&mut self, step: u32, item: u32) {
        if self.on {
            self.edited.push((step, item));
        }
    }

    /// What was edited out after a step, and has not come again.
    pub fn edited_after(&mut self, last: u32) -> Vec<u32> {
        let edited = self.edited.split_off(self.edited.partition_point(|(step, _)| *step <= last));
        edited.into_iter().map(|(_, item)| item).filter(|item| self.left.get(*item as usize) == Some(&true)).collect()
    }

    /// Forgets what came after a step; returns it, and how that step ended.
    fn forget(&mut self, last: u32) -> (Vec<Change>, End) {
        let undone = self.changes.split_off(self.changes.partition_point(|change| change.step <= last));
        self.ends.truncate(self.ends.partition_point(|end| end.step <= last));
        (undone, self.ends.last().copied().unwrap_or_default())
    }
}

impl Sim<'_> {
    /// Whether an item has left the history by now.
    pub fn has_left(&self, item: u32) -> bool {
        self.journal.left.get(item as usize).copied().unwrap_or(false)
    }

    /// Notes how this step ends.
    pub(super) fn note_end(&mut self) {
        if self.journal.on {
            let places = index(self.slots.len());
            let (seen, tally) = (self.collapse.seen, self.summarise.tally);
            let newest = (self.microcompact.newest_from(), self.collapse.newest_from());
            let end = End { step: self.step, places, changed: self.changed, seen, newest, tally };
            self.journal.ends.push(end);
        }
    }

    /// Lets the window stand again as it did at the end of a step, with what came in behind it and stays.
    pub(super) fn return_to(&mut self, last: u32, event: EventId) -> Returned {
        let (undone, end) = self.journal.forget(last);
        let answered = self.stays_answered(&undone, last);
        let mut first: FxHashMap<u32, Change> = FxHashMap::default();
        undone.iter().for_each(|change| _ = first.entry(change.place).or_insert(*change));
        let mut first: Vec<(Change, bool)> =
            first.into_values().map(|change| (change, self.stays(change, last, end.places, answered))).collect();
        first.sort_unstable_by_key(|(change, _)| change.place);
        self.journal.on = false;
        let target = |(change, stays): &(Change, bool)| if *stays { change.after } else { change.before };
        let mut returned = Returned::default();
        for one in &first {
            let now = self.slots.get(one.0.place as usize).map_or(NONE, |slot| slot.piece);
            returned.new.extend(Some(one.0.after).filter(|_| one.1));
            if now != target(one) && now != NONE {
                self.unfold(now);
                self.hide(now, Some(event));
                returned.left.push(now);
            }
        }
        for one in &first {
            let (place, piece) = (one.0.place, target(one));
            if piece != NONE && !self.standing_at(piece) {
                self.show(piece, place);
                returned.came.push(piece);
                self.settle_at(piece, place);
            }
        }
        self.journal.on = true;
        let kept = first.iter().filter(|(_, stays)| *stays).map(|(change, _)| *change);
        let mut kept: Vec<Change> = kept.collect();
        kept.sort_by_key(|change| change.step);
        self.journal.changes.extend(kept);
        self.undo_counts(last, end);
        returned
    }

    /// What is kept beside the window, as the step had left it.
    fn undo_counts(&mut self, last: u32, end: End) {
        self.summarise.forget_after(last);
        (self.changed, self.summarise.tally, self.collapse.seen) = (end.changed, end.tally, end.seen);
        self.look_again(end.newest, last);
    }

    /// Has the stages that keep count of what stands look at it anew, where items have left it: what came before the
    /// result and the unit of those numbers is known not to be among the newest. `last`: the step that is behind it.
    pub(super) fn look_again(&mut self, (result, unit): (u32, u32), last: u32) {
        self.microcompact.look_again(result, last);
        self.thinking.look_again();
        self.collapse.look_again(unit);
        let named = |sim: &Sim, name| {
            let is = |piece: &u32| {
                let label = sim.pieces.get(*piece as usize).map(|piece| piece.label);
                matches!(label, Some(Label::Fixed(own)) if own == name)
            };
            sim.standing().filter(is).last().unwrap_or(NONE)
        };
        if !self.standing_at(self.notice.last) {
            self.notice.last = named(self, Named::Usage);
        }
        if !self.standing_at(self.memory.piece) {
            self.memory.piece = named(self, Named::Memories);
        }
    }

    /// Whether of what came in right behind the step a result stays: then what it called in stays with it.
    fn stays_answered(&self, undone: &[Change], last: u32) -> bool {
        let next = undone.iter().take_while(|change| change.step <= last + 1);
        let items = next.filter_map(|change| self.pieces.get(change.after as usize)).map(|piece| piece.item);
        let is_result = |item: u32| self.plan.items.get(item as usize).is_some_and(Item::is_result);
        items.filter(|item| is_result(*item)).any(|item| !self.has_left(item))
    }

    /// Whether what came to a new place after a step stays: the history's own up to where the branch began, and what
    /// the user gave.
    fn stays(&self, change: Change, last: u32, places: u32, answered: bool) -> bool {
        let Some(piece) = self.pieces.get(change.after as usize) else { return false };
        if change.before != NONE {
            return false;
        }
        if let (Label::Item(item), Some(slot)) = (piece.label, self.slots.get(change.place as usize))
            && slot.room > last
        {
            // It came in between what was there before, whichever way that goes on.
            return !self.has_left(item);
        }
        if change.place < places {
            return false;
        }
        let next = change.step == last + 1;
        match piece.label {
            Label::Item(item) => next && !self.has_left(item),
            Label::Given(_) if piece.fixed => true,
            Label::Given(_) => match piece.layer {
                Layer::Instructions | Layer::Notices => next && answered,
                _ => true,
            },
            Label::Fixed(_) => false,
        }
    }

    /// The places of a turn know no more what stands there once it is shown in full.
    fn unfold(&mut self, line: u32) {
        for piece in self.folded(line) {
            let place = self.pieces.get(piece as usize).map_or(NONE, |piece| piece.slot());
            if let Some(place) = self.slots.get_mut(place as usize) {
                place.hidden = NONE;
            }
        }
    }

    /// What goes with a piece that stands at a place again: its item's place, what a line stands for.
    fn settle_at(&mut self, piece: u32, place: u32) {
        for folded in self.folded(piece) {
            let own = self.pieces.get(folded as usize).map_or(NONE, |piece| piece.slot());
            if let Some(own) = self.slots.get_mut(own as usize) {
                own.hidden = folded;
            }
        }
        let item = self.pieces.get(piece as usize).map_or(NONE, |piece| piece.item);
        if let Some(own) = self.slot_of.get_mut(item as usize) {
            *own = place;
        }
    }

    /// What a line stands for.
    fn folded(&self, line: u32) -> Vec<u32> {
        let line = self.pieces.get(line as usize).filter(|piece| piece.fate == Fate::Collapsed);
        line.map_or_else(Vec::new, |line| line.from.iter().map(|id| id.0).collect())
    }
}
