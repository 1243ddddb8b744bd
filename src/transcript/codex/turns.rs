//! The turns of a window, each from a user's message on, or from that of another agent.

use std::collections::HashSet;

use crate::model::{BlockId, Layer, MessageId, Transcript};

/// The window without the newest turns.
pub(super) fn before_turns(
    transcript: &Transcript,
    window: &[BlockId],
    of_agents: &HashSet<MessageId>,
    turns: u64,
) -> Vec<BlockId> {
    let mut starts: Vec<usize> = Vec::new();
    let mut last = None;
    for (at, id) in window.iter().enumerate() {
        let Some(block) = transcript.block(*id) else { continue };
        let begins = block.layer == Layer::User || of_agents.contains(&block.message);
        if begins && last != Some(block.message) {
            starts.push(at);
            last = Some(block.message);
        }
    }
    let turns = usize::try_from(turns).unwrap_or(usize::MAX).min(starts.len());
    let left = starts.get(starts.len() - turns).and_then(|start| window.get(..*start));
    left.unwrap_or(window).to_vec()
}
