//! Admit: what is new since the last request comes in; caps on tools.

use std::borrow::Cow;

use smallvec::smallvec;

use crate::content::steers_terminal;
use crate::engine::simulate::{Label, Names, Piece, Sim};
use crate::model::{BlockKind, EntryId, EntryIds, Event, Fate, Layer, SentCut, Stage, rules, thousands};

use super::summarise::with_note;

/// What an agent did to texts before it sent them, as the recorded track calls it; and how that is said of some.
const TAKEN_OVER: &[(Fate, &str, &str)] = &[
    (Fate::Truncated, rules::TRUNCATED, "the agent had cut {} of them before sending"),
    (Fate::Virtual, rules::PERSISTED_OUTPUT, "of {} of them it sent a preview and wrote the whole to a file"),
];

pub(super) fn run(sim: &mut Sim) {
    let (made, before) = went_back(sim);
    if made.is_empty() {
        return;
    }
    // Most is what it was when it was sent, and nothing is to be said of it.
    let is_plain = made.iter().filter_map(|id| sim.item(id.0)).all(|item| item.fate == Fate::Verbatim && !item.whole);
    let sent_cut = if is_plain { Vec::new() } else { taken_over(sim, &made) };
    tool_definitions(sim);
    tool_calls(sim);
    let after = decided(sim);
    let originals = if is_plain { None } else { originals(sim, &made) };
    let mut event = sim.event(Stage::Admit, if originals.is_some() { "replay.originals" } else { rules::SENT });
    event.made = made;
    event.measured = Some(after.saturating_sub(before));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(after));
    let note: String = originals.into_iter().chain(sent_cut.iter().map(said)).collect();
    event.why = with_note(&note, "{made pieces} came in since the last request: {measured tokens}.");
    event.sent_cut = sent_cut;
    let first = first_of_step(sim);
    match sim.events[first..].iter_mut().find(|event| event.stage == Stage::Admit) {
        Some(place) => *place = event,
        None => sim.events.push(event),
    }
}

/// As a clause, how much larger what came in is where an original stands for what the agent had cut.
fn originals(sim: &Sim, came: &EntryIds) -> Option<String> {
    let items = came.iter().filter_map(|id| sim.item(id.0)).filter(|item| item.whole);
    let (number, whole, sent) =
        items.fold((0, 0, 0), |(number, whole, sent), item| (number + 1, whole + item.tokens, sent + item.sent));
    (number > 0).then(|| {
        let [number, whole, sent] = [number, whole, sent].map(thousands);
        format!("; of {number} of them the original stands in place of what was sent: {whole} tokens instead of {sent}")
    })
}

/// What of that which came in the agent itself had cut before it sent it. It came in as it was sent: no tokens leave the
/// window by it.
fn taken_over(sim: &Sim, came: &EntryIds) -> Vec<SentCut> {
    let mut found = Vec::new();
    for (fate, rule, _) in TAKEN_OVER {
        let cut = |id: &&EntryId| sim.item(id.0).is_some_and(|item| item.fate == *fate) && sim.standing_at(id.0);
        let entries: EntryIds = came.iter().filter(cut).copied().collect();
        if entries.is_empty() {
            continue;
        }
        let pieces = || entries.iter().filter_map(|id| sim.pieces.get(id.0 as usize));
        let sent = pieces().map(|piece| piece.tokens).collect();
        // Where nothing says how long it was, nobody knows what was cut.
        let measured = pieces().filter(|piece| piece.original > piece.tokens).map(|piece| piece.original).max();
        found.push(SentCut { rule, entries, sent, measured });
    }
    found
}

/// The same as a clause.
fn said(cut: &SentCut) -> String {
    let words = TAKEN_OVER.iter().find(|(_, rule, _)| *rule == cut.rule).map_or("", |(.., words)| words);
    format!("; {}", words.replace("{}", &thousands(cut.entries.len() as u64)))
}

/// Where the events of this step begin.
fn first_of_step(sim: &Sim) -> usize {
    sim.events.iter().rposition(|event| event.step != sim.step).map_or(0, |at| at + 1)
}

/// What was decided of what came in comes behind its coming in, each decision after the one before. Returns the tokens
/// that the window would hold without.
fn decided(sim: &mut Sim) -> u64 {
    let (first, mut at) = (first_of_step(sim), sim.used());
    for number in (first..sim.events.len()).rev() {
        let Some(event) = sim.events.get_mut(number).filter(|event| event.stage.cuts_in_place()) else { continue };
        for one in event.decisions_mut().iter_mut().rev() {
            let pieces = one.made.iter().filter_map(|id| sim.pieces.get(id.0 as usize));
            let cut: u64 = match (one.tokens_before, one.tokens_after) {
                (Some(before), Some(after)) => before.saturating_sub(after),
                // Passages say nothing of what was not chosen.
                (Some(whole), None) => whole.saturating_sub(pieces.map(|piece| piece.tokens).sum()),
                _ => pieces.map(|piece| piece.original.saturating_sub(piece.tokens)).sum(),
            };
            (one.tokens_before, one.tokens_after) = (Some(at + cut), Some(at));
            at += cut;
        }
        if sim.events.get(number).is_some_and(|event| !event.each.is_empty()) {
            tell_each(sim, number);
        }
    }
    at
}

/// Has an event tell of each of its decisions, by the names of what came in.
fn tell_each(sim: &mut Sim, number: usize) {
    let Some(event) = sim.events.get_mut(number) else { return };
    let mut event = std::mem::replace(event, Event::new(event.step, event.stage, ""));
    let names = Names::of(sim.plan, sim.given);
    event.tell_each(|one| {
        let piece = one.made.first().and_then(|id| sim.pieces.get(id.0 as usize));
        let name = piece.filter(|piece| matches!(piece.label, Label::Given(_))).map(|piece| names.of_piece(piece));
        let name = name.map(|name| name.chars().filter(|sign| !steers_terminal(*sign)).collect::<String>());
        // Passages are named by their place in a file, of which their sentence tells.
        name.filter(|_| one.stage != Stage::Select).unwrap_or_default()
    });
    if let Some(place) = sim.events.get_mut(number) {
        *place = event;
    }
}

/// What came in at this step and not by a history that went back, and the tokens before it. Where the history went
/// back, it did so first: what came in before it and left again was never sent. So the figures are those of a chain.
fn went_back(sim: &mut Sim) -> (EntryIds, u64) {
    let first = first_of_step(sim);
    let own = sim.events.get(first..).unwrap_or_default();
    if own.iter().all(|event| !event.stage.is_history()) {
        return (sim.new.iter().map(|piece| EntryId(*piece)).collect(), sim.before);
    }
    let again: EntryIds =
        own.iter().filter(|event| event.stage.is_history()).flat_map(|event| event.made.iter().copied()).collect();
    // Of what stood already, the request before the branch was the last that did not hold it.
    let stood = |id: &EntryId| sim.pieces.get(id.0 as usize).is_some_and(|piece| piece.life.born < sim.step);
    let come = sim.new.iter().map(|piece| EntryId(*piece));
    let made: EntryIds = come.filter(|id| !stood(id) && !again.contains(id)).collect();
    let pieces = made.iter().filter_map(|id| sim.pieces.get(id.0 as usize));
    let came = u64::try_from(pieces.map(Piece::size).fold(0, i64::saturating_add)).unwrap_or(0);
    let mut at = sim.before;
    let left = sim.used().saturating_sub(came);
    for event in sim.events[first..].iter_mut().filter(|event| event.stage.is_history()) {
        (event.tokens_before, event.tokens_after) = (Some(at), Some(left));
        at = left;
    }
    (made, left)
}

/// Definitions beyond the cap are not sent.
fn tool_definitions(sim: &mut Sim) {
    let cap = sim.policy.limits.tool_definitions;
    if cap == 0 || sim.layers[Layer::Tools as usize] <= cap {
        return;
    }
    sim.announce();
    let id = sim.decision(Stage::Limit).unwrap_or_else(|| sim.next_event());
    let (before, measured) = (sim.used(), sim.layers[Layer::Tools as usize]);
    let mut took = EntryIds::new();
    for number in sim.new.clone().into_iter().rev() {
        let tools = sim.pieces.get(number as usize).is_some_and(|piece| piece.layer == Layer::Tools);
        if tools && sim.layers[Layer::Tools as usize] > cap {
            sim.hide(number, Some(id));
            took.push(EntryId(number));
        }
    }
    if took.is_empty() {
        return;
    }
    let mut event = sim.event(Stage::Limit, "limits.tool_definitions");
    (event.threshold, event.measured) = (Some(cap), Some(measured));
    (event.tokens_before, event.tokens_after) = (Some(before), Some(sim.used()));
    sim.new.retain(|piece| !took.contains(&EntryId(*piece)));
    event.took = took;
    event.why = Cow::Borrowed(
        "The definitions of tools were {measured tokens}, over {threshold}: {took definitions are} not sent.",
    );
    sim.decide(event);
}

/// Says where a cap on tool calls would have stopped the agent; a replay goes on.
fn tool_calls(sim: &mut Sim) {
    let cap = sim.policy.limits.tool_calls;
    if cap == 0 {
        return;
    }
    let mut struck = None;
    for number in sim.new.clone() {
        let Some(item) = sim.item(number) else { continue };
        sim.summarise.tally.calls(item);
        if item.kind == BlockKind::ToolCall && sim.summarise.tally.calls == cap + 1 {
            struck = Some(number);
        }
    }
    let Some(number) = struck else { return };
    sim.announce();
    let mut event = sim.event(Stage::Limit, "limits.tool_calls");
    (event.threshold, event.measured) = (Some(cap), Some(cap + 1));
    (event.tokens_before, event.tokens_after) = (Some(sim.used()), Some(sim.used()));
    event.took = smallvec![EntryId(number)];
    event.why = Cow::Borrowed(
        "The task made {measured tool calls}, over {threshold}: the agent would have been stopped at this one.",
    );
    sim.decide(event);
}
