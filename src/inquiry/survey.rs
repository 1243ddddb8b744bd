//! Surveys: what many sessions have in common, as distributions that can be merged, and the thresholds that follow.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::whole::wholes;
use crate::model::{Block, Body, CutShape, Entry, EventId, Layer, Run, ThreadKind, Transcript, number, thousands};

/// Values from which a threshold may follow: fewer do not show how they vary.
const ENOUGH: u64 = 20;
/// Series of more tools than this are drawn together as `other`.
const TOOLS: usize = 200;

/// How often each value occurs, values rounded up by at most one part in 32, so that lists of any length can be merged;
/// shares in permille are as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Pairs of a value and how often it occurs, by value.
    #[serde(with = "pairs")]
    #[schemars(with = "Vec<[u64; 2]>")]
    times: BTreeMap<u64, u64>,
    /// The largest value, as it was.
    max: u64,
}

impl Spread {
    /// Takes a value in.
    pub fn add(&mut self, value: u64) {
        *self.times.entry(rounded(value)).or_default() += 1;
        self.max = self.max.max(value);
    }

    /// Takes a value in as it is: of those that lie close together, rounding would leave nothing.
    pub fn add_exactly(&mut self, value: u64) {
        *self.times.entry(value).or_default() += 1;
        self.max = self.max.max(value);
    }

    /// Takes all values of another in.
    pub fn merge(&mut self, other: &Spread) {
        for (value, times) in &other.times {
            let sum = self.times.entry(*value).or_default();
            *sum = sum.saturating_add(*times);
        }
        self.max = self.max.max(other.max);
    }

    /// How many values there are.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.times.values().fold(0, |sum, times| sum.saturating_add(*times))
    }

    /// How many values are larger than one that [`Spread::quantile`] told.
    #[must_use]
    pub fn above(&self, told: u64) -> u64 {
        let larger = self.times.range(rounded(told).saturating_add(1)..);
        larger.fold(0, |sum, (_, times)| sum.saturating_add(*times))
    }

    /// The largest value.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The value that so large a share (0 to 1) of all does not exceed; `None` where there are none.
    #[must_use]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let rank = ((self.number() as f64 * share.clamp(0.0, 1.0)).ceil() as u64).max(1);
        let mut seen = 0u64;
        for (value, times) in &self.times {
            seen = seen.saturating_add(*times);
            if seen >= rank {
                return Some((*value).min(self.max));
            }
        }
        None
    }
}

/// A map as a list of pairs.
mod pairs {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// What no figure of a session reaches: one that does was not measured.
    const IMPOSSIBLE: u64 = 1_000_000_000_000;

    pub(super) fn serialize<S: Serializer>(times: &BTreeMap<u64, u64>, out: S) -> Result<S::Ok, S::Error> {
        times.iter().map(|(value, times)| [*value, *times]).collect::<Vec<_>>().serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<u64, u64>, D::Error> {
        let times = Vec::<[u64; 2]>::deserialize(from)?;
        if times.iter().any(|[value, _]| *value >= IMPOSSIBLE) {
            return Err(D::Error::custom("a figure that no session has"));
        }
        Ok(times.into_iter().map(|[value, times]| (value, times)).collect())
    }
}

/// A value rounded up to five significant bits.
fn rounded(value: u64) -> u64 {
    let bits = 64 - value.leading_zeros();
    if bits <= 6 {
        return value;
    }
    let step = 1u64 << (bits - 6);
    value.checked_next_multiple_of(step).unwrap_or(u64::MAX)
}

/// What one session, or many, show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Survey {
    /// Sessions.
    pub sessions: u64,
    /// Requests.
    pub steps: u64,
    /// Compactions.
    pub compactions: u64,
    /// Distributions by name.
    pub series: BTreeMap<String, Spread>,
}

impl Survey {
    /// What a session's run shows.
    #[must_use]
    pub fn of(transcript: &Transcript, run: &Run) -> Survey {
        let mut survey = Survey { sessions: 1, steps: run.steps.len() as u64, ..Survey::default() };
        let block_of = |entry: &Entry| entry.block().and_then(|id| transcript.block(id));
        let is_sealed = |block: &Block| matches!(block.body, Body::Hidden(_));
        let hidden = |entry: &Entry| block_of(entry).is_none_or(is_sealed);
        // What a subagent begins with is another's history, and counted there.
        let kind = transcript.thread(run.thread).map(|thread| thread.kind);
        let of_subagent = matches!(kind, Some(ThreadKind::Subagent(_)));
        let own = |entry: &Entry| !of_subagent || entry.born() > 1;
        // What nobody can read has no size that says anything.
        let summary =
            |entry: &&Entry| entry.layer == Layer::Summaries && entry.tokens > 0 && !hidden(entry) && own(entry);
        let mut written: BTreeMap<Option<EventId>, u64> = BTreeMap::new();
        for entry in run.entries.iter().filter(summary) {
            match entry.made_by {
                // A compaction writes one summary, of however many pieces.
                Some(_) => *written.entry(entry.made_by).or_default() += entry.tokens,
                None => survey.put("summary_tokens", entry.tokens),
            }
        }
        written.into_values().for_each(|tokens| survey.put("summary_tokens", tokens));
        let shown = |entry: &Entry| !block_of(entry).is_some_and(is_sealed);
        let result =
            |entry: &Entry| entry.layer == Layer::ToolResults && entry.from.is_empty() && own(entry) && shown(entry);
        for result in wholes(transcript, run, result) {
            let name: String = result.label().chars().take(60).collect();
            let tokens = result.tokens();
            survey.put("result_tokens", tokens);
            survey.put_tool(&name, tokens);
            let cut = |entry: &Entry| {
                let block = entry.block().and_then(|id| transcript.block(id));
                let cut = block.and_then(|block| block.cut.as_ref());
                cut.is_some_and(|cut| cut.shape != CutShape::Pointer)
            };
            if result.parts.iter().any(|(_, entry)| cut(entry)) {
                survey.put("cut_result_tokens", result.parts.iter().map(|(_, entry)| entry.original_tokens).sum());
            }
        }
        for event in &run.events {
            if event.compacts() {
                survey.compactions += 1;
                if let Some(before) = event.tokens_before.filter(|tokens| *tokens > 0) {
                    survey.put("window_at_compaction", before);
                }
                if let Some(after) = run.totals_at(event.step) {
                    survey.put("window_after_compaction", after.reported.unwrap_or(after.used()));
                }
            }
        }
        for (step, totals) in run.steps.iter().zip(&run.totals) {
            survey.put("window", totals.used());
            let Some(usage) = step.usage.filter(|usage| usage.context() > 0) else { continue };
            let unlogged = totals.layers[Layer::Unlogged as usize];
            for (series, part) in [("cache_read", usage.context_read()), ("unlogged", unlogged)] {
                let share = part.saturating_mul(1000) / usage.context();
                survey.series.entry(format!("{series}_permille")).or_default().add_exactly(share);
            }
        }
        survey
    }

    fn put(&mut self, series: &str, value: u64) {
        match self.series.get_mut(series) {
            Some(spread) => spread.add(value),
            None => self.series.entry(series.to_owned()).or_default().add(value),
        }
    }

    fn put_tool(&mut self, tool: &str, value: u64) {
        let name = format!("result_tokens/{}", if tool.is_empty() { "(no name)" } else { tool });
        let known = self.series.contains_key(&name) || self.series.len() < TOOLS;
        self.put(if known { &name } else { "result_tokens/other" }, value);
    }

    /// Takes another survey in.
    pub fn merge(&mut self, other: &Survey) {
        for (sum, more) in [
            (&mut self.sessions, other.sessions),
            (&mut self.steps, other.steps),
            (&mut self.compactions, other.compactions),
        ] {
            *sum = sum.saturating_add(more);
        }
        for (name, spread) in &other.series {
            self.series.entry(name.clone()).or_default().merge(spread);
        }
    }
}

/// A threshold that follows from a survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Advice {
    /// The setting.
    pub key: &'static str,
    /// Its value.
    pub value: u64,
    /// Why.
    pub why: String,
}

/// The window at compactions, as p5 and in the middle, where these lie so far apart that no threshold follows: those
/// asked for by hand, and those of test records, come at any size.
fn far_apart(survey: &Survey) -> Option<(u64, u64)> {
    let window = survey.series.get("window_at_compaction").filter(|spread| spread.number() >= ENOUGH)?;
    window.quantile(0.05).zip(window.quantile(0.5)).filter(|(low, middle)| *low < middle / 2)
}

/// Says why no threshold follows from values of a survey: there are too few, or they lie too far apart. `None` where it
/// does from all.
#[must_use]
pub fn unadvised(survey: &Survey) -> Option<String> {
    let kinds = [
        ("summary_tokens", "summary", "summaries"),
        ("result_tokens", "tool result", "tool results"),
        ("window_at_compaction", "compaction", "compactions"),
    ];
    let few = kinds.iter().filter_map(|(series, one, more)| {
        let number = survey.series.get(*series)?.number();
        (1..ENOUGH).contains(&number).then(|| format!("{number} {}", if number == 1 { one } else { more }))
    });
    let few: Vec<String> = few.collect();
    let few = (!few.is_empty())
        .then(|| format!("too few to recommend a threshold by: {} (from {ENOUGH} on)", few.join(", ")));
    let apart = far_apart(survey).map(|(low, middle)| {
        format!(
            "no summarise.at follows from compactions at {} (p5) and {} tokens (p50): some were asked for by hand, it seems",
            thousands(low),
            thousands(middle)
        )
    });
    let all: Vec<String> = few.into_iter().chain(apart).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// The thresholds that follow from a survey.
#[must_use]
pub fn advice(survey: &Survey) -> Vec<Advice> {
    let mut found = Vec::new();
    let enough = |series: &str| survey.series.get(series).filter(|spread| spread.number() >= ENOUGH);
    let up = |value: u64, step: u64| value.div_ceil(step) * step;
    if let Some(summary) = enough("summary_tokens")
        && let Some(top) = summary.quantile(0.9999)
    {
        let value = up(top, 1_000);
        found.push(Advice {
            key: "reserve.summary",
            value,
            why: format!(
                "{} covers p99.99 (about {}) of your {} summaries; the largest had {}",
                thousands(value),
                thousands(top),
                thousands(summary.number()),
                thousands(summary.max())
            ),
        });
    }
    if let Some(results) = enough("result_tokens")
        && let (Some(most), Some(top)) = (results.quantile(0.95), results.quantile(0.99))
    {
        let value = up(most.max(1_000), 500);
        found.push(Advice {
            key: "tool_results.virtual_over",
            value,
            why: format!(
                "95 % of your {} have at most {} tokens (p99 about {}); only the rest would be cut",
                number(results.number(), "tool results"),
                thousands(most),
                thousands(top)
            ),
        });
    }
    if let Some(window) = enough("window_at_compaction")
        && let Some((middle, high)) = window.quantile(0.5).zip(window.quantile(0.95))
        && far_apart(survey).is_none()
    {
        let earlier = match window.above(high) {
            0 => "none".to_owned(),
            some => thousands(some),
        };
        found.push(Advice {
            key: "summarise.at",
            value: high,
            why: format!(
                "your {} came at about {} tokens in the middle; at about {}, {earlier} of them would have \
                 come earlier",
                number(window.number(), "compactions"),
                thousands(middle),
                thousands(high)
            ),
        });
    }
    if let Some(after) = enough("window_after_compaction")
        && let Some(middle) = after.quantile(0.5)
    {
        let target = enough("summary_tokens").and_then(|summary| summary.quantile(0.99)).unwrap_or(0);
        if target > 0 {
            found.push(Advice {
                key: "summarise.target",
                value: up(target, 500),
                why: format!(
                    "99 % of your summaries have at most {} tokens; the window after a compaction holds about {}",
                    thousands(target),
                    thousands(middle)
                ),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_by_hand() {
        let mut spread = Spread::default();
        for value in 1..=60 {
            spread.add(value);
        }
        assert_eq!((spread.quantile(0.5), spread.quantile(0.99), spread.quantile(1.0)), (Some(30), Some(60), Some(60)));
        assert_eq!(Spread::default().quantile(0.5), None);
        assert_eq!((rounded(63), rounded(65), rounded(17_387)), (63, 66, 17_408));
    }

    #[test]
    fn shares_are_told_as_they_are() {
        let mut shares = Spread::default();
        [962, 980, 993].into_iter().for_each(|share| shares.add_exactly(share));
        assert_eq!((shares.quantile(0.3), shares.quantile(0.5), shares.max()), (Some(962), Some(980), 993));
        let mut merged = Spread::default();
        merged.merge(&shares);
        assert_eq!(merged, shares);
    }

    #[test]
    fn the_reserve_covers_nearly_every_summary() {
        let mut survey = Survey::default();
        (0..100).for_each(|at| survey.put("summary_tokens", 100 * at));
        survey.put("summary_tokens", 17_387);
        let advice = advice(&survey);
        assert_eq!((advice[0].key, advice[0].value), ("reserve.summary", 18_000));
    }

    #[test]
    fn nothing_follows_from_a_few() {
        let mut survey = Survey::default();
        (1..ENOUGH).for_each(|at| survey.put("summary_tokens", 100 * at));
        survey.put("window_at_compaction", 150_000);
        survey.put("window_after_compaction", 50_000);
        assert_eq!(advice(&survey), []);
        let told = unadvised(&survey).unwrap();
        assert_eq!(told, "too few to recommend a threshold by: 19 summaries, 1 compaction (from 20 on)");
        survey.put("summary_tokens", 100);
        assert_eq!(advice(&survey)[0].key, "reserve.summary");
        assert_eq!(unadvised(&Survey::default()), None);
        let mut apart = Survey::default();
        (0..30).for_each(|at| apart.put("window_at_compaction", if at < 5 { 30_000 } else { 160_000 }));
        assert!(unadvised(&apart).unwrap().starts_with("no summarise.at follows from compactions at "));
        assert!(!advice(&apart).iter().any(|advice| advice.key == "summarise.at"));
    }

    #[test]
    fn at_the_advised_threshold_few_compactions_would_have_come_earlier() {
        let mut survey = Survey::default();
        (1..=40).for_each(|at| survey.put("window_at_compaction", 150_000 + 2_000 * at));
        let advice = advice(&survey);
        let advised = advice.iter().find(|one| one.key == "summarise.at").unwrap();
        let earlier = (1..=40).filter(|at| 150_000 + 2_000 * at > advised.value).count();
        assert!(earlier <= 2, "{advised:?}");
        assert!(advised.why.contains(&format!(", {earlier} of them would have come earlier")), "{advised:?}");
    }

    proptest! {
        #[test]
        fn merging_is_as_adding_all(one in prop::collection::vec(any::<u32>(), 0..50), other in prop::collection::vec(any::<u32>(), 0..50)) {
            let of = |values: &[u32]| {
                let mut survey = Survey::default();
                values.iter().for_each(|value| survey.put("x", u64::from(*value)));
                survey
            };
            let mut merged = of(&one);
            merged.merge(&of(&other));
            let all: Vec<u32> = one.iter().chain(&other).copied().collect();
            prop_assert_eq!(&merged.series, &of(&all).series);
            let text = serde_json::to_string(&merged).unwrap();
            prop_assert_eq!(serde_json::from_str::<Survey>(&text).unwrap(), merged);
        }

        #[test]
        fn a_quantile_is_off_by_one_part_in_32_at_most(mut values in prop::collection::vec(0u64..1_000_000_000, 1..100)) {
            let mut spread = Spread::default();
            values.iter().for_each(|value| spread.add(*value));
            values.sort_unstable();
            let middle = values[values.len().div_ceil(2) - 1];
            let found = spread.quantile(0.5).unwrap();
            prop_assert!(found >= middle && found - middle <= middle / 32 + 1);
        }
    }
}
