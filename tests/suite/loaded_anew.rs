//! What a compaction takes and an agent loads anew: rules that paths call in.

use windowpane::engine::{Given, Prepared, simulate};
use windowpane::model::*;

use crate::replayed::{policy, run, stages};
use crate::story::Story;

const RULE: &str = "Write tests for all that is parsed.";
const READ: [&str; 2] = [r#"{"file_path": "src/parse.rs"}"#, r#"{"file_path": "notes.md"}"#];
/// Each read is of 1,000 tokens: a summary is due at every fourth.
const COMPACTS: &[&str] = &[
    "summarise.on=true",
    "summarise.at=3500",
    "summarise.by=extractive",
    "summarise.target=100",
    "summarise.keep_layers=system",
];

/// A session that reads one of two files before each request but the first.
struct Reads(Story);

impl Reads {
    fn new() -> Reads {
        let mut story = Story::new(1);
        story.system("You are an agent.");
        story.user("Go on.");
        story.ask(None);
        Reads(story)
    }

    fn read(&mut self, file: usize) -> &mut Self {
        self.0.answer("I look.", &[("Read", READ[file], &"r".repeat(4_000))]);
        self
    }

    fn rule(&mut self) -> &mut Self {
        self.0.attach(Layer::Instructions, ".claude/rules/tests.md", RULE);
        self
    }

    fn ask(&mut self) -> &mut Self {
        self.0.ask(None);
        self
    }

    /// The steps at which the rule comes into the window and leaves it.
    fn rule_stands(&self, settings: &[&str]) -> Vec<(u32, Option<u32>)> {
        let run = run(&self.0.plan(100_000), settings);
        assert!(run.events.iter().all(|event| !event.sentence().contains('{')));
        let rules: Vec<&Entry> = run.entries.iter().filter(|entry| entry.layer == Layer::Instructions).collect();
        assert_eq!(rules.len(), 1, "one text, one entry");
        rules[0].lives.iter().map(|life| (life.born, life.died)).collect()
    }
}

/// The agent compacted before step 6, and loaded the rule again with a file that called it in no time before.
#[test]
fn what_the_agent_loads_anew_comes_in_again_where_a_compaction_has_taken_it() {
    let mut reads = Reads::new();
    reads.read(0).rule().ask().read(1).ask().read(1).ask().read(1).ask();
    reads.read(1).0.compact(0);
    reads.0.user("Go on.");
    reads.ask().read(1).rule().ask().read(1).ask();
    let compacts = [COMPACTS, &["summarise.at=4500"]].concat();
    assert_eq!(reads.rule_stands(&compacts), [(2, Some(6)), (7, None)]);
    assert_eq!(reads.rule_stands(&[]), [(2, None)], "where nothing was compacted it stands there still");
    let kept = [&compacts[..], &["summarise.keep_layers=system,instructions"]].concat();
    assert_eq!(reads.rule_stands(&kept), [(2, None)], "nor where the compaction leaves it");
    // What comes in counts as such.
    let run = run(&reads.0.plan(100_000), &compacts);
    let came = stages(&run, Stage::Admit).into_iter().find(|event| event.step == 7).unwrap();
    let rule = run.entries.iter().position(|entry| entry.layer == Layer::Instructions).unwrap();
    assert!(came.made.contains(&EntryId(rule as u32)), "{:?}", came.made);
}

/// The agent never compacted; the replay does before steps 5 and 9.
#[test]
fn a_rule_comes_in_again_when_the_file_is_read_that_called_it_in() {
    let mut reads = Reads::new();
    reads.read(0).rule().ask().read(1).ask().read(1).ask().read(1).ask();
    reads.read(1).ask().read(0).ask().read(1).ask().read(1).ask();
    let compactions: Vec<u32> =
        stages(&run(&reads.0.plan(100_000), COMPACTS), Stage::Summarise).iter().map(|event| event.step).collect();
    assert_eq!(compactions, [5, 9]);
    assert_eq!(reads.rule_stands(COMPACTS), [(2, Some(5)), (7, Some(9))]);
}

#[test]
fn a_history_that_goes_back_to_before_a_rule_was_loaded_anew_is_without_it() {
    let mut reads = Reads::new();
    reads.read(0).rule().ask();
    reads.0.answer("Done.", &[]);
    reads.0.user("Now the notes.");
    reads.ask().read(1).ask().read(1).ask().read(1).ask();
    reads.0.answer("Well.", &[]);
    reads.0.user("Look once more.");
    reads.ask().read(0).ask();
    reads.0.answer("Done.", &[]);
    assert_eq!(reads.rule_stands(COMPACTS), [(2, Some(6)), (8, None)]);
    // To before the newest prompt: the compaction stays, what was read behind it does not.
    reads.0.rewind(1);
    reads.0.user("No, go on.");
    assert_eq!(reads.ask().rule_stands(COMPACTS), [(2, Some(6)), (8, Some(9))]);
    // To before the compaction: the rule stands where it stood.
    reads.0.answer("Done.", &[]);
    reads.0.rewind(2);
    reads.0.user("No notes.");
    assert_eq!(reads.ask().rule_stands(COMPACTS), [(2, Some(6)), (8, Some(9)), (10, None)]);
}

#[test]
fn a_rule_of_the_project_comes_in_again_when_a_path_of_it_is_touched() {
    let mut reads = Reads::new();
    for _ in 0..7 {
        reads.read(1).ask();
    }
    let whole = Prepared::whole(2, Layer::Instructions, "tests.md", Made::Text(RULE.into()).into(), 9);
    let rule = Prepared { anew: [3, 6, 8].into(), ..whole };
    let given = Given { prepared: vec![rule], ..Given::default() };
    let run = simulate(&reads.0.plan(100_000), &policy(COMPACTS), &given);
    let rules: Vec<&Entry> = run.entries.iter().filter(|entry| entry.layer == Layer::Instructions).collect();
    let lives: Vec<_> = rules.iter().flat_map(|rule| &rule.lives).map(|life| (life.born, life.died)).collect();
    assert_eq!(lives, [(2, Some(5)), (6, None)], "at steps 3 and 8 it stands there");
}

/// How many notices stand in the window of a step.
fn notices(run: &Run, step: u32) -> usize {
    run.window(step).iter().filter(|id| run.entry(**id).unwrap().layer == Layer::Notices).count()
}

#[test]
fn what_was_told_or_called_in_on_a_branch_leaves_with_it() {
    let mut reads = Reads::new();
    reads.0.answer("Done.", &[]);
    reads.0.user("Read it.");
    reads.ask().read(0).ask();
    reads.0.answer("Read.", &[]);
    reads.0.rewind(1);
    reads.0.user("No, something else.");
    reads.ask().read(0).ask();
    let whole = Prepared::whole(3, Layer::Instructions, "tests.md", Made::Text(RULE.into()).into(), 9);
    let given = Given { prepared: vec![Prepared { anew: [5].into(), ..whole }], ..Given::default() };
    for (keep, standing) in [("all", [1, 2, 3, 2, 3]), ("last", [1; 5])] {
        let policy = policy(&["notice.on=true", &format!("notice.keep={keep}")]);
        let run = simulate(&reads.0.plan(100_000), &policy, &given);
        let rule = run.entries.iter().find(|entry| entry.layer == Layer::Instructions).unwrap();
        let lives: Vec<_> = rule.lives.iter().map(|life| (life.born, life.died)).collect();
        assert_eq!(lives, [(3, Some(4)), (5, None)], "it comes in again where it is called in again");
        assert_eq!((1..=5).map(|step| notices(&run, step)).collect::<Vec<_>>(), standing, "{keep}");
    }
}

#[test]
fn where_one_notice_stands_a_compaction_that_is_undone_brings_none_back() {
    let mut reads = Reads::new();
    for _ in 0..5 {
        reads.0.answer("Done.", &[]);
        reads.0.user("On.");
        reads.ask().read(1).ask();
    }
    reads.0.answer("Done.", &[]);
    reads.0.rewind(4);
    reads.0.user("Or else.");
    reads.ask();
    let run = run(&reads.0.plan(100_000), &[COMPACTS, &["notice.on=true", "notice.keep=last"]].concat());
    let (steps, compacted) = (run.steps.len() as u32, stages(&run, Stage::Summarise).len());
    assert_eq!(compacted, 1);
    assert_eq!((1..=steps).map(|step| notices(&run, step)).collect::<Vec<_>>(), vec![1; steps as usize]);
}
