//! The pages of a book's print, which the book may list or mark in its text.

use std::collections::HashMap;

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

/// The pages that a book lists, and how far they were told.
#[derive(Default)]
pub struct Pages {
    /// By the path of a file and the id of an element in it, what a page is called; without an id, the file's first.
    listed: HashMap<String, HashMap<String, String>>,
    none: HashMap<String, String>,
    /// The newest page that has a number.
    newest: Option<u32>,
}

impl Pages {
    /// Reads the first list that names pages.
    ///
    /// # Errors
    /// Where the package cannot be read.
    pub fn read(package: &mut Package<'_>, lists: &[String]) -> Result<Pages, Failure> {
        let mut pages = Pages::default();
        for path in lists {
            let Some(text) = package.small(path)? else { continue };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for (target, label) in listed(text) {
                let (file, id) = target.split_once('#').unwrap_or((&target, ""));
                let file = if file.is_empty() { path.clone() } else { resolve(folder, &html::percent_decoded(file)) };
                pages.listed.entry(file).or_default().insert(html::percent_decoded(id), label);
            }
            if !pages.listed.is_empty() {
                break;
            }
        }
        Ok(pages)
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

/// A word of a label without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric())
}

/// Where the pages of a list begin, and what they are called: `nav` of EPUB 3, or `pageList` of the older one.
fn listed(text: impl std::io::BufRead) -> Vec<(String, String)> {
    let mut events = markup::reader(text);
    let mut buffer = Vec::new();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    let (mut target, mut label, mut value) = (String::new(), String::new(), None);
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                let get = |name| markup::attribute(&element, name);
                match element.local_name().into_inner() {
                    "nav" => {
                        let says = |name, kind| get(name).is_some_and(|all| all.split(' ').any(|one| one == kind));
                        inside = says("type", "page-list") || says("role", "doc-pagelist");
                    }
                    "a" if inside => (target, label) = (get("href").unwrap_or_default(), String::new()),
                    "pageTarget" => (inside, label, value) = (true, String::new(), get("value")),
                    "content" if inside => target = get("src").unwrap_or_default(),
                    _ => {}
                }
            }
            Ok(Event::Text(text)) if inside => label.push_str(&text.xml10_content()),
            Ok(Event::End(element)) => match element.local_name().into_inner() {
                name @ ("a" | "pageTarget") if inside => {
                    // The value of a list only counts its pages, as a rule.
                    let label = Some(label.trim().to_owned()).filter(|label| !label.is_empty()).or(value.take());
                    value = None;
                    found.push((std::mem::take(&mut target), label.unwrap_or_default()));
                    inside = name == "a" && found.len() < LISTED_MAX;
                }
                "nav" => inside = false,
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}
