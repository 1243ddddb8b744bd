//! The sessions found on this machine, to choose one. The list is there at once; what is in each comes as it is found
//! out. State, keys in, and a drawing; who finds sessions is somebody else.

mod draw;

use std::path::Path;

use ratatui::layout::Rect;

use crate::config::{Action, Key};
use crate::model::last_part;
use crate::transcript::Gist;

use super::input::Input;
use super::list::Scroll;
use super::overlay::{Region, Words};

pub use draw::draw;

/// A session that can be opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// What to open.
    pub path: String,
    /// The agent that wrote it.
    pub agent: &'static str,
    /// Bytes as stored.
    pub bytes: u64,
    /// When it was last written, in milliseconds since the Unix epoch.
    pub modified: i64,
    /// What is in it, once that is known; or why it cannot be read.
    pub found: Option<Result<Gist, String>>,
}

/// The picker.
#[derive(Clone, Debug, Default)]
pub struct Picker {
    items: Vec<Item>,
    /// The items that fit what is typed, in order.
    shown: Vec<usize>,
    filter: Input,
    words: Words,
    scroll: Scroll,
    /// Milliseconds since the Unix epoch, for ages.
    now: i64,
    /// Items whose content is known.
    known: usize,
}

impl Item {
    /// The last part of the folder that the agent worked in, or of the folder that the file lies in.
    #[must_use]
    pub fn project(&self) -> &str {
        let folder = match &self.found {
            Some(Ok(Gist { folder: Some(folder), .. })) => folder.as_str(),
            _ => self.path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder),
        };
        last_part(folder)
    }

    /// What it is about: a name, else the first prompt.
    #[must_use]
    pub fn about(&self) -> Option<&str> {
        match &self.found {
            Some(Ok(found)) => found.title.as_deref().or(found.prompt.as_deref()),
            _ => None,
        }
    }

    fn fits(&self, words: &Words) -> bool {
        let found = self.found.as_ref().and_then(|found| found.as_ref().ok());
        let texts =
            found.map_or([None; 3], |found| [found.folder.as_deref(), found.title.as_deref(), found.prompt.as_deref()]);
        words.fit([Some(self.path.as_str()), Some(self.agent)].into_iter().chain(texts).flatten())
    }
}

impl Picker {
    /// A list of sessions, newest first.
    #[must_use]
    pub fn new(items: Vec<Item>, now: i64) -> Picker {
        let known = items.iter().filter(|item| item.found.is_some()).count();
        Picker { shown: (0..items.len()).collect(), items, now, known, ..Picker::default() }
    }

    /// Selects the session of that path, where it is listed; a path from a folder on fits as well.
    pub fn select(&mut self, path: &str) {
        let fits = |at: &usize| {
            self.items.get(*at).is_some_and(|item| item.path == path || Path::new(&item.path).ends_with(path))
        };
        if let Some(row) = self.shown.iter().position(fits) {
            self.scroll.cursor = row;
        }
    }

    /// Takes what was found out about an item.
    pub fn tell(&mut self, at: usize, found: Result<Gist, String>) {
        let Some(item) = self.items.get_mut(at) else { return };
        self.known += usize::from(item.found.is_none());
        item.found = Some(found);
        let fits = item.fits(&self.words);
        match (self.shown.binary_search(&at), fits) {
            (Err(place), true) => {
                self.shown.insert(place, at);
                // What is selected stays selected.
                self.scroll.cursor += usize::from(place <= self.scroll.cursor && self.shown.len() > 1);
            }
            (Ok(place), false) => {
                self.shown.remove(place);
                self.scroll.cursor -= usize::from(place < self.scroll.cursor);
            }
            _ => {}
        }
    }

    /// The selected item, and its place in the list that was given.
    #[must_use]
    pub fn chosen(&self) -> Option<(usize, &Item)> {
        let at = *self.shown.get(self.scroll.cursor)?;
        Some((at, self.items.get(at)?))
    }

    /// The items that are in sight and not known yet: what to find out first.
    pub fn unknown_in_sight(&self, height: u16) -> impl Iterator<Item = usize> + '_ {
        let seen = self.shown.iter().skip(self.scroll.top).take(usize::from(height));
        seen.copied().filter(|at| self.items.get(*at).is_some_and(|item| item.found.is_none()))
    }

    /// Takes an action that moves, in a list so many rows high; `false` where it is one level back from the list.
    pub fn act(&mut self, action: Action, height: u16) -> bool {
        let page = isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(1);
        let by = match action {
            Action::Down => 1,
            Action::Up => -1,
            Action::PageDown => page,
            Action::PageUp => -page,
            Action::Top => isize::MIN,
            Action::Bottom => isize::MAX,
            Action::Back if self.words.is_empty() => return false,
            Action::Back => {
                self.filter = Input::default();
                self.narrow();
                return true;
            }
            _ => 0,
        };
        self.scroll.step(by, self.shown.len());
        self.settle(height);
        true
    }

    /// The rows, and which is selected.
    pub fn scroll_mut(&mut self) -> &mut Scroll {
        &mut self.scroll
    }

    /// Its rows on a screen, all of which it takes.
    #[must_use]
    pub fn region(&self, area: Rect) -> Region {
        Region::over(area, Picker::list_area(area), self.scroll, self.shown.len())
    }

    /// Takes a key that is no action: it is typed into the filter.
    pub fn key(&mut self, key: Key) {
        if self.filter.key(key) {
            self.narrow();
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        self.filter.insert(text);
        self.narrow();
    }

    /// Brings the selected row into sight in a list so many rows high.
    pub fn settle(&mut self, height: u16) {
        self.scroll.settle(self.shown.len(), usize::from(height));
    }

    fn narrow(&mut self) {
        let words = Words::new(self.filter.text());
        if words != self.words {
            self.words = words;
            let fitting = self.items.iter().enumerate().filter(|(_, item)| item.fits(&self.words));
            self.shown = fitting.map(|(at, _)| at).collect();
            self.scroll = Scroll::default();
        }
    }
}

#[cfg(test)]
#[path = "picker_tests.rs"]
mod tests;
