//! Context editing: what a provider clears of a request before it asks the model, as the request allows it and as its
//! answer reports it.

use std::collections::HashSet;

use crate::model::{Block, BlockId, Layer, MessageId, Record};
use crate::transcript::history::oldest_calls;
use crate::transcript::json::Json;

use super::conversation::{Conversation, Writer};

/// What the model sees in place of a result.
const CLEARED: &str = "[cleared to save context]";
/// What it sees in place of what a call was made with.
const NO_INPUT: &str = "{}";

/// What a provider reports to have cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Calls whose results are gone, the oldest ones.
    pub calls: u64,
    /// The model's messages whose reasoning is gone, the oldest ones.
    pub turns: u64,
}

/// What a request says of the results that may be cleared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editing {
    /// Tools whose results stay.
    spared: Vec<String>,
    /// Whether all calls lose what they were made with along with their results.
    all_inputs: bool,
    /// Tools whose calls do.
    inputs: Vec<String>,
}

impl Editing {
    /// Reads a request's list of edits.
    pub(super) fn of(edits: &[Json<'_>]) -> Editing {
        let names = |held: Option<&Json<'_>>| -> Vec<String> {
            let items = held.map(Json::items).unwrap_or_default().iter();
            items.filter_map(Json::str).map(|name| name.into_owned()).collect()
        };
        let mut editing = Editing::default();
        for edit in edits {
            let inputs = edit.get("clear_tool_inputs");
            editing.spared.append(&mut names(edit.get("exclude_tools")));
            editing.inputs.append(&mut names(inputs));
            editing.all_inputs |= inputs.is_some_and(|inputs| inputs.raw == b"true");
        }
        editing
    }

    fn spares(&self, block: &Block) -> bool {
        self.spared.iter().any(|name| **name == *block.label)
    }

    fn empties(&self, block: &Block) -> bool {
        self.all_inputs || self.inputs.iter().any(|name| **name == *block.label)
    }
}

impl Conversation {
    /// What the provider cleared before it asked the model stays as markers only.
    pub(super) fn clear(&mut self, writer: &Writer<'_>, cleared: Cleared, record: Record) {
        let transcript = &writer.builder.transcript;
        let window = self.history.window();
        let blocks = |layer: Layer| {
            let named = window.iter().filter_map(|id| Some((*id, transcript.block(*id)?)));
            named.filter(move |(_, block)| block.layer == layer)
        };
        let oldest = oldest_calls(transcript, window, cleared.calls, |block| self.editing.spares(block));
        let (mut results, mut inputs) = (oldest.results, oldest.calls);
        inputs.retain(|id| transcript.block(*id).is_some_and(|block| self.editing.empties(block)));
        let mut turns: Vec<MessageId> = blocks(Layer::Thinking).map(|(_, block)| block.message).collect();
        turns.dedup();
        turns.truncate(usize::try_from(cleared.turns).unwrap_or(usize::MAX));
        let turns: HashSet<MessageId> = turns.into_iter().collect();
        let mut thinking: Vec<BlockId> =
            blocks(Layer::Thinking).filter(|(_, block)| turns.contains(&block.message)).map(|(id, _)| id).collect();
        for (blocks, marker) in [(&mut thinking, ""), (&mut results, CLEARED), (&mut inputs, NO_INPUT)] {
            blocks.retain(|id| self.cleared.insert(*id));
            self.history.clear(record, std::mem::take(blocks), marker);
        }
    }
}
