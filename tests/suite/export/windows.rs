//! Generated windows in every form, and what each repair looks like.

use proptest::prelude::*;
use serde_json::Value;
use windowpane::content::Sources;
use windowpane::export::{Form, Pack, Packed, manifest, pack};
use windowpane::model::{Run, SourceId, Transcript};

use super::generate::{Kind, Piece, pieces, window};

fn packed(transcript: &Transcript, sources: &Sources, run: &Run, step: u32, form: Form) -> Packed {
    let packed = pack(transcript, sources, run, step, None, form).unwrap();
    let whole = serde_json::to_string(&manifest(&packed, transcript, run, step, form)).unwrap();
    super::manifest::check(&whole, &packed.text, |source, from, to| {
        sources.read(SourceId(source as u32), from as u64, to as u64).unwrap()
    });
    packed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn every_window_is_valid_in_every_form_and_every_byte_has_an_origin(pieces in pieces()) {
        let (transcript, sources, run) = window(&pieces);
        for step in 1..=3 {
            let of = |form| packed(&transcript, &sources, &run, step, form).text;
            super::check_anthropic(&of(Form::Anthropic));
            super::check_openai(&of(Form::OpenAi));
            let json: Pack = serde_json::from_str(&of(Form::Json)).unwrap();
            prop_assert_eq!(json.entries.len(), run.window(step).len());
            of(Form::Markdown);
            of(Form::Text);
        }
    }
}

fn piece(kind: Kind, text: &str, number: u8) -> Piece {
    Piece { kind, text: text.to_owned(), number, born: 1, died: None }
}

fn request(pieces: &[Piece], step: u32, form: Form) -> (Value, Vec<String>) {
    let (transcript, sources, run) = window(pieces);
    let packed = packed(&transcript, &sources, &run, step, form);
    let notes = packed.notes.into_iter().map(|note| note.note).collect();
    (serde_json::from_str(&packed.text).unwrap(), notes)
}

#[test]
fn recorded_ids_and_calls_made_at_once_are_kept() {
    let pieces = [
        piece(Kind::User, "go", 0),
        piece(Kind::CallObject, "a", 4),
        piece(Kind::Result, "one", 4),
        piece(Kind::CallObject, "b", 5),
        piece(Kind::Result, "two", 5),
    ];
    let (request, notes) = request(&pieces, 1, Form::Anthropic);
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[1]["content"][0]["id"], "toolu_4");
    assert_eq!(messages[1]["content"][1]["id"], "toolu_5");
    assert_eq!(messages[2]["content"][1]["content"][0]["text"], "two");
    assert_eq!(notes.len(), 1, "only that the tool's definition is not there: {notes:?}");
}

#[test]
fn an_orphan_result_becomes_text_and_an_open_call_gets_a_stand_in() {
    let pieces =
        [piece(Kind::Result, "orphan", 1), piece(Kind::CallObject, "x", 2), piece(Kind::CallText, "free text", 4)];
    let (anthropic, notes) = request(&pieces, 1, Form::Anthropic);
    let messages = anthropic["messages"].as_array().unwrap();
    assert_eq!(messages[0]["content"][0]["text"], "[result of Bash; its call is not in the window]\norphan");
    assert_eq!(messages[1]["content"][1]["input"]["input"], "free text");
    assert_eq!(messages[2]["content"].as_array().unwrap().len(), 2);
    assert!(notes.iter().any(|note| note.contains("stand-in")) && notes.iter().any(|note| note.contains("not in the")));
    let (openai, _) = request(&pieces, 1, Form::OpenAi);
    let calls = &openai["messages"][1]["tool_calls"];
    assert_eq!(calls[1]["function"]["arguments"], r#"{"input":"free text"}"#);
    assert_eq!(openai["messages"][3]["role"], "tool");
}

#[test]
fn the_breakpoints_stand_behind_the_system_text_and_behind_what_the_step_before_held() {
    let mut pieces = vec![
        piece(Kind::System, "be brief", 0),
        piece(Kind::User, "old", 0),
        piece(Kind::Assistant, "answer", 0),
        piece(Kind::User, "new", 0),
    ];
    pieces[3].born = 2;
    let (request, _) = request(&pieces, 2, Form::Anthropic);
    assert!(request["system"][0].get("cache_control").is_some());
    assert!(request["messages"][0]["content"][0].get("cache_control").is_none());
    assert!(request["messages"][1]["content"][0].get("cache_control").is_some());
    assert!(request["messages"][2]["content"][0].get("cache_control").is_none());
}

#[test]
fn reasoning_goes_back_only_with_its_signature() {
    let pieces = [piece(Kind::User, "q", 0), piece(Kind::Signed, "hm", 0), piece(Kind::Unsigned, "well", 0)];
    let (request, notes) = request(&pieces, 1, Form::Anthropic);
    let content = request["messages"][1]["content"].as_array().unwrap();
    assert_eq!((content.len(), &content[0]["signature"]), (1, &Value::from("c2ln")));
    assert!(notes.iter().any(|note| note.contains("signature")));
    let pieces = [piece(Kind::User, "q", 0), piece(Kind::Omitted, "", 0), piece(Kind::Redacted, "", 0)];
    let (request, _) = self::request(&pieces, 1, Form::Anthropic);
    let content = &request["messages"][1]["content"];
    assert_eq!((&content[0]["thinking"], &content[0]["signature"]), (&Value::from(""), &Value::from("c2ln")));
    assert_eq!(content[1]["data"], "b3BhcXVl");
}

#[test]
fn tools_are_defined_from_what_the_transcript_holds() {
    let pieces = [piece(Kind::Tools, "runs", 0), piece(Kind::User, "q", 0)];
    for (form, schema) in [(Form::Anthropic, "/tools/1/input_schema"), (Form::OpenAi, "/tools/1/function/parameters")] {
        let (request, _) = request(&pieces, 1, form);
        assert_eq!(request.pointer(schema).unwrap(), &serde_json::json!({"type": "object", "a": 1}));
    }
}

#[test]
fn markdown_fences_what_holds_fences() {
    let (transcript, sources, run) = window(&[piece(Kind::Result, "```\ncode\n````\n", 1)]);
    let text = packed(&transcript, &sources, &run, 1, Form::Markdown).text;
    assert!(text.contains("\n`````\n```\ncode\n````\n`````\n"), "{text}");
}
