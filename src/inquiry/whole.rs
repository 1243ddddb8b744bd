//! Results as they were called for: several blocks of one (texts, pictures) taken together.

use std::collections::HashMap;

use crate::model::{CallKey, Entry, EntryId, Event, Run, Transcript};

/// Entries that came in together as the answer to one call; else one alone.
pub struct Whole<'a> {
    /// The entries, in order; at least one.
    pub parts: Vec<(EntryId, &'a Entry)>,
}

impl<'a> Whole<'a> {
    /// The first of its entries.
    pub fn first(&self) -> (EntryId, &'a Entry) {
        self.parts[0]
    }

    /// The largest of them; of several that are, the first.
    pub fn largest(&self) -> (EntryId, &'a Entry) {
        let larger = |one: &(EntryId, &'a Entry), other: &(EntryId, &'a Entry)| one.1.tokens < other.1.tokens;
        self.parts.iter().fold(self.parts[0], |one, other| if larger(&one, other) { *other } else { one })
    }

    /// The numbers of its entries.
    pub fn ids(&self) -> impl Iterator<Item = EntryId> {
        self.parts.iter().map(|(id, _)| *id)
    }

    /// Its tokens in all.
    pub fn tokens(&self) -> u64 {
        self.parts.iter().map(|(_, entry)| entry.tokens).sum()
    }

    /// What it is called. Untrusted.
    pub fn label(&self) -> &'a str {
        &self.first().1.label
    }
}

/// The wanted entries of a run, in order, those of one call that came in together as one. What a later cut
/// left of one is no other.
pub fn wholes<'a>(transcript: &Transcript, run: &'a Run, wanted: impl Fn(&Entry) -> bool) -> Vec<Whole<'a>> {
    let mut found: Vec<Whole> = Vec::new();
    let mut known: HashMap<(CallKey, u32), usize> = HashMap::new();
    for (id, entry) in
        (0u32..).map(EntryId).zip(&run.entries).filter(|(_, entry)| wanted(entry) && !is_shortened(run, entry))
    {
        let call = entry.block().and_then(|id| transcript.block(id)?.call);
        let at = match call {
            Some(call) => *known.entry((call, entry.born())).or_insert(found.len()),
            None => found.len(),
        };
        match found.get_mut(at) {
            Some(whole) => whole.parts.push((id, entry)),
            None => found.push(Whole { parts: vec![(id, entry)] }),
        }
    }
    found
}

/// Whether an entry is what a cut left of a result that requests had held whole.
fn is_shortened(run: &Run, entry: &Entry) -> bool {
    let made_by = entry.made_by.and_then(|id| run.event(id));
    made_by.is_some_and(Event::shortens)
}
