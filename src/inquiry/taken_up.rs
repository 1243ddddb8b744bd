//! What a person states and the model takes up later: a word of it that nobody had said before.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

/// Letters that a word has at least.
const LETTERS: usize = 5;
/// Words that say nothing by themselves, however seldom they are said.
const STOP_WORDS: &[&str] = &[
    "about",
    "actually",
    "after",
    "again",
    "already",
    "another",
    "because",
    "before",
    "being",
    "could",
    "doesn",
    "during",
    "either",
    "every",
    "everything",
    "first",
    "going",
    "having",
    "instead",
    "isn",
    "later",
    "looks",
    "maybe",
    "might",
    "never",
    "other",
    "perhaps",
    "please",
    "really",
    "right",
    "seems",
    "should",
    "since",
    "something",
    "still",
    "their",
    "there",
    "these",
    "thing",
    "things",
    "think",
    "those",
    "under",
    "wasn",
    "where",
    "whether",
    "which",
    "while",
    "would",
    "wrong",
];

/// Further ones, in sentences that tell what somebody decided to do.
const NAME_NOTHING: &[&str] = &[
    "also", "been", "chose", "chosen", "decided", "does", "done", "each", "from", "have", "here", "into", "just",
    "keep", "like", "make", "more", "most", "much", "next", "once", "only", "opted", "over", "quick", "quickly",
    "short", "some", "soon", "take", "than", "that", "them", "then", "they", "this", "very", "want", "well", "what",
    "when", "will", "with", "work", "your",
];

/// A text that a person or the model wrote.
#[derive(Clone, Copy)]
pub(super) struct Spoken {
    /// Its place among the pieces of the history.
    pub piece: usize,
    /// The first step that held it.
    pub born: u32,
    /// Whether the model wrote it.
    pub by_model: bool,
    /// Whether it is a call: what is done and not only said.
    pub does: bool,
}

/// A sentence that a person states.
pub(super) struct Stated<'a> {
    /// The piece that it stands in.
    pub piece: usize,
    /// From which step on the model takes it up from farther off than the next answers.
    pub from: u32,
    /// The sentence.
    pub text: &'a str,
}

/// Of each of some sentences whether a text that the model wrote later has a word of it that no earlier text had, where not
/// more than so many have.
pub(super) fn taken_up(
    stated: &[Stated],
    spoken: &[Spoken],
    text: impl Fn(usize) -> Option<String> + Sync,
    most: usize,
) -> Vec<bool> {
    let own: Vec<HashSet<String>> = stated.iter().map(|one| words(one.text).collect()).collect();
    let wanted: HashSet<&str> = own.iter().flatten().map(String::as_str).collect();
    if wanted.is_empty() {
        return vec![false; stated.len()];
    }
    let in_text = |one: &Spoken| -> HashSet<&str> {
        let text = text(one.piece).unwrap_or_default();
        words(&text).filter_map(|word| wanted.get(word.as_str()).copied()).collect()
    };
    let held: Vec<HashSet<&str>> = spoken.par_iter().map(in_text).collect();
    let said = said(spoken, &held);
    let is_taken = |(stated, own): (&Stated, &HashSet<String>)| {
        let mut said = own.iter().filter_map(|word| said.get(word.as_str()));
        said.any(|said| said.first >= stated.piece && (1..=most).contains(&said.after(stated.from)))
    };
    stated.iter().zip(&own).map(is_taken).collect()
}

/// Of each of some sentences that tell what somebody decided to do whether that is about the work: something of it was
/// spoken of before, is done something with, or comes up again from farther off than the next answers.
pub(super) fn about_the_work(
    chosen: &[Stated],
    spoken: &[Spoken],
    text: impl Fn(usize) -> Option<String> + Sync,
) -> Vec<bool> {
    let own: Vec<HashSet<String>> = chosen.iter().map(|one| naming(one.text).collect()).collect();
    if own.iter().all(HashSet::is_empty) {
        return vec![false; chosen.len()];
    }
    let is_said = |one: &Spoken| -> Vec<usize> {
        let text = text(one.piece).unwrap_or_default();
        let mut times: HashMap<String, usize> = HashMap::new();
        naming(&text).for_each(|word| *times.entry(word).or_default() += 1);
        let says = |stated: &Stated, own: &HashSet<String>| {
            // In its own text it stands once anyway.
            let least = if one.piece == stated.piece { 2 } else { 1 };
            let elsewhere = one.piece <= stated.piece || one.does || one.born > stated.from;
            elsewhere && own.iter().any(|word| times.get(word).is_some_and(|times| *times >= least))
        };
        let all = chosen.iter().zip(&own).enumerate();
        all.filter(|(_, (stated, own))| says(stated, own)).map(|(at, _)| at).collect()
    };
    let said: HashSet<usize> = spoken.par_iter().flat_map_iter(is_said).collect();
    (0..chosen.len()).map(|at| said.contains(&at)).collect()
}

/// The words of a text that may name a thing.
fn naming(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|sign: char| !sign.is_alphanumeric()).filter(|part| part.chars().count() > 3);
    let says =
        |word: &String| !NAME_NOTHING.contains(&word.as_str()) && STOP_WORDS.binary_search(&word.as_str()).is_err();
    parts.map(str::to_lowercase).filter(says)
}

/// Where a word is said.
struct Said {
    /// The first piece that has it.
    first: usize,
    /// The first steps that held the texts of the model that have it, in order.
    births: Vec<u32>,
}

impl Said {
    /// Texts of the model that have it and came in after a step.
    fn after(&self, step: u32) -> usize {
        self.births.len() - self.births.partition_point(|born| *born <= step)
    }
}

/// Where each word is said, by the words that each text has.
fn said<'w>(spoken: &[Spoken], held: &[HashSet<&'w str>]) -> HashMap<&'w str, Said> {
    let mut all: HashMap<&str, Said> = HashMap::new();
    for (one, words) in spoken.iter().zip(held) {
        for word in words.iter().copied() {
            let said = all.entry(word).or_insert_with(|| Said { first: one.piece, births: Vec::new() });
            said.first = said.first.min(one.piece);
            said.births.extend(one.by_model.then_some(one.born));
        }
    }
    all.values_mut().for_each(|said| said.births.sort_unstable());
    all
}

/// The words of a text that say something by themselves.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|sign: char| !sign.is_alphanumeric()).filter(|part| part.chars().count() >= LETTERS);
    parts.map(str::to_lowercase).filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_word_that_the_model_says_later_is_taken_up() {
        let texts = ["my user is khaong", "noted", "the pane is loading", "again", "assigned to khaong", "loading"];
        let spoken = |piece: usize| Spoken {
            piece,
            born: piece as u32 + 1,
            by_model: piece % 2 == 1 || piece == 4,
            does: false,
        };
        let all: Vec<Spoken> = (0..texts.len()).map(spoken).collect();
        let of = |piece: usize, from: u32| Stated { piece, from, text: texts[piece] };
        let found = |stated: &[Stated], most| {
            taken_up(stated, &all, |piece| texts.get(piece).map(|text| (*text).to_owned()), most)
        };
        assert_eq!(found(&[of(0, 4), of(2, 6), of(1, 4)], 9), [true, false, false]);
        assert_eq!(found(&[of(0, 4)], 0), [false]);
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn what_was_decided_is_about_the_work_where_something_of_it_is_spoken_of_elsewhere() {
        let texts = [
            "Build the sync service with a queue.",
            "I decided to get a coffee first. We decided to shard the queue. We decided to patch zlib.",
            "Enjoy your coffee!",
            "edit src/zlib.c",
        ];
        let spoken =
            |piece: usize| Spoken { piece, born: piece as u32 + 1, by_model: piece % 2 == 1, does: piece == 3 };
        let all: Vec<Spoken> = (0..texts.len()).map(spoken).collect();
        let of = |text: &'static str| Stated { piece: 1, from: 5, text };
        let chosen = [
            of("I decided to get a coffee first"),
            of("We decided to shard the queue"),
            of("We decided to patch zlib"),
            of("We decided to do so"),
        ];
        let found = about_the_work(&chosen, &all, |piece| texts.get(piece).map(|text| (*text).to_owned()));
        assert_eq!(found, [false, true, true, false]);
    }
}
