//! What lines tell about their sessions.

use super::{Sign, claude_code, codex, own_words, shortened};

fn prompt(text: &str) -> Vec<Sign> {
    vec![Sign::Prompt(text.into())]
}

#[test]
fn claude_codes_lines_tell_steps_compactions_prompts_and_names() {
    let told = |line: &str| claude_code(line.as_bytes());
    let answer = |extra: &str, id: &str, model: &str| {
        told(&format!(r#"{{"type":"assistant"{extra},"message":{{"id":"{id}","model":"{model}","content":[]}}}}"#))
    };
    assert!(matches!(answer("", "msg_1", "m")[..], [Sign::Step(_)]));
    assert_eq!(answer("", "msg_1", "m"), answer("", "msg_1", "n"));
    assert_ne!(answer("", "msg_1", "m"), answer("", "msg_2", "m"));
    assert_eq!(answer(r#","isSidechain":true"#, "msg_1", "m"), []);
    assert_eq!(answer("", "msg_1", "<synthetic>"), []);
    assert_eq!(told(r#"{"type":"system","subtype":"compact_boundary"}"#), [Sign::Compaction]);
    assert_eq!(told(r#"{"type":"system","subtype":"microcompact_boundary"}"#), []);
    assert_eq!(told(r#"{"type":"ai-title","aiTitle":"A name"}"#), [Sign::Title("A name".into())]);

    let user = |extra: &str, content: &str| {
        told(&format!(r#"{{"type":"user"{extra},"message":{{"role":"user","content":{content}}}}}"#))
    };
    assert_eq!(user("", r#""fix the \"login\"\n  page""#), prompt("fix the \"login\" page"));
    let parts = r#"[{"type":"text","text":"<ide_opened_file>x</ide_opened_file>"},{"type":"text","text":"go on"}]"#;
    assert_eq!(user("", parts), prompt("go on"));
    assert_eq!(user(r#","isMeta":true"#, r#""Caveat""#), []);
    assert_eq!(user(r#","isCompactSummary":true"#, r#""This session""#), []);
    assert_eq!(user("", r#"[{"type":"tool_result","content":"text"}]"#), []);
    let typed =
        "<command-message>init</command-message>\\n<command-name>/init</command-name><command-args>now</command-args>";
    assert_eq!(user("", &format!("\"{typed}\"")), prompt("/init now"));
    assert_eq!(user("", r#""<command-name>/clear</command-name>""#), []);
    let cwd = user(r#","cwd":"/home/x/project""#, r#""hello""#);
    assert_eq!(cwd, [Sign::Prompt("hello".into()), Sign::Folder("/home/x/project".into())]);
}

#[test]
fn codexs_lines_tell_steps_compactions_prompts_and_folders() {
    let told = |line: &str| codex(line.as_bytes());
    let usage = |total: u64, input: u64| {
        told(&format!(
            r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":{input}}}}}}}}}"#
        ))
    };
    assert!(matches!(usage(100, 90)[..], [Sign::Step(_)]));
    assert_eq!(usage(100, 90), usage(100, 90));
    assert_ne!(usage(100, 90), usage(200, 90));
    assert_eq!(usage(100, 0), []);
    assert_eq!(told(r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#), []);
    assert_eq!(told(r#"{"type":"compacted","payload":{"message":""}}"#), [Sign::Compaction]);
    assert_eq!(told(r#"{"type":"session_meta","payload":{"cwd":"/p"}}"#), [Sign::Folder("/p".into())]);
    let message = |text: &str| {
        told(&format!(
            r#"{{"type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}}}"#
        ))
    };
    assert_eq!(message("<task>Review this</task>"), prompt("<task>Review this</task>"));
    assert_eq!(message("# AGENTS.md instructions for /p"), []);
    assert_eq!(message("<environment_context>\\n</environment_context>"), []);
    assert_eq!(message("# Context from my IDE setup:\\n\\n## My request for Codex:\\ndo it\\n"), prompt("do it"));
}

#[test]
fn texts_are_shortened_to_one_line() {
    assert_eq!(&*shortened(" a\n\tb "), "a b");
    assert_eq!(shortened(&"é ".repeat(5000)).chars().count(), 300);
    assert_eq!(shortened(&"x".repeat(5000)).chars().count(), 300);
    assert_eq!(own_words(" \n"), None);
}

#[test]
fn no_line_is_too_damaged() {
    let line = br#"{"type":"user","cwd":"\u12","message":{"content":[{"text":"a\ud800"},null,7]}}"#;
    for cut in 0..line.len() {
        let _ = (claude_code(&line[..cut]), codex(&line[..cut]));
    }
    let _ = (claude_code(b"\xff\xfe[[[["), codex(&b"{\"payload\":".repeat(2000)));
}
