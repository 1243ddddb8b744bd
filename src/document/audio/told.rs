//! How long a sound's file says that it is, and the file with nothing where it was cut off, for its head to be read.

use std::io::{self, Read, Seek, SeekFrom};

use crate::document::input::Places;

/// Chunks that are looked at.
const CHUNKS_MAX: usize = 10_000;
/// Sizes from which on they are none: who does not know how long it will be writes the largest.
const UNKNOWN: u64 = 0x7FFF_0000;
/// Bytes at the end in which the last page of an Ogg file begins.
const PAGE_MAX: u64 = 128 << 10;

/// Where a sound ends that is longer than its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// At this byte, as the file says.
    At(u64),
    /// Somewhere.
    Unknown,
}

/// Whether a file ends before its sound does.
pub fn cut(from: &mut Places<'_>) -> io::Result<Option<Cut>> {
    let len = from.seek(SeekFrom::End(0))?;
    let head = read(from, 0, 12)?;
    let kind = |at: usize| head.get(at..at + 4).unwrap_or_default();
    let found = match (kind(0), kind(8)) {
        (b"RIFF", b"WAVE") => chunks(from, len, b"data", |size| u64::from(u32::from_le_bytes(size)))?,
        (b"FORM", b"AIFF" | b"AIFC") => chunks(from, len, b"SSND", |size| u64::from(u32::from_be_bytes(size)))?,
        (b"OggS", _) => return Ok(is_open(from, len)?.then_some(Cut::Unknown)),
        _ if kind(4) == b"ftyp" => atoms(from, len)?,
        _ => None,
    };
    Ok(found.map(Cut::At))
}

/// The end of the chunk that holds the sound, where it is beyond the file's.
fn chunks(from: &mut Places<'_>, len: u64, sound: &[u8; 4], size: fn([u8; 4]) -> u64) -> io::Result<Option<u64>> {
    let mut at = 12;
    for _ in 0..CHUNKS_MAX {
        let head = read(from, at, 8)?;
        let Some((name, told)) = head.split_at_checked(4) else { break };
        let Ok(told) = told.try_into().map(size) else { break };
        let end = at + 8 + told;
        if name == sound {
            return Ok(Some(end).filter(|end| *end > len && told < UNKNOWN));
        }
        at = end + told % 2;
    }
    Ok(None)
}

/// The same for the atoms of MPEG-4.
fn atoms(from: &mut Places<'_>, len: u64) -> io::Result<Option<u64>> {
    let mut at = 0u64;
    for _ in 0..CHUNKS_MAX {
        let head = read(from, at, 16)?;
        let number = |from: usize, to: usize| {
            head.get(from..to).map(|bytes| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        };
        let size = match number(0, 4) {
            Some(1) => number(8, 16),
            told => told,
        };
        // The last may go on to the end of the file, whatever that is.
        let Some(end) = size.filter(|size| *size >= 8).and_then(|size| at.checked_add(size)) else { break };
        if end > len {
            let is_sound = head.get(4..8).is_some_and(|name| name == b"mdat");
            return Ok(Some(end).filter(|_| is_sound && end < len.saturating_add(UNKNOWN)));
        }
        at = end;
    }
    Ok(None)
}

/// Whether the last page of an Ogg file is not said to be the last.
fn is_open(from: &mut Places<'_>, len: u64) -> io::Result<bool> {
    let start = len.saturating_sub(PAGE_MAX);
    let tail = read(from, start, usize::try_from(len - start).unwrap_or(0))?;
    let page = memchr::memmem::rfind(&tail, b"OggS").and_then(|at| tail.get(at..));
    let (Some(page), Some(flags)) = (page, page.and_then(|page| page.get(5))) else { return Ok(true) };
    // The sizes of its parts stand behind their number.
    let count = page.get(26).map_or(0, |count| usize::from(*count));
    let size =
        page.get(27..27 + count).map(|sizes| 27 + count + sizes.iter().map(|size| usize::from(*size)).sum::<usize>());
    Ok(flags & 4 == 0 || size.is_none_or(|size| size > page.len()))
}

fn read(from: &mut Places<'_>, at: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.seek(SeekFrom::Start(at))?;
    from.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file as long as it says, with zeros where it was cut off.
pub struct Told<'a> {
    from: Places<'a>,
    stored: u64,
    len: u64,
    at: u64,
}

impl<'a> Told<'a> {
    /// The file, and where it was cut off what is told of its end.
    pub fn new(mut from: Places<'a>, cut: Option<Cut>) -> io::Result<Told<'a>> {
        let stored = from.seek(SeekFrom::End(0))?;
        let len = if let Some(Cut::At(end)) = cut { end.max(stored) } else { stored };
        from.rewind()?;
        Ok(Told { from, stored, len, at: 0 })
    }
}

impl Read for Told<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = if self.at < self.stored {
            self.from.read(buffer)?
        } else {
            let size = usize::try_from(self.len.saturating_sub(self.at)).unwrap_or(usize::MAX).min(buffer.len());
            buffer[..size].fill(0);
            size
        };
        self.at += size as u64;
        Ok(size)
    }
}

impl Seek for Told<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        self.from.seek(SeekFrom::Start(at))?;
        self.at = at;
        Ok(at)
    }
}
