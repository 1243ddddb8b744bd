//! Names of code among the words of a sentence: as they are written, between marks of code, or joined by hyphens where
//! it is told that a name follows.

use std::collections::BTreeSet;

use super::figure::{Figure, figures_among};
use super::lexer::{Word, is_figure};
use super::numeral::counted;
use super::words::{exact, is_silent};

/// Words of what has a name: "the flag new-checkout", "package left-pad".
const NAMED: &[&str] = &[
    "artifact",
    "bucket",
    "branch",
    "cluster",
    "command",
    "container",
    "crate",
    "dependency",
    "experiment",
    "feature",
    "flag",
    "gem",
    "job",
    "library",
    "module",
    "namespace",
    "package",
    "plugin",
    "pod",
    "queue",
    "repo",
    "repository",
    "secret",
    "service",
    "skill",
    "toggle",
    "topic",
    "workflow",
];

/// The words of a plain sentence that name things of code, which are told as they are written or not at all.
pub(super) fn names_of<'a>(plain: &str, words: &'a [Word<'a>]) -> impl Iterator<Item = &'a Word<'a>> {
    let mut named: Vec<bool> = words.iter().map(|word| word.is_name).collect();
    let (mut open, mut first) = (plain.starts_with('`'), 0);
    for (at, word) in words.iter().enumerate() {
        if word.after.contains('`') {
            // A word of one letter, or a figure, is told apart without.
            let inside = words.get(first..=at).filter(|_| open).unwrap_or_default();
            // A path is a figure.
            let blank = inside.iter().rev().skip(1).any(|word| word.after != "-");
            if !inside.is_empty() && !blank && inside.iter().all(|word| !is_figure(&word.text)) {
                named[first..=at].fill(true);
            }
            open ^= word.after.matches('`').count() % 2 == 1;
            first = at + 1;
        }
    }
    for (from, to) in hyphened(words) {
        named[from..to].fill(true);
    }
    words
        .iter()
        .zip(named)
        .filter(|(word, named)| *named && word.text.len() > 1 && !is_silent(&word.text))
        .map(|(word, _)| word)
}

/// The names of words joined by hyphens: of three or more that all say something ("new-checkout-flow", not
/// "up-to-date"), or of two behind what has a name ("the flag dark-mode", but not "read-only").
fn hyphened(words: &[Word]) -> Vec<(usize, usize)> {
    let (mut found, mut from) = (Vec::new(), 0);
    while from < words.len() {
        let rest = words.get(from..).unwrap_or_default();
        let to = (from + 1 + rest.iter().take_while(|word| word.after == "-").count()).min(words.len());
        let parts = words.get(from..to).unwrap_or_default();
        let says =
            |word: &Word| word.text.chars().all(char::is_alphabetic) && word.text.is_ascii() && !is_silent(&word.text);
        let is_told = || {
            let before = from.checked_sub(1).and_then(|at| words.get(at));
            before.is_some_and(|word| NAMED.contains(&&*word.text) && matches!(word.after, " " | ": "))
        };
        if (parts.len() > 2 || (parts.len() == 2 && is_told())) && parts.iter().all(says) {
            found.push((from, to));
        }
        from = to;
    }
    found
}

/// Whether a text has with a number what the other has without: "python3" where that has "python". Both by their words.
pub(super) fn is_numbered(own: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    own.iter().filter(|name| is_figure(name) && !other.contains(*name)).any(|name| {
        let plain = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
        plain.len() > 2 && plain.len() < name.len() && other.contains(plain) && !own.contains(plain)
    })
}

/// Whether a text holds a figure, also one in words, or a name of code as it is written without marks.
pub(super) fn has_figure(text: &str) -> bool {
    let plain = exact(text);
    let words = counted(&plain);
    // "one" is as often no number, and "a day" no figure.
    let tells = |figure: &Figure| match words.get(figure.place.0) {
        Some(word) if figure.is_number && figure.counts && !is_figure(&word.text) => !figure.text.starts_with("1 "),
        Some(word) if word.in_words => !matches!(&*figure.text, "0" | "1"),
        _ => true,
    };
    words.iter().any(|word| word.is_name) || !hyphened(&words).is_empty() || figures_among(&words).iter().any(tells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_by_how_they_are_written_or_where_they_stand() {
        let of = |text: &str| {
            let plain = exact(text);
            let words = counted(&plain);
            names_of(&plain, &words).map(|word| word.text.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("Turn on the flag dark-mode."), "dark mode");
        assert_eq!(of("Set new-checkout-flow for package left-pad"), "new checkout flow left pad");
        assert_eq!(of("The `retry-budget` of getUserById"), "retry budget getuserbyid");
        assert_eq!(of("An up-to-date, read-only flag of a well-known step-by-step package."), "");
        assert!(has_figure("Turn on the flag dark-mode.") && !has_figure("It is well-known."));
        assert!(has_figure("It must answer within two seconds.") && !has_figure("It is the one thing of one kind."));
    }
}
