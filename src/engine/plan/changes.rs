//! What calls change of files: arguments that hold a new text, patches, and commands of a shell that write.

use std::borrow::Cow;

use super::arguments::{Arguments, letters};
use crate::content::decode_json_string;

/// Arguments that are all of a file's new text, a part of it, and what that stands for.
const WHOLE: &[&str] = &["content", "contents", "filetext"];
const PUTS: &[&str] = &["newstring", "newstr", "newtext", "inserttext", "newsource"];
const TAKES: &[&str] = &["oldstring", "oldstr", "oldtext"];
/// Arguments that hold a command, or a patch.
const COMMANDS: &[&str] = &["command", "cmd", "script", "input", "patch", "code"];

/// Files of one call that are looked at.
const FILES: usize = 64;
/// Bytes of a text that may be a command or a patch.
const READ: usize = 256 << 10;

/// How a patch of Codex begins, and its lines that name files.
const PATCH: &str = "*** Begin Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";

/// What a call changes of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file, as it was written.
    pub path: String,
    /// What the file says then that it may not have said before.
    pub puts: Vec<String>,
    /// What those stand for.
    pub takes: Vec<String>,
    /// Whether the file says nothing else then.
    pub whole: bool,
}

impl FileChange {
    fn of(path: &str, whole: bool) -> FileChange {
        FileChange { path: path.trim().to_owned(), puts: Vec::new(), takes: Vec::new(), whole }
    }
}

/// What a call with these arguments changes of files; nothing where it changes none, or nobody can tell.
#[must_use]
pub fn file_changes(text: &str) -> Vec<FileChange> {
    if text.len() > READ {
        return Vec::new();
    }
    let arguments = Arguments::of(text);
    if let Some(change) = arguments.as_ref().and_then(given) {
        return vec![change];
    }
    let command = match &arguments {
        Some(arguments) => arguments.text(COMMANDS.iter()),
        // Some clients write down no arguments, but what stands in them.
        None => Some(Cow::Borrowed(text)),
    };
    command.map_or_else(Vec::new, |command| patched(&command).unwrap_or_else(|| written(&command)))
}

/// What arguments change that name a file and hold its new text.
fn given(arguments: &Arguments) -> Option<FileChange> {
    let path = arguments.path()?;
    let (mut puts, mut takes) = (Vec::new(), Vec::new());
    let edits = arguments.0.iter().find(|(name, _)| name == "edits").and_then(|(_, edits)| edits.as_array());
    let inner = edits.into_iter().flatten().filter_map(serde_json::Value::as_object).flatten();
    let inner = inner.map(|(name, value)| (letters(name), value));
    let own = arguments.0.iter().map(|(name, value)| (name.clone(), value));
    let mut whole = false;
    for (name, value) in own.chain(inner).filter_map(|(name, value)| Some((name, value.as_str()?))) {
        let is = |names: &[&str]| names.contains(&name.as_str());
        whole |= is(WHOLE);
        if is(WHOLE) || is(PUTS) {
            puts.push(value.to_owned());
        } else if is(TAKES) {
            takes.push(value.to_owned());
        }
    }
    (!puts.is_empty() || !takes.is_empty()).then_some(FileChange { path, puts, takes, whole })
}

/// What a patch changes, bare, in a command, or as a string of a program; `None` where there is none.
fn patched(text: &str) -> Option<Vec<FileChange>> {
    let patch = text.get(text.find(PATCH)? + PATCH.len()..)?;
    // As a string of a program its lines end as such strings write that.
    let patch = match patch.starts_with("\\n") {
        true => Cow::Owned(decode_json_string(patch.as_bytes()).into_owned()),
        false => Cow::Borrowed(patch),
    };
    let mut found: Vec<FileChange> = Vec::new();
    for line in patch.lines() {
        if line.starts_with("*** End Patch") {
            break;
        }
        let named = [(ADD, true), (UPDATE, false), (DELETE, true), (MOVE, false)];
        if let Some((path, whole)) = named.iter().find_map(|(mark, whole)| Some((line.strip_prefix(mark)?, *whole))) {
            if found.len() >= FILES {
                break;
            }
            // Where it was before, it is no more.
            if let Some(old) = found.last_mut().filter(|_| line.starts_with(MOVE)) {
                old.whole = true;
            }
            found.push(FileChange::of(path, whole));
            continue;
        }
        let Some(change) = found.last_mut() else { continue };
        let (texts, added) = match line.split_at_checked(1) {
            Some(("+", added)) => (&mut change.puts, added),
            Some(("-", taken)) => (&mut change.takes, taken),
            _ => {
                // What stands between two hunks parts them.
                [&mut change.puts, &mut change.takes].into_iter().for_each(|texts| texts.push(String::new()));
                continue;
            }
        };
        match texts.last_mut() {
            Some(text) if !text.is_empty() => {
                text.push('\n');
                text.push_str(added);
            }
            Some(text) => text.push_str(added),
            None => texts.push(added.to_owned()),
        }
    }
    for change in &mut found {
        change.puts.retain(|text| !text.is_empty());
        change.takes.retain(|text| !text.is_empty());
    }
    Some(found)
}

/// What the commands of a shell write into files: `cat > a.rs <<'E'`, `tee -a a.rs <<E`, `echo x >> a.rs`, what `sed -i`
/// changes, and the files that `rm` and `mv` take away.
fn written(script: &str) -> Vec<FileChange> {
    let mut found = Vec::new();
    let mut lines = script.lines();
    while let Some(line) = lines.next().filter(|_| found.len() < FILES) {
        let words = words(line);
        let here = words.iter().enumerate().find_map(|(at, word)| here_document(word, words.get(at + 1)));
        let body = here.map(|(tag, tabs)| {
            let is_end = |line: &&str| if tabs { line.trim_start_matches('\t') != tag } else { *line != tag };
            lines.by_ref().take_while(is_end).collect::<Vec<_>>().join("\n")
        });
        for command in commands(&words) {
            found.extend(gone(&command).map(|path| FileChange::of(path, true)));
            found.extend(target(&command, body.as_deref()));
        }
        found.truncate(FILES);
    }
    found
}

/// The tag of a here document, and whether tabs before its lines are left out.
fn here_document<'w>(word: &'w str, next: Option<&'w String>) -> Option<(String, bool)> {
    let tag = word.strip_prefix("<<").filter(|tag| !tag.starts_with('<'))?;
    let (tag, tabs) = tag.strip_prefix('-').map_or((tag, false), |tag| (tag, true));
    let tag = if tag.is_empty() { next?.as_str() } else { tag };
    Some((tag.trim_matches(['\'', '"', '\\']).to_owned(), tabs)).filter(|(tag, _)| !tag.is_empty())
}

/// The words of a line, those in quotes in one, and each sign that leads somewhere else by itself.
fn words(line: &str) -> Vec<String> {
    let (mut found, mut word, mut quote) = (Vec::new(), String::new(), None::<char>);
    let mut open = false;
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(end), sign) if sign == end => quote = None,
            (Some('"') | None, '\\') => word.extend(signs.next()),
            (Some(_), sign) => word.push(sign),
            (None, '\'' | '"') => (quote, open) = (Some(sign), true),
            (None, '>' | '|' | ';' | '&') => {
                if open || !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                }
                let mut own = sign.to_string();
                own.extend(signs.next_if_eq(&sign));
                found.push(own);
                open = false;
            }
            (None, ' ' | '\t') => {
                if open || !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (None, sign) => word.push(sign),
        }
    }
    if open || !word.is_empty() {
        found.push(word);
    }
    found
}

/// The commands of a line.
fn commands(words: &[String]) -> Vec<Vec<&str>> {
    let parted = words.split(|word| matches!(word.as_str(), "|" | "||" | ";" | "&" | "&&"));
    parted.map(|words| words.iter().map(String::as_str).collect()).collect()
}

/// The files that a command takes away, or puts elsewhere.
fn gone<'w>(command: &[&'w str]) -> impl Iterator<Item = &'w str> {
    let words = match command {
        ["git", rest @ ..] => rest,
        all => all,
    };
    let (name, rest) = words.split_first().map_or(("", words), |(name, rest)| (*name, rest));
    let is_path = |word: &&str| !word.is_empty() && !word.starts_with(['-', '$', '>', '<']);
    let redirects = rest.iter().position(|word| word.starts_with(['>', '<']));
    let mut paths = rest.get(..redirects.unwrap_or(rest.len())).unwrap_or_default().to_vec();
    // The number of what is redirected is no file.
    paths.pop_if(|word| redirects.is_some() && matches!(*word, "1" | "2"));
    paths.retain(is_path);
    match name {
        "rm" | "unlink" => {}
        // The last one is where the others are then.
        "mv" => drop(paths.pop()),
        _ => paths.clear(),
    }
    paths.into_iter()
}

/// What a command changes of a file, with what it is given from a here document.
fn target(command: &[&str], body: Option<&str>) -> Option<FileChange> {
    let (name, rest) = command.split_first()?;
    let is_file =
        |path: &&str| !path.is_empty() && !path.starts_with(['-', '$', '&', '<']) && !path.starts_with("/dev/");
    let arguments = || rest.iter().copied().take_while(|word| !word.starts_with(['>', '<']));
    match *name {
        "sed" if rest.iter().any(|word| word.starts_with("-i") || *word == "--in-place") => {
            let mut own = arguments().filter(|word| !word.starts_with('-') && !word.is_empty());
            let (script, path) = (own.next()?, own.last().filter(is_file)?);
            let mut change = FileChange::of(path, false);
            let sign = script.strip_prefix('s').and_then(|script| script.chars().next());
            if let Some(sign) = sign.filter(|sign| sign.is_ascii_punctuation()) {
                let mut parts = script.split(sign).skip(1).map(str::to_owned);
                change.takes.extend(parts.next().filter(|part| !part.is_empty()));
                change.puts.extend(parts.next().filter(|part| !part.is_empty()));
            }
            Some(change)
        }
        "tee" => {
            let path = arguments().find(is_file)?;
            let mut change = FileChange::of(path, !rest.iter().any(|word| matches!(*word, "-a" | "--append")));
            change.puts.extend(body.map(str::to_owned));
            Some(change)
        }
        _ => {
            let at = rest.iter().position(|word| matches!(*word, ">" | ">>"))?;
            // What goes beside the errors is the output: `2> log` is none.
            let errors = at > 0 && rest.get(at - 1) == Some(&"2");
            let path = rest.get(at + 1).copied().filter(is_file).filter(|_| !errors)?;
            let mut change = FileChange::of(path, rest.get(at) == Some(&">"));
            match *name {
                "echo" | "printf" => change.puts.push(rest.get(..at)?.join(" ")),
                _ => change.puts.extend(body.map(str::to_owned)),
            }
            Some(change)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Path, what it puts, what it takes, and whether it is all.
    type Change = (String, Vec<String>, Vec<String>, bool);

    fn of(text: &str) -> Vec<Change> {
        let all = file_changes(text).into_iter();
        all.map(|change| (change.path, change.puts, change.takes, change.whole)).collect()
    }

    fn change(path: &str, puts: &[&str], takes: &[&str], whole: bool) -> Change {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        (path.to_owned(), texts(puts), texts(takes), whole)
    }

    #[test]
    fn what_a_call_changes_is_told_in_any_clients_words() {
        assert_eq!(of(r#"{"file_path": "a", "content": "x"}"#), [change("a", &["x"], &[], true)]);
        assert_eq!(of(r#"{"path": "a", "old_str": "x", "new_str": "y"}"#), [change("a", &["y"], &["x"], false)]);
        let edits = of(r#"{"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}, {"newText": "z"}]}"#);
        assert_eq!(edits, [change("a", &["y", "z"], &["x"], false)]);
        assert_eq!(of(r#"{"file_path": "a", "limit": 5}"#), []);
        assert_eq!(of(r#"{"content": "x"}"#), []);
    }

    #[test]
    fn patches_change_files_wherever_they_stand() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn main\n let x;\n-old one\n+new one\n+and two\n@@\n+third\n\
                     *** Add File: b.txt\n+all of it\n*** Delete File: c.txt\n*** End Patch\nignored";
        let told = [
            change("src/a.rs", &["new one\nand two", "third"], &["old one"], false),
            change("b.txt", &["all of it"], &[], true),
            change("c.txt", &[], &[], true),
        ];
        let moved = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-old\n+new\n*** End Patch";
        assert_eq!(of(moved), [change("a.rs", &[], &[], true), change("b.rs", &["new"], &["old"], false)]);
        assert_eq!(of(patch), told, "bare");
        assert_eq!(of(&serde_json::json!({ "input": patch }).to_string()), told, "an argument");
        let shell = serde_json::json!({ "command": ["bash", "-lc", format!("apply_patch <<'P'\n{patch}\nP")] });
        assert_eq!(of(&shell.to_string()), told, "a here document");
        let program = format!("const patch = {};\nawait tools.apply_patch(patch);", serde_json::json!(patch));
        assert_eq!(of(&program), told, "a string of a program");
    }

    #[test]
    fn commands_that_write_change_files() {
        let run = |command: &str| of(&serde_json::json!({ "command": command }).to_string());
        let body = "port = 8443\nhost = x";
        assert_eq!(
            run(&format!("mkdir -p d && cat > d/a.toml <<'E'\n{body}\nE\nls")),
            [change("d/a.toml", &[body], &[], true)]
        );
        assert_eq!(run(&format!("cat <<E >> a.toml\n{body}\nE")), [change("a.toml", &[body], &[], false)]);
        assert_eq!(run(&format!("tee -a 'a b.toml' <<-E\n{body}\n\tE\n")), [change("a b.toml", &[body], &[], false)]);
        assert_eq!(run("echo 'port = 8443' > a.toml"), [change("a.toml", &["port = 8443"], &[], true)]);
        assert_eq!(run("sed -i 's/8443/9443/' a.toml"), [change("a.toml", &["9443"], &["8443"], false)]);
        assert_eq!(run("make > build.log; echo done"), [change("build.log", &[], &[], true)]);
        let gone = [change("a.toml", &[], &[], true), change("b.toml", &[], &[], true)];
        assert_eq!(run("cd d && rm -f a.toml b.toml 2>/dev/null"), gone);
        assert_eq!(run("git mv a.toml b.toml old/"), gone);
        for none in [
            "cargo test 2> /dev/null",
            "ls > /dev/null",
            "cat a.toml",
            "echo 'a > b'",
            "cargo test 2>&1 | tail",
            "test 1 -gt 0 && ls",
        ] {
            assert_eq!(run(none), [], "{none}");
        }
    }
}
