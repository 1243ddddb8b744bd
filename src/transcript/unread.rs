//! Formats that are known by sight but not read yet, so that none is taken for another.

use serde_json::Value;

use super::Probe;

/// A format known by sight.
pub(super) struct Unread {
    /// Name for people.
    pub title: &'static str,
    detect: fn(&Probe<'_>) -> bool,
}

/// Every one; a row moves to the table of formats when its reader is there.
const UNREAD: &[Unread] = &[
    Unread { title: "Gemini CLI chat", detect: gemini },
    Unread { title: "OpenCode export", detect: opencode },
    Unread { title: "Pi session", detect: pi },
    Unread { title: "Copilot CLI session", detect: copilot },
    Unread { title: "stream of Codex's events (exec --json), without what the model was sent", detect: codex_events },
    Unread { title: "PydanticAI history", detect: pydantic },
    Unread { title: "LangChain history", detect: langchain },
    Unread { title: "SWE-agent trajectory", detect: swe_agent },
    Unread { title: "OpenHands trajectory", detect: openhands },
    Unread { title: "inspect_ai log", detect: inspect },
    Unread { title: "OpenTelemetry trace", detect: telemetry },
    Unread { title: "ShareGPT data set", detect: sharegpt },
    Unread { title: "Vercel AI SDK chat", detect: vercel },
    Unread { title: "Aider chat history", detect: aider },
    Unread {
        title: "session database of OpenCode or Cursor (SQLite)",
        detect: |probe| probe.head.starts_with(b"SQLite format 3\0"),
    },
];

/// The known format that a file looks like.
pub(super) fn looks_like(probe: &Probe<'_>) -> Option<&'static Unread> {
    UNREAD.iter().find(|unread| (unread.detect)(probe))
}

fn has(value: &Value, keys: &[&str]) -> bool {
    keys.iter().all(|key| value.get(key).is_some())
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The first elements of the array that is the file, or stands under a key.
fn elements<'a>(probe: &'a Probe<'_>, key: &str) -> &'a [Value] {
    let whole = probe.whole.as_ref();
    let array = whole.and_then(Value::as_array);
    array.or_else(|| whole?.get(key)?.as_array()).map(Vec::as_slice).unwrap_or_default()
}

fn gemini(probe: &Probe<'_>) -> bool {
    let part = |message: &Value| text(message, "role") == "model" && has(message, &["parts"]);
    probe.values().any(|value| has(value, &["sessionId", "projectHash"]))
        || ["history", "contents"].iter().any(|key| elements(probe, key).iter().any(part))
}

fn opencode(probe: &Probe<'_>) -> bool {
    probe.whole.as_ref().is_some_and(|whole| {
        has(whole, &["info", "messages"]) && elements(probe, "messages").iter().all(|one| has(one, &["info", "parts"]))
            || has(whole, &["id", "projectID", "directory"])
            || has(whole, &["id", "sessionID"]) && (has(whole, &["messageID"]) || has(whole, &["role", "time"]))
    })
}

fn pi(probe: &Probe<'_>) -> bool {
    probe.any(|line| text(line, "type") == "session" && has(line, &["id", "timestamp", "cwd"]))
}

fn copilot(probe: &Probe<'_>) -> bool {
    probe.any(|line| text(line, "type") == "session.start" && has(line, &["data"]))
}

fn codex_events(probe: &Probe<'_>) -> bool {
    probe.any(|line| {
        text(line, "type") == "thread.started" && has(line, &["thread_id"])
            || text(line, "type") == "item.completed" && has(line, &["item"])
    })
}

fn pydantic(probe: &Probe<'_>) -> bool {
    elements(probe, "messages").iter().any(|one| {
        has(one, &["kind", "parts"])
            && one["parts"].as_array().is_some_and(|all| all.iter().any(|part| has(part, &["part_kind"])))
    })
}

fn langchain(probe: &Probe<'_>) -> bool {
    let message = |one: &Value| {
        has(one, &["lc", "kwargs"])
            || matches!(text(one, "type"), "human" | "ai") && (has(one, &["data"]) || has(one, &["content"]))
    };
    let state = probe.whole.as_ref().and_then(|whole| whole.get("values")?.get("messages")?.as_array());
    elements(probe, "messages").iter().any(message) || state.is_some_and(|all| all.iter().any(message))
}

fn swe_agent(probe: &Probe<'_>) -> bool {
    probe.whole.as_ref().is_some_and(|whole| has(whole, &["trajectory"]) || has(whole, &["info", "trajectory_format"]))
}

fn openhands(probe: &Probe<'_>) -> bool {
    let event = |one: &Value| has(one, &["source"]) && (has(one, &["action"]) || has(one, &["observation"]));
    let new = |line: &Value| has(line, &["id", "timestamp", "source", "kind"]);
    elements(probe, "history").iter().any(event)
        || probe.any(|line| has(line, &["instance_id", "history"]) || new(line))
        || probe.whole.as_ref().is_some_and(new)
}

fn inspect(probe: &Probe<'_>) -> bool {
    let archive = probe.head.starts_with(b"PK\x03\x04") && {
        let find = |name: &[u8]| memchr::memmem::find(probe.head, name).is_some();
        find(b"_journal/") || find(b"header.json") || find(b"samples/")
    };
    archive || probe.whole.as_ref().is_some_and(|whole| has(whole, &["version", "status", "eval"]))
}

fn telemetry(probe: &Probe<'_>) -> bool {
    probe.values().any(|value| has(value, &["resourceSpans"]))
}

fn sharegpt(probe: &Probe<'_>) -> bool {
    let is = |one: &Value| one.get("conversations").is_some_and(Value::is_array);
    probe.values().any(is) || elements(probe, "data").iter().any(is)
}

fn vercel(probe: &Probe<'_>) -> bool {
    let is = |one: &Value| {
        has(one, &["role"])
            && (has(one, &["toolInvocations"]) || one.get("parts").is_some_and(Value::is_array) && !has(one, &["kind"]))
    };
    elements(probe, "messages").iter().any(is)
}

fn aider(probe: &Probe<'_>) -> bool {
    let text = String::from_utf8_lossy(probe.head.get(..probe.head.len().min(4096)).unwrap_or_default());
    text.contains("# aider chat started at ")
}
