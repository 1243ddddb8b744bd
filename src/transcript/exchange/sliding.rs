//! Clients that send the newest messages alone say the end of a conversation again, and nothing of what stood before it.

use crate::model::{BlockId, Role};

use super::Exchange;
use super::conversation::{Conversation, tells};
use super::restated::Compared;
use super::weave::{CANDIDATES, TELLING, Weave};

impl Weave {
    /// The conversation with whose end a request begins: its newest answer is said again, with more or less of what stands
    /// before that, and something new behind it.
    pub(super) fn sliding(&self, exchange: &Exchange, keys: &[(u64, u64)], prefix: u64) -> Option<usize> {
        if exchange.is_complete() {
            return None;
        }
        let like = |index: &usize| self.prefixes.get(*index) == Some(&prefix);
        let goes_on =
            |index: &usize| self.conversations.get(*index).is_some_and(|held| self.ends(held, exchange, keys));
        self.recent.values().rev().copied().filter(like).take(CANDIDATES).find(goes_on)
    }

    /// Whether a request begins with the end of a conversation. No conversation begins with an answer: where one is said
    /// first, however short, those before it were left out. Else what is said again is to be the conversation's own.
    fn ends(&self, held: &Conversation, exchange: &Exchange, keys: &[(u64, u64)]) -> bool {
        let role =
            |id: &BlockId| self.builder.transcript.block(*id).filter(|block| tells(block.layer)).map(|it| it.role);
        if held.history.window().iter().rev().find_map(role) != Some(Role::Assistant) {
            return false;
        }
        let Compared { old, keys, .. } = held.compared(&self.builder, &exchange.messages, keys);
        let begins = |count: usize| {
            let from = old.len().checked_sub(count).and_then(|from| old.get(from..));
            from.is_some_and(|end| end.iter().zip(&*keys).all(|(old, (key, _))| old == key))
        };
        let last = keys.iter().rposition(|(key, _)| Some(key) == old.last());
        let Some(again) = last.map(|last| last + 1).filter(|again| *again < keys.len() && begins(*again)) else {
            return false;
        };
        let mut said = exchange.messages.iter().filter(|said| said.pieces.iter().any(|piece| tells(piece.draft.layer)));
        let by_model = said.next().is_some_and(|first| first.by_model);
        let shared: u64 = keys.iter().take(again).map(|(_, length)| *length).sum();
        (by_model || shared >= TELLING)
            && !self.later.goes_on(held.message_keys(&self.builder, &[]).into_iter(), self.now)
    }
}
