//! Tokens of texts that the replays of a session make alike, counted once for all of them.

use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::plan::Plan;

/// Texts that are remembered; what is more is counted anew.
const MOST: usize = 1 << 18;

/// Tokens by the hash of a text and of how it is counted.
#[derive(Debug, Default)]
pub struct Counted(RwLock<FxHashMap<u128, u64>>);

impl Counted {
    /// Tokens of a text, as a plan's own texts are counted.
    pub(super) fn of(&self, text: &str, plan: &Plan) -> u64 {
        let key = xxh3_128_with_seed(text.as_bytes(), plan.factor.to_bits() ^ plan.encoding as u64);
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *known;
        }
        let tokens = plan.tokens_of(text);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST {
            known.insert(key, tokens);
        }
        tokens
    }
}
