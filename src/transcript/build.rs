//! A transcript as it is put together: ids given out, labels shared, warnings kept in bounds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::model::{
    Block, BlockId, BlockKind, Body, CallKey, Cut, Layer, Message, MessageId, Record, RequestId, Role, Session,
    SourceId, Transcript, Warning,
};

/// Warnings kept; the last says that there were more.
const WARNINGS: usize = 1_000;
/// Types of records told apart among those that carry nothing of the window.
const TYPES: usize = 200;
/// Characters of a label.
const LABEL: usize = 200;

/// A block before its message is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What it is.
    pub kind: BlockKind,
    /// Its layer.
    pub layer: Layer,
    /// Its content.
    pub body: Body,
    /// Name to show.
    pub label: String,
    /// The call that it makes or answers.
    pub call: Option<CallKey>,
    /// Whether a tool reported failure.
    pub error: bool,
    /// How it had been cut.
    pub cut: Option<Box<Cut>>,
    /// Whether the content before shows that it was cut: it begins with the same text and goes on.
    pub is_surely_cut: bool,
    /// The content before it was cut.
    pub original: Option<Box<Body>>,
}

impl Draft {
    /// A block with nothing to say but its content.
    #[must_use]
    pub fn new(kind: BlockKind, layer: Layer, body: Body) -> Self {
        let label = String::new();
        Draft { kind, layer, body, label, call: None, error: false, cut: None, is_surely_cut: false, original: None }
    }

    /// With a name to show.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With the call that it makes or answers.
    #[must_use]
    pub fn call(mut self, call: Option<CallKey>) -> Self {
        self.call = call;
        self
    }
}

/// Blocks that all windows after compactions and rewinds may name in sum; no session comes near it.
pub(super) const WINDOWS: usize = 40_000_000;

/// A transcript that is being put together.
pub struct Builder {
    /// What there is so far. Its sources are filled in by [`Builder::finish`].
    pub transcript: Transcript,
    labels: HashSet<Arc<str>>,
    /// The tool that each call is of.
    tools: HashMap<CallKey, Arc<str>>,
    said: HashSet<String>,
    unsaid: usize,
    /// Blocks named by windows so far.
    named: usize,
}

impl Builder {
    /// Nothing yet.
    #[must_use]
    pub fn new(format: &'static str) -> Self {
        let transcript = Transcript {
            format,
            sources: Vec::new(),
            session: Session::default(),
            messages: Vec::new(),
            blocks: Vec::new(),
            threads: Vec::new(),
            records: 0,
            skipped: BTreeMap::new(),
            warnings: Vec::new(),
        };
        Builder { transcript, labels: HashSet::new(), tools: HashMap::new(), said: HashSet::new(), unsaid: 0, named: 0 }
    }

    /// Goes on with a transcript that is there already.
    #[must_use]
    pub fn of(transcript: Transcript) -> Self {
        let labels = transcript.blocks.iter().map(|block| Arc::clone(&block.label)).collect();
        Builder { transcript, labels, tools: HashMap::new(), said: HashSet::new(), unsaid: 0, named: 0 }
    }

    /// Takes in a message.
    pub fn message(&mut self, role: Role, record: Record, at: Option<i64>, request: Option<RequestId>) -> MessageId {
        self.transcript.messages.push(Message { role, record, at, request });
        MessageId(u32::try_from(self.transcript.messages.len() - 1).unwrap_or(u32::MAX))
    }

    /// Takes in a block of a message. A result without a name gets that of the tool that was called.
    pub fn block(&mut self, message: MessageId, draft: Draft) -> BlockId {
        let known = self.transcript.messages.get(message.0 as usize).map(|message| message.record);
        let record = known.unwrap_or(Record { source: SourceId(0), line: 0, start: 0, end: 0 });
        self.block_at(message, record, draft)
    }

    /// Takes in a block that stands in another record than its message begins with.
    pub fn block_at(&mut self, message: MessageId, record: Record, draft: Draft) -> BlockId {
        let known = self.transcript.messages.get(message.0 as usize).map(|message| message.role);
        let role = known.unwrap_or(Role::User);
        let mut label = self.label(&draft.label);
        match (draft.kind, draft.call) {
            (BlockKind::ToolCall, Some(call)) => drop(self.tools.insert(call, Arc::clone(&label))),
            (_, Some(call)) if label.is_empty() => label = self.tools.get(&call).cloned().unwrap_or(label),
            _ => {}
        }
        self.transcript.blocks.push(Block {
            kind: draft.kind,
            layer: draft.layer,
            role,
            message,
            record,
            body: draft.body,
            label,
            call: draft.call,
            error: draft.error,
            cut: draft.cut,
            original: draft.original,
        });
        BlockId(u32::try_from(self.transcript.blocks.len() - 1).unwrap_or(u32::MAX))
    }

    /// A label, shared with its equals.
    pub fn label(&mut self, label: &str) -> Arc<str> {
        let short = label.char_indices().nth(LABEL).and_then(|(end, _)| label.get(..end)).unwrap_or(label);
        if let Some(known) = self.labels.get(short) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = Arc::from(short);
        self.labels.insert(Arc::clone(&shared));
        shared
    }

    /// Counts a record that carries nothing of the window.
    pub fn skip(&mut self, kind: &str) {
        let short: String = kind.chars().take(80).collect();
        let skipped = &mut self.transcript.skipped;
        let name = if skipped.len() < TYPES || skipped.contains_key(&short) { short } else { "…".to_owned() };
        *skipped.entry(name).or_default() += 1;
    }

    /// Says what is the matter with a line.
    pub fn warn(&mut self, source: SourceId, line: u32, message: impl Into<String>) {
        if self.transcript.warnings.len() < WARNINGS {
            self.transcript.warnings.push(Warning { source, line, message: message.into() });
        } else {
            self.unsaid += 1;
        }
    }

    /// The same, once per message.
    pub fn warn_once(&mut self, source: SourceId, line: u32, message: String) {
        if self.said.len() < WARNINGS && self.said.insert(message.clone()) {
            self.warn(source, line, message);
        }
    }

    /// Counts the blocks that one more window names; whether all of them together are few enough to be held.
    pub fn name(&mut self, blocks: usize) -> bool {
        self.named = self.named.saturating_add(blocks);
        self.has_room()
    }

    /// Whether windows may still be held.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.named <= WINDOWS
    }

    /// The same as [`Builder::name`]; where there is no room, a warning says what becomes of the window.
    pub fn hold(&mut self, record: Record, blocks: usize) -> bool {
        let held = self.name(blocks);
        if !held {
            let message = "Too many branches: this one and all later ones are read as going on.".to_owned();
            self.warn_once(record.source, record.line, message);
        }
        held
    }

    /// The transcript; what was read of is what the sources list.
    #[must_use]
    pub fn finish(mut self, sources: &crate::content::Sources) -> Transcript {
        if self.unsaid > 0 {
            let message = format!("{} not shown", crate::model::number(self.unsaid, "more warnings are"));
            self.transcript.warnings.push(Warning { source: SourceId(0), line: 0, message });
        }
        self.transcript.sources = sources.list();
        self.transcript.blocks.shrink_to_fit();
        self.transcript.messages.shrink_to_fit();
        self.transcript
    }
}
