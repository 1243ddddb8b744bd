//! Who asks for a fact does not keep it: what only the question says is lost, for every question put to runs.

use std::sync::Arc;

use windowpane::content::Watch;
use windowpane::engine::{Given, Replay, simulate};
use windowpane::inquiry::{Fact, Found, Reading, Ready, Standing, Subject, Vary, find, keeps, sweep, trace};
use windowpane::policy::named;
use windowpane::present::verdict::verdict;

use super::build::{Log, filler};
use super::runner::{Opened, open, policy};
use super::whatif::asked;

const CODE: &str = "QX-77413";

/// A session that is told a code and asked for it by its name, once its beginning is long summarised.
fn session(told: &str) -> Opened {
    session_with(told, "Now deploy. Is QX-77413 the approval code that I gave you?")
}

/// The same with a question of its own.
fn session_with(told: &str, question: &str) -> Opened {
    let mut log = Log::new().user(told);
    for part in 0..5 {
        log = log.shell(&format!("c{part}"), &format!("cat part{part}"), &filler(part * 100, 60)).says("Read.");
    }
    open(log.user(question).bytes())
}

/// The settings of a policy that summarises early.
const SUMMARISES: &[&str] = &[
    "window.size=6000",
    "summarise.on=true",
    "summarise.at=2200",
    "summarise.target=40",
    "summarise.by=truncate",
    "summarise.fallback_head=0",
    "summarise.keep_tail=none",
];

fn found(opened: &Opened, fact: &Fact) -> Found {
    find(fact, &opened.transcript, &opened.sources, None, &Watch::default())
}

#[test]
fn what_only_the_question_says_is_not_kept() {
    for question in [
        "Now deploy. Is QX-77413 the approval code that I gave you?",
        "Now deploy. Tell me what the approval code QX-77413 was",
        "What was the approval code QX-77413",
        "Please remind me of the approval code QX-77413.",
    ] {
        not_kept(&session_with("The approval code is QX-77413.", question), false);
    }
    // Who gives it says it.
    not_kept(
        &session_with("The approval code is QX-77413.", "Tell me what you changed when QX-77413 is approved"),
        true,
    );
}

/// For every question put to runs: whether a message at the end keeps the code where its beginning is summarised.
fn not_kept(opened: &Opened, keeps_it: bool) {
    let summarises = policy(SUMMARISES);
    let fact = Fact::parse(CODE).unwrap();
    let places = found(opened, &fact);
    let (step, given) = (opened.plan.steps(), Given::default());
    let lost = if keeps_it { Standing::InWindow } else { Standing::OnlyInQuestion };
    let (lossy, whole) =
        (simulate(&opened.plan, &summarises, &given), simulate(&opened.plan, &policy(&["window.size=6000"]), &given));
    for named in [None, Some(step)] {
        let traced = trace(&fact, &places, &opened.transcript, &opened.sources, &lossy, named);
        assert_eq!((traced.need.step(), traced.standing()), (step, lost));
        let traced = trace(&fact, &places, &opened.transcript, &opened.sources, &whole, named);
        assert_eq!(traced.standing(), Standing::InWindow);
    }
    let rows = keeps(&[(&fact, &places, None)], &opened.transcript, &opened.sources, &[&lossy, &whole]);
    assert_eq!(rows[0].kept, [keeps_it, true]);
    let subject = Subject::new(&fact, &places, &opened.transcript);
    let vary = [Vary {
        setting: named("summarise.on").unwrap(),
        values: [true, false].map(windowpane::policy::Value::Bool).into(),
    }];
    let replay = Replay::new(Arc::new(opened.plan.clone()), Arc::new(given), summarises.clone());
    let ready = Ready::new(replay, None);
    let points = sweep(&ready, &summarises, &vary, &[(&subject, step)], &Watch::default(), &|_| {});
    assert_eq!(points.iter().map(|point| point.facts()).collect::<Vec<_>>(), [usize::from(keeps_it), 1]);
    let found = asked(opened, &summarises, CODE);
    assert!(found.there == keeps_it && found.answers.is_empty() == keeps_it, "{found:?}");
}

#[test]
fn what_nothing_but_questions_says_stands_where_they_do() {
    let (opened, fact) = (session("Is QX-77413 a code that you know?"), Fact::parse(CODE).unwrap());
    let places = found(&opened, &fact);
    let subject = Subject::new(&fact, &places, &opened.transcript);
    let run = simulate(&opened.plan, &policy(SUMMARISES), &Given::default());
    assert!(Reading::new(&subject, &run).is_visible(opened.plan.steps()));
}

#[test]
fn what_only_an_earlier_question_says_is_not_kept_later() {
    let mut log = Log::new().user("The approval code is QX-77413.");
    for part in 0..5 {
        log = log.shell(&format!("c{part}"), &format!("cat part{part}"), &filler(part * 100, 60)).says("Read.");
    }
    log = log.user("Is QX-77413 the approval code?").says("I do not know.").user("Go on.");
    let (opened, fact) = (open(log.bytes()), Fact::parse(CODE).unwrap());
    let (step, places) = (opened.plan.steps(), found(&opened, &fact));
    let run = simulate(&opened.plan, &policy(SUMMARISES), &Given::default());
    let traced = |step| trace(&fact, &places, &opened.transcript, &opened.sources, &run, Some(step));
    assert_eq!(traced(step).standing(), Standing::OnlyInQuestion);
    let said = verdict(&traced(step), &fact, &places, &opened.transcript, &run).join(" ");
    assert!(said.contains(&format!("At step {step} only a question names it")), "{said}");
    assert_eq!(keeps(&[(&fact, &places, Some(step))], &opened.transcript, &opened.sources, &[&run])[0].kept, [false]);
    // That it is lost to all but that question is told where it is still there.
    let early = traced(1);
    assert!(early.standing() == Standing::InWindow && early.later.is_some(), "{:?}", early.later);
    let said = verdict(&early, &fact, &places, &opened.transcript, &run).join(" ");
    assert!(said.contains("Later it was lost"), "{said}");
}
