//! The text of a body, and the way from a place in it back to its stored bytes.
//!
//! A body may stand in several spans; their texts are joined by line breaks. `stored` are their bytes, as
//! [`super::Sources::pieces`] reads them.

use crate::model::Body;

use super::{decode, stored_offsets, stored_range};

/// The text of a body's stored bytes.
#[must_use]
pub fn joined(body: &Body, stored: &[Vec<u8>]) -> String {
    let mut text = String::new();
    for (at, (span, bytes)) in body.spans().zip(stored).enumerate() {
        if at > 0 {
            text.push('\n');
        }
        text.push_str(&decode(bytes, span.coding));
    }
    text
}

/// Where bytes of that text are stored: the number of the span that the first of them stands in, and bytes of that
/// span; what goes on in the next span ends with the first. `None` where a body has no spans.
#[must_use]
pub fn place_in(body: &Body, stored: &[Vec<u8>], from: u64, to: u64) -> Option<(usize, u64, u64)> {
    let mut begins = 0;
    let last = stored.len().checked_sub(1)?;
    for (at, (span, bytes)) in body.spans().zip(stored).enumerate() {
        // How long the last span's text is does not matter.
        let length = if at == last { u64::MAX } else { decode(bytes, span.coding).len() as u64 };
        let ends = length.saturating_add(begins);
        if from <= ends || at == last {
            let within = |place: u64| usize::try_from(place.saturating_sub(begins)).unwrap_or(usize::MAX);
            let (first, end) = stored_range(bytes, span.coding, (within(from), within(to.min(ends))));
            return Some((at, first as u64, end as u64));
        }
        begins = ends + 1;
    }
    None
}

/// The same of many ranges; of a body in one span, what stands before them is read once.
#[must_use]
pub fn places_in(body: &Body, stored: &[Vec<u8>], ranges: &[(u64, u64)]) -> Vec<Option<(usize, u64, u64)>> {
    let [bytes] = stored else {
        return ranges.iter().map(|(from, to)| place_in(body, stored, *from, *to)).collect();
    };
    let Some(span) = body.spans().next() else { return vec![None; ranges.len()] };
    let number = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
    let mut offsets: Vec<usize> = ranges.iter().flat_map(|(from, to)| [number(*from), number(*to.max(from))]).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let found = stored_offsets(bytes, span.coding, &offsets);
    let place = |of: u64| Some(*found.get(offsets.binary_search(&number(of)).ok()?)? as u64);
    ranges.iter().map(|(from, to)| Some((0, place(*from)?, place(*to.max(from))?))).collect()
}
