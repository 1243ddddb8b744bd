//! Dividing a document into what can be chosen: the whole, its sections, or overlapping windows (source 1).

use unicode_segmentation::UnicodeSegmentation;

use crate::document::Conversion;

use super::{Outline, Settings, Spot};

/// A document has no more pieces than this; windows then lie further apart than the settings say.
const PIECES_MAX: u64 = 1_000_000;
/// Bytes before a cut that are looked through for the character that it falls into.
const AROUND: usize = 96;

/// How a document is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// It is small enough to go in whole.
    Whole,
    /// It has headings: sections, by priority.
    Sections,
    /// It has none, or too few: windows, by their nearness to the task.
    Windows,
}

impl Strategy {
    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Whole => "whole",
            Strategy::Sections => "sections",
            Strategy::Windows => "windows",
        }
    }
}

/// A part of a document that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte of the Markdown.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its characters.
    pub chars: u64,
    /// Its first byte that is no white space, or its first.
    pub words: usize,
    /// Where it stands: it begins at the offset, with so many blank lines before it, and its words on the page.
    pub spot: Spot,
    /// Its number among the pieces as they stand in the document, from 1.
    pub number: u32,
}

/// A document, divided.
#[derive(Clone, Debug)]
pub struct Division {
    /// How it is chosen from.
    pub strategy: Strategy,
    /// Its sections, paragraphs and pages.
    pub outline: Outline,
    /// The pieces, as they stand in the document.
    pub pieces: Vec<Piece>,
    /// Characters of the whole document.
    pub chars: u64,
}

impl Division {
    /// Divides a document as the settings say.
    #[must_use]
    pub fn of(document: &Conversion, settings: &Settings) -> Division {
        let text = document.markdown.as_str();
        let outline = Outline::paged(document, settings.page_chars);
        let chars = text.chars().count() as u64;
        let strategy = strategy(&outline, chars, settings);
        let spans = match strategy {
            Strategy::Whole if text.is_empty() => Vec::new(),
            Strategy::Whole => vec![(0, text.len())],
            Strategy::Sections => section_spans(text, &outline),
            Strategy::Windows => window_spans(text, chars, settings),
        };
        let pieces = (1..).zip(spans).map(|(number, (start, end))| piece(text, &outline, number, start, end)).collect();
        Division { strategy, outline, pieces, chars }
    }

    /// The text of a piece.
    #[must_use]
    pub fn text<'a>(&self, document: &'a Conversion, piece: usize) -> &'a str {
        self.pieces.get(piece).and_then(|piece| document.markdown.get(piece.start..piece.end)).unwrap_or_default()
    }

    /// The title of the section that a piece stands in.
    #[must_use]
    pub fn section(&self, piece: &Piece) -> Option<&str> {
        self.outline.sections.get(piece.spot.section?).map(|section| section.title.as_str())
    }
}

/// A piece between two bytes.
pub(super) fn piece(text: &str, outline: &Outline, number: u32, start: usize, end: usize) -> Piece {
    let part = text.get(start..end).unwrap_or_default();
    let chars = part.chars().count() as u64;
    // The break that ends a slide is no part of what it says.
    let blank = part.len() - part.trim_start().len();
    let words = if blank < part.len() { start + blank } else { start };
    let begins = outline.spot(text, start);
    // Source 1 counts what stands before the piece, wherever in a blank line it begins.
    let spot = Spot { offset: begins.offset, paragraph: begins.paragraph, ..outline.spot(text, words) };
    Piece { start, end, chars, words, spot, number }
}

fn strategy(outline: &Outline, chars: u64, settings: &Settings) -> Strategy {
    if chars < settings.threshold {
        return Strategy::Whole;
    }
    let titles = || outline.sections.iter().map(|section| section.title.to_lowercase());
    let matched = || {
        let words = settings.priority.iter().map(|word| word.to_lowercase());
        words.filter(|word| titles().any(|title| title.contains(word.as_str()))).count() as u64
    };
    let headed = outline.sections.len() as u64 >= settings.min_headings;
    let by_sections = headed && (settings.min_matched == 0 || matched() >= settings.min_matched);
    if by_sections { Strategy::Sections } else { Strategy::Windows }
}

/// What stands before the first heading, then what follows each heading, without blank lines around it and without the
/// mark of a slide that begins behind it. Headings that nothing follows are nothing to choose, unless they are all that
/// their page says.
fn section_spans(text: &str, outline: &Outline) -> Vec<(usize, usize)> {
    let first = outline.sections.first().map_or(text.len(), |section| section.start);
    let pages = outline.pages();
    let trimmed = |(start, end): (usize, usize)| {
        let end = without_marks(text, outline, start, end);
        let part = text.get(start..end)?;
        let from = start + (part.len() - part.trim_start().len());
        Some((from, start + part.trim_end().len())).filter(|(from, to)| from < to)
    };
    let begins = |from: usize, to: usize| {
        let next = pages.partition_point(|page| page.byte < from);
        pages.get(next).is_some_and(|page| page.byte <= to)
    };
    let sections = outline.sections.iter().filter_map(|section| {
        let body = section.body.min(section.end);
        trimmed((body, section.end)).or_else(|| {
            // Alone between the beginnings of two pages.
            let before = pages.partition_point(|page| page.byte <= section.start).checked_sub(1);
            let before = before.and_then(|newest| pages.get(newest)).filter(|page| !page.number.is_estimated())?;
            let alone = is_marks(text.get(before.byte..section.start)?)
                && (section.end == text.len() || begins(body, section.end));
            trimmed((section.start, body)).filter(|_| alone)
        })
    });
    trimmed((0, first)).into_iter().chain(sections).collect()
}

/// The end of a part without the beginnings of pages in it that nothing but their marks follows.
fn without_marks(text: &str, outline: &Outline, start: usize, end: usize) -> usize {
    let pages = outline.pages();
    let before = pages.get(..pages.partition_point(|page| page.byte <= end)).unwrap_or_default();
    let within = before.iter().rev().map(|page| page.byte).take_while(|byte| *byte >= start);
    // From page to page: a slide that is empty was looked at once, however many follow.
    let mut from = end;
    for byte in within {
        if !text.get(byte..from).is_some_and(is_marks) {
            break;
        }
        from = byte;
    }
    from
}

/// Whether a text is nothing but comments and white space: the marks of slides.
fn is_marks(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some((_, after)) = rest.strip_prefix("<!--").and_then(|inside| inside.split_once("-->")) {
        rest = after.trim_start();
    }
    rest.is_empty()
}

/// Windows of so many characters, each beginning so many after the one before it.
fn window_spans(text: &str, chars: u64, settings: &Settings) -> Vec<(usize, usize)> {
    let size = settings.window.max(1);
    let shared = settings.shared();
    let step = size.saturating_sub(shared).max(1).max(chars.div_ceil(PIECES_MAX));
    // Where a window ends early, the next begins that far on at least.
    let least = size.div_ceil(10);
    let (mut spans, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let end = advance(text, at, size);
        let cut = if settings.separators && end < text.len() { natural_end(text, at, end) } else { end };
        let (from, to) = (whole_character(text, at), whole_character(text, cut));
        if from < to {
            spans.push((from, to));
        }
        at =
            if cut == end { advance(text, at, step) } else { retreat(text, cut, shared).max(advance(text, at, least)) };
        at = text.ceil_char_boundary(at);
    }
    spans
}

/// The byte so many characters on.
fn advance(text: &str, byte: usize, chars: u64) -> usize {
    let rest = text.get(byte..).unwrap_or_default();
    let chars = usize::try_from(chars).unwrap_or(usize::MAX);
    rest.char_indices().nth(chars).map_or(text.len(), |(at, _)| byte + at)
}

/// The byte so many characters back.
fn retreat(text: &str, byte: usize, chars: u64) -> usize {
    let before = text.get(..byte).unwrap_or_default();
    match usize::try_from(chars).unwrap_or(usize::MAX).checked_sub(1) {
        None => byte,
        Some(back) => before.char_indices().rev().nth(back).map_or(0, |(at, _)| at),
    }
}

/// Where a window ends by itself: after a blank line, a sentence or a line past its middle.
fn natural_end(text: &str, start: usize, end: usize) -> usize {
    let window = text.get(start..end).unwrap_or_default();
    let middle = window.len() / 2;
    let found = ["\n\n", "\r\n\r\n", ". ", ".\n", "\n"]
        .iter()
        .find_map(|mark| window.rfind(mark).filter(|at| *at > middle).map(|at| start + at + mark.len()));
    found.unwrap_or(end)
}

/// The byte, or where the character that it falls into begins: a letter with its marks, an emoji of several parts, a
/// line break of two.
fn whole_character(text: &str, byte: usize) -> usize {
    if byte >= text.len() {
        return text.len();
    }
    let from = text.floor_char_boundary(byte.saturating_sub(AROUND));
    let to = text.ceil_char_boundary((byte + AROUND).min(text.len()));
    let around = text.get(from..to).unwrap_or_default();
    let begins = around.grapheme_indices(true).map(|(at, _)| from + at).take_while(|at| *at <= byte).last();
    // What is longer than the part that was looked through is no character that anybody wrote.
    begins.filter(|at| *at > from || from == 0).unwrap_or(byte)
}

#[cfg(test)]
mod tests {
    use super::{Strategy, *};
    use proptest::prelude::*;

    fn document(text: &str) -> Conversion {
        Conversion { format: "markdown".into(), markdown: text.into(), ..Conversion::default() }
    }

    fn small(window: u64, overlap: u64) -> Settings {
        Settings { threshold: 0, window, overlap, ..Settings::default() }
    }

    fn spans(text: &str, settings: &Settings) -> Vec<(u64, u64)> {
        Division::of(&document(text), settings).pieces.iter().map(|piece| (piece.spot.offset, piece.chars)).collect()
    }

    #[test]
    fn windows_are_those_of_the_source() {
        // range(0, 1250, 400): the last two lie within what came before, as the source has it.
        let text = "x".repeat(1_250);
        let settings = Settings { threshold: 0, ..Settings::default() };
        assert_eq!(spans(&text, &settings), [(0, 500), (400, 500), (800, 450), (1_200, 50)]);
    }

    #[test]
    fn a_window_stands_where_its_words_do_and_begins_where_it_does() {
        use crate::document::{Anchor, Place, PlaceKind};
        let mut two = document("first\n\n\nother");
        let at = |byte, number| Anchor { offset: byte, byte, place: Place::numbered(PlaceKind::Slide, number) };
        two.anchors = vec![at(0, 1), at(8, 2)];
        let settings = Settings { separators: false, ..small(5, 0) };
        let division = Division::of(&two, &settings);
        let of = |piece: &Piece| (piece.start, piece.spot.offset, piece.spot.page.number);
        assert_eq!(division.pieces.iter().map(of).collect::<Vec<_>>(), [(0, 0, 1), (5, 5, 2), (10, 10, 2)]);
    }

    #[test]
    fn blank_lines_are_those_before_a_window_as_the_source_counts() {
        // The fourth begins between the two breaks of a blank line, the last between two blank lines.
        let text = "abc\n\nd\n\nef\n\n\n\n\ng";
        let settings = Settings { separators: false, ..small(1, 0) };
        let division = Division::of(&document(text), &settings);
        for piece in &division.pieces {
            let before = &text[..piece.start];
            assert_eq!(piece.spot.paragraph, before.matches("\n\n").count() as u64, "{before:?}");
        }
        assert_eq!(division.pieces.len(), text.len());
    }

    #[test]
    fn a_document_below_the_threshold_is_whole() {
        let settings = Settings::default();
        let whole = Division::of(&document(&"ä".repeat(11_999)), &settings);
        assert_eq!((whole.strategy, whole.pieces.len(), whole.chars), (Strategy::Whole, 1, 11_999));
        assert_eq!(Division::of(&document(&"ä".repeat(12_000)), &settings).strategy, Strategy::Windows);
    }

    #[test]
    fn three_headings_make_sections_and_code_has_none() {
        let settings = Settings { threshold: 0, ..Settings::default() };
        let text = "before\n\n# One\n\na\n\n## Two\n\n# Three\n\nb\nc\n\n";
        let division = Division::of(&document(text), &settings);
        let texts: Vec<&str> =
            (0..division.pieces.len()).map(|at| &text[division.pieces[at].start..division.pieces[at].end]).collect();
        assert_eq!((division.strategy, texts), (Strategy::Sections, vec!["before", "a", "b\nc"]));
        assert_eq!(division.pieces[2].spot.section, Some(2));
        let two = "# One\n\na\n\n```\n# Two\n```\n\n# Three\n";
        assert_eq!(Division::of(&document(two), &settings).strategy, Strategy::Windows);
    }

    #[test]
    fn no_section_ends_with_the_mark_of_the_next_slide() {
        use crate::document::{Anchor, Place, PlaceKind};
        let slides = ["# One\n\n", "# Two\n\nb\n\n", "", "no title\n\n", "# Five\n\nc\n\n", "# Six\n"];
        let mut document = document("");
        for (number, slide) in (1..).zip(slides) {
            let at = document.markdown.len() as u64;
            document.anchors.push(Anchor { offset: at, byte: at, place: Place::numbered(PlaceKind::Slide, number) });
            document.markdown.push_str(&format!("<!-- Slide number: {number} -->\n\n{slide}"));
        }
        let division = Division::of(&document, &Settings { threshold: 0, ..Settings::default() });
        let found: Vec<_> = (0..division.pieces.len())
            .map(|at| (division.pieces[at].spot.page.number, division.text(&document, at)))
            .collect();
        let long = "b\n\n<!-- Slide number: 3 -->\n\n<!-- Slide number: 4 -->\n\nno title";
        assert_eq!(found, [(1, "# One"), (2, long), (5, "c"), (6, "# Six")]);
        assert_eq!(division.section(&division.pieces[0]), Some("One"));
    }

    #[test]
    fn very_many_empty_slides_are_looked_at_once_each() {
        use crate::document::{Anchor, Place, PlaceKind};
        let mut document = document("# One\n\na\n\n");
        for number in 1..=200_000 {
            let at = document.markdown.len() as u64;
            document.anchors.push(Anchor { offset: at, byte: at, place: Place::numbered(PlaceKind::Slide, number) });
            document.markdown.push_str(&format!("<!-- Slide number: {number} -->\n\n"));
        }
        let outline = Outline::of(&document);
        // Looked at to the end for each of them, this would take very long.
        assert_eq!(without_marks(&document.markdown, &outline, 0, document.markdown.len()), 10);
    }

    #[test]
    fn sections_can_be_asked_to_match() {
        let text = "# Abstract\n\na\n\n# Other\n\nb\n\n# Third\n\nc\n";
        let with = |min_matched| Settings { threshold: 0, min_matched, ..Settings::default() };
        assert_eq!(Division::of(&document(text), &with(1)).strategy, Strategy::Sections);
        assert_eq!(Division::of(&document(text), &with(2)).strategy, Strategy::Windows);
    }

    #[test]
    fn no_window_begins_or_ends_inside_a_character() {
        // Characters: a, e with an accent of its own (2), a family of three (5), a line break of two.
        let text = "ae\u{301}👩\u{200d}👩\u{200d}👧\r\nb";
        for window in 1..11 {
            for (from, chars) in spans(text, &small(window, 0)) {
                for edge in [from, from + chars] {
                    assert!(![2, 4, 5, 6, 7, 9].contains(&edge), "window {window}: {edge}");
                }
            }
        }
    }

    #[test]
    fn line_breaks_of_two_do_not_shift_offsets() {
        let text = "line\r\n".repeat(200);
        for (number, (offset, chars)) in (0u64..).zip(spans(&text, &small(100, 20))) {
            assert!(offset.abs_diff(number * 80) <= 1 && chars <= 101);
        }
    }

    #[test]
    fn windows_end_at_sentences_where_that_is_wished() {
        let text = "One sentence here. Another sentence follows it and goes on";
        let settings = Settings { separators: true, ..small(30, 5) };
        let found = spans(text, &settings);
        assert_eq!(found[..2], [(0, 19), (14, 30)]);
    }

    proptest! {
        #[test]
        fn windows_cover_everything_and_end(text in "[a-zäé\u{301}👩\u{200d}\r\n .]{0,400}", window in 1u64..60, overlap in 0u64..80, separators in any::<bool>()) {
            let settings = Settings { separators, min_headings: u64::MAX, ..small(window, overlap) };
            let division = Division::of(&document(&text), &settings);
            let mut reached = 0;
            for piece in &division.pieces {
                prop_assert!(piece.start <= reached && piece.start < piece.end);
                prop_assert_eq!(piece.spot.offset, text[..piece.start].chars().count() as u64);
                reached = reached.max(piece.end);
            }
            prop_assert_eq!(reached, text.len());
        }
    }
}
