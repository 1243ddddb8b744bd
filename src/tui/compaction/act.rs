//! What keys and the mouse do in the compaction view.

use crate::config::Action;
use crate::model::{EntryId, Stage};
use crate::present::{Acted, Became, PairCell};
use crate::tui::inspect::Inspect;
use crate::tui::list::rows_of;

use super::origins::Origin;
use super::{Compaction, Pane, Parts, Reading};

/// Does an action of this view. Says whether it was one.
pub fn act(compaction: &mut Compaction, view: &mut Inspect, action: Action, page: usize) -> bool {
    if let Some(reading) = &mut compaction.reading {
        return read(compaction_reading(reading), action, page) || close(compaction, action);
    }
    match action {
        Action::NextPane | Action::PreviousPane => {
            let all = [Pane::Stages, Pane::Before, Pane::After];
            let at = all.iter().position(|pane| *pane == compaction.pane).unwrap_or(0);
            let to = if action == Action::NextPane { at + 1 } else { at + all.len() - 1 } % all.len();
            compaction.pane = all[to];
        }
        Action::NextEvent => next(compaction, view, true),
        Action::PreviousEvent => next(compaction, view, false),
        Action::RunOn => run_until(compaction, view, true),
        Action::RunBack => run_until(compaction, view, false),
        Action::Fold | Action::FoldAll => compaction.unfolded = !compaction.unfolded,
        Action::Open => open(compaction, view),
        Action::Back if compaction.pane != Pane::Stages => compaction.pane = Pane::Stages,
        _ => {
            let Some(by) = rows_of(action, page) else { return false };
            moves(compaction, by);
        }
    }
    true
}

fn compaction_reading(reading: &mut Reading) -> Option<&mut crate::tui::detail::Detail> {
    reading.detail.as_mut().and_then(|detail| detail.as_mut().ok())
}

/// Scrolls the text that is read. Says whether the action was for it.
fn read(detail: Option<&mut crate::tui::detail::Detail>, action: Action, page: usize) -> bool {
    let Some(detail) = detail else { return false };
    match action {
        Action::Down | Action::EntryDown => detail.scroll(1),
        Action::Up | Action::EntryUp => detail.scroll(-1),
        Action::HalfPageDown => detail.scroll((page / 2).max(1).cast_signed()),
        Action::HalfPageUp => detail.scroll(-(page / 2).max(1).cast_signed()),
        Action::PageDown => detail.page(1),
        Action::PageUp => detail.page(-1),
        Action::Top => detail.to_top(),
        Action::Bottom => detail.to_bottom(),
        Action::RunOn => _ = detail.next_hit(true),
        Action::RunBack => _ = detail.next_hit(false),
        _ => return false,
    }
    true
}

fn close(compaction: &mut Compaction, action: Action) -> bool {
    let closes = matches!(action, Action::Back | Action::Open);
    if closes {
        compaction.reading = None;
    }
    closes
}

fn moves(compaction: &mut Compaction, by: isize) {
    if compaction.pane == Pane::Stages {
        let Some(pipeline) = &compaction.pipeline else { return };
        let at = pipeline.stages.iter().position(|row| Some(row.stage) == compaction.stage).unwrap_or(0);
        let to = at.saturating_add_signed(by).min(pipeline.stages.len().saturating_sub(1));
        compaction.stage = pipeline.stages.get(to).map(|row| row.stage);
        let acted = pipeline.stages.get(to).is_some_and(|row| row.acted == Acted::Yes);
        if acted {
            compaction.show_first_change();
        }
        return;
    }
    compaction.row.step(by, compaction.pairs.rows.len());
}

/// Whether a stage is stepped to: what merely comes in, and what is told each time, is not.
fn counts(stage: Stage) -> bool {
    !matches!(stage, Stage::Admit | Stage::Notice)
}

/// Goes to the next decision: in this step, then in those after it.
fn next(compaction: &mut Compaction, view: &mut Inspect, forward: bool) {
    let acted = |compaction: &Compaction| -> Vec<Stage> {
        let stages = compaction.pipeline.as_ref().map(|pipeline| pipeline.stages.as_slice()).unwrap_or_default();
        stages.iter().filter(|row| row.acted == Acted::Yes && counts(row.stage)).map(|row| row.stage).collect()
    };
    let here = acted(compaction);
    let at = here.iter().position(|stage| Some(*stage) == compaction.stage);
    let to = match (at, forward) {
        (Some(at), true) => at.checked_add(1),
        (Some(at), false) => at.checked_sub(1),
        (None, true) => Some(0),
        (None, false) => here.len().checked_sub(1),
    };
    if let Some(stage) = to.and_then(|to| here.get(to)) {
        compaction.stage = Some(*stage);
        compaction.show_first_change();
        return;
    }
    let run = view.index.run();
    let event = match forward {
        true => run.events.iter().find(|event| event.step > view.step && counts(event.stage) && !run.is_after(event)),
        false => run.events.iter().rev().find(|event| event.step < view.step && counts(event.stage)),
    };
    if let Some((step, stage)) = event.map(|event| (event.step, event.stage)) {
        arrive(compaction, view, step, stage);
    }
}

/// Runs on to the next step at which the chosen stage does something.
fn run_until(compaction: &mut Compaction, view: &mut Inspect, forward: bool) {
    let Some(stage) = compaction.stage else { return };
    let run = view.index.run();
    let fires = |step: u32| match stage {
        // What comes in makes no event on the recorded track.
        Stage::Admit => true,
        _ => run.events_at(step).any(|(_, event)| event.stage == stage),
    };
    let found = match forward {
        true => (view.step.saturating_add(1)..=view.index.steps()).find(|step| fires(*step)),
        false => (1..view.step).rev().find(|step| fires(*step)),
    };
    if let Some(step) = found {
        arrive(compaction, view, step, stage);
    }
}

fn arrive(compaction: &mut Compaction, view: &mut Inspect, step: u32, stage: Stage) {
    view.go_to(step);
    compaction.settle(view);
    compaction.stage = Some(stage);
    compaction.show_first_change();
}

/// Shows the text that a sentence came from, what a cleared result held, or an entry's own text.
fn open(compaction: &mut Compaction, view: &Inspect) {
    if compaction.pane == Pane::Stages {
        compaction.show_first_change();
        compaction.pane = Pane::Before;
        return;
    }
    let Some(cell) = compaction.chosen() else { return };
    let run = view.index.run();
    let reading = match cell {
        PairCell::Same(..) => {
            compaction.unfolded = true;
            return;
        }
        PairCell::Elsewhere(id) => {
            let there =
                |pair: &crate::present::Pair| matches!(pair.right, Some(PairCell::Entry(other, _)) if other == id);
            if let Some(at) = compaction.pairs.rows.iter().position(there) {
                compaction.row.cursor = at;
                compaction.row.top = at;
            }
            return;
        }
        PairCell::Line(summary, _) => {
            let Some(line) = compaction.line() else { return };
            let words =
                |words: &[std::sync::Arc<str>]| words.iter().take(4).map(|word| &**word).collect::<Vec<_>>().join(", ");
            let (entry, title, sought) = match &line.origin {
                Origin::Sentence(id) => (*id, "The sentence where it stood.".to_owned(), sought(&line.text)),
                Origin::Shares(id, shared) => (
                    *id,
                    format!("A model wrote the line; this text shares most with it: {}.", words(shared)),
                    shared.first().map(|word| word.to_string()),
                ),
                Origin::Harness => (summary, "The harness wrote this line.".to_owned(), sought(&line.text)),
                Origin::Unknown => (
                    summary,
                    "A model wrote this line; no text shares a name or number with it.".to_owned(),
                    sought(&line.text),
                ),
            };
            let name = if entry == summary { "The summary" } else { "Where it came from" };
            Reading { entry, name, title, sought, detail: None }
        }
        PairCell::Entry(id, became) => {
            let (entry, title) = held(run, id, became);
            let name = if entry == id { "Its text" } else { "What it held" };
            Reading { entry, name, title, sought: None, detail: None }
        }
    };
    compaction.reading = Some(reading);
}

/// What of a line can be sought: a text is shown with its tabs and signs made harmless, so it is the longest part
/// without any.
fn sought(line: &str) -> Option<String> {
    let part = line.split(char::is_control).map(str::trim).max_by_key(|part| part.len());
    part.filter(|part| !part.is_empty()).map(str::to_owned)
}

/// What an entry held before something stood for it.
fn held(run: &crate::model::Run, id: EntryId, became: Became) -> (EntryId, String) {
    let Some(entry) = run.entry(id) else { return (id, String::new()) };
    let stands_for = matches!(entry.fate, crate::model::Fate::Cleared | crate::model::Fate::Collapsed);
    match (became, entry.from.first()) {
        (_, Some(from)) if stands_for && entry.from.len() == 1 => (*from, "What it held before.".to_owned()),
        (Became::Changed(Stage::Summarise | Stage::Reactive, _), _) if entry.from.is_empty() => {
            (id, "The summary stands for this.".to_owned())
        }
        (Became::Changed(Stage::Microcompact, _), _) if !stands_for => {
            (id, "What it held before it was cleared.".to_owned())
        }
        _ => (id, "Its own text.".to_owned()),
    }
}

/// Selects what is clicked; beside the text that is read, closes it.
pub fn click(compaction: &mut Compaction, parts: &Parts, column: u16, row: u16) {
    let place = (column, row).into();
    if compaction.reading.is_some() {
        if parts.windows.contains(place) {
            return;
        }
        compaction.reading = None;
    }
    if parts.stages.contains(place) {
        compaction.pane = Pane::Stages;
        let shown = compaction.shown(usize::from(parts.stages.height.saturating_sub(2)));
        // Below the title and the window before.
        let at = usize::from(row - parts.stages.y).checked_sub(2);
        if let Some(stage) = at.and_then(|at| shown.get(at)).map(|row| row.stage) {
            compaction.stage = Some(stage);
            compaction.show_first_change();
        }
    }
    for (pane, area) in [(Pane::Before, parts.before), (Pane::After, parts.after)] {
        if area.contains(place) {
            compaction.pane = pane;
            compaction.row.cursor = compaction.row.top + usize::from(row - area.y);
        }
    }
}

/// Scrolls what the wheel is over.
pub fn wheel(compaction: &mut Compaction, by: isize, height: usize) {
    if let Some(detail) = compaction.reading.as_mut().and_then(compaction_reading) {
        detail.scroll(by);
        return;
    }
    let rows = compaction.pairs.rows.len();
    compaction.row.wheel(by, rows, height);
}
