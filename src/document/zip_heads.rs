//! Zips in which what stands before a part is damaged: the list of the parts tells the same, so it is written anew.

use std::io::{self, BufReader, Cursor, Read};

use crate::content::{MemoryBytes, ReadAt};

use super::input::{AtPlace, Input, Places};
use super::office::damaged::Checked;
use super::out::{Out, Stop};
use super::zipped::{ENTRY, HEAD, LOCAL, number, read, short, whole_list};

/// Bytes of all parts that are written anew, as they are stored, and those that one may unpack to.
const STORED_MAX: u64 = 64 << 20;
const UNPACKED_MAX: u64 = 256 << 20;
/// Bytes that may stand behind a part: a checksum and two sizes, with a mark before them or without.
const BEHIND: [u64; 3] = [0, 16, 12];

/// Parts that are named in what is said.
const NAMED: usize = 20;

/// What takes the place of damaged heads.
struct Anew {
    /// What follows the zip: the parts with their heads, and a list that leads to them.
    tail: Vec<u8>,
    /// The names of these parts.
    names: Vec<String>,
}

/// An entry of the list.
struct Entry<'a> {
    /// Where it begins in the list.
    from: usize,
    fixed: &'a [u8],
    name: &'a [u8],
    /// Where its part begins.
    at: u64,
    stored: u64,
}

/// A zip with its list whose parts have what stands before each of them, anew where that is damaged; and the names of
/// those.
///
/// # Errors
/// Where nobody wishes it any more.
pub fn headed<'a>(places: Places<'a>, input: &Input<'a>, out: &mut Out<'_>) -> Result<(Places<'a>, Vec<String>), Stop> {
    Ok(match places {
        Places::Memory(memory) => {
            let mut bytes = MemoryBytes(memory.into_inner());
            let anew = anew(&bytes, out)?;
            let names = anew.map(|anew| {
                bytes.0.extend(anew.tail);
                anew.names
            });
            (Places::Memory(Cursor::new(bytes.0)), names.unwrap_or_default())
        }
        Places::Stored(stored) => match anew(input.bytes, out)? {
            Some(anew) => (Places::Longer { stored, tail: anew.tail }, anew.names),
            None => (Places::Stored(stored), Vec::new()),
        },
        longer @ Places::Longer { .. } => (longer, Vec::new()),
    })
}

/// Says which parts were found without what stands before them.
pub fn said<'a>((places, names): (Places<'a>, Vec<String>), out: &mut Out<'_>) -> Places<'a> {
    let more = names.len().saturating_sub(NAMED);
    for name in names.iter().take(NAMED) {
        out.note_on_all(format!("what stands before the part {name} is damaged; the part was found, and is shown"));
    }
    if more > 0 {
        out.note_on_all(format!("so it is with {more} more"));
    }
    places
}

/// What takes the place of the heads of parts that are damaged, as far as their parts can be found; `None` where that
/// is nothing.
///
/// # Errors
/// Where nobody wishes it any more.
fn anew(bytes: &dyn ReadAt, out: &mut Out<'_>) -> Result<Option<Anew>, Stop> {
    let Some((list, before, begins)) = whole_list(bytes) else { return Ok(None) };
    let entries = entries(&list, before);
    let mut places: Vec<u64> = entries.iter().map(|entry| entry.at).chain([begins]).collect();
    places.sort_unstable();
    let mut made = Anew { tail: Vec::new(), names: Vec::new() };
    let mut told = list.clone();
    let mut left = STORED_MAX;
    for entry in &entries {
        let next = places.get(places.partition_point(|at| *at <= entry.at)).copied().unwrap_or(begins);
        // Nobody reads a folder.
        if entry.name.ends_with(b"/") || entry.stored > left || !is_spoilt(bytes, entry, next) {
            continue;
        }
        left -= entry.stored;
        let Some(data) = data(bytes, entry, next, out)? else { continue };
        let at = (bytes.len() + made.tail.len() as u64).checked_sub(before).and_then(|at| u32::try_from(at).ok());
        let (Some(at), Some(place), Some(same)) =
            (at, told.get_mut(entry.from + 42..entry.from + ENTRY), entry.fixed.get(6..30))
        else {
            continue;
        };
        place.copy_from_slice(&at.to_le_bytes());
        for part in [HEAD, same, &[0; 2], entry.name, &data] {
            made.tail.extend_from_slice(part);
        }
        made.names.push(String::from_utf8_lossy(entry.name).replace('\\', "/"));
    }
    let from = (bytes.len() + made.tail.len() as u64).checked_sub(before).and_then(|from| u32::try_from(from).ok());
    let (Some(from), Ok(count), Ok(size)) = (from, u16::try_from(entries.len()), u32::try_from(told.len())) else {
        return Ok(None);
    };
    if made.names.is_empty() {
        return Ok(None);
    }
    made.tail.extend(told);
    let count = count.to_le_bytes();
    for part in [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size.to_le_bytes(), &from.to_le_bytes(), &[0; 2]] {
        made.tail.extend_from_slice(part);
    }
    Ok(Some(made))
}

/// The entries of a list, of a zip with so many bytes before it.
fn entries(list: &[u8], before: u64) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let mut from = 0;
    while let Some(rest) = list.get(from..).filter(|rest| rest.starts_with(b"PK\x01\x02"))
        && let (Some(name), Some(extra), Some(comment)) = (short(rest, 28), short(rest, 30), short(rest, 32))
        && let (Some(stored), Some(at)) = (number(rest, 20), number(rest, 42))
        && let (Some(fixed), Some(name_told)) = (rest.get(..ENTRY), rest.get(ENTRY..ENTRY + name))
    {
        entries.push(Entry { from, fixed, name: name_told, at: before + u64::from(at), stored: stored.into() });
        from += ENTRY + name + extra + comment;
    }
    entries
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
fn data(bytes: &dyn ReadAt, entry: &Entry<'_>, next: u64, out: &mut Out<'_>) -> Result<Option<Vec<u8>>, Stop> {
    let (Some(method), Some(crc), Some(size)) =
        (short(entry.fixed, 10), number(entry.fixed, 16), number(entry.fixed, 24))
    else {
        return Ok(None);
    };
    if u64::from(size) > UNPACKED_MAX || !matches!(method, 0 | 8) {
        return Ok(None);
    }
    let named = entry.at + LOCAL + entry.name.len() as u64;
    let extra = read(bytes, entry.at + 28, 2).and_then(|extra| short(&extra, 0)).unwrap_or_default() as u64;
    let ends = BEHIND.iter().filter_map(|behind| next.checked_sub(entry.stored + behind));
    let fits = |from: &u64| *from >= named && from.checked_add(entry.stored).is_some_and(|end| end <= next);
    let found = |from: u64| read(bytes, from, usize::try_from(entry.stored).ok()?);
    for from in [named + extra, named].into_iter().chain(ends).filter(fits) {
        out.beat(size.into())?;
        let stored = BufReader::new(AtPlace::from_place(bytes, from)).take(entry.stored);
        let mut part = Checked::new(stored, method == 8, crc).take(u64::from(size) + 1);
        if io::copy(&mut part, &mut io::sink()).is_ok() {
            return Ok(found(from));
        }
    }
    let is_named = read(bytes, entry.at + LOCAL, entry.name.len()).is_some_and(|name| name == entry.name);
    Ok(found(named + extra).filter(|_| is_named && fits(&(named + extra))))
}
