//! Tables for people: columns as wide as their cells, the last one cut to what is left.

use super::{clip, safe, width};

/// What a piece of text means; a surface gives each tone its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Tone {
    #[default]
    Plain,
    Title,
    Faint,
    Kept,
    Cut,
    Warning,
    Accent,
}

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Align {
    Left,
    Right,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    title: &'static str,
    align: Align,
}

/// One cell, made safe for a terminal.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A cell of a tone; the text may be untrusted.
    #[must_use]
    pub fn new(text: &str, tone: Tone) -> Self {
        Self { text: safe(text).into_owned(), tone }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text.as_ref(), Tone::Plain)
    }
}

/// A table with a head.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// Columns that are left out whole where not all have room, the first of them first.
    spare: Vec<&'static str>,
}

/// Columns of a cell that is shown whole before another column is.
const NEEDED: usize = 28;

impl Table {
    /// An empty table with these columns.
    #[must_use]
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        let columns = columns.iter().map(|&(title, align)| Column { title, align }).collect();
        Self { columns, rows: Vec::new(), spare: Vec::new() }
    }

    /// Names the columns that are left out whole where not all have room, the first of them first.
    #[must_use]
    pub fn sparing(self, spare: &[&'static str]) -> Self {
        Self { spare: spare.to_vec(), ..self }
    }

    /// The columns that are left out where there are so many columns of text.
    #[must_use]
    pub fn left_out(&self, columns: usize) -> &[&'static str] {
        let widths = self.natural(self.rows.iter());
        let needs = |out: &[&str]| {
            let shown = self.columns.iter().zip(&widths).filter(|(column, _)| !out.contains(&column.title));
            let (number, sum) = shown.fold((0, 0), |(number, sum), (_, wide)| (number + 1, sum + (*wide).min(NEEDED)));
            sum + GAP.len() * usize::saturating_sub(number, 1)
        };
        let enough = (0..self.spare.len()).find(|number| needs(&self.spare[..*number]) <= columns);
        &self.spare[..enough.unwrap_or(self.spare.len())]
    }

    /// Adds a row; cells beyond the columns are left out.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().take(self.columns.len()).collect());
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Its lines, each at most so many columns wide, as pieces with their tones.
    #[must_use]
    pub fn lines(&self, columns: usize) -> Vec<Vec<(String, Tone)>> {
        let out = self.left_out(columns);
        if !out.is_empty() {
            return self.without(out).lines(columns);
        }
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        // Nothing can fail that only gathers.
        let _: Result<(), ()> = self.stream(
            columns,
            || self.rows.iter().map(Vec::as_slice),
            |line| {
                lines.push(line);
                Ok(())
            },
        );
        lines
    }

    /// The lines of rows that are made when they are asked for, and made twice: to measure them, then to write them.
    /// None of them is kept.
    ///
    /// # Errors
    /// The first that `each` gives.
    pub fn stream<R: Iterator<Item: AsRef<[Cell]>>, E>(
        &self,
        columns: usize,
        rows: impl Fn() -> R,
        mut each: impl FnMut(Vec<(String, Tone)>) -> Result<(), E>,
    ) -> Result<(), E> {
        let widths = self.widths(columns, rows());
        let head: Vec<Cell> = self.columns.iter().map(|column| Cell::new(column.title, Tone::Title)).collect();
        each(self.line(&head, &widths))?;
        rows().try_for_each(|row| each(self.line(row.as_ref(), &widths)))
    }

    /// The same table with fewer columns.
    fn without(&self, out: &[&str]) -> Table {
        let shown: Vec<bool> = self.columns.iter().map(|column| !out.contains(&column.title)).collect();
        let kept = |row: &Vec<Cell>| -> Vec<Cell> {
            row.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(cell, _)| cell.clone()).collect()
        };
        let columns = self.columns.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(column, _)| column.clone());
        Table { columns: columns.collect(), rows: self.rows.iter().map(kept).collect(), spare: Vec::new() }
    }

    /// Each column as wide as its widest cell.
    fn natural(&self, rows: impl Iterator<Item: AsRef<[Cell]>>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|column| width(column.title)).collect();
        for row in rows {
            for (wide, cell) in widths.iter_mut().zip(row.as_ref()) {
                *wide = (*wide).max(width(&cell.text));
            }
        }
        widths
    }

    /// The same, where the widest columns give way until all fit.
    fn widths(&self, columns: usize, rows: impl Iterator<Item: AsRef<[Cell]>>) -> Vec<usize> {
        let mut widths = self.natural(rows);
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        let room = columns.saturating_sub(gaps);
        while widths.iter().sum::<usize>() > room {
            let excess = widths.iter().sum::<usize>() - room;
            let widest = widths.iter().copied().max().unwrap_or(0);
            let second = widths.iter().copied().filter(|wide| *wide < widest).max().unwrap_or(1);
            if widest <= 1 {
                break;
            }
            for wide in widths.iter_mut().rev().filter(|wide| **wide == widest).take(1) {
                *wide = widest.saturating_sub(excess.min((widest - second).max(1))).max(1);
            }
        }
        widths
    }

    fn line(&self, row: &[Cell], widths: &[usize]) -> Vec<(String, Tone)> {
        let mut line = Vec::new();
        let last = row.iter().rposition(|cell| !cell.text.is_empty());
        for (index, ((cell, wide), column)) in row.iter().zip(widths).zip(&self.columns).enumerate() {
            if last.is_none_or(|last| index > last) {
                break;
            }
            if index > 0 {
                line.push((GAP.to_owned(), Tone::Plain));
            }
            let text = clip(&cell.text, *wide);
            let pad = " ".repeat(wide.saturating_sub(width(&text)));
            let full = match column.align {
                Align::Right => format!("{pad}{text}"),
                Align::Left if Some(index) == last => text.into_owned(),
                Align::Left => format!("{text}{pad}"),
            };
            line.push((full, cell.tone));
        }
        line
    }
}

const GAP: &str = "  ";

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: &Table, columns: usize) -> Vec<String> {
        table.lines(columns).iter().map(|line| line.iter().map(|(text, _)| text.as_str()).collect()).collect()
    }

    #[test]
    fn columns_align_and_the_widest_gives_way() {
        let mut table = Table::new(&[("layer", Align::Left), ("tokens", Align::Right), ("label", Align::Left)]);
        table.row([Cell::from("user"), Cell::from("12"), Cell::from("日本語のとても長い名前です")]);
        table.row([Cell::from("tool_results"), Cell::from("1,200"), Cell::from("Bash")]);
        assert_eq!(
            text(&table, 40),
            ["layer         tokens  label", "user              12  日本語のとても長…", "tool_results   1,200  Bash"]
        );
        for columns in 0..60 {
            assert!(text(&table, columns).iter().all(|line| width(line) <= columns.max(7)));
        }
    }

    #[test]
    fn rows_that_are_made_as_they_are_written_look_the_same() {
        let head = [("a", Align::Right), ("b", Align::Left)];
        let cells = |number: usize| [Cell::from((number * number).to_string()), Cell::from("x".repeat(number))];
        let mut table = Table::new(&head);
        (0..9).for_each(|number| table.row(cells(number)));
        let mut lines = Vec::new();
        let done: Result<(), ()> = Table::new(&head).stream(
            9,
            || (0..9).map(cells),
            |line| {
                lines.push(line);
                Ok(())
            },
        );
        assert_eq!((done, lines), (Ok(()), table.lines(9)));
        let stopped = table.stream(9, || (0..9).map(cells), |_| Err("full"));
        assert_eq!(stopped, Err("full"));
    }

    #[test]
    fn what_matters_least_is_left_out_whole() {
        let columns = [("name", Align::Left), ("peak", Align::Right), ("sent", Align::Right), ("cost", Align::Right)];
        let mut table = Table::new(&columns).sparing(&["peak", "sent"]);
        table.row(["summarise.at", "170,000", "9,200,000", "$23.42"].map(Cell::from));
        let last = |columns: usize| text(&table, columns).pop().unwrap();
        assert_eq!(last(40), "summarise.at  170,000  9,200,000  $23.42");
        assert_eq!((last(39), last(31)), ("summarise.at  9,200,000  $23.42".to_owned(), last(39)));
        assert_eq!((last(30), table.left_out(30)), ("summarise.at  $23.42".to_owned(), &["peak", "sent"][..]));
        assert!(table.left_out(40).is_empty() && text(&table, 8).iter().all(|line| width(line) <= 8));
    }

    #[test]
    fn cells_cannot_steer_the_terminal() {
        let mut table = Table::new(&[("a", Align::Left)]);
        table.row([Cell::from("x\u{1b}]0;t\u{7}\ny")]);
        assert_eq!(text(&table, 80)[1], "x␛]0;t␇↵y");
    }
}
