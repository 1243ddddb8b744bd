//! What the screen is told, and what it asks for. Both are data: `update` touches nothing.

use std::sync::Arc;

use crate::config::Key;
use crate::content::Sources;
use crate::engine::plan::Referred;
use crate::export::Form;
use crate::inquiry::Kept;
use crate::memory::MemoryId;
use crate::model::{EntryId, EventId, ThreadId, Transcript};
use crate::policy::Policy;
use crate::transcript::Gist;

use super::compaction::SummaryLine;
use super::compare::KeepsRequest;
use super::detail::{Detail, Done, Job};
use super::documents::{Choice, DocumentName, Wanted};
use super::findings::{Complaint, FindingsRequest};
use super::memory::{Arrange, Found as Measured, Known, Measure, Remember};
use super::numbered::{Numbered, Numbering};
use super::picker::Item;
use super::policy_draft::NamedPolicy;
use super::replayer::{For, Replayed, Wish};
use super::scene::RunIndex;
use super::search::Hit;
use super::sweep::{News, SweepRequest};
use super::trace::{Row, TraceRequest, TraceResult, WhatIfRequest};

/// Something that happened.
pub enum Message {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something at a column and row.
    Mouse(Mouse, u16, u16),
    /// The terminal has another size.
    Resize(u16, u16),
    /// So much of the file has been read, in bytes.
    Progress(u64, u64),
    /// The transcript of that name is there, with what the session begins with.
    Opened(String, Arc<Transcript>, Sources, Box<Begin>),
    /// The one of that name could not be opened: why.
    Failed(String, String),
    /// A thread's windows are there, or newer counts for them.
    Windows(ThreadId, Arc<RunIndex>),
    /// What of a thread is referred to again: the last that comes of it.
    Referred(ThreadId, Arc<Referred>),
    /// So many tokens have been counted of so many, in blocks.
    Counting(u64, u64),
    /// What is being done, in words: a model is asked, an attached file read. How far that is, and of how much, where it
    /// counts.
    Doing(String, u64, u64),
    /// Work began, goes on or ended of which there is nothing to say here.
    Works,
    /// First words of entries.
    Words(Numbering, Vec<(EntryId, Arc<str>)>),
    /// An entry's text.
    Read(Numbering, EntryId, Box<Result<Detail, String>>),
    /// Colours or a picture for the entry's text.
    Made(Done),
    /// The sessions found on this machine, and the time.
    Sessions(Vec<Item>, i64),
    /// What is in one of them.
    Learned(usize, Result<Gist, String>),
    /// What is chosen of a document, so far as is known.
    Chosen(Arc<Choice>),
    /// What a search has found so far, and whether that is all.
    Found(u64, Vec<Hit>, bool),
    /// How often other threads hold what is sought.
    FoundElsewhere(u64, Vec<(ThreadId, u64)>),
    /// A replay, or why there is none.
    Replayed(For, Result<Box<Replayed>, String>),
    /// The lines of a summary.
    Summary(Numbering, EntryId, Vec<SummaryLine>),
    /// The memories of a replay at a step.
    Remembered(Numbering, u32, Known),
    /// The memories that are shown, in order; by the number of the wish.
    Arranged(u64, Vec<MemoryId>),
    /// What the summary of an event keeps and loses.
    Measured(Numbering, EventId, Measured),
    /// A file of that name is there already: what was to be saved was not.
    Exists(String),
    /// What became of a fact; the number tells its answers from those of traces before it.
    Traced(u64, Box<Result<TraceResult, String>>),
    /// What lint finds in a run; the number tells its answers from those to requests before it.
    Linted(u64, Result<Vec<Complaint>, String>),
    /// Which settings would have kept it; by the trace's number, and whether no more is looked for.
    Helped(u64, Result<Vec<Row>, String>, bool),
    /// How far the search for such settings is, of how much.
    Trying(u64, u64),
    /// Which facts two runs keep; by the number of who asked.
    Kept(u64, Result<Vec<Kept>, String>),
    /// What a sweep has found so far; by its number.
    Swept(u64, News),
    /// Something was done, or was not: a sentence.
    Done(Result<String, String>),
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Mouse {
    Click,
    Drag,
    WheelUp,
    WheelDown,
    WheelLeft,
    WheelRight,
}

/// What a session begins with.
pub struct Begin {
    /// The policy's name.
    pub name: String,
    /// The policy.
    pub policy: Policy,
    /// The policy file that was asked for, as it is by itself.
    pub file: Option<NamedPolicy>,
    /// Whether its replay is to be shown.
    pub simulated: bool,
    /// The documents that are attached: a link may open their view with the first window.
    pub documents: Vec<DocumentName>,
}

/// Something to be done outside.
pub enum Effect {
    /// Rebuild a thread's windows.
    Windows(ThreadId),
    /// Read the first words of entries.
    Words(Numbered, Vec<EntryId>),
    /// Read an entry's text; whether it is wanted as it was sent.
    Read(Numbered, EntryId, bool),
    /// Make colours or a picture.
    Make(Job),
    /// Search a run's entries; the number tells its answers from those of searches before it.
    Search(u64, Numbered, String),
    /// Replay a thread under a policy.
    Replay(For, Wish),
    /// Read the lines of a summary.
    Summary(Numbered, EntryId),
    /// Replay up to a step, and tell what is remembered then.
    Remember(Remember),
    /// Seek and sort memories.
    Arrange(Arrange),
    /// Hold a summary against what it stands for.
    Measure(Measure),
    /// Save a policy, or the runs of a sweep.
    Save {
        /// Where.
        path: String,
        /// The file.
        text: String,
        /// Whether a file that is there may be written over.
        force: bool,
        /// What is said of it behind its path.
        said: String,
    },
    /// Trace a fact through a thread's windows; the number tells its answer from those of traces before it.
    Trace(Box<TraceRequest>),
    /// Look for what costs tokens or loses facts in a run.
    Lint(Box<FindingsRequest>),
    /// End that.
    StopLint,
    /// Look for the settings that would have kept a fact.
    WhatIf(Box<WhatIfRequest>),
    /// Look which facts two runs keep.
    Keeps(Box<KeepsRequest>),
    /// Put settings to their values, and see which facts stay.
    Sweep(Box<SweepRequest>),
    /// Choose from a document.
    Choose(Wanted),
    /// End the search under way.
    StopSearch,
    /// End the trace under way, and the look for settings.
    StopTrace,
    /// Open a session by its name.
    Open(String),
    /// Find the sessions of this machine.
    Sessions,
    /// Find out next what is in these of them.
    Learn(Vec<usize>),
    /// Write the prompt of a step in a form to a file.
    Export(Numbered, u32, Form, String),
    /// Copy an entry's text.
    CopyEntry(Numbered, EntryId),
    /// Copy this text.
    Copy(String),
    /// Stop the work under way.
    Stop,
    /// Switch the reports of the mouse on or off.
    Mouse(bool),
    /// Clear the terminal before the next frame.
    Redraw,
    /// Hand the terminal back to the shell until the user comes back.
    Suspend,
    /// End the program.
    Quit,
}
