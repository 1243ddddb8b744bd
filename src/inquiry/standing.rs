//! How a fact stands at the step in question, in one word: the same for every surface.

use super::stay::Sight;
use super::trace::Trace;

/// How a fact stands at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// The model could read it.
    InWindow,
    /// It came in before, and nothing says it there but a question for it.
    OnlyInQuestion,
    /// No window ever held it, and a memory does.
    OnlyInMemory,
    /// It never came in.
    #[default]
    NotHere,
    /// It is there, but only its vendor can read it.
    Sealed,
    /// Nobody can tell.
    Unknown,
    /// It was there, and a file says it that the agent is known to read again; no record shows that.
    OnlyInFile,
    /// It stands in a request that the model never got.
    Refused,
    /// It came in later.
    NotYetHere,
    /// A cut goes through it: a part stands there.
    InPart,
    /// A summary says the like of it there.
    InOtherWords,
    /// It was there and is no longer, or never got through.
    Lost,
}

impl Standing {
    /// In a word or two.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Standing::InWindow => "in the window",
            Standing::OnlyInQuestion => "only in the question",
            Standing::OnlyInMemory => "only in memory",
            Standing::NotHere => "not here",
            Standing::Sealed => "sealed",
            Standing::Unknown => "unknown",
            Standing::OnlyInFile => "only in a file",
            Standing::Refused => "refused",
            Standing::NotYetHere => "not yet here",
            Standing::InPart => "in part",
            Standing::InOtherWords => "in other words",
            Standing::Lost => "lost",
        }
    }

    /// Whether it ever came in.
    #[must_use]
    pub fn came_in(self) -> bool {
        !matches!(self, Standing::OnlyInMemory | Standing::NotHere)
    }
}

impl Trace {
    /// How the fact stands at the step in question.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match self.in_window {
            true if self.is_unknown() => Standing::Unknown,
            true if self.is_only_in_question() => Standing::OnlyInQuestion,
            true => Standing::InWindow,
            false if self.is_only_remembered() => Standing::OnlyInMemory,
            false if self.origin().is_none() => Standing::NotHere,
            false if self.is_sealed() => Standing::Sealed,
            false if self.is_unknown() => Standing::Unknown,
            false if self.read_anew().is_some() => Standing::OnlyInFile,
            false if self.is_refused() => Standing::Refused,
            false if self.is_to_come() => Standing::NotYetHere,
            false => match self.best_at(self.need.step()).map(|(_, stay)| stay.sight) {
                Some(Sight::Part) => Standing::InPart,
                Some(Sight::Paraphrase) => Standing::InOtherWords,
                _ => Standing::Lost,
            },
        }
    }
}
