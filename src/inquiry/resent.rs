//! What a client says again of a result that it cut: a text of its own, with the result's own words in it. They stand in
//! the result, and are no further places of a fact.

use std::collections::HashMap;

use super::spot::Spot;
use crate::model::{BlockId, Made, Op, Transcript};

/// A stretch of what is said again.
struct Stretch {
    /// Its first byte in what is said again, and one past its last.
    range: (u64, u64),
    /// The result, and the byte of it at which the same begins.
    of: (BlockId, u64),
}

/// The stretches of texts that stand for results which were cut.
#[derive(Default)]
pub(super) struct Resent(HashMap<BlockId, Vec<Stretch>>);

impl Resent {
    /// What a transcript says again.
    pub(super) fn of(transcript: &Transcript) -> Resent {
        let mut found = Resent::default();
        let ops = transcript.threads.iter().flat_map(|thread| &thread.ops);
        let shortened = ops.filter_map(|op| if let Op::Shorten(shortening) = op { Some(shortening) } else { None });
        for short in shortened.flat_map(|shortening| &shortening.blocks) {
            // What is left of the result and the words around it are, in order, the text that is said now.
            let (mut stretches, mut said, mut at) = (Vec::new(), None, 0);
            for made in &short.content {
                let Made::Part(block, from, to, false) = made else { continue };
                match *block == short.block {
                    true => stretches.push(Stretch { range: (at, at + (to - from)), of: (*block, *from) }),
                    false => said = Some(*block),
                }
                at += to - from;
            }
            if let Some(said) = said.filter(|_| !stretches.is_empty()) {
                found.0.entry(said).or_default().append(&mut stretches);
            }
        }
        found
    }

    /// Leaves out the places that a result has, too: those that the model was sent, by block. How many these are.
    pub(super) fn leave_out(&self, by_block: &mut HashMap<BlockId, (Vec<Spot>, Vec<Spot>)>) -> u64 {
        let mut left_out = 0;
        for (said, stretches) in &self.0 {
            let Some((mut spots, whole)) = by_block.remove(said) else { continue };
            let before = spots.len();
            spots.retain(|spot| {
                let (start, end) = (u64::from(spot.range.0), u64::from(spot.range.1));
                let is_there = |stretch: &&Stretch| stretch.range.0 <= start && end <= stretch.range.1;
                !stretches.iter().filter(is_there).any(|Stretch { range, of: (block, from) }| {
                    let (same, last) = (from + (start - range.0), from + (end - range.0));
                    let own = by_block.get(block).map(|(seen, _)| seen.as_slice()).unwrap_or_default();
                    own.iter().any(|own| (u64::from(own.range.0), u64::from(own.range.1)) == (same, last))
                })
            });
            left_out += (before - spots.len()) as u64;
            if !spots.is_empty() || !whole.is_empty() {
                by_block.insert(*said, (spots, whole));
            }
        }
        left_out
    }

    /// What of a text stands in its window as parts of the result that it stands for, as far as a place meets that.
    pub(super) fn around(&self, said: BlockId, spot: Option<&Spot>) -> impl Iterator<Item = (u64, u64)> {
        let range = spot.map_or((0, 0), |spot| (u64::from(spot.range.0), u64::from(spot.range.1)));
        let all = self.0.get(&said).map(Vec::as_slice).unwrap_or_default();
        all.iter().map(|stretch| stretch.range).filter(move |own| own.0 < range.1 && range.0 < own.1)
    }
}
