//! The tune view: every setting as a slider, and what the session would have come to, while a key is held.

mod act;
mod draw;
mod figures;
mod row;

use crate::policy::{SECTIONS, Setting};

use super::list::Scroll;
use super::policy_draft::PolicyDraft;

pub use act::{Wanted, act, click};
pub use draw::{Parts, Tuned, chart, draw, height_of, parts};
pub use figures::{Against, draw_figures, draw_table};

/// The setting that the view opens at: what decides when a summary is made.
const FIRST: &str = "summarise.at";

/// A row of the list.
#[derive(Clone, Copy)]
pub enum Row {
    /// A section's name and what it is about.
    Section(&'static str, &'static str),
    /// A setting.
    Setting(&'static Setting),
}

/// What the mouse took hold of when its button went down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Held {
    /// Nothing that moves.
    #[default]
    Nothing,
    /// The steps of the timeline.
    Timeline,
    /// The selected setting.
    Setting,
}

/// The list of settings.
#[derive(Default)]
pub struct Tune {
    /// The rows that fit.
    pub rows: Vec<Row>,
    /// The cursor among them.
    pub scroll: Scroll,
    /// Only settings whose key or meaning holds this.
    pub filter: String,
    /// Only settings that differ from the preset.
    pub changed: bool,
    /// What a drag of the mouse moves.
    pub held: Held,
    /// The setting to put the cursor on.
    wanted: Option<&'static str>,
    /// What the rows were made for.
    made_for: Option<(String, bool, u64)>,
}

impl Tune {
    /// Brings the rows up to date, for a list so high.
    pub fn settle(&mut self, draft: &PolicyDraft, height: usize) {
        // Settings come and go with their values only where the list shows what differs.
        let version = if self.changed { draft.version } else { 0 };
        let fits = |(filter, changed, of): &(String, bool, u64)| {
            *filter == self.filter && (*changed, *of) == (self.changed, version)
        };
        let wanted = self.wanted.take();
        if wanted.is_some() || !self.made_for.as_ref().is_some_and(fits) {
            let first = self.made_for.is_none() || wanted.is_some();
            let key = wanted.or_else(|| if first { Some(FIRST) } else { self.current().map(|setting| setting.key) });
            self.rows = self.fitting(draft);
            let at = self.rows.iter().position(|row| matches!(row, Row::Setting(setting) if Some(setting.key) == key));
            self.scroll.cursor = at.unwrap_or(usize::from(self.rows.len() > 1));
            if first {
                self.scroll.top = self.scroll.cursor.saturating_sub(4);
            }
            self.made_for = Some((self.filter.clone(), self.changed, version));
        }
        self.scroll.settle(self.rows.len(), height);
    }

    fn fitting(&self, draft: &PolicyDraft) -> Vec<Row> {
        let words: Vec<String> = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let fits = |setting: &&Setting| {
            let text = format!("{} {}", setting.key, setting.meaning).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str())) && (!self.changed || draft.differs(setting))
        };
        let mut rows = Vec::new();
        for (section, about, settings) in SECTIONS {
            let found: Vec<Row> = settings.iter().filter(fits).map(Row::Setting).collect();
            if !found.is_empty() {
                rows.push(Row::Section(section, about.trim()));
                rows.extend(found);
            }
        }
        rows
    }

    /// Puts the cursor on a setting as soon as the list is drawn, whatever the list was reduced to.
    pub fn reveal(&mut self, key: &'static str) {
        self.filter.clear();
        (self.changed, self.wanted) = (false, Some(key));
    }

    /// The setting under the cursor.
    #[must_use]
    pub fn current(&self) -> Option<&'static Setting> {
        match self.rows.get(self.scroll.cursor)? {
            Row::Setting(setting) => Some(setting),
            Row::Section(..) => None,
        }
    }

    /// Moves the cursor, past headings.
    pub fn step(&mut self, by: isize) {
        let before = self.scroll.cursor;
        self.scroll.step(by, self.rows.len());
        let on = if by < 0 { -1 } else { 1 };
        while self.current().is_none() && (1..self.rows.len()).contains(&self.scroll.cursor) {
            let at = self.scroll.cursor;
            self.scroll.step(on, self.rows.len());
            if self.scroll.cursor == at {
                break;
            }
        }
        if self.current().is_none() {
            self.scroll.cursor = if by < 0 { usize::from(self.rows.len() > 1) } else { before };
        }
    }

    /// Goes to the first setting of the next section, or of the one before.
    pub fn section(&mut self, forward: bool) {
        let heading = |at: &usize| matches!(self.rows.get(*at), Some(Row::Section(..)));
        let at = self.scroll.cursor;
        let found = match forward {
            true => (at + 1..self.rows.len()).find(heading),
            false => (0..at.saturating_sub(1)).rev().find(heading),
        };
        if let Some(found) = found {
            self.scroll.cursor = found + 1;
            // The whole section in sight, as far as it goes.
            self.scroll.top = found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, Value, named, preset};

    fn draft() -> PolicyDraft {
        PolicyDraft::new(
            "five-layer",
            preset("five-layer", None).map_or_else(|_| Policy::default(), |(policy, _)| policy),
            None,
        )
    }

    fn key(tune: &Tune) -> &'static str {
        tune.current().map_or("–", |setting| setting.key)
    }

    #[test]
    fn the_cursor_is_never_on_a_heading() {
        let (draft, mut tune) = (draft(), Tune::default());
        tune.settle(&draft, 10);
        assert_eq!(key(&tune), "summarise.at");
        tune.section(true);
        assert_eq!(key(&tune), "reactive.on");
        tune.step(-1);
        assert_eq!(key(&tune), "summarise.remember");
        tune.step(1);
        assert_eq!(key(&tune), "reactive.on");
        tune.step(isize::MIN);
        assert_eq!(key(&tune), "window.model");
        tune.section(false);
        assert_eq!(key(&tune), "window.model");
        tune.step(isize::MAX);
        assert_eq!(key(&tune), "replay.manual");
        for by in [-7, 3, 11, -40, 100, -3] {
            tune.step(by);
            tune.settle(&draft, 3);
            assert!(tune.current().is_some());
        }
    }

    #[test]
    fn a_setting_that_was_applied_is_under_the_cursor() {
        let (draft, mut tune) = (draft(), Tune::default());
        tune.reveal("window.size");
        tune.settle(&draft, 10);
        assert_eq!(key(&tune), "window.size");
        (tune.filter, tune.changed) = ("drop".to_owned(), true);
        tune.settle(&draft, 10);
        tune.reveal("tool_results.on");
        tune.settle(&draft, 10);
        assert_eq!((key(&tune), tune.filter.as_str(), tune.changed), ("tool_results.on", "", false));
        tune.step(1);
        tune.settle(&draft, 10);
        assert_ne!(key(&tune), "tool_results.on");
    }

    #[test]
    fn the_list_narrows_to_words_and_to_changes() {
        let (mut draft, mut tune) = (draft(), Tune::default());
        tune.filter = "Summary tokens".to_owned();
        tune.settle(&draft, 10);
        assert!(tune.rows.iter().any(|row| matches!(row, Row::Setting(setting) if setting.key == "reserve.summary")));
        assert!(!tune.rows.iter().any(|row| matches!(row, Row::Setting(setting) if setting.key == "drop.at")));
        tune.filter.clear();
        tune.changed = true;
        tune.settle(&draft, 10);
        assert!(tune.rows.is_empty() && tune.current().is_none());
        draft.set(named("drop.at").unwrap(), &Value::Text("50%".to_owned())).unwrap();
        tune.settle(&draft, 10);
        assert_eq!((tune.rows.len(), key(&tune)), (2, "drop.at"));
    }
}
