//! Microcompact, layer 2: stale tool results are cleared without a model, and the reasoning of earlier answers taken
//! out. What is cleared leaves a marker.

use std::borrow::Cow;

use crate::engine::plan::{Item, NONE, Plan};
use crate::engine::simulate::{Content, Label, Sim};
use crate::model::{
    BlockId, BlockKind, EntryId, EntryIds, EventId, Evidence, Fate, Layer, Made, Stage, number, thousands,
};
use crate::policy::{Amount, CollapseOrder, Policy, Unit};
use crate::tokens;

use super::compact::tokens_of_piece;
use super::edge::{is_older, tokens_of};
use super::names::meant;
use super::summarise;
use super::truncate;

/// What became of a result that may be cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is among the newest.
    Kept,
    /// It may be cleared.
    Stale,
    /// A later answer refers to it.
    Spared,
    /// It is gone from the window, or cleared.
    Gone,
}

struct Result {
    piece: u32,
    item: u32,
    /// As the settings measure it.
    tokens: u64,
    state: State,
    /// Whether a later call has answered it anew.
    superseded: bool,
}

/// Which results may be cleared, kept up from step to step.
pub(in crate::engine) struct MicrocompactState {
    may: Vec<bool>,
    results: Vec<Result>,
    /// Per item, its number among the results.
    of: Vec<u32>,
    /// The first that is among the newest, and the tokens from there on.
    edge: usize,
    kept: u64,
    /// Those that may be cleared, some of them gone by now, and what that would free.
    stale: Vec<u32>,
    freed: u64,
    /// Those that were spared since something was last cleared.
    spared: Vec<u32>,
    /// Pieces that came back into the window after they had been collapsed.
    returned: Vec<u32>,
    /// How far the plan's references and repeated calls were followed.
    references: usize,
    superseded: usize,
    marker: u64,
    input_marker: u64,
    /// Answers with reasoning: pieces by round, oldest first.
    thinking: std::collections::VecDeque<(u32, u32)>,
    rounds: std::collections::VecDeque<u32>,
}

/// Results of which an event tells that they were cleared though later messages refer to them.
const TOLD: usize = 20;
/// What stands for the arguments of a cleared call.
const INPUT_MARKER: &str = "[arguments cleared]";

impl MicrocompactState {
    pub fn new(plan: &Plan, policy: &Policy) -> Self {
        let settings = &policy.microcompact;
        let excluded = meant(plan, &settings.exclude_tools, false);
        let may = meant(plan, &settings.tools, true).into_iter().zip(excluded).map(|(may, not)| may && !not).collect();
        let on = settings.on;
        MicrocompactState {
            may,
            results: Vec::new(),
            of: if on { vec![NONE; plan.items.len()] } else { Vec::new() },
            edge: 0,
            kept: 0,
            stale: Vec::new(),
            freed: 0,
            spared: Vec::new(),
            returned: Vec::new(),
            references: 0,
            superseded: 0,
            marker: if on { tokens::count(&settings.marker, plan.encoding) } else { 0 },
            input_marker: if settings.clear_inputs { tokens::count(INPUT_MARKER, plan.encoding) } else { 0 },
            thinking: std::collections::VecDeque::new(),
            rounds: std::collections::VecDeque::new(),
        }
    }

    /// Says that an item has left the window by another stage.
    pub fn lose(&mut self, item: u32) {
        let number = self.of.get(item as usize).copied().unwrap_or(NONE) as usize;
        let Some(result) = self.results.get_mut(number) else { return };
        match result.state {
            State::Kept if number >= self.edge => self.kept = self.kept.saturating_sub(result.tokens),
            State::Stale => self.freed = self.freed.saturating_sub(result.tokens.saturating_sub(self.marker)),
            State::Kept | State::Spared | State::Gone => {}
        }
        result.state = State::Gone;
    }

    /// Says that another piece stands for an item now, of fewer tokens.
    fn shorten(&mut self, item: u32, piece: u32, tokens: u64) {
        let number = self.of.get(item as usize).copied().unwrap_or(NONE) as usize;
        let Some(result) = self.results.get_mut(number) else { return };
        let less = result.tokens.saturating_sub(tokens);
        match result.state {
            State::Kept if number >= self.edge => self.kept = self.kept.saturating_sub(less),
            State::Stale => self.freed = self.freed.saturating_sub(less),
            State::Kept | State::Spared | State::Gone => {}
        }
        (result.piece, result.tokens) = (piece, tokens);
    }

    /// Says that a piece is in the window again.
    pub fn regain(&mut self, piece: u32) {
        if !self.of.is_empty() {
            self.returned.push(piece);
        }
    }
}

pub(super) fn run(sim: &mut Sim) {
    let (before, id) = (sim.used(), sim.next_event());
    // What a summary is due by is measured without that reasoning.
    let (thinking, answers) = if sim.policy.thinking.clear { clear_thinking(sim, id) } else { (Vec::new(), 0) };
    let cleared = if sim.policy.microcompact.on { clear_results(sim, before, id) } else { None };
    let cleared = cleared.or_else(|| shorten_results(sim, id));
    if cleared.is_none() && thinking.is_empty() {
        return;
    }
    let mut event = match cleared {
        Some(mut cleared) => {
            let note = match thinking.len() {
                0 => String::new(),
                1 => "; a piece of older reasoning was taken out".to_owned(),
                gone => format!("; {} pieces of older reasoning were taken out", thousands(gone as u64)),
            };
            cleared.why = Cow::Owned(format!("{}{note}.", cleared.why.trim_end_matches('.')));
            cleared
        }
        None => {
            let mut event = sim.event(Stage::Microcompact, "thinking.keep_turns");
            event.threshold = Some(sim.policy.thinking.keep_turns);
            event.measured = Some(answers as u64);
            event.why = Cow::Borrowed("Reasoning before the newest {threshold answers} with reasoning was taken out.");
            event
        }
    };
    event.took.extend(thinking.into_iter().map(EntryId));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    sim.events.push(event);
    sim.changed = true;
}

/// Whether a summary would be made of the window at this step if pieces had these sizes: what is done just before one
/// is done before no other. A stage in between may still make it needless.
fn comes_before_summary(sim: &mut Sim, sizes: &[(u32, u64, i64)]) -> bool {
    sim.as_if(sizes, summarise::is_sure)
}

fn clear_results(sim: &mut Sim, before: u64, id: EventId) -> Option<crate::model::Event> {
    follow(sim);
    let settings = &sim.policy.microcompact;
    let at = settings.at.of(sim.size);
    if sim.microcompact.freed < settings.min_freed.max(1) {
        return None;
    }
    let boundary = before < at;
    if boundary && !(settings.at_boundary && comes_before_summary(sim, &[])) {
        return None;
    }
    let stale = std::mem::take(&mut sim.microcompact.stale);
    let (mut took, mut made, mut referred) = (EntryIds::new(), EntryIds::new(), Vec::new());
    let (mut results, mut superseded) = (0, 0);
    sim.microcompact.freed = 0;
    for number in stale {
        let Some(result) = sim.microcompact.results.get_mut(number as usize) else { continue };
        if result.state != State::Stale {
            continue;
        }
        result.state = State::Gone;
        let (piece, item, anew) = (result.piece, result.item, result.superseded);
        if !sim.standing_at(piece) {
            continue;
        }
        if clear(sim, piece, false, id, &mut took, &mut made) {
            results += 1;
            superseded += u32::from(anew);
            if is_referred(sim, item) {
                referred.push((piece, item));
            }
        }
        let call = sim.plan.items.get(item as usize).map_or(NONE, |item| item.call);
        let call = sim.standing_for(call);
        if settings.clear_inputs && call != NONE {
            clear(sim, call, true, id, &mut took, &mut made);
        }
    }
    if took.is_empty() {
        return None;
    }
    let mut event =
        sim.event(Stage::Microcompact, if boundary { "microcompact.at_boundary" } else { "microcompact.at" });
    // A switch has no value that anything is measured against.
    (event.threshold, event.measured) = (Some(at).filter(|_| !boundary), Some(before));
    event.evidence = spared(sim);
    let inputs = match took.len() - results {
        0 => String::new(),
        1 => ", and the arguments of a call".to_owned(),
        calls => format!(", and the arguments of {} calls", thousands(calls as u64)),
    };
    (event.took, event.made) = (took, made);
    let cleared = format!("{} cleared{inputs}", number(results, "stale results were"));
    let mut why = match boundary {
        false => format!("The window held {{measured tokens}}, {{threshold}} or more: {cleared}"),
        true if comes_before_summary(sim, &[]) => format!("A summary is due: {cleared} before it"),
        true => format!("A summary was due: {cleared}, which made it needless"),
    };
    if !event.evidence.is_empty() {
        why.push_str("; {spared results} that later messages refer to stayed");
    }
    let still = referred.iter().filter_map(|(piece, item)| refers(sim, *piece, *item, false));
    event.evidence.extend(still.take(TOLD));
    match (&sim.plan.texts, referred.len()) {
        (None, _) => {}
        (Some(_), 0) => why.push_str("; no later message refers to what was cleared"),
        (Some(_), number) => why.push_str(&format!("; later messages refer to {number} of them all the same")),
    }
    if superseded > 0 {
        why.push_str(&format!("; a later call answered {superseded} of them anew"));
    }
    why.push('.');
    event.why = Cow::Owned(why);
    Some(event)
}

/// Cuts results just before a summary is made, where nothing was cleared: the newest stay as they are as long as all
/// fit together. Nothing is cut where no summary would be made of what is left.
fn shorten_results(sim: &mut Sim, id: EventId) -> Option<crate::model::Event> {
    let settings = &sim.policy.microcompact;
    let most = settings.boundary_total.of(sim.size);
    // Turns that are folded in between could make the summary needless.
    let folds = sim.policy.collapse.on && sim.policy.collapse.order == CollapseOrder::Early;
    if !settings.on || most == 0 || folds || summarise::is_due(sim).is_none() {
        return None;
    }
    let may = |piece: &u32| {
        let item = sim.item(*piece).filter(|item| item.is_result() && item.chars > 0);
        let own = |item: &Item| sim.microcompact.may.get(item.tool as usize).copied().unwrap_or(false);
        item.is_some_and(|item| own(item) && truncate::may_cut(sim, item.tool))
    };
    let results: Vec<u32> = sim.standing().filter(may).collect();
    let (mut all, mut left, mut sizes) = (0, 0, Vec::new());
    for number in results.into_iter().rev() {
        let tokens = tokens_of_piece(sim, number);
        all += tokens;
        let cut = if left + tokens > most { truncate::size_cut(sim, number) } else { None };
        left += cut.map_or(tokens, |(tokens, _)| tokens);
        sizes.extend(cut.map(|(tokens, extra)| (number, tokens, extra)));
    }
    if sizes.is_empty() || !comes_before_summary(sim, &sizes) {
        return None;
    }
    // The newest is cut first: it has the first of the files.
    let cut = |(number, ..): (u32, u64, i64)| truncate::cut_again(sim, number, id).map(|made| (number, made));
    let cut: Vec<(u32, u32)> = sizes.into_iter().filter_map(cut).collect();
    let mut event = sim.event(Stage::Microcompact, "microcompact.boundary_total");
    (event.threshold, event.measured) = (Some(most), Some(all));
    for (old, new) in cut.into_iter().rev() {
        event.took.push(EntryId(old));
        event.made.push(EntryId(new));
        if let Some(piece) = sim.pieces.get(new as usize) {
            sim.microcompact.shorten(piece.item, new, piece.tokens);
        }
    }
    event.why = Cow::Borrowed(
        "A summary is about to be made of {measured tokens} of results, over {threshold}: {made older results were} cut short first.",
    );
    Some(event)
}

/// Whether an answer that has come in by now refers to an item.
fn is_referred(sim: &Sim, item: u32) -> bool {
    let first = sim.plan.texts.as_ref().and_then(|texts| texts.first_reference(item));
    first.is_some_and(|found| found.step <= sim.step)
}

/// Brings the state up to this step: new results, older ones that leave the newest, references, repeated calls.
fn follow(sim: &mut Sim) {
    let settings = &sim.policy.microcompact;
    let returned = std::mem::take(&mut sim.microcompact.returned);
    for number in returned.iter().chain(&sim.new) {
        let Some(piece) = sim.pieces.get(*number as usize) else { continue };
        let Some(item) = sim.plan.items.get(piece.item as usize) else { continue };
        let may = item.is_result() && sim.microcompact.may.get(item.tool as usize).copied().unwrap_or(false);
        if !may || piece.fate == Fate::Cleared {
            continue;
        }
        let state = &mut sim.microcompact;
        if let Some(of) = state.of.get_mut(piece.item as usize) {
            *of = crate::engine::plan::index(state.results.len());
        }
        let whole = matches!(piece.content, Content::Item);
        let tokens = if settings.estimate && whole && item.chars > 0 { item.chars / 4 } else { piece.tokens };
        state.kept += tokens;
        state.results.push(Result { piece: *number, item: piece.item, tokens, state: State::Kept, superseded: false });
    }
    let Some(newest) = sim.plan.items.get(newest_item(sim) as usize) else { return };
    let history = sim.counted;
    loop {
        let state = &sim.microcompact;
        let Some(result) = state.results.get(state.edge) else { break };
        let Some(item) = sim.plan.items.get(result.item as usize) else { break };
        let number = state.results.len() - state.edge;
        if !leaves(settings.keep, item, newest, number as u64, state.kept, history)
            || !is_older(Amount::Count(settings.keep_turns, Unit::Turns), item, newest)
        {
            break;
        }
        let (tokens, at) = (result.tokens, state.edge);
        if result.state == State::Kept {
            sim.microcompact.kept = sim.microcompact.kept.saturating_sub(tokens);
        }
        sim.microcompact.edge += 1;
        make_stale(sim, at, State::Kept);
    }
    let step = sim.step;
    while settings.superseded
        && let Some((at, item)) = sim.plan.superseded.get(sim.microcompact.superseded).copied()
        && at <= step
    {
        sim.microcompact.superseded += 1;
        let number = sim.microcompact.of.get(item as usize).copied().unwrap_or(NONE) as usize;
        let result = sim.microcompact.results.get_mut(number);
        let state = result.map(|result| {
            result.superseded = true;
            result.state
        });
        if let Some(state @ (State::Kept | State::Spared)) = state {
            if state == State::Kept {
                let tokens = sim.microcompact.results.get(number).map_or(0, |result| result.tokens);
                sim.microcompact.kept = sim.microcompact.kept.saturating_sub(tokens);
            }
            make_stale(sim, number, state);
        }
    }
    if settings.spare_referenced {
        spare(sim);
    }
}

/// Whether a result no longer is among the newest that are kept.
fn leaves(keep: Amount, item: &Item, newest: &Item, number: u64, kept: u64, history: u64) -> bool {
    match keep {
        Amount::Count(count, Unit::Results | Unit::Events) => number > count,
        _ => match tokens_of(keep, history) {
            Some(tokens) => kept > tokens,
            None => is_older(keep, item, newest),
        },
    }
}

/// The newest item that has come in.
fn newest_item(sim: &Sim) -> u32 {
    sim.new
        .iter()
        .rev()
        .filter_map(|piece| sim.pieces.get(*piece as usize))
        .map(|piece| piece.item)
        .find(|item| *item != NONE)
        .or_else(|| sim.microcompact.results.last().map(|result| result.item))
        .unwrap_or(NONE)
}

fn make_stale(sim: &mut Sim, at: usize, from: State) {
    let settings = &sim.policy.microcompact;
    let Some(item) = sim.microcompact.results.get(at).map(|result| result.item) else { return };
    let referred = is_referred(sim, item);
    let Some(result) = sim.microcompact.results.get_mut(at).filter(|result| result.state == from) else { return };
    let superseded = from == State::Spared || at >= sim.microcompact.edge;
    if settings.spare_referenced && !superseded && referred {
        result.state = State::Spared;
        sim.microcompact.spared.push(crate::engine::plan::index(at));
        return;
    }
    result.state = State::Stale;
    sim.microcompact.freed += result.tokens.saturating_sub(sim.microcompact.marker);
    sim.microcompact.stale.push(crate::engine::plan::index(at));
}

/// Results that an answer refers to for the first time at this step are spared from now on.
fn spare(sim: &mut Sim) {
    let Some(texts) = &sim.plan.texts else {
        sim.provisional = true;
        return;
    };
    while let Some(reference) = texts.references.get(sim.microcompact.references)
        && reference.step <= sim.step
    {
        sim.microcompact.references += 1;
        let number = sim.microcompact.of.get(reference.of as usize).copied().unwrap_or(NONE);
        let marker = sim.microcompact.marker;
        let Some(result) = sim.microcompact.results.get_mut(number as usize) else { continue };
        if result.state == State::Stale {
            result.state = State::Spared;
            let tokens = result.tokens.saturating_sub(marker);
            sim.microcompact.freed = sim.microcompact.freed.saturating_sub(tokens);
            sim.microcompact.spared.push(number);
        }
    }
}

/// Which results were spared since something was last cleared, and why.
fn spared(sim: &mut Sim) -> Vec<Evidence> {
    let spared = std::mem::take(&mut sim.microcompact.spared);
    let results = spared.into_iter().filter_map(|number| sim.microcompact.results.get(number as usize));
    let stand = results.filter(|result| sim.standing_at(result.piece));
    stand.filter_map(|result| refers(sim, result.piece, result.item, true)).collect()
}

/// Who refers to an item first.
fn refers(sim: &Sim, piece: u32, item: u32, spared: bool) -> Option<Evidence> {
    let reference = sim.plan.texts.as_ref()?.first_reference(item)?;
    let by = sim.plan.items.get(reference.by as usize).map_or(BlockId(0), |item| item.block);
    let term = (u64::from(reference.term.0), u64::from(reference.term.1));
    Some(Evidence { entry: EntryId(piece), by, term, word: reference.word.clone(), spared })
}

/// Puts a marker in the place of a result, or of a call's arguments; false where that would be no shorter.
fn clear(sim: &mut Sim, number: u32, input: bool, id: EventId, took: &mut EntryIds, made: &mut EntryIds) -> bool {
    let Some(old) = sim.pieces.get(number as usize) else { return false };
    let marker = if input { sim.microcompact.input_marker } else { sim.microcompact.marker };
    if old.tokens <= marker {
        return false;
    }
    let mut piece = sim.make(old.layer, old.role, Label::Item(old.item));
    piece.fate = Fate::Cleared;
    piece.item = old.item;
    piece.tokens = marker;
    piece.original = old.original;
    piece.estimated = false;
    piece.content = Content::Made(
        Made::Text(if input {
            Cow::Borrowed(INPUT_MARKER)
        } else {
            Cow::Owned(sim.policy.microcompact.marker.clone())
        })
        .into(),
    );
    let new = sim.replace(number, piece, id);
    took.push(EntryId(number));
    made.push(EntryId(new));
    true
}

/// Takes out reasoning of all but the newest answers that have any. Returns the pieces, and how many answers had some.
fn clear_thinking(sim: &mut Sim, id: EventId) -> (Vec<u32>, usize) {
    for number in &sim.new {
        let Some(item) = sim.item(*number) else { continue };
        if item.layer == Layer::Thinking || item.kind == BlockKind::Thinking {
            if sim.microcompact.rounds.back() != Some(&item.round) {
                sim.microcompact.rounds.push_back(item.round);
            }
            sim.microcompact.thinking.push_back((item.round, *number));
        }
    }
    let keep = usize::try_from(sim.policy.thinking.keep_turns).unwrap_or(usize::MAX);
    let answers = sim.microcompact.rounds.len();
    while sim.microcompact.rounds.len() > keep {
        sim.microcompact.rounds.pop_front();
    }
    let oldest = sim.microcompact.rounds.front().copied().unwrap_or(NONE);
    let mut gone = Vec::new();
    while sim.microcompact.thinking.front().is_some_and(|(round, _)| *round < oldest) {
        let Some((_, number)) = sim.microcompact.thinking.pop_front() else { break };
        if sim.standing_at(number) {
            sim.hide(number, Some(id));
            gone.push(number);
        }
    }
    (gone, answers)
}
