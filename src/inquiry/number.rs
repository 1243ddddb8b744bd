//! Numbers in one form: digits that are not grouped, and a point before a fraction.

use std::borrow::Cow;

use super::exponent::powered;
use super::fact::Fact;
use super::normal::{Normal, normalise};

/// A number as it is written: its digits by the signs between them.
pub(super) struct Written {
    /// Where it begins and ends.
    pub from: usize,
    pub to: usize,
    /// Where the signs between digits stand.
    pub signs: Vec<usize>,
}

/// Evened-out text with its numbers in one form: 1,000 and 1'000 and 1 000 become 1000, 12,34,567 becomes 1234567,
/// 1.234,5 becomes 1234.5, 12,5 becomes 12.5, 2.5e6 becomes 2500000 and 2.5e-3 0.0025. `None` where nothing changes.
#[must_use]
pub fn joined(normal: &Normal) -> Option<Normal> {
    let bytes = normal.text.as_bytes();
    // What stands in the place of what, from one place to another.
    let mut changes: Vec<(usize, usize, Cow<'static, str>)> = Vec::new();
    let mut at = 0;
    while let Some(first) = bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)) {
        let written = written(normal, at + first);
        at = written.to;
        if let Some((end, whole)) = powered(bytes, &written) {
            changes.push((written.from, end, Cow::Owned(whole)));
            at = end;
            continue;
        }
        let (groups, fraction) = read(bytes, &written);
        let from = changes.len();
        changes.extend(groups.into_iter().map(|at| (at, at + 1, Cow::Borrowed(""))));
        changes.extend(fraction.filter(|at| bytes[*at] != b'.').map(|at| (at, at + 1, Cow::Borrowed("."))));
        changes[from..].sort_unstable();
    }
    if changes.is_empty() {
        return None;
    }
    let mut out = Normal { text: String::with_capacity(bytes.len()), starts: Vec::with_capacity(bytes.len() + 1) };
    let mut kept = 0;
    for (from, to, instead) in changes.into_iter().chain(std::iter::once((bytes.len(), bytes.len(), Cow::Borrowed(""))))
    {
        out.text.push_str(normal.text.get(kept..from).unwrap_or_default());
        out.starts.extend_from_slice(normal.starts.get(kept..from).unwrap_or_default());
        out.text.push_str(&instead);
        out.starts.resize(out.text.len(), normal.starts.get(from).copied().unwrap_or(0));
        kept = to;
    }
    out.starts.extend(normal.starts.last());
    Some(out)
}

/// A number in one form, where it is written in another.
#[must_use]
pub(super) fn in_one_form(number: &str) -> Option<String> {
    joined(&normalise(number)).map(|one| one.text)
}

/// The other reading of a figure with three digits at its end, which a point may group or set off: 21.000 is 21000 or
/// 21 with a fraction.
#[must_use]
pub(super) fn other_reading(fact: &Fact) -> Option<Fact> {
    let one = in_one_form(&fact.text).unwrap_or_else(|| fact.text.clone());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let other = match one.split_once('.') {
        Some((whole, end)) if is_number(whole) && is_number(end) && whole.len() <= 3 && end.len() == 3 => {
            format!("{whole}{end}")
        }
        None if is_number(&one) && (4..=6).contains(&one.len()) => {
            let (whole, end) = one.split_at(one.len() - 3);
            format!("{whole}.{end}")
        }
        _ => return None,
    };
    Fact::literal(&other)
}

/// Letters and signs that stand beside an amount: currencies, shares and measures.
const BESIDE: &[&str] = &[
    "$", "€", "£", "¥", "%", "chf", "dollar", "dollars", "eur", "euro", "euros", "gb", "gbp", "h", "kb", "kg", "km",
    "mb", "min", "ms", "percent", "pounds", "s", "sec", "seconds", "usd", "yen",
];

/// Words that say of the number behind them that it is an amount of money, and those that may stand between.
const MONEY: &[&str] = &[
    "balance", "budget", "cost", "costs", "fee", "fees", "paid", "pays", "price", "prices", "refund", "revenue",
    "salary", "subtotal", "sum", "tax", "total", "totals",
];
const BETWEEN: &[&str] = &["about", "are", "at", "exactly", "is", "of", "was", "were"];

/// A text whose numbers are in one form, with its amounts without the zeros that end their fractions: 12.50 € becomes
/// 12.5 €, and 1299.00 becomes 1299. A version keeps its own: 3.10 is not 3.1. `None` where nothing changes.
#[must_use]
pub fn without_zeros(even: &Normal) -> Option<Normal> {
    let bytes = even.text.as_bytes();
    let (mut gone, mut at) = (Vec::new(), 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)) {
        let from = at + next;
        let point = from + digits(bytes, from);
        at = point;
        if bytes.get(point) != Some(&b'.') || digits(bytes, point + 1) == 0 {
            continue;
        }
        at = point + 1 + digits(bytes, point + 1);
        if is_amount(&even.text, (from, point, at)) {
            let zeros = bytes[point + 1..at].iter().rev().take_while(|byte| **byte == b'0').count();
            gone.push((if zeros == at - point - 1 { point } else { at - zeros }, at));
        }
    }
    if gone.is_empty() {
        return None;
    }
    let mut out = Normal { text: String::with_capacity(bytes.len()), starts: Vec::with_capacity(bytes.len() + 1) };
    let mut kept = 0;
    for (from, to) in gone.into_iter().chain(std::iter::once((bytes.len(), bytes.len()))) {
        out.text.push_str(even.text.get(kept..from).unwrap_or_default());
        out.starts.extend_from_slice(even.starts.get(kept..from).unwrap_or_default());
        kept = to;
    }
    out.starts.extend(even.starts.last());
    Some(out)
}

/// Whether a number with a fraction of two digits or more that ends with a zero is an amount: by what stands beside it,
/// or as what no version looks like.
fn is_amount(text: &str, (from, point, to): (usize, usize, usize)) -> bool {
    let bytes = text.as_bytes();
    let fraction = bytes.get(point + 1..to).unwrap_or_default();
    let (before, behind) = (text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
    let joins = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '/');
    let goes_on = behind.starts_with('.') && behind.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    if fraction.len() < 2 || fraction.last() != Some(&b'0') || goes_on || before.ends_with(['.', '-', '_', '/']) {
        return false;
    }
    let last = before.trim_end_matches(' ');
    let word = |text: &str| text.find(|sign: char| !sign.is_alphabetic()).unwrap_or(text.len());
    let next = behind.strip_prefix([' ', '-']).unwrap_or(behind);
    let next = next.get(..word(next).max(next.chars().next().map_or(0, char::len_utf8))).unwrap_or_default();
    let name = last.rsplit(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
    let words = before.rsplit(|sign: char| !sign.is_alphanumeric() && !matches!(sign, '.' | ';' | '!' | '?'));
    let mut words = words.filter(|word| !word.is_empty()).take(3).skip_while(|word| BETWEEN.contains(word));
    let is_counted = words.next().is_some_and(|word| MONEY.contains(&word));
    if is_of_version(before) {
        return false;
    }
    let is_money = is_counted || last.ends_with(['$', '€', '£', '¥']) || (name.len() == 3 && BESIDE.contains(&name));
    if is_money || BESIDE.contains(&next) {
        return true;
    }
    // A year with a month in it is a version, too, and so may be three digits behind a name: "Firefox 115.10".
    let year = point - from == 4 && matches!(&bytes[from..from + 2], b"19" | b"20");
    let is_named = point - from == 3 && last.ends_with(char::is_alphabetic);
    point - from >= 3 && !year && !is_named && !before.ends_with(joins) && !behind.starts_with(joins)
}

/// What a version is compared or chosen with.
const CHOOSES: &[&str] = &["==", ">=", "<=", "~=", "!=", "=>", "^", "~", "@", "\u{2265}", "\u{2264}"];
/// What is said before a version.
const OF_VERSION: &[&str] = &["version", "versions", "ver", "v", "release", "releases", "build", "esr"];

/// Whether what is said before a number makes it a version.
fn is_of_version(before: &str) -> bool {
    let last = before.trim_end_matches(' ');
    if CHOOSES.iter().any(|sign| last.ends_with(sign)) {
        return true;
    }
    let words = before.rsplit(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(2).find(|word| !BETWEEN.contains(word)).is_some_and(|word| OF_VERSION.contains(&word))
}

/// Digits that a number has at most: what goes on for longer is a list.
const DIGITS: usize = 32;

/// Whether a place is only a part of a number whose digits are grouped: 567 in 1,234,567, and 89 in 1.234.567,89. `even`:
/// the text with its numbers in one form, which is one run of digits there; `origin`: the place in the text. What may be
/// a list as well is none: each of its numbers counts.
pub(super) fn is_in_groups(text: &str, even: &Normal, origin: (u32, u32)) -> bool {
    let at = |origin: u32| even.starts.partition_point(|start| *start < origin);
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let (bytes, from, to) = (even.text.as_bytes(), at(origin.0), at(origin.1));
    let before = bytes.get(..from).unwrap_or_default().iter().rev().take(DIGITS).take_while(is_digit).count();
    let behind = bytes.get(to..).unwrap_or_default().iter().take(DIGITS).take_while(is_digit).count();
    if before.max(behind) == DIGITS {
        return false;
    }
    if before + behind == 0 {
        return text.get(..origin.0 as usize).is_some_and(ends_grouped_by_points);
    }
    let (start, end) = even.origin(from - before, to + behind);
    let (start, end) = (start as usize, end as usize);
    let (Some(number), Some(around)) = (text.get(start..end), text.get(..start).zip(text.get(end..))) else {
        return false;
    };
    // A name may have numbers in it, each by itself: `v42_420`. No number goes on in the next line or column.
    let in_name = around.0.ends_with(|sign: char| sign.is_alphanumeric());
    if (in_name && number.contains('_')) || number.contains(['\n', '\r', '\t', '\\']) {
        return false;
    }
    if number.contains(' ') {
        // No number by itself begins with a zero.
        return number.split(' ').skip(1).any(|group| group.starts_with('0'));
    }
    !number.contains(',') || !is_list_item(around.0, around.1)
}

/// Whether a text ends with the comma behind a number whose digits points or narrow blanks group: what follows is its fraction.
fn ends_grouped_by_points(text: &str) -> bool {
    let Some(whole) = text.strip_suffix(',') else { return false };
    let last = whole.rsplit(['.', '\u{a0}', '\u{2009}', '\u{202f}']).next().unwrap_or_default();
    let before = whole.get(..whole.len() - last.len()).unwrap_or_default();
    let mut signs = before.chars().rev();
    last.len() == 3
        && last.bytes().all(|byte| byte.is_ascii_digit())
        && signs.next().is_some()
        && signs.next().is_some_and(|sign| sign.is_ascii_digit())
}

/// Words for several things that go by their numbers: behind one, commas part numbers.
const NUMBERED: &[&str] = &[
    "ports", "lines", "pages", "rows", "columns", "steps", "chapters", "sections", "issues", "ids", "pids", "uids",
    "rooms", "channels",
];

/// Whether what stands around numbers that commas part tells that they are a list: a bracket or a call's, quotes, other
/// items, a sign as of a range, a word for what goes by numbers, or a line of their own.
pub(super) fn is_list_item(before: &str, behind: &str) -> bool {
    let mut signs = before.chars().rev();
    let opens = match signs.next() {
        Some('[' | '{' | ',' | '\'' | '"' | '`' | '-' | '+' | '=') => true,
        Some('(') => signs.next().is_some_and(|sign| sign.is_alphanumeric() || sign == '_'),
        Some(sign) => sign.is_alphabetic(),
        None => false,
    };
    let begins = before.is_empty() || before.ends_with(['\n', '\r']);
    let ends = behind.is_empty() || behind.starts_with(['\n', '\r']);
    let word =
        before.trim_end_matches([' ', ':']).rsplit(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
    opens
        || NUMBERED.iter().any(|name| name.eq_ignore_ascii_case(word))
        || behind.starts_with([']', '}', '\'', '"', '`'])
        || behind.starts_with(char::is_alphabetic)
        || (begins && ends && !(before.is_empty() && behind.is_empty()))
}

/// How many digits stand at a place.
pub(super) fn digits(bytes: &[u8], from: usize) -> usize {
    bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The number that begins at a digit. A blank is a part of it before three digits, where it is a single one.
fn written(normal: &Normal, from: usize) -> Written {
    let bytes = normal.text.as_bytes();
    let word = from > 0 && bytes[from - 1].is_ascii_alphanumeric();
    let mut written = Written { from, to: from + digits(bytes, from), signs: Vec::new() };
    loop {
        let sign = written.to;
        let next = digits(bytes, sign + 1);
        let joins = match bytes.get(sign) {
            Some(b',' | b'.' | b'\'' | b'_') => next > 0,
            Some(b' ') => {
                let grouped = written.signs.iter().all(|at| bytes[*at] == b' ') && sign - start(&written) <= 3;
                let single =
                    normal.starts.get(sign + 1).zip(normal.starts.get(sign)).is_some_and(|(to, at)| to - at == 1);
                next == 3 && grouped && single && !word
            }
            _ => false,
        };
        if !joins {
            return written;
        }
        written.signs.push(sign);
        written.to = sign + 1 + next;
    }
}

/// Where the last digits of a number begin.
fn start(written: &Written) -> usize {
    written.signs.last().map_or(written.from, |sign| sign + 1)
}

/// The signs of a number that group its digits, and the one before its fraction.
pub(super) fn read(bytes: &[u8], written: &Written) -> (Vec<usize>, Option<usize>) {
    let Written { from, to, signs } = written;
    let nothing = (Vec::new(), None);
    let Some(first) = signs.first().copied() else { return nothing };
    let ends = signs.iter().skip(1).copied().chain(std::iter::once(*to));
    let sizes: Vec<usize> = signs.iter().zip(ends).map(|(at, end)| end - at - 1).collect();
    let alike = signs.iter().take_while(|at| bytes[**at] == bytes[first]).count();
    let threes = sizes.iter().take(alike).take_while(|size| **size == 3).count();
    let groups = match first - from {
        // Lakhs and crores: groups of two, and one of three at the end.
        1 | 2 if bytes[first] == b',' && threes == 0 => indian(&sizes[..alike]),
        ..=3 => threes,
        _ => 0,
    };
    let (grouping, rest) = signs.split_at(groups);
    match (rest, bytes[first]) {
        // One point begins a fraction; several group.
        ([], b'.') => {
            if groups >= 2 {
                (grouping.to_vec(), None)
            } else {
                (Vec::new(), Some(first))
            }
        }
        ([], _) => (grouping.to_vec(), None),
        ([last], b'.') if groups > 0 && bytes[*last] == b',' => (grouping.to_vec(), Some(*last)),
        ([_], b'.') if groups > 0 => nothing,
        ([last], b',') if groups > 0 && bytes[*last] == b',' => nothing,
        ([last], _) if groups > 0 && matches!(bytes[*last], b'.' | b',') => (grouping.to_vec(), Some(*last)),
        ([last], b'.') => (Vec::new(), Some(*last)),
        ([last], b',') if to - last != 4 && !is_listed(bytes, *from, *to) => (Vec::new(), Some(*last)),
        _ => nothing,
    }
}

/// How many groups make a number as India writes it, which are none where the last is not the first of three digits.
fn indian(sizes: &[usize]) -> usize {
    let twos = sizes.iter().take_while(|size| **size == 2).count();
    if twos > 0 && sizes.get(twos) == Some(&3) { twos + 1 } else { 0 }
}

/// Whether two numbers with a comma between them are a list, or a part of one.
fn is_listed(bytes: &[u8], from: usize, to: usize) -> bool {
    let before = from.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(to).copied();
    let opens = matches!(before, Some(b'[' | b'(' | b'{'));
    let closes = matches!(after, Some(b']' | b')' | b'}'));
    before == Some(b',') || after == Some(b',') || (opens && closes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> String {
        let normal = normalise(text);
        joined(&normal).unwrap_or(normal).text
    }

    #[test]
    fn a_number_has_one_form_however_it_is_written() {
        for text in
            ["1234567.89", "1,234,567.89", "1.234.567,89", "1'234'567.89", "1 234 567,89", "1\u{202f}234\u{202f}567,89"]
        {
            assert_eq!(one(text), "1234567.89", "{text}");
        }
        for text in ["10000 items", "10,000 items", "10 000 items", "10\u{a0}000 items"] {
            assert_eq!(one(text), "10000 items", "{text}");
        }
        for text in ["12,5 percent", "12.5 percent"] {
            assert_eq!(one(text), "12.5 percent", "{text}");
        }
        assert_eq!(one("(12,5 %)"), "(12.5%)");
        for text in ["12,34,567.50 rupees", "1234567.50 rupees"] {
            assert_eq!(one(text), "1234567.50 rupees", "{text}");
        }
        assert_eq!(one("1,23,456"), "123456");
        for text in ["2.5e6 bytes", "2.5E+6 bytes", "2,500,000 bytes", "25e5 bytes", "2500000 bytes"] {
            assert_eq!(one(text), "2500000 bytes", "{text}");
        }
        for text in ["7.25e8", "7.25E+08", "725,000,000"] {
            assert_eq!(one(text), "725000000", "{text}");
        }
        for text in ["1.5E-3 s", "15e-4 s", "0.0015 s", "0,0015 s"] {
            assert_eq!(one(text), "0.0015 s", "{text}");
        }
        assert_eq!((one("1e-3"), one("125e-1"), one("1.5e-0")), ("0.001".to_owned(), "12.5".into(), "1.5".into()));
        assert_eq!((one("at 1.25e1."), one("0.5e3")), ("at 12.5.".to_owned(), "500".to_owned()));
    }

    #[test]
    fn what_is_said_before_a_number_tells_that_it_is_an_amount() {
        let round = |text: &str| without_zeros(&normalise(text)).map(|round| round.text);
        for (text, same) in [
            ("The price is 12.50.", "the price is 12.5."),
            ("Total: 7.00", "total: 7"),
            ("costs=0.50 each", "costs=0.5 each"),
            ("a balance of about 99.90", "a balance of about 99.9"),
        ] {
            assert_eq!(round(text).as_deref(), Some(same), "{text}");
        }
        for text in [
            "Python 3.10",
            "version is 1.20",
            "at 1.20",
            "the price. 3.10 is out",
            "price v1.20",
            "price 1.20.0",
            "ESR version 115.10 here",
            "Chrome 120.20",
            "firefox==1150.10",
            "prices>=3.10",
            "cost@3.10",
            "price ^3.10",
            "price~=3.10",
            r#""price": "^3.10""#,
        ] {
            assert_eq!(round(text), None, "{text}");
        }
    }

    #[test]
    fn a_point_before_three_digits_is_read_in_two_ways() {
        let other = |text: &str| other_reading(&Fact::parse(text).unwrap()).map(|fact| fact.text);
        for (text, read) in [
            ("21.000", Some("21000")),
            ("21,000", Some("21.000")),
            ("75300", Some("75.300")),
            ("1.25", None),
            ("12", None),
        ] {
            assert_eq!(other(text).as_deref(), read, "{text}");
        }
    }

    #[test]
    fn lists_tables_and_versions_stay() {
        let same = [
            "[3,4]",
            "(12,5)",
            "1,2,3",
            "a,12,5",
            "10.0.42.1",
            "1.2.3",
            "v2 000",
            "80 44",
            "1000 200",
            "1,23,45",
            "123,45,678",
            "1.23.456",
            "1.234",
            "4.210.5",
            "a1e6",
            "#1e6",
            "1e6f",
            "1e99",
            "12e4-8b1c",
            "a1e-3",
            "1e-99",
            "1e-3f",
            "1e6.5",
        ];
        for text in same {
            assert_eq!(one(text), text);
        }
        // Columns are parted by more than one blank.
        assert_eq!(one("12   345"), "12 345");
    }
}
