//! How long a summary is: no more than half of what it stands for, and as agents' own where none is recorded.

use windowpane::model::*;
use windowpane::policy::preset;

use crate::replayed::{run, stages};
use crate::story::Story;

/// A summary that may be as long as what it stands for is asked to be shorter: what is due is done.
#[test]
fn a_summary_is_shorter_than_what_it_stands_for_however_long_it_may_be() {
    for by in ["recorded", "extractive", "truncate"] {
        for words in [150, 600, 1_500] {
            let mut story = Story::new(1);
            story.user("Look into it.");
            for number in 0..12 {
                story.ask(None);
                let said =
                    (0..words / 10).map(|at| format!("Line {at} of file {number} tells of port {number}{at:04}."));
                story.answer(&said.collect::<Vec<_>>().join(" "), &[]);
                story.user("Go on.");
            }
            story.ask(None);
            let plan = story.plan(60_000);
            let by = format!("summarise.by={by}");
            let settings = [
                "summarise.on=true",
                "summarise.at=1500",
                "summarise.keep_tail=500 tokens",
                "summarise.target=20000",
                &by,
            ];
            let run = run(&plan, &settings);
            let events = stages(&run, Stage::Summarise);
            assert!(!events.is_empty(), "{by}, {words}");
            for event in events {
                let covered: u64 = event.took.iter().map(|id| run.entry(*id).unwrap().tokens).sum();
                let summary = run.entry(event.made[0]).unwrap().tokens;
                assert!(summary <= (covered / 2).max(50) && event.tokens_after < event.tokens_before, "{event:?}");
            }
        }
    }
}

/// Where nobody wrote a summary it has as many tokens as the agent's own have, not all that one may have.
#[test]
fn a_summary_that_is_not_recorded_is_as_long_as_recorded_ones() {
    let (claude, _) = preset("claude-code", None).unwrap();
    assert_eq!((claude.summarise.target, claude.summarise.expected), (20_000, 3_000));
    let mut story = Story::new(1);
    story.user("Look into it.");
    for number in 0..10 {
        story.ask(None);
        let said = (0..60).map(|at| format!("Line {at} of file {number} tells of port {number}{at:04}."));
        story.answer(&said.collect::<Vec<_>>().join(" "), &[]);
    }
    story.ask(None);
    let plan = story.plan(60_000);
    let longest = |expected: &str| {
        let settings = ["summarise.on=true", "summarise.at=4000", "summarise.target=1500", expected];
        let run = run(&plan, &settings);
        let made = stages(&run, Stage::Summarise).into_iter().map(|event| run.entry(event.made[0]).unwrap().tokens);
        made.max().unwrap()
    };
    assert!((1_001..=1_500).contains(&longest("summarise.expected=0")));
    assert!((201..=400).contains(&longest("summarise.expected=400")));
}
