//! Writes small sessions as Claude Code and Codex log them.

use serde_json::{Value, json};

/// A Claude Code session in the making: each record follows the one before.
#[derive(Default)]
pub struct Log {
    records: Vec<Value>,
    last: Option<String>,
    folder: Option<String>,
}

impl Log {
    pub fn new() -> Log {
        Log::default()
    }

    pub fn record(mut self, kind: &str, more: Value) -> Log {
        let uuid = format!("r{}", self.records.len() + 1);
        let mut record = json!({
            "parentUuid": self.last, "isSidechain": false, "cwd": self.folder.as_deref().unwrap_or("/w"), "sessionId": "S", "version": "2.1.20",
            "type": kind, "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z",
        });
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.records.push(record);
        self.last = Some(uuid);
        self
    }

    /// What follows happens in another folder.
    pub fn in_folder(mut self, folder: &str) -> Log {
        self.folder = Some(folder.to_owned());
        self
    }

    pub fn user(self, text: &str) -> Log {
        self.record("user", json!({"message": {"role": "user", "content": text}}))
    }

    fn answer(self, block: &Value) -> Log {
        let id = format!("m{}", self.records.len() + 1);
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-test",
            "stop_reason": null, "content": [block]});
        self.record("assistant", json!({"message": message, "requestId": id}))
    }

    pub fn says(self, text: &str) -> Log {
        self.answer(&json!({"type": "text", "text": text}))
    }

    pub fn thinks(self, text: &str) -> Log {
        self.answer(&json!({"type": "thinking", "thinking": text, "signature": ""}))
    }

    pub fn calls(self, call: &str, name: &str, input: Value) -> Log {
        self.answer(&json!({"type": "tool_use", "id": call, "name": name, "input": input}))
    }

    pub fn result(self, call: &str, text: &str) -> Log {
        self.result_of(call, text, Value::Null)
    }

    /// A result with what the tool itself returned.
    pub fn result_of(self, call: &str, text: &str, whole: Value) -> Log {
        let block = json!({"type": "tool_result", "tool_use_id": call, "content": text});
        let mut more = json!({"message": {"role": "user", "content": [block]}});
        if !whole.is_null() {
            more["toolUseResult"] = whole;
        }
        self.record("user", more)
    }

    /// A shell's call and its result.
    pub fn shell(self, call: &str, command: &str, output: &str) -> Log {
        self.calls(call, "Bash", json!({"command": command})).result(call, output)
    }

    pub fn attachment(self, attachment: Value) -> Log {
        self.record("attachment", json!({"attachment": attachment}))
    }

    /// A compaction and its summary.
    pub fn compacts(mut self, metadata: Value, summary: &str) -> Log {
        let before = self.last.take();
        self.record(
            "system",
            json!({"subtype": "compact_boundary", "logicalParentUuid": before, "compactMetadata": metadata}),
        )
        .record("user", json!({"isCompactSummary": true, "message": {"role": "user", "content": summary}}))
    }

    pub fn clears(self, calls: &[&str]) -> Log {
        let metadata =
            json!({"trigger": "auto", "preTokens": 140_000, "tokensSaved": 30_000, "compactedToolIds": calls});
        self.record("system", json!({"subtype": "microcompact_boundary", "microcompactMetadata": metadata}))
    }

    /// Goes on after an earlier record, by its number from 1.
    pub fn after(mut self, number: usize) -> Log {
        self.last = Some(format!("r{number}"));
        self
    }

    /// Records of a subagent.
    pub fn aside(mut self, records: Log) -> Log {
        let back = self.last.clone();
        let mut parent = Value::Null;
        for mut record in records.records {
            let uuid = json!(format!("x{}", self.records.len() + 1));
            record["isSidechain"] = json!(true);
            record["parentUuid"] = std::mem::replace(&mut parent, uuid.clone());
            record["uuid"] = uuid;
            if let Some(id) = record.pointer_mut("/message/id") {
                *id = json!(format!("s{}", self.records.len()));
            }
            self.records.push(record);
        }
        self.last = back;
        self
    }

    /// The session as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        lines(&self.records)
    }
}

pub fn lines(records: &[Value]) -> Vec<u8> {
    records.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect()
}

/// Lines that say nothing, each about a dozen tokens.
pub fn filler(from: usize, lines: usize) -> String {
    (from..from + lines).map(|line| format!("row {line} of the listing was read without any remark\n")).collect()
}

/// A Codex rollout.
pub fn codex(payloads: &[(&str, Value)]) -> Vec<u8> {
    let line = |(kind, payload): &(&str, Value)| json!({"timestamp": "2026-01-02T03:04:05.678Z", "type": kind, "payload": payload});
    lines(&payloads.iter().map(line).collect::<Vec<_>>())
}

pub fn message(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}
