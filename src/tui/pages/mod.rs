//! The views beside the main screen: which is shown, and the tracks that they show.

mod act;
mod choose;
#[cfg(test)]
mod demo_tests;
mod draw;
mod link;
#[cfg(test)]
mod link_tests;
#[cfg(test)]
mod mouse_tests;
#[cfg(test)]
mod pages_tests;
mod settle;
#[cfg(test)]
mod stopped_tests;
#[cfg(test)]
mod sweep_tests;
#[cfg(test)]
mod testing;
mod tracks;

use crate::config::Context;
use crate::engine::Consequences;
use crate::inquiry::Vary;
use crate::policy::{Policy, named};
use crate::present::{Place, View};

use super::compaction::Compaction;
use super::compare::{Compare, Shown, Side};
use super::inspect::Inspect;
use super::memory::{MemoryView, Tab};
use super::policy_draft::PolicyDraft;
use super::sweep::Sweep;
use super::tune::Tune;

pub use act::{act, enter, mouse, names, return_to_memory};
pub use choose::{
    chosen_preset, chosen_saved, exists, explained, typed_fact, typed_filter, typed_memory, typed_path, typed_value,
    typed_values,
};
pub use draw::draw;
pub use link::{place, track_options};
pub use settle::settle;
pub use tracks::{REPLAYING, details, other_windows, reading, replayed, summary_told};

/// Tokens of a window, where none is known yet.
const WINDOW: u64 = 200_000;

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// A step as timeline, layers, window, entry and events.
    #[default]
    Main,
    /// What each stage did at a step.
    Compaction,
    /// The settings of the policy, and what they come to.
    Tune,
    /// Two tracks side by side.
    Compare,
    /// Settings over their values, against the facts that are kept.
    Sweep,
    /// What is remembered, packed and lost.
    Memory,
}

impl Page {
    /// Where its keys go; `None` for the main screen, whose panes have their own.
    #[must_use]
    pub fn context(self) -> Option<Context> {
        match self {
            Page::Main => None,
            Page::Compaction => Some(Context::Compaction),
            Page::Tune => Some(Context::Tune),
            Page::Compare => Some(Context::Compare),
            Page::Sweep => Some(Context::Sweep),
            Page::Memory => Some(Context::Memory),
        }
    }

    /// The page that a link names; `None` where it names a pane of the main screen, or what stands over it.
    #[must_use]
    pub fn of(view: View) -> Option<Page> {
        [Page::Compaction, Page::Tune, Page::Compare, Page::Sweep, Page::Memory]
            .into_iter()
            .find(|page| page.context().and_then(Context::view) == Some(view))
    }
}

/// A place of the memory view that led to the main screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CameFrom {
    /// The step.
    pub step: u32,
    /// Whether the other track was gone over to: the replay's windows do not hold the text.
    pub other_track: bool,
}

/// The pages and their tracks.
#[derive(Default)]
pub struct Pages {
    /// What is shown.
    pub page: Page,
    /// The policy that is tried.
    pub draft: PolicyDraft,
    /// Its newest replay.
    pub simulated: Option<Shown>,
    /// The version of the policy that this was made of.
    pub made: Option<u64>,
    /// The replays of presets that are compared, by side, and which choice each was made for.
    pub beside: [Option<(u64, Shown)>; 2],
    /// The choices that replays were asked for.
    pub beside_asked: [Option<(crate::model::ThreadId, u64)>; 2],
    /// What the figures are seen against: presets as they are, those that were replayed.
    pub references: Vec<(Policy, Consequences)>,
    /// The track that is not shown, of the same thread.
    pub other: Option<Inspect>,
    /// Whether the program was asked for the simulated track when it was started.
    pub given: bool,
    /// Whether the simulated track is to be shown as soon as it is there.
    pub wanted: bool,
    /// The entry of the simulated track that a link points to.
    pub wanted_entry: Option<crate::model::EntryId>,
    /// The fact that a link follows through it, and the step at which it asks for it.
    pub wanted_fact: Option<(String, Option<u32>)>,
    /// Whether a link wants what lint finds in it.
    pub wanted_findings: bool,
    /// The compaction view.
    pub compaction: Compaction,
    /// The tune view.
    pub tune: Tune,
    /// The compare view.
    pub compare: Compare,
    /// The sweep view.
    pub sweep: Sweep,
    /// Whether the run that is shown was opened from there: going back leads back.
    pub from_sweep: bool,
    /// The memory view.
    pub memory: MemoryView,
    /// Where one came from to the main screen, to go back there.
    pub came_from: Option<CameFrom>,
}

impl Pages {
    /// Where keys go; `None` for the main screen.
    #[must_use]
    pub fn context(&self) -> Option<Context> {
        match (self.page, self.memory.tab) {
            (Page::Memory, Tab::Graph) => Some(Context::Graph),
            (page, _) => page.context(),
        }
    }

    /// With a policy to begin with.
    #[must_use]
    pub fn new(draft: PolicyDraft, simulated: bool) -> Pages {
        Pages { draft, given: simulated, wanted: simulated, ..Pages::default() }
    }

    /// Takes what a link says of the pages: the sides of a comparison, the settings of a sweep.
    pub fn open_at(&mut self, place: &Place) {
        for (at, name) in [place.left, place.right].into_iter().enumerate() {
            if let Some(side) = name.and_then(|name| Side::all().find(|side| side.name() == name)) {
                self.compare.sides[at] = side;
                self.compare.version += 1;
            }
        }
        if let Some(tab) = place.tab.and_then(|tab| Tab::ALL.get(tab.checked_sub(1)? as usize)) {
            self.memory.tab = *tab;
        }
        for key in &place.vary {
            let found = named(key).and_then(|setting| Vary::around(setting, &self.draft.policy, WINDOW));
            if let Some(vary) = found {
                self.sweep.put(vary);
            }
        }
    }
}
