//! Whether the words of a text may stand one behind another in stored bytes, told without reading these as text: of
//! words that are everywhere, few texts hold just these in a row.

use regex::bytes::Regex;

use super::wrapped::Parted;

/// Bytes before the words of a line: the path of a file and the number of a line in it.
const BEFORE: usize = 260;
/// Bytes of the parameters of a terminal's control sequence.
const COLOUR: usize = 64;
/// Lines between two words, and bytes, behind which it is not told whether they follow one another.
const LINES: usize = 64;
const FAR: usize = 64 << 10;

/// Words in ASCII letters that follow one another.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    /// The first, in letters of any case; the same with what shows no sign between them; and where a line's end parts it.
    first: Regex,
    drawn: Regex,
    parted: Option<Parted>,
    /// Those behind it.
    rest: Vec<String>,
}

impl Beside {
    /// The longest row of words of evened-out text that are stored as they are: what a number may be written with is
    /// left out, and what stands beside signs that are not ASCII. `None` where there are no two.
    pub fn of(text: &str) -> Option<Beside> {
        let mut rows: Vec<Vec<&str>> = vec![Vec::new()];
        let words: Vec<&str> = text
            .split(|sign: char| sign.is_ascii() && !sign.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let plain = |at: Option<usize>| {
            let word = at.and_then(|at| words.get(at));
            word.is_none_or(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        };
        for (at, word) in words.iter().enumerate() {
            let beside = [at.checked_sub(1), Some(at), Some(at + 1)];
            match rows.last_mut() {
                Some(row) if beside.into_iter().all(plain) => row.push(word),
                _ => rows.push(Vec::new()),
            }
        }
        let row = rows.into_iter().max_by_key(|row| row.iter().map(|word| word.len() + 1).sum::<usize>())?;
        let [first, rest @ ..] = row.as_slice() else { return None };
        if rest.is_empty() {
            return None;
        }
        let letters: Vec<String> = first.chars().map(String::from).collect();
        let of = |between: &str| Regex::new(&format!("(?i-u){}", letters.join(between))).ok();
        let parted = Parted::of(first);
        let rest = rest.iter().map(|word| (*word).to_owned()).collect();
        Some(Beside { first: of("")?, drawn: of("`*")?, parted, rest })
    }

    /// Whether stored bytes may hold them in a row.
    pub fn is_in(&self, stored: &[u8]) -> bool {
        let first = if memchr::memchr(b'`', stored).is_some() { &self.drawn } else { &self.first };
        let mut next = 0;
        while let Some(found) = first.find_at(stored, next) {
            if self.goes_on(stored, found.end()) {
                return true;
            }
            next = found.start() + 1;
        }
        self.parted.as_ref().is_some_and(|parted| parted.is_in(stored))
    }

    /// Whether the other words may follow from a place on.
    fn goes_on(&self, stored: &[u8], at: usize) -> bool {
        let (mut places, mut next) = (vec![at], Vec::new());
        for word in &self.rest {
            for at in &places {
                if behind(stored, *at, word.as_bytes(), &mut next) {
                    return true;
                }
            }
            if next.is_empty() {
                return false;
            }
            next.sort_unstable();
            next.dedup();
            places = std::mem::take(&mut next);
        }
        true
    }
}

/// What a word is at a place.
enum Spelled {
    /// It ends there.
    To(usize),
    /// It begins there, and a line's end may part it.
    Parted,
    Not,
}

/// Adds the ends of a word behind a place, what shows no sign, parts words or stands before lines lying between; tells
/// whether it may be parted there or far away, which is not looked at closer.
fn behind(stored: &[u8], from: usize, word: &[u8], ends: &mut Vec<usize>) -> bool {
    let byte = |at: usize| stored.get(at).copied();
    // Whether a line begins here, and up to where what stands before its words goes.
    let (mut at, mut begins, mut free, mut lines) = (from, false, 0, 0);
    loop {
        if lines > LINES || at - from > FAR {
            return true;
        }
        match spelled(stored, at, word) {
            Spelled::To(end) => ends.push(end),
            Spelled::Parted => return true,
            Spelled::Not => {}
        }
        let Some(sign) = byte(at) else { return false };
        match sign {
            _ if at < free => at += 1,
            b'\\' => {
                at += stored.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'\\').count();
                match spelled(stored, at, word) {
                    Spelled::To(end) => ends.push(end),
                    Spelled::Parted => return true,
                    Spelled::Not => {}
                }
                let code = stored.get(at + 1..at + 5).unwrap_or_default();
                match byte(at) {
                    Some(b'n' | b't' | b'r' | b'b' | b'f') => {
                        begins |= byte(at) == Some(b'n');
                        lines += usize::from(byte(at) == Some(b'n'));
                        at += 1;
                    }
                    Some(b'u') if code.len() == 4 && code.iter().all(u8::is_ascii_hexdigit) => {
                        begins |= code.eq_ignore_ascii_case(b"000a");
                        lines += usize::from(code.eq_ignore_ascii_case(b"000a"));
                        at += 5;
                        if code.eq_ignore_ascii_case(b"001b") {
                            at += colour(stored.get(at..).unwrap_or_default());
                        }
                    }
                    _ => {}
                }
            }
            0x1B => at += 1 + colour(stored.get(at + 1..).unwrap_or_default()),
            sign if sign.is_ascii_alphanumeric() => {
                if !begins {
                    return false;
                }
                let line = stored.get(at..).unwrap_or_default().iter().take(BEFORE);
                (begins, free) = (false, at + line.take_while(|byte| !byte.is_ascii_whitespace()).count());
            }
            sign => {
                begins |= sign == b'\n';
                lines += usize::from(sign == b'\n');
                at += 1;
            }
        }
    }
}

/// What a word is at a place: its letters in any case, marks of Markdown and what is not ASCII between them.
fn spelled(stored: &[u8], from: usize, word: &[u8]) -> Spelled {
    let (mut at, mut sought) = (from, word);
    while let Some((first, rest)) = sought.split_first() {
        match stored.get(at) {
            Some(sign) if sign.eq_ignore_ascii_case(first) => sought = rest,
            Some(b'`' | b'*' | 0x80..) if at > from => {}
            Some(b'-') if at > from => {
                let breaks = stored.get(at + 1).is_some_and(|next| *next == b'\\' || next.is_ascii_whitespace());
                return if breaks { Spelled::Parted } else { Spelled::Not };
            }
            _ => return Spelled::Not,
        }
        at += 1;
    }
    Spelled::To(at)
}

/// Bytes of a terminal's control sequence behind its first.
fn colour(rest: &[u8]) -> usize {
    if rest.first() != Some(&b'[') {
        return 0;
    }
    let parameters = rest.iter().skip(1).take(COLOUR).take_while(|byte| (0x20..0x40).contains(*byte)).count();
    let ends = matches!(rest.get(1 + parameters), Some(0x40..=0x7E));
    if ends { 2 + parameters } else { 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fact::{Fact, Inside};
    use super::*;

    fn may_hold(text: &str, stored: &str) -> bool {
        Beside::of(text).unwrap().is_in(stored.as_bytes())
    }

    #[test]
    fn words_in_a_row_are_found_however_they_are_stored() {
        for stored in [
            "it is the end",
            "IS   The end",
            r"it is\nthe end",
            r"it is\\n  12:the end",
            "it is\n  12\u{2192}the end",
            "it is\n> > the end",
            "it is\nsrc/a-1-b.rs-12-the end",
            "it is\n12:\n13:the end",
            "it **is** `the` end",
            "it is\u{1b}[1;31m the end",
            r"it is \u001b[1;31mthe end",
            r"it is\u00a0the end",
            "it is the\u{300} end",
            "it is th-\ne end",
            r"it is \the end",
            "his there",
            "i`s` the end",
        ] {
            assert!(may_hold("is the", stored), "{stored}");
        }
        for stored in ["it is not the end", "the end is", "is a\nthe end", "isolated theme is here"] {
            assert!(!may_hold("is the", stored), "{stored}");
        }
        assert!(may_hold("pre-condition of all", "a pre-condi-\ntion of all"));
    }

    #[test]
    fn what_may_be_written_otherwise_is_not_asked_for() {
        for text in ["one", "1,000 rows of", "größe la", "a 5 b", "50 kB", "重点 of"] {
            assert!(Beside::of(text).is_none(), "{text}");
        }
        assert!(may_hold("wait 30 seconds before the next", "nothing but before the next"));
    }

    proptest! {
        /// No text that holds the words is said not to.
        #[test]
        fn nothing_that_stands_somewhere_is_missed(
            words in prop::collection::vec("(?:is|the|pre|[a-z]{1,3})", 2..5),
            between in prop::collection::vec("(?: |\n|  |\n12:|\n> |\n// |`|\\*\\*|-|, |\\\\n|\\\\\\\\n|\t|\u{1b}\\[1m|\n\n|\\\\u00a0|\na/b.c:7:)", 5),
            around in "[a-z` ]{0,4}",
        ) {
            let text = words.join(" ");
            let mut stored = around.clone();
            for (word, gap) in words.iter().zip(&between) {
                stored += word;
                stored += gap;
            }
            stored += &around;
            if let Some(beside) = Beside::of(&text)
                && let Some(fact) = Fact::literal(&text)
                && !fact.places(&stored, Inside::All).is_empty()
            {
                prop_assert!(beside.is_in(stored.as_bytes()), "{text:?} in {stored:?}");
            }
        }
    }
}
