//! Memories that say a fact and are not packed: it is remembered, and the model does not see it.

use std::collections::HashMap;
use std::sync::Arc;

use super::fact::Fact;
use super::find::Found;
use super::life::Subject;
use super::stay::{Back, Like, Sight, Stay};
use super::trace::{Occurrence, Trace};
use crate::content::Watch;
use crate::engine::{Recall, Remembered, Replay, simulate_remembering};
use crate::memory::{Asked, Candidate, Change, How, Memory, MemoryId, Packed, Why, reaches};
use crate::model::{BlockId, Fate, Layer, Transcript};
use crate::policy::{self, PackedText, Policy, Scope};

/// Memories that are told of.
const TOLD: usize = 8;

/// What a place in a memory of an earlier session is called.
pub const KEPT: &str = "kept memory";

/// What a whole replay remembered, and what it packed.
pub struct Remembering {
    recall: Arc<Recall>,
    remembered: Remembered,
    settings: Arc<policy::Memory>,
}

/// A memory that says a fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The memory.
    pub id: MemoryId,
    /// Whether it was kept from an earlier session.
    pub kept: bool,
    /// How it came to be.
    pub how: How,
    /// Who sees it.
    pub scope: Scope,
    /// The steps from which on, and up to which, it could be packed.
    pub from: u32,
    /// See `from`.
    pub to: Option<u32>,
    /// The blocks that it is from.
    blocks: Vec<BlockId>,
    /// Whether it ever was packed.
    pub packed: bool,
    /// What of it says the like, and how near that is, for facts by meaning.
    pub like: Option<Arc<Like>>,
    /// Whether its first sentence says the fact, which stands for it in a pack.
    pub begins: bool,
    /// The pack that was there at the step in question; `None` where nothing had been asked for until then.
    pub pack: Option<Looked>,
    /// The settings that decide of packs.
    pub settings: Arc<policy::Memory>,
}

/// How a pack looked at a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Looked {
    /// Its step.
    pub step: u32,
    /// What it made of the memory.
    pub candidate: Candidate,
    /// Tokens that were packed, and how many might be.
    pub room: (u64, u64),
}

impl Remembering {
    /// Of a replay under a policy, from its first step to its last; `None` where nothing is remembered.
    #[must_use]
    pub fn of(replay: &Replay, policy: &Policy, watch: &Watch) -> Option<Remembering> {
        let recall = Arc::clone(replay.given.recall.as_ref()?);
        let (_, remembered) = simulate_remembering(&replay.plan, policy, &replay.given, u32::MAX, watch)?;
        Some(Remembering { recall, remembered, settings: Arc::new(policy.memory.clone()) })
    }

    /// The memories that its session has and may see.
    pub(super) fn seen(&self) -> impl Iterator<Item = (MemoryId, &Memory)> {
        // Without a memory nothing is ingested but for what a compaction is to remember.
        let is_had = |how: How| self.settings.on || how != How::Ingested;
        let all = self.remembered.store.all().map(|(id, memory, _)| (id, memory));
        all.filter(move |(_, memory)| self.recall.owners.see(memory) && is_had(memory.how))
    }

    /// The memories that say a fact, or the like of it, those first that came nearest to being packed for a step.
    fn that_say(&self, subject: &Subject, alike: &[(MemoryId, Like)], step: u32) -> Vec<Held> {
        let store = &self.remembered.store;
        // Keyed by number: any memory is looked up.
        let alike: HashMap<MemoryId, &Like> = alike.iter().map(|(id, like)| (*id, like)).collect();
        let says = self.seen().filter(|(id, memory)| alike.contains_key(id) || subject.is_in(&memory.text));
        let says: Vec<MemoryId> = says.map(|(id, _)| id).collect();
        let packs = &self.remembered.packs;
        let pack = packs.iter().rev().find(|(at, ..)| *at <= step);
        let asked = Asked::of(pack.map_or("", |(_, words, _)| words));
        let held = |id: MemoryId| {
            let memory = store.get(id)?;
            let (from, to) = self.lived(id, memory.born, &says);
            let looked = pack.filter(|(at, ..)| from <= *at).map(|(at, _, packed)| Looked {
                step: *at,
                candidate: self.looked_at(id, *at, packed),
                room: (packed.tokens, packed.budget),
            });
            Some(Held {
                id,
                kept: (id.0 as usize) < self.recall.seed.len(),
                how: memory.how,
                scope: memory.scope,
                from,
                to,
                blocks: memory.origins.iter().map(|origin| origin.block).collect(),
                like: alike.get(&id).map(|like| Arc::new((*like).clone())),
                packed: packs.iter().any(|(_, _, packed)| packed.lines.iter().any(|line| line.id == id)),
                begins: store.shown(PackedText::Summary, id, &asked).iter().any(|(_, (from, to))| {
                    memory.text.get(*from..*to).is_some_and(|text| {
                        subject.is_in(text) || alike.get(&id).is_some_and(|like| text.contains(&like.sentence))
                    })
                }),
                pack: looked,
                settings: Arc::clone(&self.settings),
            })
        };
        let mut found: Vec<Held> = says.iter().filter_map(|id| held(*id)).collect();
        let score = |one: &Held| one.pack.as_ref().map_or(-1.0, |pack| pack.candidate.score);
        found.sort_by(|one, other| score(other).total_cmp(&score(one)).then(one.id.cmp(&other.id)));
        found
    }

    /// What a pack made of a memory. It tells of the best only: of others, what keeps them from being among these.
    fn looked_at(&self, id: MemoryId, step: u32, packed: &Packed) -> Candidate {
        let told = packed.candidates.iter().find(|one| one.id == id);
        told.copied().unwrap_or_else(|| {
            let score = self.recall.query(step).map_or(0.0, |(_, asked, _)| self.remembered.store.relevance(id, asked));
            #[allow(clippy::cast_possible_truncation)]
            let is_near = reaches(score, self.settings.min_score.0 as f32);
            let why = if is_near { Why::TooMany } else { Why::BelowScore };
            Candidate { id, score, through: None, why }
        })
    }

    /// The steps at which a memory could be packed and said the fact: until it became part of another, and one that took
    /// the fact over from others since it did.
    fn lived(&self, id: MemoryId, born: u32, says: &[MemoryId]) -> (u32, Option<u32>) {
        let (mut from, mut to) = (born.max(1), None);
        for (step, report) in &self.remembered.reconciled {
            for change in &report.changes {
                let (Change::Merged(merged) | Change::Consolidated(merged)) = change else { continue };
                let others = || merged.of.iter().filter(|other| **other != merged.into);
                if merged.into == id && others().any(|other| says.contains(other)) {
                    from = from.max(*step);
                } else if others().any(|other| *other == id) {
                    to.get_or_insert(step.saturating_sub(1));
                }
            }
        }
        (from, to)
    }
}

impl Held {
    /// Whether it could be packed at a step.
    #[must_use]
    pub fn is_there(&self, step: u32) -> bool {
        self.from <= step && self.to.is_none_or(|to| step <= to)
    }

    /// A life in it, and in no window.
    fn stay(&self, from: u32, to: Option<u32>) -> Stay {
        Stay {
            from,
            to,
            sight: Sight::Unpacked,
            fate: Fate::Remembered,
            entry: None,
            event: None,
            left: None,
            back: Some(Back::Memory(self.id)),
            like: self.like.clone(),
            said: None,
        }
    }
}

/// Tells of a fact that was traced where memories say it while no window does: stretches in which only they do, places
/// in memories of earlier sessions that never came in, and why they were not packed for the step in question.
pub fn remember(trace: &mut Trace, fact: &Fact, found: &Found, transcript: &Transcript, memories: &Remembering) {
    let step = trace.need.step();
    let mut held = memories.that_say(&Subject::new(fact, found, transcript), &found.remembered, step);
    // A pack may have lines of several: it is one place.
    let packed = trace.occurrences.iter().any(|one| one.block.is_none() && one.layer == Layer::Memory);
    for one in &mut trace.occurrences {
        let of = |held: &&Held| match one.block {
            Some(block) => held.blocks.contains(&block),
            None => one.layer == Layer::Memory && held.blocks.is_empty() && held.packed,
        };
        let own: Vec<&Held> = held.iter().filter(of).collect();
        if !own.is_empty() {
            let stays = Arc::unwrap_or_clone(std::mem::take(&mut one.stays));
            one.stays = Arc::new(stays.into_iter().flat_map(|stay| kept_alive(stay, &own)).collect());
        }
    }
    let loose = held.iter().filter(|one| one.blocks.is_empty() && !(one.packed && packed));
    let loose: Vec<Occurrence> = loose.take(TOLD).map(never_packed).collect();
    trace.occurrences.extend(loose);
    held.retain(|one| one.is_there(step));
    held.truncate(TOLD);
    // What stands in a request that was refused is packed as it should be.
    trace.held = if trace.in_window || trace.is_refused() { Vec::new() } else { held };
}

/// A memory that no window ever held.
fn never_packed(held: &Held) -> Occurrence {
    Occurrence {
        place: None,
        block: None,
        elsewhere: None,
        layer: Layer::Memory,
        label: if held.kept { KEPT } else { "memory" }.into(),
        by_model: false,
        written: None,
        first: None,
        stays: Arc::new(vec![held.stay(held.from, held.to)]),
    }
}

/// A stretch without anything of a fact, of which a part is not: a memory says it.
fn kept_alive(stay: Stay, held: &[&Held]) -> Vec<Stay> {
    let end = stay.to.unwrap_or(u32::MAX);
    let lives = |one: &&&Held| one.from <= end && one.to.is_none_or(|to| stay.from <= to);
    let first = held.iter().filter(lives).min_by_key(|one| one.from);
    let Some(one) = first.filter(|_| matches!(stay.sight, Sight::Gone | Sight::Marker)) else { return vec![stay] };
    let from = one.from.max(stay.from);
    let to = one.to.filter(|to| *to < end).or(stay.to);
    let mut parts = Vec::new();
    if stay.from < from {
        parts.push(Stay { to: Some(from - 1), ..stay.clone() });
    }
    let (back, like) = (Some(Back::Memory(one.id)), one.like.clone());
    parts.push(Stay { from, to, sight: Sight::Unpacked, back, like, ..stay.clone() });
    if let Some(to) = to.filter(|to| *to < end) {
        parts.extend(kept_alive(Stay { from: to + 1, ..stay }, held));
    }
    parts
}
