//! Which call an id names in a log that says everything once: some agents' models number the calls of every answer anew.

use std::collections::{HashMap, HashSet};

use crate::model::CallKey;

/// The key of a call whose id has named so many others.
#[must_use]
pub fn another(id: CallKey, others: u64) -> CallKey {
    CallKey(id.0 ^ others.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The calls of a log so far.
#[derive(Default)]
pub struct Calls {
    /// How many calls an id has named before the newest.
    before: HashMap<CallKey, u64>,
    /// Ids whose newest calls have results.
    answered: HashSet<CallKey>,
}

impl Calls {
    /// A call is made: another one than before where that has its result.
    pub fn make(&mut self, id: CallKey) -> CallKey {
        if self.answered.remove(&id) {
            *self.before.entry(id).or_default() += 1;
        }
        self.of(id)
    }

    /// A call is answered.
    pub fn answer(&mut self, id: CallKey) -> CallKey {
        self.answered.insert(id);
        self.of(id)
    }

    /// The newest call of an id.
    #[must_use]
    pub fn of(&self, id: CallKey) -> CallKey {
        another(id, self.before.get(&id).copied().unwrap_or(0))
    }
}
