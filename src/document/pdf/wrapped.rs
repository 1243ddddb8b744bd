//! Tables without lines whose cells go on in further lines: their reader takes them for paragraphs, line by line across
//! all columns. What tells them is that nothing stands across their columns, and that one column never wraps.

use std::rc::Rc;

use unpdf::model::{Block, InlineContent, Paragraph, Table, TableRow};

use super::items::holds_numbers;
use super::lines::{Line, Lines, solid};
use super::parting::ENDS;
use super::rows::{apart, written};
use super::sparse::{Cells, left, right};

/// Columns and rows of a table at least.
const COLUMNS_LEAST: usize = 3;
const ROWS_LEAST: usize = 3;
/// Lines of a page and of a table that are looked at, and those of a table's that show all its columns.
const LINES_OF_PAGE_MAX: usize = 2_000;
const LINES_OF_TABLE_MAX: usize = 400;
const FIRST_LINES: usize = 3;
/// Lines of a row, and characters of a cell.
const LINES_MAX: usize = 20;
const CELL_MAX: usize = 600;
/// Characters of a cell in the column that never wraps, on average.
const SHORT_MAX: usize = 24;
/// Of a table's cells, the share that is filled at least, in percent.
const FILLED_LEAST: usize = 60;
/// Of the size of the letters, how far lines of one table are below each other at most, and how unlike its letters are.
const BELOW_MAX: f32 = 4.0;
const UNLIKE_MAX: f32 = 0.15;
/// How much further than the lines of a row rows are below each other.
const MORE: f32 = 1.15;
/// Paragraphs that end within a sentence, of a page that is looked at.
const UNENDED_LEAST: usize = 2;

/// A page's blocks, with paragraphs that are such a table as that, where `all` that may be one are looked at.
pub fn with_wrapped(mut blocks: Vec<Block>, all: bool, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    if !all || !may_hold_rows(&blocks) {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    let lines = lines.all().get(..lines.all().len().min(LINES_OF_PAGE_MAX)).unwrap_or_default();
    let mut from = 0;
    while let Some(rest) = lines.get(from..).filter(|rest| !rest.is_empty()) {
        let region = Region::first_of(rest);
        let is_found = region.table().is_some_and(|table| put(&mut blocks, &region.letters(), table));
        from += if is_found { region.rows.len() } else { 1 };
    }
    blocks
}

fn plain(block: &Block) -> Option<&Paragraph> {
    let Block::Paragraph(paragraph) = block else { return None };
    // Cells are made of plain text.
    let is_link = |part: &InlineContent| matches!(part, InlineContent::Link { .. });
    let is_text = paragraph.heading_level().is_none() && !paragraph.is_list_item();
    Some(paragraph).filter(|paragraph| is_text && !paragraph.content.iter().any(is_link))
}

fn may_hold_rows(blocks: &[Block]) -> bool {
    let texts = || blocks.iter().filter_map(plain).map(Paragraph::plain_text);
    let is_unended = |text: &String| !text.trim_end().ends_with(ENDS);
    texts().filter(is_unended).count() >= UNENDED_LEAST || texts().any(|text| holds_numbers(&text))
}

/// Lines that stand in the same columns.
#[derive(Default)]
struct Region<'a> {
    /// How high each stands, and its cells.
    rows: Vec<(f32, Cells<'a>)>,
    /// Where the columns begin and end, from left to right.
    columns: Vec<(f32, f32)>,
}

impl<'a> Region<'a> {
    /// The lines from the first on, as far as nothing stands across their columns.
    fn first_of(lines: &'a [Line]) -> Region<'a> {
        let mut region = Region::default();
        let mut last: Option<&Line> = None;
        for line in lines.iter().take(LINES_OF_TABLE_MAX) {
            let is_next = last.is_none_or(|last| {
                let is_like = (line.size - last.size).abs() <= last.size * UNLIKE_MAX;
                is_like && last.y - line.y <= last.size * BELOW_MAX
            });
            let cells = apart(line.texts.iter(), line.size);
            let Some(columns) = joined(&region.columns, &cells).filter(|_| is_next) else { break };
            region.columns = columns;
            region.rows.push((line.y, cells));
            if region.rows.len() >= FIRST_LINES && region.columns.len() < COLUMNS_LEAST {
                break;
            }
            last = Some(line);
        }
        // What stands alone below the first column is none of its rows.
        while region.rows.last().is_some_and(|(_, cells)| cells.len() == 1 && region.begins(cells)) {
            region.rows.pop();
        }
        region
    }

    /// Whether a line's cells begin in the first column.
    fn begins(&self, cells: &Cells<'_>) -> bool {
        let end = self.columns.first().map_or(0.0, |(_, end)| *end);
        cells.first().is_some_and(|cell| left(cell) < end)
    }

    /// The letters of its texts, in order.
    fn letters(&self) -> Vec<char> {
        letters(self.rows.iter().flat_map(|(_, cells)| cells).flatten().map(|placed| placed.text.as_str()))
    }

    /// It as a table, where it is one.
    fn table(&self) -> Option<Table> {
        [self.by_room(), self.by_first()].into_iter().find_map(|starts| self.with_rows(&starts))
    }

    /// Where rows begin that stand further apart than their lines do.
    fn by_room(&self) -> Vec<usize> {
        let below: Vec<f32> = self.rows.windows(2).filter_map(|pair| Some(pair.first()?.0 - pair.get(1)?.0)).collect();
        let least = below.iter().copied().fold(f32::MAX, f32::min);
        let begins = below.iter().enumerate().filter(|(_, below)| **below > least * MORE).map(|(at, _)| at + 1);
        std::iter::once(0).chain(begins).collect()
    }

    /// Where rows begin of which each fills the first column in its first line.
    fn by_first(&self) -> Vec<usize> {
        let begins = |(at, (_, cells)): (usize, &(f32, Cells<'_>))| (at == 0 || self.begins(cells)).then_some(at);
        self.rows.iter().enumerate().filter_map(begins).collect()
    }

    /// Its lines as a table whose rows begin with these, where they are one.
    fn with_rows(&self, starts: &[usize]) -> Option<Table> {
        let count = self.columns.len();
        if count < COLUMNS_LEAST || starts.len() < ROWS_LEAST || starts.len() == self.rows.len() {
            return None;
        }
        let ends = starts.iter().copied().skip(1).chain([self.rows.len()]);
        let (mut table, mut filled) = (Table::with_header(1), 0);
        // Of each column, the lines of its highest cell, and its characters.
        let mut sizes = vec![(0_usize, 0_usize); count];
        for (from, to) in starts.iter().copied().zip(ends) {
            let mut row = vec![(0, String::new()); count];
            for cell in self.rows.get(from..to)?.iter().flat_map(|(_, cells)| cells) {
                let column = self.columns.iter().position(|(from, to)| left(cell) < *to && *from < right(cell))?;
                let (lines, text) = row.get_mut(column)?;
                *lines += 1;
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(&written(cell));
            }
            let of_row = row.iter().filter(|(_, text)| !text.is_empty()).count();
            let is_cell = |(lines, text): &(usize, String)| {
                // What leads to a page's number is no cell, and a formula's parts are none.
                let says = text.len() < 2 || text.contains(char::is_alphanumeric);
                *lines <= LINES_MAX && text.len() <= CELL_MAX && says && !text.contains('=')
            };
            if of_row < 2 || row.first().is_some_and(|(_, text)| text.is_empty()) || !row.iter().all(is_cell) {
                return None;
            }
            filled += of_row;
            for ((lines, text), (most, chars)) in row.iter().zip(&mut sizes) {
                *most = (*most).max(*lines);
                *chars += text.chars().count();
            }
            table.add_row(TableRow::from_strings(row.into_iter().map(|(_, text)| text)));
        }
        if let Some(first) = table.rows.first_mut() {
            first.is_header = true;
        }
        let is_short = |(lines, chars): &(usize, usize)| *lines == 1 && *chars <= SHORT_MAX * starts.len();
        let is_filled = filled * 100 >= starts.len() * count * FILLED_LEAST;
        let wraps = sizes.iter().any(|(lines, _)| *lines > 1);
        (is_filled && wraps && sizes.iter().any(is_short)).then_some(table)
    }
}

/// Columns with the cells of a further line; `None` where one stands across them, or two in one.
fn joined(columns: &[(f32, f32)], cells: &Cells<'_>) -> Option<Vec<(f32, f32)>> {
    let mut columns = columns.to_vec();
    let mut taken: Vec<(f32, f32)> = Vec::new();
    for cell in cells {
        let (mut from, mut to) = (left(cell), right(cell));
        let mut shared = columns.iter().enumerate().filter(|(_, column)| from < column.1 && column.0 < to);
        match (shared.next(), shared.next()) {
            (Some((at, column)), None) => {
                (from, to) = (from.min(column.0), to.max(column.1));
                columns.remove(at);
            }
            (None, _) => {}
            _ => return None,
        }
        if taken.iter().any(|(begin, end)| from < *end && *begin < to) {
            return None;
        }
        taken.push((from, to));
        columns.push((from, to));
    }
    columns.sort_by(|one, other| one.0.total_cmp(&other.0));
    Some(columns)
}

/// Puts a table in place of the blocks that hold its letters, in whatever order, and no others; whether there are such.
fn put(blocks: &mut Vec<Block>, text: &[char], table: Table) -> bool {
    let solids: Vec<Option<String>> =
        blocks.iter().map(|block| plain(block).map(|paragraph| solid(&paragraph.plain_text()))).collect();
    let holds = |from: usize| {
        let mut size = 0;
        for (at, solid) in solids.iter().enumerate().skip(from) {
            size += solid.as_ref()?.chars().count();
            if size >= text.len() {
                let found = solids.get(from..=at)?.iter().flatten().map(String::as_str);
                return (size == text.len() && letters(found) == text).then_some(from..=at);
            }
        }
        None
    };
    let found = (0..solids.len()).find_map(holds);
    let is_found = found.is_some();
    if let Some(range) = found {
        blocks.splice(range, [Block::Table(table)]);
    }
    is_found
}

/// The letters of texts, in order.
pub fn letters<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<char> {
    let mut letters: Vec<char> = texts.flat_map(str::chars).collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;

    /// What paragraphs become whose texts stand so.
    fn told(paragraphs: &[&str], texts: &[(&str, f32, f32)]) -> Vec<String> {
        let lines = Lines::of(texts.iter().map(|(text, x, y)| span(text, *x, *y)).collect());
        let blocks = paragraphs.iter().map(|text| Block::Paragraph(Paragraph::with_text(*text))).collect();
        let cells = |row: &TableRow| row.cells.iter().map(|cell| cell.plain_text()).collect::<Vec<_>>().join("|");
        let tell = |block: Block| match block {
            Block::Table(table) => table.rows.iter().map(cells).collect::<Vec<_>>().join("/"),
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => String::new(),
        };
        with_wrapped(blocks, true, || Some(Rc::new(lines))).into_iter().map(tell).collect()
    }

    const BEFORE: (&str, f32, f32) = ("These are the parts of the pump, and what they cost to replace.", 72.0, 730.0);

    #[test]
    fn rows_of_which_a_cell_goes_on_are_a_table() {
        let texts = [
            BEFORE,
            ("Part", 72.0, 700.0),
            ("What it does", 130.0, 700.0),
            ("Price", 300.0, 700.0),
            ("Valve", 72.0, 682.0),
            ("Lets the water in", 130.0, 682.0),
            ("12.50", 300.0, 682.0),
            ("and keeps it in", 130.0, 670.0),
            ("Rotor", 72.0, 652.0),
            ("Turns", 130.0, 652.0),
            ("140", 310.0, 652.0),
        ];
        let rows = ["Part What it does Price Valve Lets the water in 12.50", "and keeps it in", "Rotor Turns 140"];
        let all = [&[BEFORE.0], &rows[..]].concat();
        let table = "Part|What it does|Price/Valve|Lets the water in and keeps it in|12.50/Rotor|Turns|140";
        assert_eq!(told(&all, &texts), [BEFORE.0, table]);
        // Rows that stand no further apart than their lines begin where the first column is filled.
        let close = texts.iter().map(|(text, x, y)| {
            let lines = [730.0, 700.0, 682.0, 670.0, 652.0].iter().position(|line| line == y).unwrap();
            (*text, *x, [730.0, 700.0, 688.0, 676.0, 664.0][lines])
        });
        assert_eq!(told(&all, &close.collect::<Vec<_>>()), [BEFORE.0, table]);
        // A number before each is none of a list's, and what stands in the middle of its row is of it.
        let middle = [
            ("1", 72.0, 700.0),
            ("Lets the water in", 130.0, 706.0),
            ("and keeps it in", 130.0, 694.0),
            ("12.50", 300.0, 700.0),
            ("2", 72.0, 670.0),
            ("Turns the shaft", 130.0, 676.0),
            ("on and on", 130.0, 664.0),
            ("140", 300.0, 670.0),
            ("3", 72.0, 640.0),
            ("Keeps the oil", 130.0, 646.0),
            ("where it is", 130.0, 634.0),
            ("3.20", 300.0, 640.0),
        ];
        let rows = [
            "Lets the water in 1 12.50 and keeps it in Turns the shaft 2",
            "140 on and on",
            "Keeps the oil 3 where it is 3.20",
        ];
        let table = "1|Lets the water in and keeps it in|12.50/2|Turns the shaft on and on|140/3|Keeps the oil where it is|3.20";
        assert_eq!(told(&rows, &middle), [table]);
    }

    #[test]
    fn columns_of_prose_and_what_is_more_than_its_blocks_are_none() {
        let line =
            |y: f32| [("the winter was so", 72.0, y), ("long and cold that", 200.0, y), ("no ship came in", 330.0, y)];
        let prose: Vec<_> = [700.0, 688.0, 676.0, 658.0, 646.0, 628.0, 616.0].into_iter().flat_map(line).collect();
        let columns = ["the winter was so ".repeat(7), "long and cold that ".repeat(7), "no ship came in ".repeat(7)];
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        assert_eq!(told(&columns, &prose).len(), 3);
        let texts = [
            ("A", 72.0, 700.0),
            ("one", 130.0, 700.0),
            ("1", 300.0, 700.0),
            ("B", 72.0, 682.0),
            ("two", 130.0, 682.0),
            ("2", 300.0, 682.0),
            ("more", 130.0, 670.0),
            ("C", 72.0, 652.0),
            ("three", 130.0, 652.0),
            ("3", 300.0, 652.0),
        ];
        assert_eq!(told(&["A one 1 B two 2 more", "C three 3"], &texts).len(), 1);
        assert_eq!(told(&["A one 1 B two 2 more", "C three 3 and else"], &texts).len(), 2);
    }
}
