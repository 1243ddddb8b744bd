//! The sweep view: one or two settings over their values, which facts each run keeps, and what it costs.

mod act;
mod columns;
mod draw;
mod work;

use crate::inquiry::{Axis, Point, Vary, combinations, with};
use crate::model::ThreadId;
use crate::policy::{Policy, Value, named};
use crate::present::Swept;

use super::list::Scroll;
use super::policy_draft::PolicyDraft;
use super::tune::Tune;

pub use act::{Wanted, act, click};
pub use draw::{Parts, draw, parts};
pub use work::{FactChecker, News};

/// The setting that is moved first: what decides when a summary is made.
const FIRST: &str = "summarise.at";
/// Runs of a sweep on the screen.
pub const MOST: usize = 4_000;

/// A pane of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The settings, and the values of those that are moved.
    Settings,
    /// The chart or the map.
    #[default]
    Picture,
    /// The runs as a table.
    Runs,
    /// The facts, and what became of them in the chosen run.
    Facts,
}

impl Pane {
    /// All of them, in the order in which they are gone through.
    pub const ALL: [Pane; 4] = [Pane::Settings, Pane::Picture, Pane::Runs, Pane::Facts];
}

/// A fact that is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct FactRow {
    /// The fact. Untrusted.
    pub text: String,
    /// The step at which it is needed.
    pub needed: u32,
    /// Whether the session proposed it.
    pub proposed: bool,
    /// Whether it stands anywhere.
    pub found: bool,
    /// Whether it counts.
    pub on: bool,
}

/// What is asked of the threads.
#[derive(Clone)]
pub struct SweepRequest {
    /// Tells this sweep's answers from those of sweeps before it.
    pub number: u64,
    /// The thread.
    pub thread: ThreadId,
    /// The policy whose settings are moved.
    pub policy: Policy,
    /// The settings and their values.
    pub vary: Vec<Vary>,
    /// The facts, each with the step where that is known; `None`: those that the session proposes.
    pub facts: Option<Vec<(String, Option<u32>)>>,
}

/// What a sweep depends on: the thread, the policy without what is moved, and the view's own version.
type MadeFor = (ThreadId, Policy, u64);

/// The sweep and what is looked at in it.
#[derive(Default)]
pub struct Sweep {
    /// All settings.
    pub list: Tune,
    /// Those that are moved, with their values.
    pub vary: Vec<Vary>,
    /// The pane that keys go to.
    pub pane: Pane,
    /// The facts; none until the session has proposed some.
    pub facts: Option<Vec<FactRow>>,
    /// The cursor among them.
    pub fact: Scroll,
    /// The runs that are there, by place.
    pub points: Vec<Point>,
    /// What the facts are set against.
    pub axis: Axis,
    /// The place of the chosen run.
    pub chosen: usize,
    /// The first row of the table that is drawn.
    pub runs: Scroll,
    /// Tells this sweep's answers from those of sweeps before it.
    pub number: u64,
    /// Whether everything is there.
    pub done: bool,
    /// Why it cannot be made.
    pub failed: Option<String>,
    /// Counts what was changed here.
    pub version: u64,
    /// Facts that each run keeps, and which of them nothing beats.
    kept: Vec<usize>,
    best: Vec<bool>,
    made_for: Option<MadeFor>,
    /// The thread, and the versions of the draft and of this, at which that was looked at last.
    looked_at: Option<(ThreadId, u64, u64)>,
}

impl Sweep {
    /// How many runs there will be.
    #[must_use]
    pub fn size(&self) -> usize {
        combinations(&self.vary)
    }

    /// Whether all its runs are there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.done && self.failed.is_none()
    }

    /// The sweep as it is drawn.
    #[must_use]
    pub fn swept(&self) -> Swept<'_> {
        Swept {
            vary: &self.vary,
            points: &self.points,
            kept: &self.kept,
            facts: self.counted().count(),
            axis: self.axis,
            chosen: self.chosen_at(),
        }
    }

    /// Facts that each run keeps, by its place among the points, and whether nothing beats it.
    #[must_use]
    pub fn figures(&self, at: usize) -> (usize, bool) {
        (self.kept.get(at).copied().unwrap_or(0), self.best.get(at).copied().unwrap_or(false))
    }

    /// Of how many facts that count nobody can tell whether a run keeps them.
    #[must_use]
    pub fn unknown(&self, point: &Point) -> usize {
        self.counted().filter(|at| point.unknown.get(*at) == Some(&true)).count()
    }

    /// The numbers of the facts that count.
    fn counted(&self) -> impl Iterator<Item = usize> {
        let facts = self.facts.as_deref().unwrap_or_default();
        facts.iter().enumerate().filter(|(_, fact)| fact.on).map(|(at, _)| at)
    }

    /// Where the chosen run stands among the points, once it is there.
    #[must_use]
    pub fn chosen_at(&self) -> Option<usize> {
        self.points.binary_search_by_key(&self.chosen, |point| point.place).ok()
    }

    /// The chosen run.
    #[must_use]
    pub fn point(&self) -> Option<&Point> {
        self.points.get(self.chosen_at()?)
    }

    /// The settings of the chosen run.
    #[must_use]
    pub fn sets(&self) -> Option<Vec<(&'static str, Value)>> {
        let point = self.point()?;
        Some(self.vary.iter().zip(&point.values).map(|(vary, value)| (vary.setting.key, value.clone())).collect())
    }

    /// The values of a setting, where it is moved.
    #[must_use]
    pub fn values_of(&self, key: &str) -> Option<&Vary> {
        self.vary.iter().find(|vary| vary.setting.key == key)
    }

    /// Moves a setting over values: those that it had are replaced; of two others, the first gives way.
    pub fn put(&mut self, vary: Vary) {
        match self.vary.iter_mut().find(|known| known.setting.key == vary.setting.key) {
            Some(known) => *known = vary,
            None => {
                if self.vary.len() > 1 {
                    self.vary.remove(0);
                }
                self.vary.push(vary);
            }
        }
        self.renew();
    }

    /// Moves a setting no more; one stays.
    pub fn drop_setting(&mut self, key: &str) {
        if self.vary.len() > 1 {
            self.vary.retain(|vary| vary.setting.key != key);
            self.renew();
        }
    }

    /// What was found no longer holds.
    pub fn renew(&mut self) {
        self.version += 1;
    }

    /// Adds a fact.
    pub fn add(&mut self, text: &str) {
        let facts = self.facts.get_or_insert_default();
        if facts.iter().any(|fact| fact.text == text) {
            return;
        }
        facts.push(FactRow { text: text.to_owned(), needed: 0, proposed: false, found: true, on: true });
        self.fact.cursor = facts.len() - 1;
        self.renew();
    }

    /// Counts facts anew: one was switched on or off, or runs have come in.
    pub fn count(&mut self) {
        let counted: Vec<usize> = self.counted().collect();
        let kept = |point: &Point| counted.iter().filter(|at| point.kept.get(**at) == Some(&true)).count();
        self.kept = self.points.iter().map(kept).collect();
        self.best = self.swept().front();
    }

    /// Takes what the threads found.
    pub fn take(&mut self, number: u64, news: News) {
        if number != self.number {
            return;
        }
        match news {
            News::Facts(facts) => {
                let known = self.facts.take().unwrap_or_default();
                let as_known = |fact: FactRow| match known.iter().find(|known| known.text == fact.text) {
                    Some(known) => FactRow { on: known.on, proposed: known.proposed, ..fact },
                    None => fact,
                };
                self.facts = Some(facts.into_iter().map(as_known).collect());
            }
            News::Points(points) => {
                self.points.extend(points);
                self.points.sort_by_key(|point| point.place);
                self.count();
            }
            News::Done(stopped) => {
                self.done = true;
                if stopped {
                    self.failed = Some("stopped; another value or fact begins anew".to_owned());
                }
            }
            News::Failed(why) => (self.failed, self.done) = (Some(why), true),
        }
    }

    /// Brings lists up to date; returns what is to be asked of the threads.
    pub fn settle(
        &mut self,
        draft: &PolicyDraft,
        thread: ThreadId,
        window: u64,
        heights: [usize; 3],
    ) -> Option<SweepRequest> {
        self.list.settle(draft, heights[0]);
        if self.vary.is_empty() {
            self.vary.extend(named(FIRST).and_then(|setting| Vary::around(setting, &draft.policy, window)));
        }
        self.runs.cursor = self.chosen_at().unwrap_or(0);
        self.runs.settle(self.points.len(), heights[1]);
        self.fact.settle(self.facts.as_ref().map_or(0, Vec::len), heights[2]);
        let now = (thread, draft.version, self.version);
        if self.looked_at.replace(now) == Some(now) {
            return None;
        }
        // What is moved takes its values from the sweep: where it stands in the policy makes no difference.
        let base = self.vary.iter().fold(draft.policy.clone(), |policy, vary| {
            vary.values.first().and_then(|value| with(&policy, vary.setting, value)).unwrap_or(policy)
        });
        let wanted = (thread, base, self.version);
        if self.made_for.as_ref() == Some(&wanted) {
            return None;
        }
        self.made_for = Some(wanted);
        self.number += 1;
        (self.points, self.kept, self.best) = (Vec::new(), Vec::new(), Vec::new());
        (self.done, self.failed) = (false, None);
        self.chosen = self.now(&draft.policy);
        if self.size() > MOST {
            self.done = true;
            self.failed = Some(format!("that would be {} runs; {MOST} are the most: fewer values", self.size()));
            return None;
        }
        let facts = self.followed();
        Some(SweepRequest { number: self.number, thread, policy: draft.policy.clone(), vary: self.vary.clone(), facts })
    }

    /// The facts that are followed, each with the step where that is known; `None` before the session has proposed any.
    #[must_use]
    pub fn followed(&self) -> Option<Vec<(String, Option<u32>)>> {
        let facts = self.facts.as_ref().filter(|facts| !facts.is_empty())?;
        let step = |fact: &FactRow| (fact.needed > 0).then_some(fact.needed);
        Some(facts.iter().map(|fact| (fact.text.clone(), step(fact))).collect())
    }

    /// The place of the run that is nearest to a policy: where its own values stand.
    fn now(&self, policy: &Policy) -> usize {
        self.vary.iter().fold(0, |place, vary| {
            let now = (vary.setting.get)(policy);
            let at = vary.values.iter().position(|value| *value == now).unwrap_or(vary.values.len() / 2);
            place * vary.values.len() + at
        })
    }
}
