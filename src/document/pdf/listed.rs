//! Lists and paragraphs that the PDF's reader took for tables: marks in a column of their own, each with its text beside
//! it, and texts beside which nothing is filled in.

use unpdf::model::{Block, ListInfo, Paragraph, Table, TableCell};

/// Marks below this are no list.
const LEAST: usize = 2;
/// Signs that stand before an item for themselves.
const BULLETS: &[&str] = &["•", "●", "○", "◦", "▪", "■", "–", "-", "*"];

/// A list as its items, and what stands over them as paragraphs; so are texts behind nothing. A table as it is.
pub(super) fn listed(block: Block) -> Vec<Block> {
    if let Block::Table(table) = &block
        && let Some(paragraphs) = alone(table)
    {
        return paragraphs;
    }
    let rows = match &block {
        Block::Table(table) => list_rows(table),
        _ => None,
    };
    let Some(rows) = rows else { return vec![block] };
    let first = rows.iter().map(|(mark, _)| mark).find(|mark| !mark.is_empty()).cloned().unwrap_or_default();
    let mut made: Vec<(&str, String)> = Vec::new();
    for (at, (mark, text)) in rows.iter().enumerate() {
        // Where the numbers begin anew, what stands before them is what the next ones are under.
        let begins_anew = rows.get(at + 1).is_some_and(|(next, _)| *next == first) && !BULLETS.contains(&&*first);
        match made.last_mut().filter(|(last, _)| mark.is_empty() && !last.is_empty() && !begins_anew) {
            Some((_, item)) => {
                item.push(' ');
                item.push_str(text);
            }
            None => made.push((mark, text.clone())),
        }
    }
    made.into_iter().map(|(mark, text)| Block::Paragraph(item(mark, text))).collect()
}

/// The texts of a table of which one column alone is filled. Where that is the first, they are what others belong to that
/// are yet to be filled in.
fn alone(table: &Table) -> Option<Vec<Block>> {
    let is_filled = |cell: &TableCell| !cell.plain_text().trim().is_empty();
    let cells = || table.rows.iter().flat_map(|row| row.cells.iter().enumerate()).filter(|(_, cell)| is_filled(cell));
    let (column, _) = cells().next()?;
    let is_alone = column > 0 && cells().all(|(other, _)| other == column);
    is_alone.then(|| cells().flat_map(|(_, cell)| cell.content.clone()).map(Block::Paragraph).collect())
}

fn item(mark: &str, text: String) -> Paragraph {
    if mark.is_empty() {
        return Paragraph::with_text(text);
    }
    if !BULLETS.contains(&mark) {
        return Paragraph::with_text(format!("{mark} {text}"));
    }
    let mut paragraph = Paragraph::with_text(text);
    paragraph.style.list_info = Some(ListInfo::bullet(0));
    paragraph
}

/// Marks and texts of a table of two columns that is a list; `None` for one that is a table.
fn list_rows(table: &Table) -> Option<Vec<(String, String)>> {
    let mut rows = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let [mark, text] = row.cells.as_slice() else { return None };
        let (mark, text) = (mark.plain_text().trim().to_owned(), text.plain_text().trim().to_owned());
        if text.is_empty() || !(mark.is_empty() || is_mark(&mark)) {
            return None;
        }
        rows.push((mark, text));
    }
    (rows.iter().filter(|(mark, _)| !mark.is_empty()).count() >= LEAST).then_some(rows)
}

/// Whether a text is what stands before an item: `•`, `1.`, `2.3.`, `(a)`, `iv)`, `.1`. A bare number is a figure.
fn is_mark(text: &str) -> bool {
    let inner = text.strip_prefix('(').unwrap_or(text);
    let ended = inner.strip_suffix(['.', ')']);
    let is_numbers = |text: &str| {
        text.len() <= 12
            && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|sign| sign.is_ascii_digit()))
    };
    let is_letters = |text: &str| {
        let roman = text.len() <= 5 && text.bytes().all(|sign| b"ivxlcIVXLC".contains(&sign));
        !text.is_empty() && (roman || text.len() == 1 && text.bytes().all(|sign| sign.is_ascii_alphabetic()))
    };
    BULLETS.contains(&text)
        || ended.is_some_and(|inner| is_numbers(inner) || is_letters(inner))
        || text.strip_prefix('.').is_some_and(is_numbers)
}

#[cfg(test)]
mod tests {
    use unpdf::model::TableRow;

    use super::*;

    fn told(rows: &[&[&str]]) -> Vec<String> {
        let mut table = Table::new();
        table.rows = rows.iter().map(|cells| TableRow::from_strings(cells.iter().copied())).collect();
        let tell = |block: Block| match block {
            Block::Paragraph(paragraph) => paragraph.plain_text(),
            _ => "a table".to_owned(),
        };
        listed(Block::Table(table)).into_iter().map(tell).collect()
    }

    #[test]
    fn marks_beside_texts_are_a_list() {
        let rows: &[&[&str]] = &[
            &["", "PART 1 GENERAL"],
            &[".1", "The intent is to obtain"],
            &["", "offers."],
            &[".2", "More of it."],
            &["", "PART 2 PRODUCTS"],
            &[".1", "Pumps."],
        ];
        let parts =
            ["PART 1 GENERAL", ".1 The intent is to obtain offers.", ".2 More of it.", "PART 2 PRODUCTS", ".1 Pumps."];
        assert_eq!(told(rows), parts);
        assert_eq!(told(&[&["(a)", "One"], &["(b)", "two"], &["", "lines"]]), ["(a) One", "(b) two lines"]);
        assert_eq!(told(&[&["•", "One"], &["•", "Two"]]), ["• One", "• Two"]);
    }

    #[test]
    fn texts_beside_which_nothing_stands_are_paragraphs() {
        assert_eq!(told(&[&["", "Last name"], &["", ""], &["", "Other"]]), ["Last name", "Other"]);
    }

    #[test]
    fn tables_stay() {
        let tables: [&[&[&str]]; 7] = [
            &[&["Name", ""], &["Place", ""]],
            &[&["", "Apples"], &["Pears", ""]],
            &[&["1", "Apples"], &["2", "Pears"]],
            &[&["No.", "Item"], &["1.", "Apples"], &["2.", "Pears"]],
            &[&["1.", "Apples", "3"], &["2.", "Pears", "4"]],
            &[&["1.", "Apples"], &["", "Pears"]],
            &[&["1.", "Apples"], &["2.", ""]],
        ];
        for rows in tables {
            assert_eq!(told(rows), ["a table"], "{rows:?}");
        }
    }
}
