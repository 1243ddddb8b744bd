//! What lies beside a session on disk: instruction files of a working folder, and a folder of skills. Every text is
//! bounded, links are not followed into loops, and nothing is written.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::engine::Scope;
use crate::policy::Instructions;

/// Why a text is not loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unloaded {
    /// There is no such file, or it cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// See [`FILE_MAX`].
    #[error("it is larger than 1 MiB")]
    TooLarge,
    /// There are too many beside it.
    #[error("there is too much beside it")]
    TooMuch,
    /// Its bytes are none of a text.
    #[error("it is no text")]
    NoText,
}

/// Bytes of a file; a longer one was not written for a window.
pub(super) const FILE_MAX: u64 = 1 << 20;
/// Folders that are looked into, those below the working folder first.
pub(super) const FOLDERS_MAX: usize = 5_000;
/// Levels below the working folder, or the project's root.
const DEPTH_MAX: usize = 12;
/// Files taken in all.
pub(super) const FILES_MAX: usize = 500;
/// Where the organisation's file lies (Claude Code's managed settings).
const ORGANISATION: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    "C:\\ProgramData\\ClaudeCode"
} else {
    "/etc/claude-code"
};

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct ProjectFiles {
    /// What can be loaded.
    pub files: Vec<ProjectFile>,
    /// What has one of the names, and is larger than anything that is loaded.
    pub too_large: Vec<PathBuf>,
}

/// A file that was found.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    /// How near.
    pub found: Scope,
    /// Its folder, with `/`: relative to the working folder where it is below it, else to the project's root; empty for
    /// what is loaded wherever the agent works.
    pub folder: String,
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Instruction files of a working folder, outermost first, and those of all other folders of its project, since a file
/// there may become the active one (source 5: child directories). Names are looked for in each folder in order; one that
/// ends in `/` is a folder whose `.md` files are taken. `user` is the folder of the user's files. What is excluded and the
/// root's `.ckignore` name folders that are never looked into.
#[must_use]
pub fn instruction_files(folder: &Path, wanted: &Instructions, user: Option<&Path>) -> ProjectFiles {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = folder.ancestors().find(|above| above.join(".git").exists()).unwrap_or(&folder).to_owned();
    let mut found = ProjectFiles::default();
    let mut outer = vec![(Scope::Organisation, PathBuf::from(ORGANISATION))];
    outer.extend(user.map(|user| (Scope::User, user.to_owned())));
    for (scope, place) in outer {
        take(&place, wanted, scope, "", &mut found);
    }
    let mut between: Vec<&Path> = folder.ancestors().take_while(|above| above.starts_with(&root)).collect();
    between.reverse();
    for place in between {
        let scope = if place == root { Scope::Root } else { Scope::Parent };
        take(place, wanted, scope, "", &mut found);
    }
    let mut patterns: Vec<String> = wanted.exclude.clone();
    if let Ok(bytes) = read(&root.join(".ckignore")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '!']));
        patterns.extend(lines.take(1_000).map(str::to_owned));
    }
    let inner = folder.strip_prefix(&root).unwrap_or(Path::new(""));
    let mut walk = Walk { wanted, patterns: &patterns, seen: 0 };
    walk.below(&folder, inner, None, &mut found);
    if root != folder {
        walk.below(&root, Path::new(""), Some(&folder), &mut found);
    }
    found
}

/// The `SKILL.md` of every folder in a folder, by name: the folder's name, the file, and its bytes or why they are not
/// loaded.
#[must_use]
pub fn skill_files(folder: &Path) -> Vec<(String, PathBuf, Result<Vec<u8>, Unloaded>)> {
    let mut found: Vec<_> = entries(folder)
        .into_iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let file = path.join("SKILL.md");
            let bytes = read(&file);
            (bytes != Err(Unloaded::Unreadable)).then_some((name, file, bytes))
        })
        .take(FILES_MAX)
        .collect();
    found.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
    found
}

/// A file's bytes.
///
/// # Errors
/// Where it is no file that can be read, or is too long.
pub fn read(path: &Path) -> Result<Vec<u8>, Unloaded> {
    let bytes = || -> std::io::Result<Vec<u8>> {
        if !fs::metadata(path)?.is_file() {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(FILE_MAX + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = bytes().map_err(|_| Unloaded::Unreadable)?;
    if bytes.len() as u64 > FILE_MAX { Err(Unloaded::TooLarge) } else { Ok(bytes) }
}

pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).take(10_000).collect();
    found.sort();
    found
}

/// Takes the named files of one folder. Where only the first is loaded, an empty one is that in a project, and is none
/// among the user's files (Codex' documentation: of these the first non-empty one).
fn take(place: &Path, wanted: &Instructions, found: Scope, folder: &str, out: &mut ProjectFiles) {
    let mut has = false;
    for name in &wanted.names {
        if wanted.first_name && has {
            return;
        }
        // What a project keeps in a folder of the user's folder's name lies in that folder itself for the user: rules.
        let own = place.file_name().filter(|_| found == Scope::User).map(|own| format!("{}/", own.to_string_lossy()));
        let name = own.and_then(|own| name.strip_prefix(&own)).unwrap_or(name);
        let path = place.join(name);
        // A name is a file of this folder: nothing above it.
        if Path::new(name).components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
            continue;
        }
        let paths = if name.ends_with('/') { rules(&path) } else { vec![path] };
        for path in paths {
            let known = out.files.iter().map(|known| &known.path).chain(&out.too_large).any(|known| *known == path);
            if known || out.files.len().max(out.too_large.len()) >= FILES_MAX {
                continue;
            }
            match read(&path) {
                Ok(bytes) if wanted.first_name && found == Scope::User && bytes.trim_ascii().is_empty() => {}
                Ok(bytes) => {
                    has = true;
                    out.files.push(ProjectFile { found, folder: folder.to_owned(), path, bytes });
                }
                Err(Unloaded::TooLarge) => {
                    has = true;
                    out.too_large.push(path);
                }
                Err(_) => {}
            }
        }
    }
}

/// The Markdown files of a folder and of those in it, by path; no link to a folder is followed.
fn rules(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut todo) = (Vec::new(), vec![(folder.to_owned(), 0)]);
    while let Some((place, depth)) = todo.pop() {
        for path in entries(&place) {
            if path.symlink_metadata().is_ok_and(|about| about.is_dir()) {
                if depth < DEPTH_MAX && todo.len() < FILES_MAX {
                    todo.push((path, depth + 1));
                }
            } else if path.extension().is_some_and(|ending| ending == "md") && found.len() < FILES_MAX {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A walk through the folders of a project.
struct Walk<'a> {
    wanted: &'a Instructions,
    /// Which folders are left out.
    patterns: &'a [String],
    /// Folders that were looked into.
    seen: usize,
}

impl Walk<'_> {
    /// Takes the named files of all folders below one, those excluded, links and one folder more left out.
    fn below(&mut self, folder: &Path, inner: &Path, but: Option<&Path>, out: &mut ProjectFiles) {
        // Patterns name folders from the root down.
        let above = inner.to_string_lossy().replace('\\', "/");
        let mut todo = vec![(folder.to_owned(), String::new(), 0)];
        while let Some((place, relative, depth)) = todo.pop() {
            self.seen += 1;
            if self.seen > FOLDERS_MAX {
                return;
            }
            if depth > 0 {
                take(&place, self.wanted, Scope::Child, &relative, out);
            }
            if depth >= DEPTH_MAX {
                continue;
            }
            for path in entries(&place).into_iter().rev() {
                let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
                let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { continue };
                let inner = if relative.is_empty() { name.clone() } else { format!("{relative}/{name}") };
                // A hidden folder is the tools', not the project's.
                let from_root = if above.is_empty() { inner.clone() } else { format!("{above}/{inner}") };
                let is_out = name.starts_with('.') || but == Some(&path);
                if is_folder && !is_out && !self.patterns.iter().any(|pattern| excludes(pattern, &from_root)) {
                    todo.push((path, inner, depth + 1));
                }
            }
        }
    }
}

/// Whether a pattern excludes a folder: a name excludes it anywhere, a path from the project's root down; `*` stands
/// for any signs of one name.
fn excludes(pattern: &str, folder: &str) -> bool {
    let anchored = pattern.trim_end_matches('/').contains('/');
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != "**").collect();
    let names: Vec<&str> = folder.split('/').collect();
    if !anchored {
        return parts.first().is_some_and(|one| names.last().is_some_and(|name| fits(one, name)));
    }
    parts.len() == names.len() && parts.iter().zip(&names).all(|(one, name)| fits(one, name))
}

/// Whether a name fits a pattern with `*`.
fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn instructions_are_found_from_the_outside_inwards() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        for (name, text) in [
            ("home/.claude/CLAUDE.md", "user"),
            ("home/.claude/rules/own.md", "user's rule"),
            ("repo/.git/HEAD", ""),
            ("repo/CLAUDE.md", "root"),
            ("repo/.claude/rules/b.md", "rule b"),
            ("repo/.claude/rules/a.md", "rule a"),
            ("repo/.claude/rules/web/c.md", "rule c"),
            ("repo/.ckignore", "# builds\nbuild*/\npackages/old\n"),
            ("repo/packages/AGENTS.md", "parent"),
            ("repo/packages/api/CLAUDE.md", "child"),
            ("repo/packages/old/CLAUDE.md", "excluded by path"),
            ("repo/packages/node_modules/x/CLAUDE.md", "excluded"),
            ("repo/packages/build-1/CLAUDE.md", "excluded by a star"),
            ("repo/other/deep/CLAUDE.md", "beside the working folder"),
            ("CLAUDE.md", "above the root"),
        ] {
            write(&root, name, text);
        }
        let names = ["CLAUDE.md", "AGENTS.md", ".claude/rules/", "../CLAUDE.md"].map(String::from);
        let exclude = ["node_modules/".to_owned(), "old-*/".to_owned()];
        let mut wanted = Instructions { names: names.to_vec(), exclude: exclude.to_vec(), ..Instructions::default() };
        let files = |folder: &str, wanted: &Instructions| -> Vec<(Scope, String, String)> {
            instruction_files(&root.join(folder), wanted, Some(&root.join("home/.claude")))
                .files
                .into_iter()
                .filter(|file| file.found != Scope::Organisation)
                .map(|file| (file.found, file.folder, String::from_utf8(file.bytes).expect("text")))
                .collect()
        };
        let one = |found, folder: &str, text: &str| (found, folder.to_owned(), text.to_owned());
        let outer = [
            one(Scope::User, "", "user"),
            one(Scope::User, "", "user's rule"),
            one(Scope::Root, "", "root"),
            one(Scope::Root, "", "rule a"),
            one(Scope::Root, "", "rule b"),
            one(Scope::Root, "", "rule c"),
        ];
        let inner = [
            one(Scope::Parent, "", "parent"),
            one(Scope::Child, "api", "child"),
            one(Scope::Child, "other/deep", "beside the working folder"),
        ];
        assert_eq!(files("repo/packages", &wanted), [outer.as_slice(), &inner].concat());
        let children: Vec<String> = files("repo", &wanted).into_iter().map(|(_, _, text)| text).skip(6).collect();
        assert_eq!(children, ["beside the working folder", "parent", "child"]);
        wanted.first_name = true;
        let firsts: Vec<String> = files("repo", &wanted).into_iter().map(|(_, _, text)| text).collect();
        assert_eq!(firsts, ["user", "root", "beside the working folder", "parent", "child"]);
    }

    #[test]
    fn an_empty_file_is_the_first_of_a_folder_and_not_of_the_users() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder");
        for place in ["home", "repo"] {
            write(&root, &format!("{place}/over.md"), " \n");
            write(&root, &format!("{place}/own.md"), place);
        }
        write(&root, "repo/.git/HEAD", "");
        let names = ["over.md", "own.md"].map(String::from).to_vec();
        let wanted = Instructions { names, first_name: true, organisation: false, ..Instructions::default() };
        let found = || instruction_files(&root.join("repo"), &wanted, Some(&root.join("home")));
        let texts: Vec<Vec<u8>> = found().files.into_iter().map(|file| file.bytes).collect();
        assert_eq!(texts, [b"home".to_vec(), b" \n".to_vec()]);
        // One that is too large to be loaded is the first one all the same, and is told of.
        write(&root, "repo/over.md", &"x".repeat(usize::try_from(FILE_MAX).expect("a size") + 1));
        assert_eq!((found().files.len(), found().too_large), (1, vec![root.join("repo/over.md")]));
    }

    #[test]
    fn skills_are_the_folders_with_a_skill_file() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "pdf/SKILL.md", "---\nname: pdf\n---\n");
        write(folder.path(), "none/README.md", "no skill");
        write(folder.path(), "a/SKILL.md", "text");
        let names: Vec<String> = skill_files(folder.path()).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["a", "pdf"]);
        assert!(skill_files(&folder.path().join("missing")).is_empty());
    }

    #[test]
    fn a_star_stands_for_any_signs_of_a_name() {
        assert!(fits("build*", "build-1") && fits("*", "x") && fits("a*c", "abc") && fits("dist", "dist"));
        assert!(!fits("dist", "distant") && !fits("a*c", "ab") && !fits("a*a", "a"));
    }
}
