//! Styles: which of them are headings, and which are lists.

use std::collections::HashMap;

use crate::document::encoding::TextReader;
use crate::document::markup::{self, Event};

use super::part::{is_former, on};
use super::run::Marks;

/// What a style says.
#[derive(Clone, Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    /// Level of its outline, from 0.
    outline: Option<u8>,
    /// The list that its paragraphs are items of.
    list: Option<String>,
    level: Option<u8>,
    /// Whether its paragraphs begin on a page of their own.
    page_before: Option<bool>,
    bold: Option<bool>,
    italic: Option<bool>,
    struck: Option<bool>,
}

/// The styles of a document by their ids.
#[derive(Clone, Debug, Default)]
pub struct Styles {
    styles: HashMap<String, Style>,
}

impl Styles {
    /// Reads the styles part.
    pub fn read(text: Option<TextReader<'_>>) -> Styles {
        let mut styles = Styles::default();
        let Some(text) = text else {
            return styles;
        };
        let mut events = markup::reader(text);
        let mut buffer = Vec::new();
        let mut id = String::new();
        // Elements that hold what was before a tracked change.
        let mut former = 0_usize;
        loop {
            buffer.clear();
            let element = match events.read_event_into(&mut buffer) {
                Ok(Event::Start(element)) if is_former(element.local_name().into_inner()) => {
                    former += 1;
                    continue;
                }
                Ok(Event::End(element)) if is_former(element.local_name().into_inner()) => {
                    former = former.saturating_sub(1);
                    continue;
                }
                Ok(Event::Start(_) | Event::Empty(_)) if former > 0 => continue,
                Ok(Event::Start(element) | Event::Empty(element)) => element,
                Ok(Event::Eof) | Err(_) => return styles,
                Ok(_) => continue,
            };
            let value = || markup::attribute(&element, "val");
            let name = element.local_name().into_inner();
            if name == "style" {
                id = markup::attribute(&element, "styleId").unwrap_or_default();
                styles.styles.insert(id.clone(), Style::default());
            }
            let Some(style) = styles.styles.get_mut(&id) else {
                continue;
            };
            match name {
                "name" => style.name = value().unwrap_or_default().to_lowercase(),
                "basedOn" => style.based_on = value(),
                "outlineLvl" => style.outline = value().and_then(|value| value.parse().ok()),
                "numId" => style.list = value(),
                "pageBreakBefore" => style.page_before = Some(on(&element)),
                "b" => style.bold = Some(on(&element)),
                "i" => style.italic = Some(on(&element)),
                "strike" | "dstrike" => style.struck = Some(on(&element)),
                "ilvl" => style.level = value().and_then(|value| value.parse().ok()),
                _ => {}
            }
        }
    }

    /// A style and those that it is based on, nearest first.
    fn chain(&self, id: &str) -> impl Iterator<Item = &Style> {
        let next = |style: &&Style| style.based_on.as_ref().and_then(|id| self.styles.get(id));
        std::iter::successors(self.styles.get(id), next).take(10)
    }

    /// The level of heading, from 1, that a paragraph style stands for.
    pub fn heading(&self, id: &str) -> Option<u8> {
        let named = |name: &str| {
            let level = name.strip_prefix("heading ")?.trim().parse::<u8>().ok()?;
            (1..=9).contains(&level).then(|| level.min(6))
        };
        if !self.styles.contains_key(id) {
            // Some files name styles that they don't declare.
            let spaced = id.to_lowercase().replace("heading", "heading ");
            return named(&spaced).or((id == "Title" || id == "Heading").then_some(1));
        }
        // What others are based on is a heading only where it is used itself.
        if self.styles.get(id).is_some_and(|style| style.name == "heading") {
            return Some(1);
        }
        // So is a title: what only looks like one, as pandoc's authors and dates do, heads nothing.
        match self.styles.get(id).map(|style| style.name.as_str()) {
            Some("title") => return Some(1),
            Some("subtitle") => return Some(2),
            _ => {}
        }
        self.chain(id).find_map(|style| {
            named(&style.name).or_else(|| style.outline.filter(|level| *level < 9).map(|level| (level + 1).min(6)))
        })
    }

    /// Marks a run as its style does. A style's id is whatever the author's language made of its name.
    pub fn mark(&self, id: &str, marks: &mut Marks) {
        let of = |get: fn(&Style) -> Option<bool>| self.chain(id).find_map(get).unwrap_or(false);
        let name = self.styles.get(id).map_or_else(|| id.to_lowercase(), |style| style.name.clone());
        marks.bold |= name == "strong" || of(|style| style.bold);
        marks.italic |= name == "emphasis" || of(|style| style.italic);
        marks.struck |= of(|style| style.struck);
    }

    /// The list and level that a paragraph style stands for.
    pub fn list(&self, id: &str) -> Option<(String, u8)> {
        let list = self.chain(id).find_map(|style| style.list.clone())?;
        let level = self.chain(id).find_map(|style| style.level).unwrap_or(0);
        Some((list, level))
    }

    /// Whether a paragraph style begins each of its paragraphs on a page of its own.
    pub fn page_before(&self, id: &str) -> bool {
        self.chain(id).find_map(|style| style.page_before).unwrap_or(false)
    }

    /// Whether a paragraph style is one for code.
    pub fn is_code(&self, id: &str) -> bool {
        // As Word, LibreOffice and pandoc name it.
        let names = ["html preformatted", "preformatted text", "source code"];
        self.styles.get(id).is_some_and(|style| names.contains(&style.name.as_str()))
    }
}
