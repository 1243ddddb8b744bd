//! Anti-patterns of logs of requests: what their clients send, at whose price.

use serde_json::{Value, json};
use windowpane::inquiry::lint::Finding;
use windowpane::inquiry::survey::Survey;
use windowpane::model::Layer;

use super::build::{Log, codex, filler, lines, message};
use super::lint::{looked, names};
use super::runner::{Opened, open};

const SONNET: &str = "claude-sonnet-4-5-20250929";

/// A log of requests: each with a model, what stands before its messages, and the messages.
fn log(requests: &[(&str, Value, Vec<Value>)]) -> Opened {
    let exchange = |(number, (model, front, messages)): (usize, &(&str, Value, Vec<Value>))| {
        let mut request = json!({"model": model, "max_tokens": 9, "messages": messages});
        request.as_object_mut().unwrap().extend(front.as_object().unwrap().clone());
        let response = json!({"id": format!("m{number}"), "type": "message", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": format!("answer {number}")}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 20_000, "output_tokens": 5}});
        json!({"request": request, "response": response})
    };
    open(lines(&requests.iter().enumerate().map(exchange).collect::<Vec<_>>()))
}

fn said(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// Questions and answers, and so many requests that send the newest of them.
fn talk(number: usize, sent: impl Fn(usize, &[Value]) -> Vec<Value>) -> Opened {
    let (mut all, mut requests) = (Vec::new(), Vec::new());
    for turn in 0..number {
        all.push(said("user", &format!("question {turn}: {}", filler(turn * 50, 15))));
        requests.push((SONNET, json!({}), sent(turn, &all)));
        all.push(json!({"role": "assistant", "content": [{"type": "text", "text": format!("answer {turn}")}]}));
    }
    log(&requests)
}

fn found<'a>(all: &'a [Finding], rule: &str) -> &'a Finding {
    all.iter().find(|finding| finding.rule == rule).unwrap_or_else(|| panic!("no {rule} in {:?}", names(all)))
}

#[test]
fn a_result_in_parts_is_one() {
    let text = |part: usize| if part == 0 { "Exit code: 0".to_owned() } else { filler(part * 400, 400) };
    let parts: Vec<Value> = (0..4).map(|part| json!({"type": "text", "text": text(part)})).collect();
    let messages = vec![
        said("user", "Go."),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {}}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": parts}]}),
    ];
    let opened = log(&[(SONNET, json!({}), messages)]);
    let all = looked(&opened, &opened.recorded);
    assert!(found(&all, "large-output").tokens > Some(10_000) && !names(&all).contains(&"never-referred-to"));
    let told = found(&all, "large-output").entry.and_then(|id| opened.recorded.entry(id)).unwrap();
    assert!(told.tokens > 1_000, "it leads to what is large of it");
    let survey = Survey::of(&opened.transcript, &opened.recorded);
    let spread = &survey.series["result_tokens"];
    assert_eq!((spread.number(), survey.series["result_tokens/Read"].number()), (1, 1));
    assert!(spread.max() > 10_000);
}

#[test]
fn a_step_costs_what_its_own_model_does() {
    let dump = |last: &str| {
        let mut messages = vec![
            said("user", "Go."),
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": filler(1, 1_200)}]}),
        ];
        let mut requests = Vec::new();
        for turn in 0..3 {
            let model = if turn == 2 { last } else { "claude-haiku-4-5-20251001" };
            requests.push((model, json!({}), messages.clone()));
            messages
                .push(json!({"role": "assistant", "content": [{"type": "text", "text": format!("answer {turn}")}]}));
            messages.push(said("user", "More."));
        }
        let opened = log(&requests);
        found(&looked(&opened, &opened.recorded), "large-output").dollars.unwrap()
    };
    let (cheap, dear) = (dump("claude-haiku-4-5-20251001"), dump("claude-opus-4-1-20250805"));
    assert!((dear / cheap - 17.0 / 3.0).abs() < 0.1, "once at 15 instead of 1: {cheap} {dear}");
}

#[test]
fn a_client_that_sends_the_newest_only_trims() {
    let trimmed = talk(8, |_, all| all[all.len().saturating_sub(5)..].to_vec());
    let all = looked(&trimmed, &trimmed.recorded);
    assert!(found(&all, "fixed-trimming").tokens > Some(500), "{all:?}");
    // The task is pinned.
    let pinned = talk(10, |_, all| {
        let newest = all.len().saturating_sub(5).max(2).min(all.len());
        [&all[..all.len().min(2)], &all[newest..]].concat()
    });
    assert!(found(&looked(&pinned, &pinned.recorded), "fixed-trimming").tokens > Some(500));
    let whole = talk(8, |_, all| all.to_vec());
    assert!(!names(&looked(&whole, &whole.recorded)).contains(&"fixed-trimming"));
    // Who takes the newest back goes another way.
    let back = talk(8, |turn, all| if turn % 2 == 1 { all[..all.len() - 2].to_vec() } else { all.to_vec() });
    assert!(!names(&looked(&back, &back.recorded)).contains(&"fixed-trimming"));
}

/// Truncation as agents do it that keep the task and say in a note that something is gone.
#[test]
fn a_note_of_what_was_left_out_is_no_summary() {
    let note = "[NOTE] Some previous conversation history with the user has been removed to maintain optimal context \
                window length. The initial user task has been retained for continuity. Keep this in mind.";
    let halved = talk(30, |turn, all| {
        let from = [(0..10, 1), (10..16, 16), (16..22, 28)]
            .iter()
            .find(|(turns, _)| turns.contains(&turn))
            .map_or(40, |known| known.1);
        let note = (from > 1).then(|| said("assistant", note));
        all[..1].iter().cloned().chain(note).chain(all[from..].iter().cloned()).collect()
    });
    // One that counts what it leaves out.
    let slid = talk(12, |_, all| match all.len().saturating_sub(7) {
        0 => all.to_vec(),
        gone => {
            let note = said("user", &format!("[Conversation truncated: {gone} messages removed]"));
            [vec![note], all[gone + gone % 2..].to_vec()].concat()
        }
    });
    for (opened, times) in [(&halved, 3), (&slid, 8)] {
        let run = &opened.recorded;
        assert_eq!(opened.transcript.threads.len(), 1);
        let told: Vec<(&str, &str)> = run
            .events
            .iter()
            .map(|event| (event.stage.name(), &*event.rule))
            .filter(|told| told.0 != "admit")
            .collect();
        assert_eq!(told, vec![("rewind", "recorded.edit"); times]);
        let layer = |layer: Layer| run.entries.iter().filter(|entry| entry.layer == layer).count();
        assert_eq!((layer(Layer::Summaries), layer(Layer::Notices)), (0, if times == 3 { 1 } else { 8 }));
        let all = looked(opened, run);
        assert!(found(&all, "fixed-trimming").evidence.ends_with("with nothing but a note of that in their place."));
        for rule in ["one-pass-summary", "no-boundary"] {
            assert!(!names(&all).contains(&rule), "{all:?}");
        }
    }
}

#[test]
fn another_conversation_leaves_nothing_out() {
    let of = |keep: bool| {
        talk(20, |turn, all| match turn {
            0..10 => all.to_vec(),
            _ if keep => all[18..].to_vec(),
            _ => all[20..].to_vec(),
        })
    };
    let (cut, other) = (of(true), of(false));
    assert!(names(&looked(&cut, &cut.recorded)).contains(&"no-boundary"));
    assert!(!names(&looked(&other, &other.recorded)).contains(&"no-boundary"));
}

#[test]
fn a_large_part_that_is_left_out_of_the_midst_is_missed_however_few_its_pieces_are() {
    let without = |gone: std::ops::Range<usize>| {
        talk(10, move |turn, all| match turn {
            0..5 => all.to_vec(),
            _ => [&all[..gone.start], &all[gone.end..]].concat(),
        })
    };
    let evidence = |opened: &Opened| {
        let all = looked(opened, &opened.recorded);
        all.into_iter().find(|finding| finding.rule == "no-boundary").map(|finding| finding.evidence)
    };
    let told = evidence(&without(2..8)).unwrap();
    assert!(told.starts_with("The client left 6 pieces, ") && told.contains(" % of what had been said, out"), "{told}");
    // An edit: a turn that was taken back, and the newest ones.
    assert_eq!((evidence(&without(2..4)), evidence(&without(5..9))), (None, None));
}

#[test]
fn tools_in_another_order_move_the_prefix() {
    let tool = |number: usize| json!({"name": format!("tool_{number}"), "description": filler(number * 30, 12), "input_schema": {"type": "object", "properties": {}}});
    let of = |moves: bool| {
        let mut all = Vec::new();
        let mut requests = Vec::new();
        for turn in 0..6 {
            all.push(said("user", &format!("question {turn}: {}", filler(turn * 50, 10))));
            let by = if moves { turn } else { 0 };
            let tools: Vec<Value> = (0..6).map(|number| tool((number + by) % 6)).collect();
            requests.push((SONNET, json!({"tools": tools, "system": filler(900, 60)}), all.clone()));
            all.push(json!({"role": "assistant", "content": [{"type": "text", "text": format!("answer {turn}")}]}));
        }
        log(&requests)
    };
    let (moving, still) = (of(true), of(false));
    let all = looked(&moving, &moving.recorded);
    let prefix = found(&all, "moving-prefix");
    assert!(
        prefix.evidence.contains("at byte") && prefix.tokens > Some(2_000) && prefix.dollars > Some(0.0),
        "{prefix:?}"
    );
    let still = looked(&still, &still.recorded);
    let calm = still.iter().find(|finding| finding.rule == "moving-prefix");
    assert!(calm.is_none_or(|finding| finding.evidence.contains("none read anything")), "{calm:?}");
}

#[test]
fn a_first_message_that_changes_with_every_request_moves_the_prefix() {
    // The first message has parts, each with a time that the request and the part decide.
    let of = |time: &dyn Fn(usize, usize) -> usize| {
        talk(8, |turn, all| {
            let text = |part: usize| format!("<time>12:0{}</time> {}", time(turn, part), filler(part * 50, 200));
            let parts: Vec<Value> = (0..8).map(|part| json!({"type": "text", "text": text(part)})).collect();
            let mut sent = all.to_vec();
            sent[0] = json!({"role": "user", "content": parts});
            sent
        })
    };
    let moving = of(&|turn, part| if part == 0 { turn.max(1) } else { 0 });
    let all = looked(&moving, &moving.recorded);
    let prefix = found(&all, "moving-prefix");
    assert!(prefix.evidence.starts_with("In 6 steps") && prefix.evidence.contains("at byte 10"), "{prefix:?}");
    assert!(prefix.tokens > Some(20_000) && prefix.dollars > Some(0.0) && prefix.entry.is_some(), "{prefix:?}");
    // The same each time, and another part each time, which then stays.
    for time in [|_, _| 0, |turn: usize, part: usize| usize::from(turn > 1 && part + turn >= 8)] {
        let still = of(&time);
        let all = looked(&still, &still.recorded);
        let prefix = found(&all, "moving-prefix");
        assert!(prefix.evidence.contains("none read anything"), "{prefix:?}");
    }
}

#[test]
fn prose_is_what_is_no_list() {
    const RULES: &[&str] = &[
        "You must never remove a table without a backup of it.",
        "Always format the sources before they are reviewed.",
        "Do not write to the shared folder while a job is running.",
        "You don't speak of prices, and you must say why.",
        "Never show the contents of the vault in an answer.",
        "Always name the ticket in the title of a change.",
    ];
    let told = |system: String| {
        let opened = log(&[(SONNET, json!({"system": system}), vec![said("user", "Go.")])]);
        names(&looked(&opened, &opened.recorded)).contains(&"prose-instructions")
    };
    let listed = |mark: fn(usize) -> String| {
        RULES
            .iter()
            .enumerate()
            .map(|(at, rule)| format!("{}{rule} It is so since the last audit of the house.\n", mark(at)))
            .collect()
    };
    assert!(told(RULES.join(" ")), "in one paragraph");
    assert!(told(listed(|_| String::new())), "a line each");
    for mark in [|at| format!("{}. ", at + 1), |at| format!("  {}) ", at + 1), |_| "• ".to_owned(), |_| "- ".to_owned()]
    {
        assert!(!told(listed(mark)));
    }
}

#[test]
fn what_the_harness_says_is_no_instruction_file() {
    let of = |role: &str, begins: &str| {
        let text = format!("{begins}\n{}", "Be brief and exact. ".repeat(800));
        let bytes = codex(&[
            (
                "session_meta",
                json!({"id": "s", "timestamp": "2026-01-02T03:04:05Z", "cwd": "/w", "originator": "codex", "cli_version": "0.140.0"}),
            ),
            ("response_item", message(role, &text)),
            ("response_item", message("user", "Go.")),
            ("response_item", message("assistant", "Gone.")),
        ]);
        let opened = open(bytes);
        names(&looked(&opened, &opened.recorded)).contains(&"all-instructions")
    };
    assert!(of("user", "# AGENTS.md instructions for /w"));
    assert!(!of("developer", "<permissions instructions>"));
}

#[test]
fn a_summary_costs_what_was_read_and_written_for_it() {
    let answer = |log: Log, usage: Value| {
        let message = json!({"id": format!("m{}", usage["input_tokens"]), "type": "message", "role": "assistant", "model": SONNET,
            "stop_reason": "end_turn", "content": [{"type": "text", "text": "Fine."}], "usage": usage});
        log.record("assistant", json!({"message": message}))
    };
    let compacted = |log: Log| {
        let log =
            log.compacts(json!({"trigger": "auto", "preTokens": 100_000}), "The parser was mended.").user("Go on.");
        let usage = json!({"input_tokens": 3, "cache_creation_input_tokens": 3_000, "cache_read_input_tokens": 20_000, "output_tokens": 5});
        let opened = open(answer(log, usage).bytes());
        let all = looked(&opened, &opened.recorded);
        let found = found(&all, "one-pass-summary");
        assert!(found.is_once());
        found.dollars.unwrap()
    };
    let before = json!({"input_tokens": 10, "cache_read_input_tokens": 100_000, "output_tokens": 5});
    let dollars = compacted(answer(Log::new().user("Go."), before));
    // What was read from the cache after it was not written anew: 3,000 tokens at 3.75.
    assert!(dollars > 0.011, "{dollars}");
    let first = compacted(Log::new());
    // With no request before it, its author was sent everything for the first time: 100,000 at 3 or more.
    assert!(first > 0.3 && first < 0.45, "{first}");
}

#[test]
fn a_compaction_has_one_summary_whatever_it_kept() {
    let said = |text: &str| ("response_item", message("user", text));
    let answer = ("response_item", message("assistant", "Done."));
    let mut long = message("user", "Go on.");
    long["content"].as_array_mut().unwrap().push(json!({"type": "input_text", "text": "And that."}));
    let kept = json!([message("user", "Go on."), message("user", "Go on."), long]);
    let compacted = ("compacted", json!({"message": "Go on.", "replacement_history": kept}));
    let opened = open(codex(&[
        said("Go on."),
        answer.clone(),
        said("Go on."),
        answer.clone(),
        compacted,
        said("Next."),
        answer,
    ]));
    let survey = Survey::of(&opened.transcript, &opened.recorded);
    assert_eq!((survey.compactions, survey.series["summary_tokens"].number()), (1, 1));
}

#[test]
fn rules_in_prose_are_told_also_where_a_file_of_instructions_is_loaded() {
    let of = |rules: &str| {
        let agents = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n- Be brief.\n</INSTRUCTIONS>";
        let meta = json!({"id": "s", "timestamp": "2026-01-02T03:04:05Z", "cwd": "/w", "originator": "codex",
            "cli_version": "0.140.0", "base_instructions": {"text": rules}});
        let bytes = codex(&[
            ("session_meta", meta),
            ("response_item", message("user", agents)),
            ("response_item", message("user", "Go.")),
            ("response_item", message("assistant", "Gone.")),
        ]);
        let opened = open(bytes);
        looked(&opened, &opened.recorded).into_iter().find(|finding| finding.rule == "prose-instructions")
    };
    let rule = "You must never delete a file that the user did not name before.";
    let prose = of(&[rule; 6].join(" ")).unwrap();
    assert!(prose.evidence.contains("states 6 rules in prose.") && prose.tokens > Some(50), "{prose:?}");
    assert!(of(&[rule; 6].map(|rule| format!("- {rule}")).join("\n")).is_none());
    assert!(of(&format!("{rule} It runs in a terminal, and reads the files of the project.")).is_none());
}
