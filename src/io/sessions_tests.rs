//! Sessions are found where agents keep them, newest first, and nothing else is.

use std::fs::File;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

use super::*;
use crate::transcript::{FORMATS, OpenError};

fn write(path: &Path, text: &str, age: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 - age);
    File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

const CLAUDE: &str = r#"{"type":"summary","summary":"x"}
{"type":"user","cwd":"/p","isMeta":true,"message":{"content":"Caveat: nothing"}}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","cwd":"/p","message":{"content":"fix the login"}}
{"type":"assistant","message":{"id":"msg_1","content":[]}}
{"type":"assistant","message":{"id":"msg_1","content":[]}}
broken
{"type":"system","subtype":"compact_boundary"}
{"type":"user","message":{"content":"more"}}
{"type":"assistant","message":{"id":"msg_2","content":[]}}
{"type":"ai-title","aiTitle":"Login"}"#;

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = |path: &str| home.path().join(path);
    write(&at(".claude/projects/-p/one.jsonl"), CLAUDE, 30);
    write(&at(".claude/projects/-p/agent-1.jsonl"), "{}", 1);
    write(&at(".claude/projects/-p/one/subagents/agent-2.jsonl"), "{}", 1);
    write(&at(".claude/projects/-p/one/tool-results/x.jsonl"), "{}", 1);
    write(&at(".claude/projects/-p/notes.txt"), "", 1);
    write(&at(".claude/history.jsonl"), "", 1);
    write(&at(".codex/sessions/2026/01/02/rollout-a.jsonl"), "", 10);
    write(&at(".codex/sessions/2026/01/02/else.jsonl"), "", 10);
    write(&at(".codex/archived_sessions/rollout-b.jsonl.zst"), "", 20);
    home
}

fn names(found: &[SessionFile]) -> Vec<&str> {
    found.iter().map(|file| file.path.file_name().unwrap().to_str().unwrap()).collect()
}

#[test]
fn packed_rollouts_of_either_kind_and_old_ones_are_found() {
    let home = tempfile::tempdir().unwrap();
    for name in ["rollout-a.jsonl.gz", "rollout-b.jsonl.zst", "rollout-c.json", "rollout-d.txt"] {
        write(&home.path().join(".codex/sessions/2026/01/02").join(name), "", 10);
    }
    let found = find_sessions(FORMATS, &Roots { home: Some(home.path().to_owned()), variable: &|_| None });
    assert_eq!(names(&found), ["rollout-a.jsonl.gz", "rollout-b.jsonl.zst", "rollout-c.json"]);
}

#[test]
fn sessions_are_found_newest_first() {
    let home = home();
    let roots = Roots { home: Some(home.path().to_owned()), variable: &|_| None };
    let found = find_sessions(FORMATS, &roots);
    assert_eq!(names(&found), ["rollout-a.jsonl", "rollout-b.jsonl.zst", "one.jsonl"]);
    assert_eq!(found.iter().map(|file| file.format).collect::<Vec<_>>(), ["codex", "codex", "claude_code"]);
    assert_eq!((found[2].modified, found[2].bytes), (1_699_999_970_000, CLAUDE.len() as u64));

    // A variable names another folder; where there is none, and no home, nothing is found.
    let other = home.path().join(".claude");
    let named = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| other.clone().into_os_string());
    assert_eq!(names(&find_sessions(FORMATS, &Roots { home: None, variable: &named })), ["one.jsonl"]);
    assert!(find_sessions(FORMATS, &Roots { home: None, variable: &|_| None }).is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let home = home();
    let outside = tempfile::tempdir().unwrap();
    write(&outside.path().join("secret.jsonl"), CLAUDE, 1);
    let projects = home.path().join(".claude/projects");
    std::os::unix::fs::symlink(outside.path(), projects.join("-link")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.jsonl"), projects.join("-p/link.jsonl")).unwrap();
    std::os::unix::fs::symlink(&projects, projects.join("-p/loop")).unwrap();
    let roots = Roots { home: Some(home.path().to_owned()), variable: &|_| None };
    assert_eq!(find_sessions(FORMATS, &roots).len(), 3);
}

#[test]
fn gists_are_found_out_in_the_background() {
    let home = home();
    let roots = Roots { home: Some(home.path().to_owned()), variable: &|_| None };
    let files = Arc::new(find_sessions(FORMATS, &roots));
    let (send, receive) = mpsc::channel();
    let gists = Gists::begin(Arc::clone(&files), move |index, found| _ = send.send((index, found)));
    let mut all: Vec<(usize, Option<Gist>)> = receive.iter().map(|(index, found)| (index, found.ok())).collect();
    all.sort_by_key(|(index, _)| *index);
    assert_eq!(gists.progress(), (3, 3));
    let expected = Gist {
        folder: Some("/p".to_owned()),
        title: Some("Login".to_owned()),
        prompt: Some("fix the login".to_owned()),
        steps: 2,
        compactions: 1,
    };
    assert_eq!(all[2], (2, Some(expected)));
    assert_eq!(all[0].1, Some(Gist::default()));
}

#[test]
fn a_fault_in_one_session_leaves_the_others() {
    let home = home();
    let roots = Roots { home: Some(home.path().to_owned()), variable: &|_| None };
    let files = Arc::new(find_sessions(FORMATS, &roots));
    let (send, receive) = mpsc::channel();
    let find = |file: &SessionFile, watch: &Watch| match file.format {
        "codex" => panic!("a fault"),
        _ => session_gist(file, watch),
    };
    let gists = Gists::begin_with(files, find, move |_, found| _ = send.send(found.map_err(|why| why.to_string())));
    let found: Vec<_> = receive.iter().collect();
    assert!(found[..2].iter().all(|found| found.as_ref().is_err_and(|why| why.contains("a fault inside windowpane"))));
    assert!(found[2].is_ok() && gists.progress() == (3, 3));
}

#[test]
fn what_is_shown_comes_first_and_dropping_ends_it() {
    let home = tempfile::tempdir().unwrap();
    for number in 0..60 {
        write(&home.path().join(format!(".claude/projects/-p/{number:02}.jsonl")), CLAUDE, number);
    }
    let roots = Roots { home: Some(home.path().to_owned()), variable: &|_| None };
    let files = Arc::new(find_sessions(FORMATS, &roots));
    // A channel without room holds the worker at each session until it is taken.
    let (send, receive) = mpsc::sync_channel(0);
    let gists = Gists::begin(files, move |index, _| _ = send.send(index));
    let first = receive.recv().unwrap();
    gists.prefer(&[50, 7, 50, 900]);
    let next: Vec<usize> = receive.iter().take(4).collect();
    // One may have been taken up before.
    let at = next.iter().position(|index| *index == 50).unwrap();
    assert!(first == 0 && at <= 1 && next[at + 1] == 7, "{next:?}");
    drop(gists);
    assert!(receive.iter().count() <= 2);
}

#[test]
fn a_session_that_is_gone_is_told() {
    let home = home();
    let roots = Roots { home: Some(home.path().to_owned()), variable: &|_| None };
    let files = find_sessions(FORMATS, &roots);
    fs::remove_file(&files[0].path).unwrap();
    assert!(session_gist(&files[0], &Watch::default()).is_err());
    let watch = Watch::default();
    watch.cancel();
    assert!(matches!(session_gist(&files[2], &watch), Err(OpenFileError::Format { why: OpenError::Cancelled, .. })));
}
