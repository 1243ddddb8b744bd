//! Calls that a client makes for a summary of a conversation, over the same messages: what one answers stands in the
//! place of the history in a later request, whatever words are around it. Such a call is no step of the conversation.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet, VecDeque};

use crate::content::{Sources, hash};
use crate::model::{BlockKind, Coding, Op, Thread, ThreadId, ThreadKind};
use crate::transcript::history::History;

use super::beside::answer_keys;
use super::conversation::{Conversation, Writer};
use super::weave::{Weave, telling};
use super::{Exchange, Said};

/// What the last words of such a call have in them.
const ASKS: &[&str] = &["summar", "compact", "handoff", "hand-off"];
/// What they may have in them where nothing but the answer takes the history's place.
const ASKS_OTHERWISE: &[&str] = &[
    "conversation",
    "discussion",
    "dialog",
    "history",
    "so far",
    "until now",
    "up to now",
    "hand over",
    "handover",
    "recap",
    "condens",
    "compress",
    "shorten",
    "digest",
    "boil down",
    "key points",
    "take over",
    "pick up",
    "continu",
    "zusammen",
    "gespräch",
    "bisher",
    "résum",
    "resum",
    "conversación",
    "riassu",
    "samenvat",
    "sammanfatt",
    "streszcz",
    "резюм",
    "кратк",
    "итог",
    "摘要",
    "总结",
    "總結",
    "概括",
    "要約",
    "まとめ",
    "요약",
    "ملخص",
    "özet",
];
/// Between these an answer has its summary, where it thinks aloud before.
const TAGS: (&str, &str) = ("<summary>", "</summary>");
/// Bytes of a line from which it is a summary's own.
const LINE: usize = 16;
/// Recaps after a call that are looked at: those of other conversations may come between.
const NEXT: usize = 4;

/// Texts that stand for an earlier conversation.
#[derive(Default)]
pub(super) struct Recaps {
    /// Those that say so, by the requests that say them first: the lines of each.
    told: Vec<(usize, HashSet<u64>)>,
    /// Those that are, for the greater part, what the model had answered to one of the requests before: the key of a
    /// piece, by that request.
    answers: HashMap<usize, u64>,
    /// Of these, the pieces of texts that stand for a conversation which was summed up.
    stand: HashSet<u64>,
}

impl Recaps {
    /// Takes in the requests of a file, in order.
    pub(super) fn of<'e>(exchanges: impl Iterator<Item = &'e Exchange>, sources: &Sources) -> Recaps {
        let (mut recaps, mut seen, mut known) = (Recaps::default(), HashSet::new(), HashSet::new());
        let mut answered: VecDeque<(usize, String)> = VecDeque::new();
        for (at, exchange) in exchanges.enumerate() {
            let said = exchange.messages.iter().filter(|said| said.recaps);
            // Each piece is taken down, also behind one that is new.
            let new = said.filter(|said| said.pieces.iter().filter(|piece| seen.insert(piece.key)).count() > 0);
            let lines: HashSet<u64> = new.flat_map(|said| lines(&text(sources, said))).collect();
            if !lines.is_empty() {
                recaps.told.push((at, lines));
            }
            let others = exchange.messages.iter().filter(|said| !said.by_model).flat_map(|said| &said.pieces);
            let texts = others.filter(|piece| piece.draft.kind == BlockKind::Text && known.insert(piece.key));
            for piece in texts.filter(|_| !answered.is_empty()) {
                let most = answered.iter().map(|(_, text)| text.len()).max().unwrap_or(0) as u64;
                if piece.draft.body.chars_or_bytes() > most.saturating_mul(2) {
                    continue;
                }
                let Ok(said) = sources.body_text(&piece.draft.body) else { continue };
                let is_in = |(_, text): &&(usize, String)| text.len() * 2 >= said.len() && said.contains(&**text);
                if let Some((call, _)) = answered.iter().rev().find(is_in) {
                    recaps.answers.entry(*call).or_insert(piece.key);
                }
            }
            answered.extend(told(sources, exchange).map(|text| (at, text)));
            while answered.front().is_some_and(|(call, _)| call + NEXT <= at) {
                answered.pop_front();
            }
        }
        recaps
    }

    /// Marks the messages of a request that stand for a conversation which was summed up, whatever they say of that.
    pub(super) fn mark(&self, said: &mut [Said]) {
        for said in said.iter_mut().filter(|_| !self.stand.is_empty()) {
            said.recaps |= !said.by_model && said.pieces.iter().any(|piece| self.stand.contains(&piece.key));
        }
    }

    /// Whether a request after this one has most lines of a summary that was not there before.
    fn repeat(&self, summary: &[u64], now: usize) -> bool {
        let mut after = self.told.iter().skip(self.told.partition_point(|(at, _)| *at <= now)).take(NEXT);
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

/// What the model answered, where that is nothing but text, and enough to be known again: of what it thinks aloud, the
/// summary.
fn told(sources: &Sources, exchange: &Exchange) -> Option<String> {
    let said = &exchange.answer.as_ref().filter(|answer| !answer.compacts)?.said;
    let mut pieces = said.iter().flat_map(|said| &said.pieces);
    let is_text = pieces.all(|piece| matches!(piece.draft.kind, BlockKind::Text | BlockKind::Thinking));
    let texts: Vec<String> = said.iter().filter(|_| is_text).map(|said| text(sources, said)).collect();
    let told = within(&texts.join("\n")).trim().to_owned();
    (told.len() >= LINE).then_some(told)
}

/// What of an answer is the summary.
fn within(answered: &str) -> &str {
    let inside = answered.rsplit_once(TAGS.0).map(|(_, rest)| rest.split(TAGS.1).next().unwrap_or(rest));
    inside.unwrap_or(answered)
}

fn lines(text: &str) -> Vec<u64> {
    let own = text.lines().map(str::trim).filter(|line| line.len() >= LINE);
    own.map(|line| hash(line.as_bytes(), Coding::Plain)).collect()
}

impl Weave {
    /// Whether a request asks for a summary of messages that are known, and a later one has that in place of the
    /// history, while none goes on from the answer.
    pub(super) fn sums_up(&mut self, sources: &Sources, exchange: &Exchange, keys: &[(u64, u64)]) -> bool {
        let (Some(answer), Some(last)) = (&exchange.answer, exchange.messages.last()) else { return false };
        if !exchange.asked || answer.compacts || last.by_model || !self.is_known(keys) {
            return false;
        }
        let asks = text(sources, last).to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| asks.contains(word));
        let by_name = has(ASKS);
        let stands = self.recaps.answers.get(&self.now).copied().filter(|_| by_name || has(ASKS_OTHERWISE));
        if !by_name && stands.is_none()
            || self.later.goes_on(keys.iter().map(|(key, _)| *key).chain(answer_keys(exchange)), self.now)
        {
            return false;
        }
        let answered: Vec<String> = answer.said.iter().map(|said| text(sources, said)).collect();
        if by_name && self.recaps.repeat(&lines(within(&answered.join("\n"))), self.now) {
            return true;
        }
        // Where what came before the call is said again, the answer is in the place of nothing.
        let asked = telling(std::slice::from_ref(last)).count();
        let before = keys.get(..keys.len().saturating_sub(asked)).unwrap_or_default();
        let is_gone = before.len() >= 2 && !self.later.goes_on(before.iter().map(|(key, _)| *key), self.now);
        let stands = stands.filter(|_| is_gone);
        self.recaps.stand.extend(stands);
        stands.is_some()
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
