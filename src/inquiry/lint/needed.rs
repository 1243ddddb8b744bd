//! Facts that were needed after they were cut: the agent wrote them with nothing left to read, or the user asked for them.

use std::collections::HashMap;

use super::history::begins_anew;
use super::{Finding, Looked, Weight};
use crate::content::Watch;
use crate::inquiry::distinctive::terms;
use crate::inquiry::question::stated;
use crate::inquiry::{Candidate, Fact, FactKind, Need, Reading, Sight, Subject, Trace, candidates, find, trace};

/// Facts that are traced.
const FACTS: usize = 30;
/// Losses that are told one by one.
const LOSSES: usize = 5;
/// Characters of a fact that are quoted.
const QUOTED: usize = 80;

/// Facts that a later answer repeats, or a later question asks for, although the window no longer held them.
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
            let loss = traced.loss.filter(|_| !traced.in_window && !may_be_read(&traced))?;
            let event = traced.lost_stay(loss).and_then(|stay| stay.decided(run));
            // Another conversation has forgotten nothing.
            let forgot = !event.as_deref().is_some_and(|event| begins_anew(looked, event));
            forgot.then_some((traced, loss))
        };
        // The first answer that repeats it without it: behind that one, its own words stand in the window.
        let repeated = candidate.steps.iter().filter(|step| candidate.repeats > 0 && !reading.is_visible(**step));
        let repeated = repeated.copied().find_map(|step| Some((step, missed_at(Some(step))?, "answer to")));
        let missed = repeated.or_else(|| {
            let (traced, loss) = missed_at(None).filter(|(traced, _)| is_asked(looked, traced))?;
            let step = traced.need.step();
            Some((step, (traced, loss), "question at"))
        });
        let Some((needed, (traced, loss), who)) = missed else { continue };
        let event = traced.lost_stay(loss).and_then(|stay| stay.decided(run));
        let rule = event.map_or_else(String::new, |event| format!(" by {}", event.rule));
        // What held it, which was paid for and would have to come in again.
        let held = traced.occurrences.get(loss.occurrence).and_then(|one| one.stays.iter().find_map(|stay| stay.entry));
        let tokens = held.and_then(|id| run.entry(id)).map(|entry| entry.original_tokens.max(entry.tokens));
        let mut quoted: String = candidate.text.chars().take(QUOTED).collect();
        if quoted.len() < candidate.text.len() {
            quoted.push('…');
        }
        found.push(Finding {
            rule: "needed-after-cut",
            weight: Weight::Loss,
            evidence: format!(
                "“{quoted}” came in at step {} and was lost at step {}{rule}; the {who} step {needed} needed it.",
                candidate.came, loss.step
            ),
            step: Some(loss.step),
            entry: held,
            tokens,
            dollars: tokens.and_then(|tokens| Some(looked.prices()?.fresh(tokens, loss.step))),
            help: "windowpane whatif names the setting that would have kept it".into(),
        });
    }
    found
}

/// A fact that says enough by itself; of a sentence that nobody repeats word for word, the values that it tells.
fn telling(candidate: Candidate) -> Vec<Candidate> {
    if candidate.repeats > 0 {
        return Some(candidate).filter(says_enough).into_iter().collect();
    }
    let values = terms(&candidate.text).0.into_iter();
    let values = values.map(|(kind, text)| Candidate { kind, text, steps: Vec::new(), ..candidate.clone() });
    values.filter(says_enough).collect()
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
        FactKind::Number => digits >= 6,
        FactKind::Identifier | FactKind::Error => digits >= 3 && text.len() >= 8,
    }
}

/// Whether something that was still in the window may have said it: a summary that nobody can read, or one that says
/// the like, or a part of it.
fn may_be_read(traced: &Trace) -> bool {
    let step = traced.need.step();
    let at = |sight: Sight| matches!(sight, Sight::Hidden | Sight::Paraphrase | Sight::Part);
    traced.occurrences.iter().filter_map(|one| one.at(step)).any(|stay| at(stay.sight))
}
