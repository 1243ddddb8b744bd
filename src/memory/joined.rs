//! A sentence that joins what several say: "a is 1 and b is 2". Each of its clauses is judged by itself.

use std::cell::LazyCell;

use super::claim::Claim;
use super::lexer::{Word, words};
use super::measure::{Aligned, Support};
use super::near::{CLOSEST, Said, Sentence, Sources};
use super::sense::{is_empty, stem};
use super::stand::is_verb_of_done;
use super::words::{exact, is_silent};

/// What stands between two clauses that say each its own.
const JOINTS: &[&str] = &[", and ", ", but ", ", while ", "; ", ", ", " and ", " but ", " while "];
/// Words of a clause that say something, at least: "the lexer" is the end of a list.
const WORDS: usize = 2;
/// Clauses of one sentence: one with more is a list.
const CLAUSES: usize = 6;
/// Share of a clause's words that one sentence needs to say it.
const SAID: f64 = 0.75;
/// Words that what denies a clause may have beside its own; of these it lacks fewer.
const LACKS: usize = 2;

/// The clauses of a sentence, where it has several.
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(rest) = sentence.get(at..).filter(|rest| !rest.is_empty()) {
        match JOINTS.iter().find(|joint| rest.starts_with(**joint)) {
            Some(joint) => {
                let next = at + joint.len();
                if says(sentence.get(start..at).unwrap_or_default()) && says(sentence.get(next..).unwrap_or_default()) {
                    found.push((start, at));
                    start = next;
                }
                at = next;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    found.push((start, sentence.len()));
    // What says too little by itself belongs to what stands before it.
    let mut all: Vec<(usize, usize)> = Vec::new();
    for (from, to) in found {
        match all.last_mut() {
            Some(last) if !says(sentence.get(from..to).unwrap_or_default()) => last.1 = to,
            _ => all.push((from, to)),
        }
    }
    all.into_iter().filter_map(|(from, to)| sentence.get(from..to)).collect()
}

/// The clauses of a sentence that says several things; none of one that says one thing, or too many.
pub(super) fn told_apart(sentence: &str) -> Vec<&str> {
    let parts = clauses(sentence);
    /// What joins clauses so that neither stands by itself.
    const BOUND: &[&str] = &[
        "after",
        "because",
        "before",
        "if",
        "once",
        "or",
        "respectively",
        "since",
        "unless",
        "until",
        "when",
        "while",
    ];
    let plain = exact(sentence);
    let is_bound = words(&plain).iter().any(|word| BOUND.contains(&&*word.text));
    let tells = (2..=CLAUSES).contains(&parts.len()) && !is_bound;
    if tells { parts } else { Vec::new() }
}

/// Whether a clause says something of something.
fn says(clause: &str) -> bool {
    let plain = exact(clause);
    words(&plain).iter().filter(|word| !is_empty(&word.text)).count() >= WORDS
}

/// What supports a sentence by its clauses; `None` where they don't tell. `judge` judges one by itself.
pub(super) fn support(
    sentence: &str,
    whole: &Aligned,
    read: &Sources,
    judge: &dyn Fn(&str) -> Aligned,
) -> Option<Support> {
    if whole.score >= 1.0 && whole.support == Support::Stands || sentence.contains("respectively") {
        return None;
    }
    let clauses = clauses(sentence);
    if clauses.len() < 2 || clauses.len() > CLAUSES {
        return None;
    }
    let own = Said::of(sentence);
    let judged: Vec<Aligned> = clauses.iter().map(|clause| judge(clause)).collect();
    let stands = |(at, one): (usize, &Aligned)| {
        one.support == Support::Stands && one.score >= SAID && (at == 0 || is_of_same(one, &own, read))
    };
    let first = judged.first().map(|one| one.from);
    let of_several = judged.iter().any(|one| Some(one.from) != first);
    if of_several && judged.iter().enumerate().all(stands) {
        return Some(Support::Stands);
    }
    // "Ops wrote a and broke b" where another broke that.
    let of_other = |(clause, one): (&&str, &Aligned)| {
        one.support == Support::Stands && one.score >= 1.0 && is_of_another(sentence, clause, one, read)
    };
    if clauses.iter().zip(&judged).skip(1).any(of_other) {
        return Some(Support::None);
    }
    let whole_claim = LazyCell::new(|| Claim::of(sentence));
    let denied = |(clause, one): (&&str, &Aligned)| {
        let (own, claim) = (Said::of(clause), Claim::of(clause));
        let denies = |from: &Sentence| {
            let are_near = own.lacks(from.said()) < LACKS && from.said().lacks(&own) <= LACKS;
            // What a clause tells as done, the next may take back, as it is taken back there.
            let is_told = || claim.is_undone_in(from.claim()) && !whole_claim.is_undone_in(from.claim());
            are_near
                && !is_told()
                && (claim.is_against(from.claim()) || claim.replaces(from.claim(), |figure| figure.is_number))
        };
        let near = || read.near(clause).into_iter().filter_map(|at| read.sentences.get(at));
        one.support == Support::None && near().take(CLOSEST).any(denies)
    };
    clauses.iter().zip(&judged).any(denied).then_some(Support::None)
}

/// The sentence that a clause is from.
pub(super) fn sentence_of<'a, 'b>(clause: &Aligned, read: &'b Sources<'a>) -> Option<&'b Sentence<'a>> {
    let (source, range) = clause.from?;
    read.sentences.iter().find(|one| one.source == source && one.range == range)
}

/// Whether a clause that names nobody is from a sentence that differs only by whom it names: the one it begins with.
fn is_of_another(sentence: &str, clause: &str, judged: &Aligned, read: &Sources) -> bool {
    let Some(from) = sentence_of(judged, read) else { return false };
    let (own, plain, theirs) = (exact(sentence), exact(clause), exact(from.text));
    let (own, words, theirs) = (words(&own), words(&plain), words(&theirs));
    let (Some(who), Some(verb)) = (own.first(), words.first()) else { return false };
    let named = theirs.iter().skip_while(|word| is_empty(&word.text));
    let mut named = named.take_while(|word| word.text != verb.text);
    let (Some(other), None) = (named.next(), named.next()) else { return false };
    let is_name =
        |word: &Word| !is_silent(&word.text) && !is_empty(&word.text) && is_verb_of_done(&word.text).is_none();
    theirs.iter().any(|word| word.text == verb.text)
        && is_verb_of_done(&verb.text).is_some()
        && is_name(who)
        && is_name(other)
        && own.iter().all(|word| word.text != other.text)
}

/// Whether what a clause is from speaks of nobody that the sentence does not name: a clause without one of its own
/// speaks of the one before it.
fn is_of_same(clause: &Aligned, own: &Said, read: &Sources) -> bool {
    let Some(sentence) = sentence_of(clause, read) else { return false };
    let plain = exact(sentence.text);
    let words = words(&plain);
    let first = words.iter().find(|word| !is_empty(&word.text) && !is_silent(&word.text));
    first.is_none_or(|first| own.stems.contains(&stem(&first.text)) || own.figures.contains(&*first.text))
}
