//! What a sentence names by a letter or by initials, and what bounds its figures and its "all": "zone a" is not "zone
//! b", "30 euros less" not "30 euros", and "all but one" not "all".

use std::collections::BTreeSet;

use super::compare::either_way;
use super::denied::is_all;
use super::figure::{figures_among, is_same};
use super::lexer::{Word, is_figure, text_at};
use super::sense::{ends_clause, stem};
use super::sides::rises_or_falls;
use super::words::is_silent;

/// What is told apart by letters, so that one behind it is a name also where it is small.
const LETTERED: &[&str] = &[
    "appendix", "block", "building", "category", "class", "column", "drive", "factor", "gate", "grade", "group",
    "hall", "host", "level", "line", "option", "part", "phase", "plan", "platform", "point", "rack", "region", "room",
    "row", "section", "server", "shard", "site", "step", "team", "tier", "track", "type", "unit", "variant", "version",
    "vitamin", "wing", "zone",
];

/// Initials that are words as well.
const INITIALS: &[&str] = &["IT", "US"];

/// Words by which a figure is told to be a difference.
const COMPARES: &[&str] = &[
    "bigger", "cheaper", "extra", "faster", "fewer", "higher", "larger", "less", "longer", "lower", "more", "shorter",
    "slower", "smaller",
];

/// Words that leave room for what is not named.
const LEAVES_ROOM: &[&str] = &["almost", "but", "most", "nearly", "not", "other", "others", "remaining", "rest"];

/// The names and bounds of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    /// Letters that are names, and all letters that stand by themselves.
    letters: BTreeSet<String>,
    alone: BTreeSet<String>,
    /// Words in capitals of a text that has others, in small letters.
    initials: BTreeSet<String>,
    /// Figures that are a difference to something, and all that are none.
    differences: Vec<String>,
    figures: Vec<String>,
    /// Whether it compares something.
    compares: bool,
    /// Whether it speaks of all there is.
    all: bool,
    /// Whether it says that something is left out of that, or leaves room for it; the stems of what.
    excepts: bool,
    excepted: BTreeSet<String>,
    stems: BTreeSet<String>,
}

impl Labels {
    /// Takes a sentence in: as it is written, and its words.
    pub fn read(&mut self, text: &str, words: &[Word]) {
        let written = || text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
        let is_great = |word: &&str| word.bytes().all(|byte| byte.is_ascii_uppercase());
        let great: BTreeSet<&str> = written().filter(is_great).collect();
        if written().filter(|word| word.contains(char::is_lowercase)).count() > great.len() {
            self.initials.extend(great.iter().filter(|word| word.len() > 1).map(|word| word.to_lowercase()));
        }
        for (at, word) in words.iter().enumerate() {
            if word.text.len() == 1 && word.text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                let letter = word.text.to_ascii_lowercase();
                // What stays a capital is a name.
                let is_great = word.text.bytes().all(|byte| byte.is_ascii_uppercase());
                if is_great || is_label(words, at, great.contains(&*word.text.to_uppercase())) {
                    self.letters.insert(letter.clone());
                }
                self.alone.insert(letter);
            }
            self.compares |= COMPARES.contains(&&*word.text)
                || matches!(&*word.text, "by" | "difference" | "discount" | "off" | "than")
                || ["cut", "gain", "improv", "sav", "speed"].iter().any(|start| word.text.starts_with(start))
                || rises_or_falls(&word.text);
            self.all |= is_all(&word.text);
            if matches!(&*word.text, "except" | "excepting" | "excluding") {
                let rest = words.iter().skip(at + 1).take(4).filter(|word| !is_silent(&word.text));
                self.excepted.extend(rest.map(|word| stem(&word.text)));
            }
            self.excepts |= LEAVES_ROOM.contains(&&*word.text) || word.text.ends_with("n't");
            self.stems.insert(stem(&word.text));
        }
        for figure in figures_among(words).into_iter().filter(|figure| figure.is_number) {
            let word = |at: usize| text_at(words, at);
            let is_difference = |at: usize| {
                let joined = (figure.place.1 - 1..at).all(|at| words.get(at).is_some_and(|word| word.after == " "));
                let ends = words.get(at).is_some_and(|word| word.after != " ") || is_silent(word(at + 1));
                joined && COMPARES.contains(&word(at)) && ends
            };
            let at = figure.place.1;
            let differs = is_difference(at) || (!is_silent(word(at)) && is_difference(at + 1));
            if differs { &mut self.differences } else { &mut self.figures }.push(figure.text);
        }
    }

    /// Whether either has another letter or other initials in the place of its own, tells as a figure what is a
    /// difference, or says of all what does not hold of some.
    pub fn differ(&self, other: &Labels) -> bool {
        let one_way = |one: &Labels, two: &Labels| {
            let replaced = one.letters.iter().any(|own| !two.has(own)) && two.letters.iter().any(|own| !one.has(own));
            let lacks = |word: &&str| {
                let word = word.to_lowercase();
                one.initials.contains(&word) && !two.initials.contains(&word)
            };
            let renamed = INITIALS.iter().any(lacks)
                && two.initials.iter().any(|word| !one.initials.contains(word) && !one.stems.contains(&stem(word)));
            let is_in = |figures: &[String], figure: &String| figures.iter().any(|one| is_same(one, figure));
            let bare = |figure: &String| is_in(&two.figures, figure) && !is_in(&two.differences, figure);
            let flattened = !two.compares && one.differences.iter().any(bare);
            let overdone = one.all && two.all && !one.excepted.is_empty() && two.excepted.is_empty() && !two.excepts;
            replaced || renamed || flattened || (overdone && one.excepted.is_disjoint(&two.stems))
        };
        either_way(self, other, one_way)
    }

    /// Whether all letters that it has as names stand in one of others.
    pub fn are_in<'a>(&self, others: impl Iterator<Item = &'a Labels> + Clone) -> bool {
        self.letters.iter().all(|letter| others.clone().any(|other| other.has(letter)))
    }

    /// Whether a letter stands in it: "a" is a name only where it can be nothing else.
    fn has(&self, letter: &str) -> bool {
        self.letters.contains(letter) || (letter != "a" && self.alone.contains(letter))
    }
}

/// Whether the letter at a place is a name: behind what has such names, at the end of a clause, or as a capital.
fn is_label(words: &[Word], at: usize, is_great: bool) -> bool {
    let Some((word, before)) = words.get(at).zip(at.checked_sub(1).and_then(|at| words.get(at))) else { return false };
    let next = words.get(at + 1).map(|next| &*next.text);
    let after = word.after;
    let stands = after.is_empty() || after.starts_with(char::is_whitespace) || ends_clause(after) || next.is_none();
    let last = next.is_none() || ends_clause(after) || after.contains(['.', ',', ':']);
    let lettered =
        LETTERED.contains(&&*before.text) || before.text.strip_suffix('s').is_some_and(|one| LETTERED.contains(&one));
    let is_name = match &*word.text {
        "i" => lettered && last,
        // An article stands before what it is of: "part of a more general", but "zone a in".
        "a" => last || (lettered && next.is_some_and(|next| is_silent(next) && !matches!(next, "more" | "some"))),
        _ => lettered || last || is_great,
    };
    before.after == " " && stands && is_name && !is_figure(&before.text)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::super::words::exact;
    use super::*;

    fn of(text: &str) -> Labels {
        let mut labels = Labels::default();
        let plain = exact(text);
        labels.read(text, &words(&plain));
        labels
    }

    #[test]
    fn letters_are_names_where_they_can_be_nothing_else() {
        let letters = |text: &str| of(text).letters.into_iter().collect::<String>();
        assert_eq!(letters("It runs in zone a of the site and on drive D:"), "ad");
        assert_eq!(letters("The grade is B, and the group was A."), "ab");
        assert_eq!(
            letters("A host is a part of a zone; I see n/a, e.g. 5 p.m. of a W3C file(s), as a for loop, a more"),
            ""
        );
        assert_eq!(letters("C'est un hôtel qui a le y et le o là"), "");
    }

    #[test]
    fn another_letter_bound_or_exception_differs() {
        for (one, other) in [
            ("The replica runs in zone a.", "The replica runs in zone b."),
            ("The office of the IT team is on floor 3.", "The office of the HR team is on floor 3."),
            ("It costs 30 euros less.", "It costs 30 euros."),
            ("All tests pass except test_x.", "All tests of mod_1 pass."),
        ] {
            assert!(of(one).differ(&of(other)) && of(other).differ(&of(one)), "{one} / {other}");
        }
        for (one, other) in [
            ("The replica of zone a runs.", "It runs in zone a as a replica."),
            ("Zones a and b are up.", "Zone b is up."),
            ("The IT team asked HR.", "HR was asked by IT."),
            ("It costs 30 euros less.", "The price fell by 30 euros."),
            ("Added 30 more tests.", "Added 30 tests."),
            ("All tests pass except test_x.", "All other tests pass."),
            ("All tests pass except test_x.", "All tests pass, test_x fails."),
        ] {
            assert!(!of(one).differ(&of(other)), "{one} / {other}");
        }
    }
}
