//! Facts by meaning: the passages that share the most words first, then, where there is an embedder, every passage by
//! its vector, the nearest by words before the rest.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rayon::prelude::*;

use super::find::{Content, Found, Place, context, index, local, size, spot, stored, text};
use super::meaning::{Corpus, LEXICAL_THRESHOLD, Meaning, NEAREST, Tally, passages, tally};
use crate::chunk::{Embedder, Store, dot, vector_key};
use crate::content::{Sources, Watch};
use crate::model::{BlockId, Body};

/// From which cosine on a passage says the like: of the bundled model, paraphrases are mostly above it, and what is about
/// something else is below 0.3.
pub const THRESHOLD: f32 = 0.45;
/// Passages that are embedded between two looks at the result.
const PORTION: usize = 64;
/// Passages whose vectors are kept for the next time.
const KEPT: usize = 20_000;
/// Places that are shown.
const SHOWN: usize = 200;

/// What makes vectors of passages.
#[derive(Clone, Copy)]
pub struct ByVectors<'a> {
    /// The model.
    pub embedder: &'a dyn Embedder,
    /// Vectors of earlier runs.
    pub store: Option<&'a dyn Store>,
    /// Passages that are compared at most.
    pub most: usize,
}

/// A passage: its content, its range there, and how near it is by words.
#[derive(Clone, Copy)]
struct Passage {
    content: usize,
    range: (usize, usize),
    score: f32,
}

/// What a content has: passages, their words in all, and those that hold a word of the sentence.
type Told = (Vec<(usize, usize)>, u64, Vec<(usize, Tally)>);

/// Finds a sentence by meaning; what has been found so far is told as it grows.
pub fn by_meaning(
    meaning: &Meaning,
    contents: &[Content],
    sources: &Sources,
    vectors: Option<ByVectors>,
    watch: &Watch,
    tell: &mut dyn FnMut(Found),
) -> Found {
    let mut ranked = ranked(meaning, contents, sources, watch);
    let made = |hits: &[(f32, Passage)], ranked_by, compared| Found {
        places: places(hits, contents, sources),
        ranked: Some(ranked_by),
        compared,
        ..Found::default()
    };
    let by_words = |ranked: &[Passage]| -> Vec<(f32, Passage)> {
        let nearest = ranked.iter().take(NEAREST).filter(|passage| passage.score >= LEXICAL_THRESHOLD);
        nearest.map(|passage| (passage.score, *passage)).collect()
    };
    let words = ("shared words (BM25)", LEXICAL_THRESHOLD);
    let Some(vectors) = vectors else { return made(&by_words(&ranked), words, None) };
    let all = ranked.len() as u64;
    ranked.truncate(vectors.most.max(NEAREST));
    let name = (BY_VECTORS, THRESHOLD);
    let Some(sentence) =
        embedded(vectors, std::slice::from_ref(&meaning.sentence), watch).and_then(|mut found| found.pop())
    else {
        return made(&by_words(&ranked), words, None);
    };
    let mut known: HashMap<u64, f32> = HashMap::new();
    let mut hits: Vec<(f32, Passage)> = Vec::new();
    let (mut reader, mut done, mut at) = (Reader::default(), 0, 0);
    while at < ranked.len() && !watch.is_cancelled() {
        let end = ranked.len().min(at + if at < NEAREST { NEAREST } else { PORTION });
        let part: Vec<(Passage, String)> = ranked[at..end]
            .iter()
            .filter_map(|passage| Some((*passage, reader.passage(passage, contents, sources)?)))
            .collect();
        // What stands in many places is embedded once.
        let mut fresh: Vec<String> = Vec::new();
        let mut asked: HashSet<u64> = HashSet::new();
        for (_, words) in &part {
            let key = hash(words);
            if !known.contains_key(&key) && asked.insert(key) {
                fresh.push(words.clone());
            }
        }
        let Some(found) = embedded(vectors, &fresh, watch) else { break };
        for (words, vector) in fresh.iter().zip(found) {
            known.insert(hash(words), dot(&vector, &sentence));
        }
        for (passage, words) in part {
            let score = known.get(&hash(&words)).copied().unwrap_or(0.0);
            if score >= THRESHOLD {
                hits.push((score, passage));
            }
        }
        (done, at) = (end as u64, end);
        hits.sort_by(|one, other| other.0.total_cmp(&one.0));
        hits.truncate(SHOWN);
        if at < ranked.len() {
            tell(made(&hits, name, Some((done, all))));
        }
    }
    made(&hits, name, Some((done, all)))
}

/// What ranks passages by vectors.
pub const BY_VECTORS: &str = "meaning (cosine of the embedding model's vectors)";

/// Every passage, the nearest by words first, then the others where they stand.
fn ranked(meaning: &Meaning, contents: &[Content], sources: &Sources, watch: &Watch) -> Vec<Passage> {
    let numbers: HashMap<&str, usize> =
        meaning.words.iter().enumerate().map(|(at, word)| (word.as_str(), at)).collect();
    let told: Vec<Told> = contents
        .par_iter()
        .map(|content| {
            if watch.is_cancelled() {
                return Told::default();
            }
            watch.advance(size(content.body));
            let Some(stored) = stored(content.body, sources) else { return Told::default() };
            let text = text(content.body, &stored);
            let (ranges, mut length, mut found) = (passages(&text), 0, Vec::new());
            for (at, (from, to)) in ranges.iter().enumerate() {
                let (size, tallied) = tally(&numbers, text.get(*from..*to).unwrap_or_default());
                length += u64::from(size);
                found.extend(tallied.map(|tally| (at, tally)));
            }
            (ranges, length, found)
        })
        .collect();
    let mut corpus = Corpus { with: vec![0; meaning.words.len()], ..Corpus::default() };
    for (ranges, length, found) in &told {
        corpus.passages += ranges.len() as u64;
        corpus.words += length;
        for (_, tally) in found {
            tally.times.iter().zip(&mut corpus.with).for_each(|(times, with)| *with += u64::from(*times > 0));
        }
    }
    let mut all: Vec<Passage> = Vec::new();
    for (content, (ranges, _, found)) in told.iter().enumerate() {
        let first = all.len();
        all.extend(ranges.iter().map(|range| Passage { content, range: *range, score: 0.0 }));
        for (at, tally) in found {
            if let Some(passage) = all.get_mut(first + at) {
                passage.score = corpus.score(tally);
            }
        }
    }
    // Stable: equals stay where they stand.
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    all
}

/// The text of the content that was read last: passages of one stand together.
#[derive(Default)]
struct Reader {
    last: Option<(usize, String)>,
}

impl Reader {
    fn passage(&mut self, passage: &Passage, contents: &[Content], sources: &Sources) -> Option<String> {
        if self.last.as_ref().is_none_or(|(content, _)| *content != passage.content) {
            let text = sources.body_text(contents.get(passage.content)?.body).ok()?;
            self.last = Some((passage.content, text));
        }
        let (_, text) = self.last.as_ref()?;
        text.get(passage.range.0..passage.range.1).map(str::to_owned)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The vectors of texts: kept ones, and those that are missing made. `None` where that fails or is no longer wanted.
fn embedded(vectors: ByVectors, texts: &[String], watch: &Watch) -> Option<Vec<Arc<[f32]>>> {
    let ByVectors { embedder, store, most } = vectors;
    let store = store.filter(|_| most <= KEPT || texts.len() <= 1 || texts.len() > PORTION);
    let keys: Vec<[u8; 32]> = texts.iter().map(|text| vector_key(embedder.model(), text)).collect();
    let mut found: Vec<Option<Arc<[f32]>>> = match store {
        Some(store) => store.get(&keys, embedder.model().dimensions),
        None => vec![None; texts.len()],
    };
    let missing: Vec<usize> = (0..texts.len()).filter(|at| found.get(*at).is_none_or(Option::is_none)).collect();
    let wanted: Vec<&str> = missing.iter().filter_map(|at| texts.get(*at).map(String::as_str)).collect();
    let mut fresh = Vec::new();
    if !wanted.is_empty() {
        let done = embedder.embed(&wanted, watch, &mut |number, vector| {
            let Some(at) = missing.get(number) else { return };
            if let (Some(place), Some(key)) = (found.get_mut(*at), keys.get(*at)) {
                fresh.push((*key, Arc::clone(&vector)));
                *place = Some(vector);
            }
        });
        done.ok()?;
    }
    if let Some(store) = store.filter(|_| !fresh.is_empty()) {
        store.put(&fresh);
    }
    found.into_iter().collect()
}

/// The places of passages in the blocks that have their contents.
fn places(hits: &[(f32, Passage)], contents: &[Content], sources: &Sources) -> Vec<Place> {
    let mut places = Vec::new();
    for (score, passage) in hits {
        let Some(content) = contents.get(passage.content) else { continue };
        let Some(stored) = stored(content.body, sources) else { continue };
        let text = text(content.body, &stored);
        let (from, to) = passage.range;
        let mut local = local(content.body, &stored, &text, (index(from), index(to)));
        local.context = context(&text, from, to);
        for (block, original, body) in &content.users {
            let body: &Body = body;
            let spot = spot(&local, body);
            let (seen, whole) = if *original { (None, spot) } else { (spot, None) };
            places.push(Place { block: *block, seen, whole, score: Some(*score) });
        }
    }
    // What was sent of a cut text stands for the same passage of its original.
    let seen: HashSet<(BlockId, String)> =
        places.iter().filter_map(|place| Some((place.block, place.seen.as_ref()?.context.clone()))).collect();
    places.retain(|place| {
        let whole = place.whole.as_ref().filter(|_| place.seen.is_none());
        whole.is_none_or(|spot| !seen.contains(&(place.block, spot.context.clone())))
    });
    places.sort_by_key(|place| (place.block, place.spot().map(|spot| spot.range)));
    places
}
