//! What if: the settings that would have kept a fact, each at the value nearest to the present one, found by replay.
//!
//! Effects are not monotone: an earlier compaction may spare what a later one takes. So the figures that the fact's own
//! events measured are tried, outward from the present value, and then the way back is halved until one notch decides.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bill::Bill;
use super::dial::with;
use super::life::{Reading, Subject};
use super::moved::{Moved, To, halve, sections_of};
use super::ready::Ready;
use crate::content::Watch;
use crate::engine::Plan;
use crate::model::{Layer, Run, Stage};
use crate::policy::{Kind, Policy, SECTIONS, Setting, Value};

/// Pairs of settings that are tried.
const PAIRS: usize = 400;
/// Pairs that are brought back as near to the present as they go.
const SETTLED: usize = 12;

/// One setting, moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The setting's key.
    pub key: &'static str,
    /// Its present value.
    pub from: Value,
    /// The value at which the fact is there.
    pub to: Value,
    /// The value one notch back, at which it is not; `None` for switches.
    pub back: Option<Value>,
}

/// Settings that would have kept the fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// One, or two together.
    pub changes: Vec<Change>,
    /// What that costs.
    pub bill: Bill,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    /// The step at which the fact was to be there.
    pub step: u32,
    /// Whether it is there anyway.
    pub there: bool,
    /// Whether it never came in by then, so that no setting can help.
    pub never: bool,
    /// What the present policy costs.
    pub bill: Bill,
    /// The answers, cheapest first.
    pub answers: Vec<Answer>,
    /// How many replays it took.
    pub replays: u64,
    /// Whether it was stopped before everything had been tried.
    pub stopped: bool,
    /// Whether settings that need vectors are still to be tried.
    pub under_way: bool,
    /// Whether something took it that was decided before the replay (which passages of a file are chosen, a file's
    /// limits, which memories are packed), and nobody could prepare it anew: those settings are not tried.
    pub prepared: bool,
}

/// Everything that replays need.
pub struct Trials<'a> {
    /// The fact.
    pub subject: &'a Subject<'a>,
    /// Replays under every policy that is tried.
    pub ready: &'a Ready<'a>,
    plan: &'a Plan,
    /// The present policy.
    pub policy: &'a Policy,
    /// The step at which the fact is to be there.
    pub step: u32,
    /// Tells progress; cancelled, it ends the search.
    pub watch: &'a Watch,
    replays: AtomicU64,
}

impl<'a> Trials<'a> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(
        subject: &'a Subject<'a>,
        ready: &'a Ready<'a>,
        policy: &'a Policy,
        step: u32,
        watch: &'a Watch,
    ) -> Self {
        Trials { subject, ready, plan: &ready.base().plan, policy, step, watch, replays: AtomicU64::new(0) }
    }

    /// Whether the fact is there under a policy, and what that costs.
    #[must_use]
    pub fn replay(&self, policy: &Policy) -> (bool, Bill) {
        self.replays.fetch_add(1, Ordering::Relaxed);
        let Some(run) = self.ready.of(policy).map(|replay| replay.run(policy)) else { return (false, Bill::default()) };
        // What was made ready until it was stopped is not what the policy gives.
        if self.watch.is_cancelled() {
            return (false, Bill::default());
        }
        (Reading::new(self.subject, &run).is_visible(self.step), Bill::of(&run))
    }

    fn holds(&self, policy: &Policy) -> bool {
        self.replay(policy).0
    }

    /// Searches. What numbers tell is told at once, and again after each setting that needs vectors made anew.
    #[must_use]
    pub fn search(&self, told: &dyn Fn(&WhatIf)) -> WhatIf {
        let run = self.ready.base().run(self.policy);
        let reading = Reading::new(self.subject, &run);
        let lives: Vec<_> = self.subject.places.iter().filter_map(|place| reading.life(place)).collect();
        let mut found = WhatIf {
            step: self.step,
            there: reading.is_visible(self.step),
            // What stands in a file that is attached may only be left out of it.
            never: lives.iter().all(|(first, _)| *first > self.step) && !(lives.is_empty() && self.is_attached()),
            bill: Bill::of(&run),
            answers: Vec::new(),
            replays: 1,
            stopped: false,
            under_way: false,
            prepared: false,
        };
        if found.there || found.never {
            return found;
        }
        let events: BTreeSet<_> = lives.iter().flat_map(|(_, stays)| stays).filter_map(|stay| stay.event).collect();
        let mut stages: BTreeSet<Stage> =
            events.iter().filter_map(|id| run.events.get(id.0 as usize)).map(|event| event.stage).collect();
        if self.is_attached() && (lives.is_empty() || stages.is_empty()) {
            stages.extend([Stage::Limit, Stage::Select]);
        }
        let prepared = |stage: &Stage| matches!(stage, Stage::Limit | Stage::Select | Stage::Pack);
        found.prepared = !self.ready.remakes() && stages.iter().any(prepared);
        let figures = self.figures(&run, &events);
        let window =
            (self.step as usize).checked_sub(1).and_then(|at| run.steps.get(at)).map_or(0, |step| step.window_tokens);
        let dials = self.dials(&stages, window);
        // What needs vectors comes behind what numbers tell.
        let (slow, quick): (Vec<Moved>, Vec<Moved>) = dials.into_iter().partition(Moved::is_slow);
        let all: u64 = quick.iter().chain(&slow).map(Moved::parts).sum();
        self.watch.expect(all);
        let single: Vec<Option<Answer>> = quick
            .par_iter()
            .map(|moved| {
                let answer = if self.watch.is_cancelled() { None } else { self.alone(moved, &figures) };
                self.watch.advance(1);
                answer
            })
            .collect();
        found.answers.extend(single.into_iter().flatten());
        let mut before = quick.len() as u64;
        for moved in &slow {
            if self.watch.is_cancelled() {
                break;
            }
            found.under_way = true;
            told(&self.sorted(found.clone()));
            found.answers.extend(self.alone(moved, &figures));
            before += moved.parts();
            self.watch.advance(before.saturating_sub(self.watch.progress().0));
        }
        found.under_way = false;
        if found.answers.is_empty() && !self.watch.is_cancelled() {
            found.answers = self.pairs(&quick, &figures);
        }
        self.sorted(found)
    }

    /// The cheapest answers first, each once.
    fn sorted(&self, mut found: WhatIf) -> WhatIf {
        found
            .answers
            .sort_by(|one, other| one.bill.order(&other.bill).then(one.changes.len().cmp(&other.changes.len())));
        found.answers.dedup_by(|one, other| {
            one.changes.len() == other.changes.len()
                && one.changes.iter().zip(&other.changes).all(|(one, other)| one.key == other.key && one.to == other.to)
        });
        found.replays = self.replays.load(Ordering::Relaxed) + 1;
        found.stopped = self.watch.is_cancelled();
        found
    }

    /// What the fact's own events measured, and how large what it stands in is and was.
    fn figures(&self, run: &Run, events: &BTreeSet<crate::model::EventId>) -> Vec<u64> {
        let mut found: BTreeSet<u64> = BTreeSet::new();
        for event in events.iter().filter_map(|id| run.events.get(id.0 as usize)) {
            found.extend([event.measured, event.tokens_before, event.tokens_after].into_iter().flatten());
            // What stood after the fact when it went: so much would have had to be kept.
            let took: Vec<_> = event.took.iter().filter_map(|id| run.entry(*id)).collect();
            let mut behind = 0;
            for entry in took.iter().rev() {
                behind += entry.tokens;
                let own =
                    entry.block().is_some_and(|block| self.subject.places.iter().any(|place| place.block == block));
                if own {
                    found.insert(behind);
                }
            }
        }
        for place in self.subject.places.iter().take(50) {
            let item = self.plan.items.iter().find(|item| item.block == place.block);
            if let (Some(item), Some(spot)) = (item, place.spot()) {
                let before = item.tokens.saturating_mul(u64::from(spot.range.1)) / u64::from(spot.length.max(1));
                found.extend([item.tokens, before + 50, (item.tokens - before.min(item.tokens)) + 50]);
            }
        }
        let peak = run.totals.iter().map(crate::model::Totals::used).max().unwrap_or(0);
        found.insert(peak + 1);
        if found.len() > 24 {
            let each = found.len().div_ceil(24);
            return found.into_iter().step_by(each).chain([peak + 1]).collect();
        }
        found.into_iter().collect()
    }

    /// The settings of the sections that had a hand in it.
    fn dials(&self, stages: &BTreeSet<Stage>, window: u64) -> Vec<Moved> {
        let mut sections: BTreeSet<&str> = stages.iter().flat_map(|stage| sections_of(*stage)).copied().collect();
        // The cheaper stages can make a later one unnecessary.
        if stages
            .iter()
            .any(|stage| matches!(stage, Stage::Summarise | Stage::Reactive | Stage::Drop | Stage::Collapse))
        {
            sections.extend(["tool_results", "microcompact", "thinking", "collapse", "summarise"]);
        }
        if !self.ready.remakes() {
            for section in ["files", "chunks", "memory"] {
                sections.remove(section);
            }
        }
        let mut found = Vec::new();
        for (name, _, settings) in SECTIONS {
            if !sections.contains(name) || !self.may_matter(name) {
                continue;
            }
            for setting in *settings {
                found.extend(
                    Moved::all(setting, self.policy, window).into_iter().filter(|moved| moved.may_matter(self.policy)),
                );
                found.extend(self.additions(setting).map(|value| Moved { setting, to: To::Switch(value) }));
            }
        }
        found
    }

    /// Whether the fact stands in a file that is attached.
    fn is_attached(&self) -> bool {
        let layer = |block| self.subject.transcript.block(block).map(|block| block.layer);
        self.subject.places.iter().any(|place| matches!(layer(place.block), Some(Layer::Files | Layer::Chunks)))
    }

    /// Whether a section does anything under the present policy, or could at once be switched on.
    fn may_matter(&self, section: &str) -> bool {
        let on = format!("{section}.on");
        let switch = SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter()).find(|setting| setting.key == on);
        switch.is_none_or(|setting| (setting.get)(self.policy) == Value::Bool(true))
            || matches!(section, "microcompact" | "tool_results" | "collapse")
    }

    /// Lists with what the fact stands in added: its tool is spared, its layer or role is kept.
    fn additions(&self, setting: &Setting) -> Option<Value> {
        let Value::List(mut list) = (setting.get)(self.policy) else { return None };
        if setting.kind != Kind::List {
            return None;
        }
        let item = self
            .subject
            .places
            .iter()
            .find_map(|place| self.plan.items.iter().find(|item| item.block == place.block))?;
        let added = match setting.name() {
            "exclude_tools" if item.is_result() => item.label.to_string(),
            "keep_layers" => item.layer.name().to_owned(),
            "keep_roles" if list.is_empty() => match item.layer {
                Layer::User => "user".to_owned(),
                Layer::Assistant => "assistant".to_owned(),
                _ => return None,
            },
            _ => return None,
        };
        if added.is_empty() || list.contains(&added) {
            return None;
        }
        list.push(added);
        Some(Value::List(list))
    }

    /// The value of one setting that keeps the fact, nearest to the present one.
    fn alone(&self, moved: &Moved, figures: &[u64]) -> Option<Answer> {
        self.over(self.policy, moved, figures).map(|(change, policy)| {
            let (_, bill) = self.replay(&policy);
            Answer { changes: vec![change], bill }
        })
    }

    /// The same over another policy than the present one.
    fn over(&self, policy: &Policy, moved: &Moved, figures: &[u64]) -> Option<(Change, Policy)> {
        let setting = moved.setting;
        let from = (setting.get)(policy);
        let change = |to: Value, back| Change { key: setting.key, from: from.clone(), to, back };
        match &moved.to {
            To::Switch(value) => {
                let changed = with(policy, setting, value)?;
                self.holds(&changed).then(|| (change(value.clone(), None), changed))
            }
            To::Dial(dial) => {
                let at = |number: u64| with(policy, setting, &dial.value(number));
                let keeps = |number: u64| at(number).is_some_and(|policy| self.holds(&policy));
                let mut failed: Vec<u64> = vec![dial.now];
                for number in moved.tried(dial, figures) {
                    if self.watch.is_cancelled() {
                        return None;
                    }
                    if moved.is_slow() {
                        self.watch.advance(1);
                    }
                    if keeps(number) {
                        let (good, bad) = halve(number, &failed, keeps);
                        if self.watch.is_cancelled() {
                            return None;
                        }
                        return Some((change(dial.value(good), Some(dial.value(bad))), at(good)?));
                    }
                    failed.push(number);
                }
                None
            }
        }
    }

    /// Pairs of settings, where none alone keeps the fact: the one as far as it goes, then the other as near as it may be,
    /// then the one as near as it may be.
    fn pairs(&self, dials: &[Moved], figures: &[u64]) -> Vec<Answer> {
        let mut trials: Vec<Pair> = Vec::new();
        let far: Vec<(usize, &Moved, Value)> = dials
            .iter()
            .enumerate()
            .flat_map(|(at, moved)| moved.far(figures).into_iter().map(move |value| (at, moved, value)))
            .collect();
        for (at, (one, first, value)) in far.iter().enumerate() {
            for (other, second, more) in far.iter().skip(at + 1) {
                if one != other && first.setting.key != second.setting.key {
                    trials.push((first, value.clone(), second, more.clone()));
                }
            }
        }
        let each = trials.len().div_ceil(PAIRS).max(1);
        self.watch.expect(trials.len().div_ceil(each) as u64);
        let mut holding: Vec<(Bill, &Pair)> = trials
            .par_iter()
            .step_by(each)
            .filter_map(|trial| {
                self.watch.advance(1);
                if self.watch.is_cancelled() {
                    return None;
                }
                let (one, value, other, more) = trial;
                let both = with(&with(self.policy, one.setting, value)?, other.setting, more)?;
                let (holds, bill) = self.replay(&both);
                holds.then_some((bill, trial))
            })
            .collect();
        // The cheapest pairs of settings, each pair once, are worth the way back.
        holding.sort_by(|one, other| one.0.order(&other.0));
        let mut seen = BTreeSet::new();
        holding.retain(|(_, (one, _, other, _))| seen.insert((one.setting.key, other.setting.key)));
        holding.truncate(SETTLED);
        holding
            .par_iter()
            .filter_map(|(_, (one, value, other, _))| {
                let first = with(self.policy, one.setting, value)?;
                self.settle(&first, value, one, other, figures)
            })
            .collect()
    }

    fn settle(&self, first: &Policy, value: &Value, one: &Moved, other: &Moved, figures: &[u64]) -> Option<Answer> {
        let (second, _) = self.over(first, other, figures)?;
        // With the second where it is now, the first may come back towards the present.
        let base = with(self.policy, other.setting, &second.to)?;
        let (change, policy) = self.over(&base, one, figures).unwrap_or_else(|| {
            let from = (one.setting.get)(self.policy);
            let change = Change { key: one.setting.key, from, to: value.clone(), back: None };
            (change, with(&base, one.setting, value).unwrap_or(base.clone()))
        });
        let (holds, bill) = self.replay(&policy);
        holds.then(|| Answer {
            changes: vec![change, Change { from: (other.setting.get)(self.policy), ..second }],
            bill,
        })
    }
}

/// Two settings, each with a value.
type Pair<'a> = (&'a Moved, Value, &'a Moved, Value);
