//! The rows and cells of a table, with spans laid out so that columns stay columns.

use super::table::escape_cell;

/// Columns of a table; spans beyond are not laid out.
const COLUMNS_MAX: usize = 1_000;
/// What stands for an empty cell in a line.
const EMPTY: &str = "–";

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

    /// The table as a part of a line, for a cell of another. A cell without text keeps its place, so that those behind it
    /// stay in their columns; a column without any is left out.
    pub fn in_line(self) -> String {
        let is_filled = |cell: &Option<String>| cell.as_ref().is_some_and(|text| !text.is_empty());
        let mut used: Vec<bool> = Vec::new();
        for row in &self.rows {
            used.resize(used.len().max(row.len()), false);
            used.iter_mut().zip(row).for_each(|(used, cell)| *used |= is_filled(cell));
        }
        let line = |row: &Vec<Option<String>>| {
            let end = row.iter().rposition(Option::is_some)? + 1;
            let cells = row.iter().take(end).zip(&used).filter(|(_, used)| **used);
            let texts = cells.map(|(cell, _)| cell.as_deref().filter(|text| !text.is_empty()).unwrap_or(EMPTY));
            row.iter().any(is_filled).then(|| texts.collect::<Vec<_>>().join(", "))
        };
        let rows = self.rows.iter().filter_map(line).collect::<Vec<_>>().join("; ");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_in_a_line_stay_in_their_columns() {
        let line = |rows: &[&[(&str, usize, usize)]]| {
            let mut grid = Grid::default();
            for row in rows {
                grid.row();
                row.iter().for_each(|(text, columns, rows)| grid.cell((*text).to_owned(), *columns, *rows));
            }
            grid.in_line()
        };
        let one = |text| (text, 1, 1);
        let cells = [[one("Passed"), one("Failed")], [one(""), one("5")], [one(""), one("")], [one("3"), one("")]];
        assert_eq!(line(&cells.each_ref().map(|row| &row[..])), "Passed, Failed; –, 5; 3, –");
        assert_eq!(line(&[&[one(""), one("a")], &[one(""), one("b")]]), "a; b");
        assert_eq!(line(&[&[("All", 2, 1)], &[("x", 1, 2), one("1")], &[one("2")]]), "All; x, 1; –, 2");
    }
}
