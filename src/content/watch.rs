//! Progress of long work, and the wish to end it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Shared between the one who works and the one who watches.
#[derive(Debug, Default)]
pub struct Watch {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
    /// What is being done, where that needs words.
    doing: Mutex<String>,
}

impl Watch {
    /// Begins a part of the work: says how much there is to do, in any unit.
    pub fn expect(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Says that so much more has been done.
    pub fn advance(&self, by: u64) {
        self.done.fetch_add(by, Ordering::Relaxed);
    }

    /// Done and total.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Says in a few words what is being done; nothing where they are empty.
    pub fn say(&self, doing: &str) {
        let mut place = self.doing.lock().unwrap_or_else(PoisonError::into_inner);
        doing.clone_into(&mut place);
    }

    /// What is being done, where it was said.
    #[must_use]
    pub fn said(&self) -> Option<String> {
        let doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (!doing.is_empty()).then_some(doing)
    }

    /// Asks the work to end early.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end early. Long loops ask this now and then.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
