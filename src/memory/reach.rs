//! How far, until when and from when on a sentence says that something holds: "within 5 s" is not "after 5 s", and "over
//! budget" not "within budget".

use std::collections::BTreeSet;

use super::denied::denies_at;
use super::figure::{Figure, figures_among, is_same};
use super::lexer::{Word, is_number, text_at};
use super::sense::{ends_clause, joins, stem};
use super::words::is_silent;

/// Words that bound a thing from this side, and from the other: such that tell of times only, and of anything.
const SHORT_OF: [&[&str]; 2] = [&["before", "by", "till", "until"], &["below", "inside", "under", "within"]];
const BEYOND: [&[&str]; 2] = [&["after", "from", "since"], &["above", "beyond", "outside", "over", "past"]];
/// Words of times, beside numbers of them.
const TIMES: &[&str] = &[
    "april",
    "august",
    "christmas",
    "day",
    "days",
    "deadline",
    "december",
    "evening",
    "february",
    "friday",
    "hour",
    "hours",
    "january",
    "july",
    "june",
    "midnight",
    "minute",
    "minutes",
    "monday",
    "month",
    "months",
    "morning",
    "noon",
    "november",
    "october",
    "saturday",
    "second",
    "seconds",
    "september",
    "sunday",
    "thursday",
    "today",
    "tomorrow",
    "tuesday",
    "wednesday",
    "week",
    "weekend",
    "weeks",
    "year",
    "years",
    "yesterday",
];
/// Units of times in short.
const UNITS: &[&str] = &["am", "h", "min", "mins", "ms", "pm", "s", "sec", "secs"];
/// Words that go on from "from" to where it ends: what lies between has two ends.
const TO: &[&str] = &["through", "till", "to", "until"];
/// Words of what bounds something, at most.
const LENGTH: usize = 4;

/// A bound, and from which side.
#[derive(Clone, Debug, PartialEq)]
struct Bound {
    beyond: bool,
    /// The figure that it is, and the stems of its words.
    figure: Option<String>,
    stems: BTreeSet<String>,
}

/// The bounds that a sentence tells of.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    bounds: Vec<Bound>,
}

impl Reach {
    /// Takes a sentence in.
    pub fn read(&mut self, words: &[Word]) {
        let is_side = |text: &str, of: [&[&str]; 2]| (0..2).find(|nth| of[*nth].contains(&text));
        let mut figures: Option<Vec<Figure>> = None;
        for (at, word) in words.iter().enumerate() {
            let side = is_side(&word.text, SHORT_OF).map(|nth| (false, nth));
            let Some((beyond, nth)) = side.or_else(|| is_side(&word.text, BEYOND).map(|nth| (true, nth))) else {
                continue;
            };
            let figures = figures.get_or_insert_with(|| figures_among(words));
            let Some((mut bound, end)) = bound_at(words, at + 1, figures) else { continue };
            let has = |list: &[&str], to: usize| (at + 1..to).any(|at| list.contains(&text_at(words, at)));
            let is_time = nth == 1 || has(TIMES, end) || has(UNITS, end) || bound.is_hour();
            // "Fell by 5 %" and "done by 2 people" bound nothing.
            let leads = word.text != "by" || (bound.figure.is_none() || bound.is_hour());
            if !is_time || !leads || (word.text == "from" && has(TO, end + LENGTH)) {
                continue;
            }
            // "Not before Friday" is from Friday on.
            let start = (0..at).rev().find(|at| words.get(*at).is_some_and(|word| ends_clause(word.after)));
            let clause: Vec<&str> = words
                .get(start.map_or(0, |at| at + 1)..at)
                .unwrap_or_default()
                .iter()
                .map(|word| &*word.text)
                .collect();
            bound.beyond = beyond != (0..clause.len()).any(|at| denies_at(&clause, at));
            self.bounds.push(bound);
        }
    }

    /// Whether it bounds from the other side what another bounds, and neither does it from both.
    pub fn is_against(&self, other: &Reach) -> bool {
        let has = |reach: &Reach, bound: &Bound, beyond: bool| {
            reach.bounds.iter().any(|one| one.beyond == beyond && one.is_of(bound))
        };
        self.bounds
            .iter()
            .any(|own| has(other, own, !own.beyond) && !has(other, own, own.beyond) && !has(self, own, !own.beyond))
    }
}

impl Bound {
    fn is_hour(&self) -> bool {
        self.figure.as_ref().is_some_and(|figure| figure.contains(':'))
    }

    /// Whether both are bounds by the same.
    fn is_of(&self, other: &Bound) -> bool {
        match (&self.figure, &other.figure) {
            (Some(one), Some(two)) => is_same(one, two),
            (None, None) => self.stems.is_subset(&other.stems) || other.stems.is_subset(&self.stems),
            _ => false,
        }
    }
}

/// What is named at a place, a figure or a few words, and where that ends.
fn bound_at(words: &[Word], from: usize, figures: &[Figure]) -> Option<(Bound, usize)> {
    let is_article = |at: &usize| matches!(text_at(words, *at), "a" | "an" | "its" | "our" | "the" | "their" | "your");
    let ends = from.checked_sub(1).and_then(|at| words.get(at)).is_none_or(|word| ends_clause(word.after));
    let from = (from..words.len()).find(|at| !is_article(at)).filter(|_| !ends)?;
    if let Some(figure) = figures.iter().find(|figure| figure.place.0 == from && figure.is_number) {
        let unit = usize::from(
            UNITS.contains(&text_at(words, figure.place.1)) || TIMES.contains(&text_at(words, figure.place.1)),
        );
        let bound = Bound { beyond: false, figure: Some(figure.text.clone()), stems: BTreeSet::new() };
        return Some((bound, figure.place.1 + unit));
    }
    let (mut stems, mut end) = (BTreeSet::new(), from);
    for word in words.get(from..)?.iter().take(LENGTH) {
        if is_silent(&word.text) || joins(&word.text) || is_number(&word.text) {
            break;
        }
        stems.insert(stem(&word.text));
        end += 1;
        if ends_clause(word.after) || word.after.contains(['.', ':']) {
            break;
        }
    }
    (!stems.is_empty()).then_some((Bound { beyond: false, figure: None, stems }, end))
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Support, align};

    #[test]
    fn what_is_bounded_from_one_side_is_not_bounded_from_the_other() {
        for (told, source) in [
            ("The server answers after 5 s.", "The server answers within 5 s."),
            ("The server answers within 5 s.", "The server answers after 5 s."),
            ("The server answers in over 5 seconds.", "The server answers within 5 s."),
            ("Refunds are paid after 14 days.", "Refunds are paid within 14 days."),
            ("Deliver the report until Friday.", "Deliver the report from Friday on."),
            ("Pay the invoice by Friday.", "Pay the invoice after Friday."),
            ("The plan is within budget.", "The plan is over budget."),
            ("The request is below the limit.", "The request is beyond the limit."),
            ("Deploy it before 18:00.", "Do not deploy it before 18:00."),
        ] {
            assert_ne!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
        for (told, source) in [
            ("The server answers in under 5 s.", "The server answers within 5 s."),
            ("The server answers within 5 seconds.", "The server answers within 5 s."),
            ("Pay the invoice until Friday.", "Pay the invoice by Friday."),
            ("The price fell by 5 % from May to July.", "From May to July the price fell by 5 %."),
            ("The key is valid from 3 May until 5 May.", "From 3 May until 5 May the key is valid."),
            ("Retry the upload after 30 seconds.", "Wait, and retry the upload after 30 s."),
        ] {
            assert_eq!(align(told, &[source])[0].support, Support::Stands, "{told} / {source}");
        }
    }
}
