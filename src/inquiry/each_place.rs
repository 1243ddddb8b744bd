//! What became of each place of a fact, by itself.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::find::Place;
use super::life::Reading;
use super::stay::{Sight, Stay, without_refused};
use super::trace::Occurrence;
use crate::model::{BlockId, BlockKind, EntryId, Fate, Layer, Op, Role, Run, ThreadId, Transcript};

/// What became of each place. Of a block that is shown whole or not at all, all places share it.
pub(super) fn of_places(places: &[Place], transcript: &Transcript, run: &Run, reading: &Reading) -> Vec<Occurrence> {
    let mut undivided: FxHashMap<BlockId, bool> = FxHashMap::default();
    let mut known: FxHashMap<_, usize> = FxHashMap::default();
    // The places whose lives are worked out, and which it is for each place.
    let mut told: Vec<usize> = Vec::new();
    let mut shares: Vec<usize> = Vec::with_capacity(places.len());
    for (at, place) in places.iter().enumerate() {
        let is_shared = *undivided.entry(place.block).or_insert_with(|| reading.is_undivided(place));
        let next = told.len();
        let key = (place.block, place.seen.is_some(), place.whole.is_some(), place.is_name, place.is_parted);
        let share = if is_shared { *known.entry(key).or_insert(next) } else { next };
        if share == next {
            told.push(at);
        }
        shares.push(share);
    }
    let of = |at: usize| places.get(at).and_then(|place| occurrence(at, place, transcript, run, reading));
    let told: Vec<Option<Occurrence>> = told.into_par_iter().map(of).collect();
    let taken = shares.into_iter().enumerate().filter_map(|(at, share)| {
        let one = told.get(share)?.clone()?;
        Some(Occurrence { place: Some(at), ..one })
    });
    taken.collect()
}

/// Changes each life, once for however many places that follow one another and share it.
pub(super) fn each_life(occurrences: &mut [Occurrence], mut change: impl FnMut(&Occurrence, &mut Vec<Stay>)) {
    for sharing in occurrences.chunk_by_mut(|one, next| Arc::ptr_eq(&one.stays, &next.stays)) {
        let Some(first) = sharing.first_mut() else { continue };
        let mut stays = std::mem::take(&mut first.stays);
        for one in sharing.iter_mut().skip(1) {
            one.stays = Arc::default();
        }
        if let Some(first) = sharing.first() {
            change(first, Arc::make_mut(&mut stays));
        }
        for one in sharing {
            one.stays = Arc::clone(&stays);
        }
    }
}

fn occurrence(at: usize, place: &Place, transcript: &Transcript, run: &Run, reading: &Reading) -> Option<Occurrence> {
    let block = transcript.block(place.block)?;
    let life = reading.life(place);
    let elsewhere =
        if life.is_some() { None } else { thread_of(transcript, place.block).filter(|id| *id != run.thread) };
    Some(Occurrence {
        place: Some(at),
        block: Some(place.block),
        elsewhere,
        layer: block.layer,
        label: block.label.clone(),
        by_model: block.role == Role::Assistant && block.kind != BlockKind::Summary && block.layer != Layer::Summaries,
        written: None,
        first: life.as_ref().map(|(first, _)| *first),
        stays: Arc::new(life.map(|(_, stays)| stays).unwrap_or_default()),
    })
}

/// Words that no file holds, for as long as they stand in the window.
pub(super) fn loose(id: EntryId, run: &Run, refused: &[(u32, u32)]) -> Option<Occurrence> {
    let entry = run.entry(id)?;
    let last = run.last_step();
    let mut stays: Vec<Stay> = Vec::new();
    let stay = |from: u32, to: Option<u32>, sight: Sight, event| Stay {
        from,
        to,
        sight,
        fate: if sight == Sight::Gone { Fate::Dropped } else { entry.fate },
        entry: Some(id),
        event,
        left: None,
        back: None,
        like: None,
        said: None,
    };
    for life in &entry.lives {
        if let Some(before) = stays.last_mut().filter(|before| before.sight == Sight::Gone) {
            before.to = Some(life.born.saturating_sub(1));
        }
        let sight = if entry.layer == Layer::Memory { Sight::Memory } else { Sight::Verbatim };
        stays.push(stay(life.born, life.died.map(|died| died - 1), sight, entry.made_by));
        if let Some(died) = life.died.filter(|died| *died <= last) {
            stays.push(stay(died, None, Sight::Gone, life.ended_by));
        }
    }
    Some(Occurrence {
        place: None,
        block: None,
        elsewhere: None,
        layer: entry.layer,
        label: entry.label.clone(),
        by_model: false,
        written: None,
        first: Some(entry.born()),
        stays: Arc::new(without_refused(stays, refused)),
    })
}

/// The thread that a block belongs to.
fn thread_of(transcript: &Transcript, block: BlockId) -> Option<ThreadId> {
    let has = |op: &Op| match op {
        Op::Add(id) => *id == block,
        Op::Compact(compaction) => compaction.window.contains(&block),
        Op::Rewind(rewind) => rewind.window.contains(&block),
        Op::Shorten(shortening) => {
            shortening.blocks.iter().any(|short| short.content.blocks().any(|said| said == block))
        }
        Op::Request(_) | Op::Clear(_) => false,
    };
    let at = transcript.threads.iter().position(|thread| thread.ops.iter().any(has))?;
    u32::try_from(at).ok().map(ThreadId)
}
