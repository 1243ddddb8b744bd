//! Whom "only" leaves alone: "only admins delete projects" is not "admins only delete projects".

use std::collections::BTreeSet;

use super::lexer::Word;
use super::sense::stem;
use super::words::is_silent;

const ONLY: &[&str] = &["only", "solely"];

/// What sentences begin with, by stems.
#[derive(Clone, Debug, Default)]
pub(super) struct Alone {
    /// Where it is said of nobody else.
    alone: BTreeSet<String>,
    /// Where nothing else is said of it.
    bounded: BTreeSet<String>,
}

impl Alone {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let is_only = |word: &Word| ONLY.contains(&&*word.text);
        let names =
            |word: &&Word| word.text.contains(char::is_alphanumeric) && !is_silent(&word.text) && !is_only(word);
        // What begins with a deed says nothing of who did it: "only used here" is "used only here".
        let is_deed = |word: &&Word| ["ed", "ing"].iter().any(|end| word.text.ends_with(end));
        let first = words.iter().find(names).filter(|word| !is_deed(word));
        let Some(first) = first.map(|word| stem(&word.text)) else { return };
        match words.iter().position(is_only) {
            Some(0) => _ = self.alone.insert(first),
            Some(_) => _ = self.bounded.insert(first),
            None => {}
        }
    }

    /// Whether one says of nobody else what the other says as all there is of it.
    pub fn is_against(&self, other: &Alone) -> bool {
        let differ = |one: &Alone, other: &Alone| {
            one.alone.iter().any(|first| {
                other.bounded.contains(first) && !other.alone.contains(first) && !one.bounded.contains(first)
            })
        };
        differ(self, other) || differ(other, self)
    }
}
