//! Passages of several sentences, of which one says what the others drown: that one tells how near they are.

use super::by_meaning::{ByVectors, embedded};
use super::meaning::sentences;
use super::reach::SAYS;
use crate::chunk::dot;
use crate::content::Watch;

/// From which cosine on a passage may say something in one of its sentences.
const MAY_SAY: f32 = 0.3;

/// Puts in the place of the scores of texts those of their nearest sentences, where these are nearer. At most as many
/// sentences are embedded as there are texts, those of the nearest first.
pub(super) fn by_sentence(texts: &[String], scores: &mut [f32], vectors: ByVectors, sentence: &[f32], watch: &Watch) {
    let mut open: Vec<usize> = (0..texts.len()).filter(|at| (MAY_SAY..SAYS).contains(&scores[*at])).collect();
    open.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
    let (mut of, mut parts): (Vec<usize>, Vec<String>) = Default::default();
    for at in open {
        let own = sentences(&texts[at]);
        if own.len() < 2 || parts.len() + own.len() > texts.len() {
            continue;
        }
        let own = own.into_iter().filter_map(|(from, to)| texts[at].get(from..to)).map(|part| part.trim().to_owned());
        parts.extend(own);
        of.resize(parts.len(), at);
    }
    for (at, vector) in of.into_iter().zip(embedded(vectors, &parts, watch).unwrap_or_default()) {
        scores[at] = scores[at].max(dot(&vector, sentence));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::chunk::{EmbedError, Embedder, ModelId, normalised};

    /// Embeds by counting keys and other words.
    struct Keys(ModelId);

    impl Embedder for Keys {
        fn model(&self) -> &ModelId {
            &self.0
        }

        fn embed(&self, texts: &[&str], _: &Watch, give: &mut dyn FnMut(usize, Arc<[f32]>)) -> Result<(), EmbedError> {
            for (at, text) in texts.iter().enumerate() {
                let (keys, all) = (text.matches("key").count() as f32, text.split_whitespace().count() as f32);
                give(at, normalised(vec![keys, all - keys]));
            }
            Ok(())
        }
    }

    #[test]
    fn a_passage_is_as_near_as_its_nearest_sentence_and_few_are_read() {
        let keys = Keys(ModelId { name: "keys".into(), hash: [7; 32], dimensions: 2 });
        let vectors = ByVectors { embedder: &keys, store: None, most: 200 };
        let scored = |texts: &[&str], scores: &[f32]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let mut scores = scores.to_vec();
            by_sentence(&texts, &mut scores, vectors, &[1.0, 0.0], &Watch::default());
            scores
        };
        let drowned = "Lunch was fine today. Key key key. All is well.";
        let texts = [drowned, "One alone.", drowned, "Key key and more. So it is."];
        let scores = scored(&texts, &[0.4, 0.5, 0.1, 0.9]);
        assert!(scores[0] > 0.7, "{scores:?}");
        assert_eq!(scores[1..], [0.5, 0.1, 0.9], "alone, too far, and near enough as it is");
        assert_eq!(scored(&[drowned], &[0.4]), [0.4], "more sentences than there are texts");
    }
}
