//! pack: the memories most relevant to a query, within a budget of tokens (source 2: pack()).
//!
//! As db0 has it: twice as many as are wanted are looked at, texts with the same first 200 characters once, tokens are
//! characters / 4, and it stops at the first line over the budget.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::policy::{Choice, Memory as Settings, PackedText};

use super::turn::Shown;
use super::{Edge, EdgeKind, Memory, MemoryId, Owners, Store};

/// The line that stands before packed memories.
const HEADER: &str = "## Relevant Memory";
/// Characters by which texts are told apart.
const TOLD_APART: usize = 200;
/// Candidates that are told of at most.
const TOLD: usize = 200;
/// From which share of the smallest score on memories are still told of.
pub const LISTED_FROM: f32 = 0.75;

/// The least score of a memory that is told of.
#[must_use]
#[allow(clippy::cast_possible_truncation)]
pub fn told_from(settings: &Settings) -> f32 {
    settings.min_score.0 as f32 * LISTED_FROM
}

/// Whether a score is as good as the least that is asked for. That of a text with itself is not always exactly 1.
#[must_use]
pub fn reaches(score: f32, least: f32) -> bool {
    const NOISE: f32 = 1e-6;
    score >= least - NOISE
}

/// What is asked for.
pub struct Pack<'a> {
    /// The query's vector.
    pub query: &'a [f32],
    /// Its words.
    pub asked: &'a str,
    /// Whose memories may be seen.
    pub owners: &'a Owners,
    /// How many, how good, how large.
    pub settings: &'a Settings,
    /// Tokens of the window, for a budget that is a share of it.
    pub window: u64,
    /// Tokens of a text, as the window counts them. A script of few characters a token has more of them than its
    /// characters / 4: a budget holds both ways.
    pub count: &'a dyn Fn(&str) -> u64,
    /// Whether a memory's text stands in the window anyway.
    pub present: &'a dyn Fn(MemoryId, &Memory) -> bool,
}

/// Why a memory was taken or left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// It was taken, as this number from 1.
    Taken(u32),
    /// Its text stands in the window anyway.
    Present,
    /// Its text stood in the window as the pack was made; a later stage of that step took it out.
    Gone,
    /// It begins as that one does.
    SameStart(MemoryId),
    /// There were as many better ones as may be taken.
    TooMany,
    /// Twice as many as may be taken were looked at before it.
    Unlooked,
    /// Its line, or one before it, did not fit into the budget: the tokens that its line needs.
    OverBudget(u64),
    /// It is not similar enough.
    BelowScore,
}

impl Why {
    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Why::Taken(_) => "taken",
            Why::Present => "present",
            Why::Gone => "gone",
            Why::SameStart(_) => "same_start",
            Why::TooMany => "too_many",
            Why::Unlooked => "unlooked",
            Why::OverBudget(_) => "over_budget",
            Why::BelowScore => "below_score",
        }
    }
}

/// A memory that was looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The memory.
    pub id: MemoryId,
    /// How relevant it is.
    pub score: f32,
    /// The memory that it was found through, where it was found by a bridge.
    pub through: Option<MemoryId>,
    /// Why it was taken or left.
    pub why: Why,
}

/// A packed memory: what stands before its text, what is shown of the text, what stands after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The memory.
    pub id: MemoryId,
    /// How relevant it is.
    pub score: f32,
    /// `- [1] [session] `, and what enriches it.
    pub before: String,
    /// The ranges of its text, each with what stands before it.
    pub shown: Vec<Shown>,
    /// The score and the relations.
    pub after: String,
    /// Tokens of it, with its line break.
    pub tokens: u64,
}

impl Line {
    /// Its text, with the line break before it.
    fn text(&self, store: &Store) -> String {
        let of = |(from, to): (usize, usize)| store.get(self.id)?.text.get(from..to);
        let shown = self.shown.iter().flat_map(|(before, range)| [before.as_str(), of(*range).unwrap_or_default()]);
        ["\n", &self.before].into_iter().chain(shown).chain([self.after.as_str()]).collect()
    }
}

/// What was packed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    /// The memories, in order.
    pub lines: Vec<Line>,
    /// What was looked at: what is similar enough, best first, and some that nearly are.
    pub candidates: Vec<Candidate>,
    /// Memories that are similar enough to be told of, and are not.
    pub others: usize,
    /// Memories that are less similar than that.
    pub below: usize,
    /// The best score among those.
    pub best_below: Option<f32>,
    /// Tokens that were allowed.
    pub budget: u64,
    /// Tokens of the text: characters / 4 as db0 has it, or as the window counts them where that is more.
    pub tokens: u64,
}

impl Packed {
    /// The text for the prompt; nothing where no memory was taken.
    #[must_use]
    pub fn text(&self, store: &Store) -> String {
        if self.lines.is_empty() { String::new() } else { self.whole(store) }
    }

    /// The header and the lines.
    fn whole(&self, store: &Store) -> String {
        let mut text = HEADER.to_owned();
        self.lines.iter().for_each(|line| text.push_str(&line.text(store)));
        text
    }

    /// Tokens of each line.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        self.lines.iter().map(|line| line.tokens).collect()
    }

    /// The line that stands before the memories.
    #[must_use]
    pub fn header(&self) -> &'static str {
        HEADER
    }

    /// The memories that were taken.
    #[must_use]
    pub fn taken(&self) -> Vec<MemoryId> {
        self.lines.iter().map(|line| line.id).collect()
    }
}

/// The tokens that may be packed into a window of so many.
#[must_use]
pub fn budget(settings: &Settings, window: u64) -> u64 {
    if settings.budget_tokens > 0 { settings.budget_tokens } else { settings.budget_ratio.of(window) }
}

/// Chooses memories for a query.
#[must_use]
#[allow(clippy::cast_possible_truncation)]
pub fn pack(store: &Store, ask: &Pack) -> Packed {
    let settings = ask.settings;
    let (space, least) = (store.space(), settings.min_score.0 as f32);
    let most = usize::try_from(settings.max_items).unwrap_or(usize::MAX);
    let mut packed = Packed { budget: budget(settings, ask.window), ..Packed::default() };
    // A cosine of exactly nothing tells of nothing.
    let floor = space.cosine_of(told_from(settings)).max(f32::EPSILON);
    // Promotion may bring up what is not among the best: a wide choice is ranked.
    let wide = TOLD.max(most.saturating_mul(4));
    let absent = |id: MemoryId, memory: &Memory| !(ask.present)(id, memory);
    let ([absent, present], others, below) = store.seen(ask.query, floor, ask.owners, wide, absent);
    packed.others = others;
    packed.best_below = below.nearest.map(|cosine| space.relevance(cosine));
    let told = absent.len() + present.len();
    let candidate = |(id, cosine): (MemoryId, f32), why| {
        let score = space.relevance(cosine).min(1.0);
        Candidate { id, score, through: None, why: if reaches(score, least) { why } else { Why::BelowScore } }
    };
    let mut ranked: Vec<Candidate> = absent.into_iter().map(|found| candidate(found, Why::BelowScore)).collect();
    ranked.extend(present.into_iter().map(|found| candidate(found, Why::Present)));
    through_bridges(store, ask, least, &mut ranked);
    // One that a bridge leads to may be any of the others.
    packed.below = below.number.saturating_sub(ranked.len() - told);
    packed.best_below = packed.best_below.filter(|_| packed.below > 0);
    let rank = |one: &Candidate| {
        let promoted = store.state(one.id).promoted;
        one.score + if promoted { settings.promote_boost.0 as f32 } else { 0.0 }
    };
    let order = |one: &Candidate, other: &Candidate| {
        let fits = |one: &Candidate| {
            u8::from(reaches(one.score, least)) + u8::from(reaches(one.score, least) && one.why != Why::Present)
        };
        fits(other).cmp(&fits(one)).then(rank(other).total_cmp(&rank(one))).then(other.id.cmp(&one.id))
    };
    ranked.sort_by(order);
    let mut starts: BTreeMap<String, MemoryId> = BTreeMap::new();
    let (mut looked, mut taken) = (0, Vec::new());
    for candidate in &mut ranked {
        let Some(memory) = store.get(candidate.id) else { continue };
        if !reaches(candidate.score, least) || candidate.why == Why::Present {
            break;
        }
        looked += 1;
        if looked > most.saturating_mul(2) || taken.len() >= most {
            candidate.why = if taken.len() >= most { Why::TooMany } else { Why::Unlooked };
            continue;
        }
        match starts.entry(memory.read().chars().take(TOLD_APART).collect()) {
            Entry::Occupied(first) => candidate.why = Why::SameStart(*first.get()),
            Entry::Vacant(place) => {
                place.insert(candidate.id);
                candidate.why = Why::OverBudget(0);
                taken.push((candidate.id, candidate.score));
            }
        }
    }
    let over = write_lines(store, ask, &taken, &mut packed);
    for (number, line) in (1u32..).zip(&packed.lines) {
        if let Some(candidate) = ranked.iter_mut().find(|candidate| candidate.id == line.id) {
            candidate.why = Why::Taken(number);
        }
    }
    for (id, needs) in over {
        if let Some(candidate) = ranked.iter_mut().find(|candidate| candidate.id == id) {
            candidate.why = Why::OverBudget(needs);
        }
    }
    packed.others += ranked.len().saturating_sub(TOLD);
    ranked.truncate(TOLD);
    packed.candidates = ranked;
    packed
}

/// Memories that are bridged to a relevant one come in a little behind it.
fn through_bridges(store: &Store, ask: &Pack, least: f32, ranked: &mut Vec<Candidate>) {
    let bridges: Vec<&Edge> = store.edges().iter().filter(|edge| edge.kind == EdgeKind::Bridges).collect();
    if bridges.is_empty() {
        return;
    }
    let scores: BTreeMap<MemoryId, f32> =
        ranked.iter().filter(|one| reaches(one.score, least)).map(|one| (one.id, one.score)).collect();
    let mut found: BTreeMap<MemoryId, (f32, MemoryId)> = BTreeMap::new();
    for edge in bridges {
        for (from, to) in [(edge.from, edge.to), (edge.to, edge.from)] {
            let (Some(score), None) = (scores.get(&from), scores.get(&to)) else { continue };
            let Some(memory) = store.get(to).filter(|_| store.state(to).is_live()) else { continue };
            let score = score * edge.score.clamp(0.0, 1.0);
            let better = found.get(&to).is_none_or(|(best, _)| *best < score);
            if reaches(score, least) && better && ask.owners.see(memory) && !(ask.present)(to, memory) {
                found.insert(to, (score, from));
            }
        }
    }
    ranked.retain(|one| !found.contains_key(&one.id));
    ranked.extend(found.into_iter().map(|(id, (score, through))| Candidate {
        id,
        score,
        through: Some(through),
        why: Why::BelowScore,
    }));
}

/// What stands after a memory's text.
fn scored(score: f32) -> String {
    format!(" (score: {score:.2})")
}

/// Tokens of a text in a pack: as they are counted, and no fewer than one for four characters.
fn tokens_of(text: &str, count: &dyn Fn(&str) -> u64) -> u64 {
    count(text).max((text.chars().count() as u64).div_ceil(4))
}

/// Names the relations between lines, at both ends: ` {contradicts [2]}`.
fn relate(store: &Store, lines: &mut [Line], count: &dyn Fn(&str) -> u64) {
    let place: BTreeMap<MemoryId, usize> = (1..).zip(lines.iter()).map(|(number, line)| (line.id, number)).collect();
    for line in lines {
        let related = store.edges_of(line.id).filter(|(_, edge)| edge.kind != EdgeKind::Supersedes);
        let mut named: Vec<(usize, &str)> =
            related.filter_map(|(other, edge)| Some((*place.get(&other)?, edge.kind.name()))).collect();
        named.sort_unstable();
        let mut after = scored(line.score);
        if !named.is_empty() {
            let words: Vec<String> = named.iter().map(|(other, kind)| format!("{kind} [{other}]")).collect();
            after.push_str(&format!(" {{{}}}", words.join(", ")));
        }
        if line.after != after {
            line.after = after;
            line.tokens = tokens_of(&line.text(store), count);
        }
    }
}

/// Writes the lines that fit into the budget, up to the first that does not; of the others, the tokens that they need.
fn write_lines(store: &Store, ask: &Pack, taken: &[(MemoryId, f32)], packed: &mut Packed) -> Vec<(MemoryId, u64)> {
    let (settings, count) = (ask.settings, ask.count);
    let (mut over, query) = (Vec::new(), store.asked(ask.asked));
    let asked = query.asked();
    let room = packed.budget.saturating_mul(4);
    let (mut chars, mut counted) = (HEADER.chars().count() as u64, count(HEADER));
    for (number, (id, score)) in (1usize..).zip(taken) {
        let Some(memory) = store.get(*id) else { continue };
        let mut line = Line {
            id: *id,
            score: *score,
            before: format!("- [{number}] [{}] ", memory.scope.name()),
            shown: store.shown(settings.show, *id, asked),
            after: scored(*score),
            tokens: 0,
        };
        match &memory.around {
            // The text as it reads in its context stands for the text.
            Some(text) if memory.rewritten => {
                line.shown.clear();
                if settings.show == PackedText::Whole {
                    line.before.push_str(text);
                } else {
                    store.read(text).shown_for(asked).iter().for_each(|(joint, (from, to))| {
                        line.before.push_str(joint);
                        line.before.push_str(text.get(*from..*to).unwrap_or_default());
                    });
                }
            }
            Some(around) => {
                line.before.push_str(around);
                line.before.push('\n');
            }
            None => {}
        }
        let text = line.text(store);
        let (size, own) = (text.chars().count() as u64, count(&text));
        line.tokens = own.max(size.div_ceil(4));
        let mut sum = counted + own;
        if sum > packed.budget && over.is_empty() {
            // The whole may have fewer tokens than its lines.
            sum = count(&[&packed.whole(store), text.as_str()].concat());
        }
        if chars + size > room || sum > packed.budget || !over.is_empty() {
            over.push((*id, line.tokens));
            continue;
        }
        (chars, counted) = (chars + size, sum);
        packed.lines.push(line);
    }
    // The whole may have more tokens than its lines, and relations are named between those that stay.
    loop {
        if settings.include_edges {
            relate(store, &mut packed.lines, count);
        }
        packed.tokens = tokens_of(&packed.text(store), count);
        if packed.tokens <= packed.budget {
            break;
        }
        let Some(line) = packed.lines.pop() else { break };
        over.insert(0, (line.id, line.tokens));
    }
    if packed.lines.is_empty() {
        packed.tokens = 0;
    }
    over
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::How;
    use super::super::tests::{angles, at, memory, of, packed, packed_by};
    use super::*;
    use crate::policy::{Scope, Share};

    #[test]
    fn what_enriches_a_memory_is_packed_with_it_and_a_rewritten_text_in_its_place() {
        let mut store = angles();
        let of = |text, around: &str, rewritten| Memory {
            around: Some(Arc::from(around)),
            rewritten,
            ..memory(text, Scope::Session)
        };
        store.push(of("It fails there. More.", "Before: The parser.", false), &at(0.0));
        store.push(of("It is slow. More.", "The lexer is slow. And more.", true), &at(10.0));
        let pack = |show| {
            let settings = Settings { show, ..Settings::default() };
            packed(&store, &settings).text(&store).lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        let first = ["- [1] [session] Before: The parser.", "It fails there. (score: 1.00)"];
        let second = "- [2] [session] The lexer is slow. (score: 0.98)";
        assert_eq!(pack(PackedText::Summary), [first[0], first[1], second]);
        let whole =
            ["It fails there. More. (score: 1.00)", "- [2] [session] The lexer is slow. And more. (score: 0.98)"];
        assert_eq!(pack(PackedText::Whole), [first[0], whole[0], whole[1]]);
    }

    #[test]
    fn a_turn_is_packed_with_its_answer() {
        let store = of(&[("user: Which port is it?\nassistant: It is 5433. More.", 0.0)]);
        let line = "- [1] [session] user: Which port is it? assistant: It is 5433. (score: 1.00)";
        assert!(packed(&store, &Settings::default()).text(&store).ends_with(line));
    }

    #[test]
    fn what_was_made_of_several_is_packed_whole() {
        let mut store = angles();
        store.push(
            Memory { how: How::Merged, ..memory("North is 4411. So.\nSouth is 4412.", Scope::Session) },
            &at(0.0),
        );
        assert!(packed(&store, &Settings::default()).text(&store).contains("So.\nSouth is 4412. (score"));
    }

    #[test]
    fn others_are_those_that_are_similar_enough_to_be_told_of() {
        // Of 0.4 at least; told of from 0.3 on, and 73 degrees are 0.292: near enough to look at twice.
        let settings = Settings::default();
        let store = of(&[("One.", 0.0), ("Two.", 70.0), ("Three.", 73.0)]);
        let found = packed(&store, &settings);
        assert_eq!((found.candidates.len(), found.others), (2, 0), "{:?}", settings.min_score);
        let best = found.best_below.unwrap();
        assert!(found.below == 1 && (best - 0.292).abs() < 0.001, "{best}");
        let many: Vec<(String, f64)> = (0u8..210).map(|at| (format!("Text {at}."), f64::from(at) / 10.0)).collect();
        let many: Vec<(&str, f64)> = many.iter().map(|(text, angle)| (text.as_str(), *angle)).collect();
        let found = packed(&of(&many), &settings);
        assert_eq!((found.candidates.len(), found.others, found.below, found.best_below), (TOLD, 10, 0, None));
    }

    #[test]
    fn a_score_that_is_one_but_for_rounding_is_one() {
        let settings = Settings { min_score: Share(1.0), ..Settings::default() };
        for off in [0.0f32, -6e-8, -5e-7, -1e-3] {
            let store = of(&[("One.", f64::from(1.0 + off).clamp(-1.0, 1.0).acos().to_degrees())]);
            assert_eq!(packed(&store, &settings).lines.len(), usize::from(off > -1e-4), "{off}");
        }
    }

    #[test]
    fn a_pack_that_fits_its_budget_whole_is_taken() {
        let store = of(&[("ten chars.", 0.0)]);
        let within = |budget_tokens| Settings { budget_tokens, ..Settings::default() };
        // Two texts have one token more than both in one.
        let count = |text: &str| text.chars().count().div_ceil(3) as u64;
        let found = packed_by(&store, &within(20), &count);
        assert_eq!((found.lines.len(), found.tokens, found.lines[0].tokens + count(found.header())), (1, 20, 20));
        assert_eq!(packed_by(&store, &within(19), &count).lines.len(), 0);
    }
}
