//! Properties of replays, over made-up sessions and policies.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use windowpane::engine::{Consequences, Given, Plan, simulate, simulate_standing};
use windowpane::model::*;
use windowpane::policy::{Kind, PRESETS, Policy, Summariser, named, preset, set};
use windowpane::present::pairs;

use crate::accounted::provenance;
use crate::story::{Story, session};
use crate::story_trouble::troubled;

/// Settings that a made-up policy draws from.
const DRAWN: &[(&str, &[&str])] = &[
    ("tool_results.on", &["true", "true", "false"]),
    ("tool_results.virtual_over", &["100", "300", "2000c", "5%"]),
    ("tool_results.virtual_head", &["40", "100", "300c", "0"]),
    ("tool_results.keep", &["head", "tail", "head_tail", "middle_cut"]),
    ("tool_results.virtual_files", &["true", "false"]),
    ("tool_results.workspace", &["true", "false"]),
    ("tool_results.message_total", &["0", "300"]),
    ("microcompact.on", &["true", "false"]),
    ("microcompact.at", &["0", "30%", "60%"]),
    ("microcompact.keep", &["3 results", "400 tokens", "20%", "2 turns", "4 rounds", "10 messages"]),
    ("microcompact.min_freed", &["0", "300"]),
    ("microcompact.at_boundary", &["true", "false"]),
    ("microcompact.boundary_total", &["0", "300"]),
    ("microcompact.clear_inputs", &["true", "false"]),
    ("microcompact.spare_referenced", &["true", "false"]),
    ("microcompact.superseded", &["true", "false"]),
    ("thinking.clear", &["true", "false"]),
    ("collapse.on", &["true", "false"]),
    ("collapse.at", &["20%", "50%"]),
    ("collapse.keep", &["5 rounds", "500 tokens", "2 turns", "20 events"]),
    ("collapse.min_freed", &["0", "200"]),
    ("collapse.order", &["early", "last"]),
    ("summarise.on", &["true", "true", "false"]),
    ("summarise.at", &["50%", "80%", "-1000"]),
    (
        "summarise.measure",
        &["after_stages", "last_usage_plus_new", "last_usage", "last_usage_plus_results_and_reasoning", "history"],
    ),
    ("summarise.at_events", &["0", "0", "40"]),
    ("summarise.keep_head", &["none", "4 events", "200 tokens"]),
    ("summarise.keep_tail", &["none", "600 tokens", "30%", "2 turns", "6 messages", "10 events", "3 results"]),
    ("summarise.keep_roles", &["[]", "[]", "[\"user\"]"]),
    ("summarise.split_at_turns", &["true", "false"]),
    ("summarise.target", &["100", "500"]),
    ("summarise.by", &["extractive", "truncate", "recorded"]),
    ("summarise.prior_window_file", &["true", "false"]),
    ("summarise.whole_window", &["true", "false"]),
    ("summarise.reinject_files", &["0", "3"]),
    ("summarise.reinject_file_tokens", &["100"]),
    ("summarise.reinject_file_over", &["head", "name"]),
    ("reactive.on", &["true", "false"]),
    ("drop.oldest_tool_results", &["true", "false"]),
    ("drop.oldest_turns", &["true", "false"]),
    ("notice.on", &["true", "false"]),
    ("notice.keep", &["last", "all"]),
    ("memory.on", &["true", "false"]),
    ("memory.ingest", &["session", "chunk", "turn_context"]),
    ("memory.place", &["front", "end"]),
    ("memory.show", &["summary", "whole"]),
    ("memory.skip_present", &["true", "false"]),
    ("memory.preserve", &["none", "rules", "manual"]),
    ("memory.signals", &["decided to, error", "because"]),
    ("memory.reconcile", &["true", "false"]),
    ("memory.interval", &["2", "3"]),
    ("memory.budget_tokens", &["0", "100"]),
];

pub fn drawn(seed: u64) -> Policy {
    let (mut policy, mut dice) = (Policy::default(), Story::new(seed));
    for (key, values) in DRAWN {
        let value = values[dice.any(values.len() as u64) as usize];
        set(&mut policy, &format!("{key}={value}")).unwrap();
    }
    policy
}

/// The item that an entry is, or stands for alone.
fn block_of(run: &Run, id: EntryId) -> Option<BlockId> {
    let entry = run.entry(id)?;
    entry.block().or_else(|| (entry.fate == Fate::Cleared).then(|| block_of(run, *entry.from.first()?)).flatten())
}

/// Whether no sentence ends before the last one does: what is quoted is not looked at.
fn is_one_sentence(text: &str) -> bool {
    let own: String = text.split('"').step_by(2).collect();
    let own: Vec<char> = own.chars().collect();
    let ends = |at: &[char]| matches!(at, ['.' | '!' | '?', ' ', next] if next.is_uppercase());
    !own.windows(3).any(ends)
}

pub fn check(story: &Story, plan: &Plan, run: &Run) {
    assert_eq!(run.steps.len(), plan.asks.len());
    assert_eq!(run.totals.len(), plan.asks.len());
    let mut stages = HashSet::new();
    for (id, event) in (0u32..).zip(&run.events) {
        // Limits and passages are decided of each file.
        let file =
            matches!(event.stage, Stage::Limit | Stage::Select).then(|| (event.rule.clone(), event.made.clone()));
        let once = stages.insert((event.step, event.stage, file));
        assert!(once, "{}, its stage for the second time at step {}", event.rule, event.step);
        for entry in event.took.iter().chain(&event.made) {
            assert!(run.entry(*entry).is_some());
        }
        let summarised = || run.events_at(event.step).any(|(_, other)| other.stage == Stage::Summarise);
        assert!(!event.shortens() || summarised(), "cut before no summary at step {}", event.step);
        let made = event.made.iter().filter_map(|entry| run.entry(*entry));
        assert!(event.stage != Stage::Summarise || made.clone().all(|entry| entry.made_by == Some(EventId(id))));
        let first = || run.events_at(event.step).find(|(_, other)| other.stage.is_history());
        if event.stage.is_history() && first().is_some_and(|(first, _)| first == EventId(id)) {
            let stood = |entry: &&EntryId| run.entry(**entry).unwrap().life_at(event.step - 1).is_some();
            assert!(event.took.iter().all(|entry| stood(&entry)), "step {}: what never stood left", event.step);
            assert!(!event.made.iter().any(|entry| stood(&entry)), "step {}: what stood came back", event.step);
        }
        assert!(!event.sentence().contains('{'), "{}", event.sentence());
        assert!(is_one_sentence(&event.sentence()), "{}", event.sentence());
    }
    let calls: HashMap<BlockId, CallKey> = (0u32..)
        .zip(&story.transcript.blocks)
        .filter(|(_, block)| block.kind == BlockKind::ToolResult)
        .filter_map(|(id, block)| Some((BlockId(id), block.call?)))
        .collect();
    let made: HashMap<CallKey, BlockId> = (0u32..)
        .zip(&story.transcript.blocks)
        .filter(|(_, block)| block.kind == BlockKind::ToolCall)
        .filter_map(|(id, block)| Some((block.call?, BlockId(id))))
        .collect();
    for entry in &run.entries {
        assert!(!entry.content.is_empty());
        assert!(entry.original_tokens >= entry.tokens);
        for pair in entry.lives.windows(2) {
            assert!(pair[0].died.is_some_and(|died| died <= pair[1].born), "{:?}", entry.lives);
        }
        for life in &entry.lives {
            assert!(life.died.is_none() || life.ended_by.is_some(), "{entry:?} left without a reason");
        }
    }
    for (step, totals) in (1u32..).zip(&run.totals) {
        let window = run.window(step);
        let places: Vec<u32> = window.iter().map(|id| run.entry(*id).unwrap().life_at(step).unwrap().place).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
        let sum: u64 = window.iter().map(|id| run.entry(*id).unwrap().tokens).sum();
        assert_eq!(sum, totals.counted, "step {step}");
        let all = &run.steps[step as usize - 1];
        assert_eq!(totals.layers.iter().sum::<u64>(), all.window_tokens.max(totals.used()), "step {step}");
        // What was counted too much was never sent.
        assert_eq!(totals.over, (totals.used() - totals.excess).saturating_sub(all.window_tokens), "step {step}");
        assert!(totals.over == 0 || all.outcome == Outcome::TooLong, "step {step}");
        let billed = all.billed.unwrap();
        let read = if all.outcome == Outcome::TooLong { 0 } else { totals.used() - totals.excess };
        assert_eq!(billed.input + billed.cache_read + billed.cache_write, read, "step {step}");
        let told = run.events_at(step).filter_map(|(_, event)| event.tokens_before.zip(event.tokens_after));
        let last = told.reduce(|(_, before), (from, to)| {
            assert_eq!(before, from, "step {step}: each stage goes on from the one before");
            (from, to)
        });
        assert!(last.is_none_or(|(_, after)| after == totals.used()), "step {step}");
        let shown: HashSet<BlockId> = window.iter().filter_map(|id| block_of(run, *id)).collect();
        for result in window.iter().filter(|id| run.entry(**id).unwrap().layer == Layer::ToolResults) {
            let call = block_of(run, *result).and_then(|block| made.get(calls.get(&block)?));
            assert!(call.is_none_or(|call| shown.contains(call)), "step {step}: a result without its call");
        }
        // What the stages are shown to have been given stood before or came in, and all that stood is among it.
        let given: HashSet<EntryId> =
            pairs(run, step, None, |_| 1).rows.iter().filter_map(|row| row.left?.entry()).collect();
        let stood: HashSet<EntryId> = run.window(step - 1).into_iter().collect();
        let came =
            |id: &EntryId| run.events_at(step).any(|(_, event)| event.stage.takes_in() && event.made.contains(id));
        assert!(stood.is_subset(&given), "step {step}: what stood is not shown");
        assert!(given.iter().all(|id| stood.contains(id) || came(id)), "step {step}: what nobody was given is shown");
    }
    provenance(story, run);
}

/// The same run again, and each window that its lifetimes tell of holds the entries that stood in their places then.
fn check_standing((plan, policy, given): (&Plan, &Policy, &Given), run: &Run) {
    let (again, windows) = simulate_standing(plan, policy, given);
    assert_eq!(run, &again, "the same input gives the same run");
    assert_eq!(windows.len(), run.steps.len());
    for (step, window) in (1u32..).zip(windows) {
        assert_eq!(run.window(step), window, "step {step}");
    }
}

/// Truncation and clearing done the slow way: the whole window anew at every step. Per step, the tokens of its pieces.
fn plain(plan: &Plan, (over, keep, at, freed): (u64, usize, u64, u64)) -> Vec<Vec<u64>> {
    const POINTER: u64 = 34;
    const MARKER: u64 = 9;
    let mut windows: Vec<Vec<u64>> = Vec::new();
    let mut cleared: HashSet<usize> = HashSet::new();
    for step in 1..=plan.steps() {
        let here: Vec<usize> = (0..plan.items.len()).filter(|item| plan.items[*item].born <= step).collect();
        let size = |item: &usize, cleared: &HashSet<usize>| {
            let about = &plan.items[*item];
            let cut = about.kind == BlockKind::ToolResult && about.tokens > over && about.tokens > POINTER;
            match (cleared.contains(item), cut) {
                (true, _) => MARKER,
                (false, true) => POINTER,
                (false, false) => about.tokens,
            }
        };
        let used: u64 = here.iter().map(|item| size(item, &cleared)).sum();
        let results: Vec<usize> =
            here.iter().copied().filter(|item| plan.items[*item].kind == BlockKind::ToolResult).collect();
        let stale: Vec<usize> = results[..results.len().saturating_sub(keep)]
            .iter()
            .copied()
            .filter(|item| !cleared.contains(item) && size(item, &cleared) > MARKER)
            .collect();
        let saved: u64 = stale.iter().map(|item| size(item, &cleared) - MARKER).sum();
        if used >= at && saved >= freed.max(1) {
            cleared.extend(stale);
        }
        windows.push(here.iter().map(|item| size(item, &cleared)).collect());
    }
    windows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_keeps_its_promises(seed in 0u64..1_000, policy in any::<u64>(), window in 1_500u64..12_000) {
        let story = session(seed, 160, 60);
        let plan = story.plan(window);
        let policy = drawn(policy);
        let recall = policy.memory.on.then(|| crate::memory::recall(&story, &plan, &policy));
        let given = Given { recall, ..Given::default() };
        let run = simulate(&plan, &policy, &given);
        check(&story, &plan, &run);
        check_standing((&plan, &policy, &given), &run);
    }

    #[test]
    fn a_replay_keeps_its_promises_through_rewinds_and_compactions(
        seed in 0u64..100_000, policy in any::<u64>(), window in 1_500u64..12_000
    ) {
        let mut story = troubled(seed, 160, 60);
        story.cut_some();
        let plan = story.plan(window);
        let policy = drawn(policy);
        let run = simulate(&plan, &policy, &Given::default());
        check(&story, &plan, &run);
        check_standing((&plan, &policy, &Given::default()), &run);
    }

    #[test]
    fn every_preset_keeps_its_promises(
        seed in 0u64..100_000, number in 0..PRESETS.len(), window in 1_500u64..12_000, model in any::<bool>()
    ) {
        let mut story = troubled(seed, 160, 60);
        story.cut_some();
        let plan = story.plan(window);
        let (mut policy, _) = preset(PRESETS[number].name, None).unwrap();
        if model {
            policy.summarise.by = Summariser::Model;
        }
        let run = simulate(&plan, &policy, &Given::default());
        check(&story, &plan, &run);
        check_standing((&plan, &policy, &Given::default()), &run);
    }

    #[test]
    fn a_plain_simulation_sees_the_same_windows(
        seed in 0u64..100_000, over in 40u64..400, keep in 0u64..5, at in 0u64..3_000, freed in 0u64..400
    ) {
        let story = session(seed, 120, 80);
        let plan = story.plan(100_000);
        let mut policy = Policy::default();
        for setting in [
            "tool_results.on=true", "tool_results.messages=false", "microcompact.on=true",
            &format!("tool_results.virtual_over={over}"), "tool_results.virtual_head=0",
            &format!("microcompact.keep={keep} results"), &format!("microcompact.at={at}"),
            &format!("microcompact.min_freed={freed}"),
        ] {
            set(&mut policy, setting).unwrap();
        }
        let run = simulate(&plan, &policy, &Given::default());
        let seen: Vec<Vec<u64>> = (1..=plan.steps())
            .map(|step| run.window(step).iter().map(|id| run.entry(*id).unwrap().tokens).collect())
            .collect();
        prop_assert_eq!(seen, plain(&plan, (over, keep as usize, at, freed)));
    }

    #[test]
    fn a_higher_threshold_never_compacts_earlier(seed in 0u64..1_000, low in 10u32..90, more in 1u32..40) {
        let plan = session(seed, 160, 60).plan(6_000);
        let Some(Kind::Choice(measures)) = named("summarise.measure").map(|setting| setting.kind) else { panic!() };
        for (measure, tail) in measures.iter().flat_map(|measure| ["none", "600 tokens"].map(|tail| (measure, tail))) {
            let first = |percent: u32| {
                let mut policy = Policy::default();
                for setting in [
                    "summarise.on=true", "summarise.target=200", &format!("summarise.at={percent}%"),
                    &format!("summarise.measure={measure}"), &format!("summarise.keep_tail={tail}"),
                ] {
                    set(&mut policy, setting).unwrap();
                }
                let run = simulate(&plan, &policy, &Given::default());
                run.events.iter().find(|event| event.compacts()).map_or(u32::MAX, |event| event.step)
            };
            let (lower, higher) = (first(low), first((low + more).min(100)));
            prop_assert!(lower <= higher, "{} {}: {} {}", measure, tail, lower, higher);
        }
    }

    #[test]
    fn a_policy_that_cuts_nothing_sends_everything(seed in 0u64..1_000) {
        let story = session(seed, 120, 60);
        let run = simulate(&story.plan(1_000_000), &Policy::default(), &Given::default());
        let last = run.steps.len() as u32;
        prop_assert_eq!(run.window(last).len(), story.transcript.blocks.len());
    }
}

/// A result of 15,000 tokens of which the agent had left 5,000 more away, cut again by the policy.
#[test]
fn a_piece_that_is_cut_twice_is_one_piece() {
    let mut story = Story::new(1);
    story.user("Go on.");
    story.ask(None);
    story.answer("I look.", &[("Read", "{}", &"r".repeat(60_000))]);
    story.ask(None);
    let mut plan = story.plan(200_000);
    let result = plan.items.iter_mut().find(|item| item.is_result()).unwrap();
    (result.fate, result.original) = (Fate::Truncated, 20_000);
    let mut policy = Policy::default();
    set(&mut policy, "tool_results.on=true").unwrap();
    let mut run = simulate(&plan, &policy, &Given::default());
    let cuts = run.events.iter().filter(|event| event.truncated().next().is_some()).count();
    assert_eq!((cuts, Consequences::of(&run).cuts), (2, 1), "the agent's cut and the policy's, of one piece");
    let at = run.entries.iter().position(|entry| entry.fate == Fate::Truncated).unwrap();
    let id = EntryId(at as u32);
    let back = Entry { from: [id].into_iter().collect(), ..run.entries[at].clone() };
    run.entries.push(back);
    let last = EntryId(run.entries.len() as u32 - 1);
    assert_eq!((run.piece(last), run.pieces([id, last])), (id, 1));
    let told = windowpane::present::diagnose(&run, None);
    assert!(told.iter().any(|clause| clause.text == "1 piece was cut"), "{told:?}");
    // The head of a file that a compaction puts back is no cut of its own.
    let made = [EntryId(run.entries.len() as u32)].into_iter().collect();
    run.events.push(Event { made, ..Event::new(2, Stage::Summarise, "summarise.at") });
    let made_by = Some(EventId(run.events.len() as u32 - 1));
    run.entries.push(Entry { made_by, from: EntryIds::new(), ..run.entries[at].clone() });
    let told = windowpane::present::diagnose(&run, None);
    assert!(told.iter().any(|clause| clause.text == "1 piece was cut"), "{told:?}");
    // What claims to be made of itself or of later ones ends nowhere else.
    run.entries[at].from = [last].into_iter().collect();
    assert_eq!(run.piece(last), id);
}

/// The recorded track has the last answer too, whose life begins behind the last request.
#[test]
fn what_no_request_held_is_no_text_that_came_in() {
    let mut story = Story::new(1);
    story.user("Go on.");
    story.ask(None);
    story.answer("I look.", &[("Read", "{}", &"r".repeat(6_000))]);
    story.ask(None);
    let mut run = simulate(&story.plan(200_000), &Policy::default(), &Given::default());
    let before = Consequences::of(&run);
    assert!(before.text >= 1_500 && before.visible_share == 1.0, "{before:?}");
    let mut last = run.entries.last().unwrap().clone();
    last.lives.iter_mut().for_each(|life| life.born = 3);
    run.entries.push(last);
    assert_eq!(Consequences::of(&run), before);
}
