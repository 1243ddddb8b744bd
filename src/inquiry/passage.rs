//! Passages of documents in a window: what they show of a fact, and what only their tags say.

use super::life::Subject;
use crate::model::{Entry, Layer, Made};

/// Whether an entry is a passage of a document, which its own words only tag.
pub(super) fn is_passage(entry: &Entry) -> bool {
    entry.layer == Layer::Chunks && entry.content.iter().any(|made| matches!(made, Made::Part(..)))
}

/// Whether the words of such a passage, which say the fact, are a tag over a text that does not.
pub(super) fn is_in_tag(entry: &Entry, subject: &Subject) -> bool {
    let shows = |made: &Made| {
        let Made::Part(block, from, to, original) = made else { return false };
        let mut spots = subject.said_in(*block).filter_map(|place| subject.spot(place, *original));
        spots.any(|spot| *from <= u64::from(spot.range.0) && u64::from(spot.range.1) <= *to)
    };
    is_passage(entry) && !entry.content.iter().any(shows)
}
