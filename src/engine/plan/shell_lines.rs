//! What one command shows lines of as they are: files, or what is below folders, and whether each line tells its file.

use super::shell_commands::{argument_of, flagged, name_of, operands};
use super::shell_passes::{GREPS, prints_lines};
use super::shell_programs::printed_as_it_is;

/// What one command shows.
#[derive(Default)]
pub(super) struct Lines<'t> {
    /// The files; none where it reads what it is given.
    pub files: Vec<&'t str>,
    /// Whether their names stand above their lines, or before each of them.
    pub heads: bool,
    /// See `heads`.
    pub named: bool,
}

impl<'t> Lines<'t> {
    fn of(files: Vec<&'t str>) -> Lines<'t> {
        Lines { files, ..Lines::default() }
    }
}

/// What a command shows lines of as they are; `piped`: whether it is given what another one prints.
pub(super) fn shown_by<'t>(name: &str, rest: &[&'t str], piped: bool) -> Option<Lines<'t>> {
    if GREPS.contains(&name) {
        return greps(name, rest, piped);
    }
    if let Some(files) = printed_as_it_is(name, rest) {
        return Some(Lines::of(files));
    }
    let files = operands(rest, prints_lines(name)?);
    let has = |flags: &[char], long: &[&str]| flagged(rest, flags) || rest.iter().any(|word| long.contains(word));
    let several = files.len() > 1 || files.iter().any(|file| file.contains(['*', '?']));
    match name {
        // They write to a file, or print what they are given as words.
        "sort"
            if has(&['o', 'c', 'C'], &["--output", "--check"])
                || rest.iter().any(|word| word.starts_with("--output=")) =>
        {
            None
        }
        "shuf" if has(&['e', 'i', 'o'], &["--echo", "--output"]) => None,
        "uniq" if several => None,
        "head" | "tail" if has(&['v'], &["--verbose"]) || (several && !has(&['q'], &["--quiet", "--silent"])) => {
            Some(Lines { files, heads: true, named: false })
        }
        _ => Some(Lines::of(files)),
    }
}

/// What a `grep` shows lines of: files, or what is below folders, each line then with its path before it.
fn greps<'t>(name: &str, rest: &[&'t str], piped: bool) -> Option<Lines<'t>> {
    const TAKES: &[&str] = &["-A", "-B", "-C", "-m", "-g", "-t", "-f", "--include", "--exclude", "--exclude-dir"];
    const HIDES: &[&str] = &[
        "--color=always",
        "--count",
        "--files",
        "--files-with-matches",
        "--files-without-match",
        "--heading",
        "--json",
        "--null",
        "--pretty",
        "--quiet",
        "--replace",
    ];
    let is_rg = name == "rg";
    let own: &[char] = if is_rg { &['0', 'p', 'r'] } else { &['L', 'Z', 'z'] };
    let hides = flagged(rest, &['c', 'l', 'q']) || flagged(rest, own);
    if hides || rest.iter().any(|word| HIDES.iter().any(|own| word.starts_with(own))) {
        return None;
    }
    let pattern = argument_of(rest, 'e');
    let own = operands(rest, TAKES).into_iter().filter(|word| Some(*word) != pattern);
    let files: Vec<&str> = own.skip(usize::from(pattern.is_none())).collect();
    let deep = match is_rg {
        true => !(piped && files.is_empty()),
        false => {
            flagged(rest, &['r', 'R']) || rest.contains(&"--recursive") || rest.contains(&"--dereference-recursive")
        }
    };
    let bare = flagged(rest, &[if is_rg { 'I' } else { 'h' }]) || rest.contains(&"--no-filename");
    let names = flagged(rest, &['H']) || rest.contains(&"--with-filename");
    let is_one = matches!(files[..], [file] if !file.contains(['*', '?']) && (is_file(file) || !deep));
    let named = match (bare, is_one) {
        (true, _) => false,
        (false, true) => names,
        (false, false) => deep || !files.is_empty(),
    };
    // Lines of several files that nothing names may be of each.
    let is_known = !bare || files.iter().all(|file| is_file(file)) && !(deep && files.is_empty());
    is_known.then_some(Lines { files, heads: false, named })
}

/// What `git grep` shows lines of.
pub(super) fn git_greps<'t>(rest: &[&str]) -> Option<Lines<'t>> {
    const HIDES: &[&str] = &["--break", "--count", "--files-with-matches", "--heading", "--name-only", "--quiet"];
    let hides = flagged(rest, &['c', 'h', 'l', 'L', 'O', 'q']) || rest.iter().any(|word| HIDES.contains(word));
    (!hides).then(|| Lines { named: true, ..Lines::default() })
}

/// Whether a command passes on all that tells which file a line is of: its path before it, or the headings above.
pub(super) fn passes_names(name: &str, heads: bool) -> bool {
    match heads {
        true => matches!(name, "cat" | "head" | "less" | "more"),
        false => GREPS.contains(&name) || name == "sed" || prints_lines(name).is_some(),
    }
}

/// Whether a path is that of a file: what has no end may be a folder.
pub(super) fn is_file(path: &str) -> bool {
    name_of(path).trim_matches('.').contains('.')
}
