//! What the numbers of a sentence are of: the word before one that names it ("Python 3"), and what it counts or measures
//! ("30 litres"). The same number of something else supports nothing.

use std::collections::BTreeSet;

use super::figure::{Figure, figures_among, is_same};
use super::lexer::{Word, is_figure};
use super::notation::forms;
use super::sense::{ends_clause, is_empty, joins, stem};
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
    /// The stems that belong to it: the word before, and what it counts with what describes that.
    near: BTreeSet<String>,
    in_words: bool,
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
            let in_words = words.get(from).is_some_and(|word| word.in_words);
            self.0.push(Amount { figure: figure.text, name, of, near: near(words, from, to), in_words });
        }
    }

    /// Whether each that stands in others stands there of the same thing. `stems`: all that its sentence has, and each
    /// of theirs. `surely`, or as far as can be told.
    pub fn are_in(&self, stems: &BTreeSet<String>, others: &[(&Amounts, &BTreeSet<String>)], surely: bool) -> bool {
        self.0.iter().all(|own| {
            let there = |(all, theirs): &(&Amounts, &BTreeSet<String>)| -> Option<bool> {
                let mut same = all.0.iter().filter(|one| is_same(&one.figure, &own.figure)).peekable();
                same.peek()?;
                Some(same.any(|one| own.is_of(one, (self, stems), (all, theirs), surely)))
            };
            let mut found = others.iter().filter_map(there).peekable();
            found.peek().is_none() || found.any(|is_of| is_of)
        })
    }

    /// Whether two numbers have changed places between what names them: "row 4, column 9" and "row 9, column 4".
    pub fn exchange_names(&self, other: &Amounts) -> bool {
        let named = |all: &Amounts| -> Vec<(String, String)> {
            let bare = all.0.iter().filter(|one| one.of.is_none() && !one.figure.contains([' ', '/']));
            bare.filter_map(|one| Some((one.name.clone()?, one.figure.clone()))).collect()
        };
        let (mine, theirs) = (named(self), named(other));
        let there = |name: &str, figure: &str| theirs.iter().any(|(of, one)| of == name && is_same(one, figure));
        // What stands there as it does here has not changed places.
        let moved: Vec<_> = mine.iter().filter(|(name, figure)| !there(name, figure)).collect();
        moved.iter().enumerate().any(|(at, (name, figure))| {
            let mut others = moved.iter().skip(at + 1).filter(|(other, _)| other != name);
            others.any(|(other, number)| there(name, number) && there(other, figure))
        })
    }

    /// Whether each that stands there in digits where it has words, or in words where it has digits, counts the same
    /// there: any "two" may be the 2 of something else.
    pub fn are_told_in(&self, other: &Amounts) -> bool {
        self.0.iter().all(|own| {
            let mut same = other.0.iter().filter(|one| is_same(&one.figure, &own.figure)).peekable();
            same.peek().is_none() || same.any(|one| own.in_words == one.in_words || own.counts_as(one))
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
        surely: bool,
    ) -> bool {
        let differ = |one: &Option<String>, two: &Option<String>| match (one, two) {
            (Some(one), Some(two)) => one != two && !theirs.contains(one) && !stems.contains(two),
            _ => false,
        };
        // "1,500 rows per batch" has batches too, but does not count them.
        let counts_other = || match (&self.of, &other.of) {
            (Some(one), Some(two)) => one != two && !other.near.contains(one) && !self.near.contains(two),
            _ => false,
        };
        if differ(&self.of, &other.of) || (surely && counts_other()) {
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

    /// Whether the same number counts the same there, as far as what stands beside both tells.
    fn counts_as(&self, other: &Amount) -> bool {
        let has_unit = self.figure.contains([' ', '/']);
        has_unit || (self.near.is_empty() && other.near.is_empty()) || !self.near.is_disjoint(&other.near)
    }
}

/// Words behind a number that are looked at: what it counts, and what describes that.
const BEHIND: usize = 3;

/// The stems that belong to a number, which takes the words of a range: the word before it, and those behind up to one
/// that says nothing.
fn near(words: &[Word], from: usize, to: usize) -> BTreeSet<String> {
    let is_near = |at: usize| words.get(at).is_some_and(|word| matches!(word.after, " " | "-"));
    let says = |word: &Word| word.text.chars().all(char::is_alphabetic) && !is_silent(&word.text) && word.text != "per";
    let behind = (to..words.len()).take_while(|at| at.checked_sub(1).is_some_and(is_near));
    let behind = behind.filter_map(|at| words.get(at)).skip_while(|word| matches!(&*word.text, "of" | "the"));
    let before = from.checked_sub(1).filter(|at| is_near(*at)).and_then(|at| words.get(at));
    // "the 2 remaining v1.4.0 items": a figure may describe them.
    let behind = behind.take_while(|word| says(word) || is_figure(&word.text)).filter(|word| says(word));
    let all = behind.take(BEHIND).chain(before.filter(|word| says(word)));
    all.map(|word| stem(&word.text)).collect()
}

/// How a number is told: of what, and whether beside what is said ("in release 4").
#[derive(Clone, Debug)]
pub(super) struct Told {
    figure: String,
    /// Whether it counts or measures something.
    measures: bool,
    /// What it counts, else what names it.
    what: Option<String>,
    aside: bool,
}

/// Words behind which it is said where or when something is.
const ASIDE: &[&str] = &["at", "during", "for", "in", "on", "since", "under", "with", "within"];

/// How the numbers of a part of a sentence are told.
pub(super) fn told_in(words: &[Word]) -> Vec<Told> {
    let mut amounts = Amounts::default();
    amounts.read(words);
    let figures = figures_among(words).into_iter().filter(|figure| figure.is_number);
    let told = |(figure, amount): (Figure, Amount)| {
        let before = (0..figure.place.0).rev().take(3).filter_map(|at| words.get(at));
        let ends =
            |word: &&Word| !ends_clause(word.after) && !is_figure(&word.text) && is_verb_of_done(&word.text).is_none();
        let aside = before.take_while(ends).any(|word| ASIDE.contains(&&*word.text));
        let unit = figure.text.split_once(' ').map(|(_, unit)| unit.to_owned());
        let measures = unit.is_some() || amount.of.is_some();
        Told { figure: figure.text, measures, what: unit.or(amount.of).or(amount.name), aside }
    };
    figures.zip(amounts.0).map(told).collect()
}

/// Whether two numbers may change places between two parts of sentences: they are of unlike things, the same ones in
/// both, and one says where or when: "two bugs were fixed in release 4.1" is "release 4.1 fixed two bugs".
pub(super) fn may_change_places(one: &str, two: &str, own: &[Told], other: &[Told]) -> bool {
    let find = |told: &[Told], figure: &str| told.iter().find(|told| is_same(&told.figure, figure)).cloned();
    let both = |figure: &str| find(own, figure).zip(find(other, figure));
    let Some(((one, one_there), (two, two_there))) = both(one).zip(both(two)) else { return false };
    let is_bound = |here: &Told, there: &Told| {
        let is_converted = here.figure.contains(' ') && there.figure.contains(' ');
        here.measures == there.measures && (is_converted || here.what.is_none() || here.what == there.what)
    };
    let scale = |told: &Told| forms(&told.figure).last().and_then(|form| Some(form.split_once(' ')?.1.to_owned()));
    let are_unlike = one.what != two.what && (scale(&one).is_none() || scale(&one) != scale(&two));
    let is_aside = |one: (bool, bool), two: (bool, bool)| (one.0 || one.1) && !two.0 && !two.1;
    let (first, second) = ((one.aside, one_there.aside), (two.aside, two_there.aside));
    (one.measures || two.measures)
        && are_unlike
        && is_bound(&one, &one_there)
        && is_bound(&two, &two_there)
        && (is_aside(first, second) || is_aside(second, first))
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
    fn numbers_do_not_change_places_between_their_names() {
        let source = Claim::of("The cursor moved from row 4 to column 9.");
        assert!(Claim::of("The cursor moved from row 9 to column 4.").is_against(&source));
        assert!(Claim::of("Row 9 and column 4 hold the cursor.").is_against(&source));
        for told in [
            "Column 9 is where the cursor moved from row 4.",
            "The cursor moved from row 4.",
            "It moved from row 4 to row 9.",
        ] {
            assert!(!Claim::of(told).is_against(&source), "{told}");
        }
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
