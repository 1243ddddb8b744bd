//! Figures that events tell are those that decided, and of the things that they name.

use windowpane::model::*;
use windowpane::present::measured;

use crate::replayed::{looking, run, stages};
use crate::story::Story;

/// What reports show to be counted too high takes less of the window than the summary that would stand for it.
#[test]
fn no_summary_makes_a_window_larger() {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    let report = |number: u64| Some(Usage { input: 40_000 + 30 * number, output: Some(10), ..Usage::default() });
    for number in 0..40 {
        story.ask(report(number));
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(4_000))]);
    }
    story.ask(report(40));
    let plan = story.plan(50_000);
    let made =
        run(&plan, &["summarise.on=true", "summarise.at=40100", "summarise.target=500", "summarise.by=truncate"]);
    let summaries = stages(&made, Stage::Summarise);
    assert!(!summaries.is_empty());
    for event in summaries {
        assert!(event.tokens_after < event.tokens_before, "{event:?}");
    }
}

/// What reports show to be counted too high may have a share below nothing: without it there would be more.
#[test]
fn nothing_is_dropped_that_leaves_a_larger_window() {
    for (even, odd) in [(-30, -30), (-200, 100), (400, -50)] {
        let mut story = Story::new(1);
        story.user("Look at them all.");
        let mut context = 40_000;
        let report = |input: u64| Some(Usage { input, output: Some(10), ..Usage::default() });
        for number in 0..20 {
            story.ask(report(context));
            story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(4_000))]);
            context = context.saturating_add_signed(if number % 2 == 0 { even } else { odd });
        }
        story.ask(report(context));
        let plan = story.plan(50_000);
        let (at, to) = ("drop.at=39000", "drop.to=38000");
        for what in ["drop.oldest_turns=true", "drop.oldest_tool_results=true"] {
            let (with, without) = (run(&plan, &[what, at, to]), run(&plan, &[]));
            for event in stages(&with, Stage::Drop) {
                assert!(event.tokens_after < event.tokens_before, "{what}, {even} and {odd}: {event:?}");
            }
            for (with, without) in with.totals.iter().zip(&without.totals) {
                assert!(with.used() <= without.used(), "{what}, {even} and {odd}");
            }
        }
    }
}

#[test]
fn results_that_are_too_long_together_are_told_as_that() {
    let told = |sizes: [usize; 3]| {
        let mut story = Story::new(1);
        story.user("Look at them all.");
        story.ask(None);
        let results = sizes.map(|size| "r".repeat(size));
        let calls: Vec<_> = results.iter().map(|result| ("Read", "{}", result.as_str())).collect();
        story.answer("All.", &calls);
        story.ask(None);
        let sets = ["tool_results.on=true", "tool_results.virtual_over=5000", "tool_results.virtual_head=100"];
        let made = run(&story.plan(50_000), &[&sets[..], &["tool_results.message_total=1500"]].concat());
        let event = stages(&made, Stage::Truncate)[0];
        (event.rule.to_string(), event.measured, event.sentence().into_owned())
    };
    let (rule, measured, said) = told([4_000; 3]);
    assert_eq!((rule.as_str(), measured), ("tool_results.message_total", Some(3_000)));
    let together = "The results of a message had 3,000 tokens together, over 1,500: of 2 a part stays";
    assert!(said.starts_with(together), "{said}");
    let (rule, measured, said) = told([32_000, 4_000, 4_000]);
    assert_eq!((rule.as_str(), measured), ("tool_results.virtual_over", Some(8_000)));
    assert!(said.starts_with("1 piece was too long; the largest had 8,000 tokens, over 5,000:"), "{said}");
    assert!(said.ends_with("; 1 more was cut so that the results of a message fit together."), "{said}");
}

/// One step cuts by three rules: each text has the figures of the one that cut it, in its unit, and the step those of the
/// text that was the furthest over its limit.
#[test]
fn of_several_texts_that_a_step_cuts_each_has_its_own_figures() {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    story.ask(None);
    let [bash, mcp, read, grep] = [45_000, 80_000, 40_000, 36_000].map(|size| "r".repeat(size));
    let calls = [("Bash", "{}", &*bash), ("mcp__db__query", "{}", &mcp), ("Read", "{}", &read), ("Grep", "{}", &grep)];
    story.answer("All.", &calls);
    story.ask(None);
    let sets = [
        "tool_results.on=true",
        "tool_results.per_tool=Bash=30000c, mcp__*=5000",
        "tool_results.virtual_over=9900",
        "tool_results.message_total=15000",
    ];
    let made = run(&story.plan(200_000), &sets);
    let events = stages(&made, Stage::Truncate);
    let [event] = events[..] else { panic!("{events:?}") };
    let own = |tool: &str| {
        let at = made.entries.iter().position(|entry| &*entry.label == tool && entry.layer == Layer::ToolResults);
        let one = event.own(EntryId(at.unwrap() as u32));
        (one.rule.to_string(), one.threshold.unwrap(), measured(one).unwrap())
    };
    let is = |rule: &str, threshold: u64, measured: &str| (rule.to_owned(), threshold, measured.to_owned());
    assert_eq!(own("Bash"), is("tool_results.per_tool", 30_000, "45,000 characters"));
    assert_eq!(own("mcp__db__query"), is("tool_results.per_tool", 5_000, "20,000 tokens"));
    assert_eq!(own("Read"), is("tool_results.virtual_over", 9_900, "10,000 tokens"));
    // The others are cut already: what is left of all is too much because of it.
    let (rule, threshold, together) = own("Grep");
    assert_eq!((rule.as_str(), threshold), ("tool_results.message_total", 15_000), "{together}");
    assert_eq!((event.threshold, measured(event).as_deref()), (Some(5_000), Some("20,000 tokens")));
    assert!(
        event
            .sentence()
            .starts_with("3 pieces were too long; the one furthest over its limit had 20,000 tokens, over 5,000:"),
        "{}",
        event.sentence()
    );
    // The decisions go on from each other, and from what the step began with to what it left.
    let figures = |one: &Event| (one.tokens_before.unwrap(), one.tokens_after.unwrap());
    let each: Vec<(u64, u64)> = event.each.iter().map(figures).collect();
    assert!(each.len() == 4 && each.windows(2).all(|two| two[0].1 == two[1].0), "{each:?}");
    assert_eq!((each[0].0, each[3].1), figures(event));
}

/// Two messages whose results are too long together, in one step: the texts of each have its figures.
#[test]
fn of_several_messages_that_are_too_long_together_each_has_its_own_figures() {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    story.ask(None);
    let [small, large] = [4_000, 8_000].map(|size| "r".repeat(size));
    story.answer("First.", &[("Read", "{}", &*small), ("Read", "{}", &small)]);
    story.answer("Then.", &[("Grep", "{}", &*large), ("Grep", "{}", &large)]);
    story.ask(None);
    let sets = ["tool_results.on=true", "tool_results.virtual_head=100", "tool_results.message_total=1500"];
    let made = run(&story.plan(200_000), &sets);
    let event = stages(&made, Stage::Truncate)[0];
    let told: Vec<(Option<u64>, usize)> = event.each.iter().map(|one| (one.measured, one.made.len())).collect();
    assert_eq!((told, event.measured), (vec![(Some(2_000), 1), (Some(4_000), 2)], Some(4_000)));
    let said =
        "The results of 2 messages were too long together; those of one had 4,000 tokens, over 1,500: of 3 a part";
    assert!(event.sentence().starts_with(said), "{}", event.sentence());
}

/// A turn that comes back does so for what refers to it, and not for the window's size: it was older than what is kept.
#[test]
fn what_is_shown_in_full_again_is_held_against_what_is_kept() {
    let mut story = looking(6, |number| format!("value QZ{number}9931"), "QZ09931 was the first value.");
    story.ask(None);
    let sets = ["collapse.on=true", "collapse.at=30%", "collapse.keep=2 rounds", "collapse.min_freed=2500"];
    let made = run(&story.plan(10_000), &sets);
    let figures = |event: &Event| (event.threshold, event.measured.is_some());
    let [collapsed, again] = stages(&made, Stage::Collapse)[..] else { panic!("{:?}", made.events) };
    assert_eq!((&*collapsed.rule, figures(collapsed)), ("collapse.at", (Some(3_000), true)));
    assert_eq!((&*again.rule, again.threshold, again.measured), ("collapse.keep", Some(2), Some(5)));
    assert_eq!(
        again.sentence(),
        "A turn that was shown as a line, 5 rounds back, is referred to again: it is shown in full."
    );
}

/// Where a summary is due at request after request and helps nothing, that is told once.
#[test]
fn a_summary_that_is_due_in_vain_is_told_once() {
    let mut story = looking(8, |number| format!("value {number}"), "Done.");
    story.ask(None);
    let plan = story.plan(50_000);
    let base = ["summarise.on=true", "summarise.at=3000", "summarise.by=truncate", "summarise.target=300"];
    let made = |more: &str| run(&plan, &[&base[..], &[more]].concat());
    // Nothing may be taken.
    let kept = made("summarise.keep_tail=100 messages");
    let told = stages(&kept, Stage::Summarise);
    let [event] = told[..] else { panic!("{told:?}") };
    assert!(event.is_in_vain() && !event.compacts() && event.made.is_empty(), "{event:?}");
    assert_eq!((&*event.rule, event.threshold, event.tokens_after), ("summarise.at", Some(3_000), event.tokens_before));
    let sentence = event.sentence();
    assert!(sentence.starts_with("The window held "), "{sentence}");
    let why = ", over 3,000, but no summary was made: there is nothing that one may stand for; it is told once";
    assert!(sentence.contains(why), "{sentence}");
    assert_eq!(windowpane::engine::Consequences::of(&kept).compactions, 0);
    // What is kept is over the threshold by itself.
    let again = made("summarise.keep_tail=4 rounds");
    let told = stages(&again, Stage::Summarise);
    let over = |event: &&&Event| event.sentence().contains("what is left is over it still");
    assert!(told.len() > 1 && told.iter().filter(over).count() <= 1, "{told:?}");
    // Under the threshold nothing is said.
    assert!(stages(&run(&plan, &["summarise.on=true", "summarise.at=40000"]), Stage::Summarise).is_empty());
}

/// What was measured is named by what it is a measure of.
#[test]
fn a_summary_says_what_it_measured() {
    let mut story = looking(8, |number| format!("value {number}"), "Done.");
    story.ask(None);
    let plan = story.plan(50_000);
    let says = |measure: &str| {
        let measure = format!("summarise.measure={measure}");
        let base = ["summarise.on=true", "summarise.at=3000", "summarise.by=truncate", "summarise.target=300"];
        let made = run(&plan, &[&base[..], &[&measure]].concat());
        stages(&made, Stage::Summarise)[0].sentence().into_owned()
    };
    for (measure, begins) in [
        ("after_stages", "The window held "),
        ("history", "The history held "),
        ("last_usage_plus_new", "The last request, its answer and what was new came to "),
        ("last_usage", "The last request and its answer came to "),
    ] {
        assert!(says(measure).starts_with(begins), "{measure}: {}", says(measure));
    }
}
