//! Where what stands over a screen takes clicks, and what they do: one table for all of it.

use ratatui::layout::Rect;

use crate::config::Action;
use crate::tui::act::act;
use crate::tui::list::Scroll;
use crate::tui::message::{Effect, Mouse};
use crate::tui::picker::Picker;
use crate::tui::state::State;

use super::Overlay;
use super::frame::Framed;

/// Where something stands on the screen, and the rows that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// All of it, with its frame.
    pub outer: Rect,
    /// The part that holds rows.
    pub list: Rect,
    /// The first row in sight.
    pub top: usize,
    /// Rows in all.
    pub rows: usize,
}

impl Region {
    /// A box with rows below its first `head`, the selected one in sight.
    #[must_use]
    pub fn of(place: Framed, head: u16, scroll: Scroll, rows: usize) -> Region {
        let Framed { outer, inner } = place;
        let head = head.min(inner.height);
        let list = Rect { y: inner.y + head, height: inner.height - head, ..inner };
        Region::over(outer, list, scroll, rows)
    }

    /// Rows in a part of something, the selected one in sight.
    #[must_use]
    pub fn over(outer: Rect, list: Rect, mut scroll: Scroll, rows: usize) -> Region {
        scroll.settle(rows, usize::from(list.height));
        Region { outer, list, top: scroll.top, rows }
    }

    /// The rows in sight: where each is in the list, and its number.
    pub fn shown(&self) -> impl Iterator<Item = (u16, usize)> + use<> {
        (0..self.list.height).zip(self.top..self.rows)
    }

    /// The number of the row at a place of the screen.
    #[must_use]
    pub fn row(&self, (column, row): (u16, u16)) -> Option<usize> {
        let there = self.list.contains((column, row).into());
        let at = there.then(|| self.top + usize::from(row - self.list.y))?;
        (at < self.rows).then_some(at)
    }
}

/// The region of what takes the clicks instead of a pane, where something does.
#[must_use]
pub fn region(state: &State) -> Option<Region> {
    let (area, keymap, of) = (state.area(), &state.keymap, state.beneath());
    Some(match (&state.overlay, &state.sessions) {
        (Some(Overlay::Prompt(..)), _) => {
            let line = Rect { y: area.bottom().saturating_sub(1), height: area.height.min(1), ..area };
            Region { outer: line, ..Region::default() }
        }
        (Some(Overlay::Help(help)), _) => help.region(area, keymap, of),
        (Some(Overlay::Palette(palette)), _) => palette.region(area, of),
        (Some(Overlay::Dialog(_, dialog)), _) => dialog.region(area, keymap),
        (Some(Overlay::Event(card)), _) => card.region(area, state.view()?),
        (Some(Overlay::Trace(trace)), _) => trace.region(area),
        (Some(Overlay::Findings(found)), _) => found.region(area),
        (None, Some(sessions)) => sessions.region(area),
        (None, None) => return None,
    })
}

/// The rows of what takes the clicks, and which is selected; `None` where none is.
fn rows(state: &mut State) -> Option<&mut Scroll> {
    match (&mut state.overlay, &mut state.sessions) {
        (Some(Overlay::Palette(palette)), _) => Some(palette.scroll_mut()),
        (Some(Overlay::Dialog(_, dialog)), _) => Some(dialog.scroll_mut()),
        (Some(Overlay::Event(card)), _) => Some(card.scroll_mut()),
        (Some(Overlay::Trace(trace)), _) => Some(&mut trace.scroll),
        (Some(Overlay::Findings(found)), _) => Some(&mut found.scroll),
        (Some(Overlay::Help(_) | Overlay::Prompt(..)), _) => None,
        (None, sessions) => sessions.as_mut().map(Picker::scroll_mut),
    }
}

/// Whether something is typed that would be lost.
fn is_typed(state: &State) -> bool {
    match &state.overlay {
        Some(Overlay::Prompt(_, input)) => !input.text().is_empty(),
        Some(Overlay::Help(help)) => help.is_typed(),
        Some(Overlay::Palette(palette)) => palette.is_typed(),
        Some(Overlay::Dialog(..) | Overlay::Event(_) | Overlay::Trace(_) | Overlay::Findings(_)) | None => false,
    }
}

/// Keeps what is in sight in sight, so that the next move starts from there.
pub fn settle(state: &mut State) {
    let columns = state.area().width;
    if let Some(Overlay::Trace(trace)) = &mut state.overlay {
        trace.flow(columns);
    }
    if let Some(region) = region(state)
        && let Some(scroll) = rows(state)
    {
        scroll.settle(region.rows, usize::from(region.list.height));
    }
}

/// Takes what the mouse did. A click on a row selects it, one on the selected row accepts it, one beside all closes it
/// where nothing that is typed would be lost; the wheel scrolls. `None` where nothing takes it.
pub fn mouse(state: &mut State, what: Mouse, at: (u16, u16)) -> Option<Vec<Effect>> {
    /// Rows that one notch of the wheel scrolls.
    const NOTCH: isize = 3;
    let region = region(state)?;
    let by = match what {
        Mouse::WheelDown => NOTCH,
        Mouse::WheelUp => -NOTCH,
        Mouse::Click => return Some(click(state, &region, at)),
        Mouse::Drag | Mouse::WheelLeft | Mouse::WheelRight => return Some(Vec::new()),
    };
    if let Some(Overlay::Help(help)) = &mut state.overlay {
        help.scroll(by);
    } else if let Some(scroll) = rows(state) {
        scroll.wheel(by, region.rows, usize::from(region.list.height));
    }
    Some(Vec::new())
}

fn click(state: &mut State, region: &Region, at: (u16, u16)) -> Vec<Effect> {
    if !region.outer.contains(at.into()) {
        return if is_typed(state) { Vec::new() } else { act(state, Action::Back) };
    }
    let (Some(row), Some(scroll)) = (region.row(at), rows(state)) else { return Vec::new() };
    let selected = std::mem::replace(&mut scroll.cursor, row) == row;
    if selected { act(state, Action::Open) } else { Vec::new() }
}
