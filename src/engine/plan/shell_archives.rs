//! What comes out of archives, the archives that are made, and what is packed by itself.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_commands::{all_untold, flagged, given_to, gone, operands, untold};

/// What packs files, whether it takes away those that it packs or unpacks, and the end of the names of what it packs.
const PACKERS: &[(&str, bool, &str)] = &[
    ("brotli", false, ".br"),
    ("bunzip2", true, ".bz2"),
    ("bzip2", true, ".bz2"),
    ("compress", true, ".Z"),
    ("gunzip", true, ".gz"),
    ("gzip", true, ".gz"),
    ("lz4", false, ".lz4"),
    ("lzip", true, ".lz"),
    ("lzma", true, ".lzma"),
    ("pbzip2", true, ".bz2"),
    ("pigz", true, ".gz"),
    ("uncompress", true, ".Z"),
    ("unlz4", false, ".lz4"),
    ("unlzma", true, ".lzma"),
    ("unxz", true, ".xz"),
    ("unzstd", false, ".zst"),
    ("xz", true, ".xz"),
    ("zstd", false, ".zst"),
    ("zstdmt", false, ".zst"),
];
/// Options of those that take a value.
const TAKES: &[&str] = &["-o", "--output", "-S", "--suffix", "-T", "--threads", "-D", "--memlimit", "-p", "-b"];
/// The same of `tar`.
const TAR_TAKES: &[&str] = &[
    "-C",
    "-I",
    "-T",
    "-X",
    "-f",
    "--directory",
    "--exclude",
    "--exclude-from",
    "--file",
    "--files-from",
    "--group",
    "--mode",
    "--mtime",
    "--owner",
    "--strip-components",
    "--transform",
    "--use-compress-program",
    "--xform",
];
/// By which its members come to other names than those that it is told, or are told elsewhere.
const RENAMES: &[&str] = &["-T", "--files-from", "--strip", "--transform", "--wildcards", "--xform"];
/// A path without the end that says that it is packed; `None` where it has none.
fn unpacked(path: &str) -> Option<&str> {
    PACKERS.iter().find_map(|(.., end)| path.strip_suffix(end)).filter(|path| !path.is_empty() && !path.ends_with('/'))
}

/// Whether a path is that of a file which is packed by itself: its text cannot be read as it stands there.
#[must_use]
pub fn is_packed(path: &str) -> bool {
    unpacked(path).is_some()
}

/// What comes out of an archive, or the archive that is made.
pub(super) fn of_archive(name: &str, rest: &[&str]) -> Vec<FileChange> {
    let into = |folder: Option<&str>| vec![all_untold(folder.unwrap_or("."))];
    // Those that are named, else all.
    let out_of = |members: &[&str], folder: Option<&str>| match members {
        [] => into(folder),
        members => members.iter().map(|path| all_untold(&from_folder(folder.unwrap_or("."), path))).collect(),
    };
    match name {
        "tar" | "bsdtar" | "jar" => {
            // What is given to an option in the same word is no flags.
            let free = |own: &[char]| {
                let takes =
                    |word: &&&str| word.len() > 2 && word.strip_prefix('-').is_some_and(|rest| rest.starts_with(own));
                rest.iter().filter(|word| !takes(word)).copied().collect::<Vec<_>>()
            };
            let flags = free(&['C', 'I', 'T', 'f']);
            // The first word is flags, with or without a hyphen.
            let first = rest.first().copied().unwrap_or_default();
            let bare = !first.starts_with('-') && !first.contains(['/', '.']);
            let flagged =
                |letter, long| flagged(&flags, &[letter]) || rest.contains(&long) || (bare && first.contains(letter));
            let (makes, lists) = (flagged('c', "--create"), flagged('t', "--list") || flagged('O', "--to-stdout"));
            let archive = given_to(&free(&['C', 'I', 'T']), 'f', "file");
            let archive = archive.or_else(|| rest.get(1).copied().filter(|_| bare && first.contains('f')));
            let folder = given_to(&free(&['I', 'T', 'f']), 'C', "directory");
            let members = operands(rest, TAR_TAKES);
            let renames = rest.iter().any(|word| RENAMES.iter().any(|own| word.starts_with(own)));
            let members: Vec<&str> = members
                .into_iter()
                .skip(usize::from(bare))
                .filter(|word| Some(*word) != archive && Some(*word) != folder)
                .collect();
            let taken = rest.contains(&"--remove-files") && makes;
            let taken = members.iter().filter(|_| taken).map(|path| gone(path));
            match makes || flagged('r', "--append") || flagged('u', "--update") {
                true => {
                    let made = archive.filter(|path| *path != "-").map(|path| FileChange::of(path, true));
                    made.into_iter().chain(taken).collect()
                }
                false if lists || !(flagged('x', "--extract") || rest.contains(&"--get")) => Vec::new(),
                false if renames => into(folder),
                false => out_of(&members, folder),
            }
        }
        "unzip" => {
            let is_value = |word: &&&str| word.starts_with("-d") || word.starts_with("-P");
            let flags: Vec<&str> = rest.iter().filter(|word| !is_value(word)).copied().collect();
            let (all, folder) = (operands(rest, &["-d", "-x", "-P"]), given_to(rest, 'd', "exdir"));
            let members = all.get(1..).unwrap_or_default();
            let some = flagged(&flags, &['j', 'x']) || members.iter().any(|path| path.contains(['*', '?']));
            match flagged(&flags, &['l', 'p', 't', 'v', 'Z', 'z', 'c']) {
                true => Vec::new(),
                false if some => into(folder),
                false => out_of(members, folder),
            }
        }
        "7z" | "7za" | "7zz" if matches!(rest.first(), Some(&("x" | "e"))) => {
            into(rest.iter().find_map(|word| word.strip_prefix("-o")))
        }
        "cpio" if flagged(rest, &['i', 'p']) || rest.contains(&"--extract") => into(None),
        "zip" => {
            let all = operands(rest, &["-x", "-i"]);
            let taken = all.iter().skip(1).filter(|_| flagged(rest, &['m'])).map(|path| gone(path));
            all.iter().take(1).map(|path| FileChange::of(path, true)).chain(taken).collect()
        }
        _ => Vec::new(),
    }
}

/// What a command packs or unpacks; `None` where it does neither.
pub(super) fn of_packer(name: &str, rest: &[&str]) -> Option<Vec<FileChange>> {
    let (_, takes, end) = PACKERS.iter().find(|(own, ..)| *own == name)?;
    let has = |flags: &[char], long: &[&str]| flagged(rest, flags) || rest.iter().any(|word| long.contains(word));
    if has(&['c', 'l', 't'], &["--stdout", "--to-stdout", "--list", "--test"]) {
        return Some(Vec::new());
    }
    let stays = match takes {
        true => has(&['k'], &["--keep"]),
        false => !(rest.contains(&"--rm") || (name == "brotli" && has(&['j'], &[]))),
    };
    let deep = has(&['r'], &["--recursive"]);
    let mut files = operands(rest, TAKES);
    // The second one is where the first one goes.
    let is_second = name.ends_with("lz4") && files.len() == 2 && !has(&['m'], &["--multiple"]);
    let to = if is_second { files.pop() } else { None };
    let to = to.or_else(|| given_to(rest, 'o', "output"));
    // What it says is there again where that is unpacked, as it was.
    let comes = |from: &str, change: FileChange| FileChange { from: vec![from.to_owned()], ..change };
    let named = has(&['S'], &["--suffix"]) || rest.iter().any(|word| word.starts_with("--suffix="));
    let out = |path: &str| match unpacked(path) {
        // It has its name without the end then.
        Some(plain) => (!is_second).then(|| comes(path, untold(plain))),
        // What is below a folder is packed there, each by itself.
        None if deep || named || to.is_some() => None,
        None => Some(comes(path, FileChange::of(&format!("{path}{end}"), true))),
    };
    let taken = |path: &str| FileChange { all_below: deep, ..gone(path) };
    let to = to.map(|to| match files[..] {
        [from] if unpacked(from).is_some() || unpacked(to).is_some() => comes(from, untold(to)),
        _ => untold(to),
    });
    // What comes is told before what it comes from is gone.
    let all = files.iter().flat_map(|path| [out(path), (!stays).then(|| taken(path))]).flatten();
    Some(all.chain(to.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    /// Path, whether all below goes as well, and whether it is not told what is there then.
    fn of(script: &str) -> Vec<(String, bool, bool)> {
        written(script, "").into_iter().map(|one| (one.path.clone(), one.all_below, one.is_untold())).collect()
    }

    #[test]
    fn what_comes_out_of_archives_may_be_any_file_there() {
        for (script, path) in [
            ("tar xzf a.tgz", "."),
            ("tar -xf a.tar -C d", "d"),
            ("tar --extract --file=a.tar --directory=d", "d"),
            ("curl -sL x | tar xz", "."),
            ("unzip -oq a.zip -d d", "d"),
            ("cd d && unzip a.zip", "d"),
            ("7z x a.7z -od", "d"),
            ("tar -I zstd -xf a.tar.zst", "."),
            ("tar -Izstd -xf a.tar.zst", "."),
            ("tar --use-compress-program zstd -xf a.tar.zst", "."),
            ("tar -xf a.tar -Cout", "out"),
            ("tar -xf a.tar -Ctarget", "target"),
            ("tar -xf a.tar --strip-components=1 a/f", "."),
            ("tar -xf a.tar -C d --wildcards '*.md'", "d"),
            ("tar -xf a.tar d/f", "d/f"),
            ("unzip -qo a.zip -dout", "out"),
            ("unzip a.zip '*.md' -d d", "d"),
            ("unzip -j a.zip a/f -d d", "d"),
        ] {
            assert_eq!(of(script), [(path.to_owned(), true, true)], "{script}");
        }
        for (script, path) in [
            ("tar czf out.tgz src", "out.tgz"),
            ("zip -r out.zip src", "out.zip"),
            ("uniq -c in out", "out"),
            ("dd if=a of=out", "out"),
            ("rsync -av -e ssh --exclude x host:a out", "out"),
        ] {
            assert_eq!(of(script), [(path.to_owned(), false, false)], "{script}");
        }
        assert_eq!(of("gunzip -k out.gz"), [("out".to_owned(), false, true)]);
    }

    fn paths(script: &str) -> String {
        written(script, "").into_iter().map(|one| one.path).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_packs_a_file_takes_it_unless_it_is_told_to_leave_it() {
        for (script, found) in [
            ("gzip d/f", "d/f.gz d/f"),
            ("xz -9 -T 4 d/f", "d/f.xz d/f"),
            ("bzip2 d/f", "d/f.bz2 d/f"),
            ("zstd --rm d/f", "d/f.zst d/f"),
            ("lz4 --rm d/f", "d/f.lz4 d/f"),
            ("brotli -j d/f", "d/f.br d/f"),
            ("gzip -k d/f", "d/f.gz"),
            ("gzip -r d", "d"),
            ("zstd d/f", "d/f.zst"),
            ("zstd d/f -o d/g.zst", "d/g.zst"),
            ("xz --keep d/f", "d/f.xz"),
            ("gzip -c d/f > /dev/null", ""),
            ("gunzip d/f.gz", "d/f d/f.gz"),
            ("gzip -dk d/f.gz", "d/f"),
            ("zstd -d d/f.zst", "d/f"),
            ("zstd -d x.zst -o d/f", "x d/f"),
            ("lz4 -d a.lz4 d/f", "d/f"),
            ("lz4 -dm a.lz4 b.lz4", "a b"),
            ("gunzip -t d/f.gz", ""),
        ] {
            assert_eq!(paths(script), found, "{script}");
        }
    }
}
