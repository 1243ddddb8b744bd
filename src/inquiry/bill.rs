//! What a run costs, in the figures that a comparison needs.

use crate::model::{Outcome, Run, Totals};

/// What a run costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// The largest window.
    pub peak: u64,
    /// Summaries that were made.
    pub compactions: u64,
    /// Tokens sent in all requests together.
    pub sent: u64,
    /// Of these, tokens read from a prompt cache.
    pub cached: u64,
    /// Dollars, where the model has prices.
    pub dollars: Option<f64>,
    /// Steps whose window was larger than its size.
    pub failed: u64,
    /// Summaries that a model should have written, and something else stands in for.
    pub stood_in: u64,
}

impl Bill {
    /// The bill of a run.
    #[must_use]
    pub fn of(run: &Run) -> Bill {
        let usage = |step: &crate::model::Step| step.billed.or(step.usage).unwrap_or_default();
        // What is about to be made has not been sent.
        let sent = run.steps.iter().zip(&run.totals).filter(|(step, _)| step.outcome != Outcome::Pending);
        let used = |totals: &Totals| totals.used().saturating_sub(totals.excess);
        let costs = run.steps.iter().filter_map(|step| step.cost.as_ref()).map(crate::model::Cost::total);
        Bill {
            peak: run.totals.iter().map(used).max().unwrap_or(0),
            compactions: run.events.iter().filter(|event| event.compacts()).count() as u64,
            sent: sent.map(|(_, totals)| used(totals)).sum(),
            cached: run.steps.iter().map(|step| usage(step).context_read()).sum(),
            stood_in: run.events.iter().filter(|event| event.stands_in()).count() as u64,
            dollars: costs.fold(None, |sum, cost| Some(sum.unwrap_or(0.0) + cost)),
            failed: run.totals.iter().filter(|totals| totals.over > 0).count() as u64,
        }
    }

    /// What is compared: windows that are too large, then dollars, else tokens that no cache had; then tokens sent.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn rank(&self) -> (u64, f64, u64) {
        let fresh = self.sent.saturating_sub(self.cached) as f64 + self.cached as f64 * 0.1;
        (self.failed, self.dollars.unwrap_or(fresh), self.sent)
    }

    /// Orders by cost, cheapest first.
    #[must_use]
    pub fn order(&self, other: &Bill) -> std::cmp::Ordering {
        let (one, other) = (self.rank(), other.rank());
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2))
    }
}
