//! Brings the view up to date with the step, and asks for what it lacks.

use std::sync::Arc;

use rayon::prelude::*;

use crate::content::Watch;
use crate::inquiry::{Doer, Memories};
use crate::memory::{Kept, MemoryId};
use crate::policy::{Choice, Policy};
use crate::present::memory::memory_state;
use crate::present::{summaries, summary_at};
use crate::tui::inspect::Inspect;
use crate::tui::message::Effect;

use super::draw::Parts;
use super::{EventRow, Known, MemoryView, Remember, Tab};

/// How memories stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// What came in last first.
    #[default]
    Newest,
    /// What came in first first.
    Oldest,
    /// What was packed most often first.
    Uses,
    /// Those that say otherwise than another first, then the live ones, then those that were merged.
    State,
}

impl Order {
    /// In a word or two.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Order::Newest => "newest first",
            Order::Oldest => "oldest first",
            Order::Uses => "most used first",
            Order::State => "by state",
        }
    }

    /// The next one.
    #[must_use]
    pub fn next(self) -> Order {
        match self {
            Order::Newest => Order::Oldest,
            Order::Oldest => Order::Uses,
            Order::Uses => Order::State,
            Order::State => Order::Newest,
        }
    }
}

/// Memories to be sought and sorted.
#[derive(Clone)]
pub struct Arrange {
    /// Tells the answer from those to earlier wishes.
    pub number: u64,
    /// The memories.
    pub memories: Arc<Memories>,
    /// The words; all of them are sought.
    pub filter: String,
    /// The order.
    pub order: Order,
}

/// The memories that hold all words, in order; `None` where the watch was cancelled. Takes a while where there are
/// many: not for the thread that draws.
#[must_use]
pub fn arrange(wish: &Arrange, watch: &Watch) -> Option<Vec<MemoryId>> {
    let store = &wish.memories.store;
    let words: Vec<String> = wish.filter.split_whitespace().map(str::to_lowercase).collect();
    let holds = |id: MemoryId| {
        let Some(memory) = store.get(id).filter(|_| !watch.is_cancelled()) else { return false };
        if words.is_empty() {
            return true;
        }
        let text = memory.text.to_lowercase();
        let about = format!("{} {} {} {}", id.0, memory.scope.name(), memory.how.name(), memory_state(store.state(id)));
        words.iter().all(|word| text.contains(word) || about.contains(word))
    };
    let length = u32::try_from(store.len()).unwrap_or(u32::MAX);
    let mut found: Vec<MemoryId> = (0..length).into_par_iter().map(MemoryId).filter(|id| holds(*id)).collect();
    let born = |id: MemoryId| store.get(id).map_or(0, |memory| memory.born);
    match wish.order {
        Order::Newest => found.sort_by_key(|id| std::cmp::Reverse((born(*id), *id))),
        Order::Oldest => found.sort_by_key(|id| (born(*id), *id)),
        Order::Uses => found.sort_by_key(|id| std::cmp::Reverse((store.state(*id).uses, *id))),
        Order::State => found.sort_by_key(|id| {
            let state = store.state(*id);
            let rank = match (state.is_live(), state.promoted) {
                (true, _) if wish.memories.graph.is_contradicted(*id) => 0,
                (true, true) => 1,
                (true, false) => 2,
                (false, _) => 3,
            };
            (rank, std::cmp::Reverse(*id))
        }),
    }
    (!watch.is_cancelled()).then_some(found)
}

impl MemoryView {
    /// Brings everything up to date with the run and step that are shown; `policy` is that of the replay, none on the
    /// recorded track. Returns what is to be asked for.
    pub fn settle(&mut self, view: &Inspect, policy: Option<&Policy>, parts: &Parts) -> Vec<Effect> {
        let mut effects = Vec::new();
        match policy {
            None => (self.known, self.asked) = (Known::NotYet, None),
            Some(policy) => {
                let wanted = (view.numbering(), view.step);
                if self.asked != Some(wanted) {
                    if self.asked.is_some_and(|(of, _)| of != wanted.0) {
                        // Another replay numbers its memories anew.
                        self.trail.clear();
                    }
                    self.asked = Some(wanted);
                    let (of, step) = wanted;
                    effects.push(Effect::Remember(Remember { of, step, policy: Box::new(policy.clone()) }));
                }
            }
        }
        effects.extend(self.ask_for_rows());
        effects.extend(self.ask_for_summary(view));
        self.choose_facts();
        let height = usize::from(parts.list.height);
        self.list.settle(self.rows.len(), height);
        let candidates = self.memories().and_then(|it| it.pack.as_ref()).map_or(0, |(.., pack)| pack.candidates.len());
        self.packed.settle(candidates, height);
        self.events.settle(self.event_rows.len(), height);
        let links = self.selected.and_then(|id| Some(self.memories()?.graph.links(id).len())).unwrap_or(0);
        self.links.settle(links, height);
        self.sentences.settle(self.summary().map_or(0, |found| found.sentences.len()), height);
        self.facts.settle(self.fact_rows.len(), height);
        if self.selected.is_none() && !self.rows.is_empty() {
            self.selected = self.rows.get(self.list.cursor).copied();
        }
        self.whence = super::seek::whence(self, view);
        effects
    }

    fn ask_for_rows(&mut self) -> Option<Effect> {
        let memories = Arc::clone(self.memories()?);
        let (of, order) = (Arc::as_ptr(&memories) as usize, self.order);
        let is_wanted =
            |(of_them, filter, by): &(usize, String, Order)| (*of_them, *by) == (of, order) && *filter == self.filter;
        if self.arranged.as_ref().is_some_and(is_wanted) {
            return None;
        }
        let filter = self.filter.clone();
        self.arranged = Some((of, filter.clone(), order));
        self.arranging += 1;
        Some(Effect::Arrange(Arrange { number: self.arranging, memories, filter, order }))
    }

    fn ask_for_summary(&mut self, view: &Inspect) -> Option<Effect> {
        if !self.tab.is_of_summary() {
            return None;
        }
        let now = (view.numbering(), view.version(), view.step);
        if self.summary.is_some_and(|(of, version, step, _)| (of, version, step) == now) {
            return None;
        }
        let run = view.index.run();
        let wanted = summary_at(run, view.step).map(|(event, _)| event);
        let sized = |(event, id)| run.entry(id).map(|entry| (event, entry.tokens));
        // The size of an encrypted one is not known.
        let all: Vec<_> = summaries(run).filter_map(sized).filter(|(_, tokens)| *tokens > 0).collect();
        let at = all.iter().position(|(event, _)| Some(*event) == wanted).map_or(0, |at| at + 1);
        self.summary_sizes = (all.into_iter().map(|(_, tokens)| tokens).collect(), at);
        let before = self.summary.replace((now.0, now.1, now.2, wanted));
        let known = before.is_some_and(|(of, version, _, event)| (of, version, event) == (now.0, now.1, wanted));
        wanted.filter(|_| !known).map(|event| Effect::Measure((view.numbered(), event)))
    }

    /// The facts that hold the words: those that are lost first.
    fn choose_facts(&mut self) {
        let Some(found) = self.summary() else {
            (self.fact_rows, self.facts_for) = (Vec::new(), None);
            return;
        };
        let number = found.facts.len();
        if self.facts_for.as_ref().is_some_and(|(filter, of)| *of == number && *filter == self.filter) {
            return;
        }
        let words: Vec<String> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        let holds = |text: &str| words.is_empty() || words.iter().all(|word| text.to_lowercase().contains(word));
        let facts = found.facts.iter().enumerate().filter(|(_, fact)| holds(&fact.text));
        let mut rows: Vec<usize> = facts.map(|(at, _)| at).collect();
        let rank = |at: &usize| match found.facts.get(*at).map(|fact| fact.kept) {
            Some(Kept::Literal) => 0,
            Some(Kept::Paraphrase) => 1,
            Some(Kept::Lost) | None => 2,
        };
        // What is kept is little: it stands on top, and what is lost below it.
        rows.sort_by_key(rank);
        (self.fact_rows, self.facts_for) = (rows, Some((self.filter.clone(), number)));
    }

    /// Which rows of what happened are shown.
    pub(super) fn fold_events(&mut self) {
        let mut rows = Vec::new();
        if let Known::There(memories) = &self.known {
            for (at, happened) in memories.happened.iter().enumerate() {
                let rare = matches!(happened.by, Doer::Preserve | Doer::Reconcile);
                if self.rare && !rare {
                    continue;
                }
                rows.push(EventRow::Head(at));
                // That all was known already stands in the head.
                let opens = rare && happened.deeds.iter().any(|deed| deed.memory().is_some());
                if opens != self.turned.contains(&(happened.step, happened.by)) {
                    rows.extend((0..happened.deeds.len()).map(|deed| EventRow::Deed(at, deed)));
                }
            }
        }
        self.event_rows = rows;
    }

    /// Brings the cursors of lists to the memory that is looked at.
    pub(super) fn follow(&mut self) {
        let Some(selected) = self.selected else { return };
        if let Some(at) = self.rows.iter().position(|id| *id == selected) {
            self.list.cursor = at;
        } else if self.tab == Tab::Memories {
            self.selected = self.rows.get(self.list.cursor.min(self.rows.len().saturating_sub(1))).copied();
        }
        if self.tab != Tab::Packed {
            let packed = self.memories().and_then(|memories| memories.pack.as_ref());
            let at = packed.and_then(|(.., pack)| pack.candidates.iter().position(|one| one.id == selected));
            self.packed.cursor = at.unwrap_or(self.packed.cursor);
        }
    }
}
