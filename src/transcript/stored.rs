//! From parts of a record in memory to spans and bodies of the source that holds it.

use crate::content::{count_chars, hash, join_hashes};
use crate::model::{Body, CallKey, Coding, Hidden, Media, Record, Span};

use super::json::Json;
use crate::tokens::pixels_of;

/// The bytes of a source from an offset on, of which parts are to become spans.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// The record that they are; their first byte stands at its start.
    pub record: Record,
}

impl<'a> Stored<'a> {
    /// Where a part of the bytes stands. What is no part of them gets an empty span at the record's start.
    #[must_use]
    pub fn span(&self, part: &[u8], coding: Coding) -> Span {
        let from = (part.as_ptr() as usize).checked_sub(self.bytes.as_ptr() as usize);
        let inside = from.filter(|from| from.saturating_add(part.len()) <= self.bytes.len());
        let start = self.record.start.saturating_add(inside.unwrap_or(0) as u64);
        let length = if inside.is_some() { part.len() as u64 } else { 0 };
        Span { source: self.record.source, start, end: start.saturating_add(length), coding }
    }

    /// The bytes of a span of this record.
    #[must_use]
    pub fn part(&self, span: Span) -> Option<&'a [u8]> {
        let from = usize::try_from(span.start.checked_sub(self.record.start)?).ok()?;
        self.bytes.get(from..from.checked_add(usize::try_from(span.len()).ok()?)?)
    }

    /// A part of the bytes as a record of its own.
    #[must_use]
    pub fn within(&self, part: &'a [u8]) -> Stored<'a> {
        let span = self.span(part, Coding::Plain);
        Stored { bytes: part, record: Record { start: span.start, end: span.end, ..self.record } }
    }

    /// A text out of one part.
    #[must_use]
    pub fn text(&self, part: &'a [u8], coding: Coding) -> Body {
        Body::Text {
            spans: smallvec::smallvec![self.span(part, coding)],
            chars: count_chars(part, coding),
            hash: hash(part, coding),
        }
    }

    /// A text out of several parts, joined by line breaks.
    #[must_use]
    pub fn texts(&self, parts: &[(&'a [u8], Coding)]) -> Body {
        let hashes: Vec<u64> = parts.iter().map(|(part, coding)| hash(part, *coding)).collect();
        let breaks = parts.len().saturating_sub(1) as u64;
        Body::Text {
            spans: parts.iter().map(|(part, coding)| self.span(part, *coding)).collect(),
            chars: parts.iter().map(|(part, coding)| count_chars(part, *coding)).sum::<u64>() + breaks,
            hash: join_hashes(&hashes),
        }
    }

    /// A value as the text that it is: a string's content, anything else as the JSON it stands as.
    #[must_use]
    pub fn value(&self, value: &Json<'a>) -> Body {
        match value.text() {
            Some(inner) => self.text(inner, Coding::Json),
            None => self.raw(value),
        }
    }

    /// A value as the JSON that it is, without the blanks between its parts and without needless escapes.
    #[must_use]
    pub fn raw(&self, value: &Json<'a>) -> Body {
        self.text(value.raw, Coding::Value)
    }

    /// Content that is not shown, behind opaque bytes.
    #[must_use]
    pub fn hidden(&self, part: Option<&[u8]>, tokens: Option<u64>) -> Body {
        Body::Hidden(Hidden { tokens, span: part.map(|part| self.span(part, Coding::Json)) })
    }

    /// Base64 data in a JSON string.
    #[must_use]
    pub fn base64(&self, mime: &str, part: &'a [u8]) -> Body {
        self.media(mime, part, Coding::Base64, pixels_of(part))
    }

    /// A picture or file behind a URL: the data of a `data:` URL, else the URL.
    #[must_use]
    pub fn url(&self, mime: &str, part: &'a [u8]) -> Body {
        let data = part.strip_prefix(b"data:").and_then(|rest| {
            let comma = memchr::memchr(b',', rest)?;
            let (head, data) = rest.split_at(comma);
            let head = String::from_utf8_lossy(head).into_owned();
            head.ends_with(";base64").then(|| (head.replace("\\/", "/"), data.get(1..).unwrap_or_default()))
        });
        match data {
            Some((head, data)) => self.base64(head.split(';').next().unwrap_or(mime), data),
            None => self.media(mime, part, Coding::Json, None),
        }
    }

    fn media(&self, mime: &str, part: &[u8], coding: Coding, pixels: Option<(u32, u32)>) -> Body {
        let mime: String = mime.chars().take(100).collect();
        Body::Media(Box::new(Media {
            mime: mime.into(),
            span: self.span(part, coding),
            hash: hash(part, coding),
            pixels,
            is_low: false,
        }))
    }
}

/// What pairs a call with its result, from its id.
#[must_use]
pub fn call_key(id: &str) -> CallKey {
    CallKey(hash(id.as_bytes(), Coding::Plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;
    use crate::transcript::json::parse;

    #[test]
    fn parts_become_spans_of_the_source() {
        let bytes = br#"{"text": "a\nb", "image": "data:image/png;base64,iVBORw0KGgo="}"#;
        let record = Record { source: SourceId(0), line: 3, start: 100, end: 100 + bytes.len() as u64 };
        let stored = Stored { bytes, record };
        let (value, _) = parse(bytes);
        let Some(Body::Text { spans, chars, .. }) = value.get("text").map(|text| stored.value(text)) else { panic!() };
        assert_eq!((spans[0].start, spans[0].end, chars), (110, 114, 3));
        let image = value.get("image").and_then(Json::text).unwrap_or_default();
        let Body::Media(media) = stored.url("", image) else { panic!() };
        assert_eq!((&*media.mime, media.span.coding, media.span.len()), ("image/png", Coding::Base64, 12));
        assert!(stored.span(b"elsewhere", Coding::Plain).is_empty());
    }
}
