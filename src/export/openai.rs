//! A request of OpenAI's Chat Completions API.

use crate::model::{BlockKind, Role};
use crate::transcript::OPENAI_CHAT;

use super::Head;
use super::arrange::arrange;
use super::dialog::{Opening, Part, Rules, Say, Speaker, Turn};
use super::gather::{Attached, Item, Payload};
use super::json::{input_object, write_tool_fields};
use super::notes::Notes;
use super::output::Output;
use super::quote::Text;
use super::tool::{Format, Schema, Tool};

const RULES: Rules =
    Rules { system_in_place: true, thinking: false, refuses, id_max: 40, blank_results: false, is_definition };
const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

fn refuses(media: &Attached, speaker: Speaker) -> Option<&'static str> {
    if speaker == Speaker::Assistant {
        return Some("this API takes none in a message of the model");
    }
    match media.kind {
        _ if !media.is_url && !media.is_base64() => Some("its data is damaged"),
        BlockKind::Image if media.is_url && media.data.joined().starts_with("https://") => None,
        BlockKind::Image if !media.is_url && IMAGES.contains(&media.mime.as_str()) => None,
        BlockKind::Document if !media.is_url && media.mime == "application/pdf" => None,
        BlockKind::Audio if !media.is_url && sound(&media.mime).is_some() => None,
        _ => Some("this API does not take its type"),
    }
}

fn sound(mime: &str) -> Option<&'static str> {
    match mime {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        _ => None,
    }
}

fn is_definition(tool: &Tool, kind: &str) -> bool {
    let function = kind == "function" && matches!(tool.schema, None | Some(Schema::Whole(_)));
    tool.recorded_name.is_some() && (function || kind == "custom")
}

/// Writes the request.
pub fn write(head: &Head<'_>, items: Vec<Item>, notes: &mut Notes, out: &mut Output) {
    // What this API was sent it takes again; of other agents a blank result may be a record that lacks it.
    let rules = Rules { blank_results: head.format == OPENAI_CHAT.name, ..RULES };
    let mut dialog = arrange(items, rules, notes);
    out.made("{\n  \"model\": ").made_string(head.model.unwrap_or("unknown"));
    out.made(&format!(",\n  \"max_completion_tokens\": {}", head.max_tokens));
    let (served, tools): (Vec<Tool>, Vec<Tool>) = dialog.tools.drain(..).partition(|tool| tool.server.is_some());
    for tool in served {
        notes.say("a tool that another vendor's servers run: described in the system text", None);
        dialog.system.extend(tool.server.map(|text| Opening {
            role: Role::System,
            text,
            mark: None,
            name: None,
            stays: false,
        }));
    }
    if !tools.is_empty() {
        out.made(",\n  \"tools\": [");
        for (index, tool) in tools.iter().enumerate() {
            out.made(if index > 0 { ",\n    " } else { "\n    " });
            if let Some(whole) = &tool.whole {
                out.plain(&whole.json);
                continue;
            }
            out.made(r#"{"type":"function","function":{"#);
            write_tool_fields(tool, "parameters", out);
            out.made("}}");
        }
        out.made("\n  ]");
    }
    if let Some(format) = &dialog.format {
        write_format(format, out);
    }
    if dialog.system.is_empty() && dialog.turns.is_empty() {
        notes.say("a user message put first: this API wants one, and the window is empty", None);
        dialog.turns.push(Turn {
            speaker: Speaker::User,
            parts: vec![Part {
                stable: false,
                mark: None,
                whole: None,
                say: Say::Text(Text::made("[the window is empty]")),
            }],
            name: None,
            request: None,
        });
    }
    out.made(",\n  \"messages\": [");
    let mut messages = Messages { out, any: false };
    for Opening { role, text, name, .. } in &dialog.system {
        let role = if *role == Role::Developer { "developer" } else { "system" };
        messages.open(role, name.as_ref()).string(text).made("}");
    }
    for turn in &dialog.turns {
        match turn.speaker {
            Speaker::System => messages.said("system", turn.name.as_ref(), turn.parts.iter().collect()),
            Speaker::Assistant => messages.assistant(turn),
            Speaker::User => messages.user(turn, notes),
        }
    }
    out.made("\n  ]\n}\n");
}

/// The form that answers must have. This API wants a name for it.
fn write_format(format: &Format, out: &mut Output) {
    out.made(",\n  \"response_format\": {\"type\":\"json_schema\",\"json_schema\":{");
    if !format.about.iter().any(|(name, _)| *name == "name") {
        out.made(r#""name":"response","#);
    }
    for (name, text) in &format.about {
        out.made_string(name).made(":").plain(text).made(",");
    }
    out.made(r#""schema":"#).plain(&format.schema).made("}}");
}

struct Messages<'a> {
    out: &'a mut Output,
    any: bool,
}

impl Messages<'_> {
    fn open(&mut self, role: &str, name: Option<&Text>) -> &mut Output {
        let lead = if self.any { ",\n    " } else { "\n    " };
        self.any = true;
        self.out.made(lead).made(r#"{"role":""#).made(role).made("\"");
        if let Some(name) = name {
            self.out.made(r#","name":"#).plain(name);
        }
        self.out.made(r#","content":"#)
    }

    fn said(&mut self, role: &str, name: Option<&Text>, parts: Vec<&Part>) {
        self.open(role, name);
        write_content(&parts, self.out);
        self.out.made("}");
    }

    fn assistant(&mut self, turn: &Turn) {
        let says = turn.parts.iter().filter(|part| matches!(part.say, Say::Text(_) | Say::Whole));
        self.open("assistant", turn.name.as_ref());
        write_content(&says.collect::<Vec<_>>(), self.out);
        let mut calls = 0;
        for part in &turn.parts {
            if let Say::Call { id, name, input } = &part.say {
                self.out.made(if calls == 0 { ",\"tool_calls\":[" } else { "," });
                calls += 1;
                if let Some(whole) = &part.whole {
                    self.out.plain(&whole.json);
                    continue;
                }
                self.out.made(r#"{"id":"#).string(id).made(r#","type":"function","function":{"name":"#).string(name);
                self.out.made(r#","arguments":""#);
                match input_object(input) {
                    Some(raw) => self.out.inside(&raw),
                    None => self.out.made(r#"{\"input\":\""#).inside_twice(input).made(r#"\"}"#),
                };
                self.out.made("\"}}");
            }
        }
        self.out.made(if calls > 0 { "]}" } else { "}" });
    }

    /// Results first, each a message of its own; pictures in them follow in a message of the user's.
    fn user(&mut self, turn: &Turn, notes: &mut Notes) {
        let mut pictures = Vec::new();
        let mut says = Vec::new();
        for part in &turn.parts {
            match &part.say {
                Say::Result { id, content, .. } => {
                    self.out.made(if self.any { ",\n    " } else { "\n    " });
                    self.any = true;
                    self.out.made(r#"{"role":"tool","tool_call_id":"#).string(id).made(r#","content":"#);
                    let texts: Vec<&Text> = content
                        .iter()
                        .filter_map(|payload| match payload {
                            Payload::Text(text) => Some(text),
                            Payload::Media(media) => {
                                pictures.push((id, media));
                                None
                            }
                        })
                        .collect();
                    write_texts(&texts, "[what this call returned follows]", self.out);
                    self.out.made("}");
                }
                _ => says.push(part),
            }
        }
        if !pictures.is_empty() {
            notes.say(
                "pictures and files of results follow in a message of the user's: this API takes text in results",
                None,
            );
            self.open("user", None).made("[");
            for (index, (id, media)) in pictures.into_iter().enumerate() {
                self.out.made(if index > 0 { "," } else { "" });
                self.out.made(r#"{"type":"text","text":"[returned by the call "#).inside(id).made(r#"]"},"#);
                write_media(media, self.out);
            }
            self.out.made("]}");
        }
        if !says.is_empty() {
            self.said("user", turn.name.as_ref(), says);
        }
    }
}

/// One text as a string, several or media as parts, nothing as null.
fn write_content(parts: &[&Part], out: &mut Output) {
    match parts {
        [] => {
            out.made("null");
        }
        [Part { say: Say::Text(text), whole: None, .. }] => {
            out.string(text);
        }
        _ => {
            out.made("[");
            for (index, part) in parts.iter().enumerate() {
                out.made(if index > 0 { "," } else { "" });
                match (&part.say, &part.whole) {
                    (_, Some(whole)) => {
                        out.plain(&whole.json);
                    }
                    (Say::Media(media), None) => write_media(media, out),
                    (Say::Text(text), None) => {
                        out.made(r#"{"type":"text","text":"#).string(text).made("}");
                    }
                    _ => {}
                }
            }
            out.made("]");
        }
    }
}

fn write_texts(texts: &[&Text], otherwise: &str, out: &mut Output) {
    match texts {
        [] => {
            out.made_string(otherwise);
        }
        [text] => {
            out.string(text);
        }
        _ => {
            out.made("[");
            for (index, text) in texts.iter().enumerate() {
                out.made(if index > 0 { "," } else { "" });
                out.made(r#"{"type":"text","text":"#).string(text).made("}");
            }
            out.made("]");
        }
    }
}

fn write_media(media: &Attached, out: &mut Output) {
    match media.kind {
        BlockKind::Document => {
            let name = if media.title.is_empty() { "document" } else { &media.title };
            let ending = if name.to_lowercase().ends_with(".pdf") { "" } else { ".pdf" };
            out.made(r#"{"type":"file","file":{"filename":"#).made_string(&format!("{name}{ending}"));
            out.made(r#","file_data":"data:application/pdf;base64,"#);
            out.inside(&media.data).made("\"}}");
        }
        BlockKind::Audio => {
            out.made(r#"{"type":"input_audio","input_audio":{"format":""#);
            out.made(sound(&media.mime).unwrap_or("wav")).made(r#"","data":"#).string(&media.data).made("}}");
        }
        _ if media.is_url => {
            out.made(r#"{"type":"image_url","image_url":{"url":"#).string(&media.data).made("}}");
        }
        _ => {
            out.made(r#"{"type":"image_url","image_url":{"url":"data:"#).made(&media.mime).made(";base64,");
            out.inside(&media.data).made("\"}}");
        }
    }
}
