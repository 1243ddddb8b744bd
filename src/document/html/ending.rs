//! Whether a page ends before what it opened is closed, as one does that was cut off.

use std::collections::HashMap;

use memchr::{memchr, memmem, memrchr};

use super::depth::tag;
use super::elements::{RAW, is};

/// Bytes at a page's end among which the tags stand that end all of it.
const TAIL: usize = 64 << 10;
/// Elements whose end HTML wants to be written.
const CLOSED: &[&str] = &[
    "a",
    "article",
    "aside",
    "b",
    "blockquote",
    "code",
    "div",
    "em",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "i",
    "main",
    "nav",
    "ol",
    "pre",
    "script",
    "section",
    "span",
    "strong",
    "style",
    "table",
    "ul",
];

/// Whether a page ends within a tag; or, where it names its root or body and never ends them, within an element whose
/// end may not be left out. Where the last tag ends the page, nobody counts what is within.
pub fn is_open(html: &str) -> bool {
    let bytes = html.trim_end().as_bytes();
    let tail = html.floor_char_boundary(html.len().saturating_sub(TAIL));
    let tail = html[tail..].to_ascii_lowercase();
    // What a comment says ends nothing; one that a script holds is none.
    let in_comment = |at: usize| {
        let begins = tail[..at].rfind("<!--").filter(|begins| !tail[*begins..at].contains("-->"));
        begins.is_some_and(|begins| !tail[begins..at].contains("</script"))
    };
    if in_comment(tail.len()) {
        return true;
    }
    if ["</html", "</body"].iter().filter_map(|tag| tail.rfind(tag)).any(|at| !in_comment(at)) {
        return false;
    }
    if memrchr(b'<', bytes).is_some_and(|at| {
        let begins = bytes.get(at + 1).is_some_and(|sign| sign.is_ascii_alphabetic() || b"/!".contains(sign));
        begins && memchr(b'>', &bytes[at..]).is_none()
    }) {
        return true;
    }
    let (mut open, mut rooted) = (HashMap::<String, usize>::new(), false);
    let lower = bytes.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = memchr(b'<', html.as_bytes().get(at..).unwrap_or_default()) {
        let tag = tag(html, at + found);
        at = tag.end;
        rooted |= matches!(tag.name.as_str(), "html" | "body");
        if !tag.ends && is(&tag.name, RAW) {
            // What it holds is text, whatever that looks like: all that follows, where nothing ends it.
            let rest = lower.get(at..).unwrap_or_default();
            at = memmem::find(rest, format!("</{}", tag.name).as_bytes()).map_or(html.len(), |end| at + end);
        }
        if CLOSED.contains(&tag.name.as_str()) {
            let count = open.entry(tag.name).or_default();
            *count = if tag.ends { count.saturating_sub(1) } else { *count + 1 };
        }
    }
    rooted && open.values().any(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_never_ended_is_looked_through_once() {
        let page = |element: &str| format!("<html><body><h1>one</h1>{}", element.repeat(2_000_000 / element.len()));
        assert!(is_open(&page("<script>")) && is_open(&page("<STYLE>")));
    }

    #[test]
    fn a_page_that_ends_in_what_it_opened_is_told_from_one_that_leaves_ends_out() {
        for (html, is) in [
            ("<html><body><p>one<table><tr><td>two", true),
            ("<body><div><p>one</p>", true),
            ("<p>one <a hre", true),
            ("<p>one <!-- two", true),
            ("<html><body><p>one <!-- </body></html>", true),
            ("<html><body><div>one<script>a = '<!--'</script></body>", false),
            ("<html><body><div>one <!-- </body> -->", true),
            ("<html><body><div>one <!-- two --></body>", false),
            ("<html><body><p>one<p>two<ul><li>three</ul>", false),
            ("<html><body><div>one</body></html>\n", false),
            ("<div>a part of a page", false),
            ("<p>1 < 2", false),
            ("<p>one <", false),
            ("<body><script>write('<div>')</script>one", false),
            ("<body><SCRIPT>write('<div>')</SCRIPT>one", false),
            ("<body><p>one<script>write('</div>')", true),
            ("", false),
        ] {
            assert_eq!(is_open(html), is, "{html}");
        }
    }
}
