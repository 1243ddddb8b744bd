//! From the requests of a file to its conversations: each request goes to the one that it goes on from.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap};

use crate::content::Sources;
use crate::model::{BlockId, Layer, Op, Outcome, Record, Request, SourceId, Thread, ThreadId, ThreadKind, Warning};
use crate::transcript::build::Builder;
use crate::transcript::history::History;
use crate::transcript::parts::Piece;

use super::beside::answer_keys;
use super::conversation::{Conversation, Writer, tells};
use super::later::{Later, prefix_of};
use super::restated::Compared;
use super::shrunk::follows;
use super::summarised::Recaps;
use super::{Dialect, Exchange, Said, is_compaction};

/// Conversations with the same first message that are compared.
pub(super) const CANDIDATES: usize = 8;
/// Characters from which a text is taken to be one conversation's own.
pub(super) const TELLING: u64 = 40;

/// What a request is to the conversations before it.
enum Kin {
    /// It goes on from one.
    Of(usize),
    /// It was asked beside one, over the same messages.
    Beside(usize),
    /// Nothing.
    None,
}

/// What the provider holds of a conversation.
#[derive(Clone, Copy)]
struct Point {
    conversation: usize,
    moment: usize,
}

/// The conversations of a file.
pub(super) struct Weave {
    pub(super) dialect: &'static Dialect,
    pub(super) source: SourceId,
    pub(super) builder: Builder,
    pub(super) conversations: Vec<Conversation>,
    /// The one that is the session itself.
    pub(super) main: usize,
    /// Conversations by the key of their first message.
    begins: HashMap<u64, Vec<usize>>,
    /// The newest conversation that holds a telling block.
    holds: HashMap<u64, usize>,
    /// The newest conversation that holds a compaction.
    compacted: HashMap<u64, usize>,
    /// Where each answer stands, by its id.
    answered: HashMap<String, Point>,
    /// The conversation whose requests share an id.
    shared: HashMap<String, usize>,
    /// The conversation that the provider keeps under an id.
    kept: HashMap<String, usize>,
    /// Messages on lines of their own.
    loose: Vec<Said>,
    /// Which windows are gone on from later.
    pub(super) later: Later,
    /// Which texts stand for an earlier conversation.
    pub(super) recaps: Recaps,
    /// The newest call for a summary that is in no conversation yet.
    pub(super) summariser: Option<usize>,
    /// Requests so far.
    pub(super) now: usize,
    /// Model, system prompt and tools of each conversation's newest request, as a hash.
    pub(super) prefixes: Vec<u64>,
    /// The conversations by their newest requests: which one of all, from 1 on.
    pub(super) recent: BTreeMap<usize, usize>,
    /// Those of them whose newest requests wait for their answers.
    waiting: BTreeMap<usize, usize>,
    /// The newest request of each.
    newest: HashMap<usize, usize>,
}

impl Weave {
    /// Adds the conversations in a vendor's dialect to what is there.
    pub(super) fn new(builder: Builder, dialect: &'static Dialect, source: SourceId) -> Self {
        Weave {
            dialect,
            source,
            builder,
            conversations: Vec::new(),
            main: 0,
            begins: HashMap::new(),
            holds: HashMap::new(),
            compacted: HashMap::new(),
            answered: HashMap::new(),
            shared: HashMap::new(),
            kept: HashMap::new(),
            loose: Vec::new(),
            later: Later::default(),
            recaps: Recaps::default(),
            summariser: None,
            now: 0,
            prefixes: Vec::new(),
            recent: BTreeMap::new(),
            waiting: BTreeMap::new(),
            newest: HashMap::new(),
        }
    }

    pub(super) fn warn(&mut self, warning: Warning) {
        self.builder.warn(warning.source, warning.line, warning.message);
    }

    /// A record that carries nothing.
    pub(super) fn other(&mut self, kind: &str) {
        self.builder.transcript.records += 1;
        if !kind.is_empty() {
            self.builder.skip(kind);
        }
    }

    /// A message on a line of its own.
    pub(super) fn message(&mut self, said: Said) {
        self.builder.transcript.records += 1;
        self.loose.push(said);
    }

    /// A request.
    pub(super) fn exchange(&mut self, mut exchange: Exchange, sources: &Sources) {
        self.builder.transcript.records += 1;
        for setting in std::mem::take(&mut exchange.settings) {
            self.builder.skip(&setting);
        }
        let mut faults = std::mem::take(&mut exchange.faults);
        if let Some(answer) = &mut exchange.answer {
            faults.append(&mut answer.faults);
        }
        for fault in faults {
            self.builder.warn(exchange.record.source, exchange.record.line, fault);
        }
        self.recaps.mark(&mut exchange.messages);
        let keys: Vec<(u64, u64)> =
            telling(&exchange.messages).map(|piece| (piece.key, piece.draft.body.chars_or_bytes())).collect();
        let mut kept = self.kept(&exchange);
        if kept.is_none() && self.sums_up(sources, &exchange, &keys) {
            let model = exchange.model.take().map(|model| self.builder.label(&model));
            return self.summary(exchange, sources, model);
        }
        let prefix = prefix_of(&exchange);
        let unseen = exchange.unseen.take().filter(|_| kept.is_none());
        if let Some(unseen) = unseen {
            let message = "the request goes on from a history that the provider keeps: it is not in the body, and what \
                           the model saw of it is unknown";
            self.builder.warn(exchange.record.source, exchange.record.line, message);
            exchange.messages.insert(0, unseen);
        }
        let index = match kept {
            Some(point) if self.branches(&exchange, point, prefix) && self.has_room(&exchange, point) => {
                let branch = self
                    .conversations
                    .get(point.conversation)
                    .map(|held| held.branch(point.moment, self.thread(&exchange)));
                let index = self.begin(branch, &exchange);
                kept = Some(Point { conversation: index, moment: 0 });
                index
            }
            Some(point) => point.conversation,
            None => self.place(sources, &exchange, &keys, prefix),
        };
        self.now += 1;
        let compacts = exchange.answer.as_ref().is_some_and(|answer| answer.compacts);
        if exchange.asked && !compacts {
            self.prefixes.resize(self.conversations.len(), 0);
            if let Some(known) = self.prefixes.get_mut(index) {
                *known = prefix;
            }
            let newest = self.newest.entry(index).or_default();
            self.recent.remove(newest);
            self.waiting.remove(newest);
            *newest = self.now;
            self.recent.insert(self.now, index);
        }
        if let Some((first, _)) = keys.first() {
            let begun = self.begins.entry(*first).or_default();
            if !begun.iter().rev().take(CANDIDATES).any(|known| *known == index) {
                begun.push(index);
            }
        }
        let answered = exchange.answer.iter().flat_map(|answer| telling(&answer.said));
        for piece in telling(&exchange.messages).chain(answered).filter(|piece| is_compaction(piece)) {
            self.compacted.insert(piece.key, index);
        }
        for (key, _) in keys.iter().filter(|(_, length)| *length >= TELLING) {
            self.holds.insert(*key, index);
        }
        let id = exchange.answer.as_ref().and_then(|answer| answer.id.clone());
        if let Some(kept) = exchange.kept.take() {
            self.kept.insert(kept, index);
        }
        if let Some(shared) = exchange.shared.take() {
            self.shared.insert(shared, index);
        }
        let model = exchange.model.take().map(|model| self.builder.label(&model));
        let mut writer = Writer { builder: &mut self.builder, dialect: self.dialect, sources, model, at: exchange.at };
        let mut compactions = None;
        if let Some(conversation) = self.conversations.get_mut(index) {
            compactions = self.summariser.map(|_| conversation.history.compacted().count());
            conversation.take(&mut writer, exchange, kept.map(|point| point.moment));
            match self.newest.get(&index) {
                Some(newest) if conversation.waits() => drop(self.waiting.insert(*newest, index)),
                Some(newest) => drop(self.waiting.remove(newest)),
                None => {}
            }
            if let Some(id) = id {
                self.answered.insert(id, Point { conversation: index, moment: conversation.history.moment() });
            }
        }
        if let Some(compactions) = compactions {
            self.link(index, compactions);
        }
    }

    /// Whether a request says something again of a conversation.
    pub(super) fn is_known(&self, keys: &[(u64, u64)]) -> bool {
        keys.first().is_some_and(|(first, _)| self.begins.contains_key(first))
            || keys.iter().any(|(key, _)| self.holds.contains_key(key))
    }

    /// Where the history stands that the provider adds to a request.
    fn kept(&self, exchange: &Exchange) -> Option<Point> {
        let after = exchange.after.as_ref().and_then(|id| self.answered.get(id)).copied();
        after.or_else(|| {
            let conversation = self.kept.get(exchange.kept.as_ref()?).copied()?;
            let moment = self.conversations.get(conversation)?.history.moment();
            Some(Point { conversation, moment })
        })
    }

    /// Whether a request that names an answer leaves the conversation that this is part of, which goes on without it.
    fn branches(&self, exchange: &Exchange, point: Point, prefix: u64) -> bool {
        let (Some(after), Some(held)) = (&exchange.after, self.conversations.get(point.conversation)) else {
            return false;
        };
        if point.moment < held.history.moment() {
            return held.newest.as_ref().is_some_and(|newest| newest != after && self.later.names(newest, self.now));
        }
        let answer = exchange.answer.as_ref().and_then(|answer| answer.id.as_ref());
        self.prefixes.get(point.conversation) != Some(&prefix)
            && self.later.names(after, self.now)
            && !answer.is_some_and(|id| self.later.names(id, self.now))
    }

    /// Whether a branch may have what this conversation holds.
    fn has_room(&mut self, exchange: &Exchange, point: Point) -> bool {
        let blocks = self.conversations.get(point.conversation).map_or(0, |held| held.keys.len());
        self.builder.hold(exchange.record, blocks)
    }

    /// A thread that begins with a request.
    fn thread(&self, exchange: &Exchange) -> History {
        History::new(ThreadKind::Conversation, format!("line {}", exchange.record.line), self.source)
    }

    /// Takes a conversation in that begins with a request.
    pub(super) fn begin(&mut self, conversation: Option<Conversation>, exchange: &Exchange) -> usize {
        let new = conversation.unwrap_or_else(|| Conversation::new(self.thread(exchange)));
        self.conversations.push(new);
        self.conversations.len() - 1
    }

    /// The conversation of a request in which everything is said again: one that is known, or a new one.
    fn place(&mut self, sources: &Sources, exchange: &Exchange, keys: &[(u64, u64)], prefix: u64) -> usize {
        if let Some(waiting) = self.waiting(exchange).or_else(|| self.shortened(exchange, keys)) {
            return waiting;
        }
        match self.find(exchange, keys, prefix) {
            Kin::Of(index) => index,
            Kin::Beside(index) => {
                let new = self.begin(None, exchange);
                // A call that was made for the session before its first request is not the session.
                let goes_on = |prefix| self.later.goes_on_alike(keys.iter().map(|(key, _)| *key), prefix, self.now);
                let beside = self.prefixes.get(index).copied().unwrap_or_default();
                if index == self.main && goes_on(prefix) && !goes_on(beside) {
                    self.main = new;
                }
                new
            }
            Kin::None => {
                let rewritten = self.rewritten(sources, exchange, keys, prefix);
                let goes_on = rewritten.or_else(|| self.sliding(exchange, keys, prefix));
                match goes_on.or_else(|| self.shrunk(exchange, keys, prefix)) {
                    Some(index) => index,
                    None => self.begin(None, exchange),
                }
            }
        }
    }

    /// The conversation whose request waits for this response, which stands on a line of its own.
    fn waiting(&self, exchange: &Exchange) -> Option<usize> {
        self.waiting.values().next().copied().filter(|_| !exchange.asked)
    }

    /// The conversation of a request that only asks for a shorter window; it needs neither system prompt nor tools.
    fn shortened(&self, exchange: &Exchange, keys: &[(u64, u64)]) -> Option<usize> {
        exchange.answer.as_ref().filter(|answer| answer.compacts)?;
        let of = |index: &usize| {
            let old =
                self.conversations.get(*index).map(|held| held.message_keys(&self.builder, &[])).unwrap_or_default();
            !old.is_empty() && old.len() <= keys.len() && old.iter().zip(keys).all(|(old, (key, _))| old == key)
        };
        self.recent.values().rev().take(CANDIDATES).copied().find(of)
    }

    /// The conversation that a request is, with a summary in the place of what is gone of it.
    fn shrunk(&self, exchange: &Exchange, keys: &[(u64, u64)], prefix: u64) -> Option<usize> {
        if exchange.is_complete() || keys.is_empty() {
            return None;
        }
        let like = |index: &&usize| self.prefixes.get(**index) == Some(&prefix);
        let mut alike = self.recent.values().rev().take(CANDIDATES).filter(like);
        let newest = *alike.next()?;
        let held = self.conversations.get(newest)?;
        let Compared { old, keys, .. } = held.compared(&self.builder, &exchange.messages, keys);
        (follows(&old, &keys, exchange, TELLING) && !self.later.goes_on(old.iter().copied(), self.now))
            .then_some(newest)
    }

    /// What a request is to the newest conversation that holds the last compaction in it: what stands before that is
    /// dropped, whether the client says it again or not.
    fn compacted(&self, exchange: &Exchange, keys: &[(u64, u64)], prefix: u64) -> Option<Kin> {
        let at = telling(&exchange.messages).collect::<Vec<_>>().iter().rposition(|piece| is_compaction(piece))?;
        let (key, _) = keys.get(at)?;
        let index = *self.compacted.get(key)?;
        let held = self.conversations.get(index)?;
        let Compared { old, keys, .. } = held.compared(&self.builder, &exchange.messages, keys);
        let old = old.get(old.iter().position(|old| old == key)?..)?;
        let beside = self.is_beside(index, old, exchange, keys.get(at..)?, prefix, true);
        Some(if beside { Kin::Beside(index) } else { Kin::Of(index) })
    }

    /// Whether a request says all of a conversation again, exactly as that stands.
    fn fits(&self, index: usize, keys: &[(u64, u64)], prefix: u64) -> bool {
        let Some(held) = self.conversations.get(index) else { return false };
        let old = held.message_keys(&self.builder, &[]);
        let same = self.prefixes.get(index) == Some(&prefix) && old.len() >= 2 && old.len() <= keys.len();
        same && old.iter().zip(keys).all(|(old, (key, _))| old == key)
    }

    /// What a request is to the conversations that begin as it does, or that it says parts of again.
    fn find(&self, exchange: &Exchange, keys: &[(u64, u64)], prefix: u64) -> Kin {
        let Some((first, _)) = keys.first() else { return Kin::None };
        if let Some(kin) = self.compacted(exchange, keys, prefix) {
            return kin;
        }
        let begun = self.begins.get(first).map(Vec::as_slice).unwrap_or_default();
        let (mut best, mut beside, mut reworded) = (None, None, None);
        // What some conversation is, results and all, is not also another one with other words for its results.
        let by_words =
            LazyCell::new(|| !begun.iter().rev().take(CANDIDATES).any(|index| self.fits(*index, keys, prefix)));
        for index in begun.iter().rev().take(CANDIDATES) {
            let Some(held) = self.conversations.get(*index) else { continue };
            let Compared { old, keys: compared, shortened } = held.compared(&self.builder, &exchange.messages, keys);
            let fits = || self.fits(*index, keys, prefix);
            let keys = &*compared;
            let whole = || held.message_keys(&self.builder, &[]).into_iter();
            // Cleared for one request only, beside the conversation: that goes on with all of it, and without the answer.
            let all = || keys.iter().map(|(key, _)| *key).chain(answer_keys(exchange));
            let goes_on = || self.later.goes_on(all(), self.now) || *by_words && self.is_taken_up(held, exchange);
            if shortened && self.later.goes_on(whole(), self.now) && !goes_on() {
                beside.get_or_insert(*index);
                continue;
            }
            let common = old.iter().zip(keys).take_while(|(old, (key, _))| *old == key).count();
            // Conversations that were kept whole, as in data sets, only go on from what they say all of again.
            if exchange.is_complete() {
                if common == old.len() && common >= 2 && common < keys.len() {
                    return Kin::Of(*index);
                }
                continue;
            }
            let least = old.len().min(keys.len());
            if common != least && (common < 2 || common * 2 < least) {
                if reworded.is_none() && !self.is_beside(*index, &old, exchange, keys, prefix, *by_words) {
                    let again =
                        held.is_reworded(&self.builder, exchange) || *by_words && self.says_again(held, exchange);
                    reworded = again.then_some(*index);
                }
                continue;
            }
            if self.is_beside(*index, &old, exchange, keys, prefix, *by_words) {
                beside.get_or_insert(*index);
                continue;
            }
            let rank = (!*by_words && fits(), common, common == old.len(), self.prefixes.get(*index) == Some(&prefix));
            if best.is_none_or(|(known, _)| rank > known) {
                best = Some((rank, *index));
            }
        }
        match (best.or(reworded.filter(|_| beside.is_none()).map(|index| ((false, 0, false, false), index))), beside) {
            (Some((_, index)), _) => return Kin::Of(index),
            (None, Some(index)) => return Kin::Beside(index),
            (None, None) if exchange.is_complete() => return Kin::None,
            (None, None) => {}
        }
        // A client that cuts or sums up its history says the newer part again.
        let mut shares: HashMap<usize, usize> = HashMap::new();
        let telling: Vec<u64> = keys.iter().filter(|(_, length)| *length >= TELLING).map(|(key, _)| *key).collect();
        for index in telling.iter().filter_map(|key| self.holds.get(key)) {
            *shares.entry(*index).or_default() += 1;
        }
        let best = shares.into_iter().max_by_key(|(index, share)| (*share, *index));
        let same = exchange.shared.as_ref().and_then(|shared| self.shared.get(shared)).copied();
        let enough = best.filter(|(_, share)| *share >= 2 && *share * 2 >= telling.len()).map(|(index, _)| index);
        // Where the requests say that they belong together, one message in common is enough.
        let found = enough.or_else(|| best.map(|(index, _)| index).filter(|index| same == Some(*index)));
        found.map_or(Kin::None, Kin::Of)
    }

    /// The conversation that is the session itself: not a single call before it that was made of no tools, as clients
    /// make for a title or to try the key, where another one has tools and goes on.
    fn session(&self) -> usize {
        let has_tools = |held: &Conversation| {
            let layer = |id: &BlockId| self.builder.transcript.block(*id).map(|block| block.layer);
            held.history.window().iter().any(|id| layer(id) == Some(Layer::Tools))
        };
        let asked = |held: &&Conversation| !held.was_kept;
        let first = self.conversations.get(self.main).filter(asked);
        if first.is_none_or(|first| first.history.requests() != 1 || has_tools(first)) {
            return self.main;
        }
        let all = self.conversations.iter().enumerate();
        let others = all.filter(|(_, held)| asked(held) && held.history.requests() > 1 && has_tools(held));
        let most = others.max_by_key(|(at, held)| (held.history.requests(), std::cmp::Reverse(*at)));
        most.map_or(self.main, |(at, _)| at)
    }

    /// What there is, with the conversations; the first of all is the session.
    pub(super) fn finish(mut self, sources: &Sources) -> Builder {
        if let Some(first) = self.loose.first() {
            let record = Record { ..first.record };
            let messages = std::mem::take(&mut self.loose);
            let records = self.builder.transcript.records;
            self.exchange(Exchange { messages, asked: true, ..Exchange::of(record) }, sources);
            self.builder.transcript.records = records;
        }
        let mut summaries: Vec<Thread> = Vec::new();
        let others = self.builder.transcript.threads.len();
        let count = others + self.conversations.len();
        self.main = self.session();
        let mut conversations = std::mem::take(&mut self.conversations);
        if let Some(first) = conversations.get_mut(..=self.main) {
            first.rotate_right(1);
        }
        for mut conversation in conversations {
            let calls = std::mem::take(&mut conversation.summaries);
            let mut thread = conversation.history.finish();
            if self.builder.transcript.threads.is_empty() {
                (thread.kind, thread.title) = (ThreadKind::Main, "main".to_owned());
            }
            let mut ids = Vec::new();
            for (record, usage, window) in calls {
                ids.push(ThreadId(u32::try_from(count + summaries.len()).unwrap_or(u32::MAX)));
                let mut call = History::new(ThreadKind::Summariser, "summary", self.source);
                window.into_iter().for_each(|id| call.add(id));
                let model = thread.requests.first().and_then(|request| request.model.clone());
                let asked = Request::of(record, None, Outcome::Answered);
                call.request(Request { model, usage: Some(usage), ..asked });
                summaries.push(call.finish());
            }
            let compactions = thread.ops.iter_mut().filter_map(|op| match op {
                Op::Compact(compaction) if compaction.tokens_before.is_some() && !compaction.inferred => {
                    Some(compaction)
                }
                _ => None,
            });
            compactions.zip(ids).for_each(|(compaction, id)| compaction.summariser = Some(id));
            self.name_calls(&mut thread, &conversation.summarised, others);
            self.leave_thinking_out(&mut thread, &conversation.keeps);
            self.builder.transcript.threads.push(thread);
        }
        self.builder.transcript.threads.append(&mut summaries);
        self.builder
    }
}

/// The blocks of messages by which conversations are told apart.
pub(super) fn telling(said: &[Said]) -> impl Iterator<Item = &Piece> {
    said.iter().flat_map(|said| &said.pieces).filter(|piece| tells(piece.draft.layer))
}
