//! The workspace: large results as files of a session, and paths that nobody gets out by (source 4).

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};
use windowpane::io::{Workspace, WorkspaceError};

use crate::cli::runner::Home;

const SESSION: &str = "0b5c-4711";

fn workspace(data: &Path) -> Workspace {
    Workspace::open(data, "me", SESSION).unwrap()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

#[test]
fn files_are_saved_whole_and_stay_as_they_are() {
    let (_held, data) = folder();
    let workspace = workspace(&data);
    assert!(!data.join("workspaces").exists(), "nothing is made before something is saved");
    let host = workspace.save("/workspace/out/query.csv", b"a,b\n", false).unwrap();
    assert_eq!(host, data.join("workspaces/me").join(SESSION).join("out/query.csv"));
    assert_eq!(workspace.read("/workspace/./out//x/../query.csv").unwrap(), b"a,b\n");
    workspace.save("/workspace/out/query.csv", b"a,b\n", false).unwrap();
    let refused = workspace.save("/workspace/out/query.csv", b"other", false).unwrap_err().to_string();
    assert!(refused.contains("there already") && std::fs::read(&host).unwrap() == b"a,b\n", "{refused}");
    workspace.save("/workspace/out/query.csv", b"other", true).unwrap();
    assert_eq!(std::fs::read(&host).unwrap(), b"other");
    assert_eq!(std::fs::read_dir(host.parent().unwrap()).unwrap().count(), 1, "nothing half-written is left");
    assert_eq!(workspace.to_container(&host).unwrap(), "/workspace/out/query.csv");
    assert_eq!(workspace.to_host("/workspace").unwrap(), workspace.root());
    let private = workspace.save_private(b"{}").unwrap();
    assert_eq!(private, data.join("workspaces/_private-data/me").join(format!("{SESSION}.json")));
    assert!(workspace.to_container(&private).is_err() && private.is_file());
}

#[test]
fn no_path_leads_out_of_the_workspace() {
    let (_held, data) = folder();
    let workspace = workspace(&data);
    workspace.save("/workspace/a.txt", b"a", false).unwrap();
    std::fs::write(data.join("secret"), "secret").unwrap();
    for path in [
        "/etc/passwd",
        "/workspace/../secret",
        "/workspace/../../../secret",
        "/workspace/a.txt/../../../../secret",
        "/workspace2/a.txt",
        "/workspaces/a.txt",
        "secret",
        "../secret",
        "",
        "/",
        "/workspace/..\\..\\secret",
        "/workspace/C:\\secret",
        "/workspace/a\0.txt",
        "\\\\host\\share",
        "/workspace/\u{202e}/../..",
        "/proc/self/environ",
    ] {
        assert!(matches!(workspace.to_host(path), Err(WorkspaceError::Path { .. })), "{path:?}");
        assert!(workspace.read(path).is_err() && workspace.save(path, b"x", true).is_err(), "{path:?}");
    }
    let root = workspace.root().to_owned();
    let other = Workspace::open(&data, "me", "another").unwrap().root().join("a.txt");
    for path in [
        data.join("secret"),
        root.join("../secret"),
        root.join("a/../../b"),
        root.join("../0b5c-4711-x/a"),
        other,
        PathBuf::from("a.txt"),
        PathBuf::from("/"),
        PathBuf::from(".."),
        root.join("nul"),
    ] {
        assert!(workspace.to_container(&path).is_err(), "{}", path.display());
    }
    assert_eq!(workspace.to_container(&root.join("x/../a.txt")).unwrap(), "/workspace/a.txt");
    assert!(workspace.read("/workspace").is_err() && workspace.save("/workspace", b"x", true).is_err());
    assert_eq!(std::fs::read(data.join("secret")).unwrap(), b"secret");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (_held, data) = folder();
    let (_away, outside) = folder();
    std::fs::write(outside.join("secret"), "secret").unwrap();
    let workspace = workspace(&data);
    workspace.save("/workspace/a.txt", b"a", false).unwrap();
    let root = workspace.root().to_owned();
    symlink(outside.join("secret"), root.join("file")).unwrap();
    symlink(&outside, root.join("folder")).unwrap();
    symlink(outside.join("nowhere"), root.join("dangling")).unwrap();
    symlink("a.txt", root.join("inside")).unwrap();
    for path in ["file", "folder/secret", "folder/new", "dangling", "inside", "folder/../folder/secret"] {
        let path = format!("/workspace/{path}");
        assert!(workspace.read(&path).is_err(), "{path}");
        assert!(workspace.save(&path, b"overwritten", false).is_err(), "{path}");
    }
    // With force a link is replaced by a file; what it led to stays.
    workspace.save("/workspace/file", b"mine", true).unwrap();
    workspace.save("/workspace/dangling", b"mine", true).unwrap();
    assert!(workspace.save("/workspace/folder/new", b"x", true).is_err());
    assert_eq!(std::fs::read(outside.join("secret")).unwrap(), b"secret");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(std::fs::read(root.join("file")).unwrap(), b"mine");
    // A link in the place of the user's folder, too.
    let (_other, data) = folder();
    std::fs::create_dir(data.join("workspaces")).unwrap();
    symlink(&outside, data.join("workspaces/me")).unwrap();
    assert!(matches!(self::workspace(&data).save("/workspace/a", b"x", true), Err(WorkspaceError::Link(_))));
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    // The folder that the user names may be a link: that is their own.
    let link = outside.join("link");
    symlink(&data, &link).unwrap();
    std::fs::remove_file(data.join("workspaces/me")).unwrap();
    self::workspace(&link).save("/workspace/a", b"x", false).unwrap();
    assert!(data.join("workspaces/me").join(SESSION).join("a").is_file());
}

/// A name is given to a file and to a pipe, time and again, while the file is read: nobody waits for a writer.
#[cfg(unix)]
#[test]
fn a_pipe_that_takes_the_place_of_a_file_is_not_waited_for() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (_held, data) = folder();
    let workspace = workspace(&data);
    workspace.save("/workspace/a", b"a", false).unwrap();
    let root = workspace.root().to_owned();
    let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let (done, mut read) = (AtomicBool::new(false), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for from in ["pipe", "a"] {
                    let _ = std::fs::hard_link(root.join(from), root.join("next"));
                    let _ = std::fs::rename(root.join("next"), root.join("moving"));
                }
            }
        });
        for _ in 0..20_000 {
            match workspace.read("/workspace/moving") {
                Ok(bytes) => {
                    assert_eq!(bytes, b"a");
                    read += 1;
                }
                Err(why) => assert!(why.to_string().contains("/workspace/moving"), "{why}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(read > 0);
}

#[test]
fn ids_are_names_of_folders_whatever_they_say() {
    let (_held, data) = folder();
    let hostile = [
        "",
        ".",
        "..",
        "../../etc",
        "a/b",
        "a\\b",
        "_private-data",
        "nul",
        "C:",
        "\0",
        "A",
        "a",
        "x-a",
        "é",
        "-rf",
        "a.",
    ];
    let mut roots = Vec::new();
    for id in hostile {
        let workspace = Workspace::open(&data, id, id).unwrap();
        let inner = workspace.root().strip_prefix(data.join("workspaces")).unwrap();
        assert_eq!(inner.components().count(), 2, "{id:?}");
        assert!(!inner.starts_with("_private-data"), "{id:?}");
        workspace.save("/workspace/a", id.as_bytes(), false).unwrap();
        roots.push(workspace.root().to_string_lossy().to_lowercase());
    }
    roots.sort();
    roots.dedup();
    assert_eq!(roots.len(), hostile.len(), "no two share a folder");
}

proptest! {
    #[test]
    fn whatever_is_converted_comes_back_and_stays_below(path in "(/workspace)?(/?([a-z.]{1,3}|\\.\\.|\\.|é|[ -~]{1,4})){0,6}") {
        let (_held, data) = folder();
        let workspace = workspace(&data);
        if let Ok(host) = workspace.to_host(&path) {
            prop_assert!(host.starts_with(workspace.root()));
            prop_assert!(host.components().all(|part| part.as_os_str() != ".."));
            let back = workspace.to_container(&host).unwrap();
            prop_assert_eq!(workspace.to_host(&back).unwrap(), host);
        }
        if let Ok(back) = workspace.to_container(Path::new(&path)) {
            prop_assert!(workspace.to_host(&back).unwrap().starts_with(workspace.root()));
        }
        if let Ok(back) = workspace.to_container(&workspace.root().join(&path)) {
            prop_assert!(back == "/workspace" || back.starts_with("/workspace/"));
        }
    }
}

#[test]
fn results_are_saved_in_the_workspace_and_read_back() {
    let home = Home::new();
    let rows: String = (0..600).map(|row| format!("row {row}, QX-{row}\n")).collect();
    let messages = json!([
        {"role": "user", "content": "Query it."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "query", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": rows},
        {"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."}]);
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    let data = home.path().join("below/data");
    let policy = ["--set", "tool_results.on=true", "--set", "tool_results.virtual_over=1000"];
    let run = |arguments: &[&str]| {
        let saved = ["--set", "tool_results.virtual_head=50", "--set", "tool_results.workspace=true"];
        home.run(&[arguments, &policy, &saved].concat())
    };
    let packed = run(&["pack", "chat.json", "--as", "text", "--workspace", "below/data"]);
    assert!(packed.err.contains("/workspace/vf_1.txt: "), "{}", packed.err);
    let out = packed.good();
    assert!(out.contains("was saved to /workspace/vf_1.txt") && !out.contains("QX-599"), "{out}");
    let user = data.join("workspaces/me");
    let session = std::fs::read_dir(&user).unwrap().next().unwrap().unwrap().path();
    let file = session.join("vf_1.txt");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), rows);
    let private = std::fs::read_dir(data.join("workspaces/_private-data/me")).unwrap().next().unwrap().unwrap().path();
    let about: Value = serde_json::from_slice(&std::fs::read(private).unwrap()).unwrap();
    assert_eq!(
        (&about["files"][0]["path"], &about["files"][0]["bytes"]),
        (&json!("/workspace/vf_1.txt"), &json!(rows.len()))
    );
    // The agent reads on by the path that it was told; so does a person by the path of this machine.
    let host = file.canonicalize().unwrap().to_string_lossy().into_owned();
    let here = file.strip_prefix(home.path()).unwrap().to_string_lossy().into_owned();
    let in_data = &["--workspace", "below/data"][..];
    for (path, more) in [("/workspace/vf_1.txt", &[][..]), (&host, in_data), (&here, in_data), ("vf_1", &[])] {
        let found = run(&[&["tool", "chat.json", "file_regex", path, "QX-599", "--json"], more].concat()).good();
        assert!(serde_json::from_str::<Value>(&found).unwrap()["answer"]["text"].as_str().unwrap().contains("row 599"));
    }
    // A file that only the sandbox knows.
    std::fs::write(session.join("notes.md"), "by hand").unwrap();
    let notes =
        run(&["tool", "chat.json", "load_file", "/workspace/x/../notes.md", "--workspace", "below/data", "--json"])
            .good();
    assert_eq!(serde_json::from_str::<Value>(&notes).unwrap()["answer"]["text"], "by hand");
    for hostile in ["/etc/passwd", "/workspace/../../secret", "id=/workspace/../x"] {
        let refused = run(&["tool", "chat.json", "load_file", hostile, "--workspace", "below/data"]);
        assert!(refused.code == 2 && refused.err.contains("leads out of /workspace"), "{}", refused.err);
    }
    // Where none is made, it says which settings are missing.
    let none =
        home.run(&["pack", "chat.json", "--as", "text", "--workspace", "below/data", "--set", "tool_results.on=false"]);
    assert!(none.err.contains("tool_results.on=true"), "{}", none.err);
    // Another text under the same name is not written over.
    std::fs::write(&file, "changed").unwrap();
    let again = run(&["pack", "chat.json", "--as", "text", "--workspace", "below/data"]);
    assert!(again.code != 0 && again.err.contains("says something else"), "{}", again.err);
    run(&["pack", "chat.json", "--as", "text", "--workspace", "below/data", "--force"]).good();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), rows);
}

#[test]
fn a_skill_in_the_workspace_stays_one_whatever_its_path_looks_like() {
    let home = Home::new();
    let data = home.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let results = (0..2_000).map(|row| format!("row {row}\n")).collect::<String>();
    let messages = json!([
        {"role": "user", "content": "Query it."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "query", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": results}, {"role": "user", "content": "Thanks."}]);
    home.file("chat.json", json!({"model": "gpt-4o", "messages": messages}).to_string());
    // Saving makes the folder of the session.
    let saved = ["--set", "tool_results.on=true", "--set", "tool_results.virtual_over=1000"];
    home.run(&[&["pack", "chat.json", "--as", "text", "--workspace", "data"][..], &saved].concat()).good();
    let session = std::fs::read_dir(data.join("workspaces/me")).unwrap().next().unwrap().unwrap().path();
    let session = session.canonicalize().unwrap();
    std::fs::create_dir_all(session.join("skills/docs")).unwrap();
    std::fs::write(session.join("skills/docs/SKILL.md"), "---\nname: secret\n---\nTHE TEXT").unwrap();
    std::fs::hard_link(session.join("skills/docs/SKILL.md"), session.join("copy.txt")).unwrap();
    let skills = session.join("skills").to_string_lossy().into_owned();
    let relative = format!("data/workspaces/me/{}/skills", session.file_name().unwrap().to_string_lossy());
    let paths = [
        format!("{skills}/docs/SKILL.md"),
        format!("{skills}/../skills/./docs/SKILL.md"),
        "/workspace/skills/docs/SKILL.md".to_owned(),
        "id=/workspace/x/..//skills/docs/SKILL.md".to_owned(),
        "/workspace/copy.txt".to_owned(),
    ];
    for (folder, path) in
        [&skills, &relative].into_iter().flat_map(|folder| paths.iter().map(move |path| (folder, path)))
    {
        let run = |more: &[&str]| {
            let call = ["tool", "chat.json", "file_read", path, "--workspace", "data", "--skills", folder];
            home.run(&[&call[..], more].concat())
        };
        let refused = run(&["--set", "skills.prohibited=secret"]);
        assert!(!refused.out.contains("THE TEXT") && !refused.err.contains("THE TEXT"), "{path}: {}", refused.out);
        assert!(run(&[]).good().contains("THE TEXT"), "{path}");
    }
    // A link is not followed, whatever it leads to: what is said is that, and by its own path the skill is read.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(session.join("skills/docs/SKILL.md"), session.join("note.md")).unwrap();
        std::os::unix::fs::symlink(session.join("skills/docs"), session.join("linked")).unwrap();
        let host = session.join("note.md").to_string_lossy().into_owned();
        for (path, link) in [
            ("/workspace/note.md", "/workspace/note.md"),
            (host.as_str(), "/workspace/note.md"),
            ("/workspace/linked/SKILL.md", "/workspace/linked"),
        ] {
            let call = ["tool", "chat.json", "file_read", path, "--workspace", "data", "--skills", &skills];
            let refused = home.run(&call);
            assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{path}");
            let told = format!("error: {link}: it is a link, and links are not followed");
            assert!(refused.err.starts_with(&told), "{path}: {}", refused.err);
        }
    }
}
