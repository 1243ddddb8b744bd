//! Opens workbooks, and what is left of those that are cut off or damaged.

use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::damaged_zip;
use super::input::{Failure, Input, Places};
use super::out::Out;
use super::unlisted::{self, Found, Needed, Opened};

type From<'a> = BufReader<Places<'a>>;

/// Opens a workbook, and where it is cut off or damaged what is left of it: that comes too. Not all is
/// wanted where a part that there must be is lost.
///
/// # Errors
/// Where nothing can be read of it.
pub fn opened<'a, B, E: std::fmt::Display>(
    input: &Input<'a>,
    (needed, must): (Needed, Option<&str>),
    open: impl Fn(From<'a>) -> Result<B, E>,
    out: &mut Out<'_>,
) -> Result<(B, Option<(Found, Places<'a>)>), Failure> {
    let read = |places: Places<'a>| guarded(|| open(BufReader::new(places)).map_err(failure));
    let is_lost = |found: &Found| match must.filter(|part| found.lacks(part)) {
        Some(_) => {
            let happened = found.happened();
            Err(Failure::Damaged(format!("what tells of its sheets stood where the file is {happened}")))
        }
        None => Ok(()),
    };
    let why = match unlisted::open(input, needed, out)? {
        Opened { places, found: Some(found) } => {
            is_lost(&found)?;
            return Ok((read(places.clone())?, Some((found, places))));
        }
        Opened { places, found: None } => match read(places) {
            Ok(book) => return Ok((book, None)),
            Err(Failure::Damaged(why)) => why,
            Err(why) => return Err(why),
        },
    };
    // The half of a part may be worse than none.
    for halves in [true, false] {
        let Some((Opened { places, found: Some(found) }, notes)) = damaged_zip::open(input, needed, halves, out)?
        else {
            break;
        };
        is_lost(&found)?;
        if let Ok(book) = read(places.clone()) {
            notes.into_iter().for_each(|note| out.note_on_all(note));
            return Ok((book, Some((found, places))));
        }
    }
    Err(Failure::Damaged(why))
}

/// What an XLSX needs besides its sheets, where that stood behind them and is lost.
pub fn needed(names: &[String]) -> Vec<(String, String)> {
    const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
    let has = |name: &str| names.iter().any(|known| known == name);
    let relation = |id: usize, kind: &str, target: &str| {
        format!("<Relationship Id=\"r{id}\" Type=\"{KIND}{kind}\" Target=\"{target}\"/>")
    };
    let relations = |all: String| format!("<Relationships>{all}</Relationships>");
    let (root, book, links) = ("_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels");
    let mut parts = Vec::new();
    if !has(root) {
        parts.push((root.to_owned(), relations(relation(0, "officeDocument", book))));
    }
    if !has(book) || !has(links) {
        let sheet = |name: &String| {
            let name = name.strip_prefix("xl/worksheets/")?.strip_suffix(".xml")?;
            let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
            plain.then(|| (name.len(), name.to_owned()))
        };
        let mut sheets: Vec<(usize, String)> = names.iter().filter_map(sheet).collect();
        // `sheet10` follows `sheet9`.
        sheets.sort();
        let (mut listed, mut linked) = (String::new(), String::new());
        for (id, (_, name)) in sheets.iter().enumerate() {
            listed.push_str(&format!("<sheet name=\"{name}\" r:id=\"r{id}\"/>"));
            linked.push_str(&relation(id, "worksheet", &format!("worksheets/{name}.xml")));
        }
        parts.push((book.to_owned(), format!("<workbook xmlns:r=\"r\"><sheets>{listed}</sheets></workbook>")));
        parts.push((links.to_owned(), relations(linked)));
    }
    parts
}

/// What an ODS needs besides its content, where that is lost.
pub fn manifest(names: &[String]) -> Vec<(String, String)> {
    const MANIFEST: &str = "META-INF/manifest.xml";
    let needed = [(MANIFEST, "<manifest></manifest>"), ("mimetype", "application/vnd.oasis.opendocument.spreadsheet")];
    let lost = needed.into_iter().filter(|(needed, _)| !names.iter().any(|name| name == needed));
    lost.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
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
    } else if words.contains("past end of file") {
        Failure::Damaged("it is cut off, and parts that it refers to are not left".to_owned())
    } else {
        Failure::Damaged(words)
    }
}
