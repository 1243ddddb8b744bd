//! The documents view: an attached document with what is chosen of it, why, and what the task has to do with it.

mod act;
#[cfg(test)]
mod documents_tests;
mod draw;
mod explained;
mod medium;
mod page;
mod panes;
mod preview;
mod reason;
#[cfg(test)]
mod stopped_tests;

use std::sync::Arc;

use crate::chunk::{Division, Selection, Settings};
use crate::config::{Context, Key};
use crate::document::Conversion;
use crate::policy::{Policy, Value};
use crate::present::count;

use super::input::Input;
use super::list::Scroll;
use super::message::Effect;
pub use act::{Outcome, act, mouse};
pub use draw::draw;
pub use explained::explained;
pub use medium::{Group, Medium};
use page::Laid;
use preview::Preview;

/// A document that is attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentName {
    /// Its name. Untrusted.
    pub name: String,
    /// What its entries in a window are called. Untrusted.
    pub label: String,
    /// The step at which it comes in.
    pub step: u32,
    /// The block that holds its text.
    pub block: crate::model::BlockId,
}

/// What is asked of whoever chooses.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Which document.
    pub file: usize,
    /// The task while it is typed; else that of the policy or of the session.
    pub task: Option<String>,
    /// The policy that is tried.
    pub policy: Arc<Policy>,
}

/// What of a document a policy lets into the window, where that is not the passages that fit the task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InWindow {
    /// The policy's `files.mode`.
    pub mode: &'static str,
    /// The bytes of the document's text, in order.
    pub kept: Vec<(usize, usize)>,
    /// What that is of what, in words; empty where it is all.
    pub told: String,
}

/// What was chosen, so far as is known.
#[derive(Clone)]
pub struct Choice {
    /// What was asked.
    pub wanted: Wanted,
    /// The document.
    pub document: Arc<Conversion>,
    /// How it is divided.
    pub division: Arc<Division>,
    /// The settings in force.
    pub settings: Settings,
    /// What is chosen.
    pub selection: Selection,
    /// How near each candidate is, from 0 to 1.
    pub heat: Vec<f32>,
    /// The task.
    pub task: String,
    /// Vectors there, and vectors wanted.
    pub progress: (usize, usize),
    /// Why the model cannot rank, where it cannot.
    pub failed: Option<String>,
    /// What of the document is in the window; `None`: the passages that are chosen.
    pub in_window: Option<InWindow>,
    /// The picture or the sound that it is, of which nothing is chosen.
    pub medium: Option<Arc<Medium>>,
}

/// A pane of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// Sections and pages.
    Outline,
    /// The document.
    Page,
    /// The candidates by rank.
    Ranked,
}

/// The passage that is looked at while the choice changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    /// The one that the user went to.
    Nothing,
    /// The best of what is taken.
    Best,
    /// The one that came in last while one steps through what is taken.
    Newest,
}

/// The view.
pub struct Documents {
    /// The documents there are.
    pub files: Vec<DocumentName>,
    /// What is asked for.
    pub wanted: Wanted,
    /// What was told last of it.
    pub choice: Option<Arc<Choice>>,
    /// How much of the document has been read, and of how much, as long as nothing was told.
    pub reading: Option<(u64, u64)>,
    /// The pane that keys go to.
    pub focus: Pane,
    /// The task while it is typed.
    pub typing: Option<Input>,
    /// What was asked for before it was typed.
    task_before: Option<String>,
    /// How many of the chosen are shown, by rank; all where it is `None`.
    pub filled: Option<usize>,
    outline: Scroll,
    ranked: Scroll,
    page: Scroll,
    /// The candidate that is looked at.
    candidate: usize,
    laid: Laid,
    /// Bytes to go to once the document is there.
    goal: Option<usize>,
    /// Whether what is asked for has been told to the worker.
    asked: bool,
    /// Whether it was stopped before all of it was told.
    stopped: bool,
    /// What is looked at whatever that turns out to be, until the user goes elsewhere.
    follows: Follows,
    /// Whether the choice is newer than what is looked at.
    fresh: bool,
    preview: Preview,
    /// Settings that were changed here, for the policy that is tried.
    changes: Vec<(&'static str, Value)>,
}

impl Documents {
    /// The view of a document under a policy, at a byte of its text.
    #[must_use]
    pub fn new(files: Vec<DocumentName>, file: usize, goal: Option<usize>, policy: Arc<Policy>) -> Documents {
        Documents {
            files,
            wanted: Wanted { file, task: None, policy },
            choice: None,
            reading: None,
            focus: Pane::Page,
            typing: None,
            task_before: None,
            filled: None,
            outline: Scroll::default(),
            ranked: Scroll::default(),
            page: Scroll::default(),
            candidate: 0,
            laid: Laid::default(),
            follows: if goal.is_none() { Follows::Best } else { Follows::Nothing },
            goal,
            asked: false,
            stopped: false,
            fresh: false,
            preview: Preview::default(),
            changes: Vec::new(),
        }
    }

    /// Where keys go.
    #[must_use]
    pub fn context(&self) -> Context {
        if self.typing.is_some() { Context::Task } else { Context::Documents }
    }

    /// Takes a key that is no action, where the task is typed: everything follows.
    pub fn key(&mut self, key: Key) {
        if let Some(input) = &mut self.typing
            && input.key(key)
        {
            self.follow();
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if let Some(input) = &mut self.typing {
            input.insert(text);
            self.follow();
        }
    }

    fn follow(&mut self) {
        if let Some(input) = &self.typing {
            self.wanted.task = Some(input.text().to_owned());
            self.asked = false;
        }
    }

    /// Hands over what was changed here since it was asked last: settings and their values.
    pub fn take_changes(&mut self) -> Vec<(&'static str, Value)> {
        std::mem::take(&mut self.changes)
    }

    /// Goes on under the policy as it is now.
    pub fn try_policy(&mut self, policy: Arc<Policy>) {
        (self.wanted.policy, self.wanted.task, self.asked) = (policy, None, false);
    }

    /// What is said where what is asked for is stopped before all of it was told; it is asked for again with the next
    /// change.
    pub fn stop(&mut self) -> Option<String> {
        if self.files.is_empty() || !self.asked || self.stopped {
            return None;
        }
        let said = match &self.choice {
            None => format!("stopped reading {}", self.files.get(self.wanted.file)?.name),
            Some(choice) => {
                let (there, wanted) = choice.progress;
                let waits = choice.selection.provisional && choice.failed.is_none();
                waits.then(|| format!("stopped with {} of {} vectors", count(there as u64), count(wanted as u64)))?
            }
        };
        self.stopped = true;
        Some(said)
    }

    /// Takes news of the choice. What answers an older question is still better than nothing.
    pub fn told(&mut self, choice: Arc<Choice>) {
        if choice.wanted.file != self.wanted.file {
            return;
        }
        let again = self.choice.as_ref().is_none_or(|old| !Arc::ptr_eq(&old.division, &choice.division));
        if again {
            self.laid = Laid::default();
        }
        self.fresh = true;
        self.choice = Some(choice);
        let number = self.candidates();
        self.candidate = self.candidate.min(number.saturating_sub(1));
    }

    /// Brings the parts of the view together; asks for what is not there yet.
    pub fn settle(&mut self, area: ratatui::layout::Rect) -> Vec<Effect> {
        let parts = panes::panes(area, self.focus);
        if let Some(medium) = self.medium() {
            let (rows, height) = medium::rows(medium, area);
            self.page.top = self.page.top.min(rows.saturating_sub(height));
        } else if let Some(choice) = self.choice.clone() {
            self.laid.lay(&choice.document.markdown, usize::from(parts.page.width.saturating_sub(page::MARGIN)));
            if let Some(byte) = self.goal.take() {
                self.look_at(&choice, byte);
            }
            let shown = if std::mem::take(&mut self.fresh) { self.shown(&choice) } else { Vec::new() };
            let followed = match self.follows {
                Follows::Nothing => None,
                Follows::Newest if self.filled.is_some() => shown.last(),
                Follows::Best | Follows::Newest => shown.first(),
            };
            if let Some(at) = followed {
                self.select(*at);
            }
            let rows = |area: ratatui::layout::Rect| usize::from(area.height);
            self.page.settle(self.laid.len(), rows(parts.page));
            self.outline.settle(panes::outline_rows(&choice).len(), rows(parts.outline));
            self.ranked.settle(self.candidates(), rows(parts.ranked));
        }
        if self.asked || self.files.is_empty() {
            return Vec::new();
        }
        (self.asked, self.stopped) = (true, false);
        vec![Effect::Choose(self.wanted.clone())]
    }

    /// Scrolls the document.
    pub fn wheel(&mut self, by: isize) {
        self.follows = Follows::Nothing;
        if self.medium().is_some() {
            self.page.top = self.page.top.saturating_add_signed(by);
            return;
        }
        let rows = self.laid.len();
        self.page.wheel(by, rows, 1);
    }

    /// Candidates there are.
    fn candidates(&self) -> usize {
        self.choice.as_ref().map_or(0, |choice| choice.selection.candidates.len())
    }

    /// Goes to a byte of the text, and to the candidate that begins there, or holds it: one that is taken before others.
    fn look_at(&mut self, choice: &Choice, byte: usize) {
        self.show_from(byte);
        let piece = |at: &usize| choice.selection.piece(&choice.division, *at);
        let begins = |at: &usize| piece(at).is_some_and(|piece| piece.start == byte);
        let holds = |at: &usize| piece(at).is_some_and(|piece| piece.start <= byte && byte < piece.end);
        let taken = choice.selection.chosen.iter().copied().find(holds);
        let all = || 0..choice.selection.candidates.len();
        // What overlaps it holds its first byte too, and may be what is taken as long as vectors are missing.
        if let Some(at) = all().find(begins).or(taken).or_else(|| all().find(holds)) {
            self.candidate = at;
            self.ranked.cursor = rank_row(choice, at);
        }
    }

    /// Goes to a candidate, everywhere.
    fn select(&mut self, at: usize) {
        let Some(choice) = self.choice.clone() else { return };
        self.candidate = at;
        self.ranked.cursor = rank_row(&choice, at);
        if let Some(piece) = choice.selection.piece(&choice.division, at) {
            self.show_from(piece.start);
        }
    }

    /// Goes to a byte of the text: a passage is read from its first line.
    fn show_from(&mut self, byte: usize) {
        self.page.cursor = self.laid.row_of(byte);
        self.page.top = self.page.cursor.saturating_sub(2);
    }

    /// The chosen that are shown: all, or the first by rank while one steps through them.
    fn shown(&self, choice: &Choice) -> Vec<usize> {
        let mut chosen = choice.selection.chosen.clone();
        chosen.sort_by_key(|at| choice.selection.candidates.get(*at).map_or(u32::MAX, |candidate| candidate.rank));
        chosen.truncate(self.filled.unwrap_or(usize::MAX));
        chosen
    }

    /// Whether a passage is taken, but comes later than one has stepped.
    fn comes_later(&self, choice: &Choice, at: usize) -> bool {
        self.filled.is_some() && choice.selection.chosen.contains(&at) && !self.shown(choice).contains(&at)
    }

    /// The picture or the sound that is looked at.
    #[must_use]
    pub fn medium(&self) -> Option<&Arc<Medium>> {
        self.choice.as_ref()?.medium.as_ref()
    }

    /// The bytes of the document that are in the window, or come into it with the passages that are shown.
    fn bright(&self, choice: &Choice) -> Vec<(usize, usize)> {
        if let Some(in_window) = &choice.in_window {
            return in_window.kept.clone();
        }
        let shown = self.shown(choice);
        let pieces = shown.iter().filter_map(|at| choice.selection.piece(&choice.division, *at));
        let mut spans: Vec<(usize, usize)> = pieces.map(|piece| (piece.start, piece.end)).collect();
        spans.sort_unstable();
        spans
    }

    /// The bytes of the candidate that is looked at, in its document's block.
    #[must_use]
    pub fn looked_at(&self) -> Option<(crate::model::BlockId, u64, u64)> {
        let choice = self.choice.as_ref()?;
        let piece = choice.selection.piece(&choice.division, self.candidate)?;
        let block = self.files.get(self.wanted.file)?.block;
        Some((block, piece.start as u64, piece.end as u64))
    }
}

/// The row of a candidate in the list by rank.
fn rank_row(choice: &Choice, at: usize) -> usize {
    choice.selection.candidates.get(at).map_or(0, |candidate| (candidate.rank as usize).saturating_sub(1))
}
