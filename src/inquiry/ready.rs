//! Replays for every policy that is tried: the one that is there where it serves, others made when they are needed.

use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::Replay;
use crate::policy::Policy;

/// Makes a replay for a policy whose files, passages or instructions are prepared otherwise; else says why it cannot.
pub type Remake<'a> = dyn Fn(&Policy) -> Result<Replay, String> + Sync + 'a;

/// Replays that are kept, each with the policies that it serves.
const KEPT: usize = 64;
/// Policies that are kept of each.
const SERVED: usize = 256;

/// What tells a replay apart from those that are given something else. None is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Number(u32);

impl Number {
    /// That of the replay that was there first.
    pub(super) const BASE: Number = Number(0);
}

/// Replays of other policies by what they are given, the newest last; and the number of the next one.
#[derive(Default)]
struct Made {
    all: Vec<(Number, Vec<Arc<Replay>>)>,
    next: u32,
}

impl Made {
    /// One that serves a policy.
    fn known(&self, policy: &Policy) -> Option<(Number, Arc<Replay>)> {
        let serves = |(number, served): &(Number, Vec<Arc<Replay>>)| {
            served.iter().find(|replay| replay.fits(policy)).map(|replay| (*number, Arc::clone(replay)))
        };
        self.all.iter().find_map(serves)
    }
}

/// A replay that is there, and how to come to others.
pub struct Ready<'a> {
    base: Arc<Replay>,
    remake: Option<&'a Remake<'a>>,
    made: Mutex<Made>,
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
        self.base.fits(policy) || made.known(policy).is_some()
    }

    /// A replay that serves a policy; `None` where it could not be made, see [`Ready::failed`].
    #[must_use]
    pub fn of(&self, policy: &Policy) -> Option<Arc<Replay>> {
        self.numbered(policy).map(|(_, replay)| replay)
    }

    /// The same with what tells it apart: two policies of the same number are given the same, whatever their files and
    /// passages are prepared by.
    pub(super) fn numbered(&self, policy: &Policy) -> Option<(Number, Arc<Replay>)> {
        if self.base.fits(policy) {
            return Some((Number::BASE, Arc::clone(&self.base)));
        }
        let remake = self.remake?;
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made().known(policy) {
            return Some(known);
        }
        let replay = match remake(policy) {
            Ok(replay) => Arc::new(replay),
            Err(why) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                return None;
            }
        };
        let mut made = made();
        if replay.is_like(&self.base) {
            return Some((Number::BASE, self.serving(&mut made, Number::BASE, replay)));
        }
        let like = made.all.iter().find(|(_, served)| served.first().is_some_and(|known| known.is_like(&replay)));
        let number = like.map(|(number, _)| *number).unwrap_or_else(|| {
            made.next += 1;
            Number(made.next)
        });
        Some((number, self.serving(&mut made, number, replay)))
    }

    /// Keeps a replay among those of its number, with what they are given.
    fn serving(&self, made: &mut Made, number: Number, replay: Arc<Replay>) -> Arc<Replay> {
        let at = made.all.iter().position(|(known, _)| *known == number);
        let first = match number {
            Number::BASE => Some(&self.base),
            _ => at.and_then(|at| made.all.get(at)?.1.first()),
        };
        let replay = first.map_or_else(|| Arc::clone(&replay), |first| Arc::new(first.serving(&replay)));
        match at.and_then(|at| made.all.get_mut(at)) {
            Some((_, served)) => {
                if served.len() >= SERVED {
                    served.remove(1);
                }
                served.push(Arc::clone(&replay));
            }
            None => {
                if made.all.len() >= KEPT {
                    made.all.remove(0);
                }
                made.all.push((number, vec![Arc::clone(&replay)]));
            }
        }
        replay
    }
}
