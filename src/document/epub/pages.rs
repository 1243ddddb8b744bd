//! The pages of a book's print, which the book may list or mark in its text.

use std::collections::HashMap;

use crate::content::one_line;
use crate::document::html;
use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::office::package::{Package, resolve};
use crate::document::out::{Out, Stop};
use crate::document::page::of_roman;
use crate::document::piece::{Place, PlaceKind};

/// The kind of the older list of a book's contents and pages.
pub const NCX: &str = "application/x-dtbncx+xml";
/// Pages of a list.
const LISTED_MAX: usize = 50_000;

/// Entries of a table of contents that lead into one file, of which the first is looked for that leads to its beginning.
const ENTRIES_MAX: usize = 50;

/// The pages that a book lists, and how far they were told; and what it calls its chapters.
#[derive(Default)]
pub struct Pages {
    /// By the path of a file, what the table of contents calls it, or the element with this id in it.
    titles: HashMap<String, Vec<(String, String)>>,
    /// The last of them that began so far.
    begun: Option<String>,
    /// By the path of a file and the id of an element in it, what a page is called; without an id, the file's first.
    listed: HashMap<String, HashMap<String, String>>,
    none: HashMap<String, String>,
    /// The newest page that has a number.
    newest: Option<u32>,
}

impl Pages {
    /// Reads the first list that names pages, and what the first that names chapters calls them.
    ///
    /// # Errors
    /// Where the package cannot be read.
    pub fn read(package: &mut Package<'_>, lists: &[String]) -> Result<Pages, Failure> {
        let mut pages = Pages::default();
        for path in lists {
            let Some(text) = package.small(path)? else { continue };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let (is_first_list, is_first_contents) = (pages.listed.is_empty(), pages.titles.is_empty());
            for Listed { target, label, is_page } in listed(text) {
                let (file, id) = target.split_once('#').unwrap_or((&target, ""));
                let file = if file.is_empty() { path.clone() } else { resolve(folder, &html::percent_decoded(file)) };
                if is_page && is_first_list {
                    pages.listed.entry(file).or_default().insert(html::percent_decoded(id), label);
                } else if !is_page && is_first_contents && !label.is_empty() {
                    pages.titles.entry(file).or_default().push((html::percent_decoded(id), label));
                }
            }
        }
        Ok(pages)
    }

    /// What the table of contents calls the next file, with this text: the first entry that leads to it, or else to an
    /// element before which it shows nothing. What begins later in it is only a part of it; then it goes on with the
    /// last that the files before it began.
    pub fn title(&mut self, file: &str, text: &str) -> Option<String> {
        let entries = self.titles.get(file)?;
        let whole = entries.iter().find(|(id, _)| id.is_empty());
        let first = || entries.iter().take(ENTRIES_MAX).find(|(id, _)| begins_with(text, id));
        let own = whole.or_else(first).map(|(_, title)| title.clone());
        let before = std::mem::replace(&mut self.begun, entries.last().map(|(_, title)| title.clone()));
        own.or(before)
    }

    /// What pages of a file are called, by the elements that they begin with.
    pub fn ids(&self, file: &str) -> &HashMap<String, String> {
        self.listed.get(file).unwrap_or(&self.none)
    }

    /// Writes a file's text, with the places where pages begin in it.
    ///
    /// # Errors
    /// When there is enough.
    pub fn write(
        &mut self,
        file: &str,
        text: &str,
        begun: Vec<(usize, String)>,
        out: &mut Out<'_>,
    ) -> Result<(), Stop> {
        let first = self.ids(file).get("").cloned().map(|label| (0, label));
        let end = text.trim_end().len();
        let mut from = 0;
        out.blank_line()?;
        for (at, label) in first.into_iter().chain(begun) {
            let at = at.min(end);
            out.text(text.get(from..at).unwrap_or_default())?;
            from = at;
            if let Some(place) = self.place(&label) {
                out.anchor(place)?;
            }
        }
        out.text(text.get(from..end).unwrap_or_default())?;
        if end > 0 { out.text("\n") } else { Ok(()) }
    }

    /// The page of a label. One without a number, as `A`, ends the page before it; more is not known of it.
    fn place(&mut self, label: &str) -> Option<Place> {
        match label.split_whitespace().find_map(|word| bare(word).parse().ok()) {
            Some(number) => {
                self.newest = Some(number);
                Some(Place::numbered(PlaceKind::Page, number))
            }
            None => match label.split_whitespace().find_map(|word| of_roman(bare(word))) {
                Some(number) => Some(Place::roman_page(number)),
                None => self.newest.map(Place::page_from),
            },
        }
    }
}

/// Whether a page shows nothing before the element with this id.
fn begins_with(page: &str, id: &str) -> bool {
    let body = page.find("<body").unwrap_or(0);
    let is_id = |at: usize| {
        let before = page[..at].trim_end_matches(['"', '\'']);
        let behind = page[at + id.len()..].starts_with(['"', '\'']);
        behind && before.len() < at && (before.ends_with("id=") || before.ends_with("name="))
    };
    let Some(at) = page[body..].match_indices(id).map(|(at, _)| body + at).find(|at| is_id(*at)) else { return false };
    let Some(tag) = page[body..at].rfind('<') else { return false };
    let mut before = &page[body..body + tag];
    while let Some((text, rest)) = before.split_once('<') {
        let Some((_, behind)) = rest.split_once('>').filter(|_| text.trim().is_empty()) else { return false };
        before = behind;
    }
    before.trim().is_empty()
}

/// A word of a label without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric())
}

/// What a list of a book's pages or chapters leads to.
struct Listed {
    target: String,
    label: String,
    is_page: bool,
}

/// What is being listed.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    Pages,
    Contents,
}

/// Where the pages and chapters of a list begin, and what they are called: `nav` of EPUB 3, or `pageList` and `navMap` of
/// the older one.
fn listed(text: impl std::io::BufRead) -> Vec<Listed> {
    let mut events = markup::reader(text);
    let mut buffer = Vec::new();
    let mut found: Vec<Listed> = Vec::new();
    let mut inside = Inside::Nothing;
    let (mut target, mut label, mut value) = (String::new(), String::new(), None);
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                let get = |name| markup::attribute(&element, name);
                match element.local_name().into_inner() {
                    "nav" => {
                        let says = |name, kind| get(name).is_some_and(|all| all.split(' ').any(|one| one == kind));
                        inside = if says("type", "page-list") || says("role", "doc-pagelist") {
                            Inside::Pages
                        } else if says("type", "toc") || says("role", "doc-toc") {
                            Inside::Contents
                        } else {
                            Inside::Nothing
                        };
                    }
                    "a" if inside != Inside::Nothing => {
                        (target, label) = (get("href").unwrap_or_default(), String::new());
                    }
                    "pageTarget" => (inside, label, value) = (Inside::Pages, String::new(), get("value")),
                    // One within another has its own; that of the outer was told when it led somewhere.
                    "navPoint" => (inside, label) = (Inside::Contents, String::new()),
                    "content" if inside == Inside::Pages => target = get("src").unwrap_or_default(),
                    "content" if inside == Inside::Contents && found.len() < LISTED_MAX => {
                        let label = one_line(&std::mem::take(&mut label));
                        found.push(Listed { target: get("src").unwrap_or_default(), label, is_page: false });
                    }
                    _ => {}
                }
            }
            Ok(Event::Text(text)) if inside != Inside::Nothing => label.push_str(&text.xml10_content()),
            Ok(Event::GeneralRef(reference)) if inside != Inside::Nothing => {
                label.push_str(&markup::entity(&reference));
            }
            Ok(Event::End(element)) => match element.local_name().into_inner() {
                name @ ("a" | "pageTarget") if inside != Inside::Nothing => {
                    // The value of a list only counts its pages, as a rule.
                    let label = Some(one_line(&label)).filter(|label| !label.is_empty()).or(value.take());
                    value = None;
                    let (target, label) = (std::mem::take(&mut target), label.unwrap_or_default());
                    found.push(Listed { target, label, is_page: inside == Inside::Pages });
                    if name == "pageTarget" || found.len() >= LISTED_MAX {
                        inside = Inside::Nothing;
                    }
                }
                "nav" | "navMap" => inside = Inside::Nothing,
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(String, String, bool)> {
        listed(text.as_bytes()).into_iter().map(|one| (one.target, one.label, one.is_page)).collect()
    }

    #[test]
    fn an_entry_names_a_file_only_where_it_leads_to_its_beginning() {
        let page = "<html><head><title id='t'>x</title></head><body class='b'>\n<section id=\"s1\"><h1><a id='a'/>One</h1>\
            <p>x id='s2'</p></section><h2 id='s2'>Two</h2></body></html>";
        assert_eq!(["s1", "a", "s2", "s3", "t"].map(|id| begins_with(page, id)), [true, true, false, false, false]);
        let entry = |id: &str, label: &str| (id.to_owned(), label.to_owned());
        let title = |entries: &[(String, String)]| {
            let titles = HashMap::from([("1.html".to_owned(), entries.to_vec())]);
            let mut pages = Pages { titles, ..Pages::default() };
            let title = pages.title("1.html", page);
            // What begins in the middle goes on with the last of the file before.
            pages.titles.insert("2.html".to_owned(), vec![entry("s2", "Later")]);
            assert_eq!(pages.title("2.html", page), entries.last().map(|(_, title)| title.clone()));
            title
        };
        assert_eq!(title(&[entry("s2", "Two")]), None);
        assert_eq!(title(&[entry("s2", "Two"), entry("s1", "One")]).as_deref(), Some("One"));
        assert_eq!(title(&[entry("s1", "One"), entry("", "All")]).as_deref(), Some("All"));
    }

    #[test]
    fn both_kinds_of_lists_name_chapters_and_pages() {
        let old = "<ncx><navMap><navPoint><navLabel><text>One &amp; all</text></navLabel><content src='1.html'/>\
            <navPoint><navLabel><text>Part</text></navLabel><content src='1.html#p'/></navPoint></navPoint></navMap>\
            <pageList><pageTarget value='9'><navLabel><text>5</text></navLabel><content src='1.html#x'/></pageTarget>\
            </pageList></ncx>";
        let own = |target: &str, label: &str, is_page| (target.to_owned(), label.to_owned(), is_page);
        assert_eq!(
            told(old),
            [own("1.html", "One & all", false), own("1.html#p", "Part", false), own("1.html#x", "5", true)]
        );
        let new = "<html xmlns:epub='e'><nav epub:type='toc'><h2>Contents</h2><ol><li><a href='1.html'>One\n two</a></li>\
            </ol></nav><nav epub:type='landmarks'><a href='c.html'>Cover</a></nav>\
            <nav epub:type='page-list'><a href='1.html#x'>5</a></nav></html>";
        assert_eq!(told(new), [own("1.html", "One two", false), own("1.html#x", "5", true)]);
    }
}
