//! What the views say of a step adds up, over made-up sessions and policies, on both tracks.

use std::collections::HashSet;

use proptest::prelude::*;
use windowpane::engine::{Given, StepFacts, recorded, simulate, sum_up};
use windowpane::model::*;
use windowpane::policy::{preset, set};
use windowpane::present::{Acted, DiffRow, PairCell, Pipeline, pairs, pipeline, window_diff};

use crate::data;
use crate::memory::recall_of;
use crate::replays::drawn;
use crate::story::session;

/// The stages of every step lead from one window to the next, and the two sides hold what they should.
fn check(run: &Run, policy: Option<&windowpane::policy::Policy>) {
    let steps = u32::try_from(run.steps.len()).unwrap();
    for step in 1..=steps {
        let line = pipeline(run, step, policy).expect("a step");
        let used = |step: u32| run.totals.get((step as usize).wrapping_sub(1)).map_or(0, Totals::used);
        assert_eq!(line.before.iter().sum::<u64>(), used(step - 1));
        assert_eq!(line.after.iter().sum::<u64>(), used(step));
        let mut now = line.before;
        for row in &line.stages {
            assert_eq!(row.given, now, "step {step}: {row:?}");
            assert!(row.acted == Acted::Yes || row.given == row.left, "{row:?}");
            assert!(row.acted != Acted::Yes || row.stage == Stage::Admit || !row.events.is_empty());
            now = row.left;
        }
        assert_eq!(now, line.after, "step {step}");
        if run.track == Track::Simulated {
            told(run, &line);
        }
        let events: usize = line.stages.iter().map(|row| row.events.len()).sum();
        assert_eq!(events, run.events_at(step).count());
        sides(run, step);
    }
    assert!(pipeline(run, 0, policy).is_none() && pipeline(run, steps + 1, policy).is_none());
}

/// What each stage took and added is what its events say; those that say nothing changed nothing.
fn told(run: &Run, line: &Pipeline) {
    for row in &line.stages {
        let events = row.events.iter().map(|id| &run.events[id.0 as usize]);
        let says = |event: &Event| Some(i128::from(event.tokens_after?) - i128::from(event.tokens_before?));
        let told: i128 = events.map(|event| says(event).unwrap_or(0)).sum();
        let (given, left) = row.tokens();
        // What came in behind a compaction is in what it left, though not of its doing; what reports show beyond what
        // was counted comes in without an event.
        let beyond = |sums: &[u64; Layer::COUNT]| sums[Layer::Unlogged as usize] > 0;
        let comes_or_goes_back = row.stage == Stage::Admit || row.stage.is_history();
        let reported = comes_or_goes_back && (beyond(&row.given) || beyond(&row.left));
        if row.behind == 0 && !reported {
            assert_eq!(i128::from(left) - i128::from(given), told, "step {}: {row:?}", line.step);
        }
    }
}

#[test]
fn what_only_reads_the_pieces_that_another_stage_takes_changes_nothing() {
    for more in [&["memory.min_score=0.1"][..], &["memory.place=end"], &["memory.preserve_scope=agent"]] {
        let (.., run, _) = crate::memory::run(&[crate::memory::SMALL, more].concat());
        check(&run, None);
        let preserves = run.events.iter().filter(|event| event.stage == Stage::Preserve && !event.took.is_empty());
        let steps: Vec<u32> = preserves.map(|event| event.step).collect();
        assert!(!steps.is_empty());
        for step in steps {
            let line = pipeline(&run, step, None).unwrap();
            let row = line.stages.iter().find(|row| row.stage == Stage::Preserve).unwrap();
            assert_eq!((row.acted, row.given), (Acted::Yes, row.left));
        }
    }
}

#[test]
fn the_stages_of_real_sessions_take_what_their_events_say() {
    /// Larger recordings take too long here.
    const MOST: u64 = 600_000;
    let mut preserved = 0;
    for format in ["claude_code", "codex"] {
        let size = |path: &std::path::PathBuf| std::fs::metadata(path).map_or(u64::MAX, |about| about.len());
        for path in data::transcripts(format).iter().filter(|path| size(path) < MOST).take(6) {
            let (sources, transcript) = data::open(path);
            let plan = crate::real_policies::plan_of(&transcript, &sources, ThreadId(0));
            for (name, sets) in [
                ("memory-harness", &["window.size=20000", "summarise.by=extractive", "memory.signals=I'll,the"][..]),
                ("five-layer", &["window.size=20000"]),
                ("claude-code", &["window.size=30000"]),
                ("aixtools", &["window.size=20000"]),
                ("drop-oldest", &["window.size=10000"]),
            ] {
                let mut policy = preset(name, None).unwrap().0;
                sets.iter().for_each(|assignment| set(&mut policy, assignment).unwrap());
                let remembers = policy.memory.on;
                let recall = remembers.then(|| recall_of((&transcript, &sources), (&plan, &[]), &policy));
                let run = simulate(&plan, &policy, &Given { recall, ..Given::default() });
                preserved += run.events.iter().filter(|event| event.stage == Stage::Preserve).count();
                check(&run, Some(&policy));
            }
        }
    }
    assert!(data::folder().is_none() || preserved > 0);
}

fn sides(run: &Run, step: u32) {
    let window: HashSet<EntryId> = run.window(step).into_iter().collect();
    let earlier: HashSet<EntryId> = run.window(step.saturating_sub(1)).into_iter().collect();
    let found = pairs(run, step, None, |_| 2);
    let entries = |side: fn(&windowpane::present::Pair) -> Option<PairCell>| -> Vec<EntryId> {
        let cells = found.rows.iter().filter_map(side);
        cells.filter_map(|cell| if let PairCell::Entry(id, _) = cell { Some(id) } else { None }).collect()
    };
    let (left, right) = (entries(|pair| pair.left), entries(|pair| pair.right));
    let (before, after): (HashSet<_>, HashSet<_>) = (left.iter().copied().collect(), right.iter().copied().collect());
    assert_eq!((before.len(), after.len()), (left.len(), right.len()), "step {step}: an entry stands twice");
    assert_eq!(after, window, "step {step}");
    assert!(earlier.is_subset(&before), "step {step}: what was there is shown");
    let made: HashSet<EntryId> = run.events_at(step).flat_map(|(_, event)| event.made.iter().copied()).collect();
    let is_given = |id: &&EntryId| earlier.contains(id) || made.contains(id) || run.track == Track::Recorded;
    assert_eq!(before.iter().find(|id| !is_given(id)), None, "step {step}: what nobody was given is shown");
    assert_eq!((found.before.0 as usize, found.after.0 as usize), (left.len(), right.len()));
    let places: Vec<u32> = right.iter().map(|id| run.entry(*id).unwrap().life_at(step).unwrap().place).collect();
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "step {step}: {places:?}");
    let folded = pairs(run, step, Some(0), |_| 2);
    assert_eq!((folded.before, folded.after), (found.before, found.after));
    assert!(folded.rows.len() <= found.rows.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stages_and_sides_of_every_step_add_up(seed in 0u64..1_000, policy in any::<u64>(), window in 1_500u64..12_000) {
        let story = session(seed, 120, 40);
        let plan = story.plan(window);
        let policy = drawn(policy);
        let replay = simulate(&plan, &policy, &Given::default());
        check(&replay, Some(&policy));
        let facts = |_: &Request| StepFacts { window_tokens: window, ..StepFacts::default() };
        let mut own = recorded(&story.transcript, ThreadId(0), facts);
        sum_up(&mut own, None);
        check(&own, None);
        let steps = u32::try_from(own.steps.len()).unwrap();
        for step in [1, steps / 2, steps] {
            let (one, other) = (own.window(step), replay.window(step));
            let found = window_diff(&story.transcript.blocks, (&own, &one), (&replay, &other), None);
            let count = |side: fn(&DiffRow) -> bool| found.rows.iter().filter(|row| side(row)).count();
            prop_assert_eq!(count(|row| matches!(row, DiffRow::Entry(Some(_), ..))), one.len());
            prop_assert_eq!(count(|row| matches!(row, DiffRow::Entry(_, Some(_), _))), other.len());
            let same = window_diff(&story.transcript.blocks, (&own, &one), (&own, &one), None);
            prop_assert_eq!((same.first, same.second, same.state), (0, 0, (0, 0)));
        }
    }
}
