//! Choosing among the pieces of a document, each with its rank and why it was taken or left (source 1).

use std::sync::Arc;

use crate::document::Conversion;

use super::divide::piece;
use super::rank::{Ranked, rank};
use super::{BudgetOrder, Division, Piece, Ranking, Settings, Strategy};

/// Characters that source 1 puts after each window, and counts against the budget.
const JOINT: u64 = 2;

/// What is known of the pieces' nearness to the task.
#[derive(Clone, Default)]
pub struct Scores {
    /// Whether there is no task: nothing is near it then, and pieces are taken as they stand.
    pub unasked: bool,
    /// By words, per piece.
    pub lexical: Vec<f64>,
    /// The vectors there are, per piece; empty where none are wanted.
    pub vectors: Vec<Option<Arc<[f32]>>>,
    /// Cosine to the task, per piece, where there are vectors.
    pub cosines: Vec<Option<f32>>,
    /// What an approximate index found, nearest first; `None` for exact search.
    pub found: Option<Vec<usize>>,
}

/// Why a piece was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The document is small: it goes in whole.
    Whole,
    /// Its heading holds this word of the priority list (its place in the list).
    Priority(usize),
    /// There was room left after those, in document order.
    Room,
    /// It is among the nearest to the task.
    Near,
    /// It is among the nearest that the approximate index found, which missed nearer ones.
    Found,
    /// Others are nearer, but more like those that were taken before it.
    Unlike,
    /// There is no task: it is among the first.
    First,
    /// It shares no word with the task, as all that are left: it is among the first of these.
    Wordless,
    /// Nothing else fits the budget: the beginning, or the end, is cut to it.
    Fallback,
}

/// Why a piece was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// It did not fit in what was left of the budget when its turn came.
    Budget {
        /// Characters that it needs.
        needs: u64,
        /// Characters that were left.
        left: u64,
    },
    /// Others are nearer to the task.
    Rank,
    /// There is no task, and others stand before it.
    After,
    /// It shares no word with the task, and others stand before it that are taken.
    Wordless,
    /// It is near enough, but much like one that is taken (this piece).
    Overlap(usize),
    /// It is near enough, but the approximate index did not find it.
    Missed,
}

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is taken.
    Taken(Taken),
    /// It is left.
    Left(LeftOut),
}

impl Verdict {
    /// Whether it is taken.
    #[must_use]
    pub fn is_taken(self) -> bool {
        matches!(self, Verdict::Taken(_))
    }

    /// One word: budget, rank, overlap …
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Taken(Taken::Whole) => "whole",
            Verdict::Taken(Taken::Priority(_)) => "priority",
            Verdict::Taken(Taken::Room) => "room",
            Verdict::Taken(Taken::Near) => "near",
            Verdict::Taken(Taken::Found) => "found",
            Verdict::Taken(Taken::Unlike) => "unlike",
            Verdict::Taken(Taken::First | Taken::Wordless) => "first",
            Verdict::Taken(Taken::Fallback) => "fallback",
            Verdict::Left(LeftOut::Budget { .. }) => "budget",
            Verdict::Left(LeftOut::Rank | LeftOut::Wordless) => "rank",
            Verdict::Left(LeftOut::After) => "after",
            Verdict::Left(LeftOut::Overlap(_)) => "overlap",
            Verdict::Left(LeftOut::Missed) => "missed",
        }
    }
}

/// A piece as a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// What it was ranked by; `None` for sections, and for windows whose vector is still on its way.
    pub score: Option<f64>,
    /// Its rank, from 1: the order in which it was considered.
    pub rank: u32,
    /// What became of it.
    pub verdict: Verdict,
}

/// What was chosen of a document.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The candidates: the division's pieces in order, then `extra`.
    pub candidates: Vec<Candidate>,
    /// Pieces that are cut to the budget because nothing else fits it.
    pub extra: Vec<Piece>,
    /// The candidates taken, in the order in which they stand in the window.
    pub chosen: Vec<usize>,
    /// Characters that they fill, as source 1 counts them against the budget: what it puts behind the last window may go
    /// beyond that.
    pub used: u64,
    /// Whether vectors are still on their way that may change it.
    pub provisional: bool,
    /// Pieces that are nearer than what the approximate index found in their place.
    pub missed: Vec<usize>,
}

impl Selection {
    /// A candidate's piece.
    #[must_use]
    pub fn piece<'a>(&'a self, division: &'a Division, candidate: usize) -> Option<&'a Piece> {
        let own = division.pieces.len();
        division.pieces.get(candidate).or_else(|| self.extra.get(candidate.checked_sub(own)?))
    }

    /// The text of a candidate.
    #[must_use]
    pub fn text<'a>(&self, document: &'a Conversion, division: &Division, candidate: usize) -> &'a str {
        self.piece(division, candidate)
            .and_then(|piece| document.markdown.get(piece.start..piece.end))
            .unwrap_or_default()
    }

    /// The candidates by rank.
    #[must_use]
    pub fn by_rank(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by_key(|at| self.candidates.get(*at).map_or(u32::MAX, |candidate| candidate.rank));
        order
    }
}

impl Selection {
    /// Characters that these candidates fill, by themselves, as the budget counts them.
    #[must_use]
    pub fn fills(&self, division: &Division, candidates: &[usize]) -> u64 {
        let joint = if division.strategy == Strategy::Windows { JOINT } else { 0 };
        let own = division.pieces.len();
        let chars = |at: &usize| {
            let chars = self.piece(division, *at).map_or(0, |piece| piece.chars);
            if *at < own { chars + joint } else { chars }
        };
        candidates.iter().map(chars).sum()
    }
}

/// Chooses. `alike` says how much two pieces are alike, from 0 to 1, where no vectors do.
#[must_use]
pub fn choose(
    document: &Conversion,
    division: &Division,
    scores: &Scores,
    settings: &Settings,
    alike: &dyn Fn(usize, usize) -> f64,
) -> Selection {
    let mut selection = match division.strategy {
        Strategy::Whole => whole(division),
        Strategy::Sections => by_sections(division, settings),
        Strategy::Windows => by_windows(division, scores, settings, alike),
    };
    if selection.chosen.is_empty() && division.chars > 0 {
        fall_back(document, division, settings, &mut selection);
    }
    selection
}

/// Candidates that nothing is decided of.
fn undecided(number: usize) -> Selection {
    let one = Candidate { score: None, rank: 0, verdict: Verdict::Left(LeftOut::Rank) };
    Selection {
        candidates: vec![one; number],
        extra: Vec::new(),
        chosen: Vec::new(),
        used: 0,
        provisional: false,
        missed: Vec::new(),
    }
}

fn whole(division: &Division) -> Selection {
    let mut selection = undecided(division.pieces.len());
    for (at, candidate) in selection.candidates.iter_mut().enumerate() {
        candidate.rank = 1;
        candidate.verdict = Verdict::Taken(Taken::Whole);
        selection.chosen.push(at);
    }
    selection.used = division.chars;
    selection
}

/// Sections whose headings hold a word of the list, word by word; then the others as they stand. One that does not fit
/// is passed over.
fn by_sections(division: &Division, settings: &Settings) -> Selection {
    let titles: Vec<String> =
        division.pieces.iter().map(|piece| division.section(piece).unwrap_or_default().to_lowercase()).collect();
    let mut selection = undecided(division.pieces.len());
    let mut order: Vec<(usize, Taken)> = Vec::new();
    let mut listed = vec![false; titles.len()];
    for (word, target) in settings.priority.iter().enumerate() {
        let target = target.to_lowercase();
        for (at, title) in titles.iter().enumerate() {
            let seen = listed.get(at).copied().unwrap_or(true);
            if !seen && !target.is_empty() && title.contains(&target) {
                listed[at] = true;
                order.push((at, Taken::Priority(word)));
            }
        }
    }
    order.extend(listed.iter().enumerate().filter(|(_, listed)| !**listed).map(|(at, _)| (at, Taken::Room)));
    for ((at, why), rank) in order.into_iter().zip(1..) {
        let needs = division.pieces.get(at).map_or(0, |piece| piece.chars);
        let left = settings.budget.saturating_sub(selection.used);
        let Some(candidate) = selection.candidates.get_mut(at) else { continue };
        candidate.rank = rank;
        if needs <= left {
            candidate.verdict = Verdict::Taken(why);
            selection.used += needs;
            selection.chosen.push(at);
        } else {
            candidate.verdict = Verdict::Left(LeftOut::Budget { needs, left });
        }
    }
    selection
}

/// The nearest windows, within the budget, back in reading order.
fn by_windows(
    division: &Division,
    scores: &Scores,
    settings: &Settings,
    alike: &dyn Fn(usize, usize) -> f64,
) -> Selection {
    let number = division.pieces.len();
    let ranked = if scores.unasked { as_they_stand(number) } else { rank(number, scores, settings, alike) };
    let Ranked { order, scores: by, near: nearest, found, passed, missed, provisional } = ranked;
    // What was found neither by words nor by meaning stands behind all that was, as in the document.
    let is_found = |at: usize| settings.ranking == Ranking::Embed || by.get(at).copied().flatten() != Some(0.0);
    let why = |at: usize| match is_found(at) {
        _ if scores.unasked => (Taken::First, LeftOut::After),
        true if nearest.contains(&at) => (Taken::Near, LeftOut::Rank),
        true if found.contains(&at) => (Taken::Found, LeftOut::Rank),
        true => (Taken::Unlike, LeftOut::Rank),
        false => (Taken::Wordless, LeftOut::Wordless),
    };
    let mut selection = undecided(number);
    for (rank, at) in (1..).zip(&order) {
        if let Some(candidate) = selection.candidates.get_mut(*at) {
            candidate.rank = rank;
            candidate.score = by.get(*at).copied().flatten();
            candidate.verdict = Verdict::Left(why(*at).1);
        }
    }
    let mut near: Vec<usize> =
        order.iter().copied().take(usize::try_from(settings.top).unwrap_or(usize::MAX)).collect();
    if settings.budget_order == BudgetOrder::Reading {
        near.sort_unstable();
    }
    for at in near {
        let needs = division.pieces.get(at).map_or(0, |piece| piece.chars);
        let left = settings.budget.saturating_sub(selection.used);
        let Some(candidate) = selection.candidates.get_mut(at) else { continue };
        if needs <= left {
            candidate.verdict = Verdict::Taken(why(at).0);
            selection.used += needs + JOINT;
            selection.chosen.push(at);
        } else {
            candidate.verdict = Verdict::Left(LeftOut::Budget { needs, left });
        }
    }
    for (at, with) in passed {
        leave(&mut selection, at, LeftOut::Overlap(with));
    }
    for at in &missed {
        leave(&mut selection, *at, LeftOut::Missed);
    }
    selection.chosen.sort_unstable();
    (selection.provisional, selection.missed) = (provisional, missed);
    selection
}

/// The order of the document, by nothing.
fn as_they_stand(number: usize) -> Ranked {
    Ranked { order: (0..number).collect(), scores: vec![None; number], ..Ranked::default() }
}

/// Says why a candidate that is not taken was left.
fn leave(selection: &mut Selection, at: usize, why: LeftOut) {
    if let Some(candidate) = selection.candidates.get_mut(at)
        && !candidate.verdict.is_taken()
    {
        candidate.verdict = Verdict::Left(why);
    }
}

/// Nothing fits: the beginning and the end of the document, cut to the budget.
fn fall_back(document: &Conversion, division: &Division, settings: &Settings, selection: &mut Selection) {
    let text = document.markdown.as_str();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let head = match settings.fallback_head {
        share if share > 0.0 => (settings.budget as f64 * share).round() as u64,
        _ => settings.budget,
    };
    let (head, tail) = (head.min(division.chars), settings.budget.saturating_sub(head));
    let byte_at = |chars: u64| {
        let chars = usize::try_from(chars).unwrap_or(usize::MAX);
        text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
    };
    let first = (0, byte_at(head));
    let last = (byte_at(division.chars.saturating_sub(tail)).max(first.1), text.len());
    let numbers = u32::try_from(division.pieces.len()).unwrap_or(u32::MAX).saturating_add(1)..;
    for ((start, end), number) in [first, last].into_iter().filter(|(start, end)| start < end).zip(numbers) {
        let cut = piece(text, &division.outline, number, start, end);
        selection.chosen.push(selection.candidates.len());
        selection.used += cut.chars;
        selection.candidates.push(Candidate { score: None, rank: number, verdict: Verdict::Taken(Taken::Fallback) });
        selection.extra.push(cut);
    }
}
