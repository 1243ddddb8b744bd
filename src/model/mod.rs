//! The words of the design as data: layers, spans, blocks, histories, entries, events, runs.
//!
//! No I/O, no clock, no terminal.

mod block;
mod contents;
mod entry;
mod event;
mod history;
mod layer;
mod name;
pub mod rules;
mod run;
mod span;
mod usage;
mod version;
mod warning;
mod workspace;
mod written;

pub use block::{
    Block, BlockId, BlockKind, Body, CallKey, Cut, CutShape, Hidden, Media, Message, MessageId, Role, Spans,
};
pub use contents::{Contents, Passage};
pub use entry::{Entry, EntryId, EntryIds, Fate, Life, Lives, Made};
pub use event::{Event, EventId, Evidence, Measure, Omission, SentCut, Stage, Trigger, number, thousands};
pub use history::{
    Breakpoint, Clearing, Compaction, Op, Outcome, Request, RequestId, Rewind, RewindCause, Session, Shortened,
    Shortening, Thread, ThreadId, ThreadKind, Transcript,
};
pub use layer::{ALL_LAYERS, CONTENT_LAYERS, LEFT_OUT, Layer, LayerInfo, SKILL_LISTING, SKILLS};
pub use name::{beside, file_name, last_part};
pub use rules::{TOLD_RULES, told_rule};
pub use run::{Calibration, Calls, Run, Step, Totals, Track, WindowSource};
pub use span::{Coding, Landmark, Record, Source, SourceId, SourceKind, Span};
pub use usage::{Aside, ContextParts, Cost, Sent, Tier, Usage};
pub use version::Version;
pub use warning::Warning;
pub use workspace::{PathFault, WORKSPACE, below_workspace, is_name};
pub use written::{FileId, Holds, Listed, Use, VirtualFile, Written};
