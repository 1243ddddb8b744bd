//! Replays for every policy that is tried: the one that is there where it serves, others made when they are needed.

use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::Replay;
use crate::policy::Policy;

/// Makes a replay for a policy whose files, passages or instructions are prepared otherwise; else says why it cannot.
pub type Remake<'a> = dyn Fn(&Policy) -> Result<Replay, String> + Sync + 'a;

/// Replays that are kept.
const KEPT: usize = 64;

/// A replay that is there, and how to come to others.
pub struct Ready<'a> {
    base: Arc<Replay>,
    remake: Option<&'a Remake<'a>>,
    made: Mutex<Vec<Arc<Replay>>>,
    failed: Mutex<Option<String>>,
}

impl<'a> Ready<'a> {
    /// With a replay that is there. Without `remake`, policies that it does not serve have none.
    #[must_use]
    pub fn new(base: Replay, remake: Option<&'a Remake<'a>>) -> Self {
        Ready { base: Arc::new(base), remake, made: Mutex::default(), failed: Mutex::default() }
    }

    /// The replay that was there first.
    #[must_use]
    pub fn base(&self) -> &Arc<Replay> {
        &self.base
    }

    /// Whether settings that decide what is prepared can be moved.
    #[must_use]
    pub fn remakes(&self) -> bool {
        self.remake.is_some()
    }

    /// Why the first replay that could not be made was not: what was asked of its policy has no answer.
    #[must_use]
    pub fn failed(&self) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a replay that serves a policy is there.
    #[must_use]
    pub fn holds(&self, policy: &Policy) -> bool {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        self.base.fits(policy) || made.iter().any(|replay| replay.fits(policy))
    }

    /// A replay that serves a policy; `None` where it could not be made, see [`Ready::failed`].
    #[must_use]
    pub fn of(&self, policy: &Policy) -> Option<Arc<Replay>> {
        if self.base.fits(policy) {
            return Some(Arc::clone(&self.base));
        }
        let remake = self.remake?;
        let known = |made: &Vec<Arc<Replay>>| made.iter().find(|replay| replay.fits(policy)).cloned();
        if let Some(replay) = known(&self.made.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some(replay);
        }
        let replay = match remake(policy) {
            Ok(replay) => Arc::new(replay),
            Err(why) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                return None;
            }
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() >= KEPT {
            made.remove(0);
        }
        made.push(Arc::clone(&replay));
        Some(replay)
    }
}
