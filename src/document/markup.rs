//! XML as a stream: events with their names and texts, entities resolved, never expanded.

use std::borrow::Cow;
use std::io::{self, BufRead};

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart};
use quick_xml::reader::Config;
use quick_xml::{NsReader, Reader};

use super::encoding::TextReader;

pub use quick_xml::events::Event;

/// Bytes within which a declaration ends.
const DECLARATION_MAX: usize = 1024;

/// A reader that takes what is not quite well-formed.
pub fn reader<R: BufRead>(from: R) -> Reader<R> {
    let mut reader = Reader::from_reader(from);
    take_all(reader.config_mut());
    reader
}

/// The same, which also tells of names in which namespace they are.
pub fn spaced<R: BufRead>(from: R) -> NsReader<R> {
    let mut reader = NsReader::from_reader(from);
    take_all(reader.config_mut());
    reader
}

fn take_all(config: &mut Config) {
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
}

/// Elements that are open while XML is read: where some still are at its end, it ends early.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenElements(usize);

impl OpenElements {
    /// Takes in what was read.
    pub fn see<E>(&mut self, event: &Result<Event<'_>, E>) {
        match event {
            Ok(Event::Start(_)) => self.0 += 1,
            Ok(Event::End(_)) => self.0 = self.0.saturating_sub(1),
            _ => {}
        }
    }

    /// Whether any is.
    pub fn any(self) -> bool {
        self.0 > 0
    }
}

/// A text that may be XML, in the encoding that its declaration tells.
///
/// # Errors
/// Where it cannot be read.
pub fn text<'a>(from: Box<dyn BufRead + 'a>) -> io::Result<TextReader<'a>> {
    TextReader::named_by(from, declared)
}

/// The encoding that an XML declaration tells.
#[must_use]
pub fn declared(head: &[u8]) -> Option<String> {
    let head = head.get(..head.len().min(DECLARATION_MAX))?.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = memchr::memmem::find(head, b"?>")?;
    let (_, rest) = std::str::from_utf8(head.get(..end)?).ok()?.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let name = rest.strip_prefix(['"', '\''])?.split(['"', '\'']).next()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// A name without its prefix.
#[must_use]
pub fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The text that `&name;` stands for. Entities that a document defines itself stand for nothing, so that none can
/// multiply.
#[must_use]
pub fn entity(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(sign)) = reference.resolve_char_ref() {
        return sign.to_string();
    }
    let name = reference.xml10_content();
    quick_xml::escape::resolve_predefined_entity(&name).map_or_else(|| format!("&{name};"), str::to_owned)
}

/// An attribute by its local name.
#[must_use]
pub fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let found = attributes.with_checks(false).flatten().find(|found| found.key.local_name().into_inner() == name)?;
    Some(value(&found))
}

/// An attribute by its local name, where it has a prefix: `r:id` beside `id`.
#[must_use]
pub fn prefixed(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let is = |found: &Attribute<'_>| found.key.prefix().is_some() && found.key.local_name().into_inner() == name;
    Some(value(&attributes.with_checks(false).flatten().find(is)?))
}

/// An attribute's text; what stands for nothing stays as it is written.
#[must_use]
pub fn value(attribute: &Attribute<'_>) -> String {
    parts(attribute.value.as_ref()).into_iter().map(|(text, _)| text).collect()
}

/// A written text in parts: what it says, and references that stand for nothing here, as they are written (`true`).
#[must_use]
pub fn parts(raw: &str) -> Vec<(Cow<'_, str>, bool)> {
    let mut parts = Vec::new();
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        let name = |end: &usize| from.get(1..*end).is_some_and(|name| !name.is_empty() && !name.contains(no_name));
        // A sign that begins no reference is itself.
        let end = memchr::memchr(b';', from.as_bytes()).filter(name).map_or(1, |end| end + 1);
        let (reference, after) = from.split_at(end);
        parts.push((before.into(), false));
        parts.push(match quick_xml::escape::unescape(reference) {
            Ok(text) => (text, false),
            Err(_) => (reference.into(), reference != "&"),
        });
        rest = after;
    }
    parts.push((rest.into(), false));
    parts
}

/// What stands in no entity's name.
fn no_name(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, '&' | '<' | '=' | '"' | '\'')
}

/// The texts of elements that hold nothing but text, with their local names.
pub fn texts<R: BufRead>(from: R) -> Vec<(String, String)> {
    let mut events = reader(from);
    let mut buffer = Vec::new();
    let mut found = Vec::new();
    let (mut name, mut text) = (String::new(), String::new());
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => {
                element.local_name().into_inner().clone_into(&mut name);
                text.clear();
            }
            Ok(Event::Text(more)) => text.push_str(&more.xml10_content()),
            Ok(Event::CData(more)) => text.push_str(&more.xml10_content()),
            Ok(Event::GeneralRef(reference)) => text.push_str(&entity(&reference)),
            Ok(Event::End(_)) => {
                let (name, text) = (std::mem::take(&mut name), std::mem::take(&mut text));
                if !name.is_empty() && !text.trim().is_empty() && found.len() < 10_000 {
                    found.push((name, text.trim().to_owned()));
                }
            }
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}
