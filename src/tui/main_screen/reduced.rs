//! The main screen where there is hardly any room: the step, the window as one bar, and one list.

use ratatui::buffer::Buffer;

use crate::config::{Context, Role};
use crate::present::{short, width};
use crate::tui::inspect::Inspect;
use crate::tui::layout::Layout;
use crate::tui::line::Line;
use crate::tui::state::{Session, State};

use super::{entry, events, footer, layers, window};

/// Draws the screen.
pub fn draw(buffer: &mut Buffer, state: &State, session: &Session, view: &Inspect, parts: &Layout) {
    let theme = &state.theme;
    let mut line = Line::new(buffer, theme, parts.header, 0);
    let totals = view.index.totals(view.step).copied().unwrap_or_default();
    let window_tokens = view.index.step(view.step).map_or(0, |step| step.window_tokens);
    let used = format!("{} of {}", short(totals.used()), short(window_tokens));
    let step = format!("{}/{}", view.step, view.index.steps());
    let mut right = line.split_right(u16::try_from(width(&step)).unwrap_or(u16::MAX));
    right.put(&step, Role::Accent);
    line.put(&used, if totals.over > 0 { Role::Over } else { Role::Title });
    line.put("  ", Role::Dim);
    line.whole(&session.name, Role::Dim);
    let mut line = Line::new(buffer, theme, parts.timeline, 0);
    layers::stacked(&mut line, theme, &totals, window_tokens.max(totals.used()));
    let focus = view.focus;
    layers::draw(buffer, theme, parts.layers, view, true);
    window::draw(buffer, theme, parts.window, view, matches!(focus, Context::Window | Context::Timeline));
    entry::draw(buffer, theme, parts.entry, view, &session.text);
    events::draw(buffer, theme, parts.events, view, true);
    footer::draw(buffer, theme, parts.footer, state);
}
