//! What the cells of a workbook lack.

use calamine::DataRef;

use super::out::Out;
use super::unlisted::Found;

/// What cells may lack: where a workbook is cut off or damaged, and where no program has worked it out.
pub struct Losses {
    /// Whether it is, and what has happened to it.
    pub cut: bool,
    happened: &'static str,
    /// Texts that were not there, of the present sheet.
    pub texts: u64,
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
        Losses { cut: found.is_some(), happened, texts: 0, results: 0, unstyled, numbers: false }
    }

    /// Takes in a value.
    pub fn look_at(&mut self, value: &DataRef<'_>) {
        self.numbers |= matches!(value, DataRef::Float(_) | DataRef::Int(_));
    }

    /// Says it at the end of a sheet.
    pub fn say(&mut self, out: &mut Out<'_>) {
        let (lost, numbers) = (std::mem::take(&mut self.texts), std::mem::take(&mut self.numbers));
        let results = std::mem::take(&mut self.results);
        if results > 0 {
            let said = match results {
                1 => "1 of its cells is empty here: it holds a formula whose result is not stored".to_owned(),
                more => format!("{more} of its cells are empty here: they hold formulas whose results are not stored"),
            };
            out.note(said);
        }
        if lost > 0 {
            let cells = match lost {
                1 => "1 of its cells is empty here: its text".to_owned(),
                more => format!("{more} of its cells are empty here: their texts"),
            };
            out.note(format!("{cells} stood where the file is {}", self.happened));
        }
        if numbers && std::mem::take(&mut self.unstyled) {
            let happened = self.happened;
            out.note(format!(
                "dates may stand here as plain numbers: what tells them apart stood where the file is {happened}"
            ));
        }
    }
}
