//! What a run comes to: the figures by which policies are compared.

use crate::model::{Entry, Fate, Layer, Outcome as Answer, Run, Stage, Totals, Track};

use super::{count, dollars, percent, short};

/// The figures of a run as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Times that a summary replaced the history.
    pub compactions: u64,
    /// Times that results or reasoning were cleared.
    pub clearings: u64,
    /// Pieces that were cut.
    pub cuts: u64,
    /// Tokens of the largest window.
    pub peak: u64,
    /// Tokens sent in all requests together.
    pub sent: u64,
    /// Of those, read from the prompt cache.
    pub cached: u64,
    /// Price of all requests in US dollars, where the model has prices.
    pub cost: Option<f64>,
    /// Tokens of all text that ever came in.
    pub came: u64,
    /// Of those, what the last window still holds as it was.
    pub visible: u64,
    /// Requests that do not fit the window.
    pub failed: u64,
}

/// Works the figures out: linear in entries, events and steps.
#[must_use]
pub fn outcome(run: &Run) -> Outcome {
    let mut found = Outcome::default();
    for event in &run.events {
        match event.stage {
            Stage::Summarise | Stage::Reactive => found.compactions += 1,
            Stage::Microcompact => found.clearings += 1,
            Stage::Truncate | Stage::Limit => found.cuts += event.made.len() as u64,
            _ => {}
        }
    }
    for (step, totals) in run.steps.iter().zip(&run.totals) {
        let used = totals.used();
        found.peak = found.peak.max(used);
        found.sent = found.sent.saturating_add(used);
        let usage = if run.track == Track::Recorded { step.usage } else { step.billed };
        found.cached = found.cached.saturating_add(usage.map_or(0, |usage| usage.cache_read));
        found.failed += u64::from(step.outcome == Answer::TooLong);
        if let Some(cost) = step.cost {
            *found.cost.get_or_insert(0.0) += cost.total();
        }
    }
    let last = u32::try_from(run.steps.len()).unwrap_or(u32::MAX);
    for entry in run.entries.iter().filter(|entry| is_text(entry)) {
        found.came = found.came.saturating_add(entry.original_tokens.max(entry.tokens));
        let whole = matches!(entry.fate, Fate::Verbatim | Fate::Truncated);
        if whole && entry.life_at(last).is_some() {
            found.visible = found.visible.saturating_add(entry.tokens);
        }
    }
    found
}

/// Whether an entry is text of the history, and no copy, marker or summary.
fn is_text(entry: &Entry) -> bool {
    let copied = entry.made_by.is_some() && !matches!(entry.fate, Fate::Truncated | Fate::Virtual);
    entry.from.is_empty() && entry.block().is_some() && entry.layer != Layer::Summaries && !copied
}

/// One figure of an outcome, by which two are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub meaning: &'static str,
    /// As people read it.
    pub text: String,
    /// By which the change is judged; `None` where it is not known.
    pub value: Option<f64>,
    /// Whether more of it is better.
    pub more_is_better: bool,
}

impl Outcome {
    /// The figures, in the order in which they are shown everywhere.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |name, meaning, text, value: f64, more_is_better| Figure {
            name,
            meaning,
            text,
            value: Some(value),
            more_is_better,
        };
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        vec![
            figure(
                "compactions",
                "Times that a summary replaced the history.",
                count(self.compactions),
                self.compactions as f64,
                false,
            ),
            figure("peak", "Tokens of the largest window.", short(self.peak), self.peak as f64, false),
            figure("sent", "Tokens of all requests together.", short(self.sent), self.sent as f64, false),
            figure(
                "from cache",
                "Share of what was sent that the prompt cache already held.",
                percent(self.cached, self.sent),
                share(self.cached, self.sent),
                true,
            ),
            Figure {
                name: "cost",
                meaning: "Price of all requests and of the summaries, where the model's prices are known.",
                text: self.cost.map_or_else(|| "–".to_owned(), dollars),
                value: self.cost,
                more_is_better: false,
            },
            figure(
                "still visible",
                "Share of all text that ever came in which the last window still holds as it was.",
                percent(self.visible, self.came),
                share(self.visible, self.came),
                true,
            ),
            figure(
                "too long",
                "Requests that do not fit the window: the model would refuse them.",
                count(self.failed),
                self.failed as f64,
                false,
            ),
        ]
    }
}

/// The total that a timeline of two runs is drawn to: the larger of their peaks.
#[must_use]
pub fn common_peak(one: &Run, other: &Run) -> u64 {
    let peak = |run: &Run| run.totals.iter().map(Totals::used).max().unwrap_or(0);
    peak(one).max(peak(other))
}
