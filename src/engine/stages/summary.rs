//! Who writes a summary: the model that is asked, the transcript where one was made near; else, without a model, the
//! sentences that matter most, or start and end of what is covered.

use std::borrow::Cow;
use std::sync::Arc;

use crate::engine::asked::{AskedPiece, Task, Wanted, WrittenSummary};
use crate::engine::plan::{Boundary, NONE, Sentence};
use crate::engine::simulate::{Content, Names, Piece, Sim};
use crate::model::{Contents, Layer, Made};
use crate::policy::{Preserve, Summariser};

use super::compact::NOTHING;
use super::fallback::{Remains, truncate};
use super::input::{Input, Shown};

/// A recorded summary is taken where its boundary is at most so many requests away: a later one tells of what has not
/// happened yet, an earlier one leaves out what has.
const NEAR: u32 = 3;

/// What stands for what is covered.
#[derive(Default)]
pub(super) struct Summary {
    pub content: Contents,
    pub tokens: u64,
    pub estimated: bool,
    /// Whether a model would have written it.
    pub by_model: bool,
    /// The sentences that it consists of.
    pub sentences: Arc<[u32]>,
    /// Tokens that stood beside it and the history, where it was recorded.
    pub beside: Option<i64>,
    /// The recorded compaction that it is of, see [`crate::engine::plan::Plan::boundaries`].
    pub recorded: Option<u32>,
    /// What a cut left, where it is one.
    pub remains: Option<Remains>,
    /// What the model said that was asked for it.
    pub told: Option<Arc<WrittenSummary>>,
    /// Why no model wrote it, where one should have.
    pub instead: Option<Arc<str>>,
    /// The step of the nearest recorded summary, where one was looked for and does not fit, and why; 0 where none is left.
    pub passed: Option<(u32, Passed)>,
    /// Tokens of the history that were over `summarise.input_max`, where it was written of what was not.
    pub unseen: u64,
}

/// Why a recorded summary does not stand for a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// The transcript holds nothing of it that can be read.
    Sealed,
    /// Its boundary is too many requests away.
    Far,
    /// It has more tokens than a summary may.
    Long,
    /// There is none, or none that does not serve elsewhere.
    Missing,
}

impl Passed {
    /// What it is, said of the summary.
    pub fn why(self) -> &'static str {
        match self {
            Passed::Sealed => "is not recorded in clear",
            Passed::Far => "is too far from here",
            Passed::Long => "is too long",
            Passed::Missing => "is missing",
        }
    }
}

/// Tokens that a summary may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    /// One that the transcript holds.
    pub recorded: u64,
    /// One that is written now.
    pub target: u64,
}

/// Writes a summary of pieces in order.
pub(super) fn write(sim: &mut Sim, covered: &[u32], most: Most) -> Summary {
    let target = most.target;
    let by = sim.policy.summarise.by;
    let near = (by == Summariser::Recorded).then(|| nearest(sim)).flatten();
    let mut passed = None;
    if let Some((number, near)) = near {
        match recorded(sim, number, near, most.recorded) {
            Ok(summary) => return summary,
            Err(why) => passed = Some((near.step, why)),
        }
    } else if by == Summariser::Recorded {
        passed = Some((0, Passed::Missing));
    }
    if by == Summariser::Truncate {
        // Nobody is given anything: start and end are those of the whole.
        return truncate(sim, covered, target);
    }
    let given = Input::of(sim, covered);
    let written = match by {
        Summariser::Model => asked(sim, &given, covered, target),
        _ if sim.plan.texts.is_some() => Summary { passed, ..extractive(sim, &given, expected(sim, target)) },
        _ => {
            // Without the texts, only the size of a summary can be told.
            sim.provisional = true;
            let by_model = by != Summariser::Extractive;
            Summary { tokens: expected(sim, target), estimated: true, by_model, ..Summary::default() }
        }
    };
    Summary { unseen: given.unseen + written.unseen, ..written }
}

/// Tokens that a summary of pieces has at most: as many as the recorded one that would stand for them, as their sentences
/// have where it is made of these, and else its target, or what is expected.
pub(super) fn at_most(sim: &Sim, covered: &[u32], most: Most) -> u64 {
    let target = most.target;
    let by = sim.policy.summarise.by;
    let near = (by == Summariser::Recorded).then(|| nearest(sim)).flatten();
    let found = near.and_then(|(number, near)| recorded(sim, number, near, most.recorded).ok());
    let of_sentences = matches!(by, Summariser::Recorded | Summariser::Extractive);
    match (found, &sim.plan.texts) {
        (Some(recorded), _) => recorded.tokens,
        (None, Some(texts)) if of_sentences => {
            let sentences =
                |piece: &Piece| texts.sentences_of(piece.item).iter().map(|one| u64::from(one.tokens)).sum();
            let own =
                |piece: &Piece| if piece.item == NONE { piece.tokens } else { piece.tokens.min(sentences(piece)) };
            let pieces = covered.iter().filter_map(|piece| sim.pieces.get(*piece as usize));
            expected(sim, target).min(pieces.map(own).sum())
        }
        _ if by == Summariser::Truncate => target,
        _ => expected(sim, target),
    }
}

/// Tokens that a summary has which nobody has written: as many as the agent's own have, or its target.
fn expected(sim: &Sim, target: u64) -> u64 {
    match sim.policy.summarise.expected {
        0 => target,
        expected => expected.min(target),
    }
}

/// The nearest boundary whose summary serves nowhere yet: one stands for one history.
fn nearest<'p>(sim: &Sim<'p>) -> Option<(u32, &'p Boundary)> {
    let left = (0u32..).zip(&sim.plan.boundaries).filter(|(number, _)| !sim.summarise.served.contains(number));
    left.min_by_key(|(_, boundary)| boundary.step.abs_diff(sim.step))
}

/// The summary that the transcript holds of a boundary, where it fits; else why it does not.
fn recorded(sim: &Sim, number: u32, near: &Boundary, target: u64) -> Result<Summary, Passed> {
    let tokens: u64 = near.summary.iter().map(|(_, tokens)| tokens).sum();
    if tokens == 0 {
        return Err(Passed::Sealed);
    }
    if near.step.abs_diff(sim.step) > NEAR {
        return Err(Passed::Far);
    }
    if tokens > target {
        return Err(Passed::Long);
    }
    Ok(Summary {
        recorded: Some(number),
        content: near.summary.iter().map(|(block, _)| Made::Block(*block)).collect(),
        tokens,
        estimated: true,
        by_model: true,
        beside: near.beside,
        ..Summary::default()
    })
}

/// What the model says that is asked; else the sentences that matter most, and a word about why.
fn asked(sim: &mut Sim, given: &Input, covered: &[u32], target: u64) -> Summary {
    let task = task(sim, given, target);
    let instead: Arc<str> = match sim.given.answers.get(&task) {
        Some(Ok(told)) => {
            let tokens = sim.plan.tokens_of(&told.text);
            let content = Contents::from(Made::Text(told.text.to_string().into()));
            return Summary {
                content,
                tokens,
                estimated: true,
                by_model: true,
                unseen: told.unseen,
                told: Some(told),
                ..Summary::default()
            };
        }
        Some(Err(why)) => why,
        None => {
            sim.wanted.push(Wanted { step: sim.step, task: Arc::new(task) });
            Arc::from("no model has been asked yet")
        }
    };
    let stands_in = match sim.plan.texts {
        Some(_) => extractive(sim, given, expected(sim, target)),
        None => truncate(sim, covered, target),
    };
    // The call is what this policy pays for, whoever stands in here.
    Summary { by_model: true, instead: Some(instead), ..stands_in }
}

/// What a model would be asked.
fn task(sim: &Sim, given: &Input, target: u64) -> Task {
    let names = Names::of(sim.plan, sim.given);
    let piece = |given: Shown| {
        let piece = sim.pieces.get(given.piece as usize)?;
        let (label, content) = (names.of_piece(piece), given.content(sim)?);
        Some(AskedPiece { layer: piece.layer, label, content })
    };
    let remember = match sim.policy.memory.preserve {
        Preserve::Llm => true,
        Preserve::None => sim.policy.summarise.remember,
        Preserve::Rules | Preserve::Manual => false,
    };
    Task { pieces: given.each(sim).filter_map(piece).collect(), target, remember }
}

/// The sentences that matter most, in order; a sentence that occurs again is taken once. What an earlier summary holds
/// that is no sentence of the history stays, in at most half of the room.
fn extractive(sim: &mut Sim, given: &Input, target: u64) -> Summary {
    // Chosen for itself it costs nothing; else it stands in for one that a model wrote.
    let by_model = sim.policy.summarise.by != Summariser::Extractive;
    let mut summary = Summary { estimated: true, by_model, ..Summary::default() };
    let plan = sim.plan;
    let Some(texts) = &plan.texts else { return summary };
    let mut chooser = std::mem::take(&mut sim.summarise.chooser);
    chooser.begin(texts.sentences.len());
    for shown in given.each(sim) {
        let number = shown.piece;
        let Some(piece) = sim.pieces.get(number as usize) else { continue };
        if piece.item != NONE {
            let from = texts.sentences_of.get(piece.item as usize).copied().unwrap_or(0);
            let whole = matches!(piece.content, Content::Item);
            let own = (from..).zip(texts.sentences_of(piece.item));
            own.filter(|(_, one)| (whole || is_shown(piece, one)) && shown.holds(one.start, one.end))
                .for_each(|(at, one)| chooser.add(at, one, &texts.twins));
        } else if let Some(sentences) = sim.summarise.sentences_of(number) {
            if !chooser.add_last(sentences) {
                let own = sentences.iter().filter_map(|at| Some((*at, texts.sentences.get(*at as usize)?)));
                own.for_each(|(at, one)| chooser.add(at, one, &texts.twins));
            }
        } else if piece.layer == Layer::Summaries
            && let Content::Made(made) = &piece.content
            && !matches!(&made[..], [Made::Text(text)] if text == NOTHING)
        {
            // Pointers and notes of a harness are no words of an earlier summary, nor is any other text that was made.
            let of_harness = |made: &Made| if let Made::Written(written) = made { written.tokens() } else { 0 };
            let tokens = piece.tokens.saturating_sub(made.iter().map(of_harness).sum());
            if summary.tokens + tokens <= target / 2 {
                summary.tokens += tokens;
                summary.content.extend(made.iter().filter(|made| !matches!(made, Made::Written(_))).cloned());
            }
        }
    }
    let (sentences, tokens) = chooser.choose(target.saturating_sub(summary.tokens));
    summary.tokens += tokens;
    if !summary.content.is_empty() && !sentences.is_empty() {
        // What stays of an earlier summary does not run into the first sentence.
        summary.content.push(Made::Text(Cow::Borrowed("\n")));
    }
    summary.content.quote(&texts.passages, &sentences);
    summary.sentences = sentences;
    sim.summarise.chooser = chooser;
    summary
}

/// Whether a piece still shows a sentence of its item.
fn is_shown(piece: &Piece, one: &Sentence) -> bool {
    let Content::Made(made) = &piece.content else { return true };
    made.iter().any(|made| match made {
        Made::Block(_) => true,
        Made::Part(_, from, to, _) => *from <= u64::from(one.start) && u64::from(one.end) <= *to,
        Made::Text(_) | Made::Written(_) => false,
    })
}
