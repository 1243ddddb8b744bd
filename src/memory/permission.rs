//! What somebody may do, and what somebody must: a permission is no duty.

use std::collections::BTreeSet;

use super::compare::either_way;
use super::denied::is_denial;
use super::lexer::Word;
use super::sense::{ends_clause, is_empty, stem};

/// By what it is told that something may be done.
pub(super) const MAY: &[&[&str]] = &[&["may"], &["can"], &["allowed", "to"], &["free", "to"], &["permitted", "to"]];
/// By what it is told that something must be done.
const MUST: &[&[&str]] = &[
    &["must"],
    &["shall"],
    &["have", "to"],
    &["has", "to"],
    &["need", "to"],
    &["needs", "to"],
    &["obliged", "to"],
    &["required", "to"],
];

/// With these a permission forbids everything else, as a duty may.
const LIMITS: &[&str] = &["alone", "but", "exclusively", "just", "only", "solely"];

/// Words around such a one in which it is denied or bounded.
const AROUND: usize = 2;

/// What a sentence says that may be done, and what must, by the stems of the verbs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Leave {
    may: BTreeSet<String>,
    must: BTreeSet<String>,
}

impl Leave {
    /// Takes a sentence in. What is denied or bounded is left out: "may not" and "must not" say the same.
    pub fn read(&mut self, words: &[Word]) {
        if words.iter().any(|word| LIMITS.contains(&&*word.text)) {
            return;
        }
        for at in 0..words.len() {
            let told = |list: &[&[&str]]| {
                let is = |phrase: &&&[&str]| {
                    let held = words.get(at..at + phrase.len()).unwrap_or_default();
                    held.len() == phrase.len() && held.iter().zip(phrase.iter()).all(|(word, part)| word.text == *part)
                };
                list.iter().find(is).map(|phrase| at + phrase.len())
            };
            let (may, must) = (told(MAY), told(MUST));
            let Some(end) = may.or(must) else { continue };
            let around = words.get(at.saturating_sub(AROUND)..words.len().min(end + AROUND)).unwrap_or_default();
            let denied = around.iter().any(|word| is_denial(&word.text) || word.text.ends_with("n't"));
            if denied || ends_clause(words.get(end - 1).map_or("", |word| word.after)) {
                continue;
            }
            let verb = words.get(end..).unwrap_or_default().iter().find(|word| !is_empty(&word.text));
            if let Some(verb) = verb.filter(|verb| verb.text.contains(char::is_alphabetic)) {
                if may.is_some() { &mut self.may } else { &mut self.must }.insert(stem(&verb.text));
            }
        }
    }

    /// Whether it makes a duty of what another only permits, or permits what that demands.
    pub fn is_against(&self, other: &Leave) -> bool {
        either_way(self, other, |one, other| {
            one.may
                .iter()
                .any(|verb| other.must.contains(verb) && !other.may.contains(verb) && !one.must.contains(verb))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::plain;
    use super::*;

    fn of(text: &str) -> Leave {
        let mut leave = Leave::default();
        leave.read(&words(&plain(text)));
        leave
    }

    #[test]
    fn a_permission_is_no_duty() {
        for (one, other) in [
            ("Users may delete the table.", "Users must delete the table."),
            ("You can skip the lint step.", "You have to skip the lint step."),
            ("The key may be rotated.", "The key is required to be rotated."),
            ("Admins are allowed to restart it.", "Admins must restart it."),
        ] {
            assert!(of(one).is_against(&of(other)) && of(other).is_against(&of(one)), "{one} / {other}");
        }
        for (one, other) in [
            ("Users may not delete the table.", "Users must not delete the table."),
            ("Users can't delete the table.", "Users must never delete the table."),
            ("You may only use port 80.", "You must use port 80."),
            ("Users may delete it, admins must delete it.", "Admins must delete it."),
            ("It can start now.", "The tests must pass before it can start."),
            ("You don't have to restart it.", "You can restart it."),
        ] {
            assert!(!of(one).is_against(&of(other)) && !of(other).is_against(&of(one)), "{one} / {other}");
        }
    }
}
