//! Zips some of whose parts are damaged, for readers that open them by themselves and want every part whole: what is left
//! of each part takes its place, and a new list leads to it.

use std::collections::HashMap;
use std::io::{self, BufReader, Read};

use zip::ZipArchive;

use super::input::{Failure, Places};
use super::office::damaged::{self, Checked, Fault, is_broken, is_xml, mended};
use super::out::Out;
use super::records::closed_records;
use super::rewritten::Rewritten;
use super::unlisted::{Listed, Needed, Opened};

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

/// What is the matter with the parts of a zip that are damaged, by their numbers.
pub type Faults = HashMap<usize, Fault>;

/// Looks for damaged parts.
///
/// # Errors
/// Where one is encrypted, or nobody wishes it any more.
pub fn faults(zip: &Opened<'_>, out: &mut Out<'_>) -> Result<Faults, Failure> {
    let mut faults = Faults::new();
    Rewritten::of(zip, |zip, number, listed| {
        let is_read = [".xml", ".rels", ".bin"].iter().any(|end| listed.name.ends_with(end));
        if is_read || listed.name == "mimetype" {
            let part = zip.by_index_raw(number).map(|part| checked(part, listed));
            faults.extend(part.map_or(Some(Fault::Ends), |part| fault(part, listed)).map(|fault| (number, fault)));
        }
        out.beat(listed.size.into())?;
        Ok(None)
    })?;
    Ok(faults)
}

/// What is the matter with a part; it is read once.
fn fault(part: impl Read, listed: &Listed) -> Option<Fault> {
    let is_looked_through = is_xml(&listed.name) && u64::from(listed.size) <= LOOKED_THROUGH;
    let mut part = part.take(PART_MAX);
    let mut bytes = Vec::new();
    let read = match is_looked_through {
        true => part.by_ref().take(LOOKED_THROUGH).read_to_end(&mut bytes).map(|_| ()),
        false => Ok(()),
    };
    match read.and_then(|()| io::copy(&mut part, &mut io::sink())) {
        Err(why) => Some(damaged::fault(&why)),
        Ok(_) => (is_looked_through && is_broken(&bytes)).then_some(Fault::Unclosed),
    }
}

fn checked<R: Read>(part: R, listed: &Listed) -> Checked<R> {
    Checked::new(part, listed.method == 8, listed.crc)
}

/// A zip with so many eighths of what is left of each of its damaged parts, or without them, and in words which these are;
/// `None` where it cannot be read.
///
/// # Errors
/// Where nobody wishes it any more.
pub fn open<'a>(
    zip: &Opened<'a>,
    faults: &Faults,
    eighths: usize,
    needed: Needed,
    out: &mut Out<'_>,
) -> Result<Option<(Opened<'a>, Vec<Lost>)>, Failure> {
    let (mut all, mut names, mut notes) = (0, Vec::new(), Vec::new());
    let made = Rewritten::of(zip, |zip, number, listed| {
        let Some(fault) = faults.get(&number) else { return Ok(None) };
        let most = if *fault == Fault::Unclosed { LOOKED_THROUGH } else { PART_MAX };
        let part = zip.by_index_raw(number).map(|part| damaged::read(checked(part, listed), most).0);
        let mut bytes = held(part.unwrap_or_default(), &mut all);
        out.beat(bytes.len() as u64)?;
        bytes.truncate(bytes.len() * eighths / 8);
        let name = listed.name.as_str();
        let bytes = if LEADING.contains(&name) {
            Vec::new()
        } else if name.ends_with(".bin") {
            closed_records(name, bytes)
        } else {
            mended(name, bytes)
        };
        let rest = match (bytes.is_empty(), fault) {
            (true, _) => "the others are shown without it",
            (false, Fault::Ends | Fault::Unclosed) => "what stands before the damage is shown",
            (false, Fault::Wrong) => "some of what is shown may be wrong or missing",
        };
        notes.push((format!("the part {name} is damaged"), rest));
        names.push(name.to_owned());
        Ok(Some(bytes))
    })?;
    Ok(made.map(|mut made| {
        made.found.damaged = names;
        (made.opened(needed), notes)
    }))
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
    zip.by_name(name)
        .is_ok_and(|part| part.size() <= LOOKED_THROUGH && is_broken(&damaged::read(part, LOOKED_THROUGH).0))
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
