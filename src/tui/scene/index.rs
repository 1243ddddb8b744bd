//! A run made quick to scrub: lifetimes in the order of the window, and what is marked at each step.

use std::sync::Arc;

use crate::model::{Entry, EntryId, Event, EventId, Layer, Outcome, Run, Stage, Step, Totals};

/// What is marked at a step, or at one of several steps that share a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u16);

impl Marks {
    /// The history was replaced by a summary.
    pub const COMPACTION: Marks = Marks(1);
    /// Stale results were cleared.
    pub const CLEARING: Marks = Marks(2);
    /// The history went back to an earlier state.
    pub const REWIND: Marks = Marks(4);
    /// A person wrote.
    pub const USER: Marks = Marks(8);
    /// The request was stopped or refused.
    pub const FAILED: Marks = Marks(16);
    /// The request is about to be made.
    pub const PENDING: Marks = Marks(32);
    /// Old turns or results were taken away, with nothing in their place.
    pub const DROP: Marks = Marks(512);
    /// Something was cut, collapsed or else changed.
    pub const CHANGE: Marks = Marks(64);
    /// The reasoning of earlier turns was left out.
    pub const REASONING: Marks = Marks(128);
    /// Another session begins.
    pub const SESSION: Marks = Marks(256);

    /// Whether all of the others' marks are here.
    #[must_use]
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether something was done to the window: compacted, cleared, rewound or changed.
    #[must_use]
    pub fn acts(self) -> bool {
        let events = [
            Marks::COMPACTION,
            Marks::CLEARING,
            Marks::REWIND,
            Marks::DROP,
            Marks::CHANGE,
            Marks::REASONING,
            Marks::SESSION,
        ];
        events.iter().any(|mark| self.has(*mark))
    }

    /// Both.
    #[must_use]
    pub fn with(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    fn of(event: &Event) -> Marks {
        match event.stage {
            _ if event.compacts() => Marks::COMPACTION,
            Stage::Microcompact => Marks::CLEARING,
            Stage::Rewind => Marks::REWIND,
            Stage::Reasoning => Marks::REASONING,
            Stage::Session => Marks::SESSION,
            Stage::Drop => Marks::DROP,
            Stage::Truncate | Stage::Collapse | Stage::Limit | Stage::Select => Marks::CHANGE,
            // The agent itself had cut some of it.
            Stage::Admit if !event.sent_cut.is_empty() => Marks::CHANGE,
            Stage::Admit
            | Stage::Pack
            | Stage::Notice
            | Stage::Preserve
            | Stage::Reconcile
            | Stage::Summarise
            | Stage::Reactive => Marks::default(),
        }
    }
}

/// One stay, laid out for a scan.
#[derive(Clone, Copy)]
struct Stay {
    place: u32,
    entry: u32,
    born: u32,
    died: u32,
}

impl Stay {
    fn holds(self, step: u32) -> bool {
        self.born <= step && step < self.died
    }
}

/// What the rows of a window need of an entry, close together: a window may hold a hundred thousand.
#[derive(Clone, Copy, Debug)]
pub struct Brief {
    /// Tokens in the window.
    pub tokens: u64,
    /// The step at which it came in.
    pub born: u32,
    /// The compaction that made it.
    pub boundary: Option<EventId>,
    /// Its layer.
    pub layer: Layer,
    /// Whether its tokens are an estimate.
    pub estimated: bool,
}

/// A run with what makes it quick to scrub. Built once, away from the screen; shared by reference.
pub struct RunIndex {
    run: Arc<Run>,
    stays: Vec<Stay>,
    briefs: Vec<Brief>,
    marks: Vec<Marks>,
    peak: u64,
    cost: f64,
    costs_more: bool,
    ranks: [u64; Layer::COUNT],
}

impl RunIndex {
    /// Indexes a run: O(n log n) in its lifetimes.
    #[must_use]
    pub fn new(run: Arc<Run>) -> RunIndex {
        let mut stays: Vec<Stay> = (0u32..)
            .zip(&run.entries)
            .flat_map(|(entry, data)| {
                data.lives.iter().map(move |life| Stay {
                    place: life.place,
                    entry,
                    born: life.born,
                    died: life.died.unwrap_or(u32::MAX),
                })
            })
            .collect();
        stays.sort_unstable_by_key(|stay| (stay.place, stay.entry));
        let briefs = run.entries.iter().map(|entry| brief(&run, entry)).collect();
        let marks = marks(&run);
        let peak = run.totals.iter().map(Totals::used).max().unwrap_or(0);
        let cost = run.steps.iter().filter_map(|step| step.cost).map(|cost| cost.total()).sum();
        let costs_more = run.steps.iter().any(Step::costs_more);
        let mut ranks = [0u64; Layer::COUNT];
        for totals in &run.totals {
            for (rank, tokens) in ranks.iter_mut().zip(totals.layers) {
                *rank = rank.saturating_add(tokens);
            }
        }
        RunIndex { run, stays, briefs, marks, peak, cost, costs_more, ranks }
    }

    /// The run itself.
    #[must_use]
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// What rows need of an entry.
    #[must_use]
    pub fn brief(&self, id: EntryId) -> Option<&Brief> {
        self.briefs.get(id.0 as usize)
    }

    /// How many steps there are.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.run.last_step()
    }

    /// The step of a number, from 1.
    #[must_use]
    pub fn step(&self, step: u32) -> Option<&Step> {
        self.run.step_at(step)
    }

    /// The sums of a step.
    #[must_use]
    pub fn totals(&self, step: u32) -> Option<&Totals> {
        self.run.totals_at(step)
    }

    /// The largest window of all steps, in tokens.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// Tokens of each layer over all steps: how much it matters to the run.
    #[must_use]
    pub fn ranks(&self) -> &[u64; Layer::COUNT] {
        &self.ranks
    }

    /// The price of all steps in US dollars, as far as it is known.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Whether that is too low, since some answers' lengths are not known.
    #[must_use]
    pub fn costs_more(&self) -> bool {
        self.costs_more
    }

    /// What is marked at a step.
    #[must_use]
    pub fn marks(&self, step: u32) -> Marks {
        (step as usize).checked_sub(1).and_then(|at| self.marks.get(at)).copied().unwrap_or_default()
    }

    /// The window of a step: its entries in order.
    #[must_use]
    pub fn window(&self, step: u32) -> Vec<EntryId> {
        self.stays.iter().filter(|stay| stay.holds(step)).map(|stay| EntryId(stay.entry)).collect()
    }

    /// The windows of a step and of the one before in one order, each entry once.
    #[must_use]
    pub fn changes(&self, step: u32) -> Vec<(EntryId, Change)> {
        let before = step.saturating_sub(1);
        let mut held = vec![0u8; self.run.entries.len()];
        for stay in &self.stays {
            if let Some(held) = held.get_mut(stay.entry as usize) {
                *held |= u8::from(stay.holds(before)) | (u8::from(stay.holds(step)) << 1);
            }
        }
        let mut found = Vec::new();
        for stay in &self.stays {
            let change = match held.get(stay.entry as usize) {
                Some(1) if stay.holds(before) => Change::Gone,
                Some(2) if stay.holds(step) => Change::Came,
                Some(3) if stay.holds(step) => Change::Stayed,
                _ => continue,
            };
            found.push((EntryId(stay.entry), change));
        }
        found
    }

    /// The nearest step in a direction whose marks are wanted.
    #[must_use]
    pub fn next_marked(&self, step: u32, forward: bool, wanted: impl Fn(Marks) -> bool) -> Option<u32> {
        let hit = |step: &u32| wanted(self.marks(*step));
        match forward {
            true => (step.saturating_add(1)..=self.steps()).find(hit),
            false => (1..step).rev().find(hit),
        }
    }
}

/// What became of an entry between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is in the later window only.
    Came,
    /// It is in both.
    Stayed,
    /// It is in the earlier window only.
    Gone,
}

fn brief(run: &Run, entry: &Entry) -> Brief {
    let compacts = |made: &EventId| run.event(*made).is_some_and(Event::compacts);
    Brief {
        tokens: entry.tokens,
        born: entry.born(),
        boundary: entry.made_by.filter(compacts),
        layer: entry.layer,
        estimated: entry.estimated,
    }
}

fn marks(run: &Run) -> Vec<Marks> {
    let mut marks: Vec<Marks> = run
        .steps
        .iter()
        .map(|step| match step.outcome {
            Outcome::Answered => Marks::default(),
            Outcome::Aborted | Outcome::TooLong => Marks::FAILED,
            Outcome::Pending => Marks::PENDING,
        })
        .collect();
    let last = u32::try_from(marks.len()).unwrap_or(u32::MAX);
    let mut set = |step: u32, mark: Marks| {
        if let Some(marks) = (step as usize).checked_sub(1).and_then(|at| marks.get_mut(at)) {
            *marks = marks.with(mark);
        }
    };
    for event in &run.events {
        // What came after the last request is marked there.
        set(event.step.min(last), Marks::of(event));
    }
    for entry in run.entries.iter().filter(|entry| entry.layer == Layer::User && entry.from.is_empty()) {
        set(entry.born(), Marks::USER);
    }
    marks
}
