//! The compaction view: a step as a pipeline of stages, and the windows before and after them side by side.

mod act;
mod draw;
mod origins;
mod stages;
mod taken;
mod windows;

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{EntryId, Stage};
use crate::policy::Policy;
use crate::present::{Acted, Pair, PairCell, Pairs, Pipeline, StageRow, pairs, pipeline};

use super::detail::Detail;
use super::inspect::Inspect;
use super::list::Scroll;
use super::numbered::Numbering;
use super::policy_draft::PolicyDraft;

use taken::Taken;

pub use act::{act, click, wheel};
pub use draw::{Parts, draw, parts};
pub use origins::{Origin, SummaryLine, summary_lines};

/// What keys go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The stages.
    #[default]
    Stages,
    /// The window before them.
    Before,
    /// The window after them.
    After,
}

/// What the view shows of a step.
#[derive(Default)]
pub struct Compaction {
    /// What keys go to.
    pub pane: Pane,
    /// The stage that is looked at.
    pub stage: Option<Stage>,
    /// The step's stages.
    pub pipeline: Option<Pipeline>,
    /// The windows side by side.
    pub pairs: Pairs,
    /// What of the window before is gone.
    pub taken: Taken,
    /// The cursor among their rows.
    pub row: Scroll,
    /// Whether entries that stayed are shown one by one.
    pub unfolded: bool,
    /// Rows that the windows have.
    room: usize,
    /// Lines of summaries, as far as they have been read.
    pub summaries: HashMap<EntryId, Arc<[SummaryLine]>>,
    /// Summaries that were asked for.
    asked: Option<EntryId>,
    /// A text that is read over the windows.
    pub reading: Option<Reading>,
    /// The policy of the track that is shown; none on the recorded one.
    pub policy: Option<Arc<Policy>>,
    /// Its version.
    policy_version: Option<u64>,
    /// What all this was made for.
    made_for: Option<MadeFor>,
    /// The step from which it was opened where nothing was decided, and the one that it went to instead.
    pub leapt: Option<(u32, u32)>,
}

/// A text that is read over the windows.
pub struct Reading {
    /// The entry.
    pub entry: EntryId,
    /// What the pane is called.
    pub name: &'static str,
    /// What is said of it.
    pub title: String,
    /// What to go to in it.
    pub sought: Option<String>,
    /// Its text, once read; or why it cannot be.
    pub detail: Option<Result<Detail, String>>,
}

#[derive(Clone, PartialEq, Eq)]
struct MadeFor {
    of: Numbering,
    version: u64,
    step: u32,
    room: Option<usize>,
    summaries: usize,
}

impl Compaction {
    /// Takes the policy of the track that is shown, where it is another one than before; none on the recorded track.
    pub fn follow_policy(&mut self, draft: Option<&PolicyDraft>) {
        let version = draft.map(|draft| draft.version);
        if self.policy_version != version {
            self.policy = draft.map(|draft| Arc::new(draft.policy.clone()));
            self.policy_version = version;
        }
    }

    /// Brings everything up to date with the step that is shown.
    pub fn settle(&mut self, view: &Inspect) {
        let made_for = MadeFor {
            of: view.numbering(),
            version: view.version(),
            step: view.step,
            room: (!self.unfolded).then_some(self.room),
            summaries: self.summaries.len(),
        };
        if self.made_for.as_ref() != Some(&made_for) {
            let before = self.made_for.replace(made_for.clone());
            let renumbered = before.as_ref().is_some_and(|before| before.of != made_for.of);
            let elsewhere = renumbered || before.as_ref().is_none_or(|before| before.step != made_for.step);
            if renumbered {
                self.summaries.clear();
                (self.reading, self.asked) = (None, None);
            }
            let run = view.index.run();
            let chosen = self.chosen().filter(|_| !elsewhere);
            self.pipeline = pipeline(run, view.step, self.policy.as_deref());
            let lines = |id| self.summaries.get(&id).map_or(0, |lines| u32::try_from(lines.len()).unwrap_or(0));
            self.pairs = pairs(run, view.step, made_for.room, lines);
            self.taken = Taken::of(run, view.step, &self.pairs.rows);
            if elsewhere {
                self.reading = None;
                self.choose_stage();
                self.row = Scroll::default();
                self.show_first_change();
            } else if let Some(chosen) = chosen {
                let there = |pair: &Pair| pair.left == Some(chosen) || pair.right == Some(chosen);
                self.row.cursor = self.pairs.rows.iter().position(there).unwrap_or(self.row.cursor);
            }
        }
    }

    /// Brings the windows, and the cursor, into so many rows.
    pub fn scroll(&mut self, view: &Inspect, height: usize) {
        if std::mem::replace(&mut self.room, height) != height {
            self.settle(view);
        }
        self.row.settle(self.pairs.rows.len(), height);
    }

    /// The summary in the window after whose lines are not there yet, to be asked for once.
    pub fn wants(&mut self, view: &Inspect) -> Option<EntryId> {
        let run = view.index.run();
        let made = run.events_at(view.step).flat_map(|(_, event)| event.made.iter().copied());
        let missing = made.filter(|id| {
            run.entry(*id).is_some_and(|entry| entry.layer == crate::model::Layer::Summaries)
                && !self.summaries.contains_key(id)
        });
        let next = missing.into_iter().next().filter(|id| self.asked != Some(*id))?;
        self.asked = Some(next);
        Some(next)
    }

    /// Takes the lines of a summary.
    pub fn told(&mut self, id: EntryId, lines: Vec<SummaryLine>) {
        self.summaries.insert(id, lines.into());
    }

    /// Takes another step's view of things at the next chance.
    pub fn forget(&mut self) {
        self.made_for = None;
    }

    /// The stages that are shown in so many rows: all, else those that did something, the chosen one among them.
    #[must_use]
    pub fn shown(&self, rows: usize) -> Vec<&StageRow> {
        let Some(pipeline) = &self.pipeline else { return Vec::new() };
        if pipeline.stages.len() <= rows {
            return pipeline.stages.iter().collect();
        }
        let acted = |row: &&StageRow| row.acted == Acted::Yes || Some(row.stage) == self.stage;
        let mut found: Vec<&StageRow> = pipeline.stages.iter().filter(acted).collect();
        let at = found.iter().position(|row| Some(row.stage) == self.stage).unwrap_or(0);
        let from = (at + 1).saturating_sub(rows);
        found.drain(..from.min(found.len()));
        found.truncate(rows);
        found
    }

    /// The stage that is looked at.
    #[must_use]
    pub fn current(&self) -> Option<&StageRow> {
        self.pipeline.as_ref()?.stages.iter().find(|row| Some(row.stage) == self.stage)
    }

    /// The cell under the cursor, on the side that keys go to.
    #[must_use]
    pub fn chosen(&self) -> Option<PairCell> {
        let pair = self.pairs.rows.get(self.row.cursor)?;
        match self.pane {
            Pane::After => pair.right,
            Pane::Stages | Pane::Before => pair.left,
        }
    }

    /// The line of a summary under the cursor.
    #[must_use]
    pub fn line(&self) -> Option<&SummaryLine> {
        match self.chosen()? {
            PairCell::Line(id, at) => self.summaries.get(&id)?.get(at as usize),
            PairCell::Entry(..) | PairCell::Same(..) | PairCell::Elsewhere(_) => None,
        }
    }

    /// Looks at the stage that changed most.
    fn choose_stage(&mut self) {
        let Some(pipeline) = &self.pipeline else { return };
        let change = |row: &&StageRow| {
            let (given, left) = row.tokens();
            (row.acted == Acted::Yes && row.stage != Stage::Admit, given.abs_diff(left))
        };
        self.stage = pipeline.stages.iter().max_by_key(change).map(|row| row.stage);
    }

    /// Puts the cursor on the first row that the chosen stage changed.
    fn show_first_change(&mut self) {
        let changed = |cell: &Option<PairCell>| matches!(cell, Some(PairCell::Entry(_, crate::present::Became::Changed(stage, _))) if Some(*stage) == self.stage);
        let rows = &self.pairs.rows;
        let first = rows.iter().position(|pair| changed(&pair.left) || changed(&pair.right));
        let other = || rows.iter().position(|pair| !matches!(pair.left, Some(PairCell::Same(..))));
        self.row.cursor = first.or_else(other).unwrap_or(0);
        // The row itself on top, with two of what stands before it.
        self.row.top = self.row.cursor.saturating_sub(2);
    }
}
