//! ingest: raw content into memories. Divided, enriched, embedded, compared with what is there, related to it
//! (source 2: ingest()).

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use crate::model::BlockId;
use crate::policy::{Enrich, IngestMode, Memory as Settings};

use super::contrary::contradict;
use super::divide::{divide, trimmed};
use super::reading::Reading;
use super::vectors::Vectors;
use super::words::word_set;
use super::{Edge, EdgeKind, Embed, How, Memory, MemoryId, Origin, Owners, Store, Vector, summary};

/// A text to ingest.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Its words. Untrusted.
    pub text: &'a str,
    /// The block that holds it, and whether it is the block's uncut text.
    pub block: Option<(BlockId, bool)>,
    /// Its parts that stand in the block: first and last byte of it, the first byte in the block's text.
    pub runs: Vec<(usize, usize, u64)>,
    /// Who says it, for turns; nobody says a document.
    pub speaker: &'a str,
}

/// What is ingested at once: a message, a document, a turn of a conversation.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// Its texts, in order.
    pub parts: Vec<Part<'a>>,
    /// The step after whose answer its memories are there.
    pub born: u32,
}

/// Puts a text in its context: given what stands around it, then the text. `None` where nobody does.
pub type Rewrite<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// A memory to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Drafted {
    /// Its text.
    pub text: String,
    /// Where that came from.
    pub origins: Vec<Origin>,
    /// What enriches it.
    pub around: Option<String>,
    /// Whether that is the text itself, in its context.
    pub rewritten: bool,
    /// What its vector is made from.
    pub embedded: String,
}

/// Why a text became no memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Skip {
    /// A memory has the same words.
    SameText(MemoryId),
    /// A memory is that similar, and says all that the text says, in its order.
    Similar(MemoryId, f32),
}

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// A memory; perhaps it contradicts another.
    Written(MemoryId, Option<MemoryId>),
    /// Nothing.
    Skipped(Skip),
}

/// A text that became no memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    /// Its first sentence. Untrusted.
    pub text: String,
    /// Why.
    pub why: Skip,
    /// The step after whose answer it would have been there.
    pub born: u32,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// What was ingested (source 2: result.written, result.skipped).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ingested {
    /// The memories that were made.
    pub written: Vec<MemoryId>,
    /// Texts that were not, and why.
    pub skipped: Vec<Skipped>,
    /// Texts that a model put in their context.
    pub rewritten: usize,
    /// Pairs of which one denies the other.
    pub contradictions: Vec<(MemoryId, MemoryId)>,
    /// Pairs that say related things in other words.
    pub bridges: Vec<(MemoryId, MemoryId)>,
}

/// Memories that a new one is compared with at most (source 2's public code: 5).
const COMPARED: usize = 5;
/// Chunks of one input that are compared for bridges.
const BRIDGED: usize = 200;
/// Bridges of one memory.
const BRIDGES: usize = 3;

/// Texts joined into one, with the way back.
struct Joined {
    text: String,
    /// First and last byte here, the block's first byte, the block.
    map: Vec<(usize, usize, u64, BlockId, bool)>,
}

impl Joined {
    fn of(parts: &[Part], with_speakers: bool) -> Joined {
        let mut joined = Joined { text: String::new(), map: Vec::new() };
        for part in parts {
            if !joined.text.is_empty() {
                joined.text.push('\n');
            }
            if with_speakers && !part.speaker.is_empty() {
                joined.text.push_str(part.speaker);
                joined.text.push_str(": ");
            }
            let from = joined.text.len();
            joined.text.push_str(part.text);
            if let Some((block, whole)) = part.block {
                joined
                    .map
                    .extend(part.runs.iter().map(|(low, high, first)| (from + low, from + high, *first, block, whole)));
            }
        }
        joined
    }

    fn origins(&self, from: usize, to: usize) -> Vec<Origin> {
        let overlap = |(start, end, first, block, whole): &(usize, usize, u64, BlockId, bool)| {
            let (low, high) = (from.max(*start), to.min(*end));
            let at = |place: usize| first + (place - start) as u64;
            let place = u32::try_from(low.saturating_sub(from)).ok();
            (low < high).then(|| Origin { block: *block, start: at(low), end: at(high), whole: *whole, at: place })
        };
        self.map.iter().filter_map(overlap).collect()
    }
}

/// Divides an input into memories to be, by the mode of ingestion, and enriches them.
#[must_use]
pub fn drafts(settings: &Settings, input: &Input) -> Vec<Drafted> {
    let (size, overlap) = (settings.chunk_size, settings.chunk_overlap);
    let cut = |text: &str| divide(text, size, overlap);
    let whole = |text: &str| trimmed(text, 0, text.len()).into_iter().collect::<Vec<_>>();
    let mut found = Vec::new();
    let mut add = |joined: &Joined, ranges: Vec<(usize, usize)>| {
        let texts: Vec<&str> = ranges.iter().filter_map(|(from, to)| joined.text.get(*from..*to)).collect();
        for (at, (text, (from, to))) in texts.iter().zip(&ranges).enumerate() {
            let around = around(settings, &texts, at);
            let embedded = match &around {
                Some(around) if settings.enrich == Enrich::Rewrite => format!("{around}\n{text}"),
                _ => (*text).to_owned(),
            };
            let (text, origins) = ((*text).to_owned(), joined.origins(*from, *to));
            found.push(Drafted { text, origins, around, rewritten: false, embedded });
        }
    };
    match settings.ingest {
        IngestMode::Session => {
            let joined = Joined::of(&input.parts, false);
            let range = whole(&joined.text);
            add(&joined, range);
        }
        IngestMode::Chunk => {
            for part in &input.parts {
                let joined = Joined::of(std::slice::from_ref(part), false);
                let ranges = cut(&joined.text);
                add(&joined, ranges);
            }
        }
        IngestMode::TurnContext => {
            let joined = Joined::of(&input.parts, true);
            let ranges = cut(&joined.text);
            add(&joined, ranges);
        }
    }
    found
}

/// What the chunks on either side say, by their first sentences.
fn around(settings: &Settings, texts: &[&str], at: usize) -> Option<String> {
    if settings.enrich == Enrich::None {
        return None;
    }
    let window = usize::try_from(settings.enrich_window).unwrap_or(usize::MAX);
    let said = |text: &&str| {
        let (from, to) = summary(text);
        text.get(from..to).unwrap_or_default().trim().to_owned()
    };
    let before: Vec<String> = texts.iter().take(at).skip(at.saturating_sub(window)).map(said).collect();
    let after: Vec<String> = texts.iter().skip(at + 1).take(window).map(said).collect();
    let named = [("Before", before), ("After", after)];
    let lines: Vec<String> = named
        .iter()
        .filter(|(_, said)| !said.is_empty())
        .map(|(name, said)| format!("{name}: {}", said.join(" … ")))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Writes one memory, unless one like it is there.
pub fn write(store: &mut Store, settings: &Settings, memory: Memory, vector: &Vector) -> Outcome {
    if let Some(same) = store.same_text(&memory) {
        return Outcome::Skipped(Skip::SameText(same));
    }
    let likeness = settings.similar_at.0.min(settings.dedupe_at.0);
    #[allow(clippy::cast_possible_truncation)]
    let near = store.neighbours(&memory, vector, likeness as f32, COMPARED);
    let (mut contradicted, read) = (None, store.read(&memory.text));
    for (id, score) in near {
        let Some(theirs) = store.reading(id) else { continue };
        let is_near = f64::from(score) > settings.contradict_at.0.max(settings.similar_at.0);
        if is_near && contradicted.is_none() && contradict(theirs.claims(), read.claims()) {
            contradicted = Some((id, score));
        }
        if f64::from(score) >= settings.dedupe_at.0 && theirs.says_all(&read) {
            return Outcome::Skipped(Skip::Similar(id, score));
        }
    }
    let contradicted = contradicted.or_else(|| opposite(store, settings, &memory, &read));
    let id = store.push(memory, vector);
    if let Some((other, score)) = contradicted {
        store.link(Edge { from: id, to: other, kind: EdgeKind::Contradicts, score });
    }
    Outcome::Written(id, contradicted.map(|(other, _)| other))
}

/// Reads of texts what [`write`] asks one after the other, where they are like others: that takes longest.
#[allow(clippy::cast_possible_truncation)]
fn read_side_by_side(store: &Store, settings: &Settings, texts: &[(&str, &Vector)]) {
    let mut vectors = Vectors::new(store.space().clone());
    texts.iter().for_each(|(_, vector)| vectors.push(vector));
    let least = settings.contradict_at.0.max(settings.similar_at.0) as f32;
    (0u32..).zip(texts).collect::<Vec<_>>().into_par_iter().for_each(|(number, (text, _))| {
        let near = vectors.near_memory(number, least.min(settings.dedupe_at.0 as f32));
        let best = near.iter().filter(|(other, _)| *other != number).map(|(_, score)| *score).fold(0.0, f32::max);
        let read = store.asked(text);
        if best > least {
            read.claims();
        }
        if f64::from(best) >= settings.dedupe_at.0 {
            read.told();
        }
    });
}

/// The memory that says the opposite of a short one in other words of state, or by denying it, and how alike both are but
/// for these. An embedding model tells it by their vectors; by words, the opposite of a word is another word, and so is the
/// verb beside what denies it.
#[allow(clippy::cast_possible_truncation)]
fn opposite(store: &Store, settings: &Settings, memory: &Memory, read: &Reading) -> Option<(MemoryId, f32)> {
    /// Least likeness to a text that has a word of state more, or a verb in another form.
    const LOOSE: f32 = 0.5;
    if !store.space().is_words() {
        return None;
    }
    let [words, own] = read.sideless()?;
    let least = settings.contradict_at.0.max(settings.similar_at.0) as f32;
    store.neighbours(memory, words, LOOSE, COMPARED).into_iter().find_map(|(id, _)| {
        let other = store.reading(id)?;
        let [_, theirs] = other.sideless()?;
        let score = store.space().cosine(own, theirs);
        (score > least && contradict(other.claims(), read.claims())).then_some((id, score))
    })
}

/// Ingests inputs in order. Where texts are to be rewritten and nobody does, what stands around them is put before
/// them.
pub fn ingest(
    store: &mut Store,
    settings: &Settings,
    owners: &Owners,
    inputs: &[Input],
    embed: Embed,
    rewrite: Rewrite,
) -> Ingested {
    let mut drafts: Vec<(u32, Vec<Drafted>)> =
        inputs.iter().map(|input| (input.born, self::drafts(settings, input))).collect();
    let mut rewritten = 0;
    let wanting = drafts.iter_mut().flat_map(|(_, drafts)| drafts).filter(|_| settings.enrich == Enrich::Rewrite);
    for draft in wanting {
        if let Some(text) = draft.around.as_ref().and_then(|around| rewrite(around, &draft.text)) {
            (draft.around, draft.embedded, draft.rewritten) = (Some(text.clone()), text, true);
            rewritten += 1;
        }
    }
    let texts: Vec<&str> = drafts.iter().flat_map(|(_, drafts)| drafts).map(|draft| draft.embedded.as_str()).collect();
    let vectors = embed(&texts);
    let told = drafts.iter().flat_map(|(_, drafts)| drafts).map(|draft| draft.text.as_str());
    read_side_by_side(store, settings, &told.zip(&vectors).collect::<Vec<_>>());
    let mut vectors = vectors.into_iter();
    let nothing: Vector = Arc::from([]);
    let mut report = Ingested { rewritten, ..Ingested::default() };
    for (born, drafts) in drafts {
        let mut here = Vec::new();
        for draft in drafts {
            let vector = vectors.next().unwrap_or_else(|| nothing.clone());
            let first = summary(&draft.text);
            let said = draft.text.get(first.0..first.1).unwrap_or_default().to_owned();
            let origin = draft.origins.first().copied();
            let memory = Memory {
                scope: settings.scope,
                owner: owners.of(settings.scope).clone(),
                source_type: Arc::from(settings.source_type.as_str()),
                text: Arc::from(draft.text),
                around: draft.around.map(Arc::from),
                rewritten: draft.rewritten,
                origins: draft.origins,
                earlier: Vec::new(),
                born,
                how: How::Ingested,
            };
            match write(store, settings, memory, &vector) {
                Outcome::Written(id, contradicted) => {
                    report.written.push(id);
                    report.contradictions.extend(contradicted.map(|other| (id, other)));
                    here.push(id);
                }
                Outcome::Skipped(why) => report.skipped.push(Skipped { text: said, why, born, origin }),
            }
        }
        if settings.latent_bridging {
            report.bridges.extend(bridge(store, settings, &here));
        }
    }
    report
}

/// Relates chunks of one input that are about the same in other words. An embedding model tells by their vectors;
/// where there is none, by a third chunk that both are like.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
fn bridge(store: &mut Store, settings: &Settings, ids: &[MemoryId]) -> Vec<(MemoryId, MemoryId)> {
    let ids = ids.get(..BRIDGED.min(ids.len())).unwrap_or_default();
    let sets: Vec<BTreeSet<String>> =
        ids.iter().map(|id| store.get(*id).map_or_else(BTreeSet::new, |memory| word_set(&memory.text))).collect();
    let cosine = |one: usize, other: usize| store.space().cosine(store.vector(ids[one]), store.vector(ids[other]));
    let shared = |one: usize, other: usize| {
        let both = sets[one].intersection(&sets[other]).count();
        let all = sets[one].len() + sets[other].len() - both;
        if all == 0 { 1.0 } else { both as f64 / all as f64 }
    };
    let (at, few) = (settings.bridge_at.0 as f32, settings.bridge_words.0);
    let by_words = store.space().is_words();
    let mut found: Vec<(usize, usize, f32)> = Vec::new();
    for one in 0..ids.len() {
        for other in one + 1..ids.len() {
            if shared(one, other) > few {
                continue;
            }
            let score = if by_words {
                let between = (0..ids.len()).filter(|third| *third != one && *third != other);
                between.map(|third| cosine(one, third).min(cosine(third, other))).fold(0.0, f32::max)
            } else {
                cosine(one, other)
            };
            if score >= at {
                found.push((one, other, score));
            }
        }
    }
    found.sort_by(|one, other| other.2.total_cmp(&one.2).then((one.0, one.1).cmp(&(other.0, other.1))));
    let mut degree = vec![0; ids.len()];
    let mut made = Vec::new();
    for (one, other, score) in found {
        if degree[one] < BRIDGES && degree[other] < BRIDGES {
            degree[one] += 1;
            degree[other] += 1;
            made.push((ids[other], ids[one], score));
        }
    }
    made.iter().for_each(|(from, to, score)| {
        store.link(Edge { from: *from, to: *to, kind: EdgeKind::Bridges, score: *score });
    });
    made.into_iter().map(|(from, to, _)| (from, to)).collect()
}
