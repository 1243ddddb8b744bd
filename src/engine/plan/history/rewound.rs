//! The full history going back: to before a compaction that the transcript holds, to an earlier message, or edited.

use std::collections::HashSet;

use super::{Back, Boundary, Feed, History, index, scale};
use crate::model::{BlockId, Compaction, Layer, Rewind, RewindCause, Trigger};

/// The full history at a compaction, kept for a later rewind.
pub(super) struct Snapshot {
    length: usize,
    /// The history itself, once it no longer is the beginning of the present one.
    saved: Option<Vec<u32>>,
}

impl History<'_> {
    pub(super) fn compact(&mut self, compaction: &Compaction) {
        let snapshot = self.snapshots.len();
        let (mut summary, mut kept) = (Vec::new(), Vec::new());
        for id in &compaction.window {
            if let Some(item) = self.item_of.get(id) {
                kept.push(*item);
                continue;
            }
            self.made.insert(*id, snapshot);
            kept.extend(self.transcript.block(*id).and_then(|block| self.copies.known(block)));
            if self.transcript.block(*id).is_some_and(|block| block.layer == Layer::Summaries) {
                summary.push((*id, scale((self.count)(*id, false).tokens, self.counted.factor)));
            }
        }
        self.snapshots.push(Snapshot { length: self.full.len(), saved: None });
        self.flush();
        if compaction.trigger == Some(Trigger::Manual) {
            self.plan.feed.push(Feed::Manual(index(self.plan.boundaries.len())));
        }
        self.plan.boundaries.push(Boundary {
            step: self.step(),
            summary,
            trigger: compaction.trigger,
            record: compaction.record,
            tokens_before: compaction.tokens_before,
            items: index(self.plan.items.len()),
            kept,
            beside: None,
        });
        self.same = false;
        self.replaced.compacted(self.step(), snapshot);
        self.since = Some(Vec::new());
    }

    pub(super) fn rewind(&mut self, rewind: &Rewind) {
        if self.since.is_some() {
            // What came in since the compaction waits on, where it stays at all.
            let unknown = |id: &&BlockId| !self.item_of.contains_key(id) && !self.made.contains_key(id);
            self.since = Some(rewind.window.iter().filter(unknown).copied().collect());
        }
        self.flush();
        let from = rewind.window.iter().filter_map(|id| self.made.get(id)).max().copied();
        let mut target: Vec<u32> = match from.and_then(|at| self.snapshots.get(at)) {
            Some(Snapshot { saved: Some(saved), .. }) => saved.clone(),
            Some(Snapshot { length, .. }) => self.full.get(..*length).unwrap_or(&self.full).to_vec(),
            None => Vec::new(),
        };
        let mut wanted: HashSet<u32> = target.iter().copied().collect();
        for id in &rewind.window {
            if let Some(item) = self.item_of.get(id).copied() {
                if wanted.insert(item) {
                    target.push(item);
                }
            } else if self.since.is_none() && !self.made.contains_key(id) {
                // A block that the history has not held yet comes in here.
                let (before, length) = (self.full.len(), self.plan.items.len());
                self.add(*id);
                if self.full.len() > before && self.plan.items.len() > length {
                    target.push(index(length));
                    wanted.insert(index(length));
                }
            }
        }
        self.flush();
        let common = self.full.iter().zip(&target).take_while(|(one, other)| one == other).count();
        for snapshot in &mut self.snapshots {
            if snapshot.saved.is_none() && snapshot.length > common {
                snapshot.saved = Some(self.full.get(..snapshot.length).unwrap_or(&self.full).to_vec());
            }
        }
        // Where what stays keeps its order and nothing is put in between, only what leaves has to move.
        let stays: Vec<u32> = self.full.iter().copied().filter(|item| wanted.contains(item)).collect();
        let (removed, again, end) = if target.starts_with(&stays) {
            let removed: Vec<u32> = self.full.iter().copied().filter(|item| !wanted.contains(item)).collect();
            let end = self.full.iter().rposition(|item| wanted.contains(item)).map_or(0, |last| last + 1);
            (removed, target[stays.len()..].to_vec(), end)
        } else {
            (self.full[common..].to_vec(), target[common..].to_vec(), common)
        };
        let goes_back = matches!(rewind.cause, RewindCause::Rewound | RewindCause::NewSession);
        let to = self.full.get(end).filter(|_| goes_back).map(|first| self.came_at(*first).saturating_sub(1));
        self.full = target;
        self.here = wanted;
        let step = self.step();
        again.iter().for_each(|item| self.comes(*item, step));
        self.recount();
        let end = self.full.iter().max().map_or(0, |newest| newest + 1);
        self.replaced.went_back(step, from, end);
        self.back(Back { removed, again, to, record: rewind.record, cause: rewind.cause });
    }

    /// The step at which an item came in last.
    fn came_at(&self, item: u32) -> u32 {
        self.came.get(item as usize).copied().unwrap_or(0)
    }

    /// Notes the step at which an item comes in.
    pub(super) fn comes(&mut self, item: u32, step: u32) {
        if let Some(came) = self.came.get_mut(item as usize) {
            *came = step;
        }
    }

    /// Counts messages, answers and turns from where the history goes on: what left counts no more.
    fn recount(&mut self) {
        let items = || self.full.iter().filter_map(|item| self.plan.items.get(*item as usize));
        self.counts = items().fold([0; 3], |[messages, rounds, turns], item| {
            [messages.max(item.message), rounds.max(item.round), turns.max(item.turn)]
        });
        self.message =
            items().next_back().and_then(|item| self.transcript.block(item.block)).map(|block| block.message);
    }

    pub(super) fn back(&mut self, back: Back) {
        if !back.removed.is_empty() || !back.again.is_empty() {
            self.plan.feed.push(Feed::Back(index(self.plan.backs.len())));
            self.plan.backs.push(back);
        }
    }
}
