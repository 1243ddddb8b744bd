//! Amounts that are told without a number: "half of the tests" is 50 %, "a quarter of an hour" 15 minutes, "a week" 7
//! days.

use std::borrow::Cow;

use super::figure::{Figure, times, unit, zeros};
use super::lexer::{Word, is_number, text_at};
use super::words::is_silent;

/// Words of parts of a whole, with their hundredths.
const PARTS: &[(&str, u32)] = &[("half", 50), ("quarter", 25), ("quarters", 25)];

/// Spans of time of which "a" tells one. "A second" is as often the next one.
const SPANS: &[&str] = &["minute", "hour", "day", "week", "month", "year"];

/// Words before which a part is one of something that is told apart: "the first half of the file".
const APART: &[&str] = &[
    "another", "any", "bottom", "each", "every", "first", "former", "last", "latter", "left", "lower", "next", "other",
    "right", "second", "that", "the", "third", "this", "top", "upper", "which",
];

/// Words that begin what a part is of.
const WHOLES: &[&str] = &["all", "his", "its", "my", "our", "the", "their", "these", "those", "your"];

/// Words behind which "half" is a figure whatever follows: "cut by half", "more than half failed".
const BOUNDS: &[&str] =
    &["about", "almost", "approximately", "around", "by", "least", "nearly", "over", "roughly", "than", "under"];

/// Words behind which "a day" tells how often something is.
const OFTEN: &[&str] = &["few", "many", "much", "often", "once", "per", "twice"];

/// Words that end as many things do, and are none: "it takes a day".
const NOT_MANY: &[&str] = &[
    "costs", "expires", "gives", "has", "is", "keeps", "lasts", "minus", "needs", "plus", "spends", "stays", "takes",
    "waits", "wants", "was",
];

/// Words that may stand behind a span of time: any other says what kind of thing it is of ("a day job").
const BEHIND: &[&str] = &[
    "ago", "before", "between", "during", "each", "earlier", "instead", "later", "long", "now", "old", "only", "since",
    "until", "while", "without",
];

/// Whether a word may begin such an amount, or stand in it.
pub(super) fn may_tell(word: &str) -> bool {
    SPANS.contains(&word) || PARTS.iter().any(|(part, _)| *part == word)
}

/// The amount that begins at a place and is told without a number.
pub(super) fn amount(words: &[Word], at: usize) -> Option<Figure> {
    let (text, end) = part(words, at).or_else(|| span(words, at))?;
    Some(Figure { text, place: (at, end), is_number: true, counts: true })
}

/// Whether nothing but a blank or a hyphen stands behind a word.
fn is_joined(words: &[Word], at: usize) -> bool {
    words.get(at).is_some_and(|word| matches!(word.after, " " | "-"))
}

/// The word before a place, where nothing parts the two.
fn before<'a>(words: &'a [Word], at: usize) -> &'a str {
    at.checked_sub(1).filter(|before| is_joined(words, *before)).map_or("", |before| text_at(words, before))
}

/// So many hundredths, as a decimal.
fn hundredths(number: u32) -> String {
    let (whole, part) = (number / 100, number % 100);
    format!("{whole}.{part:02}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A part of a whole, and one past the last of its words.
fn part(words: &[Word], at: usize) -> Option<(String, usize)> {
    let is_half = text_at(words, at) == "half";
    // "a quarter", "3 quarters", but "half".
    let (many, named) = match text_at(words, at) {
        "half" | "quarter" => (1, at),
        "a" => (1, at + 1),
        number => (number.parse::<u32>().ok().filter(|number| (1..=3).contains(number))?, at + 1),
    };
    if !(at..named).all(|at| is_joined(words, at)) || (named > at && text_at(words, named) == "half") {
        return None;
    }
    let number = many * PARTS.iter().find(|(part, _)| *part == text_at(words, named))?.1;
    let is_of = is_joined(words, named) && text_at(words, named + 1) == "of" && is_joined(words, named + 1);
    let of = if is_of { named + 2 } else { named + 1 };
    let next = if is_joined(words, named) { text_at(words, of) } else { "" };
    // "half an hour", "half-hour"; "half a million".
    let is_one = |word: &Word| matches!(&*word.text, "a" | "an") || (word.in_words && word.text == "1");
    let of_one = !next.is_empty() && words.get(of).is_some_and(is_one) && is_joined(words, of);
    let measured = if of_one { of + 1 } else { of };
    let what = if of_one { text_at(words, measured) } else { next };
    if (of_one || (is_half && !is_of)) && what.len() > 1 {
        if let Some(unit) = unit(what) {
            return Some((format!("{} {unit}", hundredths(number)), measured + 1));
        }
        if let Some(zeros) = zeros(what).filter(|_| of_one) {
            let number = times(&hundredths(number), zeros)?;
            let unit = unit(text_at(words, measured + 1)).filter(|_| is_joined(words, measured));
            return Some(match unit {
                Some(unit) => (format!("{number} {unit}"), measured + 2),
                None => (number, measured + 1),
            });
        }
    }
    let told = before(words, at);
    let is_share = match is_half {
        true => is_of || WHOLES.contains(&next) || BOUNDS.contains(&told),
        false => is_of && named > at,
    };
    (is_share && !APART.contains(&told)).then(|| (format!("{number} %"), named + 1))
}

/// One span of time ("a week", "an hour and a half"), and one past the last of its words. Of how often something is, it
/// is none: "5 requests a minute".
fn span(words: &[Word], at: usize) -> Option<(String, usize)> {
    let is_one = matches!(text_at(words, at), "a" | "an") && words.get(at)?.after == " ";
    let unit = unit(text_at(words, at + 1)).filter(|_| is_one && SPANS.contains(&text_at(words, at + 1)))?;
    let told = before(words, at);
    let is_many = told.ends_with('s') && !NOT_MANY.contains(&told);
    let counts = |at: Option<usize>| at.is_some_and(|at| is_number(text_at(words, at)));
    if is_many
        || OFTEN.contains(&told)
        || (!told.is_empty() && (counts(at.checked_sub(1)) || counts(at.checked_sub(2))))
    {
        return None;
    }
    let next = text_at(words, at + 2);
    if next == "and" && text_at(words, at + 3) == "a" && text_at(words, at + 4) == "half" {
        return Some((format!("1.5 {unit}"), at + 5));
    }
    let is_kind = is_joined(words, at + 1) && !is_silent(next) && !BEHIND.contains(&next);
    (!is_kind || next.is_empty()).then(|| (format!("1 {unit}"), at + 2))
}

/// A number without the zeros that end its fraction: of an amount they say nothing.
pub(super) fn round(number: &str) -> Cow<'_, str> {
    match number.split_once('.') {
        Some((_, part)) if part.ends_with('0') => times(number, 0).map_or(Cow::Borrowed(number), Cow::Owned),
        _ => Cow::Borrowed(number),
    }
}

/// Whether a number of hundreds or more has a fraction of zeros, as no version has but one of a year: "1250.00".
pub(super) fn is_whole_amount(number: &str) -> bool {
    let Some((whole, part)) = number.trim_start_matches('-').split_once('.') else { return false };
    let is_year = whole.len() == 4 && ["19", "20"].iter().any(|begin| whole.starts_with(begin));
    whole.len() >= 3 && part.len() >= 2 && !is_year && part.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::super::figure::{figures_among, is_same};
    use super::super::measure::{Support, align};
    use super::super::numeral::counted;
    use super::super::words::exact;

    fn of(text: &str) -> Vec<String> {
        let plain = exact(text);
        figures_among(&counted(&plain)).into_iter().map(|figure| figure.text).collect()
    }

    #[test]
    fn parts_and_spans_are_figures() {
        for (text, figure) in [
            ("Half of the tests fail.", "50 %"),
            ("Nearly half the users left.", "50%"),
            ("The cost was cut by half.", "50 %"),
            ("More than half failed.", "50 %"),
            ("A quarter of the users left.", "25 %"),
            ("Three quarters of the pages load.", "75 percent"),
            ("It took half an hour.", "30 minutes"),
            ("A half-hour outage.", "30 min"),
            ("It took a quarter of an hour.", "15 minutes"),
            ("It took three quarters of an hour.", "45 min"),
            ("It took an hour and a half.", "90 minutes"),
            ("half a gigabyte", "512 MB"),
            ("half a million rows", "500,000"),
            ("half a million dollars", "$500,000"),
            ("Logs are kept for a week.", "7 days"),
            ("It takes a day.", "24 hours"),
            ("It was a year ago.", "12 months"),
        ] {
            let found = of(text);
            assert!(found.len() == 1 && is_same(&found[0], &of(figure)[0]), "{text} {found:?}");
        }
        for (text, figure) in [
            ("Half of the tests fail.", "60 %"),
            ("It took half an hour.", "15 minutes"),
            ("It took half an hour.", "30 s"),
            ("Logs are kept for a week.", "5 days"),
        ] {
            assert!(!is_same(&of(text)[0], &of(figure)[0]), "{text}");
        }
    }

    #[test]
    fn what_is_told_without_a_number_is_told_by_one() {
        let of = |source: &str, told: &str| align(told, &[source])[0].support;
        for (one, other) in [
            ("50 % of the tests of mod_3 fail.", "Half of the tests of mod_3 fail."),
            ("The backups are kept for 7 days.", "The backups are kept for a week."),
            ("The token expires after 15 minutes.", "The token expires after a quarter of an hour."),
            ("The cache is cleared after 90 minutes.", "The cache is cleared after an hour and a half."),
            ("The load was cut by 50 %.", "The load was cut by half."),
        ] {
            assert_eq!((of(one, other), of(other, one)), (Support::Stands, Support::Stands), "{one} {other}");
        }
        for (one, other) in [
            ("60 % of the tests of mod_3 fail.", "Half of the tests of mod_3 fail."),
            ("All tests of mod_3 fail.", "Half of the tests of mod_3 fail."),
            ("Half of the tests of mod_3 fail.", "A quarter of the tests of mod_3 fail."),
            ("The backups are kept for 5 days.", "The backups are kept for a week."),
            ("The token expires after 25 minutes.", "The token expires after a quarter of an hour."),
            ("The token expires after half an hour.", "The token expires after an hour."),
            ("The first half of the file is read.", "50 % of the file is read."),
        ] {
            assert!(of(one, other) != Support::Stands && of(other, one) != Support::Stands, "{one} {other}");
        }
    }

    #[test]
    fn what_is_no_amount_is_none() {
        for text in [
            "The first half of the file is read.",
            "The other half of the team left.",
            "The report of the last quarter of the year.",
            "It is half done.",
            "The job runs twice a day.",
            "It is a day job.",
            "Several requests a minute.",
            "A second user came a second later.",
            "The week ended.",
        ] {
            let found = of(text);
            assert!(found.iter().all(|figure| figure == "2/day"), "{text} {found:?}");
        }
        assert_eq!(of("60 requests a minute"), ["60/min"]);
        assert_eq!(of("5 people a day"), ["5/day"]);
    }
}
