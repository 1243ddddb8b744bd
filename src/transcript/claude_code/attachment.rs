//! Attachments: what Claude Code adds to a request by itself. Which part of a record the model is shown is told
//! by its type; the rest is for the agent's own screen.

use crate::content::count_chars;
use crate::model::{BlockKind, Coding, Layer, SKILL_LISTING};

use super::super::build::Draft;
use super::super::scan::{Text, Value};
use super::super::stored::Stored;
use super::content::{json_of, media_of, said, text_of, texts_of};
use super::cut::ended;
use super::speaker::{Author, author, is_prompt};

/// How the text of one type is found.
struct Row {
    name: &'static str,
    kind: BlockKind,
    layer: Layer,
    /// What is said, one after the other. Each is what the first of its paths leads to that leads somewhere.
    texts: &'static [&'static [Path]],
}

/// A path to strings and figures, or to arrays of them; `*` steps into every element of an array.
type Path = &'static [&'static str];

const fn row(name: &'static str, layer: Layer, texts: &'static [&'static [Path]]) -> Row {
    let kind = match layer {
        Layer::Tools => BlockKind::Definition,
        Layer::Files => BlockKind::Document,
        _ => BlockKind::Text,
    };
    Row { name, kind, layer, texts }
}

/// Types whose text stands in the record.
const SHOWN: &[Row] = &[
    row("deferred_tools_delta", Layer::Tools, &[&[&["addedLines"], &["addedNames"]], &[&["removedNames"]]]),
    row("agent_listing_delta", Layer::Tools, &[&[&["addedLines"]], &[&["removedTypes"]]]),
    row("mcp_instructions_delta", Layer::Tools, &[&[&["addedBlocks"]], &[&["removedNames"]]]),
    row("nested_memory", Layer::Instructions, &[&[&["content", "content"], &["content"]]]),
    row(SKILL_LISTING, Layer::Skills, &[&[&["content"]]]),
    row("invoked_skills", Layer::Skills, &[&[&["skills", "*", "content"]]]),
    row("memory", Layer::Memory, &[&[&["memories", "*", "content"]]]),
    row("relevant_memories", Layer::Memory, &[&[&["memories", "*", "content"]]]),
    row("compact_file_reference", Layer::Files, &[&[&["filename"]]]),
    row("pdf_reference", Layer::Files, &[&[&["filename"]]]),
    row("opened_file_in_ide", Layer::Files, &[&[&["filename"]]]),
    row("edited_text_file", Layer::Files, &[&[&["snippet"]]]),
    row("selected_lines_in_ide", Layer::Files, &[&[&["content"]]]),
    row("directory", Layer::Files, &[&[&["content"]]]),
    row("mcp_resource", Layer::Files, &[&[&["content", "contents", "*", "text"]]]),
    row("plan_file_reference", Layer::Notices, &[&[&["planContent"]]]),
    row("hook_additional_context", Layer::Notices, &[&[&["content"]]]),
    row("hook_blocking_error", Layer::Notices, &[&[&["blockingError", "blockingError"]]]),
    row("hook_stopped_continuation", Layer::Notices, &[&[&["message"]]]),
    row("todo", Layer::Notices, &[&[&["content", "*", "content"]]]),
    row("todo_reminder", Layer::Notices, &[&[&["content", "*", "content"]]]),
    row("task_reminder", Layer::Notices, &[&[&["content", "*", "subject"]]]),
    row("task_status", Layer::Notices, &[&[&["description"]], &[&["deltaSummary"]]]),
    row("diagnostics", Layer::Notices, &[&[&["files", "*", "diagnostics", "*", "message"]]]),
    row(
        "async_hook_response",
        Layer::Notices,
        &[&[&["response", "systemMessage"]], &[&["response", "hookSpecificOutput", "additionalContext"]]],
    ),
    row("agent_mention", Layer::Notices, &[&[&["agentType"]]]),
    row("async_agent_status", Layer::Notices, &[&[&["description"]], &[&["status"]], &[&["agentId"]], &[&["error"]]]),
    row(
        "background_shell_status",
        Layer::Notices,
        &[&[&["taskId"], &["shellId"]], &[&["command"]], &[&["status"]], &[&["exitCode"]]],
    ),
    row(
        "team_context",
        Layer::Notices,
        &[&[&["teamName"]], &[&["agentName"]], &[&["teamConfigPath"]], &[&["taskListPath"]]],
    ),
    row("token_usage", Layer::Notices, &[&[&["used"]], &[&["total"]], &[&["remaining"]]]),
    row("teammate_mailbox", Layer::Notices, &[&[&["messages", "*", "text"]]]),
    row("date_change", Layer::Notices, &[&[&["newDate"]]]),
    row("read_truncation_notice", Layer::Notices, &[&[&["banner"]]]),
];

/// Types that the model is not shown, or whose text does not stand in the record.
const UNSHOWN: &[&str] = &[
    "already_read_file",
    "auto_mode",
    "budget_usd",
    "command_permissions",
    "context_tip",
    "dynamic_skill",
    "edited_image_file",
    "goal_status",
    "hook_cancelled",
    "hook_deferred_tool",
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

/// What an attachment puts into the window. Nothing where the model is shown nothing of it.
pub(super) fn attached(line: Stored<'_>, value: Value<'_>) -> Vec<Draft> {
    let string = |name: &str| value.get(name).and_then(|value| value.string()).unwrap_or_default();
    let kind = string("type");
    let draft = match &*kind {
        "file" => file(line, value),
        "queued_command" => return queued(line, value, &string("commandMode")),
        "hook_success" if TOLD.contains(&&*string("hookEvent")) => {
            words(line, value, &row("hook_success", Layer::Notices, &[&[&["content"]]]))
        }
        "hook_success" => None,
        name if UNSHOWN.contains(&name) => None,
        name => match SHOWN.iter().find(|row| row.name == name) {
            Some(row) => words(line, value, row),
            // A type of another version: whatever it says in words.
            None => words(line, value, &row("", Layer::Notices, &[&[&["text"], &["content"], &["message"]]]))
                .map(|draft| draft.label(name)),
        },
    };
    draft.into_iter().collect()
}

fn words(line: Stored<'_>, value: Value<'_>, row: &Row) -> Option<Draft> {
    let at = |path: &Path| {
        let mut texts = Vec::new();
        follow(value, path, &mut texts);
        texts.retain(|text| !text.bytes.is_empty());
        (!texts.is_empty()).then_some(texts)
    };
    let found: Vec<Text<'_>> = row.texts.iter().filter_map(|paths| paths.iter().find_map(at)).flatten().collect();
    if found.is_empty() {
        return None;
    }
    let mut draft = Draft::new(row.kind, row.layer, texts_of(line, &found)).label(row.name);
    if let ("edited_text_file", [text]) = (row.name, found.as_slice()) {
        draft.cut = ended(text.bytes, || count_chars(text.bytes, Coding::Json)).map(Box::new);
    }
    let of_file = matches!(row.layer, Layer::Files | Layer::Instructions);
    Some(match name_of(value).filter(|_| of_file) {
        // What is listed of a folder stands in no file.
        Some(name) if row.name == "directory" => draft.label(format!("{}/", name.trim_end_matches('/'))),
        Some(name) => draft.label(name),
        None => draft,
    })
}

/// What stands at the end of a path.
fn follow<'a>(value: Value<'a>, path: &[&str], texts: &mut Vec<Text<'a>>) {
    match path.split_first() {
        None if value.is_array() => texts.extend(value.items().iter().filter_map(shown)),
        None => texts.extend(shown(&value)),
        Some((&"*", rest)) => value.items().into_iter().for_each(|item| follow(item, rest, texts)),
        Some((name, rest)) => value.get(name).into_iter().for_each(|member| follow(member, rest, texts)),
    }
}

/// A string, or a figure as it stands.
fn shown<'a>(value: &Value<'a>) -> Option<Text<'a>> {
    value.text().or_else(|| value.number().map(|_| Text { bytes: value.raw() }))
}

/// The file that an attachment is of.
fn name_of(value: Value<'_>) -> Option<String> {
    let name = ["displayPath", "filename", "path", "uri"].iter().find_map(|name| value.get(name)?.string())?;
    (!name.is_empty()).then(|| name.into_owned())
}

fn file(line: Stored<'_>, value: Value<'_>) -> Option<Draft> {
    let content = value.get("content")?;
    let inner = content.get("file").unwrap_or(content);
    let kind = content.get("type").and_then(|kind| kind.string()).unwrap_or_default();
    let draft = match &*kind {
        "image" => Draft::new(BlockKind::Image, Layer::Files, media_of(line, inner)?).label("image"),
        "pdf" => Draft::new(BlockKind::Document, Layer::Files, media_of(line, inner)?).label("document"),
        _ => {
            let text = inner.get("content").and_then(|text| text.text()).or_else(|| content.text());
            let body = match text {
                Some(text) => text_of(line, text),
                None => json_of(line, inner.get("cells").unwrap_or(inner)),
            };
            Draft::new(BlockKind::Document, Layer::Files, body).label("file")
        }
    };
    Some(match name_of(value) {
        Some(name) => draft.label(name),
        None => draft,
    })
    .filter(|draft| !draft.body.is_empty())
}

/// What the user wrote while the agent was at work, or what came in from elsewhere in that way.
fn queued(line: Stored<'_>, value: Value<'_>, mode: &str) -> Vec<Draft> {
    let author = match mode {
        "" | "prompt" => author(value.get("origin"), None),
        _ => Author::Harness,
    };
    let layer_of = |text: &[u8]| if is_prompt(text, author) { Layer::User } else { Layer::Notices };
    let mut drafts = Vec::new();
    if let Some(prompt) = value.get("prompt") {
        let text = prompt.text().filter(|text| !text.bytes.is_empty());
        drafts.extend(
            text.map(|text| Draft::new(BlockKind::Text, layer_of(text.bytes), text_of(line, text)).label("queued")),
        );
        for block in prompt.items() {
            said(line, &block.fields(), true, |text| (layer_of(text.bytes), "queued"), &mut drafts);
        }
    }
    drafts
}
