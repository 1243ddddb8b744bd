//! The entries whose tokens a finding counts: findings that share any count some of the same tokens.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::model::{BlockId, Entry, EntryId, Event, Layer, Run};

fn numbered(run: &Run) -> impl Iterator<Item = (EntryId, &Entry)> {
    (0u32..).map(EntryId).zip(&run.entries)
}

/// Steps in which an entry stood.
pub(super) fn stood(run: &Run, entry: &Entry) -> u64 {
    let end = run.last_step() + 1;
    entry.lives.iter().map(|life| u64::from(life.died.unwrap_or(end).saturating_sub(life.born))).sum()
}

/// What stands in the window of a step.
pub(super) fn window(run: &Run, step: u32) -> impl Iterator<Item = EntryId> {
    numbered(run).filter(move |(_, entry)| entry.life_at(step).is_some()).map(|(id, _)| id)
}

/// The window that an event shortened: that of the step before, and what had come in since.
pub(super) fn shortened(run: &Run, event: &Event) -> BTreeSet<EntryId> {
    let new = window(run, event.step).filter(|id| !event.made.contains(id));
    window(run, event.step.saturating_sub(1)).chain(new).chain(event.took.iter().copied()).collect()
}

/// What a step sends anew as its window differs from the one before: from the first piece that does, what stood in both,
/// and that piece.
pub(super) fn behind_change(run: &Run, step: u32) -> Vec<EntryId> {
    let (before, now) = (run.window(step.saturating_sub(1)), run.window(step));
    let same = before.iter().zip(&now).take_while(|(old, new)| old == new).count();
    let stood: HashSet<&EntryId> = before.iter().collect();
    let behind = now.iter().skip(same).enumerate();
    behind.filter(|(at, id)| *at == 0 || stood.contains(id)).map(|(_, id)| *id).collect()
}

/// What some steps send that stood in the window of the step before, too.
pub(super) fn sent_again(run: &Run, is_meant: impl Fn(u32) -> bool) -> BTreeSet<EntryId> {
    let meant: Vec<u32> = (2..=run.last_step()).filter(|step| is_meant(*step)).collect();
    let again = |entry: &Entry| {
        entry.lives.iter().any(|life| {
            let next = meant.get(meant.partition_point(|step| *step <= life.born));
            next.is_some_and(|step| life.died.is_none_or(|died| *step < died))
        })
    };
    numbered(run).filter(|(_, entry)| again(entry)).map(|(id, _)| id).collect()
}

/// What a run sends more of, over all its steps, than another run of the same history.
pub(super) fn sent_less(now: &Run, then: &Run) -> BTreeSet<EntryId> {
    let key = |entry: &Entry| (entry.block(), entry.layer);
    let sums = |run: &Run| {
        let mut sums: HashMap<(Option<BlockId>, Layer), u64> = HashMap::new();
        for entry in &run.entries {
            let sum = sums.entry(key(entry)).or_default();
            *sum = sum.saturating_add(entry.tokens.saturating_mul(stood(run, entry)));
        }
        sums
    };
    let (here, there) = (sums(now), sums(then));
    let is_less = |entry: &Entry| here.get(&key(entry)) > there.get(&key(entry));
    numbered(now).filter(|(_, entry)| is_less(entry)).map(|(id, _)| id).collect()
}

/// What a run sends again in the steps in which another run of the same history reads more from the cache.
pub(super) fn read_more(now: &Run, then: &Run) -> BTreeSet<EntryId> {
    let read = |run: &Run, step: u32| run.step_at(step)?.billed.map(|billed| billed.context_read());
    sent_again(now, |step| read(now, step) < read(then, step))
}
