//! The text of an attached file that a piece of the window is from, and where its bytes stand in the file.

use std::sync::Arc;

use crate::document::{Conversion, Own, PlaceKind};
use crate::model::BlockId;

/// Bytes between two places whose line is known.
const STRIDE: usize = 4_096;

/// The text of an attached file that a piece is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The file as far as it is held.
    pub document: Arc<Conversion>,
    /// The block whose text that is, and whether it is its uncut one.
    pub block: (BlockId, bool),
    /// What of the piece is the file's, where limits made it; else the piece holds parts of the block.
    pub own: Option<Own>,
}

/// Where the bytes of a file's text stand.
#[derive(Clone, Debug)]
pub struct FileLines {
    document: Arc<Conversion>,
    /// Line breaks before each stride.
    breaks: Vec<u32>,
}

impl FileLines {
    /// Of a file.
    #[must_use]
    pub fn of(document: &Arc<Conversion>) -> FileLines {
        let mut breaks = Vec::with_capacity(document.markdown.len() / STRIDE + 1);
        let mut before = 0;
        for part in document.markdown.as_bytes().chunks(STRIDE) {
            breaks.push(before);
            before += breaks_in(part);
        }
        FileLines { document: document.clone(), breaks }
    }

    /// The line of the text, from 1, that holds a byte.
    #[must_use]
    pub fn line(&self, byte: u64) -> u32 {
        let text = self.document.markdown.as_bytes();
        let at = usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
        let from = at / STRIDE;
        self.breaks.get(from).copied().unwrap_or_default() + breaks_in(&text[from * STRIDE..at]) + 1
    }

    /// The page, slide, sheet, chapter or cell that holds a byte, and the file where there are several in one; `None`
    /// where the format has none. Untrusted.
    #[must_use]
    pub fn place(&self, byte: u64) -> Option<String> {
        let anchors = &self.document.anchors;
        let before = &anchors[..anchors.partition_point(|anchor| anchor.byte <= byte)];
        let last = &before.last()?.place;
        let file = before.iter().rev().find(|anchor| anchor.place.kind == PlaceKind::File).map(|anchor| &anchor.place);
        Some(match file.filter(|_| last.kind != PlaceKind::File) {
            Some(file) => format!("{file}, {last}"),
            None => last.to_string(),
        })
    }
}

fn breaks_in(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Anchor, Place};

    #[test]
    fn lines_are_counted_from_the_beginning_wherever_one_looks() {
        let markdown: String = (0..3_000).map(|line| format!("{line}\n")).collect();
        let text = FileLines::of(&Arc::new(Conversion { markdown: markdown.clone(), ..Conversion::default() }));
        for at in [0, 1, 2, 4_095, 4_096, 4_097, 9_000, markdown.len() as u64 - 1] {
            let line = markdown[..at as usize].matches('\n').count() as u32 + 1;
            assert_eq!((text.line(at), text.place(at)), (line, None));
        }
        assert_eq!(text.line(u64::MAX), 3_001);
    }

    #[test]
    fn a_place_is_the_last_that_begins_before_with_the_file_that_it_is_in() {
        let at = |byte, place| Anchor { offset: byte, byte, place };
        let (page, file) = (Place::numbered(PlaceKind::Page, 2), Place::named(PlaceKind::File, 1, "a.pdf"));
        let next = Place::named(PlaceKind::File, 2, "b.txt");
        let text = |anchors| FileLines::of(&Arc::new(Conversion { anchors, ..Conversion::default() }));
        let found = text(vec![at(0, file), at(9, page.clone()), at(50, next)]);
        let places = [0, 9, 49, 50].map(|byte| found.place(byte).unwrap());
        assert_eq!(places, ["file 1 a.pdf", "file 1 a.pdf, page 2", "file 1 a.pdf, page 2", "file 2 b.txt"]);
        assert_eq!(text(vec![at(3, page)]).place(2), None);
    }
}
