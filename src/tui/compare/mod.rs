//! The compare view: two tracks, or two policies, over the same steps.

mod act;
mod draw;
mod facts;

use std::sync::Arc;

use crate::config::Context;
use crate::model::{Run, Transcript, rules};
use crate::policy::{PRESETS, Policy, named};
use crate::present::{SIDES, WindowDiff, common_peak, window_diff};

use super::inspect::Inspect;
use super::list::Scroll;
use super::policy_draft::PolicyDraft;
use super::scene::RunIndex;

pub use act::{act, click};
pub use draw::{Parts, chart, draw, parts};
pub use facts::{Facts, KeepsRequest};

/// What stands on one side.
#[derive(Clone, Debug, PartialEq)]
pub enum Side {
    /// What the agent really did.
    Recorded,
    /// The policy that is tried.
    Tried,
    /// A preset, as it is.
    Preset(&'static str),
}

impl Side {
    /// Its name in links.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Side::Recorded => SIDES[0],
            Side::Tried => SIDES[1],
            Side::Preset(name) => name,
        }
    }

    /// All that there is, in order.
    pub fn all() -> impl Iterator<Item = Side> {
        [Side::Recorded, Side::Tried].into_iter().chain(PRESETS.iter().map(|preset| Side::Preset(preset.name)))
    }

    /// All that can be chosen, in order: a preset that is tried as it is stands there once.
    pub fn offered(draft: &PolicyDraft) -> impl Iterator<Item = Side> {
        let is_tried = |side: &Side| draft.changes() == 0 && matches!(side, Side::Preset(name) if *name == draft.name);
        Side::all().filter(move |side| !is_tried(side))
    }
}

/// A run of a side.
#[derive(Clone)]
pub struct Shown {
    /// Which numbering its ids belong to.
    pub number: u64,
    /// The run.
    pub index: Arc<RunIndex>,
}

/// Two runs and what is looked at in them.
pub struct Compare {
    /// What is compared.
    pub sides: [Side; 2],
    /// The side that a choice is for.
    pub focus: usize,
    /// What each side shows, once it is there.
    pub views: [Option<Inspect>; 2],
    /// Why a side has nothing to show.
    pub failed: [Option<String>; 2],
    /// The step of both.
    pub step: u32,
    /// The windows side by side.
    pub diff: WindowDiff,
    /// The cursor among their rows.
    pub row: Scroll,
    /// Whether what both hold alike is shown one by one.
    pub unfolded: bool,
    /// Counts what was chosen for the sides.
    pub version: u64,
    /// Which facts each side keeps.
    pub facts: Facts,
    /// Whether the user asked for compactions in the recording.
    asked: bool,
    /// Per side, whether its run holds such compactions, beside what was recorded.
    with_users: [bool; 2],
    /// The version of the policy that is tried.
    tried: u64,
    made_for: Option<MadeFor>,
}

/// The rules of compactions that the user asked for: as recorded, and in a replay.
const BY_USER: [&str; 2] = [rules::MANUAL_COMPACT, "replay.manual"];

/// The step, the rows that there are unless all is shown, and per side the numbering and the run's address.
type MadeFor = (u32, Option<usize>, [Option<(u64, usize)>; 2]);

impl Default for Compare {
    fn default() -> Compare {
        Compare {
            sides: [Side::Recorded, Side::Tried],
            focus: 1,
            views: [None, None],
            failed: [None, None],
            step: 0,
            diff: WindowDiff::default(),
            row: Scroll::default(),
            unfolded: false,
            version: 0,
            facts: Facts::default(),
            asked: false,
            with_users: [false; 2],
            tried: 0,
            made_for: None,
        }
    }
}

impl Compare {
    /// The policy that a side is replayed under for this view alone. Beside what was recorded, a policy compacts what
    /// the user did too, unless the one that is tried says otherwise. `None` where the side has a run already.
    #[must_use]
    pub fn beside(&self, side: usize, draft: &PolicyDraft) -> Option<Policy> {
        let recorded = self.sides.get(1 - side.min(1)) == Some(&Side::Recorded);
        match self.sides.get(side)? {
            Side::Preset(name) => {
                let (policy, _) = crate::policy::preset(name, draft.agent.as_deref()).ok()?;
                Some(if recorded { policy.beside_recorded() } else { policy })
            }
            Side::Tried if recorded && self.asked => {
                let said = named("replay.manual").is_some_and(|setting| draft.differs(setting));
                let policy = draft.policy.clone().beside_recorded();
                (!said && policy != draft.policy).then_some(policy)
            }
            Side::Recorded | Side::Tried => None,
        }
    }

    /// Follows what the user compacted in the recording, and the policy that is tried: where that is replayed for this
    /// view alone, each change of it is a choice of its own.
    pub fn follow(&mut self, recorded: Option<&Run>, draft: &PolicyDraft) {
        let asked = recorded.is_some_and(|run| run.events.iter().any(|event| event.rule == BY_USER[0]));
        let tried = self.sides.iter().position(|side| *side == Side::Tried);
        let is_own = |compare: &Compare| tried.is_some_and(|side| compare.beside(side, draft).is_some());
        let before = (self.asked, self.tried);
        (self.asked, self.tried) = (asked, draft.version);
        if before != (asked, draft.version) && is_own(self) {
            self.version += 1;
        }
    }

    /// Whether a side's run holds what the user compacted, beside what was recorded.
    #[must_use]
    pub fn is_with_users(&self, side: usize) -> bool {
        self.with_users.get(side).is_some_and(|with| *with)
    }

    /// Chooses what the side in focus shows. What the other side shows already changes places with it.
    pub fn choose(&mut self, side: Side) {
        let other = 1 - self.focus.min(1);
        if self.sides[other] == side {
            self.sides.swap(0, 1);
            self.views.swap(0, 1);
            self.failed.swap(0, 1);
            self.version += 1;
            return;
        }
        self.sides[self.focus.min(1)] = side;
        (self.views[self.focus.min(1)], self.failed[self.focus.min(1)]) = (None, None);
        self.version += 1;
    }

    /// Takes what a side shows; what it shows already stays as it is.
    pub fn take(&mut self, at: usize, shown: Option<&Shown>) {
        let (Some(view), Some(shown)) = (self.views.get_mut(at), shown) else { return };
        self.failed[at] = None;
        let same = view.as_ref().is_some_and(|view| Arc::ptr_eq(&view.index, &shown.index));
        if same {
            return;
        }
        match view {
            Some(view) if view.number == shown.number => view.refresh(Arc::clone(&shown.index)),
            _ => {
                let mut fresh = Inspect::new(shown.index.run().thread, Arc::clone(&shown.index));
                fresh.number = shown.number;
                *view = Some(fresh);
            }
        }
    }

    /// Brings both sides to the same step and scale, and sets their windows beside each other.
    pub fn settle(&mut self, transcript: &Transcript, columns: u16, height: usize) {
        let last = self.views.iter().flatten().map(|view| view.index.steps()).max().unwrap_or(0);
        // As long as neither side is there, nobody knows how many steps there are.
        if last > 0 {
            self.step = self.step.clamp(1, last);
        }
        for view in self.views.iter_mut().flatten() {
            view.go_to(self.step);
        }
        let common = match &self.views {
            [Some(one), Some(other)] => {
                let peak = common_peak(one.index.run(), other.index.run());
                Some((peak, one.window_tokens().max(other.window_tokens())))
            }
            _ => None,
        };
        for view in self.views.iter_mut().flatten() {
            view.timeline.common = common;
            view.settle(transcript, columns, |pane| if pane == Context::Window { height } else { 1 });
        }
        let known = |view: &Option<Inspect>| view.as_ref().map(|view| (view.number, Arc::as_ptr(&view.index).addr()));
        let room = (!self.unfolded).then_some(height);
        let wanted = (self.step, room, [known(&self.views[0]), known(&self.views[1])]);
        if self.made_for != Some(wanted) {
            let window =
                |view: &Option<Inspect>| view.as_ref().map_or_else(Vec::new, |view| view.index.window(self.step));
            let (one, other) = (window(&self.views[0]), window(&self.views[1]));
            self.diff = match &self.views {
                [Some(left), Some(right)] => {
                    window_diff(&transcript.blocks, (left.index.run(), &one), (right.index.run(), &other), room)
                }
                _ => WindowDiff::default(),
            };
            self.with_users = [0, 1].map(|at| {
                let run = self.views[at].as_ref().map(|view| view.index.run());
                let beside = self.sides[1 - at] == Side::Recorded;
                beside && run.is_some_and(|run| run.events.iter().any(|event| event.rule == BY_USER[1]))
            });
            self.made_for = Some(wanted);
        }
        self.row.settle(self.diff.rows.len(), height);
        self.facts.scroll.settle(self.facts.rows().len(), height.saturating_sub(1));
    }
}
