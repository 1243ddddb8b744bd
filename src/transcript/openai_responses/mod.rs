//! OpenAI's Responses API. Codex logs the same items.

mod item;
mod outcome;

pub use item::{AGENT_MESSAGE, Item, item, of_agent};

use crate::model::{BlockKind, Layer, Role, Transcript, Usage};

use super::definitions::{definitions, response_format};
use super::exchange::{self, Answer, Dialect, Said, answered, look, string, traced};
use super::figure::Figures;
use super::habits::Habits;
use super::json::Json;
use super::openai_content::content;
use super::parts::Parts;
use super::stored::Stored;
use super::{Format, Input, OpenError, Probe};

/// The row of the table of formats.
pub const FORMAT: Format = Format {
    name: "openai_responses",
    title: "OpenAI Responses",
    marks: "a request with input (and model, instructions or tools), bare items, or a response with output",
    preset: "openai",
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
    messages: "input",
    prompts: &[],
    items: true,
    compaction_drops: false,
    drops_thinking: false,
    prefix,
    message,
    answer,
    usage,
    // Its calls are items of their own.
    calls: |_| false,
    told: |_, _| None,
};

fn read(input: Input<'_>) -> Result<Transcript, OpenError> {
    exchange::read(input, &DIALECT)
}

fn detect(probe: &Probe<'_>) -> u8 {
    let look = look(probe, &["input", "output"]);
    if look.is("object", "response") && look.has("output") {
        return 94;
    }
    let beside = ["model", "instructions", "tools", "previous_response_id", "reasoning", "conversation", "include"];
    let asked = look.bodies.iter().any(|body| {
        let input = body.get("input").is_some_and(|input| input.is_string() || input.is_array());
        input && body.get("messages").is_none() && !traced(body) && beside.iter().any(|key| body.get(key).is_some())
    });
    let items = look.kind(|kind| {
        matches!(
            kind,
            "input_text" | "output_text" | "function_call_output" | "item_reference" | "input_image" | "input_file"
        ) || kind == "function_call"
    });
    match (asked, items) {
        (true, true) => 93,
        (true, false) => 85,
        (false, true) => 80,
        (false, false) => 0,
    }
}

fn prefix(stored: &Stored<'_>, body: &Json<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    // It stands before the system prompt, as the provider's words on its cache say.
    let format = response_format(stored, body.some("text").and_then(|text| text.some("format")));
    said.extend(format.map(|format| Said::prefix(Role::System, stored, vec![format])));
    if let Some(instructions) = body.some("instructions") {
        let mut parts = Parts::default();
        match instructions.items() {
            // A list of messages, as a response repeats them.
            items if items.iter().any(|item| item.get("role").is_some()) => {
                items.iter().filter_map(|item| item.get("content")).for_each(|held| {
                    content(stored, held, BlockKind::Text, Layer::System, &mut parts);
                });
            }
            _ => content(stored, instructions, BlockKind::Text, Layer::System, &mut parts),
        }
        if !parts.pieces.is_empty() {
            said.push(Said::prefix(Role::System, stored, parts.pieces));
        }
    }
    let tools = body.some("tools").map(|tools| definitions(stored, tools)).unwrap_or_default();
    if !tools.is_empty() {
        said.push(Said::prefix(Role::System, stored, tools));
    }
    said
}

fn message(stored: &Stored<'_>, value: &Json<'_>) -> Said {
    if !value.is_object() {
        let mut parts = Parts::default();
        content(stored, value, BlockKind::Text, Layer::User, &mut parts);
        return Said::new(Role::User, false, stored, parts.pieces, parts.unknown);
    }
    let item = item(stored, value);
    Said::new(item.role, item.by_model, stored, item.pieces, item.unknown)
}

fn answer(stored: &Stored<'_>, body: &Json<'_>) -> Option<Answer> {
    let output = body.some("output").filter(|output| output.is_list());
    let failed = body.some("error").is_some_and(Json::is_object) && body.get("input").is_none();
    let whole = body.str_of("object") == "response" || body.some("usage").is_some() || body.some("status").is_some();
    if !(failed || output.is_some() && whole) {
        return None;
    }
    let mut answer = answered(body);
    answer.compacts = body.str_of("object") == "response.compaction";
    answer.report(body, usage);
    answer.prefix = prefix(stored, body);
    answer.after = string(body, "previous_response_id");
    for value in output.map(Json::items).unwrap_or_default().iter().filter(|value| value.whole) {
        answer.said.push(Said { by_model: true, ..message(&stored.within(value.raw), value) });
    }
    Some(answer)
}

/// Cached tokens are a part of the input, reasoning a part of the output.
fn usage(value: &Json<'_>, figures: &mut Figures) -> Option<Usage> {
    let within = figures.together(|figures| {
        let mut of = |path: &[&str]| value.figure(path, figures).unwrap_or(0);
        let (read, write) = (["input_tokens_details", "cached_tokens"], ["input_tokens_details", "cache_write_tokens"]);
        Usage::within(of(&["input_tokens"]), of(&read), of(&write))
    });
    let output = value.figure(&["output_tokens"], figures);
    let reasoning = value.figure(&["output_tokens_details", "reasoning_tokens"], figures);
    Some(Usage { output, reasoning, ..within? })
}
