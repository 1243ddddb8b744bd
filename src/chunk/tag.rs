//! The tag of a passage, as source 1 writes it: what a model can cite, and what leads back to the original.

use std::fmt;

use crate::content::steers_terminal;

use super::{Division, Piece, Strategy};
use crate::document::{PageNumber, WITHIN};
use crate::model::thousands;

/// Characters of a name or title in a tag.
const NAME_MAX: usize = 160;

/// Where a passage is from:
/// `=== Introduction [source:paper.pdf | p.3 | ¶12 | §Introduction | @4,200] ===`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The section's title, or which window it is.
    pub title: String,
    /// The file's name.
    pub source: String,
    /// The page: `p.~3` where it is an estimate, since the format has none.
    pub page: PageNumber,
    /// Blank lines before it.
    pub paragraph: u64,
    /// The section, where sections are chosen; before it, or else alone, the part of the document that is one of several of
    /// its own: a sheet, a file.
    pub section: Option<String>,
    /// Characters of the converted Markdown before it.
    pub offset: u64,
}

impl Tag {
    /// The tag of a piece of a document.
    #[must_use]
    pub fn of(division: &Division, piece: &Piece, source: &str) -> Tag {
        let by_section = division.strategy == Strategy::Sections;
        let heading = division.section(piece).filter(|_| by_section).map(plain).filter(|title| !title.is_empty());
        let section = place(division, piece, heading.as_deref());
        let title = match (heading, by_section) {
            (Some(title), _) => title,
            (None, true) if piece.spot.section.is_none() => "Beginning".to_owned(),
            (None, true) => "Untitled".to_owned(),
            (None, false) => format!("Chunk {}", piece.number),
        };
        Tag {
            title,
            source: plain(crate::model::file_name(source)),
            page: piece.spot.page,
            paragraph: piece.spot.paragraph,
            section,
            offset: piece.spot.offset,
        }
    }

    /// The place alone: `[source:paper.pdf | p.3 | ¶12 | @4,200]`.
    #[must_use]
    pub fn place(&self) -> String {
        let whole = self.to_string();
        let from = whole.find("[source:").unwrap_or(0);
        whole.get(from..).unwrap_or_default().trim_end_matches(" ===").to_owned()
    }

    /// Reads a tag back.
    #[must_use]
    pub fn parse(line: &str) -> Option<Tag> {
        let rest = line.trim_end().strip_prefix("=== ")?.strip_suffix("] ===")?;
        let (title, fields) = rest.split_once(" [source:")?;
        let mut fields = fields.split(" | ");
        let source = fields.next()?.to_owned();
        let page = fields.next()?.strip_prefix("p.")?;
        let paragraph = number(fields.next()?.strip_prefix('¶')?)?;
        let (section, offset) = match (fields.next()?, fields.next()) {
            (section, Some(offset)) => (Some(section.strip_prefix('§')?.to_owned()), offset),
            (offset, None) => (None, offset),
        };
        let page = PageNumber::parse(page)?;
        let offset = number(offset.strip_prefix('@')?).filter(|_| fields.next().is_none())?;
        Some(Tag { title: title.to_owned(), source, page, paragraph, section, offset })
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tag { title, source, page, paragraph, .. } = self;
        write!(out, "=== {title} [source:{source} | p.{page} | ¶{paragraph}")?;
        if let Some(section) = &self.section {
            write!(out, " | §{section}")?;
        }
        write!(out, " | @{}] ===", thousands(self.offset))
    }
}

/// What a piece stands in, from the outermost part that has a name to its heading, where sections are chosen.
fn place(division: &Division, piece: &Piece, heading: Option<&str>) -> Option<String> {
    let (parts, sections) = (&division.outline.parts, &division.outline.sections);
    let names = match piece.spot.section.and_then(|at| sections.get(at)).filter(|_| heading.is_some()) {
        Some(section) => parts.around(section),
        None if division.strategy == Strategy::Sections => return None,
        None => parts.at(piece.words),
    };
    let names = names.into_iter().map(plain).chain(heading.map(str::to_owned)).filter(|name| !name.is_empty());
    Some(names.collect::<Vec<_>>().join(WITHIN)).filter(|place| !place.is_empty())
}

/// A name that cannot be taken for another field, in one line.
fn plain(name: &str) -> String {
    let words = name.split(|sign: char| sign.is_whitespace() || steers_terminal(sign));
    let joined = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let joined = joined.replace('|', "¦").replace("[source:", "(source:").replace("] ===", ") ===");
    match joined.char_indices().nth(NAME_MAX) {
        Some((at, _)) => format!("{}…", &joined[..at]),
        None => joined,
    }
}

fn number(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Settings;
    use crate::document::Conversion;
    use proptest::prelude::*;

    #[test]
    fn tags_look_as_the_source_says() {
        let mut tag = Tag {
            title: "Introduction".into(),
            source: "paper.pdf".into(),
            page: PageNumber::told(3),
            paragraph: 12,
            section: Some("Introduction".into()),
            offset: 4_200,
        };
        assert_eq!(tag.to_string(), "=== Introduction [source:paper.pdf | p.3 | ¶12 | §Introduction | @4,200] ===");
        tag.page = PageNumber::estimated(3);
        tag.section = None;
        tag.title = "Chunk 11".into();
        tag.offset = 1_234_567;
        assert_eq!(tag.to_string(), "=== Chunk 11 [source:paper.pdf | p.~3 | ¶12 | @1,234,567] ===");
    }

    #[test]
    fn tags_name_the_sheet_or_the_file_however_many_there_are() {
        use crate::document::{Anchor, Place, PlaceKind};
        let parts = [
            (PlaceKind::File, "notes.txt", "## File: notes.txt\n\nwords\n\n"),
            (PlaceKind::File, "book.xlsx", "## File: book.xlsx\n\n"),
            (PlaceKind::Sheet, "May | June", "## May | June\n\n| a |\n\n### Chart: C\n\nb\n\n"),
            (PlaceKind::File, "c.epub", "## File: c.epub\n\nfront\n\n"),
            (PlaceKind::Chapter, "One", "# One\n\nonce\n\n"),
            (PlaceKind::File, "x.tar › in.txt", "## File: in.txt\n\nnested\n\n"),
        ];
        let mut document = Conversion { format: "zip".into(), ..Conversion::default() };
        for (kind, name, text) in parts {
            let (offset, byte) = (document.markdown.chars().count() as u64, document.markdown.len() as u64);
            document.anchors.push(Anchor { offset, byte, place: Place::named(kind, 1, name) });
            document.markdown.push_str(text);
        }
        let tag = |min_headings, words: &str| {
            let settings = Settings { threshold: 0, window: 1, overlap: 0, min_headings, ..Settings::default() };
            let (division, at) = (Division::of(&document, &settings), document.markdown.find(words).unwrap());
            let piece = division.pieces.iter().find(|piece| (piece.start..piece.end).contains(&at)).unwrap();
            let tag = Tag::of(&division, piece, "a.zip");
            assert_eq!(Tag::parse(&tag.to_string()).as_ref(), Some(&tag));
            tag.section.unwrap()
        };
        let by_section = ["words", "| a |", "b\n", "front", "once", "nested"].map(|words| tag(1, words));
        let sheet = "book.xlsx › May ¦ June";
        let chart = format!("{sheet} › Chart: C");
        let nested = "x.tar › File: in.txt";
        assert_eq!(by_section, ["File: notes.txt", sheet, &chart, "File: c.epub", "c.epub › One", nested]);
        let by_window = ["words", "| a |", "b\n", "front", "once", "nested"].map(|words| tag(100, words));
        assert_eq!(by_window, ["notes.txt", sheet, sheet, "c.epub", "c.epub", "x.tar › in.txt"]);
    }

    #[test]
    fn windows_name_no_heading_whatever_the_format() {
        use crate::document::{Anchor, Place, PlaceKind};
        let place = |kind| Place::named(kind, 1, "One");
        for (format, kind, named) in [
            ("epub", PlaceKind::Chapter, None),
            ("pdf", PlaceKind::Page, None),
            ("xlsx", PlaceKind::Sheet, Some("One")),
        ] {
            let mut document = Conversion { format: format.into(), ..Conversion::default() };
            document.anchors.push(Anchor { offset: 0, byte: 0, place: place(kind) });
            document.markdown.push_str("# One\n\nwords of it\n");
            let settings = Settings { threshold: 0, ..Settings::default() };
            let division = Division::of(&document, &settings);
            let tag = Tag::of(&division, &division.pieces[0], "a");
            assert_eq!(tag.section.as_deref(), named, "{format}");
        }
    }

    proptest! {
        #[test]
        fn any_tag_reads_back_and_leads_to_its_text(
            titles in prop::collection::vec("[^\r\n]{0,30}", 3..6),
            source in any::<String>(),
            by_sections in any::<bool>(),
        ) {
            let text: String = titles.iter().map(|title| format!("# {title} x\n\nBody of it ä.\n\n")).collect();
            let document = Conversion { format: "markdown".into(), markdown: text.clone(), ..Conversion::default() };
            let min_headings = if by_sections { 1 } else { u64::MAX };
            let settings = Settings { threshold: 0, window: 20, overlap: 4, min_headings, ..Settings::default() };
            let division = Division::of(&document, &settings);
            for (at, piece) in division.pieces.iter().enumerate() {
                let tag = Tag::of(&division, piece, &source);
                let line = tag.to_string();
                prop_assert_eq!(line.lines().count(), 1);
                let read = Tag::parse(&line);
                prop_assert_eq!(read.as_ref(), Some(&tag));
                let from: String = text.chars().skip(tag.offset as usize).collect();
                prop_assert!(from.starts_with(division.text(&document, at)));
            }
        }
    }
}
