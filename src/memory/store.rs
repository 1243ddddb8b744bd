//! Memories at hand, with what has happened to each, their edges and vectors. A copy is cheap.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::policy::PackedText;

use super::reading::{Reading, Readings};
use super::scan::Maybe;
use super::turn::{Asked, Shown};
use super::vectors::Vectors;
use super::{Edge, EdgeKind, How, Memory, MemoryId, Owners, Space, State};

/// Memories at hand.
#[derive(Clone, Debug)]
pub struct Store {
    space: Space,
    memories: Vec<Arc<Memory>>,
    /// What the memories' texts tell.
    read: Vec<Arc<Reading>>,
    readings: Arc<Readings>,
    states: Vec<State>,
    vectors: Vectors,
    edges: Vec<Edge>,
    linked: Arc<HashSet<(u32, u32, EdgeKind)>>,
    by_text: Arc<HashMap<u64, MemoryId>>,
    /// Memories before this one were looked at by the last reconciliation.
    pub(super) reconciled: u32,
    /// Those before it that came out of a file beside others of the same words, which nobody has compared yet.
    pub(super) waiting: VecDeque<MemoryId>,
    /// The memories of each pack.
    packs: Vec<Arc<[MemoryId]>>,
}

/// What tells equal texts of one owner apart from others.
fn key(memory: &Memory, read: &Reading) -> u64 {
    let owner = xxh3_64_with_seed(memory.owner.as_bytes(), memory.scope as u64 + 1);
    xxh3_64_with_seed(&read.same().to_le_bytes(), owner)
}

/// The same of their words alone, whatever their capitals, blanks and signs.
fn same_words(memory: &Memory) -> u64 {
    let mut words = String::with_capacity(memory.text.len());
    for word in memory.text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    let owner = xxh3_64_with_seed(memory.owner.as_bytes(), memory.scope as u64 + 1);
    xxh3_64_with_seed(words.as_bytes(), owner)
}

/// The memories that are further from a question than is told of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Below {
    /// How many.
    pub number: usize,
    /// The largest cosine among them.
    pub nearest: Option<f32>,
}

impl Store {
    /// A store without memories.
    #[must_use]
    pub fn new(space: Space) -> Self {
        let vectors = Vectors::new(space.clone());
        Store {
            space,
            memories: Vec::new(),
            read: Vec::new(),
            readings: Arc::default(),
            states: Vec::new(),
            vectors,
            edges: Vec::new(),
            linked: Arc::default(),
            by_text: Arc::default(),
            reconciled: 0,
            waiting: VecDeque::new(),
            packs: Vec::new(),
        }
    }

    /// What its vectors are compared in.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// How many memories there are, merged ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// A memory.
    #[must_use]
    pub fn get(&self, id: MemoryId) -> Option<&Memory> {
        self.memories.get(id.0 as usize).map(|memory| &**memory)
    }

    /// What has happened to a memory.
    #[must_use]
    pub fn state(&self, id: MemoryId) -> State {
        self.states.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// A memory's vector.
    #[must_use]
    pub fn vector(&self, id: MemoryId) -> &[f32] {
        self.vectors.get(id.0).unwrap_or_default()
    }

    /// How relevant a memory is for a query of that vector.
    #[must_use]
    pub fn relevance(&self, id: MemoryId, query: &[f32]) -> f32 {
        self.space.relevance(self.space.cosine(self.vector(id), query)).min(1.0)
    }

    /// All relations.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Every memory with what has happened to it.
    pub fn all(&self) -> impl Iterator<Item = (MemoryId, &Memory, State)> {
        let numbered = (0u32..).zip(&self.memories).zip(&self.states);
        numbered.map(|((id, memory), state)| (MemoryId(id), &**memory, *state))
    }

    /// The memories that can still be packed.
    pub fn live(&self) -> impl Iterator<Item = (MemoryId, &Memory, State)> {
        self.all().filter(|(_, _, state)| state.is_live())
    }

    /// Takes a memory in.
    pub fn push(&mut self, memory: Memory, vector: &[f32]) -> MemoryId {
        let read = self.readings.of(&memory.text);
        self.vectors.push(vector);
        self.push_read(Arc::new(memory), read)
    }

    /// The same with what its text tells, but for its vector.
    fn push_read(&mut self, memory: Arc<Memory>, read: Arc<Reading>) -> MemoryId {
        let id = MemoryId(u32::try_from(self.memories.len()).unwrap_or(u32::MAX));
        Arc::make_mut(&mut self.by_text).insert(key(&memory, &read), id);
        self.memories.push(memory);
        self.read.push(read);
        self.states.push(State::default());
        id
    }

    /// This one, before the memories of a longer one came in that began as it: their vectors are at hand for
    /// [`Store::take_next`], once for all copies.
    #[must_use]
    pub fn ahead_of(mut self, longer: &Store) -> Store {
        self.vectors = longer.vectors.ahead(self.len());
        self
    }

    /// The live memory that has the same text as the next one whose vector is at hand, of the same owner; that one, taken
    /// in, where there is none.
    pub fn take_next(&mut self, memory: &Arc<Memory>) -> MemoryId {
        let read = self.readings.of(&memory.text);
        match self.same_read(memory, &read) {
            Some(same) => {
                self.vectors.leave_next();
                same
            }
            None => {
                self.vectors.take_next();
                self.push_read(Arc::clone(memory), read)
            }
        }
    }

    /// What a memory's text tells.
    pub(super) fn reading(&self, id: MemoryId) -> Option<&Arc<Reading>> {
        self.read.get(id.0 as usize)
    }

    /// What a query asks.
    pub(super) fn asked(&self, query: &str) -> Arc<Reading> {
        self.readings.of_str(query)
    }

    /// What any text tells.
    pub(super) fn read(&self, text: &Arc<str>) -> Arc<Reading> {
        self.readings.of(text)
    }

    /// What of a memory's text is packed for a query. Of one that was made of several, a sentence would stand for one of
    /// them alone.
    #[must_use]
    pub fn shown(&self, show: PackedText, id: MemoryId, asked: &Asked) -> Vec<Shown> {
        let (Some(memory), Some(read)) = (self.get(id), self.reading(id)) else { return Vec::new() };
        match show {
            PackedText::Summary if memory.how != How::Merged => read.shown_for(asked),
            PackedText::Summary | PackedText::Whole => vec![(String::new(), (0, memory.text.len()))],
        }
    }

    /// Sets what has happened to a memory (for what comes out of a file).
    pub fn set_state(&mut self, id: MemoryId, state: State) {
        if let Some(own) = self.states.get_mut(id.0 as usize) {
            *own = state;
        }
    }

    /// Says that memories were packed together at a step.
    pub fn packed(&mut self, ids: Vec<MemoryId>, step: u32) {
        for id in &ids {
            if let Some(state) = self.states.get_mut(id.0 as usize) {
                state.uses = state.uses.saturating_add(1);
                state.used_at = step;
            }
        }
        self.packs.push(ids.into());
    }

    /// In how many packs any of several memories was, or what was merged into one of them. What is known of other
    /// sessions is a number alone: the largest stands for theirs, since they may have been packed together.
    pub(super) fn uses_of(&self, ids: &[MemoryId]) -> u32 {
        let is_one = |id: &MemoryId| ids.contains(&self.heir(*id));
        let here = |test: &dyn Fn(&MemoryId) -> bool| {
            u32::try_from(self.packs.iter().filter(|pack| pack.iter().any(test)).count()).unwrap_or(u32::MAX)
        };
        let before = |id: &MemoryId| self.state(*id).uses.saturating_sub(here(&|other| self.heir(*other) == *id));
        ids.iter().map(before).max().unwrap_or(0).saturating_add(here(&is_one))
    }

    /// Changes a memory that others may share.
    pub(super) fn change(&mut self, id: MemoryId, change: impl FnOnce(&mut Memory, &mut State)) {
        let at = id.0 as usize;
        if let (Some(memory), Some(state)) = (self.memories.get_mut(at), self.states.get_mut(at)) {
            change(Arc::make_mut(memory), state);
        }
    }

    /// Relates two memories, once for each kind.
    pub fn link(&mut self, edge: Edge) {
        let pair = (edge.from.0.min(edge.to.0), edge.from.0.max(edge.to.0), edge.kind);
        if edge.from != edge.to && !self.linked.contains(&pair) {
            Arc::make_mut(&mut self.linked).insert(pair);
            self.edges.push(edge);
        }
    }

    /// The relations of a memory, with the one at the other end.
    pub fn edges_of(&self, id: MemoryId) -> impl Iterator<Item = (MemoryId, &Edge)> {
        self.edges.iter().filter_map(move |edge| match (edge.from == id, edge.to == id) {
            (true, _) => Some((edge.to, edge)),
            (_, true) => Some((edge.from, edge)),
            _ => None,
        })
    }

    /// Moves the relations of a memory to the one that stands for it, and takes away those whose ends are one or gone.
    /// Returns those, as they were. What a memory was made from is kept.
    pub(super) fn tidy_edges(&mut self) -> Vec<Edge> {
        let mut removed = Vec::new();
        let edges = std::mem::take(&mut self.edges);
        self.linked = Arc::default();
        for was in edges {
            let mut edge = was;
            if edge.kind != EdgeKind::Supersedes {
                (edge.from, edge.to) = (self.heir(edge.from), self.heir(edge.to));
            }
            let number = self.edges.len();
            let gone = |id: MemoryId| !self.state(id).is_live() || self.get(id).is_none();
            if edge.kind == EdgeKind::Supersedes || !(gone(edge.from) || gone(edge.to)) {
                self.link(edge);
            }
            if self.edges.len() == number {
                removed.push(was);
            }
        }
        removed
    }

    /// Says that all memories there are came out of a file: the next reconciliation compares none of them with all
    /// others once more, but those that have the same words, as what was added by hand has been compared with nothing.
    pub fn settle(&mut self) {
        self.reconciled = u32::try_from(self.len()).unwrap_or(u32::MAX);
        let mut known: HashMap<u64, Option<MemoryId>> = HashMap::new();
        let mut waiting = VecDeque::new();
        for (id, memory, _) in self.live() {
            match known.entry(same_words(memory)) {
                Entry::Vacant(place) => _ = place.insert(Some(id)),
                Entry::Occupied(mut first) => waiting.extend(first.get_mut().take().into_iter().chain([id])),
            }
        }
        self.waiting = waiting;
    }

    /// The memory that stands for one in the end: itself, or what it was merged into.
    #[must_use]
    pub fn heir(&self, id: MemoryId) -> MemoryId {
        let mut heir = id;
        // Each was merged into a newer one or an older one that is live: more rounds than memories cannot be.
        for _ in 0..=self.memories.len() {
            match self.state(heir).into {
                Some(into) => heir = into,
                None => return heir,
            }
        }
        heir
    }

    /// The live memory that has the same text, of the same owner.
    #[must_use]
    pub fn same_text(&self, memory: &Memory) -> Option<MemoryId> {
        self.same_read(memory, &self.readings.of(&memory.text))
    }

    fn same_read(&self, memory: &Memory, read: &Reading) -> Option<MemoryId> {
        let found = self.heir(*self.by_text.get(&key(memory, read))?);
        self.state(found).is_live().then_some(found)
    }

    /// The live memories of a scope and owner that are at least so alike, the most alike first.
    #[must_use]
    pub fn neighbours(&self, like: &Memory, vector: &[f32], at_least: f32, most: usize) -> Vec<(MemoryId, f32)> {
        self.like(like, self.vectors.near(vector, at_least), most)
    }

    /// The same of a memory that is one of them.
    #[must_use]
    pub fn neighbours_of(&self, id: MemoryId, at_least: f32, most: usize) -> Vec<(MemoryId, f32)> {
        let Some(like) = self.get(id) else { return Vec::new() };
        self.like(like, self.vectors.near_memory(id.0, at_least), most)
    }

    /// The live ones of the scope and owner of a memory, the most alike first.
    fn like(&self, like: &Memory, near: Vec<(u32, f32)>, most: usize) -> Vec<(MemoryId, f32)> {
        let same = |id: MemoryId| {
            self.state(id).is_live()
                && self.get(id).is_some_and(|other| other.scope == like.scope && other.owner == like.owner)
        };
        let mut found: Vec<(MemoryId, f32)> =
            near.into_iter().map(|(id, score)| (MemoryId(id), score)).filter(|(id, _)| same(*id)).collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        found.truncate(most);
        found
    }

    /// The live memories that these owners see, of at least that cosine: the nearest so many of which `first` says so,
    /// then the nearest so many others that are no further; how many more there are; and what is further away.
    pub(super) fn seen(
        &self,
        query: &[f32],
        at_least: f32,
        owners: &Owners,
        most: usize,
        first: impl Fn(MemoryId, &Memory) -> bool,
    ) -> ([Vec<(MemoryId, f32)>; 2], usize, Below) {
        let seen = |id: MemoryId| self.get(id).filter(|memory| self.state(id).is_live() && owners.see(memory));
        let mut all = self.vectors.maybe(query, f32::NEG_INFINITY);
        all.retain(|maybe| seen(MemoryId(maybe.number)).is_some());
        let reaching: Vec<Maybe> = all.iter().filter(|maybe| maybe.may_reach(at_least)).copied().collect();
        let number = self.vectors.number(query, &reaching, at_least);
        let is_first = |number: u32| self.get(MemoryId(number)).is_some_and(|memory| first(MemoryId(number), memory));
        let [wanted, others] = self.vectors.parted(reaching, most, is_first);
        let nearest = |maybe| {
            let mut found = self.vectors.settle(query, maybe, at_least, most);
            found.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
            found.truncate(most);
            found.into_iter().map(|(id, score)| (MemoryId(id), score)).collect::<Vec<_>>()
        };
        let found = [nearest(wanted), nearest(others)];
        let more = number - found[0].len() - found[1].len();
        let nearest = self.vectors.nearest_below(query, &all, at_least);
        // Nothing is near to a question that has no vector.
        let seen = if all.is_empty() { self.live().filter(|(_, one, _)| owners.see(one)).count() } else { all.len() };
        (found, more, Below { number: seen - number, nearest })
    }

    /// A hash of all that a store holds: equal hash, equal store.
    #[cfg(test)]
    pub(super) fn fingerprint(&self) -> u64 {
        let mut bytes = Vec::new();
        for (id, memory, state) in self.all() {
            bytes.extend(id.0.to_le_bytes());
            bytes.extend(key(memory, &self.readings.of(&memory.text)).to_le_bytes());
            bytes.extend(state.uses.to_le_bytes());
            bytes.extend(state.into.map_or(u32::MAX, |into| into.0).to_le_bytes());
            bytes.push(u8::from(state.promoted));
        }
        xxhash_rust::xxh3::xxh3_64(&bytes)
    }
}
