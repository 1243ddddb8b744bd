//! Which sentences of a text a sentence is most like, by the words and figures in them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use super::claim::Claim;
use super::figure::{figures_among, is_same, joins, keys_of};
use super::fraction::may_tell;
use super::lexer::{Word, is_figure, is_number, is_part};
use super::linked::goes_on;
use super::marks::{pieces, said, task};
use super::measure::Support;
use super::numeral::counted;
use super::sense::stem;
use super::words::{each_of, exact, is_silent};
use super::{Space, Vector, by_words};

/// Sentences, the most alike, among which the source of one is looked for, and those that are compared for that.
pub(super) const CLOSEST: usize = 8;
const COMPARED: usize = 100;
/// Sentences with the most of its words, which are among those whatever else they say.
const COVERING: usize = 4;

/// The different words of a text that say something, by their stems, and its figures.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub stems: BTreeSet<String>,
    pub figures: BTreeSet<String>,
    /// Stems of the words in names of files: `Cargo.lock` may be told as "the lock file".
    files: BTreeSet<String>,
}

impl Said {
    /// Reads a text.
    pub fn of(text: &str) -> Said {
        let plain = exact(task(text).1);
        Said::of_words(&counted(&plain))
    }

    fn of_words(words: &[Word]) -> Said {
        let (mut said, mut at) = (Said::default(), 0);
        for figure in figures_among(words).into_iter().map(Some).chain([None]) {
            let (from, to) = figure.as_ref().map_or((words.len(), words.len()), |figure| figure.place);
            for word in words.get(at..from).unwrap_or_default() {
                if word.text.contains(char::is_alphanumeric) && !is_silent(&word.text) {
                    // "non-blocking" speaks of blocking.
                    let plain = word.text.strip_prefix("non").filter(|plain| plain.len() > 3);
                    said.stems.insert(stem(plain.unwrap_or(&word.text)));
                }
            }
            said.files.extend(figure.iter().flat_map(|figure| words_of_file(&figure.text)));
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
        let held = self.stems.intersection(&other.stems).count() + self.figures.iter().filter(held).count();
        let held = held + self.told_as_files(other);
        if number == 0 { 1.0 } else { held as f64 / number as f64 }
    }

    /// How many of its words and figures stand not in another text.
    pub fn lacks(&self, other: &Said) -> usize {
        let lacks = |figure: &&String| !other.figures.iter().any(|one| is_same(figure, one));
        let missing = self.stems.difference(&other.stems).count() + self.figures.iter().filter(lacks).count();
        missing.saturating_sub(self.told_as_files(other))
    }

    /// Its words that stand not in another text, nor in the name of a file there.
    pub fn missing_in<'a>(&'a self, other: &'a Said) -> Vec<&'a String> {
        self.stems.difference(&other.stems).filter(|stem| !other.files.contains(*stem)).collect()
    }

    /// How many of its words tell of a file what another tells by its name.
    fn told_as_files(&self, other: &Said) -> usize {
        if other.files.is_empty() || !self.stems.contains(FILE) {
            return 0;
        }
        let named = self.stems.difference(&other.stems).filter(|stem| other.files.contains(*stem)).count();
        if named > 0 { named + usize::from(!other.stems.contains(FILE)) } else { 0 }
    }

    /// The same without the words that tell only whether something is, must or may be: another text says that in its own.
    pub fn without_modals(mut self) -> Said {
        self.stems.retain(|stem| !MODALS.contains(&&**stem));
        self
    }

    /// How many words and figures it has.
    pub fn number(&self) -> usize {
        self.stems.len() + self.figures.len()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.number() == 0
    }
}

/// Stems of words that tell whether something is, must or may be.
const MODALS: &[&str] = &["cannot", "may", "must", "never", "no", "not", "onli", "shall"];

/// What is said of a file.
const FILE: &str = "file";

/// The stems of the words in the name of a file: of its last part, where that has an ending of letters.
fn words_of_file(figure: &str) -> Vec<String> {
    let name = figure.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_ending = |end: &str| (2..=6).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_lowercase());
    match name.rsplit_once('.') {
        Some((own, ending)) if own.contains(char::is_alphabetic) && is_ending(ending) => {
            name.split(|sign: char| !sign.is_alphanumeric()).filter(|word| word.len() > 2).map(stem).collect()
        }
        _ => Vec::new(),
    }
}

/// The number and the word that a figure is joined of: "32hex" may be told as "32 hex".
fn apart(figure: &str) -> Option<(&str, &str)> {
    let (number, word) = figure.split_at(figure.find(|sign: char| !sign.is_ascii_digit())?);
    (!number.is_empty() && word.len() > 2 && word.chars().all(char::is_alphabetic)).then_some((number, word))
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
    /// Whether something is done in it: see [`Backing`].
    pub acts: bool,
    /// How many of its words say something.
    words: usize,
    /// Made when they are first asked for: few are.
    vector: OnceLock<Vector>,
    said: OnceLock<Said>,
    claim: OnceLock<Claim>,
}

impl Sentence<'_> {
    /// Its words.
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

/// Where a word stands.
#[derive(Default)]
struct Places {
    /// The sentences, in order.
    at: Vec<usize>,
    /// The last source with it in which something is done.
    acts: Option<usize>,
}

/// The sentences of sources, by the words in them.
#[derive(Default)]
pub(super) struct Sources<'a> {
    /// The sentences.
    pub sentences: Vec<Sentence<'a>>,
    /// Those that go on with the one before.
    pub onward: Vec<usize>,
    places: HashMap<String, Places>,
    figures: HashMap<String, Vec<String>>,
    words: HashSet<String>,
    /// What is looked for: of the words that the sentences have, only those are kept.
    wanted: Wanted,
}

/// The words of the texts that are looked for.
#[derive(Default)]
struct Wanted {
    stems: HashSet<String>,
    words: HashSet<String>,
    figures: HashSet<String>,
    /// The stems of words that have been met; `None` of those that nobody looks for.
    met: HashMap<String, Option<String>>,
}

impl Wanted {
    fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Wanted {
        let mut wanted = Wanted::default();
        for text in texts {
            let plain = exact(text);
            let words = counted(&plain);
            each_of(&words, |word| {
                wanted.stems.insert(stem(word));
                wanted.words.insert(word.to_owned());
            });
            for name in Claim::of(text).looked_up() {
                let (pieces, number) = (name.split(|sign: char| !is_part(sign)), name.split(' ').take(1));
                let apart = apart(name).into_iter().flat_map(|(number, word)| [number, word]);
                wanted.words.extend(pieces.chain(number).chain([name]).chain(apart).map(str::to_owned));
                wanted.figures.extend(keys_of(name).map(std::borrow::Cow::into_owned));
            }
        }
        wanted
    }

    /// The stem of a word, where it is looked for.
    fn stem_of(&mut self, word: &str) -> Option<&str> {
        if !self.met.contains_key(word) {
            let stem = Some(stem(word)).filter(|stem| self.stems.contains(stem));
            self.met.insert(word.to_owned(), stem);
        }
        self.met.get(word)?.as_deref()
    }
}

impl<'a> Sources<'a> {
    /// Reads sources; `trust` tells of a source's number and a sentence of it whether that has support.
    /// `wanted`: the sentences that will be compared with them.
    pub fn of<'t>(
        sources: &[Backing<'a>],
        wanted: impl Iterator<Item = &'t str>,
        trust: &dyn Fn(usize, &str) -> Support,
    ) -> Self {
        let mut all = Sources { wanted: Wanted::of(wanted), ..Sources::default() };
        for (source, backing) in sources.iter().enumerate() {
            for range in said(backing.text) {
                let Some(text) = backing.text.get(range.0..range.1) else { continue };
                let trust = trust(source, text);
                // A line without end is no sentence: it is read in parts.
                for range in pieces(backing.text, range) {
                    if let Some(text) = backing.text.get(range.0..range.1) {
                        all.take(source, backing.acts, range, text, trust);
                    }
                }
            }
        }
        all
    }

    fn take(&mut self, source: usize, acts: bool, range: (usize, usize), text: &'a str, trust: Support) {
        let (number, mut words, plain) = (self.sentences.len(), 0, exact(text));
        let lexed = counted(&plain);
        each_of(&lexed, |word| {
            words += 1;
            if self.wanted.words.contains(word) && !self.words.contains(word) {
                self.words.insert(word.to_owned());
            }
            let Some(stem) = self.wanted.stem_of(word) else { return };
            if !self.places.contains_key(stem) {
                self.places.insert(stem.to_owned(), Places::default());
            }
            let Some(places) = self.places.get_mut(stem) else { return };
            if acts {
                places.acts = Some(source);
            }
            if places.at.last() != Some(&number) {
                places.at.push(number);
            }
        });
        self.onward.extend(goes_on(&lexed).then_some(number));
        // What only a sentence without support says, nothing says.
        let has_wanted = !self.wanted.figures.is_empty() && trust != Support::None;
        let tells = |word: &Word| is_figure(&word.text) || joins(word.after) || may_tell(&word.text);
        if has_wanted && lexed.iter().any(tells) {
            for figure in figures_among(&lexed) {
                for key in keys_of(&figure.text).filter(|key| self.wanted.figures.contains(&**key)) {
                    let known = self.figures.entry(key.into_owned()).or_default();
                    if !known.contains(&figure.text) {
                        known.push(figure.text.clone());
                    }
                }
            }
        }
        self.sentences.push(Sentence {
            trust,
            source,
            range,
            text,
            acts,
            words,
            vector: OnceLock::new(),
            said: OnceLock::new(),
            claim: OnceLock::new(),
        });
    }

    /// Whether a figure stands in any of them: also a number without its unit, and a name as its words.
    pub fn has(&self, figure: &str) -> bool {
        let bare = figure.split_once(' ').map(|(number, _)| number);
        let mut pieces = figure.split(|sign| !is_part(sign)).filter(|piece| !piece.is_empty()).peekable();
        let as_words = bare.is_none() && !is_number(figure) && pieces.peek().is_some();
        let is_there = |key: std::borrow::Cow<str>| {
            self.figures.get(&*key).is_some_and(|known| known.iter().any(|one| is_same(figure, one)))
        };
        let has = |word: &str| self.words.contains(word);
        has(bare.unwrap_or(figure))
            || apart(figure).is_some_and(|(number, word)| has(number) && has(word))
            || (as_words && pieces.all(|piece| is_number(piece) || self.words.contains(piece)))
            || keys_of(figure).any(is_there)
    }

    /// Whether a sentence has a word of a text that was looked for, by its stem.
    pub fn holds(&self, sentence: usize, stem: &str) -> bool {
        self.places.get(stem).is_some_and(|places| places.at.binary_search(&sentence).is_ok())
    }

    /// Whether a word of a text that was looked for stands in any of them, by its stem.
    pub fn has_stem(&self, stem: &str) -> bool {
        self.places.contains_key(stem)
    }

    /// Whether somebody acts after a sentence on what is told, by its figures and names, or its words where it has none:
    /// what the sentence leaves open may be settled by that.
    pub fn may_be_settled(&self, sentence: &Sentence, told: &str) -> bool {
        let plain = exact(told);
        let (mut named, mut by_name, mut by_word) = (false, false, false);
        for word in counted(&plain) {
            let is_name = word.is_name || is_figure(&word.text);
            each_of(std::slice::from_ref(&word), |word| {
                let acts = self.places.get(&stem(word)).and_then(|places| places.acts);
                let found = acts.is_some_and(|source| source > sentence.source);
                named |= is_name;
                by_name |= is_name && found;
                by_word |= found;
            });
        }
        if named { by_name } else { by_word }
    }

    /// The sentences that are most like some words, the most alike first. Those that share the rarest of them are
    /// compared: only what shares a word can be the source of another.
    #[allow(clippy::cast_precision_loss)]
    pub fn near(&self, words: &str) -> Vec<usize> {
        let (mut stems, mut found, mut weights) = (BTreeSet::new(), Vec::new(), vec![0.0f32; self.sentences.len()]);
        let plain = exact(words);
        each_of(&counted(&plain), |word| {
            stems.insert(stem(word));
        });
        for places in stems.iter().filter_map(|stem| self.places.get(stem)) {
            let rare = (1.0 + self.sentences.len() as f32 / places.at.len() as f32).ln();
            for at in &places.at {
                if let Some(shared) = weights.get_mut(*at) {
                    if *shared == 0.0 {
                        found.push(*at);
                    }
                    *shared += rare;
                }
            }
        }
        let shared = |at: usize| weights.get(at).copied().unwrap_or_default();
        let weigh =
            |at: usize| (at, shared(at) / self.sentences.get(at).map_or(1.0, |one| one.words.max(1) as f32).sqrt());
        let order = |one: &(usize, f32), other: &(usize, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
        // A line that is nothing but a number is near whatever has that number.
        let mut covering: Vec<(usize, f32)> = found.iter().map(|at| (*at, shared(*at))).collect();
        if covering.len() > COVERING {
            covering.select_nth_unstable_by(COVERING, order);
            covering.truncate(COVERING);
        }
        let mut near: Vec<(usize, f32)> = found.into_iter().map(weigh).collect();
        if near.len() > COMPARED {
            near.select_nth_unstable_by(COMPARED, order);
            near.truncate(COMPARED);
        }
        let own = by_words(words);
        for (at, score) in &mut near {
            if let Some(one) = self.sentences.get(*at) {
                *score = Space::words().cosine(&own, one.vector.get_or_init(|| by_words(one.text)));
            }
        }
        near.sort_by(order);
        near.truncate(CLOSEST);
        covering.sort_by(order);
        covering.retain(|(at, _)| near.iter().all(|(known, _)| known != at));
        near.extend(covering);
        near.into_iter().map(|(at, _)| at).collect()
    }
}
