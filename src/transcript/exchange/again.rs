//! What a request says again of a conversation, and how the window follows it.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::{BlockId, CallKey, Compaction, Layer, Record, RequestId, RewindCause, Role};
use crate::transcript::build::Builder;

use super::conversation::{Conversation, Writer};
use super::{Said, is_compaction, shrunk};

impl Conversation {
    /// Brings the window to what is said again; returns what is new after that.
    pub(super) fn agree(&mut self, writer: &mut Writer<'_>, said: Vec<Said>, record: Record) -> Vec<Said> {
        self.restate(writer, &said, record);
        let window = self.history.window().to_vec();
        let keys: Vec<u64> = said.iter().flat_map(|one| one.pieces.iter().map(|piece| piece.key)).collect();
        let common = window.iter().zip(&keys).take_while(|(id, key)| self.key(**id) == **key).count();
        if common == window.len() {
            return self.without(said, common);
        }
        // Which known blocks stand for the rest, each once.
        let mut known: HashMap<u64, Vec<BlockId>> = HashMap::new();
        for (id, key) in &self.keys {
            known.entry(*key).or_default().push(*id);
        }
        let mut used: HashSet<BlockId> = window.iter().take(common).copied().collect();
        let mut reused: Vec<Option<BlockId>> = window.iter().take(common).copied().map(Some).collect();
        let block = |id: BlockId| writer.builder.transcript.block(id);
        let calls: HashSet<CallKey> =
            said.iter().flat_map(|one| &one.pieces).filter_map(|piece| piece.draft.call).collect();
        for piece in said.iter().flat_map(|one| &one.pieces).skip(common) {
            let open = || known.get(&piece.key).into_iter().flatten().filter(|id| !used.contains(*id)).copied();
            // Many results may say the same, markers above all: each is its own call's.
            let own = open().find(|id| block(*id).is_some_and(|block| block.call == piece.draft.call));
            // What stands for one call's result is no other's, and what a call that is said again made or got.
            let others = |id: &BlockId| {
                let call = block(*id).and_then(|block| block.call).filter(|call| Some(*call) != piece.draft.call);
                call.is_some_and(|call| calls.contains(&call))
            };
            let found = own.or_else(|| open().find(|id| !self.restated.blocks.contains(id) && !others(id)));
            used.extend(found);
            reused.push(found);
        }
        let again = reused.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let again = again.max(self.altered(writer, &window, &reused, &said));
        let shrunk = shrunk::Shrunk::of(writer.builder, &window, &reused, &said, self.waits());
        let again = shrunk.as_ref().map_or(again, |shrunk| shrunk.until);
        let mut next: Vec<BlockId> = Vec::new();
        let mut rest: Vec<Said> = Vec::new();
        let mut at = 0;
        for mut one in said {
            let count = one.pieces.len();
            let before = again.saturating_sub(at).min(count);
            let later = one.pieces.split_off(before);
            if !one.pieces.is_empty() {
                let mut message = None;
                for (piece, known) in one.pieces.into_iter().zip(reused.iter().skip(at)) {
                    next.push(known.unwrap_or_else(|| {
                        let message = *message
                            .get_or_insert_with(|| writer.builder.message(one.role, one.record, writer.at, None));
                        let key = piece.key;
                        let draft = if shrunk.is_some() { shrunk::summary(piece.draft) } else { piece.draft };
                        let id = writer.builder.block(message, draft);
                        self.remember(id, key);
                        id
                    }));
                }
            }
            if !later.is_empty() || count == 0 && at >= again {
                rest.push(Said { pieces: later, ..one });
            }
            at += count;
        }
        if shrunk.is_some() {
            self.history.compact(Compaction {
                record,
                trigger: None,
                tokens_before: self.history.context(),
                tokens_after: None,
                window: next,
                summariser: None,
                inferred: true,
            });
            return rest;
        }
        let cause = cause(writer.builder, &window, &next);
        self.history.rewind(record, cause, next);
        rest
    }

    /// What is left of the messages after so many blocks.
    fn without(&self, said: Vec<Said>, mut count: usize) -> Vec<Said> {
        let mut rest = Vec::new();
        for mut one in said {
            let pieces = one.pieces.len();
            if count >= pieces && (pieces > 0 || count > 0) {
                count -= pieces;
                continue;
            }
            one.pieces.drain(..count);
            count = 0;
            rest.push(one);
        }
        rest
    }

    /// Leaves out of a request what a summary in it stands for. Clients may send that again together with the summary;
    /// the provider drops it. What the compaction kept stays.
    pub(super) fn leave_out(&self, said: &mut Vec<Said>, fixed: usize) {
        let left = |key: u64| {
            let of = |window: &[BlockId]| window.iter().position(|id| self.key(*id) == key);
            self.history.compacted().find_map(|window| window.get(..of(window)?))
        };
        let pieces = said.iter().flat_map(|one| &one.pieces).enumerate();
        let summaries: Vec<(usize, u64)> =
            pieces.filter(|(_, piece)| is_compaction(piece)).map(|(at, piece)| (at, piece.key)).collect();
        let found = summaries.into_iter().rev().find_map(|(at, key)| Some((at, left(key)?)));
        let Some((end, stays)) = found else { return };
        let mut stays: Vec<u64> = stays.iter().map(|id| self.key(*id)).collect();
        let mut at = 0;
        for one in said.iter_mut().filter(|one| !one.pieces.is_empty()) {
            one.pieces.retain(|piece| {
                let index = at;
                at += 1;
                let kept = stays.iter().position(|key| *key == piece.key).filter(|_| index < end);
                if let Some(kept) = kept {
                    stays.swap_remove(kept);
                }
                index < fixed || index >= end || kept.is_some()
            });
            one.recaps &= !one.pieces.is_empty();
        }
        said.retain(|one| !one.pieces.is_empty() || !one.unknown.is_empty());
    }

    /// How many pieces there are up to the last answer that is said again otherwise than the model gave it: with other
    /// arguments, without its text. Such a message answers nothing, so that it makes no step.
    fn altered(&self, writer: &Writer<'_>, window: &[BlockId], reused: &[Option<BlockId>], said: &[Said]) -> usize {
        let places: HashMap<BlockId, usize> = window.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        let again: HashSet<BlockId> = reused.iter().flatten().copied().collect();
        let transcript = &writer.builder.transcript;
        let answer = |id: &BlockId| transcript.messages.get(transcript.block(*id)?.message.0 as usize)?.request;
        // Answers of which something is missing, by their places in the window.
        let missing = window.iter().enumerate().filter(|(_, id)| !again.contains(id));
        let mut lost: BTreeMap<usize, RequestId> =
            missing.filter_map(|(place, id)| Some((place, answer(id)?))).collect();
        let (mut at, mut until, mut follows, mut open) = (0, 0, true, false);
        for one in said {
            let known = reused.get(at..at + one.pieces.len()).unwrap_or_default();
            at += known.len();
            let whole = known.iter().all(Option::is_some);
            for id in known.iter().flatten() {
                if let Some(place) = places.get(id) {
                    lost = lost.split_off(place);
                }
                let its = answer(id);
                lost.retain(|_, request| Some(*request) != its);
            }
            if !one.by_model {
                // What is new between is a turn of which the log may not hold the request.
                (follows, open) = (whole, false);
            } else if known.iter().any(Option::is_some) {
                (until, follows, open) = (at, true, true);
            } else if open && writer.dialect.items {
                until = at;
            } else if let Some((_, request)) = lost.first_key_value().filter(|_| follows) {
                let request = *request;
                lost.retain(|_, other| *other != request);
                (until, open) = (at, true);
            } else {
                follows = false;
            }
        }
        until
    }
}

/// Why the window changed. Who goes back leaves an answer behind: a client that says its last message otherwise in each
/// request does not.
fn cause(builder: &Builder, old: &[BlockId], new: &[BlockId]) -> RewindCause {
    let by_model = |id: &BlockId| builder.transcript.block(*id).is_some_and(|block| block.role == Role::Assistant);
    if old.strip_prefix(new).is_some_and(|left| left.iter().any(by_model)) {
        return RewindCause::Rewound;
    }
    let (before, after): (HashSet<_>, HashSet<_>) = (old.iter().collect(), new.iter().collect());
    let thinking = |id: &&BlockId| builder.transcript.block(**id).is_some_and(|block| block.layer == Layer::Thinking);
    let gone = old.iter().filter(|id| !after.contains(id));
    let same = new.iter().all(|id| before.contains(id));
    if same && gone.clone().count() > 0 && gone.clone().all(|id| thinking(&id)) {
        RewindCause::ThinkingDropped
    } else {
        RewindCause::Edited
    }
}
