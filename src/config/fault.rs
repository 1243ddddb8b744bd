//! What is wrong in a file that the user wrote, and where.

use std::fmt;
use std::ops::Range;

/// A located complaint about a config, keys or theme file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// Line, from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// Path of the key (`roles.title.fg`), empty where there is none.
    pub path: String,
    /// What is the matter, in one sentence.
    pub message: String,
}

impl Fault {
    /// A complaint about a place in a text.
    #[must_use]
    pub fn at(text: &str, span: Range<usize>, path: impl Into<String>, message: impl Into<String>) -> Fault {
        let before = text.as_bytes().get(..span.start).unwrap_or(text.as_bytes());
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Fault { line, path: path.into(), message: message.into() }
    }

    /// What the TOML reader said.
    #[must_use]
    pub fn syntax(text: &str, error: &toml::de::Error) -> Fault {
        Fault::at(text, error.span().unwrap_or(0..0), "", error.message().replace('\n', " "))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(out, "line {}: ", self.line)?;
        }
        if !self.path.is_empty() {
            write!(out, "{}: ", self.path)?;
        }
        out.write_str(&self.message)
    }
}

/// The known name that is nearest to a mistyped one, where one is near enough to be meant.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.chars().take(64).collect::<String>().to_lowercase().replace('_', "-");
    let name = plain(name);
    known
        .into_iter()
        .map(|other| (strsim::damerau_levenshtein(&name, &plain(other)), other))
        .filter(|(far, other)| *far <= 1 + other.chars().count() / 3)
        .min_by_key(|(far, _)| *far)
        .map(|(_, other)| other)
}

/// A sentence that refuses an unknown name and offers the nearest.
#[must_use]
pub(super) fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(near) => format!("there is no {what} {name:?}; did you mean {near:?}?"),
        None => format!("there is no {what} {name:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_only_when_near() {
        let known = ["next-step", "previous-step", "quit"];
        assert_eq!(nearest("next_stpe", known), Some("next-step"));
        assert_eq!(nearest("Quit", known), Some("quit"));
        assert_eq!(nearest("zebra-crossing", known), None);
    }

    #[test]
    fn faults_say_where() {
        let fault = Fault::at("a\nb\nc = 1", 4..5, "c", "no such thing");
        assert_eq!(fault.to_string(), "line 3: c: no such thing");
    }
}
