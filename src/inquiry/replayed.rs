//! What replays have told: what is the same to a replay is run once.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::bill::Bill;
use super::dial::with;
use super::moved::Moved;
use super::ready::Number;
use super::whatif::{Trials, Tried};
use crate::engine::READ_BEFORE;
use crate::policy::{Policy, Setting, Value, settings};

/// What replays of one question have told.
pub(super) struct Replayed {
    /// The settings that a replay reads while it runs, with what the present policy has of each.
    now: Vec<(&'static Setting, Value)>,
    /// By what it was given, and by what differs from the present policy.
    known: Mutex<FxHashMap<(Number, String), Tried>>,
    /// How many were run.
    number: AtomicU64,
}

impl Replayed {
    /// Nothing yet.
    pub(super) fn of(policy: &Policy) -> Replayed {
        let read = settings().filter(|setting| !READ_BEFORE.contains(&setting.section()));
        let now = read.map(|setting| (setting, (setting.get)(policy))).collect();
        Replayed { now, known: Mutex::default(), number: AtomicU64::new(0) }
    }

    /// Takes in what the present policy makes of the fact.
    pub(super) fn know(&self, policy: &Policy, tried: &Tried) {
        self.number.fetch_add(1, Ordering::Relaxed);
        self.keep((Number::BASE, self.differs(policy)), tried);
    }

    /// How many replays were run.
    pub(super) fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// What of a policy a replay would read otherwise than now.
    fn differs(&self, policy: &Policy) -> String {
        let mut all = String::new();
        for (setting, now) in &self.now {
            let value = (setting.get)(policy);
            if value != *now {
                // Writing into a string cannot fail.
                let _ = writeln!(all, "{}={value}", setting.key);
            }
        }
        all
    }

    fn keep(&self, key: (Number, String), tried: &Tried) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, tried.clone());
    }
}

impl Trials<'_> {
    /// What a policy makes of the fact; `None` where that cannot be said.
    pub(super) fn under(&self, policy: &Policy) -> Option<Tried> {
        let (number, replay) = self.ready.numbered(policy)?;
        // What was made ready until it was stopped is not what the policy gives.
        if self.watch.is_cancelled() {
            return None;
        }
        let key = (number, self.replayed.differs(policy));
        if let Some(known) = self.replayed.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Some(known.clone());
        }
        self.replayed.number.fetch_add(1, Ordering::Relaxed);
        let tried = self.read(&replay.run(policy));
        self.replayed.keep(key, &tried);
        Some(tried)
    }

    /// Whether the fact is there under a policy, and what that costs.
    #[must_use]
    pub fn replay(&self, policy: &Policy) -> (bool, Bill) {
        self.under(policy).map_or_else(|| (false, Bill::default()), |tried| (tried.holds, tried.bill))
    }

    /// Whether a setting of what is prepared before a replay changes nothing of that, as far as it goes to each side:
    /// the other values of its dial cut less than the one and more than the other.
    pub(super) fn is_idle(&self, moved: &Moved) -> bool {
        let same = |value: &Value| {
            let number = with(self.policy, moved.setting, value).and_then(|policy| self.ready.numbered(&policy));
            number.is_some_and(|(number, _)| number == Number::BASE)
        };
        READ_BEFORE.contains(&moved.setting.section()) && moved.far(&[]).iter().all(same)
    }
}
