//! What reports say and don't say of a replayed window: falls without a boundary, counts above them, originals, what a
//! cache reads again, and the summaries that a transcript holds.

use windowpane::content::hash;
use windowpane::engine::plan::Counted;
use windowpane::engine::{Plan, StepFacts};
use windowpane::model::*;
use windowpane::tokens::{Count, Encoding};

use crate::replayed::{run, stages};
use crate::story::Story;

fn fresh(input: u64) -> Option<Usage> {
    Some(Usage { input, ..Usage::default() })
}

/// What a step is billed for, whatever of it a cache reads.
fn billed(step: &Step) -> u64 {
    let usage = step.billed.unwrap();
    usage.input + usage.context_read() + usage.cache_write
}

/// Answers of 1,000 tokens each after a message of 1,000, with these reports.
fn reported(reports: &[u64]) -> Story {
    let mut story = Story::new(1);
    story.user(&"a".repeat(4_000));
    for report in reports {
        story.ask(fresh(*report));
        story.answer(&"b".repeat(4_000), &[]);
    }
    story
}

#[test]
fn a_report_that_falls_without_a_boundary_leaves_the_full_history() {
    // 500 tokens are not recorded. At step 4 the agent must have replaced its window, at step 6 it is back.
    let plan = reported(&[1_500, 2_500, 3_500, 900, 1_900, 6_500]).plan(100_000);
    let all = run(&plan, &[]);
    let used: Vec<u64> = all.totals.iter().map(Totals::used).collect();
    assert_eq!(used, [1_500, 2_500, 3_500, 4_500, 5_500, 6_500]);
    let told: Vec<Option<u64>> = all.totals.iter().map(|totals| totals.reported).collect();
    assert_eq!(told, [Some(1_500), Some(2_500), Some(3_500), None, None, Some(6_500)]);
    let small = run(&plan, &["summarise.on=true", "summarise.at=4000", "summarise.target=100"]);
    let event = stages(&small, Stage::Summarise)[0];
    assert_eq!((event.step, event.measured), (4, Some(4_500)), "a threshold is met all the same");
    assert!(small.totals[3].used() >= 500);
}

#[test]
fn a_window_is_never_smaller_than_the_count_of_what_stands_in_it() {
    // The reports are 200 below the count.
    let plan = reported(&[800, 1_800, 2_800]).plan(2_900);
    let all = run(&plan, &[]);
    for (step, totals) in all.steps.iter().zip(&all.totals) {
        assert_eq!(totals.used(), totals.counted);
        assert_eq!(totals.reported, step.usage.map(|usage| usage.context()));
        assert_eq!(totals.counted - totals.excess, totals.reported.unwrap());
        assert_eq!(billed(step), totals.reported.unwrap(), "the report is the truth of what was sent");
    }
    assert_eq!(all.steps[2].outcome, Outcome::Answered, "2,800 tokens of 2,900 were sent, whatever the count says");
    let small = run(&plan, &["summarise.on=true", "summarise.at=1500", "summarise.target=100"]);
    assert_eq!(stages(&small, Stage::Summarise)[0].measured, Some(2_000));
    for (step, totals) in small.steps.iter().zip(&small.totals).skip(1) {
        assert_eq!((totals.excess, totals.reported), (0, None));
        assert_eq!(billed(step), totals.used());
    }
}

#[test]
fn a_cache_gives_back_no_more_than_was_sent_before() {
    // The reports are 200 below the count; of the last request there is none.
    let mut plan = reported(&[800, 1_800, 2_800, 3_800]).plan(10_000);
    plan.asks[3].usage = None;
    let all = run(&plan, &[]);
    assert_eq!(all.totals[3].reported, None);
    assert_eq!(all.steps[3].billed.unwrap().cache_read, 2_800);
}

#[test]
fn all_before_a_notice_that_moves_is_read_again() {
    // Of the second report 400 tokens lie upon what came in with it, and nothing of them upon what comes later.
    let plan = reported(&[1_500, 2_900, 3_900, 4_900]).plan(100_000);
    let run = run(&plan, &["notice.on=true", "cache.min_tokens=0", "cache.mode=explicit"]);
    for step in 2..=4u32 {
        let at = step as usize - 1;
        let is_notice = |entry: &&Entry| &*entry.label == "window usage" && entry.life_at(step - 1).is_some();
        let notice = run.entries.iter().find(is_notice).expect("a notice").tokens;
        let before = run.totals[at - 1].used() - notice;
        assert_eq!(run.steps[at].billed.unwrap().cache_read, before, "step {step}");
    }
}

/// Writes cost 1.25 of fresh input: 400 and then 900 tokens are below 1,024 and are not cached, 2,000 are written whole,
/// and of 2,600 then 2,000 are read.
#[test]
fn a_request_below_the_least_that_is_cached_is_billed_as_fresh_input() {
    let run = run(&reported(&[400, 900, 2_000, 2_600]).plan(10_000), &["cache.min_tokens=1024"]);
    let billed = |step: usize| {
        let usage = run.steps[step - 1].billed.unwrap();
        (usage.input, usage.cache_read, usage.cache_write)
    };
    assert_eq!([1, 2, 3, 4].map(billed), [(400, 0, 0), (900, 0, 0), (0, 0, 2_000), (0, 2_000, 600)]);
}

#[test]
fn an_original_enlarges_the_window_by_what_was_cut_of_it() {
    let mut story = Story::new(1);
    story.user("Go on.");
    story.ask(fresh(1_000));
    let made = story.answer("Yes.", &[("Bash", "{}", &"r".repeat(2_000))]);
    story.ask(fresh(1_600));
    story.answer("Done.", &[]);
    story.ask(fresh(1_700));
    let whole = vec![b'r'; 20_000];
    let result = &mut story.transcript.blocks[made[2].0 as usize];
    let head =
        Cut { shape: CutShape::Head, original_chars: None, original_tokens: None, rest: None, copy_ends_early: false };
    result.cut = Some(Box::new(head));
    result.original =
        Some(Box::new(Body::Text { spans: <_>::default(), chars: 20_000, hash: hash(&whole, Coding::Plain) }));
    let replayed = |originals: bool| {
        let count = |id: BlockId, whole: bool| match &story.transcript.blocks[id.0 as usize].body {
            Body::Text { chars, .. } => Count { tokens: if whole { 5_000 } else { chars.div_ceil(4) }, exact: true },
            _ => Count::default(),
        };
        let counted = Counted { encoding: Encoding::Estimate, factor: 1.0, originals };
        let facts = |_: &Request| StepFacts { window_tokens: 100_000, ..StepFacts::default() };
        let plan = Plan::new(&story.transcript, ThreadId(0), counted, count, facts);
        run(&plan, &[])
    };
    let [(sent, _), (whole, event)] = [false, true].map(|originals| {
        let run = replayed(originals);
        let came = run.events_at(2).find(|(_, event)| event.stage == Stage::Admit).expect("an event").1.clone();
        (run.totals.iter().map(Totals::used).collect::<Vec<u64>>(), came)
    });
    let said = "of 1 of them the original stands in place of what was sent: 5,000 tokens instead of 500.";
    assert_eq!(event.rule, "replay.originals");
    assert!(event.sentence().ends_with(said), "{}", event.sentence());
    assert_eq!(sent, [1_000, 1_600, 1_700]);
    assert!(whole[0] == 1_000 && whole[1] >= 1_600 + 4_500 && whole[2] >= 1_700 + 4_500, "{whole:?}");
}

#[test]
fn the_unrecorded_prompt_is_read_again_when_the_history_is_replaced() {
    let settings = ["summarise.on=true", "summarise.at=6000", "summarise.target=100", "cache.min_tokens=1024"];
    // 3,000 tokens are not recorded and stand before the history.
    let plan = reported(&[4_000, 5_000, 6_000, 7_000]).plan(100_000);
    let read = |plan: &Plan| run(plan, &settings).steps[3].billed.unwrap().cache_read;
    assert_eq!(stages(&run(&plan, &settings), Stage::Summarise)[0].step, 4);
    assert_eq!(read(&plan), 3_000);
    // The first report tells how much of it another session had left in the cache.
    let mut story = reported(&[4_000, 5_000, 6_000, 7_000]);
    story.transcript.threads[0].requests[0].usage = Some(Usage { input: 1_500, cache_read: 2_500, ..Usage::default() });
    assert_eq!(read(&story.plan(100_000)), 2_500);
    let least = [settings.as_slice(), &["cache.min_tokens=4000"]].concat();
    assert_eq!(run(&plan, &least).steps[3].billed.unwrap().cache_read, 0);
}

/// A history of `steps` requests, which the agent compacted before that step.
fn compacted(steps: u32, at: u32) -> Plan {
    let mut story = Story::new(1);
    story.system("Be brief.");
    story.user("We must keep port 8443 because staging needs it.");
    for step in 1..=steps {
        if step == at {
            story.compact(0);
        }
        story.ask(None);
        story.answer(&format!("Decision {step}: the parser must stay because of file_{step}.rs.\n").repeat(60), &[]);
    }
    story.plan(100_000)
}

#[test]
fn a_recorded_summary_serves_once_and_only_near_its_boundary() {
    let held = |plan: &Plan, first: u32| -> Vec<(u32, bool, String)> {
        let at = format!("summarise.at={}", run(plan, &[]).totals[first as usize - 1].used() - 1);
        let settings = ["summarise.on=true", &at, "summarise.target=1000", "summarise.by=recorded"];
        let made = run(plan, &settings);
        let own = |id: &EntryId| made.entry(*id).unwrap().content[..] == [Made::Block(plan.boundaries[0].summary[0].0)];
        let found = stages(&made, Stage::Summarise).into_iter();
        found.map(|event| (event.step, own(&event.made[0]), event.sentence().into_owned())).collect()
    };
    let plan = compacted(30, 8);
    let same = held(&plan, 8);
    assert!(same.len() > 1 && same[0].1 && !same[0].2.contains("The agent wrote"), "{same:?}");
    assert!(same[1..].iter().all(|(_, recorded, _)| !recorded), "it stands for one history: {same:?}");
    let early = held(&plan, 6);
    assert!(early[0].1 && early[0].2.contains("before step 8: it may tell of what comes in by then"), "{early:?}");
    let late = held(&plan, 10);
    assert!(late[0].1 && late[0].2.contains("what came in since stands nowhere in it"), "{late:?}");
    for far in [4, 12] {
        assert!(!held(&plan, far)[0].1, "a boundary four requests away");
    }
}

#[test]
fn reactive_compact_tries_where_only_a_summary_is_left_and_says_where_it_cannot() {
    let mut story = Story::new(1);
    story.system(&"s".repeat(16_000));
    story.user(&"u".repeat(20_000));
    story.ask(None);
    let base = ["summarise.on=true", "summarise.at=5000", "summarise.target=4000", "summarise.by=truncate"];
    let reactive = [base.as_slice(), &["reactive.on=true", "reactive.keep_tail=none"]].concat();
    let made = run(&story.plan(7_000), &reactive);
    let event = stages(&made, Stage::Reactive)[0];
    assert!(event.compacts() && made.totals[0].used() <= 7_000, "{event:?}");
    // 4,000 tokens of the system stay whatever is summarised.
    let made = run(&story.plan(3_000), &reactive);
    assert_eq!(made.steps[0].outcome, Outcome::TooLong);
    let mut story = Story::new(1);
    story.system(&"s".repeat(16_000));
    story.ask(None);
    let made = run(&story.plan(3_000), &["reactive.on=true"]);
    let events = stages(&made, Stage::Reactive);
    assert_eq!(events.len(), 1, "one attempt");
    assert!(!events[0].compacts() && events[0].sentence().contains("the step failed"), "{events:?}");
    assert_eq!(windowpane::engine::Consequences::of(&made).compactions, 0);
}

#[test]
fn a_step_that_goes_back_tells_a_chain_of_figures() {
    let mut story = reported(&[1_000, 2_000]);
    story.user(&"c".repeat(800));
    story.ask(None);
    story.answer(&"d".repeat(800), &[]);
    story.rewind(1);
    story.user(&"e".repeat(400));
    story.ask(None);
    let made = run(&story.plan(100_000), &[]);
    let told: Vec<_> = made
        .events_at(4)
        .map(|(_, event)| (event.stage, event.tokens_before.unwrap(), event.tokens_after.unwrap(), event.measured))
        .collect();
    let end = made.totals[3].used();
    assert_eq!(
        told,
        [(Stage::Rewind, made.totals[2].used(), end - 100, None), (Stage::Admit, end - 100, end, Some(100))]
    );
    let shown = windowpane::present::pipeline(&made, 4, None).unwrap();
    let figures: Vec<_> = shown.stages.iter().take(2).map(windowpane::present::StageRow::tokens).collect();
    assert_eq!(figures, [(told[0].1, told[0].2), (told[1].1, told[1].2)], "the same on the screen");
}

/// Each answer and its result are 1,008 tokens by our count, and half as much again by the reports.
#[test]
fn what_is_kept_of_the_end_weighs_what_reports_show_of_it() {
    let kept = |share: u64| {
        let mut story = Story::new(1);
        story.user("Look at them all.");
        let report = |number: u64| Some(Usage { input: 5_000 + number * share, output: Some(0), ..Usage::default() });
        for number in 0..12 {
            story.ask(report(number));
            story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number:02}\"}}"), &"r".repeat(4_000))]);
        }
        story.ask(report(12));
        let sets = ["summarise.on=true", "summarise.at=12500", "summarise.by=extractive", "summarise.target=200"];
        let run = run(&story.plan(40_000), &[sets.as_slice(), &["summarise.keep_tail=5000 tokens"]].concat());
        let event = stages(&run, Stage::Summarise)[0];
        let at = run.totals_at(event.step).unwrap();
        // What stands beside the history is not recorded: about 5,000.
        (at.layers[Layer::ToolResults as usize], at.used() - 5_000 - at.layers[Layer::Summaries as usize])
    };
    let (results, held) = kept(1_006);
    assert!(results == 4_000 && (4_000..=5_100).contains(&held), "{results} of {held}");
    let (results, held) = kept(1_509);
    assert!(
        results == 3_000 && (4_000..=5_100).contains(&held),
        "three take as much as five by the count: {results} of {held}"
    );
}
