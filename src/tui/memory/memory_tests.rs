//! The memory view by keys: a session that contradicts itself, repeats itself and is compacted.

use std::sync::Arc;

use super::{Known, Tab};
use crate::config::{Context, Theme};
use crate::engine::{LeftOut, Recall, Remembered};
use crate::inquiry::Memories;
use crate::memory::{Earlier, Edge, EdgeKind, How, Ingested, Memory, MemoryId, Owners, Space, Store};
use crate::model::Stage as Acts;
use crate::policy::{self, Scope};
use crate::tui::pages::Page;
use crate::tui::tests::Stage;
use crate::tui::tests::screens::{picture, probe};
use crate::tui::tests::session::{HOSTILE, answer, text, user};

/// What is said, over and over: facts, a denial, questions, and what would steer a terminal.
fn session() -> Vec<u8> {
    let asked = [
        "My name is Ops. Remember that the staging server listens on port 8443.".to_owned(),
        "Which port does the staging server listen on?".to_owned(),
        "The staging server does not listen on port 8443. It was moved yesterday.".to_owned(),
        format!("I prefer pytest for tests {HOSTILE}"),
        "The release is built with make release on the host build-07, and takes 14 minutes.".to_owned(),
        "The release is built with make release on the host build-07 and takes 14 minutes. With tests.".to_owned(),
        "The release is built with make release on the host build-07, and takes 14 minutes.".to_owned(),
        "Which port does the staging server use, and how is the release built?".to_owned(),
        "Where does the staging server listen?".to_owned(),
    ];
    let mut records = Vec::new();
    let mut before = String::new();
    for (number, asked) in asked.iter().enumerate() {
        let (mine, theirs) = (format!("u{number}"), format!("a{number}"));
        records.push(user(&mine, &before, asked.as_str()));
        let said = format!("I looked at that, and there is nothing else to say about number {number}. ").repeat(3);
        records.push(answer(&theirs, &mine, serde_json::json!([text(&said)]), 20_000 + number as u64 * 100));
        before = theirs;
    }
    records.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect()
}

const SETTINGS: &[&str] = &[
    "memory.ingest_layers=[\"user\"]",
    "memory.min_score=0.15",
    "memory.max_items=3",
    "memory.interval=4",
    "memory.skip_present=false",
    "memory.similar_at=40%",
    "memory.contradict_at=40%",
    "summarise.at=260",
    "summarise.target=60",
];

fn replay(size: (u16, u16)) -> Stage {
    Stage::replaying(session(), "memory-harness", SETTINGS, size)
}

fn shows(stage: &Stage, words: &str) -> bool {
    stage.rows().iter().any(|row| row.contains(words))
}

fn page(stage: &Stage) -> &super::MemoryView {
    &stage.state.session().expect("a session").pages.memory
}

#[test]
fn the_recorded_track_says_what_turns_a_memory_on_and_enter_does() {
    let mut stage = Stage::open(120, 36);
    stage.press("m");
    assert!(shows(&stage, "recorded track") && shows(&stage, "memory.on = true") && shows(&stage, "memory-harness"));
    // Nothing is there to be walked through, to be sorted or to be found.
    assert!(!shows(&stage, "w walk") && !shows(&stage, "s sort") && shows(&stage, "Enter open"));
    stage.press("enter");
    let memories = page(&stage).memories().expect("memories");
    assert!(shows(&stage, "w walk") && shows(&stage, "s sort"));
    assert!(memories.store.len() > 2 && memories.settings.on);
    assert_eq!(stage.state.context(), Context::Memory);
    assert!(shows(&stage, "fix-login.jsonl:") && shows(&stage, "live"));
    // Switched off again there is nothing, on a replay too.
    let mut off = Stage::replaying(session(), "none", &[], (120, 36));
    off.press("m");
    assert!(matches!(page(&off).known, Known::Off) && shows(&off, "memory.on = false"));
}

#[test]
fn memories_are_sought_while_one_types_sorted_and_led_back_to_their_text() {
    let mut stage = replay((120, 36));
    stage.press("m");
    let all = page(&stage).rows.len();
    stage.press("/ text:port_8443");
    let found = page(&stage).rows.len();
    assert!(found > 0 && found < all, "{found} of {all}");
    stage.press("esc");
    assert_eq!(page(&stage).rows.len(), all);
    stage.press("/ text:port_8443 enter");
    assert!(shows(&stage, "/port 8443") && page(&stage).rows.len() == found);
    let first = page(&stage).rows[0];
    stage.press("s s");
    assert_eq!(page(&stage).order, super::Order::Uses);
    let uses = |id: &MemoryId| page(&stage).memories().unwrap().store.state(*id).uses;
    assert!(page(&stage).rows.windows(2).all(|pair| uses(&pair[0]) >= uses(&pair[1])));
    let at = page(&stage).rows.iter().position(|id| *id == first).unwrap();
    assert!(at < found);
    let (tab, step) = (page(&stage).tab, stage.state.view().unwrap().step);
    stage.press("o");
    assert_eq!(stage.state.session().unwrap().pages.page, Page::Main);
    assert!(shows(&stage, "8443"), "{:#?}", stage.rows());
    let view = stage.state.view().unwrap();
    let layer = view.selected.and_then(|id| view.index.run().entry(id)).map(|entry| entry.layer);
    assert_eq!(layer, Some(crate::model::Layer::User), "the text itself, not what stands for it");
    stage.press("esc");
    let session = stage.state.session().unwrap();
    assert_eq!((session.pages.page, page(&stage).tab), (Page::Memory, tab));
    assert_eq!((stage.state.view().unwrap().step, page(&stage).rows.len()), (step, found));
}

#[test]
fn the_graph_is_walked_and_walked_back() {
    let mut stage = replay((120, 36));
    stage.press("m n w");
    assert_eq!(stage.state.context(), Context::Graph);
    let start = page(&stage).selected;
    let links = page(&stage).memories().unwrap().graph.links(start.unwrap()).to_vec();
    assert!(!links.is_empty(), "n goes to a memory that has a neighbour");
    assert!(shows(&stage, links[0].tie.name()) && shows(&stage, "━▶"));
    stage.press("right");
    assert_eq!((page(&stage).selected, page(&stage).trail.len()), (Some(links[0].to), 1));
    stage.press("enter left");
    assert_eq!(page(&stage).selected, Some(links[0].to));
    stage.press("esc");
    assert_eq!((page(&stage).selected, page(&stage).trail.len()), (start, 0));
    // Without a way back, Esc leaves the view.
    stage.press("esc");
    assert_eq!(stage.state.session().unwrap().pages.page, Page::Main);
}

#[test]
fn memories_are_sought_in_the_graph_too() {
    let mut stage = replay((120, 36));
    stage.press("m n w");
    let start = page(&stage).selected;
    let text = |stage: &Stage| {
        let (page, id) = (page(stage), page(stage).selected.unwrap());
        page.memories().unwrap().store.get(id).unwrap().text.clone()
    };
    let holds = |stage: &Stage| text(stage).contains("pytest");
    assert!(!holds(&stage));
    stage.press("/ text:pytest");
    assert!(holds(&stage) && page(&stage).selected != start);
    stage.press("enter");
    assert!(holds(&stage) && shows(&stage, "/pytest") && stage.state.context() == Context::Graph);
    stage.press("esc");
    assert!(holds(&stage) && page(&stage).filter.is_empty());
    let before = page(&stage).selected;
    stage.press("/ text:nowhere enter");
    assert!(shows(&stage, "No memory holds \"nowhere\"") && page(&stage).selected == before);
}

#[test]
fn every_candidate_of_a_pack_says_why_it_was_taken_or_left() {
    let mut stage = replay((200, 60));
    stage.press("m tab tab");
    let (at, asked, packed) = page(&stage).memories().unwrap().pack.clone().expect("a pack");
    assert!(packed.lines.len() == 3 && packed.candidates.len() > 3, "{packed:?}");
    for words in [format!("packed at step {at}"), asked.chars().take(30).collect(), "3 are better".to_owned()] {
        assert!(shows(&stage, &words), "{words}");
    }
    assert!(shows(&stage, "taken as [1]"));
    stage.press("end");
    assert!(shows(&stage, "memory.max_items") || shows(&stage, "memory.min_score"), "{:#?}", stage.rows());
    // An earlier step has its own pack.
    stage.press("0");
    let pack = page(&stage).memories().unwrap().pack.as_ref().map_or(0, |(step, ..)| *step);
    assert!(pack <= 1);
}

#[test]
fn what_happened_is_told_with_phrases_and_merges() {
    let mut stage = replay((200, 60));
    stage.press("m tab tab tab s");
    assert!(shows(&stage, "by “remember that”") || shows(&stage, "by “my name is”"), "{:#?}", stage.rows());
    assert!(shows(&stage, "reconcile") && shows(&stage, "promoted"));
    stage.press("s");
    assert!(shows(&stage, "ingest"));
    let events = page(&stage).memories().unwrap().happened.clone();
    assert!(events.windows(2).all(|pair| (pair[0].step, pair[0].by) >= (pair[1].step, pair[1].by)));
    // A fold opens, and a deed leads to its text.
    let folded = page(&stage).event_rows.len();
    stage.press("G k space");
    assert!(page(&stage).event_rows.len() > folded);
    stage.press("j enter");
    assert_eq!(stage.state.session().unwrap().pages.page, Page::Main);
}

#[test]
fn a_summary_is_held_against_what_it_stands_for_on_either_track() {
    let mut stage = replay((120, 36));
    stage.press("m shift-tab shift-tab");
    assert_eq!(page(&stage).tab, Tab::Summary);
    let found = page(&stage).summary().expect("a summary").clone();
    assert!(
        found.sentences.iter().all(|one| one.support == crate::memory::Support::Stands),
        "its sentences are those of the texts"
    );
    assert!(shows(&stage, "in its own words") && shows(&stage, "stand in this sentence"));
    stage.press("tab");
    assert!(shows(&stage, "lost") && page(&stage).fact().is_some());
    let mut recorded = Stage::open(120, 36);
    recorded.press("} m tab tab tab tab");
    let found = page(&recorded).summary().expect("the recorded summary").clone();
    assert!(found.sentences.len() == 1 && found.of_tokens > 0, "{found:?}");
    // Where none stands there is a word on where to find one.
    recorded.press("0");
    assert!(shows(&recorded, "No summary stands") && shows(&recorded, "go there"));
}

#[test]
fn every_part_is_drawn_at_every_size_in_every_theme() {
    let themes = ["dark", "light", "high-contrast", "no-color"].map(|name| Theme::shipped(name).unwrap());
    let mut stage = replay((120, 36));
    stage.press("m n");
    for _ in Tab::ALL {
        for (width, height) in [(1, 1), (20, 5), (30, 9), (40, 10), (60, 18), (80, 24), (120, 36), (200, 60)] {
            stage.resize(width, height);
            for theme in &themes {
                stage.state.theme = theme.clone();
                let text = stage.rows().concat();
                assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{width}×{height}");
            }
        }
        stage.resize(120, 36);
        assert!(shows(&stage, page(&stage).tab.name()));
        stage.press("tab");
    }
}

#[test]
fn screens_of_the_memory_view_look_as_they_did() {
    for (width, height) in [(80, 24), (120, 36), (40, 12)] {
        let tabs = ["memories", "graph", "packed", "events", "summary", "facts"];
        let mut stage = replay((width, height));
        stage.state.theme = probe();
        stage.press("m n");
        for name in tabs {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), picture(&stage));
            stage.press("tab");
        }
    }
}

/// The memory view over a store of its own.
fn over(store: &Store, left_out: Vec<LeftOut>) -> Stage {
    let recall = Recall {
        owners: Owners::default(),
        seed: store.clone(),
        coming: Vec::new(),
        edges: Vec::new(),
        report: Ingested::default(),
        facts: Arc::default(),
        queries: Arc::default(),
        item_of: <_>::default(),
        pieces_of: std::collections::HashMap::new(),
        lines_of: <_>::default(),
        loose: <_>::default(),
        said_again: <_>::default(),
        cut_off: false,
        left_out,
        counted: Arc::default(),
    };
    let remembered = Remembered::over(store);
    let memories = Arc::new(Memories::of(Arc::new(recall), remembered, &policy::Memory::default(), 3));
    let mut stage = replay((200, 60));
    stage.press("m");
    let view = stage.state.view().unwrap();
    let (of, step) = (view.numbering(), view.step);
    stage.tell(crate::tui::message::Message::Remembered(of, step, Known::There(memories)));
    stage
}

#[test]
fn a_memory_of_an_earlier_session_says_in_which_file_it_stood() {
    let mut store = Store::new(Space { name: Arc::from("none"), length: 1 });
    let earlier = Earlier { source: Arc::from(format!("old/s1{HOSTILE}.json")), bytes: Some([62, 121]) };
    let memory = Memory {
        scope: Scope::User,
        owner: Arc::from("me"),
        source_type: Arc::from("document"),
        text: Arc::from("The vault code is K-7741."),
        around: None,
        rewritten: false,
        origins: Vec::new(),
        earlier: vec![earlier],
        born: 0,
        how: How::Ingested,
    };
    store.push(memory, &[1.0]);
    let mut stage = over(&store, Vec::new());
    assert!(shows(&stage, "there before the session"), "{:#?}", stage.rows());
    assert!(shows(&stage, ".json @62–121 · of an earlier session"), "{:#?}", stage.rows());
    stage.press("enter");
    assert!(shows(&stage, "this is of an earlier session: old/s1"), "{:#?}", stage.rows());
}

#[test]
fn only_rows_in_sight_are_looked_at_where_there_are_very_many() {
    let mut store = Store::new(Space { name: Arc::from("none"), length: 1 });
    for number in 0..100_000u32 {
        let memory = Memory {
            scope: Scope::User,
            owner: Arc::from("me"),
            source_type: Arc::from("document"),
            text: Arc::from(format!("What is said of number {number}, at some length, so that a row is full of it.")),
            around: None,
            rewritten: false,
            origins: Vec::new(),
            earlier: Vec::new(),
            born: 1,
            how: How::Ingested,
        };
        store.push(memory, &[1.0]);
        if number % 2 == 1 {
            let (from, to) = (MemoryId(number), MemoryId(number - 1));
            store.link(Edge { from, to, kind: EdgeKind::Contradicts, score: 0.9 });
        }
    }
    let mut stage = over(&store, vec![LeftOut { name: "large.txt".into(), taken: 5, of: 9 }]);
    assert_eq!(page(&stage).rows.len(), 100_000);
    let said = "of large.txt the first 5 of 9 bytes became memories";
    assert!(stage.rows().iter().any(|row| row.contains(said)), "{:?}", stage.rows());
    stage.press("/ text:99_999");
    let begun = std::time::Instant::now();
    stage.press("esc s s s");
    for _ in 0..20 {
        stage.press("j pgdn");
        stage.draw();
    }
    stage.press("w right tab");
    stage.draw();
    // A screen's work, not a hundred thousand rows'; this build is slow and the machine shared.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn events_of_memories_are_gone_to() {
    let mut stage = replay((120, 36));
    stage.press("0 m ]");
    let view = stage.state.view().unwrap();
    let run = view.index.run();
    let here = |event: &crate::model::Event| matches!(event.stage, Acts::Pack | Acts::Preserve | Acts::Reconcile);
    assert!(run.events_at(view.step).any(|(_, event)| here(event)), "step {}", view.step);
}
