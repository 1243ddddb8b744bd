//! A tool's arguments as a person reads them: commands and files as code, edits as differences, the rest by name.

use std::fmt;
use std::sync::Arc;

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::config::Role;
use crate::engine::plan::{path_among, shell};
use crate::present::safe;

use super::content::{Ink, Inked};
use super::highlight::language_of;
use super::section::{Body, Gutter, Section, is_diff};
use super::{Lines, json};

/// Longer arguments are shown as they are.
const CALL_MAX: usize = 4 << 20;
/// Longer edits are shown as all old and all new lines.
const DIFF_LINES_MAX: usize = 4000;
/// A longer text stands below its name.
const INLINE_MAX: usize = 100;

/// An object's members in the order in which they were written.
struct Members(Vec<(String, Value)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Members, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(InOrder)
    }
}

/// The sections of a call.
#[must_use]
pub fn sections(tool: &str, arguments: &str) -> Vec<Section> {
    let mut name = Ink::new(tool, Role::SyntaxFunction);
    name.strong = true;
    let mut found = vec![Section::inked([Inked { inks: vec![name], ..Inked::default() }])];
    let members = match serde_json::from_str::<Members>(arguments) {
        Ok(Members(members)) if arguments.len() <= CALL_MAX => members,
        _ => {
            found.push(free_text(arguments));
            return found;
        }
    };
    let text = |names: &[&str]| {
        members.iter().find(|(name, _)| names.contains(&name.as_str())).and_then(|(_, value)| value.as_str())
    };
    let file = path_among(&members);
    let old = text(&["old_string", "old_str", "oldString"]);
    for (name, value) in &members {
        match (name.as_str(), value) {
            ("new_string" | "new_str" | "newString", Value::String(new)) if old.is_some() => {
                found.push(difference(old.unwrap_or_default(), new));
            }
            ("old_string" | "old_str" | "oldString", Value::String(_)) if has_new(&members) => {}
            ("edits", Value::Array(edits)) => edits.iter().for_each(|edit| found.push(one_edit(edit))),
            ("command" | "cmd" | "script", Value::String(command)) => {
                found.push(set_in(Section::code(command, Some(Arc::from("bash")))));
            }
            ("command" | "cmd", Value::Array(words)) if words.iter().all(Value::is_string) => {
                found.push(set_in(Section::code(&shell(words), Some(Arc::from("bash")))));
            }
            ("content" | "contents" | "file_text" | "new_source" | "code", Value::String(code)) => {
                let language = file.and_then(language_of).or_else(|| (name == "code").then(|| Arc::from("py")));
                found.push(label(name));
                found.push(set_in(Section::code(code, language)));
            }
            (_, Value::String(text)) if text.contains('\n') || text.len() > INLINE_MAX => {
                found.push(label(name));
                found.push(set_in(free_text(text)));
            }
            (_, Value::String(text)) => found.push(Section::pair(name, text)),
            (_, Value::Null | Value::Bool(_) | Value::Number(_)) => found.push(Section::pair(name, &value.to_string())),
            (_, Value::Array(_) | Value::Object(_)) => {
                let written = value.to_string();
                if written.len() <= INLINE_MAX {
                    found.push(Section::pair(name, &written));
                } else {
                    found.push(label(name));
                    let set_out = json::pretty(&written).unwrap_or(written);
                    found.push(set_in(Section::code(&set_out, Some(Arc::from("json")))));
                }
            }
        }
    }
    found
}

fn has_new(members: &[(String, Value)]) -> bool {
    members
        .iter()
        .any(|(name, value)| ["new_string", "new_str", "newString"].contains(&name.as_str()) && value.is_string())
}

/// Text by its looks: a patch, JSON, or plain.
fn free_text(text: &str) -> Section {
    if is_diff(text) {
        let lines = Lines::new(crate::present::safe_lines(text));
        return Section::new(Body::Lines { lines, language: None, gutter: Gutter::Diff, role: Role::Text });
    }
    match json::pretty(text) {
        Some(set_out) => Section::code(&set_out, Some(Arc::from("json"))),
        None => Section::plain(text, Role::Text),
    }
}

fn label(name: &str) -> Section {
    let inks = vec![Ink::new(name, Role::SyntaxName)];
    Section::inked([Inked { inks, ..Inked::default() }])
}

fn set_in(mut section: Section) -> Section {
    section.indent = 2;
    section
}

fn one_edit(edit: &Value) -> Section {
    let text = |names: [&str; 3]| names.iter().find_map(|name| edit.get(name).and_then(Value::as_str));
    match (text(["old_string", "old_str", "oldText"]), text(["new_string", "new_str", "newText"])) {
        (Some(old), Some(new)) => difference(old, new),
        _ => {
            let written = edit.to_string();
            set_in(Section::code(&json::pretty(&written).unwrap_or(written), Some(Arc::from("json"))))
        }
    }
}

/// What an edit changes, line by line.
fn difference(old: &str, new: &str) -> Section {
    let mut text = String::with_capacity(old.len() + new.len());
    let mut push = |sign: char, line: &str| {
        text.extend([sign, ' ']);
        text.push_str(line.strip_suffix('\n').unwrap_or(line));
        text.push('\n');
    };
    if old.lines().count() + new.lines().count() > DIFF_LINES_MAX {
        old.lines().for_each(|line| push('-', line));
        new.lines().for_each(|line| push('+', line));
    } else {
        for change in TextDiff::from_lines(old, new).iter_all_changes() {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            push(sign, change.value());
        }
    }
    let lines = Lines::new(
        text.split('\n').map(|line| safe(&line.replace('\t', "    ")).into_owned()).collect::<Vec<_>>().join("\n"),
    );
    set_in(Section::new(Body::Lines { lines, language: None, gutter: Gutter::Diff, role: Role::Text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tool: &str, arguments: &str) -> String {
        let mut out = String::new();
        for section in sections(tool, arguments) {
            let indent = " ".repeat(usize::from(section.indent));
            match section.body {
                Body::Lines { lines, language, .. } => {
                    let name = language.as_deref().unwrap_or("-");
                    (0..lines.count()).for_each(|line| out.push_str(&format!("{indent}{name}:{}\n", lines.get(line))));
                }
                Body::Inked(lines) => {
                    for line in lines {
                        let text: String = line.inks.iter().map(|ink| ink.text.as_str()).collect();
                        out.push_str(&format!("{indent}{text}\n"));
                    }
                }
                _ => panic!("lines"),
            }
        }
        out
    }

    #[test]
    fn calls_are_readable() {
        for (tool, arguments, expected) in [
            (
                "Bash",
                r#"{"command":"ls -l\nid","description":"Look"}"#,
                "Bash\n  bash:ls -l\n  bash:id\ndescription  Look\n",
            ),
            (
                "shell",
                r#"{"command":["bash","-lc","cd x && ls"],"timeout_ms":5}"#,
                "shell\n  bash:cd x && ls\ntimeout_ms  5\n",
            ),
            ("shell", r#"{"command":["git","commit","-m","it's"]}"#, "shell\n  bash:git commit -m 'it'\\''s'\n"),
            (
                "Edit",
                r#"{"file_path":"a.rs","old_string":"one\ntwo\n","new_string":"one\n2\n"}"#,
                "Edit\nfile_path  a.rs\n  -:  one\n  -:- two\n  -:+ 2\n",
            ),
            (
                "Write",
                r#"{"file_path":"a.rs","content":"fn a() {}"}"#,
                "Write\nfile_path  a.rs\ncontent\n  rs:fn a() {}\n",
            ),
            ("Odd", r#"{"z":null,"a":[1,{"b":2}]}"#, "Odd\nz  null\na  [1,{\"b\":2}]\n"),
            ("apply_patch", "*** Begin Patch\n+x", "apply_patch\n-:*** Begin Patch\n-:+x\n"),
            ("Broken", "{\"a\":", "Broken\n-:{\"a\":\n"),
            ("List", "[1]", "List\njson:[\njson:  1\njson:]\n"),
        ] {
            assert_eq!(shown(tool, arguments), expected, "{tool}");
        }
    }

    #[test]
    fn hostile_arguments_are_harmless() {
        let deep = format!("{{\"a\":{}}}", "[".repeat(5000));
        assert!(shown("x", &deep).starts_with("x\n"));
        let steered =
            shown("a\u{1b}[2J", r#"{"k\u001b[1m":"v\u001b[0m","old_string":"a\u001b","new_string":"b\u001b"}"#);
        assert!(!steered.contains('\u{1b}'), "{steered:?}");
    }
}
