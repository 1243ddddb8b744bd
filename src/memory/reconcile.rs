//! reconcile: promotes what is used often, merges what is nearly the same, tidies relations (source 2: reconcile()).
//!
//! Nothing is lost by it: only what another memory of the same owner says in whole sentences, word for word, is merged
//! into that. Where memories about the same are to be made one, what each of them says stays as it was said.

use std::collections::HashMap;
use std::sync::Arc;

use crate::policy::Memory as Settings;

use super::{Edge, EdgeKind, Embed, How, MemoryId, Origin, Store, sentences};

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
    /// What another says too became that.
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
    /// Sentences of the others that were added to the longest.
    pub kept: u32,
}

/// What a run of it did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reconciled {
    /// Its decisions, in order.
    pub changes: Vec<Change>,
    /// Relations that were taken away, as they were: an end of theirs is gone, or both are one now, or another relates
    /// the same.
    pub edges_removed: Vec<Edge>,
    /// New memories that were looked at.
    pub looked_at: u32,
    /// New memories that the next run looks at.
    pub left: u32,
}

impl Reconciled {
    /// Whether it did nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && self.edges_removed.is_empty()
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
    let denied = denied(store);
    let mut room = BATCH;
    while let Some(id) = store.waiting.pop_front_if(|_| room > 0) {
        // One that was merged with others of its words meanwhile costs nothing.
        if store.state(id).is_live() {
            room -= 1;
            report.looked_at += 1;
            merge_around(store, settings, id, embed, (&denied, &mut report));
        }
    }
    report.left = report.left.saturating_add(u32::try_from(store.waiting.len()).unwrap_or(u32::MAX));
    for id in (store.reconciled..to).map(MemoryId) {
        merge_around(store, settings, id, embed, (&denied, &mut report));
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

/// The memories that each one contradicts, which nothing that a run does changes.
type Denied = HashMap<MemoryId, Vec<MemoryId>>;

fn denied(store: &Store) -> Denied {
    let mut denied = Denied::new();
    for edge in store.edges().iter().filter(|edge| edge.kind == EdgeKind::Contradicts) {
        denied.entry(edge.from).or_default().push(edge.to);
        denied.entry(edge.to).or_default().push(edge.from);
    }
    denied
}

/// Merges a memory with those that are nearly the same, or of one cluster with it.
#[allow(clippy::cast_possible_truncation)]
fn merge_around(
    store: &mut Store,
    settings: &Settings,
    id: MemoryId,
    embed: Embed,
    (denied, report): (&Denied, &mut Reconciled),
) {
    if !store.state(id).is_live() {
        return;
    }
    let consolidates = settings.consolidate;
    let merge_at = settings.merge_at.0 as f32;
    let least = if consolidates { merge_at.min(settings.consolidate_at.0 as f32) } else { merge_at };
    let denied = denied.get(&id).map(Vec::as_slice).unwrap_or_default();
    let near: Vec<(MemoryId, f32)> = store
        .neighbours_of(id, least, 64)
        .into_iter()
        .filter(|(other, _)| *other != id && !denied.contains(other))
        .collect();
    if near.is_empty() {
        return;
    }
    let Some(read) = store.reading(id).cloned() else { return };
    let agrees =
        |(other, _): &(MemoryId, f32)| store.reading(*other).is_some_and(|other| other.sense().agrees(read.sense()));
    let most = usize::try_from(settings.consolidate_max).unwrap_or(usize::MAX).saturating_sub(1);
    let same = |(id, score): &&(MemoryId, f32)| {
        let Some(other) = store.reading(*id).filter(|_| *score >= merge_at) else { return false };
        other.told().holds(read.told()) || read.told().holds(other.told())
    };
    // Few tell the same: only of those it is read what they deny.
    let close = near.iter().filter(same).filter(|near| agrees(near)).take(most.max(1));
    let close: Vec<(MemoryId, f32)> = close.copied().collect();
    let whole = !close.is_empty();
    let of = match (whole, consolidates) {
        (true, _) => close,
        (false, true) => near.into_iter().filter(agrees).take(most).collect(),
        (false, false) => return,
    };
    let Some((into, merged, score, kept)) = join(store, (id, &of), whole, embed) else { return };
    let merged = Merged { into, of: merged, score, kept };
    report.changes.push(if whole { Change::Merged(merged) } else { Change::Consolidated(merged) });
}

/// Makes one memory of several, with the least similarity of those that were taken and the sentences that were added.
/// The longest text stays. What it does not say is added to it, unless only what it says is wanted.
fn join(
    store: &mut Store,
    (id, of): (MemoryId, &[(MemoryId, f32)]),
    only_said: bool,
    embed: Embed,
) -> Option<(MemoryId, Vec<MemoryId>, f32, u32)> {
    // Its likeness to itself lowers none.
    let mut all: Vec<(MemoryId, f32)> = of.iter().copied().chain([(id, f32::INFINITY)]).collect();
    all.sort_unstable_by_key(|(id, _)| *id);
    let longest = |(id, _): &(MemoryId, f32)| (store.get(*id).map_or(0, |one| one.text.len()), std::cmp::Reverse(*id));
    let (base, mut score) = all.iter().copied().max_by_key(longest)?;
    let mut made = store.get(base)?.clone();
    let (mut text, mut read) = (made.text.to_string(), store.reading(base)?.clone());
    let (mut kept, mut merged, mut newest) = (0, vec![base], made.born);
    for (other, own_score) in all.into_iter().filter(|(other, _)| *other != base) {
        let (Some(memory), Some(theirs)) = (store.get(other), store.reading(other)) else { continue };
        let is_said = read.says_all(theirs);
        let new = if is_said { "" } else { theirs.beyond(&read) };
        if (only_said && !is_said) || text.len() + new.len() + 1 > LARGEST {
            continue;
        }
        if !new.is_empty() {
            text.push('\n');
            text.push_str(new);
            read = store.read(&Arc::from(text.as_str()));
            kept += u32::try_from(sentences(new).len()).unwrap_or(u32::MAX);
        }
        newest = newest.max(memory.born);
        for origin in &memory.origins {
            let moved = Origin { at: None, ..*origin };
            if !made.origins.iter().any(|own| Origin { at: None, ..*own } == moved) {
                made.origins.push(moved);
            }
        }
        for earlier in &memory.earlier {
            if !made.earlier.contains(earlier) {
                made.earlier.push(earlier.clone());
            }
        }
        if made.around.is_none() && !memory.rewritten {
            made.around.clone_from(&memory.around);
        }
        score = score.min(own_score);
        merged.push(other);
    }
    if merged.len() < 2 {
        return None;
    }
    let uses = store.uses_of(&merged);
    let promoted = merged.iter().any(|id| store.state(*id).promoted);
    let used_at = merged.iter().map(|id| store.state(*id).used_at).max().unwrap_or(0);
    let into = if kept == 0 {
        // Its own text stays, which came in when it did.
        let (origins, earlier, around) = (made.origins, made.earlier, made.around);
        store.change(base, |own, _| (own.origins, own.earlier, own.around) = (origins, earlier, around));
        merged.retain(|id| *id != base);
        base
    } else {
        if made.rewritten {
            // It puts one of the texts in its context, and none of the others.
            (made.around, made.rewritten) = (None, false);
        }
        // All of it is there since the last of them came.
        (made.text, made.how, made.born) = (Arc::from(text), How::Merged, newest);
        let vector = embed(&[&made.text]).pop().filter(|vector| store.space().holds(vector) && !vector.is_empty());
        // Where nobody can embed what they became, it stands in the middle of them.
        let mean = || store.space().mean(&merged.iter().map(|id| store.vector(*id)).collect::<Vec<_>>());
        let vector = vector.unwrap_or_else(mean);
        store.push(made, &vector)
    };
    store.change(into, |_, state| (state.uses, state.promoted, state.used_at) = (uses, promoted, used_at));
    for id in &merged {
        store.change(*id, |_, state| state.into = Some(into));
        store.link(Edge { from: into, to: *id, kind: EdgeKind::Supersedes, score: 1.0 });
    }
    Some((into, merged, score, kept))
}

#[cfg(test)]
mod tests {
    use super::super::by_words;
    use super::super::tests::memory;
    use super::super::{Earlier, Memory, Space};
    use super::*;
    use crate::policy::Scope;

    #[test]
    fn memories_out_of_a_file_that_have_the_same_words_become_one_and_others_are_not_compared_again() {
        let mut store = Store::new(Space::words());
        let texts = [
            "The gateway of site Delta listens on port 8088.",
            "The gateway of site Delta listens on  port 8088!",
            "Another thing about turtles here.",
            "the gateway of site Delta listens on port 8088",
        ];
        for (number, text) in texts.into_iter().enumerate() {
            let earlier = Earlier { source: Arc::from(format!("s{number}.json")), bytes: None };
            store.push(Memory { earlier: vec![earlier], ..memory(text, Scope::User) }, &by_words(text));
        }
        store.settle();
        let embed = |texts: &[&str]| texts.iter().map(|text| by_words(text)).collect();
        let report = reconcile(&mut store, &Settings::default(), &embed);
        assert_eq!((report.figures(), report.looked_at, report.left), ((0, 1, 0), 2, 0), "{report:?}");
        let live: Vec<&str> = store.live().map(|(_, memory, _)| &*memory.text).collect();
        assert_eq!(live, [texts[1], texts[2]]);
        assert_eq!(store.get(MemoryId(1)).map_or(0, |memory| memory.earlier.len()), 3, "it stood in three files");
        assert!(reconcile(&mut store, &Settings::default(), &embed).is_nothing());
    }
}
