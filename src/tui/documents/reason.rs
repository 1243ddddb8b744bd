//! Why the passage that is looked at was taken or left, in as many rows as that takes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::chunk::Tag;
use crate::config::{Role, Theme};
use crate::present::why;
use crate::tui::line::{Line, wrapped};

use super::{Choice, Documents};

/// Columns of a long reason.
const LONG: u16 = 120;
/// The most rows that a reason takes.
const ROWS_MAX: u16 = 3;

/// Rows of a reason on a screen of so many columns: the same for all, so that nothing moves as one steps through them.
pub fn rows(columns: u16) -> u16 {
    LONG.div_ceil(columns.saturating_sub(2).max(1)).min(ROWS_MAX)
}

/// The tag of the passage that is looked at, and why it was taken or left. The tag gives way where the reason needs its
/// row.
pub fn reason(view: &Documents, choice: &Choice, buffer: &mut Buffer, theme: &Theme, area: Rect) {
    let (Some(candidate), Some(piece)) =
        (choice.selection.candidates.get(view.candidate), choice.selection.piece(&choice.division, view.candidate))
    else {
        return;
    };
    let number = |at: usize| choice.selection.piece(&choice.division, at).map_or(0, |piece| piece.number);
    let later = view.comes_later(choice, view.candidate);
    let role = match candidate.verdict.is_taken() {
        true if later => Role::Dim,
        true => Role::Kept,
        false => Role::Cut,
    };
    let fate = match (candidate.verdict.is_taken(), choice.in_window.is_some()) {
        _ if later => "comes later",
        (true, false) => "taken",
        (false, false) => "left",
        (true, true) => "would be taken",
        (false, true) => "would be left",
    };
    let words = format!("{fate}  {}", why(candidate.verdict, &choice.settings, choice.selection.provisional, number));
    let lines: Vec<&str> = wrapped(&words, usize::from(area.width.max(1))).collect();
    let needed = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let top = u16::from(needed < area.height);
    if top > 0 {
        let name = view.files.get(view.wanted.file).map_or("", |file| file.name.as_str());
        let tag = Tag::of(&choice.division, piece, name).to_string();
        Line::new(buffer, theme, area, 0).put(&tag, Role::Name);
    }
    for (row, words) in (top..area.height).zip(lines) {
        let mut line = Line::new(buffer, theme, area, row);
        match words.strip_prefix(fate).filter(|_| row == top) {
            Some(rest) => {
                line.put(fate, role);
                line.put(rest, Role::Text);
            }
            None => line.put(words, Role::Text),
        }
    }
}
