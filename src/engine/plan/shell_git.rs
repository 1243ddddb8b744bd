//! What git takes away, moves, or puts into files.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_commands::{all_untold, flagged, gone, moved, name_of};
use super::shell_patches::applied;

/// What makes of the files what another state of them was, or says beside theirs.
const REWRITES: &[&str] = &["am", "cherry-pick", "merge", "pull", "rebase", "revert"];
/// Where it only tells what it would do.
const TELLS: &[&str] = &["-n", "--dry-run", "--check", "--stat", "--numstat", "--summary", "--cached"];

/// What a command of git changes; `given` is what it is given to read.
pub(super) fn of_git(rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    // Flags of git itself, some of which are given something.
    let mut rest = rest;
    let mut folder = "";
    while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with('-')) {
        let takes = matches!(*flag, "-C" | "-c");
        folder = others.first().copied().filter(|_| *flag == "-C").unwrap_or(folder);
        rest = others.get(usize::from(takes)..).unwrap_or_default();
    }
    let Some((name, rest)) = rest.split_first() else { return Vec::new() };
    let mut found = of_command(name, rest, given);
    found.iter_mut().filter(|_| !folder.is_empty()).for_each(|one| one.path = from_folder(folder, &one.path));
    found
}

fn of_command(name: &str, rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    let bare = |words: &[&str]| words.iter().copied().filter(|word| !word.starts_with('-')).map(gone).collect();
    let all = || vec![all_untold(".")];
    let tells = rest.iter().any(|word| TELLS.contains(word));
    let behind = rest.iter().position(|word| *word == "--").and_then(|at| rest.get(at + 1..));
    match name {
        "rm" if !rest.contains(&"--cached") => bare(rest),
        "mv" => moved(rest.iter().copied().filter(|word| !word.starts_with('-')).collect(), None),
        "checkout" => match behind {
            Some(paths) => bare(paths),
            None if flagged(rest, &['b', 'B', 't']) || rest.contains(&"--orphan") => Vec::new(),
            // A path is mostly written as one, and stands behind a branch; another branch has files of its own.
            None => {
                let words = || rest.iter().filter(|word| !word.starts_with('-'));
                let paths = words().enumerate().filter(|(at, word)| *at > 0 || word.contains(['.', '/']));
                let sure = words().count() > 1 || words().next().is_some_and(|word| is_path(word));
                let all = all().into_iter().filter(|_| !sure && !rest.is_empty());
                paths.map(|(_, word)| gone(word)).chain(all).collect()
            }
        },
        "switch" if flagged(rest, &['c', 'C']) || rest.contains(&"--create") => Vec::new(),
        "switch" => all(),
        "restore" if !rest.iter().any(|word| matches!(*word, "--staged" | "-S")) || rest.contains(&"--worktree") => {
            let source = rest.iter().position(|word| matches!(*word, "-s" | "--source")).map(|at| at + 1);
            let own = rest.iter().enumerate().filter(|(at, _)| Some(*at) != source).map(|(_, word)| *word);
            bare(&own.collect::<Vec<_>>())
        }
        "reset" if rest.iter().any(|word| matches!(*word, "--hard" | "--merge" | "--keep")) => all(),
        "stash" => match (behind, rest.first()) {
            (Some(paths), _) => bare(paths),
            (None, None) => all(),
            (None, Some(word)) if word.starts_with('-') => all(),
            (None, Some(word)) if matches!(*word, "push" | "save" | "pop" | "apply" | "branch") => all(),
            (None, Some(_)) => Vec::new(),
        },
        "clean" if !tells && flagged(rest, &['f']) => all(),
        "apply" if !tells || rest.contains(&"--apply") => applied(rest, given, Some(1)),
        name if REWRITES.contains(&name) && !tells => all(),
        "submodule" if rest.contains(&"update") => all(),
        _ => Vec::new(),
    }
}

/// Whether a word is a path and no name of a branch.
fn is_path(word: &str) -> bool {
    let end = name_of(word).rsplit_once('.').map(|(_, end)| end);
    word.ends_with('/') || end.is_some_and(|end| end.is_empty() || end.starts_with(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    #[test]
    fn what_git_puts_in_the_place_of_files_is_not_told() {
        for script in [
            "git stash pop",
            "git stash apply stash@{1}",
            "git apply p.diff",
            "git apply -p1 < p.diff",
            "git am < p.mbox",
            "git checkout main",
            "git checkout v1.2",
            "git switch main",
            "git pull --rebase",
            "git merge x",
            "git cherry-pick abc",
            "git revert HEAD",
            "git clean -fd",
        ] {
            let found = written(script, "");
            assert!(found.iter().any(|change| change.untold && change.concerns("/w/d/f", "/w")), "{script}: {found:?}");
        }
        for none in [
            "git stash drop",
            "git stash show -p",
            "git clean -nd",
            "git apply --stat p.diff",
            "git switch -c x",
            "git fetch",
            "git merge-base a b",
            "git log -p f",
            "git commit -am x",
        ] {
            assert_eq!(written(none, ""), [], "{none}");
        }
        let one = |script: &str| written(script, "").into_iter().map(|change| change.path).collect::<Vec<_>>();
        assert_eq!(one("git checkout -- a.rs b.rs"), ["a.rs", "b.rs"]);
        assert_eq!(one("git checkout src/f.rs"), ["src/f.rs"]);
        assert_eq!(one("git restore --source HEAD~1 -- a.rs"), ["a.rs"]);
    }
}
