//! Zips in which what stands before a part is damaged: the list of the parts tells the same, so it is written anew. And
//! zips of which bytes are missing: their list is written anew, as the parts stand elsewhere than it says.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, BufReader, Read};

use crate::content::ReadAt;

use super::input::Places;
use super::office::damaged::Checked;
use super::out::{Out, Stop};
use super::zipped::{ENTRY, HEAD, LOCAL, moved_list, number, read, short, whole_list};

/// Bytes of all parts that are written anew, as they are stored, and those that they may unpack to while their places are
/// sought.
const STORED_MAX: u64 = 64 << 20;
const UNPACKED_MAX: u64 = 256 << 20;
/// Bytes that may stand behind a part: a checksum and two sizes, with a mark before them or without.
const BEHIND: [u64; 3] = [0, 16, 12];

/// Parts that are named in what is said.
const NAMED: usize = 20;

/// Bytes that are searched at once for parts that stand elsewhere, and parts that are found so at most.
const PIECE: usize = 1 << 20;
const FOUND_MAX: usize = 65_000;

/// What was found of a zip that is not as its list says.
#[derive(Default)]
struct Told {
    /// The names of parts that were found without what stands before them.
    names: Vec<String>,
    /// Bytes that are missing, the parts in the list, and those of them that were found.
    missing: Option<(u64, usize, usize)>,
}

impl Told {
    /// Says which parts were found without what stands before them, and how much is missing.
    fn say(self, out: &mut Out<'_>) {
        let Told { names, missing } = self;
        if let Some((bytes, all, found)) = missing {
            let lost =
                if bytes == 1 { "1 byte of the file is".to_owned() } else { format!("{bytes} bytes of the file are") };
            out.lost_of_all(format!("{lost} missing: of its {all} parts {found} are found"), "what they hold is shown");
        }
        let more = names.len().saturating_sub(NAMED);
        for name in names.iter().take(NAMED) {
            let lost = format!("what stands before the part {name} is damaged");
            out.lost_of_all(lost, "the part was found, and is shown");
        }
        if more > 0 {
            out.note_on_all(format!("so it is with {more} more"));
        }
    }
}

/// What takes the place of damaged heads.
struct Anew {
    /// What follows the zip: the parts with their heads, and a list that leads to them.
    tail: Vec<u8>,
    told: Told,
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

/// A zip with its list whose parts have what stands before each of them, anew where that is damaged; it is said which
/// were found without, and how much is missing.
///
/// # Errors
/// Where nobody wishes it any more.
pub fn headed<'a>(places: Places<'a>, out: &mut Out<'_>) -> Result<Places<'a>, Stop> {
    let Some(Anew { tail, told }) = anew(&places, out)? else { return Ok(places) };
    told.say(out);
    Ok(places.followed_by(tail))
}

/// A zip whose list tells names without slashes before them, as they are sought by readers that open it by themselves.
pub fn without_slashes(places: Places<'_>) -> Places<'_> {
    match plainly_named(&places) {
        Some(tail) => places.followed_by(tail),
        None => places,
    }
}

/// A list with such names, to follow the zip; `None` where all are so. Where a part of the plain name is there as well,
/// a name stays.
fn plainly_named(bytes: &dyn ReadAt) -> Option<Vec<u8>> {
    let (list, before, _) = whole_list(bytes)?;
    let entries = entries(&list, before);
    let mut names: HashSet<&[u8]> = entries.iter().map(|entry| entry.name).collect();
    let mut told = Vec::with_capacity(list.len());
    for (entry, number) in entries.iter().zip(1..) {
        let slashes = entry.name.iter().take_while(|byte| **byte == b'/').count();
        let plain = entry.name.get(slashes..).filter(|plain| slashes > 0 && names.insert(plain)).unwrap_or(entry.name);
        let end = entries.get(number).map_or(list.len(), |next| next.from);
        let behind = list.get(entry.from + ENTRY + entry.name.len()..end)?;
        let len = u16::try_from(plain.len()).ok()?.to_le_bytes();
        for part in [entry.fixed.get(..28)?, &len, entry.fixed.get(30..)?, plain, behind] {
            told.extend_from_slice(part);
        }
    }
    let from = bytes.len().checked_sub(before).and_then(|from| u32::try_from(from).ok())?;
    let mut tail = Vec::new();
    let changed = told.len() < list.len();
    changed.then(|| end_list(&mut tail, &told, entries.len(), from)).flatten().map(|()| tail)
}

/// What takes the place of the heads of parts that are damaged, as far as their parts can be found; `None` where that
/// is nothing.
///
/// # Errors
/// Where nobody wishes it any more.
fn anew(bytes: &dyn ReadAt, out: &mut Out<'_>) -> Result<Option<Anew>, Stop> {
    if let Some(moved) = moved(bytes, out)? {
        return Ok(Some(moved));
    }
    let Some((list, before, begins)) = whole_list(bytes) else { return Ok(None) };
    let entries = entries(&list, before);
    let mut places: Vec<u64> = entries.iter().map(|entry| entry.at).chain([begins]).collect();
    places.sort_unstable();
    let mut made = Anew { tail: Vec::new(), told: Told::default() };
    let mut told = list.clone();
    let (mut left, mut unpacked) = (STORED_MAX, UNPACKED_MAX);
    for entry in &entries {
        let next = places.get(places.partition_point(|at| *at <= entry.at)).copied().unwrap_or(begins);
        // Nobody reads a folder.
        if entry.name.ends_with(b"/") || entry.stored > left || !is_spoilt(bytes, entry, next) {
            continue;
        }
        left -= entry.stored;
        let Some(data) = data(bytes, entry, next, &mut unpacked, out)? else { continue };
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
        made.told.names.push(String::from_utf8_lossy(entry.name).replace('\\', "/"));
    }
    let from = (bytes.len() + made.tail.len() as u64).checked_sub(before).and_then(|from| u32::try_from(from).ok());
    let Some(from) = from else { return Ok(None) };
    let count = entries.len();
    if made.told.names.is_empty() {
        return Ok(None);
    }
    Ok(end_list(&mut made.tail, &told, count, from).map(|()| made))
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

/// The list of a zip of which bytes are missing, as its parts stand now; a part that was lost leads to no part. `None`
/// where no bytes are missing, or no part is left.
fn moved(bytes: &dyn ReadAt, out: &mut Out<'_>) -> Result<Option<Anew>, Stop> {
    let Some((list, _, missing)) = moved_list(bytes) else { return Ok(None) };
    let Ok(nowhere) = u32::try_from(bytes.len()) else { return Ok(None) };
    let entries = entries(&list, 0);
    let mut told = list.clone();
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
            *place = place.or_else(|| all.get(entry.name).copied());
        }
    }
    let found = places.iter().flatten().count();
    if found == 0 {
        return Ok(None);
    }
    for (place, entry) in places.iter().zip(&entries) {
        let at = place.and_then(|at| u32::try_from(at).ok()).unwrap_or(nowhere);
        told.get_mut(entry.from + 42..entry.from + ENTRY)
            .into_iter()
            .for_each(|to| to.copy_from_slice(&at.to_le_bytes()));
    }
    let mut tail = Vec::new();
    let missing = Some((missing, entries.len(), found));
    let ended = end_list(&mut tail, &told, entries.len(), nowhere);
    Ok(ended.map(|()| Anew { tail, told: Told { names: Vec::new(), missing } }))
}

/// The name of the part that begins at a place.
fn stands(bytes: &dyn ReadAt, at: u64) -> Option<Vec<u8>> {
    let head = read(bytes, at, LOCAL as usize).filter(|head| head.starts_with(HEAD))?;
    read(bytes, at + LOCAL, short(&head, 26)?)
}

/// Where parts begin, by their names: of several of one name the first.
fn all_parts(bytes: &dyn ReadAt, out: &mut Out<'_>) -> Result<HashMap<Vec<u8>, u64>, Stop> {
    let (mut all, mut from) = (HashMap::new(), 0);
    while all.len() < FOUND_MAX
        && let Some(piece) = read(bytes, from, PIECE + HEAD.len() - 1).filter(|piece| piece.len() >= HEAD.len())
    {
        out.beat(piece.len() as u64)?;
        for at in memchr::memmem::find_iter(&piece, HEAD).map(|at| from + at as u64) {
            if let Some(name) = stands(bytes, at) {
                all.entry(name).or_insert(at);
            }
        }
        from += PIECE as u64;
    }
    Ok(all)
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
        *unpacked -= most - part.limit();
        out.beat(most - part.limit())?;
        if is_sound {
            return Ok(found(from));
        }
    }
    let is_named = read(bytes, entry.at + LOCAL, entry.name.len()).is_some_and(|name| name == entry.name);
    Ok(found(named + extra).filter(|_| is_named && fits(&(named + extra))))
}
