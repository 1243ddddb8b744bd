//! What the program is given: folders, files among which one is bad, settings that name nothing, files that are read.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::chunks::png;
use super::runner::{Home, fixture, placed};

/// Writes a file as one that was last written so many seconds after others.
fn later(home: &Home, name: &str, text: &[u8], seconds: u64) {
    let path = home.file(name, text);
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

#[test]
fn a_folder_opens_its_newest_session_whatever_lies_beside_it() {
    let home = Home::new();
    let session = std::fs::read(fixture("claude-code.jsonl")).unwrap();
    let codex = std::fs::read(fixture("codex.jsonl")).unwrap();
    later(&home, "f/old.jsonl", &codex, 1);
    later(&home, "f/sessions/new.jsonl", &session, 2);
    later(&home, "f/empty.jsonl", b"", 3);
    later(&home, "f/history.jsonl", br#"{"session_id":"x","ts":1,"text":"a prompt"}"#, 4);
    later(&home, "f/notes.json", br#"{"a": 1}"#, 5);
    let shown = |arguments: &[&str]| serde_json::from_str::<Value>(&home.run(arguments).good()).unwrap();
    assert!(shown(&["show", "f", "--json"])["transcript"]["path"].as_str().unwrap().ends_with("new.jsonl"));
    let named = shown(&["show", "f", "--format-in", "codex", "--json"]);
    assert!(named["transcript"]["path"].as_str().unwrap().ends_with("old.jsonl"));
    later(&home, "g/notes.json", br#"{"a": 1}"#, 5);
    let none = home.run(&["show", "g"]);
    assert!(none.code == 3 && none.err.contains("not a transcript"), "{}", none.err);
}

#[test]
fn count_tells_of_the_good_files_and_of_the_bad() {
    let home = Home::new();
    home.file("good.txt", "one two three");
    let done = home.run(&["count", "nope.txt", "good.txt", "--json"]);
    let value: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((done.code, value["files"].as_array().unwrap().len(), value["tokens"].as_u64()), (3, 1, Some(3)));
    assert!(done.err.contains("cannot read nope.txt"), "{}", done.err);
    let counted = |model: &str| {
        let done = home.run(&["count", "good.txt", "--model", model, "--json"]).good();
        let value: Value = serde_json::from_str(&done).unwrap();
        (value["encoding"].as_str().unwrap().to_owned(), value["exact"].as_bool().unwrap())
    };
    assert_eq!(counted("gpt-4.5-preview"), ("o200k_base".to_owned(), true));
    assert_eq!(counted("text-embedding-3-small"), ("cl100k_base".to_owned(), true));
    assert_eq!(counted("text-davinci-003"), ("p50k_base".to_owned(), true));
}

#[test]
fn pack_writes_over_nothing_that_it_reads() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("system.txt", "You are an agent.");
    home.file("policy.toml", "preset = \"none\"");
    let before = std::fs::read(home.path().join(&session)).unwrap();
    for target in [&*session, "./claude-code.jsonl", "system.txt", "policy.toml"] {
        let given = ["--system", "system.txt", "--policy", "policy.toml", "--force"];
        let done = home.run(&[&["pack", &session, "-o", target][..], &given].concat());
        assert!(done.code == 2 && done.err.contains("is read to make the prompt"), "{target}: {}", done.err);
    }
    assert_eq!(std::fs::read(home.path().join(&session)).unwrap(), before);
    home.file("out.md", "");
    home.run(&["pack", &session, "-o", "out.md", "--force"]).good();
}

#[test]
fn a_file_keeps_its_name_in_a_packed_prompt() {
    let home = Home::new();
    let file =
        r#"{"type": "input_file", "filename": "report.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}"#;
    let body = format!(r#"{{"model": "gpt-5", "input": [{{"role": "user", "content": [{file}]}}]}}"#);
    home.file("request.json", body);
    let packed = home.run(&["pack", "request.json", "--as", "openai"]).good();
    assert!(packed.contains(r#""filename":"report.pdf""#), "{packed}");
}

#[test]
fn settings_that_name_nothing_are_told_with_file_and_line() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("theme.toml", "mouse = true\ntheme = \"nosuch\"\n");
    let done = home.run(&["config", "--config", "theme.toml"]);
    assert!(done.code == 2 && done.err.contains("theme.toml: line 2: theme: there is no theme"), "{}", done.err);
    // What draws nothing needs no theme.
    home.run(&["show", &session, "--json", "--config", "theme.toml"]).good();
    home.file("encoding.toml", "\nencoding = \"o201k_base\"\n");
    for command in [&["config"][..], &["show", &session]] {
        let done = home.run(&[command, &["--config", "encoding.toml"]].concat());
        let told = "encoding.toml: line 2: encoding: there is no encoding \"o201k_base\"; did you mean \"o200k_base\"?";
        assert!(done.code == 2 && done.err.contains(told), "{}", done.err);
    }
    home.file("models.toml", "models = \"none.toml\"\n");
    let done = home.run(&["config", "--config", "models.toml"]);
    assert!(done.code == 2 && done.err.contains("models.toml: line 1: models: cannot read"), "{}", done.err);
    let named = ["show", &session, "--policy", "internal-agent", "--set", "skills.required=nope"];
    let done = home.run(&named);
    let told = done.out.clone() + &done.err;
    assert!(told.contains("skills.required names \"nope\""), "{told}");
}

#[test]
fn keys_are_listed_as_they_are_in_force() {
    let home = Home::new();
    home.file("keys.toml", "help = [\"q\"]\n");
    home.file("config.toml", "keys = \"keys.toml\"\n");
    let keys = home.run(&["keys", "--config", "config.toml"]).good();
    let line = |name: &str| keys.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(
        line(" quit ").starts_with("ctrl-c, q (question, trace, findings)") || line(" quit ").starts_with("Ctrl"),
        "{keys}"
    );
    let all: Value = serde_json::from_str(&home.run(&["keys", "--config", "config.toml", "--json"]).good()).unwrap();
    let quit = all["actions"].as_array().unwrap().iter().find(|row| row["action"] == "quit").unwrap();
    assert_eq!(quit["keys"].as_array().unwrap().len(), 1);
    assert_eq!(quit["keys_in_places"][0]["key"], "q");
}

#[test]
fn requests_that_are_served_later_cost_half() {
    let home = Home::new();
    let cost = |body: &str, answer: &str| {
        home.file("request.json", format!(r#"{{"request": {body}, "response": {answer}}}"#));
        let run = home.run(&["run", "request.json", "--json"]).good();
        let step: Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
        step["cost_usd"].as_f64()
    };
    let anthropic = |tier: &str| {
        let usage = format!(r#"{{"input_tokens": 100000, "output_tokens": 1000, "service_tier": "{tier}"}}"#);
        cost(
            r#"{"model": "claude-sonnet-4-5", "max_tokens": 5, "messages": [{"role": "user", "content": "q"}]}"#,
            &format!(
                r#"{{"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [{{"type": "text", "text": "a"}}], "stop_reason": "end_turn", "usage": {usage}}}"#
            ),
        )
    };
    let openai = |tier: &str| {
        cost(
            r#"{"model": "gpt-5", "input": "q"}"#,
            &format!(
                r#"{{"id": "r", "object": "response", "model": "gpt-5", "status": "completed", "service_tier": "{tier}", "output": [{{"type": "message", "role": "assistant", "content": [{{"type": "output_text", "text": "x"}}]}}], "usage": {{"input_tokens": 100000, "output_tokens": 1000, "total_tokens": 101000}}}}"#
            ),
        )
    };
    let near = |one: Option<f64>, other: f64| one.is_some_and(|one| (one - other).abs() < 1e-9);
    assert!(near(anthropic("standard"), 0.315) && near(anthropic("batch"), 0.1575), "{:?}", anthropic("batch"));
    assert_eq!(anthropic("priority"), None);
    assert!(near(openai("default"), 0.135) && near(openai("flex"), 0.0675), "{:?}", openai("flex"));
    assert!(near(openai("priority"), 0.27), "{:?}", openai("priority"));
    assert_eq!(openai("somehow"), None);
}

#[test]
fn a_picture_is_loaded_as_the_picture_that_it_is() {
    let home = Home::new();
    let session = placed(&home, "chat.request.json");
    std::fs::write(home.path().join("p.png"), png(512, 512)).unwrap();
    let common = ["--policy", "internal-agent", "--model", "gpt-4o", "-f", "p.png", "--json"];
    let of = |arguments: &[&str]| {
        let done = home.run(&[&["tool", &session], arguments, &common].concat());
        serde_json::from_str::<Value>(&done.out).unwrap_or_else(|_| panic!("{}", done.err))
    };
    let listed = of(&[]);
    let id = listed["files"][0]["id"].as_str().unwrap();
    assert_eq!(listed["files"][0]["shown"], 255, "{listed}");
    let loaded = of(&["load_file", id]);
    assert_eq!(loaded["answer"]["sent_tokens"], 255, "{loaded}");
    assert_eq!((&loaded["answer"]["picture"], &loaded["answer"]["error"]), (&Value::Bool(true), &Value::Bool(false)));
    assert!(of(&["file_read", id])["answer"]["text"].as_str().unwrap().contains("load_file loads it"));
}

#[test]
fn parts_that_were_read_of_a_file_are_told_of_the_text_that_they_are_of() {
    let home = Home::new();
    let session = placed(&home, "chat.request.json");
    let rows: String = (0..200).map(|row| format!("{row},name {row},{}\n", row * 7)).collect();
    home.file("t.csv", format!("id,name,amount\n{rows}"));
    home.file("t.txt", "plain words of a text\n".repeat(200));
    let common = ["--policy", "internal-agent", "--set", "files.preload_kb=1", "-f", "t.csv", "-f", "t.txt"];
    let shown = home.run(&[&["pack", &session, "--step", "1"][..], &common].concat()).good();
    let listed = shown.lines().find(|line| line.contains("t.csv.md") && line.contains("end_byte")).expect("the list");
    let id = listed.split("id='").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
    let end = listed.split("end_byte=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(id.ends_with("_text"), "{listed}");
    let range = format!("bytes=0-{end}");
    let read = home.run(&[&["tool", &session, "file_read", id, &range, "--json", "--step", "1"][..], &common].concat());
    let read: Value = serde_json::from_str(&read.good()).unwrap();
    let text = read["answer"]["text"].as_str().unwrap();
    assert!(text.contains("| id | name | amount |") && shown.contains(text.trim()), "{text}");
}

#[test]
fn a_given_prompt_is_marked_for_a_cache_where_it_stays_the_same() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("system.txt", "Always.\n__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__\nToday.");
    let packed = home.run(&["pack", &session, "--system", "system.txt", "--as", "anthropic"]).good();
    let packed: Value = serde_json::from_str(&packed).unwrap();
    let system = packed["system"].as_array().unwrap();
    let said: Vec<(&str, bool)> = system
        .iter()
        .map(|part| (part["text"].as_str().unwrap().trim(), part.get("cache_control").is_some()))
        .collect();
    assert_eq!(said, [("Always.", true), ("Today.", false)]);
}

#[test]
fn what_the_transcript_holds_is_not_given_again() {
    let home = Home::new();
    let tool = r#"{"name": "read", "input_schema": {"type": "object"}}"#;
    let said = r#""messages": [{"role": "user", "content": "hi"}]"#;
    home.file(
        "r.json",
        format!(r#"{{"model": "claude-x", "max_tokens": 9, "system": "s", "tools": [{tool}], {said}}}"#),
    );
    home.file("bare.json", format!(r#"{{"model": "claude-x", "max_tokens": 9, {said}}}"#));
    home.file("system.txt", "You are an agent.");
    home.file("tools.json", r#"[{"name": "find"}]"#);
    let shown = |file: &str, given: &[&str]| {
        let done = home.run(&[&["show", file, "--json"], given].concat()).good();
        let value: Value = serde_json::from_str(&done).unwrap();
        (value["counted_tokens"].as_u64().unwrap(), value["transcript"]["warnings"].to_string())
    };
    let given = ["--system", "system.txt", "--tools", "tools.json"];
    let (alone, again) = (shown("r.json", &[]), shown("r.json", &given));
    assert_eq!(alone.0, again.0);
    assert!(
        again.1.contains("--system system.txt is not used") && again.1.contains("--tools tools.json"),
        "{}",
        again.1
    );
    assert!(shown("bare.json", &given).0 > shown("bare.json", &[]).0);
}

#[test]
fn a_system_prompt_that_is_given_stands_at_the_start() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("system.txt", "You are Bot. The deploy key is SYS-99-ALPHA.\nAlways answer.");
    home.file("tools.json", r#"[{"name": "find", "description": "Finds ZAP-7 things."}]"#);
    let start = |fact: &str, given: &[&str]| {
        let done = home.run(&[&["trace", &session, fact, "--json"], given].concat()).good();
        let told: Value = serde_json::from_str(&done).unwrap();
        told["facts"][0]["position"]["from_start"].as_u64().unwrap()
    };
    let system = ["--system", "system.txt"];
    assert!(start("SYS-99-ALPHA", &system) < 20);
    // Of what is sent and not recorded all may be tools; where those are given too, it is neither.
    let both = [&system[..], &["--tools", "tools.json"]].concat();
    assert!(start("SYS-99-ALPHA", &both) < 60 && start("ZAP-7", &both) < 60);
}

#[test]
fn what_stands_beside_the_conversation_is_told() {
    let home = Home::new();
    let line = |text: &str| {
        format!(r#"{{"messages": [{{"role": "system", "content": "s"}}, {{"role": "user", "content": "{text}"}}]}}"#)
    };
    home.file("two.jsonl", [line("the first of them"), line("another one altogether")].join("\n"));
    for command in ["show", "run"] {
        let told = home.run(&[command, "two.jsonl"]).good();
        assert!(told.contains("beside it: 1 other conversation (--thread 1)"), "{told}");
        let told = home.run(&[command, "two.jsonl", "--thread", "1"]).good();
        assert!(told.contains("beside it: the session itself (--thread 0)"), "{told}");
    }
}

#[test]
fn run_and_show_say_the_same_of_a_request_that_was_sampled_twice() {
    let home = Home::new();
    let sampling =
        |read: u32| format!(r#"{{"type": "message", "input_tokens": 2, "cache_read_input_tokens": {read}}}"#);
    let usage = format!(
        r#"{{"input_tokens": 4, "cache_read_input_tokens": 2000, "output_tokens": 5, "iterations": [{}, {}]}}"#,
        sampling(990),
        sampling(1010)
    );
    let answer = format!(
        r#"{{"type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn", "content": [{{"type": "text", "text": "a"}}], "usage": {usage}}}"#
    );
    let request =
        r#"{"model": "claude-x", "max_tokens": 9, "system": "s", "messages": [{"role": "user", "content": "q"}]}"#;
    home.file("log.jsonl", format!(r#"{{"request": {request}, "response": {answer}}}"#));
    let run = home.run(&["run", "log.jsonl", "--json"]).good();
    let step: Value = serde_json::from_str(run.lines().next().unwrap()).unwrap();
    let show: Value = serde_json::from_str(&home.run(&["show", "log.jsonl", "--json"]).good()).unwrap();
    assert_eq!((&step["cache_read"], &show["usage"]["cache_read"]), (&Value::from(2000), &Value::from(2000)));
    assert_eq!((&step["reported"], &step["context_read"]), (&Value::from(992), &Value::from(990)));
    // What is read of the window is told alike wherever it is told.
    let compared: Value = serde_json::from_str(&home.run(&["compare", "log.jsonl", "--json"]).good()).unwrap();
    let read = (&compared["steps"][0]["cache_read"][0], &compared["sides"][0]["totals"]["cache_read"]);
    assert_eq!(read, (&Value::from(990), &Value::from(990)));
    assert!(home.run(&["run", "log.jsonl"]).good().contains(" 990 "));
}

#[test]
fn packed_files_are_counted_unpacked() {
    use std::io::Write;
    let home = Home::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(b"one two three").unwrap();
    let packed = packed.finish().unwrap();
    home.file("words.gz", &packed);
    home.file("cut.gz", &packed[..packed.len() / 2]);
    let value: Value = serde_json::from_str(&home.run(&["count", "words.gz", "--json"]).good()).unwrap();
    assert_eq!((&value["tokens"], &value["files"][0]["bytes"]), (&Value::from(3), &Value::from(13)));
    let cut = home.run(&["count", "cut.gz"]);
    assert!(cut.code == 3 && cut.err.contains("breaks off"), "{}", cut.err);
    home.file("nothing.gz", &packed[..6]);
    let cut = home.run(&["show", "nothing.gz"]);
    assert!(cut.code == 3 && cut.err.contains("breaks off"), "{}", cut.err);
}

#[test]
fn a_folder_is_loaded_as_its_agent_does_and_a_policy_that_loads_none_says_so() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("work/.git/HEAD", "");
    for (name, text) in [("CLAUDE.md", "Test."), ("AGENTS.md", "Never push."), ("GEMINI.md", "Be brief.")] {
        home.file(&format!("work/{name}"), text);
    }
    home.file("work/packages/CLAUDE.md", "Not touched.");
    home.file(".codex/AGENTS.md", "Ask first.");
    let loaded = |policy: &str, folder: &str| {
        let options = ["show", &session, "--json", "--text", "--step", "1", "--folder", folder, "--policy", policy];
        let done = home.run(&options);
        assert_eq!(done.code, 0, "{}", done.err);
        let shown: serde_json::Value = serde_json::from_str(&done.out).unwrap();
        let entries = shown["entries"].as_array().unwrap().iter().filter(|entry| entry["layer"] == "instructions");
        let texts: Vec<String> = entries.map(|entry| entry["text"].as_str().unwrap().to_owned()).collect();
        (texts, shown["transcript"]["warnings"].to_string())
    };
    for (policy, expected) in [
        ("claude-code", &["Test."][..]),
        ("codex", &["Ask first.", "Never push."]),
        ("opencode", &["Never push."]),
        ("gemini-cli", &["Be brief."]),
        ("five-layer", &["Test.", "Never push."]),
    ] {
        let (texts, said) = loaded(policy, "work");
        assert_eq!(texts, expected, "{policy}");
        assert!(!said.contains("instructions."), "{policy}: {said}");
    }
    let (texts, said) = loaded("openhands", "work");
    assert!(
        texts.is_empty() && said.contains("openhands loads no instruction files (instructions.on = false)"),
        "{said}"
    );
    let wherever = |folder: &str| {
        let set = format!("instructions.user_folder={folder}");
        let options =
            ["show", &session, "--json", "--step", "1", "--folder", "work", "--policy", "codex", "--set", &set];
        home.run(&options).good().matches(r#""layer":"instructions","role""#).count()
    };
    assert_eq!([".codex", "work/../.codex", "/"].map(wherever), [2, 1, 1], "the user's folder lies in their home");
    home.file("empty/.git/HEAD", "");
    let (texts, said) = loaded("gemini-cli", "empty");
    assert!(texts.is_empty() && said.contains("(GEMINI.md; instructions.names)"), "{said}");
}

#[test]
fn a_skill_that_lacks_what_it_is_chosen_by_is_told() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("skills/good/SKILL.md", "---\nname: good\ndescription: When it rains.\n---\nTake a coat.\n");
    home.file("skills/second/SKILL.md", "---\nname: good\ndescription: When it snows.\n---\nTake a coat.\n");
    home.file("skills/mute/SKILL.md", "---\nname: mute\n---\nTake a coat.\n");
    home.file("skills/open/SKILL.md", "---\nname: open\ndescription: When it rains.\nTake a coat.\n");
    let done = home.run(&["show", &session, "--policy", "codex", "--step", "1", "--skills", "skills"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let said = |words: &str| done.err.lines().filter(|line| line.contains(words)).count();
    assert_eq!(said("mute/SKILL.md: it has no description in its front matter"), 1, "{}", done.err);
    assert_eq!((said("open/SKILL.md: its front matter has no end"), said("good/SKILL.md")), (1, 0), "{}", done.err);
    assert_eq!(said("second/SKILL.md: another skill has its name"), 1, "{}", done.err);
}

#[test]
fn what_is_too_large_to_be_loaded_is_told_as_that() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let large = "x".repeat((1 << 20) + 1);
    home.file("work/.git/HEAD", "");
    for name in ["work/AGENTS.md", "skills/pdf/SKILL.md", "memory/MEMORY.md", "memory/long.md"] {
        home.file(name, &large);
    }
    home.file("memory/index.md", "- [long](long.md)\n");
    let run = |arguments: &[&str]| {
        let done = home.run(&[&arguments[..1], &[&session, "--policy", "codex"], &arguments[1..]].concat());
        (done.code, done.err)
    };
    let (code, said) = run(&["show", "--step", "1", "--folder", "work", "--skills", "skills"]);
    assert_eq!(code, 0, "{said}");
    for file in ["AGENTS.md", "SKILL.md"] {
        assert!(said.contains(&format!("{file} is not loaded: it is larger than 1 MiB")), "{said}");
    }
    assert!(!said.contains("was found"), "{said}");
    let (code, said) = run(&["show", "--step", "1", "--memory-index", "memory/MEMORY.md"]);
    assert!(code != 0 && said.contains("cannot load memory/MEMORY.md: it is larger than 1 MiB"), "{said}");
    let (code, said) = run(&["tool", "--memory-index", "memory/index.md"]);
    assert!(code == 0 && said.contains("long.md is not loaded: it is larger than 1 MiB"), "{said}");
}

#[test]
fn the_texts_of_a_memory_are_read_by_tools_beside_its_index() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("memory/MEMORY.md", "- [debugging](debugging.md)\n- the second line\n");
    home.file("memory/debugging.md", "Set RUST_LOG=trace.\n");
    home.file("secret.md", "outside");
    let tool = |arguments: &[&str]| {
        let options = ["tool", &session, "--policy", "five-layer", "--memory-index", "memory/MEMORY.md"];
        home.run(&[&options[..], &["--set", "memory.index_lines=1"], arguments].concat())
    };
    for id in ["debugging.md", "./debugging.md", "memory/debugging.md"] {
        assert!(tool(&["file_read", id]).good().starts_with("Set RUST_LOG=trace.\n"), "{id}");
    }
    assert!(tool(&["file_read", "MEMORY.md", "lines=2-"]).good().starts_with("- the second line\n"));
    let listed = tool(&[]).good();
    assert!(["debugging.md", "MEMORY.md"].iter().all(|id| listed.contains(&format!("\n{id} "))), "{listed}");
    for id in ["../secret.md", "memory/../secret.md", "secret.md", "/etc/passwd"] {
        let refused = tool(&["file_read", id]);
        assert!(refused.code == 1 && refused.out.contains("There is no file"), "{id}: {}", refused.out);
    }
}
