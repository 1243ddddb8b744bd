//! What a replay is given beside the history: attached files, instructions, skills, memories; and prices.

use std::sync::Arc;

use crate::engine::asked::Answers;
use crate::engine::file_text::FileText;
use crate::engine::plan::{Cuts, Plan};
use crate::engine::recall::Recall;
use crate::engine::served::Served;
use crate::model::{Contents, Event, Fate, Layer, Listed, Role};
use crate::policy::Policy;

/// A piece that was prepared outside: a chunk, a limited file, an instruction file, a listing of skills.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The step at which it comes in.
    pub step: u32,
    /// Whether it stands before the history (else after what is new at that step).
    pub front: bool,
    /// Whether it is a static part of the prompt, made anew for each request: no compaction takes it.
    pub fixed: bool,
    /// Steps at which it is called in again, where a compaction has taken it by then: paths that it is for are touched.
    pub anew: Arc<[u32]>,
    /// Its layer.
    pub layer: Layer,
    /// Who speaks.
    pub role: Role,
    /// Name to show. Untrusted.
    pub label: Arc<str>,
    /// Its content, in order.
    pub content: Contents,
    /// Its tokens.
    pub tokens: u64,
    /// Tokens before it was cut or chosen from.
    pub original: u64,
    /// Whether `tokens` is an estimate.
    pub estimated: bool,
    /// Whether the recorded requests held it too, whole, though no record says so: it then stands here in place of a part
    /// of what is not recorded, where it has room there.
    pub held: bool,
    /// What became of it.
    pub fate: Fate,
    /// What tells the attached file apart that it is the text of, or a passage of; 0 where it is none.
    pub file: u64,
    /// The text that it is from, where it is one of an attached file.
    pub text: Option<Arc<FileText>>,
    /// Where its text can be cut, where somebody may want a part of it.
    pub cuts: Option<Arc<Cuts>>,
    /// The decision that made it so; its step, tokens and `made` are filled in. Where it chose passages, `tokens_before`
    /// are those of all that they were chosen from. A chunk without one shares that of the piece before it.
    pub decided: Option<Event>,
}

impl Prepared {
    /// A piece of so many tokens that is sent as it is, in the user's name: behind what is new at its step, where a
    /// compaction may take it.
    #[must_use]
    pub fn whole(step: u32, layer: Layer, label: &str, content: Contents, tokens: u64) -> Prepared {
        Prepared {
            step,
            front: false,
            fixed: false,
            anew: Arc::default(),
            layer,
            role: Role::User,
            label: label.into(),
            content,
            tokens,
            original: tokens,
            estimated: false,
            held: false,
            fate: Fate::Verbatim,
            file: 0,
            text: None,
            cuts: None,
            decided: None,
        }
    }
}

/// The agent's figures changing with its version in the midst of a session.
#[derive(Clone, Debug)]
pub struct Shift {
    /// The first step at which they hold.
    pub step: u32,
    /// The agent's policy as it is by the version that the whole session is replayed by.
    pub from: Arc<Policy>,
    /// As it is from this step on.
    pub to: Arc<Policy>,
}

/// What a replay is given beside the history.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Pieces, by the step at which they come in.
    pub prepared: Vec<Prepared>,
    /// The files that are attached, by the step at which they come in, with what of them is read at once.
    pub files: Vec<Listed>,
    /// The agent's threshold and reserve by its later versions, by step. They hold where the policy has the agent's
    /// own.
    pub shifts: Vec<Shift>,
    /// What the session's texts become as memories; `None` where the policy has none.
    pub recall: Option<Arc<Recall>>,
    /// Whether there are memories of earlier sessions, with which a replay that has a memory begins.
    pub kept: bool,
    /// What a model said where the policy wants its summaries.
    pub answers: Arc<Answers>,
    /// The models that answer, for their prices and caches.
    pub served: Served,
    /// Whether some of it is still on its way.
    pub provisional: bool,
}

impl Given {
    /// Whether another gives the same to a replay of the same plan. What a model said is compared only where it said
    /// nothing.
    #[must_use]
    pub fn is_like(&self, other: &Given) -> bool {
        let memories = match (&self.recall, &other.recall) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let silent = |given: &Given| given.answers.is_empty() && given.answers.otherwise.is_none();
        let versions = |given: &Given| given.shifts.iter().map(|shift| shift.step).collect::<Vec<_>>();
        memories
            && silent(self)
            && silent(other)
            && (self.kept, self.provisional) == (other.kept, other.provisional)
            && self.prepared == other.prepared
            && self.files == other.files
            && versions(self) == versions(other)
    }
}

/// What was given and the recorded requests held too.
#[derive(Debug, Default)]
pub(super) struct HeldWhole {
    /// The numbers of the pieces, ascending.
    pub pieces: Vec<usize>,
    /// Their tokens.
    pub tokens: i64,
}

impl HeldWhole {
    /// What of the given pieces the recorded requests can have held. A piece that has no room in what they show beyond
    /// the records, beside the pieces before it, was in none of them whole; and it is never all of that, as no request
    /// is without instructions of its agent.
    pub fn of(plan: &Plan, given: &Given) -> HeldWhole {
        let mut held = HeldWhole::default();
        for (number, piece) in given.prepared.iter().enumerate().filter(|(_, piece)| piece.held) {
            let tokens = i64::try_from(piece.original).unwrap_or(i64::MAX).saturating_add(held.tokens);
            if tokens < plan.base {
                held.tokens = tokens;
                held.pieces.push(number);
            }
        }
        held
    }
}
