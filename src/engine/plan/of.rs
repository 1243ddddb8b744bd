//! A plan from the counts that a recorded run was made with.

use super::{Counted, Plan};
use crate::engine::{Counting, StepFacts};
use crate::model::{BlockId, Request, Run};
use crate::tokens::Count;

impl Plan {
    /// Works out the full history of a run's thread, counted and scaled as the run is. What has not been counted yet is
    /// estimated.
    #[must_use]
    pub fn of(counting: &Counting, run: &Run, originals: bool, facts: impl Fn(&Request) -> StepFacts) -> Plan {
        let counter = counting.counter;
        let count = |id: BlockId, original: bool| {
            let block = counting.transcript.block(id);
            let body = block.and_then(|block| if original { block.original.as_deref() } else { Some(&block.body) });
            body.map_or_else(Count::default, |body| counting.counts.get_or_estimate(body, counter))
        };
        let factor = run.calibration.map_or(1.0, |fit| fit.factor);
        let counted = Counted { encoding: counter.encoding, factor, originals };
        Plan::new(counting.transcript, run.thread, counted, count, facts)
    }
}
