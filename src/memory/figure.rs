//! Figures and identifiers: each number with its sign, magnitude, unit and rate, and each path, address or branch as
//! the one name that it is. What a text may not lose.

use std::borrow::Cow;
#[cfg(test)]
use std::collections::BTreeSet;

use super::cjk;
use super::foreign_units;
use super::fraction;
use super::lexer::{Word, is_figure, is_number, is_part, words};
use super::notation::{date, forms};
use super::words::{exact, is_silent};

/// Units of figures: what each is called. A figure with another unit is another figure.
const UNITS: &[(&str, &[&str])] = &[
    ("ns", &["ns", "nanosecond", "nanoseconds"]),
    ("us", &["us", "\u{3bc}s", "microsecond", "microseconds"]),
    ("ms", &["ms", "msec", "millisecond", "milliseconds"]),
    ("s", &["s", "sec", "secs", "second", "seconds"]),
    ("min", &["min", "mins", "minute", "minutes"]),
    ("h", &["h", "hr", "hrs", "hour", "hours"]),
    ("day", &["d", "day", "days"]),
    ("week", &["week", "weeks"]),
    ("month", &["month", "months"]),
    ("year", &["yr", "yrs", "year", "years"]),
    ("bit", &["bit", "bits"]),
    ("byte", &["byte", "bytes"]),
    ("kb", &["kb", "kilobyte", "kilobytes"]),
    ("mb", &["mb", "megabyte", "megabytes"]),
    ("gb", &["gb", "gigabyte", "gigabytes"]),
    ("tb", &["tb", "terabyte", "terabytes"]),
    ("pb", &["pb", "petabyte", "petabytes"]),
    ("kib", &["kib", "kibibyte", "kibibytes"]),
    ("mib", &["mib", "mebibyte", "mebibytes"]),
    ("gib", &["gib", "gibibyte", "gibibytes"]),
    ("tib", &["tib", "tebibyte", "tebibytes"]),
    ("kbps", &["kbps", "kbit"]),
    ("mbps", &["mbps", "mbit"]),
    ("gbps", &["gbps", "gbit"]),
    ("am", &["am"]),
    ("pm", &["pm"]),
    ("%", &["%", "percent", "pct"]),
    ("\u{2030}", &["\u{2030}", "permille"]),
    ("\u{b0}", &["\u{b0}", "deg", "degree", "degrees"]),
    ("\u{b0}c", &["\u{b0}c", "celsius"]),
    ("\u{b0}f", &["\u{b0}f", "fahrenheit"]),
    ("$", &["$", "usd", "dollar", "dollars"]),
    ("\u{20ac}", &["\u{20ac}", "eur", "euro", "euros"]),
    ("\u{a3}", &["\u{a3}", "gbp"]),
    ("\u{a5}", &["\u{a5}", "jpy", "yen"]),
    ("cent", &["cent", "cents"]),
    ("mm", &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    ("cm", &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    ("m", &["m", "metre", "metres", "meter", "meters"]),
    ("km", &["km", "kilometre", "kilometres", "kilometer", "kilometers"]),
    ("mile", &["mile", "miles"]),
    ("foot", &["ft", "foot", "feet"]),
    ("inch", &["inch", "inches"]),
    ("yard", &["yd", "yard", "yards"]),
    ("mg", &["mg", "milligram", "milligrams"]),
    ("g", &["g", "gram", "grams"]),
    ("kg", &["kg", "kilogram", "kilograms"]),
    ("hz", &["hz", "hertz"]),
    ("khz", &["khz"]),
    ("mhz", &["mhz"]),
    ("ghz", &["ghz"]),
    ("watt", &["watt", "watts"]),
    ("kw", &["kw", "kilowatt", "kilowatts"]),
    ("kwh", &["kwh"]),
    ("volt", &["volt", "volts"]),
    ("litre", &["litre", "litres", "liter", "liters"]),
    ("gallon", &["gallon", "gallons"]),
];

/// Words that multiply a number, with the zeros that they stand for.
const MAGNITUDES: &[(usize, &[&str])] = &[
    (2, &["hundred"]),
    (3, &["thousand", "k"]),
    (6, &["million", "millions", "mn", "M"]),
    (9, &["billion", "billions", "bn", "B"]),
    (12, &["trillion", "trillions", "tn"]),
];

/// The same, where money is meant.
const OF_MONEY: &[(usize, &str)] = &[(6, "m"), (9, "b")];

/// A figure among words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    /// Its words, in the form in which they are compared.
    pub text: String,
    /// The words that it is made of: the first, and one past the last.
    pub place: (usize, usize),
    /// Whether it is a number.
    pub is_number: bool,
    /// Whether it may stand nowhere else: it counts a part of the text itself ("message 3"), joins words ("tests/docs"),
    /// or is written in words, as who counts for himself writes it.
    pub counts: bool,
}

/// What texts number of their own.
const COUNTED: &[&str] = &[
    "commit",
    "exchange",
    "item",
    "iteration",
    "message",
    "messages",
    "part",
    "phase",
    "point",
    "question",
    "request",
    "round",
    "section",
    "session",
    "stage",
    "step",
    "steps",
    "task",
    "turn",
];

impl Figure {
    /// Whether it may stand in the place of another: both are names, or numbers of one unit, or one number of two
    /// units.
    pub fn is_of_kind(&self, other: &Figure) -> bool {
        let ((number, unit), (other_number, other_unit)) = (number_and_unit(&self.text), number_and_unit(&other.text));
        self.is_number == other.is_number && (unit == other_unit || number == other_number)
    }
}

/// The number of a figure, and its unit; empty where it has none.
pub(super) fn number_and_unit(figure: &str) -> (&str, &str) {
    figure.split_once(' ').unwrap_or((figure, ""))
}

/// The unit that a word names.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    let known = UNITS.iter().find(|(_, names)| names.contains(&word)).map(|(unit, _)| *unit);
    known.or_else(|| foreign_units::unit(word))
}

/// The unit of time of how often something is.
fn rate_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "hourly" => "h",
        "daily" => "day",
        "weekly" => "week",
        "monthly" => "month",
        "yearly" | "annually" => "year",
        _ => return None,
    })
}

/// The zeros that a word stands for, where it multiplies a number.
pub(super) fn zeros(word: &str) -> Option<usize> {
    MAGNITUDES.iter().find(|(_, names)| names.contains(&word)).map(|(zeros, _)| *zeros)
}

/// Whether a word is a unit or a magnitude of a number.
pub(super) fn is_unit(word: &str) -> bool {
    unit(word).is_some() || zeros(word).is_some() || cjk::korean(word).is_some()
}

/// Whether what stands between two words joins them to one name: a path, an address, the name of a file.
pub(super) fn joins(after: &str) -> bool {
    let is_sign = |sign: char| matches!(sign, '/' | '@' | '.' | '\\' | '-' | '~' | ':');
    !after.is_empty()
        && after.chars().all(is_sign)
        && (!after.contains(':') || after.starts_with(":/") || after.starts_with(":\\"))
}

/// The name of several words that begins at a place, and where it ends.
fn name(words: &[Word], at: usize) -> Option<Figure> {
    let end = at + words.get(at..)?.iter().take_while(|word| joins(word.after)).count();
    let end = end.min(words.len() - 1);
    let parts = words.get(at..=end).filter(|parts| parts.len() > 1)?;
    let signs = |wanted: &[char]| parts.iter().take(parts.len() - 1).any(|word| word.after.contains(wanted));
    let lone = |word: &Word| word.text.chars().count() == 1;
    // "and/or", "km/h", "1/2" and "e.g." name nothing.
    let nothing = |word: &Word| is_number(&word.text) || is_unit(&word.text) || is_silent(&word.text);
    // Nor does "requests/minute".
    let is_rate = parts.len() == 2 && parts.last().is_some_and(|word| is_unit(&word.text));
    let is_name = match (signs(&['/', '@', '\\']), signs(&['.'])) {
        (true, _) => !is_rate && !parts.iter().all(nothing),
        (false, true) => !parts.iter().all(lone) && parts.iter().any(|word| !is_number(&word.text)),
        (false, false) => false,
    };
    let mut text = String::new();
    for (word, last) in parts.iter().zip((0..parts.len()).map(|at| at + 1 == parts.len())) {
        text.push_str(&word.text);
        text.push_str(if last { "" } else { word.after });
    }
    let is_word = |word: &Word| word.text.chars().all(char::is_alphabetic);
    let counts = parts.len() <= 3 && parts.iter().all(is_word) && text.chars().all(|sign| is_part(sign) || sign == '/');
    is_name.then_some(Figure { text, place: (at, end + 1), is_number: false, counts })
}

/// A number as its digits say it with zeros more; `None` where it is none of digits and one point.
pub(super) fn times(number: &str, zeros: usize) -> Option<String> {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if !whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let all = format!("{whole}{part:0<zeros$}");
    let (whole, part) = all.split_at(whole.len() + zeros);
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") })
}

/// The number at a place, with what belongs to it.
fn number(words: &[Word], at: usize) -> Option<Figure> {
    let word = words.get(at)?;
    let near = |at: usize| words.get(at).is_some_and(|word| word.after.trim_matches([' ', '-']).is_empty());
    let text = |at: usize| words.get(at).map(|word| &*word.text);
    let sign =
        at.checked_sub(1).filter(|before| near(*before)).and_then(text).filter(|word| !word.starts_with(is_part));
    let money = sign.and_then(unit);
    let (mut number, mut end) = (word.text.to_string(), at + 1);
    // The minutes of a time: "02:30" is "2:30".
    let minutes = |end: usize| {
        let two = |word: &str| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        text(end).filter(|word| two(word) && words.get(end - 1).is_some_and(|word| word.after == ":"))
    };
    if number.len() <= 2 && minutes(end).is_some() {
        let hour = number.trim_start_matches('0');
        number = if hour.is_empty() { "0" } else { hour }.to_owned();
        while let Some(next) = minutes(end) {
            number = format!("{number}:{next}");
            end += 1;
        }
    }
    // What follows, as long as nothing parts it from the number.
    let next = |end: usize| text(end).filter(|_| near(end - 1));
    let of_money = |word: &str| {
        OF_MONEY
            .iter()
            .find(|(_, name)| name.eq_ignore_ascii_case(word))
            .filter(|_| money.is_some())
            .map(|found| found.0)
    };
    while let Some(many) = next(end).and_then(|word| of_money(word).or_else(|| zeros(word))) {
        number = times(&number, many).unwrap_or_else(|| format!("{number}e{many}"));
        end += 1;
    }
    let dozens = next(end).filter(|word| matches!(*word, "dozen" | "dozens")).and(number.parse::<u32>().ok());
    if let Some(dozens) = dozens.and_then(|dozens| dozens.checked_mul(12)) {
        number = dozens.to_string();
        end += 1;
    }
    let half = |word: &str| match (word, text(end + 1), words.get(end).map(|word| word.after)) {
        ("a", Some("m"), Some(".")) => Some("am"),
        ("p", Some("m"), Some(".")) => Some("pm"),
        _ => None,
    };
    if let Some(unit) = next(end).and_then(half) {
        number = format!("{number} {unit}");
        end += 2;
    } else if let Some(unit) = money {
        number = format!("{} {unit}", fraction::round(&number));
    } else if let Some(unit) = next(end).and_then(unit) {
        number = format!("{} {unit}", fraction::round(&number));
        end += 1;
    } else if fraction::is_whole_amount(&number) {
        number = fraction::round(&number).into_owned();
    } else if let Some((unit, length)) = cjk::unit_at(|nth| next(end + nth)) {
        number = format!("{number} {unit}");
        end += length;
    }
    // "5 MB/s", "60 requests per minute", "twice a day", "three times daily".
    for between in end..=end + 1 {
        let blank = |at: usize| words.get(at).is_some_and(|word| word.after.trim().is_empty());
        let rate = text(between).and_then(|word| {
            let next = text(between + 1).unwrap_or_default();
            let each = || (!next.is_empty()).then_some((next, between + 2));
            if matches!(word, "per" | "a" | "an" | "each" | "every") && (end - 1..=between).all(blank) {
                return each();
            }
            let abroad = foreign_units::rate(word, next).map(|each| (each, between + 2));
            let often = || (end - 1..between).all(blank).then(|| rate_of(word)).flatten();
            let over = || words.get(between - 1).is_some_and(|word| word.after == "/");
            let single = || often().or_else(|| over().then_some(word)).map(|each| (each, between + 1));
            abroad.or_else(single)
        });
        if let Some((each, to)) = rate.and_then(|(each, to)| Some((unit(each)?, to))) {
            number = format!("{number}/{each}");
            end = if between == end { to } else { end };
            break;
        }
    }
    let from = if money.is_some() { at - 1 } else { at };
    let before = at.checked_sub(1).and_then(text);
    let counts = number.len() <= 2 && end == at + 1 && before.is_some_and(|word| COUNTED.contains(&word));
    let counts = counts || word.in_words;
    Some(Figure { text: number, place: (from, end), is_number: true, counts })
}

/// The figures among words, in order.
pub(super) fn figures_among(words: &[Word]) -> Vec<Figure> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        let day = date(words, at).map(|(text, length)| {
            let place = (at, at + length);
            Figure { text, place, is_number: true, counts: false }
        });
        let figure = match day.or_else(|| name(words, at)).or_else(|| fraction::amount(words, at)) {
            Some(found) => Some(found),
            None if is_number(&word.text) => number(words, at),
            None if version(&word.text).is_some() => {
                let text = version(&word.text).unwrap_or_default().to_owned();
                Some(Figure { text, place: (at, at + 1), is_number: true, counts: false })
            }
            None if is_figure(&word.text) => {
                Some(Figure { text: word.text.to_string(), place: (at, at + 1), is_number: false, counts: false })
            }
            None => None,
        };
        at = figure.as_ref().map_or(at, |figure| figure.place.1 - 1) + 1;
        found.extend(figure);
    }
    found
}

/// The number of a version that is told with a "v" before it.
fn version(word: &str) -> Option<&str> {
    word.strip_prefix('v').filter(|number| is_number(number) && number.contains('.'))
}

/// Whether a figure is the hash of a commit, told by its first digits.
fn is_hash_of(short: &str, long: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    short.len() >= 7 && matches!(long.len(), 40 | 64) && long.starts_with(short) && is_hex(long)
}

/// Whether two figures may be one: a path may be told without what it begins with, a hash by its first digits.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if is_hash_of(short, long) {
        return true;
    }
    // Most figures have one form: the signs of the others are looked for first.
    let may_differ = |figure: &str| figure.contains([' ', ':']);
    if may_differ(one) && may_differ(other) && forms(one).iter().any(|form| forms(other).contains(form)) {
        return true;
    }
    let ends = |long: &str| long.strip_suffix(short).is_some_and(|start| start.ends_with(['/', '\\']));
    one == other || (!short.contains(' ') && !is_number(short) && ends(long))
}

/// What two figures that may be one have in common: the last part of a path, the first digits of a hash.
pub(super) fn keys_of(figure: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let last = figure.rsplit(['/', '\\']).next().unwrap_or(figure);
    let hash = figure.get(..7).filter(|_| figure.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let forms = forms(figure).into_iter().map(Cow::Owned);
    std::iter::once(last).chain(hash).map(Cow::Borrowed).chain(forms)
}

/// The amounts of a text that may be told in other units or notations, each by its forms there and as its words.
#[must_use]
pub fn amounts(text: &str) -> Vec<(Vec<String>, String)> {
    let plain = exact(text);
    let words = words(&plain);
    let amount = |figure: Figure| {
        let own = words.get(figure.place.0..figure.place.1).unwrap_or_default();
        let own: Vec<&str> = own.iter().map(|word| &*word.text).collect();
        Some((forms(&figure.text), own.join(" "))).filter(|(forms, _)| !forms.is_empty())
    };
    figures_among(&words).into_iter().filter_map(amount).collect()
}

/// The different figures of a text.
#[cfg(test)]
pub(super) fn figures(text: &str) -> BTreeSet<String> {
    figures_among(&words(&exact(text))).into_iter().map(|figure| figure.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_its_unit() {
        let of = |text: &str| figures(text).into_iter().collect::<Vec<_>>();
        assert_eq!(of("It takes 30 ms."), of("30ms is what it takes"));
        assert_eq!(of("15 percent"), of("15%"));
        assert_eq!(of("a 30-minute job"), ["30 min"]);
        assert_eq!(of("$5 for 5 nodes at -20 \u{2103}"), ["-20 \u{b0}c", "5", "5 $"]);
        for (one, other) in [("5 MB", "5 GB"), ("30 ms", "30 minutes"), ("-20", "20"), ("10\u{b2}", "102")] {
            assert_ne!(of(one), of(other));
        }
    }

    #[test]
    fn a_figure_has_its_magnitude_its_rate_and_its_half_of_the_day() {
        let of = |text: &str| figures(text).into_iter().collect::<Vec<_>>();
        for (one, other) in [
            ("$5 million", "5,000,000 dollars"),
            ("$5M", "$5 million"),
            ("5k dollars", "5000 dollars"),
            ("1.25 million rows", "1,250,000 rows"),
            ("10 MB per second", "10 MB/s"),
            ("60 requests per minute", "60 requests/minute"),
            ("2 requests a minute", "2 requests per minute"),
            ("3 times daily", "3 times a day"),
            ("2 dozen eggs", "24 eggs"),
            ("at 9am", "9 a.m. sharp"),
            ("at 02:30 and 16:30:05", "2:30 and 16:30:05"),
        ] {
            assert_eq!(of(one), of(other), "{one} / {other}");
        }
        for (one, other) in [
            ("$5 million", "$5 billion"),
            ("$5 million", "$5"),
            ("2 billion euros", "2 million euros"),
            ("$2 per hour", "$2 per month"),
            ("2 times a day", "2 times a week"),
            ("10 MB per second", "10 MB per minute"),
            ("at 9 am", "at 9 pm"),
        ] {
            assert_ne!(of(one), of(other), "{one} / {other}");
        }
    }

    #[test]
    fn other_notations_of_a_figure_are_the_same() {
        let of = |text: &str| figures(text).into_iter().collect::<Vec<_>>();
        assert_eq!(of("v1.38.0"), of("version 1.38.0"));
        assert_eq!(of("python v3.11.4"), of("Python 3.11.4"));
        assert_eq!((of("3.5M rows"), of("2B rows")), (of("3,500,000 rows"), of("2,000,000,000 rows")));
        assert_eq!((of("5 m deep"), of("5m deep")), (vec!["5 m".to_owned()], vec!["5 m".to_owned()]));
        for (one, other) in [
            ("1.2s", "1200 ms"),
            ("2 hours", "120 minutes"),
            ("1.5 h", "90 min"),
            ("7 days", "1 week"),
            ("2 GB", "2048 MB"),
            ("2 GB", "2000 MB"),
            ("1.5 MiB", "1536 KiB"),
            ("1.5 km", "1500 m"),
            ("5 pm", "17:00"),
            ("5:30 pm", "17:30"),
            ("12 am", "0:00"),
            ("March 14, 2026", "2026-03-14"),
            ("14 Mar 2026", "2026/03/14"),
            ("3시간으로", "180분"),
            ("3 hours", "3시간"),
            ("2小时", "120分钟"),
            ("1.5 s", "1500毫秒"),
            ("$1,250.00", "1250 dollars"),
            ("12.50 EUR", "12.5 euros"),
            ("1,250.00 in all", "1250 in all"),
        ] {
            let (one, other) = (of(one), of(other));
            assert!(
                one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| is_same(one, other)),
                "{one:?} {other:?}"
            );
        }
        for (one, other) in [
            ("2 GB", "2040 MB"),
            ("2 GiB", "2000 MB"),
            ("1.2 s", "120 ms"),
            ("5 am", "17:00"),
            ("March 15, 2026", "2026-03-14"),
            ("5 s", "5 min"),
            ("3시간", "3분"),
            ("3小时", "3天"),
        ] {
            assert!(!is_same(&of(one)[0], &of(other)[0]), "{one} {other}");
        }
        let hash = "9fceb02d0ae598e95dc970b74767f19372d61af8";
        assert!(is_same("9fceb02", hash) && !is_same("9fceb0", hash) && !is_same("9fceb03", hash));
        assert_ne!(of("api_v2"), of("2"));
        assert_ne!(of("Python 3.10"), of("Python 3.1"));
    }

    #[test]
    fn paths_addresses_and_branches_are_one_name_each() {
        let of = |text: &str| figures(text).into_iter().collect::<Vec<_>>();
        assert_eq!(of("see /etc/app/main.conf."), ["etc/app/main.conf"]);
        assert_eq!(
            of("`src/parser.rs`, feature/login and ops@example.org"),
            ["feature/login", "ops@example.org", "src/parser.rs"]
        );
        assert_eq!(of("https://example.org/a?id=5"), ["5", "https://example.org/a"]);
        assert!(of("and/or, e.g. this; i.e. that, well-known. So.").is_empty(), "{:?}", of("and/or"));
        assert_eq!(of("1/2 of 10.0.0.1:80"), ["1", "10.0.0.1", "2", "80"]);
        assert!(is_same("src/parser.rs", "/home/src/parser.rs") && is_same("parser.rs", "src/parser.rs"));
        assert!(!is_same("parser.rs", "src/xparser.rs") && !is_same("src/parser.rs", "src/lexer.rs"));
        assert!(!is_same("5", "a/5"));
    }
}
