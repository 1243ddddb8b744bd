//! The sentences of a summary, judged by what it stands for: one judgement for the event that tells of the summary and
//! for its measure.

use std::collections::HashSet;

use crate::memory::{Aligned, Backing, Support, align_through};
use crate::model::{BlockKind, CallKey, Layer, Made, Transcript};
use crate::transcript::is_around_summary;

use super::spoken::Spoken;

/// A text that a summary stands for, as its sentences are judged by it.
pub struct Source {
    pub(super) spoken: Spoken,
    /// Whether it is a tool's call or result.
    acts: bool,
}

/// Calls whose result tells of no error.
#[must_use]
pub fn done_calls(transcript: &Transcript) -> HashSet<CallKey> {
    let results = transcript.blocks.iter().filter(|block| block.kind == BlockKind::ToolResult && !block.error);
    results.filter_map(|block| block.call).collect()
}

impl Source {
    /// The text of a piece of a layer, with its name and what it consists of; `done`: see [`done_calls`].
    #[must_use]
    pub fn of(
        transcript: &Transcript,
        (layer, label, content): (Layer, &str, &[Made]),
        text: String,
        done: &HashSet<CallKey>,
    ) -> Source {
        let acts = matches!(layer, Layer::ToolCalls | Layer::ToolResults);
        let spoken = match layer {
            Layer::ToolCalls => {
                let block = content.iter().find_map(Made::block).and_then(|id| transcript.block(id));
                let key = block.and_then(|block| block.call);
                Spoken::call(label, text, key.is_some_and(|key| done.contains(&key)))
            }
            _ => Spoken::plain(text),
        };
        Source { spoken, acts }
    }

    /// Its text as it is read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.spoken.text
    }

    /// Where a range of that stands in the text that it was made of.
    #[must_use]
    pub fn place(&self, range: (usize, usize)) -> (usize, usize) {
        self.spoken.place(range)
    }
}

/// Says of each sentence where it is from and what supports it. `trust` tells, from a source's number and a sentence of
/// it, what supports that. What the harness puts around a summary is no sentence of it.
#[must_use]
pub fn judged(words: &str, sources: &[&Source], trust: &dyn Fn(usize, &str) -> Support) -> Vec<Aligned> {
    let backing: Vec<Backing> =
        sources.iter().map(|source| Backing { text: &source.spoken.text, acts: source.acts }).collect();
    let mut found = align_through(words, &backing, trust);
    found.retain(|one| !is_around_summary(words.get(one.range.0..one.range.1).unwrap_or_default()));
    found
}
