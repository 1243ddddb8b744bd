//! What a client knows of its window's size once its history has gone back: the report of the answer that it goes back
//! to, and none where no answer is left.

use windowpane::engine::{Given, Plan, simulate};
use windowpane::model::*;
use windowpane::policy::{Policy, set};

use crate::story::Story;

fn usage(input: u64, output: u64) -> Option<Usage> {
    Some(Usage { input, output: Some(output), ..Usage::default() })
}

/// Two answers; the second alone, reported at 100,000 tokens, fills half of the window.
fn two_answers() -> Story {
    let mut story = Story::new(1);
    story.user(&"The port is 8443. ".repeat(500));
    story.ask(usage(50_000, 100));
    story.answer(&"I look at the files. ".repeat(500), &[]);
    story.user("And then?");
    story.ask(usage(52_628, 100_000));
    story.answer(&"a".repeat(400_000), &[]);
    story
}

/// The compactions of a replay, as step and measure.
fn compactions(story: &Story, settings: &[&str]) -> (Run, Vec<(u32, Option<u64>)>) {
    compactions_of(&story.plan(200_000), settings)
}

fn compactions_of(plan: &Plan, settings: &[&str]) -> (Run, Vec<(u32, Option<u64>)>) {
    let mut policy = Policy::default();
    let own = ["summarise.on=true", "summarise.measure=last_usage_plus_new", "summarise.by=extractive"];
    for setting in own.iter().chain(&["summarise.target=100"]).chain(settings) {
        set(&mut policy, setting).unwrap();
    }
    let run = simulate(plan, &policy, &Given::default());
    let events = run.events.iter().filter(|event| event.stage == Stage::Summarise);
    let found = events.map(|event| (event.step, event.measured)).collect();
    (run, found)
}

#[test]
fn a_rewind_measures_by_the_report_that_it_goes_back_to() {
    let mut story = two_answers();
    story.rewind(1);
    story.user(&"x".repeat(400));
    story.ask(usage(52_725, 10));
    story.answer("Yes.", &[]);
    story.user("Thanks.");
    story.ask(None);
    assert_eq!(compactions(&story, &["summarise.at=100000"]).1, [], "the larger answer is no part of this history");
    // Context and output of the first request, and what was typed instead.
    assert_eq!(compactions(&story, &["summarise.at=50150"]).1[0], (3, Some(50_000 + 100 + 100)));
    for measure in ["last_usage", "last_usage_and_reasoning"] {
        let measure = format!("summarise.measure={measure}");
        assert_eq!(compactions(&story, &["summarise.at=100000", &measure]).1, []);
    }
}

#[test]
fn a_branch_that_is_gone_back_to_brings_its_report_with_it() {
    let mut story = two_answers();
    let branch = story.held.clone();
    story.rewind(1);
    story.user("Or else?");
    story.ask(usage(52_627, 10));
    story.answer("No.", &[]);
    let (record, window) = (story.record(), branch.clone());
    story.held = branch;
    story.thread().ops.push(Op::Rewind(Box::new(Rewind {
        record,
        cause: RewindCause::Rewound,
        window,
        dropped: Vec::new(),
    })));
    story.user(&"x".repeat(400));
    story.ask(None);
    assert_eq!(compactions(&story, &["summarise.at=100000"]).1, [(4, Some(52_628 + 100_000 + 100))]);
}

#[test]
fn reasoning_that_left_with_its_answer_is_not_measured() {
    for (back, compactions) in [(false, 1), (true, 0)] {
        let mut story = Story::new(1);
        story.user(&"The port is 8443. ".repeat(500));
        story.ask(usage(50_000, 100));
        story.answer(&"I look at the files. ".repeat(500), &[]);
        story.user("And then?");
        story.ask(usage(52_628, 10));
        story.answer("I read.", &[("Read", "{}", "it is short")]);
        story.ask(None);
        story.answer("It is done.", &[]);
        if back {
            story.rewind(1);
        }
        // What was reasoned before this is old now: reports leave it out, and the measure adds it.
        story.user("Or else?");
        story.ask(None);
        let mut plan = story.plan(200_000);
        plan.items.iter_mut().find(|item| item.chars == 7).unwrap().hidden = 300_000;
        let settings = ["summarise.at=190000", "summarise.measure=last_usage_and_reasoning"];
        assert_eq!(compactions_of(&plan, &settings).1.len(), compactions, "{back}");
    }
}

#[test]
fn a_new_session_is_measured_as_it_stands() {
    let mut story = two_answers();
    let record = story.record();
    story.held.clear();
    let new = Rewind { record, cause: RewindCause::NewSession, window: Vec::new(), dropped: Vec::new() };
    story.thread().ops.push(Op::Rewind(Box::new(new)));
    story.user(&"The port is 9000. ".repeat(500));
    story.ask(None);
    let (run, found) = compactions(&story, &["summarise.at=100000"]);
    assert!(found.is_empty() && run.totals[2].used() < 100_000, "{found:?}");
}

/// What was kept was reported of the window before the compaction.
#[test]
fn an_answer_that_a_compaction_kept_tells_nothing_of_the_window_after_it() {
    let mut story = Story::new(1);
    story.user(&"The port is 8443. ".repeat(500));
    story.ask(usage(150_000, 100));
    for (answer, prompt) in [("I look.", "Go on."), ("I go on.", "And on."), ("On.", "More.")] {
        story.answer(answer, &[]);
        story.user(prompt);
        story.ask(None);
    }
    story.answer("More.", &[]);
    // The client sends the prompt that the compaction kept otherwise: that undoes nothing.
    story.held.truncate(2);
    let (window, record) = (story.held.clone(), story.record());
    story.thread().ops.push(Op::Rewind(Box::new(Rewind {
        record,
        cause: RewindCause::Edited,
        window,
        dropped: Vec::new(),
    })));
    story.user("Go on, but slowly.");
    story.user("Please.");
    story.ask(None);
    let (run, found) = compactions(&story, &["summarise.at=150000", "summarise.keep_tail=2 messages"]);
    assert_eq!(found.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [2], "{found:?}");
    let kept = run.entries.iter().find(|entry| entry.layer == Layer::Assistant).unwrap();
    assert!(kept.life_at(5).is_some(), "the kept answer stands");
}
