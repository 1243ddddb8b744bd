//! What git takes away, moves, or puts into files.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_commands::{all_untold, flagged, gone, moved, name_of, operands};
use super::shell_patches::applied;
use super::shell_unknown::is_one;

/// What leaves the files as they are, or writes only where git keeps its own.
const LEAVES: &str = "add annotate archive blame branch bundle cat-file check-attr check-ignore cherry clone commit commit-tree \
    config count-objects credential describe diff diff-files diff-index diff-tree difftool fetch for-each-ref \
    format-patch fsck gc grep hash-object help init interpret-trailers log ls-files ls-remote ls-tree maintenance \
    merge-base merge-tree name-rev notes pack-refs prune push range-diff reflog remote repack replace request-pull \
    rev-list rev-parse send-email shortlog show show-branch show-ref stage status stripspace symbolic-ref tag \
    update-index update-ref var verify-commit version whatchanged worktree write-tree";
/// Those that do else what another command of the same name does, where no word asks for more.
const PARTLY: &[&str] = &["checkout", "clean", "reset", "restore", "rm", "stash", "submodule", "switch"];
/// Where it only tells what it would do.
const TELLS: &[&str] = &["-n", "--dry-run", "--check", "--stat", "--numstat", "--summary", "--cached"];

/// What a command of git changes; `given` is what it is given to read.
pub(super) fn of_git(rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    // Flags of git itself, some of which are given something.
    let mut rest = rest;
    let mut folder = "";
    while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with('-')) {
        let takes = matches!(*flag, "-C" | "-c" | "--work-tree" | "--git-dir" | "--namespace");
        let own = others.first().copied().filter(|_| matches!(*flag, "-C" | "--work-tree"));
        folder = flag.strip_prefix("--work-tree=").or(own).unwrap_or(folder);
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
        "rm" | "mv" if tells => Vec::new(),
        "rm" => bare(rest),
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
        "stash" if matches!(rest.first(), Some(&("show" | "list" | "drop" | "clear" | "create" | "store"))) => {
            Vec::new()
        }
        "stash" => match (behind, rest.first()) {
            (Some(paths), _) => bare(paths),
            (None, None) => all(),
            (None, Some(word)) if word.starts_with('-') => all(),
            (None, Some(&"push")) => match operands(rest.get(1..).unwrap_or_default(), &["-m", "--message"]) {
                paths if paths.is_empty() => all(),
                paths => paths.into_iter().map(all_untold).collect(),
            },
            (None, Some(word)) if matches!(*word, "save" | "pop" | "apply" | "branch") => all(),
            (None, Some(_)) => Vec::new(),
        },
        "clean" if !tells && flagged(rest, &['f']) => match operands(rest, &["-e", "--exclude"]) {
            paths if paths.is_empty() => all(),
            paths => paths.into_iter().map(all_untold).collect(),
        },
        "apply" if !tells || rest.contains(&"--apply") => applied(rest, given, Some(1)),
        "submodule" if rest.contains(&"update") => all(),
        "bisect" if matches!(rest.first(), Some(&("log" | "view" | "terms"))) => Vec::new(),
        name if tells || is_one(name, LEAVES) || PARTLY.contains(&name) => Vec::new(),
        // What makes of the files what another state of them was, and what nobody knows.
        _ => all(),
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
            "git clean -fd d",
            "git stash push -m x d/f",
            "git read-tree -u HEAD~1",
            "git checkout-index -fa",
            "git bisect good",
            "git filter-branch --tree-filter x",
            "git lfs pull",
            "git --work-tree d checkout main",
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
            "git bisect log",
            "git --git-dir x/.git log",
        ] {
            assert_eq!(written(none, ""), [], "{none}");
        }
        let one = |script: &str| written(script, "").into_iter().map(|change| change.path).collect::<Vec<_>>();
        assert_eq!(one("git checkout -- a.rs b.rs"), ["a.rs", "b.rs"]);
        assert_eq!(one("git checkout src/f.rs"), ["src/f.rs"]);
        assert_eq!(one("git restore --source HEAD~1 -- a.rs"), ["a.rs"]);
        assert_eq!(one("git clean -fdx build -e y"), ["build"]);
        assert_eq!(one("git stash push a.rs"), ["a.rs"]);
        assert_eq!(one("git --work-tree=d checkout -- a.rs"), ["d/a.rs"]);
    }
}
