//! Which of the passages that are near a sentence are places of it: the nearest, what says it however near another is,
//! and what stands before them and may be where it came from.

use std::collections::HashSet;

use super::find::{Found, Place};
use crate::model::BlockId;

/// What is so much farther than the nearest passage is only about the same, unless it says it by itself.
pub(super) const NEAR: f32 = 0.12;
/// What is less near, and stands before the passage that has the sentence's own words, is not where it came from.
const WEAK: f32 = 0.6;
/// From which cosine on a passage says the sentence, whatever another says.
pub(super) const SAYS: f32 = 0.7;

/// Which passages are followed.
pub(super) struct Reach {
    /// From which score on a passage is a place.
    least: f32,
    /// From which one on it is where it stands before all others.
    early: f32,
    /// The first block that has the sentence's own words.
    own: Option<BlockId>,
    /// The first block that is as near as the nearest.
    first: Option<BlockId>,
}

impl Reach {
    /// Of the score of the nearest passage, and whether vectors tell it: shared words say less of what a passage says.
    /// Where the sentence's own words stand, they tell where it came from.
    pub fn of(best: f32, by_vectors: bool, own: Option<BlockId>) -> Reach {
        let near = best - NEAR;
        let (least, early) = if by_vectors && own.is_none() { (near.min(SAYS), WEAK) } else { (near, f32::INFINITY) };
        Reach { least, early, own, first: None }
    }

    /// From which score on a passage is a place.
    pub fn least(&self) -> f32 {
        self.least
    }

    /// Whether a place says it.
    pub fn says(&self, place: &Place) -> bool {
        let score = place.score.unwrap_or(0.0);
        score >= self.least && (score >= WEAK || self.own.is_none_or(|own| own <= place.block))
    }

    /// Takes those that say it, to tell what stands before them.
    pub fn with_first<'a>(self, places: impl Iterator<Item = &'a Place>) -> Reach {
        let first = places.filter(|place| self.says(place)).map(|place| place.block).min();
        Reach { first, ..self }
    }

    /// Whether a place says it, or is where it may have come from.
    pub fn takes(&self, place: &Place) -> bool {
        let is_early = || self.first.is_some_and(|first| place.block < first);
        self.says(place) || (place.score.unwrap_or(0.0) >= self.early && is_early())
    }
}

/// Passages that are left out as less near, each once.
#[derive(Default)]
pub(super) struct Left(HashSet<(BlockId, (u32, u32))>);

impl Left {
    /// Leaves one out.
    pub fn push(&mut self, place: &Place) {
        self.0.extend(place.spot().map(|spot| (place.block, spot.range)));
    }

    /// How many stand before all places that were taken.
    pub fn before(&self, found: &Found) -> u64 {
        let first = found.places.iter().map(|place| place.block).min();
        self.0.iter().filter(|(block, _)| first.is_some_and(|first| *block < first)).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(block: u32, score: f32) -> Place {
        Place {
            block: BlockId(block),
            seen: None,
            whole: None,
            score: Some(score),
            quoted: false,
            is_name: false,
            is_parted: false,
        }
    }

    #[test]
    fn what_says_it_is_followed_however_near_another_is() {
        let all = [place(1, 0.5), place(2, 0.62), place(3, 0.95), place(4, 0.65), place(5, 0.78)];
        let taken = |by_vectors, own| -> Vec<u32> {
            let reach = Reach::of(0.95, by_vectors, own).with_first(all.iter());
            all.iter().filter(|place| reach.takes(place)).map(|place| place.block.0).collect()
        };
        assert_eq!(taken(true, None), [2, 3, 5]);
        assert_eq!(taken(true, Some(BlockId(3))), [3], "its own words tell where it came from");
        assert_eq!(taken(false, None), [3], "shared words alone do not");
    }
}
