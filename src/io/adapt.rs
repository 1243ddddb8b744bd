//! Transcripts in other clothes: UTF-16 instead of UTF-8, one JSON list of records instead of a line each.

use std::io::{self, Read};
use std::sync::Arc;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8};

use crate::content::{ReadAt, Watch};
use crate::transcript::{Unlist, listed};

use super::FileBytes;
use super::spool::{copy, temporary};

/// Bytes by which it is told what a list holds.
const HEAD: usize = 8 << 20;

/// Bytes as readers take them.
pub(super) struct Adapted {
    /// The bytes.
    pub bytes: Arc<dyn ReadAt>,
    /// What was done to them, in sentences.
    pub notes: Vec<String>,
}

/// Brings a file into the form that readers take; one that is in it stays as it is. `format` is the one that the user
/// names.
///
/// # Errors
/// Where it cannot be read, or the temporary file cannot be written.
pub(super) fn adapt(bytes: Arc<dyn ReadAt>, format: Option<&str>, watch: &Watch) -> io::Result<Adapted> {
    let mut adapted = Adapted { bytes, notes: Vec::new() };
    let start = head(&adapted.bytes, 64)?;
    let wide = Encoding::for_bom(&start).map(|(encoding, _)| encoding).filter(|encoding| *encoding != UTF_8);
    if let Some(encoding) = wide {
        let stream = Decoded {
            from: Bytes::of(&adapted.bytes),
            decoder: encoding.new_decoder(),
            held: Vec::new(),
            ended: false,
            done: false,
        };
        adapted.note(
            respool(stream, watch)?,
            "the file is UTF-16: it is read as UTF-8, and places in bytes are that text's",
        );
    }
    let start = head(&adapted.bytes, 64)?;
    if start.contains(&b'[') && listed(&head(&adapted.bytes, HEAD)?, format).is_some() {
        let stream = Unlisted { from: Bytes::of(&adapted.bytes), unlist: Unlist::default() };
        let note = "the file is one JSON list of records: a line is a record of it, places in bytes are the file's own";
        adapted.note(respool(stream, watch)?, note);
    }
    Ok(adapted)
}

impl Adapted {
    fn note(&mut self, (bytes, broken): (FileBytes, Option<String>), note: &str) {
        self.bytes = Arc::new(bytes);
        self.notes.push(note.to_owned());
        self.notes.extend(broken.map(|broken| format!("it breaks off: {broken}")));
    }
}

fn respool(stream: impl Read, watch: &Watch) -> io::Result<(FileBytes, Option<String>)> {
    let mut file = temporary()?;
    let broken = copy(stream, &mut file, watch)?;
    Ok((FileBytes::of(file)?, broken))
}

fn head(bytes: &Arc<dyn ReadAt>, most: usize) -> io::Result<Vec<u8>> {
    let mut found = Vec::new();
    Bytes::of(bytes).take(most as u64).read_to_end(&mut found)?;
    Ok(found)
}

/// Bytes from their beginning.
struct Bytes<'a> {
    bytes: &'a dyn ReadAt,
    at: u64,
}

impl<'a> Bytes<'a> {
    fn of(bytes: &'a Arc<dyn ReadAt>) -> Bytes<'a> {
        Bytes { bytes: bytes.as_ref(), at: 0 }
    }
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.len().saturating_sub(self.at)).unwrap_or(usize::MAX);
        let size = left.min(buffer.len());
        let size = self.bytes.read_at(self.at, &mut buffer[..size])?;
        self.at += size as u64;
        Ok(size)
    }
}

/// A list as lines.
struct Unlisted<'a> {
    from: Bytes<'a>,
    unlist: Unlist,
}

impl Read for Unlisted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.from.read(buffer)?;
        self.unlist.apply(&mut buffer[..size]);
        Ok(size)
    }
}

/// Text of another encoding as UTF-8.
struct Decoded<'a> {
    from: Bytes<'a>,
    decoder: Decoder,
    /// Bytes that were read and not decoded yet.
    held: Vec<u8>,
    ended: bool,
    /// Whether the decoder has told all, half a sign at the end included: it is not asked again.
    done: bool,
}

impl Read for Decoded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.done {
            if self.held.is_empty() && !self.ended {
                self.held.resize(64 << 10, 0);
                let size = self.from.read(&mut self.held)?;
                self.held.truncate(size);
                self.ended = size == 0;
            }
            let (result, read, written, _) = self.decoder.decode_to_utf8(&self.held, buffer, self.ended);
            self.held.drain(..read);
            self.done = self.ended && result == CoderResult::InputEmpty;
            if written > 0 || buffer.len() < 4 {
                return Ok(written);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::MemoryBytes;

    fn text_of(bytes: Vec<u8>) -> (String, usize) {
        let adapted = adapt(Arc::new(MemoryBytes(bytes)), None, &Watch::default()).unwrap();
        let text = head(&adapted.bytes, usize::MAX).unwrap();
        (String::from_utf8(text).unwrap(), adapted.notes.len())
    }

    #[test]
    fn wide_text_is_read_as_utf_8() {
        let text = "{\"a\": \"é漢😀\"}\n".repeat(20_000);
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once('\u{FEFF}')
                .chain(text.chars())
                .flat_map(|sign| {
                    sign.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| order(*unit)).collect::<Vec<u8>>()
                })
                .collect()
        };
        assert_eq!(text_of(wide(u16::to_le_bytes)), (text.clone(), 1));
        assert_eq!(text_of(wide(u16::to_be_bytes)), (text.clone(), 1));
        assert_eq!(text_of(text.clone().into_bytes()), (text, 0));
    }

    #[test]
    fn wide_text_that_breaks_off_is_read_to_its_end() {
        // Half a unit, half a pair, both, and a mark with nothing behind it; of any length around a buffer's.
        for cut in [&b"\x00"[..], &b"\x3D\xD8"[..], &b"\x3D\xD8\x00"[..]] {
            for length in [0, 1, 2, (32 << 10) - 1, 32 << 10, 64 << 10] {
                let wide = [&b"\xFF\xFE"[..], &b"a\x00".repeat(length), cut].concat();
                let (text, _) = text_of(wide);
                assert_eq!(text.trim_end_matches('\u{FFFD}'), "a".repeat(length), "{cut:?}");
                assert!(text.ends_with('\u{FFFD}'));
            }
        }
        assert_eq!(text_of(b"\xFF\xFE".to_vec()).0, "");
    }

    #[test]
    fn a_list_of_records_is_read_by_lines() {
        let record =
            r#"{"parentUuid":null,"uuid":"u","sessionId":"s","type":"user","message":{"role":"user","content":"x"}}"#;
        let (text, notes) = text_of(format!("[{record},\n {record}]").into_bytes());
        assert_eq!((text.lines().filter(|line| line.contains("uuid")).count(), notes), (2, 1));
        assert_eq!(text_of(b"[{\"role\":\"user\",\"content\":\"x\"}]".to_vec()).1, 0);
    }
}
