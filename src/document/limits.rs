//! How much of a document is shown (source 4), and the cuts that are the same for every format.

use serde::{Deserialize, Serialize};

use crate::tokens::{Encoding, count, cut_head};

use super::piece::{Conversion, Shown};

/// How much of a document is shown. The defaults are source 4's key configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Lines of text, code and documents. Source 4: `MAX_LINES`.
    pub lines: u64,
    /// Characters of a line. Source 4: `MAX_LINE_LENGTH`.
    pub line_chars: u64,
    /// First rows of a table, without its header. Source 4: `DEFAULT_ROWS_HEAD`.
    pub rows_head: u64,
    /// Last rows of a table. Source 4: `DEFAULT_ROWS_TAIL`.
    pub rows_tail: u64,
    /// Columns of a table. Source 4: `MAX_COLUMNS`.
    pub columns: u64,
    /// Characters of a cell. Source 4: `MAX_CELL_LENGTH`.
    pub cell_chars: u64,
    /// Sheets of a workbook. The published code of source 4: 3.
    pub sheets: u64,
    /// Levels of arrays and objects. Source 4: `MAX_NESTING_DEPTH`.
    pub depth: u64,
    /// Items of an array. Source 4: `MAX_ARRAY_ITEMS`.
    pub items: u64,
    /// Keys of an object. Source 4: `MAX_OBJECT_KEYS`.
    pub keys: u64,
    /// Characters of a string in structured data. Source 4: "strings at 500 characters".
    pub string_chars: u64,
    /// Characters in all. Source 4: `MAX_TOTAL_OUTPUT`.
    pub total_chars: u64,
    /// Tokens in all, cut last. Source 4: `MAX_TOKENS_PER_FILE`.
    pub tokens: u64,
    /// Bytes of a picture. Source 4: 2 MB.
    pub image_bytes: u64,
    /// Pixels of a picture's longer side; 0 for any. Source 4: the alternative strategy.
    pub image_side: u32,
    /// Bytes of a sound. Source 4 names a limit without a figure.
    pub audio_bytes: u64,
    /// Seconds of a sound. Source 4 names a limit without a figure.
    pub audio_seconds: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            lines: 200,
            line_chars: 1_000,
            rows_head: 20,
            rows_tail: 10,
            columns: 50,
            cell_chars: 500,
            sheets: 3,
            depth: 5,
            items: 50,
            keys: 50,
            string_chars: 500,
            total_chars: 50_000,
            tokens: 5_000,
            image_bytes: 2 << 20,
            image_side: 0,
            audio_bytes: 2 << 20,
            audio_seconds: 600,
        }
    }
}

/// What stands where the lines, or the characters in all, end.
pub const MORE: &str = "...";
/// What stands where the tokens end. Source 4's published code.
pub const TOKENS_END: &str = "\n\n[... truncated due to token limit ...]";

/// A text within limits without the mark that they ended it with.
#[must_use]
pub fn without_end(text: &str) -> &str {
    let text = text.strip_suffix(TOKENS_END).unwrap_or(text);
    text.strip_suffix(MORE).filter(|text| text.is_empty() || text.ends_with('\n')).unwrap_or(text)
}

/// The beginning of a text: at most `chars` characters, then `...`; whether it was shortened.
#[must_use]
pub fn shorten(text: &str, chars: u64) -> (&str, bool) {
    let most = usize::try_from(chars).unwrap_or(usize::MAX);
    if text.len() <= most {
        return (text, false);
    }
    match text.char_indices().nth(most) {
        Some((at, _)) => (&text[..at], true),
        None => (text, false),
    }
}

/// Passes on the first lines, and the beginning of each.
pub struct LineCutter {
    lines: u64,
    line_chars: u64,
    total_chars: u64,
    count_lines: bool,
    /// Number of the newest line, from 1; 0 before the first.
    line: u64,
    /// Number of the newest line of which something was passed on.
    shown: u64,
    /// Characters of the newest line.
    column: u64,
    /// The bytes of Markdown at which lines were shortened.
    long: Vec<u64>,
    /// Characters passed on.
    written: u64,
    /// Bytes of Markdown so far.
    bytes: u64,
}

impl LineCutter {
    /// Cuts lines, and where `count_lines` is set also ends after so many. `bytes`: of the Markdown before them.
    #[must_use]
    pub fn new(limits: &Limits, count_lines: bool, bytes: u64) -> LineCutter {
        LineCutter {
            lines: if count_lines { limits.lines } else { u64::MAX },
            line_chars: limits.line_chars,
            // One character more tells that there is more; `cut_whole` then ends it with its mark.
            total_chars: limits.total_chars.saturating_add(1),
            count_lines,
            line: 0,
            shown: 0,
            column: 0,
            long: Vec::new(),
            written: 0,
            bytes,
        }
    }

    /// Whether nothing has come yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.line == 0
    }

    /// Whether nothing more will be passed on.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.line > self.lines || self.written >= self.total_chars
    }

    /// Takes text in, and adds what may be shown of it to `to`.
    pub fn push(&mut self, text: &str, to: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            self.line = self.line.max(1);
            if self.is_full() {
                let breaks = memchr::memchr_iter(b'\n', rest.as_bytes()).count() as u64;
                self.line = self.line.saturating_add(breaks);
                self.column = u64::from(!rest.ends_with('\n'));
                return;
            }
            let (line, broken, next) = match memchr::memchr(b'\n', rest.as_bytes()) {
                Some(at) => (&rest[..at], true, &rest[at + 1..]),
                None => (rest, false, ""),
            };
            self.part(line, to);
            if broken {
                self.end_line(to);
            }
            rest = next;
        }
    }

    /// A part of one line.
    fn part(&mut self, text: &str, to: &mut String) {
        self.shown = self.line;
        let already_cut = self.column > self.line_chars;
        if text.is_empty() || already_cut || (self.column == self.line_chars && text == "\r") {
            return;
        }
        let (shown, cut) = shorten(text.trim_end_matches('\r'), self.line_chars.saturating_sub(self.column));
        let shown = if cut { shown } else { text };
        to.push_str(shown);
        let count = shown.chars().count() as u64;
        self.column += count;
        self.written += count;
        self.bytes += shown.len() as u64;
        if cut {
            self.long.push(self.bytes);
            to.push_str(MORE);
            self.bytes += MORE.len() as u64;
            self.column = self.line_chars.saturating_add(1);
        }
    }

    fn end_line(&mut self, to: &mut String) {
        self.line += 1;
        self.column = 0;
        if self.line <= self.lines {
            to.push('\n');
            (self.written, self.bytes) = (self.written + 1, self.bytes + 1);
        }
    }

    /// Ends the text: lines shown and in all (where they are counted), and at which bytes of Markdown some were shortened.
    pub fn finish(mut self, to: &mut String) -> (Option<(u64, u64)>, Vec<u64>) {
        let long = std::mem::take(&mut self.long);
        if !self.count_lines {
            return (None, long);
        }
        // A last line break ends a line and begins none.
        let total = if self.column == 0 { self.line.saturating_sub(1) } else { self.line };
        if total > self.lines && self.written < self.total_chars {
            to.push('\n');
            to.push_str(MORE);
        } else if total == self.lines && self.line > self.lines {
            to.push('\n');
        }
        (Some((self.shown.min(total), total)), long)
    }
}

/// A text before the last two limits, and the bytes of it at which they ended it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uncut {
    /// The text.
    pub markdown: String,
    /// Where its characters in all ended.
    pub chars: Option<usize>,
    /// Where its tokens did.
    pub tokens: Option<usize>,
}

/// The last two limits, over what the others left: characters in all, then tokens. What they took, where they did.
pub fn cut_whole(conversion: &mut Conversion, limits: &Limits, encoding: Encoding) -> Option<Uncut> {
    let mut uncut: Option<Uncut> = None;
    // To count all tokens of a file would be to read all of it.
    let mut of_rest = conversion.shown.iter().any(|one| !one.is_all());
    let mut end_at = |conversion: &mut Conversion, end: usize, mark: &str| {
        let end = conversion.markdown.floor_char_boundary(end);
        still_shown(conversion, end);
        let uncut = uncut.get_or_insert_with(|| Uncut { markdown: conversion.markdown.clone(), ..Uncut::default() });
        *(if mark == TOKENS_END { &mut uncut.tokens } else { &mut uncut.chars }) = Some(end);
        conversion.anchors.retain(|anchor| anchor.byte < end as u64 || anchor.byte == 0);
        conversion.markdown.truncate(end);
        conversion.markdown.push_str(mark);
    };
    if shorten(&conversion.markdown, limits.total_chars).1 {
        let kept = limits.total_chars.saturating_sub(MORE.len() as u64 + 1);
        let end = shorten(&conversion.markdown, kept).0.len();
        end_at(conversion, end, &format!("\n{MORE}"));
        conversion.shown.push(Shown::Words(format!("cut at {} characters", limits.total_chars)));
        of_rest = true;
    }
    let total = count(&conversion.markdown, encoding);
    if total > limits.tokens {
        // The mark counts, too; where not even that fits, it stands alone.
        let kept = limits.tokens.saturating_sub(count(TOKENS_END, encoding));
        let mut end = cut_head(&conversion.markdown, encoding, kept);
        end_at(conversion, end, TOKENS_END);
        // Where both meet, a token more may arise.
        while end > 0 && count(&conversion.markdown, encoding) > limits.tokens {
            end = conversion.markdown.floor_char_boundary(end - 1);
            conversion.markdown.truncate(end);
            conversion.markdown.push_str(TOKENS_END);
        }
        let shown = if end == 0 { 0 } else { limits.tokens };
        conversion.shown.push(Shown::Of { what: "tokens".to_owned(), shown, total, ends: Vec::new(), of_rest });
    }
    conversion.shown.retain(|one| !one.is_all());
    uncut
}

/// Corrects what is said to be shown: of a text that ends at that byte only what ends before is.
fn still_shown(conversion: &mut Conversion, end: usize) {
    for one in &mut conversion.shown {
        let (what, shown, ends) = match one {
            Shown::Of { what, shown, ends, .. } => (what, shown, ends),
            Shown::Cut { count, at, of, .. } if !at.is_empty() => {
                *count = at.iter().filter(|at| **at < end as u64).count() as u64;
                let mut places = at.iter();
                of.retain(|_| places.next().is_some_and(|at| *at < end as u64));
                continue;
            }
            Shown::Cut { .. } | Shown::Words(_) => continue,
        };
        if what == "lines" && ends.is_empty() {
            let lines = memchr::memchr_iter(b'\n', conversion.markdown.as_bytes());
            let most = usize::try_from(*shown).unwrap_or(usize::MAX);
            ends.extend(lines.map(|at| at as u64 + 1).take(most));
        }
        if !ends.is_empty() {
            let whole = ends.iter().filter(|at| **at <= end as u64).count() as u64;
            // Of a sheet a part is shown, with figures of its own.
            let begun = ends.iter().rev().skip(1).filter(|at| **at < end as u64).count() as u64 + 1;
            *shown = (*shown).min(if what == "sheets" { begun } else { whole });
        }
    }
    conversion.shown.retain(|one| !matches!(one, Shown::Cut { count: 0, .. }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(lines: u64, line_chars: u64, parts: &[&str]) -> (String, Option<(u64, u64)>, u64) {
        let limits = Limits { lines, line_chars, ..Limits::default() };
        let mut cutter = LineCutter::new(&limits, true, 0);
        let mut to = String::new();
        for part in parts {
            cutter.push(part, &mut to);
        }
        let (counted, long) = cutter.finish(&mut to);
        assert!(long.iter().all(|at| to[*at as usize..].starts_with(MORE)), "{to:?} {long:?}");
        (to, counted, long.len() as u64)
    }

    #[test]
    fn lines_over_the_limit_are_counted_and_marked() {
        assert_eq!(cut(2, 9, &["a\nb\nc\nd"]), ("a\nb\n...".into(), Some((2, 4)), 0));
        assert_eq!(cut(2, 9, &["a\n", "b\n", "c\n"]), ("a\nb\n...".into(), Some((2, 3)), 0));
    }

    #[test]
    fn the_mark_at_the_end_is_told_from_the_text() {
        assert_eq!(without_end(&cut(2, 9, &["a\nb\nc\nd"]).0), "a\nb\n");
        assert_eq!(without_end(&format!("a{TOKENS_END}")), "a");
        assert_eq!((without_end("wait..."), without_end("a\n")), ("wait...", "a\n"));
    }

    #[test]
    fn tokens_are_said_to_be_those_that_the_other_limits_left() {
        use crate::document::{shown_line, testing};
        let text = "word and word\n".repeat(100);
        let shown = |limits: Limits| {
            let mut found = testing::converted("a.txt", text.as_bytes(), Some(&limits));
            cut_whole(&mut found, &limits, Encoding::Cl100kBase);
            shown_line(&found.shown)
        };
        let all = shown(Limits { tokens: 80, ..Limits::default() });
        assert!(all.ends_with(", tokens: 80 of 400"), "{all}");
        let rest = shown(Limits { tokens: 80, lines: 50, ..Limits::default() });
        assert!(rest.contains(" of 100, tokens: 80 of 2") && rest.ends_with(" that the other limits left"), "{rest}");
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        assert_eq!(cut(2, 9, &["a\r\nb\r\n"]), ("a\r\nb\r\n".into(), Some((2, 2)), 0));
        assert_eq!(cut(2, 3, &["abc\r\nxyz"]), ("abc\r\nxyz".into(), Some((2, 2)), 0));
        assert_eq!(cut(3, 9, &["", "\n", "\n"]), ("\n\n".into(), Some((2, 2)), 0));
    }

    #[test]
    fn long_lines_are_cut_once_even_when_they_come_in_parts() {
        assert_eq!(cut(5, 3, &["ab", "cd", "ef\nxy"]), ("abc...\nxy".into(), Some((2, 2)), 1));
        assert_eq!(cut(5, 3, &["äöüß\n"]), ("äöü...\n".into(), Some((1, 1)), 1));
    }

    #[test]
    fn characters_then_tokens_are_cut_last() {
        let mut conversion = Conversion { markdown: "0123456789".into(), ..Conversion::default() };
        let limits = Limits { total_chars: 8, ..Limits::default() };
        cut_whole(&mut conversion, &limits, Encoding::Cl100kBase);
        assert_eq!(conversion.markdown, "0123\n...");
        let limits = Limits { tokens: 1, ..limits };
        cut_whole(&mut conversion, &limits, Encoding::Cl100kBase);
        assert_eq!(conversion.markdown, TOKENS_END);
    }

    #[test]
    fn what_is_cut_off_is_not_said_to_be_shown() {
        let of = |what: &str, shown, total, ends: &[u64]| Shown::Of {
            what: what.into(),
            shown,
            total,
            ends: ends.into(),
            of_rest: false,
        };
        let cut = |what: &str, at: &[u64]| Shown::Cut {
            what: what.into(),
            count: at.len() as u64,
            at: at.into(),
            of: Vec::new(),
        };
        let shown = vec![
            of("rows", 3, 90, &[3, 6, 9]),
            of("lines", 3, 40, &[]),
            of("columns", 2, 5, &[]),
            cut("cells", &[2, 7]),
            cut("strings", &[8]),
            of("sheets", 2, 3, &[6, 9]),
        ];
        let mut conversion = Conversion { markdown: "ab\ncd\nef\n".into(), shown, ..Conversion::default() };
        cut_whole(&mut conversion, &Limits { total_chars: 8, ..Limits::default() }, Encoding::Cl100kBase);
        let told = super::super::shown_line(&conversion.shown);
        assert_eq!(
            told,
            "rows: 1 of 90, lines: 1 of 40, columns: 2 of 5, 1 cell truncated, sheets: 1 of 3, cut at 8 characters"
        );
    }

    #[test]
    fn of_what_was_let_in_whole_it_is_told_how_much_the_last_limits_left() {
        use crate::document::{shown_line, testing};
        let told = |name: &str, text: &str, limits: Limits| {
            let mut found = testing::converted(name, text.as_bytes(), Some(&limits));
            let before = shown_line(&found.shown);
            assert!(before.is_empty() || limits.total_chars < 1_000, "nothing is left out yet: {before}");
            cut_whole(&mut found, &limits, Encoding::Cl100kBase);
            // The mark of the tokens has two breaks, that of the characters one.
            (shown_line(&found.shown), found.markdown.matches('\n').count())
        };
        let text: String = (0..100).map(|line| format!("line number {line}\n")).collect();
        let rows: String = format!("a,b\n{}", (0..25).map(|row| format!("number,{row}\n")).collect::<String>());
        let few = || Limits { tokens: 80, ..Limits::default() };
        let (shown, breaks) = told("a.txt", &text, few());
        assert!(breaks > 5 && shown.starts_with(&format!("lines: {} of 100, tokens: 80 of ", breaks - 2)), "{shown}");
        let (shown, breaks) = told("a.csv", &rows, few());
        assert!(breaks > 7 && shown.starts_with(&format!("rows: {} of 25, tokens: 80 of ", breaks - 4)), "{shown}");
        let (shown, breaks) = told("a.txt", &text, Limits { total_chars: 100, ..Limits::default() });
        assert_eq!(shown, format!("lines: {} of 100, cut at 100 characters", breaks - 1));
        assert_eq!(told("a.txt", &text, Limits::default()).0, "");
        assert_eq!(told("a.csv", &rows, Limits::default()).0, "");
    }

    #[test]
    fn the_mark_counts_against_the_tokens() {
        let markdown = "one more word, ".repeat(400);
        for tokens in 12..60 {
            let mut conversion = Conversion { markdown: markdown.clone(), ..Conversion::default() };
            let limits = Limits { tokens, total_chars: 2_000, ..Limits::default() };
            let uncut = cut_whole(&mut conversion, &limits, Encoding::Cl100kBase).unwrap();
            let found = count(&conversion.markdown, Encoding::Cl100kBase);
            assert!((tokens - 3..=tokens).contains(&found), "{found} of {tokens}");
            assert_eq!((uncut.markdown.as_str(), uncut.chars), (markdown.as_str(), Some(1_996)));
        }
    }
}
