//! A trace: what became of a fact in a run, all places together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::each_place::{each_life, loose, of_places};
use super::fact::Fact;
use super::find::Found;
use super::life::{Reading, Subject};
use super::missed::missed;
use super::need::{Need, asked};
use super::on_disk::{Files, is_any_taken, on_disk};
use super::paraphrase::Summaries;
use super::position::Position;
use super::stay::{Back, Like, Sight, Stay, join_gone};
use super::unpacked::Held;
use crate::content::Sources;
use crate::model::{BlockId, Entry, EntryId, Fate, Layer, Op, Role, Run, ThreadId, Transcript};

/// Sentences that are compared with summaries, each once with each: occurrences that stand in the same words are one.
const COMPARED: usize = 256;

/// One place of a fact, and its life.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// Its number among the places; `None` for words that are in no file.
    pub place: Option<usize>,
    /// The block.
    pub block: Option<BlockId>,
    /// The thread that it came in by, where it is not the run's.
    pub elsewhere: Option<ThreadId>,
    /// The layer that it came in by.
    pub layer: Layer,
    /// What the piece is called. Untrusted.
    pub label: Arc<str>,
    /// Whether the model wrote it.
    pub by_model: bool,
    /// The step whose answer wrote it; `None` where no answer that was recorded did.
    pub written: Option<u32>,
    /// The first step that held its block; one past the last step for what no request was sent after.
    pub first: Option<u32>,
    /// Its life; places of one text may share it.
    pub stays: Arc<Vec<Stay>>,
}

impl Occurrence {
    /// What holds of it at a step.
    #[must_use]
    pub fn at(&self, step: u32) -> Option<&Stay> {
        let at = self.stays.partition_point(|stay| stay.from <= step).checked_sub(1)?;
        self.stays.get(at).filter(|stay| stay.to.is_none_or(|to| step <= to))
    }
}

/// How a fact left the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The first step without it.
    pub step: u32,
    /// The occurrence that was seen last, and which of its stays is the first without it.
    pub occurrence: usize,
    /// See `occurrence`.
    pub stay: usize,
}

/// What became of a fact in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The fact as it was given.
    pub fact: String,
    /// The step that it was looked at.
    pub need: Need,
    /// Whether the model could read it at that step: word for word, or a passage that means it.
    pub in_window: bool,
    /// Its places, those that came in first in front; those that never did last.
    pub occurrences: Vec<Occurrence>,
    /// How it left the window for good, before that step.
    pub loss: Option<Loss>,
    /// How it left the window for good after that step, where it was there.
    pub later: Option<Loss>,
    /// Where it stands at that step, where it does and that was asked for: see [`super::locate`].
    pub position: Option<Position>,
    /// Messages that only ask for it, after something said it.
    pub asking: FxHashSet<BlockId>,
    /// Whether an answer comes after that step: that to its own request or a later one.
    pub answered: bool,
    /// Whether one of these answers repeats it.
    pub used: bool,
    /// The first step after the loss at which it came in again, by a tool or a person.
    pub again: Option<u32>,
    /// Memories that say it and are not packed for that step, where it is in no window then: see [`super::remember`].
    pub held: Vec<Held>,
}

impl Trace {
    /// The occurrence that came in first.
    #[must_use]
    pub fn origin(&self) -> Option<&Occurrence> {
        self.occurrences.first().filter(|first| first.first.is_some())
    }

    /// The stay with which a loss begins.
    #[must_use]
    pub fn lost_stay(&self, loss: Loss) -> Option<&Stay> {
        self.occurrences.get(loss.occurrence)?.stays.get(loss.stay)
    }

    /// Whether no window ever held it, and a memory does at the step in question.
    #[must_use]
    pub fn is_only_remembered(&self) -> bool {
        self.origin().is_none() && !self.held.is_empty()
    }

    /// Whether it only came in after the step in question.
    #[must_use]
    pub fn is_to_come(&self) -> bool {
        self.origin().and_then(|origin| origin.first).is_some_and(|first| first > self.need.step())
    }

    /// Whether it is there at the step in question, but sealed.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        !self.in_window && self.best_at(self.need.step()).is_some_and(|(_, stay)| stay.is_sealed())
    }

    /// Whether nobody can tell if it is there: a summary stands for it that only its vendor can read, and nothing else
    /// says it but a question.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        match self.in_window {
            true => self.is_only_in_question() && self.unreadable().is_some(),
            false => self.best_at(self.need.step()).is_some_and(|(_, stay)| is_unreadable(stay)),
        }
    }

    /// The stay of one of its places for which a summary stands, at the step in question, that only its vendor can read.
    #[must_use]
    pub fn unreadable(&self) -> Option<&Stay> {
        let now = self.occurrences.iter().filter_map(|one| one.at(self.need.step()));
        now.filter(|stay| is_unreadable(stay)).min_by_key(|stay| stay.from)
    }

    /// The file by which the model may have it at the step in question, which the agent is known to read again and no
    /// record shows.
    #[must_use]
    pub fn read_anew(&self) -> Option<&Back> {
        let now = self.best_at(self.need.step()).map(|(_, stay)| stay).filter(|stay| stay.sight == Sight::Anew);
        now.and_then(|stay| stay.back.as_ref())
    }

    /// The stays that a verdict tells of: how it is at the step in question, at its best and where it came in, and what
    /// took it.
    fn told(&self) -> impl Iterator<Item = &Stay> {
        let step = self.need.step();
        let now = self.best_at(step).map(|(_, stay)| stay);
        let came = self.origin().and_then(|origin| origin.at(step)).filter(|stay| stay.sight.is_visible());
        now.into_iter().chain(came).chain(self.loss.and_then(|loss| self.lost_stay(loss)))
    }

    /// Whether a summary that the verdict tells of is none that a model wrote, though one would have: something stands in.
    #[must_use]
    pub fn rests_on_stand_in(&self, run: &Run) -> bool {
        self.told().any(|stay| stay.fate == Fate::Summarised && stay.is_of_stand_in(run))
    }

    /// Whether it stands in the window of the step in question, but the model never got that request.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.best_at(self.need.step()).is_some_and(|(_, stay)| stay.sight == Sight::Refused)
    }

    /// Whether it came in before, and of what is there at the step in question nothing says it but a question for it.
    #[must_use]
    pub fn is_only_in_question(&self) -> bool {
        self.is_only_asked(self.need.step())
    }

    /// The same at another step.
    #[must_use]
    pub fn is_only_asked(&self, step: u32) -> bool {
        let answered = match self.need {
            Need::Asked(at, entry) if at == step => Some(entry),
            _ => None,
        };
        let asks = |(one, stay): (&Occurrence, &Stay)| {
            let is_asked = stay.entry.is_some() && stay.entry == answered;
            is_asked || one.block.is_some_and(|block| self.asking.contains(&block))
        };
        let now = self.occurrences.iter().filter_map(|one| Some((one, one.at(step)?)));
        let mut shown = now.filter(|(_, stay)| stay.sight.is_visible()).peekable();
        shown.peek().is_some() && shown.all(asks)
    }

    /// The best that holds of any occurrence at a step.
    #[must_use]
    pub fn best_at(&self, step: u32) -> Option<(usize, &Stay)> {
        let stays = self.occurrences.iter().enumerate().filter_map(|(at, one)| Some((at, one.at(step)?)));
        stays.min_by_key(|(at, stay)| (stay.sight, *at))
    }
}

/// Whether a summary stands for a place that only its vendor can read.
fn is_unreadable(stay: &Stay) -> bool {
    (stay.sight, stay.fate) == (Sight::Hidden, Fate::Summarised)
}

/// What an entry says the like of, by what stands around a place.
type Compared<'a> = HashMap<(Option<EntryId>, Option<&'a str>), Option<Arc<Like>>>;

/// Traces a fact whose places were found through a run. `step`: the step in question, where the user names one.
#[must_use]
pub fn trace(
    fact: &Fact,
    found: &Found,
    transcript: &Transcript,
    sources: &Sources,
    run: &Run,
    step: Option<u32>,
) -> Trace {
    let subject = Subject::new(fact, found, transcript);
    let reading = Reading::new(&subject, run);
    let last = run.last_step();
    let mut occurrences = of_places(&found.places, transcript, run, &reading);
    if occurrences.iter().any(|one| one.by_model) {
        let answers = answers(transcript, run.thread);
        for one in occurrences.iter_mut().filter(|one| one.by_model) {
            one.written = one.block.and_then(|block| answers.get(&block).copied());
        }
    }
    occurrences.extend(reading.loose.iter().filter_map(|id| loose(*id, run, &reading.refused)));
    // What never came into this window is told of last, and once for each block.
    // Of texts of which one is left out as the same, the one that came in is told of first.
    let is_again = |one: &Occurrence| one.stays.first().is_some_and(|stay| stay.fate == Fate::Deduplicated);
    occurrences.sort_by_key(|one| (one.first.unwrap_or(u32::MAX), is_again(one), one.place));
    once_for_each_place(&mut occurrences, found);
    let mut summaries = Summaries::new(run, transcript, sources);
    let any_taken = is_any_taken(&occurrences, run);
    let (_, files) = rayon::join(
        || liken(&mut occurrences, &mut summaries, fact, found),
        || any_taken.then(|| Files::of(&subject, sources, run)),
    );
    files.iter().for_each(|files| on_disk(&mut occurrences, files));
    // A summary says it in one sentence, for however many places.
    let mut said: FxHashMap<Option<EntryId>, Option<Arc<str>>> = FxHashMap::default();
    each_life(&mut occurrences, |_, stays| {
        join_gone(stays);
        for stay in stays.iter_mut().filter(|stay| (stay.sight, &stay.like) == (Sight::Summary, &None)) {
            let quote = || summaries.quote(stay, &subject).map(Arc::from);
            stay.said = said.entry(stay.entry).or_insert_with(quote).clone();
        }
    });
    let came = occurrences.first().and_then(|first| first.first);
    let need = match (step, came) {
        (Some(step), _) => Need::Given(step),
        (None, Some(came)) => asked(&subject, found, run, sources, came, last).unwrap_or(Need::End(last)),
        (None, None) => Need::End(last),
    };
    let mut trace = Trace {
        fact: fact.text.clone(),
        need,
        in_window: false,
        asking: subject.asking.clone(),
        occurrences,
        loss: None,
        later: None,
        position: None,
        answered: false,
        used: false,
        again: None,
        held: Vec::new(),
    };
    if let Some(need) = missed(&trace, fact, run) {
        trace.need = need;
    }
    settle(&mut trace, run, transcript, found);
    trace
}

/// Tells where a summary says the like of what it stands for.
fn liken(occurrences: &mut [Occurrence], summaries: &mut Summaries, fact: &Fact, found: &Found) {
    let mut compared: Compared = HashMap::new();
    for occurrence in occurrences {
        let Some(place) = occurrence.place.and_then(|at| found.places.get(at)) else { continue };
        let summarised =
            |stay: &Stay| stay.fate == Fate::Summarised && matches!(stay.sight, Sight::Gone | Sight::Pointer);
        for at in 0..occurrence.stays.len() {
            let Some(stay) = occurrence.stays.get(at).filter(|stay| summarised(stay)) else { continue };
            let key = (stay.entry, place.spot().map(|spot| &*spot.context));
            let like = compared.get(&key).cloned().or_else(|| {
                let like =
                    (compared.len() < COMPARED).then(|| summaries.paraphrase(stay, fact, place).map(Arc::new))?;
                compared.insert(key, like.clone());
                Some(like)
            });
            if let Some(like) = like.flatten()
                && let Some(stay) = Arc::make_mut(&mut occurrence.stays).get_mut(at)
            {
                stay.sight = if like.without { stay.sight } else { Sight::Paraphrase };
                stay.like = Some(like);
            }
        }
    }
}

/// A place in a file is the same in the file's text and in that as cut to limits: what came in counts, or the first.
fn once_for_each_place(occurrences: &mut Vec<Occurrence>, found: &Found) {
    let mut known = HashSet::new();
    occurrences.retain(|one| {
        let place = one.place.and_then(|at| found.places.get(at));
        let spot = place.and_then(|place| place.whole.as_ref().or(place.seen.as_ref()));
        let Some(spot) = spot.filter(|_| one.layer == Layer::Files) else { return true };
        known.insert(spot.stored) || one.first.is_some()
    });
}

/// The step that each block of a thread answers. What stands behind a message that came in after the request is none of
/// its answer: the client says that the model said it.
fn answers(transcript: &Transcript, thread: ThreadId) -> HashMap<BlockId, u32> {
    let Some(thread) = transcript.thread(thread) else { return HashMap::new() };
    let (mut answers, mut step, mut is_open) = (HashMap::new(), 0u32, false);
    for op in &thread.ops {
        match op {
            Op::Request(id) if thread.requests.get(id.0 as usize).is_some() => (step, is_open) = (step + 1, true),
            Op::Add(id) => {
                let block = transcript.block(*id);
                is_open &= block.is_none_or(|block| block.layer != Layer::User);
                if is_open && block.is_some_and(|block| block.role == Role::Assistant) {
                    answers.entry(*id).or_insert(step);
                }
            }
            _ => {}
        }
    }
    answers
}

/// What the model answered last, which no request holds any more.
fn last_answer(transcript: &Transcript, thread: ThreadId) -> HashSet<BlockId> {
    let ops = transcript.thread(thread).map_or(&[][..], |thread| &thread.ops);
    let after = ops.iter().rev().take_while(|op| !matches!(op, Op::Request(_)));
    let by_model = |id: &BlockId| transcript.block(*id).is_some_and(|block| block.role == Role::Assistant);
    let added = after.filter_map(|op| if let Op::Add(id) = op { Some(*id) } else { None });
    added.filter(by_model).collect()
}

/// Works out what holds of all occurrences together.
fn settle(trace: &mut Trace, run: &Run, transcript: &Transcript, found: &Found) {
    let step = trace.need.step();
    trace.in_window = trace.best_at(step).is_some_and(|(_, stay)| stay.sight.is_visible());
    // An answer may say it in other words than those that are near.
    let alike: HashSet<BlockId> = found.alike.iter().map(|place| place.block).collect();
    let says = |entry: &Entry| entry.layer != Layer::Summaries && entry.role == Role::Assistant && entry.born() > step;
    let last = last_answer(transcript, run.thread);
    let later = |one: &Occurrence| match one.first {
        Some(first) => first > step,
        None => one.block.is_some_and(|block| last.contains(&block)),
    };
    trace.answered = !last.is_empty() || run.entries.iter().any(says);
    trace.used = trace.occurrences.iter().any(|one| one.by_model && later(one))
        || last.iter().any(|block| alike.contains(block))
        || run.entries.iter().any(|entry| says(entry) && entry.block().is_some_and(|block| alike.contains(&block)));
    if trace.in_window {
        let last = run.last_step();
        let there = trace.best_at(last).is_some_and(|(_, stay)| stay.sight.is_visible()) && !trace.is_only_asked(last);
        trace.later = if there || last <= step || trace.is_only_in_question() { None } else { loss(trace, last) };
        return;
    }
    trace.loss = if trace.is_sealed() { None } else { loss(trace, step) };
    if let Some(loss) = trace.loss {
        let came_again = |one: &&Occurrence| !one.by_model && one.layer != Layer::Summaries;
        // What came in cut, without it, showed nobody anything; what was cleared may be sent whole again.
        let later = |stay: &Stay| stay.sight.is_visible() && stay.from > loss.step;
        // What stood in refused requests only goes on behind them.
        let goes_on = |one: &Occurrence, at: usize| {
            let before = at.checked_sub(1).and_then(|before| one.stays.get(before));
            before.is_some_and(|before| before.sight == Sight::Refused)
        };
        let seen = |one: &Occurrence| {
            let mut stays = one.stays.iter().enumerate();
            stays.find(|(at, stay)| later(stay) && !goes_on(one, *at)).map(|(_, stay)| stay.from)
        };
        trace.again = trace.occurrences.iter().filter(came_again).filter_map(seen).min();
    }
}

/// The occurrence that was seen last before a step, and the stay that ended that. What was never seen was lost when it
/// came in; what only the refusal of its request keeps from the model is lost by that.
pub(super) fn loss(trace: &Trace, step: u32) -> Option<Loss> {
    let mut found: Option<Loss> = None;
    if let Some((occurrence, now)) = trace.best_at(step).filter(|(_, stay)| stay.sight == Sight::Refused) {
        let stay = trace.occurrences.get(occurrence)?.stays.iter().position(|stay| stay == now)?;
        return Some(Loss { step: now.from, occurrence, stay });
    }
    for (occurrence, one) in trace.occurrences.iter().enumerate() {
        let lost = one.stays.iter().enumerate().filter(|(at, stay)| {
            let mut before = one.stays.iter().take(*at).rev();
            let before = before.find(|stay| stay.sight != Sight::Refused);
            let there = |stay: &Stay| stay.sight.is_visible() || stay.is_sealed();
            !there(stay) && stay.sight != Sight::Refused && stay.from <= step && before.is_none_or(there)
        });
        for (stay, row) in lost {
            let seen = stay > 0;
            let better = found.is_none_or(|known| {
                let known_seen = known.stay > 0;
                (seen && !known_seen) || (seen == known_seen && if seen { row.from > known.step } else { false })
            });
            if better {
                found = Some(Loss { step: row.from, occurrence, stay });
            }
        }
    }
    found
}
