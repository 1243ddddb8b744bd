//! The files beside a session: subagents' logs, and outputs that were too long to be sent.

use std::collections::HashSet;
use std::sync::Arc;

use memchr::memmem;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::content::{ReadAt, Sources, count_chars};
use crate::model::{Block, Body, Coding, CutShape, SourceId, SourceKind, Span, beside, file_name};

use super::super::Siblings;
use super::record::Key;

/// Side files that are taken at most.
const FILES: usize = 2_000;
/// Bytes of a log in which the session's id is looked for.
const HEAD: usize = 16 << 10;
/// A longer output is not scanned: its characters are its bytes.
const SCAN: u64 = 8 << 20;

/// A subagent's log.
pub(super) struct Log {
    /// Its name below the transcript's folder.
    pub name: String,
    /// Its bytes.
    pub bytes: Arc<dyn ReadAt>,
}

impl Log {
    /// The subagent's id, as the name of the file says it.
    pub fn id(&self) -> &str {
        let file = self.name.rsplit('/').next().unwrap_or(&self.name);
        file.strip_prefix("agent-").and_then(|id| id.strip_suffix(".jsonl")).unwrap_or(file)
    }

    /// Whether it logs the agent's own call that writes a summary.
    pub fn is_summariser(&self) -> bool {
        self.id().starts_with("acompact")
    }
}

/// Whether a file of that name logs a subagent.
#[must_use]
pub fn is_side_log(name: &str) -> bool {
    name.starts_with("agent-") && name.ends_with(".jsonl")
}

/// The logs of a session's subagents. `folders` are the names that its own folder may have, `sessions` the ids that
/// its records name; logs that name another are left out.
pub(super) fn logs(siblings: &dyn Siblings, own: &str, folders: &[String], sessions: &HashSet<Key>) -> Vec<Log> {
    if is_side_log(own) {
        return Vec::new();
    }
    let below = folders.iter().flat_map(|folder| siblings.list(&format!("{folder}/subagents")));
    let beside = siblings.list("").into_iter().filter(|name| !name.contains('/'));
    let named = below.chain(beside).filter(|name| is_side_log(name.rsplit('/').next().unwrap_or(name)));
    let mut seen = HashSet::new();
    named
        .filter(|name| seen.insert(name.clone()))
        .take(FILES)
        .filter_map(|name| Some(Log { bytes: siblings.open(&name)?, name }))
        .filter(|log| session_of(log.bytes.as_ref()).is_some_and(|session| sessions.contains(&session)))
        .collect()
}

/// The session that the first record of a log names.
fn session_of(bytes: &dyn ReadAt) -> Option<Key> {
    let mut head = vec![0; HEAD];
    let size = bytes.read_at(0, &mut head).ok()?;
    // A long first message may stand before it.
    let mut found = id_in(head.get(..size)?);
    if found.is_none() && bytes.len() > size as u64 {
        head.resize(64 * HEAD, 0);
        let size = bytes.read_at(0, &mut head).ok()?;
        found = id_in(head.get(..size)?);
    }
    found
}

fn id_in(head: &[u8]) -> Option<Key> {
    let mark = b"\"sessionId\"";
    memmem::find_iter(head, mark).find_map(|at| {
        let rest = head.get(at + mark.len()..)?.trim_ascii_start().strip_prefix(b":")?;
        let id = rest.trim_ascii_start().strip_prefix(b"\"")?;
        id.get(..memchr::memchr(b'"', id)?).map(Key::of)
    })
}

/// Gives results that were sent as a pointer the file that holds the whole, where it is still there.
pub(super) fn persisted(
    siblings: &dyn Siblings,
    sources: &mut Sources,
    path: &str,
    folders: &[String],
    blocks: &mut [Block],
) {
    let pointers = blocks.iter_mut().filter_map(|block| {
        let cut = block.cut.as_deref().filter(|cut| cut.shape == CutShape::Pointer)?;
        let file = file_name(cut.rest.as_deref()?).to_owned();
        (!file.is_empty() && file != "..").then_some((block, file))
    });
    for (block, file) in pointers.take(FILES) {
        let names = folders.iter().map(|folder| format!("{folder}/tool-results/{file}"));
        let found = names.into_iter().find_map(|name| Some((siblings.open(&name)?, name)));
        if let Some((bytes, name)) = found {
            let source = sources.add(beside(path, &name), SourceKind::Side, Arc::clone(&bytes));
            block.original = Some(Box::new(plain(source, bytes.as_ref())));
        }
    }
}

/// A whole file as a text.
fn plain(source: SourceId, bytes: &dyn ReadAt) -> Body {
    let spans = smallvec::smallvec![Span { source, start: 0, end: bytes.len(), coding: Coding::Plain }];
    let mut hash = Xxh3::new();
    let (mut at, mut chars) = (0, 0);
    let mut piece = vec![0; 256 << 10];
    while at < bytes.len().min(SCAN) {
        match bytes.read_at(at, &mut piece) {
            Ok(size @ 1..) => {
                let read = piece.get(..size).unwrap_or_default();
                hash.update(read);
                chars += count_chars(read, Coding::Plain);
                at += size as u64;
            }
            _ => break,
        }
    }
    let rest = bytes.len().saturating_sub(at);
    let hash = if rest == 0 { hash.digest() } else { hash.digest() ^ xxh3_64(&bytes.len().to_le_bytes()) };
    Body::Text { spans, chars: chars + rest, hash }
}
