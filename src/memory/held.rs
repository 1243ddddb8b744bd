//! Whether a text that is near a sentence can say it: it has the figures and names of that, says something of them, and
//! denies nothing of it. What it means beside that is for others to judge.

use std::collections::BTreeSet;

use super::claim::Claim;
use super::lexer::{Word, is_figure, words};
use super::measure::Support;
use super::near::{Backing, Said, Sources};
use super::sense::{ends_clause, stem};
use super::words::{exact, is_silent};

/// Share of a sentence's words that another must have to deny it: with fewer, it speaks of something else.
const DENIES: f64 = 0.6;
/// Words behind which a word joined by a hyphen says how something is: "is read-only".
const BEING: &[&str] = &["am", "are", "be", "become", "becomes", "been", "being", "is", "stay", "stays", "was", "were"];
/// Sentences of more characters are not read for what they need: a page is no sentence.
const LONGEST: usize = 4_000;

/// What a text must have to say a sentence.
#[derive(Clone, Debug)]
pub struct Needs {
    claim: Claim,
    said: Said,
    sentence: String,
    /// Its figures, and names of code.
    figures: Vec<String>,
    /// Names that are words joined by hyphens, the longest first, each as its words.
    names: Vec<Vec<String>>,
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
}

impl Needs {
    /// What a sentence needs.
    #[must_use]
    pub fn of(sentence: &str) -> Needs {
        let read = sentence.get(..sentence.floor_char_boundary(LONGEST)).unwrap_or_default();
        let claim = Claim::of(read);
        let plain = exact(read);
        let mut names = names_of(&words(&plain));
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let mut figures: Vec<String> = claim.looked_up().map(str::to_owned).collect();
        // A name of several words is looked for as a whole.
        figures.retain(|figure| is_figure(figure) || !names.iter().any(|name| name.contains(figure)));
        figures.dedup();
        Needs { said: Said::of(read), sentence: read.to_owned(), figures, names, speaks: speaks(read), claim }
    }

    /// Why a text does not say it; `None` where it may. `nearest`: the sentence of the text that is most like it.
    #[must_use]
    pub fn lack(&self, text: &str, nearest: &str) -> Option<Lack> {
        if self.speaks && !speaks(text) {
            return Some(Lack::Words);
        }
        if let Some(figure) = self.figure_not_in(text) {
            return Some(Lack::Name(figure));
        }
        if let Some(name) = self.name_not_in(text) {
            return Some(Lack::Name(name));
        }
        let shares = || self.said.number() > 0 && self.said.share_in(&Said::of(nearest)) >= DENIES;
        let denies = || Claim::of(nearest).contradicts(&self.claim);
        (shares() && denies()).then_some(Lack::Denied)
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

/// Whether a text has a word that is no figure and no part of a name or path, or sets a name to something.
fn speaks(text: &str) -> bool {
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
mod tests {
    use super::*;

    fn lack(sentence: &str, text: &str) -> Option<Lack> {
        Needs::of(sentence).lack(text, text)
    }

    fn name(name: &str) -> Option<Lack> {
        Some(Lack::Name(name.to_owned()))
    }

    #[test]
    fn a_text_says_a_sentence_with_its_figures_and_names() {
        let fact = "the mail-relay service has to be moved to port 2525";
        for text in [
            "Please note: the mail-relay service goes to port 2525 before Friday.",
            "MailRelay listens on 2525 from now on",
            "mail_relay: the port becomes 2525",
        ] {
            assert_eq!(lack(fact, text), None, "{text}");
        }
        assert_eq!(lack(fact, "The mail-relay service has to be moved to port 9090."), name("2525"));
        assert_eq!(lack(fact, "mail-relay"), Some(Lack::Words));
        assert_eq!(lack(fact, "- mail-relay\n- src/mail-relay/2525.rs"), Some(Lack::Words));
        assert_eq!(lack(fact, "The mail-relay service does not have to be moved to port 2525."), Some(Lack::Denied));
        assert_eq!(lack("move mail-relay to the new host", "Move web-relay to the new host."), name("mail-relay"));
        assert_eq!(lack("the timeout is 30 seconds", "It gives up after 30000 ms"), None);
        assert_eq!(lack("refunds take 14 days", "Money is back within 2 weeks."), None);
    }

    #[test]
    fn a_name_within_another_is_not_that_name() {
        let fact = "side-panel-widget is to be called panel-widget";
        assert_eq!(lack(fact, "Added the new side-panel-widget to the docs."), name("panel-widget"));
        assert_eq!(lack(fact, "Rename side-panel-widget to panel-widget."), None);
    }

    #[test]
    fn what_says_how_something_is_may_be_said_in_other_words() {
        for (fact, text) in [
            ("the interface is read-only for guests", "Guests must change nothing through the interface."),
            ("a long-running export may block the page", "The page hangs while an export takes hours."),
            ("keep the docs up-to-date", "Change the docs with each release."),
        ] {
            assert_eq!(lack(fact, text), None, "{fact}");
        }
    }

    #[test]
    fn one_word_says_something_where_it_sets_a_value_or_needs_no_blanks() {
        assert_eq!(lack("the port is 2525", "port=2525"), None);
        assert_eq!(lack("\u{6e2f}\u{53e3}\u{662f} 2525", "\u{6e2f}\u{53e3}\u{662f}2525\u{3002}"), None);
        assert_eq!(lack("mail-relay", "mail-relay"), None, "a name alone asks for no more");
        assert_eq!(lack("", ""), None);
    }
}
