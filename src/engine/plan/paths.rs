//! Paths as people, clients and shells write them, and whether two of them lead to the same file.

use crate::content::hash;
use crate::model::Coding;

/// What stands in a path for what nobody knows, folders as well.
pub(super) const UNKNOWN: &str = "**";
/// What stands in a path for each folder, however deep.
pub(super) const EACH: &str = "***";
/// Where the folders of people are, one of which `~` stands for.
const HOMES: &[&str] = &["/home/*", "/Users/*", "/root"];
/// Folders of any depth in one pattern, at most: more are not read.
const DEEP: usize = 3;

/// A path below a folder, as it goes on from there: that is how people and summaries name it.
#[must_use]
pub fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/')?.trim_start_matches('/');
    Some(rest).filter(|rest| !folder.is_empty() && !rest.is_empty())
}

/// A path as it is from the outer folder on, without what leads nowhere: `./`, `a/../`, `//`.
#[must_use]
pub fn from_folder(folder: &str, path: &str) -> String {
    let folder = if path.starts_with(['/', '~']) { "" } else { folder };
    let is_whole = if folder.is_empty() { path.starts_with('/') } else { folder.starts_with('/') };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", Some(last)) if !matches!(*last, ".." | "~") => drop(parts.pop()),
            // Above the root there is nothing.
            ("..", None) if is_whole => {}
            _ => parts.push(part),
        }
    }
    match (is_whole, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}

/// What tells a file apart, however it is named: attachments have paths from the agent's working folder on, calls have
/// whole ones, commands have any.
#[must_use]
pub fn file_id(path: &str, folder: &str) -> u64 {
    let path = from_folder(folder, path);
    hash(below(&path, folder).unwrap_or(&path).as_bytes(), Coding::Plain)
}

/// The same path where it is not known to which of the files that it leads to.
pub(super) fn unknown(path: &str) -> String {
    let mut found = String::with_capacity(path.len());
    for sign in path.chars() {
        match sign {
            '*' if found.ends_with(UNKNOWN) => {}
            '*' => found.push_str(UNKNOWN),
            sign => found.push(sign),
        }
    }
    found
}

/// The same as [`leads_to`] where nothing of it is guessed: a shell's `*` is each name that has no dot in front.
pub(super) fn leads_surely(path: &str, file: &str, all_below: bool) -> bool {
    let is_guessed = || path.contains('?') || path.replace(EACH, "").contains(UNKNOWN);
    let parts = |path| str::split(path, '/').filter(|part| !matches!(*part, "" | "."));
    let is_hidden = |(pattern, own): (&str, &str)| pattern.starts_with('*') && own.starts_with('.');
    let hides = || !path.contains(EACH) && parts(path).zip(parts(file)).any(is_hidden);
    leads_to(path, file, all_below) && (!path.contains(['*', '?']) || !(is_guessed() || hides()))
}

/// Whether a path of a command, in which `*` and `?` stand for other signs and `**` and `***` for folders, leads to a file,
/// or with `all_below` to a folder above it. Both are as [`from_folder`] gives them.
pub(super) fn leads_to(path: &str, file: &str, all_below: bool) -> bool {
    if let Some(rest) =
        path.strip_prefix('~').filter(|rest| file.starts_with('/') && (rest.is_empty() || rest.starts_with('/')))
    {
        return HOMES.iter().any(|home| leads_to(&format!("{home}{rest}"), file, all_below));
    }
    let parts = |path| str::split(path, '/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>();
    let (pattern, own) = (parts(path), parts(file));
    if path.starts_with('/') != file.starts_with('/') || path.starts_with("..") != file.starts_with("..") {
        return false;
    }
    pattern.iter().filter(|part| matches!(**part, UNKNOWN | EACH)).count() <= DEEP && fits(&pattern, &own, all_below)
}

fn fits(pattern: &[&str], path: &[&str], all_below: bool) -> bool {
    match pattern.split_first() {
        None => path.is_empty() || all_below,
        Some((&(UNKNOWN | EACH), rest)) => (0..=path.len()).any(|from| fits(rest, &path[from..], all_below)),
        Some((first, rest)) => {
            path.split_first().is_some_and(|(own, others)| name_fits(first, own) && fits(rest, others, all_below))
        }
    }
}

/// Whether a name fits a pattern.
fn name_fits(pattern: &str, name: &str) -> bool {
    let mut stars = pattern.split('*');
    let begin = stars.next().unwrap_or_default();
    let Some(mut rest) = behind(begin, name) else { return false };
    let mut parts = stars.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let mut places = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
        let tail = |at: usize| behind(part, rest.get(at..).unwrap_or_default());
        let found = match parts.peek() {
            Some(_) => places.find_map(tail),
            None => places.filter_map(tail).find(|rest| rest.is_empty()),
        };
        let Some(found) = found else { return false };
        rest = found;
    }
    true
}

/// What of a name stands behind a beginning in which `?` is any sign.
fn behind<'n>(begin: &str, name: &'n str) -> Option<&'n str> {
    let mut signs = name.chars();
    let fits = begin.chars().all(|wanted| signs.next().is_some_and(|own| wanted == '?' || own == wanted));
    fits.then_some(signs.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_on_from_the_folder_that_it_is_below() {
        assert_eq!(below("/repo/api/src/a.rs", "/repo/api"), Some("src/a.rs"));
        assert_eq!(below("/repo/api/src/a.rs", "/repo/api/"), Some("src/a.rs"));
        for (path, folder) in [
            ("/repo/api2/a.rs", "/repo/api"),
            ("/repo/api/", "/repo/api"),
            ("/repo/api", "/repo/api"),
            ("/a.rs", ""),
            ("a", "/"),
        ] {
            assert_eq!(below(path, folder), None, "{path} in {folder}");
        }
    }

    #[test]
    fn a_file_is_the_same_however_its_path_is_written() {
        let folder = "/repo/api";
        let one = file_id("src/a.rs", folder);
        for path in ["./src/a.rs", "src/../src/a.rs", "src//a.rs", "/repo/api/./src/a.rs", "../api/src/a.rs"] {
            assert_eq!(file_id(path, folder), one, "{path}");
        }
        assert_ne!(file_id("../src/a.rs", folder), one);
        assert_eq!(from_folder("", "../a"), "../a");
        assert_eq!(from_folder("", "a/.."), ".");
        assert_eq!(from_folder("/a", "../../../b"), "/b");
        assert_eq!(from_folder("/a", "~/../b"), "~/../b");
    }

    #[test]
    fn a_path_leads_to_what_it_names_and_what_is_below() {
        for (path, all_below) in [
            ("/w/src/a.rs", false),
            ("/w/src/*.rs", false),
            ("/w/s?c/*", false),
            ("/w/**/a.*", false),
            ("/w/src", true),
            ("/w/s*", true),
        ] {
            assert!(leads_to(path, "/w/src/a.rs", all_below), "{path}");
        }
        assert!(leads_to("~/src/a.rs", "/home/w/src/a.rs", false) && leads_to("~", "/root/a.rs", true));
        assert!(!leads_to("~/a.rs", "/home/w/src/a.rs", false) && !leads_to("~", "/srv/a.rs", true));
        for (path, all_below) in
            [("/w/src", false), ("/w/sr", true), ("/w/src/*.r", false), ("/w/*", false), ("w/src/a.rs", false)]
        {
            assert!(!leads_to(path, "/w/src/a.rs", all_below), "{path}");
        }
        assert!(leads_to(".", "src/a.rs", true) && !leads_to(".", "/src/a.rs", true));
    }
    #[test]
    fn a_pattern_is_sure_of_each_file_that_it_leads_to_where_nothing_is_guessed() {
        for (path, all_below) in [
            ("/w/src/a.rs", false),
            ("/w/src/*.rs", false),
            ("/w/*/a.rs", false),
            ("/w/***/*.rs", false),
            ("/w/*", true),
            ("/w/src/***", false),
        ] {
            assert!(leads_surely(path, "/w/src/a.rs", all_below), "{path}");
        }
        for path in ["/w/**/*.rs", "/w/src/**.rs", "/w/src/?.rs", "/w/**", "/w/src/*.md", "/w/src"] {
            assert!(!leads_surely(path, "/w/src/a.rs", false), "{path}");
        }
        assert!(!leads_surely("/w/*.rs", "/w/.a.rs", false) && leads_surely("/w/***/*.rs", "/w/.a.rs", false));
        assert!(leads_surely("/w/.*", "/w/.a.rs", false) && leads_surely("/w/[id].ts", "/w/[id].ts", false));
        assert_eq!(
            [unknown("d/*.rs"), unknown("d/***/a"), unknown("**"), unknown("a")],
            ["d/**.rs", "d/**/a", "**", "a"]
        );
    }
}
