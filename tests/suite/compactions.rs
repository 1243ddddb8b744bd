//! What a compaction takes, what it leaves, and how one goes on from another.

use windowpane::content::Watch;
use windowpane::engine::{Alone, Distance, Given, Plan, Prepared, Shift, distances, simulate};
use windowpane::model::*;
use windowpane::policy::{Policy, preset, set};
use windowpane::present::{KnownSummaries, measure_after};

use crate::replayed::{policy, run, stages};
use crate::story::Story;

fn text(words: usize) -> String {
    "word ".repeat(words)
}

/// Two compactions by cutting: four messages of 2,000 tokens, then four more.
#[test]
fn a_cut_history_keeps_its_start_from_one_cut_to_the_next() {
    let mut story = Story::new(1);
    for letter in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        story.user(&letter.repeat(8_000));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    let plan = story.plan(10_000);
    let settings = ["summarise.on=true", "summarise.at=7000", "summarise.by=truncate", "summarise.target=1018"];
    let run = run(&plan, &settings);
    let events = stages(&run, Stage::Summarise);
    assert!(events.len() >= 2, "{events:?}");
    for event in &events {
        let summary = run.entry(event.made[0]).unwrap();
        // 250 tokens of the first message, by the target of 1,018 less the note of 18; then the note.
        assert_eq!(summary.content[0], Made::Part(BlockId(0), 0, 1_000, false), "{:?}", summary.content);
        assert!(matches!(summary.content[1], Made::Written(Written::Removed { .. })));
        // The end: "Yes." and what fits of 750, a line break between.
        assert_eq!(summary.tokens, 1_018);
        assert!(
            summary.content[2..].windows(2).all(|two| two.contains(&Made::Text("\n".into()))),
            "{:?}",
            summary.content
        );
    }
    let removed: Vec<(u32, u64)> = events
        .iter()
        .filter_map(|event| {
            run.entry(event.made[0]).unwrap().content.iter().find_map(|made| match made {
                Made::Written(Written::Removed { messages, tokens }) => Some((*messages, *tokens)),
                _ => None,
            })
        })
        .collect();
    assert!(
        removed.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1),
        "what is gone stays gone: {removed:?}"
    );
}

#[test]
fn extractive_summaries_quote_what_was_said_and_no_harness() {
    let mut story = Story::new(1);
    story.user("We must keep port 8443 because staging needs it.");
    for number in 0..8 {
        story.ask(None);
        let result = format!("Decided {number}: the file src/a{number}.rs must stay. {}", text(1_800));
        story.answer("I will use it.", &[("Read", "{}", &result)]);
    }
    story.ask(None);
    let plan = story.plan(10_000);
    let (mut policy, _) = preset("internal-agent", None).unwrap();
    set(&mut policy, "notice.keep=all").unwrap();
    set(&mut policy, "summarise.by=extractive").unwrap();
    set(&mut policy, "summarise.target=300").unwrap();
    let run = simulate(&plan, &policy, &Given::default());
    let made: Vec<&Entry> =
        stages(&run, Stage::Summarise).iter().map(|event| run.entry(event.made[0]).unwrap()).collect();
    assert!(made.len() >= 2, "an earlier summary is summarised too");
    // The pointer begins a line of its own, and is no sentence of the summary.
    let (at, event) = run.events.iter().enumerate().find(|(_, event)| event.stage == Stage::Summarise).unwrap();
    let words = windowpane::export::entry_text(&story.transcript, &story.sources(), &run, event.made[0]).unwrap();
    assert!(words.unwrap().contains("\n[The window before this compaction"));
    let found = windowpane::present::measure(&story.transcript, &story.sources(), &run, EventId(at as u32));
    let sentences = found.unwrap().unwrap().sentences;
    assert!(!sentences.is_empty() && sentences.iter().all(|one| !one.text.contains("The window before")));
    // A sentence that stands on a summary is shown with what that is from, and with the score of that.
    let mut known = KnownSummaries::default();
    for (at, _) in run.events.iter().enumerate().filter(|(_, event)| event.stage == Stage::Summarise) {
        let (event, sources) = (EventId(at as u32), story.sources());
        let found = windowpane::present::measure(&story.transcript, &sources, &run, event).unwrap();
        // What was found out about one is not worked out again for the next, which is the same with it.
        let mut after = |watch: &Watch| measure_after(&story.transcript, &sources, &run, event, &mut known, watch);
        assert_eq!(after(&Watch::default()).unwrap(), found);
        let stopped = Watch::default();
        stopped.cancel();
        assert_eq!(after(&stopped).unwrap(), None);
        for one in found.unwrap().sentences {
            let share = one.from.map(|from| windowpane::memory::share_in(&one.text, &from.text));
            assert_eq!(share.unwrap_or(0.0), one.score, "{}", one.text);
        }
    }
    for summary in made {
        assert!(summary.tokens <= 300, "the pointer counts too: {}", summary.tokens);
        let written = summary.content.iter().filter(|made| matches!(made, Made::Written(_)));
        assert_eq!(written.count(), 1, "the newest pointer, and no notice: {:?}", summary.content);
    }
}

/// A file's listing and the skills stay; the text of a file within limits goes, like a message.
#[test]
fn compactions_leave_the_static_prompt_and_come_after_it() {
    let mut story = Story::new(1);
    story.system("You are an agent.");
    for _ in 0..3 {
        story.user(&text(2_000));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story.ask(None);
    let plan = story.plan(10_000);
    let piece = |label: &str, layer: Layer, front: bool, fixed: bool| {
        let whole = Prepared::whole(1, layer, label, Made::Text("some text".into()).into(), 100);
        Prepared { front, fixed, role: Role::System, ..whole }
    };
    let given = Given {
        prepared: vec![
            piece("nested", Layer::Notices, true, false),
            piece("skills", Layer::Skills, true, true),
            piece("listing", Layer::Files, false, true),
            piece("file", Layer::Files, false, false),
        ],
        ..Given::default()
    };
    let policy = policy(&["summarise.on=true", "summarise.at=6000", "summarise.by=extractive", "summarise.target=500"]);
    let run = simulate(&plan, &policy, &given);
    let event = stages(&run, Stage::Summarise)[0];
    let window = run.window(event.step);
    let labels: Vec<&str> = window.iter().map(|id| &*run.entry(*id).unwrap().label).collect();
    let of = |label: &str| labels.iter().position(|one| *one == label);
    assert!(of("skills").is_some() && of("listing").is_some(), "{labels:?}");
    assert!(of("file").is_none() && of("nested").is_none(), "{labels:?}");
    let system = window.iter().position(|id| run.entry(*id).unwrap().layer == Layer::System);
    assert!(system < of("summary") && of("listing") < of("summary"), "{labels:?}");
}

/// Codex states 95 % of its window, its older versions all of it: 90 % of the raw 272,000 are 244,800 either way.
#[test]
fn codex_compacts_at_90_percent_of_the_raw_window_whichever_is_stated() {
    let mut story = Story::new(1);
    story.user("Go on.");
    story.ask(None);
    let (policy, _) = preset("codex", None).unwrap();
    for window in [258_400, 272_000] {
        let run = simulate(&story.plan(window), &policy, &Given::default());
        assert_eq!(run.steps[0].threshold, Some(244_800), "{window}");
    }
}

/// A system prompt of 2,000 tokens, the boundary behind all, three quarters or none of it: what each turn reads.
#[test]
fn what_stands_behind_the_dynamic_boundary_changes_with_each_turn() {
    let marker = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";
    let reads = |before: usize, settings: &[&str]| -> Vec<u64> {
        let mut story = Story::new(1);
        // 8,000 characters with the marker's 34.
        story.system(&format!("{}{marker}{}", "a".repeat(before), "b".repeat(7_966 - before)));
        story.user("One.");
        story.ask(None);
        story.answer("I look.", &[("Read", "{}", &"r".repeat(4_000))]);
        story.ask(None);
        story.answer("Done.", &[]);
        story.user("Two.");
        story.ask(None);
        let mut plan = story.plan(200_000);
        plan.find_boundary(&story.transcript, &story.sources(), marker);
        let run = run(&plan, &[settings, &["cache.min_tokens=0"]].concat());
        run.steps.iter().map(|step| step.billed.unwrap().cache_read).collect()
    };
    // 2,000 of the prompt and 1 of the question; 1,003 more at step 2, where the answer of 2, its call of 1 and the
    // result of 1,000 came in.
    let whole = [0, 2_001, 2_001 + 2 + 1 + 1_000];
    assert_eq!(reads(6_000, &["cache.dynamic=session"]), whole);
    // The user speaks before step 3: the first 6,000 characters are read again, or as many as stand before the marker.
    assert_eq!(reads(6_000, &[]), [0, 2_001, 1_500]);
    assert_eq!(reads(400, &[]), [0, 2_001, 100]);
    assert_eq!(reads(6_000, &["cache.dynamic=request"]), [0, 1_500, 1_500]);
}

/// A report of 3,000 tokens follows the recorded compaction: so much stands in the replayed window too.
#[test]
fn what_came_back_with_a_recorded_summary_comes_back_in_the_replay() {
    let mut story = Story::new(1);
    let usage = |input| Some(Usage { input, ..Usage::default() });
    story.system(&"s".repeat(400));
    story.user(&"a".repeat(4_000));
    // 1,100 counted of 1,500 reported: 400 are not recorded.
    story.ask(usage(1_500));
    story.answer(&"b".repeat(20_000), &[]);
    story.user("Yes.");
    story.compact(0);
    story.ask(usage(3_000));
    let plan = story.plan(10_000);
    let after = |settings: &[&str]| {
        let run = run(&plan, &[&["summarise.on=true", "summarise.at=6000"], settings].concat());
        let event = stages(&run, Stage::Summarise)[0];
        assert_eq!((event.step, event.measured), (2, Some(400 + 100 + 1_000 + 5_000 + 1)));
        let summary = run.entry(event.made[0]).unwrap().tokens;
        (run.totals[1].used(), summary)
    };
    assert_eq!(after(&["summarise.reinject_files=1"]).0, 3_000);
    let (used, summary) = after(&[]);
    assert_eq!(used, 400 + 100 + summary, "a policy that puts nothing back");
}

/// Claude Code compacts 45,000 tokens below the window before 2.1.21, and 33,000 since.
#[test]
fn an_agents_figures_are_those_of_its_version_at_each_step() {
    let mut story = Story::new(1);
    story.user("Go on.");
    for _ in 0..3 {
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    let plan = story.plan(200_000);
    let (old, _) = preset("claude-code", Some("2.1.20")).unwrap();
    let (new, _) = preset("claude-code", Some("2.1.29")).unwrap();
    let shift = Shift { step: 3, from: old.clone().into(), to: new.into() };
    let given = Given { shifts: vec![shift], ..Given::default() };
    let thresholds = |policy: &Policy| -> Vec<_> {
        simulate(&plan, policy, &given).steps.iter().map(|step| step.threshold).collect()
    };
    assert_eq!(thresholds(&old), [Some(155_000), Some(155_000), Some(167_000)]);
    let mut own = old;
    set(&mut own, "summarise.at=100000").unwrap();
    assert_eq!(thresholds(&own), [Some(100_000); 3], "a threshold of the user's own stays");
}

/// Before 0.95 Codex counted nothing that had come in since the last answer, before 0.99 only what tools had given
/// last (openai/codex, pull requests 10374 and 11132).
#[test]
fn codex_measures_what_its_version_measured() {
    let mut story = Story::new(1);
    let usage = |input| Some(Usage { input, ..Usage::default() });
    story.user("Look.");
    story.ask(usage(1_000));
    story.answer("Ok.", &[("shell", "{}", &"x".repeat(4_000))]);
    story.ask(usage(2_050));
    story.answer("Ok.", &[("shell", "{}", &"x".repeat(2_000))]);
    story.user(&"y".repeat(800));
    story.ask(usage(2_800));
    let plan = story.plan(100_000);
    let due = |version: &str, step: usize| {
        let (mut policy, _) = preset("codex", Some(version)).unwrap();
        let mut measured = |at: u64| {
            set(&mut policy, &format!("summarise.at={at}")).unwrap();
            stages(&simulate(&plan, &policy, &Given::default()), Stage::Summarise)
                .iter()
                .any(|event| event.step as usize == step)
        };
        (1_000..4_000).rev().find(|at| measured(*at))
    };
    // Two texts of three and two characters.
    let answer = 2;
    for (version, by_results, by_words) in [
        ("0.94.0", 1_000 + answer, 2_050 + answer),
        ("0.98.0", 2_000 + answer, 2_050 + answer),
        ("0.99.0", 2_000 + answer, 2_750 + answer),
    ] {
        assert_eq!((due(version, 2), due(version, 3)), (Some(by_results), Some(by_words)), "{version}");
    }
}

/// Rounds of 1,001 tokens each, with recorded compactions before some of them.
fn compacted(rounds: u32, recorded: &[(u32, Trigger)]) -> Story {
    let mut story = Story::new(1);
    story.system("You are an agent.");
    for round in 1..=rounds {
        if let Some((_, trigger)) = recorded.iter().find(|(at, _)| *at == round) {
            story.compact(0);
            match story.transcript.threads[0].ops.last_mut() {
                Some(Op::Compact(compaction)) => compaction.trigger = Some(*trigger),
                last => panic!("{last:?}"),
            }
        }
        story.user(&"a".repeat(4_000));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story
}

/// A record that begins in the midst of a session: its first report holds a history that nobody has written down, and
/// that a compaction takes, also where the replay compacts elsewhere than the agent did.
#[test]
fn what_came_before_the_record_leaves_with_a_compaction() {
    let mut story = Story::new(1);
    let mut context = 60_000;
    for round in 1..=40 {
        if round == 20 {
            story.compact(0);
            context = 6_000;
        }
        story.user(&"a".repeat(4_000));
        story.ask(Some(Usage { input: context, output: Some(0), ..Usage::default() }));
        story.answer("Yes.", &[]);
        context += 1_001;
    }
    let plan = story.plan(100_000);
    let settings = ["summarise.on=true", "summarise.by=extractive", "summarise.target=200", "summarise.at=70000"];
    let run = run(&plan, &settings);
    let compacted: Vec<u32> = stages(&run, Stage::Summarise).iter().map(|event| event.step).collect();
    // At the eleventh request the window is over 70,000; the 6,000 that stood there after the agent's own compaction
    // leave room for all others.
    assert_eq!(compacted, [11]);
    assert!((3_000..7_000).contains(&run.totals[10].used()), "{:?}", run.totals[10]);
}

fn set_beside(story: &Story, settings: &[&str]) -> Vec<Distance> {
    let plan = story.plan(100_000);
    let always = ["summarise.on=true", "summarise.by=extractive", "summarise.target=200"];
    distances(&plan, &run(&plan, &[&always, settings].concat()))
}

fn steps(row: &Distance) -> (Option<u32>, Option<u32>, bool, Option<Alone>) {
    (row.recorded_step, row.replayed_step, row.first, row.alone)
}

/// A replay that compacts again and again comes near to any recorded one in the end.
#[test]
fn the_first_compaction_by_the_agent_is_set_beside_the_first_by_the_policy() {
    let story = compacted(30, &[(25, Trigger::Auto)]);
    let rows = set_beside(&story, &["summarise.at=5000"]);
    let first = (Some(25), Some(5), true, None);
    assert_eq!((steps(&rows[0]), rows[0].requests), (first, Some(-20)));
    assert!(rows.len() > 3 && rows[1..].iter().all(|row| row.alone == Some(Alone::NotRecorded) && !row.first));
    let rows = set_beside(&compacted(30, &[]), &["summarise.at=5000"]);
    assert_eq!(steps(&rows[0]), (None, Some(5), true, Some(Alone::NotRecorded)));
    assert!(rows[1..].iter().all(|row| !row.first));
    let rows = set_beside(&story, &["summarise.at=90000"]);
    assert_eq!(rows.iter().map(steps).collect::<Vec<_>>(), [(Some(25), None, true, Some(Alone::NotReplayed))]);
}

/// A summary of the agent's stands at most three requests from where it was written.
#[test]
fn a_recorded_summary_that_is_too_far_away_is_not_taken_and_that_is_said() {
    let mut plan = compacted(12, &[(12, Trigger::Auto)]).plan(100_000);
    let told_of = |plan: &Plan, at: &str| {
        let run = run(plan, &["summarise.on=true", "summarise.target=2000", at]);
        let event = stages(&run, Stage::Summarise)[0];
        let recorded =
            run.entry(event.made[0]).unwrap().content.blocks().any(|block| block == plan.boundaries[0].summary[0].0);
        (event.step, recorded, event.sentence().to_string())
    };
    let told = |at: &str| told_of(&plan, at);
    let (step, recorded, words) = told("summarise.at=9000");
    assert!((step, recorded) == (9, true) && words.contains("wrote the summary before step 12"), "{words}");
    let (step, recorded, words) = told("summarise.at=8000");
    let said = "; the agent's own summary, before step 12, is too far from here: sentences of the history";
    assert!((step, recorded) == (8, false) && words.contains(said), "{words}");
    // What cannot be read, or has no room, is that and nothing else.
    for (tokens, said) in [(0, "is not recorded in clear"), (2_001, "is too long")] {
        plan.boundaries[0].summary.iter_mut().for_each(|(_, own)| *own = tokens);
        let (_, _, words) = told_of(&plan, "summarise.at=9000");
        assert!(words.contains(&format!("; the agent's own summary, before step 12, {said}: sentences")), "{words}");
    }
}

#[test]
fn what_the_user_compacted_is_set_beside_its_own_replay() {
    let story = compacted(30, &[(10, Trigger::Manual), (25, Trigger::Auto)]);
    let rows = set_beside(&story, &["summarise.at=14000", "replay.manual=true"]);
    let found: Vec<_> = rows.iter().map(steps).collect();
    assert_eq!(found, [(Some(10), Some(10), false, None), (Some(25), Some(23), true, None)]);
    let rows = set_beside(&story, &["summarise.at=14000"]);
    let found: Vec<_> = rows.iter().map(steps).collect();
    assert_eq!(found[..2], [(Some(10), None, false, Some(Alone::ByUser)), (Some(25), Some(14), true, None)]);
}

#[test]
fn sentences_that_were_chosen_for_the_summary_cost_no_call() {
    let story = compacted(10, &[]);
    let plan = story.plan(100_000);
    let calls = |by: &str| -> Vec<bool> {
        let run = run(&plan, &["summarise.on=true", "summarise.at=5000", "summarise.target=200", by]);
        stages(&run, Stage::Summarise).iter().map(|event| event.call.is_some()).collect()
    };
    assert!(calls("summarise.by=extractive").iter().all(|billed| !billed));
    let instead = calls("summarise.by=recorded");
    assert!(!instead.is_empty() && instead.iter().all(|billed| *billed), "they stand in for one that was written");
}

/// Of 6,000 reported tokens 255 are in the texts, and nothing of what came in right before the compactions.
#[test]
fn a_replay_that_is_again_what_was_recorded_knows_what_the_agent_measured() {
    let usage = |input| Some(Usage { input, ..Usage::default() });
    let compact = |story: &mut Story, measured: u64| {
        story.compact(0);
        let Some(Op::Compact(compaction)) = story.transcript.threads[0].ops.last_mut() else { panic!() };
        compaction.tokens_before = Some(measured);
    };
    let mut story = Story::new(1);
    story.system("You are an agent.");
    for (input, measured) in [(6_000, None), (7_000, None), (5_000, Some(9_100)), (6_000, None), (3_000, Some(9_200))] {
        story.user(&"a".repeat(1_000));
        if let Some(measured) = measured {
            compact(&mut story, measured);
        }
        story.ask(usage(input));
        story.answer("Yes.", &[]);
    }
    let settings =
        ["summarise.on=true", "summarise.at=9000", "summarise.by=recorded", "summarise.measure=last_usage_plus_new"];
    let run = run(&story.plan(100_000), &[&settings[..], &["summarise.reinject_files=1"]].concat());
    let found: Vec<_> = stages(&run, Stage::Summarise).iter().map(|event| (event.step, event.measured)).collect();
    assert_eq!(found, [(3, Some(9_100)), (5, Some(9_200))]);
}

/// By its public code a loaded skill is no message of the user that stays, while the listing is written anew.
#[test]
fn codex_keeps_the_listing_of_skills_and_no_skill_that_was_loaded() {
    let mut story = Story::new(1);
    story.attach(Layer::Skills, SKILL_LISTING, &text(100));
    story.user("Go on.");
    story.ask(None);
    story.attach(Layer::Skills, "skill", &text(200));
    for _ in 0..3 {
        story.answer("I look.", &[("shell", "{}", &text(1_000))]);
        story.ask(None);
    }
    let plan = story.plan(10_000);
    let compacted = |settings: &[&str]| -> (u32, u64, u64) {
        let (mut policy, _) = preset("codex", None).unwrap();
        for setting in [&["summarise.at=2500", "summarise.target=100"], settings].concat() {
            set(&mut policy, setting).unwrap();
        }
        let run = simulate(&plan, &policy, &Given::default());
        let step = stages(&run, Stage::Summarise)[0].step;
        let skills = |step: u32| run.totals[step as usize - 1].layers[Layer::Skills as usize];
        (step, skills(step - 1), skills(step))
    };
    // Words of five characters, at four a token.
    assert_eq!(compacted(&[]), (3, 125 + 250, 125));
    assert_eq!(compacted(&["summarise.keep_loaded_skills=true"]), (3, 375, 375));
    assert_eq!(compacted(&["summarise.keep_layers=system"]), (3, 375, 0));
    // What is measured of the history alone is 2,508 at step 3 without them.
    let history = ["summarise.measure=history", "summarise.at=2700"];
    assert_eq!(compacted(&history), (3, 375, 125));
    assert_eq!(compacted(&[&history[..], &["summarise.keep_loaded_skills=true"]].concat()), (4, 375, 375));
}

#[test]
fn what_is_written_behind_a_compaction_that_was_asked_for_stays() {
    let mut story = Story::new(1);
    for _ in 0..3 {
        story.user(&"u".repeat(4_000));
        story.ask(None);
        story.answer("Done.", &[]);
    }
    story.compact(0);
    let Some(Op::Compact(compaction)) = story.transcript.threads[0].ops.last_mut() else { panic!() };
    compaction.trigger = Some(Trigger::Manual);
    let prompt = story.user("Go on from there.");
    story.ask(None);
    let run = run(&story.plan(100_000), &["replay.manual=true", "summarise.by=extractive", "summarise.target=100"]);
    let event = stages(&run, Stage::Summarise)[0];
    assert_eq!((event.step, event.rule.as_ref()), (4, "replay.manual"));
    let stands = |id: &EntryId| run.entry(*id).unwrap().block() == Some(prompt);
    assert!(run.window(4).iter().any(stands) && !event.took.iter().any(stands));
    assert!(event.took.len() >= 6, "all that came before: {}", event.took.len());
}
