//! A JSON value as it says itself: without the blanks between its parts, and without escapes that need not be. How a
//! file was indented, and whether its writer escaped all that is not ASCII, is nothing that a model sees.

use memchr::memchr2;

use super::decode::next_escape;
use super::encode::short_escape;
use super::steers_terminal;

/// The parts of a JSON value, in order: what stands between blanks and needless escapes, and what these escapes mean.
#[derive(Clone, Debug)]
pub struct Solid<'a> {
    rest: &'a [u8],
    /// Whether the rest begins inside a string.
    inside: bool,
}

/// A part of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// As stored.
    pub stored: &'a [u8],
    /// What it is read as, where it is an escape that is not written so: its bytes, and how many they are.
    sign: Option<([u8; 6], usize)>,
}

impl Part<'_> {
    /// What it is read as.
    pub fn text(&self) -> &[u8] {
        match &self.sign {
            Some((bytes, size)) => bytes.get(..*size).unwrap_or_default(),
            None => self.stored,
        }
    }

    /// Whether it is one sign, behind an escape.
    pub fn is_escape(&self) -> bool {
        self.sign.is_some()
    }
}

/// Reads a value's parts. What is no JSON is divided at blanks likewise.
#[must_use]
pub fn solid(bytes: &[u8]) -> Solid<'_> {
    Solid { rest: bytes, inside: false }
}

impl<'a> Solid<'a> {
    fn take(&mut self, size: usize, sign: Option<([u8; 6], usize)>) -> Option<Part<'a>> {
        let (stored, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        Some(Part { stored, sign })
    }
}

impl<'a> Iterator for Solid<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        if !self.inside {
            let begin = self.rest.iter().position(|byte| !blank(byte))?;
            self.rest = self.rest.get(begin..)?;
        }
        if self.rest.is_empty() {
            return None;
        }
        if self.inside
            && let Some((size, sign)) = escape(self.rest)
        {
            return self.take(size, Some(sign));
        }
        let mut end = 0;
        while let Some(rest) = self.rest.get(end..).filter(|rest| !rest.is_empty()) {
            if !self.inside {
                match rest.first() {
                    Some(byte) if blank(byte) => break,
                    Some(b'"') => self.inside = true,
                    _ => {}
                }
                end += 1;
                continue;
            }
            match memchr2(b'"', b'\\', rest) {
                Some(found) if rest.get(found) == Some(&b'"') => {
                    self.inside = false;
                    end += found + 1;
                }
                Some(found) if rest.get(found..).and_then(escape).is_some() => {
                    end += found;
                    break;
                }
                Some(found) => end = (end + found + 2).min(self.rest.len()),
                None => end = self.rest.len(),
            }
        }
        self.take(end, None)
    }
}

/// What an escape is written as where no more is escaped than has to be; `None` where it is written so, and where it is
/// none. Signs that could steer a terminal stay escaped.
fn escape(bytes: &[u8]) -> Option<(usize, ([u8; 6], usize))> {
    if !matches!(bytes, [b'\\', b'/', ..] | [b'\\', b'u', _, _, _, _, ..]) {
        return None;
    }
    let mut read = String::new();
    let taken = next_escape(bytes, &mut read);
    let sign = read.chars().next().filter(|sign| *sign != char::REPLACEMENT_CHARACTER)?;
    let short = match short_escape(sign) {
        Some(short) => short,
        None if steers_terminal(sign) => {
            read = bytes.get(..taken).and_then(|bytes| std::str::from_utf8(bytes).ok())?.to_ascii_lowercase();
            &read
        }
        None => &read,
    };
    let mut sized = [0; 6];
    let written = short.as_bytes();
    sized.get_mut(..written.len())?.copy_from_slice(written);
    (bytes.get(..taken) != Some(written)).then_some((taken, (sized, written.len())))
}

/// One past the quote that ends a JSON string, whose inside begins at `at`; the end where none does.
#[must_use]
pub fn string_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        match memchr2(b'"', b'\\', rest) {
            Some(found) if rest.get(found) == Some(&b'"') => return at + found + 1,
            Some(found) => at = (at + found + 2).min(bytes.len()),
            None => return bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::content::{count_chars, decode, hash, stored_offset};
    use crate::model::Coding;

    const WIDE: &str = "{\n  \"a b\": [1, \"x \\\" y\\n \"],\r\n\t\"\u{e4}\" : null }";
    const TIGHT: &str = "{\"a b\":[1,\"x \\\" y\\n \"],\"\u{e4}\":null}";

    #[test]
    fn a_value_is_the_same_however_it_is_indented() {
        let (wide, tight) = (WIDE.as_bytes(), TIGHT.as_bytes());
        assert_eq!(decode(wide, Coding::Value), TIGHT);
        assert_eq!(decode(tight, Coding::Value), TIGHT);
        assert_eq!(hash(wide, Coding::Value), hash(tight, Coding::Plain));
        assert_eq!(hash(tight, Coding::Value), hash(tight, Coding::Plain));
        assert_eq!(count_chars(wide, Coding::Value), TIGHT.chars().count() as u64);
        assert_eq!(decode(b" {\"cut \\", Coding::Value), "{\"cut \\");
        assert_eq!(decode(b" \n", Coding::Value), "");
    }

    #[test]
    fn a_value_is_the_same_however_its_signs_are_escaped() {
        let escaped = br#"{"\u4e0a\u00E4": "a\/b\u000a\u0022 \ud83d\ude00 \u001B \\u4e0a \ud83d \u12", "c":1}"#;
        let plain = r#"{"\u{4e0a}\u{e4}":"a/b\n\" \u{1f600} \u001b \\u4e0a \ud83d \u12","c":1}"#;
        let plain =
            plain.replace(r"\u{4e0a}", "\u{4e0a}").replace(r"\u{e4}", "\u{e4}").replace(r"\u{1f600}", "\u{1f600}");
        assert_eq!(decode(escaped, Coding::Value), plain);
        assert_eq!(hash(escaped, Coding::Value), hash(plain.as_bytes(), Coding::Plain));
        assert_eq!(count_chars(escaped, Coding::Value), plain.chars().count() as u64);
        let at = |sign: &str| stored_offset(escaped, Coding::Value, plain.find(sign).unwrap());
        let stands = |stored: &str| String::from_utf8_lossy(escaped).find(stored).unwrap();
        assert_eq!((at("\u{e4}"), at("/"), at("c\":")), (stands(r"\u00E4"), stands(r"\/"), stands("c\":")));
        assert_eq!(decode(br#"{"a":"\u4e"#, Coding::Value), r#"{"a":"\u4e"#);
    }

    #[test]
    fn places_go_back_to_the_indented_value() {
        for (at, sign) in TIGHT.char_indices() {
            let stored = stored_offset(WIDE.as_bytes(), Coding::Value, at);
            assert!(WIDE[stored..].starts_with(sign), "{at}");
        }
        assert_eq!(stored_offset(WIDE.as_bytes(), Coding::Value, TIGHT.len()), WIDE.len());
    }
}
