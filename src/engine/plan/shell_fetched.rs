//! What comes from another machine to files: `curl`, `wget`.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_commands::{all_untold, name_of};

/// What comes from another machine to where a command puts it.
pub(super) fn fetched(name: &str, rest: &[&str]) -> Vec<FileChange> {
    let (out, folder, remote) = match name {
        "curl" => (["-o", "--output"], &["--output-dir"][..], &["-O", "--remote-name", "--remote-name-all"][..]),
        "aria2c" => (["-o", "--out"], &["-d", "--dir"][..], &[][..]),
        _ => (["-O", "--output-document"], &["-P", "--directory-prefix"][..], &[][..]),
    };
    // A flag of one letter may stand behind others, and what it is given at once behind it.
    let value = |flags: &[&str]| -> Vec<&str> {
        let given = |at: usize, word: &'_ str, flag: &str| match flag.strip_prefix("--") {
            Some(_) if word == flag => Some((at, None)),
            Some(_) => {
                word.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')).map(|_| (at, Some(flag.len() + 1)))
            }
            None => {
                let own = word.strip_prefix('-').filter(|own| !own.starts_with('-'))?;
                let own = own.find(flag.trim_start_matches('-')).filter(|at| {
                    // Those before it are given nothing.
                    own.get(..*at).is_some_and(|before| before.chars().all(|flag| "fgJkLNqRsSv#nc".contains(flag)))
                })?;
                Some((at, Some(own + 2).filter(|from| *from < word.len())))
            }
        };
        let found =
            rest.iter().enumerate().filter_map(|(at, word)| flags.iter().find_map(|flag| given(at, word, flag)));
        let value = |(at, from): (usize, Option<usize>)| match from {
            Some(from) => rest.get(at)?.get(from..),
            None => rest.get(at + 1).copied(),
        };
        found.filter_map(value).collect()
    };
    let folder = value(folder).first().copied().unwrap_or_default();
    let here =
        |path: &str| FileChange::of(&if folder.is_empty() { path.to_owned() } else { from_folder(folder, path) }, true);
    if name == "wget" && rest.iter().any(|word| matches!(*word, "-nc" | "--no-clobber")) {
        return Vec::new();
    }
    let outs = value(&out);
    let several = match name {
        "curl" => &["-K", "--config"][..],
        "aria2c" => &["-i", "--input-file"],
        _ => &["-r", "-m", "-p", "-i", "--recursive", "--mirror", "--page-requisites", "--input-file"],
    };
    if rest.iter().any(|word| several.contains(word)) {
        return vec![all_untold(if folder.is_empty() { "." } else { folder })];
    }
    let bare = |flags: &str| flags.contains('O') && flags.chars().all(|flag| "fgJkLNOqRsSv#".contains(flag));
    let by_name = match name {
        "curl" => rest.iter().any(|word| remote.contains(word) || word.strip_prefix('-').is_some_and(bare)),
        _ => outs.is_empty() && !rest.contains(&"--spider"),
    };
    let urls = rest.iter().filter(|word| by_name && !word.starts_with('-') && word.contains("://"));
    let urls = urls.map(|word| name_of(word.split(['?', '#']).next().unwrap_or_default()));
    outs.iter().copied().filter(|path| *path != "-").chain(urls).map(here).collect()
}
