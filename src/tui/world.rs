//! What the screen is given: how to open a session and how to rebuild windows. Handed in by whoever starts it.

use std::sync::Arc;

use crate::content::{Sources, Watch};
use crate::model::{Run, ThreadId, Transcript};

/// Opens a transcript by its name, telling its progress in bytes; or says in a sentence why it cannot be opened.
pub type Open = Box<dyn Fn(&str, &Watch) -> Result<Opened, String> + Send>;

/// Rebuilds a thread's windows. It may hand over several runs, each with better counts than the one before, the last
/// with all of them; the watch tells the progress of counting, and the wish to stop.
pub type Windows = Box<dyn Fn(ThreadId, &Watch, &mut dyn FnMut(Run)) + Send + Sync>;

/// A session that is open.
pub struct Opened {
    /// What was understood.
    pub transcript: Arc<Transcript>,
    /// Where its text is.
    pub sources: Sources,
    /// Rebuilds its windows.
    pub windows: Windows,
}
