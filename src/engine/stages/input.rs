//! What a summariser is given of a history: what is over `summarise.input_max` is cut off its beginning.

use crate::engine::plan::NONE;
use crate::engine::simulate::{Content, Piece, Sim};
use crate::model::{Contents, Fate, Made};

use super::compact::tokens_of_piece;

/// Ranges of a text, in bytes: from the first to one past the last.
type Ranges = Vec<(u64, u64)>;

/// The end of a piece that does not fit whole, with the ranges of its text that it shows.
type End = (Contents, Ranges);

/// What a summariser is given of pieces, by what of them fits: from the newest back. Earlier summaries always do: they
/// stand for all that was before.
pub(super) struct Input<'a> {
    pieces: &'a [u32],
    /// The first of those that are given whole, as all after it are; of those before, earlier summaries alone are.
    first: usize,
    /// What is given of the one before that.
    end: Option<End>,
    /// Tokens of what is not given.
    pub unseen: u64,
}

/// A piece as a summariser is given it.
pub(super) struct Shown<'a> {
    pub piece: u32,
    /// What of it, where it is not given whole.
    end: Option<&'a End>,
}

impl Shown<'_> {
    /// Whether a range of the piece's text is given.
    pub fn holds(&self, from: u32, to: u32) -> bool {
        let within = |range: &(u64, u64)| range.0 <= u64::from(from) && u64::from(to) <= range.1;
        self.end.is_none_or(|(_, ranges)| ranges.iter().any(within))
    }

    /// What of the piece is given.
    pub fn content(&self, sim: &Sim) -> Option<Contents> {
        if let Some((content, _)) = self.end {
            return Some(content.clone());
        }
        let piece = sim.pieces.get(self.piece as usize)?;
        Some(piece.content.clone().made(sim.plan.items.get(piece.item as usize)))
    }
}

impl<'a> Input<'a> {
    /// What fits of a history, and the tokens that do not.
    pub fn of(sim: &Sim, pieces: &'a [u32]) -> Self {
        let most = sim.policy.summarise.input_max;
        let all: u64 = pieces.iter().map(|piece| tokens_of_piece(sim, *piece)).sum();
        let mut input = Input { pieces, first: 0, end: None, unseen: 0 };
        if all <= most {
            return input;
        }
        let summaries = pieces.iter().filter(|piece| is_summary(sim, **piece));
        let summaries: u64 = summaries.map(|piece| tokens_of_piece(sim, *piece)).sum();
        let (mut left, mut seen) = (most.saturating_sub(summaries), summaries);
        for (at, piece) in pieces.iter().enumerate().rev().filter(|(_, piece)| !is_summary(sim, **piece)) {
            let tokens = tokens_of_piece(sim, *piece);
            if tokens > left {
                input.first = at + 1;
                if let Some((content, ranges, tokens)) = newest_part(sim, *piece, left) {
                    seen += tokens;
                    input.end = Some((content, ranges));
                }
                break;
            }
            left -= tokens;
            seen += tokens;
        }
        input.unseen = all.saturating_sub(seen);
        input
    }

    /// What is given, in order.
    pub fn each(&self, sim: &Sim) -> impl Iterator<Item = Shown<'_>> {
        self.pieces.iter().enumerate().filter_map(|(at, piece)| {
            let end = if at + 1 == self.first { self.end.as_ref() } else { None };
            let given = at >= self.first || end.is_some() || is_summary(sim, *piece);
            given.then_some(Shown { piece: *piece, end })
        })
    }
}

fn is_summary(sim: &Sim, piece: u32) -> bool {
    sim.pieces.get(piece as usize).is_some_and(|piece| piece.fate == Fate::Summarised)
}

/// The end of what a piece shows of its text within so many tokens: with the ranges of the text, and the tokens. Where
/// its last part fits whole, that goes on in the part before.
fn newest_part(sim: &Sim, number: u32, most: u64) -> Option<(Contents, Ranges, u64)> {
    let piece = sim.pieces.get(number as usize)?;
    let Some(item) = sim.plan.items.get(piece.item as usize).filter(|item| item.chars > 0) else {
        let (content, tokens) = part_of_prepared(sim, piece, most, true)?;
        return Some((content, Vec::new(), tokens));
    };
    let all = [Made::Block(item.block)];
    let shown = if let Content::Made(made) = &piece.content { &made[..] } else { &all };
    let (mut found, mut ranges, mut between, mut left) = (Vec::new(), Vec::new(), Vec::new(), most);
    for made in shown.iter().rev() {
        let range = match made {
            Made::Part(block, from, to, _) if *block == item.block => (*from, *to),
            Made::Block(block) if *block == item.block => (0, u64::MAX),
            // What stands between two parts goes with the earlier one.
            Made::Written(_) if !found.is_empty() => {
                between.push(made.clone());
                continue;
            }
            _ => continue,
        };
        let gap = between.iter().map(|made| if let Made::Written(written) = made { written.tokens() } else { 0 }).sum();
        let Some(room) = left.checked_sub(gap) else { break };
        let part = sim.plan.within(piece.item, range, room, true);
        if part.tokens == 0 || part.tokens > room {
            break;
        }
        left = room - part.tokens;
        found.append(&mut between);
        found.push(Made::Part(item.block, part.start, part.end, item.whole));
        ranges.push((part.start, part.end));
        if part != sim.plan.within(piece.item, range, u64::MAX, true) {
            break;
        }
    }
    found.reverse();
    (!found.is_empty()).then(|| (found.into_iter().collect(), ranges, most - left))
}

/// The beginning, or the end, of what was prepared outside, within so many tokens.
pub(super) fn part_of_prepared(sim: &Sim, piece: &Piece, most: u64, from_end: bool) -> Option<(Contents, u64)> {
    let prepared = sim.prepared_of(piece).filter(|_| piece.item == NONE)?;
    let Content::Made(made) = &piece.content else { return None };
    let [shown] = &made[..] else { return None };
    let (block, range) = match shown {
        Made::Block(block) => (Some(*block), (0, u64::MAX)),
        // What came back of it before is a part of the same text.
        Made::Part(block, from, to, _) => (Some(*block), (*from, *to)),
        Made::Text(_) => (None, (0, u64::MAX)),
        Made::Written(_) => return None,
    };
    let part = prepared.cuts.as_ref()?.within(prepared.tokens, range, most, from_end);
    if part.tokens == 0 || part.tokens > most {
        return None;
    }
    let content = match (block, shown) {
        (Some(block), _) => Made::Part(block, part.start, part.end, false).into(),
        (None, Made::Text(text)) => {
            let range = usize::try_from(part.start).ok()?..usize::try_from(part.end).ok()?;
            Made::Text(std::borrow::Cow::Owned(text.get(range)?.to_owned())).into()
        }
        (None, _) => return None,
    };
    Some((content, part.tokens))
}
