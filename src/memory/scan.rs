//! Rows of vectors, searched whole: first in bytes, with a bound on what that may miss, then exactly. Where only
//! what is very near is wanted, the heaviest parts of the question tell of most that they are not. Vectors that are made
//! from words are found by the words of the question.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Space;
use super::vector::pairs;

/// Vectors that are shared between copies of a store.
const PART: usize = 2_048;

/// Some vectors: as they are, and in bytes.
#[derive(Clone, Debug, Default)]
struct Part {
    exact: Vec<f32>,
    bytes: Vec<i8>,
    /// The same bytes by their place in a vector: that place of every vector, then the next.
    columns: Vec<i8>,
    /// Per vector, what one step of its bytes is worth, and the sum of its parts' sizes.
    worth: Vec<(f32, f32)>,
    /// Of vectors made from words, where each ends among the numbers; and by the bits of a word, the rows that have it,
    /// with its weight there.
    ends: Vec<usize>,
    rows_of: FxHashMap<u32, Vec<(u16, f32)>>,
}

/// Vectors in order. A copy shares them.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    space: Space,
    parts: Vec<Arc<Part>>,
    number: usize,
}

/// A vector in bytes: its worth, the sum of its parts' sizes.
fn bytes_of(vector: &[f32], out: &mut Vec<i8>) -> (f32, f32) {
    let largest = vector.iter().fold(0.0f32, |largest, part| largest.max(part.abs()));
    let worth = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    #[allow(clippy::cast_possible_truncation)]
    out.extend(vector.iter().map(|part| (part / worth).round() as i8));
    (worth, vector.iter().map(|part| part.abs()).sum())
}

fn dot_bytes(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}

/// A vector that may be near: its number, about how near, and by how much that may be wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Maybe {
    pub number: u32,
    pub about: f32,
    /// Nothing where it is exact.
    pub missed: f32,
}

impl Maybe {
    /// Whether it may be of at least that cosine.
    pub fn may_reach(&self, at_least: f32) -> bool {
        self.about + self.missed >= at_least
    }

    /// The nearest that it may be.
    pub fn most(&self) -> f32 {
        self.about + self.missed
    }

    /// Whether it is, as far as bytes tell.
    pub fn surely_reaches(&self, at_least: f32) -> bool {
        self.about - self.missed >= at_least
    }
}

/// The cosine from which on the heaviest parts of a question leave out most vectors.
const NEAR: f32 = 0.6;
/// What the other parts of such a question may still add to a cosine.
const REST: f32 = 0.4;
/// Columns that are summed up at once, and the largest byte of a question for which their sum has room.
const AT_ONCE: usize = 4;
const LARGEST: f32 = 63.0;

/// The heaviest parts of a question.
struct Heavy {
    /// Their places, so many at once, each with its byte.
    places: Vec<[(usize, i16); AT_ONCE]>,
    /// What one step of the bytes is worth, and the sum of the parts' sizes.
    worth: f32,
    size: f32,
    /// The length of what is left of the question.
    rest: f32,
}

impl Heavy {
    /// So many of a vector that little of it is left.
    #[allow(clippy::cast_possible_truncation)]
    fn of(query: &[f32]) -> Heavy {
        let mut order: Vec<usize> = (0..query.len()).collect();
        order.sort_by(|one, other| query[*other].abs().total_cmp(&query[*one].abs()).then(one.cmp(other)));
        let largest = order.first().map_or(0.0, |at| query[*at].abs());
        let worth = if largest > 0.0 { largest / LARGEST } else { 1.0 };
        let mut left: f32 = query.iter().map(|part| part * part).sum();
        let (mut places, mut size) = (Vec::new(), 0.0);
        for four in order.chunks(AT_ONCE) {
            if left <= REST * REST {
                break;
            }
            let mut now = [(0, 0); AT_ONCE];
            for (place, at) in now.iter_mut().zip(four) {
                let part = query[*at];
                *place = (*at, (part / worth).round() as i16);
                (left, size) = (left - part * part, size + part.abs());
            }
            places.push(now);
        }
        // Sums of many small numbers are a little off.
        Heavy { places, worth, size, rest: left.max(0.0).sqrt() + 1e-3 }
    }

    /// Of each vector of a part whether it may be of at least that cosine.
    #[allow(clippy::cast_precision_loss)]
    fn may_reach(&self, part: &Part, at_least: f32) -> Vec<bool> {
        let mut sums = [0i32; PART];
        for four in &self.places {
            let column = |at: usize| part.columns.get(at * PART..(at + 1) * PART).unwrap_or(&[0; PART]);
            let [(a, by_a), (b, by_b), (c, by_c), (d, by_d)] = *four;
            let columns = column(a).iter().zip(column(b)).zip(column(c).iter().zip(column(d)));
            for (sum, ((a, b), (c, d))) in sums.iter_mut().zip(columns) {
                let ab = i16::from(*a) * by_a + i16::from(*b) * by_b;
                let cd = i16::from(*c) * by_c + i16::from(*d) * by_d;
                *sum += i32::from(ab + cd);
            }
        }
        let number = (self.places.len() * AT_ONCE) as f32;
        let reaches = |(sum, (own, own_size)): (&i32, &(f32, f32))| {
            let about = *sum as f32 * self.worth * own;
            let missed = 0.5 * own * self.size + 0.5 * self.worth * own_size + 0.25 * self.worth * own * number;
            about + missed + self.rest >= at_least
        };
        sums.iter().zip(&part.worth).map(reaches).collect()
    }
}

impl Rows {
    pub fn new(space: Space) -> Self {
        Rows { space, parts: Vec::new(), number: 0 }
    }

    /// Takes a vector in; one of another space counts as zero.
    pub fn push(&mut self, vector: &[f32]) {
        let row = self.number % PART;
        if row == 0 {
            self.parts.push(Arc::default());
        }
        let zero;
        let vector = if self.space.holds(vector) {
            vector
        } else {
            zero = vec![0.0; self.space.length];
            &zero
        };
        self.number += 1;
        let Some(part) = self.parts.last_mut().map(Arc::make_mut) else { return };
        part.exact.extend_from_slice(vector);
        if self.space.is_words() {
            part.ends.push(part.exact.len());
            for [word, weight] in pairs(vector) {
                let row = u16::try_from(row).unwrap_or(u16::MAX);
                part.rows_of.entry(word.to_bits()).or_default().push((row, weight));
            }
            return;
        }
        let from = part.bytes.len();
        let worth = bytes_of(vector, &mut part.bytes);
        part.columns.resize(self.space.length * PART, 0);
        for (column, byte) in part.columns.chunks_exact_mut(PART).zip(&part.bytes[from..]) {
            column[row] = *byte;
        }
        part.worth.push(worth);
    }

    /// The vector of a memory.
    pub fn get(&self, number: u32) -> Option<&[f32]> {
        let (part, row) = (self.parts.get(number as usize / PART)?, number as usize % PART);
        if self.space.is_words() {
            let from = row.checked_sub(1).map_or(Some(0), |before| part.ends.get(before).copied())?;
            return part.exact.get(from..*part.ends.get(row)?);
        }
        part.exact.get(row * self.space.length..(row + 1) * self.space.length)
    }

    /// What they are compared in.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.number
    }

    /// All of the first so many vectors that may be of at least that cosine, in order.
    pub fn maybe(&self, query: &[f32], at_least: f32, first: usize) -> Vec<Maybe> {
        // The heaviest parts leave out only what is not very near.
        let is_dense = !self.space.is_words() && query.len() == self.space.length;
        let heavy = (first > 0 && at_least >= NEAR && is_dense).then(|| Heavy::of(query));
        let parts = self.parts.get(..first.div_ceil(PART)).unwrap_or(&self.parts);
        let mut found = self.maybe_of(parts, query, at_least, heavy.as_ref());
        if first < self.number {
            found.retain(|maybe| (maybe.number as usize) < first);
        }
        found
    }

    fn maybe_of(&self, all: &[Arc<Part>], query: &[f32], at_least: f32, heavy: Option<&Heavy>) -> Vec<Maybe> {
        if self.space.is_words() {
            return maybe_by_words(all, query, at_least);
        }
        let length = self.space.length;
        if query.len() != length || length == 0 {
            return Vec::new();
        }
        let mut bytes = Vec::with_capacity(length);
        let (worth, size) = bytes_of(query, &mut bytes);
        #[allow(clippy::cast_precision_loss)]
        let parts = length as f32;
        let of = |(part, rows): (usize, &Arc<Part>)| {
            let wanted = heavy.map(|heavy| heavy.may_reach(rows, at_least));
            let is_wanted = |at: usize| wanted.as_ref().is_none_or(|wanted| wanted.get(at) == Some(&true));
            let rows = rows.bytes.chunks_exact(length).zip(&rows.worth);
            let near = rows.enumerate().filter(|(at, _)| is_wanted(*at)).filter_map(|(at, (row, (own, own_size)))| {
                #[allow(clippy::cast_precision_loss)]
                let about = dot_bytes(&bytes, row) as f32 * worth * own;
                // Rounding moves each part by half a step at most.
                let missed = 0.5 * own * size + 0.5 * worth * own_size + 0.25 * worth * own * parts;
                let number = u32::try_from(part * PART + at).unwrap_or(u32::MAX);
                Some(Maybe { number, about, missed }).filter(|maybe| maybe.may_reach(at_least))
            });
            near.collect::<Vec<Maybe>>()
        };
        of_parts(all, of)
    }
}

/// What is found in each part, in order.
fn of_parts(all: &[Arc<Part>], of: impl Fn((usize, &Arc<Part>)) -> Vec<Maybe> + Sync) -> Vec<Maybe> {
    if all.len() < 4 {
        return all.iter().enumerate().flat_map(of).collect();
    }
    let found: Vec<Vec<Maybe>> = all.par_iter().enumerate().map(&of).collect();
    found.concat()
}

/// Those of vectors that are made from words: nothing is missed.
fn maybe_by_words(all: &[Arc<Part>], query: &[f32], at_least: f32) -> Vec<Maybe> {
    of_parts(all, |(at, part)| {
        let mut sums = [0.0f32; PART];
        for [word, weight] in pairs(query) {
            for (row, theirs) in part.rows_of.get(&word.to_bits()).into_iter().flatten() {
                sums[usize::from(*row) % PART] += weight * theirs;
            }
        }
        let first = u32::try_from(at * PART).unwrap_or(u32::MAX);
        let all = (first..).zip(sums).take(part.ends.len());
        all.map(|(number, about)| Maybe { number, about, missed: 0.0 }).filter(|one| one.about >= at_least).collect()
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Vector, by_words};
    use super::*;
    use crate::chunk::{dot, normalised};

    /// A space of so many numbers.
    pub fn of(length: usize) -> Space {
        Space { name: "dense".into(), length }
    }

    /// A vector of 384 numbers, as each word of a text puts one at a place.
    pub fn dense(text: &str) -> Vector {
        let mut vector = vec![0.0; 384];
        for [word, weight] in pairs(&by_words(text)) {
            vector[word.to_bits() as usize % 384] += weight;
        }
        normalised(vector)
    }

    #[test]
    fn the_heaviest_parts_leave_out_nothing_near_and_most_of_the_rest() {
        let words =
            |at: usize| (0..30).map(|word| format!("w{} ", at * 7 % 50 + word * (at % 9 + 1))).collect::<String>();
        let all: Vec<_> = (0..PART + 300).map(|at| dense(&words(at))).collect();
        let mut rows = Rows::new(of(384));
        all.iter().for_each(|vector| rows.push(vector));
        let mut looked_at = 0;
        for query in all.iter().step_by(97) {
            let heavy = Heavy::of(query);
            looked_at += rows.parts.iter().flat_map(|part| heavy.may_reach(part, 0.78)).filter(|may| *may).count();
            for first in [0, 5, PART, all.len()] {
                let maybe = rows.maybe(query, 0.78, first);
                assert!(maybe.iter().all(|one| (one.number as usize) < first));
                let near = |number: &u32| dot(query, &all[*number as usize]) >= 0.78;
                let found: Vec<u32> = maybe.iter().map(|one| one.number).filter(near).collect();
                let own = (0u32..).take(first).filter(near);
                assert_eq!(found, own.collect::<Vec<_>>());
            }
        }
        assert!(looked_at * 4 < all.len() * all.len().div_ceil(97), "{looked_at}");
    }

    #[test]
    fn a_copy_shares_and_does_not_change_the_other() {
        let mut one = Rows::new(of(2));
        one.push(&[1.0, 0.0]);
        let mut other = one.clone();
        other.push(&[0.0, 1.0]);
        other.push(&[1.0]);
        let near = |rows: &Rows| rows.maybe(&[0.0, 1.0], 0.5, rows.len()).iter().any(|one| one.number == 1);
        assert_eq!((near(&one), near(&other), one.len(), other.len()), (false, true, 1, 3));
        assert_eq!(other.get(2), Some(&[0.0, 0.0][..]));
    }
}
