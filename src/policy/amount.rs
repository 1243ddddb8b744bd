//! Amounts: how much of a history is kept or spared (`"20000 tokens"`, `"30%"`, `"2 turns"`, `"20 messages"`).

use std::fmt;

use super::size::number;
use super::value::{Field, Kind, Range, Value};

/// What an amount counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Tokens.
    Tokens,
    /// What a person wrote, and everything after it up to what they wrote next.
    Turns,
    /// What the model answered to one request, with the results of its calls.
    Rounds,
    /// Messages.
    Messages,
    /// Pieces of the window: a text, a call, a result.
    Events,
    /// Tool results.
    Results,
}

const UNITS: &[(&str, Unit)] = &[
    ("tokens", Unit::Tokens),
    ("turns", Unit::Turns),
    ("rounds", Unit::Rounds),
    ("messages", Unit::Messages),
    ("events", Unit::Events),
    ("results", Unit::Results),
];

impl Unit {
    /// Name in files and on the screen.
    #[must_use]
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(_, unit)| *unit == self).map_or("tokens", |(name, _)| name)
    }
}

/// How much of a history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many of something.
    Count(u64, Unit),
    /// So much of the history's tokens, in percent.
    Percent(f64),
}

impl Amount {
    /// Nothing at all.
    pub const NONE: Amount = Amount::Count(0, Unit::Tokens);

    /// Whether it is nothing.
    #[must_use]
    pub fn is_none(self) -> bool {
        matches!(self, Amount::Count(0, _)) || self == Amount::Percent(0.0)
    }

    /// Reads `20000 tokens`, `20k tokens`, `30%`, `2 turns`, `20 messages`, `80 events`, `3 results` or `none`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Amount> {
        let text = text.trim();
        if text == "none" {
            return Some(Amount::NONE);
        }
        if let Some(rest) = text.strip_suffix('%') {
            let percent: f64 = rest.trim().parse().ok()?;
            return (0.0..=100.0).contains(&percent).then_some(Amount::Percent(percent));
        }
        let (count, unit) = text.split_once(char::is_whitespace).unwrap_or((text, "tokens"));
        let unit = unit.trim();
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit || name.strip_suffix('s') == Some(unit))?;
        Some(Amount::Count(number(count)?, *unit))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Count(0, _) => out.write_str("none"),
            Amount::Count(1, unit) => write!(out, "1 {}", unit.name().trim_end_matches('s')),
            Amount::Count(count, unit) => write!(out, "{count} {}", unit.name()),
            Amount::Percent(percent) => write!(out, "{percent}%"),
        }
    }
}

impl Field for Amount {
    const KIND: Kind = Kind::Amount;

    fn value(&self) -> Value {
        Value::Text(self.to_string())
    }

    fn read(value: &Value, range: Range) -> Result<Self, String> {
        let amount = match value {
            Value::Int(tokens) => {
                let tokens = u64::try_from(*tokens).map_err(|_| format!("{tokens} is not within {range}"))?;
                Amount::Count(tokens, Unit::Tokens)
            }
            Value::Text(text) => Amount::parse(text).ok_or_else(|| {
                let units: Vec<&str> = UNITS.iter().map(|(name, _)| *name).collect();
                format!("an amount is a number and one of {}, or a share (30%), or none", units.join(", "))
            })?,
            other => return Err(format!("an amount is expected, not {}", other.kind())),
        };
        if let Amount::Count(count, _) = amount {
            range.check(count)?;
        }
        Ok(amount)
    }
}
