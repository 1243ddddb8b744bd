//! Clients rewrite the first message with each request: a clock stands in it, or what was looked up for its question is
//! left out once that is answered. The rest is said again and goes on.

use crate::content::Sources;
use crate::model::{Block, BlockId, Body, Role};
use crate::transcript::parts::Piece;

use super::Exchange;
use super::conversation::{Conversation, tells};
use super::restated::{Compared, alike};
use super::weave::{CANDIDATES, TELLING, Weave};

/// Characters of a message that is a part of another one, at least.
const PART: usize = 12;

impl Weave {
    /// The conversation that a request goes on from, with its first message rewritten.
    pub(super) fn rewritten(
        &self,
        sources: &Sources,
        exchange: &Exchange,
        keys: &[(u64, u64)],
        prefix: u64,
    ) -> Option<usize> {
        if exchange.is_complete() {
            return None;
        }
        let like = |index: &usize| self.prefixes.get(*index) == Some(&prefix);
        let goes_on = |index: &usize| {
            let held = self.conversations.get(*index)?;
            self.is_rewritten(sources, held, exchange, keys)
        };
        let mut recent = self.recent.values().rev().copied().filter(like).take(CANDIDATES);
        recent.find(|index| goes_on(index).unwrap_or(false))
    }

    /// Whether a request says all of a conversation again but its first message, and more behind it. Where that is little
    /// (two may have been answered with "OK"), the first message is to be known in the new one. `None` where there is
    /// nothing to compare.
    fn is_rewritten(
        &self,
        sources: &Sources,
        held: &Conversation,
        exchange: &Exchange,
        keys: &[(u64, u64)],
    ) -> Option<bool> {
        let telling = |id: &BlockId| {
            let block = self.builder.transcript.block(*id).filter(|block| tells(block.layer));
            block.map(|block| (*id, block))
        };
        let window: Vec<(BlockId, &Block)> = held.history.window().iter().filter_map(telling).collect();
        let message = window.first().filter(|(_, block)| block.role != Role::Assistant)?.1.message;
        let (begun, rest): (Vec<_>, Vec<_>) = window.into_iter().partition(|(_, block)| block.message == message);
        let of = |piece: &&Piece| tells(piece.draft.layer);
        let first = exchange.messages.iter().find(|said| said.pieces.iter().any(|piece| of(&piece)))?;
        let first: Vec<&Piece> = first.pieces.iter().filter(of).filter(|_| !first.by_model).collect();
        let Compared { old, keys, .. } = held.compared(&self.builder, &exchange.messages, keys);
        let (old, new) = (old.get(begun.len()..)?, keys.get(first.len()..)?);
        let answered = rest.iter().any(|(_, block)| block.role == Role::Assistant);
        let again = new.len() > old.len() && old.iter().zip(new).all(|(old, (key, _))| old == key);
        if first.is_empty()
            || !answered
            || !again
            || self.later.goes_on(held.message_keys(&self.builder, &[]).into_iter(), self.now)
        {
            return Some(false);
        }
        let stays = first.iter().filter(|piece| begun.iter().any(|(id, _)| held.key(*id) == piece.key));
        let stays: u64 = stays.map(|piece| piece.draft.body.chars_or_bytes()).sum();
        let shared = stays + new.iter().take(old.len()).map(|(_, length)| *length).sum::<u64>();
        if shared >= TELLING * 2 {
            return Some(true);
        }
        let text = |bodies: &mut dyn Iterator<Item = &Body>| -> String {
            bodies.filter_map(|body| sources.body_text(body).ok()).collect()
        };
        let (before, now) = (
            text(&mut begun.iter().map(|(_, block)| &block.body)),
            text(&mut first.iter().map(|piece| &piece.draft.body)),
        );
        Some(is_part(before.trim(), now.trim()) || shared >= TELLING && alike(&before, &now))
    }
}

/// Whether one of two texts begins or ends with the other.
fn is_part(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    short.chars().nth(PART - 1).is_some() && (long.ends_with(short) || long.starts_with(short))
}
