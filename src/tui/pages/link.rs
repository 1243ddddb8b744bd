//! The track as options of a command line.

use crate::present::shell_word;
use crate::tui::state::Session;

use super::Page;

/// What leads to the same track again, with a blank before each word; nothing for the recorded one.
#[must_use]
pub fn track_options(session: &Session) -> String {
    let simulated = session.view.as_ref().is_some_and(|view| view.number > 0);
    let tried = matches!(session.pages.page, Page::Tune | Page::Compare | Page::Sweep) && session.pages.lab.version > 0;
    if !simulated && !tried {
        return String::new();
    }
    session.pages.lab.options().iter().map(|word| format!(" {}", shell_word(word))).collect()
}
