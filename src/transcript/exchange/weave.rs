//! From the requests of a file to its conversations: each request goes to the one that it goes on from.

use std::collections::HashMap;

use crate::content::{Sources, hash};
use crate::model::{
    Coding, Layer, Op, Outcome, Record, Request, SourceId, Thread, ThreadId, ThreadKind, Transcript, Warning,
};
use crate::transcript::build::Builder;
use crate::transcript::history::History;

use super::conversation::{Conversation, Writer, tells};
use super::shrunk::{Later, follows};
use super::{Dialect, Exchange, Said};

/// Conversations with the same first message that are compared.
const CANDIDATES: usize = 8;
/// Characters from which a text is taken to be one conversation's own.
const TELLING: u64 = 40;

/// The conversations of a file.
pub(super) struct Weave {
    dialect: &'static Dialect,
    source: SourceId,
    builder: Builder,
    conversations: Vec<Conversation>,
    /// Conversations by the key of their first message.
    begins: HashMap<u64, Vec<usize>>,
    /// The newest conversation that holds a telling block.
    holds: HashMap<u64, usize>,
    /// The conversation that a response's id belongs to, and the one that an id is shared by.
    answered: HashMap<String, usize>,
    shared: HashMap<String, usize>,
    /// The conversation that the provider keeps under an id.
    kept: HashMap<String, usize>,
    /// Messages on lines of their own.
    loose: Vec<Said>,
    /// Which windows are gone on from later.
    pub(super) later: Later,
    /// Requests so far.
    now: usize,
    /// Model, system prompt and tools of each conversation's newest request, as a hash.
    prefixes: Vec<u64>,
    /// The conversations in the order of their newest requests.
    recent: Vec<usize>,
}

impl Weave {
    pub(super) fn new(dialect: &'static Dialect, source: SourceId) -> Self {
        Weave {
            dialect,
            source,
            builder: Builder::new(dialect.format),
            conversations: Vec::new(),
            begins: HashMap::new(),
            holds: HashMap::new(),
            answered: HashMap::new(),
            shared: HashMap::new(),
            kept: HashMap::new(),
            loose: Vec::new(),
            later: Later::default(),
            now: 0,
            prefixes: Vec::new(),
            recent: Vec::new(),
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
    pub(super) fn exchange(&mut self, mut exchange: Exchange) {
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
        let keys: Vec<(u64, u64)> = exchange
            .messages
            .iter()
            .flat_map(|said| said.pieces.iter())
            .filter(|piece| tells(piece.draft.layer))
            .map(|piece| (piece.key, length(piece)))
            .collect();
        let after = exchange.after.as_ref().and_then(|id| self.answered.get(id)).copied();
        let chained = after.or_else(|| self.kept.get(exchange.kept.as_ref()?).copied());
        let unseen = exchange.unseen.take().filter(|_| chained.is_none());
        if let Some(unseen) = unseen {
            let message = "the request goes on from a history that the provider keeps: it is not in the body, and what \
                           the model saw of it is unknown";
            self.builder.warn(exchange.record.source, exchange.record.line, message);
            exchange.messages.insert(0, unseen);
        }
        let prefix = prefix_of(&exchange);
        let found = chained.or_else(|| self.waiting(&exchange)).or_else(|| self.find(&exchange, &keys));
        let index = found.or_else(|| self.shrunk(&exchange, &keys, prefix)).unwrap_or_else(|| {
            let kind = if self.conversations.is_empty() { ThreadKind::Main } else { ThreadKind::Conversation };
            let title = match kind {
                ThreadKind::Main => "main".to_owned(),
                _ => format!("line {}", exchange.record.line),
            };
            self.conversations.push(Conversation::new(History::new(kind, title, self.source)));
            self.conversations.len() - 1
        });
        self.now += 1;
        if exchange.asked {
            self.prefixes.resize(self.conversations.len(), 0);
            if let Some(known) = self.prefixes.get_mut(index) {
                *known = prefix;
            }
            self.recent.retain(|known| *known != index);
            self.recent.push(index);
        }
        if let Some((first, _)) = keys.first() {
            let begun = self.begins.entry(*first).or_default();
            if !begun.iter().rev().take(CANDIDATES).any(|known| *known == index) {
                begun.push(index);
            }
        }
        for (key, _) in keys.iter().filter(|(_, length)| *length >= TELLING) {
            self.holds.insert(*key, index);
        }
        if let Some(id) = exchange.answer.as_ref().and_then(|answer| answer.id.clone()) {
            self.answered.insert(id, index);
        }
        if let Some(kept) = exchange.kept.take() {
            self.kept.insert(kept, index);
        }
        if let Some(shared) = exchange.shared.take() {
            self.shared.insert(shared, index);
        }
        let model = exchange.model.take().map(|model| self.builder.label(&model));
        let mut writer = Writer { builder: &mut self.builder, dialect: self.dialect, model, at: exchange.at };
        if let Some(conversation) = self.conversations.get_mut(index) {
            conversation.take(&mut writer, exchange, chained.is_some());
        }
    }

    /// The conversation whose request waits for this response, which stands on a line of its own.
    fn waiting(&self, exchange: &Exchange) -> Option<usize> {
        let waits = |index: &usize| self.conversations.get(*index).is_some_and(Conversation::waits);
        (!exchange.asked).then(|| self.recent.iter().copied().find(waits)).flatten()
    }

    /// The conversation that a request is, with a summary in the place of what is gone of it.
    fn shrunk(&self, exchange: &Exchange, keys: &[(u64, u64)], prefix: u64) -> Option<usize> {
        if exchange.is_complete() || keys.is_empty() {
            return None;
        }
        let like = |index: &&usize| self.prefixes.get(**index) == Some(&prefix);
        let mut alike = self.recent.iter().rev().take(CANDIDATES).filter(like);
        let newest = *alike.next()?;
        let old = self.conversations.get(newest)?.message_keys(&self.builder);
        (follows(&old, keys, exchange, TELLING) && !self.later.goes_on(&old, self.now)).then_some(newest)
    }

    /// The conversation that a request goes on from.
    fn find(&self, exchange: &Exchange, keys: &[(u64, u64)]) -> Option<usize> {
        let (first, _) = keys.first()?;
        let begun = self.begins.get(first).map(Vec::as_slice).unwrap_or_default();
        for index in begun.iter().rev().take(CANDIDATES) {
            let old = self.conversations.get(*index)?.message_keys(&self.builder);
            let common = old.iter().zip(keys).take_while(|(old, (key, _))| *old == key).count();
            // Conversations that were kept whole, as in data sets, only go on from what they say all of again.
            if exchange.is_complete() {
                if common == old.len() && common >= 2 && common < keys.len() {
                    return Some(*index);
                }
                continue;
            }
            let least = old.len().min(keys.len());
            if common == least || common >= 2 && common * 2 >= least {
                return Some(*index);
            }
        }
        if exchange.is_complete() {
            return None;
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
        enough.or_else(|| best.map(|(index, _)| index).filter(|index| same == Some(*index)))
    }

    /// The transcript.
    pub(super) fn finish(mut self, sources: &Sources) -> Transcript {
        if let Some(first) = self.loose.first() {
            let record = Record { ..first.record };
            let messages = std::mem::take(&mut self.loose);
            let records = self.builder.transcript.records;
            self.exchange(Exchange {
                record,
                at: None,
                model: None,
                prefix: Vec::new(),
                messages,
                answer: None,
                after: None,
                kept: None,
                unseen: None,
                shared: None,
                asked: true,
                automatic: None,
                settings: Vec::new(),
                faults: Vec::new(),
            });
            self.builder.transcript.records = records;
        }
        let mut summaries: Vec<Thread> = Vec::new();
        let count = self.conversations.len();
        for mut conversation in std::mem::take(&mut self.conversations) {
            let calls = std::mem::take(&mut conversation.summaries);
            let mut thread = conversation.history.finish();
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
                Op::Compact(compaction) if compaction.tokens_before.is_some() => Some(compaction),
                _ => None,
            });
            compactions.zip(ids).for_each(|(compaction, id)| compaction.summariser = Some(id));
            self.builder.transcript.threads.push(thread);
        }
        self.builder.transcript.threads.append(&mut summaries);
        if self.builder.transcript.threads.is_empty() {
            self.builder.transcript.threads.push(History::new(ThreadKind::Main, "main", self.source).finish());
        }
        self.builder.finish(sources)
    }
}

/// A hash of model, system prompt and tools.
fn prefix_of(exchange: &Exchange) -> u64 {
    let model = exchange.model.as_deref().unwrap_or_default();
    let said = exchange.prefix.iter().chain(&exchange.messages).flat_map(|said| &said.pieces);
    let fixed = said.filter(|piece| matches!(piece.draft.layer, Layer::System | Layer::Tools));
    fixed.fold(hash(model.as_bytes(), Coding::Plain), |sum, piece| sum.rotate_left(9) ^ piece.key)
}

/// Characters or bytes of a block's content.
fn length(piece: &crate::transcript::openai_responses::Piece) -> u64 {
    match &piece.draft.body {
        crate::model::Body::Text { chars, .. } => *chars,
        other => other.spans().map(|span| span.len()).sum(),
    }
}
