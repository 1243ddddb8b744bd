//! What befalls made-up sessions: compactions, rewinds, what an agent puts beside the conversation.

use windowpane::model::*;

use crate::story::{Story, told};

impl Story {
    /// The agent compacts: the system prompt, the newest `kept` blocks and a summary are left.
    pub fn compact(&mut self, kept: usize) {
        self.say(Role::User);
        let text = self.words(30);
        let summary = self.unsaid(BlockKind::Summary, Layer::Summaries, Role::User, "summary", &text, None);
        let tail = self.held.len().saturating_sub(kept).max(1);
        let mut window = vec![self.held[0], summary];
        window.extend(self.held.get(tail..).unwrap_or_default());
        self.held.clone_from(&window);
        let record = self.record();
        self.thread().ops.push(Op::Compact(Box::new(Compaction {
            record,
            trigger: Some(Trigger::Auto),
            tokens_before: None,
            tokens_after: None,
            window,
            summariser: None,
            inferred: false,
        })));
    }

    /// The user goes back to before one of their own messages.
    pub fn rewind(&mut self, back: usize) {
        let prompts: Vec<usize> = (1..self.held.len())
            .filter(|at| {
                let block = &self.transcript.blocks[self.held[*at].0 as usize];
                block.layer == Layer::User && block.kind == BlockKind::Text
            })
            .collect();
        let Some(at) = prompts.len().checked_sub(back).and_then(|at| prompts.get(at)) else { return };
        self.held.truncate(*at);
        let (window, record) = (self.held.clone(), self.record());
        self.thread().ops.push(Op::Rewind(Box::new(Rewind {
            record,
            cause: RewindCause::Rewound,
            window,
            dropped: Vec::new(),
        })));
    }

    /// The agent had cut every third result before it sent it, one way or another; of some it said how long they were.
    pub fn cut_some(&mut self) {
        const SHAPES: [CutShape; 4] = [CutShape::Head, CutShape::Middle, CutShape::Pointer, CutShape::Tail];
        let results = self.transcript.blocks.iter_mut().filter(|block| block.kind == BlockKind::ToolResult);
        for (number, block) in results.step_by(3).enumerate() {
            block.cut = Some(Box::new(Cut {
                shape: SHAPES[number % SHAPES.len()],
                original_chars: number.is_multiple_of(3).then_some(9_000),
                original_tokens: None,
                rest: None,
                copy_ends_early: false,
            }));
        }
    }

    /// A text that the agent puts beside the conversation.
    pub fn attach(&mut self, layer: Layer, label: &str, text: &str) -> BlockId {
        self.say(Role::User);
        self.block(BlockKind::Text, layer, Role::User, label, text, None)
    }
}

/// A session with compactions and rewinds in between, and rules that are loaded now and again.
pub fn troubled(seed: u64, blocks: usize, words: u64) -> Story {
    told(seed, blocks, words, |story| match story.any(24) {
        0 => {
            let kept = story.any(6) as usize;
            story.compact(kept);
        }
        1 => {
            let back = 1 + story.any(3) as usize;
            story.rewind(back);
            let text = story.words(10);
            story.user(&text);
        }
        2 => {
            let rule = story.any(3);
            story.attach(Layer::Instructions, "rule", &format!("The rule of {rule}: keep tests and parser apart."));
        }
        _ => {}
    })
}
