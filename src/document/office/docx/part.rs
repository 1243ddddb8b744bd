//! What a Word part holds while it is read: paragraphs, notes, and what its text refers to.

use std::collections::HashMap;

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
