//! What keys and the mouse do in the sweep view.

use crate::config::Action;
use crate::inquiry::Vary;
use crate::present::counted;
use crate::tui::list::rows_of;
use crate::tui::policy_draft::PolicyDraft;
use crate::tui::tune::Row;

use super::draw::places;
use super::{Pane, Parts, Sweep};

/// What an action asks of the rest of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    Nothing,
    /// Values are to be typed for the setting of this key, beginning with this text.
    Values(&'static str, String),
    /// A fact is to be typed.
    Fact,
    /// The runs are to be saved.
    Save,
    /// The chosen run is to be opened.
    Open,
    /// Something is to be said; whether it failed.
    Said(String, bool),
}

/// Does an action of this view; `None` where it is none. `window`: the size that shares refer to.
pub fn act(sweep: &mut Sweep, draft: &PolicyDraft, action: Action, window: u64, page: usize) -> Option<Wanted> {
    if let Some(by) = rows_of(action, page) {
        match sweep.pane {
            Pane::Settings => sweep.list.step(by),
            Pane::Facts => sweep.fact.step(by, sweep.facts.as_ref().map_or(0, Vec::len)),
            Pane::Runs => to(sweep, by),
            // In a map, down is the next value of the first setting; the chart has its values side by side.
            Pane::Picture => to(sweep, by.saturating_mul(row_of(sweep))),
        }
        return Some(Wanted::Nothing);
    }
    Some(match action {
        Action::NextPane | Action::PreviousPane => {
            let at = Pane::ALL.iter().position(|pane| *pane == sweep.pane).unwrap_or(0);
            let on = if action == Action::NextPane { 1 } else { Pane::ALL.len() - 1 };
            sweep.pane = Pane::ALL[(at + on) % Pane::ALL.len()];
            Wanted::Nothing
        }
        Action::NextRun => {
            to(sweep, 1);
            Wanted::Nothing
        }
        Action::PreviousRun => {
            to(sweep, -1);
            Wanted::Nothing
        }
        Action::NextAxis => {
            sweep.axis = sweep.axis.next();
            sweep.count();
            Wanted::Said(format!("facts kept against {}", sweep.axis.name()), false)
        }
        Action::MoreValues | Action::FewerValues => finer(sweep, draft, action == Action::MoreValues),
        Action::AddFact => Wanted::Fact,
        Action::SaveRuns if sweep.points.is_empty() => Wanted::Said("there are no runs yet".to_owned(), true),
        Action::SaveRuns => Wanted::Save,
        Action::Fold => fold(sweep, draft, window),
        Action::Open => match sweep.pane {
            Pane::Settings => open_setting(sweep, draft, window),
            Pane::Facts => fold(sweep, draft, window),
            Pane::Picture | Pane::Runs if sweep.point().is_some() => Wanted::Open,
            Pane::Picture | Pane::Runs => Wanted::Said("this run is not there yet".to_owned(), true),
        },
        Action::Back if !sweep.list.filter.is_empty() => {
            sweep.list.filter.clear();
            Wanted::Nothing
        }
        _ => return None,
    })
}

/// How many places a row down is.
fn row_of(sweep: &Sweep) -> isize {
    match sweep.vary.as_slice() {
        [_, across] => across.values.len().max(1).cast_signed(),
        _ => 1,
    }
}

/// Chooses the run so many on; those that are not there are passed over.
fn to(sweep: &mut Sweep, by: isize) {
    let Some(last) = sweep.points.len().checked_sub(1) else { return };
    let at = match sweep.points.binary_search_by_key(&sweep.chosen, |point| point.place) {
        Ok(at) | Err(at) => at,
    };
    let wanted = match (by.unsigned_abs() == row_of(sweep).unsigned_abs(), by) {
        // A row of a map that is not complete has other places.
        (true, by) if sweep.points.len() < sweep.size() => {
            let place = sweep.chosen.saturating_add_signed(by);
            sweep.points.binary_search_by_key(&place, |point| point.place).unwrap_or_else(|near| near)
        }
        (true, by) if by.unsigned_abs() > 1 => match at.checked_add_signed(by) {
            Some(to) if to <= last => to,
            _ => at,
        },
        (_, by) => at.saturating_add_signed(by),
    };
    if let Some(point) = sweep.points.get(wanted.min(last)) {
        sweep.chosen = point.place;
    }
}

fn fold(sweep: &mut Sweep, draft: &PolicyDraft, window: u64) -> Wanted {
    match sweep.pane {
        Pane::Facts => {
            let at = sweep.fact.cursor;
            if let Some(fact) = sweep.facts.as_mut().and_then(|facts| facts.get_mut(at)) {
                fact.on = !fact.on;
                sweep.count();
            }
            Wanted::Nothing
        }
        Pane::Settings => {
            let Some(setting) = sweep.list.current() else { return Wanted::Nothing };
            match sweep.values_of(setting.key) {
                Some(_) if sweep.vary.len() == 1 => {
                    Wanted::Said("one setting at least is moved: choose another first".to_owned(), true)
                }
                Some(_) => {
                    sweep.drop_setting(setting.key);
                    Wanted::Nothing
                }
                None => open_setting(sweep, draft, window),
            }
        }
        Pane::Picture | Pane::Runs => Wanted::Nothing,
    }
}

/// Moves the setting under the cursor; where it is moved already, its values are typed.
fn open_setting(sweep: &mut Sweep, draft: &PolicyDraft, window: u64) -> Wanted {
    let Some(setting) = sweep.list.current() else { return Wanted::Nothing };
    if let Some(vary) = sweep.values_of(setting.key) {
        return Wanted::Values(setting.key, vary.text());
    }
    match Vary::around(setting, &draft.policy, window) {
        Some(vary) => {
            sweep.put(vary);
            Wanted::Nothing
        }
        None => Wanted::Values(setting.key, (setting.get)(&draft.policy).plain()),
    }
}

/// More values between those that there are, or fewer: of the setting under the cursor, else of the last.
fn finer(sweep: &mut Sweep, draft: &PolicyDraft, more: bool) -> Wanted {
    let under = sweep.list.current().filter(|_| sweep.pane == Pane::Settings).map(|setting| setting.key);
    let Some(vary) = under.and_then(|key| sweep.values_of(key)).or(sweep.vary.last()) else { return Wanted::Nothing };
    let next = if more { vary.finer(&draft.policy) } else { vary.coarser(&draft.policy) };
    let said = format!("{} of {}", counted(next.values.len() as u64, "value", "values"), next.setting.key);
    if next.values.len() == vary.values.len() {
        let why = if more { "there is nothing between these values" } else { "two values at least" };
        return Wanted::Said(why.to_owned(), true);
    }
    let others: usize = sweep
        .vary
        .iter()
        .filter(|other| other.setting.key != next.setting.key)
        .map(|other| other.values.len())
        .product();
    if others.saturating_mul(next.values.len()) > super::MOST {
        return Wanted::Said(format!("more than {} runs", super::MOST), true);
    }
    sweep.put(next);
    Wanted::Said(said, false)
}

/// Chooses what is clicked; a click on a run opens it.
pub fn click(sweep: &mut Sweep, draft: &PolicyDraft, window: u64, parts: &Parts, column: u16, row: u16) -> Wanted {
    let at = (column, row).into();
    if parts.list.contains(at) {
        sweep.pane = Pane::Settings;
        let row = sweep.list.scroll.top + usize::from(row - parts.list.y);
        if !matches!(sweep.list.rows.get(row), Some(Row::Setting(_))) {
            return Wanted::Nothing;
        }
        let again = sweep.list.scroll.cursor == row;
        sweep.list.scroll.cursor = row;
        return if again { open_setting(sweep, draft, window) } else { Wanted::Nothing };
    }
    if parts.picture.contains(at) {
        sweep.pane = Pane::Picture;
        let place = places(sweep, parts.picture).at(column - parts.picture.x, row - parts.picture.y);
        return open_run(sweep, place);
    }
    if parts.runs.contains(at) {
        sweep.pane = Pane::Runs;
        // The first row names the columns.
        let place = usize::from(row - parts.runs.y).checked_sub(1).map(|row| row + sweep.runs.top);
        return open_run(sweep, place);
    }
    if parts.facts.contains(at) {
        sweep.pane = Pane::Facts;
        let row = sweep.fact.top + usize::from(row - parts.facts.y);
        let again = sweep.fact.cursor == row;
        sweep.fact.cursor = row;
        return if again { fold(sweep, draft, window) } else { Wanted::Nothing };
    }
    Wanted::Nothing
}

fn open_run(sweep: &mut Sweep, at: Option<usize>) -> Wanted {
    match at.and_then(|at| sweep.points.get(at)) {
        Some(point) => {
            sweep.chosen = point.place;
            Wanted::Open
        }
        None => Wanted::Nothing,
    }
}
