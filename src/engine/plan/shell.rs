//! What the commands of a shell change of files: redirections, and what each command writes by itself.

use std::sync::LazyLock;

use regex::Regex;

use super::changes::{FILES, FileChange};
use super::paths::from_folder;
use super::shell_commands::{argument_of, of_command};
use super::shell_words::{Token, tokens};
use crate::content::decode_json_string;

/// How deep scripts within scripts are read.
const DEEP: usize = 3;
/// Words that stand before a command and change nothing of what it writes.
const BEFORE: &[&str] =
    &["!", "builtin", "command", "do", "else", "env", "exec", "if", "nohup", "sudo", "then", "time", "while", "{"];
/// Programs that run a script of a shell.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

/// One command: its words, where its output goes and whether to the end of that, and what it is given to read.
#[derive(Default)]
struct Command<'t> {
    words: Vec<&'t str>,
    outputs: Vec<(&'t str, bool)>,
    given: Option<&'t str>,
}

/// What commands that run in a folder write into files, and the files that they take away or put elsewhere. `folder` is
/// empty where nobody says which it is.
pub(super) fn written(script: &str, folder: &str) -> Vec<FileChange> {
    let mut shell = Shell { found: Vec::new(), folder: String::new() };
    shell.enter(folder);
    shell.run(script, 0);
    shell.found.truncate(FILES);
    shell.found
}

/// The same of a program that gives commands to a tool; `None` where it is none: `tools.exec_command({cmd: "make"})`.
pub(super) fn written_by_program(program: &str) -> Option<Vec<FileChange>> {
    static GIVEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let text = r#"(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)"#;
        let name = |name: &str| format!(r#"["']?\b{name}["']?\s*:\s*{text}"#);
        Regex::new(&format!("(?s){}(?:\\s*,\\s*{})?", name("cmd"), name("workdir"))).ok()
    });
    if !program.contains("exec_command(") {
        return None;
    }
    let all = GIVEN.as_ref()?.captures_iter(program).flat_map(|found| {
        let text = |from: usize| (from..from + 3).find_map(|at| found.get(at)).map(|text| text.as_str());
        let plain = |text: &str| decode_json_string(text.as_bytes()).into_owned();
        let folder = text(4).map(plain).unwrap_or_default();
        text(1).map(|command| written(&plain(command), &folder)).unwrap_or_default()
    });
    Some(all.take(FILES).collect())
}

struct Shell {
    found: Vec<FileChange>,
    /// The folder that paths are relative to; empty where nobody changed it.
    folder: String,
}

impl Shell {
    fn run(&mut self, script: &str, depth: usize) {
        let tokens = tokens(script);
        let (mut command, mut piped, mut outer) = (Command::default(), None::<String>, Vec::new());
        let mut rest = tokens.iter().peekable();
        while let Some(token) = rest.next().filter(|_| self.found.len() < FILES) {
            match token {
                Token::Word(word) => command.words.push(word),
                Token::Given(text) => command.given = Some(text),
                Token::Sign(sign) => match *sign {
                    ">" | ">>" | "&>" | "&>>" | ">|" => {
                        if let Some(Token::Word(path)) = rest.next_if(|next| matches!(next, Token::Word(_))) {
                            command.outputs.push((path, sign.ends_with(">>")));
                        }
                    }
                    // Other streams, and what is read.
                    "<" | "n>" | ">&" => drop(rest.next_if(|next| matches!(next, Token::Word(_)))),
                    _ => {
                        let says = self.take(&std::mem::take(&mut command), piped.take(), depth);
                        piped = says.filter(|_| *sign == "|");
                        match *sign {
                            "(" => outer.push(self.folder.clone()),
                            // A pattern of a `case` ends so, too.
                            ")" => self.folder = outer.pop().unwrap_or_else(|| self.folder.clone()),
                            _ => {}
                        }
                    }
                },
            }
        }
        self.take(&command, piped, depth);
    }

    /// Takes in what a command changes; what it prints, where that is plain to see.
    fn take(&mut self, command: &Command, piped: Option<String>, depth: usize) -> Option<String> {
        let words = bare(&command.words);
        let (name, rest) = words.split_first().map_or(("", words), |(name, rest)| (*name, rest));
        let name = name.rsplit('/').next().unwrap_or_default();
        let given = command.given.map(str::to_owned).or(piped);
        let says = match name {
            "echo" | "printf" => {
                let flags = rest.iter().take_while(|word| matches!(**word, "-n" | "-e" | "-ne" | "-en" | "--")).count();
                Some(rest.get(flags..).unwrap_or_default().join(" "))
            }
            "cat" | "tee" if !rest.iter().any(|word| !word.starts_with('-')) || name == "tee" => given.clone(),
            _ => None,
        };
        if matches!(name, "cd" | "pushd") {
            self.enter(rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default());
        }
        if depth < DEEP && SHELLS.contains(&name) {
            let script = argument_of(rest, 'c').or_else(|| given.as_deref().filter(|_| rest.is_empty()));
            let folder = self.folder.clone();
            script.into_iter().for_each(|script| self.run(script, depth + 1));
            self.folder = folder;
        }
        let changes = of_command(name, rest, given.as_deref());
        changes.into_iter().for_each(|change| self.add(change));
        for (path, append) in &command.outputs {
            let mut change = FileChange::of(path, !append);
            change.puts.extend(says.clone().or_else(|| given.clone()));
            self.add(change);
        }
        says
    }

    fn add(&mut self, mut change: FileChange) {
        // The folder that a shell is in, as it names it itself.
        let here = ["$PWD/", "${PWD}/", "$(pwd)/"].iter().find_map(|here| change.path.strip_prefix(here));
        let path = here.unwrap_or(&change.path);
        if is_file(path) {
            change.path = from_folder(&self.folder, path);
            self.found.push(change);
        }
    }

    /// Goes into a folder. Where nobody can tell which that is, paths stay as they are written.
    fn enter(&mut self, folder: &str) {
        let known = !folder.is_empty() && !folder.starts_with(['-', '~', '$', '`']);
        self.folder = if known { from_folder(&self.folder, folder) } else { String::new() };
    }
}

/// The words of a command from its name on.
fn bare<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    let sets = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let mut rest = words;
    while let Some((first, others)) = rest.split_first().filter(|(first, _)| BEFORE.contains(first) || sets(first)) {
        rest = others;
        if *first == "sudo" {
            // `sudo -u name`: the name is none of a command.
            while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with('-')) {
                let takes = matches!(*flag, "-u" | "-g" | "-h" | "-p");
                rest = others.get(usize::from(takes)..).unwrap_or_default();
            }
        }
    }
    rest
}

fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.starts_with(['-', '$', '&', '<', '`']) && !path.starts_with("/dev/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Path, what is put there, and whether it is all.
    fn of(script: &str) -> Vec<(String, String, bool)> {
        written(script, "").into_iter().map(|change| (change.path, change.puts.join("|"), change.whole)).collect()
    }

    fn one(path: &str, puts: &str, whole: bool) -> Vec<(String, String, bool)> {
        vec![(path.to_owned(), puts.to_owned(), whole)]
    }

    #[test]
    fn what_is_piped_into_a_file_changes_it() {
        assert_eq!(of("echo 'port = 8443' | tee a.toml"), one("a.toml", "port = 8443", true));
        assert_eq!(
            of("echo 'port = 8443' | sudo tee -a /etc/a.toml > /dev/null"),
            one("/etc/a.toml", "port = 8443", false)
        );
        assert_eq!(of("make 2>&1 | tee -a build.log"), one("build.log", "", false));
        assert_eq!(of("sudo -u web tee a.toml <<E\nport = 8443\nE"), one("a.toml", "port = 8443", true));
        assert_eq!(of("echo \"one\ntwo\" > a.txt"), one("a.txt", "one\ntwo", true));
        assert_eq!(of("make &> build.log"), one("build.log", "", true));
        assert_eq!(of("cat <<< 'port = 8443' >> a.toml"), one("a.toml", "port = 8443", false));
        assert_eq!(of("echo 2 > a.txt"), one("a.txt", "2", true));
        assert_eq!(of("x=$(cat a | wc -l); echo \"$x\" >| b"), one("b", "$x", true));
    }

    #[test]
    fn paths_are_relative_to_the_folder_that_was_gone_into() {
        assert_eq!(of("cd x && echo a > f"), one("x/f", "a", true));
        assert_eq!(of("cd /srv/x/ && echo a > ./f"), one("/srv/x/f", "a", true));
        assert_eq!(of("cd x && cd ../y && echo a > f"), one("y/f", "a", true));
        assert_eq!(of("cd x && echo a > /srv/f"), one("/srv/f", "a", true));
        assert_eq!(of("(cd x; echo a > f); echo b > g"), [one("x/f", "a", true), one("g", "b", true)].concat());
        assert_eq!(of("cd \"$ROOT\" && echo a > f"), one("f", "a", true));
        assert_eq!(of("cd .. && echo a > f"), one("../f", "a", true));
    }

    #[test]
    fn commands_in_a_program_run_in_the_folder_that_it_names() {
        let of = |program: &str| -> Option<Vec<String>> {
            Some(written_by_program(program)?.into_iter().map(|change| change.path).collect())
        };
        let text =
            r#"const r = await tools.exec_command({cmd:"echo \"a\" > f", "workdir":"/srv/x"}); text(r.map(x => y))"#;
        assert_eq!(of(text), Some(vec!["/srv/x/f".to_owned()]));
        let two =
            "await Promise.all([tools.exec_command({cmd: 'rm a'}), tools.exec_command({\"cmd\": `tee b <<E\nx\nE`})])";
        assert_eq!(of(two), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(of("echo a > f"), None);
    }

    #[test]
    fn commands_that_write_by_themselves_change_files() {
        for (script, found) in [
            ("bash -c 'cd x && echo a > f'", one("x/f", "a", true)),
            ("sudo sh -lc \"echo a >> f\"", one("f", "a", false)),
            ("bash <<'E'\necho a > f\nE", one("f", "a", true)),
            ("cp a.toml b.toml", one("b.toml", "", true)),
            ("cp -r a.toml d/", one("d/a.toml", "", true)),
            ("install -m 644 a.toml /etc/a.toml", one("/etc/a.toml", "", true)),
            ("dd if=/dev/zero of=a.bin bs=1M count=1", one("a.bin", "", true)),
            ("truncate -s 0 a.log", one("a.log", "", true)),
            ("git checkout HEAD~1 -- a.rs", one("a.rs", "", true)),
            ("git restore a.rs", one("a.rs", "", true)),
            ("git restore --source HEAD~1 a.rs", one("a.rs", "", true)),
            (
                "jq . a > /tmp/x && mv /tmp/x a",
                [one("/tmp/x", "", true), one("/tmp/x", "", true), one("a", "", true)].concat(),
            ),
            ("FOO=1 perl -pi -e 's/one/two/' a.rs", one("a.rs", "two", false)),
            ("python3 -c \"open('a.txt', 'w').write('hello')\"", one("a.txt", "hello", true)),
            (
                "python - <<'E'\nfrom pathlib import Path\nPath('a.txt').write_text('hello')\nE",
                one("a.txt", "hello", true),
            ),
            ("python3 -c \"s = open('a.txt').read(); open('a.txt', 'w').write(s)\"", one("a.txt", "", false)),
            (
                "python3 - <<'E'\np = Path('a.rs')\ns = p.read_text()\np.write_text(s.replace('x', 'y'))\nE",
                one("a.rs", "", false),
            ),
            ("if true; then echo a > f; fi", one("f", "a", true)),
        ] {
            assert_eq!(of(script), found, "{script}");
        }
    }

    #[test]
    fn what_only_looks_so_changes_nothing() {
        for none in [
            "cargo test > /dev/null 2>&1",
            "echo failed >&2",
            "cargo test 2> err.log",
            "echo \"a > b\" '> c' \\> d",
            "echo '>' f",
            "test $((3 > 2)) && ls",
            "grep -n 'x' <(sort a > /dev/null)",
            "git checkout main",
            "git restore --staged a.rs",
            "install -d a/b",
            "cp a",
            "ls # echo a > f",
            "cat <<'E'\necho a > f\nE",
            "python3 -c \"print(open('a.txt').read())\"",
            "python3 a.py -c x",
            "[[ 3 -gt 2 ]] && ls",
            "sed -n 's/a/b/p' f",
        ] {
            assert_eq!(of(none), [], "{none}");
        }
    }
}
