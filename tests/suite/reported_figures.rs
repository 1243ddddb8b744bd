//! As long as nothing was compacted, what a replay holds is what was reported.

use proptest::prelude::*;
use serde_json::Value;
use windowpane::engine::{Given, Plan, simulate};
use windowpane::model::{Op, Outcome, ThreadId, Transcript, Usage};
use windowpane::policy::Policy;

use crate::data;
use crate::story::Story;
use crate::story_trouble::troubled;

/// Steps whose report the replay does not come to, and how many it could have.
fn missed(plan: &Plan) -> (Vec<(u32, u64, u64)>, usize) {
    let run = simulate(plan, &Policy::default(), &Given::default());
    let told = (1u32..).zip(&plan.asks).zip(&run.totals).filter_map(|((step, ask), totals)| {
        let answered = matches!(ask.outcome, Outcome::Answered | Outcome::Aborted);
        let reported = ask.usage.filter(|_| answered && ask.same)?.context();
        (reported > 0).then_some((step, reported, totals))
    });
    let told: Vec<_> = told.collect();
    let missed = told.iter().filter(|(_, reported, totals)| totals.reported != Some(*reported));
    (missed.map(|(step, reported, totals)| (*step, *reported, totals.used())).collect(), told.len())
}

fn check(name: &str, transcript: &Transcript, sources: &windowpane::content::Sources) -> usize {
    let mut seen = 0;
    for (number, _) in (0u32..).zip(&transcript.threads) {
        let plan = crate::real_policies::plan_of(transcript, sources, ThreadId(number));
        let (missed, told) = missed(&plan);
        assert!(missed.is_empty(), "{name}, thread {number}: {} of {told}: {:?}", missed.len(), missed.first());
        seen += told;
    }
    seen
}

const FORMATS: &[&str] =
    &["claude_code", "claude_stream_json", "codex", "anthropic_messages", "openai_chat", "openai_responses"];

#[test]
fn real_recordings_are_replayed_at_their_reported_figures() {
    let mut seen = 0;
    for path in FORMATS.iter().flat_map(|format| data::transcripts(format)) {
        let (sources, transcript) = data::open(&path);
        seen += check(&path.to_string_lossy(), &transcript, &sources);
    }
    assert!(data::folder().is_none() || seen > 500, "{seen}");
}

/// Puts short placeholders for all texts, as those do who publish a session.
fn redact(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(redact),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if TEXTS.contains(&key.as_str()) && text.len() > 20 => {
                        *text = format!("[REDACTED len={}]", text.len());
                    }
                    _ => redact(value),
                }
            }
        }
        _ => {}
    }
}

const TEXTS: &[&str] = &[
    "text",
    "message",
    "arguments",
    "output",
    "encrypted_content",
    "input",
    "instructions",
    "thinking",
    "content",
    "stdout",
    "stderr",
    "command",
    "old_string",
    "new_string",
    "prompt",
    "signature",
    "summary",
];

#[test]
fn so_are_redacted_copies_of_them() {
    let mut seen = 0;
    for path in ["codex", "claude_code"].iter().flat_map(|format| data::transcripts(format)) {
        let mut copy = Vec::new();
        for line in String::from_utf8_lossy(&data::bytes(&path)).lines() {
            let Ok(mut record) = serde_json::from_str::<Value>(line) else { continue };
            for part in ["payload", "message", "toolUseResult", "data"] {
                record.get_mut(part).into_iter().for_each(redact);
            }
            copy.extend_from_slice(record.to_string().as_bytes());
            copy.push(b'\n');
        }
        let (sources, transcript) = data::open_bytes(copy, None);
        seen += check(&path.to_string_lossy(), &transcript, &sources);
    }
    assert!(data::folder().is_none() || seen > 300, "{seen}");
}

/// The same session with reports that hold more and more beyond what is recorded, less now and then.
fn reported(mut story: Story) -> Story {
    let run = simulate(&story.plan(1_000_000), &Policy::default(), &Given::default());
    let mut beyond = 3_000u64;
    for (at, totals) in run.totals.iter().enumerate() {
        beyond = (beyond + story.any(900)).saturating_sub(story.any(300));
        let input = totals.counted + beyond;
        story.transcript.threads[0].requests[at].usage = Some(Usage { input, ..Usage::default() });
    }
    story
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn so_is_a_session_that_goes_back(seed in 0u64..100_000) {
        let mut story = troubled(seed, 160, 60);
        // The first compaction ends what reports can be compared with.
        let ops = &mut story.transcript.threads[0].ops;
        if let Some(first) = ops.iter().position(|op| matches!(op, Op::Compact(_))) {
            ops.truncate(first);
        }
        let (missed, told) = missed(&reported(story).plan(1_000_000));
        prop_assert!(missed.is_empty(), "{told}: {missed:?}");
    }
}
