//! Who writes a summary: the model that is asked, the transcript where one was made near; else, without a model, the
//! sentences that matter most, or start and end of what is covered.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::smallvec;

use crate::engine::asked::{AskedPiece, Task, Wanted, WrittenSummary};
use crate::engine::plan::{NONE, Sentence};
use crate::engine::simulate::{Content, Piece, Sim};
use crate::model::{Contents, Layer, Made};
use crate::policy::{Preserve, Summariser};

use super::fallback::{Remains, truncate};

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
    pub sentences: Vec<u32>,
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
}

/// Writes a summary of at most `target` tokens of pieces in order.
pub(super) fn write(sim: &mut Sim, covered: &[u32], target: u64) -> Summary {
    let by = sim.policy.summarise.by;
    let recorded = (by == Summariser::Recorded).then(|| recorded(sim, target)).flatten();
    if let Some(summary) = recorded {
        return summary;
    }
    match by {
        Summariser::Model => asked(sim, covered, target),
        Summariser::Recorded | Summariser::Extractive => {
            if sim.plan.texts.is_some() {
                return extractive(sim, covered, target);
            }
            // Without the texts, only the size of a summary can be told.
            sim.provisional = true;
            let by_model = by != Summariser::Extractive;
            Summary { tokens: target, estimated: true, by_model, ..Summary::default() }
        }
        Summariser::Truncate => truncate(sim, covered, target),
    }
}

/// The summary that the transcript holds, of the nearest boundary. One stands for one history: it serves once.
fn recorded(sim: &Sim, target: u64) -> Option<Summary> {
    let left = (0u32..).zip(&sim.plan.boundaries).filter(|(number, _)| !sim.summarise.served.contains(number));
    let (number, near) = left.min_by_key(|(_, boundary)| boundary.step.abs_diff(sim.step))?;
    let tokens: u64 = near.summary.iter().map(|(_, tokens)| tokens).sum();
    let fits = near.step.abs_diff(sim.step) <= NEAR && tokens > 0 && tokens <= target;
    fits.then(|| Summary {
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
fn asked(sim: &mut Sim, covered: &[u32], target: u64) -> Summary {
    let task = task(sim, covered, target);
    let instead: Arc<str> = match sim.given.answers.get(&task) {
        Some(Ok(told)) => {
            let tokens = sim.plan.tokens_of(&told.text);
            let content = smallvec![Made::Text(told.text.to_string().into())];
            return Summary {
                content,
                tokens,
                estimated: true,
                by_model: true,
                told: Some(told),
                ..Summary::default()
            };
        }
        Some(Err(why)) => why,
        None => {
            sim.wanted.push(Wanted { step: sim.step, task: Arc::new(task) });
            Arc::from("No model has been asked yet.")
        }
    };
    let stands_in = match sim.plan.texts {
        Some(_) => extractive(sim, covered, target),
        None => truncate(sim, covered, target),
    };
    // The call is what this policy pays for, whoever stands in here.
    Summary { by_model: true, instead: Some(instead), ..stands_in }
}

/// What a model would be asked.
fn task(sim: &Sim, covered: &[u32], target: u64) -> Task {
    let piece = |number: &u32| {
        let piece = sim.pieces.get(*number as usize)?;
        let item = sim.plan.items.get(piece.item as usize);
        let (label, content) = (piece.label.clone().text(sim.plan), piece.content.clone().made(item));
        Some(AskedPiece { layer: piece.layer, label, content })
    };
    let remember = match sim.policy.memory.preserve {
        Preserve::Llm => true,
        Preserve::None => sim.policy.summarise.remember,
        Preserve::Rules | Preserve::Manual => false,
    };
    Task { pieces: covered.iter().filter_map(piece).collect(), target, remember }
}

/// The sentences that matter most, in order; a sentence that occurs again is taken once. What an earlier summary holds
/// that is no sentence of the history stays, in at most half of the room.
fn extractive(sim: &Sim, covered: &[u32], target: u64) -> Summary {
    // Chosen for itself it costs nothing; else it stands in for one that a model wrote.
    let by_model = sim.policy.summarise.by != Summariser::Extractive;
    let mut summary = Summary { estimated: true, by_model, ..Summary::default() };
    let Some(texts) = &sim.plan.texts else { return summary };
    let mut candidates = Candidates::default();
    let sentence = |at: u32| texts.sentences.get(at as usize);
    for number in covered {
        let Some(piece) = sim.pieces.get(*number as usize) else { continue };
        if piece.item != NONE {
            let from = texts.sentences_of.get(piece.item as usize).copied().unwrap_or(0);
            let whole = matches!(piece.content, Content::Item);
            let own = (from..).zip(texts.sentences_of(piece.item));
            candidates.extend(own.filter(|(_, one)| whole || is_shown(piece, one)));
        } else if let Some((_, sentences)) = sim.summarise.sentences.iter().rfind(|(piece, _)| piece == number)
            && !sentences.is_empty()
        {
            candidates.extend(sentences.iter().filter_map(|at| Some((*at, sentence(*at)?))));
        } else if piece.layer == Layer::Summaries
            && let Content::Made(made) = &piece.content
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
    let most = usize::try_from(target / LEAST).unwrap_or(usize::MAX).min(candidates.all.len());
    let mut seen = FxHashSet::with_capacity_and_hasher(most, rustc_hash::FxBuildHasher);
    let mut too_long = 0;
    for best in [true, false] {
        if too_long >= MISSES || summary.tokens + LEAST > target {
            break;
        }
        for at in candidates.best_first(target, best) {
            if too_long >= MISSES || summary.tokens + LEAST > target {
                break;
            }
            let Some(one) = sentence(at) else { continue };
            let tokens = u64::from(one.tokens);
            if summary.tokens + tokens > target {
                too_long += 1;
            } else if seen.insert(one.hash) {
                summary.tokens += tokens;
                summary.sentences.push(at);
            }
        }
    }
    summary.sentences.sort_unstable();
    let part = |at: &u32| {
        let one = sentence(*at)?;
        let item = sim.plan.items.get(one.item as usize)?;
        Some([
            Made::Part(item.block, u64::from(one.start), u64::from(one.end), item.whole),
            Made::Text(std::borrow::Cow::Borrowed("\n")),
        ])
    };
    summary.content.reserve_exact(2 * summary.sentences.len());
    for piece in summary.sentences.iter().filter_map(part) {
        summary.content.extend(piece);
    }
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

/// A summary is full when it has no room for so many tokens, or when so many sentences were too long for what is left.
const LEAST: u64 = 8;
const MISSES: u32 = 100;

/// Scores that are told apart when a summary's room is divided.
const SCORES: usize = 128;

/// Sentences that a summary may be made of.
struct Candidates {
    /// Score and number of each.
    all: Vec<(u32, u32)>,
    /// Tokens by score.
    tokens: [u64; SCORES],
}

impl Default for Candidates {
    fn default() -> Self {
        Candidates { all: Vec::new(), tokens: [0; SCORES] }
    }
}

impl Candidates {
    fn extend<'a>(&mut self, more: impl Iterator<Item = (u32, &'a Sentence)>) {
        for (at, one) in more {
            self.all.push((one.score, at));
            self.tokens[place(one.score)] += u64::from(one.tokens);
        }
    }

    /// Numbers of the sentences, the best first and the latest of equals: those of the best scores that fill a room
    /// twice over, or the rest. A history has many times more sentences than a summary, and what the best leave no
    /// room for need not be put in order.
    fn best_first(&self, room: u64, best: bool) -> Vec<u32> {
        let mut sum = 0u64;
        let enough = |tokens: &u64| {
            sum = sum.saturating_add(*tokens);
            sum >= room.saturating_mul(2)
        };
        let least = self.tokens.iter().rposition(enough).unwrap_or(0);
        let own =
            || self.all.iter().map(|(score, at)| (place(*score), *at)).filter(|(place, _)| (*place >= least) == best);
        // By counting: scores are few.
        let mut ends = [0; SCORES];
        own().for_each(|(place, _)| ends[place] += 1);
        let mut before = 0;
        for end in ends.iter_mut().rev() {
            before += *end;
            *end = before;
        }
        let mut order = vec![0; before];
        own().for_each(|(place, at)| {
            ends[place] -= 1;
            order[ends[place]] = at;
        });
        order
    }
}

/// Where a score is counted; those above the last share it.
fn place(score: u32) -> usize {
    (score as usize).min(SCORES - 1)
}
