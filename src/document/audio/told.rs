//! How long a sound's file says that it is, and the file with nothing where it was cut off, for its head to be read.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use memchr::memchr_iter;

use super::cut::{AacHead, Frame, aac_frame, aac_rate, behind_id3, crc};
use super::{BEGINNING, mpeg};
use crate::document::input::Places;

/// Chunks that are looked at.
const CHUNKS_MAX: usize = 10_000;
/// Sizes from which on they are none: who does not know how long it will be writes the largest.
const UNKNOWN: u64 = 0x7FFF_0000;
/// Bytes at the end in which the last page of an Ogg file begins.
const PAGE_MAX: u64 = 128 << 10;
/// The same for the last frame of a FLAC file, where it does not tell how long a frame is at most.
const FRAME_MAX: u64 = 1 << 20;
/// Bytes of the tags of other formats that may stand at the end of a FLAC file.
const ID3_TAIL: usize = 128;
const APE_FOOT: usize = 32;

/// Where a sound ends that is longer than its file, or does not tell where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// At this byte, as the file says.
    At(u64),
    /// Somewhere: so many of its samples are left of how many, and so many are a second.
    Samples(u64, u64, u32),
    /// Somewhere.
    Unknown,
    /// Before it begins, within the tags before it.
    Tags,
    /// With its file: what should tell its size, at this byte, does not.
    Open(u64),
}

/// Whether a file ends before its sound does, or does not tell.
pub fn cut(from: &mut Places<'_>) -> io::Result<Option<Cut>> {
    let len = from.seek(SeekFrom::End(0))?;
    let head = read(from, 0, 12)?;
    let kind = |at: usize| head.get(at..at + 4).unwrap_or_default();
    let found = match (kind(0), kind(8)) {
        (b"RIFF", b"WAVE") => return chunks(from, len, b"data", |size| u64::from(u32::from_le_bytes(size))),
        (b"FORM", b"AIFF" | b"AIFC") => return chunks(from, len, b"SSND", |size| u64::from(u32::from_be_bytes(size))),
        (b"OggS", _) => return Ok(is_open(from, len)?.then_some(Cut::Unknown)),
        _ if kind(4) == b"ftyp" => atoms(from, len)?,
        (b"fLaC", _) => return frames(from, 0, len),
        _ => match behind_id3(&head) as u64 {
            begins @ 1.. if begins > len => return Ok(Some(Cut::Tags)),
            begins @ 1.. if read(from, begins, 4)? == b"fLaC" => return frames(from, begins, len),
            begins => mpeg::told_end(&read(from, begins, BEGINNING)?).map(|end| begins + end).filter(|end| *end > len),
        },
    };
    Ok(found.map(Cut::At))
}

/// The end of the chunk that holds the sound, where it is beyond the file's, or where its size stands, if that is none.
fn chunks(from: &mut Places<'_>, len: u64, sound: &[u8; 4], size: fn([u8; 4]) -> u64) -> io::Result<Option<Cut>> {
    let mut at = 12;
    for _ in 0..CHUNKS_MAX {
        let Some((name, told)) = chunk(from, at, size)? else { break };
        let end = at + 8 + told;
        if name == *sound {
            let fits = |next: Option<([u8; 4], u64)>| {
                next.is_some_and(|(name, told)| {
                    name.iter().all(|sign| matches!(sign, b' '..=b'~')) && end + 8 + told <= len
                })
            };
            // Who writes into a pipe cannot come back to the size; then it is the largest, or nothing.
            let open = told >= UNKNOWN || (told == 0 && end < len && !fits(chunk(from, end, size)?));
            return Ok(if open { Some(Cut::Open(at + 4)) } else { Some(Cut::At(end)).filter(|_| end > len) });
        }
        at = end + told % 2;
    }
    Ok(None)
}

/// The name of a chunk, and its size.
fn chunk(from: &mut Places<'_>, at: u64, size: fn([u8; 4]) -> u64) -> io::Result<Option<([u8; 4], u64)>> {
    let head = read(from, at, 8)?;
    Ok(head.split_first_chunk().and_then(|(name, told)| Some((*name, size(told.try_into().ok()?)))))
}

/// The size of a sound that goes to the end of its file, as it stands before it in one of either kind.
fn open_size(is_wav: bool, at: u64, len: u64) -> [u8; 4] {
    let size = u32::try_from(len.saturating_sub(at + 4)).unwrap_or(u32::MAX);
    if is_wav { size.to_le_bytes() } else { size.to_be_bytes() }
}

/// Writes the sizes into a file that does not tell them.
pub fn close(file: &mut [u8], cut: Option<Cut>) {
    let Some(Cut::Open(at)) = cut else { return };
    let (is_wav, len) = (file.starts_with(b"RIFF"), file.len() as u64);
    for at in [4, at] {
        let size = usize::try_from(at).ok().and_then(|at| file.get_mut(at..at + 4));
        size.into_iter().for_each(|size| size.copy_from_slice(&open_size(is_wav, at, len)));
    }
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

/// The same for a FLAC file that begins at a byte, by the number of its last frame.
fn frames(from: &mut Places<'_>, begins: u64, len: u64) -> io::Result<Option<Cut>> {
    let head = read(from, begins + 4, 4 + 34)?;
    let number = |range| head.get::<std::ops::Range<usize>>(range).map(big);
    let (Some(block), Some(frame), Some(clock)) = (number(6..8), number(11..14), number(14..22)) else {
        return Ok(None);
    };
    let (rate, all) = (u32::try_from(clock >> 44).unwrap_or(0), clock & 0xF_FFFF_FFFF);
    let Some(first) = sound(from, begins + 4, len)?.filter(|_| rate > 0 && all > 0) else { return Ok(None) };
    let longest = if frame > 0 { frame.saturating_mul(2) } else { FRAME_MAX };
    // Behind it there may be tags.
    let start = len.saturating_sub(longest.saturating_add(PAGE_MAX)).max(first);
    let tail = read(from, start, usize::try_from(len.saturating_sub(start)).unwrap_or(0))?;
    let place = |frame: &Frame| if frame.varies { frame.number } else { frame.number.saturating_mul(block) };
    let is_one = |frame: &Frame| frame.samples <= block && place(frame).saturating_add(frame.samples) <= all;
    let found = memchr_iter(0xFF, &tail).filter_map(|at| Some((at, Frame::of(&tail, at).filter(is_one)?)));
    // What only looks like one does not have the highest number.
    let Some((at, last)) = found.max_by_key(|(_, frame)| frame.number) else {
        return Ok((start == first).then_some(Cut::Samples(0, all, rate)));
    };
    let whole = ends(tail.get(at..).unwrap_or_default());
    let left = place(&last) + if whole { last.samples } else { 0 };
    Ok((left < all).then_some(Cut::Samples(left, all, rate)))
}

/// Where the first frame of a FLAC file begins, behind all that is told of it; the end of the file, where that was cut off.
fn sound(from: &mut Places<'_>, mut at: u64, len: u64) -> io::Result<Option<u64>> {
    for _ in 0..CHUNKS_MAX {
        let head = read(from, at, 4)?;
        let Some((kind, size)) = head.split_first().filter(|_| head.len() == 4) else { return Ok(Some(len)) };
        at += 4 + big(size);
        if kind & 0x80 != 0 || at >= len {
            return Ok(Some(at.min(len)));
        }
    }
    Ok(None)
}

/// Whether a FLAC frame ends with the file, by its sum, or where the tags at its end begin.
fn ends(frame: &[u8]) -> bool {
    let foot =
        frame.len().checked_sub(APE_FOOT).and_then(|at| frame.get(at..)).filter(|foot| foot.starts_with(b"APETAGEX"));
    // Its size counts its foot, and not its head.
    let ape = foot
        .and_then(|foot| foot.get(12..16))
        .map(|size| size.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)));
    let tags = [Some(0), Some(ID3_TAIL), ape, ape.map(|size| size + APE_FOOT)];
    tags.into_iter().flatten().any(|tags| {
        let sound = frame.len().checked_sub(tags).and_then(|end| frame.get(..end)).and_then(<[u8]>::split_last_chunk);
        sound.is_some_and(|(sound, told): (_, &[u8; 2])| crc(0, sound, 16, 0x8005) == big(told) as u32)
    })
}

/// Seconds of an AAC stream, whose frames alone tell how long it is; `None` where it is none.
pub fn aac_seconds(from: &mut Places<'_>) -> io::Result<Option<f64>> {
    let begins = behind_id3(&read(from, 0, 10)?);
    from.seek(SeekFrom::Start(begins as u64))?;
    let mut from = BufReader::with_capacity(64 << 10, from);
    let (mut head, mut rate, mut samples) = (AacHead::default(), None, 0);
    while from.read_exact(&mut head).is_ok() {
        let Some((size, more)) = aac_frame(&head) else { break };
        rate = rate.or_else(|| aac_rate(&head));
        samples += more;
        from.seek_relative(i64::try_from(size - head.len()).unwrap_or(i64::MAX))?;
    }
    Ok(rate.map(|rate| samples as f64 / rate))
}

fn big(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
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

pub fn read(from: &mut Places<'_>, at: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.seek(SeekFrom::Start(at))?;
    from.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file as long as it says, with zeros where it was cut off, and the size of its sound where that is not told.
pub struct Told<'a> {
    from: Places<'a>,
    stored: u64,
    len: u64,
    at: u64,
    size: Option<(u64, [u8; 4])>,
}

impl<'a> Told<'a> {
    /// The file, and where it was cut off what is told of its end.
    pub fn new(mut from: Places<'a>, cut: Option<Cut>) -> io::Result<Told<'a>> {
        let stored = from.seek(SeekFrom::End(0))?;
        let head = read(&mut from, 0, 10)?;
        let len = match cut {
            Some(Cut::At(end)) => end.max(stored),
            Some(Cut::Tags) => behind_id3(&head) as u64,
            _ => stored,
        };
        let is_wav = head.starts_with(b"RIFF");
        let size = if let Some(Cut::Open(at)) = cut { Some((at, open_size(is_wav, at, len))) } else { None };
        from.rewind()?;
        Ok(Told { from, stored, len, at: 0, size })
    }
}

impl Read for Told<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = if self.at < self.stored {
            let size = self.from.read(buffer)?;
            let (at, told) = self.size.unwrap_or_default();
            for (place, byte) in (at..).zip(told).filter(|_| self.size.is_some()) {
                let place = place.checked_sub(self.at).and_then(|place| usize::try_from(place).ok());
                place.and_then(|place| buffer[..size].get_mut(place)).into_iter().for_each(|old| *old = byte);
            }
            size
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
