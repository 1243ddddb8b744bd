//! Memories that say the like of a sentence: the replay has them, no file of the session does.

use std::collections::HashMap;

use super::by_meaning::{ByVectors, PORTION, THRESHOLD, embedded, said};
use super::fact::{Fact, Query};
use super::find::Found;
use super::meaning::{Corpus, LEXICAL_THRESHOLD, Meaning, NEAREST, Tally, enough, passages, tally};
use super::paraphrase::nearest;
use super::question::stated;
use super::script::is_foreign;
use super::stay::Like;
use super::unlike::Judge;
use super::unpacked::Remembering;
use crate::chunk::dot;
use crate::content::Watch;
use crate::memory::MemoryId;

/// Memories that are taken at most, the nearest first.
const MOST: usize = 64;

/// A passage of a memory.
#[derive(Clone, Copy)]
struct Passage<'a> {
    id: MemoryId,
    text: &'a str,
    score: f32,
}

impl Remembering {
    /// Adds to what was found of a fact by meaning the memories that say the like, and their words, so that they are
    /// found where they were packed. Nothing for other facts.
    pub fn liken(&self, fact: &Fact, found: &mut Found, vectors: Option<ByVectors>, watch: &Watch) {
        let Query::Meaning(meaning) = &fact.query else { return };
        let texts: Vec<(MemoryId, &str)> = self.seen().map(|(id, memory)| (id, &*memory.text)).collect();
        let least = found.ranked.map_or(0.0, |(_, threshold)| threshold);
        for (id, like) in likest(meaning, &texts, vectors, watch) {
            if like.score < least || found.remembered.len() >= MOST {
                break;
            }
            let words = like.sentence.trim_matches(|sign: char| !sign.is_alphanumeric());
            if enough(words) && !found.words.iter().any(|known| known == words) {
                found.words.push(words.to_owned());
            }
            found.remembered.push((id, like));
        }
    }
}

/// The sentence of each text that is most like another, the nearest first; nothing of those that are too far, or ask.
fn likest(
    meaning: &Meaning,
    texts: &[(MemoryId, &str)],
    vectors: Option<ByVectors>,
    watch: &Watch,
) -> Vec<(MemoryId, Like)> {
    let (mut ranked, corpus) = ranked(meaning, texts);
    let vectors = vectors.filter(|_| !is_foreign(&meaning.sentence));
    let sentence = vectors.and_then(|vectors| {
        embedded(vectors, std::slice::from_ref(&meaning.sentence), watch).and_then(|mut found| found.pop())
    });
    let near = match vectors.zip(sentence) {
        Some((vectors, sentence)) => {
            ranked.truncate(vectors.most.max(NEAREST));
            ranked.retain(|passage| !is_foreign(passage.text));
            by_vectors(ranked, vectors, &sentence, watch)
        }
        None => by_words(ranked, meaning, &corpus),
    };
    let judge = Judge::of(meaning);
    let mut best: HashMap<MemoryId, Passage> = HashMap::new();
    for passage in near.into_iter().filter(|passage| judge.lack(passage.text).is_none()) {
        let known = best.entry(passage.id).or_insert(passage);
        if known.score < passage.score {
            *known = passage;
        }
    }
    let mut best: Vec<Passage> = best.into_values().collect();
    best.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
    let like = |passage: Passage| {
        let sentence = nearest(meaning, passage.text).trim().to_owned();
        (passage.id, Like { sentence, score: passage.score, by_meaning: true, without: false })
    };
    best.into_iter().map(like).collect()
}

/// The passages of some texts, the nearest by words first.
fn ranked<'a>(meaning: &Meaning, texts: &[(MemoryId, &'a str)]) -> (Vec<Passage<'a>>, Corpus) {
    let numbers = meaning.numbers();
    let mut corpus = Corpus::of(meaning);
    let mut all: Vec<(Passage, Option<Tally>)> = Vec::new();
    for (id, text) in texts {
        for words in passages(text).into_iter().filter_map(|(from, to)| text.get(from..to)) {
            let (length, told) = tally(&numbers, words);
            corpus.take(1, length.into(), &told);
            all.push((Passage { id: *id, text: words, score: 0.0 }, told));
        }
    }
    let scored = |(passage, told): (Passage<'a>, Option<Tally>)| Passage {
        score: told.map_or(0.0, |told| corpus.score(&told)),
        ..passage
    };
    let mut all: Vec<Passage> = all.into_iter().map(scored).collect();
    // Stable: equals stay in the order of the memories.
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    (all, corpus)
}

/// Those that share enough words, in what they say beside questions.
fn by_words<'a>(ranked: Vec<Passage<'a>>, meaning: &Meaning, corpus: &Corpus) -> Vec<Passage<'a>> {
    let numbers = meaning.numbers();
    let score = |rest: &str| tally(&numbers, rest).1.map_or(0.0, |rest| corpus.score(&rest));
    let says = |passage: Passage<'a>| match stated(passage.text) {
        Some(rest) => Passage { score: score(&rest), ..passage },
        None => passage,
    };
    let is_near = |passage: &Passage| passage.score >= LEXICAL_THRESHOLD;
    let near = ranked.into_iter().take(NEAREST).filter(is_near);
    near.map(says).filter(is_near).collect()
}

/// Those whose vectors are near enough, and what they say beside questions.
fn by_vectors<'a>(ranked: Vec<Passage<'a>>, vectors: ByVectors, sentence: &[f32], watch: &Watch) -> Vec<Passage<'a>> {
    let mut near = Vec::new();
    for part in ranked.chunks(PORTION) {
        if watch.is_cancelled() {
            break;
        }
        let texts: Vec<String> = part.iter().map(|passage| passage.text.to_owned()).collect();
        let Some(found) = embedded(vectors, &texts, watch) else { break };
        let scored =
            part.iter().zip(found).map(|(passage, vector)| Passage { score: dot(&vector, sentence), ..*passage });
        let says = |passage: Passage<'a>| match stated(passage.text) {
            Some(rest) => Passage { score: said(vectors, &rest, sentence, watch), ..passage },
            None => passage,
        };
        let is_near = |passage: &Passage| passage.score >= THRESHOLD;
        near.extend(scored.filter(is_near).map(says).filter(is_near));
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_that_say_the_like_are_told_with_their_sentence_and_not_those_that_ask() {
        let meaning = Meaning::of("the staging gateway only accepts keys with a prefix").unwrap();
        let texts = [
            (MemoryId(0), "Lunch is at noon."),
            (
                MemoryId(1),
                "Noted: all went well that day. Staging accepts only keys that begin with the gateway prefix.",
            ),
            (MemoryId(2), "Does the staging gateway only accept keys with a prefix?"),
        ];
        let found = likest(&meaning, &texts, None, &Watch::default());
        assert_eq!(found.len(), 1, "{found:?}");
        let (id, like) = &found[0];
        assert_eq!(*id, MemoryId(1));
        assert_eq!(like.sentence, "Staging accepts only keys that begin with the gateway prefix.");
        assert!(like.score >= LEXICAL_THRESHOLD && like.score < 1.0 && like.by_meaning);
    }
}
