//! What git takes away, moves, or puts into files.

use super::changes::{FileChange, Operation};
use super::paths::{UNKNOWN, from_folder};
use super::shell_commands::{all_untold, flagged, gone, moved, name_of, operands, untold};
use super::shell_patches::applied;
use super::shell_unknown::is_one;

/// What leaves the files as they are, or writes only where git keeps its own.
const LEAVES: &str = "add annotate archive blame branch bundle cat-file check-attr check-ignore cherry clone commit commit-tree \
    config count-objects credential describe diff diff-files diff-index diff-tree difftool fetch for-each-ref \
    format-patch fsck gc grep hash-object help init interpret-trailers log ls-files ls-remote ls-tree maintenance \
    merge-base merge-tree name-rev notes pack-refs prune push range-diff reflog remote repack replace request-pull \
    rev-list rev-parse send-email shortlog show show-branch show-ref stage status stripspace symbolic-ref tag \
    update-index update-ref var verify-commit version whatchanged write-tree";
/// Those that do else what another command of the same name does, where no word asks for more.
const PARTLY: &[&str] = &["checkout", "clean", "reset", "restore", "rm", "stash", "submodule", "switch"];
/// What begins that which `--abort` undoes, and the command that does so.
const BEGINS: &[(&str, &str)] = &[
    ("am", "am"),
    ("cherry-pick", "cherry-pick"),
    ("merge", "merge"),
    ("pull", "merge"),
    ("rebase", "rebase"),
    ("revert", "revert"),
];
const STASH: &str = "stash";
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
    let paths = |words: &[&str]| words.iter().copied().filter(|word| !word.starts_with('-')).map(gone).collect();
    // Another state of a file may say the same.
    let put_back = |words: &[&str]| {
        let paths = words.iter().copied().filter(|word| !word.starts_with('-'));
        paths.map(|path| gone(path).untold_if(true)).collect::<Vec<_>>()
    };
    let all = || vec![all_untold(".")];
    let within = |operation| vec![FileChange { operation: Some(operation), ..all_untold(".") }];
    let tells = rest.iter().any(|word| TELLS.contains(word));
    let behind = rest.iter().position(|word| *word == "--").and_then(|at| rest.get(at + 1..));
    match name {
        "rm" | "mv" if tells => Vec::new(),
        "rm" => {
            let mut found: Vec<FileChange> = paths(rest);
            // Where no shell reads a pattern, git takes it for any folder.
            let patterns = rest.iter().filter(|word| word.contains('*') && !word.starts_with('-'));
            found.extend(patterns.map(|pattern| untold(&from_folder(UNKNOWN, pattern))));
            found
        }
        "mv" => moved(rest.iter().copied().filter(|word| !word.starts_with('-')).collect(), None),
        "checkout" => match behind {
            Some(paths) => put_back(paths),
            None if flagged(rest, &['b', 'B']) || rest.contains(&"--orphan") => from_another(rest),
            None if flagged(rest, &['t']) || rest.iter().any(|word| word.starts_with("--track")) => all(),
            // A path is mostly written as one, and stands behind a branch; another branch has files of its own.
            None => {
                let words = || rest.iter().filter(|word| !word.starts_with('-'));
                let paths = words().enumerate().filter(|(at, word)| *at > 0 || word.contains(['.', '/']));
                let sure = words().count() > 1 || words().next().is_some_and(|word| is_path(word));
                let all = all().into_iter().filter(|_| !sure && !rest.is_empty());
                paths.map(|(_, word)| gone(word).untold_if(true)).chain(all).collect()
            }
        },
        "switch" if flagged(rest, &['c', 'C']) || rest.iter().any(|word| word.contains("-create")) => {
            from_another(rest)
        }
        "switch" => all(),
        "restore" if !rest.iter().any(|word| matches!(*word, "--staged" | "-S")) || rest.contains(&"--worktree") => {
            let source = rest.iter().position(|word| matches!(*word, "-s" | "--source")).map(|at| at + 1);
            let own = rest.iter().enumerate().filter(|(at, _)| Some(*at) != source).map(|(_, word)| *word);
            put_back(&own.collect::<Vec<_>>())
        }
        "reset" if rest.iter().any(|word| matches!(*word, "--hard" | "--merge" | "--keep")) => all(),
        "stash" if matches!(rest.first(), Some(&("show" | "list" | "drop" | "clear" | "create" | "store"))) => {
            Vec::new()
        }
        "stash" => match (behind, rest.first()) {
            (Some(paths), _) => put_back(paths),
            (None, None | Some(&"save")) => within(Operation::Begins(STASH)),
            (None, Some(word)) if word.starts_with('-') => within(Operation::Begins(STASH)),
            (None, Some(&"push")) => {
                let found = these_or_all(rest.get(1..).unwrap_or_default(), &["-m", "--message"]);
                let operation = Some(Operation::Begins(STASH));
                found.into_iter().map(|change| FileChange { operation, ..change }).collect()
            }
            (None, Some(&("pop" | "apply"))) => within(Operation::Undoes(STASH)),
            (None, Some(&"branch")) => all(),
            (None, Some(_)) => Vec::new(),
        },
        "clean" if !tells && flagged(rest, &['f']) => these_or_all(rest, &["-e", "--exclude"]),
        "apply" if !tells || rest.contains(&"--apply") => applied(rest, given, Some(1)),
        "worktree" => match rest {
            ["remove", words @ ..] => paths(words),
            ["move", words @ ..] => moved(words.iter().copied().filter(|word| !word.starts_with('-')).collect(), None),
            _ => Vec::new(),
        },
        "submodule" if rest.contains(&"update") => all(),
        name if begins(name).is_some() => match begins(name) {
            _ if rest.contains(&"--quit") => Vec::new(),
            Some(kind) if rest.contains(&"--abort") => within(Operation::Undoes(kind)),
            Some(_) if name == "pull" && rest.iter().any(|word| *word == "-r" || word.starts_with("--rebase")) => {
                within(Operation::Begins("rebase"))
            }
            Some(kind) if !["--continue", "--skip"].iter().any(|word| rest.contains(word)) => {
                within(Operation::Begins(kind))
            }
            _ if tells => Vec::new(),
            _ => all(),
        },
        "bisect" if matches!(rest.first(), Some(&("log" | "view" | "terms"))) => Vec::new(),
        name if tells || is_one(name, LEAVES) || PARTLY.contains(&name) => Vec::new(),
        // What makes of the files what another state of them was, and what nobody knows.
        _ => all(),
    }
}

/// What a new branch changes, where words behind its name say that it begins elsewhere than here.
fn from_another(rest: &[&str]) -> Vec<FileChange> {
    let start = rest.iter().filter(|word| !word.starts_with('-')).nth(1).filter(|start| **start != "HEAD");
    start.map(|_| all_untold(".")).into_iter().collect()
}

/// The command that undoes what one begins.
fn begins(name: &str) -> Option<&'static str> {
    BEGINS.iter().find(|(own, _)| *own == name).map(|(_, kind)| *kind)
}

/// What words name, each of which may be changed; all where they name nothing.
fn these_or_all(rest: &[&str], takes: &[&str]) -> Vec<FileChange> {
    match operands(rest, takes) {
        paths if paths.is_empty() => vec![all_untold(".")],
        paths => paths.into_iter().map(all_untold).collect(),
    }
}

/// Whether a word is a path and no name of a branch.
fn is_path(word: &str) -> bool {
    let end = name_of(word).rsplit_once('.').map(|(_, end)| end);
    word.ends_with('/') || end.is_some_and(|end| end.is_empty() || end.starts_with(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::super::changes::Operation;
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
            "git checkout -b fix origin/main",
            "git checkout -t origin/x",
            "git switch main",
            "git switch -c fix v1.2",
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
            assert!(
                found.iter().any(|change| change.is_untold() && change.concerns("/w/d/f", "/w")),
                "{script}: {found:?}"
            );
        }
        for none in [
            "git stash drop",
            "git stash show -p",
            "git clean -nd",
            "git apply --stat p.diff",
            "git switch -c x",
            "git checkout -b x HEAD",
            "git worktree list",
            "git fetch",
            "git merge-base a b",
            "git log -p f",
            "git merge --quit",
            "git commit -am x",
            "git bisect log",
            "git --git-dir x/.git log",
        ] {
            assert_eq!(written(none, ""), [], "{none}");
        }
        let operation = |script: &str| written(script, "").into_iter().find_map(|change| change.operation);
        for (script, kind) in [
            ("git rebase main", "rebase"),
            ("git merge x", "merge"),
            ("git pull", "merge"),
            ("git pull --rebase", "rebase"),
            ("git stash -u", "stash"),
            ("git stash push a", "stash"),
            ("git cherry-pick a || true", "cherry-pick"),
        ] {
            assert_eq!(operation(script), Some(Operation::Begins(kind)), "{script}");
        }
        for (script, kind) in [
            ("git rebase --abort", "rebase"),
            ("git merge --abort", "merge"),
            ("git stash pop", "stash"),
            ("git cherry-pick --abort", "cherry-pick"),
        ] {
            assert_eq!(operation(script), Some(Operation::Undoes(kind)), "{script}");
        }
        for script in ["git rebase --continue", "make || git merge --abort", "git switch x", "git rebase --quit"] {
            assert_eq!(operation(script), None, "{script}");
        }
        let one = |script: &str| written(script, "").into_iter().map(|change| change.path).collect::<Vec<_>>();
        assert_eq!(one("git checkout -- a.rs b.rs"), ["a.rs", "b.rs"]);
        assert_eq!(one("git checkout src/f.rs"), ["src/f.rs"]);
        assert_eq!(one("git restore --source HEAD~1 -- a.rs"), ["a.rs"]);
        assert_eq!(one("git clean -fdx build -e y"), ["build"]);
        assert_eq!(one("git stash push a.rs"), ["a.rs"]);
        assert_eq!(one("git worktree remove ../wt"), ["../wt"]);
        assert_eq!(one("git rm '*.rs'"), ["*.rs", "**/*.rs"]);
        assert_eq!(one("git --work-tree=d checkout -- a.rs"), ["d/a.rs"]);
    }
}
