//! What was only tried, and what was done and taken back: neither is done.

use std::collections::BTreeSet;

use super::deed::is_told;
use super::lexer::{Word, text_at};
use super::sense::{ends_clause, is_empty, joins, stem};
use super::taken_back::{is_passing, taken_back};
use super::words::is_silent;

/// Words behind which, and "to", it stands what somebody tried.
const TRIES: &[&str] = &["attempt", "attempted", "attempting", "attempts", "failed", "tried", "tries", "try", "trying"];
/// Words by which it is told that it went well in the end.
const WENT_WELL: &[&str] = &[
    "done",
    "finally",
    "managed",
    "now",
    "pass",
    "passed",
    "passes",
    "resolved",
    "succeeded",
    "success",
    "successful",
    "successfully",
    "worked",
    "works",
];
/// Words by which something did not come to its end, or was taken back; and the same of two words.
const UNDOES: &[&str] = &[
    "abandoned",
    "aborted",
    "canceled",
    "cancelled",
    "crashed",
    "discarded",
    "interrupted",
    "reverted",
    "undid",
    "undone",
    "withdrawn",
];
const UNDOES_IN: &[[&str; 2]] =
    &[["backed", "out"], ["broke", "off"], ["gave", "up"], ["given", "up"], ["rolled", "back"], ["timed", "out"]];
/// Words by which something is given up, and put off; and the same of two words.
const GIVEN_UP: &[&str] = &["abandoned", "aborted", "canceled", "cancelled", "discarded", "scrapped", "withdrawn"];
const PUT_OFF: &[&str] = &["deferred", "delayed", "paused", "postponed", "rescheduled", "shelved"];
const ENDS_IN: [&[[&str; 2]]; 2] = [
    &[["gave", "up"], ["given", "up"], ["giving", "up"], ["backed", "out"], ["called", "off"]],
    &[["put", "off"], ["on", "hold"], ["pushed", "back"], ["moved", "back"]],
];
/// Words by which it is told that something goes on, and the same of two.
const OPEN: &[&str] = &["ongoing", "outstanding", "pending", "remaining", "remains", "underway", "unfinished"];
const OPEN_IN: &[[&str; 2]] = &[["still", "open"], ["in", "progress"], ["not", "yet"], ["done", "yet"], ["is", "open"]];

/// Whether a sentence tells that something is given up, and that something is put off.
pub(super) fn ends_told(words: &[Word]) -> [bool; 2] {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&*word.text));
    [has(GIVEN_UP) || has_pair(words, ENDS_IN[0]), has(PUT_OFF) || has_pair(words, ENDS_IN[1])]
}

fn has_pair(words: &[Word], pairs: &[[&str; 2]]) -> bool {
    words.windows(2).any(|pair| pairs.iter().any(|[one, next]| pair[0].text == *one && pair[1].text == *next))
}

/// Stems of what is said of a thing that came to its end, whatever it was; and of those that are verbs of what is done
/// only where something does it: "a deploy".
const COMPLETES: &[&str] = &["appli", "complet", "finish", "succeed"];
const DONE: &[&str] = &["deploy", "do", "land", "merg", "releas", "ship"];

/// What a sentence says was only tried, or taken back.
#[derive(Clone, Debug, Default)]
pub(super) struct Undone {
    /// Stems of verbs.
    tried: BTreeSet<String>,
    /// Stems of all that is said of what was taken back.
    undone: BTreeSet<String>,
    /// Whether it tells of something that was taken back, or went wrong.
    tells: bool,
    /// Whether it tells that something is given up, and that it is put off; and that something goes on.
    ends: [bool; 2],
    open: bool,
    /// Stems of verbs of what was made undone, each with the one by which that is told; and whether it tells of what did
    /// not last.
    back: Vec<(String, String)>,
    passing: bool,
}

impl Undone {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let text = |at: usize| text_at(words, at);
        let fails = words.iter().any(|word| word.text.starts_with("fail"));
        let went_well = words.iter().any(|word| WENT_WELL.contains(&&*word.text));
        for (own, told) in self.ends.iter_mut().zip(ends_told(words)) {
            *own |= told;
        }
        self.open |= words.iter().any(|word| OPEN.contains(&&*word.text)) || has_pair(words, OPEN_IN);
        self.back.extend(taken_back(words));
        self.passing |= is_passing(words);
        for at in 0..words.len() {
            // "tried to fix it", "tried fixing it, but that failed"
            let tried = match text(at + 1) {
                "to" if TRIES.contains(&text(at)) => text(at + 2),
                next if fails && TRIES.contains(&text(at)) && next.ends_with("ing") => next,
                _ => "",
            };
            if !tried.is_empty() {
                self.tells = true;
                if !went_well {
                    self.tried.insert(stem(tried));
                }
            }
            let pair = UNDOES_IN.iter().any(|[one, next]| text(at) == *one && text(at + 1) == *next);
            if !pair && !UNDOES.contains(&text(at)) {
                continue;
            }
            self.tells = true;
            let own = at..at + 1 + usize::from(pair);
            let ends = |at: usize| {
                words
                    .get(at)
                    .is_some_and(|word| ends_clause(word.after) || word.after.contains(',') || joins(&word.text))
            };
            let from = (0..at).rev().find(|at| ends(*at)).map_or(0, |at| at + 1);
            let to = (at..words.len()).find(|at| ends(*at)).map_or(words.len(), |at| at + 1);
            let told = |range: std::ops::Range<usize>| -> BTreeSet<String> {
                let other = range.filter(|at| !own.contains(at)).filter_map(|at| words.get(at));
                let says = |word: &&Word| !is_silent(&word.text) && !is_empty(&word.text);
                other.filter(says).map(|word| stem(&word.text)).collect()
            };
            let clause = told(from..to);
            // "It was applied, then rolled back."
            self.undone.extend(if clause.is_empty() { told(0..words.len()) } else { clause });
        }
    }

    /// Whether it says that something is given up or put off, and another says nothing of the kind.
    pub fn ends_more_than(&self, other: &Undone) -> bool {
        self.ends.iter().zip(other.ends).any(|(own, there)| *own && !there)
    }

    /// The same, where the other says that it goes on.
    pub fn ends_what_is_open_in(&self, other: &Undone) -> bool {
        other.open && !self.open && self.ends_more_than(other)
    }

    /// Whether it says that something is given up or put off as some words do.
    pub fn ends_as(&self, words: &[Word]) -> bool {
        self.ends.iter().zip(ends_told(words)).any(|(own, there)| *own && there)
    }

    /// Whether what is said to be done here was only tried there, or taken back. `did` and `did_there`: stems of what
    /// both say is done; `stems`: all that is said here.
    pub fn is_done_in_spite_of(
        &self,
        other: &Undone,
        did: &BTreeSet<String>,
        did_there: &BTreeSet<String>,
        stems: &BTreeSet<String>,
    ) -> bool {
        let is_back = |(verb, by): &(String, String)| stems.contains(verb) && !stems.contains(by);
        if !self.tells && !self.passing && other.back.iter().any(is_back) {
            return true;
        }
        if self.tells || !other.tells {
            return false;
        }
        let tried = |verb: &String| {
            is_told(verb, &|stem| other.tried.contains(stem)) && !is_told(verb, &|stem| did_there.contains(stem))
        };
        let undone = |verb: &String| other.undone.contains(verb) && !did_there.contains(verb);
        // "The deploy succeeded" where that timed out.
        let completes = |stem: &&str| {
            let is_told = did.contains(*stem) || (COMPLETES.contains(stem) && stems.contains(*stem));
            is_told && !did_there.contains(*stem)
        };
        did.iter().any(|verb| tried(verb) || undone(verb))
            || (COMPLETES.iter().chain(DONE).any(completes) && stems.iter().any(|stem| other.undone.contains(stem)))
    }
}
