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

/// What opening a kind of workbook takes.
pub struct Kind {
    /// What can be made anew.
    pub needed: Needed,
    /// The part in which all sheets stand, where they do not have one each.
    pub main: Option<&'static str>,
    /// Whether its reader takes damage for the end of a sheet, so that it is looked for first.
    pub silent: bool,
}

/// An open workbook.
pub struct Book<'a, B> {
    /// Its reader.
    pub cells: B,
    /// What was found of it where it is cut off or damaged.
    pub found: Option<Found>,
    /// What it was opened from, where that is not the file as it is.
    pub places: Option<Places<'a>>,
    /// The names of its sheets, where they are not those by which its reader knows them.
    pub names: Option<Vec<String>>,
}

/// What a reader knows of the sheets of a workbook.
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

/// Opens a workbook, and where it is cut off or damaged what is left of it: that comes too.
///
/// # Errors
/// Where nothing can be read of it.
pub fn opened<'a, B>(
    input: &Input<'a>,
    kind: &Kind,
    open: impl Fn(Places<'a>) -> Result<B, Failure>,
    known: impl Fn(&mut B) -> Known,
    out: &mut Out<'_>,
) -> Result<Book<'a, B>, Failure> {
    let read = |places: Places<'a>| match kind.main {
        Some(part) if damaged_zip::ends_early(places.clone(), part) => {
            Err(Failure::Damaged(format!("{part} ends early")))
        }
        _ => open(places),
    };
    let is_bare = |book: &mut B| matches!(known(book), Known::Bare);
    let Opened { places, found } = unlisted::open(input, kind.needed, out)?;
    let listed = found.map(|found| (found, places.clone()));
    let mut listed = swollen::open(input, listed.as_ref(), kind.needed, out)?.or(listed);
    let book = match &listed {
        Some((_, places)) => read(places.clone()),
        None => read(without_slashes(places, input)),
    };
    let is_whole = listed.is_none();
    let found_is = |listed: Option<(Found, Places<'a>)>| match listed {
        Some((found, places)) => (Some(found).filter(|_| !is_whole), Some(places)),
        None => (None, None),
    };
    // Of one that is cut off it is known that sheets may be lost.
    let is_done = |cells: &mut B| match known(cells) {
        Known::Sheets => !kind.silent,
        Known::Astray => !kind.silent && !is_whole,
        Known::Bare | Known::Twins => false,
    };
    let (mut whole, mut why) = match book {
        Ok(mut cells) => {
            if is_done(&mut cells) {
                let (found, places) = found_is(listed);
                return Ok(Book { cells, found, places, names: None });
            }
            (Some(cells), String::new())
        }
        Err(Failure::Damaged(why)) => (None, listed.as_ref().and_then(|(found, _)| lost(kind, found)).unwrap_or(why)),
        Err(why) => return Err(why),
    };
    // What is written in another way than its reader knows is whole all the same.
    let mut names = None;
    if let Some(Plain { found, places, names: told }) = plain::open(input, listed.as_ref(), kind.needed, out)?
        && let Ok(mut cells) = read(places.clone())
        && !is_bare(&mut cells)
    {
        (listed, names) = (Some((found, places)), told);
        if is_done(&mut cells) {
            let (found, places) = found_is(listed);
            return Ok(Book { cells, found, places, names });
        }
        whole = Some(cells);
    }
    // What is left of a part may be worse than its beginning, or than none.
    for eighths in [8, 6, 4, 2, 1, 0] {
        let damaged = damaged_zip::open(input, listed.as_ref(), kind.needed, eighths, out)?;
        let Some((Opened { places, found: Some(found) }, notes)) = damaged else { break };
        if let Ok(mut cells) = read(places.clone())
            && !is_bare(&mut cells)
        {
            notes.into_iter().for_each(|(lost, rest)| out.lost_of_all(lost, rest));
            return Ok(Book { cells, found: Some(found), places: Some(places), names });
        }
        why = lost(kind, &found).unwrap_or(why);
    }
    // Where nothing is damaged, what leads to the sheets may be missing, or wrong.
    let state = whole.as_mut().map(&known);
    if !matches!(state, Some(Known::Sheets))
        && let Some(Relisted { places, found, names, notes, is_all }) =
            relisted::open(input, listed.as_ref(), kind.needed, out)?
        && (is_all || !matches!(state, Some(Known::Twins | Known::Astray)))
        && let Ok(mut cells) = read(places.clone())
        && !is_bare(&mut cells)
    {
        notes.iter().for_each(|note| out.note_on_all(note.as_str()));
        // What only its reader does not know is no damage.
        let found = Some(found).filter(|_| !is_whole || !notes.is_empty());
        return Ok(Book { cells, found, places: Some(places), names });
    }
    if matches!(state, Some(Known::Bare)) {
        out.note_on_all("no sheets are found in it");
    }
    let (found, places) = found_is(listed);
    whole.map(|cells| Book { cells, found, places, names }).ok_or(Failure::Damaged(why))
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
fn lost(kind: &Kind, found: &Found) -> Option<String> {
    let main = kind.main.filter(|part| found.lacks(part))?;
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
