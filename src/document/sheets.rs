//! Workbooks: XLSX, XLSB, XLS, ODS; a heading and a Markdown table per sheet.

use std::io::{BufReader, Cursor};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{
    Cell, Data, DataRef, DataType, Dimensions, Reader, Sheet, SheetType, SheetVisible, Xls, Xlsb, XlsbError, Xlsx,
    XlsxCellReader, XlsxError,
};

use crate::content::one_line;

use super::cell_links::Links;
use super::cell_text::Text;
use super::heading::heading;
use super::input::{Failure, Input, Places};
use super::losses::{Losses, at, is_of_cell, say_unworked, unworked};
use super::ods;
use super::ods_beside;
use super::office::beside::Beside;
use super::out::Out;
use super::piece::{Place, PlaceKind};
use super::table::{Row, TableWriter};
use super::unlisted::Needed;
use super::workbook::{Book, Cells, Known, failure, guarded, needed, needed_binary, opened, renamed};
use super::xls_anew::{self, Other};
use super::xls_beside;
use super::xls_mend;

/// Rows that tell the first column and the width of a table before it is written.
const LOOKED_AT: usize = 100;
/// Columns of a sheet, as Excel has them.
const COLUMNS_MAX: u32 = 16_384;

type From<'a> = BufReader<Places<'a>>;

/// XLSX as Markdown, cell by cell.
///
/// # Errors
/// Where the workbook cannot be opened.
pub fn convert_xlsx(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let Book { mut cells, found, places, names, origin } = opened::<Xlsx<_>>(input, out)?;
    let mut losses = Losses::of(found.as_ref(), "xl/styles.xml");
    // What is left of a damaged one is told of already.
    let beside = if found.is_none() { Some(Beside::of(origin, out)?) } else { None };
    let mut again = None;
    let sheets = cells.sheets_metadata().to_vec();
    each_sheet(&renamed(&sheets, names), input, beside, out, |number, table, out| {
        let Some(name) = sheets.get(number).map(|sheet| sheet.name.as_str()) else { return Ok(()) };
        // Where cells are that are wrong is told by a second reader, which needs none of their values.
        let (mut second, mut read) = (None, 0u64);
        let mut opener = Some(&mut again);
        let mut cells = cells.worksheet_cells_reader(name).map_err(failure)?;
        table.bounds(cells.dimensions());
        let next = || loop {
            let mut place = second.as_mut().and_then(next_place);
            let why = match cells.next_cell_with_formula_metadata() {
                Ok(Some(cell)) => {
                    read += 1;
                    losses.look_at(&cell.value);
                    losses.results += u64::from(cell.formula.is_some() && matches!(cell.value, DataRef::Empty));
                    return Ok(Some(Cell::new(place.unwrap_or(cell.pos), cell.value)));
                }
                Ok(None) => return Ok(None),
                Err(why) => why,
            };
            if let Some(again) = opener.take() {
                if again.is_none() {
                    *again = Xlsx::open(places.clone()).ok();
                }
                second = again.as_mut().and_then(|book: &mut Xlsx<_>| book.worksheet_cells_reader(name).ok());
                if let Some(second) = &mut second {
                    for _ in 0..read {
                        let _ = second.next_formula();
                    }
                    place = next_place(second);
                }
            }
            read += 1;
            match (why, place) {
                // Its text says what it is, whatever that is.
                (XlsxError::CellError(text) | XlsxError::Unrecognized { val: text, .. }, Some(place)) => {
                    return Ok(Some(Cell::new(place, DataRef::String(text))));
                }
                // A formula that is shared wrongly.
                (XlsxError::Unexpected(why), _) if why.starts_with("si ") => losses.cells += 1,
                // The texts of all sheets stand together, behind them.
                (XlsxError::Unexpected(_), _) => losses.texts += 1,
                // Its reader has passed what is wrong.
                (why, _) if is_of_cell(&why) => losses.cells += 1,
                (why, _) => return Err(failure(why)),
            }
        };
        let read = cell_by_cell(next, table, out);
        losses.say(out);
        read
    })
}

/// Where the next cell of a sheet is, whatever it holds.
fn next_place(cells: &mut XlsxCellReader<'_, From<'_>>) -> Option<(u32, u32)> {
    Some(cells.next_formula().ok()??.get_position())
}

impl<'a> Cells<'a> for Xlsx<From<'a>> {
    const NEEDED: Needed = needed;

    fn open(places: Places<'a>) -> Result<Self, Failure> {
        guarded(|| Xlsx::new(BufReader::new(places)).map_err(failure))
    }

    fn known(&mut self) -> Known {
        let sheets = self.sheets_metadata().to_vec();
        let mut is_lost =
            |sheet: &Sheet| sheet.typ == SheetType::WorkSheet && self.worksheet_cells_reader(&sheet.name).is_err();
        match Known::of(&sheets) {
            Known::Sheets if sheets.iter().any(&mut is_lost) => Known::Astray,
            known => known,
        }
    }
}

/// XLSB as Markdown, cell by cell.
///
/// # Errors
/// As [`convert_xlsx`].
pub fn convert_xlsb(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let Book { mut cells, found, names, origin, .. } = opened::<Xlsb<_>>(input, out)?;
    let mut losses = Losses::of(found.as_ref(), "xl/styles.bin");
    let beside = if found.is_none() { Some(Beside::of(origin, out)?) } else { None };
    let sheets = cells.sheets_metadata().to_vec();
    each_sheet(&renamed(&sheets, names), input, beside, out, |number, table, out| {
        let Some(name) = sheets.get(number).map(|sheet| sheet.name.as_str()) else { return Ok(()) };
        let mut cells = match losses.cut {
            true => guarded(|| cells.worksheet_cells_reader(name).map_err(failure))?,
            false => cells.worksheet_cells_reader(name).map_err(failure)?,
        };
        table.bounds(cells.dimensions());
        let next = || loop {
            let read = match losses.cut {
                false => Ok(cells.next_cell()),
                true => catch_unwind(AssertUnwindSafe(|| cells.next_cell())),
            };
            match read {
                Ok(Ok(cell)) => {
                    cell.iter().for_each(|cell| losses.look_at(cell.get_value()));
                    return Ok(cell);
                }
                // Its reader has passed what is wrong.
                Ok(Err(XlsbError::CellError(_) | XlsbError::WideStr { .. })) => losses.cells += 1,
                Ok(Err(why)) => return Err(failure(why)),
                // The reader has passed the cell when it looks for its text.
                Err(_) => losses.texts += 1,
            }
        };
        let read = cell_by_cell(next, table, out);
        losses.say(out);
        read
    })
}

impl<'a> Cells<'a> for Xlsb<From<'a>> {
    const NEEDED: Needed = needed_binary;
    const IS_SILENT: bool = true;

    fn open(places: Places<'a>) -> Result<Self, Failure> {
        guarded(|| Xlsb::new(BufReader::new(places)).map_err(failure))
    }

    fn known(&mut self) -> Known {
        Known::of(self.sheets_metadata())
    }
}

/// XLS as Markdown.
///
/// # Errors
/// As [`convert_xlsx`].
pub fn convert_xls(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut bytes = input.whole(256 << 20)?;
    match xls_anew::other(&bytes) {
        Some(Other::Encrypted) => return Err(Failure::Encrypted),
        Some(Other::Older(version)) => {
            let why = format!("it is of Excel {version}, and only workbooks of Excel 5 and later are read");
            return Err(Failure::Damaged(why));
        }
        None => {}
    }
    let mut lost = xls_mend::mend(&mut bytes, false);
    let mut anew = xls_anew::written(&bytes);
    let mut book = open_xls(anew.as_ref().map_or(&bytes, |anew| &anew.bytes));
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
        anew = xls_anew::written(&bytes);
        book = open_xls(anew.as_ref().map_or(&bytes, |anew| &anew.bytes));
    }
    let book = book?;
    let sheets = book.sheets_metadata().to_vec();
    let numbered = xls_mend::numbered(anew.as_ref().map_or(&bytes, |anew| &anew.bytes), &sheets);
    let mut book = numbered.as_ref().and_then(|bytes| open_xls(bytes).ok()).unwrap_or(book);
    let known = book.sheets_metadata().to_vec();
    let beside = Beside::told(xls_beside::read(&bytes));
    if lost.book {
        out.note_on_all("what is told of the whole workbook is damaged: sheets may be missing, and dates may stand here as plain numbers");
    }
    if lost.texts {
        out.note_on_all("the texts of its cells are damaged: cells whose text stood behind the damage are empty here");
    }
    each_sheet(&sheets, input, Some(beside), out, |number, table, out| {
        let Some(name) = known.get(number).map(|sheet| sheet.name.as_str()) else { return Ok(()) };
        let values = book.worksheet_range(name).map_err(failure)?;
        let read = match anew.as_ref().and_then(|anew| anew.cells(number, &values)) {
            Some(cells) => whole_sheet(cells.into_iter(), table, out),
            None => whole_sheet(placed(&values), table, out),
        };
        if let Ok(formulas) = book.worksheet_formula(name) {
            // One mark stands for a result without text and for none at all.
            let is_none = |value: &Data| value.is_empty() || value.get_string() == Some("");
            say_unworked(unworked(&values, &formulas, is_none), "empty or not stored", out);
        }
        if lost.sheets.contains(&number) {
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
    let Book { cells: mut book, found, places, origin, .. } = match opened::<ods::Book<'_>>(input, out) {
        Err(Failure::Damaged(_)) if ods_beside::is_encrypted(input) => return Err(Failure::Encrypted),
        opened => opened?,
    };
    // What is left of a damaged one is told of already.
    let beside = match found {
        Some(_) => None,
        None => {
            let (told, is_said_in_text) = ods_beside::read(origin, out)?;
            if is_said_in_text && book.anew.is_none() {
                book = ods::anew(places).unwrap_or(None).unwrap_or(book);
            }
            Some(Beside::told(told))
        }
    };
    let ods::Book { cells: mut book, anew } = book;
    anew.iter().for_each(|anew| anew.say(out));
    let sheets = book.sheets_metadata().to_vec();
    each_sheet(&renamed(&sheets, anew.map(|anew| anew.names)), input, beside, out, |number, table, out| {
        let Some(name) = sheets.get(number).map(|sheet| sheet.name.as_str()) else { return Ok(()) };
        let values = book.worksheet_range(name).map_err(failure)?;
        let read = whole_sheet(placed(&values), table, out);
        if let Ok(formulas) = book.worksheet_formula(name) {
            say_unworked(unworked(&values, &formulas, Data::is_empty), "not stored", out);
        }
        read
    })
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

/// The cells of a sheet, and where they stand.
fn placed(range: &calamine::Range<Data>) -> impl Iterator<Item = ((u32, u32), &Data)> + Clone {
    let (first_row, first_column) = range.start().unwrap_or_default();
    range.used_cells().map(move |(row, column, value)| ((at(first_row, row), at(first_column, column)), value))
}

/// Takes a sheet in that is there as a whole.
fn whole_sheet<'a>(
    cells: impl Iterator<Item = ((u32, u32), &'a Data)> + Clone,
    table: &mut SheetTable<'_>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let filled = cells.clone().filter(|(_, value)| value.get_string() != Some(""));
    table.last = filled.map(|((_, column), _)| column).max();
    for (place, value) in cells {
        table.cell(place, value, out)?;
    }
    Ok(())
}

/// Writes each sheet that holds cells, or on which something is drawn; those beyond the limit are counted. `read` is told the
/// sheet's number from 0.
fn each_sheet(
    sheets: &[Sheet],
    input: &Input<'_>,
    mut beside: Option<Beside<'_>>,
    out: &mut Out<'_>,
    mut read: impl FnMut(usize, &mut SheetTable<'_>, &mut Out<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let has_cells = |sheet: &Sheet| sheet.typ == SheetType::WorkSheet;
    let draws = |place: usize| beside.as_ref().is_some_and(|beside| beside.draws(place));
    let shown = (1u32..).zip(sheets.iter().enumerate());
    let shown = shown.filter(|(_, (place, sheet))| has_cells(sheet) || draws(*place));
    let shown: Vec<(u32, (usize, &Sheet))> = shown.collect();
    let total = shown.len() as u64;
    let most = input.limits.map_or(u64::MAX, |limits| limits.sheets);
    out.fact("sheets", total);
    let mut ends = Vec::new();
    for ((number, (place, sheet)), index) in shown.into_iter().zip(0u64..) {
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
        if let Some(beside) = &mut beside {
            table.links = beside.links(place, out)?;
        }
        let done = if has_cells(sheet) { read(place, &mut table, out) } else { Ok(()) };
        table.end(out)?;
        if let Some(beside) = &mut beside {
            beside.write(place, out)?;
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
    /// The last column of all rows, where that is known before they come.
    last: Option<u32>,
    /// Rows between the others that hold nothing.
    blank: u64,
    links: Links,
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
            last: None,
            blank: 0,
            links: Links::default(),
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
        self.cells.push((column, self.links.linked((row, column), text)));
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
        let longest = self.last.map_or(0, |last| last.min(COLUMNS_MAX - 1).saturating_sub(self.origin) as usize + 1);
        let mut rows = waiting.iter();
        if let Some(header) = rows.next() {
            lay_out(header, self.origin, &mut self.row);
            let label = self.label.clone();
            self.writer = Some(TableWriter::begin(self.input.limits, label, &self.row, (widest, longest), out)?);
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

#[cfg(test)]
#[path = "sheets_tests.rs"]
mod tests;
