//! reconcile: promotes what is used often, merges what is nearly the same, tidies relations (source 2: reconcile()).
//!
//! Nothing is lost by it: what was merged keeps every sentence that the others have not, and only memories of one owner
//! are merged.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::policy::Memory as Settings;

use super::ingest::same;
use super::sense::Sense;
use crate::chunk::normalised;

use super::{Edge, EdgeKind, Embed, How, Memory, MemoryId, Origin, Store, Vector, plain, sentences};

/// New memories that one run looks at; the next goes on.
const BATCH: u32 = 1_000;
/// Characters of a merged text at most.
const LARGEST: usize = 20_000;

/// One decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It is used so often that it comes first.
    Promoted {
        /// The memory.
        id: MemoryId,
        /// How often it was packed.
        uses: u32,
    },
    /// Two that are nearly the same became one.
    Merged(Merged),
    /// Several about the same became one.
    Consolidated(Merged),
}

/// Memories that became one.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The memory that stands for them.
    pub into: MemoryId,
    /// The memories that were merged.
    pub of: Vec<MemoryId>,
    /// The similarity of the least similar.
    pub score: f32,
    /// Sentences that only some of them had, and that were kept.
    pub kept: u32,
}

/// What a run of it did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reconciled {
    /// Its decisions, in order.
    pub changes: Vec<Change>,
    /// Relations that were taken away.
    pub edges_removed: u32,
    /// New memories that were looked at.
    pub looked_at: u32,
    /// New memories that the next run looks at.
    pub left: u32,
}

impl Reconciled {
    /// Whether it did nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && self.edges_removed == 0
    }

    /// How many were promoted, merged and consolidated.
    #[must_use]
    pub fn figures(&self) -> (usize, usize, usize) {
        let count = |test: &dyn Fn(&Change) -> bool| self.changes.iter().filter(|change| test(change)).count();
        (
            count(&|change| matches!(change, Change::Promoted { .. })),
            count(&|change| matches!(change, Change::Merged(_))),
            count(&|change| matches!(change, Change::Consolidated(_))),
        )
    }
}

/// Maintains a store: looks at what came in since the last run.
pub fn reconcile(store: &mut Store, settings: &Settings, embed: Embed) -> Reconciled {
    let mut report = Reconciled::default();
    promote(store, settings, &mut report);
    let length = u32::try_from(store.len()).unwrap_or(u32::MAX);
    let to = length.min(store.reconciled.saturating_add(BATCH));
    (report.looked_at, report.left) = (to.saturating_sub(store.reconciled), length - to);
    for id in (store.reconciled..to).map(MemoryId) {
        merge_around(store, settings, id, embed, &mut report);
    }
    // What was made just now has been compared already, unless others wait before it.
    store.reconciled = if to == length { u32::try_from(store.len()).unwrap_or(u32::MAX) } else { to };
    report.edges_removed = store.tidy_edges();
    report
}

fn promote(store: &mut Store, settings: &Settings, report: &mut Reconciled) {
    let mut often: Vec<(u32, MemoryId)> = store
        .live()
        .filter(|(_, _, state)| !state.promoted && u64::from(state.uses) >= settings.promote_at)
        .map(|(id, _, state)| (state.uses, id))
        .collect();
    often.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    for (uses, id) in often.into_iter().take(usize::try_from(settings.promote_max).unwrap_or(usize::MAX)) {
        store.change(id, |_, state| state.promoted = true);
        report.changes.push(Change::Promoted { id, uses });
    }
}

/// Merges a memory with those that are nearly the same, or of one cluster with it.
#[allow(clippy::cast_possible_truncation)]
fn merge_around(store: &mut Store, settings: &Settings, id: MemoryId, embed: Embed, report: &mut Reconciled) {
    let Some(memory) = store.get(id).filter(|_| store.state(id).is_live()).cloned() else { return };
    let consolidates = settings.consolidate;
    let merge_at = settings.merge_at.0 as f32;
    let least = if consolidates { merge_at.min(settings.consolidate_at.0 as f32) } else { merge_at };
    let sense = Sense::of(&memory.text);
    let denied = |(end, edge): (MemoryId, &Edge)| (edge.kind == EdgeKind::Contradicts).then_some(end);
    let denied: Vec<MemoryId> = store.edges_of(id).filter_map(denied).collect();
    let near: Vec<(MemoryId, f32)> = store
        .neighbours(&memory, store.vector(id), least, 64)
        .into_iter()
        .filter(|(other, _)| *other != id)
        .filter(|(other, _)| store.get(*other).is_some_and(|other| Sense::of(&other.text).agrees(&sense)))
        .filter(|(other, _)| !denied.contains(other))
        .collect();
    let most = usize::try_from(settings.consolidate_max).unwrap_or(usize::MAX).saturating_sub(1);
    let close = near.iter().filter(|(_, score)| *score >= merge_at).count();
    let (take, whole) = if close > 0 { (close.min(most.max(1)), true) } else { (near.len().min(most), false) };
    let of: Vec<(MemoryId, f32)> = near.into_iter().take(take).collect();
    let Some(score) = of.iter().map(|(_, score)| *score).reduce(f32::min) else { return };
    let Some((into, merged, kept)) = join(store, id, &of, embed) else { return };
    let merged = Merged { into, of: merged, score, kept };
    report.changes.push(if whole { Change::Merged(merged) } else { Change::Consolidated(merged) });
}

/// Makes one memory of several. The longest text stays, with the sentences of the others that it does not hold.
fn join(
    store: &mut Store,
    id: MemoryId,
    of: &[(MemoryId, f32)],
    embed: Embed,
) -> Option<(MemoryId, Vec<MemoryId>, u32)> {
    let mut all: Vec<MemoryId> = of.iter().map(|(other, _)| *other).chain([id]).collect();
    all.sort_unstable();
    let longest = |id: &MemoryId| (store.get(*id).map_or(0, |memory| memory.text.len()), std::cmp::Reverse(*id));
    let base = all.iter().copied().max_by_key(longest)?;
    let mut made = store.get(base)?.clone();
    let mut text = made.text.to_string();
    let mut held: BTreeSet<String> = BTreeSet::new();
    hold(&mut held, &text);
    let (mut kept, mut merged) = (0, vec![base]);
    for other in all.into_iter().filter(|other| *other != base) {
        let Some(memory) = store.get(other) else { continue };
        let new: Vec<&str> = sentences(&memory.text)
            .into_iter()
            .filter_map(|(from, to)| memory.text.get(from..to))
            .filter(|sentence| !held.contains(&plain(sentence)))
            .collect();
        if text.len() + new.iter().map(|sentence| sentence.len() + 1).sum::<usize>() > LARGEST {
            continue;
        }
        for sentence in new {
            held.insert(plain(sentence));
            text.push('\n');
            text.push_str(sentence);
            kept += 1;
        }
        made.born = made.born.min(memory.born);
        for origin in &memory.origins {
            let moved = Origin { at: None, ..*origin };
            if !made.origins.iter().any(|own| Origin { at: None, ..*own } == moved) {
                made.origins.push(moved);
            }
        }
        if made.around.is_none() {
            made.around.clone_from(&memory.around);
        }
        merged.push(other);
    }
    if merged.len() < 2 {
        return None;
    }
    let uses: u32 = merged.iter().map(|id| store.state(*id).uses).sum();
    let promoted = merged.iter().any(|id| store.state(*id).promoted);
    let used_at = merged.iter().map(|id| store.state(*id).used_at).max().unwrap_or(0);
    let into = if kept == 0 {
        let (born, origins, around) = (made.born, made.origins, made.around);
        store.change(base, |memory, _| (memory.born, memory.origins, memory.around) = (born, origins, around));
        merged.retain(|id| *id != base);
        base
    } else {
        made.text = Arc::from(text);
        made.how = How::Merged;
        let vector = embed(&[&made.text]).pop().filter(|vector| vector.len() == store.space().length);
        let vector = vector.unwrap_or_else(|| mean(store, &merged));
        store.push(made, &vector)
    };
    store.change(into, |_, state| (state.uses, state.promoted, state.used_at) = (uses, promoted, used_at));
    for id in &merged {
        store.change(*id, |_, state| state.into = Some(into));
        store.link(Edge { from: into, to: *id, kind: EdgeKind::Supersedes, score: 1.0 });
    }
    debug_assert!(kept > 0 || merged.iter().all(|id| holds(store, into, *id)));
    Some((into, merged, kept))
}

/// The middle of memories' vectors, where nobody can embed what they became.
fn mean(store: &Store, ids: &[MemoryId]) -> Vector {
    let mut sum = vec![0.0; store.space().length];
    for id in ids {
        sum.iter_mut().zip(store.vector(*id)).for_each(|(sum, part)| *sum += part);
    }
    normalised(sum)
}

/// Whether a memory holds every sentence of another.
fn holds(store: &Store, one: MemoryId, other: MemoryId) -> bool {
    let (Some(one), Some(other)) = (store.get(one), store.get(other)) else { return false };
    let mut held = BTreeSet::new();
    hold(&mut held, &one.text);
    same(&one.text, &other.text)
        || sentences(&other.text).iter().all(|(from, to)| held.contains(&plain(&other.text[*from..*to])))
}

fn hold(held: &mut BTreeSet<String>, text: &str) {
    held.extend(sentences(text).into_iter().filter_map(|(from, to)| text.get(from..to)).map(plain));
}

impl Memory {
    /// The sentences of its text as they are compared.
    #[must_use]
    pub fn said(&self) -> BTreeSet<String> {
        let mut held = BTreeSet::new();
        hold(&mut held, &self.text);
        held
    }
}
