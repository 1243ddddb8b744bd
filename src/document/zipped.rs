//! What a zip holds: Office documents and books are zips, too, and a wrong ending must not hide which.

use std::io::Read;

use crate::content::ReadAt;

use super::part_head::first;
use super::unlisted;
use super::zip_list::{List, Listing};

/// Bytes of an entry of the list before its name.
pub const ENTRY: usize = 46;
/// Bytes of a part before its name.
pub const LOCAL: u64 = 30;
/// Bytes of a part that tells a kind.
const KIND_MAX: usize = 128;

/// A document that a zip turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub struct Zipped {
    /// The name of its format; `None` where nothing here reads it.
    pub format: Option<&'static str>,
    /// What it is, in words.
    pub title: String,
}

/// The document that a zip is, by the names of its parts; `None` where it is an archive, or cannot be told. It looks
/// at little of the file and trusts none of its sizes.
#[must_use]
pub fn document(bytes: &dyn ReadAt) -> Option<Zipped> {
    let parts = Listing::of(bytes).list().map_or_else(|| unlisted::heads(bytes), List::parts);
    let plain = |part: &Part| part.name.trim_start_matches('/').to_lowercase();
    let kind = parts.iter().find(|part| plain(part) == "mimetype").and_then(|part| kind(bytes, part));
    if let Some(kind) = kind {
        let kind = kind.trim().strip_prefix("application/")?;
        return match (kind, kind.strip_prefix("vnd.oasis.opendocument.")) {
            ("epub+zip", _) => Some(Zipped { format: Some("epub"), title: String::new() }),
            (_, Some("spreadsheet" | "spreadsheet-template")) => {
                Some(Zipped { format: Some("ods"), title: String::new() })
            }
            (_, Some(other)) => {
                Some(Zipped { format: None, title: format!("OpenDocument {}", other.replace('-', " ")) })
            }
            _ => None,
        };
    }
    let names: Vec<String> = parts.iter().map(plain).collect();
    let has = |name: &str| names.iter().any(|known| known == name);
    if !has("[content_types].xml") {
        // A book that does not say what it is has the file that leads to its description all the same.
        let is_book = has("meta-inf/container.xml") && names.iter().any(|name| name.ends_with(".opf"));
        return is_book.then(|| Zipped { format: Some("epub"), title: String::new() });
    }
    // What leads to its parts stands before the book.
    let sheet = if has("xl/workbook.bin") || has("xl/_rels/workbook.bin.rels") { "xlsb" } else { "xlsx" };
    let folders = [("word/", "docx"), ("ppt/", "pptx"), ("xl/", sheet)];
    let mut kinds = folders.iter().filter(|(folder, _)| names.iter().any(|name| name.starts_with(folder)));
    match (kinds.next(), kinds.next()) {
        (Some((_, format)), None) => Some(Zipped { format: Some(format), title: String::new() }),
        _ => None,
    }
}

/// Whether a file ends as a zip does, whatever it begins with.
#[must_use]
pub fn is_listed(bytes: &dyn ReadAt) -> bool {
    !matches!(Listing::of(bytes), Listing::Lost)
}

/// Whether the list of a zip's parts is missing, as it is where the file was cut off; a part of it is left.
#[must_use]
pub fn is_unlisted(bytes: &dyn ReadAt) -> bool {
    !is_listed(bytes) && first(bytes).is_some()
}

/// The bytes with which a part begins.
pub const HEAD: &[u8] = b"PK\x03\x04";

/// One part, as it is told.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub at: u64,
    /// How it is packed: 0 for not at all, 8 for deflate.
    pub method: u16,
    /// Its bytes as they are stored.
    pub stored: u64,
}

/// The beginning of a part that tells a kind, whether it is packed or not.
fn kind(bytes: &dyn ReadAt, part: &Part) -> Option<String> {
    let head = read(bytes, part.at, LOCAL as usize)?;
    let from = part.at + LOCAL + (short(&head, 26)? + short(&head, 28)?) as u64;
    let stored = read(bytes, from, usize::try_from(part.stored).ok()?.min(KIND_MAX))?;
    let mut text = Vec::new();
    match part.method {
        0 => text = stored,
        // As far as it unpacks.
        8 => drop(flate2::read::DeflateDecoder::new(&*stored).take(KIND_MAX as u64).read_to_end(&mut text)),
        _ => return None,
    }
    Some(String::from_utf8_lossy(&text).into_owned()).filter(|text| !text.trim().is_empty())
}

/// So many bytes from a place on, as far as there are some.
pub fn read(bytes: &dyn ReadAt, at: u64, most: usize) -> Option<Vec<u8>> {
    let mut buffer = vec![0; most];
    let size = bytes.read_at(at, &mut buffer).ok()?;
    buffer.truncate(size);
    Some(buffer)
}

/// A number of two bytes.
pub fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 2)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

/// A number of four bytes.
pub fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
