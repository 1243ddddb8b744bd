//! What the commands of a shell change of files: redirections, and what each command writes by itself, once or for each
//! of the files that a loop or a pipe gives it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::changes::{FILES, FileChange};
use super::paths::{UNKNOWN, from_folder};
use super::shell_commands::{all_untold, given_to, name_of, of_command, script_within, untold};
use super::shell_folders::{Folders, OPENS, assigned, bare};
use super::shell_interpreters::{runs_given, script_named};
use super::shell_lists::{Printed, carried_out, execs, printed};
use super::shell_names::{Values, braces, script_of};
use super::shell_sources::{Source, is_same, source};
use super::shell_words::{Token, tokens};
use crate::content::decode_json_string;

/// How deep scripts within scripts are read.
const DEEP: usize = 3;
/// Bytes that are read of one script, its parts again for each file that they run on.
const READ: usize = 2 << 20;
/// Commands that fail where what they look for is not so.
const TESTS: &[&str] =
    &["[", "[[", "cmp", "command", "diff", "egrep", "false", "fgrep", "grep", "pgrep", "rg", "test", "type", "which"];
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
    let mut shell = Shell {
        found: Vec::new(),
        folders: Folders::of(folder),
        values: Values::default(),
        left: READ,
        wrote,
        perhaps: false,
    };
    shell.run(script, 0);
    // Of so many, nobody looks at each.
    if shell.found.len() > FILES || shell.left == 0 {
        shell.found.truncate(FILES - 1);
        shell.found.push(untold(&from_folder(folder, UNKNOWN)));
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

/// What a command prints, and of which files.
type Output = (Printed, Source);

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
    /// Whether something decides while it runs if what is read now is done.
    perhaps: bool,
}

/// What decides if the commands around it are done.
#[derive(Default)]
struct Decided {
    /// Behind `||`, or behind `&&` where a test stands before that.
    chained: bool,
    /// Of what is open: `if` and `case` decide, loops do not, and brackets do as what stands before them.
    open: Vec<bool>,
    /// The same of `( )`.
    bracketed: Vec<bool>,
}

impl Decided {
    /// Takes in a word with which a command begins.
    fn begin(&mut self, word: &str) {
        match word {
            "if" | "case" => self.open.push(true),
            "for" | "while" | "until" | "select" => self.open.push(false),
            "{" => self.open.push(self.chained),
            "fi" | "esac" | "done" | "}" => drop(self.open.pop()),
            // What stands behind it in a loop is left out where it was met.
            "break" | "continue" if self.perhaps() => self.open.iter_mut().for_each(|open| *open = true),
            _ => {}
        }
    }

    /// Takes in what stands behind a command.
    fn end(&mut self, words: &[&str], sign: &str) {
        match sign {
            "||" => self.chained = true,
            "&&" => self.chained |= bare(words).first().is_some_and(|name| TESTS.contains(name)),
            // A line that ends with `||` goes on.
            ";" | "\n" | "&" if !words.is_empty() => self.chained = false,
            "(" => self.bracketed.push(self.chained),
            ")" => drop(self.bracketed.pop()),
            _ => {}
        }
    }

    fn perhaps(&self) -> bool {
        self.chained || self.open.contains(&true) || self.bracketed.contains(&true)
    }
}

impl Shell<'_> {
    fn run(&mut self, script: &str, depth: usize) {
        if !self.affords(script.len()) {
            return;
        }
        let tokens = tokens(script);
        let (mut command, mut piped, mut outer) = (Command::default(), None::<Output>, Vec::new());
        let (within, mut decided) = (self.perhaps, Decided::default());
        let mut rest = tokens.iter().peekable();
        while let Some(token) = rest.next().filter(|_| self.found.len() <= FILES) {
            match token {
                Token::Word(word) => {
                    if command.words.iter().all(|before| OPENS.contains(before)) {
                        decided.begin(word);
                        self.perhaps = within || decided.perhaps();
                    }
                    command.words.push(word);
                }
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
                        let ended = std::mem::take(&mut command);
                        let prints = self.take(&ended, piped.take(), depth);
                        decided.end(&ended.words, sign);
                        self.perhaps = within || decided.perhaps();
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
        self.perhaps = within;
    }

    /// Whether so much may still be read; then it is taken.
    fn affords(&mut self, bytes: usize) -> bool {
        let affords = self.left > bytes;
        self.left = if affords { self.left - bytes } else { 0 };
        affords
    }

    /// Takes in what a command changes; what it prints, where that is plain to see, and of which files.
    fn take(&mut self, command: &Command, piped: Option<Output>, depth: usize) -> Output {
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
        let is_piped = piped.is_some();
        let (piped, of) = piped.unzip();
        let (says, lists) = piped.map_or((None, None), |piped| (piped.says, piped.lists));
        let source = source(name, rest, command.input, of);
        let given = command.given.map(str::to_owned).or(says).or_else(|| self.written(command.input?));
        let is_patch = matches!(name, "git" | "patch");
        let operands = || rest.iter().rev().filter(|word| !word.starts_with('-'));
        let given = given.or_else(|| operands().filter(|_| is_patch).find_map(|path| self.written(path)));
        let given = match script_named(name, rest) {
            Some(path) => self.written(path),
            None => given,
        };
        let unknown = String::new();
        match name {
            "cd" | "pushd" => {
                if name == "pushd" {
                    self.folders.push();
                }
                let home = if rest.is_empty() { "~" } else { "" };
                let folder = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or(home);
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
                let lines = lists.clone().unwrap_or_else(|| vec![UNKNOWN.to_owned()]);
                rest.iter()
                    .filter(|word| !word.starts_with('-'))
                    .for_each(|name| self.values.give(name, lines.clone()));
            }
            _ if depth < DEEP && (SHELLS.contains(&name) || matches!(name, "eval" | "su" | "trap")) => {
                let named = rest.iter().copied().find(|word| !word.starts_with('-'));
                let named = named.filter(|_| !(SHELLS.contains(&name) && runs_given(rest)));
                let script = match name {
                    "eval" => Some(rest.join(" ")),
                    "trap" => named.map(str::to_owned),
                    "su" => given_to(rest, 'c', "command").map(str::to_owned),
                    _ => script_within(rest).map(str::to_owned),
                };
                let piped = is_piped && named.is_none() && name != "trap";
                let script = script.or_else(|| given.clone().filter(|_| named.is_none()));
                let script = script.or_else(|| self.written(named?));
                if piped && script.is_none() {
                    // What it is given to run may do anything.
                    self.add(all_untold("."));
                }
                let folders = self.folders.clone();
                script.into_iter().for_each(|script| self.run(&script, depth + 1));
                self.folders = folders;
            }
            "xargs" | "parallel" if depth < DEEP => {
                let lines = lists.clone().unwrap_or_else(|| vec![UNKNOWN.to_owned()]);
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
        // What is emptied before it is read is empty then.
        let reads = |path: &str| {
            let words = rest.iter().filter(|_| name != "tee").chain(&command.input);
            words.copied().any(|word| is_same(word, path))
        };
        let come = |change: FileChange| if reads(&change.path) { change } else { source.comes_to(change) };
        for change in changes {
            let change = if name == "tee" { come(change) } else { change };
            self.add(change);
        }
        let prints = printed(name, rest, lists, given.as_deref());
        command.others.iter().for_each(|(path, append)| self.add(FileChange::of(path, !append)));
        for (path, append) in &command.outputs {
            let mut change = FileChange::of(path, !append);
            change.puts.extend(prints.says.clone().or_else(|| given.clone()));
            self.add(come(change));
        }
        (prints, source)
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
        lists.unwrap_or_else(|| vec![UNKNOWN.to_owned()])
    }

    fn add(&mut self, mut change: FileChange) {
        // Nothing comes from there.
        change.from.retain(|path| path != "/dev/null");
        let is_file = |path: &str| !path.is_empty() && !path.starts_with(['-', '&', '<']) && !path.starts_with("/dev/");
        let known = self.values.put_into(change).into_iter().filter(|change| is_file(&change.path));
        for change in known.take((FILES + 1).saturating_sub(self.found.len())) {
            for folder in &self.folders.now {
                let change = change.clone().made_in(if folder.is_empty() { "." } else { folder });
                let change = if self.perhaps { change.perhaps() } else { change };
                // What is done again leaves the same.
                if self.found.last() != Some(&change) {
                    self.found.push(change);
                }
            }
        }
    }
}
