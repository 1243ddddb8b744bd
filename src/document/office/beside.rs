//! What stands beside the cells of a workbook, by the numbers of its sheets from 0: charts, pictures and text boxes, and
//! comments, and where the links of cells lead.

use std::collections::HashMap;
use std::io::{self, BufRead};

use memchr::memmem;

use crate::document::cell_links::{Area, Links};
use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::out::Out;
use crate::document::typed::typed;
use crate::document::unlisted::Opened;

use super::binary;
use super::comments::{Comments, of_sheet, write};
use super::package::{Package, Relations};
use super::pptx::drawing;

/// Drawings of one sheet; it has one, as a rule.
const DRAWINGS_MAX: usize = 20;
/// Bytes of a part in binary form.
const BYTES_MAX: u64 = 256 << 20;
/// What ends the cells of a sheet; their links stand behind them.
const END_OF_CELLS: &[u8] = b"/sheetData>";

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
    /// Where the links of cells lead.
    pub links: Links,
    /// Charts that are not read.
    pub charts: usize,
}

/// The same of one sheet.
struct Sheet {
    /// Parts that are drawings.
    drawings: Vec<String>,
    /// The sheet's part and what it refers to, where its cells have links.
    linked: Option<(String, Relations)>,
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
            ["comment", "drawing", "worksheets/_rels/"].iter().any(|word| name.contains(word))
        };
        if !package.names().iter().any(is_beside) {
            return Ok(Beside { package: None, sheets: found });
        }
        let main = package.main("xl/workbook.xml")?;
        let parts = package.relations(&main)?;
        for (number, id) in sheets(&mut package, &main)?.into_iter().enumerate() {
            let Some(part) = id.and_then(|id| parts.get(&id)).map(|relation| relation.target.clone()) else { continue };
            let relations = package.relations(&part)?;
            let drawn = relations.values().filter(|relation| relation.kind == "drawing" && !relation.external);
            let mut drawings: Vec<String> = drawn.map(|relation| relation.target.clone()).take(DRAWINGS_MAX).collect();
            drawings.sort();
            let comments = of_sheet(&mut package, &part)?;
            let is_linked = relations.values().any(|relation| relation.kind == "hyperlink" && relation.external);
            let linked = is_linked.then_some((part, relations));
            if !drawings.is_empty() || !comments.is_empty() || linked.is_some() {
                found.insert(number, Sheet { drawings, linked, told: Told { comments, ..Told::default() } });
            }
        }
        Ok(Beside { package: Some(package), sheets: found })
    }

    /// What is told of sheets, in their order.
    #[must_use]
    pub fn told(sheets: impl IntoIterator<Item = Told>) -> Beside<'a> {
        let sheet = |told| Sheet { drawings: Vec::new(), linked: None, told };
        Beside { package: None, sheets: (0..).zip(sheets.into_iter().map(sheet)).collect() }
    }

    /// Whether something is drawn on a sheet.
    #[must_use]
    pub fn draws(&self, sheet: usize) -> bool {
        self.sheets
            .get(&sheet)
            .is_some_and(|sheet| !sheet.drawings.is_empty() || !sheet.told.texts.is_empty() || sheet.told.charts > 0)
    }

    /// Where the links of a sheet's cells lead.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn links(&mut self, sheet: usize, out: &mut Out<'_>) -> Result<Links, Failure> {
        let Some(sheet) = self.sheets.get_mut(&sheet) else { return Ok(Links::default()) };
        let told = std::mem::take(&mut sheet.told.links);
        match (sheet.linked.take(), &mut self.package) {
            (Some((part, relations)), Some(package)) => of_cells(package, &part, &relations, out),
            _ => Ok(told),
        }
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
        match sheet.told.charts {
            0 => {}
            1 => out.note("a chart of the sheet is not shown"),
            more => out.note(format!("{more} charts of the sheet are not shown")),
        }
        if sheet.told.comments.is_empty() { Ok(()) } else { write(&sheet.told.comments, out) }
    }
}

/// The relations that lead from a workbook to the parts of its sheets, in their order.
fn sheets(package: &mut Package<'_>, main: &str) -> Result<Vec<Option<String>>, Failure> {
    let mut found = Vec::new();
    if main.ends_with(".bin") {
        return Ok(package.bytes(main, BYTES_MAX)?.map(|bytes| binary::sheets(&bytes)).unwrap_or_default());
    }
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

/// Where the links of the cells of a sheet lead.
fn of_cells(package: &mut Package<'_>, part: &str, relations: &Relations, out: &mut Out<'_>) -> Result<Links, Failure> {
    let mut links = Links::default();
    if part.ends_with(".bin") {
        let sheet = package.bytes(part, BYTES_MAX)?;
        return Ok(sheet.map(|sheet| binary::links(&sheet, relations)).unwrap_or_default());
    }
    let Some(mut text) = package.text(part)? else { return Ok(links) };
    if !pass_cells(&mut text, out)? {
        return Ok(links);
    }
    let (mut events, mut buffer) = (markup::reader(text), Vec::new());
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) if element.local_name().into_inner() == "hyperlink" => {
                let cells = markup::attribute(&element, "ref").and_then(|cells| area(&cells));
                let relation = markup::prefixed(&element, "id").and_then(|id| relations.get(&id));
                if let Some((cells, relation)) = cells.zip(relation.filter(|relation| relation.external)) {
                    links.add_to(cells, &relation.target);
                }
            }
            Ok(Event::Eof) | Err(_) => return Ok(links),
            Ok(_) => {}
        }
    }
}

/// Reads up to the end of a sheet's cells; whether there is one.
fn pass_cells(text: &mut impl BufRead, out: &mut Out<'_>) -> Result<bool, Failure> {
    let end = memmem::Finder::new(END_OF_CELLS);
    // The end of what was read before, within which it may begin.
    let mut before: Vec<u8> = Vec::new();
    loop {
        let read = match text.fill_buf() {
            Ok(read) => read,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(false),
        };
        if read.is_empty() {
            return Ok(false);
        }
        let size = read.len();
        let kept = before.len();
        before.extend(read.iter().take(END_OF_CELLS.len()));
        let across = end.find(&before).map(|at| at + END_OF_CELLS.len() - kept);
        let found = across.or_else(|| end.find(read).map(|at| at + END_OF_CELLS.len()));
        if size >= END_OF_CELLS.len() {
            before = read.get(size - END_OF_CELLS.len() + 1..).unwrap_or_default().to_vec();
        }
        before.drain(..(before.len() + 1).saturating_sub(END_OF_CELLS.len()));
        text.consume(found.unwrap_or(size));
        out.beat(size as u64)?;
        if found.is_some() {
            return Ok(true);
        }
    }
}

/// The first and the last of cells: `B2`, `B2:C9`.
fn area(cells: &str) -> Option<Area> {
    let place = |cell: &str| {
        let letters = cell.chars().take_while(char::is_ascii_alphabetic);
        let column = letters.clone().try_fold(0u32, |column, letter| {
            let letter = u32::from(letter.to_ascii_uppercase()).checked_sub(u32::from('A') - 1)?;
            column.checked_mul(26)?.checked_add(letter)
        });
        let row: u32 = cell.get(letters.count()..)?.parse().ok()?;
        Some((row.checked_sub(1)?, column?.checked_sub(1)?))
    };
    let (first, last) = cells.split_once(':').unwrap_or((cells, cells));
    Some((place(first)?, place(last)?))
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    #[test]
    fn areas_of_cells_are_known() {
        assert_eq!(area("A1"), Some(((0, 0), (0, 0))));
        assert_eq!(area("Z9:ab10"), Some(((8, 25), (9, 27))));
        for wrong in ["", "1", "A", "A0", ":", "A1:", "ZZZZZZZZZZ1", "A99999999999", "é1"] {
            assert_eq!(area(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn cells_are_passed_wherever_reading_stops() {
        let text = "<sheetData><row/></sheetData><rest/>";
        for size in 1..text.len() + 1 {
            let mut reader = BufReader::with_capacity(size, Cursor::new(text));
            let mut silent = |_| Ok(());
            assert!(pass_cells(&mut reader, &mut Out::new(u64::MAX, &mut silent)).is_ok_and(|found| found), "{size}");
            let mut rest = String::new();
            io::Read::read_to_string(&mut reader, &mut rest).unwrap();
            assert_eq!(rest, "<rest/>", "{size}");
        }
    }
}
