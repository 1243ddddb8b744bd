//! A setting as a slider: where its value stands, the value at a place, and the next value in a direction.

use crate::policy::{Amount, Kind, Setting, Size, Unit, Value};

/// Where the slider of an amount that is no size ends: turns, messages, results.
const AMOUNTS: u64 = 1_000;
/// Where the slider of a whole number ends at the latest.
const INTEGERS: u64 = 1_000_000;

/// How far one move goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// One step up or down.
    Step(bool),
    /// About ten steps up or down.
    Leap(bool),
}

impl Move {
    fn up(self) -> bool {
        matches!(self, Move::Step(true) | Move::Leap(true))
    }

    fn leap(self) -> bool {
        matches!(self, Move::Leap(_))
    }

    fn by(self, small: u64, large: u64) -> i128 {
        let size = i128::from(if self.leap() { large } else { small });
        if self.up() { size } else { -size }
    }
}

/// The value after a move, in the form that it has: a share stays a share, a number of turns one of turns. `None` where
/// there is no next one: at an end, or where a value is typed rather than moved.
#[must_use]
pub fn moved(setting: &Setting, value: &Value, window: u64, way: Move) -> Option<Value> {
    let next = match (setting.kind, value) {
        (Kind::Bool, Value::Bool(flag)) => Value::Bool(!flag),
        (Kind::Choice(names), Value::Text(name)) => {
            let at = names.iter().position(|known| known == name)?;
            let next = if way.up() { at + 1 } else { at.checked_sub(1)? };
            Value::Text((*names.get(next)?).to_owned())
        }
        // From a word, the first move goes to a number.
        (Kind::Minutes, Value::Text(_)) => setting.default(),
        (Kind::Int | Kind::Minutes, Value::Int(number)) => {
            Value::Int(int(u64::try_from(*number).ok()?, setting.range.0, setting.range.1, way)?)
        }
        (Kind::Number, Value::Float(number)) => {
            let step = if way.leap() { 1.0 } else { 0.1 };
            let next = if way.up() { number + step } else { number - step };
            Value::Float((next * 10.0).round() / 10.0)
        }
        (Kind::Share, _) => {
            let now = share_of(value)?;
            let next = now + if way.leap() { 0.1 } else { 0.01 } * if way.up() { 1.0 } else { -1.0 };
            Value::Float(((next * 100.0).round() / 100.0).clamp(0.0, 1.0))
        }
        (Kind::Size, _) => size_value(moved_size(Size::written(value)?, window, way)?),
        (Kind::Amount, _) => Value::Text(moved_amount(amount_of(value)?, window, way)?.to_string()),
        _ => return None,
    };
    (next != *value).then_some(next)
}

/// The next round number: about a twentieth of it on, a leap about half.
fn int(number: u64, least: u64, most: u64, way: Move) -> Option<i64> {
    let step = stride(number, way);
    let next = on_grid(number, step, way.up()).clamp(least, most);
    i64::try_from(next).ok()
}

/// How far a move goes from a number: one up to 20, then a round number about a twentieth of it.
fn stride(number: u64, way: Move) -> u64 {
    let rough = if way.leap() { number / 4 } else { number / 40 };
    let small = if way.leap() { 5 } else { 1 };
    let mut unit = 1u64;
    while unit.saturating_mul(10) <= rough {
        unit = unit.saturating_mul(10);
    }
    let step = [1u64, 2, 5].into_iter().map(|times| times.saturating_mul(unit)).rev().find(|step| *step <= rough);
    step.unwrap_or(1).max(small)
}

/// The next multiple of a step.
fn on_grid(number: u64, step: u64, up: bool) -> u64 {
    let step = step.max(1);
    match up {
        true => (number / step).saturating_add(1).saturating_mul(step),
        false => number.div_ceil(step).saturating_sub(1).saturating_mul(step),
    }
}

/// What tokens of a window are rounded to: thousands read well, but a small window has too few of them to choose from.
fn grid(window: u64) -> u64 {
    if window >= 50_000 { 1_000 } else { 100 }
}

fn moved_size(size: Size, window: u64, way: Move) -> Option<Size> {
    let tokens = |number: u64| {
        let unit = grid(window);
        // From nothing on, a move is one that a window of that size shows.
        let least = unit / 10 * if way.leap() { 10 } else { 1 };
        let step = match number >= 20 * unit {
            true => unit * if way.leap() { 10 } else { 1 },
            false => stride(number, way).max(least),
        };
        on_grid(number, step, way.up())
    };
    Some(match size {
        Size::Tokens(number) => Size::Tokens(tokens(number)),
        Size::Chars(number) => Size::Chars(on_grid(number, stride(number, way), way.up())),
        Size::Percent(percent) => Size::Percent((percent.round() + as_f64(way.by(1, 10))).clamp(0.0, 100.0)),
        // More below the window is less of it.
        Size::Below(number) => {
            let other = if way.leap() { Move::Leap(!way.up()) } else { Move::Step(!way.up()) };
            let step = grid(window) * if way.leap() { 10 } else { 1 };
            Size::Below(on_grid(number, step, other.up()))
        }
    })
}

fn moved_amount(amount: Amount, window: u64, way: Move) -> Option<Amount> {
    Some(match amount {
        Amount::Count(number, Unit::Tokens) => match moved_size(Size::Tokens(number), window, way)? {
            Size::Tokens(number) => Amount::Count(number, Unit::Tokens),
            _ => return None,
        },
        Amount::Count(number, unit) => {
            let next = i128::from(number) + way.by(1, 10);
            // `none` has no unit: a count that is moved does not lose its own.
            Amount::Count(u64::try_from(next.max(1)).ok()?, unit)
        }
        Amount::Percent(percent) => Amount::Percent((percent.round() + as_f64(way.by(1, 10))).clamp(0.0, 100.0)),
    })
}

/// Where a value stands between the least and the most that make sense, from 0 to 1. Sizes are seen against the window,
/// large numbers on a scale of powers. `None` for what is no number.
#[must_use]
pub fn position(setting: &Setting, value: &Value, window: u64) -> Option<f64> {
    let of_window = |tokens: u64| (as_f64(i128::from(tokens)) / as_f64(i128::from(window.max(1)))).min(1.0);
    Some(match setting.kind {
        Kind::Share => share_of(value)?.clamp(0.0, 1.0),
        Kind::Size => match Size::written(value)? {
            Size::Percent(percent) => (percent / 100.0).clamp(0.0, 1.0),
            size => of_window(size.of(window)),
        },
        Kind::Amount => match amount_of(value)? {
            Amount::Percent(percent) => (percent / 100.0).clamp(0.0, 1.0),
            Amount::Count(number, Unit::Tokens) => of_window(number),
            Amount::Count(number, _) => powers(number, 0, AMOUNTS),
        },
        Kind::Int | Kind::Minutes => match value {
            Value::Int(number) if setting.unit == "tokens" => of_window(u64::try_from(*number).unwrap_or(0)),
            Value::Int(number) => {
                powers(u64::try_from(*number).unwrap_or(0), setting.range.0, setting.range.1.min(INTEGERS))
            }
            _ => return None,
        },
        Kind::Number => match value {
            Value::Float(number) => (number / 100.0).clamp(0.0, 1.0),
            _ => return None,
        },
        Kind::Bool | Kind::Choice(_) | Kind::Text | Kind::List(_) => return None,
    })
}

/// The value at a place of the slider, in the form that the present value has, on round numbers: what [`position`] puts
/// there. `None` for what is no number, or a word (`never`).
#[must_use]
pub fn placed(setting: &Setting, value: &Value, window: u64, at: f64) -> Option<Value> {
    let at = at.clamp(0.0, 1.0);
    let percent = (at * 100.0).round();
    let tokens = rounded(at * as_f64(i128::from(window)), grid(window));
    let next = match setting.kind {
        Kind::Share => Value::Float(share_of(value).map(|_| percent / 100.0)?),
        Kind::Size => size_value(match Size::written(value)? {
            Size::Percent(_) => Size::Percent(percent),
            Size::Tokens(_) => Size::Tokens(tokens),
            Size::Chars(_) => Size::Chars(tokens.saturating_mul(4)),
            Size::Below(_) => Size::Below(window.saturating_sub(tokens)),
        }),
        Kind::Amount => Value::Text(
            match amount_of(value)? {
                Amount::Percent(_) => Amount::Percent(percent),
                Amount::Count(_, Unit::Tokens) => Amount::Count(tokens, Unit::Tokens),
                Amount::Count(_, unit) => Amount::Count(of_powers(at, 0, AMOUNTS).max(1), unit),
            }
            .to_string(),
        ),
        Kind::Int | Kind::Minutes => match value {
            Value::Int(_) if setting.unit == "tokens" => Value::Int(i64::try_from(tokens).ok()?),
            Value::Int(_) => {
                let (least, most) = (setting.range.0, setting.range.1.min(INTEGERS));
                Value::Int(i64::try_from(of_powers(at, least, most)).ok()?)
            }
            _ => return None,
        },
        Kind::Number => match value {
            Value::Float(_) => Value::Float(percent),
            _ => return None,
        },
        Kind::Bool | Kind::Choice(_) | Kind::Text | Kind::List(_) => return None,
    };
    Some(next)
}

/// The multiple of a step that is nearest.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rounded(number: f64, step: u64) -> u64 {
    let step = step.max(1);
    ((number / as_f64(i128::from(step))).round() as u64).saturating_mul(step)
}

/// The round number at a place between two numbers by their powers.
fn of_powers(at: f64, least: u64, most: u64) -> u64 {
    let (low, high) = ends(least, most);
    let exact = (low + at * (high - low)).exp_m1();
    rounded(exact, stride(rounded(exact, 1), Move::Step(true))).clamp(least, most.max(least))
}

/// The ends of a scale of powers.
fn ends(least: u64, most: u64) -> (f64, f64) {
    (as_f64(i128::from(least)).ln_1p(), as_f64(i128::from(most.max(least.saturating_add(1)))).ln_1p())
}

/// A place between two numbers by their powers.
fn powers(number: u64, least: u64, most: u64) -> f64 {
    let (low, high) = ends(least, most);
    ((as_f64(i128::from(number)).ln_1p() - low) / (high - low)).clamp(0.0, 1.0)
}

/// What a size or amount comes to in tokens, where its form does not say: `80% ≙ 160k`.
#[must_use]
pub fn in_tokens(setting: &Setting, value: &Value, window: u64) -> Option<u64> {
    match (setting.kind, value) {
        (Kind::Size, _) => match Size::written(value)? {
            Size::Tokens(_) => None,
            size => Some(size.of(window)),
        },
        _ => None,
    }
}

fn share_of(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Int(number) => Some(as_f64(i128::from(*number))),
        Value::Text(text) => text.strip_suffix('%')?.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
        _ => None,
    }
}

fn size_value(size: Size) -> Value {
    match size {
        Size::Tokens(tokens) => Value::Int(i64::try_from(tokens).unwrap_or(i64::MAX)),
        Size::Below(tokens) => Value::Int(i64::try_from(tokens).map_or(i64::MIN, |tokens| -tokens)),
        Size::Chars(_) | Size::Percent(_) => Value::Text(size.to_string()),
    }
}

fn amount_of(value: &Value) -> Option<Amount> {
    match value {
        Value::Int(tokens) => Some(Amount::Count(u64::try_from(*tokens).unwrap_or(0), Unit::Tokens)),
        Value::Text(text) => Amount::parse(text),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss)]
fn as_f64(number: i128) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, named, settings};

    fn step(key: &str, from: &str, way: Move) -> String {
        let setting = named(key).unwrap();
        let from = Value::from_argument(from, setting.kind);
        moved(setting, &from, 200_000, way).map_or_else(|| "–".to_owned(), |value| value.to_string())
    }

    #[test]
    fn values_move_in_the_form_they_have() {
        let (up, down, leap) = (Move::Step(true), Move::Step(false), Move::Leap(true));
        for (key, from, way, expected) in [
            ("summarise.at", "80%", up, "\"81%\""),
            ("summarise.at", "83.5%", down, "\"83%\""),
            ("summarise.at", "100%", up, "–"),
            ("summarise.at", "167000", up, "168000"),
            ("summarise.at", "167,000", leap, "170000"),
            ("summarise.at", "-33000", up, "-32000"),
            ("summarise.at", "-33000", down, "-34000"),
            ("summarise.target", "20000", up, "20500"),
            ("summarise.target", "0", down, "–"),
            ("summarise.on", "true", up, "false"),
            ("summarise.of", "raw", up, "\"effective\""),
            ("summarise.of", "effective", up, "\"codex\""),
            ("summarise.of", "codex", up, "–"),
            ("summarise.keep_tail", "2 turns", down, "\"1 turn\""),
            ("summarise.keep_tail", "1 turn", down, "–"),
            ("summarise.keep_tail", "none", up, "\"100 tokens\""),
            ("summarise.keep_tail", "none", leap, "\"1000 tokens\""),
            ("summarise.fallback_head", "0.25", up, "0.26"),
            ("microcompact.keep", "30%", leap, "\"40%\""),
            ("chunks.min_headings", "3", up, "4"),
            ("chunks.min_headings", "1", down, "–"),
            ("microcompact.marker", "x", up, "–"),
        ] {
            let found = step(key, from, way);
            assert_eq!(found, expected, "{key} {from}");
        }
    }

    #[test]
    fn every_setting_can_be_moved_or_typed_and_stays_valid() {
        for setting in settings() {
            let mut policy = Policy::default();
            for way in [Move::Step(true), Move::Leap(true), Move::Step(false), Move::Leap(false)].repeat(30) {
                let value = (setting.get)(&policy);
                let Some(next) = moved(setting, &value, 200_000, way) else { continue };
                // What is out of range is refused by the setting itself, and the value stays.
                let _ = (setting.set)(&mut policy, &next);
                if let Some(at) = position(setting, &(setting.get)(&policy), 200_000) {
                    assert!((0.0..=1.0).contains(&at), "{} {next}", setting.key);
                }
            }
        }
    }

    #[test]
    fn a_place_gives_a_round_value_in_the_form_that_the_setting_has() {
        let at = |key: &str, from: &str, at: f64| {
            let setting = named(key).unwrap();
            placed(setting, &Value::from_argument(from, setting.kind), 200_000, at).map(|value| value.plain())
        };
        for (key, from, place, expected) in [
            ("summarise.at", "80%", 0.5, Some("50%")),
            ("summarise.at", "167000", 0.5, Some("100000")),
            ("summarise.at", "-33000", 0.75, Some("-50000")),
            ("summarise.at", "40000c", 0.1, Some("80000c")),
            ("summarise.target", "20000", 0.1234, Some("25000")),
            ("summarise.keep_tail", "2 turns", 0.0, Some("1 turn")),
            ("summarise.keep_tail", "2 turns", 1.0, Some("1000 turns")),
            ("summarise.keep_tail", "20000 tokens", 0.2, Some("40000 tokens")),
            ("microcompact.keep", "30%", 0.4, Some("40%")),
            ("summarise.fallback_head", "0.25", 1.0, Some("1.0")),
            ("microcompact.marker", "x", 0.5, None),
            ("summarise.on", "true", 0.5, None),
        ] {
            assert_eq!(at(key, from, place).as_deref(), expected, "{key} {from} {place}");
        }
    }

    #[test]
    fn the_value_at_a_place_stands_near_that_place() {
        for setting in settings() {
            let value = (setting.get)(&Policy::default());
            for place in [0.0, 0.1, 0.5, 0.9, 1.0] {
                let Some(next) = placed(setting, &value, 200_000, place) else { continue };
                let stands = position(setting, &next, 200_000).unwrap();
                // Round numbers lie far apart where a scale of powers begins.
                assert!((stands - place).abs() < 0.12 || place < 0.2, "{} {next}: {stands} for {place}", setting.key);
            }
        }
    }

    #[test]
    fn down_undoes_up_on_the_grid() {
        for number in [0u64, 1, 7, 20, 100, 950, 1_000, 20_000, 1_000_000] {
            let up = int(number, 0, u64::MAX, Move::Step(true)).unwrap();
            assert!(up as u64 > number);
            let down = int(up as u64, 0, u64::MAX, Move::Step(false)).unwrap();
            assert!(down < up);
        }
    }
}
