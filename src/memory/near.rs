//! Which sentences of a text a sentence is most like, by the words and figures in them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use crate::chunk::dot;

use super::claim::Claim;
use super::figure::{figures_among, is_same, joins};
use super::lexer::{self, Word, is_figure, is_number, is_part};
use super::marks::{said, task};
use super::measure::Support;
use super::words::{each_of, each_word, is_silent, start};
use super::{Vector, by_words, plain};

/// Sentences, the most alike, among which the source of one is looked for, and those that are compared for that.
const CLOSEST: usize = 8;
const COMPARED: usize = 200;

/// The different words of a text that say something, by their first letters, and its figures.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    starts: BTreeSet<String>,
    pub figures: BTreeSet<String>,
}

impl Said {
    /// Reads a text.
    pub fn of(text: &str) -> Said {
        let plain = plain(task(text).1);
        Said::of_words(&lexer::words(&plain))
    }

    fn of_words(words: &[Word]) -> Said {
        let (mut said, mut at) = (Said::default(), 0);
        for figure in figures_among(words).into_iter().map(Some).chain([None]) {
            let (from, to) = figure.as_ref().map_or((words.len(), words.len()), |figure| figure.place);
            for word in words.get(at..from).unwrap_or_default() {
                if word.text.contains(char::is_alphanumeric) && !is_silent(&word.text) {
                    said.starts.insert(start(&word.text).to_owned());
                }
            }
            said.figures.extend(figure.map(|figure| figure.text));
            at = to;
        }
        said
    }

    /// The share of it that stands in another text.
    #[allow(clippy::cast_precision_loss)]
    pub fn share_in(&self, other: &Said) -> f64 {
        let number = self.number();
        let held =
            |figure: &&String| other.figures.contains(*figure) || other.figures.iter().any(|one| is_same(figure, one));
        let held = self.starts.intersection(&other.starts).count() + self.figures.iter().filter(held).count();
        if number == 0 { 1.0 } else { held as f64 / number as f64 }
    }

    /// How many words and figures it has.
    pub fn number(&self) -> usize {
        self.starts.len() + self.figures.len()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.number() == 0
    }
}

/// Which of some texts share words, by the words' first letters: few of many have any in common with another.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    places: HashMap<String, Vec<usize>>,
    texts: usize,
}

impl Shared {
    /// Of texts in their order.
    pub fn of<'a>(texts: impl Iterator<Item = &'a Said>) -> Shared {
        let mut shared = Shared::default();
        for said in texts {
            for start in &said.starts {
                shared.places.entry(start.clone()).or_default().push(shared.texts);
            }
            shared.texts += 1;
        }
        shared
    }

    /// The texts in which so large a share of another may stand: what [`Said::share_in`] tells of all the rest is less.
    #[allow(clippy::cast_precision_loss)]
    pub fn may_hold(&self, said: &Said, share: f64) -> impl Iterator<Item = usize> {
        let mut held = vec![said.figures.len(); self.texts];
        for at in said.starts.iter().filter_map(|start| self.places.get(start)).flatten() {
            held[*at] += 1;
        }
        let least = share * said.number() as f64;
        held.into_iter().enumerate().filter(move |(_, held)| *held as f64 >= least).map(|(at, _)| at)
    }
}

/// The share of a sentence's words that stand in another.
#[must_use]
pub fn share_in(sentence: &str, other: &str) -> f64 {
    Said::of(sentence).share_in(&Said::of(other))
}

/// A sentence of a source.
pub(super) struct Sentence<'a> {
    /// Whether something supports it.
    pub trust: Support,
    /// The source's number.
    pub source: usize,
    /// Its range there.
    pub range: (usize, usize),
    /// Its words.
    pub text: &'a str,
    /// How many of its words say something.
    words: usize,
    /// Made when they are first asked for: few are.
    vector: OnceLock<Vector>,
    said: OnceLock<Said>,
    claim: OnceLock<Claim>,
}

impl Sentence<'_> {
    /// Its words and figures.
    pub fn said(&self) -> &Said {
        self.said.get_or_init(|| Said::of(self.text))
    }

    /// What it claims.
    pub fn claim(&self) -> &Claim {
        self.claim.get_or_init(|| Claim::of(self.text))
    }
}

/// A text that a summary stands for.
#[derive(Clone, Copy, Debug)]
pub struct Backing<'a> {
    /// Its words.
    pub text: &'a str,
    /// Whether something is done in it: it is the call of a tool, or what that gave.
    pub acts: bool,
}

impl<'a> Backing<'a> {
    /// A text in which nothing is done.
    #[must_use]
    pub fn said(text: &'a str) -> Self {
        Backing { text, acts: false }
    }
}

/// The sentences of sources, by the words in them.
#[derive(Default)]
pub(super) struct Sources<'a> {
    /// The sentences.
    pub sentences: Vec<Sentence<'a>>,
    places: HashMap<String, Vec<usize>>,
    figures: HashSet<String>,
    words: HashSet<String>,
    /// Which sources act.
    acts: Vec<bool>,
}

impl<'a> Sources<'a> {
    /// Reads sources; `trust` tells of a source's number and a sentence of it whether that has support.
    pub fn of(sources: &[Backing<'a>], trust: &dyn Fn(usize, &str) -> Support) -> Self {
        let mut all = Sources { acts: sources.iter().map(|source| source.acts).collect(), ..Sources::default() };
        for (source, text) in sources.iter().map(|source| source.text).enumerate() {
            for range in said(text) {
                let Some(text) = text.get(range.0..range.1) else { continue };
                let (number, mut words, plain) = (all.sentences.len(), 0, plain(text));
                let lexed = lexer::words(&plain);
                each_of(&lexed, |word| {
                    words += 1;
                    if !all.words.contains(word) {
                        all.words.insert(word.to_owned());
                    }
                    let start = start(word);
                    let at = match all.places.get_mut(start) {
                        Some(at) => at,
                        None => all.places.entry(start.to_owned()).or_default(),
                    };
                    if at.last() != Some(&number) {
                        at.push(number);
                    }
                });
                let trust = trust(source, text);
                // What only a sentence without support says, nothing says.
                if trust != Support::None && lexed.iter().any(|word| is_figure(&word.text) || joins(word.after)) {
                    all.figures.extend(figures_among(&lexed).into_iter().map(|figure| figure.text));
                }
                let (vector, said, claim) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
                all.sentences.push(Sentence { trust, source, range, text, words, vector, said, claim });
            }
        }
        all
    }

    /// Whether a figure stands in any of them: also a number without its unit, and a name as its words.
    pub fn has(&self, figure: &str) -> bool {
        let bare = figure.split_once(' ').map(|(number, _)| number);
        let mut pieces = figure.split(|sign| !is_part(sign)).filter(|piece| !piece.is_empty()).peekable();
        let as_words = bare.is_none() && !is_number(figure) && pieces.peek().is_some();
        self.figures.contains(figure)
            || self.words.contains(bare.unwrap_or(figure))
            || (as_words && pieces.all(|piece| is_number(piece) || self.words.contains(piece)))
            || self.figures.iter().any(|one| is_same(figure, one))
    }

    /// Whether somebody acts after a sentence on what is told, by its figures, or its words where it has none: what the
    /// sentence leaves open may be settled by that.
    pub fn may_be_settled(&self, sentence: &Sentence, told: &str) -> bool {
        let (mut has_figures, mut by_figure, mut by_word) = (false, false, false);
        each_word(told, |word| {
            let is_figure = is_figure(word);
            let acts = |at: &&usize| {
                self.sentences.get(**at).is_some_and(|one| {
                    self.acts.get(one.source) == Some(&true) && (!is_figure || plain(one.text).contains(word))
                })
            };
            let later = |at: &&usize| self.sentences.get(**at).is_some_and(|one| one.source > sentence.source);
            let found =
                self.places.get(start(word)).is_some_and(|at| at.iter().rev().take_while(later).any(|at| acts(&at)));
            has_figures |= is_figure;
            by_figure |= is_figure && found;
            by_word |= found;
        });
        if has_figures { by_figure } else { by_word }
    }

    /// The sentences that are most like some words, the most alike first. Those that share the rarest of them are
    /// compared: only what shares a word can be the source of another.
    #[allow(clippy::cast_precision_loss)]
    pub fn near(&self, words: &str) -> Vec<usize> {
        let (mut starts, mut shared) = (BTreeSet::new(), vec![0.0f32; self.sentences.len()]);
        each_word(words, |word| {
            starts.insert(start(word).to_owned());
        });
        for at in starts.iter().filter_map(|start| self.places.get(start)) {
            let rare = (1.0 + self.sentences.len() as f32 / at.len() as f32).ln();
            at.iter().for_each(|at| shared[*at] += rare);
        }
        let weigh = |(at, shared): (usize, f32)| {
            (at, shared / self.sentences.get(at).map_or(1.0, |one| one.words.max(1) as f32).sqrt())
        };
        let shared = shared.into_iter().enumerate().filter(|(_, shared)| *shared > 0.0);
        let mut near: Vec<(usize, f32)> = shared.map(weigh).collect();
        let order = |one: &(usize, f32), other: &(usize, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
        if near.len() > COMPARED {
            near.select_nth_unstable_by(COMPARED, order);
            near.truncate(COMPARED);
        }
        let own = by_words(words);
        for (at, score) in &mut near {
            if let Some(one) = self.sentences.get(*at) {
                *score = dot(&own, one.vector.get_or_init(|| by_words(one.text)));
            }
        }
        near.sort_by(order);
        near.truncate(CLOSEST);
        near.into_iter().map(|(at, _)| at).collect()
    }
}
