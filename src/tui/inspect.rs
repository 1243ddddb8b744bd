//! The main screen's state: one track of one thread, the step that is shown, and where the cursors are.

use std::collections::HashMap;
use std::sync::Arc;

use crate::config::Context;
use crate::engine::Consequences;
use crate::engine::plan::Referred;
use crate::model::{BlockId, EntryId, EventId, Layer, MessageId, ThreadId, ThreadKind, Transcript};

use crate::present::{Clause, diagnose};

use super::list::Scroll;
use super::numbered::{Numbered, Numbering};
use super::scene::{Column, Marks, RowSettings, RunIndex, Scale, Shown, columns, rows};

/// First words of entries, as far as they have been read.
pub type Previews = HashMap<EntryId, Arc<str>>;

/// One thread's windows, and what is looked at.
pub struct Inspect {
    /// The thread.
    pub thread: ThreadId,
    /// Whether another agent asked for it: no person writes there.
    pub asked: bool,
    /// The numbering of its entries: 0 on the recorded track, else the replay's number.
    pub number: u64,
    /// Its run. Replaced whenever counts have come in; ids stay.
    pub index: Arc<RunIndex>,
    /// The step that is shown, from 1; 0 where there is none.
    pub step: u32,
    /// The pane that keys go to.
    pub focus: Context,
    /// Whether it takes the whole screen.
    pub zoomed: bool,
    /// The timeline.
    pub timeline: Timeline,
    /// Layers that ever hold something, with reserve and free. Where there is no room for all, those of the step.
    pub layers: Vec<Layer>,
    /// All of them.
    present: Vec<Layer>,
    /// The cursor among them.
    pub layer: Scroll,
    /// How the window is shown.
    pub settings: RowSettings,
    /// The rows of the step that is shown.
    pub shown: Shown,
    /// The cursor among them.
    pub row: Scroll,
    /// The entry that is selected: kept from step to step for as long as it is in the window.
    pub selected: Option<EntryId>,
    /// Whether the cursor stays at the window's end from step to step.
    pub tail: bool,
    /// The events of the step that is shown.
    pub events: Vec<EventId>,
    /// The cursor among them.
    pub event: Scroll,
    /// Whether the selection goes through the window by size.
    pub by_size: bool,
    /// What is referred to again, once that is known.
    pub referred: Option<Arc<Referred>>,
    /// What is the matter with the session, in parts.
    pub diagnosis: Vec<Clause>,
    /// What the run comes to.
    pub consequences: Consequences,
    /// First words of entries.
    pub previews: Previews,
    /// What `shown` was made for.
    made_for: Option<(u32, RowSettings, u64)>,
    /// Counts the runs that were taken.
    version: u64,
}

/// What the timeline shows.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The scale that the user chose; none: all steps at once.
    pub zoom: Option<Scale>,
    /// The largest peak and the largest window that the chart is drawn to, where it is to be compared with another; none:
    /// the run's own.
    pub common: Option<(u64, u64)>,
    /// The first column that is drawn.
    pub offset: u64,
    /// The columns at the present scale.
    pub columns: Vec<Column>,
    /// What stands in any of them.
    pub marks: Marks,
    /// What they were made for.
    made_for: Option<(Scale, u64)>,
}

impl Timeline {
    /// The scale in a chart so many columns wide.
    #[must_use]
    pub fn scale(&self, steps: u32, width: u16) -> Scale {
        self.zoom.unwrap_or_else(|| Scale::fit(steps, width))
    }

    /// Works the columns out where the scale or the run is another, and brings the step into sight.
    fn settle(&mut self, index: &RunIndex, version: u64, step: u32, width: u16) {
        let scale = self.scale(index.steps(), width);
        let wanted = Some((scale, version));
        if self.made_for != wanted {
            self.columns = columns(index, scale);
            self.marks = self.columns.iter().fold(Marks::default(), |all, column| all.with(column.marks));
            self.made_for = wanted;
        }
        let (total, width) = (scale.total(index.steps()), u64::from(width));
        let at = scale.column_of(step);
        let margin = (width / 8).min(12);
        let most = at.saturating_sub(margin);
        let least = (at + margin + 1).saturating_sub(width).min(most);
        self.offset = self.offset.clamp(least, most).min(total.saturating_sub(width));
    }
}

impl Inspect {
    /// The window's size at the step that is shown.
    #[must_use]
    pub fn window_tokens(&self) -> u64 {
        self.index.step(self.step).map_or(0, |step| step.window_tokens)
    }

    /// Opens a run at its last step.
    #[must_use]
    pub fn new(thread: ThreadId, index: Arc<RunIndex>) -> Inspect {
        let (step, present) = (index.steps(), present_layers(&index));
        Inspect {
            thread,
            asked: false,
            number: 0,
            step,
            focus: Context::Window,
            zoomed: false,
            timeline: Timeline::default(),
            layers: present.clone(),
            present,
            layer: Scroll::default(),
            settings: RowSettings::default(),
            shown: Shown::default(),
            row: Scroll::default(),
            selected: None,
            tail: true,
            events: Vec::new(),
            event: Scroll::default(),
            by_size: false,
            referred: None,
            diagnosis: diagnose(index.run(), None),
            consequences: Consequences::of(index.run()),
            previews: Previews::new(),
            made_for: None,
            version: 0,
            index,
        }
    }

    /// Takes a newer run of the same thread: counts have come in, entries are the same.
    pub fn refresh(&mut self, index: Arc<RunIndex>) {
        self.present = present_layers(&index);
        self.diagnosis = diagnose(index.run(), self.referred.as_deref());
        self.consequences = Consequences::of(index.run());
        self.index = index;
        self.version += 1;
        self.step = self.step.clamp(u32::from(self.index.steps() > 0), self.index.steps());
    }

    /// Takes another replay of the same thread: its entries have other ids. What was selected stays so where it is
    /// there.
    pub fn renumber(&mut self, number: u64, index: Arc<RunIndex>) {
        let selected = self.selected.and_then(|id| self.index.run().entry(id)?.block());
        self.number = number;
        self.previews.clear();
        self.refresh(index);
        self.select_block(selected);
        // Rows are made anew by the ids that there are now.
        self.made_for = None;
    }

    /// Looks where another track of the same thread does.
    pub fn follow(&mut self, other: &Inspect) {
        self.go_to(other.step);
        let selected = other.selected.and_then(|id| other.index.run().entry(id)?.block());
        (self.focus, self.zoomed, self.settings.changes) = (other.focus, other.zoomed, other.settings.changes);
        (self.settings.order, self.settings.layer) = (other.settings.order, other.settings.layer);
        self.tail = other.tail;
        // Who refers to what is a matter of the history, which both tracks share.
        if let Some(referred) = other.referred.as_ref().filter(|_| self.referred.is_none()) {
            self.refer(Arc::clone(referred));
        }
        self.timeline.zoom = other.timeline.zoom;
        self.select_block(selected);
    }

    /// Selects the entry of a block, where the window holds it.
    fn select_block(&mut self, block: Option<BlockId>) {
        let run = Arc::clone(self.index.run());
        self.selected = block.and_then(|block| {
            let held = self.index.window(self.step).into_iter();
            { held }.find(|id| run.entry(*id).and_then(crate::model::Entry::block) == Some(block))
        });
    }

    /// Counts the runs that were taken.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Which numbering its entries' ids belong to.
    #[must_use]
    pub fn numbering(&self) -> Numbering {
        Numbering { thread: self.thread, number: self.number }
    }

    /// Whether it is the simulated track, not the recorded one.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        self.numbering().is_simulated()
    }

    /// Its run, with the numbering.
    #[must_use]
    pub fn numbered(&self) -> Numbered {
        Numbered { of: self.numbering(), run: Arc::clone(self.index.run()) }
    }

    /// Takes what is referred to again.
    pub fn refer(&mut self, referred: Arc<Referred>) {
        self.diagnosis = diagnose(self.index.run(), Some(&referred));
        self.referred = Some(referred);
    }

    /// Whether some of what is asked for with its windows is not there.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.index.run().provisional || self.referred.is_none()
    }

    /// Whether the figures of its layers are estimates: what was recorded is still being counted.
    #[must_use]
    pub fn estimates(&self) -> bool {
        !self.is_simulated() && self.index.run().provisional
    }

    /// Goes to a step; beyond the ends, to the end.
    pub fn go_to(&mut self, step: u32) {
        let step = step.clamp(u32::from(self.index.steps() > 0), self.index.steps());
        if step != self.step {
            self.step = step;
            self.event = Scroll::default();
        }
    }

    /// Selects an entry; where the window of the step does not hold it, goes to the nearest step that does.
    pub fn reveal(&mut self, id: EntryId) {
        let run = Arc::clone(self.index.run());
        let Some(entry) = run.entry(id) else { return };
        if entry.life_at(self.step).is_none() {
            let near = entry.lives.iter().map(|life| {
                let last = life.died.map_or(self.index.steps(), |died| died.saturating_sub(1));
                if self.step < life.born { life.born } else { last }
            });
            if let Some(step) = near.min_by_key(|step| step.abs_diff(self.step)) {
                self.go_to(step);
            }
        }
        if self.settings.layer.is_some_and(|layer| layer != entry.layer) {
            self.settings.layer = None;
        }
        self.selected = Some(id);
        self.tail = false;
        self.made_for = None;
    }

    /// Brings everything that depends on the step, the settings and the sizes of the panes up to date.
    pub fn settle(&mut self, transcript: &Transcript, chart: u16, heights: impl Fn(Context) -> usize) {
        let kind = transcript.thread(self.thread).map(|thread| thread.kind);
        self.asked = matches!(kind, Some(ThreadKind::Subagent(_) | ThreadKind::Summariser));
        self.timeline.settle(&self.index, self.version, self.step, chart);
        let wanted = (self.step, self.settings.clone(), self.version);
        if self.made_for.as_ref() != Some(&wanted) {
            self.shown = rows(&self.index, transcript, self.step, &self.settings);
            self.events = self.index.run().events_shown(self.step).map(|(id, _)| id).collect();
            self.made_for = Some(wanted);
            self.find_cursor();
        }
        self.choose_layers(heights(Context::Layers));
        self.row.settle(self.shown.rows.len(), heights(Context::Window));
        self.layer.settle(self.layers.len(), heights(Context::Layers));
        self.event.settle(self.events.len(), heights(Context::Events));
    }

    /// All layers where they have room, so that rows stay where they are from step to step; else those that hold
    /// something now.
    fn choose_layers(&mut self, height: usize) {
        let under = self.layers.get(self.layer.cursor).copied();
        let holds = |layer: &Layer| {
            self.index.totals(self.step).is_none_or(|totals| totals.layers.get(*layer as usize).is_some_and(|n| *n > 0))
        };
        let layers = match height {
            0 => self.present.clone(),
            height if self.present.len() <= height => self.present.clone(),
            _ => self.present.iter().copied().filter(|layer| holds(layer) || *layer == Layer::Free).collect(),
        };
        if layers != self.layers {
            self.layer.cursor = under.and_then(|under| layers.iter().position(|layer| *layer >= under)).unwrap_or(0);
            self.layers = layers;
        }
    }

    /// How many layers ever hold something.
    #[must_use]
    pub fn present(&self) -> usize {
        self.present.len()
    }

    /// Puts the cursor back on the entry that was selected, or as near to it as may be.
    fn find_cursor(&mut self) {
        let rows = &self.shown.rows;
        if self.tail {
            self.row.cursor = rows.len().saturating_sub(1);
        } else if let Some(at) = self.selected.and_then(|id| self.row_of(id)) {
            self.row.cursor = at;
        }
        self.row.cursor = self.row.cursor.min(self.shown.rows.len().saturating_sub(1));
        self.pick();
    }

    /// The entry that is looked at: none where the cursor is on a row that parts entries, or where nothing is listed.
    /// What is selected stays so meanwhile, to come back to.
    #[must_use]
    pub fn here(&self) -> Option<EntryId> {
        let row = self.shown.rows.get(self.row.cursor)?;
        row.entry().and(self.selected)
    }

    /// The row that shows an entry, alone or in a folded message.
    fn row_of(&self, id: EntryId) -> Option<usize> {
        let rows = &self.shown.rows;
        rows.iter().position(|row| row.entry() == Some(id)).or_else(|| {
            let place = |id: EntryId| self.index.run().entry(id)?.life_at(self.step).map(|life| life.place);
            let wanted = place(id)?;
            rows.iter().rposition(|row| row.entry().and_then(place).is_some_and(|place| place <= wanted))
        })
    }

    /// Takes the row under the cursor as what is selected.
    pub fn pick(&mut self) {
        if let Some(id) = self.shown.rows.get(self.row.cursor).and_then(super::scene::Row::entry) {
            self.selected = Some(id);
        }
    }

    /// Moves the window's cursor to a row.
    pub fn move_to(&mut self, row: usize) {
        self.row.cursor = row.min(self.shown.rows.len().saturating_sub(1));
        self.tail = self.row.cursor + 1 == self.shown.rows.len();
        self.pick();
    }

    /// The message that the selected entry is a part of.
    #[must_use]
    pub fn message_of_selected(&self, transcript: &Transcript) -> Option<MessageId> {
        let block = self.index.run().entry(self.selected?)?.block()?;
        transcript.block(block).map(|block| block.message)
    }

    /// The event under the cursor.
    #[must_use]
    pub fn current_event(&self) -> Option<EventId> {
        self.events.get(self.event.cursor).copied()
    }
}

/// Layers that hold something at any step, and the room that is left.
fn present_layers(index: &RunIndex) -> Vec<Layer> {
    let mut ever = [false; Layer::COUNT];
    for totals in &index.run().totals {
        for (ever, tokens) in ever.iter_mut().zip(totals.layers) {
            *ever |= tokens > 0;
        }
    }
    crate::model::ALL_LAYERS
        .iter()
        .map(|info| info.layer)
        .filter(|layer| ever[*layer as usize] || *layer == Layer::Free)
        .collect()
}
