//! Styles: which of them are headings, and which are lists.

use std::collections::HashMap;

use crate::document::encoding::TextReader;
use crate::document::markup::{self, Event};
use crate::document::script::Script;

use super::numbering::Numbering;
use super::part::{is_former, on};
use super::run::Marks;

/// How headings are called: Word writes English names in every language, other programs those of their own.
const HEADINGS: &[&str] = &[
    "heading",
    "überschrift",
    "titre",
    "título",
    "titolo",
    "intestazione",
    "titlu",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nadpis",
    "nagłówek",
    "címsor",
    "naslov",
    "antraštė",
    "virsraksts",
    "pealkiri",
    "cabeçalho",
    "encabezado",
    "başlık",
    "заголовок",
    "заглавие",
    "наслов",
    "επικεφαλίδα",
    "כותרת",
    "عنوان",
    "العنوان",
    "标题",
    "標題",
    "見出し",
    "제목",
    "หัวเรื่อง",
    "judul",
    "tiêu đề",
];
/// The level of outline, from 0, of what is no heading.
const BODY_TEXT: u8 = 9;
/// The least ASCII letters by which a style's id tells its name: what is no ASCII letter is left out of ids.
const LETTERS: usize = 3;

/// The level, from 1, of the style that is called so, by one of its names: `heading 2`, `Überschrift 2`, `heading 1,h1`.
fn level_of(names: &str) -> Option<u8> {
    let known = names.split(',').filter_map(|name| parted(name.trim()));
    known.filter(|(word, _)| HEADINGS.contains(word)).map(|(_, level)| level).next()
}

/// The level of a style that nothing declares, by its id: `Heading2`, `berschrift2`.
fn level_of_id(id: &str) -> Option<u8> {
    let lower = id.to_lowercase();
    let (word, level) = parted(&lower)?;
    let is_id_of = |name: &&str| {
        let mut letters = name.chars().filter(char::is_ascii_alphabetic);
        word.len() >= LETTERS && word.chars().all(|sign| letters.next() == Some(sign)) && letters.next().is_none()
    };
    (HEADINGS.contains(&word) || HEADINGS.iter().any(is_id_of)).then_some(level)
}

/// A name before a level's number, and what is a level of Markdown.
fn parted(name: &str) -> Option<(&str, u8)> {
    let word = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let level = name[word.len()..].parse::<u8>().ok().filter(|level| (1..=9).contains(level))?;
    Some((word.trim_end(), level.min(6)))
}

/// How many levels the items of a style stand below the others, by its name: Word has lists of their own for these.
fn depth_of(name: &str) -> Option<u8> {
    let (word, level) = parted(name)?;
    matches!(word, "list" | "list bullet" | "list number").then_some(level - 1)
}

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
    /// Where its texts stand, `None` within for in the line.
    script: Option<Option<Script>>,
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
                "vertAlign" => style.script = Some(Script::named(value().as_deref())),
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
        if !self.styles.contains_key(id) {
            // Some files name styles that they don't declare.
            return level_of_id(id).or((id == "Title" || id == "Heading").then_some(1));
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
        // The nearest that tells anything tells it: one may take back what it is based on.
        let told = |style: &Style| {
            let own = || style.outline.map(|level| (level < BODY_TEXT).then(|| (level + 1).min(6)));
            level_of(&style.name).map(Some).or_else(own)
        };
        self.chain(id).find_map(told).flatten()
    }

    /// Marks a run as its style does. A style's id is whatever the author's language made of its name.
    pub fn mark(&self, id: &str, marks: &mut Marks) {
        let of = |get: fn(&Style) -> Option<bool>| self.chain(id).find_map(get).unwrap_or(false);
        let name = self.styles.get(id).map_or_else(|| id.to_lowercase(), |style| style.name.clone());
        marks.bold |= name == "strong" || of(|style| style.bold);
        marks.italic |= name == "emphasis" || of(|style| style.italic);
        marks.struck |= of(|style| style.struck);
    }

    /// Whether a style's runs stand above or below the line.
    pub fn script(&self, id: &str) -> Option<Script> {
        self.chain(id).find_map(|style| style.script).flatten()
    }

    /// The list that a paragraph style stands for.
    pub fn list(&self, id: &str) -> Option<String> {
        self.chain(id).find_map(|style| style.list.clone())
    }

    /// The level of a list that a paragraph style stands for, where it or its list tells it.
    pub fn list_level(&self, id: &str, list: &str, numbering: &Numbering) -> Option<u8> {
        let ids = std::iter::successors(Some(id), |id| self.styles.get(*id)?.based_on.as_deref()).take(10);
        let linked = || ids.into_iter().find_map(|id| numbering.level_of(list, id));
        self.chain(id).find_map(|style| style.level).or_else(linked)
    }

    /// How many levels its items stand below others, as far as its name tells it.
    pub fn list_depth(&self, id: &str) -> u8 {
        self.chain(id).find_map(|style| depth_of(&style.name)).unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_known_by_their_names_in_other_languages() {
        for (name, level) in [
            ("heading 1", Some(1)),
            ("überschrift 2", Some(2)),
            ("标题 3", Some(3)),
            ("見出し4", Some(4)),
            ("заголовок 9", Some(6)),
            ("heading 10", None),
            ("heading", None),
            ("heading 1,h1,kapitel", Some(1)),
            ("kapitel, heading 3", Some(3)),
            ("tiêu đề 1", Some(1)),
            ("intestazione 2", Some(2)),
            ("list 2", None),
            ("subheading 2", None),
        ] {
            assert_eq!(level_of(name), level, "{name}");
        }
        for (id, level) in [
            ("Heading7", Some(6)),
            ("Titre2", Some(2)),
            ("berschrift1", Some(1)),
            ("Überschrift1", Some(1)),
            ("Nagwek2", Some(2)),
            ("Kop1", Some(1)),
            ("1", None),
            ("a1", None),
            ("Table1", None),
        ] {
            assert_eq!(level_of_id(id), level, "{id}");
        }
    }

    #[test]
    fn an_undeclared_or_translated_style_is_a_heading() {
        let styles = "<w:styles><w:style w:styleId='S1'><w:name w:val='Заголовок 2'/></w:style>\
            <w:style w:styleId='T'><w:name w:val='Title'/></w:style></w:styles>";
        let reader = TextReader::new(Box::new(std::io::Cursor::new(styles.as_bytes().to_vec()))).ok();
        let styles = Styles::read(reader);
        assert_eq!(["S1", "T", "Titolo3", "Normal"].map(|id| styles.heading(id)), [Some(2), Some(1), Some(3), None]);
    }

    #[test]
    fn a_style_may_take_back_that_it_is_based_on_a_heading() {
        let styles = "<w:styles><w:style w:styleId='H'><w:name w:val='heading 1'/></w:style>\
            <w:style w:styleId='B'><w:name w:val='Box'/><w:basedOn w:val='H'/><w:pPr><w:outlineLvl w:val='9'/></w:pPr>\
            </w:style><w:style w:styleId='C'><w:name w:val='Closer'/><w:basedOn w:val='H'/></w:style></w:styles>";
        let reader = TextReader::new(Box::new(std::io::Cursor::new(styles.as_bytes().to_vec()))).ok();
        let styles = Styles::read(reader);
        assert_eq!(["H", "B", "C"].map(|id| styles.heading(id)), [Some(1), None, Some(1)]);
    }
}
