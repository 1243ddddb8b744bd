//! Rules of the format, each over a few records written by hand.

mod compaction;
mod content;
mod damage;
mod exported;
mod forks;
mod replaced;
mod requests;
mod rewinds;
mod sides;
mod stream;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::read_as;
use crate::content::{MemoryBytes, ReadAt, Sources, Watch};
use crate::model::{Block, BlockId, Op, SourceKind, Thread, Transcript};
use crate::transcript::{Input, Siblings};

/// A session that was read.
struct Read {
    sources: Sources,
    transcript: Transcript,
}

/// Files beside a session.
#[derive(Default)]
struct Beside(HashMap<String, Vec<u8>>);

impl Siblings for Beside {
    fn list(&self, folder: &str) -> Vec<String> {
        let under = |name: &String| if folder.is_empty() { !name.contains('/') } else { name.starts_with(folder) };
        let mut found: Vec<String> = self.0.keys().filter(|name| under(name)).cloned().collect();
        found.sort();
        found
    }

    fn open(&self, name: &str) -> Option<Arc<dyn ReadAt>> {
        Some(Arc::new(MemoryBytes(self.0.get(name)?.clone())))
    }
}

fn lines(records: &[Value]) -> Vec<u8> {
    records.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect()
}

fn read(records: &[Value]) -> Read {
    read_bytes(lines(records))
}

fn read_bytes(bytes: Vec<u8>) -> Read {
    read_with(bytes, &Beside::default())
}

fn read_with(bytes: Vec<u8>, beside: &Beside) -> Read {
    let mut sources = Sources::default();
    let main = sources.add_memory("folder/S.jsonl", SourceKind::Transcript, bytes);
    let input = Input { sources: &mut sources, main, siblings: Some(beside), watch: &Watch::default() };
    let transcript = read_as("claude_code", input).unwrap();
    Read { sources, transcript }
}

impl Read {
    fn main(&self) -> &Thread {
        &self.transcript.threads[0]
    }

    fn block(&self, id: BlockId) -> &Block {
        self.transcript.block(id).unwrap()
    }

    fn text(&self, id: BlockId) -> String {
        self.sources.body_text(&self.block(id).body).unwrap()
    }

    /// The windows of a thread's requests, as texts.
    fn windows(&self, thread: &Thread) -> Vec<Vec<String>> {
        let (mut window, mut windows): (Vec<(BlockId, Option<&str>)>, Vec<_>) = (Vec::new(), Vec::new());
        for op in &thread.ops {
            match op {
                Op::Add(id) => window.push((*id, None)),
                Op::Request(_) => {
                    let text =
                        |(id, marker): &(BlockId, Option<&str>)| marker.map_or_else(|| self.text(*id), str::to_owned);
                    windows.push(window.iter().map(text).collect());
                }
                Op::Compact(compaction) => window = compaction.window.iter().map(|id| (*id, None)).collect(),
                Op::Rewind(rewind) => window = rewind.window.iter().map(|id| (*id, None)).collect(),
                Op::Shorten(_) => {}
                Op::Clear(clearing) => {
                    for (id, marker) in &mut window {
                        if clearing.blocks.contains(id) {
                            *marker = Some(clearing.marker);
                        }
                    }
                }
            }
        }
        windows
    }

    /// The window of the main thread's last request.
    fn last(&self) -> Vec<String> {
        self.windows(self.main()).pop().unwrap()
    }

    /// The block of the main file with that text.
    fn find(&self, text: &str) -> &Block {
        let ids = (0u32..).map(BlockId).take(self.transcript.blocks.len());
        let id = ids.into_iter().find(|id| self.text(*id) == text);
        self.block(id.unwrap_or_else(|| panic!("there is no block {text:?}")))
    }
}

/// A record of a chain: `parent` is `""` for none.
fn chained(kind: &str, uuid: &str, parent: &str, more: Value) -> Value {
    let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
    let mut record = json!({
        "parentUuid": parent, "isSidechain": false, "cwd": "/w", "sessionId": "S", "version": "2.1.20",
        "type": kind, "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z",
    });
    merge(&mut record, more);
    record
}

fn merge(record: &mut Value, more: Value) {
    if let (Some(record), Value::Object(more)) = (record.as_object_mut(), more) {
        record.extend(more);
    }
}

/// What a person typed.
fn user(uuid: &str, parent: &str, text: &str) -> Value {
    chained("user", uuid, parent, json!({"message": {"role": "user", "content": text}}))
}

/// One line of an answer: the message's id, a block, the context that it reports.
fn answer(uuid: &str, parent: &str, message: &str, block: Value, context: u64) -> Value {
    let usage = json!({"input_tokens": 3, "cache_read_input_tokens": context - 3, "output_tokens": 1});
    let message = json!({
        "id": message, "type": "message", "role": "assistant", "model": "claude-test", "stop_reason": null,
        "content": [block], "usage": usage,
    });
    chained("assistant", uuid, parent, json!({"message": message, "requestId": "req"}))
}

/// One line of text of an answer.
fn says(uuid: &str, parent: &str, message: &str, text: &str) -> Value {
    answer(uuid, parent, message, json!({"type": "text", "text": text}), 100)
}

/// One call in an answer.
fn calls(uuid: &str, parent: &str, message: &str, call: &str, name: &str) -> Value {
    answer(uuid, parent, message, json!({"type": "tool_use", "id": call, "name": name, "input": {"of": call}}), 100)
}

/// What a tool answered.
fn result(uuid: &str, parent: &str, call: &str, text: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": call, "content": text});
    chained("user", uuid, parent, json!({"message": {"role": "user", "content": [block]}}))
}

/// Something that the agent added.
fn attachment(uuid: &str, parent: &str, attachment: Value) -> Value {
    chained("attachment", uuid, parent, json!({"attachment": attachment}))
}
