//! Texts that are Markdown though no name says so.

use pulldown_cmark::{Event, Parser, Tag};

use super::program_line::is_program_line;

/// Headings of a text that is Markdown (source 1); one fewer where the text begins with one.
const HEADINGS_MIN: usize = 3;

/// A heading of a text.
struct Heading {
    level: u8,
    start: usize,
    end: usize,
}

/// Whether the beginning of a text has the headings of Markdown: several, and most of them begin a part of the text.
/// Typed lines with a `#`, as comments and numbers are, stand close to others.
#[must_use]
pub fn is_markdown(head: &[u8]) -> bool {
    // UTF-16 is text with zero bytes, as far as marks go.
    let text: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
    is_marked(&String::from_utf8_lossy(&text))
}

/// The same of a text that is decoded.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let headings = headings(text);
    // What stands between two of them: nothing but so many line breaks, or words, then so many.
    let above = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| headings.get(before));
        let between = text.get(before.map_or(0, |before| before.end)..headings.get(at)?.start)?;
        let blank = between.get(between.trim_end().len()..)?;
        Some((blank.len() == between.len(), blank.matches('\n').count()))
    };
    let level = |at: usize| headings.get(at).map(|heading| heading.level);
    let comments = comments(text, &headings);
    let is_comment = |at: usize| comments.get(at).is_some_and(|is| *is);
    let follows = |at: usize| at > 0 && above(at).is_some_and(|(is_blank, breaks)| is_blank && breaks < 2);
    let runs_on = |at: usize| follows(at) && level(at - 1) == level(at);
    let begins = |at: &usize| {
        let apart = *at == 0 && above(0).is_some_and(|(is_first, _)| is_first)
            || above(*at).is_some_and(|(_, breaks)| breaks > 1)
            || follows(*at);
        apart && !runs_on(*at) && !runs_on(*at + 1) && !is_comment(*at)
    };
    let begun = (0..headings.len()).filter(begins).count();
    begun + usize::from(begins(&0) && text.starts_with('#')) >= HEADINGS_MIN && begun * 2 > headings.len()
}

/// Of each heading whether it is a comment: on a line that a program reads, or above one.
fn comments(text: &str, headings: &[Heading]) -> Vec<bool> {
    let mut comments = vec![false; headings.len()];
    let mut below = None;
    for (at, heading) in headings.iter().enumerate().rev() {
        let is_comment = |next: Option<(usize, bool)>| {
            let line = text.get(heading.start..heading.end)?.strip_prefix('#')?;
            let until = next.map_or(text.len(), |(start, _)| start);
            let behind = text.get(heading.end..until)?;
            let first = behind.lines().find(|line| !line.trim().is_empty());
            let above = match first {
                Some(line) => is_program_line(line),
                // A comment of several lines stands above what its last one does.
                None => behind.matches('\n').count() < 2 && next.is_some_and(|(_, is_comment)| is_comment),
            };
            Some(above || is_program_line(line.trim_start_matches('#').trim_start()))
        };
        let is_comment = is_comment(below).unwrap_or(false);
        below = Some((heading.start, is_comment));
        comments.get_mut(at).into_iter().for_each(|one| *one = is_comment);
    }
    comments
}

/// The headings that stand in no list and no quotation.
fn headings(text: &str) -> Vec<Heading> {
    let (mut depth, mut headings) = (0u32, Vec::new());
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if let (Tag::Heading { level, .. }, 0) = (tag, depth) {
                    let end = range.start + text.get(range.clone()).map_or(0, |line| line.trim_end().len());
                    headings.push(Heading { level: level as u8, start: range.start, end });
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    headings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_begin_parts_make_a_text_markdown() {
        for text in [
            "# A\n\nx\n\n## B\n\ny\n",
            "# A\n## B\nx\n\n## C\ny\n",
            "Words first.\n\n# A\nx\n\n# B\ny\n\n# C\nz\n",
            "Title\n=====\n\nx\n\nPart\n----\n\ny\n\nEnd\n----\n",
            "# Install\n\n    sudo apt install x\n\n# Run\n\n```\n./run\n```\n\n# Stop\n\nPress a key.\n",
            "# A\nWords.\n\n# B\nhost = a\n\n# C\nWords.\n",
            "\u{FEFF}# A\r\n\r\nx\r\n\r\n## B\r\n",
        ] {
            assert!(is_marked(text), "{text}");
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert!(is_markdown(text.as_bytes()) && (!text.is_ascii() || is_markdown(&wide)), "{text}");
        }
    }

    #[test]
    fn typed_lines_make_a_text_no_markdown() {
        for text in [
            "",
            "Hi,\n\n# 1 priority\n\nShip it.\n\n# 2 priority\n\nTest it.\n",
            "# one\n# two\n# three\nkey = 1\n\n# four\n# five\nkey = 2\n",
            "Total\n# 1\n# 2\nx\n# 3\n",
            "x\n\n```\n# a\n\n# b\n\n# c\n```\n",
            "> # a\n\n> # b\n\n- # c\n",
            "# A\n\nx\n",
            "# Server\nhost = a\nport = 1\n\n# Client\nhost = b\n\n# Log\nlevel = info\n",
            "# All settings\n\n# Server\n[server]\nport: 1\n\n# Client\n\n# The host\nhost: b\n\n# Log\nlevel: info\n",
            "# Packages\nsudo apt-get install nginx\n\n# Start\nsystemctl start nginx\n\n# Look\ncurl -s localhost\n",
            "# Reads\nimport os\n\n# Says\nprint(1)\n\n# Ends\nos.exit()\n",
            "# One\n# host = a\n\n# Two\n# port = 1\n\n# Three\n# log = b\n",
        ] {
            assert!(!is_marked(text), "{text}");
        }
    }
}
