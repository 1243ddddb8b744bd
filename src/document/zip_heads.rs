//! Zips in which what stands before a part and what the list says of it are not the same: one of both is damaged, so the list is
//! written anew, and what stands before a part where that is so. And zips of which bytes are missing: their parts stand elsewhere
//! than their lists say.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, BufReader, Read};

use crate::content::ReadAt;

use super::input::{Places, is_swollen};
use super::office::damaged::Checked;
use super::out::{Out, Stop};
use super::part_head::{Head, follows, head, measure};
use super::zip_list::{Entry, List, Listing, stands};
use super::zipped::{ENTRY, HEAD, LOCAL, number, read, short};

/// Bytes of all parts that are written anew, as they are stored, and those that they may unpack to while their places are
/// sought.
const STORED_MAX: u64 = 64 << 20;
const UNPACKED_MAX: u64 = 256 << 20;
/// Bytes that may stand behind a part: a checksum and two sizes, with a mark before them or without.
const BEHIND: [u64; 3] = [0, 16, 12];

/// Bytes of what stands behind a part at most, and of a name that are wrong where that is still known for another's.
const FOLLOW_MAX: usize = 24;
const RENAMED_MAX: usize = 3;
/// Parts that only documents have: whoever looks for their parts asks for them by their names.
const DOCUMENTS: [&[u8]; 3] = [b"[Content_Types].xml", b"mimetype", b"META-INF/container.xml"];

/// Parts that are named in what is said.
const NAMED: usize = 20;

/// Bytes that are searched at once for parts that stand elsewhere, and parts that are found so at most.
const PIECE: usize = 1 << 20;
const FOUND_MAX: usize = 65_000;

/// What was found of a zip that is not as its list says.
#[derive(Default)]
pub struct Told {
    /// The names of parts that were found without what stands before them.
    names: Vec<String>,
    /// Those of parts of which the list tells something wrong.
    wrong: Vec<String>,
    /// The same of their names, with those that they have.
    renamed: Vec<(String, String)>,
    /// Whether what stands at the end of the list is wrong.
    is_misled: bool,
    /// Bytes that are missing, the parts in the list, and those of them that were found.
    missing: Option<(u64, usize, usize)>,
}

impl Told {
    /// Says what is not as it is told.
    pub fn say(self, out: &mut Out<'_>) {
        if let Some((bytes, all, found)) = self.missing {
            let lost =
                if bytes == 1 { "1 byte of the file is".to_owned() } else { format!("{bytes} bytes of the file are") };
            out.lost_of_all(format!("{lost} missing: of its {all} parts {found} are found"), "what they hold is shown");
        }
        if self.is_misled {
            out.note_on_all("the list of its parts is damaged at its end: all of them are found");
        }
        let before = |name: &String| format!("what stands before the part {name} is damaged");
        let wrong = |name: &String| format!("the list of its parts is damaged where it tells of {name}");
        let renamed =
            |(told, own): &(String, String)| format!("the list of its parts is damaged where it calls {own} {told}");
        let lost = self.names.iter().map(before);
        let lost = lost.chain(self.wrong.iter().map(wrong)).chain(self.renamed.iter().map(renamed));
        let more = lost.clone().count().saturating_sub(NAMED);
        lost.take(NAMED).for_each(|lost| out.lost_of_all(lost, "the part was found, and is shown"));
        if more > 0 {
            out.note_on_all(format!("so it is with {more} more"));
        }
    }

    fn is_none(&self) -> bool {
        self.names.is_empty() && self.wrong.is_empty() && self.renamed.is_empty() && !self.is_misled
    }
}

/// A zip whose list leads to its parts.
pub struct Anew {
    /// What follows the zip, where its own list does not: parts with what stands before them, and a list that leads to all.
    pub tail: Option<Vec<u8>>,
    /// Its list.
    pub list: Option<List>,
    pub told: Told,
}

/// A zip whose list tells names without slashes before them, as they are sought by readers that open it by themselves.
pub fn without_slashes<'a>(places: Places<'a>, list: &List) -> Places<'a> {
    match plainly_named(&places, list) {
        Some(tail) => places.followed_by(tail),
        None => places,
    }
}

/// A list with such names, to follow the zip; `None` where all are so. Where a part of the plain name is there as well,
/// a name stays.
fn plainly_named(bytes: &dyn ReadAt, list: &List) -> Option<Vec<u8>> {
    let entries = list.entries();
    let mut names: HashSet<&[u8]> = entries.iter().map(|entry| entry.name).collect();
    let mut told = Vec::with_capacity(list.bytes.len());
    for (entry, number) in entries.iter().zip(1..) {
        let slashes = entry.name.iter().take_while(|byte| **byte == b'/').count();
        let plain = entry.name.get(slashes..).filter(|plain| slashes > 0 && names.insert(plain)).unwrap_or(entry.name);
        let end = entries.get(number).map_or(list.bytes.len(), |next| next.from);
        let behind = list.bytes.get(entry.from + ENTRY + entry.name.len()..end)?;
        let len = u16::try_from(plain.len()).ok()?.to_le_bytes();
        for part in [entry.fixed.get(..28)?, &len, entry.fixed.get(30..)?, plain, behind] {
            told.extend_from_slice(part);
        }
    }
    let from = bytes.len().checked_sub(list.before).and_then(|from| u32::try_from(from).ok())?;
    let mut tail = Vec::new();
    let changed = list.is_all && told.len() < list.bytes.len();
    changed.then(|| end_list(&mut tail, &told, entries.len(), from)).flatten().map(|()| tail)
}

/// A zip by what it tells of its parts, with what takes the place of what is damaged, as far as the parts can be found.
///
/// # Errors
/// Where nobody wishes it any more.
pub fn anew(bytes: &dyn ReadAt, listing: Listing, out: &mut Out<'_>) -> Result<Anew, Stop> {
    let same = |list| Anew { tail: None, list, told: Told::default() };
    match listing {
        Listing::Whole(list) => compared(bytes, list, out),
        Listing::Moved(list, missing) => moved(bytes, list, missing, out),
        Listing::Long(list) => Ok(same(Some(list))),
        Listing::Broken(_) | Listing::Lost => Ok(same(None)),
    }
}

/// The same by its list, each entry of which is held against what stands before its part.
fn compared(bytes: &dyn ReadAt, list: List, out: &mut Out<'_>) -> Result<Anew, Stop> {
    let (before, entries) = (list.before, list.entries());
    let mut places: Vec<u64> = entries.iter().map(|entry| entry.at).chain([list.at]).collect();
    places.sort_unstable();
    let (mut tail, mut told) = (Vec::new(), Told { is_misled: !list.is_ended, ..Told::default() });
    let (mut written, mut added) = (list.bytes.clone(), Vec::new());
    let mut search = Search { bytes, unpacked: UNPACKED_MAX, all: None };
    let mut left = STORED_MAX;
    let is_document = || entries.iter().any(|entry| DOCUMENTS.contains(&entry.name));
    for entry in &entries {
        let next = places.get(places.partition_point(|at| *at <= entry.at)).copied().unwrap_or(list.at);
        let is_long = [entry.stored, entry.size, entry.at - before].contains(&u32::MAX.into());
        // Nobody reads a folder.
        if is_long || entry.name.ends_with(b"/") && entry.stored == 0 {
            continue;
        }
        let own = head(bytes, entry.at);
        if own.as_ref().is_some_and(|own| is_told(bytes, entry, own, next)) {
            continue;
        }
        let name = String::from_utf8_lossy(entry.name).replace('\\', "/");
        let fields = Fields::of_entry(entry);
        if let (Some(own), Some(fields)) = (&own, fields)
            && search.holds(own.data, fields, out)?
        {
            if is_encrypted(entry) {
                written.get_mut(entry.from + 8).into_iter().for_each(|flags| *flags &= !1);
                told.wrong.push(name.clone());
            }
            let is_new = |own: &Vec<u8>| is_document() && !entries.iter().any(|other| other.name == own.as_slice());
            if let Some(renamed) = renamed(bytes, entry).filter(is_new) {
                told.renamed.push((name, String::from_utf8_lossy(&renamed).into_owned()));
                added.push((entry, renamed));
            }
            continue;
        }
        let is_copied = entry.stored <= left && is_spoilt(bytes, entry, next);
        let copied = if is_copied { data(bytes, entry, next, &mut search.unpacked, out)? } else { None };
        if let Some(data) = copied {
            left -= entry.stored;
            let at = (bytes.len() + tail.len() as u64).checked_sub(before).and_then(|at| u32::try_from(at).ok());
            let place = written.get_mut(entry.from + 42..entry.from + ENTRY);
            let (Some(at), Some(place), Some(same)) = (at, place, entry.fixed.get(6..30)) else { continue };
            place.copy_from_slice(&at.to_le_bytes());
            for part in [HEAD, same, &[0; 2], entry.name, &data] {
                tail.extend_from_slice(part);
            }
            told.names.push(name);
        } else if let Some((at, fields)) = search.own(entry, own, out)?
            && !is_believed(entry, fields)
            && let Some(at) = at.checked_sub(before).and_then(|at| u32::try_from(at).ok())
            && let Some(entry) = written.get_mut(entry.from..entry.from + ENTRY)
        {
            fields.write(entry, at);
            told.wrong.push(name);
        }
    }
    for (entry, name) in &added {
        let from = written.len();
        written.extend_from_slice(entry.fixed);
        written.extend_from_slice(name);
        // Nothing else stands behind its name.
        written.get_mut(from + 30..from + 34).into_iter().for_each(|sizes| sizes.fill(0));
    }
    let count = entries.len() + added.len();
    drop(added);
    let from = (bytes.len() + tail.len() as u64).checked_sub(before).and_then(|from| u32::try_from(from).ok());
    if told.is_none() {
        return Ok(Anew { tail: None, list: Some(list), told });
    }
    let Some(()) = from.and_then(|from| end_list(&mut tail, &written, count, from)) else {
        return Ok(Anew { tail: None, list: Some(list), told: Told::default() });
    };
    let list = List { bytes: written, at: from.map_or(0, |from| before + u64::from(from)), is_ended: true, ..list };
    Ok(Anew { tail: Some(tail), list: Some(list), told })
}

/// Puts a list and its end behind what is written; it begins at a place of the zip.
fn end_list(tail: &mut Vec<u8>, list: &[u8], count: usize, from: u32) -> Option<()> {
    let (count, size) = (u16::try_from(count).ok()?.to_le_bytes(), u32::try_from(list.len()).ok()?.to_le_bytes());
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size, &from.to_le_bytes(), &[0; 2]];
    for part in [list].into_iter().chain(end) {
        tail.extend_from_slice(part);
    }
    Some(())
}

/// The same by its list where bytes are missing before that, as its parts stand now; a part that was lost leads to no part.
fn moved(bytes: &dyn ReadAt, list: List, missing: u64, out: &mut Out<'_>) -> Result<Anew, Stop> {
    let entries = list.entries();
    let mut told = list.bytes.clone();
    // Where one stretch is missing, parts stand before it as ever, or behind it by as much nearer.
    let near = |entry: &Entry<'_>| {
        let behind = entry.at.checked_sub(missing);
        [Some(entry.at), behind]
            .into_iter()
            .flatten()
            .find(|at| stands(bytes, *at).is_some_and(|name| name == entry.name))
    };
    let mut places: Vec<Option<u64>> = entries.iter().map(near).collect();
    if places.iter().any(Option::is_none) {
        let all = all_parts(bytes, out)?;
        for (place, entry) in places.iter_mut().zip(&entries) {
            *place = place.or_else(|| all.get(entry.name)?.first().copied());
        }
    }
    let (found, count) = (places.iter().flatten().count(), entries.len());
    let nowhere = u32::try_from(bytes.len()).ok().filter(|_| found > 0);
    let Some(nowhere) = nowhere else { return Ok(Anew { tail: None, list: Some(list), told: Told::default() }) };
    for (place, entry) in places.iter().zip(&entries) {
        let at = place.and_then(|at| u32::try_from(at).ok()).unwrap_or(nowhere);
        told.get_mut(entry.from + 42..entry.from + ENTRY)
            .into_iter()
            .for_each(|to| to.copy_from_slice(&at.to_le_bytes()));
    }
    let mut tail = Vec::new();
    let Some(()) = end_list(&mut tail, &told, count, nowhere) else {
        return Ok(Anew { tail: None, list: Some(list), told: Told::default() });
    };
    let list = List { bytes: told, at: nowhere.into(), is_ended: true, ..list };
    let told = Told { missing: Some((missing, count, found)), ..Told::default() };
    Ok(Anew { tail: Some(tail), list: Some(list), told })
}

/// What is told of the bytes of a part.
#[derive(Clone, Copy, Debug)]
struct Fields {
    method: u16,
    crc: u32,
    stored: u32,
    size: u32,
}

impl Fields {
    fn of_entry(entry: &Entry<'_>) -> Option<Fields> {
        let method = u16::try_from(short(entry.fixed, 10)?).ok()?;
        let (stored, size) = (number(entry.fixed, 20)?, number(entry.fixed, 24)?);
        Some(Fields { method, crc: number(entry.fixed, 16)?, stored, size })
    }

    /// Whether the same is told at a place behind a part, with a mark before it or without.
    fn follow(self, bytes: &dyn ReadAt, at: u64) -> bool {
        let behind = read(bytes, at, FOLLOW_MAX).unwrap_or_default();
        let told = behind.strip_prefix(b"PK\x07\x08").unwrap_or(&behind);
        let size = |at: usize| number(told, at + 4).filter(|_| number(told, at) == Some(self.stored));
        // Large ones have eight bytes for each size.
        let sizes = [size(4), size(4).filter(|rest| *rest == 0).and_then(|_| number(told, 12))];
        number(told, 0) == Some(self.crc) && sizes.contains(&Some(self.size))
    }

    /// Puts it into an entry of a list, for a part that is not encrypted and begins at a place.
    fn write(self, entry: &mut [u8], at: u32) {
        let put = |entry: &mut [u8], place: usize, bytes: &[u8]| {
            let to = entry.get_mut(place..place + bytes.len());
            to.into_iter().for_each(|to| to.copy_from_slice(bytes));
        };
        entry.get_mut(8).into_iter().for_each(|flags| *flags &= !1);
        put(entry, 10, &self.method.to_le_bytes());
        let numbers = [(16, self.crc), (20, self.stored), (24, self.size), (42, at)];
        numbers.iter().for_each(|(place, number)| put(entry, *place, &number.to_le_bytes()));
    }
}

/// Looks for parts that a list tells of wrongly.
struct Search<'b> {
    bytes: &'b dyn ReadAt,
    /// Bytes that may still be unpacked.
    unpacked: u64,
    /// Where parts begin, once that was sought.
    all: Option<Begins>,
}

impl Search<'_> {
    /// Whether what is told of a part's bytes is so.
    fn holds(&mut self, from: u64, fields: Fields, out: &mut Out<'_>) -> Result<bool, Stop> {
        let Fields { method, crc, stored, size } = fields;
        let most = u64::from(size) + 1;
        if !matches!(method, 0 | 8) || most > self.unpacked {
            return Ok(false);
        }
        let stored = BufReader::new(Places::stored_from(self.bytes, from)).take(stored.into());
        let mut part = Checked::new(stored, method == 8, crc).take(most);
        let is_sound = io::copy(&mut part, &mut io::sink()).is_ok();
        let read = most - part.limit();
        self.unpacked -= read;
        out.beat(read)?;
        Ok(is_sound && read == u64::from(size))
    }

    /// Where the part of an entry stands, and what it tells of itself, where that is so.
    fn own(&mut self, entry: &Entry<'_>, own: Option<Head>, out: &mut Out<'_>) -> Result<Option<(u64, Fields)>, Stop> {
        let is_named = stands(self.bytes, entry.at).is_some_and(|name| name == entry.name);
        if let Some(own) = own.filter(|_| is_named) {
            return Ok(self.told(&own, out)?.map(|fields| (entry.at, fields)));
        }
        let all = match self.all.take() {
            Some(all) => all,
            None => all_parts(self.bytes, out)?,
        };
        let places = all.get(entry.name).cloned().unwrap_or_default();
        self.all = Some(all);
        for at in places {
            if let Some(own) = head(self.bytes, at)
                && let Some(fields) = self.told(&own, out)?
                && Fields::of_entry(entry).is_some_and(|told| told.crc == fields.crc && told.size == fields.size)
            {
                return Ok(Some((at, fields)));
            }
        }
        Ok(None)
    }

    /// What a part tells of its bytes before or behind them, where that is so.
    fn told(&mut self, own: &Head, out: &mut Out<'_>) -> Result<Option<Fields>, Stop> {
        let method = own.part.method;
        if own.flags & 1 != 0 {
            return Ok(None);
        }
        let is_measured = own.sizes_follow() && method == 8;
        let (stored, crc, size, is_whole) = match own.sizes_follow() {
            false => (own.part.stored, own.crc, own.size, true),
            true if is_measured => measure(self.bytes, own.data, self.unpacked, out)?,
            true => follows(self.bytes, own.data, out)?,
        };
        let (Ok(stored), Ok(size)) = (u32::try_from(stored), u32::try_from(size)) else { return Ok(None) };
        let fields = Fields { method, crc, stored, size };
        let is_so = if is_measured {
            self.unpacked = self.unpacked.saturating_sub(size.into());
            is_whole && fields.follow(self.bytes, own.data + u64::from(stored))
        } else {
            is_whole && self.holds(own.data, fields, out)?
        };
        Ok(is_so.then_some(fields))
    }
}

/// Where parts begin, by their names.
type Begins = HashMap<Vec<u8>, Vec<u64>>;

/// Where all parts begin.
fn all_parts(bytes: &dyn ReadAt, out: &mut Out<'_>) -> Result<Begins, Stop> {
    let (mut all, mut count, mut from) = (Begins::new(), 0, 0);
    while count < FOUND_MAX
        && let Some(piece) = read(bytes, from, PIECE + HEAD.len() - 1).filter(|piece| piece.len() >= HEAD.len())
    {
        out.beat(piece.len() as u64)?;
        for at in memchr::memmem::find_iter(&piece, HEAD).map(|at| from + at as u64) {
            if let Some(name) = stands(bytes, at) {
                all.entry(name).or_default().push(at);
                count += 1;
            }
        }
        from += PIECE as u64;
    }
    Ok(all)
}

/// Whether an entry tells on purpose of more bytes than a part may unpack to: no single byte of it is wrong.
fn is_believed(entry: &Entry<'_>, own: Fields) -> bool {
    let sizes = entry.fixed.get(24..28).unwrap_or_default().iter().zip(own.size.to_le_bytes());
    is_swollen(entry.stored, entry.size) && sizes.filter(|(told, own)| *told != own).count() > 1
}

fn is_encrypted(entry: &Entry<'_>) -> bool {
    short(entry.fixed, 8).is_some_and(|flags| flags & 1 != 0)
}

/// Whether what stands before a part, and behind it, is what the list says.
fn is_told(bytes: &dyn ReadAt, entry: &Entry<'_>, own: &Head, next: u64) -> bool {
    let Some(fields) = Fields::of_entry(entry) else { return false };
    let is_named = own.part.name == String::from_utf8_lossy(entry.name).replace('\\', "/");
    let is_packed = own.part.method == fields.method && is_encrypted(entry) == (own.flags & 1 != 0);
    let ends = own.data.saturating_add(entry.stored);
    if !is_named || !is_packed || ends > next && entry.at < next {
        return false;
    }
    let is_same = || (own.crc, own.part.stored, own.size) == (fields.crc, entry.stored, entry.size);
    is_encrypted(entry) || if own.sizes_follow() { fields.follow(bytes, ends) } else { is_same() }
}

/// The name that stands before a part where that is another than the list says by a few bytes.
fn renamed(bytes: &dyn ReadAt, entry: &Entry<'_>) -> Option<Vec<u8>> {
    let own = stands(bytes, entry.at).filter(|own| own.len() == entry.name.len())?;
    let is_slash = |byte: u8| matches!(byte, b'/' | b'\\');
    let is_other = |(own, told): &(&u8, &u8)| own != told && !(is_slash(**own) && is_slash(**told));
    let others = own.iter().zip(entry.name).filter(is_other).count();
    let is_name = std::str::from_utf8(&own).is_ok_and(|own| !own.contains(char::is_control));
    ((1..=RENAMED_MAX).contains(&others) && is_name).then_some(own)
}

/// Whether what stands before a part is not what the list says: it has no mark, a name of another length, or leads
/// into the next.
fn is_spoilt(bytes: &dyn ReadAt, entry: &Entry<'_>, next: u64) -> bool {
    let head = read(bytes, entry.at, LOCAL as usize).unwrap_or_default();
    let (Some(name), Some(extra)) = (short(&head, 26), short(&head, 28)) else { return false };
    let ends = entry.at + LOCAL + (name + extra) as u64 + entry.stored;
    !head.starts_with(HEAD) || name != entry.name.len() || (ends > next && entry.at < next)
}

/// The stored bytes of a part: those that sum up to what the list says, or those behind its name where that is there.
fn data(
    bytes: &dyn ReadAt,
    entry: &Entry<'_>,
    next: u64,
    unpacked: &mut u64,
    out: &mut Out<'_>,
) -> Result<Option<Vec<u8>>, Stop> {
    let (Some(method), Some(crc), Some(size)) =
        (short(entry.fixed, 10), number(entry.fixed, 16), number(entry.fixed, 24))
    else {
        return Ok(None);
    };
    if !matches!(method, 0 | 8) {
        return Ok(None);
    }
    let named = entry.at + LOCAL + entry.name.len() as u64;
    let extra = read(bytes, entry.at + 28, 2).and_then(|extra| short(&extra, 0)).unwrap_or_default() as u64;
    let ends = BEHIND.iter().filter_map(|behind| next.checked_sub(entry.stored + behind));
    let fits = |from: &u64| *from >= named && from.checked_add(entry.stored).is_some_and(|end| end <= next);
    let found = |from: u64| read(bytes, from, usize::try_from(entry.stored).ok()?);
    let places: BTreeSet<u64> = [named + extra, named].into_iter().chain(ends).filter(fits).collect();
    for from in places {
        let most = u64::from(size) + 1;
        if most > *unpacked {
            break;
        }
        let stored = BufReader::new(Places::stored_from(bytes, from)).take(entry.stored);
        let mut part = Checked::new(stored, method == 8, crc).take(most);
        let is_sound = io::copy(&mut part, &mut io::sink()).is_ok();
        let read = most - part.limit();
        *unpacked -= read;
        out.beat(read)?;
        // What unpacks to more was not summed up.
        if is_sound && read < most {
            return Ok(found(from));
        }
    }
    let is_named = read(bytes, entry.at + LOCAL, entry.name.len()).is_some_and(|name| name == entry.name);
    Ok(found(named + extra).filter(|_| is_named && fits(&(named + extra))))
}
