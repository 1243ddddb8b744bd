//! What a compaction keeps of the end: pairs whole, the newest question at least; and what the harder attempt makes
//! room for.

use windowpane::engine::{Given, simulate};
use windowpane::export::entry_text;
use windowpane::model::*;
use windowpane::policy::preset;

use crate::replayed::{policy, run, stages};
use crate::story::Story;

fn layers(run: &Run, step: u32) -> Vec<Layer> {
    run.window(step).iter().map(|id| run.entry(*id).unwrap().layer).collect()
}

fn number(run: &Run, step: u32, layer: Layer) -> usize {
    layers(run, step).into_iter().filter(|one| *one == layer).count()
}

/// Six answers with a result of 1,000 tokens each, then one with five calls at once.
fn parallel() -> Story {
    let mut story = Story::new(1);
    story.user("What is it?");
    let result = "r".repeat(4_000);
    for number in 0..6 {
        story.ask(None);
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &result)]);
    }
    story.ask(None);
    let inputs: Vec<String> = (0..5).map(|number| format!("{{\"path\": \"b{number}\"}}")).collect();
    let calls: Vec<_> = inputs.iter().map(|input| ("Read", input.as_str(), &result[..400])).collect();
    story.answer("Five.", &calls);
    story.ask(None);
    story
}

#[test]
fn the_edge_of_the_end_gives_way_to_a_pair() {
    let plan = parallel().plan(10_000);
    let base = ["summarise.on=true", "summarise.at=6200", "summarise.by=extractive", "summarise.target=200"];
    for tail in ["3 results", "3 events", "1 message", "320 tokens"] {
        let tail = format!("summarise.keep_tail={tail}");
        let run = run(&plan, &[base.as_slice(), &[tail.as_str()]].concat());
        let step = stages(&run, Stage::Summarise)[0].step;
        assert_eq!(step, 8);
        let kept = (number(&run, step, Layer::ToolCalls), number(&run, step, Layer::ToolResults));
        assert_eq!(kept, (5, 5), "{tail}: {:?}", layers(&run, step));
    }
    // The beginning gives way as well.
    let run = run(&plan, &[base.as_slice(), &["summarise.keep_head=3 events"]].concat());
    let step = stages(&run, Stage::Summarise)[0].step;
    assert_eq!((number(&run, step, Layer::ToolCalls), number(&run, step, Layer::ToolResults)), (1, 1));
}

#[test]
fn whoever_keeps_the_end_keeps_the_newest_question() {
    let mut story = Story::new(1);
    story.user("The first question.");
    story.ask(None);
    story.answer("Here.", &[("Read", "{\"path\": \"a\"}", &"r".repeat(20_000))]);
    story.ask(None);
    story.answer("It is done.", &[]);
    story.user("The second question.");
    story.ask(None);
    story.answer("I look.", &[("Read", "{\"path\": \"b\"}", &"r".repeat(16_000))]);
    story.ask(None);
    let plan = story.plan(20_000);
    let base = ["summarise.on=true", "summarise.at=8000", "summarise.by=extractive", "summarise.target=200"];
    // The newest result alone is more than that, and more than the window has room for.
    let run = run(&plan, &[base.as_slice(), &["summarise.keep_tail=3000 tokens"]].concat());
    let step = stages(&run, Stage::Summarise)[0].step;
    assert_eq!(layers(&run, step), [Layer::Summaries, Layer::User]);
    let kept = run.window(step).into_iter().filter_map(|id| run.entry(id)).find(|entry| entry.layer == Layer::User);
    assert!(kept.unwrap().born() > 1, "the second, not the first");
    let none = self::run(&plan, &base);
    assert_eq!(number(&none, step, Layer::User), 0, "no end is asked for");
}

/// A system prompt of 6,000 tokens and results of 500 in a window of 8,000.
fn full() -> Story {
    let mut story = Story::new(1);
    story.system(&"s".repeat(24_000));
    story.user("Look at them all.");
    for number in 0..12 {
        story.ask(None);
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(2_000))]);
    }
    story.ask(None);
    story
}

#[test]
fn the_harder_attempt_keeps_of_the_end_what_fits() {
    let plan = full().plan(8_000);
    let run = run(&plan, &["reactive.on=true", "summarise.by=extractive", "reactive.drop_share=0.5"]);
    let events = stages(&run, Stage::Reactive);
    let after = events[0].tokens_after.unwrap();
    assert!(after <= 7_200, "a tenth is free again: {after}");
    assert!(number(&run, events[0].step, Layer::ToolResults) > 0, "and still the end is kept");
    assert!(run.steps.iter().all(|step| step.outcome == Outcome::Answered));
    assert!(events.len() < 6, "it does not go on and on: {}", events.len());
    assert!(events[0].sentence().contains("the oldest turns were dropped"), "{}", events[0].sentence());
    let all = self::run(&plan, &["reactive.on=true", "summarise.by=extractive", "reactive.drop_share=0"]);
    let event = stages(&all, Stage::Reactive)[0];
    assert!(event.sentence().ends_with("its history was summarised harder, once."), "{}", event.sentence());
}

#[test]
fn a_refused_prompt_is_answered_only_once_it_is_clearly_shorter() {
    let mut plan = full().plan(200_000);
    plan.asks[8].outcome = Outcome::TooLong;
    let (mut policy, _) = preset("claude-code", None).unwrap();
    policy.summarise.reinject_files = 5;
    let run = simulate(&plan, &policy, &Given::default());
    let event = stages(&run, Stage::Reactive)[0];
    assert_eq!(event.step, 9);
    let (before, after) = (event.tokens_before.unwrap(), event.tokens_after.unwrap());
    assert!(after <= before / 10 * 9, "{before} → {after}");
    assert_eq!(run.steps[8].outcome, Outcome::Answered);
    // With next to nothing to take away it is refused again.
    let mut short = Story::new(1);
    short.system(&"s".repeat(24_000));
    short.user(&"u".repeat(400));
    short.ask(None);
    let mut plan = short.plan(200_000);
    plan.asks[0].outcome = Outcome::TooLong;
    assert_eq!(simulate(&plan, &policy, &Given::default()).steps[0].outcome, Outcome::TooLong);
}

#[test]
fn a_budget_of_the_history_leaves_the_prompt_out() {
    let mut story = full();
    story.ask(None);
    let (aider, _) = preset("aider", None).unwrap();
    for (window, at) in [(12_000, 1_024), (32_000, 2_000), (200_000, 8_192)] {
        let run = simulate(&story.plan(window), &aider, &Given::default());
        let first = stages(&run, Stage::Summarise).first().map(|event| (event.threshold, event.measured));
        match first {
            Some((threshold, measured)) => {
                assert_eq!(threshold, Some(at));
                assert!(
                    measured > threshold && measured < Some(6_000),
                    "the system prompt is no history: {measured:?}"
                );
            }
            None => assert_eq!(at, 8_192),
        }
        let line = run.steps[0].threshold.unwrap();
        assert!((6_000 + at..6_010 + at).contains(&line), "the line is drawn over what is not measured: {line}");
    }
}

/// The agent's own compaction is replayed, and the policy keeps more than the agent did.
#[test]
fn what_is_kept_beyond_the_agents_own_counts_beside_its_report() {
    let mut story = Story::new(1);
    story.system(&"s".repeat(4_000));
    story.user("Go.");
    let report = |context: u64| Some(Usage { input: context, output: Some(10), ..Usage::default() });
    for number in 0..3 {
        story.ask(report(3_000 + number * 1_100));
        story.think(&"t".repeat(2_000));
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(2_000))]);
    }
    story.compact(0);
    story.ask(report(4_700));
    let mut plan = story.plan(200_000);
    plan.boundaries[0].tokens_before = Some(6_000);
    plan.agent.reinject_files = 5;
    let base = [
        "summarise.on=true",
        "summarise.at=5900",
        "summarise.measure=last_usage_plus_new",
        "summarise.reinject_files=5",
        "summarise.keep_layers=system",
    ];
    let used = |settings: &[&str]| {
        let run = simulate(&plan, &policy(settings), &Given::default());
        assert_eq!(stages(&run, Stage::Summarise)[0].step, 4);
        (run.totals[3].used(), run.totals[3].layers[Layer::Unlogged as usize])
    };
    let own = used(&base);
    assert_eq!(own.0, 4_700, "as the agent's own report has it");
    let (more, unlogged) = used(&[&base[..4], &["summarise.keep_layers=system,thinking"]].concat());
    assert!(more > 4_700 + 1_400, "{more}");
    assert!(unlogged >= own.1, "what is not recorded does not shrink for it: {unlogged}");
}

/// The same of what stands beside the conversation: a skill that the agent lost, and one that it put in again itself.
#[test]
fn what_is_kept_beside_the_conversation_is_charged_once() {
    let skill = "k".repeat(4_000);
    let report = |context: u64| Some(Usage { input: context, output: Some(10), ..Usage::default() });
    // Three files of 500 came back, and the skill where the agent put it in again, by its records or by its rule alone.
    let session = |again: bool, by_rule: bool| {
        let mut story = Story::new(1);
        story.system(&"s".repeat(4_000));
        story.attach(Layer::Skills, "skill", &skill);
        story.user("Go.");
        for number in 0..3 {
            story.ask(report(4_000 + number * 600));
            story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(2_000))]);
        }
        story.compact(0);
        if again {
            story.attach(Layer::Skills, "skill", &skill);
        }
        story.ask(report(if again || by_rule { 5_700 } else { 4_700 }));
        let mut plan = story.plan(200_000);
        plan.boundaries[0].tokens_before = Some(5_500);
        (plan.agent.reinject_files, plan.agent.reinject_skills) = (5, by_rule);
        plan
    };
    let used_with = |again: bool, by_rule: bool, layers: &str| {
        let (more, layers) = (format!("summarise.reinject_skills={by_rule}"), layers);
        let layers = format!("summarise.keep_layers={layers}");
        let settings = [
            &*more,
            "summarise.on=true",
            "summarise.at=5400",
            "summarise.measure=last_usage_plus_new",
            "summarise.reinject_files=5",
            &layers,
        ];
        let run = simulate(&session(again, by_rule), &policy(&settings), &Given::default());
        assert_eq!(stages(&run, Stage::Summarise)[0].step, 4);
        run.totals[3].used()
    };
    let used = |again: bool, layers: &str| used_with(again, false, layers);
    assert_eq!(
        (used(false, "system"), used(true, "system,skills")),
        (4_700, 5_700),
        "as the agent's own report has it"
    );
    let more = used(false, "system,skills");
    assert!((5_600..5_900).contains(&more), "no report has it: {more}");
    let ruled = used_with(false, true, "system,skills");
    assert_eq!(ruled, 5_700, "the agent puts skills back, recorded or not");
}

/// The agent's own summary is taken: its report tells what came back there, and the policy may put back something else.
#[test]
fn what_a_policy_puts_back_beyond_the_agent_counts_and_takes_nothing_from_the_prompt() {
    let report = |context: u64| Some(Usage { input: context, output: Some(10), ..Usage::default() });
    let session = |after: u64| {
        let mut story = Story::new(1);
        story.system("Help.");
        story.user("Go.");
        for number in 0..6 {
            story.ask(report(8_000 + number * 520));
            story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(2_000))]);
        }
        story.compact(0);
        story.ask(report(after));
        let mut plan = story.plan(200_000);
        plan.boundaries[0].tokens_before = Some(11_000);
        (plan.agent.reinject_files, plan.agent.reinject_skills) = (2, true);
        plan
    };
    let used = |after: u64, files: u32| {
        let files = format!("summarise.reinject_files={files}");
        let settings = [
            &*files,
            "summarise.reinject_skills=true",
            "summarise.keep_layers=system",
            "summarise.on=true",
            "summarise.at=10700",
            "summarise.measure=last_usage_plus_new",
        ];
        let run = simulate(&session(after), &policy(&settings), &Given::default());
        assert_eq!(stages(&run, Stage::Summarise)[0].step, 7);
        (run.totals[6].used(), run.totals[6].layers[Layer::Unlogged as usize])
    };
    // The prompt's 8,000, and two files.
    let own = used(9_100, 2);
    assert_eq!(own.0, 9_100, "the same as the agent put back");
    for files in [0, 1, 3, 4, 5] {
        let (total, unlogged) = used(9_100, files);
        let more = i64::from(files) * 500 - 1_000;
        assert!((total as i64 - 9_100 - more).abs() < 120, "{files} files: {total}");
        assert!(unlogged.abs_diff(own.1) < 60, "{files} files: {unlogged} of {own:?}");
    }
    // What the report has no room for the agent did not put back, whatever its rule says.
    let (total, unlogged) = used(8_100, 2);
    assert!(total > 8_900 && unlogged > 7_900, "{total} {unlogged}");
}

/// Rules of a folder come in again with the first file of it that is read after a compaction.
#[test]
fn what_an_agent_puts_in_again_after_a_compaction_is_no_part_of_the_full_history() {
    let rule = "r".repeat(4_000);
    let report = |context: u64| Some(Usage { input: context, output: Some(10), ..Usage::default() });
    let mut story = Story::new(1);
    story.system(&"s".repeat(4_000));
    story.user("Go.");
    story.attach(Layer::Instructions, "rules", &rule);
    story.ask(report(2_010));
    story.answer("One.", &[]);
    story.compact(0);
    story.ask(report(1_100));
    story.answer("Two.", &[("Read", "{\"path\": \"a\"}", "text")]);
    story.attach(Layer::Instructions, "rules", &rule);
    story.attach(Layer::Instructions, "others", "others");
    story.attach(Layer::Notices, "reminder", &rule);
    story.ask(report(3_110));
    story.user("On.");
    story.ask(report(3_120));
    let plan = story.plan(200_000);
    let run = run(&plan, &[]);
    let labels: Vec<&str> =
        run.window(4).into_iter().filter_map(|id| run.entry(id)).map(|entry| &*entry.label).collect();
    assert_eq!(labels.iter().filter(|label| **label == "rules").count(), 1, "{labels:?}");
    assert!(labels.contains(&"others") && labels.contains(&"reminder"), "{labels:?}");
    // Nor is it counted as something that no record holds.
    let used: Vec<u64> = run.totals.iter().map(|totals| totals.used()).collect();
    assert!(used[2] - used[1] < 1_100, "{used:?}");
    // Said again without a compaction it was sent twice.
    let mut twice = Story::new(1);
    twice.attach(Layer::Instructions, "rules", &rule);
    twice.attach(Layer::Instructions, "rules", &rule);
    twice.ask(None);
    assert_eq!(self::run(&twice.plan(200_000), &[]).window(1).len(), 2);
}

/// Gemini CLI splits before a message of the user; amid a long turn that begins early it keeps the whole turn.
#[test]
fn an_end_that_begins_with_the_user_reaches_back_to_a_turn_amid_calls() {
    let result = "r".repeat(4_000);
    let mut story = Story::new(1);
    for question in ["The first.", "The second."] {
        story.user(question);
        for number in 0..4 {
            story.ask(None);
            story.answer("One.", &[("Read", &format!("{{\"path\": \"{question}{number}\"}}"), &result)]);
        }
    }
    story.ask(None);
    let settings =
        ["summarise.on=true", "summarise.at=7900", "summarise.keep_tail=30%", "summarise.split_at_turns=true"];
    let run = run(&story.plan(100_000), &settings);
    let step = stages(&run, Stage::Summarise)[0].step;
    assert_eq!((number(&run, step, Layer::User), number(&run, step, Layer::ToolResults)), (1, 4));
}

#[test]
fn older_results_are_cut_short_before_a_summary_where_all_have_a_budget() {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    for number in 0..6 {
        story.ask(None);
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(4_000))]);
    }
    story.ask(None);
    let plan = story.plan(20_000);
    let base = ["summarise.on=true", "summarise.at=5000", "summarise.target=100", "summarise.by=extractive"];
    let cut = [
        "microcompact.on=true",
        "microcompact.at=100%",
        "tool_results.virtual_head=50",
        "summarise.measure=last_usage",
    ];
    let with = |own: &[&str]| run(&plan, &[&base[..], &cut, own].concat());
    let made = with(&["microcompact.boundary_total=2500", "summarise.keep_tail=4 rounds"]);
    let event = stages(&made, Stage::Microcompact)[0];
    let told =
        "A summary is about to be made of 6,000 tokens of results, over 2,500: 4 older results were cut short first.";
    assert_eq!((&*event.rule, &*event.sentence()), ("microcompact.boundary_total", told));
    let summary = stages(&made, Stage::Summarise)[0];
    assert_eq!(event.step, summary.step);
    let results = |step: u32| -> Vec<(u64, Fate)> {
        let all = made.window(step).into_iter().filter_map(|id| made.entry(id));
        all.filter(|entry| entry.layer == Layer::ToolResults).map(|entry| (entry.tokens, entry.fate)).collect()
    };
    assert!(results(event.step - 1).iter().all(|result| *result == (1_000, Fate::Verbatim)));
    // Of the four rounds that are kept, the results of two are within it.
    let kept = results(event.step);
    assert_eq!(
        kept.iter().map(|one| one.1).collect::<Vec<_>>(),
        [Fate::Truncated, Fate::Truncated, Fate::Verbatim, Fate::Verbatim]
    );
    assert!(kept[..2].iter().all(|one| one.0 < 120), "{kept:?}");
    // The whole of each can still be read on.
    assert_eq!(made.files.len(), 4);
    // Nothing is cut where all fit, nor without a summary.
    assert!(stages(&with(&["microcompact.boundary_total=6000"]), Stage::Microcompact).is_empty());
    assert!(stages(&with(&["microcompact.boundary_total=2500", "summarise.at=20000"]), Stage::Microcompact).is_empty());
    let excluded = with(&["microcompact.boundary_total=2500", "tool_results.exclude_tools=Read"]);
    assert!(stages(&excluded, Stage::Microcompact).is_empty());
}

#[test]
fn no_result_is_cut_before_a_summary_that_is_not_made() {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    for number in 0..6 {
        story.ask(None);
        story.block(BlockKind::Thinking, Layer::Thinking, Role::Assistant, "", "I look.", None);
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(4_000))]);
    }
    story.ask(None);
    let plan = story.plan(20_000);
    let base = ["summarise.on=true", "summarise.at=5000", "summarise.target=200", "summarise.by=extractive"];
    let cut = ["microcompact.on=true", "microcompact.at=100%", "microcompact.boundary_total=2500"];
    let with = |own: &[&str]| {
        run(&plan, &[&base[..], &cut, &["tool_results.virtual_head=50", "summarise.keep_tail=4 rounds"], own].concat())
    };
    let is_done = |event: &&&Event| event.stage != Stage::Summarise || event.compacts();
    let done = |run: &Run, stage| stages(run, stage).iter().filter(is_done).count();
    let stages_of = |run: &Run| [Stage::Microcompact, Stage::Summarise].map(|stage| done(run, stage));
    // One turn is kept as a whole: there is nothing to be summarised.
    assert_eq!(stages_of(&with(&["summarise.measure=last_usage", "summarise.split_at_turns=true"])), [0, 0]);
    // Measured after them, the cuts would make the summary needless.
    assert_eq!(stages_of(&with(&["summarise.measure=after_stages"])), [0, 1]);
    let made = with(&["summarise.measure=last_usage", "thinking.clear=true", "thinking.keep_turns=1"]);
    let summary = stages(&made, Stage::Summarise)[0].step;
    let event = stages(&made, Stage::Microcompact).into_iter().find(|event| event.step == summary).unwrap();
    assert_eq!((event.took.len(), event.made.len()), (5, 4));
    let told = "over 2,500: 4 older results were cut short first; a piece of older reasoning was taken out.";
    assert!(event.sentence().ends_with(told), "{}", event.sentence());
}

#[test]
fn the_oldest_turns_that_a_harder_attempt_drops_are_no_earlier_summary() {
    let mut story = Story::new(1);
    story.system(&"s".repeat(24_000));
    story.user("We must keep port_8443 because staging needs it.");
    let sizes = [8_400].into_iter().chain([400; 10]).chain([8_400]);
    for size in sizes {
        story.ask(None);
        story.answer("One.", &[("Read", "{}", &"r".repeat(size))]);
    }
    story.ask(None);
    let base = ["reactive.on=true", "reactive.keep_tail=none", "summarise.by=extractive", "summarise.target=400"];
    let run = run(&story.plan(8_000), &base);
    let events = stages(&run, Stage::Reactive);
    assert!(events.len() >= 2, "{events:?}");
    assert!(events[1].sentence().contains("the oldest turns were dropped"), "{}", events[1].sentence());
    for event in events {
        let text = entry_text(&story.transcript, &story.sources(), &run, event.made[0]).unwrap().unwrap();
        assert!(text.contains("port_8443"), "before step {}: {text}", event.step);
    }
}

#[test]
fn a_notice_is_neither_a_turn_nor_a_round() {
    let mut story = Story::new(1);
    for turn in 0..4 {
        story.user(&format!("Question {turn}."));
        for part in 0..2 {
            story.ask(None);
            story.answer("One.", &[("Read", &format!("{{\"path\": \"a{turn}{part}\"}}"), &"r".repeat(2_000))]);
        }
        story.ask(None);
        story.answer("It is done.", &[]);
    }
    story.user("The last question.");
    story.ask(None);
    let plan = story.plan(8_000);
    let base = ["summarise.on=true", "summarise.at=3000", "summarise.by=extractive", "summarise.target=200"];
    for (tail, users) in [("1 turns", 1), ("2 turns", 2), ("3 rounds", 1)] {
        let tail = format!("summarise.keep_tail={tail}");
        let kept = |more: &[&str]| {
            let run = run(&plan, &[&base[..], &[tail.as_str()], more].concat());
            let step = stages(&run, Stage::Summarise).last().unwrap().step;
            (step, number(&run, step, Layer::User), number(&run, step, Layer::ToolResults))
        };
        let without = kept(&[]);
        let with = kept(&["notice.on=true", "notice.keep=all"]);
        assert!(without.1 >= users, "{tail}: {without:?}");
        assert_eq!((with.1 >= users, with.2 >= without.2.min(users)), (true, true), "{tail}: {with:?} for {without:?}");
    }
}

#[test]
fn the_call_of_a_harder_attempt_is_sent_what_is_left_of_the_turns() {
    let plan = full().plan(8_000);
    let call = |share: &str| {
        let share = format!("reactive.drop_share={share}");
        let run = run(&plan, &["reactive.on=true", "reactive.keep_tail=1 rounds", &share]);
        let event = stages(&run, Stage::Reactive)[0].clone();
        (event.call.as_ref().map(|call| call.input), event.sentence().into_owned())
    };
    let (all, half, (none, said)) = (call("0").0, call("0.5").0, call("1"));
    assert!(all.unwrap() > half.unwrap() + 500, "{all:?} {half:?}");
    assert!(none.is_none() && said.contains("nothing left to summarise"), "{none:?} {said}");
}
