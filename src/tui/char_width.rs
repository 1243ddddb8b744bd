//! Characters whose width terminals disagree about, made such that no terminal shifts what stands after them.

use ratatui::buffer::Buffer;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

/// Draws emoji that are joined or coloured (👩 with 👧, 👍 with a tone) as their first alone, and signs that a selector
/// makes wide (❤ as an emoji) as narrow ones. Some terminals take several columns for these, some one or two.
pub fn fix_widths(buffer: &mut Buffer) {
    for at in 0..buffer.content.len() {
        let Some(cell) = buffer.content.get(at) else { return };
        let symbol = cell.symbol();
        if symbol.len() < 5 || symbol.starts_with('\u{1b}') {
            continue;
        }
        let Some(plain) = first_of(symbol) else { continue };
        let (before, after) = (symbol.width(), plain.width());
        if let Some(cell) = buffer.content.get_mut(at) {
            cell.set_symbol(&plain);
        }
        // The column that is no longer covered.
        if after < before
            && let Some(next) = buffer.content.get_mut(at + 1)
        {
            next.set_symbol(" ");
        }
    }
}

/// Ends each line that a theme gave a ground with a blank that is no space: tmux and others drop spaces at a line's
/// end, and the ground with them, from what they capture and show again.
pub fn keep_backgrounds(buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width);
    for cell in buffer.content.iter_mut().skip(width.saturating_sub(1)).step_by(width.max(1)) {
        if cell.symbol() == " " && cell.bg != Color::Reset {
            cell.set_symbol("\u{a0}");
        }
    }
}

/// The first sign of a joined one; `None` where there is nothing to leave out.
fn first_of(symbol: &str) -> Option<String> {
    let joins = |sign: char| matches!(sign, '\u{200D}' | '\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{20E3}');
    let end = symbol.char_indices().skip(1).find(|(_, sign)| joins(*sign)).map(|(at, _)| at)?;
    symbol.get(..end).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn a_ground_reaches_the_last_column() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 3));
        buffer.set_style(Rect::new(0, 0, 3, 2), Style::new().bg(Color::White));
        buffer.set_string(0, 1, "abc", Style::default());
        keep_backgrounds(&mut buffer);
        let last: Vec<&str> = (0..3).map(|row| buffer[(2, row)].symbol()).collect();
        assert_eq!(last, ["\u{a0}", "c", " "]);
        assert_eq!(buffer[(1, 0)].symbol(), " ");
    }

    #[test]
    fn joined_signs_become_their_first() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 16, 1));
        buffer.set_string(0, 0, "a👩\u{200d}👧b❤\u{fe0f}c👍🏽d日e\u{301}é", Style::default());
        fix_widths(&mut buffer);
        let cells: Vec<&str> = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(cells[..5], ["a", "👩", " ", "b", "❤"]);
        assert!(cells.contains(&"👍") && cells.contains(&"e\u{301}") && cells.contains(&"日"));
        assert!(cells.iter().all(|cell| !cell.contains(['\u{200d}', '\u{fe0f}'])));
    }
}
