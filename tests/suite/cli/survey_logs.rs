//! `survey --merge`: each log once, wherever its lines come from.

use serde_json::{Value, json};

use super::runner::Home;

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_log_that_grew_or_was_copied_counts_once_and_one_that_parted_beside_it() {
    let home = Home::new();
    let lines = |name: &str, text: String| {
        home.file(name, text);
        home.run(&["survey", name, "--json", "-q"]).good()
    };
    let merged = |lines: &[&str]| {
        let told =
            |lines: &[&str]| read(&home.with_input(&["survey", "--merge", "--json"], lines.concat().as_bytes()).good());
        let turned: Vec<&str> = lines.iter().rev().copied().collect();
        let (one, other) = (told(lines), told(&turned));
        assert_eq!(one, other, "in any order");
        (one["sessions"].as_u64().unwrap(), one["steps"].as_u64().unwrap())
    };
    // A log without an id.
    let chat = |said: &[&str]| {
        let turn = |(at, said): (usize, &&str)| {
            [json!({"role": "user", "content": said}), json!({"role": "assistant", "content": format!("Done {at}.")})]
        };
        json!({"model": "gpt-4o", "messages": said.iter().enumerate().flat_map(turn).collect::<Vec<_>>()}).to_string()
    };
    let begins = ["Begin.", "Go on.", "Look again.", "And now?"];
    let of = |more: &[&str]| chat(&[&begins[..], more].concat());
    let young = lines("chat.json", of(&["End."]));
    let grown = lines("chat.json", of(&["End.", "One more.", "Bye."]));
    let other = lines("chat.json", of(&["Else.", "Other.", "Things.", "Altogether."]));
    let copied = lines("copy.json", of(&["End."]));
    let alike = lines("alike.json", of(&["End.", "More."]));
    assert_eq!(merged(&[&young, &grown]), (1, 7));
    assert_eq!(merged(&[&young, &copied]), (1, 5));
    // What only begins alike is another, wherever it lies.
    assert_eq!(merged(&[&young, &alike]), (2, 11));
    assert_eq!(merged(&[&young, &other, &grown]), (2, 15));
    // A log of a session.
    let session = |turns: &[&str]| -> String {
        let turn = |(at, said): (usize, &&str)| {
            let id = format!("{said}{at}");
            let asked = json!({"type": "user", "uuid": id, "parentUuid": null, "sessionId": "S",
                "message": {"role": "user", "content": format!("Look at {said}.")}});
            let answer = json!({"type": "assistant", "uuid": format!("{id}a"), "parentUuid": id, "sessionId": "S",
                "message": {"id": format!("{id}m"), "role": "assistant", "model": "claude-test",
                    "content": [{"type": "text", "text": "Yes."}], "usage": {"input_tokens": 900, "output_tokens": 2}}});
            format!("{asked}\n{answer}\n")
        };
        let mut text = String::new();
        let mut before: Option<String> = None;
        for turn in turns.iter().enumerate().map(turn) {
            let linked = match &before {
                Some(id) => turn.replacen("\"parentUuid\":null", &format!("\"parentUuid\":\"{id}\""), 1),
                None => turn.clone(),
            };
            before = turn.lines().last().map(|line| read(line)["uuid"].as_str().unwrap().to_owned());
            text.push_str(&linked);
        }
        text
    };
    let young = lines("a/S.jsonl", session(&["a", "b", "c"]));
    let grown = lines("a/S.jsonl", session(&["a", "b", "c", "d"]));
    let copied = lines("b/S.jsonl", session(&["a", "b", "c"]));
    let parted = lines("c/S.jsonl", session(&["a", "b", "x", "y", "z"]));
    assert_eq!(merged(&[&young, &grown]), (1, 4));
    assert_eq!(merged(&[&copied, &grown]), (1, 4));
    assert_eq!(merged(&[&grown, &parted, &copied]), (2, 9));
    // Where they part late, with as much behind that or with more.
    let long: Vec<String> = (0..60).map(|turn| format!("n{turn}")).collect();
    let of = |more: &[&str]| session(&long.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>());
    let base = lines("d/S.jsonl", of(&[]));
    let one = lines("e/S.jsonl", of(&["a", "b"]));
    let as_long = lines("f/S.jsonl", of(&["x", "y"]));
    let longer = lines("g/S.jsonl", of(&["v", "w", "z"]));
    let grown = lines("h/S.jsonl", of(&["a", "b", "c", "d", "e"]));
    assert_eq!(merged(&[&one, &as_long]), (2, 124));
    assert_eq!(merged(&[&base, &one, &longer]), (2, 125));
    assert_eq!(merged(&[&one, &grown, &base]), (1, 65));
    assert_eq!(merged(&[&grown, &as_long, &one, &longer]), (3, 190));
    // And where that goes on for long, on both sides or on one.
    let far = |name: &str, turns: usize| {
        let more: Vec<String> = (0..turns).map(|turn| format!("{name}{turn}")).collect();
        lines(&format!("{name}/S.jsonl"), of(&more.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    let (near, fork, same) = (lines("k/S.jsonl", of(&["x"])), far("u", 40), far("w", 40));
    assert_eq!(merged(&[&near, &fork]), (2, 161));
    assert_eq!(merged(&[&near, &fork, &same, &base]), (3, 261));
    // Lines of before each block had its sign are told by their marks alone.
    let old = |line: &str| {
        let mut line = read(line);
        line.as_object_mut().unwrap().remove("trail");
        format!("{line}\n")
    };
    assert_eq!(merged(&[&old(&one), &old(&grown), &old(&base)]), (1, 65));
}

#[test]
fn the_calls_that_a_browser_recorded_count_in_a_folder() {
    let home = Home::new();
    let asked = json!({"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "Hello"}]});
    let answer = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Hi."}], "usage": {"input_tokens": 10, "output_tokens": 3}});
    let call = json!({
        "startedDateTime": "2026-11-28T10:00:00Z",
        "request": {"method": "POST", "url": "https://api.anthropic.com/v1/messages", "headers": [],
            "postData": {"mimeType": "application/json", "text": asked.to_string()}},
        "response": {"status": 200, "headers": [],
            "content": {"mimeType": "application/json", "text": answer.to_string()}}
    });
    home.file("p/calls.har", json!({"log": {"version": "1.2", "entries": [call]}}).to_string());
    let told = home.run(&["survey", "p"]).good();
    assert!(told.starts_with("1 session, "), "{told}");
    assert!(home.run(&["show", "p"]).good().contains("calls.har"));
}

#[test]
fn a_file_that_is_skipped_is_named_once() {
    let home = Home::new();
    home.file("notes.json", json!({"x": 1}).to_string());
    let told = home.run(&["survey", "notes.json", "gone.jsonl"]).err;
    for name in ["notes.json", "gone.jsonl"] {
        assert_eq!(told.matches(name).count(), 1, "{told}");
    }
}

#[test]
fn a_file_that_breaks_off_and_a_name_that_is_no_text_end_no_survey() {
    let home = Home::new();
    home.file("whole.json", json!({"messages": [{"role": "user", "content": "Hello"}]}).to_string());
    // UTF-16 that ends within a unit, and within a pair.
    home.file("half.jsonl", b"\xFF\xFEa\x00b\x00c");
    home.file("pair.jsonl", b"\xFE\xFF\x00a\xD8\x3D");
    let told = home.with_input(&["survey", "-", "--json"], b"half.jsonl\npair.jsonl\nno-\xFF-name\r\nwhole.json\n");
    assert_eq!(told.err.matches("skipped: ").count(), 3, "{}", told.err);
    assert_eq!(told.good().lines().count(), 1);
    // Opened by itself, such a file is no transcript, and whatever opens it says so.
    assert!(home.run(&["show", "half.jsonl"]).err.contains("half.jsonl"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_told_with_its_place() {
    let home = Home::new();
    home.file(
        "p/chat.json",
        json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]).to_string(),
    );
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, home.path().join("p").join(name)).unwrap();
    link("gone.jsonl", "lost.jsonl");
    link("chat.json", "again.json");
    link("gone", "notes.txt");
    let surveyed = home.run(&["survey", "p"]);
    assert_eq!((surveyed.code, surveyed.err.lines().count()), (0, 1), "{}", surveyed.err);
    assert!(surveyed.err.contains("warning: p/lost.jsonl: the link leads nowhere"), "{}", surveyed.err);
    assert!(surveyed.out.starts_with("1 session"), "{}", surveyed.out);
    std::fs::remove_file(home.path().join("p/chat.json")).unwrap();
    let nothing = home.run(&["survey", "p"]);
    assert_eq!((nothing.code, nothing.err.lines().count()), (2, 3), "{}", nothing.err);
}

#[test]
fn lines_of_programs_that_write_to_one_pipe_stay_whole() {
    const PROGRAMS: usize = 4;
    const EACH: usize = 16;
    let home = Home::new();
    let said: Vec<Value> = (0..120)
        .map(|at| json!({"role": if at % 2 == 0 { "user" } else { "assistant" }, "content": "word ".repeat(at * 7 % 90)}))
        .collect();
    let names: Vec<String> = (0..PROGRAMS * EACH).map(|at| format!("chat-{at}.json")).collect();
    for name in &names {
        home.file(name, json!({"model": "gpt-4o", "id": name, "messages": said}).to_string());
    }
    let (mut out, into) = std::io::pipe().unwrap();
    let children: Vec<_> = names
        .chunks(EACH)
        .map(|names| {
            let mut command = home.command();
            command.args(["survey", "--json", "-q"]).args(names).stdout(into.try_clone().unwrap());
            command.spawn().unwrap()
        })
        .collect();
    drop(into);
    // Whoever reads late finds the pipe full.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut out, &mut text).unwrap();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert!(text.len() > 64 << 10, "more than a pipe holds: {}", text.len());
    let mut told: Vec<String> = text.lines().map(|line| read(line)["path"].as_str().unwrap().to_owned()).collect();
    told.sort();
    assert_eq!(told.len(), names.len());
}

#[test]
fn files_of_a_folder_that_end_as_no_transcript_does_are_told_in_a_line() {
    let home = Home::new();
    home.file(
        "p/chat.json",
        json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}).to_string(),
    );
    for name in ["a.txt", "b.txt", "sub/c.md", "plain", ".hidden", ".git/objects/0a"] {
        home.file(&format!("p/{name}"), "nothing");
    }
    let done = home.run(&["survey", "p"]);
    let told: Vec<&str> = done.err.lines().filter(|line| line.contains("left out")).collect();
    let [told] = told.as_slice() else { panic!("{}", done.err) };
    assert!(told.starts_with("4 files left out") && told.contains("2 .txt, 1 .md, 1 without an ending"), "{told}");
    assert!(!home.run(&["survey", "p", "-q"]).err.contains("left out"));
    assert!(!home.run(&["survey", "p/chat.json"]).err.contains("left out"));
}

#[test]
fn of_nothing_to_merge_no_table_is_printed() {
    let home = Home::new();
    for (input, why) in [("", "no line of a survey came"), ("{}\n", "of 1 line none is one of a survey")] {
        for arguments in [&["survey", "--merge"][..], &["survey", "--merge", "--json"]] {
            let done = home.with_input(arguments, input.as_bytes());
            assert_eq!((done.out.as_str(), done.code), ("", 3), "{}", done.err);
            assert!(done.err.contains(why), "{}", done.err);
        }
    }
}
