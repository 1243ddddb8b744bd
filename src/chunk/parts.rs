//! The parts of a document that have names of their own: files of an archive, sheets of a workbook, chapters of a book.

use crate::document::{Anchor, PlaceKind, WITHIN};

use super::Section;

/// Where a part begins that has a name. It ends where the next one begins.
#[derive(Clone, Debug)]
struct Part {
    /// Byte of the Markdown.
    byte: usize,
    /// The file of an archive in which it stands.
    within: Option<String>,
    /// Its own name, where it has one.
    name: Option<String>,
    /// Whether its headings name it well enough: a chapter's do.
    is_chapter: bool,
}

/// The named parts of a document, in order.
#[derive(Clone, Debug, Default)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Of the places of a document.
    pub(super) fn of(anchors: &[Anchor]) -> Parts {
        let mut file: Option<String> = None;
        let part = |anchor: &Anchor| {
            let (kind, mut name) = (anchor.place.kind, anchor.place.name.clone());
            let within = match kind {
                PlaceKind::File => {
                    file.clone_from(&name);
                    // One of an archive within the archive is named with that.
                    let parted = name.as_deref().and_then(|name| name.rsplit_once(WITHIN));
                    let parted = parted.map(|(outer, own)| (outer.to_owned(), own.to_owned()));
                    parted.map(|(outer, own)| {
                        name = Some(own);
                        outer
                    })
                }
                PlaceKind::Sheet | PlaceKind::Chapter => file.clone(),
                PlaceKind::Page | PlaceKind::Slide | PlaceKind::Cell => return None,
            };
            let byte = usize::try_from(anchor.byte).unwrap_or(usize::MAX);
            Some(Part { byte, within, name, is_chapter: kind == PlaceKind::Chapter })
        };
        Parts(anchors.iter().filter_map(part).collect())
    }

    /// The names of the files and sheets that a byte stands in, the outermost first. A chapter is named by its headings,
    /// which are told where sections are chosen (source 1).
    #[must_use]
    pub fn at(&self, byte: usize) -> Vec<&str> {
        let Some(part) = self.newest(byte) else { return Vec::new() };
        let name = part.name.as_ref().filter(|_| !part.is_chapter);
        part.within.as_ref().into_iter().chain(name).map(String::as_str).collect()
    }

    /// The names of what a section stands in, but for what its own heading says.
    #[must_use]
    pub fn around(&self, section: &Section) -> Vec<&str> {
        let Some(part) = self.newest(section.start) else { return Vec::new() };
        let name = part.name.as_ref().filter(|_| part.byte != section.start && !part.is_chapter);
        part.within.as_ref().into_iter().chain(name).map(String::as_str).collect()
    }

    fn newest(&self, byte: usize) -> Option<&Part> {
        self.0.get(self.0.partition_point(|part| part.byte <= byte).checked_sub(1)?)
    }
}
