//! A text that is JSON as it is meant: escapes taken out, with where each sign stood.
//!
//! Arguments of calls and some clients' results are JSON. A term that follows `\n` there does not begin with an n, and
//! one whose letters are written as `\u00ef` is the same as elsewhere.

use std::borrow::Cow;

use crate::content::decode_json_string;

/// A text without its escapes.
pub(super) struct Plain<'t> {
    /// What it says.
    pub text: Cow<'t, str>,
    /// Behind each escape: the byte of `text`, and the byte of what was written.
    places: Vec<(usize, usize)>,
}

impl<'t> Plain<'t> {
    /// `None` where a text is not JSON, by how it begins.
    pub fn of(written: &'t str) -> Option<Plain<'t>> {
        if !is_json(written) {
            return None;
        }
        let (mut text, mut places, mut done) = (String::new(), Vec::new(), 0);
        for at in memchr::memchr_iter(b'\\', written.as_bytes()) {
            if at < done {
                continue;
            }
            let end = escape_end(written.as_bytes(), at);
            let Some((before, escape)) = written.get(done..at).zip(written.get(at..end)) else { continue };
            text.push_str(before);
            text.push_str(&decode_json_string(escape.as_bytes()));
            places.push((text.len(), end));
            done = end;
        }
        if places.is_empty() {
            return Some(Plain { text: Cow::Borrowed(written), places });
        }
        text.push_str(written.get(done..).unwrap_or_default());
        Some(Plain { text: Cow::Owned(text), places })
    }

    /// Where a byte of the text was written.
    pub fn written(&self, at: usize) -> usize {
        let behind = self.places.partition_point(|(plain, _)| *plain <= at).checked_sub(1);
        let (plain, written) = behind.and_then(|number| self.places.get(number)).copied().unwrap_or_default();
        written + (at - plain)
    }
}

/// Whether a text begins as JSON does, and not as a note in brackets or code.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let inner = |rest: &str| rest.trim_start().bytes().next();
    match (text.strip_prefix('{'), text.strip_prefix('[')) {
        (Some(rest), _) => matches!(inner(rest), Some(b'"' | b'}')),
        (_, Some(rest)) => matches!(inner(rest), Some(b'{' | b'[' | b'"')),
        _ => false,
    }
}

/// Where an escape ends that begins at a byte. Two that make one sign are one.
fn escape_end(bytes: &[u8], at: usize) -> usize {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match unit(at) {
        Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at + 12,
        Some(_) => at + 6,
        None => (at + 2).min(bytes.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_that_of_what_was_written() {
        let written = r#"{"s": "a\n\tbc \ud83d\ude00 na\u00efve \\d"}"#;
        let plain = Plain::of(written).unwrap();
        assert_eq!(plain.text, "{\"s\": \"a\n\tbc 😀 naïve \\d\"}");
        let at = |word: &str| plain.text.find(word).unwrap();
        assert_eq!(plain.written(at("bc")), written.find("bc").unwrap());
        let (from, to) = (at("naïve"), at("naïve") + "naïve".len());
        assert_eq!(&written[plain.written(from)..plain.written(to)], r"na\u00efve");
        assert_eq!(plain.written(plain.text.len()), written.len());
        assert!(Plain::of(r"[INFO] C:\temp\new").is_none() && Plain::of("{ x }").is_none());
        assert!(Plain::of("[{}]").is_some_and(|plain| matches!(plain.text, Cow::Borrowed(_))));
    }
}
