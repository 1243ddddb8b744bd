//! Facts by meaning: the passages that share the most words first, then, where there is an embedder, every passage by
//! its vector, the nearest by words before the rest.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rayon::prelude::*;

use super::by_sentence::by_sentence;
use super::crowd::place;
use super::fact::Fact;
use super::find::{Content, Found, Place, gather, index, look, size};
use super::meaning::{
    Corpus, LEXICAL_THRESHOLD, Meaning, NEAREST, Tally, enough, passages, sentences, tally, tells, words,
};
use super::paraphrase::nearest;
use super::question::{is_question, is_spoken, may_tell, stated};
use super::reach::{Left, NEAR, Reach};
use super::script::{Unread, is_foreign};
use super::spot::{context, local, spot};
use super::unlike::{Judge, Unlike};
use super::verbatim::{SHOWN, Verbatim, join, sums_up};
use crate::chunk::{Embedder, Store, dot, vector_key};
use crate::content::{Sources, Watch, joined};
use crate::memory::{Assertion, Lack, has_negation};
use crate::model::{Block, BlockId, Layer, Role, Transcript};

/// From which cosine on a passage says the like: of the bundled model, paraphrases are mostly above it, and what is
/// about something else is below 0.3.
pub const THRESHOLD: f32 = 0.45;
/// Passages that are embedded before the first look at the result.
const FIRST: usize = 32;
/// Passages that are embedded between two looks at it, once the nearest by words are.
pub(super) const PORTION: usize = 64;
/// Passages whose vectors are kept for the next time.
const KEPT: usize = 20_000;
/// Sentences of the nearest passages that are looked for word for word.
const SENTENCES: usize = 6;

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

/// What is looked through.
#[derive(Clone, Copy)]
pub struct Read<'a> {
    /// The transcript.
    pub transcript: &'a Transcript,
    /// Its distinct texts.
    pub contents: &'a [Content<'a>],
    /// What they are read from.
    pub sources: &'a Sources,
}

impl Read<'_> {
    /// What a passage says beside the questions in it, where it is spoken and asks something.
    fn stated(&self, passage: &Passage, text: &str) -> Option<String> {
        let users = &self.contents.get(passage.content)?.users;
        let spoken = |id: &BlockId| self.transcript.block(*id).is_some_and(is_spoken);
        if users.iter().any(|(id, ..)| spoken(id)) { stated(text) } else { None }
    }

    /// The summaries that a passage stands in.
    fn summaries(&self, passage: &Passage) -> impl Iterator<Item = BlockId> {
        let users = self.contents.get(passage.content).map(|content| content.users.as_slice()).unwrap_or_default();
        let sums_up = |id: &BlockId| self.transcript.block(*id).is_some_and(|block| block.layer == Layer::Summaries);
        users.iter().map(|(id, ..)| *id).filter(sums_up)
    }
}

/// A passage that is near enough.
#[derive(Clone, Copy)]
struct Hit {
    /// How near what it says is; where it only asks, how near that is.
    score: f32,
    passage: Passage,
    /// Whether it also asks, and is that near with its questions alone.
    asks_beside: bool,
    /// Whether it only asks.
    asks: bool,
    /// Whether what it says can be what is looked for.
    may_say: bool,
}

/// Passages that are near enough and are not what is looked for: how near, and why not.
type Near = Vec<(f32, Lack)>;

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
    read: Read,
    vectors: Option<ByVectors>,
    watch: &Watch,
    tell: &mut dyn FnMut(Found),
) -> Found {
    let Read { contents, sources, .. } = read;
    let (mut ranked, corpus) = ranked(meaning, read, watch);
    let (sentence, judge) = (is_foreign(&meaning.sentence), Judge::of(meaning));
    let verbatim = Verbatim::of(meaning, read, &judge, watch);
    // `rest`: the scores of those that are not among the nearest.
    let made =
        |hits: &[Hit], near: &Near, rest: &[f32], (ranked_by, threshold): (&'static str, f32), compared, passages| {
            let (found, least) = places(hits, meaning, read, (&verbatim, ranked_by == BY_VECTORS));
            // Where nothing says it, the nearest that does not are told.
            let most = near.iter().map(|(score, _)| score - NEAR).max_by(f32::total_cmp);
            let least = threshold.max(if found.places.is_empty() { most.unwrap_or(least) } else { least });
            let (unread, mut unlike) = (Unread { sentence, passages }, Unlike::default());
            near.iter().filter(|(score, _)| *score >= least).for_each(|(_, lack)| unlike.count(lack));
            let unfollowed = rest.iter().filter(|score| **score >= least).count() as u64;
            Found { ranked: Some((ranked_by, least)), compared, unread, unfollowed, unlike, ..found }
        };
    let whole = |found: Found| quoted(found, meaning, read, (&judge, &verbatim));
    let by_words = |ranked: &[Passage]| -> (Vec<Hit>, Near) {
        let numbers = meaning.numbers();
        let mut reader = Reader::default();
        let nearest = ranked.iter().take(NEAREST).filter(|passage| passage.score >= LEXICAL_THRESHOLD);
        let (mut hits, mut near): (Vec<Hit>, Near) = Default::default();
        for passage in nearest {
            let text = reader.passage(passage, contents, sources).unwrap_or_default();
            let score = |rest: &str| tally(&numbers, rest).1.map_or(0.0, |rest| corpus.score(&rest));
            let rest = read.stated(passage, &text).map(|rest| (score(&rest), rest));
            take(passage, (passage.score, &text), (rest, LEXICAL_THRESHOLD), &judge, (&mut hits, &mut near));
        }
        (hits, near)
    };
    let rest = |ranked: &[Passage]| -> Vec<f32> { ranked.iter().skip(NEAREST).map(|passage| passage.score).collect() };
    let words = ("shared words (BM25)", LEXICAL_THRESHOLD);
    let Some(vectors) = vectors.filter(|_| !sentence) else {
        let (hits, near) = by_words(&ranked);
        return whole(made(&hits, &near, &rest(&ranked), words, None, 0));
    };
    let all = ranked.len() as u64;
    let name = (BY_VECTORS, THRESHOLD);
    let Some(sentence) =
        embedded(vectors, std::slice::from_ref(&meaning.sentence), watch).and_then(|mut found| found.pop())
    else {
        let (hits, near) = by_words(&ranked);
        return whole(made(&hits, &near, &rest(&ranked), words, None, 0));
    };
    ranked.truncate(vectors.most.max(NEAREST));
    let mut known: HashMap<u64, f32> = HashMap::new();
    let (mut hits, mut near, mut rest): (Vec<Hit>, Near, Vec<f32>) = Default::default();
    let (mut reader, mut done, mut at, mut unread) = (Reader::default(), 0, 0, 0);
    let mut summed_up: BTreeMap<BlockId, f32> = BTreeMap::new();
    while at < ranked.len() && !watch.is_cancelled() {
        let end = ranked.len().min(until(at));
        let mut part: Vec<(Passage, String)> = ranked[at..end]
            .iter()
            .filter_map(|passage| Some((*passage, reader.passage(passage, contents, sources)?)))
            .collect();
        let all_read = part.len();
        part.retain(|(_, text)| !is_foreign(text));
        unread += (all_read - part.len()) as u64;
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
        let mut scores: Vec<f32> = found.iter().map(|vector| dot(vector, &sentence)).collect();
        if at < NEAREST {
            by_sentence(&fresh, &mut scores, vectors, &sentence, watch);
        }
        known.extend(fresh.iter().zip(scores).map(|(words, score)| (hash(words), score)));
        for (passage, words_of) in part {
            let score = known.get(&hash(&words_of)).copied().unwrap_or(0.0);
            for block in read.summaries(&passage) {
                let best = summed_up.entry(block).or_insert(score);
                *best = best.max(score);
            }
            if score >= THRESHOLD {
                // Whoever asks for it does not say it: what stands beside the question has to.
                let score_of = |rest: &str| said(vectors, rest, &sentence, watch);
                let rest = read.stated(&passage, &words_of).map(|rest| (score_of(&rest), rest));
                take(&passage, (score, &words_of), (rest, THRESHOLD), &judge, (&mut hits, &mut near));
            }
        }
        (done, at) = (end as u64, end);
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        rest.extend(hits.drain(hits.len().min(SHOWN)..).map(|hit| hit.score));
        if at < ranked.len() {
            tell(made(&hits, &near, &rest, name, Some((done, all)), unread));
        }
    }
    Found { summed_up, ..whole(made(&hits, &near, &rest, name, Some((done, all)), unread)) }
}

/// Up to where passages are compared before what was found is told anew: a few at once, then all of the nearest.
fn until(at: usize) -> usize {
    match at {
        0 => FIRST,
        _ if at < NEAREST => NEAREST,
        _ => at + PORTION,
    }
}

/// Takes a passage among those that may say the sentence, or ask for it, or among those that are only near. What it says
/// is what is left of it without its questions, and how near that is: `rest`, where it asks any.
fn take(
    passage: &Passage,
    (whole, text): (f32, &str),
    (rest, threshold): (Option<(f32, String)>, f32),
    judge: &Judge,
    (hits, near): (&mut Vec<Hit>, &mut Near),
) {
    // A word or two beside a question, as in "Now go on.", are near to much.
    let says = rest.as_ref().filter(|(score, rest)| *score >= threshold && tells(rest.trim()));
    let asks = rest.is_some() && says.is_none();
    let (score, said) = says.map_or((whole, text), |(score, rest)| (*score, rest.as_str()));
    match judge.lack(said) {
        Some(lack) if !asks => near.push((score, lack)),
        lack => hits.push(Hit {
            score,
            passage: *passage,
            asks_beside: says.is_some() && score < whole,
            asks,
            may_say: lack.is_none(),
        }),
    }
}

/// How near a text is to a sentence; not at all, where it says nothing.
pub(super) fn said(vectors: ByVectors, text: &str, sentence: &[f32], watch: &Watch) -> f32 {
    if words(text).next().is_none() {
        return 0.0;
    }
    let text = [text.trim().to_owned()];
    embedded(vectors, &text, watch).and_then(|found| Some(dot(found.first()?, sentence))).unwrap_or(0.0)
}

/// What ranks passages by vectors.
pub const BY_VECTORS: &str = "meaning (cosine of the embedding model's vectors)";

/// Every passage, the nearest by words first, then the others where they stand.
fn ranked(meaning: &Meaning, read: Read, watch: &Watch) -> (Vec<Passage>, Corpus) {
    let Read { contents, sources, transcript } = read;
    let summary = |id: &BlockId| transcript.block(*id).is_some_and(|block| block.layer == Layer::Summaries);
    let numbers = meaning.numbers();
    let told: Vec<Told> = contents
        .par_iter()
        .map(|content| {
            if watch.is_cancelled() {
                return Told::default();
            }
            watch.advance(size(content.body));
            let Ok(stored) = sources.pieces(content.body) else { return Told::default() };
            let text = joined(content.body, &stored);
            let sums_up = content.users.iter().any(|(id, ..)| summary(id));
            let ranges = if sums_up { sentences(&text) } else { passages(&text) };
            let (mut length, mut found) = (0, Vec::new());
            for (at, (from, to)) in ranges.iter().enumerate() {
                let (size, tallied) = tally(&numbers, text.get(*from..*to).unwrap_or_default());
                length += u64::from(size);
                found.extend(tallied.map(|tally| (at, tally)));
            }
            (ranges, length, found)
        })
        .collect();
    let mut corpus = Corpus::of(meaning);
    for (ranges, length, found) in &told {
        corpus.take(ranges.len() as u64, *length, found.iter().map(|(_, tally)| tally));
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
    (all, corpus)
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
pub(super) fn embedded(vectors: ByVectors, texts: &[String], watch: &Watch) -> Option<Vec<Arc<[f32]>>> {
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

/// The places of passages in the blocks that have their contents, those that are about the same only left out, those of
/// the sentence itself, and the messages that ask for what was said before; and from which score on a passage is a place.
fn places(hits: &[Hit], meaning: &Meaning, read: Read, (verbatim, by_vectors): (&Verbatim, bool)) -> (Found, f32) {
    let Read { contents, sources, transcript } = read;
    let mut places = Vec::new();
    let (mut asking, mut only_asking, mut asking_beside) = (HashSet::new(), HashSet::new(), HashSet::new());
    // A summary that has the words of a denial and affirms them says the opposite; who only names a thing denies nothing.
    let sought = has_negation(&meaning.sentence).then(|| Assertion::of(&meaning.sentence));
    let sums_up = |id: &BlockId| transcript.block(*id).is_some_and(|block| block.layer == Layer::Summaries);
    let denies = |content: &Content, said: &str| {
        sought.as_ref().is_some_and(|sought| {
            let is_summary = content.users.iter().any(|(id, ..)| sums_up(id));
            is_summary && Assertion::of(nearest(meaning, said)).is_opposite_of(sought)
        })
    };
    let (own, wonders) = (verbatim.first(), is_question(&meaning.sentence));
    for Hit { score, passage, asks_beside, asks, may_say } in hits {
        let Some(content) = contents.get(passage.content) else { continue };
        let Ok(stored) = sources.pieces(content.body) else { continue };
        let text = joined(content.body, &stored);
        let (from, to) = passage.range;
        if denies(content, text.get(from..to).unwrap_or_default()) {
            continue;
        }
        let Some(mut local) = local(content.body, &stored, &text, (index(from), index(to))) else { continue };
        let rest = text.get(from..to).filter(|_| !asks).and_then(|text| read.stated(passage, text));
        if let Some(says) = saying(meaning, &text, (from, to), rest.as_deref()) {
            local = local.with_says(&text, says);
        }
        local.context = context(&text, from, to);
        for (block, original, body) in &content.users {
            let Some(spot) = spot(&local, body) else { continue };
            let place = Place { score: Some(*score), ..place(*block, *original, spot) };
            if *asks {
                // Who wonders whether a thing is so does not say that it is.
                let tells = wonders || may_tell(text.get(from..to).unwrap_or_default());
                let into = if *may_say && tells { &mut asking } else { &mut only_asking };
                into.extend(place.spot().map(|spot| (*block, spot.range)));
            }
            if *asks_beside {
                asking_beside.extend(place.spot().map(|spot| (*block, spot.range)));
            }
            places.push(place);
        }
    }
    let is_in = |set: &HashSet<(BlockId, (u32, u32))>, place: &Place| {
        place.spot().is_some_and(|spot| set.contains(&(place.block, spot.range)))
    };
    let (asked, places): (Vec<Place>, Vec<Place>) = places.into_iter().partition(|place| is_in(&only_asking, place));
    let asks = |place: &Place| is_in(&asking, place);
    let score = |place: &Place| place.score.unwrap_or(0.0);
    let said = places.iter().filter(|place| !asks(place)).map(score).max_by(f32::total_cmp);
    let best = said.or_else(|| places.iter().map(score).max_by(f32::total_cmp)).unwrap_or(0.0);
    let reach = Reach::of(best, by_vectors, own).with_first(places.iter().filter(|place| !asks(place)));
    // A request that nothing goes before may be how it was said: "can you make sure that …?"
    let is_said = |place: &&Place| !asks(place) && (score(place) >= reach.least() || reach.takes(place));
    let said = places.iter().filter(is_said).map(|place| place.block);
    let first = said.chain(own).min();
    let mut left = Left::default();
    let mut found = Found { asked: asked.iter().map(|place| place.block).collect(), ..Found::default() };
    for place in places {
        let told = |block: &Block| block.layer == Layer::Summaries || block.role == Role::Assistant;
        if asks(&place) && first.is_some_and(|first| first < place.block) {
            found.asked.push(place.block);
        } else if reach.says(&place) || (!asks(&place) && reach.takes(&place)) {
            found.places.push(place);
        } else if is_in(&asking_beside, &place) {
            found.asked.push(place.block);
        } else {
            left.push(&place);
            found.alike.extend(Some(place).filter(|place| transcript.block(place.block).is_some_and(told)));
        }
    }
    // What was sent of a cut text stands for the same passage of its original.
    let seen: HashSet<(BlockId, String)> =
        found.places.iter().filter_map(|place| Some((place.block, place.seen.as_ref()?.context.clone()))).collect();
    found.places.retain(|place| {
        let whole = place.whole.as_ref().filter(|_| place.seen.is_none());
        whole.is_none_or(|spot| !seen.contains(&(place.block, spot.context.clone())))
    });
    verbatim.join(&mut found, transcript);
    in_order(&mut found.places);
    found.earlier = left.before(&found);
    (found, reach.least())
}

fn in_order(places: &mut [Place]) {
    places.sort_by_key(|place| (place.block, place.spot().map(|spot| spot.range)));
}

/// With the places that say word for word what the nearest say: a long passage that quotes them is not near itself.
fn quoted(mut found: Found, meaning: &Meaning, read: Read, (judge, verbatim): (&Judge, &Verbatim)) -> Found {
    let Read { contents, sources, transcript } = read;
    let mut nearest: Vec<&Place> = found.places.iter().filter(|place| !place.quoted).collect();
    nearest.sort_by(|one, other| other.score.unwrap_or(0.0).total_cmp(&one.score.unwrap_or(0.0)));
    // A summary quotes others.
    nearest.sort_by_key(|place| sums_up(place, transcript));
    let mut said: Vec<(Fact, Option<f32>, BlockId)> = Vec::new();
    for place in nearest {
        if said.len() >= SENTENCES {
            break;
        }
        let Some(fact) = own_words(place, meaning, read, judge).and_then(|words| Fact::literal(&words)) else {
            continue;
        };
        if !verbatim.is(&fact) && said.iter().all(|(known, ..)| known.text != fact.text) {
            said.push((fact, place.score, place.block));
        }
    }
    for (fact, score, own) in said {
        let places = look(&fact, contents, sources);
        let quoting = gather(contents, places, transcript, sources);
        found.unfollowed += quoting.more;
        join(&mut found, quoting.places, (score, own), transcript);
        found.words.push(fact.text);
    }
    in_order(&mut found.places);
    found
}

/// The sentence of a passage that shares the most words with one that is looked for, of what is left without its
/// questions, where it asks any; `None` where none shares any.
fn saying(meaning: &Meaning, text: &str, (from, to): (usize, usize), rest: Option<&str>) -> Option<(u32, u32)> {
    let passage = text.get(from..to)?;
    let said = nearest(meaning, rest.unwrap_or(passage));
    let at = from + passage.find(said).filter(|_| said.len() < passage.len())?;
    Some((index(at), index(at + said.len())))
}

/// What a place says of a sentence; `None` where that is too little to be told from other things.
fn own_words(place: &Place, meaning: &Meaning, read: Read, judge: &Judge) -> Option<String> {
    let block = read.transcript.block(place.block)?;
    let body = if place.seen.is_some() { Some(&block.body) } else { block.original.as_deref() };
    let (from, to) = place.spot()?.range;
    let text = read.sources.body_text(body?).ok()?;
    let passage = text.get(from as usize..to as usize)?;
    // Its questions say nothing, unless that is all there is.
    let rest = stated(passage).filter(|rest| is_spoken(block) && words(rest).next().is_some());
    let said = nearest(meaning, rest.as_deref().unwrap_or(passage));
    let said = said.trim_matches(|sign: char| !sign.is_alphanumeric());
    // A part of what says it is found elsewhere without saying it.
    (enough(said) && judge.lack(said).is_none()).then(|| said.to_owned())
}
