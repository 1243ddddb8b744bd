//! What an export had to leave out, move or stand in for, said once for each kind with the entries it is about.

use serde::{Deserialize, Serialize};

use crate::model::EntryId;

/// One thing that the output cannot say by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Note {
    /// What was done, in one sentence.
    pub note: String,
    /// The entries that it is about.
    pub entries: Vec<u32>,
}

/// Notes, in the order in which they came up.
#[derive(Debug, Default)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// Adds an entry to the note of these words, or makes it.
    pub fn say(&mut self, words: impl Into<String>, entry: Option<EntryId>) {
        let words = words.into();
        let at = self.0.iter().position(|note| note.note == words).unwrap_or_else(|| {
            self.0.push(Note { note: words, entries: Vec::new() });
            self.0.len() - 1
        });
        if let (Some(note), Some(EntryId(id))) = (self.0.get_mut(at), entry)
            && !note.entries.contains(&id)
        {
            note.entries.push(id);
        }
    }

    /// All of them.
    #[must_use]
    pub fn list(self) -> Vec<Note> {
        self.0
    }
}
