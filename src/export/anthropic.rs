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
use super::tool::{Schema, Tool};
use super::wire::Whole;

const RULES: Rules =
    Rules { system_in_place: false, thinking: true, refuses, id_max: 64, blank_results: false, is_definition };
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

fn is_definition(tool: &Tool, kind: &str) -> bool {
    let custom = matches!(kind, "" | "custom") && matches!(tool.schema, Some(Schema::Whole(_)));
    tool.recorded_name.is_some() && (tool.server.is_some() || custom)
}

/// Writes the request.
pub fn write(head: &Head<'_>, items: Vec<Item>, notes: &mut Notes, out: &mut Output) {
    let own = head.breakpoints.is_empty();
    let mut dialog = arrange(items, RULES, notes);
    open_and_close_with_the_user(&mut dialog, notes);
    define_what_is_called(&mut dialog, notes);
    out.made("{\n  \"model\": ").made_string(head.model.unwrap_or("unknown"));
    out.made(&format!(",\n  \"max_tokens\": {}", head.max_tokens));
    if let Some(mark) = &head.automatic {
        out.made(",\n  \"cache_control\": ").plain(mark);
    }
    if let Some(format) = &dialog.format {
        out.made(",\n  \"output_config\": {\"format\":{\"type\":\"json_schema\",\"schema\":");
        out.plain(&format.schema).made("}}");
    }
    if !dialog.tools.is_empty() {
        out.made(",\n  \"tools\": [");
        for (index, tool) in dialog.tools.iter().enumerate() {
            out.made(if index > 0 { ",\n    " } else { "\n    " });
            // System text follows the tools, so a breakpoint there covers both.
            write_tool(tool, own && dialog.system.is_empty() && index + 1 == dialog.tools.len(), out);
        }
        out.made("\n  ]");
    }
    if !dialog.system.is_empty() {
        out.made(",\n  \"system\": [");
        // Behind what stays, where the prompt says so.
        let stays = dialog.system.iter().rposition(|opening| opening.stays);
        let last = stays.unwrap_or(dialog.system.len() - 1);
        for (index, opening) in dialog.system.iter().enumerate() {
            out.made(if index > 0 { ",\n    " } else { "\n    " });
            let breakpoint = own && index == last;
            write_text(&opening.text, end(opening.mark.as_ref(), breakpoint), out);
        }
        out.made("\n  ]");
    }
    out.made(",\n  \"messages\": [");
    let boundary = boundary(&dialog.turns).filter(|_| own);
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
        parts: vec![Part { stable: false, mark: None, whole: None, say: Say::Text(Text::made(words)) }],
        name: None,
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
        .filter(|(_, part)| match part.say {
            Say::Thinking(..) | Say::Redacted(_) => false,
            Say::Whole => part.whole.as_ref().is_some_and(Whole::takes_breakpoint),
            _ => true,
        })
        .last()
        .map(|(at, _)| at)
}

/// The mark for a cache that ends an object.
enum End<'a> {
    /// The recorded one.
    Recorded(&'a Text),
    /// One of ours.
    Ours,
    /// None.
    Bare,
}

fn end(mark: Option<&Text>, breakpoint: bool) -> End<'_> {
    match mark {
        Some(mark) => End::Recorded(mark),
        None if breakpoint => End::Ours,
        None => End::Bare,
    }
}

fn close(end: End<'_>, out: &mut Output) {
    match end {
        End::Recorded(mark) => out.made(r#","cache_control":"#).plain(mark),
        End::Ours => out.made(BREAKPOINT),
        End::Bare => out,
    };
    out.made("}");
}

/// Writes an element as it was recorded.
fn write_whole(whole: &Whole, end: End<'_>, out: &mut Output) {
    match end {
        End::Recorded(_) | End::Ours if !whole.marked => {
            let length: usize = whole.json.0.iter().map(|piece| piece.text.len()).sum();
            out.plain(&whole.json.slice(0, length.saturating_sub(1)));
            close(end, out);
        }
        _ => {
            out.plain(&whole.json);
        }
    }
}

fn write_tool(tool: &Tool, breakpoint: bool, out: &mut Output) {
    let end = end(tool.mark.as_ref(), breakpoint);
    match (&tool.whole, &tool.server) {
        (Some(whole), _) => write_whole(whole, end, out),
        // What a file says of caching there is left as it is.
        (None, Some(raw)) => {
            out.plain(raw);
        }
        (None, None) => {
            out.made("{");
            write_tool_fields(tool, "input_schema", out);
            close(end, out);
        }
    }
}

fn write_text(text: &Text, end: End<'_>, out: &mut Output) {
    out.made(r#"{"type":"text","text":"#).string(text);
    close(end, out);
}

fn write_part(part: &Part, breakpoint: bool, out: &mut Output) {
    let end = end(part.mark.as_ref(), breakpoint);
    if let Some(whole) = &part.whole {
        return write_whole(whole, end, out);
    }
    match &part.say {
        Say::Text(text) => write_text(text, end, out),
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
            close(end, out);
        }
        Say::Result { id, error, content } => {
            out.made(r#"{"type":"tool_result","tool_use_id":"#).string(id);
            out.made(if *error { r#","is_error":true,"content":["# } else { r#","content":["# });
            for (index, payload) in content.iter().enumerate() {
                if index > 0 {
                    out.made(",");
                }
                match payload {
                    Payload::Text(text) => write_text(text, End::Bare, out),
                    Payload::Media(media) => write_media(media, End::Bare, out),
                }
            }
            out.made("]");
            close(end, out);
        }
        Say::Media(media) => write_media(media, end, out),
        Say::Whole => {}
    }
}

fn write_media(media: &Attached, end: End<'_>, out: &mut Output) {
    let kind = if media.kind == BlockKind::Document { "document" } else { "image" };
    out.made(r#"{"type":""#).made(kind).made(r#"","source":"#);
    if media.is_url {
        out.made(r#"{"type":"url","url":"#).string(&media.data).made("}");
    } else {
        out.made(r#"{"type":"base64","media_type":"#).made_string(&media.mime);
        out.made(r#","data":"#).string(&media.data).made("}");
    }
    close(end, out);
}
