//! When Claude Code compacts by itself, and how much of a model's window it uses.

use crate::model::Version;

use super::super::habits::Habits;

/// The window that old versions used of any model.
const CLASSIC_WINDOW: u64 = 200_000;

/// What Claude Code does by itself, in a terminal and where its output is captured.
pub const HABITS: Habits = Habits {
    compacts_at,
    uses,
    smaller_window: Some(CLASSIC_WINDOW),
    // Its documentation of memory files. Those below the working folder, which a path calls in, it records.
    unrecorded_instructions: &["CLAUDE.md", "CLAUDE.local.md", ".claude/rules/"],
    loads_anew,
};

/// Measured on windows of 200,000 tokens: versions 2.0.76 to 2.1.20 fire at 155,000 tokens of context or more, 2.1.25 to
/// 2.1.42 at 167,000 or more. The changelog says of 2.1.21 that auto-compact had triggered too early on models with large
/// output limits. Of other windows the same reserve is an estimate.
fn compacts_at(version: Option<&Version>, window: u64) -> Option<u64> {
    let old = version.is_some_and(|version| version.is_before([2, 1, 21]));
    Some(window.saturating_sub(if old { 45_000 } else { 33_000 }))
}

/// Versions before 2.1.75 used 200,000 tokens of any model but where the model's name ended in `[1m]` (its changelog).
fn uses(version: Option<&Version>, window: u64, stated: bool) -> u64 {
    let old = version.is_some_and(|version| version.is_before([2, 1, 75]));
    if old && !stated { window.min(CLASSIC_WINDOW) } else { window }
}

/// Its documentation of memory files: those of the working folder and above it and the user's own are read again after a
/// compaction, and so is the index of what it remembers of the project; what a path called in is lost.
fn loads_anew(path: &str, folder: &str) -> bool {
    let (path, folder) = (path.replace('\\', "/"), folder.replace('\\', "/"));
    let Some((place, name)) = path.rsplit_once('/') else { return false };
    let holds = |place: &str| {
        let rest = folder.strip_prefix(place.trim_end_matches('/'));
        !folder.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let own = |place: &str| {
        let folders: Vec<&str> = place.trim_start_matches('/').split('/').collect();
        matches!(folders[..], ["root"] | [.., "home" | "Users", _])
    };
    match (name, place.strip_suffix("/.claude")) {
        ("CLAUDE.md", Some(above)) => holds(above) || own(above),
        ("CLAUDE.md" | "CLAUDE.local.md", _) => holds(place),
        ("MEMORY.md", _) => {
            let project = place.strip_suffix("/memory").and_then(|place| place.rsplit_once("/projects/"));
            let named = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '-' };
            let folder: String = folder.chars().map(named).collect();
            // A folder within a repository has the repository's memory.
            project.is_some_and(|(_, project)| !project.is_empty() && folder.starts_with(project))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_compacts_where_it_was_seen_to() {
        let at = |version: &str, window| compacts_at(Some(&Version::of(version)), window);
        assert_eq!(at("2.0.76", 200_000), Some(155_000));
        assert_eq!(at("2.1.20", 200_000), Some(155_000));
        assert_eq!(at("2.1.21", 200_000), Some(167_000));
        assert_eq!(at("2.1.25", 200_000), Some(167_000));
        assert_eq!(compacts_at(None, 200_000), Some(167_000));
        assert_eq!(at("2.1.232", 1_000_000), Some(967_000));
        assert_eq!(at("x.y", 0), Some(0));
    }

    #[test]
    fn it_starts_with_memory_files_that_no_record_holds() {
        for (path, loaded) in [
            ("/home/me/app/CLAUDE.md", true),
            ("CLAUDE.md", true),
            ("/home/me/.claude/CLAUDE.md", true),
            (r"C:\app\CLAUDE.local.md", true),
            ("/app/.claude/rules/web/style.md", true),
            ("/app/AGENTS.md", false),
            ("/app/NOTCLAUDE.md", false),
        ] {
            assert_eq!(HABITS.loads_unrecorded(path), loaded, "{path}");
            assert!(!Habits::NONE.loads_unrecorded(path));
        }
    }

    #[test]
    fn it_reads_memory_files_again_but_for_those_that_a_path_called_in() {
        let folder = "/home/me/app";
        for (path, anew) in [
            ("/home/me/app/CLAUDE.md", true),
            ("/home/me/CLAUDE.md", true),
            ("/home/me/app/.claude/CLAUDE.md", true),
            ("/home/me/.claude/CLAUDE.md", true),
            ("/root/.claude/CLAUDE.md", true),
            ("/home/me/.claude/projects/-home-me-app/memory/MEMORY.md", true),
            ("/home/me/.claude/projects/-home-you/memory/MEMORY.md", false),
            ("/home/me/app/api/CLAUDE.md", false),
            ("/home/me/application/CLAUDE.md", false),
            ("/home/me/app/AGENTS.md", false),
            ("/home/me/app/MEMORY.md", false),
            ("CLAUDE.md", false),
        ] {
            assert_eq!((HABITS.loads_anew)(path, folder), anew, "{path}");
        }
        assert!(!(HABITS.loads_anew)("/home/me/app/CLAUDE.md", ""));
    }

    #[test]
    fn old_versions_used_200k_of_any_model() {
        let used = |version: &str, stated| uses(Some(&Version::of(version)), 1_000_000, stated);
        assert_eq!(used("2.1.39", false), 200_000);
        assert_eq!(used("2.1.39", true), 1_000_000);
        assert_eq!(used("2.1.232", false), 1_000_000);
        assert_eq!(uses(None, 1_000_000, false), 1_000_000);
    }
}
