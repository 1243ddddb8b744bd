//! The text around a place of a fact, below the ribbons where there is room.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::tui::line::{Line, wrapped};

/// Bytes of text on each side of a place at most.
const REACH: usize = 2_000;
/// What stands for a tab.
const TAB: &str = "    ";
/// Columns of text at most: longer lines are hard to read.
const COLUMNS: u16 = 110;
/// Rows that it takes to be worth its place: a blank one, its title, and some of text.
const LEAST: u16 = 6;

/// A place of a fact in its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// What stands around it. Untrusted.
    text: String,
    /// The place in that.
    said: Range<usize>,
}

impl Around {
    /// What stands around a range of a text; nothing where there is no such range.
    #[must_use]
    pub fn of(text: &str, said: Range<usize>) -> Around {
        if text.get(said.clone()).is_none() {
            return Around::default();
        }
        let from = text.ceil_char_boundary(said.start.saturating_sub(REACH));
        let to = text.floor_char_boundary(said.end.min(said.start + REACH).saturating_add(REACH));
        let mut around = Around::default();
        // A tab is a sign of its own on the screen.
        let mut put = |part: Range<usize>| {
            around.text.push_str(&text.get(part).unwrap_or_default().replace('\t', TAB));
            around.text.len()
        };
        let (begin, end) = (put(from..said.start), put(said.start..said.end.min(to)));
        put(said.end.min(to)..to);
        around.said = begin..end;
        around
    }

    /// Its rows on a screen of so many columns, and the first that shows the place.
    fn rows(&self, columns: usize) -> (Vec<&str>, usize) {
        let mut rows: Vec<&str> = Vec::new();
        let mut first = 0;
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            if at <= self.said.start {
                first = rows.len();
            }
            let before = rows.len();
            rows.extend(wrapped(line, columns));
            if rows.len() == before {
                // A blank line.
                rows.push(self.text.get(at..at).unwrap_or_default());
            }
            if at <= self.said.start {
                let starts = |row: &&str| self.place_of(row).start <= self.said.start;
                first += rows[before..].iter().take_while(|row| starts(row)).count().saturating_sub(1);
            }
            at += line.len();
        }
        (rows, first)
    }

    /// Where a row stands in the text that it is a part of.
    fn place_of(&self, row: &str) -> Range<usize> {
        let from = (row.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        from..from + row.len()
    }

    /// Draws it in an area under a title, the place in the middle; nothing where there is too little room.
    pub fn draw(&self, title: &str, buffer: &mut Buffer, theme: &Theme, area: Rect) {
        if area.height < LEAST || self.text.trim().is_empty() {
            return;
        }
        let mut head = Line::new(buffer, theme, area, 1);
        head.put("its text  ", Role::Title);
        head.put(title, Role::Dim);
        let indent = 6.min(area.width);
        let body = Rect {
            x: area.x + indent,
            y: area.y + 2,
            width: (area.width - indent).min(COLUMNS),
            height: area.height - 2,
        };
        let (rows, first) = self.rows(usize::from(body.width));
        let shown = usize::from(body.height);
        let start = first.saturating_sub(shown / 2).min(rows.len().saturating_sub(shown));
        for (at, row) in (0u16..).zip(rows.iter().skip(start).take(shown)) {
            let place = self.place_of(row);
            let within = |at: usize| at.clamp(place.start, place.end) - place.start;
            let (from, to) = (within(self.said.start), within(self.said.end));
            let mut line = Line::new(buffer, theme, body, at);
            for (part, role) in
                [(&row[..from], Role::Text), (&row[from..to], Role::HitCurrent), (&row[to..], Role::Text)]
            {
                line.put(part, role);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_told_in_what_stands_around_it() {
        let text = format!("{}\n\nthe key is QX-77413 here\nlast", "word ".repeat(1_000));
        let at = text.find("QX-77413").unwrap();
        let around = Around::of(&text, at..at + 8);
        assert_eq!(&around.text[around.said.clone()], "QX-77413");
        assert!(around.text.len() < text.len() && around.text.ends_with("\nlast"));
        let (rows, first) = around.rows(40);
        assert!(rows[first].contains("QX-77413"), "{}", rows[first]);
        let (rows, first) = around.rows(8);
        assert!(rows[first].starts_with("QX") || rows[first + 1].starts_with("QX"), "{:?}", &rows[first..]);
        // A place in a long line is where it is, and signs of several bytes are not parted.
        let text = format!("{} QX-77413 {}", "漢".repeat(3_000), "ü".repeat(3_000));
        let at = text.find("QX-77413").unwrap();
        let around = Around::of(&text, at..at + 8);
        let (rows, first) = around.rows(60);
        assert!(rows[first..first + 2].iter().any(|row| row.contains("QX-77413")));
        assert_eq!(Around::of("short", 3..90), Around::default());
        // Tabs are blanks, before it, in it and behind it.
        let around = Around::of("\tlet a\t= 1;\t// one", 5..10);
        assert_eq!(
            (around.text.as_str(), &around.text[around.said.clone()]),
            ("    let a    = 1;    // one", "a    = 1")
        );
    }
}
