//! Where the parts of the main screen stand, at every size of the terminal.

use ratatui::layout::Rect;

use crate::config::Context;

use super::main_screen::BUDGET;

/// How much room there is, from the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Room {
    /// Only a card that says so.
    None,
    /// One list and two lines above it.
    Reduced,
    /// A timeline and one pane.
    Narrow,
    /// A timeline, layers and window; the entry takes their place.
    Small,
    /// Three panes side by side, the events below.
    Medium,
    /// Three panes side by side, the events below the layers.
    Wide,
}

/// What the layout depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The pane that keys go to.
    pub focus: Context,
    /// Whether it takes the whole screen.
    pub zoomed: bool,
    /// Rows that the layers need.
    pub layers: u16,
    /// Rows that the events need.
    pub events: u16,
}

/// The parts of the main screen. A pane's first row is its title; what does not show has no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Layout {
    pub header: Rect,
    pub timeline: Rect,
    pub layers: Rect,
    pub window: Rect,
    pub entry: Rect,
    pub events: Rect,
    pub footer: Rect,
}

impl Layout {
    /// A pane's area with its title.
    #[must_use]
    pub fn pane(&self, pane: Context) -> Rect {
        match pane {
            Context::Timeline => self.timeline,
            Context::Layers => self.layers,
            Context::Window => self.window,
            Context::Entry => self.entry,
            Context::Events => self.events,
            _ => Rect::default(),
        }
    }

    /// A pane's area below its title.
    #[must_use]
    pub fn inner(&self, pane: Context) -> Rect {
        below(self.pane(pane))
    }

    /// The pane at a place of the screen.
    #[must_use]
    pub fn at(&self, column: u16, row: u16) -> Option<Context> {
        PANES.iter().copied().find(|pane| self.pane(*pane).contains((column, row).into()))
    }
}

/// The panes, in the order in which they are gone through.
pub const PANES: &[Context] = &[Context::Timeline, Context::Layers, Context::Window, Context::Entry, Context::Events];

/// How much room a terminal gives.
#[must_use]
pub fn room(width: u16, height: u16) -> Room {
    match (width, height) {
        (..20, _) | (_, ..5) => Room::None,
        (..40, _) | (_, ..10) => Room::Reduced,
        (..66, _) => Room::Narrow,
        (..100, _) | (_, ..20) => Room::Small,
        (..160, _) => Room::Medium,
        _ => Room::Wide,
    }
}

/// Lays the main screen out.
#[must_use]
pub fn layout(area: Rect, wish: Wish) -> Layout {
    let room = room(area.width, area.height);
    let mut parts = Layout::default();
    if room == Room::None {
        return parts;
    }
    let mut rest = area;
    parts.header = top(&mut rest, if area.height >= 14 { 2 } else { 1 });
    parts.footer = bottom(&mut rest, 1);
    if wish.zoomed && room > Room::Reduced {
        *place(&mut parts, wish.focus) = rest;
        return parts;
    }
    if room == Room::Reduced {
        parts.timeline = top(&mut rest, 1);
        let pane = if matches!(wish.focus, Context::Timeline) { Context::Window } else { wish.focus };
        *place(&mut parts, pane) = rest;
        return parts;
    }
    let chart = match area.height {
        ..14 => 2,
        14..20 => 3,
        20..26 => 4,
        26..34 => 5,
        34..44 => 6,
        44..60 => 9,
        _ => 12,
    };
    parts.timeline = top(&mut rest, 1 + chart + timeline_feet(area.height));
    match room {
        Room::None | Room::Reduced => {}
        Room::Narrow => {
            let pane = if wish.focus == Context::Timeline { Context::Window } else { wish.focus };
            *place(&mut parts, pane) = rest;
        }
        Room::Small => {
            let events = events_height(wish, rest.height, 3);
            if wish.focus == Context::Events && events == 0 {
                parts.events = rest;
                return parts;
            }
            parts.events = bottom(&mut rest, events);
            if wish.focus == Context::Entry {
                parts.entry = rest;
                return parts;
            }
            let width = 30.min(rest.width / 2 - 4);
            parts.layers = left(&mut rest, width);
            left(&mut rest, 1);
            parts.window = rest;
        }
        Room::Medium => {
            let events = events_height(wish, rest.height, 5);
            parts.events = bottom(&mut rest, events);
            parts.layers = left(&mut rest, (area.width / 4).clamp(30, 38));
            left(&mut rest, 1);
            let width = rest.width * 9 / 20;
            parts.entry = right(&mut rest, width);
            right(&mut rest, 1);
            parts.window = rest;
        }
        Room::Wide => {
            let mut column = left(&mut rest, (area.width / 5).clamp(40, 46));
            left(&mut rest, 1);
            // A title, the rows, and the budget below them.
            let layers = wish.layers.saturating_add(1 + BUDGET).min(column.height.saturating_sub(6)).max(4);
            parts.layers = top(&mut column, layers);
            parts.events = column;
            let width = rest.width / 2;
            parts.entry = right(&mut rest, width);
            right(&mut rest, 1);
            parts.window = rest;
        }
    }
    parts
}

/// Rows below the timeline's chart: marks, and the numbers of steps where there is room.
#[must_use]
pub fn timeline_feet(height: u16) -> u16 {
    match height {
        ..14 => 1,
        _ => 2,
    }
}

/// A title and as many events as there are, up to `most` rows in all; nothing where the rest would get too low.
fn events_height(wish: Wish, rest: u16, most: u16) -> u16 {
    let focused = wish.focus == Context::Events;
    let most = if focused { most.max(rest / 2) } else { most };
    match rest {
        ..9 => 0,
        _ => (wish.events.max(1) + 1).min(most),
    }
}

/// A pane's area below its title.
#[must_use]
pub fn below(pane: Rect) -> Rect {
    let title = pane.height.min(1);
    Rect { y: pane.y + title, height: pane.height - title, ..pane }
}

fn place(parts: &mut Layout, pane: Context) -> &mut Rect {
    match pane {
        Context::Timeline => &mut parts.timeline,
        Context::Layers => &mut parts.layers,
        Context::Entry => &mut parts.entry,
        Context::Events => &mut parts.events,
        _ => &mut parts.window,
    }
}

/// Takes rows from the top of what is left.
pub fn top(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    let taken = Rect { height, ..*rest };
    rest.y += height;
    rest.height -= height;
    taken
}

/// Takes rows from the bottom of what is left.
pub fn bottom(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    rest.height -= height;
    Rect { y: rest.y + rest.height, height, ..*rest }
}

fn left(rest: &mut Rect, width: u16) -> Rect {
    let width = width.min(rest.width);
    let taken = Rect { width, ..*rest };
    rest.x += width;
    rest.width -= width;
    taken
}

fn right(rest: &mut Rect, width: u16) -> Rect {
    let width = width.min(rest.width);
    rest.width -= width;
    Rect { x: rest.x + rest.width, width, ..*rest }
}
