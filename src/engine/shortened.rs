//! What stands in the place of what was sent whole before: markers, parts, and the whole again.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use smallvec::smallvec;

use crate::model::{
    BlockId, Body, CallKey, Clearing, Contents, Entry, EntryId, EntryIds, Event, EventId, Fate, Layer, Life, Made,
    RewindCause, Shortened, Shortening, Stage, number, rules,
};

use super::recorded::Replay;

impl Replay<'_> {
    /// The call that a block is a result of.
    fn result_of(&self, block: BlockId) -> Option<CallKey> {
        self.transcript.block(block).filter(|block| block.layer == Layer::ToolResults)?.call
    }

    /// Puts what is left of blocks in their places; a block of which nothing is left leaves the window. What is left of a
    /// result of several blocks stands for all of them.
    fn stand_in(&mut self, left: HashMap<BlockId, (Fate, Contents)>, event: EventId) -> (EntryIds, EntryIds) {
        let step = self.step();
        let named = left.into_iter().filter_map(|(id, left)| Some((*self.entry_of.get(&id)?, (id, left))));
        let mut wanted: HashMap<EntryId, (BlockId, (Fate, Contents))> = named.collect();
        let (mut took, mut made, mut window) = (EntryIds::new(), EntryIds::new(), Vec::new());
        let mut bare: HashMap<CallKey, EntryIds> = HashMap::new();
        for id in &self.window {
            if let Some((block, (_, content))) = wanted.get(id)
                && let Some(call) = self.result_of(*block).filter(|_| content.is_empty())
            {
                bare.entry(call).or_default().push(*id);
            }
        }
        for id in std::mem::take(&mut self.window) {
            let place = self.last_life(id).map(|life| life.place);
            let (Some((block, (fate, content))), Some(place)) = (wanted.remove(&id), place) else {
                window.push(id);
                continue;
            };
            self.end(id, step, event);
            took.push(id);
            let Some(entry) = self.run.entry(id).filter(|_| !content.is_empty()) else { continue };
            let mut from = self.result_of(block).and_then(|call| bare.remove(&call)).unwrap_or_default();
            // What stands for another marker stands for what that did.
            let own = [id];
            from.extend_from_slice(if entry.from.is_empty() { &own } else { &entry.from });
            from.sort_unstable();
            let stands = Entry {
                fate,
                content,
                from,
                made_by: Some(event),
                lives: smallvec![Life { born: step, died: None, place, ended_by: None }],
                ..entry.clone()
            };
            let stands = self.push(stands);
            self.entry_of.insert(block, stands);
            window.push(stands);
            made.push(stands);
        }
        self.window = window;
        // What had left with others, for which one marker stood, comes back with them.
        let mut back: Vec<BlockId> =
            wanted.into_values().filter(|(_, (_, left))| !left.is_empty()).map(|(id, _)| id).collect();
        back.sort_unstable();
        made.extend(back.into_iter().filter_map(|id| self.come_back(id, event)));
        (took, made)
    }

    /// Puts a block into the window again, where it stood among those that came in with it.
    fn come_back(&mut self, id: BlockId, event: EventId) -> Option<EntryId> {
        let next_to = |id: Option<u32>| {
            let entry = self.entry_of.get(&BlockId(id?))?;
            self.window.iter().position(|other| other == entry)
        };
        let before = next_to(id.0.checked_sub(1)).map(|at| at + 1);
        let after = || (1..=8).find_map(|by| next_to(id.0.checked_add(by)));
        let at = before.or_else(after).unwrap_or(self.window.len());
        let old = self.entry_of.get(&id).and_then(|entry| self.last_life(*entry)).map(|life| life.place);
        let entry = self.bring(id, Some(event))?;
        let step = self.step();
        if let Some((life, old)) =
            self.run.entries.get_mut(entry.0 as usize).and_then(|entry| entry.lives.last_mut()).zip(old)
        {
            life.place = old;
        }
        self.window.insert(at, entry);
        let mut last = at.checked_sub(1).and_then(|at| Some(self.last_life(*self.window.get(at)?)?.place));
        for id in self.window.get(at..).unwrap_or_default().to_vec() {
            self.keep_in_order(id, last, step);
            last = self.last_life(id).map(|life| life.place);
        }
        Some(entry)
    }

    /// Says what marks cleared results otherwise: each stays the entry that it is, with the newest words, and a further
    /// stay from here on.
    fn renew(&mut self, shortened: &[&Shortened]) -> EntryIds {
        let step = self.step();
        let mut renewed = EntryIds::new();
        for short in shortened {
            let Some(id) = self.entry_of.get(&short.block).copied() else { continue };
            let Some(entry) = self.run.entries.get_mut(id.0 as usize) else { continue };
            entry.content = short.content.clone();
            if let Some(life) = entry.lives.last_mut().filter(|life| life.born < step) {
                life.died = Some(step);
                let further = Life { born: step, died: None, place: life.place, ended_by: None };
                entry.lives.push(further);
            }
            renewed.push(id);
        }
        renewed
    }

    /// Whether a marker says as much as the one before it, in other words.
    fn is_alike(&self, entry: &Entry, content: &Contents) -> bool {
        let chars = |content: &Contents| -> Option<u64> {
            let [Made::Block(id)] = content[..] else { return None };
            match &self.transcript.block(id)?.body {
                Body::Text { chars, .. } => Some(*chars),
                Body::Media(_) | Body::Hidden(_) => None,
            }
        };
        chars(&entry.content).zip(chars(content)).is_some_and(|(old, new)| old.abs_diff(new) * 4 <= old + 64)
    }

    pub(super) fn shorten(&mut self, shortening: &Shortening) {
        let is_marked = |short: &Shortened| {
            let stands = self.entry_of.get(&short.block).and_then(|id| self.run.entry(*id));
            short.fate == Fate::Cleared && stands.is_some_and(|entry| entry.fate == Fate::Cleared)
        };
        let renewed: Vec<bool> = shortening.blocks.iter().map(is_marked).collect();
        for (fate, again, stage, rule, why) in [
            (
                Fate::Cleared,
                false,
                Stage::Microcompact,
                rules::MICROCOMPACT,
                "The client cleared old tool results: it sent them again as markers only.",
            ),
            (
                Fate::Cleared,
                true,
                RewindCause::Edited.stage(),
                rules::EDIT,
                "The client sent what marks cleared results again in other words.",
            ),
            (
                Fate::Truncated,
                false,
                Stage::Truncate,
                rules::TRUNCATED,
                "The client cut old tool results: it sent them again in part.",
            ),
            (
                Fate::Verbatim,
                false,
                RewindCause::Edited.stage(),
                rules::EDIT,
                "The client sent old tool results again as they were at first.",
            ),
        ] {
            let of = shortening.blocks.iter().zip(&renewed).filter(|(short, is)| (short.fate, **is) == (fate, again));
            let stands = |short: &Shortened| self.run.entry(*self.entry_of.get(&short.block)?);
            let is_alike =
                |short: &&Shortened| again && stands(short).is_some_and(|entry| self.is_alike(entry, &short.content));
            let (alike, others): (Vec<&Shortened>, Vec<&Shortened>) = of.map(|(short, _)| short).partition(is_alike);
            let left = others.into_iter().map(|short| (short.block, (fate, short.content.clone()))).collect();
            let (step, event) = (self.step(), self.event_id());
            let (took, mut made) = self.stand_in(left, event);
            made.extend(self.renew(&alike));
            if !took.is_empty() || !made.is_empty() {
                let (why, record) = (Cow::Borrowed(why), Some(shortening.record));
                self.run.events.push(Event { took, made, why, record, ..Event::new(step, stage, rule) });
            }
        }
    }

    pub(super) fn clear(&mut self, clearing: &Clearing) {
        let (step, event) = (self.step(), self.event_id());
        let there: HashSet<EntryId> = self.window.iter().copied().collect();
        let is_there = |id: &&BlockId| self.entry_of.get(*id).is_some_and(|entry| there.contains(entry));
        let mut marked: HashMap<CallKey, BlockId> = HashMap::new();
        let left = clearing.blocks.iter().filter(is_there).map(|id| {
            // One marker stands for a call's result, whatever that was of.
            let first = self.result_of(*id).is_none_or(|call| marked.entry(call).or_insert(*id) == id);
            let marker = || Made::Text(Cow::Borrowed(clearing.marker)).into();
            (*id, (Fate::Cleared, if first { marker() } else { Contents::new() }))
        });
        let left = left.collect();
        let (took, made) = self.stand_in(left, event);
        let first = took.first().and_then(|id| self.run.entry(*id)).map(|entry| entry.layer);
        let what = match first {
            Some(Layer::Thinking) => "the reasoning of earlier turns",
            Some(Layer::ToolCalls) => "what old calls were made with",
            _ => "old tool results",
        };
        self.run.events.push(Event {
            measured: clearing.tokens_before,
            took,
            made,
            why: Cow::Owned(match clearing.tokens_saved {
                Some(saved) => {
                    format!(
                        "The agent cleared {what}: {} by its own count, {{freed}} by ours.",
                        number(saved, "tokens")
                    )
                }
                None => format!("The agent cleared {what}: {{freed tokens}}."),
            }),
            trigger: clearing.trigger,
            record: Some(clearing.record),
            ..Event::new(step, Stage::Microcompact, rules::MICROCOMPACT)
        });
    }
}
