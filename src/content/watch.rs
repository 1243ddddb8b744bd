//! Progress of long work, and the wish to end it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Shared between the one who works and the one who watches.
#[derive(Debug, Default)]
pub struct Watch {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: Arc<AtomicBool>,
    /// Whether a part is under way that can be left out: [`ALL`], [`PART`] or [`LEFT`].
    part: AtomicU8,
    /// What is being done, where that needs words.
    doing: Mutex<String>,
    /// What becomes of the work without the part under way, in words.
    without: Mutex<String>,
}

/// No part that can be left out is under way.
const ALL: u8 = 0;
/// One is.
const PART: u8 = 1;
/// It is to end early and to be left out.
const LEFT: u8 = 2;

impl Watch {
    /// A watch over one of many parts of this work: cancelled with it, and without a say in its progress.
    #[must_use]
    pub fn inner(&self) -> Watch {
        Watch { cancelled: Arc::clone(&self.cancelled), ..Watch::default() }
    }

    /// Begins a part of the work: says how much there is to do, in any unit.
    pub fn expect(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Says that so much more has been done.
    pub fn advance(&self, by: u64) {
        self.done.fetch_add(by, Ordering::Relaxed);
    }

    /// Says how much has been done in all.
    pub fn reach(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
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
        self.cancelled.load(Ordering::Relaxed) || self.part.load(Ordering::Relaxed) == LEFT
    }

    /// Begins a part of the work that can be left out; `without` says in a few words what there is without it.
    pub fn begin_part(&self, without: &str) {
        let mut place = self.without.lock().unwrap_or_else(PoisonError::into_inner);
        without.clone_into(&mut place);
        self.part.store(PART, Ordering::Relaxed);
    }

    /// Ends such a part; whether it is to be left out while the rest of the work goes on.
    #[must_use]
    pub fn end_part(&self) -> bool {
        self.part.swap(ALL, Ordering::Relaxed) == LEFT && !self.cancelled.load(Ordering::Relaxed)
    }

    /// Asks the part under way to end early, where it can be left out, else all of the work. What there is without the
    /// part, where it is one.
    pub fn leave(&self) -> Option<String> {
        let without = self.without.lock().unwrap_or_else(PoisonError::into_inner);
        let left = self.part.compare_exchange(PART, LEFT, Ordering::Relaxed, Ordering::Relaxed);
        if left == Err(ALL) {
            self.cancel();
            return None;
        }
        Some(without.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_within_ends_with_it_and_moves_no_progress() {
        let watch = Watch::default();
        watch.expect(8);
        let inner = watch.inner();
        inner.expect(3);
        inner.advance(1);
        assert_eq!((watch.progress(), inner.is_cancelled()), ((0, 8), false));
        watch.cancel();
        assert!(inner.is_cancelled());
    }

    #[test]
    fn a_part_is_left_alone_and_all_of_the_work_where_there_is_none() {
        let watch = Watch::default();
        watch.begin_part("it is left out");
        assert_eq!(watch.leave().as_deref(), Some("it is left out"));
        assert!(watch.is_cancelled());
        assert!(watch.end_part() && !watch.is_cancelled());
        watch.begin_part("it is left out");
        assert!(!watch.end_part());
        assert!(watch.leave().is_none() && watch.is_cancelled());
        let watch = Watch::default();
        watch.begin_part("");
        watch.leave();
        watch.cancel();
        assert!(!watch.end_part() && watch.is_cancelled(), "all of it was given up");
    }
}
