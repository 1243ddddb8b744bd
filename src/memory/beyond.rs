//! What a sentence says beyond another in nearly its words: that all went well where some of it failed, all of a number
//! where a share of it is meant, "if" where that has "unless", that it is so where it only used to be.

use std::collections::BTreeSet;

use super::compare::either_way;
use super::denied::is_all;
use super::implied::used_to;
use super::lexer::{Word, is_number};
use super::sense::{is_empty, stem};
use super::words::is_silent;

/// Words of what went well, and of what did not, behind how many did.
const WELL: &[&str] = &["ok", "pass", "passed", "passes", "passing", "succeed", "succeeded", "successful"];
const BADLY: &[&str] = &["broken", "errored", "errors", "fail", "failed", "failing", "failures"];
/// Words that may stand between a share and what it is a share of.
const OF: &[&str] = &["all", "its", "our", "the", "their", "your"];

/// Words by which it is told that something was so.
const WAS: &[&str] = &["formerly", "had", "longer", "once", "originally", "previously", "until", "was", "were"];

/// What of a sentence can be overstated.
#[derive(Clone, Debug, Default)]
pub(super) struct Beyond {
    /// It says that all went well, and of nothing that it did not.
    all_well: bool,
    /// It counts what went well, and beside it what did not.
    some_failed: bool,
    /// It holds on a condition, unless that is met, and it denies something.
    when: bool,
    unless: bool,
    denies: bool,
    /// It says that something used to be so, and it may tell of what was.
    used: bool,
    was: bool,
    /// The shares that it tells of, each with what it is a share of.
    shares: Vec<(String, String)>,
    numbers: BTreeSet<String>,
    /// The stems of its words that say something.
    says: BTreeSet<String>,
}

impl Beyond {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let text = |at: usize| words.get(at).map_or("", |word| &*word.text);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&&*word.text));
        self.all_well |= words.iter().any(|word| is_all(&word.text)) && has(WELL) && !has(BADLY);
        for at in 0..words.len() {
            let (one, next, other) = (text(at), text(at + 1), (text(at + 2), text(at + 3)));
            let counts = is_number(one) && is_number(other.0);
            self.some_failed |= counts
                && ((WELL.contains(&next) && BADLY.contains(&other.1) && other.0 != "0")
                    || (BADLY.contains(&next) && WELL.contains(&other.1) && one != "0"));
            let whole = if OF.contains(&other.0) { other.1 } else { other.0 };
            if is_number(one) && next == "of" && is_number(whole) && one != whole {
                self.shares.push((one.to_owned(), whole.to_owned()));
            }
        }
        self.when |= has(&["if", "when"]);
        self.unless |= has(&["unless"]);
        self.used |= (0..words.len()).any(|at| used_to(words, at));
        self.was |= has(WAS);
        self.denies |= has(&["never", "no", "not", "without"]) || words.iter().any(|word| word.text.ends_with("n't"));
        self.numbers.extend(words.iter().filter(|word| is_number(&word.text)).map(|word| word.text.to_string()));
        let says = words.iter().filter(|word| !is_silent(&word.text) && !is_empty(&word.text));
        self.says.extend(says.map(|word| stem(&word.text)));
    }

    /// Whether either says more than the other.
    pub fn differs(&self, other: &Beyond) -> bool {
        either_way(self, other, |one, two| {
            let is_turned = one.when && !one.unless && two.unless && !two.when && !one.denies && !two.denies;
            let drops = |(share, whole): &(String, String)| {
                one.shares.is_empty()
                    && one.numbers.contains(whole)
                    && !one.numbers.contains(share)
                    && two.says.iter().all(|stem| stem == share || one.says.contains(stem))
            };
            let is_no_more = two.used && !one.used && !one.was;
            (one.all_well && two.some_failed) || is_turned || is_no_more || two.shares.iter().any(drops)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Support, align};

    #[test]
    fn what_says_more_than_its_source_has_no_support() {
        for (told, source) in [
            ("All 212 tests passed.", "cargo test: 212 passed; 3 failed; 0 ignored"),
            ("We lost 12 nodes during the outage on 5 May.", "We lost 3 of 12 nodes during the outage on 5 May."),
            ("We lost twelve nodes in Oslo.", "We lost three of the twelve nodes in Oslo."),
            ("CI fails if DATABASE_URL is set.", "CI fails unless DATABASE_URL is set."),
            ("Deploys run on Jenkins.", "Deploys used to run on Jenkins; since March they run on GitHub Actions."),
            ("Shipping must include VAT of 19 %.", "The total must include VAT of 19 %, shipping must not."),
            ("The queue holds at least 500 jobs.", "The queue holds up to 500 jobs."),
            ("The queue holds at least 500 jobs.", "The queue holds no more than 500 jobs."),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told}");
        }
        for (told, source) in [
            ("212 tests passed and 3 failed.", "cargo test: 212 passed; 3 failed; 0 ignored"),
            ("All 212 tests passed.", "cargo test: 212 passed; 0 failed; 0 ignored"),
            ("3 of the 12 nodes were lost in the outage on 5 May.", "We lost 3 of 12 nodes in the outage on 5 May."),
            ("There are 12 tests in mod_3.", "There are 12 tests in mod_3, 3 of 12 fail."),
            ("CI fails unless DATABASE_URL is set.", "Unless DATABASE_URL is set, CI fails."),
            ("The queue holds at most 500 jobs.", "The queue holds up to 500 jobs."),
            (
                "Since March, deploys run on GitHub Actions.",
                "Deploys used to run on Jenkins; since March they run on GitHub Actions.",
            ),
        ] {
            assert_eq!(align(told, &[source])[0].support, Support::Stands, "{told}");
        }
    }
}
