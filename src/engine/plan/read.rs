//! One pass over the texts of a history, on all cores: where they can be cut, their terms, sentences and lines.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::anew::called_again;
use super::arguments::{Target, reads};
use super::changes::file_changes;
use super::cuts::Cuts;
use super::lines::{Left, Line, quote};
use super::paths::{below, file_id};
use super::references::{Referrals, Voice};
use super::sentences::sentences;
use super::superseded::superseded;
use super::terms::{Term, terms_of, word_of};
use super::{Gone, Item, NONE, Plan, Reference, Sentence, TurnReference, index};
use crate::content::{Sources, Watch, hash};
use crate::model::{BlockKind, Body, Coding, Layer, Passage, Transcript};
use crate::tokens;
use crate::transcript::DYNAMIC_PROMPT;

/// What only text can tell.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Where each item can be cut.
    pub cuts: Vec<Cuts>,
    /// Items that a later answer refers to, with the first that does, by step; again with the next, where that one left
    /// with its branch.
    pub references: Vec<Reference>,
    /// Per item, its first number among `references`.
    pub reference_of: Vec<u32>,
    /// Per reference, the next of the same item.
    pub next_reference: Vec<u32>,
    /// Items that a later message of the user names something from.
    pub named: FxHashSet<u32>,
    /// Per unit, the earlier units that it refers to: where they begin in `referred`.
    pub referring: Vec<u32>,
    /// See `referring`.
    pub referred: Vec<TurnReference>,
    /// The sentences that matter, by item.
    pub sentences: Vec<Sentence>,
    /// The same, as a summary quotes them.
    pub passages: Arc<[Passage]>,
    /// Per sentence, the first that has the same words.
    pub twins: Vec<u32>,
    /// Where each item's sentences begin; one more than there are items.
    pub sentences_of: Vec<u32>,
    /// Per unit, the line that stands for it when it is collapsed whole.
    pub lines: Vec<Line>,
    /// Per item, what a line may quote of it; none of what has no words.
    pub quotes: Vec<Option<Arc<str>>>,
    /// Results that are errors.
    pub failed: FxHashSet<u32>,
    /// Per item, a hash of the file, or of the skill's name, that it is the content of; 0 where it is none.
    pub files: Vec<u64>,
    /// The files that a tool read, by these hashes.
    pub read: FxHashMap<u64, ReadFile>,
    /// Results that are a part of their file.
    pub parts: FxHashSet<u32>,
    /// Of each file that a call does something with, but for reading it, the last such call's item, by these hashes.
    pub worked_on: FxHashMap<u64, u32>,
}

impl Texts {
    /// The file that an item is the content of, where a tool read it.
    #[must_use]
    pub fn file_of(&self, item: u32) -> Option<&ReadFile> {
        self.read.get(self.files.get(item as usize)?)
    }

    /// The answers that refer to an item first: one, and where that left with its branch the next one behind it.
    pub fn references_to(&self, item: u32) -> impl Iterator<Item = &Reference> {
        let first = self.reference_of.get(item as usize).copied();
        std::iter::successors(first, |at| self.next_reference.get(*at as usize).copied())
            .map_while(|at| self.references.get(at as usize))
    }

    /// The earlier units that a unit refers to.
    #[must_use]
    pub fn referred_by(&self, unit: u32) -> &[TurnReference] {
        let at = unit as usize;
        match (self.referring.get(at), self.referring.get(at + 1)) {
            (Some(from), Some(to)) => self.referred.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The sentences of an item.
    #[must_use]
    pub fn sentences_of(&self, item: u32) -> &[Sentence] {
        let at = item as usize;
        match (self.sentences_of.get(at), self.sentences_of.get(at + 1)) {
            (Some(from), Some(to)) => self.sentences.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// A file that a tool read.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// Its path as the agent wrote it. Untrusted.
    pub path: Arc<str>,
    /// The same from the agent's working folder on, where it lies below that. Untrusted.
    pub name: Arc<str>,
}

/// What one item's text tells.
#[derive(Default)]
struct Told {
    cuts: Cuts,
    terms: Vec<Term>,
    sentences: Vec<Sentence>,
    quote: Option<Arc<str>>,
    file: u64,
    /// The path that a call names.
    path: Option<String>,
    /// The files that a call changes by a patch or a command, by what tells them apart.
    changes: Vec<u64>,
    target: Target,
}

/// Texts read at once; then what they tell is taken in.
const BATCH: usize = 2_048;

impl Plan {
    /// Reads every text once. Returns false, and changes nothing, where the watch is cancelled. A text that cannot be
    /// read counts as empty.
    pub fn read(&mut self, transcript: &Transcript, sources: &Sources, watch: &Watch) -> bool {
        let mut texts = Texts { sentences_of: vec![0], ..Texts::default() };
        let (mut first, mut passages) = (FxHashMap::default(), Vec::new());
        let gone = Gone::of(self);
        let mut referrals = Referrals::over(gone.clone());
        let mut targets = Vec::with_capacity(self.items.len());
        let folder = transcript.session.folder.as_deref().unwrap_or_default();
        watch.expect(self.items.len() as u64);
        for from in (0..self.items.len()).step_by(BATCH) {
            if watch.is_cancelled() {
                return false;
            }
            let to = (from + BATCH).min(self.items.len());
            let told: Vec<Told> =
                (from..to).into_par_iter().map(|item| self.tell(transcript, sources, index(item))).collect();
            for (item, told) in (from..to).zip(told) {
                let about = &self.items[item];
                let unit_of = |item: u32| self.items.get(item as usize).map_or(NONE, |item| item.unit);
                let known = referrals.references.len();
                referrals.take(index(item), about.born, about.unit, Voice::of(about), &told.terms, unit_of);
                let new = referrals.references.get_mut(known..).unwrap_or_default();
                if let Some(text) = (!new.is_empty()).then(|| text_of(transcript, sources, about)).flatten() {
                    for reference in new {
                        reference.word = word_of(&text, reference.term);
                    }
                }
                texts.cuts.push(told.cuts);
                for sentence in told.sentences {
                    let number = index(texts.sentences.len());
                    texts.twins.push(*first.entry(sentence.hash).or_insert(number));
                    let (start, end) = (sentence.start, sentence.end);
                    passages.push(Passage { block: about.block, start, end, original: about.whole });
                    texts.sentences.push(sentence);
                }
                texts.sentences_of.push(index(texts.sentences.len()));
                texts.quotes.push(told.quote);
                targets.push(told.target);
                let file = texts.files.get(about.call as usize).copied().unwrap_or(0);
                let part = || targets.get(about.call as usize).is_some_and(|call: &Target| !call.whole);
                if about.is_result() && file != 0 && part() {
                    texts.parts.insert(index(item));
                }
                if about.is_result() && transcript.block(about.block).is_some_and(|block| block.error) {
                    texts.failed.insert(index(item));
                }
                texts.files.push(if about.is_result() { file } else { told.file });
                texts.worked_on.extend(told.changes.iter().map(|file| (*file, index(item))));
                match told.path {
                    Some(path) if told.file != 0 => {
                        texts.read.entry(told.file).or_insert_with(|| {
                            let path: Arc<str> = Arc::from(path);
                            let name = below(&path, folder).map_or_else(|| Arc::clone(&path), Arc::from);
                            ReadFile { path, name }
                        });
                    }
                    Some(path) => {
                        texts.worked_on.insert(file_id(&path, folder), index(item));
                    }
                    None => {}
                }
            }
            watch.advance((to - from) as u64);
        }
        texts.passages = Arc::from(passages);
        self.link(&mut texts, referrals);
        texts.referred.par_chunk_by_mut(|one, other| one.by == other.by).for_each(|found| {
            let by = found.first().and_then(|one| self.items.get(one.by as usize));
            let Some(text) = by.and_then(|by| text_of(transcript, sources, by)) else { return };
            for one in found {
                one.word = word_of(&text, one.term);
            }
        });
        let units = (0..index(self.units.len())).into_par_iter();
        texts.lines = units.map(|unit| self.line(&texts, unit, |_| Left::Beginning)).collect();
        self.superseded = superseded(self, &gone, &targets);
        self.anew.extend(called_again(self, &texts.files));
        self.anew.sort_unstable();
        self.anew.dedup();
        self.texts = Some(texts);
        true
    }

    /// Finds the marker that ends the static part of the system prompt (source 5); the first, where there are several.
    pub fn find_boundary(&mut self, transcript: &Transcript, sources: &Sources, marker: &str) {
        let wanted = self.items.iter().take_while(|item| item.born <= 1 && !marker.is_empty());
        let mut texts = (0u32..).zip(wanted).filter(|(_, item)| item.layer == Layer::System);
        self.dynamic = texts.find_map(|(at, item)| {
            if *item.label == *DYNAMIC_PROMPT {
                return Some((at, 0));
            }
            let text = text_of(transcript, sources, item)?;
            let before = text.get(..text.find(marker)?)?;
            let counted = |text: &str| tokens::count(text, self.encoding);
            // On the item's own scale.
            let share = u128::from(item.tokens) * u128::from(counted(before)) / u128::from(counted(&text).max(1));
            Some((at, u64::try_from(share).unwrap_or(item.tokens).min(item.tokens)))
        });
    }

    fn link(&self, texts: &mut Texts, mut referrals: Referrals) {
        referrals.references.sort_unstable_by_key(|reference| (reference.step, reference.of));
        texts.references = referrals.references;
        texts.named = referrals.named;
        texts.reference_of = vec![NONE; self.items.len()];
        texts.next_reference = vec![NONE; texts.references.len()];
        for (number, reference) in texts.references.iter().enumerate().rev() {
            if let Some(of) = texts.reference_of.get_mut(reference.of as usize) {
                texts.next_reference[number] = std::mem::replace(of, index(number));
            }
        }
        // Stable: of several items that refer to a turn, the first tells.
        referrals.units.sort_by_key(|(later, earlier)| (*later, earlier.of));
        referrals.units.dedup_by_key(|(later, earlier)| (*later, earlier.of));
        let mut rest = referrals.units.into_iter().peekable();
        for unit in 0..index(self.units.len()) {
            texts.referring.push(index(texts.referred.len()));
            while let Some((_, earlier)) = rest.next_if(|(later, _)| *later == unit) {
                texts.referred.push(earlier);
            }
        }
        texts.referring.push(index(texts.referred.len()));
    }

    fn tell(&self, transcript: &Transcript, sources: &Sources, item: u32) -> Told {
        let about = self.items.get(item as usize);
        let text = about.and_then(|about| text_of(transcript, sources, about));
        let Some((about, text)) = about.zip(text) else { return Told::default() };
        let call = about.kind == BlockKind::ToolCall;
        let folder = transcript.session.folder.as_deref().unwrap_or_default();
        let here = transcript.block(about.block).and_then(|block| transcript.session.folder_at(block.record));
        let here = here.filter(|here| *here != folder && here.starts_with('/')).unwrap_or_default();
        let (target, path) = if call { Target::of(&about.label, &text) } else { Default::default() };
        let file = match path.as_ref().filter(|_| reads(&about.label)) {
            Some(path) => file_id(path, folder),
            None if about.layer == Layer::Files => file_id(&about.label, folder),
            None if about.layer == Layer::Skills => hash(skill_of(&text).as_bytes(), Coding::Plain),
            None => 0,
        };
        let changes = if call && path.is_none() { file_changes(&text) } else { Vec::new() };
        Told {
            changes: changes.into_iter().map(|change| file_id(&change.made_in(here).path, folder)).collect(),
            cuts: Cuts::of(&text, self.encoding, about.tokens),
            terms: terms_of(about.kind, &text),
            sentences: if call { Vec::new() } else { sentences(item, &text, about.layer, about.tokens) },
            quote: Some(quote(about.kind, &text)).filter(|_| call || about.kind == BlockKind::Text),
            file,
            path,
            target,
        }
    }
}

/// What tells a skill apart: its folder as Claude Code names it, its name as Codex does; else all that it says.
fn skill_of(text: &str) -> &str {
    let codex = || text.strip_prefix("<skill>")?.trim_start().strip_prefix("<name>")?.split_once("</name>");
    if let Some((name, _)) = codex() {
        return name;
    }
    let folder = text.lines().next().filter(|line| line.starts_with("Base directory for this skill:"));
    folder.unwrap_or(text)
}

/// An item's text, as it is admitted.
fn text_of(transcript: &Transcript, sources: &Sources, about: &Item) -> Option<String> {
    let block = transcript.block(about.block)?;
    let body = block.content(about.whole);
    matches!(body, Body::Text { .. }).then(|| sources.body_text(body).ok()).flatten()
}
