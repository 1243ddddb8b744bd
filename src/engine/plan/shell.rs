//! What the commands of a shell change of files: redirections, and what each command writes by itself, once or for each
//! of the files that a loop or a pipe gives it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::changes::{FILES, FileChange};
use super::paths::from_folder;
use super::shell_commands::{argument_of, name_of, of_command};
use super::shell_folders::{Folders, assigned, bare};
use super::shell_lists::{ALL, Printed, carried_out, execs, printed};
use super::shell_names::{Values, braces, script_of};
use super::shell_words::{Token, tokens};
use crate::content::decode_json_string;

/// How deep scripts within scripts are read.
const DEEP: usize = 3;
/// Bytes that are read of one script, its parts again for each file that they run on.
const READ: usize = 2 << 20;
/// Programs that run a script of a shell.
pub(super) const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

/// One command: its words, where its output goes and whether to the end of that, and what it is given to read: a text, or
/// a file.
#[derive(Default)]
struct Command<'t> {
    words: Vec<&'t str>,
    outputs: Vec<(&'t str, bool)>,
    /// Where other streams go.
    others: Vec<(&'t str, bool)>,
    given: Option<&'t str>,
    input: Option<&'t str>,
}

/// What commands that run in a folder write into files, and the files that they take away or put elsewhere. `folder` is
/// empty where nobody says which it is.
pub(super) fn written(script: &str, folder: &str) -> Vec<FileChange> {
    written_after(script, folder, &|_| None)
}

/// The same behind others: `wrote` tells the texts that they wrote into files, by their paths.
pub(super) fn written_after(script: &str, folder: &str, wrote: Wrote<'_>) -> Vec<FileChange> {
    let mut shell =
        Shell { found: Vec::new(), folders: Folders::of(folder), values: Values::default(), left: READ, wrote };
    shell.run(script, 0);
    // Of so many, nobody looks at each.
    if shell.found.len() > FILES || shell.left == 0 {
        shell.found.truncate(FILES - 1);
        shell.found.push(FileChange { untold: true, ..FileChange::of(&from_folder(folder, ALL), false) });
    }
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

/// Tells the text that was written into a file.
pub type Wrote<'w> = &'w dyn Fn(&str) -> Option<String>;

struct Shell<'w> {
    found: Vec<FileChange>,
    /// The folders that paths are relative to.
    folders: Folders,
    /// What names stand for.
    values: Values,
    /// Bytes that may still be read.
    left: usize,
    /// What was written before.
    wrote: Wrote<'w>,
}

impl Shell<'_> {
    fn run(&mut self, script: &str, depth: usize) {
        if !self.affords(script.len()) {
            return;
        }
        let tokens = tokens(script);
        let (mut command, mut piped, mut outer) = (Command::default(), None::<Printed>, Vec::new());
        let mut rest = tokens.iter().peekable();
        while let Some(token) = rest.next().filter(|_| self.found.len() <= FILES) {
            match token {
                Token::Word(word) => command.words.push(word),
                Token::Given(text) => command.given = Some(text),
                Token::Sign(sign) => match *sign {
                    ">" | ">>" | "&>" | "&>>" | ">|" => {
                        if let Some(Token::Word(path)) = rest.next_if(|next| matches!(next, Token::Word(_))) {
                            command.outputs.push((path, sign.ends_with(">>")));
                        }
                    }
                    "<" => {
                        if let Some(Token::Word(path)) = rest.next_if(|next| matches!(next, Token::Word(_))) {
                            command.input = Some(path);
                        }
                    }
                    // Other streams.
                    "n>" | "n>>" | ">&" => {
                        let number = |path: &str| path.bytes().all(|byte| byte.is_ascii_digit());
                        if let Some(Token::Word(path)) = rest.next_if(|next| matches!(next, Token::Word(_)))
                            && !number(path)
                        {
                            command.others.push((path, *sign == "n>>"));
                        }
                    }
                    _ => {
                        let prints = self.take(&std::mem::take(&mut command), piped.take(), depth);
                        piped = (*sign == "|").then_some(prints);
                        match *sign {
                            "(" => outer.push(self.folders.clone()),
                            // A pattern of a `case` ends so, too.
                            ")" => self.folders = outer.pop().unwrap_or_else(|| self.folders.clone()),
                            _ => {}
                        }
                    }
                },
            }
        }
        self.take(&command, piped, depth);
    }

    /// Whether so much may still be read; then it is taken.
    fn affords(&mut self, bytes: usize) -> bool {
        let affords = self.left > bytes;
        self.left = if affords { self.left - bytes } else { 0 };
        affords
    }

    /// Takes in what a command changes; what it prints, where that is plain to see.
    fn take(&mut self, command: &Command, piped: Option<Printed>, depth: usize) -> Printed {
        let words = bare(&command.words);
        if words.first().is_none_or(|name| matches!(*name, "export" | "local" | "readonly" | "declare")) {
            for (name, value) in command.words.iter().filter_map(|word| assigned(word)) {
                let all = self.paths(value);
                self.values.give(name, all);
            }
        }
        let (name, rest) = words.split_first().map_or(("", words), |(name, rest)| (*name, rest));
        let command_name = Some(name);
        let is_script = matches!(name, "." | "source") || (name.contains('/') && !SHELLS.contains(&name_of(name)));
        let command_name = if name.contains('/') { command_name } else { rest.first().copied() };
        let name = name.rsplit('/').next().unwrap_or_default();
        let braced: Vec<Cow<str>> = rest.iter().flat_map(|word| braces(word, name)).collect();
        let braced: Vec<&str> = braced.iter().map(|word| &**word).collect();
        let rest = braced.as_slice();
        let (says, lists) = piped.map_or((None, None), |piped| (piped.says, piped.lists));
        let given = command.given.map(str::to_owned).or(says).or_else(|| self.written(command.input?));
        let is_patch = matches!(name, "git" | "patch");
        let operands = || rest.iter().rev().filter(|word| !word.starts_with('-'));
        let given = given.or_else(|| operands().filter(|_| is_patch).find_map(|path| self.written(path)));
        let unknown = String::new();
        match name {
            "cd" | "pushd" => {
                if name == "pushd" {
                    self.folders.push();
                }
                let folder = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
                // A folder may have blanks in its name.
                let all = if folder.contains('$') { self.values.of(folder) } else { vec![folder.to_owned()] };
                let known = !all.is_empty() && all.iter().all(|one| !one.contains("**"));
                self.folders.enter(if known { &all } else { std::slice::from_ref(&unknown) });
            }
            "popd" => self.folders.pop(),
            // The words that a name goes through; what is read of a file nobody knows.
            "for" | "select" => {
                if let [name, "in", all @ ..] = rest {
                    let all = all.iter().flat_map(|word| self.paths(word)).collect();
                    self.values.give(name, all);
                }
            }
            "read" | "mapfile" | "readarray" => {
                let lines = lists.clone().unwrap_or_else(|| vec![ALL.to_owned()]);
                rest.iter()
                    .filter(|word| !word.starts_with('-'))
                    .for_each(|name| self.values.give(name, lines.clone()));
            }
            _ if depth < DEEP && (SHELLS.contains(&name) || name == "eval") => {
                let script = argument_of(rest, 'c').map(str::to_owned);
                let script = script.or_else(|| (name == "eval").then(|| rest.join(" ")));
                let script = script.or_else(|| given.clone().filter(|_| rest.is_empty()));
                let script = script.or_else(|| self.written(rest.iter().find(|word| !word.starts_with('-'))?));
                let folders = self.folders.clone();
                script.into_iter().for_each(|script| self.run(&script, depth + 1));
                self.folders = folders;
            }
            "xargs" | "parallel" if depth < DEEP => {
                let lines = lists.clone().unwrap_or_else(|| vec![ALL.to_owned()]);
                self.each(&carried_out(rest, &lines), given.as_deref(), depth);
            }
            "find" | "fd" | "fdfind" if depth < DEEP => self.each(&execs(name, rest), None, depth),
            _ if depth < DEEP && is_script => {
                let folders = self.folders.clone();
                let script = command_name.and_then(|path| self.written(path));
                script.into_iter().for_each(|script| self.run(&script, depth + 1));
                self.folders = folders;
            }
            _ => {}
        }
        let changes = of_command(name, rest, given.as_deref());
        changes.into_iter().for_each(|change| self.add(change));
        let prints = printed(name, rest, lists, given.as_deref());
        let shows = if name == "cat" { rest } else { &[] };
        let shown: Vec<String> =
            shows.iter().filter(|word| !word.starts_with('-')).take(FILES).map(|word| (*word).to_owned()).collect();
        command.others.iter().for_each(|(path, append)| self.add(FileChange::of(path, !append)));
        for (path, append) in &command.outputs {
            let mut change = FileChange::of(path, !append);
            change.puts.extend(prints.says.clone().or_else(|| given.clone()));
            change.from.clone_from(&shown);
            self.add(change);
        }
        prints
    }

    /// Takes in commands that one command runs.
    fn each(&mut self, commands: &[Vec<String>], given: Option<&str>, depth: usize) {
        for words in commands {
            if !self.affords(words.iter().map(String::len).sum()) {
                return;
            }
            let command = Command { words: words.iter().map(String::as_str).collect(), given, ..Command::default() };
            self.take(&command, None, depth + 1);
        }
    }

    /// What this script wrote into a file.
    fn written(&self, path: &str) -> Option<String> {
        let path = self.folders.first(path);
        let Some(wrote) = self.found.iter().rev().find(|change| change.path == path) else {
            return (self.wrote)(&path);
        };
        Some(wrote.puts.join("\n")).filter(|text| wrote.whole && !text.is_empty())
    }

    /// The paths that a word of a loop stands for.
    fn paths(&self, word: &str) -> Vec<String> {
        let Some(script) = script_of(word) else { return self.values.of(word) };
        // Of the commands that are put in the word's place, the last one of a pipe prints.
        let mut lists = None;
        let tokens = tokens(script);
        for command in tokens.split(|token| matches!(token, Token::Sign(_))) {
            let words = command
                .iter()
                .filter_map(|token| if let Token::Word(word) = token { Some(word.as_str()) } else { None });
            let words: Vec<&str> = words.collect();
            let Some((name, rest)) = bare(&words).split_first() else { continue };
            lists = printed(name.rsplit('/').next().unwrap_or_default(), rest, lists, None).lists;
        }
        lists.unwrap_or_else(|| vec![ALL.to_owned()])
    }

    fn add(&mut self, change: FileChange) {
        let is_file = |path: &str| !path.is_empty() && !path.starts_with(['-', '&', '<']) && !path.starts_with("/dev/");
        let known = self.values.put_into(change).into_iter().filter(|change| is_file(&change.path));
        for change in known.take((FILES + 1).saturating_sub(self.found.len())) {
            self.found.extend(self.folders.now.iter().map(|folder| match folder.is_empty() {
                true => change.clone().made_in("."),
                false => change.clone().made_in(folder),
            }));
        }
    }
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
                [one("/tmp/x", "", true), one("a", "", true), one("/tmp/x", "", true)].concat(),
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

    /// Each path with whether nobody can tell what is there then.
    fn paths(script: &str) -> Vec<(String, bool)> {
        written(script, "").into_iter().map(|change| (change.path, change.untold)).collect()
    }

    #[test]
    fn what_is_done_to_each_of_several_files_is_done_to_all() {
        for (script, found) in [
            ("for f in a.rs src/b.rs; do sed -i 's/1/2/' $f; done", "a.rs src/b.rs"),
            ("for f in a b\ndo\n  rm -f \"${f}.bak\"\ndone", "a.bak b.bak"),
            ("for f in *.rs; do sed -i 's/1/2/' \"$f\"; done", "*.rs"),
            ("for f in src/{a,b}.rs; do sed -i 's/1/2/' \"$f\"; done", "src/a.rs src/b.rs"),
            ("for f in $(git ls-files '*.rs'); do sed -i 's/1/2/' \"$f\"; done", "**/*.rs"),
            ("for f in `find src -name '*.rs'`; do rm $f; done", "src/**/*.rs"),
            ("for f in $(cat list); do rm $f; done", "**"),
            ("for d in x y; do for f in a b; do rm $d/$f; done; done", "x/a x/b y/a y/b"),
            ("for f in a.txt; do mv $f ${f%.txt}.md; done", "*.md a.txt"),
            ("F=src/a.rs; sed -i 's/1/2/' $F", "src/a.rs"),
            ("export F=a; rm $F", "a"),
            ("files=(a b); rm \"${files[@]}\"", "a b"),
            ("D=/srv/x && cd $D && rm f", "/srv/x/f"),
            ("rm \"$X\"", "**"),
            ("rm \"$X/a.rs\"", "/**/a.rs **/a.rs"),
            ("tmp=$(mktemp); jq . a > $tmp && mv $tmp a", "/tmp/* a /tmp/*"),
            ("echo a b | xargs rm -f", "a b"),
            ("find src -name '*.rs' | xargs sed -i 's/1/2/'", "src/**/*.rs"),
            ("find src -name '*.rs' -print0 | grep -zv x | xargs -0 -n 1 -P4 sed -i 's/1/2/'", "src/**/*.rs"),
            ("grep -rl one src | xargs sed -i 's/one/two/'", "src/**"),
            ("rg -l one | xargs -I{} cp {} {}.bak", "**.bak"),
            ("ls *.log | xargs -I % sh -c 'rm %'", "*.log"),
            ("cat list | xargs rm", "**"),
            ("find . -name '*.rs' -exec sed -i 's/1/2/' {} \\;", "**/*.rs"),
            ("find src -name f -exec sh -c 'rm \"$1\"' _ {} +", "**"),
            ("fd -e rs -x sed -i 's/1/2/'", "**"),
            ("git ls-files src | while read -r f; do sed -i 's/1/2/' \"$f\"; done", "src/**"),
            ("while read f; do rm $f; done < list", "**"),
            ("parallel rm ::: a b", "a b"),
            ("timeout 10 rm a; nice -n 5 rm b; env -u X rm c", "a b c"),
            ("rm a{1,2}.txt", "a1.txt a2.txt"),
            ("cp a.toml{,.bak}", "a.toml.bak"),
            ("rm a[0-9].txt", "a[0-9].txt a?.txt"),
            ("eval 'rm a'", "a"),
            ("cargo test 2> err.log", "err.log"),
            ("exec 3> f", "f"),
            ("clean() { rm -f a; }; clean", "a"),
            ("function clean { rm -f a; }\nclean", "a"),
            ("for d in a b; do (cd $d && rm -f *.rs); done; rm c", "a/*.rs b/*.rs c"),
            ("for d in a b; do cd $d; rm f; cd ..; done; rm c", "a/f b/f c"),
            ("for d in */; do cd $d; rm f; done", "*/f"),
            ("pushd d; rm f; popd; rm g", "d/f g"),
            ("cat > x.sh <<'E'\nrm a\nE\nbash x.sh", "x.sh a"),
            ("echo 'rm a' > x.sh; ./x.sh", "x.sh a"),
            ("./x.sh; bash x.sh", ""),
        ] {
            let own: Vec<String> = paths(script).into_iter().map(|(path, _)| path).collect();
            assert_eq!(own.join(" "), found, "{script}");
        }
        let many: String = (0..200).map(|file| format!("rm f{file}\n")).collect();
        let last = paths(&many).pop();
        assert_eq!(last, Some((ALL.to_owned(), true)), "what is beyond the many may be any file");
        // Nor does a script run on and on, or a name grow.
        let words = (0..64).map(|word| format!("w{word} ")).collect::<String>();
        let inner = "true %; ".repeat(8_000);
        let nested = format!("echo {words} | xargs -I% sh -c \"{inner}\"");
        assert_eq!(paths(&nested).pop(), Some((ALL.to_owned(), true)));
        let grows = format!("a=x; {} rm $a", "a=$a$a; ".repeat(500));
        assert!(paths(&grows).iter().all(|(path, _)| path.len() < 9_000));
    }

    #[test]
    fn no_script_takes_long() {
        let many = |text: &str| text.repeat((256 << 10) / text.len());
        for script in [
            format!("rm {}", many("${")),
            format!("rm {}", many("$(")),
            format!("rm {}", many("{a,b} ")),
            format!("cat {} > $f", many("$a ")),
            format!("find {} {}", many("a ").get(..99_999).unwrap(), many("-name a ")),
            format!("find a {}", many("-exec rm a ; ").replace(';', "\\;")),
            format!("for f in {}; do rm $f; done", many("$(ls) ")),
            format!("git add {}", many("a ")),
            many("for f in a b; do "),
            many("`"),
        ] {
            assert!(written(&script, "/w").len() <= FILES);
        }
    }

    #[test]
    fn what_only_looks_so_changes_nothing() {
        for none in [
            "cargo test > /dev/null 2>&1",
            "echo failed >&2",
            "cargo test 2>&1 2>/dev/null",
            "echo \"a > b\" '> c' \\> d",
            "echo '>' f",
            "test $((3 > 2)) && ls",
            "grep -n 'x' <(sort a > /dev/null)",
            "for f in *.rs; do grep -n x $f; done",
            "for f in a b; do echo \"$f\" >&2; cat $f | head; done",
            "find . -name '*.rs' | xargs grep -l x | sort",
            "find . -name f -exec grep -n x {} +",
            "git ls-files | while read -r f; do wc -l \"$f\"; done",
            "tar tzf a.tgz && tar -xOf a.tgz x | head && unzip -l a.zip",
            "git apply --check < p.diff && git stash list && git stash show -p",
            "uniq -c a && sort a | uniq",
            "patch -p1 --dry-run < p.diff",
            "diff a b && git diff --stat && git show HEAD:a",
            "rsync -an a b && rsync -a a host:b",
            "X=a.rs; cat $X; sed -n 1,5p \"$X\"",
            "git checkout -b main",
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
