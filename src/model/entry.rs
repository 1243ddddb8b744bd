//! Entries: what stands in a window, what it is made of, and for how long.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use smallvec::SmallVec;

use super::{BlockId, Contents, EventId, Layer, Role, Written};

/// Index into [`Run::entries`](super::Run::entries).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct EntryId(pub u32);

/// Entries, few as a rule: a replay makes tens of thousands of such lists.
pub type EntryIds = SmallVec<[EntryId; 4]>;

/// The stays of an entry in the window: one as a rule.
pub type Lives = SmallVec<[Life; 1]>;

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is there as it was.
    Verbatim,
    /// A part of it is there.
    Truncated,
    /// Only a pointer is left.
    Virtual,
    /// Only a marker is left.
    Cleared,
    /// A summary stands for it.
    Summarised,
    /// One line stands for its turn.
    Collapsed,
    /// A memory stands for it.
    Remembered,
    /// The same text stands elsewhere in the window.
    Deduplicated,
    /// It is gone.
    Dropped,
}

impl Fate {
    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fate::Verbatim => "verbatim",
            Fate::Truncated => "truncated",
            Fate::Virtual => "virtual",
            Fate::Cleared => "cleared",
            Fate::Summarised => "summarised",
            Fate::Collapsed => "collapsed",
            Fate::Remembered => "remembered",
            Fate::Deduplicated => "deduplicated",
            Fate::Dropped => "dropped",
        }
    }
}

/// One piece of an entry's content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// A block, whole.
    Block(BlockId),
    /// A range of bytes of a block's decoded text (`true`: of its original, uncut text).
    Part(BlockId, u64, u64, bool),
    /// Text that windowpane or the harness wrote: a marker, a pointer, a notice.
    Text(Cow<'static, str>),
    /// The same, as figures: a pointer, a budget. Its words come from [`Written::text`].
    Written(Written),
}

impl Made {
    /// The block that it shows, whole or in part.
    #[must_use]
    pub fn block(&self) -> Option<BlockId> {
        match self {
            Made::Block(id) | Made::Part(id, ..) => Some(*id),
            Made::Text(_) | Made::Written(_) => None,
        }
    }
}

/// A stay of an entry in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Life {
    /// The first step whose window holds it, from 1.
    pub born: u32,
    /// The first step whose window no longer holds it.
    pub died: Option<u32>,
    /// Order in the window: entries stand by ascending place.
    pub place: u32,
    /// The event that ended it.
    pub ended_by: Option<EventId>,
}

/// A block, a part of one, or something made from some, for as long as it stays in the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its layer.
    pub layer: Layer,
    /// Who speaks.
    pub role: Role,
    /// What it is, against the original.
    pub fate: Fate,
    /// Its content, in order.
    pub content: Contents,
    /// Name to show. Untrusted.
    pub label: Arc<str>,
    /// Tokens in the window.
    pub tokens: u64,
    /// Tokens before it was cut, cleared or summarised.
    pub original_tokens: u64,
    /// Whether `tokens` is an estimate (no exact count yet, or no public tokenizer).
    pub estimated: bool,
    /// The entries that it was made from.
    pub from: EntryIds,
    /// The event that made it.
    pub made_by: Option<EventId>,
    /// Its stays in the window, in order, never overlapping. A stay that begins where the last ended is the
    /// same stay at another place.
    pub lives: Lives,
}

impl Entry {
    /// Whether it is the text of a block as it was before the agent cut it, or a part of that.
    #[must_use]
    pub fn is_original(&self) -> bool {
        self.content.iter().any(|made| matches!(made, Made::Part(.., true)))
    }

    /// The stay that holds the entry in the window of a step.
    #[must_use]
    pub fn life_at(&self, step: u32) -> Option<&Life> {
        self.lives.iter().find(|life| life.born <= step && life.died.is_none_or(|died| step < died))
    }

    /// The stay that holds the entry in the window of a step, lives that follow each other at other places taken
    /// together: its first step, and the first one after it.
    #[must_use]
    pub fn stay_at(&self, step: u32) -> Option<(u32, Option<u32>)> {
        let at = self.lives.iter().position(|life| life.born <= step && life.died.is_none_or(|died| step < died))?;
        let (before, after) = self.lives.split_at(at);
        let mut born = after.first()?.born;
        for life in before.iter().rev().take_while(|life| life.died.is_some()) {
            if life.died != Some(born) {
                break;
            }
            born = life.born;
        }
        let mut died = None;
        for life in after {
            if died.is_some() && died != Some(life.born) {
                break;
            }
            died = life.died;
        }
        Some((born, died))
    }

    /// The first step whose window holds it.
    #[must_use]
    pub fn born(&self) -> u32 {
        self.lives.first().map_or(u32::MAX, |life| life.born)
    }

    /// The first step whose window no longer holds it, for good.
    #[must_use]
    pub fn died(&self) -> Option<u32> {
        self.lives.last().and_then(|life| life.died)
    }

    /// The block that it shows, whole or in part.
    #[must_use]
    pub fn block(&self) -> Option<BlockId> {
        self.content.blocks().next()
    }
}
