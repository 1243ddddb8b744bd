//! Where the places and the sections of a document stand that is too large to be looked through at once: its text
//! passes by, and is looked through in parts that end where no block of it goes on.

use crate::document::{Anchor, Conversion, Headings, named};

use super::outline::{Outline, PAGE_CHARS, Section, Spot, blanks, may_have_headings, read_sections};
use super::underlined;

/// Bytes of text that are looked through at once, and how many more are waited for where a block goes on.
const PART: usize = 1 << 20;
const PART_MAX: usize = 8 << 20;

/// Something that begins in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begins<'a> {
    /// A page, a slide, a sheet …
    Place(&'a Anchor),
    /// A section, of this level. Its title is that of the section in which it stands.
    Section(u8),
}

/// What is told of it: what it is, where it stands (the number of its section is not known), and its section's title.
pub type Mark<'a> = (Begins<'a>, Spot, Option<String>);

/// A document that passes by.
pub struct Passing<'a> {
    headings: Headings,
    /// The places, as they stand.
    anchors: Vec<&'a Anchor>,
    /// The document's pages, by bytes of the whole.
    outline: Outline,
    held: String,
    /// Bytes, characters and blank lines before what is held.
    before: (usize, u64, u64),
    /// Title of the newest section.
    title: Option<String>,
    lines: Vec<(char, bool)>,
    /// Bytes that are looked through at once, at least and at most.
    part: (usize, usize),
    wanted: usize,
}

impl<'a> Passing<'a> {
    /// Looks through a document, of which all but its Markdown is known.
    #[must_use]
    pub fn of(about: &'a Conversion) -> Passing<'a> {
        Passing::in_parts(about, (PART, PART_MAX))
    }

    fn in_parts(about: &'a Conversion, part: (usize, usize)) -> Passing<'a> {
        let mut anchors: Vec<&Anchor> = about.anchors.iter().collect();
        anchors.sort_by_key(|anchor| anchor.byte);
        anchors.reverse();
        Passing {
            headings: named(&about.format).map_or(Headings::Markdown, |format| format.headings),
            anchors,
            outline: Outline::of_pages(about, PAGE_CHARS),
            held: String::new(),
            before: (0, 0, 0),
            title: None,
            lines: Vec::new(),
            part,
            wanted: part.0,
        }
    }

    /// More of its Markdown. Returns what begins in what was looked through, as it stands.
    pub fn push(&mut self, text: &str) -> Vec<Mark<'a>> {
        self.held.push_str(text);
        let mut marks = Vec::new();
        while self.held.len() >= self.wanted {
            match self.closed_end() {
                Some((end, sections)) => {
                    marks.extend(self.look(end, sections));
                    self.wanted = self.part.0;
                }
                None if self.held.len() < self.part.1 => self.wanted = (self.held.len() * 2).min(self.part.1),
                None => {
                    let end = self.forced_end();
                    let sections = self.sections(end).0;
                    marks.extend(self.look(end, sections));
                    self.wanted = self.part.0;
                }
            }
        }
        marks
    }

    /// What begins in the rest of it.
    pub fn end(mut self) -> Vec<Mark<'a>> {
        let end = self.held.len();
        let sections = self.sections(end).0;
        let mut marks = self.look(end, sections);
        // What stands behind the text stands at its end.
        let rest = std::mem::take(&mut self.anchors);
        marks.extend(rest.into_iter().rev().map(|anchor| self.mark(Begins::Place(anchor), Spot::default(), 0)));
        marks
    }

    /// Where no block goes on that begins before: behind a blank line before a line that is not set in. What is in a list
    /// there begins a list of its own, with the same headings.
    fn closed_end(&self) -> Option<(usize, Vec<Section>)> {
        let bytes = self.held.as_bytes();
        let is_set_in = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        let end = blanks(&self.held).into_iter().rev().find(|end| !is_set_in(*end))?;
        let (sections, open) = self.sections(end);
        (!open).then_some((end, sections))
    }

    /// Where it is cut although a block may go on.
    fn forced_end(&self) -> usize {
        let bytes = self.held.as_bytes();
        let end = bytes.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let end = self.held.floor_char_boundary(end);
        if end == 0 { self.held.len() } else { end }
    }

    /// The sections up to a byte of what is held, and whether a block goes on there.
    fn sections(&self, end: usize) -> (Vec<Section>, bool) {
        let text = self.held.get(..end).unwrap_or_default();
        match self.headings {
            Headings::Markdown if !may_have_headings(text) && !may_be_open(text) => (Vec::new(), false),
            Headings::Markdown => read_sections(text, self.before.0 == 0),
            Headings::Underlined => (underlined::sections(text, &mut self.lines.clone()), false),
            Headings::None => (Vec::new(), false),
        }
    }

    /// Tells what begins in the first bytes of what is held, and lets them go.
    fn look(&mut self, end: usize, sections: Vec<Section>) -> Vec<Mark<'a>> {
        let rest = self.held.split_off(end);
        let text = std::mem::replace(&mut self.held, rest);
        if self.headings == Headings::Underlined {
            underlined::sections(&text, &mut self.lines);
        }
        let part = Outline::of_part(&text, sections);
        let mut marks = Vec::new();
        let mut begun = part.sections.iter().peekable();
        loop {
            let place = self.anchors.last().filter(|anchor| anchor.byte < (self.before.0 + end) as u64).copied();
            let at = place.map(|anchor| usize::try_from(anchor.byte).unwrap_or(0).saturating_sub(self.before.0));
            let section = begun.peek().copied();
            // A place stands before the section that begins with it, and in it.
            let is_first = at.is_some_and(|at| section.is_none_or(|section| at <= section.start));
            if let Some((place, at)) = place.zip(at).filter(|_| is_first) {
                self.anchors.pop();
                let title = section.filter(|section| section.start == at).map(|section| section.title.clone());
                let (what, spot, before) = self.mark(Begins::Place(place), part.spot(&text, at), at);
                marks.push((what, spot, title.or(before)));
            } else if let Some(section) = begun.next() {
                self.title = Some(section.title.clone());
                let spot = part.spot(&text, section.start);
                marks.push(self.mark(Begins::Section(section.level), spot, section.start));
            } else {
                break;
            }
        }
        let last = part.spot(&text, end);
        self.before = (self.before.0 + end, self.before.1 + last.offset, self.before.2 + last.paragraph);
        marks
    }

    /// What stands at a byte of a part, by the whole.
    fn mark(&self, what: Begins<'a>, in_part: Spot, at: usize) -> Mark<'a> {
        let (byte, chars, paragraphs) = self.before;
        let offset = chars + in_part.offset;
        let (page, page_estimated) = self.outline.page_at(byte + at, offset);
        let spot = Spot { offset, page, page_estimated, paragraph: paragraphs + in_part.paragraph, section: None };
        (what, spot, self.title.clone())
    }
}

/// Whether a line looks as one that begins a block which blank lines do not end.
fn may_be_open(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let line = line.trim_start_matches(|sign: char| sign.is_ascii_digit() || " \t>*+-.)".contains(sign));
        line.starts_with("```") || line.starts_with("~~~") || line.starts_with('<')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Place, PlaceKind};
    use proptest::prelude::*;

    type Row = (Option<u32>, u8, Spot, Option<String>);

    fn at_once(document: &Conversion) -> Vec<Row> {
        let (text, outline) = (document.markdown.as_str(), Outline::of(document));
        let row = |byte: usize, place, level| {
            let spot = outline.spot(text, byte);
            let title = spot.section.map(|at| outline.sections[at].title.clone());
            (place, level, Spot { section: None, ..spot }, title)
        };
        let places = document.anchors.iter().map(|one| row(one.byte as usize, Some(one.place.number), 0));
        let mut rows: Vec<Row> = places.collect();
        rows.extend(outline.sections.iter().map(|one| row(one.start, None, one.level)));
        rows.sort_by_key(|row| row.2.offset);
        rows
    }

    fn passing(document: &Conversion, piece: usize, part: (usize, usize)) -> Vec<Row> {
        let row = |(what, spot, title)| match what {
            Begins::Place(anchor) => (Some(anchor.place.number), 0, spot, title),
            Begins::Section(level) => (None, level, spot, title),
        };
        let mut passing = Passing::in_parts(document, part);
        let (mut rows, mut rest): (Vec<Row>, _) = (Vec::new(), document.markdown.as_str());
        while !rest.is_empty() {
            let end = rest.ceil_char_boundary(piece.min(rest.len()));
            rows.extend(passing.push(&rest[..end]).into_iter().map(row));
            rest = &rest[end..];
        }
        rows.extend(passing.end().into_iter().map(row));
        rows
    }

    fn document(format: &str, text: &str, places: &[usize]) -> Conversion {
        let mut document = Conversion { format: format.into(), markdown: text.into(), ..Conversion::default() };
        let mut places: Vec<usize> = places.iter().map(|at| text.floor_char_boundary(at % (text.len() + 1))).collect();
        places.sort_unstable();
        for (number, byte) in (1..).zip(places) {
            let offset = text[..byte].chars().count() as u64;
            let place = Place::numbered(PlaceKind::Page, number);
            document.anchors.push(Anchor { offset, byte: byte as u64, place });
        }
        document
    }

    proptest! {
        #[test]
        fn what_passes_by_stands_where_it_does_at_once(
            lines in prop::collection::vec("(# a|## `b`|\\*c\\* ä|===|---|- d|  e|> # f|```|~~~|<div>|<!-- g|-->|| {4}# h|1\\. # i|\\|j\\|)", 0..40),
            breaks in "\n|\r\n",
            places in prop::collection::vec(0usize..400, 0..6),
            sizes in (1usize..50, 1usize..60),
            format in "markdown|text|restructuredtext|code",
        ) {
            let document = document(&format, &lines.join(breaks.as_str()), &places);
            prop_assert_eq!(passing(&document, sizes.0, (sizes.1, 1 << 20)), at_once(&document), "{}", document.markdown);
        }
    }

    #[test]
    fn a_block_that_does_not_end_is_cut_and_nothing_is_lost() {
        let text = format!("# A\n\n```\n{}\n```\n\n# B\n\n{}", "x y\n\n".repeat(50), "\n".repeat(200));
        let rows = passing(&document("markdown", &text, &[0, 9_999]), 7, (10, 40));
        assert_eq!(rows.iter().filter(|row| row.0.is_some()).count(), 2);
        let titles: Vec<_> = rows.iter().filter(|row| row.0.is_none()).map(|row| row.3.clone().unwrap()).collect();
        assert_eq!(titles.first().map(String::as_str), Some("A"));
    }
}
