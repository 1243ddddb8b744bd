//! Zips without the list of their parts, as a file is that was cut off: the parts by what stands before each of them,
//! and a list of those. A part that was cut itself is kept as far as it unpacks.

use std::io::{self, BufReader, Read};

use crate::content::{MemoryBytes, ReadAt};

use super::input::{AtPlace, Failure, Input, Packing, Places};
use super::out::{Out, Stop};
use super::records::closed_records;
use super::unclosed::closed;
use super::zip_heads::{headed, said};
use super::zipped::{ENTRY, HEAD, LOCAL, Part, begins_otherwise, is_unlisted, number, read, short};

/// Parts that are looked for.
const PARTS_MAX: usize = 65_000;
/// Parts that are looked at for what a file is, and bytes that are searched for the next of them.
const KIND_PARTS: usize = 1_000;
const KIND_BYTES: usize = 1 << 20;
/// Bytes of what is not packed that are searched for its end.
const KIND_STORED: usize = 512;
/// Bytes that all parts may unpack to which do not tell their sizes.
const UNPACKED_MAX: u64 = 1 << 30;
/// Bytes that are kept of a part that was cut.
const CUT_MAX: u64 = 64 << 20;
/// Bytes of the checksum and the sizes behind a part and of what stands before the next.
const SIZES: usize = 28;
/// The bytes with which an entry of the list begins, and those that its end takes.
const ENTRY_HEAD: &[u8] = b"PK\x01\x02";
const LIST_END: u64 = 22;
/// Bytes of what may stand behind a part before the next begins.
const BEHIND: usize = 24;

/// Parts that a format needs and that can be told from the names of the others: names and contents.
pub type Needed = fn(&[String]) -> Vec<(String, Vec<u8>)>;

/// An open zip.
pub struct Opened<'a> {
    /// Its bytes, with a list of the parts behind them where that was missing.
    pub places: Places<'a>,
    /// What was found where the list was missing.
    pub found: Option<Found>,
}

/// The parts of a zip whose list was missing.
#[derive(Debug, Default)]
pub struct Found {
    pub(super) parts: Vec<Listed>,
    /// Those of them that are damaged, by their names.
    pub(super) damaged: Vec<String>,
    /// How many of them are whole in the file.
    whole: usize,
    /// What follows them.
    rest: Rest,
    /// The part of which only the beginning is there.
    pub cut: Option<String>,
    /// What follows the stored bytes.
    pub(super) tail: Vec<u8>,
}

/// What follows the parts that were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rest {
    /// Nothing, or what is no part: there may have been more of them.
    #[default]
    Lost,
    /// The beginning of their list: they are all there.
    CutList,
    /// Their whole list, and something else behind it, so that it was not found at the end.
    Behind,
    /// Their list, where it belongs.
    List,
}

impl Found {
    /// Of a zip whose list tells of all parts.
    pub(super) fn all() -> Found {
        Found { rest: Rest::List, ..Found::default() }
    }

    /// What is known of the file, for a list of its parts that is to be written anew.
    pub(super) fn without_parts(&self) -> Found {
        Found { whole: self.whole, rest: self.rest, cut: self.cut.clone(), ..Found::default() }
    }

    /// Whether parts may be missing.
    #[must_use]
    pub fn lacks_parts(&self) -> bool {
        self.rest == Rest::Lost
    }

    /// Whether a part may have been there of which all or its end is lost.
    #[must_use]
    pub fn lacks(&self, name: &str) -> bool {
        let is_cut = self.cut.as_deref() == Some(name);
        self.damaged.iter().any(|part| part == name)
            || self.lacks_parts() && (is_cut || !self.parts.iter().any(|part| part.name == name))
    }

    /// What has happened to the file, in words.
    #[must_use]
    pub fn happened(&self) -> &'static str {
        match (self.damaged.is_empty(), self.lacks_parts()) {
            (true, _) => "cut off",
            (false, false) => "damaged",
            (false, true) => "cut off or damaged",
        }
    }

    /// The names of the parts.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.parts.iter().map(|part| part.name.clone()).collect()
    }
}

/// A part for the list.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) stored: u32,
    pub(super) size: u32,
    pub(super) at: u32,
}

/// What stands before a part.
struct Head {
    part: Part,
    flags: usize,
    crc: u32,
    size: u64,
    /// Where its bytes begin.
    data: u64,
}

impl Head {
    /// Whether its sizes stand behind it.
    fn sizes_follow(&self) -> bool {
        self.flags & 8 != 0
    }
}

/// Opens a zip; where its list is missing, one is made and that is said.
///
/// # Errors
/// Where it cannot be read, or nothing is left of it.
pub fn open<'a>(input: &Input<'a>, needed: Needed, out: &mut Out<'_>) -> Result<Opened<'a>, Failure> {
    let (found, places) = match (input.packing, input.seekable()?) {
        (Packing::None, places) if !is_unlisted(input.bytes) => {
            if begins_otherwise(input.bytes) {
                out.note_on_all(
                    "the file does not begin as a zip does: something stands before it, or its beginning is damaged",
                );
            }
            return Ok(Opened { places: said(headed(places, input, out)?, out), found: None });
        }
        (Packing::None, _) => {
            let mut found = find(input.bytes, out)?;
            found.list(input.bytes.len(), needed);
            let tail = std::mem::take(&mut found.tail);
            (found, Places::Longer { stored: AtPlace::new(input.bytes), tail })
        }
        (_, Places::Memory(memory)) => {
            let bytes = MemoryBytes(memory.into_inner());
            if !is_unlisted(&bytes) {
                let places = Places::Memory(io::Cursor::new(bytes.0));
                return Ok(Opened { places: said(headed(places, input, out)?, out), found: None });
            }
            let mut found = find(&bytes, out)?;
            found.list(bytes.len(), needed);
            let mut bytes = bytes.0;
            bytes.append(&mut found.tail);
            (found, Places::Memory(io::Cursor::new(bytes)))
        }
        (_, places) => return Ok(Opened { places, found: None }),
    };
    if found.parts.is_empty() {
        return Err(Failure::Damaged("the file is cut off before its first part ends".to_owned()));
    }
    let begun = match &found.cut {
        Some(name) => format!(", and the beginning of {name:?}"),
        None => String::new(),
    };
    let whole = found.whole;
    out.note_on_all(match found.rest {
        Rest::Lost => format!("the file is cut off: of its parts {whole} are left{begun}; what they hold is shown"),
        Rest::CutList => "the file is cut off behind the last of its parts; what they hold is shown".to_owned(),
        Rest::Behind | Rest::List => "something else stands behind the end of the file; it is left out".to_owned(),
    });
    Ok(Opened { places, found: Some(found) })
}

/// The parts of a zip whose list is missing, as far as they tell what it is.
pub fn heads(bytes: &dyn ReadAt) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = Some(0);
    while let Some(head) = at.and_then(|at| head(bytes, at))
        && parts.len() < KIND_PARTS
    {
        let behind = head.data.saturating_add(head.part.stored);
        let most = if head.sizes_follow() { KIND_BYTES } else { BEHIND };
        at = next(bytes, if head.sizes_follow() { head.data } else { behind }, most);
        let mut part = head.part;
        if part.stored == 0 && part.method == 0 {
            let near = read(bytes, head.data, KIND_STORED).unwrap_or_default();
            part.stored = signs(&near, 0).find_map(|at| told(&near, at, at as u64)).map_or(0, |(size, _)| size);
        }
        parts.push(part);
    }
    // What is packed without its size ends somewhere behind.
    for part in parts.iter_mut().filter(|part| part.stored == 0) {
        part.stored = u64::from(u16::MAX);
    }
    parts
}

/// Where the next part begins.
fn next(bytes: &dyn ReadAt, from: u64, most: usize) -> Option<u64> {
    let part = read(bytes, from, most + HEAD.len())?;
    memchr::memmem::find(&part, HEAD).map(|at| from + at as u64)
}

/// What stands before a part.
fn head(bytes: &dyn ReadAt, at: u64) -> Option<Head> {
    let fixed = read(bytes, at, LOCAL as usize)?;
    if !fixed.starts_with(HEAD) {
        return None;
    }
    let (name, extra) = (short(&fixed, 26)?, short(&fixed, 28)?);
    let after = read(bytes, at + LOCAL, name + extra)?;
    let (mut stored, mut size) = (u64::from(number(&fixed, 18)?), u64::from(number(&fixed, 22)?));
    if stored == u64::from(u32::MAX) {
        (size, stored) = long_sizes(after.get(name..)?)?;
    }
    // What is no name is none of a part.
    if name == 0 {
        return None;
    }
    let part = Part {
        name: String::from_utf8_lossy(after.get(..name)?).replace('\\', "/"),
        at,
        method: u16::try_from(short(&fixed, 8)?).ok()?,
        stored,
    };
    let data = at + LOCAL + (name + extra) as u64;
    Some(Head { part, flags: short(&fixed, 6)?, crc: number(&fixed, 14)?, size, data })
}

/// Sizes of eight bytes, unpacked and as stored, where those of four do not do.
fn long_sizes(mut extra: &[u8]) -> Option<(u64, u64)> {
    loop {
        let (kind, size) = (short(extra, 0)?, short(extra, 2)?);
        let field = extra.get(4..4 + size)?;
        if kind == 1 {
            let long = |at: usize| Some(u64::from_le_bytes(field.get(at..at + 8)?.try_into().ok()?));
            return Some((long(0)?, long(8)?));
        }
        extra = extra.get(4 + size..)?;
    }
}

/// All parts, from the first on.
fn find(bytes: &dyn ReadAt, out: &mut Out<'_>) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut at = 0;
    let mut unpacked = 0;
    while found.parts.len() < PARTS_MAX
        && let Some(head) = head(bytes, at)
        && head.data < bytes.len()
    {
        out.beat(1 << 10)?;
        if head.flags & 1 != 0 {
            return Err(Failure::Encrypted);
        }
        let left = bytes.len() - head.data;
        let told = !head.sizes_follow();
        let (stored, crc, size, whole) = if told {
            (head.part.stored, head.crc, head.size, head.part.stored <= left)
        } else if head.part.method == 8 {
            measure(bytes, head.data, UNPACKED_MAX.saturating_sub(unpacked), out)?
        } else if head.part.method == 0 {
            follows(bytes, head.data, out)?
        } else {
            break;
        };
        unpacked += if told || head.part.method == 0 { 0 } else { size };
        if !whole {
            found.keep_beginning(bytes, &head, out)?;
            break;
        }
        let small = |number: u64| u32::try_from(number).ok();
        let (Some(stored_small), Some(size), Some(place)) = (small(stored), small(size), small(at)) else { break };
        let Part { name, method, .. } = head.part;
        let named = u16::try_from(name.len()).is_ok();
        found.parts.extend(named.then_some(Listed { name, method, crc, stored: stored_small, size, at: place }));
        found.whole = found.parts.len();
        let end = head.data + stored;
        let Some(behind) = next(bytes, end, BEHIND) else {
            found.rest = rest(bytes, end);
            break;
        };
        at = behind;
    }
    Ok(found)
}

/// What follows the last part.
fn rest(bytes: &dyn ReadAt, from: u64) -> Rest {
    let near = read(bytes, from, BEHIND + HEAD.len()).unwrap_or_default();
    let Some(list) = memchr::memmem::find(&near, ENTRY_HEAD) else { return Rest::Lost };
    let mut at = from + list as u64;
    for _ in 0..PARTS_MAX {
        let Some(entry) = read(bytes, at, ENTRY) else { break };
        if entry.starts_with(b"PK\x05\x06") || entry.starts_with(b"PK\x06\x06") {
            return if at + LIST_END <= bytes.len() { Rest::Behind } else { Rest::CutList };
        }
        let (Some(name), Some(extra), Some(comment)) = (short(&entry, 28), short(&entry, 30), short(&entry, 32)) else {
            break;
        };
        if !entry.starts_with(ENTRY_HEAD) {
            break;
        }
        at += (ENTRY + name + extra + comment) as u64;
    }
    Rest::CutList
}

/// Where, from a place on, something of a zip may begin.
fn signs(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(bytes.get(from..).unwrap_or_default(), b"PK").map(move |at| from + at)
}

/// The size and the checksum of a part that is not packed, as they are told behind it, with a mark before them or without:
/// so many bytes behind its beginning, where they hold.
fn told(bytes: &[u8], at: usize, behind: u64) -> Option<(u64, u32)> {
    let (from, size) = match bytes.get(at + 2..at + 4)? {
        [7, 8] => (at + 4, behind),
        [3, 4] | [1, 2] => (at.checked_sub(12)?, behind.checked_sub(12)?),
        _ => return None,
    };
    (u64::from(number(bytes, from + 4)?) == size).then_some((size, number(bytes, from)?))
}

/// As [`measure`], of a part that is not packed.
fn follows(bytes: &dyn ReadAt, from: u64, out: &mut Out<'_>) -> Result<(u64, u32, u64, bool), Stop> {
    // Each piece begins with what may belong to the end of the one before.
    let mut at = from;
    while let Some(piece) = read(bytes, at, 64 << 10).filter(|piece| piece.len() > SIZES) {
        let begun = if at == from { 0 } else { 12 };
        let found = signs(&piece, begun).find_map(|sign| told(&piece, sign, at + sign as u64 - from));
        if let Some((size, crc)) = found {
            return Ok((size, crc, size, true));
        }
        out.beat(piece.len() as u64)?;
        at += (piece.len() - SIZES) as u64;
    }
    Ok((0, 0, 0, false))
}

/// How many bytes a packed part takes, its checksum, how many it unpacks to, and whether it has its end.
fn measure(bytes: &dyn ReadAt, from: u64, most: u64, out: &mut Out<'_>) -> Result<(u64, u32, u64, bool), Stop> {
    let mut packed = flate2::bufread::DeflateDecoder::new(BufReader::new(AtPlace::from_place(bytes, from)));
    let mut crc = flate2::Crc::new();
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    let ended = loop {
        match packed.read(&mut buffer) {
            Ok(0) => break true,
            Ok(some) => {
                crc.update(buffer.get(..some).unwrap_or_default());
                size += some as u64;
                out.beat(some as u64)?;
                if size > most {
                    break false;
                }
            }
            Err(_) => break false,
        }
    };
    // Without bytes behind it, nothing tells whether it was the end.
    let stored = packed.total_in();
    Ok((stored, crc.sum(), size, ended && from + stored < bytes.len()))
}

impl Found {
    /// Keeps what there is of a part that was cut, unpacked.
    fn keep_beginning(&mut self, bytes: &dyn ReadAt, head: &Head, out: &mut Out<'_>) -> Result<(), Stop> {
        let stored = BufReader::new(AtPlace::from_place(bytes, head.data));
        let mut packed: Box<dyn Read + '_> = match head.part.method {
            0 => Box::new(stored),
            8 => Box::new(flate2::bufread::DeflateDecoder::new(stored)),
            _ => return Ok(()),
        };
        let (mut kept, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
        // What unpacked before the cut is good.
        while let Ok(some @ 1..) = packed.read(&mut buffer) {
            out.beat(some as u64)?;
            kept.extend_from_slice(buffer.get(..some).unwrap_or_default());
            if kept.len() as u64 > CUT_MAX {
                break;
            }
        }
        let name = &head.part.name;
        self.cut = Some(name.clone());
        if name.ends_with(".xml") || name.ends_with(".rels") {
            kept = closed(kept, |bytes| out.beat(bytes))?;
        } else if name.starts_with("xl/") && name.ends_with(".bin") {
            kept = closed_records(name, kept);
        }
        if !kept.is_empty() {
            let name = name.clone();
            self.add(bytes.len(), name, &kept);
        }
        Ok(())
    }

    /// A part that stands behind the stored bytes, not packed.
    pub(super) fn add(&mut self, stored: u64, name: String, content: &[u8]) {
        let Some(at) = stored.checked_add(self.tail.len() as u64).and_then(|at| u32::try_from(at).ok()) else { return };
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let size = u32::try_from(content.len()).unwrap_or(u32::MAX);
        let part = Listed { name, method: 0, crc: crc.sum(), stored: size, size, at };
        self.tail.extend_from_slice(HEAD);
        part.describe(&mut self.tail);
        self.tail.extend_from_slice(&[0; 2]);
        self.tail.extend_from_slice(part.name.as_bytes());
        self.tail.extend_from_slice(content);
        self.parts.push(part);
    }

    /// Writes the list, with what is needed besides.
    pub(super) fn list(&mut self, stored: u64, needed: Needed) {
        if self.parts.is_empty() {
            return;
        }
        for (name, content) in needed(&self.names()) {
            self.parts.retain(|part| part.name != name);
            self.add(stored, name, &content);
        }
        let Ok(from) = u32::try_from(stored + self.tail.len() as u64) else {
            self.parts.clear();
            return;
        };
        let begins = self.tail.len();
        for part in &self.parts {
            self.tail.extend_from_slice(b"PK\x01\x02\x14\0");
            part.describe(&mut self.tail);
            self.tail.extend_from_slice(&[0; 12]);
            self.tail.extend(part.at.to_le_bytes());
            self.tail.extend_from_slice(part.name.as_bytes());
        }
        let size = u32::try_from(self.tail.len() - begins).unwrap_or(u32::MAX);
        let count = u16::try_from(self.parts.len()).unwrap_or(u16::MAX).to_le_bytes();
        self.tail.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        self.tail.extend([count, count].concat());
        self.tail.extend(size.to_le_bytes());
        self.tail.extend(from.to_le_bytes());
        self.tail.extend([0; 2]);
    }
}

impl Listed {
    /// What stands both before a part and in the list: from the version that is needed to the length of the name, which
    /// is told as UTF-8.
    fn describe(&self, to: &mut Vec<u8>) {
        to.extend([0x14, 0, 0, 8]);
        to.extend(self.method.to_le_bytes());
        to.extend([0, 0, 0x21, 0]);
        for number in [self.crc, self.stored, self.size] {
            to.extend(number.to_le_bytes());
        }
        to.extend(u16::try_from(self.name.len()).unwrap_or(u16::MAX).to_le_bytes());
    }
}

#[cfg(test)]
#[path = "unlisted_tests.rs"]
mod tests;
