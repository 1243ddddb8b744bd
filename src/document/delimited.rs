//! CSV and TSV as a stream: a header, its rows, and an exact count, in constant memory.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::encoding::TextReader;
use super::input::{Failure, Input};
use super::out::Out;
use super::table::{Row, TableWriter};

/// Bytes of one record that are kept; an unclosed quote would swallow the rest of the file.
const RECORD_MAX: usize = 4 << 20;
/// Fields of one record that are kept.
const FIELDS_MAX: usize = 100_000;
/// Bytes of the text that the delimiter is guessed from.
const HEAD: usize = 32 << 10;
/// Delimiters, the likeliest first.
const DELIMITERS: &[u8] = b",;\t|";

/// A table of the rows; the first is its header.
///
/// # Errors
/// Where it cannot be read.
pub fn convert(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut text = TextReader::new(input.reader()?)?;
    let declared = declared(text.ahead(HEAD)?);
    let (delimiter, columns) = match declared {
        Some((delimiter, line)) => {
            text.consume(line);
            (delimiter, 0)
        }
        None if input.extension() == "tsv" => (b'\t', 0),
        None => guess(text.ahead(HEAD)?),
    };
    if delimiter != b',' {
        out.fact("delimiter", if delimiter == b'\t' { "tab".to_owned() } else { char::from(delimiter).to_string() });
    }
    let first = 1 + u64::from(declared.is_some());
    let read = rows(&mut text, (delimiter, columns, first), input, out);
    super::text::say_encoding(&text, out);
    read
}

/// All records; `shape` is the delimiter, how many fields a record usually has, and the line of the first.
fn rows(
    text: &mut TextReader<'_>,
    shape: (u8, usize, u64),
    input: &Input<'_>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let (delimiter, columns, first) = shape;
    let mut records = Records::new(text, delimiter);
    let mut row = Row::default();
    if !records.next(&mut row)? {
        return Ok(());
    }
    let mut table = TableWriter::begin(input.limits, None, &row, columns, out)?;
    let read = body(&mut records, &mut row, &mut table, out);
    let rows = table.end(out)?;
    out.fact("rows", rows);
    out.fact("columns", records.widest);
    if let Some((line, why)) = records.too_long {
        out.note_at(line + first - 1, why);
    }
    read
}

fn body<R: BufRead>(
    records: &mut Records<'_, R>,
    row: &mut Row,
    table: &mut TableWriter<'_>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    while records.next(row)? {
        table.row(row, out)?;
    }
    Ok(())
}

/// The delimiter that a first line `sep=;` names, and the bytes of that line.
fn declared(head: &[u8]) -> Option<(u8, usize)> {
    let end = memchr::memchr(b'\n', head)?;
    let line = head.get(..end)?.trim_ascii_end();
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    // A tab is white space, which was trimmed away.
    match line.get(..4).filter(|name| name.eq_ignore_ascii_case(b"sep="))? {
        _ if line.len() == 4 && head.get(4) == Some(&b'\t') => Some((b'\t', end + 1)),
        _ => line.get(4).filter(|sign| line.len() == 5 && sign.is_ascii()).map(|sign| (*sign, end + 1)),
    }
}

/// The delimiter that most of the first records have, and equally often; and how many fields that makes. A line that is
/// blank says nothing, a title or a total little.
fn guess(head: &[u8]) -> (u8, usize) {
    // The last line may be cut off; it counts only where it is the only one.
    let cut = memchr::memrchr2(b'\n', b'\r', head).unwrap_or(head.len());
    let head = head.get(..cut).unwrap_or_default();
    let mut best = ((0, 0), b',');
    for &delimiter in DELIMITERS {
        let counts = counts(head, delimiter);
        let with = counts.values().sum::<usize>();
        let usual = counts.iter().max_by_key(|(count, records)| (**records, **count));
        let Some((count, records)) = usual else { continue };
        let score = (with + records, *count);
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    (best.1, best.0.1 + 1)
}

/// How many records hold a delimiter how often; those that do not are left out. A quote opens at a field's beginning
/// only.
fn counts(head: &[u8], delimiter: u8) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    let (mut count, mut quoted, mut begins) = (0, false, true);
    let mut bytes = head.iter().peekable();
    let mut end = |count: &mut usize| {
        if *count > 0 {
            *counts.entry(std::mem::take(count)).or_default() += 1;
        }
    };
    while let Some(&byte) = bytes.next() {
        let first = std::mem::replace(&mut begins, false);
        match byte {
            b'"' if quoted && bytes.peek() == Some(&&b'"') => {
                bytes.next();
            }
            b'"' if quoted || first => quoted = !quoted,
            _ if quoted => {}
            b'\n' | b'\r' => {
                end(&mut count);
                begins = true;
            }
            _ if byte == delimiter => {
                count += 1;
                begins = true;
            }
            _ => {}
        }
    }
    end(&mut count);
    counts
}

/// Records one after the other, bounded in length.
struct Records<'a, R> {
    from: &'a mut R,
    core: csv_core::Reader,
    widest: usize,
    /// The first record that was cut: its line, and why it was.
    too_long: Option<(u64, String)>,
}

impl<'a, R: BufRead> Records<'a, R> {
    fn new(from: &'a mut R, delimiter: u8) -> Records<'a, R> {
        let core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        Records { from, core, widest: 0, too_long: None }
    }

    /// Reads the next record into `row`; false at the end.
    fn next(&mut self, row: &mut Row) -> Result<bool, Failure> {
        let line = self.core.line();
        let (mut written, mut fields, mut cut) = (0, 0, None);
        let mut kept;
        row.text.resize(row.text.capacity().clamp(1 << 10, RECORD_MAX), 0);
        row.ends.resize(row.ends.capacity().clamp(64, FIELDS_MAX), 0);
        let more = loop {
            let input = self.from.fill_buf()?;
            let (text, ends) = (&mut row.text[written..], &mut row.ends[fields..]);
            let (result, read, wrote, ended) = self.core.read_record(input, text, ends);
            self.from.consume(read);
            written += wrote;
            fields += ended;
            kept = fields;
            match result {
                csv_core::ReadRecordResult::InputEmpty => {}
                csv_core::ReadRecordResult::OutputFull if row.text.len() < RECORD_MAX => {
                    row.text.resize((row.text.len() * 2).min(RECORD_MAX), 0);
                }
                csv_core::ReadRecordResult::OutputEndsFull if row.ends.len() < FIELDS_MAX => {
                    row.ends.resize((row.ends.len() * 2).min(FIELDS_MAX), 0);
                }
                csv_core::ReadRecordResult::OutputFull | csv_core::ReadRecordResult::OutputEndsFull => {
                    cut = Some(self.skip_record()?);
                    // Of a field that was too long, the beginning is kept.
                    if matches!(result, csv_core::ReadRecordResult::OutputFull) {
                        row.ends.truncate(fields);
                        row.ends.push(written);
                        kept = fields + 1;
                    }
                    break true;
                }
                csv_core::ReadRecordResult::Record => break true,
                csv_core::ReadRecordResult::End => break false,
            }
        };
        row.text.truncate(written);
        row.ends.truncate(kept);
        row.unkept = 0;
        if let Some(more) = cut {
            row.unkept = (fields + more).saturating_sub(kept);
            // Only a quote makes one record of several lines.
            let quoted = self.core.line() > line + 1;
            let why = match (quoted, written < RECORD_MAX) {
                (true, _) => "a record longer than 4 MB was cut; is a quote left open?".to_owned(),
                (false, true) => format!("a record of {} fields was cut after {FIELDS_MAX}", fields + more),
                (false, false) => "a record longer than 4 MB was cut".to_owned(),
            };
            self.too_long.get_or_insert((line, why));
        }
        self.widest = self.widest.max(row.total());
        Ok(more)
    }

    /// Reads to the end of the record, keeping nothing; how many fields end there.
    fn skip_record(&mut self) -> Result<usize, Failure> {
        let (mut text, mut ends) = ([0; 4096], [0; 512]);
        let mut fields = 0;
        loop {
            let input = self.from.fill_buf()?;
            let (result, read, _, ended) = self.core.read_record(input, &mut text, &mut ends);
            self.from.consume(read);
            fields += ended;
            match result {
                csv_core::ReadRecordResult::Record | csv_core::ReadRecordResult::End => return Ok(fields),
                _ => {}
            }
        }
    }
}
