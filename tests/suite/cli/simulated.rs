//! Replays from the command line: which policy is taken, what is refused, and that exports take a simulated run.

use serde_json::Value;

use super::runner::{Home, fixture, placed};
use super::schema::faults;

fn json(home: &Home, arguments: &[&str]) -> Value {
    serde_json::from_str(&home.run(arguments).good()).unwrap()
}

fn lines(home: &Home, arguments: &[&str]) -> Vec<Value> {
    home.run(arguments).good().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_policy_a_setting_or_the_track_asks_for_a_replay() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    for (options, name) in [
        (&["--track", "simulated"][..], "claude-code"),
        (&["--policy", "none"][..], "none"),
        (&["--set", "summarise.at=50%"][..], "claude-code summarise.at=50%"),
    ] {
        let arguments: Vec<&str> = ["show", &session, "--json"].iter().chain(options).copied().collect();
        let shown = json(&home, &arguments);
        assert_eq!((&shown["track"], &shown["policy"]), (&Value::from("simulated"), &Value::from(name)));
    }
    assert_eq!(json(&home, &["show", &session, "--json"])["track"], "recorded");
    // A setting of the program is none of the policy's.
    assert_eq!(json(&home, &["show", &session, "--json", "--set", "calibrate=off"])["track"], "recorded");
    let codex = placed(&home, "codex.jsonl");
    assert_eq!(json(&home, &["show", &codex, "--json", "--track", "simulated"])["policy"], "codex");
    let chat = placed(&home, "chat.request.json");
    assert_eq!(json(&home, &["show", &chat, "--json", "--track", "simulated"])["policy"], "internal-agent");
}

#[test]
fn a_version_chooses_among_the_bands_of_its_own_agent_alone() {
    let home = Home::new();
    let threshold = |session: &str, policy: &str| {
        let shown = json(&home, &["show", session, "--json", "--policy", policy]);
        shown["window_tokens"].as_u64().unwrap() - shown["threshold_tokens"].as_u64().unwrap()
    };
    // 2.1.20 keeps 45,000 free, later versions 33,000; Codex's number is none of theirs.
    let claude = placed(&home, "claude-code.jsonl");
    assert_eq!(threshold(&claude, "claude-code"), 45_000);
    let codex = placed(&home, "codex.jsonl");
    home.file("mine.toml", "preset = \"claude-code\"\n");
    for policy in ["claude-code", "mine.toml"] {
        assert_eq!(threshold(&codex, policy), 33_000, "{policy}");
        assert_eq!(threshold(&claude, policy), 45_000, "{policy}");
    }
    assert_eq!(threshold(&codex, "claude-code@2.1.20"), 45_000);
}

#[test]
fn a_policy_file_names_a_preset_and_what_differs() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("mine.toml", "preset = \"none\"\n[window]\nsize = 64000\n[notice]\non = true\n");
    let shown = json(&home, &["show", &session, "--json", "--policy", "mine.toml"]);
    assert_eq!(shown["window_tokens"], 64_000);
    assert_eq!(shown["window_source"], "policy");
    let notices = shown["layers"].as_array().unwrap().iter().find(|row| row["layer"] == "notices").unwrap();
    assert!(notices["entries"].as_u64().unwrap() >= 1);
    // What the user says of the window on the command line stands over the policy.
    let shown = json(&home, &["show", &session, "--json", "--policy", "mine.toml", "--window", "50000"]);
    assert_eq!((&shown["window_tokens"], &shown["window_source"]), (&Value::from(50_000), &Value::from("user")));
}

#[test]
fn what_is_refused_says_which_key_and_what_it_may_be() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("bad.toml", "[summarise]\ntraget = 5\n[files]\nmax_lines = 0\n");
    for (options, words) in [
        (&["--policy", "claud-code"][..], "did you mean \"claude-code\"?"),
        (&["--policy", "bad.toml"][..], "did you mean \"summarise.target\"?"),
        (&["--policy", "bad.toml"][..], "files.max_lines = 0: 0 is not within 1 to"),
        (&["--policy", "missing.toml"][..], "cannot read missing.toml"),
        (&["--set", "summarise.att=5"][..], "did you mean \"summarise.at\"?"),
        (&["--set", "summarise.at=110%"][..], "summarise.at"),
        (&["--set", "nonsense"][..], "KEY=VALUE"),
        (&["--track", "recorded", "--policy", "none"][..], "contradict"),
        (&["--policy", "none", "--policy", "codex"][..], "compare takes two"),
    ] {
        let arguments: Vec<&str> = ["show", &session].iter().chain(options).copied().collect();
        let done = home.run(&arguments);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{options:?}");
        assert!(done.err.contains(words), "{options:?}: {}", done.err);
    }
}

#[test]
fn a_replayed_run_adds_up_and_fits_its_schema() {
    let home = Home::new();
    let demo = home.file("demo.jsonl.gz", std::fs::read(fixture("demo/lost-fact.jsonl.gz")).unwrap());
    let demo = demo.to_str().unwrap();
    let schema = json(&home, &["run", "--schema"]);
    let options = ["run", demo, "--json", "--policy", "internal-agent", "--set", "window.size=60000"];
    let rows = lines(&home, &options);
    let mut stages = std::collections::BTreeSet::new();
    for row in &rows {
        assert_eq!(faults(&schema, row), Vec::<String>::new());
        if row["type"] == "step" {
            let layers: u64 = row["layers"].as_object().unwrap().values().map(|tokens| tokens.as_u64().unwrap()).sum();
            assert_eq!(layers, 60_000 + row["over"].as_u64().unwrap());
        }
        if row["type"] == "event" {
            stages.insert(row["stage"].as_str().unwrap().to_owned());
        }
    }
    for stage in ["admit", "notice", "summarise", "truncate"] {
        assert!(stages.contains(stage), "{stage}: {stages:?}");
    }
    assert_eq!(rows, lines(&home, &options), "the same input gives the same run");
}

#[test]
fn exports_take_a_replayed_run() {
    let home = Home::new();
    let demo = home.file("demo.jsonl.gz", std::fs::read(fixture("demo/lost-fact.jsonl.gz")).unwrap());
    let demo = demo.to_str().unwrap();
    let replay = ["--policy", "internal-agent", "--set", "window.size=60000"];
    for form in ["markdown", "text", "anthropic", "openai", "json"] {
        let options: Vec<&str> = ["pack", demo, "--as", form, "--manifest", "origin.json", "--force"]
            .iter()
            .chain(&replay)
            .copied()
            .collect();
        let text = home.run(&options).good();
        assert!(text.contains("vf_"), "{form}: the pointer to the window before");
        assert!(text.contains("tokens consumed"), "{form}: the notice");
        let manifest: Value = serde_json::from_slice(&std::fs::read(home.path().join("origin.json")).unwrap()).unwrap();
        let ranges = manifest["ranges"].as_array().unwrap();
        let ends: u64 = ranges.last().unwrap()["output"][1].as_u64().unwrap();
        assert_eq!(ends, text.len() as u64, "{form}: every byte has an origin");
    }
    let shown = ["show", demo, "--json", "--text"].iter().chain(&replay).copied().collect::<Vec<_>>();
    for entry in json(&home, &shown)["entries"].as_array().unwrap() {
        let traced = entry["provenance"].as_array().is_some_and(|places| !places.is_empty());
        // What a harness writes stands in no file: notices, base tools, the listing of skills.
        let written = ["notices", "tools", "skills"].iter().any(|layer| entry["layer"] == *layer);
        assert!(traced || written, "{entry}");
    }
}

#[test]
fn policies_are_listed_printed_and_checked() {
    let home = Home::new();
    let schema = json(&home, &["policy", "list", "--schema"]);
    for options in [&["list"][..], &["keys"], &["show", "claude-code@2.1.20"], &["show", "memory-harness/coding"]] {
        let all: Vec<&str> = ["policy"].iter().chain(options).chain(&["--json"]).copied().collect();
        let told = json(&home, &all);
        assert_eq!(faults(&schema, &told), Vec::<String>::new(), "{options:?}");
        assert!(!home.run(&[&["policy"], options].concat()).good().is_empty());
    }
    // What is in force of a preset is counted as it is marked.
    let presets = json(&home, &["policy", "list", "--json"]);
    for name in ["none", "codex", "five-layer"] {
        let row = presets["presets"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        let shown = json(&home, &["policy", "show", name, "--json"]);
        for how in ["measured", "documented", "estimated"] {
            let marked = shown["settings"].as_array().unwrap().iter().filter(|row| row["evidence"] == how).count();
            assert_eq!(row["in_force"][how], marked, "{name}: {how}");
        }
    }
    let told = json(&home, &["policy", "show", "claude-code@2.1.20", "--json"]);
    let row = told["settings"].as_array().unwrap().iter().find(|row| row["key"] == "summarise.at").unwrap();
    assert_eq!((&row["value"], &row["evidence"]), (&Value::from("-45000"), &Value::from("measured")));
    // What is printed reads back to the same policy.
    for name in ["claude-code", "internal-agent", "five-layer"] {
        for brief in [&[][..], &["--brief"]] {
            let printed = home.run(&[&["policy", "show", name], brief].concat()).good();
            home.file("again.toml", &printed);
            let done = home.run(&["policy", "check", "again.toml", "--json"]);
            assert!(done.good().contains("\"valid\":true"));
            let of = |name: &str| json(&home, &["policy", "show", name, "--json"])["settings"].clone();
            let values = |rows: Value| -> Vec<Value> {
                rows.as_array().unwrap().iter().map(|row| row["value"].clone()).collect()
            };
            assert_eq!(values(of("again.toml")), values(of(name)), "{name}");
        }
    }
    home.file("bad.toml", "[summarise]\ntraget = 5\nat = \"110%\"\n");
    // A policy that loses facts is a policy all the same: what lint says of it is said here, too.
    home.file("drops.toml", "preset = \"drop-oldest\"\n");
    let done = home.run(&["policy", "check", "drops.toml", "--json"]);
    let checked: Value = serde_json::from_str(&done.out).unwrap();
    let rules: Vec<&str> =
        checked["findings"].as_array().unwrap().iter().filter_map(|row| row["rule"].as_str()).collect();
    assert!(done.code == 0 && checked["valid"] == true && rules.contains(&"fixed-trimming"), "{}", done.out);
    let people = home.run(&["policy", "check", "drops.toml"]).good();
    assert!(people.contains("nothing wrong with it") && people.contains("→ summarise.on = true"), "{people}");
    let done = home.run(&["policy", "check", "bad.toml", "--json"]);
    assert_eq!(done.code, 1);
    let told: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(faults(&schema, &told), Vec::<String>::new());
    assert_eq!(told["faults"].as_array().unwrap().len(), 2);
    assert_eq!(told["faults"][1]["nearest"], "summarise.target");
    assert_eq!(home.run(&["policy", "check", "missing.toml"]).code, 3);
    assert_eq!(home.run(&["policy", "show", "no-such"]).code, 2);
}

#[test]
fn policies_are_set_side_by_side() {
    let home = Home::new();
    let demo = home.file("demo.jsonl.gz", std::fs::read(fixture("demo/lost-fact.jsonl.gz")).unwrap());
    let demo = demo.to_str().unwrap();
    let schema = json(&home, &["compare", "--schema"]);
    let told = json(&home, &["compare", demo, "--policy", "none", "--policy", "internal-agent", "--json"]);
    assert_eq!(faults(&schema, &told), Vec::<String>::new());
    let names: Vec<&str> =
        told["sides"].as_array().unwrap().iter().map(|side| side["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["none", "internal-agent"]);
    let share = |side: usize| told["sides"][side]["totals"]["visible_share"].as_f64().unwrap();
    assert!(share(0) > 0.99 && share(1) < share(0), "nothing is ever cut but what the user took back");
    assert_eq!(told["sides"][0]["totals"]["compactions"], 0);
    let bare = home.file("bare.json", br#"[{"role":"user","content":"Hi."},{"role":"assistant","content":"Yes."}]"#);
    let unknown = json(&home, &["compare", bare.to_str().unwrap(), "--recorded", "--json"]);
    let recorded = &unknown["sides"][0]["totals"];
    assert!(recorded["cache_read"].is_null() && recorded["cache_write"].is_null() && recorded["fresh"].is_null());
    assert!(unknown["steps"][0]["cache_read"][0].is_null());
    let told = json(&home, &["compare", demo, "--recorded", "--json"]);
    assert_eq!(faults(&schema, &told), Vec::<String>::new());
    assert_eq!(told["sides"][0]["name"], "recorded");
    assert_eq!(told["sides"][1]["name"], "claude-code");
    assert!(!told["distances"][0]["compactions"].as_array().unwrap().is_empty());
    let table = home.run(&["compare", demo, demo, "--recorded"]).good();
    assert_eq!(table.lines().filter(|line| line.starts_with("demo.")).count(), 4, "{table}");
    assert_eq!(home.run(&["compare", demo, demo, "--policy", "none", "--policy", "codex"]).code, 2);
    assert_eq!(home.run(&["compare", demo, "missing.jsonl", "--recorded"]).code, 3);
}

#[test]
fn base_tools_are_run_at_a_step() {
    let home = Home::new();
    let demo = home.file("demo.jsonl.gz", std::fs::read(fixture("demo/lost-fact.jsonl.gz")).unwrap());
    let demo = demo.to_str().unwrap();
    home.file("skills/slack/SKILL.md", "---\nname: slack\ndescription: how to write there\n---\nUse one asterisk.\n");
    home.file("skills/pages/SKILL.md", "---\nname: pdf\n---\n");
    home.file("skills/open/SKILL.md", "---\nname: [unclosed\n---\n");
    let schema = json(&home, &["tool", "--schema"]);
    let replay = ["--policy", "internal-agent", "--set", "window.size=60000", "--skills", "skills", "--json"];
    let of = |arguments: &[&str]| -> Value {
        let all: Vec<&str> = ["tool", demo].iter().chain(arguments).chain(&replay).copied().collect();
        let told = json(&home, &all);
        assert_eq!(faults(&schema, &told), Vec::<String>::new(), "{arguments:?}");
        told
    };
    let listed = of(&[]);
    let files = listed["files"].as_array().unwrap();
    assert!(files.iter().any(|file| file["id"] == "vf_1"), "{listed}");
    assert_eq!(listed["skills"], serde_json::json!(["open", "pdf", "slack", "large_files"]));
    // A skill is listed with its path, and read by it; its folder may be called otherwise.
    assert_eq!(of(&["file_read", "pages/SKILL.md"])["answer"]["text"], "---\nname: pdf\n---\n");
    let skill = files.iter().find(|file| file["id"] == "slack").unwrap();
    assert_eq!((skill["kind"].as_str(), skill["name"].as_str()), (Some("skill"), Some("skills/slack/SKILL.md")));
    let whole = "---\nname: slack\ndescription: how to write there\n---\nUse one asterisk.\n";
    let folder = home.path().join("skills");
    let there = folder.join("slack/SKILL.md").to_str().unwrap().to_owned();
    for id in ["slack", "slack/SKILL.md", "skills/slack/SKILL.md"] {
        assert_eq!(of(&["file_read", id])["answer"]["text"], *whole, "{id}");
    }
    let listed_at = ["--skills", folder.to_str().unwrap(), "--policy", "internal-agent"];
    for beside in [&["--set", "skills.allowed=slack"][..], &["--workspace", home.path().to_str().unwrap()]] {
        let all = [&["tool", demo, "file_read", &there][..], &listed_at, beside].concat();
        assert!(home.run(&all).good().contains("Use one asterisk."), "{beside:?}");
    }
    let forbidden = [&["tool", demo, "file_read", &there, "--set", "skills.prohibited=slack"][..], &listed_at].concat();
    assert_eq!(home.run(&forbidden).code, 1, "a path opens nothing that its name does not");
    let read = of(&["file_read", "vf_1", "lines=1-2"]);
    assert_eq!(read["answer"]["text"].as_str().unwrap().lines().count(), 2);
    let cost = &read["cost"];
    let sent = read["answer"]["sent_tokens"].as_u64().unwrap();
    assert_eq!(cost["used_before"].as_u64().unwrap() + sent, cost["used_after"].as_u64().unwrap());
    assert!(of(&["load_skill", "slack"])["answer"]["text"].as_str().unwrap().contains("one asterisk"));
    let all: Vec<&str> = ["tool", demo, "load_file", "none"].iter().chain(&replay).copied().collect();
    assert_eq!(home.run(&all).code, 1, "a complaint is a no");
    assert_eq!(home.run(&["tool", demo, "file_reed", "vf_1"]).code, 2);
}

#[test]
fn instructions_skills_and_the_memory_index_come_in_with_their_origin() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("work/.git/HEAD", "");
    home.file("work/CLAUDE.md", "Always run the tests.\n");
    home.file("skills/slack/SKILL.md", "---\nname: slack\ndescription: how to write there\n---\n");
    home.file("MEMORY.md", "- one\n- two\n- three\n");
    let options = [
        "show",
        &session,
        "--json",
        "--text",
        "--step",
        "1",
        "--folder",
        "work",
        "--skills",
        "skills",
        "--memory-index",
        "MEMORY.md",
        "--set",
        "instructions.on=true",
        "--set",
        "memory.index_lines=2",
    ];
    let shown = json(&home, &options);
    assert_eq!(shown["track"], "simulated");
    let entry = |layer: &str| {
        let entries = shown["entries"].as_array().unwrap();
        entries.iter().find(|entry| entry["layer"] == layer).unwrap_or_else(|| panic!("{layer}: {shown}")).clone()
    };
    assert_eq!(entry("instructions")["text"], "Always run the tests.\n");
    let origin = entry("instructions")["provenance"][0]["source"].as_str().unwrap().to_owned();
    assert!(origin.ends_with("CLAUDE.md"), "{origin}");
    assert!(entry("skills")["text"].as_str().unwrap().contains("how to write there"));
    assert_eq!(entry("memory")["text"], "- one\n- two\n");
    assert_eq!(home.run(&["show", &session, "--folder", "missing"]).code, 2);
    assert_eq!(home.run(&["show", &session, "--memory-index", "missing.md"]).code, 3);
}

/// Claude Code loads CLAUDE.md when it starts, and no AGENTS.md.
#[test]
fn instructions_of_the_recorded_agent_do_not_raise_the_sum_twice() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let text = "Always run the tests before you commit. ".repeat(20);
    for (folder, name) in [("own", "CLAUDE.md"), ("other", "AGENTS.md")] {
        home.file(&format!("{folder}/.git/HEAD"), "");
        home.file(&format!("{folder}/{name}"), &text);
    }
    let first = |folder: &[&str]| {
        let options = ["show", &session, "--json", "--step", "1", "--policy", "five-layer"];
        let shown = json(&home, &[&options[..], folder].concat());
        let layers = shown["layers"].as_array().unwrap();
        let of = |layer: &str| layers.iter().find(|row| row["layer"] == layer).unwrap()["tokens"].as_u64().unwrap();
        (shown["counted_tokens"].as_u64().unwrap() + of("unlogged"), of("instructions"))
    };
    let (before, none) = first(&[]);
    let (own, shown) = first(&["--folder", "own"]);
    let (other, also) = first(&["--folder", "other"]);
    assert!(none == 0 && shown > 100 && shown == also, "{none} {shown} {also}");
    assert_eq!((own, other), (before, before + also));
}

#[test]
fn the_example_compacts_where_the_preset_of_its_agent_does() {
    let home = Home::new();
    let told = home.run(&["compare", "--recorded", &fixture("demo/lost-fact.jsonl.gz")]).good();
    let words = "First compactions by the agent: 1; 1 replayed within 3 requests, 1 within 5 % of its context";
    assert!(told.contains(words), "{told}");
}

#[test]
fn originals_of_what_was_cut_leave_sealed_reasoning_as_it_was() {
    let home = Home::new();
    let request = serde_json::json!({"model": "gpt-5", "input": [
        {"type": "message", "role": "user", "content": "Go on."},
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "Z".repeat(8_000),
            "summary": [{"type": "summary_text", "text": "Looking at the tests before anything else."}]},
        {"type": "message", "role": "assistant", "content": "Done."},
        {"type": "message", "role": "user", "content": "And now?"},
    ]});
    home.file("r.json", request.to_string());
    let shown = |originals: &str| {
        let setting = format!("replay.originals={originals}");
        json(&home, &["show", "r.json", "--json", "--policy", "none", "--set", &setting])["layers"].clone()
    };
    assert_eq!(shown("true"), shown("false"));
}

/// A result of which the agent sent the beginning; the log holds the whole.
#[test]
fn what_is_admitted_whole_is_marked_and_stands_where_the_whole_does() {
    let home = Home::new();
    let whole: String = (0..400).map(|line| format!("line {line} of the log\n")).collect();
    let cut = format!("{}\n... [8000 characters truncated] ...", &whole[..400]);
    let base = |kind: &str, uuid: &str, parent: Option<&str>| {
        serde_json::json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "version": "2.0.0",
            "timestamp": "2026-01-01T00:00:00Z"})
    };
    let mut records = [
        base("user", "a", None),
        base("assistant", "b", Some("a")),
        base("user", "c", Some("b")),
        base("assistant", "d", Some("c")),
    ];
    records[0]["message"] = serde_json::json!({"role": "user", "content": "Go."});
    records[1]["message"] = serde_json::json!({"id": "m1", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "cat log"}}]});
    records[2]["message"] = serde_json::json!({"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": cut}]});
    records[2]["toolUseResult"] = serde_json::json!({"stdout": whole, "stderr": ""});
    records[3]["message"] = serde_json::json!({"id": "m2", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "I see."}]});
    let log: String = records.iter().map(|record| format!("{record}\n")).collect();
    home.file("s.jsonl", log.clone());
    let result = |originals: &str| {
        let setting = format!("replay.originals={originals}");
        let options = ["show", "s.jsonl", "--step", "2", "--policy", "none", "--set", &setting];
        let shown = json(&home, &[&options[..], &["--json"]].concat());
        let rows = shown["entries"].as_array().unwrap();
        let marked = home.run(&options).good().lines().filter(|line| line.contains("original ")).count();
        (rows.iter().find(|row| row["layer"] == "tool_results").unwrap().clone(), marked)
    };
    let (sent, marked) = result("false");
    assert_eq!((sent.get("original"), marked), (None, 0), "{sent}");
    let (admitted, marked) = result("true");
    assert_eq!((&admitted["original"], marked), (&serde_json::json!(true), 1), "{admitted}");
    let place = &admitted["provenance"][0];
    assert!(place.get("part").is_none_or(serde_json::Value::is_null), "{place}");
    let from = log.find("\"stdout\":\"").unwrap() as u64 + 10;
    assert_eq!(place["bytes"][0].as_u64(), Some(from), "{place}");
}

#[test]
fn a_price_of_ones_own_leaves_the_others_to_the_table_for_large_contexts_too() {
    let home = Home::new();
    let ask = |number: u64, text: &str| {
        let usage = serde_json::json!({"input_tokens": 240_000, "output_tokens": 10});
        serde_json::json!({"request": {"model": "claude-sonnet-4-5", "max_tokens": 100,
            "messages": [{"role": "user", "content": text}]},
            "response": {"id": format!("msg_{number}"), "type": "message", "role": "assistant",
                "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "ok"}], "usage": usage}})
    };
    home.file("big.jsonl", ask(1, "Read it.").to_string());
    let cost = |setting: &[&str]| {
        let options = ["run", "big.jsonl", "--json", "--policy", "none", "--window", "1000000"];
        let step = lines(&home, &[&options[..], setting].concat()).into_iter().find(|line| line["type"] == "step");
        step.unwrap()["cost_usd"].to_string()
    };
    let table = cost(&[]);
    assert_ne!(table, "null");
    // The table's own price above 200,000 tokens.
    assert_eq!(cost(&["--set", "cache.price_output=22.5"]), table);
    assert_ne!(cost(&["--set", "cache.price_write=3"]), table);
}

#[cfg(unix)]
#[test]
fn a_policy_is_read_from_a_pipe_once() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let policy = b"preset = \"codex\"\n[summarise]\nat = \"50%\"\n";
    let piped = home.with_input(&["run", &session, "--json", "--policy", "-"], policy).good();
    home.file("policy.toml", policy);
    let device = home.with_input(&["run", &session, "--json", "--policy", "/dev/stdin"], policy).good();
    let read = home.run(&["run", &session, "--json", "--policy", "policy.toml"]).good();
    // Only the policy's name is another.
    let steps = |text: &str| text.lines().filter(|line| !line.contains("\"type\":\"end\"")).count();
    let events =
        |text: &str| text.lines().filter(|line| line.contains("summarise")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((steps(&piped), events(&piped)), (steps(&read), events(&read)));
    assert_eq!((steps(&device), events(&device)), (steps(&read), events(&read)));
}

#[test]
fn what_the_user_compacted_is_in_every_part_of_a_comparison_with_what_was_recorded() {
    let home = Home::new();
    let mut lines = Vec::new();
    let mut last = serde_json::Value::Null;
    let mut add = |id: String, mut line: serde_json::Value| {
        line["uuid"] = id.clone().into();
        line["parentUuid"] = std::mem::replace(&mut last, id.into());
        (line["sessionId"], line["version"]) = ("s".into(), "2.1.40".into());
        (line["timestamp"], line["cwd"]) = ("2026-02-01T10:00:00.000Z".into(), "/p".into());
        lines.push(line.to_string());
    };
    for number in 0..6 {
        if number == 4 {
            let boundary = serde_json::json!({"type": "system", "subtype": "compact_boundary", "content": "compacted",
                "compactMetadata": {"trigger": "manual", "preTokens": 9_000}});
            add("b".to_owned(), boundary);
            let summary = serde_json::json!({"type": "user", "isCompactSummary": true,
                "message": {"role": "user", "content": "This session goes on: the port stays 8443."}});
            add("c".to_owned(), summary);
        }
        let asked = format!("Part {number}: {}", "what is asked at length. ".repeat(200));
        let asked = serde_json::json!({"type": "user", "message": {"role": "user", "content": asked}});
        add(format!("u{number}"), asked);
        let answer = serde_json::json!({"type": "assistant", "requestId": format!("r{number}"), "message": {
            "id": format!("m{number}"), "role": "assistant", "model": "claude-sonnet-4-5", "type": "message",
            "content": [{"type": "text", "text": "Yes, it is done."}],
            "usage": {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 0,
                "cache_creation_input_tokens": 2_000 * (number % 4 + 1)}}});
        add(format!("a{number}"), answer);
    }
    let path = home.file("s.jsonl", lines.join("\n"));
    let told = json(&home, &["compare", path.to_str().unwrap(), "--recorded", "--policy", "claude-code", "--json"]);
    let rows = told["distances"][0]["compactions"].as_array().unwrap();
    let replayed: Vec<u64> = rows.iter().filter_map(|row| row["replayed_step"].as_u64()).collect();
    assert_eq!(replayed, [5], "{rows:?}");
    assert_eq!(told["sides"][1]["totals"]["compactions"], 1, "{}", told["sides"]);
    assert!(told["steps"][4]["stages"][1].as_array().unwrap().iter().any(|stage| stage == "summarise"));
}
