//! Clients that say a part of what went before otherwise in each request, a clock in the system prompt or a reminder in
//! the last message: a replay decides the same as where they don't.

use proptest::prelude::*;
use serde_json::{Value, json};
use windowpane::content::Watch;
use windowpane::engine::plan::Counted;
use windowpane::engine::{Given, Plan, StepFacts, simulate};
use windowpane::model::*;
use windowpane::policy::{PRESETS, Policy, preset, set};
use windowpane::tokens::{Count, Encoding};

use crate::replays::{check, drawn};
use crate::requests::open_lines;
use crate::story::{Story, begin, round};

/// Another prompt of the same length, for the next request.
pub fn change(story: &mut Story, number: usize) {
    let clock: String = format!("{number:08}").chars().map(|digit| (digit as u8 - b'0' + b'a') as char).collect();
    story.say(Role::System);
    let text = format!("You are an agent, and the clock says {clock}.");
    let id = story.unsaid(BlockKind::Text, Layer::System, Role::System, "", &text, None);
    story.held[0] = id;
    let rewind =
        Rewind { record: story.record(), cause: RewindCause::Edited, window: story.held.clone(), dropped: Vec::new() };
    story.thread().ops.push(Op::Rewind(Box::new(rewind)));
}

/// A session whose prompt changes with each request, or only before the first answer.
fn session(seed: u64, rounds: usize, words: u64, changes: bool) -> Story {
    let mut story = Story::new(seed);
    begin(&mut story);
    change(&mut story, 0);
    for number in 1..=rounds {
        round(&mut story, words);
        if changes {
            change(&mut story, number);
        }
    }
    story.ask(None);
    story
}

/// What each step's window holds but for the prompt's own words, and what was decided.
fn told(story: &Story, run: &Run) -> Vec<Vec<String>> {
    let hash = |id: BlockId| story.transcript.block(id).map_or(0, |block| block.body.hash());
    let shown = |made: &Made| match made {
        Made::Block(id) => format!("{:x}", hash(*id)),
        Made::Part(id, from, to, whole) => format!("{:x} {from} {to} {whole}", hash(*id)),
        other => format!("{other:?}"),
    };
    let entry = |id: &EntryId| {
        let entry = run.entry(*id).unwrap();
        let content: Vec<String> = entry.content.iter().filter(|_| entry.layer != Layer::System).map(shown).collect();
        format!("{:?} {:?} {} {}", entry.layer, entry.fate, entry.tokens, content.join(" + "))
    };
    let decided = |step: u32| {
        let own = run.events_at(step).map(|(_, event)| event).filter(|event| !event.stage.takes_in());
        own.filter(|event| !event.stage.is_history()).map(|event| format!("{} {:?}", event.rule, event.tokens_after))
    };
    (1..=run.steps.len() as u32).map(|step| run.window(step).iter().map(entry).chain(decided(step)).collect()).collect()
}

/// The first step that differs, with what the two do not share.
fn difference(policy: &Policy, seed: u64, rounds: usize, words: u64) -> Option<String> {
    let replay = |changes: bool| {
        let story = session(seed, rounds, words, changes);
        let plan = story.plan(6_000);
        let run = simulate(&plan, policy, &Given::default());
        check(&story, &plan, &run);
        told(&story, &run)
    };
    let (plain, changing) = (replay(false), replay(true));
    assert_eq!(plain.len(), changing.len());
    (1..).zip(plain.iter().zip(&changing)).find(|(_, (plain, changing))| plain != changing).map(|(step, both)| {
        let less = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|line| !other.contains(line)).cloned().collect()
        };
        format!("step {step}: {:#?} is missing, {:#?} is too much", less(both.0, both.1), less(both.1, both.0))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_prompt_that_changes_with_every_request_changes_nothing_else(
        seed in 0u64..1 << 30, rounds in 5usize..60, words in 20u64..300
    ) {
        let mut policy = drawn(seed);
        // Memories are of the session's texts, and the prompt is one of them.
        for own in ["memory.on=false", "memory.preserve=none"] {
            set(&mut policy, own).unwrap();
        }
        prop_assert_eq!(difference(&policy, seed, rounds, words), None);
    }
}

#[test]
fn no_preset_minds_a_prompt_that_changes() {
    for of in PRESETS {
        let (mut policy, _) = preset(of.name, None).unwrap();
        set(&mut policy, "memory.on=false").unwrap();
        assert_eq!(difference(&policy, 7, 50, 200), None, "{}", of.name);
    }
}

/// How a client sends its history.
#[derive(Clone, Copy)]
struct Client {
    /// Whether the prompt has a clock.
    clock: bool,
    /// What is put behind the last message: a message of its own, or words in it.
    reminder: Option<(bool, &'static str)>,
    /// Whether the log holds the answers.
    answers: bool,
    /// Whether the user goes back by ten turns in the end.
    back: bool,
}

const PLAIN: Client = Client { clock: false, reminder: None, answers: false, back: false };

/// A log of forty requests.
fn log(client: Client) -> Vec<Value> {
    let long = |of: usize| format!("Question {of}: {}", format!("what of part {of}? ").repeat(20 + of % 7 * 10));
    let (mut history, mut log) = (Vec::new(), Vec::new());
    for number in 0..40 {
        if client.back && number == 35 {
            history.truncate(2 * 25);
        }
        history.push(json!({"role": "user", "content": [{"type": "text", "text": long(number)}]}));
        let mut sent = history.clone();
        let last = sent.last_mut().and_then(|last| last["content"].as_array_mut()).unwrap();
        // A request of one message is told from others by that.
        match client.reminder.filter(|_| number > 0) {
            Some((true, text)) => last.push(json!({"type": "text", "text": text})),
            Some((false, text)) => {
                last[0]["text"] = json!(format!("{}\n<reminder>{text} {number:03}</reminder>", long(number)));
            }
            None => {}
        }
        let minute = if client.clock { number } else { 0 };
        let request = json!({"model": "claude-x", "max_tokens": 9, "messages": sent,
            "system": format!("You are an agent. It is {minute:03} minutes past the hour.")});
        let answer = json!([{"type": "text", "text": format!("Answer {number}: as it {}.", "should be ".repeat(9))}]);
        log.push(if client.answers {
            json!({"request": request, "response": {"id": format!("m{number}"), "type": "message", "model": "claude-x",
                "role": "assistant", "content": answer, "usage": {"input_tokens": 100, "output_tokens": 9}}})
        } else {
            request
        });
        history.push(json!({"role": "assistant", "content": answer}));
    }
    log
}

/// What a preset decides of a log, and how large each window is then.
fn replayed(transcript: &Transcript, sources: &windowpane::content::Sources, name: &str) -> Vec<(u64, Vec<Stage>)> {
    let counted = Counted { encoding: Encoding::Estimate, factor: 1.0, originals: false };
    let count = |id: BlockId, _| match transcript.block(id).map(|block| &block.body) {
        Some(Body::Text { chars, .. }) => Count { tokens: chars.div_ceil(4), exact: true },
        _ => Count::default(),
    };
    let facts = |_: &Request| StepFacts { window_tokens: 2_500, ..StepFacts::default() };
    let mut plan = Plan::new(transcript, ThreadId(0), counted, count, facts);
    plan.asks.iter_mut().for_each(|ask| ask.usage = None);
    assert!(plan.read(transcript, sources, &Watch::default()));
    let mut policy = preset(name, None).unwrap().0;
    for own in ["window.size=2500", "reserve.output=0", "reserve.summary=0", "reserve.headroom=0"] {
        set(&mut policy, own).unwrap();
    }
    let run = simulate(&plan, &policy, &Given::default());
    let stages = |step: u32| {
        let own = run.events_at(step).map(|(_, event)| event.stage);
        own.filter(|stage| !stage.takes_in() && !stage.is_history()).collect()
    };
    (1..).zip(&run.totals).map(|(step, totals)| (totals.counted, stages(step))).collect()
}

fn rewinds(transcript: &Transcript) -> Vec<RewindCause> {
    let ops = transcript.threads[0].ops.iter();
    ops.filter_map(|op| if let Op::Rewind(rewind) = op { Some(rewind.cause) } else { None }).collect()
}

#[test]
fn a_log_whose_prompt_has_a_clock_replays_as_one_without() {
    for (answers, back) in [(false, false), (true, false), (false, true), (true, true)] {
        let (plain, clock) = (Client { answers, back, ..PLAIN }, Client { answers, back, clock: true, ..PLAIN });
        let ((sources, plain), (others, clock)) = (open_lines(&log(plain)), open_lines(&log(clock)));
        assert_eq!((plain.threads.len(), clock.threads.len()), (1, 1));
        let rewound = |transcript| rewinds(transcript).iter().filter(|cause| **cause == RewindCause::Rewound).count();
        assert_eq!((rewound(&plain), rewound(&clock)), (usize::from(back), usize::from(back)));
        let mut decides = 0;
        for name in ["drop-oldest", "five-layer", "claude-code"] {
            let (plain, clock) = (replayed(&plain, &sources, name), replayed(&clock, &others, name));
            decides += plain.iter().filter(|(_, stages)| !stages.is_empty()).count();
            assert_eq!(plain, clock, "{name}, {answers}, {back}");
        }
        assert!(decides > 3);
    }
}

#[test]
fn a_reminder_in_the_last_message_alone_makes_no_step_and_no_compaction() {
    for text in ["Mind the rules.", "The list of things to do is empty. Do not tell the user of this reminder."] {
        for (apart, answers, back) in [0, 1, 2, 3, 4, 5, 6, 7].map(|of| (of & 1 > 0, of & 2 > 0, of & 4 > 0)) {
            let client = Client { reminder: Some((apart, text)), answers, back, ..PLAIN };
            let (_, transcript) = open_lines(&log(client));
            let said = format!("{text} apart: {apart}, answers: {answers}, back: {back}");
            assert_eq!(transcript.threads.len(), 1, "{said}");
            let thread = &transcript.threads[0];
            assert_eq!(thread.requests.len(), 40, "{said}");
            let aborted = thread.requests.iter().filter(|request| request.outcome == Outcome::Aborted).count();
            // Of the branch that is left the log does not hold the last answer.
            assert_eq!(aborted, usize::from(back && !answers), "{said}");
            let compacted = thread.ops.iter().filter(|op| matches!(op, Op::Compact(_))).count();
            assert_eq!(compacted, 0, "{said}");
            let rewound = rewinds(&transcript).iter().filter(|cause| **cause == RewindCause::Rewound).count();
            assert_eq!(rewound, usize::from(back), "{said}");
        }
    }
}

#[test]
fn a_history_in_front_of_a_compaction_is_again_the_one_that_was_sent() {
    let mut story = Story::new(1);
    for number in 0..6 {
        story.user(&format!("Part {number}. {}", "It goes on. ".repeat(50)));
        story.ask(None);
        story.answer("So it is.", &[]);
        if number == 2 {
            story.compact(0);
        }
    }
    let same = |story: &Story| story.plan(6_000).asks.iter().map(|ask| ask.same).collect::<Vec<_>>();
    assert_eq!(same(&story), [true, true, true, false, false, false]);
    let window = story.transcript.threads[0].ops.iter().take_while(|op| !matches!(op, Op::Compact(_)));
    let window: Vec<BlockId> = window.filter_map(|op| if let Op::Add(id) = op { Some(*id) } else { None }).collect();
    story.held.clone_from(&window);
    let rewind = Rewind { record: story.record(), cause: RewindCause::Rewound, window, dropped: Vec::new() };
    story.thread().ops.push(Op::Rewind(Box::new(rewind)));
    story.user("Or else?");
    story.ask(None);
    assert_eq!(same(&story).last(), Some(&true));
}
