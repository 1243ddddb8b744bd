//! What lint finds in the run that is shown, over the screen: the list on top, the selected finding at length below.

mod draw;
mod evidence;
#[cfg(test)]
mod findings_tests;

use crate::config::Action;
use crate::inquiry::lint::Finding;
use crate::policy::Policy;

use super::list::Scroll;
use super::numbered::Numbered;

pub use evidence::Evidence;

/// A finding, with the setting of a policy that shows it by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// The finding.
    pub finding: Finding,
    /// The setting.
    pub setting: Option<&'static str>,
    /// Whether it is priced as uncached input, as nothing tells of a cache.
    pub uncached: bool,
    /// The text that shows it.
    pub evidence: Evidence,
}

/// What is asked for.
#[derive(Clone)]
pub struct FindingsRequest {
    /// Tells the answer from those to requests before it.
    pub number: u64,
    /// The run.
    pub from: Numbered,
    /// The policy that is tried.
    pub policy: Policy,
    /// What it began as: a preset's name, or a file's.
    pub named: String,
}

impl FindingsRequest {
    /// Whether the run was made by the policy.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        self.from.of.is_simulated()
    }
}

/// The findings of a run, or the wait for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindingsView {
    /// Tells its answer from those to requests before it.
    pub number: u64,
    /// The track that they are of.
    pub track: String,
    /// What was found; nothing until it is there.
    pub found: Option<Vec<Complaint>>,
    /// Whether somebody wished to follow a fact before anything was there.
    pub early: bool,
    /// The cursor among them.
    pub scroll: Scroll,
}

impl FindingsView {
    /// A look that is under way.
    #[must_use]
    pub fn waiting(number: u64, track: String) -> FindingsView {
        FindingsView { number, track, ..FindingsView::default() }
    }

    /// What was found so far.
    fn rows(&self) -> &[Complaint] {
        self.found.as_deref().unwrap_or_default()
    }

    /// The selected finding.
    #[must_use]
    pub fn chosen(&self) -> Option<&Complaint> {
        self.rows().get(self.scroll.cursor)
    }

    /// Takes an action that moves; `false` where it closes the list.
    pub fn act(&mut self, action: Action) -> bool {
        self.scroll.over(action, self.rows().len())
    }
}
