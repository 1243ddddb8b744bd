//! What can go wrong: exit statuses, broken pipes, files that are there, input that nobody can read.

use std::io::{Read, Write};
use std::process::Stdio;

use super::runner::{Home, fixture, placed};

#[test]
fn a_step_that_is_none_is_refused_before_anything_is_prepared_for_it() {
    let home = Home::with_cache();
    let session = placed(&home, "claude-code.jsonl");
    home.file("notes.txt", "just words\n");
    let show = |step: &str| home.run(&["show", &session, "--step", step, "-f", "notes.txt"]);
    let refused = show("999");
    assert!(refused.code == 2 && refused.err.contains("there is no step 999"), "{}", refused.err);
    // What was counted on the way would be kept.
    let counts = home.path().join("cache/counts");
    assert!(!counts.exists());
    assert_eq!(show("2").code, 0);
    assert!(counts.exists());
}

#[test]
fn what_cannot_be_swept_or_followed_is_told_in_short() {
    let home = Home::new();
    let session = fixture("demo/lost-fact.jsonl.gz");
    let long = "harbour ".repeat(2_000);
    let at = "summarise.at";
    for (arguments, why) in [
        (vec!["sweep", &session, "x", "--vary", at, "--vary", at], "--vary summarise.at is given twice"),
        (vec!["sweep", &session, "x", "--vary", "summarise.target=1..10:0"], "a step of 0 never ends"),
        (vec!["sweep", &session, "x", "--vary", "summarise.at="], "--vary summarise.at= names no values"),
        (vec!["trace", &session, &long], "the fact has more than"),
    ] {
        let done = home.run(&arguments);
        assert!(done.code == 2 && done.err.contains(why) && done.err.len() < 400, "{why}: {}", done.err);
    }
}

#[test]
fn exit_statuses() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("not.txt", "just words\n");
    home.file("empty.jsonl", "");
    home.file("bad.toml", "mose = true\n");
    let cases: &[(i32, &[&str], &str)] = &[
        (2, &["show"], "TRANSCRIPT"),
        (2, &["show", &session, "--no-such"], "--no-such"),
        (2, &["show", &session, "--step", "0"], "a step is a number from 1"),
        (2, &["show", &session, "--step", "999"], "there is no step 999"),
        (2, &["show", &session, "--thread", "9"], "there is no thread 9"),
        (2, &["show", &session, "--encoding", "x"], "there is no encoding"),
        (2, &["show", &session, "--format-in", "x"], "claude_code"),
        (2, &["show", &session, "--config", "bad.toml"], "did you mean \"mouse\""),
        (2, &["show", &session, "--set", "calibrate=maybe"], "calibrate"),
        (2, &[&session, "show", &session], "put it after"),
        (2, &["pack", &session, "--as", "word"], "markdown"),
        (2, &["pack", &session, "-o", "x", "--manifest", "x"], "cannot be the same"),
        (2, &["demo", "no-such-lesson"], "lost-fact"),
        (2, &["completions", "tcsh"], "bash"),
        (3, &["show", "no-such-file"], "no-such-file"),
        (3, &["no-such-file"], "no-such-file"),
        (3, &["show", "not.txt"], "Claude Code"),
        (3, &["not.txt"], "looked for"),
        (3, &["show", "empty.jsonl"], "empty.jsonl"),
        (3, &["show", "-"], "-"),
        (3, &["count", "no-such-file"], "no-such-file"),
        (3, &["show", &session, "--system", "no-such-file"], "no-such-file"),
        (3, &["pack", &session, "-o", "no/such/folder/x"], "no/such/folder/x"),
        (0, &["--help"], ""),
        (0, &["--version"], ""),
        (0, &["--json", "show", &session], ""),
        (0, &["show", "--step", "last", "--json", &session, "-q"], ""),
        (0, &["demo", "--step", "3"], ""),
        (0, &["show", &session, "--set", "calibrate=off"], ""),
    ];
    for (code, arguments, words) in cases {
        let done = home.run(arguments);
        assert_eq!(done.code, *code, "{arguments:?}: {}", done.err);
        assert!(done.err.contains(words), "{arguments:?}: {}", done.err);
        assert_eq!(done.out.is_empty(), *code != 0, "{arguments:?}");
    }
}

#[test]
fn options_may_stand_before_the_command_or_after() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let before = home.run(&["--json", "--step", "2", "show", &session]).good();
    let after = home.run(&["show", &session, "--step", "2", "--json"]).good();
    assert_eq!(before, after);
    // What stands nearer to the command wins.
    assert_eq!(home.run(&["--step", "1", "show", &session, "--step", "2", "--json"]).good(), after);
}

#[test]
fn a_broken_pipe_is_success() {
    let home = Home::new();
    let mut command = home.command();
    command.args(["run", &fixture("demo/lost-fact.jsonl.gz"), "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn nothing_is_written_over_and_nothing_half_written_is_left() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    home.file("there.md", "mine");
    let refused = home.run(&["pack", &session, "-o", "there.md", "--manifest", "new.json"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--force"));
    let files = || {
        let mut names: Vec<String> = std::fs::read_dir(home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(files(), ["claude-code.jsonl", "there.md"]);
    home.run(&["pack", &session, "-o", "there.md", "--manifest", "new.json", "--force"]).good();
    assert_eq!(files(), ["claude-code.jsonl", "new.json", "there.md"]);
    assert!(std::fs::read_to_string(home.path().join("there.md")).unwrap().starts_with("# The window"));
    let refused = home.run(&["pack", &session, "-o", "other.md", "--manifest", "new.json"]);
    assert_eq!((refused.code, home.path().join("other.md").exists()), (2, false));
}

#[test]
fn standard_input_and_packed_files_read_alike() {
    let home = Home::new();
    let session = std::fs::read(fixture("claude-code.jsonl")).unwrap();
    let path = placed(&home, "claude-code.jsonl");
    let plain = home.run(&["run", &path, "--json"]).good();
    assert_eq!(home.with_input(&["run", "-", "--json"], &session).good(), plain);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, &session).unwrap();
    home.file("session.gz", packer.finish().unwrap());
    assert_eq!(home.run(&["run", "session.gz", "--json"]).good(), plain);
}

#[test]
fn a_packed_document_that_breaks_off_says_so_from_a_pipe_as_from_a_file() {
    let home = Home::new();
    // Every row another, so that half of the file is half of the rows.
    let rows: String =
        (0u64..4_000).map(|row| format!("{row},{}\n", row.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(format!("row,sign\n{rows}").as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    for part in [packed.len(), packed.len() / 2] {
        let bytes = &packed[..part];
        std::fs::write(home.path().join("rows.gz"), bytes).unwrap();
        let file = home.run(&["convert", "rows.gz"]);
        let pipe = home.with_input(&["convert", "-"], bytes);
        assert_eq!((pipe.code, &pipe.out), (0, &file.out));
        assert!(pipe.out.contains("1000"), "{}", pipe.out);
        for done in [&file, &pipe] {
            let told = done.err.contains("it cannot be unpacked to its end");
            assert_eq!(told, part < packed.len(), "{}", done.err);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_attached_as_a_file_is() {
    let home = Home::new();
    let session = placed(&home, "claude-code.jsonl");
    let pipe = home.path().join("pipe.txt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, "words from a pipe\n"));
    let shown = home.run(&["show", &session, "--step", "2", "-f", "pipe.txt@2", "--text"]).good();
    writer.join().unwrap().unwrap();
    assert!(shown.contains("words from a pipe"), "{shown}");
    let refused = home.run(&["show", &session, "-f", "/dev/zero"]);
    assert!(refused.code != 0 && refused.err.contains("a device that did not end"), "{}", refused.err);
}
