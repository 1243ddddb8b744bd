//! Searching in an entry's text.

use crate::config::Role;
use crate::present::width;

use super::compose::Composed;
use super::find::find;
use super::section::{Body, Section};
use super::view::{Detail, Place};

/// Places found that are counted.
const HITS_MAX: usize = 10_000;

impl Detail {
    /// Marks every place of a text; returns how many there are. An empty text marks none.
    pub fn search(&mut self, query: &str) -> usize {
        let query = crate::present::safe(query);
        self.query = query.into_owned();
        self.hits.clear();
        self.hit = None;
        if self.query.is_empty() {
            return 0;
        }
        for at in 0..self.sections.len() {
            if self.lines_in(at) == 0 {
                continue;
            }
            if let Some(Section { body: Body::Lines { lines, .. }, .. }) = self.sections.get(at) {
                let room = HITS_MAX - self.hits.len();
                let places = find(lines.text(), &self.query).take(room);
                self.hits.extend(places.map(|range| {
                    let line = lines.at(range.start);
                    (at, line, range.start - lines.range(line).start)
                }));
                continue;
            }
            for line in 0..self.lines_in(at) {
                let composed = self.compose(Place { section: at, line, row: 0 });
                let room = HITS_MAX - self.hits.len();
                self.hits.extend(find(&composed.text, &self.query).take(room).map(|range| (at, line, range.start)));
            }
        }
        self.hits.len()
    }

    /// Which place found is the present one (from 1), and how many there are.
    #[must_use]
    pub fn hits(&self) -> (usize, usize) {
        (self.hit.map_or(0, |hit| hit + 1), self.hits.len())
    }

    /// Goes to the next place found, or the one before; `false` where there is none further.
    pub fn next_hit(&mut self, forward: bool) -> bool {
        let next = match (self.hit, forward) {
            (None, true) => Some(0),
            (None, false) => self.hits.len().checked_sub(1),
            (Some(hit), true) => Some(hit + 1),
            (Some(hit), false) => hit.checked_sub(1),
        };
        let Some(at) = next.filter(|at| *at < self.hits.len()) else { return false };
        self.hit = Some(at);
        self.show_hit();
        true
    }

    /// Brings the present place into sight.
    pub(super) fn show_hit(&mut self) {
        let Some((section, line, byte)) = self.hit.and_then(|at| self.hits.get(at)).copied() else { return };
        let place = Place { section, line, row: 0 };
        let composed = self.compose(place);
        let row = self.rows(&composed).iter().position(|range| range.contains(&byte)).unwrap_or(0);
        self.top = self.back(Place { row, ..place }, usize::from(self.height / 3));
        self.show_column();
        self.settle();
        self.held = true;
    }

    /// Where lines run on, brings the present place between the pane's edges.
    pub(super) fn show_column(&mut self) {
        let hit = self.hit.and_then(|hit| self.hits.get(hit)).copied();
        let Some((section, line, byte)) = hit.filter(|_| !self.wrapped) else { return };
        let composed = self.compose(Place { section, line, row: 0 });
        let (pane, needed) = (usize::from(self.width), width(&self.query));
        let before = width(composed.text.get(..byte).unwrap_or_default());
        if before < self.column || before + needed > self.column + pane {
            self.column = (before + needed).saturating_sub(pane.div_ceil(2).max(needed));
        }
    }

    pub(super) fn mark_hits(&self, place: Place, composed: &mut Composed) {
        if self.query.is_empty() {
            return;
        }
        let current =
            self.hit.and_then(|hit| self.hits.get(hit)).filter(|hit| (hit.0, hit.1) == (place.section, place.line));
        let ranges: Vec<_> = find(&composed.text, &self.query).collect();
        for range in ranges {
            let role = if current.is_some_and(|hit| hit.2 == range.start) { Role::HitCurrent } else { Role::Hit };
            composed.lay(range, role);
        }
    }
}
