//! The two tracks of a thread: which is shown, which waits behind it, and what comes in for them.

use std::sync::Arc;

use crate::model::{EntryId, ThreadId};
use crate::tui::compaction::SummaryLine;
use crate::tui::compare::{Shown, Side};
use crate::tui::detail::Detail;
use crate::tui::inspect::Inspect;
use crate::tui::message::Effect;
use crate::tui::numbered::Numbering;
use crate::tui::overlay::look;
use crate::tui::replayer::{For, Replayed};
use crate::tui::scene::RunIndex;
use crate::tui::state::{NoticeKind, Session, State};
use crate::tui::trace::follow;

/// Presets whose figures are kept, to see others against.
const REFERENCES: usize = 50;
/// What is said while a replay is waited for.
pub const REPLAYING: &str = "the session is being replayed …";

impl Session {
    /// The track that the agent recorded, of the thread that is looked at.
    #[must_use]
    pub fn recorded(&self) -> Option<&Inspect> {
        self.view.iter().chain(&self.pages.other).find(|view| !view.is_simulated())
    }

    /// The simulated track of the thread that is looked at, once there is one.
    #[must_use]
    pub fn simulated(&self) -> Option<&Inspect> {
        let thread = self.view.as_ref()?.thread;
        self.view.iter().chain(&self.pages.other).find(|view| view.is_simulated() && view.thread == thread)
    }

    /// The same, to change.
    pub fn simulated_mut(&mut self) -> Option<&mut Inspect> {
        let thread = self.view.as_ref()?.thread;
        self.view.iter_mut().chain(&mut self.pages.other).find(|view| view.is_simulated() && view.thread == thread)
    }

    /// Every run whose rows may be on the screen.
    pub fn inspects_mut(&mut self) -> impl Iterator<Item = &mut Inspect> {
        self.view.iter_mut().chain(&mut self.pages.other).chain(self.pages.compare.views.iter_mut().flatten())
    }

    /// Whether the windows of the simulated track, which is shown or about to be, are still to come, or to change.
    #[must_use]
    pub fn is_replaying(&self) -> bool {
        let pages = &self.pages;
        let shown = self.view.as_ref().is_some_and(Inspect::is_simulated);
        let made = pages.simulated.as_ref().filter(|_| pages.made == Some(pages.draft.version));
        let settled = made.is_some_and(|shown| !shown.index.run().provisional);
        pages.draft.failed.is_none() && (pages.wanted || (shown && !settled))
    }

    /// Shows the other track, at the same step; the entry that was selected stays so where the other window holds it.
    pub fn swap_tracks(&mut self) -> bool {
        let Some(mut other) = self.pages.other.take() else { return false };
        if let Some(view) = self.view.take() {
            other.follow(&view);
            self.pages.other = Some(view);
        }
        self.view = Some(other);
        self.text = crate::tui::state::Text::default();
        self.search = None;
        true
    }

    /// Forgets the tracks of another thread.
    pub fn only_thread(&mut self, thread: ThreadId) {
        let pages = &mut self.pages;
        if pages.other.as_ref().is_some_and(|other| other.thread != thread) {
            pages.other = None;
        }
        let of_other = |shown: &Shown| shown.index.run().thread != thread;
        if pages.simulated.as_ref().is_some_and(of_other) {
            (pages.simulated, pages.made) = (None, None);
            pages.references.clear();
            pages.compare.views = [None, None];
        }
        for beside in &mut pages.beside {
            if beside.as_ref().is_some_and(|(_, shown)| of_other(shown)) {
                *beside = None;
            }
        }
    }
}

/// Takes the recorded windows of a thread that is there already, on either track. `false` where it is not.
pub fn other_windows(session: &mut Session, thread: ThreadId, index: &Arc<RunIndex>) -> bool {
    let known = session.trail.iter_mut().chain(&mut session.view).chain(&mut session.pages.other);
    if let Some(view) = { known }.find(|view| view.thread == thread && !view.is_simulated()) {
        view.refresh(Arc::clone(index));
        return true;
    }
    let behind = session.view.as_ref().is_some_and(|view| view.thread == thread);
    if behind {
        let mut recorded = Inspect::new(thread, Arc::clone(index));
        if let Some(view) = &session.view {
            recorded.follow(view);
        }
        session.pages.other = Some(recorded);
    }
    behind
}

/// Takes a replay of the policy that is tried, or of a preset that is compared.
pub fn replayed(state: &mut State, of: For, told: Result<Box<Replayed>, String>) -> Vec<Effect> {
    let Some(session) = state.session_mut() else { return Vec::new() };
    let made = match told {
        Ok(made) => *made,
        Err(why) => {
            not_replayed(session, of, &why);
            state.complain(format!("no replay: {why}"));
            return Vec::new();
        }
    };
    let shown = Shown { number: made.of.number, index: made.index };
    if session.view.as_ref().is_none_or(|view| view.thread != made.of.thread) {
        return Vec::new();
    }
    let pages = &mut session.pages;
    if let For::Side(side) = of {
        if let Some(beside) = pages.beside.get_mut(side) {
            *beside = Some((made.version, shown));
        }
        return Vec::new();
    }
    pages.draft.failed = None;
    let unchanged = made.version == pages.draft.version && pages.draft.changes() == 0;
    (pages.simulated, pages.made) = (Some(shown.clone()), Some(made.version));
    match session.simulated_mut() {
        Some(view) => view.renumber(shown.number, shown.index),
        None => {
            let mut fresh = Inspect::new(made.of.thread, shown.index);
            fresh.number = shown.number;
            if let Some(view) = &session.view {
                fresh.follow(view);
            }
            session.pages.other = Some(fresh);
        }
    }
    let mut shows = false;
    if unchanged {
        keep_reference(session);
    }
    if session.view.as_ref().is_some_and(Inspect::is_simulated) {
        session.text = crate::tui::state::Text::default();
    } else if std::mem::take(&mut session.pages.wanted) {
        session.swap_tracks();
        super::act::leap_again(session);
        shows = true;
        if let Some((view, id)) = session.view.as_mut().zip(session.pages.wanted_entry.take()) {
            view.reveal(id);
        }
    }
    let is_there = shows || !session.is_replaying();
    // What else was said meanwhile is still to be read.
    if is_there && state.notice.as_ref().is_some_and(|notice| notice.kind == NoticeKind::Replaying) {
        state.notice = None;
    }
    let Some(session) = state.session_mut().filter(|_| shows) else { return Vec::new() };
    let (fact, findings) = (session.pages.wanted_fact.take(), std::mem::take(&mut session.pages.wanted_findings));
    match fact {
        Some((fact, step)) => follow(state, &fact, step),
        None if findings => look(state),
        None => Vec::new(),
    }
}

/// Keeps why there is no replay, for wherever it is looked for.
fn not_replayed(session: &mut Session, of: For, why: &str) {
    let pages = &mut session.pages;
    for (at, side) in pages.compare.sides.iter().enumerate() {
        if of == For::Side(at) || (of == For::Tried && *side == Side::Tried) {
            pages.compare.failed[at] = Some(why.to_owned());
        }
    }
    if of == For::Tried {
        pages.draft.failed = Some(why.to_owned());
        // What comes of a later wish is not shown for this one.
        (pages.wanted, pages.wanted_entry, pages.wanted_fact, pages.wanted_findings) = (false, None, None, false);
    }
}

/// Asks anew for the replays that failed or were stopped, where they are wanted.
pub(super) fn retry(session: &mut Session) {
    let pages = &mut session.pages;
    if pages.draft.failed.take().is_some() {
        pages.draft.asked = None;
    }
    for at in [0, 1] {
        if pages.compare.failed[at].take().is_some() {
            pages.beside_asked[at] = None;
        }
    }
}

/// Keeps the figures of a preset as it is, to see others against.
fn keep_reference(session: &mut Session) {
    let Some(found) = session.simulated().map(|view| view.consequences) else { return };
    let pages = &mut session.pages;
    // A change of preset can be taken back, to a policy that differs from the preset before.
    pages.references.retain(|(of, _)| *of != pages.draft.base);
    if pages.references.len() == REFERENCES {
        pages.references.remove(0);
    }
    pages.references.push((pages.draft.base.clone(), found));
}

/// Takes a text that is read over the windows; gives back one that is for the entry pane.
pub fn reading(
    state: &mut State,
    of: Numbering,
    entry: EntryId,
    read: Box<Result<Detail, String>>,
) -> Option<Box<Result<Detail, String>>> {
    let wraps = state.wrap;
    let session =
        state.session_mut().filter(|session| session.view.as_ref().is_some_and(|view| view.numbering() == of));
    let open = session.and_then(|session| session.pages.compaction.reading.as_mut());
    let Some(open) = open.filter(|open| open.entry == entry && open.detail.is_none()) else { return Some(read) };
    let mut read = *read;
    if let Ok(detail) = &mut read {
        detail.set_wrap(wraps);
        if open.sought.as_ref().is_some_and(|sought| detail.search(sought) > 0) {
            detail.next_hit(true);
        }
    }
    open.detail = Some(read);
    None
}

/// The texts that are read, whichever page is shown: over the windows of the compaction view, and in the entry pane.
pub fn details(session: &mut Session) -> impl Iterator<Item = &mut Detail> {
    let over = session.pages.compaction.reading.as_mut().and_then(|reading| reading.detail.as_mut()?.as_mut().ok());
    over.into_iter().chain(session.text.shown())
}

/// Takes the lines of a summary.
pub fn summary_told(session: &mut Session, of: Numbering, id: EntryId, lines: Vec<SummaryLine>) {
    if session.view.as_ref().is_some_and(|view| view.numbering() == of) {
        session.pages.compaction.told(id, lines);
    }
}
