//! Each command over small sessions: tables and JSON as reviewed, schemas that the output fits.

use serde_json::Value;

use super::runner::{Home, placed};
use super::schema::faults;

const SESSIONS: &[&str] = &["claude-code.jsonl", "codex.jsonl", "chat.request.json", "messages.request.json"];

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn tables_of_small_sessions() {
    let home = Home::new();
    for session in SESSIONS {
        let session = placed(&home, session);
        snapshot(&format!("show-{session}"), &home.run(&["show", &session]).good());
        snapshot(&format!("run-{session}"), &home.run(&["run", &session]).good());
    }
}

#[test]
fn json_of_small_sessions() {
    let home = Home::new();
    for session in SESSIONS {
        let session = placed(&home, session);
        let shown: Value = serde_json::from_str(&home.run(&["show", &session, "--json", "--text"]).good()).unwrap();
        snapshot(&format!("show-json-{session}"), &serde_json::to_string_pretty(&shown).unwrap());
        snapshot(&format!("run-json-{session}"), &home.run(&["run", &session, "--json"]).good());
    }
}

#[test]
fn prompts_of_small_sessions() {
    let home = Home::new();
    for session in SESSIONS {
        let session = placed(&home, session);
        for form in ["markdown", "anthropic", "openai"] {
            let done = home.run(&["pack", &session, "--as", form, "--step", "2"]);
            // A bare request has one step.
            let done = if done.code == 2 { home.run(&["pack", &session, "--as", form]) } else { done };
            let notes = done.err.clone();
            snapshot(&format!("pack-{form}-{session}"), &format!("{}\n{notes}", done.good()));
        }
    }
}

#[test]
fn keys_config_and_count() {
    let home = Home::new();
    let config = home.file("mine.toml", "mouse = false\nwindow = 100000\n");
    let config = config.to_str().unwrap();
    let keys = home.run(&["keys"]).good();
    let lines =
        |text: &str, words: &[&str]| text.lines().any(|line| line.split_whitespace().take(3).eq(words.to_vec()));
    for info in windowpane::config::ACTIONS {
        assert!(keys.contains(info.name) && keys.contains(info.meaning), "{}", info.name);
    }
    let settings = home.run(&["config", "--config", config, "--model", "gpt-5"]).good();
    for row in [["mouse", "false", "file"], ["window", "100000", "file"], ["model", "\"gpt-5\"", "argument"]] {
        assert!(lines(&settings, &row), "{row:?} in {settings}");
    }
    assert!(lines(&settings, &["calibrate", "\"auto\"", "default"]), "{settings}");
    home.file("notes.txt", "one two three\nfour\n");
    home.file("more.txt", "日本語\n");
    snapshot("count", &home.run(&["count", "notes.txt", "more.txt"]).good());
    let sample = home.run(&["config", "--default"]).good();
    home.file("sample.toml", sample);
    assert_eq!(home.run(&["config", "--config", "sample.toml"]).code, 0);
    let keys = home.run(&["keys", "--default"]).good();
    home.file(".config/windowpane/keys.toml", keys);
    assert_eq!(home.run(&["keys"]).code, 0);
}

#[test]
fn count_is_that_of_the_encoding_and_reads_standard_input() {
    let home = Home::new();
    let text = "fn main() { println!(\"hi\"); }\n".repeat(50);
    let count = |arguments: &[&str]| -> Value {
        serde_json::from_str(&home.with_input(arguments, text.as_bytes()).good()).unwrap()
    };
    use windowpane::tokens::{Encoding, count as exact};
    assert_eq!(count(&["count", "-", "--json"])["tokens"], exact(&text, Encoding::O200kBase));
    let old = count(&["count", "-", "--json", "--encoding", "cl100k_base"]);
    assert_eq!((&old["tokens"], &old["exact"]), (&exact(&text, Encoding::Cl100kBase).into(), &true.into()));
    let claude = count(&["--model", "claude-sonnet-4-5", "count", "-", "--json"]);
    assert_eq!(claude["exact"], false);
}

#[test]
fn sessions_are_found_where_agents_keep_them() {
    let home = Home::new();
    let session = std::fs::read(super::runner::fixture("claude-code.jsonl")).unwrap();
    home.file(".claude/projects/-srv-shop/5f0c9d3e-2b1a-4e77-9c11-7d4a6b8e0f21.jsonl", &session);
    let codex = std::fs::read(super::runner::fixture("codex.jsonl")).unwrap();
    home.file(".codex/sessions/2026/02/03/rollout-2026-02-03T14-05-00-019c0000.jsonl", codex);
    let list = |arguments: &[&str]| -> Vec<Value> {
        let all: Value = serde_json::from_str(&home.run(arguments).good()).unwrap();
        all["sessions"].as_array().unwrap().clone()
    };
    let all = list(&["sessions", "--json"]);
    assert_eq!(all.len(), 2);
    let shop = list(&["sessions", "--json", "invoices", "SHOP"]);
    assert_eq!((shop.len(), &shop[0]["compactions"]), (1, &1.into()));
    assert_eq!(shop[0]["project"], "/srv/shop");
    assert!(shop[0]["prompt"].as_str().unwrap().starts_with("Invoices over"));
    assert_eq!(list(&["sessions", "--json", "--limit", "1"]).len(), 1);
    assert!(list(&["sessions", "--json", "no such words"]).is_empty());
    assert!(home.run(&["sessions"]).good().contains("shop"));
    // Without a terminal and a file, the list is what there is to show; a folder opens its newest session.
    assert!(home.run::<&str>(&[]).good().contains("mapper"));
    assert!(home.run(&["show", ".claude"]).good().contains(".claude/projects"));
}

#[test]
fn every_output_fits_the_schema_that_is_printed() {
    let home = Home::new();
    home.file("notes.txt", "x");
    for session in SESSIONS {
        let session = placed(&home, session);
        let checks: [(&str, Vec<&str>); 6] = [
            ("show", vec!["show", &session, "--json", "--text"]),
            ("run", vec!["run", &session, "--json"]),
            ("count", vec!["count", "notes.txt", "--json"]),
            ("sessions", vec!["sessions", "--json"]),
            ("keys", vec!["keys", "--json"]),
            ("config", vec!["config", "--json"]),
        ];
        for (command, arguments) in checks {
            let schema: Value = serde_json::from_str(&home.run(&[command, "--schema"]).good()).unwrap();
            for line in home.run(&arguments).good().lines() {
                let value: Value = serde_json::from_str(line).unwrap();
                assert_eq!(value["schema"], format!("windowpane/{command}/1"));
                let wrong = faults(&schema, &value);
                assert!(wrong.is_empty(), "{command}: {}", wrong.join("; "));
            }
        }
        assert!(home.run(&["pack", "--schema"]).good().contains("\"ranges\""));
    }
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(home.run(&["completions", shell]).good().contains("sessions"), "{shell}");
    }
    let page = home.run(&["man"]).good();
    for command in ["show", "run", "pack", "count", "sessions", "keys", "config", "demo"] {
        assert!(page.contains(&format!("WINDOWPANE {}", command.to_uppercase())), "{command}");
    }
    assert!(
        page.contains(".SH POLICY SETTINGS\n") && page.contains("\\fBsummarise.at\\fR (size in tokens)\n"),
        "settings"
    );
}

/// Every setting has its type and all of its default and of what it may be, however long these are.
#[test]
fn policy_keys_cuts_nothing_off() {
    let home = Home::new();
    let told: Value = serde_json::from_str(&home.run(&["policy", "keys", "--json"]).good()).unwrap();
    // Wide enough for every column.
    let done = home.command().args(["policy", "keys"]).env("COLUMNS", "1000").output().unwrap();
    let printed = String::from_utf8(done.stdout).unwrap();
    let (head, rows) = printed.split_once('\n').unwrap();
    let column = |name: &str| head.find(name).unwrap();
    let columns = ["type", "default", "allowed", "follows"].map(column);
    // The rows of a setting, up to the next one's, with what stands in a column of them.
    let mut lines = rows.lines().peekable();
    for setting in told["settings"].as_array().unwrap() {
        let first = lines.next().unwrap();
        assert!(first.starts_with(setting["key"].as_str().unwrap()), "{first}");
        let mut own = vec![first];
        while let Some(more) = lines.next_if(|line| line.starts_with(' ')) {
            own.push(more);
        }
        let part = |from: usize, to: usize| -> String {
            let cells = own.iter().map(|line| line.chars().skip(from).take(to - from).collect::<String>());
            cells.collect::<String>().replace(' ', "")
        };
        let plain = |name: &str| setting[name].as_str().unwrap().replace(' ', "");
        assert_eq!(part(columns[0], columns[1]), plain("kind"));
        assert_eq!(part(columns[1], columns[2]), plain("default"));
        assert_eq!(part(columns[2], columns[3]), plain("allowed") + &plain("unit"));
    }
    assert_eq!(lines.next(), None);
}

/// Every object says what it is about: the transcript, the track, and the policy on the simulated one.
#[test]
fn what_is_asked_of_a_run_says_which_run_it_is() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let shown = |arguments: &[&str]| -> Value { serde_json::from_str(&home.run(arguments).good()).unwrap() };
    for policy in [None, Some("none")] {
        let under: &[&str] = policy.map_or(&[], |_| &["--policy", "none"]);
        let same = shown(&[&["show", &session, "--json"], under].concat());
        assert!(same["transcript"]["records"].as_u64().is_some_and(|records| records > 0), "{same}");
        let asked: &[&[&str]] = &[&["trace", &session, "x", "--json"], &["lint", &session, "--json"]];
        for arguments in asked.iter().copied() {
            let told = shown(&[arguments, under].concat());
            for field in ["transcript", "track", "policy", "thread"] {
                assert_eq!(told[field], same[field], "{arguments:?} {policy:?}: {field}");
            }
        }
        assert_eq!(same["policy"].as_str(), policy);
        if policy.is_some() {
            let told = shown(&[&["whatif", &session, "x", "--json"], under].concat());
            for field in ["transcript", "track", "policy", "thread"] {
                assert_eq!(told[field], same[field], "whatif: {field}");
            }
        }
    }
}
