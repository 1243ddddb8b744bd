//! Text that somebody typed, as Markdown that says the same: no line of it becomes a heading, and none begins code or HTML,
//! which would hide the headings behind it.

use std::ops::Range;

use super::marked::is_marked;

/// A text as it is typed, to stand behind what is written already: with a backslash before each line that would be a
/// heading, would make one of the line above it, or would begin code or HTML.
#[must_use]
pub fn typed(written: &str, text: &str) -> String {
    escaped(written, text, is_underline)
}

/// The same of a text whose headings are the lines that are underlined: those stay.
#[must_use]
pub fn unheaded(written: &str, text: &str) -> String {
    escaped(written, text, |_| false)
}

fn escaped(written: &str, text: &str, is_underline: fn(&str) -> bool) -> String {
    let blanks = [' ', '\t'];
    let before = written.trim_end_matches(blanks);
    let mut is_start = before.is_empty() || before.ends_with('\n');
    let above = before.strip_suffix('\n').unwrap_or(before).trim_end_matches(blanks);
    let mut is_below = !above.is_empty() && !above.ends_with('\n');
    let mut typed = String::with_capacity(text.len() + 1);
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let starts = std::mem::replace(&mut is_start, true);
        let marked = behind_marks(words);
        // A quotation's line stands below another of it.
        let quoted = words.trim_start_matches(['>', ' ', '\t']);
        let underlines = is_below && is_underline(quoted);
        if starts && (is_markup(marked) || underlines) {
            let marks = words.len() - if underlines { quoted } else { marked }.len();
            let (before, rest) = line.split_at(line.len() - line.trim_start().len() + marks);
            typed.extend([before, "\\", rest]);
        } else {
            typed.push_str(line);
        }
        is_below = !quoted.is_empty() || !starts && is_below;
    }
    typed
}

/// A letter's text, its lines ended by `\n`, with its signature apart: the `--` before that (RFC 3676) would make a heading
/// of the line above it. No other line becomes a heading either, where the letter is not written in Markdown; code that is
/// fenced stays as it is.
#[must_use]
pub fn letter(text: &str) -> String {
    let signed = signed(text);
    if is_marked(text) {
        return signed;
    }
    let mut letter = String::with_capacity(signed.len() + 8);
    let mut rest = signed.as_str();
    while let Some(code) = fenced(rest) {
        letter.push_str(&typed(&letter, &rest[..code.start]));
        letter.push_str(&rest[code.clone()]);
        rest = &rest[code.end..];
    }
    letter.push_str(&typed(&letter, rest));
    letter
}

/// The first block of code that is fenced, and whose fence ends.
fn fenced(text: &str) -> Option<Range<usize>> {
    let mut open: Option<(usize, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let start = at;
        at += line.len();
        let sign = words.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        let fence = sign.map_or("", |sign| &words[..words.len() - words.trim_start_matches(sign).len()]);
        match open {
            Some((from, opened)) if fence.starts_with(opened) && fence.len() == words.len() => return Some(from..at),
            None if fence.len() >= 3 && !(sign == Some('`') && words[fence.len()..].contains('`')) => {
                open = Some((start, fence));
            }
            _ => {}
        }
    }
    None
}

fn signed(text: &str) -> String {
    let mut letter = String::with_capacity(text.len() + 8);
    let mut is_below = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim_start_matches(['>', ' ', '\t']);
        if is_below && words.trim_end() == "--" {
            letter.push_str(line[..line.len() - words.len()].trim_end());
            letter.push('\n');
        }
        letter.push_str(line);
        is_below = !words.trim_end().is_empty();
    }
    letter
}

/// What stands in a line behind marks of lists and quotations; those hold a heading as well.
#[must_use]
pub fn behind_marks(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(['>', ' ', '\t']);
        match rest.split_once([' ', '\t']) {
            Some((mark, behind)) if is_item(mark) => rest = behind,
            _ => return rest,
        }
    }
}

/// Whether a word before a space begins an item of a list.
fn is_item(word: &str) -> bool {
    let number = word.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number = (1..=9).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number || matches!(word, "-" | "*" | "+")
}

/// Whether a line is a heading, or the beginning of code or of HTML: what a text must not begin with, whatever format it comes
/// from. Items of lists and quotations that somebody typed are what they look like.
#[must_use]
pub fn is_markup(line: &str) -> bool {
    is_heading(line) || line.starts_with("```") || line.starts_with("~~~") || opens_html(line)
}

/// Whether a line begins as a heading does.
#[must_use]
pub fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - after.len())) && (after.is_empty() || after.starts_with([' ', '\t']))
}

/// Whether a line begins a block of HTML that a blank line does not end (CommonMark: HTML blocks, kinds 1 to 5): it would
/// hide all headings behind it.
#[must_use]
pub fn opens_html(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('<') else { return false };
    let opens = |name: &&str| {
        let (head, behind) = rest.split_at_checked(name.len()).unwrap_or_default();
        head.eq_ignore_ascii_case(name) && (behind.is_empty() || behind.starts_with([' ', '\t', '\n', '\r', '>']))
    };
    let is_declared = rest.strip_prefix('!').is_some_and(|rest| {
        rest.starts_with("--")
            || rest.starts_with("[CDATA[")
            || rest.starts_with(|sign: char| sign.is_ascii_alphabetic())
    });
    is_declared || rest.starts_with('?') || ["script", "pre", "style", "textarea"].iter().any(opens)
}

/// Backticks that a text may stand between as code: so many at least, and more than follow each other in it.
#[must_use]
pub fn backticks(text: &str, least: usize) -> String {
    let longest = text.split(|sign| sign != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(least.max(longest + 1))
}

/// Whether a line makes a heading of the one above it.
#[must_use]
pub fn is_underline(line: &str) -> bool {
    let is_of = |sign| !line.is_empty() && line.chars().all(|one| one == sign);
    is_of('=') || is_of('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_typed_is_no_heading() {
        assert_eq!(typed("", "# 1 priority\n#tag\nTotal\n===\n* # x"), "\\# 1 priority\n#tag\nTotal\n\\===\n* \\# x");
        assert_eq!(typed("", "---\n\n==="), "---\n\n===");
        assert_eq!(typed("", "```rust\nx\n~~~"), "\\```rust\nx\n\\~~~");
        assert_eq!(typed("", "Total\n  --\n   ## x\n"), "Total\n  \\--\n   \\## x\n");
    }

    #[test]
    fn headings_that_are_underlined_may_stay() {
        assert_eq!(unheaded("", "Total\n===\n# x\n~~~\n"), "Total\n===\n\\# x\n\\~~~\n");
    }

    #[test]
    fn what_somebody_typed_begins_no_html_that_a_blank_line_does_not_end() {
        for line in
            ["<script> x", "<PRE", "<style>", "<textarea rows=2", "<!-- a", "<?php", "<![CDATA[x", "<!DOCTYPE html"]
        {
            assert_eq!(typed("", &format!("{line}\n{line}")), format!("\\{line}\n\\{line}"));
            assert_eq!(typed("The ", line), line);
        }
        for line in ["<scripts>", "<div>", "<presto", "< pre>", "<!", "<3", "<sty\u{e9}", "<"] {
            assert_eq!(typed("", line), line);
        }
    }

    #[test]
    fn marks_before_a_heading_make_it_none() {
        for (text, shown) in [
            ("> # x", "> \\# x"),
            (">># x", ">>\\# x"),
            ("  1. # x", "  1. \\# x"),
            ("> 2) - ## x", "> 2) - \\## x"),
            ("1. x", "1. x"),
            ("> x", "> x"),
            ("2024 # x", "2024 # x"),
            ("a. # x", "a. # x"),
            ("* #x", "* #x"),
        ] {
            assert_eq!(typed("", text), shown);
        }
    }

    #[test]
    fn a_signature_makes_no_heading_of_what_stands_above_it() {
        for (text, shown) in [
            ("Hi\n\nBest,\n-- \nA\n", "Hi\n\nBest,\n\n-- \nA\n"),
            ("> Best,\n> --\n> A", "> Best,\n>\n> --\n> A"),
            ("Best,\n\n--\nA", "Best,\n\n--\nA"),
            ("Title\n-----\n--\n", "Title\n\\-----\n\n--\n"),
            ("--\nA", "--\nA"),
            ("Hi\n\n# 1 priority\n> # x\nTotal\n---\n", "Hi\n\n\\# 1 priority\n> \\# x\nTotal\n\\---\n"),
            ("See\n```sh\n# x\n```\n# y\n", "See\n```sh\n# x\n```\n\\# y\n"),
            ("````\n```\n# x\n````\n```\n# y", "````\n```\n# x\n````\n\\```\n\\# y"),
            ("# A\n\nx\n\n## B\n\ny\n-- \nme", "# A\n\nx\n\n## B\n\ny\n\n-- \nme"),
        ] {
            assert_eq!(letter(text), shown);
        }
    }

    #[test]
    fn what_is_written_already_tells_what_a_line_becomes() {
        for (written, text, shown) in [
            ("Total\n", "===", "\\==="),
            ("\n\n", "===", "==="),
            ("Total\n\n  ", "---", "---"),
            ("Total\n  ", "---", "\\---"),
            ("", "> Total\n> ---\n>\n> ---\n", "> Total\n> \\---\n>\n> ---\n"),
            ("item ", "# 4", "# 4"),
            ("item ", "# 4\n# 5\n--", "# 4\n\\# 5\n\\--"),
            ("one\ntwo", "\n--", "\n\\--"),
        ] {
            assert_eq!(typed(written, text), shown, "{written:?} {text:?}");
        }
    }

    #[test]
    fn what_somebody_typed_begins_the_same_in_every_format() {
        use crate::document::testing::{converted, zip};
        let page = |html: &str| converted("a.html", format!("<body>{html}").as_bytes(), None).markdown;
        for text in ["# a", "#a", "####### a", "- a", "+ a", "* a", "1. a", "2) a", "> a", "># a", "``` a", "-", "#"] {
            let escaped = text.replace('>', "&gt;");
            let paragraph =
                format!("<w:document><w:body><w:p><w:r><w:t>{escaped}</w:t></w:r></w:p></w:body></w:document>");
            let word = converted("a.docx", &zip(&[("word/document.xml", &paragraph)]), None).markdown;
            assert_eq!(page(&format!("<p>{escaped}</p>")).trim_end(), word.trim_end(), "{text}");
        }
        let found = page("<p>- a<p>+ a<p>1. a<p>&gt; a<p><b>#a</b>");
        assert_eq!(found.trim_end(), "- a\n\n+ a\n\n1. a\n\n> a\n\n**#a**");
    }
}
