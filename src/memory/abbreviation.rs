//! Words that are cut short: the stop behind them ends no sentence.

use super::words::is_silent;

/// Words, without their last stop, that the next word always belongs to. Sorted.
const ALWAYS: &[&str] = &[
    "abb",
    "approx",
    "bzw",
    "ca",
    "cf",
    "cfr",
    "d.h",
    "dott",
    "dr",
    "dra",
    "e.g",
    "eg",
    "ej",
    "evtl",
    "gen",
    "ggf",
    "hr",
    "i.e",
    "ie",
    "incl",
    "inkl",
    "lt",
    "max",
    "messrs",
    "min",
    "mio",
    "mlle",
    "mme",
    "mr",
    "mrs",
    "ms",
    "mt",
    "p.ej",
    "p.ex",
    "prof",
    "resp",
    "sig",
    "sog",
    "sr",
    "sra",
    "st",
    "vgl",
    "viz",
    "vs",
    "w.r.t",
    "z.b",
    "zzgl",
    "\u{438}\u{43c}",
    "\u{442}.\u{435}",
    "\u{442}.\u{43a}",
    "\u{443}\u{43b}",
];

/// Words that are cut short before a number alone. Sorted.
const BEFORE_NUMBERS: &[&str] = &[
    "abs",
    "art",
    "ch",
    "chap",
    "eq",
    "fig",
    "figs",
    "line",
    "no",
    "nos",
    "nr",
    "num",
    "n\u{fa}m",
    "p",
    "pp",
    "r",
    "rev",
    "s",
    "sec",
    "sect",
    "tab",
    "v",
    "ver",
    "vers",
    "vol",
    "\u{441}\u{442}\u{440}",
    "\u{2116}",
];

/// Words that end a sentence as often as not: a small letter goes on. Sorted.
const BEFORE_SMALL: &[&str] = &[
    "a.m",
    "co",
    "corp",
    "dept",
    "ecc",
    "est",
    "etc",
    "inc",
    "jr",
    "ltd",
    "no",
    "p.m",
    "u.a",
    "usw",
    "\u{433}",
    "\u{442}.\u{434}",
];

/// Whether a word, without the stop behind it, is cut short there, as the next word tells: `Dr.`, `e.g.`, `v. 7`.
pub(super) fn is_cut_short(word: &str, next: Option<&str>) -> bool {
    let Some(next) = next else { return false };
    let word = word.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    // What is longer than any of them need not be looked at.
    if word.is_empty() || word.len() > 12 {
        return false;
    }
    let small = word.to_lowercase();
    let is_in = |table: &[&str]| table.binary_search(&&*small).is_ok();
    let first = next.trim_start_matches(['(', '"', '\'', '`', '*', '#', '\u{201c}']).chars().next();
    let is_digit = first.is_some_and(|sign| sign.is_ascii_digit());
    // "max. 5", but "at its max. The next".
    let stands = !matches!(&*small, "max" | "min" | "gen" | "sig" | "resp" | "eg" | "ie" | "lt" | "ms" | "mt" | "ca")
        || first.is_some_and(|sign| !sign.is_uppercase())
        || word.starts_with(char::is_uppercase);
    (is_in(ALWAYS) && stands)
        || (is_in(BEFORE_NUMBERS) && is_digit)
        || (is_in(BEFORE_SMALL) && small != "no" && first.is_some_and(char::is_lowercase))
}

/// Whether a word, without the stop behind it, is the initial of a name that goes on: `J. Smith`, `George W. Bush`.
/// `before` is the word before it in its sentence.
pub(super) fn is_initial(word: &str, before: Option<&str>, next: Option<&str>) -> bool {
    let mut signs = word.chars();
    let one = signs.next().is_some_and(char::is_uppercase) && signs.next().is_none();
    let is_name = |word: &str| {
        let mut signs = word.chars();
        signs.next().is_some_and(char::is_uppercase) && signs.all(|sign| sign.is_lowercase() || ".-".contains(sign))
    };
    // "Of J. R. Smith", but "convert A to B. Restart it".
    let is_next = next.is_some_and(|next| matches!(next.as_bytes(), [first, b'.'] if first.is_ascii_uppercase()));
    let joins = is_next || before.is_none_or(is_name);
    let bare = next.map(|next| next.trim_end_matches([',', ';', ':', '.', '!', '?']));
    one && joins && bare.is_some_and(|next| is_name(next) && !is_silent(&next.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for table in [ALWAYS, BEFORE_NUMBERS, BEFORE_SMALL] {
            assert!(table.windows(2).all(|pair| pair[0] < pair[1]), "{table:?}");
        }
    }

    #[test]
    fn the_next_word_tells_what_is_cut_short() {
        assert!(
            is_cut_short("v", Some("7.2")) && is_cut_short("(e.g", Some("Redis")) && is_cut_short("Dr", Some("No"))
        );
        assert!(is_cut_short("no", Some("5")) && !is_cut_short("no", Some("Then")) && !is_cut_short("etc", Some("We")));
        assert!(is_initial("J", None, Some("Smith")) && is_initial("W", Some("George"), Some("Bush,")));
        assert!(!is_initial("B", Some("plan"), Some("Smith")) && !is_initial("B", Some("Plan"), Some("The")));
    }
}
