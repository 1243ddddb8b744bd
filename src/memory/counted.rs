//! How many of what, and how many of how many: "2 files", "11 of 12 tests".

use super::compare::each_is;
use super::figure::is_unit;
use super::foreign_units::is_per;
use super::lexer::{Word, is_figure, is_number, text_at};
use super::numeral::number_of;
use super::sense::{ends_clause, stem};
use super::sides::Side;
use super::words::is_silent;

/// How many of how many a sentence tells.
#[derive(Clone, Debug)]
pub(super) struct Share {
    part: String,
    whole: String,
    /// What it says of the part: rows and sides of the words that exclude others, within its clause.
    sides: Vec<(usize, usize)>,
}

impl Share {
    /// Whether another tells the rest, and says the opposite of that: "9 of 12 are up" leaves 3 of 12 that are down.
    /// The row of the words by which they do.
    fn rest_in(&self, other: &Share) -> Option<usize> {
        let number = |text: &str| text.parse::<u64>().ok();
        let (one, rest) = (number(&self.part)?, number(&other.part)?);
        let is_rest = self.whole == other.whole && one.checked_add(rest) == number(&self.whole);
        let opposes = |(row, side): &&(usize, usize)| other.sides.iter().any(|(its, also)| its == row && also != side);
        self.sides.iter().find(opposes).filter(|_| is_rest).map(|(row, _)| *row)
    }
}

/// How many of what, and of how many, a sentence tells.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    shares: Vec<Share>,
    of: Vec<(String, String)>,
    /// What there is so many of for each of what: "5 fields per user".
    rates: Vec<(String, String)>,
    /// The numbers that name a kind together with a word: "three-way", "top-ten".
    joined: Vec<(u32, String)>,
}

impl Counts {
    /// Takes a sentence in, in which these words exclude others.
    pub fn read(&mut self, words: &[Word], sides: &[Side]) {
        self.shares.extend(shares_of(words, sides));
        self.of.extend(counts_of(words));
        self.rates.extend(rates_of(words));
        self.joined.extend(joined_in(words));
    }

    /// Whether it has another share of as many, or as many of one thing as there are of another: "2 files, 1 line" is
    /// not "1 file, 2 lines". A "two-way merge" is no "three-way merge".
    pub fn differ(&self, other: &Counts) -> bool {
        let otherwise = |own: &Share| {
            let theirs = other.shares.iter().filter(|share| share.whole == own.whole);
            each_is(theirs, |share| share.part != own.part && own.rest_in(share).is_none())
        };
        let exchanged = |(number, of): &(String, String)| {
            let is = |own: &dyn Fn(&str, &str) -> bool| other.of.iter().any(|(number, of)| own(number, of));
            is(&|theirs, what| what == of && theirs != number)
                && is(&|theirs, what| what != of && theirs == number)
                && !is(&|theirs, what| what == of && theirs == number)
        };
        let of_another_kind = |(_, kind): &(u32, String)| {
            each_is(other.joined.iter().filter(|(_, also)| also == kind), |one| !self.joined.contains(one))
        };
        // "4 of the 12" is not "12 of the 4".
        let is_turned = |own: &Share| {
            let is = |part: &str, whole: &str| other.shares.iter().any(|one| one.part == part && one.whole == whole);
            own.part != own.whole && is(&own.whole, &own.part) && !is(&own.part, &own.whole)
        };
        let is_exchanged = |(what, each): &(String, String)| {
            let is = |what: &str, each: &str| other.rates.iter().any(|(own, of)| own == what && of == each);
            what != each && is(each, what) && !is(what, each)
        };
        self.shares.iter().any(|own| otherwise(own) || is_turned(own))
            || self.rates.iter().any(is_exchanged)
            || self.of.iter().any(exchanged)
            || self.joined.iter().any(of_another_kind)
    }

    /// Whether the words of a row stand there of the rest of what they stand of here.
    pub fn rest_by(&self, other: &Counts, row: usize) -> bool {
        let is_rest = |own: &Share| other.shares.iter().any(|share| own.rest_in(share) == Some(row));
        self.shares.iter().any(is_rest)
    }
}

fn shares_of(words: &[Word], sides: &[Side]) -> Vec<Share> {
    let number = |at: usize| words.get(at).map(|word| &*word.text).filter(|word| is_number(word));
    let of = |at: usize| {
        let text = |at: usize| text_at(words, at);
        let whole = match (text(at), text(at + 1), text(at + 2)) {
            // "4 of all 12" is no 12 of them.
            ("all", ..) if at == 0 || text(at - 1) != "of" => return number(at + 1).map(|all| (all, all)),
            (_, "out", "of") => at + 3,
            (_, "of", _) => at + 2,
            _ if words.get(at)?.after == "/" && number(at + 2).is_none() => at + 1,
            _ => return None,
        };
        // "4 of the 12"
        let whole = if is_pointed(text(whole)) { whole + 1 } else { whole };
        Some((number(at)?, number(whole)?))
    };
    let share = |at: usize| {
        let (part, whole) = of(at)?;
        let rest = words.get(at..)?.iter();
        let end = at + rest.take_while(|word| !ends_clause(word.after) && !word.after.contains(',')).count();
        let within = sides.iter().filter(|side| (at..=end).contains(&side.at));
        let sides = within.map(|side| (side.row, side.side)).collect();
        Some(Share { part: part.to_owned(), whole: whole.to_owned(), sides })
    };
    (0..words.len()).filter_map(share).collect()
}

/// Whether a word before a number says that all of those are meant.
fn is_pointed(word: &str) -> bool {
    matches!(word, "all" | "her" | "his" | "its" | "my" | "our" | "the" | "their" | "these" | "those" | "your")
}

/// Numbers that a hyphen joins to a word, in words or digits, with the stem of that.
fn joined_in(words: &[Word]) -> impl Iterator<Item = (u32, String)> {
    let kind = |word: &Word| word.text.chars().all(char::is_alphabetic).then(|| stem(&word.text));
    words.windows(2).filter(|pair| pair[0].after == "-").filter_map(move |pair| {
        let number = number_of(&pair[0].text).or_else(|| pair[0].text.parse().ok());
        match number {
            Some(number) => Some((number, kind(&pair[1]).filter(|_| !is_unit(&pair[1].text))?)),
            None => Some((number_of(&pair[1].text)?, kind(&pair[0])?)),
        }
    })
}

/// Whether a word is one of what can be counted.
fn is_counted(word: &str) -> bool {
    word.len() > 2 && !is_silent(word) && !is_figure(word)
}

/// How many of what: "2 files", "failed: 3".
fn counts_of(words: &[Word]) -> impl Iterator<Item = (String, String)> {
    let count = |at: usize| {
        let (word, next) = (words.get(at)?, words.get(at + 1)?);
        if is_number(&word.text) && word.after == " " && is_counted(&next.text) {
            return Some((word.text.to_string(), stem(&next.text)));
        }
        let tells = is_counted(&word.text) && matches!(word.after.trim(), ":" | "=") && is_number(&next.text);
        let ends = at + 2 == words.len() || ends_clause(next.after) || next.after.contains(',');
        (tells && ends).then(|| (next.text.to_string(), stem(&word.text)))
    };
    (0..words.len()).filter_map(count)
}

/// What there is so many of for each of what, by the stems of both.
fn rates_of(words: &[Word]) -> impl Iterator<Item = (String, String)> {
    words.windows(4).filter_map(|rate| {
        let [number, what, per, each] = rate else { return None };
        let joined = rate.iter().take(3).all(|word| word.after == " ");
        let counts = is_number(&number.text) && is_counted(&what.text) && is_counted(&each.text);
        (joined && counts && is_per(&per.text)).then(|| (stem(&what.text), stem(&each.text)))
    })
}

/// Whether a clause counts something: one number in it, with what it counts behind it.
pub(super) fn is_count(clause: &[Word]) -> bool {
    let numbers = clause.iter().filter(|word| is_number(&word.text)).count();
    let counts = |pair: &[Word]| {
        let what = &*pair[1].text;
        is_number(&pair[0].text) && pair[0].after == " " && is_counted(what) && !is_unit(what)
    };
    numbers == 1 && clause.windows(2).any(counts)
}

#[cfg(test)]
mod tests {
    use super::super::numeral::counted;
    use super::super::words::exact;
    use super::*;

    fn of(text: &str) -> Counts {
        let (mut counts, plain) = (Counts::default(), exact(text));
        counts.read(&counted(&plain), &[]);
        counts
    }

    #[test]
    fn shares_and_rates_are_not_turned_round() {
        for (one, other) in [
            ("4 of the 12 tests fail.", "12 of the 4 tests fail."),
            ("4 of the 12 tests fail.", "5 of the 12 tests fail."),
            ("3 out of our 5 hosts", "5 of 3 hosts"),
            ("It has 5 fields per user.", "It has 5 users per field."),
            ("El límite es de 5 campos por usuario.", "El límite es de 5 usuarios por campo."),
        ] {
            assert!(of(one).differ(&of(other)) && of(other).differ(&of(one)), "{one} {other}");
        }
        for (one, other) in [
            ("4 of the 12 tests fail.", "4 of 12 tests fail."),
            ("4 of the 12 tests fail.", "4 of all 12 tests fail, and 2 of 4 are new."),
            ("4 of the 4 tests pass.", "4 of 4 pass."),
            ("It has 5 fields per user.", "Each user has 5 fields per form."),
        ] {
            assert!(!of(one).differ(&of(other)) && !of(other).differ(&of(one)), "{one} {other}");
        }
    }
}
