//! What the first report after the agent's own compaction tells of all that stood beside its summary.

use rustc_hash::FxHashSet;

use crate::engine::plan::{NONE, signed};
use crate::engine::simulate::{Piece, Sim};
use crate::model::Layer;

use super::compact::{is_history, layer_of, tokens_of_piece, weight};
use super::returns::{comes_back, is_loaded_skill, size_back};
use super::truncate::share_of;

/// Tokens that the recorded agent's own rule puts back of what is covered, behind a summary of so many. What was attached
/// here stands in no report.
pub(super) fn put_back(sim: &Sim, covered: &[u32], summary: u64) -> i64 {
    let known = |piece: &u32| sim.pieces.get(*piece as usize).is_some_and(|piece| piece.prepared == NONE);
    let covered: Vec<u32> = covered.iter().copied().filter(known).collect();
    let room = weight(sim, &covered).saturating_sub(summary + 1);
    comes_back(sim, &sim.plan.agent, &covered, room).iter().map(|back| size_back(sim, back)).sum::<i64>().max(0)
}

/// Where the agent's own compaction is replayed, its first report tells how much stood beside summary and history: the
/// prompt, and what the agent put back, whether or not a record holds it. What the agent put back (`by_agent`, by its own
/// rule) is taken out of that, and the rest goes with the summary. So what the policy puts back counts on top: where it is
/// the same, the window is as large as the report says, and where it is more or less, the window is, too. What a policy
/// keeps beyond that, of the conversation or beside it, is in no report. `beside`: with the number of the compaction.
/// Elsewhere reports tell at least what of a history from before the record a compaction takes: see [`left_beside`].
pub(super) fn settle_beside(sim: &mut Sim, beside: Option<(i64, u32)>, summary: u32, by_agent: i64) {
    let settings = &sim.policy.summarise;
    let puts_back = settings.reinject_files > 0 || settings.reinject_skills;
    let base = sim.base();
    let tokens = tokens_of_piece(sim, summary);
    let Some((beside, number)) = beside.filter(|(beside, _)| *beside >= 0 && puts_back) else {
        let gone = left_beside(sim).map_or(0, |left| (left - base).min(0));
        return sim.resize(summary, tokens, gone);
    };
    let told = beside - reported(sim, number);
    // A first report of less than that was the prompt's. Of one from the midst of a session it is known only what a cache
    // could read again.
    let cached = signed(sim.unrecorded_prompt());
    let prompt = if base <= told { base } else { cached.min(told) };
    sim.resize(summary, tokens, told - base - came_back(by_agent, told - prompt));
}

/// Tokens that the agent put back: as its rule has it, where the report has room for it beside the prompt, else what there
/// is room for, as no prompt becomes smaller for it. Files are counted as they were read, with the numbers of their
/// lines, and come back without them: by a third fewer tokens at most.
fn came_back(by_rule: i64, room: i64) -> i64 {
    if by_rule <= room.saturating_add(room / 2) { by_rule } else { room }
}

/// What stood beside summary and history after the agent's last compaction before this step, or its first one. Where the
/// record begins in the midst of a session that is less than what was not recorded at its first request.
fn left_beside(sim: &Sim) -> Option<i64> {
    let told = || sim.plan.boundaries.iter().filter_map(|own| Some((own.step, own.beside.filter(|left| *left >= 0)?)));
    let before = told().take_while(|(step, _)| *step <= sim.step).last();
    before.or_else(|| told().next()).map(|(_, left)| left)
}

/// Tokens beside the conversation that stayed here and that the report after a recorded compaction has too: the
/// prompt's own parts, what the agent kept or put back by its records, and skills that it loaded since it compacted
/// before, which its rule puts back whether or not a record says so.
fn reported(sim: &Sim, number: u32) -> i64 {
    let settings = &sim.plan.agent;
    let boundary = |at: Option<u32>| at.and_then(|at| sim.plan.boundaries.get(at as usize));
    let kept: FxHashSet<u32> = boundary(Some(number)).map(|own| own.kept.iter().copied().collect()).unwrap_or_default();
    let since = boundary(number.checked_sub(1)).map_or(0, |before| before.items);
    let mut skills = if settings.reinject_skills { settings.reinject_skills_total } else { 0 };
    let stays = sim.standing().filter(|piece| !is_history(sim, *piece) && !is_content(sim, *piece));
    let of = |(number, piece): (u32, &Piece)| {
        // What was given stands in no report, but for what the agent had loaded whole.
        if piece.fixed {
            return if piece.held { signed(piece.original) } else { 0 };
        }
        if matches!(piece.layer, Layer::System | Layer::Tools) || kept.contains(&piece.item) {
            return piece.size();
        }
        if piece.item == NONE || piece.item < since || !is_loaded_skill(sim, number) {
            return 0;
        }
        let part = piece.tokens.min(settings.reinject_skill_tokens).min(skills);
        skills -= part;
        share_of(piece.size(), part, piece.tokens)
    };
    stays.filter_map(|number| Some((number, sim.pieces.get(number as usize)?))).map(of).fold(0, i64::saturating_add)
}

/// Whether a piece is of what was said and read, which no agent keeps whole beside a summary.
fn is_content(sim: &Sim, piece: u32) -> bool {
    use Layer::{Assistant, Files, Summaries, Thinking, ToolCalls, ToolResults, User};
    let layer = layer_of(sim, piece);
    layer
        .is_some_and(|layer| matches!(layer, User | Assistant | Thinking | ToolCalls | ToolResults | Files | Summaries))
        && sim.pieces.get(piece as usize).is_some_and(|piece| !piece.fixed)
}
