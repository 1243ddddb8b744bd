//! Whether a place in a text stands alone: it is no part of a longer word, name or number.

use super::find::index;
use super::no_number::uuid_around;

/// Characters before and behind a place of the longer word that it is in.
pub(super) const WORD: usize = 40;

/// Whether a place is no part of a longer word or number. A capital begins a word inside of a name; a plural ends one.
/// What is a name of several words itself is another one with more of them. `origin`: the place in the text as it stands.
pub(super) fn stands_alone(hay: &str, (from, to): (usize, usize), text: &str, origin: (u32, u32)) -> bool {
    let (origin, end) = (origin.0, origin.1);
    let (Some(before), Some(within), Some(after)) = (hay.get(..from), hay.get(from..to), hay.get(to..)) else {
        return false;
    };
    let joins = |one: Option<char>, other: Option<char>| match (one, other) {
        (Some(one), Some(other)) => {
            (one.is_ascii_digit() && other.is_ascii_digit()) || (is_letter(one) && is_letter(other))
        }
        _ => false,
    };
    let capital = || text.get(origin as usize..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase);
    let before_small =
        || text.get(..origin as usize).and_then(|before| before.chars().next_back()).is_some_and(char::is_lowercase);
    let own = || text.get(origin as usize..end as usize).unwrap_or_default();
    let goes_on = || {
        let before = text.get(..origin as usize).unwrap_or_default();
        let after = text.get(end as usize..).unwrap_or_default();
        (before.ends_with('_') && !own().starts_with('_')) || (after.starts_with('_') && !own().ends_with('_'))
    };
    // In "3-9" and "2026-02-08" a hyphen is no sign of what follows.
    if matches!(within.as_bytes(), [b'-', b'0'..=b'9', ..]) && before.ends_with(char::is_alphanumeric) {
        return false;
    }
    if is_sign(within) {
        // A lone sign that joins two words, or stands in a row of its like, is a part of them.
        let beside = [before.chars().next_back(), after.chars().next()];
        let joins = beside.iter().all(|sign| sign.is_some_and(char::is_alphanumeric));
        return !joins && !beside.contains(&within.chars().next());
    }
    let is_joined = joins(before.chars().next_back(), within.chars().next());
    if is_joined && !(capital() && before_small() && !is_compound(own())) {
        return false;
    }
    if (is_compound(own()) && goes_on()) || is_in_longer_name(text, (origin as usize, end as usize)) {
        return false;
    }
    let mut rest = after.chars();
    let next = rest.next();
    if !joins(within.chars().next_back(), next) {
        return true;
    }
    next == Some('s') && !rest.next().is_some_and(|sign| is_letter(sign) || (sign == '_' && is_compound(own())))
}

/// Whether a text is no more than one sign of ASCII.
fn is_sign(text: &str) -> bool {
    matches!(text.as_bytes(), [sign] if sign.is_ascii_punctuation())
}

/// Whether a text is one name that is made of several words: `close_session`, `beforeAgent`.
fn is_compound(text: &str) -> bool {
    let hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let inner = text.trim_matches('_');
    !text.contains(char::is_whitespace) && (inner.contains('_') || inner.as_bytes().windows(2).any(hump))
}

/// Whether a name of words joined by hyphens is a part of one with more of them, or a file's path one of another file:
/// `amber-coast-old`, `src/a.rs.bak`.
fn is_in_longer_name(text: &str, (from, to): (usize, usize)) -> bool {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let own = part(from, to);
    if own.contains(char::is_whitespace) || !own.starts_with(|sign: char| sign.is_alphabetic() || "/~.".contains(sign))
    {
        return false;
    }
    let (before, after) = (part(0, from), part(to, text.len()));
    let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphabetic);
    let joins = |sign: char| after.strip_prefix(sign).is_some_and(|rest| is_letter(rest.chars().next()));
    // What ends with a number may stand in another name as itself: `ent-109-text-output`.
    let is_hyphenated = is_letter(own.chars().next_back())
        && own
            .as_bytes()
            .windows(3)
            .any(|three| three[1] == b'-' && three[0] != b'-' && three[2].is_ascii_alphanumeric());
    let follows = || before.strip_suffix('-').is_some_and(|before| is_letter(before.chars().next_back()));
    let is_host = || is_host(own) && after.strip_prefix('.').is_some_and(is_country);
    let is_file = own.rsplit_once('/').is_some_and(|(_, name)| name.trim_start_matches('.').contains('.'));
    (is_hyphenated && (joins('-') || (own.starts_with(char::is_alphabetic) && follows())))
        || (is_file && joins('.'))
        || is_host()
}

/// Last parts of names of hosts behind which a country's may stand.
const DOMAINS: &[&str] = &["ac", "co", "com", "edu", "gov", "net", "org"];

/// Whether a text is the name of a host: `db1.example.com`.
fn is_host(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let last = text.rsplit_once('.').map(|(_, last)| last.to_ascii_lowercase());
    last.is_some_and(|last| DOMAINS.contains(&&*last)) && text.split('.').all(is_part)
}

/// Whether a text goes on with a country's part of the name of a host, and with nothing more of a name.
fn is_country(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_lowercase).count();
    let next = text.as_bytes().get(letters);
    letters == 2 && !next.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-(".contains(byte) || !byte.is_ascii())
}

/// Letters of scripts that part words by blanks.
fn is_letter(sign: char) -> bool {
    sign.is_lowercase() || sign.is_uppercase()
}

/// The word, number or code that a range is in.
pub(super) fn longer(text: &str, from: usize, to: usize) -> String {
    if let Some(uuid) = uuid_around(text, (index(from), index(to))).and_then(|(from, to)| text.get(from..to)) {
        return uuid.to_owned();
    }
    let joins = |sign: &char| sign.is_alphanumeric() || matches!(sign, '_' | '.' | ',');
    let before = text.get(..from).unwrap_or_default().chars().rev().take(WORD).take_while(joins).map(char::len_utf8);
    let after = text.get(to..).unwrap_or_default().chars().take(WORD).take_while(joins).map(char::len_utf8);
    let (mut start, mut end) = (from - before.sum::<usize>(), to + after.sum::<usize>());
    let is_digit = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    // Blanks and apostrophes group digits, too.
    for _ in 0..WORD / 4 {
        let before = text.get(..start).map_or(0, |before| group(before.chars().rev(), 1));
        start -= if is_digit(Some(start)) { before } else { 0 };
        let after = text.get(end..).map_or(0, |after| group(after.chars(), 3));
        end += if is_digit(end.checked_sub(1)) { after } else { 0 };
    }
    text.get(start..end).unwrap_or_default().trim_matches(['.', ',']).to_owned()
}

/// Bytes of a blank, or an apostrophe, and of the group of digits behind it, at least so many; none where there is no such
/// group.
fn group(mut signs: impl Iterator<Item = char>, least: usize) -> usize {
    let blank = signs.next().filter(|sign| matches!(sign, ' ' | '\'' | '’' | '\u{A0}' | '\u{2009}' | '\u{202F}'));
    let digits = signs.take(4).take_while(char::is_ascii_digit).count();
    blank.filter(|_| (least..=3).contains(&digits)).map_or(0, |blank| blank.len_utf8() + digits)
}

#[cfg(test)]
mod tests {
    use super::super::fact::Fact;
    use super::*;

    #[test]
    fn a_name_joined_by_hyphens_and_a_path_are_no_part_of_a_longer_one() {
        for (fact, text) in [
            ("amber-coast", "see amber-coast-old"),
            ("amber-coast", "the new-amber-coast"),
            ("src/a.rs", "mv src/a.rs.bak"),
            ("/srv/x/a-b.conf", "/srv/x/a-b.conf.old"),
            ("db1.example.com", "on db1.example.com.au there"),
            ("-9", "rows 3-9"),
            ("-08", "on 2026-02-08"),
        ] {
            assert!(Fact::parse(fact).unwrap().everywhere(text).alone.is_empty(), "{fact} in {text}");
            assert_eq!(Fact::parse(fact).unwrap().everywhere(text).in_words.len(), 1, "{fact} in {text}");
        }
        for (fact, text) in [
            ("amber-coast", "amber-coast. The amber-coast-"),
            ("amber-coast", "--amber-coast"),
            ("ent-109", "alex/ent-109-text-output"),
            ("amber", "amber-coast"),
            ("src/a.rs", "/w/src/a.rs:12 src/a.rs. Then"),
            ("src/a-b.rs", "src/a-b.rs-12-fn main"),
            ("1.2.3", "pkg-1.2.3.tgz"),
            ("a.b", "a.b.c"),
            ("db1.example.com", "db1.example.com.\nNext, https://db1.example.com/x"),
            ("this.com", "this.com.go()"),
        ] {
            assert!(!Fact::parse(fact).unwrap().everywhere(text).alone.is_empty(), "{fact} in {text}");
        }
    }

    #[test]
    fn the_longer_word_or_number_is_told_whole() {
        for (text, part, whole) in [
            ("several releases.", "lease", "releases"),
            ("spent $1,234,567, then", "234", "1,234,567"),
            ("in 2024 5 000 000 units", "000", "5 000 000"),
            ("all 5\u{202f}000 rows", "000", "5\u{202f}000"),
            ("a 1'200' b", "200", "1'200"),
            ("release 12 of 9", "lease", "release"),
            ("['to', 'releases','b']", "lease", "releases"),
            ("run 00893aaf-19fa-41d2-8238-13269b9b3ca0.", "8238", "00893aaf-19fa-41d2-8238-13269b9b3ca0"),
        ] {
            let at = text.find(part).unwrap();
            assert_eq!(longer(text, at, at + part.len()), whole, "{text}");
        }
    }
}
