//! From the lines of a rollout to the history of a thread.

use std::collections::HashSet;
use std::sync::Arc;

use crate::content::Sources;
use crate::model::{
    BlockId, BlockKind, Body, Compaction, Layer, MessageId, Outcome, Record, Request, RequestId, RewindCause, Role,
    SourceId, Thread, ThreadKind, Trigger, Usage,
};
use crate::transcript::build::Builder;
use crate::transcript::calls::Calls;
use crate::transcript::history::History;
use crate::transcript::openai_responses::{AGENT_MESSAGE, Item};
use crate::transcript::parts::Piece;

use super::compaction::{Known, rebuilt, replaced};
use super::injected::logs_instructions;
use super::outputs::Outputs;
use super::record::{Compacted, Entry, Event, Meta, Ran, Turn, What};
use super::runs::{Meaning, Runs, Waiting};
use super::thinking::{Reasoning, find_drops};
use super::turns::before_turns;
use super::usage::Tokens;

/// What a turn is for, as long as nothing was said in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Unknown,
    Compact,
}

/// A thread that is being put together from its lines.
pub(super) struct Replay<'a> {
    sources: &'a Sources,
    main_source: SourceId,
    builder: Builder,
    main: History,
    runs: Runs,
    /// Further threads: summarisers' calls and reviews.
    others: Vec<Thread>,
    /// A review that is going on: its requests are told of, its items are not logged.
    review: Option<(History, Runs)>,
    known: Known,
    calls: Calls,
    outputs: Outputs,
    reasoning: Reasoning,
    model: Option<Arc<str>>,
    window: Option<u64>,
    /// Whether the instructions are logged as messages, and so not to be taken from elsewhere.
    instructed: bool,
    instructions: HashSet<u64>,
    prefix: Vec<BlockId>,
    /// What other agents wrote.
    of_agents: HashSet<MessageId>,
    /// The newest request's input and output together.
    total: Option<u64>,
    /// The agent's estimate of its window after a compaction, where it stands before it.
    estimate: Option<u64>,
    /// Whether no request was made since the newest compaction.
    compacted: bool,
    /// What the turn that is going on has been for so far, where its beginning is logged.
    turn: Option<Purpose>,
    newest: Record,
    newest_at: Option<i64>,
}

impl<'a> Replay<'a> {
    /// Begins a thread of that kind and title, from a rollout's lines.
    pub fn new(
        builder: Builder,
        sources: &'a Sources,
        (source, kind, title): (SourceId, ThreadKind, &str),
        entries: &[(Record, Entry)],
    ) -> Self {
        Replay {
            sources,
            main_source: source,
            builder,
            main: History::new(kind, title, source),
            runs: Runs::default(),
            others: Vec::new(),
            review: None,
            known: Known::default(),
            calls: Calls::default(),
            outputs: Outputs::default(),
            reasoning: Reasoning::default(),
            model: None,
            window: None,
            instructed: logs_instructions(entries),
            instructions: HashSet::new(),
            prefix: Vec::new(),
            of_agents: HashSet::new(),
            total: None,
            estimate: None,
            compacted: false,
            turn: None,
            newest: Record { source, line: 1, start: 0, end: 0 },
            newest_at: None,
        }
    }

    /// Takes the next line in. `copied` is whether it is one of the parent's that a subagent begins with.
    pub fn take(&mut self, record: Record, entry: Entry, copied: bool) {
        self.builder.transcript.records += 1;
        for warning in entry.warnings {
            if warning.ends_with("kept as text") {
                self.builder.warn_once(record.source, record.line, warning);
            } else {
                self.builder.warn(record.source, record.line, warning);
            }
        }
        self.newest = record;
        self.newest_at = entry.at.or(self.newest_at);
        match entry.what {
            What::Meta(meta) => self.meta(*meta),
            What::Item(item) if item.pieces.is_empty() => self.builder.skip(&item.name),
            what if copied => self.inherit(what),
            What::Turn(turn) => self.turn(*turn),
            What::Item(item) => {
                self.turn = None;
                if item.by_model && self.review.is_none() {
                    self.answer(item);
                    self.runs.log(entry.texts);
                } else {
                    self.input(item);
                }
            }
            What::Tokens(tokens) => self.count(&tokens),
            What::Event(event) => self.event(event),
            What::Compacted(compacted) => self.compact(*compacted),
            What::Skip(kind) => self.builder.skip(&kind),
            What::Damaged => {}
        }
    }

    fn meta(&mut self, meta: Meta) {
        let session = &mut self.builder.transcript.session;
        // A fork repeats its parent's record after its own; what stands in it is the parent's.
        if session.id.is_some() && session.id != meta.id {
            self.builder.skip("session_meta of another session");
            return;
        }
        session.id = meta.id.or(session.id.take());
        session.folder = meta.folder.or(session.folder.take());
        if let Some(version) = meta.version {
            let name = meta.originator.as_deref().unwrap_or("codex");
            session.agent = Some(format!("{name} {version}"));
            session.version = Some(version);
        }
        self.set_prefix(meta.prefix);
        self.instruct(meta.instructions);
    }

    /// The system prompt and tools. A session that goes on repeats them; others than before take their place.
    fn set_prefix(&mut self, pieces: Vec<Piece>) {
        let same = |id: &BlockId, piece: &Piece| {
            self.builder.transcript.block(*id).is_some_and(|block| block.body.hash() == piece.key)
        };
        let equal =
            self.prefix.len() == pieces.len() && self.prefix.iter().zip(&pieces).all(|(id, piece)| same(id, piece));
        if equal || pieces.is_empty() {
            return;
        }
        let message = self.builder.message(Role::System, self.newest, self.newest_at, None);
        let mut reuse: Vec<BlockId> = self.prefix.clone();
        let mut prefix = Vec::new();
        for piece in pieces {
            let kept = reuse
                .iter()
                .position(|id| self.builder.transcript.block(*id).is_some_and(|block| block.body.hash() == piece.key));
            prefix.push(match kept {
                Some(at) => reuse.swap_remove(at),
                None => self.builder.block(message, piece.draft),
            });
        }
        let before = std::mem::replace(&mut self.prefix, prefix.clone());
        if self.main.is_empty() {
            prefix.iter().for_each(|id| self.main.add(*id));
        } else {
            let rest = self.main.window().iter().filter(|id| !before.contains(id)).copied();
            let window = prefix.iter().copied().chain(rest).collect();
            self.main.rewind(&mut self.builder, self.newest, RewindCause::Edited, window);
        }
    }

    /// Instructions that are not logged as messages.
    fn instruct(&mut self, pieces: Vec<Piece>) {
        if self.instructed {
            return;
        }
        for piece in pieces {
            if self.instructions.insert(piece.key) {
                let message = self.builder.message(Role::User, self.newest, self.newest_at, None);
                let id = self.builder.block(message, piece.draft);
                self.main.add(id);
            }
        }
    }

    fn turn(&mut self, turn: Turn) {
        if let Some(model) = turn.model {
            self.model = Some(self.builder.label(&model));
        }
        self.instruct(turn.instructions);
        self.runs.ahead |= self.runs.open.is_none() && self.main.unsent();
    }

    fn new_request(&self, record: Record, at: Option<i64>, usage: Option<Usage>) -> Request {
        let (model, window_tokens) = (self.model.clone(), self.window);
        Request { model, usage, window_tokens, ..Request::of(record, at, Outcome::Answered) }
    }

    fn begin(&mut self, record: Record, at: Option<i64>, usage: Option<Usage>) -> RequestId {
        let request = self.new_request(record, at, usage);
        let id = self.main.request(request);
        self.runs.begin(id, usage.is_some());
        self.estimate = None;
        self.compacted = false;
        id
    }

    /// A request whose usage is known, but nothing of what it answered.
    fn flush(&mut self) {
        if let Some(Waiting { usage, record, at }) = self.runs.waiting.take() {
            self.begin(record, at, Some(usage));
            self.runs.input();
        }
    }

    fn answer(&mut self, item: Item) {
        let (record, at) = (self.newest, self.newest_at);
        let id = match self.runs.open {
            Some(id) => id,
            None => {
                let usage = self.runs.waiting.take().map(|waiting| waiting.usage);
                self.begin(record, at, usage)
            }
        };
        self.runs.ahead = false;
        let message = self.builder.message(item.role, record, at, Some(id));
        for piece in item.pieces {
            let hidden = match &piece.draft.body {
                Body::Hidden(hidden) if piece.draft.layer == Layer::Thinking => {
                    Some(hidden.span.map_or(0, |span| span.len()))
                }
                _ => None,
            };
            let block = self.block(message, item.role, piece);
            self.main.answer(block);
            if let Some(length) = hidden {
                self.reasoning.add(id.0 as usize, block, length);
            }
        }
    }

    fn input(&mut self, item: Item) {
        self.flush();
        self.runs.input();
        let blocks = self.said(item);
        blocks.into_iter().for_each(|block| self.main.add(block));
    }

    /// The blocks of an item that is no answer.
    fn said(&mut self, item: Item) -> Vec<BlockId> {
        let message = self.builder.message(item.role, self.newest, self.newest_at, None);
        if item.name == AGENT_MESSAGE {
            self.of_agents.insert(message);
        }
        item.pieces.into_iter().map(|piece| self.block(message, item.role, piece)).collect()
    }

    /// A line of the parent's: history that the first request is sent with, and nothing that was asked or happened here.
    fn inherit(&mut self, what: What) {
        match what {
            What::Turn(turn) => self.instruct(turn.instructions),
            What::Item(item) => {
                let blocks = self.said(item);
                blocks.into_iter().for_each(|block| self.main.answer(block));
            }
            // The sums go on from here.
            What::Tokens(tokens) => {
                self.runs.count(&tokens);
            }
            What::Event(Event::RolledBack(turns)) if self.has_room() => {
                let window = self.before_turns(turns);
                self.main.begin_with(window);
            }
            What::Compacted(compacted) if self.has_room() => {
                let window = self.compacted(*compacted);
                self.main.begin_with(window);
            }
            What::Skip(kind) => self.builder.skip(&kind),
            What::Event(Event::Ran(ran)) => self.ran(*ran),
            What::Meta(_) | What::Event(_) | What::Compacted(_) | What::Damaged => {}
        }
    }

    fn block(&mut self, message: MessageId, role: Role, mut piece: Piece) -> BlockId {
        let (key, kind) = (piece.key, piece.draft.kind);
        let is_call = kind == BlockKind::ToolCall;
        let call = piece.draft.call.take();
        piece.draft.call = call.map(|id| if is_call { self.calls.make(id) } else { self.calls.answer(id) });
        let block = self.builder.block(message, piece.draft);
        self.known.insert(key, kind, role, block);
        self.outputs.sent(self.sources, &mut self.builder.transcript, block);
        block
    }

    fn count(&mut self, tokens: &Tokens) {
        self.window = tokens.window.or(self.window);
        if let Some((review, runs)) = &mut self.review {
            if let (Meaning::Of(_) | Meaning::Ahead, Some(usage)) = (runs.count(tokens), tokens.usage) {
                let (model, window_tokens) = (self.model.clone(), self.window);
                let asked = Request::of(self.newest, self.newest_at, Outcome::Answered);
                review.request(Request { model, usage: Some(usage), window_tokens, ..asked });
            }
            return;
        }
        match (self.runs.count(tokens), tokens.usage) {
            (Meaning::Of(id), Some(usage)) => {
                if let Some(request) = self.main.request_mut(id) {
                    request.usage = Some(usage);
                    request.window_tokens = tokens.window.or(request.window_tokens);
                }
                self.total = Some(tokens.total);
            }
            (Meaning::Ahead, Some(usage)) => {
                self.flush();
                self.runs.open = None;
                self.runs.waiting = Some(Waiting { usage, record: self.newest, at: self.newest_at });
                self.runs.ahead = true;
            }
            (Meaning::Estimate(tokens), _) if tokens > 0 => {
                let newest = self.main.compaction_mut().filter(|_| self.compacted);
                match newest.map(|compaction| &mut compaction.tokens_after) {
                    Some(after) => *after = after.or(Some(tokens)),
                    None => self.estimate = Some(tokens),
                }
            }
            _ => {}
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Mirror(text) => self.runs.mirror(text),
            Event::Started(window) => {
                self.window = window.or(self.window);
                self.runs.close();
                self.turn = Some(Purpose::Unknown);
            }
            Event::Complete => {
                self.runs.close();
                // The agent itself compacts within a turn that somebody's words began; what the user asks for is a turn
                // of its own, in which nothing is said.
                let asked = self.turn.take().is_some_and(|turn| turn == Purpose::Compact);
                if let Some(compaction) = self.main.compaction_mut().filter(|_| asked) {
                    compaction.trigger = Some(Trigger::Manual);
                }
            }
            Event::Aborted => self.stop(Outcome::Aborted),
            Event::TooLong => self.stop(Outcome::TooLong),
            Event::RolledBack(turns) => self.roll_back(turns),
            Event::ReviewBegins => {
                self.flush();
                self.end_review();
                let review = History::new(ThreadKind::Subagent(None), "review", self.main_source);
                self.review = Some((review, Runs::default()));
            }
            Event::ReviewEnds => self.end_review(),
            Event::Named(name) => self.builder.transcript.session.title = Some(name),
            Event::Began(_) => self.builder.skip("event_msg.sub_agent_activity"),
            Event::Ran(ran) => self.ran(*ran),
        }
    }

    fn ran(&mut self, Ran { call, output }: Ran) {
        self.builder.skip("event_msg.exec_command_end");
        self.outputs.wrote(self.sources, &mut self.builder.transcript, self.calls.of(call), output);
    }

    fn end_review(&mut self) {
        if let Some((review, _)) = self.review.take()
            && review.requests() > 0
        {
            self.others.push(review.finish());
        }
    }

    /// A turn that ended early: what was being asked was not answered.
    fn stop(&mut self, outcome: Outcome) {
        self.end_review();
        if let Some(request) = self.runs.unreported().and_then(|id| self.main.request_mut(id)) {
            request.outcome = outcome;
        } else if self.runs.waiting.is_none()
            && self.main.unsent()
            && (self.runs.ahead || self.ends_in_words() || outcome == Outcome::TooLong)
        {
            let mut request = self.new_request(self.newest, self.newest_at, None);
            request.outcome = outcome;
            self.main.request(request);
        }
        self.runs.close();
    }

    /// Whether the window ends in what a person wrote.
    fn ends_in_words(&self) -> bool {
        let last = self.main.window().last().and_then(|id| self.builder.transcript.block(*id));
        last.is_some_and(|block| block.layer == Layer::User)
    }

    /// The newest turns are taken back, each from the user's message on, or from that of another agent.
    fn roll_back(&mut self, turns: u64) {
        self.flush();
        if self.has_room() {
            let window = self.before_turns(turns);
            self.main.rewind(&mut self.builder, self.newest, RewindCause::Rewound, window);
        }
        self.runs.close();
    }

    /// Whether the window may give way to another: each such step goes through all of it.
    fn has_room(&mut self) -> bool {
        self.builder.hold(self.newest, self.main.window().len())
    }

    /// The window without the newest turns.
    fn before_turns(&self, turns: u64) -> Vec<BlockId> {
        before_turns(&self.builder.transcript, self.main.window(), &self.of_agents, turns)
    }

    fn compact(&mut self, compacted: Compacted) {
        let record = self.newest;
        if !self.has_room() {
            return self.runs.close();
        }
        // A count right before, with nothing answered, is that of the call that wrote the summary.
        let summariser = self.runs.waiting.take().map(|waiting| self.summariser(&waiting));
        self.runs.close();
        let window = self.compacted(compacted);
        let compaction = Compaction {
            record,
            trigger: None,
            tokens_before: self.total,
            tokens_after: self.estimate.take(),
            window,
            summariser,
            inferred: false,
        };
        self.main.compact(&mut self.builder, compaction);
        self.compacted = true;
        self.turn = self.turn.map(|_| Purpose::Compact);
    }

    /// The window that a compaction leaves.
    fn compacted(&mut self, compacted: Compacted) -> Vec<BlockId> {
        let (record, at) = (self.newest, self.newest_at);
        let old = self.main.window().to_vec();
        match compacted.replacement {
            Some(items) => replaced(&mut self.builder, &mut self.known, &old, items, record, at),
            None => rebuilt(&mut self.builder, self.sources, &old, compacted.message, record, at),
        }
    }

    fn summariser(&mut self, waiting: &Waiting) -> crate::model::ThreadId {
        let mut thread = History::new(ThreadKind::Summariser, "summary", self.main_source);
        self.main.window().iter().for_each(|id| thread.add(*id));
        thread.request(self.new_request(waiting.record, waiting.at, Some(waiting.usage)));
        self.others.push(thread.finish());
        let threads = self.builder.transcript.threads.len() + self.others.len();
        crate::model::ThreadId(u32::try_from(threads).unwrap_or(u32::MAX))
    }

    /// The transcript, with the rollout's threads.
    pub fn finish(mut self) -> Builder {
        self.flush();
        self.end_review();
        if self.main.unsent() {
            let mut request = self.new_request(self.newest, self.newest_at, None);
            request.outcome = Outcome::Pending;
            self.main.request(request);
        }
        let mut main = self.main.finish();
        self.reasoning.share_out(&mut self.builder.transcript, &main);
        find_drops(&mut self.builder, &mut main);
        let windows: HashSet<Option<u64>> = main.requests.iter().map(|request| request.window_tokens).collect();
        if let (1, Some(window)) = (windows.len(), windows.into_iter().next()) {
            self.builder.transcript.session.window_tokens = window;
        }
        self.builder.transcript.threads.push(main);
        self.builder.transcript.threads.append(&mut self.others);
        self.builder
    }
}
