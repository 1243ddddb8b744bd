//! Text as it flows into Markdown: white space collapsed, blocks apart.

use super::pages::is_blank;
use crate::content::one_line;
use crate::document::heading::hold;
use crate::document::typed::{behind_marks, is_heading, is_markup, is_underline};

/// Signs that a fence of code begins with at least.
const FENCE: usize = 3;
/// Signs that stand close to the word behind them, and to that before them.
const OPENING: &[char] = &['(', '[', '{', '«', '“'];
const CLOSING: &[char] = &['.', ',', ';', ':', '!', '?', ')', ']', '}', '»', '”'];
/// Bytes of marks of lists and quotations that a heading may stand behind.
const MARKS: usize = 64;

/// Whether a line that begins so begins or ends code.
fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// A piece of Markdown that is being written.
#[derive(Default)]
pub struct Flow {
    text: String,
    /// Line breaks that are due before the next text.
    due: usize,
    /// Whether white space is due before the next text on this line.
    space: bool,
    /// Whether what comes before the next text is no part of it, though no white space may stand between them.
    parted: bool,
    /// Whether white space came before the first text.
    leads: bool,
    /// Line breaks that were due before the first text.
    apart: usize,
    /// Whether it is code: there, nothing is escaped.
    is_code: bool,
    /// Whether it is a part of a heading: which signs of it are escaped, turns out when that ends.
    is_held: bool,
}

impl Flow {
    /// A piece of code in a line.
    pub fn code() -> Flow {
        Flow { is_code: true, ..Flow::default() }
    }

    /// A piece that stands within this one: of a heading, where this is.
    pub fn part_of_it(&self) -> Flow {
        Flow { is_held: self.is_held, ..Flow::default() }
    }

    /// A heading.
    pub fn heading() -> Flow {
        Flow { is_held: true, ..Flow::default() }
    }

    /// Text of the page: white space collapses.
    pub fn words(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.bytes().position(is_space).unwrap_or(rest.len());
            let (word, mut after) = rest.split_at(end);
            if !word.is_empty() {
                self.word(word, after);
                if !self.is_code && !self.is_held {
                    // Within a line most words are nothing else.
                    let (words, behind) = after.split_at(plain_words(after));
                    self.text.push_str(words);
                    after = behind;
                }
            }
            let blanks = after.bytes().position(|byte| !is_space(byte)).unwrap_or(after.len());
            self.space |= blanks > 0;
            rest = &after[blanks..];
        }
    }

    /// A word, and the text behind it.
    fn word(&mut self, word: &str, after: &str) {
        self.part(word);
        self.start();
        if self.is_code {
            self.text.push_str(word);
            return;
        }
        if self.is_held {
            // Behind the marks of a heading no others of lines follow.
            hold(word, &mut self.text);
            return;
        }
        if self.at_line_start() {
            // Behind a lone dash a mark may stand that shows nothing, and more words of its line.
            let ends = || word == "-" || after.bytes().all(is_space);
            let underlines = || self.is_below() && is_underline(word) && ends();
            if is_markup(word) || underlines() {
                self.text.push('\\');
            }
        }
        let word = self.with_marks(word);
        // The signs of a fence may come one by one, with what shows nothing between them.
        let line = if word.contains(['`', '~']) { self.begun_line() } else { None };
        self.text.push_str(word);
        if let Some(line) = line.filter(|line| is_fence(&self.text[*line..])) {
            self.text.insert(line, '\\');
        }
    }

    /// Markdown that stays as it is, in the line.
    pub fn raw(&mut self, text: &str) {
        if !text.is_empty() {
            self.part(text);
            self.start();
            self.text.push_str(text);
        }
    }

    /// A break in the line that stays; two of them part paragraphs.
    pub fn line_break(&mut self) {
        if self.text.ends_with("  \n") && !self.is_code {
            self.breaks(2);
        } else if !self.text.is_empty() && self.due == 0 {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push_str("  \n");
        }
        self.space = false;
    }

    /// At least so many line breaks before what comes.
    pub fn breaks(&mut self, count: usize) {
        (self.space, self.parted) = (false, false);
        let due = if self.text.is_empty() { &mut self.apart } else { &mut self.due };
        *due = (*due).max(count);
    }

    /// Line breaks that are due before its first text and after its last.
    pub fn around(&self) -> (usize, usize) {
        (self.apart, self.due)
    }

    /// A block of its own.
    pub fn block(&mut self, text: &str) {
        self.breaks(2);
        self.raw(text);
        self.breaks(2);
    }

    /// Whether nothing but white space was written.
    pub fn is_empty(&self) -> bool {
        is_blank(&self.text)
    }

    /// Whether white space is due at the end.
    pub fn ends_in_space(&self) -> bool {
        self.space || self.parted
    }

    /// Whether white space came before the first text.
    pub fn starts_with_space(&self) -> bool {
        self.leads
    }

    /// White space before what comes.
    pub fn space(&mut self) {
        self.space = true;
    }

    /// What comes is no part of the word before it.
    pub fn part_words(&mut self) {
        self.parted = true;
    }

    /// White space before a text that is no part of the word before it, but for signs that stand close to a word.
    fn part(&mut self, text: &str) {
        if !std::mem::take(&mut self.parted) {
            return;
        }
        let is_picture = text.starts_with("![");
        let is_close = self.text.ends_with(OPENING) || text.starts_with(CLOSING) && !is_picture;
        self.space |= !is_close;
    }

    /// What was written, without white space around it.
    pub fn finish(self) -> String {
        let text = self.text.trim_matches(['\n', ' ', '\t', '\r']);
        if text.len() == self.text.len() { self.text } else { text.to_owned() }
    }

    /// What was written, without blank lines around it: the first line keeps what it is indented by.
    pub fn finish_lines(self) -> String {
        let text = self.text.trim_end();
        let start = text.len() - text.trim_start().len();
        let line = text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        text[line..].to_owned()
    }

    fn at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Whether what begins a line now stands right below another.
    fn is_below(&self) -> bool {
        self.text.strip_suffix('\n').is_some_and(|above| !above.is_empty() && !above.ends_with('\n'))
    }

    /// Writes the marks of quotations that a word begins with, and a backslash, where what stands behind all marks of its
    /// line would be a heading; gives what is left to write.
    fn with_marks<'a>(&mut self, word: &'a str) -> &'a str {
        if !word.starts_with(['>', '#']) {
            return word;
        }
        let signs = word.trim_start_matches('>');
        if !is_heading(signs) {
            return word;
        }
        let from = self.text.floor_char_boundary(self.text.len().saturating_sub(MARKS));
        let line = self.text[from..].rfind('\n').map(|end| from + end + 1).or((from == 0).then_some(0));
        if !line.is_some_and(|line| behind_marks(&self.text[line..]).is_empty()) {
            return word;
        }
        self.text.push_str(&word[..word.len() - signs.len()]);
        self.text.push('\\');
        signs
    }

    /// Where the last line begins, while it is too short for a fence.
    fn begun_line(&self) -> Option<usize> {
        let from = self.text.len().saturating_sub(FENCE);
        let end = self.text.as_bytes()[from..].iter().rposition(|byte| *byte == b'\n');
        let line = end.map_or(from, |end| from + end + 1);
        (self.text.len() - line < FENCE).then_some(line)
    }

    /// Writes what is due.
    fn start(&mut self) {
        let due = std::mem::take(&mut self.due);
        let space = std::mem::take(&mut self.space);
        self.leads |= space && self.text.is_empty();
        if due > 0 {
            self.text.truncate(self.text.trim_end().len());
            self.text.extend(std::iter::repeat_n('\n', due));
        } else if space && !self.at_line_start() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }
}

/// How much of what stands behind a word is words with one blank before each, which in a line are no more than words.
fn plain_words(text: &str) -> usize {
    let (mut end, mut before) = (0, b'x');
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b' ' if before == b' ' => return end,
            b' ' => end = at,
            b'\n' | b'\t' | b'\r' | 0x0C | b'>' | b'#' | b'`' | b'~' => return end,
            // It is white space that comes next.
            _ if at == 0 => return 0,
            _ => {}
        }
        before = byte;
    }
    if before == b' ' { end } else { text.len() }
}

/// White space that collapses; a no-break space doesn't.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}

/// A text on one line: one that is keeps its blanks.
pub fn unbroken(text: &str) -> String {
    if !text.contains('\n') && !text.contains("  ") {
        return text.to_owned();
    }
    one_line(text)
}

/// The blocks of a text, and whether each is a paragraph: no heading, list, table, quote or code. Of a single line only
/// a heading is none: `1. Scope` is the text of a link as often as an item.
pub fn blocks(text: &str) -> Vec<(&str, bool)> {
    if !text.contains('\n') {
        return vec![(text, !is_heading(text))];
    }
    let mut in_code = false;
    let is_item = |block: &str| {
        let block = block.strip_prefix('-').unwrap_or(block);
        let digits = block.len() - block.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
        digits > 0 && block[digits..].starts_with(". ")
    };
    let starts = |block: &str| {
        is_heading(block) || ["* ", "> ", "|", " ", ":   ", "---"].iter().any(|mark| block.starts_with(mark))
    };
    let block = |block| {
        let fences = str::lines(block).filter(|line| line.starts_with("```")).count();
        let plain = !in_code && fences == 0 && !starts(block) && !is_item(block);
        in_code ^= fences % 2 == 1;
        (block, plain)
    };
    text.split("\n\n").map(block).collect()
}

/// A text with `first` before its first line and `rest` before the others that are not blank.
pub fn indent(text: &str, first: &str, rest: &str) -> String {
    let mut indented = String::with_capacity(text.len() + first.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        let before = if index == 0 { first } else { rest };
        indented.push_str(if line.is_empty() { before.trim_end() } else { before });
        indented.push_str(line);
    }
    indented
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_that_come_together_are_written_as_those_that_come_one_by_one(
            text in "(#|>|-|`|~|=|a|ä|b c| |  |\n|\t|<pre>){0,12}",
            before in "(|x|x  \n|> |- )",
        ) {
            let begun = || {
                let mut flow = Flow::default();
                flow.raw(&before);
                flow
            };
            let (mut together, mut single) = (begun(), begun());
            together.words(&text);
            for (index, word) in text.split(|sign: char| sign.is_ascii() && is_space(sign as u8)).enumerate() {
                single.space |= index > 0;
                let behind = text.split(|sign: char| sign.is_ascii() && is_space(sign as u8)).skip(index + 1);
                if !word.is_empty() {
                    single.word(word, behind.collect::<Vec<_>>().concat().as_str());
                }
            }
            prop_assert_eq!((together.text, together.space), (single.text, single.space));
        }
    }
}
