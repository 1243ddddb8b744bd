//! Which results later answers refer to, and which a later call answers anew. What a branch that was left says of them
//! counts no more.

use super::{State, make_stale};
use crate::engine::plan::{NONE, Reference};
use crate::engine::simulate::Sim;
use crate::model::{BlockId, EntryId, Evidence};

/// Whether an answer that has come in by now refers to an item.
pub(super) fn is_referred(sim: &Sim, item: u32) -> bool {
    first_reference(sim, item).is_some_and(|found| found.step <= sim.step)
}

/// The first answer of this history that refers to an item.
pub(super) fn first_reference<'a>(sim: &Sim<'a>, item: u32) -> Option<&'a Reference> {
    sim.plan.texts.as_ref()?.references_to(item).find(|found| !sim.has_left(found.by))
}

/// Takes in which results were answered anew up to a step. Where all is looked at anew, an answer may have referred to one
/// of them since.
pub(super) fn supersede(sim: &mut Sim, until: u32, anew: bool) {
    let settings = &sim.policy.microcompact;
    while settings.superseded
        && let Some(again) = sim.plan.superseded.get(sim.microcompact.superseded).copied()
        && again.step <= until
    {
        sim.microcompact.superseded += 1;
        let number = sim.microcompact.of.get(again.of as usize).copied().unwrap_or(NONE);
        let left = sim.has_left(again.by);
        let Some(result) = sim.microcompact.results.get_mut(number as usize).filter(|_| !left) else { continue };
        result.superseded = true;
        let (state, tokens) = (result.state, result.tokens);
        if state == State::Kept {
            sim.microcompact.kept = sim.microcompact.kept.saturating_sub(tokens);
        }
        if matches!(state, State::Kept | State::Spared) {
            make_stale(sim, number as usize, state);
        }
        let is_since = |found: &Reference| again.step <= found.step && found.step <= sim.step;
        if anew && settings.spare_referenced && first_reference(sim, again.of).is_some_and(is_since) {
            sim.microcompact.spare(number);
        }
    }
}

/// Results that an answer refers to for the first time at this step are spared from now on.
pub(super) fn spare(sim: &mut Sim) {
    let Some(texts) = &sim.plan.texts else {
        sim.provisional = true;
        return;
    };
    while let Some(reference) = texts.references.get(sim.microcompact.references)
        && reference.step <= sim.step
    {
        sim.microcompact.references += 1;
        let number = sim.microcompact.of.get(reference.of as usize).copied().unwrap_or(NONE);
        if !sim.has_left(reference.by) {
            sim.microcompact.spare(number);
        }
    }
}

/// Which results were spared since something was last cleared, and why.
pub(super) fn spared(sim: &mut Sim) -> Vec<Evidence> {
    let spared = std::mem::take(&mut sim.microcompact.spared);
    let results = spared.into_iter().filter_map(|number| sim.microcompact.results.get(number as usize));
    let stand = results.filter(|result| sim.standing_at(result.piece));
    stand.filter_map(|result| refers(sim, result.piece, result.item, true)).collect()
}

/// Who refers to an item first.
pub(super) fn refers(sim: &Sim, piece: u32, item: u32, spared: bool) -> Option<Evidence> {
    let reference = first_reference(sim, item)?;
    let by = sim.plan.items.get(reference.by as usize).map_or(BlockId(0), |item| item.block);
    let term = (u64::from(reference.term.0), u64::from(reference.term.1));
    Some(Evidence { entry: EntryId(piece), by, term, word: reference.word.clone(), spared })
}
