//! What `patch` and `git apply` change of files: what the patch says, where it is there to read, else anything.

use super::changes::{FILES, FileChange, take_line};
use super::paths::from_folder;
use super::shell_commands::{all_untold, flagged, given_to, operands, removed, untold};

/// What `patch` changes that is given a text to read.
pub(super) fn of_patch(rest: &[&str], given: Option<&str>) -> Vec<FileChange> {
    if rest.contains(&"--dry-run") || rest.contains(&"-C") || rest.contains(&"--check") {
        return Vec::new();
    }
    let takes = ["-p", "-i", "-d", "-o", "-r", "-D", "-B", "-z", "-F", "--input", "--directory", "--output"];
    let operands = operands(rest, &takes);
    if let Some(out) = given_to(rest, 'o', "output") {
        return vec![FileChange::of(out, true).untold_if(true)];
    }
    match operands.first() {
        Some(path) => vec![untold(&from_folder(given_to(rest, 'd', "directory").unwrap_or_default(), path))],
        None => applied(rest, given, None),
    }
}

/// What a patch changes; `strip` is how many folders its paths have beyond those that are there, unless it is said.
pub(super) fn applied(rest: &[&str], given: Option<&str>, strip: Option<usize>) -> Vec<FileChange> {
    let said = rest.iter().find_map(|word| word.strip_prefix("-p").or_else(|| word.strip_prefix("--strip=")));
    let strip = said.and_then(|number| number.parse().ok()).or(strip);
    let folder = given_to(rest, 'd', "directory").unwrap_or_default();
    let mut found = given.map(|patch| changed(patch, strip)).unwrap_or_default();
    if found.is_empty() {
        return vec![all_untold(if folder.is_empty() { "." } else { folder })];
    }
    let back = flagged(rest, &['R']) || rest.contains(&"--reverse");
    for change in &mut found {
        change.path = from_folder(folder, &change.path);
        if back {
            std::mem::swap(&mut change.puts, &mut change.takes);
        }
    }
    found
}

/// What a patch of the unified form says of files.
fn changed(patch: &str, strip: Option<usize>) -> Vec<FileChange> {
    let mut found: Vec<FileChange> = Vec::new();
    let (mut old, mut left) = (None, (0_usize, 0_usize));
    for line in patch.lines() {
        // Within a hunk its lines are counted: a line that is taken may begin with further hyphens.
        if left != (0, 0) {
            if let Some(change) = found.last_mut() {
                take_line(change, line);
            }
            match line.as_bytes().first() {
                Some(b'+') => left.1 = left.1.saturating_sub(1),
                Some(b'-') => left.0 = left.0.saturating_sub(1),
                Some(b'\\') => {}
                _ => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
            }
            continue;
        }
        let path = |rest: &str| path_of(rest, strip);
        if let Some(rest) = line.strip_prefix("--- ") {
            old = path(rest);
        } else if let Some(rest) = line.strip_prefix("+++ ") {
            let new = path(rest);
            let gone = new.is_none();
            let Some(own) = new.or(old.take()).filter(|_| found.len() < FILES) else { break };
            found.push(FileChange { removes: gone, ..FileChange::of(&own, gone) });
        } else if let Some(rest) = line.strip_prefix("rename from ") {
            found.push(removed(rest));
        } else if let Some(rest) = line.strip_prefix("rename to ") {
            found.push(untold(rest));
        } else if let Some(rest) = line.strip_prefix("@@ ") {
            left = hunk(rest).unwrap_or_default();
            if let Some(change) = found.last_mut() {
                take_line(change, "");
            }
        }
    }
    for change in &mut found {
        change.puts.retain(|text| !text.is_empty());
        change.takes.retain(|text| !text.is_empty());
    }
    found
}

/// The path behind `--- ` or `+++ `; `None` where there is no such file.
fn path_of(rest: &str, strip: Option<usize>) -> Option<String> {
    let path = rest.split('\t').next().unwrap_or_default().trim().trim_matches('"');
    if path.is_empty() || path == "/dev/null" {
        return None;
    }
    let parts: Vec<&str> = path.split('/').collect();
    // Without a number, `patch` takes what it finds: mostly paths as git writes them.
    let strip = strip.unwrap_or_else(|| usize::from(matches!(parts.first(), Some(&("a" | "b")))));
    Some(parts.get(strip.min(parts.len() - 1)..)?.join("/"))
}

/// How many lines a hunk has of the file before and after: `-1,2 +1,3 @@`.
fn hunk(rest: &str) -> Option<(usize, usize)> {
    let mut parts = rest.split(' ');
    let mut lines = |sign: char| {
        let range = parts.next()?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, lines)| lines.parse().ok())
    };
    Some((lines('-')?, lines('+')?))
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    const PATCH: &str = "--- a/src/a.rs\t2026-01-01\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@ fn main\n let x;\n--- old\n+++ new\n let y;\n\
                         diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";

    #[test]
    fn a_patch_that_is_there_to_read_tells_what_it_changes() {
        let told = |script: &str| {
            let found = written(script, "").into_iter();
            found.map(|one| (one.path, one.puts.join("|"), one.takes.join("|"), one.whole)).collect::<Vec<_>>()
        };
        let of =
            |path: &str, puts: &str, takes: &str, whole| (path.to_owned(), puts.to_owned(), takes.to_owned(), whole);
        let here = |command: &str| format!("{command} <<'E'\n{PATCH}E");
        let both = [of("src/a.rs", "++ new", "-- old", false), of("b.txt", "", "gone", true)];
        for command in ["patch -p1", "git apply", "git apply -", "git -C . apply --whitespace=fix"] {
            assert_eq!(told(&here(command)), both, "{command}");
        }
        let below = told(&here("cd x && patch -p2 -d y"));
        assert_eq!(below.iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), ["x/y/a.rs", "x/y/b.txt"]);
        assert_eq!(told(&here("git apply -R"))[0], of("src/a.rs", "-- old", "++ new", false));
        let saved = format!("cat > /tmp/p.diff <<'E'\n{PATCH}E\n");
        for command in ["git apply /tmp/p.diff", "patch -p1 < /tmp/p.diff", "patch -p1 -i /tmp/p.diff"] {
            assert_eq!(told(&format!("{saved}{command}"))[1..], both, "{command}");
        }
    }

    #[test]
    fn a_patch_that_nobody_can_read_may_change_anything() {
        for script in ["patch -p1 < p.diff", "git apply p.diff", "git diff a b | git apply", "curl -s x | patch -p0"] {
            let found = written(script, "");
            assert!(found.iter().any(|one| one.is_untold() && one.concerns("/w/d/f", "/w")), "{script}: {found:?}");
        }
        assert_eq!(written("patch --dry-run -p1 < p.diff", ""), []);
        assert_eq!(written("git apply --check p.diff", ""), []);
    }
}
