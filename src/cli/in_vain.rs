//! Questions that had no answer, one after the other: after a few for the same reason no more are asked.

use std::sync::{Mutex, PoisonError};

/// So many in a row for one reason are enough.
const ENOUGH: u32 = 3;

/// The reason that the last questions had no answer for, and how many these are.
#[derive(Default)]
pub struct InVain(Mutex<(String, u32)>);

impl InVain {
    /// Takes in that one had an answer.
    pub fn answered(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (String::new(), 0);
    }

    /// Takes in that one had none, and says how many in a row had none for the same reason where these are enough. The
    /// figures of a reason are those of its question.
    pub fn unanswered(&self, reason: &str) -> Option<u32> {
        let reason: String = reason.chars().filter(|sign| !sign.is_ascii_digit()).collect();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = if last.0 == reason { last.1 } else { 0 };
        *last = (reason, before.saturating_add(1));
        Some(last.1).filter(|number| *number >= ENOUGH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_in_a_row_for_one_reason_are_enough() {
        let vain = InVain::default();
        let told = ["too long: 9 tokens", "too long: 12 tokens", "blocked", "blocked", "blocked", "blocked"];
        assert_eq!(told.map(|reason| vain.unanswered(reason)), [None, None, None, None, Some(3), Some(4)]);
        vain.answered();
        assert_eq!(vain.unanswered("blocked"), None);
    }
}
