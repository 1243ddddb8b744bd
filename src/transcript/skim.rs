//! A small likeness of a JSON value, read as a stream: enough to tell what a file of any size is.
//!
//! Long strings are shortened, long arrays and deep values left out; the bytes are walked, never held.

use memchr::memchr3;
use serde_json::{Map, Value};

use crate::content::{MemoryBytes, ReadAt, decode_json_string};

use super::exchange::wraps;

/// Bytes read at a time.
const PIECE: usize = 256 << 10;
/// No further is looked for what a file is.
const SKIM_MAX: u64 = 256 << 20;
/// Elements kept of an array.
const ELEMENTS: usize = 48;
/// Keys kept of an object.
const KEYS: usize = 96;
/// Levels kept; what is deeper becomes null.
const DEPTH: usize = 9;
/// Stored bytes kept of a string.
const TEXT: usize = 400;
/// The same, under a key that a request's or a response's whole body may stand under as a text.
const BODY: usize = 256 << 10;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The value is complete.
    Complete,
    /// The bytes end inside the value.
    Cut,
    /// It is not JSON from there on.
    Broken,
}

/// What was seen of the first value of a source.
pub(super) struct Skimmed {
    /// Its likeness; what was complete when the walk ended early.
    pub value: Value,
    /// How the walk ended.
    pub end: End,
    /// Line breaks inside the value.
    pub breaks: u64,
    /// Where the value ends.
    pub stop: u64,
}

/// Walks the first value from an offset.
pub(super) fn skim(bytes: &dyn ReadAt, from: u64) -> Skimmed {
    let mut walk = Walk { bytes, base: from, piece: Vec::new(), at: 0, breaks: 0, first: from };
    walk.space();
    walk.breaks = 0;
    let (value, end) = walk.value(0, TEXT);
    Skimmed { value, end, breaks: walk.breaks, stop: walk.base + walk.at as u64 }
}

/// The likeness of a text that is JSON, as far as it goes.
pub(super) fn likeness(text: &str) -> Value {
    skim(&MemoryBytes(text.as_bytes().to_vec()), 0).value
}

/// Whether only blank bytes follow an offset (as far as one piece is looked at).
pub(super) fn blank_after(bytes: &dyn ReadAt, from: u64) -> bool {
    let mut walk = Walk { bytes, base: from, piece: Vec::new(), at: 0, breaks: 0, first: from };
    walk.space();
    walk.peek().is_none()
}

struct Walk<'a> {
    bytes: &'a dyn ReadAt,
    base: u64,
    piece: Vec<u8>,
    at: usize,
    breaks: u64,
    first: u64,
}

impl Walk<'_> {
    fn peek(&mut self) -> Option<u8> {
        if self.at >= self.piece.len() && !self.more() {
            return None;
        }
        self.piece.get(self.at).copied()
    }

    fn more(&mut self) -> bool {
        self.base += self.piece.len() as u64;
        self.at = 0;
        self.piece.resize(PIECE, 0);
        let left = SKIM_MAX.saturating_sub(self.base - self.first);
        let want = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
        let size = self.bytes.read_at(self.base, &mut self.piece[..want]).unwrap_or(0);
        self.piece.truncate(size);
        size > 0
    }

    fn space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.breaks += 1,
                b' ' | b'\t' | b'\r' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    /// A value; of a string so many bytes are kept, of anything nothing where that is none.
    fn value(&mut self, depth: usize, keep: usize) -> (Value, End) {
        match self.peek() {
            None => (Value::Null, End::Cut),
            Some(b'{' | b'[') if depth >= DEPTH || keep == 0 => (Value::Null, self.skip()),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => {
                let (text, end) = self.string(keep);
                (Value::String(text), end)
            }
            Some(_) => self.scalar(),
        }
    }

    fn scalar(&mut self) -> (Value, End) {
        let mut word = Vec::new();
        while let Some(byte) = self.peek() {
            if !(byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) || word.len() > 64 {
                break;
            }
            word.push(byte);
            self.at += 1;
        }
        match serde_json::from_slice(&word) {
            Ok(value) => (value, End::Complete),
            Err(_) if self.peek().is_none() => (Value::Null, End::Cut),
            // NaN and Infinity are no JSON, but are written all the same.
            Err(_) if matches!(word.as_slice(), b"NaN" | b"Infinity" | b"-Infinity") => (Value::Null, End::Complete),
            Err(_) => (Value::Null, End::Broken),
        }
    }

    /// A string, from its opening quote; a raw line break in it is an error.
    fn string(&mut self, keep: usize) -> (String, End) {
        self.at += 1;
        let mut kept = Vec::new();
        let end = loop {
            if self.peek().is_none() {
                break End::Cut;
            }
            let rest = self.piece.get(self.at..).unwrap_or_default();
            let found = memchr3(b'"', b'\\', b'\n', rest);
            let plain = found.unwrap_or(rest.len());
            if kept.len() < keep {
                kept.extend_from_slice(&rest[..plain.min(keep)]);
            }
            self.at += plain;
            let Some(stop) = found.and_then(|at| rest.get(at).copied()) else { continue };
            match stop {
                b'"' => {
                    self.at += 1;
                    break End::Complete;
                }
                b'\n' => break End::Broken,
                _ => {
                    self.at += 1;
                    let escaped = self.peek();
                    self.at += usize::from(escaped.is_some());
                    if kept.len() < keep {
                        kept.push(b'\\');
                        kept.extend(escaped);
                    }
                }
            }
        };
        (decode_json_string(&kept).into_owned(), end)
    }

    fn array(&mut self, depth: usize) -> (Value, End) {
        self.at += 1;
        let mut kept = Vec::new();
        let end = loop {
            self.space();
            match self.peek() {
                None => break End::Cut,
                Some(b']') => {
                    self.at += 1;
                    break End::Complete;
                }
                Some(b',') => self.at += 1,
                Some(_) => {
                    let (value, end) = self.value(depth + 1, if kept.len() < ELEMENTS { TEXT } else { 0 });
                    if kept.len() < ELEMENTS && (end == End::Complete || !value.is_null()) {
                        kept.push(value);
                    }
                    if end != End::Complete {
                        break end;
                    }
                }
            }
        };
        (Value::Array(kept), end)
    }

    fn object(&mut self, depth: usize) -> (Value, End) {
        self.at += 1;
        let mut kept = Map::new();
        let end = loop {
            self.space();
            match self.peek() {
                None => break End::Cut,
                Some(b'}') => {
                    self.at += 1;
                    break End::Complete;
                }
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let (key, end) = self.string(TEXT);
                    self.space();
                    if end != End::Complete || self.peek() != Some(b':') {
                        break if self.peek().is_none() { End::Cut } else { End::Broken };
                    }
                    self.at += 1;
                    self.space();
                    let most = if wraps(&key) { BODY } else { TEXT };
                    let (value, end) = self.value(depth + 1, if kept.len() < KEYS { most } else { 0 });
                    if kept.len() < KEYS {
                        kept.insert(key, value);
                    }
                    if end != End::Complete {
                        break end;
                    }
                }
                Some(_) => break End::Broken,
            }
        };
        (Value::Object(kept), end)
    }

    /// Passes over a container without looking at what is in it.
    fn skip(&mut self) -> End {
        let mut depth = 0u64;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    let (_, end) = self.string(0);
                    if end != End::Complete {
                        return end;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'\n' => self.breaks += 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return End::Complete;
            }
        }
        End::Cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(text: &str) -> Skimmed {
        skim(&MemoryBytes(text.as_bytes().to_vec()), 0)
    }

    #[test]
    fn a_small_value_is_seen_whole() {
        let text = " {\"a\": [1, \"b\\u00e9\\n\", null, {\"c\": true}],\n \"d\": -1.5e3} ";
        let skimmed = seen(text);
        assert_eq!(skimmed.value, json!({"a": [1, "bé\n", null, {"c": true}], "d": -1500.0}));
        assert_eq!((skimmed.end, skimmed.breaks, skimmed.stop), (End::Complete, 1, text.len() as u64 - 1));
    }

    #[test]
    fn what_was_complete_is_kept_of_a_value_that_is_cut() {
        let skimmed = seen("{\"messages\": [{\"role\": \"user\", \"content\": \"hel");
        assert_eq!(skimmed.end, End::Cut);
        assert_eq!(skimmed.value["messages"][0]["role"], "user");
        assert_eq!(seen("{\"a\": \"x\ny\"}").end, End::Broken);
        assert_eq!(seen("{a: 1}").end, End::Broken);
    }

    #[test]
    fn long_and_deep_values_are_passed_over() {
        let text = format!(
            "{{\"a\": \"{}\", \"b\": {}1{}, \"z\": 1}}",
            "x".repeat(900_000),
            "[".repeat(5000),
            "]".repeat(5000)
        );
        let skimmed = seen(&text);
        assert_eq!(skimmed.end, End::Complete);
        assert_eq!(skimmed.value["z"], 1);
        assert!(skimmed.value["a"].as_str().is_some_and(|kept| kept.len() == TEXT));
    }

    #[test]
    fn every_cut_of_a_value_ends_quietly() {
        let text = "[{\"a\": \"b\\\"\", \"c\": [NaN, 12, {}]}, \"\\u00e9\", {\"d\": {\"e\": false}}]";
        for at in 0..text.len() {
            assert_ne!(seen(&text[..at]).end, End::Complete, "{at}");
        }
    }
}
