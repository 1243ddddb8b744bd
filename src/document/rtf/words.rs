//! The words of a paragraph of RTF, and how they look.

use crate::document::office::docx::run::{Becomes, Marks, Piece, join};

/// How words look, as far as that is told. Nothing of it is said of a heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// In bold.
    pub bold: bool,
    /// In italics.
    pub italic: bool,
    /// Struck through.
    pub struck: bool,
    /// The link that they are of, by its number.
    pub link: Option<usize>,
}

/// Changes of looks that are told apart in one text.
const LOOKS_MAX: usize = 20_000;

/// Words, each as it looks.
#[derive(Clone, Debug, Default)]
pub struct Words {
    runs: Vec<(String, Look)>,
    size: usize,
}

impl Words {
    /// More of them.
    pub fn push(&mut self, text: &str, look: Look) {
        self.size += text.len();
        let is_full = self.runs.len() >= LOOKS_MAX;
        match self.runs.last_mut() {
            Some((last, same)) if *same == look || is_full => last.push_str(text),
            _ => self.runs.push((text.to_owned(), look)),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Their bytes.
    pub fn len(&self) -> usize {
        self.size
    }

    /// They, however they look.
    pub fn plain(&self) -> String {
        let plain: String = self.runs.iter().map(|(text, _)| text.as_str()).collect();
        plain.trim().to_owned()
    }

    /// As Markdown; `links` are the targets of links.
    pub fn markdown(&self, becomes: Becomes, links: &[String]) -> String {
        let marks = |look: &Look| Marks {
            bold: look.bold,
            italic: look.italic,
            struck: look.struck,
            link: look.link.and_then(|link| links.get(link)).cloned(),
        };
        let first = self.runs.iter().position(|(text, _)| !text.trim().is_empty()).unwrap_or(0);
        let pieces = self.runs.iter().skip(first).enumerate().map(|(at, (text, look))| {
            let text = if at == 0 { text.trim_start() } else { text };
            Piece::Text(text.to_owned(), marks(look))
        });
        let (mut text, _) = join(&pieces.collect::<Vec<_>>(), becomes);
        text.truncate(text.trim_end().len());
        text
    }
}
