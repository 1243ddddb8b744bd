//! Where a shell is, and where the name of a command stands among its words.

use super::paths::from_folder;

/// Words behind which another command begins.
pub(super) const OPENS: &[&str] = &["!", "do", "elif", "else", "if", "then", "time", "until", "while", "{"];
/// Other words that stand before a command and change nothing of what it writes.
const BEFORE: &[&str] = &["builtin", "command", "exec", "nohup", "setsid"];
/// What runs another command: the words behind which that stands, of which one is empty where it stands at once behind the
/// name; the flags that take a value; and how many words stand before it that are none of its own.
const LAUNCHERS: &[(&str, &[&str], &[&str], usize)] = &[
    ("bundle", &["exec"], &[], 0),
    ("bun", &["x"], &[], 0),
    ("bunx", &[""], &["-p", "--package"], 0),
    ("caffeinate", &[""], &["-t", "-w"], 0),
    ("conda", &["run"], &["-n", "-p", "--name", "--prefix", "--cwd"], 0),
    ("doas", &[""], &["-u", "-C"], 0),
    ("env", &[""], &["-u", "-C", "--unset", "--chdir"], 0),
    ("flock", &[""], &["-w", "-E"], 1),
    ("hatch", &["run"], &["-e", "--env"], 0),
    ("ionice", &[""], &["-c", "-n"], 0),
    ("mamba", &["run"], &["-n", "-p"], 0),
    ("mise", &["exec --", "x --"], &[], 0),
    ("nice", &[""], &["-n"], 0),
    ("npm", &["exec", "x"], &["-p", "--package"], 0),
    ("npx", &[""], &["-p", "--package"], 0),
    ("pdm", &["run"], &["-p", "--project"], 0),
    ("pipenv", &["run"], &[], 0),
    ("pipx", &["run"], &["--spec", "--python"], 0),
    ("pnpm", &["dlx", "exec"], &["-C", "--package"], 0),
    ("poetry", &["run"], &[], 0),
    ("rye", &["run"], &[], 0),
    ("stdbuf", &[""], &["-i", "-o", "-e"], 0),
    ("sudo", &[""], &["-u", "-g", "-h", "-p", "-C", "-D"], 0),
    ("timeout", &[""], &["-s", "-k"], 1),
    ("uv", &["run", "tool run"], &["-p", "--python", "--with", "--from", "--extra", "--group", "--project"], 0),
    ("uvx", &[""], &["-p", "--python", "--with", "--from"], 0),
    ("xvfb-run", &[""], &["-n", "-s", "-e"], 0),
    ("yarn", &["dlx", "exec"], &["-p", "--package"], 0),
];
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

/// The words of the command that another one runs: `uv run pytest`, but not `uv add x`.
fn launched<'w, 't>(words: &'w [&'t str]) -> Option<&'w [&'t str]> {
    let (name, rest) = words.split_first()?;
    let (_, behind, takes, before) = LAUNCHERS.iter().find(|(own, ..)| own == name)?;
    let begins = |phrase: &&str| {
        let words: Vec<&str> = phrase.split_whitespace().collect();
        rest.starts_with(&words).then_some(words.len())
    };
    let mut rest = rest.get(behind.iter().find_map(begins)?..)?;
    // `sudo -u name`: the name is none of a command.
    while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with('-')) {
        rest = others.get(usize::from(takes.contains(flag))..).unwrap_or_default();
    }
    Some(rest.get(*before..).unwrap_or_default())
}

/// The words of a command from its name on.
pub(super) fn bare<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    let mut rest = words;
    loop {
        let Some((first, others)) = rest.split_first() else { return rest };
        rest = match *first {
            "function" => others.get(1..).unwrap_or_default(),
            // What a function does is looked at where it is written.
            name if OPENS.contains(&name) || BEFORE.contains(&name) => others,
            name if assigned(first).is_some() || name.ends_with("()") => others,
            _ => match launched(rest) {
                Some(inner) => inner,
                None => return rest,
            },
        };
    }
}

/// A name that is given a value, and that.
pub(super) fn assigned<'w>(word: &&'w str) -> Option<(&'w str, &'w str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    Some((name, value)).filter(|_| !name.is_empty() && name.chars().all(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_command_stands_behind_what_runs_it() {
        for (words, own) in [
            ("rm f", "rm f"),
            ("sudo -u web rm f", "rm f"),
            ("env -i A=1 timeout -k 5 10 nice -n 5 rm f", "rm f"),
            ("! time command rm f", "rm f"),
            ("function clean() { rm f", "rm f"),
            ("uv run --with x python a.py", "python a.py"),
            ("uv tool run ruff check", "ruff check"),
            ("uvx --from httpie http x", "http x"),
            ("npx -y -p typescript tsc f", "tsc f"),
            ("npm exec -- tsc f", "tsc f"),
            ("pnpm dlx prettier f", "prettier f"),
            ("yarn exec tsc", "tsc"),
            ("bundle exec rake", "rake"),
            ("conda run -n base python a.py", "python a.py"),
            ("flock /tmp/l rm f", "rm f"),
            ("poetry run poetry run rm f", "rm f"),
            ("uv add x", "uv add x"),
            ("yarn run build", "yarn run build"),
            ("npm install", "npm install"),
            ("conda install x", "conda install x"),
            ("", ""),
            ("sudo -u", ""),
        ] {
            let words: Vec<&str> = words.split_whitespace().collect();
            assert_eq!(bare(&words).join(" "), own, "{words:?}");
        }
    }
}
