//! Which files the commands of a call show, and what they say by themselves.

use super::arguments::Arguments;
use super::changes::{COMMANDS, FILES, FOLDERS};
use super::paths::from_folder;
use super::shell::SHELLS;
use super::shell_commands::{argument_of, flagged, name_of, operands};
use super::shell_edits::is_in_place;
use super::shell_folders::bare;
use super::shell_lists::printed;
use super::shell_words::{Token, tokens};

/// Bytes of arguments that are looked at.
const READ: usize = 64 << 10;
/// How deep scripts within scripts are read.
const DEEP: usize = 3;
/// What prints lines of files as they are, each with those of its options that take a value.
const SHOWS: &[(&str, &[&str])] = &[
    ("cat", &[]),
    ("head", &["-n", "-c", "--lines", "--bytes"]),
    ("tail", &["-n", "-c", "--lines", "--bytes"]),
    ("nl", &["-b", "-w", "-s", "-v", "-n", "-i"]),
    ("bat", &["-r", "-l", "--line-range", "--language", "--style"]),
    ("batcat", &["-r", "-l", "--line-range", "--language", "--style"]),
    ("get-content", &["-TotalCount", "-Head", "-First", "-Tail", "-Last", "-Encoding"]),
    ("less", &[]),
    ("more", &[]),
    ("tac", &[]),
];
/// What prints lines of files in which something stands.
const GREPS: &[&str] = &["egrep", "fgrep", "grep", "rg"];
/// What passes on lines that it is given, as they are.
const PASSES: &[&str] = &["cat", "egrep", "fgrep", "grep", "head", "less", "more", "nl", "sort", "tac", "tail", "uniq"];
/// What prints nothing of what files say.
const BESIDE: &[&str] = &[
    "", "[", "basename", "chmod", "date", "dirname", "export", "false", "fi", "file", "ls", "mkdir", "pwd", "set",
    "sleep", "stat", "test", "touch", "true", "wc", "which", "whoami", "}",
];
/// What changes files and prints nothing of what they say.
const CHANGES: &[&str] = &["chown", "cp", "install", "ln", "mv", "rm", "rmdir", "truncate", "unlink"];

/// What commands show.
#[derive(Default)]
pub struct Shown {
    /// The files of which they show lines, as they were written or from the folder that was gone into.
    pub files: Vec<String>,
    /// What they say by themselves.
    pub says: Vec<String>,
}

/// What a call with these arguments shows of files; `None` where nobody can tell, or it may change those behind that.
#[must_use]
pub fn files_shown(text: &str) -> Option<Shown> {
    let arguments = Arguments::of(text).filter(|_| text.len() <= READ)?;
    let script = arguments.text(COMMANDS.iter())?;
    let folder = arguments.text(FOLDERS.iter()).unwrap_or_default();
    let mut looked = Looked { folder: Some(folder.into_owned()), ..Looked::default() };
    looked.run(&script, 0)?;
    Some(looked.shown)
}

/// The files that a call's arguments show lines of, by their paths as they are written and from the root. `folder`: where
/// the command runs.
#[must_use]
pub fn paths_shown(text: &str, folder: Option<&str>) -> Vec<String> {
    let files = files_shown(text).map(|shown| shown.files).unwrap_or_default();
    let both = |path: String| {
        let rooted = folder.filter(|_| !is_rooted(&path)).map(|folder| from_folder(folder, &path));
        rooted.into_iter().chain([from_folder("", &path)])
    };
    files.into_iter().flat_map(both).collect()
}

#[derive(Default)]
struct Looked {
    shown: Shown,
    /// The folder that paths are relative to; `None` where nobody can tell.
    folder: Option<String>,
}

/// One command: its words, the file that it reads, what it is given to read, and whether its output goes to a file.
#[derive(Default)]
struct Command<'t> {
    words: Vec<&'t str>,
    input: Option<&'t str>,
    given: bool,
    kept: bool,
}

impl Looked {
    fn run(&mut self, script: &str, depth: usize) -> Option<()> {
        let tokens = tokens(script);
        let (mut pipe, mut command, mut outer) = (Vec::new(), Command::default(), Vec::new());
        let mut rest = tokens.iter().peekable();
        while let Some(token) = rest.next() {
            let mut path = || match rest.next_if(|next| matches!(next, Token::Word(_))) {
                Some(Token::Word(path)) => Some(path.as_str()),
                _ => None,
            };
            match token {
                Token::Word(word) => command.words.push(word),
                Token::Given(_) => command.given = true,
                Token::Sign("<") => command.input = path(),
                // Another stream; where that comes to a file, it is changed.
                Token::Sign("n>" | "n>>" | ">&") => {
                    let to = path().unwrap_or_default();
                    let plain =
                        to.is_empty() || to.starts_with("/dev/") || to.bytes().all(|byte| byte.is_ascii_digit());
                    (plain || self.shown.files.is_empty()).then_some(())?;
                }
                Token::Sign(">" | ">>" | ">|" | "&>" | "&>>") => {
                    command.kept |= path().is_none_or(|path| path != "/dev/stdout");
                }
                Token::Sign(sign) => {
                    pipe.push(std::mem::take(&mut command));
                    if *sign != "|" {
                        self.take(&std::mem::take(&mut pipe), depth)?;
                    }
                    match *sign {
                        "(" => outer.push(self.folder.clone()),
                        ")" => self.folder = outer.pop()?,
                        _ => {}
                    }
                }
            }
        }
        pipe.push(command);
        self.take(&pipe, depth)
    }

    /// Takes in commands of which each reads what the one before it prints.
    fn take(&mut self, pipe: &[Command], depth: usize) -> Option<()> {
        let (first, behind) = pipe.split_first()?;
        let passed = behind.iter().all(|command| {
            let (name, rest) = bare(&command.words).split_first().map_or(("", &[][..]), |(name, rest)| (*name, rest));
            let passes =
                PASSES.contains(&name) || name == "sed" && shown_by(name, rest).is_some_and(|files| files.is_empty());
            passes && !command.kept && command.input.is_none()
        });
        let (name, rest) = bare(&first.words).split_first().map_or(("", &[][..]), |(name, rest)| (*name, rest));
        let name = name.rsplit('/').next().unwrap_or_default();
        let is_kept = pipe.iter().any(|command| command.kept);
        // What is changed behind a file that was shown may be that.
        let changes = is_kept
            || CHANGES.contains(&name)
            || (matches!(name, "sed" | "perl") && is_in_place(name, rest))
            || (name == "git" && matches!(rest.first(), Some(&("add" | "checkout" | "restore"))));
        if changes {
            return (self.shown.files.is_empty() && (is_kept || behind.is_empty())).then_some(());
        }
        match name {
            "cd" | "pushd" if behind.is_empty() => {
                let to = rest.iter().find(|word| !word.starts_with('-')).filter(|to| !to.starts_with(['~', '$', '`']));
                self.folder = to.and_then(|to| Some(under(self.folder.as_deref()?, to)));
            }
            "echo" | "printf" => {
                let says = printed(name, rest, None, None).says.unwrap_or_default();
                self.shown.says.push(Some(says).filter(|says| !says.contains("$("))?);
            }
            _ if SHELLS.contains(&name) && depth < DEEP && behind.is_empty() => {
                let (script, folder) = (argument_of(rest, 'c')?, self.folder.clone());
                self.run(script, depth + 1)?;
                self.folder = folder;
            }
            "git" if matches!(rest.first(), Some(&("status" | "branch" | "rev-parse" | "remote"))) => {}
            // What it is told about files is no line of theirs.
            _ if BESIDE.contains(&name) => {}
            _ => {
                let mut files = shown_by(name, rest)?;
                files.extend(first.input.filter(|_| files.is_empty()));
                (passed && !first.given && !files.is_empty()).then_some(())?;
                for file in files {
                    let known = self.shown.files.len() < FILES && !file.contains(['$', '*', '?', '`', '{']);
                    let file = if is_rooted(file) { file.to_owned() } else { under(self.folder.as_deref()?, file) };
                    self.shown.files.push(Some(file).filter(|_| known)?);
                }
            }
        }
        Some(())
    }
}

/// The files of which a `grep` shows lines.
fn greps<'t>(rest: &[&'t str]) -> Option<Vec<&'t str>> {
    const TAKES: &[&str] = &["-A", "-B", "-C", "-m", "-g", "-t", "-f", "--include", "--exclude"];
    const HIDES: &[&str] = &["--count", "--files-with-matches", "--quiet", "--only-matching", "--recursive"];
    if flagged(rest, &['c', 'l', 'L', 'q', 'o', 'r', 'R', 'v']) || rest.iter().any(|word| HIDES.contains(word)) {
        return None;
    }
    let pattern = argument_of(rest, 'e');
    let own = operands(rest, TAKES).into_iter().filter(|word| Some(*word) != pattern);
    let files: Vec<&str> = own.skip(usize::from(pattern.is_none())).collect();
    // What has no end may be a folder.
    let is_file = |file: &&str| name_of(file).trim_matches('.').contains('.');
    files.iter().all(is_file).then_some(files)
}

fn is_rooted(path: &str) -> bool {
    path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':')
}

fn under(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { from_folder(folder, path) }
}

/// The files of which a command shows lines as they are.
fn shown_by<'t>(name: &str, rest: &[&'t str]) -> Option<Vec<&'t str>> {
    if name != "sed" {
        if GREPS.contains(&name) {
            return greps(rest);
        }
        // Those of PowerShell are written in any letters.
        let (_, takes) = SHOWS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        return Some(operands(rest, takes));
    }
    let mut files = operands(rest, &[]);
    let program = (!files.is_empty()).then(|| files.remove(0))?;
    let lines =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'$' | b'+' | b' '));
    let prints = |part: &str| part.trim().strip_suffix('p').is_some_and(lines);
    let plain = rest.iter().filter(|word| word.starts_with('-')).all(|flag| matches!(*flag, "-n" | "-E" | "-r" | "-u"));
    (plain && program.split(';').filter(|part| !part.trim().is_empty()).all(prints)).then_some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Option<String> {
        let found = files_shown(&serde_json::json!({ "command": command }).to_string())?;
        Some(found.files.join(" "))
    }

    #[test]
    fn a_file_is_shown_whatever_prints_nothing_of_files_stands_beside() {
        for command in [
            "cat d/f",
            "cat d/f 2>/dev/null",
            "cat d/f 2>&1",
            "cat d/f 2>&1 | head -20",
            "cat d/f || true",
            "ls x && cat d/f",
            "cat d/f && ls",
            "sudo cat d/f",
            "sudo -u web head -n 5 d/f",
            "cat < d/f",
            "bash -c 'cat d/f'",
            "bash -lc \"cd d && sed -n 1,5p f\"",
            "(cd d; cat f); pwd",
            "cat d/f | grep -n key | sort",
            "git checkout -- d/f && cat d/f",
            "cp a d/f && cat d/f; echo done",
            "[ -f d/f ] && cat d/f",
            "cat d/f && git status --short",
            "if [ -f d/f ]; then cat d/f; fi",
        ] {
            assert_eq!(of(command).as_deref(), Some("d/f"), "{command}");
        }
        assert_eq!(of("cat a b").as_deref(), Some("a b"));
        assert_eq!(of("grep -n key d/f.md").as_deref(), Some("d/f.md"));
        assert!(of("grep -rn key d").is_none() && of("grep -c key f.md").is_none() && of("rg key src").is_none());
    }

    #[test]
    fn a_path_is_told_as_it_is_written_and_from_the_root() {
        let of = |command: &str| paths_shown(&serde_json::json!({ "command": command }).to_string(), Some("/w"));
        for command in [
            "cat src/a.rs",
            "sed -n '1,5p;20p' ./src/a.rs",
            "head -50 src/a.rs",
            "nl -ba src/a.rs | sed -n '10,40p'",
            "cd src && tail -n +20 a.rs | head -5",
            "Get-Content -TotalCount 5 src/a.rs",
        ] {
            assert_eq!(of(command), ["/w/src/a.rs", "src/a.rs"], "{command}");
        }
        assert_eq!(of("cat /w/lib/../src/a.rs"), ["/w/src/a.rs"]);
        let list = serde_json::json!({"command": ["bash", "-lc", "cat a.rs"], "workdir": "/w/src"}).to_string();
        assert_eq!(paths_shown(&list, None), ["/w/src/a.rs"]);
        // No shell reads a list of words: its quotes are letters of a name.
        let words = serde_json::json!({"cmd": ["cat", "it's.rs", "that's.rs"]}).to_string();
        assert_eq!(paths_shown(&words, None), ["it's.rs", "that's.rs"]);
        assert!(of("sed 's/a/b/' a.rs").is_empty() && of("cat a.rs | wc -l").is_empty() && of("").is_empty());
    }

    #[test]
    fn a_file_is_not_shown_where_something_else_may_have_been() {
        for command in [
            "cat f; make",
            "make && cat f",
            "cat f | tr a b",
            "cat f; rm f",
            "cat f; echo a > f",
            "cat f 2> g; cat g 2> f",
            "cat $F",
            "cat *.md",
            "cd \"$X\" && cat f",
            "cat <<'E'\na\nE",
            "sed 's/a/b/' f",
            "cat f | tee g && cat g",
        ] {
            assert_eq!(of(command), None, "{command}");
        }
        for command in ["cat f > g", "ls", "echo a"] {
            assert_eq!(of(command).as_deref(), Some(""), "{command}");
        }
        let says = files_shown(r#"{"command": "cat f; echo \"the key\""}"#).unwrap().says;
        assert_eq!(says, ["the key"]);
    }
}
