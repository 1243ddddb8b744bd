//! Runs: a table of lifetimes, the events behind it, and per-step totals.
//!
//! The window at a step is a filter over the table; nothing is stored per step but the totals.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Breakpoint, ContextParts, Cost, Entry, EntryId, Event, EventId, Layer, Listed, Outcome, Record, RequestId,
    ThreadId, Transcript, Usage, VirtualFile,
};

/// Which history of windows a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Track {
    /// What the agent really did.
    Recorded,
    /// The same transcript under a policy.
    Simulated,
}

/// Where a window's size is from, the first that says one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowSource {
    /// The transcript states it.
    Transcript,
    /// The user gave it.
    User,
    /// The policy sets it.
    Policy,
    /// The table of models knows it.
    Table,
    /// The agent used only so much of what the table says: an older Claude Code, or Codex. To callers it is the table, too.
    #[serde(rename = "table")]
    #[schemars(skip)]
    Agent,
    /// Nobody knows: 200,000.
    #[default]
    Default,
}

/// What the calls that write summaries at a step come to, beside its request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Calls {
    /// There were none.
    #[default]
    None,
    /// A summary was written, and nothing says what that cost.
    Unknown,
    /// Their price.
    Price(Cost),
}

impl Calls {
    /// Their price in US dollars; `None` where it is not known.
    #[must_use]
    pub fn dollars(&self) -> Option<f64> {
        match self {
            Calls::None => Some(0.0),
            Calls::Unknown => None,
            Calls::Price(cost) => Some(cost.total()),
        }
    }
}

/// One request to the model, as far as a run knows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The thread's request.
    pub request: RequestId,
    /// Its record.
    pub record: Record,
    /// The model's name as recorded.
    pub model: Option<Arc<str>>,
    /// What was reported.
    pub usage: Option<Usage>,
    /// The window's size in tokens.
    pub window_tokens: u64,
    /// Where that size is from.
    pub window_source: WindowSource,
    /// The reserve in tokens, before it is fitted into what is free.
    pub reserve_tokens: u64,
    /// The tokens at which this agent compacts, where that is known.
    pub threshold: Option<u64>,
    /// Price of the step, where the model has one, with `calls` as far as their price is known.
    pub cost: Option<Cost>,
    /// The calls that write summaries.
    #[serde(skip)]
    pub calls: Calls,
    /// On the simulated track, what the request would be billed as: read from the cache, written to it, fresh.
    pub billed: Option<Usage>,
    /// Whether it asked other models on the way of which nobody knows the price.
    #[serde(skip)]
    pub unpriced: bool,
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// What became of the request.
    pub outcome: Outcome,
}

impl Step {
    /// Whether its price is too low: nothing says how long the answer was, or what a model on the way costs, or what a
    /// summary did.
    #[must_use]
    pub fn costs_more(&self) -> bool {
        self.cost.is_some() && (self.unpriced || self.ends_unknown() || self.calls == Calls::Unknown)
    }

    /// Whether its request was refused as too long: the model never got it, so nothing that stands in it was shown to
    /// anybody.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.outcome == Outcome::TooLong
    }

    /// What so many tokens more would be billed as, sent once: as what else is new at this step, written to the cache or
    /// sent fresh.
    #[must_use]
    pub fn of_more(&self, tokens: u64) -> Usage {
        let none = Usage { output: Some(0), ..Usage::default() };
        match self.billed.filter(|billed| billed.cache_write > 0) {
            Some(billed) if billed.cache_write_1h > 0 => Usage { cache_write: tokens, cache_write_1h: tokens, ..none },
            Some(_) => Usage { cache_write: tokens, ..none },
            None => Usage { input: tokens, ..none },
        }
    }

    /// What of its context was read from the prompt cache, written to it and sent fresh, by its report or as it would be
    /// billed; `None` where neither is known. A request that was sampled several times is billed for more.
    #[must_use]
    pub fn context_parts(&self) -> Option<ContextParts> {
        self.billed.or(self.usage).map(|usage| usage.context_parts())
    }

    /// Whether nothing says how long the answer was.
    #[must_use]
    pub fn ends_unknown(&self) -> bool {
        self.billed.or(self.usage).is_some_and(|usage| usage.output.is_none())
    }
}

/// The sums of one step. They obey `counted + unlogged − excess = reported` (where reported) and
/// `layers + free = max(window, used)`, the drawn reserve being among the layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Tokens per layer, by [`Layer`]'s order, with unlogged, reserve and free.
    pub layers: [u64; Layer::COUNT],
    /// Entries per layer.
    pub entries: [u32; Layer::COUNT],
    /// Our count of all entries.
    pub counted: u64,
    /// The context's size as reported.
    pub reported: Option<u64>,
    /// By how much the count exceeds the report.
    pub excess: u64,
    /// By how much the window exceeds its size, without what was counted too much.
    pub over: u64,
    /// Whether `unlogged` is carried from another step rather than reported for this one.
    pub unlogged_estimated: bool,
    /// Tokens of the stable prefix shared with the step before, by our count.
    pub prefix: u64,
}

impl Totals {
    /// Everything the request held: counted and unlogged.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.counted.saturating_add(self.layers[Layer::Unlogged as usize])
    }

    /// How large the request was: as reported where it is, without what was counted too much, else as counted.
    #[must_use]
    pub fn context(&self) -> u64 {
        self.used().saturating_sub(self.excess)
    }
}

/// A fit of counts to reported usage, for models without a public tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Reported tokens per counted token.
    pub factor: f64,
    /// What the fit leaves for the part that is not recorded.
    pub offset: f64,
    /// Mean relative error of the fit.
    pub error: f64,
    /// Steps that it was fitted on.
    pub steps: u32,
}

/// One history of windows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Recorded or simulated.
    pub track: Track,
    /// The thread it is a history of.
    pub thread: ThreadId,
    /// The table of lifetimes.
    pub entries: Vec<Entry>,
    /// The steps, in order; step `n` is `steps[n - 1]`. Shared, since counts that come in change none of them.
    pub steps: Arc<Vec<Step>>,
    /// The events, by step.
    pub events: Vec<Event>,
    /// The virtual files that a policy made, in order; empty on the recorded track.
    pub files: Vec<VirtualFile>,
    /// The files that are attached and told to the model in notices, in the order in which they came in; empty on the
    /// recorded track, and where the policy writes none.
    pub attached: Vec<Listed>,
    /// The sums of each step; as many as there are steps.
    pub totals: Vec<Totals>,
    /// Entries that a recorded compaction put back: copies of what had come in before, in order. A policy's own are told
    /// by its events.
    #[serde(skip)]
    pub put_back: Vec<EntryId>,
    /// Whether something that it depends on is still on its way.
    pub provisional: bool,
    /// The fit that the counts were scaled by.
    pub calibration: Option<Calibration>,
}

impl Run {
    /// A history of a thread that has no steps yet.
    #[must_use]
    pub fn new(track: Track, thread: ThreadId) -> Run {
        Run {
            track,
            thread,
            entries: Vec::new(),
            steps: Arc::default(),
            events: Vec::new(),
            files: Vec::new(),
            attached: Vec::new(),
            totals: Vec::new(),
            put_back: Vec::new(),
            provisional: false,
            calibration: None,
        }
    }

    /// The window of a step: its entries in order.
    #[must_use]
    pub fn window(&self, step: u32) -> Vec<EntryId> {
        let mut found: Vec<(u32, u32)> = (0u32..)
            .zip(&self.entries)
            .filter_map(|(id, entry)| entry.life_at(step).map(|life| (life.place, id)))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, id)| EntryId(id)).collect()
    }

    /// The number of the last step; 0 where there is none.
    #[must_use]
    pub fn last_step(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// The step of that number, from 1.
    #[must_use]
    pub fn step_at(&self, step: u32) -> Option<&Step> {
        self.steps.get((step as usize).checked_sub(1)?)
    }

    /// The sums of the step of that number, from 1.
    #[must_use]
    pub fn totals_at(&self, step: u32) -> Option<&Totals> {
        self.totals.get((step as usize).checked_sub(1)?)
    }

    /// The model of a step: its own, or the newest that an earlier step names (a request that is about to be made names
    /// none).
    #[must_use]
    pub fn model_at(&self, step: u32) -> Option<&str> {
        let steps = self.steps.get(..step as usize).unwrap_or(&self.steps);
        steps.iter().rev().find_map(|step| step.model.as_deref())
    }

    /// Where the recorded request of a step marked its prompt for a cache; a simulated one is no such request.
    #[must_use]
    pub fn breakpoints<'a>(&self, transcript: &'a Transcript, step: u32) -> &'a [Breakpoint] {
        let step = self.step_at(step);
        let thread = transcript.thread(self.thread).filter(|_| self.track == Track::Recorded);
        let found = thread.zip(step).and_then(|(thread, step)| thread.breakpoints.get(&step.request));
        found.map_or(&[], Vec::as_slice)
    }

    /// The entry of that id.
    #[must_use]
    pub fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    /// The event of that id.
    #[must_use]
    pub fn event(&self, id: EventId) -> Option<&Event> {
        self.events.get(id.0 as usize)
    }

    /// The piece that an entry is of: what came in first, where one was made of another alone and that of a third.
    #[must_use]
    pub fn piece(&self, id: EntryId) -> EntryId {
        let mut piece = id;
        // What something is made of came before it: so this ends.
        while let Some([before]) = self.entry(piece).map(|entry| entry.from.as_slice())
            && *before < piece
        {
            piece = *before;
        }
        piece
    }

    /// How many pieces these entries are of, each piece once.
    #[must_use]
    pub fn pieces(&self, entries: impl IntoIterator<Item = EntryId>) -> usize {
        entries.into_iter().map(|id| self.piece(id)).collect::<FxHashSet<_>>().len()
    }

    /// The events of a step.
    pub fn events_at(&self, step: u32) -> impl Iterator<Item = (EventId, &Event)> {
        let first = self.events.partition_point(|event| event.step < step);
        (0u32..)
            .zip(&self.events)
            .skip(first)
            .take_while(move |(_, event)| event.step == step)
            .map(|(id, event)| (EventId(id), event))
    }

    /// The events to be shown at a step: its own, and at the last step those after it too, which no request shows.
    pub fn events_shown(&self, step: u32) -> impl Iterator<Item = (EventId, &Event)> {
        let first = self.events.partition_point(|event| event.step < step);
        let last = step as usize >= self.steps.len();
        let shown = (0u32..).zip(&self.events).skip(first).take_while(move |(_, event)| last || event.step == step);
        shown.map(|(id, event)| (EventId(id), event))
    }

    /// Whether an event came after the last request.
    #[must_use]
    pub fn is_after(&self, event: &Event) -> bool {
        event.step as usize > self.steps.len()
    }
}
