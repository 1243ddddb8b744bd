//! One test for each layer of defence that source 5 names, and for what they have to do with each other. The README's
//! table names them.

use windowpane::engine::{Given, Plan, simulate};
use windowpane::model::*;
use windowpane::policy::preset;

use crate::mechanisms::{of_fate, with_output};
use crate::replayed::{looking, run, stages};
use crate::story::Story;

#[test]
fn microcompact_clears_stale_results_and_spares_the_newest() {
    let mut story = Story::new(1);
    story.user("Look around.");
    for number in 0..5 {
        story.ask(None);
        let input = format!("{{\"pattern\": \"p{number}\"}}");
        story.answer("Looking.", &[("Grep", &input, &"g".repeat(4_000))]);
    }
    story.ask(None);
    let plan = story.plan(20_000);
    let settings = ["microcompact.on=true", "microcompact.at=5000", "microcompact.keep=2 results"];
    let run = run(&plan, &settings);
    let event = stages(&run, Stage::Microcompact)[0];
    assert_eq!((event.step, event.took.len(), event.threshold), (6, 3, Some(5_000)));
    let marker = of_fate(&run, 6, Fate::Cleared)[0];
    assert_eq!(marker.content[..], [Made::Text("[Old tool result content cleared]".into())]);
    assert_eq!((marker.original_tokens, marker.from.len()), (1_000, 1));
    // What would be freed is 3 × (1,000 − marker): under a higher minimum nothing is cleared.
    let more = [settings.as_slice(), &["microcompact.min_freed=3000"]].concat();
    assert!(stages(&self::run(&plan, &more), Stage::Microcompact).is_empty());
    let named = [settings.as_slice(), &["microcompact.exclude_tools=Grep"]].concat();
    assert!(stages(&self::run(&plan, &named), Stage::Microcompact).is_empty());
}

#[test]
fn microcompact_spares_what_later_turns_refer_to_and_says_by_what() {
    let mut story = looking(4, |number| format!("the port is QX-{number}7741"), "As seen, QX-07741 is the one.");
    story.ask(None);
    let plan = story.plan(20_000);
    let base = ["microcompact.on=true", "microcompact.at=4000", "microcompact.keep=1 results"];
    let spared = run(&plan, &[base.as_slice(), &["microcompact.spare_referenced=true"]].concat());
    let event = stages(&spared, Stage::Microcompact).into_iter().last().unwrap();
    assert_eq!(event.evidence.len(), 1, "{event:?}");
    assert_eq!(&*event.evidence[0].word, "QX-07741");
    let told = windowpane::present::references(&spared, event);
    assert_eq!(told, " The answer of step 5 repeats “QX-07741” of the result Bash of step 2.");
    let kept = spared.entry(event.evidence[0].entry).unwrap();
    assert!(kept.life_at(5).is_some(), "what is referred to stands there still");
    assert!(
        event.sentence().ends_with(
            "; no later answer or call of the model repeats a name, path or number of what was cleared; what the user \
             wrote later was not looked at."
        ),
        "{}",
        event.sentence()
    );
    let all = run(&plan, &base);
    let event = stages(&all, Stage::Microcompact).into_iter().last().unwrap();
    assert!(
        event.sentence().ends_with("; later answers or calls refer to 1 of them all the same."),
        "{}",
        event.sentence()
    );
    assert_eq!((event.evidence.len(), event.evidence[0].spared, &*event.evidence[0].word), (1, false, "QX-07741"));
    assert_eq!(windowpane::present::references(&all, event), told);
}

#[test]
fn clearing_happens_at_compact_boundaries_where_it_is_asked_for() {
    let plan = with_output(20_000, 3).plan(200_000);
    let base = [
        "microcompact.on=true",
        "microcompact.at=90%",
        "microcompact.keep=none",
        "summarise.on=true",
        "summarise.at=5000",
        "summarise.target=300",
    ];
    assert!(stages(&run(&plan, &base), Stage::Microcompact).is_empty(), "the window is far from 90 %");
    let at = run(&plan, &[base.as_slice(), &["microcompact.at_boundary=true"]].concat());
    assert!(!stages(&at, Stage::Microcompact).is_empty());
}

#[test]
fn auto_compact_makes_a_boundary_and_keeps_head_and_tail_and_pairs() {
    let mut story = Story::new(1);
    story.user("The first words.");
    for number in 0..6 {
        story.ask(None);
        story.answer("Step.", &[("Bash", &format!("{{\"command\": \"c{number}\"}}"), &"r".repeat(4_000))]);
    }
    story.ask(None);
    let plan = story.plan(10_000);
    let run = run(
        &plan,
        &[
            "summarise.on=true",
            "summarise.at=5000",
            "summarise.target=500",
            "summarise.keep_head=1 events",
            "summarise.keep_tail=1 rounds",
        ],
    );
    let event = stages(&run, Stage::Summarise)[0];
    let window = run.window(event.step);
    let layers: Vec<Layer> = window.iter().map(|id| run.entry(*id).unwrap().layer).collect();
    assert_eq!(
        layers,
        [Layer::User, Layer::Summaries, Layer::Assistant, Layer::ToolCalls, Layer::ToolResults],
        "the first words, the boundary, and the newest answer with its call and result"
    );
    assert!(event.tokens_after < event.tokens_before && event.call.is_some());
}

#[test]
fn room_for_the_summary_is_reserved() {
    let plan = with_output(20_000, 2).plan(100_000);
    let of = |settings: &[&str]| run(&plan, settings).steps[0].threshold;
    let base = ["summarise.on=true", "summarise.at=90%", "reserve.summary=20000"];
    assert_eq!(of(&[base.as_slice(), &["summarise.of=effective"]].concat()), Some(72_000));
    assert_eq!(of(&[base.as_slice(), &["summarise.of=raw"]].concat()), Some(90_000));
    let reserve = |run: &Run| run.totals[0].layers[Layer::Reserve as usize];
    assert_eq!(reserve(&run(&plan, &base)), 20_000);
}

#[test]
fn reactive_compact_tries_once_and_then_marks_the_step_as_failed() {
    let plan = with_output(80_000, 1).plan(10_000);
    let run = run(&plan, &["reactive.on=true", "reactive.keep_tail=none", "summarise.target=2000"]);
    let made = stages(&run, Stage::Reactive);
    assert_eq!(made.iter().map(|event| event.step).collect::<Vec<_>>(), [2]);
    assert!(run.totals[1].used() <= 10_000);
    // A message of the system that no compaction takes cannot be helped: one attempt at most, then it is marked.
    let mut story = Story::new(1);
    story.system(&"s".repeat(80_000));
    story.user("Hello.");
    story.ask(None);
    let run = self::run(&story.plan(10_000), &["reactive.on=true"]);
    assert!(stages(&run, Stage::Reactive).len() <= 1);
    assert_eq!(run.steps[0].outcome, Outcome::TooLong);
}

#[test]
fn a_refused_prompt_is_refused_again_where_nothing_is_done_about_it() {
    let mut plan = with_output(380_000, 1).plan(100_000);
    plan.asks[1].outcome = Outcome::TooLong;
    let of = |settings: &[&str]| run(&plan, settings).steps[1].outcome;
    assert_eq!(of(&[]), Outcome::TooLong);
    assert_eq!(of(&["notice.on=true"]), Outcome::TooLong, "it is longer than what was refused");
    assert_eq!(of(&["notice.on=true", "tool_results.on=true"]), Outcome::Answered, "most of it is gone");
}

#[test]
fn context_collapse_shows_old_turns_as_lines_and_restores_what_is_referred_to() {
    let mut story = Story::new(1);
    story.user("Look into it.");
    for number in 0..6 {
        story.ask(None);
        let body = format!("value QZ{number}9931 {}", "r".repeat(4_000));
        let words = if number == 5 { "QZ09931 was the first value." } else { "Looking." };
        story.answer(words, &[("Bash", &format!("{{\"command\": \"c{number}\"}}"), &body)]);
    }
    story.ask(None);
    let plan = story.plan(10_000);
    let run = run(&plan, &["collapse.on=true", "collapse.at=30%", "collapse.keep=2 rounds"]);
    assert!(stages(&run, Stage::Summarise).is_empty());
    let lines = of_fate(&run, 6, Fate::Collapsed);
    assert!(!lines.is_empty(), "old turns are lines");
    let first = run.entries.iter().position(|entry| entry.layer == Layer::ToolResults).unwrap();
    let lives = &run.entries[first].lives;
    assert!(lives.len() >= 2 && lives.last().unwrap().died.is_none(), "it is shown in full again: {lives:?}");
    let event = stages(&run, Stage::Collapse).into_iter().find(|event| !event.evidence.is_empty()).unwrap();
    assert_eq!((&*event.evidence[0].word, event.evidence[0].entry), ("QZ09931", EntryId(first as u32)));
    assert!(event.sentence().contains("is referred to again: it is shown in full"), "{}", event.sentence());
    assert!(
        lines
            .iter()
            .any(|line| line.content[0]
                == Made::Text("[turn 1, assistant] Looking. · Bash(c0) → 1004 tokens, ok".into())),
        "turns are those of the user: {lines:?}"
    );
}

#[test]
fn the_line_of_a_turn_tells_nothing_that_another_stage_took_before() {
    let mut story = Story::new(1);
    story.user(&format!("SECRET-7731 is {}", "w".repeat(60_000)));
    for number in 0..6 {
        story.ask(None);
        let input = format!("{{\"command\": \"cargo test --all-features --package part_{number}\"}}");
        story.answer(&"Looking. ".repeat(300), &[("Bash", &input, &"r".repeat(4_000))]);
    }
    story.ask(None);
    let plan = story.plan(20_000);
    let lines = |more: &[&str]| -> Vec<String> {
        let base = ["collapse.on=true", "collapse.at=10%", "collapse.keep=2 rounds"];
        let run = run(&plan, &[&base, more].concat());
        let lines = of_fate(&run, 7, Fate::Collapsed);
        let said = lines.into_iter().map(|line| match &line.content[..] {
            [Made::Text(text)] => text.to_string(),
            other => panic!("{other:?}"),
        });
        said.collect()
    };
    let has = |lines: &[String], words: &str| lines.iter().any(|line| line.contains(words));
    let cut = ["tool_results.on=true", "tool_results.messages=true"];
    let head = lines(&cut);
    assert!(has(&head, "[turn 1, user] SECRET-7731"), "its beginning stands there still: {head:?}");
    assert!(has(&head, " · Bash(cargo test --all-features --package part_0) → 1000 tokens, ok"), "{head:?}");
    let tail = lines(&[&cut[..], &["tool_results.keep=tail"]].concat());
    assert!(!has(&tail, "SECRET") && tail.iter().any(|line| line == "[turn 1, user]"), "its end stood there: {tail:?}");
    let pointer = lines(&[&cut[..], &["tool_results.virtual_head=0"]].concat());
    assert!(!has(&pointer, "SECRET"), "nothing of it stood there: {pointer:?}");
    let clears = ["microcompact.on=true", "microcompact.at=0", "microcompact.keep=1 results"];
    let cleared = lines(&[&clears[..], &["microcompact.clear_inputs=true"]].concat());
    assert!(has(&cleared, " · Bash(…) → 1000 tokens, ok"), "what it was called with was cleared: {cleared:?}");
}

/// A session in which each layer of source 5 has something to do, in a window of 200,000: a request is refused, then
/// come a result that is too long, results that grow stale, answers that grow old, and more of these than the window
/// holds.
fn for_every_layer() -> Plan {
    let tokens = |number: usize| "x".repeat(number * 4);
    let mut story = Story::new(1);
    story.user("Look at them all.");
    let mut answer = |words: &str, result: &str| {
        story.ask(None);
        story.answer(words, &[("Bash", "{\"command\": \"make\"}", result)]);
    };
    for _ in 0..12 {
        answer("One.", &tokens(500));
    }
    answer("A long one.", &tokens(15_000));
    for _ in 0..14 {
        answer("The next.", &tokens(9_000));
    }
    for size in [5_000; 26].into_iter().chain([9_000; 24]) {
        answer(&tokens(size), "ok");
    }
    story.ask(None);
    let mut plan = story.plan(200_000);
    plan.asks[12].outcome = Outcome::TooLong;
    plan
}

#[test]
fn every_layer_runs_once_per_request_cheapest_first() {
    let (policy, _) = preset("five-layer", None).unwrap();
    let run = simulate(&for_every_layer(), &policy, &Given::default());
    let order = |stage: Stage| Stage::ALL.iter().position(|one| *one == stage).unwrap();
    let mut at_once = 0;
    for step in 1..=run.steps.len() as u32 {
        let stages: Vec<Stage> = run.events_at(step).map(|(_, event)| event.stage).collect();
        let places: Vec<usize> = stages.iter().copied().map(order).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "step {step}: {stages:?}");
        at_once = at_once.max(stages.iter().filter(|stage| **stage != Stage::Admit).count());
    }
    for layer in [Stage::Truncate, Stage::Microcompact, Stage::Collapse, Stage::Summarise, Stage::Reactive] {
        let acts = |event: &&Event| !event.made.is_empty() && event.tokens_after < event.tokens_before;
        assert!(stages(&run, layer).iter().any(acts), "{layer:?} never acts: {:?}", stages(&run, layer));
    }
    assert!(at_once > 1, "no step in which one layer follows another");
    // From the cheapest on: each is needed only once those before it are not enough.
    let first = |stage: Stage| stages(&run, stage)[0].step;
    let cheap = [Stage::Truncate, Stage::Microcompact, Stage::Collapse, Stage::Summarise].map(first);
    assert!(cheap.is_sorted(), "{cheap:?}");
}

#[test]
fn the_dynamic_boundary_lets_a_cache_reuse_the_prefix() {
    let plan = with_output(20_000, 3).plan(200_000);
    let reads = |settings: &[&str]| -> u64 {
        run(&plan, settings).steps.iter().filter_map(|step| step.billed).map(|billed| billed.cache_read).sum()
    };
    assert!(reads(&[]) > 0);
    assert_eq!(reads(&["cache.boundary=false"]), 0, "without it nothing can be reused");
    assert_eq!(reads(&["cache.mode=off"]), 0);
    let cleared = ["microcompact.on=true", "microcompact.at=0", "microcompact.keep=none"];
    assert!(reads(&cleared) < reads(&[]), "clearing changes the prefix");
}
