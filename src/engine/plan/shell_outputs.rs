//! Files that commands write which otherwise only read: what an option or a second word names, and what a client of a
//! database is told to write.

use std::sync::LazyLock;

use regex::Regex;

use super::changes::{FILES, FileChange};
use super::shell_commands::{given_to, operands};
use super::shell_passes::{keeps_lines, prints_lines};

/// Options that name the file to which a command writes what it would print.
const OPTIONS: &[(&str, char, &str)] = &[
    ("base64", 'o', "output"),
    ("iconv", 'o', "output"),
    ("less", 'O', "LOG-FILE"),
    ("less", 'o', "log-file"),
    ("ltrace", 'o', "output"),
    ("perf", 'o', "output"),
    ("psql", 'L', "log-file"),
    ("psql", 'o', "output"),
    ("shuf", 'o', "output"),
    ("sort", 'o', "output"),
    ("strace", 'o', "output"),
    ("tree", 'o', "output"),
    ("xmllint", 'o', "output"),
];
/// Commands whose second word is that file, with their options that take a value.
const SECOND: &[(&str, &[&str])] = &[
    ("pdftotext", &["-f", "-l", "-r", "-x", "-y", "-W", "-H", "-enc", "-opw", "-upw", "-eol"]),
    ("uniq", &["-f", "-s", "-w"]),
    ("xxd", &["-c", "-g", "-l", "-n", "-o", "-s"]),
];
/// Those of all these that write something else to it than what they read.
const OTHERS: &[&str] = &["less", "ltrace", "perf", "psql", "strace", "tree"];
/// Clients of databases, which are told to write by what they run.
const CLIENTS: &[&str] = &["duckdb", "mariadb", "mysql", "psql", "sqlite3"];

/// What a command writes beside what it prints; `given` is what it is given to read.
pub(super) fn of_outputs(name: &str, rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    let own = OPTIONS.iter().filter(|(own, ..)| *own == name);
    let named = own.filter_map(|(_, flag, long)| {
        let path = given_to(rest, *flag, long)?;
        // Given in one word with the option, it is none of its own.
        let option = rest.windows(2).any(|two| two[1] == path && two[0].starts_with('-') && !two[0].contains('='));
        Some((path, option))
    });
    // A hyphen is the input, or what would be printed.
    let words = rest.iter().map(|word| if *word == "-" { "/dev/stdin" } else { *word }).collect::<Vec<_>>();
    let second = SECOND.iter().filter(|(own, _)| *own == name);
    let second = second.filter_map(|(_, takes)| operands(&words, takes).get(1).map(|path| (*path, true)));
    let told = CLIENTS.contains(&name).then(|| rest.iter().copied().chain(given).flat_map(told_to_write));
    let own = named.chain(second).map(|(path, is_word)| made_of_read(name, rest, path, is_word));
    let told = told.into_iter().flatten().map(|path| FileChange::of(path, true));
    own.chain(told).filter(|change| change.path != "-").take(FILES).collect()
}

/// What a command writes to a file that is made of what it reads: all its lines, or nobody can tell which where it reads
/// that file, too. `is_word`: whether one of its words is the path.
fn made_of_read(name: &str, rest: &[&str], path: &str, is_word: bool) -> FileChange {
    let change = FileChange::of(path, true);
    if OTHERS.contains(&name) {
        return change;
    }
    let reads_itself = rest.iter().filter(|word| **word == path).count() > usize::from(is_word);
    let Some(takes) = prints_lines(name).filter(|_| keeps_lines(name, rest)) else {
        return change.untold_if(reads_itself);
    };
    let mut files = operands(rest, takes);
    if let Some(at) = files.iter().position(|file| *file == path).filter(|_| is_word) {
        files.remove(at);
    }
    let from: Vec<String> = files.into_iter().map(str::to_owned).collect();
    let is_untold = from.is_empty();
    FileChange { from, ..change }.untold_if(is_untold)
}

/// The files that commands and queries of a database write: `.output f`, `\o f`, `COPY t TO 'f'`.
fn told_to_write(script: &str) -> impl Iterator<Item = &str> {
    static WRITTEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let command = r#"(?:^|[\s;])(?:\.(?:output|once|log)|\\[ogw])[ \t]+(?:-\w+[ \t]+)*['"]?([^\s'";|-][^\s'";]*)"#;
        let query = r#"\b(?:into\s+(?:out|dump)file|to)\s+'([^'\n]+)'|\\copy\b[^\n]*\bto[ \t]+([^\s'";]+)"#;
        Regex::new(&format!("(?mi){command}|{query}")).ok()
    });
    let found = WRITTEN.as_ref().into_iter().flat_map(move |written| written.captures_iter(script));
    let path = |found: regex::Captures<'_>| (1..=3).find_map(|at| found.get(at)).map(|path| path.range());
    let all = found.filter_map(path).filter_map(move |range| script.get(range));
    all.filter(|path| !matches!(*path, "stdout" | "off"))
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    fn paths(script: &str) -> String {
        written(script, "").into_iter().map(|one| one.path).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_reads_writes_where_it_is_told_to() {
        for (script, path) in [
            ("iconv -f latin1 -t utf8 -o d/f a", "d/f"),
            ("iconv --output=d/f a", "d/f"),
            ("psql -h x -Ato d/f -c 'select 1'", "d/f"),
            ("psql -c '\\o d/f' -c 'select 1'", "d/f"),
            ("psql -c \"\\copy t to 'd/f' csv\"", "d/f"),
            ("psql -c '\\copy t to d/f csv'", "d/f"),
            ("mysql -e \"select 1 into outfile 'd/f'\"", "d/f"),
            ("sort -uo d/f a", "d/f"),
            ("shuf -o d/f a", "d/f"),
            ("strace -fo d/f ls", "d/f"),
            ("tree -o d/f", "d/f"),
            ("xxd -r a d/f", "d/f"),
            ("pdftotext -layout a.pdf d/f", "d/f"),
            ("uniq -c a d/f", "d/f"),
            ("iconv -f latin1 -t utf8 a", ""),
            ("psql -c 'select a to b'", ""),
            ("xxd -l 64 a", ""),
            ("pdftotext a.pdf -", ""),
            ("sort -k 2 a b", ""),
        ] {
            assert_eq!(paths(script), path, "{script}");
        }
        for script in [
            "sqlite3 x.db '.output d/f' 'select 1'",
            "sqlite3 x.db <<'E'\n.mode csv\n.once d/f\nselect 1;\nE",
            "duckdb x.db \"copy t to 'd/f'\"",
        ] {
            assert!(paths(script).split(' ').any(|path| path == "d/f"), "{script}");
        }
        assert!(!paths("sqlite3 x.db '.output stdout'").contains("stdout"));
    }
}
