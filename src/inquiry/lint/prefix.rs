//! Patterns of the prompt cache: a prefix that changes from step to step.

use std::collections::HashMap;

use super::{Finding, Looked, Weight};
use crate::model::{Entry, EntryId, Layer, Stage};

/// A prefix shorter than this share of the window before was broken.
const BROKEN: u64 = 50;
/// Tokens behind a static piece that changed, from which on that is told however large what stands before it is.
const BEHIND: u64 = 1_000;
/// Broken prefixes that are no accident.
const OFTEN: usize = 3;

/// Source 5, anti-pattern 4: something static changes, so that the cache has to be written anew.
pub(super) fn moving(looked: &Looked, found: &mut Vec<Finding>) {
    let run = looked.run;
    // Steps, what each lost, and the place of a piece that was replaced where it stood.
    let mut broken: Vec<(u32, u64, Option<usize>)> = Vec::new();
    for (at, pair) in run.totals.windows(2).enumerate() {
        let [before, now] = pair else { continue };
        let step = u32::try_from(at + 2).unwrap_or(u32::MAX);
        // What was compacted, cleared or taken back had to change; a prompt that is sent anew did not.
        let fixed = |id: &EntryId| {
            let layer = run.entry(*id).map(|entry| entry.layer);
            matches!(layer, Some(Layer::System | Layer::Tools | Layer::Instructions))
        };
        let lost = before.counted.saturating_sub(now.prefix);
        let broke = now.prefix * 100 < before.counted * BROKEN;
        // Large tools in front hide how much of what follows is static, and sent anew.
        if before.counted <= 2_000 || !broke && lost < BEHIND {
            continue;
        }
        let mut place = None;
        let meant = run.events_at(step).any(|(_, event)| match event.stage {
            Stage::Summarise | Stage::Reactive | Stage::Microcompact | Stage::Collapse | Stage::Drop => true,
            // Where nothing was taken, something was put elsewhere.
            Stage::Session => true,
            Stage::Rewind if !event.took.is_empty() && !event.took.iter().any(fixed) => {
                place = replaced(looked, step);
                place.is_none()
            }
            Stage::Reasoning => !event.took.is_empty() && !event.took.iter().any(fixed),
            _ => false,
        });
        if meant {
            continue;
        }
        let differs = differs(looked, step);
        if broke || place.is_some() || differs.is_some_and(|pair| is_static(looked, pair)) {
            // What stands before the first byte that differs is as it was.
            let same = differs.map_or(0, |pair| same_in_piece(looked, pair));
            broken.push((step, lost.saturating_sub(same).max(1), place));
        }
    }
    // A piece that is replaced again and again was static; where it is another each time, each had its reason.
    let mut times: HashMap<usize, usize> = HashMap::new();
    broken.iter().filter_map(|(.., place)| *place).for_each(|place| *times.entry(place).or_default() += 1);
    broken.retain(|(.., place)| place.is_none_or(|place| times.get(&place).is_some_and(|times| *times >= OFTEN)));
    let prices = looked.prices();
    let reported: Vec<u64> = run.steps.iter().filter_map(|step| Some(step.usage?.context_read())).collect();
    let large = run.totals.iter().filter(|totals| totals.used() > 5_000).count();
    if let Some((step, _, place)) = broken.first().filter(|_| broken.len() >= OFTEN) {
        let tokens: u64 = broken.iter().map(|(_, tokens, _)| tokens).sum();
        let Difference { entry, by_memory, what } = first_difference(looked, *step);
        found.push(Finding {
            rule: "moving-prefix",
            weight: Weight::Waste,
            evidence: format!(
                "In {} steps the beginning of the window changed with nothing compacted; first at step {step}{what}.",
                broken.len()
            ),
            step: Some(*step),
            entry,
            tokens: Some(tokens),
            dollars: prices.map(|prices| broken.iter().map(|(step, tokens, _)| prices.fresh(*tokens, *step)).sum()),
            help: match entry {
                Some(_) if by_memory => "memory.place = end: packed memories behind what does not change",
                Some(_) if place.is_some() => "put what changes into the newest message, and leave those before it as they were",
                Some(_) => "keep what changes behind the dynamic boundary (cache.boundary)",
                None => "move what does not change above the dynamic boundary, and what does into the newest message (cache.dynamic)",
            }
            .into(),
        });
    } else if reported.len() >= 5 && large >= 5 && reported.iter().all(|read| *read == 0) && run.steps.len() >= 5 {
        let sent: u64 = run.totals.iter().skip(1).map(|totals| totals.prefix).sum();
        found.push(Finding {
            rule: "moving-prefix",
            weight: Weight::Waste,
            evidence: format!("{} requests reported their usage, and none read anything from a cache.", reported.len()),
            step: Some(2),
            entry: None,
            tokens: Some(sent),
            dollars: prices.map(|prices| {
                let steps = (2u32..).zip(run.totals.iter().skip(1));
                steps.map(|(step, totals)| prices.fresh(totals.prefix, step)).sum()
            }),
            help: "turn on prompt caching, or mark the dynamic boundary (cache.mode, cache.boundary)".into(),
        });
    }
}

/// What stood in the place of the first piece that differs from the step before, and what stands there now.
type Pair = (EntryId, EntryId);

fn differs(looked: &Looked, step: u32) -> Option<Pair> {
    let (before, now) = (looked.run.window(step - 1), looked.run.window(step));
    before.into_iter().zip(now).find(|(old, new)| old != new)
}

/// The place of the first piece for which another stands now, where every piece that left was replaced so, by one of its
/// layer, and the history behind goes on: nobody went back.
fn replaced(looked: &Looked, step: u32) -> Option<usize> {
    let (before, now) = (looked.run.window(step - 1), looked.run.window(step));
    let layer = |id: EntryId| looked.run.entry(id).map(|entry| entry.layer);
    let other = || before.iter().zip(&now).enumerate().filter(|(_, (old, new))| old != new);
    let goes_on = now.len() >= before.len() && before.last() == now.get(before.len().checked_sub(1)?);
    let alike = other().all(|(_, (old, new))| layer(*old) == layer(*new));
    other().next().map(|(place, _)| place).filter(|_| goes_on && alike)
}

/// Whether both are of what no request should change.
fn is_static(looked: &Looked, (old, new): Pair) -> bool {
    let layer = |id: EntryId| looked.run.entry(id).map(|entry| entry.layer);
    [old, new].into_iter().all(|id| matches!(layer(id), Some(Layer::System | Layer::Tools | Layer::Instructions)))
}

/// Tokens with which the one begins as the other did.
fn same_in_piece(looked: &Looked, (old, new): Pair) -> u64 {
    let pair = looked.run.entry(old).zip(looked.run.entry(new));
    let Some((old, new)) = pair.filter(|(old, new)| old.layer == new.layer) else { return 0 };
    let (same, length) = beginning(looked, old, new).unwrap_or_default();
    old.tokens.saturating_mul(same as u64) / (length as u64).max(1)
}

/// The bytes with which two pieces begin alike, and the length of the first.
fn beginning(looked: &Looked, old: &Entry, new: &Entry) -> Option<(usize, usize)> {
    let text = |entry: &Entry| {
        let block = entry.block().and_then(|id| looked.transcript.block(id))?;
        looked.sources.body_text(&block.body).ok()
    };
    let (old, new) = (text(old)?, text(new)?);
    Some((old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count(), old.len()))
}

/// Where a window first differs from that of the step before.
#[derive(Default)]
struct Difference {
    /// The piece that stands there now.
    entry: Option<EntryId>,
    /// Whether packed memories came in there, or stood there and are gone.
    by_memory: bool,
    /// The piece's kind and the first byte that differs, in words.
    what: String,
}

/// The first piece that differs from the step before, and the first byte of it.
fn first_difference(looked: &Looked, step: u32) -> Difference {
    let Some((old, id)) = differs(looked, step) else { return Difference::default() };
    let Some((old, entry)) = looked.run.entry(old).zip(looked.run.entry(id)) else { return Difference::default() };
    let gone = old.life_at(step).is_none();
    let byte = beginning(looked, old, entry).map_or(0, |(same, _)| same);
    let layer = if entry.layer == Layer::Unlogged { "" } else { entry.layer.info().title };
    let is_memory = |entry: &Entry| entry.layer == Layer::Memory;
    let left = gone && is_memory(old) && !is_memory(entry);
    let what = match left {
        true => format!(", in {layer}: packed memories stood before it, and went"),
        false => format!(", in {layer} at byte {byte}"),
    };
    Difference { entry: Some(id), by_memory: left || is_memory(entry), what }
}
