//! Which files the commands of a call show, and what they say by themselves.

use super::arguments::Arguments;
use super::changes::{COMMANDS, FILES, FOLDERS};
use super::line_names::{Naming, of_search};
use super::paths::from_folder;
use super::shell::SHELLS;
use super::shell_commands::argument_of;
use super::shell_edits::is_in_place;
use super::shell_folders::bare;
use super::shell_lines::{Lines, git_greps, is_file, passes_names, shown_by};
use super::shell_lists::printed;
use super::shell_words::{Token, tokens};

/// Bytes of arguments that are looked at.
const READ: usize = 64 << 10;
/// How deep scripts within scripts are read.
const DEEP: usize = 3;
/// What prints nothing of what files say.
pub(super) const BESIDE: &[&str] = &[
    "", ":", "[", "basename", "chmod", "date", "dirname", "export", "false", "fi", "file", "ls", "mkdir", "pwd", "set",
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
    /// How the output tells those files apart, where it does.
    pub naming: Option<Naming>,
}

impl Shown {
    /// The file that the output shows at a byte; `None` where nobody can tell.
    #[must_use]
    pub fn file_at(&self, output: &str, at: usize) -> Option<String> {
        if let Some(naming) = &self.naming {
            return naming.file_at(output, at);
        }
        let (first, others) = self.files.split_first()?;
        others.iter().all(|path| path == first).then(|| first.clone())
    }

    /// The files of which the output shows one at any byte, where it does not tell which; none where it does, or shows
    /// none.
    #[must_use]
    pub fn any_of(&self) -> &[String] {
        let is_told = self.naming.is_some() || self.files.windows(2).all(|two| two[0] == two[1]);
        if is_told { &[] } else { &self.files }
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.naming.is_none()
    }
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

/// What a call of a tool that searches shows of files, where its arguments are those of one; `folder`: where it runs.
#[must_use]
pub fn files_searched(tool: &str, text: &str, folder: &str) -> Option<Shown> {
    let naming = of_search(tool, text).filter(|_| text.len() <= READ)?;
    let file = naming.roots.first().filter(|root| is_file(root)).cloned();
    Some(match file {
        // Of one file, no line is named.
        Some(file) => Shown { files: vec![file], ..Shown::default() },
        None => Shown { naming: Some(Naming { folder: folder.to_owned(), ..naming }), ..Shown::default() },
    })
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
                    (plain || self.shown.is_empty()).then_some(())?;
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
        let passes = |command: &Command| {
            let (name, rest) = bare(&command.words).split_first().map_or(("", &[][..]), |(name, rest)| (*name, rest));
            let lines = shown_by(name, rest, true);
            let passes = lines.is_some_and(|lines| lines.files.iter().all(|file| *file == "-"));
            passes && !command.kept && command.input.is_none()
        };
        let is_beside = |command: &Command| BESIDE.contains(bare(&command.words).first().unwrap_or(&""));
        // What stands behind it may change what was shown.
        let quiet = behind.iter().all(|command| passes(command) || is_beside(command));
        let passed = behind.iter().all(passes);
        let (name, rest) = bare(&first.words).split_first().map_or(("", &[][..]), |(name, rest)| (*name, rest));
        let name = name.rsplit('/').next().unwrap_or_default();
        let is_kept = pipe.iter().any(|command| command.kept);
        // What is changed behind a file that was shown may be that.
        let changes = is_kept
            || CHANGES.contains(&name)
            || (matches!(name, "sed" | "perl") && is_in_place(name, rest))
            || (name == "git" && matches!(rest.first(), Some(&("add" | "checkout" | "restore"))));
        if changes {
            return (self.shown.is_empty() && (is_kept || behind.is_empty())).then_some(());
        }
        match name {
            "cd" | "pushd" if behind.is_empty() => {
                let to = rest.iter().find(|word| !word.starts_with('-')).filter(|to| !to.starts_with(['~', '$', '`']));
                self.folder = to.and_then(|to| Some(under(self.folder.as_deref()?, to)));
            }
            "echo" | "printf" if quiet => {
                let says = printed(name, rest, None, None).says.unwrap_or_default();
                self.shown.says.push(Some(says).filter(|says| !says.contains("$("))?);
            }
            _ if SHELLS.contains(&name) && depth < DEEP && behind.is_empty() => {
                let (script, folder) = (argument_of(rest, 'c')?, self.folder.clone());
                self.run(script, depth + 1)?;
                self.folder = folder;
            }
            "git" if matches!(rest.first(), Some(&("status" | "branch" | "rev-parse" | "remote"))) => {
                quiet.then_some(())?;
            }
            "git" if rest.first() == Some(&"grep") => {
                let lines = git_greps(rest).filter(|_| passed && keeps_names(behind, false))?;
                self.show(&lines)?;
            }
            // What it is told about files is no line of theirs.
            _ if BESIDE.contains(&name) => quiet.then_some(())?,
            _ => {
                let mut lines = shown_by(name, rest, first.input.is_some())?;
                lines.files.extend(first.input.filter(|_| lines.files.is_empty()));
                let names = keeps_names(behind, lines.heads);
                let is_told = match lines.heads || lines.named {
                    true => names,
                    false => !lines.files.is_empty(),
                };
                (passed && !first.given && is_told).then_some(())?;
                self.show(&lines)?;
            }
        }
        Some(())
    }

    /// Takes in what a command shows; only one command may name files beside their lines.
    fn show(&mut self, lines: &Lines) -> Option<()> {
        let is_known = |path: &str| !path.contains(['$', '`', '{']);
        if lines.heads || lines.named {
            let known = self.shown.is_empty() && lines.files.iter().all(|path| is_known(path));
            let (heads, folder) = (lines.heads, self.folder.clone().filter(|_| known)?);
            let roots = lines.files.iter().take(FILES).map(|path| (*path).to_owned()).collect();
            self.shown.naming = Some(Naming { heads, folder, roots });
        } else if self.shown.naming.is_some() {
            return None;
        }
        for file in lines.files.iter().copied().filter(|file| !lines.named || is_file(file)) {
            if file.contains(['*', '?']) {
                self.shown.naming.as_ref()?;
                continue;
            }
            (self.shown.files.len() < FILES && is_known(file)).then_some(())?;
            let path = if is_rooted(file) { file.to_owned() } else { under(self.folder.as_deref()?, file) };
            self.shown.files.push(path);
        }
        Some(())
    }
}

/// Whether commands pass on all that tells which file a line is of.
fn keeps_names(behind: &[Command], heads: bool) -> bool {
    behind.iter().all(|command| bare(&command.words).first().is_some_and(|name| passes_names(name, heads)))
}

fn is_rooted(path: &str) -> bool {
    path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':')
}

fn under(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { from_folder(folder, path) }
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
            "cat d/f && git status --short | head -5",
            "cat d/f; ls | wc -l",
            "if [ -f d/f ]; then cat d/f; fi",
        ] {
            assert_eq!(of(command).as_deref(), Some("d/f"), "{command}");
        }
        assert_eq!(of("cat a b").as_deref(), Some("a b"));
        for command in [
            "grep -n key d/f.md",
            "grep -v key d/f.md | sort | uniq -c",
            "sort -u d/f.md",
            "cat d/f.md | rg key",
            "awk '/key/ {print $2}' d/f.md | tail -1",
            "jq -r .key d/f.md",
            "cat d/f.md | jq .key",
        ] {
            assert_eq!(of(command).as_deref(), Some("d/f.md"), "{command}");
        }
    }

    #[test]
    fn a_line_of_several_files_is_of_the_one_that_it_names() {
        let at = |command: &str, output: &str| {
            let shown = files_shown(&serde_json::json!({ "command": command }).to_string())?;
            shown.file_at(output, output.find("KEY")?)
        };
        for (command, output, file) in [
            ("grep -rn x d", "d/f.md:12:KEY", Some("d/f.md")),
            ("grep -rn x", "f.md:12:KEY", Some("f.md")),
            ("cd d && grep -rn x . | grep -v y | head -5", "./f.md:12:KEY", Some("d/f.md")),
            ("grep x d/f.md d/g.md", "d/g.md:KEY", Some("d/g.md")),
            ("grep -n x d/*.md", "d/f.md:12:KEY", Some("d/f.md")),
            ("grep -n x Makefile", "12:KEY", Some("Makefile")),
            ("grep -rn -C2 x d", "d/f.md-11-KEY", Some("d/f.md")),
            ("rg x", "d/f.md:12:KEY", Some("d/f.md")),
            ("rg -n x src lib | sort", "lib/f.md:12:KEY", Some("lib/f.md")),
            ("git grep -n x", "d/f.md:12:KEY", Some("d/f.md")),
            ("head -n5 a d/f", "==> a <==\n\n==> d/f <==\nKEY", Some("d/f")),
            ("tail a d/f", "==> a <==\nKEY\n\n==> d/f <==\n", Some("a")),
            ("cat a a", "KEY", Some("a")),
            ("cat a b", "KEY", None),
            ("head -q a b", "KEY", None),
            ("head a b | sort", "==> a <==\nKEY", None),
            ("grep -rhn x d", "12:KEY", None),
            ("grep -rl x d", "d/KEY.md", None),
            ("grep -rc x d", "d/f.md:KEY", None),
            ("grep -rn x d | awk '{print $2}'", "d/f.md:KEY", None),
            ("grep -rn x d | cut -d: -f3", "d/f.md:KEY", None),
            ("grep -rn x d; cat e", "d/f.md:12:KEY", None),
            ("cat e; grep -rn x d", "d/f.md:12:KEY", None),
            ("grep -rn x d; rm d/f.md", "d/f.md:12:KEY", None),
            ("grep -rn x d", "e/f.md:12:KEY", None),
            ("rg -r y x d", "d/f.md:12:KEY", None),
            ("rg x d < e", "d/f.md:12:KEY", Some("d/f.md")),
            ("rg x < e.md", "d/f.md:12:KEY", Some("e.md")),
            ("grep -n x $F", "d/f.md:12:KEY", None),
            ("awk '{print $1, $2}' a", "KEY", None),
        ] {
            assert_eq!(at(command, output).as_deref(), file, "{command}");
        }
        let any_of = |command: &str| {
            let shown = files_shown(&serde_json::json!({ "command": command }).to_string());
            shown.map(|shown| shown.any_of().join(" ")).unwrap_or_default()
        };
        assert_eq!(any_of("cat a b"), "a b");
        assert_eq!(any_of("cd d; cat a && cat b | head -3"), "d/a d/b");
        for command in ["cat a a", "cat a", "grep -rn x d", "head a b", "cat a b; rm a", "ls"] {
            assert_eq!(any_of(command), "", "{command}");
        }
        let searched =
            |text: &str, output: &str| files_searched("Grep", text, "/w")?.file_at(output, output.find("KEY")?);
        for (text, output, file) in [
            (r#"{"pattern": "x"}"#, "d/f.md:12:KEY", Some("/w/d/f.md")),
            (r#"{"pattern": "x", "path": "/w/d"}"#, "d/f.md:12:KEY", Some("/w/d/f.md")),
            (r#"{"pattern": "x", "path": "/w/d"}"#, "/w/d/f.md:12:KEY", Some("/w/d/f.md")),
            (r#"{"pattern": "x", "path": "d/f.md"}"#, "12:KEY", Some("d/f.md")),
            (r#"{"pattern": "x", "path": "/w/e"}"#, "d/f.md:12:KEY", None),
            (r#"{"path": "d/f.md"}"#, "12:KEY", None),
        ] {
            assert_eq!(searched(text, output).as_deref(), file, "{text}");
        }
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
            "cat f && echo new | tee f",
            "cat f; ls | xargs rm",
            "cat f; git status --short | xargs rm",
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
