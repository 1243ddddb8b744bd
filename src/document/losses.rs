//! What the cells of a workbook lack.

use calamine::{Data, DataRef, Range, XlsxError};

use super::out::Out;
use super::unlisted::Found;

/// What cells may lack: where a workbook is cut off or damaged, and where no program has worked it out.
pub struct Losses {
    /// Whether it is, and what has happened to it.
    pub cut: bool,
    happened: &'static str,
    /// Texts that were not there, of the present sheet.
    pub texts: u64,
    /// Cells of it that are wrong by themselves.
    pub cells: u64,
    /// Formulas of the present sheet without a result.
    pub results: u64,
    /// Whether what tells dates from numbers is lost, and nothing was said of it.
    unstyled: bool,
    /// Whether there were numbers.
    numbers: bool,
}

impl Losses {
    /// Of a workbook whose looks stand in a part.
    pub fn of(found: Option<&Found>, styles: &str) -> Losses {
        let unstyled = found.is_some_and(|found| found.lacks(styles));
        let happened = found.map_or("", Found::happened);
        Losses { cut: found.is_some(), happened, texts: 0, cells: 0, results: 0, unstyled, numbers: false }
    }

    /// Takes in a value.
    pub fn look_at(&mut self, value: &DataRef<'_>) {
        self.numbers |= matches!(value, DataRef::Float(_) | DataRef::Int(_));
    }

    /// Says it at the end of a sheet.
    pub fn say(&mut self, out: &mut Out<'_>) {
        let (lost, numbers) = (std::mem::take(&mut self.texts), std::mem::take(&mut self.numbers));
        say_unworked(std::mem::take(&mut self.results), "not stored", out);
        if lost > 0 {
            let cells = match lost {
                1 => "1 of its cells is empty here: its text".to_owned(),
                more => format!("{more} of its cells are empty here: their texts"),
            };
            out.note(match (self.cut, lost) {
                (true, _) => format!("{cells} stood where the file is {}", self.happened),
                (false, 1) => format!("{cells} is not in the file"),
                (false, _) => format!("{cells} are not in the file"),
            });
        }
        match std::mem::take(&mut self.cells) {
            0 => {}
            1 => out.note(
                "1 of its cells or rows is written wrongly, in its place or in what it holds: a cell may be left out",
            ),
            more => {
                out.note(format!(
                    "{more} of its cells or rows are written wrongly, in their places or in what they hold: cells may be left out"
                ));
            }
        }
        if numbers && std::mem::take(&mut self.unstyled) {
            let happened = self.happened;
            out.note(format!(
                "dates may stand here as plain numbers: what tells them apart stood where the file is {happened}"
            ));
        }
    }
}

/// Says of so many cells that the results of their formulas are empty here, and what is known of these.
pub fn say_unworked(cells: u64, results: &str, out: &mut Out<'_>) {
    match cells {
        0 => {}
        1 => out.note(format!("1 of its cells is empty here: it holds a formula whose result is {results}")),
        more => {
            out.note(format!("{more} of its cells are empty here: they hold formulas whose results are {results}"));
        }
    }
}

/// A row or column so far behind the first one.
pub fn at(first: u32, offset: usize) -> u32 {
    first.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX))
}

/// Cells of a sheet that hold a formula and no value, or one that `is_none`.
pub fn unworked(values: &Range<Data>, formulas: &Range<String>, is_none: fn(&Data) -> bool) -> u64 {
    let (row, column) = formulas.start().unwrap_or_default();
    let is_empty = |(below, beside, _): &(usize, usize, &String)| {
        values.get_value((at(row, *below), at(column, *beside))).is_none_or(is_none)
    };
    formulas.used_cells().filter(is_empty).count() as u64
}

/// Whether something is wrong with one cell, and those behind it can be read.
pub fn is_of_cell(why: &XlsxError) -> bool {
    use XlsxError::{Alphanumeric, CellError, CellTAttribute, NumericColumn, ParseFloat, ParseInt, UnexpectedNode};
    use XlsxError::{
        ColumnNumberOverflow, RangeWithoutColumnComponent, RangeWithoutRowComponent, RowNumberOverflow, Unrecognized,
    };
    let is_place = matches!(why, Alphanumeric(_) | NumericColumn(_) | ColumnNumberOverflow | RowNumberOverflow);
    is_place
        || matches!(why, RangeWithoutColumnComponent | RangeWithoutRowComponent | CellTAttribute(_) | CellError(_))
        || matches!(why, ParseFloat(_) | ParseInt(_) | UnexpectedNode(_) | Unrecognized { .. })
}
