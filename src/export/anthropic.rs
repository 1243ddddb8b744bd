//! A request of Anthropic's Messages API.

use crate::model::BlockKind;

use super::Head;
use super::arrange::arrange;
use super::dialog::{Dialog, Part, Rules, Say, Speaker, Turn};
use super::gather::{Attached, Item, Payload};
use super::json::{input_object, write_tool_fields};
use super::notes::Notes;
use super::output::Output;
use super::quote::Text;
use super::tool::Tool;

const RULES: Rules = Rules { system_in_place: false, thinking: true, refuses };
const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
const BREAKPOINT: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn refuses(media: &Attached, speaker: Speaker) -> Option<&'static str> {
    if speaker == Speaker::Assistant {
        return Some("this API takes none in a message of the model");
    }
    let url = media.is_url && media.data.joined().starts_with("https://");
    match media.kind {
        BlockKind::Audio => Some("this API takes no sound"),
        _ if media.is_url && !url => Some("its address is none that this API fetches"),
        _ if !media.is_url && !media.is_base64() => Some("its data is damaged"),
        BlockKind::Document if media.is_url || media.mime == "application/pdf" => None,
        BlockKind::Image if media.is_url || IMAGES.contains(&media.mime.as_str()) => None,
        _ => Some("this API does not take its type"),
    }
}

/// Writes the request.
pub fn write(head: &Head<'_>, items: Vec<Item>, notes: &mut Notes, out: &mut Output) {
    let mut dialog = arrange(items, RULES, notes);
    open_and_close_with_the_user(&mut dialog, notes);
    define_what_is_called(&mut dialog, notes);
    out.made("{\n  \"model\": ").made_string(head.model.unwrap_or("unknown"));
    out.made(&format!(",\n  \"max_tokens\": {}", head.max_tokens));
    if !dialog.tools.is_empty() {
        out.made(",\n  \"tools\": [");
        for (index, tool) in dialog.tools.iter().enumerate() {
            out.made(if index > 0 { ",\n    " } else { "\n    " });
            // System text follows the tools, so a breakpoint there covers both.
            write_tool(tool, dialog.system.is_empty() && index + 1 == dialog.tools.len(), out);
        }
        out.made("\n  ]");
    }
    if !dialog.system.is_empty() {
        out.made(",\n  \"system\": [");
        for (index, (_, text)) in dialog.system.iter().enumerate() {
            out.made(if index > 0 { ",\n    " } else { "\n    " });
            write_text(text, index + 1 == dialog.system.len(), out);
        }
        out.made("\n  ]");
    }
    out.made(",\n  \"messages\": [");
    let boundary = boundary(&dialog.turns);
    for (index, turn) in dialog.turns.iter().enumerate() {
        out.made(if index > 0 { ",\n    " } else { "\n    " });
        out.made(match turn.speaker {
            Speaker::Assistant => r#"{"role":"assistant","content":["#,
            Speaker::User | Speaker::System => r#"{"role":"user","content":["#,
        });
        for (number, part) in turn.parts.iter().enumerate() {
            if number > 0 {
                out.made(",");
            }
            write_part(part, boundary == Some((index, number)), out);
        }
        out.made("]}");
    }
    out.made("\n  ]\n}\n");
}

/// The first message has to be the user's, and the newest models want the last one to be, too.
fn open_and_close_with_the_user(dialog: &mut Dialog, notes: &mut Notes) {
    let turn = |words: &str| Turn {
        speaker: Speaker::User,
        parts: vec![Part { stable: false, say: Say::Text(Text::made(words)) }],
        request: None,
    };
    if dialog.turns.first().is_none_or(|first| first.speaker != Speaker::User) {
        notes.say("a user message put first: this API wants one, and the window has none there", None);
        dialog.turns.insert(0, turn("[no user message begins this window]"));
    }
    if dialog.turns.last().is_none_or(|last| last.speaker != Speaker::User) {
        notes.say("a user message put last: the window ends with the model's words", None);
        dialog.turns.push(turn("[no user message follows in this window]"));
    }
}

/// Tools that are called have to be defined.
fn define_what_is_called(dialog: &mut Dialog, notes: &mut Notes) {
    let parts = dialog.turns.iter().flat_map(|turn| &turn.parts);
    let called: Vec<String> = parts
        .filter_map(|part| match &part.say {
            Say::Call { name, .. } => Some(name.joined()),
            _ => None,
        })
        .collect();
    let mut known: std::collections::HashSet<String> = dialog.tools.iter().map(|tool| tool.name.clone()).collect();
    for name in called {
        if known.insert(name.clone()) {
            notes.say(
                "tools that are called but whose definitions are not in the window: defined as taking any object",
                None,
            );
            dialog.tools.push(Tool::named(name));
        }
    }
}

/// The last part before the dynamic boundary that can hold a breakpoint: all up to it stood in the step before.
fn boundary(turns: &[Turn]) -> Option<(usize, usize)> {
    turns
        .iter()
        .enumerate()
        .flat_map(|(index, turn)| turn.parts.iter().enumerate().map(move |(number, part)| ((index, number), part)))
        .take_while(|(_, part)| part.stable)
        .filter(|(_, part)| !matches!(part.say, Say::Thinking(..) | Say::Redacted(_)))
        .last()
        .map(|(at, _)| at)
}

fn write_tool(tool: &Tool, breakpoint: bool, out: &mut Output) {
    if let Some(raw) = &tool.server {
        // What the transcript says of caching there is not repeated; a breakpoint of ours goes on a tool of the user's.
        out.plain(raw);
        return;
    }
    out.made("{");
    write_tool_fields(tool, "input_schema", out);
    out.made(if breakpoint { BREAKPOINT } else { "" }).made("}");
}

fn write_text(text: &Text, breakpoint: bool, out: &mut Output) {
    out.made(r#"{"type":"text","text":"#).string(text);
    out.made(if breakpoint { BREAKPOINT } else { "" }).made("}");
}

fn write_part(part: &Part, breakpoint: bool, out: &mut Output) {
    let end = if breakpoint { BREAKPOINT } else { "" };
    match &part.say {
        Say::Text(text) => write_text(text, breakpoint, out),
        Say::Thinking(text, signature) => {
            out.made(r#"{"type":"thinking","thinking":"#).string(text);
            out.made(r#","signature":"#).string(signature).made("}");
        }
        Say::Redacted(data) => {
            out.made(r#"{"type":"redacted_thinking","data":"#).string(data).made("}");
        }
        Say::Call { id, name, input } => {
            out.made(r#"{"type":"tool_use","id":"#).string(id).made(r#","name":"#).string(name);
            out.made(r#","input":"#);
            match input_object(input) {
                Some(raw) => out.plain(&raw),
                None => out.made(r#"{"input":"#).string(input).made("}"),
            };
            out.made(end).made("}");
        }
        Say::Result { id, error, content } => {
            out.made(r#"{"type":"tool_result","tool_use_id":"#).string(id);
            out.made(if *error { r#","is_error":true,"content":["# } else { r#","content":["# });
            for (index, payload) in content.iter().enumerate() {
                if index > 0 {
                    out.made(",");
                }
                match payload {
                    Payload::Text(text) => write_text(text, false, out),
                    Payload::Media(media) => write_media(media, "", out),
                }
            }
            out.made("]").made(end).made("}");
        }
        Say::Media(media) => write_media(media, end, out),
    }
}

fn write_media(media: &Attached, end: &str, out: &mut Output) {
    let kind = if media.kind == BlockKind::Document { "document" } else { "image" };
    out.made(r#"{"type":""#).made(kind).made(r#"","source":"#);
    if media.is_url {
        out.made(r#"{"type":"url","url":"#).string(&media.data).made("}");
    } else {
        out.made(r#"{"type":"base64","media_type":"#).made_string(&media.mime);
        out.made(r#","data":"#).string(&media.data).made("}");
    }
    out.made(end).made("}");
}
