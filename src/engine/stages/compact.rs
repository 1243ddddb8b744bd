//! What a summary and a reactive compaction share: what is kept, what is covered, what comes back, and the boundary.

use std::borrow::Cow;

use crate::engine::plan::NONE;
use crate::engine::simulate::{Content, Label, Named, Piece, Sim};
use crate::model::{
    EntryId, EntryIds, Event, EventId, Fate, FileId, Holds, Layer, Made, Role, Usage, VirtualFile, Written, number,
};
use crate::policy::Amount;

use super::beside::{put_back, settle_beside};
use super::cache::of_window;
use super::collapse::forget;
use super::keeps::kept;
use super::returns::{Return, comes_back, is_loaded_skill, piece_back};
use super::summary::{self, Most, Passed};

/// What stands for sealed reasoning or a picture in a file of text: `[no text]`.
const NO_TEXT: u64 = 3;

/// What stands for a history of which nothing is said.
pub(super) const NOTHING: &str = "[Nothing was found worth a sentence.]";

/// Tokens that a summary is asked to have at the least: fewer say nothing.
const LEAST: u64 = 50;

/// How a history is compacted.
pub(super) struct How {
    /// What is kept of the beginning and of the end.
    pub head: Amount,
    pub tail: Amount,
    /// Tokens of the summary at most.
    pub target: u64,
    /// Share of the turns, the oldest, that no summary is made of.
    pub unseen: f64,
    /// Tokens of the window under which what is kept is to leave it.
    pub limit: u64,
    /// Whether it is the harder attempt: the limit holds for the whole window, so that summary and end share what there
    /// is room for; nothing comes back, and even summaries alone are summarised again.
    pub harder: bool,
}

/// A compaction that was done, kept so that a rewind can take it back.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Done {
    /// The first step whose window shows it.
    pub step: u32,
    /// What it covered, with its places.
    pub took: Vec<(u32, u32)>,
    /// What it made.
    pub made: Vec<u32>,
}

/// What of that which is covered no summary is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dropped {
    None,
    /// The oldest turns.
    Oldest,
    /// All of it.
    All,
}

/// What a compaction took and made.
pub(super) struct Compacted {
    pub took: EntryIds,
    pub made: EntryIds,
    pub call: Option<Usage>,
    /// What was left out of the summary.
    pub dropped: Dropped,
    /// What is to be said of the summary beside its figures.
    pub note: String,
}

/// Whether a compaction may take a piece.
pub(super) fn is_history(sim: &Sim, piece: u32) -> bool {
    let Some(about) = sim.pieces.get(piece as usize).filter(|about| !about.fixed) else { return false };
    let kept = sim.summarise.kept_layers.get(about.layer as usize).copied().unwrap_or(true);
    !kept || (about.layer == Layer::Skills && loaded_skills_go(sim) && is_loaded_skill(sim, piece))
}

/// Whether loaded skills go though their layer is kept.
pub(super) fn loaded_skills_go(sim: &Sim) -> bool {
    !sim.policy.summarise.keep_loaded_skills && sim.summarise.kept_layers[Layer::Skills as usize]
}

/// Where the prompt's static beginning ends: behind its parts and the system prompt, as they stood at the first
/// request. A summary does not come before them.
fn after_prompt(sim: &Sim) -> u32 {
    let of_prompt =
        |piece: &&Piece| piece.life.born == 1 && (piece.fixed || matches!(piece.layer, Layer::System | Layer::Tools));
    let pieces = sim.standing().filter_map(|piece| sim.pieces.get(piece as usize));
    pieces.filter(of_prompt).map(|piece| piece.slot() + 1).max().unwrap_or(0)
}

/// Tells the stages that keep count that a piece is about to leave.
pub(super) fn lose(sim: &mut Sim, number: u32) {
    let Some(piece) = sim.pieces.get(number as usize) else { return };
    if piece.item != NONE {
        let item = piece.item;
        sim.microcompact.lose(item);
    } else if piece.fate == Fate::Collapsed {
        let saved = piece.original.saturating_sub(piece.tokens);
        let unit = sim.slots.get(piece.slot() as usize).map_or(NONE, |slot| slot.unit);
        sim.collapse.lose(unit, saved);
        forget(sim, unit);
    }
}

/// What a compaction covers: the pieces, and the tokens of a summary of them at most. `None` where it covers nothing.
fn covers(sim: &Sim, how: &How) -> Option<(Vec<u32>, u64)> {
    let standing: u32 = sim.numbers.iter().sum();
    let mut history = Vec::with_capacity(standing as usize);
    // What was written behind the user's own compaction is not compacted by it.
    let asked = sim.asked.filter(|_| sim.policy.replay.manual).and_then(|at| sim.plan.boundaries.get(at as usize));
    let end = asked.map_or(NONE, |boundary| boundary.items);
    let may = |piece: &u32| {
        let item = sim.pieces.get(*piece as usize).map_or(NONE, |piece| piece.item);
        (item == NONE || item < end) && is_history(sim, *piece)
    };
    history.extend(sim.standing().filter(may));
    let room = room(sim, &history, how.limit);
    // What the harder attempt writes has to fit as well.
    let target = if how.harder && room > 1 { how.target.min(room / 2) } else { how.target };
    let most = if how.harder { room.saturating_sub(target) } else { u64::MAX };
    let kept = kept(sim, &history, how, (room, most));
    let mut covered = Vec::with_capacity(history.len());
    covered.extend(history.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(piece, _)| *piece));
    let only_summaries = covered.iter().all(|piece| layer_of(sim, *piece) == Some(Layer::Summaries));
    (!only_summaries || (!covered.is_empty() && how.harder)).then_some((covered, target))
}

/// Whether there is nothing that a compaction may take, or summaries alone.
pub(super) fn covers_nothing(sim: &Sim, how: &How) -> bool {
    covers(sim, how).is_none()
}

/// Whether a compaction would make the window smaller, however long its summary is.
pub(super) fn would_compact(sim: &Sim, how: &How) -> bool {
    let Some((covered, target)) = covers(sim, how) else { return false };
    let (_, pointer) = prior_file(sim, &covered);
    let weight = weight(sim, &covered);
    weight > pointer + summary::at_most(sim, &covered, most(target, weight, pointer, happened(sim)))
}

/// Replaces the history by a summary and what comes back with it; facts are preserved before. The next event is the one
/// that tells of it. Does nothing, and returns nothing, where the window
/// would not become smaller.
pub(super) fn compact(sim: &mut Sim, how: &How) -> Option<Compacted> {
    let (covered, target) = covers(sim, how)?;
    let happened = happened(sim);
    let size: u64 = covered.iter().map(|piece| tokens_of_piece(sim, *piece)).sum();
    let given = given(sim, &covered, how.unseen);
    let dropped = match given.len() {
        0 => Dropped::All,
        some if some < covered.len() => Dropped::Oldest,
        _ => Dropped::None,
    };
    let (prior, pointer) = prior_file(sim, &covered);
    let (weight, asked) = (weight(sim, &covered), sim.wanted.len());
    let mut written = summary::write(sim, &given, most(target, weight, pointer, happened));
    written.tokens += pointer;
    let room = weight.saturating_sub(written.tokens + 1);
    let back = if how.harder { Vec::new() } else { comes_back(sim, &sim.policy.summarise, &covered, room) };
    let is_what_happened = happened && written.recorded.is_some();
    if !is_what_happened && written.tokens + back.iter().map(|one| one.tokens).sum::<u64>() >= weight {
        // Nobody need write what stands nowhere.
        sim.wanted.truncate(asked);
        return None;
    }
    let reported = written.told.as_ref().and_then(|told| told.usage);
    let asks = written.by_model && dropped != Dropped::All;
    let call = asks.then(|| reported.unwrap_or_else(|| own_call(sim, (&covered, &given), written.tokens)));
    super::memory::preserve(sim, &covered, written.told.as_deref());
    let id = sim.next_event();
    sim.calls.extend(call);
    let (took, made, note) = settle(sim, how, id, (covered, size, prior), written, back);
    Some(Compacted { took, made, call, dropped, note })
}

/// Tokens that a summary of pieces of so many may have, beside what names a file of them: one that was written is taken up
/// to its target, and one that is to be written is asked to be half as long as what it stands for, where that is less.
/// `happened`: whether the one that was written stood for the same history.
fn most(target: u64, weight: u64, pointer: u64, happened: bool) -> Most {
    let written = target.saturating_sub(pointer);
    let smaller = written.min(weight.saturating_sub(pointer + 1));
    Most { recorded: if happened { written } else { smaller }, target: written.min((weight / 2).max(LEAST)) }
}

/// Whether this is a compaction that the user asked for, of the window as it was then: its summary may have been longer than
/// what it stood for.
fn happened(sim: &Sim) -> bool {
    sim.asked.is_some() && sim.policy.replay.manual && !sim.changed
}

/// Tokens under which what stands for pieces makes the window smaller: theirs, or fewer where reports show that they
/// are counted too high.
pub(super) fn weight(sim: &Sim, covered: &[u32]) -> u64 {
    let pieces = covered.iter().filter_map(|piece| sim.pieces.get(*piece as usize));
    let (tokens, extra) = pieces.fold((0, 0i64), |(tokens, extra), piece| (tokens + piece.tokens, extra + piece.extra));
    let rest = u64::try_from(sim.beyond().saturating_sub(extra)).unwrap_or(0);
    tokens.min(sim.used().saturating_sub(sim.counted.saturating_sub(tokens) + rest))
}

/// Tokens of the history that may stay under a limit of the window.
fn room(sim: &Sim, history: &[u32], limit: u64) -> u64 {
    let pieces = history.iter().filter_map(|piece| sim.pieces.get(*piece as usize));
    let whole = pieces.map(Piece::size).fold(0, i64::saturating_add);
    limit.saturating_sub(sim.used().saturating_sub(u64::try_from(whole).unwrap_or(0)))
}

/// What names the file that the window before becomes, the next one.
fn pointer(sim: &Sim, tokens: u64) -> Written {
    Written::PriorWindow { file: FileId(crate::engine::plan::index(sim.files.len())), tokens }
}

/// The tokens of the file that the window before becomes, where that is wanted, and of what names it.
fn prior_file(sim: &Sim, covered: &[u32]) -> (Option<u64>, u64) {
    let prior = sim.policy.summarise.prior_window_file.then(|| prior_window(sim, covered));
    (prior, prior.map_or(0, |tokens| pointer(sim, tokens).tokens()))
}

/// The tokens of a file that holds these pieces: of sealed reasoning and pictures it can only say that they were there.
fn prior_window(sim: &Sim, covered: &[u32]) -> u64 {
    let pieces = covered.iter().filter_map(|piece| sim.pieces.get(*piece as usize));
    let size = |piece: &Piece| match sim.plan.items.get(piece.item as usize) {
        Some(item) if item.chars == 0 => piece.tokens.min(NO_TEXT),
        _ => piece.tokens,
    };
    pieces.map(size).sum()
}

/// The layer of a piece; `None` where there is no such piece.
pub(super) fn layer_of(sim: &Sim, piece: u32) -> Option<Layer> {
    sim.pieces.get(piece as usize).map(|piece| piece.layer)
}

/// Tokens of a piece; none where there is no such piece.
pub(super) fn tokens_of_piece(sim: &Sim, piece: u32) -> u64 {
    sim.pieces.get(piece as usize).map_or(0, |piece| piece.tokens)
}

/// Carries it out: ends what is covered, puts the summary and what comes back in its places. Returns what it took and
/// made, and what is to be said of the summary.
fn settle(
    sim: &mut Sim,
    how: &How,
    id: EventId,
    (covered, size, prior): (Vec<u32>, u64, Option<u64>),
    mut written: summary::Summary,
    back: Vec<Return>,
) -> (EntryIds, EntryIds, String) {
    let note = note(sim, &written);
    sim.summarise.served.extend(written.recorded);
    let by_agent = written.beside.map_or(0, |_| put_back(sim, &covered, written.tokens));
    let pieces = || covered.iter().filter_map(|piece| sim.pieces.get(*piece as usize));
    let slots: Vec<u32> = pieces().map(|piece| piece.slot()).collect();
    let back: Vec<Piece> = back.into_iter().filter_map(|one| piece_back(sim, one, id)).collect();
    for piece in &covered {
        lose(sim, *piece);
        sim.hide(*piece, Some(id));
    }
    let took: EntryIds = covered.iter().map(|piece| EntryId(*piece)).collect();
    // Where kept messages stand scattered, the summary comes after them, else before.
    let scattered = !sim.policy.summarise.keep_roles.is_empty() && how.unseen == 0.0;
    let last = slots.len().saturating_sub(1 + back.len());
    let prompt = after_prompt(sim);
    let from = if scattered { last } else { slots.partition_point(|slot| *slot < prompt).min(last) };
    let mut places = slots.get(from..).unwrap_or_default().iter().copied();
    let mut made = Vec::with_capacity(1 + back.len());
    let summary = Piece { from: took.clone(), ..summary_piece(sim, &mut written, (size, prior), id) };
    if let Some(place) = places.next() {
        made.push(sim.put(summary, place));
    }
    if let Some(first) = made.first() {
        sim.summarise.sentences.push((*first, written.sentences));
        sim.summarise.remains.extend(written.remains.map(|remains| (*first, remains)));
    }
    for (piece, place) in back.into_iter().zip(places) {
        made.push(sim.put(piece, place));
    }
    if let Some(summary) = made.first() {
        settle_beside(sim, written.beside.zip(written.recorded), *summary, by_agent);
    }
    if !sim.plan.backs.is_empty() {
        sim.summarise.remember(sim.step, covered.into_iter().zip(slots).collect(), made.clone());
    }
    (took, made.into_iter().map(EntryId).collect(), note)
}

/// What the call that writes a summary of so many tokens sends and gets: the whole window, or the pieces that are given
/// of those that are covered, with what reports show of them beyond the count, cut where they are too many.
fn own_call(sim: &mut Sim, (covered, given): (&[u32], &[u32]), tokens: u64) -> Usage {
    let size = |pieces: &[u32]| {
        let pieces = pieces.iter().filter_map(|piece| sim.pieces.get(*piece as usize));
        u64::try_from(pieces.map(Piece::size).fold(0, i64::saturating_add)).unwrap_or(0)
    };
    let output = Some(tokens);
    match sim.policy.summarise.whole_window {
        true if given.len() == covered.len() => Usage { output, ..of_window(sim) },
        // Without its oldest turns it is another prompt, of which no cache has anything.
        true => {
            let dropped = size(covered).saturating_sub(size(given));
            Usage { input: sim.used().saturating_sub(dropped), output, ..Usage::default() }
        }
        false => Usage { input: size(given).min(sim.policy.summarise.input_max), output, ..Usage::default() },
    }
}

/// The summary of pieces of so many tokens as a piece of the window; the window before becomes a file of so many
/// where that is wanted.
fn summary_piece(
    sim: &mut Sim,
    written: &mut summary::Summary,
    (size, prior): (u64, Option<u64>),
    id: EventId,
) -> Piece {
    let mut content = std::mem::take(&mut written.content);
    if let Some(tokens) = prior {
        content.push(Made::Written(pointer(sim, tokens)));
        sim.files.push(VirtualFile { born: sim.step, holds: Holds::Before(id), tokens, shown: (0, 0) });
    }
    if content.is_empty() {
        written.tokens += 8;
        content.push(Made::Text(Cow::Borrowed(NOTHING)));
    }
    Piece {
        fate: Fate::Summarised,
        tokens: written.tokens,
        original: size,
        made_by: Some(id),
        estimated: written.estimated,
        content: Content::Made(content),
        ..sim.make(Layer::Summaries, Role::User, Label::Fixed(Named::Summary))
    }
}

/// What is to be said of a summary beside its figures: clauses, each behind a semicolon.
fn note(sim: &Sim, written: &summary::Summary) -> String {
    let boundary = written.recorded.and_then(|number| sim.plan.boundaries.get(number as usize));
    if let Some(boundary) = boundary.filter(|boundary| boundary.step != sim.step) {
        let step = boundary.step;
        return if step > sim.step {
            format!("; the agent wrote the summary before step {step}: it may tell of what comes in by then")
        } else {
            format!("; the agent wrote the summary before step {step}: what came in since stands nowhere in it")
        };
    }
    let mut note = match (&written.told, &written.instead) {
        (Some(told), _) => format!("; {}; {}", Event::BY_MODEL, told.sentences.clause()),
        // It quotes a server: nothing of it is a placeholder.
        (None, Some(why)) => {
            let why = why.trim_end_matches('.').replace(['{', '}'], "|").replace(". ", "; ");
            // A sentence of its own elsewhere.
            let begin = ["The ", "No "].into_iter().find(|begin| why.starts_with(begin)).map_or(0, |_| 1);
            let (first, rest) = why.split_at(begin);
            format!("; {}{rest}; {}", first.to_lowercase(), Event::STANDS_IN)
        }
        (None, None) => match written.passed {
            Some((_, Passed::Missing)) if sim.plan.boundaries.is_empty() => {
                format!("; {}: {}", Event::NONE_RECORDED, Event::FOR_RECORDED)
            }
            Some((_, Passed::Missing)) => {
                format!("; each summary of the agent's serves elsewhere: {}", Event::FOR_RECORDED)
            }
            Some((step, passed)) => {
                format!("; the agent's own summary, before step {step}, {}: {}", passed.why(), Event::FOR_RECORDED)
            }
            None => String::new(),
        },
    };
    if written.unseen > 0 {
        let unseen = number(written.unseen, "tokens were");
        let window = written.told.as_ref().and_then(|told| told.window);
        let limit = window.map_or("summarise.input_max".to_owned(), |window| {
            format!("what fits in the model's window of {} beside its answer", number(window, "tokens"))
        });
        note.push_str(&format!("; {unseen} over {limit} and not given to the summariser"));
    }
    note
}

/// What a summary is made of: all that is covered but a share of the turns, the oldest. An earlier summary is no turn: it
/// is all that is left of what was before it (source 5: the summary is the new history).
fn given<'c>(sim: &Sim, covered: &'c [u32], share: f64) -> Cow<'c, [u32]> {
    let unit = |piece: u32| {
        let slot = sim.pieces.get(piece as usize).filter(|piece| piece.layer != Layer::Summaries);
        slot.map(|piece| sim.slots.get(piece.slot() as usize).map_or(NONE, |slot| slot.unit))
    };
    let turns = || covered.chunk_by(|one, other| unit(*one) == unit(*other));
    let is_turn = |turn: &[u32]| turn.first().is_some_and(|piece| unit(*piece).is_some());
    let number = if share > 0.0 { turns().filter(|turn| is_turn(turn)).count() } else { 0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let mut dropped = (number as f64 * share).floor() as usize;
    if dropped == 0 {
        return Cow::Borrowed(covered);
    }
    let stays = |turn: &&[u32]| {
        let drops = is_turn(turn) && dropped > 0;
        dropped -= usize::from(drops);
        !drops
    };
    turns().filter(stays).flatten().copied().collect()
}
