//! Headings: of names (sheets, files, slides, charts), and of texts with marks.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::content::one_line;

/// Signs that CommonMark can take for marks within a line.
const MARKS: &[char] = &['\\', '`', '*', '_', '[', ']', '<', '>', '&', '~', '#'];

/// Those of them that go together: whether a kind needs a backslash at all is tried before each of its signs is.
const KINDS: &[&str] = &["&", "<>", "[]", "*", "_", "`", "~", "#", "\\"];
/// Signs that are tried one by one, and bytes of a line of which they are.
const SINGLE_MAX: usize = 32;
const LINE_MAX: usize = 4 << 10;

/// What stands before a sign of a plain text until it is known what its heading says: a character that stands for nothing,
/// and so in no text.
const HELD: char = '\u{FDD2}';

/// A heading of a level that says a name. As it is where it is read so; else with backslashes before what would be marks.
#[must_use]
pub fn heading(level: usize, name: &str) -> String {
    format!("{} {}", "#".repeat(level.clamp(1, 6)), plain(name))
}

/// A name on a line of Markdown, as in a heading.
#[must_use]
pub fn plain(name: &str) -> String {
    if !name.contains(MARKS) || says(&format!("# {name}"), name) {
        return name.to_owned();
    }
    let signs: Vec<char> = name.chars().filter(|sign| MARKS.contains(sign)).collect();
    let escaped = |kept: &[bool]| {
        let mut escaped = String::with_capacity(2 * name.len());
        let mut kept = kept.iter();
        for sign in name.chars() {
            let is_kept = MARKS.contains(&sign) && kept.next() == Some(&true);
            escaped.extend(is_kept.then_some('\\'));
            escaped.push(sign);
        }
        escaped
    };
    least(&signs, escaped, |escaped| says(&format!("# {escaped}"), name))
}

/// A text with backslashes before as few of these signs of it as it is right with: those of whole kinds go first, then, from
/// the last, one by one.
fn least(signs: &[char], escaped: impl Fn(&[bool]) -> String, is_right: impl Fn(&str) -> bool) -> String {
    let mut kept = vec![true; signs.len()];
    let mut best = escaped(&kept);
    let mut without = |is_dropped: &dyn Fn(usize, char) -> bool| {
        let of = |(at, sign): (usize, &char)| kept.get(at) == Some(&true) && !is_dropped(at, *sign);
        let fewer: Vec<bool> = signs.iter().enumerate().map(of).collect();
        let text = escaped(&fewer);
        if text.len() < best.len() && is_right(&text) {
            (kept, best) = (fewer, text);
        }
        kept.iter().filter(|kept| **kept).count()
    };
    let mut left = signs.len();
    for kind in KINDS {
        left = without(&|_, sign| kind.contains(sign));
    }
    if left <= SINGLE_MAX && escaped(&[]).len() <= LINE_MAX {
        for single in (0..signs.len()).rev() {
            without(&|at, _| at == single);
        }
    }
    best
}

/// Adds a plain text to the Markdown of a heading: which of its signs need a backslash, [`marked`] settles.
pub fn hold(text: &str, to: &mut String) {
    // What stands behind a backslash of ours has one.
    let mut is_escaped = to.ends_with('\\') && !to.trim_end_matches('\\').ends_with(HELD);
    for sign in text.chars().filter(|sign| *sign != HELD) {
        if !std::mem::take(&mut is_escaped) && MARKS.contains(&sign) {
            to.push(HELD);
        }
        to.push(sign);
    }
}

/// The Markdown of a heading where it is to be none, without what [`hold`] adds.
#[must_use]
pub fn released(text: &str) -> Cow<'_, str> {
    if text.contains(HELD) { text.replace(HELD, "").into() } else { text.into() }
}

/// A heading of a text that is Markdown. What it holds as plain text stays as it is where it is read so.
#[must_use]
pub fn marked(level: usize, text: &str) -> String {
    let plain = closed(level, &released(text));
    if !text.contains(HELD) {
        return plain;
    }
    let signs: Vec<char> = text.split(HELD).skip(1).filter_map(|part| part.chars().next()).collect();
    let escaped = |kept: &[bool]| {
        let (mut parts, mut kept) = (text.split(HELD), kept.iter());
        let mut escaped = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            escaped.extend((kept.next() == Some(&true)).then_some('\\'));
            escaped.push_str(part);
        }
        closed(level, &escaped)
    };
    let right = said(&escaped(&vec![true; signs.len()]));
    if said(&plain) == right { plain } else { least(&signs, escaped, |line| said(line) == right) }
}

/// A heading of Markdown. A `#` that ends its words stays: behind a blank it would close the heading.
fn closed(level: usize, text: &str) -> String {
    let text = text.trim();
    let mut heading = format!("{} {text}", "#".repeat(level.clamp(1, 6)));
    let words = text.trim_end_matches('#');
    if words.len() < text.len() && (words.is_empty() || words.ends_with([' ', '\t'])) {
        heading.insert(heading.len() - 1, '\\');
    }
    heading
}

/// A heading that somebody else wrote, with white space around it, so that it says a name.
#[must_use]
pub fn mended(written: String, name: &str) -> String {
    let line = written.trim();
    let level = line.len() - line.trim_start_matches('#').len();
    if level == 0 || !name.contains(MARKS) || one_line(&said(line)) == one_line(name) {
        return written;
    }
    let (before, behind) = written.split_once(line).unwrap_or_default();
    format!("{before}{}{behind}", heading(level, &one_line(name)))
}

/// What a heading says.
#[must_use]
pub fn said(line: &str) -> String {
    let mut said = String::new();
    for event in Parser::new_ext(line, Options::ENABLE_STRIKETHROUGH) {
        if let Event::Text(text) | Event::Code(text) = event {
            said.push_str(&text);
        }
    }
    said
}

/// Whether a line is a heading that says nothing but a name.
fn says(line: &str, name: &str) -> bool {
    let mut said = String::new();
    for event in Parser::new_ext(line, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) => said.push_str(&text),
            Event::Start(Tag::Heading { .. }) | Event::End(TagEnd::Heading(_)) => {}
            _ => return false,
        }
    }
    said == name.trim()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_names_stay_as_they_are() {
        for name in
            ["Sales 2025", "my_sheet_1", "R&D", "5 < 6", "a*b", "# x", "#1", "data[1].csv", "a\\b", "1. A", "~x", ""]
        {
            assert_eq!(heading(2, name), format!("## {name}"));
        }
        assert_eq!(heading(1, "日本語"), "# 日本語");
    }

    #[test]
    fn what_would_be_marks_is_escaped() {
        assert_eq!(heading(2, "<Summary>"), "## \\<Summary>");
        assert_eq!(heading(2, "*Stars*"), "## \\*Stars*");
        assert_eq!(heading(3, "Chart: A #"), "### Chart: A \\#");
        assert_eq!(heading(2, "File: &amp;.txt"), "## File: \\&amp;.txt");
        // What is none of them stays.
        assert_eq!(heading(1, "R&D <team> #1 a_b"), "# R&D \\<team> #1 a_b");
        assert_eq!(heading(1, "C:\\new [x] *a*"), "# C:\\new [x] \\*a*");
        assert_eq!(heading(1, "*a* &lt; _"), "# \\*a* \\&lt; _");
    }

    #[test]
    fn signs_that_end_a_heading_are_its_own() {
        for (text, line) in [
            ("C#", "## C#"),
            ("C #", "## C \\#"),
            ("Item ##", "## Item #\\#"),
            ("#", "## \\#"),
            ("`a #`", "## `a #`"),
            ("A # b", "## A # b"),
            ("A \\#", "## A \\#"),
        ] {
            assert_eq!(marked(2, text), line);
            assert!(says(line, &text.replace('\\', "")) || text.contains('`'), "{line}");
        }
    }

    #[test]
    fn plain_text_among_marks_stays_as_it_is_where_it_is_read_so() {
        for (text, line) in [
            ("Using vector<int> well", "# Using vector\\<int> well"),
            ("The __init__ method", "# The \\_\\_init__ method"),
            ("`code` tick", "# \\`code` tick"),
            ("back\\slash \\* x", "# back\\slash \\\\* x"),
            ("&amp; entity", "# \\&amp; entity"),
            ("R&D of <T> and a_b", "# R&D of \\<T> and a_b"),
            ("snake_case and *args", "# snake_case and *args"),
            ("R&D, [x] (y), 1 < 2", "# R&D, [x] (y), 1 < 2"),
            ("Item #", "# Item \\#"),
        ] {
            let mut held = String::new();
            hold(text, &mut held);
            assert_eq!(marked(1, &held), line);
            assert_eq!(said(line), text);
            assert_eq!(released(&held), text);
        }
        // Each part alone would stay.
        let mut parts = String::from("**");
        hold("of *", &mut parts);
        parts.push_str("** ");
        hold("a* b", &mut parts);
        assert_eq!(said(&marked(2, &parts)), "of * a* b");
        let mut behind = String::from("\\");
        hold("#1 \u{FDD2}*x*", &mut behind);
        assert_eq!(marked(2, &behind), "## \\#1 \\*x*");
    }

    #[test]
    fn a_heading_that_was_written_says_its_name() {
        for (written, name, right) in [
            ("\n# The __init__ method\n\n", "The __init__ method", "\n# The \\_\\_init__ method\n\n"),
            ("## **vector<int>  x**\n", "vector<int> x", "## vector\\<int> x\n"),
            ("## **Bold_x**\n", "Bold_x", "## **Bold_x**\n"),
            ("1. *x*\n", "*x*", "1. *x*\n"),
        ] {
            assert_eq!(mended(written.to_owned(), name), right);
        }
    }

    proptest! {
        #[test]
        fn a_name_is_read_as_it_is(name in "([*_`<>&#~!\\\\\\[\\]()=:;./-]|a|b/|&lt;|http://| ){1,16}") {
            let name = name.trim();
            prop_assume!(!name.is_empty());
            prop_assert!(says(&heading(2, name), name), "{name}: {}", heading(2, name));
        }
    }
}
