//! Places of a fact as several ways of reading a text tell them, made one list.

/// Places before one that it may overlap.
const NEAR: usize = 64;

/// A place, and the way of reading in which it is one.
pub(super) type Told = (u32, u32, u32);

/// Places as ways of reading a text tell them.
#[derive(Default)]
pub(super) struct Ways {
    /// The places, by the first of [`Inside`] by which they are taken.
    pub told: [Vec<Told>; 3],
    /// The way that is gone now.
    pub way: u32,
}

/// Places in order, those left out that overlap one before them.
pub(super) fn apart(mut found: Vec<Told>) -> Vec<(u32, u32)> {
    found.sort_unstable();
    let mut end = 0;
    found.retain(|(from, to, _)| {
        let free = *from >= end && from < to;
        if free {
            end = *to;
        }
        free
    });
    found.into_iter().map(|(from, to, _)| (from, to)).collect()
}

/// Places in order. Those that overlap in one way of reading are several; what overlaps one that its own way has not
/// told is that one, told once more.
pub(super) fn each(mut found: Vec<Told>) -> Vec<(u32, u32)> {
    found.sort_unstable();
    found.dedup();
    // Each with the ways that told it.
    let mut kept: Vec<(u32, u32, u64)> = Vec::new();
    for (from, to, way) in found.into_iter().filter(|(from, to, _)| from < to) {
        let way = 1u64 << way.min(63);
        let mut near = kept.iter_mut().rev().take(NEAR).filter(|(_, end, _)| *end > from);
        match near.find(|(start, end, ways)| ways & way == 0 || (*start, *end) == (from, to)) {
            Some((.., ways)) => *ways |= way,
            None => kept.push((from, to, way)),
        }
    }
    kept.into_iter().map(|(from, to, _)| (from, to)).collect()
}
