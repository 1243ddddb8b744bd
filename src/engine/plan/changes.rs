//! What calls change of files: arguments that hold a new text, patches, and commands of a shell that write.

use std::borrow::Cow;

use super::arguments::{Arguments, letters};
use super::paths::{from_folder, leads_surely, leads_to};
use super::shell::{Wrote, written_after, written_by_program};
use crate::content::decode_json_string;

/// Arguments that are all of a file's new text, a part of it, and what that stands for.
const WHOLE: &[&str] = &["content", "contents", "filetext"];
const PUTS: &[&str] = &["newstring", "newstr", "newtext", "inserttext", "newsource"];
const TAKES: &[&str] = &["oldstring", "oldstr", "oldtext"];
/// Arguments that name a file that goes elsewhere, and where.
const FROM: &[&str] = &["source", "sourcepath", "oldpath", "src"];
const TO: &[&str] = &["destination", "destinationpath", "newpath", "dest"];
/// Arguments that hold a command, or a patch.
pub(super) const COMMANDS: &[&str] = &["command", "cmd", "script", "input", "patch", "code"];
/// Those that name the folder in which it runs.
pub(super) const FOLDERS: &[&str] = &["workdir", "cwd", "workingdirectory"];

/// Files of one call that are looked at.
pub(super) const FILES: usize = 64;
/// Bytes of a text that may be a command or a patch.
const READ: usize = 256 << 10;

/// How a patch of Codex begins, and its lines that name files.
const PATCH: &str = "*** Begin Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";

/// How much is known of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certainty {
    /// It was done, and nothing else.
    #[default]
    Sure,
    /// It may not have been done at all, as something decides that while it runs.
    Perhaps,
    /// More may be changed than can be told.
    Untold,
}

/// Where a change stands in one that can be undone, of which kind that is: only the same kind is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It begins: a merge, or what is put aside.
    Begins(&'static str),
    /// What was there when it began is put back.
    Undoes(&'static str),
}

/// What a call changes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    /// The file, as it was written.
    pub path: String,
    /// What the file says then that it may not have said before.
    pub puts: Vec<String>,
    /// What those stand for.
    pub takes: Vec<String>,
    /// Whether the file says nothing else then.
    pub whole: bool,
    /// Whether nothing is left where it was: it is removed, or goes elsewhere.
    pub removes: bool,
    /// Whether all files below go the same way, where it is a folder.
    pub all_below: bool,
    /// How much is known of it.
    pub certainty: Certainty,
    /// Where it stands in an operation that can be undone.
    pub operation: Option<Operation>,
    /// The name of what comes there, which it has below that path where it is a folder.
    pub name: Option<String>,
    /// The files whose text comes there, as it is.
    pub from: Vec<String>,
}

impl FileChange {
    pub(super) fn of(path: &str, whole: bool) -> FileChange {
        FileChange { path: path.trim().to_owned(), whole, ..FileChange::default() }
    }

    /// The same where more may be changed than can be told, if it is.
    pub(super) fn untold_if(mut self, untold: bool) -> FileChange {
        if untold {
            self.certainty = Certainty::Untold;
        }
        self
    }

    /// The same where something decides while it runs if it is done.
    pub(super) fn perhaps(mut self) -> FileChange {
        match self.certainty {
            Certainty::Sure => self.certainty = Certainty::Perhaps,
            Certainty::Perhaps => {}
            // Nor may what would come there have come.
            Certainty::Untold => {
                self.puts.clear();
                self.from.clear();
                self.operation = self.operation.filter(|operation| matches!(operation, Operation::Begins(_)));
            }
        }
        self
    }

    /// Whether nothing is left of what it said, and nobody tells what it says then.
    #[must_use]
    pub fn overwrites(&self) -> bool {
        self.whole && !self.removes && self.puts.is_empty() && self.from.is_empty()
    }

    /// Whether more may be changed than can be told.
    #[must_use]
    pub fn is_untold(&self) -> bool {
        self.certainty == Certainty::Untold
    }

    /// The same of a command that ran in a folder; `folder` may be empty, then nobody knows which.
    #[must_use]
    pub fn made_in(mut self, folder: &str) -> FileChange {
        if !folder.is_empty() {
            self.path = from_folder(folder, &self.path);
            self.from.iter_mut().for_each(|path| *path = from_folder(folder, path));
        }
        self
    }

    /// Whether it changes a file, whose path is given as [`from_folder`] gives it; `folder` is that of the session.
    #[must_use]
    pub fn concerns(&self, path: &str, folder: &str) -> bool {
        let to = from_folder(folder, &self.path);
        let inner = self.name.as_ref().map(|name| from_folder(&to, name));
        leads_to(&to, path, self.all_below) || inner.is_some_and(|inner| leads_to(&inner, path, false))
    }

    /// The same where nothing is left to guess: the path is that of one file, or stands for each that it leads to.
    #[must_use]
    pub fn surely_concerns(&self, path: &str, folder: &str) -> bool {
        let to = from_folder(folder, &self.path);
        let inner = self.name.as_ref().map(|name| from_folder(&to, name));
        // A pattern leads to files where they come from.
        let is_plain = |to: &str| self.from.is_empty() || !to.contains(['*', '?']);
        let sure = |to: &str, below| is_plain(to) && leads_surely(to, path, below);
        sure(&to, self.all_below) || inner.is_some_and(|inner| sure(&inner, false))
    }

    /// Where the text of a file comes to stand by it, as it is; that file's path is given as [`from_folder`] gives it.
    #[must_use]
    pub fn brings(&self, path: &str, folder: &str) -> Vec<String> {
        let to = from_folder(folder, &self.path);
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let mut found = Vec::new();
        for from in self.from.iter().map(|from| from_folder(folder, from)) {
            if leads_surely(&from, path, false) {
                // What comes into a folder keeps its name.
                let folder = to.rsplit_once('/').map_or("", |(folder, _)| folder);
                let named = last(&to).contains(['*', '?']) && last(&to) == last(&from);
                found.push(if named { from_folder(folder, &last(path)) } else { to.clone() });
                found.extend(self.name.as_ref().map(|_| from_folder(&to, &last(path))));
            } else if let Some(inner) = path.strip_prefix(&from).and_then(|inner| inner.strip_prefix('/')) {
                found.push(from_folder(&to, inner));
                found.extend(self.name.as_ref().map(|name| from_folder(&from_folder(&to, name), inner)));
            }
        }
        found.retain(|path| !path.contains(['*', '?']));
        found
    }

    /// Whether it is of one file, of which it is known which.
    #[must_use]
    pub fn is_of_one(&self) -> bool {
        !self.path.contains(['*', '?'])
    }

    /// Whether it changes a part of a text that stands in the file, which `says` is asked of what it makes of it.
    #[must_use]
    pub fn changes_part(&self, own: &str, says: impl Fn(&str) -> bool) -> bool {
        let paired = self.puts.len() == self.takes.len();
        self.takes.iter().enumerate().any(|(at, taken)| {
            let stays = || {
                let puts = self.puts.get(at).filter(|_| paired);
                puts.is_some_and(|puts| says(&own.replace(taken.as_str(), puts)))
            };
            let bare = taken.trim();
            if own.contains(bare) { !bare.is_empty() && !stays() } else { meets(bare, own) || meets(own, bare) }
        })
    }
}

/// What a call with these arguments changes of files; nothing where it changes none, or nobody can tell.
#[must_use]
pub fn file_changes(text: &str) -> Vec<FileChange> {
    file_changes_after(text, &|_| None)
}

/// The same behind others: `wrote` tells the texts that they wrote into files, which may be scripts that this runs.
#[must_use]
pub fn file_changes_after(text: &str, wrote: Wrote<'_>) -> Vec<FileChange> {
    if text.len() > READ {
        return Vec::new();
    }
    let arguments = Arguments::of(text);
    if let Some(change) = arguments.as_ref().and_then(given) {
        return vec![change];
    }
    if let Some(changes) = arguments.as_ref().and_then(put_elsewhere) {
        return changes;
    }
    let command = match &arguments {
        Some(arguments) => arguments.text(COMMANDS.iter()),
        // Some clients write down no arguments, but what stands in them.
        None => Some(Cow::Borrowed(text)),
    };
    let folder = arguments.as_ref().and_then(|arguments| arguments.text(FOLDERS.iter())).unwrap_or_default();
    command.map_or_else(Vec::new, |command| {
        let read = patched(&command).or_else(|| written_by_program(&command));
        read.unwrap_or_else(|| written_after(&command, &folder, wrote))
    })
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
    (!puts.is_empty() || !takes.is_empty()).then(|| FileChange { path, puts, takes, whole, ..FileChange::default() })
}

/// What arguments move or copy that name a file and where it goes.
fn put_elsewhere(arguments: &Arguments) -> Option<Vec<FileChange>> {
    let (from, to) = (arguments.text(FROM.iter())?, arguments.text(TO.iter())?);
    // Which of the two it is, nobody can tell.
    let left = FileChange { all_below: true, ..FileChange::of(&from, false) }.untold_if(true);
    let come = FileChange { from: vec![from.into_owned()], all_below: true, ..FileChange::of(&to, true) };
    Some(vec![come, left])
}

/// Whether a text ends with whole words with which another begins.
fn meets(one: &str, other: &str) -> bool {
    let is_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    other.char_indices().any(|(at, sign)| {
        let end = at + sign.len_utf8();
        let (part, behind) = other.split_at(end);
        let before = one.strip_suffix(part);
        let splits = |text: &str| is_word(text.chars().next_back()) && is_word(part.chars().next());
        before.is_some_and(|before| !splits(before))
            && part.contains(char::is_alphanumeric)
            && !(is_word(Some(sign)) && is_word(behind.chars().next()))
    })
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
        let named = [(ADD, true, false), (UPDATE, false, false), (DELETE, true, true), (MOVE, false, false)];
        let named = named.iter().find_map(|(mark, whole, removes)| Some((line.strip_prefix(mark)?, *whole, *removes)));
        if let Some((path, whole, removes)) = named {
            if found.len() >= FILES {
                break;
            }
            // Where it was before, it is no more.
            if let Some(old) = found.last_mut().filter(|_| line.starts_with(MOVE)) {
                (old.whole, old.removes) = (true, true);
            }
            found.push(FileChange { removes, ..FileChange::of(path, whole) });
            continue;
        }
        if let Some(change) = found.last_mut() {
            take_line(change, line);
        }
    }
    for change in &mut found {
        change.puts.retain(|text| !text.is_empty());
        change.takes.retain(|text| !text.is_empty());
    }
    Some(found)
}

/// Takes in a line of a patch.
pub(super) fn take_line(change: &mut FileChange, line: &str) {
    let (texts, added) = match line.split_at_checked(1) {
        Some(("+", added)) => (&mut change.puts, added),
        Some(("-", taken)) => (&mut change.takes, taken),
        _ => {
            // What stands between two hunks parts them.
            [&mut change.puts, &mut change.takes].into_iter().for_each(|texts| texts.push(String::new()));
            return;
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
    fn what_is_copied_stands_where_it_comes_to() {
        let brings = |command: &str| -> Vec<String> {
            let all = file_changes(&serde_json::json!({ "command": command }).to_string());
            all.iter().flat_map(|change| change.brings("/w/d/f", "/w")).collect()
        };
        for (command, to) in [
            ("cp d/f x", "/w/x /w/x/f"),
            ("cp d/* x/", "/w/x/f"),
            ("mv d /srv/e", "/srv/e/f /srv/e/d/f"),
            ("cp -r ./d/ x/", "/w/x/d/f"),
            ("cd d && cat f >> ../g", "/w/g"),
            ("for f in d/*; do cp $f $f.bak; done", ""),
            ("for f in d/*; do cp $f x/; done", "/w/x /w/x/f"),
            ("cp d/g x", ""),
            ("cp d/f \"$X\"", ""),
        ] {
            assert_eq!(brings(command).join(" "), to, "{command}");
        }
    }

    #[test]
    fn an_edit_of_a_part_of_a_text_changes_it() {
        let changes = |takes: &str, puts: &str, own: &str| {
            let (takes, puts) = (vec![takes.to_owned()], vec![puts.to_owned()]);
            FileChange { takes, puts, ..FileChange::default() }.changes_part(own, |text| text.contains(own))
        };
        for (takes, puts) in [("44557", "3"), ("VAL", "VALUE"), ("import os\nVAL =", "VAL ="), ("44557\nx = 1", "")] {
            assert!(changes(takes, puts, "VAL = 44557"), "{takes}");
        }
        for (takes, puts) in
            [("x = 1", "x = 2"), ("44557", "44557  # ms"), ("INTERVAL", "x"), ("445577", "x"), ("", "x")]
        {
            assert!(!changes(takes, puts, "VAL = 44557"), "{takes}");
        }
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
        assert_eq!(run("rm -f a.toml b.toml 2>/dev/null"), gone);
        let call = serde_json::json!({ "cmd": "echo x > a.toml", "workdir": "/srv/x" }).to_string();
        assert_eq!(of(&call), [change("/srv/x/a.toml", &["x"], &[], true)]);
        let below = [change("d/a.toml", &[], &[], true), change("d/b.toml", &[], &[], true)];
        assert_eq!(run("cd d && rm -f a.toml b.toml 2>/dev/null"), below);
        let come = [change("old/a.toml", &[], &[], true), change("old/b.toml", &[], &[], true)];
        assert_eq!(run("git mv a.toml b.toml old/"), [come, gone].concat());
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
