//! JSON read in place: every value knows the bytes that it stands in, and what a damaged text still holds is kept.
//!
//! Spans need the place of each string in its file, and a document that was cut off should give up all that is
//! complete in it; neither is to be had from serde.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::content::decode_json_string;

/// Deeper values are not looked into.
const DEPTH: usize = 128;
/// Values looked at in one text; what comes after is not looked into.
const VALUES: usize = 8 << 20;

/// A value and the bytes that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct Json<'a> {
    /// Its bytes as stored, quotes and brackets included.
    pub raw: &'a [u8],
    /// What it is.
    pub kind: Kind<'a>,
    /// Whether it is complete: `false` where the text ends or breaks inside it.
    pub whole: bool,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number (`NaN` and `Infinity` too).
    Number,
    /// A string: the bytes between its quotes.
    Text(&'a [u8]),
    /// An array.
    List(Vec<Json<'a>>),
    /// An object, in order; keys as stored, without quotes.
    Object(Vec<(&'a [u8], Json<'a>)>),
    /// An array or object that is not looked into: too deep, too much, or numbers alone.
    Unread,
}

/// What is wrong with a text, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Bytes before it.
    pub at: usize,
    /// In a few words.
    pub what: &'static str,
}

/// Reads the value that a text begins with. Where there is a fault, the value holds what was complete before it.
#[must_use]
pub fn parse(text: &[u8]) -> (Json<'_>, Option<Fault>) {
    let mut parser = Parser { text, at: 0, left: VALUES, fault: None };
    parser.space();
    let value = parser.value(0);
    parser.space();
    if parser.fault.is_none() && parser.at < text.len() {
        parser.fail("more text after the end of the value");
    }
    (value, parser.fault)
}

impl<'a> Json<'a> {
    /// The member of that name; the last, where there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.members().iter().rev().find(|(name, _)| is_key(name, key)).map(|(_, value)| value)
    }

    /// The member of that name, where it is not null.
    #[must_use]
    pub fn some(&self, key: &str) -> Option<&Json<'a>> {
        self.get(key).filter(|value| value.kind != Kind::Null)
    }

    /// The members of an object; nothing for what is none.
    #[must_use]
    pub fn members(&self) -> &[(&'a [u8], Json<'a>)] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array; nothing for what is none.
    #[must_use]
    pub fn items(&self) -> &[Json<'a>] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.kind, Kind::List(_))
    }

    /// The stored bytes of a string, without quotes.
    #[must_use]
    pub fn text(&self) -> Option<&'a [u8]> {
        match self.kind {
            Kind::Text(inner) => Some(inner),
            _ => None,
        }
    }

    /// The decoded string.
    #[must_use]
    pub fn str(&self) -> Option<Cow<'a, str>> {
        self.text().map(decode_json_string)
    }

    /// The decoded string of a member; empty where there is none.
    #[must_use]
    pub fn str_of(&self, key: &str) -> Cow<'a, str> {
        self.get(key).and_then(Json::str).unwrap_or_default()
    }

    /// A count: a number that is not negative. Fractions are cut off.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        if self.kind != Kind::Number {
            return None;
        }
        let text = std::str::from_utf8(self.raw).ok()?;
        text.parse().ok().or_else(|| {
            let value: f64 = text.parse().ok()?;
            (value.is_finite() && value >= 0.0).then_some(value as u64)
        })
    }

    /// The figure at the end of a path; one that is there and none is remembered in `figures`.
    pub(super) fn figure(&self, path: &[&str], figures: &mut super::figure::Figures) -> Option<u64> {
        let held = path.iter().try_fold(self, |value, name| value.some(name))?;
        figures.read(&path.join("."), Some(held.raw))
    }

    /// A count of a member.
    #[must_use]
    pub fn count_of(&self, key: &str) -> Option<u64> {
        self.get(key)?.count()
    }

    /// Whether it is `true`.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.kind == Kind::Bool(true)
    }
}

fn is_key(stored: &[u8], key: &str) -> bool {
    stored == key.as_bytes() || memchr(b'\\', stored).is_some() && decode_json_string(stored) == key
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    left: usize,
    fault: Option<Fault>,
}

impl<'a> Parser<'a> {
    fn fail(&mut self, what: &'static str) {
        self.fault.get_or_insert(Fault { at: self.at, what });
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn from(&self, start: usize) -> &'a [u8] {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn value(&mut self, depth: usize) -> Json<'a> {
        let start = self.at;
        self.left = self.left.saturating_sub(1);
        let kind = match self.peek() {
            Some(b'"') => Kind::Text(self.string()),
            Some(b'{' | b'[') if depth >= DEPTH || self.left == 0 || self.numbers_alone() => {
                self.skip();
                Kind::Unread
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            _ => self.scalar(),
        };
        Json { raw: self.from(start), kind, whole: self.fault.is_none() }
    }

    /// Whether an array begins whose first element is a number: vectors and token ids are not looked into.
    fn numbers_alone(&self) -> bool {
        let inner = self.text.get(self.at..).and_then(|rest| rest.strip_prefix(b"[")).map(<[u8]>::trim_ascii_start);
        inner.and_then(<[u8]>::first).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-')
    }

    fn scalar(&mut self) -> Kind<'a> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
            self.at += 1;
        }
        match self.from(start) {
            b"null" => Kind::Null,
            b"true" => Kind::Bool(true),
            b"false" => Kind::Bool(false),
            b"NaN" | b"Infinity" | b"-Infinity" => Kind::Number,
            [b'0'..=b'9' | b'-', ..] => Kind::Number,
            _ => {
                self.fail(if self.at >= self.text.len() { "it ends too early" } else { "it is not JSON" });
                Kind::Null
            }
        }
    }

    /// A string from its opening quote: the bytes between the quotes.
    fn string(&mut self) -> &'a [u8] {
        self.at += 1;
        let start = self.at;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            match memchr2(b'"', b'\\', rest) {
                Some(found) if rest.get(found) == Some(&b'"') => {
                    self.at += found;
                    let inner = self.from(start);
                    self.at += 1;
                    return inner;
                }
                Some(found) => self.at = (self.at + found + 2).min(self.text.len()),
                None => {
                    self.at = self.text.len();
                    self.fail("it ends inside a string");
                    return self.from(start);
                }
            }
        }
    }

    fn list(&mut self, depth: usize) -> Kind<'a> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.at += 1,
                Some(_) => items.push(self.value(depth + 1)),
                None => self.fail("it ends inside an array"),
            }
            if self.fault.is_some() {
                break;
            }
        }
        Kind::List(items)
    }

    fn object(&mut self, depth: usize) -> Kind<'a> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let key = self.string();
                    self.space();
                    if self.peek() != Some(b':') {
                        self.fail("a key has no value");
                        break;
                    }
                    self.at += 1;
                    self.space();
                    let value = self.value(depth + 1);
                    members.push((key, value));
                }
                Some(_) => self.fail("a key is expected"),
                None => self.fail("it ends inside an object"),
            }
            if self.fault.is_some() {
                break;
            }
        }
        Kind::Object(members)
    }

    /// Passes over an array or object.
    fn skip(&mut self) {
        let mut depth = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
        self.fail("it ends inside an array or object");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_the_bytes_that_they_stand_in() {
        let text = br#" {"a": [1.5, "x\"y", {"b": null}], "n": 12, "n": 13, "k\u0065y": true} "#;
        let (value, fault) = parse(text);
        assert_eq!(fault, None);
        assert_eq!(value.get("a").map(|list| list.raw), Some(&br#"[1.5, "x\"y", {"b": null}]"#[..]));
        assert_eq!(value.count_of("n"), Some(13));
        assert!(value.get("key").is_some_and(Json::is_true));
    }

    #[test]
    fn strings_are_found_in_place() {
        let text = br#"["x\"y", "\\"]"#;
        let (value, _) = parse(text);
        let inner: Vec<&[u8]> = value.items().iter().filter_map(Json::text).collect();
        assert_eq!(inner, [&br#"x\"y"#[..], &br"\\"[..]]);
        assert_eq!(value.items()[0].str().as_deref(), Some("x\"y"));
    }

    #[test]
    fn what_was_complete_before_a_fault_is_kept() {
        let (value, fault) = parse(br#"{"messages": [{"role": "user"}, {"role": "assi"#);
        assert!(fault.is_some() && !value.whole);
        let messages = value.get("messages").map(Json::items).unwrap_or_default();
        assert_eq!(messages.iter().map(|message| message.whole).collect::<Vec<_>>(), [true, false]);
        assert_eq!(messages[0].str_of("role"), "user");
    }

    #[test]
    fn deep_and_endless_texts_end_quietly() {
        let deep = b"[".repeat(1 << 20);
        assert!(parse(&deep).1.is_some());
        let text = br#"{"a": ["b\\", -1, {"c": "\u12"}], "d": tru"#;
        for at in 0..text.len() {
            assert!(parse(&text[..at]).1.is_some(), "{at}");
        }
        assert_eq!(parse(b"[0.1, 0.2]").0.kind, Kind::Unread);
    }
}
