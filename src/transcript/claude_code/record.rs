//! What one line of a session says, with nothing of it held but spans, hashes and small keys.

use std::borrow::Cow;

use crate::content::hash;
use crate::model::{Aside, CallKey, Coding, Record, Trigger, Usage};

use super::super::build::Draft;
use super::managed::Managed;

/// A hash of an id (of a record, a message, a tool call, an agent, a session).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key(pub u64);

impl Key {
    /// The key of an id as stored.
    pub fn of(id: &[u8]) -> Key {
        Key(hash(id, Coding::Json))
    }
}

/// What a record says of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parent {
    /// Nothing (the format knows no parents, or the field is missing).
    Unsaid,
    /// That there is none.
    None,
    /// Its id.
    Of(Key),
}

/// One line, understood.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// Where it stands.
    pub record: Record,
    /// What is the matter with it.
    pub fault: Option<String>,
    /// Its own id.
    pub uuid: Option<Key>,
    /// The record before it.
    pub parent: Parent,
    /// The session that it says it belongs to.
    pub session: Option<Key>,
    /// The folder that the agent worked in then.
    pub folder: Option<Key>,
    /// The subagent that wrote it.
    pub agent: Option<Key>,
    /// The call that started the subagent it belongs to (stream-json).
    pub caller: Option<CallKey>,
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// Whether it belongs to a subagent.
    pub sidechain: bool,
    /// Hash of what it carries: a copy of a record has the same id and the same of this.
    pub content: u64,
    /// What it says.
    pub what: What,
}

/// What a line says.
#[derive(Debug)]
pub(crate) enum What {
    /// Nothing that can be read.
    Damaged,
    /// Nothing of the window; the type, for counting.
    Nothing(Cow<'static, str>),
    /// Something that user, tool or harness put into the window.
    Said(Box<Said>),
    /// A part of what the model answered.
    Answered(Box<Answer>),
    /// A compaction happened here.
    Compacted(Box<Boundary>),
    /// Old tool results were cleared here.
    Cleared(Box<Cleared>),
    /// These records are taken back.
    Retracted(Vec<Key>),
    /// Results of calls were sent as something else than their records say.
    Replaced(Vec<Draft>),
    /// A subagent begins with the window that this record of its parent's came last in.
    Forked(Option<Key>),
    /// A subagent is at work for a call.
    Progress {
        /// The subagent.
        agent: Key,
        /// The call that started it.
        call: CallKey,
    },
    /// A title of the session.
    Titled {
        /// Who gave it.
        by: TitleBy,
        /// The text. Untrusted.
        text: Box<str>,
        /// The record that it is a title of, where it says so.
        leaf: Option<Key>,
    },
    /// The record that the window ended with when a prompt was the last.
    Leaf(Key),
    /// A session begins (stream-json).
    Began(Box<Began>),
    /// Something of a message on its way (stream-json): which it is, or the tokens that it has at its end.
    Streamed {
        /// The message.
        message: Option<Key>,
        /// Its tokens.
        output: Option<u64>,
    },
    /// The windows of models by their names, in tokens (stream-json).
    Windows(Vec<(Box<str>, u64)>),
}

/// Who gave a title, from the least to the most telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TitleBy {
    /// A summary of one branch.
    Summary,
    /// The agent, from what was said.
    Agent,
    /// The user.
    User,
}

/// What kind of record put something into the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saying {
    /// A person's message.
    Prompt,
    /// A tool's results.
    Results,
    /// The summary after a compaction.
    Summary,
    /// The note that the user stopped a request that was on its way.
    Interrupt,
    /// Anything else: notices, commands, attachments.
    Other,
}

/// Something that user, tool or harness put into the window.
#[derive(Debug)]
pub(crate) struct Said {
    /// What kind of record it is.
    pub saying: Saying,
    /// Hash of the whole text where it is one text: what a subagent's first message is found by.
    pub prompt: Option<Key>,
    /// The subagent that the results are of.
    pub agent: Option<Key>,
    /// The blocks in it.
    pub drafts: Box<[Draft]>,
    /// Whether a stream says that no person wrote it.
    pub synthetic: bool,
}

/// A part of what the model answered: one line of several with the same id.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The message's id; the record's own where it has none.
    pub message: Option<Key>,
    /// The message's id as written. Untrusted.
    pub id: Option<Box<str>>,
    /// The request that it answers, where the record names it.
    pub request: Option<Key>,
    /// The model. Untrusted.
    pub model: Option<Box<str>>,
    /// What was reported.
    pub usage: Option<Usage>,
    /// What was reported of other models that were asked on the way.
    pub asides: Vec<Aside>,
    /// Whether `usage.output` is final: the message had stopped.
    pub stopped: bool,
    /// Tokens of reasoning, where the usage tells.
    pub thinking: Option<u64>,
    /// What the provider cleared of the request that it answers.
    pub managed: Managed,
    /// Set where the client made it.
    pub made: Option<Made>,
    /// Records in whose place it stands.
    pub replaces: Box<[Key]>,
    /// The blocks in it.
    pub drafts: Box<[Draft]>,
    /// Calls in it that start subagents.
    pub starts: Vec<Start>,
}

/// Why the client made a message in the model's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// It fills a place; the model is sent it.
    Filler,
    /// A request failed. The model is not sent it.
    Failed,
    /// A request was refused as too long. The model is not sent it.
    TooLong,
}

/// A call that starts a subagent.
#[derive(Debug)]
pub(crate) struct Start {
    /// The call.
    pub call: CallKey,
    /// Hash of its prompt as stored.
    pub prompt: Option<Key>,
    /// What it is to do, in a few words. Untrusted.
    pub title: Option<Box<str>>,
}

/// A compaction, as its record says.
#[derive(Debug, Default)]
pub(crate) struct Boundary {
    /// Who asked for it.
    pub trigger: Option<Trigger>,
    /// Tokens before.
    pub before: Option<u64>,
    /// Tokens left, without system prompt and tools.
    pub left: Option<u64>,
    /// Records kept, in order.
    pub kept: Vec<Key>,
    /// The first and the last of the kept records, where only these are named.
    pub segment: Option<(Key, Key)>,
    /// The record that the kept ones come after: the summary, or the boundary itself.
    pub anchor: Option<Key>,
    /// The last record of what was compacted.
    pub after: Option<Key>,
}

/// A microcompaction, as its record says.
#[derive(Debug, Default)]
pub(crate) struct Cleared {
    /// Who asked for it.
    pub trigger: Option<Trigger>,
    /// Tokens of what could be cleared.
    pub before: Option<u64>,
    /// Tokens saved.
    pub saved: Option<u64>,
    /// Calls whose results are gone.
    pub calls: Vec<CallKey>,
    /// Attachments that are gone.
    pub attachments: Vec<Key>,
}

/// The beginning of a session, as a stream says it.
#[derive(Debug, Default)]
pub(crate) struct Began {
    /// The session's id. Untrusted.
    pub id: Option<Box<str>>,
    /// The agent's version. Untrusted.
    pub version: Option<Box<str>>,
    /// The working folder. Untrusted.
    pub folder: Option<Box<str>>,
    /// The tools' names, as a block.
    pub drafts: Box<[Draft]>,
}

/// What a record is, as far as forks go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// What a person or the model said: leaving it is going back.
    Turn,
    /// Results of calls: they belong to the turn that made the calls.
    Results,
    /// Notices and attachments.
    Other,
}

impl Sort {
    /// The sort of what was said.
    pub fn of(saying: Saying) -> Sort {
        match saying {
            Saying::Prompt | Saying::Summary => Sort::Turn,
            Saying::Results => Sort::Results,
            Saying::Interrupt | Saying::Other => Sort::Other,
        }
    }
}
