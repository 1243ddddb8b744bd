//! Putting text on the screen: one line at a time, never past its place, nothing that steers a terminal.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::config::{Role, Theme};
use crate::present::{clip, safe, width};

use super::style;

/// One row of the screen, written from the left, with room kept for what stands at its right.
pub struct Line<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    x: u16,
    y: u16,
    end: u16,
    base: Style,
}

impl<'a> Line<'a> {
    /// A row of an area, counted from its top; beyond the area, a row without columns.
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme, area: Rect, row: u16) -> Line<'a> {
        let area = area.intersection(buffer.area);
        let end = if row < area.height { area.x + area.width } else { area.x };
        Line { buffer, theme, x: area.x, y: area.y.saturating_add(row), end, base: Style::default() }
    }

    /// Lays a look under the whole row, which then shows through.
    pub fn under(&mut self, role: Role) {
        self.base = style(self.theme, role);
        if self.x < self.end {
            self.buffer.set_style(Rect { x: self.x, y: self.y, width: self.end - self.x, height: 1 }, self.base);
        }
    }

    /// Columns that are left.
    #[must_use]
    pub fn left(&self) -> u16 {
        self.end.saturating_sub(self.x)
    }

    /// Where the next text goes.
    #[must_use]
    pub fn column(&self) -> u16 {
        self.x
    }

    /// Leaves columns free.
    pub fn skip(&mut self, columns: u16) {
        self.x = self.x.saturating_add(columns).min(self.end);
    }

    /// Keeps the last columns for another; returns a line over them.
    pub fn split_right(&mut self, columns: u16) -> Line<'_> {
        let columns = columns.min(self.left());
        let end = self.end;
        self.end -= columns;
        Line { buffer: self.buffer, theme: self.theme, x: self.end, y: self.y, end, base: self.base }
    }

    /// Writes text, cut with `…` where there is no room.
    pub fn put(&mut self, text: &str, role: Role) {
        self.styled(text, style(self.theme, role));
    }

    /// Writes text in a look.
    pub fn styled(&mut self, text: &str, look: Style) {
        if self.left() == 0 {
            return;
        }
        let text = safe(text);
        let cut = clip(&text, usize::from(self.left()));
        let (x, _) = self.buffer.set_stringn(self.x, self.y, &cut, usize::from(self.left()), self.base.patch(look));
        self.x = x;
    }

    /// Writes text against the right end of so many columns; what is too long loses its beginning to nothing: it is
    /// cut.
    pub fn right(&mut self, text: &str, columns: u16, role: Role) {
        let columns = columns.min(self.left());
        let text = safe(text);
        let size = u16::try_from(width(&text)).unwrap_or(u16::MAX).min(columns);
        self.skip(columns - size);
        let end = self.end;
        self.end = self.x + size;
        self.put(&text, role);
        self.end = end;
    }

    /// Writes text into so many columns, filled up with blanks.
    pub fn field(&mut self, text: &str, columns: u16, role: Role) {
        let stop = self.x.saturating_add(columns.min(self.left()));
        let end = self.end;
        self.end = stop;
        self.put(text, role);
        self.end = end;
        self.x = stop;
    }

    /// Writes text only where all of it has room; says whether it did.
    pub fn whole(&mut self, text: &str, role: Role) -> bool {
        let fits = width(&safe(text)) <= usize::from(self.left());
        if fits {
            self.put(text, role);
        }
        fits
    }
}

/// Writes text from a column of a row on, in at most `room` columns and only as far as it lies on the screen; returns
/// the column after it.
pub fn text(buffer: &mut Buffer, (x, y): (u16, u16), text: &str, room: u16, look: Style) -> u16 {
    // `set_stringn` panics where the place lies beyond the screen.
    match buffer.area.contains((x, y).into()) {
        true => buffer.set_stringn(x, y, text, usize::from(room), look).0,
        false => x,
    }
}

/// A text in lines of so many columns, broken at blanks where it can be.
pub fn wrapped(text: &str, columns: usize) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut used = 0;
        let over = rest.grapheme_indices(true).find(|(at, sign)| {
            used += width(sign);
            used > columns && *at > 0
        });
        let cut = match over {
            None => rest.len(),
            Some((at, _)) => {
                let head = rest.get(..at).unwrap_or_default();
                let blank = rest.get(at..).is_some_and(|tail| tail.starts_with(' '));
                if blank { at } else { head.rfind(' ').map_or(at, |blank| blank + 1) }
            }
        };
        let (line, later) = rest.split_at(cut);
        rest = later.trim_start();
        Some(line.trim_end())
    })
}

/// Eighths of a column, from none to a whole one, from the left.
const EIGHTHS: [&str; 9] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// Texts below each other in so many rows: each has a row at least, as far as there are any, and what has no room is
/// left out with a mark.
pub fn stacked(texts: &[(String, Role)], columns: usize, rows: u16) -> Vec<(String, Role)> {
    let mut all = Vec::new();
    for (at, (text, role)) in texts.iter().enumerate() {
        let (rows, later) = (usize::from(rows), texts.len() - at - 1);
        let room = rows.saturating_sub(all.len() + later).max(usize::from(all.len() < rows));
        let mut lines = wrapped(text, columns.max(1)).peekable();
        for row in 0..room {
            let Some(line) = lines.next() else { break };
            let cut = row + 1 == room && lines.peek().is_some();
            let whole = if cut { format!("{line} …") } else { line.to_owned() };
            all.push((clip(&whole, columns).into_owned(), *role));
        }
    }
    all
}

/// A bar for a part of a whole, in so many columns. What is there at all shows at least an eighth.
#[must_use]
pub fn bar(part: u64, whole: u64, columns: u16, fill: &str) -> String {
    if part == 0 || whole == 0 || columns == 0 {
        return String::new();
    }
    let most = u128::from(columns) * 8;
    let eighths = (u128::from(part) * most / u128::from(whole)).clamp(1, most);
    let (full, rest) = (usize::try_from(eighths / 8).unwrap_or(0), usize::try_from(eighths % 8).unwrap_or(0));
    // A pattern has no eighths: it shows whole columns only.
    let rest = match fill {
        "█" => EIGHTHS.get(rest).copied().unwrap_or_default(),
        pattern if rest >= 4 || full == 0 => pattern,
        _ => "",
    };
    format!("{}{rest}", fill.repeat(full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks() {
        let lines = |text, columns| wrapped(text, columns).collect::<Vec<_>>();
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 6), ["one", "two", "three"]);
        assert_eq!(lines("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(lines("漢字漢字", 3), ["漢", "字", "漢", "字"]);
        assert_eq!(lines("漢", 0), ["漢"]);
        assert!(lines("  ", 5).is_empty());
    }

    #[test]
    fn bars_have_eighths() {
        assert_eq!(bar(1, 2, 4, "█"), "██");
        assert_eq!(bar(1, 32, 4, "█"), "▏");
        assert_eq!(bar(1, 1_000_000, 4, "█"), "▏");
        assert_eq!(bar(31, 32, 4, "█"), "███▉");
        assert_eq!(bar(99, 32, 4, "█"), "████");
        assert_eq!(bar(0, 32, 4, "█"), "");
        assert_eq!(bar(1, 0, 4, "█"), "");
        assert_eq!(bar(1, 32, 4, "░"), "░");
        assert_eq!(bar(u64::MAX, u64::MAX, u16::MAX, "█").chars().count(), usize::from(u16::MAX));
    }
}
