//! What a sentence says is done to what: "created the table" is not "deleted the table", though all other words of two
//! sentences are the same.

use super::lexer::{Word, is_figure, text_before};
use super::sense::{ends_clause, is_empty, joins, stem};
use super::stand::is_verb_of_done;
use super::words::{is_silent, stem_of};

/// Verbs by which one deed is told.
const SAME: &[&[&str]] = &[
    &["fixed", "repaired", "resolved", "corrected", "patched", "addressed", "solved", "handled"],
    &["changed", "updated", "modified", "edited", "adjusted", "altered", "revised", "improved", "extended"],
    &["added", "created", "implemented", "introduced", "write", "inserted", "build", "make", "generated", "included"],
    &["removed", "deleted", "dropped", "erased", "cleared"],
    &["moved", "migrated", "transferred", "relocated"],
    &["replaced", "swapped", "switched", "converted", "changed", "migrated"],
    &["tested", "verified", "checked", "validated", "confirmed", "reviewed", "run"],
    &["discovered", "identified", "detected", "noticed", "found", "revealed", "realized"],
    &["refactored", "restructured", "reorganized", "rewrite", "changed"],
    &["asked", "requested", "wanted", "needed", "instructed"],
    &["said", "told", "noted", "mentioned", "stated", "explained", "reported", "pointed", "observed", "suggested"],
    &["completed", "finished", "done", "do"],
    &["occurred", "happened"],
    &["postponed", "deferred", "delayed", "shelved", "paused"],
    &["abandoned", "aborted", "cancelled", "canceled", "discarded", "dropped", "scrapped"],
    &["returned", "yielded", "produced", "gave"],
    &["break", "crashed", "damaged", "disrupted", "failed"],
    &["started", "launched"],
    &["read", "see", "view", "access"],
    &["use", "run", "call", "invoke"],
];

/// Words behind which it stands what somebody may do, or is to do.
const RIGHTS: &[&str] = &["can", "cannot", "could", "may", "must", "shall", "should"];

/// How a sentence tells of a thing what another verb or word would tell otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What is done to it.
    Done,
    /// What doing it does.
    Doing,
    /// What may be done to it.
    Right,
    /// How it is: "the key is red".
    State,
}

/// A verb of what is done, and what stands beside it.
#[derive(Clone, Debug)]
pub(super) struct Deed {
    kind: Kind,
    stem: String,
    beside: Beside,
}

/// The stems of the nearest words before and behind a word that say something, within what one verb tells.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    /// The two before, the nearer first: "the staging build" is not "the production build".
    before: Vec<String>,
    /// The one behind.
    after: Option<String>,
}

impl Beside {
    /// Of the word at a place.
    pub fn of(words: &[Word], at: usize) -> Beside {
        let says =
            |word: &&Word| word.text.contains(char::is_alphanumeric) && !is_empty(&word.text) && !is_silent(&word.text);
        // "a passed and b failed" tells two things.
        let ends = |at: usize| words.get(at).is_none_or(|word| ends_clause(word.after) || word.after.contains(','));
        let parts = |at: usize| ends(at) || words.get(at).is_some_and(|word| joins(&word.text));
        let before = (0..at).rev().take_while(|at| !parts(*at)).filter_map(|at| words.get(at));
        let after = (at + 1..words.len())
            .take_while(|at| !ends(at - 1) && !words.get(*at).is_some_and(|word| joins(&word.text)));
        let told = |word: &Word| stem(&word.text);
        Beside {
            before: before.filter(says).take(2).map(told).collect(),
            after: after.filter_map(|at| words.get(at)).find(says).map(told),
        }
    }

    /// Whether the words beside both are the same: what follows, or what goes before where nothing follows one of them,
    /// or what goes before the one and follows the other ("created a" and "a is created").
    pub fn is_of(&self, other: &Beside) -> bool {
        let ends = self.after.is_none() || other.after.is_none();
        let (one, two) = (&self.before, &other.before);
        let are_same = || !one.is_empty() && !two.is_empty() && one.iter().zip(two).all(|(one, two)| one == two);
        let stands = |word: &Option<String>, before: &[String]| word.as_ref().is_some_and(|word| before.contains(word));
        (self.after.is_some() && self.after == other.after)
            || (ends && (are_same() || stands(&self.after, two) || stands(&other.after, one)))
    }
}

impl Deed {
    /// Whether something else is done by another verb to the same.
    fn replaces(&self, other: &Deed) -> bool {
        let row = |row: &&&[&str]| row.iter().any(|word| stem_of(word) == self.stem);
        let is_same = || SAME.iter().filter(row).any(|row| row.iter().any(|word| stem_of(word) == other.stem));
        self.kind == other.kind && self.beside.is_of(&other.beside) && !is_same()
    }
}

/// Whether a text that has some stems tells a deed, by its verb or another for the same.
pub(super) fn is_told(deed: &str, has: &dyn Fn(&str) -> bool) -> bool {
    let row = |row: &&&[&str]| row.iter().any(|word| stem_of(word) == deed);
    has(deed) || SAME.iter().filter(row).any(|row| row.iter().any(|word| has(&stem_of(word))))
}

/// The deeds that a sentence tells, and what it says that may be done, and how things are.
pub(super) fn deeds_of(words: &[Word]) -> impl Iterator<Item = Deed> {
    words.iter().enumerate().filter_map(|(at, word)| {
        let verb = is_verb_of_done(&word.text).or_else(|| (word.text == "broke").then_some("break"));
        let done = verb.filter(|_| !is_figure(&word.text)).map(|verb| (Kind::Done, verb));
        let (kind, verb) = done.or_else(|| Some((kind_of(words, at)?, &*word.text)))?;
        Some(Deed { kind, stem: stem(verb), beside: Beside::of(words, at) })
    })
}

/// Whether a word tells what may be done, or how something is.
fn kind_of(words: &[Word], at: usize) -> Option<Kind> {
    let text = |back: usize| text_before(words, at, back);
    let word = words.get(at).filter(|word| word.text.chars().all(char::is_alphabetic) && word.text.len() > 2)?;
    if is_silent(&word.text) || is_empty(&word.text) {
        return None;
    }
    let before = if matches!(text(1), "also" | "never" | "not" | "only") { text(2) } else { text(1) };
    let ends = ends_clause(word.after) || word.after.contains(['.', ',']) || at + 1 == words.len();
    match before {
        _ if RIGHTS.contains(&before) => Some(Kind::Right),
        "are" | "is" | "was" | "were" if ends && !word.text.ends_with("ing") => Some(Kind::State),
        _ => None,
    }
}

/// What a sentence tells of doing, "adding the index", by verbs that are known to tell one deed or another.
pub(super) fn doing(words: &[Word]) -> impl Iterator<Item = Deed> {
    let known = |verb: &str| SAME.iter().any(|row| row.iter().any(|word| stem_of(word) == verb));
    words.iter().enumerate().filter_map(move |(at, word)| {
        let verb = Some(&*word.text).filter(|text| text.len() > 4 && text.ends_with("ing")).map(stem)?;
        let beside = Beside::of(words, at);
        (known(&verb) && beside.after.is_some()).then_some(Deed { kind: Kind::Doing, stem: verb, beside })
    })
}

/// Whether one tells another deed where the other tells one: with another verb for the same, which neither has
/// elsewhere. `has` and `also_has` tell what stems they have.
pub(super) fn is_another(
    one: &[Deed],
    has: &dyn Fn(&str) -> bool,
    other: &[Deed],
    also_has: &dyn Fn(&str) -> bool,
) -> bool {
    let own = one.iter().filter(|deed| !also_has(&deed.stem));
    own.into_iter().any(|own| other.iter().any(|deed| !has(&deed.stem) && own.replaces(deed)))
}
