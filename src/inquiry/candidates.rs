//! Facts that a session proposes by itself: instructions, decisions, paths, identifiers, numbers and errors that are
//! referred to again later.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::distinctive::{Arguments, given, is_usual_number, terms};
use super::error_codes::{codes, in_one_wording, key_of, pattern_of};
use super::first_place::first_places;
use super::generic::{Borrowed, Generic, borrowed};
use super::instructs::{Sentence, sentences};
use super::lasting::{Counts, goes_on, muses};
use super::question::only_in_questions;
use super::taken_up::{Spoken, Stated, about_the_work, taken_up};
use super::thin::thin;
use crate::content::{Sources, Watch};
use crate::engine::plan::below;
use crate::engine::{StepFacts, recorded};
use crate::model::{BlockId, BlockKind, Entry, Event, Layer, Life, Lives, Role, Stage, ThreadId, Transcript, rules};

/// Facts that are proposed where nobody says how many.
pub const PROPOSED: usize = 30;
/// Bytes of one text that are looked at.
const READ: usize = 400_000;
/// Texts that a term may be in: what is everywhere is no fact.
const EVERYWHERE: usize = 40;
/// Steps between a term and its repetition: what is repeated at once needs no memory, unless it had gone meanwhile.
const APART: u32 = 3;
/// Wordings of one error.
const WORDINGS: usize = 8;
/// Calls that give an argument before it is one that is always given.
const USUAL: usize = 3;

/// What a proposed fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// What a person asked to be kept to.
    Instruction,
    /// What the model chose.
    Decision,
    /// Something that went wrong.
    Error,
    /// A path.
    Path,
    /// A name in code, a ticket, a key, an address, a date, a hash.
    Identifier,
    /// A number of four digits or more.
    Number,
}

/// A proposed fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it is.
    pub kind: FactKind,
    /// The text to follow. Untrusted.
    pub text: String,
    /// The block that it came in by.
    pub block: BlockId,
    /// The first step that held it.
    pub came: u32,
    /// The last request whose answer repeats it, or which asks for it where none does, or the last before the user had to tell it again, as it had gone; for
    /// instructions and decisions the last step.
    pub needed: u32,
    /// All requests whose answers repeat it, in order; for instructions and decisions the last step. Any of them may be
    /// the first at which it is missed: what the answer to one says stands in the windows after it.
    pub steps: Vec<u32>,
    /// How many answers repeat it.
    pub repeats: u32,
}

/// A block of a history, in the order in which they came in.
struct Piece {
    block: BlockId,
    born: u32,
    layer: Layer,
    by_model: bool,
    kind: BlockKind,
    /// Whether the user went back behind it for good.
    taken_back: bool,
    /// Its stays in the windows that were recorded.
    lives: Lives,
}

impl Piece {
    fn is_there(&self, step: u32) -> bool {
        self.lives.iter().any(|life| life.born <= step && life.died.is_none_or(|died| step < died))
    }
}

/// What a text tells.
#[derive(Default)]
struct Told {
    terms: Vec<(FactKind, String)>,
    /// Those that nothing but a person's questions names.
    asked: HashSet<String>,
    /// Codes of errors that are no terms, and whether the text tells of each that it is one.
    codes: Vec<(bool, String)>,
    sentences: Vec<Sentence>,
    given: Arguments,
    borrowed: Borrowed,
    /// Whether not all of it was looked at.
    is_cut: bool,
}

/// What is known of a term so far.
struct Known<'t> {
    /// As it stands where it came in.
    text: &'t str,
    first: usize,
    kind: FactKind,
    /// Whether any place tells that it is what it looks like.
    told: bool,
    texts: usize,
    repeats: u32,
    steps: Vec<u32>,
    /// Where it stands.
    places: Vec<usize>,
    /// In which words, where it may be told in several; those that tell of it first.
    wordings: Vec<String>,
    /// The last request in which nothing but a question of the user's named it again.
    asked: Option<u32>,
    /// The step before the user told it again after it had gone: it was needed there.
    told_again: Option<u32>,
}

impl<'t> Known<'t> {
    fn new(kind: FactKind, text: &'t str, first: usize) -> Known<'t> {
        let (steps, places, wordings) = (Vec::new(), Vec::new(), Vec::new());
        let (asked, told_again) = (None, None);
        Known { text, first, kind, told: true, texts: 0, repeats: 0, steps, places, wordings, asked, told_again }
    }

    /// Takes in the words in which an error is told, where others may tell the same.
    fn is_told_as(&mut self, code: &str) {
        let wording = code.to_lowercase();
        if in_one_wording(code).is_some() && self.wordings.len() < WORDINGS && !self.wordings.contains(&wording) {
            self.wordings.push(wording);
        }
    }

    /// Takes in that a piece only asks for it, from farther off than the next answers.
    fn is_asked_in(&mut self, at: usize, pieces: &[Piece], last: u32) {
        let born = |at: usize| pieces.get(at).map_or(0, |piece| piece.born);
        let came = born(self.first);
        if self.first != at && (born(at) >= came + APART || self.was_gone(came..born(at), pieces)) {
            self.asked = Some(born(at).clamp(1, last));
        }
    }

    /// Whether at one of some steps nothing that came in held it.
    fn was_gone(&self, mut steps: Range<u32>, pieces: &[Piece]) -> bool {
        let is_there = |step| self.places.iter().filter_map(|at| pieces.get(*at)).any(|piece| piece.is_there(step));
        steps.any(|step| !is_there(step))
    }

    /// Takes in that it stands in a piece, after those before it.
    fn stands_in(&mut self, at: usize, piece: &Piece, pieces: &[Piece], last: u32) {
        self.texts += 1;
        let speaks = piece.by_model && piece.kind != BlockKind::Thinking;
        let came = pieces.get(self.first).map_or(0, |first| first.born);
        let before = piece.born.saturating_sub(1);
        let apart = before >= came + APART || self.was_gone(came..piece.born, pieces);
        let by_user = piece.layer == Layer::User && !piece.by_model;
        if by_user && apart && self.told_again.is_none() && self.texts <= EVERYWHERE {
            self.told_again = Some(before).filter(|_| self.was_gone(before..piece.born, pieces));
        }
        if self.places.len() <= EVERYWHERE {
            self.places.push(at);
        }
        if speaks && self.first != at && apart {
            self.repeats += 1;
            let step = before.clamp(1, last);
            if self.texts <= EVERYWHERE && self.steps.last() != Some(&step) {
                self.steps.push(step);
            }
        }
    }
}

/// What a session proposes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposed {
    /// The facts.
    pub facts: Vec<Candidate>,
    /// Whether there are more than were asked for.
    pub more: bool,
    /// Texts of which not all was looked at: long ones, and those with too many terms or sentences.
    pub cut: u64,
}

/// Proposes facts of a thread and of the files that are attached to it, those that are needed longest after they came
/// in first; at most so many. What was recorded decides, and no policy does, so that runs under any can be set against
/// them. `attached`: the block that holds a file, and the step at which it comes in.
#[must_use]
pub fn candidates(
    transcript: &Transcript,
    sources: &Sources,
    (thread, attached): (ThreadId, &[(BlockId, u32)]),
    most: usize,
    watch: &Watch,
) -> Proposed {
    let (pieces, last) = pieces(transcript, thread, attached);
    let folder = transcript.session.folder.as_deref().unwrap_or_default();
    watch.expect(pieces.len() as u64);
    let read = |piece: &Piece| {
        watch.advance(1);
        let block = transcript.block(piece.block).filter(|_| !watch.is_cancelled())?;
        Some(told_of(piece, &sources.body_text(&block.body).ok()?, folder))
    };
    let told: Vec<Told> = pieces.par_iter().map(|piece| read(piece).unwrap_or_default()).collect();
    let mut known = known_terms(&pieces, &told, folder, last);
    let terms = told.iter().flat_map(|told| &told.terms);
    let paths = terms.filter(|(kind, _)| *kind == FactKind::Path).map(|(_, path)| path.as_str());
    let calls = pieces.iter().filter(|piece| piece.kind == BlockKind::ToolCall);
    let tools = calls.filter_map(|piece| Some(&*transcript.block(piece.block)?.label));
    let generic = Generic::of(paths, told.iter().flat_map(|told| &told.borrowed), tools, folder);
    known.retain(|_, known| !generic.has(known.kind, known.text));
    let repeats = |kind: FactKind, term: &str| {
        known.get(&*key_of(kind, term)).is_some_and(|known| known.repeats > 0 && known.texts <= EVERYWHERE)
    };
    let mattering = mattering(&pieces, &told, folder, repeats, |piece: &Piece| {
        let text = sources.body_text(&transcript.block(piece.block)?.body).ok();
        text.filter(|text| text.len() <= READ && !watch.is_cancelled())
    });
    let terms = known.into_values().filter_map(|known| Some((of_term(known, &pieces)?, 1)));
    let sentences = mattering.into_iter().filter_map(|(at, sentence)| {
        let piece = pieces.get(at).filter(|piece| piece.born < last && !piece.taken_back)?;
        Some((of_sentence(sentence, piece, last), sentence.weight))
    });
    let mut found: Vec<(Candidate, u64)> = terms.chain(sentences).collect();
    found.retain(|(candidate, _)| candidate.needed > candidate.came);
    found.sort_by(|(one, heavy), (other, heavier)| {
        // What people asked for and what was decided is what a session is about.
        let weight = |one: &Candidate, spoken: u64| {
            u64::from(one.needed - one.came) * spoken * u64::from(one.repeats.clamp(1, 5))
        };
        let weights = weight(other, *heavier).cmp(&weight(one, *heavy));
        weights.then(one.came.cmp(&other.came)).then_with(|| one.text.cmp(&other.text))
    });
    let (mut facts, more) = thin(found.into_iter().map(|(candidate, _)| candidate), most);
    let stand: Vec<(BlockId, u32)> =
        pieces.iter().filter(|piece| !piece.taken_back).map(|piece| (piece.block, piece.born)).collect();
    let text_of = |block| sources.body_text(&transcript.block(block).filter(|_| !watch.is_cancelled())?.body).ok();
    first_places(&mut facts, &stand, text_of);
    Proposed { facts, more, cut: told.iter().filter(|told| told.is_cut).count() as u64 }
}

/// What the text of a piece tells.
fn told_of(piece: &Piece, text: &str, folder: &str) -> Told {
    let read = &text[..text.floor_char_boundary(READ)];
    let given = if piece.kind == BlockKind::ToolCall { given(read) } else { Vec::new() };
    let ((mut terms, further), (sentences, more)) = (terms(read), sentences(read, piece.layer));
    terms.iter_mut().for_each(|(kind, term)| shorten(*kind, term, folder));
    let mut seen = HashSet::new();
    terms.retain(|(_, term)| seen.insert(term.clone()));
    let asked = match piece.layer {
        Layer::User => only_in_questions(read, terms.iter().map(|(_, term)| term.as_str())),
        _ => HashSet::new(),
    };
    let mut others = Vec::new();
    let coded = codes(read);
    // The name of a field that holds a code is none by itself.
    let names = |code: &str, term: &str| {
        code.strip_prefix(term).is_some_and(|rest| rest.trim_start_matches(['"', ' ']).starts_with(['=', ':']))
    };
    terms.retain(|(kind, term)| *kind != FactKind::Identifier || !coded.iter().any(|(_, code)| names(code, term)));
    for (told, code) in coded {
        match terms.iter_mut().find(|(_, term)| term == code) {
            Some((kind, _)) if told => *kind = FactKind::Error,
            Some(_) => {}
            None => others.push((told, code)),
        }
    }
    // What a text tells of one place counts for all of them.
    others.sort_by_key(|(told, _)| !told);
    let mut seen = HashSet::new();
    others.retain(|(_, code)| seen.insert(code.to_lowercase()));
    let codes = others.into_iter().map(|(told, code)| (told, code.to_owned())).collect();
    let borrowed = borrowed(read);
    Told { terms, asked, codes, sentences, given, borrowed, is_cut: read.len() < text.len() || further || more }
}

/// How often calls give something under each name: what they give again and again is how the tool is used, not what the
/// session is about.
fn habits(told: &[Told]) -> HashMap<&str, usize> {
    let mut habits: HashMap<&str, usize> = HashMap::new();
    for (name, _) in told.iter().flat_map(|told| &told.given) {
        *habits.entry(name).or_default() += 1;
    }
    habits
}

/// The terms of all pieces, by what they are known by, without those that are usual.
fn known_terms<'t>(pieces: &[Piece], told: &'t [Told], folder: &str, last: u32) -> HashMap<Cow<'t, str>, Known<'t>> {
    let habits = habits(told);
    let mut known: HashMap<Cow<str>, Known> = HashMap::new();
    for (at, (piece, told)) in pieces.iter().zip(told).enumerate() {
        let is_usual = |kind: FactKind, term: &str| {
            let is_habit = |name: &str| habits.get(name).is_some_and(|times| *times >= USUAL);
            let is_given = |value: &str| below(value, folder).unwrap_or(value) == term;
            (kind == FactKind::Number && is_usual_number(term))
                || told.given.iter().any(|(name, value)| is_given(value) && is_habit(name))
        };
        for (kind, term) in told.terms.iter().filter(|(kind, term)| !is_usual(*kind, term)) {
            let known = known.entry(key_of(*kind, term)).or_insert_with(|| Known::new(*kind, term, at));
            if !known.told {
                (known.told, known.kind) = (true, *kind);
            }
            known.stands_in(at, piece, pieces, last);
            if told.asked.contains(term) {
                known.is_asked_in(at, pieces, last);
            }
        }
        let mut seen = HashSet::new();
        for (told, code) in &told.codes {
            let new = || Known { told: false, ..Known::new(FactKind::Error, code, at) };
            let key = key_of(FactKind::Error, code);
            let fresh = seen.insert(key.clone());
            let known = known.entry(key).or_insert_with(new);
            if *told {
                (known.told, known.kind) = (true, FactKind::Error);
            }
            known.is_told_as(code);
            if fresh {
                known.stands_in(at, piece, pieces, last);
            }
        }
    }
    known
}

/// A term as a fact, where an answer repeats it and it is not everywhere.
fn of_term(known: Known, pieces: &[Piece]) -> Option<Candidate> {
    let piece = pieces.get(known.first).filter(|_| known.texts <= EVERYWHERE && known.told)?;
    let mut steps = known.steps;
    // Who asks for it needs it, whatever the answer says.
    steps.extend(known.asked.filter(|_| steps.is_empty()));
    let mut needed = steps.last().copied()?;
    if let Some(before) = known.told_again.filter(|before| known.repeats > 0 && *before < needed) {
        // What answers say of it later they have from what the user told again.
        steps.retain(|step| *step < before);
        steps.push(before);
        needed = before;
    }
    Some(Candidate {
        kind: known.kind,
        text: match known.wordings.as_slice() {
            [] | [_] => literally(known.text).to_owned(),
            several => pattern_of(several.iter().map(String::as_str)),
        },
        block: piece.block,
        came: piece.born,
        needed,
        steps,
        repeats: known.repeats,
    })
}

/// A sentence as a fact: it is needed to the last step.
fn of_sentence(sentence: &Sentence, piece: &Piece, last: u32) -> Candidate {
    Candidate {
        kind: sentence.kind,
        text: literally(&sentence.text).to_owned(),
        block: piece.block,
        came: piece.born,
        needed: last,
        steps: vec![last],
        repeats: 0,
    }
}

/// The sentences that matter later, each with its piece: those of what was typed first, which is what the session is for;
/// those that say how, always or never; what states a value; what was decided about something that is spoken of elsewhere, too;
/// and of the rest what is referred to again, in a term of it or in a word that nobody had said before.
fn mattering<'t>(
    pieces: &[Piece],
    told: &'t [Told],
    folder: &str,
    repeats: impl Fn(FactKind, &str) -> bool,
    text: impl Fn(&Piece) -> Option<String> + Sync,
) -> Vec<(usize, &'t Sentence)> {
    let by_user = |piece: &Piece| piece.layer == Layer::User && !piece.by_model;
    let says = |told: &Told| told.sentences.iter().any(|sentence| !goes_on(&sentence.text));
    let first = pieces.iter().zip(told).position(|(piece, told)| by_user(piece) && says(told));
    let all = told.iter().enumerate().flat_map(|(at, told)| told.sentences.iter().map(move |sentence| (at, sentence)));
    let (mut found, mut open, mut chosen) = (Vec::new(), Vec::new(), Vec::new());
    for (at, sentence) in all {
        let is_again = || {
            let coded = codes(&sentence.text).into_iter().any(|(_, code)| repeats(FactKind::Error, code));
            coded
                || terms(&sentence.text).0.into_iter().any(|(kind, mut term)| {
                    shorten(kind, &mut term, folder);
                    repeats(kind, &term)
                })
        };
        let has_value =
            || sentence.text.bytes().any(|byte| byte.is_ascii_digit()) || !terms(&sentence.text).0.is_empty();
        match sentence.counts {
            _ if Some(at) == first => found.push((at, sentence)),
            Counts::Stated | Counts::Once if sentence.kind == FactKind::Instruction && muses(&sentence.text) => {}
            Counts::Always => found.push((at, sentence)),
            Counts::Chosen if has_value() => found.push((at, sentence)),
            Counts::Chosen => chosen.push((at, sentence)),
            Counts::Stated if has_value() => found.push((at, sentence)),
            Counts::Once if is_again() => found.push((at, sentence)),
            Counts::Stated => open.push((at, sentence)),
            Counts::Once => {}
        }
    }
    let speaks = |piece: &Piece| piece.by_model && piece.kind != BlockKind::Thinking;
    let spoken: Vec<Spoken> = pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| by_user(piece) || speaks(piece))
        .map(|(at, piece)| Spoken {
            piece: at,
            born: piece.born,
            by_model: piece.by_model,
            does: piece.kind == BlockKind::ToolCall,
        })
        .collect();
    let from = |at: usize| pieces.get(at).map_or(0, |piece| piece.born + APART);
    let stated = |open: &[(usize, &'t Sentence)]| -> Vec<Stated<'t>> {
        open.iter().map(|(at, sentence)| Stated { piece: *at, from: from(*at), text: &sentence.text }).collect()
    };
    let text = |at: usize| text(pieces.get(at)?);
    let taken = taken_up(&stated(&open), &spoken, text, EVERYWHERE);
    let about = about_the_work(&stated(&chosen), &spoken, text);
    let matter = open.iter().zip(taken).chain(chosen.iter().zip(about));
    found.extend(matter.filter(|(_, matters)| *matters).map(|(open, _)| *open));
    found
}

fn shorten(kind: FactKind, term: &mut String, folder: &str) {
    if kind == FactKind::Path
        && let Some(rest) = below(term, folder)
    {
        *term = rest.to_owned();
    }
}

/// A text without what would make a pattern or a meaning of it, were it given as a fact: `~/.config` is a path.
fn literally(text: &str) -> &str {
    let bare = text.trim_start_matches("re:").trim_start_matches('~').trim_start();
    if bare.is_empty() { text } else { bare }
}

/// What was said, read and attached, and the last step.
fn pieces(transcript: &Transcript, thread: ThreadId, attached: &[(BlockId, u32)]) -> (Vec<Piece>, u32) {
    let run = recorded(transcript, thread, |_| StepFacts::default());
    let mut seen = HashSet::new();
    let back = |event: &Event| event.stage == Stage::Rewind && event.rule == rules::REWIND;
    let ended = |entry: &Entry| run.event(entry.lives.last()?.ended_by?).map(back);
    let taken: HashSet<BlockId> =
        run.entries.iter().filter(|entry| ended(entry) == Some(true)).filter_map(Entry::block).collect();
    let held = run.entries.iter().filter_map(|entry| Some((entry.block()?, entry.born(), entry.lives.clone())));
    let given = |(id, born): &(BlockId, u32)| {
        (*id, *born, Lives::from_iter([Life { born: *born, died: None, place: 0, ended_by: None }]))
    };
    let mut found: Vec<Piece> = held
        .chain(attached.iter().map(given))
        .filter_map(|(id, born, lives)| {
            let block = transcript.block(id).filter(|_| seen.insert(id))?;
            let talk = matches!(
                block.layer,
                Layer::User
                    | Layer::Assistant
                    | Layer::ToolCalls
                    | Layer::ToolResults
                    | Layer::Files
                    | Layer::Instructions
                    | Layer::Skills
                    | Layer::Notices
            );
            talk.then(|| Piece {
                block: id,
                born,
                layer: block.layer,
                by_model: block.role == Role::Assistant,
                kind: block.kind,
                taken_back: taken.contains(&id),
                lives,
            })
        })
        .collect();
    found.sort_by_key(|piece| (piece.born, piece.block));
    (found, run.last_step())
}

#[cfg(test)]
#[path = "candidates_tests.rs"]
mod tests;
