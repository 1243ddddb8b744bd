//! What stands beside the cells of an old binary workbook: texts that are drawn on its sheets, comments, where links lead,
//! and charts.

use std::collections::{BTreeSet, HashMap};
use std::io::{Cursor, Read};

use cfb::CompoundFile;

use super::ods_beside::cell;
use super::office::beside::Told;
use super::xls_links::link;
use super::zipped::{number, short};

/// Kinds of records: a sheet, the beginning and the end of a run of records, something that is drawn, its text, what goes
/// on with the record before, a comment, and a link.
const SHEET: usize = 0x85;
const BEGINS: usize = 0x0809;
const ENDS: usize = 0x0A;
const DRAWN: usize = 0x5D;
const TEXT: usize = 0x01B6;
const GOES_ON: usize = 0x3C;
const COMMENT: usize = 0x1C;
const LINK: usize = 0x01B8;
/// What begins where it is a chart.
const OF_CHART: usize = 0x20;
/// What is drawn where it is a comment.
const OF_COMMENT: usize = 0x19;
/// The version of workbooks that is read.
const VERSION: usize = 0x0600;
/// Sheets that are looked at, and texts that are kept of one.
const SHEETS_MAX: usize = 10_000;
const MOST: usize = 10_000;

/// By the numbers of sheets, what stands beside their cells.
#[must_use]
pub fn read(file: &[u8]) -> Vec<Told> {
    let Some(records) = records(file) else { return Vec::new() };
    if short(&records, 4) != Some(VERSION) {
        return Vec::new();
    }
    let sheets = Records { records: &records, at: 0 }.take_while(|(kind, _)| *kind != ENDS);
    let sheets = sheets.filter(|(kind, _)| *kind == SHEET).map(|(_, body)| number(body, 0).unwrap_or(0) as usize);
    let sheets: Vec<usize> = sheets.take(SHEETS_MAX).collect();
    // However many are told to begin at one place, or within each other, what is there is gone through once.
    let begins: BTreeSet<usize> = sheets.iter().copied().filter(|at| *at < records.len()).collect();
    let mut left = begins.clone();
    let mut read = |at: &usize| {
        let end = begins.range(at + 1..).next().copied().unwrap_or(records.len());
        if left.remove(at) { sheet(records.get(..end).unwrap_or_default(), *at) } else { Told::default() }
    };
    sheets.iter().map(&mut read).collect()
}

/// The records of a workbook.
fn records(file: &[u8]) -> Option<Vec<u8>> {
    let mut compound = CompoundFile::open(Cursor::new(file)).ok()?;
    let name = ["/Workbook", "/Book"].into_iter().find(|name| compound.is_stream(name))?;
    let mut records = Vec::new();
    compound.open_stream(name).ok()?.read_to_end(&mut records).ok()?;
    Some(records)
}

/// Records from a place on: the kind of each, and what it holds.
struct Records<'a> {
    records: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Records<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, size) = (short(self.records, self.at)?, short(self.records, self.at.checked_add(2)?)?);
        let body = self.records.get(self.at + 4..self.at + 4 + size)?;
        self.at += 4 + size;
        Some((kind, body))
    }
}

/// What stands beside the cells of the sheet that begins at a place.
fn sheet(records: &[u8], at: usize) -> Told {
    let (mut told, mut depth) = (Told::default(), 0);
    // What is drawn: its kind and number; and how many letters of its text are still to come.
    let (mut drawn, mut left) = ((0, 0), 0);
    let mut words = String::new();
    let mut comments: HashMap<usize, String> = HashMap::new();
    let mut cells = Vec::new();
    let mut keep = |words: &mut String, (kind, number): (usize, usize)| {
        let words = std::mem::take(words);
        let words = words.trim().replace("\r\n", "\n").replace('\r', "\n");
        match kind {
            _ if words.is_empty() => {}
            OF_COMMENT if comments.len() < MOST => _ = comments.insert(number, words),
            _ if kind != OF_COMMENT && told.texts.len() < MOST => told.texts.push(words),
            _ => {}
        }
    };
    for (kind, body) in (Records { records, at }) {
        if kind != GOES_ON {
            left = 0;
            keep(&mut words, drawn);
        }
        match kind {
            BEGINS => {
                depth += 1;
                told.charts += usize::from(short(body, 2) == Some(OF_CHART));
            }
            ENDS if depth <= 1 => break,
            ENDS => depth -= 1,
            // What is drawn in a chart is its own.
            _ if depth > 1 => {}
            DRAWN => drawn = (short(body, 4).unwrap_or(0), short(body, 6).unwrap_or(0)),
            TEXT => left = short(body, 10).unwrap_or(0),
            GOES_ON if left > 0 => left -= letters(body, left, &mut words),
            LINK => {
                if let Some((cells, target)) = link(body) {
                    told.links.add_to(cells, &target);
                }
            }
            COMMENT if cells.len() < MOST => {
                if let (Some(row), Some(column), Some(number)) = (short(body, 0), short(body, 2), short(body, 6)) {
                    cells.push((row, column, number));
                }
            }
            _ => {}
        }
    }
    keep(&mut words, drawn);
    cells.sort_unstable();
    let comment = |(row, column, number)| Some((cell(row as u64, column as u64), comments.remove(&number)?));
    told.comments = cells.into_iter().filter_map(comment).collect();
    told
}

/// Adds at most so many letters of a record; how many there were.
fn letters(body: &[u8], most: usize, to: &mut String) -> usize {
    let Some((flags, text)) = body.split_first() else { return most };
    let units: Vec<u16> = if flags & 1 == 0 {
        text.iter().take(most).map(|byte| u16::from(*byte)).collect()
    } else {
        text.chunks_exact(2).take(most).filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?))).collect()
    };
    to.push_str(&String::from_utf16_lossy(&units));
    // What holds none is followed by none.
    if units.is_empty() { most } else { units.len() }
}
