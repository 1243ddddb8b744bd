//! The rows and cells of a table, with spans laid out so that columns stay columns.

use super::table::escape_cell;

/// Columns of a table; spans beyond are not laid out.
const COLUMNS_MAX: usize = 1_000;

/// A table being gathered.
#[derive(Default)]
pub struct Grid {
    rows: Vec<Vec<Option<String>>>,
    /// For each column: rows below that a cell above still covers.
    covered: Vec<usize>,
    caption: String,
}

impl Grid {
    /// Begins a row.
    pub fn row(&mut self) {
        for rows in &mut self.covered {
            *rows = rows.saturating_sub(1);
        }
        self.rows.push(Vec::new());
    }

    /// The number of the newest row among those that hold something, from 0.
    pub fn newest(&self) -> usize {
        let before = self.rows.len().saturating_sub(1);
        self.rows.iter().take(before).filter(|row| !row.is_empty()).count()
    }

    /// The words above the table.
    pub fn caption(&mut self, text: String) {
        self.caption = text;
    }

    /// Adds a cell to the newest row.
    pub fn cell(&mut self, text: String, columns: usize, rows: usize) {
        if self.rows.is_empty() {
            self.row();
        }
        let Some(row) = self.rows.last_mut() else {
            return;
        };
        while row.len() < COLUMNS_MAX && self.covered.get(row.len()).is_some_and(|rows| *rows > 0) {
            row.push(None);
        }
        let columns = columns.clamp(1, COLUMNS_MAX.saturating_sub(row.len()).max(1));
        let from = row.len();
        row.push(Some(text));
        row.extend(std::iter::repeat_n(None, columns - 1));
        if self.covered.len() < row.len() {
            self.covered.resize(row.len(), 0);
        }
        for covered in self.covered.iter_mut().skip(from).take(columns) {
            *covered = rows.clamp(1, 10_000);
        }
    }

    /// The table as a part of a line, for a cell of another.
    pub fn in_line(self) -> String {
        let row = |row: Vec<Option<String>>| {
            let cells: Vec<String> = row.into_iter().flatten().filter(|cell| !cell.is_empty()).collect();
            Some(cells.join(", ")).filter(|row| !row.is_empty())
        };
        let rows = self.rows.into_iter().filter_map(row).collect::<Vec<_>>().join("; ");
        if self.caption.is_empty() { rows } else { format!("{}: {rows}", self.caption) }
    }

    /// The table as Markdown, its caption above it; nothing where it is empty.
    pub fn finish(self) -> String {
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = self.caption;
        let rows: Vec<_> = self.rows.into_iter().filter(|row| !row.is_empty()).collect();
        if rows.is_empty() {
            return text;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        for (index, row) in rows.iter().enumerate() {
            text.push('|');
            for column in 0..width {
                text.push(' ');
                escape_cell(row.get(column).and_then(Option::as_deref).unwrap_or_default(), &mut text);
                text.push_str(" |");
            }
            text.push('\n');
            if index == 0 {
                text.push('|');
                text.extend(std::iter::repeat_n(" --- |", width));
                text.push('\n');
            }
        }
        text.pop();
        text
    }
}
