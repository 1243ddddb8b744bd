//! Workbooks: XLSX, XLSB, XLS, ODS; a heading and a Markdown table per sheet.

use std::io::{BufReader, Cursor};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{
    Cell, Data, DataRef, DataType, Dimensions, ExcelDateTime, Ods, Reader, Sheet, SheetType, SheetVisible, Xls, Xlsb,
    Xlsx, XlsxError,
};

use crate::content::one_line;

use super::heading::heading;
use super::input::{Failure, Input, Places};
use super::losses::{Losses, at, say_unworked, unworked};
use super::ods_beside;
use super::ods_repeats;
use super::office::beside::Beside;
use super::out::Out;
use super::piece::{Place, PlaceKind};
use super::table::{Row, TableWriter};
use super::workbook::{Kind, failure, guarded, manifest, needed, needed_binary, opened};
use super::xls_beside;
use super::xls_mend;

/// Rows that tell the first column and the width of a table before it is written.
const LOOKED_AT: usize = 100;
/// Columns of a sheet, as Excel has them.
const COLUMNS_MAX: u32 = 16_384;

const XLSX: Kind = Kind { needed, main: None, silent: false };
const XLSB: Kind = Kind { needed: needed_binary, main: None, silent: true };
const ODS: Kind = Kind { needed: manifest, main: Some("content.xml"), silent: false };

type From<'a> = BufReader<Places<'a>>;

/// XLSX as Markdown, cell by cell.
///
/// # Errors
/// Where the workbook cannot be opened.
pub fn convert_xlsx(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let (mut book, found) = opened(input, &XLSX, Xlsx::new, out)?;
    let (found, places) = match found {
        Some((found, places)) => (Some(found), Some(places)),
        None => (None, None),
    };
    let mut losses = Losses::of(found.as_ref(), "xl/styles.xml");
    // What is left of a damaged one is told of already.
    let beside = if found.is_none() { Some(Beside::of(input, out)?) } else { None };
    // Where cells are is told by a second reader, which needs none of their texts.
    let mut places_of = match places {
        Some(places) => Some(Xlsx::<From<'_>>::new(BufReader::new(places)).map_err(failure)?),
        None => None,
    };
    let sheets = book.sheets_metadata().to_vec();
    each_sheet(&sheets, input, beside, out, |name, table, out| {
        let mut places = places_of.as_mut().and_then(|book| book.worksheet_cells_reader(name).ok());
        let mut cells = book.worksheet_cells_reader(name).map_err(failure)?;
        table.bounds(cells.dimensions());
        let next = || loop {
            let place = places.as_mut().and_then(|places| places.next_formula().ok()?).map(|cell| cell.get_position());
            match cells.next_cell_with_formula_metadata() {
                Ok(Some(cell)) => {
                    losses.look_at(&cell.value);
                    losses.results += u64::from(cell.formula.is_some() && matches!(cell.value, DataRef::Empty));
                    return Ok(Some(Cell::new(place.unwrap_or(cell.pos), cell.value)));
                }
                // A formula that is shared wrongly.
                Err(XlsxError::Unexpected(why)) if why.starts_with("si ") => losses.cells += 1,
                // The texts of all sheets stand together, behind them.
                Err(XlsxError::Unexpected(_)) => losses.texts += 1,
                // Its reader has passed what is wrong.
                Err(why) if is_of_cell(&why) => losses.cells += 1,
                other => return other.map(|_| None).map_err(failure),
            }
        };
        let read = cell_by_cell(next, table, out);
        losses.say(out);
        read
    })
}

/// XLSB as Markdown, cell by cell.
///
/// # Errors
/// As [`convert_xlsx`].
pub fn convert_xlsb(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let (mut book, found) = opened(input, &XLSB, Xlsb::new, out)?;
    let mut losses = Losses::of(found.as_ref().map(|(found, _)| found), "xl/styles.bin");
    let sheets = book.sheets_metadata().to_vec();
    each_sheet(&sheets, input, None, out, |name, table, out| {
        let mut cells = match losses.cut {
            true => guarded(|| book.worksheet_cells_reader(name).map_err(failure))?,
            false => book.worksheet_cells_reader(name).map_err(failure)?,
        };
        table.bounds(cells.dimensions());
        let next = || loop {
            let mut next = || cells.next_cell().map_err(failure);
            if !losses.cut {
                return next();
            }
            match catch_unwind(AssertUnwindSafe(next)) {
                Ok(cell) => {
                    cell.iter().flatten().for_each(|cell| losses.look_at(cell.get_value()));
                    return cell;
                }
                // The reader has passed the cell when it looks for its text.
                Err(_) => losses.texts += 1,
            }
        };
        let read = cell_by_cell(next, table, out);
        losses.say(out);
        read
    })
}

/// XLS as Markdown.
///
/// # Errors
/// As [`convert_xlsx`].
pub fn convert_xls(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut bytes = input.whole(256 << 20)?;
    let mut lost = xls_mend::mend(&mut bytes, false);
    let mut book = open_xls(&bytes);
    if let Err(Failure::Damaged(why)) = book {
        lost.texts |= xls_mend::mend(&mut bytes, true).texts;
        if open_xls(&bytes).is_err() {
            // Records lie in the file in their order, as a rule.
            let gathered = [false, true]
                .into_iter()
                .find_map(|drop| xls_mend::gathered(&bytes, drop).filter(|(file, _)| open_xls(file).is_ok()));
            (bytes, lost) = gathered.ok_or(Failure::Damaged(why))?;
            out.note_on_all(
                "what says where the parts of the file stand is damaged or lost; its cells are read in the order of the file",
            );
        }
        book = open_xls(&bytes);
    }
    let mut book = book?;
    let sheets = book.sheets_metadata().to_vec();
    let names = sheets.iter().map(|sheet| sheet.name.clone());
    let beside = Beside::told(names.zip(xls_beside::read(&bytes)));
    if lost.book {
        out.note_on_all("what is told of the whole workbook is damaged: sheets may be missing, and dates may stand here as plain numbers");
    }
    if lost.texts {
        out.note_on_all("the texts of its cells are damaged: cells whose text stood behind the damage are empty here");
    }
    each_sheet(&sheets, input, Some(beside), out, |name, table, out| {
        let values = book.worksheet_range(name).map_err(failure)?;
        let read = whole_sheet(&values, table, out);
        if let Ok(formulas) = book.worksheet_formula(name) {
            // One mark stands for a result without text and for none at all.
            let is_none = |value: &Data| value.is_empty() || value.get_string() == Some("");
            say_unworked(unworked(&values, &formulas, is_none), "empty or not stored", out);
        }
        let number = sheets.iter().position(|sheet| sheet.name == name);
        if number.is_some_and(|number| lost.sheets.contains(&number)) {
            out.note("a part of the sheet is damaged; it is left out, and a cell beside it may be wrong");
        }
        read
    })
}

fn open_xls(bytes: &[u8]) -> Result<Xls<Cursor<&[u8]>>, Failure> {
    // Its reader would follow the sectors without end.
    if xls_mend::is_tangled(bytes) {
        return Err(Failure::Damaged("what says where its parts stand is damaged".to_owned()));
    }
    guarded(|| Xls::new(Cursor::new(bytes)).map_err(failure))
}

/// ODS as Markdown.
///
/// # Errors
/// As [`convert_xlsx`].
pub fn convert_ods(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let ((mut book, found), repeats) = match opened(input, &ODS, Ods::new, out) {
        Err(Failure::TooMany) => ((ods_repeats::open(input, out)?, None), true),
        book => (book?, false),
    };
    // What is left of a damaged one is told of already.
    let beside = match found {
        Some(_) => None,
        None => {
            let (told, is_said_in_text) = ods_beside::read(input, out)?;
            let parted = if is_said_in_text && !repeats { ods_repeats::without_said(input, out)? } else { None };
            book = parted.unwrap_or(book);
            Some(Beside::told(told))
        }
    };
    let sheets = book.sheets_metadata().to_vec();
    each_sheet(&sheets, input, beside, out, |name, table, out| {
        let values = book.worksheet_range(name).map_err(failure)?;
        let read = whole_sheet(&values, table, out);
        if let Ok(formulas) = book.worksheet_formula(name) {
            say_unworked(unworked(&values, &formulas, Data::is_empty), "not stored", out);
        }
        read
    })
}

/// Whether something is wrong with one cell, and those behind it can be read.
fn is_of_cell(why: &XlsxError) -> bool {
    use XlsxError::{Alphanumeric, CellError, CellTAttribute, NumericColumn, ParseFloat, ParseInt, UnexpectedNode};
    use XlsxError::{
        ColumnNumberOverflow, RangeWithoutColumnComponent, RangeWithoutRowComponent, RowNumberOverflow, Unrecognized,
    };
    let is_place = matches!(why, Alphanumeric(_) | NumericColumn(_) | ColumnNumberOverflow | RowNumberOverflow);
    is_place
        || matches!(why, RangeWithoutColumnComponent | RangeWithoutRowComponent | CellTAttribute(_) | CellError(_))
        || matches!(why, ParseFloat(_) | ParseInt(_) | UnexpectedNode(_) | Unrecognized { .. })
}

/// Takes a sheet in while it is read.
fn cell_by_cell<'a>(
    mut next: impl FnMut() -> Result<Option<Cell<DataRef<'a>>>, Failure>,
    table: &mut SheetTable<'_>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    while let Some(cell) = next()? {
        table.cell(cell.get_position(), cell.get_value(), out)?;
    }
    Ok(())
}

fn whole_sheet(range: &calamine::Range<Data>, table: &mut SheetTable<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let (first_row, first_column) = range.start().unwrap_or_default();
    for (row, column, value) in range.used_cells() {
        table.cell((at(first_row, row), at(first_column, column)), value, out)?;
    }
    Ok(())
}

/// Writes each sheet that holds cells, or on which something is drawn; those beyond the limit are counted.
fn each_sheet(
    sheets: &[Sheet],
    input: &Input<'_>,
    mut beside: Option<Beside<'_>>,
    out: &mut Out<'_>,
    mut read: impl FnMut(&str, &mut SheetTable<'_>, &mut Out<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let has_cells = |sheet: &Sheet| sheet.typ == SheetType::WorkSheet;
    let draws = |sheet: &Sheet| beside.as_ref().is_some_and(|beside| beside.draws(&sheet.name));
    let shown = (1u32..).zip(sheets).filter(|(_, sheet)| has_cells(sheet) || draws(sheet));
    let shown: Vec<(u32, &Sheet)> = shown.collect();
    let total = shown.len() as u64;
    let most = input.limits.map_or(u64::MAX, |limits| limits.sheets);
    out.fact("sheets", total);
    let mut ends = Vec::new();
    for ((number, sheet), index) in shown.into_iter().zip(0u64..) {
        if index >= most {
            break;
        }
        let name = one_line(&sheet.name);
        out.blank_line()?;
        out.anchor(Place::named(PlaceKind::Sheet, number, &name))?;
        out.block(&heading(2, &name))?;
        if sheet.visible != SheetVisible::Visible {
            out.block("*Hidden sheet*")?;
            out.blank_line()?;
        }
        let label = (total.min(most) > 1).then_some(name);
        let mut table = SheetTable::new(input, label);
        let done = if has_cells(sheet) { read(&sheet.name, &mut table, out) } else { Ok(()) };
        table.end(out)?;
        if let Some(beside) = &mut beside {
            beside.write(&sheet.name, out)?;
        }
        ends.push(out.written());
        match done {
            Err(Failure::Stop(stop)) => return Err(stop.into()),
            Err(why) => out.note(format!("the sheet cannot be read to its end: {why}")),
            Ok(()) => {}
        }
        out.progress(index + 1, total)?;
    }
    if input.limits.is_some() {
        out.shown_to("sheets", ends, total);
    }
    Ok(())
}

/// The table of a sheet, while its cells come in.
struct SheetTable<'a> {
    input: &'a Input<'a>,
    label: Option<String>,
    /// Rows that came before the table was begun: column and text of each cell.
    waiting: Vec<Vec<(u32, String)>>,
    writer: Option<TableWriter<'a>>,
    /// The first column of the table, from 0.
    origin: u32,
    newest: Option<u32>,
    cells: Vec<(u32, String)>,
    row: Row,
    said_first: Option<u32>,
    /// Rows between the others that hold nothing.
    blank: u64,
}

impl<'a> SheetTable<'a> {
    fn new(input: &'a Input<'a>, label: Option<String>) -> SheetTable<'a> {
        SheetTable {
            input,
            label,
            waiting: Vec::new(),
            writer: None,
            origin: 0,
            newest: None,
            cells: Vec::new(),
            row: Row::default(),
            said_first: None,
            blank: 0,
        }
    }

    /// What the sheet says of its own bounds.
    fn bounds(&mut self, bounds: Dimensions) {
        // A sheet that says nothing of them has only its first cell there.
        self.said_first = (bounds.end != (0, 0)).then_some(bounds.start.1);
    }

    fn cell(&mut self, (row, column): (u32, u32), value: &impl Text, out: &mut Out<'_>) -> Result<(), Failure> {
        let text = value.text();
        if text.is_empty() || column >= COLUMNS_MAX {
            return Ok(());
        }
        if self.newest != Some(row) {
            self.end_row(out)?;
            let between = self.newest.and_then(|newest| row.checked_sub(newest)?.checked_sub(1));
            self.blank = self.blank.saturating_add(between.unwrap_or(0).into());
            self.newest = Some(row);
        }
        self.cells.push((column, text));
        Ok(())
    }

    fn end_row(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        if self.cells.is_empty() {
            return Ok(());
        }
        let mut cells = std::mem::take(&mut self.cells);
        if !cells.is_sorted_by_key(|(column, _)| *column) {
            cells.sort_by_key(|(column, _)| *column);
        }
        if self.writer.is_some() {
            self.write(&cells, out)?;
            cells.clear();
            self.cells = cells;
            return Ok(());
        }
        self.waiting.push(cells);
        if self.waiting.len() >= LOOKED_AT { self.begin(out) } else { Ok(()) }
    }

    /// Begins the table with the rows that have waited.
    fn begin(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        let waiting = std::mem::take(&mut self.waiting);
        let columns = || waiting.iter().flatten().map(|(column, _)| *column);
        let first = columns().min().unwrap_or(0);
        self.origin = self.said_first.map_or(first, |said| said.min(first));
        let widest = columns().max().map_or(0, |last| last.saturating_sub(self.origin) as usize + 1);
        let mut rows = waiting.iter();
        if let Some(header) = rows.next() {
            lay_out(header, self.origin, &mut self.row);
            let label = self.label.clone();
            self.writer = Some(TableWriter::begin(self.input.limits, label, &self.row, (widest, 0), out)?);
        }
        for row in rows {
            self.write(row, out)?;
        }
        Ok(())
    }

    fn write(&mut self, cells: &[(u32, String)], out: &mut Out<'_>) -> Result<(), Failure> {
        lay_out(cells, self.origin, &mut self.row);
        if let Some(writer) = &mut self.writer {
            writer.row(&mut self.row, out)?;
        }
        Ok(())
    }

    fn end(mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        self.end_row(out)?;
        if self.writer.is_none() && !self.waiting.is_empty() {
            self.begin(out)?;
        }
        if let Some(writer) = self.writer {
            writer.end(out)?;
        }
        out.left_out(self.label.as_deref(), "blank row", self.blank);
        Ok(())
    }
}

/// Cells in their columns, with nothing between them where there is nothing.
fn lay_out(cells: &[(u32, String)], origin: u32, row: &mut Row) {
    row.clear();
    for (column, text) in cells {
        let column = column.saturating_sub(origin) as usize;
        while row.count() < column {
            row.push("");
        }
        row.push(text);
    }
}

/// The text of a cell.
trait Text {
    fn text(&self) -> String;
}

impl Text for Data {
    fn text(&self) -> String {
        match self {
            Data::DateTime(when) => date(when),
            Data::Float(value) => number(*value),
            Data::Error(error) => error.to_string(),
            Data::Bool(true) => "TRUE".to_owned(),
            Data::Bool(false) => "FALSE".to_owned(),
            Data::DateTimeIso(when) => when.replacen('T', " ", 1),
            Data::DurationIso(length) => duration(length).unwrap_or_else(|| length.clone()),
            other => other.as_string().unwrap_or_default(),
        }
    }
}

impl Text for DataRef<'_> {
    fn text(&self) -> String {
        match self {
            DataRef::SharedString(text) => (*text).to_owned(),
            other => Data::from(other.clone()).text(),
        }
    }
}

/// A date and time, or a length of time in hours, minutes and seconds.
pub fn date(when: &ExcelDateTime) -> String {
    if when.is_duration() {
        let millis = (when.as_f64() * 86_400_000.0).round();
        let (sign, millis) = if millis < 0.0 { ("-", -millis) } else { ("", millis) };
        let (hours, rest) = ((millis / 3_600_000.0).floor(), millis % 3_600_000.0);
        let (minutes, rest) = ((rest / 60_000.0).floor(), rest % 60_000.0);
        let (seconds, rest) = ((rest / 1000.0).floor(), rest % 1000.0);
        return format!("{sign}{hours}:{minutes:02}:{seconds:02}{}", fraction(rest as u16));
    }
    let (year, month, day, hour, minute, second, milli) = when.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}{}", fraction(milli));
    // Before its first day there is only a time.
    let is_time = (0.0..1.0).contains(&when.as_f64());
    if is_time { time } else { format!("{year:04}-{month:02}-{day:02} {time}") }
}

/// A length of time as ISO 8601 writes it (`PT8H30M0S`, as OpenDocument keeps times of day, too), in hours, minutes and
/// seconds; `None` where it is none, or has months, which are no number of hours.
fn duration(iso: &str) -> Option<String> {
    let (sign, rest) = iso.strip_prefix('-').map_or(("", iso), |rest| ("-", rest));
    let (days, time) = rest.strip_prefix('P')?.split_once('T')?;
    let days: u64 = if days.is_empty() { 0 } else { days.strip_suffix('D')?.parse().ok()? };
    let mut parts = ["0"; 3];
    let mut time = time;
    for (part, unit) in parts.iter_mut().zip(['H', 'M', 'S']) {
        if let Some((value, after)) = time.split_once(unit) {
            (*part, time) = (value, after);
        }
    }
    let [hours, minutes, seconds] = parts;
    let (seconds, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, ""));
    let number = |text: &str| text.parse::<u64>().ok();
    let hours = days.checked_mul(24)?.checked_add(number(hours)?)?;
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    let (minutes, seconds) = (number(minutes)?, number(seconds)?);
    time.is_empty().then(|| format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{dot}{fraction}"))
}

/// Thousandths of a second behind it, where there are some.
fn fraction(millis: u16) -> String {
    if millis == 0 { String::new() } else { format!(".{millis:03}").trim_end_matches('0').to_owned() }
}

/// Whole numbers below this are written as such: who looks for an id looks for its digits.
const WHOLE_BELOW: f64 = 1e21;

/// A number as people write it, but for those that are far too long.
fn number(value: f64) -> String {
    let long = value.abs() >= WHOLE_BELOW || (value != 0.0 && value.abs() < 1e-9);
    if long { format!("{value:e}") } else { value.to_string() }
}

#[cfg(test)]
#[path = "sheets_tests.rs"]
mod tests;
