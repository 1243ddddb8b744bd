//! The track as options of a command line.

use crate::present::{Place, shell_word};
use crate::tui::inspect::Inspect;
use crate::tui::memory::Tab;
use crate::tui::state::Session;

use super::Page;

/// What a link says of the page that is shown.
#[must_use]
pub fn place(session: &Session) -> Place {
    let pages = &session.pages;
    let side = |at: usize| (pages.page == Page::Compare).then(|| pages.compare.sides[at].name());
    let vary = pages.sweep.vary.iter().filter(|_| pages.page == Page::Sweep).map(|vary| vary.setting.key);
    let tab = (pages.page == Page::Memory).then(|| Tab::ALL.iter().position(|tab| *tab == pages.memory.tab));
    let tab = tab.flatten().filter(|at| *at > 0).and_then(|at| u32::try_from(at + 1).ok());
    Place { left: side(0), right: side(1), vary: vary.collect(), tab, ..Place::default() }
}

/// What leads to the same track again, with a blank before each word; nothing for the recorded one.
#[must_use]
pub fn track_options(session: &Session) -> String {
    let simulated = session.view.as_ref().is_some_and(Inspect::is_simulated);
    let pages = &session.pages;
    // The agent's own policy is there again without words.
    let tried =
        matches!(pages.page, Page::Tune | Page::Compare | Page::Sweep) && (pages.given || pages.draft.version > 0);
    if !simulated && !tried {
        return String::new();
    }
    pages.draft.options().iter().map(|word| format!(" {}", shell_word(word))).collect()
}
