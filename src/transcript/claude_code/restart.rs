//! Going back to the very beginning: the first prompt is written anew, and its record names none before it, or a hook of a
//! session's start that names none.

use crate::model::{Body, Layer, Op};
use crate::transcript::build::Draft;

use super::record::Parent;
use super::tree::NodeId;
use super::weave::Weaver;

/// Characters that no token of a text has more of, on the average.
const CHARS_PER_TOKEN: u64 = 8;

impl Weaver<'_> {
    /// A prompt with nothing before it in the middle of a thread: the user went back to the beginning. What the next
    /// request reports tells it from a history that was only logged so: that would have grown by what was said since.
    pub(super) fn restart(&self, parent: Parent, prompt: &[Draft]) -> Option<Vec<NodeId>> {
        if !self.tree.is_beginning(parent) {
            return None;
        }
        let before = self.thread.requests.iter().rev().find_map(|request| request.usage)?.context();
        let after = self.next_usage()?.context();
        let since = self.thread.ops.iter().rev().map_while(|op| match op {
            Op::Add(id) => Some(self.store.builder.transcript.block(*id)),
            _ => None,
        });
        let said = since.flatten().filter(|block| block.layer != Layer::Thinking).map(|block| &block.body);
        let chars = said.chain(prompt.iter().map(|draft| &draft.body)).map(|body| match body {
            Body::Text { chars, .. } => *chars,
            Body::Media(_) | Body::Hidden(_) => 0,
        });
        let grown = before.saturating_add(chars.sum::<u64>() / CHARS_PER_TOKEN);
        (after < grown).then(|| self.tree.beginning(parent)).flatten()
    }
}
