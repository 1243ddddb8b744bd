//! The main screen where there is hardly any room: the step, the window as one bar, and one list.

use ratatui::buffer::Buffer;

use crate::config::{Context, Role};
use crate::model::Layer;
use crate::present::{short, width};
use crate::tui::ink::Line;
use crate::tui::inspect::Inspect;
use crate::tui::layout::Layout;
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
    stacked(&mut line, view, window_tokens.max(totals.used()));
    let focus = view.focus;
    layers::draw(buffer, theme, parts.layers, view, true);
    window::draw(buffer, theme, parts.window, view, matches!(focus, Context::Window | Context::Timeline));
    entry::draw(buffer, theme, parts.entry, view, &session.text);
    events::draw(buffer, theme, parts.events, view, true);
    footer::draw(buffer, theme, parts.footer, state);
}

/// All layers side by side in one row.
fn stacked(line: &mut Line<'_>, view: &Inspect, whole: u64) {
    let Some(totals) = view.index.totals(view.step) else { return };
    let columns = u64::from(line.left());
    let (mut sum, mut drawn) = (0u64, 0u64);
    for layer in &view.layers {
        sum += totals.layers.get(*layer as usize).copied().unwrap_or(0);
        let end = u64::try_from(u128::from(sum) * u128::from(columns) / u128::from(whole.max(1))).unwrap_or(0);
        let fill = match layer {
            Layer::Free => " ",
            Layer::Reserve => "░",
            _ => "█",
        };
        line.put(&fill.repeat(usize::try_from(end.saturating_sub(drawn)).unwrap_or(0)), Role::Layer(*layer));
        drawn = drawn.max(end);
    }
}
