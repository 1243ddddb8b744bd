//! Memories in a replay: packed when their text is gone, preserved before a compaction, reconciled at their interval.

use std::collections::BTreeSet;
use std::sync::Arc;

use windowpane::content::{Sources, Watch};
use windowpane::engine::{Embedding, Given, Plan, Prepared, Recall, Remembered, embed_words, simulate_remembering};
use windowpane::export::entry_text;
use windowpane::memory::{How, MemoryId, Owners, Space, Store, Why};
use windowpane::model::*;
use windowpane::policy::{Policy, Scope, preset, set};

use crate::story::Story;

fn policy(settings: &[&str]) -> Policy {
    let (mut policy, _) = preset("memory-harness", None).unwrap();
    set(&mut policy, "memory.signals=remember that").unwrap();
    for setting in settings {
        set(&mut policy, setting).unwrap();
    }
    policy
}

pub fn recall(story: &Story, plan: &Plan, policy: &Policy) -> Arc<Recall> {
    recall_with(story, (plan, &[]), policy)
}

fn recall_with(story: &Story, of: (&Plan, &[Prepared]), policy: &Policy) -> Arc<Recall> {
    recall_of((&story.transcript, &story.sources()), of, policy)
}

/// What is remembered of texts, whose likeness their words tell.
pub fn recall_of(texts: (&Transcript, &Sources), of: (&Plan, &[Prepared]), policy: &Policy) -> Arc<Recall> {
    let owners = Owners { session: Arc::from("s"), user: Arc::from("u"), agent: Arc::from("a") };
    let space = Space::words();
    let embedding = Embedding { space: &space, embed: &embed_words, rewrite: &|_, _| None, before: None };
    let seed = Store::new(space.clone());
    Arc::new(Recall::read(of, texts, &policy.memory, owners, seed, embedding, &Watch::default()).unwrap())
}

/// A port is told early, much is said about other things, and it is asked for again.
fn story() -> Story {
    let mut story = Story::new(1);
    story.system("You help.");
    story.user("Remember that the staging server listens on port 8443. Now look at the parser.");
    for number in 0..12 {
        story.ask(None);
        let words = story.words(60);
        story.answer(&words, &[("Read", "{\"file_path\": \"src/a.rs\"}", &words)]);
        if number % 3 == 2 {
            let words = story.words(20);
            story.user(&words);
        }
    }
    story.ask(None);
    story.answer("Done.", &[]);
    story.user("Which port does the staging server listen on?");
    story.ask(None);
    story
}

pub fn run(settings: &[&str]) -> (Story, Plan, Run, Remembered) {
    let (story, policy) = (story(), policy(settings));
    let plan = story.plan(1_500);
    let given = Given { recall: Some(recall(&story, &plan, &policy)), ..Given::default() };
    let (run, remembered) = simulate_remembering(&plan, &policy, &given, u32::MAX, &Watch::default()).unwrap();
    (story, plan, run, remembered)
}

fn events(run: &Run, stage: Stage) -> Vec<&Event> {
    run.events.iter().filter(|event| event.stage == stage).collect()
}

#[test]
fn a_replay_of_memories_ends_when_nobody_wants_it_any_more() {
    let (story, policy) = (story(), policy(&[]));
    let plan = story.plan(1_500);
    let watch = Watch::default();
    watch.cancel();
    assert!(simulate_remembering(&plan, &policy, &Given::default(), u32::MAX, &watch).is_none());
}

pub const SMALL: &[&str] = &["summarise.target=60", "summarise.by=truncate"];

#[test]
fn what_a_compaction_took_is_preserved_and_packed_when_it_is_asked_for() {
    let (story, _, run, remembered) = run(SMALL);
    let preserved = events(&run, Stage::Preserve);
    let summaries = events(&run, Stage::Summarise);
    assert_eq!(preserved[0].step, summaries[0].step);
    assert_eq!((preserved[0].measured, &*preserved[0].rule), (Some(1), "memory.preserve"));
    let told = "1 fact was preserved before the compaction; 0 were known already.";
    assert_eq!(preserved[0].sentence(), told);
    let fact = remembered.preserved[0].1[0];
    let memory = remembered.store.get(remembered.store.heir(fact)).unwrap();
    assert_eq!((&*memory.text, memory.how), ("Remember that the staging server listens on port 8443.", How::Preserved));
    let last = run.steps.len() as u32;
    let packed = run.window(last).into_iter().filter_map(|id| run.entry(id)).find(|entry| entry.layer == Layer::Memory);
    let packed = packed.expect("packed memories in the last window");
    assert_eq!(packed.fate, Fate::Remembered);
    let sources = story.sources();
    let words = |made: &Made| match made {
        Made::Part(block, from, to, _) => {
            let text = sources.body_text(&story.transcript.block(*block).unwrap().body).unwrap();
            text[*from as usize..*to as usize].to_owned()
        }
        Made::Text(words) => words.to_string(),
        other => panic!("{other:?}"),
    };
    let text: String = packed.content.iter().map(words).collect();
    assert!(text.starts_with("## Relevant Memory\n- [1] [") && text.contains("port 8443"), "{text}");
    let first = packed.from.iter().filter_map(|id| run.entry(*id)).any(|entry| entry.layer == Layer::User);
    assert!(first, "it says which entries it is from");
    let pack = *events(&run, Stage::Pack).last().unwrap();
    assert_eq!(pack.step, last);
    let told = "2 memories fit the newest question: 47 tokens of at most 225; 1 other was looked at.";
    assert_eq!(pack.sentence(), told);
}

#[test]
fn what_is_preserved_is_seen_by_whom_the_policy_says() {
    for (set, scope, owner) in [
        ("memory.preserve_scope=session", Scope::Session, "s"),
        ("memory.preserve_scope=user", Scope::User, "u"),
        ("memory.preserve_scope=agent", Scope::Agent, "a"),
    ] {
        // What is only preserved is of no other scope.
        let (.., remembered) = run(&[SMALL, &[set, "memory.scope=session"]].concat());
        let fact = remembered.preserved[0].1[0];
        let memory = remembered.store.get(fact).unwrap();
        assert_eq!((memory.scope, &*memory.owner, memory.how), (scope, owner, How::Preserved), "{set}");
    }
}

#[test]
fn what_is_ingested_is_of_the_kind_of_source_that_is_set() {
    let (.., remembered) = run(&[SMALL, &["memory.source_type=mail"]].concat());
    let of = |how| {
        let all = (0..).map_while(|id| remembered.store.get(MemoryId(id)));
        all.filter(|memory| memory.how == how).map(|memory| memory.source_type.to_string()).collect::<BTreeSet<_>>()
    };
    assert_eq!((of(How::Ingested), of(How::Preserved)), (["mail".into()].into(), ["conversation".into()].into()));
}

#[test]
fn what_stands_in_the_window_is_left_out_and_that_is_said() {
    let (_, _, run, remembered) = run(&["summarise.on=false"]);
    assert!(run.events.iter().all(|event| event.stage != Stage::Pack));
    let (_, words, packed) = remembered.packs.last().unwrap();
    assert_eq!(&**words, "Which port does the staging server listen on?");
    assert!(packed.candidates.iter().any(|one| one.why == Why::Present));
    let (_, _, run, _) = self::run(&["summarise.on=false", "memory.skip_present=false"]);
    assert!(!events(&run, Stage::Pack).is_empty());
}

#[test]
fn what_stands_in_a_summary_is_not_packed_as_well() {
    let settings = ["summarise.by=truncate", "summarise.target=300"];
    let (story, _, run, remembered) = run(&settings);
    let (step, _, packed) = remembered.packs.last().unwrap();
    let stands = |entry: &&Entry| entry.layer == Layer::Summaries && entry.life_at(*step).is_some();
    let at = run.entries.iter().position(|entry| stands(&entry)).unwrap();
    let text = entry_text(&story.transcript, &story.sources(), &run, EntryId(at as u32)).unwrap().unwrap();
    let is_in = |id| remembered.store.get(id).is_some_and(|memory| text.contains(&*memory.text));
    let present: Vec<_> = packed.candidates.iter().filter(|one| one.why == Why::Present && is_in(one.id)).collect();
    assert!(!present.is_empty(), "{text}");
    assert!(packed.taken().into_iter().all(|id| !is_in(id)));
}

#[test]
fn what_the_compaction_of_a_step_took_does_not_stand_in_its_window() {
    let (_, _, run, remembered) = run(&[SMALL, &["memory.min_score=0.1"]].concat());
    let compacts = |step: u32| run.events.iter().any(|event| event.step == step && event.compacts());
    let whys = |compacted: bool| {
        let packs = remembered.packs.iter().filter(move |(step, ..)| compacts(*step) == compacted);
        packs.flat_map(|(.., packed)| packed.candidates.iter().map(|one| one.why)).collect::<Vec<_>>()
    };
    assert!(whys(true).contains(&Why::Gone), "{:?}", whys(true));
    assert!(!whys(false).contains(&Why::Gone));
}

#[test]
fn nothing_is_packed_where_it_is_off_and_nothing_preserved_by_hand() {
    let off = run(&["memory.on=false", "summarise.target=60", "summarise.by=truncate"]);
    assert!(events(&off.2, Stage::Pack).is_empty());
    assert_eq!(events(&off.2, Stage::Preserve).len(), 1, "the summary's call still extracts facts");
    let by_hand = run(&["memory.preserve=manual", "summarise.target=60", "summarise.by=truncate"]);
    assert!(events(&by_hand.2, Stage::Preserve).is_empty());
    let with = run(&["memory.preserve=none", "summarise.target=60", "summarise.by=truncate"]);
    assert_eq!(&*events(&with.2, Stage::Preserve)[0].rule, "summarise.remember");
    let without = run(&["memory.preserve=none", "summarise.remember=false", "summarise.target=60"]);
    assert!(events(&without.2, Stage::Preserve).is_empty());
}

#[test]
fn packs_stand_before_the_conversation_or_at_the_end() {
    let place = |place: &str| {
        let (_, _, run, _) = run(&[SMALL[0], SMALL[1], &format!("memory.place={place}")]);
        let last = run.steps.len() as u32;
        let window: Vec<Layer> = run.window(last).into_iter().filter_map(|id| Some(run.entry(id)?.layer)).collect();
        (window.iter().position(|layer| *layer == Layer::Memory).unwrap(), window.len())
    };
    assert_eq!(place("front").0, 1, "after the system prompt");
    let (at, length) = place("end");
    assert!(at + 2 >= length, "{at} of {length}");
}

#[test]
fn reconciling_comes_every_so_many_turns() {
    let (_, _, run, remembered) = run(&["memory.interval=2", "memory.merge_at=0.3", SMALL[0], SMALL[1]]);
    let prompts = 6;
    assert_eq!(remembered.reconciled.len(), prompts / 2);
    assert!(!events(&run, Stage::Reconcile).is_empty());
    let (_, _, _, never) = self::run(&["memory.interval=2", "memory.reconcile=false"]);
    assert!(never.reconciled.is_empty());
}

/// A file comes in at the second step, as a block or as words; a compaction takes it; it is asked for.
fn run_with_file(as_block: bool) -> (Run, Remembered) {
    const TEXT: &str = "The kiln of the annex is fired at 1240 degrees.";
    let mut story = Story::new(7);
    let file = story.unsaid(BlockKind::Text, Layer::Files, Role::User, "kiln.md", TEXT, None);
    story.system("You help.");
    story.user("At how many degrees is the kiln of the annex fired?");
    for _ in 0..10 {
        story.ask(None);
        let words = story.words(80);
        story.answer(&words, &[]);
        let words = story.words(20);
        story.user(&words);
    }
    story.ask(None);
    story.answer("Done.", &[]);
    story.user("At how many degrees is the kiln of the annex fired?");
    story.ask(None);
    let content = if as_block { Made::Block(file) } else { Made::Text(TEXT.into()) };
    let piece = Prepared { file: 1, ..Prepared::whole(2, Layer::Files, "kiln.md", content.into(), 12) };
    let policy = policy(&[SMALL, &["memory.min_score=0.1"]].concat());
    let plan = story.plan(1_500);
    let prepared = vec![piece];
    let recall = recall_with(&story, (&plan, &prepared), &policy);
    let given = Given { recall: Some(recall), prepared, ..Given::default() };
    simulate_remembering(&plan, &policy, &given, u32::MAX, &Watch::default()).unwrap()
}

#[test]
fn an_attached_file_is_a_memory_from_its_step_on_and_packed_once_it_left_the_window() {
    let (run, remembered) = run_with_file(true);
    let (id, memory, _) = remembered.store.all().find(|(_, memory, _)| memory.text.contains("1240")).unwrap();
    assert_eq!((memory.born, memory.how), (2, How::Ingested));
    let whys: Vec<Why> = remembered
        .packs
        .iter()
        .filter_map(|(.., packed)| Some(packed.candidates.iter().find(|one| one.id == id)?.why))
        .collect();
    assert!(matches!(whys.last(), Some(Why::Taken(_))), "{whys:?}");
    let last = run.steps.len() as u32;
    let window = run.window(last);
    let packed = window.iter().filter_map(|id| run.entry(*id)).find(|entry| entry.layer == Layer::Memory).unwrap();
    let from: Vec<Layer> = packed.from.iter().filter_map(|id| Some(run.entry(*id)?.layer)).collect();
    assert!(from.contains(&Layer::Files), "{from:?}");
    let part = |made: &Made| matches!(made, Made::Part(block, 0, 47, false) if *block == BlockId(0));
    assert!(packed.content.iter().any(part), "{:?}", packed.content);
    // What stands in no block is the same memory at the same times.
    let (_, loose) = run_with_file(false);
    assert_eq!(loose.packs, remembered.packs);
    assert!(remembered.packs.iter().any(|(step, ..)| *step < last), "{:?}", remembered.packs.len());
}
