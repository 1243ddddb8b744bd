//! Records of binary workbooks (MS-XLSB): which sheets there are, comments, and the links of cells.

use crate::document::cell_links::Links;
use crate::document::ods_beside::cell;
use crate::document::zipped::number;

use super::comments::{Comments, MOST};
use super::package::Relations;

/// Kinds of records: a sheet, the beginning of a comment, its text, and a link.
const SHEET: u32 = 156;
const COMMENT: u32 = 635;
const COMMENT_TEXT: u32 = 637;
const LINK: u32 = 494;
/// Sheets that are looked at.
const SHEETS_MAX: usize = 10_000;

/// Records: the kind of each, and what it holds.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = self.varying(2)?;
        let size = usize::try_from(self.varying(4)?).ok()?;
        let (body, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some((kind, body))
    }
}

impl Records<'_> {
    /// A number of at most so many bytes, each with seven bits of it.
    fn varying(&mut self, most: u32) -> Option<u32> {
        let mut value = 0;
        for index in 0..most {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u32::from(byte & 0x7F) << (7 * index);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(value)
    }
}

/// A text that begins with its length, in units of UTF-16.
fn text(body: &[u8], at: usize) -> Option<String> {
    let size = usize::try_from(number(body, at)?).ok()?.checked_mul(2)?;
    let units = body.get(at.checked_add(4)?..)?.get(..size)?;
    let units: Vec<u16> =
        units.chunks_exact(2).filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?))).collect();
    Some(String::from_utf16_lossy(&units))
}

/// The relations that lead from a workbook to the parts of its sheets, in their order.
pub fn sheets(workbook: &[u8]) -> Vec<Option<String>> {
    let sheets = Records(workbook).filter(|(kind, _)| *kind == SHEET);
    sheets.map(|(_, body)| text(body, 8)).take(SHEETS_MAX).collect()
}

/// The comments of a part.
pub fn comments(part: &[u8]) -> Comments {
    let (mut found, mut place) = (Comments::new(), None);
    for (kind, body) in Records(part) {
        match kind {
            COMMENT => place = number(body, 4).zip(number(body, 12)),
            COMMENT_TEXT if found.len() < MOST => {
                let words = text(body, 1).filter(|words| !words.trim().is_empty());
                found.extend(
                    place.take().zip(words).map(|((row, column), words)| (cell(row.into(), column.into()), words)),
                );
            }
            _ => {}
        }
    }
    found
}

/// The links of a sheet that lead out of the workbook.
pub fn links(sheet: &[u8], relations: &Relations) -> Links {
    let mut links = Links::default();
    for (_, body) in Records(sheet).filter(|(kind, _)| *kind == LINK) {
        let [row, last_row, column, last_column] = [0, 4, 8, 12].map(|at| number(body, at).unwrap_or(0));
        let relation = text(body, 16).and_then(|id| relations.get(&id)).filter(|relation| relation.external);
        if let Some(relation) = relation {
            links.add_to(((row, column), (last_row, last_column)), &relation.target);
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::super::package::Relation;
    use super::*;

    fn of(kind: u32, body: &[u8]) -> Vec<u8> {
        let bytes = |number: usize| [number & 0x7F | 0x80, number >> 7].map(|part| u8::try_from(part).unwrap());
        [&bytes(usize::try_from(kind).unwrap())[..], &bytes(body.len()), body].concat()
    }

    fn wide(text: &str) -> Vec<u8> {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [u32::try_from(units.len() / 2).unwrap().to_le_bytes().as_slice(), &units].concat()
    }

    fn numbers(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn sheets_comments_and_links_are_read() {
        let sheet = [numbers(&[0, 1]), wide("rId3"), wide("S")].concat();
        assert_eq!(sheets(&[of(1, &[]), of(SHEET, &sheet)].concat()), [Some("rId3".to_owned())]);
        let begin = |row, column| of(COMMENT, &[numbers(&[0, row, row, column, column]), vec![0; 16]].concat());
        let says = |words: &str| of(COMMENT_TEXT, &[vec![1], wide(words)].concat());
        let part = [begin(0, 0), says("Größe"), begin(9, 27), says(" "), begin(2, 1), says("b")].concat();
        let comment = |cell: &str, words: &str| (cell.to_owned(), words.to_owned());
        assert_eq!(comments(&part), [comment("A1", "Größe"), comment("B3", "b")]);
        let target = "https://a.example".to_owned();
        let relation = Relation { target, kind: "hyperlink".to_owned(), external: true };
        let relations = Relations::from([("rId1".to_owned(), relation)]);
        let sheet = |id: &str| of(LINK, &[numbers(&[3, 3, 1, 1]), wide(id)].concat());
        let read = links(&[sheet("rId1"), sheet("rId2")].concat(), &relations);
        assert_eq!(read.linked((3, 1), "x".to_owned()), "[x](https://a.example)");
        for end in 0..part.len() {
            let _ = (comments(&part[..end]), links(&part[..end], &relations), sheets(&part[..end]));
        }
    }
}
