//! What is said of runs made by hand.

use std::sync::Arc;

use super::*;
use crate::model::{Calls, Record, RequestId, SourceId, Step, ThreadId, WindowSource};

const WHERE: Record = Record { source: SourceId(0), line: 1, start: 0, end: 0 };

/// A run of windows of 200,000 tokens: for each step what is not recorded, and what of tool results is.
fn run(steps: &[(u64, u64)]) -> Run {
    let step = Step {
        request: RequestId(0),
        record: WHERE,
        model: None,
        usage: None,
        window_tokens: 200_000,
        window_source: WindowSource::Default,
        reserve_tokens: 0,
        threshold: None,
        unpriced: false,
        cost: None,
        calls: Calls::None,
        billed: None,
        at: None,
        outcome: Outcome::Answered,
    };
    let totals = |(unlogged, counted): &(u64, u64)| {
        let mut totals = Totals { counted: *counted, ..Totals::default() };
        totals.layers[Layer::Unlogged as usize] = *unlogged;
        totals.layers[Layer::ToolResults as usize] = *counted;
        totals.entries[Layer::ToolResults as usize] = u32::from(*counted > 0);
        totals
    };
    Run {
        steps: Arc::new(vec![step; steps.len()]),
        totals: steps.iter().map(totals).collect(),
        ..Run::new(Track::Recorded, ThreadId(0))
    }
}

fn said(run: &Run) -> String {
    diagnose(run, None).into_iter().map(|clause| clause.text).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_not_recorded_is_called_what_it_can_be() {
    let of = |steps: &[(u64, u64)]| said(&run(steps));
    assert!(of(&[(20_000, 100), (20_000, 9_000)]).contains("the system prompt is not recorded (about 20.0k)"));
    assert!(of(&[(90_000, 100), (90_000, 9_000)]).contains("a part of the prompt is not recorded (about 90.0k)"));
    assert!(of(&[(51_000, 0)]).contains("what was sent is not recorded (about 51.0k)"));
    let grown = of(&[(17_000, 100), (80_000, 9_000), (150_000, 15_000), (20_000, 100)]);
    assert!(grown.contains("91 % of its fullest window is not recorded"), "{grown}");
    assert!(!grown.contains("prompt"), "{grown}");
}

#[test]
fn a_compaction_after_the_last_request_is_at_no_step() {
    let mut run = run(&[(20_000, 100)]);
    run.events = vec![Event::new(2, Stage::Summarise, "recorded.compact")];
    assert!(said(&run).starts_with("compacted once (after the last step)"), "{}", said(&run));
}

#[test]
fn a_compaction_that_was_measured_larger_than_what_was_held_says_so() {
    let mut run = run(&[(20_000, 100)]);
    let event = |measured: u64| Event {
        measured: Some(measured),
        tokens_before: Some(234_000),
        ..Event::new(1, Stage::Summarise, "recorded.auto_compact")
    };
    run.events = vec![event(256_000)];
    assert!(said(&run).starts_with("compacted once (at 256k by the agent's measure)"), "{}", said(&run));
    run.events = vec![event(234_100)];
    assert!(said(&run).starts_with("compacted once (at 234k)"), "{}", said(&run));
}

#[test]
fn a_reserve_that_takes_the_whole_window_is_told() {
    let mut run = run(&[(20_000, 100), (20_000, 300)]);
    assert_eq!(without_room(&run), None);
    let mut steps = run.steps.to_vec();
    (steps[0].threshold, steps[1].threshold) = (Some(180_000), Some(0));
    run.steps = Arc::new(steps.clone());
    assert_eq!(without_room(&run), None, "a policy may compact at nothing");
    steps[1].reserve_tokens = steps[1].window_tokens;
    run.steps = Arc::new(steps);
    assert!(said(&run).contains("the reserve leaves nothing of 1 window, so that all is over the threshold"));
}
