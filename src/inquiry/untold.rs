//! What of a fact in a run nobody can tell, and what only a stand-in for a summary tells.

use super::life::Reading;
use super::stay::Sight;
use crate::model::{EntryId, Event, Fate};

impl Reading<'_> {
    /// Whether a summary decides of it at a step, saying it or leaving it out, that no model wrote, though one would have.
    #[must_use]
    pub fn rests_on_stand_in(&self, step: u32) -> bool {
        let is_stand_in = |id: &EntryId| {
            let entry = self.run.entry(*id).filter(|entry| entry.life_at(step).is_some());
            let made = entry.filter(|entry| entry.fate == Fate::Summarised).and_then(|entry| entry.made_by);
            made.and_then(|id| self.run.event(id)).is_some_and(Event::is_unwritten)
        };
        if self.is_refused(step) {
            return false;
        }
        match self.shows(step) {
            Some(entry) => is_stand_in(&entry),
            None => self.subject.places.iter().any(|place| self.entries_of(place).1.iter().any(is_stand_in)),
        }
    }

    /// Whether nobody can tell if the model has it at a step: nothing says it there but a question for it, and of what stands
    /// for it only its vendor can read the best.
    #[must_use]
    pub fn is_unknown(&self, step: u32) -> bool {
        let live = |id: &EntryId| self.run.entry(*id).is_some_and(|entry| entry.life_at(step).is_some());
        if self.is_refused(step) || self.loose.iter().any(live) {
            return false;
        }
        let all = self.subject.places.iter().chain(&self.shown);
        let said = all.filter(|place| !self.subject.asking.contains(&place.block));
        let sights = said.flat_map(|place| {
            let (roots, made) = self.entries_of(place);
            let entries = roots.into_iter().chain(made).filter(live);
            entries.map(|id| self.sight(id, place).0).collect::<Vec<Sight>>()
        });
        sights.min() == Some(Sight::Hidden)
    }
}
