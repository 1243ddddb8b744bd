//! Going back to the very beginning: the first prompt is written anew, and its record names none before it, or a hook of a
//! session's start that names none.

use std::collections::{HashMap, HashSet};

use crate::model::{Block, Body, Layer, Op};
use crate::transcript::build::Draft;

use super::record::{Key, Parent, Parsed, What};
use super::tree::NodeId;
use super::weave::{Here, Weaver};

/// Characters that no token of a text has more of, on the average.
const CHARS_PER_TOKEN: u64 = 8;

/// The records before which nothing stands and that lead to what a session names as the last of its window.
pub(super) fn beginnings(all: &[Parsed], lines: &[u32]) -> HashSet<Key> {
    let records = || lines.iter().filter_map(|line| all.get(*line as usize));
    let leaves: Vec<Key> = records()
        .filter_map(|parsed| match parsed.what {
            What::Leaf(leaf) => Some(leaf),
            _ => None,
        })
        .collect();
    let mut begins = HashSet::new();
    if leaves.is_empty() {
        return begins;
    }
    let by_name: HashMap<Key, &Parsed> = records().filter_map(|parsed| Some((parsed.uuid?, parsed))).collect();
    let mut seen: HashSet<Key> = HashSet::new();
    for leaf in leaves {
        let mut next = Some(leaf);
        while let Some((key, parsed)) = next.filter(|key| seen.insert(*key)).and_then(|key| by_name.get_key_value(&key))
        {
            next = match (parsed.parent, &parsed.what) {
                (Parent::Of(parent), _) => Some(parent),
                // A compaction names what it was of.
                (_, What::Compacted(boundary)) => boundary.after,
                _ => None,
            };
            if parsed.parent == Parent::None && next.is_none() {
                begins.insert(*key);
            }
        }
    }
    begins
}

impl Weaver<'_> {
    /// A prompt with nothing before it in the middle of a thread: the user went back to the beginning. What the session
    /// names as the last of its window tells it from a history that was only logged so, unless the sizes that requests
    /// report rule it out; else these alone do: such a history would have grown by what was said since.
    pub(super) fn restart(&self, here: Here, prompt: &[Draft]) -> Option<Vec<NodeId>> {
        let parent = here.parent;
        if !self.tree.is_beginning(parent) {
            return None;
        }
        let before = self.thread.requests.iter().rev().find_map(|request| request.usage).map(|usage| usage.context());
        let sizes = before.zip(self.next_usage().map(|usage| usage.context()));
        let window = || self.tree.beginning(parent);
        if parent == Parent::None && here.uuid.is_some_and(|uuid| self.begins.contains(&uuid)) {
            let window = window()?;
            let fits = sizes.is_none_or(|(before, after)| self.may_leave(&window, prompt, before, after));
            return fits.then_some(window);
        }
        let (before, after) = sizes?;
        let since = self.thread.ops.iter().rev().map_while(|op| match op {
            Op::Add(id) => Some(self.store.builder.transcript.block(*id)),
            _ => None,
        });
        let said = since.flatten().filter(|block| block.layer != Layer::Thinking).map(|block| &block.body);
        let chars: u64 = said.chain(prompt.iter().map(|draft| &draft.body)).map(chars).sum();
        let grown = before.saturating_add(chars / CHARS_PER_TOKEN);
        (after < grown).then(window).flatten()
    }

    /// Whether a request may be as large as it is where a prompt stands behind what stays, and the rest has left.
    fn may_leave(&self, stays: &[NodeId], prompt: &[Draft], before: u64, after: u64) -> bool {
        let stays: HashSet<_> = self.tree.blocks(stays).into_iter().collect();
        let leaves = self.tree.window().into_iter().filter(|id| !stays.contains(id));
        let told = |block: &&Block| !matches!(block.layer, Layer::Thinking);
        let leaves = leaves.filter_map(|id| self.store.builder.transcript.block(id)).filter(told);
        let left: u64 = leaves.map(|block| chars(&block.body)).sum();
        let is_text = |draft: &Draft| matches!(draft.body, Body::Text { .. });
        let comes: u64 = prompt.iter().map(|draft| chars(&draft.body)).sum();
        !prompt.iter().all(is_text) || after <= before.saturating_sub(left / CHARS_PER_TOKEN).saturating_add(comes)
    }
}

fn chars(body: &Body) -> u64 {
    match body {
        Body::Text { chars, .. } => *chars,
        Body::Media(_) | Body::Hidden(_) => 0,
    }
}
