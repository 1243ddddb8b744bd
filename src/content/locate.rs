//! From a place in decoded text back to the stored byte that it came from.

use crate::model::Coding;

use super::decode::{BREAK, decode_json_string, next_escape};
use super::solid::solid;

/// The stored byte at which the decoded text has come to `offset` bytes. A place inside of an escape is the escape's
/// beginning; what lies beyond the end is the end.
#[must_use]
pub fn stored_offset(bytes: &[u8], coding: Coding, offset: usize) -> usize {
    stored_range(bytes, coding, (offset, offset)).0
}

/// The same of a range's beginning and end. An end before the beginning is none.
#[must_use]
pub fn stored_range(bytes: &[u8], coding: Coding, (from, to): (usize, usize)) -> (usize, usize) {
    match stored_offsets(bytes, coding, &[from, to.max(from)])[..] {
        [from, to] => (from, to),
        _ => (bytes.len(), bytes.len()),
    }
}

/// The same of many places, the first ones first: what stands before them is read once.
#[must_use]
pub fn stored_offsets(bytes: &[u8], coding: Coding, offsets: &[usize]) -> Vec<usize> {
    match coding {
        Coding::Plain | Coding::Base64 => plain_offsets(bytes, offsets),
        Coding::Lines => lines(bytes, offsets),
        Coding::Value => value(bytes, offsets),
        Coding::Json => json(bytes, offsets),
        Coding::JsonTwice => {
            let once = decode_json_string(bytes);
            json(bytes, &json(once.as_bytes(), offsets))
        }
    }
}

/// The same where nothing is escaped: only what is not UTF-8 has another length once it is replaced.
fn plain_offsets(bytes: &[u8], offsets: &[usize]) -> Vec<usize> {
    let is_whole = std::str::from_utf8(bytes).is_ok();
    let place = |offset: &usize| if is_whole { (*offset).min(bytes.len()) } else { in_damaged(bytes, *offset) };
    offsets.iter().map(place).collect()
}

fn plain(bytes: &[u8], offset: usize) -> usize {
    if std::str::from_utf8(bytes).is_ok() { offset.min(bytes.len()) } else { in_damaged(bytes, offset) }
}

fn in_damaged(bytes: &[u8], offset: usize) -> usize {
    let (mut decoded, mut stored) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        if offset < decoded + chunk.valid().len() {
            return stored + (offset - decoded);
        }
        decoded += chunk.valid().len();
        stored += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            if offset < decoded + '\u{FFFD}'.len_utf8() {
                return stored;
            }
            decoded += '\u{FFFD}'.len_utf8();
            stored += chunk.invalid().len();
        }
    }
    stored
}

/// The same where breaks of two characters are one.
fn lines(bytes: &[u8], offsets: &[usize]) -> Vec<usize> {
    let (mut decoded, mut stored) = (0, 0);
    let mut breaks = memchr::memmem::find_iter(bytes, BREAK);
    let mut next = breaks.next();
    let mut find = |offset: usize| {
        while let Some(at) = next {
            let line = bytes.get(stored..at).unwrap_or_default();
            let size = lossy_length(line);
            if offset < decoded + size {
                return stored + plain(line, offset - decoded);
            }
            if offset == decoded + size {
                return at;
            }
            (decoded, stored, next) = (decoded + size + 1, at + BREAK.len(), breaks.next());
        }
        stored + plain(bytes.get(stored..).unwrap_or_default(), offset - decoded)
    };
    offsets.iter().map(|offset| find(*offset)).collect()
}

/// The same where blanks and needless escapes are left out.
fn value(bytes: &[u8], offsets: &[usize]) -> Vec<usize> {
    let mut decoded = 0;
    let mut parts = solid(bytes);
    let mut next = parts.next();
    let mut find = |offset: usize| {
        while let Some(part) = &next {
            let size = lossy_length(part.text());
            if offset < decoded + size {
                let start = (part.stored.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize);
                return if part.is_escape() { start } else { start + plain(part.stored, offset - decoded) };
            }
            decoded += size;
            next = parts.next();
        }
        bytes.len()
    };
    offsets.iter().map(|offset| find(*offset)).collect()
}

fn json(bytes: &[u8], offsets: &[usize]) -> Vec<usize> {
    let (mut decoded, mut stored) = (0, 0);
    let mut written = String::new();
    let mut find = |offset: usize| loop {
        let rest = bytes.get(stored..).unwrap_or_default();
        let at = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        let size = lossy_length(&rest[..at]);
        if offset < decoded + size || at == rest.len() {
            return stored + plain(&rest[..at], offset - decoded);
        }
        written.clear();
        let taken = next_escape(&rest[at..], &mut written);
        if offset < decoded + size + written.len() {
            return stored + at;
        }
        decoded += size + written.len();
        stored += at + taken;
    };
    offsets.iter().map(|offset| find(*offset)).collect()
}

fn lossy_length(bytes: &[u8]) -> usize {
    if std::str::from_utf8(bytes).is_ok() {
        return bytes.len();
    }
    let length = |chunk: std::str::Utf8Chunk| chunk.valid().len() + if chunk.invalid().is_empty() { 0 } else { 3 };
    bytes.utf8_chunks().map(length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{count_chars, decode, encode_json_string, hash};
    use proptest::prelude::*;

    #[test]
    fn places_go_back_through_escapes() {
        let stored = br"a\n\u00e4bc\ud83d\ude00d";
        let text = decode(stored, Coding::Json).into_owned();
        assert_eq!(text, "a\näbc😀d");
        let at = |what: &str| stored_offset(stored, Coding::Json, text.find(what).unwrap());
        assert_eq!((at("a"), at("\n"), at("ä"), at("b"), at("😀"), at("d")), (0, 1, 3, 9, 11, 23));
        assert_eq!(stored_offset(stored, Coding::Json, text.len()), stored.len());
        assert_eq!(stored_offset(br#"x\\\"y"#, Coding::JsonTwice, 2), 5);
        assert_eq!(stored_offset(b"\xffab", Coding::Plain, 3), 1);
    }

    #[test]
    fn places_go_back_through_breaks_of_two_characters() {
        let stored = "ä\r\n\r\nb\rc\n\r\r\nd".as_bytes();
        let text = decode(stored, Coding::Lines).into_owned();
        assert_eq!(text, "ä\n\nb\rc\n\r\nd");
        assert_eq!(count_chars(stored, Coding::Lines), text.chars().count() as u64);
        assert_eq!(hash(stored, Coding::Lines), hash(text.as_bytes(), Coding::Plain));
        for (at, _) in text.char_indices() {
            let from = stored_offset(stored, Coding::Lines, at);
            assert_eq!(decode(&stored[from..], Coding::Lines), &text[at..]);
        }
        assert_eq!(stored_offset(stored, Coding::Lines, text.len()), stored.len());
    }

    #[test]
    fn many_places_are_those_of_each_by_itself() {
        for (stored, coding) in [
            ("ä\r\n\r\nb\rc\n\r\r\nd".as_bytes(), Coding::Lines),
            (br"a\n\u00e4bc\ud83d\ude00d", Coding::Json),
            (br#"x\\\"y\\\\n z"#, Coding::JsonTwice),
            (b"{ \"a\" : [ 1, 2 ],\n \"b\\/c\": null }", Coding::Value),
            (b"a\xffb\xf0\x9f\x98c", Coding::Plain),
        ] {
            let all: Vec<usize> = (0..=decode(stored, coding).len() + 1).collect();
            let alone: Vec<usize> = all.iter().map(|offset| stored_offset(stored, coding, *offset)).collect();
            assert_eq!(stored_offsets(stored, coding, &all), alone, "{coding:?}");
        }
    }

    proptest! {
        #[test]
        fn the_text_from_a_place_on_is_the_rest_decoded(text in any::<String>(), share in 0.0..1.0f64) {
            let mut stored = String::new();
            encode_json_string(&text, &mut stored);
            let at = text.floor_char_boundary((text.len() as f64 * share) as usize);
            let from = stored_offset(stored.as_bytes(), Coding::Json, at);
            prop_assert_eq!(decode(&stored.as_bytes()[from..], Coding::Json), &text[at..]);
            // With where it begins it ends where it does by itself.
            let end = text.ceil_char_boundary(at + (text.len() - at) / 2);
            let range = stored_range(stored.as_bytes(), Coding::Json, (at, end));
            prop_assert_eq!(range, (from, stored_offset(stored.as_bytes(), Coding::Json, end)));
        }
    }
}
