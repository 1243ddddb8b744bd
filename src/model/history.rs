//! What a transcript says happened: per thread, blocks coming in, requests, and changes of the window.
//!
//! A format's only task is to produce this. The recorded track is rebuilt from it, and the
//! simulated one replays its blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Aside, Block, BlockId, Contents, Fate, Message, Record, Source, SourceId, Span, Stage, Trigger, Usage, Warning,
};

/// Index into [`Thread::requests`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RequestId(pub u32);

/// Index into [`Transcript::threads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ThreadId(pub u32);

/// Everything that was understood of a recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transcript {
    /// Name of the format (a row of the table of formats).
    pub format: &'static str,
    /// What was read; the first is the transcript itself.
    pub sources: Vec<Source>,
    /// What is said of the session as a whole.
    pub session: Session,
    /// Messages, in the order of their first records.
    pub messages: Vec<Message>,
    /// Blocks, in the order in which they were read.
    pub blocks: Vec<Block>,
    /// The main thread first, then subagents and further conversations.
    pub threads: Vec<Thread>,
    /// Records read.
    pub records: u64,
    /// Records that carry nothing of the window, by type.
    pub skipped: BTreeMap<String, u64>,
    /// What could not be understood.
    pub warnings: Vec<Warning>,
}

/// What a transcript says of the session as a whole. All texts are untrusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Session {
    /// The session's id.
    pub id: Option<String>,
    /// A title that the agent or its user gave.
    pub title: Option<String>,
    /// The agent and its version, as `name version`.
    pub agent: Option<String>,
    /// Version alone (`2.1.20`).
    pub version: Option<String>,
    /// Where the agent was another version: the record from which on it was that one, in order. Empty where it was the
    /// same all along.
    pub versions: Vec<(Record, String)>,
    /// The working folder.
    pub folder: Option<String>,
    /// Where the agent worked in another one than before: the first record among them, in order. Empty where it stayed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<(Record, Arc<str>)>,
    /// The window's size in tokens, where the transcript states one for all requests.
    pub window_tokens: Option<u64>,
}

impl Session {
    /// The folder that the agent worked in when a record was written, as far as that is known.
    #[must_use]
    pub fn folder_at(&self, record: Record) -> Option<&str> {
        let behind =
            self.folders.partition_point(|(from, _)| (from.source, from.start) <= (record.source, record.start));
        let changed = behind.checked_sub(1).and_then(|at| self.folders.get(at));
        let changed = changed.filter(|(from, _)| from.source == record.source);
        changed.map(|(_, folder)| &**folder).or(self.folder.as_deref())
    }

    /// The agent's version when a record was written, as far as that is known.
    #[must_use]
    pub fn version_at(&self, record: Record) -> Option<&str> {
        let known = self.versions.iter().take_while(|(from, _)| from.start <= record.start);
        let changed = known.filter(|(from, _)| from.source == record.source).last();
        changed.map(|(_, version)| version.as_str()).or(self.version.as_deref())
    }
}

/// One sequence of requests with a window of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thread {
    /// What it is to the others.
    pub kind: ThreadKind,
    /// Name to show. Untrusted.
    pub title: String,
    /// The source that most of it stands in.
    pub source: SourceId,
    /// The requests, in order.
    pub requests: Vec<Request>,
    /// What happened, in order.
    pub ops: Vec<Op>,
    /// Where requests asked their provider to cache what stands before, for those that did.
    pub breakpoints: BTreeMap<RequestId, Vec<Breakpoint>>,
}

/// A mark for a cache in a recorded request (Anthropic's `cache_control`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Breakpoint {
    /// The block at whose end it stands; `None` where the request leaves the place to the provider.
    pub block: Option<BlockId>,
    /// The mark itself, as JSON.
    pub span: Span,
}

/// What a thread is to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadKind {
    /// The session itself.
    Main,
    /// A subagent, with the tool call that started it where that is known.
    Subagent(Option<BlockId>),
    /// The agent's own call that wrote a summary.
    Summariser,
    /// Another conversation in the same file.
    Conversation,
}

/// One request to the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Request {
    /// The record that first shows it: the answer's first line, or the request body.
    pub record: Record,
    /// The vendor's id of the answer, where there is one. Untrusted.
    pub key: Option<Arc<str>>,
    /// The model's name as recorded. Untrusted.
    pub model: Option<Arc<str>>,
    /// What was reported.
    pub usage: Option<Usage>,
    /// What was reported of other models that the server asked on the way.
    pub asides: Vec<Aside>,
    /// The window's size that the transcript states for this request.
    pub window_tokens: Option<u64>,
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether the agent compacts by itself, where the transcript says that its user switched that.
    pub auto_compact: Option<bool>,
}

impl Request {
    /// A request of which no more is known.
    #[must_use]
    pub fn of(record: Record, at: Option<i64>, outcome: Outcome) -> Request {
        Request {
            record,
            key: None,
            model: None,
            usage: None,
            asides: Vec::new(),
            window_tokens: None,
            at,
            outcome,
            auto_compact: None,
        }
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The model answered.
    #[default]
    Answered,
    /// The user stopped it, or it failed on the way.
    Aborted,
    /// The model refused the prompt as too long.
    TooLong,
    /// It is about to be made: the messages after the last answer.
    Pending,
}

/// One thing that happened to a thread's window.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// A block enters the window at its end.
    Add(BlockId),
    /// A request is made with all that is in the window now. What the model answers is added after it.
    Request(RequestId),
    /// The window is replaced by a shorter one.
    Compact(Box<Compaction>),
    /// Blocks stay as markers only.
    Clear(Box<Clearing>),
    /// The client says less of blocks than before: markers, or parts of them; or all of them again.
    Shorten(Box<Shortening>),
    /// The window goes back to an earlier state, or is edited by the client.
    Rewind(Box<Rewind>),
}

/// A compaction, as recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compaction {
    /// The record that says so.
    pub record: Record,
    /// Who asked for it.
    pub trigger: Option<Trigger>,
    /// Tokens before, as recorded.
    pub tokens_before: Option<u64>,
    /// Tokens after, as recorded (an agent's own estimate, often without system prompt and tools).
    pub tokens_after: Option<u64>,
    /// The whole window that results, in order: kept blocks, the summary, what was put back with it.
    /// More may be added after.
    pub window: Vec<BlockId>,
    /// The agent's call that wrote the summary, where it was logged.
    pub summariser: Option<ThreadId>,
    /// Whether no record says so: what was sent next had shrunk, with something in its place.
    pub inferred: bool,
}

/// A microcompaction, as recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clearing {
    /// The record that says so.
    pub record: Record,
    /// Who asked for it.
    pub trigger: Option<Trigger>,
    /// Tokens of what could be cleared, as recorded.
    pub tokens_before: Option<u64>,
    /// Tokens saved, as recorded.
    pub tokens_saved: Option<u64>,
    /// The blocks whose content is gone.
    pub blocks: Vec<BlockId>,
    /// What the model sees in their place.
    pub marker: &'static str,
}

/// Blocks of which a client says less than it did, as its next request shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shortening {
    /// The first record that shows it.
    pub record: Record,
    /// The blocks, with what is left of each.
    pub blocks: Vec<Shortened>,
}

/// What is left of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shortened {
    /// The block.
    pub block: BlockId,
    /// Cleared, truncated, or verbatim where it is whole again.
    pub fate: Fate,
    /// What stands in its place; nothing where it left with another part of the same result.
    pub content: Contents,
}

/// The window going back to an earlier state, or being edited by the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rewind {
    /// The first record that shows it.
    pub record: Record,
    /// Why.
    pub cause: RewindCause,
    /// The whole window that results, in order.
    pub window: Vec<BlockId>,
    /// Thinking that is left out from here on, behind a compaction's summary, too: a history without the compaction
    /// would have lost it here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<BlockId>,
}

/// Why a window changed without a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindCause {
    /// The user went back to an earlier message and took another branch.
    Rewound,
    /// The client sent another history than before.
    Edited,
    /// The provider drops the reasoning of earlier turns.
    ThinkingDropped,
    /// Another session begins, with a window of its own.
    NewSession,
}

impl RewindCause {
    /// The stage that its event is of.
    #[must_use]
    pub fn stage(self) -> Stage {
        match self {
            RewindCause::Rewound | RewindCause::Edited => Stage::Rewind,
            RewindCause::ThinkingDropped => Stage::Reasoning,
            RewindCause::NewSession => Stage::Session,
        }
    }
}

impl Transcript {
    /// The block of that id.
    #[must_use]
    pub fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.0 as usize)
    }

    /// The thread of that id.
    #[must_use]
    pub fn thread(&self, id: ThreadId) -> Option<&Thread> {
        self.threads.get(id.0 as usize)
    }
}
