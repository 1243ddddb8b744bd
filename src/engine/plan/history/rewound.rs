//! The full history going back: to before a compaction that the transcript holds, to an earlier message, or edited.

use std::collections::{HashMap, HashSet};

use super::between::Between;
use super::rooms::ascending;
use super::{Back, Boundary, Feed, History, NONE, index, is_summary};
use crate::model::{Block, BlockId, Compaction, Layer, Rewind, RewindCause, Trigger};
use crate::tokens::scaled;

/// The full history at a compaction, kept for a later rewind.
pub(super) struct Snapshot {
    length: usize,
    /// The history itself, once it no longer is the beginning of the present one.
    saved: Option<Vec<u32>>,
    /// System prompt and tools that the compaction kept.
    prompt: Vec<u32>,
}

/// What the history is to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    Known(u32),
    New(BlockId),
}

/// What stays of a history, and what leaves it.
struct Aligned {
    /// Per wanted block, whether it stays where it is.
    stays: Vec<bool>,
    removed: Vec<u32>,
    /// How many items there were up to the last one that stays.
    tail: usize,
}

/// As much as possible stays where it is.
fn align(old: &[u32], target: &[Wanted]) -> Aligned {
    let same = |one: &u32, other: &Wanted| *other == Wanted::Known(*one);
    let head = old.iter().zip(target).take_while(|(one, other)| same(one, other)).count();
    let rest = (&old[head..], &target[head..]);
    let ends = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(one, other)| same(one, other)).count();
    let places: HashMap<u32, usize> =
        old.iter().copied().enumerate().take(old.len() - ends).skip(head).map(|(place, item)| (item, place)).collect();
    let place = |(at, wanted): (usize, &Wanted)| match wanted {
        Wanted::Known(item) => Some((at, *places.get(item)?)),
        Wanted::New(_) => None,
    };
    let inner = target.iter().enumerate().take(target.len() - ends).skip(head);
    let (at, known): (Vec<usize>, Vec<usize>) = inner.filter_map(place).unzip();
    let mut stays = vec![true; target.len()];
    stays[head..target.len() - ends].fill(false);
    let mut held = vec![true; old.len()];
    held[head..old.len() - ends].fill(false);
    for ((at, place), _) in at.iter().zip(&known).zip(ascending(&known)).filter(|(_, stays)| *stays) {
        (stays[*at], held[*place]) = (true, true);
    }
    let removed = old.iter().zip(&held).filter(|(_, held)| !**held).map(|(item, _)| *item).collect();
    Aligned { stays, removed, tail: held.iter().rposition(|held| *held).map_or(0, |last| last + 1) }
}

/// What leaves before each item that stays.
struct Gaps(HashMap<u32, Vec<u32>>);

impl Gaps {
    fn of(old: &[u32], here: &HashSet<u32>) -> Gaps {
        let (mut gaps, mut open) = (HashMap::new(), Vec::new());
        for item in old {
            if !here.contains(item) {
                open.push(*item);
            } else if !open.is_empty() {
                gaps.insert(*item, std::mem::take(&mut open));
            }
        }
        Gaps(gaps)
    }

    /// The first that left there and is like what comes in; it stands for no other then.
    fn instead(&mut self, after: u32, is_like: impl Fn(u32) -> bool) -> Option<u32> {
        let left = self.0.get_mut(&after)?;
        let at = left.iter().position(|left| is_like(*left))?;
        Some(left.remove(at))
    }
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
                summary.push((*id, scaled((self.count)(*id, false).tokens, self.counted.factor)));
            }
        }
        let is_prompt = |item: &u32| {
            let layer = self.plan.items.get(*item as usize).map(|item| item.layer);
            matches!(layer, Some(Layer::System | Layer::Tools))
        };
        let prompt = kept.iter().copied().filter(is_prompt).collect();
        self.snapshots.push(Snapshot { length: self.full.len(), saved: None, prompt });
        self.flush();
        if compaction.trigger == Some(Trigger::Manual) {
            self.plan.feed.push(Feed::Manual(index(self.plan.boundaries.len())));
        }
        let said = summary.first().and_then(|(id, _)| self.transcript.block(*id)).map(|block| block.message);
        let at = said.and_then(|message| self.transcript.messages.get(message.0 as usize)?.at);
        self.plan.boundaries.push(Boundary {
            step: self.step(),
            at,
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
        self.dropped.extend(&rewind.dropped);
        let target = self.target(rewind, from);
        self.save(&target);
        let old = std::mem::take(&mut self.full);
        let Aligned { stays, removed, tail } = align(&old, &target);
        for item in &removed {
            self.here.remove(item);
        }
        let goes_back = matches!(rewind.cause, RewindCause::Rewound | RewindCause::NewSession);
        let left = old.get(tail..).unwrap_or_default().iter().map(|item| self.came_at(*item));
        let to = left.min().filter(|_| goes_back).map(|first| first.saturating_sub(1));
        let known = index(self.plan.items.len());
        let again = self.follow(&target, &stays, &old);
        self.recount();
        // What was cleared stays so through an edit.
        let older = |item: &&u32| **item < known && !self.is_between(**item);
        let end = self.full.iter().filter(older).max().map_or(0, |newest| newest + 1);
        self.replaced.went_back(self.step(), from, if goes_back { end } else { NONE });
        self.same = self.replaced.is_none() && self.full.iter().all(|item| self.is_sent(*item));
        self.back(Back { removed, again, to, record: rewind.record, cause: rewind.cause });
    }

    /// What the history is to hold, in order: of what a compaction stands for all that it held then, but for a prompt
    /// that is no longer sent and thinking that the provider dropped; and what the window holds beside.
    fn target(&self, rewind: &Rewind, from: Option<usize>) -> Vec<Wanted> {
        let snapshot = from.and_then(|at| self.snapshots.get(at));
        let held = match snapshot {
            Some(Snapshot { saved: Some(saved), .. }) => saved.as_slice(),
            Some(Snapshot { length, .. }) => self.full.get(..*length).unwrap_or(&self.full),
            None => &[],
        };
        let window: HashSet<u32> = rewind.window.iter().filter_map(|id| self.item_of.get(id)).copied().collect();
        let prompt = snapshot.map(|snapshot| snapshot.prompt.as_slice()).unwrap_or_default();
        let is_dropped =
            |item: u32| self.plan.items.get(item as usize).is_some_and(|item| self.dropped.contains(&item.block));
        let stays = |item: &u32| window.contains(item) || !prompt.contains(item) && !is_dropped(*item);
        let held: Vec<u32> = held.iter().copied().filter(stays).collect();
        let places: HashMap<u32, usize> = held.iter().enumerate().map(|(place, item)| (*item, place)).collect();
        let mut seen: HashSet<BlockId> = HashSet::new();
        // What stands before the summary stands among what the summary is of; all else is newer.
        let (mut among, mut behind, mut place) = (Vec::new(), Vec::new(), Some(0).filter(|_| snapshot.is_some()));
        for id in rewind.window.iter().filter(|id| seen.insert(**id)) {
            if self.made.contains_key(id) {
                place = None;
                continue;
            }
            let known = self.item_of.get(id).copied();
            if let Some(own) = known.and_then(|item| places.get(&item)) {
                place = place.map(|_| own + 1);
                continue;
            }
            let wanted = match known {
                Some(item) => Wanted::Known(item),
                // A block that the history has not held yet comes in here.
                None if self.since.is_none() => Wanted::New(*id),
                None => continue,
            };
            match place {
                Some(place) => among.push((place, wanted)),
                None => behind.push(wanted),
            }
        }
        let mut among = among.into_iter().peekable();
        let mut target = Vec::with_capacity(held.len() + rewind.window.len());
        for (place, item) in held.into_iter().enumerate() {
            while let Some((_, wanted)) = among.next_if(|(at, _)| *at <= place) {
                target.push(wanted);
            }
            target.push(Wanted::Known(item));
        }
        target.extend(among.map(|(_, wanted)| wanted));
        target.append(&mut behind);
        target
    }

    /// Keeps the histories that compactions stand for and that no longer are the beginning of the present one.
    fn save(&mut self, target: &[Wanted]) {
        let same = |(one, other): &(&u32, &Wanted)| **other == Wanted::Known(**one);
        let common = self.full.iter().zip(target).take_while(same).count();
        for snapshot in &mut self.snapshots {
            if snapshot.saved.is_none() && snapshot.length > common {
                snapshot.saved = Some(self.full.get(..snapshot.length).unwrap_or(&self.full).to_vec());
            }
        }
    }

    /// Brings the history to what it is to hold. What stays does not move: what comes in before it gets a room there.
    /// Returns what comes back, with its room.
    fn follow(&mut self, target: &[Wanted], stays: &[bool], old: &[u32]) -> Vec<(u32, u32)> {
        let last = stays.iter().rposition(|stays| *stays);
        // Per wanted block, the next one that stays.
        let mut after = vec![NONE; target.len()];
        let mut next = NONE;
        for (at, wanted) in target.iter().enumerate().rev() {
            after[at] = next;
            if let (Wanted::Known(item), true) = (wanted, stays[at]) {
                next = *item;
            }
        }
        let mut gaps = Gaps::of(old, &self.here);
        let mut items = Vec::with_capacity(target.len());
        for (at, wanted) in target.iter().enumerate() {
            let between = last.is_some_and(|last| at < last);
            if last.map_or(0, |last| last + 1) == at {
                self.recount();
            }
            let id = match wanted {
                Wanted::Known(item) => {
                    self.full.push(*item);
                    self.here.insert(*item);
                    items.push((*item, !stays[at]));
                    continue;
                }
                Wanted::New(id) => *id,
            };
            let Some(block) = self.transcript.block(id).filter(|block| !is_summary(block)) else { continue };
            let between = between.then(|| Between {
                instead: gaps.instead(after[at], |left| self.is_like(left, block)),
                before: self.full.last().copied(),
                after: after[at],
            });
            items.extend(self.take_in(id, block, between).map(|item| (item, false)));
        }
        self.flush();
        let (step, mut next, mut again) = (self.step(), None, Vec::new());
        for (item, comes_back) in items.into_iter().rev() {
            if comes_back {
                self.comes(item, step);
                again.push((item, next));
            } else {
                next = Some(item);
            }
        }
        let room = |(item, next): (u32, Option<u32>)| match next {
            Some(next) => (item, self.rooms.take_before(item, next)),
            None => {
                self.rooms.take_end(item);
                (item, NONE)
            }
        };
        again.into_iter().rev().map(room).collect()
    }

    /// Whether a block may stand for an item that left: the same of the same.
    fn is_like(&self, left: u32, block: &Block) -> bool {
        let item = self.plan.items.get(left as usize);
        item.is_some_and(|item| item.layer == block.layer && item.role == block.role && item.kind == block.kind)
    }

    fn is_between(&self, item: u32) -> bool {
        self.plan.items.get(item as usize).is_some_and(|item| item.room != NONE)
    }

    /// Whether an item is admitted as it was sent.
    fn is_sent(&self, item: u32) -> bool {
        self.plan.items.get(item as usize).is_none_or(|item| item.sent == item.tokens)
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
