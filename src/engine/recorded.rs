//! The recorded track: the window of every request as the transcript says it was.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::model::{
    Block, BlockId, Calls, Compaction, Cut, CutShape, Entry, EntryId, EntryIds, Event, EventId, Fate, LEFT_OUT, Layer,
    Life, Made, Op, Request, RequestId, Rewind, RewindCause, Run, Stage, Step, ThreadId, Track, Transcript, Trigger,
    rules, thousands,
};

use super::StepFacts;
use super::plan::are_put_back;

/// Rebuilds a thread's windows from what happened. Tokens are estimates (4 characters a token) until
/// [`super::recount`].
///
/// A thread that does not exist gives a run without steps.
#[must_use]
pub fn recorded(transcript: &Transcript, thread: ThreadId, facts: impl Fn(&Request) -> StepFacts) -> Run {
    let mut replay = Replay::new(transcript, thread);
    let Some(history) = transcript.thread(thread) else {
        return replay.run;
    };
    for op in &history.ops {
        match op {
            Op::Add(block) => replay.add(*block),
            Op::Request(id) => {
                replay.settle_back();
                if let Some(request) = history.requests.get(id.0 as usize) {
                    replay.request(*id, request, facts(request));
                }
            }
            Op::Compact(compaction) => {
                replay.settle_back();
                let logged = compaction.summariser.and_then(|id| transcript.thread(id));
                let price = logged.and_then(|thread| {
                    let costs = thread.requests.iter().map(|request| facts(request).cost);
                    costs.reduce(|sum, cost| Some(sum?.and(cost?))).flatten()
                });
                replay.calls = match (replay.calls, price) {
                    (Calls::None, Some(cost)) => Calls::Price(cost),
                    (Calls::Price(sum), Some(cost)) => Calls::Price(sum.and(cost)),
                    _ => Calls::Unknown,
                };
                replay.compact(compaction);
            }
            Op::Clear(clearing) => replay.clear(clearing),
            Op::Shorten(shortening) => replay.shorten(shortening),
            Op::Rewind(rewind) => replay.rewind(rewind),
        }
    }
    replay.settle_back();
    replay.run.put_back.sort_unstable();
    replay.run.entries.shrink_to_fit();
    replay.run
}

pub(super) struct Replay<'a> {
    pub(super) transcript: &'a Transcript,
    pub(super) run: Run,
    /// The window as it is now, in order.
    pub(super) window: Vec<EntryId>,
    /// The newest entry of each block.
    pub(super) entry_of: HashMap<BlockId, EntryId>,
    /// The place after all that were given.
    next_place: u32,
    /// What the summaries since the last request cost.
    calls: Calls,
    /// What is new since a compaction, until the next request.
    since: Option<Vec<BlockId>>,
}

impl<'a> Replay<'a> {
    fn new(transcript: &'a Transcript, thread: ThreadId) -> Self {
        let run = Run::new(Track::Recorded, thread);
        let (window, entry_of) = (Vec::new(), HashMap::new());
        Replay { transcript, run, window, entry_of, next_place: 0, calls: Calls::None, since: None }
    }

    /// The step whose window is being filled.
    pub(super) fn step(&self) -> u32 {
        u32::try_from(self.run.steps.len()).unwrap_or(u32::MAX - 1) + 1
    }

    /// The next place, after all that were given.
    fn place(&mut self) -> u32 {
        self.next_place += 1;
        self.next_place - 1
    }

    /// The id that the next event will have.
    pub(super) fn event_id(&self) -> EventId {
        EventId(u32::try_from(self.run.events.len()).unwrap_or(u32::MAX))
    }

    /// Puts a block at the end of the window, and among what is new since a compaction where it is new.
    fn add(&mut self, id: BlockId) {
        if let Some(since) = self.since.as_mut().filter(|_| !self.entry_of.contains_key(&id)) {
            since.push(id);
        }
        if let Some(entry) = self.bring(id, None) {
            self.window.push(entry);
        }
    }

    /// Makes a block's entry live from this step on, at the end; `None` where there is no such block.
    pub(super) fn bring(&mut self, id: BlockId, made_by: Option<EventId>) -> Option<EntryId> {
        let block = self.transcript.block(id)?;
        let life = Life { born: self.step(), died: None, place: self.place(), ended_by: None };
        if let Some(known) = self.entry_of.get(&id).copied() {
            let entry = self.run.entries.get_mut(known.0 as usize)?;
            match entry.lives.last_mut() {
                // Still there: an entry cannot stand in a window twice.
                Some(last) if last.died.is_none() => return None,
                Some(last) if last.born >= life.born => *last = life,
                _ => entry.lives.push(life),
            }
            return Some(known);
        }
        let entry = entry_of_block(block, id, life, made_by);
        let id_of_entry = self.push(entry);
        self.entry_of.insert(id, id_of_entry);
        if let Some(cut) = &block.cut {
            let rule = match cut.shape {
                CutShape::Pointer => rules::PERSISTED_OUTPUT,
                CutShape::Head | CutShape::Tail | CutShape::Middle => rules::TRUNCATED,
            };
            self.run.events.push(Event {
                measured: cut.original_tokens,
                made: smallvec![id_of_entry],
                why: told_of_cut(cut, block.original.is_some() && !cut.copy_ends_early),
                record: Some(block.record),
                ..Event::new(life.born, Stage::Truncate, rule)
            });
        }
        Some(id_of_entry)
    }

    /// Puts an entry into the table; the window is as it was.
    pub(super) fn push(&mut self, entry: Entry) -> EntryId {
        self.run.entries.push(entry);
        EntryId(u32::try_from(self.run.entries.len() - 1).unwrap_or(u32::MAX))
    }

    /// Ends the step: what is in the window was sent by this request.
    fn request(&mut self, id: RequestId, request: &Request, facts: StepFacts) {
        let calls = std::mem::take(&mut self.calls);
        Arc::make_mut(&mut self.run.steps).push(Step {
            request: id,
            record: request.record,
            model: request.model.clone(),
            usage: request.usage,
            window_tokens: facts.window_tokens,
            window_source: facts.window_source,
            reserve_tokens: facts.reserve_tokens,
            threshold: facts.threshold,
            cost: match calls {
                Calls::Price(more) => facts.cost.map(|own| own.and(more)),
                Calls::None | Calls::Unknown => facts.cost,
            },
            calls,
            unpriced: facts.unpriced,
            billed: None,
            at: request.at,
            outcome: request.outcome,
        });
    }

    /// Replaces the window by a list of blocks. Returns what left it and what is new in it.
    fn replace(&mut self, blocks: &[BlockId], event: EventId) -> (EntryIds, EntryIds) {
        let step = self.step();
        let old = std::mem::take(&mut self.window);
        let (mut kept, mut made) = (HashMap::new(), EntryIds::new());
        for entry in &old {
            kept.insert(*entry, false);
        }
        let mut last_place = None;
        for block in blocks {
            let known = self.entry_of.get(block).copied().filter(|entry| kept.contains_key(entry));
            let entry = match known {
                Some(entry) => {
                    if kept.insert(entry, true) == Some(true) {
                        continue;
                    }
                    self.keep_in_order(entry, last_place, step);
                    entry
                }
                None => match self.bring(*block, Some(event)) {
                    Some(entry) => {
                        made.push(entry);
                        entry
                    }
                    None => continue,
                },
            };
            last_place = self.last_life(entry).map(|life| life.place);
            self.window.push(entry);
        }
        let took: EntryIds = old.into_iter().filter(|entry| kept.get(entry) == Some(&false)).collect();
        for entry in &took {
            self.end(*entry, step, event);
        }
        (took, made)
    }

    /// The newest stay of an entry.
    pub(super) fn last_life(&self, id: EntryId) -> Option<&Life> {
        self.run.entries.get(id.0 as usize).and_then(|entry| entry.lives.last())
    }

    /// Gives a kept entry a place after `last`, as a further stay, where it stood before it.
    pub(super) fn keep_in_order(&mut self, id: EntryId, last: Option<u32>, step: u32) {
        let stands = self.last_life(id).is_some_and(|life| last.is_none_or(|last| life.place > last));
        if stands {
            return;
        }
        let place = self.place();
        let Some(entry) = self.run.entries.get_mut(id.0 as usize) else { return };
        match entry.lives.last_mut() {
            Some(life) if life.born == step => life.place = place,
            Some(life) => {
                life.died = Some(step);
                entry.lives.push(Life { born: step, died: None, place, ended_by: None });
            }
            None => {}
        }
    }

    /// Ends the stay of an entry before a step, by an event.
    pub(super) fn end(&mut self, id: EntryId, step: u32, event: EventId) {
        self.end_by(id, step, Some(event));
    }

    fn end_by(&mut self, id: EntryId, step: u32, event: Option<EventId>) {
        if let Some(life) = self.run.entries.get_mut(id.0 as usize).and_then(|entry| entry.lives.last_mut()) {
            life.died = Some(step);
            life.ended_by = event;
        }
    }

    fn compact(&mut self, compaction: &Compaction) {
        let (step, event) = (self.step(), self.event_id());
        // What the user asks for happens at any size.
        let manual = compaction.trigger == Some(Trigger::Manual);
        let threshold = self.run.steps.last().and_then(|step| step.threshold).filter(|_| !manual);
        let is_below = threshold.zip(compaction.tokens_before).is_some_and(|(at, before)| (1..at).contains(&before));
        let below = if is_below {
            " What it measured last lies below the threshold that is known of it: what came in since is not in that."
        } else {
            ""
        };
        let (rule, why) = match compaction.trigger {
            _ if compaction.inferred => {
                (rules::SHRUNK, "The history that was sent had shrunk, with another text in its place.")
            }
            Some(Trigger::Auto) => {
                (rules::AUTO_COMPACT, "The agent compacted by its own rule: a summary stands for the history.")
            }
            Some(Trigger::Manual) => {
                (rules::MANUAL_COMPACT, "The user asked for a compaction: a summary stands for the history.")
            }
            None => (rules::COMPACT, "The agent compacted: a summary stands for the history."),
        };
        // The event comes first, so that those of blocks brought in by it stand after it.
        self.run.events.push(Event {
            threshold,
            measured: compaction.tokens_before,
            tokens_before: compaction.tokens_before,
            tokens_after: compaction.tokens_after,
            claimed_after: compaction.tokens_after,
            why: Cow::Owned(format!("{why}{below}")),
            trigger: compaction.trigger,
            record: Some(compaction.record),
            ..Event::new(step, Stage::Summarise, rule)
        });
        let (took, made) = self.replace(&compaction.window, event);
        for id in &made {
            if let Some(entry) = self.run.entries.get_mut(id.0 as usize)
                && entry.layer == Layer::Summaries
            {
                entry.fate = Fate::Summarised;
                entry.from = took.iter().copied().collect();
            }
        }
        let is_new = |id: &&EntryId| self.run.entry(**id).is_some_and(|entry| entry.born() == step);
        let back: Vec<EntryId> = made.iter().filter(is_new).copied().collect();
        self.run.put_back.extend(back);
        self.since = Some(Vec::new());
        self.settle(event, took, made);
    }

    /// Tells what of that which came in since a compaction it had put back.
    fn settle_back(&mut self) {
        let Some(since) = self.since.take() else { return };
        let back = since.iter().zip(are_put_back(self.transcript, &since)).filter(|(_, is_back)| *is_back);
        self.run.put_back.extend(back.filter_map(|(id, _)| self.entry_of.get(id).copied()));
    }

    fn rewind(&mut self, rewind: &Rewind) {
        let (step, event) = (self.step(), self.event_id());
        let (rule, why) = match rewind.cause {
            RewindCause::Rewound => {
                (rules::REWIND, "The user went back to an earlier message and took another branch.")
            }
            RewindCause::Edited => (rules::EDIT, "The client sent another history than before."),
            RewindCause::ThinkingDropped => {
                (rules::THINKING_DROPPED, "The provider drops the reasoning of earlier turns.")
            }
            RewindCause::NewSession => {
                (rules::NEW_SESSION, "A new session begins: its window holds nothing of the one before.")
            }
        };
        self.run.events.push(Event {
            why: Cow::Borrowed(why),
            record: Some(rewind.record),
            ..Event::new(step, rewind.cause.stage(), rule)
        });
        let (took, made) = self.replace(&rewind.window, event);
        // What came in since the last request and left before the next was in no window.
        let stood =
            |id: &EntryId| self.run.entry(*id).is_some_and(|entry| entry.lives.iter().any(|life| life.born < step));
        let (took, never): (EntryIds, EntryIds) = took.into_iter().partition(stood);
        if rewind.cause == RewindCause::ThinkingDropped && took.is_empty() && made.is_empty() {
            // The reasoning of the last answer is in no window until the user writes: then nothing was dropped from
            // any.
            for id in &never {
                self.end_by(*id, step, None);
            }
            self.run.events.pop();
            return;
        }
        let is_note = |id: &EntryId| {
            self.run.entry(*id).is_some_and(|entry| entry.layer == Layer::Notices && &*entry.label == LEFT_OUT)
        };
        if made.iter().any(is_note)
            && let Some(event) = self.run.events.get_mut(event.0 as usize)
        {
            event.why = Cow::Borrowed("The client left a part of the history out; the note in its place says no more.");
        }
        self.settle(event, took, made);
    }

    fn settle(&mut self, event: EventId, took: EntryIds, made: EntryIds) {
        if let Some(event) = self.run.events.get_mut(event.0 as usize) {
            event.took = took;
            event.made = made;
        }
    }
}

/// What is said of a cut that the agent made, with what its size before is known from where that is no count.
fn told_of_cut(cut: &Cut, is_held: bool) -> Cow<'static, str> {
    let left = "characters, with as many a token as what is left has";
    let (what, unit) = match cut.shape {
        CutShape::Pointer => ("The agent wrote the whole to a file and sent a preview.", "bytes, four to a token"),
        CutShape::Head => ("The agent sent only the beginning.", left),
        CutShape::Tail => ("The agent sent only the end.", left),
        CutShape::Middle => ("The agent cut the middle out before sending it.", left),
    };
    match (cut.original_tokens, cut.original_chars) {
        (None, Some(size)) if !is_held => Cow::Owned(format!(
            "{what} How much it was is estimated from what its marker says: {} {unit}.",
            thousands(size)
        )),
        _ => Cow::Borrowed(what),
    }
}

fn entry_of_block(block: &Block, id: BlockId, life: Life, made_by: Option<EventId>) -> Entry {
    let fate = match block.cut.as_ref().map(|cut| cut.shape) {
        Some(CutShape::Pointer) => Fate::Virtual,
        Some(CutShape::Head | CutShape::Tail | CutShape::Middle) => Fate::Truncated,
        None => Fate::Verbatim,
    };
    Entry {
        layer: block.layer,
        role: block.role,
        fate,
        content: Made::Block(id).into(),
        label: block.label.clone(),
        tokens: 0,
        original_tokens: 0,
        estimated: true,
        from: SmallVec::new(),
        made_by,
        lives: smallvec![life],
    }
}
