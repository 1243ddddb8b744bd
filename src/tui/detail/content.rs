//! What an entry holds, read and ready to be laid out; made away from the screen, for it can be long.

use std::sync::Arc;

use crate::config::Role;

/// What a piece of an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text as a program wrote it: JSON, a patch or code by its looks or its file's name, else plain.
    Plain {
        /// The file that it is from, where that is known.
        file: Option<Arc<str>>,
    },
    /// Text as a person or a model wrote it.
    Markdown,
    /// A tool's arguments.
    Call {
        /// The tool's name.
        tool: Arc<str>,
    },
    /// What somebody says about the text: a marker that the model saw.
    Marker,
    /// What windowpane says about the text: the boundary of a cut, and its rule.
    Rule,
    /// What the transcript does not show.
    Hidden,
    /// A picture.
    Picture(Arc<Media>),
}

/// A picture, as it stands in the transcript.
#[derive(Clone, PartialEq, Eq)]
pub struct Media {
    /// Media type. Untrusted.
    pub mime: String,
    /// Width and height in pixels, where they are known.
    pub pixels: Option<(u32, u32)>,
    /// Its tokens.
    pub tokens: u64,
    /// Bytes as stored, in base64; 0 where only an address is.
    pub bytes: u64,
    /// The stored bytes, in base64; `None` where it is elsewhere, or too large to be shown.
    pub data: Option<Arc<[u8]>>,
}

impl std::fmt::Debug for Media {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {:?} {} bytes", self.mime, self.pixels, self.bytes)
    }
}

/// A piece of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub form: Form,
    /// Whether the model saw it; else it was cut, cleared or summarised away.
    pub kept: bool,
    /// Its text, as recorded. Untrusted.
    pub text: String,
}

/// An entry's pieces, in order, and where they came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Where each piece stands, as tags: `[source:build.log | line 12 | @4,200–9,100]`. Untrusted.
    pub provenance: Vec<String>,
    /// Bytes that are not shown, because there are too many.
    pub left_out: u64,
}

impl Content {
    /// The text that the model saw, for the clipboard.
    #[must_use]
    pub fn kept_text(&self) -> String {
        let seen = |piece: &&Piece| piece.kept && !matches!(piece.form, Form::Rule | Form::Picture(_) | Form::Hidden);
        self.pieces.iter().filter(seen).map(|piece| piece.text.as_str()).collect()
    }
}

/// A piece of a line in one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ink {
    /// The text, harmless.
    pub text: String,
    /// What it is.
    pub role: Role,
    /// Bold.
    pub strong: bool,
    /// Italic.
    pub soft: bool,
}

impl Ink {
    /// Text in a role, made harmless.
    #[must_use]
    pub fn new(text: &str, role: Role) -> Ink {
        Ink { text: crate::present::safe(text).into_owned(), role, strong: false, soft: false }
    }
}

/// A line in several looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inked {
    /// Its pieces.
    pub inks: Vec<Ink>,
    /// What stands before every row of it: bars of quotes, blanks of lists.
    pub margin: String,
    /// Columns that rows after the first are set in by.
    pub hang: u16,
}

/// A longer line is shown as several, so that no line costs more than this to lay out.
pub const LINE_MAX: usize = 4096;

impl Inked {
    /// The line as lines that are short enough.
    #[must_use]
    pub fn divided(self) -> Vec<Inked> {
        if self.inks.iter().map(|ink| ink.text.len()).sum::<usize>() <= LINE_MAX {
            return vec![self];
        }
        let empty = || Inked { inks: Vec::new(), margin: self.margin.clone(), hang: self.hang };
        let mut lines = vec![empty()];
        let mut room = LINE_MAX;
        for ink in &self.inks {
            let mut rest = ink.text.as_str();
            while !rest.is_empty() {
                let cut = rest.ceil_char_boundary(room.min(rest.len()));
                let (now, later) = rest.split_at(cut);
                if let (Some(line), false) = (lines.last_mut(), now.is_empty()) {
                    line.inks.push(Ink { text: now.to_owned(), ..ink.clone() });
                }
                room = room.saturating_sub(cut);
                rest = later;
                if room == 0 {
                    lines.push(empty());
                    room = LINE_MAX;
                }
            }
        }
        lines
    }
}
