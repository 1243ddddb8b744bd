//! Parts of a binary workbook that were cut off or are lost: their records as far as they are whole, or made anew.

use std::collections::HashSet;

use super::zipped::number;

/// The record that begins the shared texts, whose number it tells; and one of them.
const TEXTS: u32 = 0x9F;
const TEXT: u32 = 0x13;
/// Of a workbook: a sheet, the end of the sheets, its end.
const SHEET: u32 = 0x9C;
const SHEETS_END: u32 = 0x90;
const BOOK_END: u32 = 0x84;

/// What can be read of a part that was cut off: of sheets all, of the shared texts those that are whole, with their number
/// told anew; of others, which are read as a whole or not at all, nothing.
pub fn closed_records(name: &str, part: Vec<u8>) -> Vec<u8> {
    if name.starts_with("xl/worksheets/") {
        return part;
    }
    if name == "xl/sharedStrings.bin" { whole_texts(part).unwrap_or_default() } else { Vec::new() }
}

/// A workbook that lists these sheets: what leads to each, and its name.
pub fn book<'a>(sheets: impl Iterator<Item = (String, &'a str)>) -> Vec<u8> {
    let mut book = Vec::new();
    for (link, name) in sheets {
        // Whether it is hidden, and its number, which nobody asks for.
        let mut body = vec![0; 8];
        [&link, name].iter().for_each(|text| put(text, &mut body));
        write(SHEET, &body, &mut book);
    }
    [SHEETS_END, BOOK_END].iter().for_each(|kind| write(*kind, &[], &mut book));
    book
}

/// A workbook whose sheets have numbers from 0 for names, and these; `None` where no two of them are the same.
pub fn numbered(book: &[u8]) -> Option<(Vec<u8>, Vec<String>)> {
    let (mut made, mut names, mut at) = (Vec::with_capacity(book.len()), Vec::new(), 0);
    while let Some((kind, body, end)) = record(book, at) {
        let body = book.get(body..end)?;
        match (kind == SHEET).then(|| named(body)).flatten() {
            Some((before, name)) => {
                let number = names.len().to_string();
                let mut body = body.get(..before)?.to_vec();
                put(&number, &mut body);
                write(SHEET, &body, &mut made);
                names.push(name);
            }
            None => made.extend_from_slice(book.get(at..end)?),
        }
        at = end;
    }
    made.extend_from_slice(book.get(at..)?);
    let all: HashSet<&String> = names.iter().collect();
    (all.len() < names.len()).then_some((made, names))
}

/// Where in the record of a sheet its name begins, behind what leads to it; and the name.
fn named(body: &[u8]) -> Option<(usize, String)> {
    let units = |at: usize| number(body, at).and_then(|units| usize::try_from(units).ok());
    let before = units(8)?.checked_mul(2)?.checked_add(12)?;
    let name = body.get(before.checked_add(4)?..)?.get(..units(before)?.checked_mul(2)?)?;
    let units: Vec<u16> =
        name.chunks_exact(2).filter_map(|unit| Some(u16::from_le_bytes(unit.try_into().ok()?))).collect();
    Some((before, String::from_utf16_lossy(&units)))
}

/// Writes a text, with its length before it.
fn put(text: &str, to: &mut Vec<u8>) {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    to.extend(u32::try_from(units.len() / 2).unwrap_or_default().to_le_bytes());
    to.extend(units);
}

/// Writes a record.
fn write(kind: u32, body: &[u8], to: &mut Vec<u8>) {
    for mut number in [kind, u32::try_from(body.len()).unwrap_or_default()] {
        while number > 0x7F {
            to.push((number & 0x7F) as u8 | 0x80);
            number >>= 7;
        }
        to.push(number as u8);
    }
    to.extend_from_slice(body);
}

fn whole_texts(mut part: Vec<u8>) -> Option<Vec<u8>> {
    let (mut at, mut count, mut told) = (0, 0u32, None);
    while let Some((kind, body, end)) = record(&part, at) {
        match kind {
            TEXTS => told = Some(body + 4),
            TEXT => count += 1,
            _ => {}
        }
        at = end;
    }
    part.truncate(at);
    let told = told?;
    part.get_mut(told..told + 4)?.copy_from_slice(&count.to_le_bytes());
    Some(part)
}

/// The kind of the record at a byte, where its body begins, and where it ends; `None` where it is not whole.
fn record(part: &[u8], at: usize) -> Option<(u32, usize, usize)> {
    let (kind, at) = grouped(part, at, 2)?;
    let (size, body) = grouped(part, at, 4)?;
    let end = body.checked_add(usize::try_from(size).ok()?)?;
    (end <= part.len()).then_some((kind, body, end))
}

/// A number in groups of seven bits, the lowest first, in at most so many bytes; and where it ends.
fn grouped(part: &[u8], at: usize, most: usize) -> Option<(u32, usize)> {
    let mut number = 0;
    for (index, byte) in part.get(at..)?.iter().take(most).enumerate() {
        number |= u32::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((number, at + index + 1));
        }
    }
    Some((number, at + most)).filter(|(_, end)| *end <= part.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_of_one_name_get_numbers() {
        let sheets =
            |names: [&'static str; 3]| book((0..).zip(names).map(|(id, name): (u8, &str)| (format!("r{id}"), name)));
        let (made, names) = numbered(&sheets(["Ä", "b", "Ä"])).unwrap();
        assert_eq!((made, names), (sheets(["0", "1", "2"]), vec!["Ä".to_owned(), "b".to_owned(), "Ä".to_owned()]));
        assert!(numbered(&sheets(["Ä", "b", "c"])).is_none());
        let whole = sheets(["a", "a", "a"]);
        for end in 0..whole.len() {
            let _ = numbered(&whole[..end]);
        }
    }
}
