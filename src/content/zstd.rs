//! Zstandard as it comes in files: frame after frame, some of which hold no data.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Whether a stream's first bytes are those of a frame: one with data, or one to skip, which may come first.
#[must_use]
pub fn is_zstd(head: &[u8]) -> bool {
    matches!(head, [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// Reads all frames of a stream, unpacked, one after the other.
pub struct ZstdReader<R> {
    from: R,
    decoder: FrameDecoder,
    /// Whether a frame is open.
    open: bool,
}

impl<R: BufRead> ZstdReader<R> {
    /// From the beginning of a frame. Nothing is read yet.
    pub fn new(from: R) -> ZstdReader<R> {
        ZstdReader { from, decoder: FrameDecoder::new(), open: false }
    }

    /// Goes to the next frame that holds data; `false` at the end of the stream.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.from.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.from) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.from.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(why) => return Err(damaged(&why)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.open && self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.open && !self.decoder.is_finished() {
                let block = self.decoder.decode_blocks(&mut self.from, BlockDecodingStrategy::UptoBlocks(1));
                block.map_err(|why| damaged(&why))?;
                continue;
            }
            self.open = self.next_frame()?;
            if !self.open {
                return Ok(0);
            }
        }
    }
}

fn damaged(why: &FrameDecoderError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame whose one block is stored as it is.
    fn frame(text: &[u8]) -> Vec<u8> {
        let size = u8::try_from(text.len()).unwrap();
        // One segment with a size of one byte; the last block, raw, so long.
        let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x20, size];
        frame.extend_from_slice(&[(size << 3) | 1, size >> 5, 0]);
        frame.extend_from_slice(text);
        frame
    }

    fn skipped(data: &[u8]) -> Vec<u8> {
        let size = u32::try_from(data.len()).unwrap().to_le_bytes();
        [&[0x50, 0x2A, 0x4D, 0x18], size.as_slice(), data].concat()
    }

    fn read(stream: &[u8]) -> (String, bool) {
        let mut text = Vec::new();
        let is_whole = ZstdReader::new(stream).read_to_end(&mut text).is_ok();
        (String::from_utf8(text).unwrap(), is_whole)
    }

    #[test]
    fn all_frames_are_read_and_those_without_data_skipped() {
        let whole = [skipped(b"size"), frame(b"one\n"), frame(b""), skipped(b""), frame(b"two\n")].concat();
        assert!(is_zstd(&whole) && is_zstd(&frame(b"")) && !is_zstd(b"P*M"));
        assert_eq!(read(&whole), ("one\ntwo\n".to_owned(), true));
        assert_eq!(read(&[]), (String::new(), true));
    }

    #[test]
    fn what_stands_before_the_damage_is_read() {
        let (one, two) = (frame(b"one\n"), frame(b"two\n"));
        assert_eq!(read(&[&one[..], &two[..two.len() - 6]].concat()), ("one\n".to_owned(), false));
        assert_eq!(read(&[&one[..], b"no frame"].concat()), ("one\n".to_owned(), false));
        assert_eq!(read(&[&one[..], &skipped(b"gone")[..10]].concat()), ("one\n".to_owned(), false));
    }
}
