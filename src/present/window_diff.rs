//! The windows of one step on two tracks, side by side, with their differences.

use std::collections::HashMap;

use crate::model::{BlockId, Entry, EntryId, Made, Run};

/// How the two sides of a row differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// Both hold the same.
    Not,
    /// Both hold something of it, in another state.
    State,
    /// Only the first holds it.
    First,
    /// Only the second holds it.
    Second,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffRow {
    /// An entry of either side, or of both.
    Entry(Option<EntryId>, Option<EntryId>, Differs),
    /// Entries that both hold alike, drawn together: how many, and the tokens on each side.
    Alike(u32, u64, u64),
}

/// Two windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowDiff {
    /// The rows, in the order of the windows.
    pub rows: Vec<DiffRow>,
    /// Tokens that both hold alike, on the second side.
    pub alike: u64,
    /// Tokens that only the first holds.
    pub first: u64,
    /// Tokens that only the second holds.
    pub second: u64,
    /// Tokens on each side that both hold in another state.
    pub state: (u64, u64),
}

/// So many entries that are alike are shown one by one; more are drawn together.
const ALIKE: usize = 3;

/// Sets two windows, given in order, beside each other.
#[must_use]
pub fn window_diff(one: (&Run, &[EntryId]), other: (&Run, &[EntryId]), unfolded: bool) -> WindowDiff {
    let left: Vec<(EntryId, Option<BlockId>)> = one.1.iter().map(|id| (*id, stands_for(one.0, *id))).collect();
    let right: Vec<(EntryId, Option<BlockId>)> = other.1.iter().map(|id| (*id, stands_for(other.0, *id))).collect();
    let mut place: HashMap<BlockId, usize> = HashMap::new();
    for (at, (_, block)) in right.iter().enumerate() {
        if let Some(block) = block {
            place.entry(*block).or_insert(at);
        }
    }
    let mut found = WindowDiff::default();
    let (mut rows, mut next) = (Vec::new(), 0);
    for (id, block) in &left {
        // Where the order differs, what stands earlier on the other side is only there.
        let there = block.and_then(|block| place.get(&block)).copied().filter(|at| *at >= next);
        let Some(at) = there else {
            rows.push((Some(*id), None));
            continue;
        };
        rows.extend(right.get(next..at).unwrap_or_default().iter().map(|(id, _)| (None, Some(*id))));
        rows.push((Some(*id), right.get(at).map(|(id, _)| *id)));
        next = at + 1;
    }
    rows.extend(right.get(next..).unwrap_or_default().iter().map(|(id, _)| (None, Some(*id))));
    let tokens = |run: &Run, id: Option<EntryId>| id.and_then(|id| run.entry(id)).map_or(0, |entry| entry.tokens);
    let judged: Vec<(Option<EntryId>, Option<EntryId>, Differs)> = rows
        .into_iter()
        .map(|(first, second)| {
            let differs = match (first.and_then(|id| one.0.entry(id)), second.and_then(|id| other.0.entry(id))) {
                (Some(first), Some(second)) => {
                    if alike(first, second) {
                        Differs::Not
                    } else {
                        Differs::State
                    }
                }
                (Some(_), None) => Differs::First,
                (None, _) => Differs::Second,
            };
            (first, second, differs)
        })
        .collect();
    for (first, second, differs) in &judged {
        let (first, second) = (tokens(one.0, *first), tokens(other.0, *second));
        match differs {
            Differs::Not => found.alike += second,
            Differs::State => found.state = (found.state.0 + first, found.state.1 + second),
            Differs::First => found.first += first,
            Differs::Second => found.second += second,
        }
    }
    for group in judged.chunk_by(|one, other| (one.2 == Differs::Not) == (other.2 == Differs::Not)) {
        let same = group.first().is_some_and(|row| row.2 == Differs::Not);
        if same && group.len() > ALIKE && !unfolded {
            let number = u32::try_from(group.len()).unwrap_or(u32::MAX);
            let first = group.iter().map(|row| tokens(one.0, row.0)).sum();
            let second = group.iter().map(|row| tokens(other.0, row.1)).sum();
            found.rows.push(DiffRow::Alike(number, first, second));
        } else {
            found.rows.extend(group.iter().map(|(first, second, differs)| DiffRow::Entry(*first, *second, *differs)));
        }
    }
    found
}

/// The block that an entry shows, or that its marker stands for. A summary is no part of what it quotes, but it may be
/// a block of its own.
fn stands_for(run: &Run, id: EntryId) -> Option<BlockId> {
    let entry = run.entry(id)?;
    let summary = entry.layer == crate::model::Layer::Summaries;
    let own = entry.content.iter().all(|made| matches!(made, Made::Block(_)));
    entry.block().filter(|_| !summary || own).or_else(|| match entry.from.as_slice() {
        [only] => run.entry(*only)?.block(),
        _ => None,
    })
}

/// Whether two entries show the same of a block. The tracks count with different scales: only what is left counts.
fn alike(one: &Entry, other: &Entry) -> bool {
    one.fate == other.fate && one.content.len() == other.content.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fate, Layer, Role, ThreadId, Track};

    fn run(blocks: &[(u32, Fate)]) -> (Run, Vec<EntryId>) {
        let entry = |(block, fate): &(u32, Fate)| Entry {
            layer: Layer::ToolResults,
            role: Role::Tool,
            fate: *fate,
            content: vec![Made::Block(BlockId(*block))].into(),
            label: "Bash".into(),
            tokens: 10,
            original_tokens: 10,
            estimated: false,
            from: <_>::default(),
            made_by: None,
            lives: <_>::default(),
        };
        let run = Run {
            track: Track::Recorded,
            thread: ThreadId(0),
            entries: blocks.iter().map(entry).collect(),
            steps: <_>::default(),
            events: Vec::new(),
            files: Vec::new(),
            attached: Vec::new(),
            totals: Vec::new(),
            provisional: false,
            calibration: None,
        };
        let ids = (0u32..).take(blocks.len()).map(EntryId).collect();
        (run, ids)
    }

    #[test]
    fn windows_are_set_beside_each_other_in_order() {
        let whole = Fate::Verbatim;
        let (one, left) = run(&[(1, whole), (2, whole), (3, whole), (5, whole)]);
        let (other, right) = run(&[(1, whole), (3, Fate::Truncated), (4, whole), (5, whole)]);
        let found = window_diff((&one, &left), (&other, &right), true);
        let id = |id: u32| Some(EntryId(id));
        assert_eq!(
            found.rows,
            [
                DiffRow::Entry(id(0), id(0), Differs::Not),
                DiffRow::Entry(id(1), None, Differs::First),
                DiffRow::Entry(id(2), id(1), Differs::State),
                DiffRow::Entry(None, id(2), Differs::Second),
                DiffRow::Entry(id(3), id(3), Differs::Not),
            ]
        );
        assert_eq!((found.alike, found.first, found.second, found.state), (20, 10, 10, (10, 10)));
    }

    #[test]
    fn a_summary_that_the_transcript_holds_is_the_same_on_both_sides() {
        let (mut one, ids) = run(&[(7, Fate::Summarised)]);
        one.entries[0].layer = Layer::Summaries;
        let mut other = one.clone();
        other.entries[0].tokens = 12;
        let both = |other: &Run| window_diff((&one, &ids), (other, &ids), true).rows;
        assert_eq!(both(&other), [DiffRow::Entry(Some(EntryId(0)), Some(EntryId(0)), Differs::Not)]);
        other.entries[0].content = vec![Made::Part(BlockId(7), 0, 9, false)].into();
        assert_eq!(both(&other).len(), 2, "one that quotes the block is another");
    }

    #[test]
    fn what_is_alike_is_drawn_together_and_another_order_loses_nothing() {
        let blocks: Vec<(u32, Fate)> = (0..9).map(|block| (block, Fate::Verbatim)).collect();
        let (one, ids) = run(&blocks);
        assert_eq!(window_diff((&one, &ids), (&one, &ids), false).rows, [DiffRow::Alike(9, 90, 90)]);
        let turned: Vec<EntryId> = ids.iter().rev().copied().collect();
        let found = window_diff((&one, &ids), (&one, &turned), true);
        let (mut first, mut second) = (0, 0);
        for row in &found.rows {
            let DiffRow::Entry(one, other, _) = row else { continue };
            first += usize::from(one.is_some());
            second += usize::from(other.is_some());
        }
        assert_eq!((first, second), (9, 9));
    }
}
