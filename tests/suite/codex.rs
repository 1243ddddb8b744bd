//! Codex rollouts: what each rule makes of small inputs.

use serde_json::{Value, json};
use windowpane::content::Sources;
use windowpane::model::{Body, CutShape, Layer, Op, Outcome, RewindCause, Role, Thread, ThreadKind, Transcript};

use crate::data;

pub fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-01-02T03:04:05.678Z", "type": kind, "payload": payload})
}

pub fn item(payload: Value) -> Value {
    line("response_item", payload)
}

pub fn event(payload: Value) -> Value {
    line("event_msg", payload)
}

pub fn meta() -> Value {
    line(
        "session_meta",
        json!({"id": "s1", "cwd": "/w", "cli_version": "0.142.5", "originator": "codex_cli_rs",
        "base_instructions": {"text": "You are Codex."}, "dynamic_tools": [{"name": "plan"}, {"name": "open"}]}),
    )
}

pub fn says(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
}

pub fn calls(id: &str) -> Value {
    item(json!({"type": "function_call", "name": "shell", "arguments": format!("{{\"id\":\"{id}\"}}"), "call_id": id}))
}

pub fn gives(id: &str, output: Value) -> Value {
    item(json!({"type": "function_call_output", "call_id": id, "output": output}))
}

fn thinks(opaque: &str) -> Value {
    item(
        json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "mused"}], "encrypted_content": opaque}),
    )
}

pub fn count(input: u64, output: u64, sum: u64) -> Value {
    event(json!({"type": "token_count", "info": {
        "last_token_usage": {"input_tokens": input, "cached_input_tokens": input / 2, "output_tokens": output,
            "reasoning_output_tokens": output / 2, "total_tokens": input + output},
        "total_token_usage": {"total_tokens": sum}, "model_context_window": 258_400}}))
}

pub fn estimate(total: u64, sum: u64) -> Value {
    event(json!({"type": "token_count", "info": {"last_token_usage": {"input_tokens": 0, "total_tokens": total},
        "total_token_usage": {"total_tokens": sum}}}))
}

pub fn open(lines: &[Value]) -> (Sources, Transcript) {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    data::open_bytes(text.join("\n").into_bytes(), None)
}

/// The history of the main thread in short words.
pub fn story(sources: &Sources, transcript: &Transcript) -> Vec<String> {
    story_of(sources, transcript, &transcript.threads[0])
}

pub fn story_of(sources: &Sources, transcript: &Transcript, thread: &Thread) -> Vec<String> {
    let of = |ids: &[windowpane::model::BlockId]| -> String {
        let texts = ids.iter().map(|id| {
            let block = transcript.block(*id).unwrap();
            let text = sources.body_text(&block.body).unwrap();
            if text.is_empty() { format!("{:?}", block.kind) } else { text.chars().take(24).collect() }
        });
        texts.collect::<Vec<_>>().join("|")
    };
    let word = |op: &Op| match op {
        Op::Add(id) => of(&[*id]),
        Op::Request(id) => {
            let request = &thread.requests[id.0 as usize];
            match request.usage {
                Some(usage) => format!("> {}", usage.context()),
                None => format!("> {:?}", request.outcome),
            }
        }
        Op::Compact(compaction) => format!("compact {}", of(&compaction.window)),
        Op::Clear(clearing) => format!("clear {}", of(&clearing.blocks)),
        Op::Shorten(_) => unreachable!("no record of a rollout says so"),
        Op::Rewind(rewind) => format!("{:?} {}", rewind.cause, of(&rewind.window)),
    };
    thread.ops.iter().map(word).collect()
}

#[test]
fn what_the_screen_is_told_after_its_item_announces_nothing() {
    let thought = || event(json!({"type": "agent_reasoning", "text": "mused"}));
    let told = |text: &str| event(json!({"type": "agent_message", "message": text}));
    let log = |after: bool| {
        let both = |item: Value, mirror: Value| if after { [item, mirror] } else { [mirror, item] };
        let mut lines = vec![says("user", "go")];
        lines.extend(both(thinks("aa"), thought()));
        lines.extend([calls("c1"), count(10, 4, 14), gives("c1", json!("one"))]);
        lines.extend(both(thinks("bb"), thought()));
        lines.extend(both(says("assistant", "done"), told("done")));
        lines.extend([count(20, 2, 36), event(json!({"type": "task_complete"})), says("user", "again")]);
        lines.extend(both(says("assistant", "done"), told("done")));
        lines.push(count(30, 2, 68));
        lines
    };
    for after in [true, false] {
        let (sources, transcript) = open(&log(after));
        let expected =
            ["go", "> 10", "Thinking", "{\"id\":\"c1\"}", "one", "> 20", "Thinking", "done", "again", "> 30", "done"];
        assert_eq!(story(&sources, &transcript), expected, "after {after}");
    }
}

#[test]
fn counts_belong_to_their_requests_in_every_versions_order() {
    // Until 0.4x: the count before the items, after their mirror on the screen.
    let early = [
        says("user", "go"),
        event(json!({"type": "agent_reasoning", "text": "mused"})),
        count(10, 4, 14),
        thinks("aa"),
        calls("c1"),
        gives("c1", json!("one")),
        count(20, 2, 36),
        calls("c2"),
        gives("c2", json!("two")),
    ];
    // Around 0.10x: between the calls and what they gave, and once more after that.
    let between = [
        says("user", "go"),
        thinks("aa"),
        calls("c1"),
        count(10, 4, 14),
        gives("c1", json!("one")),
        count(10, 4, 14),
        calls("c2"),
        count(20, 2, 36),
        gives("c2", json!("two")),
    ];
    // Later: after what the calls gave.
    let late = [
        says("user", "go"),
        thinks("aa"),
        event(json!({"type": "agent_message", "message": "x"})),
        calls("c1"),
        gives("c1", json!("one")),
        count(10, 4, 14),
        calls("c2"),
        gives("c2", json!("two")),
        count(20, 2, 36),
    ];
    for lines in [&early[..], &between[..], &late[..]] {
        let (sources, transcript) = open(lines);
        let expected =
            ["go", "> 10", "Thinking", "{\"id\":\"c1\"}", "one", "> 20", "{\"id\":\"c2\"}", "two", "> Pending"];
        assert_eq!(story(&sources, &transcript), expected);
        let thinking = transcript.blocks.iter().find(|block| block.layer == Layer::Thinking).unwrap();
        let Body::Hidden(hidden) = thinking.body else { panic!("reasoning is hidden") };
        assert_eq!(hidden.tokens, Some(2));
        assert_eq!(sources.body_text(thinking.original.as_deref().unwrap()).unwrap(), "mused");
        let usage = transcript.threads[0].requests[0].usage.unwrap();
        assert_eq!((usage.input, usage.cache_read, usage.output), (5, 5, Some(4)));
        assert_eq!(transcript.session.window_tokens.or(transcript.threads[0].requests[0].window_tokens), Some(258_400));
    }
}

#[test]
fn a_session_begins_with_its_prompt_and_tools_and_repeats_change_nothing() {
    let parent = line("session_meta", json!({"id": "parent", "base_instructions": {"text": "Another prompt."}}));
    let (sources, transcript) =
        open(&[meta(), parent, meta(), says("user", "go"), says("assistant", "ok"), count(9, 1, 10), meta()]);
    assert_eq!(
        story(&sources, &transcript),
        ["You are Codex.", "{\"name\":\"plan\"}", "{\"name\":\"open\"}", "go", "> 9", "ok"]
    );
    let session = &transcript.session;
    assert_eq!((session.id.as_deref(), session.agent.as_deref()), (Some("s1"), Some("codex_cli_rs 0.142.5")));
    assert_eq!(session.folder.as_deref(), Some("/w"));
    assert_eq!(transcript.blocks.iter().map(|block| &*block.label).nth(1), Some("plan"));
    assert_eq!(transcript.threads[0].requests[0].at, Some(1_767_323_045_678));
}

#[test]
fn what_the_harness_injects_has_layers_of_its_own() {
    let texts = [
        ("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>be brief</INSTRUCTIONS>", Layer::Instructions),
        ("user", "<environment_context>\n  <cwd>/w</cwd></environment_context>", Layer::Notices),
        ("user", "<skill>\n<name>x</name></skill>", Layer::Skills),
        ("user", "<task>mine</task>", Layer::User),
        ("user", "\n# Files mentioned by the user:", Layer::User),
        ("developer", "<permissions instructions>\nnone</permissions instructions>", Layer::Instructions),
        ("developer", "<skills_instructions>\n## Skills</skills_instructions>", Layer::Skills),
        ("developer", "## Memory\n\nYou have", Layer::Memory),
    ];
    let lines: Vec<Value> = texts.iter().map(|(role, text, _)| says(role, text)).collect();
    let (_, transcript) = open(&lines);
    let layers: Vec<Layer> = transcript.blocks.iter().map(|block| block.layer).collect();
    assert_eq!(layers, texts.iter().map(|(_, _, layer)| *layer).collect::<Vec<_>>());
    assert_eq!(&*transcript.blocks[5].label, "permissions instructions");
    assert_eq!(transcript.blocks[5].role, Role::Developer);
}

#[test]
fn instructions_count_once() {
    let turn = line(
        "turn_context",
        json!({"model": "gpt-x", "user_instructions": "be brief", "developer_instructions": "be kind"}),
    );
    let (sources, transcript) = open(&[turn.clone(), says("user", "go"), turn.clone(), says("assistant", "ok")]);
    assert_eq!(story(&sources, &transcript), ["be brief", "be kind", "go", "> Answered", "ok"]);
    assert_eq!(transcript.threads[0].requests[0].model.as_deref(), Some("gpt-x"));
    let logged = says("user", "# AGENTS.md instructions for /w\n\nbe brief");
    let (_, transcript) = open(&[turn.clone(), logged, says("user", "go"), turn, says("assistant", "ok")]);
    assert_eq!(transcript.blocks.len(), 3);
}

#[test]
fn a_result_says_whether_it_failed_and_how_it_was_cut() {
    let old = json!({"output": "no such file", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}).to_string();
    let cut = "Warning: truncated output (original token count: 30014)\nTotal output lines: 9\n\nab…20014 tokens truncated…yz";
    let image = "data:image/gif;base64,R0lGODlhAwACAIAAAAAAAP///ywAAAAAAwACAAACA0QCBQA7";
    let (sources, transcript) = open(&[
        says("user", "go"),
        calls("a"),
        calls("b"),
        calls("c"),
        calls("d"),
        gives("a", json!(old)),
        gives("b", json!([{"type": "input_text", "text": "Script completed"}, {"type": "input_text", "text": cut}])),
        gives("c", json!({"content": "refused", "success": false})),
        gives("d", json!([{"type": "input_image", "image_url": image}])),
    ]);
    let results: Vec<_> = transcript.blocks.iter().filter(|block| block.layer == Layer::ToolResults).collect();
    assert_eq!(results.len(), 5);
    assert!(results[0].error && results[3].error && !results[1].error && !results[2].error);
    assert_eq!(sources.body_text(&results[0].body).unwrap(), old, "as the model was sent it");
    assert_eq!(sources.body_text(&results[3].body).unwrap(), "refused");
    let told = results[2].cut.as_deref().unwrap();
    assert_eq!((told.shape, told.original_tokens), (CutShape::Middle, Some(30014)));
    assert!(results[1].cut.is_none());
    assert!(matches!(&results[4].body, Body::Media(media) if media.pixels == Some((3, 2))));
    assert!(results.iter().all(|result| &*result.label == "shell" && result.call.is_some()));
}

#[test]
fn turns_that_end_early_are_steps_too() {
    let aborted = event(json!({"type": "turn_aborted", "reason": "interrupted"}));
    let too_long =
        event(json!({"type": "error", "message": "too long", "codex_error_info": "context_window_exceeded"}));
    let (sources, transcript) = open(&[
        says("user", "one"),
        aborted.clone(),
        says("user", "two"),
        thinks("aa"),
        aborted.clone(),
        says("user", "three"),
        calls("c"),
        gives("c", json!("aborted by user")),
        count(30, 1, 31),
        aborted,
        says("user", "four"),
        too_long,
    ]);
    let requests: Vec<String> = story(&sources, &transcript).into_iter().filter(|line| line.starts_with('>')).collect();
    assert_eq!(requests, ["> Aborted", "> Aborted", "> 30", "> TooLong"]);
    assert_eq!(transcript.threads[0].requests.last().map(|request| request.outcome), Some(Outcome::TooLong));
}

#[test]
fn turns_can_be_taken_back() {
    let back = event(json!({"type": "thread_rolled_back", "num_turns": 2}));
    let (sources, transcript) = open(&[
        meta(),
        says("user", "one"),
        says("assistant", "a"),
        says("user", "two"),
        says("assistant", "b"),
        says("user", "three"),
        says("assistant", "c"),
        back,
        says("user", "four"),
    ]);
    let story = story(&sources, &transcript);
    let rewound = story.iter().find(|line| line.starts_with("Rewound")).unwrap();
    assert!(rewound.ends_with("|one|a"), "{rewound}");
    assert_eq!(story[story.len() - 2..], ["four", "> Pending"]);
}

#[test]
fn what_other_agents_write_is_sent_and_begins_a_turn() {
    let writes = json!({"author": "/root/reviewer", "recipient": "/root", "other_recipients": [], "content": "two bugs",
        "trigger_turn": true});
    let hides = json!({"author": "/root/reviewer", "recipient": "/root", "content": "", "encrypted_content": "gAAAA",
        "trigger_turn": false});
    let lines = [
        meta(),
        says("user", "one"),
        says("assistant", "a"),
        line("inter_agent_communication", writes),
        says("assistant", "b"),
        line("inter_agent_communication", hides),
        says("assistant", "c"),
        item(json!({"type": "compaction_trigger"})),
    ];
    let (sources, transcript) = open(&lines);
    let told = story(&sources, &transcript);
    let at = |text: &str| told.iter().position(|word| word == text);
    assert!(at("a") < at("two bugs") && at("two bugs") < at("b"), "{told:?}");
    assert!(transcript.warnings.is_empty(), "{:?}", transcript.warnings);
    let block = transcript.blocks.iter().find(|block| &*block.label == "/root/reviewer").unwrap();
    assert_eq!((block.layer, transcript.skipped["compaction_trigger"]), (Layer::Notices, 1));
    let back = event(json!({"type": "thread_rolled_back", "num_turns": 1}));
    let (sources, transcript) = open(&[&lines[..6], &[says("assistant", "c"), back, says("user", "two")]].concat());
    let rewound = story(&sources, &transcript).into_iter().find(|line| line.starts_with("Rewound")).unwrap();
    assert!(rewound.ends_with("|two bugs|b"), "{rewound}");
}

#[test]
fn reasoning_of_earlier_turns_is_dropped_where_the_context_fell_by_it() {
    let turn = |second: u64| {
        [
            says("user", "one"),
            thinks("aa"),
            says("assistant", "a"),
            count(1_000, 600, 1_600),
            says("user", "two"),
            says("assistant", "b"),
            count(second, 4, 4_000),
        ]
    };
    let (sources, transcript) = open(&turn(1_310));
    let story = story(&sources, &transcript);
    assert_eq!(story[5], "ThinkingDropped one|a|two", "{story:?}");
    let (_, transcript) = open(&turn(1_605));
    assert!(
        !transcript.threads[0]
            .ops
            .iter()
            .any(|op| matches!(op, Op::Rewind(rewind) if rewind.cause == RewindCause::ThinkingDropped))
    );
}

#[test]
fn a_reviews_requests_are_a_thread_of_their_own() {
    let (_, transcript) = open(&[
        says("user", "go"),
        says("assistant", "a"),
        count(10, 1, 11),
        event(json!({"type": "entered_review_mode"})),
        count(500, 5, 505),
        count(600, 5, 1_110),
        says("user", "<user_action>review</user_action>"),
        says("assistant", "found"),
        event(json!({"type": "exited_review_mode"})),
        says("user", "on"),
        says("assistant", "b"),
        count(30, 1, 42),
    ]);
    let contexts = |thread: &Thread| {
        thread.requests.iter().filter_map(|request| Some(request.usage?.context())).collect::<Vec<_>>()
    };
    assert_eq!(contexts(&transcript.threads[0]), [10, 30]);
    assert_eq!(transcript.threads[1].kind, ThreadKind::Subagent(None));
    assert_eq!(contexts(&transcript.threads[1]), [500, 600]);
}

#[test]
fn older_shapes_are_read_too() {
    let bare = [
        json!({"id": "s0", "timestamp": "2025-06-01T00:00:00Z", "instructions": "be brief", "git": null}),
        json!({"record_type": "state"}),
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}),
        json!({"type": "local_shell_call", "call_id": "c", "status": "completed", "action": {"type": "exec", "command": ["ls"]}}),
        json!({"type": "local_shell_call_output", "call_id": "c", "output": "files"}),
    ];
    let expected = ["be brief", "go", "> Answered", "{\"command\":[\"ls\"],\"type\"", "files", "> Pending"];
    let (sources, transcript) = open(&bare);
    assert_eq!(story(&sources, &transcript), expected);
    let oldest = json!({"session": bare[0], "items": bare[2..]});
    let (sources, transcript) = data::open_bytes(serde_json::to_vec_pretty(&oldest).unwrap(), None);
    assert_eq!(transcript.format, "codex");
    let story = story(&sources, &transcript);
    assert_eq!((story[1].as_str(), story.len()), ("go", expected.len()), "{story:?}");
}

#[test]
fn damage_is_located_and_the_rest_loads() {
    let good = [meta(), says("user", "go"), says("assistant", "ok")].map(|line| line.to_string());
    let mut text = format!("{}\nnot json\n{}\n[1]\n{}\n", good[0], good[1], good[2]).into_bytes();
    text.extend_from_slice(b"{\"timestamp\": 7, \"type\": \"response_item\", \"payload\": \"x\"}\n");
    text.extend_from_slice(b"{\"type\": \"response_item\", \"payload\": {\"type\": \"hologram\", \"beam\": 1}}\n");
    text.extend_from_slice(b"{\"type\": \"response_item\", \"payload\": {\"type\": \"message\", \"role\": \"user\", \"content\": \"\xFF\"}}\n");
    text.extend_from_slice(&good[1].as_bytes()[..40]);
    let (sources, transcript) = data::open_bytes(text, None);
    let lines: Vec<u32> = transcript.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, [2, 4, 6, 7, 8, 9]);
    let story = story(&sources, &transcript);
    assert!(["go", "ok", "\u{FFFD}"].iter().all(|text| story.contains(&(*text).to_owned())), "{story:?}");
    assert!(story.iter().any(|line| line.contains("hologram")));
}

#[test]
fn an_id_that_comes_again_names_another_call_once_the_first_has_its_result() {
    let (sources, transcript) = open(&[
        meta(),
        says("user", "go"),
        calls("call_0"),
        gives("call_0", json!("one")),
        calls("call_0"),
        gives("call_0", json!("two")),
    ]);
    let block = |text: &str| {
        let is = |block: &&windowpane::model::Block| sources.body_text(&block.body).unwrap() == text;
        transcript.blocks.iter().find(is).unwrap().call
    };
    let calls: Vec<_> =
        transcript.blocks.iter().filter(|block| block.layer == Layer::ToolCalls).map(|block| block.call).collect();
    assert_eq!(calls, [block("one"), block("two")]);
    assert_ne!(block("one"), block("two"));
}

#[test]
fn a_person_may_begin_with_a_tag_that_the_agent_has() {
    for (text, layer) in [
        ("<skill>\n<name>x</name>\n</skill>", Layer::Skills),
        ("<skill> tags in our docs are not closed", Layer::User),
        ("<environment_context>\n<cwd>/w</cwd>\n</environment_context>", Layer::Notices),
        ("<environment_context> is empty: why?", Layer::User),
    ] {
        let (_, transcript) = open(&[meta(), says("user", text)]);
        assert_eq!(transcript.blocks.last().unwrap().layer, layer, "{text}");
    }
}

#[test]
fn tools_that_are_left_to_be_searched_for_are_in_no_window() {
    let tool = |name: &str, deferred: bool| json!({"type": "function", "name": name, "description": format!("Does {name}."), "deferLoading": deferred});
    let group = json!({"type": "namespace", "name": "app", "description": "Tools of the app.",
        "tools": [tool("hidden", true), tool("shown", false), tool("buried", true)]});
    let plain = json!({"type": "namespace", "name": "other", "tools": [tool("own", false)]});
    let meta = line(
        "session_meta",
        json!({"id": "s1", "cwd": "/w", "cli_version": "0.142.5", "originator": "codex_cli_rs",
        "dynamic_tools": [group, plain, tool("late", true)]}),
    );
    let (sources, transcript) = open(&[meta, says("user", "Go."), says("assistant", "Done."), count(900, 10, 910)]);
    let tools = transcript.blocks.iter().filter(|block| block.layer == windowpane::model::Layer::Tools);
    let texts: Vec<String> = tools.map(|block| sources.body_text(&block.body).unwrap()).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert_eq!(texts[0], "Tools of the app.");
    assert!(texts[1].contains("\"shown\"") && texts[2].contains("\"own\""), "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("hidden") && !text.contains("late")), "{texts:?}");
}
