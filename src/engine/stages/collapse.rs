//! Collapse, layer 5: old turns are shown as one line each when the window is read. The originals stay, and a turn that
//! a later one refers to is shown in full again.

use std::borrow::Cow;

use crate::engine::plan::{Item, NONE, Plan, index};
use crate::engine::simulate::{Content, Label, Named, Sim};
use crate::model::{BlockId, EntryId, EntryIds, EventId, Evidence, Fate, Layer, Made, Role, Stage, number};
use crate::policy::{Amount, CollapseOrder, Policy, Unit};

use super::edge::{age, is_older, tokens_of};
use super::turn_line::{line_of, line_tokens};

/// Which turns are shown how, kept up from step to step. A turn is a message of the user, or an answer with the results
/// of its calls.
pub(in crate::engine) struct CollapseState {
    /// By unit.
    turns: Vec<Turn>,
    /// The first unit that is among the newest, the units that have come in, and the tokens from the first on.
    edge: u32,
    pub seen: u32,
    kept: u64,
    /// Units that may be collapsed, each once or more; and what that would save in all.
    old: Vec<u32>,
    saving: u64,
    /// What is saved now.
    pub saved: u64,
    /// Where the history went back since, it is looked at anew; units before this one are not among the newest.
    anew: Option<u32>,
    /// The oldest turn that is shown in full again at this step.
    oldest: Option<u32>,
}

/// What is known of a turn.
#[derive(Clone, Copy)]
struct Turn {
    /// The line that stands for it now.
    line: u32,
    /// The newest unit that refers to it, or itself.
    touched: u32,
    /// Its tokens as it came in.
    tokens: u64,
    /// What collapsing it would save; 0 where it may not be collapsed.
    due: u64,
}

impl Turn {
    const NEW: Turn = Turn { line: NONE, touched: 0, tokens: 0, due: 0 };
}

impl CollapseState {
    pub fn new(plan: &Plan, policy: &Policy) -> Self {
        let units = if policy.collapse.on { plan.units.len() } else { 0 };
        CollapseState {
            turns: (0..index(units)).map(|touched| Turn { touched, ..Turn::NEW }).collect(),
            edge: 0,
            seen: 0,
            kept: 0,
            old: Vec::new(),
            saving: 0,
            saved: 0,
            anew: None,
            oldest: None,
        }
    }

    /// The line that stands for a unit.
    pub fn line_of(&self, unit: u32) -> Option<u32> {
        self.turns.get(unit as usize).map(|turn| turn.line).filter(|line| *line != NONE)
    }

    /// Says that the history went back: what was the newest of it is so no more.
    pub fn look_again(&mut self, from: u32) {
        self.anew = Some(from);
    }

    /// Says that a part of a unit left the history, of so many tokens as it came in.
    pub fn leave(&mut self, unit: u32, tokens: u64) {
        if let Some(turn) = self.turns.get_mut(unit as usize) {
            turn.tokens = turn.tokens.saturating_sub(tokens);
            if unit >= self.edge {
                self.kept = self.kept.saturating_sub(tokens);
            }
        }
    }

    /// The first unit that is among the newest.
    pub fn newest_from(&self) -> u32 {
        self.edge
    }

    /// Says that the line of a unit left the window by another stage, with what it saved.
    pub fn lose(&mut self, unit: u32, saved: u64) {
        if let Some(turn) = self.turns.get_mut(unit as usize) {
            turn.line = NONE;
            self.saved = self.saved.saturating_sub(saved);
        }
    }

    /// Takes a unit off those that may be collapsed; whether it was one.
    fn is_due_no_more(&mut self, unit: u32) -> bool {
        let due = self.turns.get_mut(unit as usize).map_or(0, |turn| std::mem::take(&mut turn.due));
        self.saving = self.saving.saturating_sub(due);
        due > 0
    }

    /// Tokens of the turns from one to another, as they came in.
    pub fn tokens_of(&self, first: u32, last: u32) -> u64 {
        let turns = self.turns.get(first as usize..=last as usize).unwrap_or_default();
        turns.iter().map(|turn| turn.tokens).sum()
    }

    /// Says what collapsing a unit would save.
    fn is_due(&mut self, unit: u32, saving: u64) {
        if let Some(turn) = self.turns.get_mut(unit as usize) {
            turn.due = saving;
            self.saving += saving;
        }
    }

    /// Says that the line of a unit stands in the window again.
    pub fn regain(&mut self, unit: u32, line: u32, saved: u64) {
        if let Some(turn) = self.turns.get_mut(unit as usize) {
            turn.line = line;
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
    let anew = sim.collapse.anew.take();
    sim.collapse.oldest = None;
    let newest = if anew.is_some() { look_again(sim) } else { take_in(sim) };
    let (before, id) = (sim.used(), sim.next_event());
    let full = before + sim.collapse.saved;
    let (mut took, mut made, mut evidence) = (EntryIds::new(), EntryIds::new(), Vec::new());
    follow(sim, (newest, anew.unwrap_or(0)), id, (&mut took, &mut made), &mut evidence);
    let (turns, restored) = (took.len(), made.len());
    let at = sim.policy.collapse.at.of(sim.size);
    let least = sim.policy.collapse.min_freed.max(1);
    if full > at && sim.collapse.saving >= least && measured(sim) >= least {
        for unit in std::mem::take(&mut sim.collapse.old) {
            if sim.collapse.is_due_no_more(unit) {
                collapse(sim, unit, id, &mut took, &mut made);
            }
        }
    }
    if made.is_empty() && took.is_empty() {
        return;
    }
    let collapses = made.len() > restored;
    let mut event = sim.event(Stage::Collapse, if collapses { "collapse.at" } else { "collapse.keep" });
    (event.threshold, event.measured) = (Some(at), Some(full));
    let mut back = String::new();
    if !collapses {
        // What comes back is held against no size: it was older than what is kept, and is referred to.
        let keep = sim.policy.collapse.keep;
        let unit = if let Amount::Count(_, unit) = keep { unit } else { Unit::Tokens };
        event.threshold = match keep {
            Amount::Count(count, _) => Some(count),
            Amount::Percent(_) => tokens_of(keep, sim.counted),
        };
        event.measured = sim.collapse.oldest.zip(newest).map(|(oldest, newest)| age(sim, unit, oldest, newest));
        back = format!(", {}{{measured {}}} back,", if turns == 1 { "" } else { "the oldest " }, unit.name());
    }
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    // What was cleared before the turn became a line comes back as it was then.
    let own = made.iter().take(restored).filter_map(|id| sim.pieces.get(id.0 as usize));
    let cleared = match own.filter(|piece| piece.fate == Fate::Cleared).count() {
        0 => String::new(),
        cleared => format!(", but for {} cleared before", number(cleared, "results that were")),
    };
    let again = |turns: usize| match turns {
        1 => format!("a turn that was shown as a line{back} is referred to again: it is shown in full{cleared}."),
        turns => {
            format!(
                "{turns} turns that were shown as lines{back} are referred to again: they are shown in full{cleared}."
            )
        }
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

/// What collapsing would save, as the turns stand now: some of them have been cut or cleared since they grew old.
fn measured(sim: &mut Sim) -> u64 {
    let mut old = std::mem::take(&mut sim.collapse.old);
    old.retain(|unit| {
        let saving = full_size(sim, *unit).saturating_sub(line_tokens(sim, *unit));
        let was = sim.collapse.is_due_no_more(*unit);
        if was && saving > 0 {
            sim.collapse.is_due(*unit, saving);
        }
        was && saving > 0
    });
    sim.collapse.old = old;
    sim.collapse.saving
}

/// Brings the state up to this step: what new turns refer to, turns that are no longer among the newest.
fn follow(
    sim: &mut Sim,
    (newest, known): (Option<u32>, u32),
    id: EventId,
    (took, made): (&mut EntryIds, &mut EntryIds),
    evidence: &mut Vec<Evidence>,
) {
    let plan = sim.plan;
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
        let own = plan.items_of(unit).iter().find(|item| !sim.has_left(**item));
        let Some(first) = own.and_then(|item| plan.items.get(*item as usize)) else {
            sim.collapse.edge += 1;
            continue;
        };
        let older = match limit {
            Some(tokens) => sim.collapse.kept > tokens,
            None => beyond(sim, amount, unit, first, newest, latest),
        };
        if !older && unit >= known {
            break;
        }
        let tokens = sim.collapse.turns.get(unit as usize).map_or(0, |turn| turn.tokens);
        sim.collapse.kept = sim.collapse.kept.saturating_sub(tokens);
        sim.collapse.edge += 1;
        leave(sim, unit);
    }
}

/// Counts what came in. Returns the newest turn of it.
fn take_in(sim: &mut Sim) -> Option<u32> {
    let mut newest = None;
    for at in 0..sim.new.len() {
        let number = sim.new[at];
        let Some((item, piece)) = sim.item(number).zip(sim.pieces.get(number as usize)) else { continue };
        let (unit, tokens) = (item.unit, piece.tokens);
        if item.room == NONE {
            newest = newest.max(Some(unit));
        }
        if let Some(turn) = sim.collapse.turns.get_mut(unit as usize) {
            turn.tokens += tokens;
            if unit >= sim.collapse.edge {
                sim.collapse.kept += tokens;
            }
        }
    }
    newest
}

/// Looks at the history anew, from its beginning: which lines stand, what its turns refer to, how many tokens they came
/// in with. Returns its newest turn.
fn look_again(sim: &mut Sim) -> Option<u32> {
    let plan = sim.plan;
    let own = |item: &&u32| !sim.has_left(**item) && sim.piece_of.get(**item as usize).is_some_and(|own| *own != NONE);
    let size = |item: &u32| sim.piece_of.get(*item as usize).and_then(|own| sim.pieces.get(*own as usize));
    let sizes = (0..index(plan.units.len())).map(|unit| {
        let mut items = plan.items_of(unit).iter().filter(own).peekable();
        items.peek()?;
        Some(items.filter_map(size).map(|piece| piece.tokens).sum::<u64>())
    });
    let sizes: Vec<Option<u64>> = sizes.collect();
    let lines = sim.standing().filter_map(|number| {
        let line = sim.pieces.get(number as usize).filter(|piece| piece.fate == Fate::Collapsed)?;
        let unit = sim.slots.get(line.slot() as usize)?.unit;
        Some((unit, number, line.original.saturating_sub(line.tokens)))
    });
    let lines: Vec<_> = lines.collect();
    let turn = |(touched, size): (u32, &Option<u64>)| Turn { touched, tokens: size.unwrap_or_default(), ..Turn::NEW };
    let mut turns: Vec<Turn> = (0u32..).zip(&sizes).map(turn).collect();
    for (unit, _) in (0..sim.collapse.seen).zip(&sizes).filter(|(_, size)| size.is_some()) {
        let referred = plan.texts.as_ref().map(|texts| texts.referred_by(unit)).unwrap_or_default();
        for found in referred.iter().filter(|found| !sim.has_left(found.by)) {
            if let Some(turn) = turns.get_mut(found.of as usize) {
                turn.touched = turn.touched.max(unit);
            }
        }
    }
    let newest = sizes.iter().rposition(Option::is_some).map(index);
    let state = &mut sim.collapse;
    state.turns = turns;
    state.old.clear();
    (state.edge, state.saving, state.saved, state.kept) = (0, 0, 0, state.turns.iter().map(|turn| turn.tokens).sum());
    lines.into_iter().for_each(|(unit, line, saved)| state.regain(unit, line, saved));
    newest
}

fn beyond(sim: &Sim, amount: Amount, unit: u32, first: &Item, newest: u32, latest: &Item) -> bool {
    match amount {
        Amount::Count(count, Unit::Events | Unit::Results) => {
            let at = |unit: u32| sim.plan.units.get(unit as usize).copied().unwrap_or_default();
            let items = sim.plan.unit_items.get(at(unit).from as usize..at(newest).to as usize).unwrap_or_default();
            let most = usize::try_from(count).unwrap_or(usize::MAX);
            items.len() > most && items.iter().filter(|item| !sim.has_left(**item)).nth(most).is_some()
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
        if sim.has_left(found.by) {
            continue;
        }
        let Some(turn) = sim.collapse.turns.get_mut(found.of as usize) else { continue };
        turn.touched = turn.touched.max(unit);
        let has_line = turn.line != NONE;
        sim.collapse.saving = sim.collapse.saving.saturating_sub(std::mem::take(&mut turn.due));
        if !has_line {
            continue;
        }
        sim.collapse.oldest = Some(sim.collapse.oldest.map_or(found.of, |oldest| oldest.min(found.of)));
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
        if sim.collapse.turns.get(candidate as usize).is_none_or(|turn| turn.touched > unit || turn.line != NONE) {
            continue;
        }
        let saving = full_size(sim, candidate).saturating_sub(line_tokens(sim, candidate));
        if saving > 0 {
            sim.collapse.is_due_no_more(candidate);
            sim.collapse.is_due(candidate, saving);
            sim.collapse.old.push(candidate);
        }
    }
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
    let (size, line) = (full_size(sim, unit), line_of(sim, unit));
    if size <= line.tokens {
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
    piece.content = Content::Made(Made::Text(Cow::Owned(line.text.to_string())).into());
    piece.fate = Fate::Collapsed;
    (piece.tokens, piece.original, piece.made_by) = (line.tokens, size, Some(id));
    took.extend(from.iter().copied());
    piece.from = from;
    let number = sim.put(piece, first);
    made.push(EntryId(number));
    sim.collapse.regain(unit, number, size - line.tokens);
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
