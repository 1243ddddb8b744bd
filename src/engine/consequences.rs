//! What a run comes to: the figures by which policies are compared.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Cost, EntryId, Event, Fate, Layer, Outcome, Run, Stage, Track};

/// The figures of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Consequences {
    /// Requests.
    pub steps: u32,
    /// Times that the history was replaced by a summary.
    pub compactions: u32,
    /// Times that results were cleared.
    pub clearings: u32,
    /// Pieces that were cut when they came in, however often each was.
    pub cuts: u32,
    /// Steps whose window exceeds its size.
    pub failed: u32,
    /// Tokens of the largest window.
    pub peak: u64,
    /// Tokens of all requests together, without those that the model refused as too long.
    pub sent: u64,
    /// Of these, read from the prompt cache; `null` where no request reports it.
    pub cache_read: Option<u64>,
    /// Of these, written to the prompt cache.
    pub cache_write: Option<u64>,
    /// Of these, neither.
    pub fresh: Option<u64>,
    /// Price of all requests and summaries in US dollars, where the model has one.
    pub cost_usd: Option<f64>,
    /// Of this, the calls that wrote summaries; `null` where nothing says what one of them cost.
    pub summaries_usd: Option<f64>,
    /// Whether `cost_usd` is too low, because nothing says how long some answer was, what a model costs, or a summary.
    pub costs_more: bool,
    /// Tokens of what came in from the transcript, before the policy cut anything of it, without the reasoning of
    /// earlier turns that the provider leaves out whatever the policy is.
    pub text: u64,
    /// Tokens of it that stand in the last window word for word.
    pub visible: u64,
    /// The same as a share of `text`.
    pub visible_share: f64,
}

impl Consequences {
    /// The figures of a run. On the recorded track tokens sent and read are the reported ones, where there are any.
    #[must_use]
    pub fn of(run: &Run) -> Consequences {
        Consequences::spent(run).with_visible(run)
    }

    /// The same without what is still visible at the end, for whoever asks for many runs.
    #[must_use]
    pub fn spent(run: &Run) -> Consequences {
        let mut found = Consequences { steps: super::plan::index(run.steps.len()), ..Consequences::default() };
        for event in &run.events {
            found.compactions += u32::from(event.compacts());
            found.clearings += u32::from(event.stage == Stage::Microcompact);
        }
        // What the agent had cut, a policy may cut again.
        found.cuts = super::plan::index(run.pieces(run.events.iter().flat_map(Event::truncated)));
        let (mut cost, mut summaries) = (None, Some(0.0));
        for (step, totals) in run.steps.iter().zip(&run.totals) {
            let used = totals.context();
            found.peak = found.peak.max(used);
            found.failed += u32::from(step.is_refused());
            if step.outcome == Outcome::Pending {
                continue;
            }
            // The model read nothing of what it refused.
            if !step.is_refused() {
                found.sent += used;
            }
            if let Some(parts) = step.context_parts() {
                let add = |sum: &mut Option<u64>, tokens: u64| *sum = Some(sum.unwrap_or(0) + tokens);
                add(&mut found.cache_read, parts.read);
                add(&mut found.cache_write, parts.written);
                add(&mut found.fresh, parts.fresh);
            }
            found.costs_more |= step.costs_more();
            summaries = summaries.zip(step.calls.dollars()).map(|(sum, more)| sum + more);
            if let Some(more) = step.cost.as_ref().map(Cost::total) {
                cost = Some(cost.unwrap_or(0.0) + more);
            }
        }
        found.cost_usd = cost;
        found.summaries_usd = summaries.filter(|_| cost.is_some());
        found
    }

    fn with_visible(self, run: &Run) -> Consequences {
        let mut found = self;
        let last = found.steps;
        let by_provider = run.events.iter().filter(|event| event.stage == Stage::Reasoning);
        let left_out: HashSet<EntryId> = by_provider.flat_map(|event| event.took.iter().copied()).collect();
        let all = (0u32..).map(EntryId).zip(&run.entries);
        let of_history = all.filter(|(id, entry)| is_of_the_history(entry.layer) && !left_out.contains(id));
        for (id, entry) in of_history {
            // No request has held the last answer yet.
            let came = entry.lives.iter().any(|life| life.born <= last);
            // What a compaction put back had come in before: a replay, which puts back its own, counts it once.
            let is_back = run.put_back.binary_search(&id).is_ok();
            let whole = came && entry.from.is_empty() && entry.block().is_some() && !is_back;
            if whole {
                // What an agent had cut before it sent it never came in.
                let cut = run.track == Track::Simulated && entry.made_by.is_some();
                found.text += if cut { entry.original_tokens } else { entry.tokens };
            }
            let stands = matches!(entry.fate, Fate::Verbatim | Fate::Truncated) && entry.life_at(last).is_some();
            if stands && entry.block().is_some() {
                found.visible += entry.tokens;
            }
        }
        found.visible = found.visible.min(found.text);
        found.visible_share = share(found.visible, found.text);
        found
    }
}

/// Whether a layer holds what a transcript records, and not what a harness makes of it.
fn is_of_the_history(layer: Layer) -> bool {
    !matches!(layer, Layer::Summaries | Layer::Notices | Layer::Unlogged | Layer::Reserve | Layer::Free)
}

#[allow(clippy::cast_precision_loss)]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
