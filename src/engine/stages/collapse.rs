//! Collapse, layer 5: old turns are shown as one line each when the window is read. The originals stay, and a turn that
//! a later one refers to is shown in full again.

use std::borrow::Cow;

use crate::engine::plan::{Item, NONE, Plan, index};
use crate::engine::simulate::{Content, Label, Named, Sim};
use crate::model::{BlockId, EntryId, EntryIds, EventId, Evidence, Fate, Layer, Made, Role, Stage, number};
use crate::policy::{CollapseOrder, Policy, Unit};

use super::edge::{is_older, tokens_of};

/// Which turns are shown how, kept up from step to step. A turn is a message of the user, or an answer with the results
/// of its calls.
pub(in crate::engine) struct CollapseState {
    /// Per unit, the line that stands for it now.
    line: Vec<u32>,
    /// Per unit, the newest unit that refers to it, or itself.
    touched: Vec<u32>,
    /// The first unit that is among the newest, the units that have come in, and the tokens from the first on.
    edge: u32,
    seen: u32,
    kept: u64,
    /// Per unit, its tokens as it came in.
    tokens: Vec<u64>,
    /// Units that may be collapsed, and what that would save.
    old: Vec<(u32, u64)>,
    saving: u64,
    /// What is saved now.
    pub saved: u64,
}

impl CollapseState {
    pub fn new(plan: &Plan, policy: &Policy) -> Self {
        let units = if policy.collapse.on { plan.units.len() } else { 0 };
        CollapseState {
            line: vec![NONE; units],
            touched: (0..index(units)).collect(),
            edge: 0,
            seen: 0,
            kept: 0,
            tokens: vec![0; units],
            old: Vec::new(),
            saving: 0,
            saved: 0,
        }
    }

    /// The line that stands for a unit.
    pub fn line_of(&self, unit: u32) -> Option<u32> {
        self.line.get(unit as usize).copied().filter(|line| *line != NONE)
    }

    /// Says that the line of a unit left the window by another stage, with what it saved.
    pub fn lose(&mut self, unit: u32, saved: u64) {
        if let Some(line) = self.line.get_mut(unit as usize) {
            *line = NONE;
            self.saved = self.saved.saturating_sub(saved);
        }
    }

    /// Says that the line of a unit stands in the window again.
    pub fn regain(&mut self, unit: u32, line: u32, saved: u64) {
        if let Some(place) = self.line.get_mut(unit as usize) {
            *place = line;
            self.saved += saved;
        }
    }
}

/// Before a summary is made.
pub(super) fn early(sim: &mut Sim) {
    if sim.policy.collapse.on && sim.policy.collapse.order == CollapseOrder::Early {
        run(sim);
    }
}

/// After all others.
pub(super) fn last(sim: &mut Sim) {
    if sim.policy.collapse.on && sim.policy.collapse.order == CollapseOrder::Last {
        run(sim);
    }
}

fn run(sim: &mut Sim) {
    let (before, id) = (sim.used(), sim.next_event());
    let full = before + sim.collapse.saved;
    let (mut took, mut made, mut evidence) = (EntryIds::new(), EntryIds::new(), Vec::new());
    follow(sim, id, &mut took, &mut made, &mut evidence);
    let (turns, restored) = (took.len(), made.len());
    let at = sim.policy.collapse.at.of(sim.size);
    if full > at && sim.collapse.saving >= sim.policy.collapse.min_freed.max(1) {
        sim.collapse.saving = 0;
        for (unit, _) in std::mem::take(&mut sim.collapse.old) {
            let touched = sim.collapse.touched.get(unit as usize).copied().unwrap_or(NONE);
            if touched < sim.collapse.edge {
                collapse(sim, unit, id, &mut took, &mut made);
            }
        }
    }
    if made.is_empty() && took.is_empty() {
        return;
    }
    let collapses = made.len() > restored;
    let mut event = sim.event(Stage::Collapse, if collapses { "collapse.at" } else { "collapse.keep" });
    // What comes back is held against no size.
    (event.threshold, event.measured) = (Some(at).filter(|_| collapses), Some(full).filter(|_| collapses));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    let again = |turns: usize| match turns {
        1 => "a turn that was shown as a line is referred to again: it is shown in full.".to_owned(),
        turns => format!("{turns} turns that were shown as lines are referred to again: they are shown in full."),
    };
    const OVER: &str = "In full the window would hold {measured tokens}, over {threshold}:";
    event.why = match (turns, made.len() - restored) {
        (1, 0) => Cow::Owned(again(1).replacen('a', "A", 1)),
        (turns, 0) => Cow::Owned(again(turns)),
        (0, _) => Cow::Borrowed(
            "In full the window would hold {measured tokens}, over {threshold}: {took pieces} of old turns are shown as {made lines}.",
        ),
        (turns, lines) => Cow::Owned(format!(
            "{OVER} {} of old turns are shown as {}; {}",
            number(took.len() - turns, "pieces"),
            number(lines, "lines"),
            again(turns)
        )),
    };
    (event.took, event.made, event.evidence) = (took, made, evidence);
    sim.events.push(event);
    sim.changed = true;
}

/// Brings the state up to this step: new turns, what they refer to, turns that are no longer among the newest.
fn follow(sim: &mut Sim, id: EventId, took: &mut EntryIds, made: &mut EntryIds, evidence: &mut Vec<Evidence>) {
    let plan = sim.plan;
    let newest = sim.new.iter().filter_map(|piece| sim.item(*piece)).map(|item| item.unit).max();
    for at in 0..sim.new.len() {
        let number = sim.new[at];
        let Some((unit, tokens)) =
            sim.item(number).map(|item| item.unit).zip(sim.pieces.get(number as usize).map(|piece| piece.tokens))
        else {
            continue;
        };
        if let Some(sum) = sim.collapse.tokens.get_mut(unit as usize) {
            *sum += tokens;
            if unit >= sim.collapse.edge {
                sim.collapse.kept += tokens;
            }
        }
    }
    let Some(newest) = newest else { return };
    for unit in sim.collapse.seen..=newest {
        refer(sim, unit, id, took, made, evidence);
    }
    sim.collapse.seen = sim.collapse.seen.max(newest + 1);
    let amount = sim.policy.collapse.keep;
    let limit = tokens_of(amount, sim.counted);
    let Some(latest) = plan.items_of(newest).last().and_then(|item| plan.items.get(*item as usize)) else { return };
    while sim.collapse.edge < sim.collapse.seen {
        let unit = sim.collapse.edge;
        let Some(first) = plan.items_of(unit).first().and_then(|item| plan.items.get(*item as usize)) else {
            sim.collapse.edge += 1;
            continue;
        };
        let older = match limit {
            Some(tokens) => sim.collapse.kept > tokens,
            None => beyond(plan, amount, unit, first, newest, latest),
        };
        if !older {
            break;
        }
        let tokens = sim.collapse.tokens.get(unit as usize).copied().unwrap_or(0);
        sim.collapse.kept = sim.collapse.kept.saturating_sub(tokens);
        sim.collapse.edge += 1;
        leave(sim, unit);
    }
}

fn beyond(plan: &Plan, amount: crate::policy::Amount, unit: u32, first: &Item, newest: u32, latest: &Item) -> bool {
    match amount {
        crate::policy::Amount::Count(count, Unit::Events | Unit::Results) => {
            let from = plan.units.get(unit as usize).map_or(0, |unit| unit.from);
            let to = plan.units.get(newest as usize).map_or(0, |unit| unit.to);
            u64::from(to.saturating_sub(from)) > count
        }
        _ => is_older(amount, first, latest),
    }
}

/// A turn has come in: turns that it refers to are as new as it is.
fn refer(
    sim: &mut Sim,
    unit: u32,
    id: EventId,
    took: &mut EntryIds,
    made: &mut EntryIds,
    evidence: &mut Vec<Evidence>,
) {
    let Some(texts) = &sim.plan.texts else {
        sim.provisional = true;
        return;
    };
    for found in texts.referred_by(unit) {
        if let Some(touched) = sim.collapse.touched.get_mut(found.of as usize) {
            *touched = (*touched).max(unit);
        }
        let from = made.len();
        restore(sim, found.of, Some(id), took, made);
        let back = made.get(from..).unwrap_or_default();
        let held = |id: &&EntryId| sim.pieces.get(id.0 as usize).is_some_and(|piece| piece.item == found.item);
        if let Some(entry) = back.iter().find(held).or(back.first()).copied() {
            let by = sim.plan.items.get(found.by as usize).map_or(BlockId(0), |item| item.block);
            let term = (u64::from(found.term.0), u64::from(found.term.1));
            evidence.push(Evidence { entry, by, term, word: found.word.clone(), spared: true });
        }
    }
}

/// A turn is no longer among the newest: it, and what it alone still held, may be collapsed.
fn leave(sim: &mut Sim, unit: u32) {
    let referred = sim.plan.texts.as_ref().map(|texts| texts.referred_by(unit)).unwrap_or_default();
    for candidate in std::iter::once(unit).chain(referred.iter().map(|found| found.of)) {
        let touched = sim.collapse.touched.get(candidate as usize).copied().unwrap_or(NONE);
        if touched > unit || sim.collapse.line_of(candidate).is_some() {
            continue;
        }
        let saving = full_size(sim, candidate).saturating_sub(line_tokens(sim, candidate));
        if saving > 0 {
            sim.collapse.saving += saving;
            sim.collapse.old.push((candidate, saving));
        }
    }
}

fn line_tokens(sim: &Sim, unit: u32) -> u64 {
    let texts = sim.plan.texts.as_ref();
    texts.and_then(|texts| texts.lines.get(unit as usize)).map_or(24, |line| line.tokens)
}

/// What stands for the items of a unit, each alone.
fn pieces<'a>(sim: &'a Sim, unit: u32) -> impl Iterator<Item = u32> + 'a {
    sim.plan.items_of(unit).iter().map(|item| sim.standing_for(*item)).filter(|piece| *piece != NONE)
}

/// The places of a unit.
fn places<'a>(sim: &'a Sim, unit: u32) -> impl Iterator<Item = u32> + 'a {
    sim.plan
        .items_of(unit)
        .iter()
        .filter_map(|item| sim.slot_of.get(*item as usize).copied())
        .filter(|slot| *slot != NONE)
}

/// Tokens of what stands of a unit; 0 where a part of it must not be collapsed.
fn full_size(sim: &Sim, unit: u32) -> u64 {
    let mut sum = 0;
    for number in pieces(sim, unit) {
        let Some(piece) = sim.pieces.get(number as usize) else { continue };
        if !may_collapse(piece.layer) {
            return 0;
        }
        sum += piece.tokens;
    }
    sum
}

fn may_collapse(layer: Layer) -> bool {
    matches!(
        layer,
        Layer::User | Layer::Assistant | Layer::Thinking | Layer::ToolCalls | Layer::ToolResults | Layer::Files
    )
}

fn collapse(sim: &mut Sim, unit: u32, id: EventId, took: &mut EntryIds, made: &mut EntryIds) {
    let (size, line) = (full_size(sim, unit), line_tokens(sim, unit));
    if size <= line {
        return;
    }
    let (mut from, mut first) = (EntryIds::new(), NONE);
    for number in pieces(sim, unit).collect::<Vec<_>>() {
        let Some((slot, item)) = sim.pieces.get(number as usize).map(|piece| (piece.slot(), piece.item)) else {
            continue;
        };
        sim.hide(number, Some(id));
        if let Some(place) = sim.slots.get_mut(slot as usize) {
            place.hidden = number;
        }
        sim.microcompact.lose(item);
        first = first.min(slot);
        from.push(EntryId(number));
    }
    let answer = sim.plan.units.get(unit as usize).is_some_and(|unit| unit.answer);
    let (layer, role) = if answer { (Layer::Assistant, Role::Assistant) } else { (Layer::User, Role::User) };
    let mut piece = sim.make(layer, role, Label::Fixed(Named::Turn));
    let text = sim.plan.texts.as_ref().and_then(|texts| texts.lines.get(unit as usize));
    piece.content = Content::Made(
        Made::Text(text.map_or(Cow::Borrowed("[an earlier turn]"), |line| Cow::Owned(line.text.to_string()))).into(),
    );
    piece.fate = Fate::Collapsed;
    (piece.tokens, piece.original, piece.made_by) = (line, size, Some(id));
    took.extend(from.iter().copied());
    piece.from = from;
    let number = sim.put(piece, first);
    made.push(EntryId(number));
    sim.collapse.regain(unit, number, size - line);
}

/// Forgets what a line stands for: it is about to leave for good.
pub(super) fn forget(sim: &mut Sim, unit: u32) {
    for slot in places(sim, unit).collect::<Vec<_>>() {
        if let Some(place) = sim.slots.get_mut(slot as usize) {
            place.hidden = NONE;
        }
    }
}

/// Shows a turn in full again.
pub(in crate::engine) fn restore(
    sim: &mut Sim,
    unit: u32,
    id: Option<EventId>,
    took: &mut EntryIds,
    made: &mut EntryIds,
) {
    let Some(line) = sim.collapse.line_of(unit) else { return };
    let saved = sim.pieces.get(line as usize).map_or(0, |piece| piece.original.saturating_sub(piece.tokens));
    sim.hide(line, id);
    took.push(EntryId(line));
    sim.collapse.lose(unit, saved);
    let slots: Vec<u32> = places(sim, unit).collect();
    for slot in slots {
        let Some(place) = sim.slots.get_mut(slot as usize) else { continue };
        let hidden = std::mem::replace(&mut place.hidden, NONE);
        if hidden != NONE && place.piece == NONE {
            sim.show(hidden, slot);
            sim.microcompact.regain(hidden);
            made.push(EntryId(hidden));
        }
    }
}
