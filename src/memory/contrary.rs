//! Whether one text denies what another says: not whether one of them denies anything at all.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use super::denied::is_denial;
use super::lexer::{is_figure, text_at, text_before, words};
use super::sense::{Sense, not_done};
use super::sides::states_of;
use super::words::{is_silent, plain, stem_of};
use super::{has_negation, sentences};

/// Share of the words of two sentences beyond which they are about the same.
const SHARED: f64 = 0.5;
/// Sentences of a text that are held against those of another.
const SENTENCES: usize = 64;
/// What makes a word its contrary: "safe" and "unsafe"; and the letters that its stem has at least.
pub(super) const PREFIXES: &[(&str, usize)] =
    &[("dis", 5), ("il", 5), ("im", 5), ("in", 5), ("ir", 5), ("non", 4), ("un", 3)];

/// Words by which something ends, before what ends by them: "we dropped support for it".
const ENDS: &[&str] = &["discontinued", "drop", "dropped", "drops", "end", "ended", "ends", "removed", "withdrew"];
const SUPPORT: &str = "support";
/// Bytes of a text in which one word makes the difference.
const SHORT: usize = 240;

/// Whether a sentence says that the support of something ends.
fn ends_support(words: &[&str]) -> bool {
    let between = |word: &str| matches!(word, "all" | "our" | "the");
    (0..words.len()).filter(|at| ENDS.contains(&words[*at])).any(|at| {
        let behind = words.get(at + 1..).unwrap_or_default();
        behind.iter().find(|word| !between(word)) == Some(&SUPPORT)
    })
}

/// The words of a short text without those that name a state and those that deny, as they stand and by their stems: what
/// says the opposite has the same stems left ("requires", "does not require", "no longer requires").
pub(super) fn without_sides(text: &str) -> Option<[String; 2]> {
    let plain = plain(Some(text).filter(|text| text.len() <= SHORT)?);
    let words = words(&plain);
    let states = states_of(&words);
    let denies = |at: usize| {
        let word = text_at(&words, at);
        is_denial(word) || word.ends_with("n't") || (word == "longer" && text_before(&words, at, 1) == "no")
    };
    let is_left = |at: &usize| !denies(*at) && !states.iter().any(|(.., state)| state == at);
    let left: Vec<&str> = (0..words.len()).filter(is_left).map(|at| &*words[at].text).collect();
    let stems: Vec<_> = left.iter().map(|word| stem_of(word)).collect();
    (!left.is_empty()).then(|| [left.join(" "), stems.join(" ")])
}

/// What a sentence claims.
#[derive(Debug)]
pub(super) struct Claim {
    text: String,
    /// The stems of its words that say something, without those that deny.
    stems: BTreeSet<String>,
    /// A number for each stem, in their order.
    marks: Vec<u64>,
    denies: bool,
    /// The states that it names, by row and side.
    states: Vec<(usize, usize)>,
    /// Whether it says that support ends.
    ends_support: bool,
}

/// What a text claims, sentence by sentence.
pub(super) fn claims(text: &str) -> Vec<Claim> {
    let read = |(from, to): (usize, usize)| {
        let text = text.get(from..to)?;
        // A question claims nothing.
        if text.trim_end_matches(['"', '\'', ')', '*', '\u{201d}', '\u{300d}']).ends_with(['?', '\u{ff1f}']) {
            return None;
        }
        let plain = plain(text);
        let words = words(&plain);
        let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        let says = |word: &&&str| word.contains(char::is_alphanumeric) && !is_silent(word) && !is_denial(word);
        let stems: BTreeSet<String> = texts.iter().filter(says).map(|word| stem_of(word).into_owned()).collect();
        let mut marks: Vec<u64> = stems.iter().map(|stem| xxh3_64(stem.as_bytes())).collect();
        marks.sort_unstable();
        let denies = has_negation(text) || not_done(&texts).1.is_some();
        let states = states_of(&words).into_iter().map(|(row, side, _)| (row, side)).collect();
        Some(Claim { text: text.to_owned(), stems, marks, denies, states, ends_support: ends_support(&texts) })
    };
    sentences(text).into_iter().filter_map(read).take(SENTENCES).collect()
}

/// How many numbers two ordered rows have in common.
fn alike(one: &[u64], other: &[u64]) -> usize {
    let (mut one, mut other, mut both) = (one.iter().peekable(), other.iter().peekable(), 0);
    while let (Some(own), Some(their)) = (one.peek(), other.peek()) {
        match own.cmp(their) {
            Ordering::Less => one.next(),
            Ordering::Greater => other.next(),
            Ordering::Equal => {
                both += 1;
                one.next();
                other.next()
            }
        };
    }
    both
}

/// Whether two texts contradict each other: of two sentences about the same, one denies and the other does not (db0:
/// they differ in negation).
pub(super) fn contradict(own: &[Claim], theirs: &[Claim]) -> bool {
    own.iter().any(|own| theirs.iter().any(|their| own.contradicts(their)))
}

impl Claim {
    /// Whether it names the state that excludes the one that another names.
    fn is_otherwise(&self, other: &Claim) -> bool {
        let excludes = |(row, side): &(usize, usize)| {
            let of_row = |states: &'_ [(usize, usize)], is: &dyn Fn(usize) -> bool| {
                states.iter().filter(|(own, _)| own == row).all(|(_, side)| is(*side))
            };
            other.states.iter().any(|(there, _)| there == row)
                && of_row(&self.states, &|own| own == *side)
                && of_row(&other.states, &|there| there != *side)
        };
        self.states.iter().any(excludes)
    }

    /// Whether one says that what the other supports is supported no more.
    fn ends_what_is_in(&self, other: &Claim) -> bool {
        self.ends_support && !other.ends_support && other.stems.contains(SUPPORT)
    }

    #[allow(clippy::cast_precision_loss)]
    fn contradicts(&self, other: &Claim) -> bool {
        let most = self.stems.len().max(other.stems.len());
        // Few sentences are about the same: by their marks that costs little to tell, and two stems of one mark only let
        // more of them through.
        if ((alike(&self.marks, &other.marks) + 1) as f64) <= SHARED * most as f64 {
            return false;
        }
        let both = self.stems.intersection(&other.stems).count();
        let (own, theirs): (Vec<&String>, Vec<&String>) =
            (self.stems.difference(&other.stems).collect(), other.stems.difference(&self.stems).collect());
        let has_figure = |stems: &[&String]| stems.iter().any(|stem| is_figure(stem));
        // "Unsafe" and "safe", but not "import" and "port".
        let opposes = |one: &str, other: &str| {
            PREFIXES.iter().any(|(prefix, least)| {
                let bare = one.strip_prefix(prefix).filter(|bare| bare.len() >= *least);
                bare.and_then(|bare| other.strip_prefix(bare)).is_some_and(|rest| rest.len() < 2)
            })
        };
        let is_contrary = own.iter().any(|own| theirs.iter().any(|their| opposes(own, their) || opposes(their, own)));
        let is_contrary =
            is_contrary || self.is_otherwise(other) || self.ends_what_is_in(other) || other.ends_what_is_in(self);
        let about = both + usize::from(is_contrary);
        // "Server 1" is not "server 2".
        if about == 0 || (about as f64) <= SHARED * most as f64 || (has_figure(&own) && has_figure(&theirs)) {
            return false;
        }
        match is_contrary {
            true => self.denies == other.denies,
            false => self.denies != other.denies && !Sense::of(&self.text).agrees(&Sense::of(&other.text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradict(one: &str, other: &str) -> bool {
        super::contradict(&claims(one), &claims(other))
    }

    #[test]
    fn a_denial_contradicts_what_says_the_same_without_it() {
        for (one, other) in [
            ("The staging database listens on port 5433.", "The staging database doesn't listen on port 5433."),
            ("The cache is safe to clear in production.", "The cache is unsafe to clear in production."),
            ("The tests of the parser pass.", "None of the tests of the parser pass."),
            ("The staging database listens on port 5433.", "The staging database fails to listen on port 5433."),
            ("We deploy on Fridays to production.", "We refuse to deploy on Fridays to production."),
            ("Hello there. There is a GPU in the build server.", "There is no GPU in the build server. Bye."),
            ("The order is reversible.", "The order is irreversible."),
            ("You must rotate the key weekly.", "You must not rotate the key weekly."),
            ("The cache is enabled in production.", "The cache is disabled in production."),
            ("The office is open on Sundays.", "The office is closed on Sundays."),
            ("The audit log is on in staging.", "The audit log is off in staging."),
            ("Turn on the audit log of staging.", "Turn off the audit log of staging."),
            ("We support Python 3.8 in the client.", "We dropped support for Python 3.8 in the client."),
            ("The repository is public.", "The repository is private."),
            ("Refunds are in scope for the release.", "Refunds are out of scope for the release."),
        ] {
            assert!(contradict(one, other) && contradict(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn a_denial_of_something_else_contradicts_nothing() {
        for (one, other) in [
            (
                "Got it. Let me check which comments still need replies.",
                "No comments after my last replies. The branch is as it was.",
            ),
            ("Why does the staging database not listen on port 5433?", "The staging database listens on port 5433."),
            ("El no. 5 es el puerto de la base.", "El 5 es el puerto de la base."),
            ("Server 1 does not run the nightly backup job.", "Server 2 does run the nightly backup job."),
            ("The cache is not safe to clear.", "The cache is unsafe to clear."),
            ("The cache is not enabled in production.", "The cache is disabled in production."),
            ("The release goes out on Friday.", "The release is off on Friday at noon."),
            ("We set up the build server.", "The build server is down."),
            ("The cache is enabled and the retry disabled.", "The cache is disabled and the retry enabled."),
            ("We don't support Python 3.8.", "We dropped support for Python 3.8."),
            ("The port is 80. I do not like the colour.", "The port is 80. I like the taste."),
        ] {
            assert!(!contradict(one, other) && !contradict(other, one), "{one} / {other}");
        }
    }
}
