//! What a zip holds: Office documents and books are zips, too, and a wrong ending must not hide which.

use std::io::Read;

use crate::content::ReadAt;

use super::part_head::first;
use super::unlisted;

/// How much of a file's end is searched for the list of its parts: the longest comment, and what stands before it.
const TAIL: usize = (64 << 10) + 22;
/// How much of that list is looked at.
const LIST_MAX: u64 = 1 << 20;
/// Bytes of what tells where the end of a large list stands.
const LONG_END: u64 = 20;
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
    let parts = match list(bytes) {
        Some((list, before)) if !is_list_broken(bytes) => parts(&list, before),
        _ => unlisted::heads(bytes),
    };
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

/// The names in the list of a zip's parts, as often as they stand there.
#[must_use]
pub fn names(bytes: &dyn ReadAt) -> Vec<String> {
    let listed = list(bytes).map(|(list, before)| parts(&list, before));
    listed.into_iter().flatten().map(|part| part.name).collect()
}

/// Of the parts in a zip's list, the bytes that are told to be stored of each and those that it is told to unpack to.
#[must_use]
pub fn sizes(bytes: &dyn ReadAt) -> Vec<(u64, u64)> {
    let (list, _) = list(bytes).unwrap_or_default();
    let mut rest = list.as_slice();
    let mut sizes = Vec::new();
    while rest.starts_with(b"PK\x01\x02")
        && let (Some(name), Some(extra), Some(comment)) = (short(rest, 28), short(rest, 30), short(rest, 32))
        && let (Some(stored), Some(size)) = (number(rest, 20), number(rest, 24))
    {
        sizes.push((stored.into(), size.into()));
        rest = rest.get(ENTRY + name + extra + comment..).unwrap_or_default();
    }
    sizes
}

/// Whether a file ends as a zip does, whatever it begins with.
#[must_use]
pub fn is_listed(bytes: &dyn ReadAt) -> bool {
    list_end(bytes).is_some()
}

/// Whether a zip does not begin as one: something stands before it, or its first part is damaged.
#[must_use]
pub fn begins_otherwise(bytes: &dyn ReadAt) -> bool {
    read(bytes, 0, 2).is_some_and(|head| head != b"PK") && is_listed(bytes)
}

/// Whether the list of a zip's parts is missing, as it is where the file was cut off; a part of it is left.
#[must_use]
pub fn is_unlisted(bytes: &dyn ReadAt) -> bool {
    list_end(bytes).is_none() && first(bytes).is_some()
}

/// Whether a zip's list of parts cannot be read to its end, or tells of another number of them than it has: an entry of
/// it is damaged. What stands before the parts tells the same.
#[must_use]
pub fn is_list_broken(bytes: &dyn ReadAt) -> bool {
    let (Some((end, ..)), Some((list, ..))) = (list_end(bytes), whole_list(bytes)) else { return false };
    let (mut at, mut count) = (0, 0);
    while let Some(rest) = list.get(at..).filter(|rest| rest.starts_with(b"PK\x01\x02"))
        && let (Some(name), Some(extra), Some(comment)) = (short(rest, 28), short(rest, 30), short(rest, 32))
    {
        at += ENTRY + name + extra + comment;
        count += 1;
    }
    let told = read(bytes, end + 10, 2).and_then(|told| short(&told, 0)).unwrap_or_default();
    // A list may be signed, and of a long one the number stands elsewhere.
    let is_read = list.get(at..).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"PK\x05\x05"));
    let is_told = told == count & 0xFFFF || told == 0xFFFF;
    count > 0 && !(is_read && is_told) && first(bytes).is_some()
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

/// The list of parts, which stands at the end of a zip, and how many bytes stand before the zip.
fn list(bytes: &dyn ReadAt) -> Option<(Vec<u8>, u64)> {
    let (end, size, told) = list_end(bytes)?;
    // Counted from its end, what somebody put before the zip does no harm.
    let at = end.checked_sub(size)?;
    let list = read(bytes, at, usize::try_from(size.min(LIST_MAX)).ok()?)?;
    Some((list, at.saturating_sub(told)))
}

/// The list of parts where that is not too long, how many bytes stand before the zip, and where the list begins.
pub fn whole_list(bytes: &dyn ReadAt) -> Option<(Vec<u8>, u64, u64)> {
    let (end, size, told) = list_end(bytes)?;
    let at = end.checked_sub(size).filter(|_| size <= LIST_MAX)?;
    Some((read(bytes, at, usize::try_from(size).ok()?)?, at.saturating_sub(told), at))
}

/// Where the list of parts ends, its size, and where it is told to begin. A list of a zip that is a part of this one is
/// none.
fn list_end(bytes: &dyn ReadAt) -> Option<(u64, u64, u64)> {
    let from = bytes.len().saturating_sub(TAIL as u64);
    let tail = read(bytes, from, TAIL)?;
    let ends = memchr::memmem::rfind_iter(&tail, b"PK\x05\x06").filter_map(|end| {
        // It is whole where its last field is.
        short(&tail, end + 20)?;
        let (size, told) = (u64::from(number(&tail, end + 12)?), u64::from(number(&tail, end + 16)?));
        Some((from + end as u64, size, told))
    });
    let own = |(end, size, told): &(u64, u64, u64)| is_own(bytes, *end, *size, *told);
    ends.into_iter().find(own)
}

/// The list at a zip's end that should begin further behind than it does: bytes of the file are missing before it. The
/// list, where it begins, and how many bytes those are.
pub fn moved_list(bytes: &dyn ReadAt) -> Option<(Vec<u8>, u64, u64)> {
    let from = bytes.len().saturating_sub(TAIL as u64);
    let tail = read(bytes, from, TAIL)?;
    memchr::memmem::rfind_iter(&tail, b"PK\x05\x06").find_map(|end| {
        short(&tail, end + 20)?;
        let (size, told) = (u64::from(number(&tail, end + 12)?), number(&tail, end + 16)?);
        let at = (from + end as u64).checked_sub(size).filter(|_| size <= LIST_MAX && told != u32::MAX)?;
        let missing = u64::from(told).checked_sub(at).filter(|missing| *missing > 0)?;
        let list = read(bytes, at, usize::try_from(size).ok()?)?;
        list.starts_with(b"PK\x01\x02").then_some((list, at, missing))
    })
}

/// Whether a list of parts, by its end, its size and its place as they are told, is that of the whole file.
fn is_own(bytes: &dyn ReadAt, end: u64, size: u64, told: u64) -> bool {
    let stands = |at: u64, mark: &[u8]| read(bytes, at, 4).is_some_and(|found| found == mark);
    let is_list = |at: u64| if size == 0 { at == end } else { stands(at, b"PK\x01\x02") };
    // Large ones have another end before it, whose place is told in eight bytes.
    if let Some(before) = end.checked_sub(LONG_END).filter(|at| stands(*at, b"PK\x06\x07")) {
        let place = read(bytes, before + 8, 8).and_then(|place| place.try_into().ok()).map_or(0, u64::from_le_bytes);
        return stands(place, b"PK\x06\x06") || !stands(0, HEAD);
    }
    if told.checked_add(size).is_some_and(|ends| ends <= end) && is_list(told) {
        return true;
    }
    // Counted from its end, what somebody put before the zip does no harm; but that is no zip that begins before it.
    let Some(at) = end.checked_sub(size).filter(|at| is_list(*at)) else { return false };
    let begins = at.checked_sub(told);
    !stands(0, HEAD) || begins.is_some_and(|begins| begins == 0 || !stands(begins, HEAD))
}

/// The parts in the list, of a zip with so many bytes before it.
fn parts(list: &[u8], before: u64) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = list;
    while rest.starts_with(b"PK\x01\x02")
        && let (Some(name), Some(extra), Some(comment)) = (short(rest, 28), short(rest, 30), short(rest, 32))
        && let (Some(method), Some(stored)) = (short(rest, 10), number(rest, 20))
        && let (Some(at), Some(bytes)) = (number(rest, 42), rest.get(ENTRY..ENTRY + name))
    {
        let name_told = String::from_utf8_lossy(bytes).replace('\\', "/");
        parts.push(Part { name: name_told, at: before + u64::from(at), method: method as u16, stored: stored.into() });
        rest = rest.get(ENTRY + name + extra + comment..).unwrap_or_default();
    }
    parts
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
