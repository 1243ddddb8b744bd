//! Real sessions of Claude Code, held against a naive reading of the same files.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;
use windowpane::model::{Op, Request, ThreadKind, Transcript};

use crate::data;

const FORMATS: &[&str] = &["claude_code", "claude_stream_json"];

/// The context of a request as its usage reports it: of the first sampling of the model itself, where there are
/// several.
fn context(usage: &Value) -> u64 {
    let own = |one: &&Value| one["type"] == "message";
    let sampled = usage["iterations"].as_array().cloned().unwrap_or_default();
    let of = match sampled.iter().filter(own).count() {
        0 | 1 => usage.clone(),
        _ => sampled.iter().find(own).cloned().unwrap_or_default(),
    };
    ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
        .iter()
        .map(|name| of[name].as_u64().unwrap_or(0))
        .sum()
}

/// The ids of the model's messages that report usage in the main thread, each with its last context, in order.
fn reported(path: &Path) -> Vec<(String, u64)> {
    let text = String::from_utf8_lossy(&data::bytes(path)).into_owned();
    let records: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let side = |record: &Value| record["isSidechain"] == true || record["parent_tool_use_id"].is_string();
    // A subagent's own file, opened by itself, is its main thread.
    let speaks = |record: &&Value| record["type"] == "user" || record["type"] == "assistant";
    let alone = records.iter().filter(speaks).all(side);
    let mut found: Vec<(String, u64)> = Vec::new();
    for record in records.iter().filter(|record| alone || !side(record)) {
        let message = &record["message"];
        if record["type"] != "assistant" || message["model"] == "<synthetic>" || !message["usage"].is_object() {
            continue;
        }
        let id = message["id"].as_str().unwrap_or_default().to_owned();
        let size = context(&message["usage"]);
        match found.iter_mut().find(|(known, _)| *known == id) {
            Some((_, last)) => *last = size,
            None => found.push((id, size)),
        }
    }
    found
}

fn with_usage(transcript: &Transcript) -> Vec<&Request> {
    transcript.threads[0].requests.iter().filter(|request| request.usage.is_some()).collect()
}

#[test]
fn steps_with_usage_are_the_messages_that_report_it() {
    for path in FORMATS.iter().flat_map(|format| data::transcripts(format)) {
        let (_, transcript) = data::open(&path);
        let expected = reported(&path);
        let found: Vec<(String, u64)> = with_usage(&transcript)
            .iter()
            .map(|request| {
                let id = request.key.as_deref().unwrap_or_default().to_owned();
                (id, request.usage.map_or(0, |usage| usage.context()))
            })
            .collect();
        assert_eq!(found, expected, "{}", path.display());
        let distinct: HashSet<&str> = expected.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(found.len(), distinct.len(), "{}", path.display());
    }
}

/// What `COMPACTIONS.tsv` says of one boundary.
fn rows(name: &str) -> Vec<Vec<String>> {
    let Some(folder) = data::folder() else { return Vec::new() };
    let table = String::from_utf8(data::bytes(&folder.join("transcripts/COMPACTIONS.tsv"))).expect("text");
    let rows = table.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    rows.filter(|row| row[0].starts_with(name)).collect()
}

#[test]
fn compactions_are_reproduced() {
    let Some(folder) = data::folder() else { return };
    let all = rows("claude_code/");
    assert!(!all.is_empty(), "there are no compactions of this format");
    for row in &all {
        let (_, transcript) = data::open(&folder.join("transcripts").join(&row[0]));
        let main = &transcript.threads[0];
        let line: u32 = row[1].parse().expect("a line");
        let before: Option<u64> = row[4].parse().ok();
        let at = main.ops.iter().position(|op| match op {
            Op::Compact(compaction) => row[2] == "compact_boundary" && compaction.record.line == line,
            Op::Clear(clearing) => row[2] == "microcompact_boundary" && clearing.record.line == line,
            _ => false,
        });
        let at = at.unwrap_or_else(|| panic!("{row:?} is missing"));
        let trigger = match &main.ops[at] {
            Op::Compact(compaction) => {
                assert_eq!(compaction.tokens_before, before, "{row:?}");
                assert!(row[5].is_empty() || compaction.tokens_after == row[5].parse().ok(), "{row:?}");
                // The trimmed collection holds the summary of one on a side chain, and none of the other.
                assert!(!compaction.window.is_empty() || row[0].contains("schema-zoo"), "{row:?}");
                compaction.trigger
            }
            Op::Clear(clearing) => {
                assert_eq!((clearing.tokens_before, clearing.tokens_saved), (before, row[5].parse().ok()), "{row:?}");
                assert_eq!(clearing.blocks.len(), row[8].parse::<usize>().expect("a number"), "{row:?}");
                clearing.trigger
            }
            _ => None,
        };
        // A masked recording names no trigger, and reports nothing but zeros.
        let named = Some(row[3].as_str()).filter(|name| !name.starts_with('['));
        assert_eq!(trigger.map(|trigger| format!("{trigger:?}").to_lowercase()).as_deref(), named);
        let usage = |op: &Op| match op {
            Op::Request(id) => main.requests[id.0 as usize].usage.map(|usage| usage.context()).filter(|size| *size > 0),
            _ => None,
        };
        assert_eq!(main.ops[..at].iter().rev().find_map(usage), row[6].parse().ok(), "{row:?}");
        assert_eq!(main.ops[at..].iter().find_map(usage), row[7].parse().ok(), "{row:?}");
    }
}

#[test]
fn subagents_are_reached_from_their_calls_and_never_count_in_main() {
    let mut linked = 0;
    for path in FORMATS.iter().flat_map(|format| data::transcripts(format)) {
        let (_, transcript) = data::open(&path);
        let zoo = path.to_string_lossy().contains("schema-zoo");
        for (number, thread) in transcript.threads.iter().enumerate() {
            assert_eq!(number == 0, thread.kind == ThreadKind::Main, "{}", path.display());
            if let ThreadKind::Subagent(call) = thread.kind
                && !zoo
            {
                let call = call.unwrap_or_else(|| panic!("{}: {} has no call", path.display(), thread.title));
                let block = transcript.block(call).expect("a block");
                assert!(["Task", "Agent"].contains(&&*block.label), "{}", path.display());
                linked += 1;
            }
        }
        let summarised = |op: &Op| matches!(op, Op::Compact(compaction) if compaction.summariser.is_some());
        let summarisers = transcript.threads.iter().filter(|thread| thread.kind == ThreadKind::Summariser).count();
        let credited = transcript.threads[0].ops.iter().filter(|op| summarised(op)).count();
        assert_eq!(summarisers, credited, "{}", path.display());
    }
    assert!(linked > 0 || data::folder().is_none());
}
