//! The pages of a book's print, which the book may list or mark in its text.

use std::collections::HashMap;

use crate::content::one_line;
use crate::document::html::{self, Ids, Mark};
use crate::document::input::Failure;
use crate::document::markup::{self, Event};
use crate::document::office::package::{Package, resolve};
use crate::document::out::{Out, Stop};
use crate::document::page::of_roman;
use crate::document::piece::{Place, PlaceKind, WITHIN};

/// The kind of the older list of a book's contents and pages.
pub const NCX: &str = "application/x-dtbncx+xml";
/// Pages of a list.
const LISTED_MAX: usize = 50_000;

/// The pages that a book lists, and how far they were told; and what it calls its chapters.
#[derive(Default)]
pub struct Pages {
    /// By the path of a file, what the table of contents calls it, or the element with this id in it.
    titles: HashMap<String, Vec<(String, String)>>,
    /// What the last chapter is called that began so far.
    begun: Option<String>,
    /// By the path of a file, the ids in it to which the lists lead; a page without an id is the file's first.
    listed: HashMap<String, Ids>,
    none: Ids,
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
            let (is_first_list, is_first_contents) = (!pages.lists_pages(), pages.titles.is_empty());
            let mut around: Vec<Around> = Vec::new();
            for Listed { target, label, is_page, level } in listed(text) {
                let (file, id) = target.split_once('#').unwrap_or((&target, ""));
                let file = if file.is_empty() { path.clone() } else { resolve(folder, &html::percent_decoded(file)) };
                let id = html::percent_decoded(id);
                if is_page && is_first_list {
                    pages.listed.entry(file).or_default().pages.insert(id, label);
                } else if !is_page && is_first_contents && !label.is_empty() {
                    if !id.is_empty() {
                        pages.listed.entry(file.clone()).or_default().chapters.insert(id.clone());
                    }
                    around.truncate(around.iter().take_while(|one| one.level < level).count());
                    // What is listed within a chapter of the same file is a section of it.
                    let chapter = around.last().filter(|one| one.file == file && one.label != label);
                    let name = chapter.map_or_else(|| label.clone(), |one| format!("{}{WITHIN}{label}", one.name));
                    around.push(Around { level, file: file.clone(), label, name: name.clone() });
                    pages.titles.entry(file).or_default().push((id, name));
                }
            }
        }
        Ok(pages)
    }

    fn lists_pages(&self) -> bool {
        self.listed.values().any(|ids| !ids.pages.is_empty())
    }

    /// What the table of contents calls the beginning of a file, and of what begins in it the pages and the chapters,
    /// these by their names. Its beginning is called as the entry says that leads to the file, or to an element before
    /// which it shows nothing, or else to one that is not there.
    pub fn named(&self, file: &str, begun: Vec<(usize, Mark)>) -> (Option<String>, Vec<(usize, Mark)>) {
        let Some(entries) = self.titles.get(file) else { return (None, begun) };
        // The first element of an id is meant, and the first entry that leads to it.
        let mut names: HashMap<&str, &String> = HashMap::new();
        for (id, name) in entries {
            names.entry(id).or_insert(name);
        }
        let own = |(at, mark)| match mark {
            Mark::Chapter(id) => Some((at, Mark::Chapter(names.remove(id.as_str())?.clone()))),
            page @ Mark::Page(_) => Some((at, page)),
        };
        let mut begun: Vec<(usize, Mark)> = begun.into_iter().filter_map(own).collect();
        let missing = || entries.iter().find(|(id, _)| names.contains_key(id.as_str())).map(|(_, name)| name.clone());
        let first = begun.iter().position(|(at, mark)| *at == 0 && matches!(mark, Mark::Chapter(_)));
        let title = match (names.get(""), first) {
            (Some(whole), _) => Some((*whole).clone()),
            (None, Some(first)) => match begun.remove(first).1 {
                Mark::Chapter(name) => Some(name),
                Mark::Page(_) => None,
            },
            (None, None) => missing(),
        };
        // What begins with the file is told once.
        begun.retain(|(at, mark)| !matches!(mark, Mark::Chapter(name) if *at == 0 && Some(name) == title.as_ref()));
        (title, begun)
    }

    /// Whether the table of contents leads into a file.
    pub fn is_named(&self, file: &str) -> bool {
        self.titles.contains_key(file)
    }

    /// What the last chapter is called that began before the next file.
    pub fn begun(&self) -> Option<String> {
        self.begun.clone()
    }

    /// The elements of a file with which pages and chapters begin.
    pub fn ids(&self, file: &str) -> &Ids {
        self.listed.get(file).unwrap_or(&self.none)
    }

    /// Writes a file's text behind the place where it begins, with those where chapters and pages begin in it.
    ///
    /// # Errors
    /// When there is enough.
    pub fn write(
        &mut self,
        file: &str,
        chapter: Place,
        text: &str,
        begun: Vec<(usize, Mark)>,
        out: &mut Out<'_>,
    ) -> Result<(), Stop> {
        let number = chapter.number;
        let first = self.ids(file).pages.get("").cloned().map(|label| (0, Mark::Page(label)));
        let end = text.trim_end().len();
        let mut from = 0;
        self.begun = chapter.name.or_else(|| self.begun.take());
        out.blank_line()?;
        for (at, mark) in first.into_iter().chain(begun) {
            let at = at.min(end);
            out.text(text.get(from..at).unwrap_or_default())?;
            from = at;
            let place = match mark {
                Mark::Page(label) => self.place(&label),
                Mark::Chapter(name) => {
                    self.begun = Some(name.clone());
                    Some(Place::named(PlaceKind::Chapter, number, name))
                }
            };
            if let Some(place) = place {
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

/// A word of a label without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric())
}

/// What a list of a book's pages or chapters leads to.
struct Listed {
    target: String,
    label: String,
    is_page: bool,
    /// How many lists or entries it stands in.
    level: usize,
}

/// An entry of a table of contents around others.
struct Around {
    level: usize,
    file: String,
    label: String,
    /// What begins there is called so, with what it is a section of.
    name: String,
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
    let mut level = 0usize;
    let (mut target, mut label, mut value) = (String::new(), String::new(), None);
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(ref event @ (Event::Start(ref element) | Event::Empty(ref element))) => {
                let is_empty = matches!(event, Event::Empty(_));
                let get = |name| markup::attribute(element, name);
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
                    "navPoint" => {
                        (inside, label) = (Inside::Contents, String::new());
                        level += usize::from(!is_empty);
                    }
                    "ol" => level += usize::from(!is_empty),
                    "content" if inside == Inside::Pages => target = get("src").unwrap_or_default(),
                    "content" if inside == Inside::Contents && found.len() < LISTED_MAX => {
                        let label = one_line(&std::mem::take(&mut label));
                        found.push(Listed { target: get("src").unwrap_or_default(), label, is_page: false, level });
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
                    found.push(Listed { target, label, is_page: inside == Inside::Pages, level });
                    if name == "pageTarget" || found.len() >= LISTED_MAX {
                        inside = Inside::Nothing;
                    }
                }
                "ol" | "navPoint" => level = level.saturating_sub(1),
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
    fn an_entry_names_a_file_where_it_leads_to_its_beginning_and_begins_a_chapter_elsewhere() {
        let page = "<html><head><title id='t'>x</title></head><body class='b'>\n<section id=\"s1\"><h1><a id='a'/>One</h1>\
            <p>x id='s2'</p></section><h2 id='s2'>Two</h2><p id='s2'>again</p></body></html>";
        let named = |entries: &[(&str, &str)]| {
            let ids = Ids { chapters: entries.iter().map(|(id, _)| (*id).to_owned()).collect(), ..Ids::default() };
            let entries = entries.iter().map(|(id, name)| ((*id).to_owned(), (*name).to_owned())).collect();
            let pages = Pages { titles: HashMap::from([("1.html".to_owned(), entries)]), ..Pages::default() };
            let found = html::book_page(page, &ids);
            let (title, begun) = pages.named("1.html", found.pages);
            let begun = begun.into_iter().map(|(at, mark)| {
                let Mark::Chapter(name) = mark else { panic!("{mark:?}") };
                format!("{name}: {}", found.markdown[at..].lines().next().unwrap_or_default())
            });
            (title.unwrap_or_default(), begun.collect::<Vec<_>>().join(", "))
        };
        for (entries, title, begun) in [
            (&[("s2", "Two")][..], "", "Two: ## Two"),
            (&[("s2", "Two"), ("s1", "One")], "One", "Two: ## Two"),
            (&[("s1", "One"), ("", "All")], "All", "One: # One"),
            (&[("s1", "All"), ("", "All"), ("s2", "Two")], "All", "Two: ## Two"),
            // One that is not there, or not shown, leads to the file.
            (&[("gone", "Lost"), ("s2", "Two")], "Lost", "Two: ## Two"),
            (&[("t", "Head"), ("a", "One")], "One", ""),
        ] {
            assert_eq!(named(entries), (title.to_owned(), begun.to_owned()), "{entries:?}");
        }
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
