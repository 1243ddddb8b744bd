//! Sizes: `N` tokens, `Nk`, `NM`, `Nc` characters, `P%` of a window, `-N` below it.

use std::fmt;

use super::value::{Field, Kind, Range, Value};

/// A number of tokens or characters, or a part of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// So many tokens.
    Tokens(u64),
    /// So many characters (Unicode scalar values).
    Chars(u64),
    /// So much of a window, in percent.
    Percent(f64),
    /// So many tokens below a window.
    Below(u64),
}

impl Size {
    /// Tokens, of a window of that many; characters at four a token.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    pub fn of(self, window: u64) -> u64 {
        match self {
            Size::Tokens(tokens) => tokens,
            Size::Chars(chars) => chars.div_ceil(4),
            // Rounded: no size is below zero.
            Size::Percent(percent) => (window as f64 * percent / 100.0 + 0.5) as u64,
            Size::Below(tokens) => window.saturating_sub(tokens),
        }
    }

    /// The size that a value stands for; `None` where it is of another kind, or no size.
    #[must_use]
    pub fn written(value: &Value) -> Option<Size> {
        match value {
            Value::Int(tokens) if *tokens < 0 => Some(Size::Below(tokens.unsigned_abs())),
            Value::Int(tokens) => Some(Size::Tokens(tokens.unsigned_abs())),
            Value::Text(text) => Size::parse(text),
            Value::Bool(_) | Value::Float(_) | Value::List(_) => None,
        }
    }

    /// Reads `20000`, `20k`, `1.5M`, `30000c`, `80%` or `-33000`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Size> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix('-') {
            return number(rest).map(Size::Below);
        }
        if let Some(rest) = text.strip_suffix('%') {
            let percent: f64 = rest.trim().parse().ok()?;
            return (percent.is_finite() && percent >= 0.0).then_some(Size::Percent(percent));
        }
        if let Some(rest) = text.strip_suffix('c') {
            return number(rest).map(Size::Chars);
        }
        number(text).map(Size::Tokens)
    }
}

/// A whole number with `_` or `,` between digits, or with `k` or `M` after it.
pub(super) fn number(text: &str) -> Option<u64> {
    let text: String = text.trim().chars().filter(|sign| !matches!(sign, '_' | ',')).collect();
    let (digits, unit) = match text.strip_suffix('k').map(|rest| (rest, 1e3)) {
        Some(thousands) => thousands,
        None => match text.strip_suffix('M') {
            Some(rest) => (rest, 1e6),
            None => return text.parse().ok(),
        },
    };
    let value: f64 = digits.trim().parse().ok()?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (value.is_finite() && (0.0..1e12).contains(&value)).then(|| (value * unit).round() as u64)
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Tokens(tokens) => write!(out, "{tokens}"),
            Size::Chars(chars) => write!(out, "{chars}c"),
            Size::Percent(percent) => write!(out, "{percent}%"),
            Size::Below(tokens) => write!(out, "-{tokens}"),
        }
    }
}

impl Field for Size {
    const KIND: Kind = Kind::Size;

    fn value(&self) -> Value {
        match self {
            Size::Tokens(tokens) => Value::Int(i64::try_from(*tokens).unwrap_or(i64::MAX)),
            Size::Below(0) => Value::Text(self.to_string()),
            Size::Below(tokens) => Value::Int(i64::try_from(*tokens).map_or(i64::MIN, |tokens| -tokens)),
            Size::Chars(_) | Size::Percent(_) => Value::Text(self.to_string()),
        }
    }

    fn read(value: &Value, range: Range) -> Result<Self, String> {
        let size = Size::written(value).ok_or_else(|| match value {
            Value::Text(_) => {
                "a size is a number of tokens (20000, 20k), of characters (30000c), a share (80%) or -N below the window"
                    .to_owned()
            }
            other => format!("a size is expected, not {}", other.kind()),
        })?;
        match size {
            Size::Percent(percent) if percent > 100.0 => Err("a share of the window is 0% to 100%".to_owned()),
            Size::Percent(_) => Ok(size),
            Size::Tokens(number) => range.check(number).map(|()| size),
            Size::Below(number) => Range(0, range.1).check(number).map(|()| size),
            Size::Chars(number) => {
                let most = range.1.saturating_mul(4);
                let why = || format!("{number}c is not within 0c to {most}c, four characters a token");
                (number <= most).then_some(size).ok_or_else(why)
            }
        }
    }
}
