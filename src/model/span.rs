//! Where text came from: a source, a record in it, and a range of bytes.

use serde::Serialize;

/// Index into [`crate::model::Transcript::sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SourceId(pub u32);

/// A file or stream whose bytes can be read again for as long as the program runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Name to show: a path as the user gave it, `-`, or a side file's path. Untrusted.
    pub name: String,
    /// What sort of thing it is.
    pub kind: SourceKind,
    /// Length in bytes.
    pub bytes: u64,
    /// Where the pages, slides, sheets and chapters of the original begin in what it was converted to, in order.
    #[serde(skip)]
    pub landmarks: Vec<Landmark>,
}

/// Where a place of the original begins in what it was converted to; it ends where the next one begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landmark {
    /// The first byte.
    pub byte: u64,
    /// The place in words: `page 3`. Untrusted.
    pub name: String,
}

impl Source {
    /// The place of the original in which a byte stands, where that has any.
    #[must_use]
    pub fn landmark(&self, byte: u64) -> Option<&str> {
        let behind = self.landmarks.partition_point(|landmark| landmark.byte <= byte);
        self.landmarks.get(behind.checked_sub(1)?).map(|landmark| landmark.name.as_str())
    }
}

/// What a source is to the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The transcript itself.
    Transcript,
    /// A file that the agent wrote beside it (a subagent's log, a persisted output).
    Side,
    /// A file that the user attached (`-f`, `--system`, `--tools`), byte by byte as far as it was read.
    Attached,
    /// What an attached file was converted to: its bytes are those of that Markdown, and none of the file's.
    Converted,
    /// What limits left of an attached file: its bytes are those of that text, and none of the file's or of its whole
    /// Markdown's.
    Limited,
    /// A picture that was attached, as it is sent: its bytes are base64.
    Encoded,
    /// Text made by windowpane (a marker, a summary); no file holds it.
    Made,
}

impl SourceKind {
    /// Whether the user attached it, as it is or converted.
    #[must_use]
    pub fn is_attached(self) -> bool {
        matches!(self, SourceKind::Attached | SourceKind::Converted | SourceKind::Limited | SourceKind::Encoded)
    }

    /// What its bytes are of, where that is not the file that it is named after.
    #[must_use]
    pub fn bytes_of(self) -> Option<&'static str> {
        match self {
            SourceKind::Converted => Some("markdown"),
            SourceKind::Limited => Some("limited_markdown"),
            SourceKind::Encoded => Some("base64"),
            SourceKind::Transcript | SourceKind::Side | SourceKind::Attached | SourceKind::Made => None,
        }
    }

    /// The same for people, behind a place.
    #[must_use]
    pub fn place_of(self) -> Option<&'static str> {
        self.bytes_of().map(|_| match self {
            SourceKind::Limited => "of its Markdown within limits",
            _ => "of its Markdown",
        })
    }
}

/// How the bytes of a span become text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Coding {
    /// The bytes are the text (UTF-8; what is not is replaced by U+FFFD).
    #[default]
    Plain,
    /// The same, each line feed with a carriage return before it being a line feed alone.
    Lines,
    /// The inside of a JSON string literal, without its quotes.
    Json,
    /// A JSON string inside a JSON string: both layers of escapes are undone.
    JsonTwice,
    /// A JSON value: the blanks between its parts, and escapes of what needs none, which no API passes on, are left
    /// out.
    Value,
    /// The inside of a JSON string that holds base64 (images, documents): not text.
    Base64,
}

/// A range of bytes of one source, and how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// The source that holds the bytes.
    pub source: SourceId,
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// How the bytes become text.
    pub coding: Coding,
}

impl Span {
    /// Length in bytes as stored.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One record of a source: a line of JSONL, an element of an array, or a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Record {
    /// The source that holds it.
    pub source: SourceId,
    /// Line in the source, from 1.
    pub line: u32,
    /// First byte of the record.
    pub start: u64,
    /// One past its last byte.
    pub end: u64,
}
