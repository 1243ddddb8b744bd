//! What stands beside the cells of a workbook, by the numbers of its sheets from 0: charts, pictures and text boxes, and
//! comments.

use std::collections::HashMap;

use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::out::Out;
use crate::document::typed::typed;
use crate::document::unlisted::Opened;

use super::comments::{Comments, of_sheet, write};
use super::package::Package;
use super::pptx::drawing;

/// Drawings of one sheet; it has one, as a rule.
const DRAWINGS_MAX: usize = 20;

/// What stands beside the cells of a workbook.
pub struct Beside<'a> {
    /// What leads to drawings that are parts of their own.
    package: Option<Package<'a>>,
    sheets: HashMap<usize, Sheet>,
}

/// What stands beside the cells of a sheet where that is read with them.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// What is written in what is drawn.
    pub texts: Vec<String>,
    /// Comments, in the order of their cells.
    pub comments: Comments,
}

/// The same of one sheet.
struct Sheet {
    /// Parts that are drawings.
    drawings: Vec<String>,
    told: Told,
}

impl<'a> Beside<'a> {
    /// Looks for it in a workbook.
    ///
    /// # Errors
    /// Where the package cannot be read.
    pub fn of(zip: Opened<'a>, out: &mut Out<'_>) -> Result<Beside<'a>, Failure> {
        let mut package = Package::of(zip, out)?;
        let mut found = HashMap::new();
        let is_beside = |name: &String| {
            let name = name.to_ascii_lowercase();
            name.contains("comment") || name.contains("drawing")
        };
        if !package.names().iter().any(is_beside) {
            return Ok(Beside { package: None, sheets: found });
        }
        let main = package.main("xl/workbook.xml")?;
        let parts = package.relations(&main)?;
        for (number, id) in sheets(&mut package, &main)?.into_iter().enumerate() {
            let Some(part) = id.and_then(|id| parts.get(&id)).map(|relation| relation.target.clone()) else { continue };
            let relations = package.relations(&part)?;
            let drawn = relations.into_values().filter(|relation| relation.kind == "drawing" && !relation.external);
            let mut drawings: Vec<String> = drawn.map(|relation| relation.target).take(DRAWINGS_MAX).collect();
            drawings.sort();
            let comments = of_sheet(&mut package, &part)?;
            if !drawings.is_empty() || !comments.is_empty() {
                found.insert(number, Sheet { drawings, told: Told { comments, texts: Vec::new() } });
            }
        }
        Ok(Beside { package: Some(package), sheets: found })
    }

    /// What is told of sheets, in their order.
    #[must_use]
    pub fn told(sheets: impl IntoIterator<Item = Told>) -> Beside<'a> {
        let sheet = |told| Sheet { drawings: Vec::new(), told };
        Beside { package: None, sheets: (0..).zip(sheets.into_iter().map(sheet)).collect() }
    }

    /// Whether something is drawn on a sheet.
    #[must_use]
    pub fn draws(&self, sheet: usize) -> bool {
        self.sheets.get(&sheet).is_some_and(|sheet| !sheet.drawings.is_empty() || !sheet.told.texts.is_empty())
    }

    /// Writes what stands beside the cells of a sheet.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn write(&mut self, sheet: usize, out: &mut Out<'_>) -> Result<(), Failure> {
        let Some(sheet) = self.sheets.get(&sheet) else { return Ok(()) };
        for part in &sheet.drawings {
            let Some(package) = &mut self.package else { break };
            match drawing(package, part, out) {
                Err(Failure::Stop(stop)) => return Err(stop.into()),
                Err(why) => out.note(format!("what is drawn on the sheet cannot be read: {why}")),
                Ok(()) => {}
            }
            package.say_damaged(out);
        }
        for text in &sheet.told.texts {
            out.block(&typed("", text))?;
        }
        if sheet.told.comments.is_empty() { Ok(()) } else { write(&sheet.told.comments, out) }
    }
}

/// The relations that lead from a workbook to the parts of its sheets, in their order.
fn sheets(package: &mut Package<'_>, main: &str) -> Result<Vec<Option<String>>, Failure> {
    let mut found = Vec::new();
    let Some(text) = package.small(main)? else { return Ok(found) };
    let (mut events, mut buffer) = (markup::reader(text), Vec::new());
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) if element.local_name().into_inner() == "sheet" => {
                found.push(markup::prefixed(&element, "id"));
            }
            Ok(Event::Eof) | Err(_) => return Ok(found),
            Ok(_) => {}
        }
    }
}
