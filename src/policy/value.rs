//! Values of settings: what a file, a command line and a slider hand over, and how each type reads it.

use std::fmt;

use super::listed::Items;

/// What a setting is set to, whatever it came from.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text: sizes, amounts and choices are written so.
    Text(String),
    /// Texts.
    List(Vec<String>),
}

impl Value {
    /// As it is typed: no quotes, lists with commas.
    #[must_use]
    pub fn plain(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::List(items) => items.join(", "),
            other => other.to_string(),
        }
    }

    /// What kind of value it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Bool(_) => "true or false",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a fraction",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
        }
    }

    /// Reads what stands after `=` on a command line: as TOML where it is that, else as text; `a,b` is a list.
    #[must_use]
    pub fn from_argument(text: &str, kind: Kind) -> Value {
        let text = text.trim();
        let quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
        match kind {
            Kind::List(_) if !text.starts_with('[') => {
                Value::List(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect())
            }
            Kind::Text if !quoted => Value::Text(text.to_owned()),
            // Nothing below the window: as a number it would be no tokens.
            Kind::Size if text == "-0" => Value::Text(text.to_owned()),
            _ => toml::from_str::<toml::Table>(&format!("v = {text}"))
                .ok()
                .and_then(|table| Value::from_toml(table.get("v")?))
                .unwrap_or_else(|| Value::Text(text.to_owned())),
        }
    }

    /// From a TOML value; `None` for dates, tables and lists of anything but texts.
    #[must_use]
    pub fn from_toml(value: &toml::Value) -> Option<Value> {
        Some(match value {
            toml::Value::Boolean(flag) => Value::Bool(*flag),
            toml::Value::Integer(number) => Value::Int(*number),
            toml::Value::Float(number) => Value::Float(*number),
            toml::Value::String(text) => Value::Text(text.clone()),
            toml::Value::Array(items) => {
                Value::List(items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()?)
            }
            toml::Value::Datetime(_) | toml::Value::Table(_) => return None,
        })
    }
}

/// As TOML writes it.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match self {
            Value::Bool(flag) => toml::Value::Boolean(*flag),
            Value::Int(number) => toml::Value::Integer(*number),
            Value::Float(number) => toml::Value::Float(*number),
            Value::Text(text) => toml::Value::String(text.clone()),
            Value::List(items) => toml::Value::Array(items.iter().cloned().map(toml::Value::String).collect()),
        };
        write!(out, "{value}")
    }
}

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Number,
    /// A share, as `0.3` or `"30%"`.
    Share,
    /// A [`super::Size`].
    Size,
    /// An [`super::Amount`].
    Amount,
    /// One of these.
    Choice(&'static [&'static str]),
    /// Text.
    Text,
    /// A list of these.
    List(Items),
    /// A whole number of minutes, or `reported`.
    Minutes,
}

impl Kind {
    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Number => "number",
            Kind::Share => "share",
            Kind::Size => "size",
            Kind::Amount => "amount",
            Kind::Choice(_) => "choice",
            Kind::Text => "text",
            Kind::List(_) => "list",
            Kind::Minutes => "minutes",
        }
    }
}

/// The smallest and the largest number that a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range(pub u64, pub u64);

impl Range {
    /// Whether a number is within.
    ///
    /// # Errors
    /// What is allowed.
    pub fn check(self, number: u64) -> Result<(), String> {
        if (self.0..=self.1).contains(&number) { Ok(()) } else { Err(format!("{number} is not within {self}")) }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} to {}", self.0, self.1)
    }
}

/// A type that settings have.
pub trait Field: Sized {
    /// Its kind.
    const KIND: Kind;
    /// As a value.
    fn value(&self) -> Value;
    /// From a value.
    ///
    /// # Errors
    /// What was expected.
    fn read(value: &Value, range: Range) -> Result<Self, String>;
}

impl Field for bool {
    const KIND: Kind = Kind::Bool;

    fn value(&self) -> Value {
        Value::Bool(*self)
    }

    fn read(value: &Value, _: Range) -> Result<Self, String> {
        match value {
            Value::Bool(flag) => Ok(*flag),
            other => Err(format!("true or false is expected, not {}", other.kind())),
        }
    }
}

impl Field for u64 {
    const KIND: Kind = Kind::Int;

    fn value(&self) -> Value {
        Value::Int(i64::try_from(*self).unwrap_or(i64::MAX))
    }

    fn read(value: &Value, range: Range) -> Result<Self, String> {
        let number = match value {
            Value::Int(number) => u64::try_from(*number).map_err(|_| format!("{number} is not within {range}"))?,
            Value::Text(text) => super::size::number(text).ok_or_else(|| "a whole number is expected".to_owned())?,
            other => return Err(format!("a whole number is expected, not {}", other.kind())),
        };
        range.check(number).map(|()| number)
    }
}

impl Field for f64 {
    const KIND: Kind = Kind::Number;

    fn value(&self) -> Value {
        Value::Float(*self)
    }

    #[allow(clippy::cast_precision_loss)]
    fn read(value: &Value, range: Range) -> Result<Self, String> {
        let number = match value {
            Value::Int(number) => *number as f64,
            Value::Float(number) => *number,
            other => return Err(format!("a number is expected, not {}", other.kind())),
        };
        if number.is_finite() && (range.0 as f64..=range.1 as f64).contains(&number) {
            Ok(number)
        } else {
            Err(format!("{number} is not within {range}"))
        }
    }
}

/// A share from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(pub f64);

impl Share {
    /// That share of a number.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    pub fn of(self, whole: u64) -> u64 {
        // Rounded: no share is below zero.
        (whole as f64 * self.0 + 0.5) as u64
    }
}

impl Field for Share {
    const KIND: Kind = Kind::Share;

    fn value(&self) -> Value {
        Value::Float(self.0)
    }

    #[allow(clippy::cast_precision_loss)]
    fn read(value: &Value, _: Range) -> Result<Self, String> {
        let share = match value {
            Value::Int(number) => *number as f64,
            Value::Float(number) => *number,
            Value::Text(text) => text
                .trim()
                .strip_suffix('%')
                .and_then(|percent| percent.trim().parse::<f64>().ok())
                .map(|percent| percent / 100.0)
                .ok_or_else(|| "a share is a number from 0 to 1, or a percentage (30%)".to_owned())?,
            other => return Err(format!("a share is expected, not {}", other.kind())),
        };
        if (0.0..=1.0).contains(&share) { Ok(Share(share)) } else { Err(format!("{share} is not within 0 to 1")) }
    }
}

impl Field for String {
    const KIND: Kind = Kind::Text;

    fn value(&self) -> Value {
        Value::Text(self.clone())
    }

    fn read(value: &Value, range: Range) -> Result<Self, String> {
        match value {
            Value::Text(text) if text.chars().count() as u64 <= range.1 => Ok(text.clone()),
            Value::Text(_) => Err(format!("at most {} characters are allowed", range.1)),
            other => Err(format!("a text is expected, not {}", other.kind())),
        }
    }
}

impl Field for Vec<String> {
    const KIND: Kind = Kind::List(Items::Any);

    fn value(&self) -> Value {
        Value::List(self.clone())
    }

    fn read(value: &Value, range: Range) -> Result<Self, String> {
        match value {
            Value::List(items) if items.len() as u64 <= range.1 => Ok(items.clone()),
            Value::List(_) => Err(format!("at most {} allowed", crate::model::number(range.1, "items are"))),
            // Whoever began a list meant no name that begins so.
            Value::Text(text) if text.trim_start().starts_with('[') => {
                Err("a list is texts in quotes between [ and ], as [\"a\", \"b\"]".to_owned())
            }
            Value::Text(text) => Ok(vec![text.clone()]),
            other => Err(format!("a list of texts is expected, not {}", other.kind())),
        }
    }
}

/// A type with a fixed set of named values.
pub trait Choice: Copy + PartialEq + 'static {
    /// The names, in the order of the values.
    const NAMES: &'static [&'static str];
    /// The values.
    const ALL: &'static [Self];

    /// The value's name.
    fn name(self) -> &'static str {
        Self::ALL.iter().position(|value| *value == self).and_then(|at| Self::NAMES.get(at)).copied().unwrap_or("")
    }
}

/// Declares a type with a fixed set of named values.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $( $(#[$about:meta])* $variant:ident = $text:literal, )* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$about])* $variant, )* }

        impl $crate::policy::Choice for $name {
            const NAMES: &'static [&'static str] = &[ $( $text, )* ];
            const ALL: &'static [Self] = &[ $( $name::$variant, )* ];
        }
    };
}
pub(super) use choice;

impl<T: Choice> Field for T {
    const KIND: Kind = Kind::Choice(T::NAMES);

    fn value(&self) -> Value {
        Value::Text(self.name().to_owned())
    }

    fn read(value: &Value, _: Range) -> Result<Self, String> {
        let found = match value {
            Value::Text(text) => T::NAMES.iter().position(|name| name == text).and_then(|at| T::ALL.get(at)),
            _ => None,
        };
        found.copied().ok_or_else(|| format!("one of {} is expected", T::NAMES.join(", ")))
    }
}
