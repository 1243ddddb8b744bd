//! Headings: of names (sheets, files, slides, charts), and of texts with marks.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Signs that CommonMark can take for marks within a line.
const MARKS: &[char] = &['\\', '`', '*', '_', '[', ']', '<', '>', '&', '~', '#'];

/// A heading of a level that says a name. As it is where it is read so; else with backslashes before what would be marks.
#[must_use]
pub fn heading(level: usize, name: &str) -> String {
    let plain = format!("{} {name}", "#".repeat(level.clamp(1, 6)));
    if !name.contains(MARKS) || says(&plain, name) {
        return plain;
    }
    let start = plain.len() - name.len();
    let mut escaped = plain.get(..start).unwrap_or_default().to_owned();
    for sign in name.chars() {
        if MARKS.contains(&sign) {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    escaped
}

/// A heading of a text that is Markdown. A `#` that ends its words stays: behind a blank it would close the heading.
#[must_use]
pub fn marked(level: usize, text: &str) -> String {
    let text = text.trim();
    let mut heading = format!("{} {text}", "#".repeat(level.clamp(1, 6)));
    let words = text.trim_end_matches('#');
    if words.len() < text.len() && (words.is_empty() || words.ends_with([' ', '\t'])) {
        heading.insert(heading.len() - 1, '\\');
    }
    heading
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
        assert_eq!(heading(2, "<Summary>"), "## \\<Summary\\>");
        assert_eq!(heading(2, "*Stars*"), "## \\*Stars\\*");
        assert_eq!(heading(3, "Chart: A #"), "### Chart: A \\#");
        assert_eq!(heading(2, "File: &amp;.txt"), "## File: \\&amp;.txt");
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

    proptest! {
        #[test]
        fn a_name_is_read_as_it_is(name in "([*_`<>&#~!\\\\\\[\\]()=:;./-]|a|b/|&lt;|http://| ){1,16}") {
            let name = name.trim();
            prop_assume!(!name.is_empty());
            prop_assert!(says(&heading(2, name), name), "{name}: {}", heading(2, name));
        }
    }
}
