//! Untrusted text made harmless for a terminal, and measured in columns.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::content::steers_terminal;

/// Text on one line that cannot steer a terminal: control characters, line breaks and tabs become visible symbols, and
/// what turns the direction of writing or hides text is named by its number. Everything from a transcript passes
/// through here (or [`safe_lines`]) before it is printed or drawn.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    replace(text, steers_terminal)
}

/// As [`safe`], but line breaks stay and tabs become four spaces. A carriage return before a line break is left out.
#[must_use]
pub fn safe_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', '\t']) {
        return replace(text, |sign| sign != '\n' && steers_terminal(sign));
    }
    let text = text.replace("\r\n", "\n").replace('\t', "    ");
    Cow::Owned(replace(&text, |sign| sign != '\n' && steers_terminal(sign)).into_owned())
}

/// Text for a file or another program: line breaks stay, other control characters become visible symbols, and
/// everything else is as it was: marks of direction and characters without width belong to many scripts.
#[must_use]
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if !holds_controls(text) {
        return Cow::Borrowed(text);
    }
    replace(text, |sign| sign != '\n' && sign.is_control())
}

/// Whether there are control characters but line breaks; by bytes, many at a time.
fn holds_controls(text: &str) -> bool {
    const MANY: usize = 64;
    let is_control = |byte: &u8| (*byte < 0x20 && *byte != b'\n') | (*byte == 0x7F);
    let bytes = text.as_bytes();
    // Those beyond ASCII are two bytes, of which this is the first.
    let is_other = |at| matches!(bytes.get(at + 1), Some(0x80..=0x9F));
    bytes.chunks(MANY).any(|some| some.iter().fold(false, |any, byte| any | is_control(byte)))
        || memchr::memchr_iter(0xC2, bytes).any(is_other)
}

fn replace(text: &str, harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Plain ASCII is the usual case and is looked at by bytes.
    let clean =
        if text.is_ascii() { text.bytes().all(|byte| !harmful(byte as char)) } else { !text.chars().any(&harmful) };
    if clean {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for sign in text.chars() {
        if harmful(sign) { push_symbol(sign, &mut out) } else { out.push(sign) }
    }
    Cow::Owned(out)
}

fn push_symbol(sign: char, out: &mut String) {
    match sign as u32 {
        // Many fonts have this, few the picture of a line feed.
        0x0A => out.push('↵'),
        // Unicode has a picture for each of the old control characters.
        code @ 0..=0x1F => out.extend(char::from_u32(0x2400 + code)),
        0x7F => out.push('\u{2421}'),
        code => out.push_str(&format!("⟨U+{code:04X}⟩")),
    }
}

/// Columns that a text takes in a terminal.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to so many columns, never inside a grapheme; what was cut is marked by `…`.
#[must_use]
pub fn clip(text: &str, columns: usize) -> Cow<'_, str> {
    // Even at one byte a column a long text need not be measured whole.
    if text.len() <= columns.saturating_mul(16) && text.width() <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let (mut used, mut end) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = grapheme.width();
        if used + wide > columns.saturating_sub(1) {
            break;
        }
        used += wide;
        end = at + grapheme.len();
    }
    if end == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{}…", &text[..end])) }
}

/// The end of a text in so many columns, never cut inside a grapheme; what was cut is marked by `…`.
#[must_use]
pub fn clip_start(text: &str, columns: usize) -> Cow<'_, str> {
    if text.len() <= columns.saturating_mul(16) && text.width() <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let (mut used, mut start) = (0, text.len());
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        let wide = grapheme.width();
        if used + wide > columns - 1 {
            break;
        }
        used += wide;
        start = at;
    }
    Cow::Owned(format!("…{}", &text[start..]))
}

/// The text in lines of at most so many columns, broken between words where these have room.
#[must_use]
pub fn folded(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let (used, bare) = (lines.last().map_or(0, |line| width(line)), width(word.trim_end()));
        if used > 0 && used + bare > columns {
            lines.push(String::new());
        }
        // A word that has no room in a line of its own is broken.
        for grapheme in word.graphemes(true) {
            let full = lines.last().is_some_and(|line| !line.is_empty() && width(line) + width(grapheme) > columns);
            match lines.last_mut() {
                Some(_) if full && grapheme == " " => {}
                Some(line) if !full => line.push_str(grapheme),
                _ => lines.push(grapheme.to_owned()),
            }
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_sequences_become_visible() {
        assert_eq!(safe("\u{1b}[31mred\u{7}"), "␛[31mred␇");
        assert_eq!(safe("a\nb\tc\r\u{7f}"), "a↵b␉c␍␡");
        assert_eq!(safe("\u{9b}1m"), "⟨U+009B⟩1m");
        assert_eq!(safe_lines("a\r\nb\tc\u{1b}"), "a\nb    c␛");
    }

    #[test]
    fn controls_are_found_wherever_they_stand() {
        for sign in (0..=0x120).filter_map(char::from_u32) {
            for before in [0, 1, 63, 64, 200] {
                let text = format!("{}{sign}ä€", "x".repeat(before));
                assert_eq!(holds_controls(&text), sign != '\n' && sign.is_control(), "{sign:?}");
                assert_eq!(without_controls(&text) == text, !holds_controls(&text), "{sign:?}");
            }
        }
    }

    #[test]
    fn direction_marks_are_named() {
        assert_eq!(safe("abc\u{202e}fed"), "abc⟨U+202E⟩fed");
        assert_eq!(safe("\u{2066}x\u{2069}"), "⟨U+2066⟩x⟨U+2069⟩");
        assert_eq!(safe("👩\u{200d}👧 日本"), "👩\u{200d}👧 日本");
    }

    #[test]
    fn clips_by_columns() {
        assert_eq!(clip("日本語", 5), "日本…");
        assert_eq!(clip("日本語", 6), "日本語");
        assert_eq!(clip("abc", 0), "");
        assert_eq!(clip("abcd", 1), "…");
        assert_eq!((clip_start("日本語", 5), clip_start("日本語", 6)), ("…本語".into(), "日本語".into()));
        assert_eq!((clip_start("abc", 0), clip_start("abcd", 1)), ("".into(), "…".into()));
    }

    #[test]
    fn folds_between_words() {
        assert_eq!(folded("one two, three", 8), ["one two,", "three"]);
        assert_eq!(folded("日本語日本語 a", 6), ["日本語", "日本語", "a"]);
        assert_eq!((folded("", 5), folded("abc", 2)), (vec![String::new()], vec!["ab".to_owned(), "c".to_owned()]));
    }

    proptest! {
        #[test]
        fn a_folded_text_fits_and_has_all_of_it(text in "[a-z日]{0,9}( [a-z日]{0,9}){0,5}", columns in 2usize..30) {
            let lines = folded(&text, columns);
            prop_assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            prop_assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }

        #[test]
        fn nothing_that_steers_a_terminal_is_left(text in any::<String>()) {
            prop_assert!(!safe(&text).chars().any(steers_terminal));
            prop_assert!(safe_lines(&text).chars().all(|sign| sign == '\n' || !steers_terminal(sign)));
        }

        #[test]
        fn a_clipped_text_fits(text in any::<String>(), columns in 0usize..30) {
            prop_assert!(width(&clip(&safe(&text), columns)) <= columns);
            prop_assert!(width(&clip_start(&safe(&text), columns)) <= columns);
        }
    }
}
