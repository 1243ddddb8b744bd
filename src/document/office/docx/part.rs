//! What a Word part holds while it is read: paragraphs, notes, and what its text refers to.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use crate::document::input::extension;
use crate::document::markup;
use crate::document::office::package::Relation;
use crate::document::office::symbols::{is_shown, symbol};

use super::run::Piece;

/// A footnote, endnote or comment.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// Its id.
    pub id: String,
    /// Who wrote it. Untrusted.
    pub author: String,
    /// Its text.
    pub text: String,
}

impl Note {
    /// A note that begins.
    pub fn begin(element: &BytesStart<'_>) -> Note {
        let get = |name| markup::attribute(element, name).unwrap_or_default();
        Note { id: get("id"), author: get("author"), text: String::new() }
    }
}

/// A block that is finished: a table, a chart, a document that stands in the text.
pub struct Finished {
    /// As Markdown.
    pub text: String,
    /// Pages that begin in it, with the numbers of a table's rows.
    pub pages: Vec<(usize, u32)>,
}

/// What stands in a text box.
pub enum Boxed {
    /// A paragraph.
    Paragraph(Paragraph),
    /// Another block.
    Block(Finished),
}

/// A paragraph that is open.
#[derive(Default)]
pub struct Paragraph {
    /// Id of its style.
    pub style: String,
    /// The list that it is an item of, by itself: an id (`0` for none) and a level.
    pub list: Option<String>,
    /// Its level in the list.
    pub level: Option<u8>,
    /// Level of its outline, by itself, from 0.
    pub outline: Option<u8>,
    /// Whether it begins on a page of its own, by itself.
    pub page_before: Option<bool>,
    /// What it consists of.
    pub pieces: Vec<Piece>,
    /// What its text boxes hold, to follow it.
    pub boxed: Vec<Boxed>,
    /// Whether its end was deleted: the next paragraph goes on with it.
    pub joined: bool,
    /// Whether a section ends with it.
    pub ends_section: bool,
}

impl Paragraph {
    /// Takes in what it says of its style, its list or its outline.
    pub fn property(&mut self, name: &str, value: String) {
        match name {
            "pStyle" => self.style = value,
            "numId" => self.list = Some(value),
            "ilvl" => self.level = value.parse().ok(),
            _ => self.outline = value.parse().ok(),
        }
    }
}

/// What a part's text refers to, and its pages.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// The pages of the notes that were referred to, by their ids: endnotes with an `e` before, comments with a `c`.
    pub notes: HashMap<String, u32>,
    /// How many pages it has, as far as it tells.
    pub pages: u32,
    /// Whether its pages were told.
    pub told: bool,
}

/// Whether a switch is on: it is, where it says nothing else.
pub fn on(element: &BytesStart<'_>) -> bool {
    !markup::attribute(element, "val").is_some_and(|value| ["0", "false", "off", "none"].contains(&value.as_str()))
}

/// Whether an element holds what was before a tracked change: of a paragraph, a cell, a table, a section…
pub fn is_former(element: &str) -> bool {
    element.ends_with("Change")
}

/// The sign that a symbol stands for.
pub fn sign(element: &BytesStart<'_>) -> char {
    let code = markup::attribute(element, "char").and_then(|code| u32::from_str_radix(&code, 16).ok());
    let font = markup::attribute(element, "font").unwrap_or_default();
    let known = code.map(|code| symbol(&font, code).or_else(|| char::from_u32(code).filter(is_shown)));
    known.flatten().unwrap_or('•')
}

/// How a picture is addressed; inside the document by its kind, without its data.
pub fn source(relation: &Relation) -> String {
    if relation.external {
        return relation.target.clone();
    }
    let kind = match extension(&relation.target).as_str() {
        "jpg" | "jpeg" => "jpeg".to_owned(),
        "svg" => "svg+xml".to_owned(),
        "" => "png".to_owned(),
        other => other.to_owned(),
    };
    format!("data:image/{kind};base64,")
}
