//! What keys and the mouse do in the tune view.

use ratatui::layout::Rect;

use crate::config::Action;
use crate::policy::{Kind, Setting, Value};
use crate::present::{Move, moved};
use crate::tui::list::rows_of;
use crate::tui::policy_draft::PolicyDraft;

use super::row::{Columns, pointed};
use super::{Held, Parts, Tune};

/// What an action asks of the rest of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    Nothing,
    /// A value is to be typed for the setting of this key, beginning with this text.
    Typed(&'static str, String),
    /// Something is to be said; whether it failed.
    Said(String, bool),
}

/// Does an action of this view; `None` where it is none. `window`: the size that shares refer to.
pub fn act(tune: &mut Tune, draft: &mut PolicyDraft, action: Action, window: u64, page: usize) -> Option<Wanted> {
    if let Some(by) = rows_of(action, page) {
        draft.pause();
        tune.step(by);
        return Some(Wanted::Nothing);
    }
    Some(match action {
        Action::NextPane | Action::PreviousPane => {
            draft.pause();
            tune.section(action == Action::NextPane);
            Wanted::Nothing
        }
        Action::More => change(tune, draft, window, Move::Step(true)),
        Action::Less => change(tune, draft, window, Move::Step(false)),
        Action::MuchMore => change(tune, draft, window, Move::Leap(true)),
        Action::MuchLess => change(tune, draft, window, Move::Leap(false)),
        Action::Open | Action::Fold => open(tune, draft, window),
        Action::Undo => said(draft.undo(), "the last change is taken back", "nothing is left to take back"),
        Action::Redo => said(draft.redo(), "done again", "nothing is left to do again"),
        Action::ResetSetting => match tune.current() {
            Some(setting) if draft.differs(setting) => {
                draft.reset(setting);
                Wanted::Said(format!("{} is the preset's again", setting.key), false)
            }
            _ => Wanted::Said("this is the preset's value".to_owned(), false),
        },
        Action::ResetAll => {
            draft.reset_all();
            Wanted::Said(format!("everything is as in {} again", draft.name), false)
        }
        Action::OnlyChanged => {
            tune.changed = !tune.changed;
            Wanted::Nothing
        }
        Action::Back if tune.changed || !tune.filter.is_empty() => {
            tune.changed = false;
            tune.filter.clear();
            Wanted::Nothing
        }
        _ => return None,
    })
}

fn said(done: bool, yes: &str, no: &str) -> Wanted {
    Wanted::Said(if done { yes } else { no }.to_owned(), !done)
}

fn change(tune: &Tune, draft: &mut PolicyDraft, window: u64, way: Move) -> Wanted {
    let Some(setting) = tune.current() else { return Wanted::Nothing };
    let value = (setting.get)(&draft.policy);
    match moved(setting, &value, window, way) {
        Some(next) => set(draft, setting, &next),
        None if matches!(setting.kind, Kind::Text | Kind::List(_)) => {
            Wanted::Said("Enter types a value for this one".to_owned(), false)
        }
        None => Wanted::Nothing,
    }
}

fn set(draft: &mut PolicyDraft, setting: &'static Setting, value: &Value) -> Wanted {
    match draft.set(setting, value) {
        Ok(()) => Wanted::Nothing,
        Err(why) => Wanted::Said(format!("{}: {why}", setting.key), true),
    }
}

/// Switches what has two values; all else is typed.
fn open(tune: &Tune, draft: &mut PolicyDraft, window: u64) -> Wanted {
    let Some(setting) = tune.current() else { return Wanted::Nothing };
    match (setting.kind, (setting.get)(&draft.policy)) {
        (Kind::Bool, _) => {
            draft.pause();
            change(tune, draft, window, Move::Step(true))
        }
        (Kind::Choice(names), Value::Text(name)) => {
            // Round and round.
            let at = names.iter().position(|known| *known == name).map_or(0, |at| (at + 1) % names.len());
            let next = Value::Text(names.get(at).copied().unwrap_or_default().to_owned());
            draft.pause();
            set(draft, setting, &next)
        }
        (_, value) => Wanted::Typed(setting.key, value.plain()),
    }
}

/// Selects what is clicked, or takes hold of it. A click on a slider, a switch or a name sets it; the slider of the
/// selected setting follows a mouse that is `dragged`, wherever it goes. `window`: the size that shares refer to.
pub fn click(
    tune: &mut Tune,
    draft: &mut PolicyDraft,
    parts: &Parts,
    window: u64,
    (column, row): (u16, u16),
    dragged: bool,
) -> Wanted {
    if !dragged {
        let is_in = |part: Rect| part.contains((column, row).into());
        tune.held = if is_in(parts.timeline) { Held::Timeline } else { Held::Nothing };
        if !is_in(parts.list) {
            return Wanted::Nothing;
        }
        let at = tune.scroll.top + usize::from(row - parts.list.y);
        let Some(super::Row::Setting(_)) = tune.rows.get(at) else { return Wanted::Nothing };
        draft.pause();
        (tune.scroll.cursor, tune.held) = (at, Held::Setting);
    }
    if tune.held != Held::Setting {
        return Wanted::Nothing;
    }
    let Some(setting) = tune.current() else { return Wanted::Nothing };
    if dragged && matches!(setting.kind, Kind::Bool | Kind::Choice(_)) {
        return Wanted::Nothing;
    }
    let columns = Columns::of(parts.list.width);
    match pointed(draft, setting, window, &columns, column.saturating_sub(parts.list.x)) {
        Some(value) if value != (setting.get)(&draft.policy) => set(draft, setting, &value),
        _ => Wanted::Nothing,
    }
}
