//! Numbers in one form: digits that are not grouped, and a point before a fraction.

use std::borrow::Cow;

pub use super::amount::without_zeros;
use super::amount::{CURRENCIES, unit};
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
        if let Some(point) = lone_point(bytes, &written) {
            changes.push((point, point, Cow::Borrowed("0")));
        }
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

/// The point that a number begins with, where nothing stands before that: .5 is 0.5.
fn lone_point(bytes: &[u8], written: &Written) -> Option<usize> {
    let point = written.from.checked_sub(1).filter(|at| is_lone_point(bytes, *at))?;
    let goes_on = bytes.get(written.to).is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    (written.signs.is_empty() && !goes_on).then_some(point)
}

/// Whether the byte at a place is a point, and nothing that goes on in it stands before it.
pub(super) fn is_lone_point(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    bytes.get(at) == Some(&b'.')
        && before.is_none_or(|byte| byte.is_ascii_whitespace() || b"([{=:,<>|~+-\"'`$".contains(&byte))
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
        return !may_be_several(number, around);
    }
    !number.contains(',') || !is_list_item(around.0, around.1)
}

/// Whether numbers that blanks part may be several as well as the groups of one: no blank is one that breaks no line, none
/// of them begins with a zero, and no currency tells that they are one amount.
fn may_be_several(number: &str, (before, behind): (&str, &str)) -> bool {
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
    let is_currency = |name: &str| CURRENCIES.iter().any(|known| known.eq_ignore_ascii_case(name));
    let last = before.trim_end_matches([' ', '\u{a0}', '\u{202f}']);
    let name = last.rsplit(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
    let is_money = is_currency(unit(behind)) || is_currency(name) || last.ends_with(['$', '€', '£', '¥']);
    is_plain && !is_money && !number.split(' ').skip(1).any(|group| group.starts_with('0'))
}

/// Whether a place that holds blanks is a part of several numbers which they part, and so each a number by itself: of
/// 1 234 567 that may be.
pub(super) fn is_of_several(text: &str, even: &Normal, origin: (u32, u32)) -> bool {
    let at = |origin: u32| even.starts.partition_point(|start| *start < origin);
    let (bytes, from, to) = (even.text.as_bytes(), at(origin.0), at(origin.1));
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let before = bytes.get(..from).unwrap_or_default().iter().rev().take(DIGITS).take_while(is_digit).count();
    let behind = bytes.get(to..).unwrap_or_default().iter().take(DIGITS).take_while(is_digit).count();
    let (start, end) = even.origin(from - before, to + behind);
    let (start, end) = (start as usize, end as usize);
    let number = text.get(start..end).unwrap_or_default();
    let around = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let has_fraction = around.1.starts_with(['.', ',']) && around.1.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    // Its ends are those of numbers.
    let parts = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_none_or(|byte| !byte.is_ascii_digit());
    let is_whole = parts((origin.0 as usize).checked_sub(1)) && parts(Some(origin.1 as usize));
    is_whole && before.max(behind) < DIGITS && !has_fraction && may_be_several(number, around)
}

/// Whether words that begin or end with a number take but a part of one that blanks group: `567 EUR` of 1 234 567 EUR.
pub(super) fn is_cut_at_blank<'a>(text: &str, even: impl Fn() -> &'a Normal, (from, to): (u32, u32)) -> bool {
    let words = text.get(from as usize..to as usize).unwrap_or_default().as_bytes();
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let first = words.iter().take(4).take_while(is_digit).count();
    let last = words.iter().rev().take(4).take_while(is_digit).count();
    let ahead = text.get(..from as usize).is_some_and(|before| before.ends_with(' '));
    let next = text.get(to as usize..).is_some_and(|behind| behind.starts_with(' '));
    // The number itself begins before these words, or goes on behind them.
    let goes_on = |at: Option<usize>| at.and_then(|at| even().text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let at = |origin: u32| even().starts.partition_point(|start| *start < origin);
    let size = |length: usize| u32::try_from(length).unwrap_or(0);
    (ahead
        && (1..4).contains(&first)
        && goes_on(at(from).checked_sub(1))
        && is_in_groups(text, even(), (from, from + size(first))))
        || (next
            && (1..4).contains(&last)
            && goes_on(Some(at(to)))
            && is_in_groups(text, even(), (to - size(last), to)))
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
                let is_blank = |at: &usize| bytes[*at] == b' ' || is_wide(normal, *at);
                let grouped = written.signs.iter().all(is_blank) && sign - start(&written) <= 3;
                next == 3 && grouped && !is_wide(normal, sign) && !word
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

/// Whether a sign came of more than one byte: of several blanks, or of one that breaks no line.
fn is_wide(normal: &Normal, at: usize) -> bool {
    normal.starts.get(at + 1).zip(normal.starts.get(at)).is_none_or(|(to, at)| to - at != 1)
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
    // A blank groups as one that breaks no line does.
    let is_blank = |byte: u8| matches!(byte, b' ' | b'_');
    let is_alike = |byte: u8| byte == bytes[first] || (is_blank(byte) && is_blank(bytes[first]));
    let alike = signs.iter().take_while(|at| is_alike(bytes[**at])).count();
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
