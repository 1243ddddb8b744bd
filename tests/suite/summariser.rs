//! What a summariser is given of a history, and what comes back beside its summary.

use std::sync::Arc;

use windowpane::engine::{Cuts, Given, Plan, Prepared, simulate};
use windowpane::export::entry_text;
use windowpane::model::*;
use windowpane::tokens::Encoding;

use crate::replayed::{policy, run, stages};
use crate::story::Story;

/// What an event says that the summariser was not given.
fn left_out(event: &Event) -> Option<u64> {
    let said = event.sentence();
    let (before, _) = said.split_once(" tokens were over summarise.input_max")?;
    before.rsplit(' ').next()?.replace(',', "").parse().ok()
}

fn decisions(from: u32, to: u32) -> String {
    (from..to).map(|at| format!("We decided that the port number_{at} must stay because staging needs it.\n")).collect()
}

/// One result of about 5,400 tokens behind an older one.
fn long_result() -> Story {
    let mut story = Story::new(1);
    story.user("Look.");
    for (from, to) in [(0, 300), (300, 600)] {
        story.ask(None);
        story.answer("Looking.", &[("Read", "{}", &decisions(from, to))]);
    }
    story.ask(None);
    story
}

#[test]
fn what_is_over_a_summarisers_input_is_cut_off_within_a_piece_and_that_is_said() {
    let story = long_result();
    let plan = story.plan(100_000);
    let told = |most: u64| {
        let most = format!("summarise.input_max={most}");
        let by = ["summarise.on=true", "summarise.at=9000", "summarise.by=extractive", "summarise.target=600"];
        let run = run(&plan, &[&by[..], &[&most]].concat());
        let event = stages(&run, Stage::Summarise)[0].clone();
        let text = entry_text(&story.transcript, &story.sources(), &run, event.made[0]).unwrap().unwrap();
        let size: u64 = event.took.iter().map(|id| run.entry(*id).unwrap().tokens).sum();
        (text, event, size)
    };
    for most in [8, 200, 2_000, 6_000] {
        let (text, event, size) = told(most);
        let left = left_out(&event).unwrap_or_else(|| panic!("{}", event.sentence()));
        // What was cut falls on a token, and a sentence that is cut is none.
        assert!(left >= size - most && left <= size - most + 2, "{left} of {size} with {most}");
        assert_eq!(text.contains("number_599"), most > 8, "the newest is there: {text}");
        assert!(!text.contains("number_299") || most == 6_000, "{text}");
    }
    let (_, event, size) = told(size_of(&plan));
    assert_eq!((left_out(&event), size <= size_of(&plan)), (None, true));
}

fn size_of(plan: &Plan) -> u64 {
    plan.items.iter().map(|item| item.tokens).sum()
}

#[test]
fn an_earlier_summary_is_always_in_a_summarisers_input() {
    let mut story = Story::new(1);
    story.user("We must keep port_8443 because staging needs it.");
    // A history within the input, then results that are over it alone.
    for words in [1_600, 1_600, 6_400, 6_400] {
        story.ask(None);
        story.answer("Looking.", &[("Read", "{}", &"word ".repeat(words))]);
    }
    story.ask(None);
    let by = ["summarise.by=extractive", "summarise.target=200", "summarise.input_max=5000"];
    let run = run(&story.plan(100_000), &[&by[..], &["summarise.on=true", "summarise.at=3500"]].concat());
    let events = stages(&run, Stage::Summarise);
    assert!(events.len() >= 3, "{events:?}");
    for event in events {
        let text = entry_text(&story.transcript, &story.sources(), &run, event.made[0]).unwrap().unwrap();
        assert!(text.contains("port_8443"), "{text}");
    }
}

/// Start and end of a history, which nobody is given, are those of all of it.
#[test]
fn a_history_that_is_cut_knows_of_no_input() {
    let story = long_result();
    let by = ["summarise.on=true", "summarise.at=9000", "summarise.by=truncate", "summarise.target=600"];
    let plan = story.plan(100_000);
    let all = run(&plan, &by);
    assert_eq!(all, run(&plan, &[&by[..], &["summarise.input_max=100"]].concat()));
    let made = run_summary(&all);
    let removed = made.content.iter().find_map(|made| match made {
        Made::Written(Written::Removed { messages, tokens }) => Some((*messages, *tokens)),
        _ => None,
    });
    assert!(removed.is_some_and(|(messages, tokens)| messages > 0 && tokens > 9_000), "{removed:?}");
}

fn run_summary(run: &Run) -> &Entry {
    run.entry(stages(run, Stage::Summarise)[0].made[0]).unwrap()
}

/// An attached file of so many tokens: a text that can be cut, or passages of ten tokens each.
fn attached(step: u32, text: &str, passages: usize) -> Vec<Prepared> {
    let size = windowpane::tokens::count(text, Encoding::Estimate);
    let piece = |content: Contents, tokens: u64, layer: Layer| Prepared {
        estimated: true,
        file: 7,
        cuts: Some(Arc::new(Cuts::of(text, Encoding::Estimate, size))),
        ..Prepared::whole(step, layer, "notes.txt", content, tokens)
    };
    if passages == 0 {
        return vec![piece(Made::Text(text.to_owned().into()).into(), size, Layer::Files)];
    }
    let passage = |at: usize| piece(Made::Text(format!("passage {at}").into()).into(), 10, Layer::Chunks);
    (0..passages).map(passage).collect()
}

#[test]
fn attached_files_come_back_after_a_summary_like_those_that_were_read() {
    let mut story = Story::new(1);
    for _ in 0..12 {
        story.user(&"word ".repeat(800));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story.ask(None);
    let plan = story.plan(100_000);
    let text = "Line of notes.\n".repeat(100);
    let back = |passages: usize, limit: u64| {
        let given = Given { prepared: attached(2, &text, passages), ..Given::default() };
        let limit = format!("summarise.reinject_file_tokens={limit}");
        let by = ["summarise.on=true", "summarise.at=6000", "summarise.by=extractive", "summarise.target=200"];
        let policy = policy(&[&by[..], &["summarise.reinject_files=5", &limit]].concat());
        let run = simulate(&plan, &policy, &given);
        let events = stages(&run, Stage::Summarise);
        assert!(events.len() >= 2);
        let of = |event: &&Event| -> Vec<(Layer, u64, String)> {
            let made = event.made.iter().skip(1).filter_map(|id| run.entry(*id));
            made.map(|entry| {
                assert_eq!((&*entry.label, entry.from.len()), ("notes.txt", 1));
                let Made::Text(text) = &entry.content[0] else { panic!("{entry:?}") };
                (entry.layer, entry.tokens, text.to_string())
            })
            .collect()
        };
        let first = of(&events[0]);
        assert_eq!(first, of(&events[1]), "and again");
        first
    };
    assert_eq!(back(0, 5_000), [(Layer::Files, 375, text.clone())]);
    assert_eq!(back(0, 100), [(Layer::Files, 100, text[..400].to_owned())]);
    let passages = back(4, 25);
    assert_eq!(passages.iter().map(|one| &*one.2).collect::<Vec<_>>(), ["passage 0", "passage 1"]);
    assert!(passages.iter().all(|one| one.0 == Layer::Chunks));
}

#[test]
fn a_result_that_was_cut_in_its_middle_is_given_from_its_end_on_into_its_beginning() {
    let mut story = Story::new(1);
    story.user("Look.");
    story.ask(None);
    story.answer("Looking.", &[("Read", "{}", &decisions(0, 1_000))]);
    story.ask(None);
    let plan = story.plan(100_000);
    let cut = ["keep=middle_cut", "head_share=0.9", "virtual_over=2000", "virtual_head=4000", "on=true"];
    let cut = cut.map(|setting| format!("tool_results.{setting}"));
    let cut: Vec<&str> = cut.iter().map(String::as_str).collect();
    let by = ["summarise.on=true", "summarise.at=3000", "summarise.by=extractive", "summarise.target=1500"];
    for (most, from_head) in [(200, false), (2_000, true), (3_500, true)] {
        let limit = format!("summarise.input_max={most}");
        let run = run(&plan, &[&cut[..], &by, &[&limit]].concat());
        let event = stages(&run, Stage::Summarise)[0];
        let size: u64 = event.took.iter().map(|id| run.entry(*id).unwrap().tokens).sum();
        let left = left_out(event).unwrap_or_else(|| panic!("{}", event.sentence()));
        assert!(left >= size - most && left <= size - most + 12, "{left} of {size} with {most}");
        let text = entry_text(&story.transcript, &story.sources(), &run, event.made[0]).unwrap().unwrap();
        let of_head = (0..300).any(|at| text.contains(&format!("number_{at} ")));
        assert_eq!((of_head, text.contains("number_99")), (from_head, true), "{most}: {text}");
        assert!(!text.contains("number_0 "), "what is over it is the beginning: {text}");
    }
}

#[test]
fn what_comes_back_again_and_again_stays_in_the_order_in_which_it_stood() {
    let mut story = Story::new(1);
    for _ in 0..20 {
        story.user(&"word ".repeat(800));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story.ask(None);
    let one = |step: u32, name: &str, layer: Layer| {
        let one = attached(step, "A line.\n", 0).remove(0);
        let file = if layer == Layer::Files { u64::from(step) } else { 0 };
        Prepared { file, label: name.into(), layer, ..one }
    };
    let files = [(2, "a.txt"), (3, "b.txt"), (4, "c.txt"), (10, "d.txt")];
    let mut prepared: Vec<_> = files.iter().map(|(step, name)| one(*step, name, Layer::Files)).collect();
    prepared.extend([one(2, "skill one", Layer::Skills), one(3, "skill two", Layer::Skills)]);
    prepared.sort_by_key(|one| one.step);
    let by = ["summarise.on=true", "summarise.at=6000", "summarise.by=extractive", "summarise.target=200"];
    let policy = policy(&[&by[..], &["summarise.reinject_files=2", "summarise.reinject_skills=true"]].concat());
    let run = simulate(&story.plan(100_000), &policy, &Given { prepared, ..Given::default() });
    let events = stages(&run, Stage::Summarise);
    assert!(events.iter().filter(|event| event.step >= 10).count() >= 2, "{events:?}");
    for event in events {
        let back = event.made.iter().skip(1).filter_map(|id| run.entry(*id)).map(|entry| &*entry.label);
        let files = if event.step < 10 { ["b.txt", "c.txt"] } else { ["c.txt", "d.txt"] };
        let wanted: Vec<_> = files.into_iter().chain(["skill one", "skill two"]).collect();
        assert_eq!(back.collect::<Vec<_>>(), wanted, "before step {}", event.step);
    }
}

#[test]
fn what_says_that_nothing_was_found_does_not_stay_beside_a_sentence() {
    let mut story = Story::new(1);
    story.user(&"x".repeat(24_000));
    story.ask(None);
    story.answer("", &[("Read", "{}", &"y".repeat(8_000))]);
    story.ask(None);
    story.answer("", &[("Read", "{}", &"z".repeat(8_000))]);
    story.user("We must keep port_8443 because staging needs it.");
    story.ask(None);
    story.answer("", &[("Read", "{}", &"w".repeat(24_000))]);
    story.ask(None);
    let by = ["summarise.on=true", "summarise.at=7500", "summarise.by=extractive", "summarise.target=200"];
    let run = run(&story.plan(100_000), &by);
    let text = |event: &&Event| entry_text(&story.transcript, &story.sources(), &run, event.made[0]).unwrap().unwrap();
    let told: Vec<String> = stages(&run, Stage::Summarise).iter().map(text).collect();
    let [first, .., last] = &told[..] else { panic!("{told:?}") };
    assert_eq!(first, "[Nothing was found worth a sentence.]");
    assert_eq!(last.trim(), "We must keep port_8443 because staging needs it.");
}

#[test]
fn of_a_skill_that_was_loaded_again_the_newest_load_comes_back() {
    let mut story = Story::new(1);
    story.user("Look.");
    let body = |name: &str, load: usize| match name {
        "codex" => format!("<skill>\n<name>codex</name>\nLoad {load}.\n</skill>"),
        "said" => "Always the same words.".to_owned(),
        name => format!("Base directory for this skill: /w/{name}\n\nLoad {load}."),
    };
    for load in 0..24 {
        story.ask(None);
        story.answer("Yes.", &[]);
        for name in ["deploy", "codex", "review", "said"].into_iter().filter(|name| load % 3 == 0 || *name == "review")
        {
            story.block(BlockKind::Text, Layer::Skills, Role::User, "skill", &body(name, load), None);
        }
        story.user(&"word ".repeat(800));
    }
    story.ask(None);
    let by = ["summarise.on=true", "summarise.at=6000", "summarise.by=extractive", "summarise.target=200"];
    let run = run(&story.plan(100_000), &[&by[..], &["summarise.reinject_skills=true"]].concat());
    let events = stages(&run, Stage::Summarise);
    assert!(events.len() >= 3, "{events:?}");
    for event in events {
        let text = |id: &EntryId| entry_text(&story.transcript, &story.sources(), &run, *id).unwrap().unwrap();
        let back: Vec<String> = event.made.iter().skip(1).map(text).collect();
        // The newest of each that had come in, in the order in which they did.
        let newest = event.step as usize - 2;
        let third = newest - newest % 3;
        let mut wanted = vec![("deploy", third), ("codex", third), ("review", newest), ("said", third)];
        wanted.sort_by_key(|(_, load)| *load);
        let wanted: Vec<String> = wanted.into_iter().map(|(name, load)| body(name, load)).collect();
        assert_eq!(back, wanted, "before step {}", event.step);
    }
}

#[test]
fn the_listing_of_skills_is_none_that_was_loaded() {
    for label in ["skill_listing", "skills"] {
        let mut story = Story::new(1);
        story.user("Look.");
        story.block(BlockKind::Text, Layer::Skills, Role::User, label, "- deploy: how to deploy", None);
        story.block(BlockKind::Text, Layer::Skills, Role::User, "skill", "Deploy with care.", None);
        for _ in 0..10 {
            story.ask(None);
            story.answer("Yes.", &[]);
            story.user(&"word ".repeat(800));
        }
        story.ask(None);
        let back = |layers: &str| {
            let layers = format!("summarise.keep_layers={layers}");
            let by = ["summarise.on=true", "summarise.at=6000", "summarise.by=extractive", "summarise.target=200"];
            let run = run(&story.plan(100_000), &[&by[..], &["summarise.reinject_skills=true", &layers]].concat());
            let event = stages(&run, Stage::Summarise)[0].clone();
            let window = run.window(event.step);
            let of = |id: &EntryId| run.entry(*id).filter(|entry| entry.layer == Layer::Skills);
            window.iter().filter_map(of).map(|entry| entry.label.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(back("system"), ["skill"], "{label} goes with its layer");
        assert_eq!(back("system,skills"), [label, "skill"], "and stays with it");
    }
}

#[test]
fn files_and_skills_that_a_tool_read_come_back_after_every_summary() {
    let mut story = Story::new(1);
    story.user("Look.");
    story.ask(None);
    let notes = "A line of notes.\n".repeat(100);
    story.answer("Looking.", &[("Read", "{\"file_path\": \"notes.txt\"}", &notes)]);
    story.block(BlockKind::Text, Layer::Skills, Role::User, "skill one", "Do it with care.", None);
    for _ in 0..24 {
        story.user(&"word ".repeat(800));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story.ask(None);
    let plan = story.plan(100_000);
    for (limit, size, fate) in [(5_000, 425, Fate::Verbatim), (100, 100, Fate::Truncated)] {
        let limit = format!("summarise.reinject_file_tokens={limit}");
        let by = ["summarise.on=true", "summarise.at=6000", "summarise.by=extractive", "summarise.target=200"];
        let back = ["summarise.reinject_files=1", "summarise.reinject_skills=true", &limit];
        let run = run(&plan, &[&by[..], &back].concat());
        let events = stages(&run, Stage::Summarise);
        assert!(events.len() >= 3, "{events:?}");
        for event in events {
            let made: Vec<&Entry> = event.made.iter().skip(1).filter_map(|id| run.entry(*id)).collect();
            let told: Vec<_> = made.iter().map(|entry| (entry.layer, entry.tokens, entry.fate)).collect();
            let wanted = [(Layer::Files, size, fate), (Layer::Skills, 4, Fate::Verbatim)];
            assert_eq!(told, wanted, "before step {}", event.step);
            let text = entry_text(&story.transcript, &story.sources(), &run, event.made[1]).unwrap().unwrap();
            assert_eq!(text, notes[..text.len()], "before step {}", event.step);
        }
    }
}

#[test]
fn a_file_that_is_too_large_to_come_back_is_named_once() {
    let mut story = Story::new(1);
    story.user("Look.");
    story.ask(None);
    let notes = "A line of notes.\n".repeat(100);
    story.answer("Looking.", &[("Read", "{\"file_path\": \"small.txt\"}", "A line.\n")]);
    story.ask(None);
    story.answer("And this.", &[("Read", "{\"file_path\": \"notes.txt\"}", &notes)]);
    for _ in 0..24 {
        story.user(&"word ".repeat(800));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story.ask(None);
    let plan = story.plan(100_000);
    let by = ["summarise.on=true", "summarise.at=6000", "summarise.by=extractive", "summarise.target=200"];
    let back = |more: &[&str], given: &Given| -> Vec<Vec<(u64, Fate)>> {
        let run = simulate(&plan, &policy(&[&by[..], &["summarise.reinject_file_over=name"], more].concat()), given);
        let events = stages(&run, Stage::Summarise);
        assert!(events.len() >= 3, "{events:?}");
        let made = |event: &&Event| -> Vec<Entry> {
            event.made.iter().skip(1).filter_map(|id| run.entry(*id)).cloned().collect()
        };
        let told = |entry: &Entry| {
            if let [Made::Text(name), Made::Written(words @ Written::Named { .. })] = &entry.content[..] {
                assert_eq!(name, "notes.txt\n");
                let size = if given.prepared.is_empty() { "425 tokens" } else { "40 tokens" };
                assert!(words.text(&run).contains(size), "{}", words.text(&run));
                assert_eq!((entry.layer, &*entry.label), (Layer::Files, "notes.txt"));
            }
            (entry.tokens, entry.fate)
        };
        events.iter().map(|event| made(event).iter().map(told).collect()).collect()
    };
    let none = Given::default();
    let small = back(&["summarise.reinject_files=2", "summarise.reinject_file_tokens=100"], &none);
    let named = windowpane::tokens::count("notes.txt\n", Encoding::Estimate) + Written::Named { tokens: 425 }.tokens();
    assert_eq!(small[0], [(2, Fate::Verbatim), (named, Fate::Virtual)]);
    assert!(
        small[1..].iter().all(|back| *back == [(2, Fate::Verbatim)]),
        "a line that names a file is none: {small:?}"
    );
    let newest = back(&["summarise.reinject_files=1", "summarise.reinject_file_tokens=100"], &none);
    assert_eq!(newest[0], [(named, Fate::Virtual)], "it is one of the newest all the same");
    let whole = back(&["summarise.reinject_files=1", "summarise.reinject_file_tokens=425"], &none);
    assert!(whole.iter().all(|back| *back == [(425, Fate::Verbatim)]), "{whole:?}");
    // Passages of one document are one file.
    let text = "Line of notes.\n".repeat(100);
    let given = Given { prepared: attached(5, &text, 4), ..Given::default() };
    let passages = back(&["summarise.reinject_files=1", "summarise.reinject_file_tokens=3"], &given);
    assert_eq!(passages[0], [(named, Fate::Virtual)]);
    // What was read in part does not come back.
    let mut story = Story::new(1);
    story.user("Look.");
    for part in ["", ", \"offset\": 40, \"limit\": 3"] {
        story.ask(None);
        story
            .answer("Looking.", &[("Read", &format!("{{\"file_path\": \"f{}.txt\"{part}}}", part.len()), "A line.\n")]);
    }
    for _ in 0..12 {
        story.user(&"word ".repeat(800));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story.ask(None);
    let run = run(&story.plan(100_000), &[&by[..], &["summarise.reinject_files=2"]].concat());
    let back =
        stages(&run, Stage::Summarise)[0].made.iter().skip(1).filter_map(|id| run.entry(*id)).map(|one| &*one.label);
    assert_eq!(back.collect::<Vec<_>>(), ["f0.txt"]);
}

#[test]
fn a_call_that_is_the_conversation_itself_sends_all_of_it_and_reads_what_the_cache_holds() {
    let plan = long_result().plan(100_000);
    let told = |whole: &str| {
        let whole = format!("summarise.whole_window={whole}");
        let sets = ["summarise.on=true", "summarise.at=9000", "summarise.target=600", "cache.mode=explicit"];
        let run = run(&plan, &[&sets[..], &[&whole]].concat());
        let event = stages(&run, Stage::Summarise)[0].clone();
        let before = run.totals[event.step as usize - 2].used();
        (event.call.unwrap(), event.tokens_before.unwrap(), before)
    };
    let (call, size, before) = told("true");
    assert_eq!((call.input, call.cache_read + call.cache_write), (0, size));
    assert_eq!(call.cache_read, before, "all of the request before");
    let (call, size, _) = told("false");
    assert_eq!((call.cache_read, call.cache_write), (0, 0));
    assert!(call.input > 0 && call.input <= size);
}
