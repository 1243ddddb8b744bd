//! A summary held against what it stands for: which facts it keeps, and where each of its sentences is from.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::content::{ContentError, Sources, Watch};
use crate::export::{content_text, entry_text};
use crate::memory::{Kept, Summary, Support, Supports, facts_of, plain, share_in};
use crate::model::{Body, CallKey, EntryId, Event, EventId, Layer, Made, Run, Track, Transcript, Written};
use crate::transcript::{is_around_result, is_around_summary};

use super::judged::{Source, done_calls, judged};

/// A fact of a text that a summary stands for: a sentence that holds a figure or an identifier.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredFact {
    /// Its words. Untrusted.
    pub text: Arc<str>,
    /// The entry that holds it.
    pub entry: EntryId,
    /// What became of it in the summary.
    pub kept: Kept,
}

/// A sentence of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Quoted {
    /// The entry.
    pub entry: EntryId,
    /// Its bytes in the entry's text as it is stored: a tool call's arguments are told without their escapes.
    pub range: (usize, usize),
    /// Its words. Untrusted.
    pub text: Arc<str>,
}

/// A sentence of a summary.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredSentence {
    /// Its words. Untrusted.
    pub text: Arc<str>,
    /// The sentence that it is most like.
    pub from: Option<Quoted>,
    /// Share of its words that stand there.
    pub score: f64,
    /// Whether anything supports it.
    pub support: Support,
    /// Its words that stand nowhere in what was summarised, where it has no support for that. Untrusted.
    pub nowhere: Vec<String>,
}

impl MeasuredSentence {
    /// Why it has no support, where words of it stand nowhere: a clause.
    #[must_use]
    pub fn why_not(&self) -> Option<String> {
        nowhere_words(&self.nowhere)
    }
}

/// How what stands in for a summary that should be there begins.
pub const IN_PLACE: &str = "in place of ";

/// Who wrote the summary that an event of a replay made.
fn written_by(event: &Event, content: &[Made]) -> &'static str {
    let is_quoted = content.iter().any(|made| matches!(made, Made::Part(..)));
    match () {
        () if content.iter().any(|made| matches!(made, Made::Written(Written::Removed { .. }))) => {
            "start and end of the history"
        }
        () if event.stands_in() => "in place of a model's: the sentences that matter most",
        () if event.why.contains(Event::NONE_RECORDED) => "in place of a recorded one: the sentences that matter most",
        () if event.is_extracted() => "in place of the recorded one: the sentences that matter most",
        () if event.why.contains(Event::BY_MODEL) => "a model",
        () if !is_quoted && content.iter().any(|made| matches!(made, Made::Block(_))) => "the recorded one",
        () => "the sentences that matter most",
    }
}

/// Words told in a clause at most.
const TOLD: usize = 4;

/// Says of words that they stand nowhere in what was summarised: a clause; `None` of none.
#[must_use]
pub fn nowhere_words(words: &[String]) -> Option<String> {
    let told: Vec<String> = words.iter().take(TOLD).map(|word| format!("{word:?}")).collect();
    let (last, rest) = told.split_last()?;
    Some(match rest {
        [] => format!("{last} stands nowhere in what was summarised"),
        _ => format!("{} and {last} stand nowhere in what was summarised", rest.join(", ")),
    })
}

/// A summary, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The step from which it stands.
    pub step: u32,
    /// The summary.
    pub summary: EntryId,
    /// Whether only its vendor can read it: nothing is known of what it keeps, and its facts are left at lost.
    pub sealed: bool,
    /// Whether nothing of what it stands for can be read: the session began before the file does. Nothing is known of
    /// what it keeps.
    pub alone: bool,
    /// Who wrote it, where a replay tells: a model, or which words were taken.
    pub by: Option<&'static str>,
    /// Tokens of the summary, and of what it stands for.
    pub tokens: u64,
    /// See `tokens`.
    pub of_tokens: u64,
    /// Facts, in the order in which they stood, each once.
    pub facts: Vec<MeasuredFact>,
    /// How many facts are kept so, by [`Kept`]'s order.
    pub numbers: [usize; 3],
    /// Its sentences, in order.
    pub sentences: Vec<MeasuredSentence>,
}

impl Measured {
    /// Whether it is known what it keeps.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.sealed && !self.alone
    }

    /// Its sentences, by what supports them.
    #[must_use]
    pub fn supports(&self) -> Supports {
        self.sentences.iter().map(|sentence| sentence.support).collect()
    }

    /// The sentences that nothing supports.
    pub fn unsupported(&self) -> impl Iterator<Item = &MeasuredSentence> {
        self.sentences.iter().filter(|sentence| sentence.support == Support::None)
    }
}

/// The summary that an event made.
#[must_use]
pub fn summary_of(run: &Run, event: &Event) -> Option<EntryId> {
    let made = || event.made.iter().copied();
    let compacts = event.compacts();
    made().find(|id| run.entry(*id).is_some_and(|entry| entry.layer == Layer::Summaries)).filter(|_| compacts)
}

/// Every event of a run that made a summary, in order.
pub fn summaries(run: &Run) -> impl Iterator<Item = (EventId, EntryId)> {
    let events = (0u32..).zip(&run.events);
    events.filter_map(|(id, event)| summary_of(run, event).map(|summary| (EventId(id), summary)))
}

/// The event whose summary stands in the window of a step: the newest of several.
#[must_use]
pub fn summary_at(run: &Run, step: u32) -> Option<(EventId, EntryId)> {
    let stands = |(_, summary): &(EventId, EntryId)| run.entry(*summary).is_some_and(|it| it.life_at(step).is_some());
    summaries(run).filter(stands).last()
}

/// What was found out as summaries were measured, for the next ones.
#[derive(Clone, Debug, Default)]
pub struct KnownSummaries {
    /// Their sentences, by their entry: a later summary may stand on them.
    sentences: HashMap<EntryId, Vec<MeasuredSentence>>,
    /// Calls whose result tells of no error; `None` before they are looked for.
    done: Option<Arc<HashSet<CallKey>>>,
}

impl KnownSummaries {
    fn done(&mut self, transcript: &Transcript) -> Arc<HashSet<CallKey>> {
        self.done.get_or_insert_with(|| Arc::new(done_calls(transcript))).clone()
    }
}

/// Measures the summary of an event, and before it those that it stands on. Reads the sources: not for a thread that
/// draws.
///
/// # Errors
/// Where a text cannot be read.
pub fn measure(
    transcript: &Transcript,
    sources: &Sources,
    run: &Run,
    event: EventId,
) -> Result<Option<Measured>, ContentError> {
    measure_after(transcript, sources, run, event, &mut KnownSummaries::default(), &Watch::default())
}

/// The same, where some summaries have been measured already; nothing once the watch is cancelled. Of those that it
/// stands on, what supports their sentences is worked out, and not what they keep.
///
/// # Errors
/// Where a text cannot be read.
pub fn measure_after(
    transcript: &Transcript,
    sources: &Sources,
    run: &Run,
    event: EventId,
    known: &mut KnownSummaries,
    watch: &Watch,
) -> Result<Option<Measured>, ContentError> {
    let made: HashMap<EntryId, EventId> = summaries(run).map(|(event, summary)| (summary, event)).collect();
    // A summary takes only what was there before it.
    let (mut wanted, mut before) = (vec![event], BTreeSet::new());
    while let Some(at) = wanted.pop() {
        let took = run.event(at).into_iter().flat_map(|event| &event.took);
        let earlier = took.filter(|id| !known.sentences.contains_key(id)).filter_map(|id| made.get(id));
        wanted.extend(earlier.copied().filter(|earlier| *earlier < at && before.insert(*earlier)));
    }
    for earlier in before {
        if watch.is_cancelled() {
            return Ok(None);
        }
        if let Some(texts) = Texts::read(transcript, sources, run, earlier, known)? {
            texts.sentences(known);
        }
    }
    let texts = Texts::read(transcript, sources, run, event, known)?.filter(|_| !watch.is_cancelled());
    Ok(texts.map(|texts| {
        // Another event may have told the same summary of other texts.
        let sentences = texts.sentences(known);
        texts.measured(run, sentences)
    }))
}

/// A summary and what it stands for, read.
struct Texts<'a> {
    event: &'a Event,
    summary: EntryId,
    words: String,
    sealed: bool,
    read: Vec<(EntryId, Source)>,
}

impl<'a> Texts<'a> {
    fn read(
        transcript: &Transcript,
        sources: &Sources,
        run: &'a Run,
        event: EventId,
        known: &mut KnownSummaries,
    ) -> Result<Option<Texts<'a>>, ContentError> {
        let Some(event) = run.event(event) else { return Ok(None) };
        let Some((summary, about)) = summary_of(run, event).and_then(|id| Some((id, run.entry(id)?))) else {
            return Ok(None);
        };
        let text = |id: EntryId| entry_text(transcript, sources, run, id);
        // What the harness adds is no sentence of the summary.
        let said: Vec<Made> = about.content.iter().filter(|made| !matches!(made, Made::Written(_))).cloned().collect();
        let hides = |made: &Made| match made {
            Made::Block(id) => transcript.block(*id).is_some_and(|block| matches!(block.body, Body::Hidden(_))),
            _ => false,
        };
        let words = content_text(transcript, sources, run, &said)?;
        let sealed = words.is_none() && said.iter().any(hides);
        let words = words.unwrap_or_default();
        let mut read: Vec<(EntryId, Source)> = Vec::with_capacity(event.took.len());
        let done = known.done(transcript);
        for id in &event.took {
            let (Some(entry), Some(text)) = (run.entry(*id), text(*id)?) else { continue };
            read.push((*id, Source::of(transcript, (entry.layer, &entry.label, &entry.content), text, &done)));
        }
        Ok(Some(Texts { event, summary, words, sealed, read }))
    }

    /// What became of each fact.
    fn facts(&self) -> Vec<MeasuredFact> {
        let kept = Summary::of(&self.words);
        let of_source =
            |(entry, Source { spoken: source, .. }): &(EntryId, Source)| -> Vec<(EntryId, Arc<str>, String)> {
                let begin = source.facts_from;
                let facts = facts_of(source.text.get(begin..).unwrap_or_default());
                let facts = facts.into_iter().filter_map(|(from, to)| source.words((begin + from, begin + to)));
                // What the harness adds to an earlier summary, or to a result, is no fact.
                facts
                    .filter(|fact| !is_around_summary(fact) && !is_around_result(fact))
                    .map(|fact| (*entry, Arc::from(fact), plain(fact)))
                    .collect()
            };
        let mut told: Vec<(EntryId, Arc<str>, String)> = self.read.par_iter().flat_map_iter(of_source).collect();
        let mut seen = HashSet::new();
        told.retain(|(.., plain)| seen.insert(plain.clone()));
        told.into_par_iter().map(|(entry, text, _)| MeasuredFact { kept: kept.keeps(&text), text, entry }).collect()
    }

    /// Where each sentence is from; known from now on.
    fn sentences(&self, known: &mut KnownSummaries) -> Vec<MeasuredSentence> {
        let Texts { summary, words, read, .. } = self;
        let sources: Vec<&Source> = read.iter().map(|(_, source)| source).collect();
        let earlier = |at: usize, words: &str| {
            let (entry, _) = read.get(at)?;
            known.sentences.get(entry)?.iter().find(|sentence| &*sentence.text == words)
        };
        let sentence = |one: crate::memory::Aligned| {
            let from = one.from.and_then(|(at, (from, to))| {
                let (entry, Source { spoken, .. }) = read.get(at)?;
                let words = spoken.text.get(from..to)?;
                let own = || {
                    let text = Arc::from(spoken.words((from, to)).unwrap_or(words));
                    Quoted { entry: *entry, range: spoken.place((from, to)), text }
                };
                // What stands on a summary is from where that is from.
                let origin = earlier(at, words)
                    .filter(|_| one.support != Support::None)
                    .and_then(|sentence| sentence.from.clone());
                Some(origin.unwrap_or_else(own))
            });
            let text: Arc<str> = Arc::from(words.get(one.range.0..one.range.1).unwrap_or_default());
            // A score is of the sentence that is shown.
            let share = |from: &Quoted| if from.text == text { 1.0 } else { share_in(&text, &from.text) };
            let score = from.as_ref().map_or(one.score, share);
            MeasuredSentence { text, from, score, support: one.support, nowhere: one.nowhere }
        };
        let trust = |at: usize, words: &str| earlier(at, words).map_or(Support::Stands, |sentence| sentence.support);
        let sentences: Vec<MeasuredSentence> = judged(words, &sources, &trust).into_iter().map(sentence).collect();
        known.sentences.insert(*summary, sentences.clone());
        sentences
    }

    fn measured(&self, run: &Run, sentences: Vec<MeasuredSentence>) -> Measured {
        let Texts { event, summary, sealed, read, .. } = self;
        let about = run.entry(*summary);
        let alone = read.iter().all(|(_, source)| source.text().trim().is_empty());
        let facts = self.facts();
        let mut numbers = [0; 3];
        facts.iter().for_each(|fact| numbers[fact.kept as usize] += 1);
        // A recorded summary does not say of how many tokens it was made.
        let took = || event.took.iter().filter_map(|id| run.entry(*id)).map(|entry| entry.tokens).sum();
        let tokens = about.map_or(0, |about| about.tokens);
        let of_tokens = about.map(|about| about.original_tokens).filter(|whole| *whole > tokens).unwrap_or_else(took);
        let (step, summary, sealed) = (event.step, *summary, *sealed);
        let by = about.filter(|_| run.track == Track::Simulated).map(|about| written_by(event, &about.content));
        Measured { step, by, summary, sealed, alone, tokens, of_tokens, facts, numbers, sentences }
    }
}
