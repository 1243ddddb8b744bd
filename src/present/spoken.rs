//! What an entry says, as a summary of it is measured: of a tool call, the tool's name and the values of its arguments
//! as they are meant, each on lines of its own, not the JSON that holds them.

use std::collections::HashMap;

use crate::content::{decode_json_string, stored_offset, string_end};
use crate::model::Coding;

/// Arguments that say what a call does: once it has done so, that is no request any more.
const DOES: &[&str] = &["description", "prompt"];
/// What the items of a plan have for a state, where they are still to be done, and where they are done.
const OPEN: &[&str] = &["in_progress", "not_started", "pending", "todo"];
const CLOSED: &[&str] = &["complete", "completed", "done"];
/// What is put before either: the boxes of a list of tasks.
const OPEN_BOX: &str = "[ ] ";
const DONE_BOX: &str = "[x] ";

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
    /// Where it begins in the text with its box, and without.
    begins: usize,
    /// See `begins`.
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

    /// The text of a call of a tool; `done`: it was carried out without an error.
    pub fn call(tool: &str, stored: String, done: bool) -> Spoken {
        let mut text = tool.to_owned();
        let mut parts: Vec<Part> = Vec::new();
        let mut take = |place: (usize, usize), coding: Coding, within_list: bool, box_of: &str| {
            // A box begins a line.
            let goes_on = (parts.is_empty() && box_of.is_empty()) || within_list;
            text.push(if goes_on { ' ' } else { '\n' });
            let begins = text.len();
            text.push_str(box_of);
            let start = text.len();
            let own = stored.get(place.0..place.1).unwrap_or_default();
            match coding {
                Coding::Json => text.push_str(&decode_json_string(own.as_bytes())),
                _ => text.push_str(own),
            }
            parts.push(Part { begins, start, place, coding });
        };
        if stored.trim_start().starts_with(['{', '[']) {
            let values = strings(&stored);
            let own = |place: (usize, usize)| stored.get(place.0..place.1).unwrap_or_default();
            let states = values.iter().filter(|value| own(value.key) == "status");
            let states: HashMap<usize, &str> = states.map(|value| (value.object, own(value.place))).collect();
            for value in &values {
                let state = states.get(&value.object).filter(|_| own(value.place).contains(' '));
                let box_of = match state {
                    Some(state) if OPEN.contains(state) => OPEN_BOX,
                    Some(state) if CLOSED.contains(state) => DONE_BOX,
                    _ if done && DOES.contains(&own(value.key)) => DONE_BOX,
                    _ => "",
                };
                take(value.place, Coding::Json, value.within_list, box_of);
            }
        } else {
            take((0, stored.len()), Coding::Plain, false, "");
        }
        let facts_from = parts.first().map_or(text.len(), |part| part.start);
        Spoken { text, facts_from, stored, parts }
    }

    /// The words of a range, without the box that was put before them.
    pub fn words(&self, (from, to): (usize, usize)) -> Option<&str> {
        let boxed = self.parts.iter().rev().find(|part| part.begins <= from).map_or(from, |part| part.start);
        self.text.get(from.max(boxed.min(to))..to)
    }

    /// Where a range of the text stands in what was stored.
    pub fn place(&self, (from, to): (usize, usize)) -> (usize, usize) {
        let Some(first) = self.parts.first() else { return (from, to) };
        let stored = |at: usize| {
            let at = at.max(first.start);
            let part = self.parts.iter().rev().find(|part| part.begins <= at).unwrap_or(first);
            let own = self.stored.get(part.place.0..part.place.1).unwrap_or_default();
            part.place.0 + stored_offset(own.as_bytes(), part.coding, at.saturating_sub(part.start))
        };
        let from = stored(from);
        (from, stored(to).max(from))
    }
}

/// A string of a JSON text that is a value.
struct Value {
    /// Its inside.
    place: (usize, usize),
    /// Whether it stands in a list behind another.
    within_list: bool,
    /// The inside of the key that it stands under, and the number of the object.
    key: (usize, usize),
    /// See `key`.
    object: usize,
}

/// The strings of a JSON text that are values.
fn strings(json: &str) -> Vec<Value> {
    let bytes = json.as_bytes();
    let (mut at, mut within, mut last) = (0, Vec::new(), b' ');
    let (mut found, mut key, mut objects) = (Vec::new(), (0, 0), 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at + 1);
                let closed = end > at + 1 && bytes.get(end - 1) == Some(&b'"');
                let next = bytes.get(end..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
                let inside = (at + 1, if closed { end - 1 } else { end });
                if next == Some(&b':') {
                    key = inside;
                } else {
                    let within_list = last == b',' && within.last().is_some_and(|(byte, _)| *byte == b'[');
                    let object = within.iter().rev().find(|(byte, _)| *byte == b'{').map_or(0, |(_, number)| *number);
                    found.push(Value { place: inside, within_list, key, object });
                }
                at = end;
                last = b'"';
                continue;
            }
            b'{' | b'[' => {
                objects += 1;
                within.push((*byte, objects));
            }
            b'}' | b']' => drop(within.pop()),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = *byte;
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_says_what_its_arguments_hold() {
        let stored =
            r#"{"file_path": "/a/b.py", "content": "import random\nMAX = \"17\"\n", "limit": 5, "deep": [{"x": "y"}]}"#;
        let spoken = Spoken::call("Write", stored.to_owned(), true);
        assert_eq!(spoken.text, "Write /a/b.py\nimport random\nMAX = \"17\"\n\ny");
        assert_eq!(&spoken.text[spoken.facts_from..][..7], "/a/b.py");
        let at = spoken.text.find("MAX").unwrap();
        let (from, to) = spoken.place((at, at + "MAX = \"17\"".len()));
        assert_eq!(&stored[from..to], "MAX = \\\"17\\\"");
        let (from, to) = spoken.place((0, "Write /a/b.py".len()));
        assert_eq!(&stored[from..to], "/a/b.py");
    }

    #[test]
    fn what_is_done_and_what_is_still_to_be_done_has_a_box() {
        let stored = r#"{"command": "createdb staging", "description": "Create the staging database"}"#;
        let done = Spoken::call("Bash", stored.to_owned(), true);
        assert_eq!(done.text, "Bash createdb staging\n[x] Create the staging database");
        let from = done.text.find("[x]").unwrap();
        assert_eq!(done.words((from, done.text.len())), Some("Create the staging database"));
        let (from, to) = done.place((from, done.text.len()));
        assert_eq!(&stored[from..to], "Create the staging database");
        let failed = Spoken::call("Bash", stored.to_owned(), false).text;
        assert_eq!(failed, "Bash createdb staging\nCreate the staging database");
        let plan = r#"{"plan": [{"step": "Move the tables", "status": "pending"}, {"status": "completed", "step": "Read the code"}]}"#;
        let text = Spoken::call("update_plan", plan.to_owned(), true).text;
        assert_eq!(text, "update_plan\n[ ] Move the tables\npending\ncompleted\n[x] Read the code");
    }

    #[test]
    fn lists_of_words_and_what_is_no_json_are_read_too() {
        let of = |stored: &str| Spoken::call("shell", stored.to_owned(), true).text;
        assert_eq!(of(r#"{"command":["bash","-lc","ls 5"],"workdir":"/w"}"#), "shell bash -lc ls 5\n/w");
        assert_eq!(of("*** Begin Patch\n+a"), "shell *** Begin Patch\n+a");
        assert_eq!((of("{}"), of(r#"{"a": "cut"#)), ("shell".to_owned(), "shell cut".to_owned()));
    }
}
