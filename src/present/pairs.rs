//! The window that a step's stages were given beside the one they left, row by row.

use crate::model::{Entry, EntryId, Event, EventId, Run, Stage, Track};

use super::folded::{ALIKE, context};

/// What became of a piece in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It stayed as it was.
    Kept,
    /// It came in and stayed.
    Came,
    /// This stage changed it, or took it away; the event says how.
    Changed(Stage, EventId),
    /// It left, and nothing says why.
    Left,
}

/// One side of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// An entry.
    Entry(EntryId, Became),
    /// A line of a summary: the entry, and which line.
    Line(EntryId, u32),
    /// Entries that stayed as they were, drawn together.
    Same(u32, u64),
    /// What stands for the entries at the left is this summary, further down or up.
    Elsewhere(EntryId),
}

impl Cell {
    /// The entry that it shows.
    #[must_use]
    pub fn entry(self) -> Option<EntryId> {
        match self {
            Cell::Entry(id, _) | Cell::Line(id, _) | Cell::Elsewhere(id) => Some(id),
            Cell::Same(..) => None,
        }
    }
}

/// A row: what the stages were given at its left, what they left at its right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Before.
    pub left: Option<Cell>,
    /// After.
    pub right: Option<Cell>,
}

/// The rows of a step, and what stands on each side in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The rows, in the window's order.
    pub rows: Vec<Pair>,
    /// Entries and their tokens before.
    pub before: (u32, u64),
    /// Entries and their tokens after.
    pub after: (u32, u64),
}

/// An entry that stands on either side.
struct Piece {
    place: u32,
    id: EntryId,
    before: bool,
    after: bool,
    became: Became,
}

/// Sets the two sides of a step beside each other. `lines` tells into how many lines a summary is divided. With `room`
/// for so many rows, what stayed is drawn together, but for as much of it beside what changed as there is room for.
#[must_use]
pub fn pairs(run: &Run, step: u32, room: Option<usize>, lines: impl Fn(EntryId) -> u32) -> Pairs {
    let mut pieces: Vec<Piece> =
        (0u32..).map(EntryId).zip(&run.entries).filter_map(|(id, entry)| piece(run, step, id, entry)).collect();
    pieces.sort_by_key(|piece| (piece.place, !piece.before, piece.id));
    let mut found = Pairs::default();
    for piece in &pieces {
        let Some(entry) = run.entry(piece.id) else { continue };
        if piece.before {
            found.before.0 += 1;
            found.before.1 += before_tokens(run, piece.id, piece.became);
        }
        if piece.after {
            found.after.0 += 1;
            found.after.1 += entry.tokens;
        }
    }
    // Rows of what changed, and of what stayed as it was.
    let mut parts: Vec<(Vec<Pair>, bool)> = Vec::new();
    let mut rest = pieces.as_slice();
    while let Some(first) = rest.first() {
        let both = |piece: &Piece| piece.before && piece.after;
        let kind = both(first);
        let length = rest.iter().take_while(|piece| both(piece) == kind).count();
        let (now, later) = rest.split_at(length);
        rest = later;
        if kind {
            kept(now, &mut parts);
        } else {
            let mut rows = Vec::new();
            changed(run, now, &lines, &mut rows);
            parts.push((rows, false));
        }
    }
    let lengths: Vec<(usize, bool)> = parts.iter().map(|(rows, same)| (rows.len(), *same)).collect();
    let context = room.map(|room| context(&lengths, room));
    for (rows, same) in parts {
        match context.filter(|context| same && rows.len() > context * 2 + ALIKE) {
            Some(context) => fold(run, &rows, context, &mut found.rows),
            None => found.rows.extend(rows),
        }
    }
    found
}

/// Tokens of an entry as the stages were given it: what the agent itself had cut they never had whole.
#[must_use]
pub fn before_tokens(run: &Run, id: EntryId, became: Became) -> u64 {
    let Some(entry) = run.entry(id) else { return 0 };
    let Became::Changed(_, event) = became else { return entry.tokens };
    let cuts = run.event(event).filter(|event| event.stage.cuts_in_place() && entry.from.is_empty());
    cuts.map_or(entry.tokens, |event| uncut_tokens(run, event, id))
}

/// Tokens of an entry before an event cut it where it stands: as it was sent, where the agent had cut it before.
#[must_use]
pub fn uncut_tokens(run: &Run, event: &Event, id: EntryId) -> u64 {
    let sent = run.events_at(event.step).find_map(|(_, other)| other.sent_size_of(id));
    sent.or_else(|| run.entry(id).map(|entry| entry.original_tokens)).unwrap_or(0)
}

fn piece(run: &Run, step: u32, id: EntryId, entry: &Entry) -> Option<Piece> {
    let earlier = step.checked_sub(1).and_then(|before| entry.life_at(before));
    let now = entry.life_at(step);
    // Came in and was taken at once.
    let passing = entry.lives.iter().find(|life| life.born == step && life.died == Some(step));
    let life = now.or(earlier).or(passing)?;
    let event = |id: EventId| run.event(id).map(|event| (id, event));
    let at_step = |(_, event): &(EventId, &Event)| event.step == step;
    let made = entry.made_by.and_then(event).filter(at_step);
    let cut = made
        .filter(|(_, event)| event.stage.cuts_in_place() && entry.from.is_empty())
        .or_else(|| recorded_cut(run, step, id));
    let came = earlier.is_none() && now.is_some();
    // Something put it there: a summary, a marker, what was collapsed and is shown again.
    let put = made.filter(|_| cut.is_none()).is_some() || (came && restored(run, step, id));
    let ended = earlier.or(passing).and_then(|life| life.ended_by).and_then(event).filter(at_step);
    let became = match (cut, now, ended) {
        (Some((id, event)), Some(_), _) if came => {
            // What the agent had cut is told by the event that takes it in.
            Became::Changed(if event.stage.cuts_in_place() { event.stage } else { Stage::Truncate }, id)
        }
        (_, Some(_), _) if put => made.map_or(Became::Came, |(id, event)| Became::Changed(event.stage, id)),
        (_, Some(_), _) if came => Became::Came,
        (_, Some(_), _) => Became::Kept,
        (_, None, Some((id, event))) => Became::Changed(event.stage, id),
        (_, None, None) => Became::Left,
    };
    // What one stage made or showed again and another took at once was never given, nor what left with the history.
    let taken = ended.is_some_and(|(_, event)| !event.stage.is_history());
    let came_in = made.is_none() || cut.is_some();
    let given = passing.is_some() && came_in && taken && !restored(run, step, id);
    // What came in behind a compaction was not given to it.
    let behind = came && earlier.is_none() && came_behind(run, step, id, entry);
    let before = earlier.is_some() || given || (came && !put && !behind);
    if !before && now.is_none() {
        return None;
    }
    Some(Piece { place: life.place, id, before, after: now.is_some(), became })
}

/// Whether an entry came in behind a recorded compaction of its step: files that the agent reads again, and what the
/// user writes then. A replay admits first, and compacts what there is.
#[must_use]
pub fn came_behind(run: &Run, step: u32, id: EntryId, entry: &Entry) -> bool {
    let newest = || {
        let made = run.events_at(step).filter(|(_, event)| event.compacts()).flat_map(|(_, event)| event.made.iter());
        made.max().is_some_and(|made| id > *made)
    };
    run.track == Track::Recorded && entry.born() == step && newest()
}

/// The event that tells of a cut which the agent had made before it recorded the entry.
fn recorded_cut(run: &Run, step: u32, id: EntryId) -> Option<(EventId, &Event)> {
    run.events_at(step).find(|(_, event)| event.cuts(id))
}

/// Whether another stage than admission brought an entry in.
fn restored(run: &Run, step: u32, id: EntryId) -> bool {
    run.events_at(step).any(|(_, event)| !event.stage.takes_in() && event.made.contains(&id))
}

fn kept(pieces: &[Piece], parts: &mut Vec<(Vec<Pair>, bool)>) {
    let plain = |piece: &Piece| piece.became == Became::Kept;
    for group in pieces.chunk_by(|one, other| plain(one) == plain(other)) {
        let row = |piece: &Piece| {
            let cell = Some(Cell::Entry(piece.id, piece.became));
            Pair { left: cell, right: cell }
        };
        parts.push((group.iter().map(row).collect(), group.first().is_some_and(plain)));
    }
}

/// Rows of what stayed: so many at either end, and one for those between them.
fn fold(run: &Run, rows: &[Pair], context: usize, into: &mut Vec<Pair>) {
    let (before, rest) = rows.split_at(context.min(rows.len()));
    let (between, after) = rest.split_at(rest.len().saturating_sub(context));
    let entries = between.iter().filter_map(|row| run.entry(row.left?.entry()?));
    let same =
        Some(Cell::Same(u32::try_from(between.len()).unwrap_or(u32::MAX), entries.map(|entry| entry.tokens).sum()));
    into.extend_from_slice(before);
    into.push(Pair { left: same, right: same });
    into.extend_from_slice(after);
}

/// The summary that an event made.
fn summary_of(run: &Run, event: EventId) -> Option<EntryId> {
    let made = &run.event(event)?.made;
    let is = |id: &&EntryId| run.entry(**id).is_some_and(|entry| entry.layer == crate::model::Layer::Summaries);
    // A summary may be hidden, and of no layer that can be told.
    made.iter().find(is).or(made.first()).copied()
}

/// What left beside what stands for it: in one row where it stands in the same place, else from the top.
fn changed(run: &Run, pieces: &[Piece], lines: &impl Fn(EntryId) -> u32, rows: &mut Vec<Pair>) {
    let summary =
        |piece: &Piece| piece.after && matches!(piece.became, Became::Changed(stage, _) if stage.summarises());
    if !pieces.iter().any(summary) {
        let from = rows.len();
        for place in pieces.chunk_by(|one, other| one.place == other.place) {
            // Places of two steps may be the same though their entries are not.
            let cells = |side: fn(&&Piece) -> bool| -> Vec<Cell> {
                place.iter().filter(side).map(|piece| Cell::Entry(piece.id, piece.became)).collect()
            };
            let (left, right) = (cells(|piece| piece.before), cells(|piece| piece.after));
            rows.extend(
                (0..left.len().max(right.len()))
                    .map(|at| Pair { left: left.get(at).copied(), right: right.get(at).copied() }),
            );
        }
        // Codex keeps messages of the user and puts the summary after them: all that stood between leads there.
        let elsewhere = pieces.iter().find_map(|piece| match piece.became {
            Became::Changed(stage, id) if stage.summarises() && !piece.after => summary_of(run, id),
            _ => None,
        });
        if let Some(id) = elsewhere {
            let rows = rows.get_mut(from..).unwrap_or_default().iter_mut();
            rows.take_while(|row| row.right.is_none()).for_each(|row| row.right = Some(Cell::Elsewhere(id)));
        }
        return;
    }
    let left: Vec<Cell> =
        pieces.iter().filter(|piece| piece.before).map(|piece| Cell::Entry(piece.id, piece.became)).collect();
    let mut right = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.after) {
        right.push(Cell::Entry(piece.id, piece.became));
        if summary(piece) && run.entry(piece.id).is_some_and(|entry| entry.layer == crate::model::Layer::Summaries) {
            right.extend((0..lines(piece.id)).map(|line| Cell::Line(piece.id, line)));
        }
    }
    for at in 0..left.len().max(right.len()) {
        rows.push(Pair { left: left.get(at).copied(), right: right.get(at).copied() });
    }
}
