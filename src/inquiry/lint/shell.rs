//! Which files a shell command shows lines of: `sed -n 10,40p a.rs`, `cd src && head -n 50 a.rs`, `nl -ba a.rs | tail`.

use serde_json::Value;

/// Arguments longer than this are not parsed.
const PARSED: usize = 64 << 10;
/// What prints lines of files as they are, each with those of its options that take a value.
const SHOWS: &[(&str, &[&str])] = &[
    ("cat", &[]),
    ("head", &["-n", "-c", "--lines", "--bytes"]),
    ("tail", &["-n", "-c", "--lines", "--bytes"]),
    ("sed", &[]),
    ("nl", &["-b", "-w", "-s", "-v", "-n", "-i"]),
    ("bat", &["-r", "-l", "--line-range", "--language", "--style"]),
    ("batcat", &["-r", "-l", "--line-range", "--language", "--style"]),
    ("get-content", &["-totalcount", "-head", "-first", "-tail", "-last", "-encoding"]),
];
/// What else may stand in such a command: it prints nothing, or lines of its own.
const BESIDE: &[&str] = &["echo", "printf", "true", "set", "pwd"];

/// The files that a call's arguments show lines of, where they are a command that does nothing else, by their paths as
/// they are written and from the root. `folder`: where the command runs, unless it says so itself.
pub(super) fn files_shown(arguments: &str, folder: Option<&str>) -> Vec<String> {
    let Some((all, own)) = shown(arguments) else { return Vec::new() };
    let mut found = Vec::new();
    for path in all {
        let folder = own.as_deref().or(folder).filter(|_| !is_rooted(&path));
        found.extend(folder.map(|folder| even(&format!("{folder}/{path}"))));
        found.push(even(&path));
    }
    found
}

/// The one file that a call's arguments show lines of, and the folder in which the command runs where it says so itself.
pub(in crate::inquiry) fn file_shown(arguments: &str) -> Option<(String, Option<String>)> {
    let (all, own) = shown(arguments)?;
    let mut all = all.into_iter();
    let first = all.next()?;
    all.all(|path| path == first).then_some((first, own))
}

/// The files that a command shows, and the folder that it says it runs in.
fn shown(arguments: &str) -> Option<(Vec<String>, Option<String>)> {
    if arguments.len() > PARSED || !(arguments.contains("\"command\"") || arguments.contains("\"cmd\"")) {
        return None;
    }
    let value = serde_json::from_str::<Value>(arguments).ok()?;
    let fields = value.get("action").unwrap_or(&value);
    let told = fields.get("command").or(fields.get("cmd")).and_then(told)?;
    let own = ["workdir", "cwd", "working_directory"].iter().find_map(|name| fields.get(*name)?.as_str());
    Some((paths(&told)?, own.map(str::to_owned)))
}

/// What a shell is told: a string, the last word of `["bash", "-lc", …]`, or words that no shell reads.
fn told(command: &Value) -> Option<Vec<Token>> {
    let words: Vec<&str> = match command {
        Value::String(script) => return tokens(script),
        Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    match words.as_slice() {
        [_, flag, script] if flag.starts_with('-') && flag.ends_with('c') => tokens(script),
        words => Some(words.iter().map(|word| Token::Word((*word).to_owned())).collect()),
    }
}

/// A word of a command, or what parts two commands.
#[derive(PartialEq)]
enum Token {
    Word(String),
    Next,
    Pipe,
}

/// The words of a command; `None` where it holds more than words, quotes, pipes and one command after another.
fn tokens(script: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = script.trim().chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\'' | '"' => {
                let into = word.get_or_insert_default();
                loop {
                    match signs.next()? {
                        end if end == sign => break,
                        '$' | '`' | '\\' if sign == '"' => return None,
                        other => into.push(other),
                    }
                }
            }
            '>' | '<' | '$' | '`' | '(' | ')' | '*' | '?' | '#' => return None,
            '\\' => word.get_or_insert_default().push(signs.next()?),
            ';' | '\n' | '|' | '&' | ' ' | '\t' | '\r' => {
                found.extend(word.take().map(Token::Word));
                let twice = matches!(sign, '|' | '&') && signs.next_if_eq(&sign).is_some();
                match (sign, twice) {
                    ('|', true) | ('&', false) => return None,
                    ('|', false) => found.push(Token::Pipe),
                    (';' | '\n' | '&', _) => found.push(Token::Next),
                    _ => {}
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    found.extend(word.map(Token::Word));
    Some(found)
}

/// The paths of the files that a command shows; `None` where it does anything else.
fn paths(tokens: &[Token]) -> Option<Vec<String>> {
    let (mut found, mut folder) = (Vec::new(), String::new());
    for pipeline in tokens.split(|token| *token == Token::Next).filter(|tokens| !tokens.is_empty()) {
        for (at, command) in pipeline.split(|token| *token == Token::Pipe).enumerate() {
            let words: Vec<&str> = command
                .iter()
                .filter_map(|token| match token {
                    Token::Word(word) => Some(word.as_str()),
                    Token::Next | Token::Pipe => None,
                })
                .collect();
            let (name, arguments) = words.split_first()?;
            match (*name, arguments) {
                ("cd", [to]) if at == 0 => folder = under(&folder, to),
                (name, _) if BESIDE.contains(&name) => {}
                (name, arguments) => {
                    let files = operands(&name.to_ascii_lowercase(), arguments)?;
                    // Behind a pipe the lines come from before it.
                    if files.is_empty() != (at > 0) {
                        return None;
                    }
                    found.extend(files.into_iter().map(|file| under(&folder, file)));
                }
            }
        }
    }
    Some(found)
}

/// The files among the arguments of a command that shows some.
fn operands<'a>(name: &str, arguments: &[&'a str]) -> Option<Vec<&'a str>> {
    let (_, valued) = SHOWS.iter().find(|(known, _)| *known == name)?;
    let (mut files, mut is_value) = (Vec::new(), false);
    for argument in arguments {
        match argument {
            _ if is_value => is_value = false,
            option if option.starts_with('-') && option.len() > 1 => {
                // An edit shows nothing.
                if name == "sed" && !matches!(*option, "-n" | "-E" | "-r" | "-u") {
                    return None;
                }
                is_value = valued.contains(&option.to_ascii_lowercase().as_str());
            }
            file => files.push(*file),
        }
    }
    if name == "sed" {
        let program = (!files.is_empty()).then(|| files.remove(0))?;
        let prints = |part: &str| {
            let lines = part.trim().strip_suffix('p')?;
            lines.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'$' | b'+')).then_some(())
        };
        program.split(';').filter(|part| !part.trim().is_empty()).map(prints).collect::<Option<()>>()?;
    }
    Some(files)
}

fn is_rooted(path: &str) -> bool {
    path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':')
}

fn under(folder: &str, path: &str) -> String {
    if folder.is_empty() || is_rooted(path) { path.to_owned() } else { format!("{folder}/{path}") }
}

/// A path without the parts that say nothing.
fn even(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for (at, part) in path.split('/').enumerate() {
        match part {
            "" if at > 0 => {}
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Vec<String> {
        files_shown(&serde_json::json!({ "command": command }).to_string(), Some("/w"))
    }

    #[test]
    fn a_command_that_shows_a_file_names_it() {
        for command in [
            "cat src/a.rs",
            "sed -n '10,40p' ./src/a.rs",
            "sed -n 10,40p src/a.rs",
            "sed -n '1,5p;20p' src/a.rs",
            "head -n 50 src/a.rs",
            "head -50 src/a.rs",
            "nl -ba src/a.rs | sed -n '10,40p'",
            "cd src && tail -n +20 a.rs | head -5",
            "echo ---; cat 'src/a.rs'",
            "cat /w/lib/../src/a.rs",
        ] {
            assert!(of(command).contains(&"/w/src/a.rs".to_owned()), "{command}: {:?}", of(command));
        }
        assert_eq!(of("cat a b").len(), 4);
        let list = serde_json::json!({"command": ["bash", "-lc", "cat a.rs"], "workdir": "/w/src"}).to_string();
        assert_eq!(files_shown(&list, None), ["/w/src/a.rs", "a.rs"]);
        let words = serde_json::json!({"cmd": ["head", "-n", "5", "a.rs"]}).to_string();
        assert_eq!(files_shown(&words, None), ["a.rs"]);
        // No shell reads a list of words: its quotes are letters of a name.
        let words = serde_json::json!({"cmd": ["cat", "it's.rs", "that's.rs"]}).to_string();
        assert_eq!(files_shown(&words, None), ["it's.rs", "that's.rs"]);
    }

    #[test]
    fn a_command_that_does_something_else_names_none() {
        for command in [
            "cargo test",
            "sed -i 's/a/b/' a.rs",
            "sed 's/a/b/' a.rs",
            "cat a.rs > b.rs",
            "cat $FILE",
            "cat a.rs | wc -l",
            "cat *.rs",
            "cat a.rs || true",
            "cat <<'E'\nx\nE",
            "",
            "cat",
            "cat 'a",
        ] {
            assert!(of(command).is_empty(), "{command}: {:?}", of(command));
        }
    }
}
