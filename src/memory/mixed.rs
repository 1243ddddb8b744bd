//! Sentences that are mixed of others: of two facts, who of the one and what of the other.

use std::collections::BTreeSet;

use super::clauses::{completed, is_aside};
use super::figure::{figures_among, is_same};
use super::lexer::words;
use super::near::{Said, Sentence, Sources};
use super::sense::{is_empty, stem};
use super::words::{exact, is_silent};

/// Words that stand in the place of others, at most.
const REPLACED: usize = 2;
/// Words that a sentence may have beside those of one that it may be the source of.
const BESIDE: usize = 2;
/// Words of a sentence that are read: one with more is data.
const READ: usize = 24;

/// The words of a sentence that say something, in order.
fn told(text: &str) -> Vec<String> {
    let plain = exact(text);
    let says = |word: &&super::lexer::Word| !is_empty(&word.text) && !is_silent(&word.text);
    words(&plain).iter().filter(says).take(READ + 1).map(|word| stem(&word.text)).collect()
}

/// The words of one that stand in the place of others in a sentence that is the same but for these: from where, to where.
fn replaced(own: &[String], other: &[String]) -> Option<(usize, usize)> {
    let first = own.iter().zip(other).take_while(|(one, two)| one == two).count();
    let rest = own.len().min(other.len()) - first;
    let last = own.iter().rev().zip(other.iter().rev()).take(rest).take_while(|(one, two)| one == two).count();
    let (end, also) = (own.len() - last, other.len() - last);
    let is_few = |length: usize| (1..=REPLACED).contains(&length);
    (first + last > 0 && is_few(end - first) && is_few(also - first)).then_some((first, end))
}

/// Whether a sentence says of the one thing what of two sentences that are told alike only the other says of another:
/// "a owns y" of "a owns x" and "b owns y".
pub(super) fn is_mixed(words: &str, near: &[&Sentence]) -> bool {
    let own = told(words);
    let near: Vec<Vec<String>> = near.iter().map(|one| told(one.text)).collect();
    mixes(&own, &near)
}

/// The same of the clauses of one sentence: who of the one and what of the other.
pub(super) fn is_mixed_in(words: &str, sentence: &str) -> bool {
    let own = told(words);
    let clauses: Vec<Vec<String>> = completed(sentence).iter().map(|clause| told(clause)).collect();
    if clauses.iter().any(|clause| own.iter().all(|word| clause.contains(word))) {
        return false;
    }
    let is_other = |word: &String| !own.contains(word) && !is_aside(word);
    // Words of it that a clause begins with, and goes on with others; and those that one ends with that begins with others.
    let begins = clauses.iter().filter_map(|clause| {
        let same = own.iter().zip(clause).take_while(|(one, other)| one == other).count();
        clause.get(same..).filter(|rest| same > 0 && !rest.is_empty() && rest.iter().all(is_other)).map(|_| same)
    });
    let ends = clauses.iter().filter_map(|clause| {
        let same = own.iter().rev().zip(clause.iter().rev()).take_while(|(one, other)| one == other).count();
        let who = clause.get(..clause.len() - same)?;
        (same > 0 && (1..=REPLACED).contains(&who.len()) && who.iter().all(is_other)).then_some(same)
    });
    let ends: Vec<usize> = ends.collect();
    let mut begins = begins;
    (3..=READ).contains(&own.len()) && begins.any(|begin| ends.iter().any(|end| begin + end == own.len()))
        || mixes(&own, &clauses)
}

fn mixes(own: &[String], near: &[Vec<String>]) -> bool {
    if own.len() > READ || own.len() < 3 {
        return false;
    }
    let alike: Vec<(usize, usize)> = near.iter().filter_map(|one| replaced(own, one)).collect();
    // What is replaced in the one stands in the other.
    alike.iter().any(|one| alike.iter().any(|other| one.1 <= other.0 && own.len() > one.1 - one.0 + other.1 - other.0))
}

/// Whether a sentence has all words of another that tell what that is about, and little more.
pub(super) fn is_frame_of(one: &Said, own: &Said) -> bool {
    !own.stems.is_empty() && own.stems.is_subset(&one.stems) && one.number() <= own.number() + BESIDE
}

/// What parts clauses that may speak each of its own.
const APART: &[&str] = &["; ", ", but ", " but ", ", while ", " while ", " whereas "];
/// Words by which a clause speaks of what another has told.
const ALIKE: &[&str] =
    &["also", "both", "either", "it", "its", "likewise", "same", "so", "that", "them", "they", "this", "too", "which"];

/// Words by which a clause speaks of all but what another has named; and by which a sentence tells of that itself.
const ELSE: &[&str] = &["else", "elsewhere", "otherwise", "remainder", "rest"];
const BUT: &[&str] = &["besides", "except", "excluding", "not", "other", "others", "outside"];

/// Whether a sentence says where one clause is so what the other says of all else: "spaces in a" of "tabs in a and spaces
/// elsewhere".
pub(super) fn is_of_all_else(own: &str, sentence: &str) -> bool {
    let read = |text: &str| -> (BTreeSet<String>, bool, bool) {
        let plain = exact(text);
        let words = words(&plain);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&&*word.text));
        let says = words.iter().filter(|word| !is_empty(&word.text) && !is_silent(&word.text));
        let (of_else, but) = (has(ELSE), has(BUT) || words.iter().any(|word| word.text.ends_with("n't")));
        (says.filter(|word| !ELSE.contains(&&*word.text)).map(|word| stem(&word.text)).collect(), of_else, but)
    };
    let (own, tells, but) = read(own);
    if tells || but {
        return false;
    }
    let parted =
        JOINTS.iter().filter_map(|joint| sentence.split_once(joint)).map(|(one, other)| (read(one), read(other)));
    parted.filter(|(one, other)| one.1 != other.1).any(|((one, first, _), (other, ..))| {
        let (named, rest) = if first { (other, one) } else { (one, other) };
        let only: Vec<&String> = named.difference(&rest).collect();
        let held = only.iter().filter(|stem| own.contains(**stem)).count();
        held > 0 && held < only.len() && rest.difference(&named).any(|stem| own.contains(stem))
    })
}

/// What may stand between the two clauses of such a sentence.
const JOINTS: &[&str] = &[" and ", "; ", ", ", " but "];

/// Whether a sentence says of the name that it begins with what another says of another name, in a clause without this:
/// "/v2 is deprecated" of "/v1 is deprecated; use /v2".
pub(super) fn is_of_other_clause(own: &str, sentence: &str) -> bool {
    let plain = exact(own);
    let words = words(&plain);
    let begins = words.iter().position(|word| !is_empty(&word.text) && !is_silent(&word.text));
    let mut figures = figures_among(&words).into_iter().filter(|figure| !figure.is_number);
    let Some(named) = figures.find(|figure| Some(figure.place.0) == begins) else { return false };
    let mut clauses = vec![sentence];
    for joint in APART {
        clauses = clauses.into_iter().flat_map(|clause| clause.split(joint)).collect();
    }
    let is_named = |clause: &Said| clause.figures.iter().any(|figure| is_same(figure, &named.text));
    let told: Vec<(&str, Said)> = clauses.into_iter().map(|clause| (clause, Said::of(clause))).collect();
    let mut own = Said::of(own);
    own.figures.remove(&named.text);
    let says = |clause: &Said| !own.stems.is_empty() && own.lacks(clause) == 0;
    let is_name = |figure: &String| figure.starts_with(|sign: char| sign.is_alphabetic() || "/@.".contains(sign));
    let has_other = |clause: &Said| {
        let mut names = clause.figures.iter().filter(|figure| is_name(figure));
        names.any(|name| !own.figures.iter().any(|figure| is_same(figure, name)))
    };
    let points = |clause: &str| {
        let plain = exact(clause);
        super::lexer::words(&plain).iter().any(|word| ALIKE.contains(&&*word.text))
    };
    let (with, without): (Vec<_>, Vec<_>) = told.iter().partition(|(_, clause)| is_named(clause));
    !with.is_empty()
        && !with.iter().any(|(text, clause)| says(clause) || points(text))
        && without.iter().any(|(_, clause)| says(clause) && has_other(clause))
}

/// Sentences before one in which it stands what "it" is.
const BEFORE: usize = 3;
/// Words that speak of something that was named before.
const POINTS: &[&str] = &["he", "it", "its", "she", "they", "this"];

/// Whether a sentence says of something by name what one at a place says of "it", where that is something else: what it
/// names stands elsewhere, and in none of those before that.
pub(super) fn is_of_other(words: &str, at: usize, read: &Sources) -> bool {
    let Some(from) = read.sentences.get(at) else { return false };
    let plain = exact(from.text);
    let points = super::lexer::words(&plain).first().is_some_and(|first| POINTS.contains(&&*first.text));
    let own = told(words);
    let Some(named) = own.first().filter(|named| points && !told(from.text).contains(named)) else { return false };
    let before = (1..=BEFORE).filter_map(|back| read.sentences.get(at.checked_sub(back)?));
    let mut before = before.filter(|one| one.source == from.source).peekable();
    before.peek().is_some() && read.has_stem(named) && !before.any(|one| told(one.text).contains(named))
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Support, align};

    #[test]
    fn what_is_so_of_all_else_is_not_so_of_what_was_named() {
        let (tabs, tests) =
            ("Use tabs in Makefiles and spaces elsewhere.", "Use SQLite for the tests and Postgres everywhere else.");
        let logs = "Store the logs in S3, everything else goes to Postgres.";
        for (told, source) in [
            ("Use spaces in Makefiles.", tabs),
            ("Use Postgres for the tests.", tests),
            ("Store the logs in Postgres.", logs),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
        for (told, source) in [
            ("Use tabs in Makefiles.", tabs),
            ("Use spaces outside Makefiles.", tabs),
            ("Use SQLite for the tests.", tests),
            ("Store the logs in S3.", logs),
        ] {
            assert_eq!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
    }
}
