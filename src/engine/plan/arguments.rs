//! What the arguments of a call tell, whatever its client calls them: what it is about, the file that it touches, and
//! which other call asks for the same.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::content::hash;
use crate::model::Coding;

/// Arguments longer than this are not parsed.
const PARSED: usize = 256 << 10;
/// Arguments that name a file or folder, the surest first, and whether one says what a call is about before a command or
/// pattern beside it does. Names are compared by their letters alone.
const PATHS: &[(&str, bool)] = &[
    ("filepath", true),
    ("path", false),
    ("absolutepath", true),
    ("targetfile", true),
    ("notebookpath", true),
    ("targetnotebook", true),
    ("filename", true),
    ("file", false),
    ("relativepath", false),
    ("relativeworkspacepath", false),
    ("uri", false),
];
/// Other arguments that say what a call is about, the most telling first; then come the paths that are left, then
/// [`LESS_ABOUT`].
const ABOUT: &[&str] = &["command", "cmd", "script", "pattern", "regex", "query"];
const LESS_ABOUT: &[&str] = &["dirpath", "directory", "url", "name", "description", "prompt", "input"];
/// Arguments that say why a call is made or how long it may take: it asks for the same without them.
const NOTES: &[&str] = &[
    "description",
    "explanation",
    "reason",
    "reasoning",
    "justification",
    "thought",
    "instructions",
    "timeout",
    "timeoutms",
    "yieldtimems",
];

/// Arguments with the letters of their names.
pub(super) struct Arguments(pub Vec<(String, Value)>);

impl Arguments {
    pub fn of(text: &str) -> Option<Arguments> {
        if text.len() > PARSED {
            return None;
        }
        let fields: Map<String, Value> = serde_json::from_str(text).ok()?;
        Some(Arguments(fields.into_iter().map(|(name, value)| (letters(&name), value)).collect()))
    }

    /// The first of these names that has a text.
    pub fn text<'n>(&self, mut names: impl Iterator<Item = &'n &'n str>) -> Option<Cow<'_, str>> {
        names.find_map(|name| self.0.iter().find(|(own, _)| own == name).and_then(|(_, value)| words(value)))
    }
}

/// The letters of a name: clients write `file_path`, `filePath` and `FilePath`.
pub(super) fn letters(name: &str) -> String {
    name.chars().filter(|sign| !matches!(sign, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// A text, or the words of a command.
fn words(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(words) if !words.is_empty() && words.iter().all(Value::is_string) => {
            Some(Cow::Owned(shell(words)))
        }
        _ => None,
    }
}

/// A command of several words as it is typed.
#[must_use]
pub fn shell(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    // `bash -lc SCRIPT` runs a script: that is what is to be read.
    if let [shell, flag, script] = words.as_slice()
        && shell.ends_with("sh")
        && flag.starts_with('-')
        && flag.ends_with('c')
    {
        return (*script).to_owned();
    }
    let plain = |sign: char| sign.is_alphanumeric() || "-_./=:,@%+".contains(sign);
    let quote = |word: &&str| match word.chars().all(plain) && !word.is_empty() {
        true => (*word).to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The argument that says what a call is about: one that is known to, else the first text that is no note.
pub(super) fn main_argument(text: &str) -> Option<String> {
    let arguments = Arguments::of(text)?;
    let texts = || arguments.0.iter().filter_map(|(name, value)| Some((name, words(value)?)));
    let paths = |first: bool| PATHS.iter().filter(move |(_, own)| *own == first).map(|(name, _)| name);
    let about = paths(true).chain(ABOUT).chain(paths(false)).chain(LESS_ABOUT);
    let known = arguments.text(about).filter(|text| !text.is_empty());
    let other = || texts().find(|(name, _)| !NOTES.contains(&name.as_str())).or_else(|| texts().next());
    known.or_else(|| other().map(|(_, text)| text)).map(Cow::into_owned)
}

/// The path among a call's arguments, as they were written.
#[must_use]
pub fn touched_path(text: &str) -> Option<String> {
    Arguments::of(text)?.path()
}

/// The path among arguments with their names.
#[must_use]
pub fn path_among<'v>(arguments: &'v [(String, Value)]) -> Option<&'v str> {
    let named: Vec<(String, &'v Value)> = arguments.iter().map(|(name, value)| (letters(name), value)).collect();
    path_of(|name| named.iter().find(|(own, _)| own == name).map(|(_, value)| *value))
}

/// The path among arguments that are asked for by the letters of their names.
fn path_of<'v>(argument: impl Fn(&str) -> Option<&'v Value>) -> Option<&'v str> {
    PATHS.iter().find_map(|(name, _)| {
        let path = argument(name)?.as_str()?;
        let local = path.strip_prefix("file://");
        // Other addresses are no files.
        if *name == "uri" && local.is_none() { None } else { Some(local.unwrap_or(path)) }
    })
}

impl Arguments {
    pub fn path(&self) -> Option<String> {
        path_of(|name| self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)).map(str::to_owned)
    }
}

/// Whether a tool reads files, by its name.
#[must_use]
pub fn reads(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["read", "view", "open", "cat"].iter().any(|word| tool.contains(word))
}

/// Arguments that say how far a file is read, and those that say from where on.
const ENDS: &[&str] = &[
    "limit",
    "endline",
    "endlineonebasedinclusive",
    "lines",
    "linerange",
    "maxlines",
    "numlines",
    "pages",
    "range",
    "toline",
    "viewrange",
];
const STARTS: &[&str] = &["offset", "startline", "startlineonebased", "fromline"];
/// Commands that show a part of a file.
const PARTS: &[&str] = &["head", "sed", "tail"];

/// Whether a call asks for a part of a file, by its arguments or as the first command of its shell.
#[must_use]
pub fn reads_range(text: &str) -> bool {
    let Some(arguments) = Arguments::of(text) else { return false };
    let given = |names: &[&str], least: u64| {
        let is_given = |value: &Value| match value {
            Value::Number(number) => number.as_u64().is_none_or(|number| number >= least),
            Value::String(text) => !text.is_empty(),
            Value::Array(of) => !of.is_empty(),
            _ => false,
        };
        arguments.0.iter().any(|(name, value)| names.contains(&name.as_str()) && is_given(value))
    };
    let whole = |(name, value): &(String, Value)| name == "shouldreadentirefile" && value == &Value::Bool(true);
    let command = arguments.text(["command", "cmd", "script"].iter());
    let command = command.as_deref().and_then(|command| command.split_ascii_whitespace().next());
    let by_shell = command.is_some_and(|command| PARTS.contains(&command));
    // From its first line on, it is read from where it begins.
    by_shell || (!arguments.0.iter().any(whole) && (given(ENDS, 1) || given(STARTS, 2)))
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// The same for two calls of a tool that ask for the same: whatever the order of their arguments and the notes among
    /// them. 0 where that is not known.
    pub same: u64,
    /// The file that it reads; 0 where it reads none.
    pub file: u64,
    /// Whether it reads the whole of that file.
    pub whole: bool,
}

impl Target {
    /// What a call of a tool with these arguments asks for, and the path among them.
    pub fn of(tool: &str, text: &str) -> (Target, Option<String>) {
        let plain = |text: &str| hash(format!("{tool}\0{text}").as_bytes(), Coding::Plain);
        let Some(mut arguments) = Arguments::of(text) else {
            return (Target { same: plain(text), ..Target::default() }, None);
        };
        let path = arguments.path();
        let read = path.as_ref().filter(|_| reads(tool));
        arguments.0.retain(|(name, value)| !NOTES.contains(&name.as_str()) && !value.is_null());
        arguments.0.sort_by(|(one, _), (other, _)| one.cmp(other));
        let same: String = arguments.0.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        // What stands beside the path says which part of the file.
        let whole = read.is_some() && arguments.0.iter().all(|(name, _)| PATHS.iter().any(|(path, _)| path == name));
        (Target { same: plain(&same), file: read.map_or(0, |path| plain(path)), whole }, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_is_about_is_told_in_any_clients_words() {
        let of = |text: &str| main_argument(text).unwrap();
        assert_eq!(of(r#"{"command": ["bash", "-lc", "cargo test"], "workdir": "/home/u"}"#), "cargo test");
        assert_eq!(of(r#"{"command": ["grep", "a b", "x"]}"#), "grep 'a b' x");
        assert_eq!(of(r#"{"explanation": "to see it", "target_file": "src/x.rs"}"#), "src/x.rs");
        assert_eq!(of(r#"{"glob": "*.rs", "regex": "foo"}"#), "foo");
        assert_eq!(of(r#"{"filePath": "/a/b.ts", "limit": 5}"#), "/a/b.ts");
        assert_eq!(of(r#"{"explanation": "why", "x": "y"}"#), "y");
    }

    #[test]
    fn who_says_from_where_or_how_far_asks_for_a_part() {
        for text in [
            r#"{"file_path": "a", "offset": 100, "limit": 2400}"#,
            r#"{"path": "a", "view_range": [1, 9]}"#,
            r#"{"file_path": "a", "startLine": 7}"#,
            r#"{"command": "sed -n '1,900p' a"}"#,
            r#"{"cmd": ["bash", "-lc", "head -n 900 a"]}"#,
        ] {
            assert!(reads_range(text), "{text}");
        }
        for text in [
            r#"{"file_path": "a"}"#,
            r#"{"file_path": "a", "offset": 1, "limit": null}"#,
            r#"{"file_path": "a", "offset": 0, "encoding": "utf-8"}"#,
            r#"{"target_file": "a", "should_read_entire_file": true, "start_line_one_based": 3}"#,
            r#"{"command": "cat a"}"#,
            "no arguments",
        ] {
            assert!(!reads_range(text), "{text}");
        }
    }

    #[test]
    fn a_path_is_known_by_any_of_its_names() {
        let names = ["file_path", "filePath", "AbsolutePath", "absolute_path", "target_file", "path", "file"];
        for name in names {
            assert_eq!(touched_path(&format!(r#"{{"{name}": "src/a.rs"}}"#)).as_deref(), Some("src/a.rs"), "{name}");
        }
        assert_eq!(touched_path(r#"{"uri": "file:///src/a.rs"}"#).as_deref(), Some("/src/a.rs"));
        assert_eq!(touched_path(r#"{"uri": "https://x.org/a"}"#), None);
    }

    #[test]
    fn calls_ask_for_the_same_whatever_order_and_notes_they_have() {
        let of = |tool: &str, text: &str| Target::of(tool, text).0;
        let one = of("Bash", r#"{"command": "git status", "description": "Look"}"#);
        assert_eq!(one.same, of("Bash", r#"{"description": "Look again", "command": "git status"}"#).same);
        assert_ne!(one.same, of("Bash", r#"{"command": "git diff"}"#).same);
        assert_ne!(one.same, of("Shell", r#"{"command": "git status"}"#).same);
        let (whole, part) = (of("Read", r#"{"file_path": "a"}"#), of("Read", r#"{"file_path": "a", "limit": 9}"#));
        assert!(whole.whole && !part.whole && whole.file == part.file && whole.same != part.same);
        assert_eq!(of("Edit", r#"{"file_path": "a"}"#).file, 0);
    }
}
