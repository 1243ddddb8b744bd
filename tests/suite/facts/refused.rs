//! Facts in requests that the model refused as too long: it never got what stands in them.

use serde_json::{Value, json};
use windowpane::content::Watch;
use windowpane::engine::{Given, simulate};
use windowpane::inquiry::{Fact, Need, Reading, Sight, Subject, Trace, find, trace};
use windowpane::model::{Outcome, Run};
use windowpane::present::verdict::verdict;

use super::build::{Log, codex, filler, message};
use super::runner::{Opened, open, policy, traced};

const FACT: &str = "QX-77413";
const NOTE: &str = "The staging gateway only accepts keys that begin with QX-77413.";

/// A note, then turns with results that outgrow a small window.
fn growing(turns: usize) -> Opened {
    let mut log = Log::new().user(NOTE).says("I will.");
    for turn in 0..turns {
        let (call, command) = (format!("c{turn}"), format!("cat part{turn}"));
        log = log.user(&format!("Step {turn}.")).shell(&call, &command, &filler(turn * 20, 20)).says("Read.");
    }
    open(log.user("What now?").bytes())
}

fn at(opened: &Opened, run: &Run, step: Option<u32>) -> (Trace, String) {
    let fact = Fact::parse(FACT).unwrap();
    let found = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
    let trace = trace(&fact, &found, &opened.transcript, &opened.sources, run, step);
    let said = verdict(&trace, &fact, &found, &opened.transcript, run).join(" ");
    (trace, said)
}

fn usage(context: u64) -> Value {
    let usage = json!({"input_tokens": context, "output_tokens": 5, "total_tokens": context + 5});
    let info = json!({"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 1000});
    json!({"type": "token_count", "info": info})
}

/// A Codex session, a fact of which one of the two says, up to a question whose request was refused as too long.
fn refusing(by: &str) -> Vec<(&'static str, Value)> {
    let refused = json!({"type": "error", "message": "Codex ran out of room in the model's context window.", "codex_error_info": "context_window_exceeded"});
    vec![
        ("session_meta", json!({"id": "s", "cwd": "/w", "cli_version": "0.99.0"})),
        ("turn_context", json!({"model": "gpt-5"})),
        ("response_item", message("user", if by == "user" { NOTE } else { "Look at it." })),
        ("response_item", message("assistant", if by == "user" { "I will." } else { NOTE })),
        ("event_msg", usage(500)),
        ("response_item", message("user", "Which keys does the staging gateway accept?")),
        ("event_msg", refused),
    ]
}

/// A fact is seen at no refused step, and the fates, the verdict and what a sweep asks say the same.
#[test]
fn what_the_model_never_got_holds_nothing() {
    let opened = growing(6);
    for size in [900, 1_400, 100_000] {
        let run = simulate(&opened.plan, &policy(&[&format!("window.size={size}")]), &Given::default());
        let fact = Fact::parse(FACT).unwrap();
        let found = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
        let subject = Subject::new(&fact, &found, &opened.transcript);
        let reading = Reading::new(&subject, &run);
        let mut refused = 0;
        for (step, about) in (1u32..).zip(run.steps.iter()) {
            let (trace, said) = at(&opened, &run, Some(step));
            let (_, best) = trace.best_at(step).unwrap();
            let is_refused = about.outcome == Outcome::TooLong;
            refused += u32::from(is_refused);
            assert_eq!(best.sight == Sight::Refused, is_refused, "{size}, step {step}: {best:?}");
            assert_eq!((trace.in_window, trace.is_refused()), (!is_refused, is_refused), "{size}, step {step}");
            assert_eq!(reading.is_visible(step), !is_refused, "{size}, step {step}");
            assert_eq!(said.contains("refused as too long"), is_refused || trace.later.is_some(), "{step}: {said}");
            assert_eq!(trace.again, None);
            if is_refused {
                assert_eq!(best.refusal(&run).map(|(used, most)| (used > most, most)), Some((true, size)));
                assert!(said.contains("The model never got") && trace.loss.is_some(), "{said}");
            }
        }
        assert_eq!(refused > 0, size < 100_000, "{size}");
        let (_, _, all) = traced(&opened, &run, FACT);
        let mut next = all.occurrences[0].first.unwrap();
        for stay in all.occurrences[0].stays.iter() {
            assert_eq!(stay.from, next);
            next = stay.to.map_or(0, |to| to + 1);
        }
        assert_eq!(next, 0, "the fates go on to the end");
        let last = u32::try_from(run.steps.len()).unwrap();
        assert!(all.occurrences[0].stays.iter().all(|stay| stay.from <= last), "and no further");
    }
}

/// What a compaction takes after requests were refused is lost by that, not by the refusals before.
#[test]
fn a_loss_behind_refusals_is_told_as_it_is() {
    let mut records = refusing("assistant");
    records.push(("compacted", json!({"message": "The work goes on."})));
    records.push(("response_item", message("user", "Carry on.")));
    records.push(("response_item", message("assistant", "Done.")));
    let opened = open(codex(&records));
    let last = u32::try_from(opened.recorded.steps.len()).unwrap();
    assert!(opened.recorded.steps.iter().any(|step| step.outcome == Outcome::TooLong));
    let (trace, said) = at(&opened, &opened.recorded, Some(last));
    let loss = trace.loss.unwrap();
    assert_eq!(loss.step, last, "{said}");
    assert!(
        trace.lost_stay(loss).is_some_and(|stay| stay.event.is_some()) && said.contains("compacted away"),
        "{said}"
    );
}

/// The question of a request that was refused is answered from the next one that the model got.
#[test]
fn a_question_whose_request_was_refused_is_needed_where_it_went_through() {
    let mut records = refusing("user");
    records.push(("response_item", message("user", "Try again.")));
    records.push(("response_item", message("assistant", "Those with the prefix.")));
    records.push(("event_msg", usage(600)));
    let opened = open(codex(&records));
    let run = &opened.recorded;
    let outcomes: Vec<Outcome> = run.steps.iter().map(|step| step.outcome).collect();
    assert!(outcomes.contains(&Outcome::TooLong), "{outcomes:?}");
    let refused = 1 + u32::try_from(outcomes.iter().position(|outcome| *outcome == Outcome::TooLong).unwrap()).unwrap();
    let (trace, said) = at(&opened, run, None);
    assert!(matches!(trace.need, Need::Asked(step, _) if step == refused + 1), "{:?}: {said}", trace.need);
    assert!(trace.in_window, "{said}");
    // Asked for by its number, the refused one holds nothing, and the next one does.
    let (trace, said) = at(&opened, run, Some(refused));
    assert!(
        !trace.in_window && said.contains(&format!("The request of step {} went through with it.", refused + 1)),
        "{said}"
    );
}
