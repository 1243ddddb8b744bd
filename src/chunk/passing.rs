//! Where the places and the sections of a document stand that is too large to be looked through at once: its text
//! passes by, and is looked through in parts that end where no block of it goes on.

use pulldown_cmark::{Event, Parser, Tag};

use crate::document::{Anchor, Conversion, Headings, named};

use super::labels::Labels;
use super::outline::{Outline, PAGE_CHARS, Section, Spot, blanks, may_have_headings, read_sections, tells_front};
use super::underlined;

/// Bytes of text that are looked through at once, and how many more are waited for where a block goes on.
const PART: usize = 1 << 20;
const PART_MAX: usize = 8 << 20;
/// Signs of a fence that are told from each other.
const FENCE_MAX: usize = 1_000;
/// What stands before a part that begins within a line, so that nothing is taken for the beginning of one.
const WITHIN: &str = "x";

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
    /// What has to stand before what is held for it to be read as what it is: the line that opens the block of code or of
    /// HTML in which it begins, and [`WITHIN`].
    opened: String,
    within: bool,
    /// Labels that are defined anywhere; and those that are found, where they are looked for.
    labels: Labels,
    defined: Option<Labels>,
    /// Bytes that are looked through at once, at least and at most.
    part: (usize, usize),
    wanted: usize,
}

impl<'a> Passing<'a> {
    /// Looks through a document, of which all but its Markdown is known, and the labels that it defines.
    #[must_use]
    pub fn of(about: &'a Conversion, labels: Labels) -> Passing<'a> {
        Passing { labels, ..Passing::in_parts(about, (PART, PART_MAX)) }
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
            opened: String::new(),
            within: false,
            labels: Labels::default(),
            defined: None,
            part,
            wanted: part.0,
        }
    }

    /// More of its Markdown. Returns what begins in what was looked through, as it stands.
    pub fn push(&mut self, text: &str) -> Vec<Mark<'a>> {
        self.held.push_str(text);
        let mut marks = Vec::new();
        while self.held.len() >= self.wanted {
            let end = match self.closed_end() {
                Some(end) => end,
                None if self.held.len() < self.part.1 => {
                    self.wanted = (self.held.len() * 2).min(self.part.1);
                    continue;
                }
                None => self.forced_end(),
            };
            marks.extend(self.look(end));
            self.wanted = self.part.0;
        }
        marks
    }

    /// What begins in the rest of it.
    pub fn end(mut self) -> Vec<Mark<'a>> {
        let mut marks = self.look(self.held.len());
        // What stands behind the text stands at its end.
        let rest = std::mem::take(&mut self.anchors);
        marks.extend(rest.into_iter().rev().map(|anchor| self.mark(Begins::Place(anchor), Spot::default(), 0)));
        marks
    }

    /// Where no block goes on that begins before, but one that is [carried on](opening): behind a blank line before a line
    /// that is not set in. What is in a list there begins a list of its own, with the same headings.
    fn closed_end(&self) -> Option<usize> {
        let bytes = self.held.as_bytes();
        let is_set_in = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        let end = blanks(&self.held).into_iter().rev().find(|end| !is_set_in(*end))?;
        (self.before.0 > 0 || tells_front(self.held.get(..end)?)).then_some(end)
    }

    /// Where it is cut although a block may go on: before a line, at best one that begins something, else within one.
    fn forced_end(&self) -> usize {
        let bytes = self.held.as_bytes();
        let line_before = |not: &[u8]| {
            let mut starts = memchr::memrchr_iter(b'\n', bytes).map(|at| at + 1);
            starts.find(|at| bytes.get(*at).is_some_and(|sign| !not.contains(sign)))
        };
        if let Some(end) = line_before(b" \t\r\n=-").or_else(|| line_before(b"\r\n")) {
            return end;
        }
        let end = bytes.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let end = self.held.floor_char_boundary(end);
        if end == 0 { self.held.len() } else { end }
    }

    /// The sections of a part, of which is kept in what block it ends.
    fn sections(&mut self, text: &str) -> Vec<Section> {
        let first = self.before.0 == 0;
        match self.headings {
            Headings::None => return Vec::new(),
            Headings::Underlined => return underlined::sections(text, &mut self.lines),
            Headings::Markdown => {}
        }
        let is_wanted = if self.defined.is_some() { text.contains("]:") } else { may_have_headings(text) };
        if !is_wanted && !self.opened.starts_with('<') && !may_be_open(text) {
            return Vec::new();
        }
        let within = if self.within { WITHIN } else { "" };
        let added = self.opened.len() + within.len();
        let whole = if added > 0 { format!("{}{within}{text}", self.opened) } else { String::new() };
        let whole = if added > 0 { whole.as_str() } else { text };
        let (mut sections, goes_on) = read_sections(whole, first, &self.labels, self.defined.as_mut());
        self.opened = goes_on.and_then(|block| opening(whole.get(block)?)).unwrap_or_default();
        for section in &mut sections {
            if section.start < added {
                section.title = section.title.strip_prefix(within).unwrap_or_default().to_owned();
            }
            section.start = section.start.saturating_sub(added);
            section.body = section.body.saturating_sub(added);
            section.end = section.end.saturating_sub(added);
        }
        sections
    }

    /// Tells what begins in the first bytes of what is held, and lets them go.
    fn look(&mut self, end: usize) -> Vec<Mark<'a>> {
        let rest = self.held.split_off(end);
        let text = std::mem::replace(&mut self.held, rest);
        let sections = self.sections(&text);
        self.within = !text.ends_with(['\n', '\r']);
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
        let page = self.outline.page_at(byte + at, offset);
        let spot = Spot { offset, page, paragraph: paragraphs + in_part.paragraph, section: None };
        (what, spot, self.title.clone())
    }
}

/// The labels of links that a document defines: a link is known for one wherever its label is defined, also behind it.
///
/// # Errors
/// That of a part.
pub fn labels<E>(about: &Conversion, parts: impl Iterator<Item = Result<String, E>>) -> Result<Labels, E> {
    labels_in_parts(about, parts, (PART, PART_MAX))
}

fn labels_in_parts<E>(
    about: &Conversion,
    parts: impl Iterator<Item = Result<String, E>>,
    sizes: (usize, usize),
) -> Result<Labels, E> {
    let bare = Conversion { format: about.format.clone(), ..Conversion::default() };
    let mut passing = Passing { defined: Some(Labels::default()), ..Passing::in_parts(&bare, sizes) };
    if passing.headings == Headings::Markdown {
        for part in parts {
            passing.push(&part?);
        }
        passing.look(passing.held.len());
    }
    Ok(passing.defined.unwrap_or_default())
}

/// A line that opens such a block of code or of HTML again, where it is still open at its end.
fn opening(block: &str) -> Option<String> {
    const HTML: [&str; 7] = ["<!--", "<?", "<![CDATA[", "<script", "<pre", "<style", "<textarea"];
    let behind = format!("{block}\n\n#");
    if Parser::new(&behind).any(|event| matches!(event, Event::Start(Tag::Heading { .. }))) {
        return None;
    }
    let line = block.trim_start();
    let sign = line.chars().next()?;
    let is = |tag: &&&str| line.get(..tag.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(tag));
    Some(match sign {
        '<' => format!("{}\n", HTML.iter().find(is).unwrap_or(&"<!A")),
        _ => format!("{}\n", line.chars().take_while(|one| *one == sign).take(FENCE_MAX).collect::<String>()),
    })
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
        let parts = document.markdown.split_inclusive('a').map(|part| Ok::<_, ()>(part.to_owned()));
        let labels = labels_in_parts(document, parts, part).unwrap();
        let mut passing = Passing { labels, ..Passing::in_parts(document, part) };
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
            lines in prop::collection::vec("(# a|# \\[l\\] !\\[i\\]\\[m\\]|\\[[lM]\\]: u|## `b`|\\*c\\* ä|===|---|- d|  e|> # f|```|````|  ~~~|<div>|<!-- g|-->|<Script>|</script>|<\\?|\\?>|| {4}# h|1\\. # i|\\|j\\|)", 0..40),
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

    #[test]
    fn what_is_said_before_a_document_is_read_whole() {
        let text = format!("---\na: b\n\n# no\n\n{}---\n\n# One\n", "c: d\n\n".repeat(20));
        let document = document("markdown", &text, &[]);
        assert_eq!(passing(&document, 9, (20, 1 << 20)), at_once(&document));
    }

    #[test]
    fn a_block_that_is_open_goes_on_behind_a_cut() {
        for (opens, closes) in
            [("  ````c", " ````"), ("~~~", "~~~~"), ("<!-- x", "-->"), ("<PRE>", "</pre>"), ("<!X", ">")]
        {
            let lines = "# no\n\nx\n---\n```\n\n  y\n```\n".repeat(20);
            for lines in
                [lines.as_str(), &lines.replace("\n\n", "\n"), &" # no\n  x\n".repeat(30), &"x # no ".repeat(50)]
            {
                let text = format!("# A\n\n{opens}\n{lines}\n{closes}\n\n# B\n");
                let document = document("markdown", &text, &[]);
                let rows = passing(&document, 7, (40, 80));
                assert_eq!(rows, at_once(&document), "{text}");
                assert_eq!(rows.len(), 2, "{text}");
            }
        }
    }

    #[test]
    fn a_link_is_one_wherever_its_label_is_defined() {
        let text =
            format!("# A [late] ![i][Late]\n\n# [x]\n\n{}```\n[x]: u\n```\n\n[LATE]: u\n", "words\n\n".repeat(50));
        let titles = |rows: Vec<Row>| rows.into_iter().map(|row| row.3.unwrap()).collect::<Vec<_>>();
        let document = document("markdown", &text, &[]);
        assert_eq!(titles(passing(&document, 9, (20, 80))), ["A late i", "[x]"]);
        assert_eq!(titles(at_once(&document)), ["A late i", "[x]"]);
    }
}
