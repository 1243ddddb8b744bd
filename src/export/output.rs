//! What is written, with the origin of every byte of it: ranges without gaps or overlaps, in order.

use crate::content::encode_json_string;
use crate::model::Coding;

use super::quote::{Origin, Text};

/// A range of the output and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First byte.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// How the text was written: as it is, or escaped for a JSON string once or twice.
    pub written: Coding,
    /// Where it is from.
    pub origin: Origin,
}

/// An output that grows at its end.
#[derive(Debug, Default)]
pub struct Output {
    text: String,
    ranges: Vec<Range>,
}

impl Output {
    /// What was written, and its ranges.
    #[must_use]
    pub fn finish(self) -> (String, Vec<Range>) {
        (self.text, self.ranges)
    }

    /// Writes what windowpane makes.
    pub fn made(&mut self, text: &str) -> &mut Self {
        let start = self.text.len();
        self.text.push_str(text);
        self.close(start, Coding::Plain, Origin::Made)
    }

    /// Writes a text as it is.
    pub fn plain(&mut self, text: &Text) -> &mut Self {
        self.pieces(text, Coding::Plain)
    }

    /// Writes a text as a JSON string, with its quotes.
    pub fn string(&mut self, text: &Text) -> &mut Self {
        self.made("\"").inside(text).made("\"")
    }

    /// Writes a text into a JSON string that is open already.
    pub fn inside(&mut self, text: &Text) -> &mut Self {
        self.pieces(text, Coding::Json)
    }

    /// Writes a text into a JSON string inside a JSON string.
    pub fn inside_twice(&mut self, text: &Text) -> &mut Self {
        self.pieces(text, Coding::JsonTwice)
    }

    /// Writes what windowpane makes as a JSON string, with its quotes.
    pub fn made_string(&mut self, text: &str) -> &mut Self {
        let start = self.text.len();
        self.text.push('"');
        encode_json_string(text, &mut self.text);
        self.text.push('"');
        self.close(start, Coding::Plain, Origin::Made)
    }

    fn pieces(&mut self, text: &Text, written: Coding) -> &mut Self {
        for piece in &text.0 {
            let start = self.text.len();
            match written {
                Coding::Plain | Coding::Lines | Coding::Value | Coding::Base64 => self.text.push_str(&piece.text),
                Coding::Json => encode_json_string(&piece.text, &mut self.text),
                Coding::JsonTwice => {
                    let mut once = String::with_capacity(piece.text.len());
                    encode_json_string(&piece.text, &mut once);
                    encode_json_string(&once, &mut self.text);
                }
            }
            let written = if piece.origin == Origin::Made { Coding::Plain } else { written };
            self.close(start, written, piece.origin);
        }
        self
    }

    fn close(&mut self, start: usize, written: Coding, origin: Origin) -> &mut Self {
        let end = self.text.len();
        match self.ranges.last_mut() {
            _ if start == end => {}
            Some(last) if last.origin == Origin::Made && origin == Origin::Made => last.end = end,
            _ => self.ranges.push(Range { start, end, written, origin }),
        }
        self
    }
}
