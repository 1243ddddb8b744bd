//! Made-up sessions as plans for replays.

use windowpane::content::Watch;
use windowpane::engine::plan::Counted;
use windowpane::engine::{Plan, StepFacts};
use windowpane::model::*;
use windowpane::tokens::{Count, Encoding};

use super::story::Story;

impl Story {
    /// The plan, at four characters a token, with a window of that many; its texts are read.
    pub fn plan(&self, window: u64) -> Plan {
        let count = |id: BlockId, _| match self.transcript.block(id).map(|block| &block.body) {
            Some(Body::Text { chars, .. }) => Count { tokens: chars.div_ceil(4), exact: true },
            _ => Count::default(),
        };
        let counted = Counted { encoding: Encoding::Estimate, factor: 1.0, originals: false };
        let facts = |_: &Request| StepFacts { window_tokens: window, ..StepFacts::default() };
        let mut plan = Plan::new(&self.transcript, ThreadId(0), counted, count, facts);
        assert!(plan.read(&self.transcript, &self.sources(), &Watch::default()));
        plan
    }
}
