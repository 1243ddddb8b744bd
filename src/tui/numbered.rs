//! A run and the numbering of its entries: an entry's id means nothing without it.

use std::sync::Arc;

use crate::model::{Run, ThreadId};

/// Which numbering ids belong to. Counts that come in keep a thread's numbering; every replay makes a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbering {
    /// The thread.
    pub thread: ThreadId,
    /// 0 for the recorded track, else the replay's number.
    pub number: u64,
}

impl Numbering {
    /// Whether it is of a replay.
    #[must_use]
    pub fn is_simulated(self) -> bool {
        self.number > 0
    }
}

/// A run with its numbering.
#[derive(Clone)]
pub struct Numbered {
    /// The numbering.
    pub of: Numbering,
    /// The run.
    pub run: Arc<Run>,
}
