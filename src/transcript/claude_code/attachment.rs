//! Attachments: what Claude Code adds to a request by itself. Which part of a record the model is shown is told
//! by its type; the rest is for the agent's own screen.

use std::borrow::Cow;

use crate::model::{BlockKind, Layer, Role};

use super::super::scan::{Text, Value};
use super::content::{Place, piece, said};
use super::record::{Piece, Saying};

/// How the text of one type is found.
struct Row {
    name: &'static str,
    kind: BlockKind,
    layer: Layer,
    /// Paths to strings or arrays of them; `*` steps into every element of an array. The first that lead somewhere count.
    texts: &'static [&'static [&'static str]],
}

const fn row(name: &'static str, layer: Layer, texts: &'static [&'static [&'static str]]) -> Row {
    let kind = match layer {
        Layer::Tools => BlockKind::Definition,
        Layer::Files => BlockKind::Document,
        _ => BlockKind::Text,
    };
    Row { name, kind, layer, texts }
}

/// Types whose text stands in the record.
const SHOWN: &[Row] = &[
    row("deferred_tools_delta", Layer::Tools, &[&["addedLines"], &["addedNames"], &["removedNames"]]),
    row("agent_listing_delta", Layer::Tools, &[&["addedLines"], &["removedTypes"]]),
    row("mcp_instructions_delta", Layer::Tools, &[&["addedBlocks"], &["removedNames"]]),
    row("nested_memory", Layer::Instructions, &[&["content", "content"], &["content"]]),
    row("skill_listing", Layer::Skills, &[&["content"]]),
    row("invoked_skills", Layer::Skills, &[&["skills", "*", "content"]]),
    row("relevant_memories", Layer::Memory, &[&["memories", "*", "content"]]),
    row("compact_file_reference", Layer::Files, &[&["filename"]]),
    row("pdf_reference", Layer::Files, &[&["filename"]]),
    row("opened_file_in_ide", Layer::Files, &[&["filename"]]),
    row("edited_text_file", Layer::Files, &[&["snippet"]]),
    row("selected_lines_in_ide", Layer::Files, &[&["content"]]),
    row("directory", Layer::Files, &[&["content"]]),
    row("mcp_resource", Layer::Files, &[&["content", "contents", "*", "text"]]),
    row("plan_file_reference", Layer::Notices, &[&["planContent"]]),
    row("hook_additional_context", Layer::Notices, &[&["content"]]),
    row("hook_blocking_error", Layer::Notices, &[&["blockingError", "blockingError"]]),
    row("hook_stopped_continuation", Layer::Notices, &[&["message"]]),
    row("todo", Layer::Notices, &[&["content", "*", "content"]]),
    row("todo_reminder", Layer::Notices, &[&["content", "*", "content"]]),
    row("task_reminder", Layer::Notices, &[&["content", "*", "subject"]]),
    row("task_status", Layer::Notices, &[&["deltaSummary"], &["description"]]),
    row("diagnostics", Layer::Notices, &[&["files", "*", "diagnostics", "*", "message"]]),
    row("async_hook_response", Layer::Notices, &[&["response", "hookSpecificOutput", "additionalContext"]]),
    row("teammate_mailbox", Layer::Notices, &[&["messages", "*", "text"]]),
    row("date_change", Layer::Notices, &[&["newDate"]]),
    row("read_truncation_notice", Layer::Notices, &[&["banner"]]),
];

/// Types that the model is not shown, or whose text does not stand in the record.
const UNSHOWN: &[&str] = &[
    "already_read_file",
    "auto_mode",
    "budget_usd",
    "command_permissions",
    "dynamic_skill",
    "edited_image_file",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_system_message",
    "max_turns_reached",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "structured_output",
    "ultra_effort_enter",
    "ultra_effort_exit",
];

/// Events whose hooks' plain output is put into the context (Claude Code's hooks reference); that of others is not.
const TOLD: &[&str] = &["SessionStart", "UserPromptSubmit"];

/// What an attachment puts into the window, and as what. Nothing where the model is shown nothing of it.
pub(super) fn attached(place: Place, value: Value<'_>) -> (Saying, Vec<Piece>) {
    let string = |name: &str| value.get(name).and_then(|value| value.string()).unwrap_or_default();
    let kind = string("type");
    let mut pieces = Vec::new();
    match &*kind {
        "file" => pieces.extend(file(place, value)),
        "queued_command" => {
            let person = matches!(&*string("commandMode"), "" | "prompt");
            let layer = if person { Layer::User } else { Layer::Notices };
            queued(place, value, layer, &mut pieces);
        }
        "hook_success" => {
            if TOLD.contains(&&*string("hookEvent")) {
                pieces.extend(text(place, value, "hook_success", &[&["content"]], BlockKind::Text, Layer::Notices));
            }
        }
        name if UNSHOWN.contains(&name) => {}
        name => match SHOWN.iter().find(|row| row.name == name) {
            Some(row) => pieces.extend(text(place, value, row.name, row.texts, row.kind, row.layer)),
            // A type of a later version: whatever it says in words.
            None => {
                let found =
                    text(place, value, "", &[&["text"], &["content"], &["message"]], BlockKind::Text, Layer::Notices);
                pieces.extend(found.map(|piece| Piece { label: Cow::Owned(name.to_owned()), ..piece }));
            }
        },
    }
    (Saying::Other, pieces)
}

fn text(
    place: Place,
    value: Value<'_>,
    label: &'static str,
    paths: &[&[&str]],
    kind: BlockKind,
    layer: Layer,
) -> Option<Piece> {
    for path in paths {
        let mut texts = Vec::new();
        follow(value, path, &mut texts);
        texts.retain(|text| !text.bytes.is_empty());
        if !texts.is_empty() {
            let found = piece(kind, layer, Role::User, label, place.texts(&texts));
            return Some(match name_of(value) {
                Some(name) if layer == Layer::Files || layer == Layer::Instructions => Piece { label: name, ..found },
                _ => found,
            });
        }
    }
    None
}

/// The strings at the end of a path.
fn follow<'a>(value: Value<'a>, path: &[&str], texts: &mut Vec<Text<'a>>) {
    match path.split_first() {
        None if value.is_array() => texts.extend(value.items().iter().filter_map(Value::text)),
        None => texts.extend(value.text()),
        Some((&"*", rest)) => value.items().into_iter().for_each(|item| follow(item, rest, texts)),
        Some((name, rest)) => value.get(name).into_iter().for_each(|member| follow(member, rest, texts)),
    }
}

/// The file that an attachment is of.
fn name_of(value: Value<'_>) -> Option<Cow<'static, str>> {
    let name = ["displayPath", "filename", "path", "uri"].iter().find_map(|name| value.get(name)?.string())?;
    (!name.is_empty()).then(|| Cow::Owned(name.into_owned()))
}

fn file(place: Place, value: Value<'_>) -> Option<Piece> {
    let content = value.get("content")?;
    let inner = content.get("file").unwrap_or(content);
    let kind = content.get("type").and_then(|kind| kind.string()).unwrap_or_default();
    let found = match &*kind {
        "image" => piece(BlockKind::Image, Layer::Files, Role::User, "image", place.media(inner)?),
        "pdf" => piece(BlockKind::Document, Layer::Files, Role::User, "document", place.media(inner)?),
        _ => {
            let text = inner.get("content").and_then(|text| text.text()).or_else(|| content.text());
            let body = match text {
                Some(text) => place.text(text),
                None => place.json(inner.get("cells").unwrap_or(inner)),
            };
            piece(BlockKind::Document, Layer::Files, Role::User, "file", body)
        }
    };
    let label = name_of(value).unwrap_or_else(|| found.label.clone());
    (!found.body.is_empty()).then_some(Piece { label, ..found })
}

/// What the user wrote while the agent was at work.
fn queued(place: Place, value: Value<'_>, layer: Layer, pieces: &mut Vec<Piece>) {
    let Some(prompt) = value.get("prompt") else { return };
    let label = "queued_command";
    if let Some(text) = prompt.text().filter(|text| !text.bytes.is_empty()) {
        pieces.push(piece(BlockKind::Text, layer, Role::User, label, place.text(text)));
    }
    for block in prompt.items() {
        said(place, &block.fields(), |_| (layer, label), pieces);
    }
}
