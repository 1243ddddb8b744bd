//! Replays of histories that went back: what left, what came back, and what nothing of it is put upon.

use windowpane::engine::{Given, simulate};
use windowpane::model::*;
use windowpane::policy::{Policy, set};
use windowpane::present::pairs;

use crate::replays::check;
use crate::story::Story;

/// An answer that no later request held, and a turn that two did.
#[test]
fn what_no_request_held_is_not_counted_among_what_a_rewind_takes() {
    let mut story = Story::new(1);
    story.user("Go on.");
    story.ask(None);
    story.answer("I look.", &[]);
    story.user("And then?");
    story.ask(None);
    story.answer(&"a".repeat(400), &[]);
    story.rewind(1);
    story.user("Or else?");
    story.ask(None);
    story.answer("Never sent.", &[]);
    story.user("Nor this.");
    story.rewind(1);
    story.user("But this.");
    story.ask(None);
    let run = simulate(&story.plan(200_000), &Policy::default(), &Given::default());
    let rewinds: Vec<&Event> = run.events.iter().filter(|event| event.stage == Stage::Rewind).collect();
    let took: Vec<Vec<u64>> =
        rewinds.iter().map(|event| event.took.iter().map(|id| run.entry(*id).unwrap().tokens).collect()).collect();
    assert_eq!(took, [vec![3], vec![]], "the prompt of three tokens; the second takes what came in since");
    assert_eq!(
        rewinds[1].sentence(),
        "The history went back to an earlier message, or was edited: only what no request had held yet left."
    );
    // What never stood anywhere says what became of it all the same.
    let never = run.entries.iter().find(|entry| entry.tokens == 100).unwrap();
    assert_eq!(never.lives.iter().map(|life| (life.born, life.died)).collect::<Vec<_>>(), [(3, Some(3))]);
    let ended = never.lives[0].ended_by.and_then(|id| run.event(id));
    assert_eq!(ended.map(|event| event.step), Some(3));
}

/// Four turns stand as one summary when the history goes back to the second of them.
#[test]
fn a_rewind_over_a_compaction_tells_what_left_and_what_came_back_in_all() {
    let mut story = Story::new(1);
    for _ in 0..4 {
        story.user(&"u".repeat(4_000));
        story.ask(None);
        story.answer(&"a".repeat(40), &[]);
    }
    story.user(&"v".repeat(4_000));
    story.ask(None);
    story.answer("Last.", &[]);
    story.rewind(3);
    story.user("Or else?");
    story.ask(None);
    let settings = ["summarise.on=true", "summarise.by=extractive", "summarise.at=4000", "summarise.target=100"];
    let mut policy = Policy::default();
    settings.iter().for_each(|setting| set(&mut policy, setting).unwrap());
    let plan = story.plan(100_000);
    let run = simulate(&plan, &policy, &Given::default());
    check(&story, &plan, &run);
    let compacted: Vec<u32> =
        run.events.iter().filter(|event| event.stage == Stage::Summarise).map(|event| event.step).collect();
    assert_eq!(compacted, [4]);
    let step = run.steps.len() as u32;
    let (before, after) = (run.window(step - 1), run.window(step));
    let event = |stage| run.events_at(step).find(|(_, event)| event.stage == stage).unwrap().1;
    let (rewind, admit) = (event(Stage::Rewind), event(Stage::Admit));
    let sorted = |ids: &[EntryId]| ids.iter().copied().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(sorted(&rewind.took), sorted(&before), "all that stood, the summary too");
    let came: Vec<EntryId> = after.iter().copied().filter(|id| !admit.made.contains(id)).collect();
    assert_eq!((sorted(&rewind.made), admit.made.len()), (sorted(&came), 1));
    let size = |ids: &[EntryId]| ids.iter().map(|id| run.entry(*id).unwrap().tokens).sum::<u64>();
    assert_eq!(rewind.tokens_after, Some(size(&came)));
    assert_eq!((admit.measured, size(&admit.made)), (Some(2), 2));
    assert!(rewind.sentence().ends_with(&format!("{} pieces left, {} came back.", before.len(), came.len())));
    // Beside each other stand what there was and what came in, not what came back and left again on the way.
    let found = pairs(&run, step, None, |_| 1);
    let given: Vec<EntryId> = before.iter().chain(&admit.made).copied().collect();
    let amount = |ids: &[EntryId]| (ids.len() as u32, size(ids));
    assert_eq!((found.before, found.after), (amount(&given), amount(&after)));
    let left: Vec<EntryId> = found.rows.iter().filter_map(|row| row.left?.entry()).collect();
    assert_eq!(sorted(&left), sorted(&given));
}

/// What replaced the recorded window is undone, so the reports jump: nothing of that is what came in next.
#[test]
fn what_a_rewind_undoes_is_not_put_upon_what_comes_next() {
    let clear: fn(&mut Story) = |story| {
        let (record, blocks) = (story.record(), vec![story.held[0]]);
        let (trigger, tokens_before, tokens_saved) = (None, None, None);
        let clearing = Clearing { record, trigger, tokens_before, tokens_saved, blocks, marker: "[cleared]" };
        story.thread().ops.push(Op::Clear(Box::new(clearing)));
    };
    let compact: fn(&mut Story) = |story| story.compact(0);
    // What is sent beside the history, three turns that end with an answer of 10, and a question of 2.
    for (cause, replace, last) in [
        (RewindCause::Rewound, compact, 500 + 3 * 1_010 + 2),
        (RewindCause::Rewound, clear, 500 + 3 * 1_010 + 2),
        (RewindCause::NewSession, compact, 502),
    ] {
        let usage = |input| Some(Usage { input, ..Usage::default() });
        let mut story = Story::new(1);
        for turn in 0..3 {
            story.user(&"u".repeat(4_000));
            story.ask(usage(1_500 + turn * 1_010));
            story.answer(&"a".repeat(40), &[]);
        }
        let before = if cause == RewindCause::NewSession { Vec::new() } else { story.held.clone() };
        replace(&mut story);
        story.user("Next.");
        story.ask(usage(1_700));
        story.answer("So it is.", &[]);
        story.held.clone_from(&before);
        let record = story.record();
        story.thread().ops.push(Op::Rewind(Box::new(Rewind { record, cause, window: before, dropped: Vec::new() })));
        story.user("Or else?");
        story.ask(usage(last));
        let plan = story.plan(100_000);
        let run = simulate(&plan, &Policy::default(), &Given::default());
        check(&story, &plan, &run);
        assert_eq!(run.totals.last().unwrap().used(), last, "{cause:?}");
    }
}
