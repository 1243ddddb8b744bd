//! Ranking windows: by cosine, by words, by both fused; with what is like others held back.

use std::collections::HashSet;

use super::vector::dot;
use super::{Index, Ranking, Scores, Settings};

/// What reciprocal rank fusion adds to every rank (the usual value).
const FUSION: f64 = 60.0;
/// Comparisons of pairs for diversity; with more candidates, only the best are compared.
const PAIRS_MAX: usize = 2_000_000;
/// Windows that are spread; the rest keep their order.
const SPREAD_MAX: usize = 1_000;

/// Windows in order.
#[derive(Default)]
pub(super) struct Ranked {
    /// The windows, best first.
    pub order: Vec<usize>,
    /// What each was ranked by, by window.
    pub scores: Vec<Option<f64>>,
    /// The best, whatever an index finds of them and whatever they are like.
    pub near: HashSet<usize>,
    /// The best of what the index found, whatever they are like.
    pub found: HashSet<usize>,
    /// Windows that would be among the best, and the taken one that each is too much like.
    pub passed: Vec<(usize, usize)>,
    /// Windows among the best that the approximate index did not find.
    pub missed: Vec<usize>,
    /// Whether vectors are missing.
    pub provisional: bool,
}

/// Ranks. Until all vectors are there, what has one comes first, by it; the rest follows by words.
pub(super) fn rank(number: usize, scores: &Scores, settings: &Settings, alike: &dyn Fn(usize, usize) -> f64) -> Ranked {
    let lexical = |at: usize| scores.lexical.get(at).copied().unwrap_or(0.0);
    let cosine = |at: usize| scores.cosines.get(at).copied().flatten();
    let provisional = settings.ranking.embeds() && (0..number).any(|at| cosine(at).is_none());
    let top = usize::try_from(settings.top).unwrap_or(usize::MAX).min(number);
    let by_words = sorted(number, |at| Some(lexical(at)), lexical);
    let exact = sorted(number, |at| cosine(at).map(f64::from), lexical);
    let found = scores.found.as_ref().filter(|_| settings.index == Index::Hnsw && settings.ranking.embeds());
    let (near, missed) = match found {
        Some(found) => with_found(&exact, found, top, number),
        None => (exact.clone(), Vec::new()),
    };
    let fused = |near: &[usize]| {
        // What words did not find has no rank among what they did.
        let fused = fuse(number, [(&by_words, &|at| lexical(at) > 0.0), (near, &|at| cosine(at).is_some())]);
        (sorted(number, |at| fused.get(at).copied(), lexical), fused)
    };
    let (mut order, by): (Vec<usize>, Vec<Option<f64>>) = match settings.ranking {
        Ranking::Lexical => (by_words.clone(), (0..number).map(|at| Some(lexical(at))).collect()),
        Ranking::Embed => (near, (0..number).map(|at| cosine(at).map(f64::from)).collect()),
        Ranking::Hybrid => {
            let (order, fused) = fused(&near);
            (order, fused.into_iter().map(Some).collect())
        }
    };
    let best = |order: &[usize]| order.iter().take(top).copied().collect::<HashSet<usize>>();
    let found = best(&order);
    let near = match settings.ranking {
        // What the index missed could only come before what it found.
        _ if missed.is_empty() && settings.ranking != Ranking::Hybrid => found.clone(),
        Ranking::Hybrid => best(&fused(&exact).0),
        Ranking::Lexical | Ranking::Embed => best(&exact),
    };
    let passed = if settings.diversity > 0.0 && top > 1 {
        let vector = |at: usize| scores.vectors.get(at).and_then(Option::as_ref);
        let like = |one: usize, other: usize| match (vector(one), vector(other)) {
            (Some(one), Some(other)) => f64::from(dot(one, other)),
            _ => alike(one, other),
        };
        spread(&mut order, &by, top, settings, &like)
    } else {
        Vec::new()
    };
    Ranked { order, scores: by, near, found, passed, missed, provisional }
}

/// Numbers by score, best first, those without one last; equal ones by `then`, then as they stand.
fn sorted(number: usize, score: impl Fn(usize) -> Option<f64>, then: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..number).collect();
    let key = |at: &usize| (score(*at).unwrap_or(f64::NEG_INFINITY), then(*at));
    order.sort_by(|one, other| {
        let (one, other) = (key(one), key(other));
        other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    order
}

/// What the index found, nearest first, then the rest; and what it missed among the `top` nearest.
fn with_found(exact: &[usize], found: &[usize], top: usize, number: usize) -> (Vec<usize>, Vec<usize>) {
    let mut is_found = vec![false; number];
    for at in found {
        if let Some(flag) = is_found.get_mut(*at) {
            *flag = true;
        }
    }
    let (mut order, rest): (Vec<usize>, Vec<usize>) =
        exact.iter().partition(|at| is_found.get(**at).copied().unwrap_or(false));
    order.extend(rest);
    let missed = exact.iter().take(top).copied().filter(|at| !is_found.get(*at).copied().unwrap_or(false)).collect();
    (order, missed)
}

/// Windows in order, and which of them were found at all: these stand before the others.
type Found<'a> = (&'a [usize], &'a dyn Fn(usize) -> bool);

/// Reciprocal rank fusion: each list gives one over its rank to what it found.
#[allow(clippy::cast_precision_loss)]
fn fuse(number: usize, lists: [Found<'_>; 2]) -> Vec<f64> {
    let mut fused = vec![0.0; number];
    for (list, is_found) in lists {
        for (rank, at) in list.iter().enumerate().filter(|(_, at)| is_found(**at)) {
            if let Some(score) = fused.get_mut(*at) {
                *score += 1.0 / (FUSION + rank as f64 + 1.0);
            }
        }
    }
    fused
}

/// Maximal marginal relevance: the best `top` are taken one by one, each held back by its likeness to those before it.
/// The rest keep their order. Returns what would have been among the best without that.
fn spread(
    order: &mut Vec<usize>,
    by: &[Option<f64>],
    top: usize,
    settings: &Settings,
    like: &dyn Fn(usize, usize) -> f64,
) -> Vec<(usize, usize)> {
    let top = top.min(SPREAD_MAX);
    let pool = order.len().min(PAIRS_MAX / top.max(1));
    let best = by.iter().flatten().copied().fold(0.0_f64, f64::max);
    // Cosines are between -1 and 1 as they are; other scores are measured against the best.
    let scale = if settings.ranking == Ranking::Embed || best <= 0.0 { 1.0 } else { best };
    let near = |at: usize| by.get(at).copied().flatten().unwrap_or(0.0) / scale;
    let mut rest: Vec<(usize, f64, usize)> = order.iter().take(pool).map(|at| (*at, 0.0, usize::MAX)).collect();
    let mut taken: Vec<usize> = Vec::with_capacity(top);
    while taken.len() < top && !rest.is_empty() {
        let worth = |(at, likeness, _): &(usize, f64, usize)| {
            (1.0 - settings.diversity) * near(*at) - settings.diversity * likeness
        };
        let mut chosen = 0;
        for other in 1..rest.len() {
            if worth(&rest[other]) > worth(&rest[chosen]) {
                chosen = other;
            }
        }
        let (at, ..) = rest.remove(chosen);
        for (other, likeness, with) in &mut rest {
            let now = like(at, *other);
            if now > *likeness {
                (*likeness, *with) = (now, at);
            }
        }
        taken.push(at);
    }
    let was_near: Vec<usize> = order.iter().take(top).copied().collect();
    let passed = rest
        .iter()
        .filter(|(at, _, with)| *with != usize::MAX && was_near.contains(at))
        .map(|(at, _, with)| (*at, *with))
        .collect();
    let mut now = taken.clone();
    let mut is_taken = vec![false; by.len()];
    for at in taken {
        if let Some(flag) = is_taken.get_mut(at) {
            *flag = true;
        }
    }
    now.extend(order.iter().copied().filter(|at| !is_taken.get(*at).copied().unwrap_or(false)));
    *order = now;
    passed
}
