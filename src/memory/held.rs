//! Whether a text that is near a sentence can say it: it has the figures and names of that, says something of them, and
//! denies nothing of it. What it means beside that is for others to judge.

use std::collections::BTreeSet;

use super::figure::{Figure, figures_among, is_same, number_and_unit};
use super::lexer::{Word, is_figure, words};
use super::measure::Support;
use super::near::{Backing, Said, Sources};
use super::numeral::counted;
use super::polarity::{Assertion, Contrary};
use super::sense::{ends_clause, stem};
use super::sides::{opposed, sides_of};
use super::subject::subject_of;
use super::unsettled::{Settled, Unsettled};
use super::words::{exact, is_silent};

/// Share of a sentence's words that another must have to deny it: with fewer, it speaks of something else.
const SHARE_TO_DENY: f64 = 0.6;
/// Words behind which a word joined by a hyphen says how something is: "is read-only".
const BEING: &[&str] = &["am", "are", "be", "become", "becomes", "been", "being", "is", "stay", "stays", "was", "were"];
/// Letters by which a name is known in its other forms: Germany and German.
const STEM: usize = 4;
/// Sentences of more characters are not read for what they need: a page is no sentence.
const LONGEST: usize = 4_000;

/// What a text must have to say a sentence.
#[derive(Clone, Debug)]
pub struct Needs {
    asserts: Assertion,
    settled: Settled,
    said: Said,
    sentence: String,
    /// Its figures, and names of code.
    figures: Vec<String>,
    /// Names that are words joined by hyphens, the longest first, each as its words.
    names: Vec<Vec<String>>,
    /// Its amounts, each with its unit, and its times of day: the number alone may be one of something else.
    amounts: Vec<String>,
    /// Its bare numbers in words: another number in the place of one says something else.
    counts: Vec<String>,
    /// Words that name somebody or some place.
    called: Vec<String>,
    /// Whether it says something beside them.
    speaks: bool,
}

/// Why a text that is near a sentence does not say it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lack {
    /// It only names things.
    Words,
    /// It has not this figure or name.
    Name(String),
    /// It denies what the sentence affirms, or affirms what that denies.
    Denied,
    /// It says nearly its words otherwise round: the opposite, or of something else.
    Turned,
    /// It only plans it, or supposes it.
    Open,
    /// It tells that it was so once.
    Past,
}

impl Needs {
    /// What a sentence needs.
    #[must_use]
    pub fn of(sentence: &str) -> Needs {
        let read = sentence.get(..sentence.floor_char_boundary(LONGEST)).unwrap_or_default();
        let asserts = Assertion::of(read);
        let plain = exact(read);
        let mut names = names_of(&words(&plain));
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let mut figures: Vec<String> = asserts.claim().looked_up().map(str::to_owned).collect();
        // A name of several words is looked for as a whole.
        figures.retain(|figure| is_figure(figure) || !names.iter().any(|name| name.contains(figure)));
        figures.dedup();
        let read_words = counted(&plain);
        let in_words = |figure: &Figure| read_words.get(figure.place.0).is_some_and(|word| word.in_words);
        let told = figures_among(&read_words);
        let counts = told.iter().filter(|figure| in_words(figure) && is_bare(&figure.text));
        let counts = counts.map(|figure| figure.text.clone()).collect();
        let amounts = told.into_iter().map(|figure| figure.text);
        Needs {
            said: Said::of(read),
            settled: Settled::of(read),
            sentence: read.to_owned(),
            figures,
            names,
            amounts: amounts.filter(|figure| figure.contains([' ', ':'])).collect(),
            counts,
            called: called(read).into_iter().map(str::to_lowercase).collect(),
            speaks: speaks(read),
            asserts,
        }
    }

    /// Why a text does not say it; `None` where it may. `nearest`: the sentence of the text that is most like it.
    #[must_use]
    pub fn lack(&self, text: &str, nearest: &str) -> Option<Lack> {
        if self.speaks && !speaks(text) {
            return Some(Lack::Words);
        }
        if let Some(figure) = self.figure_not_in(text).or_else(|| self.amount_not_in(text)) {
            return Some(Lack::Name(figure));
        }
        if let Some(name) = self.name_not_in(text) {
            return Some(Lack::Name(name));
        }
        let number = f64::from(u32::try_from(self.said.number()).unwrap_or(u32::MAX));
        // The opposite of a word stands in its place.
        let opposed = f64::from(u32::try_from(self.opposed_in(nearest)).unwrap_or(0));
        let share = self.said.share_in(&Said::of(nearest));
        match self.settled.lack(text) {
            Some(Unsettled::Open) => return Some(Lack::Open),
            Some(Unsettled::Past) => return Some(Lack::Past),
            None => {}
        }
        if let Some(name) = self.begins_otherwise(text, nearest, share * number) {
            return Some(Lack::Name(name));
        }
        if let Some(figure) = self.counts_otherwise(text, nearest, share * number) {
            return Some(Lack::Name(figure));
        }
        let there = Assertion::of(nearest);
        if there.denies(&self.asserts) {
            return Some(Lack::Denied);
        }
        if let Some(name) = self.called_otherwise(text, nearest, share * number) {
            return Some(Lack::Name(name));
        }
        if number <= 0.0 || share + opposed / number < SHARE_TO_DENY {
            return None;
        }
        Some(match there.contrary_to(&self.asserts)? {
            Contrary::Denied => Lack::Denied,
            Contrary::Turned => Lack::Turned,
        })
    }

    /// Words of which an opposite stands there; another number may be the same amount of a larger unit.
    fn opposed_in(&self, text: &str) -> usize {
        let sides = |text: &str| sides_of(&counted(&exact(text)));
        let (own, there) = (sides(&self.sentence), sides(text));
        opposed(&own, &there).filter(|stem| !is_figure(stem)).count()
    }

    /// The name that it begins with, where the other begins with another: both have a capital, or one verb. A capital
    /// may also follow what is done by somebody. `shared`: how many of its words the other has, beside the name enough.
    fn begins_otherwise(&self, text: &str, nearest: &str, shared: f64) -> Option<String> {
        let own = subject_of(&self.sentence)?;
        let beside = self.said.number().saturating_sub(own.name.split_whitespace().count());
        if shared < SHARE_TO_DENY * f64::from(u32::try_from(beside.max(1)).unwrap_or(u32::MAX)) {
            return None;
        }
        let alike = |text: &str, name: &str| {
            let text = text.to_lowercase();
            name.to_lowercase().split_whitespace().any(|word| {
                let begins = word.get(..word.floor_char_boundary(STEM)).unwrap_or(word);
                text.split(|sign: char| !sign.is_alphanumeric()).any(|word| word.starts_with(begins))
            })
        };
        let by = || nearest.split_once(" by ").and_then(|(_, by)| called(by).into_iter().next().or(begins_called(by)));
        let another = match subject_of(nearest) {
            Some(other) if other.verb == own.verb || (other.is_great && own.is_great) => Some(other.name),
            Some(_) => None,
            None => by().filter(|_| own.is_great),
        };
        let is_other = another.is_some_and(|name| !alike(&self.sentence, name));
        // Where that is said of the other, the name may stand beside it: "Bob approves releases, and Alice reviews them".
        let clause = nearest.split([',', ';']).next().and_then(|clause| clause.split(" and ").next());
        let of_same = subject_of(nearest).filter(|other| other.verb == own.verb).and(clause);
        (is_other && !alike(of_same.unwrap_or(text), own.name)).then(|| own.name.to_lowercase())
    }

    /// A name for which another stands there. `shared`: how many of its words the other has, beside its names enough.
    fn called_otherwise(&self, text: &str, nearest: &str, shared: f64) -> Option<String> {
        let beside = self.said.number().saturating_sub(self.called.len()).max(1);
        if shared < SHARE_TO_DENY * f64::from(u32::try_from(beside).unwrap_or(u32::MAX)) {
            return None;
        }
        let (own, there) = (self.sentence.to_lowercase(), text.to_lowercase());
        let alike = |text: &str, name: &str| {
            let begins = name.get(..name.floor_char_boundary(STEM)).unwrap_or(name);
            text.split(|sign: char| !sign.is_alphanumeric()).any(|word| word.starts_with(begins))
        };
        let missing = self.called.iter().find(|name| !alike(&there, name))?;
        let another = called(nearest).into_iter().any(|name| !alike(&own, &name.to_lowercase()));
        another.then(|| missing.clone())
    }

    /// An amount of which the text has only another, or the same number of something else.
    fn amount_not_in(&self, text: &str) -> Option<String> {
        if self.amounts.is_empty() {
            return None;
        }
        let told: Vec<String> = figures_among(&counted(&exact(text))).into_iter().map(|figure| figure.text).collect();
        let number = |figure: &String| number_and_unit(figure).0.to_owned();
        let is_there = |figure: &String| {
            let has = |one: &String| is_same(one, figure) || *one == number(figure) || number(one) == *figure;
            told.iter().any(has)
        };
        self.amounts.iter().find(|figure| !is_there(figure)).cloned()
    }

    /// A number in words for which another number stands there, in words or digits. `shared`: how many of its words the
    /// other has, beside its numbers enough.
    fn counts_otherwise(&self, text: &str, nearest: &str, shared: f64) -> Option<String> {
        let beside = self.said.number().saturating_sub(self.counts.len()).max(1);
        if self.counts.is_empty() || shared < SHARE_TO_DENY * f64::from(u32::try_from(beside).unwrap_or(u32::MAX)) {
            return None;
        }
        let numbers = |text: &str| -> Vec<String> {
            let told = figures_among(&counted(&exact(text))).into_iter().map(|figure| figure.text);
            told.map(|figure| number_and_unit(&figure).0.to_owned()).collect()
        };
        let (there, near) = (numbers(text), numbers(nearest));
        let is_another = |number: &String| is_bare(number) && !self.counts.contains(number);
        near.iter()
            .any(is_another)
            .then(|| self.counts.iter().find(|number| !there.contains(number)).cloned())
            .flatten()
    }

    fn figure_not_in(&self, text: &str) -> Option<String> {
        if self.figures.is_empty() {
            return None;
        }
        let wanted = std::iter::once(&*self.sentence);
        let read = Sources::of(&[Backing::said(text)], wanted, &|_, _| Support::Stands);
        self.figures.iter().find(|figure| !read.has(figure)).cloned()
    }

    /// A name may stand there as one word, or as several; not as a part of another name of the sentence.
    fn name_not_in(&self, text: &str) -> Option<String> {
        if self.names.is_empty() {
            return None;
        }
        let mut rest = exact(text).to_lowercase();
        for name in &self.names {
            let joined = name.join("-");
            let all: BTreeSet<String> = words(&rest).iter().map(|word| stem(&word.text)).collect();
            let squeezed: String = rest.chars().filter(|sign| sign.is_alphanumeric()).collect();
            if !squeezed.contains(&name.concat()) && !name.iter().all(|word| all.contains(&stem(word))) {
                return Some(joined);
            }
            rest = rest.replace(&joined, " ");
        }
        None
    }
}

/// Whether a figure is a whole number by itself.
fn is_bare(figure: &str) -> bool {
    figure.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a text that name somebody or some place: they have a capital and begin nothing, or own something.
fn called(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begins = true;
    let mut rest = text;
    while let Some(from) = rest.find(char::is_alphanumeric) {
        begins |= rest.get(..from).is_some_and(|between| between.contains(['.', '!', '?', ':', '\n', '"', '\u{201c}']));
        rest = rest.get(from..).unwrap_or_default();
        let end = rest.find(|sign: char| !(sign.is_alphanumeric() || sign == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let owns = after.starts_with("'s ") || after.starts_with("\u{2019}s ");
        let plain = word.chars().skip(1).all(char::is_lowercase) && word.chars().count() > 1;
        let lower = word.to_lowercase();
        let silent = is_silent(&lower) || lower == "let";
        if plain && word.starts_with(char::is_uppercase) && (!begins || owns) && !silent {
            found.push(word);
        }
        (begins, rest) = (false, after);
    }
    found
}

/// The first word of a text, where it has a capital.
fn begins_called(text: &str) -> Option<&str> {
    let word = text.split(|sign: char| !sign.is_alphanumeric()).next()?;
    Some(word).filter(|word| word.starts_with(char::is_uppercase))
}

/// Whether a text has a word that is no figure and no part of a name or path, or sets a name to something.
pub(super) fn speaks(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let letters = word.chars().all(|sign| sign.is_alphabetic() || matches!(sign, '\'' | '\u{2019}'));
        !word.is_ascii() || (word.len() > 1 && letters)
    };
    let mut tokens = text.split_whitespace();
    let first = tokens.next().unwrap_or_default();
    let Some(second) = tokens.next() else {
        // A script without blanks says all in one word, and a setting has its value behind a mark.
        let value = |mark| first.split_once(mark).is_some_and(|(name, value)| !name.is_empty() && !value.is_empty());
        return !first.is_ascii() || value('=') || value(':');
    };
    [first, second].into_iter().chain(tokens).any(is_word)
}

/// The names of a sentence that are words joined by hyphens: of three or more, or of two that stand where a thing does
/// and not before one, as "a long-running job", nor say how one is.
fn names_of(words: &[Word]) -> Vec<Vec<String>> {
    let (mut found, mut from) = (Vec::new(), 0);
    while from < words.len() {
        let rest = words.get(from..).unwrap_or_default();
        let to = (from + 1 + rest.iter().take_while(|word| word.after == "-").count()).min(words.len());
        let parts = words.get(from..to).unwrap_or_default();
        let says = |word: &Word| word.text.chars().all(char::is_alphabetic) && !is_silent(&word.text);
        let before = from.checked_sub(1).and_then(|at| words.get(at));
        let is_thing = || {
            let ends = parts.last().is_some_and(|word| ends_clause(word.after) || !word.after.contains(' '));
            let next = words.get(to).is_none_or(|word| is_silent(&word.text) || BEING.contains(&&*word.text));
            (ends || next) && before.is_none_or(|word| !BEING.contains(&&*word.text))
        };
        if parts.len() > 1 && parts.iter().all(says) && (parts.len() > 2 || is_thing()) {
            let name: Vec<String> = parts.iter().map(|word| word.text.to_lowercase()).collect();
            if !found.contains(&name) {
                found.push(name);
            }
        }
        from = to;
    }
    found
}

#[cfg(test)]
#[path = "held_tests.rs"]
mod tests;
