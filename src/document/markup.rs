//! XML as a stream: events with their names and texts, entities resolved, never expanded.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::BytesRef;

pub use quick_xml::events::Event;

/// A reader that takes what is not quite well-formed.
pub fn reader<R: BufRead>(from: R) -> Reader<R> {
    let mut reader = Reader::from_reader(from);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    reader
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

/// An attribute's text.
#[must_use]
pub fn value(attribute: &quick_xml::events::attributes::Attribute<'_>) -> String {
    let raw = attribute.value.as_ref();
    quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned)
}
