//! The trace of a fact, over the screen: the verdict on top, a ribbon for each place over the steps, what changed it.

mod act;
mod around;
mod draw;
mod look;
#[cfg(test)]
mod trace_tests;

pub use act::{apply, ask_at, follow, go, helped, traced, what_if};
pub use around::Around;
pub use look::{help, look};

use crate::config::Action;
use crate::inquiry::{Sight, Standing, Unlike};
use crate::model::{EntryId, ThreadId};
use crate::policy::{Policy, Value};

use super::line::wrapped;
use super::list::Scroll;
use super::numbered::Numbered;

/// What asks for the fact at another step.
pub const STEPS: &[Action] = &[
    Action::PreviousStep,
    Action::NextStep,
    Action::PreviousSteps,
    Action::NextSteps,
    Action::FirstStep,
    Action::LastStep,
    Action::PreviousEvent,
    Action::NextEvent,
    Action::PreviousCompaction,
    Action::NextCompaction,
    Action::PreviousTurn,
    Action::NextTurn,
];

/// Columns beside what is said of settings: the frame on both sides, and its indent.
const BESIDE: u16 = 6;

/// The trace of a fact, or the wait for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceView {
    /// Tells this trace's answer from those of traces before it.
    pub number: u64,
    /// The fact as it was typed.
    pub fact: String,
    /// The step at which it is asked for, where that was chosen.
    pub step: Option<u32>,
    /// What was found; nothing until it is there.
    pub told: Option<TraceResult>,
    /// Whether the settings that would have kept it are being looked for.
    pub asking: bool,
    /// How far that is, of how much.
    pub tried: (u64, u64),
    /// Whether some of what was found is shown already.
    helped: bool,
    /// What is said of settings, each sentence whole: the last rows are its lines.
    help: Vec<Row>,
    /// Columns for which they are; 0 before anything was drawn.
    columns: usize,
    /// The cursor among the rows.
    pub scroll: Scroll,
}

/// A fact to trace.
#[derive(Clone)]
pub struct TraceRequest {
    /// The trace's number.
    pub number: u64,
    /// The windows.
    pub from: Numbered,
    /// The policy that they were replayed under; none on the recorded track.
    pub policy: Option<Policy>,
    /// The fact.
    pub fact: String,
    /// The step at which it is asked for; else when somebody asked for it, or at the end.
    pub step: Option<u32>,
}

/// What is asked of settings.
#[derive(Clone, Debug)]
pub struct WhatIfRequest {
    /// The trace's number.
    pub number: u64,
    /// The thread.
    pub thread: ThreadId,
    /// The policy whose settings are moved.
    pub policy: Policy,
    /// The fact.
    pub fact: String,
    /// The step at which it should have been there.
    pub step: u32,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceResult {
    /// The verdict, sentence by sentence. Untrusted.
    pub sentences: Vec<String>,
    /// How it stood when it was needed.
    pub standing: Standing,
    /// The step at which it was lost after that.
    pub later: Option<u32>,
    /// The step at which it was needed, and how many steps there are.
    pub need: u32,
    /// See `need`.
    pub steps: u32,
    /// Its places, each followed by what changed it.
    pub rows: Vec<Row>,
    /// Places that are not shown.
    pub more: u64,
    /// What ranked a fact by meaning, and from which score on.
    pub ranked: Option<(&'static str, f32)>,
    /// Passages that have been compared, of so many.
    pub compared: Option<(u64, u64)>,
    /// Passages that are as near and are not followed, for facts by meaning.
    pub unfollowed: u64,
    /// Those that stand before its places and are less near: see [`crate::inquiry::Found::earlier`].
    pub earlier: u64,
    /// Passages that are as near and do not say it, for facts by meaning.
    pub unlike: Unlike,
    /// Whether nothing more is looked through.
    pub whole: bool,
}

impl TraceResult {
    /// How its places are seen.
    fn sights(&self) -> Vec<Sight> {
        let life = |row: &Row| match row {
            Row::Place { life, .. } => life.iter().map(|(_, _, sight)| *sight).collect(),
            Row::Change { .. } | Row::Said(_) | Row::Note(_) | Row::Now(_) | Row::Answer { .. } => Vec::new(),
        };
        self.rows.iter().flat_map(life).collect()
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// A place.
    Place {
        /// The step at which it came in; `None` where it never did.
        step: Option<u32>,
        /// What it came in by. Untrusted.
        whence: String,
        /// File, line and byte. Untrusted.
        place: String,
        /// Its life: from, to (to the end where there is none), how it is seen.
        life: Vec<(u32, Option<u32>, Sight)>,
        /// What stands around it.
        around: Around,
        /// Where it leads.
        goal: Goal,
    },
    /// A change of the place above.
    Change {
        /// The first step that shows it.
        step: u32,
        /// How it is seen from then on.
        sight: Sight,
        /// The stage's sign, what was done, by which rule. Untrusted.
        words: String,
        /// Where it leads.
        goal: Goal,
    },
    /// What is said of the settings that would have kept it.
    Said(String),
    /// What is said beside them.
    Note(String),
    /// What it costs as it is, in figures.
    Now(Vec<String>),
    /// Settings that would have kept it.
    Answer {
        /// The settings with their values and the present ones.
        words: String,
        /// The settings with what becomes of them alone, for where there is little room.
        short: String,
        /// What that costs, in figures, the most telling first.
        price: Vec<String>,
        /// The same as values.
        sets: Vec<(&'static str, Value)>,
    },
}

/// Where a row leads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Goal {
    /// The step.
    pub step: u32,
    /// The entry to select there.
    pub entry: Option<EntryId>,
    /// The text to mark in it. Untrusted.
    pub text: String,
    /// Whether the text does not stand there any more: its places elsewhere lead nobody away.
    pub gone: bool,
}

impl TraceView {
    /// A trace that is under way.
    #[must_use]
    pub fn waiting(number: u64, fact: &str) -> TraceView {
        TraceView { number, fact: fact.to_owned(), ..TraceView::default() }
    }

    /// Whether something is still being looked for.
    #[must_use]
    pub fn works(&self) -> bool {
        self.asking || self.told.as_ref().is_none_or(|told| !told.whole)
    }

    /// Takes what has been found so far; the cursor stays.
    pub fn take(&mut self, told: TraceResult) {
        self.scroll.cursor = self.scroll.cursor.min(told.rows.len().saturating_sub(1));
        self.told = Some(told);
        self.help.clear();
    }

    /// Lays what is said of settings out for a screen of so many columns; the cursor stays on what it is on.
    pub fn flow(&mut self, columns: u16) {
        let columns = usize::from(columns.saturating_sub(BESIDE)).clamp(1, usize::from(draw::PROSE));
        let before = std::mem::replace(&mut self.columns, columns);
        let Some(told) = self.told.as_mut().filter(|_| before != columns && !self.help.is_empty()) else { return };
        let lines = |columns: usize| self.help.iter().map(move |row| in_lines(row, columns).count());
        let first = told.rows.len().saturating_sub(lines(before).sum());
        if let Some(mut beyond) = self.scroll.cursor.checked_sub(first) {
            let at = lines(before).take_while(|lines| {
                beyond.checked_sub(*lines).is_some_and(|rest| {
                    beyond = rest;
                    true
                })
            });
            let at = at.count();
            self.scroll.cursor = first + lines(columns).take(at).sum::<usize>();
        }
        told.rows.truncate(first);
        told.rows.extend(self.help.iter().flat_map(|row| in_lines(row, columns)));
    }

    /// Takes an action that moves; `false` where it closes the trace.
    pub fn act(&mut self, action: Action) -> bool {
        self.scroll.over(action, self.told.as_ref().map_or(0, |told| told.rows.len()))
    }

    /// Where the selected row leads.
    #[must_use]
    pub fn chosen(&self) -> Option<&Goal> {
        let row = self.told.as_ref()?.rows.get(self.scroll.cursor)?;
        let (Row::Place { goal, .. } | Row::Change { goal, .. }) = row else { return None };
        (goal.step > 0).then_some(goal)
    }

    /// What stands around the place of the selected row, and where that is.
    fn around(&self) -> Option<(&Around, &str)> {
        let told = self.told.as_ref()?;
        told.rows.get(..=self.scroll.cursor)?.iter().rev().find_map(|row| match row {
            Row::Place { around, place, .. } => Some(Some((around, place.as_str()))),
            Row::Change { .. } => None,
            Row::Said(_) | Row::Note(_) | Row::Now(_) | Row::Answer { .. } => Some(None),
        })?
    }

    /// What the selected row says of settings.
    fn said(&self) -> Option<&str> {
        match self.told.as_ref()?.rows.get(self.scroll.cursor)? {
            Row::Said(words) | Row::Note(words) => Some(words),
            Row::Place { .. } | Row::Change { .. } | Row::Now(_) | Row::Answer { .. } => None,
        }
    }

    /// The settings of the selected row.
    #[must_use]
    pub fn answer(&self) -> Option<&[(&'static str, Value)]> {
        match self.told.as_ref()?.rows.get(self.scroll.cursor)? {
            Row::Answer { sets, .. } => Some(sets),
            Row::Place { .. } | Row::Change { .. } | Row::Said(_) | Row::Note(_) | Row::Now(_) => None,
        }
    }

    /// Puts what was found of settings below, in place of what was there before; `whole` where nothing more is looked
    /// for. The cursor stays where it is among answers that become more.
    pub fn take_help(&mut self, help: Vec<Row>, whole: bool) {
        self.asking = !whole;
        let Some(told) = &mut self.told else { return };
        told.rows.retain(|row| !matches!(row, Row::Said(_) | Row::Note(_) | Row::Now(_) | Row::Answer { .. }));
        let grows = std::mem::replace(&mut self.helped, !whole);
        let first = told.rows.len();
        told.rows.extend(help.iter().flat_map(|row| in_lines(row, self.columns)));
        self.help = help;
        let answer = |row: &Row| matches!(row, Row::Answer { .. });
        let fresh = || told.rows.iter().position(answer).unwrap_or(first + 1);
        let wanted = if grows { self.scroll.cursor } else { fresh() };
        self.scroll.cursor = wanted.min(told.rows.len().saturating_sub(1));
    }
}

/// A row of what is said of settings; a sentence in lines for so many columns.
fn in_lines(row: &Row, columns: usize) -> impl Iterator<Item = Row> + '_ {
    let (words, of): (&str, fn(String) -> Row) = match row {
        Row::Said(words) => (words, Row::Said),
        Row::Note(words) => (words, Row::Note),
        Row::Place { .. } | Row::Change { .. } | Row::Now(_) | Row::Answer { .. } => ("", Row::Said),
    };
    let columns = if columns == 0 { usize::from(draw::PROSE) } else { columns };
    let whole = Some(row.clone()).filter(|_| words.is_empty());
    whole.into_iter().chain(wrapped(words, columns).map(move |line| of(line.to_owned())))
}
