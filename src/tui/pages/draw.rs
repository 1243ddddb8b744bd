//! Draws the page that is shown, with header and footer around it.

use ratatui::buffer::Buffer;

use crate::tui::inspect::Inspect;
use crate::tui::main_screen::{footer, header};
use crate::tui::state::{Session, State};
use crate::tui::{compaction, compare, memory, sweep, tune};

use super::Page;
use super::act::{against, names, window};

/// Draws a page.
pub fn draw(buffer: &mut Buffer, state: &State, session: &Session, view: &Inspect) {
    let (theme, area, pages) = (&state.theme, buffer.area, &session.pages);
    let (head, foot, of) = match pages.page {
        Page::Main => return,
        Page::Compaction => {
            let parts = compaction::parts(area, &pages.compaction);
            compaction::draw(buffer, theme, area, &pages.compaction, view);
            (parts.header, parts.footer, view)
        }
        Page::Tune => {
            let parts = tune::parts(area);
            let simulated = session.simulated();
            let (against, window) = (against(session), window(session));
            let tuned = tune::Tuned { tune: &pages.tune, draft: &pages.draft, view: simulated, against, window };
            tune::draw(buffer, theme, area, tuned);
            (parts.header, parts.footer, simulated.unwrap_or(view))
        }
        Page::Sweep => {
            let parts = sweep::parts(area, pages.sweep.pane);
            sweep::draw(buffer, theme, area, &pages.sweep, &pages.draft);
            (parts.header, parts.footer, session.simulated().unwrap_or(view))
        }
        Page::Compare => {
            let parts = compare::parts(area);
            let names = names(session);
            compare::draw(buffer, theme, area, &pages.compare, [&names[0], &names[1]]);
            let shown = pages.compare.views.iter().flatten().next_back();
            (parts.header, parts.footer, shown.unwrap_or(view))
        }
        Page::Memory => {
            let parts = memory::parts(area, pages.memory.tab);
            memory::draw(buffer, theme, &state.keymap, area, session, view);
            (parts.header, parts.footer, view)
        }
    };
    header::draw(buffer, theme, head, state, session, of);
    footer::draw(buffer, theme, foot, state);
}
