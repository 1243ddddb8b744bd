//! HAR: what a browser or a proxy recorded of a program's requests. The bodies among them are of one of the APIs, and
//! read as that API's.

use serde_json::Value;

use crate::model::Transcript;

use super::document::Document;
use super::exchange::HAR;
use super::format::surest;
use super::habits::Habits;
use super::json::{Json, parse};
use super::skim::likeness;
use super::{Format, Input, OpenError, Probe, openai_chat};

/// The row of the table of formats.
pub const FORMAT: Format = Format {
    name: "har",
    title: "HAR",
    marks: "log.entries with requests (postData.text) and responses (content.text) of one of the APIs above",
    preset: "openai",
    habits: Habits::NONE,
    requests: true,
    detect,
    read,
    lines: false,
    places: &[],
};

/// Bodies by which it is told whose API they are of.
const BODIES: usize = 64;

fn detect(probe: &Probe<'_>) -> u8 {
    let posts = |entry: &Value| {
        let text = entry.pointer("/request/postData/text").and_then(Value::as_str);
        text.is_some_and(|text| text.trim_start().starts_with('{'))
    };
    let entries = |value: &Value| value.get(HAR.0).and_then(|log| log.get(HAR.1)?.as_array().cloned());
    let found = probe.values().filter_map(entries).any(|entries| entries.iter().any(posts));
    if found { 97 } else { 0 }
}

fn read(input: Input<'_>) -> Result<Transcript, OpenError> {
    let document = Document::read(input.sources, input.main)?;
    let (value, _) = parse(document.text());
    let entries = value.get(HAR.0).and_then(|log| log.get(HAR.1)).map(Json::items).unwrap_or_default();
    let bodies = |path: [&str; 3]| -> Vec<Value> {
        let text =
            |entry: &Json<'_>| entry.some(path[0])?.some(path[1])?.some(path[2])?.str().map(|text| likeness(&text));
        // What else a program sends (its telemetry) is of none of the APIs.
        let is_of_some = |value: &Value| surest(&Probe::of(&[], vec![value.clone()], None, true)).is_some();
        entries.iter().filter_map(text).filter(|value| value.is_object() && is_of_some(value)).take(BODIES).collect()
    };
    let mut found = bodies(["request", "postData", "text"]);
    found.extend(bodies(["response", "content", "text"]));
    let vendor = surest(&Probe::of(&[], found, None, true)).map(|found| found.format).filter(|format| format.requests);
    let read = vendor.map_or(openai_chat::FORMAT.read, |format| format.read);
    drop(value);
    read(input)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::content::{Sources, Watch};
    use crate::model::{SourceKind, Usage};
    use crate::transcript;

    fn entry(request: &Value, response: &str) -> Value {
        json!({"startedDateTime": "2026-01-02T03:04:05.000Z", "time": 812.5,
            "request": {"method": "POST", "url": "https://api.example/v1", "headers": [],
                "postData": {"mimeType": "application/json", "text": request.to_string()}},
            "response": {"status": 200, "headers": [], "content": {"size": 1, "mimeType": "application/json", "text": response}}})
    }

    fn open(entries: &[Value], pretty: bool) -> (Sources, Transcript) {
        let page = json!({"request": {"method": "GET", "url": "https://example/"}, "response": {"status": 200,
            "content": {"mimeType": "text/html", "text": "<html></html>"}}});
        let all: Vec<&Value> = std::iter::once(&page).chain(entries).collect();
        let har = json!({"log": {"version": "1.2", "creator": {"name": "proxy", "version": "1"}, "entries": all}});
        let text = if pretty { serde_json::to_string_pretty(&har).unwrap() } else { har.to_string() };
        let mut sources = Sources::default();
        let main = sources.add_memory("a.har", SourceKind::Transcript, text.into_bytes());
        let input = Input { sources: &mut sources, main, siblings: None, watch: &Watch::default() };
        let transcript = transcript::read(input, None).unwrap();
        (sources, transcript)
    }

    #[test]
    fn calls_of_each_api_are_read_out_of_their_records() {
        let user = |text: &str| json!({"role": "user", "content": text});
        let said = |text: &str| json!({"role": "assistant", "content": text});
        let chat = |messages: &[Value]| json!({"model": "gpt-x", "messages": messages, "stream_options": {}});
        let anthropic = |messages: &[Value]| json!({"model": "claude-x", "max_tokens": 9, "system": "Be brief.", "messages": messages});
        let chat_answer = |text: &str| {
            json!({"object": "chat.completion", "model": "gpt-x", "choices": [{"message": said(text)}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 2}})
            .to_string()
        };
        // A stream stands in the record as its events.
        let events = [
            json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "claude-x",
                "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "In main.rs."}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
            json!({"type": "message_stop"}),
        ];
        let stream: String = events
            .iter()
            .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
            .collect();
        let (first, more) = ([user("Find it.")], [user("Find it."), said("In main.rs."), user("Mend it.")]);
        let logs = [
            (
                "openai_chat",
                [entry(&chat(&first), &chat_answer("In main.rs.")), entry(&chat(&more), &chat_answer("Done."))],
            ),
            ("anthropic_messages", [entry(&anthropic(&first), &stream), entry(&anthropic(&more), &stream)]),
        ];
        for ((format, entries), pretty) in logs.iter().flat_map(|log| [(log, false), (log, true)]) {
            let (sources, transcript) = open(entries, pretty);
            assert_eq!((transcript.format, transcript.threads.len()), (*format, 1), "{pretty}");
            let requests = &transcript.threads[0].requests;
            let context = |usage: Option<Usage>| usage.map(|usage| usage.context());
            assert_eq!(requests.iter().map(|asked| context(asked.usage)).collect::<Vec<_>>(), [Some(9), Some(9)]);
            assert_eq!(requests[0].at, Some(1_767_323_045_000));
            let texts: Vec<String> =
                transcript.blocks.iter().map(|block| sources.body_text(&block.body).unwrap().to_string()).collect();
            assert!(texts.iter().any(|text| text == "Mend it."), "{texts:?}");
        }
    }
}
