//! Names of the tools that calls name: the model wrote them, but they stand beside the arguments, in no block's text.

use std::collections::HashMap;

use super::fact::{Fact, Inside, Query};
use super::find::{Found, Place, index};
use super::spot::Spot;
use crate::content::Sources;
use crate::model::{Block, BlockId, BlockKind, SourceId, Transcript};

/// Bytes before and behind a call's arguments in which its name is looked for.
const NEAR: u64 = 2_048;
/// Places in all; more are only counted.
const MOST: usize = 20_000;

/// The name that a call gives, where it gives one.
#[must_use]
pub fn called(block: &Block) -> Option<&str> {
    (block.kind == BlockKind::ToolCall && !block.label.is_empty()).then_some(&*block.label)
}

/// The places of a fact in the names of called tools, in the order of the transcript, and how many more there are. Of a
/// sentence by meaning, those that are the sentence itself.
pub(super) fn names(fact: &Fact, transcript: &Transcript, sources: &Sources) -> (Vec<Place>, u64) {
    let sentence = match &fact.query {
        Query::Meaning(meaning) => match Fact::literal(&meaning.sentence) {
            Some(sentence) => Some(sentence),
            None => return (Vec::new(), 0),
        },
        Query::Literal(_) | Query::Pattern(_) => None,
    };
    let ranges = |name: &str| match &sentence {
        Some(sentence) => {
            let mut found = sentence.places(name, Inside::Nothing);
            found.retain(|(from, to)| *from == 0 && *to == index(name.len()));
            found
        }
        None => fact.places(name, Inside::Nothing),
    };
    // Few names are called very often.
    let mut known: HashMap<&str, Vec<(u32, u32)>> = HashMap::new();
    let (mut places, mut more) = (Vec::new(), 0);
    for (id, block) in (0u32..).map(BlockId).zip(&transcript.blocks) {
        let Some(name) = called(block) else { continue };
        for range in known.entry(name).or_insert_with(|| ranges(name)).iter() {
            if places.len() >= MOST {
                more += 1;
                continue;
            }
            let record = block.record;
            let spot = Spot {
                range: *range,
                says: *range,
                blanks: Box::default(),
                length: index(name.len()),
                stored: stored(block, name, *range, sources).unwrap_or((record.source, record.start, record.end)),
                line: 1,
                lines: 1,
                context: name.to_owned(),
            };
            let score = sentence.as_ref().map(|_| 1.0);
            let quoted = sentence.is_some();
            places.push(Place {
                block: id,
                seen: Some(spot),
                whole: None,
                score,
                quoted,
                is_name: true,
                is_parted: false,
            });
        }
    }
    (places, more)
}

/// Takes the places in names in among those in texts: a call's name stands before its arguments.
pub(super) fn with_names(mut found: Found, (named, more): (Vec<Place>, u64)) -> Found {
    found.places.extend(named);
    found.more += more;
    found.places.sort_by_key(|place| (place.block, !place.is_name));
    found
}

/// Where a record holds a part of a call's name: the nearest to the arguments, in the quotes of JSON where there are
/// any.
fn stored(block: &Block, name: &str, range: (u32, u32), sources: &Sources) -> Option<(SourceId, u64, u64)> {
    let record = block.record;
    let mut spans = block.body.spans().filter(|span| span.source == record.source);
    let (from, to) = match spans.next() {
        Some(first) => (first.start, spans.last().unwrap_or(first).end),
        None => (record.start, record.start),
    };
    let before = (from.saturating_sub(NEAR).max(record.start.min(from)), from);
    let after = (to, to.saturating_add(NEAR).min(record.end.max(to)));
    let quoted = serde_json::to_string(name).ok()?;
    let as_it_is = quoted.len() == name.len() + 2;
    [quoted.as_bytes(), name.as_bytes()].into_iter().find_map(|needle| {
        let text = |(start, end): (u64, u64)| sources.read(record.source, start, end).ok();
        let last = text(before).and_then(|bytes| memchr::memmem::rfind(&bytes, needle)).map(|at| before.0 + at as u64);
        let first = || text(after).and_then(|bytes| memchr::memmem::find(&bytes, needle)).map(|at| after.0 + at as u64);
        let gap = |at: &u64| if *at < from { from - at } else { at - to };
        let at = last.into_iter().chain(first()).min_by_key(gap)?;
        let begins = at + u64::from(needle.len() > name.len());
        Some(match as_it_is {
            true => (record.source, begins + u64::from(range.0), begins + u64::from(range.1)),
            false => (record.source, at, at + needle.len() as u64),
        })
    })
}
