//! What is cleared before a summary, and what an event says of what was cleared.

use windowpane::model::*;

use crate::replayed::{run, stages};
use crate::story::Story;

/// Six answers, each with reasoning and a call whose result has a thousand tokens.
fn looked_at(input: &str) -> Story {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    for number in 0..6 {
        story.ask(None);
        story.think("I look at the next.");
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}{input}\"}}"), &"r".repeat(4_000))]);
    }
    story.ask(None);
    story
}

const BASE: &[&str] = &[
    "microcompact.on=true",
    "microcompact.at=100%",
    "microcompact.at_boundary=true",
    "microcompact.keep=none",
    "summarise.on=true",
    "summarise.at=5000",
    "summarise.target=200",
    "summarise.by=extractive",
];

#[test]
fn results_are_cleared_before_no_summary_but_one_that_can_be_made() {
    let plan = looked_at("").plan(20_000);
    let with = |own: &[&str]| run(&plan, &[BASE, own].concat());
    let is_done = |event: &&&Event| event.stage != Stage::Summarise || event.compacts();
    let done = |run: &Run, stage| stages(run, stage).iter().filter(is_done).count();
    let both = |run: &Run| [Stage::Microcompact, Stage::Summarise].map(|stage| done(run, stage));
    let last = "summarise.measure=last_usage";
    let made = with(&[last]);
    assert_eq!(both(&made), [1, 1]);
    let event = stages(&made, Stage::Microcompact)[0];
    assert!(event.sentence().starts_with("A summary is due: 6 stale results were cleared before it"), "{event:?}");
    assert_eq!((&*event.rule, event.threshold), ("microcompact.at_boundary", None));
    // One turn is kept as a whole: there is nothing that a summary could stand for.
    let in_vain = with(&[last, "summarise.keep_tail=1 turns"]);
    assert_eq!((both(&in_vain), stages(&in_vain, Stage::Summarise).len()), ([0, 0], 1));
    // However large its target, a summary is at most half of what it stands for, so that one can be made.
    assert_eq!(both(&with(&[last, "summarise.by=truncate", "summarise.target=100000"])), [1, 1]);
    // Measured after it, the clearing is all that is wanted.
    let made = with(&["summarise.measure=after_stages"]);
    let event = stages(&made, Stage::Microcompact)[0];
    assert!(stages(&made, Stage::Summarise).iter().all(|summary| summary.step != event.step));
    let told = "A summary was due: 5 stale results were cleared, which made it needless";
    assert!(event.sentence().starts_with(told), "{}", event.sentence());
}

#[test]
fn what_was_cleared_is_counted_by_what_it_is() {
    let plan = looked_at(&"/long".repeat(40)).plan(20_000);
    let with = |own: &[&str]| {
        let at = ["microcompact.on=true", "microcompact.at=5000", "microcompact.keep=none"];
        run(&plan, &[&at[..], own].concat())
    };
    let told = |run: &Run| {
        let event = stages(run, Stage::Microcompact).into_iter().find(|event| event.rule == "microcompact.at").unwrap();
        (event.took.len(), event.made.len(), event.sentence().into_owned())
    };
    let (took, made, said) = told(&with(&["microcompact.clear_inputs=true", "thinking.clear=true"]));
    assert!(said.contains(" or more: 5 stale results were cleared, and the arguments of 5 calls;"), "{said}");
    assert_eq!((took, made), (11, 10));
    assert!(said.ends_with("; a piece of older reasoning was taken out."), "{said}");
    let (took, made, said) = told(&with(&[]));
    assert_eq!((took, made), (5, 5));
    assert!(said.contains(" or more: 5 stale results were cleared") && !said.contains("arguments"), "{said}");
    // What a setting is held against is what it counts.
    let thinking = run(&plan, &["thinking.clear=true", "thinking.keep_turns=2"]);
    let event = stages(&thinking, Stage::Microcompact)[0];
    assert_eq!((event.threshold, event.measured, event.took.len()), (Some(2), Some(3), 1));
}
