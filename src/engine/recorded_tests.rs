//! The recorded track over histories written by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::*;

use super::*;
use crate::tokens::Count;

const WHERE: Record = Record { source: SourceId(0), line: 1, start: 0, end: 1 };

fn block(layer: Layer, chars: u64) -> Block {
    Block {
        kind: BlockKind::Text,
        layer,
        role: Role::User,
        message: MessageId(0),
        record: WHERE,
        body: Body::Text { spans: smallvec::SmallVec::new(), chars, hash: chars },
        label: Arc::from("x"),
        call: None,
        error: false,
        cut: None,
        original: None,
    }
}

fn request(context: Option<u64>) -> Request {
    let usage = context.map(|input| Usage { input, ..Usage::default() });
    Request { usage, ..Request::of(WHERE, None, Outcome::Answered) }
}

fn transcript(blocks: Vec<Block>, requests: Vec<Request>, ops: Vec<Op>) -> Transcript {
    Transcript {
        format: "test",
        sources: Vec::new(),
        session: Session::default(),
        messages: Vec::new(),
        blocks,
        threads: vec![Thread {
            kind: ThreadKind::Main,
            title: String::new(),
            source: SourceId(0),
            requests,
            ops,
            breakpoints: BTreeMap::new(),
        }],
        records: 0,
        skipped: Default::default(),
        warnings: Vec::new(),
    }
}

fn run(transcript: &Transcript) -> Run {
    let facts = |_: &Request| StepFacts { window_tokens: 1000, reserve_tokens: 100, ..StepFacts::default() };
    let mut run = recorded(transcript, ThreadId(0), facts);
    let count = |id: BlockId, _| match transcript.block(id).map(|block| &block.body) {
        Some(Body::Text { chars, .. }) => Count { tokens: *chars, exact: true },
        _ => Count::default(),
    };
    recount(&mut run, transcript, count, |text| Count { tokens: text.len() as u64, exact: true });
    sum_up(&mut run, None);
    run
}

fn shown(run: &Run, step: u32) -> Vec<u32> {
    run.window(step).iter().filter_map(|id| run.entry(*id)?.block()).map(|id| id.0).collect()
}

fn adds(ids: std::ops::Range<u32>) -> impl Iterator<Item = Op> {
    ids.map(|id| Op::Add(BlockId(id)))
}

fn compact(window: &[u32]) -> Op {
    Op::Compact(Box::new(Compaction {
        record: WHERE,
        trigger: Some(Trigger::Auto),
        tokens_before: None,
        tokens_after: None,
        window: window.iter().map(|id| BlockId(*id)).collect(),
        summariser: None,
        inferred: false,
    }))
}

#[test]
fn parts_add_up_and_what_is_not_recorded_is_carried() {
    let blocks = vec![block(Layer::User, 10), block(Layer::Assistant, 20), block(Layer::ToolResults, 30)];
    let ops = adds(0..1)
        .chain([Op::Request(RequestId(0))])
        .chain(adds(1..2))
        .chain([Op::Request(RequestId(1))])
        .chain(adds(2..3))
        .chain([Op::Request(RequestId(2))])
        .collect();
    let run = run(&transcript(blocks, vec![request(Some(50)), request(None), request(Some(55))], ops));
    let unlogged: Vec<_> = run.totals.iter().map(|total| total.layers[Layer::Unlogged as usize]).collect();
    assert_eq!(unlogged, [40, 40, 0]);
    assert_eq!(run.totals.iter().map(|total| total.excess).collect::<Vec<_>>(), [0, 0, 5]);
    assert_eq!(run.totals.iter().map(|total| total.counted).collect::<Vec<_>>(), [10, 30, 60]);
    for total in &run.totals {
        assert_eq!((total.layers.iter().sum::<u64>(), total.over), (1000, 0));
        if let Some(reported) = total.reported {
            assert_eq!(total.used() - total.excess, reported);
        }
    }
}

#[test]
fn a_compaction_keeps_what_it_lists_in_its_order() {
    let blocks = (0..5).map(|id| block(if id == 3 { Layer::Summaries } else { Layer::User }, 10 + id)).collect();
    let ops = adds(0..3)
        .chain([Op::Request(RequestId(0)), compact(&[3, 1])])
        .chain(adds(4..5))
        .chain([Op::Request(RequestId(1))])
        .collect();
    let transcript = transcript(blocks, vec![request(None), request(None)], ops);
    let run = run(&transcript);
    assert_eq!(shown(&run, 1), [0, 1, 2]);
    assert_eq!(shown(&run, 2), [3, 1, 4]);
    let event = &run.events[0];
    assert_eq!((event.step, event.stage, event.took.len(), event.made.len()), (2, Stage::Summarise, 2, 1));
    let summary = run.entry(event.made[0]).unwrap();
    assert_eq!((summary.fate, summary.original_tokens), (Fate::Summarised, 22));
    let kept = run.entries.iter().find(|entry| entry.block() == Some(BlockId(1))).unwrap();
    assert_eq!((kept.born(), kept.died(), kept.lives.len()), (1, None, 2));
}

#[test]
fn what_is_cleared_leaves_a_marker_in_its_place() {
    let blocks = (0..3).map(|_| block(Layer::ToolResults, 100)).collect();
    let clearing = Clearing {
        record: WHERE,
        trigger: None,
        tokens_before: None,
        tokens_saved: None,
        blocks: vec![BlockId(1)],
        marker: "[gone]",
    };
    let ops = adds(0..3)
        .chain([Op::Request(RequestId(0)), Op::Clear(Box::new(clearing)), Op::Request(RequestId(1))])
        .collect();
    let run = run(&transcript(blocks, vec![request(None), request(None)], ops));
    let window: Vec<_> =
        run.window(2).iter().filter_map(|id| run.entry(*id)).map(|entry| (entry.fate, entry.tokens)).collect();
    assert_eq!(window, [(Fate::Verbatim, 100), (Fate::Cleared, 6), (Fate::Verbatim, 100)]);
    assert_eq!((run.events[0].tokens_before, run.events[0].tokens_after), (Some(300), Some(206)));
    assert_eq!(run.totals[1].prefix, 100, "the prefix ends where the window changed");
}

#[test]
fn one_marker_stands_for_a_result_of_several_blocks() {
    let of = |call| Block { call: Some(CallKey(call)), ..block(Layer::ToolResults, 100) };
    let clear = |blocks: &[u32]| {
        Op::Clear(Box::new(Clearing {
            record: WHERE,
            trigger: None,
            tokens_before: None,
            tokens_saved: None,
            blocks: blocks.iter().map(|id| BlockId(*id)).collect(),
            marker: "[gone]",
        }))
    };
    let short = |block, content: Contents| Shortened { block: BlockId(block), fate: Fate::Cleared, content };
    let shorten = Op::Shorten(Box::new(Shortening {
        record: WHERE,
        blocks: vec![short(1, Made::Text("[gone]".into()).into()), short(0, Contents::new())],
    }));
    for change in [clear(&[0, 1, 2]), shorten] {
        let ops = adds(0..4).chain([Op::Request(RequestId(0)), change, Op::Request(RequestId(1))]).collect();
        let run = run(&transcript(vec![of(1), of(1), of(2), of(3)], vec![request(None), request(None)], ops));
        let entries = run.window(2).into_iter().filter_map(|id| run.entry(id));
        let marker = entries.clone().find(|entry| entry.fate == Fate::Cleared).unwrap();
        assert_eq!((&marker.from[..], marker.original_tokens), (&[EntryId(0), EntryId(1)][..], 200));
        assert_eq!(run.entries.iter().filter(|entry| entry.from.contains(&EntryId(0))).count(), 1);
        assert!(entries.count() == 3);
    }
}

#[test]
fn a_rewind_takes_back_and_may_bring_back() {
    let blocks = (0..4).map(|id| block(Layer::User, 10 + id)).collect();
    let rewind = |window: &[u32]| {
        Op::Rewind(Box::new(Rewind {
            record: WHERE,
            cause: RewindCause::Rewound,
            window: window.iter().map(|id| BlockId(*id)).collect(),
            dropped: Vec::new(),
        }))
    };
    let ops = adds(0..3)
        .chain([Op::Request(RequestId(0)), rewind(&[0])])
        .chain(adds(3..4))
        .chain([Op::Request(RequestId(1)), rewind(&[0, 1, 2]), Op::Request(RequestId(2))])
        .collect();
    let run = run(&transcript(blocks, vec![request(None), request(None), request(None)], ops));
    assert_eq!(shown(&run, 1), [0, 1, 2]);
    assert_eq!(shown(&run, 2), [0, 3]);
    assert_eq!(shown(&run, 3), [0, 1, 2]);
    assert_eq!(run.totals[1].prefix, 10);
    assert_eq!(run.totals.iter().map(|total| total.counted).collect::<Vec<_>>(), [33, 23, 33]);
}

#[test]
fn a_rewind_takes_only_what_stood_in_a_window() {
    let blocks = (0..4).map(|id| block(Layer::User, 10 + id)).collect();
    let back = Op::Rewind(Box::new(Rewind {
        record: WHERE,
        cause: RewindCause::Rewound,
        window: vec![BlockId(0)],
        dropped: Vec::new(),
    }));
    // The third came in after the first request, and was taken back before the second.
    let ops = adds(0..2)
        .chain([Op::Request(RequestId(0))])
        .chain(adds(2..3))
        .chain([back])
        .chain(adds(3..4))
        .chain([Op::Request(RequestId(1))])
        .collect();
    let run = run(&transcript(blocks, vec![request(None), request(None)], ops));
    assert_eq!(shown(&run, 2), [0, 3]);
    let took: Vec<_> = run.events[0].took.iter().map(|id| run.entry(*id).unwrap().block()).collect();
    assert_eq!(took, [Some(BlockId(1))]);
}

/// Two requests between which the window becomes its first block, for this reason; a second block was in the first
/// request's window, or came in with its answer.
fn changed(cause: RewindCause, seen: bool) -> Run {
    let blocks = vec![block(Layer::User, 10), block(Layer::Thinking, 20), block(Layer::User, 5)];
    let back = Op::Rewind(Box::new(Rewind {
        record: WHERE,
        cause,
        window: vec![BlockId(0), BlockId(2)],
        dropped: Vec::new(),
    }));
    let (before, after) = if seen { (0..2, 2..2) } else { (0..1, 1..2) };
    let ops = adds(before).chain([Op::Request(RequestId(0))]).chain(adds(after)).chain(adds(2..3)).chain([back]);
    run(&transcript(blocks, vec![request(None), request(None)], ops.chain([Op::Request(RequestId(1))]).collect()))
}

#[test]
fn reasoning_that_is_dropped_is_no_rewind_and_nothing_where_no_window_held_it() {
    let dropped = changed(RewindCause::ThinkingDropped, true);
    assert_eq!(dropped.events.len(), 1);
    assert_eq!((dropped.events[0].stage, dropped.events[0].took.len()), (Stage::Reasoning, 1));
    let never = changed(RewindCause::ThinkingDropped, false);
    assert!(never.events.is_empty());
    assert_eq!((shown(&never, 1), shown(&never, 2)), (vec![0], vec![0, 2]));
    assert!(never.entries.iter().flat_map(|entry| &entry.lives).all(|life| life.ended_by.is_none()));
    assert_eq!(changed(RewindCause::NewSession, true).events[0].stage, Stage::Session);
    assert_eq!(changed(RewindCause::Rewound, false).events[0].stage, Stage::Rewind);
}

/// A history that is compacted before its second request, by whom and with which figure after it.
fn compacted(trigger: Trigger, after: Option<u64>, reported: Option<u64>) -> Run {
    let blocks = vec![block(Layer::User, 100), block(Layer::Summaries, 7)];
    let compaction = Compaction {
        record: WHERE,
        trigger: Some(trigger),
        tokens_before: Some(500),
        tokens_after: after,
        window: vec![BlockId(1)],
        summariser: None,
        inferred: false,
    };
    let ops = adds(0..1)
        .chain([Op::Request(RequestId(0)), Op::Compact(Box::new(compaction)), Op::Request(RequestId(1))])
        .collect();
    let transcript = transcript(blocks, vec![request(Some(150)), request(reported)], ops);
    let facts = |_: &Request| StepFacts { window_tokens: 1000, threshold: Some(600), ..StepFacts::default() };
    recorded(&transcript, ThreadId(0), facts)
}

#[test]
fn figures_of_an_event_follow_the_counts() {
    let counted = |run: &mut Run, tokens: u64| {
        run.entries.iter_mut().for_each(|entry| entry.tokens = tokens);
        sum_up(run, None);
        run.events[0].tokens_after
    };
    let mut run = compacted(Trigger::Auto, None, None);
    assert_eq!((counted(&mut run, 40), counted(&mut run, 30)), (Some(150), Some(150)));
    // What is not recorded goes with the counts of the first step: estimates first, then the truth.
    assert_eq!(run.totals[1].used(), 150);
    let mut run = compacted(Trigger::Auto, None, None);
    run.entries[1].tokens = 9;
    run.entries[0].tokens = 50;
    sum_up(&mut run, None);
    assert_eq!(run.events[0].tokens_after, Some(109));
    run.entries[1].tokens = 12;
    sum_up(&mut run, None);
    assert_eq!(run.events[0].tokens_after, Some(112), "not the figure of the estimate");
    // What the agent says stands until a report tells better.
    assert_eq!(counted(&mut compacted(Trigger::Auto, Some(77), None), 5), Some(77));
    assert_eq!(counted(&mut compacted(Trigger::Auto, Some(77), Some(61)), 5), Some(61));
}

#[test]
fn only_a_compaction_of_the_agents_own_has_a_threshold() {
    assert_eq!(compacted(Trigger::Auto, None, None).events[0].threshold, Some(600));
    assert_eq!(compacted(Trigger::Manual, None, None).events[0].threshold, None);
}

#[test]
fn estimates_are_brought_down_to_what_was_reported() {
    let blocks = vec![block(Layer::User, 100), block(Layer::ToolResults, 301), block(Layer::Assistant, 20)];
    let ops =
        adds(0..2).chain([Op::Request(RequestId(0))]).chain(adds(2..3)).chain([Op::Request(RequestId(1))]).collect();
    let mut run = run(&transcript(blocks, vec![request(Some(200)), request(None)], ops));
    assert_eq!((run.totals[0].counted, run.totals[0].excess), (401, 201));
    crate::engine::fit_to_reports(&mut run);
    for total in &run.totals {
        let content: u64 = total.layers[..Layer::Unlogged as usize].iter().sum();
        assert_eq!(content, total.counted);
        assert_eq!(total.used() + total.layers[Layer::Reserve as usize] + total.layers[Layer::Free as usize], 1000);
    }
    assert_eq!((run.totals[0].counted, run.totals[0].excess), (200, 0));
    assert_eq!(run.totals[1].counted, 421 * 200 / 401, "without a report, as the step before");
}
