//! Passages that are near a sentence and do not say it: without its figures or names, of names alone, denying it, or
//! planning, supposing or remembering it only.

use std::cell::RefCell;
use std::collections::HashMap;

use super::meaning::Meaning;
use super::paraphrase::nearest;
use crate::memory::{Lack, Needs};

/// Figures and names that are told apart.
const NAMED: usize = 3;
/// Passages whose judgement is kept.
const KEPT: usize = 20_000;

/// Passages that are as near as the places of a fact by meaning and are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unlike {
    /// Those that lack a figure or name of it.
    pub without: u64,
    /// The first such figures and names. Untrusted.
    pub names: Vec<String>,
    /// Those that are names alone.
    pub bare: u64,
    /// Those that deny it.
    pub denying: u64,
    /// Those that only plan it, or suppose it.
    pub open: u64,
    /// Those that tell that it was so once.
    pub past: u64,
}

impl Unlike {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.without + self.bare + self.denying + self.open + self.past
    }

    pub(super) fn count(&mut self, lack: &Lack) {
        match lack {
            Lack::Words => self.bare += 1,
            Lack::Denied | Lack::Turned => self.denying += 1,
            Lack::Open => self.open += 1,
            Lack::Past => self.past += 1,
            Lack::Name(name) => {
                self.without += 1;
                if self.names.len() < NAMED && !self.names.contains(name) {
                    self.names.push(name.clone());
                }
            }
        }
    }
}

/// Judges passages by what a sentence needs; what stands in many places is judged once.
pub(super) struct Judge<'a> {
    meaning: &'a Meaning,
    needs: Needs,
    known: RefCell<HashMap<String, Option<Lack>>>,
}

impl<'a> Judge<'a> {
    pub fn of(meaning: &'a Meaning) -> Judge<'a> {
        Judge { meaning, needs: Needs::of(&meaning.sentence), known: RefCell::default() }
    }

    /// Why a passage does not say the sentence.
    pub fn lack(&self, passage: &str) -> Option<Lack> {
        if let Some(known) = self.known.borrow().get(passage) {
            return known.clone();
        }
        let lack = self.needs.lack(passage, nearest(self.meaning, passage));
        let mut known = self.known.borrow_mut();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(passage.to_owned(), lack.clone());
        lack
    }
}
