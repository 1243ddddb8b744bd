//! The list of a zip's parts: where it stands, and whether what stands at its end tells of it as it is. It is read once, and
//! handed to whoever needs it.

use std::collections::HashMap;

use crate::content::ReadAt;

use super::part_head::first;
use super::zipped::{ENTRY, HEAD, LOCAL, Part, number, read, short};

/// How much of a file's end is searched for the list of its parts: the longest comment, and what stands before it.
const TAIL: usize = (64 << 10) + 22;
/// How much of that list is looked at.
const LIST_MAX: u64 = 1 << 20;
/// Bytes of what tells where the end of a large list stands, and of that end.
const LONG_END: u64 = 20;
const LONG_RECORD: u64 = 56;
/// Bytes of what stands behind a list, without its comment.
pub const LIST_END: u64 = 22;
/// The bytes with which an entry of the list begins, and those with which its signature does.
pub const ENTRY_HEAD: &[u8] = b"PK\x01\x02";
const SIGNATURE: &[u8] = b"PK\x05\x05";

/// What a zip tells of its parts.
pub enum Listing {
    /// All entries of a list.
    Whole(List),
    /// The same of a list that should begin further behind than it does: so many bytes of the file are missing before it.
    Moved(List, u64),
    /// A list that is too long to be looked at, and its beginning.
    Long(List),
    /// A list of which an entry is damaged, and where it begins.
    Broken(u64),
    /// There is none.
    Lost,
}

/// A list of parts.
pub struct List {
    /// Its entries.
    pub bytes: Vec<u8>,
    /// How many bytes stand before the zip.
    pub before: u64,
    /// Where it begins.
    pub at: u64,
    /// Whether what stands at its end tells of it as it is.
    pub is_ended: bool,
    /// Whether all entries are here.
    pub is_all: bool,
}

/// An entry of a list.
pub struct Entry<'a> {
    /// Where it begins in the list.
    pub from: usize,
    /// What stands before its name.
    pub fixed: &'a [u8],
    /// The name of its part.
    pub name: &'a [u8],
    /// Where its part begins.
    pub at: u64,
    /// Bytes of it as they are stored, and as they unpack.
    pub stored: u64,
    pub size: u64,
}

impl Listing {
    /// What a zip tells. A list of a zip that is a part of this one is none of it.
    #[must_use]
    pub fn of(bytes: &dyn ReadAt) -> Listing {
        let from = bytes.len().saturating_sub(TAIL as u64);
        let Some(tail) = read(bytes, from, TAIL) else { return Listing::Lost };
        let ends = memchr::memmem::rfind_iter(&tail, b"PK\x05\x06")
            .filter_map(|at| End::of(bytes, tail.get(at..)?, from + at as u64));
        ends.into_iter().find_map(|end| end.listing(bytes)).unwrap_or(Listing::Lost)
    }

    /// The list, as far as it is looked at.
    #[must_use]
    pub fn list(&self) -> Option<&List> {
        match self {
            Listing::Whole(list) | Listing::Moved(list, _) | Listing::Long(list) => Some(list),
            Listing::Broken(_) | Listing::Lost => None,
        }
    }
}

impl List {
    /// Its entries.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry<'_>> {
        entries(&self.bytes, self.before).0
    }

    /// Its parts, as they are told.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let part = |entry: &Entry<'_>| Part {
            name: String::from_utf8_lossy(entry.name).replace('\\', "/"),
            at: entry.at,
            method: short(entry.fixed, 10).and_then(|method| u16::try_from(method).ok()).unwrap_or_default(),
            stored: entry.stored,
        };
        self.entries().iter().map(part).collect()
    }
}

/// The entries of a list, of a zip with so many bytes before it, and where the last of them ends.
fn entries(list: &[u8], before: u64) -> (Vec<Entry<'_>>, usize) {
    let (mut entries, mut from) = (Vec::new(), 0);
    while let Some(rest) = list.get(from..).filter(|rest| rest.starts_with(ENTRY_HEAD))
        && let (Some(name), Some(extra), Some(comment)) = (short(rest, 28), short(rest, 30), short(rest, 32))
        && let (Some(stored), Some(size), Some(at)) = (number(rest, 20), number(rest, 24), number(rest, 42))
        && let (Some(fixed), Some(name_told)) = (rest.get(..ENTRY), rest.get(ENTRY..ENTRY + name))
    {
        let (stored, size) = (stored.into(), size.into());
        entries.push(Entry { from, fixed, name: name_told, at: before.saturating_add(at.into()), stored, size });
        from += ENTRY + name + extra + comment;
    }
    (entries, from)
}

/// The name of the part that begins at a place.
pub fn stands(bytes: &dyn ReadAt, at: u64) -> Option<Vec<u8>> {
    let head = read(bytes, at, LOCAL as usize).filter(|head| head.starts_with(HEAD))?;
    read(bytes, at + LOCAL, short(&head, 26)?)
}

/// Whether a mark stands at a place.
fn is_at(bytes: &dyn ReadAt, at: u64, mark: &[u8]) -> bool {
    read(bytes, at, mark.len()).is_some_and(|found| found == mark)
}

/// What stands behind a list, as it tells of it.
struct End {
    /// Where the list ends.
    ends: u64,
    size: u64,
    /// Where it begins.
    told: u64,
    count: usize,
    /// Whether the rest can be true of a file that is all there.
    is_sound: bool,
    /// Whether more of it stands before it.
    is_long: bool,
}

impl End {
    /// What is told there; `None` where it is cut off.
    fn of(bytes: &dyn ReadAt, record: &[u8], at: u64) -> Option<End> {
        // It is whole where its last field is.
        let comment = short(record, 20)? as u64;
        let (size, told) = (u64::from(number(record, 12)?), u64::from(number(record, 16)?));
        let count = short(record, 10)?;
        let is_sound = record.get(4..8)? == [0; 4] && short(record, 8)? == count;
        let is_sound = is_sound && at + LIST_END + comment <= bytes.len();
        let end = End { ends: at, size, told, count, is_sound, is_long: false };
        let Some(before) = at.checked_sub(LONG_END).filter(|at| is_at(bytes, *at, b"PK\x06\x07")) else {
            return Some(end);
        };
        // That of a large list stands elsewhere, in numbers of eight bytes.
        let long = |at: u64| read(bytes, at, 8).and_then(|number| number.try_into().ok()).map(u64::from_le_bytes);
        let places = [long(before + 8), before.checked_sub(LONG_RECORD)];
        let place = places.into_iter().flatten().find(|at| *at < before && is_at(bytes, *at, b"PK\x06\x06"))?;
        Some(End { ends: place, size: long(place + 40)?, told: long(place + 48)?, is_long: true, ..end })
    }

    /// The list that it is the end of; `None` where that is not one of this file.
    fn listing(&self, bytes: &dyn ReadAt) -> Option<Listing> {
        let begins = is_at(bytes, 0, HEAD);
        let told_end = self.told.checked_add(self.size);
        if self.size == 0 && self.count == 0 && (self.told == self.ends || !begins) {
            let list = List { bytes: Vec::new(), before: 0, at: self.ends, is_ended: true, is_all: true };
            return Some(Listing::Whole(list));
        }
        // One of both may be wrong.
        let counted = self.ends.checked_sub(self.size);
        let places = [Some(self.told), counted].into_iter().flatten();
        let places: Vec<u64> = places.filter(|at| *at < self.ends && is_at(bytes, *at, ENTRY_HEAD)).collect();
        // Counted from its end, what somebody put before the zip does no harm; but that is no zip that begins before it.
        let is_inner = |at: u64| {
            let by = at.checked_sub(self.told).filter(|by| *by > 0);
            begins && by.is_some_and(|by| is_at(bytes, by, HEAD))
        };
        let mut whole: Option<(Vec<u8>, u64)> = None;
        for at in &places {
            let size = self.ends - at;
            if size <= LIST_MAX
                && let Some(mut list) = usize::try_from(size).ok().and_then(|size| read(bytes, *at, size))
                && let Some(end) = self.whole(bytes, &list, *at)
            {
                list.truncate(end);
                // The wrong one may lead to an entry amid the others.
                let is_counted = entries(&list, 0).0.len() & 0xFFFF == self.count;
                if is_counted || whole.is_none() {
                    whole = Some((list, *at));
                }
                if is_counted {
                    break;
                }
            }
        }
        if let Some((list, at)) = whole {
            return self.placed(bytes, list, at, is_inner(at));
        }
        // Of a zip behind something else, none may be told as it is where one of both is wrong.
        if places.is_empty()
            && let Some((list, at)) = self.counted(bytes)
        {
            return self.placed(bytes, list, at, is_inner(at));
        }
        match places.iter().find(|at| !is_inner(**at)) {
            Some(at) if counted == Some(*at) && self.size > LIST_MAX => {
                let list = read(bytes, *at, usize::try_from(LIST_MAX).ok()?)?;
                let before = at.saturating_sub(self.told);
                Some(Listing::Long(List { bytes: list, before, at: *at, is_ended: true, is_all: false }))
            }
            Some(at) => Some(Listing::Broken(*at)),
            // The mark of its first entry is gone.
            None => (begins && self.size > 0 && told_end == Some(self.ends)).then_some(Listing::Broken(self.told)),
        }
    }

    /// The list of as many entries as are told that ends where it should, and where it begins.
    fn counted(&self, bytes: &dyn ReadAt) -> Option<(Vec<u8>, u64)> {
        let from = self.ends.saturating_sub(LIST_MAX);
        let tail = read(bytes, from, usize::try_from(self.ends - from).ok()?)?;
        // By where they begin, how many entries follow each other from there to the end.
        let mut counts: HashMap<usize, usize> = HashMap::from([(tail.len(), 0)]);
        for at in memchr::memmem::rfind_iter(&tail, ENTRY_HEAD) {
            let entry = tail.get(at..)?;
            let (Some(name), Some(extra), Some(comment)) = (short(entry, 28), short(entry, 30), short(entry, 32))
            else {
                continue;
            };
            let Some(behind) = counts.get(&(at + ENTRY + name + extra + comment)) else { continue };
            if behind + 1 == self.count {
                return Some((entry.to_vec(), from + at as u64));
            }
            counts.insert(at, behind + 1);
        }
        None
    }

    /// Where a list ends, all entries of which can be read.
    fn whole(&self, bytes: &dyn ReadAt, list: &[u8], at: u64) -> Option<usize> {
        let (entries, end) = entries(list, 0);
        let rest = list.get(end..);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SIGNATURE)) {
            return Some(end);
        }
        // Something may stand behind it, where the last entry is sound.
        let last = entries.last().filter(|_| entries.len() & 0xFFFF == self.count)?;
        let mut before = [0, at.saturating_sub(self.told)].into_iter();
        let is_sound = before.any(|before| stands(bytes, before + last.at).is_some_and(|name| name == last.name));
        is_sound.then_some(end.min(list.len()))
    }

    /// A list that begins at a place, with what stands before the zip.
    fn placed(&self, bytes: &dyn ReadAt, list: Vec<u8>, at: u64, is_inner: bool) -> Option<Listing> {
        let (entries, end) = entries(&list, 0);
        let count = entries.len();
        let places = |before: u64| {
            let lead = |entry: &&Entry<'_>| stands(bytes, before + entry.at).is_some_and(|name| name == entry.name);
            entries.iter().filter(lead).count()
        };
        let before = match at.checked_sub(self.told) {
            Some(0) => 0,
            Some(by) => {
                let (there, here) = (places(by), places(0));
                let least = || entries.iter().map(|entry| entry.at).min().unwrap_or_default();
                let found = || first(bytes).and_then(|at| at.checked_sub(least())).filter(|by| places(*by) > 0);
                match (there, here) {
                    _ if here > there => 0,
                    _ if is_inner => return None,
                    (0, 0) => found().unwrap_or(by),
                    _ => by,
                }
            }
            None => {
                let ends = |entry: &Entry<'_>| entry.at + LOCAL + entry.name.len() as u64 + entry.stored <= at;
                if places(0) < count || !entries.iter().all(ends) {
                    let missing = self.told - at;
                    let list = List { bytes: list, before: 0, at, is_ended: false, is_all: true };
                    return Some(Listing::Moved(list, missing));
                }
                0
            }
        };
        let is_counted = self.count == count & 0xFFFF || self.count == 0xFFFF;
        let is_placed = self.told.checked_add(before) == Some(at);
        let is_sized = (end as u64..=self.ends - at).contains(&self.size);
        let is_ended = self.is_long || self.is_sound && is_counted && is_placed && is_sized;
        Some(Listing::Whole(List { bytes: list, before, at, is_ended, is_all: true }))
    }
}

#[cfg(test)]
#[path = "zip_list_tests.rs"]
mod tests;
