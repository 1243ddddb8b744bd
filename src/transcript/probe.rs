//! The head of a file, looked at once for all formats.

use std::sync::Arc;

use memchr::memchr;
use serde_json::Value;

use crate::content::{ContentError, MemoryBytes, ReadAt, Sources, mark_length};
use crate::model::SourceId;

use super::Probe;
use super::exchange::opened;
use super::skim::{End, blank_after, skim};

/// Bytes of a head.
const HEAD: usize = 256 << 10;
/// Bytes in which a known record is looked for where the head holds none.
const FURTHER: u64 = 8 << 20;
/// Records looked at.
const OBJECTS: usize = 64;

/// Looks at the head of a source.
///
/// # Errors
/// Where the source cannot be read.
pub(super) fn probe(sources: &Sources, id: SourceId) -> Result<(Vec<u8>, Look), ContentError> {
    let bytes = Arc::clone(sources.bytes(id)?);
    let head = sources.read(id, 0, bytes.len().min(HEAD as u64))?;
    let look = look(&head, bytes.as_ref());
    Ok((head, look))
}

/// What a probe holds beside the head's bytes.
pub(super) struct Look {
    objects: Vec<Value>,
    whole: Option<Value>,
    complete: bool,
}

impl Look {
    /// As formats are asked with it.
    pub(super) fn with(self, head: &[u8]) -> Probe<'_> {
        Probe::of(head, self.objects, self.whole, self.complete)
    }
}

fn look(head: &[u8], bytes: &dyn ReadAt) -> Look {
    let complete = head.len() as u64 == bytes.len();
    let from = mark_length(head);
    let begin = head.get(from..).unwrap_or_default().trim_ascii_start();
    if !matches!(begin.first(), Some(b'{' | b'[')) {
        return Look { objects: lines(begin, complete).0, whole: None, complete };
    }
    let first = skim(bytes, from as u64);
    let alone = first.end == End::Cut || first.end == End::Complete && blank_after(bytes, first.stop);
    if alone && (first.breaks > 0 || first.value.is_array()) {
        return Look { objects: Vec::new(), whole: Some(first.value), complete };
    }
    let mut objects = lines(begin, complete).0;
    if objects.is_empty() && first.breaks == 0 && first.value.is_object() && first.end != End::Broken {
        objects.push(first.value.clone());
    }
    // Text in brackets that is no JSON at all (`[package]`) is none of it.
    let nothing = first.end == End::Broken
        && (first.value.as_array().is_some_and(Vec::is_empty)
            || first.value.as_object().is_some_and(serde_json::Map::is_empty));
    let whole = ((alone || objects.is_empty()) && !nothing).then_some(first.value);
    Look { objects, whole, complete }
}

/// Looks at the records after those of the head, so many at a time, until `each` has seen enough.
///
/// # Errors
/// Where the source cannot be read.
pub(super) fn further(
    sources: &Sources,
    id: SourceId,
    mut each: impl FnMut(&Probe<'_>) -> bool,
) -> Result<(), ContentError> {
    let size = sources.bytes(id)?.len();
    let bytes = sources.read(id, 0, size.min(FURTHER))?;
    let complete = bytes.len() as u64 == size;
    let head = bytes.get(..HEAD).unwrap_or(&bytes);
    let mut rest = bytes.as_slice();
    loop {
        let (objects, after) = lines(rest, complete);
        if objects.is_empty() || each(&Probe::of(head, objects, None, complete)) {
            return Ok(());
        }
        rest = after;
    }
}

/// The first lines that are JSON objects, and what comes after them.
fn lines(head: &[u8], complete: bool) -> (Vec<Value>, &[u8]) {
    let mut objects = Vec::new();
    let mut rest = head;
    while !rest.is_empty() && objects.len() < OBJECTS {
        let stop = memchr(b'\n', rest);
        if stop.is_none() && !complete {
            break;
        }
        let (line, after) = rest.split_at(stop.unwrap_or(rest.len()));
        rest = after.get(1..).unwrap_or_default();
        let line = line.trim_ascii();
        if line.first() == Some(&b'{') {
            let skimmed = skim(&MemoryBytes(line.to_vec()), 0);
            if skimmed.end == End::Complete && skimmed.stop == line.len() as u64 {
                objects.push(skimmed.value);
            }
        }
    }
    (objects, rest)
}

impl<'a> Probe<'a> {
    pub(super) fn of(head: &'a [u8], objects: Vec<Value>, whole: Option<Value>, complete: bool) -> Self {
        let mut found = Vec::new();
        for value in objects.iter().chain(&whole) {
            opened(value, 0, &mut found);
        }
        Probe { head, objects, whole, opened: found, complete }
    }

    /// How many of the records are so.
    pub fn count(&self, is: impl Fn(&Value) -> bool) -> usize {
        self.objects.iter().filter(|object| is(object)).count()
    }

    /// Whether some record is so.
    pub fn any(&self, is: impl Fn(&Value) -> bool) -> bool {
        self.objects.iter().any(is)
    }

    /// The records, or else the whole: whatever a format's first look should go to.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let whole = self.whole.as_ref().filter(|_| self.objects.is_empty());
        self.objects.iter().chain(whole)
    }
}
