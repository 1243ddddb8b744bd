//! What a replay remembers at a step, and what happened to its memories until then.

use std::sync::Arc;

use crate::content::Watch;
use crate::engine::{Recall, Remembered, Replay, simulate_remembering};
use crate::memory::{Change, Edge, Graph, Memory, MemoryId, Merged, Packed, Skip, Store, facts, signals};
use crate::policy::{self, Policy};

/// What happened to memories, most of it to one.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// A text became this memory.
    Wrote(MemoryId),
    /// A text became none: its number among [`crate::memory::Ingested::skipped`], and the memory that it is like.
    Skipped(usize, MemoryId),
    /// It was taken out before a compaction, by this signal phrase.
    Preserved(MemoryId, Option<Arc<str>>),
    /// So many facts were known already.
    Known(u32),
    /// It was packed, as this number from 1.
    Packed(MemoryId, u32),
    /// It comes first from now on, after so many uses.
    Promoted(MemoryId, u32),
    /// Nearly the same became one.
    Merged(Merged),
    /// Several about the same became one.
    Consolidated(Merged),
    /// A relation was taken away: an end of it is gone, or both are one now, or another relates the same.
    Untied(Edge),
}

impl Deed {
    /// The memory that it is about.
    #[must_use]
    pub fn memory(&self) -> Option<MemoryId> {
        match self {
            Deed::Wrote(id)
            | Deed::Skipped(_, id)
            | Deed::Preserved(id, _)
            | Deed::Packed(id, _)
            | Deed::Promoted(id, _) => Some(*id),
            Deed::Merged(merged) | Deed::Consolidated(merged) => Some(merged.into),
            Deed::Known(_) | Deed::Untied(_) => None,
        }
    }
}

/// What did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doer {
    /// Texts came in.
    Ingest,
    /// Memories were put into the window.
    Pack,
    /// A compaction was about to take texts away.
    Preserve,
    /// It was time to tidy.
    Reconcile,
}

/// What one of them did at a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// The step.
    pub step: u32,
    /// What did it.
    pub by: Doer,
    /// What it did, in order.
    pub deeds: Vec<Deed>,
}

/// What a replay remembers at a step.
#[derive(Clone, Debug)]
pub struct Memories {
    /// The step.
    pub step: u32,
    /// The memories as they are then.
    pub store: Store,
    /// Who is related to whom.
    pub graph: Graph,
    /// The pack that was made last: its step, what was asked, what was taken and left.
    pub pack: Option<(u32, Arc<str>, Packed)>,
    /// What happened, the newest first.
    pub happened: Vec<Happened>,
    /// What the session's texts become.
    pub recall: Arc<Recall>,
    /// The settings in force.
    pub settings: policy::Memory,
}

impl Memories {
    /// Of a replay under a policy, up to a step; `None` where the policy has no memory, or the watch is cancelled.
    #[must_use]
    pub fn at(replay: &Replay, policy: &Policy, step: u32, watch: &Watch) -> Option<Memories> {
        let recall = Arc::clone(replay.given.recall.as_ref()?);
        let (_, remembered) = simulate_remembering(&replay.plan, policy, &replay.given, step, watch)?;
        Some(Memories::of(recall, remembered, &policy.memory, step))
    }

    /// Of what a replay remembered.
    #[must_use]
    pub fn of(recall: Arc<Recall>, mut remembered: Remembered, settings: &policy::Memory, step: u32) -> Memories {
        let happened = happened(&recall, &remembered, settings, step);
        Memories {
            step,
            graph: Graph::of(&remembered.store),
            pack: remembered.packs.pop(),
            store: remembered.store,
            happened,
            recall,
            settings: settings.clone(),
        }
    }
}

/// Tells which signal phrase marks a memory as a fact. What a model took out, no phrase marked.
pub fn phrases(settings: &policy::Memory) -> impl Fn(&Memory) -> Option<Arc<str>> {
    let compared = signals(&settings.signals);
    // Phrases that say nothing are not among those that are compared.
    let named: Vec<Arc<str>> = settings
        .signals
        .iter()
        .filter(|phrase| !phrase.trim().is_empty())
        .map(|phrase| Arc::from(phrase.as_str()))
        .collect();
    move |memory| {
        let marked = memory.is_quoted().then(|| facts(&memory.text, &compared).into_iter().next())?;
        let (.., at) = marked?;
        named.get(at).cloned()
    }
}

/// What happened to memories up to a step, the newest first.
#[must_use]
pub fn happened(recall: &Recall, remembered: &Remembered, settings: &policy::Memory, step: u32) -> Vec<Happened> {
    let mut found: Vec<Happened> = Vec::new();
    let mut tell = |step: u32, by: Doer, deeds: Vec<Deed>| match found.last_mut() {
        Some(last) if (last.step, last.by) == (step, by) => last.deeds.extend(deeds),
        _ if deeds.is_empty() => {}
        _ => found.push(Happened { step, by, deeds }),
    };
    let mut newest = None;
    for (memory, id) in recall.coming.iter().zip(&remembered.numbers) {
        // What has the words of one that is there got the number of that.
        if newest.is_none_or(|newest| *id > newest) {
            newest = Some(*id);
            tell(memory.born, Doer::Ingest, vec![Deed::Wrote(*id)]);
        }
    }
    let seed = recall.seed.len();
    for (at, skipped) in recall.report.skipped.iter().enumerate().filter(|(_, skipped)| skipped.born <= step) {
        let (Skip::SameText(like) | Skip::Similar(like, _)) = skipped.why;
        let like = remembered.number(seed, like).unwrap_or(like);
        tell(skipped.born, Doer::Ingest, vec![Deed::Skipped(at, like)]);
    }
    for (step, _, packed) in &remembered.packs {
        let taken = (1u32..).zip(packed.taken()).map(|(number, id)| Deed::Packed(id, number));
        tell(*step, Doer::Pack, taken.collect());
    }
    let phrase = phrases(settings);
    for (step, ids, known) in &remembered.preserved {
        let signal = |id: &MemoryId| phrase(remembered.store.get(*id)?);
        let mut deeds: Vec<Deed> = ids.iter().map(|id| Deed::Preserved(*id, signal(id))).collect();
        deeds.extend((*known > 0).then_some(Deed::Known(*known)));
        tell(*step, Doer::Preserve, deeds);
    }
    for (step, report) in &remembered.reconciled {
        let mut deeds: Vec<Deed> = report.changes.iter().map(changed).collect();
        deeds.extend(report.edges_removed.iter().map(|edge| Deed::Untied(*edge)));
        tell(*step, Doer::Reconcile, deeds);
    }
    found.sort_by_key(|happened| (happened.step, happened.by));
    // What came in at a step was written and skipped in two rounds.
    found.dedup_by(|next, first| {
        let same = (next.step, next.by) == (first.step, first.by);
        if same {
            first.deeds.append(&mut next.deeds);
        }
        same
    });
    found.reverse();
    found
}

fn changed(change: &Change) -> Deed {
    match change {
        Change::Promoted { id, uses } => Deed::Promoted(*id, *uses),
        Change::Merged(merged) => Deed::Merged(merged.clone()),
        Change::Consolidated(merged) => Deed::Consolidated(merged.clone()),
    }
}
