//! Context editing: what a provider clears of a request before it asks the model, as the request allows it and as its
//! answer reports it.

use std::collections::{BTreeMap, HashSet};

use crate::model::{Block, BlockId, Layer, MessageId, Record, RequestId, Thread};
use crate::transcript::history::oldest_calls;
use crate::transcript::json::Json;
use crate::transcript::thinking::{self, Keep};

use super::conversation::{Conversation, Writer};
use super::weave::Weave;

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
    /// Whether it reports on that at all.
    pub is_told: bool,
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
    /// What it asks for of the thinking of earlier turns.
    pub(super) thinking: Option<Keep>,
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
            if edit.str_of("type").starts_with("clear_thinking") {
                editing.thinking = Some(kept(edit.some("keep")));
            }
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

/// What an edit keeps of the thinking: `"all"`, or so many turns; one where it says nothing.
fn kept(keep: Option<&Json<'_>>) -> Keep {
    let Some(keep) = keep else { return Keep::Turns(1) };
    let is_all = |held: &Json<'_>| held.str().is_some_and(|name| name == "all");
    if is_all(keep) || keep.get("type").is_some_and(is_all) {
        return Keep::All;
    }
    Keep::Turns(keep.count_of("value").unwrap_or(1))
}

impl Weave {
    /// Puts in where requests of a conversation were sent without the thinking of earlier turns. `asked` says what they
    /// ask for of it, from each of these on.
    pub(super) fn leave_thinking_out(&mut self, thread: &mut Thread, asked: &BTreeMap<RequestId, Option<Keep>>) {
        if !self.dialect.drops_thinking {
            return;
        }
        let shown = thinking::shown(&self.builder.transcript, std::iter::once(&*thread));
        let rule = |model: &str| if shown.contains(model) { Keep::All } else { thinking::by_model(model) };
        let asked = |id: RequestId| asked.range(..=id).next_back().and_then(|(_, keep)| *keep);
        thinking::leave_out(&mut self.builder, thread, &|id, model| asked(id).unwrap_or_else(|| rule(model)));
    }
}

impl Conversation {
    /// Remembers what the requests `from` one on ask for of the thinking of earlier turns. Where the provider reports what
    /// it cleared, that is all of it.
    pub(super) fn keep_thinking(&mut self, from: usize, is_told: bool) {
        let keep = self.editing.thinking.map(|keep| if is_told { Keep::All } else { keep });
        self.keeps.insert(RequestId(u32::try_from(from).unwrap_or(u32::MAX)), keep);
    }

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
