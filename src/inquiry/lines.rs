//! What stands before each line of a listing, a diff, a comment or a quotation, and is no part of what is said: the
//! number, the sign of what was added or taken away, the mark of a comment. A sentence that goes on in the next line goes
//! on behind it.

/// Bytes of a number of a line, blanks before it among them.
const NUMBER: usize = 12;

/// Marks of comments and quotations, longer ones first.
const COMMENTS: &[&str] = &["///", "//!", "//", "--", ";;", "#", "*", ">"];

/// What stands before a line.
#[derive(Clone, Copy, Default)]
struct Marks<'a> {
    /// The line.
    line: &'a str,
    /// Its number, and where that ends.
    number: Option<(u64, usize)>,
    /// Whether something was added or taken away by it, and where that sign ends.
    change: Option<(u8, usize)>,
    /// The mark of a comment, and where it ends.
    comment: Option<(&'static str, usize)>,
}

impl<'a> Marks<'a> {
    fn of(line: &'a str) -> Marks<'a> {
        let number = number(line);
        let from = number.map_or(0, |(_, end)| end);
        let change = change(line.as_bytes(), from);
        let from = change.map_or(from, |(_, end)| end);
        Marks { line, number, change, comment: comment(line, from) }
    }

    /// How many of its bytes are no part of what goes on from the line before.
    fn behind(&self, before: &Marks) -> usize {
        let mut end = 0;
        if let Some((number, to)) = self.number {
            let follows = before.number.is_some_and(|(before, _)| before.checked_add(1) == Some(number));
            if !follows {
                return 0;
            }
            end = to;
        }
        if let Some((sign, to)) = self.change {
            if before.change.is_none_or(|(before, _)| before != sign) {
                return end;
            }
            end = to;
        }
        match self.comment {
            Some((mark, to)) if is_comment(before, mark) => to,
            _ => end,
        }
    }
}

/// Whether a line is a comment of one kind, or ends with one.
fn is_comment(before: &Marks, mark: &str) -> bool {
    match mark {
        "*" => before.comment.is_some_and(|(own, _)| own == "*") || before.line.contains("/*"),
        ">" => before.comment.is_some_and(|(own, _)| own == ">"),
        _ => before.line.contains(mark),
    }
}

/// The number of a line as tools that print files put it before a tab, an arrow or a bar, and where it ends.
fn number(line: &str) -> Option<(u64, usize)> {
    let blanks = line.bytes().take(NUMBER).take_while(|byte| *byte == b' ').count();
    let named = usize::from(line.as_bytes().get(blanks) == Some(&b'L'));
    let from = blanks + named;
    let digits = line.bytes().skip(from).take(NUMBER).take_while(u8::is_ascii_digit).count();
    let number = line.get(from..from + digits)?.parse().ok()?;
    let rest = line.get(from + digits..)?;
    let sign = ["\t", "\u{2192}", " | ", " |", "|"].into_iter().find(|sign| rest.starts_with(sign));
    let sign = sign.or_else(|| Some(": ").filter(|sign| named > 0 && rest.starts_with(sign)))?;
    Some((number, from + digits + sign.len()))
}

/// The sign of a line of a diff. With one blank behind it, it may be an item of a list.
fn change(line: &[u8], from: usize) -> Option<(u8, usize)> {
    let sign = line.get(from).copied().filter(|byte| matches!(byte, b'+' | b'-'))?;
    let behind = |at: usize| line.get(from + at).copied().unwrap_or(b'\n');
    let is_item = behind(1) == b' ' && behind(2) != b' ';
    (!is_item && behind(1) != sign).then_some((sign, from + 1))
}

/// The mark of a comment that a line begins with. An item of a list may begin with a star, but at its line's beginning.
fn comment(line: &str, from: usize) -> Option<(&'static str, usize)> {
    let rest = line.get(from..)?;
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let words = rest.get(blanks..)?;
    let mark = COMMENTS.iter().find(|mark| words.starts_with(**mark))?;
    let after = words.get(mark.len()..)?;
    let stands = after.starts_with([' ', '\t', '\r', '\n']) || after.is_empty() || mark.starts_with('/');
    let is_item = *mark == "*" && blanks == 0;
    (stands && !is_item).then_some((*mark, from + blanks + mark.len()))
}

/// A text without what stands before its lines and goes on from line to line; per byte where it came from. `None` where
/// nothing does.
pub(super) fn unmarked(text: &str) -> Option<(String, Vec<u32>)> {
    let mut gone: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut before) = (0, Marks::default());
    for line in text.split_inclusive('\n') {
        let marks = Marks::of(line);
        let size = if at == 0 { 0 } else { marks.behind(&before) };
        if size > 0 {
            gone.push((at, at + size));
        }
        at += line.len();
        before = marks;
    }
    if gone.is_empty() {
        return None;
    }
    let (mut out, mut starts) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    let mut kept = 0;
    for (from, to) in gone.into_iter().chain([(text.len(), text.len())]) {
        out.push_str(text.get(kept..from).unwrap_or_default());
        starts.extend((kept..from).map(super::find::index));
        kept = to;
    }
    starts.push(super::find::index(text.len()));
    Some((out, starts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bare(text: &str) -> String {
        unmarked(text).map_or_else(|| text.to_owned(), |(bare, _)| bare)
    }

    #[test]
    fn what_tools_put_before_lines_is_no_part_of_them() {
        for (text, plain) in [
            ("66\tfails it is a sign\n67\tthat it moved", "66\tfails it is a sign\nthat it moved"),
            ("  9\u{2192}one\n 10\u{2192}two", "  9\u{2192}one\ntwo"),
            ("+but entries\n+are never", "+but entries\nare never"),
            ("+    // but entries\n+    // are never", "+    // but entries\n are never"),
            ("7\t * one\n8\t * two", "7\t * one\n two"),
            ("x = 1  # what\n       # goes on", "x = 1  # what\n goes on"),
            ("> one\n> two", "> one\n two"),
            ("/// one\n/// two", "/// one\n two"),
            ("L5: one\nL6: two", "L5: one\ntwo"),
        ] {
            assert_eq!(bare(text), plain);
        }
        for text in [
            "- one\n- two",
            "* one\n* two",
            "1. one\n2. two",
            "5\tone\n9\ttwo",
            "a\n+b",
            "a\n# b",
            "one\n> two",
            "3 | 4\n9 | 5",
            "one\ntwo",
        ] {
            assert_eq!(unmarked(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_byte_that_stays_has_its_place(lines in prop::collection::vec(("[ 0-9L\t|+\\-/#*>;]{0,6}", ".{0,6}"), 0..9)) {
            let text: String = lines.iter().enumerate().map(|(at, (mark, said))| format!("{at}\t{mark}{said}\n")).collect();
            if let Some((bare, starts)) = unmarked(&text) {
                prop_assert_eq!(starts.len(), bare.len() + 1);
                for (at, byte) in bare.bytes().enumerate() {
                    prop_assert_eq!(text.as_bytes()[starts[at] as usize], byte);
                }
            }
        }
    }
}
