//! What a Word part holds while it is read: paragraphs, notes, and what its text refers to.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use crate::document::input::extension;
use crate::document::markup;

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
    /// Whether its end was deleted: the next paragraph goes on with it.
    pub joined: bool,
    /// Whether a section ends with it.
    pub ends_section: bool,
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

/// How a picture inside the document is addressed: by its kind, without its data.
pub fn data_address(target: &str) -> String {
    let kind = match extension(target).as_str() {
        "jpg" | "jpeg" => "jpeg".to_owned(),
        "svg" => "svg+xml".to_owned(),
        "" => "png".to_owned(),
        other => other.to_owned(),
    };
    format!("data:image/{kind};base64,")
}
