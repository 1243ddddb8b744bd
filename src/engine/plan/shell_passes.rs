//! Commands that print lines of files, or of what they are given, as they are: one table for what a call shows of files and
//! for the paths that a pipe passes on.

use super::shell_commands::flagged;

/// Each with those of its options that take a value.
const LINES: &[(&str, &[&str])] = &[
    ("bat", &["-r", "-l", "--line-range", "--language", "--style"]),
    ("batcat", &["-r", "-l", "--line-range", "--language", "--style"]),
    ("cat", &[]),
    ("get-content", &["-TotalCount", "-Head", "-First", "-Tail", "-Last", "-Encoding"]),
    ("head", &["-n", "-c", "--lines", "--bytes"]),
    ("less", &[]),
    ("more", &[]),
    ("nl", &["-b", "-w", "-s", "-v", "-n", "-i"]),
    ("shuf", &["-n", "--head-count", "--random-source"]),
    ("sort", &["-k", "-t", "-S", "-T", "--key", "--field-separator", "--parallel"]),
    ("tac", &["-s", "--separator"]),
    ("tail", &["-n", "-c", "--lines", "--bytes"]),
    ("uniq", &["-f", "-s", "-w"]),
];
/// Those of them that leave out no line.
const ALL: &[&str] = &["bat", "batcat", "cat", "less", "more", "sort", "tac", "tee"];
/// What prints lines in which something stands.
pub(super) const GREPS: &[&str] = &["egrep", "fgrep", "grep", "rg"];
/// What changes the letters of lines, or writes them to files as well.
const CHANGES: &[&str] = &["rev", "tee", "tr"];

/// Those of a command's options that take a value; `None` where it prints something else.
pub(super) fn prints_lines(name: &str) -> Option<&'static [&'static str]> {
    // Those of PowerShell are written in any letters.
    LINES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, takes)| *takes)
}

/// Whether such a command leaves out no line that says something else than all the others.
pub(super) fn keeps_lines(name: &str, rest: &[&str]) -> bool {
    let long = |known: &[&str]| rest.iter().all(|word| !word.starts_with("--") || known.contains(word));
    match name {
        "cat" => true,
        // By its keys, lines are the same that are not.
        "sort" if flagged(rest, &['u']) || rest.contains(&"--unique") => {
            let keys = ['R', 'V', 'b', 'c', 'C', 'd', 'f', 'g', 'h', 'i', 'k', 'M', 'n'];
            long(&["--unique"]) && !flagged(rest, &keys)
        }
        "sort" => !flagged(rest, &['c', 'C']) && !rest.iter().any(|word| word.starts_with("--check")),
        "uniq" => long(&["--count"]) && !flagged(rest, &['d', 'D', 'f', 'i', 's', 'u', 'w']),
        "shuf" => long(&[]) && !flagged(rest, &['e', 'i', 'n']),
        _ => false,
    }
}

/// Whether a command passes on what it is given, or some of it.
pub(super) fn is_pass(name: &str) -> bool {
    prints_lines(name).is_some() || GREPS.contains(&name) || CHANGES.contains(&name)
}

/// Whether such a command leaves out nothing.
pub(super) fn passes_all(name: &str) -> bool {
    ALL.contains(&name)
}
