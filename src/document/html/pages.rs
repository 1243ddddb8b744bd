//! Where the pages of a printed book begin in its text. That is written twice: once as if it had no pages, and once with
//! a mark at each place, from which the place is found in the other. So no page changes anything of the text.

use std::collections::{HashMap, HashSet};

use ego_tree::NodeRef;
use scraper::Node;
use scraper::node::Element;

/// What a mark begins and ends with: characters that stand for nothing, and so in no text.
const BEGINS: char = '\u{FDD0}';
const ENDS: char = '\u{FDD1}';
/// Nodes of an element whose text tells a page's number.
const LOOKED: usize = 20;
/// What makes of a line what it is: where nothing else stands before a page, it begins with the line.
const MARKUP: &[char] = &['#', '*', '>', '-', '|', '[', '.', ' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/// What begins with an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A page, and what it is called.
    Page(String),
    /// A chapter, by the id to which the book's table of contents leads.
    Chapter(String),
}

/// The ids to which the lists of a book lead.
#[derive(Debug, Default)]
pub struct Ids {
    /// Those of its pages, and what these are called.
    pub pages: HashMap<String, String>,
    /// Those of its chapters.
    pub chapters: HashSet<String>,
}

/// Whether an element says of itself that a page begins with it.
fn is_mark(element: &Element) -> bool {
    let says = |name: &str, value: &str| {
        element.attr(name).is_some_and(|given| given.split_whitespace().any(|word| word == value))
    };
    says("epub:type", "pagebreak") || says("role", "doc-pagebreak")
}

/// Whether an element is there for the page alone, and shows nothing.
pub fn is_bare_mark(node: NodeRef<'_, Node>, element: &Element) -> bool {
    let shows_nothing = |inner: NodeRef<'_, Node>| match inner.value() {
        Node::Text(text) => text.trim().is_empty(),
        Node::Comment(_) => true,
        _ => false,
    };
    is_mark(element) && node.descendants().skip(1).take(LOOKED).all(shows_nothing)
}

/// What the page is called that begins with an element; `None` where none does. `ids` are those that a list of the
/// book's pages leads to.
fn label(node: NodeRef<'_, Node>, element: &Element, ids: &HashMap<String, String>) -> Option<String> {
    let listed = || ids.get(element.attr("id").or_else(|| element.attr("name"))?).cloned();
    if !is_mark(element) {
        return listed();
    }
    let written = || {
        let texts = node.descendants().take(LOOKED).filter_map(|node| node.value().as_text().map(|text| &**text));
        Some(texts.collect::<String>())
    };
    let attribute = |name: &str| element.attr(name).map(str::to_owned);
    let tries = [listed(), attribute("title"), attribute("aria-label"), written()];
    Some(
        tries
            .into_iter()
            .flatten()
            .map(|text| text.trim().to_owned())
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
    )
}

/// What begins with an element: a chapter, then a page.
pub fn begun(node: NodeRef<'_, Node>, element: &Element, ids: &Ids) -> Vec<Mark> {
    let mut own = ["id", "name"].into_iter().filter_map(|name| element.attr(name));
    let chapter = own.find(|id| ids.chapters.contains(*id)).map(|id| Mark::Chapter(id.to_owned()));
    chapter.into_iter().chain(label(node, element, &ids.pages).map(Mark::Page)).collect()
}

/// What begins with an element or within it, in order.
pub fn all_begun(node: NodeRef<'_, Node>, ids: &Ids) -> Vec<Mark> {
    let inner = node.descendants().filter_map(|inner| Some((inner, inner.value().as_element()?)));
    inner.flat_map(|(inner, element)| begun(inner, element, ids)).collect()
}

/// The mark of a page, in a text that is written with marks.
pub fn mark(index: usize) -> String {
    format!("{BEGINS}{index}{ENDS}")
}

/// Whether a text holds nothing but white space and marks.
pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty() || (text.contains(BEGINS) && take_out(text).0.trim().is_empty())
}

/// A text with its marks before it.
pub fn marks_first(text: String) -> (String, String) {
    if !text.contains(BEGINS) {
        return (String::new(), text);
    }
    let (plain, places) = take_out(&text);
    let marks = places.into_iter().map(|(_, index)| mark(index)).collect();
    (marks, plain.trim().to_owned())
}

/// The text without its marks, and where those stood: bytes, and the numbers of their pages.
fn take_out(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut plain = String::with_capacity(text.len());
    let mut places = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(BEGINS) {
        plain.push_str(&rest[..at]);
        rest = &rest[at + BEGINS.len_utf8()..];
        if let Some((index, after)) = rest.split_once(ENDS)
            && let Ok(index) = index.parse()
        {
            places.push((plain.len(), index));
            rest = after;
        }
    }
    plain.push_str(rest);
    (plain, places)
}

/// Where in a text the marks stand of the same text as it was written with them: bytes, and the numbers of their pages.
/// Marks may change what stands between letters, but no letter.
pub fn places(marked: &str, text: &str) -> Vec<(usize, usize)> {
    let (marked, marks) = take_out(marked);
    let (mut theirs, mut ours) = (Gap::first(&marked), Gap::first(text));
    let find = |(at, index): (usize, usize)| {
        while theirs.end < at && theirs.end < marked.len() {
            theirs = theirs.next(&marked);
            ours = ours.next(text);
        }
        (line_start(text, ours.place(text, &marked, &theirs, at)), index)
    };
    marks.into_iter().map(find).collect()
}

/// What stands between two letters of a text, by byte.
struct Gap {
    start: usize,
    end: usize,
}

impl Gap {
    fn first(text: &str) -> Gap {
        Gap { start: 0, end: Gap::end(text, 0) }
    }

    /// The gap behind the next letter.
    fn next(&self, text: &str) -> Gap {
        let start = text.ceil_char_boundary((self.end + 1).min(text.len()));
        Gap { start, end: Gap::end(text, start) }
    }

    fn end(text: &str, start: usize) -> usize {
        text[start..].find(char::is_alphanumeric).map_or(text.len(), |at| start + at)
    }

    /// The place in this gap that is like one in another: the same where both are the same, else where the line begins
    /// that the gap ends in.
    fn place(&self, text: &str, other_text: &str, other: &Gap, at: usize) -> usize {
        let (gap, other_gap) = (&text[self.start..self.end], &other_text[other.start..other.end]);
        match gap.rfind('\n') {
            _ if gap == other_gap || at == other.start => self.start + (at - other.start),
            Some(line) => self.start + line + 1,
            None => self.end,
        }
    }
}

/// A place, or the beginning of its line where only what makes of the line what it is stands before it.
fn line_start(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
    if text[line..at].trim_start_matches(MARKUP).is_empty() { line } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_where_they_stand_in_the_text_without_them() {
        let (a, b) = (mark(0), mark(1));
        for (marked, text, expected) in [
            (format!("one {a} two{b}three"), "one twothree", vec![(4, 0), (7, 1)]),
            (format!("one\n\n{a}\n\ntwo\n\n{b}"), "one\n\ntwo", vec![(5, 0), (8, 1)]),
            (format!("x\n\n## {a}Two\n\n* {b}item"), "x\n\n## Two\n\n* item", vec![(3, 0), (11, 1)]),
            (format!("{a}{b}\n\nx"), "x", vec![(0, 0), (0, 1)]),
            (format!("one  \n{a}\n\ntwo"), "one\n\ntwo", vec![(5, 0)]),
            (format!("one.{a}\n\n---\n\ntwo"), "one.\n\n---\n\ntwo", vec![(4, 0)]),
            (format!("{BEGINS}x{a}é{b}"), "xé", vec![(1, 0), (3, 1)]),
            (a.clone(), "", vec![(0, 0)]),
        ] {
            assert_eq!(places(&marked, text), expected, "{marked:?}");
        }
        assert!(is_blank(&format!(" {a}\n")) && !is_blank("0"));
    }

    /// What holds blocks, what holds lines, and texts.
    const BLOCKS: &[(&str, &str)] = &[
        ("<div>", "</div>"),
        ("<ul><li>", "</li></ul>"),
        ("<ol><li>", "</li></ol>"),
        ("<blockquote>", "</blockquote>"),
        ("<table><tr><td>", "</td></tr></table>"),
        ("<table><tr><th>1</th><th>", "</th></tr><tr><td>2</td><td></td></tr></table>"),
        ("<dl><dt>1</dt><dd>", "</dd></dl>"),
        ("<hr/>", ""),
    ];
    const LINES: &[(&str, &str)] = &[
        ("<p>", "</p>"),
        ("<h2>", "</h2>"),
        ("<pre>", "</pre>"),
        ("<b>", "</b>"),
        ("<i> ", "</i>"),
        ("<code>", "</code>"),
        ("<a href='u'>", "</a>"),
    ];
    const TEXTS: &[&str] = &["# ", "- ", " ", "\n", "word", "é, ", "`", "1. ", "u", "<br/>", "<img src='i' alt='a'/>"];

    /// A well-formed page of these, with something behind each piece.
    fn page(picks: &[(usize, u8)], mut behind: impl FnMut(u8) -> String) -> String {
        let mut page = String::new();
        let mut open: Vec<(&str, bool)> = Vec::new();
        for (pick, kind) in picks {
            let in_line = open.last().is_some_and(|(_, lines)| *lines);
            let (texts, lines, blocks) = (TEXTS.len(), LINES.len(), BLOCKS.len());
            match pick % (texts + lines + blocks + 6) {
                at if at < texts => page.push_str(TEXTS[at]),
                at if at < texts + lines && (!in_line || at > texts + 2) => {
                    let (start, end) = LINES[at - texts];
                    if open.iter().all(|(other, _)| *other != end) {
                        page.push_str(start);
                        open.push((end, true));
                    }
                }
                at if (texts + lines..texts + lines + blocks).contains(&at) && !in_line => {
                    let (start, end) = BLOCKS[at - texts - lines];
                    page.push_str(start);
                    open.push((end, false));
                }
                _ => page.push_str(open.pop().map_or("", |(end, _)| end)),
            }
            page.push_str(&behind(*kind));
        }
        page.extend(open.into_iter().rev().map(|(end, _)| end));
        page
    }

    fn converted(page: &str) -> super::super::Page {
        super::super::book_page(page, &Ids::default())
    }

    proptest::proptest! {
        #[test]
        fn a_page_changes_nothing_of_the_text_around_it(
            picks in proptest::collection::vec((0..1_000_usize, 0..4_u8), 0..40),
        ) {
            let mut count = 0;
            let marks = ["<span epub:type='pagebreak' title='7'/>", "<span role='doc-pagebreak'> </span>"];
            let marked = page(&picks, |kind| {
                let mark = marks.get(usize::from(kind)).copied().unwrap_or_default();
                count += usize::from(!mark.is_empty());
                mark.to_owned()
            });
            let (found, plain) = (converted(&marked), converted(&page(&picks, |_| String::new())));
            proptest::prop_assert_eq!(&found.markdown, &plain.markdown, "{}", marked);
            proptest::prop_assert_eq!(found.pages.len(), count, "{}", marked);
            proptest::prop_assert!(found.pages.is_sorted_by_key(|page| page.0));
            proptest::prop_assert!(found.pages.iter().all(|page| found.markdown.is_char_boundary(page.0)));
        }

        #[test]
        fn a_page_begins_before_the_word_behind_its_mark(
            picks in proptest::collection::vec((0..1_000_usize, 0..4_u8), 0..20),
        ) {
            let page = page(&picks, |_| " x <span role='doc-pagebreak'/>Y ".to_owned());
            let found = converted(&page);
            let starts = found.markdown.match_indices('Y').map(|(at, _)| at);
            for ((at, _), word) in found.pages.iter().zip(starts).filter(|_| !page.contains("<a ")) {
                proptest::prop_assert!(!found.markdown[*at..word].contains('x'), "{}", found.markdown);
            }
        }
    }

    #[test]
    fn pages_that_begin_in_what_is_written_whole_begin_before_it() {
        let html = "<p>one <math id=a><mi>x</mi></math> two <math><mrow id=b><mi>y</mi></mrow>\
            <mtext><span role=doc-pagebreak title=3></span></mtext></math></p>\
            <table><tr><td class=line-number>1<td class=code>z<i id=c></i><tr><td class=line-number>2<td class=code>w</table>";
        let pages = ["a", "b", "c"].map(|id| (id.to_owned(), id.to_uppercase())).into();
        let ids = Ids { pages, ..Ids::default() };
        let found = super::super::book_page(html, &ids);
        assert_eq!(found.markdown, "one $x$ two $y$\n\n```\nz\nw\n```");
        let pages = [(4, "A"), (12, "B"), (12, "3"), (17, "C")].map(|(at, label)| (at, Mark::Page(label.to_owned())));
        assert_eq!(found.pages, pages);
    }

    #[test]
    fn marks_that_show_nothing_part_no_text() {
        let page = |html: &str| converted(html).markdown;
        assert_eq!(page("`<b id='a'></b>`<span role='doc-pagebreak'/>`<i></i>x"), "\\```x");
        assert_eq!(page("<p>a</p><hr role='doc-pagebreak'/><p>b</p>"), "a\n\nb");
        assert_eq!(page("<div>one <div epub:type='pagebreak' id='p'/>text</div>"), "one text");
        assert_eq!(page("<p>one <span epub:type='pagebreak'>12</span> two</p>"), "one 12 two");
    }
}
