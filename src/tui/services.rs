//! What the screen is given: how to open a session and how to rebuild windows. Handed in by whoever starts it.

use std::sync::Arc;

use crate::content::{Sources, Watch};
use crate::engine::Replay;
use crate::inquiry::{Fact, Found, Remembering};
use crate::model::{Run, ThreadId, Transcript};
use crate::policy::Policy;
use crate::tokens::Encoding;

use super::documents::{Choice, DocumentName, Wanted};
use super::findings::{Complaint, FindingsRequest};
use super::policy_draft::NamedPolicy;

/// Opens a transcript by its name, telling its progress in bytes; or says in a sentence why it cannot be opened.
pub type Open = Box<dyn Fn(&str, &Watch) -> Result<Opened, String> + Send>;

/// Rebuilds a thread's windows. It may hand over several runs, each with better counts than the one before, the last
/// with all of them; the watch tells the progress of counting, and the wish to stop.
pub type Windows = Box<dyn Fn(ThreadId, &Watch, &mut dyn FnMut(Arc<Run>)) + Send + Sync>;

/// Makes a thread's history ready for replays under a policy and those like it ([`Replay::fits`]); or says in a
/// sentence why it cannot. Takes as long as counting and reading what has not been yet: once it is made, a run under
/// another policy takes milliseconds.
pub type Replays = Box<dyn Fn(ThreadId, &Policy, &Watch) -> Result<Replay, String> + Send + Sync>;

/// Chooses from an attached document. It may tell several times: by words first, then with more and more vectors.
pub type Passages = Box<dyn Fn(&Wanted, &Watch, &mut dyn FnMut(Choice)) + Send + Sync>;

/// Passages that a fact by meaning is compared with where an answer is waited for.
pub const PASSAGES: usize = 1_000;

/// Finds a fact, by meaning among so many passages; it is told of several times: the passages that are nearest by words
/// first, the rest behind.
pub type Finds = Box<dyn Fn(&Fact, usize, &Watch, &mut dyn FnMut(Found)) -> Found + Send + Sync>;

/// Adds to what was found of a fact by meaning the memories that say the like.
pub type Likens = Box<dyn Fn(&Remembering, &Fact, &mut Found, &Watch) + Send + Sync>;

/// Looks for what costs tokens or loses facts in a run of a thread, with what its policy shows by itself where one made
/// it; or says in a sentence why it cannot.
pub type Lints = Box<dyn Fn(&FindingsRequest, &Watch) -> Result<Vec<Complaint>, String> + Send + Sync>;

/// What a thread's recorded windows are counted with.
pub type Encodings = Box<dyn Fn(ThreadId) -> Encoding + Send + Sync>;

/// A session that is open.
pub struct Opened {
    /// What was understood.
    pub transcript: Arc<Transcript>,
    /// Where its text is.
    pub sources: Sources,
    /// The documents that are attached to it.
    pub documents: Vec<DocumentName>,
    /// Chooses from them.
    pub passages: Passages,
    /// Rebuilds its windows.
    pub windows: Windows,
    /// Makes replays of it.
    pub replays: Replays,
    /// Finds facts in it.
    pub finds: Finds,
    /// Finds it in memories.
    pub likens: Likens,
    /// Says what its windows are counted with.
    pub encodings: Encodings,
    /// Looks for what costs tokens or loses facts.
    pub lints: Lints,
    /// The policy to begin with, by its name: the one that was asked for, else that of the agent.
    pub policy: (String, Policy),
    /// The policy file that was asked for, as it is by itself.
    pub file: Option<NamedPolicy>,
    /// Whether the simulated track was asked for.
    pub simulated: bool,
}
