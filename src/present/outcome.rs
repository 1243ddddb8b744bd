//! What a run comes to, figure by figure, as people read it and judge it.

use crate::engine::Consequences;
use crate::model::{Run, Totals};

use super::{count, percent, price, short};

/// One figure of a run, by which two are compared.
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
    /// Whether it is too low by something that another run's figure may hold.
    pub at_least: bool,
}

impl Figure {
    /// Against another run's: whether it is more, and whether that is better. `None` where they read the same, or where
    /// what is not known of one may turn it round.
    #[must_use]
    pub fn change_from(&self, then: &Figure) -> Option<(bool, bool)> {
        let (value, before) = self.value.zip(then.value)?;
        let more = value > before;
        let open = if more { then.at_least && !self.at_least } else { self.at_least && !then.at_least };
        (self.text != then.text && !open).then_some((more, more == self.more_is_better))
    }
}

/// The figures of a run, in the order in which they are shown everywhere.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn figures(of: &Consequences) -> Vec<Figure> {
    let figure = |name, meaning, text, value: f64, more_is_better| Figure {
        name,
        meaning,
        text,
        value: Some(value),
        more_is_better,
        at_least: false,
    };
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let compactions = u64::from(of.compactions);
    vec![
        figure(
            "compacted",
            "Times that a summary replaced the history.",
            count(compactions),
            compactions as f64,
            false,
        ),
        figure("peak", "Tokens of the largest window.", short(of.peak), of.peak as f64, false),
        figure("sent", "Tokens of all requests together, without refused ones.", short(of.sent), of.sent as f64, false),
        Figure {
            name: "from cache",
            meaning: "Share of what was sent that the prompt cache already held.",
            text: of.cache_read.map_or_else(|| "–".to_owned(), |read| percent(read, of.sent)),
            value: of.cache_read.map(|read| share(read, of.sent)),
            more_is_better: true,
            at_least: false,
        },
        Figure {
            name: "cost",
            meaning: "Price of all requests and summaries, where the model's prices are known.",
            text: of.cost_usd.map_or_else(|| "–".to_owned(), |cost| price(cost, of.costs_more)),
            value: of.cost_usd,
            more_is_better: false,
            // Lengths of answers are unknown to all runs alike; what the agent's own summaries cost, to one.
            at_least: of.summaries_usd.is_none(),
        },
        figure(
            "visible",
            "Share of all text that ever came in which the last window still holds as it was.",
            percent(of.visible, of.text),
            of.visible_share,
            true,
        ),
        figure(
            "too long",
            "Requests that do not fit the window: the model would refuse them.",
            count(u64::from(of.failed)),
            f64::from(of.failed),
            false,
        ),
    ]
}

/// The largest window of two runs: what both are drawn to, so that their heights can be compared.
#[must_use]
pub fn common_peak(one: &Run, other: &Run) -> u64 {
    let peak = |run: &Run| run.totals.iter().map(Totals::used).max().unwrap_or(0);
    peak(one).max(peak(other))
}
