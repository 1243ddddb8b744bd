//! Blocks and attachments: layers, labels, cuts, and what they were before.

use super::*;
use crate::model::{BlockKind, Body, Coding, CutShape, Layer, SourceId};

fn message(content: Value) -> Value {
    chained("user", "u1", "", json!({"message": {"role": "user", "content": content}}))
}

#[test]
fn each_attachment_gives_the_text_that_the_model_is_shown() {
    let cases: &[(Value, Layer, &str)] = &[
        (json!({"type": "deferred_tools_delta", "addedNames": ["A"], "addedLines": ["A", "B"]}), Layer::Tools, "A\nB"),
        (
            json!({"type": "agent_listing_delta", "addedTypes": ["a"], "addedLines": ["- a: does"]}),
            Layer::Tools,
            "- a: does",
        ),
        (json!({"type": "mcp_instructions_delta", "addedBlocks": ["## s\nuse"]}), Layer::Tools, "## s\nuse"),
        (
            json!({"type": "nested_memory", "path": "/w/C", "content": {"content": "rule", "rawContent": "raw"}}),
            Layer::Instructions,
            "rule",
        ),
        (json!({"type": "skill_listing", "content": "- s: skill", "names": ["s"]}), Layer::Skills, "- s: skill"),
        (
            json!({"type": "invoked_skills", "skills": [{"name": "s", "content": "body"}, {"content": "two"}]}),
            Layer::Skills,
            "body\ntwo",
        ),
        (json!({"type": "compact_file_reference", "filename": "/w/x"}), Layer::Files, "/w/x"),
        (json!({"type": "edited_text_file", "filename": "/w/x", "snippet": "1\tx"}), Layer::Files, "1\tx"),
        (json!({"type": "hook_additional_context", "content": ["a", "b"]}), Layer::Notices, "a\nb"),
        (json!({"type": "hook_additional_context", "content": "a"}), Layer::Notices, "a"),
        (
            json!({"type": "hook_success", "hookEvent": "SessionStart", "content": "hi", "stdout": "hi\n"}),
            Layer::Notices,
            "hi",
        ),
        (json!({"type": "task_reminder", "content": [{"subject": "s1"}, {"subject": "s2"}]}), Layer::Notices, "s1\ns2"),
        (json!({"type": "todo_reminder", "content": [{"content": "t1"}]}), Layer::Notices, "t1"),
        (json!({"type": "total_tokens_reminder", "text": "left"}), Layer::Notices, "left"),
        (json!({"type": "relevant_memories", "memories": [{"content": "m"}]}), Layer::Memory, "m"),
        (json!({"type": "queued_command", "commandMode": "prompt", "prompt": "and that"}), Layer::User, "and that"),
        (
            json!({"type": "queued_command", "commandMode": "task-notification", "prompt": "ended"}),
            Layer::Notices,
            "ended",
        ),
        (
            json!({"type": "queued_command", "commandMode": "prompt", "origin": {"kind": "peer"}, "prompt": "look"}),
            Layer::Notices,
            "look",
        ),
        (
            json!({"type": "queued_command", "prompt": "<agent-message from=\"a1\">done</agent-message>"}),
            Layer::Notices,
            "<agent-message from=\"a1\">done</agent-message>",
        ),
        (json!({"type": "a_later_version", "content": "words"}), Layer::Notices, "words"),
        (json!({"type": "agent_mention", "agentType": "reviewer"}), Layer::Notices, "reviewer"),
        (json!({"type": "memory", "memories": [{"fullPath": "/m/1", "content": "kept"}]}), Layer::Memory, "kept"),
        (
            json!({"type": "async_agent_status", "agentId": "ag", "status": "failed", "description": "d", "error": "e"}),
            Layer::Notices,
            "d\nfailed\nag\ne",
        ),
        (
            json!({"type": "background_shell_status", "taskId": "b1", "command": "run", "status": "completed", "exitCode": 0}),
            Layer::Notices,
            "b1\nrun\ncompleted\n0",
        ),
        (
            json!({"type": "team_context", "agentName": "n", "teamName": "t", "teamConfigPath": "/c", "taskListPath": "/l"}),
            Layer::Notices,
            "t\nn\n/c\n/l",
        ),
        (json!({"type": "token_usage", "used": 101, "total": 200, "remaining": 99}), Layer::Notices, "101\n200\n99"),
        (
            json!({"type": "async_hook_response", "response":
                {"systemMessage": "s", "hookSpecificOutput": {"additionalContext": "c"}}}),
            Layer::Notices,
            "s\nc",
        ),
        (
            json!({"type": "deferred_tools_delta", "addedNames": ["A"], "addedLines": ["A: x"], "removedNames": ["B"]}),
            Layer::Tools,
            "A: x\nB",
        ),
        (json!({"type": "deferred_tools_delta", "addedLines": [], "removedNames": ["B"]}), Layer::Tools, "B"),
        (json!({"type": "task_status", "description": "d", "deltaSummary": "new"}), Layer::Notices, "d\nnew"),
    ];
    for (value, layer, text) in cases {
        let read = read(&[attachment("t1", "", value.clone()), user("u1", "t1", "go")]);
        assert_eq!(read.last()[0], *text, "{value}");
        assert_eq!(read.transcript.blocks[0].layer, *layer, "{value}");
    }
}

#[test]
fn what_other_agents_and_the_harness_write_is_no_persons() {
    for (text, origin, label) in [
        ("<teammate-message teammate_id=\"lead\" color=\"blue\">go</teammate-message>", "", "teammate"),
        ("<agent-message from=\"a1\">done</agent-message>", "", "agent message"),
        ("<cross-session-message from=\"uds:/s\">hello</cross-session-message>", "", "other session"),
        ("Another Claude session sent a message:\n<agent-message from=\"a1\">x</agent-message>", "", "other session"),
        ("Stop hook feedback:\n[lint.sh]: two are left", "", "hook"),
        ("ship it", "peer", "other session"),
        ("Go on from where you left off.", "auto-continuation", "continued"),
        ("<task-notification><task-id>b1</task-id></task-notification>", "task-notification", "task"),
    ] {
        let mut record = user("u1", "", text);
        if !origin.is_empty() {
            record["origin"] = json!({"kind": origin});
        }
        let read = read(&[record, user("u2", "u1", "go")]);
        let block = &read.transcript.blocks[0];
        assert_eq!((block.layer, &*block.label), (Layer::Notices, label), "{text}");
    }
    let mut typed = user("u1", "", "go");
    typed["origin"] = json!({"kind": "human"});
    assert_eq!(read(&[typed]).transcript.blocks[0].layer, Layer::User);
}

#[test]
fn a_person_may_begin_as_the_harness_does() {
    let whole = "<agent-message from=\"a1\">done</agent-message>";
    for (text, told, layer) in [
        ("<tick> or <tock>?", json!({}), Layer::User),
        ("<agent-message> is what the tag is called", json!({}), Layer::User),
        ("<agent-message from=\"a1\">done</agent-message> is what I see: why?", json!({}), Layer::User),
        ("Stop hook feedback: it repeats itself", json!({}), Layer::User),
        ("Stop hook feedback:\nit repeats itself", json!({"promptSource": "typed"}), Layer::User),
        ("Stop hook feedback:\nit repeats itself", json!({"isMeta": true, "promptSource": "typed"}), Layer::Notices),
        (whole, json!({"origin": {"kind": "human"}}), Layer::User),
        (whole, json!({"promptSource": "sdk"}), Layer::Notices),
        ("Go on.", json!({"promptSource": "system"}), Layer::Notices),
        ("Go on.", json!({"promptSource": "queued"}), Layer::User),
    ] {
        let mut record = user("u1", "", text);
        for (name, value) in told.as_object().unwrap() {
            record[name] = value.clone();
        }
        let queued = json!({"type": "queued_command", "prompt": text, "origin": told["origin"]});
        let read = read(&[record, attachment("t1", "u1", queued), user("u2", "t1", "go")]);
        assert_eq!(read.transcript.blocks[0].layer, layer, "{text} {told}");
        if told.get("promptSource").is_none() {
            assert_eq!(read.transcript.blocks[1].layer, layer, "queued: {text} {told}");
        }
    }
}

#[test]
fn attachments_that_the_model_is_not_shown_are_counted() {
    let cases = [
        json!({"type": "hook_success", "hookEvent": "SessionStart", "content": "", "stdout": "{\"continue\":true}"}),
        json!({"type": "hook_success", "hookEvent": "PostToolUse", "content": "printed"}),
        json!({"type": "hook_system_message", "content": "for the user"}),
        json!({"type": "command_permissions", "allowedTools": []}),
        json!({"type": "context_tip", "content": "for the user"}),
        json!({"type": "goal_status", "met": false, "message": "for the user"}),
        json!({"type": "hook_deferred_tool", "toolName": "Bash", "content": "for the user"}),
        json!({"type": "deferred_tools_delta", "addedNames": [], "addedLines": []}),
        json!({"type": "task_reminder", "content": [], "itemCount": 0}),
        json!("not even an object"),
    ];
    for value in cases {
        let read = read(&[attachment("t1", "", value.clone()), user("u1", "t1", "go")]);
        assert_eq!(read.last(), ["go"], "{value}");
        assert_eq!(read.transcript.skipped.values().sum::<u64>(), 1, "{value}");
    }
}

#[test]
fn texts_in_user_messages_are_told_apart_by_how_they_begin() {
    let cases = [
        ("a question", false, Layer::User),
        ("a note of the harness", true, Layer::Notices),
        ("Base directory for this skill: /s\n\nDo", true, Layer::Skills),
        ("Base directory for this skill: /s\n\nDo", false, Layer::Skills),
        ("<local-command-stdout>x</local-command-stdout>", false, Layer::Notices),
        ("<command-name>/x</command-name>", false, Layer::User),
        ("<system-reminder>x</system-reminder>", false, Layer::Notices),
        ("see <system-reminder>x</system-reminder>", false, Layer::User),
    ];
    for (text, meta, layer) in cases {
        let mut record = message(json!([{"type": "text", "text": text}]));
        record["isMeta"] = json!(meta);
        assert_eq!(read(&[record]).find(text).layer, layer, "{text}");
    }
}

#[test]
fn what_a_local_command_printed_is_sent() {
    let said = chained("system", "x1", "", json!({"subtype": "local_command", "content": "<local-command-stdout>ok"}));
    let unsaid = chained("system", "x2", "x1", json!({"subtype": "turn_duration", "durationMs": 5}));
    let read = read(&[said, unsaid, user("u1", "x2", "go")]);
    assert_eq!(read.last(), ["<local-command-stdout>ok", "go"]);
    assert_eq!(read.transcript.skipped.get("system/turn_duration"), Some(&1));
}

#[test]
fn a_result_of_text_and_a_picture_is_two_blocks_of_one_call() {
    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}]);
    let read = read(&[message(json!([
        {"type": "tool_result", "tool_use_id": "c1", "content": parts, "is_error": true}
    ]))]);
    let [text, image] = &read.transcript.blocks[..] else { panic!("{:?}", read.transcript.blocks) };
    assert_eq!((text.kind, image.kind), (BlockKind::ToolResult, BlockKind::Image));
    assert!(text.error && image.error && text.call.is_some() && text.call == image.call);
    assert_eq!((text.layer, image.layer), (Layer::ToolResults, Layer::ToolResults));
    assert_eq!(read.sources.body_text(&text.body).unwrap(), "a\nb");
    let Body::Media(media) = &image.body else { panic!() };
    assert_eq!((&*media.mime, media.span.coding), ("image/png", Coding::Base64));
}

#[test]
fn a_picture_that_stands_before_the_text_of_a_result_stays_before_it() {
    let picture =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}});
    let kinds = |parts: serde_json::Value| {
        let read = read(&[message(json!([{"type": "tool_result", "tool_use_id": "c1", "content": parts}]))]);
        read.transcript.blocks.iter().map(|block| block.kind).collect::<Vec<_>>()
    };
    let text = json!({"type": "text", "text": "a"});
    assert_eq!(kinds(json!([picture, text])), [BlockKind::Image, BlockKind::ToolResult]);
    assert_eq!(kinds(json!([text, picture])), [BlockKind::ToolResult, BlockKind::Image]);
    assert_eq!(kinds(json!([picture])), [BlockKind::Image]);
    assert_eq!(kinds(json!([])), [BlockKind::ToolResult]);
}

#[test]
fn tools_of_the_server_and_blocks_of_later_versions_are_kept() {
    let blocks = [
        json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}),
        json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]}),
        json!({"type": "advisor_tool_result", "tool_use_id": "s1", "content": {"encrypted_content": "QUJD"}}),
        json!({"type": "redacted_thinking", "data": "QUJD"}),
        json!({"type": "of_tomorrow", "deep": {"x": 1}}),
        json!({"type": "fallback", "from": {}, "to": {}}),
    ];
    let mut records = vec![user("u1", "", "x")];
    records.extend(blocks.iter().map(|block| answer("a1", "u1", "m1", block.clone(), 100)));
    let read = read(&records);
    let layers: Vec<Layer> = read.transcript.blocks.iter().skip(1).map(|block| block.layer).collect();
    let expected = [Layer::ToolCalls, Layer::ToolResults, Layer::ToolResults, Layer::Thinking, Layer::Assistant];
    assert_eq!(layers, expected);
    assert_eq!(&*read.transcript.blocks[2].label, "web_search");
    assert_eq!(&*read.transcript.blocks[5].label, "of_tomorrow");
}

fn bash(sent: &str, copy: Value) -> Read {
    let mut record = result("r1", "a1", "c1", sent);
    record["toolUseResult"] = copy;
    read(&[user("u1", "", "x"), calls("a1", "u1", "m1", "c1", "Bash"), record])
}

#[test]
fn a_cut_result_keeps_what_it_was_before() {
    let sent = "head\n\n... [500 characters truncated] ...\n\ntail";
    let whole = format!("head{}tail", "x".repeat(600));
    let read = bash(sent, json!({"stdout": whole, "stderr": ""}));
    let block = read.find(sent);
    let cut = block.cut.as_deref().unwrap();
    assert_eq!((cut.shape, cut.original_chars), (CutShape::Middle, Some(sent.len() as u64 + 500)));
    assert_eq!(read.sources.body_text(block.original.as_deref().unwrap()).unwrap(), whole);
    assert!(bash("short", json!({"stdout": whole})).find("short").original.is_none(), "no words tell of a cut");
}

#[test]
fn a_copy_that_is_cut_itself_is_no_original() {
    let sent = "head\n\n... [500 characters truncated] ...\n\ntail";
    for copy in [json!(format!("Error: {sent}")), json!({"stdout": format!("{sent}{}", "x".repeat(300))})] {
        let read = bash(sent, copy);
        let block = read.find(sent);
        assert!(block.original.is_none());
        let cut = block.cut.as_deref().unwrap();
        assert_eq!(cut.original_chars, Some(sent.len() as u64 + 500));
        let estimated = cut.estimated_tokens(20, sent.len() as u64);
        assert_eq!(estimated, Some(20 * (sent.len() as u64 + 500) / sent.len() as u64), "as dense as what is left");
    }
    // The agent's own screen is shown 30,000 bytes of what went to a file: more than the preview.
    let sent = "<persisted-output>\nOutput too large (33.8KB). Full output saved to: /h/S/b1.txt\n\nPreview";
    let copy = |bytes: usize| json!({"stdout": "x".repeat(bytes), "persistedOutputSize": 34_594});
    let cut = bash(sent, copy(30_000));
    assert_eq!(cut.find(sent).cut.as_deref().unwrap().original_chars, Some(34_594));
    assert_eq!(cut.find(sent).cut.as_deref().unwrap().estimated_tokens(20, 60), Some(8_649));
    let by_copy = |bytes: usize| {
        let read = bash(sent, copy(bytes));
        assert!(read.find(sent).original.is_some());
        read.find(sent).cut.as_deref().unwrap().tokens_by_copy(5_000)
    };
    assert_eq!((by_copy(30_000), by_copy(34_593)), (8_649, 5_000), "what is said where the copy ends early");
}

#[test]
fn words_of_a_cut_in_a_file_that_is_shown_are_the_files_own() {
    let sent = "1\thead\n... [500 characters truncated] ...\n";
    let read = read(&[user("u1", "", "x"), calls("a1", "u1", "m1", "c1", "Read"), result("r1", "a1", "c1", sent)]);
    assert!(read.find(sent).cut.is_none());
}

#[test]
fn a_cut_of_what_a_file_holds_is_known_by_the_copy_that_goes_on() {
    let sent = "a.rs:1: head\n\n... [6 lines truncated] ...";
    let grep = |copy: &str| {
        let mut record = result("r1", "a1", "c1", sent);
        record["toolUseResult"] = json!({"mode": "content", "content": copy});
        read(&[user("u1", "", "x"), calls("a1", "u1", "m1", "c1", "Grep"), record])
    };
    let whole = format!("a.rs:1: head{}", "\na.rs:2: more".repeat(20));
    let read = grep(&whole);
    let block = read.find(sent);
    assert_eq!(block.cut.as_deref().map(|cut| cut.shape), Some(CutShape::Head));
    assert_eq!(read.sources.body_text(block.original.as_deref().unwrap()).unwrap(), whole);
    // What the copy holds too is the file's own.
    let read = grep(&format!("{sent}{}", "\na.rs:9: more".repeat(20)));
    assert!(read.find(sent).cut.is_none() && read.find(sent).original.is_none());
}

#[test]
fn a_snippet_of_an_edited_file_is_cut_where_it_ends_in_the_note() {
    let snippet = |text: &str| {
        let value = json!({"type": "edited_text_file", "filename": "/p/a.py", "snippet": text});
        let read = read(&[user("u1", "", "x"), chained("attachment", "t1", "u1", json!({"attachment": value}))]);
        read.find(text).cut.as_deref().map(|cut| cut.shape)
    };
    assert_eq!(snippet("1\timport os\n\n... [68 lines truncated] ..."), Some(CutShape::Head));
    assert_eq!(snippet("1\timport os\n2\t... [68 lines truncated] ...\n3\tpass"), None);
}

#[test]
fn a_persisted_output_points_to_the_file_that_holds_the_whole() {
    let sent = "<persisted-output>\nOutput too large (12B). Full output saved to: /h/S/tool-results/b1.txt\n\nPreview";
    let records = [user("u1", "", "x"), calls("a1", "u1", "m1", "c1", "Bash"), result("r1", "a1", "c1", sent)];
    let beside = Beside([("S/tool-results/b1.txt".to_owned(), b"whole output".to_vec())].into());
    let read = read_with(lines(&records), &beside);
    let block = read.find(sent);
    assert_eq!(block.cut.as_deref().map(|cut| (cut.shape, cut.original_chars)), Some((CutShape::Pointer, Some(12))));
    let original = block.original.as_deref().unwrap();
    assert_eq!(read.sources.body_text(original).unwrap(), "whole output");
    assert_eq!(original.spans().next().map(|span| span.source), Some(SourceId(1)));
    assert_eq!(read.transcript.sources[1].name, "folder/S/tool-results/b1.txt");
}

#[test]
fn auto_compact_is_off_from_where_the_user_switched_it_off() {
    let output = |uuid: &str, parent: &str, words: &str| {
        let content = format!("<local-command-stdout>{words}</local-command-stdout>");
        chained("user", uuid, parent, json!({"message": {"role": "user", "content": content}}))
    };
    for (off, on) in [
        ("Set \u{1b}[1mAuto-compact\u{1b}[22m to \u{1b}[1mfalse\u{1b}[22m", "Set Auto-compact to true"),
        ("Disabled auto-compact", "Enabled auto-compact"),
    ] {
        let read = read(&[
            user("u1", "", "I said: Disabled auto-compact"),
            says("a1", "u1", "m1", "one"),
            output("o1", "a1", off),
            user("u2", "o1", "x"),
            says("a2", "u2", "m2", "two"),
            output("o2", "a2", on),
            user("u3", "o2", "y"),
            says("a3", "u3", "m3", "three"),
        ]);
        let switched: Vec<_> = read.main().requests.iter().map(|request| request.auto_compact).collect();
        assert_eq!(switched, [None, Some(false), Some(true)]);
    }
}

#[test]
fn words_behind_what_the_harness_wrote_are_the_persons() {
    let reminder = "<system-reminder>\nBe kind.\n</system-reminder>\n";
    let read = read(&[
        user("u1", "", "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", "a1", &format!("{reminder}{reminder}go on <b>now</b>")),
        says("a2", "u2", "m2", "second"),
        user("u3", "a2", reminder.trim_end()),
        says("a3", "u3", "m3", "third"),
        user("u4", "a1", &format!("{reminder}go back")),
    ]);
    let windows = read.windows(read.main());
    assert_eq!(windows[1], ["one", "first", reminder, reminder, "go on <b>now</b>"]);
    assert_eq!(windows[2].last().map(String::as_str), Some(reminder.trim_end()));
    assert_eq!(windows[3], ["one", "first", reminder, "go back"], "it is a prompt, which goes back");
    assert_eq!(read.find("go back").layer, Layer::User);
    assert_eq!(read.find(reminder).layer, Layer::Notices);
}

#[test]
fn what_the_harness_adds_behind_a_notification_is_no_persons() {
    let notification = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\n";
    let first = format!("{notification}Read the output file to retrieve the result: /tmp/b1.output");
    let second = format!("<system-reminder>x</system-reminder>\n{notification}Full transcript available at: /tmp/b2");
    let read = read(&[
        user("u1", "", "go"),
        says("a1", "u1", "m1", "both started"),
        user("n1", "a1", &first),
        user("n2", "n1", &second),
        says("a2", "n2", "m2", "both done"),
        user("u2", "a2", "thanks, go on"),
        user("n3", "u2", &first),
        says("a3", "n3", "m3", "done"),
    ]);
    assert_eq!(read.main().requests.len(), 3, "a notification is no prompt that was given up");
    let users = read.transcript.blocks.iter().filter(|block| block.layer == Layer::User).count();
    assert_eq!(users, 2, "nothing but the two prompts is a person's");
    assert_eq!(read.find(&first).layer, Layer::Notices);
}

#[test]
fn what_is_said_of_a_document_goes_to_the_model_with_it() {
    let source = json!({"type": "text", "media_type": "text/plain", "data": "the text"});
    let said = json!([{"type": "document", "source": source, "title": "plan.txt", "context": "of last week"},
        {"type": "document", "source": source}]);
    let read = read(&[message(said), says("a1", "u1", "m1", "Seen.")]);
    let blocks: Vec<(BlockKind, Layer, &str)> =
        read.transcript.blocks.iter().map(|block| (block.kind, block.layer, &*block.label)).take(4).collect();
    let of = |kind, label| (kind, Layer::Files, label);
    let (text, document) = (BlockKind::Text, BlockKind::Document);
    let told = [of(text, "plan.txt"), of(document, "plan.txt"), of(text, "plan.txt"), of(document, "document")];
    assert_eq!(blocks, told);
    assert_eq!(read.windows(read.main())[0], ["plan.txt", "the text", "of last week", "the text"]);
}
