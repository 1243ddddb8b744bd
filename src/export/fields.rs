//! What stands beside a text in its record: a call's id, a reasoning block's signature.
//!
//! Readers keep of a record what every format has. An export needs a little more, and finds it where the text stands.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::value::RawValue;

use crate::content::Sources;
use crate::model::{Coding, Record, Span};

/// The fields that are looked for.
const WANTED: &[&str] = &["id", "call_id", "tool_use_id", "tool_call_id", "name", "signature", "type", "data"];
/// Larger records are not searched.
const RECORD_MAX: u64 = 64 << 20;
/// Deeper nesting is not searched.
const DEPTH_MAX: usize = 64;

/// One field of one object: the object's range, the name, and the string's range within its quotes.
struct Field {
    object: (u64, u64),
    name: &'static str,
    span: Span,
}

/// Fields by record, each record read once.
pub struct Fields<'a> {
    sources: &'a Sources,
    known: HashMap<Record, Vec<Field>>,
}

impl<'a> Fields<'a> {
    /// Fields of records in these sources.
    #[must_use]
    pub fn new(sources: &'a Sources) -> Self {
        Fields { sources, known: HashMap::new() }
    }

    /// The first of `names` in the innermost object around `inner` that has one.
    pub fn around(&mut self, record: Record, inner: Span, names: &[&str]) -> Option<Span> {
        if inner.source != record.source || record.end.saturating_sub(record.start) > RECORD_MAX {
            return None;
        }
        let sources = self.sources;
        let fields = self.known.entry(record).or_insert_with(|| read(sources, record));
        let rank = |field: &Field| names.iter().position(|name| *name == field.name);
        fields
            .iter()
            .filter(|field| field.object.0 <= inner.start && inner.end <= field.object.1 && rank(field).is_some())
            .min_by_key(|field| (field.object.1 - field.object.0, rank(field)))
            .map(|field| field.span)
    }
}

fn read(sources: &Sources, record: Record) -> Vec<Field> {
    let mut fields = Vec::new();
    if let Ok(bytes) = sources.read(record.source, record.start, record.end)
        && let Ok(text) = std::str::from_utf8(&bytes)
        && let Ok(whole) = serde_json::from_str::<&RawValue>(text)
    {
        let base = (text.as_ptr() as usize, record);
        search(whole, base, 0, &mut fields);
    }
    fields
}

fn search(value: &RawValue, base: (usize, Record), depth: usize, fields: &mut Vec<Field>) {
    let text = value.get();
    let offset = |part: &str| base.1.start + (part.as_ptr() as usize - base.0) as u64;
    if depth > DEPTH_MAX {
        return;
    }
    if text.starts_with('[') {
        if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) {
            items.into_iter().for_each(|item| search(item, base, depth + 1, fields));
        }
    } else if text.starts_with('{')
        && let Ok(object) = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(text)
    {
        let range = (offset(text), offset(text) + text.len() as u64);
        for (name, value) in &object {
            let inside = value.get().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            if let (Some(name), Some(inside)) = (WANTED.iter().find(|wanted| *wanted == name), inside) {
                let start = offset(inside);
                let end = start + inside.len() as u64;
                let span = Span { source: base.1.source, start, end, coding: Coding::Json };
                fields.push(Field { object: range, name, span });
            }
        }
        object.into_values().for_each(|value| search(value, base, depth + 1, fields));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceKind;

    #[test]
    fn the_innermost_object_that_has_a_field_wins() {
        let line = r#"{"id":"outer","c":[{"id":"call","f":{"name":"Bash","arguments":"{}"}},{"id":"other"}]}"#;
        let mut sources = Sources::default();
        let source = sources.add_memory("t", SourceKind::Transcript, format!("\n{line}").into_bytes());
        let record = Record { source, line: 2, start: 1, end: 1 + line.len() as u64 };
        let at = 1 + line.find(r#""{}""#).unwrap() as u64 + 1;
        let inner = Span { source, start: at, end: at + 2, coding: Coding::Json };
        let mut fields = Fields::new(&sources);
        let found = |fields: &mut Fields<'_>, name| {
            fields.around(record, inner, &[name]).map(|span| sources.text(span).unwrap())
        };
        assert_eq!(found(&mut fields, "id").as_deref(), Some("call"));
        assert_eq!(found(&mut fields, "name").as_deref(), Some("Bash"));
        assert_eq!(found(&mut fields, "signature"), None);
    }
}
