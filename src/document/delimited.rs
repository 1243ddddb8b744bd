//! CSV and TSV as a stream: a header, its rows, and an exact count, in constant memory.

use std::io::BufRead;

use super::delimiter::{declared, fields, guess};
use super::encoding::TextReader;
use super::input::{Failure, Input};
use super::out::Out;
use super::table::{Row, TableWriter};

/// Bytes of one record that are kept; an unclosed quote would swallow the rest of the file.
const RECORD_MAX: usize = 4 << 20;
/// Fields of one record that are kept.
const FIELDS_MAX: usize = 100_000;
/// Records that a quote may have left open that are read again.
const TRIES_MAX: usize = 16;
/// What is said of the last one, where that did not help.
const OPEN: &str = "a quote is opened here that nothing closes: what follows it is one cell";
/// Lines behind such a quote that are looked at.
const FOLLOWING: usize = 20;
/// Bytes of the text that the delimiter is guessed from.
const HEAD: usize = 32 << 10;
/// Bytes of the text in which rows are looked for that are longer than the header.
const AHEAD: usize = 1 << 20;

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
        None => {
            let head = text.ahead(HEAD)?;
            guess(head, head.len() < HEAD)
        }
    };
    if delimiter != b',' {
        out.fact("delimiter", if delimiter == b'\t' { "tab".to_owned() } else { char::from(delimiter).to_string() });
    }
    let first = 1 + u64::from(declared.is_some());
    let longest = longest(text.ahead(AHEAD)?, delimiter);
    let read = rows(&mut text, (delimiter, columns, first), longest, input, out);
    super::text::say_encoding(&text, out);
    read
}

/// The most fields of a record in the beginning of a text, where it has more than the first line. What may be several
/// records, one of which opens a quote that it does not close, counts for nothing.
fn longest(head: &[u8], delimiter: u8) -> usize {
    let fields = |line: &[u8]| line.iter().filter(|byte| **byte == delimiter).count() + 1;
    // A line of one record has no less delimiters than that has; to count them is cheap.
    let mut lines = head.split(|byte| matches!(byte, b'\n' | b'\r')).map(fields);
    let first = lines.next().unwrap_or(0);
    if lines.all(|other| other <= first) {
        return 0;
    }
    let mut core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let (mut text, mut ends) = ([0; 4 << 10], [0; 256]);
    let (mut rest, mut found, mut longest, mut quotes) = (head, 0, 0, 0);
    loop {
        let (result, read, _, ended) = core.read_record(rest, &mut text, &mut ends);
        let (taken, left) = rest.split_at(read);
        quotes += memchr::memchr_iter(b'"', taken).count();
        (rest, found) = (left, found + ended);
        match result {
            csv_core::ReadRecordResult::Record => {
                if quotes % 2 == 0 {
                    longest = longest.max(found);
                }
                (found, quotes) = (0, 0);
            }
            // The last record may go on.
            csv_core::ReadRecordResult::InputEmpty | csv_core::ReadRecordResult::End => return longest.min(FIELDS_MAX),
            csv_core::ReadRecordResult::OutputFull | csv_core::ReadRecordResult::OutputEndsFull => {}
        }
    }
}

/// All records; `shape` is the delimiter, how many fields a record usually has, and the line of the first.
fn rows(
    text: &mut TextReader<'_>,
    shape: (u8, usize, u64),
    longest: usize,
    input: &Input<'_>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let (delimiter, columns, first) = shape;
    let mut records = Records::new(Box::new(text), delimiter, first - 1);
    let mut row = Row::default();
    if !records.next(&mut row)? {
        return Ok(());
    }
    if let Some(line) = records.open.filter(|_| records.at_end) {
        out.note_at(line, OPEN);
    }
    let wide = row.total();
    let mut table = TableWriter::begin(input.limits, None, &row, (columns, longest), out)?;
    let read = body(&mut records, &mut row, (input, delimiter, wide), &mut table, out);
    let rows = table.end(out)?;
    out.fact("rows", rows);
    out.fact("columns", records.widest);
    out.left_out(None, "blank line", records.blank);
    if let Some((line, why)) = records.too_long {
        out.note_at(line, why);
    }
    read
}

/// All records behind the header, which is so wide. What a quote that nothing closes has swallowed is read again.
fn body<'a>(
    records: &mut Records<'a>,
    row: &mut Row,
    (input, delimiter, wide): (&Input<'a>, u8, usize),
    table: &mut TableWriter<'_>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut tries = 0;
    while records.next(row)? {
        if let Some(line) = records.open {
            tries += 1;
            let again = if tries > TRIES_MAX { None } else { behind_open(input, (delimiter, wide, line), row)? };
            if let Some((text, line)) = again {
                out.note_at(line, "a quote that nothing closes is taken as a sign of its text");
                records.read_on(Box::new(text), line);
            } else if records.at_end {
                out.note_at(line, OPEN);
            }
        }
        records.widest = records.widest.max(row.total());
        table.row(row, out)?;
    }
    Ok(())
}

/// The text behind the record of a line, and that line, with the record in `row`, its quotes taken as they are; `None`
/// where it is not certain that they are no more than that: it has as many fields as there are columns, and so have those
/// that follow.
fn behind_open<'a>(
    input: &Input<'a>,
    (delimiter, columns, mut line): (u8, usize, u64),
    row: &mut Row,
) -> Result<Option<(TextReader<'a>, u64)>, Failure> {
    let mut text = TextReader::new(input.reader()?)?;
    let mut left = line.saturating_sub(1);
    while left > 0 {
        let more = text.fill_buf()?;
        if more.is_empty() {
            return Ok(None);
        }
        let last = memchr::memchr_iter(b'\n', more).nth(usize::try_from(left - 1).unwrap_or(usize::MAX));
        let end = last.map_or(more.len(), |at| at + 1);
        left -= memchr::memchr_iter(b'\n', &more[..end]).count() as u64;
        text.consume(end);
    }
    // Blank lines may stand before it.
    let blank = text.ahead(HEAD)?.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    line += memchr::memchr_iter(b'\n', &text.ahead(HEAD)?[..blank]).count() as u64;
    text.consume(blank);
    let ahead = text.ahead(HEAD)?;
    let whole = memchr::memrchr(b'\n', ahead).and_then(|end| ahead.get(..end)).unwrap_or_default();
    let mut lines = whole.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let Some(open) = lines.next().filter(|_| columns > 1) else { return Ok(None) };
    let plain = |line: &[u8]| memchr::memchr_iter(delimiter, line).count() + 1;
    let mut following = lines.filter(|line| !line.is_empty()).take(FOLLOWING).peekable();
    let others = following.peek().is_some()
        && following.all(|line| plain(line) == columns || fields(line, delimiter) == columns);
    if plain(open) != columns || !others {
        return Ok(None);
    }
    row.clear();
    for field in open.split(|byte| *byte == delimiter) {
        let quoted = field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\""));
        row.push(&String::from_utf8_lossy(quoted.unwrap_or(field)));
    }
    let consumed = memchr::memchr(b'\n', ahead).map_or(0, |end| end + 1);
    text.consume(consumed);
    Ok(Some((text, line)))
}

/// Records one after the other, bounded in length.
struct Records<'a> {
    from: Box<dyn BufRead + 'a>,
    core: csv_core::Reader,
    delimiter: u8,
    /// Lines before what is read.
    before: u64,
    widest: usize,
    /// The first record that was cut: its line, and why it was.
    too_long: Option<(u64, String)>,
    /// The line of the last record, where it has several and a quote in it has no other.
    open: Option<u64>,
    /// Whether the text ends with it.
    at_end: bool,
    /// Quotes in it.
    quotes: usize,
    /// Lines without anything before records.
    blank: u64,
    /// Whether what was read last is a break that a line feed behind it belongs to.
    is_return: bool,
}

impl<'a> Records<'a> {
    fn new(from: Box<dyn BufRead + 'a>, delimiter: u8, before: u64) -> Records<'a> {
        let core = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        Records {
            from,
            core,
            delimiter,
            before,
            widest: 0,
            too_long: None,
            open: None,
            at_end: false,
            quotes: 0,
            blank: 0,
            is_return: false,
        }
    }

    /// Reads on from the line behind another.
    fn read_on(&mut self, from: Box<dyn BufRead + 'a>, line: u64) {
        let (widest, too_long, blank) = (self.widest, self.too_long.take(), self.blank);
        *self = Records { widest, too_long, blank, ..Records::new(from, self.delimiter, line) };
    }

    /// Reads the next record into `row`; false at the end.
    fn next(&mut self, row: &mut Row) -> Result<bool, Failure> {
        let line = self.before + self.core.line();
        let (mut written, mut fields, mut cut) = (0, 0, None);
        let mut kept;
        self.quotes = 0;
        let (mut blank, mut is_begun) = (0, false);
        // They grow with the record; to fill them as far as a long one before it made them costs for each of the others.
        row.text.resize(1 << 10, 0);
        row.ends.resize(64, 0);
        let more = loop {
            let input = self.from.fill_buf()?;
            self.at_end = input.is_empty();
            let (text, ends) = (&mut row.text[written..], &mut row.ends[fields..]);
            let (result, read, wrote, ended) = self.core.read_record(input, text, ends);
            self.quotes += memchr::memchr_iter(b'"', &input[..read]).count();
            if !is_begun {
                let (breaks, begins) = breaks(&input[..read], self.is_return);
                (blank, is_begun) = (blank + breaks, begins);
            }
            self.is_return = if read > 0 { input[..read].ends_with(b"\r") } else { self.is_return };
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
        // Only a quote makes one record of several lines.
        let quoted = self.before + self.core.line() > line + 1;
        self.open = (more && quoted && self.quotes % 2 == 1).then_some(line);
        self.blank += if more { blank } else { 0 };
        if let Some(more) = cut {
            row.unkept = (fields + more).saturating_sub(kept);
            let why = match (quoted, written < RECORD_MAX) {
                (true, _) => "a record longer than 4 MB was cut; is a quote left open?".to_owned(),
                (false, true) => format!("a record of {} fields was cut after {FIELDS_MAX}", fields + more),
                (false, false) => "a record longer than 4 MB was cut".to_owned(),
            };
            if self.open.is_none() {
                self.too_long.get_or_insert((line, why));
            }
        }
        if self.open.is_none() {
            self.widest = self.widest.max(row.total());
        }
        Ok(more)
    }

    /// Reads to the end of the record, keeping nothing; how many fields end there.
    fn skip_record(&mut self) -> Result<usize, Failure> {
        let (mut text, mut ends) = ([0; 4096], [0; 512]);
        let mut fields = 0;
        loop {
            let input = self.from.fill_buf()?;
            self.at_end = input.is_empty();
            let (result, read, _, ended) = self.core.read_record(input, &mut text, &mut ends);
            self.quotes += memchr::memchr_iter(b'"', &input[..read]).count();
            self.is_return = if read > 0 { input[..read].ends_with(b"\r") } else { self.is_return };
            self.from.consume(read);
            fields += ended;
            match result {
                csv_core::ReadRecordResult::Record | csv_core::ReadRecordResult::End => return Ok(fields),
                _ => {}
            }
        }
    }
}

/// Line breaks before the first other sign, and whether there is one. A line feed behind a return is a part of it.
fn breaks(read: &[u8], mut is_return: bool) -> (u64, bool) {
    let mut breaks = 0;
    for byte in read {
        match byte {
            b'\n' if is_return => {}
            b'\n' | b'\r' => breaks += 1,
            _ => return (breaks, true),
        }
        is_return = *byte == b'\r';
    }
    (breaks, false)
}
