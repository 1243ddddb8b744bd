//! Copies that an agent put into its window again after a compaction: a full history holds such a text already.

use std::collections::{HashMap, HashSet};

use crate::model::{Block, BlockId, Body, Layer, Transcript};

/// What has come in beside the conversation.
#[derive(Default)]
pub(super) struct Copies {
    /// The first item of each text, by layer and hash.
    first: HashMap<(Layer, u64), u32>,
    /// Copies that came in again: step and tokens, by step.
    pub come: Vec<(u32, u64)>,
}

impl Copies {
    /// Whether a text beside the conversation stands in the full history already and comes in only because a compaction
    /// took it away; remembers it as that item where it is new. `before`: how many items there were at the last
    /// compaction. Reminders are said again and again anyway.
    pub fn is_one(&mut self, block: &Block, item: u32, before: u32, here: &HashSet<u32>) -> bool {
        let text = matches!(block.body, Body::Text { chars: 1.., .. });
        if is_conversation(block.layer) || block.layer == Layer::Notices || !text {
            return false;
        }
        let first = *self.first.entry((block.layer, block.body.hash())).or_insert(item);
        first < before && here.contains(&first)
    }

    /// The item that holds the text of a block that a compaction put back with its summary.
    pub fn known(&self, block: &Block) -> Option<u32> {
        self.first.get(&(block.layer, block.body.hash())).copied()
    }
}

/// Of what came in between a compaction and the next request, what it put back: attachments before the next message of
/// the user, or all of them where the agent goes on by itself.
pub(in crate::engine) fn are_put_back(transcript: &Transcript, since: &[BlockId]) -> Vec<bool> {
    let layer = |id: &BlockId| transcript.block(*id).map(|block| block.layer);
    let prompt = since.iter().rposition(|id| layer(id) == Some(Layer::User)).unwrap_or(since.len());
    let attached = |id: &BlockId| layer(id).is_some_and(|layer| !is_conversation(layer));
    since.iter().enumerate().map(|(at, id)| at < prompt && attached(id)).collect()
}

/// Whether a layer holds what somebody said or a tool answered, and nothing that an agent attaches.
pub(in crate::engine) fn is_conversation(layer: Layer) -> bool {
    matches!(layer, Layer::User | Layer::Assistant | Layer::Thinking | Layer::ToolCalls | Layer::ToolResults)
}
