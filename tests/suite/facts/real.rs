//! Facts of real sessions, picked by hand; and many more against a plain search of the windows.

use std::collections::BTreeSet;
use std::path::Path;

use windowpane::content::{Sources, Watch};
use windowpane::engine::{Given, Known, recorded, simulate};
use windowpane::inquiry::{Fact, Reading, Subject, find, trace};
use windowpane::model::{EntryId, Made, Run, ThreadId, Transcript};
use windowpane::policy::{preset, set};

use super::runner::plan;
use crate::data;

/// Session, fact, whether it is there at the end, and the rules that may have taken it.
const PICKED: &[(&str, &str, bool, &[&str])] = &[
    // In a tool result before the first compaction, never again after it.
    (
        "claude_code/entirecontext-2.1.232-2manualcompact.jsonl",
        "codex_session_idle_minutes",
        false,
        &["recorded.manual_compact"],
    ),
    ("claude_code/entirecontext-2.1.232-2manualcompact.jsonl", "eaa24b32", false, &["recorded.manual_compact"]),
    (
        "claude_code/entire-ent109-2compact-2micro.jsonl",
        "PRR_kwDOQyo98M7dZPWc",
        false,
        &["recorded.auto_compact", "recorded.microcompact"],
    ),
    (
        "claude_code/entire-ent109-2compact-2micro.jsonl",
        "discussion_r2738973501",
        false,
        &["recorded.auto_compact", "recorded.microcompact"],
    ),
    ("claude_code/entire-ent109-2compact-2micro.jsonl", "discussion_r2738927704", false, &["recorded.auto_compact"]),
    (
        "claude_code/entire-ent109-2compact-2micro.jsonl",
        "go-dependencies-0fc8bc1058",
        false,
        &["recorded.auto_compact"],
    ),
    // It came in right before the compaction, and was never sent.
    ("claude_code/entire-ent109-2compact-2micro.jsonl", "PRRC_kwDOQyo98M6jQVLI", false, &["recorded.auto_compact"]),
    ("claude_code/entirecontext-2.1.232-2manualcompact.jsonl", "0aaa4fa6", false, &["recorded.manual_compact"]),
    (
        "claude_code/spotter/ae4a77f8-aedd-4bc1-888f-c94edc91af04.jsonl",
        "d9c08dbef8494f41-01",
        false,
        &["recorded.manual_compact"],
    ),
    ("codex/mise-0.142.5-1compacted.jsonl", "jiff-0.2.29/src/zoned.rs", false, &["recorded.compact"]),
    ("claude_code/entire-image-compact.jsonl", "extractedAgentID", false, &["recorded.auto_compact"]),
    ("claude_code/entire-image-compact.jsonl", "c01185d", false, &["recorded.auto_compact"]),
    // Asked for after the compaction.
    ("claude_code/entire-ent109-2compact-2micro.jsonl", "I believe we have 4 new unresolved comments", true, &[]),
    // A hook says it again after the compaction, a file is read again, and a command shows it again.
    ("claude_code/entirecontext-2.1.232-2manualcompact.jsonl", "1f8da8ff", true, &[]),
    (
        "claude_code/entirecontext-2.1.232-2manualcompact.jsonl",
        "docs/retros/2026-08-12-init-installs-hooks-retro.md",
        true,
        &[],
    ),
    ("codex/mise-0.142.5-1compacted.jsonl", "DAY_NANOS", true, &[]),
    // After the last compaction, and what the user said before it, which is kept.
    ("codex/mise-0.142.5-1compacted.jsonl", "84666561390", true, &[]),
    ("codex/mise-0.144.2-gpt5.6-2compacted.jsonl", "make a pr for that", true, &[]),
    ("claude_code/entirecontext-2.1.232-2manualcompact.jsonl", "새로 올라온 리뷰 스레드 확인해주세요", true, &[]),
];

/// A session's main thread as it was recorded; nothing is counted.
fn recorded_of(path: &Path) -> (Sources, Transcript, Run) {
    let (sources, transcript) = data::open(path);
    let known = Known::nothing();
    let run = recorded(&transcript, ThreadId(0), known.facts(&transcript, &transcript.threads[0]));
    (sources, transcript, run)
}

#[test]
fn facts_picked_by_hand() {
    let Some(folder) = data::folder() else { return };
    let mut wrong = Vec::new();
    let mut picked = PICKED.to_vec();
    picked.sort_by_key(|picked| picked.0);
    for picked in picked.chunk_by(|one, other| one.0 == other.0) {
        let (sources, transcript, run) = recorded_of(&folder.join("transcripts").join(picked[0].0));
        let last = u32::try_from(run.steps.len()).unwrap();
        for (session, text, kept, rules) in picked {
            let fact = Fact::parse(text).unwrap();
            let found = find(&fact, &transcript, &sources, None, &Watch::default());
            let trace = trace(&fact, &found, &transcript, &sources, &run, Some(last));
            let rule = trace.loss.and_then(|loss| {
                let event = trace.occurrences[loss.occurrence].stays[loss.stay].event?;
                Some(run.events[event.0 as usize].rule.to_string())
            });
            let explained = *kept || rule.as_deref().is_some_and(|rule| rules.contains(&rule));
            if trace.origin().is_none() || trace.in_window != *kept || !explained {
                wrong.push(format!("{session}: {text}: {} by {rule:?}, {:?}", trace.in_window, trace.origin()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text that an entry shows, made without provenance.
fn shown(sources: &Sources, transcript: &Transcript, run: &Run, id: EntryId) -> String {
    let entry = run.entry(id).unwrap();
    let mut text = String::new();
    for made in &entry.content {
        match made {
            Made::Block(block) => {
                text.push_str(&sources.body_text(&transcript.block(*block).unwrap().body).unwrap());
            }
            Made::Part(block, from, to, original) => {
                let block = transcript.block(*block).unwrap();
                let body = block.original.as_deref().filter(|_| *original).unwrap_or(&block.body);
                let whole = sources.body_text(body).unwrap();
                let to = usize::try_from(*to).unwrap_or(usize::MAX).min(whole.len());
                text.push_str(&whole[*from as usize..to]);
            }
            Made::Text(words) => text.push_str(words),
            Made::Written(figures) => text.push_str(&figures.text(run)),
        }
        text.push('\n');
    }
    text
}

/// Words of a session that could be facts, spread over all of it.
fn sample(sources: &Sources, transcript: &Transcript, most: usize) -> Vec<String> {
    let mut all: BTreeSet<(u64, String)> = BTreeSet::new();
    for block in &transcript.blocks {
        let Ok(text) = sources.body_text(&block.body) else { continue };
        for word in text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_' || sign == '-')).take(3_000) {
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            if (7..=40).contains(&word.len()) && digits >= 2 && digits < word.len() {
                let mix = word
                    .bytes()
                    .fold(0xcbf2_9ce4_8422_2325_u64, |mix, byte| (mix ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
                all.insert((mix, word.to_owned()));
            }
        }
    }
    all.into_iter().take(most).map(|(_, word)| word).collect()
}

fn agrees(name: &str, sources: &Sources, transcript: &Transcript, run: &Run, most: usize) -> (usize, Vec<String>) {
    let last = u32::try_from(run.steps.len()).unwrap();
    let texts = |step: u32| {
        let window = run.window(step).into_iter().map(|id| shown(sources, transcript, run, id).to_lowercase());
        (step, window.collect::<Vec<String>>())
    };
    let windows = [texts(last), texts(last / 2 + 1)];
    let (mut checked, mut wrong) = (0, Vec::new());
    for word in sample(sources, transcript, most) {
        let fact = Fact::parse(&word).unwrap();
        let found = find(&fact, transcript, sources, None, &Watch::default());
        if found.places.is_empty() {
            continue;
        }
        let subject = Subject::new(&fact, &found, transcript);
        let reading = Reading::new(&subject, run);
        for (step, texts) in &windows {
            // The letters are looked for first, since the full search is slow.
            // What was refused as too long the model never got.
            let got = !reading.is_refused(*step);
            let searched = got && texts.iter().any(|text| text.contains(&word.to_lowercase()) && fact.is_in(text));
            checked += 1;
            if reading.is_visible(*step) != searched {
                wrong.push(format!("{name}: {word} at step {step}: searched {searched}"));
            }
        }
    }
    (checked, wrong)
}

#[test]
fn the_walk_agrees_with_a_search_of_the_windows() {
    let Some(folder) = data::folder() else { return };
    let (mut checked, mut wrong) = (0, Vec::new());
    let mut take = |(number, found): (usize, Vec<String>)| {
        checked += number;
        wrong.extend(found);
    };
    for session in [
        "claude_code/entire-ent109-2compact-2micro.jsonl",
        "claude_code/agentcmd-2.0.28-16summaries.jsonl",
        "codex/mise-0.142.5-1compacted.jsonl",
    ] {
        let (sources, transcript, run) = recorded_of(&folder.join("transcripts").join(session));
        take(agrees(session, &sources, &transcript, &run, 20));
    }
    for session in ["claude_code/agentcmd-2.0.28-16summaries.jsonl", "claude_code/entirecontext-2.1.231-opus5.jsonl"] {
        let (sources, transcript) = data::open(&folder.join("transcripts").join(session));
        let opened = plan(sources, transcript);
        let (mut policy, _) = preset("five-layer", None).unwrap();
        for size in ["window.size=15000", "window.size=60000"] {
            set(&mut policy, size).unwrap();
            let run = simulate(&opened.plan, &policy, &Given::default());
            take(agrees(session, &opened.sources, &opened.transcript, &run, 40));
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 100, "{checked}");
}
