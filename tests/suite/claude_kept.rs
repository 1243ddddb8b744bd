//! Claude Code: what a compaction keeps stays, whatever the next record names as the one before it.

use windowpane::content::{Sources, Watch};
use windowpane::engine::{Known, recorded};
use windowpane::model::{SourceKind, Stage, ThreadId};
use windowpane::transcript::{Input, read};

const SESSION: &str = r#"
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"one"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:01.000Z","message":{"id":"m1","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"two"}],"usage":{"input_tokens":50,"output_tokens":2}}}
{"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"s","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"three"}}
{"type":"assistant","uuid":"a2","parentUuid":"u2","sessionId":"s","timestamp":"2026-01-01T00:00:03.000Z","message":{"id":"m2","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"four"}],"usage":{"input_tokens":60,"output_tokens":2}}}
{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"a2","sessionId":"s","timestamp":"2026-01-01T00:00:04.000Z","content":"Conversation compacted","compactMetadata":{"trigger":"manual","preTokens":60,"preservedMessages":{"anchorUuid":"c","uuids":["u2","a2"],"allUuids":["u2","a2"]}}}
{"type":"user","uuid":"c","parentUuid":"b","sessionId":"s","timestamp":"2026-01-01T00:00:05.000Z","isCompactSummary":true,"message":{"role":"user","content":"summary"}}
{"type":"user","uuid":"u3","parentUuid":"c","sessionId":"s","timestamp":"2026-01-01T00:00:06.000Z","message":{"role":"user","content":"five"}}
{"type":"assistant","uuid":"a3","parentUuid":"u3","sessionId":"s","timestamp":"2026-01-01T00:00:07.000Z","message":{"id":"m3","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"six"}],"usage":{"input_tokens":40,"output_tokens":2}}}
"#;

#[test]
fn a_message_after_a_compaction_leaves_what_was_kept() {
    let mut sources = Sources::default();
    let main = sources.add_memory("s.jsonl", SourceKind::Transcript, SESSION.trim_start().as_bytes().to_vec());
    let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
    let transcript = read(input, None).expect("a session");
    let known = Known::nothing();
    let run = recorded(&transcript, ThreadId(0), known.facts(&transcript, &transcript.threads[0]));
    let stages: Vec<Stage> = run.events.iter().map(|event| event.stage).collect();
    assert_eq!(stages, [Stage::Summarise]);
    let texts: Vec<String> = run
        .window(3)
        .iter()
        .filter_map(|id| transcript.block(run.entry(*id)?.block()?))
        .map(|block| sources.body_text(&block.body).expect("text"))
        .collect();
    assert_eq!(texts, ["summary", "three", "four", "five"]);
}

#[test]
fn no_threshold_is_drawn_where_the_user_switched_compaction_off() {
    let off = r#"{"type":"user","uuid":"u3","parentUuid":"a1","sessionId":"s","timestamp":"2026-01-01T00:00:01.500Z","message":{"role":"user","content":"<local-command-stdout>Set Auto-compact to false</local-command-stdout>"}}"#;
    let mut lines: Vec<String> = SESSION.trim().lines().take(4).map(str::to_owned).collect();
    lines[2] = lines[2].replace(r#""parentUuid":"a1""#, r#""parentUuid":"u3""#);
    lines.insert(2, off.to_owned());
    let (_, transcript) = crate::data::open_bytes(lines.join("\n").into_bytes(), None);
    let known = Known::nothing();
    let run = recorded(&transcript, ThreadId(0), known.facts(&transcript, &transcript.threads[0]));
    let drawn: Vec<bool> = run.steps.iter().map(|step| step.threshold.is_some()).collect();
    assert_eq!(drawn, [true, false]);
}
