//! The main screen: what the model could see at a step, as timeline, layers, window, entry and events.

mod diagnosis;
mod entry;
mod events;
pub mod footer;
mod frame;
pub mod header;
pub mod layers;
mod reduced;
pub mod timeline;
mod window;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Context, Role};
use crate::present::{price, short};

pub use entry::HEAD;
pub use events::{role as stage_role, rule as deciding_rule};
pub use footer::notice;
pub use frame::{Title, title_line, upright};
pub use layers::BUDGET;
pub use timeline::stack;
pub use window::{fate_sign, repeats};

use super::inspect::Inspect;
use super::layout::{Room, below, layout, room};
use super::state::{Session, State, wish};

/// Draws the screen.
pub fn draw(buffer: &mut Buffer, state: &State, session: &Session, view: &Inspect) {
    let (theme, parts) = (&state.theme, layout(buffer.area, wish(view)));
    // What the terminal is now, which may be ahead of what the state was told.
    let high = buffer.area.height;
    if room(buffer.area.width, high) == Room::Reduced {
        reduced::draw(buffer, state, session, view, &parts);
        return;
    }
    frame::draw(buffer, theme, &parts, view.focus, |pane| match pane {
        Context::Timeline => timeline_title(parts.timeline, high, view),
        Context::Layers => layers::title(view),
        Context::Entry => entry::title(&session.text, parts.inner(pane).height),
        Context::Events => events::title(view),
        _ => window::title(view),
    });
    header::draw(buffer, theme, parts.header, state, session, view);
    timeline::draw(buffer, theme, parts.inner(Context::Timeline), high, view);
    layers::draw(buffer, theme, parts.inner(Context::Layers), view, view.focus == Context::Layers);
    window::draw(buffer, theme, parts.inner(Context::Window), view, view.focus == Context::Window);
    entry::draw(buffer, theme, parts.inner(Context::Entry), view, &session.text);
    events::draw(buffer, theme, parts.inner(Context::Events), view, view.focus == Context::Events);
    footer::draw(buffer, theme, parts.footer, state);
}

/// What the line of a timeline says, given its area with that line and the screen's height.
pub fn timeline_title(area: Rect, screen_height: u16, view: &Inspect) -> Title {
    let mut title = Title { name: "Steps", ..Title::default() };
    let (chart, steps) = (timeline::chart(below(area), screen_height), view.index.steps());
    let scale = view.timeline.scale(steps, chart.width);
    if steps == 0 {
        return title;
    }
    let shown =
        (timeline::step_at(view, chart, chart.x), timeline::step_at(view, chart, chart.right().saturating_sub(1)));
    match shown {
        _ if scale.total(steps) <= u64::from(chart.width) => title.facts.push((format!("all {steps}"), Role::Text)),
        (Some(first), Some(last)) => title.facts.push((format!("{first}–{last} of {steps}"), Role::Text)),
        _ => {}
    }
    if view.index.cost() > 0.0 {
        title.facts.push((price(view.index.cost(), view.index.costs_more()), Role::Dim));
    }
    let window = view.index.step(view.step).map_or(0, |step| step.window_tokens);
    let top = timeline::ceiling(view);
    if top < window {
        title.facts.push((format!("scale to {} of {}", short(top), short(window)), Role::Dim));
    }
    title.signs = timeline::legend(view.timeline.marks, timeline::threshold(view, view.step), view.asked);
    title
}
