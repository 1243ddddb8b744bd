//! Whether a text is JSON, found before any of it is shown: what is none would come out of the limits as data that
//! nobody wrote. Read once from end to end, in constant memory beside its depth.

use std::io::{self, BufRead};

use memchr::memchr3;
use serde::de::IgnoredAny;

/// Levels within each other that are followed.
const DEPTH_MAX: usize = 16 << 20;
/// Bytes of a number or word that are looked at.
const WORD_MAX: usize = 64;
/// What ends a number or word.
pub(super) const WORD_ENDS: &[u8] = b" \t\r\n,:]}[{\"/";
/// Words that stand in what some programs write as JSON.
const ODD_NUMBERS: &[&str] = &["NaN", "Infinity", "-Infinity"];

/// What a text turned out to be. Comments and a comma behind the last item are no faults.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Values that stand one after the other, the last of which may have no end.
    pub values: u64,
    /// Whether it has comments.
    pub comments: bool,
    /// The line and words of the first fault. That the text ends too early is none.
    pub fault: Option<(u64, String)>,
    /// The line at which the text ends too early.
    pub cut_off: Option<u64>,
}

/// What may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// A value, or where a level has just begun or after a comma its end.
    Value {
        end: bool,
    },
    /// A key or the object's end.
    Key,
    Colon,
    /// A comma or the level's end.
    Comma,
}

/// Reads JSON to its end, or to its first fault.
///
/// # Errors
/// Where the bytes cannot be read.
pub fn check<R: BufRead>(from: R) -> io::Result<Checked> {
    let mut checker = Checker { from, line: 1, broken: true, found: Checked::default() };
    let fault = checker.read()?;
    let line = checker.line;
    Ok(Checked { fault: fault.map(|why| (line, why)), ..checker.found })
}

struct Checker<R> {
    from: R,
    /// The line being read, from 1.
    line: u64,
    /// Whether a line has ended since the last value outside everything.
    broken: bool,
    found: Checked,
}

impl<R: BufRead> Checker<R> {
    /// The words of the first fault.
    fn read(&mut self) -> io::Result<Option<String>> {
        // For each level that is open: whether it is an object.
        let mut open: Vec<bool> = Vec::new();
        let mut due = Due::Value { end: false };
        let mut bracket = false;
        loop {
            let outside = open.is_empty();
            let Some(byte) = self.peek()? else {
                self.found.cut_off = (!outside).then_some(self.line);
                return Ok(None);
            };
            if outside {
                // Brackets keep values apart; words on one line are no JSON.
                let begins = matches!(byte, b'{' | b'[');
                if self.found.values > 0 && !self.broken && !(begins && bracket) {
                    return Ok(Some("more follows behind its value".to_owned()));
                }
                bracket = begins;
                self.found.values += 1;
                self.broken = false;
            }
            let ends = match byte {
                b'}' => Some(true),
                b']' => Some(false),
                _ => None,
            };
            if let Some(object) = ends {
                let may = matches!(due, Due::Value { end: true } | Due::Key | Due::Comma);
                if !may || open.pop() != Some(object) {
                    return Ok(Some(format!("a {} that ends nothing", char::from(byte))));
                }
                self.from.consume(1);
                due = after(&open);
                continue;
            }
            due = match (due, byte) {
                (Due::Comma, b',') => {
                    self.from.consume(1);
                    if open.last() == Some(&true) { Due::Key } else { Due::Value { end: true } }
                }
                (Due::Colon, b':') => {
                    self.from.consume(1);
                    Due::Value { end: false }
                }
                (Due::Value { .. }, b'{' | b'[') => {
                    if open.len() >= DEPTH_MAX {
                        return Ok(Some("it is nested too deep".to_owned()));
                    }
                    self.from.consume(1);
                    open.push(byte == b'{');
                    if byte == b'{' { Due::Key } else { Due::Value { end: true } }
                }
                (Due::Value { .. } | Due::Key, b'"') => {
                    match self.string()? {
                        End::Whole => {}
                        End::Early => {
                            self.found.cut_off = Some(self.line);
                            return Ok(None);
                        }
                        End::Broken => return Ok(Some("a string that its line does not end".to_owned())),
                    }
                    if due == Due::Key { Due::Colon } else { after(&open) }
                }
                (_, b'/') => {
                    // It is taken already. The text's end may have cut a comment off.
                    let cut_off = !outside && self.from.fill_buf()?.is_empty();
                    self.found.cut_off = cut_off.then_some(self.line);
                    return Ok((!cut_off).then(|| "a / that begins no comment".to_owned()));
                }
                (Due::Value { .. }, _) => {
                    let (word, last) = self.word()?;
                    let cut_off = last && !outside && begins_value(&word);
                    if !cut_off && !is_value(&word) {
                        return Ok(Some(format!("{word:?} is no value")));
                    }
                    after(&open)
                }
                (due, _) => return Ok(Some(unmet(due).to_owned())),
            };
        }
    }

    /// The next byte that is neither white space nor of a comment; not taken.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let held = self.from.fill_buf()?;
            let Some(blank) = held.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) else {
                let (size, breaks) = (held.len(), breaks(held));
                self.went(breaks);
                self.from.consume(size);
                if size == 0 {
                    return Ok(None);
                }
                continue;
            };
            let (found, breaks) = (held[blank], breaks(&held[..blank]));
            self.went(breaks);
            self.from.consume(blank);
            if found != b'/' {
                return Ok(Some(found));
            }
            match skip_comment(&mut self.from)? {
                Some(breaks) => self.went(breaks),
                None => return Ok(Some(b'/')),
            }
            self.found.comments = true;
        }
    }

    fn went(&mut self, lines: u64) {
        self.line += lines;
        self.broken |= lines > 0;
    }

    /// Takes a string.
    fn string(&mut self) -> io::Result<End> {
        self.from.consume(1);
        let mut escaped = false;
        loop {
            let held = self.from.fill_buf()?;
            if held.is_empty() {
                return Ok(End::Early);
            }
            if std::mem::take(&mut escaped) {
                self.from.consume(1);
                continue;
            }
            let found = memchr3(b'"', b'\\', b'\n', held);
            let (size, byte) = found.map_or((held.len(), None), |at| (at + 1, held.get(at).copied()));
            self.from.consume(size);
            match byte {
                Some(b'"') => return Ok(End::Whole),
                Some(b'\n') => return Ok(End::Broken),
                Some(_) => escaped = true,
                None => {}
            }
        }
    }

    /// Takes a number or word; whether the text ends with it.
    fn word(&mut self) -> io::Result<(String, bool)> {
        let mut kept = Vec::new();
        loop {
            let held = self.from.fill_buf()?;
            let ends = |byte: &u8| WORD_ENDS.contains(byte);
            let size = held.iter().position(ends).unwrap_or(held.len());
            let (last, ended) = (held.is_empty(), size < held.len());
            kept.extend_from_slice(&held[..size.min(WORD_MAX.saturating_sub(kept.len()))]);
            // Something is always taken, also where it can be no word.
            let size = if kept.is_empty() { held.len().min(1) } else { size };
            kept.extend_from_slice(if kept.is_empty() { &held[..size] } else { &[] });
            self.from.consume(size);
            if ended || last {
                return Ok((String::from_utf8_lossy(&kept).into_owned(), last));
            }
        }
    }
}

/// How a string ends.
enum End {
    Whole,
    /// With the text.
    Early,
    /// With its line.
    Broken,
}

/// Takes a comment whose first `/` comes next, and gives the lines that it ends; `None` where it is none.
///
/// # Errors
/// Where the bytes cannot be read.
pub fn skip_comment<R: BufRead>(from: &mut R) -> io::Result<Option<u64>> {
    from.consume(1);
    let second = from.fill_buf()?.first().copied();
    let long = second == Some(b'*');
    if !long && second != Some(b'/') {
        return Ok(None);
    }
    from.consume(1);
    let (mut lines, mut star) = (0, false);
    loop {
        let held = from.fill_buf()?;
        if held.is_empty() {
            return Ok(Some(lines));
        }
        let end = held.iter().position(|&byte| {
            let before = std::mem::replace(&mut star, byte == b'*');
            if long { before && byte == b'/' } else { byte == b'\n' }
        });
        let size = end.map_or(held.len(), |at| at + 1);
        lines += breaks(&held[..size]);
        from.consume(size);
        if end.is_some() {
            return Ok(Some(lines));
        }
    }
}

fn breaks(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// What may come behind a value.
fn after(open: &[bool]) -> Due {
    if open.is_empty() { Due::Value { end: false } } else { Due::Comma }
}

fn unmet(due: Due) -> &'static str {
    match due {
        Due::Key => "a key without quotes",
        Due::Colon => "a key without a colon",
        Due::Comma | Due::Value { .. } => "a value without a comma behind it",
    }
}

fn is_value(word: &str) -> bool {
    // Of a long number the beginning tells enough.
    let long = word.len() >= WORD_MAX && word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    long || ODD_NUMBERS.contains(&word) || serde_json::from_str::<IgnoredAny>(word).is_ok()
}

/// Whether a word that the text's end cuts off may have become a value.
fn begins_value(word: &str) -> bool {
    let words = ["true", "false", "null"];
    words.iter().chain(ODD_NUMBERS).any(|known| known.starts_with(word)) || is_value(&format!("{word}0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> (u64, bool, Option<u64>) {
        let whole = check(text.as_bytes()).unwrap();
        // A buffer of one byte finds the same.
        let bytewise = check(std::io::BufReader::with_capacity(1, text.as_bytes())).unwrap();
        assert_eq!(whole, bytewise, "{text}");
        (whole.values, whole.comments, whole.fault.map(|(line, _)| line))
    }

    #[test]
    fn what_is_json_has_no_fault() {
        for text in ["{\"a\":[1,-2.5e3,true,null,\"x\\\"y\",{},[]]}", " 7 ", "\"words\"", "[NaN,-Infinity]", "[1,2,]"] {
            assert_eq!(checked(text), (1, false, None), "{text}");
        }
        assert_eq!(checked(" \n"), (0, false, None));
        assert_eq!(checked("// one\n{\"a\": /* two\n */ 1, // three\n}"), (1, true, None));
        let early = ["[/", "[1 /", "{\"a\": [1,\n2", "[tru", "{\"a", "[1.", "{\"a\":"];
        assert!(early.iter().all(|text| checked(text) == (1, false, None)));
    }

    #[test]
    fn where_a_text_ends_too_early_is_told() {
        let cut_off = |text: &str| check(text.as_bytes()).unwrap().cut_off;
        for (text, line) in
            [("[", 1), ("[1 /", 1), ("{\"a\": [1,\n2", 2), ("[\n\n\"words", 3), ("{}\n[tru", 2), ("\"no end", 1)]
        {
            assert_eq!(cut_off(text), Some(line), "{text}");
        }
        assert!(["", " \n", "[1]\n", "{}{}", "7", "[1 2]"].iter().all(|text| cut_off(text).is_none()));
    }

    #[test]
    fn values_on_lines_of_their_own_are_several() {
        assert_eq!(checked("{\"a\":1}\n\n[2]\n3\n\"x\"\n"), (4, false, None));
        assert_eq!(checked("{\"a\":1}{\"b\":2}"), (2, false, None));
        assert_eq!(checked("1 2 3"), (1, false, Some(1)));
    }

    #[test]
    fn what_is_no_json_is_told_with_its_line() {
        let faults = [
            ("{'a': 1}", 1),
            ("{\n  a: 1\n}", 2),
            ("plain words", 1),
            ("2024-01-01 it broke", 1),
            ("[1 2]", 1),
            ("[1,,2]", 1),
            ("{\"a\":1,\n\"b\" 2}", 2),
            ("{\"a\":1]", 1),
            ("{\"a\":1}\n}", 2),
            ("{\"a\": \"no end,\n\"b\": 1}", 1),
            ("[1]\n\nerror", 3),
            ("/ no comment", 1),
            ("[/5]", 1),
            ("{\"a\":/true}", 1),
            ("{\n/\"a\":1}", 2),
            ("[1/]", 1),
        ];
        for (text, line) in faults {
            assert_eq!(checked(text).2, Some(line), "{text}");
        }
    }
}
