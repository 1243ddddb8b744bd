//! Writing memories to disk and being killed meanwhile: all of it is there then, or all is as it was.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::runner::Home;

fn kept(home: &Home) -> String {
    home.run(&["memory", "export"]).good()
}

#[test]
fn a_killed_import_leaves_all_or_nothing() {
    const MEMORIES: usize = 4_000;
    let home = Home::new();
    let row = |at: usize| {
        format!("{{\"scope\": \"user\", \"owner\": \"me\", \"text\": \"Memory {at} of {}\"}}\n", "x".repeat(200))
    };
    home.file("many.jsonl", (0..MEMORIES).map(row).collect::<String>());
    home.file("one.jsonl", "{\"scope\": \"user\", \"owner\": \"me\", \"text\": \"first of all\"}\n");
    home.run(&["memory", "import", "one.jsonl"]).good();
    for wait in [5, 20, 60, 120, 250, 500] {
        let mut command = home.command();
        command.args(["memory", "import", "many.jsonl"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        let kept = kept(&home).lines().count();
        assert!(kept == 1 || kept == MEMORIES + 1, "{kept} after {wait} ms");
    }
    home.run(&["memory", "import", "many.jsonl"]).good();
    assert_eq!(kept(&home).lines().count(), MEMORIES + 1);
}

/// A conversation that goes on about something after a beginning that is always the same.
fn about(word: &str) -> String {
    let words = |at: usize| (0..12).map(|part| format!("{word}{at}p{part} ")).collect::<String>();
    let said = |at: usize| if at < 2 { format!("Beginning {at}.") } else { words(at) };
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    let messages: Vec<Value> = (0..160).map(|at| json!({"role": role(at), "content": said(at)})).collect();
    json!({"model": "gpt-4o", "messages": messages}).to_string()
}

#[test]
fn a_session_whose_keeping_is_killed_is_kept_whole_or_as_it_was() {
    let home = Home::new();
    let folder = home.path().join("data");
    let command = |arguments: &[&str]| {
        let mut command = home.command();
        command.env("WINDOWPANE_DATA", &folder).args(arguments).stderr(Stdio::null());
        command
    };
    let kept = || {
        let done = command(&["memory", "export"]).output().unwrap();
        assert!(done.status.success());
        String::from_utf8(done.stdout).unwrap().lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
    };
    let keep = ["memory", "chat.json", "--keep", "--set", "memory.preserve=none"];
    // What it said before goes as it says something else: both are written, or neither.
    let states = ["heron", "falcon"].map(|word| {
        home.file("chat.json", about(word));
        assert!(command(&keep).stdout(Stdio::null()).status().unwrap().success());
        kept()
    });
    assert!(states.iter().all(|state| state.len() > 150) && states[0].intersection(&states[1]).count() < 10);
    let mut killed = 0;
    for (wait, word) in [0, 1, 3, 8, 20, 50].into_iter().zip(["heron", "falcon"].into_iter().cycle()) {
        home.file("chat.json", about(word));
        let mut child = command(&keep).stdout(Stdio::null()).spawn().unwrap();
        let is_written = || std::fs::metadata(folder.join("memories.db-wal")).is_ok_and(|file| file.len() > 0);
        while !is_written() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_millis(wait));
        // It may have ended by itself.
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().code().is_none());
        let now = kept();
        assert!(states.contains(&now), "{} rows, {wait} ms after it began to write", now.len());
    }
    assert!(killed > 0);
}

#[test]
fn rows_of_a_memory_that_is_gone_are_removed_with_a_word() {
    let home = Home::new();
    let folder = home.path().join("data");
    home.file("chat.json", about("heron"));
    let keep = || {
        let mut command = home.command();
        let done = command.env("WINDOWPANE_DATA", &folder).args(["memory", "chat.json", "--keep"]).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stderr).unwrap()
    };
    let word = "warning: 1 row of memories.db referred to a memory which is not there: removed";
    assert!(!keep().contains(word));
    let file = rusqlite::Connection::open(folder.join("memories.db")).unwrap();
    file.execute_batch("PRAGMA foreign_keys = off; DELETE FROM memories WHERE id = 1").unwrap();
    drop(file);
    let said = keep();
    assert!(said.contains(word) && said.contains("1 new memory is kept on disk"), "{said}");
    assert!(said.contains("the file as it was is kept as memories.db.repaired-1"), "{said}");
    assert!(!keep().contains(word));
    // Who wants no warnings gets none; the file is mended all the same.
    let file = rusqlite::Connection::open(folder.join("memories.db")).unwrap();
    file.execute_batch("PRAGMA foreign_keys = off; UPDATE said SET memory = 999999 WHERE memory = 2").unwrap();
    drop(file);
    let mut command = home.command();
    let quiet = command.env("WINDOWPANE_DATA", &folder).args(["memory", "export", "-", "-q"]).output().unwrap();
    assert!(quiet.status.success() && quiet.stderr.is_empty(), "{}", String::from_utf8_lossy(&quiet.stderr));
    assert!(folder.join("memories.db.repaired-2").exists() && !keep().contains("memories.db"));
}

/// A folder of memories whose file has a damaged page.
fn damaged(home: &Home, name: &str) -> std::path::PathBuf {
    let row =
        |at: usize| format!("{{\"scope\": \"user\", \"owner\": \"me\", \"text\": \"Memory {at} is kept here.\"}}\n");
    let rows = home.file("rows.jsonl", (0..2_000).map(row).collect::<String>());
    let folder = home.path().join(name);
    let mut command = home.command();
    assert!(
        command.env("WINDOWPANE_DATA", &folder).args(["memory", "import"]).arg(rows).output().unwrap().status.success()
    );
    let mut bytes = std::fs::read(folder.join("memories.db")).unwrap();
    let text = b"Memory 1000 is kept here.";
    let at = bytes.windows(text.len()).position(|part| part == text).unwrap();
    bytes[at / 4096 * 4096..][..4096].fill(0x5a);
    std::fs::write(folder.join("memories.db"), &bytes).unwrap();
    folder
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let all = std::fs::read_dir(folder).unwrap().flatten();
    all.map(|one| one.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn several_programs_that_find_a_damaged_file_lose_nothing_more() {
    let home = Home::new();
    for round in 0..3 {
        let folder = damaged(&home, &format!("at-once-{round}"));
        let export = || {
            let mut command = home.command();
            command.env("WINDOWPANE_DATA", &folder).args(["memory", "export"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let all: Vec<_> = (0..4).map(|_| export()).collect();
        for one in all {
            let done = one.wait_with_output().unwrap();
            let (kept, said) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
            assert!(done.status.success() && kept.lines().count() > 1_900, "{} {said}", kept.lines().count());
        }
        let aside: Vec<String> = names(&folder).into_iter().filter(|name| name.contains("damaged")).collect();
        assert_eq!(aside, ["memories.db.damaged-1"]);
    }
}

#[test]
fn a_mending_that_is_killed_loses_nothing_and_leaves_nothing_half() {
    let home = Home::new();
    for wait in [2, 5, 10, 20, 40, 80] {
        let folder = damaged(&home, &format!("killed-{wait}"));
        let mut command = home.command();
        command.env("WINDOWPANE_DATA", &folder).args(["memory", "export"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        let done = home.command().env("WINDOWPANE_DATA", &folder).args(["memory", "export"]).output().unwrap();
        let kept = String::from_utf8(done.stdout).unwrap().lines().count();
        assert!(kept > 1_900, "{kept} after {wait} ms: {}", String::from_utf8_lossy(&done.stderr));
        let names = names(&folder);
        assert!(names.iter().all(|name| name.starts_with("memories.db")), "{names:?}");
        assert_eq!(names.iter().filter(|name| name.contains("damaged")).count(), 1, "{names:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_of_documents_ends_with_the_program_that_started_it() {
    let home = Home::new();
    // Long enough to be read for many seconds.
    let rows = "<row><cell a='1'>text &amp; more</cell><cell/></row>".repeat(600_000);
    let path = home.file("long.xml", format!("<table>{rows}</table>"));
    // One that has ended and that nobody has asked about yet has no parent here.
    let parent_of = |process: &str| -> Option<u32> {
        let told = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let (state, told) = told.rsplit_once(") ")?.1.split_once(' ')?;
        if matches!(state, "Z" | "X") { None } else { told.split(' ').next()?.parse().ok() }
    };
    // Also before it has looked who started it.
    for wait in [0, 300] {
        let mut command = home.command();
        let mut program = command
            .args(["convert", "--limits"])
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let worker = (0..500).find_map(|_| {
            std::thread::sleep(Duration::from_millis(10));
            let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
            processes.filter_map(|name| name.into_string().ok()).find(|name| parent_of(name) == Some(program.id()))
        });
        let worker = worker.expect("a worker is started");
        std::thread::sleep(Duration::from_millis(wait));
        assert!(program.try_wait().unwrap().is_none(), "it was read too fast to be killed");
        program.kill().unwrap();
        program.wait().unwrap();
        let begun = std::time::Instant::now();
        while parent_of(&worker).is_some() {
            assert!(begun.elapsed() < Duration::from_secs(20), "its worker goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
