//! Real Codex rollouts, checked against a naive reading of the same lines.

use std::collections::HashSet;

use serde_json::Value;
use windowpane::model::{Layer, Op, Outcome, Thread, Transcript};

use crate::data;

/// The lines as JSON, with their numbers.
fn lines(bytes: &[u8]) -> Vec<(u32, Value)> {
    let text = String::from_utf8_lossy(bytes);
    (1u32..).zip(text.lines()).filter_map(|(line, text)| Some((line, serde_json::from_str(text).ok()?))).collect()
}

/// The counts that tell of a request: an input, and sums that changed; line, input and total.
fn counts(lines: &[(u32, Value)]) -> Vec<(u32, u64, u64)> {
    let mut found = Vec::new();
    let mut before = Value::Null;
    let mut review = false;
    for (line, value) in lines {
        let payload = &value["payload"];
        if value["type"] == "event_msg" {
            review = match payload["type"].as_str() {
                Some("entered_review_mode") => true,
                Some("exited_review_mode" | "turn_aborted") => false,
                _ => review,
            };
        }
        let info = &payload["info"];
        if payload["type"] != "token_count" || !info.is_object() || review {
            continue;
        }
        let number = |key: &str| info["last_token_usage"][key].as_u64().unwrap_or(0);
        let (input, total) = (number("input_tokens"), number("total_tokens"));
        if input > 0 && info["total_token_usage"] != before {
            found.push((*line, input, total));
        }
        before = info["total_token_usage"].clone();
    }
    found
}

fn reported(thread: &Thread) -> Vec<u64> {
    thread.requests.iter().filter_map(|request| request.usage).map(|usage| usage.context()).collect()
}

#[test]
fn steps_with_usage_are_the_distinct_counts_in_order() {
    for path in data::transcripts("codex") {
        let naive: Vec<u64> = counts(&lines(&data::bytes(&path))).iter().map(|(_, input, _)| *input).collect();
        let (_, transcript) = data::open(&path);
        assert_eq!(reported(&transcript.threads[0]), naive, "{}", path.display());
    }
}

/// A compaction and the first context that is reported after it.
struct Compacted {
    line: u32,
    before: Option<u64>,
    after: Option<u64>,
    first: Option<u64>,
}

fn compactions(thread: &Thread) -> Vec<Compacted> {
    let mut found: Vec<Compacted> = Vec::new();
    for op in &thread.ops {
        match op {
            Op::Compact(compaction) => {
                assert_eq!(compaction.trigger, None);
                let (before, after) = (compaction.tokens_before, compaction.tokens_after);
                found.push(Compacted { line: compaction.record.line, before, after, first: None });
            }
            Op::Request(id) => {
                let usage = thread.requests[id.0 as usize].usage;
                for row in found.iter_mut().rev().take_while(|row| row.first.is_none()) {
                    row.first = usage.map(|usage| usage.context());
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn the_table_of_compactions_is_reproduced() {
    for path in data::transcripts("codex") {
        let name = format!("codex/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let rows: Vec<Vec<String>> = data::table("COMPACTIONS.tsv").into_iter().filter(|row| row[0] == name).collect();
        let (_, transcript) = data::open(&path);
        let found = compactions(&transcript.threads[0]);
        assert_eq!(found.len(), rows.len(), "{name}");
        for (row, Compacted { line, before, after, first }) in rows.iter().zip(found) {
            assert_eq!(row[1], line.to_string(), "{name}");
            // The trimmed collection's figures mean nothing.
            if name.contains("schema-zoo") {
                continue;
            }
            let same = |cell: &str, figure: Option<u64>| assert_eq!(cell.parse().ok(), figure, "{name}:{line}");
            same(&row[5], after);
            same(&row[6], before);
            same(&row[7], first);
        }
    }
}

fn window_after(transcript: &Transcript, nth: usize) -> Vec<Layer> {
    let compaction = transcript.threads[0].ops.iter().filter_map(|op| match op {
        Op::Compact(compaction) => Some(compaction),
        _ => None,
    });
    let window = &compaction.clone().nth(nth).expect("a compaction").window;
    window.iter().map(|id| transcript.block(*id).expect("a block").layer).collect()
}

#[test]
fn what_survives_a_compaction_is_what_the_rollout_says() {
    for path in data::transcripts("codex") {
        let (_, transcript) = data::open(&path);
        let compacted: Vec<Value> = lines(&data::bytes(&path))
            .into_iter()
            .map(|(_, line)| line)
            .filter(|line| line["type"] == "compacted")
            .collect();
        for (nth, line) in compacted.iter().enumerate() {
            let layers = window_after(&transcript, nth);
            let history = line["payload"]["replacement_history"].as_array().cloned().unwrap_or_default();
            let visible = history.iter().filter(|item| item["type"] != "ghost_snapshot");
            let parts: usize = visible.map(|item| item["content"].as_array().map_or(1, Vec::len)).sum();
            let prefix = layers.iter().filter(|layer| matches!(layer, Layer::System | Layer::Tools)).count();
            assert_eq!(layers.len() - prefix, parts, "{} #{nth}", path.display());
        }
    }
}

#[test]
fn blocks_that_survive_a_compaction_are_the_same_blocks() {
    for path in data::transcripts("codex").iter().filter(|path| path.to_string_lossy().contains("compacted")) {
        let (_, transcript) = data::open(path);
        let mut seen = HashSet::new();
        for op in &transcript.threads[0].ops {
            match op {
                Op::Add(id) => assert!(seen.insert(*id), "a block is added twice"),
                Op::Compact(compaction) => {
                    let kept = compaction.window.iter().filter(|id| seen.contains(id)).count();
                    let unique: HashSet<_> = compaction.window.iter().collect();
                    assert_eq!(unique.len(), compaction.window.len());
                    assert!(kept * 2 > compaction.window.len(), "{}: {kept} of {}", path.display(), unique.len());
                    seen.extend(compaction.window.iter().copied());
                }
                _ => {}
            }
        }
    }
}

#[test]
fn every_item_is_one_message_and_every_call_has_its_result() {
    for path in data::transcripts("codex").iter().filter(|path| !path.to_string_lossy().contains("schema-zoo")) {
        let (_, transcript) = data::open(path);
        let mut calls: HashSet<_> = HashSet::new();
        for block in &transcript.blocks {
            match block.layer {
                // A search that the provider ran itself may stand without an id.
                Layer::ToolCalls => match block.call {
                    Some(key) => drop(calls.insert(key)),
                    None => assert_eq!(&*block.label, "web_search"),
                },
                Layer::ToolResults => {
                    assert!(calls.contains(&block.call.expect("a result has a key")), "{}", path.display());
                }
                _ => {}
            }
        }
        let items = lines(&data::bytes(path)).iter().filter(|(_, line)| line["type"] == "response_item").count();
        let logged = transcript.messages.iter().filter(|message| message.record.line > 0).count();
        assert!(logged >= items, "{}: {logged} of {items}", path.display());
        assert!(transcript.warnings.is_empty(), "{}: {:?}", path.display(), transcript.warnings);
    }
}

#[test]
fn aborted_requests_are_steps_too() {
    let rollouts = data::transcripts("codex");
    let Some(path) = rollouts.iter().find(|path| path.to_string_lossy().contains("rollout-2025")) else { return };
    let (_, transcript) = data::open(path);
    let outcomes: Vec<Outcome> = transcript.threads[0].requests.iter().map(|request| request.outcome).collect();
    // Of four interruptions two came after the answer's usage was known.
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Outcome::Aborted).count(), 2);
}
