//! Vectors that stand for texts: an embedding model's, or made from words where there is no model.

use std::sync::Arc;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::chunk::normalised;

use super::lexer::is_figure;
use super::words::each_word;

/// A vector of length 1, or of nothing but zeros.
pub type Vector = Arc<[f32]>;

/// What makes vectors from texts, one for each, all of the space's length.
pub type Embed<'a> = &'a (dyn Fn(&[&str]) -> Vec<Vector> + Sync);

/// Where vectors can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Name of the model; `words` where there is none.
    pub name: Arc<str>,
    /// Numbers in a vector.
    pub length: usize,
}

/// Numbers in a vector made from words.
const WORDS: usize = 384;

impl Space {
    /// Vectors made from words.
    #[must_use]
    pub fn words() -> Self {
        Space { name: Arc::from("words"), length: WORDS }
    }

    /// Whether vectors are made from words alone.
    #[must_use]
    pub fn is_words(&self) -> bool {
        &*self.name == "words"
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

/// Places of a figure: two that share one place are not the same.
const PLACES: u32 = 3;

/// A text's vector by its words: each falls into one of 384 places by its hash, with a sign; figures and identifiers
/// into three, and they weigh twice, the beginnings of long words half.
#[must_use]
pub fn by_words(text: &str) -> Vector {
    let mut counts: std::collections::BTreeMap<u64, (f32, u32)> = std::collections::BTreeMap::new();
    #[allow(clippy::cast_precision_loss)]
    let share = (PLACES as f32).sqrt();
    each_word(text, |word| {
        let mut add = |hash: u64, weight: f32| counts.entry(hash).or_insert((weight, 0)).1 += 1;
        if is_figure(word) {
            (0..PLACES).for_each(|place| add(xxh3_64_with_seed(word.as_bytes(), u64::from(place)), 2.0 / share));
            return;
        }
        add(xxh3_64(word.as_bytes()), 1.0);
        if word.len() >= 6 && word.is_ascii() {
            add(xxh3_64(format!("{}-", &word[..5]).as_bytes()), 0.5);
        }
    });
    let mut vector = vec![0.0f32; WORDS];
    for (hash, (weight, times)) in counts {
        #[allow(clippy::cast_precision_loss)]
        let weight = weight * (1.0 + (times as f32).ln());
        let place = usize::try_from(hash % WORDS as u64).unwrap_or(0);
        vector[place] += if hash >> 63 == 0 { weight } else { -weight };
    }
    normalised(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::dot;

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
        assert!(by_words("the of and").iter().all(|part| *part == 0.0));
    }
}
