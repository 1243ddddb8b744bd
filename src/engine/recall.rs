//! What a session's texts become as memories, worked out once: a replay takes it in step by step, on numbers alone.
//!
//! What is ingested does not depend on the window; what is packed, preserved and reconciled does, and is decided by the
//! stages of a step, in order. So neither has to wait for the other.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::content::{Sources, Watch};
use crate::engine::counted::Counted;
use crate::engine::documents::{Document, LeftOut, Passage, documents, loose};
use crate::engine::file_text::FileLines;
use crate::engine::plan::{Gone, Item, Plan};
use crate::engine::said_again::SaidAgain;
use crate::engine::simulate::Prepared;
use crate::engine::stages::shows;
use crate::memory::{
    self, Edge, Ingested, Input, Memory, MemoryId, Origin, Owners, Part, Skip, Space, State, Store, Vector,
};
use crate::model::{BlockId, BlockKind, Body, EntryId, Layer, Role, Run, Transcript};
use crate::policy::{IngestMode, Memory as Settings, Preserve};

/// Characters of a query that are embedded.
const QUERY: usize = 2_000;
/// Bytes of texts that become memories; what comes later stays out.
const MOST: usize = 32 << 20;

/// A sentence that is preserved when its block is compacted.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Bytes in the item's text.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// Its words. Untrusted.
    pub text: Arc<str>,
    /// Its vector.
    pub vector: Vector,
}

/// A session's texts as memories to be.
#[derive(Clone, Debug)]
pub struct Recall {
    /// Whose session it is.
    pub owners: Owners,
    /// Memories of earlier sessions, with the vectors of what comes in at hand.
    pub seed: Store,
    /// What comes in, by step.
    pub coming: Vec<Arc<Memory>>,
    /// Relations among the seed and, numbered after it, what comes in.
    pub edges: Vec<Edge>,
    /// What was ingested, by the same numbers.
    pub report: Ingested,
    /// Facts by item.
    pub facts: Arc<HashMap<u32, Vec<Fact>>>,
    /// What is asked at a step, by step: the newest message of the user.
    pub queries: Arc<Vec<(u32, Vector, Arc<str>)>>,
    /// The item of a block.
    pub item_of: FxHashMap<BlockId, u32>,
    /// Where the bytes of such a block's text, or of its uncut one, stand in its file.
    pub lines_of: HashMap<(BlockId, bool), FileLines>,
    /// The pieces of attached files that hold parts of a block, by their numbers among what is prepared.
    pub pieces_of: HashMap<BlockId, Vec<u32>>,
    /// The same for memories whose text is in no block, by that text.
    pub loose: HashMap<Arc<str>, Vec<u32>>,
    /// Where else the session says what a memory says.
    pub said_again: SaidAgain,
    /// Whether there were more texts than are taken.
    pub cut_off: bool,
    /// The attached files of which there was more than is taken.
    pub left_out: Vec<LeftOut>,
    /// Tokens of the lines of packs.
    pub counted: Arc<Counted>,
}

/// Where vectors come from.
#[derive(Clone, Copy)]
pub struct Embedding<'a> {
    /// What they are compared in.
    pub space: &'a Space,
    /// Makes them.
    pub embed: memory::Embed<'a>,
    /// Puts texts in their context before, where the settings say so and somebody does.
    pub rewrite: memory::Rewrite<'a>,
    /// What was read of the same history with the same layers, signals and vectors, but divided or compared otherwise:
    /// its facts, its questions and how long its lines are hold here, too.
    pub before: Option<&'a Recall>,
}

/// The texts of items, in memory at once, and whether there were more than are taken. `None` where the watch is
/// cancelled.
fn texts(
    plan: &Plan,
    (transcript, sources): (&Transcript, &Sources),
    wanted: impl Fn(&Item) -> bool,
    watch: &Watch,
) -> Option<(HashMap<u32, String>, bool)> {
    let text_of = |item: &Item| {
        let block = transcript.block(item.block)?;
        let body = block.content(item.whole);
        matches!(body, Body::Text { .. }).then(|| sources.body_text(body).ok())?
    };
    let (mut texts, mut size) = (HashMap::new(), 0);
    for (number, item) in (0u32..).zip(&plan.items) {
        if watch.is_cancelled() {
            return None;
        }
        let Some(text) = Some(item).filter(|item| wanted(item) && item.chars > 0).and_then(text_of) else { continue };
        size += text.len();
        if size > MOST {
            return Some((texts, true));
        }
        texts.insert(number, text);
    }
    Some((texts, false))
}

/// What was said, as it is ingested: each text by itself, or all of a turn together. A turn of a branch that was left
/// does not go on in what came instead.
fn said<'a>(told: impl Iterator<Item = (u32, &'a Item, &'a str)>, gone: &Gone, mode: IngestMode) -> Vec<Input<'a>> {
    let (mut inputs, mut last): (Vec<Input>, Option<(u32, u32)>) = (Vec::new(), None);
    for (number, about, text) in told {
        let speaker = if about.role == Role::Assistant { memory::ASSISTANT } else { memory::USER };
        let runs = vec![(0, text.len(), 0)];
        let part = Part { text, block: Some((about.block, about.whole)), runs, speaker };
        let is_same = |(before, turn): (u32, u32)| turn == about.turn && !gone.before(before, number);
        let goes_on = mode == IngestMode::TurnContext && last.is_some_and(is_same);
        match inputs.last_mut().filter(|_| goes_on) {
            Some(input) => {
                input.parts.push(part);
                input.born = about.born;
            }
            None => inputs.push(Input { parts: vec![part], born: about.born }),
        }
        last = Some((number, about.turn));
    }
    inputs
}

/// What is asked, by the step at which it came in: the newest, where there are several.
fn queries<'a>(
    prompts: impl Iterator<Item = (&'a Item, &'a str)>,
    embedding: Embedding,
) -> Vec<(u32, Vector, Arc<str>)> {
    let mut queries: Vec<(u32, Vector, Arc<str>)> = Vec::new();
    for (about, text) in prompts {
        let asked: String = text.chars().take(QUERY).collect();
        let Some(vector) = (embedding.embed)(&[&asked]).pop() else { continue };
        if queries.last().is_some_and(|(step, ..)| *step == about.born) {
            queries.pop();
        }
        queries.push((about.born, vector, Arc::from(asked)));
    }
    queries
}

/// The vectors of texts by their words, where no embedding model is at hand.
#[must_use]
pub fn embed_words(texts: &[&str]) -> Vec<Vector> {
    texts.par_iter().map(|text| memory::by_words(text)).collect()
}

impl Recall {
    /// Reads the texts that become memories, and embeds them: those of the history, and those of attached files as they
    /// are prepared. `None` where the watch is cancelled. What cannot be read counts as empty.
    #[must_use]
    pub fn read(
        (plan, prepared): (&Plan, &[Prepared]),
        (transcript, sources): (&Transcript, &Sources),
        settings: &Settings,
        owners: Owners,
        seed: Store,
        embedding: Embedding,
        watch: &Watch,
    ) -> Option<Recall> {
        let layers: Vec<Layer> = settings.ingest_layers.iter().filter_map(|name| Layer::named(name)).collect();
        let spoken = |item: &Item| matches!(item.layer, Layer::User | Layer::Assistant) && item.kind == BlockKind::Text;
        let taken = |item: &Item| {
            layers.contains(&item.layer) && !matches!(item.kind, BlockKind::ToolCall | BlockKind::Definition)
        };
        let (texts, cut_off) = texts(plan, (transcript, sources), |item| spoken(item) || taken(item), watch)?;
        let mut numbers: Vec<u32> = texts.keys().copied().collect();
        numbers.sort_unstable();
        let item = |number: &u32| plan.items.get(*number as usize);
        let told = numbers.iter().filter_map(|number| Some((*number, item(number)?, texts.get(number)?.as_str())));
        let mut inputs = said(told.clone().filter(|(_, item, _)| taken(item)), &Gone::of(plan), settings.ingest);
        let (documents, left_out) = documents(prepared, (transcript, sources), &layers, watch)?;
        let mut pieces_of: HashMap<BlockId, Vec<u32>> = HashMap::new();
        for document in &documents {
            for passage in &document.passages {
                pieces_of.entry(passage.block.0).or_default().push(passage.piece);
            }
            inputs.push(input_of(document));
        }
        let mut lines_of: HashMap<(BlockId, bool), FileLines> = HashMap::new();
        for text in prepared.iter().filter_map(|piece| piece.text.as_deref()) {
            if pieces_of.contains_key(&text.block.0) {
                lines_of.entry(text.block).or_insert_with(|| FileLines::of(&text.document));
            }
        }
        if !documents.is_empty() {
            // A file comes in behind what is new at its step.
            inputs.sort_by_key(|input| input.born);
        }
        let mut store = seed.clone();
        let mut report = memory::ingest(&mut store, settings, &owners, &inputs, embedding.embed, embedding.rewrite);
        let first = seed.len();
        let mut coming: Vec<Memory> = store.all().skip(first).map(|(_, memory, _)| memory.clone()).collect();
        let mut loose_of: HashMap<Arc<str>, Vec<u32>> = HashMap::new();
        for memory in &mut coming {
            let pieces: Vec<u32> = memory.origins.iter().filter_map(|origin| loose(origin.block)).collect();
            if !pieces.is_empty() {
                memory.origins.retain(|origin| loose(origin.block).is_none());
                loose_of.insert(memory.text.clone(), pieces);
            }
        }
        for skipped in &mut report.skipped {
            skipped.origin = skipped.origin.filter(|origin| loose(origin.block).is_none());
        }
        let mut said_again = SaidAgain::of(&seed, told.clone());
        for (skipped, origin) in report.skipped.iter().filter_map(|one| Some((one, one.origin?))) {
            if let (Skip::SameText(like), true) = (skipped.why, loose(origin.block).is_none()) {
                said_again.add(store.get(like).map(|memory| &memory.text), origin);
            }
        }
        let own = |id: MemoryId| id.0 as usize >= first;
        let edges = store.edges().iter().filter(|edge| own(edge.from) || own(edge.to)).copied().collect();
        let (facts, queries, counted) = match embedding.before {
            Some(before) => (Arc::clone(&before.facts), Arc::clone(&before.queries), Arc::clone(&before.counted)),
            None => {
                let is_spoken = |number: u32| item(&number).is_some_and(spoken);
                let facts = facts(&numbers, &texts, &memory::signals(&settings.signals), is_spoken, embedding);
                let prompts = told.filter(|(_, item, _)| item.is_prompt()).map(|(_, item, text)| (item, text));
                (Arc::new(facts), Arc::new(queries(prompts, embedding)), Arc::default())
            }
        };
        let item_of = (0u32..).zip(&plan.items).map(|(number, item)| (item.block, number)).collect();
        Some(Recall {
            owners,
            seed: seed.ahead_of(&store),
            coming: coming.into_iter().map(Arc::new).collect(),
            edges,
            report,
            facts,
            queries,
            item_of,
            pieces_of,
            lines_of,
            loose: loose_of,
            said_again,
            cut_off,
            left_out,
            counted,
        })
    }

    /// What is asked at a step.
    #[must_use]
    pub fn query(&self, step: u32) -> Option<&(u32, Vector, Arc<str>)> {
        let at = self.queries.partition_point(|(asked, ..)| *asked <= step);
        self.queries.get(at.checked_sub(1)?)
    }
}

/// A document to ingest.
fn input_of(document: &Document) -> Input<'_> {
    let mut input = Input { parts: Vec::new(), born: document.born };
    for Passage { text, block, runs, .. } in &document.passages {
        input.parts.push(Part { text, block: Some(*block), runs: runs.clone(), speaker: "" });
    }
    input
}

/// The facts that signal phrases mark, embedded at once.
fn facts(
    numbers: &[u32],
    texts: &HashMap<u32, String>,
    signals: &[String],
    spoken: impl Fn(u32) -> bool + Sync,
    embedding: Embedding,
) -> HashMap<u32, Vec<Fact>> {
    let of = |number: &u32| -> Vec<(u32, usize, usize, &str)> {
        let Some(text) = texts.get(number).filter(|_| spoken(*number)) else { return Vec::new() };
        let told = memory::facts(text, signals).into_iter();
        told.filter_map(|(from, to, _)| Some((*number, from, to, text.get(from..to)?))).collect()
    };
    let found: Vec<(u32, usize, usize, &str)> = numbers.par_iter().flat_map_iter(of).collect();
    let words: Vec<&str> = found.iter().map(|(.., words)| *words).collect();
    let mut facts: HashMap<u32, Vec<Fact>> = HashMap::new();
    for ((number, from, to, words), vector) in found.into_iter().zip((embedding.embed)(&words)) {
        let fact = Fact { start: from as u64, end: to as u64, text: Arc::from(words), vector };
        facts.entry(number).or_default().push(fact);
    }
    facts
}

/// What a replay's memory did, beside its events.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// The memories as they are in the end.
    pub store: Store,
    /// Per pack, its step, what was asked, and what was taken and left.
    pub packs: Vec<(u32, Arc<str>, memory::Packed)>,
    /// Per compaction, its step, the facts that became memories, and how many were known already.
    pub preserved: Vec<(u32, Vec<MemoryId>, u32)>,
    /// Memories that a compaction found said once more.
    pub said_again: BTreeSet<MemoryId>,
    /// Per reconciliation, its step and what it did.
    pub reconciled: Vec<(u32, memory::Reconciled)>,
    /// The numbers of what was ingested, in the store, by its number in [`Recall::coming`].
    pub numbers: Vec<MemoryId>,
    /// How many of the relations of what came in have been made.
    linked: usize,
}

impl Remembered {
    /// Nothing yet, over memories of earlier sessions.
    #[must_use]
    pub fn over(seed: &Store) -> Self {
        Remembered {
            store: seed.clone(),
            packs: Vec::new(),
            preserved: Vec::new(),
            said_again: BTreeSet::new(),
            reconciled: Vec::new(),
            numbers: Vec::new(),
            linked: 0,
        }
    }

    /// Takes in what has been ingested by a step.
    pub fn take_in(&mut self, recall: &Recall, step: u32) {
        while let Some(memory) = recall.coming.get(self.numbers.len()).filter(|one| one.born <= step) {
            self.numbers.push(self.store.take_next(memory));
        }
        let seed = recall.seed.len();
        let here = |id: MemoryId| (id.0 as usize) < seed + self.numbers.len();
        let mut edges: Vec<Edge> = Vec::new();
        while let Some(edge) = recall.edges.get(self.linked).filter(|edge| here(edge.from) && here(edge.to)) {
            if let (Some(from), Some(to)) = (self.number(seed, edge.from), self.number(seed, edge.to)) {
                edges.push(Edge { from: self.store.heir(from), to: self.store.heir(to), ..*edge });
            }
            self.linked += 1;
        }
        edges.into_iter().for_each(|edge| self.store.link(edge));
    }

    /// The number that an ingested memory has in the store.
    #[must_use]
    pub fn number(&self, seed: usize, id: MemoryId) -> Option<MemoryId> {
        match (id.0 as usize).checked_sub(seed) {
            Some(at) => self.numbers.get(at).copied(),
            None => Some(id),
        }
    }

    /// What has happened to a memory.
    #[must_use]
    pub fn state(&self, id: MemoryId) -> State {
        self.store.state(id)
    }
}

/// Whether facts are taken out before a compaction: by the section's own setting, or because the summary's call does
/// it.
#[must_use]
pub fn preserves(policy: &crate::policy::Policy) -> bool {
    match policy.memory.preserve {
        Preserve::Rules | Preserve::Llm => true,
        Preserve::Manual => false,
        Preserve::None => policy.summarise.remember,
    }
}

/// Tells of a memory whether it stands in the window of a step with all that it is from, as a pack for another question
/// asks that needs none of what stands there.
pub fn stands_at<'a>(run: &'a Run, step: u32, recall: &'a Recall) -> impl Fn(&Memory) -> bool + 'a {
    let mut of_block: FxHashMap<BlockId, Vec<EntryId>> = FxHashMap::default();
    for id in run.window(step) {
        let entry = run.entry(id).filter(|entry| entry.layer != Layer::Memory);
        entry.into_iter().flat_map(|entry| entry.content.blocks()).for_each(|block| {
            of_block.entry(block).or_default().push(id);
        });
    }
    move |memory| {
        let stands = |origin: &Origin| {
            let all = of_block.get(&origin.block).into_iter().flatten().filter_map(|id| run.entry(*id));
            all.map(|entry| &entry.content).any(|content| shows(content, origin))
        };
        (!memory.origins.is_empty() && memory.origins.iter().all(stands)) || recall.said_again.stands(memory, stands)
    }
}
