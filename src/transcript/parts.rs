//! Blocks on their way from a request or an item into the history, whoever's API it is.

use crate::model::{BlockKind, CallKey, Coding, Layer, Span};

use super::build::Draft;
use super::json::Json;
use super::stored::Stored;

/// A block, and what tells it from others by its content (a hidden one by the bytes that stand for it).
#[derive(Clone, Debug)]
pub struct Piece {
    /// The block.
    pub draft: Draft,
    /// Equal key, equal content.
    pub key: u64,
    /// Marks for a cache at its end. The same content may be marked in one request and not in the next.
    pub marks: Vec<Span>,
}

impl Piece {
    /// A block whose content is its body.
    #[must_use]
    pub fn new(draft: Draft) -> Self {
        let key = draft.body.hash();
        Piece { draft, key, marks: Vec::new() }
    }

    /// The call that it makes or answers.
    #[must_use]
    pub fn with_call(mut self, call: Option<CallKey>) -> Self {
        self.draft.call = call;
        self
    }

    /// A block behind opaque bytes.
    #[must_use]
    pub fn hidden(kind: BlockKind, layer: Layer, stored: &Stored<'_>, opaque: Option<&[u8]>) -> Self {
        let key = opaque.map_or(0, |bytes| crate::content::hash(bytes, Coding::Base64));
        Piece { draft: Draft::new(kind, layer, stored.hidden(opaque, None)), key, marks: Vec::new() }
    }
}

/// What is read, and the types that are not known.
#[derive(Default)]
pub struct Parts {
    /// The blocks, in order.
    pub pieces: Vec<Piece>,
    /// What is not understood, in words.
    pub unknown: Vec<String>,
}

impl Parts {
    /// Takes in the mark for a cache that a part carries: it stands behind the last block of that part, if it has any
    /// beyond the `before` that were there.
    pub fn mark(&mut self, stored: &Stored<'_>, part: &Json<'_>, before: usize) {
        let mark = part.some("cache_control").filter(|mark| mark.is_object() && mark.whole);
        if let (Some(mark), Some(last)) = (mark, self.pieces.iter_mut().skip(before).next_back()) {
            last.marks.push(stored.span(mark.raw, Coding::Plain));
        }
    }
}

/// The words about a type that nothing is known of.
#[must_use]
pub fn unknown_type(name: &str) -> String {
    let name: String = name.chars().take(60).collect();
    match name.as_str() {
        "" => "a part of the content is no object with a type: its JSON is kept as text".to_owned(),
        name => format!("unknown type {name:?}: its JSON is kept as text"),
    }
}

/// The words about a role that nothing is known of.
#[must_use]
pub fn unknown_role(name: &str) -> String {
    let name: String = name.chars().take(60).collect();
    match name.as_str() {
        "" => "a message says no role: it is taken for the user's".to_owned(),
        name => format!("unknown role {name:?}: it is taken for the user's"),
    }
}
