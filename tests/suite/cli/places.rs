//! Where a session is opened, what is said of a window that was given, and since when an entry is there.

use serde_json::{Value, json};

use super::runner::{Home, placed};

fn shown(home: &Home, arguments: &[&str]) -> Value {
    serde_json::from_str(&home.run(arguments).good()).unwrap()
}

#[test]
fn a_link_opens_the_step_that_it_names_or_says_that_there_is_none() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    assert_eq!(shown(&home, &[&session, "--at", "step=2", "--json"])["step"], 2);
    assert_eq!(shown(&home, &[&session, "--at", "step=2", "--step", "1", "--json"])["step"], 1);
    for arguments in [vec![session.as_str(), "--at", "step=99"], vec!["demo", "--at", "step=9999"]] {
        let done = home.run(&arguments);
        assert_eq!(done.code, 2, "{}", done.err);
        assert!(done.err.contains("there is no step 99"), "{}", done.err);
    }
}

#[test]
fn a_window_that_is_not_used_is_told_of() {
    let home = Home::new();
    let (codex, claude) = (placed(&home, "codex.jsonl"), placed(&home, "claude-code.jsonl"));
    let stated = shown(&home, &["show", &codex, "--json"])["window_tokens"].clone();
    let told = home.run(&["show", &codex, "--window", "100000"]).err;
    assert!(told.contains("is not used") && told.contains(&stated.to_string()), "{told}");
    let replayed = home.run(&["show", &codex, "--window", "100000", "--policy", "codex", "--json"]);
    assert!(replayed.err.is_empty() || replayed.err.contains("is not used"), "{}", replayed.err);
    let replayed: Value = serde_json::from_str(&replayed.good()).unwrap();
    assert_eq!(replayed["window_tokens"], stated);
    assert!(replayed["transcript"]["warnings"].to_string().contains("is not used"));
    let set = shown(&home, &["show", &codex, "--set", "window.size=100000", "--json"]);
    assert_eq!(set["window_tokens"], 100_000);
    for quiet in
        [vec!["show", codex.as_str(), "--window", &stated.to_string()], vec!["show", &claude, "--window", "100000"]]
    {
        assert!(!home.run(&quiet).err.contains("is not used"));
    }
    assert_eq!(shown(&home, &["show", &claude, "--window", "100000", "--json"])["window_tokens"], 100_000);
}

#[test]
fn an_entry_that_comes_back_was_born_when_it_first_came() {
    let home = Home::new();
    let ask = |said: &[&str], answer: &str| {
        let messages: Vec<Value> = said
            .iter()
            .enumerate()
            .map(|(at, text)| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": text}))
            .collect();
        json!({"request": {"model": "m", "messages": messages}, "response": {"object": "chat.completion", "model": "m",
            "choices": [{"message": {"role": "assistant", "content": answer}}]}})
    };
    let log = [ask(&["a", "b", "c"], "d"), ask(&["a", "b", "other"], "e"), ask(&["a", "b", "c"], "g")];
    let text: Vec<String> = log.iter().map(Value::to_string).collect();
    home.file("log.jsonl", text.join("\n"));
    let view = shown(&home, &["show", "log.jsonl", "--json", "--text"]);
    let entries = view["entries"].as_array().unwrap();
    let of = |text: &str| entries.iter().find(|entry| entry["text"] == text).unwrap();
    assert_eq!((view["step"].as_u64(), of("a")["born"].as_u64(), of("a").get("back")), (Some(4), Some(1), None));
    assert_eq!((of("c")["born"].as_u64(), of("c")["back"].as_u64()), (Some(2), Some(4)));
}

#[test]
fn places_in_what_a_file_was_converted_to_are_none_of_the_file() {
    let home = Home::new();
    home.file(
        "chat.json",
        json!([{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Yes."}]).to_string(),
    );
    home.file("page.html", "<html><body><h1>Notes</h1><p>The code is QX-77413.</p></body></html>");
    home.file("notes.md", "# Notes\n\nThe code is QX-77413.\n");
    for (file, of) in [("page.html", json!("markdown")), ("notes.md", Value::Null)] {
        let given = ["chat.json", "-f", file, "--policy", "none", "--set", "files.mode=whole"];
        let traced = shown(&home, &[&["trace"], &given[..1], &["QX-77413", "--json"], &given[1..]].concat());
        let place = &traced["facts"][0]["occurrences"][0];
        assert_eq!((&place["source"], &place["of"]), (&json!(file), &of), "{traced}");
        let table = home.run(&[&["trace"], &given[..1], &["QX-77413"], &given[1..]].concat()).good();
        assert_eq!(table.contains("of its Markdown"), of != Value::Null, "{table}");
        let entries = shown(&home, &[&["show"], &given[..], &["--json"]].concat())["entries"].clone();
        let held = entries.as_array().unwrap().iter().flat_map(|entry| entry["provenance"].as_array().unwrap());
        let held: Vec<&Value> = held.filter(|place| place["source"] == file).collect();
        assert!(!held.is_empty() && held.iter().all(|place| place["of"] == of), "{entries}");
        home.run(&[&["pack"], &given[..], &["-o", "out.md", "--manifest", "out.json", "--force"]].concat()).good();
        let manifest: Value = serde_json::from_slice(&std::fs::read(home.path().join("out.json")).unwrap()).unwrap();
        let source = manifest["sources"].as_array().unwrap().iter().find(|source| source["name"] == file).unwrap();
        assert_eq!(source["of"], of, "{manifest}");
    }
}

#[test]
fn a_place_in_an_attached_file_is_told_as_the_original_counts() {
    let home = Home::new();
    home.file("chat.json", json!([{"role": "user", "content": "Go."}]).to_string());
    let cell = |text: &str| json!({"cell_type": "markdown", "metadata": {}, "source": [text]});
    let cells = json!({"cells": [cell("# Notes"), cell("The code is QX-77413."), cell("The end.")],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    home.file("notes.ipynb", cells.to_string());
    for limits in ["files.mode=whole", "files.mode=limits"] {
        let given = ["trace", "chat.json", "QX-77413", "-f", "notes.ipynb", "--policy", "none", "--set", limits];
        let traced = shown(&home, &[&given[..], &["--json"]].concat());
        assert_eq!(traced["facts"][0]["occurrences"][0]["place"], "cell 2", "{traced}");
        let verdict = traced["facts"][0]["verdict"].as_str().unwrap();
        assert!(verdict.contains(", cell 2, line "), "{verdict}");
        let table = home.run(&given).good();
        assert!(table.contains(", cell 2, line 3 of 5 of its Markdown."), "{table}");
    }
}

/// A file and what limits left of it have one name: each says which of them its bytes are of.
#[test]
fn places_in_what_limits_left_of_a_file_are_told_from_those_in_the_whole() {
    let home = Home::new();
    home.file("chat.json", json!([{"role": "user", "content": "Go."}]).to_string());
    let lines: String = (0..300).map(|at| format!("<p>Line {at} of many.</p>")).collect();
    home.file("page.html", format!("<html><body>{lines}<p>The code is QX-77413.</p></body></html>"));
    let rows: String = (0..300).map(|at| format!("line {at} of many\n")).collect();
    home.file("rows.txt", rows);
    for (file, whole) in [("page.html", json!("markdown")), ("rows.txt", Value::Null)] {
        let limits = ["--set", "files.mode=limits", "--set", "files.max_tokens=200", "--set", "files.max_lines=20"];
        let given = [&["chat.json", "-f", file, "--policy", "none"], &limits[..]].concat();
        home.run(&[&["pack"], &given[..], &["-o", "out.md", "--manifest", "out.json", "--force"]].concat()).good();
        let manifest: Value = serde_json::from_slice(&std::fs::read(home.path().join("out.json")).unwrap()).unwrap();
        let sources = manifest["sources"].as_array().unwrap();
        let of: Vec<&Value> = sources.iter().filter(|one| one["name"] == file).map(|one| &one["of"]).collect();
        assert_eq!(of, [&whole, &json!("limited_markdown")], "{manifest}");
        let out = std::fs::read(home.path().join("out.md")).unwrap();
        let limited = home.run(&[&["convert", file, "--limits"], &limits[2..]].concat());
        let mut from_limited = 0;
        for range in manifest["ranges"].as_array().unwrap() {
            let Some(source) = range["source"].as_u64().map(|at| &sources[at as usize]) else { continue };
            if source["name"] == file {
                let number = |value: &Value| value.as_u64().unwrap() as usize;
                let (from, to) = (number(&range["output"][0]), number(&range["output"][1]));
                let first = number(&range["bytes"][0]) + range["part"].get(0).map_or(0, &number);
                let held = limited.out.as_bytes().get(first..first + to - from);
                assert_eq!(held, out.get(from..to), "{range}");
                assert_eq!(source["of"], "limited_markdown");
                from_limited += 1;
            }
        }
        assert!(from_limited > 0, "{manifest}");
        let entries = shown(&home, &[&["show"], &given[..], &["--json"]].concat())["entries"].clone();
        let held = entries.as_array().unwrap().iter().flat_map(|entry| entry["provenance"].as_array().unwrap());
        let held: Vec<&Value> = held.filter(|place| place["source"] == file).collect();
        assert!(!held.is_empty() && held.iter().all(|place| place["of"] == "limited_markdown"), "{entries}");
        // Nothing comes from what limits left where passages of the whole are taken.
        let given =
            [&["chat.json", "-f", file, "--policy", "none", "--set", "files.mode=chunks"], &limits[2..]].concat();
        home.run(&[&["pack"], &given[..], &["-o", "out.md", "--manifest", "out.json", "--force"]].concat()).good();
        let manifest: Value = serde_json::from_slice(&std::fs::read(home.path().join("out.json")).unwrap()).unwrap();
        let sources = manifest["sources"].as_array().unwrap();
        let of: Vec<&Value> = sources.iter().filter(|one| one["name"] == file).map(|one| &one["of"]).collect();
        assert_eq!(of, [&whole], "{manifest}");
        let ranges = manifest["ranges"].as_array().unwrap().iter();
        assert!(ranges.filter_map(|range| range["source"].as_u64()).any(|at| sources[at as usize]["name"] == file));
    }
}
