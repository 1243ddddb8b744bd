//! A line that is being typed.

use unicode_segmentation::UnicodeSegmentation;

use crate::config::{Code, Key};

/// A line of text with a cursor between its graphemes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// Byte at which the next character goes.
    cursor: usize,
}

/// The longest line that is taken, in bytes.
const MOST: usize = 4096;

impl Input {
    /// A line that already holds text.
    #[must_use]
    pub fn with(text: &str) -> Input {
        Input { text: text.to_owned(), cursor: text.len() }
    }

    /// What has been typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands before the cursor.
    #[must_use]
    pub fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    /// Takes typed or pasted text; line breaks become blanks.
    pub fn insert(&mut self, text: &str) {
        for sign in text.chars().map(|sign| if sign.is_whitespace() { ' ' } else { sign }) {
            if !sign.is_control() && self.text.len() + sign.len_utf8() <= MOST {
                self.text.insert(self.cursor, sign);
                self.cursor += sign.len_utf8();
            }
        }
    }

    /// Takes a key that edits; says whether it did.
    pub fn key(&mut self, key: Key) -> bool {
        if let Some(sign) = key.typed() {
            self.insert(sign.encode_utf8(&mut [0; 4]));
            return true;
        }
        let ctrl = |sign: char| key.ctrl && key.code == Code::Char(sign);
        match key.code {
            Code::Backspace if !key.ctrl && !key.alt => {
                let from = self.left();
                self.text.replace_range(from..self.cursor, "");
                self.cursor = from;
            }
            Code::Delete => {
                let to = self.right();
                self.text.replace_range(self.cursor..to, "");
            }
            Code::Left => self.cursor = self.left(),
            Code::Right => self.cursor = self.right(),
            Code::Home => self.cursor = 0,
            Code::End => self.cursor = self.text.len(),
            _ if ctrl('a') => self.cursor = 0,
            _ if ctrl('e') => self.cursor = self.text.len(),
            _ if ctrl('u') => {
                self.text.replace_range(..self.cursor, "");
                self.cursor = 0;
            }
            _ if ctrl('k') => self.text.truncate(self.cursor),
            _ if ctrl('w') || key.code == Code::Backspace => {
                let kept = self.before().trim_end();
                let from = kept.rfind(' ').map_or(0, |at| at + 1);
                self.text.replace_range(from..self.cursor, "");
                self.cursor = from;
            }
            _ => return false,
        }
        true
    }

    fn left(&self) -> usize {
        self.before().grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let after = self.text.get(self.cursor..).unwrap_or_default();
        self.cursor + after.graphemes(true).next().map_or(0, str::len)
    }
}
