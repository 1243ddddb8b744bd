//! Which call an id names: some clients number the calls of every answer anew.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::model::{BlockId, BlockKind, CallKey, Layer};
use crate::transcript::build::Builder;
use crate::transcript::calls::another;
use crate::transcript::parts::Piece;

use super::conversation::Conversation;
use super::{Said, conversation::tells};

/// The calls of a conversation whose ids have named others before them: each has a key of its own.
#[derive(Clone, Default)]
pub(super) struct Called(HashMap<CallKey, CallKey>);

impl Called {
    /// The key that the id alone gives.
    fn id(&self, call: CallKey) -> CallKey {
        self.0.get(&call).copied().unwrap_or(call)
    }
}

/// A call of the conversation.
struct Made {
    /// What it was made with.
    key: u64,
    call: CallKey,
    in_window: bool,
    used: bool,
}

fn is_call(piece: &Piece) -> bool {
    piece.draft.kind == BlockKind::ToolCall
}

/// The calls that ids name at some place of a conversation.
#[derive(Default)]
struct Now {
    open: HashMap<CallKey, Open>,
    /// How often somebody has spoken.
    spoken: u64,
}

/// The calls of the newest answer that has some with this id.
#[derive(Default)]
struct Open {
    calls: VecDeque<CallKey>,
    is_answered: bool,
    /// How often somebody had spoken when the newest of them was made.
    spoken: u64,
}

impl Now {
    fn make(&mut self, id: CallKey, call: CallKey) {
        let open = self.open.entry(id).or_default();
        // Calls that have no result when somebody speaks get none.
        if std::mem::take(&mut open.is_answered) || open.spoken < self.spoken {
            open.calls.clear();
        }
        open.spoken = self.spoken;
        open.calls.push_back(call);
    }

    /// The call that the next result of an id is of: of calls made at once, each has its own in turn.
    fn answer(&mut self, id: CallKey) -> Option<CallKey> {
        let open = self.open.get_mut(&id)?;
        open.is_answered = true;
        if open.calls.len() > 1 { open.calls.pop_front() } else { open.calls.front().copied() }
    }

    /// Somebody speaks.
    fn speak(&mut self) {
        self.spoken += 1;
    }
}

/// For each piece that makes a call, the key of the first result behind it that names the same one.
fn results(pieces: &[&Piece]) -> Vec<Option<u64>> {
    let (mut next, mut found): (HashMap<CallKey, u64>, Vec<Option<u64>>) = (HashMap::new(), Vec::new());
    for piece in pieces.iter().rev() {
        let call = piece.draft.call;
        found.push(call.filter(|_| is_call(piece)).and_then(|call| next.get(&call).copied()));
        next.extend(call.filter(|_| !is_call(piece)).map(|call| (call, piece.key)));
    }
    found.reverse();
    found
}

impl Conversation {
    /// The calls that pieces make or answer, where `anew` says that all of them come after the window; else they say it
    /// again. A result is of the nearest call before it that has its id.
    pub(super) fn calls(&self, builder: &Builder, pieces: &[&Piece], anew: bool) -> Vec<Option<CallKey>> {
        if self.called.0.is_empty() && !self.is_repeated(builder, pieces, anew) {
            return pieces.iter().map(|piece| piece.draft.call).collect();
        }
        let (mut made, mut taken, mut now): (HashMap<CallKey, Vec<Made>>, HashSet<CallKey>, Now) = Default::default();
        let mut got: HashSet<(CallKey, u64)> = HashSet::new();
        let held: HashSet<BlockId> = self.history.window().iter().copied().collect();
        let window = self.history.window().iter().copied();
        let others = self.keys.iter().map(|(id, _)| *id).filter(|id| !held.contains(id));
        for (block, in_window) in window.map(|id| (id, true)).chain(others.map(|id| (id, false))) {
            let Some(found) = builder.transcript.block(block) else { continue };
            let Some(call) = found.call else {
                if in_window && found.layer == Layer::User {
                    now.speak();
                }
                continue;
            };
            let id = self.called.id(call);
            if found.kind == BlockKind::ToolCall {
                taken.insert(call);
                made.entry(id).or_default().push(Made { key: self.key(block), call, in_window, used: false });
                if anew && in_window {
                    now.make(id, call);
                }
            } else {
                got.insert((call, self.key(block)));
                if anew && in_window {
                    now.answer(id);
                }
            }
        }
        let mut often: HashMap<CallKey, usize> = HashMap::new();
        pieces.iter().filter(|piece| is_call(piece)).filter_map(|piece| piece.draft.call).for_each(|call| {
            *often.entry(self.called.id(call)).or_default() += 1;
        });
        let results = results(pieces);
        let (mut taken_until, mut numbers): (HashMap<CallKey, usize>, HashMap<CallKey, u64>) = Default::default();
        let mut calls = Vec::with_capacity(pieces.len());
        for (at, piece) in pieces.iter().enumerate() {
            let Some(call) = piece.draft.call else {
                if piece.draft.layer == Layer::User {
                    now.speak();
                }
                calls.push(None);
                continue;
            };
            let id = self.called.id(call);
            if !is_call(piece) {
                calls.push(now.answer(id).or_else(|| self.answered(builder, id, piece.key)).or(Some(id)));
                continue;
            }
            let result = results.get(at).copied().flatten();
            // Calls are said again in their order: those before are taken as a rule.
            let all = made.get_mut(&id).filter(|_| !anew).map(Vec::as_mut_slice).unwrap_or_default();
            let from = taken_until.entry(id).or_default();
            *from += all.iter().skip(*from).take_while(|one| one.used).count();
            let known = all.get_mut(*from..).unwrap_or_default();
            let only = often.get(&id) == Some(&1) && known.iter().filter(|one| one.in_window).count() == 1;
            let place = |is: &dyn Fn(&Made) -> bool| known.iter().position(|one| !one.used && is(one));
            let own = |one: &Made| result.is_some_and(|result| got.contains(&(one.call, result)));
            let same = place(&|one| one.key == piece.key && own(one)).or_else(|| place(&|one| one.key == piece.key));
            // A client may change what it was made with.
            let same = same.or_else(|| place(&|one| only && one.in_window));
            let known = same.and_then(|at| known.get_mut(at)).map(|one| {
                one.used = true;
                one.call
            });
            let call = known.unwrap_or_else(|| {
                // Keys that are taken stay so.
                let number = numbers.entry(id).or_default();
                while taken.contains(&another(id, *number)) {
                    *number += 1;
                }
                another(id, *number)
            });
            taken.insert(call);
            now.make(id, call);
            calls.push(Some(call));
        }
        calls
    }

    /// The call that a result of the window with that id is of: of those that say the same, else of any.
    fn answered(&self, builder: &Builder, id: CallKey, key: u64) -> Option<CallKey> {
        let results =
            self.history.window().iter().filter_map(|block| Some((*block, builder.transcript.block(*block)?)));
        let own = results.filter(|(_, block)| block.kind != BlockKind::ToolCall && block.call.is_some());
        let own: Vec<(BlockId, CallKey)> = own
            .filter_map(|(at, block)| Some((at, block.call?)))
            .filter(|(_, call)| self.called.id(*call) == id)
            .collect();
        own.iter().find(|(at, _)| self.key(*at) == key).or(own.first()).map(|(_, call)| *call)
    }

    /// Whether an id names more than one call of the window and the pieces.
    fn is_repeated(&self, builder: &Builder, pieces: &[&Piece], anew: bool) -> bool {
        let mut said: HashMap<CallKey, u64> = HashMap::new();
        let calls =
            pieces.iter().filter(|piece| is_call(piece)).filter_map(|piece| Some((piece.draft.call?, piece.key)));
        for (call, key) in calls {
            if said.insert(call, key).is_some() {
                return true;
            }
        }
        let blocks = self.history.window().iter().filter_map(|id| Some((*id, builder.transcript.block(*id)?)));
        let mut calls = blocks.filter(|(_, block)| block.kind == BlockKind::ToolCall);
        let other = |id, key: &u64| anew || self.key(id) != *key;
        calls.any(|(id, block)| block.call.and_then(|call| said.get(&call)).is_some_and(|key| other(id, key)))
    }

    /// Gives what is said the calls that it makes and answers.
    pub(super) fn call(&mut self, builder: &Builder, said: &mut [Said], anew: bool) {
        let pieces: Vec<&Piece> = said.iter().flat_map(|one| &one.pieces).collect();
        let calls = self.calls(builder, &pieces, anew);
        for (piece, call) in said.iter_mut().flat_map(|one| &mut one.pieces).zip(calls) {
            if let (Some(own), Some(call)) = (piece.draft.call, call)
                && own != call
            {
                self.called.0.insert(call, self.called.id(own));
                piece.draft.call = Some(call);
            }
        }
    }

    /// What tells this conversation from others whatever became of the results in it: what was said, and the calls.
    pub(super) fn words(&self, builder: &Builder) -> Vec<u64> {
        let blocks = self.history.window().iter().filter_map(|id| Some((*id, builder.transcript.block(*id)?)));
        let words = blocks.filter(|(_, block)| tells(block.layer) && !is_result(block.layer));
        words.map(|(id, block)| word(block.kind, block.call.map(|call| self.called.id(call)), self.key(id))).collect()
    }
}

/// The same of what is said.
pub(super) fn words<'s>(said: impl IntoIterator<Item = &'s Said>) -> impl Iterator<Item = u64> {
    let pieces = said.into_iter().flat_map(|one| &one.pieces);
    let words = pieces.filter(|piece| tells(piece.draft.layer) && !is_result(piece.draft.layer));
    words.map(|piece| word(piece.draft.kind, piece.draft.call, piece.key))
}

fn is_result(layer: Layer) -> bool {
    layer == Layer::ToolResults
}

fn word(kind: BlockKind, id: Option<CallKey>, key: u64) -> u64 {
    let id = id.filter(|_| kind == BlockKind::ToolCall);
    id.map_or(key, |id| key ^ id.0.rotate_left(17))
}
