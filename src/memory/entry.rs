//! What is remembered: a text, whose it is, where it came from, and what it has to do with other memories.

use std::borrow::Cow;
use std::sync::Arc;

use crate::model::{BlockId, Contents, Made};
use crate::policy::Scope;

/// Number of a memory in its [`super::Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(pub u32);

/// Bytes of a block's decoded text that a memory was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The block.
    pub block: BlockId,
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// Whether it is the block's original, uncut text.
    pub whole: bool,
    /// Where these bytes stand in the memory's text; `None` where they do not stand there as they are.
    pub at: Option<u32>,
}

/// A place in a file of an earlier session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The file's name, as that session had it. Untrusted.
    pub source: Arc<str>,
    /// First byte there, and one past the last, where that is known.
    pub bytes: Option<[u64; 2]>,
}

/// How a memory came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// It was ingested.
    Ingested,
    /// It was preserved before a compaction.
    Preserved,
    /// Somebody wrote it.
    Written,
    /// It was made from others that said nearly the same.
    Merged,
    /// A model took it out before a compaction, and nothing that it read says so.
    Unsupported,
}

impl How {
    /// Every way, with its name in JSON.
    pub const NAMES: &'static [(How, &'static str)] = &[
        (How::Ingested, "ingested"),
        (How::Preserved, "preserved"),
        (How::Written, "written"),
        (How::Merged, "merged"),
        (How::Unsupported, "unsupported"),
    ];

    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        How::NAMES.iter().find(|(how, _)| *how == self).map_or("", |(_, name)| name)
    }
}

/// What the name of an agent that nothing names begins with.
const NAMELESS: &str = "the agent of ";

/// The name of an agent that nothing names: it is that of a session alone.
#[must_use]
pub fn nameless(session: &str) -> String {
    format!("{NAMELESS}{session}")
}

/// The session of an agent that nothing names.
#[must_use]
pub fn of_nameless(agent: &str) -> Option<&str> {
    agent.strip_prefix(NAMELESS)
}

/// Whose memories are seen: one name for each scope (source 2: scope).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Owners {
    /// The session.
    pub session: Arc<str>,
    /// The user.
    pub user: Arc<str>,
    /// The agent.
    pub agent: Arc<str>,
}

impl Owners {
    /// The owner that a scope means.
    #[must_use]
    pub fn of(&self, scope: Scope) -> &Arc<str> {
        match scope {
            Scope::Session => &self.session,
            Scope::User => &self.user,
            Scope::Agent => &self.agent,
        }
    }

    /// Whether a memory may be seen.
    #[must_use]
    pub fn see(&self, memory: &Memory) -> bool {
        *self.of(memory.scope) == memory.owner
    }
}

/// A memory. What happens to it is kept beside it, in [`State`].
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Who sees it.
    pub scope: Scope,
    /// Which session, user or agent that is.
    pub owner: Arc<str>,
    /// What kind of source it is from (source 2: sourceType). Untrusted.
    pub source_type: Arc<str>,
    /// Its text. Untrusted.
    pub text: Arc<str>,
    /// What enriches it: what stands before and after the text, or the text as a model put it in its context.
    pub around: Option<Arc<str>>,
    /// Whether that is the text itself, in its context.
    pub rewritten: bool,
    /// Where the text came from, in order; nothing for what no transcript at hand holds.
    pub origins: Vec<Origin>,
    /// Where it stood in files of earlier sessions, which are not at hand.
    pub earlier: Vec<Earlier>,
    /// The step after whose answer it was there; 0 for what was there before.
    pub born: u32,
    /// How it came to be.
    pub how: How,
}

impl Memory {
    /// Its text as a pack shows it: as a model put it in its context, where one did.
    #[must_use]
    pub fn read(&self) -> &str {
        self.around.as_deref().filter(|_| self.rewritten).unwrap_or(&self.text)
    }

    /// Whether its words stand as they are where it is from: those of a model's own do not.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        self.origins.iter().any(|origin| origin.at.is_some())
    }

    /// A range of its text as parts of blocks where it is that, and as words where it is not.
    #[must_use]
    pub fn made(&self, from: usize, to: usize) -> Contents {
        let (mut made, mut at) = (Contents::new(), from);
        let words = |from: usize, to: usize| {
            let words = self.text.get(from..to).filter(|words| !words.is_empty())?;
            Some(Made::Text(Cow::Owned(words.to_owned())))
        };
        for origin in &self.origins {
            let Some(start) = origin.at.map(|start| start as usize).filter(|start| *start < to) else { continue };
            let length = usize::try_from(origin.end.saturating_sub(origin.start)).unwrap_or(usize::MAX);
            let (low, high) = (start.max(at), start.saturating_add(length).min(to));
            if low < high && self.text.is_char_boundary(low) && self.text.is_char_boundary(high) {
                made.extend(words(at, low));
                let byte = |place: usize| origin.start + (place - start) as u64;
                made.push(Made::Part(origin.block, byte(low), byte(high), origin.whole));
                at = high;
            }
        }
        made.extend(words(at, to));
        made
    }
}

/// What has happened to a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// How often it was packed.
    pub uses: u32,
    /// The step at which it was packed last.
    pub used_at: u32,
    /// Whether it was promoted.
    pub promoted: bool,
    /// The memory that stands for it since it was merged.
    pub into: Option<MemoryId>,
    /// Whether it was taken away.
    pub removed: bool,
}

impl State {
    /// Whether it can still be packed.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.into.is_none() && !self.removed
    }
}

/// What two memories have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// One denies what the other says.
    Contradicts,
    /// They are about the same in other words.
    Bridges,
    /// The first was made from the second.
    Supersedes,
}

impl EdgeKind {
    /// Every kind, with its name in packs and in JSON.
    pub const NAMES: &'static [(EdgeKind, &'static str)] =
        &[(EdgeKind::Contradicts, "contradicts"), (EdgeKind::Bridges, "bridges"), (EdgeKind::Supersedes, "supersedes")];

    /// Name in packs and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        EdgeKind::NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// A relation between two memories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The newer one.
    pub from: MemoryId,
    /// The other.
    pub to: MemoryId,
    /// What relates them.
    pub kind: EdgeKind,
    /// Their similarity.
    pub score: f32,
}
