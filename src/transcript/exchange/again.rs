//! What a request says again of a conversation, and how the window follows it.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::content::Sources;
use crate::model::{Block, BlockId, Body, CallKey, Compaction, Layer, Record, RequestId, RewindCause, Role};
use crate::transcript::build::Builder;
use crate::transcript::parts::Piece;

use super::conversation::{Conversation, Writer, is_prefix, tells};
use super::restated::alike;
use super::{Said, is_compaction, note, shrunk};

/// Blocks of a conversation that may stand for what is said again, each once, oldest first.
#[derive(Default)]
struct Known {
    /// By what they say, and the call that they make or answer. Many results may say the same, markers above all: each
    /// is its own call's.
    own: HashMap<(u64, Option<CallKey>), VecDeque<BlockId>>,
    /// By what they say alone.
    any: HashMap<u64, VecDeque<BlockId>>,
    used: HashSet<BlockId>,
}

impl Known {
    fn take(&mut self, piece: &Piece) -> Option<BlockId> {
        let used = &self.used;
        // What is passed is in use, and stays so.
        let first = |list: Option<&mut VecDeque<BlockId>>| {
            let list = list?;
            std::iter::from_fn(|| list.pop_front()).find(|id| !used.contains(id))
        };
        let own = first(self.own.get_mut(&(piece.key, piece.draft.call)));
        let found = own.or_else(|| first(self.any.get_mut(&piece.key)));
        self.used.extend(found);
        found
    }
}

impl Conversation {
    /// The blocks that may stand for what is `said`, but for those that are `used` already.
    fn known(&self, builder: &Builder, used: &[BlockId], said: &[Said]) -> Known {
        let calls: HashSet<CallKey> =
            said.iter().flat_map(|one| &one.pieces).filter_map(|piece| piece.draft.call).collect();
        let before: HashSet<BlockId> = used.iter().copied().collect();
        let mut known = Known::default();
        for (id, key) in self.keys.iter().filter(|(id, _)| !before.contains(id)) {
            let call = builder.transcript.block(*id).and_then(|block| block.call);
            known.own.entry((*key, call)).or_default().push_back(*id);
            // What stands for one call's result is no other's, and what a call that is said again made or got.
            if !self.restated.blocks.contains(id) && call.is_none_or(|call| !calls.contains(&call)) {
                known.any.entry(*key).or_default().push_back(*id);
            }
        }
        known
    }

    /// Brings the window to what is said again; returns what is new after that.
    pub(super) fn agree(&mut self, writer: &mut Writer<'_>, said: Vec<Said>, record: Record) -> Vec<Said> {
        self.restate(writer, &said, record);
        let window = self.history.window().to_vec();
        let keys: Vec<u64> = said.iter().flat_map(|one| one.pieces.iter().map(|piece| piece.key)).collect();
        let common = window.iter().zip(&keys).take_while(|(id, key)| self.key(**id) == **key).count();
        if common == window.len() {
            return self.without(said, common);
        }
        let mut reused: Vec<Option<BlockId>> = window.iter().take(common).copied().map(Some).collect();
        let mut known = self.known(writer.builder, &window[..common], &said);
        // Behind the last answer stands what is asked now: from its first new words on all of it is new.
        let asked = said.iter().rposition(|one| one.by_model);
        let asked = asked.map(|last| said[..=last].iter().map(|one| one.pieces.len()).sum::<usize>());
        let mut is_new = false;
        for (at, piece) in said.iter().flat_map(|one| &one.pieces).enumerate().skip(common) {
            if is_new {
                reused.push(None);
                continue;
            }
            let found = known.take(piece);
            reused.push(found);
            is_new = found.is_none() && asked.is_some_and(|asked| at >= asked) && tells(piece.draft.layer);
        }
        let pieces: Vec<&Piece> = said.iter().flat_map(|one| &one.pieces).collect();
        let notes = note::notes(writer.sources, writer.builder, &window, &reused, &pieces);
        let (mut again, shrunk) = if let Some(awaited) = self.awaited(writer, &window, &reused, &said) {
            (awaited, None)
        } else {
            let again = reused.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            let again = again.max(self.altered(writer, &window, &reused, &said));
            let shrunk = shrunk::Shrunk::of(writer.builder, &window, &reused, &said, &notes, self.waits());
            (shrunk.as_ref().map_or(again, |shrunk| shrunk.until), shrunk)
        };
        while notes.contains(&again) {
            again += 1;
        }
        let mut next: Vec<BlockId> = Vec::new();
        let mut rest: Vec<Said> = Vec::new();
        let mut at = 0;
        for mut one in said {
            let count = one.pieces.len();
            let before = again.saturating_sub(at).min(count);
            let later = one.pieces.split_off(before);
            if !one.pieces.is_empty() {
                let mut message = None;
                for (place, (piece, known)) in (at..).zip(one.pieces.into_iter().zip(reused.iter().skip(at))) {
                    next.push(known.unwrap_or_else(|| {
                        let message = *message
                            .get_or_insert_with(|| writer.builder.message(one.role, one.record, writer.at, None));
                        let key = piece.key;
                        let draft = match &shrunk {
                            _ if notes.contains(&place) => note::note(piece.draft),
                            Some(_) => shrunk::summary(writer.sources, piece.draft),
                            None => piece.draft,
                        };
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
            self.send_prompt(writer, &window, &next, record);
            let compaction = Compaction {
                record,
                trigger: None,
                tokens_before: self.history.context(),
                tokens_after: None,
                window: next,
                summariser: None,
                inferred: true,
            };
            self.history.compact(writer.builder, compaction);
            return rest;
        }
        // Reasoning that is left out of what stays is told apart from all else that changed.
        let (kept, of) =
            (next.iter().copied().collect::<HashSet<BlockId>>(), |id: &BlockId| is_thinking(writer.builder, *id));
        let end = window.iter().rposition(|id| kept.contains(id) && !of(id)).unwrap_or(0);
        let silent = |(at, id): &(usize, &BlockId)| *at < end && of(id) && !kept.contains(id);
        let less: Vec<BlockId> = window.iter().enumerate().filter(|one| !silent(one)).map(|(_, id)| *id).collect();
        self.history.rewind(writer.builder, record, RewindCause::ThinkingDropped, less.clone());
        let cause = cause(writer.builder, &less, &next);
        self.history.rewind(writer.builder, record, cause, next);
        rest
    }

    /// Where the answer begins to the newest request, of which the log holds no answer: everything before it is what was
    /// asked then, though the last message may be said in a few words more or less. `None` where it is not to be told.
    fn awaited(
        &self,
        writer: &Writer<'_>,
        window: &[BlockId],
        reused: &[Option<BlockId>],
        said: &[Said],
    ) -> Option<usize> {
        if !self.waits() {
            return None;
        }
        let (mut at, mut answer) = (0, None);
        for one in said {
            let known = reused.get(at..at + one.pieces.len())?;
            if one.by_model && !known.is_empty() {
                answer = if known.iter().any(Option::is_some) { None } else { answer.or(Some(at)) };
            }
            at += one.pieces.len();
        }
        let answer = answer?;
        let before = reused.get(..answer)?;
        let kept: HashSet<BlockId> = before.iter().flatten().copied().collect();
        let end = window.iter().rposition(|id| kept.contains(id)).map_or(0, |last| last + 1);
        let block = |id: &BlockId| writer.builder.transcript.block(*id).filter(|block| tells(block.layer));
        let lost: Vec<&Block> = window.iter().filter(|id| !kept.contains(id)).filter_map(block).collect();
        let asked = window.get(end..)?.iter().filter_map(block).count();
        let from = before.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let pieces = said.iter().flat_map(|one| &one.pieces).take(answer).skip(from);
        let mut left = lost.iter();
        let alike = |piece: &Piece| left.any(|block| is_alike(writer.sources, &block.body, &piece.draft.body));
        let is_asked = asked == lost.len() && lost.iter().all(|block| block.role != Role::Assistant);
        let mut pieces = pieces.filter(|piece| tells(piece.draft.layer));
        (is_asked && pieces.all(alike)).then_some(answer)
    }

    /// Another system prompt or other tools than before come with a shorter history: they are no part of what that stands
    /// for.
    fn send_prompt(&mut self, writer: &mut Writer<'_>, window: &[BlockId], next: &[BlockId], record: Record) {
        let is_prompt = |id: &&BlockId| writer.builder.transcript.block(**id).is_some_and(is_prefix);
        let rest = window.iter().filter(|id| !is_prompt(id));
        let sent: Vec<BlockId> = next.iter().filter(is_prompt).chain(rest).copied().collect();
        self.history.rewind(writer.builder, record, RewindCause::Edited, sent);
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
        let mut lost: VecDeque<(usize, RequestId)> =
            missing.filter_map(|(place, id)| Some((place, answer(id)?))).collect();
        // Those of which something is said again, or in whose place something else is.
        let mut done: HashSet<RequestId> = HashSet::new();
        let (mut at, mut until, mut follows, mut open) = (0, 0, true, false);
        for one in said {
            let known = reused.get(at..at + one.pieces.len()).unwrap_or_default();
            at += known.len();
            let whole = known.iter().all(Option::is_some);
            for id in known.iter().flatten() {
                let place = places.get(id).copied().unwrap_or(0);
                while lost.front().is_some_and(|(before, _)| *before < place) {
                    lost.pop_front();
                }
                done.extend(answer(id));
            }
            while lost.front().is_some_and(|(_, request)| done.contains(request)) {
                lost.pop_front();
            }
            if !one.by_model {
                // What is new between is a turn of which the log may not hold the request.
                (follows, open) = (whole, false);
            } else if known.iter().any(Option::is_some) {
                (until, follows, open) = (at, true, true);
            } else if open && writer.dialect.items {
                until = at;
            } else if let Some((_, request)) = lost.front().filter(|_| follows) {
                done.insert(*request);
                (until, open) = (at, true);
            } else {
                follows = false;
            }
        }
        until
    }
}

/// Why the window changed. Who goes back leaves an answer behind that nothing stands for: a client that says its last
/// message otherwise in each request does not. The prompt is sent with each request anyway, whatever it says.
fn cause(builder: &Builder, old: &[BlockId], new: &[BlockId]) -> RewindCause {
    let block = |id: &BlockId| builder.transcript.block(*id).filter(|block| tells(block.layer));
    let by_model = |id: &BlockId| block(id).is_some_and(|block| block.role == Role::Assistant);
    let (before, after): (HashSet<_>, HashSet<_>) = (old.iter().collect(), new.iter().collect());
    let left = match new.iter().rfind(|id| block(id).is_some()) {
        Some(last) => old.iter().position(|id| id == last).and_then(|last| old.get(last + 1..)).unwrap_or_default(),
        None => old,
    };
    if left.iter().any(by_model) && !left.iter().any(|id| block(id).is_some() && after.contains(id)) {
        return RewindCause::Rewound;
    }
    let gone = old.iter().filter(|id| !after.contains(id));
    let same = new.iter().all(|id| before.contains(id));
    if same && gone.clone().count() > 0 && gone.clone().all(|id| is_thinking(builder, *id)) {
        RewindCause::ThinkingDropped
    } else {
        RewindCause::Edited
    }
}

fn is_thinking(builder: &Builder, id: BlockId) -> bool {
    builder.transcript.block(id).is_some_and(|block| block.layer == Layer::Thinking)
}

/// Whether two texts are one that something was put before or behind.
fn is_alike(sources: &Sources, one: &Body, other: &Body) -> bool {
    let text = |body: &Body| match body {
        Body::Text { .. } => sources.body_text(body).ok(),
        _ => None,
    };
    text(one).zip(text(other)).is_some_and(|(one, other)| alike(&one, &other))
}
