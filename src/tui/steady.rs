//! Characters whose width terminals disagree about, made such that no terminal shifts what stands after them.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

/// Draws emoji that are joined or coloured (👩 with 👧, 👍 with a tone) as their first alone, and signs that a selector
/// makes wide (❤ as an emoji) as narrow ones. Some terminals take several columns for these, some one or two.
pub fn steady(buffer: &mut Buffer) {
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
    fn joined_signs_become_their_first() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 16, 1));
        buffer.set_string(0, 0, "a👩\u{200d}👧b❤\u{fe0f}c👍🏽d日e\u{301}é", Style::default());
        steady(&mut buffer);
        let cells: Vec<&str> = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(cells[..5], ["a", "👩", " ", "b", "❤"]);
        assert!(cells.contains(&"👍") && cells.contains(&"e\u{301}") && cells.contains(&"日"));
        assert!(cells.iter().all(|cell| !cell.contains(['\u{200d}', '\u{fe0f}'])));
    }
}
