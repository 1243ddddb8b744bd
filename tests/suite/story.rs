//! Made-up sessions of any size, for tests and benches: the same seed tells the same story.

use std::collections::HashSet;
use std::sync::Arc;

use windowpane::content::{Sources, hash};
use windowpane::model::*;

/// A session in the making.
pub struct Story {
    pub bytes: Vec<u8>,
    pub transcript: Transcript,
    message: u32,
    /// The recorded window as it is now.
    pub held: Vec<BlockId>,
    calls: u64,
    /// Each label once, as readers of transcripts share them.
    labels: HashSet<Arc<str>>,
    /// Where the dice stand.
    pub seed: u64,
}

const WORDS: &[&str] = &[
    "the", "window", "holds", "what", "model", "was", "sent", "and", "parser", "fails", "on", "empty", "input",
    "because", "we", "decided", "to", "keep", "only", "first", "token", "of", "each", "file", "then", "run", "tests",
    "again", "error",
];

impl Story {
    pub fn new(seed: u64) -> Self {
        let source = Source { name: "story".to_owned(), kind: SourceKind::Transcript, bytes: 0, landmarks: Vec::new() };
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
            labels: HashSet::new(),
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

    pub fn record(&self) -> Record {
        Record { source: SourceId(0), line: self.message + 1, start: 0, end: 1 }
    }

    pub fn say(&mut self, role: Role) {
        let requests = self.thread().requests.len() as u32;
        let request = (role == Role::Assistant).then(|| RequestId(requests.saturating_sub(1)));
        self.message = self.transcript.messages.len() as u32;
        let record = self.record();
        self.transcript.messages.push(Message { role, record, at: None, request });
    }

    pub fn thread(&mut self) -> &mut Thread {
        &mut self.transcript.threads[0]
    }

    pub fn block(
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

    fn label(&mut self, label: &str) -> Arc<str> {
        let shared = self.labels.get(label).map_or_else(|| Arc::from(label), Arc::clone);
        self.labels.insert(Arc::clone(&shared));
        shared
    }

    /// A block that no record adds to the window.
    pub fn unsaid(
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
        let (record, label) = (self.record(), self.label(label));
        self.transcript.blocks.push(Block {
            kind,
            layer,
            role,
            message: MessageId(self.message),
            record,
            body,
            label,
            call: call.map(CallKey),
            error: false,
            cut: None,
            original: None,
        });
        id
    }

    pub fn system(&mut self, text: &str) -> BlockId {
        self.say(Role::System);
        self.block(BlockKind::Text, Layer::System, Role::System, "", text, None)
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
}

/// A session of about that many blocks; results have up to that many words.
pub fn session(seed: u64, blocks: usize, words: u64) -> Story {
    told(seed, blocks, words, |_| ())
}

/// The same; `between` is what happens between the turns.
pub fn told(seed: u64, blocks: usize, words: u64, between: impl Fn(&mut Story)) -> Story {
    let mut story = Story::new(seed);
    begin(&mut story);
    while story.transcript.blocks.len() < blocks {
        round(&mut story, words);
        between(&mut story);
    }
    story.ask(None);
    story
}

/// How a session begins.
pub fn begin(story: &mut Story) {
    let text = story.words(60);
    story.system(&text);
    let text = story.words(30);
    story.user(&text);
}

/// A request with its answer, and what the user says to it now and then. Results have up to that many words.
pub fn round(story: &mut Story, words: u64) {
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
    let calls: Vec<_> = calls.iter().map(|(tool, input, result)| (*tool, input.as_str(), result.as_str())).collect();
    story.answer(&text, &calls);
    if calls.is_empty() || story.any(8) == 0 {
        let text = story.words(25);
        story.user(&text);
    }
}
