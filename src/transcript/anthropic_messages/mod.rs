//! Anthropic's Messages API.

mod parts;
mod usage;

use crate::model::{BlockKind, Layer, Record, Role, SourceId, Transcript};

use super::build::Draft;
use super::definitions::{definitions, response_format};
use super::exchange::{self, Answer, Cleared, Dialect, Said, answered, look};
use super::habits::Habits;
use super::json::Json;
use super::parts::{Parts, Piece, unknown_role};
use super::stored::Stored;
use super::{Format, Input, OpenError, Probe};

pub use usage::{of_input, sampled};

use parts::blocks;

/// The row of the table of formats.
pub const FORMAT: Format = Format {
    name: "anthropic_messages",
    title: "Anthropic Messages",
    marks: "a request with messages (roles user and assistant) and system or max_tokens, bare messages with tool_use blocks, or a response of type message",
    preset: "anthropic",
    habits: Habits::NONE,
    requests: true,
    detect,
    read,
    lines: false,
    places: &[],
};

/// How its bodies are read.
pub(super) static DIALECT: Dialect = Dialect {
    format: FORMAT.name,
    messages: "messages",
    prompts: &[],
    items: false,
    compaction_drops: true,
    drops_thinking: true,
    prefix,
    message,
    answer,
    usage: usage::usage,
    calls,
    told: |_, _| None,
};

/// Types of blocks that no other API has.
const OWN: &[&str] = &[
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "container_upload",
    "search_result",
    "compaction",
];

/// Whether no other API has blocks of that type.
pub(super) fn is_own(kind: &str) -> bool {
    OWN.contains(&kind) || kind.ends_with("_tool_result")
}

fn read(input: Input<'_>) -> Result<Transcript, OpenError> {
    exchange::read(input, &DIALECT)
}

fn detect(probe: &Probe<'_>) -> u8 {
    let look = look(probe, &["messages"]);
    if look.is("type", "message") && look.is("role", "assistant") && look.has("content") && look.has("usage") {
        return 92;
    }
    // Other vendors' models and gateways are asked for this one's models in OpenAI's dialect.
    let openai = look.has("choices") || look.tool(|tool| tool.get("function").is_some());
    if !look.role(&["user", "assistant"]) || look.role(&["tool", "function", "developer"]) || openai {
        return 0;
    }
    let own = look.kind(is_own);
    // Other programs speak OpenAI's dialect to these models too; there the system prompt is a message.
    let foreign = look.role(&["system"]);
    let named = look.has("system") || look.has("anthropic_version") || !foreign && look.model(&["claude", "anthropic"]);
    let asked = look.has("messages") && named || look.tool(|tool| tool.get("input_schema").is_some());
    let held =
        look.has("cache_control") || look.has("stop_sequences") || look.has("top_k") || look.has("context_management");
    match (own || asked, held) {
        (true, _) => 90,
        (false, true) if !foreign => 75,
        _ if look.has("max_tokens") && !foreign => 55,
        _ => 30,
    }
}

fn prefix(stored: &Stored<'_>, body: &Json<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let tools = body.some("tools").map(|tools| definitions(stored, tools)).unwrap_or_default();
    if !tools.is_empty() {
        said.push(Said::prefix(Role::System, stored, tools));
    }
    let format = body.some("output_config").and_then(|config| config.some("format"));
    let format = response_format(stored, format.or_else(|| body.some("output_format")));
    said.extend(format.map(|format| Said::prefix(Role::System, stored, vec![format])));
    if let Some(system) = body.some("system") {
        let mut parts = Parts::default();
        blocks(stored, system, BlockKind::Text, Layer::System, &mut parts);
        if !parts.pieces.is_empty() {
            said.push(Said::prefix(Role::System, stored, parts.pieces));
        }
    }
    said
}

fn calls(value: &Json<'_>) -> bool {
    let is_call = |one: &Json<'_>| one.str_of("type") == "tool_use";
    value.some("content").is_some_and(|content| content.items().iter().any(is_call))
}

fn message(stored: &Stored<'_>, value: &Json<'_>) -> Said {
    message_of(stored, value, &value.str_of("role"))
}

fn message_of(stored: &Stored<'_>, value: &Json<'_>, role: &str) -> Said {
    let mut parts = Parts::default();
    let (role, layer) = match role {
        "assistant" => (Role::Assistant, Layer::Assistant),
        "system" => (Role::System, Layer::System),
        "user" => (Role::User, Layer::User),
        "" if calls(value) => (Role::Assistant, Layer::Assistant),
        other => {
            parts.unknown.push(unknown_role(other));
            (Role::User, Layer::User)
        }
    };
    let held = if value.is_object() { value.get("content") } else { Some(value) };
    if let Some(held) = held {
        blocks(stored, held, BlockKind::Text, layer, &mut parts);
    }
    Said::new(role, role == Role::Assistant, stored, parts.pieces, parts.unknown)
}

fn answer(stored: &Stored<'_>, body: &Json<'_>) -> Option<Answer> {
    // What keeps a request and its answer in one object may leave the role out.
    let flat = body.get("role").is_none() && body.some("messages").is_some_and(Json::is_list);
    let spoken = (flat || body.str_of("role") == "assistant")
        && body.some("content").is_some_and(Json::is_list)
        && (body.get("stop_reason").is_some() || body.some("usage").is_some());
    let failed = body.str_of("type") == "error" && body.some("error").is_some();
    if !spoken && !failed {
        return None;
    }
    let mut answer = answered(body);
    answer.report(body, usage::usage);
    let reported = body.some("usage");
    answer.summary = reported.and_then(usage::summary);
    answer.asides = reported.map(usage::asides).unwrap_or_default();
    let edits = body.some("context_management").and_then(|held| held.get("applied_edits")).map(Json::items);
    let sum = |name| edits.unwrap_or_default().iter().filter_map(|edit| edit.count_of(name)).sum();
    answer.cleared =
        Cleared { calls: sum("cleared_tool_uses"), turns: sum("cleared_thinking_turns"), is_told: edits.is_some() };
    if spoken {
        answer.said.push(message_of(stored, body, "assistant"));
    }
    Some(answer)
}

/// How many blocks a part of a message's content is read as.
#[must_use]
pub fn blocks_of(part: &Json<'_>) -> usize {
    let record = Record { source: SourceId(0), line: 1, start: 0, end: part.raw.len() as u64 };
    let mut parts = Parts::default();
    blocks(&Stored { bytes: part.raw, record }, part, BlockKind::Text, Layer::User, &mut parts);
    parts.pieces.len()
}

/// A block kept as the JSON that it is.
fn raw<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer) -> Piece {
    Piece::new(Draft::new(kind, layer, stored.raw(value)))
}
