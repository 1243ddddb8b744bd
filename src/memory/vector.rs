//! Vectors that stand for texts: an embedding model's, or made from words where there is no model.

use std::collections::BTreeMap;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::{dot, normalised};

use super::lexer::is_figure;
use super::words::each_word;

/// A vector of length 1, or of nothing but zeros. One that is made from words has no place for those that a text lacks:
/// see [`by_words`].
pub type Vector = Arc<[f32]>;

/// What makes vectors from texts, one for each.
pub type Embed<'a> = &'a (dyn Fn(&[&str]) -> Vec<Vector> + Sync);

/// Where vectors can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Name of the model; `words` where there is none.
    pub name: Arc<str>,
    /// Numbers in a vector; 0 where they are as many as the words of a text.
    pub length: usize,
}

impl Space {
    /// Vectors made from words.
    #[must_use]
    pub fn words() -> Self {
        Space { name: Arc::from("words"), length: 0 }
    }

    /// Whether vectors are made from words alone.
    #[must_use]
    pub fn is_words(&self) -> bool {
        &*self.name == "words"
    }

    /// Whether a vector can be one of these.
    #[must_use]
    pub fn holds(&self, vector: &[f32]) -> bool {
        if self.is_words() { vector.len().is_multiple_of(2) } else { vector.len() == self.length }
    }

    /// The cosine of two vectors of it.
    #[must_use]
    pub fn cosine(&self, one: &[f32], other: &[f32]) -> f32 {
        if self.is_words() { shared(one, other) } else { dot(one, other) }
    }

    /// The middle of several vectors.
    #[must_use]
    pub fn mean(&self, vectors: &[&[f32]]) -> Vector {
        if self.is_words() {
            let mut all = BTreeMap::<u32, f32>::new();
            for [word, weight] in vectors.iter().flat_map(|vector| pairs(vector)) {
                *all.entry(word.to_bits()).or_default() += weight;
            }
            return of_weights(&all);
        }
        let mut sum = vec![0.0; self.length];
        for vector in vectors {
            sum.iter_mut().zip(*vector).for_each(|(sum, part)| *sum += part);
        }
        normalised(sum)
    }

    /// How relevant a memory is for a query, from the cosine of their vectors. A question has few of the words of a
    /// passage that answers it, so that their cosine is small: for words its root is taken, and a threshold that was
    /// set for an embedding model means about the same.
    #[must_use]
    pub fn relevance(&self, cosine: f32) -> f32 {
        if self.is_words() { cosine.max(0.0).sqrt() } else { cosine }
    }

    /// The cosine that gives a relevance.
    pub(super) fn cosine_of(&self, relevance: f32) -> f32 {
        if self.is_words() { relevance * relevance } else { relevance }
    }
}

/// The words of a vector that is made from words, each with its weight, in order.
pub(super) fn pairs(vector: &[f32]) -> impl Iterator<Item = [f32; 2]> + '_ {
    vector.as_chunks::<2>().0.iter().copied()
}

/// A vector of words with their weights, in order, of length 1.
fn of_weights(weights: &BTreeMap<u32, f32>) -> Vector {
    let length = weights.values().map(|weight| weight * weight).sum::<f32>().sqrt();
    weights.iter().flat_map(|(word, weight)| [f32::from_bits(*word), weight / length]).collect()
}

/// The cosine of two vectors that are made from words, by the words that both have.
fn shared(one: &[f32], other: &[f32]) -> f32 {
    let (mut sum, mut others) = (0.0, pairs(other).peekable());
    for [word, weight] in pairs(one) {
        while others.next_if(|[other, _]| other.to_bits() < word.to_bits()).is_some() {}
        if let Some([_, theirs]) = others.next_if(|[other, _]| other.to_bits() == word.to_bits()) {
            sum += weight * theirs;
        }
    }
    sum
}

/// The bits of a word's hash that make a finite number: such a vector is equal to itself.
const FINITE: u64 = 0x7f7f_ffff;

/// A text's vector by its words: a hash of each, and its weight. No two texts are like each other by chance: only what
/// both have counts. Figures and identifiers weigh twice, the beginnings of long words half.
#[must_use]
pub fn by_words(text: &str) -> Vector {
    let mut counts = BTreeMap::<u32, (f32, u32)>::new();
    each_word(text, |word| {
        let mut add = |word: &[u8], weight: f32| {
            let hash = u32::try_from(xxh3_64(word) & FINITE).unwrap_or(0);
            counts.entry(hash).or_insert((weight, 0)).1 += 1;
        };
        if is_figure(word) {
            add(word.as_bytes(), 2.0);
            return;
        }
        add(word.as_bytes(), 1.0);
        if word.len() >= 6 && word.is_ascii() {
            add(format!("{}-", &word[..5]).as_bytes(), 0.5);
        }
    });
    #[allow(clippy::cast_precision_loss)]
    let weigh = |(weight, times): (f32, u32)| weight * (1.0 + (times as f32).ln());
    of_weights(&counts.into_iter().map(|(hash, counted)| (hash, weigh(counted))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(one: &[f32], other: &[f32]) -> f32 {
        Space::words().cosine(one, other)
    }

    #[test]
    fn the_same_words_are_the_same_vector_in_any_order() {
        let (one, other) = (by_words("the port is 8080 today"), by_words("Today: PORT 8080"));
        assert!((dot(&one, &other) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn what_shares_more_words_is_nearer() {
        let query = by_words("which port does the server use");
        let near = dot(&query, &by_words("The server listens on port 8080."));
        let far = dot(&query, &by_words("Lunch is at noon in the garden."));
        assert!(near > 0.4 && far < 0.15, "{near} {far}");
    }

    #[test]
    fn other_figures_are_other_vectors() {
        let codes: Vec<Vector> = (0..300).map(|at| by_words(&format!("Room code {}.", 1_000 + 37 * at))).collect();
        let pairs =
            codes.iter().enumerate().flat_map(|(at, one)| codes[at + 1..].iter().map(move |other| (one, other)));
        let nearest = pairs.map(|(one, other)| dot(one, other)).fold(0.0, f32::max);
        assert!(nearest < 0.95, "{nearest}");
    }

    #[test]
    fn nothing_has_no_direction() {
        assert!(by_words("the of and").is_empty());
    }

    #[test]
    fn what_shares_no_word_is_like_nothing() {
        let all: Vec<Vector> =
            (0..400).map(|at| by_words(&format!("Word{at} stands{at} quietly{at} here{at}."))).collect();
        let pairs = all.iter().enumerate().flat_map(|(at, one)| all[at + 1..].iter().map(move |other| (one, other)));
        assert!(pairs.into_iter().all(|(one, other)| dot(one, other) == 0.0));
        // Worked out by hand: of 4.5 in common, of lengths of the roots of 5.75 and 5.5.
        let (always, never) =
            ("Always use tabs for indentation in Makefiles.", "Never use tabs for indentation in Makefiles.");
        let cosine = dot(&by_words(always), &by_words(never));
        assert!((cosine - 4.5 / (5.75f32 * 5.5).sqrt()).abs() < 1e-5, "{cosine}");
    }

    #[test]
    fn the_middle_of_vectors_is_like_each() {
        let space = Space::words();
        let (one, other) = (by_words("red apples"), by_words("green pears"));
        let mean = space.mean(&[&one, &other]);
        for vector in [&one, &other] {
            assert!((dot(&mean, vector) - 0.5f32.sqrt()).abs() < 1e-5);
        }
        assert!(space.holds(&mean) && space.holds(&[]) && !space.holds(&[0.5]));
    }
}
