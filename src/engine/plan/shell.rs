//! What the commands of a shell change of files: redirections, and a small table of commands that write.

use std::sync::LazyLock;

use regex::Regex;

use super::changes::{FILES, FileChange};
use super::shell_words::{Token, tokens};
use crate::content::decode_json_string;

/// How deep scripts within scripts are read.
const DEEP: usize = 3;
/// Words that stand before a command and change nothing of what it writes.
const BEFORE: &[&str] =
    &["!", "builtin", "command", "do", "else", "env", "exec", "if", "nohup", "sudo", "then", "time", "while", "{"];
/// Programs that run a script, of a shell and of Python.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];
const PYTHONS: &[&str] = &["python", "python2", "python3"];

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
        if is_file(&change.path) {
            change.path = joined(&self.folder, &change.path);
            self.found.push(change);
        }
    }

    /// Goes into a folder. Where nobody can tell which that is, paths stay as they are written.
    fn enter(&mut self, folder: &str) {
        let known = !folder.is_empty() && !folder.starts_with(['-', '~', '$', '`']);
        self.folder = if known { joined(&self.folder, folder) } else { String::new() };
    }
}

/// A path as it is from the outer folder on.
fn joined(folder: &str, path: &str) -> String {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./").filter(|_| !folder.is_empty()) {
        path = rest;
    }
    let mut folder = folder.trim_end_matches('/');
    if path.starts_with(['/', '~']) || folder.is_empty() {
        return path.to_owned();
    }
    while let Some(rest) = path.strip_prefix("..") {
        let last = folder.rsplit('/').next().unwrap_or_default();
        if !(rest.is_empty() || rest.starts_with('/')) || matches!(last, "" | "." | "..") {
            break;
        }
        folder = folder.get(..folder.len() - last.len()).unwrap_or_default().trim_end_matches('/');
        path = rest.trim_start_matches('/');
        if folder.is_empty() {
            return path.to_owned();
        }
    }
    match path {
        "" | "." => folder.to_owned(),
        path => format!("{folder}/{path}"),
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

/// What stands behind the flag of one letter, alone or with others: `-c`, `-lc`.
fn argument_of<'t>(words: &[&'t str], flag: char) -> Option<&'t str> {
    let is_flag =
        |word: &&str| word.len() > 1 && word.starts_with('-') && !word.starts_with("--") && word.ends_with(flag);
    let at = words.iter().take_while(|word| word.starts_with('-')).position(is_flag)?;
    words.get(at + 1).copied()
}

fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.starts_with(['-', '$', '&', '<', '`']) && !path.starts_with("/dev/")
}

/// What a command changes by itself, wherever its output goes.
fn of_command(name: &str, rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    let whole = |path: &str| FileChange::of(path, true);
    let paths = || rest.iter().copied().filter(|word| !word.is_empty() && !word.starts_with('-'));
    match name {
        "rm" | "unlink" => paths().map(whole).collect(),
        "mv" => moved(paths().collect()),
        "cp" => copied(paths().collect()),
        "install" if !rest.contains(&"-d") => {
            let flagged = |at: usize| at.checked_sub(1).is_some_and(|at| matches!(rest[at], "-m" | "-o" | "-g"));
            let own = rest.iter().enumerate().filter(|(at, word)| !word.starts_with('-') && !flagged(*at));
            copied(own.map(|(_, word)| *word).collect())
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
        "git" => of_git(rest),
        "sed" if rest.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place")) => {
            substituted(&paths().collect::<Vec<_>>())
        }
        "perl"
            if ['i', 'p'].iter().all(|flag| rest.iter().any(|word| word.starts_with('-') && word.contains(*flag))) =>
        {
            substituted(&paths().collect::<Vec<_>>())
        }
        _ if PYTHONS.contains(&name) => argument_of(rest, 'c')
            .or(given.filter(|_| rest.iter().all(|word| *word == "-")))
            .map_or_else(Vec::new, of_python),
        _ => Vec::new(),
    }
}

/// What git takes away, moves, or puts back as it was.
fn of_git(rest: &[&str]) -> Vec<FileChange> {
    let Some((name, rest)) = rest.split_first() else { return Vec::new() };
    let paths = |words: &[&str]| {
        words.iter().copied().filter(|word| !word.starts_with('-')).map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = |path: String| FileChange::of(&path, true);
    match *name {
        "rm" if !rest.contains(&"--cached") => paths(rest).into_iter().map(whole).collect(),
        "mv" => moved(rest.iter().copied().filter(|word| !word.starts_with('-')).collect()),
        "checkout" => {
            let at = rest.iter().position(|word| *word == "--").map_or(rest.len(), |at| at + 1);
            paths(&rest[at..]).into_iter().map(whole).collect()
        }
        "restore" if !rest.iter().any(|word| matches!(*word, "--staged" | "-S")) || rest.contains(&"--worktree") => {
            let source = rest.iter().position(|word| matches!(*word, "-s" | "--source")).map(|at| at + 1);
            let own = rest.iter().enumerate().filter(|(at, _)| Some(*at) != source).map(|(_, word)| *word);
            paths(&own.collect::<Vec<_>>()).into_iter().map(whole).collect()
        }
        _ => Vec::new(),
    }
}

/// What was moved is no more where it was; a file in whose place something comes says what that says.
fn moved(mut paths: Vec<&str>) -> Vec<FileChange> {
    let to = paths.pop();
    let alone = paths.len() == 1;
    let mut found: Vec<FileChange> = paths.into_iter().map(|path| FileChange::of(path, true)).collect();
    found.extend(to.filter(|to| alone && !to.ends_with('/')).map(|to| FileChange::of(to, true)));
    found
}

fn copied(mut paths: Vec<&str>) -> Vec<FileChange> {
    let Some(to) = paths.pop().filter(|_| !paths.is_empty()) else { return Vec::new() };
    if paths.len() == 1 && !to.ends_with('/') && to != "." {
        return vec![FileChange::of(to, true)];
    }
    let name = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    paths.into_iter().map(|path| FileChange::of(&joined(to, &name(path)), true)).collect()
}

/// What a script of `sed` changes of the files behind it.
fn substituted(words: &[&str]) -> Vec<FileChange> {
    let Some((script, paths)) = words.split_first() else { return Vec::new() };
    let sign = script.strip_prefix('s').and_then(|script| script.chars().next());
    let mut parts = sign.filter(char::is_ascii_punctuation).into_iter().flat_map(|sign| script.split(sign).skip(1));
    let mut part = || parts.next().filter(|part| !part.is_empty()).map(str::to_owned).into_iter().collect::<Vec<_>>();
    let (takes, puts) = (part(), part());
    let change = |path: &&str| FileChange { puts: puts.clone(), takes: takes.clone(), ..FileChange::of(path, false) };
    paths.iter().map(change).collect()
}

/// What a script of Python plainly writes: `open('a', 'w').write('text')`, `Path('a').write_text('text')`, or to a path
/// that it names so. Of a file that it also reads, nobody can tell what stays.
fn of_python(script: &str) -> Vec<FileChange> {
    static WRITTEN: LazyLock<Option<[Regex; 2]>> = LazyLock::new(|| {
        let path = r#"['"]([^'"\n]+)['"]"#;
        let opened =
            format!(r#"\bopen\(\s*{path}\s*,\s*(?:mode\s*=\s*)?['"]([wax])[bt+]*['"][^)\n]*\)(?:\.write\(\s*{path})?"#);
        let held = format!(r"\bPath\(\s*{path}\s*\)\.write_(?:text|bytes)\((?:\s*{path})?");
        let named = format!(r"(?m)^\s*(\w+)\s*=\s*(?:(?:pathlib\.)?Path\()?\s*{path}");
        Some([Regex::new(&format!("{opened}|{held}")).ok()?, Regex::new(&named).ok()?])
    });
    let Some([written, named]) = WRITTEN.as_ref() else { return Vec::new() };
    let bare: String = script.chars().filter(|sign| !sign.is_whitespace() && !matches!(sign, '\'' | '"')).collect();
    let reads = |path: &str| [").read", ",r"].iter().any(|reads| bare.contains(&format!("{path}{reads}")));
    let by_path = written.captures_iter(script).filter_map(|found| {
        let text = |at: usize| found.get(at).map(|text| text.as_str());
        let path = text(1).or_else(|| text(4))?;
        let mut change = FileChange::of(path, text(2) != Some("a") && !reads(path));
        change.puts.extend(text(3).or_else(|| text(5)).map(str::to_owned));
        Some(change)
    });
    let by_name = named.captures_iter(script).filter_map(|found| {
        let (name, path) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        let has = |uses: &[String]| uses.iter().any(|uses| bare.contains(uses));
        let whole = [format!("{name}.write_text("), format!("open({name},w"), format!("{name}.open(w")];
        let adds = [format!("open({name},a"), format!("{name}.open(a")];
        let reads = [format!("{name}.read_"), format!("open({name})"), format!("open({name},r")];
        (has(&whole) || has(&adds)).then(|| FileChange::of(path, has(&whole) && !has(&reads)))
    });
    by_path.chain(by_name).take(FILES).collect()
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
