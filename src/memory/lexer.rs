//! The words of a plain text with all that belongs to them: a figure's sign, decimals and exponent, and the signs by
//! which C++ and C# are not C. Whoever compares what texts say reads them here.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::plain;

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
    ("dozen", &["dozen"]),
    ("hundred", &["hundred"]),
    ("thousand", &["thousand"]),
    ("million", &["million", "millions"]),
    ("billion", &["billion", "billions"]),
    ("trillion", &["trillion", "trillions"]),
];

/// A word, and what stands between it and the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// Its letters, in the form in which they are compared.
    pub text: Cow<'a, str>,
    /// What stands after it.
    pub after: &'a str,
}

fn is_part(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Whether a sign is a word of its own: its script has no blanks between words.
fn is_alone(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}')
}

fn first(text: &str) -> Option<char> {
    text.chars().next()
}

fn is_digit(sign: Option<char>) -> bool {
    sign.is_some_and(|sign| sign.is_ascii_digit())
}

/// The words of a plain text.
pub(super) fn words(plain: &str) -> Vec<Word<'_>> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(sign) = plain.get(at..).and_then(first) {
        match length(plain, at) {
            Some(length) => {
                let split = number_of_unit(&plain[at..at + length]);
                places.extend(split.map(|number| (at, at + number)));
                places.push((at + split.unwrap_or(0), at + length));
                at += length;
            }
            None => at += sign.len_utf8(),
        }
    }
    let ends = places.iter().skip(1).map(|(from, _)| *from).chain([plain.len()]);
    let word = |((from, to), next): (&(usize, usize), usize)| Word {
        text: compared(plain.get(*from..*to).unwrap_or_default()),
        after: plain.get(*to..next).unwrap_or_default(),
    };
    places.iter().zip(ends).map(word).collect()
}

/// The length of the word that begins at a place; `None` where none does.
fn length(plain: &str, at: usize) -> Option<usize> {
    let (rest, before) = (&plain[at..], plain[..at].chars().next_back());
    let sign = first(rest)?;
    let next = || rest.get(sign.len_utf8()..).unwrap_or_default();
    match sign {
        _ if is_alone(sign) => Some(sign.len_utf8()),
        _ if is_part(sign) => Some(word_length(rest)),
        // A sign belongs to a number unless it stands between two things: "-20", but "10-20" and "file-7".
        '-' | '\u{b1}' | '.' => {
            let joins = before.is_some_and(|before| is_part(before) || matches!(before, '-' | '.' | ')' | ']'));
            (!joins && is_digit(first(next()))).then(|| sign.len_utf8() + word_length(next()))
        }
        '\u{b0}' => {
            let scale = matches!(first(next()), Some('c' | 'f')) && !next().chars().nth(1).is_some_and(is_part);
            Some(sign.len_utf8() + usize::from(scale))
        }
        '%' | '\u{2030}' | '$' | '\u{20ac}' | '\u{a3}' | '\u{a5}' => Some(sign.len_utf8()),
        '\u{2264}' | '\u{2265}' | '\u{2260}' => Some(sign.len_utf8()),
        '<' | '>' if !matches!(before, Some('-' | '=')) => Some(1 + usize::from(next().starts_with('='))),
        '!' if next().starts_with('=') => Some(2),
        _ => None,
    }
}

/// The length of a word of letters and digits.
fn word_length(text: &str) -> usize {
    let mut end = 0;
    while let Some(sign) = text.get(end..).and_then(first) {
        let rest = &text[end + sign.len_utf8()..];
        let last = text[..end].chars().next_back();
        let goes_on = match sign {
            _ if is_part(sign) => !is_alone(sign),
            '\'' => last.is_some() && first(rest).is_some_and(char::is_alphanumeric),
            '.' => is_digit(last) && is_digit(first(rest)),
            ',' => is_grouped(&text[..end], rest, ','),
            '^' => last.is_some() && is_digit(first(rest.strip_prefix('-').unwrap_or(rest))),
            '-' => last == Some('^'),
            _ => false,
        };
        if !goes_on {
            break;
        }
        end += sign.len_utf8();
    }
    // C++, C#, 18+; not a+b.
    let signs = text[end..].chars().take_while(|sign| matches!(sign, '+' | '#')).count();
    let joins = text[end + signs..].chars().next().is_some_and(is_part);
    if (1..=2).contains(&signs) && !joins { end + signs } else { end }
}

/// Whether a mark between two texts groups the digits of one number.
fn is_grouped(before: &str, after: &str, mark: char) -> bool {
    let mut groups = before.split(mark);
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let begins = groups.next().is_some_and(|group| (1..=3).contains(&group.len()) && digits(group));
    let three = after.bytes().take_while(u8::is_ascii_digit).count() == 3;
    begins && three && groups.all(|group| group.len() == 3 && digits(group))
}

/// A word in the form in which it is compared: digits without marks between them, a name without its genitive.
fn compared(word: &str) -> Cow<'_, str> {
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    for mark in [',', '\'', '_'] {
        if let Some((before, after)) = unsigned.rsplit_once(mark)
            && is_grouped(before, after.split('.').next().unwrap_or_default(), mark)
        {
            return Cow::Owned(word.replace(mark, ""));
        }
    }
    match word {
        "<=" => Cow::Borrowed("\u{2264}"),
        ">=" => Cow::Borrowed("\u{2265}"),
        "!=" => Cow::Borrowed("\u{2260}"),
        _ if word.starts_with('.') => Cow::Owned(format!("0{word}")),
        _ => Cow::Borrowed(word.strip_suffix("'s").unwrap_or(word)),
    }
}

/// The length of the number that a word begins with, where the rest of it is a unit: `30ms` is `30 ms`.
fn number_of_unit(word: &str) -> Option<usize> {
    let letters = word.find(|sign: char| sign.is_alphabetic()).filter(|at| *at > 0)?;
    let (number, name) = word.split_at(letters);
    (is_number(number) && unit(&name.to_lowercase()).is_some()).then_some(letters)
}

/// The unit that a word names.
fn unit(word: &str) -> Option<&'static str> {
    UNITS.iter().find(|(_, names)| names.contains(&word)).map(|(unit, _)| *unit)
}

/// Whether a word is a number.
pub(super) fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '\u{b1}']);
    is_digit(first(digits)) && digits.bytes().all(|byte| byte.is_ascii_digit() || b".,'^-+".contains(&byte))
}

/// Whether a word is a figure or an identifier: what a text may not lose.
pub(super) fn is_figure(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// The figures among words, each number with its unit, in order.
pub(super) fn figures_among(words: &[Word]) -> Vec<String> {
    let near = |gap: &str| gap.trim_matches([' ', '-']).is_empty();
    let figure = |(at, word): (usize, &Word)| {
        if !is_figure(&word.text) {
            return None;
        }
        let before = at.checked_sub(1).and_then(|at| words.get(at)).filter(|word| near(word.after));
        let before = before.filter(|word| !word.text.starts_with(is_part)).and_then(|word| unit(&word.text));
        let next = || words.get(at + 1).filter(|_| near(word.after)).and_then(|word| unit(&word.text.to_lowercase()));
        let unit = Some(&word.text).filter(|text| is_number(text)).and_then(|_| before.or_else(next));
        Some(unit.map_or_else(|| word.text.to_string(), |unit| format!("{} {unit}", word.text)))
    };
    words.iter().enumerate().filter_map(figure).collect()
}

/// The different figures of a text.
pub(super) fn figures(text: &str) -> BTreeSet<String> {
    figures_among(&words(&plain(text))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        words(&plain(text)).into_iter().map(|word| word.text.into_owned()).collect()
    }

    #[test]
    fn words_have_all_that_belongs_to_them() {
        assert_eq!(of("C++ and C# are not C, a+b"), ["c++", "and", "c#", "are", "not", "c", "a", "b"]);
        assert_eq!(of("at -20, \u{2212}20, 10-20 and file-7"), ["at", "-20", "-20", "10", "20", "and", "file", "7"]);
        assert_eq!(of("3.10 of v2.1.20. 10.0.0.1:80"), ["3.10", "of", "v2.1.20", "10.0.0.1", "80"]);
        assert_eq!(of("1,500 1'500 1_500 -1,500.5 80,90 .5"), ["1500", "1500", "1500", "-1500.5", "80", "90", "0.5"]);
        assert_eq!(of("10\u{2075} 10^5 10\u{207b}\u{b2} x\u{b2}"), ["10^5", "10^5", "10^-2", "x^2"]);
        assert_eq!(of("30ms 5GB host_7's don\u{2019}t"), ["30", "ms", "5", "gb", "host_7", "don't"]);
        assert_eq!(of("a <= 3, b \u{2265} 4, c -> d"), ["a", "\u{2264}", "3", "b", "\u{2265}", "4", "c", "d"]);
        assert_eq!(of("\u{6e2f}\u{53e3} 8443"), ["\u{6e2f}", "\u{53e3}", "8443"]);
    }

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
}
