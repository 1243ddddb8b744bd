//! Whether two texts say the same of the same: what they deny, and in which order they name things. A bag of words
//! cannot tell "from 10 to 20" from "from 20 to 10", nor "sealed" from "not sealed".

use std::collections::{BTreeMap, BTreeSet};

use super::words::{is_figure, plain, sentences};

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

/// Words that begin a clause of their own; a list goes on after "and" and "or", unless one of [`SUBJECTS`] follows.
const JOINS: &[&str] = &["although", "because", "but", "however", "so", "though", "whereas", "while"];
const SUBJECTS: &[&str] = &[
    "a", "an", "he", "her", "his", "i", "it", "its", "my", "our", "she", "that", "the", "their", "there", "these",
    "they", "this", "those", "we", "you", "your",
];

/// Words that can go without a change of sense: articles, forms of to be and to have, what points at nothing.
const EMPTY: &[&str] = &[
    "a", "also", "am", "an", "and", "are", "as", "be", "been", "did", "do", "does", "had", "has", "have", "is", "it",
    "its", "just", "please", "s", "so", "that", "the", "then", "there", "this", "was", "were",
];

/// Letters by which words of one stem are told.
const STEM: usize = 4;

/// The words of a text in plain form, and what stands between each and the next.
fn words(plain: &str) -> impl Iterator<Item = (&str, &str)> {
    let part = |sign: char| sign.is_alphanumeric() || sign == '\'' || sign == '_';
    let mut rest = plain.trim_start_matches(move |sign| !part(sign));
    std::iter::from_fn(move || {
        let end = rest.find(|sign| !part(sign)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let next = after.find(part).unwrap_or(after.len());
        rest = &after[next..];
        (!word.is_empty()).then(|| (word, &after[..next]))
    })
}

fn denies(words: &[&str]) -> bool {
    let phrase = |phrase: &&str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    };
    words.iter().any(|word| word.ends_with("n't")) || DENIES.iter().any(phrase)
}

/// A text as its words are read here.
fn read(text: &str) -> String {
    plain(text).replace('\u{2019}', "'")
}

/// Whether a text denies something.
#[must_use]
pub fn has_negation(text: &str) -> bool {
    let plain = read(text);
    denies(&words(&plain).map(|(word, _)| word).collect::<Vec<_>>())
}

/// The clauses of a sentence in plain form.
fn clauses(plain: &str) -> Vec<Vec<&str>> {
    let (mut all, mut clause) = (Vec::new(), Vec::new());
    let list: Vec<(&str, &str)> = words(plain).collect();
    for (at, (word, after)) in list.iter().enumerate() {
        let next = list.get(at + 1).map_or("", |(word, _)| word);
        if JOINS.contains(word) || (matches!(*word, "and" | "or") && SUBJECTS.contains(&next)) {
            all.push(std::mem::take(&mut clause));
            continue;
        }
        clause.push(*word);
        let ends =
            |sign: char| matches!(sign, ',' | ';' | '(' | ')' | '\u{2014}' | '\u{2013}' | '!' | '?' | '\u{3002}');
        // A colon or a stop within a word or figure ends nothing.
        let stops = after.contains(ends) || after.starts_with(". ") || after.starts_with(": ");
        if stops {
            all.push(std::mem::take(&mut clause));
        }
    }
    all.push(clause);
    all.retain(|clause| !clause.is_empty());
    all
}

fn stem(word: &str) -> String {
    if is_figure(word) { word.to_owned() } else { word.chars().take(STEM).collect() }
}

/// What a text says and denies: per stem, whether a clause affirms it, and whether one denies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sense {
    said: BTreeMap<String, (bool, bool)>,
    /// Numbers, and identifiers, each in order.
    numbers: Vec<String>,
    names: Vec<String>,
}

impl Sense {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let mut sense = Sense::default();
        for (from, to) in sentences(text) {
            let plain = read(text.get(from..to).unwrap_or_default());
            for clause in clauses(&plain) {
                let denied = denies(&clause);
                for word in clause {
                    if is_figure(word) {
                        let number = word.bytes().all(|byte| byte.is_ascii_digit());
                        if number { &mut sense.numbers } else { &mut sense.names }.push(word.to_owned());
                    }
                    if !EMPTY.contains(&word) && !DENIES.contains(&word) {
                        let (yes, no) = sense.said.entry(stem(word)).or_default();
                        (*yes, *no) = (*yes || !denied, *no || denied);
                    }
                }
            }
        }
        sense
    }

    /// Whether all that both speak of is affirmed, or denied, by both.
    pub fn agrees(&self, other: &Sense) -> bool {
        let shared = self.said.iter().filter_map(|(word, own)| Some((own, other.said.get(word)?)));
        shared.into_iter().all(|(own, theirs)| (own.0 && theirs.0) || (own.1 && theirs.1))
    }

    /// Whether numbers that both hold stand in one order in both, and so identifiers.
    pub fn has_order_of(&self, other: &Sense) -> bool {
        let same = |one: &[String], other: &[String]| {
            let (mine, theirs): (BTreeSet<&String>, BTreeSet<&String>) = (one.iter().collect(), other.iter().collect());
            let one: Vec<&String> = one.iter().filter(|word| theirs.contains(word)).collect();
            let other: Vec<&String> = other.iter().filter(|word| mine.contains(word)).collect();
            goes_on_in(&one, &other) || goes_on_in(&other, &one)
        };
        same(&self.numbers, &other.numbers) && same(&self.names, &other.names)
    }

    /// Whether one may stand for the other, as far as denials and order tell.
    pub fn fits(&self, other: &Sense) -> bool {
        self.agrees(other) && self.has_order_of(other)
    }
}

/// Whether all of a list stands in another, in its order.
fn goes_on_in<T: PartialEq>(list: &[T], other: &[T]) -> bool {
    let mut rest = other.iter();
    list.iter().all(|word| rest.any(|other| other == word))
}

/// Whether a text says all that another says: its words, but for empty ones, in their order, and denies what it denies.
pub(super) fn says_all(text: &str, other: &str) -> bool {
    let (text_words, other_words) = (read(text), read(other));
    let said = |plain: &str| -> Vec<String> {
        let kept = words(plain).map(|(word, _)| word.trim_matches('\'')).filter(|word| !EMPTY.contains(word));
        kept.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    goes_on_in(&said(&other_words), &said(&text_words)) && Sense::of(text).agrees(&Sense::of(other))
}

/// Whether what stands at a place of a plain text is a whole word or phrase there: no letter, no digit and no further
/// digit of a number stands beside it.
pub(super) fn is_whole(text: &str, at: usize, length: usize) -> bool {
    let (before, found, after) = (&text[..at], &text[at..at + length], &text[at + length..]);
    let is_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    let is_digit = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_digit());
    let joins = |sign: Option<char>| matches!(sign, Some('.' | ','));
    let (first, last) = (found.chars().next(), found.chars().next_back());
    let (mut left, mut right) = (before.chars().rev(), after.chars());
    let (near_left, near_right) = (left.next(), right.next());
    let starts = !(is_word(first) && is_word(near_left));
    let ends = !(is_word(last) && is_word(near_right));
    let number_left = is_digit(first) && joins(near_left) && is_digit(left.next());
    let number_right = is_digit(last) && joins(near_right) && is_digit(right.next());
    starts && ends && !number_left && !number_right
}

/// Whether a plain text holds a phrase as whole words.
pub(super) fn holds_words(text: &str, phrase: &str) -> bool {
    !phrase.is_empty() && text.match_indices(phrase).any(|(at, found)| is_whole(text, at, found.len()))
}

/// The byte ranges of a text's statements: its sentences, of which lines that only go on are one.
pub(super) fn statements(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (from, to) in sentences(text) {
        let goes_on = found.last().is_some_and(|(_, end)| {
            let gap = text.get(*end..from).unwrap_or_default();
            let ended = text.get(..*end).is_some_and(|text| text.ends_with(['.', '!', '?', ':', ';']));
            let small = text.get(from..to).and_then(|text| text.chars().next()).is_some_and(char::is_lowercase);
            !ended && small && gap.matches('\n').count() == 1
        });
        match found.last_mut().filter(|_| goes_on) {
            Some(last) => last.1 = to,
            None => found.push((from, to)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_is_of_words_and_phrases() {
        for text in [
            "Do not use tabs",
            "it doesn’t work",
            "we no longer ship it",
            "Never!",
            "rust instead of go",
            "It requires no token.",
            "runs without root rights",
            "You can't.",
            "neither of them",
            "fails unless it is set",
        ] {
            assert!(has_negation(text), "{text}");
        }
        for text in ["a note on knots", "notable", "use tabs", "November"] {
            assert!(!has_negation(text), "{text}");
        }
    }

    #[test]
    fn what_one_denies_and_the_other_affirms_does_not_agree() {
        let agree = |one: &str, other: &str| Sense::of(one).agrees(&Sense::of(other));
        assert!(!agree("The vault is not sealed on alpha7.", "The vault is sealed on alpha7, and the port is not 80."));
        assert!(!agree("Never delete table users_v2.", "Delete table users_v2."));
        assert!(!agree("It requires no token.", "It requires a token."));
        assert!(agree("It requires no token.", "No token is required."));
        assert!(agree("The port is 80.", "The port is 80 and the vault is not sealed."));
        assert!(agree("Table users_v2 must never be deleted.", "Never delete table users_v2!"));
    }

    #[test]
    fn order_tells_who_did_what_to_whom() {
        let fits = |one: &str, other: &str| Sense::of(one).fits(&Sense::of(other));
        assert!(!fits("It went from 10 to 20.", "It went from 20 to 10."));
        assert!(!fits("Moved host_a to host_b.", "Moved host_b to host_a."));
        assert!(fits("host_7 listens on 8443.", "Port 8443 is host_7's."));
        assert!(says_all("The limit went from 10 to 20 today.", "the limit went from 10 to 20"));
        for (one, other) in [
            ("Alice reports to Bob", "Bob reports to Alice"),
            ("the limit went from 10 to 20", "the limit went from 20 to 10"),
            ("moved from A1 to B1", "moved to A1 from B1"),
            ("my name is Kim", "your name is Kim"),
            ("it needs a token", "it needs no token"),
            ("it needs no token", "it needs a token"),
        ] {
            assert!(!says_all(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn phrases_are_whole_words_and_whole_numbers() {
        assert!(holds_words("the port is 80.", "port is 80") && holds_words("(port is 80)", "port is 80"));
        for text in ["port is 8080", "port is 80.5", "port is 80_a", "report is 80"] {
            assert!(!holds_words(text, "port is 80"), "{text}");
        }
        assert!(!holds_words("at 3.10", "10") && !holds_words("x", ""));
    }

    #[test]
    fn lines_that_go_on_are_one_statement() {
        let of =
            |text: &'static str| statements(text).into_iter().map(|(from, to)| &text[from..to]).collect::<Vec<_>>();
        assert_eq!(of("Never\ndelete it.\nThen go\n- one\nTwo"), ["Never\ndelete it.", "Then go", "- one", "Two"]);
    }
}
