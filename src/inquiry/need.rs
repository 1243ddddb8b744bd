//! When a fact was needed: the user's later question that speaks of what it stands beside, else the end of the session.

use std::collections::HashSet;

use super::find::Found;
use super::life::Subject;
use super::meaning::words;
use crate::content::Sources;
use crate::model::{BlockId, BlockKind, EntryId, Layer, Role, Run, Transcript};

/// Bytes of a message that are read.
const READ: usize = 20_000;
/// Words that a question and the fact's surroundings must share.
const SHARED: usize = 2;

/// The step at which a fact was needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The user named it.
    Given(u32),
    /// A later message of the user speaks of it: the first step that holds the message.
    Asked(u32, EntryId),
    /// Nobody asked; the last step.
    End(u32),
}

impl Need {
    /// The step.
    #[must_use]
    pub fn step(self) -> u32 {
        match self {
            Need::Given(step) | Need::Asked(step, _) | Need::End(step) => step,
        }
    }
}

/// The messages of a person in a run: the entry, its block, the first step that holds it.
fn prompts<'a>(run: &'a Run, transcript: &'a Transcript) -> impl Iterator<Item = (EntryId, BlockId, u32)> + 'a {
    (0u32..).zip(&run.entries).filter_map(|(id, entry)| {
        let spoken = entry.layer == Layer::User && entry.role == Role::User;
        let block = entry.block().filter(|_| spoken)?;
        let text = transcript.block(block).is_some_and(|block| block.kind == BlockKind::Text);
        text.then(|| (EntryId(id), block, entry.born()))
    })
}

/// The last question of the user, after a fact came in, that speaks of it.
#[must_use]
pub fn asked(subject: &Subject, found: &Found, run: &Run, sources: &Sources, came: u32, last: u32) -> Option<Need> {
    let mut beside: Vec<String> = Vec::new();
    let own: Vec<String> = words(&subject.fact.text).collect();
    for place in found.places.iter().take(8) {
        let Some(spot) = place.spot() else { continue };
        for word in words(&spot.context) {
            if !own.contains(&word) && !beside.contains(&word) && word.len() >= 4 {
                beside.push(word);
            }
        }
    }
    let mut questions: Vec<(EntryId, u32, HashSet<String>)> = Vec::new();
    for (entry, block, born) in prompts(run, subject.transcript) {
        let Some(body) = subject.transcript.block(block).map(|block| &block.body) else { continue };
        let Ok(text) = sources.body_text(body) else { continue };
        let mut end = text.len().min(READ);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // Whoever says it himself does not ask for it.
        let says = born <= came || born > last || subject.fact.is_in(&text);
        questions.push((entry, if says { 0 } else { born }, words(&text[..end]).collect()));
    }
    // What is in every message tells nothing.
    let common = (questions.len() / 3).max(2);
    beside.retain(|word| questions.iter().filter(|(_, _, said)| said.contains(word)).count() <= common);
    let speaks = |said: &HashSet<String>| beside.iter().filter(|word| said.contains(*word)).count() >= SHARED;
    let found = questions.iter().rev().find(|(_, born, said)| *born > 0 && speaks(said));
    found.map(|(entry, born, _)| Need::Asked(*born, *entry))
}
