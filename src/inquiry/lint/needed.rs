//! Facts that were needed after they were cut: a replay's answer could not have written them, the agent looked them up
//! again, or the user asked for what an instruction or a decision tells.

use std::collections::{HashMap, HashSet};

use super::history::begins_anew;
use super::{Finding, Looked, Weight};
use crate::content::Watch;
use crate::inquiry::distinctive::{is_usual_number, terms};
use crate::inquiry::meaning::words;
use crate::inquiry::paraphrase::own_sentence;
use crate::inquiry::question::{is_in_vain, stated};
use crate::inquiry::trace::loss;
use crate::inquiry::{Candidate, Fact, FactKind, Found, Need, Reading, Sight, Subject, Trace, candidates, find, trace};
use crate::model::{Block, BlockId, BlockKind, Entry, EntryId, Layer, Role, Track};

/// Facts that are traced.
const FACTS: usize = 30;
/// Losses that are told one by one.
const LOSSES: usize = 5;
/// Letters of a word by which a fact is looked for, at least.
const TELLING: usize = 4;
/// Calls that are read to learn which words many have, and of how many one has them where that is a few.
const CALLS: usize = 1_000;
/// See `CALLS`.
const MANY: usize = 10;
/// Characters of a fact that are quoted.
const QUOTED: usize = 80;

/// Facts that a later answer repeats, or what instructions and decisions tell and a later question asks for, although the
/// window no longer held them. What was recorded is otherwise: an answer that says a fact which nothing in its window did
/// shows that the model could tell it all the same. There a fact was needed where it was looked up or told again, or
/// where the answer to a question does not say it.
#[must_use]
pub fn needed_after_cut(looked: &Looked, watch: &Watch) -> Vec<Finding> {
    let Looked { transcript, sources, attached, run, .. } = *looked;
    let mut found = Vec::new();
    let proposed = candidates(transcript, sources, (run.thread, attached), FACTS, watch).facts;
    for candidate in once(proposed.into_iter().flat_map(telling)).into_iter().take(FACTS) {
        if found.len() >= LOSSES || watch.is_cancelled() {
            break;
        }
        let Ok(fact) = Fact::parse(&candidate.text) else { continue };
        let places = find(&fact, transcript, sources, None, watch);
        let places = places.in_run(transcript, sources, run);
        let subject = Subject::new(&fact, &places, transcript);
        let reading = Reading::new(&subject, run);
        let missed_at = |step: Option<u32>| {
            let traced = trace(&fact, &places, transcript, sources, run, step);
            let at = traced.need.step();
            // Of what only the question says the answer tells whether the model had more.
            let vain = traced.is_only_in_question() && step.is_none() && answers_in_vain(looked, &places, at);
            let lost = if vain { loss(&traced, at) } else { traced.loss.filter(|_| !traced.in_window) };
            let loss = lost.filter(|_| !may_be_read(&traced))?;
            let event = traced.lost_stay(loss).and_then(|stay| stay.decided(run));
            // Another conversation has forgotten nothing.
            let forgot = !event.as_deref().is_some_and(|event| begins_anew(looked, event));
            forgot.then_some((traced, loss))
        };
        let said = answers(looked, &places, candidate.came);
        let is_recorded = run.track == Track::Recorded;
        // Whoever says what only the question names has it from there.
        let has = |step: u32| reading.is_visible(step) || reading.is_only_asked(step);
        if is_recorded && said.iter().any(|step| !has(*step)) {
            continue;
        }
        // The first answer that repeats it without it: behind that one, its own words stand in the window.
        // What any session might have counts where the model tells it, and not where a call happens to have it.
        let by_itself = says_enough(&candidate);
        let tells = |step: u32| by_itself || is_told(looked, &places, step);
        let repeated = candidate.steps.iter().copied();
        let repeated = repeated.filter(|step| candidate.repeats > 0 && !reading.is_visible(*step) && tells(*step));
        let mut repeated = repeated.filter_map(|step| {
            let needed = match is_recorded && !said.contains(&step) {
                true => format!("after step {step} the user told it again"),
                false => format!("the answer to step {step} needed it"),
            };
            Some((missed_at(Some(step))?, needed, None))
        });
        let missed = repeated.next().or_else(|| {
            let sought = Sought { looked, places: &places, fact: &fact, candidate: &candidate, reading: &reading };
            let (step, entry, again) = is_recorded.then(|| sought.looked_up()).flatten()?;
            let again = if again { " again" } else { "" };
            Some((missed_at(Some(step))?, format!("the call of step {step} looked it up{again}"), Some(entry)))
        });
        let missed = missed.or_else(|| {
            let (traced, loss) = missed_at(None).filter(|(traced, _)| is_asked(looked, traced))?;
            // An answer seldom repeats a sentence: that it lacks one shows where it says so.
            let is_sentence = matches!(candidate.kind, FactKind::Instruction | FactKind::Decision);
            if is_sentence && is_recorded && !answers_in_vain(looked, &places, traced.need.step()) {
                return None;
            }
            let needed = format!("the question at step {} needed it", traced.need.step());
            Some(((traced, loss), needed, None))
        });
        let Some(((traced, loss), needed, again)) = missed else { continue };
        let event = traced.lost_stay(loss).and_then(|stay| stay.decided(run));
        let rule = event.map_or_else(String::new, |event| format!(" by {}", event.rule));
        // What held it, which was paid for and would have to come in again; where it did, what came.
        let held = traced.occurrences.get(loss.occurrence).and_then(|one| one.stays.iter().find_map(|stay| stay.entry));
        let counted = again.or(held);
        let paid = counted.and_then(|id| run.entry(id));
        let tokens = paid.map(|entry| entry.original_tokens.max(entry.tokens));
        let paid_at = paid.filter(|_| again.is_some()).map_or(loss.step, Entry::born);
        let mut quoted: String = candidate.text.chars().take(QUOTED).collect();
        if quoted.len() < candidate.text.len() {
            quoted.push('…');
        }
        found.push(Finding {
            rule: "needed-after-cut",
            weight: Weight::Loss,
            evidence: format!(
                "“{quoted}” came in at step {} and was lost at step {}{rule}; {needed}.",
                candidate.came, loss.step
            ),
            step: Some(loss.step),
            entry: held,
            tokens,
            dollars: tokens.and_then(|tokens| Some(looked.prices()?.fresh(tokens, paid_at))),
            help: "windowpane whatif names the setting that would have kept it".into(),
            fact: Some((candidate.text.clone(), traced.need.step())),
            counts: counted.into_iter().collect(),
        });
    }
    found
}

/// The steps, once a fact had come in, whose answers have it, in whatever the model wrote.
fn answers(looked: &Looked, places: &Found, came: u32) -> HashSet<u32> {
    let Looked { transcript, run, .. } = *looked;
    let written = |block: &BlockId| transcript.block(*block).is_some_and(|block| block.role == Role::Assistant);
    let said: HashSet<BlockId> = places.places.iter().map(|place| place.block).filter(written).collect();
    let entries = run.entries.iter().filter(|entry| entry.layer != Layer::Summaries);
    let has_it = |entry: &&Entry| entry.block().is_some_and(|block| said.contains(&block));
    entries.filter(has_it).map(|entry| entry.born().saturating_sub(1)).filter(|step| *step >= came).collect()
}

/// A fact that the agent may have looked up.
struct Sought<'a> {
    looked: &'a Looked<'a>,
    places: &'a Found,
    fact: &'a Fact,
    candidate: &'a Candidate,
    reading: &'a Reading<'a>,
}

impl Sought<'_> {
    /// The first step, once a fact was no longer there, whose answer makes again the call that had given it, reads the
    /// same file, or looks by a word for what the user had told, where a later answer repeats it; what came then, and
    /// whether that had come before: what comes by the way is not looked for.
    fn looked_up(&self) -> Option<(u32, EntryId, bool)> {
        let Sought { looked, places, candidate, reading, .. } = *self;
        let Looked { transcript, run, .. } = *looked;
        let shows: HashSet<BlockId> = places.places.iter().map(|place| place.block).collect();
        let results = run.entries.iter().filter(|entry| entry.layer == Layer::ToolResults && entry.from.is_empty());
        let mut results: Vec<(u32, BlockId)> = results
            .filter_map(|entry| Some((entry.born(), entry.block().filter(|block| shows.contains(block))?)))
            .collect();
        results.sort_unstable();
        let wanted: HashSet<_> = results.iter().filter_map(|(_, block)| transcript.block(*block)?.call).collect();
        let calls = transcript.blocks.iter().filter(|block| block.kind == BlockKind::ToolCall);
        let calls: HashMap<_, &Block> =
            calls.filter_map(|block| Some((block.call.filter(|call| wanted.contains(call))?, block))).collect();
        let call = |block: BlockId| calls.get(transcript.block(block)?.call.as_ref()?).copied();
        let files = looked.shown.of(looked);
        let alike = |one: BlockId, other: BlockId| {
            let is_call = call(one)
                .zip(call(other))
                .is_some_and(|(one, other)| one.label == other.label && one.body.hash() == other.body.hash());
            let is_file = files
                .get(&one)
                .zip(files.get(&other))
                .is_some_and(|(one, other)| one.iter().any(|file| other.contains(file)));
            is_call || is_file
        };
        let telling = self.telling();
        let again = results.iter().enumerate().filter_map(|(at, (born, block))| {
            let is_used = candidate.steps.iter().any(|step| step >= born);
            let is_missed = *born > candidate.came + 1 && is_used && !reading.is_visible(born - 1);
            let before = is_missed && results.iter().take(at).any(|(_, before)| alike(*before, *block));
            let sought = is_missed && (before || call(*block).is_some_and(|call| self.names(call, &telling)));
            sought.then_some((*born, *block, before))
        });
        let (born, block, before) = again.into_iter().next()?;
        let came = |entry: &&Entry| entry.born() == born && entry.block() == Some(block);
        let at = run.entries.iter().position(|entry| came(&entry))?;
        Some((born - 1, EntryId(u32::try_from(at).ok()?), before))
    }

    /// The words of the sentence by which the user told the fact; none where somebody else did.
    fn telling(&self) -> Vec<String> {
        let block = self.candidate.block;
        let by_user = self.looked.transcript.block(block).is_some_and(|block| block.layer == Layer::User);
        let place = self.places.places.iter().find(|place| by_user && place.block == block);
        let sentence = place.and_then(|place| own_sentence(self.fact, &place.spot()?.context));
        let own: Vec<String> = words(&self.fact.text).collect();
        let tells = |word: &String| word.chars().count() >= TELLING && !own.contains(word);
        sentence.into_iter().flat_map(words).filter(tells).collect()
    }

    /// Whether a call has one of some words, and few before it did: what is in many says how the agent works.
    fn names(&self, call: &Block, telling: &[String]) -> bool {
        let Looked { transcript, sources, .. } = *self.looked;
        let said = |call: &Block| -> HashSet<String> {
            sources.body_text(&call.body).map(|text| words(&text).collect()).unwrap_or_default()
        };
        let own = said(call);
        let mut sought: Vec<(&String, usize)> =
            telling.iter().filter(|word| own.contains(*word)).map(|word| (word, 0)).collect();
        if sought.is_empty() {
            return false;
        }
        // What was looked up once is spoken of later.
        let before = transcript.blocks.iter().take_while(|block| !std::ptr::eq(*block, call));
        let calls = before.filter(|block| block.kind == BlockKind::ToolCall).take(CALLS);
        let mut all = 0;
        for said in calls.map(said) {
            all += 1;
            sought.iter_mut().filter(|(word, _)| said.contains(*word)).for_each(|(_, times)| *times += 1);
        }
        sought.iter().any(|(_, times)| *times <= (all / MANY).max(1))
    }
}

/// Whether the text of the answer to a step says a fact.
fn is_told(looked: &Looked, places: &Found, step: u32) -> bool {
    let Looked { transcript, run, .. } = *looked;
    let spoken = |block: BlockId| {
        let block = transcript.block(block);
        block.is_some_and(|block| block.kind == BlockKind::Text && block.role == Role::Assistant)
    };
    let said: Vec<BlockId> = places.places.iter().map(|place| place.block).filter(|block| spoken(*block)).collect();
    let answers = run.entries.iter().filter(|entry| entry.born() == step + 1);
    answers.filter_map(Entry::block).any(|block| said.contains(&block))
}

/// Whether the text of the answer to a step says that the model has not what was asked for, and not the fact either.
fn answers_in_vain(looked: &Looked, places: &Found, step: u32) -> bool {
    let Looked { transcript, sources, run, .. } = *looked;
    let mut texts = run.entries.iter().filter(|entry| entry.born() == step + 1).filter_map(|entry| {
        let block = transcript.block(entry.block()?)?;
        let spoken = block.kind == BlockKind::Text && block.role == Role::Assistant;
        sources.body_text(&block.body).ok().filter(|_| spoken)
    });
    !is_told(looked, places, step) && texts.any(|text| is_in_vain(&text))
}

/// A fact that says enough by itself; of a sentence that nobody repeats word for word, the values that it tells, and
/// where it tells none, the sentence, which a question may need.
fn telling(candidate: Candidate) -> Vec<Candidate> {
    if candidate.repeats > 0 {
        return Some(candidate).filter(says_something).into_iter().collect();
    }
    let own = |kind, text| Candidate { kind, text, steps: Vec::new(), ..candidate.clone() };
    let values = terms(&candidate.text).0.into_iter().map(|(kind, text)| own(kind, text));
    let values: Vec<Candidate> = values.filter(says_something).collect();
    match values.is_empty() {
        true => Some(own(candidate.kind, candidate.text.clone())).filter(says_something).into_iter().collect(),
        false => values,
    }
}

/// Each text once, where it is proposed first. Of a value that an instruction tells and that answers repeat, the one that
/// knows these answers.
fn once(proposed: impl Iterator<Item = Candidate>) -> Vec<Candidate> {
    let (mut all, mut known): (Vec<Candidate>, HashMap<String, usize>) = Default::default();
    for candidate in proposed {
        let at = *known.entry(candidate.text.clone()).or_insert(all.len());
        match all.get_mut(at) {
            Some(first) if first.repeats == 0 && candidate.repeats > 0 => *first = candidate,
            Some(_) => {}
            None => all.push(candidate),
        }
    }
    all
}

/// Whether it was a question of the user that needed it.
fn is_asked(looked: &Looked, traced: &Trace) -> bool {
    let Need::Asked(_, entry) = traced.need else { return false };
    let block = looked.run.entry(entry).and_then(|entry| looked.transcript.block(entry.block()?));
    let text = block.and_then(|block| looked.sources.body_text(&block.body).ok());
    text.is_some_and(|text| stated(&text).is_some())
}

/// Whether a text belongs to its session: what any program or language has (`assert_eq`, `user.login`, a year) is known
/// without being told.
fn says_enough(candidate: &Candidate) -> bool {
    let text = &candidate.text;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    match candidate.kind {
        FactKind::Instruction | FactKind::Decision => true,
        FactKind::Path => text.matches('/').count() >= 2 && text.contains('.') && text.len() >= 12,
        // 100000 may be anything.
        FactKind::Number => digits >= 6 && text.bytes().filter(|byte| matches!(byte, b'1'..=b'9')).count() > 1,
        FactKind::Identifier | FactKind::Error => digits >= 3 && text.len() >= 8,
    }
}

/// Files that many projects have.
const USUAL_FILES: &[&str] = &["index", "init", "lib", "main", "makefile", "mod", "package", "readme", "setup", "test"];
/// Ports that programs take where nobody says otherwise, and the like.
const USUAL_NUMBERS: &[u64] =
    &[1433, 2181, 3001, 3306, 5173, 5432, 5672, 6379, 8001, 8081, 8443, 8080, 8888, 9090, 9092, 9200, 27017, 65_535];

/// Whether a text says something where it is told or asked for: a number of four digits that is no year, round, or known
/// from elsewhere, and a path of two parts.
fn says_something(candidate: &Candidate) -> bool {
    let text = &candidate.text;
    match candidate.kind {
        FactKind::Number => {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            let number: u64 = digits.parse().unwrap_or_default();
            digits.len() >= 4 && !is_usual_number(text) && !USUAL_NUMBERS.contains(&number)
        }
        FactKind::Path => {
            let last = text.rsplit('/').next().unwrap_or_default();
            let name = last.split('.').next().unwrap_or_default().trim_matches('_').to_ascii_lowercase();
            let parts = text.split('/').filter(|part| !part.is_empty()).count();
            let is_named = last.contains(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | '_' | '-'));
            parts >= 2 && text.len() >= 10 && is_named && !USUAL_FILES.contains(&&*name)
        }
        _ => false,
    }
    .max(says_enough(candidate))
}

/// Whether something that was still in the window may have said it: a summary that nobody can read, or one that says
/// the like, or a part of it.
fn may_be_read(traced: &Trace) -> bool {
    let step = traced.need.step();
    let at = |sight: Sight| matches!(sight, Sight::Hidden | Sight::Paraphrase | Sight::Part);
    traced.occurrences.iter().filter_map(|one| one.at(step)).any(|stay| at(stay.sight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_says_something_unless_any_session_might_have_it() {
        let of = |kind, text: &str| {
            let candidate = Candidate {
                kind,
                text: text.to_owned(),
                block: BlockId(0),
                came: 1,
                needed: 9,
                steps: vec![9],
                repeats: 1,
            };
            (says_something(&candidate), says_enough(&candidate))
        };
        for text in ["48213", "75300", "75,300", "1234.5"] {
            assert_eq!(of(FactKind::Number, text), (true, false), "{text}");
        }
        for text in ["2024", "3000", "12000", "4096", "8080", "27017"] {
            assert_eq!(of(FactKind::Number, text), (false, false), "{text}");
        }
        assert_eq!(of(FactKind::Path, "/etc/keys/deploy_ed25519"), (true, false));
        assert_eq!(of(FactKind::Path, "deploy/notes.md"), (true, false));
        assert_eq!(of(FactKind::Path, "client/main.rs"), (false, false));
        assert_eq!(of(FactKind::Path, "client/server"), (false, false));
    }
}
