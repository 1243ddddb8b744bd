//! What a summary keeps of a text: fact by fact, literally, in other words or not at all; and where each of its own
//! sentences is from.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use rayon::prelude::*;

use super::claim::Claim;
use super::clauses::answered;
use super::denied::is_denial;
use super::figure::{is_same, keys_of};
use super::fragment::is_fragment;
use super::implied::{as_much, implied};
use super::joined;
use super::lexer::{is_figure, words as lexed};
use super::linked::{self, Pair};
use super::marks::{bare, claims_nothing, lines_of_code, pieces, said, task};
use super::mixed::{is_frame_of, is_mixed, is_mixed_in, is_of_all_else, is_of_other, is_of_other_clause};
use super::named::has_figure;
use super::near::{Backing, CLOSEST, Said, Sentence, Sources};
use super::nowhere;
use super::sense::statements;
use super::warrant::says_no_more;
use super::whole::holds_words;
use super::words::{each_word, exact};
use super::written::Written;

/// Share of a fact's words that a sentence needs to say the same.
const SAME: f64 = 0.6;
/// Facts of one text at most, and the characters of one: what is longer is data.
const FACTS: usize = 5_000;
const LONGEST: usize = 400;

/// What became of a fact in a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Its words stand there.
    Literal,
    /// A sentence has its figures and most of its words.
    Paraphrase,
    /// Nothing says it.
    Lost,
}

impl Kept {
    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kept::Literal => "literal",
            Kept::Paraphrase => "paraphrase",
            Kept::Lost => "lost",
        }
    }
}

/// Whether what a summary stands for supports a sentence of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// Nothing says it: a figure of it stands nowhere, what comes nearest says otherwise, no text has a word of it, or
    /// words that tell what it is about stand nowhere.
    None,
    /// No sentence says it, and none says otherwise: it may be drawn from several.
    Open,
    /// A sentence has most of its words, its figures stand together in a source, and it denies, orders and relates
    /// nothing otherwise.
    Stands,
}

/// A sentence of a summary, and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Aligned {
    /// Its range in the summary.
    pub range: (usize, usize),
    /// The source's number and the range in it that it is most like.
    pub from: Option<(usize, (usize, usize))>,
    /// Share of its words that stand there.
    pub score: f64,
    /// Whether anything supports it.
    pub support: Support,
    /// Its words that stand nowhere, where it has no support for that. Untrusted.
    pub nowhere: Vec<String>,
}

/// The facts of a text: its sentences that hold a figure or an identifier and say something of it, each once. A line of
/// code that sets nothing is none.
#[must_use]
pub fn facts_of(text: &str) -> Vec<(usize, usize)> {
    let mut seen = BTreeSet::new();
    let mut found = said(text);
    found.retain(|(from, to)| {
        let words = text.get(*from..*to).unwrap_or_default();
        let short = words.len() <= LONGEST || words.chars().nth(LONGEST).is_none();
        short && has_figure(words) && says_something(words) && !is_fragment(words) && seen.insert(bare(words))
    });
    found.truncate(FACTS);
    found
}

/// Whether a text has a word: a number alone is no fact, nor is one among brackets. What has a name of letters and
/// digits says something of that: "The p99 is 1.2s".
fn says_something(text: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|sign| sign.is_alphabetic()).count();
    let is_named = |word: &str| word.starts_with(char::is_alphabetic) && is_figure(word);
    let (mut says, mut named, mut words) = (false, false, 0);
    each_word(text, |word| {
        words += 1;
        says |= letters(word) >= 3 || !word.is_ascii();
        named |= is_named(word);
    });
    says || (named && words > 1)
}

/// A summary made ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    statements: Vec<Statement>,
    /// The statements with each stem, and with each key of a figure.
    by_stem: HashMap<String, Vec<usize>>,
    by_key: HashMap<String, Vec<usize>>,
}

/// A statement of a summary.
#[derive(Clone, Debug)]
struct Statement {
    words: Box<str>,
    plain: String,
    said: Said,
    /// Made when it is first asked for: few facts are near enough to a statement.
    claim: OnceLock<Claim>,
}

impl Statement {
    fn claim(&self) -> &Claim {
        self.claim.get_or_init(|| Claim::of(&self.words))
    }
}

impl Summary {
    /// Reads a summary.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let statement = |words: &str| Statement {
            words: Box::from(words),
            plain: bare(words),
            said: Said::of(words),
            claim: OnceLock::new(),
        };
        let mut ranges: Vec<(usize, usize)> =
            statements(text).into_iter().flat_map(|range| pieces(text, range)).collect();
        // What stands in a block of code is written there line by line, whatever goes on around it.
        let lines = lines_of_code(text).filter(|line| !ranges.contains(line)).collect::<Vec<_>>();
        ranges.extend(lines);
        let ranges = ranges.into_iter().filter_map(|(from, to)| text.get(from..to));
        let mut summary = Summary { statements: ranges.map(statement).collect(), ..Summary::default() };
        for (at, one) in summary.statements.iter().enumerate() {
            for stem in &one.said.stems {
                summary.by_stem.entry(stem.clone()).or_default().push(at);
            }
            for key in one.said.figures.iter().flat_map(|figure| keys_of(figure)) {
                let known = summary.by_key.entry(key.into_owned()).or_default();
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
        }
        summary
    }

    /// The statements that have enough of a fact's words to say it.
    #[allow(clippy::cast_precision_loss)]
    fn near(&self, own: &Said) -> Vec<&Statement> {
        let mut shared = vec![(0usize, 0usize); self.statements.len()];
        for at in own.stems.iter().filter_map(|stem| self.by_stem.get(stem)).flatten() {
            shared[*at].0 += 1;
        }
        for figure in &own.figures {
            let held: BTreeSet<usize> =
                keys_of(figure).filter_map(|key| self.by_key.get(&*key)).flatten().copied().collect();
            for at in held {
                let is_held = |one: &Statement| one.said.figures.iter().any(|other| is_same(figure, other));
                shared[at].1 += usize::from(self.statements.get(at).is_some_and(is_held));
            }
        }
        // What has all of its words may have its figures in a longer one: it may stand there literally.
        let is_near = |(stems, figures): (usize, usize)| {
            stems == own.stems.len() || (stems + figures) as f64 >= SAME * own.number() as f64
        };
        self.statements.iter().zip(shared).filter(|(_, shared)| is_near(*shared)).map(|(one, _)| one).collect()
    }

    /// What became of a fact. What says its words and denies what it affirms, affirms what it denies, turns its figures
    /// round or says them of something else has lost it. Two sentences may keep what it says in one.
    #[must_use]
    pub fn keeps(&self, fact: &str) -> Kept {
        match self.keeps_in_one(fact) {
            Kept::Lost => {
                let parts = joined::told_apart(fact);
                // Most facts are one clause, and lost: nothing more is read of these.
                if parts.is_empty() {
                    return Kept::Lost;
                }
                let whole = Said::of(fact);
                // What goes on without naming anybody is said of whom the fact names.
                let kept = |part: &&str| {
                    let own = Said::of(part);
                    let says = |one: &Said| one.stems.is_subset(&whole.stems) && own.share_in(one) >= 1.0;
                    self.keeps_among(part, &says) != Kept::Lost
                };
                match parts.iter().all(kept) {
                    true => Kept::Paraphrase,
                    false => Kept::Lost,
                }
            }
            kept => kept,
        }
    }

    /// The same of one sentence of the summary.
    fn keeps_in_one(&self, fact: &str) -> Kept {
        self.keeps_among(fact, &|_| true)
    }

    /// The same of one of the sentences that say what may be.
    fn keeps_among(&self, fact: &str, may: &dyn Fn(&Said) -> bool) -> Kept {
        // Few facts are near enough to a sentence that it matters what they claim.
        let (plain, own, claim) = (bare(fact), Said::of(fact).without_modals(), LazyCell::new(|| Claim::of(fact)));
        let phrase = plain.trim_end_matches(['.', '!', '?', ',', ';', '\u{3002}', '\u{ff01}', '\u{ff1f}']);
        if phrase.is_empty() {
            return Kept::Literal;
        }
        let literal = |one: &&Statement| holds_words(&one.plain, phrase) && claim.says_as(one.claim());
        let said = |one: &&Statement| {
            own.share_in(&one.said) >= SAME
                && claim.is_bound_in(&[one.claim()])
                && claim.counts_as(one.claim())
                && claim.fits(one.claim())
                && !one.claim().does_what_is_asked_in(&claim)
                && !claim.speaks_of_another_than(one.claim())
                && may_be_one((fact, &own), one)
        };
        let mut near = self.near(&own);
        near.retain(|one| may(&one.said));
        if near.iter().any(literal) {
            Kept::Literal
        } else if near.iter().any(said) {
            Kept::Paraphrase
        } else {
            Kept::Lost
        }
    }
}

/// Whether a statement may say what a fact says. One that the fact would not support keeps nothing of it, unless it has
/// more to say than the fact and supports that.
fn may_be_one((fact, own): (&str, &Said), statement: &Statement) -> bool {
    let is_denied = |one: &str, of: &str| {
        let read = Sources::of(&[Backing::said(of)], std::iter::once(one), &|_, _| Support::Stands);
        align_one(one, (0, one.len()), &read).support == Support::None
    };
    let has_more = statement.said.lacks(own) > own.lacks(&statement.said);
    !is_denied(&statement.words, fact) || (has_more && !is_denied(fact, &statement.words))
}

/// Says of each sentence of a summary where it is from, and marks those that nothing supports.
#[must_use]
pub fn align(summary: &str, sources: &[&str]) -> Vec<Aligned> {
    let sources: Vec<Backing> = sources.iter().map(|text| Backing::said(text)).collect();
    align_through(summary, &sources, &|_, _| Support::Stands)
}

/// The same, where some of the sources are summaries themselves: `trust` tells, from a source's number and a sentence
/// of it, what supports that. What stands on a sentence without support has none. Headings and what a summary says of
/// itself claim nothing and are left out.
#[must_use]
pub fn align_through(summary: &str, sources: &[Backing], trust: &dyn Fn(usize, &str) -> Support) -> Vec<Aligned> {
    let mut ranges = said(summary);
    ranges.retain(|range| !claims_nothing(summary, *range));
    let ranges: Vec<(usize, usize)> = ranges.into_iter().flat_map(|range| pieces(summary, range)).collect();
    let words = |range: &(usize, usize)| summary.get(range.0..range.1).unwrap_or_default();
    // What is copied word for word needs no reading: where all is, the sources are not read for what they say.
    let written = Written::of(sources, ranges.iter().map(words), trust);
    let copied: Vec<Option<Aligned>> = ranges.par_iter().map(|range| copied(words(range), *range, &written)).collect();
    let read = match copied.iter().all(Option::is_some) {
        true => Sources::default(),
        false => {
            let rest = ranges.iter().zip(&copied).filter(|(_, copied)| copied.is_none());
            Sources::of(sources, rest.map(|(range, _)| words(range)), trust)
        }
    };
    let all = ranges.par_iter().zip(copied);
    let all = all.map(|(range, copied)| copied.unwrap_or_else(|| align_one(words(range), *range, &read)));
    let mut all: Vec<Aligned> = all.collect();
    nowhere::mark(&mut all, summary, &read, sources);
    nowhere::mark_names(&mut all, summary, sources);
    all
}

/// A sentence that a source has as it is written.
fn copied(words: &str, place: (usize, usize), written: &Written) -> Option<Aligned> {
    let (source, range, trust) = written.find(words).filter(|(.., trust)| *trust != Support::None)?;
    let support = if Said::of(words).is_empty() { Support::Stands } else { trust };
    Some(Aligned { range: place, from: Some((source, range)), score: 1.0, support, nowhere: Vec::new() })
}

/// A sentence as a whole, else by its clauses.
fn align_one(words: &str, place: (usize, usize), read: &Sources) -> Aligned {
    let mut found = align_whole(words, place, read);
    let by_clauses = joined::support(words, &found, read, &|clause| align_surely(clause, place, read));
    let mut is_sure = by_clauses == Some(Support::Stands);
    found.support = by_clauses.unwrap_or(found.support);
    if let Some(from) = joined::sentence_of(&found, read) {
        if let Some(support) = by_answer(words, place, from) {
            found.support = support;
            is_sure = true;
        } else if found.support == Support::Stands
            && (is_mixed_in(words, from.text)
                || is_of_other_clause(words, from.text)
                || is_of_all_else(words, from.text))
        {
            found.support = Support::None;
        }
        if !is_sure {
            found.support = surely(words, &found, read);
        }
        if found.support != Support::Stands && from.trust == Support::Stands && is_as_much(words, place, from) {
            found.support = Support::Stands;
        }
    }
    if found.support != Support::Stands
        && let Some(pair) = by_pair(words, place, read)
    {
        found = pair;
    }
    found
}

/// A sentence as a whole, with support only where it says no more than what it is from.
fn align_surely(words: &str, place: (usize, usize), read: &Sources) -> Aligned {
    let found = align_whole(words, place, read);
    Aligned { support: surely(words, &found, read), ..found }
}

/// What supports a sentence: what says more than what it is from is open.
fn surely(words: &str, found: &Aligned, read: &Sources) -> Support {
    match joined::sentence_of(found, read) {
        Some(from) if found.support == Support::Stands && !says_all(words, from) => Support::Open,
        _ => found.support,
    }
}

/// Whether a sentence says all that another does.
fn says_all(words: &str, from: &Sentence) -> bool {
    Said::of(words).is_empty() || says_no_more(words, from.text, from.acts)
}

/// Where a sentence says it together with one that goes on with it.
fn by_pair(words: &str, place: (usize, usize), read: &Sources) -> Option<Aligned> {
    let says = |pair: Pair| {
        let backing = Backing { text: &pair.text, acts: pair.acts };
        let read = Sources::of(&[backing], std::iter::once(words), &|_, _| Support::Stands);
        let one = align_surely(words, place, &read);
        let stands = one.support == Support::Stands && one.score >= linked::SAID;
        stands.then_some(Aligned { from: Some(pair.from), ..one })
    };
    linked::pairs(&Said::of(words), read).into_iter().find_map(says)
}

/// What supports a sentence where the one that it is from leaves something unsaid, as a short answer does: with that said.
fn by_answer(words: &str, place: (usize, usize), from: &Sentence) -> Option<Support> {
    if from.trust != Support::Stands {
        return None;
    }
    let told = answered(from.text).or_else(|| implied(from.text))?;
    let judge = |text: &str| {
        let backing = Backing { text, acts: from.acts };
        align_surely(words, place, &Sources::of(&[backing], std::iter::once(words), &|_, _| Support::Stands))
    };
    // What one clause denies in all its words, no other supports that has only most of them.
    let own = Said::of(words);
    let has_all = |clause: &Said| own.stems.difference(&clause.stems).all(|stem| is_denial(stem));
    let each: Vec<Support> =
        told.iter().filter(|clause| has_all(&Said::of(clause))).map(|clause| judge(clause).support).collect();
    let is_whole = |support: Support| each.contains(&support);
    if is_whole(Support::None) && !is_whole(Support::Stands) {
        return Some(Support::None);
    }
    Some(judge(&told.join("\n")).support)
}

/// Whether a sentence says what the one that it is from says in other words: all of it stands in these.
fn is_as_much(words: &str, place: (usize, usize), from: &Sentence) -> bool {
    let says = |text: &str| {
        let backing = Backing { text, acts: from.acts };
        let one = align_surely(words, place, &Sources::of(&[backing], std::iter::once(words), &|_, _| Support::Stands));
        one.support == Support::Stands && Said::of(words).without_modals().share_in(&Said::of(text)) >= 1.0
    };
    as_much(from.text).is_some_and(|text| says(&text))
}

fn align_whole(words: &str, place: (usize, usize), read: &Sources) -> Aligned {
    let (own, claim) = (Said::of(words), Claim::of(words));
    let places = read.near(task(words).1);
    let near: Vec<_> = places.iter().filter_map(|at| read.sentences.get(*at)).collect();
    let shares: Vec<f64> = near.iter().map(|one| own.share_in(one.said())).collect();
    let is_bound = || {
        let trusted = near.iter().filter(|one| one.trust != Support::None);
        claim.is_bound_in(&trusted.map(|one| one.claim()).collect::<Vec<&Claim>>())
    };
    // A sentence may deny what an earlier one said: the one that says the same is its source, best with its figures.
    let alike: Vec<usize> =
        (0..near.len()).filter(|at| near[*at].trust != Support::None && shares[*at] >= SAME).collect();
    // What comes nearer and denies it is not overruled by what only has some of its words.
    // What only has many of its words may be about something else: it supports, and denies nothing by itself.
    let denied = alike.iter().copied().filter(|at| *at < CLOSEST && claim.turns(near[*at].claim()));
    let denied = denied.max_by(|one, other| shares[*one].total_cmp(&shares[*other]).then(other.cmp(one)));
    let is_near = |at: &usize| denied.is_none_or(|denied| shares[*at] >= shares[denied]);
    // Where somebody acted after the denial, nobody can tell.
    let is_open = alike.iter().any(|at| !is_near(at) && claim.fits(near[*at].claim()))
        && denied.is_some_and(|denied| read.may_be_settled(near[denied], words));
    let alike: Vec<usize> = alike.into_iter().filter(is_near).collect();
    let says = |at: &usize| {
        let other = near[*at].claim();
        claim.fits(other)
            && !claim.does_what_is_asked_in(other)
            && !claim.speaks_of_another_than(other)
            && !claim.undone().ends_more_than(other.undone())
            // What a tool was called with, or gave, shows what was done without saying so.
            && (near[*at].acts || !claim.does_more_than(other))
    };
    let mut says: Vec<usize> = alike.iter().copied().filter(says).collect();
    // What says all of it goes before what says less.
    if says.iter().any(|at| says_all(words, near[*at])) {
        says.retain(|at| says_all(words, near[*at]));
    }
    let whole = says.iter().copied().find(|at| claim.is_bound_in(&[near[*at].claim()]));
    // What tells the same of another figure or name is not bound by what has that elsewhere.
    let is_free = |at: &usize| !(is_frame_of(near[*at].said(), &own) && claim.replaces(near[*at].claim(), |_| true));
    let bound = says.first().copied().filter(|at| whole.is_none() && is_free(at) && is_bound());
    // What has none of its words is from nowhere.
    let nearest = || {
        let most = |one: &usize, other: &usize| shares[*one].total_cmp(&shares[*other]).then(other.cmp(one));
        (0..near.len()).filter(|at| shares[*at] > 0.0).max_by(most)
    };
    let best = whole.or(bound).or(alike.first().copied()).or_else(nearest);
    // What was open may be given up where another sentence says so.
    let ended = LazyCell::new(|| read.sentences.iter().any(|one| claim.undone().ends_as(&lexed(&exact(one.text)))));
    let denies = |at: &usize| {
        let settled = read.may_be_settled(near[*at], words);
        claim.denies(near[*at].claim(), settled, &|name| read.has(name))
            || (!settled && claim.undone().ends_what_is_open_in(near[*at].claim().undone()) && !*ended)
    };
    let trusted = || near.iter().filter(|one| one.trust != Support::None).copied().collect::<Vec<_>>();
    let of_other = |at: usize| places.get(at).is_some_and(|at| is_of_other(words, *at, read));
    let support = match whole.or(bound).and_then(|at| near.get(at)) {
        _ if own.is_empty() => Support::Stands,
        // Where nothing is there that it could be from, nothing is known.
        None if read.sentences.is_empty() => Support::Open,
        Some(_) if whole.is_none_or(|at| shares[at] < 1.0) && is_mixed(words, &trusted()) => Support::None,
        Some(_) if whole.or(bound).is_some_and(of_other) => Support::None,
        Some(one) => one.trust,
        None if near.is_empty() && own.number() > 1 => Support::None,
        None if alike.iter().any(|at| *at < CLOSEST) && !is_open && alike.iter().all(denies) => Support::None,
        None if near.iter().zip(&shares).any(|(one, share)| one.trust == Support::None && *share >= SAME) => {
            Support::None
        }
        None if claim.own_figures().all(|figure| read.has(figure)) => Support::Open,
        None => Support::None,
    };
    // What is said of the same in all its words but one, and has an opposite in the place of that, denies it.
    let says_opposite = |at: usize| {
        let (said, other) = (near[at].said(), near[at].claim());
        let is_other = claim.is_undone_in(other) || (is_frame_of(said, &own) && claim.replaces(other, |_| true));
        let opposed = claim.opposed_in(other).max(usize::from(is_other));
        let shared = own.stems.intersection(&said.stems).count() + own.figures.intersection(&said.figures).count();
        opposed > 0
            && shared > 0
            && shared + opposed >= own.number()
            && said.number() <= own.number() + 1
            && denies(&at)
    };
    let near_enough = |at: &usize| *at < CLOSEST && near[*at].trust != Support::None;
    let support = match support {
        Support::Open if is_mixed(words, &trusted()) => Support::None,
        Support::Open if alike.is_empty() && (0..near.len()).filter(near_enough).any(says_opposite) => Support::None,
        other => other,
    };
    let score = best.and_then(|at| shares.get(at)).copied().unwrap_or(0.0);
    let from = best.and_then(|at| near.get(at)).map(|one| (one.source, one.range));
    Aligned { range: place, from, score, support, nowhere: Vec::new() }
}
