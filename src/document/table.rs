//! Markdown tables, whole or as first and last rows: shared by everything that has rows.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::limits::{Limits, MORE, shorten};
use super::out::{Out, Stop};

/// A row's cells, one after the other in one buffer.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The texts of all cells; UTF-8, or nearly.
    pub text: Vec<u8>,
    /// Where each cell ends.
    pub ends: Vec<usize>,
    /// Cells behind them that are not kept.
    pub unkept: usize,
}

impl Row {
    /// Adds a cell.
    pub fn push(&mut self, cell: &str) {
        self.text.extend_from_slice(cell.as_bytes());
        self.ends.push(self.text.len());
    }

    /// Takes all cells away.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.unkept = 0;
    }

    /// A cell's text; empty where there is none.
    #[must_use]
    pub fn cell(&self, index: usize) -> Cow<'_, str> {
        let from = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(index).copied().unwrap_or(from);
        String::from_utf8_lossy(self.text.get(from..end).unwrap_or_default())
    }

    /// How many cells there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// How many cells there were, kept or not.
    #[must_use]
    pub fn total(&self) -> usize {
        self.ends.len() + self.unkept
    }
}

impl<'a> FromIterator<&'a str> for Row {
    fn from_iter<T: IntoIterator<Item = &'a str>>(cells: T) -> Row {
        let mut row = Row::default();
        cells.into_iter().for_each(|cell| row.push(cell));
        row
    }
}

/// Writes one Markdown table while its rows come in. Within limits only the last rows are held.
pub struct TableWriter<'a> {
    limits: Option<&'a Limits>,
    /// What the figures are about, where there are several tables: a sheet.
    name: Option<String>,
    /// Columns written, at least.
    columns: usize,
    /// Columns of the header, and rows that are longer.
    wide: usize,
    longer: u64,
    /// Columns that may be written.
    most: usize,
    /// Cells of the longest row, kept or not.
    widest: usize,
    rows: u64,
    /// The bytes of Markdown at which the rows end that are written within limits.
    ends: Vec<u64>,
    tail: VecDeque<Row>,
    /// The bytes of Markdown at which cells were shortened.
    cells_cut: Vec<u64>,
    line: String,
}

impl<'a> TableWriter<'a> {
    /// Writes the header. Where it is known that rows are longer, it is said how long they are as a rule, and how long the
    /// longest of them: as wide is the header, but the others are not filled up so far.
    ///
    /// # Errors
    /// When there is enough.
    pub fn begin(
        limits: Option<&'a Limits>,
        name: Option<String>,
        header: &Row,
        (widest, longest): (usize, usize),
        out: &mut Out<'_>,
    ) -> Result<TableWriter<'a>, Stop> {
        let most = limits.map_or(usize::MAX, |limits| usize::try_from(limits.columns).unwrap_or(usize::MAX));
        let columns = header.count().max(widest).min(most);
        let widest = header.total().max(widest);
        let wide = columns.max(longest.min(most));
        let mut table = TableWriter {
            limits,
            name,
            columns: wide,
            wide,
            longer: 0,
            most,
            widest,
            rows: 0,
            ends: Vec::new(),
            tail: VecDeque::new(),
            cells_cut: Vec::new(),
            line: String::new(),
        };
        table.write(header, out)?;
        out.text(&format!("|{}\n", " --- |".repeat(wide)))?;
        table.columns = columns;
        Ok(table)
    }

    /// One more row; within limits its buffers may be exchanged for others.
    ///
    /// # Errors
    /// When there is enough.
    pub fn row(&mut self, row: &mut Row, out: &mut Out<'_>) -> Result<(), Stop> {
        self.rows += 1;
        self.widest = self.widest.max(row.total());
        let Some(limits) = self.limits else {
            return self.write(row, out);
        };
        if self.rows <= limits.rows_head {
            self.write(row, out)?;
            self.ends.push(out.written());
            return Ok(());
        }
        out.beat(row.text.len() as u64 + 64)?;
        if limits.rows_tail == 0 {
            return Ok(());
        }
        let full = self.tail.len() as u64 >= limits.rows_tail;
        let mut held = if full { self.tail.pop_front().unwrap_or_default() } else { Row::default() };
        std::mem::swap(row, &mut held);
        self.tail.push_back(held);
        Ok(())
    }

    /// Writes the last rows and says what was shown; gives the rows in all.
    ///
    /// # Errors
    /// When there is enough.
    pub fn end(mut self, out: &mut Out<'_>) -> Result<u64, Stop> {
        let Some(limits) = self.limits else {
            self.say_longer(out);
            return Ok(self.rows);
        };
        let tail = std::mem::take(&mut self.tail);
        let shown = self.rows.min(limits.rows_head) + tail.len() as u64;
        if shown < self.rows {
            let hidden = match self.rows - shown {
                1 => format!("{MORE} [1 row not shown]"),
                rows => format!("{MORE} [{rows} rows not shown]"),
            };
            let others = std::iter::repeat_n(MORE, self.columns.saturating_sub(1));
            let gap: Row = std::iter::once(hidden.as_str()).chain(others).collect();
            // How many there are is no cell's text.
            let own = self.limits.take();
            self.write(&gap, out)?;
            self.limits = own;
        }
        for row in &tail {
            self.write(row, out)?;
            self.ends.push(out.written());
        }
        let of = |what: &str| self.name.as_ref().map_or_else(|| what.to_owned(), |name| format!("{name}: {what}"));
        out.shown(&of("columns"), self.most.min(self.widest) as u64, self.widest as u64);
        out.shown_to(&of("rows"), std::mem::take(&mut self.ends), self.rows);
        out.cut_at(&of("cells"), std::mem::take(&mut self.cells_cut));
        self.say_longer(out);
        Ok(self.rows)
    }

    /// Says that rows are longer than the header: of these, Markdown knows no cells behind it.
    fn say_longer(&self, out: &mut Out<'_>) {
        let rows = match self.longer {
            0 => return,
            1 => "1 row is".to_owned(),
            more => format!("{more} rows are"),
        };
        out.note(format!(
            "{rows} longer than the table's header: where it is shown as a table, the last cells may be left out"
        ));
    }

    fn write(&mut self, row: &Row, out: &mut Out<'_>) -> Result<(), Stop> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        line.push('|');
        // A row longer than its header keeps its cells, as far as columns may be shown.
        let width = self.columns.max(row.count().min(self.most));
        self.longer += u64::from(width > self.wide);
        for index in 0..width {
            let cell = row.cell(index);
            let cell = cell.trim();
            let (shown, cut) = self.limits.map_or((cell, false), |limits| shorten(cell, limits.cell_chars));
            line.push(' ');
            escape_cell(shown, &mut line);
            if cut {
                line.push_str(MORE);
                self.cells_cut.push(out.written() + line.len() as u64);
            }
            line.push_str(" |");
        }
        // What a line's limit leaves out of a row stands, as a row's part, before the end of what is left.
        let most = self.limits.map_or(u64::MAX, |limits| limits.line_chars);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let end = line.char_indices().nth(most.saturating_sub(1)).map_or(line.len(), |(at, _)| at) as u64;
        let begin = out.written();
        self.cells_cut.iter_mut().rev().take_while(|at| **at > begin + end).for_each(|at| *at = begin + end);
        line.push('\n');
        out.text(&line)?;
        self.line = line;
        Ok(())
    }
}

/// Adds a cell's text on one line, with `|` escaped, and what stands right before one and would escape its escape.
pub fn escape_cell(cell: &str, to: &mut String) {
    let mut rest = cell;
    while let Some(at) = rest.find(['|', '\n', '\r']) {
        let before = &rest[..at];
        to.push_str(before);
        match rest.as_bytes().get(at) {
            Some(b'|') => {
                to.push_str(&before[before.trim_end_matches('\\').len()..]);
                to.push_str("\\|");
            }
            // Of a break of two, one stands for both.
            Some(b'\r') if rest.as_bytes().get(at + 1) == Some(&b'\n') => {}
            _ => to.push(' '),
        }
        rest = &rest[at + 1..];
    }
    to.push_str(rest);
}
