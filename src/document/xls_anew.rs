//! Old binary workbooks, with what their reader does not know in the records that it does: texts that go on in records of
//! their own, formulas and formats under the numbers of other versions, and sheets of few cells far apart, of which it
//! would hold all between them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use calamine::{Data, Range};
use cfb::CompoundFile;

use super::losses::at;
use super::zipped::{number, short};

/// Kinds of records: the beginning and the end of a run of them, a sheet, what goes on with the record before, one that
/// means nothing, how letters are encoded, a sheet's bounds, a formula's text, and the key of what is encrypted.
const BEGINS: usize = 0x0809;
const ENDS: usize = 0x0A;
const SHEET: usize = 0x85;
const GOES_ON: usize = 0x3C;
const LETTERS: usize = 0x42;
const BOUNDS: usize = 0x0200;
const RESULT: usize = 0x0207;
const KEY: usize = 0x2F;
/// A formula, and the same in older versions; how cells look; and how numbers do.
const FORMULA: usize = 0x06;
const FORMULAS: [usize; 2] = [0x0206, 0x0406];
const LOOKS: usize = 0xE0;
const FORMAT: usize = 0x041E;
/// Cells, and the one of several numbers in a row.
const CELLS: [usize; 8] = [0x06, 0xD6, 0xFD, 0x0203, 0x0204, 0x0205, 0x027E, NUMBERS];
const NUMBERS: usize = 0xBD;
/// The newest version, and letters as it has them.
const NEWEST: usize = 0x0600;
const UTF_16: u16 = 1200;
/// Bytes before a record's own, and of these at most.
const HEAD: usize = 4;
const BODY_MAX: usize = u16::MAX as usize;
/// The numbers of formats that programs may give, and those below that their reader takes as well.
const OWN: std::ops::RangeInclusive<usize> = 164..=382;
const TAKEN: [std::ops::RangeInclusive<usize>; 4] = [5..=8, 23..=26, 41..=44, 63..=66];
/// Cells around those of a sheet that are worth no thought, and how many there are for each of these in one that is sparse.
const SMALL: usize = 1 << 14;
const SPARSE: usize = 8;
/// Columns of a sheet into which cells are gathered.
const WIDTH: usize = 256;

/// A workbook written anew.
pub struct Anew {
    /// The file.
    pub bytes: Vec<u8>,
    /// For sheets whose cells were gathered, by their numbers: where each of them stands.
    places: HashMap<usize, Vec<(u32, u32)>>,
}

impl Anew {
    /// The cells of a sheet where they stand, in order; `None` where the reader's own places are right.
    pub fn cells<'a>(&self, sheet: usize, values: &'a Range<Data>) -> Option<Vec<((u32, u32), &'a Data)>> {
        let places = self.places.get(&sheet)?;
        let (first_row, first_column) = values.start().unwrap_or_default();
        let place = |row, column| {
            let index = at(first_row, row) as usize * WIDTH + at(first_column, column) as usize;
            places.get(index).copied()
        };
        let mut cells: Vec<_> =
            values.used_cells().filter_map(|(row, column, value)| Some((place(row, column)?, value))).collect();
        cells.sort_by_key(|(place, _)| *place);
        // Of a cell that is told twice, the last holds.
        cells.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1 = later.1;
            }
            is_same
        });
        Some(cells)
    }
}

/// A workbook written anew; `None` where its reader knows it as it is.
pub fn written(file: &[u8]) -> Option<Anew> {
    let mut compound = CompoundFile::open(Cursor::new(file.to_vec())).ok()?;
    let name = ["/Workbook", "/Book"].into_iter().find(|name| compound.is_stream(name))?;
    let mut stream = compound.open_stream(name).ok()?;
    let mut records = Vec::new();
    stream.read_to_end(&mut records).ok()?;
    let mut writer = Writer::of(&records)?;
    writer.write();
    let places = writer.places();
    if writer.made == records {
        return None;
    }
    stream.set_len(writer.made.len() as u64).ok()?;
    stream.seek(SeekFrom::Start(0)).ok()?;
    stream.write_all(&writer.made).and_then(|()| stream.flush()).ok()?;
    drop(stream);
    compound.flush().ok()?;
    Some(Anew { bytes: compound.into_inner().into_inner(), places })
}

/// Why a file cannot be read that is no workbook of the kinds which are: that it is encrypted, or of an older kind.
pub enum Other {
    /// It is encrypted.
    Encrypted,
    /// It is of this version.
    Older(u8),
}

/// Whether a file is such.
pub fn other(file: &[u8]) -> Option<Other> {
    // The older ones are records and nothing else.
    match (short(file, 0), short(file, 2)) {
        (Some(0x0009), Some(4..=8)) => return Some(Other::Older(2)),
        (Some(0x0209), Some(6..=8)) => return Some(Other::Older(3)),
        (Some(0x0409), Some(6..=8)) => return Some(Other::Older(4)),
        _ => {}
    }
    let is_begin = |at: &usize| matches!(record(file, *at), Some((BEGINS, body)) if matches!(short(body, 0), Some(0x0500 | NEWEST)) && short(body, 2) == Some(5));
    let begin = (512..file.len()).step_by(512).find(is_begin)?;
    // What is said of the key stands right behind the beginning, as a rule.
    let mut at = begin;
    for _ in 0..8 {
        let (kind, body) = record(file, at)?;
        if kind == KEY {
            return Some(Other::Encrypted);
        }
        at += HEAD + body.len();
    }
    None
}

/// The record at a byte; `None` where it is not whole, or none.
fn record(records: &[u8], at: usize) -> Option<(usize, &[u8])> {
    let (kind, size) = (short(records, at)?, short(records, at + 2)?);
    let body = records.get(at + HEAD..at + HEAD + size)?;
    (kind != 0).then_some((kind, body))
}

/// A sheet whose cells are gathered, while they are.
#[derive(Default)]
struct Gathered {
    places: Vec<(u32, u32)>,
}

impl Gathered {
    /// Where so many cells come to stand that stood in a row from a place on.
    fn take(&mut self, row: usize, column: usize, count: usize) -> (u16, u16) {
        if self.places.len() % WIDTH + count > WIDTH {
            self.places.resize(self.places.len().next_multiple_of(WIDTH), (0, 0));
        }
        let index = self.places.len();
        let row = u32::try_from(row).unwrap_or_default();
        self.places.extend((column..column + count).map(|column| (row, u32::try_from(column).unwrap_or_default())));
        (u16::try_from(index / WIDTH).unwrap_or(u16::MAX), u16::try_from(index % WIDTH).unwrap_or_default())
    }
}

struct Writer<'a> {
    records: &'a [u8],
    made: Vec<u8>,
    /// Where runs of records begin: that of the whole, and of each sheet, and where those do in what is made.
    begins: BTreeSet<usize>,
    moved: HashMap<usize, usize>,
    /// Where each sheet begins, in their order; and where that is told in what is made.
    sheets: Vec<usize>,
    told: Vec<(usize, usize)>,
    is_newest: bool,
    /// Numbers of formats that their reader does not take, and those in their place.
    formats: HashMap<usize, u16>,
    gathered: HashMap<usize, Gathered>,
}

impl<'a> Writer<'a> {
    fn of(records: &'a [u8]) -> Option<Writer<'a>> {
        let (kind, body) = record(records, 0)?;
        let version = short(body, 0)?;
        if kind != BEGINS || !matches!(version, 0x0500 | NEWEST) {
            return None;
        }
        let (mut sheets, mut known, mut used) = (Vec::new(), Vec::new(), HashSet::new());
        let mut at = 0;
        while let Some((kind, body)) = record(records, at).filter(|(kind, _)| *kind != ENDS) {
            match kind {
                SHEET => sheets.push(number(body, 0)? as usize),
                FORMAT => known.extend(short(body, 0)),
                LOOKS => used.extend(short(body, 2)),
                _ => {}
            }
            at += HEAD + body.len();
        }
        let is_taken = |format: &usize| OWN.contains(format) || TAKEN.iter().any(|range| range.contains(format));
        let mut free = OWN.filter(|format| !known.contains(format));
        let strange: BTreeSet<usize> =
            known.iter().copied().filter(|format| !is_taken(format) && used.contains(format)).collect();
        let formats =
            strange.into_iter().map_while(|format| Some((format, u16::try_from(free.next()?).ok()?))).collect();
        let begins = sheets.iter().copied().filter(|at| *at < records.len()).chain([0]).collect();
        Some(Writer {
            records,
            made: Vec::with_capacity(records.len()),
            begins,
            moved: HashMap::new(),
            sheets,
            told: Vec::new(),
            is_newest: version == NEWEST,
            formats,
            gathered: HashMap::new(),
        })
    }

    fn write(&mut self) {
        let begins: Vec<usize> = self.begins.iter().copied().collect();
        let ends = begins.iter().copied().skip(1).chain([self.records.len()]);
        for (begin, end) in begins.iter().copied().zip(ends) {
            self.moved.insert(begin, self.made.len());
            if begin > 0 && is_sparse(self.records.get(..end).unwrap_or_default(), begin) {
                self.gathered.insert(begin, Gathered::default());
            }
            let at = self.run(begin, end);
            // What no record is read of.
            self.made.extend_from_slice(self.records.get(at..end).unwrap_or_default());
        }
        for (place, sheet) in std::mem::take(&mut self.told) {
            let moved = self.moved.get(&sheet).and_then(|at| u32::try_from(*at).ok());
            if let (Some(at), Some(place)) = (moved, self.made.get_mut(place..place + 4)) {
                place.copy_from_slice(&at.to_le_bytes());
            }
        }
    }

    /// The places of the cells of sheets that were gathered, by the numbers of these.
    fn places(&mut self) -> HashMap<usize, Vec<(u32, u32)>> {
        let of = |(number, begin): (usize, &usize)| Some((number, self.gathered.get(begin)?.places.clone()));
        self.sheets.iter().enumerate().filter_map(of).collect()
    }

    /// Writes the records from a place on; gives where they end.
    fn run(&mut self, begin: usize, end: usize) -> usize {
        let (mut at, mut depth) = (begin, 0);
        let records = self.records;
        while let Some((kind, body)) = record(records.get(..end).unwrap_or_default(), at) {
            let next = at + HEAD + body.len();
            match kind {
                BEGINS => depth += 1,
                ENDS if depth <= 1 => {
                    self.put(kind, body);
                    return next;
                }
                ENDS => depth -= 1,
                _ => {}
            }
            at = match kind {
                RESULT if self.is_newest && depth == 1 => self.text(body, next, end),
                _ => {
                    self.one(kind, body, begin, depth);
                    next
                }
            };
        }
        at
    }

    fn put(&mut self, kind: usize, body: &[u8]) {
        for number in [kind, body.len()] {
            self.made.extend(u16::try_from(number).unwrap_or_default().to_le_bytes());
        }
        self.made.extend_from_slice(body);
    }

    /// Writes a formula's text and what goes on with it as one record; gives where that ends.
    fn text(&mut self, body: &[u8], mut at: usize, end: usize) -> usize {
        let records = self.records.get(..end).unwrap_or_default();
        let (Some(count), Some(flags)) = (short(body, 0), body.get(2)) else {
            self.put(RESULT, body);
            return at;
        };
        let mut units: Vec<u16> = Vec::new();
        let mut add = |flags: u8, text: &[u8]| {
            let left = count.saturating_sub(units.len());
            if flags & 1 == 0 {
                units.extend(text.iter().take(left).map(|byte| u16::from(*byte)));
            } else {
                let pairs = text.chunks_exact(2).take(left);
                units.extend(pairs.filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?))));
            }
            units.len() < count
        };
        let mut goes_on = add(*flags, body.get(3..).unwrap_or_default());
        let first = at;
        while goes_on && let Some((GOES_ON, more)) = record(records, at) {
            goes_on = more.split_first().is_some_and(|(flags, text)| add(*flags, text));
            at += HEAD + more.len();
        }
        if at == first {
            self.put(RESULT, body);
            return at;
        }
        units.truncate((BODY_MAX - 3) / 2);
        let mut whole = u16::try_from(units.len()).unwrap_or_default().to_le_bytes().to_vec();
        whole.push(1);
        whole.extend(units.into_iter().flat_map(u16::to_le_bytes));
        self.put(RESULT, &whole);
        at
    }

    /// Writes a record as its reader knows it.
    fn one(&mut self, kind: usize, body: &[u8], begin: usize, depth: usize) {
        let mut body = body.to_vec();
        let mut kind = kind;
        match kind {
            SHEET if begin == 0 => {
                if let Some(sheet) = number(&body, 0) {
                    self.told.push((self.made.len() + HEAD, sheet as usize));
                }
            }
            LETTERS if self.is_newest => body = UTF_16.to_le_bytes().to_vec(),
            FORMAT => self.renumber(&mut body, 0),
            LOOKS => self.renumber(&mut body, 2),
            // Room for all cells within would be taken at once.
            BOUNDS if self.gathered.contains_key(&begin) => body = vec![0; 14],
            kind_of if FORMULAS.contains(&kind_of) && depth == 1 && body.len() >= 16 => {
                kind = FORMULA;
                // What it is worked out from is read by nobody, but that there is such.
                body.truncate(14);
                body.extend([0, 0, 0, 0, 0, 0, 3, 0, 0x1E, 0, 0]);
            }
            _ => {}
        }
        if depth == 1
            && CELLS.contains(&kind)
            && let Some(gathered) = self.gathered.get_mut(&begin)
            && let Some((row, column, count)) = cell(kind, &body)
        {
            let (row, first) = gathered.take(row, column, count);
            let last = first + u16::try_from(count.saturating_sub(1)).unwrap_or_default();
            let size = body.len();
            let mut place = |at: usize, number: u16| {
                body.get_mut(at..at + 2).into_iter().for_each(|place| place.copy_from_slice(&number.to_le_bytes()));
            };
            place(0, row);
            place(2, first);
            if kind == NUMBERS {
                place(size - 2, last);
            }
        }
        self.put(kind, &body);
    }

    fn renumber(&self, body: &mut [u8], at: usize) {
        let Some(number) = short(body, at).and_then(|format| self.formats.get(&format)) else { return };
        body.get_mut(at..at + 2).into_iter().for_each(|place| place.copy_from_slice(&number.to_le_bytes()));
    }
}

/// The row and the first column of the cells of a record, and how many there are.
fn cell(kind: usize, body: &[u8]) -> Option<(usize, usize, usize)> {
    let (row, column) = (short(body, 0)?, short(body, 2)?);
    if kind != NUMBERS {
        return Some((row, column, 1));
    }
    let last = short(body, body.len().checked_sub(2)?)?;
    let count = last.checked_sub(column)? + 1;
    (body.len() == 6 + 6 * count).then_some((row, column, count))
}

/// Whether the cells of the sheet that begins at a place are few for the room around them.
fn is_sparse(records: &[u8], begin: usize) -> bool {
    let (mut at, mut depth, mut count) = (begin, 0, 0);
    let mut bounds: Option<[usize; 4]> = None;
    while let Some((kind, body)) = record(records, at) {
        match kind {
            BEGINS => depth += 1,
            ENDS if depth <= 1 => break,
            ENDS => depth -= 1,
            _ if depth == 1 && (CELLS.contains(&kind) || FORMULAS.contains(&kind)) => {
                // One that its reader refuses is left as it is.
                let Some((row, column, cells)) = cell(kind, body).filter(|(.., cells)| *cells <= WIDTH) else {
                    return false;
                };
                count += cells;
                let last = column + cells - 1;
                let [top, left, bottom, right] = bounds.unwrap_or([row, column, row, last]);
                bounds = Some([top.min(row), left.min(column), bottom.max(row), right.max(last)]);
            }
            _ => {}
        }
        at += HEAD + body.len();
    }
    let Some([top, left, bottom, right]) = bounds else { return false };
    let area = (bottom - top + 1) * (right - left + 1);
    // Their numbers must have room.
    area > SMALL && area / SPARSE > count && count < WIDTH * usize::from(u16::MAX) / 2
}

#[cfg(test)]
#[path = "xls_anew_tests.rs"]
mod tests;
