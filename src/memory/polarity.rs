//! Whether two sentences about the same say that it holds, in whatever words they say or deny it: what is "off" is not
//! "on", what is "not disabled" is, and who "lacks" a thing is "out of" it.

use std::collections::{BTreeMap, BTreeSet};

use super::assigned::Assigned;
use super::claim::Claim;
use super::contrary::PREFIXES;
use super::denied::{denies_at, forbids, is_denial};
use super::figure::{figures_among, is_same, number_and_unit};
use super::lexer::{Word, text_at, text_before};
use super::numeral::counted;
use super::opposites::{DENYING, DENYING_IN, HOLDING, MOVES, PAIRS, RISING};
use super::sense::{clauses, is_empty, stem};
use super::sides::{describes, states_of};
use super::words::{exact, is_silent};

/// Share of what a sentence speaks of that another must speak of to be held against it.
const SHARE: f64 = 0.6;
/// The same where one of them has no word of the kind, and how many other things it may speak of then.
const SHARE_OF_PLAIN: f64 = 0.65;
const BESIDE_PLAIN: usize = 2;
/// Words of a sentence that are read: one with more is data.
const WORDS: usize = 80;
/// Words that say something, of what a word is said of.
const OF: usize = 3;

/// Words that begin what is said aside.
const LEADS: &[&str] = &[
    "after", "although", "because", "before", "if", "once", "since", "that", "unless", "until", "when", "whenever",
    "where", "whether", "which", "while", "who", "whose",
];
/// Forms by which what stands before is told to be so.
const BEING: &[&str] = &[
    "are", "be", "been", "being", "get", "gets", "got", "is", "kept", "remain", "remains", "stay", "stays", "was",
    "were",
];
/// Words at which what a verb is done to ends.
const ENDS: &[&str] = &[
    "and", "as", "at", "by", "during", "for", "from", "in", "into", "of", "on", "or", "over", "to", "under", "with",
    "within",
];

/// Words for all that there is, for a part of it, and for none.
const ALL: &[&str] = &["all", "everybody", "everyone", "everything"];
const SOME: &[&str] = &["several", "some"];
const NONE: &[&str] = &["nobody", "none", "nothing"];

/// What a word that may deny is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    /// Whether something is there, done, allowed or in force.
    Holds,
    /// Which of two opposites something is, by the row of [`PAIRS`].
    Pair(usize),
}

/// A word that tells on which side a thing is.
#[derive(Clone, Debug)]
struct Sign {
    axis: Axis,
    denies: bool,
    /// The stems that it is said of.
    of: BTreeSet<String>,
}

/// What is said in one go.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Stems of what it speaks of.
    stems: BTreeSet<String>,
    signs: Vec<Sign>,
    /// Words that may be the contrary of others, as "unsafe": their stem, that of the other, and whether it is denied.
    contraries: Vec<(String, String)>,
}

/// On which side a sentence puts what it speaks of.
#[derive(Clone, Debug, Default)]
pub(super) struct Polarity {
    parts: Vec<Part>,
}

impl Polarity {
    /// Reads a sentence.
    pub fn of(text: &str) -> Polarity {
        let plain = exact(text);
        let words = counted(&plain);
        if words.len() > WORDS {
            return Polarity::default();
        }
        let mut parts: Vec<Part> = Vec::new();
        for clause in clauses(&words) {
            let (first, last) = (clause.first().copied().unwrap_or(0), clause.last().copied().unwrap_or(0));
            let mut start = first;
            for at in first..=last {
                if LEADS.contains(&text_at(&words, at)) {
                    parts.extend(Part::of(&words, (start, at)));
                    start = at + 1;
                }
            }
            parts.extend(Part::of(&words, (start, last + 1)));
        }
        let polarity = Polarity { parts };
        // Where it would be against itself, it is not understood.
        if polarity.agrees(&polarity) == Some(false) { Polarity::default() } else { polarity }
    }

    /// Whether another says that what it speaks of holds, as it does; `None` where that cannot be told, or it is about
    /// something else.
    pub fn agrees(&self, other: &Polarity) -> Option<bool> {
        let own = self.parts.iter().max_by_key(|part| part.stems.len())?;
        if self.parts.iter().any(|part| !std::ptr::eq(part, own) && !part.signs.is_empty()) {
            return None;
        }
        let shared = |part: &&Part| own.stems_in(part);
        let there = other.parts.iter().rev().max_by_key(shared)?;
        let (own, there) = (own.in_words_of(there), there.in_words_of(own));
        own.agrees(&there)
    }
}

/// What a sentence says, read once to be held against what others say.
#[derive(Clone, Debug)]
pub struct Assertion {
    claim: Claim,
    polarity: Polarity,
    /// Its numbers, with their signs and units.
    amounts: Vec<String>,
    /// What it gives to what.
    assigned: Assigned,
    /// Whether it speaks of all, of some, and of none.
    all: bool,
    some: bool,
    none: bool,
}

/// How a sentence says something else with the words of another.
pub(super) enum Contrary {
    /// It denies what that affirms, or affirms what that denies.
    Denied,
    /// It says them otherwise round, or of something else.
    Turned,
}

impl Assertion {
    /// Reads a sentence.
    #[must_use]
    pub fn of(text: &str) -> Assertion {
        let plain = exact(text);
        let words = counted(&plain);
        let has = |names: &[&str]| words.iter().any(|word| is(&word.text, names));
        let amounts = figures_among(&words).into_iter().filter(|figure| figure.is_number);
        Assertion {
            claim: Claim::of(text),
            polarity: Polarity::of(text),
            amounts: amounts.map(|figure| figure.text).collect(),
            assigned: Assigned::of(text),
            all: has(ALL),
            some: has(SOME),
            none: has(NONE),
        }
    }

    /// Whether it has a number of another with another sign or unit only: 30 minutes for 30 seconds. Without a unit, it
    /// may be that.
    fn is_of_other_amount(&self, of: &Assertion) -> bool {
        // Number, unit and rate of "-5 $/year".
        fn parts(amount: &str) -> [&str; 3] {
            let (rest, rate) = amount.split_once('/').unwrap_or((amount, ""));
            let (number, unit) = number_and_unit(rest);
            [number.trim_start_matches('-'), unit, rate]
        }
        of.amounts.iter().any(|own| {
            let [number, unit, rate] = parts(own);
            let mut same = self.amounts.iter().filter(|one| parts(one)[0] == number).peekable();
            let differ = |own: &str, there: &str| !own.is_empty() && !there.is_empty() && own != there;
            let is_other = |one: &String| {
                let [_, there, each] = parts(one);
                let of_other = differ(unit, there) || differ(rate, each);
                (of_other || one.starts_with('-') != own.starts_with('-')) && !is_same(one, own)
            };
            same.peek().is_some() && same.all(is_other)
        })
    }

    /// What of it and of another is to be looked up.
    pub(super) fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Whether it denies what another affirms, or affirms what that denies, by words for it.
    pub(super) fn denies(&self, of: &Assertion) -> bool {
        of.polarity.agrees(&self.polarity) == Some(false)
    }

    /// How it says something else with the words of another: by words that affirm and deny, else by what is said of what.
    pub(super) fn contrary_to(&self, of: &Assertion) -> Option<Contrary> {
        let is_of_fewer = of.all && self.some && !self.all;
        if is_of_fewer || self.assigned.is_against(&of.assigned) {
            return Some(Contrary::Turned);
        }
        match of.polarity.agrees(&self.polarity) {
            Some(false) => Some(Contrary::Denied),
            Some(true) => self.claim.is_against_beside(&of.claim).then_some(Contrary::Turned),
            None if self.claim.contradicts(&of.claim) => Some(Contrary::Denied),
            None => self.claim.is_against(&of.claim).then_some(Contrary::Turned),
        }
    }

    /// Whether it says the opposite of another that has its words: affirms what that denies, denies what it affirms, or
    /// says the same figures of other things.
    #[must_use]
    pub fn is_opposite_of(&self, of: &Assertion) -> bool {
        // "Delete nothing", "delete everything": whatever is said of them.
        let is_of_all_and_none = (self.none && of.all) || (self.all && of.none);
        self.is_of_other_amount(of)
            || self.contrary_to(of).is_some()
            || (is_of_all_and_none && self.claim.is_against(&of.claim))
    }
}

impl Part {
    /// Of the words in a range; `None` where they speak of nothing.
    fn of(words: &[Word], (from, to): (usize, usize)) -> Option<Part> {
        let words = words.get(from..to)?;
        let kinds = kinds_of(words);
        let says = |at: usize| {
            let text = text_at(words, at);
            let silent = is_silent(text) || is_empty(text) || is_denial(text) || text.ends_with("n't");
            kinds.get(at) == Some(&Kind::Says) && !silent && text.contains(char::is_alphanumeric)
        };
        let told = |at: usize| stem(text_at(words, at));
        let stems: BTreeSet<String> = (0..words.len()).filter(|at| says(*at)).map(told).collect();
        let contraries = (0..words.len()).filter(|at| says(*at)).flat_map(|at| contraries_of(text_at(words, at)));
        let mut part = Part { stems, contraries: contraries.collect(), signs: Vec::new() };
        let is_sign = |at: usize| matches!(kinds.get(at), Some(Kind::Denying | Kind::Side(..)));
        // What is denied is the next word that takes a side, else that what follows holds.
        let (mut denials, mut lacking): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut denied: BTreeMap<usize, usize> = BTreeMap::new();
        for at in 0..words.len() {
            match kinds.get(at) {
                // What something is without takes no side by that.
                Some(Kind::Denial) if text_at(words, at) == "without" => lacking.push(at),
                Some(Kind::Denial) => denials.push(at),
                Some(Kind::Side(..)) => denied.extend([(at, std::mem::take(&mut denials).len() % 2)]),
                _ => {}
            }
        }
        denials.extend(lacking);
        for at in 0..words.len() {
            let sign = match kinds.get(at).copied() {
                Some(Kind::Denial) if denials.contains(&at) => {
                    let end = (at + 1..words.len()).find(|at| kinds.get(*at) == Some(&Kind::Denial));
                    let behind = (at + 1..end.unwrap_or(words.len())).filter(|at| says(*at)).map(told);
                    let behind: BTreeSet<String> = behind.collect();
                    let before = || (0..at).rev().filter(|at| says(*at)).take(OF).map(told).collect();
                    Sign { axis: Axis::Holds, denies: true, of: if behind.is_empty() { before() } else { behind } }
                }
                Some(Kind::Denying) => Sign { axis: Axis::Holds, denies: true, of: of_verb(words, at, &says) },
                Some(Kind::Side(row, side)) => {
                    let before = (0..at).rev().take_while(|at| !is_sign(*at)).filter(|at| says(*at)).take(OF);
                    let after = (at + 1..words.len()).take_while(|at| !is_sign(*at)).filter(|at| says(*at)).take(OF);
                    let of = before.chain(after).map(told).collect();
                    Sign { axis: Axis::Pair(row), denies: side != denied.get(&at).copied().unwrap_or(0), of }
                }
                _ => continue,
            };
            part.signs.push(sign);
        }
        (!part.stems.is_empty()).then_some(part)
    }

    /// How many of its stems another has.
    fn stems_in(&self, other: &Part) -> usize {
        let is_there = |stem: &&String| {
            other.stems.contains(*stem) || other.contraries.iter().any(|(_, plain)| plain == *stem) || {
                let mut plain = self.contraries.iter().filter(|(own, _)| own == *stem);
                plain.any(|(_, plain)| other.stems.contains(plain))
            }
        };
        self.stems.iter().filter(is_there).count()
    }

    /// The same, its contraries of what another speaks of told as that, denied: "unsafe" as "not safe".
    fn in_words_of(&self, other: &Part) -> Part {
        let mut part = self.clone();
        for (own, plain) in &self.contraries {
            if other.stems.contains(plain) && !other.stems.contains(own) && part.stems.remove(own) {
                part.stems.insert(plain.clone());
                part.signs.push(Sign { axis: Axis::Holds, denies: true, of: BTreeSet::from([plain.clone()]) });
                part.signs.iter_mut().filter(|sign| sign.of.contains(own)).for_each(|sign| {
                    sign.of.insert(plain.clone());
                });
            }
        }
        part
    }

    #[allow(clippy::cast_precision_loss)]
    fn agrees(&self, other: &Part) -> Option<bool> {
        let both: BTreeSet<&String> = self.stems.intersection(&other.stems).collect();
        let share = both.len() as f64 / self.stems.len().max(1) as f64;
        let about = |sign: &&Sign| sign.of.iter().any(|stem| both.contains(stem));
        let (own, theirs): (Vec<&Sign>, Vec<&Sign>) =
            (self.signs.iter().filter(about).collect(), other.signs.iter().filter(about).collect());
        // Which of two opposites something is, both have to tell.
        let is_told = |sign: &&&Sign, other: &[&Sign]| {
            sign.axis == Axis::Holds || other.iter().any(|there| there.axis == sign.axis)
        };
        let denies = |signs: &[&Sign], other: &[&Sign]| -> (usize, usize) {
            let told: Vec<_> = signs.iter().filter(|sign| is_told(sign, other)).collect();
            (told.len(), told.iter().filter(|sign| sign.denies).count() % 2)
        };
        let ((number, own), (also, theirs)) = (denies(&own, &theirs), denies(&theirs, &own));
        let is_plain = number == 0 || also == 0;
        let least = if is_plain { SHARE_OF_PLAIN } else { SHARE };
        let more = other.stems.len() - both.len();
        let alone = both.len() > 1 || (self.stems.len() == 1 && more < BESIDE_PLAIN);
        let is_about = share >= least && alone && !(is_plain && more > BESIDE_PLAIN);
        (number + also > 0 && is_about).then_some(own == theirs)
    }
}

/// What a word does in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It names what is spoken of.
    Says,
    /// It says that something holds, as each sentence does.
    Holds,
    /// It denies what follows.
    Denial,
    /// It says by itself that something does not hold.
    Denying,
    /// It takes a side, by its row and that.
    Side(usize, usize),
}

fn is(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.strip_suffix('*').map_or(word == *name, |start| word.starts_with(start)))
}

fn kinds_of(words: &[Word]) -> Vec<Kind> {
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    let states = states_of(words);
    let particle = |at: usize| {
        let state = states.iter().find(|(.., place)| *place == at && matches!(texts[at], "on" | "off" | "up" | "down"));
        state.map(|(_, side, _)| if *side == 0 { Kind::Holds } else { Kind::Denying })
    };
    let mut kinds = vec![Kind::Says; words.len()];
    let mut at = 0;
    while at < words.len() {
        let rest = &texts[at..];
        let phrase = DENYING_IN.iter().find(|phrase| rest.starts_with(phrase));
        // "goes up by 20"; what only goes down does not work.
        let way = match rest {
            [verb, way, "by" | "from" | "to", ..] if MOVES.contains(verb) => {
                ["up", "down"].iter().position(|one| one == way)
            }
            _ => None,
        };
        let pair = || {
            let side = |row: usize, sides: &[&[&str]; 2]| {
                Some(Kind::Side(row, sides.iter().position(|names| is(texts[at], names))?))
            };
            PAIRS.iter().enumerate().find_map(|(row, sides)| side(row, sides))
        };
        let gives_up = || {
            let stops = is(texts[at], &["stop", "stops", "stopped", "ceas*", "quit", "quits"]);
            stops && text_at(words, at + 1).ends_with("ing")
        };
        kinds[at] = if let Some(side) = way {
            Kind::Side(RISING, side)
        } else if phrase.is_some() {
            Kind::Denying
        } else if denies_at(&texts, at) {
            Kind::Denial
        } else if let Some(kind) = particle(at) {
            kind
        } else if texts[at] == "longer" && matches!(text_before(words, at, 1), "no" | "any") {
            Kind::Holds
        } else if describes(words, at) {
            Kind::Says
        } else if gives_up() || forbids(texts[at]) || is(texts[at], DENYING) {
            Kind::Denying
        } else if let Some(kind) = pair() {
            kind
        } else if is(texts[at], HOLDING) {
            Kind::Holds
        } else {
            Kind::Says
        };
        let length = phrase.map_or(1 + usize::from(way.is_some()), |phrase| phrase.len());
        for rest in kinds.iter_mut().skip(at + 1).take(length - 1) {
            *rest = Kind::Holds;
        }
        // Of "neither … nor", one denies; "no more than 3" bounds.
        let bounds = text_at(words, at + 2) == "than";
        if kinds[at] == Kind::Denial && (texts[at] == "nor" || bounds) {
            kinds[at] = Kind::Holds;
        }
        at += length;
    }
    kinds
}

/// What a word that denies by itself is said of: what it is done to, or what stands before it.
fn of_verb(words: &[Word], at: usize, says: &dyn Fn(usize) -> bool) -> BTreeSet<String> {
    let told = |at: usize| stem(text_at(words, at));
    let is_passive = (1..=2).any(|back| BEING.contains(&text_before(words, at, back)));
    let ends = |at: &usize| ENDS.contains(&text_at(words, *at));
    let behind = |from: usize| (from..words.len()).take_while(|at| !ends(at)).filter(|at| says(*at)).take(OF).map(told);
    let skipped = (at + 1..words.len()).take_while(|at| ends(at) || !says(*at)).count();
    // "ran out of space"
    let from = (at + 1..words.len()).find(|at| !matches!(text_at(words, *at), "of" | "out" | "than"));
    let after: BTreeSet<String> = behind(from.unwrap_or(words.len())).collect();
    let before = || -> BTreeSet<String> { (0..at).rev().filter(|at| says(*at)).take(OF).map(told).collect() };
    match is_passive || after.is_empty() {
        true if before().is_empty() => behind(at + 1 + skipped).collect(),
        true => before(),
        false => after,
    }
}

/// The stem of a word that begins as the contrary of another, and that of the other.
fn contraries_of(word: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let plain = PREFIXES.iter().filter_map(|(start, least)| {
        let rest = word.strip_prefix(start)?;
        (rest.len() >= *least && rest.chars().all(char::is_alphabetic)).then_some(rest)
    });
    plain.map(|rest| (stem(word), stem(rest)))
}

#[cfg(test)]
#[path = "polarity_tests.rs"]
mod tests;
