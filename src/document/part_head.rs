//! What stands before a part of a zip without a list, where the next one begins, and how long one is that does not say so.

use std::io::{BufReader, Read};

use crate::content::ReadAt;

use super::input::Places;
use super::out::{Out, Stop};
use super::zipped::{HEAD, LOCAL, Part, number, read, short};

/// Bytes of the checksum and the sizes behind a part and of what stands before the next.
const SIZES: usize = 28;

/// What stands before a part.
pub struct Head {
    /// As it is told.
    pub part: Part,
    /// What is told of its kind.
    pub flags: usize,
    /// Its checksum.
    pub crc: u32,
    /// Its bytes unpacked.
    pub size: u64,
    /// Where its bytes begin.
    pub data: u64,
}

impl Head {
    /// Whether its sizes stand behind it.
    pub fn sizes_follow(&self) -> bool {
        self.flags & 8 != 0
    }
}

/// Where the next part begins.
pub fn next(bytes: &dyn ReadAt, from: u64, most: usize) -> Option<u64> {
    let part = read(bytes, from, most + HEAD.len())?;
    memchr::memmem::find(&part, HEAD).map(|at| from + at as u64)
}

/// What stands before a part.
pub fn head(bytes: &dyn ReadAt, at: u64) -> Option<Head> {
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

/// Where the next part begins behind one whose end, as far as it is known, nothing of a zip follows. In what is packed no
/// part begins; what is not may hold a zip of its own.
pub fn resumed(bytes: &dyn ReadAt, before: &Head, end: u64, out: &mut Out<'_>) -> Result<Option<u64>, Stop> {
    sought(bytes, if before.part.method == 8 { before.data } else { end }, |looked| out.beat(looked))
}

/// Where the first part begins that is left: with the file, unless its beginning is damaged.
pub fn first(bytes: &dyn ReadAt) -> Option<u64> {
    if read(bytes, 0, HEAD.len())? == HEAD {
        return Some(0);
    }
    sought(bytes, 0, |_| Ok(())).ok().flatten()
}

/// Where, from a place on, a part begins; `looked` is told how many bytes were looked at.
fn sought(
    bytes: &dyn ReadAt,
    mut from: u64,
    mut looked: impl FnMut(u64) -> Result<(), Stop>,
) -> Result<Option<u64>, Stop> {
    while let Some(piece) = read(bytes, from, (64 << 10) + HEAD.len() - 1).filter(|piece| piece.len() >= HEAD.len()) {
        looked(piece.len() as u64)?;
        let begins = |at: &u64| {
            let is_name = |name: &str| !name.contains(|sign: char| sign.is_control() || sign == '\u{FFFD}');
            head(bytes, *at).is_some_and(|head| matches!(head.part.method, 0 | 8) && is_name(&head.part.name))
        };
        let found = memchr::memmem::find_iter(&piece, HEAD).map(|at| from + at as u64).find(begins);
        if found.is_some() {
            return Ok(found);
        }
        from += 64 << 10;
    }
    Ok(None)
}

/// Where, from a place on, something of a zip may begin.
pub fn signs(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(bytes.get(from..).unwrap_or_default(), b"PK").map(move |at| from + at)
}

/// The size and the checksum of a part that is not packed, as they are told behind it, with a mark before them or without:
/// so many bytes behind its beginning, where they hold.
pub fn told(bytes: &[u8], at: usize, behind: u64) -> Option<(u64, u32)> {
    let (from, size) = match bytes.get(at + 2..at + 4)? {
        [7, 8] => (at + 4, behind),
        [3, 4] | [1, 2] => (at.checked_sub(12)?, behind.checked_sub(12)?),
        _ => return None,
    };
    (u64::from(number(bytes, from + 4)?) == size).then_some((size, number(bytes, from)?))
}

/// As [`measure`], of a part that is not packed.
pub fn follows(bytes: &dyn ReadAt, from: u64, out: &mut Out<'_>) -> Result<(u64, u32, u64, bool), Stop> {
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
pub fn measure(bytes: &dyn ReadAt, from: u64, most: u64, out: &mut Out<'_>) -> Result<(u64, u32, u64, bool), Stop> {
    let mut packed = flate2::bufread::DeflateDecoder::new(BufReader::new(Places::stored_from(bytes, from)));
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
