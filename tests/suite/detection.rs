//! What a file is, told from its content alone.

use std::path::Path;

use windowpane::content::Sources;
use windowpane::model::SourceKind;
use windowpane::transcript::{FORMATS, by_name, detect};

use crate::data;

fn found(bytes: &[u8]) -> Result<&'static str, String> {
    let mut sources = Sources::default();
    let id = sources.add_memory("test", SourceKind::Transcript, bytes.to_vec());
    detect(&sources, id).map(|found| found.format.name).map_err(|why| why.to_string())
}

#[test]
fn what_is_no_transcript_is_told_in_words() {
    for (bytes, words) in [
        (&b""[..], "an empty file"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"hello\x1b[31m there\nsecond", "text: \"hello\u{FFFD}[31m there\""),
        (b"{\"a\": 1, \"b\": [2]}", "JSON object with keys a, b"),
        (b"{\"a\": 1}\n{\"b\": 2}\n", "JSON lines, the first a JSON object with keys a"),
        (b"[1, 2]", "a JSON array of something else"),
        (b"[]", "an empty JSON array"),
        (b"[package]\nname = \"x\"\n", "text: \"[package]\""),
        (b"\0\x01\x02", "binary data"),
        (b"  \n \n", "nothing but blank lines"),
        (b"SQLite format 3\0abc", "OpenCode or Cursor"),
    ] {
        let why = found(bytes).expect_err("no transcript");
        assert!(why.contains(words), "{why}");
        assert!(!why.contains('\x1b'), "{why}");
        assert!(FORMATS.iter().all(|format| why.contains(format.title) && why.contains(format.marks)), "{why}");
    }
}

#[test]
fn a_known_record_is_found_behind_many_unknown_ones() {
    let known: [(&str, &[u8]); 4] = [
        ("claude_code", include_bytes!("../../fixtures/claude-code.jsonl")),
        ("codex", include_bytes!("../../fixtures/codex.jsonl")),
        ("openai_chat", br#"{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f"}}]}"#),
        ("anthropic_messages", br#"{"model":"claude-x","max_tokens":1,"system":"s","messages":[{"role":"user","content":"x"}]}"#),
    ];
    for (name, bytes) in known {
        for before in ["{\"type\":\"future-thing\",\"x\":1}\n", "some line of a log\n"] {
            let file = [before.repeat(20_000).as_bytes(), bytes, b"\n"].concat();
            assert_eq!(found(&file), Ok(name), "{before}");
            let (_, transcript) = data::open_bytes(file, None);
            assert!(!transcript.threads[0].ops.is_empty(), "{name} after {before}");
        }
    }
}

#[test]
fn a_stream_of_which_little_was_kept_is_one() {
    let says = r#"{"type":"assistant","session_id":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}"#;
    let init =
        |more: &str| format!("{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"{more}}}\n{says}\n");
    assert_eq!(found(init("").as_bytes()), Ok("claude_stream_json"));
    assert_ne!(found(init(",\"apiKeySource\":\"login\"").as_bytes()), Ok("claude_stream_json"));
}

#[test]
fn what_is_to_be_asked_at_its_time_is_no_request() {
    let asked = |more: &str| format!(r#"[{{"id":"a","prompt":"Sum it up.","model":"gpt-x"{more}}}]"#);
    assert_eq!(found(asked("").as_bytes()), Ok("openai_chat"));
    assert!(found(asked(r#","schedule":{"minutes":15},"enabled":true"#).as_bytes()).is_err());
}

#[test]
fn the_dialect_tells_the_vendor_and_not_the_models_name() {
    let asked = |more: &str| {
        format!(r#"{{"model":"anthropic/claude-x","max_tokens":9,"messages":[{{"role":"user","content":"x"}}]{more}}}"#)
    };
    let function = r#","tools":[{"type":"function","function":{"name":"f","parameters":{}}}]"#;
    let choices = r#"{"id":"c","model":"claude-x","choices":[{"message":{"role":"assistant","content":"y"}}],"usage":{"prompt_tokens":3}}"#;
    for request in [asked(""), asked(function)] {
        for pair in [format!(r#"{{"request":{request},"response":{choices}}}"#), format!("[{request},{choices}]")] {
            assert_eq!(found(pair.as_bytes()), Ok("openai_chat"), "{pair}");
            let (_, transcript) = data::open_bytes(pair.into_bytes(), None);
            assert_eq!(transcript.threads[0].requests[0].usage.map(|usage| usage.input), Some(3));
        }
    }
    assert_eq!(found(asked(function).as_bytes()), Ok("openai_chat"));
    assert_eq!(found(asked("").as_bytes()), Ok("anthropic_messages"));
}

#[test]
fn a_byte_order_mark_moves_offsets_and_changes_nothing_else() {
    for name in ["claude-code.jsonl", "codex.jsonl", "chat.request.json", "messages.request.json"] {
        let bytes = std::fs::read(Path::new("fixtures").join(name)).expect(name);
        let (_, plain) = data::open_bytes(bytes.clone(), None);
        let (_, marked) = data::open_bytes([b"\xEF\xBB\xBF", bytes.as_slice()].concat(), None);
        assert_eq!((&marked.skipped, marked.warnings.len()), (&plain.skipped, plain.warnings.len()), "{name}");
        let places = |transcript: &windowpane::model::Transcript| -> Vec<(u32, u64)> {
            transcript.blocks.iter().map(|block| (block.record.line, block.record.start)).collect()
        };
        let moved: Vec<(u32, u64)> = places(&plain).iter().map(|(line, start)| (*line, start + 3)).collect();
        assert_eq!(places(&marked), moved, "{name}");
    }
}

#[test]
fn a_name_that_is_none_gets_the_names_there_are() {
    let why = by_name("gopher").err().map(|why| why.to_string()).unwrap_or_default();
    assert!(FORMATS.iter().all(|format| why.contains(format.name)), "{why}");
    assert!(FORMATS.iter().all(|format| by_name(format.name).is_ok()));
}

#[test]
fn formats_that_are_not_read_yet_are_not_taken_for_others() {
    for format in [
        "gemini_cli",
        "opencode",
        "pi",
        "copilot_cli",
        "pydantic_ai",
        "langchain",
        "swe_agent",
        "openhands",
        "inspect_ai",
        "otel_genai",
        "sharegpt",
        "vercel_uimessage",
        "aider",
        "opencode_storage",
        "cursor",
    ] {
        if by_name(format).is_ok() {
            continue;
        }
        for path in data::transcripts(format) {
            if path.file_name().is_some_and(|name| name == "migration" || name == "INDEX.tsv") {
                continue;
            }
            let taken = found(&data::bytes(&path));
            let name = path.display();
            let told = |why: &String| why.contains("not read yet") || format == "opencode_storage";
            assert!(taken.as_ref().is_err_and(told), "{name}: {taken:?}");
        }
    }
}

#[test]
fn every_real_transcript_is_found_to_be_what_it_is() {
    for format in data::formats() {
        for path in data::transcripts(format.name) {
            assert_eq!(found(&data::bytes(&path)), Ok(format.name), "{}", path.display());
        }
    }
}

#[test]
fn no_beginning_of_a_file_makes_detection_fail() {
    for format in data::formats() {
        for path in data::transcripts(format.name).into_iter().take(2) {
            let bytes = data::bytes(&path);
            let most = bytes.len().min(20_000);
            for cut in (0..most).step_by(997) {
                let _ = found(&bytes[..cut]);
            }
        }
    }
}
