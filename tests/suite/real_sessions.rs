//! What a list of sessions tells of real ones, held against their reading as a whole.

use windowpane::content::Watch;
use windowpane::io::{Roots, find_sessions, session_gist};
use windowpane::model::{Op, ThreadKind};
use windowpane::transcript::FORMATS;

use crate::data;

#[test]
fn a_list_tells_what_a_reading_finds() {
    // Real sessions, put where the agents keep theirs.
    let home = tempfile::tempdir().expect("a folder");
    let mut expected = Vec::new();
    for (format, folder) in [("claude_code", ".claude/projects/-p"), ("codex", ".codex/sessions/2026/01/02")] {
        for path in data::transcripts(format) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if name.starts_with("agent-") && !name.starts_with("agent-sessions") || !name.ends_with(".jsonl") {
                continue;
            }
            let to = home.path().join(folder).join(format!("rollout-{name}"));
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            std::fs::copy(&path, &to).expect("a copy");
            expected.push((to, data::open(&path).1));
        }
    }
    let found = find_sessions(FORMATS, &Roots { home: Some(home.path().to_owned()), variable: &|_| None });
    assert_eq!(found.len(), expected.len());
    for file in &found {
        let (_, transcript) = expected.iter().find(|(path, _)| *path == file.path).expect("a session of ours");
        let gist = session_gist(file, &Watch::default()).expect("a gist");
        let name = file.path.display();
        let main: Vec<_> = transcript.threads.iter().filter(|thread| thread.kind == ThreadKind::Main).collect();
        let steps = main.iter().map(|thread| thread.requests.len()).sum::<usize>();
        assert_eq!(gist.steps, steps as u64, "steps of {name}");
        let ops = main.iter().flat_map(|thread| &thread.ops);
        let compactions = ops.filter(|op| matches!(op, Op::Compact(_))).count();
        assert_eq!(gist.compactions, compactions as u64, "compactions of {name}");
        assert_eq!(file.format, transcript.format);
        let prompt = gist.prompt.unwrap_or_default();
        assert!(!prompt.is_empty() && !prompt.starts_with("# AGENTS.md"), "prompt of {name}");
        assert!(prompt.chars().count() <= 300 && !prompt.contains('\n'), "prompt of {name}");
    }
}
