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
    /// What ended it early.
    fault: Option<&'static str>,
    /// Whether one has been opened.
    any: bool,
}

/// The end of a frame: a last block that holds nothing, and room for a checksum.
const END: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

impl<R: BufRead> ZstdReader<R> {
    /// From the beginning of a frame. Nothing is read yet.
    pub fn new(from: R) -> ZstdReader<R> {
        ZstdReader { from, decoder: FrameDecoder::new(), open: false, fault: None, any: false }
    }

    /// Goes to the next frame that holds data; `false` at the end of the stream.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.from.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.from) {
                Ok(()) => {
                    self.any = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.from.by_ref().take(length), &mut io::sink())? < length {
                        return Err(broken(CUT));
                    }
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(_))) if self.any => {
                    return Err(broken("what follows its end is not packed, and is left out"));
                }
                Err(why) => return Err(broken(told(&why))),
            }
        }
        Ok(false)
    }

    /// Unpacks the next block of the open frame. At a fault the frame ends, so that what it holds back is given.
    fn next_block(&mut self) -> io::Result<()> {
        match self.decoder.decode_blocks(&mut self.from, BlockDecodingStrategy::UptoBlocks(1)) {
            Ok(_) => Ok(()),
            Err(why) => {
                self.fault = Some(told(&why));
                // One that lacks nothing but its checksum has ended.
                let ended = self.decoder.decode_blocks(END, BlockDecodingStrategy::UptoBlocks(1));
                ended.map(drop).map_err(|_| broken(told(&why)))
            }
        }
    }

    /// Whether the open frame, read to its end, is what its checksum says.
    fn is_right(&self) -> bool {
        let told = self.decoder.get_checksum_from_data();
        told.is_none() || told == self.decoder.get_calculated_checksum()
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.open && self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if let Some(fault) = self.fault {
                return Err(broken(fault));
            }
            if self.open && !self.decoder.is_finished() {
                self.next_block()?;
                continue;
            }
            if self.open && !self.is_right() {
                self.fault = Some("its checksum does not match: some of what stands here may be wrong");
                continue;
            }
            self.open = self.next_frame()?;
            if !self.open {
                return Ok(0);
            }
        }
    }
}

/// What is said of a stream that ends too early.
const CUT: &str = "it is cut off";

/// What is the matter, in words.
fn told(why: &FrameDecoderError) -> &'static str {
    // The decoder wraps what its source says, at many depths.
    if format!("{why:?}").contains("UnexpectedEof") { CUT } else { "a block is damaged" }
}

fn broken(fault: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, fault)
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

    /// A frame that holds back a window of 8 MB, of raw blocks with these texts.
    fn windowed(texts: &[&[u8]]) -> Vec<u8> {
        let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 13 << 3];
        for (at, text) in texts.iter().enumerate() {
            let head = (text.len() as u32) << 3 | u32::from(at + 1 == texts.len());
            frame.extend_from_slice(&head.to_le_bytes()[..3]);
            frame.extend_from_slice(text);
        }
        frame
    }

    #[test]
    fn what_a_frame_holds_back_is_given_at_its_damage() {
        let (one, two) = (b"first block\n".repeat(1_000), b"second block\n".repeat(1_000));
        let whole = windowed(&[&one, &two]);
        assert_eq!(read(&whole).0.len(), one.len() + two.len());
        let (text, is_whole) = read(&whole[..whole.len() - 100]);
        assert!(!is_whole && text.as_bytes().starts_with(&one));
        // A block of a kind that there is not.
        let (text, is_whole) = read(&[&whole[..whole.len() - two.len() - 3], &[0xFF; 40]].concat());
        assert!(!is_whole && text.as_bytes() == one);
        // A checksum that is wrong, or cut off.
        let mut summed = frame(b"one\n");
        summed[4] |= 4;
        assert_eq!(read(&[&summed[..], &[1, 2, 3, 4]].concat()), ("one\n".to_owned(), false));
        assert_eq!(read(&[&summed[..], &[1, 2]].concat()), ("one\n".to_owned(), false));
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
