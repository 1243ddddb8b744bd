//! A table of Markdown, laid out by the width there is.

use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr;

use crate::config::Role;

use super::content::{Ink, Inked};
use super::wrap::wrap;

/// Rows beyond are left out; nobody reads a longer table here.
const ROWS_MAX: usize = 5000;
/// Columns beyond are left out.
const COLUMNS_MAX: usize = 64;
/// A column is not made narrower than this.
const LEAST: usize = 4;

/// Rows of cells; the first row is the head.
#[derive(Clone, Debug)]
pub struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Vec<Ink>>>,
    open: Vec<Vec<Ink>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(alignments: Vec<Alignment>) -> Table {
        Table { alignments, rows: Vec::new(), open: Vec::new() }
    }

    /// Adds a cell to the row that is being written.
    pub fn cell(&mut self, inks: Vec<Ink>) {
        if self.open.len() < COLUMNS_MAX {
            self.open.push(inks);
        }
    }

    /// Ends the row.
    pub fn end_row(&mut self) {
        let row = std::mem::take(&mut self.open);
        if self.rows.len() < ROWS_MAX {
            self.rows.push(row);
        }
    }

    /// The lines of the table in so many columns.
    #[must_use]
    pub fn lines(&self, width: usize) -> Vec<Inked> {
        let widths = self.widths(width);
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            self.row(row, &widths, number == 0, &mut lines);
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|columns| "─".repeat(*columns)).collect();
                lines.push(Inked { inks: vec![Ink::new(&rule.join("─┼─"), Role::Border)], ..Inked::default() });
            }
        }
        lines
    }

    /// As wide as the widest cells, where there is room; else the widest columns give way first.
    fn widths(&self, width: usize) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![1usize; count];
        for row in &self.rows {
            for (cell, widest) in row.iter().zip(&mut widths) {
                *widest = (*widest).max(cell.iter().map(|ink| ink.text.width()).sum());
            }
        }
        let room = width.saturating_sub(count.saturating_sub(1) * 3);
        // Lowers a ceiling until everything fits.
        let fits = |ceiling: usize| widths.iter().map(|columns| (*columns).min(ceiling)).sum::<usize>() <= room;
        let widest = widths.iter().copied().max().unwrap_or(0);
        let (mut low, mut high) = (LEAST, widest.max(LEAST));
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        widths.iter().map(|columns| (*columns).min(low)).collect()
    }

    fn row(&self, row: &[Vec<Ink>], widths: &[usize], head: bool, lines: &mut Vec<Inked>) {
        let none = Vec::new();
        let cells: Vec<Vec<Vec<Ink>>> =
            widths.iter().enumerate().map(|(at, columns)| broken(row.get(at).unwrap_or(&none), *columns)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        for level in 0..height {
            let mut inks = Vec::new();
            for (at, (cell, columns)) in cells.iter().zip(widths).enumerate() {
                if at > 0 {
                    inks.push(Ink::new(" │ ", Role::Border));
                }
                let pieces = cell.get(level).unwrap_or(&none);
                let used: usize = pieces.iter().map(|ink| ink.text.width()).sum();
                let free = columns.saturating_sub(used);
                let before = match self.alignments.get(at) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    _ => 0,
                };
                inks.push(Ink::new(&" ".repeat(before), Role::Text));
                inks.extend(pieces.iter().cloned().map(|mut ink| {
                    ink.strong |= head;
                    ink
                }));
                inks.push(Ink::new(&" ".repeat(free - before), Role::Text));
            }
            inks.retain(|ink| !ink.text.is_empty());
            lines.push(Inked { inks, ..Inked::default() });
        }
    }
}

/// A cell's text in rows of so many columns.
fn broken(cell: &[Ink], columns: usize) -> Vec<Vec<Ink>> {
    let text: String = cell.iter().map(|ink| ink.text.as_str()).collect();
    let mut rows = Vec::new();
    for range in wrap(&text, columns, 0) {
        let mut row = Vec::new();
        let mut from = 0;
        for ink in cell {
            let (start, end) = (range.start.max(from), range.end.min(from + ink.text.len()));
            if start < end {
                let piece = ink.text.get(start - from..end - from).unwrap_or_default();
                row.push(Ink { text: piece.to_owned(), ..ink.clone() });
            }
            from += ink.text.len();
        }
        if let Some(last) = row.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
        }
        rows.push(row);
    }
    rows
}
