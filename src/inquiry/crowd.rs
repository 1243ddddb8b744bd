//! Places of a fact that are too many to be told apart: where each one is, packed, so that whether a window shows one of
//! them is known however often the fact stands.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::find::{Found, Place};
use super::spot::{Spot, blanks, context, is_held, locals, spot};
use crate::content::{Sources, joined};
use crate::model::{BlockId, Body, Contents, Made, Run, SourceId, Transcript};

/// Places between two marks, from which on others can be read.
const MARK: usize = 64;

/// Everywhere that a fact stands in one text: about three bytes a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    /// Per place: how far from the one before it begins, its bytes, and the blanks in it, each with its distance.
    packed: Vec<u8>,
    /// Of every 64th place: where the one before it begins, and where it is packed.
    marks: Vec<(u32, usize)>,
    /// Bytes of the longest place.
    longest: u32,
}

/// The places of one block's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowded {
    /// The block.
    pub block: BlockId,
    /// Whether they stand in the text before the agent cut it.
    pub original: bool,
    /// The places.
    pub all: Arc<Crowd>,
}

/// A place, and the blanks in it.
type Packed = ((u32, u32), Vec<(u32, u32)>);

impl Crowd {
    /// Packs places, which are in order.
    pub(super) fn of(text: &str, places: &[(u32, u32)]) -> Crowd {
        let mut crowd = Crowd::default();
        let mut before = 0;
        for (at, (from, to)) in places.iter().enumerate() {
            if at % MARK == 0 {
                crowd.marks.push((before, crowd.packed.len()));
            }
            let blanks = blanks(text, (*from, *to));
            crowd.put(from - before);
            crowd.put(to - from);
            crowd.put(u32::try_from(blanks.len()).unwrap_or(u32::MAX));
            let mut end = *from;
            for (start, stop) in &blanks {
                crowd.put(start - end);
                crowd.put(stop - start);
                end = *stop;
            }
            crowd.longest = crowd.longest.max(to - from);
            before = *from;
        }
        crowd.packed.shrink_to_fit();
        crowd
    }

    fn put(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.packed.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.packed.push(number.to_le_bytes()[0]);
    }

    fn get(&self, at: &mut usize) -> Option<u32> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *self.packed.get(*at)?;
            *at += 1;
            number |= u32::from(byte & 0x7F).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                return Some(number);
            }
        }
    }

    /// The places that begin at a byte or behind it.
    fn from(&self, first: u32) -> impl Iterator<Item = Packed> + '_ {
        let mark = self.marks.partition_point(|(before, _)| *before < first).saturating_sub(1);
        let (mut before, mut at) = self.marks.get(mark).copied().unwrap_or_default();
        let next = std::iter::from_fn(move || {
            let from = before + self.get(&mut at)?;
            let to = from + self.get(&mut at)?;
            let mut end = from;
            let mut blanks = Vec::new();
            for _ in 0..self.get(&mut at)? {
                let start = end + self.get(&mut at)?;
                end = start + self.get(&mut at)?;
                blanks.push((start, end));
            }
            before = from;
            Some(((from, to), blanks))
        });
        next.skip_while(move |((from, _), _)| *from < first)
    }

    /// Of each of some parts of the text, the first place that they hold.
    fn held_by(&self, parts: &[(u64, u64)]) -> Vec<Packed> {
        let mut found: Vec<Packed> = Vec::new();
        for (from, to) in parts {
            let begin = u32::try_from(*from).unwrap_or(u32::MAX).saturating_sub(self.longest);
            let meets = self.from(begin).take_while(|((start, _), _)| u64::from(*start) < *to);
            let mut meets = meets.filter(|((_, end), _)| u64::from(*end) > *from);
            found.extend(meets.find(|(range, blanks)| is_held(*range, blanks, parts)));
        }
        found
    }
}

/// Where something begins and ends in a text.
type Span = (u32, u32);

/// Places that are only counted, of each text the first one that a part of it in a run's entry holds: with them, it is
/// known of every window whether it holds the fact.
pub(super) struct Shown<'a> {
    crowds: HashMap<(BlockId, bool), &'a Crowd>,
    found: HashMap<(BlockId, bool, Span), Vec<Span>>,
    /// Parts that were looked at.
    parts: HashMap<(BlockId, bool), Vec<(u64, u64)>>,
}

impl<'a> Shown<'a> {
    pub fn new(crowds: &'a [Crowded]) -> Self {
        let crowds = crowds.iter().map(|one| ((one.block, one.original), &*one.all)).collect();
        Shown { crowds, found: HashMap::new(), parts: HashMap::new() }
    }

    /// Takes an entry's parts in.
    pub fn take(&mut self, content: &Contents, transcript: &Transcript) {
        if self.crowds.is_empty() {
            return;
        }
        self.parts.clear();
        content.each(|made| {
            if let Made::Part(block, from, to, original) = made {
                let has = || transcript.block(*block).is_some_and(|block| block.original.is_some());
                let key = (*block, *original && has());
                if self.crowds.contains_key(&key) {
                    self.parts.entry(key).or_default().push((*from, *to));
                }
            }
        });
        for (key, parts) in &self.parts {
            for (range, blanks) in self.crowds.get(key).map(|crowd| crowd.held_by(parts)).unwrap_or_default() {
                self.found.insert((key.0, key.1, range), blanks);
            }
        }
    }

    /// The places, with nothing told of them but where they are.
    pub fn places(self) -> Vec<Place> {
        let places = self.found.into_iter().map(|((block, original, range), blanks)| {
            let spot = Spot {
                range,
                says: range,
                blanks: blanks.into(),
                length: u32::MAX,
                stored: (SourceId(0), 0, 0),
                line: 0,
                lines: 0,
                context: String::new(),
            };
            place(block, original, spot)
        });
        let mut places: Vec<Place> = places.collect();
        places.sort_by_key(order);
        places
    }
}

/// A place in a block's text, or in its original.
pub(super) fn place(block: BlockId, original: bool, spot: Spot) -> Place {
    let (seen, whole) = if original { (None, Some(spot)) } else { (Some(spot), None) };
    Place { block, seen, whole, score: None, quoted: false, is_name: false, is_parted: false }
}

/// The order of places: of what was sent before what was cut off.
fn order(place: &Place) -> (BlockId, bool, bool, Option<(u32, u32)>) {
    (place.block, !place.is_name, place.seen.is_none(), place.spot().map(|spot| spot.range))
}

impl Found {
    /// The same with those of its places told apart that a run shows, and that were only counted for their number.
    #[must_use]
    pub fn in_run(&self, transcript: &Transcript, sources: &Sources, run: &Run) -> Cow<'_, Found> {
        if self.crowds.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut shown = Shown::new(&self.crowds);
        run.entries.iter().for_each(|entry| shown.take(&entry.content, transcript));
        let key = |place: &Place, original: bool| {
            let spot = if original { place.whole.as_ref() } else { place.seen.as_ref() };
            spot.filter(|_| !place.is_name).map(|spot| (place.block, original, spot.range))
        };
        let known: HashSet<_> =
            self.places.iter().flat_map(|place| [key(place, false), key(place, true)]).flatten().collect();
        let mut fresh = shown.places();
        fresh.retain(|place| key(place, place.seen.is_none()).is_some_and(|key| !known.contains(&key)));
        if fresh.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut found = self.clone();
        let mut at = 0;
        while let Some(first) = fresh.get(at) {
            let (block, original) = (first.block, first.whole.is_some());
            let same = fresh[at..].iter().take_while(|other| other.block == block && other.whole.is_some() == original);
            let ranges: Vec<(u32, u32)> = same.filter_map(|place| Some(place.spot()?.range)).collect();
            at += ranges.len().max(1);
            let body =
                transcript.block(block).map(|one| one.original.as_deref().filter(|_| original).unwrap_or(&one.body));
            let told = body.map(|body| told(body, &ranges, sources)).unwrap_or_default();
            found.more = found.more.saturating_sub(told.len() as u64);
            found.places.extend(told.into_iter().map(|spot| place(block, original, spot)));
        }
        found.places.sort_by_key(order);
        Cow::Owned(found)
    }
}

/// What is to be told of some places of a text.
fn told(body: &Body, ranges: &[(u32, u32)], sources: &Sources) -> Vec<Spot> {
    let Ok(stored) = sources.pieces(body) else { return Vec::new() };
    let text = joined(body, &stored);
    let spots = locals(body, &stored, &text, ranges).into_iter().zip(ranges).filter_map(|(mut local, range)| {
        local.context = context(&text, range.0 as usize, range.1 as usize);
        spot(&local, body)
    });
    spots.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_places_come_out_as_they_went_in() {
        let text = "ab c\n d ".repeat(40_000);
        let places: Vec<(u32, u32)> = (0..30_000u32).map(|at| (at * 8 + at / 7 * 4, at * 8 + at / 7 * 4 + 6)).collect();
        let crowd = Crowd::of(&text, &places);
        let all: Vec<Packed> = crowd.from(0).collect();
        assert_eq!(all.iter().map(|(range, _)| *range).collect::<Vec<_>>(), places);
        assert!(all.iter().all(|(range, found)| **found == *blanks(&text, *range)));
        for first in [0, 1, 8, 9, 511, 100_003, u32::MAX] {
            let from: Vec<(u32, u32)> = crowd.from(first).map(|(range, _)| range).collect();
            assert_eq!(from, places[places.partition_point(|place| place.0 < first)..], "{first}");
        }
        assert_eq!(Crowd::default().from(0).count(), 0);
    }

    #[test]
    fn a_part_tells_the_first_place_that_it_holds() {
        let text = "one two ".repeat(100);
        let places: Vec<(u32, u32)> = (0..100).map(|at| (at * 8, at * 8 + 7)).collect();
        let crowd = Crowd::of(&text, &places);
        let held =
            |parts: &[(u64, u64)]| crowd.held_by(parts).into_iter().map(|(range, _)| range.0).collect::<Vec<_>>();
        assert_eq!(held(&[(401, 500), (640, 700)]), [408, 640]);
        assert!(held(&[(401, 414)]).is_empty(), "neither whole");
        // It may be in two parts, with the blank between them lost.
        assert_eq!(held(&[(400, 403), (404, 407)]), [400, 400]);
        assert!(held(&[(400, 403), (405, 407)]).is_empty());
    }
}
