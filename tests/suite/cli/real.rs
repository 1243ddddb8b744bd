//! The headless commands over real recordings: parts add up, output repeats itself, prompts are valid.

use std::path::Path;

use serde_json::Value;

use super::runner::Home;
use crate::data;
use crate::export::{check_anthropic, check_openai, manifest};

const FORMATS: &[&str] =
    &["claude_code", "claude_stream_json", "codex", "openai_chat", "openai_responses", "anthropic_messages"];

fn each(check: impl Fn(&Home, &Path)) {
    if data::folder().is_none() {
        return;
    }
    let home = Home::with_cache();
    for format in FORMATS {
        for path in data::transcripts(format) {
            check(&home, &path);
        }
    }
}

/// First, middle and last step; none where there is no request.
fn steps(home: &Home, path: &Path) -> Vec<u64> {
    let run = home.run(&["run", path.to_str().unwrap(), "--json", "-q"]);
    if run.code == 3 && run.err.contains("no request") {
        return Vec::new();
    }
    let run = run.good();
    let end: Value = serde_json::from_str(run.lines().last().unwrap()).unwrap();
    let last = end["steps"].as_u64().unwrap();
    let mut steps = vec![1, last.div_ceil(2), last];
    steps.dedup();
    steps
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| panic!("{name} in {value}"))
}

#[test]
fn run_adds_up_at_every_step_and_repeats_itself() {
    each(|home, path| {
        let path = path.to_str().unwrap();
        let first = home.run(&["run", path, "--json"]);
        assert!(first.code == 0 || first.err.contains("no request"), "{path}: {}", first.err);
        let again = home.run(&["run", path, "--json"]);
        assert!(first.out == again.out && first.err == again.err, "{path}: two runs differ");
        for line in first.out.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            if row["type"] != "step" {
                continue;
            }
            let layers = row["layers"].as_object().unwrap();
            let sum: u64 = layers.values().map(|tokens| tokens.as_u64().unwrap()).sum();
            assert_eq!(sum, number(&row, "window_tokens") + number(&row, "over"), "{path}: {row}");
            let unlogged = layers["unlogged"].as_u64().unwrap();
            assert_eq!(number(&row, "counted") + unlogged, number(&row, "used"), "{path}");
            if let Some(reported) = row["reported"].as_u64() {
                assert_eq!(number(&row, "used") - number(&row, "excess"), reported, "{path}: {row}");
            }
        }
    });
}

#[test]
fn show_adds_up_and_says_what_run_says() {
    each(|home, path| {
        let name = path.to_str().unwrap();
        let run = home.run(&["run", name, "--json", "-q"]).out;
        for step in steps(home, path) {
            let arguments = ["show", name, "--json", "--text", "--step", &step.to_string()];
            let text = home.run(&arguments).good();
            assert_eq!(text, home.run(&arguments).good(), "{name}: two runs differ");
            let shown: Value = serde_json::from_str(&text).unwrap();
            let layers = shown["layers"].as_array().unwrap();
            let sum: u64 = layers.iter().map(|layer| number(layer, "tokens")).sum();
            assert_eq!(sum, number(&shown, "window_tokens") + number(&shown, "over_tokens"), "{name}");
            let entries = shown["entries"].as_array().unwrap();
            let counted: u64 = entries.iter().map(|entry| number(entry, "tokens")).sum();
            assert_eq!(counted, number(&shown, "counted_tokens"), "{name}");
            for layer in layers {
                let of = |entry: &&Value| entry["layer"] == layer["layer"];
                assert_eq!(entries.iter().filter(of).count() as u64, number(layer, "entries"), "{name}: {layer}");
            }
            let unlogged =
                layers.iter().find(|layer| layer["layer"] == "unlogged").map(|layer| number(layer, "tokens"));
            if let Some(reported) = shown["reported_tokens"].as_u64() {
                let sum = counted + unlogged.unwrap() - number(&shown, "excess_tokens");
                assert_eq!(sum, reported, "{name}");
            }
            let row = run.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let row = row.into_iter().find(|row| row["type"] == "step" && row["step"] == step).unwrap();
            assert_eq!(row["counted"], shown["counted_tokens"], "{name}: step {step}");
            assert_eq!(row["layers"]["unlogged"].as_u64(), unlogged, "{name}: step {step}");
            places(name, entries);
        }
    });
}

/// Each entry's provenance lies within its file.
fn places(name: &str, entries: &[Value]) {
    for entry in entries {
        for place in entry["provenance"].as_array().unwrap() {
            let size = std::fs::metadata(place["source"].as_str().unwrap()).unwrap().len();
            let (from, to) = (place["bytes"][0].as_u64().unwrap(), place["bytes"][1].as_u64().unwrap());
            assert!(from <= to && to <= size, "{name}: {entry}");
        }
    }
}

#[test]
fn prompts_are_valid_and_every_byte_has_an_origin() {
    each(|home, path| {
        let name = path.to_str().unwrap();
        for step in steps(home, path) {
            for form in ["markdown", "text", "anthropic", "openai", "json"] {
                let step = step.to_string();
                let arguments =
                    ["pack", name, "--step", &step, "--as", form, "-o", "out", "--manifest", "origin", "--force"];
                home.run(&arguments).good();
                let out = std::fs::read_to_string(home.path().join("out")).unwrap();
                let origin = std::fs::read_to_string(home.path().join("origin")).unwrap();
                let sources: Value = serde_json::from_str::<Value>(&origin).unwrap()["sources"].clone();
                let bytes: Vec<Vec<u8>> = sources
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|source| data::bytes(Path::new(source["name"].as_str().unwrap())))
                    .collect();
                manifest::check(&origin, &out, |source, from, to| bytes[source][from..to].to_vec());
                match form {
                    "anthropic" => check_anthropic(&out),
                    "openai" => check_openai(&out),
                    "json" => drop(serde_json::from_str::<windowpane::export::Pack>(&out).unwrap()),
                    _ => assert!(!out.is_empty()),
                }
            }
        }
    });
}

/// Between figures that lose it, and by what the agent cut as it was before: neither is near anything that the fact's own
/// events measured.
#[test]
fn what_if_finds_values_between_figures_and_what_only_moves_a_compaction() {
    let Some(folder) = data::folder() else { return };
    let path = folder.join("transcripts/claude_code/entire-ent109-2compact-2micro.jsonl");
    let home = Home::with_cache();
    for (step, key) in [("150", "microcompact.keep"), ("168", "replay.originals")] {
        let arguments = ["whatif", path.to_str().unwrap(), "PRRC_kwDOQyo98M6jR11v", "--step", step, "--json", "-q"];
        let found: Value = serde_json::from_str(&home.run(&arguments).good()).unwrap();
        let answers = found["facts"][0]["answers"].as_array().unwrap();
        let change = answers.iter().filter_map(|answer| answer["changes"].as_array()).filter(|all| all.len() == 1);
        let change = change.flatten().find(|change| change["key"] == key);
        let change = change.unwrap_or_else(|| panic!("{key} is not among {answers:#?}"));
        // It is there under that value.
        let value = change["to"].as_str().unwrap();
        let set = format!("{key}={}", value.trim_matches('"'));
        let traced = ["trace", arguments[1], arguments[2], "--policy", "claude-code", "--set", &set, "--step", step];
        let traced = home.run(&[&traced[..], &["--check", "-q"]].concat());
        assert_eq!(traced.code, 0, "{set}: {}", traced.out);
    }
}
