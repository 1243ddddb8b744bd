//! Lists of names, each item checked by what it names: one that nothing has would silently change a run.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::fault::nearest_of;
use super::size::Size;
use super::value::{Field, Kind, Range, Value};
use crate::model::CONTENT_LAYERS;

/// What the items of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// Any text: what it names is not known here (tools, skills, words, patterns).
    Any,
    /// Layers that hold content.
    Layers,
    /// Roles of messages.
    Roles,
    /// `NAME=SIZE`.
    Sizes,
}

/// What the size of a tool may be, as that of all of them.
const SIZES: Range = Range(0, 100_000_000);
/// Roles of messages.
const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool"];

impl Items {
    /// Whether an item is one of these.
    ///
    /// # Errors
    /// What is the matter with it, and the nearest name.
    pub fn check(self, item: &str) -> Result<(), String> {
        let among = |what: &str, names: &[&str]| {
            if names.contains(&item) {
                return Ok(());
            }
            let near = nearest_of(item, names.iter().copied());
            let near = near.map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
            Err(format!("there is no {what} {item:?}{near}"))
        };
        match self {
            Items::Any => Ok(()),
            Items::Layers => among("layer", &layers()),
            Items::Roles => among("role", ROLES),
            Items::Sizes => match item.rsplit_once('=') {
                Some((name, size)) if !name.trim().is_empty() => {
                    let read = Size::read(&Value::Text(size.to_owned()), SIZES);
                    read.map(|_| ()).map_err(|why| format!("{size:?} of {item:?}: {why}"))
                }
                _ => Err(format!("{item:?} is not NAME=SIZE")),
            },
        }
    }

    /// What an item may be, in words that follow "list of"; empty where it may be anything.
    #[must_use]
    pub fn allowed(self) -> String {
        match self {
            Items::Any => String::new(),
            Items::Layers => layers().join(" | "),
            Items::Roles => ROLES.join(" | "),
            Items::Sizes => "NAME=SIZE, where NAME may end in * and SIZE is N tokens, N%, Nc or -N".to_owned(),
        }
    }
}

fn layers() -> Vec<&'static str> {
    CONTENT_LAYERS.iter().map(|info| info.name).collect()
}

/// What a [`Listed`] is a list of.
pub trait Of: Clone + fmt::Debug + PartialEq + 'static {
    /// Its items.
    const ITEMS: Items;
}

/// Layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers;
/// Roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles;
/// Sizes of single tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes;

impl Of for Layers {
    const ITEMS: Items = Items::Layers;
}
impl Of for Roles {
    const ITEMS: Items = Items::Roles;
}
impl Of for Sizes {
    const ITEMS: Items = Items::Sizes;
}

/// A list whose items were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T>(Vec<String>, PhantomData<T>);

impl<T> Listed<T> {
    /// A list that is known to be good.
    pub(super) fn of(names: &[&str]) -> Self {
        Listed(names.iter().copied().map(String::from).collect(), PhantomData)
    }
}

impl<T> Deref for Listed<T> {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl<T: Of> Field for Listed<T> {
    const KIND: Kind = Kind::List(T::ITEMS);

    fn value(&self) -> Value {
        Value::List(self.0.clone())
    }

    fn read(value: &Value, range: Range) -> Result<Self, String> {
        let items: Vec<String> = Field::read(value, range)?;
        items.iter().try_for_each(|item| T::ITEMS.check(item))?;
        Ok(Listed(items, PhantomData))
    }
}
