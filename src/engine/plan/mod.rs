//! What a replay needs to know of a transcript, worked out once: the full history as numbers.
//!
//! A simulation reads only this, so that moving a threshold costs no text. What text alone can tell (where a cut
//! falls, who refers to what, which sentences matter) is added by [`Plan::read`].

mod anew;
mod arguments;
mod changes;
mod copies;
mod cuts;
mod gone;
mod history;
mod line_names;
mod lines;
mod modules;
mod of;
mod paths;
mod plain;
mod read;
mod reasoning;
mod references;
mod referred;
mod replaced;
mod sentences;
mod set_off;
mod shell;
mod shell_archives;
mod shell_commands;
mod shell_edits;
mod shell_fetched;
mod shell_folders;
mod shell_git;
mod shell_interpreters;
mod shell_lines;
mod shell_lists;
mod shell_names;
mod shell_outputs;
mod shell_passes;
mod shell_patches;
mod shell_programs;
mod shell_scripts;
mod shell_shown;
mod shell_sources;
#[cfg(test)]
mod shell_tests;
mod shell_tools;
mod shell_unknown;
mod shell_words;
mod superseded;
mod terms;
mod usage;
mod versions;

use std::sync::Arc;

pub use arguments::{path_among, reads, reads_range, shell, touched_path};
pub use changes::{Certainty, FileChange, Operation, file_changes, file_changes_after};
pub(super) use copies::are_put_back;
pub use cuts::{Cuts, Limit, Part};
pub use gone::Gone;
pub use history::Counted;
pub use line_names::Naming;
pub use lines::{Left, Line};
pub use paths::{below, file_id, from_folder};
pub use read::{ReadFile, Texts};
pub use references::{Reference, TurnReference};
pub use referred::{Referred, referred};
pub use sentences::Sentence;
pub use set_off::set_off_names;
pub use shell_archives::is_packed;
pub use shell_shown::{Shown, files_searched, files_shown, paths_shown};
pub use superseded::Superseded;

use crate::model::{
    BlockId, BlockKind, Cost, Fate, Layer, Outcome, Record, RequestId, RewindCause, Role, ThreadId, Trigger, Usage,
    WindowSource,
};
use crate::policy::Summarise;
use crate::tokens::{self, Encoding};

/// Stands for "none" among indices, and for "never" among steps.
pub const NONE: u32 = u32::MAX;

/// A block of the full history.
#[derive(Clone, Debug)]
pub struct Item {
    /// The block.
    pub block: BlockId,
    /// What it is.
    pub kind: BlockKind,
    /// Its layer.
    pub layer: Layer,
    /// Who speaks.
    pub role: Role,
    /// Name to show. Untrusted.
    pub label: Arc<str>,
    /// Tokens as admitted.
    pub tokens: u64,
    /// Tokens as sent: fewer where the original is admitted in place of what the agent cut.
    pub sent: u64,
    /// Tokens before the agent itself cut it.
    pub original: u64,
    /// Whether `tokens` is an estimate.
    pub estimated: bool,
    /// Characters as admitted.
    pub chars: u64,
    /// What became of it before it was sent.
    pub fate: Fate,
    /// Whether the untruncated original is admitted.
    pub whole: bool,
    /// Tokens that the reports show beyond the count (below it, where negative).
    pub extra: i64,
    /// Tokens of hidden reasoning as a client estimates them.
    pub hidden: u64,
    /// The step whose window first holds it.
    pub born: u32,
    /// The message, answer and turn of the user that it belongs to, each counted from 0.
    pub message: u32,
    /// See `message`.
    pub round: u32,
    /// See `message`.
    pub turn: u32,
    /// The unit that it belongs to: a message of the user, or an answer with the results of its calls.
    pub unit: u32,
    /// The call that a result answers, as an item.
    pub call: u32,
    /// The first result of a call, and the next result of the same call.
    pub next: u32,
    /// The tool's number, for calls and results.
    pub tool: u32,
    /// Where it came in between others: its room, see [`Plan::rooms`].
    pub room: u32,
    /// The item that left as it came in, and in the place of which it stands.
    pub instead: u32,
}

impl Item {
    /// Whether it is a part of a tool's answer.
    #[must_use]
    pub fn is_result(&self) -> bool {
        self.call != NONE
    }

    /// Whether somebody said it or a tool answered it: no part of the prompt, and nothing that an agent attaches.
    #[must_use]
    pub fn is_conversation(&self) -> bool {
        copies::is_conversation(self.layer)
    }

    /// Whether a person wrote it.
    #[must_use]
    pub fn is_prompt(&self) -> bool {
        self.layer == Layer::User && self.role == Role::User
    }
}

/// A message of the user, or an answer with the results of its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// Where its items begin in [`Plan::unit_items`].
    pub from: u32,
    /// Where they end.
    pub to: u32,
    /// Whether it is an answer of the model.
    pub answer: bool,
}

/// What happens to the history, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// The next items come in, up to this one.
    Admit(u32),
    /// The history goes back, see [`Plan::backs`].
    Back(u32),
    /// The next request is made.
    Ask,
    /// The user asked for a compaction, see [`Plan::boundaries`].
    Manual(u32),
}

/// The history going back to an earlier state, or being edited.
#[derive(Clone, Debug)]
pub struct Back {
    /// Items that leave.
    pub removed: Vec<u32>,
    /// Items that come back, in order: each at the end, or in a room between others (see [`Plan::rooms`]).
    pub again: Vec<(u32, u32)>,
    /// Where it goes back for good: the last step before what leaves at its end came in. What was decided since is
    /// undone. `None` where the history is edited.
    pub to: Option<u32>,
    /// The record that shows it.
    pub record: Record,
    /// Why. Earlier states come back with it, unless only reasoning leaves.
    pub cause: RewindCause,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The request.
    pub request: RequestId,
    /// Its record.
    pub record: Record,
    /// The model. Untrusted.
    pub model: Option<Arc<str>>,
    /// What was reported.
    pub usage: Option<Usage>,
    /// Price of what other models were asked on the way, as reported, of those that have one.
    pub asides: Cost,
    /// Whether some of those models have none.
    pub unpriced: bool,
    /// Milliseconds since the Unix epoch.
    pub at: Option<i64>,
    /// What became of it.
    pub outcome: Outcome,
    /// The window's size in tokens.
    pub window_tokens: u64,
    /// Where that size is from.
    pub window_source: WindowSource,
    /// Whether the recorded window is still the full history, as it is admitted here.
    pub same: bool,
}

/// A compaction that the transcript holds.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// The step whose window first shows it.
    pub step: u32,
    /// The summary's blocks with their tokens.
    pub summary: Vec<(BlockId, u64)>,
    /// Who asked for it.
    pub trigger: Option<Trigger>,
    /// The record that says so.
    pub record: Record,
    /// When its summary was there, in milliseconds since the Unix epoch: before the next request, which may be hours
    /// later.
    pub at: Option<i64>,
    /// Tokens before, as recorded.
    pub tokens_before: Option<u64>,
    /// How many items had come in before it.
    pub items: u32,
    /// Items that it kept, or put back at once.
    pub kept: Vec<u32>,
    /// Tokens of all that stood beside the summary and the history in the first request after it: what is not recorded,
    /// and what the agent put back. By that request's report; `None` where it has none.
    pub beside: Option<i64>,
}

/// The full history of a thread as numbers.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The thread.
    pub thread: ThreadId,
    /// Whether it is the agent's own call that writes a summary: the compaction itself, of which no summary is due.
    pub writes_summary: bool,
    /// Every block that was ever admitted, in order.
    pub items: Vec<Item>,
    /// Messages of the user, and answers with their results, in order.
    pub units: Vec<Unit>,
    /// Items by unit.
    pub unit_items: Vec<u32>,
    /// What happens, in order.
    pub feed: Vec<Feed>,
    /// Where the history goes back.
    pub backs: Vec<Back>,
    /// Places that are kept free for what comes in between others later, in order: before which place that is taken at
    /// the end (by an item as it comes in or comes back, counted from 0), and the number of the room.
    pub rooms: Vec<(u32, u32)>,
    /// The requests.
    pub asks: Vec<Ask>,
    /// The compactions that the transcript holds.
    pub boundaries: Vec<Boundary>,
    /// How the recorded agent compacts, as the preset has it that replays it: what it puts back behind a summary.
    pub agent: Summarise,
    /// What the first report shows beyond our count: system prompt and tools that are not recorded.
    pub base: i64,
    /// Of that, what stands before the history and stays through a compaction, as far as a cache can read it again.
    pub fixed: u64,
    /// What later reports show that no new item explains: step, item that it is put upon, tokens.
    pub adjust: Vec<(u32, u32, i64)>,
    /// Results whose call is made again, by step. Until the texts are read, only calls whose arguments are the same byte
    /// for byte.
    pub superseded: Vec<Superseded>,
    /// What the agent loads anew where a compaction has taken it: step, item. By step. Until the texts are read, only
    /// what it did load anew.
    pub anew: Vec<(u32, u32)>,
    /// Names of tools.
    pub tools: Vec<Arc<str>>,
    /// What texts are counted with.
    pub encoding: Encoding,
    /// What counts are scaled by.
    pub factor: f64,
    /// The item of the system prompt that holds the dynamic boundary, and its tokens before that.
    pub dynamic: Option<(u32, u64)>,
    /// What only text can tell; `None` until it is read.
    pub texts: Option<Texts>,
}

impl Plan {
    /// The request of a step.
    pub(super) fn ask_of(&self, step: u32) -> Option<&Ask> {
        self.asks.get((step as usize).checked_sub(1)?)
    }

    /// The items of a unit.
    #[must_use]
    pub fn items_of(&self, unit: u32) -> &[u32] {
        self.units
            .get(unit as usize)
            .and_then(|unit| self.unit_items.get(unit.from as usize..unit.to as usize))
            .unwrap_or_default()
    }

    /// Tokens of a text that a replay makes, as the plan's own texts are counted.
    #[must_use]
    pub fn tokens_of(&self, text: &str) -> u64 {
        tokens::scaled(tokens::count(text, self.encoding), self.factor)
    }

    /// How many steps there are.
    #[must_use]
    pub fn steps(&self) -> u32 {
        index(self.asks.len())
    }
}

/// A length as an index; what is beyond 32 bits is cut off.
pub(super) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE - 1)
}

/// Tokens as a number that others may be taken from. Several as large as can be still add up.
pub(super) fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX / 4)
}
