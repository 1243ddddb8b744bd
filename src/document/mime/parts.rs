//! The parts of a message as they are sent (RFC 2045 to 2047): heads, bodies within each other, and how they are coded.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use encoding_rs::{Encoding, WINDOWS_1252};
use memchr::memmem;

use crate::content::hex_byte;
use crate::document::html::percent_decoded;

/// Bytes of a head.
const HEAD_MAX: usize = 1 << 20;
/// Parts of one body.
const PARTS_MAX: usize = 1_000;

/// A message or a part of one.
pub struct Part<'a> {
    head: Vec<(String, String)>,
    body: &'a [u8],
}

impl<'a> Part<'a> {
    /// A part, or a whole message.
    pub fn of(bytes: &'a [u8]) -> Part<'a> {
        let mut head: Vec<(String, String)> = Vec::new();
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty() && at < HEAD_MAX) {
            let size = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let line = text_of(rest.get(..size).unwrap_or_default());
            let line = line.trim_end_matches(['\r', '\n']);
            at += size;
            match (line.starts_with([' ', '\t']), head.last_mut(), line.split_once(':')) {
                _ if line.is_empty() => break,
                (true, Some((_, value)), _) => {
                    value.push(' ');
                    value.push_str(line.trim_start());
                }
                (false, _, Some((name, value))) => head.push((name.to_lowercase(), value.trim().to_owned())),
                _ => {}
            }
        }
        Part { head, body: bytes.get(at..).unwrap_or_default() }
    }

    /// A line of the head, as it is written; empty where there is none.
    pub fn raw(&self, name: &str) -> &str {
        self.head.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// A line of the head, as it is meant.
    pub fn line(&self, name: &str) -> String {
        words(self.raw(name))
    }

    /// Its media type, in lower case.
    pub fn media(&self) -> String {
        let kind = self.raw("content-type").split(';').next().unwrap_or_default().trim().to_lowercase();
        if kind.is_empty() { "text/plain".to_owned() } else { kind }
    }

    /// What its head says more of it: `boundary`, `charset`.
    pub fn parameter(&self, line: &str, name: &str) -> Option<String> {
        let value = self.raw(line);
        for one in fields(value) {
            let Some((key, value)) = one.split_once('=') else { continue };
            let (key, value) = (key.trim().to_lowercase(), value.trim());
            if key == name {
                return Some(words(value.trim_matches('"')));
            }
            if key.strip_suffix('*') == Some(name) {
                let coded = value.trim_matches('"').rsplit('\'').next().unwrap_or_default();
                return Some(percent_decoded(coded));
            }
        }
        None
    }

    /// Whether it is to be saved and not shown.
    pub fn is_attached(&self) -> bool {
        self.raw("content-disposition").trim_start().to_lowercase().starts_with("attachment")
    }

    /// The name of its file.
    pub fn file_name(&self) -> Option<String> {
        let named = self.parameter("content-disposition", "filename");
        named.or_else(|| self.parameter("content-type", "name")).filter(|name| !name.trim().is_empty())
    }

    /// Whether it has a name that other parts call it by.
    pub fn is_named_for_others(&self) -> bool {
        ["content-id", "content-location"].iter().any(|line| !self.raw(line).trim().is_empty())
    }

    /// Its bytes, as they were before they were sent.
    pub fn bytes(&self) -> Cow<'a, [u8]> {
        match self.raw("content-transfer-encoding").trim().to_lowercase().as_str() {
            "base64" => from_base64(self.body).into(),
            "quoted-printable" => from_quoted(self.body, false).into(),
            _ => self.body.into(),
        }
    }

    /// The parts of its body.
    pub fn parts(&self) -> Vec<Part<'a>> {
        let Some(boundary) = self.parameter("content-type", "boundary").filter(|text| !text.is_empty()) else {
            return Vec::new();
        };
        let mark = format!("--{boundary}");
        let mut parts = Vec::new();
        let mut open: Option<usize> = None;
        for at in memmem::find_iter(self.body, mark.as_bytes()) {
            let after = self.body.get(at + mark.len()..).unwrap_or_default();
            let begins_line = at == 0 || self.body.get(at - 1) == Some(&b'\n');
            let ends = after.starts_with(b"--");
            // A longer mark may begin with this one.
            if !begins_line || !(ends || after.first().is_none_or(u8::is_ascii_whitespace)) {
                continue;
            }
            if let Some(from) = open.take() {
                parts.push(Part::of(self.body.get(from..at).unwrap_or_default()));
            }
            if ends || parts.len() >= PARTS_MAX {
                return parts;
            }
            let line = memchr::memchr(b'\n', after).map_or(after.len(), |end| end + 1);
            open = Some(at + mark.len() + line);
        }
        // What ends early is still shown.
        parts.extend(open.map(|from| Part::of(self.body.get(from..).unwrap_or_default())));
        parts
    }
}

/// The fields of a line, divided by `;` outside of quotes.
fn fields(value: &str) -> Vec<&str> {
    let mut quoted = false;
    let split = value.split(move |sign: char| {
        quoted ^= sign == '"';
        sign == ';' && !quoted
    });
    split.collect()
}

fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// A text of a head with its coded words (`=?utf-8?Q?caf=C3=A9?=`) as they are meant.
fn words(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    let mut after_word = false;
    while let Some(at) = rest.find("=?") {
        let (before, word) = rest.split_at(at);
        // White space between coded words is none of theirs.
        if !(after_word && before.trim().is_empty()) {
            plain.push_str(before);
        }
        let mut fields = word[2..].splitn(4, '?');
        let (charset, kind, coded, end) = (fields.next(), fields.next(), fields.next(), fields.next());
        let encoding = charset.and_then(|name| Encoding::for_label(name.split('*').next()?.as_bytes()));
        let bytes = match (kind, coded) {
            (Some("Q" | "q"), Some(coded)) => Some(from_quoted(coded.as_bytes(), true)),
            (Some("B" | "b"), Some(coded)) => Some(from_base64(coded.as_bytes())),
            _ => None,
        };
        match (encoding, bytes, end.and_then(|end| end.strip_prefix('='))) {
            (Some(encoding), Some(bytes), Some(after)) => {
                plain.push_str(&encoding.decode_without_bom_handling(&bytes).0);
                (rest, after_word) = (after, true);
            }
            _ => {
                plain.push_str("=?");
                (rest, after_word) = (&word[2..], false);
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn from_base64(text: &[u8]) -> Vec<u8> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    let mut signs: Vec<u8> = text.iter().filter(is_sign).copied().collect();
    if signs.len() % 4 == 1 {
        signs.pop();
    }
    GeneralPurpose::new(&STANDARD, lenient).decode(signs).unwrap_or_default()
}

/// Bytes of quoted-printable text; in a head, `_` is a space.
fn from_quoted(text: &[u8], in_head: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let rest = text.get(at + 1..).unwrap_or_default();
        match byte {
            b'=' if rest.starts_with(b"\r\n") => at += 2,
            b'=' if rest.starts_with(b"\n") => at += 1,
            b'=' => match hex_byte(rest) {
                Some(value) => {
                    bytes.push(value);
                    at += 2;
                }
                None => bytes.push(b'='),
            },
            b'_' if in_head => bytes.push(b' '),
            byte => bytes.push(*byte),
        }
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_heads_are_read_as_they_are_meant() {
        for (coded, plain) in [
            ("=?utf-8?Q?caf=C3=A9_au?= =?iso-8859-1?b?IGxhaXQ=?= x", "café au lait x"),
            ("a =? b ?= =?none?q?x?=", "a =? b ?= =?none?q?x?="),
            ("=?utf-8?q?open", "=?utf-8?q?open"),
            ("=?utf-8?q?a=+5b?=", "a=+5b"),
        ] {
            assert_eq!(words(coded), plain);
        }
    }

    #[test]
    fn parts_are_divided_by_their_own_boundary() {
        let text = b"Content-Type: multipart/mixed;\r\n boundary=\"a;b\"\r\n\r\npreamble\r\n--a;b\r\nX: 1\r\n\r\none\r\n--a;b2\r\n\
            --a;b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ntw=\r\no=3D\r\n--a;b--\r\nend";
        let whole = Part::of(text);
        let parts = whole.parts();
        let bodies: Vec<_> = parts.iter().map(|part| String::from_utf8(part.bytes().into_owned()).unwrap()).collect();
        assert_eq!(bodies, ["one\r\n--a;b2\r\n", "two=\r\n"]);
        assert_eq!((parts[0].raw("x"), parts[0].media().as_str()), ("1", "text/plain"));
        assert_eq!(from_base64(b"YW\r\nJj"), b"abc");
    }
}
