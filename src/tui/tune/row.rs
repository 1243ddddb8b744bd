//! One setting as a row: its name, its slider, its value, the preset's or the default where that differs, and where
//! there is room what it means.

use crate::config::Role;
use crate::policy::{Kind, Setting, Value};
use crate::present::{in_tokens, placed, position, short, shown_of, shown_value, width};
use crate::tui::line::Line;
use crate::tui::policy_draft::PolicyDraft;

/// Columns of a row.
pub struct Columns {
    name: u16,
    slider: u16,
    value: u16,
    tokens: u16,
    was: u16,
}

/// A meaning in fewer columns tells nothing.
const LEAST_MEANING: u16 = 24;

impl Columns {
    /// The columns of a list so wide.
    #[must_use]
    pub fn of(width: u16) -> Columns {
        // On the smallest screens name and value have half each.
        let name = if width < 60 { (width / 2).saturating_sub(2).clamp(6, 16) } else { 23 };
        let (value, tokens) = if width < 60 { (11, 0) } else { (14, 8) };
        let was = if width >= 84 { 20 } else { 0 };
        let slider = width.saturating_sub(2 + name + value + tokens + was + 2).clamp(0, 36);
        Columns { name, slider, value, tokens, was }
    }

    /// Where the value begins, as a slider, a switch or names: behind the sign of a change and the name.
    fn begin(&self) -> u16 {
        2 + self.name
    }

    /// How wide names and switches may be.
    fn room(&self) -> u16 {
        self.slider + self.value + self.tokens + 1
    }
}

/// Draws a setting.
pub fn draw(line: &mut Line<'_>, draft: &PolicyDraft, setting: &Setting, window: u64, columns: &Columns, chosen: bool) {
    let window = draft.window_of(setting, window);
    let (value, preset) = ((setting.get)(&draft.policy), (setting.get)(&draft.base));
    let differs = value != preset;
    line.put(if differs { "● " } else { "  " }, Role::Accent);
    line.field(setting.name(), columns.name - 1, if differs || chosen { Role::Accent } else { Role::Text });
    line.skip(1);
    let text = value.plain();
    match setting.kind {
        Kind::Bool => {
            let on = value == Value::Bool(true);
            // Where there is a column for what it was, that begins behind values of every kind.
            let room = if columns.was > 0 { columns.room() } else { columns.slider + 1 };
            line.field(if on { "◆ on" } else { "◇ off" }, room, if on { Role::Good } else { Role::Dim });
        }
        Kind::Choice(names) => choices(line, names, &text, columns),
        Kind::Text | Kind::List(_) => {
            line.field(&shown_value(&value), columns.room(), Role::Text);
        }
        _ => {
            slider(line, setting, &value, &preset, window, columns.slider);
            line.skip(1);
            let text = match (setting.kind, &value) {
                (Kind::Share, _) | (_, Value::Int(_)) => shown_of(setting, &value),
                _ => text,
            };
            line.field(&text, columns.value, if differs { Role::Accent } else { Role::Text });
            let tokens = in_tokens(setting, &value, window);
            let beside = match (tokens, setting.kind) {
                (Some(tokens), _) => format!("= {}", short(tokens)),
                (None, Kind::Share | Kind::Amount) => String::new(),
                (None, _) => setting.unit.to_owned(),
            };
            line.field(&beside, columns.tokens, Role::Dim);
        }
    }
    let default = setting.default();
    let was = if differs {
        format!(" preset {}", shown_of(setting, &preset))
    } else if value != default && columns.was > 0 {
        format!(" default {}", shown_of(setting, &default))
    } else {
        String::new()
    };
    if columns.was > 0 && line.left() >= columns.was + LEAST_MEANING {
        line.field(&was, columns.was, Role::Dim);
        line.put("  ", Role::Dim);
        line.put(setting.meaning.trim(), Role::Dim);
    } else if line.left() > 6 {
        line.put(&was, Role::Dim);
    }
}

/// The value that a click at this column of a row gives its setting: that of the place on a slider, of the name that
/// is clicked, the other of a switch. `None` beside them.
pub fn pointed(draft: &PolicyDraft, setting: &Setting, window: u64, columns: &Columns, x: u16) -> Option<Value> {
    let value = (setting.get)(&draft.policy);
    let x = x.checked_sub(columns.begin())?;
    match setting.kind {
        Kind::Bool => (x <= columns.slider && x < SWITCH).then(|| Value::Bool(value != Value::Bool(true))),
        Kind::Choice(names) => {
            let mut end = 0;
            let name = names.iter().find(|name| {
                end += width(name) + 2;
                usize::from(x) < end
            });
            name.filter(|_| listed(names, columns)).map(|name| Value::Text((*name).to_owned()))
        }
        _ if columns.slider < LEAST || x >= columns.slider => None,
        _ => placed(setting, &value, draft.window_of(setting, window), f64::from(x) / f64::from(columns.slider - 1)),
    }
}

/// A slider of fewer columns shows nothing.
const LEAST: u16 = 3;
/// How wide a switch is: `◇ off`.
const SWITCH: u16 = 5;

/// Whether all names of a choice have room in a row.
fn listed(names: &[&str], columns: &Columns) -> bool {
    names.iter().map(|name| width(name) + 2).sum::<usize>() <= usize::from(columns.room())
}

fn choices(line: &mut Line<'_>, names: &[&str], chosen: &str, columns: &Columns) {
    let room = columns.room();
    if !listed(names, columns) {
        line.field(&format!("‹ {chosen} ›"), room, Role::Text);
        return;
    }
    let before = line.column();
    for name in names {
        let is = *name == chosen;
        line.put(if is { "◆" } else { " " }, Role::Good);
        line.put(name, if is { Role::Text } else { Role::Dim });
        line.put(" ", Role::Dim);
    }
    let used = line.column() - before;
    line.skip(room.saturating_sub(used));
}

fn slider(line: &mut Line<'_>, setting: &Setting, value: &Value, preset: &Value, window: u64, columns: u16) {
    if columns < LEAST {
        line.skip(columns);
        return;
    }
    let Some(at) = position(setting, value, window) else {
        line.skip(columns);
        return;
    };
    let knob = place(at, columns);
    let mark = position(setting, preset, window).map(|at| place(at, columns)).filter(|mark| *mark != knob);
    for x in 0..columns {
        let (sign, role) = match x {
            x if x == knob => ("●", Role::Accent),
            x if Some(x) == mark => ("┊", Role::Threshold),
            x if x < knob => ("━", Role::Gauge),
            _ => ("─", Role::Border),
        };
        line.put(sign, role);
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn place(at: f64, columns: u16) -> u16 {
    (at.clamp(0.0, 1.0) * f64::from(columns - 1)).round() as u16
}
