//! Events explain themselves: what happened, what their stage does, and where the rule is from.

use std::collections::BTreeSet;
use std::path::Path;

use windowpane::engine::{Given, simulate};
use windowpane::model::{Stage, told_rule};
use windowpane::policy::{PRESETS, named, preset};
use windowpane::present::about_event;

use crate::story::Story;

#[test]
fn every_event_of_a_replay_tells_what_it_is_and_where_its_rule_is_from() {
    let mut story = Story::new(1);
    for number in 0..60 {
        if number % 5 == 0 {
            story.user("We must look at the next of them because staging needs it.");
        }
        story.ask(None);
        story.think("I look at the next.");
        let size = if number % 7 == 0 { 60_000 } else { 9_000 };
        story.answer("One more.", &[("Read", &format!("{{\"path\": \"a{number}\"}}"), &"r".repeat(size))]);
    }
    story.ask(None);
    let plan = story.plan(50_000);
    let mut seen = BTreeSet::new();
    for info in PRESETS {
        let run = simulate(&plan, &preset(info.name, None).unwrap().0, &Given::default());
        for event in &run.events {
            let about = about_event(&run, event, &windowpane::policy::Origins::new());
            assert!(about.text.starts_with(&*event.sentence()), "{}", about.text);
            assert!(about.text.ends_with(event.stage.explain()), "{}", about.text);
            let source = about.source.strip_prefix(&*event.rule);
            assert!(source.is_some_and(|source| source.contains(": ")), "{}", about.source);
            assert!(named(&event.rule).is_some() || told_rule(&event.rule).is_some(), "{}", event.rule);
            seen.insert(event.stage);
        }
    }
    let some = [Stage::Admit, Stage::Truncate, Stage::Microcompact, Stage::Summarise, Stage::Drop, Stage::Notice];
    assert!(some.iter().all(|stage| seen.contains(stage)), "{seen:?}");
}

/// A rule that is no setting is declared with what it is read from, and goes by that declaration's name.
#[test]
fn every_rule_that_is_written_out_is_a_setting() {
    let mut found = BTreeSet::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine"), &mut found);
    assert!(!found.is_empty());
    for rule in found {
        assert!(named(&rule).is_some(), "{rule}");
    }
}

fn collect(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let words = text.split('"').filter(|word| word.starts_with("recorded.") || word.starts_with("replay."));
        found.extend(words.filter(|word| word.len() < 40 && !word.contains(char::is_whitespace)).map(str::to_owned));
    }
}
