//! Patterns of the prompt cache: a prefix that changes from step to step.

use std::collections::{HashMap, HashSet};

use super::counts::{behind_change, sent_again};
use super::{Finding, Looked, Weight};
use crate::model::{Entry, EntryId, Layer, Stage, Totals, thousands};
use crate::policy::Policy;

/// A prefix shorter than this share of the window before was broken.
const BROKEN: u64 = 50;
/// Broken prefixes that are no accident.
const OFTEN: usize = 3;
/// Tokens over which a window is worth a cache.
const LARGE: u64 = 5_000;
/// Fewer requests that read nothing from a cache may be an accident.
const ENOUGH: usize = 5;

/// A step in which the beginning of the window changed for no reason of its own.
struct Broken {
    step: u32,
    /// Tokens that the cache could have given back but for that; `None` where too little stood there to be cached.
    lost: Option<u64>,
    /// The place of a piece that was replaced where it stood.
    place: Option<usize>,
}

/// Source 5, anti-pattern 4: something static changes, so that the cache has to be written anew.
pub(super) fn moving(looked: &Looked, found: &mut Vec<Finding>) {
    let run = looked.run;
    let least = looked.policy.map_or_else(|| Policy::default().cache.min_tokens, |policy| policy.cache.min_tokens);
    let mut broken: Vec<Broken> = Vec::new();
    for (at, pair) in run.totals.windows(2).enumerate() {
        let [before, now] = pair else { continue };
        let step = u32::try_from(at + 2).unwrap_or(u32::MAX);
        // What was compacted, cleared or taken back had to change; a prompt that is sent anew did not.
        let fixed = |id: &EntryId| run.entry(*id).is_some_and(|entry| is_fixed(entry.layer));
        if now.prefix >= before.counted {
            continue;
        }
        let mut place = None;
        let meant = run.events_at(step).any(|(_, event)| match event.stage {
            Stage::Summarise | Stage::Reactive => event.compacts(),
            Stage::Microcompact | Stage::Collapse | Stage::Drop => true,
            // Where nothing was taken, something was put elsewhere.
            Stage::Session => true,
            Stage::Rewind if !event.took.is_empty() && !event.took.iter().any(fixed) => {
                place = replaced(looked, step);
                place.is_none()
            }
            Stage::Reasoning => !event.took.is_empty() && !event.took.iter().any(fixed),
            _ => false,
        });
        // What changes before all that was taken was not meant.
        if meant && now.prefix >= before.layers[Layer::System as usize] + before.layers[Layer::Tools as usize] {
            continue;
        }
        let differs = differs(looked, step);
        let is_static = differs.is_some_and(|pair| is_static(looked, pair));
        let broke = !meant && now.prefix * 100 < before.counted * BROKEN;
        if broke || place.is_some() || is_static {
            let behind = if is_static { stayed(looked, step) } else { before.counted - now.prefix };
            // What stands before the first byte that differs is as it was.
            let same = differs.map_or(0, |pair| same_in_piece(looked, pair)).min(behind);
            let first = before.layers[Layer::Unlogged as usize] + now.prefix;
            let lost = lost(first + same, first + behind, least);
            let usage = run.steps.get(at + 1).and_then(|step| step.billed.or(step.usage));
            // What a report says was read, was read.
            let unread = usage.filter(|usage| usage.context() > 0).map(|usage| usage.input + usage.cache_write);
            broken.push(Broken { step, lost: lost.map(|lost| lost.min(unread.unwrap_or(now.used()))), place });
        }
    }
    // A piece that is replaced again and again was static; where it is another each time, each had its reason.
    let mut times: HashMap<usize, usize> = HashMap::new();
    broken.iter().filter_map(|one| one.place).for_each(|place| *times.entry(place).or_default() += 1);
    broken.retain(|one| one.place.is_none_or(|place| times.get(&place).is_some_and(|times| *times >= OFTEN)));
    let is_often = broken.len() >= OFTEN;
    let free = broken.iter().filter(|one| one.lost.is_none()).count();
    let costs: Vec<(u32, u64)> =
        broken.iter().filter_map(|one| Some((one.step, one.lost.filter(|lost| *lost > 0)?))).collect();
    let prices = looked.prices();
    let reported: Vec<u64> = run.steps.iter().filter_map(|step| Some(step.usage?.context_read())).collect();
    let large = run.totals.iter().filter(|totals| totals.used() > LARGE).count();
    if let Some((step, _)) = costs.first().copied().filter(|_| is_often) {
        let tokens: u64 = costs.iter().map(|(_, lost)| lost).sum();
        let in_place = broken.iter().any(|one| one.step == step && one.place.is_some());
        let Difference { entry, by_memory, what } = first_difference(looked, step);
        found.push(Finding {
            rule: "moving-prefix",
            weight: Weight::Waste,
            evidence: told(costs.len(), &format!("first at step {step}{what}"), free, least),
            step: Some(step),
            entry,
            tokens: Some(tokens),
            dollars: prices.map(|prices| costs.iter().map(|(step, lost)| prices.unread(*lost, *step)).sum()),
            help: match entry {
                Some(_) if by_memory => "memory.place = end: packed memories behind what does not change",
                Some(_) if in_place => "put what changes into the newest message, and leave those before it as they were",
                Some(_) => "keep what changes behind the dynamic boundary (cache.boundary)",
                None => "move what does not change above the dynamic boundary, and what does into the newest message (cache.dynamic)",
            }
            .into(),
            fact: None,
            counts: costs.iter().flat_map(|(step, _)| behind_change(run, *step)).collect(),
        });
    } else if reported.len() >= ENOUGH
        && large >= ENOUGH
        && reported.iter().all(|read| *read == 0)
        && run.steps.len() >= ENOUGH
    {
        let same = |totals: &Totals| Some(totals.prefix).filter(|same| *same >= least).unwrap_or(0);
        let sent: u64 = run.totals.iter().skip(1).map(same).sum();
        found.push(Finding {
            rule: "moving-prefix",
            weight: Weight::Waste,
            evidence: format!("{} requests reported their usage, and none read anything from a cache.", reported.len()),
            step: Some(2),
            entry: None,
            tokens: Some(sent),
            dollars: prices.map(|prices| {
                let steps = (2u32..).zip(run.totals.iter().skip(1));
                steps.map(|(step, totals)| prices.unread(same(totals), step)).sum()
            }),
            help: "turn on prompt caching, or mark the dynamic boundary (cache.mode, cache.boundary)".into(),
            fact: None,
            counts: sent_again(run, |step| run.totals_at(step).is_some_and(|totals| same(totals) > 0)),
        });
    }
}

/// What is told of steps whose beginning changed, and of those in which that costs nothing.
fn told(steps: usize, first: &str, free: usize, least: u64) -> String {
    let in_steps = if steps == 1 { "In 1 step".to_owned() } else { format!("In {steps} steps") };
    let mut told = format!(
        "{in_steps} the beginning of the window changed, and no compaction did it; {first}. What follows was sent anew, at what that costs more than reading it from the cache."
    );
    if free > 0 {
        let least = thousands(least);
        told.push_str(&format!(" In {free} more that costs nothing: no cache takes fewer than {least} tokens."));
    }
    told
}

/// Of tokens that a cache could have given back, those that it could not: it gives back what is `same`, where that is
/// not less than it takes.
fn lost(same: u64, could: u64, least: u64) -> Option<u64> {
    let read = if same < least { 0 } else { same };
    (could >= least).then(|| could.saturating_sub(read).max(1))
}

/// Tokens of the window before, from the first piece on that differs, to the first that left and that any request may
/// change.
fn stayed(looked: &Looked, step: u32) -> u64 {
    let (before, now) = (looked.run.window(step - 1), looked.run.window(step));
    let first = before.iter().zip(&now).take_while(|(old, new)| old == new).count();
    let still: HashSet<&EntryId> = now.iter().collect();
    let entries = before.iter().skip(first).filter_map(|id| Some((id, looked.run.entry(*id)?)));
    let stays = |(id, entry): &(&EntryId, &Entry)| still.contains(id) || is_fixed(entry.layer);
    entries.take_while(stays).map(|(_, entry)| entry.tokens).sum()
}

/// Whether no request should change what is of a layer.
fn is_fixed(layer: Layer) -> bool {
    matches!(layer, Layer::System | Layer::Tools | Layer::Instructions)
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
    [old, new].into_iter().all(|id| looked.run.entry(id).is_some_and(|entry| is_fixed(entry.layer)))
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
