//! Whether the agent compacts by itself, where the transcript shows that its user switched that.

use crate::content::Sources;
use crate::model::{Block, Op, Thread, Trigger};

use crate::transcript::harness::COMMAND_OUTPUT;

/// Longer outputs are no words about settings.
const LONGEST: u64 = 4_096;

/// What the client's own commands answered where the setting was changed: its name, then the value; or what was done
/// with it.
const SAID: &[(&str, bool)] = &[
    ("set auto-compact to false", false),
    ("set auto-compact to true", true),
    ("disabled auto-compact", false),
    ("enabled auto-compact", true),
];

/// Says of each request of a thread what the newest of such answers before it says.
pub(super) fn switch(thread: &mut Thread, blocks: &[Block], sources: &Sources) {
    let mut now = None;
    for op in &thread.ops {
        match op {
            Op::Add(id) => {
                let block = blocks.get(id.0 as usize).filter(|block| &*block.label == COMMAND_OUTPUT);
                now = block.and_then(|block| said(block, sources)).or(now);
            }
            // It did: whatever was said, it is not off.
            Op::Compact(compaction) if compaction.trigger == Some(Trigger::Auto) => now = now.filter(|on| *on),
            Op::Request(id) => {
                if let Some(request) = thread.requests.get_mut(id.0 as usize) {
                    request.auto_compact = now;
                }
            }
            _ => {}
        }
    }
}

fn said(block: &Block, sources: &Sources) -> Option<bool> {
    if block.body.stored_bytes() > LONGEST {
        return None;
    }
    let text = without_looks(&sources.body_text(&block.body).ok()?).to_lowercase();
    let last = SAID.iter().filter_map(|(words, on)| Some((text.rfind(words)?, *on))).max();
    last.map(|(_, on)| on)
}

/// A text without the sequences that give it colours and weights.
fn without_looks(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}
