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
            let line = DOC[..part(row).start].matches('\n').count() + 1;
            assert_eq!(row["provenance"][0]["line"], json!(line));
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
    assert!(text.contains("notes.md:1 @0") && text.contains("notes.md:3 @48"), "{text}");
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
    // Nobody says a document, whatever becomes of what people say.
    let turns = told(&home, &[&settings[..], &["--set", "memory.ingest=turn_context"]].concat());
    let found = rows(&turns, "notes.md");
    assert!(!found.is_empty() && found.iter().all(|row| !row["text"].as_str().unwrap().contains("user: ")), "{turns}");
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

/// What a file's memories say, each part of it held against the file's own text at the place and line that are named.
fn own_parts(home: &Home, file: &str, own: &str, limits: &[&str]) -> Vec<String> {
    let mut given = vec!["-f", file, "--set", "files.mode=limits"];
    limits.iter().for_each(|limit| given.extend(["--set", limit]));
    let all = told(home, &given);
    assert!(all["left_out"].as_array().unwrap().is_empty(), "{all}");
    let found = rows(&all, file);
    for row in &found {
        let (text, mut at) = (row["text"].as_str().unwrap(), 0);
        for place in row["provenance"].as_array().unwrap() {
            let from = place["part"][0].as_u64().unwrap() as usize;
            let words = &own[from..place["part"][1].as_u64().unwrap() as usize];
            let here = text[at..].find(words).unwrap_or_else(|| panic!("{words:?} in {text:?}"));
            assert!(here <= 1, "{text:?}");
            at += here + words.len();
            let line = own[..from].matches('\n').count() as u64 + 1;
            assert_eq!(place["line"].as_u64(), Some(line), "{row}");
        }
        assert_eq!(text.len(), at, "{text:?}");
    }
    found.into_iter().map(|row| row["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_marks_within_a_file_that_limits_cut_are_no_words_of_its_memories() {
    let home = Home::new();
    chat(&home);
    let long = |line: usize| format!("Lamp {line} is lit{}.", " again and again".repeat(if line == 2 { 9 } else { 0 }));
    let lines: String = (0..9).map(|line| long(line) + "\n").collect();
    home.file("long.txt", &lines);
    let found = own_parts(&home, "long.txt", &lines, &["files.max_line_length=60"]);
    assert!(found[0].contains("Lamp 8 is lit.") && !found[0].contains(".."), "{found:?}");

    let rows: String = (0..90).map(|row| format!("| {row} | {} |\n", long(row))).collect();
    let table = format!("| no | lamp |\n| --- | --- |\n{rows}");
    home.file("rows.csv", table.replace(" | ", ",").replace("| ", "").replace(" |", "").replace("---,---\n", ""));
    let found = own_parts(&home, "rows.csv", &table, &["files.max_cell_length=60"]).join("");
    assert!(found.contains("Lamp 19") && found.contains("Lamp 89") && !found.contains("not shown"), "{found}");
    let found = own_parts(&home, "rows.csv", &table, &["files.max_columns=1"]).join("");
    assert!(found.contains("| 19 |") && !found.contains("Lamp 7"), "{found}");

    let items: Vec<Value> =
        (0..70).map(|item| json!({"no": item, "lamp": long(item), "deep": {"er": [item]}})).collect();
    let (lamps, marks) =
        (json!({"lamps": items, "end": "the last lamp"}), ["more items", "max depth", "more keys", "..."]);
    let whole = [lamps.to_string(), serde_json::to_string_pretty(&lamps).unwrap()];
    let yaml: String = (0..70).map(|item| format!("- no: {item}\n  lamp: {}\n", long(item))).collect();
    let xml: String = (0..70).map(|item| format!("<lamp no=\"{item}\">{}</lamp>\n", long(item))).collect();
    let files = [("a.json", whole[0].clone()), ("b.json", whole[1].clone()), ("c.yaml", yaml)];
    for (name, text) in files.into_iter().chain([("d.xml", format!("<lamps>\n{xml}</lamps>\n"))]) {
        home.file(name, &text);
        let found = own_parts(&home, name, &text, &["files.max_string=60", "files.max_depth=3"]).join("");
        assert!(found.contains("Lamp 4") && marks.iter().all(|mark| !found.contains(mark)), "{name}: {found}");
    }
}

#[test]
fn limits_of_a_policy_that_the_file_was_not_opened_with_lead_to_its_text_too() {
    let home = Home::new();
    chat(&home);
    let lines: String = (0..90).map(|line| format!("The lamp of room {line} is lit.\n")).collect();
    home.file("lamps.txt", &lines);
    // A policy of a file names limits that are not those of the settings.
    home.file("few.toml", "preset = \"memory-harness\"\n[files]\nmode = \"limits\"\nmax_lines = 40\n");
    for policy in ["few.toml", "memory-harness"] {
        let given = ["-f", "lamps.txt", "--policy", policy, "--set", "memory.skip_present=true"];
        let all = told(&home, &given);
        let found = rows(&all, "lamps.txt");
        assert!(found.iter().all(|row| row["text"] == lines[part(row)].trim_end()), "{all}");
        let why = all["pack"]["candidates"].as_array().unwrap().iter().map(|one| one["why"].as_str().unwrap());
        assert!(!found.is_empty() && why.filter(|why| *why == "taken").count() == 0, "{all}");
    }
}

#[test]
fn rows_of_a_large_table_that_are_not_held_become_memories_without_marks() {
    let home = Home::new();
    chat(&home);
    let row = |row: usize| format!("{row},the lamp of room {row} is lit{}\n", " again".repeat(10));
    let table: String = (0..70_000).map(row).collect();
    home.file("large.csv", format!("no,lamp\n{table}"));
    let all = told(&home, &["-f", "large.csv", "--set", "files.mode=limits"]);
    let found = rows(&all, "large.csv");
    let text: String = found.iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert!(text.contains("room 19 ") && text.contains("room 69999 ") && !text.contains(".."), "{text}");
}

#[test]
fn what_was_kept_before_and_is_said_here_is_not_sent_twice() {
    let home = Home::new();
    let kept = "Always run the linter before pushing.";
    home.run(&["memory", "add", kept, "--scope", "user"]).good();
    let said = |text: &str| {
        let messages = json!([{"role": "user", "content": text}, {"role": "assistant", "content": "Yes."},
                              {"role": "user", "content": "When do I run the linter?"}]);
        home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
        let told: Value = told(&home, &["--set", "kept_memories=true"]);
        let candidates = told["pack"]["candidates"].as_array().unwrap().clone();
        let one = candidates.iter().find(|one| one["id"] == 0).expect("it is near to the question");
        one["why"].as_str().unwrap().to_owned()
    };
    assert_eq!(said("Hello."), "taken");
    assert_eq!(said(kept), "present");
    assert_eq!(said(&format!("Hello there. {kept} And more.")), "present");
    assert_eq!(said("Three rules:\n- Write tests.\n- Always run the linter before pushing\n- Sleep."), "present");
}
