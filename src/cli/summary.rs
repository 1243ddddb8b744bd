//! Summaries that a model writes for a replay: asked for one after the other, each measured against what it stands for.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::content::{ContentError, Watch};
use crate::engine::{Answers, AskedPiece, Extracted, Given, Plan, Task, WrittenSummary, simulate_asking};
use crate::export::content_text;
use crate::memory::{Aligned, Noted, Origin, Support, Supports, Told, ask_summary, fitting, plain, read_summary};
use crate::model::{Layer, Made, Run};
use crate::policy::{Policy, Summariser};
use crate::present::{Source, count, counted, done_calls, judged};
use crate::tokens;

use super::load::Session;
use super::memory::Vectors;
use super::model_calls::{Question, Unanswered};

/// Sentences of summaries that were written before, in plain form: what supports each, and the blocks that it is from.
/// A later summary may stand on them.
type Earlier = HashMap<String, (Support, Vec<Origin>)>;

/// What there is instead of a summary of the model's.
const INSTEAD: &str = "the built-in summariser stands in (the sentences that matter most)";
/// Why a summary was not asked for where one before it was, in vain.
const UNASKED: &str = "No model was asked: it had given no answer before.";

/// Tokens of an answer beside the summary: the form, and the memories.
const FORM: u64 = 200;
const MEMORIES: u64 = 4_000;

/// A piece's text, and where each part of it is from.
pub struct Piece {
    /// The text. Untrusted.
    pub text: String,
    /// The first byte of each part, and what it is.
    parts: Vec<(usize, Made)>,
    /// Where something without text stands.
    silent: Vec<usize>,
}

/// What stands in a request for what has no text.
const NO_TEXT: &str = "[no text]";

impl Session {
    /// What a model says where the policy wants its summaries. Each depends on those before it, so one is asked for at
    /// a time, until a replay up to a step wants no more.
    pub fn answers(
        &self,
        plan: &Plan,
        given: &Given,
        (policy, last): (&Policy, u32),
        watch: &Watch,
    ) -> anyhow::Result<Arc<Answers>> {
        // Whoever looks for other settings knows by it whether a model could be asked.
        let mut answers = Answers::default();
        answers.writer =
            self.model_calls.model().and_then(|name| self.models.find(name)).map(|found| found.info.clone());
        if policy.summarise.by != Summariser::Model {
            return Ok(Arc::new(answers));
        }
        let vectors = self.vectors(policy)?;
        let mut earlier = Earlier::new();
        loop {
            let given = Given { answers: Arc::new(answers.clone()), ..given.clone() };
            let (run, wanted) = simulate_asking(plan, policy, &given);
            let first = wanted.into_iter().next().filter(|first| first.step <= last);
            let Some(first) = first else { return Ok(Arc::new(answers)) };
            anyhow::ensure!(!watch.is_cancelled(), "stopped before it was ready");
            match self.summary(
                plan,
                &run,
                (first.step, &first.task, policy.summarise.input_max),
                &vectors,
                &mut earlier,
                watch,
            )? {
                Ok(summary) => answers.put(first.task, Ok(Arc::new(summary))),
                Err(Unanswered::This(why)) => answers.put(first.task, Err(Arc::from(why))),
                Err(Unanswered::Nothing(why)) => answers.otherwise = Some(Arc::from(why)),
                // What became of one request is not said of those that were never sent.
                Err(Unanswered::Last(why)) => {
                    answers.put(first.task, Err(Arc::from(why)));
                    answers.otherwise = Some(Arc::from(UNASKED));
                }
            }
        }
    }

    /// The text of what an entry consists of, with the way back.
    pub fn piece(&self, run: &Run, content: &[Made]) -> Result<Piece, ContentError> {
        let mut piece = Piece { text: String::new(), parts: Vec::with_capacity(content.len()), silent: Vec::new() };
        for made in content {
            let text = content_text(&self.transcript, &self.sources, run, std::slice::from_ref(made))?;
            piece.parts.push((piece.text.len(), made.clone()));
            match text {
                Some(text) => piece.text.push_str(&text),
                None => piece.silent.push(piece.text.len()),
            }
        }
        Ok(piece)
    }

    /// One summary, with what stands beside it.
    fn summary(
        &self,
        plan: &Plan,
        run: &Run,
        (step, task, input_max): (u32, &Task, u64),
        vectors: &Vectors,
        earlier: &mut Earlier,
        watch: &Watch,
    ) -> anyhow::Result<Result<WrittenSummary, Unanswered>> {
        let all = task.pieces.iter().map(|piece| self.piece(run, &piece.content)).collect::<Result<Vec<_>, _>>()?;
        let by = |piece: &AskedPiece| match (piece.layer.info().title, &*piece.label) {
            (layer, label) if label.is_empty() || label == layer => layer.to_owned(),
            (layer, label) => format!("{layer}: {label}"),
        };
        let by: Vec<String> = task.pieces.iter().map(by).collect();
        let shown: Vec<Cow<str>> = all.iter().map(Piece::shown).collect();
        let told: Vec<Told> = shown.iter().zip(&by).map(|(text, by)| Told { by, text }).collect();
        let stays: Vec<bool> = task.pieces.iter().map(|piece| piece.layer == Layer::Summaries).collect();
        let encoding = self.models.counter(self.model_calls.model().unwrap_or_default()).encoding;
        let beside = FORM + if task.remember { MEMORIES } else { 0 };
        let most = task.target * 2 + beside;
        // What is over the model's own window would be refused, and what is over its answer cut off.
        let room = self.model_calls.room(&self.models, most);
        let (target, window) = (room.target(task.target, beside), room.limiting(input_max));
        let input_max = input_max.min(room.given);
        let limits = (target, task.remember, input_max);
        let (sent, unseen) = fitting(&told, &stays, limits, |text| tokens::count(text, encoding));
        let (given, told): (Vec<usize>, Vec<Told>) = sent.into_iter().unzip();
        let prompt = ask_summary(&told, target, task.remember);
        if told.is_empty() {
            let limit = match window {
                Some(window) => format!("the model's window of {} beside its answer", count(window)),
                None => format!("summarise.input_max = {}", count(input_max)),
            };
            let why = format!("No model was asked: nothing fits in {limit}.");
            return Ok(Err(Unanswered::This(why)));
        }
        let sent = all.into_iter().zip(&task.pieces).enumerate().filter(|(at, _)| given.binary_search(at).is_ok());
        let (pieces, asked): (Vec<Piece>, Vec<&AskedPiece>) = sent.map(|(_, one)| one).unzip();
        let what = format!("a summary of {} for step {step}", counted(pieces.len() as u64, "piece", "pieces"));
        let question = Question { what: &what, prompt: &prompt, instead: INSTEAD, most, input_max };
        let answer = self.model_calls.answer(&question, &self.models, watch, |text| {
            read_summary(text, pieces.len(), task.target, task.remember, |text| tokens::count(text, plan.encoding))
        });
        let (answer, usage) = match answer {
            Ok(answer) => answer,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(first) = answer.left_out.first() {
            let more = match answer.left_out.len() - 1 {
                0 => String::new(),
                more => format!(" (and {} more)", count(more as u64)),
            };
            self.model_calls.say(&format!("warning: {what}: the model's answer is kept without this: {first}{more}"));
        }
        let done = done_calls(&self.transcript);
        let sources = pieces.into_iter().zip(&asked).map(|(piece, asked)| {
            let (layer, label, content) = (asked.layer, &*asked.label, &*asked.content);
            let source = Source::of(&self.transcript, (layer, label, content), piece.text.clone(), &done);
            Judging { piece, source }
        });
        let sources: Vec<Judging> = sources.collect();
        let written: Vec<bool> = asked.iter().map(|piece| is_written(piece)).collect();
        let said = |at: usize, words: &str| earlier.get(&plain(words)).filter(|_| written.get(at) == Some(&true));
        let judges: Vec<&Source> = sources.iter().map(|one| &one.source).collect();
        let aligned = judged(&answer.summary, &judges, &|at, words| trust(said(at, words)));
        let texts: Vec<&str> = answer.memories.iter().map(|noted| noted.text.as_str()).collect();
        let embedded = vectors.of(&texts, watch);
        vectors.check()?;
        let facts = answer.memories.iter().zip(embedded).map(|(noted, vector)| {
            let (origins, supported) = origins(noted, &sources, &said);
            Extracted { text: Arc::from(noted.text.as_str()), vector, origins, supported }
        });
        let facts = facts.collect();
        let sentence = |one: &Aligned| {
            let origins = one.from.filter(|_| one.support != Support::None);
            let origins = origins.map(|(at, range)| origins_of(at, range, &sources, &said)).unwrap_or_default();
            let words = answer.summary.get(one.range.0..one.range.1).unwrap_or_default();
            (plain(words), (one.support, origins))
        };
        let sentences: Vec<_> = aligned.iter().map(sentence).collect();
        earlier.extend(sentences);
        let text = Arc::from(answer.summary.as_str());
        let supports = aligned.iter().map(|one| one.support).collect();
        Ok(Ok(WrittenSummary { text, facts, sentences: supports, usage, unseen, window }))
    }
}

/// What supports a sentence of an earlier summary, by what is known of it.
fn trust(known: Option<&(Support, Vec<Origin>)>) -> Support {
    known.map_or(Support::Stands, |(support, _)| *support)
}

/// A piece, and how sentences are judged by it.
struct Judging {
    piece: Piece,
    source: Source,
}

/// Whether a piece is in words that a model wrote for this replay.
fn is_written(piece: &AskedPiece) -> bool {
    piece.layer == Layer::Summaries && piece.content.iter().all(|made| matches!(made, Made::Text(_) | Made::Written(_)))
}

/// What is known of a sentence of a piece that is a summary.
type Said<'a> = dyn Fn(usize, &str) -> Option<&'a (Support, Vec<Origin>)> + 'a;

/// Where a sentence of a piece is from; where that is a summary, what the sentence there stands on.
fn origins_of(at: usize, range: (usize, usize), sources: &[Judging], said: &Said) -> Vec<Origin> {
    let Some(Judging { piece, source }) = sources.get(at) else { return Vec::new() };
    let own = piece.origins(source.place(range));
    let words = source.text().get(range.0..range.1).unwrap_or_default();
    if own.is_empty() { said(at, words).map(|(_, from)| from.clone()).unwrap_or_default() } else { own }
}

/// Where a fact is from: in the pieces that the model names, or where these do not say it in others that do, the sentences
/// that it is most like. Where they say nothing of it, the pieces as a whole.
fn origins(noted: &Noted, sources: &[Judging], said: &Said) -> (Vec<Origin>, bool) {
    let named: Vec<(usize, &Judging)> = noted.from.iter().filter_map(|at| Some((*at, sources.get(*at)?))).collect();
    let (origins, supported) = origins_among(noted, &named, sources, said);
    if supported {
        return (origins, true);
    }
    let all: Vec<(usize, &Judging)> = sources.iter().enumerate().collect();
    let (elsewhere, is_said) = origins_among(noted, &all, sources, said);
    if is_said { (elsewhere, true) } else { (origins, false) }
}

fn origins_among(noted: &Noted, named: &[(usize, &Judging)], sources: &[Judging], said: &Said) -> (Vec<Origin>, bool) {
    let judges: Vec<&Source> = named.iter().map(|(_, one)| &one.source).collect();
    let known = |at: usize, words: &str| trust(named.get(at).and_then(|(at, _)| said(*at, words)));
    let aligned = judged(&noted.text, &judges, &known);
    let supported = aligned.iter().map(|one| one.support).collect::<Supports>().is_whole();
    let found = aligned.iter().filter_map(|one| one.from);
    let place = |at: usize| named.get(at).map_or(usize::MAX, |(at, _)| *at);
    let mut origins: Vec<Origin> = found.flat_map(|(at, range)| origins_of(place(at), range, sources, said)).collect();
    if origins.is_empty() {
        origins = named.iter().flat_map(|(_, one)| one.piece.origins((0, one.piece.text.len()))).collect();
    }
    origins.sort_unstable();
    origins.dedup();
    (origins, supported)
}

impl Piece {
    /// Its text as a model is told it: what has none is named.
    fn shown(&self) -> Cow<'_, str> {
        if self.silent.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        let mut shown = self.text.clone();
        self.silent.iter().rev().for_each(|at| shown.insert_str(*at, NO_TEXT));
        Cow::Owned(shown)
    }

    /// The bytes of blocks that a range of the text is from.
    pub fn origins(&self, (from, to): (usize, usize)) -> Vec<Origin> {
        let ends = self.parts.iter().skip(1).map(|(start, _)| *start).chain([self.text.len()]);
        let found = self.parts.iter().zip(ends).filter_map(|((start, made), end)| {
            let (block, first, whole) = match made {
                Made::Block(block) => (*block, 0, false),
                Made::Part(block, first, _, whole) => (*block, *first, *whole),
                Made::Text(_) | Made::Written(_) => return None,
            };
            let (low, high) = (from.max(*start), to.min(end));
            let byte = |at: usize| first + (at - start) as u64;
            // The model's words are its own: they stand nowhere as they are.
            (low < high).then(|| Origin { block, start: byte(low), end: byte(high), whole, at: None })
        });
        found.collect()
    }
}
