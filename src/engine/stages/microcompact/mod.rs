//! Microcompact, layer 2: stale tool results are cleared without a model, and the reasoning of earlier answers taken
//! out. What is cleared leaves a marker.

mod spared;

use std::borrow::Cow;

use spared::{is_referred, refers, spare, spared, supersede};

use crate::engine::plan::{Item, NONE, Plan};
use crate::engine::simulate::{Content, Label, Sim};
use crate::model::{EntryId, EntryIds, EventId, Fate, Made, Stage, number, thousands};
use crate::policy::{Amount, CollapseOrder, Policy, Unit};

use crate::engine::stages::compact::tokens_of_piece;
use crate::engine::stages::edge::{is_older, tokens_of};
use crate::engine::stages::names::meant;
use crate::engine::stages::summarise;
use crate::engine::stages::thinking;
use crate::engine::stages::truncate;

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

struct Clearable {
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
    results: Vec<Clearable>,
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
    /// Where the history went back since, what stands is looked at anew: items before this one are not among the newest,
    /// and what came up to this step is behind it.
    anew: Option<(u32, u32)>,
    /// How far the plan's references and repeated calls were followed.
    references: usize,
    superseded: usize,
    marker: u64,
    input_marker: u64,
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
            anew: None,
            references: 0,
            superseded: 0,
            marker: if on { plan.tokens_of(&settings.marker) } else { 0 },
            input_marker: if settings.clear_inputs { plan.tokens_of(INPUT_MARKER) } else { 0 },
        }
    }

    /// Forgets all results.
    fn forget(&mut self) {
        for result in self.results.drain(..) {
            if let Some(of) = self.of.get_mut(result.item as usize) {
                *of = NONE;
            }
        }
        self.stale.clear();
        self.spared.clear();
        (self.edge, self.kept, self.freed) = (0, 0, 0);
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

    /// Says that the history went back: what was the newest of it is so no more.
    pub fn look_again(&mut self, from: u32, last: u32) {
        self.anew = Some((from, last));
    }

    /// The first item that is among the newest.
    pub fn newest_from(&self) -> u32 {
        let last = self.results.last().map_or(0, |last| last.item + 1);
        self.results.get(self.edge).map_or(last, |result| result.item)
    }

    /// Spares a stale result.
    fn spare(&mut self, number: u32) {
        let Some(result) = self.results.get_mut(number as usize).filter(|result| result.state == State::Stale) else {
            return;
        };
        result.state = State::Spared;
        self.freed = self.freed.saturating_sub(result.tokens.saturating_sub(self.marker));
        self.spared.push(number);
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
    let (reasoning, answers) = if sim.policy.thinking.clear { thinking::clear(sim, id) } else { (Vec::new(), 0) };
    let cleared = if sim.policy.microcompact.on { clear_results(sim, before, id) } else { None };
    let cleared = cleared.or_else(|| shorten_results(sim, id));
    if cleared.is_none() && reasoning.is_empty() {
        return;
    }
    let mut event = match cleared {
        Some(mut cleared) => {
            let note = match reasoning.len() {
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
    event.took.extend(reasoning.into_iter().map(EntryId));
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
    let (least, could) = (settings.min_freed, sim.microcompact.freed);
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
    // Where any window is large enough, what can be freed decides.
    let by_freed = !boundary && at == 0 && least > 0;
    let (rule, threshold, measured) = match (boundary, by_freed) {
        // A switch has no value that anything is measured against.
        (true, _) => ("microcompact.at_boundary", None, before),
        (false, true) => ("microcompact.min_freed", Some(least), could),
        (false, false) => ("microcompact.at", Some(at), before),
    };
    let mut event = sim.event(Stage::Microcompact, rule);
    (event.threshold, event.measured) = (threshold, Some(measured));
    event.evidence = spared(sim);
    let inputs = match took.len() - results {
        0 => String::new(),
        1 => ", and the arguments of a call".to_owned(),
        calls => format!(", and the arguments of {} calls", thousands(calls as u64)),
    };
    (event.took, event.made) = (took, made);
    let cleared = format!("{} cleared{inputs}", number(results, "stale results were"));
    let mut why = match boundary {
        _ if by_freed => format!("{{measured tokens}} could be freed, {{threshold}} or more: {cleared}"),
        false => format!("The window held {{measured tokens}}, {{threshold}} or more: {cleared}"),
        true if comes_before_summary(sim, &[]) => format!("A summary is due: {cleared} before it"),
        true => format!("A summary was due: {cleared}, which made it needless"),
    };
    if !event.evidence.is_empty() {
        why.push_str("; {spared results} that later answers or calls refer to stayed");
    }
    let still = referred.iter().filter_map(|(piece, item)| refers(sim, *piece, *item, false));
    event.evidence.extend(still.take(TOLD));
    match (&sim.plan.texts, referred.len()) {
        (None, _) => {}
        (Some(_), 0) => why.push_str(
            "; no later answer or call of the model repeats a name, path or number of what was cleared; what the user \
             wrote later was not looked at",
        ),
        (Some(_), number) => why.push_str(&format!("; later answers or calls refer to {number} of them all the same")),
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

/// Brings the state up to this step: new results, older ones that leave the newest, references, repeated calls.
fn follow(sim: &mut Sim) {
    let settings = &sim.policy.microcompact;
    let mut come = std::mem::take(&mut sim.microcompact.returned);
    let anew = sim.microcompact.anew.take();
    if anew.is_some() {
        sim.microcompact.forget();
        come.clear();
        come.extend(sim.standing());
    } else {
        come.extend(&sim.new);
    }
    for number in &come {
        let Some(piece) = sim.pieces.get(*number as usize) else { continue };
        let Some(item) = sim.plan.items.get(piece.item as usize) else { continue };
        let may = item.is_result() && sim.microcompact.may.get(item.tool as usize).copied().unwrap_or(false);
        // What was cleared counts among the newest as it did when it came in.
        let cleared = piece.fate == Fate::Cleared;
        if !may || (cleared && anew.is_none()) {
            continue;
        }
        let state = &mut sim.microcompact;
        if let Some(of) = state.of.get_mut(piece.item as usize) {
            *of = crate::engine::plan::index(state.results.len());
        }
        let whole = matches!(piece.content, Content::Item);
        let tokens = if settings.estimate && whole && item.chars > 0 { item.chars / 4 } else { piece.tokens };
        let (tokens, now) = if cleared { (0, State::Gone) } else { (tokens, State::Kept) };
        state.kept += tokens;
        state.results.push(Clearable { piece: *number, item: piece.item, tokens, state: now, superseded: false });
    }
    let Some(newest) = sim.plan.items.get(newest_item(sim, &come) as usize) else { return };
    if let Some((_, last)) = anew {
        sim.microcompact.superseded = 0;
        supersede(sim, last, true);
    }
    let history = sim.counted;
    loop {
        let state = &sim.microcompact;
        let Some(result) = state.results.get(state.edge) else { break };
        let Some(item) = sim.plan.items.get(result.item as usize) else { break };
        let number = state.results.len() - state.edge;
        let known = anew.is_some_and(|(from, _)| result.item < from);
        if !known
            && (!leaves(settings.keep, item, newest, number as u64, state.kept, history)
                || !is_older(Amount::Count(settings.keep_turns, Unit::Turns), item, newest))
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
    supersede(sim, sim.step, anew.is_some());
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

/// The newest item that has come in, behind all others.
fn newest_item(sim: &Sim, come: &[u32]) -> u32 {
    come.iter()
        .rev()
        .filter_map(|piece| sim.pieces.get(*piece as usize))
        .map(|piece| piece.item)
        .find(|item| sim.plan.items.get(*item as usize).is_some_and(|item| item.room == NONE))
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
    piece.estimated = sim.plan.factor != 1.0;
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
