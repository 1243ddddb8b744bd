//! Anti-patterns, each in a session that shows it and in one that does not.

use serde_json::json;
use windowpane::content::Watch;
use windowpane::engine::{Given, simulate};
use windowpane::inquiry::lint::{FilesShown, Finding, Looked, lint, needed_after_cut, rules};
use windowpane::model::Run;
use windowpane::policy::Policy;
use windowpane::tokens::Models;

use super::build::{Log, filler};
use super::runner::{Opened, open, policy};

pub fn looked(opened: &Opened, run: &Run) -> Vec<Finding> {
    looked_under(opened, run, None)
}

fn looked_under(opened: &Opened, run: &Run, policy: Option<&Policy>) -> Vec<Finding> {
    let models = Models::built_in();
    let model = models.find("claude-sonnet-4-5-20250929").map(|found| found.info);
    let found = lint(&Looked {
        transcript: &opened.transcript,
        sources: &opened.sources,
        attached: &[],
        run,
        policy,
        plan: Some(&opened.plan),
        shown: &FilesShown::default(),
        models,
        model,
    });
    let known: Vec<&str> = rules().collect();
    for finding in &found {
        assert!(known.contains(&finding.rule), "{finding:?}");
        assert!(!finding.evidence.is_empty() && !finding.help.is_empty());
        assert!(finding.step.is_some_and(|step| step >= 1), "{finding:?}");
    }
    found
}

pub fn names(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.rule).collect()
}

/// A session with results of so many lines each.
fn results(lines: usize, number: usize) -> Log {
    let mut log = Log::new().user("Go.");
    for turn in 0..number {
        log = log.shell(&format!("c{turn}"), &format!("cat part{turn}"), &filler(turn * lines, lines)).says("Read.");
        log = log.user("Next.");
    }
    log
}

#[test]
fn a_dump_is_told_with_its_price() {
    let opened = open(results(1_200, 2).bytes());
    let found = looked(&opened, &opened.recorded);
    let dump = found.iter().find(|finding| finding.rule == "whole-file-dump").unwrap();
    let entry = opened.recorded.entry(dump.entry.unwrap()).unwrap();
    // It came in at step 2 of 5 or later and stood to the end: its tokens once for every step.
    let stood = u64::from(5 - entry.born() + 1);
    assert_eq!(dump.tokens, Some(entry.tokens * stood));
    assert!(dump.dollars.is_some_and(|dollars| dollars > 0.0));
    assert!(dump.evidence.starts_with("Bash put ") && dump.evidence.contains(" tokens of part0 into"), "{dump:?}");
    let uncut = found.iter().find(|finding| finding.rule == "no-truncation").unwrap();
    assert!(uncut.tokens > Some(1_000) && uncut.dollars > Some(0.0), "{uncut:?}");
    let small = open(results(20, 3).bytes());
    assert!(names(&looked(&small, &small.recorded)).is_empty(), "{:?}", looked(&small, &small.recorded));
    let cut = policy(&["tool_results.on=true", "tool_results.virtual_over=5000", "tool_results.virtual_head=500"]);
    let run = simulate(&opened.plan, &cut, &Given::default());
    let found = names(&looked(&opened, &run));
    assert!(!found.contains(&"whole-file-dump") && !found.contains(&"no-truncation"), "{found:?}");
}

#[test]
fn the_same_content_again_is_told() {
    let text = filler(1, 60);
    let log = Log::new()
        .user("Go.")
        .shell("c1", "cat a", &text)
        .says("Ok.")
        .user("Again.")
        .shell("c2", "cat a", &text)
        .says("Ok.")
        .user("And?");
    let opened = open(log.bytes());
    let found = looked(&opened, &opened.recorded);
    let again = found.iter().find(|finding| finding.rule == "read-again").unwrap();
    assert!(again.evidence.starts_with("Bash gave the same ") && again.evidence.contains(" of a 2 times"), "{again:?}");
    // By another tool, neither gave it twice.
    let log = Log::new().user("Go.").calls("c1", "Read", json!({"file_path": "/w/a"})).result("c1", &text).says("Ok.");
    let opened = open(log.user("Again.").shell("c2", "cat a", &text).says("Ok.").user("And?").bytes());
    let found = looked(&opened, &opened.recorded);
    let again = found.iter().find(|finding| finding.rule == "read-again").unwrap();
    assert!(
        again.evidence.starts_with("The same ")
            && again.evidence.ends_with(" of a came in 2 times, last by Bash, while they still stood in the window."),
        "{again:?}"
    );
}

#[test]
fn lines_of_a_file_that_still_stand_are_told_when_they_are_read_again() {
    let lines = |from: usize, to: usize| -> String {
        (from..to)
            .map(|line| format!("{line:>6}→    let value_{line} = read(&source, {line}, {});\n", line * 7))
            .collect()
    };
    let session = |path: &str, cleared: bool| {
        let read = |path: &str| json!({"file_path": path, "offset": 30});
        let log = Log::new().user("Go.").calls("c1", "Read", read("/w/a.rs")).result("c1", &lines(1, 120)).says("Ok.");
        let log = if cleared { log.clears(&["c1"]) } else { log };
        let log = log.user("Again.").calls("c2", "Read", read(path)).result("c2", &lines(30, 80)).says("Ok.");
        open(log.calls("c3", "Read", read(path)).result("c3", &lines(100, 140)).says("Ok.").user("And?").bytes())
    };
    let opened = session("/w/a.rs", false);
    let found = looked(&opened, &opened.recorded);
    let again = found.iter().find(|finding| finding.rule == "read-again").unwrap();
    let entry = opened.recorded.entry(again.entry.unwrap()).unwrap();
    // All of the second reading; of the third only the first half, which is too little to be told.
    assert!(
        again.evidence.contains(&format!(
            "{} tokens of lines again in a reading of a.rs",
            windowpane::present::count(entry.tokens)
        )),
        "{again:?}"
    );
    assert!(again.dollars.is_some_and(|dollars| dollars > 0.0) && again.tokens >= Some(entry.tokens), "{again:?}");
    // The whole file still shows what a range of it did that was cleared since.
    let read = |from: usize, to: usize| (json!({"file_path": "/w/a.rs"}), lines(from, to));
    let mut log = Log::new().user("Go.");
    for (call, (input, text)) in [("c1", read(1, 120)), ("c2", read(30, 80)), ("c3", read(35, 85))] {
        log = log.calls(call, "Read", input).result(call, &text).says("Ok.");
        log = if call == "c2" { log.clears(&["c2"]).user("Again.") } else { log };
    }
    let opened = open(log.user("And?").bytes());
    let found = looked(&opened, &opened.recorded);
    let again = found.iter().find(|finding| finding.rule == "read-again").unwrap();
    assert!(again.evidence.contains("in 2 readings of a.rs"), "{again:?}");
    for other in [session("/w/b.rs", false), session("/w/a.rs", true)] {
        let found = looked(&other, &other.recorded);
        assert!(!names(&found).contains(&"read-again"), "{found:?}");
    }
}

#[test]
fn lines_that_a_shell_shows_again_are_told_as_those_that_a_tool_does() {
    let lines = |from: usize, to: usize| -> String {
        (from..to).map(|line| format!("    let value_{line} = read(&source, {line}, {});\n", line * 7)).collect()
    };
    let numbered: String =
        lines(60, 140).lines().zip(60..).map(|(line, number)| format!("{number:>6}\t{line}\n")).collect();
    let session = |commands: [&str; 2]| {
        let log = Log::new().user("Go.").shell("c1", commands[0], &lines(1, 120)).says("Ok.").user("Again.");
        open(log.shell("c2", commands[1], &numbered).says("Ok.").user("And?").bytes())
    };
    let told = |commands: [&str; 2]| {
        let opened = session(commands);
        let found = looked(&opened, &opened.recorded);
        let again = found.into_iter().find(|finding| finding.rule == "read-again")?;
        let entry = opened.recorded.entry(again.entry.unwrap()).unwrap();
        Some((again, entry.tokens, u64::from(opened.recorded.steps.len() as u32 + 1 - entry.born())))
    };
    let (again, tokens, steps) = told(["sed -n '1,119p' src/a.rs", "cd src && nl -ba a.rs | sed -n 60,139p"]).unwrap();
    // Three quarters of the lines stood already, and nothing else is paid for.
    let paid = again.tokens.unwrap() / steps;
    assert!((tokens * 7 / 10..tokens * 8 / 10).contains(&paid), "{paid} of {tokens}: {again:?}");
    assert!(told(["head -n 119 src/a.rs", "nl -ba /w/src/a.rs"]).is_some());
    for commands in [["cat src/a.rs", "nl -ba src/b.rs"], ["cat src/a.rs", "nl -ba a.rs"], ["cargo test", "cargo test"]]
    {
        assert!(told(commands).is_none(), "{commands:?}");
    }
}

#[test]
fn naive_histories_are_told() {
    let opened = open(results(40, 6).bytes());
    let drops = policy(&["window.size=3000", "drop.oldest_turns=true", "drop.at=1500", "drop.to=1000"]);
    let run = simulate(&opened.plan, &drops, &Given::default());
    let found = looked(&opened, &run);
    let trimming = found.iter().find(|finding| finding.rule == "fixed-trimming").unwrap();
    assert!(trimming.tokens > Some(1_000) && trimming.dollars > Some(0.0), "{trimming:?}");
    let summarises = policy(&[
        "window.size=3000",
        "summarise.on=true",
        "summarise.at=1500",
        "summarise.target=100",
        "summarise.by=truncate",
    ]);
    let run = simulate(&opened.plan, &summarises, &Given::default());
    let found = looked(&opened, &run);
    let one_pass = found.iter().find(|finding| finding.rule == "one-pass-summary").unwrap();
    assert!(one_pass.entry.is_some() && one_pass.tokens > Some(1_000) && one_pass.dollars > Some(0.0), "{one_pass:?}");
    let layered = policy(&[
        "window.size=3000",
        "summarise.on=true",
        "summarise.at=1500",
        "summarise.target=100",
        "summarise.by=truncate",
        "microcompact.on=true",
        "microcompact.at=0",
        "microcompact.keep=2 results",
    ]);
    let run = simulate(&opened.plan, &layered, &Given::default());
    assert!(!names(&looked(&opened, &run)).contains(&"one-pass-summary"));
    let small = policy(&["window.size=900"]);
    let run = simulate(&opened.plan, &small, &Given::default());
    let found = looked(&opened, &run);
    let refused = found.iter().find(|finding| finding.rule == "too-long").unwrap();
    assert!(refused.tokens > Some(900) && refused.dollars == Some(0.0), "{refused:?}");
}

#[test]
fn what_is_never_referred_to_is_told() {
    let mut log = Log::new().user("Go.");
    for turn in 0..4 {
        log = log.shell(&format!("c{turn}"), "cat x", &filler(turn * 60, 60)).says("Fine.");
    }
    let opened = open(log.user("And?").bytes());
    let found = looked(&opened, &opened.recorded);
    assert!(names(&found).contains(&"never-referred-to"), "{found:?}");
}

#[test]
fn a_result_that_was_cut_short_before_a_compaction_is_one_result() {
    let opened = open(results(60, 8).bytes());
    let told = |total: &str| {
        let sets = [
            "microcompact.on=true",
            "microcompact.at=100%",
            total,
            "tool_results.virtual_head=300",
            "summarise.on=true",
            "summarise.at=3000",
            "summarise.measure=last_usage",
            "summarise.keep_tail=3 rounds",
            "summarise.target=200",
            "summarise.by=extractive",
        ];
        let run = simulate(&opened.plan, &policy(&sets), &Given::default());
        let found = looked(&opened, &run).into_iter().find(|finding| finding.rule == "never-referred-to");
        (run.events.iter().filter(|event| event.shortens()).count(), found.map(|finding| finding.evidence))
    };
    let (none, whole) = told("microcompact.boundary_total=0");
    let (some, cut) = told("microcompact.boundary_total=1000");
    assert!(none == 0 && some > 0 && whole.is_some());
    assert_eq!(whole, cut);
}

#[test]
fn nobody_could_refer_yet_to_what_came_after_the_last_answer() {
    let mut log = Log::new().user("Go.");
    for turn in 0..4 {
        log = log.calls(&format!("c{turn}"), "Bash", json!({"command": "cat x"}));
    }
    for turn in 0..4 {
        log = log.result(&format!("c{turn}"), &filler(turn * 60, 60));
    }
    let opened = open(log.bytes());
    let found = looked(&opened, &opened.recorded);
    assert!(!names(&found).contains(&"never-referred-to"), "{found:?}");
}

#[test]
fn prices_go_by_what_each_request_reported_of_its_cache() {
    // One large result in the first of three windows, and the same in the two after it.
    let session = |usage: &dyn Fn(usize) -> serde_json::Value| {
        let mut messages = vec![json!({"role": "user", "content": "Go."})];
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": "/a"}}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": filler(1, 1_500)}]}));
        let mut lines = Vec::new();
        for turn in 0..3 {
            let request = json!({"model": "claude-sonnet-4-5-20250929", "max_tokens": 9, "messages": messages});
            let says = json!([{"type": "text", "text": "Fine."}]);
            let response = json!({"id": format!("m{turn}"), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
                "content": says, "stop_reason": "end_turn", "usage": usage(turn)});
            lines.push(json!({"request": request, "response": response}));
            messages.push(json!({"role": "assistant", "content": says}));
            messages.push(json!({"role": "user", "content": "More."}));
        }
        open(super::build::lines(&lines))
    };
    let price = |opened: &Opened| {
        let found = looked(opened, &opened.recorded);
        let dump = found.iter().find(|finding| finding.rule == "whole-file-dump").unwrap();
        // Dollars for a million of its tokens, over all steps.
        let tokens = opened.recorded.entry(dump.entry.unwrap()).unwrap().tokens;
        #[allow(clippy::cast_precision_loss)]
        let price = dump.dollars.unwrap() * 1e6 / tokens as f64;
        price
    };
    let plain = session(&|_| json!({"input_tokens": 30_000, "output_tokens": 5}));
    assert!((price(&plain) - 9.0).abs() < 0.01, "thrice sent plainly, at 3: {}", price(&plain));
    assert!((price(&session(&|_| serde_json::Value::Null)) - 9.0).abs() < 0.01, "nothing tells of a cache");
    let written = session(&|_| json!({"input_tokens": 0, "cache_creation_input_tokens": 30_000, "output_tokens": 5}));
    assert!((price(&written) - 11.25).abs() < 0.01, "thrice written, at 3.75: {}", price(&written));
    let read = session(&|turn| match turn {
        0 => json!({"input_tokens": 0, "cache_creation_input_tokens": 30_000, "output_tokens": 5}),
        _ => json!({"input_tokens": 10, "cache_read_input_tokens": 30_000, "output_tokens": 5}),
    });
    assert!((price(&read) - 4.35).abs() < 0.01, "written once, read twice at 0.3: {}", price(&read));
}

#[test]
fn a_summary_is_held_against_the_reserve_of_its_policy() {
    let opened = open(results(60, 12).user("And?").bytes());
    let with = |reserve: &str| {
        let policy = policy(&[
            "window.size=12000",
            "summarise.on=true",
            "summarise.at=50%",
            "summarise.target=2000",
            "summarise.by=truncate",
            reserve,
        ]);
        let run = simulate(&opened.plan, &policy, &Given::default());
        let found = looked_under(&opened, &run, Some(&policy));
        names(&found).contains(&"summary-over-reserve")
    };
    assert!(with("reserve.summary=500") && !with("reserve.summary=5000") && !with("reserve.summary=0"));
}

#[test]
fn tools_that_are_announced_in_lists_are_counted_one_by_one() {
    let mut tools: Vec<String> = (0..200).map(|number| format!("mcp__server__tool_number_{number}")).collect();
    tools.push("Bash".to_owned());
    let log = Log::new()
        .attachment(json!({"type": "deferred_tools_delta", "addedNames": tools, "addedLines": tools}))
        .attachment(json!({"type": "agent_listing_delta", "addedTypes": ["a"], "addedLines": ["- a: does things"]}))
        .user("Go.")
        .shell("c1", "ls", "files")
        .calls("c2", "mcp__server__tool_number_7", json!({}))
        .result("c2", "done");
    let opened = open(log.says("Done.").user("Next.").bytes());
    let found = looked(&opened, &opened.recorded);
    let unused = found.iter().find(|finding| finding.rule == "unused-tools").unwrap();
    assert!(
        unused.evidence.starts_with("Of 201 tools that were announced by name, 199 were never called"),
        "{unused:?}"
    );
    assert!(!unused.evidence.contains("delta"), "{unused:?}");
}

fn announced() -> serde_json::Value {
    let tools: Vec<String> = (0..200).map(|number| format!("mcp__server__tool_number_{number}")).collect();
    json!({"type": "deferred_tools_delta", "addedNames": tools, "addedLines": tools})
}

fn unused(log: Log) -> Option<String> {
    let opened = open(log.says("Done.").user("Next.").bytes());
    let found = looked(&opened, &opened.recorded);
    found.into_iter().find(|finding| finding.rule == "unused-tools").map(|finding| finding.evidence)
}

#[test]
fn one_tool_that_is_never_called_is_said_to_be_one() {
    let tools = [format!("mcp__server__{}", "tool_".repeat(2_000))];
    let announced = json!({"type": "deferred_tools_delta", "addedNames": tools, "addedLines": tools});
    let told = unused(Log::new().attachment(announced).user("Go.")).unwrap();
    assert!(told.starts_with("Of 1 tool that was announced by name, 1 was never called"), "{told}");
}

#[test]
fn tools_that_code_within_a_call_calls_are_used() {
    let code = "const found = await tools.mcp__server__tool_number_7({id: 1});\nconst more = await tools[\"mcp__server__tool_number_8\"]({});\nawait mcp__server__tool_number_9(1)";
    let log = Log::new().attachment(announced()).user("Go.").calls("c1", "exec", json!({"input": code}));
    let told = unused(log.result("c1", "done")).unwrap();
    assert!(told.starts_with("Of 200 tools that were announced by name, 197 were never called"), "{told}");
}

#[test]
fn tools_that_are_announced_again_after_a_compaction_are_counted_once() {
    let once = Log::new().attachment(announced()).user("Go.").says("Ok.");
    let again = once.compacts(json!({"trigger": "auto", "preTokens": 150_000}), "Nothing is open.");
    let again = again.attachment(announced()).user("On.");
    assert_eq!(unused(again), unused(Log::new().attachment(announced()).user("Go.").says("Ok.")));
}

#[test]
fn a_system_prompt_that_changes_with_every_request_moves_the_prefix() {
    let request = |number: usize, time: &str| {
        let mut messages = vec![json!({"role": "system", "content": format!("Time now {time}. {}", filler(1, 250))})];
        for turn in 0..number {
            messages.push(json!({"role": "user", "content": format!("question {turn}")}));
            messages.push(json!({"role": "assistant", "content": format!("answer {turn}")}));
        }
        messages.push(json!({"role": "user", "content": format!("question {number}")}));
        json!({"model": "gpt-4o", "messages": messages})
    };
    let session = |time: &dyn Fn(usize) -> String| {
        let requests: Vec<_> = (0..6).map(|number| request(number, &time(number))).collect();
        open(super::build::lines(&requests))
    };
    let (moving, still) = (session(&|number| format!("12:0{number}")), session(&|_| "12:00".to_owned()));
    let found = looked(&moving, &moving.recorded);
    let prefix = found.iter().find(|finding| finding.rule == "moving-prefix").unwrap();
    assert!(prefix.evidence.contains("at byte 13"), "{prefix:?}");
    assert!(!names(&looked(&still, &still.recorded)).contains(&"moving-prefix"));
    // What stands before the byte that differs stays in the cache.
    let late = |number: usize| {
        let mut late = request(number, "");
        late["messages"][0]["content"] = format!("{}Time now 12:0{number}.", filler(1, 250)).into();
        late
    };
    let late = open(super::build::lines(&(0..6).map(late).collect::<Vec<_>>()));
    let all = looked(&late, &late.recorded);
    let behind = all.iter().find(|finding| finding.rule == "moving-prefix").unwrap();
    assert!(prefix.tokens > Some(10_000) && behind.tokens < Some(500), "{prefix:?} {behind:?}");
}

#[test]
fn what_changes_behind_large_tools_moves_the_prefix_too() {
    let session = |time: &dyn Fn(usize) -> String, tools: usize| {
        let request = |number: usize| {
            let mut messages = vec![json!({"role": "user", "content": "Go."})];
            for turn in 0..number {
                messages.push(json!({"role": "assistant", "content": format!("answer {turn}")}));
                messages.push(json!({"role": "user", "content": format!("question {turn}")}));
            }
            let tool = json!({"name": "zap", "description": filler(1, tools), "input_schema": {"type": "object"}});
            let system = format!("Time now {}. {}", time(number), filler(1, 250));
            json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": system, "tools": [tool], "messages": messages})
        };
        open(super::build::lines(&(0..6).map(request).collect::<Vec<_>>()))
    };
    for tools in [5, 1_200] {
        let moving = session(&|number| format!("12:0{number}"), tools);
        let found = looked(&moving, &moving.recorded);
        let prefix = found.iter().find(|finding| finding.rule == "moving-prefix");
        let prefix = prefix.unwrap_or_else(|| panic!("{tools}: {:?}", names(&found)));
        assert!(prefix.evidence.contains("at byte 13") && prefix.tokens > Some(5_000), "{tools}: {prefix:?}");
        let still = session(&|_| "12:00".to_owned(), tools);
        assert!(!names(&looked(&still, &still.recorded)).contains(&"moving-prefix"), "{tools}");
    }
}

#[test]
fn instruction_files_have_a_budget() {
    let rule = |size: usize| json!({"type": "nested_memory", "path": "/w/CLAUDE.md", "content": {"content": "be brief. ".repeat(size)}});
    let session = |size| open(Log::new().attachment(rule(size)).user("Go.").says("Ok.").user("Next.").bytes());
    let (large, small) = (session(1_500), session(100));
    assert!(names(&looked(&large, &large.recorded)).contains(&"all-instructions"));
    assert!(!names(&looked(&small, &small.recorded)).contains(&"all-instructions"));
}

#[test]
fn what_is_called_needed_after_it_was_cut_stands_in_no_window_and_in_the_answer() {
    let Some(folder) = crate::data::folder() else { return };
    for kind in ["claude_code", "codex"] {
        let files = std::fs::read_dir(folder.join("transcripts").join(kind)).unwrap().flatten();
        for path in files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
            let (sources, transcript) = crate::data::open(&path);
            if transcript.threads.is_empty() {
                continue;
            }
            let known = windowpane::engine::Known::nothing();
            let facts = known.facts(&transcript, &transcript.threads[0]);
            let run = windowpane::engine::recorded(&transcript, windowpane::model::ThreadId(0), facts);
            let models = Models::built_in();
            let looked = Looked {
                transcript: &transcript,
                sources: &sources,
                attached: &[],
                run: &run,
                policy: None,
                plan: None,
                shown: &FilesShown::default(),
                models,
                model: None,
            };
            for finding in needed_after_cut(&looked, &Watch::default()) {
                // Nobody counted this run: what no request was billed for has no tokens in it.
                assert!(finding.entry.is_some() && finding.tokens.is_some(), "{finding:?}");
                let quoted = finding.evidence.split(['“', '”']).nth(1).unwrap();
                assert!(!quoted.starts_with("/dev/"), "{quoted}");
                if quoted.ends_with('…') {
                    // What goes on beyond the quotation may have a twin that begins alike.
                    continue;
                }
                let needs = ["the question at step ", "looked it up again", "the user told it again"];
                let asked = needs.iter().any(|need| finding.evidence.contains(need));
                let step = finding.evidence.rsplit(" step ").next().unwrap();
                let step: u32 = step.split(' ').next().unwrap().parse().unwrap();
                let texts = |from: &dyn Fn(&windowpane::model::Entry) -> bool| -> String {
                    let blocks = run.entries.iter().filter(|entry| from(entry)).flat_map(|entry| &entry.content);
                    let body = blocks.filter_map(|made| match made {
                        windowpane::model::Made::Block(id) => transcript.block(*id),
                        _ => None,
                    });
                    body.filter_map(|block| sources.body_text(&block.body).ok()).collect::<Vec<_>>().join("\n")
                };
                let window = texts(&|entry| entry.life_at(step).is_some());
                assert!(!window.contains(quoted), "{}: {}", path.display(), finding.evidence);
                let answer = texts(&|entry| entry.born() == step + 1 && entry.life_at(step).is_none());
                assert!(asked || answer.contains(quoted), "{}: {}", path.display(), finding.evidence);
            }
        }
    }
}
