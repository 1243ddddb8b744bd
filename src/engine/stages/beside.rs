//! What the first report after the agent's own compaction tells of all that stood beside its summary.

use rustc_hash::FxHashSet;

use crate::engine::plan::NONE;
use crate::engine::simulate::{Piece, Sim};
use crate::model::Layer;

use super::compact::{is_history, layer_of, tokens_of_piece};
use super::returns::is_loaded_skill;
use super::truncate::share_of;

/// Where the agent's own compaction is replayed, its first report tells how much came back with the summary, the parts
/// that no record holds included: what this differs by from what was put back here goes with the summary. What a policy
/// keeps beyond that, of the conversation or beside it, is in no report. `beside`: with the number of the compaction.
/// Elsewhere reports tell at least what of a history from before the record a compaction takes: see [`left_beside`].
pub(super) fn settle_beside(sim: &mut Sim, beside: Option<(i64, u32)>, summary: u32, back: &[u32]) {
    let settings = &sim.policy.summarise;
    let puts_back = settings.reinject_files > 0 || settings.reinject_skills;
    let Some((beside, number)) = beside.filter(|(beside, _)| *beside >= 0 && puts_back) else {
        let gone = left_beside(sim).map_or(0, |left| (left - sim.base()).min(0));
        let tokens = tokens_of_piece(sim, summary);
        return sim.resize(summary, tokens, gone);
    };
    let piece = |number: u32| sim.pieces.get(number as usize);
    let back = back.iter().filter(|number| is_history(sim, **number)).filter_map(|number| piece(*number));
    // What was attached here stands in no report, and comes on top.
    let there = back.filter(|piece| piece.prepared == NONE).map(size).sum::<i64>() + reported(sim, number);
    let tokens = tokens_of_piece(sim, summary);
    sim.resize(summary, tokens, beside - sim.base() - there);
}

/// What stood beside summary and history after the agent's last compaction before this step, or its first one. Where the
/// record begins in the midst of a session that is less than what was not recorded at its first request.
fn left_beside(sim: &Sim) -> Option<i64> {
    let told = || sim.plan.boundaries.iter().filter_map(|own| Some((own.step, own.beside.filter(|left| *left >= 0)?)));
    let before = told().take_while(|(step, _)| *step <= sim.step).last();
    before.or_else(|| told().next()).map(|(_, left)| left)
}

fn size(piece: &Piece) -> i64 {
    i64::try_from(piece.tokens).unwrap_or(i64::MAX / 4) + piece.extra
}

/// Tokens beside the conversation that stayed here and that the report after a recorded compaction has too: the
/// prompt's own parts, what the agent kept or put back by its records, and skills that it loaded since it compacted
/// before, which its rule puts back whether or not a record says so.
fn reported(sim: &Sim, number: u32) -> i64 {
    let settings = &sim.policy.summarise;
    let boundary = |at: Option<u32>| at.and_then(|at| sim.plan.boundaries.get(at as usize));
    let kept: FxHashSet<u32> = boundary(Some(number)).map(|own| own.kept.iter().copied().collect()).unwrap_or_default();
    let since = boundary(number.checked_sub(1)).map_or(0, |before| before.items);
    let mut skills = if settings.reinject_skills { settings.reinject_skills_total } else { 0 };
    let stays = sim.standing().filter(|piece| !is_history(sim, *piece) && !is_content(sim, *piece));
    let of = |(number, piece): (u32, &Piece)| {
        // What was given stands in no report, but for what the agent had loaded whole.
        if piece.fixed {
            return if piece.held { i64::try_from(piece.original).unwrap_or(i64::MAX / 4) } else { 0 };
        }
        if matches!(piece.layer, Layer::System | Layer::Tools) || kept.contains(&piece.item) {
            return size(piece);
        }
        if piece.item == NONE || piece.item < since || !is_loaded_skill(sim, number) {
            return 0;
        }
        let part = piece.tokens.min(settings.reinject_skill_tokens).min(skills);
        skills -= part;
        share_of(size(piece), part, piece.tokens)
    };
    stays.filter_map(|number| Some((number, sim.pieces.get(number as usize)?))).map(of).sum()
}

/// Whether a piece is of what was said and read, which no agent keeps whole beside a summary.
fn is_content(sim: &Sim, piece: u32) -> bool {
    use Layer::{Assistant, Files, Summaries, Thinking, ToolCalls, ToolResults, User};
    let layer = layer_of(sim, piece);
    layer
        .is_some_and(|layer| matches!(layer, User | Assistant | Thinking | ToolCalls | ToolResults | Files | Summaries))
        && sim.pieces.get(piece as usize).is_some_and(|piece| !piece.fixed)
}
