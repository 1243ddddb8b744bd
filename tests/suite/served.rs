//! Which model answers, what its cache holds and for how long, and what a request costs by that.

use std::sync::Arc;

use windowpane::engine::plan::{Boundary, Feed};
use windowpane::engine::{Consequences, Given, Known, Plan, Served, simulate};
use windowpane::model::*;

use crate::replayed::policy;
use crate::story::Story;

const MINUTE: i64 = 60_000;

/// Eight answers and a request that is still to be made.
fn story() -> (Story, Plan) {
    let mut story = Story::new(3);
    story.system(&"s".repeat(8_000));
    story.user("Go on.");
    for number in 0..8 {
        story.ask(Some(Usage { output: Some(100), ..Usage::default() }));
        story.answer("Reading.", &[("Read", &format!("{{\"path\": \"{number}\"}}"), &"r".repeat(2_000))]);
    }
    story.ask(None);
    let mut plan = story.plan(200_000);
    for ask in &mut plan.asks {
        ask.model = Some(Arc::from("claude-opus-4-6"));
    }
    plan.asks.last_mut().unwrap().outcome = Outcome::Pending;
    (story, plan)
}

fn given(story: &Story, plan: &Plan, model: Option<&str>) -> Given {
    let known = Known { model: model.map(str::to_owned), ..Known::nothing() };
    Given { served: Served::of(&known, &story.transcript.threads[0], plan), ..Given::default() }
}

#[test]
fn each_step_has_the_price_and_the_cache_of_its_own_model() {
    let (story, mut plan) = story();
    // The third and fourth are another's, under two of its names.
    plan.asks[2].model = Some(Arc::from("claude-haiku-4-5"));
    plan.asks[3].model = Some(Arc::from("claude-haiku-4-5-20251001"));
    let run = simulate(&plan, &policy(&[]), &given(&story, &plan, None));
    let read = |step: usize| run.steps[step - 1].billed.unwrap().cache_read;
    let used = |step: usize| run.totals[step - 1].used();
    assert_eq!([1, 2, 3, 4, 5, 6].map(read), [0, used(1), 0, used(3), used(2), used(5)]);
    let price = |step: usize| {
        let (billed, cost) = (run.steps[step - 1].billed.unwrap(), run.steps[step - 1].cost.unwrap());
        (cost.output / billed.output.unwrap() as f64 * 1e6).round()
    };
    assert_eq!([2, 3, 4, 5].map(price), [25.0, 5.0, 5.0, 25.0]);
    // One model that is wished for has one price and one cache.
    let wished = simulate(&plan, &policy(&[]), &given(&story, &plan, Some("claude-haiku-4-5")));
    let reads = wished.steps[1..]
        .iter()
        .zip(&wished.totals)
        .all(|(step, before)| step.billed.unwrap().cache_read == before.used());
    assert!(reads && wished.steps[0].cost.unwrap().output < run.steps[0].cost.unwrap().output);
}

#[test]
fn a_cache_lives_as_long_as_the_session_reports() {
    let (story, mut plan) = story();
    for (number, ask) in (0i64..).zip(&mut plan.asks) {
        ask.at = Some(number * 6 * MINUTE);
    }
    let run = |plan: &Plan, setting: &str| simulate(plan, &policy(&[setting]), &given(&story, plan, None));
    let reads = |run: &Run| run.steps[1..].iter().filter(|step| step.billed.unwrap().cache_read > 0).count();
    assert_eq!(reads(&run(&plan, "cache.minutes=reported")), 0, "no report tells of an hour");
    for ask in &mut plan.asks[..8] {
        ask.usage = Some(Usage { cache_write: 500, cache_write_1h: 500, output: Some(100), ..Usage::default() });
    }
    let reported = run(&plan, "cache.minutes=reported");
    assert_eq!(reads(&reported), 8);
    let second = reported.steps[1].billed.unwrap();
    assert!(second.cache_write > 0 && second.cache_write_1h == second.cache_write, "an hour has its own price");
    let set = run(&plan, "cache.minutes=5");
    assert_eq!((reads(&set), set.steps[1].billed.unwrap().cache_write_1h), (0, 0), "what is set stands over reports");
}

/// Anthropic charges for writes, OpenAI does not: there is nothing to be written, what is new is sent fresh.
#[test]
fn what_is_new_is_written_where_the_models_provider_has_a_price_for_that() {
    let (story, mut plan) = story();
    let billed = |plan: &Plan, sets: &[&str]| {
        let run = simulate(plan, &policy(sets), &given(&story, plan, None));
        let second = run.steps[1].billed.unwrap();
        assert!(second.cache_read > 0, "{sets:?}");
        (second.input > 0, second.cache_write > 0)
    };
    assert_eq!(billed(&plan, &[]), (false, true));
    assert_eq!(billed(&plan, &["cache.mode=automatic"]), (true, false));
    for ask in &mut plan.asks {
        ask.model = Some(Arc::from("gpt-5"));
    }
    assert_eq!(billed(&plan, &[]), (true, false));
    assert_eq!(billed(&plan, &["cache.mode=explicit"]), (false, true));
    assert_eq!(billed(&plan, &["cache.price_write=2"]), (false, true), "a price that is set is charged");
}

#[test]
fn the_call_that_writes_a_summary_has_a_time_of_its_own_and_leaves_its_window_in_the_cache() {
    let (story, mut plan) = story();
    for (number, ask) in (0i64..).zip(&mut plan.asks) {
        // Before the fifth request nothing is asked for ten minutes.
        ask.at = Some((number + if number < 4 { 0 } else { 10 }) * MINUTE);
    }
    let asks = plan.feed.iter().enumerate().filter(|(_, feed)| **feed == Feed::Ask);
    let fifth = asks.map(|(at, _)| at).nth(4).unwrap();
    plan.feed.insert(fifth, Feed::Manual(0));
    let told = |at: Option<i64>| {
        let boundary = Boundary {
            step: 5,
            summary: Vec::new(),
            trigger: Some(Trigger::Manual),
            record: story.record(),
            at,
            tokens_before: None,
            items: u32::MAX,
            kept: Vec::new(),
            beside: None,
        };
        let plan = Plan { boundaries: vec![boundary], ..plan.clone() };
        let sets = ["replay.manual=true", "summarise.whole_window=true", "cache.minutes=5"];
        let run = simulate(&plan, &policy(&sets), &given(&story, &plan, None));
        let event = run.events.iter().find(|event| event.stage == Stage::Summarise).unwrap();
        let read = run.steps[4].billed.unwrap().cache_read;
        (event.step, event.call.as_ref().unwrap().cache_read, run.totals[3].used(), read)
    };
    // The user asked soon, and wrote nine minutes later.
    let (step, read, before, next) = told(Some(5 * MINUTE));
    assert_eq!((step, read, next), (5, before, 0));
    // Nothing tells when: just before the next request, which finds the system prompt as the call has left it.
    let (_, read, _, next) = told(None);
    assert_eq!((read, next), (0, 2_000));
}

#[test]
fn a_request_that_is_still_to_be_made_is_not_paid() {
    let (story, mut plan) = story();
    let run = simulate(&plan, &policy(&[]), &given(&story, &plan, None));
    assert!(run.steps[7].cost.is_some() && run.steps[8].cost.is_none());
    let all: f64 = run.steps.iter().filter_map(|step| step.cost).map(|cost| cost.total()).sum();
    let consequences = Consequences::of(&run);
    assert!((consequences.cost_usd.unwrap() - all).abs() < 1e-12 && !consequences.costs_more);
    plan.asks[1].unpriced = true;
    let run = simulate(&plan, &policy(&[]), &given(&story, &plan, None));
    assert!(Consequences::of(&run).costs_more, "nobody knows what an advisor costs");
    (plan.asks[1].unpriced, plan.asks[1].usage) = (false, None);
    let run = simulate(&plan, &policy(&[]), &given(&story, &plan, None));
    assert!(Consequences::of(&run).costs_more, "nothing says how long the second answer was");
    let cost = windowpane::present::figures(&Consequences::of(&run)).into_iter().find(|figure| figure.name == "cost");
    assert!(cost.unwrap().text.starts_with('≥'));
}

#[test]
fn a_request_that_is_refused_costs_nothing_and_leaves_the_caches_as_they_were() {
    let (story, mut plan) = story();
    (plan.asks[4].outcome, plan.asks[4].usage) = (Outcome::TooLong, None);
    let run = simulate(&plan, &policy(&[]), &given(&story, &plan, None));
    let refused = &run.steps[4];
    assert_eq!(refused.billed, Some(Usage { output: Some(0), ..Usage::default() }));
    assert_eq!(refused.cost.map(|cost| cost.total()), Some(0.0));
    assert_eq!(run.steps[5].billed.unwrap().cache_read, run.totals[3].used(), "what the request before it left");
    let told = Consequences::of(&run);
    assert!(told.failed == 1 && !told.costs_more);
    let read = told.cache_read.unwrap() + told.cache_write.unwrap() + told.fresh.unwrap();
    // The last is still to be made.
    let sent = (0..8).filter(|at| *at != 4).map(|at| run.totals[at].used()).sum::<u64>();
    assert_eq!((read, told.sent), (sent, sent));
    // A window that the replay alone makes too small refuses as well.
    let size = format!("window.size={}", run.totals[5].used());
    let small = simulate(&plan, &policy(&[&size]), &given(&story, &plan, None));
    assert!(small.steps[6..8].iter().all(|step| step.outcome == Outcome::TooLong && step.cost.unwrap().total() == 0.0));
}

#[test]
fn what_the_server_did_on_the_way_is_billed_in_a_replay_too() {
    let (story, mut plan) = story();
    let before = simulate(&plan, &policy(&[]), &given(&story, &plan, None));
    let first = before.totals[2].used();
    let reported = Usage {
        input: first - 500 + 10,
        cache_read: first + 500,
        cache_write: 300,
        output: Some(100),
        sent: Some(Sent { tokens: first, cache_read: 500 }),
        ..Usage::default()
    };
    plan.asks[2].usage = Some(reported);
    plan.asks[2].asides = Cost { input: 0.75, ..Cost::default() };
    let run = simulate(&plan, &policy(&[]), &given(&story, &plan, None));
    let (one, other) = (before.steps[2].billed.unwrap(), run.steps[2].billed.unwrap());
    assert_eq!(other.sent, Some(Sent { tokens: first, cache_read: one.cache_read }));
    assert_eq!((other.context(), other.context_read()), (one.context(), one.cache_read), "the window is the same");
    // The second sampling read the first's context again, and brought in 310 tokens.
    assert_eq!((other.cache_read - one.cache_read, other.input + other.cache_write - one.cache_write), (first, 310));
    let more = run.steps[2].cost.unwrap().input - before.steps[2].cost.unwrap().input;
    assert!((more - 0.75).abs() < 1e-3, "{more}");
    assert_eq!(run.steps[3].billed.unwrap().cache_read, first, "the next request begins with the first sampling's");
}
