//! Which paths a command prints, for those that a pipe or a loop gives them to: `find`, `git ls-files`, `grep -l`; and the
//! commands that `xargs` and `find -exec` run on them.

use super::paths::{EACH, UNKNOWN, from_folder, unknown};
use super::shell_commands::flagged;
use super::shell_passes::{GREPS, is_pass, passes_all};

/// Commands that `xargs` runs, one for each path, and folders and names of `find`.
const RUNS: usize = 64;
/// Bytes that `printf` prints, at most.
const LONG: usize = 64 << 10;
/// Of `find`: what asks for nothing but names, or leaves open what else is asked; and what is done to each that is found.
const PLAIN: &[&str] = &["-depth", "-print", "-print0"];
const DONE: &[&str] = &["-delete", "-exec", "-execdir"];

/// What a command prints, as far as that is plain to see.
#[derive(Default)]
pub(super) struct Printed {
    /// The text.
    pub says: Option<String>,
    /// Paths, which may be patterns.
    pub lists: Option<Vec<String>>,
}

/// What a command prints that is given paths, or a text.
pub(super) fn printed(name: &str, rest: &[&str], piped: Option<Vec<String>>, given: Option<&str>) -> Printed {
    let operands: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).take(RUNS + 1).collect::<Vec<_>>();
    let below = |paths: &[&str]| match paths {
        [] => vec![UNKNOWN.to_owned()],
        paths => paths.iter().map(|path| from_folder(path, UNKNOWN)).collect(),
    };
    match name {
        "echo" | "printf" => {
            let flags = rest.iter().take_while(|word| matches!(**word, "-n" | "-e" | "-ne" | "-en" | "--")).count();
            let says = rest.get(flags..).unwrap_or_default().join(" ");
            let own = if name == "printf" { rest.get(1..).unwrap_or_default().join(" ") } else { says.clone() };
            let says = if name == "printf" { formatted(rest.get(flags..).unwrap_or_default()) } else { says };
            Printed { lists: Some(words(&own)), says: Some(says) }
        }
        "cat" | "tee" if operands.is_empty() || name == "tee" => {
            Printed { lists: piped.or_else(|| given.map(words)), says: given.map(str::to_owned) }
        }
        "pwd" => Printed { lists: Some(vec![".".to_owned()]), says: None },
        "mktemp" => Printed { lists: Some(vec![from_folder("/tmp", UNKNOWN)]), says: None },
        // Names alone, unless they were asked for by a pattern.
        "ls" if operands.iter().any(|word| word.contains('*')) => {
            Printed { lists: Some(operands.iter().map(|word| (*word).to_owned()).collect()), says: None }
        }
        "ls" if operands.is_empty() => Printed { lists: Some(vec!["*".to_owned()]), says: None },
        "ls" => Printed { lists: Some(vec![UNKNOWN.to_owned()]), says: None },
        "find" if !rest.iter().any(|word| word.ends_with("printf")) => {
            Printed { lists: Some(found_by(rest)), says: None }
        }
        name if (GREPS.contains(&name) || name == "ag")
            && (flagged(rest, &['l', 'L']) || rest.iter().any(|word| word.starts_with("--files-with"))) =>
        {
            Printed { lists: Some(below(operands.get(1..).unwrap_or_default())), says: None }
        }
        "git" => match operands.as_slice() {
            ["ls-files", patterns @ ..] if !patterns.is_empty() => {
                // A pattern of git holds in any folder, and a folder for all that is below.
                let in_any = |pattern: &&str| match pattern.contains('*') {
                    true => from_folder(UNKNOWN, &unknown(pattern)),
                    false => from_folder(pattern, UNKNOWN),
                };
                Printed { lists: Some(patterns.iter().map(in_any).collect()), says: None }
            }
            _ => Printed::default(),
        },
        name if is_pass(name) && operands.len() <= 2 => {
            let some = |lists: Vec<String>| lists.iter().map(|path| unknown(path)).collect();
            Printed { lists: if passes_all(name) { piped } else { piped.map(some) }, says: None }
        }
        _ => Printed::default(),
    }
}

/// What `printf` prints: its first word with the others in their places.
fn formatted(words: &[&str]) -> String {
    let Some((format, mut words)) = words.split_first() else { return String::new() };
    let mut text = String::new();
    loop {
        let before = words.len();
        let mut signs = format.chars().peekable();
        while let Some(sign) = signs.next() {
            match sign {
                '\\' => match signs.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    own => text.extend(own),
                },
                '%' if signs.next_if_eq(&'%').is_some() => text.push('%'),
                '%' => {
                    while signs.next_if(|own| !own.is_alphabetic()).is_some() {}
                    signs.next();
                    if let Some((first, rest)) = words.split_first() {
                        text.push_str(first);
                        words = rest;
                    }
                }
                sign => text.push(sign),
            }
        }
        if words.is_empty() || words.len() == before || text.len() > LONG {
            return text;
        }
    }
}

/// What `find` finds: what has one of the names that it asks for, else whatever is below its folders.
pub(super) fn found_by(rest: &[&str]) -> Vec<String> {
    let (roots, names) = asked_of_find(rest);
    let below = |root: &&str| match names.is_empty() {
        true => vec![from_folder(root, EACH)],
        false => names.iter().map(|name| from_folder(root, &format!("{EACH}/{name}"))).collect(),
    };
    let found = roots.iter().flat_map(below);
    if takes_each(rest) { found.collect() } else { found.map(|path| unknown(&path)).collect() }
}

/// Whether `find` does what it is told to each file that has the name that it asks for, and asks for nothing else.
pub(super) fn takes_each(rest: &[&str]) -> bool {
    let (mut names, mut done) = (0, 0);
    let mut words = rest.iter().skip_while(|word| !word.starts_with(['-', '(', '!']));
    while let Some(word) = words.next() {
        let plain = match *word {
            "-name" => {
                names += 1;
                words.next().is_some()
            }
            "-type" => words.next() == Some(&"f"),
            word if DONE.contains(&word) => {
                done += 1;
                word == "-delete" || words.any(|word| matches!(*word, ";" | "+"))
            }
            word => PLAIN.contains(&word),
        };
        if !plain {
            return false;
        }
    }
    // What was done first may decide.
    names <= 1 && done <= 1
}

/// The folders that `find` goes through, and the names that it asks for; none where that leaves out others.
pub(super) fn asked_of_find<'t>(rest: &[&'t str]) -> (Vec<&'t str>, Vec<&'t str>) {
    let roots: Vec<&str> =
        rest.iter().copied().take_while(|word| !word.starts_with('-') && !matches!(*word, "(" | "!")).collect();
    let others = ["!", "-not", "-iname", "-path", "-regex"];
    let names: Vec<&str> = match rest.iter().any(|word| others.contains(word)) {
        true => Vec::new(),
        false => rest.windows(2).filter(|two| two[0] == "-name").map(|two| two[1]).collect(),
    };
    // Of so many, each may be any.
    let names = if names.len() > RUNS { Vec::new() } else { names };
    let roots = if roots.len() > RUNS { vec!["."] } else { roots };
    (if roots.is_empty() { vec!["."] } else { roots }, names)
}

/// The commands that `find -exec` and `fd -x` run.
pub(super) fn execs(name: &str, rest: &[&str]) -> Vec<Vec<String>> {
    let begins = |word: &&str| match name {
        "find" => matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir"),
        _ => matches!(*word, "-x" | "-X" | "--exec" | "--exec-batch"),
    };
    let found = if name == "find" { found_by(rest) } else { vec![UNKNOWN.to_owned()] };
    let mut all = Vec::new();
    for (at, _) in rest.iter().enumerate().filter(|(_, word)| begins(word)).take(RUNS) {
        let words = rest.get(at + 1..).unwrap_or_default();
        let size = words.iter().position(|word| matches!(*word, ";" | "+")).unwrap_or(words.len());
        let words = words.get(..size).unwrap_or_default();
        let named = words.iter().any(|word| word.contains("{}"));
        all.extend(put(words, if named || name != "find" { Some("{}") } else { None }, &found));
    }
    all
}

/// The commands that `xargs` or `parallel` run on lines.
pub(super) fn carried_out(rest: &[&str], lines: &[String]) -> Vec<Vec<String>> {
    let (mut rest, mut lines, mut mark) = (rest, lines.to_vec(), None);
    while let Some((flag, others)) = rest.split_first().filter(|(flag, _)| flag.starts_with('-')) {
        rest = others;
        let takes = match flag.strip_prefix("--") {
            Some("max-args" | "max-procs" | "delimiter" | "jobs" | "max-lines") => true,
            Some("arg-file") => {
                lines = vec![UNKNOWN.to_owned()];
                true
            }
            Some(long) => {
                mark = long.strip_prefix("replace").map(|own| own.strip_prefix('=').unwrap_or("{}")).or(mark);
                false
            }
            None => {
                if let Some((_, own)) = flag.split_once(['I', 'J']) {
                    let next = rest.first().copied();
                    mark = Some(own).filter(|own| !own.is_empty()).or(next).or(mark);
                    own.is_empty()
                } else {
                    if flag.contains('a') {
                        lines = vec![UNKNOWN.to_owned()];
                    }
                    flag.ends_with(['n', 'P', 'L', 'd', 'E', 's', 'a', 'j'])
                }
            }
        };
        rest = rest.get(usize::from(takes)..).unwrap_or_default();
    }
    if let Some(at) = rest.iter().position(|word| *word == ":::") {
        lines = rest.get(at + 1..).unwrap_or_default().iter().map(|word| (*word).to_owned()).collect();
        rest = rest.get(..at).unwrap_or_default();
    }
    let mark = mark.or_else(|| rest.iter().any(|word| word.contains("{}")).then_some("{}"));
    if rest.is_empty() { Vec::new() } else { put(rest, mark, &lines) }
}

/// A command with paths in the places of a mark, one for each; else behind its words.
fn put(words: &[&str], mark: Option<&str>, paths: &[String]) -> Vec<Vec<String>> {
    let plain = || words.iter().map(|word| (*word).to_owned());
    let marked = mark.filter(|mark| words.iter().any(|word| word.contains(mark)));
    match marked {
        _ if paths.len() > RUNS => put(words, mark, &[UNKNOWN.to_owned()]),
        Some(mark) => paths.iter().map(|path| words.iter().map(|word| word.replace(mark, path)).collect()).collect(),
        None => vec![plain().chain(paths.iter().cloned()).collect()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_lists_is_told_as_patterns() {
        let of = |words: &str| {
            let words: Vec<&str> = words.split(' ').collect();
            printed(words[0], &words[1..], None, None).lists.map(|lists| lists.join(" "))
        };
        for (words, lists) in [
            ("find . -name *.rs", Some("***/*.rs")),
            ("find src lib -type f", Some("src/*** lib/***")),
            ("find src -name *.rs -mtime +3", Some("src/**/**.rs")),
            ("find src -name *.rs -o -name x", Some("src/**/**.rs src/**/x")),
            ("find src -name f -exec grep -q x {} ; -exec rm {} ;", Some("src/**/f")),
            ("find src ! -name *.rs", Some("src/**")),
            ("grep -rl TODO src", Some("src/**")),
            ("rg -l TODO", Some("**")),
            ("git ls-files *.rs", Some("**/**.rs")),
            ("git ls-files src", Some("src/**")),
            ("ls *.md", Some("*.md")),
            ("ls", Some("*")),
            ("ls src", Some("**")),
            ("echo a b", Some("a b")),
            ("cat list.txt", None),
            ("git diff --name-only", None),
        ] {
            assert_eq!(of(words).as_deref(), lists, "{words}");
        }
    }
}
