//! Vectors that stand for texts: an embedding model's, or made from words where there is no model.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::normalised;

use super::words::{each_word, is_figure};

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

/// A text's vector by its words: each falls into one of 384 places by its hash, with a sign; figures and identifiers
/// weigh twice, the beginnings of long words half.
#[must_use]
pub fn by_words(text: &str) -> Vector {
    let mut counts: std::collections::BTreeMap<u64, (f32, u32)> = std::collections::BTreeMap::new();
    each_word(text, |word| {
        let mut add = |part: &str, weight: f32| {
            counts.entry(xxh3_64(part.as_bytes())).or_insert((weight, 0)).1 += 1;
        };
        add(word, if is_figure(word) { 2.0 } else { 1.0 });
        if word.len() >= 6 && word.is_ascii() && !is_figure(word) {
            add(&format!("{}-", &word[..5]), 0.5);
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
    fn nothing_has_no_direction() {
        assert!(by_words("the of and").iter().all(|part| *part == 0.0));
    }
}
