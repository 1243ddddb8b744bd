//! Reasoning: its tokens out of the usage, and when the provider dropped it.
//!
//! Encrypted reasoning is sent back with every request of a turn. With some models the provider leaves that of earlier
//! turns out once the user writes again; no record says so, but the reported context falls by just that much.

use std::collections::HashSet;

use crate::model::{BlockId, Body, Layer, Op, Rewind, RewindCause, Thread, Transcript};
use crate::transcript::build::Builder;

/// The hidden reasoning of each request: block and length of what stands for it.
#[derive(Default)]
pub(super) struct Reasoning {
    of: Vec<Vec<(BlockId, u64)>>,
}

impl Reasoning {
    /// Remembers a block of a request.
    pub fn add(&mut self, request: usize, block: BlockId, length: u64) {
        if self.of.len() <= request {
            self.of.resize_with(request + 1, Vec::new);
        }
        if let Some(blocks) = self.of.get_mut(request) {
            blocks.push((block, length.max(1)));
        }
    }

    /// Shares each request's reasoning tokens out among its blocks, by length.
    pub fn share_out(&self, transcript: &mut Transcript, thread: &Thread) {
        for (blocks, request) in self.of.iter().zip(&thread.requests) {
            let Some(tokens) = request.usage.and_then(|usage| usage.reasoning) else { continue };
            let mut lengths: u64 = blocks.iter().map(|(_, length)| length).sum();
            let mut left = tokens;
            for (id, length) in blocks {
                let share = left.saturating_mul(*length).checked_div(lengths).unwrap_or(0);
                lengths = lengths.saturating_sub(*length);
                left -= share;
                if let Some(Body::Hidden(hidden)) =
                    transcript.blocks.get_mut(id.0 as usize).map(|block| &mut block.body)
                {
                    hidden.tokens = Some(share);
                }
            }
        }
    }
}

/// Puts in where the provider dropped the reasoning of earlier turns.
pub(super) fn find_drops(builder: &mut Builder, thread: &mut Thread) {
    let mut ops: Vec<Op> = Vec::with_capacity(thread.ops.len());
    let mut window: Vec<BlockId> = Vec::new();
    // Tokens of the hidden reasoning in it.
    let mut hidden: u64 = 0;
    // Reasoning that compactions left behind: it would be dropped with the rest.
    let mut behind: Vec<BlockId> = Vec::new();
    // The context and answer of the newest request with a usage, and the tokens that came in since.
    let mut before: Option<(u64, u64)> = None;
    let mut since = Since::default();
    for op in std::mem::take(&mut thread.ops) {
        let transcript = &builder.transcript;
        match &op {
            Op::Add(id) => {
                window.push(*id);
                hidden = hidden.saturating_add(hidden_tokens(transcript, *id));
                since.add(transcript, *id);
            }
            Op::Request(id) => {
                let request = thread.requests.get(id.0 as usize);
                if let Some((request, usage)) = request.and_then(|request| Some((request, request.usage?))) {
                    let expected = before.map(|(context, output)| context + output + since.tokens);
                    let missing = expected.map_or(0, |expected| expected.saturating_sub(usage.context()));
                    if since.user && hidden > 0 && missing > hidden / 2 && builder.hold(request.record, window.len()) {
                        let is_hidden = |id: &BlockId| hidden_tokens(&builder.transcript, *id) > 0;
                        let mut dropped = std::mem::take(&mut behind);
                        dropped.extend(window.iter().copied().filter(is_hidden));
                        window.retain(|id| !is_hidden(id));
                        hidden = 0;
                        let (record, cause) = (request.record, RewindCause::ThinkingDropped);
                        ops.push(Op::Rewind(Box::new(Rewind { record, cause, window: window.clone(), dropped })));
                    }
                    before = Some((usage.context(), usage.output.unwrap_or(0)));
                    since = Since { request: Some(*id), ..Since::default() };
                }
            }
            Op::Compact(compaction) => {
                let kept: HashSet<BlockId> = compaction.window.iter().copied().collect();
                let left = |id: &BlockId| !kept.contains(id) && hidden_tokens(transcript, *id) > 0;
                behind.extend(window.iter().copied().filter(left));
                window.clone_from(&compaction.window);
                hidden = all_hidden(transcript, &window);
                before = None;
            }
            Op::Rewind(rewind) => {
                window.clone_from(&rewind.window);
                hidden = all_hidden(transcript, &window);
                before = None;
            }
            Op::Clear(_) | Op::Shorten(_) => {}
        }
        ops.push(op);
    }
    thread.ops = ops;
}

/// What came in since a request.
#[derive(Default)]
struct Since {
    request: Option<crate::model::RequestId>,
    /// Tokens, estimated, beyond what the request answered.
    tokens: u64,
    /// Whether the user wrote.
    user: bool,
}

impl Since {
    fn add(&mut self, transcript: &Transcript, id: BlockId) {
        let Some(block) = transcript.block(id) else { return };
        let message = transcript.messages.get(block.message.0 as usize);
        let answered = message.and_then(|message| message.request);
        if answered.is_some() && answered == self.request {
            return;
        }
        if let Body::Text { chars, .. } = &block.body {
            self.tokens = self.tokens.saturating_add(chars / 4);
        }
        self.user |= block.layer == Layer::User;
    }
}

fn all_hidden(transcript: &Transcript, window: &[BlockId]) -> u64 {
    window.iter().fold(0, |sum: u64, id| sum.saturating_add(hidden_tokens(transcript, *id)))
}

fn hidden_tokens(transcript: &Transcript, id: BlockId) -> u64 {
    match transcript.block(id).map(|block| (block.layer, &block.body)) {
        Some((Layer::Thinking, Body::Hidden(hidden))) => hidden.tokens.unwrap_or(0),
        _ => 0,
    }
}
