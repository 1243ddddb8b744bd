//! Old binary workbooks of which a stretch is damaged: its reader wants every record whole, so what lies between whole
//! records is made one that nobody reads.

use std::collections::{BTreeSet, HashSet};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use calamine::Sheet;
use cfb::{CompoundFile, Version};
use memchr::memmem;

use super::workbook::has_twins;
use super::zipped::{number, short};

/// Kinds of records: the texts of all cells, what goes on with the record before, a sheet, the beginning and the end of
/// a run of records, and one that means nothing here.
const TEXTS: usize = 0xFC;
const GOES_ON: usize = 0x3C;
const SHEET: usize = 0x85;
const BEGINS: usize = 0x0809;
const ENDS: usize = 0x0A;
const NOTHING: u16 = 0x0160;
/// Parts of the table of sectors that a file's head tells of, and the least number of none.
const TABLES: u32 = 109;
const UNUSED: u32 = 0xFFFF_FFFA;
/// What a run of records is of that begins a workbook.
const WHOLE: usize = 5;
/// Bytes between the places at which streams may begin.
const SECTOR: usize = 512;
/// A truth or an error, a formula with its result, the kind of a result that is none, and the errors that are known.
const TRUTH: usize = 0x0205;
const FORMULA: usize = 0x06;
const NO_RESULT: u8 = 3;
const ERRORS: &[u8] = &[0x00, 0x07, 0x0F, 0x17, 0x1D, 0x24, 0x2A, 0x2B];
/// Those of cells.
const CELLS: [usize; 9] = [0x06, 0xBD, 0xD6, 0xFD, 0x0203, 0x0204, 0x0205, 0x0207, 0x027E];
/// Bytes of what stands before a record's own, and of these at most.
const HEAD: usize = 4;
const BODY_MAX: usize = 8224;
/// Records in a row that are none by chance.
const CHAIN: usize = 64;
/// Zeros in a row that no text holds.
const ZEROS: [u8; 64] = [0; 64];
/// Where in the record of a sheet the length of its name stands, and the digits of a number that takes its place.
const NAME: usize = 6;
const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Sheets that are looked at.
const SHEETS_MAX: usize = 10_000;
/// Bytes that are put behind a file that was cut off, at most.
const CUT_MAX: usize = 16 << 20;

/// What is lost of a workbook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Something that is told of the whole.
    pub book: bool,
    /// Texts of cells.
    pub texts: bool,
    /// Something of these sheets, by their numbers from 0.
    pub sheets: Vec<usize>,
}

/// Makes the damaged stretches of a workbook harmless; `drop_texts` takes away all texts of cells, too. Tells what is
/// lost; nothing where all is whole, or nothing can be done.
pub fn mend(file: &mut Vec<u8>, drop_texts: bool) -> Lost {
    if let Some(lost) = mend_stream(file, drop_texts) {
        return lost;
    }
    // One that was cut off is opened with nothing in the place of what is lost.
    let tables = number(file, 44).map_or(0, |tables| tables as usize);
    let whole = tables.saturating_mul(512 / 4 * 512).saturating_add(512);
    if whole <= file.len() || whole - file.len() > CUT_MAX {
        return Lost::default();
    }
    let mut longer = file.clone();
    longer.resize(whole, 0);
    match mend_stream(&mut longer, drop_texts) {
        Some(lost) => {
            *file = longer;
            lost
        }
        None => Lost::default(),
    }
}

/// Whether the table of a file's sectors leads to one of them from two others, or is told to be in one place twice: who
/// follows it may come to no end.
pub fn is_tangled(file: &[u8]) -> bool {
    let sector = 1 << short(file, 30).unwrap_or_default().min(16);
    let tables = number(file, 44).unwrap_or_default().min(TABLES) as usize;
    let (mut places, mut followed) = (HashSet::new(), HashSet::new());
    (0..tables).filter_map(|index| number(file, 76 + index * 4)).any(|place| {
        let from = (place as usize).saturating_add(1).saturating_mul(sector);
        let table = file.get(from..file.len().min(from.saturating_add(sector))).unwrap_or_default();
        let mut leads = (0..table.len() / 4).filter_map(|index| number(table, index * 4));
        !places.insert(place) || leads.any(|next| next < UNUSED && !followed.insert(next))
    })
}

/// A file of the records that stand in another from the first one of a workbook on, where what says in which order they do
/// is lost: mended as [`mend`] does it.
pub fn gathered(file: &[u8], drop_texts: bool) -> Option<(Vec<u8>, Lost)> {
    let begins = |at: &usize| {
        let is_book = head(file, *at).is_some_and(|(kind, _)| kind == BEGINS) && short(file, at + 6) == Some(WHOLE);
        is_book && matches!(short(file, at + HEAD), Some(0x0500 | 0x0600))
    };
    let from = (SECTOR..file.len()).step_by(SECTOR).find(begins)?;
    let name = if short(file, from + HEAD) == Some(0x0500) { "/Book" } else { "/Workbook" };
    let mut records = file.get(from..)?.to_vec();
    let mut lost = Lost::default();
    mend_records(&mut records, drop_texts, &mut lost);
    let mut compound = CompoundFile::create_with_version(Version::V3, Cursor::new(Vec::new())).ok()?;
    compound.create_stream(name).ok()?.write_all(&records).ok()?;
    compound.flush().ok()?;
    Some((compound.into_inner().into_inner(), lost))
}

/// A file in which each sheet has a name of its own, as long as the one that it had; `None` where all have that already.
pub fn numbered(file: &[u8], sheets: &[Sheet]) -> Option<Vec<u8>> {
    if !has_twins(sheets) {
        return None;
    }
    let mut compound = CompoundFile::open(Cursor::new(file.to_vec())).ok()?;
    let name = ["/Workbook", "/Book"].into_iter().find(|name| compound.is_stream(name))?;
    let mut stream = compound.open_stream(name).ok()?;
    let mut records = Vec::new();
    stream.read_to_end(&mut records).ok()?;
    let (mut at, mut count) = (0, 0);
    while let Some((kind, end)) = head(&records, at).filter(|(kind, _)| *kind != ENDS) {
        if kind == SHEET {
            number_name(records.get_mut(at + HEAD..end)?, name == "/Workbook", count);
            count += 1;
        }
        at = end;
    }
    stream.seek(SeekFrom::Start(0)).ok()?;
    stream.write_all(&records).and_then(|()| stream.flush()).ok()?;
    drop(stream);
    compound.flush().ok()?;
    Some(compound.into_inner().into_inner())
}

/// Makes the name in the record of a sheet a number, as far as it has room for it; new files tell of names whether their
/// signs are wide.
fn number_name(sheet: &mut [u8], is_new: bool, mut number: usize) {
    let is_wide = is_new && sheet.get(NAME + 1).is_some_and(|flags| flags & 1 != 0);
    let signs = sheet.get_mut(NAME + 1 + usize::from(is_new)..).unwrap_or_default();
    for sign in signs.chunks_exact_mut(if is_wide { 2 } else { 1 }) {
        sign.fill(0);
        sign.iter_mut().take(1).for_each(|low| *low = DIGITS.get(number % DIGITS.len()).copied().unwrap_or_default());
        number /= DIGITS.len();
    }
}

fn mend_stream(file: &mut Vec<u8>, drop_texts: bool) -> Option<Lost> {
    let mut compound = CompoundFile::open(Cursor::new(file)).ok()?;
    let name = ["/Workbook", "/Book"].into_iter().find(|name| compound.is_stream(name))?;
    let mut stream = compound.open_stream(name).ok()?;
    let mut records = Vec::new();
    stream.read_to_end(&mut records).ok()?;
    let mut lost = Lost::default();
    if head(&records, 0)?.0 == BEGINS {
        mend_records(&mut records, drop_texts, &mut lost);
    }
    if lost != Lost::default() {
        stream.seek(SeekFrom::Start(0)).ok()?;
        stream.write_all(&records).and_then(|()| stream.flush()).ok()?;
    }
    Some(lost)
}

fn mend_records(records: &mut Vec<u8>, drop_texts: bool, lost: &mut Lost) {
    let (mut sheets, mut texts) = (Vec::new(), None);
    lost.book = mend_run(records, (0, records.len()), |kind, at, records| match kind {
        SHEET if sheets.len() < SHEETS_MAX => sheets.extend(number(records, at + HEAD).map(|at| at as usize)),
        TEXTS => texts = Some(at),
        _ => {}
    });
    if let Some(at) = texts {
        lost.texts = mend_texts(records, at, drop_texts).unwrap_or(false);
    }
    let size = records.len();
    // However many sheets are told to begin at one place, it is gone through once.
    let begins: BTreeSet<usize> = sheets.iter().copied().filter(|from| *from < size).collect();
    let ends = begins.iter().copied().skip(1).chain([size]);
    let whole: BTreeSet<usize> = begins
        .iter()
        .zip(ends)
        .filter_map(|(from, end)| {
            let is_damaged = mend_run(records, (*from, end), |_, _, _| ());
            (!mend_values(records, *from, end) && !is_damaged).then_some(*from)
        })
        .collect();
    lost.sheets.extend((0..).zip(&sheets).filter(|(_, from)| !whole.contains(from)).map(|(index, _)| index));
}

/// The kind of the record at a byte, and where it ends; `None` where it is not whole, or none.
fn head(records: &[u8], at: usize) -> Option<(usize, usize)> {
    let (kind, size) = (short(records, at)?, short(records, at + 2)?);
    let end = at + HEAD + size;
    (kind != 0 && end <= records.len()).then_some((kind, end))
}

/// Goes through the records from a place to the one that ends them, and makes what is none of them harmless. Whether
/// there was such.
fn mend_run(records: &mut Vec<u8>, (mut at, end): (usize, usize), mut seen: impl FnMut(usize, usize, &[u8])) -> bool {
    let (mut depth, mut is_damaged, mut cell) = (0, false, None);
    while at < end {
        let sized = |next: usize| next - at <= HEAD + BODY_MAX || is_chain(records, next, end);
        let found = head(records, at).filter(|(_, next)| *next <= end && sized(*next));
        if let Some((kind, next)) = found {
            seen(kind, at, records);
            match kind {
                BEGINS => depth += 1,
                ENDS if depth <= 1 => return is_damaged,
                ENDS => depth -= 1,
                _ => {}
            }
            cell = CELLS.contains(&kind).then_some(at);
            at = next;
            continue;
        }
        is_damaged = true;
        let from = at;
        // A cell whose end is damaged may stand anywhere.
        at = cell.take().unwrap_or(at);
        let Some(next) = (from.max(at + HEAD)..end).find(|at| is_chain(records, *at, end)) else {
            let last = (ENDS as u32).to_le_bytes();
            records.resize(records.len().max(at + HEAD), 0);
            records.get_mut(at..at + HEAD).into_iter().for_each(|place| place.copy_from_slice(&last));
            return true;
        };
        pass(records, at, next);
        at = next;
    }
    is_damaged
}

/// Makes values harmless that are none: truths and errors that their reader does not know. Whether there were such.
fn mend_values(records: &mut [u8], mut at: usize, end: usize) -> bool {
    let mut is_wrong = false;
    while let Some((kind, next)) = head(records, at).filter(|(kind, next)| *kind != ENDS && *next <= end) {
        let body = records.get(at + HEAD..next).unwrap_or_default();
        let value = body.get(6..14);
        match (kind, body.get(6), body.get(7)) {
            (TRUTH, Some(_), Some(0)) => {}
            (TRUTH, Some(error), Some(1)) if ERRORS.contains(error) => {}
            (TRUTH, Some(_), Some(_)) => {
                pass(records, at, next);
                is_wrong = true;
            }
            (FORMULA, Some(kind), _) if value.is_some_and(|value| value.ends_with(&[0xFF, 0xFF])) => {
                let is_known = match kind {
                    2 => body.get(8).is_some_and(|error| ERRORS.contains(error)),
                    kind => matches!(*kind, 0 | 1 | NO_RESULT),
                };
                if !is_known {
                    records.get_mut(at + HEAD + 6).into_iter().for_each(|kind| *kind = NO_RESULT);
                    is_wrong = true;
                }
            }
            _ => {}
        }
        at = next;
    }
    is_wrong
}

/// Whether records begin at a byte: many in a row, or all up to the last.
fn is_chain(records: &[u8], mut at: usize, end: usize) -> bool {
    for _ in 0..CHAIN {
        let Some((kind, next)) = head(records, at).filter(|(_, next)| *next <= end) else { return false };
        let is_known = matches!(kind, 0x01..=0x01FF | 0x0200..=0x02FF | 0x0400..=0x04FF | 0x0800..=0x08FF);
        if !is_known || next - at > HEAD + BODY_MAX {
            return false;
        }
        if kind == ENDS {
            return next == at + HEAD;
        }
        at = next;
    }
    true
}

/// Makes all from a byte to another a record that means nothing; they are nowhere nearer than its head is long.
fn pass(records: &mut [u8], mut from: usize, to: usize) {
    while from + HEAD <= to {
        let left = to - from - HEAD;
        // The last must have room for its head.
        let size = if left <= usize::from(u16::MAX) { left } else { usize::from(u16::MAX) - HEAD };
        let told = u16::try_from(size).unwrap_or(u16::MAX);
        let place = records.get_mut(from..from + HEAD).into_iter();
        place.for_each(|place| place.copy_from_slice(&[NOTHING.to_le_bytes(), told.to_le_bytes()].concat()));
        from += HEAD + size;
    }
}

/// Keeps of the texts those before the first stretch of zeros, as far as they stand in one record, or none. Whether
/// some are lost.
fn mend_texts(records: &mut [u8], at: usize, drop: bool) -> Option<bool> {
    let (_, end) = head(records, at)?;
    let mut parts = Vec::new();
    let mut last = end;
    while let Some((GOES_ON, next)) = head(records, last) {
        parts.push(last);
        last = next;
    }
    let zeros = memmem::find(records.get(at..last)?, &ZEROS).map(|zeros| at + zeros);
    if zeros.is_none() && !drop {
        return Some(false);
    }
    let first = at + HEAD + 8;
    let limit = zeros.filter(|_| !drop).unwrap_or(at).min(end);
    let mut kept = first;
    let mut next = Some(first);
    while let Some(text) = next.filter(|next| *next <= limit) {
        // What is left out takes a head of its own.
        if end - text >= HEAD || text == end {
            kept = text;
        }
        next = text_end(records, text);
    }
    pass(records, kept, end);
    let size = u16::try_from(kept - at - HEAD).ok()?;
    records.get_mut(at + 2..at + HEAD)?.copy_from_slice(&size.to_le_bytes());
    for part in parts {
        records.get_mut(part..part + 2)?.copy_from_slice(&NOTHING.to_le_bytes());
    }
    Some(true)
}

/// Where a text ends: its letters, of one or two bytes each, what is told of their looks, and how they are spoken.
fn text_end(records: &[u8], at: usize) -> Option<usize> {
    let (letters, flags) = (short(records, at)?, *records.get(at + 2)?);
    let mut from = at + 3;
    let mut more = letters * if flags & 1 != 0 { 2 } else { 1 };
    if flags & 8 != 0 {
        more += 4 * short(records, from)?;
        from += 2;
    }
    if flags & 4 != 0 {
        more += number(records, from)? as usize;
        from += 4;
    }
    from.checked_add(more)
}

#[cfg(test)]
#[path = "xls_mend_tests.rs"]
mod tests;
