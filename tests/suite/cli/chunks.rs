//! Passages, models and attached files from the command line.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::runner::{Home, placed};
use super::schema::faults;

/// A document with sections: introduction 3,000, methods 7,000, conclusion 2,000 characters.
fn paper() -> String {
    let section = |title: &str, word: &str, size: usize| format!("# {title}\n\n{}\n\n", word.repeat(size / word.len()));
    [
        section("Introduction", "intro ", 3_000),
        section("Methods", "steps ", 7_002),
        section("Conclusion", "so it is. ", 2_000),
    ]
    .concat()
}

/// Prose without headings; what is asked for stands at 20,000.
fn prose() -> String {
    let filler = "The harbour was quiet and the boats lay still in the grey morning light. ";
    let mut text: String = filler.repeat(20_000 / filler.len());
    text.push_str("\n\nThe melting point of gallium is 29.76 degrees Celsius, so it melts in the hand.\n\n");
    text.push_str(&filler.repeat(200));
    text
}

fn json(home: &Home, arguments: &[&str]) -> Value {
    let out = home.run(arguments).good();
    serde_json::from_str(&out).unwrap()
}

fn schema_of(home: &Home, arguments: &[&str]) -> Value {
    json(home, arguments)
}

#[test]
fn sections_are_chosen_by_priority_with_tags_that_lead_back() {
    let home = Home::new();
    home.file("paper.md", paper());
    let chosen = json(&home, &["chunks", "paper.md", "--task", "what was found", "--json"]);
    assert!(faults(&schema_of(&home, &["chunks", "--schema"]), &chosen).is_empty());
    assert_eq!((&chosen["strategy"], &chosen["headings"]), (&Value::from("sections"), &Value::from(3)));
    assert_eq!(chosen["selected"], serde_json::json!([3, 1]));
    assert_eq!(chosen["candidates"][1]["reason"], "budget");
    assert_eq!(
        chosen["candidates"][0]["tag"],
        "=== Introduction [source:paper.md | p.~1 | ¶1 | §Introduction | @16] ==="
    );
    let text = paper();
    for candidate in chosen["candidates"].as_array().unwrap() {
        let [from, to] = [0, 1].map(|at| candidate["chars"][at].as_u64().unwrap() as usize);
        let part: String = text.chars().skip(from).take(to - from).collect();
        assert_eq!(part, part.trim());
        assert!(candidate["tag"].as_str().unwrap().contains("| @"));
    }
    let shown = home.run(&["chunks", "paper.md", "--task", "x", "--text"]).good();
    assert!(shown.starts_with("=== Conclusion [source:paper.md | p.~6 |"));
}

#[test]
fn windows_are_chosen_by_the_model_in_the_program_and_kept() {
    let home = Home::with_cache();
    home.file("prose.txt", prose());
    let arguments = ["chunks", "prose.txt", "--task", "At which temperature does gallium become liquid?", "--json"];
    let chosen = json(&home, &[&arguments[..], &["--set", "chunks.top=2"]].concat());
    assert_eq!((&chosen["strategy"], &chosen["ranking"]), (&Value::from("windows"), &Value::from("embed")));
    assert_eq!((&chosen["model"], &chosen["provisional"]), (&Value::from("all-MiniLM-L6-v2"), &Value::from(false)));
    assert!(chosen["text"].as_str().unwrap().contains("29.76"));
    // Out of the cache it is the same, byte for byte; so it is by words alone.
    assert_eq!(json(&home, &[&arguments[..], &["--set", "chunks.top=2"]].concat()), chosen);
    let words = json(&home, &[&arguments[..], &["--set", "chunks.top=2", "--set", "chunks.ranking=lexical"]].concat());
    assert!(words["text"].as_str().unwrap().contains("29.76") && words["model"].is_null());
    let small = json(&home, &[&arguments[..], &["--set", "chunks.threshold=100000"]].concat());
    assert_eq!((&small["strategy"], &small["candidates"][0]["tag"]), (&Value::from("whole"), &Value::Null));
}

#[test]
fn models_are_listed_and_what_cannot_be_loaded_is_said() {
    let home = Home::new();
    let listed = json(&home, &["model", "list", "--json"]);
    assert!(faults(&schema_of(&home, &["model", "list", "--schema"]), &listed).is_empty());
    assert_eq!(listed["models"][0]["name"], "all-MiniLM-L6-v2");
    home.file("m/model.onnx", "no graph");
    home.file("m/tokenizer.json", "{}");
    home.run(&["model", "add", "m", "--name", "mine"]).good();
    let failed = home.run(&["model", "check", "mine"]);
    assert_eq!(failed.code, 3);
    assert!(failed.err.contains("no ONNX Runtime library is named"), "{}", failed.err);
    home.file("libonnxruntime.so", "no library");
    let failed = home.run(&["model", "check", "mine", "--set", "embedding.onnxruntime=libonnxruntime.so"]);
    assert!(failed.code == 3 && failed.err.contains("cannot be loaded"), "{}", failed.err);
    home.file("prose.txt", prose());
    let failed = home.run(&["chunks", "prose.txt", "--task", "x", "--set", "chunks.model=nothing"]);
    assert!(failed.code == 3 && failed.err.contains("no embedding model"), "{}", failed.err);
}

/// Runs where the environment of the tests names an ONNX Runtime library.
#[test]
fn a_library_that_is_named_writes_nothing_about_its_use() {
    let Some(library) = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) else { return };
    let home = Home::new();
    home.file("m/model.onnx", "no graph");
    home.file("m/tokenizer.json", "{}");
    home.run(&["model", "add", "m", "--name", "mine"]).good();
    let (own, set) = (home.path().join("caches"), format!("embedding.onnxruntime={}", library.display()));
    std::fs::create_dir(&own).unwrap();
    let mut command = home.command();
    command.args(["model", "check", "mine", "--set", &set]).env("XDG_CACHE_HOME", &own);
    let failed = command.output().unwrap();
    // The library is loaded and works; it is the model that is none.
    let said = String::from_utf8_lossy(&failed.stderr);
    assert!(said.contains("cannot be loaded") && !said.contains("process"), "{said}");
    assert_eq!(std::fs::read_dir(&own).unwrap().count(), 0);
    assert!(!home.path().join(".cache").exists());
}

fn entries<'a>(shown: &'a Value, layer: &str) -> Vec<&'a Value> {
    shown["entries"].as_array().unwrap().iter().filter(|entry| entry["layer"] == layer).collect()
}

#[test]
fn attached_files_come_into_the_window_as_the_policy_says() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("paper.md", paper());
    let show = |mode: &str| {
        let mode = format!("files.mode={mode}");
        json(
            &home,
            &["show", &session, "--json", "--text", "-f", "paper.md@2", "--step", "2", "--set", &mode, "--task", "x"],
        )
    };
    let chosen = show("chunks");
    let chunks = entries(&chosen, "chunks");
    assert_eq!(chunks.len(), 2);
    assert!(chunks[0]["text"].as_str().unwrap().starts_with("=== Conclusion [source:paper.md | p.~6"));
    let place = &chunks[0]["provenance"][0];
    assert_eq!(place["source"], "paper.md");
    let [from, to] = [0, 1].map(|at| place["part"][at].as_u64().unwrap() as usize);
    assert!(paper()[from..to].starts_with("so it is.") && to - from == 1_999);
    let limited = show("limits");
    let files = entries(&limited, "files");
    assert_eq!((files.len(), &files[0]["fate"]), (1, &Value::from("truncated")));
    assert!(files[0]["original_tokens"].as_u64() > files[0]["tokens"].as_u64());
    let whole = show("whole");
    assert_eq!(entries(&whole, "files")[0]["text"].as_str().unwrap().trim_end(), paper().trim_end());
    let reference = show("reference");
    let text = entries(&reference, "files")[0]["text"].as_str().unwrap();
    assert!(text.starts_with("Files:\n- id: f_") && text.contains("preloaded: false"), "{text}");
    // The tools list it once, by the id that the model saw, with what of it is in the window.
    let arguments = ["tool", &session, "--json", "-f", "paper.md@2", "--step", "2", "--set", "files.mode=limits"];
    let listed = json(&home, &arguments);
    let rows = listed["files"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["shown"]), (1, &files[0]["tokens"]), "{rows:?}");
    let settings = ["--set", "files.mode=preload", "--set", "files.preload_kb=1"];
    let show = ["show", &session, "--json", "--text", "-f", "paper.md@2", "--step", "2"];
    let preloaded = json(&home, &[show.as_slice(), settings.as_slice()].concat());
    let pieces = entries(&preloaded, "files");
    let part = format!("preloaded: true ({} of ", pieces[1]["tokens"]);
    assert!(pieces[0]["text"].as_str().unwrap().contains(&part), "{part}");
    // Before its step it is not there.
    let before = json(&home, &["show", &session, "--json", "-f", "paper.md@2", "--step", "1"]);
    assert!(entries(&before, "files").is_empty());
}

/// A white picture.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut data = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(width, height).write_to(&mut data, image::ImageFormat::Png).unwrap();
    data.into_inner()
}

#[test]
fn attached_pictures_come_into_the_window_as_pictures() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    std::fs::write(home.path().join("shot.png"), png(1_092, 1_092)).unwrap();
    let common = ["-f", "shot.png@2", "--step", "2", "--model", "claude-sonnet-4-20250514", "--set"];
    let entry = |setting: &str| {
        let shown = json(&home, &[&["show", session.as_str(), "--json"][..], &common, &[setting]].concat());
        (*entries(&shown, "files").last().unwrap()).clone()
    };
    let show = |setting: &str| {
        let entry = entry(setting);
        (entry["tokens"].as_u64().unwrap(), entry["fate"].as_str().unwrap().to_owned())
    };
    // 39 patches of 28 pixels each way; 20 of them at 560 pixels.
    assert_eq!(show("files.mode=limits"), (39 * 39, "verbatim".to_owned()));
    assert_eq!(show("files.image_side=560"), (20 * 20, "truncated".to_owned()));
    assert_eq!(show("files.mode=whole").0, 39 * 39);
    assert_eq!(show("files.mode=chunks").0, 39 * 39);
    assert!(show("files.mode=reference").0 < 100);
    // What is left out is the picture, not what is told of it.
    for setting in ["files.mode=limits", "files.mode=reference", "files.mode=preload", "files.image_side=560"] {
        assert_eq!(entry(setting)["original_tokens"], 39 * 39, "{setting}");
    }
    for (form, block) in [
        (
            "anthropic",
            "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBOR",
        ),
        ("openai", "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,iVBOR"),
    ] {
        let pack = ["pack", session.as_str(), "--as", form];
        let packed = home.run(&[&pack[..], &common, &["files.mode=limits"]].concat()).good();
        assert!(packed.contains(block), "{form}");
    }
    // What cannot be sent as a picture stays what is said of it.
    std::fs::write(home.path().join("shot.png"), b"\x89PNG\r\n\x1a\n broken").unwrap();
    let shown =
        json(&home, &[&["show", session.as_str(), "--json", "--text"][..], &common, &["files.mode=limits"]].concat());
    assert!(entries(&shown, "files").iter().all(|entry| entry["text"].is_string()));
}

#[test]
fn the_task_is_all_of_the_newest_message_unless_it_is_given() {
    let home = Home::new();
    let parts =
        ["What is said about gallium?", "Answer in short sentences."].map(|text| json!({"type": "text", "text": text}));
    let messages = json!([{"role": "user", "content": "about boats"}, {"role": "assistant", "content": "yes"},
        {"role": "user", "content": parts}, {"role": "assistant", "content": "ok"}]);
    let session =
        home.file("two.json", json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages}).to_string());
    home.file("notes.txt", prose());
    let chosen = |more: &[&str]| {
        let sets = ["files.mode=chunks", "chunks.ranking=lexical", "chunks.top=1"].map(|set| ["--set", set]).concat();
        let session = session.to_str().unwrap();
        let shown =
            json(&home, &[&["show", session, "--json", "--text", "-f", "notes.txt@last"][..], &sets, more].concat());
        entries(&shown, "chunks")[0]["text"].as_str().unwrap().to_owned()
    };
    assert!(chosen(&[]).contains("gallium"));
    assert!(!chosen(&["--task", "boats"]).contains("gallium"));
    assert!(chosen(&["--task", "boats", "--set", "chunks.task=gallium"]).contains("gallium"));
}

#[test]
fn decisions_about_files_are_events_and_files_are_packed_with_their_place() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("paper.md", paper());
    let options = ["-f", "paper.md", "--task", "x", "--set", "files.mode=chunks"];
    let run = home.run(&[&["run", session.as_str(), "--json"][..], &options].concat()).good();
    let events: Vec<Value> = run.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let select = events.iter().find(|event| event["stage"] == "select").expect("a choice");
    assert_eq!((&select["rule"], &select["step"]), (&Value::from("chunks.budget"), &Value::from(1)));
    assert_eq!(select["threshold"], 8_000);
    assert_eq!(select["made"].as_array().unwrap().len(), 2);
    // What was not chosen is what it saved: the file, less its two passages.
    let saved = select["tokens_before"].as_u64().unwrap() - select["tokens_after"].as_u64().unwrap();
    assert!(saved > 500, "{select}");
    assert!(select["why"].as_str().unwrap().contains("paper.md has 1"));
    let pack = ["pack", session.as_str(), "-o", "out.md", "--as", "markdown", "--manifest", "out.json", "--step", "1"];
    home.run(&[&pack[..], &options].concat()).good();
    let packed = std::fs::read_to_string(home.path().join("out.md")).unwrap();
    assert!(packed.contains("=== Conclusion [source:paper.md"));
    let manifest = std::fs::read_to_string(home.path().join("out.json")).unwrap();
    assert!(manifest.contains("paper.md"));
}

#[test]
fn pages_are_not_fetched_from_private_addresses() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let refused = home.run(&["show", &session, "--url", "http://127.0.0.1:9/page"]);
    assert!(refused.code == 3 && refused.err.contains("private address"), "{}", refused.err);
    let refused = home.run(&["show", &session, "--url", "ftp://127.0.0.1/page"]);
    assert!(refused.code == 3 && refused.err.contains("no http or https address"), "{}", refused.err);
}

#[test]
fn a_page_that_was_saved_is_attached_by_its_name() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let page = home.file("saved.html", b"<h1>Saved</h1><p>QX-77413");
    for address in [page.to_str().unwrap().to_owned(), format!("file://{}", page.display())] {
        let found = home.run(&["trace", &session, "QX-77413", "--policy", "none", "--url", &address]).good();
        assert!(found.contains("Came in at step 1 in the file saved.html"), "{found}");
    }
}

#[test]
fn of_a_page_that_is_no_address_it_is_said_what_is_the_matter_with_it_as_a_file() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    std::fs::create_dir(home.path().join("pages")).unwrap();
    for (address, why) in [
        ("missing.html", "there is no file missing.html"),
        ("pages/missing.html@2", "there is no file pages/missing.html,"),
        ("file:///missing.html", "cannot open /missing.html: No such file"),
        ("pages", "cannot open pages"),
    ] {
        let refused = home.run(&["show", &session, "--url", address]);
        assert!(refused.code == 3 && refused.err.contains(why), "{address}: {}", refused.err);
    }
}

#[test]
fn what_could_not_be_converted_is_said_everywhere() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("broken.docx", b"PK\x03\x04 not much of a document");
    for mode in ["limits", "chunks", "whole", "reference"] {
        let mode = format!("files.mode={mode}");
        let options = ["show", session.as_str(), "-f", "broken.docx", "--set", &mode];
        let shown = home.run(&options);
        assert!(shown.err.contains("broken.docx: it cannot be read as Word document"), "{mode}: {}", shown.err);
        let shown = json(&home, &[&options[..], &["--json"]].concat());
        let warning =
            shown["transcript"]["warnings"].as_array().unwrap().iter().find(|row| row["source"] == "broken.docx");
        assert!(warning.unwrap()["message"].as_str().unwrap().starts_with("it cannot be read"));
    }
    let run = home.run(&["run", session.as_str(), "--json", "-f", "broken.docx"]).good();
    assert!(run.contains("Nothing of broken.docx is there: it cannot be read"), "{run}");
    let chosen = home.run(&["chunks", "broken.docx"]);
    assert!(chosen.err.contains("the document has no text") && !chosen.out.contains("goes in whole"), "{}", chosen.out);
}

#[test]
fn of_several_documents_each_is_told_apart_and_one_that_is_not_there_takes_nothing_from_the_others() {
    let home = Home::new();
    home.file("a.md", "# One\n\nfirst\n");
    home.file("b_c.html", "<h1>Two</h1><p>second</p>");
    home.file("d.docx", b"PK\x03\x04 not much of a document");
    let files = ["convert", "a.md", "b_c.html", "gone.md", "d.docx", "a.md"];
    let text = home.run(&files);
    assert_eq!(text.code, 3, "{}", text.err);
    let found: Vec<&str> = text.out.lines().filter(|line| line.starts_with('#')).collect();
    let expected = ["## File: a.md", "# One", "## File: b_c.html", "# Two", "## File: gone.md", "## File: d.docx"];
    assert_eq!(found[..6], expected);
    assert_eq!(found[6..], ["## File: a.md", "# One"]);
    assert!(text.out.contains("second\n\n## File: gone.md"), "{}", text.out);
    assert!(text.err.contains("cannot read gone.md") && text.err.contains("d.docx: it cannot be read"), "{}", text.err);
    let rows = home.run(&[&files[..], &["--json"]].concat());
    assert_eq!(rows.code, 3);
    let schema = schema_of(&home, &["convert", "--schema"]);
    let paths: Vec<String> = rows
        .out
        .lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(faults(&schema, &row).is_empty());
            row["path"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(paths, ["a.md", "b_c.html", "d.docx", "a.md"]);
    assert_eq!(home.run(&["convert", "a.md"]).good(), "# One\n\nfirst\n", "one by itself has no name over it");
    // Where nothing can be read, nothing is printed.
    let failed = home.run(&["convert", "d.docx"]);
    assert_eq!((failed.code, failed.out.as_str()), (3, ""), "{}", failed.err);
}

#[test]
fn of_large_files_no_more_is_held_than_a_policy_needs() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let rows: String = (0..700_000).map(|row| format!("{row},value\n")).collect();
    home.file("large.csv", format!("n,word\n{rows}"));
    let common = ["-f", "large.csv", "--set"];
    let show = |setting: &str| {
        let shown = ["show", session.as_str(), "--json", "--text"];
        json(&home, &[&shown[..], &common, &[setting]].concat())
    };
    let within = show("files.mode=limits");
    let text = entries(&within, "files")[0]["text"].as_str().unwrap().to_owned();
    // The last rows are there though the first megabytes alone are held.
    assert!(text.contains("| 699999 | value |"), "{text}");
    let run = home.run(&[&["run", session.as_str(), "--json"][..], &common, &["files.mode=limits"]].concat()).good();
    assert!(run.contains("rows: 30 of 700000") && run.contains("is estimated by its bytes"), "{run}");
    let chosen = ["files.mode=chunks", "--set", "chunks.max_mb=1", "--set", "chunks.ranking=lexical", "--task", "x"];
    let shown = home.run(&[&["show", session.as_str()][..], &common, &chosen].concat());
    assert!(shown.err.contains("stopped after 1 MB of Markdown"), "{}", shown.err);
    let run = home.run(&[&["run", session.as_str(), "--json"][..], &common, &chosen].concat()).good();
    assert!(run.contains("only the first 1 MB of its text was chosen from (chunks.max_mb)."), "{run}");
    // Tools still reach the end of a text.
    home.file("large.log", rows);
    let listed = ["show", session.as_str(), "--json", "--text", "-f", "large.log", "--set", "files.mode=reference"];
    let listed = json(&home, &listed);
    let listed = entries(&listed, "files")[0]["text"].as_str().unwrap().to_owned();
    let id = listed.split("id: ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
    let found =
        ["tool", session.as_str(), "file_regex", id, "699999", "-f", "large.log", "--set", "files.mode=reference"];
    let found = home.run(&found).good();
    assert!(found.contains("699999,value"), "{found}");
}

#[test]
fn a_document_too_large_to_hold_is_converted_whole_with_all_its_anchors() {
    let home = Home::new();
    let paragraph = "words of a long text, ä and \"so\" on\r\n".repeat(1_000);
    let text: String = (1..150).map(|number| format!("# Part {number}\n\n{paragraph}\n```\n# none\n```\n\n")).collect();
    assert!(text.len() > 5 << 20);
    home.file("long.md", &text);
    // Each break of two characters counts as one.
    let text = text.replace("\r\n", "\n");
    let found = json(&home, &["convert", "long.md", "--json"]);
    assert!(faults(&schema_of(&home, &["convert", "--schema"]), &found).is_empty());
    assert!(found["markdown"] == text.as_str() && found["chars"] == text.chars().count());
    let anchors = found["anchors"].as_array().unwrap();
    assert_eq!(anchors.len(), 149);
    let last = &anchors[148];
    let before = &text[..text.find("# Part 149").unwrap()];
    assert_eq!(
        (&last["name"], &last["section"], &last["kind"]),
        (&json!("Part 149"), &json!("Part 149"), &json!("section"))
    );
    assert_eq!((&last["offset"], &last["paragraph"]), (&json!(before.chars().count()), &json!(148 * 3)));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_spooled_is_not_said_to_be_missing() {
    let home = Home::new();
    home.file("long.md", "words and so on\n\n".repeat(300_000));
    let mut command = home.command();
    let output = command.args(["convert", "long.md", "--json"]).env("TMPDIR", "/nonexistent/x").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("temporary file in /nonexistent/x"), "{said}");
}

#[test]
fn what_a_process_of_its_own_converted_comes_out_of_the_cache_the_second_time() {
    let home = Home::with_cache();
    home.file("page.html", "<h1>Ferries</h1><p>Bookings close at noon.</p>");
    let kept = || -> Vec<PathBuf> {
        let folder = home.path().join("cache/documents");
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let first = home.run(&["convert", "page.html"]).good();
    assert!(first.starts_with("# Ferries\n"), "{first}");
    let [file] = &kept()[..] else { panic!("{:?}", kept()) };
    let file = std::fs::File::options().append(true).open(file).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(home.run(&["convert", "page.html"]).good(), first);
    // What is read counts as used now.
    assert_ne!(file.metadata().unwrap().modified().unwrap(), std::time::UNIX_EPOCH);
    assert_eq!(kept().len(), 1);
    let found = json(&home, &["convert", "page.html", "--json"]);
    assert_eq!(found["markdown"], first.trim_end_matches('\n').to_owned() + "\n");
}
