//! Where pictures end: whether one was cut off, whatever stands behind it.

use std::io::{BufReader, Read, Seek, SeekFrom};

use image::ImageFormat;

use super::input::{Failure, Input, Places};
use super::out::Out;

/// Bytes of a picture's end in which its last mark stands.
const END: u64 = 4 << 10;
/// Segments before the pixels of a JPEG that are looked at.
const SEGMENTS_MAX: usize = 10_000;

/// Whether the end that pictures of the format have is missing. What somebody appended does no harm.
pub fn is_cut(input: &Input<'_>, format: ImageFormat, out: &mut Out<'_>) -> Result<bool, Failure> {
    let mut from = input.seekable()?;
    let len = from.seek(SeekFrom::End(0))?;
    Ok(match format {
        ImageFormat::Png => !ends_in(&mut from, len, b"IEND")? && !png_ends(from, len, out)?,
        // A small picture of the same kind may stand before a JPEG's own.
        ImageFormat::Jpeg => match scan(&mut from)? {
            Some(own) => !ends_behind(from, own, out)?,
            None => true,
        },
        ImageFormat::Gif => match gif_ends(from, len, out)? {
            Some(ends) => !ends,
            // Behind the end of the last block stands the end of all.
            None => !ends_in(&mut input.seekable()?, len, &[0, 0x3B])?,
        },
        ImageFormat::WebP => {
            let told = some(&mut from, 4)?.try_into().map_or(0, u32::from_le_bytes);
            u64::from(told).saturating_add(8) > len
        }
        _ => false,
    })
}

/// Four bytes from a place on, as far as there are some.
fn some(from: &mut Places<'_>, at: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    from.seek(SeekFrom::Start(at))?;
    from.take(4).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a mark stands near the end.
fn ends_in(from: &mut Places<'_>, len: u64, mark: &[u8]) -> Result<bool, Failure> {
    let mut tail = Vec::new();
    from.seek(SeekFrom::Start(len.saturating_sub(END)))?;
    from.read_to_end(&mut tail)?;
    Ok(memchr::memmem::find(&tail, mark).is_some())
}

/// Whether the chunks of a PNG lead to its end.
fn png_ends(from: Places<'_>, len: u64, out: &mut Out<'_>) -> Result<bool, Failure> {
    let mut from = BufReader::new(from);
    let mut at = 8;
    from.seek(SeekFrom::Start(at))?;
    while at + 8 <= len {
        let mut head = [0; 8];
        from.read_exact(&mut head)?;
        let [size @ .., b'I', b'E', b'N', b'D'] = head else {
            let [a, b, c, d, ..] = head;
            let size = u32::from_be_bytes([a, b, c, d]);
            // Its checksum follows.
            from.seek_relative(i64::from(size) + 4)?;
            at += 12 + u64::from(size);
            out.beat(64)?;
            continue;
        };
        return Ok(size == [0; 4]);
    }
    Ok(false)
}

/// Whether the end of a JPEG stands somewhere behind the beginning of its pixels, in which its sign cannot stand.
fn ends_behind(mut from: Places<'_>, own: u64, out: &mut Out<'_>) -> Result<bool, Failure> {
    from.seek(SeekFrom::Start(own))?;
    let mut buffer = vec![0; 64 << 10];
    let mut marked = false;
    loop {
        let size = from.read(&mut buffer)?;
        let part = buffer.get(..size).unwrap_or_default();
        if (marked && part.first() == Some(&0xD9)) || memchr::memmem::find(part, &[0xFF, 0xD9]).is_some() {
            return Ok(true);
        }
        let Some(last) = part.last() else { return Ok(false) };
        marked = *last == 0xFF;
        out.beat(size as u64)?;
    }
}

/// Whether the blocks of a GIF lead to its end; `None` where something else stands between them.
fn gif_ends(mut from: Places<'_>, len: u64, out: &mut Out<'_>) -> Result<Option<bool>, Failure> {
    from.rewind()?;
    let mut blocks = Blocks { from: BufReader::new(from), at: 0, len };
    blocks.skip(10)?;
    let Some(flags) = blocks.byte()? else { return Ok(Some(false)) };
    blocks.skip(2 + colours(flags))?;
    loop {
        match blocks.byte()? {
            None => return Ok(Some(false)),
            Some(0x3B) => return Ok(Some(true)),
            Some(0x2C) => {
                blocks.skip(8)?;
                let flags = blocks.byte()?.unwrap_or(0);
                blocks.skip(colours(flags) + 1)?;
            }
            Some(0x21) => blocks.skip(1)?,
            Some(_) => return Ok(None),
        }
        // What follows stands in small parts; the last of them is empty.
        while let Some(size @ 1..) = blocks.byte()? {
            blocks.skip(i64::from(size))?;
            out.beat(64)?;
        }
    }
}

/// Bytes of the list of colours that follows.
fn colours(flags: u8) -> i64 {
    if flags & 0x80 == 0 { 0 } else { 6 << (flags & 7) }
}

/// The bytes of a GIF.
struct Blocks<'a> {
    from: BufReader<Places<'a>>,
    at: u64,
    len: u64,
}

impl Blocks<'_> {
    fn skip(&mut self, bytes: i64) -> Result<(), Failure> {
        self.at += bytes.unsigned_abs();
        Ok(self.from.seek_relative(bytes)?)
    }

    fn byte(&mut self) -> Result<Option<u8>, Failure> {
        if self.at >= self.len {
            return Ok(None);
        }
        let mut byte = [0];
        self.from.read_exact(&mut byte)?;
        self.at += 1;
        let [byte] = byte;
        Ok(Some(byte))
    }
}

/// Where the pixels of a JPEG begin; `None` where it ends before.
fn scan(from: &mut Places<'_>) -> Result<Option<u64>, Failure> {
    let mut at = 2;
    for _ in 0..SEGMENTS_MAX {
        match *some(from, at)?.as_slice() {
            [0xFF, 0xDA, ..] => return Ok(Some(at)),
            // Between segments there may be more of the first byte of a mark.
            [0xFF, 0xFF, ..] => at += 1,
            [0xFF, _, high, low] => at += 2 + u64::from(u16::from_be_bytes([high, low])),
            _ => return Ok(None),
        }
    }
    Ok(None)
}
