//! What commands of a shell write by themselves: a small table.

use super::changes::{Certainty, FileChange};
use super::paths::{from_folder, unknown};
use super::shell::SHELLS;
use super::shell_archives::{of_archive, of_packer};
use super::shell_edits::{edited, is_in_place, written_within};
use super::shell_fetched::fetched;
use super::shell_git::of_git;
use super::shell_interpreters::{interpreted, is_interpreter, runs_given};
use super::shell_lists::{asked_of_find, found_by, takes_each};
use super::shell_outputs::of_outputs;
use super::shell_patches::of_patch;
use super::shell_unknown::{may_be_changed, may_change, of_windows};

/// Options of `pdftotext` that take a value.
const PDF_TAKES: &[&str] = &["-f", "-l", "-r", "-x", "-y", "-W", "-H", "-enc", "-eol", "-opw", "-upw", "-fixed"];

/// What stands behind the flag of one letter, alone or with others: `-c`, `-lc`.
pub(super) fn argument_of<'t>(words: &[&'t str], flag: char) -> Option<&'t str> {
    let is_flag =
        |word: &&str| word.len() > 1 && word.starts_with('-') && !word.starts_with("--") && word.ends_with(flag);
    let at = words.iter().take_while(|word| word.starts_with('-')).position(is_flag)?;
    words.get(at + 1).copied()
}

/// The script that a shell is given: `bash -euo pipefail -c SCRIPT`.
pub(super) fn script_within<'t>(words: &[&'t str]) -> Option<&'t str> {
    let mut rest = words;
    while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with(['-', '+'])) {
        let short = !flag.starts_with("--");
        if short && flag.ends_with('c') {
            return others.first().copied();
        }
        rest = others.get(usize::from(short && flag.ends_with(['o', 'O']))..).unwrap_or_default();
    }
    None
}

/// What a flag is given, wherever it stands: `-o a`, `-so a`, `-oa`, `--output a`, `--output=a`.
pub(super) fn given_to<'t>(words: &[&'t str], flag: char, name: &str) -> Option<&'t str> {
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
pub(super) fn flagged(words: &[&str], flags: &[char]) -> bool {
    words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(flags))
}

/// A file that is no more where it was.
pub(super) fn removed(path: &str) -> FileChange {
    FileChange { removes: true, ..FileChange::of(path, true) }
}

/// The same, and all below where it is a folder.
pub(super) fn gone(path: &str) -> FileChange {
    FileChange { all_below: true, ..removed(path) }
}

/// A file of which nobody can tell what it says then.
pub(super) fn untold(path: &str) -> FileChange {
    FileChange::of(path, false).untold_if(true)
}

/// Whatever is below a folder, of which nobody can tell what it says then.
pub(super) fn all_untold(folder: &str) -> FileChange {
    FileChange { all_below: true, ..untold(folder) }
}

/// What one file comes to: that is its path there, or the folder that it comes into.
fn comes_to(to: &str, from: &str) -> FileChange {
    FileChange { name: Some(name_of(from).to_owned()), from: vec![from.to_owned()], ..FileChange::of(to, true) }
}

/// What is no flag, and given to none of these.
pub(super) fn operands<'t>(rest: &[&'t str], takes: &[&str]) -> Vec<&'t str> {
    let given = |at: usize| at.checked_sub(1).and_then(|at| rest.get(at)).is_some_and(|before| takes.contains(before));
    let own = rest.iter().enumerate().filter(|(at, word)| !word.is_empty() && !word.starts_with('-') && !given(*at));
    own.map(|(_, word)| *word).collect()
}

pub(super) fn name_of(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// What a command changes by itself, wherever its output goes.
pub(super) fn of_command(name: &str, rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    let whole = |path: &str| FileChange::of(path, true);
    let paths = || rest.iter().copied().filter(|word| !word.is_empty() && !word.starts_with('-'));
    match name {
        "rm" => {
            let deep = flagged(rest, &['r', 'R']) || rest.contains(&"--recursive");
            paths().map(|path| FileChange { all_below: deep, ..gone(path) }).collect()
        }
        "shred" if !(flagged(rest, &['u']) || rest.iter().any(|word| word.starts_with("--remove"))) => {
            paths().map(whole).collect()
        }
        "unlink" | "shred" => paths().map(removed).collect(),
        "mv" | "cp" | "ln" => put_beside(name, rest),
        "rsync" if flagged(rest, &['n']) || rest.contains(&"--dry-run") => Vec::new(),
        "rsync" => synchronised(rest),
        "install" if !flagged(rest, &['d']) => {
            copied(operands(rest, &["-m", "-o", "-g", "-t"]), given_to(rest, 't', "target-directory"))
        }
        "tee" => {
            let append = rest.iter().any(|word| matches!(*word, "-a" | "--append"));
            let change = |path| FileChange {
                puts: given.map(str::to_owned).into_iter().collect(),
                ..FileChange::of(path, !append)
            };
            paths().map(change).collect()
        }
        "dd" => rest.iter().filter_map(|word| word.strip_prefix("of=")).map(|path| put_by_dd(path, rest)).collect(),
        "truncate" => operands(rest, &["-s", "--size", "-r"]).into_iter().map(whole).collect(),
        "sponge" | "dos2unix" | "unix2dos" => paths().map(untold).collect(),
        "sd" if operands(rest, &["-f", "-n"]).len() > 2 && !flagged(rest, &['p']) => {
            operands(rest, &["-f", "-n"]).into_iter().skip(2).map(untold).collect()
        }
        "yq" if flagged(rest, &['i']) || rest.contains(&"--inplace") => paths().map(untold).collect(),
        "ruby" if is_in_place("perl", rest) => paths().map(untold).collect(),
        "xmlstarlet" if flagged(rest, &['L']) || rest.contains(&"--inplace") => paths().skip(1).map(untold).collect(),
        "dasel" if matches!(rest.first(), Some(&("put" | "delete"))) => {
            let to = given_to(rest, 'o', "out").or_else(|| given_to(rest, 'f', "file"));
            to.filter(|path| *path != "-").map(untold).into_iter().collect()
        }
        "pdftotext" => match operands(rest, PDF_TAKES)[..] {
            [from] if !rest.contains(&"-") => vec![untold(&format!("{}.txt", from.trim_end_matches(".pdf")))],
            [_, to] => vec![untold(to)],
            _ => Vec::new(),
        },
        "rename" | "prename" => paths().skip(1).map(untold).collect(),
        "curl" | "wget" | "aria2c" => fetched(name, rest),
        "tar" | "bsdtar" | "jar" | "unzip" | "7z" | "7za" | "7zz" | "cpio" | "zip" => of_archive(name, rest),
        "patch" => of_patch(rest, given),
        "ed" | "ex" => paths().map(untold).collect(),
        "awk" | "gawk" if rest.windows(2).any(|two| two == ["-i", "inplace"]) => paths().map(untold).collect(),
        "find" => of_find(rest),
        "git" => of_git(rest, given),
        "sed" | "perl" if is_in_place(name, rest) => edited(name, rest),
        _ if SHELLS.contains(&name) => {
            let script = usize::from(!runs_given(rest));
            let first = rest.iter().position(|word| !word.starts_with('-'));
            let behind = first.and_then(|at| rest.get(at + script..));
            behind.filter(|_| script_within(rest).is_none()).map(may_be_changed).unwrap_or_default()
        }
        _ if is_interpreter(name) => interpreted(name, rest, given),
        "cmd" | "cmd.exe" | "powershell" | "powershell.exe" | "pwsh" => of_windows(rest),
        "awk" | "gawk" | "mawk" | "nawk" | "sed" => written_within(name, rest),
        _ => of_packer(name, rest)
            .unwrap_or_else(|| [of_outputs(name, rest, given), may_change(name, rest)].into_iter().flatten().collect()),
    }
}

/// What `dd` writes to a file: what it is told to read, as it is where it is told nothing else.
fn put_by_dd(path: &str, rest: &[&str]) -> FileChange {
    let read = rest.iter().filter_map(|word| word.strip_prefix("if=")).filter(|from| !from.starts_with("/dev/"));
    let mut from: Vec<String> = read.map(str::to_owned).collect();
    let is_plain = |word: &&str| ["bs=", "if=", "of=", "oflag=", "status="].iter().any(|own| word.starts_with(own));
    let is_part = !from.is_empty() && !rest.iter().all(is_plain);
    from.retain(|_| !is_part);
    FileChange { from, ..FileChange::of(path, true) }.untold_if(is_part)
}

/// What `rsync` brings elsewhere, and takes away where it was.
fn synchronised(rest: &[&str]) -> Vec<FileChange> {
    const TAKES: &[&str] = &[
        "-B",
        "-M",
        "-T",
        "-e",
        "-f",
        "--bwlimit",
        "--chmod",
        "--chown",
        "--exclude",
        "--exclude-from",
        "--files-from",
        "--filter",
        "--include",
        "--include-from",
        "--info",
        "--link-dest",
        "--log-file",
        "--max-size",
        "--min-size",
        "--port",
        "--rsh",
        "--rsync-path",
        "--timeout",
    ];
    let all = operands(rest, TAKES);
    let is_far = |path: &str| path.contains(':');
    let taken = rest.contains(&"--remove-source-files") || rest.contains(&"--remove-sent-files");
    let some = rest.iter().any(|word| {
        ["--exclude", "--include", "--filter", "-f", "--files-from"].iter().any(|own| word.starts_with(own))
    });
    let from = all.split_last().map_or(&[][..], |(_, from)| from).iter().filter(|path| taken && !is_far(path));
    let taken: Vec<FileChange> = from.map(|path| gone(path).untold_if(some)).collect();
    let mut found = match all[..] {
        // Another machine's files are none of this one's.
        [.., to] if is_far(to) => Vec::new(),
        // What is in the one folder comes into the other; what the one lacks goes.
        [from, to] if from.ends_with('/') || rest.iter().any(|word| word.starts_with("--del")) => vec![all_untold(to)],
        _ => {
            let into = all.last().is_some_and(|to| *to == "." || to.ends_with('/'));
            let mut all = copied(all.clone(), None);
            all.iter_mut().for_each(|change| change.all_below |= into);
            all
        }
    };
    found.extend(taken);
    found
}

/// What comes to another place, and what is no more where it was.
fn put_beside(name: &str, rest: &[&str]) -> Vec<FileChange> {
    let has = |flags: &[char], long: &[&str]| flagged(rest, flags) || rest.iter().any(|word| long.contains(word));
    let paths = operands(rest, &["-S", "--suffix"]);
    let into = given_to(rest, 't', "target-directory");
    // What is written to is that path, and no folder into which something comes.
    let exact = has(&['T'], &["--no-target-directory"]);
    let (mut all, deep) = match (name, &paths[..]) {
        ("mv", _) => (moved(paths, into), false),
        (_, [from, to]) if exact => (vec![FileChange { name: None, ..comes_to(to, from) }], true),
        ("cp", _) => (copied(paths, into), has(&['r', 'R', 'a'], &["--recursive", "--archive"])),
        // Another folder may stand in the place of one.
        _ => (copied(paths, into), has(&['n'], &["--no-dereference"])),
    };
    all.iter_mut().for_each(|change| change.all_below |= deep);
    // A link leads on from the folder that it stands in.
    let links = name == "ln" && has(&['s'], &["--symbolic"]);
    let leads_on = |change: &FileChange| {
        links && change.path.contains('/') && change.from.iter().any(|from| !from.starts_with('/'))
    };
    for change in all.iter_mut().filter(|change| leads_on(change)) {
        change.from.clear();
        change.path = unknown(&change.path);
    }
    // What is there stays, or may; so does what would come there.
    let stays = match name {
        "ln" => !has(&['f'], &["--force"]),
        _ => has(&['n'], &["--no-clobber", "--update=none", "--update=none-fail"]),
    };
    let may_stay = has(&['i', 'u'], &["--update", "--interactive"]);
    for change in &mut all {
        change.whole &= !(stays || may_stay);
        if may_stay || (stays && change.from.is_empty()) {
            change.certainty = Certainty::Untold;
        }
        // A link that cannot be made tells that it failed.
        if may_stay || (stays && name != "ln") {
            change.from.clear();
        }
    }
    all
}

/// What `find` deletes, or writes its list to.
fn of_find(rest: &[&str]) -> Vec<FileChange> {
    let written = rest.windows(2).filter(|two| two[0].starts_with("-fprint") || two[0] == "-fls");
    let mut found: Vec<FileChange> = written.map(|two| FileChange::of(two[1], true)).collect();
    // Empty folders are no files.
    let folders = rest.windows(2).any(|two| two == ["-type", "d"]);
    if rest.contains(&"-delete") && !folders {
        match asked_of_find(rest) {
            (roots, names) if names.is_empty() && !takes_each(rest) => found.extend(roots.into_iter().map(all_untold)),
            _ => found.extend(found_by(rest).iter().map(|path| removed(path))),
        }
    }
    found
}

/// What was moved is no more where it was; what something comes to says what that says.
pub(super) fn moved(paths: Vec<&str>, into: Option<&str>) -> Vec<FileChange> {
    let own = |path: &&&str| Some(**path) != into;
    let leaves = paths.len() - usize::from(into.is_none() && !paths.is_empty());
    let gone: Vec<FileChange> = paths.iter().take(leaves).filter(own).map(|path| gone(path)).collect();
    // What comes is told before what it comes from is gone.
    copied(paths, into).into_iter().chain(gone).collect()
}

pub(super) fn copied(mut paths: Vec<&str>, into: Option<&str>) -> Vec<FileChange> {
    paths.retain(|path| Some(*path) != into);
    let Some(to) = into.or_else(|| paths.pop()).filter(|_| !paths.is_empty()) else { return Vec::new() };
    if let [from] = paths[..]
        && into.is_none()
        && !to.ends_with('/')
        && to != "."
    {
        return vec![comes_to(to, from)];
    }
    let comes = |from: &str| match from.contains('$') {
        true => comes_to(to, from),
        false => FileChange { from: vec![from.to_owned()], ..FileChange::of(&from_folder(to, name_of(from)), true) },
    };
    paths.into_iter().map(comes).collect()
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    /// Path, whether all below goes as well, and whether it is not told what is there then.
    fn of(script: &str) -> Vec<(String, bool, bool)> {
        written(script, "").into_iter().map(|one| (one.path.clone(), one.all_below, one.is_untold())).collect()
    }

    #[test]
    fn folders_go_with_what_is_below() {
        for (script, path, untold) in [
            ("rm -rf src/", "src", false),
            ("rm -rf src/*", "src/*", false),
            ("git checkout -- .", ".", true),
            ("git checkout -- src/", "src", true),
            ("git checkout src/f.rs", "src/f.rs", true),
            ("git checkout HEAD~1 Makefile", "Makefile", true),
            ("git restore .", ".", true),
            ("git rm -r src", "src", false),
            ("rsync -a --remove-source-files src host:x", "src", false),
            ("rsync -a --exclude x --remove-source-files src host:x", "src", true),
            ("gh run download 12 -D d", "d", true),
            ("rsync --chmod 644 a/ d/", "d", true),
            ("gh release download", ".", true),
            ("git reset --hard HEAD", ".", true),
            ("git stash", ".", true),
            ("git -C x stash -u", "x", true),
            ("find src -type f -mtime +3 -delete", "src", true),
        ] {
            assert_eq!(of(script), [(path.to_owned(), true, untold)], "{script}");
        }
        for (script, path) in [
            ("rm -f src/*", "src/*"),
            ("rm !(keep)", "**"),
            ("rm src/!(a|b).md", "src/**.md"),
            ("find . -name '*.py' -delete", "***/*.py"),
            ("find . -name '*.py' -mtime +3 -delete", "**/**.py"),
            ("find src -name f -exec rm {} \\;", "src/***/f"),
            ("find src -type f -delete", "src/***"),
        ] {
            assert_eq!(of(script), [(path.to_owned(), false, false)], "{script}");
        }
        assert_eq!(of("gzip f"), [("f.gz".to_owned(), false, false), ("f".to_owned(), false, false)]);
        assert_eq!(of("gzip -k f"), [("f.gz".to_owned(), false, false)]);
        assert_eq!(of("mv src lib"), [("lib".to_owned(), false, false), ("src".to_owned(), true, false)]);
        for none in ["git checkout -b x/y", "find src -name f", "gzip -kt f.gz", "git reset HEAD f"] {
            assert_eq!(of(none), [], "{none}");
        }
    }

    #[test]
    fn what_is_copied_or_moved_says_what_it_is_from() {
        let of = |script: &str| {
            let found = written(script, "").into_iter().filter(|one| !one.from.is_empty());
            found.map(|one| (one.from.join(" "), one.path)).collect::<Vec<_>>()
        };
        for (script, from, to) in [
            ("cp x/a b", "x/a", "b"),
            ("cp a d/", "a", "d/a"),
            ("cp -t d a", "a", "d/a"),
            ("mv a b", "a", "b"),
            ("ln -s a b", "a", "b"),
            ("git mv a b", "a", "b"),
            ("cd d && cp a b", "d/a", "d/b"),
            ("cat a > b", "a", "b"),
            ("for f in a; do cp $f $f.bak; done", "a", "a.bak"),
        ] {
            assert_eq!(of(script), [(from.to_owned(), to.to_owned())], "{script}");
        }
        assert_eq!(of("mv a b d/").len(), 2);
        for none in ["sed 's/1/2/' a > b", "head a > b", "cat a | grep x > b"] {
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
        for none in ["curl https://x.org/f", "wget -qO- https://x.org/f", "sort a", "patch --dry-run f"] {
            assert_eq!(of(none), [], "{none}");
        }
    }
}
