//! What each action and the mouse do in the documents view.

use ratatui::layout::Rect;

use crate::config::Action;
use crate::policy::Value;
use crate::tui::input::Input;
use crate::tui::list::rows_of;
use crate::tui::message::Mouse;

use super::panes::{outline_rows, panes};
use super::{Choice, Documents, Follows, Pane};

/// Rows that one notch of the wheel scrolls.
const NOTCH: isize = 3;

/// What an action came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The view stays.
    Stays,
    /// It closes.
    Closes,
    /// It closes, and the window goes to the passage that is looked at.
    GoesToWindow,
}

/// Does an action. `area` is the whole screen.
pub fn act(view: &mut Documents, action: Action, area: Rect) -> Outcome {
    if view.typing.is_some() {
        end_typing(view, action);
        return Outcome::Stays;
    }
    if view.medium().is_some() && !matches!(action, Action::Documents | Action::Back | Action::NextDocument) {
        if action == Action::Open {
            return Outcome::GoesToWindow;
        }
        if let Some(by) = rows_of(action, usize::from(area.height / 2)) {
            view.wheel(by);
        }
        return Outcome::Stays;
    }
    let task_or_pane = [
        Action::EditTask,
        Action::NextPane,
        Action::PreviousPane,
        Action::MorePassages,
        Action::FewerPassages,
        Action::LargerBudget,
        Action::SmallerBudget,
    ];
    if matches!(action, Action::FillOn | Action::FillBack) {
        view.follows = Follows::Newest;
    } else if !task_or_pane.contains(&action) {
        view.follows = Follows::Nothing;
    }
    match action {
        Action::Documents => return Outcome::Closes,
        Action::Back if view.filled.take().is_none() => return Outcome::Closes,
        Action::Open if view.focus == Pane::Outline => open_outline(view),
        Action::Open => return Outcome::GoesToWindow,
        Action::EditTask => {
            let task = view.choice.as_ref().map_or("", |choice| choice.task.as_str());
            view.typing = Some(Input::with(view.wanted.task.as_deref().unwrap_or(task)));
            view.task_before.clone_from(&view.wanted.task);
        }
        Action::NextPane | Action::PreviousPane => {
            const ORDER: [Pane; 3] = [Pane::Outline, Pane::Page, Pane::Ranked];
            let at = ORDER.iter().position(|pane| *pane == view.focus).unwrap_or(1);
            let by = if action == Action::NextPane { 1 } else { 2 };
            view.focus = ORDER.get((at + by) % 3).copied().unwrap_or(Pane::Page);
        }
        Action::NextPassage | Action::PreviousPassage => passage(view, action == Action::NextPassage),
        Action::FillOn | Action::FillBack => fill(view, action == Action::FillOn),
        Action::MorePassages | Action::FewerPassages => number(view, action == Action::MorePassages),
        Action::LargerBudget | Action::SmallerBudget => budget(view, action == Action::LargerBudget),
        Action::NextDocument => {
            let number = view.files.len().max(1);
            let next = (view.wanted.file + 1) % number;
            if next != view.wanted.file {
                *view = Documents::new(std::mem::take(&mut view.files), next, None, view.wanted.policy.clone());
            }
        }
        _ => moves(view, action, area),
    }
    Outcome::Stays
}

/// Keeps the task that was typed, or takes back what was. It shows here at once; the window has it when it is kept.
fn end_typing(view: &mut Documents, action: Action) {
    match action {
        Action::Open => view.changes.extend(view.wanted.task.clone().map(|task| ("chunks.task", Value::Text(task)))),
        Action::Back => {
            let before = view.task_before.take();
            view.asked &= view.wanted.task == before;
            view.wanted.task = before;
        }
        _ => return,
    }
    view.typing = None;
}

/// Goes to the next passage that is taken, as they stand in the document.
fn passage(view: &mut Documents, forward: bool) {
    let Some(choice) = view.choice.clone() else { return };
    let mut chosen = view.shown(&choice);
    chosen.sort_unstable();
    let here = view.candidate;
    let to = if forward {
        chosen.iter().find(|at| **at > here).or(chosen.first())
    } else {
        chosen.iter().rev().find(|at| **at < here).or(chosen.last())
    };
    if let Some(to) = to {
        view.select(*to);
    }
}

/// Takes one more passage, the best of those left, or the last one back.
fn fill(view: &mut Documents, forward: bool) {
    let Some(choice) = view.choice.clone() else { return };
    let all = choice.selection.chosen.len();
    let now = match (view.filled, forward) {
        // The first step forward begins with nothing but the best.
        (None, true) => 1,
        (None, false) => all.saturating_sub(1),
        (Some(filled), true) => (filled + 1).min(all),
        (Some(filled), false) => filled.saturating_sub(1),
    };
    view.filled = Some(now);
    if let Some(newest) = view.shown(&choice).last() {
        view.select(*newest);
    }
}

fn number(view: &mut Documents, more: bool) {
    let top = view.wanted.policy.chunks.top;
    set(view, "chunks.top", if more { top.saturating_add(1) } else { top.saturating_sub(1).max(1) });
}

fn budget(view: &mut Documents, larger: bool) {
    const BY: u64 = 500;
    let budget = view.wanted.policy.chunks.budget;
    set(view, "chunks.budget", if larger { budget.saturating_add(BY) } else { budget.saturating_sub(BY).max(BY) });
}

fn set(view: &mut Documents, key: &'static str, value: u64) {
    view.changes.push((key, Value::Int(i64::try_from(value).unwrap_or(i64::MAX))));
    view.filled = None;
}

/// Goes to the section or page under the cursor.
fn open_outline(view: &mut Documents) {
    let Some(choice) = view.choice.clone() else { return };
    if let Some(row) = outline_rows(&choice).get(view.outline.cursor) {
        view.look_at(&choice, row.bytes.0);
        view.page.top = view.page.cursor;
        view.focus = Pane::Page;
    }
}

fn moves(view: &mut Documents, action: Action, area: Rect) {
    let parts = panes(area, view.focus);
    let height = match view.focus {
        Pane::Outline => parts.outline.height,
        Pane::Page => parts.page.height,
        Pane::Ranked => parts.ranked.height,
    };
    let Some(by) = rows_of(action, usize::from(height)) else { return };
    let Some(choice) = view.choice.clone() else { return };
    match view.focus {
        Pane::Outline => view.outline.step(by, outline_rows(&choice).len()),
        Pane::Page => {
            view.page.step(by, view.laid.len());
            look_from_page(view, &choice);
        }
        Pane::Ranked => {
            view.ranked.step(by, choice.selection.candidates.len());
            select_ranked(view, &choice);
        }
    }
}

/// Looks at the passage under the cursor of the document, which stays where it is.
fn look_from_page(view: &mut Documents, choice: &Choice) {
    let byte = view.laid.row(view.page.cursor).map_or(0, |row| row.start);
    let (cursor, top) = (view.page.cursor, view.page.top);
    view.look_at(choice, byte);
    (view.page.cursor, view.page.top) = (cursor, top);
}

/// Looks at the passage under the cursor of the list, everywhere.
fn select_ranked(view: &mut Documents, choice: &Choice) {
    if let Some(at) = choice.selection.by_rank().get(view.ranked.cursor) {
        view.select(*at);
    }
}

/// Takes what the mouse did: a click goes to a pane and to what it hits there, the wheel scrolls the document.
pub fn mouse(view: &mut Documents, what: Mouse, (column, row): (u16, u16), area: Rect) {
    match what {
        Mouse::WheelDown => view.wheel(NOTCH),
        Mouse::WheelUp => view.wheel(-NOTCH),
        Mouse::Click if view.typing.is_none() && view.medium().is_none() => click(view, (column, row), area),
        _ => {}
    }
}

fn click(view: &mut Documents, (column, row): (u16, u16), area: Rect) {
    let parts = panes(area, view.focus);
    let hit = |part: Rect| part.contains((column, row).into()).then(|| usize::from(row - part.y));
    let Some(choice) = view.choice.clone() else { return };
    view.follows = Follows::Nothing;
    if let Some(at) = hit(parts.outline) {
        view.focus = Pane::Outline;
        if let Some(found) = outline_rows(&choice).get(view.outline.top + at) {
            view.outline.cursor = view.outline.top + at;
            view.look_at(&choice, found.bytes.0);
            view.page.top = view.page.cursor;
        }
    } else if let Some(at) = hit(parts.page) {
        view.focus = Pane::Page;
        if view.page.top + at < view.laid.len() {
            view.page.cursor = view.page.top + at;
            look_from_page(view, &choice);
        }
    } else if let Some(at) = hit(parts.ranked) {
        view.focus = Pane::Ranked;
        if view.ranked.top + at < choice.selection.candidates.len() {
            view.ranked.cursor = view.ranked.top + at;
            select_ranked(view, &choice);
        }
    }
}
