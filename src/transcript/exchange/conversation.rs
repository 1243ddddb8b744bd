//! One conversation among those of a log, and how a further request goes on from it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::content::Sources;
use crate::model::{
    Block, BlockId, BlockKind, Breakpoint, CallKey, Compaction, Layer, Outcome, Record, Request, RequestId,
    RewindCause, Span, Trigger, Usage,
};
use crate::transcript::build::Builder;
use crate::transcript::history::History;
use crate::transcript::thinking::Keep;

use super::called::Called;
use super::editing::Editing;
use super::restated::Restated;
use super::{Answer, Dialect, Exchange, Said, is_compaction};

/// A conversation.
pub(super) struct Conversation {
    /// Its thread.
    pub history: History,
    /// Its blocks and their keys, by ascending id.
    pub(super) keys: Vec<(BlockId, u64)>,
    /// The blocks that have stood as a request's own system prompt and tools.
    fixed: BTreeSet<BlockId>,
    /// What a branch has of the conversation that it leaves, until its first request.
    before: Vec<BlockId>,
    /// Whether it was kept whole, as in data sets, and no request of it.
    pub was_kept: bool,
    /// The id of the newest answer.
    pub newest: Option<String>,
    /// The newest request, while no answer to it was seen.
    awaiting: Option<RequestId>,
    /// Blocks that stay as markers only.
    pub(super) cleared: HashSet<BlockId>,
    /// Results that are said otherwise than they were.
    pub(super) restated: Restated,
    /// Calls whose ids name others, too.
    pub(super) called: Called,
    /// What the newest request says of results that the provider may clear.
    pub(super) editing: Editing,
    /// What requests ask for of the thinking of earlier turns, from each of these on.
    pub(super) keeps: BTreeMap<RequestId, Option<Keep>>,
    /// Threads of calls that wrote summaries, to be added: the window's blocks and the usage.
    pub summaries: Vec<(Record, Usage, Vec<BlockId>)>,
    /// Which of its compactions has its summary from which other conversation.
    pub summarised: Vec<(usize, usize)>,
}

/// The marks for a cache in a request.
struct Marks {
    /// The piece that each stands behind: which, its key, and the mark.
    at: Vec<(usize, u64, Span)>,
    automatic: Option<Span>,
    /// How many pieces the request has.
    pieces: usize,
}

impl Marks {
    fn of(said: &[Said], automatic: Option<Span>) -> Marks {
        let pieces = || said.iter().flat_map(|one| &one.pieces);
        let at = pieces()
            .enumerate()
            .flat_map(|(index, piece)| piece.marks.iter().map(move |span| (index, piece.key, *span)))
            .collect();
        Marks { at, automatic, pieces: pieces().count() }
    }
}

/// Adds to a thread.
pub(super) struct Writer<'b> {
    /// The transcript.
    pub builder: &'b mut Builder,
    /// The vendor.
    pub dialect: &'static Dialect,
    /// What is read of.
    pub sources: &'b Sources,
    /// The model that is asked.
    pub model: Option<std::sync::Arc<str>>,
    /// When it was sent.
    pub at: Option<i64>,
}

impl Conversation {
    pub(super) fn new(history: History) -> Self {
        Conversation {
            history,
            keys: Vec::new(),
            fixed: BTreeSet::new(),
            before: Vec::new(),
            was_kept: false,
            newest: None,
            awaiting: None,
            cleared: HashSet::new(),
            restated: Restated::default(),
            called: Called::default(),
            editing: Editing::default(),
            keeps: BTreeMap::new(),
            summaries: Vec::new(),
            summarised: Vec::new(),
        }
    }

    /// One that goes on from a moment of this one.
    pub(super) fn branch(&self, moment: usize, history: History) -> Self {
        let before = self.kept(moment);
        let held: HashSet<BlockId> = before.iter().copied().collect();
        let keys = self.keys.iter().filter(|(id, _)| held.contains(id)).copied().collect();
        Conversation { keys, before, called: self.called.clone(), ..Conversation::new(history) }
    }

    /// What the provider keeps of a moment: everything but the system prompt and tools, which it takes from each request
    /// anew.
    fn kept(&self, moment: usize) -> Vec<BlockId> {
        self.history.window_at(moment).into_iter().filter(|id| !self.fixed.contains(id)).collect()
    }

    /// The keys of the window's blocks by which conversations are told apart, in order, `less` some.
    pub(super) fn message_keys(&self, builder: &Builder, less: &[BlockId]) -> Vec<u64> {
        let less: HashSet<BlockId> = less.iter().copied().collect();
        let of = |id: &BlockId| builder.transcript.block(*id).filter(|block| tells(block.layer)).map(|_| self.key(*id));
        let of = |id: &BlockId| of(id).filter(|_| !less.contains(id));
        self.history.window().iter().filter_map(of).collect()
    }

    /// Whether a request goes on from the window with the model's own words changed or left out: what else there is of
    /// it is said again, with the calls by their ids.
    pub(super) fn is_reworded(&self, builder: &Builder, exchange: &Exchange) -> bool {
        let same = |kind: BlockKind, call: Option<CallKey>, key: u64| match (kind, call) {
            (BlockKind::ToolCall, Some(call)) => (true, call.0),
            _ => (false, key),
        };
        let words = |layer: Layer| tells(layer) && layer != Layer::Assistant;
        let blocks = self.history.window().iter().filter_map(|id| Some((*id, builder.transcript.block(*id)?)));
        let old = blocks.filter(|(_, block)| words(block.layer));
        let old: Vec<(bool, u64)> = old.map(|(id, block)| same(block.kind, block.call, self.key(id))).collect();
        let pieces = exchange.messages.iter().flat_map(|said| &said.pieces);
        let new = pieces.map(|piece| (&piece.draft, piece.key)).filter(|(draft, _)| words(draft.layer));
        let new = new.map(|(draft, key)| same(draft.kind, draft.call, key));
        let both: Vec<(bool, u64)> =
            old.iter().copied().zip(new).take_while(|(old, new)| old == new).map(|(old, _)| old).collect();
        both.iter().any(|(is_call, _)| *is_call) && both.len() * 2 >= old.len()
    }

    pub(super) fn key(&self, id: BlockId) -> u64 {
        let at = self.keys.binary_search_by_key(&id, |(known, _)| *known);
        at.ok().and_then(|at| self.keys.get(at)).map_or(0, |(_, key)| *key)
    }

    /// Goes on with a request, in which everything is said again or only what is new since the moment that the provider
    /// `keeps` the history of.
    pub(super) fn take(&mut self, writer: &mut Writer<'_>, mut exchange: Exchange, keeps: Option<usize>) {
        let mut answer = exchange.answer.take();
        if exchange.asked {
            self.editing = std::mem::take(&mut exchange.editing);
        }
        // Nothing is asked where the model had the last word: a conversation that was kept, not a request.
        let complete = exchange.is_complete();
        self.was_kept |= complete;
        let mut said: Vec<Said> = exchange.prefix;
        let fixed = said.iter().map(|one| one.pieces.len()).sum();
        let again = exchange.asked || !self.waits();
        let requests = self.history.requests() - usize::from(!again);
        if let Some(moment) = keeps.filter(|_| again) {
            self.go_on(writer, said, moment, exchange.record);
            said = Vec::new();
        }
        said.append(&mut exchange.messages);
        self.call(writer.builder, &mut said, keeps.is_some());
        if let Some(answer) = answer.take_if(|answer| answer.compacts) {
            return self.replaced(writer, said, answer, exchange.record);
        }
        if keeps.is_none() {
            self.leave_out(&mut said, fixed);
        }
        // What the client says in the model's name for it to go on with answers nothing.
        if let Some(last) = said.last_mut().filter(|last| last.by_model && answer.is_some() && !writer.dialect.items)
            && last.pieces.iter().all(|piece| piece.draft.kind == BlockKind::Text)
            && exchange.asked
        {
            last.by_model = false;
        }
        let marks = Marks::of(&said, exchange.automatic);
        // A response on a line of its own: what it repeats of the request is known.
        if again {
            if keeps.is_none() {
                said = self.agree(writer, said, exchange.record);
            }
            self.say(writer, said);
            if keeps.is_none() {
                self.fixed.extend(self.history.window().iter().take(fixed));
            }
        }
        let breakpoints = self.breakpoints(marks);
        let is_told = answer.as_ref().is_some_and(|answer| answer.cleared.is_told);
        match answer {
            Some(answer) => self.answer(writer, answer, exchange.record, exchange.asked),
            None if complete => self.give_up(),
            None => self.pend(writer, exchange.record),
        }
        self.history.mark(breakpoints);
        self.keep_thinking(requests, is_told);
    }

    /// Brings the window to what is kept of a moment, behind a request's own system prompt and tools.
    fn go_on(&mut self, writer: &mut Writer<'_>, prefix: Vec<Said>, moment: usize, record: Record) {
        if !writer.builder.has_room() && !self.history.is_empty() {
            writer.builder.hold(record, 0);
            return;
        }
        let back = moment < self.history.moment();
        let mut known: HashMap<u64, Vec<BlockId>> = HashMap::new();
        for id in self.fixed.iter().rev() {
            known.entry(self.key(*id)).or_default().push(*id);
        }
        let mut next = Vec::new();
        for one in prefix {
            let mut message = None;
            for piece in one.pieces {
                let key = piece.key;
                next.push(known.get_mut(&key).and_then(Vec::pop).unwrap_or_else(|| {
                    let message =
                        *message.get_or_insert_with(|| writer.builder.message(one.role, one.record, writer.at, None));
                    let id = writer.builder.block(message, piece.draft);
                    self.remember(id, key);
                    id
                }));
            }
        }
        let kept = self.kept(moment);
        self.fixed.extend(&next);
        if self.history.is_empty() {
            next.append(&mut self.before);
            next.into_iter().for_each(|id| self.history.add(id));
        } else {
            next.extend(kept);
            let cause = if back { RewindCause::Rewound } else { RewindCause::Edited };
            self.history.rewind(writer.builder, record, cause, next);
        }
    }

    /// The blocks of the window that stand where a request has its marks for a cache.
    fn breakpoints(&self, marks: Marks) -> Vec<Breakpoint> {
        let window = self.history.window();
        let is = |at: usize, key: u64| window.get(at).copied().filter(|id| self.key(*id) == key);
        let found = marks.at.into_iter().filter_map(|(index, key, span)| {
            // A summary within the request took away what stood before it, so that places agree from the end.
            let from_end = (window.len() + index).checked_sub(marks.pieces);
            let block = from_end.and_then(|at| is(at, key)).or_else(|| is(index, key))?;
            Some(Breakpoint { block: Some(block), span })
        });
        found.chain(marks.automatic.map(|span| Breakpoint { block: None, span })).collect()
    }

    pub(super) fn remember(&mut self, id: BlockId, key: u64) {
        // Ids are given out in order.
        self.keys.push((id, key));
    }

    /// Gives a block that is said otherwise from now on the key of that.
    pub(super) fn rename(&mut self, id: BlockId, key: u64) {
        let at = self.keys.binary_search_by_key(&id, |(known, _)| *known);
        if let Some((_, known)) = at.ok().and_then(|at| self.keys.get_mut(at)) {
            *known = key;
        }
    }

    fn request(&mut self, writer: &Writer<'_>, record: Record, outcome: Outcome) -> RequestId {
        self.history.request(Request { model: writer.model.clone(), ..Request::of(record, writer.at, outcome) })
    }

    /// Messages come in; each answer among them marks the request that it answers.
    fn say(&mut self, writer: &mut Writer<'_>, said: Vec<Said>) {
        let mut open = None;
        for one in said {
            if !one.by_model {
                open = None;
                self.give_up();
                self.add(writer, one, None);
                continue;
            }
            let summary = one.pieces.first().is_some_and(is_compaction) && writer.dialect.compaction_drops;
            let answered = self.awaiting.take();
            if let Some(request) = answered.and_then(|id| self.history.request_mut(id)) {
                request.outcome = Outcome::Answered;
            }
            let request = answered.or(open.filter(|_| writer.dialect.items));
            let (record, mut one) = (one.record, one);
            if summary && request.is_none() {
                let rest = one.pieces.split_off(1);
                self.add(
                    writer,
                    Said { pieces: std::mem::replace(&mut one.pieces, rest), unknown: Vec::new(), ..one },
                    None,
                );
            }
            let request = request.unwrap_or_else(|| self.request(writer, record, Outcome::Answered));
            open = Some(request);
            self.add(writer, one, Some(request));
        }
    }

    /// The newest request was not answered: another follows it.
    fn give_up(&mut self) {
        if let Some(request) = self.awaiting.take().and_then(|id| self.history.request_mut(id)) {
            request.outcome = Outcome::Aborted;
        }
    }

    fn add(&mut self, writer: &mut Writer<'_>, said: Said, request: Option<RequestId>) {
        for words in &said.unknown {
            writer.builder.warn_once(said.record.source, said.record.line, words.clone());
        }
        if said.pieces.is_empty() {
            return;
        }
        let message = writer.builder.message(said.role, said.record, writer.at, request);
        for piece in said.pieces {
            let compacts = is_compaction(&piece) && writer.dialect.compaction_drops;
            let key = piece.key;
            let id = writer.builder.block(message, piece.draft);
            self.remember(id, key);
            match (compacts, request) {
                (true, _) => self.compact(writer, id, said.record, None),
                (false, None) => self.history.add(id),
                (false, Some(_)) => self.history.answer(id),
            }
        }
    }

    /// Everything but system prompt and tools gives way to a summary.
    fn compact(&mut self, writer: &mut Writer<'_>, summary: BlockId, record: Record, usage: Option<Usage>) {
        let stays = |id: &BlockId| writer.builder.transcript.block(*id).is_some_and(is_prefix);
        let old = self.history.window().to_vec();
        let mut window: Vec<BlockId> = old.iter().copied().filter(stays).collect();
        window.push(summary);
        let compaction = Compaction {
            record,
            trigger: Some(Trigger::Auto),
            tokens_before: usage.map(|usage| usage.context()),
            tokens_after: None,
            window,
            summariser: None,
            inferred: false,
        };
        if self.history.compact(writer.builder, compaction) {
            self.summaries.extend(usage.map(|usage| (record, usage, old)));
        }
    }

    /// A call that was made only for a shorter window, which the next request is to be sent: no step of the conversation.
    fn replaced(&mut self, writer: &mut Writer<'_>, said: Vec<Said>, answer: Answer, record: Record) {
        if self.history.is_empty() {
            self.say(writer, said);
        }
        let old = self.history.window().to_vec();
        let stays = |id: &BlockId| writer.builder.transcript.block(*id).is_some_and(is_prefix);
        let mut window: Vec<BlockId> = old.iter().copied().filter(stays).collect();
        let mut known: HashMap<u64, BlockId> = old.iter().map(|id| (self.key(*id), *id)).collect();
        for one in answer.said {
            let message = writer.builder.message(one.role, one.record, writer.at, None);
            for piece in one.pieces {
                let id = known.remove(&piece.key).unwrap_or_else(|| {
                    let id = writer.builder.block(message, piece.draft);
                    self.remember(id, piece.key);
                    id
                });
                window.push(id);
            }
        }
        let compaction = Compaction {
            record,
            trigger: None,
            tokens_before: answer.usage.map(|usage| usage.context()),
            tokens_after: None,
            window,
            summariser: None,
            inferred: false,
        };
        if self.history.compact(writer.builder, compaction) {
            self.summaries.extend(answer.usage.map(|usage| (record, usage, old)));
        }
    }

    /// Whether the newest request failed.
    pub(super) fn failed(&self) -> bool {
        matches!(self.history.outcome(), Some(Outcome::Aborted | Outcome::TooLong))
    }

    /// Whether the newest request waits for its answer.
    pub(super) fn waits(&self) -> bool {
        self.awaiting.is_some()
    }

    /// Takes in an answer: to the request on an earlier line that waits for it (`asked` is `false`), else to one of its
    /// own.
    fn answer(&mut self, writer: &mut Writer<'_>, mut answer: Answer, record: Record, asked: bool) {
        let waiting = if asked { None } else { self.awaiting.take() };
        self.call(writer.builder, &mut answer.said, true);
        self.give_up();
        self.clear(writer, answer.cleared, record);
        let record = answer.said.first().map_or(record, |said| said.record);
        let outcome = match answer.error.as_deref() {
            Some(error) if too_long(error) => Outcome::TooLong,
            Some(_) => Outcome::Aborted,
            None => Outcome::Answered,
        };
        // A summary before anything else was written before the answer, by a call of its own.
        let leads = answer.said.first().is_some_and(|said| said.pieces.first().is_some_and(is_compaction));
        if leads && let Some(first) = answer.said.first_mut() {
            let rest = first.pieces.split_off(1);
            let piece = std::mem::replace(&mut first.pieces, rest).pop();
            let message = writer.builder.message(first.role, first.record, writer.at, None);
            if let Some(piece) = piece {
                let id = writer.builder.block(message, piece.draft);
                self.remember(id, piece.key);
                self.compact(writer, id, record, answer.summary);
            }
        }
        let id = waiting.unwrap_or_else(|| self.request(writer, record, outcome));
        let key = answer.id.as_deref().map(|id| writer.builder.label(id));
        self.newest = answer.id.or(self.newest.take());
        if let Some(request) = self.history.request_mut(id) {
            request.usage = answer.usage;
            request.asides = answer.asides;
            request.outcome = outcome;
            request.model = writer.model.clone().or(request.model.take());
            request.key = key;
            request.at = answer.at.or(request.at);
        }
        for said in answer.said {
            let mut later = said;
            // After the answer: what follows in the next request follows the summary.
            let at = later.pieces.iter().position(is_compaction);
            let rest = at.map(|at| later.pieces.split_off(at)).unwrap_or_default();
            let (role, said_record) = (later.role, later.record);
            self.add(writer, later, Some(id));
            for piece in rest {
                let message = writer.builder.message(role, said_record, writer.at, Some(id));
                let compacts = is_compaction(&piece);
                let block = writer.builder.block(message, piece.draft);
                self.remember(block, piece.key);
                if compacts { self.compact(writer, block, said_record, None) } else { self.history.answer(block) }
            }
        }
    }

    /// A request whose response is not there.
    fn pend(&mut self, writer: &Writer<'_>, record: Record) {
        self.give_up();
        self.awaiting = Some(self.request(writer, record, Outcome::Pending));
    }
}

/// Whether a layer tells conversations apart: many share a system prompt, and clients leave thinking out.
pub(super) fn tells(layer: Layer) -> bool {
    !layer.is_prompt() && layer != Layer::Thinking
}

pub(super) fn is_prefix(block: &Block) -> bool {
    block.layer.is_prompt()
}

fn too_long(error: &str) -> bool {
    ["context_length_exceeded", "prompt is too long", "maximum context length", "context window"]
        .iter()
        .any(|words| error.contains(words))
}
