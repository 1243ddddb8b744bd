//! A transcript that is one JSON value: read whole, with the lines that its parts stand in.

use memchr::memchr_iter;

use crate::content::{Sources, mark_length};
use crate::model::{Record, SourceId};

use super::OpenError;
use super::stored::Stored;

/// Bytes read at most.
const MOST: u64 = 1 << 30;
/// Bytes between two known line numbers.
const STRIDE: usize = 4 << 10;

/// A source in memory.
pub struct Document {
    /// Its bytes, after a byte order mark.
    pub bytes: Vec<u8>,
    /// Whether it is longer than what is read.
    pub cut: bool,
    source: SourceId,
    /// Line breaks before each stride.
    breaks: Vec<u32>,
}

impl Document {
    /// Reads a source.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(sources: &Sources, source: SourceId) -> Result<Self, OpenError> {
        let length = sources.bytes(source)?.len();
        let bytes = sources.read(source, 0, length.min(MOST))?;
        let mut sum = 0u32;
        let breaks = bytes
            .chunks(STRIDE)
            .map(|chunk| {
                let before = sum;
                sum = sum.saturating_add(u32::try_from(memchr_iter(b'\n', chunk).count()).unwrap_or(u32::MAX));
                before
            })
            .collect();
        Ok(Document { bytes, cut: length > MOST, source, breaks })
    }

    /// The text to parse: what follows a byte order mark.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.bytes[mark_length(&self.bytes)..]
    }

    /// The record that a part of the bytes is.
    #[must_use]
    pub fn record(&self, part: &[u8]) -> Record {
        let from = (part.as_ptr() as usize).saturating_sub(self.bytes.as_ptr() as usize).min(self.bytes.len());
        let stride = from / STRIDE;
        let near = self.bytes.get(stride * STRIDE..from).unwrap_or_default();
        let before = self.breaks.get(stride).or(self.breaks.last()).copied().unwrap_or(0);
        let line = before + u32::try_from(memchr_iter(b'\n', near).count()).unwrap_or(0) + 1;
        let end = from.saturating_add(part.len()).min(self.bytes.len());
        Record { source: self.source, line, start: from as u64, end: end as u64 }
    }

    /// A part of the bytes, from which spans can be made.
    #[must_use]
    pub fn stored<'a>(&'a self, part: &'a [u8]) -> Stored<'a> {
        Stored { bytes: part, record: self.record(part) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceKind;

    #[test]
    fn parts_know_their_lines() {
        let mut sources = Sources::default();
        let text = format!("[\n{}\n\n  7]", "\n".repeat(STRIDE));
        let id = sources.add_memory("t", SourceKind::Transcript, text.clone().into_bytes());
        let Ok(document) = Document::read(&sources, id) else { panic!() };
        let at = text.len() - 2;
        let record = document.record(&document.text()[at..=at]);
        assert_eq!((record.line as usize, record.start as usize), (STRIDE + 4, at));
        assert_eq!(document.record(document.text()).line, 1);
    }
}
