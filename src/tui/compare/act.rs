//! What keys and the mouse do in the compare view.

use crate::config::Action;
use crate::present::{DiffRow, Differs};
use crate::tui::list::rows_of;
use crate::tui::main_screen::timeline;
use crate::tui::step_moves::{Target, target};

use super::{Compare, Parts};

/// Does an action of this view. Says whether it was one.
pub fn act(compare: &mut Compare, action: Action, page: usize) -> bool {
    if action == Action::CompareFacts {
        compare.facts.shown = !compare.facts.shown;
        return true;
    }
    if compare.facts.shown && facts(compare, action, page) {
        return true;
    }
    if let Some(by) = rows_of(action, page) {
        compare.row.step(by, compare.diff.rows.len());
        return true;
    }
    match action {
        Action::NextPane | Action::PreviousPane => compare.focus = 1 - compare.focus.min(1),
        Action::Fold | Action::FoldAll => compare.unfolded = !compare.unfolded,
        Action::RunOn => next_difference(compare, true),
        Action::RunBack => next_difference(compare, false),
        Action::Open => match compare.diff.rows.get(compare.row.cursor) {
            Some(DiffRow::Alike(..)) => compare.unfolded = true,
            _ => return false,
        },
        _ => return steps(compare, action),
    }
    true
}

/// Does an action of the list of facts.
fn facts(compare: &mut Compare, action: Action, page: usize) -> bool {
    if let Some(by) = rows_of(action, page) {
        let rows = compare.facts.rows().len();
        compare.facts.scroll.step(by, rows);
        return true;
    }
    match action {
        Action::Back => compare.facts.shown = false,
        // To the windows in which it was needed.
        Action::Open => {
            let chosen = compare.facts.rows().get(compare.facts.scroll.cursor).map(|row| row.step);
            compare.step = chosen.unwrap_or(compare.step);
            (compare.facts.shown, compare.row.cursor) = (false, 0);
        }
        _ => return false,
    }
    true
}

/// Moves both sides from step to step, to the nearest that is marked on either track.
fn steps(compare: &mut Compare, action: Action) -> bool {
    let runs: Vec<_> = compare.views.iter().flatten().map(|view| &view.index).collect();
    let last = runs.iter().map(|run| run.steps()).max().filter(|last| *last > 0).unwrap_or(u32::MAX);
    match target(action, compare.step, &runs) {
        Some(Target::Step(step)) if step.min(last) == compare.step => {}
        Some(Target::Step(step)) => (compare.step, compare.row.cursor) = (step, 0),
        Some(Target::Nowhere) => {}
        None => return false,
    }
    true
}

/// Puts the cursor on the next row in which the windows differ.
fn next_difference(compare: &mut Compare, forward: bool) {
    let differs = |at: &usize| {
        !matches!(compare.diff.rows.get(*at), Some(DiffRow::Alike(..) | DiffRow::Entry(_, _, Differs::Not)))
    };
    let at = compare.row.cursor;
    let found = match forward {
        true => (at + 1..compare.diff.rows.len()).find(differs),
        false => (0..at).rev().find(differs),
    };
    if let Some(found) = found {
        compare.row.cursor = found;
    }
}

/// Goes to the step that is clicked, or selects a row.
pub fn click(compare: &mut Compare, parts: &Parts, column: u16, row: u16, screen_height: u16) {
    for at in [0, 1] {
        let area = parts.timelines[at];
        if area.contains((column, row).into()) {
            compare.focus = at;
            let chart = timeline::chart(crate::tui::layout::below(area), super::draw::height_for(at, screen_height));
            let step = compare.views[at].as_ref().and_then(|view| timeline::step_at(view, chart, column));
            compare.step = step.unwrap_or(compare.step);
        }
    }
    for area in [parts.left, parts.right] {
        if area.contains((column, row).into()) && compare.facts.shown {
            let rows = compare.facts.rows().len();
            let at = compare.facts.scroll.top + usize::from(row - area.y).saturating_sub(1);
            compare.facts.scroll.cursor = at.min(rows.saturating_sub(1));
        } else if area.contains((column, row).into()) {
            compare.row.cursor = compare.row.top + usize::from(row - area.y);
        }
    }
}
