//! Facts that were needed after they were cut: the agent came to them again, or wrote them with nothing left to read.

use super::history::begins_anew;
use super::{Finding, Looked, Weight};
use crate::content::Watch;
use crate::inquiry::{Candidate, Fact, FactKind, Reading, Sight, Subject, Trace, candidates, find, trace};

/// Facts that are traced.
const FACTS: usize = 30;
/// Losses that are told one by one.
const LOSSES: usize = 5;
/// Characters of a fact that are quoted.
const QUOTED: usize = 80;

/// Facts that a later answer repeats although the window no longer held them.
#[must_use]
pub fn needed_after_cut(looked: &Looked, watch: &Watch) -> Vec<Finding> {
    let Looked { transcript, sources, attached, run, .. } = *looked;
    let mut found = Vec::new();
    for candidate in candidates(transcript, sources, (run.thread, attached), FACTS, watch).facts {
        if candidate.repeats == 0 || found.len() >= LOSSES || !says_enough(&candidate) {
            continue;
        }
        let Ok(fact) = Fact::parse(&candidate.text) else { continue };
        let places = find(&fact, transcript, sources, None, watch);
        let places = places.in_run(transcript, sources, run);
        let subject = Subject::new(&fact, &places, transcript);
        let reading = Reading::new(&subject, run);
        // The first answer that repeats it without it: behind that one, its own words stand in the window.
        let missed = candidate.steps.iter().filter(|step| !reading.is_visible(**step)).find_map(|step| {
            let traced = trace(&fact, &places, transcript, sources, run, Some(*step));
            let loss = traced.loss.filter(|_| !traced.in_window && !may_be_read(&traced))?;
            let event = traced.lost_stay(loss).and_then(|stay| stay.decided(run));
            // Another conversation has forgotten nothing.
            let forgot = !event.as_deref().is_some_and(|event| begins_anew(looked, event));
            forgot.then_some((*step, traced, loss))
        });
        let Some((needed, traced, loss)) = missed else { continue };
        let event = traced.lost_stay(loss).and_then(|stay| stay.decided(run));
        let rule = event.map_or_else(String::new, |event| format!(" by {}", event.rule));
        // What held it, which was paid for and would have to come in again.
        let held = traced.occurrences.get(loss.occurrence).and_then(|one| one.stays.iter().find_map(|stay| stay.entry));
        let tokens = held.and_then(|id| run.entry(id)).map(|entry| entry.original_tokens.max(entry.tokens));
        let quoted: String = candidate.text.chars().take(QUOTED).collect();
        found.push(Finding {
            rule: "needed-after-cut",
            weight: Weight::Loss,
            evidence: format!(
                "“{quoted}” came in at step {} and was lost at step {}{rule}; the answer to step {} needed it.",
                candidate.came, loss.step, needed
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
