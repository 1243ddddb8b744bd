//! Attached files as memories: from the step at which they come in, as the policy sends them, leading back to their text.

use serde_json::{Value, json};

use super::runner::Home;
use super::schema::faults;

const DOC: &str = "The vault stands in room 77 of the north wing.\n\nThe kiln is fired at 1240 degrees each Friday.\n";

fn chat(home: &Home) {
    let messages = json!([
        {"role": "user", "content": "Good morning to you."}, {"role": "assistant", "content": "Good morning."},
        {"role": "user", "content": "Please read the notes."}, {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "In which room does the vault stand?"}]);
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
}

fn told(home: &Home, more: &[&str]) -> Value {
    serde_json::from_str(&home.run(&[&["memory", "chat.json", "--json"], more].concat()).good()).unwrap()
}

fn rows<'a>(told: &'a Value, file: &str) -> Vec<&'a Value> {
    told["memories"].as_array().unwrap().iter().filter(|row| row["provenance"][0]["source"] == file).collect()
}

/// The bytes of its file that a memory is from.
fn part(row: &Value) -> std::ops::Range<usize> {
    let at = |end: usize| row["provenance"][0]["part"][end].as_u64().unwrap() as usize;
    at(0)..at(1)
}

#[test]
fn a_file_becomes_memories_from_its_step_on_that_lead_to_its_text() {
    let home = Home::new();
    chat(&home);
    home.file("notes.md", DOC);
    let schema: Value = serde_json::from_str(&home.run(&["memory", "--schema"]).good()).unwrap();
    let small = ["-f", "notes.md@2", "--set", "memory.chunk_size=60", "--set", "memory.chunk_overlap=0"];
    for mode in ["limits", "whole"] {
        let mode = format!("files.mode={mode}");
        let settings = [&small[..], &["--set", &mode]].concat();
        let all = told(&home, &settings);
        assert_eq!(faults(&schema, &all), Vec::<String>::new());
        let found = rows(&all, "notes.md");
        assert_eq!(found.len(), 2, "{all}");
        for row in &found {
            assert_eq!((&row["born"], &row["how"]), (&json!(2), &json!("ingested")));
            assert_eq!(row["text"], DOC[part(row)]);
        }
        assert_eq!(told(&home, &settings), all, "the same every time");
        let before = told(&home, &[&settings[..], &["--step", "1"]].concat());
        assert!(rows(&before, "notes.md").is_empty());
        // The file stands in the window, so it is not packed as well.
        let why = |told: &Value| {
            let candidates = told["pack"]["candidates"].as_array().unwrap().clone();
            candidates.iter().find(|one| one["id"] == found[0]["id"]).unwrap()["why"].clone()
        };
        assert_eq!(why(&all), "present");
        let packed = told(&home, &[&settings[..], &["--set", "memory.skip_present=false"]].concat());
        assert_eq!(why(&packed), "taken");
        assert!(packed["pack"]["text"].as_str().unwrap().contains("room 77"));
    }
    let text = home.run(&[&["memory", "chat.json"], &small[..]].concat()).good();
    assert!(text.contains("notes.md @0") && text.contains("notes.md @48"), "{text}");
    for settings in [["--set", "memory.ingest_layers=user"], ["--set", "files.mode=reference"]] {
        let told = told(&home, &[&small[..], &settings].concat());
        let is_of_file = |row: &Value| row["text"].as_str().unwrap().contains("notes.md") || row["born"] == 2;
        let ids = told["memories"].as_array().unwrap().iter().filter(|row| is_of_file(row));
        assert!(rows(&told, "notes.md").is_empty() && ids.count() <= 2, "{told}");
    }
}

#[test]
fn what_contradicts_what_was_said_is_related_to_it() {
    let home = Home::new();
    let messages = json!([{"role": "user", "content": "The vault is not in room 77 of the north wing."}]);
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    home.file("notes.md", "The vault is in room 77 of the north wing.");
    let told = told(&home, &["-f", "notes.md"]);
    let edges = told["edges"].as_array().unwrap();
    assert!(edges.iter().any(|edge| edge["kind"] == "contradicts"), "{told}");
}

/// A document of sections, most of which a policy leaves out.
fn sections() -> String {
    let section = |at: usize| {
        let words: String = (0..60).map(|word| format!("Topic{at} has part{at}x{word} in it. ")).collect();
        format!("# Section {at}\n\n{words}\n\n")
    };
    (0..20).map(section).collect()
}

#[test]
fn of_chosen_passages_only_these_become_memories_without_their_tags() {
    let home = Home::new();
    chat(&home);
    let document = sections();
    home.file("notes.md", &document);
    let settings = ["-f", "notes.md", "--set", "files.mode=chunks"];
    let all = told(&home, &settings);
    let found = rows(&all, "notes.md");
    assert!(!found.is_empty());
    for row in &found {
        assert_eq!(row["text"], document[part(row)]);
        assert!(!row["text"].as_str().unwrap().contains("=== "), "{row}");
    }
    // Its window holds the passages that were chosen.
    let shown =
        home.run(&[&["show", "chat.json", "--json", "--policy", "memory-harness"], &settings[..]].concat()).good();
    let entries = shown.matches("\"layer\":\"chunks\"").count().max(shown.matches("\"layer\": \"chunks\"").count());
    let bytes: usize = found.iter().map(|row| part(row).len()).sum();
    assert!(entries > 0 && bytes < document.len() / 2, "{entries} {bytes}");
    let none = told(&home, &[&settings[..], &["--set", "memory.ingest_layers=files"]].concat());
    assert!(rows(&none, "notes.md").is_empty());
}

#[test]
fn of_a_large_file_the_first_bytes_become_memories_and_that_is_said() {
    let home = Home::new();
    chat(&home);
    let line = |at: usize| format!("Line {at} tells of thing{at} and of its colour{at}, é.\n");
    let document: String = (0..110_000).map(line).collect();
    home.file("large.txt", &document);
    let settings = ["-f", "large.txt", "--set", "files.mode=whole", "--set", "memory.chunk_size=1000000"];
    let more = ["--set", "memory.chunk_overlap=0", "--window", "10000000"];
    let done = home.run(&[&["memory", "chat.json", "--json"], &settings[..], &more].concat());
    assert!(done.err.contains("warning: of large.txt the first 4,194,30"), "{}", done.err);
    let all: Value = serde_json::from_str(&done.good()).unwrap();
    let left_out = &all["left_out"][0];
    assert_eq!((&left_out["file"], left_out["of"].as_u64()), (&json!("large.txt"), Some(document.len() as u64)));
    let found = rows(&all, "large.txt");
    assert!(found.iter().all(|row| row["text"] == document[part(row)]));
    let end = found.iter().map(|row| part(row).end).max().unwrap() as u64;
    assert!(end <= 4 << 20 && left_out["taken"].as_u64().unwrap() - end < 3, "{end} {left_out}");
}

#[test]
fn what_limits_end_a_file_with_is_no_memory() {
    let home = Home::new();
    chat(&home);
    let lines: String = (0..9).map(|line| format!("The lamp of room {line} is lit at {line} o'clock.\n")).collect();
    home.file("lamps.md", &lines);
    // Limits whose text is a block, those of another policy, and those in tokens.
    for limit in ["files.max_lines=4", "files.max_chars=150", "files.max_tokens=60"] {
        let all = told(&home, &["-f", "lamps.md", "--set", "files.mode=limits", "--set", limit]);
        let found = all["memories"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap());
        let found: Vec<&str> = found.filter(|text| text.contains("lamp of")).collect();
        assert!(!found.is_empty() && found.iter().all(|text| lines.contains(text)), "{limit}: {found:?}");
    }
}
