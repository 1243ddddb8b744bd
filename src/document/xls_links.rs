//! Links of old binary workbooks (MS-XLS 2.4.140, MS-OSHARED 2.3.7): the cells, and where the link leads.

use super::cell_links::Area;
use super::zipped::{number, short};

/// What a link has: what it leads to, a text that is shown, a frame, and what it leads to as a text.
const HAS_TARGET: u32 = 0x1;
const HAS_SHOWN: u32 = 0x10;
const HAS_FRAME: u32 = 0x80;
const IS_TEXT: u32 = 0x100;
/// Where that begins, and the classes of addresses and of files.
const BEGIN: usize = 32;
const CLASS: usize = 16;
const ADDRESS: [u8; CLASS] = [0xE0, 0xC9, 0xEA, 0x79, 0xF9, 0xBA, 0xCE, 0x11, 0x8C, 0x82, 0, 0xAA, 0, 0x4B, 0xA9, 0x0B];
const FILE: [u8; CLASS] = [3, 3, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

/// The first and the last cell, and where they lead; `None` where that is in the workbook.
pub fn link(body: &[u8]) -> Option<(Area, String)> {
    let cell = |row, column| Some((u32::try_from(short(body, row)?).ok()?, u32::try_from(short(body, column)?).ok()?));
    let cells = (cell(0, 4)?, cell(2, 6)?);
    let flags = number(body, BEGIN - 4)?;
    if flags & HAS_TARGET == 0 {
        return None;
    }
    let mut at = BEGIN;
    for _ in [HAS_SHOWN, HAS_FRAME].into_iter().filter(|flag| flags & flag != 0) {
        at = text(body, at)?.1;
    }
    let target = if flags & IS_TEXT != 0 { text(body, at)?.0 } else { moniker(body, at)? };
    Some((cells, target)).filter(|(_, target)| !target.is_empty())
}

/// A text of so many characters as its first four bytes say, and where it ends.
fn text(body: &[u8], at: usize) -> Option<(String, usize)> {
    let size = usize::try_from(number(body, at)?).ok()?.checked_mul(2)?;
    let end = at.checked_add(4)?.checked_add(size)?;
    Some((wide(body.get(at + 4..end)?), end))
}

/// Units of UTF-16, up to the first that is none.
fn wide(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?)));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units)
}

/// What leads to an address or to a file.
fn moniker(body: &[u8], at: usize) -> Option<String> {
    let class = body.get(at..at.checked_add(CLASS)?)?;
    let at = at + CLASS;
    if class == ADDRESS {
        let size = usize::try_from(number(body, at)?).ok()?;
        return Some(wide(body.get(at + 4..)?.get(..size)?));
    }
    if class != FILE {
        return None;
    }
    // How many folders it goes up, and its name in one byte a sign; behind that, what else is told, and in two.
    let up = short(body, at)?;
    let size = usize::try_from(number(body, at + 2)?).ok()?;
    let short_name = body.get(at + 6..)?.get(..size)?;
    let after = at.checked_add(6)?.checked_add(size)?.checked_add(24)?;
    let long = number(body, after).filter(|size| *size > 0).and_then(|_| {
        let size = usize::try_from(number(body, after.checked_add(4)?)?).ok()?;
        Some(wide(body.get(after.checked_add(10)?..)?.get(..size)?))
    });
    let name = long
        .unwrap_or_else(|| short_name.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect());
    Some(format!("{}{name}", "../".repeat(up.min(CLASS))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide_of(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    fn counted(text: &str) -> Vec<u8> {
        let text = wide_of(text);
        [u32::try_from(text.len() / 2).unwrap().to_le_bytes().as_slice(), &text].concat()
    }

    /// A link of C5:C6 with these flags and this behind them.
    fn linked(flags: u32, rest: &[&[u8]]) -> Option<String> {
        let cells: Vec<u8> = [4u16, 5, 2, 2].into_iter().flat_map(u16::to_le_bytes).collect();
        let begin = [cells.as_slice(), &[7; CLASS], &2u32.to_le_bytes(), &flags.to_le_bytes()].concat();
        let body = [begin, rest.concat()].concat();
        for end in 0..body.len() {
            let _ = link(&body[..end]);
        }
        let (cells, target) = link(&body)?;
        assert_eq!(cells, ((4, 2), (5, 2)));
        Some(target)
    }

    #[test]
    fn links_lead_to_addresses_files_and_texts() {
        let address = wide_of("https://a.example/ä");
        let size = u32::try_from(address.len()).unwrap().to_le_bytes();
        let target = linked(0x1 | 0x10, &[&counted("shown"), &ADDRESS, &size, &address]);
        assert_eq!(target.as_deref(), Some("https://a.example/ä"));
        let file = [&[1, 0][..], &6u32.to_le_bytes(), b"b.xls\0", &[0; 24]].concat();
        assert_eq!(linked(0x1, &[&FILE, &file, &[0; 4]]).as_deref(), Some("../b.xls"));
        let name = wide_of("ж.xls");
        let long =
            [&10u32.to_le_bytes()[..], &u32::try_from(name.len()).unwrap().to_le_bytes(), &[3, 0], &name].concat();
        assert_eq!(linked(0x1, &[&FILE, &file, &long]).as_deref(), Some("../ж.xls"));
        let target = linked(0x1 | 0x80 | 0x100, &[&counted("frame"), &counted("\\\\host\\x")]);
        assert_eq!(target.as_deref(), Some("\\\\host\\x"));
        assert_eq!(linked(0x8, &[&counted("Sheet2!A1")]), None);
        assert_eq!(linked(0x1, &[&[9; CLASS], &[0; 40]]), None);
    }
}
