//! What the screens say of the built-in example is true of it.

use super::testing::world;
use crate::model::Run;
use crate::present::diagnose;

fn run(of: &super::testing::World) -> std::sync::Arc<Run> {
    std::sync::Arc::clone(of.state.view().expect("a view").index.run())
}

#[test]
fn what_came_in_behind_a_compaction_was_not_given_to_it() {
    let one = world("step=41,view=compaction");
    let run = run(&one);
    let (_, event) = run.events_at(41).find(|(_, event)| event.compacts()).expect("a compaction");
    let page = &one.state.session().expect("a session").pages.compaction;
    assert_eq!(page.pairs.before.0 as usize, event.took.len(), "given");
    let row = page.pipeline.iter().flat_map(|line| &line.stages).find(|row| row.stage == event.stage).expect("a row");
    assert_eq!(row.behind, page.pairs.after.0 as usize - event.made.len(), "files and instructions are read again");
    // What it was given is about what the agent measured.
    let (given, measured) = (row.tokens().0, event.measured.expect("a figure"));
    assert!(given.abs_diff(measured) * 50 < measured, "{given} given, {measured} measured");
}

#[test]
fn where_nothing_was_decided_the_nearest_decision_is_shown_and_back_leads_back() {
    let mut one = world("step=30");
    one.press("c");
    assert_eq!(one.step(), 41);
    assert!(one.shows("the decision nearest to step 30"), "it says that it went there");
    one.press("right left");
    assert!(!one.shows("nearest to step"));
    one.press("0");
    // On the other track another decision may be the nearest, once there is one.
    let mut one = world("step=30");
    one.press("c R");
    assert!(one.shows("the decision nearest to step 30"));
    let session = one.state.session().expect("a session");
    let view = session.view.as_ref().expect("a view");
    assert!(view.is_simulated() && view.index.marks(view.step).acts(), "step {}", view.step);
    let mut one = world("step=30");
    one.press("c c");
    assert_eq!(one.step(), 30);
    one.press("c esc");
    assert_eq!(one.step(), 30);
    // Whoever moved stays where they are.
    one.press("c right c");
    assert_eq!(one.step(), 42);
    one.press("c right left");
    let there = one.step();
    one.press("c");
    assert_eq!(one.step(), there);
}

#[test]
fn the_example_measures_what_its_windows_hold() {
    let run = run(&world(""));
    for event in run.events.iter().filter(|event| event.compacts()) {
        let before = run.totals[event.step as usize - 2].used();
        let passing: u64 = (event.took.iter().filter_map(|id| run.entry(*id)))
            .filter(|entry| entry.lives.iter().all(|life| life.born == event.step))
            .map(|entry| entry.tokens)
            .sum();
        assert!(event.measured.is_some_and(|measured| measured >= before + passing), "step {}", event.step);
    }
}

#[test]
fn while_counts_are_estimates_only_what_was_recorded_is_said() {
    let run = run(&world(""));
    let said = |run: &Run| diagnose(run, None).into_iter().map(|clause| clause.text).collect::<Vec<_>>().join("; ");
    assert!(said(&run).contains("of its fullest window"), "{}", said(&run));
    let counting = Run { provisional: true, ..(*run).clone() };
    let sure = said(&counting);
    assert!(sure.contains("compacted twice") && !sure.contains("fullest window"), "{sure}");
}

#[test]
fn figures_are_seen_against_the_preset_that_they_are_changed_from() {
    let mut one = world("view=tune");
    let of = |one: &super::testing::World| {
        let session = one.state.session().expect("a session");
        super::act::against(session).map(|(word, found)| (word, *found))
    };
    let mine = of(&one);
    assert!(mine.is_some_and(|(word, _)| word == "preset"));
    one.press("left");
    assert_eq!(of(&one), mine);
    // Another preset and back, to the change of the first; and there again.
    one.press("p down down enter");
    let other = of(&one);
    assert!(one.pages().draft.changes() == 0 && other.is_some() && other != mine);
    one.press("u");
    assert_eq!((one.pages().draft.changes(), of(&one)), (1, mine));
    one.press("U");
    assert_eq!((one.pages().draft.changes(), of(&one)), (0, other));
    one.press("u u");
    assert_eq!((one.pages().draft.changes(), of(&one)), (0, mine));
}

#[test]
fn a_threshold_that_no_window_comes_near_is_no_sign() {
    for (policy, is_near) in [("five-layer", true), ("openhands", false)] {
        let side = world(&format!("step=30,view=compare,left={policy},right={policy}"));
        assert_eq!(side.shows("compacts at"), is_near, "{policy}");
    }
}

#[test]
fn what_is_gone_is_told_where_nothing_stands_beside_it() {
    let mut one = world("step=41,view=compaction");
    let rows = |one: &super::testing::World| one.pages().compaction.pairs.rows.clone();
    let run = run(&one);
    let left = rows(&one).into_iter().filter_map(|row| row.left?.entry());
    let gone: Vec<_> = left.filter(|id| run.entry(*id).is_some_and(|entry| entry.life_at(41).is_none())).collect();
    assert!(gone.len() > 40);
    one.press("tab end");
    assert!(one.shows(&format!("{} pieces gone · ", gone.len())), "{:#?}", one.screen());
    assert!(one.shows("tool results") && one.shows("the largest of them"), "{:#?}", one.screen());
    let largest = gone.iter().filter_map(|id| run.entry(*id)).map(|entry| entry.tokens).max().expect("a piece");
    assert!(one.shows(&crate::present::count(largest)));
    // Where the summary stands beside it, the summary is seen.
    one.press("home");
    assert!(!one.shows("pieces gone"), "{:#?}", one.screen());
}

#[test]
fn what_stayed_is_seen_as_far_as_there_is_room() {
    let mut one = world("step=3,view=compare");
    let (rows, height) = (one.pages().compare.diff.rows.len(), 15);
    assert!(rows > 0 && rows < height && !one.shows("pieces alike"), "all of it has room: {:#?}", one.screen());
    one.press("$");
    let shown = one.pages().compare.diff.rows.len();
    one.press("space");
    let all = one.pages().compare.diff.rows.len();
    one.press("space");
    assert_eq!(one.pages().compare.diff.rows.len(), shown, "folded again");
    assert!(shown <= all);
}
