//! What stands around tables, and that their reader misplaces: lines above and below one that it joined to one paragraph,
//! took for rows of it, or, where they are its header, for a heading.

use std::rc::Rc;

use unpdf::model::{Block, Paragraph, Table, TableCell, TableRow};

use super::items::parted;
use super::lines::{Area, Lines, Placed, middle, solid, without_mark};
use super::parting::ENDS;
use super::region::{Region, regions};
use super::rows::{Row, written};

/// How much further from a table than its rows from each other a line stands that is none of them.
const FURTHER: f32 = 1.3;
/// The same for a header, which may stand off.
const HEADER_FURTHER: f32 = 1.6;
/// Of the size of the letters, how far the texts of a column are off its edges or its middle.
const OFF: f32 = 0.5;
/// Of the size of the letters, how far lines are below each other that are no more of one heading.
const HEADING_APART: f32 = 2.5;
/// Columns over which a header stands, at least.
const COLUMNS_LEAST: usize = 2;

/// A page's blocks, with what stands around tables in its place: with `all` around any, else where a block tells that there
/// may be something.
pub fn with_around(blocks: Vec<Block>, all: bool, lines: impl FnOnce() -> Option<Rc<Lines>>) -> Vec<Block> {
    let is_found = if all { blocks.iter().any(is_table) } else { may_be_misplaced(&blocks) };
    if !is_found {
        return blocks;
    }
    let Some(lines) = lines() else { return blocks };
    let regions = regions(&blocks, &lines);
    let parts: Vec<Part> = blocks.into_iter().zip(regions).flat_map(without_lines).collect();
    parted_around(with_headers(parts, &lines), &lines)
}

fn is_table(block: &Block) -> bool {
    matches!(block, Block::Table(_))
}

fn paragraph(block: &Block) -> Option<&Paragraph> {
    match block {
        Block::Paragraph(paragraph) => Some(paragraph),
        _ => None,
    }
}

/// Whether a table ends with rows of one cell, stands behind a heading, or ends the page behind a text.
fn may_be_misplaced(blocks: &[Block]) -> bool {
    let is_misplaced = |(at, block): (usize, &Block)| {
        let Block::Table(table) = block else { return false };
        let before = at.checked_sub(1).and_then(|before| blocks.get(before)).and_then(paragraph);
        let is_last = blocks.iter().skip(at).all(is_table);
        let [first, .., last] = table.rows.as_slice() else { return false };
        is_alone(first) || is_alone(last) || before.is_some_and(|before| is_last || before.heading_level().is_some())
    };
    blocks.iter().enumerate().any(is_misplaced)
}

/// A block, and where it stands if it is a table.
type Part = (Block, Option<Region>);

/// The one cell of a row that is filled, in the first column or with several words, and is one of its column.
fn alone(row: &TableRow) -> Option<&TableCell> {
    let mut filled = row.cells.iter().enumerate().filter(|(_, cell)| !cell.plain_text().trim().is_empty());
    let (Some((column, cell)), None) = (filled.next(), filled.next()) else { return None };
    let is_text = column == 0 || cell.plain_text().split_whitespace().count() > 1;
    (row.cells.len() > 1 && cell.colspan <= 1 && is_text).then_some(cell)
}

fn is_alone(row: &TableRow) -> bool {
    alone(row).is_some()
}

/// A table without lines that stand further from it than its rows do from each other, and those before and after it.
fn without_lines(part: Part) -> Vec<Part> {
    let (mut table, region) = match part {
        (Block::Table(table), Some(region)) => (table, region),
        (block, _) => return vec![(block, None)],
    };
    let (first, last) = ends(&table, &region);
    let headed = table.header_rows > 0;
    let after = table.rows.split_off(last);
    let rows = table.rows.split_off(first);
    let before = std::mem::replace(&mut table.rows, rows);
    if headed && first > 0 {
        mark_header(&mut table);
    }
    let region = region.narrowed(first, after.len());
    let texts = |row: &TableRow| alone(row).map(|cell| cell.content.clone()).unwrap_or_default();
    let lines = |rows: Vec<TableRow>| rows.into_iter().flat_map(|row| texts(&row));
    let paragraph = |paragraph| (Block::Paragraph(paragraph), None);
    let mut parts: Vec<Part> = lines(before).map(paragraph).collect();
    parts.push((Block::Table(table), Some(region)));
    parts.extend(lines(after).map(paragraph));
    parts
}

/// Where the rows of a table begin and end that are none of those lines.
fn ends(table: &Table, region: &Region) -> (usize, usize) {
    let rows = &table.rows;
    let before = rows.iter().take_while(|row| is_alone(row)).count();
    let after = rows.len() - rows.iter().skip(before).rev().take_while(|row| is_alone(row)).count();
    let height = |row: usize| region.rows.get(row).copied().flatten();
    let below = |row: usize| Some(height(row.checked_sub(1)?)?.1 - height(row)?.0);
    let pitches = (before + 1..after).filter_map(below).map(|pitch| (pitch, 1));
    let Some(pitch) = middle(pitches) else { return (0, rows.len()) };
    let is_apart = |row: &usize| below(*row).is_some_and(|below| below > pitch * FURTHER);
    let first = (1..=before).rev().find(is_apart).unwrap_or(0);
    (first, (after..rows.len()).find(is_apart).unwrap_or(rows.len()))
}

/// Makes the first row of a table its header, and no other.
fn mark_header(table: &mut Table) {
    table.header_rows = 1;
    for (at, row) in table.rows.iter_mut().enumerate() {
        row.is_header = at == 0;
    }
}

/// The parts with headings that are the header of the table below them as its first row.
fn with_headers(parts: Vec<Part>, lines: &Lines) -> Vec<Part> {
    let mut made: Vec<Part> = Vec::with_capacity(parts.len());
    for mut part in parts {
        if let (Block::Table(table), Some(region)) = &mut part
            && let Some((Block::Paragraph(heading), _)) = made.last()
            && let Some((cells, y)) = header(heading, region, lines)
        {
            table.rows.insert(0, TableRow::from_strings(cells));
            mark_header(table);
            region.rows.insert(0, Some((y, y)));
            region.area.top = y;
            made.pop();
        }
        made.push(part);
    }
    made
}

/// The cells of a heading right above a table whose texts stand over its columns, and how high it stands.
fn header(heading: &Paragraph, region: &Region, lines: &Lines) -> Option<(Vec<String>, f32)> {
    heading.heading_level()?;
    let rows = lines.rows_of(&solid(&heading.plain_text()))?;
    let [row] = rows.as_slice() else { return None };
    let below = row.y - region.area.top;
    if below <= 0.0 || below > region.pitch()? * HEADER_FURTHER {
        return None;
    }
    let mut cells: Vec<Vec<&Placed>> = vec![Vec::new(); region.columns.len()];
    for text in &row.texts {
        let is_over = |(left, right): &(f32, f32)| text.left < *right && *left < text.right;
        let mut over = region.columns.iter().enumerate().filter(|(_, column)| column.as_ref().is_some_and(is_over));
        let (Some((column, _)), None) = (over.next(), over.next()) else { return None };
        cells.get_mut(column)?.push(text);
    }
    let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
    let is_aligned = |(cell, column): (&Vec<&Placed>, &Option<(f32, f32)>)| {
        let (Some(first), Some(last), Some((left, right))) = (cell.first(), cell.last(), column) else {
            return cell.is_empty();
        };
        let near = |one: f32, other: f32| (one - other).abs() <= row.size * OFF;
        let middle = f32::midpoint(first.left, last.right);
        near(first.left, *left) || near(last.right, *right) || near(middle, f32::midpoint(*left, *right))
    };
    let is_header =
        filled >= COLUMNS_LEAST && filled * 2 > cells.len() && cells.iter().zip(&region.columns).all(is_aligned);
    is_header.then(|| (cells.iter().map(|cell| written(cell)).collect(), row.y))
}

/// The blocks, with paragraphs that a table stands within as those above and below it, and the table between them.
fn parted_around(parts: Vec<Part>, lines: &Lines) -> Vec<Block> {
    let areas: Vec<Area> = parts.iter().filter_map(|(_, region)| Some(region.as_ref()?.area)).collect();
    if areas.is_empty() {
        return parts.into_iter().map(|(block, _)| block).collect();
    }
    // For each paragraph, where its parts begin, and the tables before these.
    let mut cuts: Vec<Vec<(usize, Vec<usize>)>> = Vec::with_capacity(parts.len());
    let mut moved = vec![false; parts.len()];
    for at in 0..parts.len() {
        let found = cuts_of(at, &parts, &areas, lines, &moved);
        found
            .iter()
            .flat_map(|(_, tables)| tables)
            .for_each(|table| moved.iter_mut().skip(*table).take(1).for_each(|is| *is = true));
        cuts.push(found);
    }
    let mut blocks: Vec<Option<Block>> = parts.into_iter().map(|(block, _)| Some(block)).collect();
    let mut made = Vec::with_capacity(blocks.len());
    for (at, cuts) in cuts.into_iter().enumerate() {
        if moved.get(at).copied().unwrap_or_default() {
            continue;
        }
        match blocks.get_mut(at).and_then(Option::take) {
            Some(Block::Paragraph(paragraph)) if !cuts.is_empty() => {
                let starts: Vec<usize> = cuts.iter().map(|(start, _)| *start).collect();
                let mut parts = parted(paragraph, &starts).into_iter();
                made.extend(parts.next().map(Block::Paragraph));
                for (mut part, (_, tables)) in parts.zip(cuts) {
                    part.style.list_info = None;
                    made.extend(tables.into_iter().filter_map(|table| blocks.get_mut(table)?.take()));
                    made.push(Block::Paragraph(part));
                }
            }
            Some(block) => made.push(block),
            None => {}
        }
    }
    made
}

/// Where in a paragraph's text without white space its parts begin that stand below tables, and which of the tables that
/// are not moved yet stand right above each.
fn cuts_of(at: usize, parts: &[Part], areas: &[Area], lines: &Lines, moved: &[bool]) -> Vec<(usize, Vec<usize>)> {
    let Some(paragraph) = parts.get(at).and_then(|(block, _)| paragraph(block)) else { return Vec::new() };
    let Some(rows) = lines.rows_around(&solid(&without_mark(paragraph)), areas) else { return Vec::new() };
    let left = rows.iter().map(Row::left).fold(f32::MAX, f32::min);
    let right = rows.iter().map(Row::right).fold(f32::MIN, f32::max);
    let is_heading = paragraph.heading_level().is_some();
    // A table in another column is none of it. No heading is so high.
    let is_its = |table: usize, area: &Area| {
        if is_heading {
            return true;
        }
        let between = parts.get(at.min(table) + 1..at.max(table)).unwrap_or_default();
        area.left < right && left < area.right || between.iter().all(|(block, _)| is_table(block))
    };
    let tables: Vec<(usize, Area)> = parts
        .iter()
        .enumerate()
        .filter_map(|(index, (_, region))| Some((index, region.as_ref()?.area)))
        .filter(|(index, area)| moved.get(*index) == Some(&false) && is_its(*index, area))
        .collect();
    let most = lines.right_of_all();
    let cut = |pair: &[Row<'_>]| {
        let [above, row] = pair else { return None };
        let mut between: Vec<&(usize, Area)> =
            tables.iter().filter(|(_, area)| area.is_between(above.y, row.y)).collect();
        let is_high = above.y - row.y > above.size.max(row.size) * HEADING_APART;
        if between.is_empty() || if is_heading { !is_high } else { goes_on(above, row, most) } {
            return None;
        }
        between.sort_by(|one, other| other.1.top.total_cmp(&one.1.top));
        Some((row.start, between.into_iter().map(|(index, _)| *index).collect()))
    };
    rows.windows(2).filter_map(cut).collect()
}

/// Whether a sentence goes on from one line to the next, which has no room for its next word.
fn goes_on(above: &Row<'_>, row: &Row<'_>, right: f32) -> bool {
    let has_room = above.right() + row.first_word() + row.size < right;
    !has_room && !above.solid().ends_with(ENDS) && row.solid().starts_with(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use unpdf::model::ListInfo;

    use super::super::lines::tests::span;
    use super::*;

    /// What blocks become whose texts stand so.
    fn told(blocks: &[Block], texts: &[(&str, f32, f32)]) -> Vec<String> {
        let lines = Lines::of(texts.iter().map(|(text, x, y)| span(text, *x, *y)).collect());
        let cells = |row: &TableRow| row.cells.iter().map(|cell| cell.plain_text()).collect::<Vec<_>>().join("|");
        let tell = |block: Block| match block {
            Block::Table(table) => table.rows.iter().map(cells).collect::<Vec<_>>().join("/"),
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => String::new(),
        };
        with_around(blocks.to_vec(), true, || Some(Rc::new(lines))).into_iter().map(tell).collect()
    }

    fn text(text: &str) -> Block {
        Block::Paragraph(Paragraph::with_text(text))
    }

    fn table(rows: &[&[&str]]) -> Block {
        let mut table = Table::with_header(1);
        table.rows = rows.iter().map(|cells| TableRow::from_strings(cells.iter().copied())).collect();
        Block::Table(table)
    }

    /// The texts of a table whose first line stands so high.
    fn placed(top: f32) -> Vec<(&'static str, f32, f32)> {
        let rows = [["Name", "Price"], ["Pump", "12"], ["Rotor", "140"]];
        let heights = [top, top - 18.0, top - 36.0];
        let row = |(row, y): ([&'static str; 2], f32)| [(row[0], 75.0, y), (row[1], 130.0, y)];
        rows.into_iter().zip(heights).flat_map(row).collect()
    }

    const ROWS: [&[&str]; 3] = [&["Name", "Price"], &["Pump", "12"], &["Rotor", "140"]];
    const TABLE: &str = "Name|Price/Pump|12/Rotor|140";

    #[test]
    fn lines_around_tables_stand_above_and_below_them() {
        let lines = [("Invoice 4711", 72.0, 727.0), ("Total: 152.00", 72.0, 637.0), ("Thanks", 72.0, 537.0)];
        let texts = [&lines[..], &placed(700.0), &placed(600.0)].concat();
        let joined = "Invoice 4711 Total: 152.00 Thanks";
        let right = ["Invoice 4711", TABLE, "Total: 152.00", TABLE, "Thanks"];
        assert_eq!(told(&[text(joined), table(&ROWS), table(&ROWS)], &texts), right);
        // The last of an item, too, and as it is where they are apart.
        let Block::Paragraph(mut item) = text("Invoice 4711 Total: 152.00 Thanks") else { panic!() };
        item.style.list_info = Some(ListInfo::bullet(0));
        let item = told(&[Block::Paragraph(item), table(&ROWS), table(&ROWS)], &texts);
        assert_eq!(item, ["• Invoice 4711", TABLE, "Total: 152.00", TABLE, "Thanks"]);
        let apart = [text(lines[0].0), table(&ROWS), text(lines[1].0), table(&ROWS), text(lines[2].0)];
        assert_eq!(told(&apart, &texts), right);
        // And two headings.
        let heading = Block::Paragraph(Paragraph::heading("Invoice 4711 Total: 152.00", 2));
        let headings = told(&[heading, table(&ROWS), table(&ROWS), text("Thanks")], &texts);
        assert_eq!(headings, right);
    }

    #[test]
    fn a_sentence_that_goes_on_below_a_table_stays_one_and_a_column_beside_it_too() {
        let above = "The pump has more parts than what is told of here, of which";
        let below = "all are old.";
        let texts = [&[(above, 72.0, 727.0), (below, 72.0, 637.0)][..], &placed(700.0)].concat();
        let joined = format!("{above} {below}");
        assert_eq!(told(&[text(&joined), table(&ROWS)], &texts), [&joined, TABLE]);
        let column = [("Left one", 10.0, 727.0), ("Left two", 10.0, 637.0), ("Right", 75.0, 727.0)];
        let texts = [&column[..], &placed(700.0)].concat();
        let blocks = [text("Left one Left two"), text("Right"), table(&ROWS)];
        assert_eq!(told(&blocks, &texts), ["Left one Left two", "Right", TABLE]);
    }

    #[test]
    fn lines_that_stand_off_are_no_rows() {
        let lines = [("Before", 72.0, 745.0), ("it", 72.0, 727.0), ("After", 72.0, 637.0)];
        let texts = [&lines[..], &placed(700.0)].concat();
        let rows = [&[&["Before", ""][..], &["it", ""]], &ROWS[..], &[&["After", ""]]].concat();
        assert_eq!(told(&[table(&rows)], &texts), ["Before", "it", TABLE, "After"]);
        // Where they stand over another column they say more than a cell does.
        for (title, is_row) in [("Table 1", false), ("12", true)] {
            let texts = [&[(title, 130.0, 727.0)][..], &placed(700.0)].concat();
            let found = told(&[table(&[&[&["", title][..]], &ROWS[..]].concat())], &texts);
            assert_eq!(found.len() == 1, is_row, "{found:?}");
        }
        // As far apart as the others they are.
        let lines = [("Before", 72.0, 718.0), ("After", 72.0, 646.0)];
        let texts = [&lines[..], &placed(700.0)].concat();
        let rows = [&[&["Before", ""][..]], &ROWS[..], &[&["After", ""]]].concat();
        assert_eq!(told(&[table(&rows)], &texts), [format!("Before|/{TABLE}/After|")]);
    }

    #[test]
    fn a_heading_over_the_columns_of_a_table_is_its_header() {
        let heading = |text: &str| Block::Paragraph(Paragraph::heading(text, 3));
        let texts = placed(700.0);
        assert_eq!(told(&[heading("Name Price"), table(&ROWS[1..])], &texts), [TABLE]);
        // Over one of them, far above it, or over both with one text it is none.
        for (text, x, y) in [("Pumps", 75.0, 700.0), ("Parts of pumps", 75.0, 700.0)] {
            let texts = [&[(text, x, y)][..], &texts[2..]].concat();
            assert_eq!(told(&[heading(text), table(&ROWS[1..])], &texts).len(), 2);
        }
        let mut far = texts;
        far[..2].iter_mut().for_each(|text| text.2 = 760.0);
        assert_eq!(told(&[heading("Name Price"), table(&ROWS[1..])], &far).len(), 2);
    }
}
