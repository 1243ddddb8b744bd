//! Opens workbooks, and what is left of those that are cut off or damaged.

use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::Reader;

use crate::model::file_name;

use super::damaged_zip;
use super::input::{Failure, Input, Places};
use super::out::Out;
use super::records;
use super::relisted;
use super::unlisted::{self, Found, Needed, Opened};
use super::zip_heads::without_slashes;

type From<'a> = BufReader<Places<'a>>;

/// What opening a kind of workbook takes.
pub struct Kind {
    /// What can be made anew.
    pub needed: Needed,
    /// The part in which all sheets stand, where they do not have one each.
    pub main: Option<&'static str>,
    /// Whether its reader takes damage for the end of a sheet, so that it is looked for first.
    pub silent: bool,
}

/// Opens a workbook, and where it is cut off or damaged what is left of it: that comes too.
///
/// # Errors
/// Where nothing can be read of it.
pub fn opened<'a, B: Reader<From<'a>>, E: std::fmt::Display>(
    input: &Input<'a>,
    kind: &Kind,
    open: impl Fn(From<'a>) -> Result<B, E>,
    out: &mut Out<'_>,
) -> Result<(B, Option<(Found, Places<'a>)>), Failure> {
    let read = |places: Places<'a>| guarded(|| open(BufReader::new(places)).map_err(failure));
    let read_whole = |places: Places<'a>| match kind.main {
        Some(part) if damaged_zip::ends_early(places.clone(), part) => {
            Err(Failure::Damaged(format!("{part} ends early")))
        }
        _ => read(places),
    };
    let is_bare = |book: &B| book.sheets_metadata().is_empty();
    let (book, listed) = match unlisted::open(input, kind.needed, out)? {
        Opened { places, found: Some(found) } => (read_whole(places.clone()), Some((found, places))),
        Opened { places, found: None } => (read_whole(without_slashes(places, input)), None),
    };
    let (whole, mut why) = match book {
        Ok(book) if kind.silent || is_bare(&book) => (Some(book), String::new()),
        Ok(book) => return Ok((book, listed)),
        Err(Failure::Damaged(why)) => (None, listed.as_ref().and_then(|(found, _)| lost(kind, found)).unwrap_or(why)),
        Err(why) => return Err(why),
    };
    // What is left of a part may be worse than its beginning, or than none.
    for eighths in [8, 6, 4, 2, 1, 0] {
        let damaged = damaged_zip::open(input, listed.as_ref(), kind.needed, eighths, out)?;
        let Some((Opened { places, found: Some(found) }, notes)) = damaged else { break };
        if let Ok(book) = read_whole(places.clone())
            && !is_bare(&book)
        {
            notes.into_iter().for_each(|note| out.note_on_all(note));
            return Ok((book, Some((found, places))));
        }
        why = lost(kind, &found).unwrap_or(why);
    }
    // Where nothing is damaged, what leads to the sheets may be missing, or wrong.
    if whole.as_ref().is_none_or(is_bare)
        && let Some((Opened { places, found: Some(found) }, notes)) =
            relisted::open(input, listed.as_ref(), kind.needed, out)?
        && let Ok(book) = read_whole(places.clone())
        && !is_bare(&book)
    {
        notes.into_iter().for_each(|note| out.note_on_all(note));
        return Ok((book, Some((found, places))));
    }
    if whole.as_ref().is_some_and(is_bare) {
        out.note_on_all("no sheets are found in it");
    }
    whole.map(|book| (book, listed)).ok_or(Failure::Damaged(why))
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
