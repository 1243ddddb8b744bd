//! Calls that a client makes for a summary of a conversation, over the same messages: what one answers stands in the
//! place of the history in a later request. Such a call is no step of the conversation.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::content::{Sources, hash};
use crate::model::{BlockKind, Coding, Op, Thread, ThreadId, ThreadKind};
use crate::transcript::history::History;

use super::beside::answer_keys;
use super::conversation::{Conversation, Writer};
use super::weave::Weave;
use super::{Exchange, Said};

/// What the last words of such a call have in them.
const ASKS: &[&str] = &["summar", "compact", "handoff", "hand-off"];
/// Between these an answer has its summary, where it thinks aloud before.
const TAGS: (&str, &str) = ("<summary>", "</summary>");
/// Bytes of a line from which it is a summary's own.
const LINE: usize = 16;
/// Recaps after a call that are looked at: those of other conversations may come between.
const NEXT: usize = 4;

/// Texts that stand for an earlier conversation, by the requests that say them first: the lines of each.
#[derive(Default)]
pub(super) struct Recaps(Vec<(usize, HashSet<u64>)>);

impl Recaps {
    /// Takes in the requests of a file, in order.
    pub(super) fn of<'e>(exchanges: impl Iterator<Item = &'e Exchange>, sources: &Sources) -> Recaps {
        let (mut recaps, mut seen) = (Recaps::default(), HashSet::new());
        for (at, exchange) in exchanges.enumerate() {
            let said = exchange.messages.iter().filter(|said| said.recaps);
            // Each piece is taken down, also behind one that is new.
            let new = said.filter(|said| said.pieces.iter().filter(|piece| seen.insert(piece.key)).count() > 0);
            let lines: HashSet<u64> = new.flat_map(|said| lines(&text(sources, said))).collect();
            if !lines.is_empty() {
                recaps.0.push((at, lines));
            }
        }
        recaps
    }

    /// Whether a request after this one has most lines of a summary that was not there before.
    fn repeat(&self, summary: &[u64], now: usize) -> bool {
        let mut after = self.0.iter().skip(self.0.partition_point(|(at, _)| *at <= now)).take(NEXT);
        let held = |lines: &HashSet<u64>| summary.iter().filter(|line| lines.contains(*line)).count();
        after.any(|(_, lines)| held(lines) * 2 > summary.len())
    }
}

/// The texts of a message, each on lines of its own.
fn text(sources: &Sources, said: &Said) -> String {
    let texts = said.pieces.iter().filter(|piece| piece.draft.kind == BlockKind::Text).map(|piece| &piece.draft.body);
    let texts: Vec<String> = texts.filter_map(|body| sources.body_text(body).ok()).collect();
    texts.join("\n")
}

fn lines(text: &str) -> Vec<u64> {
    let own = text.lines().map(str::trim).filter(|line| line.len() >= LINE);
    own.map(|line| hash(line.as_bytes(), Coding::Plain)).collect()
}

impl Weave {
    /// Whether a request asks for a summary of messages that are known, and a later one has that in place of the
    /// history, while none goes on from the answer.
    pub(super) fn sums_up(&self, sources: &Sources, exchange: &Exchange, keys: &[(u64, u64)]) -> bool {
        let (Some(answer), Some(last)) = (&exchange.answer, exchange.messages.last()) else { return false };
        if !exchange.asked || answer.compacts || last.by_model || !self.is_known(keys) {
            return false;
        }
        let asks = text(sources, last).to_lowercase();
        if !ASKS.iter().any(|word| asks.contains(word)) {
            return false;
        }
        let answered: Vec<String> = answer.said.iter().map(|said| text(sources, said)).collect();
        let answered = answered.join("\n");
        let inside = answered.rsplit_once(TAGS.0).map(|(_, rest)| rest.split(TAGS.1).next().unwrap_or(rest));
        self.recaps.repeat(&lines(inside.unwrap_or(&answered)), self.now)
            && !self.later.goes_on(keys.iter().map(|(key, _)| *key).chain(answer_keys(exchange)), self.now)
    }

    /// Takes in such a call, beside the conversation that it sums up.
    pub(super) fn summary(&mut self, mut exchange: Exchange, sources: &Sources, model: Option<std::sync::Arc<str>>) {
        self.now += 1;
        let call = Conversation::new(History::new(ThreadKind::Summariser, "summary", self.source));
        let index = self.begin(Some(call), &exchange);
        // What the model said before was answered in the conversation.
        exchange.messages.iter_mut().for_each(|said| said.by_model = false);
        let mut writer = Writer { builder: &mut self.builder, dialect: self.dialect, sources, model, at: exchange.at };
        if let Some(conversation) = self.conversations.get_mut(index) {
            conversation.take(&mut writer, exchange, None);
        }
        self.summariser = Some(index);
    }

    /// The newest call for a summary wrote the one in the place of a conversation's history, where that shrank now from
    /// what it was after so many compactions.
    pub(super) fn link(&mut self, index: usize, before: usize) {
        let Some(conversation) = self.conversations.get_mut(index) else { return };
        if conversation.history.compacted().count() > before {
            conversation.summarised.extend(self.summariser.take().map(|call| (before, call)));
        }
    }

    /// Tells of a thread's compactions which threads wrote their summaries: each conversation becomes one, behind so many
    /// others, the session first.
    pub(super) fn name_calls(&self, thread: &mut Thread, summarised: &[(usize, usize)], others: usize) {
        let compactions = thread.ops.iter_mut().filter_map(|op| match op {
            Op::Compact(compaction) => Some(compaction),
            _ => None,
        });
        for (at, compaction) in compactions.enumerate() {
            let Some((_, call)) = summarised.iter().find(|(known, _)| *known == at) else { continue };
            let place = match call.cmp(&self.main) {
                Ordering::Less => call + 1,
                Ordering::Equal => 0,
                Ordering::Greater => *call,
            };
            compaction.summariser = Some(ThreadId(u32::try_from(others + place).unwrap_or(u32::MAX)));
        }
    }
}
