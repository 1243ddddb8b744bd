//! Numbers whose fractions end with zeros, which say nothing of an amount, and much of a version.

use super::normal::Normal;
use super::number::digits;

/// Letters and signs that stand beside an amount: currencies.
pub(super) const CURRENCIES: &[&str] =
    &["$", "€", "£", "¥", "chf", "dollar", "dollars", "eur", "euro", "euros", "gbp", "pounds", "usd", "yen"];
/// The same of shares and measures.
const MEASURES: &[&str] = &["%", "gb", "h", "kb", "kg", "km", "mb", "min", "ms", "percent", "s", "sec", "seconds"];

/// Words that say of the number behind them that it is an amount of money, and those that may stand between.
const MONEY: &[&str] = &[
    "balance", "budget", "cost", "costs", "fee", "fees", "paid", "pays", "price", "prices", "refund", "revenue",
    "salary", "subtotal", "sum", "tax", "total", "totals",
];
const BETWEEN: &[&str] = &["about", "are", "at", "exactly", "is", "of", "was", "were"];
/// Those behind which a number is what is said of something, and more such words; names of measures.
const TELLS: &[&str] = &[
    "about",
    "accuracy",
    "alpha",
    "are",
    "average",
    "beta",
    "between",
    "by",
    "delay",
    "distance",
    "equals",
    "exactly",
    "factor",
    "height",
    "is",
    "length",
    "limit",
    "loss",
    "max",
    "mean",
    "median",
    "min",
    "of",
    "probability",
    "rate",
    "ratio",
    "score",
    "size",
    "temperature",
    "than",
    "threshold",
    "timeout",
    "value",
    "was",
    "weight",
    "were",
    "width",
];
/// Languages, systems and programs whose versions are told behind their names, whatever stands between.
const VERSIONED: &[&str] = &[
    "alpine",
    "android",
    "angular",
    "chrome",
    "debian",
    "django",
    "docker",
    "fedora",
    "firefox",
    "gcc",
    "go",
    "golang",
    "ios",
    "java",
    "jdk",
    "kotlin",
    "kubernetes",
    "linux",
    "llvm",
    "macos",
    "mysql",
    "node",
    "npm",
    "php",
    "postgres",
    "postgresql",
    "python",
    "react",
    "redis",
    "ruby",
    "rust",
    "rustc",
    "safari",
    "scala",
    "swift",
    "typescript",
    "ubuntu",
    "vue",
    "windows",
];
/// What stands before the last of several numbers.
const JOINS: &[&str] = &[" and", " or", " to", " und", " et", " y"];
/// Bytes of what stands before a number that are read.
const BEFORE: usize = 64;

/// A text whose numbers are in one form, without the zeros that end their fractions: 12.50 € becomes 12.5 €, and 1299.00
/// becomes 1299. What may be a version keeps its own: 3.10 is not 3.1. `None` where nothing changes.
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
        if bytes.get(at - 1) == Some(&b'0') && is_amount(&even.text, (from, point, at)) {
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

/// Whether a number at a place, which was given with zeros at the end of its fraction, is that number, and no version.
pub(super) fn is_no_version(text: &str, (from, to): (usize, usize)) -> bool {
    match text.get(from..to).and_then(|number| number.find('.')) {
        Some(point) => is_amount(text, (from, from + point, to)),
        None => text.get(..from).is_some_and(|before| !is_of_version(before)),
    }
}

/// Whether a number with a fraction is an amount: by what stands beside it, or as what no version looks like.
fn is_amount(text: &str, (from, point, to): (usize, usize, usize)) -> bool {
    let bytes = text.as_bytes();
    let fraction = bytes.get(point + 1..to).unwrap_or_default();
    let (before, behind) = (text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
    let joins = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '/');
    // 1.10.2, 1.10.x, 3.10-slim.
    let mut next = behind.chars();
    let goes_on = match next.next() {
        Some('.') => next.next().is_some_and(|sign| sign.is_ascii_digit() || matches!(sign, 'x' | '*')),
        Some('-') => next.next().is_some_and(char::is_alphabetic) && !MEASURES.contains(&unit(behind)),
        _ => false,
    };
    // A minus is a sign of the number, a hyphen one of a name.
    let name = before.strip_suffix('-').filter(|rest| !rest.ends_with(|sign: char| joins(sign) || sign == '.'));
    let name = name.unwrap_or(before);
    if goes_on || name.ends_with(['.', '-', '_', '/']) {
        return false;
    }
    let last = before.trim_end_matches(' ');
    let name = last.rsplit(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
    let words = before.rsplit(|sign: char| !sign.is_alphanumeric() && !matches!(sign, '.' | ';' | '!' | '?'));
    let mut words = words.filter(|word| !word.is_empty()).take(3).skip_while(|word| BETWEEN.contains(word));
    let is_counted = words.next().is_some_and(|word| MONEY.contains(&word));
    if is_of_version(before) {
        return false;
    }
    let is_money =
        is_counted || last.ends_with(['$', '€', '£', '¥']) || (name.len() == 3 && CURRENCIES.contains(&name));
    let next = unit(behind);
    if is_money || CURRENCIES.contains(&next) || MEASURES.contains(&next) {
        return true;
    }
    if before.ends_with(joins) || behind.starts_with(joins) {
        return false;
    }
    // A year with a month in it is a version, too, and so may be what stands behind a name: "Firefox 115.10".
    let year = point - from == 4 && matches!(&bytes[from..from + 2], b"19" | b"20");
    match point - from {
        4 if year => fraction.len() != 2,
        4.. => true,
        3 => !last.ends_with(char::is_alphabetic) || !may_be_named(before, behind),
        // Three digits behind a point may be a group of a whole number.
        _ => match fraction.len() {
            ..3 => !may_be_named(before, behind),
            3 => &bytes[from..point] == b"0",
            _ => true,
        },
    }
}

/// The word or the sign behind a number, where a unit or a currency stands.
pub(super) fn unit(behind: &str) -> &str {
    let next = behind.strip_prefix(|sign: char| sign == '-' || sign.is_whitespace()).unwrap_or(behind);
    let word = next.find(|sign: char| !sign.is_alphabetic()).unwrap_or(next.len());
    next.get(..word.max(next.chars().next().map_or(0, char::len_utf8))).unwrap_or_default()
}

/// Whether a number may be the version of what is named before it, alone or first in a list: "python 3.9, 3.10". Whoever
/// quotes a number, or begins a sentence with it, may mean one, too.
fn may_be_named(before: &str, behind: &str) -> bool {
    let before = before.get(before.ceil_char_boundary(before.len().saturating_sub(BEFORE))..).unwrap_or_default();
    let quotes = ['"', '\'', '`'];
    let last = before.trim_end_matches(' ');
    if before.ends_with(quotes) || behind.starts_with(quotes) || last.ends_with(['.', '!', '?']) {
        return true;
    }
    let words = || before.rsplit(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_word = |word: &&str| word.starts_with(char::is_alphabetic);
    if words().filter(is_word).take(3).any(|word| VERSIONED.contains(&word)) {
        return true;
    }
    let part = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ',' | ' ');
    let mut list = before.trim_end_matches(part);
    while let Some(rest) = JOINS.iter().find_map(|word| list.strip_suffix(word)) {
        list = rest.trim_end_matches(part);
    }
    let between = before.get(list.len()..).unwrap_or_default();
    let name = list.rsplit(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
    between.starts_with(' ') && name.chars().nth(1).is_some() && !TELLS.contains(&name)
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

#[cfg(test)]
mod tests {
    use super::super::normal::normalise;
    use super::*;

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
}
