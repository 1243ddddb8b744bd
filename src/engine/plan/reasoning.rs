//! Hidden reasoning as a client estimates it. Reports leave out the reasoning of earlier turns; Codex adds an estimate
//! from the length of the encrypted text.

use std::collections::HashMap;

use super::{Plan, index};
use crate::model::{Body, RequestId, Thread, Transcript};

/// Bytes of an encrypted reasoning that are no text, once decoded (Codex: `estimate_reasoning_length`).
const OVERHEAD: u64 = 650;
/// A shorter one has been masked by whoever published the transcript.
const MASKED: u64 = 700;

/// Fills [`super::Item::hidden`].
pub(super) fn estimate(plan: &mut Plan, transcript: &Transcript, thread: &Thread) {
    let mut masked: HashMap<RequestId, Vec<u32>> = HashMap::new();
    for at in 0..plan.items.len() {
        let Some(block) = plan.items.get(at).and_then(|item| transcript.block(item.block)) else { continue };
        let Body::Hidden(hidden) = &block.body else { continue };
        let length = hidden.span.map_or(0, |span| span.len());
        if length >= MASKED {
            if let Some(item) = plan.items.get_mut(at) {
                item.hidden = (length * 3 / 4).saturating_sub(OVERHEAD) / 4;
            }
        } else if let Some(request) =
            transcript.messages.get(block.message.0 as usize).and_then(|message| message.request)
        {
            masked.entry(request).or_default().push(index(at));
        }
    }
    for (request, items) in masked {
        let usage = thread.requests.get(request.0 as usize).and_then(|request| request.usage);
        let reasoning = usage.and_then(|usage| usage.reasoning).unwrap_or(0);
        // Measured where the text is there: about 1.1 tokens for each that was reported, and some for each piece.
        let each = reasoning * 11 / 10 / items.len().max(1) as u64 + 32;
        for item in items {
            if let Some(item) = plan.items.get_mut(item as usize) {
                item.hidden = each;
            }
        }
    }
}
