//! The sections of a document as CommonMark has them, and where any character of it stands.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use super::labels::Labels;
use super::parts::Parts;
use super::underlined;
use crate::document::{Conversion, FRONT_LINES, Headings, PageNumber, PlaceKind, front_matter, named};

/// Characters of a page where the format has none (source 1 estimates pages so and names no figure).
pub const PAGE_CHARS: u64 = 2_000;

/// A heading and what follows it, up to the next heading of any level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its level, 1 to 6.
    pub level: u8,
    /// Its words, without marks. Untrusted.
    pub title: String,
    /// Byte of the Markdown at which its heading begins.
    pub start: usize,
    /// Byte at which what follows the heading begins.
    pub body: usize,
    /// Byte at which it ends.
    pub end: usize,
}

/// Where a character of a document stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Characters before it.
    pub offset: u64,
    /// The page; an estimate by characters where the format has none, or the document does not tell them.
    pub page: PageNumber,
    /// Paragraph: blank lines before it (source 1).
    pub paragraph: u64,
    /// The section that it stands in, by its number in [`Outline::sections`].
    pub section: Option<usize>,
}

/// Where a page or a slide begins, or where those of a document end and it is unknown which follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageStart {
    /// Byte of the Markdown.
    pub byte: usize,
    /// Its number; where that is an estimate, characters behind it are counted on.
    pub number: PageNumber,
    /// Whether it is a slide.
    pub slide: bool,
    /// Characters before it.
    offset: u64,
}

/// The sections, paragraphs and pages of a document.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The sections in order.
    pub sections: Vec<Section>,
    /// Its parts that have names.
    pub parts: Parts,
    /// Bytes at which blank lines end, in order.
    blanks: Vec<usize>,
    /// Bytes and characters before them, now and then.
    steps: Vec<(usize, u64)>,
    pages: Vec<PageStart>,
    page_chars: u64,
}

/// Bytes between two entries of the table of characters.
const STEP: usize = 4096;

impl Outline {
    /// Looks through a converted document.
    #[must_use]
    pub fn of(document: &Conversion) -> Outline {
        Outline::paged(document, PAGE_CHARS)
    }

    /// The same, with so many characters to an estimated page.
    #[must_use]
    pub fn paged(document: &Conversion, page_chars: u64) -> Outline {
        let text = &document.markdown;
        let headings = named(&document.format).map_or(Headings::Markdown, |format| format.headings);
        Outline {
            sections: match headings {
                Headings::Markdown if may_have_headings(text) => read_sections(text, true, &Labels::default(), None).0,
                Headings::Underlined => underlined::sections(text, &mut Vec::new()),
                Headings::Markdown | Headings::None => Vec::new(),
            },
            blanks: blanks(text),
            steps: steps(text),
            ..Outline::of_pages(document, page_chars)
        }
    }

    /// The pages alone.
    pub(super) fn of_pages(document: &Conversion, page_chars: u64) -> Outline {
        let page_chars = page_chars.max(1);
        let (pages, parts) = (page_starts(document, page_chars), Parts::of(&document.anchors));
        Outline { pages, parts, page_chars, ..Outline::default() }
    }

    /// A part of a document alone, whose sections are known: its pages are those of the whole.
    pub(super) fn of_part(text: &str, sections: Vec<Section>) -> Outline {
        Outline { sections, blanks: blanks(text), steps: steps(text), ..Outline::default() }
    }

    /// Where the character that begins at a byte stands.
    #[must_use]
    pub fn spot(&self, text: &str, byte: usize) -> Spot {
        let offset = self.chars_before(text, byte);
        let paragraph = self.blanks.partition_point(|end| *end <= byte) as u64;
        let section = self.sections.partition_point(|section| section.start <= byte).checked_sub(1);
        Spot { offset, page: self.page_at(byte, offset), paragraph, section }
    }

    /// The page on which a byte stands that has so many characters before it.
    pub(super) fn page_at(&self, byte: usize, offset: u64) -> PageNumber {
        let after = self.pages.partition_point(|page| page.byte <= byte);
        let page_chars = self.page_chars.max(1);
        match after.checked_sub(1).and_then(|newest| self.pages.get(newest)) {
            Some(start) if !start.number.is_estimated() => start.number,
            Some(start) => {
                PageNumber::estimated(start.number.number + offset.saturating_sub(start.offset) / page_chars)
            }
            None => PageNumber::estimated(offset / page_chars + 1),
        }
    }

    /// Where pages or slides begin, in order; none where all of them are estimates by characters.
    #[must_use]
    pub fn pages(&self) -> &[PageStart] {
        &self.pages
    }

    /// Characters before a byte.
    fn chars_before(&self, text: &str, byte: usize) -> u64 {
        let step = self.steps.partition_point(|(at, _)| *at <= byte).saturating_sub(1);
        let (from, before) = self.steps.get(step).copied().unwrap_or_default();
        before + text.get(from..byte).map_or(0, |part| part.chars().count() as u64)
    }
}

/// Where pages begin. A file in an archive ends those of the file before it. Of a page whose number is only known not
/// to be less, the pages before it are estimated by their characters.
fn page_starts(document: &Conversion, page_chars: u64) -> Vec<PageStart> {
    let mut pages: Vec<PageStart> = Vec::new();
    for anchor in &document.anchors {
        let page = anchor.place.page();
        let number = match (anchor.place.kind, pages.last()) {
            (PlaceKind::File, _) => PageNumber::estimated(1),
            (PlaceKind::Page, Some(before))
                if page.is_estimated() && before.number.is_estimated() && page.number > 1 =>
            {
                let passed = anchor.offset.saturating_sub(before.offset).saturating_sub(1) / page_chars;
                PageNumber::estimated(page.number.max(before.number.number + passed + 1))
            }
            (PlaceKind::Page | PlaceKind::Slide, _) => page,
            _ => continue,
        };
        let (byte, offset) = (usize::try_from(anchor.byte).unwrap_or(usize::MAX), anchor.offset);
        pages.push(PageStart { byte, number, slide: anchor.place.kind == PlaceKind::Slide, offset });
    }
    pages
}

/// The sections by CommonMark, so that a `#` in a block of code is no heading; and the bytes of the block of code or of
/// HTML with which the text ends, which may go on behind it. `first`: whether the text begins the document; `known`: the
/// labels that are defined outside of it; those that it defines are put into `defined`.
pub(super) fn read_sections(
    text: &str,
    first: bool,
    known: &Labels,
    defined: Option<&mut Labels>,
) -> (Vec<Section>, Option<Range<usize>>) {
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Option<Section> = None;
    let from = if first { front_matter(text) } else { 0 };
    let body = text.get(from..).unwrap_or_default();
    let (mut depth, mut goes_on) = (0u32, None);
    let resolve = |link: BrokenLink<'_>| known.has(&link.reference).then_some((CowStr::from(""), CowStr::from("")));
    let resolve = (!known.is_empty()).then_some(resolve);
    let events = Parser::new_with_broken_link_callback(body, Options::ENABLE_TABLES, resolve).into_offset_iter();
    if let Some(defined) = defined {
        events.reference_definitions().iter().for_each(|(label, _)| defined.add(label));
    }
    for (event, range) in events {
        let range = from + range.start..from + range.end;
        if let Event::Start(tag) = &event {
            let is_fenced = matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)) | Tag::HtmlBlock);
            if depth == 0 && is_fenced && range.end >= text.trim_ascii_end().len() {
                goes_on = Some(range.clone());
            }
        }
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                // Marks of quotations and lists before it are its own.
                let marks =
                    text.get(..range.start).and_then(|before| memchr::memrchr2(b'\n', b'\r', before.as_bytes()));
                let start = marks.map_or(0, |end| end + 1).max(from);
                if let Some(before) = sections.last_mut() {
                    before.end = start;
                }
                let (body, end) = (range.end, text.len());
                open = Some(Section { level: level as u8, title: String::new(), start, body, end });
            }
            Event::End(TagEnd::Heading(_)) => sections.extend(open.take()),
            Event::Text(more) | Event::Code(more) => {
                if let Some(section) = &mut open {
                    section.title.push_str(&more);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(section) = &mut open {
                    section.title.push(' ');
                }
            }
            _ => {}
        }
    }
    (sections, goes_on)
}

/// Whether a line looks as one that makes a heading, wherever it stands: a `#` that nothing but marks of lists and
/// quotations come before, or a line of `=` or `-`. A text with none of these need not be parsed, which takes many times
/// its own size of memory.
pub(super) fn may_have_headings(text: &str) -> bool {
    let is_mark = |byte: &u8| byte.is_ascii_digit() || b" \t>*+-.)".contains(byte);
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = rest.get(..end).unwrap_or_default().trim_ascii_end();
        let ends_in_mark = line.ends_with(b"=") || line.ends_with(b"-");
        let first = line.iter().find(|byte| !is_mark(byte));
        let is_rule = || line.iter().all(|byte| is_mark(byte) || *byte == b'=');
        if first == Some(&b'#') || (ends_in_mark && is_rule()) {
            return true;
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    false
}

/// Whether the beginning of a document tells where that ends, if there is any.
pub(super) fn tells_front(text: &str) -> bool {
    let is_begun = text.trim_start_matches('\u{FEFF}').starts_with(['-', '+']);
    !is_begun || front_matter(text) > 0 || text.lines().nth(FRONT_LINES).is_some()
}

/// Where blank lines end: two line breaks in a row, whatever breaks lines.
pub(super) fn blanks(text: &str) -> Vec<usize> {
    let mut blanks = Vec::new();
    let bytes = text.as_bytes();
    let mut newest: Option<usize> = None;
    for at in memchr::memchr_iter(b'\n', bytes) {
        let between = newest.and_then(|before| bytes.get(before + 1..at));
        if between.is_some_and(|between| matches!(between, b"" | b"\r")) {
            blanks.push(at + 1);
            // As source 1 counts, the breaks of one blank line are not those of the next.
            newest = None;
        } else {
            newest = Some(at);
        }
    }
    blanks
}

fn steps(text: &str) -> Vec<(usize, u64)> {
    let mut steps = vec![(0, 0)];
    let (mut byte, mut chars) = (0, 0);
    while byte + STEP < text.len() {
        let next = text.floor_char_boundary(byte + STEP);
        chars += text.get(byte..next).map_or(0, |part| part.chars().count() as u64);
        byte = next;
        steps.push((byte, chars));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Anchor, Place};
    use proptest::prelude::*;

    fn document(text: &str) -> Conversion {
        Conversion { format: "markdown".into(), markdown: text.into(), ..Conversion::default() }
    }

    #[test]
    fn sections_end_at_the_next_heading_of_any_level() {
        let text = "before\n\n# One `x`\n\na\n\n```\n# no heading\n```\n\nTwo\n---\nb\n";
        let outline = Outline::of(&document(text));
        let found: Vec<_> =
            outline.sections.iter().map(|one| (one.level, one.title.as_str(), &text[one.start..one.end])).collect();
        assert_eq!(found, [(1, "One x", "# One `x`\n\na\n\n```\n# no heading\n```\n\n"), (2, "Two", "Two\n---\nb\n")]);
    }

    #[test]
    fn marks_before_a_heading_on_its_line_are_its_own() {
        for text in ["> # One\n>\n> a\n>\n> # Two\n> b\n", "> > One\n> > ===\n> > a\n- # Two\n\n  b\n"] {
            let outline = Outline::of(&document(text));
            let (one, two) = (&outline.sections[0], &outline.sections[1]);
            let second = text.find("Two").map(|at| text[..at].rfind('\n').unwrap() + 1);
            assert_eq!((one.start, one.end, Some(two.start)), (0, two.start, second), "{text}");
        }
    }

    #[test]
    fn what_is_said_before_a_document_is_no_heading() {
        let titles = |text: &str| -> Vec<String> {
            let outline = Outline::of(&document(text));
            assert!(outline.sections.iter().all(|one| text[one.start..].starts_with(['#', 'S', '-'])), "{text}");
            outline.sections.into_iter().map(|one| one.title).collect()
        };
        assert_eq!(titles("---\ntitle: A\n# no heading\ntags:\n- b\n---\n\n# One\n\n# Two\n"), ["One", "Two"]);
        assert_eq!(titles("\u{FEFF}+++\r\ntitle = 'A'\r\n+++\r\n# One\r\n"), ["One"]);
        for text in ["---\n\n# One\n\n---\n", "---\nSome words.\n---\n", "--- \na: b\n# One\n"] {
            assert_eq!(titles(text).len(), 1, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_that_is_not_parsed_has_no_headings(text in "([ \t>*+.#=-]|1[.)]|a|[|]|\r?\n|```){0,40}") {
            let parsed = Parser::new_ext(&text, Options::ENABLE_TABLES);
            let headed = parsed.into_iter().any(|event| matches!(event, Event::Start(Tag::Heading { .. })));
            prop_assert!(!headed || may_have_headings(&text), "{:?}", text);
        }
    }

    #[test]
    fn most_texts_need_not_be_parsed() {
        let log = "12:30 [main] - started #4\n- a = b\n1. x == y\n2026-11-23\n> and so on -\n".repeat(3);
        assert!(!may_have_headings(&log));
        assert!(["a\n---", "# a", "1. ## b", "> > c\n> ==="].into_iter().all(may_have_headings));
    }

    #[test]
    fn code_has_no_sections() {
        let code = Conversion { format: "code".into(), ..document("# a comment\n") };
        assert!(Outline::of(&code).sections.is_empty());
    }

    #[test]
    fn paragraphs_are_counted_by_blank_lines_whatever_breaks_lines() {
        for text in ["ä\n\nb\n\n\n\nc", "ä\r\n\r\nb\r\n\r\n\r\n\r\nc"] {
            let outline = Outline::of(&document(text));
            let at = |sign| outline.spot(text, text.find(sign).unwrap()).paragraph;
            assert_eq!((at('ä'), at('b'), at('c')), (0, 1, 3));
        }
    }

    #[test]
    fn pages_are_real_where_they_are_known() {
        let text = format!("{}x", "ä".repeat(5_000));
        let mut one = document(&text);
        let spot = Outline::of(&one).spot(&text, 10_000);
        assert_eq!((spot.offset, spot.page), (5_000, PageNumber::estimated(3)));
        one.anchors = vec![
            Anchor { offset: 0, byte: 0, place: Place::numbered(PlaceKind::Page, 7) },
            Anchor { offset: 5_000, byte: 10_000, place: Place::numbered(PlaceKind::Page, 8) },
        ];
        let outline = Outline::of(&one);
        assert_eq!(
            (outline.spot(&text, 9_998).page, outline.spot(&text, 10_000).page),
            (PageNumber::told(7), PageNumber::told(8))
        );
        assert!(!outline.spot(&text, 0).page.is_estimated());
    }

    #[test]
    fn pages_that_are_only_known_not_to_be_less_are_estimated_on() {
        let text = "x".repeat(20_000);
        let at = |byte, place| Anchor { offset: byte, byte, place };
        let mut one = document(&text);
        // Two pages and a half, then a break; a short page, then another.
        one.anchors = vec![at(0, Place::page_from(1)), at(5_000, Place::page_from(2)), at(5_100, Place::page_from(3))];
        let outline = Outline::of(&one);
        let page = |byte| {
            let page = outline.spot(&text, byte).page;
            (page.number, page.is_estimated())
        };
        assert_eq!([page(0), page(4_999), page(5_000), page(5_100)], [1, 3, 4, 5].map(|page| (page, true)));
        assert_eq!(page(7_100), (6, true));
    }

    #[test]
    fn a_file_of_an_archive_has_no_pages_of_the_file_before_it() {
        let text = "x".repeat(20_000);
        let at = |byte, place| Anchor { offset: byte, byte, place };
        let mut one = document(&text);
        one.anchors = vec![
            at(0, Place::named(PlaceKind::File, 1, "a.pdf")),
            at(10, Place::numbered(PlaceKind::Page, 1)),
            at(500, Place::numbered(PlaceKind::Page, 2)),
            at(900, Place::named(PlaceKind::File, 2, "b.txt")),
        ];
        let outline = Outline::of(&one);
        let page = |byte| {
            let page = outline.spot(&text, byte).page;
            (page.number, page.is_estimated())
        };
        assert_eq!([page(20), page(600), page(900), page(3_000)], [(1, false), (2, false), (1, true), (2, true)]);
    }
}
