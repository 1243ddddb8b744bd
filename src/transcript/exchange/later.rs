//! What the rest of a log says of a request: whether a later one goes on from it, or from what it seems to take back.

use std::collections::HashMap;

use crate::content::hash;
use crate::model::Coding;

use super::Exchange;
use super::called::words;
use super::conversation::tells;

/// Which windows and answers are gone on from later: a conversation that will be said again whole has not shrunk, and a
/// request that nobody goes on from, while its history is, was asked beside it.
#[derive(Default)]
pub(super) struct Later {
    /// The last request that begins with these keys.
    last: HashMap<u64, usize>,
    /// The same, with a model, system prompt and tools.
    alike: HashMap<u64, usize>,
    /// The last request that begins with these words and calls, whatever stands for the results between them.
    words: HashMap<u64, usize>,
    /// The last request that names this answer as what it goes on from.
    named: HashMap<String, usize>,
}

impl Later {
    /// Takes in the requests of a file, in order.
    pub(super) fn of<'e>(exchanges: impl Iterator<Item = &'e Exchange>) -> Later {
        let mut later = Later::default();
        for (at, exchange) in exchanges.enumerate() {
            let prefix = prefix_of(exchange);
            let mut sum = 0;
            for piece in exchange.messages.iter().flat_map(|said| &said.pieces) {
                if tells(piece.draft.layer) {
                    sum = joined(sum, piece.key);
                    later.last.insert(sum, at);
                    later.alike.insert(joined(sum, prefix), at);
                }
            }
            let mut sum = 0;
            for word in words(&exchange.messages) {
                sum = joined(sum, word);
                later.words.insert(sum, at);
            }
            if let Some(after) = &exchange.after {
                later.named.insert(after.clone(), at);
            }
        }
        later
    }

    /// Whether a request after this one begins with all of the keys.
    pub(super) fn goes_on(&self, keys: impl Iterator<Item = u64>, now: usize) -> bool {
        self.last.get(&keys.fold(0, joined)).is_some_and(|last| *last > now)
    }

    /// Whether one does with all of the words.
    pub(super) fn goes_on_saying(&self, words: impl Iterator<Item = u64>, now: usize) -> bool {
        self.words.get(&words.fold(0, joined)).is_some_and(|last| *last > now)
    }

    /// Whether one does that has this model, system prompt and tools.
    pub(super) fn goes_on_alike(&self, keys: impl Iterator<Item = u64>, prefix: u64, now: usize) -> bool {
        self.alike.get(&joined(keys.fold(0, joined), prefix)).is_some_and(|last| *last > now)
    }

    /// Whether a request after this one goes on from the answer of that id.
    pub(super) fn names(&self, id: &str, now: usize) -> bool {
        self.named.get(id).is_some_and(|last| *last > now)
    }
}

fn joined(sum: u64, key: u64) -> u64 {
    (sum.rotate_left(5) ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A hash of the model that is asked, the system prompt that the request begins with, and its tools.
pub(super) fn prefix_of(exchange: &Exchange) -> u64 {
    let model = exchange.asked_of.as_deref().unwrap_or_default();
    let messages = exchange.messages.iter().flat_map(|said| &said.pieces);
    let first = messages.take_while(|piece| !tells(piece.draft.layer));
    let pieces = exchange.prefix.iter().flat_map(|said| &said.pieces).chain(first);
    let fixed = pieces.filter(|piece| piece.draft.layer.is_prompt());
    fixed.fold(hash(model.as_bytes(), Coding::Plain), |sum, piece| sum.rotate_left(9) ^ piece.key)
}
