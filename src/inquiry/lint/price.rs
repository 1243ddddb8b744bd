//! What tokens cost in the steps in which they stood, by what each step's request reported of its cache.

use super::Looked;
use crate::model::{Entry, Layer, Run, Step, Transcript, Usage};
use crate::tokens::cost;

/// Dollars for a token, by step.
pub(super) struct Prices {
    /// In the step in which it comes in.
    fresh: Vec<f64>,
    /// Read from the cache.
    read: Vec<f64>,
    /// In the steps after that; sums over all steps so far.
    again: Vec<f64>,
    /// As a part of an answer.
    output: Vec<f64>,
}

impl Looked<'_> {
    /// The prices of all steps, each by its own model; `None` where a model has none.
    pub(super) fn prices(&self) -> Option<Prices> {
        let mut prices = Prices { fresh: Vec::new(), read: Vec::new(), again: vec![0.0], output: Vec::new() };
        let mut sum = 0.0;
        let is_cached = shows_cache(self.run, self.transcript);
        for (number, (at, step)) in (1u32..).zip(self.run.steps.iter().enumerate()) {
            let model = self.model_at(number)?;
            let usage = usage_of(step);
            let context = usage.map_or(0, |usage| usage.context());
            let price = model.above.filter(|above| context > above.tokens).map_or(model.price?, |above| above.price);
            let million = |dollars: f64| dollars / 1e6;
            let read = million(price.cache_read.unwrap_or(price.input));
            let mut fresh = million(price.input);
            // Where nothing tells of a cache, each step sends all anew.
            let mut again = if is_cached { read } else { fresh };
            if let Some(usage) = usage {
                // What was not read was written into the cache or sent plainly: both, as the report has them.
                let unread = usage.input + usage.cache_write;
                if let Some(cost) = cost(&usage, model).filter(|_| unread > 0) {
                    fresh = (cost.input + cost.cache_write) / float(unread);
                }
                let totals = self.run.totals.get(at);
                let before = totals.map_or(0, |totals| totals.layers[Layer::Unlogged as usize]);
                let same = totals.map_or(0, |totals| totals.prefix);
                let hit = usage.context_read().saturating_sub(before);
                let share = if same > 0 { (float(hit) / float(same)).min(1.0) } else { 0.0 };
                again = share * read + (1.0 - share) * fresh;
            }
            sum += again;
            prices.fresh.push(fresh);
            prices.read.push(read);
            prices.again.push(sum);
            prices.output.push(million(price.output));
        }
        Some(prices)
    }
}

/// Whether steps without a report are priced as if nothing were read from a cache, as nothing tells of one.
#[must_use]
pub fn is_uncached(run: &Run, transcript: &Transcript) -> bool {
    run.steps.iter().any(|step| step.billed.is_none() && usage_of(step).is_none()) && !shows_cache(run, transcript)
}

/// Whether a report or a request of a run tells of a cache.
fn shows_cache(run: &Run, transcript: &Transcript) -> bool {
    let reports = |step: &Step| usage_of(step).is_some_and(|usage| usage.cache_read + usage.cache_write > 0);
    let marks = || transcript.thread(run.thread).is_some_and(|thread| !thread.breakpoints.is_empty());
    run.steps.iter().any(reports) || marks()
}

/// What was billed for a step or reported of it, where that tells of a request.
fn usage_of(step: &Step) -> Option<Usage> {
    step.billed.or(step.usage).filter(|usage| usage.context() > 0)
}

impl Prices {
    /// What so many tokens of an entry cost over the steps in which it stood.
    pub(super) fn over_life(&self, tokens: u64, entry: &Entry) -> f64 {
        let end = self.fresh.len();
        let index = |step: u32| (step as usize).saturating_sub(1).min(end);
        let life = |life: &crate::model::Life| {
            let (from, to) = (index(life.born), life.died.map_or(end, index));
            match self.fresh.get(from).filter(|_| from < to) {
                Some(fresh) => fresh + self.again[to] - self.again[from + 1],
                None => 0.0,
            }
        };
        float(tokens) * entry.lives.iter().map(life).sum::<f64>()
    }

    /// What tokens cost that come in with a step.
    pub(super) fn fresh(&self, tokens: u64, step: u32) -> f64 {
        let at = (step as usize).saturating_sub(1);
        float(tokens) * self.fresh.get(at).or(self.fresh.last()).copied().unwrap_or(0.0)
    }

    /// What tokens cost more in a step that had to be sent there than if they had been read from the cache.
    pub(super) fn unread(&self, tokens: u64, step: u32) -> f64 {
        let at = (step as usize).saturating_sub(1);
        let read = self.read.get(at).or(self.read.last()).copied().unwrap_or(0.0);
        (self.fresh(tokens, step) - float(tokens) * read).max(0.0)
    }

    /// What tokens cost that a model wrote for a step.
    pub(super) fn written(&self, tokens: u64, step: u32) -> f64 {
        let at = (step as usize).saturating_sub(1);
        float(tokens) * self.output.get(at).or(self.output.last()).copied().unwrap_or(0.0)
    }

    /// What tokens cost in a step that stood in the one before.
    pub(super) fn again(&self, tokens: u64, step: u32) -> f64 {
        let at = (step as usize).min(self.fresh.len());
        let price = |at: usize| Some(self.again.get(at)? - self.again.get(at.checked_sub(1)?)?);
        float(tokens) * price(at).unwrap_or(0.0)
    }
}

#[allow(clippy::cast_precision_loss)]
fn float(tokens: u64) -> f64 {
    tokens as f64
}
