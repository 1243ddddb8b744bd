//! The memory view: what is remembered at a step, how it hangs together, what of it was packed, what happened to it,
//! and what the summary in force keeps and loses.

mod act;
mod card;
mod draw;
mod events;
mod graph;
mod list;
mod measured;
#[cfg(test)]
mod memory_tests;
mod off;
mod packed;
mod seek;
mod settle;

use std::collections::HashSet;
use std::sync::Arc;

use crate::inquiry::{Deed, Doer, Memories};
use crate::memory::{Candidate, MemoryId};
use crate::model::{EntryId, EventId};
use crate::policy::Policy;
use crate::present::{Measured, MeasuredFact, MeasuredSentence};

use super::list::Scroll;
use super::numbered::{Numbered, Numbering};

pub use act::{act, click, explained, wheel};
pub use draw::{Parts, draw, parts};
pub use seek::{Goal, earlier, entry_of, goal};
pub use settle::{Arrange, Order, arrange};

/// What the view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Every memory.
    #[default]
    Memories,
    /// One memory, and its neighbours.
    Graph,
    /// What was packed, and why not the others.
    Packed,
    /// What was ingested, preserved and reconciled.
    Events,
    /// The sentences of the summary in force, and what each is from.
    Summary,
    /// The facts that it keeps and loses.
    Facts,
}

impl Tab {
    /// All of them, in the order in which they are gone through.
    pub const ALL: &[Tab] = &[Tab::Memories, Tab::Graph, Tab::Packed, Tab::Events, Tab::Summary, Tab::Facts];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tab::Memories => "Memories",
            Tab::Graph => "Graph",
            Tab::Packed => "Packed",
            Tab::Events => "Events",
            Tab::Summary => "Summary",
            Tab::Facts => "Facts",
        }
    }

    /// Whether it is about a summary, which the recorded track has as well.
    #[must_use]
    pub fn is_of_summary(self) -> bool {
        matches!(self, Tab::Summary | Tab::Facts)
    }
}

/// What is asked of the thread that replays.
#[derive(Clone)]
pub struct Remember {
    /// The replay that is shown.
    pub of: Numbering,
    /// The step.
    pub step: u32,
    /// Its policy.
    pub policy: Box<Policy>,
}

/// What is known of the memories of a step.
#[derive(Clone, Debug, Default)]
pub enum Known {
    /// Nothing yet: they are being read or replayed.
    #[default]
    NotYet,
    /// The policy has none.
    Off,
    /// These.
    There(Arc<Memories>),
}

/// A summary that was measured, or why it cannot be.
pub type Found = Result<Arc<Measured>, String>;

/// A row of what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRow {
    /// What one of them did at a step, by its number.
    Head(usize),
    /// One deed of it.
    Deed(usize, usize),
}

/// The view.
#[derive(Default)]
pub struct MemoryView {
    /// What it shows.
    pub tab: Tab,
    /// The memories.
    pub known: Known,
    /// What was asked for last.
    asked: Option<(Numbering, u32)>,
    /// The words that memories and facts are sought by.
    pub filter: String,
    /// Whether the graph goes to the first memory that they find.
    seeks: bool,
    /// How memories stand.
    pub order: Order,
    /// The memories that are shown.
    pub rows: Vec<MemoryId>,
    /// What they were asked for: the memories' address, the words, the order.
    arranged: Option<(usize, String, Order)>,
    /// Counts what was asked for.
    arranging: u64,
    /// The memory that is looked at.
    pub selected: Option<MemoryId>,
    /// The memories that one came through, the last at the end.
    pub trail: Vec<MemoryId>,
    list: Scroll,
    links: Scroll,
    packed: Scroll,
    /// Tokens of each line that was packed.
    sizes: Vec<u64>,
    events: Scroll,
    event_rows: Vec<EventRow>,
    /// What is folded otherwise than at first.
    turned: HashSet<(u32, Doer)>,
    /// The summary in force, and whether it was asked for.
    summary: Option<(Numbering, u64, u32, Option<EventId>)>,
    /// What it keeps and loses; and of which event it is.
    pub measured: Option<(EventId, Found)>,
    sentences: Scroll,
    facts: Scroll,
    fact_rows: Vec<usize>,
    /// The words and the number of facts that `fact_rows` was made for.
    facts_for: Option<(String, usize)>,
    /// Lines of the text beside the list that are above its first.
    read: usize,
    /// Where the memory beside the list came from.
    whence: Option<Whence>,
    /// Tokens of every summary of the run, and which of them is the one in force.
    summary_sizes: (Vec<u64>, usize),
    /// Whether only what was preserved and reconciled is listed.
    pub rare: bool,
}

/// The entry that a memory came from, sought once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Whence {
    /// The memory, the run and the step.
    of: (MemoryId, Numbering, u64, u32),
    /// The entry, where a window holds it.
    entry: Option<EntryId>,
}

impl MemoryView {
    /// The memories, once they are there.
    #[must_use]
    pub fn memories(&self) -> Option<&Arc<Memories>> {
        match &self.known {
            Known::There(memories) => Some(memories),
            Known::NotYet | Known::Off => None,
        }
    }

    /// Takes the memories of a step.
    pub fn told(&mut self, of: Numbering, step: u32, known: Known) {
        if self.asked != Some((of, step)) {
            return;
        }
        if let Known::There(memories) = &known {
            let there = |id: &MemoryId| (id.0 as usize) < memories.store.len();
            self.selected = self.selected.filter(there);
            self.trail.retain(there);
            self.sizes = memories.pack.as_ref().map_or_else(Vec::new, |(.., packed)| packed.sizes());
        }
        self.known = known;
        self.fold_events();
    }

    /// Takes the memories that are shown, in order.
    pub fn arranged(&mut self, number: u64, rows: Vec<MemoryId>) {
        if number == self.arranging {
            self.rows = rows;
            self.go_to_found();
            self.follow();
        }
    }

    /// Takes a summary that was measured.
    pub fn measured(&mut self, of: Numbering, event: EventId, found: Found) {
        if self.summary.is_some_and(|(now, _, _, wanted)| now == of && wanted == Some(event)) {
            if self.measured.as_ref().is_none_or(|(before, _)| *before != event) {
                (self.sentences, self.facts) = (Scroll::default(), Scroll::default());
            }
            (self.measured, self.facts_for) = (Some((event, found)), None);
        }
    }

    /// What the summary in force keeps and loses, once that is known.
    #[must_use]
    pub fn summary(&self) -> Option<&Measured> {
        let (_, _, _, wanted) = self.summary?;
        self.measured.as_ref().filter(|(event, _)| Some(*event) == wanted)?.1.as_deref().ok()
    }

    /// The candidate under the cursor.
    #[must_use]
    pub fn candidate(&self) -> Option<&Candidate> {
        self.memories()?.pack.as_ref()?.2.candidates.get(self.packed.cursor)
    }

    /// The deed under the cursor.
    #[must_use]
    pub fn deed(&self) -> Option<&Deed> {
        match self.event_rows.get(self.events.cursor)? {
            EventRow::Deed(at, deed) => self.memories()?.happened.get(*at)?.deeds.get(*deed),
            EventRow::Head(_) => None,
        }
    }

    /// The sentence of the summary under the cursor.
    #[must_use]
    pub fn sentence(&self) -> Option<&MeasuredSentence> {
        self.summary()?.sentences.get(self.sentences.cursor)
    }

    /// The fact under the cursor.
    #[must_use]
    pub fn fact(&self) -> Option<&MeasuredFact> {
        self.summary()?.facts.get(*self.fact_rows.get(self.facts.cursor)?)
    }

    /// The memory that is shown beside the list: in the graph the neighbour that one may walk to.
    #[must_use]
    pub fn shown(&self) -> Option<MemoryId> {
        match self.tab {
            Tab::Memories => self.rows.get(self.list.cursor).copied(),
            Tab::Graph => {
                let links = self.memories()?.graph.links(self.selected?);
                links.get(self.links.cursor).map(|link| link.to).or(self.selected)
            }
            Tab::Packed => self.candidate().map(|one| one.id),
            Tab::Events => self.deed()?.memory(),
            Tab::Summary | Tab::Facts => None,
        }
    }
}

/// A summary to be measured.
pub type Measure = (Numbered, EventId);
