//! Tables so narrow that their reader takes their rows for lines of words, and their header for a heading. What tells them
//! is that all the texts below the heading begin where its own do.

use std::rc::Rc;

use unpdf::model::{Block, Table, TableRow};

use super::lines::{Lines, Placed, solid};
use super::wrapped::letters;

/// Columns, and rows of several cells, of a table at least.
const COLUMNS_LEAST: usize = 3;
const ROWS_LEAST: usize = 2;
/// Lines of a table.
const LINES_MAX: usize = 200;
/// Of the size of the letters, how far the texts of a column are off each other, and how far lines are below each other.
const OFF: f32 = 0.1;
const BELOW_MAX: f32 = 3.0;
/// Of the distance of rows, how close a cell of several stands to the one above and the one below it at most.
const CLOSE: f32 = 0.75;

/// A page's blocks, with headings and what stands below them as tables where they are such.
pub fn with_narrow(mut blocks: Vec<Block>, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    let may_be_header = |at: &usize| {
        let (Some(Block::Paragraph(heading)), Some(Block::Paragraph(next))) = (blocks.get(*at), blocks.get(at + 1))
        else {
            return false;
        };
        let is_heading = heading.heading_level().is_some() && next.heading_level().is_none();
        is_heading && heading.plain_text().split_whitespace().count() >= COLUMNS_LEAST
    };
    let found: Vec<usize> = (0..blocks.len()).filter(may_be_header).collect();
    if found.is_empty() {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    for at in found.into_iter().rev() {
        if let Some((count, table)) = blocks.get(at..).and_then(|blocks| narrow(blocks, &lines)) {
            blocks.splice(at..at + count, [Block::Table(table)]);
        }
    }
    blocks
}

/// The cells of a line, each with its column.
type Cells<'a> = Vec<(usize, &'a Placed)>;

/// The table that blocks begin with, and how many of them it is.
fn narrow(blocks: &[Block], lines: &Lines) -> Option<(usize, Table)> {
    let Block::Paragraph(heading) = blocks.first()? else { return None };
    let rows = lines.rows_of(&solid(&heading.plain_text()))?;
    let [header] = rows.as_slice() else { return None };
    if header.texts.len() < COLUMNS_LEAST {
        return None;
    }
    let column =
        |text: &Placed| header.texts.iter().position(|over| (over.left - text.left).abs() <= header.size * OFF);
    let mut grid: Vec<(f32, Cells<'_>)> = Vec::new();
    let mut above = header.y;
    for line in lines.below(header.y).take(LINES_MAX) {
        let cells: Option<Cells<'_>> = line.texts.iter().map(|text| Some((column(text)?, text))).collect();
        let Some(cells) = cells.filter(|_| above - line.y <= header.size * BELOW_MAX) else { break };
        above = line.y;
        grid.push((line.y, cells));
    }
    let is_row = |(_, cells): &(f32, Cells<'_>)| cells.len() > 1;
    // What stands alone below all rows is none.
    grid.truncate(grid.iter().rposition(is_row)? + 1);
    let heights: Vec<f32> = grid.iter().filter(|row| is_row(row)).map(|(y, _)| *y).collect();
    let pitch = heights.windows(2).filter_map(|pair| Some(pair.first()? - pair.get(1)?)).reduce(f32::min)?;
    let mut table = Table::with_header(1);
    let mut row: Vec<String> = header.texts.iter().map(|text| text.written.clone()).collect();
    let mut last = header.y;
    for (at, (y, cells)) in grid.iter().enumerate() {
        let next = grid.get(at + 1).map_or(f32::MIN, |(next, _)| *next);
        // One of several rows stands in the middle of them.
        let is_of_several =
            cells.len() == 1 && last - y <= pitch * CLOSE && y - next <= pitch * CLOSE && !table.rows.is_empty();
        if !is_of_several {
            table.add_row(TableRow::from_strings(std::mem::replace(&mut row, vec![String::new(); header.texts.len()])));
            last = *y;
        }
        for (column, text) in cells {
            let cell = row.get_mut(*column).filter(|cell| cell.is_empty())?;
            cell.push_str(&text.written);
        }
    }
    table.add_row(TableRow::from_strings(row));
    table.rows.iter_mut().take(1).for_each(|row| row.is_header = true);
    let all = header.texts.iter().copied().chain(grid.iter().flat_map(|(_, cells)| cells).map(|(_, text)| *text));
    let all = letters(all.map(|text| text.text.as_str()));
    let mut held: Vec<String> = Vec::new();
    let mut size = 0;
    for block in blocks {
        let Block::Paragraph(paragraph) = block else { return None };
        let text = solid(&paragraph.plain_text());
        size += text.chars().count();
        held.push(text);
        if size >= all.len() {
            break;
        }
    }
    let is_it = heights.len() >= ROWS_LEAST && letters(held.iter().map(String::as_str)) == all;
    is_it.then_some((held.len(), table))
}

#[cfg(test)]
mod tests {
    use unpdf::model::Paragraph;

    use super::super::lines::tests::span;
    use super::*;

    fn told(paragraphs: &[&str], texts: &[(&str, f32, f32)]) -> Vec<String> {
        let lines = Lines::of(texts.iter().map(|(text, x, y)| span(text, *x, *y)).collect());
        let heading = Block::Paragraph(Paragraph::heading(paragraphs[0], 2));
        let rest = paragraphs[1..].iter().map(|text| Block::Paragraph(Paragraph::with_text(*text)));
        let cells = |row: &TableRow| row.cells.iter().map(|cell| cell.plain_text()).collect::<Vec<_>>().join("|");
        let tell = |block: Block| match block {
            Block::Table(table) => table.rows.iter().map(cells).collect::<Vec<_>>().join("/"),
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => String::new(),
        };
        let blocks = std::iter::once(heading).chain(rest).collect();
        with_narrow(blocks, || Some(Rc::new(lines))).into_iter().map(tell).collect()
    }

    #[test]
    fn texts_that_begin_where_those_of_a_heading_do_are_a_table() {
        let texts = [
            ("H1", 72.0, 700.0),
            ("H2", 117.0, 700.0),
            ("H3", 132.0, 700.0),
            ("both", 72.0, 673.0),
            ("b1", 117.0, 682.0),
            ("c1", 132.0, 682.0),
            ("b2", 117.0, 664.0),
            ("c2", 132.0, 664.0),
            ("of two columns", 72.0, 646.0),
            ("c3", 132.0, 646.0),
            ("alone", 72.0, 628.0),
            ("It ends.", 70.0, 610.0),
        ];
        let blocks = ["H1 H2 H3", "b1 c1", "both", "b2 c2", "of two columns c3", "alone", "It ends."];
        let table = "H1|H2|H3/both|b1|c1/|b2|c2/of two columns||c3";
        assert_eq!(told(&blocks, &texts), [table, "alone", "It ends."]);
        // Not where they begin elsewhere.
        let mut moved = texts;
        moved[4].1 = 115.0;
        assert_eq!(told(&blocks, &moved).len(), blocks.len());
    }
}
