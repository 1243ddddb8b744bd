//! What a run costs, in the figures that a comparison needs.

use crate::engine::Consequences;
use crate::model::Run;

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
    /// Whether that is too low, because nothing says how long some answer was, or what a model costs.
    pub costs_more: bool,
    /// Steps whose window was larger than its size.
    pub failed: u64,
    /// Summaries that a model should have written, and something else stands in for.
    pub stood_in: u64,
    /// Summaries that are sentences of the history, as the transcript's own does not fit there.
    pub extracted: u64,
}

impl Bill {
    /// The bill of a run.
    #[must_use]
    pub fn of(run: &Run) -> Bill {
        let spent = Consequences::spent(run);
        Bill {
            peak: spent.peak,
            compactions: u64::from(spent.compactions),
            sent: spent.sent,
            cached: spent.cache_read.unwrap_or(0),
            dollars: spent.cost_usd,
            costs_more: spent.costs_more,
            failed: u64::from(spent.failed),
            stood_in: run.events.iter().filter(|event| event.stands_in()).count() as u64,
            extracted: run.events.iter().filter(|event| event.is_extracted()).count() as u64,
        }
    }

    /// Summaries that no model wrote, though one would have.
    #[must_use]
    pub fn unwritten(&self) -> u64 {
        self.stood_in + self.extracted
    }

    /// What a cost is compared by: windows that are too large, then dollars, else tokens that no cache had; then tokens sent.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn rank(&self) -> (u64, f64, u64) {
        let fresh = self.sent.saturating_sub(self.cached) as f64 + self.cached as f64 * 0.1;
        (self.failed, self.dollars.unwrap_or(fresh), self.sent)
    }

    /// Orders by cost, cheapest first; what rests on summaries that no model wrote tells little of what is kept, and comes
    /// behind what does not, and what is refused behind both.
    #[must_use]
    pub fn order(&self, other: &Bill) -> std::cmp::Ordering {
        let unwritten = (self.unwritten() > 0).cmp(&(other.unwritten() > 0));
        let (one, other) = (self.rank(), other.rank());
        one.0.cmp(&other.0).then(unwritten).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rests_on_summaries_that_no_model_wrote_comes_behind_what_does_not() {
        let of = |sent, stood_in, extracted, failed| Bill { sent, stood_in, extracted, failed, ..Bill::default() };
        let mut all = [of(1, 0, 0, 3), of(5, 0, 1, 0), of(4, 2, 0, 0), of(9, 0, 0, 0), of(8, 0, 0, 0)];
        all.sort_by(Bill::order);
        assert_eq!(all.map(|bill| bill.sent), [8, 9, 4, 5, 1]);
    }
}
