//! OpenAI's Chat Completions API, and data sets in its shape.

use crate::model::{BlockKind, Coding, Layer, Role, Transcript, Usage};

use super::build::Draft;
use super::definitions::{definitions, response_format};
use super::exchange::{self, Answer, Dialect, Said, answered, look, prompts, traced};
use super::figure::Figures;
use super::habits::Habits;
use super::json::Json;
use super::openai_content::content;
use super::parts::{Parts, Piece, unknown_role};
use super::stored::{Stored, call_key};
use super::{Format, Input, OpenError, Probe};

/// The row of the table of formats.
pub const FORMAT: Format = Format {
    name: "openai_chat",
    title: "OpenAI Chat",
    marks: "a request with messages (roles system, user, assistant, tool), bare messages, or a response with choices",
    preset: "openai",
    habits: Habits::NONE,
    requests: true,
    detect,
    read,
    lines: false,
    places: &[],
};

/// Until messages came, a request had one prompt.
const PROMPT: &str = "prompt";

/// How its bodies are read.
pub(super) static DIALECT: Dialect = Dialect {
    format: FORMAT.name,
    messages: "messages",
    prompts: &[PROMPT, "input"],
    items: false,
    compaction_drops: false,
    drops_thinking: false,
    prefix,
    message,
    answer,
    usage,
    calls,
    told,
};

fn read(input: Input<'_>) -> Result<Transcript, OpenError> {
    exchange::read(input, &DIALECT)
}

fn detect(probe: &Probe<'_>) -> u8 {
    let look = look(probe, &["messages"]);
    let only = [
        "frequency_penalty",
        "max_completion_tokens",
        "response_format",
        "stream_options",
        "reasoning_effort",
        "functions",
    ];
    let message_only = ["tool_calls", "tool_call_id", "function_call", "reasoning_content"];
    let spoken = look.role(&["user", "assistant", "system", "tool"]);
    let answered = ["chat.completion", "chat.completion.chunk"].iter().any(|name| look.is("object", name));
    if look.has("choices") && (answered || look.has("usage") || look.has("model")) {
        return 90;
    }
    if look.bodies.iter().any(|body| traced(body)) {
        return 88;
    }
    if look.has("messages_display") {
        return 60;
    }
    if !spoken {
        return if look.bodies.iter().any(|body| prompts(body, PROMPT)) { 40 } else { 0 };
    }
    let strong = look.role(&["tool", "function", "developer"])
        || message_only.iter().any(|key| look.message_has(key))
        || look.tool(|tool| tool.get("function").is_some())
        || look.kind(|kind| matches!(kind, "image_url" | "input_audio"))
        || look.has("messages") && only.iter().any(|key| look.has(key));
    match (strong, look.role(&["system"])) {
        (true, _) => 88,
        (false, true) => 70,
        (false, false) => 50,
    }
}

/// Where programs that keep a request's messages apart keep its other parameters.
const PARAMETERS: &[&str] = &["model_parameters", "optional_params", "modelParameters", "invocation_params"];

fn prefix(stored: &Stored<'_>, body: &Json<'_>) -> Vec<Said> {
    let mut pieces = Vec::new();
    let format = [Some(body)].into_iter().chain(PARAMETERS.iter().map(|key| body.some(key)));
    let format = format.flatten().find_map(|held| held.some("response_format"));
    let apart = || PARAMETERS.iter().find_map(|key| body.some(key).filter(|held| held.some("tools").is_some()));
    let body = if body.some("tools").is_some() { body } else { apart().unwrap_or(body) };
    for tools in ["tools", "functions"].iter().filter_map(|key| body.some(key)) {
        match tools.text() {
            // Data sets keep the list as a text.
            Some(inner) if !inner.is_empty() && inner != b"[]" => {
                let draft = Draft::new(BlockKind::Definition, Layer::Tools, stored.text(inner, Coding::Json));
                pieces.push(Piece::new(draft.label("tools")));
            }
            _ => pieces.extend(definitions(stored, tools)),
        }
    }
    pieces.extend(response_format(stored, format));
    if pieces.is_empty() { Vec::new() } else { vec![Said::prefix(Role::System, stored, pieces)] }
}

fn calls(value: &Json<'_>) -> bool {
    ["tool_calls", "function_call"].iter().any(|key| value.some(key).is_some())
}

fn message(stored: &Stored<'_>, value: &Json<'_>) -> Said {
    let mut parts = Parts::default();
    let role = match &*value.str_of("role") {
        "system" => Role::System,
        "developer" => Role::Developer,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        "user" => Role::User,
        "" if calls(value) => Role::Assistant,
        other => {
            parts.unknown.push(unknown_role(other));
            Role::User
        }
    };
    match role {
        Role::System | Role::Developer => body(stored, value, BlockKind::Text, Layer::System, &mut parts),
        Role::User => body(stored, value, BlockKind::Text, Layer::User, &mut parts),
        Role::Assistant => spoken(stored, value, &mut parts),
        Role::Tool => result(stored, value, &mut parts),
    }
    Said::new(role, role == Role::Assistant, stored, parts.pieces, parts.unknown)
}

fn body<'a>(stored: &Stored<'a>, value: &Json<'a>, kind: BlockKind, layer: Layer, parts: &mut Parts) {
    if let Some(held) = value.get("content") {
        content(stored, held, kind, layer, parts);
    } else if !value.is_object() {
        content(stored, value, kind, layer, parts);
    }
}

/// What the model wrote: reasoning, text, a refusal, calls of tools.
fn spoken<'a>(stored: &Stored<'a>, value: &Json<'a>, parts: &mut Parts) {
    let thought = ["reasoning_content", "reasoning", "thinking"].iter().find_map(|key| value.some(key)?.text());
    if let Some(thought) = thought.filter(|thought| !thought.is_empty()) {
        let draft = Draft::new(BlockKind::Thinking, Layer::Thinking, stored.text(thought, Coding::Json));
        parts.pieces.push(Piece::new(draft));
    }
    let told = thought.is_some_and(|thought| !thought.is_empty());
    for detail in value.get("reasoning_details").map(Json::items).unwrap_or_default() {
        let text = ["text", "summary"].iter().find_map(|key| detail.some(key)?.text()).filter(|text| !text.is_empty());
        let sealed = detail.some("data").and_then(Json::text);
        match (text, sealed) {
            (Some(text), _) if !told => {
                let draft = Draft::new(BlockKind::Thinking, Layer::Thinking, stored.text(text, Coding::Json));
                parts.pieces.push(Piece::new(draft));
            }
            (None, Some(sealed)) => {
                parts.pieces.push(Piece::hidden(BlockKind::Thinking, Layer::Thinking, stored, Some(sealed)));
            }
            _ => {}
        }
    }
    body(stored, value, BlockKind::Text, Layer::Assistant, parts);
    if let Some(refusal) = value.some("refusal").and_then(Json::text).filter(|text| !text.is_empty()) {
        let draft = Draft::new(BlockKind::Text, Layer::Assistant, stored.text(refusal, Coding::Json));
        parts.pieces.push(Piece::new(draft.label("refusal")));
    }
    if let Some(audio) = value.some("audio") {
        let id = audio.get("id").and_then(Json::text);
        parts.pieces.push(Piece::hidden(BlockKind::Audio, Layer::Assistant, stored, id));
    }
    if value.some("tool_calls").is_some_and(|calls| !calls.is_list()) {
        parts.unknown.push("tool_calls is no list: it is not read".to_owned());
    }
    for call in value.get("tool_calls").map(Json::items).unwrap_or_default() {
        let id = call.str_of("id");
        let key = (!id.is_empty()).then(|| call_key(&id));
        let named = call.some("function").or_else(|| call.some("custom")).unwrap_or(call);
        parts.pieces.push(asked(stored, named).with_call(key));
    }
    if let Some(call) = value.some("function_call") {
        // Before calls had ids, a result named the function it came from.
        let key = call_key(&format!("function_call {}", call.str_of("name")));
        parts.pieces.push(asked(stored, call).with_call(Some(key)));
    }
}

fn asked<'a>(stored: &Stored<'a>, call: &Json<'a>) -> Piece {
    let arguments = ["arguments", "input"].iter().find_map(|key| call.some(key));
    let body = arguments.map_or_else(|| stored.raw(call), |arguments| stored.value(arguments));
    Piece::new(Draft::new(BlockKind::ToolCall, Layer::ToolCalls, body).label(call.str_of("name")))
}

fn result<'a>(stored: &Stored<'a>, value: &Json<'a>, parts: &mut Parts) {
    body(stored, value, BlockKind::ToolResult, Layer::ToolResults, parts);
    if parts.pieces.is_empty() {
        let empty = value.raw.get(..0).unwrap_or_default();
        let draft = Draft::new(BlockKind::ToolResult, Layer::ToolResults, stored.text(empty, Coding::Plain));
        parts.pieces.push(Piece::new(draft));
    }
    let name = ["name", "tool_name"].iter().find_map(|key| value.some(key)?.str()).unwrap_or_default();
    let id = value.str_of("tool_call_id");
    let key = match (id.is_empty(), name.is_empty()) {
        (false, _) => Some(call_key(&id)),
        (true, false) => Some(call_key(&format!("function_call {name}"))),
        (true, true) => None,
    };
    for piece in &mut parts.pieces {
        piece.draft.call = key;
        if piece.draft.label.is_empty() {
            piece.draft.label.push_str(&name);
        }
    }
}

fn answer(stored: &Stored<'_>, body: &Json<'_>) -> Option<Answer> {
    if let Some(answer) = evaluated(stored, body) {
        return Some(answer);
    }
    let choices = body.some("choices").filter(|choices| choices.is_list());
    let failed = body.some("error").is_some_and(|error| error.is_object()) && body.get("messages").is_none();
    if choices.is_none() && !failed {
        return None;
    }
    let mut answer = answered(body);
    answer.report(body, usage);
    let chosen = choices.and_then(|choices| choices.items().first());
    if let Some(chosen) = chosen.and_then(|chosen| chosen.some("message")) {
        answer.said.push(Said { by_model: true, ..message(&stored.within(chosen.raw), chosen) });
    } else if let Some(text) = chosen.and_then(|chosen| chosen.some("text")?.text()) {
        // What answers a prompt has no message.
        let draft = Draft::new(BlockKind::Text, Layer::Assistant, stored.text(text, Coding::Json));
        answer.said.push(Said::new(Role::Assistant, true, stored, vec![Piece::new(draft)], Vec::new()));
    }
    Some(answer)
}

/// A response as Ollama gives it: the message, and what was evaluated for it.
fn evaluated(stored: &Stored<'_>, body: &Json<'_>) -> Option<Answer> {
    let said = body.some("message").filter(|said| said.some("role").is_some())?;
    body.some("done").filter(|done| done.is_true())?;
    let mut answer = answered(body);
    let mut figures = Figures::default();
    let input = body.figure(&["prompt_eval_count"], &mut figures);
    let output = body.figure(&["eval_count"], &mut figures);
    answer.usage = input.map(|input| Usage { output, ..Usage::within(input, 0, 0) });
    answer.faults.append(&mut figures.faults);
    answer.said.push(Said { by_model: true, ..message(&stored.within(said.raw), said) });
    Some(answer)
}

/// Keys of what was read from a cache, and written to it, where that is no part of the input.
const READ: &[&str] = &["input_cached_tokens", "input_cache_read", "cache_read_input_tokens"];
const WRITTEN: &[&str] = &["input_cache_creation", "cache_creation_input_tokens"];

/// Cached tokens are a part of the prompt, reasoning a part of the completion.
fn usage(value: &Json<'_>, figures: &mut Figures) -> Option<Usage> {
    let within = figures.together(|figures| {
        let mut of = |path: &[&str]| value.figure(path, figures);
        let input = of(&["prompt_tokens"]).or_else(|| of(&["promptTokens"]));
        // Tracers count what was read from a cache and written to it apart.
        let mut apart = |keys: &[&str]| keys.iter().find_map(|key| of(&[*key])).unwrap_or(0);
        let (read, written) = (apart(READ), apart(WRITTEN));
        let told = input.is_none();
        let input = input.or_else(|| Some(of(&["input"])?.saturating_add(read).saturating_add(written)));
        let cached = of(&["prompt_tokens_details", "cached_tokens"]).unwrap_or(read);
        Usage::within(input.unwrap_or(0), cached, if told { written } else { 0 })
    });
    let output = ["completion_tokens", "completionTokens", "output"];
    let output = output.iter().find_map(|key| value.figure(&[key], figures));
    let reasoning = value.figure(&["completion_tokens_details", "reasoning_tokens"], figures);
    Some(Usage { output, reasoning, ..within? })
}

/// A conversation that was written down as one text, each message after `role: ` on a line of its own.
fn told(stored: &Stored<'_>, body: &Json<'_>) -> Option<Vec<Said>> {
    let text = body.get("messages_display")?.text()?;
    const SPEAKERS: &[(&str, Role, BlockKind, Layer)] = &[
        ("user: ", Role::User, BlockKind::Text, Layer::User),
        ("assistant: ", Role::Assistant, BlockKind::Text, Layer::Assistant),
        ("system: ", Role::System, BlockKind::Text, Layer::System),
        ("tool: ", Role::Tool, BlockKind::ToolResult, Layer::ToolResults),
    ];
    let speaker = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        SPEAKERS.iter().find(|(mark, ..)| rest.starts_with(mark.as_bytes()))
    };
    let breaks = memchr::memmem::find_iter(text, br"\n").map(|at| at + 2);
    let starts: Vec<usize> = std::iter::once(0).chain(breaks).filter(|at| speaker(*at).is_some()).collect();
    let mut said = Vec::new();
    for (index, start) in starts.iter().enumerate() {
        let Some((mark, role, kind, layer)) = speaker(*start) else { continue };
        let end = starts.get(index + 1).map_or(text.len(), |next| next - 2);
        let inner = text.get(start + mark.len()..end).unwrap_or_default();
        // A call of a tool has no text; what was called is not written down.
        let pieces = match inner {
            b"None" | b"" => Vec::new(),
            inner => vec![Piece::new(Draft::new(*kind, *layer, stored.text(inner, Coding::Json)))],
        };
        said.push(Said::new(*role, *role == Role::Assistant, stored, pieces, Vec::new()));
    }
    Some(said)
}
