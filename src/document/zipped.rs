//! What a zip holds: Office documents and books are zips, too, and a wrong ending must not hide which.

use crate::content::ReadAt;

/// How much of a file's end is searched for the list of its parts: the longest comment, and what stands before it.
const TAIL: usize = (64 << 10) + 22;
/// How much of that list is looked at.
const LIST_MAX: u64 = 1 << 20;
/// Bytes of an entry of the list before its name.
const ENTRY: usize = 46;
/// Bytes of a part before its name.
const LOCAL: u64 = 30;
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
    let list = list(bytes)?;
    let parts = parts(&list);
    if let Some(part) = parts.iter().find(|part| part.name == "mimetype") {
        let kind = stored(bytes, part.at)?;
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
    let has = |name: &str| parts.iter().any(|part| part.name == name);
    if !has("[content_types].xml") {
        return None;
    }
    let sheet = if has("xl/workbook.bin") { "xlsb" } else { "xlsx" };
    let folders = [("word/", "docx"), ("ppt/", "pptx"), ("xl/", sheet)];
    let mut kinds = folders.iter().filter(|(folder, _)| parts.iter().any(|part| part.name.starts_with(folder)));
    match (kinds.next(), kinds.next()) {
        (Some((_, format)), None) => Some(Zipped { format: Some(format), title: String::new() }),
        _ => None,
    }
}

/// One part: its name in small letters, and where it begins.
struct Part {
    name: String,
    at: u64,
}

/// The list of parts, which stands at the end of a zip.
fn list(bytes: &dyn ReadAt) -> Option<Vec<u8>> {
    let from = bytes.len().saturating_sub(TAIL as u64);
    let tail = read(bytes, from, TAIL)?;
    let end = memchr::memmem::rfind(&tail, b"PK\x05\x06")?;
    let size = u64::from(number(&tail, end + 12)?);
    // Counted from its end, what somebody put before the zip does no harm.
    let at = (from + end as u64).checked_sub(size)?;
    read(bytes, at, usize::try_from(size.min(LIST_MAX)).ok()?)
}

/// The parts in the list.
fn parts(list: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = list;
    while rest.starts_with(b"PK\x01\x02")
        && let (Some(name), Some(extra), Some(comment)) = (short(rest, 28), short(rest, 30), short(rest, 32))
        && let (Some(at), Some(bytes)) = (number(rest, 42), rest.get(ENTRY..ENTRY + name))
    {
        parts.push(Part { name: String::from_utf8_lossy(bytes).replace('\\', "/").to_lowercase(), at: at.into() });
        rest = rest.get(ENTRY + name + extra + comment..).unwrap_or_default();
    }
    parts
}

/// The beginning of a part that is stored as it is; `None` where it is packed.
fn stored(bytes: &dyn ReadAt, at: u64) -> Option<String> {
    let head = read(bytes, at, LOCAL as usize)?;
    let (method, size) = (short(&head, 8)?, number(&head, 18)? as usize);
    let from = at + LOCAL + (short(&head, 26)? + short(&head, 28)?) as u64;
    let text = read(bytes, from, size.min(KIND_MAX))?;
    (method == 0).then(|| String::from_utf8_lossy(&text).into_owned())
}

fn read(bytes: &dyn ReadAt, at: u64, most: usize) -> Option<Vec<u8>> {
    let mut buffer = vec![0; most];
    let size = bytes.read_at(at, &mut buffer).ok()?;
    buffer.truncate(size);
    Some(buffer)
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 2)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
