//! Which contents of a run are counted, and when: what a window holds, a sample to calibrate on, or everything.

use std::ops::RangeInclusive;

use smallvec::SmallVec;

use crate::content::{Sources, Watch};
use crate::model::{BlockId, Body, Calibration, Entry, Run, Transcript};
use crate::tokens::{Count, Counter, Counts, count, fit};

use super::{recount, scale, sum_up};

/// Characters counted for a calibration: enough for dozens of steps, counted in a blink.
const SAMPLE: u64 = 1_000_000;

/// What counting needs.
#[derive(Clone, Copy)]
pub struct Counting<'a> {
    /// The transcript whose run is counted.
    pub transcript: &'a Transcript,
    /// Where its text is.
    pub sources: &'a Sources,
    /// The counts there are.
    pub counts: &'a Counts,
    /// How the model counts.
    pub counter: Counter,
    /// Whether counts are scaled to the reported usage where the fit is good.
    pub calibrates: bool,
}

impl<'a> Counting<'a> {
    /// The contents that the windows of some steps hold, those cut, cleared or summarised among them left out.
    #[must_use]
    pub fn bodies_of(&self, run: &Run, steps: RangeInclusive<u32>) -> Vec<&'a Body> {
        let (first, last) = (*steps.start(), *steps.end());
        let lives = |born: u32, died: Option<u32>| born <= last && died.is_none_or(|died| died > first);
        run.entries
            .iter()
            .filter(|entry| entry.lives.iter().any(|life| lives(life.born, life.died)))
            .flat_map(|entry| entry.content.blocks())
            .filter_map(|id| Some(&self.transcript.block(id)?.body))
            .collect()
    }

    /// Everything: all contents of the run, and what they were before they were cut.
    #[must_use]
    pub fn all_bodies(&self, run: &Run) -> Vec<&'a Body> {
        run.entries.iter().flat_map(|entry| self.bodies_in(entry)).collect()
    }

    /// What the tokens of an entry are counted from, and those before a cut: each of its blocks, the last of which may be
    /// what a client said of the first.
    fn bodies_in(&self, entry: &Entry) -> impl Iterator<Item = &'a Body> {
        let transcript = self.transcript;
        let ids: SmallVec<[BlockId; 3]> = entry.content.blocks().collect();
        let blocks = ids.into_iter().filter_map(move |id| transcript.block(id));
        blocks.flat_map(|block| [Some(&block.body), block.original.as_deref()]).flatten()
    }

    /// The last step of the sample that a calibration is fitted on; 0 where none is wanted.
    #[must_use]
    pub fn sample(&self, run: &Run) -> u32 {
        if !self.calibrates {
            return 0;
        }
        let mut chars = 0;
        for entry in &run.entries {
            let block = entry.block().and_then(|id| self.transcript.block(id));
            if let Some(Body::Text { chars: more, .. }) = block.map(|block| &block.body) {
                chars += more;
            }
            if chars > SAMPLE {
                return entry.born().saturating_sub(1);
            }
        }
        run.last_step()
    }

    /// Counts what the figures of a step need, and the sample; then sets all tokens and sums of the run.
    pub fn count_step(&self, run: &mut Run, step: u32, watch: &Watch) {
        self.count_for(run, step, watch);
        self.apply(run);
    }

    /// Counts what the figures of a step need, and the sample.
    pub fn count_for(&self, run: &Run, step: u32, watch: &Watch) {
        let mut bodies = self.bodies_for(run, step);
        let sample = self.sample(run);
        if sample > 0 {
            bodies.extend(self.bodies_of(run, 1..=sample));
        }
        self.counts.count_blocks(self.sources, &bodies, self.counter, watch, |_, _| {});
    }

    /// Everything that a step's figures depend on: its window, what was cut or summarised in it, and, where its own
    /// context was not reported, the window of the step that the unlogged part is carried from.
    #[must_use]
    pub fn bodies_for(&self, run: &Run, step: u32) -> Vec<&'a Body> {
        let mut bodies = Vec::new();
        let held = run.entries.iter().filter(|entry| entry.life_at(step).is_some());
        for entry in held {
            bodies.extend(self.bodies_in(entry));
            let sources = entry.from.iter().filter_map(|id| run.entry(*id));
            bodies.extend(sources.flat_map(|from| self.bodies_in(from)));
        }
        let reported = |step: &u32| run.step_at(*step).is_some_and(|step| step.usage.is_some());
        let steps = run.last_step();
        if !reported(&step)
            && let Some(carried) = (1..step).rev().find(reported).or_else(|| (1..=steps).find(reported))
        {
            bodies.extend(self.bodies_of(run, carried..=carried));
        }
        bodies
    }

    /// Sets all tokens and sums of a run from the counts there are; estimates stand where there are none yet.
    pub fn apply(&self, run: &mut Run) {
        let of = |id: BlockId, original: bool| {
            let block = self.transcript.block(id);
            let body = block.and_then(|block| if original { block.original.as_deref() } else { Some(&block.body) });
            body.map_or_else(Count::default, |body| self.counts.get_or_estimate(body, self.counter))
        };
        let text = |words: &str| Count { tokens: count(words, self.counter.encoding), exact: self.counter.exact };
        recount(run, self.transcript, of, text);
        sum_up(run, None);
        if let Some(calibration) = self.calibration(run) {
            scale(run, self.transcript, calibration);
            sum_up(run, None);
        }
    }

    /// The fit of the sample's counts to what was reported; `None` until the sample is counted, or where it is poor.
    fn calibration(&self, run: &Run) -> Option<Calibration> {
        let sample = self.sample(run) as usize;
        let waiting = self
            .bodies_of(run, 1..=u32::try_from(sample).unwrap_or(u32::MAX))
            .iter()
            .any(|body| self.counts.get(body, self.counter).is_none());
        if sample == 0 || waiting {
            return None;
        }
        let pairs: Vec<(u64, u64)> =
            run.totals.iter().take(sample).filter_map(|total| Some((total.counted, total.reported?))).collect();
        fit(&pairs)
    }
}
