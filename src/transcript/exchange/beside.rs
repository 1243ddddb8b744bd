//! Whether a request goes on with a conversation or was asked beside it.

use crate::model::{BlockId, Role};

use super::Exchange;
use super::called::words;
use super::conversation::Conversation;
use super::weave::{Weave, telling};

impl Weave {
    /// Whether a request that begins as a conversation does was asked beside it, such as one for a title: the
    /// conversation goes on without it, or another model, system prompt or set of tools is asked the same. `by_words`
    /// where what it says may be all again with other words for results.
    pub(super) fn is_beside(
        &self,
        index: usize,
        old: &[u64],
        exchange: &Exchange,
        keys: &[(u64, u64)],
        prefix: u64,
        by_words: bool,
    ) -> bool {
        let known = self.prefixes.get(index).copied().unwrap_or_default();
        let asked = || keys.iter().map(|(key, _)| *key);
        if !asked().take(old.len()).eq(old.iter().copied()) {
            let held = self.conversations.get(index);
            if by_words && held.is_some_and(|held| known == prefix && self.is_taken_up(held, exchange)) {
                return false;
            }
            let again = keys.len() < old.len() && asked().eq(old.iter().take(keys.len()).copied());
            return self.later.goes_on(old.iter().copied(), self.now) || again && known != prefix;
        }
        if known == prefix {
            return false;
        }
        if keys.len() == old.len() {
            return !self.conversations.get(index).is_some_and(Conversation::failed);
        }
        self.later.goes_on_alike(old.iter().copied(), known, self.now)
            && !self.later.goes_on(asked().chain(answer_keys(exchange)), self.now)
    }

    /// Whether a request says all again that was said in a conversation, be it with other words for results.
    pub(super) fn says_again(&self, held: &Conversation, exchange: &Exchange) -> bool {
        let old = held.words(&self.builder);
        let by_model =
            |id: &BlockId| self.builder.transcript.block(*id).is_some_and(|block| block.role == Role::Assistant);
        held.history.window().iter().any(by_model) && words(&exchange.messages).take(old.len()).eq(old.iter().copied())
    }

    /// Whether a later request goes on from such a one and its answer: results may be cleared and sent whole again.
    pub(super) fn is_taken_up(&self, held: &Conversation, exchange: &Exchange) -> bool {
        let answered = exchange.answer.iter().flat_map(|answer| &answer.said);
        self.says_again(held, exchange)
            && self.later.goes_on_saying(words(&exchange.messages).chain(words(answered)), self.now)
    }
}

/// The keys of a request's answer by which conversations are told apart.
pub(super) fn answer_keys(exchange: &Exchange) -> impl Iterator<Item = u64> {
    exchange.answer.iter().flat_map(|answer| telling(&answer.said)).map(|piece| piece.key)
}
