//! An entry's pieces as sections, each of one kind, whose lines can be reached one by one.

use std::sync::Arc;

use crate::config::Role;
use crate::present::safe_lines;

use super::content::{Content, Form, Ink, Inked, Media, Piece};
use super::highlight::language_of;
use super::table::Table;
use super::{Lines, call, json, markdown};

/// A run of lines of one kind.
#[derive(Clone, Debug)]
pub struct Section {
    /// What it holds.
    pub body: Body,
    /// Whether the model saw it.
    pub kept: bool,
    /// Columns that it is set in by.
    pub indent: u16,
}

/// What a section holds.
#[derive(Clone, Debug)]
pub enum Body {
    /// Text by lines, in any length; colours come when it is seen.
    Lines {
        /// The text.
        lines: Lines,
        /// Language to highlight it in.
        language: Option<Arc<str>>,
        /// What its lines begin with.
        gutter: Gutter,
        /// The look where nothing else says one.
        role: Role,
    },
    /// Lines that have their looks already.
    Inked(Vec<Inked>),
    /// A table, laid out by the width there is.
    Table(Table),
    /// A line across, with words.
    Rule(String),
    /// A picture.
    Picture(Arc<Media>),
}

/// What the lines of a text begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gutter {
    /// Nothing of note.
    None,
    /// `+`, `-` and `@@`, as patches have them.
    Diff,
    /// Their numbers, as tools that read files give them.
    Numbers,
}

impl Section {
    /// A section that the model saw.
    #[must_use]
    pub fn new(body: Body) -> Section {
        Section { body, kept: true, indent: 0 }
    }

    /// Lines that have their looks already.
    #[must_use]
    pub fn inked(lines: impl IntoIterator<Item = Inked>) -> Section {
        Section::new(Body::Inked(lines.into_iter().flat_map(Inked::divided).collect()))
    }

    /// Text in a language.
    #[must_use]
    pub fn code(text: &str, language: Option<Arc<str>>) -> Section {
        let gutter = gutter_of(text);
        Section::new(Body::Lines { lines: harmless(text), language, gutter, role: Role::Text })
    }

    /// Text in one look.
    #[must_use]
    pub fn plain(text: &str, role: Role) -> Section {
        Section::new(Body::Lines { lines: harmless(text), language: None, gutter: Gutter::None, role })
    }

    /// One line: a name, and what it is.
    #[must_use]
    pub fn pair(name: &str, value: &str) -> Section {
        let inks = vec![Ink::new(name, Role::SyntaxName), Ink::new("  ", Role::Text), Ink::new(value, Role::Text)];
        Section::inked([Inked { inks, ..Inked::default() }])
    }
}

/// The sections of an entry: rendered, or as it was sent.
#[must_use]
pub fn sections(content: &Content, raw: bool) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for piece in &content.pieces {
        let from = found.len();
        if raw && !matches!(piece.form, Form::Rule | Form::Picture(_)) {
            found.push(Section::plain(&piece.text, Role::Text));
        } else {
            rendered(piece, content.pieces.len() == 1, &mut found);
        }
        found.iter_mut().skip(from).for_each(|section| section.kept = piece.kept);
    }
    if content.left_out > 0 {
        let text = format!("{} more are not shown", crate::present::bytes(content.left_out));
        found.push(Section::new(Body::Rule(text)));
    }
    found
}

fn rendered(piece: &Piece, whole: bool, found: &mut Vec<Section>) {
    match &piece.form {
        Form::Plain { file } => found.push(by_looks(&piece.text, file.as_deref(), whole)),
        Form::Markdown => found.extend(markdown::sections(&piece.text)),
        Form::Call { tool } => found.extend(call::sections(tool, &piece.text)),
        Form::Marker => found.push(Section::plain(piece.text.trim_matches('\n'), Role::Cleared)),
        Form::Hidden => found.push(Section::plain(&piece.text, Role::Dim)),
        Form::Rule => found.push(Section::new(Body::Rule(crate::present::safe(&piece.text).into_owned()))),
        Form::Picture(media) => found.push(Section::new(Body::Picture(Arc::clone(media)))),
    }
}

/// What a program wrote, by its looks: JSON set out, a patch, code by its file's name.
fn by_looks(text: &str, file: Option<&str>, whole: bool) -> Section {
    if whole && let Some(set_out) = json::pretty(text) {
        return Section::code(&set_out, Some(Arc::from("json")));
    }
    if is_diff(text) {
        let lines = harmless(text);
        return Section::new(Body::Lines { lines, language: None, gutter: Gutter::Diff, role: Role::Text });
    }
    Section::code(text, file.and_then(language_of))
}

fn harmless(text: &str) -> Lines {
    Lines::new(safe_lines(text))
}

/// Whether a text is a patch: by git, by `diff -u`, or in the form that Codex uses.
#[must_use]
pub fn is_diff(text: &str) -> bool {
    let head: Vec<&str> = text.lines().take(12).collect();
    let starts = |prefix: &str| head.iter().any(|line| line.starts_with(prefix));
    starts("diff --git ") || starts("*** Begin Patch") || (starts("--- ") && starts("+++ ") && starts("@@ "))
}

/// Whether the lines begin with their numbers, as `cat -n` and file-reading tools write them.
fn gutter_of(text: &str) -> Gutter {
    let numbered = |line: &&str| number_end(line).is_some();
    let head: Vec<&str> = text.lines().take(6).collect();
    if head.len() > 1 && head.iter().filter(|line| numbered(line)).count() + 1 >= head.len() {
        return Gutter::Numbers;
    }
    Gutter::None
}

/// Where a line's own number ends, with what divides it from the line: `   12→`, `12\t` (then blanks), `12: `.
#[must_use]
pub fn number_end(line: &str) -> Option<usize> {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let rest = line.get(blanks..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 9 {
        return None;
    }
    let after = rest.get(digits..)?;
    ["→", "\t", "    ", "│", "|"].iter().find(|sign| after.starts_with(**sign)).map(|sign| blanks + digits + sign.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_by_their_looks() {
        let kind = |text: &str, file: Option<&str>| match by_looks(text, file, true).body {
            Body::Lines { language, gutter, .. } => (language.map(|name| name.to_string()), gutter),
            _ => panic!("lines"),
        };
        assert_eq!(kind("{\"a\":1}", None), (Some("json".to_owned()), Gutter::None));
        assert_eq!(kind("diff --git a/x b/x\n", None), (None, Gutter::Diff));
        assert_eq!(kind("     1→fn a() {\n     2→}\n", Some("src/a.rs")), (Some("rs".to_owned()), Gutter::Numbers));
        assert_eq!(kind("1\tone\n2\ttwo\n", None), (None, Gutter::Numbers));
        assert_eq!(kind("just words\n", None), (None, Gutter::None));
        assert_eq!(number_end("    12→let"), Some(9));
        assert_eq!(number_end("12 apples"), None);
    }
}
