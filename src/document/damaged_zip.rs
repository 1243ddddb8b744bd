//! Zips some of whose parts are damaged, for readers that open them by themselves and want every part whole: what is left
//! of each part takes its place, and a new list leads to it.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

use zip::ZipArchive;

use super::input::{Failure, Input, Places};
use super::office::damaged::{Checked, Fault, is_broken, is_xml, mended, read};
use super::out::Out;
use super::records::closed_records;
use super::unlisted::{Found, Listed, Needed, Opened};
use super::zip_heads::headed;

/// Entries of a zip that are looked at.
pub const ENTRIES_MAX: usize = 65_000;
/// Bytes that a part may unpack to, and that all damaged ones together may; of those beyond nothing is shown.
const PART_MAX: u64 = 256 << 20;
/// Bytes of XML that are looked through for where it ends early.
const LOOKED_THROUGH: u64 = 16 << 20;
/// Bytes in which the outermost element begins, and in which it ends.
const ROOT_MAX: usize = 4_096;
/// Parts of which a half leads to half of the others: without them, what is needed is made anew.
const LEADING: &[&str] = &[
    "_rels/.rels",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/_rels/workbook.bin.rels",
    "META-INF/manifest.xml",
    "mimetype",
];

/// What is lost, and what is said of the rest.
pub type Lost = (String, &'static str);

/// A zip, wherever it stands.
pub type Zip<'a> = ZipArchive<BufReader<Places<'a>>>;

/// Opens a zip with so many eighths of what is left of each of its damaged parts, or without them, and tells in words
/// which these are; `None` where none is. What was found of a zip whose own list is missing may be damaged as well.
///
/// # Errors
/// Where it cannot be read, or is encrypted.
pub fn open<'a>(
    input: &Input<'a>,
    listed: Option<&(Found, Places<'a>)>,
    needed: Needed,
    eighths: usize,
    out: &mut Out<'_>,
) -> Result<Option<(Opened<'a>, Vec<Lost>)>, Failure> {
    let Some((len, mut zip, mut found)) = opened(input, listed, out)? else { return Ok(None) };
    let (mut left, mut all) = (Vec::new(), 0);
    for index in 0..zip.len().min(ENTRIES_MAX) {
        let Ok(about) = zip.by_index_data(index) else { continue };
        let Some(listed) = Listed::of(&about)? else { continue };
        let (name, crc, size, deflated) = (listed.name.clone(), listed.crc, listed.size, listed.method == 8);
        let is_text = [".xml", ".rels", ".bin"].iter().any(|end| name.ends_with(end)) || name == "mimetype";
        let is_sound = match zip.by_index_raw(index) {
            _ if !is_text => true,
            Ok(part) => io::copy(&mut Checked::new(part, deflated, crc).take(PART_MAX), &mut io::sink()).is_ok(),
            Err(_) => false,
        };
        out.beat(size.into())?;
        let (bytes, fault) = match zip.by_index_raw(index) {
            Ok(part) if is_sound && is_xml(&name) && u64::from(size) <= LOOKED_THROUGH => {
                let (bytes, _) = read(Checked::new(part, deflated, crc), LOOKED_THROUGH);
                if is_broken(&bytes) { (bytes, Some(Fault::Unclosed)) } else { (Vec::new(), None) }
            }
            _ if is_sound => (Vec::new(), None),
            Ok(part) => read(Checked::new(part, deflated, crc), PART_MAX),
            Err(_) => (Vec::new(), Some(Fault::Ends)),
        };
        match fault {
            None => found.parts.push(listed),
            Some(fault) => {
                let mut bytes = held(bytes, &mut all);
                bytes.truncate(bytes.len() * eighths / 8);
                left.push((name, bytes, fault));
            }
        }
    }
    if left.is_empty() {
        return Ok(None);
    }
    let places = zip.into_inner().into_inner();
    let mut notes = Vec::new();
    for (name, bytes, fault) in left {
        let bytes = if LEADING.contains(&name.as_str()) {
            Vec::new()
        } else if name.ends_with(".bin") {
            closed_records(&name, bytes)
        } else {
            mended(&name, bytes)
        };
        let rest = match (bytes.is_empty(), fault) {
            (true, _) => "the others are shown without it",
            (false, Fault::Ends | Fault::Unclosed) => "what stands before the damage is shown",
            (false, Fault::Wrong) => "some of what is shown may be wrong or missing",
        };
        notes.push((format!("the part {name} is damaged"), rest));
        if !bytes.is_empty() {
            found.add(len, name.clone(), &bytes);
        }
        found.damaged.push(name);
    }
    found.list(len, needed);
    let added = std::mem::take(&mut found.tail);
    Ok(Some((Opened { places: longer(places, added), found: Some(found) }, notes)))
}

/// A zip as a list tells its parts, or its own does: the length of all, the zip, and what is to be listed anew.
pub fn opened<'a>(
    input: &Input<'a>,
    listed: Option<&(Found, Places<'a>)>,
    out: &mut Out<'_>,
) -> Result<Option<(u64, Zip<'a>, Found)>, Failure> {
    let mut places = match listed {
        Some((_, places)) => places.clone(),
        None => headed(input.seekable()?, input, out)?.0,
    };
    let len = places.seek(SeekFrom::End(0))?;
    let found = listed.map_or_else(Found::all, |(found, _)| found.without_parts());
    Ok(ZipArchive::new(BufReader::new(places)).ok().map(|zip| (len, zip, found)))
}

/// The same bytes, and more behind them.
pub fn longer(places: Places<'_>, mut added: Vec<u8>) -> Places<'_> {
    match places {
        Places::Memory(memory) => {
            let mut bytes = memory.into_inner();
            bytes.append(&mut added);
            Places::Memory(Cursor::new(bytes))
        }
        Places::Stored(stored) => Places::Longer { stored, tail: added },
        Places::Longer { stored, mut tail } => {
            tail.append(&mut added);
            Places::Longer { stored, tail }
        }
    }
}

/// Whether a part of a zip is XML that ends early, or is none: its reader would wait for its end for ever.
pub fn ends_early(places: Places<'_>, name: &str) -> bool {
    let Ok(mut zip) = ZipArchive::new(BufReader::new(places)) else { return false };
    let Ok(part) = zip.by_name(name) else { return false };
    let mut part = part.take(PART_MAX);
    let (mut bytes, mut end) = (Vec::new(), Vec::new());
    let mut buffer = vec![0; 32 << 10];
    while let Ok(size @ 1..) = part.read(&mut buffer) {
        if bytes.is_empty() {
            bytes.extend_from_slice(&buffer[..size.min(ROOT_MAX)]);
        }
        end.extend_from_slice(&buffer[..size]);
        end.drain(..end.len().saturating_sub(ROOT_MAX));
    }
    // What ends with its outermost element is not read twice.
    let (bytes, end) = (String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&end));
    let begins = |at: &(usize, &str)| bytes[at.0 + 1..].starts_with(char::is_alphabetic);
    let root = bytes.match_indices('<').find(begins).map(|(at, _)| &bytes[at + 1..]);
    let root = root.and_then(|root| root.split([' ', '>', '/', '\n', '\r', '\t']).next());
    let closes =
        |root: &str| end.trim_end().strip_suffix('>').is_some_and(|end| end.trim_end().ends_with(&format!("</{root}")));
    if root.is_some_and(closes) {
        return false;
    }
    drop(part);
    zip.by_name(name).is_ok_and(|part| part.size() <= LOOKED_THROUGH && is_broken(&read(part, LOOKED_THROUGH).0))
}

/// What is held of a damaged part, beside those before it.
fn held(bytes: Vec<u8>, all: &mut u64) -> Vec<u8> {
    *all = all.saturating_add(bytes.len() as u64);
    if *all <= PART_MAX { bytes } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_parts_are_held_up_to_their_limit() {
        let mut all = PART_MAX - 3;
        assert_eq!((held(vec![7; 3], &mut all).len(), held(vec![7; 1], &mut all).len()), (3, 0));
    }
}
