//! Facts in attached files: each limit that leaves one out, and files of which only a pointer is sent.

use serde_json::{Value, json};

use crate::cli::runner::Home;

use super::build::{Log, filler};

const FACT: &str = "QX-77413";

/// What the trace of the fact in an attached file tells, under settings.
fn traced(home: &Home, name: &str, text: &str, settings: &[&str]) -> Value {
    let session = home.file("session.jsonl", Log::new().user("Go.").says("Yes.").user("What was the code?").bytes());
    let file = home.file(name, text);
    let (session, file) = (session.to_str().unwrap(), file.to_str().unwrap());
    let mut arguments = vec!["trace", session, FACT, "--json", "--policy", "none", "-f", file];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let told: Value = serde_json::from_str(&home.run(&arguments).good()).unwrap();
    told["facts"][0].clone()
}

#[test]
fn each_limit_names_itself() {
    let home = Home::new();
    let rows = |fact: usize| -> String {
        let row = |at: usize| format!("{at},{}\n", if at == fact { FACT } else { "x" });
        format!("a,b\n{}", (0..100).map(row).collect::<String>())
    };
    let items: Vec<Value> = (0..100).map(|at| if at == 80 { json!(FACT) } else { json!(format!("x{at}")) }).collect();
    let keys: serde_json::Map<String, Value> =
        (0..100).map(|at| (format!("k{at:03}"), json!(if at == 80 { FACT } else { "x" }))).collect();
    let deep = (0..9).fold(json!(FACT), |inner, _| json!({ "a": inner }));
    let wide: String = (0..80).map(|at| format!("c{at},")).collect();
    let wide = format!("{wide}z\n{}{FACT}\n", "1,".repeat(80));
    for (name, text, rule) in [
        ("rows.csv", rows(50), "files.rows_head"),
        ("wide.csv", wide, "files.max_columns"),
        ("items.json", json!(items).to_string(), "files.max_items"),
        ("keys.json", json!(keys).to_string(), "files.max_keys"),
        ("deep.json", deep.to_string(), "files.max_depth"),
        ("string.json", json!({"a": format!("{} {FACT}", "x ".repeat(400))}).to_string(), "files.max_string"),
        ("lines.txt", format!("{}{FACT}\n", filler(1, 300)), "files.max_lines"),
        ("long.txt", format!("{} {FACT}\n", "x".repeat(3_000)), "files.max_line_length"),
    ] {
        let fact = traced(&home, name, &text, &["files.mode=limits"]);
        let verdict = fact["verdict"].as_str().unwrap();
        assert_eq!(fact["in_window"], false, "{name}: {verdict}");
        let first = &fact["occurrences"][0];
        assert_eq!(first["first_step"], 1, "{name}: {first:#}");
        let fate = &first["fates"][0];
        assert_eq!((&fate["stage"], &fate["rule"]), (&json!("limit"), &json!(rule)), "{name}: {verdict}");
        assert_eq!((&fate["fate"], &fate["retrievable"]), (&json!("truncated"), &json!(name)), "{name}: {fate:#}");
        for words in ["Came in at step 1 in the file", "Cut at once", rule, " is cut to ", "with load_file"] {
            assert!(verdict.contains(words), "{name}: {words:?} is not in {verdict}");
        }
    }
    let tokens = ["files.mode=limits", "files.max_tokens=100"];
    let fact = traced(&home, "tokens.txt", &format!("{}{FACT}\n", filler(1, 50)), &tokens);
    assert_eq!(fact["occurrences"][0]["fates"][0]["rule"], "files.max_tokens");
    let chars = ["files.mode=limits", "files.max_chars=400"];
    let fact = traced(&home, "chars.txt", &format!("{}{FACT}\n", filler(1, 50)), &chars);
    assert_eq!(fact["occurrences"][0]["fates"][0]["rule"], "files.max_chars");
    let kept = traced(&home, "kept.csv", &rows(5), &["files.mode=limits"]);
    let verdict = kept["verdict"].as_str().unwrap();
    assert!(kept["in_window"] == true && !verdict.contains("Cut at once"), "{kept:#}");
}

/// What is left of a file has lines and bytes of its own; who looks in the file needs the file's.
#[test]
fn what_limits_left_is_told_by_the_lines_of_the_file() {
    let home = Home::new();
    let lines = |fact: usize| -> String {
        (1..=300).map(|at| if at == fact { format!("the code is {FACT}\n") } else { format!("line {at}\n") }).collect()
    };
    let limits = ["files.mode=limits", "files.max_lines=100"];
    for (fact, kept) in [(40, true), (250, false)] {
        let text = lines(fact);
        let told = traced(&home, "notes.txt", &text, &limits);
        let (first, verdict) = (&told["occurrences"][0], told["verdict"].as_str().unwrap());
        assert_eq!(told["in_window"], kept, "{told:#}");
        assert!(verdict.contains(&format!("the file notes.txt, line {fact} of 300.")), "{verdict}");
        let at = text.find(FACT).unwrap();
        assert_eq!((&first["line"], &first["text_line"]), (&json!(fact), &json!([fact, 300])), "{told:#}");
        assert_eq!((&first["bytes"], &first["of"]), (&json!([at, at + FACT.len()]), &Value::Null), "{told:#}");
    }
    // The last row is kept behind a mark; in the whole table it is far below the first ones.
    let rows: String = (0..500).map(|at| format!("{at},{}\n", if at == 499 { FACT } else { "x" })).collect();
    let told = traced(&home, "rows.csv", &format!("a,b\n{rows}"), &["files.mode=limits"]);
    let first = &told["occurrences"][0];
    assert_eq!((&told["in_window"], &first["text_line"]), (&json!(true), &json!([502, 502])), "{told:#}");
    assert_eq!(first["of"], "markdown", "{told:#}");
}

#[test]
fn of_several_limits_the_one_that_took_the_fact_is_named() {
    let home = Home::new();
    let line = |at: usize| format!("Line {at} of a file that is over every limit there is.\n");
    let with = |fact: usize| -> String {
        (0..300).map(|at| if at == fact { format!("{FACT}\n") } else { line(at) }).collect()
    };
    let limits = ["files.mode=limits", "files.max_tokens=1000", "files.max_chars=6000", "files.max_lines=150"];
    for (at, rule, threshold) in [(90, "files.max_tokens", 1_000), (140, "files.max_chars", 6_000)] {
        let fact = traced(&home, "doc.txt", &with(at), &limits);
        let fate = &fact["occurrences"][0]["fates"][0];
        assert_eq!((&fate["rule"], &fate["threshold"]), (&json!(rule), &json!(threshold)), "{fact:#}");
        assert!(fate["measured"].as_u64() > Some(threshold), "{fate:#}");
        // It stands in the file and in its text within limits, which is one place.
        assert_eq!(fact["occurrences"].as_array().unwrap().len(), 1, "{fact:#}");
    }
}

#[test]
fn a_passage_that_was_not_taken_names_what_left_it() {
    let home = Home::new();
    let section = |name: &str, lines: usize, words: &str| format!("# {name}\n\n{}{words}\n\n", filler(1, lines));
    let text = [section("Abstract", 1, ""), section("Results", 300, FACT), section("Methods", 300, "x")].concat();
    let sections = ["files.mode=chunks", "chunks.threshold=100", "chunks.budget=1000"];
    let fact = traced(&home, "paper.md", &text, &sections);
    let fate = &fact["occurrences"][0]["fates"][0];
    assert_eq!((&fate["rule"], &fate["threshold"]), (&json!("chunks.budget"), &json!(1_000)), "{fact:#}");
    assert!(fate["measured"].as_u64() > Some(1_000), "{fate:#}");
    assert!(fact["verdict"].as_str().unwrap().contains("not chosen (chunks.budget: "), "{fact:#}");
    // The tag of a passage says the fact: neither its heading nor a place in another section is shown.
    let keys = section(&format!("Keys of {FACT}"), 1, "");
    let titled =
        [section("Abstract", 1, ""), keys, section("Results", 300, FACT), section("Methods", 300, "x")].concat();
    let titled = traced(&home, "titled.md", &titled, &sections);
    let seen: Vec<_> = titled["occurrences"].as_array().unwrap().iter().map(|one| &one["fates"][0]["seen"]).collect();
    assert_eq!(seen, ["verbatim", "gone", "gone"], "{titled:#}");
    let windows = [&sections[..], &["chunks.min_headings=99", "chunks.top=1", "chunks.ranking=lexical"]].concat();
    let fact = traced(&home, "paper.md", &text, &windows);
    let fate = &fact["occurrences"][0]["fates"][0];
    assert_eq!((&fate["rule"], &fate["threshold"]), (&json!("chunks.top"), &json!(1)), "{fact:#}");
    assert!(fate["measured"].as_u64() > Some(1), "{fate:#}");
}

#[test]
fn a_reference_is_a_pointer() {
    let home = Home::new();
    let fact = traced(&home, "notes.txt", &format!("the code is {FACT}\n"), &["files.mode=reference"]);
    let (verdict, first) = (fact["verdict"].as_str().unwrap(), &fact["occurrences"][0]);
    assert_eq!((&fact["in_window"], &first["first_step"]), (&json!(false), &json!(1)), "{fact:#}");
    let fate = &first["fates"][0];
    let found = (&fate["fate"], &fate["seen"], &fate["rule"], &fate["retrievable"]);
    assert_eq!(found, (&json!("virtual"), &json!("pointer"), &json!("files.mode"), &json!("notes.txt")));
    assert!(verdict.contains("only its id, name and size were sent (files.mode)"), "{verdict}");
    assert!(fate["measured"].as_u64() > Some(0), "the tokens that were not sent: {fate:#}");
    assert!(verdict.contains("Still retrievable with load_file from the attached file notes.txt"), "{verdict}");
}

/// Each list that is sent names the files that come in there, whatever others are called.
#[test]
fn each_reference_is_dated_by_the_list_that_names_it() {
    let home = Home::new();
    let log = Log::new().user("Go.").says("Yes.").user("On.").says("Well.").user("What was the code?");
    home.file("session.jsonl", log.bytes());
    home.file("first/notes.txt", "nothing of it is here\n");
    home.file("second/notes.txt", format!("the code is {FACT}\n"));
    home.file("third/notes.txt", format!("no: it was {FACT}\n"));
    let files = ["-f", "first/notes.txt@1", "-f", "second/notes.txt@2", "-f", "third/notes.txt@3"];
    let given = ["trace", "session.jsonl", FACT, "--json", "--policy", "none", "--set", "files.mode=reference"];
    let told: Value = serde_json::from_str(&home.run(&[&given[..], &files].concat()).good()).unwrap();
    let places = told["facts"][0]["occurrences"].as_array().unwrap();
    let dated: Vec<(&str, Option<u64>)> =
        places.iter().map(|place| (place["source"].as_str().unwrap(), place["first_step"].as_u64())).collect();
    assert_eq!(dated, [("second/notes.txt", Some(2)), ("third/notes.txt", Some(3))], "{told:#}");
    // What is loaded at once is in no list of what is left.
    let preload = ["files.mode=preload", "files.preload_kb=64"];
    let preload: Vec<&str> = preload.iter().flat_map(|setting| ["--set", setting]).collect();
    let told: Value = serde_json::from_str(&home.run(&[&given[..6], &preload[..], &files].concat()).good()).unwrap();
    let first = &told["facts"][0]["occurrences"][0];
    assert_eq!((&first["first_step"], &first["fates"][0]["fate"]), (&json!(2), &json!("verbatim")), "{told:#}");
}

/// Of two instruction files with the same text one is left out, and the fact stays by the other.
#[test]
fn a_duplicate_that_is_left_out_has_a_life_and_says_why() {
    let home = Home::new();
    let session = home.file("session.jsonl", Log::new().user("Go.").says("Yes.").user("What now?").bytes());
    let text = format!("# Rules\n\nKeys begin with {FACT}.\n");
    for name in ["CLAUDE.md", "AGENTS.md"] {
        home.file(&format!("proj/{name}"), &text);
    }
    let folder = home.path().join("proj");
    let (session, folder) = (session.to_str().unwrap(), folder.to_str().unwrap());
    let arguments = ["trace", session, FACT, "--policy", "five-layer", "--folder", folder];
    let told: Value = serde_json::from_str(&home.run(&[&arguments[..], &["--json"]].concat()).good()).unwrap();
    let fact = &told["facts"][0];
    assert_eq!(fact["in_window"], true);
    let both = fact["occurrences"].as_array().unwrap();
    assert_eq!(both.len(), 2, "{fact:#}");
    let fates: Vec<(&Value, &Value, &Value)> =
        both.iter().map(|one| (&one["first_step"], &one["fates"][0]["fate"], &one["fates"][0]["rule"])).collect();
    assert_eq!(fates[0], (&json!(1), &json!("verbatim"), &Value::Null));
    assert_eq!(fates[1], (&json!(1), &json!("deduplicated"), &json!("instructions.dedupe")));
    let people = home.run(&arguments).good();
    assert!(people.contains("left out: the"), "{people}");
    // Without it, both stand there.
    let both = home.run(&[&arguments[..], &["--set", "instructions.dedupe=false", "--json"]].concat()).good();
    assert!(!both.contains("deduplicated"), "{both}");
}
