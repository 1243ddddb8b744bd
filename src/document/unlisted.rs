//! Zips without a list of their parts that can be read, as a file is that was cut off: the parts by what stands before
//! each of them, and a list of those. A part that was cut itself is kept as far as it unpacks.

use std::collections::HashSet;
use std::io::{BufReader, Read};

use zip::read::ZipFileEntry;
use zip::{CompressionMethod, ZipArchive};

use crate::content::ReadAt;

use super::input::{Failure, Input, Packing, Places};
use super::out::{Out, Stop};
use super::part_head::{Head, first, follows, head, measure, next, resumed, signs, told};
use super::records::closed_records;
use super::unclosed::closed;
use super::zip_heads::{Anew, anew};
use super::zip_list::{ENTRY_HEAD, LIST_END, List, Listing};
use super::zipped::{ENTRY, HEAD, Part, read, short};

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
/// Bytes of what may stand behind a part before the next begins.
const BEHIND: usize = 24;

/// Parts that a format needs and that can be told from the names of the others: names and contents.
pub type Needed = fn(&[String]) -> Vec<(String, Vec<u8>)>;

/// An open zip.
pub struct Opened<'a> {
    /// Its bytes, with a list of the parts behind them where that was missing or parts are written anew.
    pub places: Places<'a>,
    /// What was found where that is so.
    pub found: Option<Found>,
    /// Its own list, where it is read.
    pub list: Option<List>,
    /// The zip, opened, where it was.
    pub archive: Option<Archive<'a>>,
}

/// A zip as its reader opens it.
pub type Archive<'a> = ZipArchive<BufReader<Places<'a>>>;

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
    /// Whether the end of one of them was lost and others stood behind it.
    holed: bool,
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
    /// Their list, some of which is damaged.
    Broken,
}

impl Found {
    /// Of a zip whose list tells of all parts.
    pub(super) fn all() -> Found {
        Found { rest: Rest::List, ..Found::default() }
    }

    /// Whether nothing but the list is damaged or lost, and all parts are there.
    pub(super) fn is_all(&self) -> bool {
        self.cut.is_none() && !self.lacks_parts() && self.damaged.is_empty()
    }

    /// What is known of the file, for a list of its parts that is to be written anew.
    pub(super) fn without_parts(&self) -> Found {
        Found { whole: self.whole, rest: self.rest, holed: self.holed, cut: self.cut.clone(), ..Found::default() }
    }

    /// Whether parts may be missing.
    #[must_use]
    pub fn lacks_parts(&self) -> bool {
        self.rest == Rest::Lost || self.holed
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
            (true, _) if self.holed || self.rest == Rest::Broken => "damaged",
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

impl Listed {
    /// A part as a zip's own list tells it; `None` where its name cannot be read.
    ///
    /// # Errors
    /// Where it is encrypted.
    pub(super) fn of(part: &ZipFileEntry<'_>) -> Result<Option<Listed>, Failure> {
        if part.encrypted() {
            return Err(Failure::Encrypted);
        }
        let Ok(name) = part.name() else { return Ok(None) };
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Ok(Some(Listed {
            name: name.replace('\\', "/").trim_start_matches('/').to_owned(),
            method: if part.compression() == CompressionMethod::Deflated { 8 } else { 0 },
            crc: part.crc32(),
            stored: small(part.compressed_size()),
            size: small(part.size()),
            at: small(part.header_start()),
        }))
    }
}

/// Opens a zip; where its list is missing or damaged, one is made and that is said.
///
/// # Errors
/// Where it cannot be read, or nothing is left of it.
pub fn open<'a>(input: &Input<'a>, needed: Needed, out: &mut Out<'_>) -> Result<Opened<'a>, Failure> {
    let places = input.seekable()?;
    let listing = Listing::of(&places);
    let list_at = match &listing {
        Listing::Broken(at) => Some(*at),
        other => other.list().map(|list| list.at),
    };
    let begins_otherwise = !matches!(listing, Listing::Moved(..) | Listing::Lost)
        && input.packing == Packing::None
        && read(&places, 0, 2).is_some_and(|head| head != b"PK");
    let is_missing = matches!(listing, Listing::Broken(_) | Listing::Lost);
    let mut opened = None;
    if !is_missing || first(&places).is_none() {
        let (places, list, told) = match anew(&places, listing, out)? {
            Anew { tail: Some(tail), list, told } => (places.clone().followed_by(tail), list, told),
            Anew { tail: None, list, told } => (places.clone(), list, told),
        };
        let archive = ZipArchive::new(BufReader::new(places.clone())).ok();
        // What its reader does not take is read without its list, where that is not too long to be all of it.
        let is_all = list.as_ref().is_some_and(|list| list.is_all);
        if archive.is_some() || !is_all || first(&places).is_none() {
            if begins_otherwise {
                out.note_on_all(
                    "the file does not begin as a zip does: something stands before it, or its beginning is damaged",
                );
            }
            told.say(out);
            opened = Some(Opened { places, found: None, list, archive });
        }
    }
    match opened {
        Some(opened) => Ok(opened),
        None => unlisted(places, list_at, needed, out),
    }
}

/// Opens a zip without its list, which begins at a place where some of it is there.
fn unlisted<'a>(
    places: Places<'a>,
    list_at: Option<u64>,
    needed: Needed,
    out: &mut Out<'_>,
) -> Result<Opened<'a>, Failure> {
    let mut found = find(&places, list_at, out)?;
    if list_at.is_some() && found.rest != Rest::Lost {
        found.rest = Rest::Broken;
    }
    let places = found.list(places, needed);
    if found.parts.is_empty() {
        return Err(Failure::Damaged("the file is cut off before its first part ends".to_owned()));
    }
    let begun = match &found.cut {
        Some(name) => format!(", and the beginning of {name:?}"),
        None => String::new(),
    };
    let whole = found.whole;
    let lost = match found.rest {
        _ if found.holed => {
            format!("bytes of the file are missing or damaged: {whole} of its parts are left{begun}")
        }
        Rest::Lost => format!("the file is cut off: of its parts {whole} are left{begun}"),
        Rest::CutList => "the file is cut off or damaged behind the last of its parts".to_owned(),
        Rest::Broken => format!("the list of its parts is damaged: {whole} of them are found without it{begun}"),
        Rest::Behind | Rest::List => String::new(),
    };
    match lost.is_empty() {
        true => out.note_on_all("something else stands behind the end of the file; it is left out"),
        false => out.lost_of_all(lost, "what they hold is shown"),
    }
    Ok(Opened { places, found: Some(found), list: None, archive: None })
}

/// The parts of a zip whose list is missing, as far as they tell what it is.
pub fn heads(bytes: &dyn ReadAt) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = first(bytes);
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

/// All parts, from the first on, up to the list that begins at a place.
fn find(bytes: &dyn ReadAt, list_at: Option<u64>, out: &mut Out<'_>) -> Result<Found, Failure> {
    let mut at = first(bytes).unwrap_or_default();
    // What stood before it is lost.
    let mut found = Found { holed: at > 0, ..Found::default() };
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
            match resumed(bytes, &head, head.data, out)? {
                Some(next) if (found.tail.len() as u64) < CUT_MAX => {
                    found.holed = true;
                    found.damaged.extend(found.cut.take());
                    at = next;
                    continue;
                }
                _ => break,
            }
        }
        let small = |number: u64| u32::try_from(number).ok();
        let (Some(stored_small), Some(size), Some(place)) = (small(stored), small(size), small(at)) else { break };
        let Part { name, method, .. } = &head.part;
        let (name, method) = (name.clone(), *method);
        let named = u16::try_from(name.len()).is_ok();
        found.parts.extend(named.then_some(Listed { name, method, crc, stored: stored_small, size, at: place }));
        found.whole += usize::from(named);
        let end = head.data + stored;
        at = match next(bytes, end, BEHIND) {
            Some(behind) => behind,
            None => {
                let is_list = list_at.is_some_and(|at| (end..=end + BEHIND as u64).contains(&at));
                found.rest = if is_list { Rest::Broken } else { rest(bytes, end) };
                match resumed(bytes, &head, end, out)? {
                    Some(next) if found.rest == Rest::Lost => {
                        found.holed = true;
                        next
                    }
                    _ => break,
                }
            }
        };
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

impl Found {
    /// Keeps what there is of a part that was cut, unpacked.
    fn keep_beginning(&mut self, bytes: &dyn ReadAt, head: &Head, out: &mut Out<'_>) -> Result<(), Stop> {
        let stored = BufReader::new(Places::stored_from(bytes, head.data));
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
        } else if name.trim_start_matches('/').starts_with("xl/") && name.ends_with(".bin") {
            kept = closed_records(name.trim_start_matches('/'), kept);
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

    /// Takes away slashes before names; where a part of the plain name is there as well, a name stays.
    fn name_plainly(&mut self) {
        let mut names: HashSet<String> = self.parts.iter().map(|part| part.name.clone()).collect();
        for part in &mut self.parts {
            let plain = part.name.trim_start_matches('/');
            if plain.len() < part.name.len() && names.insert(plain.to_owned()) {
                part.name = plain.to_owned();
            }
        }
        for name in self.damaged.iter_mut().chain(&mut self.cut) {
            *name = name.trim_start_matches('/').to_owned();
        }
    }

    /// Puts what was found and is needed behind the bytes of the zip, with a list of all.
    pub(super) fn list<'a>(&mut self, places: Places<'a>, needed: Needed) -> Places<'a> {
        self.write_list(places.len(), needed);
        places.followed_by(std::mem::take(&mut self.tail))
    }

    fn write_list(&mut self, stored: u64, needed: Needed) {
        if self.parts.is_empty() {
            return;
        }
        // Readers that need parts of certain names seek them without slashes before these.
        if !needed(&[]).is_empty() {
            self.name_plainly();
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
