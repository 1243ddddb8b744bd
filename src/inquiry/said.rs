//! Whether a sentence of an answer says what was chosen, or only what something does; and sentences without the letter or
//! number that lists them.

use super::instructs::ORDERS;

/// What compares two ways, whoever goes one of them.
pub(super) const INSTEAD: &str = "instead of";

/// Who says what they do themselves, and what is so from now on.
const OWN: &[&str] =
    &["i", "i'd", "i'll", "i'm", "i've", "let's", "now", "our", "us", "we", "we'd", "we'll", "we're", "we've"];
/// Verbs of changes that begin no order of a person's, without the `e` at their ends.
const CHANGES: &[&str] = &["cach", "chang", "group", "load", "mak", "migrat", "mov", "pars", "rewrit", "sort", "wrap"];

/// Whether a sentence with one of the words of choices tells a choice: what only compares two ways tells one where it says
/// who goes one of them, or begins as an order, or as what was done. "Uses a map instead of a list" says what code does.
pub(super) fn chooses(sentence: &str, words: &[&str]) -> bool {
    let lower = sentence.to_lowercase();
    if !lower.contains(INSTEAD) || words.iter().any(|word| *word != INSTEAD && lower.contains(word)) {
        return true;
    }
    let clause = |text: &str| {
        let mut words = text
            .split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '\'' | '_')))
            .filter(|word| !word.is_empty());
        words.next().is_some_and(does)
    };
    let own = |word: &str| OWN.contains(&word.replace('\u{2019}', "'").as_str());
    lower.split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '\'' | '\u{2019}'))).any(own)
        || lower.split([',', ':', ';', '\u{2014}', '\u{2013}']).any(clause)
}

/// Whether a word tells to do something, or that it was or is being done: `use`, `used`, `using`, but not `uses`.
fn does(word: &str) -> bool {
    let of = |stem: &str| CHANGES.contains(&stem) || ORDERS.iter().any(|order| order.trim_end_matches('e') == stem);
    let doubled = |stem: &str| {
        let mut signs = stem.chars().rev();
        let last = signs.next();
        last.is_some() && last == signs.next() && of(stem.get(..stem.len() - 1).unwrap_or_default())
    };
    ORDERS.contains(&word)
        || of(word.trim_end_matches('e'))
        || ["ed", "ing"].iter().filter_map(|end| word.strip_suffix(end)).any(|stem| of(stem) || doubled(stem))
}

/// A sentence without the letter or number by which a list names it: `B) Keep it`, `(2) Keep it`, `3. Keep it`, `iv) Keep it`.
pub(super) fn without_label(sentence: &str) -> &str {
    let inner = sentence.strip_prefix('(').unwrap_or(sentence);
    let opened = inner.len() < sentence.len();
    let size = inner.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let (label, rest) = inner.split_at(size);
    let digits = label.len() <= 3 && label.bytes().all(|byte| byte.is_ascii_digit());
    let roman = label.len() <= 4 && label.bytes().all(|byte| matches!(byte.to_ascii_lowercase(), b'i' | b'v' | b'x'));
    let names = !label.is_empty() && (digits || roman || label.len() == 1);
    let rest = match rest.strip_prefix(')') {
        Some(rest) => Some(rest),
        // "I. e." and "e. g." list nothing.
        None if !opened && digits => rest.strip_prefix('.'),
        None => None,
    };
    let blank = |rest: &&str| rest.starts_with(char::is_whitespace);
    rest.filter(|_| names).filter(blank).map(str::trim_start).filter(|rest| !rest.is_empty()).unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_code_does_is_no_choice() {
        for choice in [
            "I'll keep a map instead of a list",
            "Update handlers to use `SessionEnd` instead of `Stop`",
            "For temporary checkpoints, group by session instead of all under one",
            "Fixed the grouping - by session instead of all under one",
            "`tree()` now called once before the loop instead of for every commit",
            "Switching to WAL instead of a lock file",
            "We decided on WAL instead of a lock file",
            "Storage: use SQLite instead of files",
        ] {
            assert!(chooses(choice, &["decided", INSTEAD]), "{choice}");
        }
        for told in [
            "Uses `Getwd()` instead of the repository's root",
            "(id: 2756673985): Suggests using `SessionEnd` constant instead of `Stop`",
            "`tree()` called inside loop instead of once before",
            "Truncated output becomes durable lineage instead of a warning",
        ] {
            assert!(!chooses(told, &["decided", INSTEAD]), "{told}");
        }
    }

    #[test]
    fn what_lists_a_sentence_is_none_of_it() {
        for listed in
            ["B) Keep it small", "(b) Keep it small", "2) Keep it small", "2. Keep it small", "iv) Keep it small"]
        {
            assert_eq!(without_label(listed), "Keep it small", "{listed}");
        }
        for whole in ["I. e. keep it", "(see above) keep it", "3.5 is kept", "a) ", "f(x) is kept", "Keep it small"] {
            assert_eq!(without_label(whole), whole);
        }
    }
}
