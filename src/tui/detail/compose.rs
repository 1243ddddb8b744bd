//! One line of a section with its looks, as roles.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::config::Role;

use super::content::Inked;
use super::highlight::Inks;
use super::section::{Body, Gutter, Section, number_end};

/// How a piece of a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// What it is.
    pub role: Role,
    /// What lies over that.
    pub over: Option<Role>,
    /// Bold.
    pub strong: bool,
    /// Italic.
    pub soft: bool,
}

impl From<Role> for Look {
    fn from(role: Role) -> Look {
        Look { role, over: None, strong: false, soft: false }
    }
}

/// A line ready to be wrapped and drawn.
#[derive(Clone, Debug, Default)]
pub struct Composed {
    /// What stands before each of its rows.
    pub margin: String,
    /// Columns that rows after the first are set in by.
    pub hang: usize,
    /// Its text.
    pub text: String,
    /// Looks, each reaching to a byte of the text.
    pub looks: Vec<(usize, Look)>,
}

/// Composes a line of text with the colours that are there for it.
#[must_use]
pub fn text_line(section: &Section, line: usize, inks: Option<&Inks>) -> Composed {
    let Body::Lines { lines, gutter, role, .. } = &section.body else { return Composed::default() };
    let text = lines.get(line).to_owned();
    let mut composed = Composed { margin: " ".repeat(usize::from(section.indent)), ..Composed::default() };
    if !section.kept {
        // Blanks at the beginning are not struck.
        let blanks = text.len() - text.trim_start().len();
        composed.looks = vec![(blanks, Role::Text.into()), (text.len(), Role::Cut.into())];
    } else if *gutter == Gutter::Diff {
        let over = diff_role(&text).unwrap_or(*role);
        composed.looks = vec![(text.len(), over.into())];
    } else {
        let number = if *gutter == Gutter::Numbers { number_end(&text).unwrap_or(0) } else { 0 };
        if number > 0 {
            composed.looks.push((number, Role::Dim.into()));
            composed.hang = text.get(..number).unwrap_or_default().width();
        }
        for (end, ink) in inks.into_iter().flatten().filter(|(end, _)| *end as usize > number) {
            composed.looks.push((*end as usize, (*ink).into()));
        }
        composed.looks.push((text.len(), (*role).into()));
    }
    composed.text = text;
    composed
}

fn diff_role(line: &str) -> Option<Role> {
    let heads = ["+++", "---", "***", "diff --git ", "index "];
    match line.as_bytes() {
        _ if heads.iter().any(|head| line.starts_with(head)) => Some(Role::Title),
        [b'+', ..] => Some(Role::Added),
        [b'-', ..] => Some(Role::Removed),
        [b'@', b'@', ..] => Some(Role::Accent),
        _ => None,
    }
}

/// Composes a line that has its looks.
#[must_use]
pub fn inked_line(line: &Inked, section: &Section) -> Composed {
    let margin = format!("{}{}", " ".repeat(usize::from(section.indent)), line.margin);
    let mut composed = Composed { margin, hang: usize::from(line.hang), ..Composed::default() };
    for ink in &line.inks {
        composed.text.push_str(&ink.text);
        let role = if section.kept { ink.role } else { Role::Cut };
        composed.looks.push((composed.text.len(), Look { strong: ink.strong, soft: ink.soft, ..role.into() }));
    }
    composed
}

/// Composes a line across, with words.
#[must_use]
pub fn rule_line(words: &str, width: usize) -> Composed {
    let mut text = format!("── {words} ");
    let used = text.width();
    if used < width {
        text.push_str(&"─".repeat(width - used));
    }
    Composed { looks: vec![(text.len(), Role::Boundary.into())], hang: 3, text, ..Composed::default() }
}

impl Composed {
    /// The look at a byte, and where it ends.
    #[must_use]
    pub fn look(&self, byte: usize) -> (usize, Look) {
        let at = self.looks.partition_point(|(end, _)| *end <= byte);
        self.looks.get(at).copied().unwrap_or((usize::MAX, Role::Text.into()))
    }

    /// Lays a role over a part of the text.
    pub fn lay(&mut self, range: Range<usize>, role: Role) {
        let mut laid = Vec::with_capacity(self.looks.len() + 2);
        let mut from = 0;
        for (end, look) in self.looks.drain(..) {
            let (start, stop) = (range.start.clamp(from, end.max(from)), range.end.clamp(from, end.max(from)));
            for (to, over) in [(start, look.over), (stop, Some(role)), (end, look.over)] {
                if to > from {
                    laid.push((to, Look { over, ..look }));
                    from = to;
                }
            }
        }
        self.looks = laid;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_laid_over_what_is_there() {
        let looks = vec![(4, Role::Code.into()), (8, Role::Text.into())];
        let mut line = Composed { text: "abcdefgh".to_owned(), looks, ..Composed::default() };
        line.lay(2..6, Role::Hit);
        let found: Vec<_> = line.looks.iter().map(|(end, look)| (*end, look.role, look.over)).collect();
        let hit = Some(Role::Hit);
        let expected = [(2, Role::Code, None), (4, Role::Code, hit), (6, Role::Text, hit), (8, Role::Text, None)];
        assert_eq!(found, expected);
        assert_eq!((line.look(3).1.over, line.look(6).0, line.look(99).1.role), (hit, 8, Role::Text));
    }
}
