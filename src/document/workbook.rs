//! Opens workbooks, and what is left of those that are cut off or damaged.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::Sheet;

use crate::model::file_name;

use super::damaged_zip;
use super::input::{Failure, Input, Places};
use super::out::Out;
use super::plain::{self, Plain};
use super::records;
use super::relisted::{self, Relisted};
use super::swollen;
use super::unlisted::{self, Found, Needed, Opened};
use super::zip_heads::without_slashes;

/// A reader of workbooks of a kind.
pub trait Cells<'a>: Sized {
    /// What can be made anew of a workbook.
    const NEEDED: Needed;
    /// The part in which all sheets stand, where they do not have one each.
    const MAIN: Option<&'static str> = None;
    /// Whether it takes damage for the end of a sheet, so that it is looked for first.
    const IS_SILENT: bool = false;

    /// Opens a workbook.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn open(places: Places<'a>) -> Result<Self, Failure>;

    /// What it knows of the sheets.
    fn known(&mut self) -> Known;
}

/// An open workbook.
pub struct Book<'a, B> {
    /// Its reader.
    pub cells: B,
    /// What was found of it where it is cut off or damaged.
    pub found: Option<Found>,
    /// What it was opened from.
    pub places: Places<'a>,
    /// The names of its sheets, where they are not those by which its reader knows them.
    pub names: Option<Vec<String>>,
    /// Its zip, for what stands beside its cells.
    pub origin: Opened<'a>,
}

/// What a reader knows of the sheets of a workbook.
#[derive(Clone, Copy)]
pub enum Known {
    /// There are none.
    Bare,
    /// Some have one name.
    Twins,
    /// Some lead to nothing that can be read.
    Astray,
    /// There are some.
    Sheets,
}

impl Known {
    /// What their list tells.
    pub fn of(sheets: &[Sheet]) -> Known {
        match sheets.is_empty() {
            true => Known::Bare,
            false if has_twins(sheets) => Known::Twins,
            false => Known::Sheets,
        }
    }
}

/// Opens a workbook, and where it is cut off or damaged what is left of it: that comes too.
///
/// # Errors
/// Where nothing can be read of it.
pub fn opened<'a, B: Cells<'a>>(input: &Input<'a>, out: &mut Out<'_>) -> Result<Book<'a, B>, Failure> {
    // The first way that gives all sheets ends it.
    let ways: [Way<'a, B>; 4] = [
        Search::as_it_is,
        // What is written in another way than its reader knows is whole all the same: nothing of it is left out.
        Search::plainly,
        // Of damaged parts something is lost, but what is lost is known.
        Search::without_damage,
        // Where nothing is damaged, what leads to the sheets may be missing, or wrong.
        Search::listed_anew,
    ];
    let mut search = Search::of(input, out)?;
    for way in ways {
        if let Some(book) = way(&mut search, out)? {
            return Ok(book);
        }
    }
    search.end(out)
}

/// A way to open a workbook; `None` where others may give more.
type Way<'a, B> = fn(&mut Search<'a, B>, &mut Out<'_>) -> Result<Option<Book<'a, B>>, Failure>;

/// A workbook for which ways are tried, one after the other.
struct Search<'a, B> {
    /// The file, as the newest way that gave something takes it, and as it was opened.
    zip: Opened<'a>,
    origin: Opened<'a>,
    /// Whether nothing of it was missing or too large.
    is_whole: bool,
    /// What that way gave, and what is known of it.
    cells: Option<(B, Known)>,
    names: Option<Vec<String>>,
    /// Why nothing was given.
    why: String,
}

impl<'a, B: Cells<'a>> Search<'a, B> {
    /// Of a file with a list of its parts, none of which is larger than its reader may read.
    fn of(input: &Input<'a>, out: &mut Out<'_>) -> Result<Search<'a, B>, Failure> {
        let mut zip = unlisted::open(input, B::NEEDED, out)?;
        let (places, archive) = (zip.places.clone(), zip.archive.take());
        let mut origin = Opened { places, found: None, list: None, archive };
        if let Some(less) = swollen::open(input, &zip, B::NEEDED, out)? {
            zip = less;
        }
        let is_whole = zip.found.as_ref().is_none_or(Found::is_all);
        if let Some(list) = &zip.list {
            zip.places = without_slashes(zip.places, list);
        }
        origin.list = zip.list.take();
        Ok(Search { zip, origin, is_whole, cells: None, names: None, why: String::new() })
    }

    fn as_it_is(&mut self, _: &mut Out<'_>) -> Result<Option<Book<'a, B>>, Failure> {
        match read::<B>(&self.zip) {
            Ok((cells, known)) => Ok(self.kept(cells, known)),
            Err(Failure::Damaged(why)) => {
                self.why = self.zip.found.as_ref().and_then(lost::<B>).unwrap_or(why);
                Ok(None)
            }
            Err(why) => Err(why),
        }
    }

    fn plainly(&mut self, out: &mut Out<'_>) -> Result<Option<Book<'a, B>>, Failure> {
        let Some(Plain { zip, names }) = plain::open(&self.zip, B::NEEDED, out)? else { return Ok(None) };
        let Some((cells, known)) = filled(&zip) else { return Ok(None) };
        (self.zip, self.names) = (zip, names);
        Ok(self.kept(cells, known))
    }

    fn without_damage(&mut self, out: &mut Out<'_>) -> Result<Option<Book<'a, B>>, Failure> {
        let faults = damaged_zip::faults(&self.zip, out)?;
        if faults.is_empty() {
            return Ok(None);
        }
        // What is left of a part may be worse than its beginning, or than none.
        for eighths in [8, 6, 4, 2, 1, 0] {
            let left = damaged_zip::open(&self.zip, &faults, eighths, B::NEEDED, out)?;
            let Some((zip, notes)) = left else { return Ok(None) };
            if let Some((cells, _)) = filled(&zip) {
                notes.into_iter().for_each(|(lost, rest)| out.lost_of_all(lost, rest));
                (self.zip, self.is_whole) = (zip, false);
                return Ok(Some(self.book(cells)));
            }
            if let Some(why) = zip.found.as_ref().and_then(lost::<B>) {
                self.why = why;
            }
        }
        Ok(None)
    }

    fn listed_anew(&mut self, out: &mut Out<'_>) -> Result<Option<Book<'a, B>>, Failure> {
        let known = self.cells.as_ref().map(|(_, known)| *known);
        if matches!(known, Some(Known::Sheets)) {
            return Ok(None);
        }
        let listed = relisted::open(&self.zip, B::NEEDED, out)?;
        // Where a list leads to some sheets, another is better that leads to all.
        let has_some = matches!(known, Some(Known::Twins | Known::Astray));
        let Some(Relisted { zip, names, notes, .. }) = listed.filter(|listed| listed.is_all || !has_some) else {
            return Ok(None);
        };
        let Some((cells, _)) = filled(&zip) else { return Ok(None) };
        notes.iter().for_each(|note| out.note_on_all(note.as_str()));
        (self.zip, self.names) = (zip, names);
        // What only its reader does not know is no damage.
        self.is_whole &= notes.is_empty();
        Ok(Some(self.book(cells)))
    }

    /// What the best way gave, where none gave all.
    fn end(mut self, out: &mut Out<'_>) -> Result<Book<'a, B>, Failure> {
        let Some((cells, known)) = self.cells.take() else { return Err(Failure::Damaged(self.why)) };
        if matches!(known, Known::Bare) {
            out.note_on_all("no sheets are found in it");
        }
        Ok(self.book(cells))
    }

    /// A workbook with all of its sheets; one that may have more is kept.
    fn kept(&mut self, cells: B, known: Known) -> Option<Book<'a, B>> {
        let is_all = match known {
            Known::Sheets => !B::IS_SILENT,
            // Of one that is cut off it is known that sheets may be lost.
            Known::Astray => !B::IS_SILENT && !self.is_whole,
            Known::Bare | Known::Twins => false,
        };
        if is_all {
            return Some(self.book(cells));
        }
        self.cells = Some((cells, known));
        None
    }

    fn book(&mut self, cells: B) -> Book<'a, B> {
        let found = self.zip.found.take().filter(|_| !self.is_whole);
        let (places, opened) = (self.zip.places.clone(), self.origin.places.clone());
        let same = Opened { places: opened, found: None, list: None, archive: None };
        let origin = std::mem::replace(&mut self.origin, same);
        Book { cells, found, places, names: self.names.take(), origin }
    }
}

/// What a reader gives of a zip.
fn read<'a, B: Cells<'a>>(zip: &Opened<'a>) -> Result<(B, Known), Failure> {
    if let Some(part) = B::MAIN
        && damaged_zip::ends_early(zip.places.clone(), part)
    {
        return Err(Failure::Damaged(format!("{part} ends early")));
    }
    let mut cells = B::open(zip.places.clone())?;
    let known = cells.known();
    Ok((cells, known))
}

/// The same where it has sheets.
fn filled<'a, B: Cells<'a>>(zip: &Opened<'a>) -> Option<(B, Known)> {
    read(zip).ok().filter(|(_, known)| !matches!(known, Known::Bare))
}

/// Whether sheets have one name.
pub fn has_twins(sheets: &[Sheet]) -> bool {
    let mut names = HashSet::new();
    !sheets.iter().all(|sheet| names.insert(sheet.name.as_str()))
}

/// Sheets as their workbook names them.
pub fn renamed(sheets: &[Sheet], names: Option<Vec<String>>) -> Vec<Sheet> {
    let mut renamed = sheets.to_vec();
    for (sheet, name) in renamed.iter_mut().zip(names.into_iter().flatten()) {
        sheet.name = name;
    }
    renamed
}

/// What is said of a workbook that lacks its sheets.
fn lost<'a, B: Cells<'a>>(found: &Found) -> Option<String> {
    let main = B::MAIN.filter(|part| found.lacks(part))?;
    let happened = found.happened();
    Some(format!("its sheets stood in {main}, where the file is {happened}, and nothing of them is left"))
}

/// What an XLSX needs besides its sheets, where that stood behind them and is lost.
pub fn needed(names: &[String]) -> Vec<(String, Vec<u8>)> {
    let has = |name: &str| names.iter().any(|known| known == name);
    let (root, book, links) = ("_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels");
    let mut parts = Vec::new();
    if !has(root) {
        parts.push((root, relations(&relation(0, "officeDocument", book))));
    }
    if !has(book) || !has(links) {
        let sheets = unnamed_sheets(names, ".xml");
        let sheet = |(id, name): (usize, &String)| format!("<sheet name=\"{name}\" r:id=\"r{id}\"/>");
        let listed: String = sheets.iter().enumerate().map(sheet).collect();
        let listed = format!("<workbook xmlns:r=\"r\"><sheets>{listed}</sheets></workbook>");
        parts.push((book, listed.into_bytes()));
        parts.push((links, links_to(&sheets, ".xml")));
    }
    parts.into_iter().map(|(name, part)| (name.to_owned(), part)).collect()
}

/// The same for an XLSB.
pub fn needed_binary(names: &[String]) -> Vec<(String, Vec<u8>)> {
    let has = |name: &str| names.iter().any(|known| known == name);
    let (book, links) = ("xl/workbook.bin", "xl/_rels/workbook.bin.rels");
    if has(book) && has(links) {
        return Vec::new();
    }
    let sheets = unnamed_sheets(names, ".bin");
    let listed = records::book(sheets.iter().enumerate().map(|(id, name)| (format!("r{id}"), name.as_str())));
    vec![(book.to_owned(), listed), (links.to_owned(), links_to(&sheets, ".bin"))]
}

/// The sheets that there are, by their parts' names without ending.
pub fn unnamed_sheets(names: &[String], end: &str) -> Vec<String> {
    let sheet = |name: &String| {
        let name = name.strip_prefix("xl/worksheets/")?.strip_suffix(end)?;
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'));
        // What says where rows begin in a binary sheet stands beside it.
        (plain && !file_name(name).starts_with("binaryIndex")).then(|| (name.len(), name.to_owned()))
    };
    let mut sheets: Vec<(usize, String)> = names.iter().filter_map(sheet).collect();
    // `sheet10` follows `sheet9`.
    sheets.sort();
    sheets.into_iter().map(|(_, name)| name).collect()
}

/// What leads from a workbook to its sheets.
fn links_to(sheets: &[String], end: &str) -> Vec<u8> {
    let link = |(id, name)| relation(id, "worksheet", &format!("worksheets/{name}{end}"));
    relations(&sheets.iter().enumerate().map(link).collect::<String>())
}

pub fn relation(id: usize, kind: &str, target: &str) -> String {
    const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
    format!("<Relationship Id=\"r{id}\" Type=\"{KIND}{kind}\" Target=\"{target}\"/>")
}

pub fn relations(all: &str) -> Vec<u8> {
    format!("<Relationships>{all}</Relationships>").into_bytes()
}

/// What an ODS needs besides its content, where that is lost.
pub fn manifest(names: &[String]) -> Vec<(String, Vec<u8>)> {
    const MANIFEST: &str = "META-INF/manifest.xml";
    let needed = [(MANIFEST, "<manifest></manifest>"), ("mimetype", "application/vnd.oasis.opendocument.spreadsheet")];
    let lost = needed.into_iter().filter(|(needed, _)| !names.iter().any(|name| name == needed));
    lost.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect()
}

/// Opens with a reader that panics at records that refer to what is not there.
pub fn guarded<T>(open: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let damaged = |_| Failure::Damaged("it is damaged or cut off".to_owned());
    catch_unwind(AssertUnwindSafe(open)).map_err(damaged)?
}

pub fn failure(why: impl std::fmt::Display) -> Failure {
    let words = why.to_string();
    if words.to_lowercase().contains("password") {
        Failure::Encrypted
    } else if words.contains("Cell limit") {
        Failure::TooMany
    } else if words.contains("past end of file") {
        Failure::Damaged("it is cut off, and parts that it refers to are not left".to_owned())
    } else {
        let said = DAMAGE.iter().find(|(mark, _)| words.contains(mark)).map(|(_, said)| (*said).to_owned());
        Failure::Damaged(said.unwrap_or(words))
    }
}

/// What the words of the readers' crates mean.
const DAMAGE: &[(&str, &str)] = &[
    ("deflate stream", "what is packed in it is damaged"),
    ("Invalid checksum", "what is packed in it is damaged"),
    ("Invalid local file header", "its part of the file is damaged or missing"),
    ("Zip error", "its zip is damaged"),
    ("Xml error", "its XML is damaged"),
    ("Cfb error", "what says where its parts stand is damaged"),
    ("End of stream", "it ends in the middle of a record"),
    ("not found", "its part of the file is lost"),
];
