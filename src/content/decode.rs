//! From stored bytes to text: JSON escapes undone, what is not UTF-8 replaced.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::model::Coding;

use super::solid::solid;

/// A break of two characters.
pub(super) const BREAK: &[u8] = b"\r\n";

/// The text of stored bytes. Never fails: a bad escape or byte becomes U+FFFD.
#[must_use]
pub fn decode(bytes: &[u8], coding: Coding) -> Cow<'_, str> {
    match coding {
        Coding::Plain | Coding::Base64 => as_text(bytes),
        Coding::Lines => match joined_breaks(bytes) {
            Cow::Borrowed(bytes) => as_text(bytes),
            Cow::Owned(bytes) => Cow::Owned(as_text(&bytes).into_owned()),
        },
        Coding::Value => decode_value(bytes),
        Coding::Json => decode_json_string(bytes),
        Coding::JsonTwice => {
            let once = decode_json_string(bytes);
            Cow::Owned(decode_json_string(once.as_bytes()).into_owned())
        }
    }
}

/// Bytes as text, what is not UTF-8 replaced. Whole texts are checked many times faster than what holds errors is read.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Bytes of a text, each carriage return with a line feed behind it left out.
#[must_use]
pub fn joined_breaks(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut breaks = memmem::find_iter(bytes, BREAK).peekable();
    if breaks.peek().is_none() {
        return Cow::Borrowed(bytes);
    }
    let (mut joined, mut from) = (Vec::with_capacity(bytes.len()), 0);
    for at in breaks {
        joined.extend_from_slice(&bytes[from..at]);
        from = at + 1;
    }
    joined.extend_from_slice(&bytes[from..]);
    Cow::Owned(joined)
}

/// A JSON value without the blanks between its parts and without needless escapes.
fn decode_value(bytes: &[u8]) -> Cow<'_, str> {
    let mut parts = solid(bytes).peekable();
    let Some(first) = parts.next() else { return Cow::Borrowed("") };
    if parts.peek().is_none() && !first.is_escape() {
        return as_text(first.stored);
    }
    let mut text = String::with_capacity(bytes.len());
    text.push_str(&as_text(first.text()));
    parts.for_each(|part| text.push_str(&as_text(part.text())));
    Cow::Owned(text)
}

/// Undoes the escapes inside a JSON string literal (given without its quotes).
#[must_use]
pub fn decode_json_string(bytes: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr(b'\\', bytes) else {
        return as_text(bytes);
    };
    let mut text = String::with_capacity(bytes.len());
    // Checked once, and not again between any two escapes: those begin and end at whole characters.
    let whole = std::str::from_utf8(bytes).ok();
    let plain = |from: usize, to: usize| match whole.and_then(|whole| whole.get(from..to)) {
        Some(part) => Cow::Borrowed(part),
        None => as_text(&bytes[from..to]),
    };
    let (mut from, mut next) = (0, Some(first));
    while let Some(at) = next {
        text.push_str(&plain(from, at));
        from = bytes.len() - unescape(&bytes[at + 1..], &mut text).len();
        next = memchr(b'\\', &bytes[from..]).map(|next| from + next);
    }
    text.push_str(&plain(from, bytes.len()));
    Cow::Owned(text)
}

/// Reads the escape that the bytes begin with; returns how many they are.
pub(super) fn next_escape(bytes: &[u8], text: &mut String) -> usize {
    let Some(after) = bytes.get(1..) else { return bytes.len() };
    bytes.len() - unescape(after, text).len()
}

/// Reads one escape after its backslash; returns what follows it.
fn unescape<'a>(rest: &'a [u8], text: &mut String) -> &'a [u8] {
    let Some((&kind, after)) = rest.split_first() else {
        text.push('\u{FFFD}');
        return rest;
    };
    let plain = match kind {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'"' | b'\\' | b'/' => kind as char,
        b'u' => return unescape_unicode(after, text),
        _ => {
            text.push('\u{FFFD}');
            return rest;
        }
    };
    text.push(plain);
    after
}

fn unescape_unicode<'a>(after: &'a [u8], text: &mut String) -> &'a [u8] {
    let Some(high) = hex4(after) else {
        text.push('\u{FFFD}');
        return after;
    };
    let after = &after[4..];
    let low = || after.strip_prefix(b"\\u").and_then(hex4);
    if (0xD800..0xDC00).contains(&high)
        && let Some(low) = low()
        && (0xDC00..0xE000).contains(&low)
    {
        let joined = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        text.push(char::from_u32(joined).unwrap_or('\u{FFFD}'));
        return &after[6..];
    }
    text.push(char::from_u32(high).unwrap_or('\u{FFFD}'));
    after
}

/// The byte that the first two characters write in hexadecimal digits, and nothing but digits: no sign.
#[must_use]
pub fn hex_byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(0)? << 4 | digit(1)?)
}

/// The same of four: a unit of UTF-16.
#[must_use]
pub fn hex4(digits: &[u8]) -> Option<u32> {
    Some(u32::from(hex_byte(digits)?) << 8 | u32::from(hex_byte(digits.get(2..)?)?))
}

/// Characters of the text that stored bytes hold, without making it.
#[must_use]
pub fn count_chars(bytes: &[u8], coding: Coding) -> u64 {
    match coding {
        Coding::Plain | Coding::Base64 => starts(bytes),
        Coding::Lines => starts(bytes) - memmem::find_iter(bytes, BREAK).count() as u64,
        Coding::Value => solid(bytes).map(|part| starts(part.text())).sum(),
        Coding::Json => count_json(bytes),
        Coding::JsonTwice => decode(bytes, coding).chars().count() as u64,
    }
}

/// Bytes that begin a character (all but UTF-8's continuation bytes).
fn starts(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| (**byte as i8) >= -0x40).count() as u64
}

fn count_json(bytes: &[u8]) -> u64 {
    let mut chars = starts(bytes);
    let mut rest = bytes;
    while let Some(at) = memchr(b'\\', rest) {
        let escape = &rest[at + 1..];
        let (extra, taken) = match escape.first() {
            Some(b'u') => {
                let high = escape.get(1..).and_then(hex4);
                let pair = matches!(high, Some(0xD800..0xDC00))
                    && escape
                        .get(5..)
                        .and_then(|low| low.strip_prefix(b"\\u"))
                        .and_then(hex4)
                        .is_some_and(|low| (0xDC00..0xE000).contains(&low));
                match (high, pair) {
                    (Some(_), true) => (11, 11),
                    (Some(_), false) => (5, 5),
                    (None, _) => (1, 1),
                }
            }
            Some(b'n' | b't' | b'r' | b'b' | b'f' | b'"' | b'\\' | b'/') => (1, 1),
            _ => (0, 0),
        };
        chars = chars.saturating_sub(extra);
        rest = &escape[taken..];
    }
    chars
}
