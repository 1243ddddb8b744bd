//! What the numbers of a sentence are of: the word before one that names it ("Python 3"), and what it counts or measures
//! ("30 litres"). The same number of something else supports nothing.

use std::collections::BTreeSet;

use super::figure::{figures_among, is_same};
use super::lexer::{Word, is_figure};
use super::sense::{is_empty, joins, stem};
use super::stand::is_verb_of_done;
use super::words::is_silent;

/// Words that stand before a number and name nothing: they bound it, or say when, where or how sure it is.
const BOUNDS: &[&str] = &[
    "above",
    "across",
    "additional",
    "against",
    "almost",
    "already",
    "another",
    "approximately",
    "around",
    "because",
    "before",
    "below",
    "between",
    "both",
    "during",
    "each",
    "equals",
    "every",
    "exactly",
    "except",
    "extra",
    "first",
    "found",
    "gave",
    "got",
    "last",
    "least",
    "like",
    "max",
    "maximum",
    "min",
    "minimum",
    "minus",
    "most",
    "nearly",
    "next",
    "no",
    "not",
    "now",
    "only",
    "other",
    "over",
    "per",
    "plus",
    "precisely",
    "roughly",
    "still",
    "through",
    "total",
    "under",
    "until",
    "via",
    "while",
    "within",
    "without",
];

/// Numbers of a sentence that are read: one with more is data.
const READ: usize = 64;

/// A number, and what it is of, by stems.
#[derive(Clone, Debug)]
struct Amount {
    figure: String,
    name: Option<String>,
    of: Option<String>,
}

/// The numbers of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Amounts(Vec<Amount>);

impl Amounts {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let figures = figures_among(words);
        let mut last: Option<(usize, Option<String>)> = None;
        for figure in figures.into_iter().filter(|figure| figure.is_number).take(READ) {
            let (from, to) = figure.place;
            // "ports 80, 443 and 8080" are all ports.
            let lists = |word: &Word| word.after.chars().all(|sign| matches!(sign, ' ' | ',' | '&' | '/'));
            let goes_on = |end: usize| {
                let between = words.get(end..from).is_some_and(|rest| rest.iter().all(|word| joins(&word.text)));
                between && words.get(end.saturating_sub(1)..from).is_some_and(|list| list.iter().all(lists))
            };
            let name = match last {
                Some((end, name)) if goes_on(end) => name,
                _ => from.checked_sub(1).and_then(|at| words.get(at)).filter(|word| word.after == " ").and_then(named),
            };
            let of = to.checked_sub(1).and_then(|at| words.get(at)).filter(|word| matches!(word.after, " " | "-"));
            let of = of.and_then(|_| words.get(to)).and_then(|word| counted(&figure.text, word));
            last = Some((to, name.clone()));
            self.0.push(Amount { figure: figure.text, name, of });
        }
    }

    /// Whether each that stands in others stands there of the same thing. `stems`: all that its sentence has, and each
    /// of theirs.
    pub fn are_in(&self, stems: &BTreeSet<String>, others: &[(&Amounts, &BTreeSet<String>)]) -> bool {
        self.0.iter().all(|own| {
            let there = |(all, theirs): &(&Amounts, &BTreeSet<String>)| -> Option<bool> {
                let mut same = all.0.iter().filter(|one| is_same(&one.figure, &own.figure)).peekable();
                same.peek()?;
                Some(same.any(|one| own.is_of(one, (self, stems), (all, theirs))))
            };
            let mut found = others.iter().filter_map(there).peekable();
            found.peek().is_none() || found.any(|is_of| is_of)
        })
    }
}

impl Amount {
    /// Whether the same number is of the same thing there, as far as both tell. What stands elsewhere in the sentence
    /// may only be told in another order.
    fn is_of(
        &self,
        other: &Amount,
        (own, stems): (&Amounts, &BTreeSet<String>),
        (all, theirs): (&Amounts, &BTreeSet<String>),
    ) -> bool {
        let differ = |one: &Option<String>, two: &Option<String>| match (one, two) {
            (Some(one), Some(two)) => one != two && !theirs.contains(one) && !stems.contains(two),
            _ => false,
        };
        if differ(&self.of, &other.of) {
            return false;
        }
        let has_unit = self.figure.contains([' ', '/']) || (self.of.is_some() && self.of == other.of);
        if has_unit || self.name == other.name {
            return true;
        }
        // A name is no count: "Windows 10" where that has "10 files".
        if let (Some(name), None, None, Some(of)) = (&self.name, &self.of, &other.name, &other.of)
            && !theirs.contains(name)
            && !stems.contains(of)
        {
            return false;
        }
        // What it names may have another number there: "Python 2" where that has "Phase 2" and "Python 3". But "port
        // 5000" may be that of writes: "reads use port 3000, writes 5000".
        let mut named = all.0.iter().filter(|one| one.name == self.name).peekable();
        let also = || own.0.iter().any(|one| one.name == other.name && is_same(&one.figure, &self.figure));
        let is_owned = other.name.as_ref().is_some_and(|name| stems.contains(name) && !also());
        let renumbered = self.name.is_some()
            && !is_owned
            && named.peek().is_some()
            && named.all(|one| !is_same(&one.figure, &self.figure));
        !renumbered && !differ(&self.name, &other.name)
    }
}

/// The stem of a word before a number, where it names that.
fn named(word: &Word) -> Option<String> {
    let text = &*word.text;
    let is_name = text.chars().all(char::is_alphabetic)
        && text.chars().nth(1).is_some()
        && !is_silent(text)
        && !is_empty(text)
        && !BOUNDS.contains(&text)
        && !text.ends_with("ing")
        && is_verb_of_done(text).is_none();
    is_name.then(|| stem(text))
}

/// The stem of a word behind a number, where that counts it: several of it, or one.
fn counted(figure: &str, word: &Word) -> Option<String> {
    let text = &*word.text;
    let is_many = text.ends_with('s') && !["ss", "us", "is"].iter().any(|end| text.ends_with(end));
    let says = text.len() > 2 && !is_silent(text) && !is_empty(text) && !is_figure(text);
    (says && (is_many || figure == "1") && text.chars().all(char::is_alphabetic)).then(|| stem(text))
}

#[cfg(test)]
mod tests {
    use super::super::claim::Claim;

    fn is_in(one: &str, others: &[&str]) -> bool {
        let others: Vec<Claim> = others.iter().map(|other| Claim::of(other)).collect();
        Claim::of(one).is_bound_in(&others.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_number_is_of_what_it_counts_and_of_what_it_names() {
        for (one, others) in [
            ("The tank holds 30 gallons.", &["The tank holds 30 litres."][..]),
            ("The tool needs Python 2.", &["The tool needs Python 3.", "Phase 2 covers the importer."]),
            ("Phase 3 covers it.", &["Phase 2 covers it.", "It needs Python 3."]),
            ("Phase 2 needs Python 2.", &["Phase 3 needs Python 2.", "Ruby 2 is there."]),
            ("It retries 2 times.", &["It retries 4 times.", "2 files are left."]),
            ("It restarts twice a week.", &["It restarts twice a day."]),
            ("It has two lines of code.", &["It has one line of code."]),
            ("Drop Windows 10.", &["Drop Windows 7.", "It has 10 files."]),
        ] {
            assert!(!is_in(one, others), "{one}");
        }
        for (one, others) in [
            ("The tank holds 30 litres.", &["30 litres are in the tank."][..]),
            ("It listens on ports 443 and 80.", &["Ports 80, 443 and 8080 are open."]),
            ("Port 443 is open.", &["Ports 80, 443 and 8080 are open."]),
            ("It retries four times.", &["It retries 4 times."]),
            ("It restarts 2 times a day.", &["It restarts twice a day."]),
            ("The service must answer within 2 seconds.", &["It must answer within two seconds."]),
            ("5 failing tests are left.", &["5 tests are failing."]),
            ("It has 120 seconds.", &["It has two minutes."]),
            ("Created 3 files.", &["It wrote 3 files."]),
            ("The limit is 5.", &["Limit: 5 for each user."]),
            ("Task 4 waits for task 3: 0.16.0 comes.", &["Task 4 waits for task 3 to end: 0.16.0 comes."]),
        ] {
            assert!(is_in(one, others), "{one}");
        }
    }
}
