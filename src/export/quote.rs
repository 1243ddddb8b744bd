//! Text with its origin: every piece knows the bytes that it was read from, or that windowpane wrote it.

use crate::content::{ContentError, Sources, decode_json_string};
use crate::model::{Block, Body, Coding, EntryId, Made, Record, Run, Span, Transcript};

/// Where a piece of text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Windowpane wrote it: structure, a marker, a stand-in.
    Made,
    /// It was read from a source.
    Source(Quote),
}

/// The bytes of a source that a text was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Where they stand, and how they become text.
    pub span: Span,
    /// Line of the record that holds them, where it is known.
    pub line: Option<u32>,
    /// The bytes of the decoded text that were taken, where not all of it was.
    pub part: Option<(u64, u64)>,
    /// The entry that shows them.
    pub entry: EntryId,
}

/// One piece of one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text itself.
    pub text: String,
    /// Where it is from.
    pub origin: Origin,
}

/// A text of any number of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Piece>);

impl Text {
    /// Text that windowpane wrote.
    #[must_use]
    pub fn made(text: impl Into<String>) -> Self {
        Text(vec![Piece { text: text.into(), origin: Origin::Made }])
    }

    /// The whole, without origins.
    #[must_use]
    pub fn joined(&self) -> String {
        self.0.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Whether it has nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(|piece| piece.text.trim().is_empty())
    }

    /// Appends another text.
    pub fn push(&mut self, other: Text) {
        self.0.extend(other.0);
    }

    /// A range of bytes of the whole, with its origins. Ends inside a character move to its start.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Text {
        let mut pieces = Vec::new();
        let mut at = 0;
        for piece in &self.0 {
            let size = piece.text.len();
            let start = piece.text.floor_char_boundary(from.saturating_sub(at).min(size));
            let end = piece.text.floor_char_boundary(to.saturating_sub(at).min(size));
            if start < end {
                let origin = match piece.origin {
                    Origin::Source(quote) => {
                        let first = quote.part.map_or(0, |part| part.0);
                        let whole = start == 0 && end == size;
                        let part = if whole { quote.part } else { Some((first + start as u64, first + end as u64)) };
                        Origin::Source(Quote { part, ..quote })
                    }
                    Origin::Made => Origin::Made,
                };
                pieces.push(Piece { text: piece.text[start..end].to_owned(), origin });
            }
            at += size;
        }
        Text(pieces)
    }
}

/// Reads the texts of entries.
pub struct Reader<'a> {
    /// What was recorded.
    pub transcript: &'a Transcript,
    /// Where its bytes are.
    pub sources: &'a Sources,
    /// The run whose entries are read.
    pub run: &'a Run,
}

impl Reader<'_> {
    /// A span's text, shown by an entry.
    ///
    /// # Errors
    /// Where the source cannot be read.
    pub fn span(&self, span: Span, record: Record, entry: EntryId) -> Result<Text, ContentError> {
        let mut text = self.sources.text(span)?;
        if span.coding == Coding::Base64 && text.contains('\\') {
            text = decode_json_string(text.as_bytes()).into_owned();
        }
        let line = (span.source == record.source).then_some(record.line);
        Ok(Text(vec![Piece { text, origin: Origin::Source(Quote { span, line, part: None, entry }) }]))
    }

    /// A body's text: its spans joined by line breaks.
    ///
    /// # Errors
    /// As [`Reader::span`].
    pub fn body(&self, body: &Body, record: Record, entry: EntryId) -> Result<Text, ContentError> {
        let mut whole = Text::default();
        for (index, span) in body.spans().enumerate() {
            if index > 0 {
                whole.push(Text::made("\n"));
            }
            whole.push(self.span(span, record, entry)?);
        }
        Ok(whole)
    }

    /// What an entry shows of text: blocks, parts of blocks, markers.
    ///
    /// # Errors
    /// As [`Reader::span`].
    pub fn content(&self, content: &[Made], entry: EntryId) -> Result<Text, ContentError> {
        let mut whole = Text::default();
        for made in content {
            match made {
                Made::Text(text) => whole.push(Text::made(text.as_ref())),
                Made::Written(figures) => whole.push(Text::made(figures.text(self.run))),
                Made::Block(id) => {
                    if let Some(block) = self.transcript.block(*id) {
                        whole.push(self.body(&block.body, block.record, entry)?);
                    }
                }
                Made::Part(id, from, to, original) => {
                    if let Some(block) = self.transcript.block(*id) {
                        let text = self.body(chosen(block, *original), block.record, entry)?;
                        whole.push(text.slice(size(*from), size(*to)));
                    }
                }
            }
        }
        Ok(whole)
    }
}

fn chosen(block: &Block, original: bool) -> &Body {
    block.original.as_deref().filter(|_| original).unwrap_or(&block.body)
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
