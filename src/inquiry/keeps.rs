//! Which facts runs of one transcript keep, side by side.

use super::fact::Fact;
use super::find::Found;
use super::life::{Reading, Subject};
use super::trace::trace;
use crate::content::Sources;
use crate::model::{Run, Transcript};

/// A fact, and which runs hold it when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The fact. Untrusted.
    pub fact: String,
    /// The step at which it is needed.
    pub step: u32,
    /// Per run, whether it was there word for word.
    pub kept: Vec<bool>,
}

impl Kept {
    /// Whether some runs hold it and others don't.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.kept.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// A fact whose places were found, and the step at which it is needed, where that is known.
pub type Known<'a> = (&'a Fact, &'a Found, Option<u32>);

/// Looks for facts in runs of one thread; those that some hold and others don't come first. A step that is not known is
/// that of the first run.
#[must_use]
pub fn keeps(facts: &[Known], transcript: &Transcript, sources: &Sources, runs: &[&Run]) -> Vec<Kept> {
    let Some(first) = runs.first() else { return Vec::new() };
    let last = u32::try_from(first.steps.len()).unwrap_or(u32::MAX);
    let mut all: Vec<Kept> = facts
        .iter()
        .map(|(fact, found, step)| {
            let subject = Subject::new(fact, found, transcript);
            let step = step.map_or_else(
                || trace(fact, found, transcript, sources, first, None).need.step(),
                |step| step.clamp(1, last.max(1)),
            );
            let kept = runs.iter().map(|run| Reading::new(&subject, run).is_visible(step)).collect();
            Kept { fact: fact.text.clone(), step, kept }
        })
        .collect();
    all.sort_by_key(|kept| !kept.differs());
    all
}
