//! Where the tables of a page stand on it, found by the texts of their cells.

use std::collections::HashSet;

use unpdf::model::{Block, Table};

use super::lines::{Area, Line, Lines, Placed, middle, solid};

/// Lines of a page that are looked at, and lines in which one row stands.
const LINES_OF_PAGE_MAX: usize = 1_000;
const LINES_OF_ROW_MAX: usize = 30;
/// Of the size of the letters, how far the lines of one cell are below each other at most.
const BELOW_MAX: f32 = 2.5;
/// Texts that are looked at to place the tables of one page.
const STEPS_MAX: usize = 400_000;

/// Where a table stands.
#[derive(Clone)]
pub struct Region {
    /// How high each row stands, with its first line and its last; `None` for one without text.
    pub rows: Vec<Option<(f32, f32)>>,
    /// Where the columns begin and end; `None` for one without a text of its own.
    pub columns: Vec<Option<(f32, f32)>>,
    /// All of it, from its first line to its last.
    pub area: Area,
}

impl Region {
    /// Without its first rows and its last.
    pub fn narrowed(mut self, before: usize, after: usize) -> Region {
        self.rows.truncate(self.rows.len().saturating_sub(after));
        self.rows.drain(..before.min(self.rows.len()));
        let heights = || self.rows.iter().flatten();
        (self.area.top, self.area.bottom) = (
            heights().map(|(top, _)| *top).fold(f32::MIN, f32::max),
            heights().map(|(_, bottom)| *bottom).fold(f32::MAX, f32::min),
        );
        self
    }

    /// How far its rows are below each other, the middle of all.
    pub fn pitch(&self) -> Option<f32> {
        let rows: Vec<&(f32, f32)> = self.rows.iter().flatten().collect();
        middle(rows.windows(2).filter_map(|pair| Some((pair.first()?.1 - pair.get(1)?.0, 1))))
    }
}

/// Where the tables among a page's blocks stand; `None` for what is no table, or is not found whole.
pub fn regions(blocks: &[Block], lines: &Lines) -> Vec<Option<Region>> {
    let lines = lines.all();
    let lines = lines.get(..lines.len().min(LINES_OF_PAGE_MAX)).unwrap_or_default();
    let mut search = Search { lines, used: HashSet::new(), steps: STEPS_MAX };
    blocks
        .iter()
        .map(|block| match block {
            Block::Table(table) => search.region(table),
            _ => None,
        })
        .collect()
}

/// A line of the page, and a text in it.
type Spot = (usize, usize);

/// Where a row stands: its columns with the texts in them.
type Row = Vec<(usize, Vec<Spot>)>;

struct Search<'l> {
    lines: &'l [Line],
    /// What belongs to a table that was found.
    used: HashSet<Spot>,
    steps: usize,
}

impl Search<'_> {
    fn region(&mut self, table: &Table) -> Option<Region> {
        let cells: Vec<Vec<(usize, String, bool)>> = table
            .rows
            .iter()
            .zip(table.cell_columns())
            .map(|(row, columns)| {
                let cells = row.cells.iter().zip(columns);
                let cells = cells.map(|(cell, column)| (column, solid(&cell.plain_text()), cell.colspan <= 1));
                cells.filter(|(_, text, _)| !text.is_empty()).collect()
            })
            .collect();
        let rows = (0..self.lines.len()).find_map(|start| self.rows_from(start, &cells))?;
        let mut region = Region {
            rows: Vec::with_capacity(rows.len()),
            columns: vec![None; table.column_count()],
            area: Area { top: f32::MIN, bottom: f32::MAX, left: f32::MAX, right: f32::MIN },
        };
        for (row, cells) in rows.iter().zip(&cells) {
            let mut heights: Option<(f32, f32)> = None;
            for ((column, spots), (_, _, is_own)) in row.iter().zip(cells) {
                for (y, placed) in spots.iter().filter_map(|spot| self.at(*spot)) {
                    let (top, bottom) = heights.unwrap_or((y, y));
                    heights = Some((top.max(y), bottom.min(y)));
                    if let Some(column) = region.columns.get_mut(*column).filter(|_| *is_own) {
                        let (left, right) = column.unwrap_or((placed.left, placed.right));
                        *column = Some((left.min(placed.left), right.max(placed.right)));
                    }
                    region.area.left = region.area.left.min(placed.left);
                    region.area.right = region.area.right.max(placed.right);
                }
            }
            region.rows.push(heights);
        }
        self.used.extend(rows.into_iter().flatten().flat_map(|(_, spots)| spots));
        Some(region.narrowed(0, 0))
    }

    fn at(&self, (line, text): Spot) -> Option<(f32, &Placed)> {
        let line = self.lines.get(line)?;
        Some((line.y, line.texts.get(text)?))
    }

    /// A table's rows, where the first of them begins in a line and all of them are found.
    fn rows_from(&mut self, start: usize, cells: &[Vec<(usize, String, bool)>]) -> Option<Vec<Row>> {
        let mut taken = HashSet::new();
        let (mut rows, mut from, mut is_first) = (Vec::with_capacity(cells.len()), start, true);
        for cells in cells {
            let mut row: Row = Vec::with_capacity(cells.len());
            for (column, text, _) in cells {
                let spots = self.cell(from, text, &taken)?;
                taken.extend(spots.iter().copied());
                row.push((*column, spots));
            }
            let begins = row.iter().flat_map(|(_, spots)| spots).map(|(line, _)| *line).min();
            if let Some(line) = begins {
                if is_first && line != start || !self.is_in_order(&row) {
                    return None;
                }
                (from, is_first) = (line, false);
            }
            rows.push(row);
        }
        (!is_first).then_some(rows)
    }

    /// Whether a row's cells stand from left to right.
    fn is_in_order(&self, row: &Row) -> bool {
        let lefts = row.iter().filter_map(|(_, spots)| Some(self.at(*spots.first()?)?.1.left));
        lefts.is_sorted()
    }

    /// Where the first text from a line on that is a cell's stands.
    fn cell(&mut self, from: usize, text: &str, taken: &HashSet<Spot>) -> Option<Vec<Spot>> {
        let lines = self.lines;
        for (at, line) in lines.iter().enumerate().skip(from).take(LINES_OF_ROW_MAX) {
            for begin in 0..line.texts.len() {
                self.steps = self.steps.checked_sub(1)?;
                if let Some(spots) = self.cell_at((at, begin), text, taken) {
                    return Some(spots);
                }
            }
        }
        None
    }

    fn cell_at(&self, begin: Spot, text: &str, taken: &HashSet<Spot>) -> Option<Vec<Spot>> {
        let is_free = |spot: &Spot| !taken.contains(spot) && !self.used.contains(spot);
        let (mut rest, mut spots) = (text, Vec::new());
        let (mut at, mut index) = begin;
        let (mut left, mut right) = (f32::MAX, f32::MIN);
        loop {
            let before = spots.len();
            while let Some((_, placed)) = self.at((at, index)).filter(|_| is_free(&(at, index))) {
                let Some(after) = rest.strip_prefix(&placed.text) else { break };
                (left, right) = (left.min(placed.left), right.max(placed.right));
                spots.push((at, index));
                (rest, index) = (after, index + 1);
                if rest.is_empty() {
                    return Some(spots);
                }
            }
            if spots.len() == before {
                return None;
            }
            // It goes on in a line below.
            let above = self.lines.get(at)?;
            let goes_on = |line: &Line| {
                line.texts
                    .iter()
                    .position(|placed| placed.left < right && left < placed.right && rest.starts_with(&placed.text))
            };
            let below = self.lines.iter().enumerate().skip(at + 1);
            let mut near = below.take_while(|(_, line)| above.y - line.y <= above.size.max(line.size) * BELOW_MAX);
            (at, index) = near.find_map(|(at, line)| Some((at, goes_on(line)?)))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use unpdf::model::{TableCell, TableRow};

    use super::super::lines::tests::span;
    use super::*;

    #[test]
    fn tables_are_found_by_their_cells() {
        let mut texts = vec![span("1", 40.0, 760.0), span("What it costs:", 72.0, 720.0)];
        for top in [700.0, 600.0] {
            for (text, x, y) in [
                ("Name", 72.0, 0.0),
                ("Price", 200.0, 0.0),
                ("a long", 72.0, 20.0),
                ("name", 72.0, 32.0),
                ("1", 200.0, 20.0),
                ("both", 72.0, 52.0),
                ("2", 200.0, 46.0),
                ("3", 200.0, 58.0),
            ] {
                texts.push(span(text, x, top - y));
            }
        }
        let lines = Lines::of(texts);
        let mut table = Table::new();
        let strings = |row: [&str; 2]| TableRow::from_strings(row);
        let mut both = strings(["both", "2"]);
        both.cells[0].rowspan = 2;
        let last = TableRow::new(vec![TableCell::text("3")]);
        table.rows = vec![strings(["Name", "Price"]), strings(["a long name", "1"]), both, last];
        let blocks =
            [Block::Table(table.clone()), Block::HorizontalRule, Block::Table(table.clone()), Block::Table(table)];
        let found = regions(&blocks, &lines);
        let tops: Vec<Option<f32>> = found.iter().map(|region| region.as_ref().map(|region| region.area.top)).collect();
        assert_eq!(tops, [Some(700.0), None, Some(600.0), None]);
        let region = found.into_iter().flatten().next().unwrap();
        assert_eq!(region.rows, [(700.0, 700.0), (680.0, 668.0), (654.0, 648.0), (642.0, 642.0)].map(Some));
        assert_eq!(region.columns, [(72.0, 102.0), (200.0, 225.0)].map(Some));
        let region = region.narrowed(1, 1);
        assert_eq!((region.area.top, region.area.bottom, region.rows.len()), (680.0, 648.0, 2));
    }
}
