//! The open sources of a session, and the text of their spans.

use std::sync::Arc;

use thiserror::Error;

use crate::model::{Body, Coding, Landmark, Source, SourceId, SourceKind, Span};

use super::{MemoryBytes, ReadAt, decode, joined, place_in};

/// Why bytes could not be read.
#[derive(Debug, Error)]
pub enum ContentError {
    /// The system said no.
    #[error("cannot read {name}: {why}")]
    Read {
        /// The source's name.
        name: String,
        /// The system's words.
        why: std::io::Error,
    },
    /// The source has become shorter since it was opened.
    #[error("{name} has changed since it was opened: it ends before byte {end}")]
    Gone {
        /// The source's name.
        name: String,
        /// Where the span should have ended.
        end: u64,
    },
    /// There is no such source.
    #[error("there is no source {0}")]
    Unknown(u32),
}

/// The open sources of a session. Cheap to clone and to share between threads.
#[derive(Clone, Default)]
pub struct Sources {
    open: Vec<(Source, Arc<dyn ReadAt>)>,
}

impl Sources {
    /// Takes a source in.
    pub fn add(&mut self, name: impl Into<String>, kind: SourceKind, bytes: Arc<dyn ReadAt>) -> SourceId {
        let id = SourceId(u32::try_from(self.open.len()).unwrap_or(u32::MAX));
        self.open.push((Source { name: name.into(), kind, bytes: bytes.len(), landmarks: Vec::new() }, bytes));
        id
    }

    /// Tells where the places of the original begin in a source.
    pub fn tell(&mut self, id: SourceId, landmarks: Vec<Landmark>) {
        if let Some((source, _)) = self.open.get_mut(id.0 as usize) {
            source.landmarks = landmarks;
        }
    }

    /// Takes in bytes that are in memory.
    pub fn add_memory(&mut self, name: impl Into<String>, kind: SourceKind, bytes: Vec<u8>) -> SourceId {
        self.add(name, kind, Arc::new(MemoryBytes(bytes)))
    }

    /// What is open, in the order of the ids.
    #[must_use]
    pub fn list(&self) -> Vec<Source> {
        self.open.iter().map(|(source, _)| source.clone()).collect()
    }

    /// What is said of a source.
    #[must_use]
    pub fn info(&self, id: SourceId) -> Option<&Source> {
        self.open.get(id.0 as usize).map(|(source, _)| source)
    }

    /// A source's bytes.
    ///
    /// # Errors
    /// [`ContentError::Unknown`] where there is no such source.
    pub fn bytes(&self, id: SourceId) -> Result<&Arc<dyn ReadAt>, ContentError> {
        self.open.get(id.0 as usize).map(|(_, bytes)| bytes).ok_or(ContentError::Unknown(id.0))
    }

    /// The stored bytes of a range.
    ///
    /// # Errors
    /// Where the source is unknown, unreadable or has become shorter.
    pub fn read(&self, source: SourceId, start: u64, end: u64) -> Result<Vec<u8>, ContentError> {
        let bytes = self.bytes(source)?;
        let name = || self.info(source).map_or_else(String::new, |info| info.name.clone());
        if end > bytes.len() {
            return Err(ContentError::Gone { name: name(), end });
        }
        let size = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
        let mut buffer = vec![0; size];
        let mut filled = 0;
        while filled < size {
            match bytes.read_at(start + filled as u64, &mut buffer[filled..]) {
                Ok(0) => return Err(ContentError::Gone { name: name(), end }),
                Ok(more) => filled += more,
                Err(why) if why.kind() == std::io::ErrorKind::Interrupted => {}
                Err(why) => return Err(ContentError::Read { name: name(), why }),
            }
        }
        Ok(buffer)
    }

    /// The text of a span.
    ///
    /// # Errors
    /// As [`Sources::read`].
    pub fn text(&self, span: Span) -> Result<String, ContentError> {
        let bytes = self.read(span.source, span.start, span.end)?;
        Ok(decode(&bytes, span.coding).into_owned())
    }

    /// The text of a body: its spans' texts joined by line breaks; nothing for what is not text.
    ///
    /// # Errors
    /// As [`Sources::read`].
    pub fn body_text(&self, body: &Body) -> Result<String, ContentError> {
        if !matches!(body, Body::Text { .. }) {
            return Ok(String::new());
        }
        let mut pieces = self.pieces(body)?;
        // What stands in one place as it is need not be copied.
        if let ([piece], Some(Coding::Plain)) = (pieces.as_mut_slice(), body.spans().next().map(|span| span.coding)) {
            match String::from_utf8(std::mem::take(piece)) {
                Ok(text) => return Ok(text),
                Err(bytes) => *piece = bytes.into_bytes(),
            }
        }
        Ok(joined(body, &pieces))
    }

    /// The stored bytes of each of a body's spans.
    ///
    /// # Errors
    /// As [`Sources::read`].
    pub fn pieces(&self, body: &Body) -> Result<Vec<Vec<u8>>, ContentError> {
        body.spans().map(|span| self.read(span.source, span.start, span.end)).collect()
    }

    /// Where bytes of a body's decoded text are stored: in the span that holds the first of them, from there to the
    /// last of them or the span's end. `None` where the body has no such bytes.
    ///
    /// # Errors
    /// Where the source cannot be read.
    pub fn stored(&self, body: &Body, from: u64, to: u64) -> Result<Option<Span>, ContentError> {
        let found = place_in(body, &self.pieces(body)?, from, to);
        let span = found.and_then(|(at, from, to)| {
            let span = body.spans().nth(at)?;
            Some(Span { start: span.start + from, end: span.start + to, ..span })
        });
        Ok(span.filter(|span| span.start < span.end))
    }
}
