//! What the mouse does: a click goes to a pane and selects, the wheel scrolls what it is over.

use crate::config::Context;

use super::act::read_on;
use super::documents;
use super::main_screen::timeline;
use super::message::{Effect, Mouse};
use super::overlay;
use super::pages;
use super::state::State;

/// Rows that one notch of the wheel scrolls.
const NOTCH: isize = 3;

/// Takes what the mouse did.
pub fn mouse(state: &mut State, what: Mouse, column: u16, row: u16) -> Vec<Effect> {
    match what {
        Mouse::Click => state.pressed_over = overlay::region(state).is_some(),
        // What the press closed is not what it now is dragged over.
        Mouse::Drag if state.pressed_over => return Vec::new(),
        _ => {}
    }
    if let Some(effects) = overlay::mouse(state, what, (column, row)) {
        return effects;
    }
    if let Some(effects) = pages::mouse(state, what, column, row) {
        return effects;
    }
    let area = state.area();
    if let Some(documents) = &mut state.documents {
        documents::mouse(documents, what, (column, row), area);
        return Vec::new();
    }
    in_panes(state, what, column, row)
}

/// Goes to a pane of the main screen and selects in it, or scrolls it.
fn in_panes(state: &mut State, what: Mouse, column: u16, row: u16) -> Vec<Effect> {
    let (parts, chart) = (state.layout(), state.chart());
    let Some(pane) = parts.at(column, row) else { return Vec::new() };
    let inner = parts.inner(pane);
    let height = usize::from(inner.height);
    let Some(view) = state.view_mut() else { return Vec::new() };
    match what {
        Mouse::Click | Mouse::Drag => {
            if what == Mouse::Drag && pane != Context::Timeline {
                return Vec::new();
            }
            view.focus = pane;
            let at = usize::from(row.saturating_sub(inner.y));
            match pane {
                Context::Timeline => {
                    if let Some(step) = timeline::step_at(view, chart, column) {
                        view.go_to(step);
                    }
                }
                _ if !inner.contains((column, row).into()) => {}
                Context::Layers => view.layer.cursor = view.layer.top + at,
                Context::Window => view.move_to(view.row.top + at),
                Context::Events => view.event.cursor = view.event.top + at,
                _ => {}
            }
        }
        Mouse::WheelUp | Mouse::WheelDown => {
            let by = if what == Mouse::WheelDown { NOTCH } else { -NOTCH };
            match pane {
                Context::Timeline => view.go_to(view.step.saturating_add_signed(by.signum() as i32).max(1)),
                Context::Layers => view.layer.wheel(by, view.layers.len(), height),
                Context::Window => {
                    view.row.wheel(by, view.shown.rows.len(), height);
                    let cursor = view.row.cursor;
                    view.move_to(cursor);
                }
                Context::Events => view.event.wheel(by, view.events.len(), height),
                _ => read_on(state, by),
            }
        }
        Mouse::WheelLeft => view.go_to(view.step.saturating_sub(1).max(1)),
        Mouse::WheelRight => view.go_to(view.step.saturating_add(1)),
    }
    Vec::new()
}
