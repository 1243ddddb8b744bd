//! What an entry says, as a summary of it is measured: of a tool call, the tool's name and the values of its arguments
//! as they are meant, each on lines of its own, not the JSON that holds them.

use crate::content::{decode_json_string, stored_offset, string_end};
use crate::model::Coding;

/// A text, and where each part of it stands in the text that was stored.
pub(super) struct Spoken {
    /// The text.
    pub text: String,
    /// Where what may hold facts begins: behind the tool's name.
    pub facts_from: usize,
    stored: String,
    parts: Vec<Part>,
}

/// A string of the arguments.
struct Part {
    /// Its first byte in the text.
    start: usize,
    /// Its bytes in what was stored.
    place: (usize, usize),
    coding: Coding,
}

impl Spoken {
    /// A text as it stands.
    pub fn plain(text: String) -> Spoken {
        Spoken { text, facts_from: 0, stored: String::new(), parts: Vec::new() }
    }

    /// The text of a call of a tool.
    pub fn call(tool: &str, stored: String) -> Spoken {
        let mut text = tool.to_owned();
        let mut parts: Vec<Part> = Vec::new();
        let mut take = |place: (usize, usize), coding: Coding, within_list: bool| {
            text.push(if parts.is_empty() || within_list { ' ' } else { '\n' });
            let start = text.len();
            let own = stored.get(place.0..place.1).unwrap_or_default();
            match coding {
                Coding::Json => text.push_str(&decode_json_string(own.as_bytes())),
                _ => text.push_str(own),
            }
            parts.push(Part { start, place, coding });
        };
        if stored.trim_start().starts_with(['{', '[']) {
            strings(&stored, |place, within_list| take(place, Coding::Json, within_list));
        } else {
            take((0, stored.len()), Coding::Plain, false);
        }
        let facts_from = parts.first().map_or(text.len(), |part| part.start);
        Spoken { text, facts_from, stored, parts }
    }

    /// Where a range of the text stands in what was stored.
    pub fn place(&self, (from, to): (usize, usize)) -> (usize, usize) {
        let Some(first) = self.parts.first() else { return (from, to) };
        let stored = |at: usize| {
            let at = at.max(first.start);
            let part = self.parts.iter().rev().find(|part| part.start <= at).unwrap_or(first);
            let own = self.stored.get(part.place.0..part.place.1).unwrap_or_default();
            part.place.0 + stored_offset(own.as_bytes(), part.coding, at - part.start)
        };
        let from = stored(from);
        (from, stored(to).max(from))
    }
}

/// Calls for the inside of each string of a JSON text that is a value, and whether it stands in a list behind another.
fn strings(json: &str, mut each: impl FnMut((usize, usize), bool)) {
    let bytes = json.as_bytes();
    let (mut at, mut within, mut last) = (0, Vec::new(), b' ');
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at + 1);
                let closed = end > at + 1 && bytes.get(end - 1) == Some(&b'"');
                let next = bytes.get(end..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
                if next != Some(&b':') {
                    let inside = (at + 1, if closed { end - 1 } else { end });
                    each(inside, last == b',' && within.last() == Some(&b'['));
                }
                at = end;
                last = b'"';
                continue;
            }
            b'{' | b'[' => within.push(*byte),
            b'}' | b']' => drop(within.pop()),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = *byte;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_says_what_its_arguments_hold() {
        let stored =
            r#"{"file_path": "/a/b.py", "content": "import random\nMAX = \"17\"\n", "limit": 5, "deep": [{"x": "y"}]}"#;
        let spoken = Spoken::call("Write", stored.to_owned());
        assert_eq!(spoken.text, "Write /a/b.py\nimport random\nMAX = \"17\"\n\ny");
        assert_eq!(&spoken.text[spoken.facts_from..][..7], "/a/b.py");
        let at = spoken.text.find("MAX").unwrap();
        let (from, to) = spoken.place((at, at + "MAX = \"17\"".len()));
        assert_eq!(&stored[from..to], "MAX = \\\"17\\\"");
        let (from, to) = spoken.place((0, "Write /a/b.py".len()));
        assert_eq!(&stored[from..to], "/a/b.py");
    }

    #[test]
    fn lists_of_words_and_what_is_no_json_are_read_too() {
        let of = |stored: &str| Spoken::call("shell", stored.to_owned()).text;
        assert_eq!(of(r#"{"command":["bash","-lc","ls 5"],"workdir":"/w"}"#), "shell bash -lc ls 5\n/w");
        assert_eq!(of("*** Begin Patch\n+a"), "shell *** Begin Patch\n+a");
        assert_eq!((of("{}"), of(r#"{"a": "cut"#)), ("shell".to_owned(), "shell cut".to_owned()));
    }
}
