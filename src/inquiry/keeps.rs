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
    /// Per run, whether nobody can tell: what stands for it can be read by its vendor alone.
    pub unknown: Vec<bool>,
    /// Per run, whether a summary decides of that which no model wrote, though one would have: something stands in.
    pub stood_in: Vec<bool>,
}

impl Kept {
    /// Whether some runs hold it and others don't, or nobody knows of some alone.
    #[must_use]
    pub fn differs(&self) -> bool {
        [&self.kept, &self.unknown].iter().any(|all| all.windows(2).any(|pair| pair[0] != pair[1]))
    }
}

/// A fact whose places were found, and the step at which it is needed, where that is known.
pub type Known<'a> = (&'a Fact, &'a Found, Option<u32>);

/// The step of a run at which a fact is needed: the one that is given for it, as far as the run has it, else the one
/// that its trace tells.
#[must_use]
pub fn needed_at((fact, found, given): Known, transcript: &Transcript, sources: &Sources, run: &Run) -> u32 {
    let last = run.last_step().max(1);
    match given {
        Some(step) => step.clamp(1, last),
        None => trace(fact, &found.in_run(transcript, sources, run), transcript, sources, run, None).need.step(),
    }
}

/// Looks for facts in runs of one thread; those that some hold and others don't come first. A step that is not known is
/// that of the first run.
#[must_use]
pub fn keeps(facts: &[Known], transcript: &Transcript, sources: &Sources, runs: &[&Run]) -> Vec<Kept> {
    let Some(first) = runs.first() else { return Vec::new() };
    let mut all: Vec<Kept> = facts
        .iter()
        .map(|known @ (fact, found, _)| {
            let subject = Subject::new(fact, found, transcript);
            let step = needed_at(*known, transcript, sources, first);
            let readings: Vec<Reading> = runs.iter().map(|run| Reading::new(&subject, run)).collect();
            let readings = || readings.iter();
            let (kept, unknown) = readings().map(|read| (read.is_visible(step), read.is_unknown(step))).unzip();
            let stood_in = readings().map(|read| read.rests_on_stand_in(step)).collect();
            Kept { fact: fact.text.clone(), step, kept, unknown, stood_in }
        })
        .collect();
    all.sort_by_key(|kept| !kept.differs());
    all
}
