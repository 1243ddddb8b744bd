//! XHTML as HTML: what only XML knows (elements that end themselves, CDATA) written so that a parser of HTML takes it
//! as it is meant. Everything else stays as it is, so that a page that is not well-formed is still read.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::elements::{VOID, is};

/// The namespace that a page of XHTML names in its first element.
const NAMESPACE: &str = "http://www.w3.org/1999/xhtml";
/// Characters of a page in which it says what it is.
const HEAD: usize = 64 << 10;

/// Whether a page says of itself that it is XHTML.
#[must_use]
pub fn is_declared(page: &str) -> bool {
    let head = &page[..page.floor_char_boundary(HEAD)];
    let root = || {
        let (_, after) = head.split_once("<html")?;
        Some(after.split_once('>')?.0.contains(NAMESPACE))
    };
    head.trim_start_matches('\u{FEFF}').trim_start().starts_with("<?xml") || root().unwrap_or(false)
}

/// A page of XHTML as HTML: `<a/>` becomes `<a></a>`, and the text of a CDATA section text.
#[must_use]
pub fn as_html(page: &str) -> Cow<'_, str> {
    let bytes = page.as_bytes();
    let mut html = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &bytes[at..];
        // What stands in place of the bytes from here on, and how many they are.
        let (size, instead) = if rest.starts_with(b"<!--") {
            (memmem::find(rest, b"-->").map_or(rest.len(), |end| end + 3), None)
        } else if let Some(inner) = rest.strip_prefix(b"<![CDATA[") {
            // Where one does not end, nobody knows what is markup.
            let Some(end) = memmem::find(inner, b"]]>") else { break };
            let inner = &page[at + 9..at + 9 + end];
            (end + 12, Some(quick_xml::escape::minimal_escape(inner).into_owned()))
        } else {
            tag(&page[at..]).unwrap_or((1, None))
        };
        if let Some(instead) = instead {
            html.push_str(&page[copied..at]);
            html.push_str(&instead);
            copied = at + size;
        }
        at += size;
    }
    if copied == 0 {
        return Cow::Borrowed(page);
    }
    html.push_str(&page[copied..]);
    Cow::Owned(html)
}

/// The bytes of the tag that begins here, and what HTML writes for it, where that is something else; `None` where none
/// begins.
fn tag(from: &str) -> Option<(usize, Option<String>)> {
    let bytes = from.as_bytes();
    let ends = bytes.get(1) == Some(&b'/');
    let start = 1 + usize::from(ends);
    let name = from.get(start..)?.split(|sign: char| matches!(sign, '/' | '<' | '>') || sign.is_whitespace()).next()?;
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return None;
    }
    // Few tags are asked for it, and fewer are not in lower case.
    let is_void = || match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => is(&name.to_ascii_lowercase(), VOID),
        false => is(name, VOID),
    };
    let mut at = start + name.len();
    // A slash within a value without quotes is part of it.
    let (mut slash, mut due, mut bare) = (false, false, false);
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'>' => break,
            b'<' => return None,
            b'"' | b'\'' if due => at += memchr(byte, &bytes[at + 1..])? + 1,
            _ => {}
        }
        slash = byte == b'/' && !bare && !due;
        bare = !byte.is_ascii_whitespace() && (bare || (due && !matches!(byte, b'"' | b'\'')));
        due = byte == b'=' && !bare || due && byte.is_ascii_whitespace();
        at += 1;
    }
    let instead = match (ends, slash) {
        (true, _) if is_void() => Some(String::new()),
        (false, true) if !is_void() => Some(format!("{}></{name}>", &from[..at - 1])),
        _ => None,
    };
    Some((at + 1, instead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_end_themselves_are_closed() {
        let same = "<p class=a/b>x<br/><img src='a>b'/> 1 < 2 <a href=/x/>y</a><!-- <i/> --></p>";
        assert!(matches!(as_html(same), Cow::Borrowed(text) if text == same));
        assert_eq!(as_html("<script src=\"a.js\" /><b/>c"), "<script src=\"a.js\" ></script><b></b>c");
        assert_eq!(as_html("<a x = '/' y/>z<br></br>"), "<a x = '/' y></a>z<br>");
        assert_eq!(as_html("<i/>a <b c='"), "<i></i>a <b c='");
    }

    #[test]
    fn cdata_is_text() {
        assert_eq!(as_html("a<![CDATA[<b> & c]]>d"), "a&lt;b&gt; &amp; cd".replace("&gt;", ">"));
        assert_eq!(as_html("<i/><![CDATA[ open"), "<i></i><![CDATA[ open");
    }

    #[test]
    fn a_page_says_that_it_is_xhtml() {
        assert!(is_declared("\u{FEFF}<?xml version='1.0'?><p/>"));
        assert!(is_declared("<!DOCTYPE html><html xmlns=\"http://www.w3.org/1999/xhtml\" lang=en>"));
        assert!(!is_declared("<html><body xmlns=\"http://www.w3.org/1999/xhtml\">"));
    }
}
