//! Made-up sessions of any size, for tests and benches: the same seed tells the same story.

use std::sync::Arc;

use windowpane::content::{Sources, Watch, hash};
use windowpane::engine::plan::Counted;
use windowpane::engine::{Plan, StepFacts};
use windowpane::model::*;
use windowpane::tokens::{Count, Encoding};

/// A session in the making.
pub struct Story {
    bytes: Vec<u8>,
    pub transcript: Transcript,
    message: u32,
    /// The recorded window as it is now.
    held: Vec<BlockId>,
    calls: u64,
    seed: u64,
}

const WORDS: &[&str] = &[
    "the", "window", "holds", "what", "model", "was", "sent", "and", "parser", "fails", "on", "empty", "input",
    "because", "we", "decided", "to", "keep", "only", "first", "token", "of", "each", "file", "then", "run", "tests",
    "again", "error",
];

impl Story {
    pub fn new(seed: u64) -> Self {
        let source = Source { name: "story".to_owned(), kind: SourceKind::Transcript, bytes: 0 };
        let thread = Thread {
            kind: ThreadKind::Main,
            title: "story".to_owned(),
            source: SourceId(0),
            requests: Vec::new(),
            ops: Vec::new(),
            breakpoints: std::collections::BTreeMap::default(),
        };
        let transcript = Transcript {
            format: "story",
            sources: vec![source],
            session: Session::default(),
            messages: Vec::new(),
            blocks: Vec::new(),
            threads: vec![thread],
            records: 0,
            skipped: std::collections::BTreeMap::default(),
            warnings: Vec::new(),
        };
        Story {
            bytes: Vec::new(),
            transcript,
            message: 0,
            held: Vec::new(),
            calls: 0,
            seed: seed.wrapping_mul(2).wrapping_add(1),
        }
    }

    /// A number below `most`.
    pub fn any(&mut self, most: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % most.max(1)
    }

    /// Words, with a path or an identifier now and then.
    pub fn words(&mut self, number: u64) -> String {
        let mut text = String::new();
        for at in 0..number {
            let pick = self.any(40);
            if at > 0 {
                text.push(' ');
            }
            match WORDS.get(pick as usize) {
                Some(word) => text.push_str(word),
                None => text.push_str(&format!("src/file_{}.rs", self.seed % 500)),
            }
            if self.any(12) == 0 {
                text.push_str(".\n");
            }
        }
        text
    }

    fn record(&self) -> Record {
        Record { source: SourceId(0), line: self.message + 1, start: 0, end: 1 }
    }

    fn say(&mut self, role: Role) {
        let requests = self.thread().requests.len() as u32;
        let request = (role == Role::Assistant).then(|| RequestId(requests.saturating_sub(1)));
        self.message = self.transcript.messages.len() as u32;
        let record = self.record();
        self.transcript.messages.push(Message { role, record, at: None, request });
    }

    fn thread(&mut self) -> &mut Thread {
        &mut self.transcript.threads[0]
    }

    fn block(
        &mut self,
        kind: BlockKind,
        layer: Layer,
        role: Role,
        label: &str,
        text: &str,
        call: Option<u64>,
    ) -> BlockId {
        let id = self.unsaid(kind, layer, role, label, text, call);
        self.held.push(id);
        self.thread().ops.push(Op::Add(id));
        id
    }

    /// A block that no record adds to the window.
    fn unsaid(
        &mut self,
        kind: BlockKind,
        layer: Layer,
        role: Role,
        label: &str,
        text: &str,
        call: Option<u64>,
    ) -> BlockId {
        let (start, id) = (self.bytes.len() as u64, BlockId(self.transcript.blocks.len() as u32));
        self.bytes.extend_from_slice(text.as_bytes());
        let span = Span { source: SourceId(0), start, end: self.bytes.len() as u64, coding: Coding::Plain };
        let body = Body::Text {
            spans: [span].into_iter().collect(),
            chars: text.chars().count() as u64,
            hash: hash(text.as_bytes(), Coding::Plain),
        };
        let record = self.record();
        self.transcript.blocks.push(Block {
            kind,
            layer,
            role,
            message: MessageId(self.message),
            record,
            body,
            label: Arc::from(label),
            call: call.map(CallKey),
            error: false,
            cut: None,
            original: None,
        });
        id
    }

    /// The agent compacts: the system prompt, the newest `kept` blocks and a summary are left.
    #[allow(dead_code)]
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
    #[allow(dead_code)]
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
        self.thread().ops.push(Op::Rewind(Box::new(Rewind { record, cause: RewindCause::Rewound, window })));
    }

    pub fn system(&mut self, text: &str) -> BlockId {
        self.say(Role::System);
        self.block(BlockKind::Text, Layer::System, Role::System, "", text, None)
    }

    /// A text that the agent puts beside the conversation.
    #[allow(dead_code)]
    pub fn attach(&mut self, layer: Layer, label: &str, text: &str) -> BlockId {
        self.say(Role::User);
        self.block(BlockKind::Text, layer, Role::User, label, text, None)
    }

    pub fn user(&mut self, text: &str) -> BlockId {
        self.say(Role::User);
        self.block(BlockKind::Text, Layer::User, Role::User, "", text, None)
    }

    /// Makes a request. What is said after it is its answer.
    pub fn ask(&mut self, usage: Option<Usage>) {
        let request = Request { usage, ..Request::of(self.record(), None, Outcome::Answered) };
        let thread = self.thread();
        thread.requests.push(request);
        thread.ops.push(Op::Request(RequestId(thread.requests.len() as u32 - 1)));
    }

    /// An answer: text, then calls with their results.
    pub fn answer(&mut self, text: &str, calls: &[(&str, &str, &str)]) -> Vec<BlockId> {
        self.say(Role::Assistant);
        let mut made = vec![self.block(BlockKind::Text, Layer::Assistant, Role::Assistant, "", text, None)];
        let first = self.calls;
        for (tool, input, _) in calls {
            self.calls += 1;
            let call = Some(self.calls);
            made.push(self.block(BlockKind::ToolCall, Layer::ToolCalls, Role::Assistant, tool, input, call));
        }
        if !calls.is_empty() {
            self.say(Role::User);
        }
        for (number, (tool, _, result)) in (first + 1..).zip(calls) {
            made.push(self.block(BlockKind::ToolResult, Layer::ToolResults, Role::User, tool, result, Some(number)));
        }
        made
    }

    /// Reasoning of the answer that is being given.
    pub fn think(&mut self, text: &str) -> BlockId {
        self.say(Role::Assistant);
        self.block(BlockKind::Thinking, Layer::Thinking, Role::Assistant, "", text, None)
    }

    pub fn sources(&self) -> Sources {
        let mut sources = Sources::default();
        sources.add_memory("story", SourceKind::Transcript, self.bytes.clone());
        sources
    }

    /// The plan, at four characters a token, with a window of that many; its texts are read.
    pub fn plan(&self, window: u64) -> Plan {
        let count = |id: BlockId, _| match self.transcript.block(id).map(|block| &block.body) {
            Some(Body::Text { chars, .. }) => Count { tokens: chars.div_ceil(4), exact: true },
            _ => Count::default(),
        };
        let counted = Counted { encoding: Encoding::Estimate, factor: 1.0, originals: false };
        let facts = |_: &Request| StepFacts { window_tokens: window, ..StepFacts::default() };
        let mut plan = Plan::new(&self.transcript, ThreadId(0), counted, count, facts);
        assert!(plan.read(&self.transcript, &self.sources(), &Watch::default()));
        plan
    }
}

/// A session of about that many blocks; results have up to that many words.
pub fn session(seed: u64, blocks: usize, words: u64) -> Story {
    told(seed, blocks, words, false)
}

/// The same, with compactions and rewinds in between.
#[allow(dead_code)]
pub fn troubled(seed: u64, blocks: usize, words: u64) -> Story {
    told(seed, blocks, words, true)
}

fn told(seed: u64, blocks: usize, words: u64, trouble: bool) -> Story {
    let mut story = Story::new(seed);
    let text = story.words(60);
    story.system(&text);
    let text = story.words(30);
    story.user(&text);
    while story.transcript.blocks.len() < blocks {
        story.ask(None);
        if story.any(6) == 0 {
            let text = story.words(12);
            story.think(&text);
        }
        let (mut calls, number) = (Vec::new(), story.any(3));
        for _ in 0..number {
            let tool = ["Read", "Bash", "Grep", "Write"][story.any(4) as usize];
            let size = if story.any(12) == 0 { words * 6 } else { words };
            let size = 1 + story.any(size);
            let input = format!("{{\"file_path\": \"src/file_{}.rs\"}}", story.any(500));
            calls.push((tool, input, story.words(size)));
        }
        let text = story.words(20);
        let calls: Vec<_> =
            calls.iter().map(|(tool, input, result)| (*tool, input.as_str(), result.as_str())).collect();
        story.answer(&text, &calls);
        if calls.is_empty() || story.any(8) == 0 {
            let text = story.words(25);
            story.user(&text);
        }
        if trouble {
            match story.any(24) {
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
                _ => {}
            }
        }
    }
    story.ask(None);
    story
}
