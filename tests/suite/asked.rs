//! Replays whose summaries somebody else writes: what is wanted is answered until nothing is, and what was said stands
//! in the windows, with its facts or not at all.

use std::sync::Arc;

use proptest::prelude::*;
use windowpane::content::Watch;
use windowpane::engine::{
    Answers, Extracted, Given, Plan, Recall, Task, Wanted, WrittenSummary, embed_words, simulate, simulate_asking,
    simulate_remembering,
};
use windowpane::memory::{How, Origin, Supports};
use windowpane::model::*;
use windowpane::policy::{Policy, named, preset, set};

use crate::memory::recall;
use crate::replays::{check, drawn};
use crate::story::{Story, session};

/// What somebody says to a task.
type Says<'a> = &'a mut dyn FnMut(&Task) -> Result<WrittenSummary, String>;

/// Answers what a replay wants, one at a time as the next depends on it. Returns the answers, and how many there were.
fn answered(plan: &Plan, policy: &Policy, recall: Option<Arc<Recall>>, says: Says) -> (Given, usize) {
    let (mut answers, mut asked) = (Answers::default(), 0);
    loop {
        let given = Given { recall: recall.clone(), answers: Arc::new(answers.clone()), ..Given::default() };
        let (_, wanted) = simulate_asking(plan, policy, &given);
        let Some(Wanted { task, .. }) = wanted.into_iter().next() else { return (given, asked) };
        asked += 1;
        assert!(asked <= 500, "it ends");
        let answer = says(&task);
        answers.put(task, answer.map(Arc::new).map_err(Arc::from));
    }
}

fn words(text: &str) -> WrittenSummary {
    WrittenSummary {
        text: Arc::from(text),
        facts: Vec::new(),
        sentences: Supports { stands: 1, ..Supports::default() },
        usage: None,
        unseen: 0,
        window: None,
    }
}

/// The first text that is to be summarised.
fn first_block(task: &Task) -> Option<BlockId> {
    task.pieces.iter().flat_map(|piece| &piece.content).find_map(|made| match made {
        Made::Block(block) => Some(*block),
        _ => None,
    })
}

fn fact(text: &str, block: BlockId) -> Extracted {
    let origins = vec![Origin { block, start: 0, end: 5, whole: false, at: None }];
    let vector = embed_words(&[text]).pop().unwrap();
    Extracted { text: Arc::from(text), vector, origins, supported: true }
}

fn policy(settings: &[&str]) -> Policy {
    let (mut policy, _) = preset("memory-harness", None).unwrap();
    for setting in ["memory.signals=remember that", "summarise.by=model", "summarise.target=100"].iter().chain(settings)
    {
        set(&mut policy, setting).unwrap();
    }
    policy
}

/// A port is told early, and much is said after it.
fn story() -> Story {
    let mut story = Story::new(1);
    story.user("Remember that the staging server listens on port 8443. Now look at the parser.");
    for _ in 0..12 {
        story.ask(None);
        let words = story.words(60);
        story.answer(&words, &[("Read", "{\"file_path\": \"src/a.rs\"}", &words)]);
    }
    story.ask(None);
    story
}

/// A run, what its preservations say, and what was preserved.
fn preserved(settings: &[&str], says: Says) -> (Vec<String>, Vec<String>) {
    let (story, policy) = (story(), policy(settings));
    let plan = story.plan(1_500);
    let recall = Some(recall(&story, &plan, &policy));
    let (given, _) = answered(&plan, &policy, recall, says);
    let (run, remembered) = simulate_remembering(&plan, &policy, &given, u32::MAX, &Watch::default()).unwrap();
    let of = |event: &&Event| event.stage == Stage::Preserve;
    let said = run.events.iter().filter(of).map(|event| event.sentence().into_owned()).collect();
    let facts = remembered.store.live().filter(|(_, memory, _)| memory.how == How::Preserved);
    (said, facts.map(|(_, memory, _)| memory.text.to_string()).collect())
}

#[test]
fn facts_come_with_the_summary_or_by_the_rules() {
    let mut good = |task: &Task| {
        let facts = first_block(task).map(|block| fact("Staging has port 8443.", block)).filter(|_| task.remember);
        Ok(WrittenSummary { facts: facts.into_iter().collect(), ..words("The parser was looked at.") })
    };
    let by_rules = "Remember that the staging server listens on port 8443.";
    let (said, facts) = preserved(&["memory.preserve=llm"], &mut good);
    assert_eq!(facts, ["Staging has port 8443."]);
    assert!(said[0].contains("the model took them out as it wrote the summary."), "{said:?}");
    // Without a section of its own, the summary's setting asks for them.
    let (_, facts) = preserved(&["memory.preserve=none", "summarise.remember=true"], &mut good);
    assert_eq!(facts, ["Staging has port 8443."]);
    let (said, facts) = preserved(&["memory.preserve=rules"], &mut good);
    assert_eq!(facts, [by_rules]);
    assert!(said.iter().all(|said| !said.contains("model")), "{said:?}");
    assert!(preserved(&["memory.preserve=manual"], &mut good).1.is_empty());
    // No summary, no facts of the model: the rules stand in.
    let mut failing = |_: &Task| Err("The model gave no answer: {threshold}.".to_owned());
    let (said, facts) = preserved(&["memory.preserve=llm"], &mut failing);
    assert_eq!(facts, [by_rules]);
    assert!(said[0].contains("no model took them out: the rules stand in."), "{said:?}");
}

#[test]
fn a_task_holds_all_that_its_answer_depends_on() {
    let story = story();
    let plan = story.plan(1_500);
    let first = |settings: &[&str]| {
        let (_, wanted) = simulate_asking(&plan, &policy(settings), &Given::default());
        wanted.into_iter().next().unwrap().task
    };
    let task = first(&[]);
    assert_eq!(task, first(&["microcompact.keep=9 results"]), "a setting that changes nothing of it");
    assert_ne!(task, first(&["summarise.target=200"]));
    assert_ne!(task, first(&["summarise.at=60%"]));
    assert_ne!(first(&["memory.preserve=llm"]), first(&["memory.preserve=rules"]));
    assert!(task.pieces.iter().any(|piece| piece.layer == Layer::User) && task.target == 100);
    // What is answered for one policy serves the other where they want the same.
    let (given, asked) = answered(&plan, &policy(&[]), None, &mut |_| Ok(words("Short.")));
    assert!(asked > 0 && simulate_asking(&plan, &policy(&["microcompact.keep=9 results"]), &given).1.is_empty());
}

#[test]
fn an_answer_stands_in_the_window_and_failure_is_said() {
    let (story, policy) = (story(), policy(&["memory.on=false"]));
    let plan = story.plan(1_500);
    let usage = Usage { input: 4_711, output: Some(12), ..Usage::default() };
    let mut once = true;
    let mut says = |_: &Task| match std::mem::take(&mut once) {
        true => Ok(WrittenSummary {
            sentences: Supports { stands: 2, none: 1, open: 0 },
            usage: Some(usage),
            ..words("All of it in short.")
        }),
        false => Err("The model gave no answer: it was {measured}.".to_owned()),
    };
    let (given, _) = answered(&plan, &policy, None, &mut says);
    let run = simulate(&plan, &policy, &given);
    let events: Vec<&Event> = run.events.iter().filter(|event| event.stage == Stage::Summarise).collect();
    let made = run.entry(events[0].made[0]).unwrap();
    assert_eq!(made.content[..], [Made::Text("All of it in short.".into())]);
    assert_eq!((events[0].call.as_deref(), made.fate), (Some(&usage), Fate::Summarised));
    assert!(events[0].sentence().ends_with("a model wrote it; 1 of its 3 sentences has no support."));
    let said = events[1].sentence();
    assert!(said.ends_with("it was |measured|; the sentences that matter most stand in."), "{said}");
}

#[test]
fn settings_of_models_are_checked() {
    let mut policy = Policy::default();
    set(&mut policy, "memory.model=all-MiniLM-L6-v2").unwrap();
    assert_eq!(policy.memory.model, "all-MiniLM-L6-v2");
    assert!(set(&mut policy, &format!("memory.model={}", "x".repeat(101))).is_err());
    for (key, wrong, names) in [
        ("memory.preserve", "model", "none, rules, manual, llm"),
        ("summarise.by", "llm", "recorded, extractive, truncate, model"),
        ("memory.enrich", "model", "none, augment, rewrite"),
    ] {
        let fault = set(&mut policy, &format!("{key}={wrong}")).unwrap_err().to_string();
        assert!(fault.contains(names) && named(key).is_some(), "{fault}");
        names.split(", ").for_each(|name| set(&mut policy, &format!("{key}={name}")).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_keeps_its_promises_whoever_writes_its_summaries(
        seed in 0u64..1_000, drawing in any::<u64>(), window in 1_500u64..12_000, said in 0u64..100
    ) {
        let story = session(seed, 120, 60);
        let plan = story.plan(window);
        let mut policy = drawn(drawing);
        for setting in ["summarise.by=model", "summarise.on=true", "memory.preserve=llm"] {
            set(&mut policy, setting).unwrap();
        }
        let recall = policy.memory.on.then(|| recall(&story, &plan, &policy));
        let mut writer = Story::new(said);
        let mut says = |task: &Task| match writer.any(4) {
            0 => Err("It was {took} \u{1b}[2J.".to_owned()),
            number => {
                let text = writer.words(10 * number);
                let facts = first_block(task).map(|block| fact(&text, block)).into_iter().collect();
                Ok(WrittenSummary { facts, ..words(&text) })
            }
        };
        let (given, _) = answered(&plan, &policy, recall, &mut says);
        let run = simulate(&plan, &policy, &given);
        check(&story, &plan, &run);
        prop_assert_eq!(&run, &simulate(&plan, &policy, &given));
    }
}

/// What reports show to be counted too high weighs less than a summary of it has: none is made, and none is asked for.
#[test]
fn no_model_is_asked_for_a_summary_that_is_not_made() {
    let mut story = Story::new(1);
    story.user("Look at them all.");
    let report = |number: u64| Some(Usage { input: 40_000 + 30 * number, output: Some(10), ..Usage::default() });
    for number in 0..40 {
        story.ask(report(number));
        let line = |at: u64| format!("We decided that the port {number}{at} must stay because staging needs it.\n");
        let text: String = (0..60).map(line).collect();
        story.answer("One.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &text)]);
    }
    story.ask(report(40));
    let (mut policy, _) = preset("none", None).unwrap();
    for setting in ["summarise.on=true", "summarise.at=40100", "summarise.target=500", "summarise.by=model"] {
        set(&mut policy, setting).unwrap();
    }
    let (run, wanted) = simulate_asking(&story.plan(50_000), &policy, &Given::default());
    let made = |step: u32| run.events_at(step).any(|(_, event)| event.stage == Stage::Summarise);
    assert!(!wanted.is_empty() && run.steps.iter().any(|step| step.threshold.is_some()));
    for Wanted { step, .. } in &wanted {
        assert!(made(*step), "asked at step {step}");
    }
}
