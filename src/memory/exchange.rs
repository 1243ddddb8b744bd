//! Who does what, and what was before and after: "Ops reviews a, Finance b" is not "Finance reviews a, Ops b", nor
//! "120 ms before, 80 ms after" the other way round.

use std::collections::{BTreeMap, BTreeSet};

use super::dealt::Dealt;
use super::figure::figures_among;
use super::lexer::{Word, is_figure, is_number};
use super::sense::{ends_clause, is_empty, joins, stem};
use super::words::is_silent;

/// Words by which a figure is told to be of the time before something, and of that after it.
const BEFORE: &[&str] = &["before", "earlier", "formerly", "old", "originally", "previously", "prior"];
const AFTER: &[&str] = &["after", "afterwards", "currently", "later", "new", "now"];

/// Clauses of a sentence that are held against those of another: one with more is a list.
const CLAUSES: usize = 12;

/// What the clauses of a sentence tell of whom, and which of its figures are of before and after.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    /// Stems of the words of each clause that say something, in order.
    clauses: Vec<Vec<String>>,
    /// What it deals out to several "respectively".
    dealt: Vec<Dealt>,
    /// Whether it says "respectively": its clauses say nothing each by itself.
    deals: bool,
    /// Stems of names: words with a capital that begin no sentence.
    names: BTreeSet<String>,
    /// Lists of two within one phrase, in the order of letters: "lint and type errors" is "type and lint errors".
    twos: BTreeSet<(String, String)>,
    /// Figures that are told to be of before (`false`) or after.
    times: Vec<(String, bool)>,
}

impl Exchange {
    /// Takes a sentence in: as it is written, and its words.
    pub fn read(&mut self, text: &str, words: &[Word]) {
        let clauses = clauses_of(words);
        self.times.extend(times_of(&clauses));
        let says =
            |word: &&Word| !is_empty(&word.text) && !is_silent(&word.text) && word.text.contains(char::is_alphanumeric);
        let clauses: Vec<Vec<String>> = clauses
            .iter()
            .map(|clause| clause.iter().filter(says).map(|word| stem(&word.text)).collect())
            .filter(|clause: &Vec<String>| !clause.is_empty())
            .collect();
        if words.iter().any(|word| word.text == "respectively") {
            self.deals = true;
            self.dealt.extend(Dealt::of(&clauses));
        }
        // A clause alone has nothing to exchange with another.
        if clauses.len() > 1 || !self.clauses.is_empty() {
            self.names.extend(names_in(text));
        }
        self.clauses.extend(clauses);
        self.twos.extend(twos_of(text, words));
    }

    /// Whether two clauses of it have changed places with others: what is said of one thing there is said of another
    /// here.
    pub fn is_crossed(&self, other: &Exchange) -> bool {
        let many = |one: &Exchange| one.clauses.len() > CLAUSES;
        if many(self) || many(other) {
            return false;
        }
        if self.deals || other.deals {
            return self.dealt.iter().any(|own| other.dealt.iter().any(|there| own.is_otherwise(there)));
        }
        if other.clauses.len() < 2 {
            return false;
        }
        let (mine, theirs) = (self.places(), other.places());
        // Which clause here shares a word with which clause there; a clause that mostly says something else is told in
        // other words.
        let (same, also) = (self.same_in(other), other.same_in(self));
        // Which of two stands first in a list of both says nothing.
        let both = self.twos.intersection(&other.twos);
        let listed: BTreeSet<&str> = both.flat_map(|(one, two)| [one.as_str(), two.as_str()]).collect();
        let cells: BTreeSet<(usize, usize)> = mine
            .iter()
            .filter(|(word, _)| !listed.contains(*word))
            .filter_map(|(word, own)| Some((*own, *theirs.get(word)?)))
            .filter(|(own, there)| same.contains(own) && also.contains(there))
            .collect();
        has_ring(&cells) || self.is_mixed(other)
    }

    /// The clauses that have most of their words there.
    fn same_in(&self, other: &Exchange) -> BTreeSet<usize> {
        let there: BTreeSet<&String> = other.clauses.iter().flatten().collect();
        let is_same = |(_, clause): &(usize, &Vec<String>)| {
            let shared = clause.iter().filter(|word| there.contains(word)).count();
            shared * 3 >= clause.len() * 2
        };
        self.clauses.iter().enumerate().filter(is_same).map(|(at, _)| at).collect()
    }

    /// Whether a clause says of one name what a clause there says of another, by the same verb: "Ops reviews b" where
    /// that has "Ops reviews a, Finance b".
    fn is_mixed(&self, other: &Exchange) -> bool {
        let own: BTreeSet<&String> = self.clauses.iter().flatten().collect();
        // Of whom a clause says what: by the same verb, or by one that goes without saying.
        let object = |clause: &Vec<String>, verb: &String| {
            let (named, rest) = clause.split_first()?;
            let is_same = rest.len() == 1 || rest.first() == Some(verb);
            let object = rest.last().filter(|_| is_same && other.is_name(named) && !own.contains(named));
            object.cloned()
        };
        self.clauses.iter().any(|clause| {
            other.clauses.iter().enumerate().any(|(at, of)| {
                let leads = clause.len() > 2 && of.len() > 2 && clause.get(..2) == of.get(..2);
                let lacks = || of.iter().skip(2).all(|word| !own.contains(word));
                let next = || other.clauses.get(at + 1).and_then(|next| object(next, of.get(1)?));
                leads && lacks() && next().is_some_and(|object| clause.contains(&object))
            })
        })
    }

    fn is_name(&self, stem: &str) -> bool {
        is_figure(stem) || self.names.contains(stem)
    }

    /// The clause of each word that stands in one only.
    fn places(&self) -> BTreeMap<&str, usize> {
        let mut found: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        for (at, clause) in self.clauses.iter().enumerate() {
            for word in clause {
                found.entry(word).and_modify(|known| *known = known.filter(|known| *known == at)).or_insert(Some(at));
            }
        }
        found.into_iter().filter_map(|(word, at)| Some((word, at?))).collect()
    }

    /// Whether a figure is of after here that is of before there, or the other way, and another has taken its place.
    /// `flipped`: what stands before the word here stands behind its opposite there, so that only figures of both times
    /// in both tell.
    pub fn swaps_times(&self, other: &Exchange, flipped: bool) -> bool {
        if flipped && !(self.has_both_times() && other.has_both_times()) {
            return false;
        }
        let has =
            |one: &Exchange, figure: &str, after: bool| one.times.iter().any(|(own, is)| own == figure && *is == after);
        let another =
            |one: &Exchange, figure: &str, after: bool| one.times.iter().any(|(own, is)| own != figure && *is == after);
        self.times.iter().any(|(figure, after)| {
            has(other, figure, !after)
                && !has(other, figure, *after)
                && (another(other, figure, *after) || another(self, figure, !after))
        })
    }

    /// Whether the figures of before and after are the same in both: it does not matter which is told first.
    pub fn has_times_of(&self, other: &Exchange) -> bool {
        let same = |one: &Exchange, other: &Exchange| one.times.iter().all(|time| other.times.contains(time));
        self.has_both_times() && same(self, other) && same(other, self)
    }

    fn has_both_times(&self) -> bool {
        [true, false].iter().all(|after| self.times.iter().any(|(_, is)| is == after))
    }
}

/// Whether clauses lead to clauses there and back to where one began: two that have exchanged what they say, or three
/// that have passed it on.
fn has_ring(cells: &BTreeSet<(usize, usize)>) -> bool {
    // Which clauses hang together, those of here and those of there.
    let mut groups: BTreeMap<(bool, usize), usize> = BTreeMap::new();
    for (number, (own, there)) in cells.iter().enumerate() {
        let (own, there) = ((true, *own), (false, *there));
        match (groups.get(&own).copied(), groups.get(&there).copied()) {
            (Some(one), Some(two)) if one == two => return true,
            (Some(one), Some(two)) => groups.values_mut().filter(|group| **group == two).for_each(|group| *group = one),
            (known, also) => {
                let group = known.or(also).unwrap_or(number);
                groups.extend([(own, group), (there, group)]);
            }
        }
    }
    false
}

/// The clauses of a sentence: they end at commas, brackets and stops, and before "and" and its like.
fn clauses_of<'a, 'b>(words: &'a [Word<'b>]) -> Vec<&'a [Word<'b>]> {
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, word) in words.iter().enumerate() {
        if joins(&word.text) {
            found.push((start, at));
            start = at + 1;
        } else if ends_clause(word.after) || word.after.contains(',') {
            found.push((start, at + 1));
            start = at + 1;
        }
    }
    found.push((start, words.len()));
    found.into_iter().filter(|(from, to)| from < to).filter_map(|(from, to)| words.get(from..to)).collect()
}

/// Words that say something in a phrase that is short enough to be one of two.
const SHORT: usize = 2;

/// The pairs that "and" or "or" joins to lists of two: the words beside it, or those before one word that both have
/// ("type errors and lint errors"). Names and long clauses may each tell something of their own.
fn twos_of(text: &str, words: &[Word]) -> Vec<(String, String)> {
    let joints: Vec<usize> =
        (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| matches!(&*word.text, "and" | "or"))).collect();
    if joints.is_empty() {
        return Vec::new();
    }
    let names: BTreeSet<String> = names_in(text).collect();
    let says =
        |word: &&Word| !is_empty(&word.text) && !is_silent(&word.text) && word.text.contains(char::is_alphanumeric);
    let ends = |word: &Word| ends_clause(word.after) || word.after.contains(',');
    let told = |word: &Word| stem(&word.text);
    let is_named = |word: &String| names.contains(word) || (is_figure(word) && !is_number(word));
    let pair = |at: usize| {
        let before = words.get(..at)?.iter().rev().take_while(|word| !ends(word) && !joins(&word.text));
        let before: Vec<String> = before.filter(says).map(told).take(SHORT + 1).collect();
        let mut ended = false;
        let behind = words.get(at + 1..)?.iter().take_while(|word| {
            let goes_on = !ended && !joins(&word.text);
            ended |= ends(word);
            goes_on
        });
        let behind: Vec<String> = behind.filter(says).map(told).take(SHORT + 1).collect();
        let (own, next) = (before.first()?, behind.first()?);
        let of_one = behind.get(1) == Some(own);
        let two = match of_one {
            true => (before.get(1)?, next),
            false => (own, next),
        };
        let is_short = before.len().min(behind.len()) <= SHORT && !is_named(two.0) && !is_named(two.1);
        let (one, other) = if two.0 <= two.1 { two } else { (two.1, two.0) };
        (of_one || is_short).then(|| (one.clone(), other.clone()))
    };
    joints.into_iter().filter_map(pair).collect()
}

/// The figures that clauses tell to be of before or after: one of each clause with one such word, also where that stands
/// alone before it ("Before: 120 ms").
fn times_of(clauses: &[&[Word]]) -> Vec<(String, bool)> {
    let (mut found, mut carried) = (Vec::new(), None);
    for clause in clauses {
        let has = |list: &[&str]| clause.iter().any(|word| list.contains(&&*word.text));
        let told = match (has(BEFORE), has(AFTER)) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            (true, true) => None,
            (false, false) => carried,
        };
        let mut numbers = figures_among(clause).into_iter().filter(|figure| figure.is_number);
        match (numbers.next(), numbers.next()) {
            (Some(figure), None) => {
                found.extend(told.map(|after| (figure.text, after)));
                carried = None;
            }
            (None, _) => carried = told,
            _ => carried = None,
        }
    }
    found
}

/// Stems of the words of a text that have a capital and begin nothing.
fn names_in(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_')).filter(|word| !word.is_empty());
    let named = words.skip(1).filter(|word| word.starts_with(char::is_uppercase) && word.len() > 1);
    named.map(|word| stem(&word.to_lowercase()))
}
