//! What a conversion gives: Markdown, anchors into it, warnings, figures, and what was shown of what.

use serde::{Deserialize, Serialize};

use super::page::{Numbering, PageNumber};

/// A part of the original that has a number or a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceKind {
    /// A page, as it was laid out or printed.
    Page,
    /// A slide of a presentation.
    Slide,
    /// A sheet of a workbook.
    Sheet,
    /// A chapter of a book, or a section of one behind the name of that, with the number of the file of its spine in which it
    /// begins or goes on.
    Chapter,
    /// A file in an archive.
    File,
    /// A cell of a notebook.
    Cell,
}

impl PlaceKind {
    /// Its name, in words and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PlaceKind::Page => "page",
            PlaceKind::Slide => "slide",
            PlaceKind::Sheet => "sheet",
            PlaceKind::Chapter => "chapter",
            PlaceKind::File => "file",
            PlaceKind::Cell => "cell",
        }
    }
}

/// A place in the original document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Its number, from 1, as the original counts.
    pub number: u32,
    /// Its name, where it has one. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How its number is told; an estimated one is this or a later one.
    #[serde(default, skip_serializing_if = "Numbering::is_told")]
    pub numbering: Numbering,
}

/// Between what stands in something and that, in the name of a place.
pub const WITHIN: &str = " › ";

impl Place {
    /// A place without a name.
    #[must_use]
    pub fn numbered(kind: PlaceKind, number: u32) -> Place {
        Place { kind, number, name: None, numbering: Numbering::Told }
    }

    /// A page of which the original does not tell more than that it is none before this one.
    #[must_use]
    pub fn page_from(number: u32) -> Place {
        Place { numbering: Numbering::Estimated, ..Place::numbered(PlaceKind::Page, number) }
    }

    /// A page with a Roman number.
    #[must_use]
    pub fn roman_page(number: u32) -> Place {
        Place { numbering: Numbering::Roman, ..Place::numbered(PlaceKind::Page, number) }
    }

    /// Its number.
    #[must_use]
    pub fn page(&self) -> PageNumber {
        PageNumber { number: self.number.into(), how: self.numbering }
    }

    /// A place with a name.
    #[must_use]
    pub fn named(kind: PlaceKind, number: u32, name: impl Into<String>) -> Place {
        Place { name: Some(name.into()), ..Place::numbered(kind, number) }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.kind.name(), self.page())?;
        self.name.as_ref().map_or(Ok(()), |name| write!(out, " {name}"))
    }
}

/// Where a place begins in the Markdown. It ends where the next of its kind begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// Characters of Markdown before it.
    pub offset: u64,
    /// Bytes of Markdown before it.
    pub byte: u64,
    /// The place in the original.
    #[serde(flatten)]
    pub place: Place,
}

/// An entry of the document's own table of contents (a PDF's bookmarks).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineItem {
    /// Depth, from 1.
    pub level: u32,
    /// Its words. Untrusted.
    pub title: String,
    /// The page that it leads to, where that is known.
    pub page: Option<u32>,
}

/// A located complaint about the document. Never fatal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The place that it is about, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Line of the original, from 1; 0 where lines mean nothing.
    #[serde(default)]
    pub line: u64,
    /// What is the matter, in one sentence. May quote untrusted text.
    pub message: String,
    /// Whether it tells of a reader that failed or was ended, and not of the document itself: another try may go
    /// better.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_reader: bool,
}

/// What is told of a file without bytes.
pub(super) const EMPTY: &str = "the file is empty";
/// What is told of a document that was read and says nothing.
pub(super) const NO_TEXT: &str = "the document holds no text";

impl Note {
    /// Whether it tells that there was nothing to read, and of nothing that went wrong.
    #[must_use]
    pub fn is_of_nothing(&self) -> bool {
        [EMPTY, NO_TEXT].contains(&self.message.as_str())
    }
}

/// What is the matter, behind where it is.
impl std::fmt::Display for Note {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = (self.line > 0).then(|| format!("line {}", self.line));
        let place = self.place.as_ref().map(ToString::to_string).filter(|place| !place.is_empty());
        match (place, line) {
            (Some(place), Some(line)) => write!(out, "{place}, {line}: {}", self.message),
            (Some(one), None) | (None, Some(one)) => write!(out, "{one}: {}", self.message),
            (None, None) => out.write_str(&self.message),
        }
    }
}

/// One statement of what was shown of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// So many of so many: `rows: 30 of 5000`.
    Of {
        /// What is counted, in the plural.
        what: String,
        /// How many are shown.
        shown: u64,
        /// How many there are.
        total: u64,
        /// The bytes of Markdown at which those end that the limits of the format let in, where that is told: of what
        /// is cut off behind them, fewer are shown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ends: Vec<u64>,
        /// Whether only what other limits left was counted.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        of_rest: bool,
    },
    /// So many were shortened: `15 cells truncated`.
    Cut {
        /// What is counted, in the plural.
        what: String,
        /// How many of them.
        count: u64,
        /// The bytes of Markdown at which they stand, where that is told.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        at: Vec<u64>,
        /// How many items are shown of each and how many it has, where it was shortened by those.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of: Vec<(u64, u64)>,
    },
    /// A statement in words: `800x600 (resized from 1600x1200)`.
    Words(String),
}

impl Shown {
    /// Whether it says that all were shown.
    #[must_use]
    pub fn is_all(&self) -> bool {
        matches!(self, Shown::Of { shown, total, .. } if shown >= total)
    }

    /// Of those that were shortened, how many items are shown and how many they have, together.
    #[must_use]
    pub fn items(&self) -> Option<(u64, u64)> {
        match self {
            Shown::Cut { of, .. } if !of.is_empty() => {
                Some(of.iter().fold((0, 0), |(shown, total), one| (shown + one.0, total + one.1)))
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Shown::Of { what, shown, total, of_rest, .. } => {
                write!(out, "{what}: {shown} of {total}")?;
                if *of_rest { out.write_str(" that the other limits left") } else { Ok(()) }
            }
            Shown::Cut { what, count, .. } => {
                // Of one sheet of several its name comes first.
                let (sheet, what) =
                    what.rsplit_once(": ").map_or((None, what.as_str()), |(name, what)| (Some(name), what));
                let one = what.strip_suffix('s').filter(|_| *count == 1);
                if let Some(sheet) = sheet {
                    write!(out, "{sheet}: ")?;
                }
                write!(out, "{count} {} truncated", one.unwrap_or(what))?;
                let Some((shown, total)) = self.items() else { return Ok(()) };
                let items = if what == "arrays" || what == "elements" { "items" } else { "keys" };
                write!(out, " ({shown} of {total} {items})")
            }
            Shown::Words(words) => out.write_str(words),
        }
    }
}

/// What was shown of what, in one line; empty where everything was.
#[must_use]
pub fn shown_line(shown: &[Shown]) -> String {
    shown.iter().filter(|one| !one.is_all()).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A part of a text that stands in the Markdown where that is laid out anew: the bytes of the text, from and to, and the
/// byte of the Markdown at which it begins.
pub type Kept = (u64, u64, u64);

/// A limit that leaves parts of a text out where that is laid out anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftBy {
    /// Levels of arrays and objects.
    Depth,
    /// Items of an array, children of an element, records.
    Items,
    /// Keys of an object, attributes of an element.
    Keys,
    /// Characters of a string.
    String,
    /// Characters in all.
    Chars,
}

/// A part of a text that a limit left out: its bytes, from and to.
pub type Left = (u64, u64, LeftBy);

/// A picture or sound as it would be attached, within its limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its media type.
    pub mime: String,
    /// Its bytes.
    #[serde(with = "encoded")]
    pub data: Vec<u8>,
}

/// One piece of a conversion, in the order in which they arise. This is what crosses from the worker process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// More Markdown.
    Text(String),
    /// A place begins here.
    Anchor(Anchor),
    /// An entry of the table of contents.
    Outline(OutlineItem),
    /// A complaint.
    Note(Note),
    /// One that is made where nothing more comes: what it says of what is shown is not known yet.
    Unsaid(Note),
    /// A fact about the document: its title, its encoding, its length. Untrusted.
    Fact(String, String),
    /// What was shown of what.
    Shown(Shown),
    /// What of a text that is laid out anew stands in the Markdown.
    Kept(Vec<Kept>),
    /// What of such a text each limit left out.
    Left(Vec<Left>),
    /// A picture or sound.
    Attachment(Attachment),
    /// How far it has come, and of how much, in any unit.
    Progress(u64, u64),
}

/// A document as Markdown, and what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    /// Name of the format it was read as; empty where it was none.
    pub format: String,
    /// The Markdown.
    pub markdown: String,
    /// Where pages, slides, sheets and chapters begin, in order.
    pub anchors: Vec<Anchor>,
    /// The document's own table of contents.
    pub outline: Vec<OutlineItem>,
    /// Complaints.
    pub notes: Vec<Note>,
    /// Facts: title, authors, pages, encoding …
    pub facts: Vec<(String, String)>,
    /// What was shown of what. What limits cut all of it by, or might have, is among it until the last of them have.
    pub shown: Vec<Shown>,
    /// What of the text as it is without limits stands in the Markdown, in order, where limits laid it out anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// What of such a text each limit left out, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// The picture or sound to attach.
    pub attachment: Option<Attachment>,
}

impl Conversion {
    /// Takes in a piece.
    pub fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.markdown.push_str(&text),
            Piece::Anchor(anchor) => self.anchors.push(anchor),
            Piece::Outline(item) => self.outline.push(item),
            Piece::Note(note) => self.notes.push(note),
            Piece::Fact(name, value) if name == "format" => self.format = value,
            Piece::Fact(name, value) => self.facts.push((name, value)),
            Piece::Shown(shown) => self.shown.push(shown),
            Piece::Kept(kept) => self.kept.extend(kept),
            Piece::Left(left) => self.left.extend(left),
            Piece::Attachment(attachment) => self.attachment = Some(attachment),
            Piece::Unsaid(_) | Piece::Progress(..) => {}
        }
    }

    /// All that is known of it but for its Markdown.
    #[must_use]
    pub fn without_markdown(&self) -> Conversion {
        Conversion {
            format: self.format.clone(),
            markdown: String::new(),
            anchors: self.anchors.clone(),
            outline: self.outline.clone(),
            notes: self.notes.clone(),
            facts: self.facts.clone(),
            shown: self.shown.clone(),
            kept: self.kept.clone(),
            left: self.left.clone(),
            attachment: self.attachment.clone(),
        }
    }

    /// A fact by its name.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Bytes as base64.
mod encoded {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        BASE64_STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_shortened_stands_behind_the_name_of_its_sheet() {
        let cut = |what: &str, count| Shown::Cut { what: what.to_owned(), count, at: vec![], of: vec![] }.to_string();
        assert_eq!(cut("Sales: May: cells", 13), "Sales: May: 13 cells truncated");
        assert_eq!(cut("Sales: cells", 1), "Sales: 1 cell truncated");
        assert_eq!(cut("cells", 2), "2 cells truncated");
    }
}
