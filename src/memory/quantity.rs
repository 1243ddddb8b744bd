//! Of how many of several a sentence speaks without a number: what holds of some is not what holds of all.

use super::compare::each_is;
use super::lexer::{Word, is_number, text_at, text_before};
use super::sense::{ends_clause, is_empty, stem};
use super::words::is_silent;

/// Words by which all are meant, and those by which it is one after the other.
const ALL: &[&str] = &["all", "any", "both", "whole"];
const EACH: &[&str] = &["each", "every"];
/// Words by which some are meant.
const SOME: &[&str] = &["few", "many", "several", "some"];
/// Words that leave a rest of all.
const ALMOST: &[&str] = &["almost", "mostly", "nearly"];
/// Words that may stand between one of these and what it is said of.
const BETWEEN: &[&str] =
    &["her", "his", "its", "my", "of", "our", "other", "the", "their", "them", "these", "those", "your"];
/// Words behind one of these among which that is looked for.
const BEHIND: usize = 3;

/// How many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Many {
    None,
    Some,
    Most,
    All,
}

/// How many of what.
#[derive(Clone, Debug)]
struct Quantity {
    many: Many,
    /// Whether it says that there is a rest: "not all", "only some".
    rest: bool,
    /// Stems of what it may be said of.
    of: Vec<String>,
    /// The stem of the word behind that, where it says something.
    says: Option<String>,
}

/// How many of what a sentence speaks.
#[derive(Clone, Debug, Default)]
pub(super) struct Quantities(Vec<Quantity>);

impl Quantities {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let text = |at: usize| text_at(words, at);
        for at in 0..words.len() {
            let before = text_before(words, at, 1);
            let word = text(at);
            // "at most 3", "the most recent one", "after all", "any" that is one of them.
            let (many, rest) = match word {
                "all" | "each" | "every" if ALMOST.contains(&before) => (Many::Most, true),
                "all" | "each" | "every" if before == "not" => (Many::Some, true),
                "all" if matches!(before, "after" | "at" | "in" | "above" | "no") => continue,
                "all" | "each" | "every" => (Many::All, false),
                "most" if matches!(before, "at" | "the") => continue,
                "most" => (Many::Most, before == "only"),
                "none" if text(at + 1) == "of" => (Many::None, false),
                "no" if is_plural(text(at + 1)) => (Many::None, false),
                "many" if matches!(before, "as" | "how" | "so" | "too") => continue,
                // "only 2 of the checks"
                _ if is_number(word) && before == "only" && text(at + 1) == "of" => (Many::Some, true),
                _ if SOME.contains(&word) => (Many::Some, before == "only"),
                _ => continue,
            };
            let of = named(words, at, EACH.contains(&word));
            if !of.is_empty() && (word != "most" || is_many(words, at)) {
                let says = said_of(words, at, &of);
                self.0.push(Quantity { many, rest, of, says });
            }
        }
    }

    /// Whether it says of more of the same what another says, or that there is a rest where that leaves none.
    pub fn differ(&self, other: &Quantities) -> bool {
        self.0.iter().any(|own| {
            let is_of = |one: &&Quantity| one.of.iter().any(|stem| own.of.contains(stem));
            // That none failed says that all passed.
            let is_other = |one: &&Quantity| match one.many {
                Many::None if own.many == Many::None => false,
                Many::None => own.many == Many::Some || (own.says.is_some() && own.says == one.says),
                many => own.many > many || (own.rest && many == Many::All),
            };
            each_is(other.0.iter().filter(is_of), is_other)
        })
    }
}

/// Whether a word tells of how many something is said.
pub(super) fn is_quantity(word: &str) -> bool {
    [ALL, EACH, SOME, ALMOST].iter().any(|list| list.contains(&word)) || matches!(word, "most" | "no" | "none")
}

/// Whether what follows "most" is several of something, and not how something is: "most recent".
fn is_many(words: &[Word], at: usize) -> bool {
    let next = text_at(words, at + 1);
    next == "of" || is_plural(next) || words.get(at + 2).is_some_and(|word| is_plural(&word.text))
}

fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}

/// The stem of what is said of some things that are told of behind a place.
fn said_of(words: &[Word], at: usize, of: &[String]) -> Option<String> {
    let last = of.last()?;
    let named = (at + 1..words.len()).find(|at| stem(text_at(words, *at)) == *last)?;
    let mut behind = words.get(named + 1..)?.iter().take(BEHIND);
    behind.find(|word| !is_silent(&word.text) && !is_empty(&word.text)).map(|word| stem(&word.text))
}

/// The stems of what a word is said of: up to the first that is several, or the next two behind "every".
fn named(words: &[Word], at: usize, each: bool) -> Vec<String> {
    let mut found = Vec::new();
    for next in at + 1..words.len() {
        let Some(word) = words.get(next) else { break };
        let ended = words.get(next - 1).is_some_and(|before| ends_clause(before.after));
        if ended || ALL.contains(&&*word.text) {
            break;
        }
        if found.is_empty() && (BETWEEN.contains(&&*word.text) || is_number(&word.text)) {
            continue;
        }
        if is_silent(&word.text) || is_empty(&word.text) {
            break;
        }
        let ends = if each { found.len() + 2 > BEHIND - 1 } else { is_plural(&word.text) };
        found.push(stem(&word.text));
        if ends || found.len() >= BEHIND {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::plain;
    use super::*;

    fn of(text: &str) -> Quantities {
        let mut all = Quantities::default();
        all.read(&words(&plain(text)));
        all
    }

    #[test]
    fn what_holds_of_some_is_not_what_holds_of_all() {
        for (told, source) in [
            ("All tests pass.", "Some tests pass."),
            ("All tests pass.", "Most of the tests pass."),
            ("All tests pass.", "Almost all tests pass."),
            ("All tests pass.", "Not all tests pass."),
            ("Every user has a token.", "Most users have a token."),
            ("Most users have a token.", "A few users have a token."),
            ("Only some tests pass.", "All tests pass."),
            ("Some tests fail.", "No tests fail."),
            ("All tests failed.", "No tests failed."),
            ("All checks passed.", "Only 2 of the checks passed."),
            ("All users report it.", "Many users report it."),
            ("Some of the tests failed.", "None of the tests failed."),
        ] {
            assert!(of(told).differ(&of(source)), "{told} / {source}");
        }
        for (told, source) in [
            ("Some tests pass.", "All tests pass."),
            ("Every test passes.", "All the 12 tests pass."),
            ("All tests pass.", "None of the tests failed."),
            ("The tests pass.", "Some tests pass."),
            ("All tests pass.", "Some files were changed."),
            ("All tests pass.", "The most recent tests pass at all."),
            ("All tests pass.", "All tests pass, some files are left."),
        ] {
            assert!(!of(told).differ(&of(source)), "{told} / {source}");
        }
    }
}
