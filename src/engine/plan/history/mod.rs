//! From what a transcript says happened to the full history, as if nothing had ever been compacted.
//!
//! Compactions and clearings are ignored, summaries and what was put back with them are left out, rewinds are
//! honoured.

mod between;
mod rewound;
mod rooms;

use std::collections::{HashMap, HashSet};

use between::Between;
use rewound::Snapshot;
use rooms::Rooms;

use super::copies::{Copies, are_put_back};
use super::replaced::Replaced;
use super::superseded::Superseded;
use super::usage::{fixed, put_back, reconcile};
use super::{Ask, Back, Boundary, Feed, Item, NONE, Plan, Unit, index};
use crate::engine::{StepFacts, own_summaries};
use crate::model::{
    Block, BlockId, BlockKind, Body, CallKey, CutShape, Fate, Layer, Op, Request, RewindCause, Role, ThreadId,
    ThreadKind, Transcript,
};
use crate::tokens::{Count, Encoding, scaled};

/// How the texts of a transcript are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// What texts are counted with.
    pub encoding: Encoding,
    /// What counts are scaled by; 1 where they are not.
    pub factor: f64,
    /// Whether texts are admitted as they were before the agent cut them, where the transcript holds that.
    pub originals: bool,
}

impl Plan {
    /// Works out the full history of a thread. `count` counts a block (`true`: its original, uncut text).
    #[must_use]
    pub fn new(
        transcript: &Transcript,
        thread: ThreadId,
        counted: Counted,
        count: impl Fn(BlockId, bool) -> Count,
        facts: impl Fn(&Request) -> StepFacts,
    ) -> Plan {
        let mut history = History::new(transcript, thread, counted, &count);
        let Some(happened) = transcript.thread(thread) else { return history.plan };
        for op in &happened.ops {
            match op {
                Op::Add(block) => match &mut history.since {
                    Some(since) => since.push(*block),
                    None => history.add(*block),
                },
                Op::Request(id) => {
                    let Some(request) = happened.requests.get(id.0 as usize) else { continue };
                    history.settle();
                    history.flush();
                    let facts = facts(request);
                    history.plan.feed.push(Feed::Ask);
                    history.plan.asks.push(Ask {
                        request: *id,
                        record: request.record,
                        model: request.model.clone(),
                        usage: request.usage,
                        asides: facts.asides,
                        unpriced: facts.unpriced,
                        at: request.at,
                        outcome: request.outcome,
                        window_tokens: facts.window_tokens,
                        window_source: facts.window_source,
                        same: history.same,
                    });
                }
                Op::Compact(compaction) => {
                    history.settle();
                    history.compact(compaction);
                }
                Op::Clear(_) | Op::Shorten(_) => history.cleared(),
                Op::Rewind(rewind) => history.rewind(rewind),
            }
        }
        history.settle();
        history.flush();
        let mut plan = history.finish();
        super::reasoning::estimate(&mut plan, transcript, happened);
        plan
    }
}

struct History<'a> {
    transcript: &'a Transcript,
    counted: Counted,
    count: &'a dyn Fn(BlockId, bool) -> Count,
    plan: Plan,
    /// The history as it is now, as items.
    full: Vec<u32>,
    here: HashSet<u32>,
    /// Per item, the step at which it came in last.
    came: Vec<u32>,
    item_of: HashMap<BlockId, u32>,
    /// What a compaction brought in, and which one.
    made: HashMap<BlockId, usize>,
    /// Thinking that the provider dropped.
    dropped: HashSet<BlockId>,
    snapshots: Vec<Snapshot>,
    calls: HashMap<CallKey, u32>,
    tools: HashMap<std::sync::Arc<str>, u32>,
    units: Vec<Vec<u32>>,
    latest: HashMap<(u32, u64), u32>,
    message: Option<crate::model::MessageId>,
    counts: [u32; 3],
    same: bool,
    /// What has come in since a compaction, until the next request: what of it was put back is told at the end.
    since: Option<Vec<BlockId>>,
    copies: Copies,
    replaced: Replaced,
    rooms: Rooms,
}

impl<'a> History<'a> {
    fn new(
        transcript: &'a Transcript,
        thread: ThreadId,
        counted: Counted,
        count: &'a dyn Fn(BlockId, bool) -> Count,
    ) -> Self {
        let plan = Plan {
            thread,
            writes_summary: transcript.thread(thread).is_some_and(|about| about.kind == ThreadKind::Summariser),
            items: Vec::new(),
            units: Vec::new(),
            unit_items: Vec::new(),
            feed: Vec::new(),
            backs: Vec::new(),
            rooms: Vec::new(),
            asks: Vec::new(),
            boundaries: Vec::new(),
            agent: own_summaries(transcript),
            base: 0,
            fixed: 0,
            adjust: Vec::new(),
            superseded: Vec::new(),
            anew: Vec::new(),
            tools: Vec::new(),
            encoding: counted.encoding,
            factor: counted.factor,
            dynamic: None,
            texts: None,
        };
        History {
            transcript,
            counted,
            count,
            plan,
            full: Vec::new(),
            came: Vec::new(),
            here: HashSet::new(),
            item_of: HashMap::new(),
            made: HashMap::new(),
            dropped: HashSet::new(),
            snapshots: Vec::new(),
            calls: HashMap::new(),
            tools: HashMap::new(),
            units: Vec::new(),
            latest: HashMap::new(),
            message: None,
            counts: [0; 3],
            same: true,
            since: None,
            copies: Copies::default(),
            replaced: Replaced::default(),
            rooms: Rooms::default(),
        }
    }

    /// The step whose window is being filled.
    fn step(&self) -> u32 {
        self.plan.steps() + 1
    }

    fn cleared(&mut self) {
        self.same = false;
        self.replaced.cleared(self.step(), index(self.plan.items.len()));
    }

    /// Says that all items up to here have come in.
    fn flush(&mut self) {
        let end = index(self.plan.items.len());
        let told = self.plan.feed.iter().rev().find_map(|feed| match feed {
            Feed::Admit(end) => Some(*end),
            Feed::Ask | Feed::Back(_) | Feed::Manual(_) => None,
        });
        if told.unwrap_or(0) < end {
            self.plan.feed.push(Feed::Admit(end));
        }
    }

    /// Takes in what came after a compaction, but for what that put back.
    fn settle(&mut self) {
        let Some(since) = self.since.take() else { return };
        for (id, is_back) in since.iter().zip(are_put_back(self.transcript, &since)) {
            if is_back && !self.item_of.contains_key(id) {
                self.put_back(*id);
            } else {
                self.add(*id);
            }
        }
    }

    /// What a compaction put back stands in the full history already.
    fn put_back(&mut self, id: BlockId) {
        self.made.insert(id, self.snapshots.len().saturating_sub(1));
        let (step, known) = (self.step(), self.transcript.block(id).and_then(|block| self.copies.known(block)));
        let last = self.plan.boundaries.last_mut().filter(|last| last.step == step);
        last.into_iter().for_each(|last| last.kept.extend(known));
    }

    fn add(&mut self, id: BlockId) {
        let Some(block) = self.transcript.block(id) else { return };
        if is_summary(block) || self.made.contains_key(&id) {
            return;
        }
        if let Some(known) = self.item_of.get(&id).copied() {
            if self.here.insert(known) {
                self.full.push(known);
                self.comes(known, self.step());
                self.flush();
                self.rooms.take_end(known);
                self.back(Back {
                    removed: Vec::new(),
                    again: vec![(known, NONE)],
                    to: None,
                    record: block.record,
                    cause: RewindCause::Edited,
                });
            }
            return;
        }
        self.take_in(id, block, None);
    }

    /// Takes in a block that the history has not held yet, at the end or between others. Returns its item.
    fn take_in(&mut self, id: BlockId, block: &Block, between: Option<Between>) -> Option<u32> {
        let before = self.plan.boundaries.last().map_or(0, |boundary| boundary.items);
        if self.copies.is_one(block, index(self.plan.items.len()), before, &self.here) {
            self.put_back(id);
            self.plan.anew.extend(self.copies.known(block).map(|known| (self.step(), known)));
            self.copies.come.push((self.step(), scaled((self.count)(id, false).tokens, self.counted.factor)));
            return None;
        }
        let item = index(self.plan.items.len());
        let mut made = self.item(id, block);
        match between {
            Some(between) => self.place_between(&mut made, block, item, between),
            None => {
                self.rooms.take_end(item);
                self.place(&mut made, block, item);
            }
        }
        self.pair(&made, item);
        self.item_of.insert(id, item);
        self.full.push(item);
        self.here.insert(item);
        self.came.push(made.born);
        self.plan.items.push(made);
        Some(item)
    }

    fn item(&mut self, id: BlockId, block: &Block) -> Item {
        // What can be read of sealed content is no uncut text of it.
        let whole = self.counted.originals && block.cut.is_some() && block.original.is_some();
        let count = (self.count)(id, whole);
        let text = matches!(block.body, Body::Text { .. });
        let fitted = |tokens: u64| if text { scaled(tokens, self.counted.factor) } else { tokens };
        let tokens = fitted(count.tokens);
        let sent = if whole { fitted((self.count)(id, false).tokens) } else { tokens };
        // From here on the replayed window is another than the one that was sent.
        self.same &= sent == tokens;
        let chars = if let Body::Text { chars, .. } = block.content(whole) { *chars } else { 0 };
        let cut = block.cut.as_deref().filter(|_| !whole);
        let original = cut.map_or(tokens, |cut| match (cut.original_tokens, &block.original) {
            (Some(stated), _) => stated.max(tokens),
            (None, Some(_)) => fitted(cut.tokens_by_copy((self.count)(id, true).tokens)).max(tokens),
            (None, None) => cut.estimated_tokens(count.tokens, chars).map_or(tokens, fitted).max(tokens),
        });
        let call = match (block.kind, block.call) {
            (BlockKind::ToolCall, Some(key)) => {
                self.calls.insert(key, index(self.plan.items.len()));
                NONE
            }
            (_, Some(key)) => self.calls.get(&key).copied().unwrap_or(NONE),
            (_, None) => NONE,
        };
        let tool = match block.kind {
            BlockKind::ToolCall => self.tool(&block.label),
            _ => self.plan.items.get(call as usize).map_or(NONE, |call| call.tool),
        };
        Item {
            block: id,
            kind: block.kind,
            layer: block.layer,
            role: block.role,
            label: block.label.clone(),
            tokens,
            sent,
            original,
            estimated: !count.exact || (text && self.counted.factor != 1.0),
            chars,
            fate: match cut.map(|cut| cut.shape) {
                Some(CutShape::Pointer) => Fate::Virtual,
                Some(CutShape::Head | CutShape::Tail | CutShape::Middle) => Fate::Truncated,
                None => Fate::Verbatim,
            },
            whole,
            extra: 0,
            hidden: 0,
            born: self.step(),
            message: 0,
            round: 0,
            turn: 0,
            unit: 0,
            call,
            next: NONE,
            tool,
            room: NONE,
            instead: NONE,
        }
    }

    fn tool(&mut self, name: &std::sync::Arc<str>) -> u32 {
        if let Some(known) = self.tools.get(name) {
            return *known;
        }
        let number = index(self.plan.tools.len());
        self.plan.tools.push(name.clone());
        self.tools.insert(name.clone(), number);
        number
    }

    /// Counts messages, answers and turns, and finds the unit.
    fn place(&mut self, made: &mut Item, block: &Block, item: u32) {
        let [messages, rounds, turns] = &mut self.counts;
        let new_message = self.message != Some(block.message);
        self.message = Some(block.message);
        let by_model = block.role == Role::Assistant;
        let result_of = self.plan.items.get(made.call as usize).map(|call| (call.unit, call.round, call.turn));
        let last = self.full.last().and_then(|last| self.plan.items.get(*last as usize));
        let last_by_model = last.is_some_and(|last| last.role == Role::Assistant);
        let same_request = last_by_model && {
            let request = |message: crate::model::MessageId| {
                self.transcript.messages.get(message.0 as usize).and_then(|message| message.request)
            };
            let before = last.and_then(|last| self.transcript.block(last.block)).map(|block| block.message);
            before.is_some_and(|before| {
                before == block.message || (request(before).is_some() && request(before) == request(block.message))
            })
        };
        let goes_on = match (by_model, new_message) {
            (true, _) => same_request,
            (false, new) => !new && !last_by_model,
        };
        *messages += u32::from(new_message);
        made.message = *messages;
        if let Some((unit, round, turn)) = result_of {
            (made.unit, made.round, made.turn) = (unit, round, turn);
            if let Some(items) = self.units.get_mut(unit as usize) {
                items.push(item);
            }
            return;
        }
        let continued = last.filter(|last| goes_on && !last.is_result() && last.unit as usize + 1 == self.units.len());
        if let Some(last) = continued {
            (made.unit, made.round, made.turn) = (last.unit, last.round, last.turn);
        } else {
            made.unit = index(self.units.len());
            self.units.push(Vec::new());
            self.plan.units.push(Unit { from: 0, to: 0, answer: by_model });
            *rounds += u32::from(by_model);
            *turns += u32::from(made.is_prompt());
            (made.round, made.turn) = (*rounds, *turns);
        }
        if let Some(items) = self.units.get_mut(made.unit as usize) {
            items.push(item);
        }
    }

    /// Links results to their call, and finds calls that are made again.
    fn pair(&mut self, made: &Item, item: u32) {
        if made.call == NONE {
            return;
        }
        let mut at = made.call;
        while let Some(next) = self.plan.items.get(at as usize).map(|item| item.next).filter(|next| *next != NONE) {
            at = next;
        }
        if let Some(last) = self.plan.items.get_mut(at as usize) {
            last.next = item;
        }
        let Some(call) = self.plan.items.get(made.call as usize) else { return };
        let Some(block) = self.transcript.block(call.block) else { return };
        let key = (made.tool, block.body.hash());
        let before =
            self.latest.insert(key, made.call).filter(|before| *before != made.call && self.here.contains(before));
        if let Some(before) = before {
            let mut at = before;
            while let Some(earlier) = self.plan.items.get(at as usize) {
                if at != before {
                    self.plan.superseded.push(Superseded { step: made.born, of: at, by: item });
                }
                at = earlier.next;
            }
        }
    }

    fn finish(mut self) -> Plan {
        for (unit, items) in self.plan.units.iter_mut().zip(&self.units) {
            unit.from = index(self.plan.unit_items.len());
            self.plan.unit_items.extend(items);
            unit.to = index(self.plan.unit_items.len());
        }
        self.plan.rooms = self.rooms.finish();
        self.plan.superseded.sort_unstable();
        reconcile(&mut self.plan, &self.replaced.steps, &self.copies.come);
        put_back(&mut self.plan);
        self.plan.fixed = fixed(&self.plan);
        self.plan
    }
}

/// Whether a block stands for others, which a full history holds themselves.
fn is_summary(block: &Block) -> bool {
    block.kind == BlockKind::Summary || block.layer == Layer::Summaries
}
