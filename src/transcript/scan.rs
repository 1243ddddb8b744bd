//! JSON looked at in place: values are ranges of a line's bytes; nothing is decoded or copied.
//!
//! Readers of huge transcripts need offsets more than values, must go on past values of an unexpected type, and
//! look at each byte once. Structure is checked where it is walked; what is skipped is only matched for its end.

use std::borrow::Cow;

use memchr::memchr2;

use crate::content::{decode_json_string, mark_length};

/// Where a line stops being JSON, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Offset in the line.
    pub at: usize,
    /// What was expected there.
    pub what: &'static str,
}

/// A walk over a line.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

/// A value somewhere in a line.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    line: &'a [u8],
    /// Offset of its first byte in the line.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
}

/// An object, its members found in one walk.
pub(super) struct Fields<'a> {
    /// The object itself.
    pub value: Value<'a>,
    members: Vec<(&'a [u8], Value<'a>)>,
}

/// The inside of a string, without its quotes.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    /// As stored, escapes and all.
    pub bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Begins at the start of a line (after a byte order mark).
    pub(super) fn new(line: &'a [u8]) -> Self {
        Cursor { line, at: mark_length(line) }
    }

    fn fault<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err(Fault { at: self.at, what })
    }

    /// Where the walk stands.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The next byte that is not white space; it stays to be read.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.line.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Whether nothing but white space follows.
    pub(super) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Walks over a value of any type.
    pub(super) fn value(&mut self) -> Result<Value<'a>, Fault> {
        let Some(first) = self.peek() else { return self.fault("a value") };
        let start = self.at;
        match first {
            b'"' => self.skip_string()?,
            b'{' | b'[' => self.skip_nested()?,
            _ => self.skip_word()?,
        }
        Ok(Value { line: self.line, start, end: self.at })
    }

    /// Calls `each` with every key, the cursor being at the value. What it does not read is skipped. A value of
    /// another type is skipped as a whole.
    pub(super) fn members(
        &mut self,
        mut each: impl FnMut(&mut Self, &'a [u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.peek() != Some(b'{') {
            return self.value().map(|_| ());
        }
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.fault("a key");
            }
            let from = self.at + 1;
            self.skip_string()?;
            let key = &self.line[from..self.at - 1];
            if self.peek() != Some(b':') {
                return self.fault("a colon");
            }
            self.at += 1;
            self.peek();
            let before = self.at;
            each(self, key)?;
            if self.at == before {
                self.value()?;
            }
            if !self.more(b'}')? {
                return Ok(());
            }
        }
    }

    /// Walks over an object and finds its members; a value of another type has none.
    pub(super) fn fields(&mut self) -> Result<Fields<'a>, Fault> {
        self.peek();
        let start = self.at;
        let mut members = Vec::with_capacity(6);
        self.members(|cursor, key| {
            members.push((key, cursor.value()?));
            Ok(())
        })?;
        Ok(Fields { value: Value { line: self.line, start, end: self.at }, members })
    }

    /// Calls `each` with the cursor at every element. What it does not read is skipped.
    pub(super) fn elements(&mut self, mut each: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        if self.peek() != Some(b'[') {
            return self.value().map(|_| ());
        }
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.peek();
            let before = self.at;
            each(self)?;
            if self.at == before {
                self.value()?;
            }
            if !self.more(b']')? {
                return Ok(());
            }
        }
    }

    /// Reads a comma (`true`) or the closing bracket.
    fn more(&mut self, close: u8) -> Result<bool, Fault> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => self.fault("a comma or a closing bracket"),
        }
    }

    fn skip_string(&mut self) -> Result<(), Fault> {
        let mut at = self.at + 1;
        loop {
            let rest = self.line.get(at..).unwrap_or_default();
            match memchr2(b'"', b'\\', rest) {
                Some(found) if rest[found] == b'"' => {
                    self.at = at + found + 1;
                    return Ok(());
                }
                Some(found) => at += found + 2,
                None => return self.fault("the end of a string"),
            }
        }
    }

    fn skip_nested(&mut self) -> Result<(), Fault> {
        let from = self.at;
        let mut depth = 0usize;
        while let Some(byte) = self.line.get(self.at) {
            match byte {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
        Err(Fault { at: from, what: "the closing bracket" })
    }

    fn skip_word(&mut self) -> Result<(), Fault> {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let stop = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n'));
        let word = &rest[..stop.unwrap_or(rest.len())];
        let number = word.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
        // NaN is no JSON, but is written all the same.
        if !number && !matches!(word, b"true" | b"false" | b"null" | b"NaN") {
            return self.fault("a value");
        }
        self.at += word.len();
        Ok(())
    }
}

impl<'a> Value<'a> {
    /// As stored.
    pub(super) fn raw(&self) -> &'a [u8] {
        self.line.get(self.start..self.end).unwrap_or_default()
    }

    /// The inside of a string.
    pub(super) fn text(&self) -> Option<Text<'a>> {
        let bytes = self.raw().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(Text { bytes })
    }

    /// The decoded string.
    pub(super) fn string(&self) -> Option<Cow<'a, str>> {
        self.text().map(|text| text.decode())
    }

    /// A figure: a number that is neither negative nor impossible; a fraction is cut off.
    pub(super) fn number(&self) -> Option<u64> {
        super::figure::figure(self.raw())
    }

    /// Whether it is `true`.
    pub(super) fn is_true(&self) -> bool {
        self.raw() == b"true"
    }

    /// Whether it is `null`.
    pub(super) fn is_null(&self) -> bool {
        self.raw() == b"null"
    }

    /// Whether it is an array.
    pub(super) fn is_array(&self) -> bool {
        self.raw().first() == Some(&b'[')
    }

    /// Whether it is an object.
    pub(super) fn is_object(&self) -> bool {
        self.raw().first() == Some(&b'{')
    }

    /// The members of an object; none for another type, and none after a fault.
    pub(super) fn fields(&self) -> Fields<'a> {
        self.cursor().fields().unwrap_or(Fields { value: *self, members: Vec::new() })
    }

    fn cursor(&self) -> Cursor<'a> {
        Cursor { line: self.line.get(..self.end).unwrap_or_default(), at: self.start }
    }

    /// The member of that name; the last one where a name comes twice.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        let mut found = None;
        if self.is_object() {
            // A fault inside ends the search; what came before it still counts.
            let _ = self.cursor().members(|cursor, key| {
                if key == name.as_bytes() {
                    found = Some(cursor.value()?);
                }
                Ok(())
            });
        }
        found
    }

    /// The member at the end of a path.
    pub(super) fn at(&self, path: &[&str]) -> Option<Value<'a>> {
        path.iter().try_fold(*self, |value, name| value.get(name))
    }

    /// The elements of an array; nothing for another type.
    pub(super) fn items(&self) -> Vec<Value<'a>> {
        let mut found = Vec::new();
        if self.is_array() {
            let _ = self.cursor().elements(|cursor| {
                found.push(cursor.value()?);
                Ok(())
            });
        }
        found
    }
}

impl<'a> Fields<'a> {
    /// The member of that name; the last one where a name comes twice.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.members.iter().rev().find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| *value)
    }

    /// All members: names as stored, and values.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'a [u8], Value<'a>)> + '_ {
        self.members.iter().copied()
    }

    /// The inside of a string member.
    pub(super) fn text(&self, name: &str) -> Option<Text<'a>> {
        self.get(name)?.text()
    }

    /// The decoded string member.
    pub(super) fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.string()
    }

    /// Whether a member is `true`.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.is_true())
    }
}

impl<'a> Text<'a> {
    /// The text, its escapes undone.
    pub(super) fn decode(&self) -> Cow<'a, str> {
        decode_json_string(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(line: &str) -> Result<Value<'_>, Fault> {
        Cursor::new(line.as_bytes()).value()
    }

    #[test]
    fn values_are_ranges_of_the_line() {
        let line = r#" {"a" : "x\"y", "b":[1,{"c":"}"}, null], "a":true}"#;
        let value = whole(line).unwrap();
        assert_eq!((value.start, value.end), (1, line.len()));
        assert!(value.get("a").unwrap().is_true(), "the last of two equal names counts");
        let items = value.get("b").unwrap().items();
        assert_eq!(items.len(), 3);
        assert_eq!(items[0].number(), Some(1));
        assert_eq!(items[1].at(&["c"]).and_then(|c| c.string()).as_deref(), Some("}"));
        assert!(items[2].is_null() && value.get("c").is_none());
    }

    #[test]
    fn what_is_cut_or_no_json_is_a_fault() {
        for line in ["", "{\"a\":", "{\"a\":\"x", "{\"a\":\"x\\", "[1,", "nope", "\"\\\""] {
            assert!(whole(line).is_err(), "{line}");
        }
        for line in ["{\"a\" 1}", "{1:2}", "{\"a\":1,}", "{\"a\":1 \"b\":2}"] {
            assert!(Cursor::new(line.as_bytes()).members(|_, _| Ok(())).is_err(), "{line}");
        }
    }

    #[test]
    fn members_of_another_type_are_skipped() {
        let mut cursor = Cursor::new(b"[1,2] ");
        assert_eq!(cursor.members(|_, _| Ok(())), Ok(()));
        assert!(cursor.is_done());
    }
}
