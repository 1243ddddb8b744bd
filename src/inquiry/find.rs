//! Where a fact stands in the contents of a transcript: on all cores, and without decoding what cannot hold it.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use memchr::{memchr_iter, memchr3_iter, memmem};
use rayon::prelude::*;
use regex::bytes::Regex;

use super::alone::longer;
use super::asking::with_asking;
use super::by_meaning::{ByVectors, Read, by_meaning};
use super::crowd::{Crowd, Crowded, place};
use super::fact::{Everywhere, Fact, Query};
use super::kept_ends::Kept;
use super::names::{names, with_names};
use super::number::other_reading;
use super::resent::Resent;
use super::script::Unread;
use super::spot::{Local, Spot, context, locals, spot};
use super::stay::Like;
use super::unlike::Unlike;
use super::unsent::{evened, unsent};
use crate::content::{Sources, Watch, joined};
use crate::memory::MemoryId;
use crate::model::{BlockId, Body, SourceId, Transcript};

/// Places of one content that are told apart; of more only their places are kept, see [`Crowd`].
const PER_CONTENT: usize = 24;
/// Places in all that are told apart; where there are more, only two of each content are.
const MOST: usize = 20_000;
/// Places of which is read what stands around them.
const AROUND: usize = 4_000;
/// A place of a fact in a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The block.
    pub block: BlockId,
    /// Where it stands in what the model was sent.
    pub seen: Option<Spot>,
    /// Where it stands in the text before the agent cut it, where the transcript holds that.
    pub whole: Option<Spot>,
    /// How near it is, for facts by meaning.
    pub score: Option<f32>,
    /// Whether it says again, word for word, what a near passage says, for facts by meaning.
    pub quoted: bool,
    /// Whether it stands in the name of the tool that the block calls, and not in its text.
    pub is_name: bool,
    /// Whether the agent cut the text within it, and sent a part of it.
    pub is_parted: bool,
}

impl Place {
    /// The place in what was sent, else in the original.
    #[must_use]
    pub fn spot(&self) -> Option<&Spot> {
        self.seen.as_ref().or(self.whole.as_ref())
    }

    /// The place where it is told that it stands: of a file that the user attached in the file's text, whose lines and
    /// bytes are not those of what limits left of it.
    #[must_use]
    pub fn told(&self, transcript: &Transcript) -> Option<&Spot> {
        let source =
            transcript.block(self.block).and_then(|block| transcript.sources.get(block.record.source.0 as usize));
        let whole = self.whole.as_ref().filter(|_| source.is_some_and(|source| source.kind.is_attached()));
        whole.or_else(|| self.spot())
    }
}

/// Everywhere that a fact stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Its places, in the order of the transcript.
    pub places: Vec<Place>,
    /// Places beyond those.
    pub more: u64,
    /// All places in each of the texts that have more than are told apart.
    pub crowds: Vec<Crowded>,
    /// The first longer word or number that holds it, and how many do, where it nowhere stands by itself. Its places are
    /// those inside of words, where there are any; a longer number is another fact. Untrusted.
    pub inside: Option<(String, u64)>,
    /// How a figure that may be read in two ways stands the other way, and how often, where it stands nowhere as it was
    /// read: 21.000 as “21,000”. Untrusted.
    pub otherwise: Option<(String, u64)>,
    /// The first line of a source that holds it, where nothing that was sent does: the agent's own records.
    pub unsent: Option<(SourceId, u32)>,
    /// What ranked it and from which score on, for facts by meaning.
    pub ranked: Option<(&'static str, f32)>,
    /// Messages that ask for it and do not say it; beside the places, for facts by meaning.
    pub asked: Vec<BlockId>,
    /// Passages of summaries and of the model's that are about it, and less near than its places, for facts by meaning.
    pub alike: Vec<Place>,
    /// How near the nearest passage of each summary is, whether it says it or not, for facts by meaning.
    pub summed_up: BTreeMap<BlockId, f32>,
    /// What its places say, to be found word for word elsewhere, for facts by meaning. Untrusted.
    pub words: Vec<String>,
    /// Memories that say the like, each with what it says of it, the nearest first: see [`super::Remembering::liken`].
    pub remembered: Vec<(MemoryId, Like)>,
    /// Passages that were compared by their vectors, of so many.
    pub compared: Option<(u64, u64)>,
    /// Passages that are as near, or say it word for word, and that nobody follows as there are so many, for facts by
    /// meaning.
    pub unfollowed: u64,
    /// Passages over the threshold that stand before its places, are less near and are not followed, for facts by meaning.
    pub earlier: u64,
    /// Passages that are as near and do not say it, for facts by meaning.
    pub unlike: Unlike,
    /// What could not be compared by meaning, for facts by meaning.
    pub unread: Unread,
}

/// A content, and the blocks that have it.
pub(super) struct Content<'a> {
    /// Its text.
    pub body: &'a Body,
    /// The blocks, whether it is their original, and their own body.
    pub users: Vec<(BlockId, bool, &'a Body)>,
}

/// Finds a fact in all contents of a transcript. What cannot be read holds nothing. `vectors`: what compares passages
/// with a fact by meaning; without, words do.
#[must_use]
pub fn find(
    fact: &Fact,
    transcript: &Transcript,
    sources: &Sources,
    vectors: Option<ByVectors>,
    watch: &Watch,
) -> Found {
    find_told(fact, transcript, sources, vectors, watch, &mut |_| {})
}

/// The same; for a fact by meaning, what has been found so far is told as it grows.
pub fn find_told(
    fact: &Fact,
    transcript: &Transcript,
    sources: &Sources,
    vectors: Option<ByVectors>,
    watch: &Watch,
    tell: &mut dyn FnMut(Found),
) -> Found {
    let contents = contents(transcript);
    watch.expect(contents.iter().map(|content| size(content.body)).sum());
    let named = names(fact, transcript, sources);
    let [alone, words, all] = match &fact.query {
        Query::Meaning(meaning) => {
            let corpus = Read { transcript, contents: &contents, sources };
            return with_names(by_meaning(meaning, corpus, vectors, watch, tell), named);
        }
        _ => ranges(fact, &contents, sources, watch),
    };
    if !(named.0.is_empty() && is_nowhere(&alone)) {
        let found = gather(&contents, told(alone, &contents, sources), transcript, sources);
        return with_asking(fact, with_names(found, named), transcript, sources);
    }
    if !matches!(fact.query, Query::Literal(_)) {
        return Found { unsent: evened(fact, transcript, sources, watch), ..Found::default() };
    }
    // Parts of a number are another one; parts of a word may be what is meant.
    if !is_nowhere(&words) {
        let inside = inside(&words, &contents, sources);
        return Found { inside, ..gather(&contents, told(words, &contents, sources), transcript, sources) };
    }
    let other = other_reading(fact).map(|other| ranges(&other, &contents, sources, watch));
    Found {
        inside: inside(&all, &contents, sources),
        otherwise: other.and_then(|[alone, ..]| inside(&alone, &contents, sources)),
        unsent: unsent(fact, transcript, sources, watch),
        ..Found::default()
    }
}

fn is_nowhere(ranges: &[Ranges]) -> bool {
    ranges.iter().all(|found| found.places.is_empty())
}

/// Where a fact stands only as a part of something longer: the first such word, and how many places there are.
fn inside(ranges: &[Ranges], contents: &[Content], sources: &Sources) -> Option<(String, u64)> {
    let all = in_blocks(contents, ranges);
    let (content, range) =
        contents.iter().zip(ranges).find_map(|(content, found)| Some((content, found.places.first()?)))?;
    let text = joined(content.body, &sources.pieces(content.body).ok()?);
    Some((longer(&text, range.0 as usize, range.1 as usize), all))
}

pub(super) fn size(body: &Body) -> u64 {
    body.spans().map(|span| span.len()).sum()
}

/// Each distinct text once.
fn contents(transcript: &Transcript) -> Vec<Content<'_>> {
    let mut known: HashMap<(u64, u64), usize> = HashMap::new();
    let mut found: Vec<Content> = Vec::new();
    for (id, block) in (0u32..).zip(&transcript.blocks) {
        for (body, original) in [(Some(&block.body), false), (block.original.as_deref(), true)]
            .into_iter()
            .filter_map(|(b, o)| Some((b?, o)))
        {
            let Body::Text { hash, chars: chars @ 1.., .. } = body else { continue };
            let at = *known.entry((*hash, *chars)).or_insert_with(|| {
                found.push(Content { body, users: Vec::new() });
                found.len() - 1
            });
            found[at].users.push((BlockId(id), original, body));
        }
    }
    found
}

/// What was found in one content, as ranges or with what is told of them.
pub(super) struct Stands<T> {
    /// The places that are told apart.
    pub places: Vec<T>,
    /// How many more there are.
    pub more: u64,
    /// All of them, where there are more.
    pub all: Option<Arc<Crowd>>,
}

impl<T> Stands<T> {
    const NOWHERE: Self = Stands { places: Vec::new(), more: 0, all: None };
}

/// Where a fact stands in one content.
type Ranges = Stands<(u32, u32)>;

/// The spots of each content at which a fact stands alone.
pub(super) fn look(fact: &Fact, contents: &[Content], sources: &Sources) -> Vec<Stands<Local>> {
    let [alone, ..] = ranges(fact, contents, sources, &Watch::default());
    told(alone, contents, sources)
}

/// The spots of each content, and how many more there are. Where there are very many, the first and the last of each
/// content are told apart, and what stands around them is read of the first few thousand only.
fn told(ranges: Vec<Ranges>, contents: &[Content], sources: &Sources) -> Vec<Stands<Local>> {
    let many = ranges.iter().map(|found| found.places.len()).sum::<usize>() > MOST;
    let mut before = 0;
    let told: Vec<(usize, Ranges)> = ranges
        .into_iter()
        .map(|found| {
            let first = before;
            before += if many { found.places.len().min(2) } else { found.places.len() };
            (first, found)
        })
        .collect();
    contents
        .par_iter()
        .zip(told)
        .map(|(content, (before, Stands { places: mut ranges, mut more, mut all }))| {
            if ranges.is_empty() {
                return Stands::NOWHERE;
            }
            let Ok(stored) = sources.pieces(content.body) else { return Stands::NOWHERE };
            let text = joined(content.body, &stored);
            if let [first, between @ .., last] = ranges.as_slice()
                && many
                && !between.is_empty()
            {
                more += between.len() as u64;
                all = all.or_else(|| Some(Arc::new(Crowd::of(&text, &ranges))));
                ranges = vec![*first, *last];
            }
            let mut places = locals(content.body, &stored, &text, &ranges);
            let around = AROUND.saturating_sub(before);
            for (local, range) in places.iter_mut().zip(&ranges).take(around) {
                local.context = context(&text, range.0 as usize, range.1 as usize);
            }
            Stands { places, more, all }
        })
        .collect()
}

/// Where a fact stands in each content, by the first of [`Inside`] by which that is taken: the first places and the last,
/// and how many there are between them.
fn ranges(fact: &Fact, contents: &[Content], sources: &Sources, watch: &Watch) -> [Vec<Ranges>; 3] {
    let in_content = |content: &Content| {
        watch.advance(size(content.body));
        let stored = sources.pieces(content.body).ok()?;
        stored.iter().any(|bytes| may_hold(fact, bytes, stored.len() == 1)).then_some(())?;
        let text = joined(content.body, &stored);
        let Everywhere { alone, in_words, in_numbers } = fact.everywhere(&text);
        Some([alone, in_words, in_numbers].map(|places| bounded(places, &text)))
    };
    let found = contents.par_iter().map(|content| {
        let found = (!watch.is_cancelled()).then(|| in_content(content)).flatten();
        let [alone, words, all] = found.unwrap_or([Stands::NOWHERE; 3]);
        (alone, (words, all))
    });
    let (alone, (words, all)) = found.unzip();
    [alone, words, all]
}

/// The first places in a text and the last, and how many there are between them.
fn bounded(mut places: Vec<(u32, u32)>, text: &str) -> Ranges {
    let more = places.len().saturating_sub(PER_CONTENT);
    let mut all = None;
    if more > 0
        && let Some(last) = places.last().copied()
    {
        all = Some(Arc::new(Crowd::of(text, &places)));
        places.truncate(PER_CONTENT - 1);
        places.push(last);
    }
    places.shrink_to_fit();
    Stands { places, more: more as u64, all }
}

/// Whether bytes may hold a fact, as they are stored. `whole`: whether they are all of a text.
pub(super) fn may_hold(fact: &Fact, stored: &[u8], whole: bool) -> bool {
    match &fact.query {
        Query::Literal(literal) if literal.anchor.is_some() => literal.may_be_in(stored, whole) || is_exotic(stored),
        Query::Literal(_) => fact.text.is_ascii() || !stored.is_ascii() || escapes(stored),
        Query::Pattern(_) | Query::Meaning(_) => true,
    }
}

/// Whether bytes hold `\u` escapes.
fn escapes(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"\\u").is_some()
}

/// Whether bytes hold signs that become ASCII letters or digits once they are evened out, or vanish between them:
/// full-width forms and ligatures, mathematical letters, superscripts and circled ones, letter-like signs, digits of other
/// scripts, marks that show nothing, colours of a terminal; as UTF-8, and as escapes.
fn is_exotic(bytes: &[u8]) -> bool {
    static ESCAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?s-u)^.?\\u(?:[fF][bBeEfF]|2[01248]|24|00[aAbBdD][0-9a-fA-F]|00[3-7][0-9a-fA-F]|0130|017[fF]|06[6fF]|09[6eE]|0[eE]5|[dD]835)",
            r"|^[0-9A-Za-z]\\u001[bB]\["
        ))
        .ok()
    });
    let rest = |at: usize| bytes.get(at..).unwrap_or_default();
    let is_sign = |at: usize| {
        matches!(
            rest(at),
            [0xC2, 0xAA | 0xAD | 0xB2 | 0xB3 | 0xB9 | 0xBA | 0xBC..=0xBE, ..]
                | [0xC3, 0x9F, ..]
                | [0xC4, 0xB0, ..]
                | [0xC5, 0xBF, ..]
                | [0xD9, 0xA0..=0xA9, ..]
                | [0xDB, 0xB0..=0xB9, ..]
                | [0xE0, 0xA5 | 0xA7, 0xA6..=0xAF, ..]
                | [0xE0, 0xB9, 0x90..=0x99, ..]
                | [0xE2, 0x80, 0x8B..=0x8F, ..]
                | [0xE2, 0x81 | 0x82 | 0x84 | 0x85 | 0x91..=0x93, ..]
                | [0xEF, 0xAC | 0xBB..=0xBE, ..]
                | [0xF0, 0x9D, ..]
        )
    };
    let is_colour = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_some_and(u8::is_ascii_alphanumeric) && bytes.get(at + 1) == Some(&b'[')
    };
    let is_escape = |at: usize| ESCAPES.as_ref().is_none_or(|escapes| escapes.is_match(rest(at.saturating_sub(1))));
    let firsts = [(0xC2, 0xC3, 0xC5), (0xE2, 0xEF, 0xF0), (0xC4, 0xD9, 0xDB), (0xE0, 0xE0, 0xE0)];
    (!bytes.is_ascii() && firsts.into_iter().any(|(one, two, three)| memchr3_iter(one, two, three, bytes).any(is_sign)))
        || memchr_iter(0x1B, bytes).any(is_colour)
        || memmem::find_iter(bytes, b"\\u").any(is_escape)
}

pub(super) fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// How many places there are in all blocks together: several may have one text, and what a block has of its original is
/// there once.
fn in_blocks<T>(contents: &[Content], by_content: &[Stands<T>]) -> u64 {
    let mut by_block: HashMap<BlockId, (u64, u64)> = HashMap::new();
    for (content, found) in contents.iter().zip(by_content) {
        let all = found.places.len() as u64 + found.more;
        for (block, original, _) in content.users.iter().filter(|_| all > 0) {
            let (seen, whole) = by_block.entry(*block).or_default();
            *if *original { whole } else { seen } += all;
        }
    }
    by_block.values().map(|(seen, whole)| *seen.max(whole)).sum()
}

/// Spots by block, those of a cut text beside those of its original.
pub(super) fn gather(
    contents: &[Content],
    by_content: Vec<Stands<Local>>,
    transcript: &Transcript,
    sources: &Sources,
) -> Found {
    let mut by_block: HashMap<BlockId, (Vec<Spot>, Vec<Spot>)> = HashMap::new();
    let (all_places, mut crowds) = (in_blocks(contents, &by_content), Vec::new());
    for (content, Stands { places: locals, all, .. }) in contents.iter().zip(by_content) {
        for (block, original, body) in content.users.iter().filter(|_| !locals.is_empty()) {
            crowds.extend(all.clone().map(|all| Crowded { block: *block, original: *original, all }));
            let both = by_block.entry(*block).or_default();
            let spots = if *original { &mut both.1 } else { &mut both.0 };
            spots.extend(locals.iter().filter_map(|local| spot(local, body)));
        }
    }
    let again = Resent::of(transcript).leave_out(&mut by_block);
    let mut blocks: Vec<_> = by_block.into_iter().collect();
    blocks.sort_unstable_by_key(|(block, _)| *block);
    let mut places = Vec::new();
    for (block, (seen, whole)) in blocks {
        let text = |original: bool| {
            let block = transcript.block(block)?;
            let body = if original { block.original.as_deref()? } else { &block.body };
            sources.body_text(body).ok()
        };
        let paired = if seen.is_empty() || whole.is_empty() {
            vec![None; seen.len()]
        } else {
            pair(&seen, &whole, text(false).as_deref(), text(true).as_deref())
        };
        let mut free: Vec<bool> = vec![true; whole.len()];
        for (spot, other) in seen.into_iter().zip(paired) {
            let whole = other.and_then(|at| {
                free[at] = false;
                whole.get(at).cloned()
            });
            places.push(Place { whole, ..place(block, false, spot) });
        }
        let kept = LazyCell::new(|| Kept::of(&text(false)?, &text(true)?));
        let rest = whole.into_iter().zip(free).filter(|(_, free)| *free);
        places.extend(rest.map(|(spot, _)| {
            let is_parted = kept.as_ref().is_some_and(|kept| kept.parts(spot.range));
            Place { is_parted, ..place(block, true, spot) }
        }));
    }
    let more = all_places.saturating_sub(places.len() as u64 + again);
    Found { places, more, crowds, ..Found::default() }
}

/// Which place of the original each place of a cut text is: the one around which the most text is equal.
fn pair(seen: &[Spot], whole: &[Spot], cut: Option<&str>, full: Option<&str>) -> Vec<Option<usize>> {
    let (Some(cut), Some(full)) = (cut, full) else { return vec![None; seen.len()] };
    let mut taken = vec![false; whole.len()];
    let likeness = |one: &Spot, other: &Spot| {
        let (one, other) = (one.range.0 as usize, other.range.0 as usize);
        let before = cut.as_bytes()[..one.min(cut.len())].iter().rev().take(200);
        let equal = before.zip(full.as_bytes()[..other.min(full.len())].iter().rev()).take_while(|(a, b)| a == b);
        let after = cut.as_bytes()[one.min(cut.len())..].iter().take(200);
        equal.count() + after.zip(&full.as_bytes()[other.min(full.len())..]).take_while(|(a, b)| a == b).count()
    };
    seen.iter()
        .map(|spot| {
            let free = whole.iter().enumerate().filter(|(at, _)| !taken[*at]);
            let (at, _) = free.max_by_key(|(at, other)| (likeness(spot, other), std::cmp::Reverse(*at)))?;
            taken[at] = true;
            Some(at)
        })
        .collect()
}
