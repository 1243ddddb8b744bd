//! Questions from the command line: traces, proposed facts, surveys.

use serde_json::Value;

use super::runner::{Home, fixture, placed};
use super::schema::faults;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn fits(home: &Home, command: &str, arguments: &[&str]) -> Vec<Value> {
    let schema = json(&home.run(&[command, "--schema"]).good());
    let out = home.run(arguments).good();
    let lines: Vec<Value> = out.lines().map(json).collect();
    assert!(!lines.is_empty());
    for line in &lines {
        assert_eq!(line["schema"], format!("windowpane/{command}/1"));
        let wrong = faults(&schema, line);
        assert!(wrong.is_empty(), "{command}: {}", wrong.join("; "));
    }
    lines
}

#[test]
fn the_demos_lost_fact_is_told() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let told = fits(&home, "trace", &["trace", &session, "hbr-7731-", "FIN-9999", "--json"]);
    let fact = &told[0]["facts"][0];
    assert_eq!((fact["lost_at"].as_u64(), fact["needed"]["by"].as_str()), (Some(41), Some("asked")));
    assert_eq!(fact["in_window"], true, "at the last step it is there again");
    let first = &fact["occurrences"][0];
    assert_eq!((first["line"].as_u64(), first["first_step"].as_u64()), (Some(3), Some(1)));
    assert_eq!((&first["fates"][0]["from"], &first["fates"][0]["to"]), (&Value::from(1), &Value::from(40)));
    assert_eq!(first["fates"][1]["rule"], "recorded.auto_compact");
    assert_eq!((&first["fates"][1]["survives"], &first["fates"][1]["to"]), (&Value::from("no"), &Value::Null));
    assert_eq!(told[0]["facts"][1]["occurrences"], Value::Array(Vec::new()));
    let people = home.run(&["trace", &session, "hbr-7731-"]).good();
    for words in ["lost at step", "Came in at step 1", "compacted away by the agent itself", "█", "·"] {
        assert!(people.contains(words), "{words:?} is missing in\n{people}");
    }
}

#[test]
fn bytes_lead_to_the_text_in_the_file() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let told = fits(&home, "trace", &["trace", &session, "FIN-2291", "--json"]);
    let file = std::fs::read(fixture("claude-code.jsonl")).unwrap();
    let occurrences = told[0]["facts"][0]["occurrences"].as_array().unwrap();
    assert!(!occurrences.is_empty());
    for one in occurrences {
        let (from, to) = (one["bytes"][0].as_u64().unwrap(), one["bytes"][1].as_u64().unwrap());
        assert_eq!(&file[from as usize..to as usize], b"FIN-2291");
    }
}

#[test]
fn a_script_can_check() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let code = |more: &[&str]| {
        let mut arguments = vec!["trace", session.as_str(), "hbr-7731-", "--check"];
        arguments.extend(more);
        home.run(&arguments).code
    };
    assert_eq!((code(&[]), code(&["--step", "40"]), code(&["--step", "41"])), (0, 0, 1));
    assert_eq!(code(&["--step", "4000"]), 2);
    for wrong in ["", "  ", "re:", "re:(", "re:a*", r"re:\w{1000}{1000}", "~the"] {
        let done = home.run(&["trace", &session, wrong]);
        assert_eq!(done.code, 2, "{wrong:?}: {}", done.err);
        assert!(done.err.starts_with("error: "), "{}", done.err);
    }
}

#[test]
fn a_session_proposes_facts() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let told = fits(&home, "facts", &["facts", &session, "--json"]);
    let facts = told[0]["facts"].as_array().unwrap();
    assert!(facts.len() >= 10);
    assert!(facts.iter().all(|fact| fact["step"].as_u64() > fact["came"].as_u64()));
    let kinds: std::collections::BTreeSet<&str> = facts.iter().filter_map(|fact| fact["kind"].as_str()).collect();
    assert!(kinds.contains("instruction") && kinds.len() >= 3, "{kinds:?}");
    let file = home.run(&["facts", &session, "--toml"]).good();
    assert_eq!(file.matches("[[fact]]").count(), facts.len());
}

#[test]
fn the_same_facts_are_proposed_whatever_the_policy_and_the_question() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let nothing = "Nothing of note is said here. ".repeat(400);
    home.file(
        "notes.md",
        format!("# Abstract\n\n{nothing}\n\n# Appendix\n\nsettle_pending, amount_minor\n\n{nothing}"),
    );
    let told = |arguments: &[&str], text: &str| -> std::collections::BTreeSet<(String, u64)> {
        let asked: Vec<&str> = [arguments, &[session.as_str(), "-f", "notes.md", "--json"]].concat();
        let told = fits(&home, arguments[0], &asked);
        let facts = told[0]["facts"].as_array().unwrap();
        facts.iter().map(|fact| (fact[text].as_str().unwrap().to_owned(), fact["step"].as_u64().unwrap())).collect()
    };
    let facts = told(&["facts"], "text");
    let whole = home.run(&["facts", &session, "-f", "notes.md", "--json", "--set", "files.mode=whole"]).good();
    let whole: Value = serde_json::from_str(&whole).unwrap();
    let found = whole["facts"].as_array().unwrap().iter().find(|fact| fact["text"] == "settle_pending").unwrap();
    assert_eq!((&found["came"], &found["source"]), (&Value::from(1), &Value::from("notes.md")), "{found}");
    for policy in ["internal-agent", "drop-oldest"] {
        assert_eq!(told(&["facts", "--policy", policy, "--set", "files.mode=chunks"], "text"), facts, "{policy}");
        let vary = ["sweep", "--policy", policy, "--vary", "summarise.at=100000"];
        assert_eq!(told(&vary, "fact"), facts, "{policy}");
        assert_eq!(told(&["compare", "--recorded", "--policy", policy], "fact"), facts, "{policy}");
    }
}

#[test]
fn surveys_merge_into_what_one_survey_says() {
    let home = Home::new();
    for name in ["claude-code.jsonl", "codex.jsonl"] {
        placed(&home, name);
    }
    home.file("sub/broken.jsonl", b"\x00\x01 nothing");
    let lines = fits(&home, "survey", &["survey", ".", "--json", "-q"]);
    assert_eq!(lines.len(), 2, "the damaged one is skipped");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let merged = home.with_input(&["survey", "--merge", "--json"], format!("{text}no line\n").as_bytes());
    assert!(merged.err.contains("no line of a survey"), "{}", merged.err);
    let merged = json(&merged.good());
    let sum = |name: &str| lines.iter().map(|line| line[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((merged["sessions"].as_u64(), merged["steps"].as_u64()), (Some(2), Some(sum("steps"))));
    let plain = home.run(&["survey", ".", "-q"]).good();
    assert_eq!(home.with_input(&["survey", "--merge", "-"], text.as_bytes()).good(), plain);
    assert!(plain.contains("p99.99") && plain.contains("result tokens"));
    let piped = home.with_input(&["survey", "-", "--json"], b"claude-code.jsonl\nno-such-file\n");
    assert!(piped.err.contains("skipped: no-such-file"));
    // Why, in a line: what is looked for is the same for all.
    let told = home.run(&["survey", "."]).err;
    let skipped: Vec<&str> = told.lines().filter(|line| line.contains("broken.jsonl")).collect();
    assert!(skipped.len() == 1 && !told.contains("looked for"), "{told}");
    assert_eq!(piped.good().lines().count(), 1);
}

#[test]
fn a_subagents_log_is_surveyed_with_its_session_and_not_again() {
    let home = Home::new();
    let record = |kind: &str, uuid: &str, more: Value| {
        let mut record = serde_json::json!({"type": kind, "uuid": uuid, "parentUuid": null, "sessionId": "S"});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let turn = |id: &str, agent: Value| {
        let message = serde_json::json!({"id": id, "role": "assistant", "model": "claude-test",
            "content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": 900, "output_tokens": 2}});
        let mut answer = agent.clone();
        answer["message"] = message;
        answer["parentUuid"] = format!("{id}u").into();
        let mut asked = agent;
        asked["message"] = serde_json::json!({"role": "user", "content": format!("Look at {id}.")});
        record("user", &format!("{id}u"), asked) + &record("assistant", id, answer)
    };
    home.file("p/S.jsonl", turn("m1", serde_json::json!({})));
    for agent in ["ag1", "acompact-2"] {
        let log = turn(agent, serde_json::json!({"isSidechain": true, "agentId": agent}));
        home.file(&format!("p/S/subagents/agent-{agent}.jsonl"), log);
    }
    let lines = fits(&home, "survey", &["survey", "p", "--json", "-q"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((lines[0]["sessions"].as_u64(), lines[0]["steps"].as_u64()), (Some(1), Some(3)));
    // The call that wrote a summary was sent the session's own window: it is none of its own.
    let windows = lines[0]["series"]["window"]["times"].as_array().unwrap();
    assert_eq!(windows.iter().map(|pair| pair[1].as_u64().unwrap()).sum::<u64>(), 2);
    // Surveyed one by one, the logs merge to the same in any order.
    let whole = home.run(&["survey", "p"]).good();
    let mut apart: Vec<String> = ["p/S/subagents/agent-ag1.jsonl", "p/S.jsonl", "p/S/subagents/agent-acompact-2.jsonl"]
        .iter()
        .map(|path| home.run(&["survey", path, "--json", "-q"]).good())
        .collect();
    for _ in 0..3 {
        apart.rotate_left(1);
        let twice = apart.concat() + &apart[0];
        assert_eq!(home.with_input(&["survey", "--merge", "-"], twice.as_bytes()).good(), whole);
    }
    // By itself, a log is a session.
    let alone = fits(&home, "survey", &["survey", "p/S/subagents/agent-ag1.jsonl", "--json", "-q"]);
    assert_eq!(alone[0]["steps"].as_u64(), Some(1));
}

#[test]
fn the_rollout_of_codexs_subagent_is_surveyed_with_its_session() {
    let home = Home::new();
    let line = |kind: &str, payload: Value| format!("{}\n", serde_json::json!({"type": kind, "payload": payload}));
    let said = |text: &str| {
        let content = serde_json::json!([{"type": "output_text", "text": text}]);
        line("response_item", serde_json::json!({"type": "message", "role": "assistant", "content": content}))
    };
    let spawn = serde_json::json!({"type": "function_call", "name": "spawn_agent", "arguments": "{}", "call_id": "c"});
    let own = line("session_meta", serde_json::json!({"id": "s1"})) + &line("response_item", spawn);
    let source = serde_json::json!({"subagent": {"thread_spawn": {"parent_thread_id": "s1"}}});
    home.file("p/rollout-2-s1.jsonl", own + &said("done"));
    let child = line("session_meta", serde_json::json!({"id": "k1", "source": source})) + &said("seen");
    let plain = home.file("p/rollout-1-k1.jsonl", &child);
    let surveyed = || {
        let lines = fits(&home, "survey", &["survey", "p", "--json", "-q"]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!((lines[0]["sessions"].as_u64(), lines[0]["steps"].as_u64()), (Some(1), Some(2)));
    };
    surveyed();
    // What is old is packed.
    let packed = ruzstd::encoding::compress_to_vec(child.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    std::fs::write(plain.with_extension("jsonl.zst"), packed).unwrap();
    std::fs::remove_file(&plain).unwrap();
    surveyed();
}

#[test]
fn a_fact_that_was_asked_for_and_then_dropped_says_so() {
    let home = Home::new();
    let mut messages =
        vec![serde_json::json!({"role": "user", "content": "The deploy token of staging is OPS-88123."})];
    let mut say = |role: &str, text: String| messages.push(serde_json::json!({"role": role, "content": text}));
    say("assistant", "Noted.".to_owned());
    say("user", "Which deploy token has staging?".to_owned());
    for turn in 0..12 {
        say("assistant", format!("Row {turn}. {}", "many words about nothing in particular ".repeat(60)));
        say("user", format!("Go on with part {turn}."));
    }
    let session = home.file("ask.json", serde_json::json!({"model": "gpt-4o", "messages": messages}).to_string());
    let session = session.to_string_lossy().into_owned();
    let asked = ["trace", &session, "OPS-88123", "--policy", "drop-oldest", "--window", "3000"];
    let people = home.run(&asked).good();
    let told = fits(&home, "trace", &[&asked[..], &["--json"]].concat());
    let fact = &told[0]["facts"][0];
    assert_eq!((&fact["in_window"], &fact["needed"]["step"]), (&Value::from(false), &Value::from(2)), "{people}");
    let later = fact["lost_later"].as_u64().unwrap();
    assert!(later > 2 && fact["lost_at"].is_null());
    for words in
        ["in the window at step 2", &format!(", lost at step {later}"), "Later it was lost: at step", "dropped"]
    {
        assert!(people.contains(words), "{words}: {people}");
    }
}

#[test]
fn nothing_in_an_answer_steers_the_terminal() {
    let home = Home::new();
    let text = "secret \u{1b}]0;title\u{7} QX-77413 \u{202e} and \u{9b}31m more";
    let record = serde_json::json!({"type": "user", "uuid": "1", "parentUuid": null, "sessionId": "S",
        "message": {"role": "user", "content": text}});
    let answer = serde_json::json!({"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "S", "message": {
        "id": "m", "role": "assistant", "model": "x\u{1b}[2J", "content": [{"type": "text", "text": "ok \u{1b}[31m"}]}});
    let session = home.file("hostile\u{7}.jsonl", format!("{record}\n{answer}\n"));
    let session = session.to_string_lossy().into_owned();
    for arguments in [
        vec!["trace", &session, "QX-77413"],
        vec!["trace", &session, "QX-77413", "--json"],
        vec!["trace", &session, "re:secret.*"],
        vec!["trace", &session, "~secret title"],
        vec!["facts", &session],
        vec!["survey", &session],
        vec!["survey", &session, "--json"],
    ] {
        let done = home.run(&arguments);
        let steers = |text: &str| text.chars().any(|sign| (sign.is_control() && sign != '\n') || sign == '\u{202e}');
        assert!(!steers(&done.out) && !steers(&done.err), "{arguments:?}: {:?} {:?}", done.out, done.err);
    }
}

#[test]
fn what_if_names_a_setting_and_the_notch_that_decides() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let told = fits(&home, "whatif", &["whatif", &session, "hbr-7731-", "--step", "71", "--json"]);
    let fact = &told[0]["facts"][0];
    assert_eq!(
        (fact["step"].as_u64(), fact["there"].as_bool(), fact["never"].as_bool()),
        (Some(71), Some(false), Some(false))
    );
    let answers = fact["answers"].as_array().unwrap();
    assert!(!answers.is_empty());
    let one = answers.iter().find(|answer| answer["changes"][0]["notch_back"].is_string()).unwrap();
    let change = &one["changes"][0];
    let at = |value: &Value| {
        let set = format!("{}={}", change["key"].as_str().unwrap(), value.as_str().unwrap().trim_matches('"'));
        home.run(&["trace", &session, "hbr-7731-", "--step", "71", "--set", &set, "--check"]).code
    };
    assert_eq!((at(&change["to"]), at(&change["notch_back"])), (0, 1), "{change}");
    let people = home.run(&["whatif", &session, "hbr-7731-", "--step", "71"]).good();
    assert!(people.contains("keeps it") && people.contains("replays"), "{people}");
    let there = home.run(&["whatif", &session, "hbr-7731-", "--step", "5"]).good();
    assert!(there.contains("nothing has to change"), "{there}");
}

/// What is left out of an attached file is brought back by the file's own settings; each answer is replayed.
#[test]
fn settings_of_files_and_chunks_are_tried_and_swept_and_answers_hold() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let lines = |from: u32, to: u32| -> String {
        (from..to).map(|line| format!("Line {line} of the manual says nothing that matters much.\n")).collect()
    };
    let text = format!("{}The valve code is ZX-4711.\n{}", lines(1, 150), lines(151, 900));
    let manual = home.file("manual.txt", &text).to_string_lossy().into_owned();
    let kept = |sets: &[String]| {
        let mut args = vec!["trace", &session, "ZX-4711", "--file", &manual, "--policy", "none", "--json"];
        // A window that everything fits into: what is refused as too long keeps nothing.
        args.extend(["--set", "window.size=2000000"]);
        for set in sets {
            args.extend(["--set", set]);
        }
        let told: serde_json::Value = serde_json::from_str(&home.run(&args).good()).unwrap();
        told["facts"][0]["in_window"].as_bool().unwrap()
    };
    // Nothing but the file's limits takes it.
    let (small, limits) = ("files.max_tokens=400", "files.mode=limits");
    assert!(!kept(&[limits.to_owned(), small.to_owned()]));
    let base = [
        "whatif",
        &session,
        "ZX-4711",
        "--file",
        &manual,
        "--policy",
        "none",
        "--set",
        "window.size=2000000",
        "--set",
        limits,
        "--set",
        small,
        "--json",
    ];
    let told = fits(&home, "whatif", &base);
    let answers = told[0]["facts"][0]["answers"].as_array().unwrap();
    let single: Vec<_> = answers.iter().filter(|answer| answer["changes"].as_array().unwrap().len() == 1).collect();
    assert!(!single.is_empty(), "{told:?}");
    let mut files = 0;
    for change in single.iter().map(|answer| &answer["changes"][0]) {
        let (key, to) = (change["key"].as_str().unwrap(), change["to"].as_str().unwrap().trim_matches('"'));
        files += usize::from(key.starts_with("files."));
        assert!(kept(&[limits.to_owned(), small.to_owned(), format!("{key}={to}")]), "{change}");
        if let Some(back) = change["notch_back"].as_str() {
            let back = back.trim_matches('"');
            assert!(!kept(&[limits.to_owned(), small.to_owned(), format!("{key}={back}")]), "{change}");
        }
    }
    assert!(files > 0, "{told:?}");
    let swept = fits(
        &home,
        "sweep",
        &[
            "sweep",
            &session,
            "ZX-4711",
            "--file",
            &manual,
            "--policy",
            "none",
            "--set",
            "window.size=2000000",
            "--set",
            limits,
            "--vary",
            "files.max_tokens=400,4000,40000",
            "--json",
        ],
    );
    let runs = swept[0]["runs"].as_array().unwrap();
    assert_eq!((runs[0]["kept"].as_u64(), runs[2]["kept"].as_u64()), (Some(0), Some(1)), "{runs:?}");
}

#[test]
fn settings_that_need_vectors_made_anew_are_tried_too() {
    let home = Home::new();
    let session = fixture("messages.request.json");
    // The code stands behind words of the task, at the end of a window: where windows are shorter it is in another one.
    let line =
        |line: usize| format!("Note {line} says that the garden is green and the river is wide and calm today.\n");
    let lines = |from: usize, to: usize| (from..to).map(line).collect::<String>();
    let hit = "The reset of the pump needs the valve. The valve of the pump is reset by hand.";
    let text = format!("{}{hit} {} The code is ZX-4711.\n{}", lines(1, 10), line(10).trim().repeat(4), lines(11, 18));
    let manual = home.file("manual.txt", &text).to_string_lossy().into_owned();
    let sets = [
        "files.mode=chunks",
        "chunks.ranking=lexical",
        "chunks.top=1",
        "chunks.window=200",
        "chunks.overlap=0",
        "chunks.threshold=0",
    ];
    let kept = |more: Option<String>| {
        let mut args = vec!["trace", &session, "ZX-4711", "--file", &manual, "--policy", "none", "--json"];
        // A window that everything fits into: what is refused as too long keeps nothing.
        args.extend(["--set", "window.size=2000000"]);
        args.extend(["--task", "reset the valve of the pump"]);
        for set in sets.iter().copied().chain(more.as_deref()) {
            args.extend(["--set", set]);
        }
        let told: serde_json::Value = serde_json::from_str(&home.run(&args).good()).unwrap();
        told["facts"][0]["in_window"].as_bool().unwrap()
    };
    assert!(!kept(None));
    let mut args = vec!["whatif", &session, "ZX-4711", "--file", &manual, "--policy", "none", "--json"];
    args.extend(["--task", "reset the valve of the pump"]);
    for set in sets {
        args.extend(["--set", set]);
    }
    let told = fits(&home, "whatif", &args);
    let answers = told[0]["facts"][0]["answers"].as_array().unwrap();
    let window = answers.iter().map(|answer| &answer["changes"][0]).find(|change| change["key"] == "chunks.window");
    let window = window.unwrap_or_else(|| panic!("{told:?}"));
    assert!(kept(Some(format!("chunks.window={}", window["to"].as_str().unwrap()))), "{window}");
    assert!(!kept(Some(format!("chunks.window={}", window["notch_back"].as_str().unwrap()))), "{window}");
}

#[test]
fn a_sweep_prints_a_table_json_and_csv() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let vary = "summarise.at=100000..180000:20000";
    let told = fits(&home, "sweep", &["sweep", &session, "hbr-7731-", "--vary", vary, "--json"]);
    assert_eq!(told[0]["runs"].as_array().unwrap().len(), 5);
    assert!(told[0]["runs"].as_array().unwrap().iter().any(|run| run["best"] == true));
    let csv = home.run(&["sweep", &session, "hbr-7731-", "--vary", vary, "--csv"]).good();
    assert!(csv.starts_with("summarise.at,kept,lost,") && csv.lines().count() == 6, "{csv}");
    let facts = home.file("facts.toml", "[[fact]]\ntext = \"hbr-7731-\"\nstep = 71\n\n[[fact]]\ntext = \"INC-204\"\n");
    let facts = facts.to_string_lossy().into_owned();
    let both =
        &["sweep", &session, "--facts", &facts, "--vary", vary, "--vary", "summarise.by=recorded,extractive", "--json"];
    let told = fits(&home, "sweep", both);
    assert_eq!(told[0]["facts"][0]["step"], 71);
    assert_eq!(told[0]["runs"].as_array().unwrap().len(), 10);
    // With no setup at all: the session's own facts, the setting that matters most, a picture over the table.
    let plain = home.run(&["sweep", &session]).good();
    assert!(plain.contains("against tokens sent") && plain.contains("◆") && plain.contains("┤"), "{plain}");
    let map = home.run(&["sweep", &session, "--vary", vary, "--vary", "summarise.by=recorded,extractive"]).good();
    assert!(map.contains("(down)") && map.contains("extractive"), "{map}");
    for wrong in ["nothing", "summarise.att=1", "summarise.at=soon"] {
        let done = home.run(&["sweep", &session, "x", "--vary", wrong]);
        assert_eq!(done.code, 2, "{wrong}: {}", done.err);
    }
}

#[test]
fn a_lint_is_a_check_for_scripts() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let told = fits(&home, "lint", &["lint", &session, "--json"]);
    let findings = told[0]["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    assert_eq!(home.run(&["lint", &session, "--check"]).code, 1);
    home.file(
        "calm.jsonl",
        concat!(
            r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"S","message":{"role":"user","content":"hi"}}"#,
            "\n",
            r#"{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"S","message":{"id":"m","role":"assistant","model":"x","content":[{"type":"text","text":"hi"}]}}"#,
            "\n"
        ),
    );
    for (policy, looked) in [(&[][..], "as it was recorded"), (&["--policy", "claude-code"][..], "under claude-code")] {
        let done = home.run(&[&["lint", "calm.jsonl", "--check"], policy].concat());
        let said = format!("Nothing to complain about in calm.jsonl, {looked}.\n");
        assert_eq!((done.code, done.out), (0, said), "{}", done.err);
    }
}

#[test]
fn facts_in_attached_files_are_lost_by_the_choice_of_passages_or_kept_by_it() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let section =
        |title: &str, says: &str| format!("# {title}\n\n{says} {}\n\n", "Nothing of note is said here. ".repeat(130));
    let document = [
        section("Abstract", "The port is 48213."),
        section("Conclusion", "It works."),
        section("Appendix", "The code is QX-77413."),
        section("Errata", "None."),
    ];
    home.file("paper.md", document.concat());
    let told = |mode: &str| {
        let mode = format!("files.mode={mode}");
        let arguments = ["trace", &session, "48213", "QX-77413", "-f", "paper.md", "--set", &mode, "--json"];
        fits(&home, "trace", &arguments)[0]["facts"].clone()
    };
    let chunks = told("chunks");
    assert_eq!(
        (&chunks[0]["in_window"], &chunks[1]["in_window"]),
        (&Value::from(true), &Value::from(false)),
        "{chunks}"
    );
    let line = document.concat().split("QX-77413").next().unwrap().lines().count();
    assert_eq!(chunks[1]["occurrences"][0]["line"].as_u64(), Some(line as u64), "the line of the file's own text");
    let fate = &chunks[1]["occurrences"][0]["fates"][0];
    assert_eq!((fate["stage"].as_str(), fate["seen"].as_str()), (Some("select"), Some("gone")), "{fate}");
    let whole = told("whole");
    assert_eq!((&whole[0]["in_window"], &whole[1]["in_window"]), (&Value::from(true), &Value::from(true)), "{whole}");
}
