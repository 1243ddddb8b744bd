//! What `convert --json` prints. Of a large document the Markdown and its anchors are written as they are read again:
//! neither is held.

use std::cell::RefCell;
use std::fmt::{self, Display, Formatter};
use std::io;

use schemars::JsonSchema;
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::chunk::{Begins, Mark, Outline, Passing, Spot, labels};
use crate::document::{Anchor, PageNumber, PlaceKind, shown_line};
use crate::io::LargeDocument;

/// What `convert --json` prints.
#[derive(Serialize, JsonSchema)]
pub(super) struct Converted<'a> {
    /// `windowpane/convert/1`
    schema: &'static str,
    path: String,
    /// The format that it was read as; null where nothing here reads it.
    format: Option<String>,
    /// Title, author, pages, encoding and the like.
    facts: Vec<Fact>,
    /// Where pages, slides, sheets, chapters, files, cells and sections begin.
    #[schemars(with = "Vec<AnchorRow>")]
    anchors: Anchors<'a>,
    /// The document's own table of contents.
    outline: Vec<OutlineRow>,
    /// What was shown of what; empty where everything was.
    shown: Vec<ShownRow>,
    /// The same in one line.
    shown_text: String,
    /// Complaints.
    warnings: Vec<WarningRow>,
    /// The picture or sound to attach: its media type and its size in bytes.
    attachment: Option<AttachmentRow>,
    /// Characters of the Markdown.
    chars: u64,
    #[schemars(with = "String")]
    pub markdown: Markdown<'a>,
}

#[derive(Serialize, JsonSchema)]
struct Fact {
    name: String,
    value: String,
}

#[derive(Serialize, JsonSchema)]
struct AnchorRow {
    /// Characters of Markdown before it.
    offset: u64,
    /// page, slide, sheet, chapter, file, cell or section.
    kind: String,
    /// Its number, from 1, of a page as far as it is known; of a section its level.
    number: u32,
    name: Option<String>,
    /// Blank lines before it.
    paragraph: u64,
    /// The page that it stands on.
    page: u64,
    /// Whether that page is an estimate.
    page_estimated: bool,
    /// What a page with a Roman number is called: xii.
    page_label: Option<String>,
    /// The section that it stands in.
    section: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct OutlineRow {
    level: u32,
    title: String,
    page: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct ShownRow {
    /// What is counted; null for a statement in words.
    what: Option<String>,
    shown: Option<u64>,
    total: Option<u64>,
    /// How many were shortened.
    truncated: Option<u64>,
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct WarningRow {
    /// The page, slide, sheet, chapter or file that it is about.
    place: Option<String>,
    /// Line of the original, where lines mean something.
    line: Option<u64>,
    message: String,
}

#[derive(Serialize, JsonSchema)]
struct AttachmentRow {
    mime: String,
    bytes: u64,
}

/// The Markdown of a document, as a string.
pub(super) struct Markdown<'a> {
    document: &'a LargeDocument,
    /// Why it could not be read to its end.
    failed: RefCell<Option<io::Error>>,
}

impl Markdown<'_> {
    /// Whether it was written to its end.
    pub fn whole(&self) -> io::Result<()> {
        self.failed.borrow_mut().take().map_or(Ok(()), Err)
    }
}

impl Display for Markdown<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for part in self.document.parts() {
            match part {
                Ok(part) => out.write_str(&part)?,
                // An error of this trait's own would be taken for one of whoever writes.
                Err(why) => {
                    *self.failed.borrow_mut() = Some(why);
                    break;
                }
            }
        }
        Ok(())
    }
}

impl Serialize for Markdown<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.document.is_spooled() { to.collect_str(self) } else { to.serialize_str(&self.document.about.markdown) }
    }
}

/// Where everything begins in a document.
struct Anchors<'a>(&'a LargeDocument);

impl Serialize for Anchors<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let document = self.0;
        if !document.is_spooled() {
            return to.collect_seq(anchors(document));
        }
        let labels = labels(&document.about, document.parts()).map_err(S::Error::custom)?;
        let mut rows = to.serialize_seq(None)?;
        let mut passing = Passing::of(&document.about, labels);
        for part in document.parts() {
            let marks = passing.push(&part.map_err(S::Error::custom)?);
            marks.into_iter().try_for_each(|mark| rows.serialize_element(&anchor_of(mark)))?;
        }
        passing.end().into_iter().try_for_each(|mark| rows.serialize_element(&anchor_of(mark)))?;
        rows.end()
    }
}

fn anchor_of((what, spot, section): Mark<'_>) -> AnchorRow {
    match what {
        Begins::Place(anchor) => place_row(anchor, &spot, section),
        Begins::Section(level) => section_row(level, &spot, section),
    }
}

fn place_row(anchor: &Anchor, spot: &Spot, section: Option<String>) -> AnchorRow {
    let place = &anchor.place;
    // A number that the document does not tell is that of the estimated page.
    let is_estimated = place.page().is_estimated();
    let number = if is_estimated { u32::try_from(spot.page.number).unwrap_or(u32::MAX) } else { place.number };
    // A page without text begins where the next one does.
    let is_page = matches!(place.kind, PlaceKind::Page | PlaceKind::Slide);
    let page = if is_page { PageNumber { number: number.into(), how: place.numbering } } else { spot.page };
    AnchorRow {
        offset: spot.offset,
        kind: place.kind.name().to_owned(),
        number,
        name: place.name.clone(),
        paragraph: spot.paragraph,
        page: page.number,
        page_estimated: page.is_estimated(),
        page_label: page.roman(),
        // A slide goes on with nothing of the one before it.
        section: section.filter(|_| place.kind != PlaceKind::Slide),
    }
}

fn section_row(level: u8, spot: &Spot, title: Option<String>) -> AnchorRow {
    AnchorRow {
        offset: spot.offset,
        kind: "section".to_owned(),
        number: u32::from(level),
        name: title.clone(),
        paragraph: spot.paragraph,
        page: spot.page.number,
        page_estimated: spot.page.is_estimated(),
        page_label: spot.page.roman(),
        section: title,
    }
}

/// The anchors of a document that is held.
fn anchors(document: &LargeDocument) -> Vec<AnchorRow> {
    let text = &document.about.markdown;
    let outline = Outline::of(&document.about);
    let at = |byte: usize| {
        let spot = outline.spot(text, byte);
        let section = spot.section.and_then(|number| outline.sections.get(number));
        let title = section.map(|section| section.title.clone());
        (spot, title)
    };
    let places = document.about.anchors.iter().map(|anchor| {
        let (spot, section) = at(usize::try_from(anchor.byte).unwrap_or(usize::MAX).min(text.len()));
        place_row(anchor, &spot, section)
    });
    let sections = outline.sections.iter().map(|section| {
        let (spot, _) = at(section.start);
        section_row(section.level, &spot, Some(section.title.clone()))
    });
    let mut anchors: Vec<AnchorRow> = places.chain(sections).collect();
    anchors.sort_by_key(|anchor| anchor.offset);
    anchors
}

/// What is printed of a document.
pub(super) fn converted<'a>(path: &str, document: &'a LargeDocument) -> Converted<'a> {
    let about = &document.about;
    Converted {
        schema: "windowpane/convert/1",
        path: path.to_owned(),
        format: Some(about.format.clone()).filter(|format| !format.is_empty()),
        facts: about.facts.iter().map(|(name, value)| Fact { name: name.clone(), value: value.clone() }).collect(),
        anchors: Anchors(document),
        outline: about
            .outline
            .iter()
            .map(|item| OutlineRow { level: item.level, title: item.title.clone(), page: item.page })
            .collect(),
        shown: about.shown.iter().map(shown_row).collect(),
        shown_text: shown_line(&about.shown),
        warnings: about
            .notes
            .iter()
            .map(|note| WarningRow {
                place: note.place.as_ref().map(ToString::to_string),
                line: Some(note.line).filter(|line| *line > 0),
                message: note.message.clone(),
            })
            .collect(),
        attachment: about
            .attachment
            .as_ref()
            .map(|attachment| AttachmentRow { mime: attachment.mime.clone(), bytes: attachment.data.len() as u64 }),
        chars: document.chars,
        markdown: Markdown { document, failed: RefCell::default() },
    }
}

fn shown_row(shown: &crate::document::Shown) -> ShownRow {
    use crate::document::Shown;
    let text = shown.to_string();
    match shown {
        Shown::Of { what, shown, total, .. } => {
            ShownRow { what: Some(what.clone()), shown: Some(*shown), total: Some(*total), truncated: None, text }
        }
        Shown::Cut { what, count, .. } => {
            let (items, all) = shown.items().unzip();
            ShownRow { what: Some(what.clone()), shown: items, total: all, truncated: Some(*count), text }
        }
        Shown::Words(_) => ShownRow { what: None, shown: None, total: None, truncated: None, text },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Conversion, Place};

    #[test]
    fn a_page_without_text_has_its_own_number() {
        let page = |number, at| Anchor { offset: at, byte: at, place: Place::numbered(PlaceKind::Page, number) };
        let anchors = vec![page(1, 0), page(2, 5), page(3, 5), page(4, 9)];
        let document =
            Conversion { format: "pdf".into(), markdown: "One\n\nThree\n".into(), anchors, ..Conversion::default() };
        let rows = super::anchors(&LargeDocument::held(document));
        let told: Vec<_> = rows.iter().map(|row| (u64::from(row.number) == row.page, row.page_estimated)).collect();
        assert_eq!(told, [(true, false); 4]);
    }
}
