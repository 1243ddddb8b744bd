//! The one declaration of a setting: a field of a section, and the row that every surface reads.

use super::Policy;
use super::value::{Kind, Range, Value};

/// How fast a run follows when a setting moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Follows {
    /// Numbers only.
    Instant,
    /// Text is counted or cut anew.
    Recount,
    /// Vectors are needed.
    Reembed,
}

impl Follows {
    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Follows::Instant => "instant",
            Follows::Recount => "recount",
            Follows::Reembed => "reembed",
        }
    }
}

/// One setting, as every surface sees it.
pub struct Setting {
    /// `section.name`.
    pub key: &'static str,
    /// Its type.
    pub kind: Kind,
    /// What its number counts; empty where it has none.
    pub unit: &'static str,
    /// What its number may be.
    pub range: Range,
    /// Whether 0 stands for no limit at all, more than any other number.
    pub endless_at_zero: bool,
    /// How fast a run follows.
    pub follows: Follows,
    /// What it does, in a sentence or two.
    pub meaning: &'static str,
    /// Where its rule is from.
    pub source: &'static str,
    /// Its value in a policy.
    pub get: fn(&Policy) -> Value,
    /// Sets it.
    pub set: fn(&mut Policy, &Value) -> Result<(), String>,
}

impl Setting {
    /// The section's name.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.key.split_once('.').map_or("", |(section, _)| section)
    }

    /// The name within its section.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.key.split_once('.').map_or(self.key, |(_, name)| name)
    }

    /// Its value where nothing is said.
    #[must_use]
    pub fn default(&self) -> Value {
        (self.get)(&Policy::default())
    }

    /// What it may be set to, in words.
    #[must_use]
    pub fn allowed(&self) -> String {
        match self.kind {
            Kind::Bool => "true or false".to_owned(),
            Kind::Choice(names) => names.join(" | "),
            Kind::Share => "0 to 1".to_owned(),
            Kind::Int | Kind::Number => self.range.to_string(),
            Kind::Minutes => format!("{}, or reported", self.range),
            Kind::Size => format!("{} tokens, N%, Nc, -N", self.range),
            Kind::Amount => format!("{} tokens, turns, rounds, messages, events or results; N%; none", self.range),
            Kind::Text => format!("text, at most {} characters", self.range.1),
            Kind::List(items) => {
                let items = items.allowed();
                let of = if items.is_empty() { String::new() } else { format!(" of {items}") };
                format!("list{of}, at most {} items", self.range.1)
            }
        }
    }
}

/// Declares one section: a struct with its defaults, and a row for each field.
///
/// `name: Type = default, low..=high "unit", Follows, "source";` with the meaning as the field's doc comment. Behind the
/// unit stands `endless_at 0` where 0 is no limit.
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $section:ident: $name:ident {
            $( $(#[doc = $meaning:literal])+
               $field:ident: $type:ty = $default:expr, $low:literal..=$high:literal $unit:literal $(endless_at $endless:literal)?, $follows:ident, $source:literal; )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[doc = $meaning])+ pub $field: $type, )* }

        impl Default for $name {
            fn default() -> Self {
                $name { $( $field: $default, )* }
            }
        }

        impl $name {
            /// What the section is about.
            pub const ABOUT: &'static str = concat!($($about),+);

            /// The rows of the section's settings.
            pub const SETTINGS: &'static [$crate::policy::Setting] = &[ $( $crate::policy::Setting {
                key: concat!(stringify!($section), ".", stringify!($field)),
                kind: <$type as $crate::policy::value::Field>::KIND,
                unit: $unit,
                range: $crate::policy::value::Range($low, $high),
                endless_at_zero: !<[u64]>::is_empty(&[$($endless)?]),
                follows: $crate::policy::Follows::$follows,
                meaning: concat!($($meaning),+),
                source: $source,
                get: |policy| $crate::policy::value::Field::value(&policy.$section.$field),
                set: |policy, value| {
                    policy.$section.$field =
                        $crate::policy::value::Field::read(value, $crate::policy::value::Range($low, $high))?;
                    Ok(())
                },
            }, )* ];
        }
    };
}
pub(super) use section;

/// Declares the policy: its sections, in the order in which they are listed everywhere, each with when its figures are
/// in force.
macro_rules! policy {
    ($( $section:ident: $name:ident, $on:expr; )*) => {
        /// Every threshold and switch that decides what a window holds.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Policy {
            $( #[doc = concat!("Section `", stringify!($section), "`.")] pub $section: $name, )*
        }

        /// A section's name, what it is about, and its settings.
        pub type Section = (&'static str, &'static str, &'static [$crate::policy::Setting]);

        /// Every section with its settings.
        pub static SECTIONS: &[Section] = &[
            $( (stringify!($section), $name::ABOUT, $name::SETTINGS), )*
        ];

        impl Policy {
            /// Whether the figures of a section are in force: something of it is switched on.
            #[must_use]
            pub fn is_on(&self, section: &str) -> bool {
                let on: fn(&Policy) -> bool = match section {
                    $( stringify!($section) => $on, )*
                    _ => return false,
                };
                on(self)
            }
        }
    };
}
pub(super) use policy;
