//! Why a result was spared: which later message refers to it, and by which term.

use std::collections::HashMap;
use std::sync::Arc;

use super::plain_name;
use crate::model::{BlockId, EntryId, Event, Run};

/// A message that refers to an earlier entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Referring {
    /// The entry that it refers to.
    pub entry: EntryId,
    /// The message, where it stands in a window as an entry of its own.
    pub by: Option<EntryId>,
    /// The term that both hold. Untrusted.
    pub word: Arc<str>,
}

/// Terms that are told in a sentence.
const TOLD: usize = 3;

/// Who refers to entries of an event, in its order.
#[must_use]
pub fn referring(run: &Run, event: &Event) -> Vec<Referring> {
    if event.evidence.is_empty() {
        return Vec::new();
    }
    let mut entries: HashMap<BlockId, EntryId> =
        event.evidence.iter().map(|evidence| (evidence.by, EntryId(u32::MAX))).collect();
    for (id, entry) in (0u32..).zip(&run.entries) {
        if let Some(known) = entry.block().and_then(|block| entries.get_mut(&block)) {
            known.0 = known.0.min(id);
        }
    }
    let by = |block| entries.get(&block).copied().filter(|id| id.0 != u32::MAX);
    let evidence = event.evidence.iter();
    evidence.map(|one| Referring { entry: one.entry, by: by(one.by), word: one.word.clone() }).collect()
}

/// An entry as a sentence names it.
#[must_use]
pub fn entry_name(run: &Run, id: EntryId) -> String {
    let Some(entry) = run.entry(id) else { return "a text".to_owned() };
    let label = if entry.label.is_empty() { String::new() } else { format!(" {}", plain_name(&entry.label)) };
    format!("the {}{label} of step {}", entry.layer.info().tag, entry.born())
}

/// The same in a sentence for each of the first few; nothing where nobody refers to any.
#[must_use]
pub fn references(run: &Run, event: &Event) -> String {
    let all = referring(run, event);
    let one = |found: &Referring| {
        let by = found.by.map_or_else(|| "a later message".to_owned(), |by| entry_name(run, by));
        format!(" {} repeats “{}” of {}.", capital(&by), found.word, entry_name(run, found.entry))
    };
    let mut text: String = all.iter().take(TOLD).map(one).collect();
    if all.len() > TOLD {
        text.push_str(&format!(" So it is with {} more.", all.len() - TOLD));
    }
    text
}

/// A text that begins with a capital letter.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
}
