//! What commands of a shell write by themselves: a small table.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_edits::{edited, is_in_place, of_python};

/// Programs that run a script of Python.
const PYTHONS: &[&str] = &["python", "python2", "python3"];

/// What stands behind the flag of one letter, alone or with others: `-c`, `-lc`.
pub(super) fn argument_of<'t>(words: &[&'t str], flag: char) -> Option<&'t str> {
    let is_flag =
        |word: &&str| word.len() > 1 && word.starts_with('-') && !word.starts_with("--") && word.ends_with(flag);
    let at = words.iter().take_while(|word| word.starts_with('-')).position(is_flag)?;
    words.get(at + 1).copied()
}

/// What a flag is given, wherever it stands: `-o a`, `-so a`, `-oa`, `--output a`, `--output=a`.
fn given_to<'t>(words: &[&'t str], flag: char, name: &str) -> Option<&'t str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let long = word.strip_prefix("--").and_then(|word| word.strip_prefix(name));
        if let Some(long) = long.filter(|long| long.is_empty() || long.starts_with('=')) {
            return long.strip_prefix('=').or_else(|| words.get(at + 1).copied());
        }
        let short = word.strip_prefix('-').filter(|short| !short.starts_with('-'))?;
        let own = short.strip_prefix(flag).filter(|own| !own.is_empty());
        own.or_else(|| words.get(at + 1).copied().filter(|_| short.ends_with(flag)))
    })
}

/// Whether a word is flags of one letter with one of these among them.
fn flagged(words: &[&str], flags: &[char]) -> bool {
    words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(flags))
}

/// A file, and all below where it is a folder.
fn gone(path: &str) -> FileChange {
    FileChange { all_below: true, ..FileChange::of(path, true) }
}

/// A file of which nobody can tell what it says then.
fn untold(path: &str) -> FileChange {
    FileChange { untold: true, ..FileChange::of(path, false) }
}

/// What one file comes to: that is its path there, or the folder that it comes into.
fn comes_to(to: &str, from: &str) -> FileChange {
    FileChange { name: Some(name_of(from).to_owned()), ..FileChange::of(to, true) }
}

fn name_of(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// What a command changes by itself, wherever its output goes.
pub(super) fn of_command(name: &str, rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    let whole = |path: &str| FileChange::of(path, true);
    let paths = || rest.iter().copied().filter(|word| !word.is_empty() && !word.starts_with('-'));
    match name {
        "rm" | "unlink" | "shred" => paths().map(gone).collect(),
        "mv" => moved(paths().collect(), given_to(rest, 't', "target-directory")),
        "cp" => copied(paths().collect(), given_to(rest, 't', "target-directory")),
        "ln" if flagged(rest, &['f']) || rest.contains(&"--force") => copied(paths().collect(), None),
        "rsync" => match paths().collect::<Vec<_>>()[..] {
            // What is in the one folder comes into the other.
            [from, to] if from.ends_with('/') => vec![FileChange { all_below: true, ..untold(to) }],
            ref all => copied(all.to_vec(), None),
        },
        "install" if !rest.contains(&"-d") => {
            let flagged = |at: usize| at.checked_sub(1).is_some_and(|at| matches!(rest[at], "-m" | "-o" | "-g"));
            let own = rest.iter().enumerate().filter(|(at, word)| !word.starts_with('-') && !flagged(*at));
            copied(own.map(|(_, word)| *word).collect(), None)
        }
        "tee" => {
            let append = rest.iter().any(|word| matches!(*word, "-a" | "--append"));
            let change = |path| FileChange {
                puts: given.map(str::to_owned).into_iter().collect(),
                ..FileChange::of(path, !append)
            };
            paths().map(change).collect()
        }
        "dd" => rest.iter().filter_map(|word| word.strip_prefix("of=")).map(whole).collect(),
        "truncate" => {
            let size = rest.iter().position(|word| matches!(*word, "-s" | "--size" | "-r")).map(|at| at + 1);
            let own = rest.iter().enumerate().filter(|(at, word)| Some(*at) != size && !word.starts_with('-'));
            own.map(|(_, word)| whole(word)).collect()
        }
        "sort" => given_to(rest, 'o', "output").map(whole).into_iter().collect(),
        "curl" => {
            // No flag among these is given anything: `-XPOST` names no file.
            let bare = |flags: &str| flags.contains('O') && flags.chars().all(|flag| "fgJkLNOqRsSv#".contains(flag));
            let named = rest.iter().any(|word| *word == "--remote-name" || word.strip_prefix('-').is_some_and(bare));
            let remote = paths().filter(|word| named && word.contains("://"));
            let remote = remote.map(|word| whole(name_of(word.split(['?', '#']).next().unwrap_or_default())));
            given_to(rest, 'o', "output").map(whole).into_iter().chain(remote).collect()
        }
        "wget" => given_to(rest, 'O', "output-document").map(whole).into_iter().collect(),
        "gzip" | "bzip2" | "xz" => {
            let keeps = ["--keep", "--stdout", "--to-stdout", "--list", "--test"];
            let stays = flagged(rest, &['c', 'k', 'l', 't']) || rest.iter().any(|word| keeps.contains(word));
            paths().filter(|_| !stays).map(gone).collect()
        }
        "patch" if !rest.contains(&"--dry-run") => paths().take(1).map(untold).collect(),
        "ed" | "ex" => paths().map(untold).collect(),
        "awk" | "gawk" if rest.windows(2).any(|two| two == ["-i", "inplace"]) => paths().map(untold).collect(),
        "find" => of_find(rest),
        "git" => of_git(rest),
        "sed" | "perl" if is_in_place(name, rest) => edited(name, rest),
        _ if PYTHONS.contains(&name) => argument_of(rest, 'c')
            .or(given.filter(|_| rest.iter().all(|word| *word == "-")))
            .map_or_else(Vec::new, of_python),
        _ => Vec::new(),
    }
}

/// What `find` deletes: what has one of the names that it asks for, else whatever is below its folders.
fn of_find(rest: &[&str]) -> Vec<FileChange> {
    let removes = |two: &[&str]| matches!(two[0], "-exec" | "-execdir") && name_of(two[1]) == "rm";
    if !rest.contains(&"-delete") && !rest.windows(2).any(removes) {
        return Vec::new();
    }
    let roots: Vec<&str> =
        rest.iter().copied().take_while(|word| !word.starts_with('-') && !matches!(*word, "(" | "!")).collect();
    let names = rest.windows(2).filter(|two| matches!(two[0], "-name" | "-iname")).map(|two| two[1]);
    let names: Vec<&str> = names.filter(|_| !rest.iter().any(|word| matches!(*word, "!" | "-not"))).collect();
    let roots = if roots.is_empty() { vec!["."] } else { roots };
    let below = |root: &&str| match names.is_empty() {
        true => vec![FileChange { all_below: true, ..untold(root) }],
        false => names.iter().map(|name| gone(&from_folder(root, &format!("**/{name}")))).collect(),
    };
    roots.iter().flat_map(below).collect()
}

/// What git takes away, moves, or puts back as it was.
fn of_git(rest: &[&str]) -> Vec<FileChange> {
    // Flags of git itself, some of which are given something.
    let mut rest = rest;
    let mut folder = "";
    while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with('-')) {
        let takes = matches!(*flag, "-C" | "-c");
        folder = others.first().copied().filter(|_| *flag == "-C").unwrap_or(folder);
        rest = others.get(usize::from(takes)..).unwrap_or_default();
    }
    let Some((name, rest)) = rest.split_first() else { return Vec::new() };
    let bare = |words: &[&str]| words.iter().copied().filter(|word| !word.starts_with('-')).map(gone).collect();
    let all = || vec![FileChange { all_below: true, ..untold(".") }];
    let mut found: Vec<FileChange> = match *name {
        "rm" if !rest.contains(&"--cached") => bare(rest),
        "mv" => moved(rest.iter().copied().filter(|word| !word.starts_with('-')).collect(), None),
        "checkout" => match rest.iter().position(|word| *word == "--") {
            Some(at) => bare(&rest[at + 1..]),
            None if flagged(rest, &['b', 'B', 't']) || rest.contains(&"--orphan") => Vec::new(),
            // A branch or a path: a path is mostly written as one, and stands behind a branch.
            None => {
                let words = rest.iter().filter(|word| !word.starts_with('-')).enumerate();
                words.filter(|(at, word)| *at > 0 || word.contains(['.', '/'])).map(|(_, word)| gone(word)).collect()
            }
        },
        "restore" if !rest.iter().any(|word| matches!(*word, "--staged" | "-S")) || rest.contains(&"--worktree") => {
            let source = rest.iter().position(|word| matches!(*word, "-s" | "--source")).map(|at| at + 1);
            let own = rest.iter().enumerate().filter(|(at, _)| Some(*at) != source).map(|(_, word)| *word);
            bare(&own.collect::<Vec<_>>())
        }
        "reset" if rest.contains(&"--hard") => all(),
        "stash" => match rest.iter().position(|word| *word == "--") {
            Some(at) => bare(&rest[at + 1..]),
            None if rest.first().is_none_or(|word| word.starts_with('-') || matches!(*word, "push" | "save")) => all(),
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    found.iter_mut().filter(|_| !folder.is_empty()).for_each(|one| one.path = from_folder(folder, &one.path));
    found
}

/// What was moved is no more where it was; a file in whose place something comes says what that says.
fn moved(mut paths: Vec<&str>, into: Option<&str>) -> Vec<FileChange> {
    paths.retain(|path| Some(*path) != into);
    let to = if into.is_some() { None } else { paths.pop() };
    let alone = paths.len() == 1;
    let to = to.filter(|to| alone && !to.ends_with('/'));
    let comes = to.zip(paths.first()).map(|(to, from)| comes_to(to, from));
    let mut found: Vec<FileChange> = paths.into_iter().map(gone).collect();
    found.extend(comes);
    found
}

fn copied(mut paths: Vec<&str>, into: Option<&str>) -> Vec<FileChange> {
    paths.retain(|path| Some(*path) != into);
    let Some(to) = into.or_else(|| paths.pop()).filter(|_| !paths.is_empty()) else { return Vec::new() };
    if let [from] = paths[..]
        && into.is_none()
        && !to.ends_with('/')
        && to != "."
    {
        return vec![comes_to(to, from)];
    }
    paths.into_iter().map(|path| FileChange::of(&from_folder(to, name_of(path)), true)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    /// Path, whether all below goes as well, and whether it is not told what is there then.
    fn of(script: &str) -> Vec<(String, bool, bool)> {
        written(script, "").into_iter().map(|one| (one.path, one.all_below, one.untold)).collect()
    }

    #[test]
    fn folders_go_with_what_is_below() {
        for (script, path, untold) in [
            ("rm -rf src/", "src", false),
            ("rm -f src/*", "src/*", false),
            ("git checkout -- .", ".", false),
            ("git checkout -- src/", "src", false),
            ("git checkout src/f", "src/f", false),
            ("git checkout HEAD~1 Makefile", "Makefile", false),
            ("git restore .", ".", false),
            ("git reset --hard HEAD", ".", true),
            ("git stash", ".", true),
            ("git -C x stash -u", "x", true),
            ("find . -name '*.py' -delete", "**/*.py", false),
            ("find src -type f -mtime +3 -delete", "src", true),
            ("find src -name f -exec rm {} \\;", "src/**/f", false),
            ("gzip f", "f", false),
        ] {
            assert_eq!(of(script), [(path.to_owned(), true, untold)], "{script}");
        }
        assert_eq!(of("mv src lib"), [("src".to_owned(), true, false), ("lib".to_owned(), false, false)]);
        for none in ["git stash pop", "git checkout -b x/y", "find src -name f", "gzip -k f", "git reset HEAD f"] {
            assert_eq!(of(none), [], "{none}");
        }
    }

    #[test]
    fn what_comes_to_a_path_may_come_into_a_folder() {
        for script in ["cp other/f d", "mv other/f ./d", "cp a d/f", "cp other/f d/"] {
            let changes = written(script, "");
            assert!(changes.iter().any(|change| change.concerns("/w/d/f", "/w")), "{script}");
            assert!(!changes.iter().any(|change| change.concerns("/w/d/g", "/w")), "{script}");
        }
    }

    #[test]
    fn commands_that_are_told_where_to_write_write_there() {
        for (script, untold) in [
            ("curl -sSo d/f https://x.org/z", false),
            ("cd d && curl -sSLO https://x.org/f?x=1", false),
            ("wget -qO d/f https://x.org/z", false),
            ("sort -uo d/f a", false),
            ("sort --output=d/f a", false),
            ("cp -t d a/f", false),
            ("ln -sf other d/f", false),
            ("rsync -a a/f d/f", false),
            ("echo a > \"$PWD/d/f\"", false),
            ("echo a > ./x/../d/f", false),
            ("patch d/f < p.diff", true),
        ] {
            assert_eq!(of(script), [("d/f".to_owned(), false, untold)], "{script}");
        }
        for none in ["curl https://x.org/f", "wget -qO- https://x.org/f", "sort a", "ln -s a b", "patch --dry-run f"] {
            assert_eq!(of(none), [], "{none}");
        }
    }
}
