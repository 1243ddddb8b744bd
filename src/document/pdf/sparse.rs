//! Tables without lines of which many cells are empty: their reader takes the rows for paragraphs. What tells them is
//! that texts of several lines stand apart in the same columns.

use std::rc::Rc;

use unpdf::model::{Block, InlineContent, Table, TableRow};

use super::lines::{Lines, Placed, solid};
use super::rows::written;

/// Columns and rows of a table at least.
const COLUMNS_LEAST: usize = 3;
const ROWS_LEAST: usize = 3;
/// Of a table's cells, the share that is filled at least, and that may hold an equals sign at most.
const FILLED_LEAST: f32 = 0.4;
const EQUAL_MAX: f32 = 0.2;
/// Characters of a cell.
const CELL_MAX: usize = 60;
/// Words with digits in a paragraph that may be rows, and their share of its words.
const FIGURES_LEAST: usize = 2;
const FIGURES_SHARE: usize = 3;

/// A page's blocks, with the paragraphs that are rows of a table as that, where `all` that may be some are looked at.
pub fn with_tables(blocks: Vec<Block>, all: bool, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    if !all || !blocks.iter().any(may_be_rows) {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    let mut made = Vec::with_capacity(blocks.len());
    let mut run: Vec<(Block, Vec<Cells<'_>>)> = Vec::new();
    for block in blocks {
        match rows(&block, &lines) {
            Some(rows) => run.push((block, rows)),
            None => {
                made.extend(ended(std::mem::take(&mut run)));
                made.push(block);
            }
        }
    }
    made.extend(ended(run));
    made
}

/// The cells of a row: where each begins and ends, and its text.
pub type Cells<'a> = Vec<Vec<&'a Placed>>;

/// Where a cell begins.
pub fn left(cell: &[&Placed]) -> f32 {
    cell.first().map_or(0.0, |text| text.left)
}

/// Where a cell ends.
pub fn right(cell: &[&Placed]) -> f32 {
    cell.last().map_or(0.0, |text| text.right)
}

fn may_be_rows(block: &Block) -> bool {
    let Block::Paragraph(paragraph) = block else { return false };
    if paragraph.heading_level().is_some() || paragraph.is_list_item() {
        return false;
    }
    let text = paragraph.plain_text();
    let (mut words, mut figures) = (0, 0);
    for word in text.split_whitespace() {
        words += 1;
        figures += usize::from(word.contains(|sign: char| sign.is_ascii_digit()));
    }
    figures >= FIGURES_LEAST && figures * FIGURES_SHARE >= words
}

/// A paragraph's lines as cells, where most of them have several.
fn rows<'l>(block: &Block, lines: &'l Lines) -> Option<Vec<Cells<'l>>> {
    let Block::Paragraph(paragraph) = block else { return None };
    // Cells are made of plain text.
    let is_link = |part: &InlineContent| matches!(part, InlineContent::Link { .. });
    if paragraph.heading_level().is_some() || paragraph.is_list_item() || paragraph.content.iter().any(is_link) {
        return None;
    }
    let rows = lines.rows_of(&solid(&paragraph.plain_text()))?;
    let rows: Vec<Cells<'_>> = rows.iter().map(|row| row.cells()).collect();
    let several = rows.iter().filter(|cells| cells.len() > 1).count();
    let is_short = |cell: &Vec<&Placed>| written(cell).chars().count() <= CELL_MAX;
    // A row of one cell may stand between others.
    let is_table = several * 2 >= rows.len() || rows.len() == 1;
    (is_table && rows.iter().flatten().all(is_short)).then_some(rows)
}

/// Paragraphs as a table, with those before and after that are none of its rows; as they are where they are no table.
fn ended(mut run: Vec<(Block, Vec<Cells<'_>>)>) -> Vec<Block> {
    let is_alone = |(_, rows): &(Block, Vec<Cells<'_>>)| rows.iter().all(|cells| cells.len() < 2);
    let before = run.iter().take_while(|one| is_alone(one)).count();
    let after = run.iter().skip(before).rev().take_while(|one| is_alone(one)).count();
    let last = run.split_off(run.len() - after);
    let inner = run.split_off(before);
    let table = table(&inner.iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>());
    let inner = match table {
        Some(table) => vec![Block::Table(table)],
        None => blocks(inner),
    };
    [blocks(run), inner, blocks(last)].concat()
}

fn blocks(run: Vec<(Block, Vec<Cells<'_>>)>) -> Vec<Block> {
    run.into_iter().map(|(block, _)| block).collect()
}

/// Rows as a table, where they are one.
fn table(rows: &[&Cells<'_>]) -> Option<Table> {
    let columns = columns(rows);
    if columns.len() < COLUMNS_LEAST || rows.len() < ROWS_LEAST {
        return None;
    }
    let mut table = Table::with_header(1);
    let (mut filled, mut equal, mut is_full) = (0_usize, 0_usize, false);
    for row in rows {
        let mut cells = vec![String::new(); columns.len()];
        for cell in row.iter() {
            let column = columns.iter().position(|(from, to)| left(cell) < *to && *from < right(cell))?;
            let place = cells.get_mut(column).filter(|place| place.is_empty())?;
            *place = written(cell);
            let says = place.contains(char::is_alphanumeric) || place.trim() == "-";
            // What leads to a page's number is no cell.
            if !says && place.len() > 1 {
                return None;
            }
            filled += 1;
            equal += usize::from(place.contains('='));
        }
        is_full |= cells.iter().all(|cell| !cell.is_empty());
        table.add_row(TableRow::from_strings(cells));
    }
    if let Some(first) = table.rows.first_mut() {
        first.is_header = true;
    }
    let all = rows.len() * columns.len();
    (is_full && share(filled, all) >= FILLED_LEAST && share(equal, filled) <= EQUAL_MAX).then_some(table)
}

#[allow(clippy::cast_precision_loss)]
fn share(part: usize, all: usize) -> f32 {
    part as f32 / all.max(1) as f32
}

/// Where columns begin and end: what stands above each other is one.
fn columns(rows: &[&Cells<'_>]) -> Vec<(f32, f32)> {
    let mut cells: Vec<(f32, f32)> =
        rows.iter().flat_map(|row| row.iter()).map(|cell| (left(cell), right(cell))).collect();
    cells.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut columns: Vec<(f32, f32)> = Vec::new();
    for (from, to) in cells {
        match columns.last_mut().filter(|(_, end)| from < *end) {
            Some((_, end)) => *end = end.max(to),
            None => columns.push((from, to)),
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::span;
    use super::*;
    use unpdf::model::Paragraph;

    fn told(paragraphs: &[&str], texts: &[(&str, f32, f32)]) -> Vec<String> {
        let lines = Lines::of(texts.iter().map(|(text, x, y)| span(text, *x, *y)).collect());
        let blocks = paragraphs.iter().map(|text| Block::Paragraph(Paragraph::with_text(*text))).collect();
        let tell = |block: Block| match block {
            Block::Table(table) => {
                let cells =
                    |row: &TableRow| row.cells.iter().map(|cell| cell.plain_text()).collect::<Vec<_>>().join("|");
                table.rows.iter().map(cells).collect::<Vec<_>>().join("/")
            }
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => String::new(),
        };
        with_tables(blocks, true, || Some(Rc::new(lines))).into_iter().map(tell).collect()
    }

    #[test]
    fn texts_in_the_same_columns_are_a_table() {
        let texts = [
            ("Prepared by Sarah", 72.0, 720.0),
            ("Code", 72.0, 700.0),
            ("Place", 150.0, 700.0),
            ("Count", 230.0, 700.0),
            ("SKU-1", 72.0, 686.0),
            ("A-12", 150.0, 686.0),
            ("B-07", 150.0, 672.0),
            ("289", 232.0, 672.0),
            ("All of it.", 72.0, 640.0),
        ];
        let blocks = ["Prepared by Sarah", "Code Place Count SKU-1 A-12", "B-07 289", "All of it."];
        assert_eq!(
            told(&blocks, &texts),
            ["Prepared by Sarah", "Code|Place|Count/SKU-1|A-12|/|B-07|289", "All of it."]
        );
    }

    #[test]
    fn contents_figures_and_formulas_are_none() {
        let entry = |y: f32| [("Methods", 72.0, y), ("........", 150.0, y), ("12", 330.0, y)];
        let contents: Vec<_> = [700.0, 688.0, 676.0].into_iter().flat_map(entry).collect();
        assert_eq!(told(&["Methods ........ 12 Methods ........ 12 Methods ........ 12"], &contents).len(), 1);
        assert!(!told(&["Methods ........ 12 Methods ........ 12 Methods ........ 12"], &contents)[0].contains('|'));
        let row = |y: f32| [("x = 3", 72.0, y), ("y = 4", 150.0, y), ("(1)", 330.0, y)];
        let formulas: Vec<_> = [700.0, 688.0, 676.0].into_iter().flat_map(row).collect();
        assert!(!told(&["x = 3 y = 4 (1) x = 3 y = 4 (1) x = 3 y = 4 (1)"], &formulas)[0].contains('|'));
    }
}
