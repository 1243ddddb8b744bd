//! Where a shell is, and where the name of a command stands among its words.

use super::paths::from_folder;

/// Words that stand before a command and change nothing of what it writes.
const BEFORE: &[&str] = &[
    "!", "builtin", "command", "do", "doas", "elif", "else", "env", "exec", "if", "nice", "nohup", "setsid", "stdbuf",
    "sudo", "then", "time", "timeout", "until", "while", "{",
];
/// What runs another command in an environment of a project.
const LAUNCHERS: &[&str] = &["bunx", "hatch", "npx", "pdm", "pipenv", "pipx", "poetry", "rye", "uv", "uvx"];
/// Folders of which a shell may be in each.
const BESIDE: usize = 16;
/// Folders of which a shell may be in each: those that a loop goes through.
#[derive(Clone)]
pub(super) struct Folders {
    /// Empty where nobody changed it, or nobody can tell.
    pub now: Vec<String>,
    /// Those that `popd` goes back to.
    pushed: Vec<Vec<String>>,
}

impl Folders {
    /// The one in which a script begins; empty where nobody says which it is.
    pub fn of(folder: &str) -> Folders {
        let mut folders = Folders { now: vec![String::new()], pushed: Vec::new() };
        folders.enter(&[folder.to_owned()]);
        folders
    }

    /// Goes into one of some folders. Where nobody can tell which those are, paths stay as they are written.
    pub fn enter(&mut self, into: &[String]) {
        let to = |from: &str, folder: &str| {
            let known = !folder.is_empty() && !folder.starts_with(['-', '$', '`']);
            if known { from_folder(from, folder) } else { String::new() }
        };
        let all = self.now.iter().flat_map(|from| into.iter().map(move |folder| to(from, folder)));
        let mut all: Vec<String> = all.take(BESIDE).collect();
        all.sort_unstable();
        all.dedup();
        self.now = all;
    }

    pub fn push(&mut self) {
        if self.pushed.len() < BESIDE {
            self.pushed.push(self.now.clone());
        }
    }

    pub fn pop(&mut self) {
        self.now = self.pushed.pop().unwrap_or_else(|| self.now.clone());
    }

    pub fn first(&self, path: &str) -> String {
        from_folder(self.now.first().map_or("", String::as_str), path)
    }
}

/// Whether a command runs another one that its words name: `uv run pytest`, but not `uv add x`.
fn launches(words: &[&str]) -> bool {
    match words {
        ["npx" | "bunx" | "uvx", _, ..] => true,
        [first, "run", _, ..] => LAUNCHERS.contains(first),
        _ => false,
    }
}

/// The words of a command from its name on.
pub(super) fn bare<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    let mut rest = words;
    while let Some((first, others)) = rest.split_first().filter(|(first, _)| {
        // What a function does is looked at where it is written.
        BEFORE.contains(first)
            || launches(rest)
            || assigned(first).is_some()
            || first.ends_with("()")
            || **first == "function"
    }) {
        rest = others.get(usize::from(*first == "function")..).unwrap_or_default();
        // `uv run python`, `npx tsx`
        if LAUNCHERS.contains(first) {
            rest = others.get(usize::from(others.first() == Some(&"run"))..).unwrap_or_default();
            rest = rest.get(rest.iter().take_while(|word| word.starts_with('-')).count()..).unwrap_or_default();
        }
        if matches!(*first, "sudo" | "doas" | "env" | "nice" | "stdbuf" | "timeout") {
            // `sudo -u name`: the name is none of a command.
            while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with('-')) {
                let takes: &[&str] = match *first {
                    "sudo" | "doas" => &["-u", "-g", "-h", "-p"],
                    "timeout" => &["-s", "-k"],
                    "nice" => &["-n"],
                    _ => &["-u"],
                };
                let takes = takes.contains(flag);
                rest = others.get(usize::from(takes)..).unwrap_or_default();
            }
            rest = rest.get(usize::from(*first == "timeout")..).unwrap_or_default();
        }
    }
    rest
}

/// A name that is given a value, and that.
pub(super) fn assigned<'w>(word: &&'w str) -> Option<(&'w str, &'w str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    Some((name, value)).filter(|_| !name.is_empty() && name.chars().all(is_name))
}
