//! A summary that nobody writes (source 4): start and end of what is covered, and a note of what was removed between.

use std::borrow::Cow;

use crate::engine::plan::{NONE, Part, index};
use crate::engine::simulate::{Content, Piece, Sim};
use crate::model::{Contents, Made, Written};

use super::summary::Summary;

/// A piece of a history, or what an earlier cut left of one.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Rest {
    made: Contents,
    tokens: u64,
    item: u32,
    /// The bytes of the item's text that it can be cut within.
    range: Option<(u64, u64)>,
    /// Whether an earlier cut took a part of it already.
    cut: bool,
}

/// What a cut left, so that the next one can go on from it.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Remains {
    start: Vec<Rest>,
    end: Vec<Rest>,
    /// Messages that were removed, and their tokens.
    removed: (u32, u64),
}

/// Between two pieces: they were messages of their own.
const BETWEEN: u64 = 1;

/// Source 4's fallback: a share of the target from the start and the rest from the end, and a note of what was removed.
pub(super) fn truncate(sim: &Sim, covered: &[u32], target: u64) -> Summary {
    let share = sim.policy.summarise.fallback_head;
    let room = target.saturating_sub(Written::Removed { messages: 0, tokens: 0 }.tokens());
    let first = share.of(room).min(room);
    let (pieces, gap, before) = pieces(sim, covered);
    let size: u64 = pieces.iter().map(|piece| piece.tokens).sum();
    // What an earlier cut removed stays removed: neither end reaches over it.
    let (start, from) = fill(sim, pieces.get(..gap.unwrap_or(pieces.len())).unwrap_or_default().iter(), first, false);
    let lowest = gap.unwrap_or(0).max(from);
    let (mut end, taken) = fill(sim, pieces.get(lowest..).unwrap_or_default().iter().rev(), room - first, true);
    end.reverse();
    let to = pieces.len() - taken;
    let gone = messages(sim, pieces.get(from..to).unwrap_or_default());
    let kept: u64 = start.iter().chain(&end).map(|left| left.tokens).sum();
    let removed = (before.0 + gone, before.1 + size.saturating_sub(kept));
    let note = Written::Removed { messages: removed.0, tokens: removed.1 };
    let mut summary = Summary { estimated: true, tokens: note.tokens() + kept, ..Summary::default() };
    put(&mut summary, &start);
    summary.content.push(Made::Written(note));
    put(&mut summary, &end);
    summary.remains = Some(Remains { start, end, removed });
    summary
}

/// How many messages pieces belong to, beside those of which an earlier cut took a part.
fn messages(sim: &Sim, pieces: &[Rest]) -> u32 {
    let message = |piece: &Rest| sim.plan.items.get(piece.item as usize).map(|item| item.message);
    let fresh: Vec<&Rest> = pieces.iter().filter(|piece| !piece.cut).collect();
    index(fresh.chunk_by(|one, other| message(one).is_some() && message(one) == message(other)).count())
}

fn put(summary: &mut Summary, part: &[Rest]) {
    for (at, left) in part.iter().enumerate() {
        if at > 0 {
            summary.tokens += BETWEEN;
            summary.content.push(Made::Text(Cow::Borrowed("\n")));
        }
        summary.content.extend(left.made.iter().cloned());
    }
}

/// Fills a room with pieces, the last cut to what is left; tells how many of them it holds whole.
fn fill<'a>(sim: &Sim, order: impl Iterator<Item = &'a Rest>, room: u64, from_end: bool) -> (Vec<Rest>, usize) {
    let (mut taken, mut whole, mut left) = (Vec::new(), 0, room);
    for piece in order {
        left = left.saturating_sub(if taken.is_empty() { 0 } else { BETWEEN });
        let Some(fits) = fitted(sim, piece, left, from_end) else { break };
        left -= fits.tokens;
        let all = piece.tokens == fits.tokens;
        taken.push(fits);
        if !all {
            break;
        }
        whole += 1;
    }
    (taken, whole)
}

/// As much of a piece as there is room for, from one end of it.
fn fitted(sim: &Sim, piece: &Rest, room: u64, from_end: bool) -> Option<Rest> {
    if piece.tokens <= room {
        return Some(piece.clone());
    }
    let item = sim.plan.items.get(piece.item as usize)?;
    let Part { start, end, tokens } = sim.plan.within(piece.item, piece.range?, room, from_end);
    let fits = tokens > 0 && tokens <= room;
    fits.then(|| Rest {
        made: Made::Part(item.block, start, end, item.whole).into(),
        tokens,
        range: Some((start, end)),
        cut: true,
        ..piece.clone()
    })
}

/// What is covered, what earlier cuts left in place of their summaries; where the newest of these removed something,
/// and how much.
fn pieces(sim: &Sim, covered: &[u32]) -> (Vec<Rest>, Option<usize>, (u32, u64)) {
    let (mut pieces, mut gap, mut removed) = (Vec::with_capacity(covered.len()), None, (0, 0));
    for number in covered {
        let Some(piece) = sim.pieces.get(*number as usize) else { continue };
        match sim.summarise.remains.iter().rfind(|(known, _)| known == number) {
            Some((_, remains)) => {
                pieces.extend(remains.start.iter().cloned());
                gap = Some(pieces.len());
                pieces.extend(remains.end.iter().cloned());
                removed = (removed.0 + remains.removed.0, removed.1 + remains.removed.1);
            }
            None => pieces.push(whole(sim, piece)),
        }
    }
    (pieces, gap, removed)
}

fn whole(sim: &Sim, piece: &Piece) -> Rest {
    let item = sim.plan.items.get(piece.item as usize);
    let made = match (&piece.content, item) {
        (Content::Made(made), _) => made.clone(),
        (Content::Item, Some(item)) => Made::Block(item.block).into(),
        (Content::Item, None) => Contents::new(),
    };
    let range = match &piece.content {
        Content::Item => item.map(|_| (0, u64::MAX)),
        Content::Made(made) => made.iter().find_map(|made| match made {
            Made::Part(block, from, to, _) if item.is_some_and(|item| item.block == *block) => Some((*from, *to)),
            Made::Block(block) if item.is_some_and(|item| item.block == *block) => Some((0, u64::MAX)),
            _ => None,
        }),
    };
    let item = if item.is_some() { piece.item } else { NONE };
    Rest { made, tokens: piece.tokens, item, range, cut: false }
}
