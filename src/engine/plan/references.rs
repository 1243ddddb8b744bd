//! Who repeats a distinctive term of whom.
//!
//! A text is still referred to when an answer of the model later repeats a term that had not occurred before it.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::terms::Term;
use super::{Gone, Item};
use crate::model::{BlockKind, Role};

/// A later block that repeats a term of an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The step whose window first holds the later block.
    pub step: u32,
    /// The earlier item.
    pub of: u32,
    /// The later item.
    pub by: u32,
    /// Bytes of the term in the later block's decoded text.
    pub term: (u32, u32),
    /// The term, where the text was read for it. Untrusted.
    pub word: Arc<str>,
}

/// An earlier turn that a later one refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnReference {
    /// The earlier unit.
    pub of: u32,
    /// The item of it that holds the term.
    pub item: u32,
    /// The item of the later unit that repeats it.
    pub by: u32,
    /// Bytes of the term in the later item's decoded text.
    pub term: (u32, u32),
    /// The term. Untrusted.
    pub word: Arc<str>,
}

/// Whose words an item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// An answer or a call of the model.
    Model,
    /// A message of the user: it refers to turns as an answer does, but a result is named by it, not used.
    User,
    /// Anything else.
    Other,
}

impl Voice {
    /// Who speaks in an item.
    pub fn of(item: &Item) -> Voice {
        match item.kind {
            BlockKind::Text | BlockKind::ToolCall if item.role == Role::Assistant => Voice::Model,
            BlockKind::Text if item.is_prompt() => Voice::User,
            _ => Voice::Other,
        }
    }
}

/// Finds who refers to what, going through the items in order. A branch that was left says nothing of what follows.
#[derive(Default)]
pub(super) struct Referrals {
    gone: Gone,
    first: HashMap<u64, u32>,
    /// Items that are referred to, with the first that does; again with the next, where that one left with its branch.
    pub references: Vec<Reference>,
    /// By item, who refers to it.
    known: HashMap<u32, u32>,
    /// Items that a message of the user names something from.
    pub named: FxHashSet<u32>,
    /// By later unit, the earlier ones that it refers to.
    pub units: Vec<(u32, TurnReference)>,
}

impl Referrals {
    /// Over a history that items leave.
    pub fn over(gone: Gone) -> Self {
        Referrals { gone, ..Referrals::default() }
    }

    /// The item that a term occurred in first, of those that the history still held when this one came in.
    fn origin(&self, hash: u64, item: u32) -> Option<u32> {
        self.first.get(&hash).copied().filter(|first| !self.gone.before(*first, item))
    }

    /// Takes in an item's terms.
    pub fn take(
        &mut self,
        item: u32,
        step: u32,
        unit: u32,
        voice: Voice,
        terms: &[Term],
        unit_of: impl Fn(u32) -> u32,
    ) {
        for term in terms {
            let own = self.origin(term.hash, item).unwrap_or_else(|| {
                self.first.insert(term.hash, item);
                item
            });
            let origin = if term.of == term.hash { Some(own) } else { self.origin(term.of, item) };
            // The path that this one ends with is new only where no longer one had ended with it before.
            let origin = origin.filter(|origin| !term.tail || *origin == own);
            let Some(origin) = origin else { continue };
            let earlier = unit_of(origin);
            if origin == item || voice == Voice::Other || earlier == unit {
                continue;
            }
            if voice == Voice::User {
                self.named.insert(origin);
            }
            let term = (term.at, term.at.saturating_add(term.length));
            let known = self.known.get(&origin).is_some_and(|by| !self.gone.before(*by, item));
            if voice == Voice::Model && !known {
                self.known.insert(origin, item);
                self.references.push(Reference { step, of: origin, by: item, term, word: Arc::from("") });
            }
            if self.units.last().is_none_or(|(later, known)| (*later, known.of) != (unit, earlier)) {
                let known = TurnReference { of: earlier, item: origin, by: item, term, word: Arc::from("") };
                self.units.push((unit, known));
            }
        }
    }
}
