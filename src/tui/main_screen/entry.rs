//! The entry pane: what the selected entry is, where it came from, and its text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{Entry, Fate};
use crate::present::{clip, count, safe_lines, short};
use crate::tui::ink::Line;
use crate::tui::inspect::Inspect;
use crate::tui::reading::Reading;
use crate::tui::state::Text;

use super::frame::Title;
use super::window::fate_sign;

/// Lines of a text, as wide as the pane: each with whether the model saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The lines.
    pub lines: Vec<(String, bool)>,
    /// The columns that they were made for.
    pub width: u16,
}

impl Body {
    /// Breaks a text into lines.
    #[must_use]
    pub fn new(reading: &Reading, width: u16) -> Body {
        let mut lines = Vec::new();
        for piece in &reading.pieces {
            for line in safe_lines(&piece.text).lines() {
                wrap(line, usize::from(width.max(1)), |part| lines.push((part.to_owned(), piece.kept)));
            }
        }
        Body { lines, width }
    }
}

/// Breaks a line at blanks where it can.
fn wrap(line: &str, columns: usize, mut put: impl FnMut(&str)) {
    use unicode_segmentation::UnicodeSegmentation;
    let (mut from, mut used, mut blank) = (0, 0, None);
    for (at, sign) in line.grapheme_indices(true) {
        let size = crate::present::width(sign);
        if used + size > columns && at > from {
            let cut = blank.filter(|blank| *blank > from).unwrap_or(at);
            put(line.get(from..cut).unwrap_or_default().trim_end());
            from = cut;
            used = crate::present::width(line.get(from..at).unwrap_or_default());
            blank = None;
        }
        used += size;
        if sign == " " {
            blank = Some(at + 1);
        }
    }
    put(line.get(from..).unwrap_or_default());
}

/// Rows above the text.
pub const HEAD: u16 = 3;

/// Draws the pane.
pub fn draw(buffer: &mut Buffer, theme: &Theme, inner: Rect, view: &Inspect, text: &Text) {
    let Some(entry) = view.selected.and_then(|id| view.index.run().entry(id)) else {
        let mut line = Line::new(buffer, theme, inner, 1.min(inner.height.saturating_sub(1)));
        line.skip(1);
        line.put("Select an entry of the window to read it here.", Role::Dim);
        return;
    };
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let mut line = Line::new(buffer, theme, inner, 0);
    facts(&mut line, entry, view);
    let mut line = Line::new(buffer, theme, inner, 1);
    let rows = inner.height.saturating_sub(HEAD);
    match &text.reading {
        None => {}
        Some(Err(why)) => line.put(why, Role::Error),
        Some(Ok(reading)) => {
            line.put(&reading.provenance, Role::Dim);
            for (row, (words, kept)) in (0..rows).zip(text.body.lines.iter().skip(text.top)) {
                let mut line = Line::new(buffer, theme, inner, HEAD + row);
                line.put(words, if *kept { Role::Text } else { Role::Cut });
            }
        }
    }
}

fn facts(line: &mut Line<'_>, entry: &Entry, view: &Inspect) {
    line.put(entry.layer.info().title, Role::Layer(entry.layer));
    let role = match entry.role {
        crate::model::Role::System => "system",
        crate::model::Role::Developer => "developer",
        crate::model::Role::User => "user",
        crate::model::Role::Assistant => "assistant",
        crate::model::Role::Tool => "tool",
    };
    let size = match entry.fate {
        Fate::Verbatim => count(entry.tokens),
        _ if entry.original_tokens > entry.tokens => {
            format!("{} of {}", count(entry.tokens), count(entry.original_tokens))
        }
        _ => count(entry.tokens),
    };
    let _ = short(0);
    let mut fact = |text: &str, role: Role| {
        if usize::from(line.left()) > crate::present::width(text) + 3 {
            line.put(" · ", Role::Dim);
            line.put(text, role);
        }
    };
    if !entry.label.is_empty() {
        fact(&clip(&entry.label, 40), Role::Text);
    }
    fact(&format!("{}{size} tokens", if entry.estimated { "~" } else { "" }), Role::Text);
    if let Some((sign, role)) = fate_sign(entry.fate) {
        fact(&format!("{sign} {}", entry.fate.name()), role);
    }
    fact(&format!("from step {}", entry.born()), Role::Dim);
    match entry.died() {
        Some(died) => fact(&format!("gone at {died}"), Role::Removed),
        None if view.step < view.index.steps() => fact("to the end", Role::Dim),
        None => {}
    }
    fact(role, Role::Dim);
}

/// What the pane's line says.
#[must_use]
pub fn title(text: &Text, height: u16) -> Title {
    let mut title = Title { name: "Entry", ..Title::default() };
    let (lines, rows) = (text.body.lines.len(), usize::from(height.saturating_sub(HEAD)));
    if lines > rows {
        let last = (text.top + rows).min(lines);
        title.signs.push((format!("{}–{last} of {}", text.top + 1, count(lines as u64)), Role::Dim));
    }
    title
}
