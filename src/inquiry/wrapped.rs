//! Words that a line's end parts behind a hyphen: `repre-` and `sentation` below, which is one word, or `hash-` and
//! `table`, which has its hyphen. Which it is, a text does not tell: either is found.

use memchr::{memchr_iter, memmem};

use super::normal::Normal;

/// Letters of an anchor before which it may be broken at most: a longer one is no word.
const LONGEST: usize = 32;
/// Bytes of what a line's end may part at least.
const SHORTEST: usize = 4;

/// Evened-out text without its hyphens, where some of them stand at a line's end.
pub(super) struct Wrapped<'a> {
    normal: &'a Normal,
    text: &'a str,
    /// Without hyphens, and per byte where it stands in the evened-out text.
    bare: Vec<u8>,
    places: Vec<u32>,
    /// The places of its hyphens, and of those that part no word.
    hyphens: Vec<u32>,
    plain: Vec<u32>,
}

impl<'a> Wrapped<'a> {
    /// Reads evened-out text; `text` is what it was made of. `None` where no word may be parted in it.
    pub fn of(normal: &'a Normal, text: &'a str) -> Option<Wrapped<'a>> {
        let (bytes, places) = (Vec::new(), Vec::new());
        let mut wrapped = Wrapped { normal, text, bare: bytes, places, hyphens: Vec::new(), plain: Vec::new() };
        if !memchr_iter(b'-', normal.text.as_bytes()).any(|at| wrapped.breaks(at)) {
            return None;
        }
        (wrapped.bare, wrapped.places) = bare(normal.text.as_bytes());
        wrapped.hyphens = memchr_iter(b'-', normal.text.as_bytes()).filter_map(|at| u32::try_from(at).ok()).collect();
        let parts = |at: &u32| wrapped.breaks(*at as usize) && wrapped.joins(*at as usize);
        wrapped.plain = wrapped.hyphens.iter().filter(|at| !parts(at)).copied().collect();
        Some(wrapped)
    }

    /// Whether a blank or a line's end stands behind the hyphen at a place, and something before it.
    fn breaks(&self, at: usize) -> bool {
        let bytes = self.normal.text.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
            return false;
        }
        if bytes.get(at + 1) == Some(&b' ') {
            return true;
        }
        // The line's end that stood there is gone.
        let (from, to) = self.normal.origin(at, at + 1);
        let own = self.text.get(from as usize..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        (to.saturating_sub(from)) as usize > own && bytes.get(at + 1).is_some()
    }

    /// Whether the letters on both sides of a parted place may be of one word.
    fn joins(&self, at: usize) -> bool {
        let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphabetic);
        let (before, behind) = self.normal.text.split_at(at);
        is_letter(before.chars().next_back()) && is_letter(behind.trim_start_matches(['-', ' ']).chars().next())
    }

    /// The places of a needle, in evened-out text, that it has only where words are parted.
    pub fn places(&self, needle: &str) -> Vec<(usize, usize)> {
        let (sought, _) = bare(needle.as_bytes());
        if sought.len() < SHORTEST {
            return Vec::new();
        }
        let finder = memmem::Finder::new(&sought);
        let hyphen = needle.find('-').map(|at| bare(needle.get(..at).unwrap_or_default().as_bytes()).0.len());
        let (mut found, mut next) = (Vec::new(), 0);
        while let Some(at) = self.bare.get(next..).and_then(|rest| finder.find(rest)) {
            let at = next + at;
            next = at + 1;
            let Some(from) = self.places.get(at).map(|from| *from as usize) else { break };
            let may_fit = self.may_fit(at, sought.len(), hyphen);
            if let Some(to) = may_fit.then(|| self.fits(from, needle.as_bytes())).flatten() {
                found.push((from, to));
                next = at + sought.len();
            }
        }
        found
    }

    /// Whether a needle of so many bytes without its hyphens may be at a place, told without reading it: of a text that
    /// repeats itself, that would be read again and again. `hyphen`: how many of its bytes stand before its first.
    fn may_fit(&self, at: usize, length: usize, hyphen: Option<usize>) -> bool {
        let place = |at: usize| self.places.get(at).copied().unwrap_or(u32::MAX);
        let (from, to) = (place(at), place(at + length - 1));
        let has = |list: &[u32]| list.get(list.partition_point(|one| *one < from)).is_some_and(|one| *one < to);
        match hyphen {
            None => has(&self.hyphens) && !has(&self.plain),
            Some(before) if (1..length).contains(&before) => place(at + before) - place(at + before - 1) > 1,
            Some(_) => true,
        }
    }

    /// The end of what a needle is at a place; `None` where it is not, or is without a parted word.
    fn fits(&self, from: usize, needle: &[u8]) -> Option<usize> {
        let bytes = self.normal.text.as_bytes();
        let (mut at, mut sought, mut parted) = (from, needle, false);
        while let Some((first, rest)) = sought.split_first() {
            let sign = bytes.get(at)?;
            if *sign == b'-' && self.breaks(at) {
                let blank = bytes.get(at + 1) == Some(&b' ');
                // What ends in a hyphen ends with it: no word goes on behind.
                let own = 1 + usize::from(blank && !rest.is_empty());
                let step = match (first, rest.first()) {
                    (b'-', None) => 1,
                    (b'-', Some(b' ')) => {
                        parted |= !blank;
                        2
                    }
                    (b'-', _) => {
                        parted |= blank;
                        1
                    }
                    _ if self.joins(at) => {
                        parted = true;
                        0
                    }
                    _ => return None,
                };
                sought = sought.get(step..)?;
                at += own;
                continue;
            }
            if sign != first {
                return None;
            }
            (sought, at) = (rest, at + 1);
        }
        parted.then_some(at)
    }
}

/// A text without hyphens, and the blank behind each; per byte where it stands.
fn bare(text: &[u8]) -> (Vec<u8>, Vec<u32>) {
    let (mut out, mut places) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let mut behind = false;
    for (at, byte) in (0u32..).zip(text) {
        let hyphen = *byte == b'-';
        let left_out = hyphen || behind && *byte == b' ';
        if !left_out {
            out.push(*byte);
            places.push(at);
        }
        behind = hyphen;
    }
    (out, places)
}

/// A word in ASCII letters that a line's end may part behind two of its letters or more.
#[derive(Clone, Debug)]
pub(super) struct Parted {
    word: String,
    /// Behind how many of its letters it may be parted.
    places: Vec<usize>,
}

impl Parted {
    /// Of a word; `None` where it has no place for that.
    pub fn of(word: &str) -> Option<Parted> {
        let letters = word.as_bytes();
        let breaks = |at: usize| {
            let pair = letters.get(at - 1).zip(letters.get(at));
            pair.is_some_and(|(one, other)| one.is_ascii_alphabetic() && other.is_ascii_alphabetic())
        };
        let places: Vec<usize> = (2..letters.len().min(LONGEST)).filter(|at| breaks(*at)).collect();
        (word.is_ascii() && !places.is_empty()).then(|| Parted { word: word.to_owned(), places })
    }

    /// Whether stored bytes part it: some of its letters in any case, a hyphen, and a blank, a line's end or what stands
    /// for one.
    pub fn is_in(&self, stored: &[u8]) -> bool {
        let ends = |at: usize| stored.get(at + 1).is_some_and(|byte| *byte == b'\\' || byte.is_ascii_whitespace());
        let begins = |at: usize, size: usize| {
            let before = at.checked_sub(size).and_then(|from| stored.get(from..at));
            before.zip(self.word.as_bytes().get(..size)).is_some_and(|(before, own)| before.eq_ignore_ascii_case(own))
        };
        memchr_iter(b'-', stored).any(|at| ends(at) && self.places.iter().any(|size| begins(at, *size)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fact::{Fact, Query};
    use super::*;

    fn told<'a>(fact: &str, text: &'a str) -> Vec<&'a str> {
        let places = Fact::parse(fact).unwrap().everywhere(text).alone;
        places.iter().map(|(from, to)| &text[*from as usize..*to as usize]).collect()
    }

    #[test]
    fn a_word_is_found_where_a_lines_end_parts_it() {
        for (fact, text, shown) in [
            ("precondition", "It is a pre-\ncondition of all.", "pre-\ncondition"),
            ("precondition", "It is a pre-\r\n   condition of all.", "pre-\r\n   condition"),
            ("precondition", "It is a pre- condition of all.", "pre- condition"),
            ("pre-condition", "It is a pre-\ncondition of all.", "pre-\ncondition"),
            ("pre-condition", "It is a pre- condition of all.", "pre- condition"),
            ("pre- condition", "It is a pre-\ncondition of all.", "pre-\ncondition"),
            ("src/a.go-344- /home/x", "src/a.go-344-\n/home/x", "src/a.go-344-\n/home/x"),
            (
                "the shared hash-table representation of it",
                "the shared hash-\ntable represen-\ntation of it",
                "the shared hash-\ntable represen-\ntation of it",
            ),
            ("Vorbedingung", "Die Vor\u{2010}\nbedingung gilt.", "Vor\u{2010}\nbedingung"),
            ("precondition", r#"{"text": "a pre-\ncondition of all"}"#, r"pre-\ncondition"),
        ] {
            assert_eq!(told(fact, text), [shown], "{fact} in {text:?}");
        }
    }

    #[test]
    fn a_hyphen_that_parts_nothing_stays_one() {
        for (fact, text) in [
            ("precondition", "a pre-condition"),
            ("pretest", "pre- and posttest"),
            ("condition", "a pre-\nconditional"),
            ("key77413", "key-\n77413"),
            ("ab", "a\n- b"),
            ("ab", "a -\nb"),
        ] {
            assert_eq!(told(fact, text), [""; 0], "{fact} in {text:?}");
        }
        // Twice at one place is once.
        assert_eq!(told("a pre-condition", "a pre-\ncondition and a pre-condition").len(), 2);
        assert_eq!(told("hbr-7731-", "hbr-7731- and please, hbr-\n7731- too"), ["hbr-7731-", "hbr-\n7731-"]);
    }

    #[test]
    fn what_repeats_itself_is_not_read_again_for_each_place() {
        let half = "ab".repeat(100_000);
        for (needle, text) in [
            ("ab".repeat(1_900), format!("{half}-1 {half} x-\ny")),
            (format!("{0}-{0}", "ab".repeat(900)), format!("{half}{half} x-\ny")),
        ] {
            assert!(told(&needle, &text).is_empty(), "{}", needle.len());
        }
    }

    #[test]
    fn stored_bytes_that_part_a_word_are_read() {
        for stored in ["a Pre-\\ncondition", "a pre-\r\ncondition", "precondi-\\\\ntion", "pre- condition"] {
            let Query::Literal(literal) = Fact::parse("the precondition").unwrap().query else { panic!() };
            assert!(literal.may_be_in(stored.as_bytes(), true), "{stored}");
        }
        for stored in ["pre-condition", "- item", "a pre- b".trim_end_matches(" b"), "nothing of it"] {
            let Query::Literal(literal) = Fact::parse("the precondition").unwrap().query else { panic!() };
            assert!(!literal.may_be_in(stored.as_bytes(), true), "{stored}");
        }
        assert!(Parted::of("a1").is_none() && Parted::of("x").is_none());
    }
}
