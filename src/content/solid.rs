//! A JSON value without the blanks between its parts: how a file was indented is nothing that a model sees.

use memchr::memchr2;

/// The parts of a JSON value that stand between blanks, in order. Strings are never divided.
#[derive(Clone, Debug)]
pub struct Solid<'a> {
    rest: &'a [u8],
}

/// Reads a value's parts. What is no JSON is divided at blanks likewise.
#[must_use]
pub fn solid(bytes: &[u8]) -> Solid<'_> {
    Solid { rest: bytes }
}

impl<'a> Iterator for Solid<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let begin = self.rest.iter().position(|byte| !blank(byte))?;
        let rest = self.rest.get(begin..)?;
        let mut end = 0;
        while let Some(byte) = rest.get(end).filter(|byte| !blank(byte)) {
            end = if *byte == b'"' { string_end(rest, end + 1) } else { end + 1 };
        }
        let (part, rest) = rest.split_at_checked(end)?;
        self.rest = rest;
        Some(part)
    }
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
    fn places_go_back_to_the_indented_value() {
        for (at, sign) in TIGHT.char_indices() {
            let stored = stored_offset(WIDE.as_bytes(), Coding::Value, at);
            assert!(WIDE[stored..].starts_with(sign), "{at}");
        }
        assert_eq!(stored_offset(WIDE.as_bytes(), Coding::Value, TIGHT.len()), WIDE.len());
    }
}
