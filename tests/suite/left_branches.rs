//! A branch of the history that was left leaves nothing behind: from then on the windows are those of a session that
//! never took it.

use proptest::prelude::*;
use windowpane::engine::{Given, simulate};
use windowpane::model::*;
use windowpane::policy::{Policy, set};

use crate::changing_prompts::change;
use crate::replays::drawn;
use crate::story::{Story, told};

/// A session that now and then takes a branch and goes back, with the steps of it that are on none, and the same one
/// without. Where the `prompt` changes, it does so with every request.
fn sessions(seed: u64, blocks: usize, words: u64, prompt: bool) -> (Story, Story, Vec<u32>) {
    let change = |story: &mut Story, number: usize| {
        if prompt {
            change(story, number);
        }
    };
    let plain = told(seed, blocks, words, |story| {
        let number = story.thread().requests.len();
        change(story, number);
    });
    let wanted = plain.transcript.blocks.len();
    // What is said on branches is no part of the session's length.
    let mut dice = Story::new(seed ^ 0x5eed);
    let (mut left, mut steps) = (0, Vec::new());
    let mut story = Story::new(seed);
    crate::story::begin(&mut story);
    while story.transcript.blocks.len() - left < blocks {
        crate::story::round(&mut story, words);
        steps.push(story.thread().requests.len() as u32);
        change(&mut story, steps.len());
        if dice.any(5) == 0 {
            left += branch(&mut story, &mut dice, words, change);
        }
    }
    story.ask(None);
    assert_eq!(story.transcript.blocks.len() - left, wanted);
    steps.push(story.thread().requests.len() as u32);
    (plain, story, steps)
}

/// A branch that is left again, with words and dice of its own. Returns how many blocks it had.
fn branch(story: &mut Story, dice: &mut Story, words: u64, change: impl Fn(&mut Story, usize)) -> usize {
    let (kept, before, held) = (story.seed, story.transcript.blocks.len(), story.held.clone());
    story.seed = dice.any(1 << 30);
    let text = story.words(15);
    story.user(&text);
    for _ in 0..=dice.any(6) {
        crate::story::round(story, words);
        change(story, 1_000_000 + story.transcript.blocks.len());
    }
    if dice.any(2) == 0 {
        story.ask(None);
    }
    let record = story.record();
    story.held.clone_from(&held);
    let rewind = Rewind { record, cause: RewindCause::Rewound, window: held, dropped: Vec::new() };
    story.thread().ops.push(Op::Rewind(Box::new(rewind)));
    story.seed = kept;
    story.transcript.blocks.len() - before
}

/// A window as texts: what each entry shows, and how.
fn window(story: &Story, run: &Run, step: u32) -> Vec<String> {
    let hash = |id: BlockId| story.transcript.block(id).map_or(0, |block| block.body.hash());
    let shown = |made: &Made| match made {
        Made::Block(id) => format!("{:x}", hash(*id)),
        Made::Part(id, from, to, whole) => format!("{:x} {from} {to} {whole}", hash(*id)),
        other => format!("{other:?}"),
    };
    let entry = |id: &EntryId| {
        let entry = run.entry(*id).unwrap();
        let content: Vec<String> = entry.content.iter().map(shown).collect();
        format!("{:?} {:?} {} {}", entry.layer, entry.fate, entry.tokens, content.join(" + "))
    };
    run.window(step).iter().map(entry).collect()
}

/// The first step whose windows differ, with what they do not share.
fn difference(policy: &Policy, (plain, branched, steps): &(Story, Story, Vec<u32>)) -> Option<String> {
    let replay = |story: &Story| simulate(&story.plan(6_000), policy, &Given::default());
    let (one, other) = (replay(plain), replay(branched));
    assert_eq!(one.steps.len(), steps.len());
    (1u32..).zip(steps).find_map(|(step, at)| {
        let (one, other) = (window(plain, &one, step), window(branched, &other, *at));
        let without = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|line| !other.contains(line)).cloned().collect()
        };
        (one != other).then(|| {
            let (missing, more) = (without(&one, &other), without(&other, &one));
            format!("step {step}, which is {at} with branches: {missing:#?} are missing, {more:#?} are too many")
        })
    })
}

/// What a session with branches shows otherwise than the same without, under a policy drawn for it.
fn left_behind(seed: u64, blocks: usize, words: u64, prompt: bool) -> Option<String> {
    let stories = sessions(seed, blocks, words, prompt);
    let mut policy = drawn(seed);
    // Memories are kept outside the window, and the numbers of virtual files are not used again.
    for own in ["memory.on=false", "tool_results.virtual_files=false", "summarise.prior_window_file=false"] {
        set(&mut policy, own).unwrap();
    }
    // Of sentences that matter as much, an earlier summary remembers which came later.
    for own in ["notice.files=false", "tool_results.workspace=false", "summarise.keep_roles=[]"] {
        set(&mut policy, own).unwrap();
    }
    // Turns that are shown in full again count their results among the newest, in the order in which they came back:
    // a rewind does not bring that order back.
    if policy.microcompact.on || policy.thinking.clear {
        policy.collapse.on = false;
    }
    difference(&policy, &stories)
}

#[test]
fn a_prompt_that_stays_behind_a_branch_is_not_measured_as_new() {
    assert_eq!(left_behind(36_224_235, 190, 32, true), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_branch_that_was_left_leaves_nothing_behind(
        seed in 0u64..1 << 30, blocks in 20usize..400, words in 20u64..300, prompt in any::<bool>()
    ) {
        prop_assert_eq!(left_behind(seed, blocks, words, prompt), None);
    }
}
