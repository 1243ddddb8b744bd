//! What a compaction takes, what it leaves, and how one goes on from another.

use windowpane::engine::{Given, Plan, Prepared, simulate};
use windowpane::model::*;
use windowpane::policy::{Policy, preset, set};

use crate::story::Story;

/// A policy of single settings over one that cuts nothing.
fn policy(settings: &[&str]) -> Policy {
    let mut policy = Policy::default();
    for setting in settings {
        set(&mut policy, setting).unwrap_or_else(|fault| panic!("{fault}"));
    }
    policy
}

fn run(plan: &Plan, settings: &[&str]) -> Run {
    simulate(plan, &policy(settings), &Given::default())
}

fn stages(run: &Run, stage: Stage) -> Vec<&Event> {
    run.events.iter().filter(|event| event.stage == stage).collect()
}

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
        // The end: "Yes." and what fits of 750 in steps of 50, a line break between.
        assert!((950..=1_018).contains(&summary.tokens), "{}", summary.tokens);
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
    let piece = |label: &str, layer: Layer, front: bool, fixed: bool| Prepared {
        step: 1,
        front,
        fixed,
        layer,
        role: Role::System,
        label: label.into(),
        content: vec![Made::Text("some text".into())],
        tokens: 100,
        original: 100,
        estimated: false,
        fate: Fate::Verbatim,
        decided: None,
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
