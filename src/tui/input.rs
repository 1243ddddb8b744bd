//! A line that is being typed.

use unicode_segmentation::UnicodeSegmentation;

use crate::config::{Code, Key, Role};
use crate::present::width;

use super::line::Line;

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

    /// Draws the line, or a hint where nothing is typed; returns the column of the cursor, which is always in sight: where
    /// there is no room for all before it, the beginning gives way.
    pub fn draw(&self, line: &mut Line<'_>, hint: &str) -> u16 {
        let start = line.column();
        if self.text.is_empty() {
            line.skip(1);
            line.put(hint, Role::Dim);
            return start;
        }
        // The cursor stands on a column of its own behind the text.
        let room = usize::from(line.left().saturating_sub(1));
        let before = self.before();
        let mut from = 0;
        if width(before) > room {
            line.put("…", Role::Dim);
            let (mut left, mut signs) = (room.saturating_sub(1), before.grapheme_indices(true).rev());
            from = before.len();
            while let Some((at, sign)) = signs.next().filter(|(_, sign)| width(sign) <= left) {
                left -= width(sign);
                from = at;
            }
        }
        let end = line.column() + line.left();
        let shown = u16::try_from(width(before.get(from..).unwrap_or_default())).unwrap_or(0);
        let cursor = line.column().saturating_add(shown).min(end.saturating_sub(1)).max(start);
        line.put(self.text.get(from..).unwrap_or_default(), Role::Text);
        cursor
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
