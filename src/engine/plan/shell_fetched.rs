//! What comes from another machine to files: `curl`, `wget`.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_commands::{all_untold, name_of};

/// A program that fetches files, and its options.
struct Fetcher {
    name: &'static str,
    /// The file to which it writes.
    out: Flag,
    /// The folder of that.
    folder: Flag,
    /// What has it write a file that is named like what it fetches; `None` where it does so by itself.
    by_name: Option<Flag>,
    /// What has it fetch several files that nobody names.
    several: &'static [&'static str],
    /// What has it leave what is there, or fetch nothing.
    leaves: &'static [&'static str],
}

/// An option: its letter, where it has one, and how its name begins.
type Flag = (Option<char>, &'static str);

const FETCHERS: &[Fetcher] = &[
    Fetcher {
        name: "aria2c",
        out: (Some('o'), "out"),
        folder: (Some('d'), "dir"),
        by_name: None,
        several: &["-i", "--input-file"],
        leaves: &["--dry-run"],
    },
    Fetcher {
        name: "curl",
        out: (Some('o'), "output"),
        folder: (None, "output-dir"),
        by_name: Some((Some('O'), "remote-name")),
        several: &["-K", "--config"],
        leaves: &["--no-clobber"],
    },
    Fetcher {
        name: "wget",
        out: (Some('O'), "output-document"),
        folder: (Some('P'), "directory-prefix"),
        by_name: None,
        several: &["-r", "-m", "-p", "-i", "--recursive", "--mirror", "--page-requisites", "--input-file"],
        leaves: &["-nc", "--no-clobber", "--spider"],
    },
];
/// Letters of options that take no value: others may stand behind them.
const PLAIN: &str = "fgJkLNOqRsSv#nc";

/// What comes from another machine to where a command puts it.
pub(super) fn fetched(name: &str, rest: &[&str]) -> Vec<FileChange> {
    let has = |words: &[&str]| rest.iter().any(|word| words.contains(word));
    let Some(fetcher) = FETCHERS.iter().find(|own| own.name == name).filter(|own| !has(own.leaves)) else {
        return Vec::new();
    };
    let folder = values(rest, fetcher.folder).first().copied().unwrap_or(".");
    if rest.iter().any(|word| fetches_several(word, fetcher.several)) {
        return vec![all_untold(folder)];
    }
    let outs = values(rest, fetcher.out);
    let by_name = match fetcher.by_name {
        Some(flag) => rest.iter().any(|word| behind(word, flag).is_some()),
        None => outs.is_empty(),
    };
    let urls = rest.iter().filter(|word| by_name && !word.starts_with('-') && word.contains("://"));
    let urls = urls.map(|word| name_of(word.split(['?', '#']).next().unwrap_or_default()));
    let all = outs.iter().copied().filter(|path| *path != "-").chain(urls);
    all.map(|path| FileChange::of(&from_folder(folder, path), true)).collect()
}

/// Whether a word is one of some options, or has the letter of one among others.
fn fetches_several(word: &str, several: &[&str]) -> bool {
    several.iter().any(|own| match own.strip_prefix('-').filter(|own| !own.starts_with('-')) {
        Some(letter) => {
            let before = word.strip_prefix('-').and_then(|own| own.split_once(letter)).map(|(before, _)| before);
            // Of those, one is the first of two letters, and one takes a value.
            before.is_some_and(|before| before.chars().all(|flag| PLAIN.contains(flag) && !matches!(flag, 'n' | 'O')))
        }
        None => word.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')),
    })
}

/// What an option is given, each time.
fn values<'t>(rest: &[&'t str], flag: Flag) -> Vec<&'t str> {
    let value = |(at, word): (usize, &&'t str)| match behind(word, flag)? {
        "" => rest.get(at + 1).copied(),
        own => own.strip_prefix('=').or_else(|| Some(own).filter(|_| !word.starts_with("--"))),
    };
    rest.iter().enumerate().filter_map(value).collect()
}

/// What stands in a word at once behind an option: `-sSofile`, `--output=file`.
fn behind(word: &str, (letter, name): Flag) -> Option<&str> {
    if let Some(long) = word.strip_prefix("--") {
        return long.strip_prefix(name);
    }
    let (before, own) = word.strip_prefix('-')?.split_once(letter?)?;
    before.chars().all(|flag| PLAIN.contains(flag)).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fetched_comes_to_where_a_program_is_told_to_put_it() {
        for (words, paths) in [
            ("curl -sSLo d/f https://x.org/z", "d/f"),
            ("curl -sLod/f https://x.org/z", "d/f"),
            ("curl --output=d/f https://x.org/z", "d/f"),
            ("curl --output d/f https://x.org/z", "d/f"),
            ("curl -o a https://x.org/z -o b https://x.org/y", "a b"),
            ("curl -LO https://x.org/f?x=1", "f"),
            ("curl --remote-name-all https://x.org/f https://x.org/g", "f g"),
            ("curl --output-dir d -O https://x.org/f", "d/f"),
            ("curl https://x.org/f", ""),
            ("curl -X POST -d o https://x.org/f", ""),
            ("wget https://x.org/f", "f"),
            ("wget -P d https://x.org/f", "d/f"),
            ("wget -qO d/f https://x.org/z", "d/f"),
            ("wget -qO- https://x.org/z", ""),
            ("wget -nc https://x.org/f", ""),
            ("wget --spider https://x.org/f", ""),
            ("wget -r -P d https://x.org", "d"),
            ("wget -rnp -P d https://x.org", "d"),
            ("wget -mk https://x.org", "."),
            ("wget -np https://x.org/f", "f"),
            ("wget -Oreport https://x.org/f", "report"),
            ("aria2c -d d -o f https://x.org/z", "d/f"),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let found: Vec<String> = fetched(words[0], &words[1..]).into_iter().map(|one| one.path).collect();
            assert_eq!(found.join(" "), paths, "{words:?}");
        }
    }
}
