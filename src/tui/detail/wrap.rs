//! Where a line is broken to fit so many columns.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The rows of a line: ranges of its bytes. Breaks stand after blanks where there is one near enough, never inside a
/// grapheme. Rows after the first have `hang` columns less. At least one row, and at least one grapheme in each.
#[must_use]
pub fn wrap(line: &str, columns: usize, hang: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let first = columns.max(1);
    let later = columns.saturating_sub(hang.min(columns / 2)).max(1);
    // Most lines are short and plain.
    if line.len() <= first && line.is_ascii() {
        rows.push(0..line.len());
        return rows;
    }
    let (mut start, mut used, mut room) = (0, 0, first);
    // Where the row could break: after a blank, and the columns used up to there.
    let mut blank: Option<(usize, usize)> = None;
    for (at, grapheme) in line.grapheme_indices(true) {
        let wide = grapheme.width();
        // A blank may hang over the end: it is not seen.
        if used + wide > room && at > start && !(grapheme == " " && used <= room) {
            let (cut, kept) = blank.filter(|(_, kept)| *kept * 2 > room).unwrap_or((at, used));
            rows.push(start..cut);
            (start, used, room, blank) = (cut, used - kept, later, None);
        }
        used += wide;
        if grapheme == " " {
            blank = Some((at + 1, used));
        }
    }
    rows.push(start..line.len());
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(line: &str, columns: usize, hang: usize) -> Vec<&str> {
        wrap(line, columns, hang).into_iter().map(|range| &line[range]).collect()
    }

    #[test]
    fn lines_break_after_words_and_inside_what_is_too_long() {
        assert_eq!(rows("", 5, 0), [""]);
        assert_eq!(rows("one two three", 8, 0), ["one two ", "three"]);
        assert_eq!(rows("one two three", 7, 0), ["one two ", "three"]);
        assert_eq!(rows("abcdefghij", 4, 0), ["abcd", "efgh", "ij"]);
        assert_eq!(rows("a bcdefghij", 6, 0), ["a bcde", "fghij"]);
        assert_eq!(rows("日本語です", 4, 0), ["日本", "語で", "す"]);
        assert_eq!(rows("日本", 1, 0), ["日", "本"]);
        assert_eq!(rows("👩‍👧👩‍👧e\u{301}", 4, 0), ["👩‍👧👩‍👧", "e\u{301}"]);
        assert_eq!(rows("aaaa bbbb cccc", 10, 2), ["aaaa bbbb ", "cccc"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_rows_fit(line in "[ a-z日\u{301}👩]{0,80}", columns in 2usize..30, hang in 0usize..10) {
            let rows = rows(&line, columns, hang);
            prop_assert_eq!(rows.concat(), line.clone());
            prop_assert!(rows.iter().all(|row| row.trim_end().width() <= columns || row.graphemes(true).count() == 1));
        }
    }
}
