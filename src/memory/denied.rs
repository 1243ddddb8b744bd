//! What a clause denies, and of which of its words: what stands behind the word that denies.

use super::sense::is_empty;

/// Words that deny: db0's list, as whole words, and those that English denies with beside them ("requires no token",
/// "without root rights"), which db0 misses.
const DENIES: &[&str] = &[
    "not",
    "never",
    "unlike",
    "cannot",
    "no longer",
    "instead of",
    "changed from",
    "no",
    "none",
    "nobody",
    "nothing",
    "nowhere",
    "neither",
    "nor",
    "without",
    "unless",
];

/// Those of them that deny only the old value, not their clause.
const OF_OLD: &[&str] = &["instead of", "changed from"];

/// Whether a word begins what denies: a word of [`DENIES`], the first of a phrase there, or "isn't".
pub(super) fn denies_at(words: &[&str], at: usize) -> bool {
    let word = words.get(at).copied().unwrap_or_default();
    let begins = |phrase: &&str| phrase.split(' ').enumerate().all(|(nth, word)| words.get(at + nth) == Some(&word));
    // "not only" denies nothing.
    let only = matches!(words.get(at + 1), Some(&("only" | "just")));
    !only && (word.ends_with("n't") || DENIES.iter().any(begins))
}

/// What a clause denies of its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    Nothing,
    /// What stands from a word on: of what stands before, only that is denied ("the lock does not hold").
    From(usize),
    All,
    /// It says of something that something left out is not so: "Claude does not".
    Open,
}

impl Denied {
    /// Of the words of a clause; those that `counts` leaves out deny nothing.
    pub fn of(words: &[&str], counts: impl Fn(usize) -> bool) -> Denied {
        let of_old = |at: usize| OF_OLD.iter().any(|phrase| phrase.split(' ').next() == words.get(at).copied());
        let denies = |at: &usize| counts(*at) && !of_old(*at) && denies_at(words, *at);
        let Some(from) = (0..words.len()).find(denies) else { return Denied::Nothing };
        let says = |word: &&str| !is_empty(word) && word.contains(char::is_alphanumeric);
        let mut rest = words.get(from + 1..).unwrap_or_default().iter();
        match words.get(from) {
            _ if rest.any(says) => Denied::From(from),
            Some(word) if matches!(*word, "not" | "cannot") || word.ends_with("n't") => Denied::Open,
            _ => Denied::All,
        }
    }

    /// Whether a word of the clause may be affirmed, and whether it may be denied.
    pub fn at(self, at: usize) -> (bool, bool) {
        match self {
            Denied::Nothing => (true, false),
            Denied::From(from) => (at < from, true),
            Denied::All => (false, true),
            Denied::Open => (true, true),
        }
    }
}

/// Whether a word is one that denies.
pub(super) fn is_denial(word: &str) -> bool {
    DENIES.contains(&word)
}
