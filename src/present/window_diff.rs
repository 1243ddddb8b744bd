//! The windows of one step on two tracks, side by side, with their differences.

use std::collections::{HashMap, VecDeque};

use crate::model::{Block, BlockId, Body, Entry, EntryId, Fate, Layer, Made, Run};

use super::folded::{ALIKE, context};

/// How the two sides of a row differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// Both hold the same.
    Not,
    /// Both hold something of it, in another state.
    State,
    /// Both hold it, in another place: a row for each.
    Place,
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
    /// Tokens on each side that the other holds in another place.
    pub moved: (u64, u64),
}

/// Sets two windows over the blocks of one transcript, given in order, beside each other. What an agent sent again word
/// for word is the same as what it repeats. With `room` for so many rows, what both hold alike is drawn together, but
/// for as much of it beside the differences as there is room for.
#[must_use]
pub fn window_diff(
    blocks: &[Block],
    one: (&Run, &[EntryId]),
    other: (&Run, &[EntryId]),
    room: Option<usize>,
) -> WindowDiff {
    let mut found = WindowDiff::default();
    let both = pairs(&contents(blocks, one), &contents(blocks, other));
    let in_order = rising(&both);
    let (mut left, mut right) = (vec![false; one.1.len()], vec![false; other.1.len()]);
    for (first, second) in &both {
        left[*first] = true;
        right[*second] = true;
    }
    // What stands on one side only, or on the other side in another place.
    let first = |at: usize| (Some(one.1[at]), None, left[at]);
    let second = |at: usize| (None, Some(other.1[at]), right[at]);
    let (mut rows, mut next) = (Vec::new(), (0, 0));
    for (left, right) in in_order {
        rows.extend((next.0..left).map(first));
        rows.extend((next.1..right).map(second));
        rows.push((Some(one.1[left]), Some(other.1[right]), false));
        next = (left + 1, right + 1);
    }
    rows.extend((next.0..one.1.len()).map(first));
    rows.extend((next.1..other.1.len()).map(second));
    let tokens = |run: &Run, id: Option<EntryId>| id.and_then(|id| run.entry(id)).map_or(0, |entry| entry.tokens);
    let judged: Vec<(Option<EntryId>, Option<EntryId>, Differs)> = rows
        .into_iter()
        .map(|(first, second, elsewhere)| {
            let differs = match (first.and_then(|id| one.0.entry(id)), second.and_then(|id| other.0.entry(id))) {
                (Some(first), Some(second)) => {
                    if alike(first, second) {
                        Differs::Not
                    } else {
                        Differs::State
                    }
                }
                _ if elsewhere => Differs::Place,
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
            Differs::Place => found.moved = (found.moved.0 + first, found.moved.1 + second),
            Differs::First => found.first += first,
            Differs::Second => found.second += second,
        }
    }
    let is_same = |row: &(Option<EntryId>, Option<EntryId>, Differs)| row.2 == Differs::Not;
    let groups: Vec<_> = judged.chunk_by(|one, other| is_same(one) == is_same(other)).collect();
    let lengths: Vec<(usize, bool)> =
        groups.iter().map(|group| (group.len(), group.first().is_some_and(is_same))).collect();
    let context = room.map(|room| context(&lengths, room));
    for (group, (length, same)) in groups.into_iter().zip(lengths) {
        let folds = context.filter(|context| same && length > context * 2 + ALIKE);
        let (before, middle, after) = match folds {
            Some(context) => (&group[..context], &group[context..length - context], &group[length - context..]),
            None => (group, &group[..0], &group[..0]),
        };
        let entry = |(first, second, differs): &(_, _, Differs)| DiffRow::Entry(*first, *second, *differs);
        found.rows.extend(before.iter().map(entry));
        if !middle.is_empty() {
            let first = middle.iter().map(|row| tokens(one.0, row.0)).sum();
            let second = middle.iter().map(|row| tokens(other.0, row.1)).sum();
            found.rows.push(DiffRow::Alike(u32::try_from(middle.len()).unwrap_or(u32::MAX), first, second));
        }
        found.rows.extend(after.iter().map(entry));
    }
    found
}

/// What an entry of a window stands for.
#[derive(Clone, Copy, Default)]
struct Content {
    block: Option<BlockId>,
    /// Where it is shown whole: the layer and the hash of its text.
    text: Option<(Layer, u64)>,
}

fn contents(blocks: &[Block], (run, window): (&Run, &[EntryId])) -> Vec<Content> {
    let content = |id: &EntryId| {
        let block = stands_for(run, *id);
        let whole = run.entry(*id).filter(|entry| entry.fate == Fate::Verbatim);
        let text = whole.zip(block.and_then(|block| blocks.get(block.0 as usize))).and_then(|(entry, block)| {
            match (&block.body, entry.content.len()) {
                (Body::Text { hash, .. }, 1) => Some((entry.layer, *hash)),
                _ => None,
            }
        });
        Content { block, text }
    };
    window.iter().map(content).collect()
}

/// Which places of two windows hold the same, by the first: of one block, else of one text.
fn pairs(one: &[Content], other: &[Content]) -> Vec<(usize, usize)> {
    let mut blocks: HashMap<BlockId, usize> = HashMap::new();
    for (at, content) in other.iter().enumerate() {
        if let Some(block) = content.block {
            blocks.entry(block).or_insert(at);
        }
    }
    let mut pair: Vec<Option<usize>> =
        one.iter().map(|content| content.block.and_then(|block| blocks.remove(&block))).collect();
    let mut taken = vec![false; other.len()];
    for at in pair.iter().flatten() {
        taken[*at] = true;
    }
    // Of equal texts the first goes with the first.
    let mut texts: HashMap<(Layer, u64), VecDeque<usize>> = HashMap::new();
    for (at, content) in other.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        if let Some(text) = content.text {
            texts.entry(text).or_default().push_back(at);
        }
    }
    for (content, pair) in one.iter().zip(&mut pair).filter(|(_, pair)| pair.is_none()) {
        *pair = content.text.and_then(|text| texts.get_mut(&text)?.pop_front());
    }
    pair.into_iter().enumerate().filter_map(|(at, other)| Some((at, other?))).collect()
}

/// The most of some pairs, in the order of their first places, whose second places rise too.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // Per length, the pair with the least second place that ends a row of that length; and what stands before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *second);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut row: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |at| before[*at]).map(|at| pairs[at]).collect();
    row.reverse();
    row
}

/// The block that an entry shows, or that its marker stands for. A summary is no part of what it quotes, but it may be
/// a block of its own.
fn stands_for(run: &Run, id: EntryId) -> Option<BlockId> {
    let entry = run.entry(id)?;
    let summary = entry.layer == Layer::Summaries;
    // A note behind it makes no other summary of it.
    let own = !entry.content.iter().any(|made| matches!(made, Made::Part(..)));
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
    use crate::model::{BlockKind, MessageId, Record, Role, SourceId, Spans, ThreadId, Track};

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
        let entries = blocks.iter().map(entry).collect();
        let run = Run { entries, ..Run::new(Track::Recorded, ThreadId(0)) };
        let ids = (0u32..).take(blocks.len()).map(EntryId).collect();
        (run, ids)
    }

    #[test]
    fn windows_are_set_beside_each_other_in_order() {
        let whole = Fate::Verbatim;
        let (one, left) = run(&[(1, whole), (2, whole), (3, whole), (5, whole)]);
        let (other, right) = run(&[(1, whole), (3, Fate::Truncated), (4, whole), (5, whole)]);
        let found = window_diff(&[], (&one, &left), (&other, &right), None);
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
        let both = |other: &Run| window_diff(&[], (&one, &ids), (other, &ids), None).rows;
        assert_eq!(both(&other), [DiffRow::Entry(Some(EntryId(0)), Some(EntryId(0)), Differs::Not)]);
        other.entries[0].content = vec![Made::Part(BlockId(7), 0, 9, false)].into();
        assert_eq!(both(&other).len(), 2, "one that quotes the block is another");
    }

    #[test]
    fn what_is_alike_is_drawn_together_and_another_order_loses_nothing() {
        let blocks: Vec<(u32, Fate)> = (0..9).map(|block| (block, Fate::Verbatim)).collect();
        let (one, ids) = run(&blocks);
        assert_eq!(window_diff(&[], (&one, &ids), (&one, &ids), Some(0)).rows, [DiffRow::Alike(9, 90, 90)]);
        let turned: Vec<EntryId> = ids.iter().rev().copied().collect();
        let found = window_diff(&[], (&one, &ids), (&one, &turned), None);
        let (mut first, mut second) = (0, 0);
        for row in &found.rows {
            let DiffRow::Entry(one, other, _) = row else { continue };
            first += usize::from(one.is_some());
            second += usize::from(other.is_some());
        }
        assert_eq!((first, second), (9, 9));
        assert_eq!((found.first, found.second, found.moved), (0, 0, (80, 80)), "both hold all");
    }

    fn block(hash: u64) -> Block {
        Block {
            kind: BlockKind::Text,
            layer: Layer::ToolResults,
            role: Role::Tool,
            message: MessageId(0),
            record: Record { source: SourceId(0), line: 1, start: 0, end: 0 },
            body: Body::Text { spans: Spans::default(), chars: 1, hash },
            label: "".into(),
            call: None,
            error: false,
            cut: None,
            original: None,
        }
    }

    #[test]
    fn what_was_sent_again_is_the_same_as_what_it_repeats() {
        let whole = Fate::Verbatim;
        let blocks: Vec<Block> = [10, 11, 12, 10, 11].into_iter().map(block).collect();
        let (one, left) = run(&[(2, whole), (3, whole), (4, whole)]);
        let (other, right) = run(&[(0, whole), (1, whole), (2, whole)]);
        let found = window_diff(&blocks, (&one, &left), (&other, &right), None);
        let id = |id: u32| Some(EntryId(id));
        assert_eq!(
            found.rows,
            [
                DiffRow::Entry(id(0), None, Differs::Place),
                DiffRow::Entry(id(1), id(0), Differs::Not),
                DiffRow::Entry(id(2), id(1), Differs::Not),
                DiffRow::Entry(None, id(2), Differs::Place),
            ]
        );
        assert_eq!((found.alike, found.first, found.second, found.moved), (20, 0, 0, (10, 10)));

        let (cut, right) = run(&[(0, Fate::Cleared), (1, whole), (2, whole)]);
        let found = window_diff(&blocks, (&one, &left), (&cut, &right), None);
        assert_eq!((found.first, found.second), (10, 10), "its marker does not hold the text");
    }

    #[test]
    fn the_longest_row_stays_in_order() {
        let rows = rising(&[(0, 9), (1, 0), (2, 1), (3, 8), (4, 2), (5, 3)]);
        assert_eq!(rows, [(1, 0), (2, 1), (4, 2), (5, 3)]);
        assert!(rising(&[]).is_empty());
    }
}
